// What was signed, judged by others: jose, node:crypto, OpenSSL, docs/verify.mjs, and our own verb.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compactVerify, createLocalJWKSet, flattenedVerify } from 'jose';

const script = fileURLToPath(new URL('../../../docs/verify.mjs', import.meta.url));

/** RFC 8785, for what JavaScript can say. */
export const canonical = (v) => v === null || typeof v !== 'object' ? JSON.stringify(v)
	: Array.isArray(v) ? `[${v.map(canonical)}]`
		: `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`)}}`;

const sha = (...parts) => parts.reduce((h, p) => h.update(p), createHash('sha256')).digest();
const number = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };
const text = (s, max = 64) => [number(Buffer.byteLength(s)), Buffer.from(s).subarray(0, max)];

/** The hash of an event by what the contract says; `digest` in place of its data. */
export const eventHash = (e, before, digest = sha(e.data)) => sha(Buffer.from(before, 'hex'), number(e.ws), number(e.n),
	number(Date.parse(e.at)), ...text(e.type), ...text(e.session), ...text(e.ask), ...text(e.run), digest,
	...(e.form === 1 ? [] : text(e.agent, Infinity))).toString('hex');
export const sha256 = (data) => sha(data).toString('hex');

export const payloadOf = (receipt) => JSON.parse(Buffer.from(receipt.payload, 'base64url'));

/** What every judge that runs in this process says of a receipt. → its payload */
export async function judged(receipt, jwks) {
	const keys = createLocalJWKSet(jwks);
	const { payload, protectedHeader } = await flattenedVerify(receipt, keys, { algorithms: ['EdDSA'] });
	assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['EdDSA', 'parley-receipt']);
	const said = JSON.parse(Buffer.from(payload));
	assert.equal(canonical(said), Buffer.from(payload).toString(), 'RFC 8785');
	const { ask, status, answer, answered_by, approved_digest, reason, revoked, event } = said;
	assert.equal(said.decision, `sha256:${sha256(canonical({ ask, status, answer, answered_by, approved_digest, reason,
		...(revoked && { revoked }) }))}`);
	assert.equal(event.hash, eventHash(event, event.before));
	assert.equal(JSON.parse(event.data).decision, said.decision);
	return said;
}

/** A compact token's claims, as jose reads them. */
export async function claimsOf(token, jwks) {
	const { payload, protectedHeader } = await compactVerify(token, createLocalJWKSet(jwks), { algorithms: ['EdDSA'] });
	return { ...JSON.parse(Buffer.from(payload)), typ: protectedHeader.typ };
}

/** docs/verify.mjs. → {code, out} */
export function scriptSays(folder, receipt, jwks) {
	const [r, k] = [join(folder, 'r.json'), join(folder, 'k.json')];
	writeFileSync(r, typeof receipt === 'string' ? receipt : JSON.stringify(receipt));
	writeFileSync(k, JSON.stringify(jwks));
	const done = spawnSync(process.execPath, [script, r, k], { encoding: 'utf8' });
	return { code: done.status, out: (done.stdout + done.stderr).trim() };
}

/** OpenSSL throws unless the signature is good. */
export function opensslVerifies(folder, { protected: head, payload, signature }, jwk) {
	const [data, sig, pem] = ['data', 'sig', 'pem'].map((name) => join(folder, name));
	writeFileSync(data, `${head}.${payload}`);
	writeFileSync(sig, Buffer.from(signature, 'base64url'));
	writeFileSync(pem, pemOf(jwk));
	execFileSync('openssl', ['pkeyutl', '-verify', '-pubin', '-inkey', pem, '-rawin', '-in', data, '-sigfile', sig]);
}

export const pemOf = ({ kty, crv, x }) => createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
	.export({ type: 'spki', format: 'pem' });
