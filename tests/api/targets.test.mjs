// Approvals that are proved to the target: the token, our verb, an example server, and redeeming here.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { calculateJwkThumbprint, CompactSign, exportJWK } from 'jose';
import { random } from '../lib/random.mjs';
import { claimsOf, pemOf } from './lib/proof.mjs';
import { pointers } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1', FORGERIES = LONG ? 5000 : 90, RACED = LONG ? 500 : 8, TIMES = LONG ? 100 : 2;
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6), below = random(SEED);
const TTL_S = LONG ? 3600 : 120; // forgeries of the long form take more than two minutes
const folder = mkdtempSync(join(tmpdir(), 'parley-targets-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const server = await useServer({ flags: ['--ask-rate', '100000', '--approval-ttl', `${TTL_S}s`] });
const { agent, stranger, member, admin } = server;
const other = await server.as('member', 'max');
const NAME = 'deploy.example.org';
const operation = { type: 'tool', name: 'deploy', arguments: { env: 'prod', n: 3 } };
const jwks = (await agent.get('/v1/keys')).body;
const keyFile = join(folder, 'keys.json');
writeFileSync(keyFile, JSON.stringify(jwks));

const approved = async (body = {}, answer = 'approve') => {
	const ask = await agent.ask({ kind: 'approval', operation, ...body });
	const reply = await member.answer(ask, { decision: answer });
	assert.equal(reply.status, 200, reply.text);
	return reply.body.ask;
};
const use = (ask, more = { for: NAME }, who = agent) => who.post(`/v1/asks/${ask.id}/use`, { digest: ask.approved_digest ?? ask.digest, ...more });
const token = async (...args) => {
	const reply = await use(await approved(...args));
	assert.equal(reply.status, 200, reply.text);
	return reply.body.approval;
};
const redeem = (approval, more = {}, who = stranger, headers = {}) => who.post('/v1/approvals/redeem', { approval, for: NAME, operation, ...more }, { headers });
const verify = async (approval, { op = operation, name = NAME, keys = keyFile, used, env } = {}) => {
	const file = join(folder, 'operation.json');
	writeFileSync(file, JSON.stringify(op));
	const done = await server.run(['verify', '--approval', '-', '--operation', file, '--for', name, '--key', keys, ...(used ? ['--used', used] : [])], { input: approval, env });
	return done.code ? done.stdout.trim() || done.stderr : 'good';
};

/** What an agent of another workspace got for the same operation. */
async function foreignToken() {
	await server.command('workspace', 'create', 'other');
	const [theirs, someone] = [server.client(await server.token('agent', 'builder', ['--workspace', 'other'])), server.client(await server.token('member', 'mo', ['--workspace', 'other']))];
	const ask = await theirs.ask({ kind: 'approval', operation });
	const reply = await someone.answer(ask, { decision: 'approve' });
	return (await use(reply.body.ask, { for: NAME }, theirs)).body.approval;
}

test('use with a target gives a token that says who, what, for whom, and no arguments', async () => {
	const ask = await approved({ require: [{ approvals: 1 }] });
	const reply = await use(ask);
	assert.equal(reply.status, 200, reply.text);
	assert.equal(reply.body.used_for, NAME);
	const claims = await claimsOf(reply.body.approval, jwks);
	assert.match(claims.jti, /^apv_/);
	assert.deepEqual({ ...claims, jti: 0, iat: 0, exp: claims.exp - claims.iat, decision: 0 },
		{ typ: 'parley-approval', iss: server.url, aud: NAME, sub: 'builder', jti: 0, iat: 0, exp: TTL_S, workspace: 'default', ask: ask.id,
			session: ask.session, digest: ask.digest, type: 'tool', name: 'deploy', risk: 'medium', by: ['mia'], decision: 0 });
	const again = await use(ask);
	assert.equal(again.status, 409);
	assert.equal(again.body.ask.approval, undefined);
	assert.equal((await member.read(ask)).approval, undefined);
	assert.equal((await use(await approved(), {})).body.approval, undefined);
});

test('whose approvals: of all who voted; what was edited is what it proves', async () => {
	const ask = await agent.ask({ kind: 'approval', operation, require: [{ approvals: 2 }] });
	await member.answer(ask, { decision: 'approve' });
	await other.answer(ask, { decision: 'approve' });
	const { body } = await use((await member.get(`/v1/asks/${ask.id}`)).body);
	assert.deepEqual((await claimsOf(body.approval, jwks)).by, ['mia', 'max']);
	const edited = await token({}, { value: 'approve', arguments: { env: 'staging', n: 1 } });
	assert.equal(await verify(edited), 'digest');
	assert.equal(await verify(edited, { op: { ...operation, arguments: { env: 'staging', n: 1 } } }), 'good');
});

test('a wrong target is refused with its pointer', async () => {
	const ask = await approved();
	for (const bad of ['', 'a b', 'é', 'x'.repeat(201), 7, ['a']]) {
		const reply = await use(ask, { for: bad });
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/for']]);
	}
	const plain = await agent.ask({ kind: 'approval', title: 'May I?' }).catch(() => null);
	if (plain) {
		await member.answer(plain, { decision: 'approve' });
		assert.equal((await use({ ...plain, digest: 'sha256:0' })).status, 422);
	}
	assert.equal((await use(ask, { for: 'x'.repeat(200) })).status, 200);
});

test('redeemed once, by whatever token and target; then used', async () => {
	const ask = await approved();
	const { approval } = (await use(ask)).body;
	const { jti } = await claimsOf(approval, jwks);
	const first = await redeem(approval, {}, stranger, { 'idempotency-key': 'r1' });
	assert.deepEqual([first.status, first.body], [200, { jti, ask: ask.id }], first.text);
	assert.deepEqual((await redeem(approval, {}, stranger, { 'idempotency-key': 'r1' })).body, first.body);
	const again = await redeem(approval, {}, member);
	assert.deepEqual([again.status, again.body.type], [409, '/problems/used']);
	assert.ok((await member.read(ask)).redeemed_at);
	const [event] = (await agent.events(0, '&types=approval.redeemed')).items.slice(-1);
	assert.deepEqual([event.ask, event.data.jti, event.data.for], [ask.id, jti, NAME]);
	assert.equal((await stranger.events(0, '&types=approval.redeemed')).items.length, 0);
	for (const bad of [{ for: undefined }, { for: 'a b' }, { operation: undefined }, { operation: 'x' }, { approval: 5 }])
		assert.equal((await redeem(approval, bad)).status, 422, JSON.stringify(bad));
});

test('races for one token have one winner', async () => {
	for (let i = 0; i < RACED; i++) {
		const approval = await token();
		const replies = await Promise.all([stranger, member, admin, agent].map((who) => redeem(approval, {}, who)));
		assert.deepEqual(replies.map((r) => r.status).sort(), [200, 409, 409, 409]);
	}
});

test('a stop or a deny since holds it back, and it is not used up', async () => {
	const approval = await token();
	const stop = (await member.post('/v1/stops', { reason: 'incident now', match: { agent: 'builder' } })).body;
	const stopped = await redeem(approval);
	assert.deepEqual([stopped.status, stopped.body.type, stopped.body.ask], [409, '/problems/stopped', undefined]);
	await admin.delete(`/v1/stops/${stop.id}`);
	const rule = (await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['deploy'] } })).body;
	const denied = await redeem(approval, {}, member);
	assert.deepEqual([denied.status, denied.body.type, denied.body.ask.kind], [409, '/problems/denied', 'approval']);
	await admin.delete(`/v1/rules/${rule.id}`);
	assert.equal((await redeem(approval)).status, 200);
});

/** docs/deploy-server.mjs while fn runs. fn(deploy): deploy(token, body) → what it says */
async function withTarget(fn) {
	const script = fileURLToPath(new URL('../../docs/deploy-server.mjs', import.meta.url));
	const target = spawn(process.execPath, [script, NAME, keyFile], { stdio: ['ignore', 'pipe', 'inherit'] });
	try {
		const port = Number(await new Promise((done) => target.stdout.once('data', done)));
		return await fn(async (approval, body = { env: 'prod' }) => {
			const reply = await fetch(`http://127.0.0.1:${port}/deploy`, { method: 'POST', body: JSON.stringify(body), headers: approval ? { 'parley-approval': approval } : {} });
			return `${reply.status} ${await reply.text()}`;
		});
	} finally {
		target.kill();
	}
}

test('forgeries: none is taken, each has its word, here and at the target', async () => {
	const good = await token(), [head, body, signature] = good.split('.');
	const claims = JSON.parse(Buffer.from(body, 'base64url'));
	const { privateKey, publicKey } = generateKeyPairSync('ed25519');
	const jwk = await exportJWK(publicKey), [own] = jwks.keys;
	const enc = (v) => Buffer.from(typeof v === 'string' ? v : JSON.stringify(v)).toString('base64url');
	const signed = (c, h = {}) => new CompactSign(Buffer.from(JSON.stringify(c))).setProtectedHeader({ alg: 'EdDSA', kid: own.kid, typ: 'parley-approval', ...h }).sign(privateKey);
	const hs256 = (secret) => {
		const over = `${enc({ alg: 'HS256', kid: own.kid, typ: 'parley-approval' })}.${body}`;
		return `${over}.${createHmac('sha256', secret).update(over).digest('base64url')}`;
	};
	const flip = (part, at) => {
		const bytes = Buffer.from(part, 'base64url');
		bytes[at % bytes.length] ^= 1 << (at % 8);
		return bytes.toString('base64url');
	};
	/* A token of another workspace at the same server, for the same target and operation. */
	const foreign = await foreignToken();
	const with_ = (claim, value) => ({ ...claims, [claim]: value });
	const place = (text, piece) => { const at = below(text.length + 1); return text.slice(0, at) + piece + text.slice(at); };
	const repeated = (object) => { const names = Object.keys(object), name = names[below(names.length)]; return `{${JSON.stringify(name)}:${JSON.stringify(object[name])},${JSON.stringify(object).slice(1)}`; };
	const header = { alg: 'EdDSA', kid: own.kid, typ: 'parley-approval' };
	const claim = () => { const names = Object.keys(claims); return names[below(names.length)]; };
	const kinds = [
		() => ['alg', `${enc({ ...header, alg: ['none', 'None', 'NONE', 'nOnE'][below(4)] })}.${body}.${signature}`],
		() => ['shape', `${enc({ alg: 'none', typ: 'parley-approval' })}.${body}.`],
		() => [/shape|alg/, hs256(pemOf(own))],
		() => [/shape|alg/, hs256(Buffer.from(own.x, 'base64url'))],
		async () => ['alg', await signed(claims, [{ jwk }, { x5u: 'https://evil.example/key' }, { jku: 'https://evil.example/keys' }, { x5c: ['MAA='] }][below(4)])],
		() => ['alg', `${enc({ ...header, crit: ['exp'], exp: below(1e9) })}.${body}.${signature}`],
		async () => ['alg', await signed(claims, { typ: ['parley-receipt', 'parley-export', 'JWT', 'at+jwt'][below(4)] })],
		async () => ['kid', await signed(claims, { kid: below(2) ? await calculateJwkThumbprint(jwk) : flip(own.kid, below(1000)) })],
		() => ['kid', foreign],
		async () => ['signature', await signed(claims)],
		async () => ['signature', await signed(with_('workspace', `other${below(1000)}`))],
		async () => ['signature', await signed(with_('aud', `other${below(1000)}.example.org`))],
		() => ['signature', `${head}.${enc(with_('exp', claims.exp + 1 + below(1e6)))}.${signature}`],
		() => { const name = claim(); return ['signature', `${head}.${enc(with_(name, typeof claims[name] === 'number' ? claims[name] + 1 + below(99) : name === 'by' ? ['eve'] : `${claims[name]}${below(10)}`))}.${signature}`]; },
		() => ['shape', `${good}${'='.repeat(1 + below(3))}`],
		() => ['shape', `${head}.${body}=.${signature}`],
		() => ['shape', [`${head}.${body}`, `${good}.${signature}`, `${good}.`, `.${good}`, `${head}..${signature}`, '', '..'][below(7)]],
		() => ['shape', place(good, ['=', '+', '/', ' ', '\n', 'é', '..'][below(7)])],
		() => ['shape', `${enc(repeated(header))}.${body}.${signature}`],
		() => ['shape', `${head}.${enc(repeated(claims))}.${signature}`],
		() => ['shape', JSON.stringify({ protected: head, payload: body, signature })],
		() => ['signature', `${head}.${body}.${flip(signature, below(1e6))}`],
		() => [/shape|signature/, `${head}.${flip(body, below(1e6))}.${signature}`],
		() => [/shape|alg|kid|signature/, `${flip(head, below(1e6))}.${body}.${signature}`],
		/* The token is good; the operation differs in a byte, or the target's name. */
		() => { const changed = structuredClone(operation), at = below(3); if (at === 0) changed.name = place('deploy', 'x'); else if (at === 1) changed.arguments.env = place('prod', 'x'); else changed.arguments.n += 1 + below(9); return ['digest', good, { operation: changed }]; },
		() => ['digest', good, { operation: { ...operation, arguments: { ...operation.arguments, [`x${below(99)}`]: null } } }],
		() => ['aud', good, { for: place(NAME, 'x') }],
	];
	await withTarget(async (deploy) => {
		for (let i = 0; i < FORGERIES; i++) {
			const [word, forged, more = {}] = await kinds[i % kinds.length]();
			const reply = await redeem(forged, more);
			assert.deepEqual([reply.status, reply.body.type], [403, '/problems/approval'], `${SEED}, ${i}: ${reply.text}`);
			if (word instanceof RegExp) assert.match(reply.body.reason, word);
			else assert.equal(reply.body.reason, word, `${SEED}, ${i}: ${forged}`);
			if (i < kinds.length) assert.equal(await verify(forged, { op: more.operation, name: more.for }), reply.body.reason, forged);
			/* What cannot be sent as a header never comes there. */
			if (!/[^\x20-\x7e]/.test(forged) && !more.for && (more.operation?.name ?? 'deploy') === 'deploy') assert.match(await deploy(forged, more.operation?.arguments ?? { env: 'prod', n: 3 }), /^403 /, forged);
		}
	});
	if (LONG) console.log(`# seed ${SEED}: ${FORGERIES} forgeries of ${kinds.length} kinds`);
	/* The token is good; what is asked of the target is not what was approved, or not now. */
	for (const [word, more] of [['digest', { operation: { ...operation, name: 'deploY' } }], ['digest', { operation: { ...operation, type: 'command' } }]]) {
		const reply = await redeem(good, more);
		assert.deepEqual([reply.status, reply.body.reason], [403, word], reply.text);
		assert.equal(await verify(good, { op: more.operation, name: more.for }), word);
	}
	assert.equal((await redeem(good)).status, 200, 'nothing was used up by what was refused');
	/* Too early by more than 30 s, too late from its last second on. */
	for (let i = 0; i < TIMES; i++) {
		const fresh = await token();
		const early = 40_000 + below(3600_000), late = (TTL_S + 1) * 1000 + below(3600_000);
		for (const ms of below(2) ? [-early, early + late] : [late, -late - early]) {
			server.jump(ms);
			assert.equal((await redeem(fresh)).body.reason, 'exp', `${SEED}, ${i}: ${ms}`);
			if (!i) assert.equal(await verify(fresh), 'exp');
		}
		server.jump(-server.offset);
		assert.equal((await redeem(fresh)).status, 200);
	}
	assert.ok(createPublicKey(pemOf(own)));
});

test('our verb takes a token once in a folder', async () => {
	const approval = await token(), used = join(folder, 'used');
	mkdirSync(used);
	assert.equal(await verify(approval, { used }), 'good');
	assert.equal(await verify(approval, { used }), 'once');
	assert.equal(readdirSync(used).length, 1);
	server.jump((TTL_S + 80) * 1000);
	assert.equal(await verify(await token(), { used }), 'good');
	assert.equal(readdirSync(used).length, 1, 'what expired is gone');
});

test('a name that is no target is refused before a person is asked, in both languages', async () => {
	const open = async () => (await member.get('/v1/asks?limit=200')).body.items.length;
	const before = await open();
	for (const [lang, says] of [['en', /--for takes the name of the target/], ['fr', /--for attend le nom de la cible/]]) {
		for (const name of ['a b', 'é', '', 'x'.repeat(201)]) {
			const done = await server.run(['request', '--tool', 'deploy', '--for', name], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: agent.token, PARLEY_LANG: lang }, timeout: 20_000 });
			assert.equal(done.code, 2, done.stderr);
			assert.match(done.stderr, says);
		}
	}
	assert.equal(await open(), before);
});

test('approve --for prints the token alone, which an example server takes once', async () => {
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: agent.token };
	await withTarget(async (deploy) => {
		const decide = async (verb, decision) => {
			const asking = server.run([verb, '--tool', 'deploy', '--arg', 'env=prod', '--for', NAME], { env });
			let items = [];
			for (let i = 0; !items.length && i < 500; i++) ({ items } = (await member.get('/v1/asks?agent=builder&kind=approval')).body);
			await member.answer(items[0], { decision });
			return asking;
		};
		server.offset && server.jump(-server.offset); // the target has the real time
		const yes = await decide('approve', 'approve');
		assert.equal(yes.code, 0, yes.stderr);
		const approval = yes.stdout.trim();
		assert.equal(approval.split('.').length, 3);
		assert.equal(await deploy(null), '403 shape');
		assert.equal(await deploy(approval, { env: 'staging' }), '403 digest');
		assert.equal(await deploy(approval), '200 deployed {"env":"prod"}');
		assert.equal(await deploy(approval), '403 once');
		const no = await decide('request', 'reject');
		assert.deepEqual([no.code, no.stdout], [1, '']);
	});
});
