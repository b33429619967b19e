// Idempotency-Key: a repeat is not a second deed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger } = server;

let count = 0;
const fresh = () => `key-${count++}`;
const send = (who, path, body, key) => who.post(path, body, { headers: { 'idempotency-key': key } });
const body = { question: 'Deploy?', type: 'boolean' };

test('a repeat of an ask gets the first status and the same ask', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	const second = await send(agent, '/v1/asks', body, key);
	assert.deepEqual([first.status, second.status], [201, 201]);
	assert.deepEqual(second.body, first.body);
});

test('the record is shown as it is now', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	await member.answer(first.body, { q1: true });
	const again = await send(agent, '/v1/asks', body, key);
	assert.equal(again.status, 201);
	assert.equal(again.body.id, first.body.id);
	assert.equal(again.body.status, 'answered');
});

test('bodies are compared as JSON values, not as bytes', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	const again = await agent.request('POST', '/v1/asks', {
		body: '{ "type":"boolean",\n "question" : "Depl\\u006fy?" }',
		headers: { 'idempotency-key': key } });
	assert.equal(again.status, 201);
	assert.equal(again.body.id, first.body.id);
});

test('another body with the same key is 422', async () => {
	const key = fresh();
	await send(agent, '/v1/asks', body, key);
	assert.equal((await send(agent, '/v1/asks', { ...body, question: 'No?' }, key)).status, 422);
});

test('keys are per token', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	const second = await send(stranger, '/v1/asks', body, key);
	assert.notEqual(second.body.id, first.body.id);
});

test('keys are per path', async () => {
	const key = fresh();
	const session = await agent.session();
	const first = await send(agent, '/v1/asks', body, key);
	const second = await send(agent, `/v1/sessions/${session.id}/asks`, body, key);
	assert.equal(second.status, 201);
	assert.notEqual(second.body.id, first.body.id);
});

test('the query is no part of the path', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	const again = await send(agent, '/v1/asks?wait=0', body, key);
	assert.equal(again.body.id, first.body.id);
});

test('failures are not remembered: the key may be used for the right body', async () => {
	const key = fresh();
	assert.equal((await send(agent, '/v1/asks', { ...body, type: 'x' }, key)).status, 422);
	assert.equal((await send(agent, '/v1/asks', body, key)).status, 201);
});

test('a conflict is not remembered either', async () => {
	const key = fresh();
	const open = await agent.ask();
	const next = { ...body, session: open.session };
	assert.equal((await send(agent, '/v1/asks', next, key)).status, 409);
	await member.answer(open, { q1: true });
	assert.equal((await send(agent, '/v1/asks', next, key)).status, 201);
});

test('a repeated answer is 200, not 409', async () => {
	const key = fresh();
	const ask = await agent.ask();
	const path = `/v1/asks/${ask.id}/answer`;
	const first = await send(member, path, { answers: { q1: true } }, key);
	const again = await send(member, path, { answers: { q1: true } }, key);
	assert.deepEqual([first.status, again.status], [200, 200]);
	assert.deepEqual(again.body.ask, first.body.ask);
});

test('a repeated answer with another value is 422, and the first stands', async () => {
	const key = fresh();
	const ask = await agent.ask();
	const path = `/v1/asks/${ask.id}/answer`;
	await send(member, path, { answers: { q1: true } }, key);
	assert.equal((await send(member, path, { answers: { q1: false } }, key)).status, 422);
	assert.deepEqual((await member.read(ask)).answer, { q1: { value: true } });
});

for (const verb of ['skip', 'cancel']) {
	test(`a repeated ${verb} is 200`, async () => {
		const key = fresh();
		const ask = await agent.ask();
		const path = `/v1/asks/${ask.id}/${verb}`;
		assert.equal((await send(admin, path, {}, key)).status, 200);
		assert.equal((await send(admin, path, {}, key)).status, 200);
	});
}

test('a repeated session is the same session', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/sessions', { title: 'One' }, key);
	const again = await send(agent, '/v1/sessions', { title: 'One' }, key);
	assert.deepEqual([first.status, again.status], [201, 201]);
	assert.equal(again.body.id, first.body.id);
});

test('a repeated reply is said once', async () => {
	const key = fresh();
	const ask = await agent.ask();
	const path = `/v1/asks/${ask.id}/replies`;
	await send(member, path, { text: 'Which?' }, key);
	const again = await send(member, path, { text: 'Which?' }, key);
	assert.equal(again.status, 201);
	assert.equal(again.body.replies.length, 1);
});

test('a repeated use is a conflict with any key, and says when it was used', async () => {
	const key = fresh();
	const ask = await agent.ask(approval());
	await member.answer(ask, { decision: 'approve' });
	const path = `/v1/asks/${ask.id}/use`;
	assert.equal((await send(agent, path, { digest: ask.digest }, key)).status, 200);
	const again = await send(agent, path, { digest: ask.digest }, key);
	assert.equal(again.status, 409);
	assert.match(again.body.detail, /used at \d{4}-/);
	assert.equal((await send(agent, path, { digest: ask.digest }, fresh())).status, 409);
});

test('a repeated settle-many settles once', async () => {
	const key = fresh();
	const ids = [(await agent.ask()).id, (await agent.ask()).id];
	const first = await send(member, '/v1/asks/settle-many', { ids, skip: true }, key);
	const again = await send(member, '/v1/asks/settle-many', { ids, skip: true }, key);
	assert.deepEqual([first.status, again.status], [200, 200]);
	assert.deepEqual(again.body.results.map((r) => r.status), [200, 200]);
});

test('a repeated settle-many gives the same statuses after a session of it was deleted', async () => {
	const key = fresh();
	const asks = [await agent.ask(), await agent.ask()], ids = asks.map((ask) => ask.id);
	const settle = () => send(member, '/v1/asks/settle-many', { ids, skip: true }, key);
	assert.deepEqual((await settle()).body.results.map((r) => r.status), [200, 200]);
	assert.equal((await admin.delete(`/v1/sessions/${asks[0].session}`)).status, 204);
	const again = await settle();
	assert.deepEqual(again.body.results.map((r) => [r.id, r.status]), [[ids[0], 404], [ids[1], 200]]);
	assert.equal(again.body.results[1].ask.status, 'skipped');
});

test('a key works for a plain body', async () => {
	const key = fresh();
	const plain = { body: 'Go?', type: 'text/plain', headers: { 'idempotency-key': key } };
	const first = await agent.request('POST', '/v1/asks', plain);
	const again = await agent.request('POST', '/v1/asks', plain);
	assert.equal(again.body.id, first.body.id);
});

test('of ten repeats at once one ask is made', async () => {
	const key = fresh();
	const replies = await Promise.all(Array.from({ length: 10 },
		() => send(agent, '/v1/asks', body, key)));
	assert.deepEqual([...new Set(replies.map((r) => r.status))], [201]);
	assert.equal(new Set(replies.map((r) => r.body.id)).size, 1);
});

test('a repeat makes no second event', async () => {
	const key = fresh();
	await send(agent, '/v1/asks', body, key);
	const { as_of: before } = await agent.events();
	await send(agent, '/v1/asks', body, key);
	assert.deepEqual((await agent.events(before)).items, []);
});

test('keys survive a crash', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	await server.crash();
	const again = await send(agent, '/v1/asks', body, key);
	assert.deepEqual(again.body, { ...first.body, url: again.body.url });
});

test('a key lives as long as its record: after a delete the ask is made anew', async () => {
	const key = fresh();
	const first = await send(agent, '/v1/asks', body, key);
	await agent.delete(`/v1/sessions/${first.body.session}`);
	const again = await send(agent, '/v1/asks', body, key);
	assert.equal(again.status, 201);
	assert.notEqual(again.body.id, first.body.id);
});

test('a note of agents, too, is added once; another text is 422', async () => {
	const key = fresh(), note = { scope: 'workspace', text: 'Deploy on Mondays', tags: ['ops'] };
	const first = await send(member, '/v1/memories', note, key);
	const again = await send(member, '/v1/memories', note, key);
	assert.deepEqual([first.status, again.status], [201, 201]);
	assert.deepEqual(again.body, first.body);
	assert.equal((await send(member, '/v1/memories', { ...note, text: 'Never' }, key)).status, 422);
});

test('keys of agents, providers, contacts and notes live as long as these, however old they are', async () => {
	const made = [
		['/v1/providers', { name: 'keyed', kind: 'openai', url: 'http://127.0.0.1:9/v1' }],
		['/v1/agents', { name: 'keyed', provider: 'keyed', model: 'm' }],
		['/v1/memories', { scope: 'workspace', text: 'kept' }],
		['/v1/me/contacts', { channel: 'webhook', address: 'https://example.org/hook' }],
	].map(([path, what]) => ({ path, what, key: fresh() }));
	for (const one of made) one.reply = await send(admin, one.path, one.what, one.key);
	assert.deepEqual(made.map(({ reply }) => reply.status), [201, 201, 201, 201]);
	const many = { path: '/v1/asks/settle-many', what: { ids: [(await agent.ask()).id], skip: true }, key: fresh() };
	assert.equal((await send(admin, many.path, many.what, many.key)).body.results[0].status, 200);
	/* A day later what belongs to nothing is forgotten, with the body it came with. */
	const old = fresh(), gone = ['/v1/teams', { name: 'other' }, old];
	await admin.delete(`/v1/teams/${(await send(admin, '/v1/teams', { name: 'gone' }, old)).body.id}`);
	assert.equal((await send(admin, ...gone)).status, 422);
	server.jump(2 * 24 * 3600 * 1000);
	await server.crash();
	await until(async () => (await send(admin, ...gone)).status === 201, 'an old key to be forgotten');
	for (const { path, what, key, reply } of made) {
		const again = await send(admin, path, what, key);
		assert.deepEqual([again.status, again.body.id], [201, reply.body.id], path);
	}
	assert.equal((await send(admin, many.path, many.what, many.key)).body.results[0].status, 200);
});

test('what was deleted is made anew by a repeat, and its key is that one\'s from then on', async () => {
	for (const [path, what] of [['/v1/teams', { name: 'anew' }], ['/v1/memories', { scope: 'workspace', text: 'anew' }],
		['/v1/users', { name: 'anew' }], ['/v1/tokens', { name: 'anew', role: 'agent' }]]) {
		const key = fresh();
		const first = await send(admin, path, what, key);
		assert.equal((await admin.delete(`${path}/${first.body.id}`)).status, 204, path);
		const [again, third] = [await send(admin, path, what, key), await send(admin, path, what, key)];
		assert.deepEqual([again.status, third.status, third.body.id], [201, 201, again.body.id], path);
		assert.notEqual(again.body.id, first.body.id);
	}
});

test('an empty key or one over 255 characters is refused', async () => {
	assert.equal((await send(agent, '/v1/asks', body, '')).status, 422);
	assert.equal((await send(agent, '/v1/asks', body, 'k'.repeat(256))).status, 422);
	assert.equal((await send(agent, '/v1/asks', body, 'k'.repeat(255))).status, 201);
});
