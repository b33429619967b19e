// Who may do what to whom: nobody acts on or through somebody above them, and what people are allowed
// hangs on who they are, not on what they are called or which token they hold.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { admin, agent, member, nobody } = server;
const owner = await server.as('owner', 'olga');

let count = 0;
const add = async (body = {}, by = admin) => {
	const reply = await by.post('/v1/users', { name: `user-${count++}`, role: 'member', ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const newToken = async (body, by = admin) => {
	const reply = await by.post('/v1/tokens', { role: 'agent', name: `token-${count++}`, ...body });
	assert.equal(reply.status, 201, reply.text);
	return { ...reply.body, client: server.client(reply.body.token) };
};

/** Logs in with a code or a password. → {status, cookie, request(method, path, body)} */
async function login(body) {
	const reply = await nobody.post('/v1/login', body);
	const cookie = (reply.headers['set-cookie']?.[0] ?? '').split(';')[0];
	return { status: reply.status, reply, cookie, request: (method, path, data) => nobody.request(method, path,
		{ body: data, headers: { cookie, origin: server.url } }) };
}
const byLink = async (user, by = admin) => login({ code: (user.login
	?? (await by.patch(`/v1/users/${user.id}`, { login: true })).body.login).split('#')[1] });
const find = async (name) => (await owner.get('/v1/users?limit=200')).body.items.find((u) => u.name === name);

/* ---- above ---- */

test('an admin makes no token in an owner\'s name, whatever its role', async () => {
	for (const role of ['viewer', 'member', 'admin', 'owner']) {
		assert.equal((await admin.post('/v1/tokens', { role, name: 'olga' })).status, 403, role);
	}
	const { id } = await find('olga');
	assert.equal((await admin.post('/v1/tokens', { role: 'agent', name: 'hers', user: id })).status, 403);
});

test('an admin deletes no token of an owner, and other tokens as before', async () => {
	const hers = await newToken({ role: 'viewer', name: 'olga' }, owner);
	assert.equal((await admin.delete(`/v1/tokens/${hers.id}`)).status, 403);
	assert.equal((await hers.client.get('/v1/me')).status, 200);
	const other = await newToken({ role: 'member', name: 'somebody' });
	assert.equal((await admin.delete(`/v1/tokens/${other.id}`)).status, 204);
	assert.equal((await owner.delete(`/v1/tokens/${hers.id}`)).status, 204);
});

test('a token that may less than its person does not change the person', async () => {
	const { id } = await find('olga');
	for (const role of ['viewer', 'member', 'admin']) {
		const { client } = await newToken({ role, name: 'olga' }, owner);
		for (const body of [{ password: 'taken over', old_password: 'x' }, { name: 'other' }, { language: 'fr' }]) {
			assert.equal((await client.patch(`/v1/users/${id}`, body)).status, 403, `${role} ${JSON.stringify(body)}`);
		}
		assert.equal((await client.post('/v1/tokens', { role: 'owner', name: 'olga' })).status, 403);
		assert.equal((await client.post('/v1/tokens', { role: 'viewer', name: 'olga' })).status, 403);
	}
});

test('nobody takes a name that looks like another\'s', async () => {
	const user = await add({ name: 'Mira' });
	const self = await byLink(user);
	for (const name of ['olga\u200b', 'Olga', 'оlga', 'olgа\u00a0', 'ｏｌｇａ', 'OLGA\u2060']) {
		assert.equal((await self.request('PATCH', `/v1/users/${user.id}`, { name })).status, 409, name);
		assert.equal((await admin.post('/v1/users', { name })).status, 409, name);
		assert.equal((await admin.post('/v1/tokens', { role: 'viewer', name })).status, 409, name);
	}
	for (const name of ['\u202eagol', 'olga\u2066', '\u3164']) {
		const refused = await self.request('PATCH', `/v1/users/${user.id}`, { name });
		assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/name'], name);
		assert.equal((await admin.post('/v1/users', { name })).status, 422, name);
	}
	assert.equal((await self.request('PATCH', `/v1/users/${user.id}`, { name: 'MIRA' })).status, 200, 'one\'s own');
});

test('an agent of a person is not that person', async () => {
	const user = await add({ role: 'admin' }), other = await add();
	const { client } = await newToken({ name: `of-${user.name}`, user: user.id });
	const until = new Date(Date.now() + 3600_000).toISOString();
	const { body: ask } = await client.post('/v1/asks', { question: 'Go?', type: 'boolean' });
	for (const [method, path, body] of [['GET', '/v1/me/views'], ['PUT', '/v1/me/views', []],
		['PUT', '/v1/me/away', { until, delegate: other.id }], ['DELETE', '/v1/me/away'],
		['PUT', `/v1/users/${user.id}/away`, { until, delegate: other.id }], ['GET', '/v1/me/contacts'],
		['GET', '/v1/me/notify'], ['POST', `/v1/asks/${ask.id}/mark`, { read: true }]]) {
		assert.equal((await client.request(method, path, { body })).status, 403, `${method} ${path}`);
	}
});

test('a token that may less than its person sets neither an absence nor a contact of theirs', async () => {
	const user = await add(), other = await add();
	const { client } = await newToken({ role: 'viewer', name: user.name });
	const { client: full } = await newToken({ role: 'member', name: user.name });
	const away = { until: new Date(Date.now() + 3600_000).toISOString(), delegate: other.id };
	const contact = { channel: 'email', address: 'x@example.org' };
	assert.equal((await client.put('/v1/me/away', away)).status, 403);
	assert.equal((await client.post('/v1/me/contacts', contact)).status, 403);
	assert.equal((await client.put('/v1/me/notify', {})).status, 403);
	assert.equal((await full.put('/v1/me/away', away)).status, 200);
	assert.notEqual((await full.post('/v1/me/contacts', contact)).status, 403);
});

/* ---- streams ---- */

/** The events that are in it, until it ends or `enough` is among them. */
async function heard(stream, enough) {
	const types = [];
	for (let frame; (frame = await stream.frame());) {
		if (frame.event) types.push(frame.event);
		if (frame.event === enough) break;
	}
	return types;
}

test('whoever gets another role loses their streams, and is shown on the next what that role may see', async () => {
	const user = await add({ role: 'admin' });
	const self = await byLink(user);
	const follow = () => nobody.stream('', { cookie: self.cookie });
	const streams = [await follow(), await follow()], others = await admin.stream();
	for (const one of [...streams, others]) await one.frame();
	await add();
	for (const one of streams) assert.ok((await heard(one, 'user.created')).includes('user.created'));
	for (const [role, sees] of [['viewer', false], ['member', false], ['admin', true], ['member', false]]) {
		assert.equal((await admin.patch(`/v1/users/${user.id}`, { role })).status, 200);
		await add({ name: `after-${role}-${count++}` });
		for (const one of streams.splice(0)) {
			const rest = await heard(one);
			assert.ok(one.ended && !rest.includes('user.created'), `as ${role}: ${rest}`);
		}
		const next = await follow();
		await next.frame();
		await add();
		await agent.post('/v1/asks', { question: 'Go?', type: 'boolean' });
		assert.equal((await heard(next, 'ask.created')).includes('user.created'), sees, role);
		streams.push(next);
	}
	assert.equal(others.ended, false, 'nobody else notices');
	for (const one of [...streams, others]) one.close();
});

/* ---- passwords ---- */

test('one\'s own password needs the old one, and ends the other logins', async () => {
	const user = await add();
	const here = await byLink(user), there = await byLink({ id: user.id });
	const stream = await nobody.stream('', { cookie: there.cookie });
	await stream.frame();
	// The first has none before it.
	assert.equal((await here.request('PATCH', `/v1/users/${user.id}`, { password: 'first password' })).status, 200);
	await until(() => stream.ended, 'the end of the other login\'s stream', 5000);
	assert.equal((await there.request('GET', '/v1/me')).status, 401);
	assert.equal((await here.request('GET', '/v1/me')).status, 200);
	const change = (body) => here.request('PATCH', `/v1/users/${user.id}`, body);
	const missing = await change({ password: 'second password' });
	assert.deepEqual([missing.status, missing.body.errors[0].pointer], [422, '/old_password']);
	assert.equal((await change({ password: 'second password', old_password: 'wrong' })).status, 403);
	assert.equal((await login({ name: user.name, password: 'first password' })).status, 200);
	assert.equal((await change({ password: 'second password', old_password: 'first password' })).status, 200);
	assert.equal((await login({ name: user.name, password: 'first password' })).status, 401);
	assert.equal((await login({ name: user.name, password: 'second password' })).status, 200);
});

test('a token cannot set the first password of its own user, so nothing of it is left when it is revoked', async () => {
	for (const role of ['member', 'admin']) {
		const made = (await admin.post('/v1/tokens', { role, name: `thief-${role}` })).body;
		const thief = server.client(made.token);
		const { id } = (await thief.get('/v1/me')).body.user;
		const own = await thief.patch(`/v1/users/${id}`, { password: 'thief-pass-1' });
		assert.deepEqual([own.status, own.body.type], [403, '/problems/forbidden'], own.text);
		assert.equal((await admin.delete(`/v1/tokens/${made.id}`)).status, 204);
		assert.equal((await login({ name: `thief-${role}`, password: 'thief-pass-1' })).status, 401);
		/* An admin's token sets another's; with the old one known, so does one's own. */
		assert.equal((await admin.patch(`/v1/users/${id}`, { password: 'given by ada' })).status, 200);
		assert.equal((await login({ name: `thief-${role}`, password: 'given by ada' })).status, 200);
	}
});

test('a changed password ends login links that nobody used', async () => {
	const user = await add();
	const link = await admin.patch(`/v1/users/${user.id}`, { login: true });
	const here = await byLink({ id: user.id });
	assert.equal((await here.request('PATCH', `/v1/users/${user.id}`, { password: 'a password' })).status, 200);
	for (const { login: left } of [user, link.body]) {
		assert.equal((await login({ code: left.split('#')[1] })).status, 401);
	}
	assert.equal((await byLink({ id: user.id })).status, 200, 'a new one');
});

test('whoever rises takes nobody along: logins and links that somebody below made end', async () => {
	const user = await add();
	const kept = (await admin.patch(`/v1/users/${user.id}`, { login: true })).body;
	const within = await byLink({ id: user.id });
	const own = await byLink({ id: user.id }, owner);
	const raise = (role, by) => by.patch(`/v1/users/${user.id}`, { role });
	assert.equal((await raise('admin', admin)).status, 200);
	assert.equal((await within.request('GET', '/v1/me')).body.role, 'admin', 'an admin may make admins');
	assert.equal((await raise('owner', owner)).status, 200);
	assert.equal((await within.request('GET', '/v1/me')).status, 401, 'the admin that logged in as them');
	assert.equal((await login({ code: kept.login.split('#')[1] })).status, 401, 'the link that the admin kept');
	assert.equal((await own.request('GET', '/v1/me')).body.role, 'owner', 'by a link of an owner');
});

test('an admin sets the password of somebody not above them, which ends all their logins', async () => {
	const user = await add();
	const one = await byLink(user);
	assert.equal((await admin.patch(`/v1/users/${user.id}`, { password: 'a new password' })).status, 200);
	assert.equal((await one.request('GET', '/v1/me')).status, 401);
	const { id } = await find('olga');
	assert.equal((await admin.patch(`/v1/users/${id}`, { password: 'a new password' })).status, 403);
});

test('wrong old passwords are limited like wrong logins', async () => {
	const user = await add({ password: 'right password' });
	const here = await byLink(user);
	const tries = [], { offset } = server, started = Date.now();
	for (let i = 0; i < 14; i++) {
		/* The clock stands still: on a slow machine they would take longer than their minute. */
		server.jump(offset - server.offset - (Date.now() - started));
		tries.push((await here.request('PATCH', `/v1/users/${user.id}`,
			{ password: 'another one', old_password: `guess ${i}` })).status);
	}
	server.jump(offset - server.offset);
	assert.ok(tries.includes(429), String(tries));
});

/* ---- versions ---- */

test('a change that names an older version is 409', async () => {
	const user = await add();
	assert.equal(user.version, 1);
	const changed = await admin.patch(`/v1/users/${user.id}`, { language: 'fr', version: 1 });
	assert.deepEqual([changed.status, changed.body.version], [200, 2]);
	assert.equal((await admin.patch(`/v1/users/${user.id}`, { language: 'en', version: 1 })).status, 409);
	assert.equal((await admin.patch(`/v1/users/${user.id}`, { language: 'en' })).status, 200);
	assert.equal((await admin.get(`/v1/users/${user.id}`)).body.version, 3);
	assert.equal((await admin.patch(`/v1/users/${user.id}`, { version: 3 })).status, 422);
});

test('of many who change one user at once nobody undoes another', async () => {
	for (let round = 0; round < 10; round++) {
		const user = await add({ role: 'admin' });
		const self = await byLink(user);
		const [demoted, ...rest] = await Promise.all([
			owner.patch(`/v1/users/${user.id}`, { role: 'viewer', disabled: true }),
			...Array.from({ length: 8 }, (_, i) => self.request('PATCH', `/v1/users/${user.id}`,
				{ language: i % 2 ? 'fr' : 'en' })),
		]);
		assert.equal(demoted.status, 200);
		assert.ok(rest.every((reply) => [200, 401].includes(reply.status)));
		const now = (await owner.get(`/v1/users/${user.id}`)).body;
		assert.deepEqual([now.role, now.disabled], ['viewer', true]);
	}
});

test('owners who demote or delete each other at once leave one', async () => {
	await server.command('workspace', 'create', 'duel');
	const first = await server.as('owner', 'first', ['--workspace', 'duel']);
	for (let round = 0; round < 10; round++) {
		const made = await first.post('/v1/tokens', { role: 'owner', name: `second-${round}` });
		const second = server.client(made.body.token);
		const me = (await first.get('/v1/me')).body.user;
		const { items } = (await first.get('/v1/users?limit=200')).body;
		// Whoever else is an owner there is none for the duel.
		for (const other of items) {
			if (other.role === 'owner' && ![me.id, made.body.user].includes(other.id)) {
				await first.patch(`/v1/users/${other.id}`, { role: 'viewer' });
			}
		}
		const replies = await Promise.all([
			first.patch(`/v1/users/${made.body.user}`, { role: 'viewer' }),
			second.patch(`/v1/users/${me.id}`, { role: 'viewer' }),
		]);
		assert.ok(replies.some((reply) => reply.status === 200));
		const left = JSON.parse((await server.run(['user', 'list', '--json', '--workspace', 'duel', '--data', server.data]))
			.stdout || '[]');
		const owners = (left.items ?? left).filter((u) => u.role === 'owner' && !u.disabled);
		assert.equal(owners.length, 1, JSON.stringify(replies.map((reply) => reply.status)));
		if (owners[0].id !== me.id) {
			assert.equal((await second.patch(`/v1/users/${me.id}`, { role: 'owner' })).status, 200);
		}
	}
});

/* ---- names and ids ---- */

test('who takes an agent\'s name takes nothing else of it', async () => {
	const bot = await newToken({ name: 'release-bot' });
	const ask = await bot.client.ask(approval());
	await member.answer(ask, { decision: 'approve' });
	const user = await add();
	const self = await byLink(user);
	assert.equal((await self.request('PATCH', `/v1/users/${user.id}`, { name: 'release-bot' })).status, 200);
	const again = await byLink({ id: user.id });
	const token = await newToken({ role: 'member', name: 'release-bot' });
	for (const request of [again.request, (...args) => token.client.request(args[0], args[1], { body: args[2] })]) {
		assert.equal((await request('POST', `/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 403);
		assert.equal((await request('DELETE', `/v1/sessions/${ask.session}`)).status, 403);
		assert.equal((await request('POST', `/v1/asks/${ask.id}/cancel`, {})).status, 403);
	}
	assert.equal((await bot.client.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 200);
});

test('what a person asks goes under their id and shows their name, and stays theirs by any name', async () => {
	const user = await add({ name: 'Asker' });
	const self = await byLink(user);
	const ask = (await self.request('POST', '/v1/asks', { question: 'Lunch?', type: 'boolean' })).body;
	assert.deepEqual(ask.agent, { id: user.id, name: 'Asker' });
	await self.request('PATCH', `/v1/users/${user.id}`, { name: 'Renamed' });
	const other = await byLink(await add({ name: 'Asker' }));
	assert.equal((await other.request('POST', `/v1/asks/${ask.id}/cancel`, {})).status, 403);
	assert.equal((await self.request('POST', `/v1/asks/${ask.id}/cancel`, {})).status, 200);
});

test('no agent is called like a user\'s id, and a member makes no session for an agent', async () => {
	const user = await add();
	assert.equal((await admin.post('/v1/tokens', { role: 'agent', name: 'x', agent: user.id })).status, 422);
	assert.equal((await member.post('/v1/sessions', { title: 'For it', agent: 'builder' })).status, 403);
	assert.equal((await admin.post('/v1/sessions', { title: 'For it', agent: 'builder' })).status, 201);
});

/* ---- the requester ---- */

test('a person does not decide what they asked for, with whatever token', async () => {
	const user = await add();
	const token = await newToken({ role: 'member', name: user.name });
	const second = await newToken({ role: 'member', name: user.name });
	const cookie = await byLink(user);
	const hers = await newToken({ name: 'her-agent', user: user.id });
	for (const asking of [token.client, hers.client]) {
		const ask = await asking.ask(approval());
		const decide = { answers: { decision: 'approve' } };
		assert.equal((await cookie.request('POST', `/v1/asks/${ask.id}/answer`, decide)).status, 403);
		assert.equal((await second.client.post(`/v1/asks/${ask.id}/answer`, decide)).status, 403);
		assert.equal((await token.client.post(`/v1/asks/${ask.id}/answer`, decide)).status, 403);
		const many = await second.client.post('/v1/asks/settle-many', { ids: [ask.id], ...decide });
		assert.equal(many.body.results[0].status, 403);
		assert.equal((await member.post(`/v1/asks/${ask.id}/answer`, decide)).status, 200);
	}
	const plain = await token.client.ask();
	assert.equal((await cookie.request('POST', `/v1/asks/${plain.id}/answer`, { answers: { q1: true } })).status, 200);
});

/* ---- tokens that end ---- */

test('a token ends when it expires, and so does its wait, without the answer', async () => {
	const own = await useServer();
	for (const expires of ['1h', 3600, new Date(Date.now() + 3600_000).toISOString()]) {
		const reply = await own.admin.post('/v1/tokens', { role: 'agent', name: 'brief', agent: 'builder', expires });
		assert.equal(reply.status, 201, reply.text);
		assert.ok(Math.abs(Date.parse(reply.body.expires_at) - Date.now() - 3600_000) < 60_000, reply.body.expires_at);
	}
	for (const expires of ['soon', 0, -1, '2001-01-01T00:00:00Z', true]) {
		assert.equal((await own.admin.post('/v1/tokens', { role: 'agent', name: 'brief', expires })).status, 422, String(expires));
	}
	const brief = (await own.admin.post('/v1/tokens', { role: 'agent', name: 'brief', agent: 'builder', expires: '1h' })).body;
	const ask = await own.agent.ask();
	const waiting = own.once(brief.token, 'GET', `/v1/asks/${ask.id}?wait=60`);
	await until(async () => /^parley_waiters 1/m.test((await own.admin.get('/metrics')).text), 'the waiter');
	own.jump(3_601_000);
	assert.equal((await own.client(brief.token).get('/v1/me')).status, 401);
	await own.member.answer(ask, { q1: true });
	assert.equal((await waiting).body.status, 401);
});

test('a token shows when it was last used, within a minute', async () => {
	const token = await newToken({});
	assert.equal(token.last_used_at, null);
	const seen = async () => (await admin.get(`/v1/tokens/${token.id}`)).body.last_used_at;
	assert.equal(await seen(), null);
	await token.client.get('/v1/me');
	const first = await until(seen, 'the first use');
	await token.client.get('/v1/me');
	assert.equal(await seen(), first);
	server.jump(61_000);
	await token.client.get('/v1/me');
	await until(async () => Date.parse(await seen()) - Date.parse(first) >= 60_000, 'the next');
});

test('token create --expires takes a time or a duration', async () => {
	const own = server.client(await server.token('agent', 'ends-soon', ['--expires', '2d']));
	assert.equal((await own.get('/v1/me')).status, 200);
	const { items } = (await admin.get('/v1/tokens?limit=200')).body;
	const { expires_at: at } = items.find((token) => token.name === 'ends-soon');
	assert.ok(Date.parse(at) - Date.now() > 47 * 3600_000, at);
	const wrong = await server.run(['token', 'create', '--role', 'agent', '--name', 'never', '--expires', 'soon', '--data', server.data]);
	assert.notEqual(wrong.code, 0);
});

/* ---- logging in ---- */

test('a refused login leaves the link usable', async () => {
	const user = await add();
	const code = user.login.split('#')[1];
	await admin.patch(`/v1/users/${user.id}`, { disabled: true });
	assert.equal((await login({ code })).status, 401);
	await admin.patch(`/v1/users/${user.id}`, { disabled: false });
	assert.equal((await login({ code })).status, 200);
	assert.equal((await login({ code })).status, 401);
});

test('two workspaces with a user of one name: the login says which', async () => {
	await server.command('workspace', 'create', 'north');
	const northern = await server.as('owner', 'nora', ['--workspace', 'north']);
	await add({ name: 'Robin', password: 'here password' });
	assert.equal((await login({ name: 'Robin', password: 'here password' })).status, 200);
	// Who has no password there is in nobody's way.
	const there = await add({ name: 'Robin' }, northern);
	assert.equal((await login({ name: 'Robin', password: 'here password' })).status, 200);
	await northern.patch(`/v1/users/${there.id}`, { password: 'there password' });
	const which = await login({ name: 'Robin', password: 'there password' });
	assert.deepEqual([which.status, which.reply.body.errors[0].pointer], [422, '/workspace']);
	assert.doesNotMatch(which.reply.text, /north/);
	const inside = await login({ name: 'Robin', password: 'there password', workspace: 'north' });
	assert.deepEqual([inside.status, inside.reply.body.workspace], [200, 'north']);
	const shell = (extra) => server.run(['login', '--name', 'Robin', ...extra, '--url', server.url], { input: 'there password\n' });
	assert.notEqual((await shell([])).code, 0);
	assert.equal((await shell(['--workspace', 'north'])).code, 0);
	server.jump(61_000); // what was refused before may have been told less than a minute ago
	assert.equal((await login({ name: 'Robin', password: 'here password', workspace: 'north' })).status, 401);
	assert.equal((await login({ name: 'Robin', password: 'here password', workspace: 'nowhere' })).status, 401);
	// The workspace that was named is told of it, and no other is.
	const refused = async (reader) => (await reader.events(0, '&types=login.refused')).items
		.map(({ data }) => data.name).filter((name) => name === 'Robin');
	assert.deepEqual([await refused(northern), await refused(admin)], [['Robin'], []]);
});

/* ---- bounds before anybody is known ---- */

/** Seconds of processor that the server has used so far. */
function cpu() {
	const fields = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
	return (Number(fields[11]) + Number(fields[12])) / 100;
}

test('nobody makes the server hash a password who may not set one', async () => {
	const stranger = server.client('prl_nonsense');
	const viewer = await server.as('viewer', 'vera');
	const body = { name: 'x', password: 'a long password' };
	const { id } = await find('olga');
	const before = cpu();
	for (const [client, method, path, status] of [[stranger, 'POST', '/v1/users', 401], [viewer, 'POST', '/v1/users', 403],
		[admin, 'PATCH', `/v1/users/${id}`, 403]]) {
		const data = method === 'POST' ? body : { password: body.password };
		const replies = await Promise.all(Array.from({ length: 60 }, () => client.request(method, path, { body: data })));
		assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [status]);
	}
	// 180 sums would have taken 4 s and more.
	const used = cpu() - before;
	assert.ok(used < 2, `${used} s of processor`);
});

/** A login from an address of this machine. → {status, ms, after} */
function loginFrom(localAddress, body) {
	const start = Date.now();
	return new Promise((done) => {
		const request = http.request({ host: '127.0.0.1', port: server.port, path: '/v1/login', method: 'POST',
			localAddress, agent: false, headers: { 'content-type': 'application/json' } }, (response) => {
			response.resume();
			response.on('end', () => done({ status: response.statusCode, ms: Date.now() - start,
				after: response.headers['retry-after'] }));
		});
		request.on('error', () => done({ status: 0 }));
		request.end(JSON.stringify(body));
	});
}

test('a flood of logins with random names delays nobody at another address', { timeout: 120_000 }, async (t) => {
	await add({ name: 'honest', password: 'honest password' });
	const median = async (tries) => {
		const times = [];
		for (let i = 0; i < tries; i++) {
			const reply = await loginFrom('127.0.0.2', { name: 'honest', password: 'honest password' });
			assert.equal(reply.status, 200);
			times.push(reply.ms);
		}
		return times.sort((a, b) => a - b)[Math.floor(tries / 2)];
	};
	const alone = await median(3);
	let flooding = true, refused = 0, n = 0;
	const flood = Array.from({ length: 24 }, async () => {
		while (flooding) {
			const reply = await loginFrom('127.0.0.1', { name: `name-${n++}`, password: 'guess' });
			if (reply.status === 429) {
				refused++;
				assert.ok(Number(reply.after) >= 1);
				await new Promise((done) => { setTimeout(done, 5); });
			}
		}
	});
	await until(() => refused > 20, 'the flood');
	// A machine that is busy with other things has its own share in the time, and its moments.
	let flooded = await median(5);
	for (let i = 0; i < 3 && flooded >= Math.max(1000, 4 * alone); i++) flooded = await median(5);
	flooding = false;
	await Promise.all(flood);
	assert.ok(flooded < Math.max(1000, 4 * alone), `honest logins took ${flooded} ms, ${alone} ms without a flood`);
	t.diagnostic(`honest login: ${alone} ms alone, ${flooded} ms under a flood`);
});
