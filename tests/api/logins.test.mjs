// One's own logins: which there are, from where and with what, and the end of one or of all others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, nobody } = server;

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const DAY_MS = 24 * 3600e3;

let count = 0;
const add = async () => (await admin.post('/v1/users', { name: `somebody-${count++}` })).body;
const cookieIn = (reply) => reply.headers['set-cookie']?.[0].split(';')[0];

/** Logs this user in once more. → {cookie, request(method, path, headers)} */
async function enter(user, headers = {}) {
	const { login } = (await admin.patch(`/v1/users/${user.id}`, { login: true })).body;
	const reply = await nobody.post('/v1/login', { code: login.split('#')[1] }, { headers });
	assert.equal(reply.status, 200, reply.text);
	const there = { cookie: cookieIn(reply) };
	there.request = (method, path) => nobody.request(method, path, { headers: { cookie: there.cookie, origin: server.url } });
	there.logins = async () => (await there.request('GET', '/v1/me/logins')).body.items;
	there.isIn = async () => (await there.request('GET', '/v1/me')).status === 200;
	return there;
}

test('one’s logins say with what, from where and since when, and which of them asks', async () => {
	const user = await add();
	const desk = await enter(user, { 'user-agent': FIREFOX, 'x-forwarded-for': '10.0.0.9, 192.0.2.7' });
	const shell = await enter(user, { 'parley-via': 'cli' });
	const list = await shell.logins();
	assert.deepEqual(list.map(({ client, from, current }) => ({ client, from, current })), [
		{ client: 'parley', from: '127.0.0.1', current: true }, { client: FIREFOX, from: '192.0.2.7', current: false }]);
	assert.ok(Math.abs(Date.parse(list[1].created_at) - Date.now()) < 60_000);
	assert.equal(Date.parse(list[1].expires_at) - Date.parse(list[1].created_at), 30 * DAY_MS);
	assert.equal((await desk.logins()).find(({ current }) => current).client, FIREFOX);
	/* Noted a moment later. */
	await until(async () => (await shell.logins()).find(({ client }) => client === FIREFOX).last_used_at, 'when it was used');
});

test('a login that is ended is over at once; the others go on, and the log says who ended it', async () => {
	const user = await add();
	const one = await enter(user), two = await enter(user);
	const { as_of } = await admin.events();
	const { id } = (await one.logins()).find(({ current }) => !current);
	assert.equal((await one.request('DELETE', `/v1/me/logins/${id}`)).status, 204);
	assert.deepEqual([await one.isIn(), await two.isIn()], [true, false]);
	assert.equal((await one.request('DELETE', `/v1/me/logins/${id}`)).status, 404);
	const { items } = await admin.events(as_of);
	const ended = items.find(({ type }) => type === 'login.ended');
	assert.deepEqual([ended.data.user, ended.data.by.user, ended.data.from], [user.id, user.id, '127.0.0.1']);
});

test('all others end at once', async () => {
	const user = await add();
	const here = await enter(user), elsewhere = [await enter(user), await enter(user)];
	const stranger = await enter(await add());
	assert.equal((await here.request('DELETE', '/v1/me/logins')).status, 204);
	assert.deepEqual(await Promise.all([here, stranger, ...elsewhere].map((one) => one.isIn())), [true, true, false, false]);
	assert.equal((await here.logins()).length, 1);
});

test('the logins of somebody else are neither seen nor ended', async () => {
	const [mine, theirs] = [await enter(await add()), await enter(await add())];
	const [{ id }] = await theirs.logins();
	assert.ok(!(await mine.logins()).some((one) => one.id === id));
	assert.equal((await mine.request('DELETE', `/v1/me/logins/${id}`)).status, 404);
	assert.equal(await theirs.isIn(), true);
	for (const [method, path] of [['GET', ''], ['DELETE', ''], ['DELETE', `/${id}`]])
		assert.equal((await agent.request(method, `/v1/me/logins${path}`)).status, 403, method);
});

test('a login stays one while its cookie is replaced, and ends with both', async () => {
	const user = await add();
	const old = await enter(user, { 'user-agent': FIREFOX });
	const [before] = await old.logins();
	server.jump(DAY_MS + 60_000);
	const fresh = cookieIn(await old.request('GET', '/v1/me'));
	assert.ok(fresh && fresh !== old.cookie);
	const list = await old.logins();
	assert.deepEqual(list.map(({ id, created_at, client, from, current }) => ({ id, created_at, client, from, current })),
		[{ id: before.id, created_at: before.created_at, client: FIREFOX, from: before.from, current: true }]);
	const other = await enter(user);
	assert.equal((await other.request('DELETE', `/v1/me/logins/${before.id}`)).status, 204);
	for (const cookie of [old.cookie, fresh])
		assert.equal((await nobody.get('/v1/me', { headers: { cookie } })).status, 401);
	server.jump(0);
});
