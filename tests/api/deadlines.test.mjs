// Deadlines: they fire once, never early, and silence is never consent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice, pointers, text } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, stranger } = server;

const settled = (ask) => until(async () => {
	const now = await agent.read(ask);
	return now.status !== 'pending' && now;
}, 'the deadline');

test('expires_at is the creation plus the timeout', async () => {
	const ask = await agent.ask({ timeout: '30m' });
	assert.equal(Date.parse(ask.expires_at) - Date.parse(ask.created_at), 30 * 60e3);
});

test('at the deadline an ask without a default expires, answered by nobody', async () => {
	const ask = await agent.ask({ timeout: 60 });
	server.jump(61e3);
	const now = await settled(ask);
	assert.deepEqual([now.status, now.answer, now.answered_by], ['expired', null, null]);
	assert.ok(Date.parse(now.settled_at) >= Date.parse(now.expires_at));
});

test('with a default it expires all the same, and the answer is no person\'s', async () => {
	const ask = await agent.ask({ questions: [choice()], timeout: 60, default: { env: 'staging' } });
	server.jump(61e3);
	const now = await settled(ask);
	assert.equal(now.status, 'expired');
	assert.deepEqual(now.answer, { env: { selected: ['staging'] } });
	assert.equal(now.answered_by.kind, 'default');
	assert.ok(!now.answered_by.user);
	assert.equal(now.summary, '- Environment: Staging');
});

test('a real deadline of a second fires, and not early', async () => {
	const ask = await agent.ask({ timeout: 1 });
	const reply = await agent.get(`/v1/asks/${ask.id}?wait=10`);
	assert.equal(reply.body.status, 'expired');
	assert.ok(Date.parse(reply.body.settled_at) >= Date.parse(ask.expires_at));
	assert.ok(Date.parse(reply.body.settled_at) - Date.parse(ask.expires_at) < 2500);
});

test('before the deadline nothing expires', async () => {
	const ask = await agent.ask({ timeout: 60 });
	const sooner = await agent.ask({ timeout: 40 });
	server.jump(50e3);
	await settled(sooner);
	assert.equal((await agent.read(ask)).status, 'pending');
});

test('a default is checked like an answer', async () => {
	for (const [given, where] of [[{ env: 'mars' }, '/default/env'], [{ x: 1 }, '/default'],
		[{}, '/default'], ['staging', '/default'], [7, '/default']]) {
		const reply = await agent.post('/v1/asks', { questions: [choice()], timeout: 60,
			default: given });
		assert.equal(reply.status, 422, JSON.stringify(given));
		assert.ok(pointers(reply)[0].startsWith(where), reply.text);
	}
});

test('a default is kept in its full form', async () => {
	const ask = await agent.ask({ questions: [choice()], timeout: 60, default: { env: 'Staging' } });
	assert.deepEqual(ask.default, { env: { selected: ['staging'] } });
});

test('a default that lacks a required answer is refused', async () => {
	const reply = await agent.post('/v1/asks', { questions: [choice(), text()], timeout: 60,
		default: { env: 'staging' } });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/default/why']);
});

test('a default without a timeout is accepted and waits for extend', async () => {
	const ask = await agent.ask({ questions: [choice()], default: { env: 'staging' } });
	assert.equal(ask.expires_at, null);
	const extended = await member.post(`/v1/asks/${ask.id}/extend`, { timeout: '10m' });
	assert.equal(extended.status, 200);
	assert.notEqual(extended.body.expires_at, null);
	server.jump(601e3);
	assert.equal((await settled(ask)).answered_by.kind, 'default');
});

test('extend moves the deadline by that much', async () => {
	const ask = await agent.ask({ timeout: 60 });
	const reply = await member.post(`/v1/asks/${ask.id}/extend`, { timeout: '1h' });
	assert.equal(Date.parse(reply.body.expires_at) - Date.parse(ask.expires_at), 3600e3);
	const sooner = await agent.ask({ timeout: 60 });
	server.jump(90e3);
	await settled(sooner);
	assert.equal((await agent.read(ask)).status, 'pending');
});

test('extend by null takes the deadline away', async () => {
	const ask = await agent.ask({ timeout: 60 });
	const reply = await member.post(`/v1/asks/${ask.id}/extend`, { timeout: null });
	assert.equal(reply.body.expires_at, null);
	const sooner = await agent.ask({ timeout: 60 });
	server.jump(90e3);
	await settled(sooner);
	assert.equal((await agent.read(ask)).status, 'pending');
});

test('extend needs a duration', async () => {
	const ask = await agent.ask();
	for (const body of [{}, { timeout: 'x' }, { timeout: -1 }]) {
		assert.equal((await member.post(`/v1/asks/${ask.id}/extend`, body)).status, 422);
	}
});

test('an agent does not extend, be it its own ask', async () => {
	const ask = await agent.ask({ timeout: 600 });
	const extend = (who) => who.post(`/v1/asks/${ask.id}/extend`, { timeout: '1h' });
	assert.equal((await extend(agent)).status, 403);
	assert.equal((await extend(stranger)).status, 404);
	assert.equal((await agent.read(ask)).expires_at, ask.expires_at);
});

test('an answer after the deadline is 409 and carries the expired ask', async () => {
	const ask = await agent.ask({ timeout: 60 });
	server.jump(61e3);
	await settled(ask);
	const reply = await member.answer(ask, { q1: true });
	assert.equal(reply.status, 409);
	assert.equal(reply.body.ask.status, 'expired');
});

test('an expired ask sets its session going again, or ends the one made for it', async () => {
	const ask = await agent.ask({ timeout: 60 });
	server.jump(61e3);
	await settled(ask);
	assert.equal((await agent.get(`/v1/sessions/${ask.session}`)).body.status, 'completed');
	const session = (await agent.session()).id;
	const other = await agent.ask({ session, timeout: 60 });
	server.jump(61e3);
	await settled(other);
	assert.equal((await agent.get(`/v1/sessions/${session}`)).body.status, 'running');
});

test('each deadline leaves one ask.expired', async () => {
	const { as_of: before } = await agent.events();
	const asks = [];
	for (let i = 0; i < 5; i++) asks.push(await agent.ask({ timeout: 60 + i }));
	server.jump(70e3);
	for (const ask of asks) await settled(ask);
	const { items } = await agent.events(before, '&types=ask.expired');
	assert.deepEqual(items.map((e) => e.ask), asks.map((a) => a.id));
});

test('a deadline that passed while the server was down fires at the start', async () => {
	const ask = await agent.ask({ questions: [choice()], timeout: 60, default: { env: 'staging' } });
	await server.stop();
	server.jump(3600e3);
	await server.start();
	const now = await settled(ask);
	assert.deepEqual([now.status, now.answered_by.kind], ['expired', 'default']);
});

test('deadlines survive a crash', async () => {
	const ask = await agent.ask({ timeout: 60 });
	await server.crash();
	assert.deepEqual({ ...await agent.read(ask), url: '' }, { ...ask, url: '' });
	server.jump(61e3);
	assert.equal((await settled(ask)).status, 'expired');
});
