// When will somebody answer: by how long it took before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer, until } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const ask = (kind, project, extra = {}) => agent.ask({ kind, project, questions: [{ key: 'go', type: 'boolean', text: 'Go?' }], ...extra });
const expected = async (query = '', who = agent) => {
	const reply = await who.get(`/v1/expect${query}`);
	assert.equal(reply.status, 200, reply.text);
	return reply.body;
};

test('nothing is foretold of nothing', async () => {
	const none = await expected('?kind=blocking&project=shop');
	assert.deepEqual([none.p50_s, none.p90_s, none.samples, none.basis, none.present, none.reachable], [null, null, 0, null, 0, 0]);
	const reply = await agent.get('/v1/expect?kind=odd');
	assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, '/kind']);
});

test('the narrowest basis that is sure counts, and what expired is longer than all', async () => {
	const open = [];
	for (let i = 0; i < 20; i++) open.push(await ask('non_blocking', 'shop'));
	for (const one of open.slice(0, 10)) { server.jump(1000); await member.answer(one, { go: true }); }
	const few = await expected('?kind=non_blocking&project=shop');
	assert.deepEqual([few.basis, few.samples], ['all', 10], 'the widest, where none is sure');
	for (const one of open.slice(10)) { server.jump(1000); await member.post(`/v1/asks/${one.id}/skip`); }
	const sure = await expected('?kind=non_blocking&project=shop');
	assert.deepEqual([sure.basis, sure.samples], ['project+kind+hour', 20]);
	assert.ok(sure.p50_s >= 11 && sure.p90_s >= 19 && sure.p90_s > sure.p50_s, JSON.stringify(sure));
	assert.match(sure.text, /^Usually answered within \d+ (s|min), 9 of 10 within \d+ (s|min)\.$/);
	const said = async (lang) => (await server.run(['expect', '--kind', 'non_blocking', '--project', 'shop', '--lang', lang],
		{ env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } })).stdout;
	assert.equal((await said('en')).replaceAll('\u00a0', ' '), `${sure.text}\n`);
	assert.match(await said('fr'), /^Réponse habituelle en moins de \d+\s(s|min), 9 fois sur 10 en moins de \d+\s(s|min)\.\n$/);
	const french = (await agent.get('/v1/expect?kind=non_blocking&project=shop', { headers: { 'accept-language': 'fr' } })).body.text;
	assert.equal(french, (await said('fr')).trim(), 'the API says it in the language of who asks');
	assert.equal((await expected('?kind=non_blocking')).basis, 'kind');
	assert.equal((await expected('?kind=blocking&project=shop')).basis, 'all');
	const late = [];
	for (let i = 0; i < 5; i++) late.push(await ask('non_blocking', 'shop', { timeout: '60s' }));
	await agent.post(`/v1/asks/${(await ask('non_blocking', 'shop')).id}/cancel`);
	server.jump(61_000);
	for (const one of late) await until(async () => (await agent.read(one)).status === 'expired');
	const worse = await expected('?kind=non_blocking&project=shop');
	assert.deepEqual([worse.samples, worse.p90_s], [25, null], 'cancelled ones do not count');
	assert.ok(worse.p50_s >= 10);
});

test('replies with one pending ask carry it, lists and events do not', async () => {
	server.jump(61_000);
	await ask('non_blocking', 'shop');
	const one = await until(async () => {
		const reply = await ask('non_blocking', 'shop');
		return reply.expect.samples === 25 && reply;
	});
	assert.deepEqual(Object.keys(one.expect), ['p50_s', 'p90_s', 'samples', 'text']);
	assert.deepEqual((await agent.read(one)).expect, one.expect);
	const french = await agent.get(`/v1/asks/${one.id}`, { headers: { 'accept-language': 'fr' } });
	assert.match(french.body.expect.text, /^Réponse habituelle en moins de \d+\s(s|min)\.$/);
	const fresh = await agent.post('/v1/decide', { operation: { name: 'Bash', arguments: { command: 'sudo halt' } } }, { headers: { 'accept-language': 'fr' } });
	assert.match(fresh.body.expect.text, /[Rr]éponse/);
	const { items } = (await member.get('/v1/asks')).body;
	assert.ok(items.length && items.every((item) => !('expect' in item)));
	const settled = (await member.post(`/v1/asks/${one.id}/answer`, { answers: { go: true } })).body;
	assert.ok(!('expect' in settled.ask));
	const decide = (await agent.post('/v1/decide', { operation: { name: 'Bash', arguments: { command: 'sudo reboot' } }, project: 'shop' })).body;
	assert.deepEqual([decide.effect, 'samples' in decide.expect], ['ask', true]);
	await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['never'] } });
	assert.ok(!('expect' in (await agent.post('/v1/decide', { operation: { name: 'never', arguments: {} } })).body));
});

test('who is in sight is present', async () => {
	const before = await expected();
	const user = (await admin.post('/v1/users', { name: 'present', role: 'member' })).body;
	const login = await server.nobody.post('/v1/login', { code: user.login.split('#')[1] });
	const cookie = login.headers['set-cookie'][0].split(';')[0];
	const seen = await server.nobody.post('/v1/me/present', {}, { headers: { cookie, origin: server.url } });
	assert.equal(seen.status, 204, seen.text);
	const now = await expected();
	assert.deepEqual([now.present - before.present, now.reachable - before.reachable], [1, 1]);
	server.jump(120_000);
	assert.equal((await expected()).present, before.present);
});
