// deploy-server.mjs - node deploy-server.mjs NAME KEYS [PORT]: deploys nothing without an approval of exactly that.
// POST /deploy {"env": …} with the header Parley-Approval. KEYS: what `parley key export` printed.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [name, file, port = 0] = process.argv.slice(2);
const seen = new Map(); // jti → when it expires; a server of several processes keeps this in its database
const canonical = (v) => v === null || typeof v !== 'object' ? JSON.stringify(v)
	: Array.isArray(v) ? `[${v.map(canonical)}]`
	: `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`)}}`;
const decode = (part) => {
	const bytes = Buffer.from(part, 'base64url');
	return bytes.toString('base64url') === part ? bytes : null;
};

/* The word that says why not, or nothing. */
function refused(token, operation) {
	const [head, claims, signature] = (token ?? '').split('.').map((part) => part && decode(part));
	let h, c;
	try { [h, c] = [JSON.parse(head), JSON.parse(claims)]; } catch { return 'shape'; }
	if (token.split('.').length !== 3 || !signature || !h || !c) return 'shape';
	if (h.alg !== 'EdDSA' || h.typ !== 'parley-approval' || Object.keys(h).length !== 3) return 'alg';
	const key = JSON.parse(readFileSync(file)).keys.find((k) => k.kid === h.kid);
	if (!key) return 'kid';
	if (key.revoked) return 'revoked';
	const { kty, crv, x } = key, over = Buffer.from(token.slice(0, token.lastIndexOf('.')));
	if (!verify(null, over, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature)) return 'signature';
	if (c.aud !== name) return 'aud';
	const now = Date.now() / 1000;
	if (!(c.iat <= now + 30 && now < c.exp)) return 'exp';
	const digest = createHash('sha256').update(canonical({ ...operation, session: c.session })).digest('hex');
	if (c.digest !== `sha256:${digest}`) return 'digest';
	for (const [jti, exp] of seen) if (exp <= now) seen.delete(jti);
	if (seen.has(c.jti)) return 'once';
	seen.set(c.jti, c.exp);
}

createServer(async (request, response) => {
	let body = '';
	for await (const piece of request) body += piece;
	let operation;
	try { operation = { type: 'tool', name: 'deploy', arguments: JSON.parse(body) }; } catch { return response.writeHead(400).end(); }
	const word = refused(request.headers['parley-approval'], operation);
	response.writeHead(word ? 403 : 200).end(word ?? `deployed ${JSON.stringify(operation.arguments)}`);
}).listen(Number(port), '127.0.0.1', function () { console.log(this.address().port); });
