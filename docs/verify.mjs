// verify.mjs - node verify.mjs RECEIPT KEYS: who decided what, checked without the server and without packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const stop = (word) => { console.error(word); process.exit(1); };
const must = (ok, word) => { if (!ok) stop(word); };
const bytes = (text) => {
	const read = Buffer.from(text ?? '', 'base64url');
	return typeof text === 'string' && text && read.toString('base64url') === text ? read : stop('shape');
};
const json = (text) => { try { return JSON.parse(text); } catch { return stop('shape'); } };
const canonical = (v) => v === null || typeof v !== 'object' ? JSON.stringify(v)
	: Array.isArray(v) ? `[${v.map(canonical)}]`
	: `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`)}}`;
const sha = (...parts) => parts.reduce((h, p) => h.update(p), createHash('sha256')).digest();
const number = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };
const text = (s, max = 64) => [number(Buffer.byteLength(s)), Buffer.from(s).subarray(0, max)];

const receipt = json(readFileSync(process.argv[2], 'utf8'));
const keys = readFileSync(process.argv[3], 'utf8');
const known = keys.trim().startsWith('-----BEGIN ') ? createPublicKey(keys).export({ format: 'jwk' }) : json(keys);
must(receipt && Object.keys(receipt).sort().join() === 'payload,protected,signature', 'shape');
const head = json(bytes(receipt.protected)), said = json(bytes(receipt.payload)), signature = bytes(receipt.signature);
must(head?.alg === 'EdDSA' && head.typ === 'parley-receipt' && Object.keys(head).length === 3, 'alg');
const thumbprint = ({ crv, kty, x }) => sha(JSON.stringify({ crv, kty, x })).toString('base64url');
const key = (known?.keys ?? [known]).find((k) => k?.crv === 'Ed25519' && (k.kid ?? thumbprint(k)) === head.kid) ?? stop('kid');
must(!key.revoked, 'revoked');
const over = Buffer.from(`${receipt.protected}.${receipt.payload}`);
const { kty, crv, x } = key;
must(verify(null, over, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature), 'signature');
must(said?.event, 'shape');
const { ask, status, answer, answered_by, approved_digest, reason, revoked, event: e } = said;
const decided = { ask, status, answer, answered_by, approved_digest, reason, ...(revoked && { revoked }) };
must(said.decision === `sha256:${sha(canonical(decided)).toString('hex')}`, 'decision');
const hash = sha(Buffer.from(e.before, 'hex'), number(e.ws), number(e.n), number(Date.parse(e.at)),
	...text(e.type), ...text(e.session), ...text(e.ask), ...text(e.run), sha(e.data),
	...(e.form === 1 ? [] : text(e.agent, Infinity)));
const logged = json(e.data).decision;
must(hash.toString('hex') === e.hash && e.ask === ask && e.session === said.session && (!logged || logged === said.decision), 'event');
console.log(`${said.outcome}: ${said.title ?? said.questions[0].text}\n${answered_by?.name ?? 'nobody'}, ${said.settled_at}${logged ? '' : ' (not in the log)'}`);
