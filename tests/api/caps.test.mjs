// Caps on one job: how many asks of a session are open, and how many it makes a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer({ env: { PARLEY_SESSION_OPEN: '2', PARLEY_SESSION_RATE: '4' } });
const { agent, member } = server;
const put = (session, text = 'Go?') => agent.post('/v1/asks', { session, kind: 'non_blocking', questions: [{ key: 'go', type: 'boolean', text }] });

test('a session has so many open asks, and makes so many a minute', async () => {
	const session = (await agent.post('/v1/sessions', { title: 'a loop' })).body.id;
	const [one, two] = [await put(session), await put(session)];
	assert.deepEqual([one.status, two.status], [201, 201]);
	const full = await put(session);
	assert.deepEqual([full.status, full.body.type], [429, '/problems/too-many']);
	assert.equal((await put(session)).status, 429);
	for (const { body } of [one, two]) await member.answer(body, { go: true });
	for (let i = 0; i < 2; i++) await member.answer((await put(session)).body, { go: true });
	const often = await put(session);
	assert.deepEqual([often.status, often.body.type], [429, '/problems/too-many']);
	assert.ok(Number(often.headers['retry-after']) >= 1);
	const other = (await agent.post('/v1/sessions', { title: 'another' })).body.id;
	assert.equal((await put(other)).status, 201, 'another session has its own');
	server.jump(60_000);
	assert.equal((await put(session)).status, 201);
});
