// Users, their logins, and tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, member, nobody } = server;

let count = 0;
const add = async (body = {}) => {
	const reply = await admin.post('/v1/users', { name: `user-${count++}`, role: 'member', ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const codeOf = (user) => user.login.split('#')[1];

/** Logs in; → {status, me, cookie, get, post} with that cookie. */
async function login(body) {
	const reply = await nobody.post('/v1/login', body);
	const set = reply.headers['set-cookie']?.[0] ?? '';
	const cookie = set.split(';')[0];
	const headers = { cookie, origin: server.url };
	return { status: reply.status, me: reply.body, cookie, set,
		get: (path) => nobody.get(path, { headers: { cookie } }),
		post: (path, data = {}, extra = {}) => nobody.post(path, data,
			{ headers: { ...headers, ...extra } }) };
}

test('a new user has a login link and no password', async () => {
	const user = await add({ name: 'Quinn', role: 'viewer' });
	assert.deepEqual([user.name, user.role, user.has_password, user.disabled],
		['Quinn', 'viewer', false, false]);
	assert.match(user.login, /^\/login#.+/);
});

test('a user is a member unless said otherwise', async () => {
	const reply = await admin.post('/v1/users', { name: 'plain' });
	assert.deepEqual([reply.status, reply.body.role], [201, 'member']);
});

test('people change their own name, password and language, and no more', async () => {
	const user = await add();
	const session = await login({ code: codeOf(user) });
	const change = (body) => nobody.request('PATCH', `/v1/users/${user.id}`, { body,
		headers: { cookie: session.cookie, origin: server.url } });
	assert.equal((await change({ password: 'correct horse', language: 'fr' })).status, 200);
	assert.equal((await session.get('/v1/me')).body.language, 'fr');
	for (const body of [{ role: 'admin' }, { disabled: false }, { login: true }]) {
		assert.equal((await change(body)).status, 403, JSON.stringify(body));
	}
});

test('an admin makes no owner, and does not touch one', async () => {
	assert.equal((await admin.post('/v1/users', { name: 'usurper', role: 'owner' })).status, 403);
	assert.equal((await admin.post('/v1/tokens', { name: 'usurper', role: 'owner' })).status, 403);
	const { items } = (await admin.get('/v1/users?limit=200')).body;
	const owner = items.find((u) => u.role === 'owner');
	assert.equal((await admin.patch(`/v1/users/${owner.id}`, { role: 'viewer' })).status, 403);
	assert.equal((await admin.delete(`/v1/users/${owner.id}`)).status, 403);
});

test('users are listed, without their links', async () => {
	const user = await add();
	const { items } = (await admin.get('/v1/users?limit=200')).body;
	const found = items.find((u) => u.id === user.id);
	assert.equal(found.name, user.name);
	assert.equal(found.login, undefined);
});

test('a name is taken once', async () => {
	const user = await add();
	const reply = await admin.post('/v1/users', { name: user.name, role: 'member' });
	assert.equal(reply.status, 409);
});

for (const body of [{}, { role: 'member' }, { name: '', role: 'member' },
	{ name: 'x', role: 'king' }, { name: 'x', role: 'agent' }, { name: 'x', role: 'member', a: 1 }]) {
	test(`a user of ${JSON.stringify(body)} is 422`, async () => {
		assert.equal((await admin.post('/v1/users', body)).status, 422);
	});
}

test('a login link logs in once and sets a cookie that scripts cannot read', async () => {
	const user = await add();
	const session = await login({ code: codeOf(user) });
	assert.equal(session.status, 200);
	assert.deepEqual([session.me.user.id, session.me.name, session.me.role, session.me.token],
		[user.id, user.name, 'member', null]);
	assert.match(session.set, /HttpOnly/i);
	assert.match(session.set, /SameSite=(Strict|Lax)/i);
	assert.equal((await session.get('/v1/me')).status, 200);
	assert.equal((await login({ code: codeOf(user) })).status, 401);
});

test('a wrong code is 401', async () => {
	assert.equal((await login({ code: 'nonsense' })).status, 401);
});

for (const body of [{}, { code: 5 }, { name: 'x' }, { password: 'x' }, { code: 'x', name: 'y' }]) {
	test(`a login of ${JSON.stringify(body)} is 422`, async () => {
		assert.equal((await login(body)).status, 422);
	});
}

test('name and password log in', async () => {
	const user = await add({ password: 'correct horse' });
	assert.equal(user.has_password, true);
	assert.equal((await login({ name: user.name, password: 'correct horse' })).status, 200);
	assert.equal((await login({ name: user.name, password: 'correct house' })).status, 401);
	assert.equal((await login({ name: 'no-such-user', password: 'correct horse' })).status, 401);
});

test('logout ends the login', async () => {
	const session = await login({ code: codeOf(await add()) });
	assert.equal((await session.post('/v1/logout')).status, 204);
	assert.equal((await session.get('/v1/me')).status, 401);
});

test('an answer by cookie names the user, and came by web', async () => {
	const user = await add();
	const session = await login({ code: codeOf(user) });
	const ask = await agent.ask();
	const reply = await session.post(`/v1/asks/${ask.id}/answer`, { answers: { q1: true } });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.ask.answered_by,
		{ kind: 'human', user: user.id, name: user.name, via: 'web' });
});

test('a cookie with a foreign Origin settles nothing', async () => {
	const session = await login({ code: codeOf(await add()) });
	const ask = await agent.ask();
	const reply = await session.post(`/v1/asks/${ask.id}/answer`, { answers: { q1: true } },
		{ origin: 'http://evil.example' });
	assert.equal(reply.status, 403);
	assert.equal((await member.read(ask)).status, 'pending');
});

test('a cookie does not ask with a plain body: forms could send it', async () => {
	const session = await login({ code: codeOf(await add()) });
	for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
		const reply = await nobody.request('POST', '/v1/asks', { body: 'Go?', type,
			headers: { cookie: session.cookie, origin: server.url } });
		assert.ok([401, 403, 415].includes(reply.status), String(reply.status));
	}
});

test('a viewer by cookie reads and does not answer', async () => {
	const session = await login({ code: codeOf(await add({ role: 'viewer' })) });
	const ask = await agent.ask();
	assert.equal((await session.get(`/v1/asks/${ask.id}`)).status, 200);
	const reply = await session.post(`/v1/asks/${ask.id}/answer`, { answers: { q1: true } });
	assert.equal(reply.status, 403);
});

test('PATCH changes name, role and password', async () => {
	const user = await add();
	const path = `/v1/users/${user.id}`;
	const name = `renamed-${user.name}`;
	const reply = await admin.patch(path, { name, role: 'viewer', password: 'battery staple' });
	assert.equal(reply.status, 200);
	assert.deepEqual([reply.body.name, reply.body.role, reply.body.has_password],
		[name, 'viewer', true]);
	assert.equal((await login({ name, password: 'battery staple' })).status, 200);
});

test('PATCH makes a new login link', async () => {
	const user = await add();
	const again = (await admin.patch(`/v1/users/${user.id}`, { login: true })).body;
	assert.notEqual(again.login, user.login);
	assert.equal((await login({ code: codeOf(again) })).status, 200);
});

test('a disabled user is out, at once, and in again when enabled', async () => {
	const user = await add({ password: 'correct horse' });
	const session = await login({ name: user.name, password: 'correct horse' });
	assert.equal((await admin.patch(`/v1/users/${user.id}`, { disabled: true })).body.disabled, true);
	assert.equal((await session.get('/v1/me')).status, 401);
	assert.equal((await login({ name: user.name, password: 'correct horse' })).status, 401);
	await admin.patch(`/v1/users/${user.id}`, { disabled: false });
	assert.equal((await login({ name: user.name, password: 'correct horse' })).status, 200);
});

for (const body of [{}, { role: 'king' }, { disabled: 'yes' }, { name: '' }, { x: 1 }]) {
	test(`a patch of ${JSON.stringify(body)} is 422`, async () => {
		const user = await add();
		assert.equal((await admin.patch(`/v1/users/${user.id}`, body)).status, 422);
	});
}

test('DELETE removes the user and its logins, what they answered stays', async () => {
	const user = await add();
	const session = await login({ code: codeOf(user) });
	const ask = await agent.ask();
	await session.post(`/v1/asks/${ask.id}/answer`, { answers: { q1: true } });
	assert.equal((await admin.delete(`/v1/users/${user.id}`)).status, 204);
	assert.equal((await session.get('/v1/me')).status, 401);
	assert.equal((await admin.delete(`/v1/users/${user.id}`)).status, 404);
	assert.equal((await member.read(ask)).answered_by.name, user.name);
});

test('a token is shown once, and works', async () => {
	const reply = await admin.post('/v1/tokens', { role: 'agent', name: 'ci', agent: 'builder',
		tools: ['ask_user_question'] });
	assert.equal(reply.status, 201);
	assert.deepEqual([reply.body.name, reply.body.role, reply.body.agent, reply.body.tools],
		['ci', 'agent', 'builder', ['ask_user_question']]);
	assert.equal((await server.client(reply.body.token).get('/v1/me')).body.agent, 'builder');
	const { items } = (await admin.get('/v1/tokens?limit=200')).body;
	const listed = items.find((t) => t.id === reply.body.id);
	assert.equal(listed.token, undefined);
	assert.equal(listed.name, 'ci');
});

test('the times of a token are seconds or durations', async () => {
	const make = (body) => admin.post('/v1/tokens', { role: 'agent', name: 'timed', ...body });
	const { body: token } = await make({ mcp_wait: '30s', again: '15m', expires: '24h' });
	assert.deepEqual([token.mcp_wait, token.again], [30, 900]);
	for (const [body, pointer] of [[{ mcp_wait: '2h' }, '/mcp_wait'], [{ again: '8d' }, '/again'], [{ again: 'soon' }, '/again']]) {
		const reply = await make(body);
		assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, pointer]);
	}
});

test("an agent's name is its token's by default", async () => {
	const made = (await admin.post('/v1/tokens', { role: 'agent', name: 'solo' })).body;
	assert.equal(made.agent, 'solo');
});

for (const body of [{}, { role: 'agent' }, { name: 'x' }, { role: 'x', name: 'x' },
	{ role: 'agent', name: '' }, { role: 'agent', name: 'x', tools: 'all' }, { role: 'agent',
		name: 'x', z: 1 }]) {
	test(`a token of ${JSON.stringify(body)} is 422`, async () => {
		assert.equal((await admin.post('/v1/tokens', body)).status, 422);
	});
}

test('an agent is not called by what stands for other characters in a rule', async () => {
	for (const [body, pointer] of [[{ name: 'ci-*' }, '/name'], [{ name: 'c?' }, '/name'], [{ name: 'ci', agent: 'ci-?' }, '/agent']]) {
		const reply = await admin.post('/v1/tokens', { role: 'agent', ...body });
		assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, pointer]);
	}
	assert.equal((await admin.post('/v1/tokens', { role: 'member', name: 'Who?' })).status, 201);
});

test('tokens made on the command line are listed too', async () => {
	const { items } = (await admin.get('/v1/tokens?limit=200')).body;
	for (const name of ['builder', 'stranger', 'mia', 'ada']) {
		assert.ok(items.some((t) => t.name === name), name);
	}
});

test('one user or token can be read', async () => {
	const user = await add();
	const { login: _, ...shown } = user;
	assert.deepEqual((await admin.get(`/v1/users/${user.id}`)).body, shown);
	const made = (await admin.post('/v1/tokens', { role: 'agent', name: 'one' })).body;
	const { token: __, ...kept } = made;
	assert.deepEqual((await admin.get(`/v1/tokens/${made.id}`)).body, kept);
});

test('a deleted token is gone', async () => {
	const made = (await admin.post('/v1/tokens', { role: 'agent', name: 'gone' })).body;
	assert.equal((await admin.delete(`/v1/tokens/${made.id}`)).status, 204);
	assert.equal((await admin.delete(`/v1/tokens/${made.id}`)).status, 404);
});

test('lists of users and tokens are paged', async () => {
	for (const path of ['/v1/users', '/v1/tokens']) {
		const all = (await admin.get(`${path}?limit=200`)).body.items.map((x) => x.id);
		const seen = [];
		let cursor = '';
		do {
			const page = (await admin.get(`${path}?limit=3${cursor}`)).body;
			seen.push(...page.items.map((x) => x.id));
			cursor = page.next_cursor && `&cursor=${encodeURIComponent(page.next_cursor)}`;
		} while (cursor);
		assert.deepEqual(seen, all);
	}
});

test('insights count what was asked and how it ended', async () => {
	const one = await agent.ask();
	const two = await agent.ask(approval());
	await member.answer(one, { q1: true });
	await member.post(`/v1/asks/${two.id}/skip`);
	const reply = await member.get('/v1/insights');
	assert.equal(reply.status, 200);
	const { asks, by_kind: kinds, by_day: days, time_to_answer_ms: time } = reply.body;
	assert.ok(asks.created >= 2 && asks.answered >= 1 && asks.skipped >= 1);
	assert.equal(kinds.approval.created, 1);
	assert.ok(days.length >= 1);
	assert.ok(time.p50 >= 0 && time.p90 >= time.p50);
	assert.ok(reply.body.response_rate > 0);
});

test('insights say who asked and who answered, people apart from rules', async () => {
	const before = (await member.get('/v1/insights')).body;
	const rule = (await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['counted'] } })).body;
	const operation = { type: 'tool', name: 'counted', arguments: {} };
	const [ruled, approved, rejected] = [await agent.ask(approval({ operation })), await agent.ask(approval()), await agent.ask(approval())];
	await admin.delete(`/v1/rules/${rule.id}`);
	assert.equal((await agent.read(ruled)).answered_by.kind, 'policy');
	await member.answer(approved, { decision: 'approve' });
	await member.answer(rejected, { decision: 'reject' });
	const after = (await member.get('/v1/insights')).body;
	const me = (await member.get('/v1/me')).body;
	const at = (list, fits) => list.find(fits) ?? {};
	const grown = (name, fits, member_) => (at(after[name], fits)[member_] ?? 0) - (at(before[name], fits)[member_] ?? 0);
	const asker = (row) => row.agent.id === ruled.agent.id, mine = (row) => row.user === me.user.id;
	assert.deepEqual(['asks', 'by_rules', 'decided', 'approved'].map((name) => grown('by_agent', asker, name)), [3, 1, 3, 2]);
	assert.deepEqual(['answered', 'decided', 'approved'].map((name) => grown('by_person', mine, name)), [2, 2, 1]);
	assert.ok(at(after.by_person, mine).via.api >= 2 && at(after.by_person, mine).median_ms >= 0);
	assert.deepEqual([after.asks.by_rules - before.asks.by_rules, after.by_day.at(-1).by_rules], [1, 1]);
	assert.deepEqual((await agent.get('/v1/insights')).body.by_person, [], 'people are people\'s');
	assert.equal((await member.post(`/v1/asks/${approved.id}/revoke`, {})).status, 200);
	const taken = (await member.get('/v1/insights')).body;
	assert.equal(at(taken.by_person, mine).approved, at(after.by_person, mine).approved - 1, 'what was taken back is no approval');
});

test('insights take a span, and refuse one that is none', async () => {
	const none = await member.get('/v1/insights?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z');
	assert.equal(none.status, 200);
	assert.equal(none.body.asks.created, 0);
	assert.equal(none.body.time_to_answer_ms.p50, null);
	assert.equal((await member.get('/v1/insights?from=yesterday')).status, 422);
});

test('users, tokens and logins survive a crash', async () => {
	const session = await login({ code: codeOf(await add()) });
	await server.crash();
	assert.equal((await session.get('/v1/me')).status, 200);
	assert.equal((await admin.get('/v1/users')).status, 200);
});
