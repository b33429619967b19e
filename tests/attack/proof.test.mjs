// Attacks on what is proved and granted in advance: receipts, approvals for a target, signing keys, exports, mandates.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { scriptSays } from '../api/lib/proof.mjs';
import { useServer } from '../api/lib/server.mjs';
import { attacks, refused, without } from './lib/attacks.mjs';

const server = await useServer({ flags: ['--ask-rate', '0', '--session-rate', '0'] });
const { admin, agent, stranger, member, nobody } = server;
const viewer = await server.as('viewer', 'vic');
const folder = mkdtempSync(join(tmpdir(), 'parley-proof-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const NAME = 'deploy.example.org', KEY = 'sk-secret-0123456789abcdef', CANARY = 'only-for-builder-4417';
await admin.post('/v1/providers', { name: 'keyed', kind: 'openai', url: 'http://127.0.0.1:9/v1', key: KEY });
const operation = (n) => ({ type: 'tool', name: 'deploy', arguments: { env: 'prod', note: CANARY, n } });
const good = (reply) => { assert.ok(reply.status < 300, reply.text); return reply.body; };
let serial = 0;

/** An approval that was used for the target: its ask, operation and token. */
async function proved() {
	const op = operation(serial++), ask = await agent.ask({ kind: 'approval', operation: op });
	good(await member.answer(ask, { decision: 'approve' }));
	return { ask, op, token: good(await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest, for: NAME })).approval };
}
const two = [await proved(), await proved()];
const receipts = await Promise.all(two.map(async ({ ask }) => good(await member.get(`/v1/asks/${ask.id}/receipt`))));
const jwks = good(await agent.get('/v1/keys'));
await server.command('workspace', 'create', 'elsewhere');
const theirs = server.client(await server.token('agent', 'builder', ['--workspace', 'elsewhere']));
const eve = server.client(await server.token('owner', 'eve', ['--workspace', 'elsewhere']));

const [kid] = jwks.keys.map((key) => key.kid);
const hold = good(await admin.post('/v1/holds', { session: two[0].ask.session, reason: 'audit' }));

/* ---- changed texts ---- */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Another letter of base64url, not the last: its lowest bits may say nothing. */
function changed(a, text) {
	const at = a.below(text.length - 1), other = ALPHABET[(ALPHABET.indexOf(text[at]) + 1 + a.below(62)) % 64];
	return text.slice(0, at) + other + text.slice(at + 1);
}
const json = (part) => JSON.parse(Buffer.from(part, 'base64url'));
const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/* ---- approvals for a target ---- */

const redeem = (who, body) => who.post('/v1/approvals/redeem', body, { check: false });
attacks('approvals redeemed by others, for others, changed or mixed', { small: 16, long: 800 }, async (a) => {
	await a.all(() => {
		const [mine, other] = a.below(2) ? two : two.toReversed(), [head, claims, signature] = mine.token.split('.'), [, claims2, signature2] = other.token.split('.');
		const fit = { approval: mine.token, for: NAME, operation: mine.op }, receipt = receipts[two.indexOf(mine)];
		const [what, body, who = a.pick([stranger, agent, member, viewer, admin])] = a.pick([
			() => ['another operation', { ...fit, operation: other.op }], () => ['for another', { ...fit, for: a.pick([`${NAME}.`, NAME.toUpperCase(), `x${NAME}`, '*', 'org', ` ${NAME}`]) }],
			() => ['more arguments', { ...fit, operation: { ...mine.op, arguments: { ...mine.op.arguments, force: true } } }],
			() => ['another type', { ...fit, operation: { ...mine.op, type: a.pick(['command', 'mcp', 'plan', 'mandate']) } }],
			() => ['claims of another', { ...fit, operation: other.op, approval: `${head}.${claims2}.${signature}` }], () => ['a signature of another', { ...fit, approval: `${head}.${claims}.${signature2}` }],
			() => ['a changed claim', { ...fit, approval: `${head}.${base64({ ...json(claims), [a.pick(['sub', 'aud', 'by', 'exp', 'jti', 'ask', 'digest'])]: a.pick(['eve', 9e9, ['eve'], null]) })}.${signature}` }],
			() => ['a changed letter', { ...fit, approval: a.pick([`${changed(a, head)}.${claims}.${signature}`, `${head}.${changed(a, claims)}.${signature}`, `${head}.${claims}.${changed(a, signature)}`]) }],
			() => ['no signature', { ...fit, approval: a.pick([`${head}.${claims}.`, `${base64({ ...json(head), alg: 'none' })}.${claims}.`, `${base64({ alg: 'HS256', typ: 'parley-approval' })}.${claims}.${signature}`]) }],
			() => ['a receipt', { ...fit, approval: `${receipt.protected}.${receipt.payload}.${receipt.signature}` }], () => ['by another workspace', fit, a.pick([theirs, eve])], () => ['by nobody', fit, nobody],
			() => ['as another shape', { ...fit, approval: a.pick([[mine.token], { token: mine.token }, `Bearer ${mine.token}`, `${mine.token}\n`, mine.token.repeat(2), '']) }],
			() => ['another agent uses it', `/v1/asks/${mine.ask.id}/use`, stranger],
		])();
		return [`${what} ${JSON.stringify(body).slice(0, 300)}`, async () => {
			const reply = typeof body === 'string' ? await who.post(body, { digest: mine.ask.digest, for: NAME }, { check: false }) : await redeem(who, body);
			refused(reply, who === agent || who === member || who === admin || who === viewer ? [] : [CANARY]);
		}];
	});
	for (const { ask } of two) assert.ok(!(await admin.get(`/v1/asks/${ask.id}`)).body.redeemed_at, 'redeemed');
});

attacks('approvals used or redeemed twice, taken back, stopped', { small: 4, long: 200 }, async (a) => {
	await a.all(() => {
		const how = a.pick(['at once', 'used anew', 'for another', 'stopped', 'denied']);
		return [how, async () => {
			const one = await proved(), body = { approval: one.token, for: NAME, operation: one.op };
			const again = (to) => agent.post(`/v1/asks/${one.ask.id}/use`, { digest: one.ask.digest, for: to }, { check: false });
			if (how === 'used anew') refused(await again(NAME));
			if (how === 'for another') refused(await again('other.example.org'));
			if (how === 'stopped' || how === 'denied') {
				const [path, set] = how === 'stopped' ? ['/v1/stops', { reason: 'x', match: { session: one.ask.session } }] : ['/v1/rules', { effect: 'deny', match: { tool: ['deploy'], session: one.ask.session } }];
				const { id } = good(await admin.post(path, set));
				refused(await redeem(stranger, body));
				await admin.delete(`${path}/${id}`);
			}
			const all = await Promise.all([stranger, member, agent, stranger].map((who) => redeem(who, body)));
			assert.deepEqual(all.map(({ status }) => status).sort(), [200, 409, 409, 409]);
		}];
	});
});

/* ---- receipts ---- */

attacks('receipts changed or mixed: no judge takes them', { small: 12, long: 600 }, async (a) => {
	for (const receipt of receipts) assert.equal((await scriptSays(folder, receipt, jwks)).code, 0, 'as it came');
	await a.all(() => {
		const [mine, other] = a.below(2) ? receipts : receipts.toReversed(), said = json(mine.payload);
		const [what, forged, keys = jwks] = a.pick([
			() => ['a changed letter', { ...mine, [a.pick(['protected', 'payload', 'signature'])]: null }], () => ['parts of another', { ...mine, [a.pick(['payload', 'signature'])]: null, mixed: true }],
			() => ['another outcome', { ...mine, payload: base64({ ...said, status: 'skipped' }) }], () => ['another person', { ...mine, payload: base64({ ...said, answered_by: { kind: 'human', name: 'eve' } }) }],
			() => ['unsigned', { ...mine, protected: base64({ ...json(mine.protected), alg: a.pick(['none', 'HS256', 'ES256']) }) }],
			() => ['an approval as receipt', { protected: two[0].token.split('.')[0], payload: two[0].token.split('.')[1], signature: two[0].token.split('.')[2] }],
			() => ['other keys', mine, { keys: jwks.keys.map((key) => ({ ...key, x: changed(a, key.x) })) }], () => ['a revoked key', mine, { keys: jwks.keys.map((key) => ({ ...key, revoked: '2020-01-01T00:00:00.000Z' })) }],
			() => ['no keys', mine, { keys: [] }],
		])();
		const whole = Object.fromEntries(Object.entries(forged).filter(([name]) => name !== 'mixed').map(([name, value]) => [name, value ?? (forged.mixed ? other : { [name]: changed(a, mine[name]) })[name]]));
		return [`${what} ${JSON.stringify(whole).slice(0, 200)}`, async () => assert.notEqual((await scriptSays(folder, whole, keys)).code, 0)];
	});
	for (const who of [stranger, theirs, eve, nobody]) refused(await who.get(`/v1/asks/${two[0].ask.id}/receipt`, { check: false }), [CANARY]);
});

/* ---- keys, exports, holds, alerts, nodes ---- */

attacks('keys, exports and holds by who is no admin', { small: 14, long: 700 }, async (a) => {
	const state = async () => (await Promise.all(['/v1/keys', '/v1/holds', `/v1/sessions/${two[0].ask.session}`].map(async (path) => (await admin.get(path)).text))).join('\n');
	const before = await state();
	const queries = ['', '?after=0', '?from=2020-01-01T00:00:00Z', '?project=web', '?after=0&project=', '?limit=1', `?access_token=${server.secrets.admin}`, '?after=999999999'];
	await a.all(() => {
		const who = a.pick([agent, stranger, member, viewer, nobody, theirs]);
		const [method, path, body] = a.pick([() => [a.pick(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']), `/v1/export${a.pick(queries)}`], () => ['POST', '/v1/keys', {}], () => ['POST', `/v1/keys/${kid}/revoke`, { reason: 'x' }],
			() => ['POST', '/v1/holds', { project: 'web', reason: 'x' }], () => ['DELETE', `/v1/holds/${hold.id}`], () => ['GET', a.pick(['/v1/holds', `/v1/holds/${hold.id}`])], () => ['GET', '/v1/nodes'],
			() => ['POST', '/v1/alerts/alr_01m7m9pq9m0001d8sabww88gsb/ack', {}], () => ['DELETE', `/v1/sessions/${two[0].ask.session}`], () => ['PUT', '/v1/policy', { version: 1, mode: 'auto' }]])();
		const headers = a.pick([{}, {}, { 'parley-workspace': 'default' }, { 'x-http-method-override': 'GET' }, { 'parley-token': server.secrets.agent }]);
		return [`${method} ${path} ${JSON.stringify(headers)}`, async () => refused(await who.request(method, path, { body, headers, check: false }), [CANARY, KEY])];
	}, a.want - 4);
	assert.equal(await state(), before);
	/* What an admin is handed holds no secret either; an admin of elsewhere gets theirs alone. */
	for (const [who, secrets] of [[admin, [KEY, server.secrets.admin, server.secrets.agent, two[0].token]], [eve, [CANARY, KEY]]])
		for (const query of ['', '?after=0']) await a.one(`export${query}`, async () => without(await who.get(`/v1/export${query}`, { check: false }), secrets));
});

/* ---- mandates ---- */

const line = (more = {}) => ({ key: 'close', tool: ['mcp__github__close_issue'], uses: 5, arguments: { '/repo': { is: 'web' } }, sum: { pointer: '/amount', max: 10 }, risk: 'medium', ...more });
attacks('mandates widened, granted or ended by who may not, drawn by others', { small: 14, long: 700 }, async (a) => {
	const { version } = good(await admin.get('/v1/policy'));
	good(await admin.put('/v1/policy', { version, mode: 'manual', auto_approve_low: false }));
	const session = async (who) => good(await who.post('/v1/sessions', { title: 'Work', parallel: true })).id;
	const asked = async () => good(await agent.post('/v1/mandates', { title: 'Close', session: await session(agent), until: '1h', lines: [line()] }));
	const waits = await asked(), live = await asked(), elsewhere = await session(agent), foreign = await session(stranger);
	good(await member.post(`/v1/asks/${live.ask}/answer`, { answer: 'approve' }));
	const state = async () => JSON.stringify((await Promise.all([waits, live].map(async ({ id }) => {
		const { status, lines, until, granted_by, ended } = (await admin.get(`/v1/mandates/${id}`)).body;
		return { status, lines, until, granted_by, ended };
	}))));
	const before = await state();
	const grant = (lines, until = waits.until) => ['POST', `/v1/asks/${waits.ask}/answer`, { answer: { value: 'approve', arguments: { lines, until } } }];
	const call = (args, name = 'mcp__github__close_issue', more = {}) => ['POST', '/v1/decide', { operation: { type: 'mcp', name, arguments: args, ...more }, session: live.session }];
	await a.all(() => {
		const [what, who, [method, path, body]] = a.pick([
			() => ['wider', a.pick([member, admin]), grant([line(a.pick([{ uses: 6 }, { uses: 1001 }, { tool: ['mcp__github__*'] }, { tool: ['mcp__github__close_issue', 'mcp__github__drop'] }, { arguments: {} }, { arguments: undefined }, { risk: 'high' },
				{ sum: { pointer: '/amount', max: 10.000001 } }, { sum: { pointer: '/other', max: 10 } }, { sum: undefined }, { key: 'other' }, { arguments: { '/repo': { in: ['web', 'api'] } } }]))])],
			() => ['longer', a.pick([member, admin]), grant([line()], new Date(Date.parse(waits.until) + 1000 + a.below(1e9)).toISOString())],
			() => ['a line more', a.pick([member, admin]), grant([line(), line({ key: 'more' })])], () => ['granted', a.pick([agent, stranger, viewer, theirs, eve, nobody]), grant([line()])],
			() => ['ended', a.pick([stranger, viewer, theirs, eve, nobody]), ['POST', `/v1/mandates/${a.pick([waits, live]).id}/revoke`, {}]],
			() => ['seen', a.pick([stranger, theirs, eve, nobody]), ['GET', `/v1/mandates/${live.id}`]],
			() => ['in a session of another', stranger, ['POST', '/v1/mandates', { title: 'x', session: live.session, lines: [line()] }]],
			() => ['drawn for another', stranger, ['POST', '/v1/decide', { operation: { type: 'mcp', name: 'mcp__github__close_issue', arguments: { repo: 'web', amount: 1 } }, session: a.pick([foreign, live.session]) }]],
			() => ['drawn elsewhere', agent, ['POST', '/v1/decide', { operation: { type: 'mcp', name: 'mcp__github__close_issue', arguments: { repo: 'web', amount: 1 } }, session: elsewhere }]],
			() => ['another repository', agent, call({ repo: a.pick(['api', 'web ', 'WEB', ['web'], { is: 'web' }, null, 'web\u0000']), amount: 1 })],
			() => ['another amount', agent, call({ repo: 'web', amount: a.pick([10.01, -1, '1', null, [1], 1e308, 1e-9, true]) })], () => ['no amount', agent, call({ repo: 'web' })],
			() => ['another name', agent, call({ repo: 'web', amount: 1 }, a.pick(['mcp__github__close_issues', 'mcp__GITHUB__close_issue', 'mcp__github__close_issue ', 'close_issue', 'mcp__github__*']))],
			() => ['graver', agent, call({ repo: 'web', amount: 1 }, undefined, { risk: a.pick(['high', 'critical']) })],
			() => ['a mandate by itself', agent, call({ repo: 'web', amount: 1 }, undefined, { type: a.pick(['plan', 'mandate']) })],
		])();
		return [`${what}: ${path} ${JSON.stringify(body ?? null).slice(0, 300)}`, async () => {
			const reply = await who.request(method, path, { body: method === 'GET' ? undefined : body, check: false });
			if (reply.status === 200) assert.notEqual(reply.body.effect ?? 'allow', 'allow', reply.text);
			else refused(reply);
		}];
	});
	assert.equal(await state(), before);
});
