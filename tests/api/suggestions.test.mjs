// What people answered to the same question before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, stranger, member } = server;
const suggestions = async (ask, who = member) => (await who.get(`/v1/asks/${ask.id}/suggestions`)).body;
const answered = async (value, extra = {}, who = agent) => {
	const ask = await who.ask({ questions: [choice(extra)] });
	assert.equal((await member.answer(ask, { env: value })).status, 200);
	return ask;
};

test('the answer that most gave is suggested, with how many and the last', async () => {
	await answered('production');
	await answered('staging');
	const last = await answered('staging');
	const ask = await agent.ask({ questions: [choice()] });
	const [one, ...rest] = await suggestions(ask);
	assert.deepEqual([one.question, one.value, one.count, one.of, one.last.ask, one.last.by.name, rest],
		['env', { selected: ['staging'] }, 2, 3, last.id, 'mia', []]);
	assert.equal((await member.read(ask)).status, 'pending');
});

test('another question, another agent, and one answer alone suggest nothing', async () => {
	assert.deepEqual(await suggestions(await agent.ask({ questions: [choice({ text: 'Where to?' })] })), []);
	assert.deepEqual(await suggestions(await agent.ask({ questions: [choice({ options: [{ id: 'staging', label: 'Staging' }, { id: 'x', label: 'X' }] })] })), []);
	assert.deepEqual(await suggestions(await stranger.ask({ questions: [choice()] })), []);
	await answered('staging', { text: 'Once?' });
	assert.deepEqual(await suggestions(await agent.ask({ questions: [choice({ text: 'Once?' })] })), []);
});

test('agents get none, and an unknown ask is not found', async () => {
	const ask = await agent.ask({ questions: [choice()] });
	assert.equal((await agent.get(`/v1/asks/${ask.id}/suggestions`)).status, 403);
	assert.equal((await member.get('/v1/asks/ask_00000000000000000000000000/suggestions')).status, 404);
});

test('answers older than 90 days do not count', async () => {
	server.jump(91 * 24 * 3600e3);
	const ask = await agent.ask({ questions: [choice()] });
	assert.deepEqual(await suggestions(ask), []);
});
