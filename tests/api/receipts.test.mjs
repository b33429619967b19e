// Receipts: signed with the workspace's key, and checked by others than the server.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { calculateJwkThumbprint, exportJWK, FlattenedSign } from 'jose';
import { judged, opensslVerifies, payloadOf, pemOf, pythonSays, scriptSays } from './lib/proof.mjs';
import { approval, text } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1', ROUNDS = LONG ? 850 : 2, FLIPPED = LONG ? 20 : 1;
const folder = mkdtempSync(join(tmpdir(), 'parley-receipts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const server = await useServer({ flags: ['--ask-rate', '100000'] });
const { agent, stranger, member, admin, nobody } = server;
const owner = await server.as('owner', 'olga');
const other = await server.as('member', 'max');

const keys = async () => (await agent.get('/v1/keys')).body;
const receiptOf = async (ask, who = member) => {
	const reply = await who.get(`/v1/asks/${ask.id}/receipt`);
	assert.equal(reply.status, 200, reply.text);
	assert.equal(reply.headers['content-type'], 'application/jose+json');
	return reply.body;
};
const file = (name, value) => {
	const path = join(folder, name);
	writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
	return path;
};
const verify = async (receipt, jwks, more = []) => {
	const done = await server.run(['verify', '-', '--key', file(`keys-${files++}`, jwks), ...more], { input: typeof receipt === 'string' ? receipt : JSON.stringify(receipt) });
	return { ...done, word: done.stdout.trim() };
};
let files = 0;
/** fn(item, index) of each, a few at once. */
async function inLanes(list, fn) {
	const left = list.entries();
	await Promise.all(Array.from({ length: LONG ? 8 : 4 }, async () => { for (const [i, item] of left) await fn(item, i); }));
}
const good = async (reply) => assert.ok(reply.status < 300, reply.text);

/* Every way in which an ask ends. */
const ways = {
	answered: async () => {
		const ask = await agent.ask({ questions: [text()] });
		await good(await member.answer(ask, { why: { text: 'Weil "ü" – \u{1f600}' } }));
		return ask;
	},
	approved: async () => {
		const ask = await agent.ask(approval());
		await good(await member.answer(ask, { decision: 'approve' }));
		return ask;
	},
	edited: async () => {
		const ask = await agent.ask(approval({ operation: { type: 'tool', name: 'pay', arguments: { n: 1.5e3, z: [1, 2] } } }));
		await good(await member.answer(ask, { decision: { value: 'approve', arguments: { n: 0.1, z: [] } } }));
		return ask;
	},
	rejected: async () => {
		const ask = await agent.ask(approval());
		await good(await member.answer(ask, { decision: { value: 'reject', text: 'No: "not" on a Friday' } }));
		return ask;
	},
	skipped: async () => {
		const ask = await agent.ask();
		await good(await member.post(`/v1/asks/${ask.id}/skip`, { reason: 'later' }));
		return ask;
	},
	cancelled: async () => {
		const ask = await agent.ask();
		await good(await agent.post(`/v1/asks/${ask.id}/cancel`, { reason: 'no need' }));
		return ask;
	},
	votes: async () => {
		const ask = await agent.ask(approval({ require: [{ approvals: 2 }] }));
		await good(await member.answer(ask, { decision: 'approve' }));
		await good(await other.answer(ask, { decision: 'approve' }));
		return ask;
	},
	ruled: async () => agent.ask(approval({ operation: { type: 'tool', name: 'ruled', arguments: {} } })),
	revoked: async () => {
		const ask = await ways.approved();
		await good(await member.post(`/v1/asks/${ask.id}/revoke`, { reason: 'wrong one' }));
		return ask;
	},
	used: async () => {
		const ask = await ways.approved();
		await good(await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest }));
		return ask;
	},
	expired: async () => agent.ask({ timeout: 60 }),
	default: async () => agent.ask({ question: 'Go?', type: 'boolean', timeout: 60, default: { q1: true } }),
};

test('an open ask has no receipt; who may not see it finds none; nobody but the workspace reads the keys', async () => {
	const ask = await agent.ask();
	const open = await member.get(`/v1/asks/${ask.id}/receipt`);
	assert.deepEqual([open.status, open.body.type], [409, '/problems/pending']);
	assert.equal((await stranger.get(`/v1/asks/${ask.id}/receipt`)).status, 404);
	assert.equal((await nobody.get('/v1/keys')).status, 401);
	const [key] = (await keys()).keys;
	assert.equal(key.kid, await calculateJwkThumbprint(key));
	assert.deepEqual([key.until, key.revoked], [null, null]);
});

test('every outcome is verified by jose, node:crypto, OpenSSL, verify.mjs and our verb', async () => {
	await good(await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['ruled'] } }));
	const made = [];
	for (let i = 0; i < ROUNDS; i++)
		for (const [name, make] of Object.entries(ways)) made.push([name, await make()]);
	server.jump(120_000);
	const jwks = await keys();
	const outcomes = { edited: 'approved', votes: 'approved', ruled: 'approved', revoked: 'approved', used: 'approved', default: 'expired' };
	await until(async () => (await member.get(`/v1/asks/${made.at(-1)[1].id}`)).body.status !== 'pending');
	await inLanes(made, async ([name, { id }], n) => {
		const receipt = await receiptOf({ id });
		const said = await judged(receipt, jwks);
		const ask = (await member.get(`/v1/asks/${id}?proof=true`)).body;
		assert.equal(said.outcome, outcomes[name] ?? name, name);
		for (const part of ['status', 'answer', 'answered_by', 'approved_digest', 'reason', 'votes', 'require', 'revoked', 'used_at', 'settled_at', 'digest', 'risk', 'kind', 'title', 'questions', 'session', 'agent', 'workspace', 'created_at'])
			assert.deepEqual(said[part], ask[part], `${name}: ${part}`);
		assert.deepEqual(said.operation, ask.operation ?? null, name);
		assert.equal(said.event.type, name === 'revoked' ? 'ask.revoked' : `ask.${ask.status}`);
		if (name !== 'revoked') assert.deepEqual(ask.proof, { event: said.event.n, hash: said.event.hash });
		assert.deepEqual(await receiptOf({ id }, agent), receipt, 'the same bytes again');
		if (!LONG && n >= Object.keys(ways).length) return;
		await opensslVerifies(folder, receipt, jwks.keys[0]);
		const script = await scriptSays(folder, receipt, jwks);
		assert.equal(script.code, 0, script.out);
		const ours = await verify(receipt, jwks);
		assert.equal(ours.code, 0, ours.stderr);
		if (said.answered_by) assert.match(ours.stdout, new RegExp(said.answered_by.name ?? 'nobody'));
	});
	if (LONG) console.log(`# ${made.length} receipts, each by four judges`);
});

test('no receipt with a bit flipped is good', async () => {
	const jwks = await keys();
	let tried = 0;
	for (let i = 0; i < FLIPPED; i++) {
		const receipt = await receiptOf(await ways[['votes', 'edited', 'revoked', 'answered'][i % 4]]());
		const flips = [];
		for (const part of ['protected', 'payload', 'signature']) {
			const bytes = Buffer.from(receipt[part], 'base64url');
			for (let bit = 0; bit < bytes.length * 8; bit += LONG ? 1 : 41) {
				const other = Buffer.from(bytes);
				other[bit >> 3] ^= 1 << (bit & 7);
				flips.push({ ...receipt, [part]: other.toString('base64url') });
			}
		}
		for (const flipped of flips) await assert.rejects(judged(flipped, jwks));
		tried += flips.length;
		/* A process each: some of them by our verb and the script, with a word each. */
		for (let at = 0; at < flips.length; at += Math.ceil(flips.length / 6)) {
			const ours = await verify(flips[at], jwks);
			assert.equal(ours.code, 1);
			assert.match(ours.word, /^(shape|alg|kid|signature)$/);
			const script = await scriptSays(folder, flips[at], jwks);
			assert.equal(script.code, 1, script.out);
		}
	}
});

test('each thing that is wrong has its word', async () => {
	const jwks = await keys();
	const receipt = await receiptOf(await ways.approved());
	const { privateKey, publicKey } = generateKeyPairSync('ed25519');
	const mine = await exportJWK(publicKey);
	const kid = await calculateJwkThumbprint(mine);
	const pinned = { keys: [{ ...mine, kid }] };
	const sign = (payload, head = {}) => new FlattenedSign(Buffer.from(JSON.stringify(payload)))
		.setProtectedHeader({ alg: 'EdDSA', kid, typ: 'parley-receipt', ...head }).sign(privateKey);
	const said = payloadOf(receipt);
	const word = async (r, k) => {
		const { code, word, stderr } = await verify(r, k);
		const script = await scriptSays(folder, r, k);
		assert.deepEqual([script.code, script.out], [code, code ? word : script.out]);
		const python = await pythonSays(folder, r, k);
		assert.deepEqual([python.code, python.out], [code, code ? word : python.out]);
		if (code) assert.ok(stderr.startsWith(`parley: ${word}: `), stderr);
		return code ? word : 'good';
	};
	assert.equal(await word(await sign(said), pinned), 'good');
	assert.equal(await word('{"protected":', pinned), 'shape');
	assert.equal(await word({ ...receipt, header: {} }, jwks), 'shape');
	assert.equal(await word({ ...receipt, signature: `${receipt.signature}=` }, jwks), 'shape');
	assert.equal(await word(await sign(said, { typ: 'JWT' }), pinned), 'alg');
	assert.equal(await word(await sign(said, { jwk: mine }), pinned), 'alg');
	assert.equal(await word(receipt, pinned), 'kid');
	assert.equal(await word(receipt, { keys: [{ ...jwks.keys[0], revoked: { at: 'x', reason: 'y' } }] }), 'revoked');
	assert.equal(await word({ ...receipt, payload: (await sign(said)).payload.replace(/^./, 'e'), signature: (await sign(said)).signature }, jwks), 'signature');
	assert.equal(await word(await sign({ ...said, reason: 'another' }), pinned), 'decision');
	assert.equal(await word(await sign({ ...said, event: { ...said.event, n: said.event.n + 1 } }), pinned), 'event');
	assert.equal(await word(await sign({ ...said, event: { ...said.event, hash: '0'.repeat(64) } }), pinned), 'event');
	/* Keys of other forms, and files that hold none. */
	const [jwk] = jwks.keys;
	assert.equal((await verify(receipt, jwk)).code, 0);
	assert.equal((await verify(receipt, pemOf(jwk))).code, 0);
	for (const form of [jwk, { ...jwk, kid: undefined }, pemOf(jwk)]) assert.equal((await scriptSays(folder, receipt, form)).code, 0);
	const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }), ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	for (const [bad, kind] of [[rsa.publicKey.export({ type: 'spki', format: 'pem' }), /RSA/], [await exportJWK(ec.publicKey), /P-256/],
		[privateKey.export({ type: 'pkcs8', format: 'pem' }), /PRIVATE KEY/], ['none', /neither JSON nor PEM/], [{ keys: [] }, /no key/]]) {
		const done = await verify(receipt, bad);
		assert.deepEqual([done.code, done.stdout], [2, '']);
		assert.match(done.stderr, kind);
	}
	const token = await verify(`${receipt.protected}.${receipt.payload}.${receipt.signature}`, jwks);
	assert.deepEqual([token.code, token.word], [1, 'shape']);
	assert.match(token.stderr, /--approval/);
});

test('a rotated key stays good, a revoked one does not; the present one signs', async () => {
	const ask = await ways.approved();
	const first = await receiptOf(ask);
	for (const who of [agent, member, admin]) assert.equal((await who.post('/v1/keys')).status, 403);
	const made = await owner.post('/v1/keys', {}, { headers: { 'idempotency-key': 'k1' } });
	assert.equal(made.status, 201);
	assert.equal((await owner.post('/v1/keys', {}, { headers: { 'idempotency-key': 'k1' } })).body.kid, made.body.kid);
	const second = await receiptOf(ask);
	let jwks = await keys();
	assert.deepEqual(jwks.keys.map((k) => k.until), [null, made.body.from]);
	await judged(first, jwks);
	await judged(second, jwks);
	assert.notDeepEqual(first, second);
	const [now, before] = jwks.keys;
	const path = `/v1/keys/${before.kid}/revoke`;
	assert.equal((await admin.post(path, { reason: 'x' })).status, 403);
	assert.equal((await owner.post(path, {})).status, 422);
	assert.equal((await owner.post('/v1/keys/none/revoke', { reason: 'x' })).status, 404);
	const gone = await owner.post(path, { reason: 'stolen' });
	assert.equal(gone.body.revoked.reason, 'stolen');
	assert.equal((await owner.post(path, { reason: 'again' })).status, 409);
	jwks = await keys();
	assert.equal((await verify(first, jwks)).word, 'revoked');
	assert.equal((await verify(second, jwks)).code, 0);
	/* The one that signs: another takes its place. */
	await good(await owner.post(`/v1/keys/${now.kid}/revoke`, { reason: 'too' }));
	jwks = await keys();
	assert.equal(jwks.keys.length, 3);
	const third = await receiptOf(ask);
	assert.equal((await verify(third, jwks)).code, 0);
	assert.equal((await verify(second, jwks)).word, 'revoked');
	const { items } = await admin.events(0, '&types=key.made,key.revoked');
	assert.deepEqual(items.map((e) => [e.type, e.data.kid]), [['key.made', before.kid], ['key.made', now.kid], ['key.revoked', before.kid], ['key.revoked', now.kid], ['key.made', jwks.keys[0].kid]]);
	assert.equal((await agent.events(0, '&types=key.made,key.revoked')).items.length, 0);
});

test('by shell', async () => {
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: owner.token };
	const ask = await ways.approved();
	const exported = await server.run(['key', 'export'], { env });
	const receipt = await server.run(['receipt', ask.id], { env });
	assert.deepEqual([exported.code, receipt.code], [0, 0], exported.stderr + receipt.stderr);
	const said = await verify(receipt.stdout, exported.stdout);
	assert.equal(said.code, 0, said.stderr);
	assert.match(said.stdout, /^Approved: .*shell/);
	assert.match(said.stdout, /By +mia/);
	const [signs] = (await server.run(['key', 'list'], { env })).stdout.split('\n');
	assert.match(signs, / signs$/);
	const rotated = await server.run(['key', 'rotate'], { env });
	assert.equal(rotated.code, 0, rotated.stderr);
	const revoked = await server.run(['key', 'revoke', signs.split(' ')[0], 'for', 'a', 'test'], { env });
	assert.equal(revoked.code, 0, revoked.stderr);
	assert.equal((await verify(receipt.stdout, await keys())).word, 'revoked');
	const open = await server.run(['receipt', (await agent.ask()).id], { env });
	assert.equal(open.code, 1, open.stderr);
});

test('another secret.key cannot open the key: 503, and the log says so; check is green', async () => {
	const ask = await ways.approved();
	const path = join(server.data, 'secret.key');
	await server.stop();
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout);
	const kept = readFileSync(path);
	rmSync(path);
	await server.start();
	const reply = await member.get(`/v1/asks/${ask.id}/receipt`);
	assert.deepEqual([reply.status, reply.body.type], [503, '/problems/no-key']);
	assert.equal((await member.get('/v1/keys')).status, 200);
	await until(() => /cannot open the key/.test(server.output));
	const doctor = await server.run(['doctor', '--data', server.data], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } });
	assert.match(doctor.stdout, /signing key: the server cannot open it/);
	await server.stop();
	writeFileSync(path, kept, { mode: 0o600 });
	await server.start();
	await receiptOf(ask);
});
