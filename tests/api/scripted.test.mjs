// A provider that answers from a script, and what is seen and told of runs over it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };

let made = 0;
/** An agent whose model answers so. */
const scripted = async (script, more = {}) => {
	const name = `s${++made}`;
	ok(await admin.post('/v1/providers', { name, kind: 'script', script }), 201);
	ok(await admin.post('/v1/agents', { name, provider: name, model: 'any', tools: ['ask_user_question', 'memory', 'todo'], ...more }), 201);
	return name;
};
const start = async (agent, message = 'Go', more = {}) => ok(await member.post('/v1/sessions', { agent, message, ...more }), 201);
const run = async (id, wait = 20) => ok(await member.get(`/v1/runs/${id}?wait=${wait}`));
const events = async (session) => ok(await member.get(`/v1/events?format=json&after=0&session=${session}&limit=200`)).items;

test('a script speaks, thinks, calls tools and counts', async () => {
	const agent = await scripted([
		{ when: { tool: 'todo' }, say: '{{text}}: {{turn}}, {{result}}', usage: { input: 10, output: 3, reasoning: 1 } },
		{ when: { text: 'list', turn: 0 }, think: 'hm', say: 'Let me see.', calls: [{ name: 'todo', arguments: { operation: 'list' } }], usage: { input: 5, output: 2 } },
	]);
	const session = await start(agent, 'list them');
	const done = await run(session.run);
	assert.equal(done.status, 'completed', JSON.stringify(done.error));
	assert.match(done.report, /^list them: 1, /);
	assert.deepEqual([done.usage.input, done.usage.output, done.cost_usd, done.turn], [15, 5, null, 2]);
	const state = ok(await member.get(`/v1/sessions/${session.id}/state`));
	assert.deepEqual(state.thoughts.map(({ text }) => text), ['hm']);
	const again = await run(ok(await member.post(`/v1/sessions/${session.id}/messages`, { content: 'something else' }), 201).run.id);
	assert.deepEqual([again.status, again.error.kind], ['waiting', 'refused'], 'none fits, and a result of before does not count');
});

test('a script fails, is cut, refuses, is slow and tries again', async () => {
	const fail = { on_error: 'fail' };
	const tries = await scripted([{ when: { attempt: 1 }, error: { status: 529, message: 'busy' } }, { say: 'ok' }], fail);
	assert.equal((await run((await start(tries)).run)).report, 'ok');
	const gone = await scripted([{ error: { status: 404, message: 'no such model' } }], fail);
	const { error } = await run((await start(gone)).run);
	assert.equal(error.kind, 'refused');
	assert.match(error.message, /no such model/);
	const refuses = await scripted([{ stop: 'refusal', say: 'I would rather not.' }], fail);
	assert.equal((await run((await start(refuses)).run)).error.kind, 'declined');
	const cut = await scripted([{ when: { turn: 0 }, say: 'one ', stop: 'max_tokens' }, { say: 'two' }], fail);
	assert.equal((await run((await start(cut)).run)).report, 'one two');
	const slow = await start(await scripted([{ delay: '60s', say: 'late' }]));
	await until(async () => (await run(slow.run, 0)).status === 'running', 'it runs');
	ok(await member.post(`/v1/runs/${slow.run}/cancel`, {}));
	assert.equal((await run(slow.run)).status, 'cancelled');
});

test('what is no script is refused with its place; a script has no key, no address, and can be tested', async () => {
	const refused = async (body, ...at) => assert.deepEqual(pointers(await admin.post('/v1/providers', { name: 'wrong', ...body })), at);
	await refused({ kind: 'script' }, '/script');
	await refused({ kind: 'script', script: [{ sya: 'x' }] }, '/script/0/sya');
	await refused({ kind: 'script', script: [{}], url: 'https://example.org' }, '/url');
	await refused({ kind: 'openai', script: [{}] }, '/script');
	const agent = await scripted([{ say: 'OK', delay: 0.01 }]);
	const shown = ok(await admin.get(`/v1/providers/${agent}`));
	assert.deepEqual([shown.kind, shown.url, shown.usable, shown.script], ['script', null, true, [{ say: 'OK', delay: 0.01 }]]);
	assert.equal(ok(await admin.post(`/v1/providers/${agent}/test`, { model: 'any' })).ok, true);
	assert.equal(ok(await admin.post(`/v1/agents/${agent}/test`, {})).ok, true);
	const changed = ok(await admin.patch(`/v1/providers/${agent}`, { version: shown.version, script: [{ say: 'Other' }] }));
	assert.deepEqual(changed.script, [{ say: 'Other' }]);
	assert.equal((await run((await start(agent)).run)).report, 'Other');
});
