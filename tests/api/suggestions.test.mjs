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

test('what a person, a project or the workspace prefers is shown like what was answered, and decides nothing', async () => {
	const { admin } = server;
	const put = async (who, body) => {
		const made = await who.post('/v1/preferences', body);
		assert.equal(made.status, 201, made.text);
		return made.body;
	};
	const of = async (ask, who = member) => (await suggestions(ask, who)).filter((one) => one.preferred)
		.map((one) => [one.question, one.value.selected?.[0], one.preferred.scope, one.count, one.last]);
	const all = await put(admin, { question: 'env', value: 'staging' });
	assert.deepEqual([all.scope, all.project, all.made_by.name, all.version], ['workspace', null, 'ada', 1]);
	const ask = await agent.ask({ questions: [choice()] }), shop = await agent.ask({ questions: [choice()], project: 'shop' });
	assert.deepEqual(await of(ask), [['env', 'staging', 'workspace', 0, null]]);
	await put(admin, { question: 'env', value: 'production', project: 'shop' });
	assert.deepEqual([await of(ask), await of(shop)].map(([one]) => one[1]), ['staging', 'production'], 'the project before the workspace');
	const mine = await put(member, { question: choice().text, value: { selected: ['staging'] }, mine: true });
	assert.equal(mine.scope, 'person');
	assert.deepEqual((await of(shop))[0].slice(0, 3), ['env', 'staging', 'person'], 'by its text, and before the project\'s');
	assert.equal((await of(shop, admin))[0][2], 'project', 'nobody else\'s');
	assert.deepEqual((await admin.get('/v1/preferences')).body.items.map((one) => one.scope), ['workspace', 'project']);
	assert.equal((await admin.get(`/v1/preferences/${mine.id}`)).status, 404);
	assert.equal((await member.read(ask)).status, 'pending');

	for (const [body, status] of [[{ question: 'env', value: 'staging' }, 403], [{ question: 'env', value: 'x', project: 'shop' }, 403]])
		assert.equal((await member.post('/v1/preferences', body)).status, status);
	assert.equal((await agent.post('/v1/preferences', { question: 'env', value: 'x', mine: true })).status, 403);
	assert.equal((await agent.get('/v1/preferences')).status, 403);
	assert.equal((await admin.post('/v1/preferences', { question: 'env', value: 'production' })).status, 409);
	for (const [body, pointer] of [[{ value: 'x' }, '/question'], [{ question: 'x' }, '/value'], [{ question: 'x', value: null }, '/value'],
		[{ question: 'x', value: 'y'.repeat(5000) }, '/value'], [{ question: 'x', value: 'y', scope: 'x' }, '/scope']]) {
		const reply = await admin.post('/v1/preferences', body);
		assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, pointer], reply.text);
	}
	assert.equal((await member.patch(`/v1/preferences/${all.id}`, { value: 'production', version: 1 })).status, 403);
	assert.equal((await admin.patch(`/v1/preferences/${all.id}`, { value: 'nowhere', version: 1 })).body.version, 2);
	assert.equal((await admin.patch(`/v1/preferences/${all.id}`, { value: 'staging', version: 1 })).status, 409);
	assert.deepEqual(await of(ask, admin), [], 'what this question does not offer is not shown');
	assert.equal((await member.delete(`/v1/preferences/${mine.id}`)).status, 204);
	assert.equal((await member.delete(`/v1/preferences/${all.id}`)).status, 403);

	const shell = { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } };
	const set = await server.run(['preference', 'set', 'env', 'staging'], shell);
	assert.equal(set.code, 0, set.stderr);
	assert.equal((await server.run(['preference', 'set', 'env', 'production'], shell)).code, 0, 'changed');
	assert.match((await server.run(['show', ask.id], shell)).stdout, /^You prefer: Production$/m);
	assert.equal((await server.run(['preference', 'set', '--all', 'other', 'x'], shell)).code, 4);
	const list = await server.run(['preference', 'list'], shell);
	assert.match(list.stdout, /You prefer +env +production/, list.stdout);
	assert.equal((await server.run(['preference', 'remove', list.stdout.match(/prf_\w+(?=\s+You)/)[0]], shell)).code, 0);
	assert.deepEqual((await of(ask)).map((one) => one[2]), []);
});
