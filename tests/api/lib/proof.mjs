// What was signed, judged by others: jose, node:crypto, OpenSSL, docs/verify.mjs, and our own verb.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { compactVerify, createLocalJWKSet, flattenedVerify } from 'jose';

const run = promisify(execFile);
const [script, python] = ['verify.mjs', 'verify.py'].map((name) => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)));

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

const read = new WeakMap();
/** As jose reads them, once. */
function keysOf(jwks) {
	if (!read.has(jwks)) read.set(jwks, createLocalJWKSet(jwks));
	return read.get(jwks);
}

/** What every judge that runs in this process says of a receipt. unlogged: settled before decisions were in the log. → its payload */
export async function judged(receipt, jwks, { unlogged = false } = {}) {
	const { payload, protectedHeader } = await flattenedVerify(receipt, keysOf(jwks), { algorithms: ['EdDSA'] });
	assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['EdDSA', 'parley-receipt']);
	const said = JSON.parse(Buffer.from(payload));
	assert.equal(canonical(said), Buffer.from(payload).toString(), 'RFC 8785');
	const { ask, status, answer, answered_by, approved_digest, reason, revoked, event } = said;
	assert.equal(said.decision, `sha256:${sha256(canonical({ ask, status, answer, answered_by, approved_digest, reason,
		...(revoked && { revoked }) }))}`);
	assert.equal(event.hash, eventHash(event, event.before));
	assert.equal(JSON.parse(event.data).decision, unlogged ? undefined : said.decision);
	return said;
}

/** A compact token's claims, as jose reads them. */
export async function claimsOf(token, jwks) {
	const { payload, protectedHeader } = await compactVerify(token, keysOf(jwks), { algorithms: ['EdDSA'] });
	return { ...JSON.parse(Buffer.from(payload)), typ: protectedHeader.typ };
}

let files = 0;
const text_of = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
/** Files of these contents, for as long as fn takes. */
async function withFiles(folder, contents, fn) {
	const paths = contents.map((content) => [join(folder, `judged-${files++}`), content]);
	for (const [path, content] of paths) writeFileSync(path, content);
	try {
		return await fn(...paths.map(([path]) => path));
	} finally {
		for (const [path] of paths) rmSync(path);
	}
}

/* docs/verify.mjs as it stands, imported anew for each receipt: a process each would take a hundred times as long. */
const runs_scripts = `const { parentPort } = require('node:worker_threads');
let out;
console.log = console.error = (text) => { out += text; };
process.exit = (code) => { throw { code }; };
parentPort.on('message', async ({ n, url, argv }) => {
	let code = 0;
	out = '';
	process.argv = ['node', url, ...argv];
	await import(url + '?' + n).catch((error) => { code = error.code ?? 1; out ||= String(error); });
	parentPort.postMessage({ n, code, out });
});`;
let thread, turn = Promise.resolve();
/** → {code, out} */
export const scriptSays = (folder, receipt, jwks) => turn = turn.then(() => withFiles(folder, [text_of(receipt), text_of(jwks)], (...argv) => {
	thread ??= new Worker(runs_scripts, { eval: true });
	thread.ref();
	return new Promise((done) => {
		thread.once('message', (said) => { thread.unref(); done(said); });
		thread.postMessage({ n: files, url: pathToFileURL(script).href, argv });
	});
}));

/** docs/verify.py. → {code, out} */
export const pythonSays = (folder, receipt, jwks) => withFiles(folder, [text_of(receipt), text_of(jwks)], (...paths) => run('python3', [python, ...paths])
	.then(({ stdout }) => ({ code: 0, out: stdout.trim() }), ({ code, stderr }) => ({ code, out: stderr.trim() })));

/** OpenSSL throws unless the signature is good. */
export const opensslVerifies = (folder, { protected: head, payload, signature }, jwk) => withFiles(folder,
	[`${head}.${payload}`, Buffer.from(signature, 'base64url'), pemOf(jwk)],
	(data, sig, pem) => run('openssl', ['pkeyutl', '-verify', '-pubin', '-inkey', pem, '-rawin', '-in', data, '-sigfile', sig]));

export const pemOf = ({ kty, crv, x }) => createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
	.export({ type: 'spki', format: 'pem' });
