// ?dialect=: foreign requests in, foreign replies out, over HTTP.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member } = server;

const question = {
	questions: [{
		question: 'Where shall I deploy?', header: 'Target', multiSelect: false,
		options: [{ label: 'Staging', description: 'the rehearsal' },
			{ label: 'Production', description: 'the real thing' }],
	}],
};

const askIn = async (dialect, request, query = '') => {
	const reply = await agent.post(`/v1/asks?dialect=${dialect}${query}`, request);
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const replyIn = async (dialect, ask, query = '') => {
	const reply = await agent.get(`/v1/asks/${ask.id}?dialect=${dialect}${query}`);
	assert.equal(reply.status, 200, reply.text);
	return reply.body;
};

test('a foreign request is asked, kept whole, and answered in its own shape', async () => {
	const ask = await askIn('ask_user_question', question);
	assert.deepEqual(ask.foreign,
		{ dialect: 'ask_user_question', request: question, repairs: [] });
	assert.equal((await replyIn('ask_user_question', ask)).reply, null);
	await member.answer(ask, { q1: 'Staging' });
	const { ask: settled, reply } = await replyIn('ask_user_question', ask);
	assert.equal(settled.status, 'answered');
	assert.deepEqual(reply,
		{ questions: question.questions, answers: { 'Where shall I deploy?': 'Staging' } });
});

test('a wait ends with the reply', async () => {
	const ask = await askIn('permission', { tool_name: 'Bash', input: { command: 'ls' } });
	const waiting = replyIn('permission', ask, '&wait=30');
	await server.holds(1);
	await member.answer(ask, { decision: { value: 'reject', text: 'not now' } });
	assert.deepEqual((await waiting).reply, { behavior: 'deny', message: 'not now' });
	const early = await replyIn('permission', ask, '&wait=30');
	assert.equal(early.reply.behavior, 'deny');
});

test('a wait that runs out says null', async () => {
	const ask = await askIn('ask_user_question', question);
	const { ask: shown, reply } = await replyIn('ask_user_question', ask, '&wait=1');
	assert.equal(shown.status, 'pending');
	assert.equal(reply, null);
});

test('POST that waits ends with the reply, as GET gives it', async () => {
	const session = await agent.session();
	const posted = agent.post(
		`/v1/sessions/${session.id}/asks?dialect=ask_user_question&wait=30`, question);
	const asked = async () =>
		(await member.get(`/v1/asks?session=${session.id}`)).body.items[0];
	const ask = await until(asked);
	await member.answer(ask, { q1: 'Production' });
	const { body, status } = await posted;
	assert.equal(status, 201);
	assert.equal(body.ask.id, ask.id);
	assert.equal(body.ask.status, 'answered');
	assert.deepEqual(body.reply,
		{ questions: question.questions, answers: { 'Where shall I deploy?': 'Production' } });
	assert.deepEqual(body, await replyIn('ask_user_question', ask));
});

test('POST whose wait runs out has no reply yet; repeated with its key it has the reply at once', async () => {
	const key = { headers: { 'idempotency-key': 'dialect-wait' } };
	const path = '/v1/asks?dialect=permission&wait=1';
	const early = await agent.post(path, { tool_name: 'Bash', input: { command: 'ls' } }, key);
	assert.equal(early.body.ask.status, 'pending');
	assert.equal(early.body.reply, null);
	await member.answer(early.body.ask, { decision: { value: 'reject', text: 'no' } });
	const late = await agent.post(path, { tool_name: 'Bash', input: { command: 'ls' } }, key);
	assert.deepEqual(late.body.reply, { behavior: 'deny', message: 'no' });
});

test('what does not block is answered at once with its id', async () => {
	const ask = await askIn('ask_question',
		{ question: 'Verbose?', type: 'non_blocking', responseType: 'boolean', timeoutMinutes: 5 });
	const { reply } = await replyIn('ask_question', ask);
	assert.deepEqual(reply, { questionId: ask.id, timeoutAt: ask.expires_at });
});

test('what does not block and has no default says that nothing is assumed; strictly it is refused', async () => {
	const body = { question: 'Verbose?', type: 'non_blocking', responseType: 'boolean' };
	const told = '/defaultResponse: a non_blocking question must have a default; nothing is assumed if nobody answers';
	assert.deepEqual((await askIn('ask_question', body)).foreign.repairs, [told]);
	assert.deepEqual((await askIn('ask_question', { ...body, defaultResponse: false })).foreign.repairs, []);
	const strict = await agent.post('/v1/asks?dialect=ask_question&strict=true', body);
	assert.deepEqual([strict.status, strict.body.errors?.[0].pointer], [422, '/defaultResponse'], strict.text);
});

test('an ask of our own has a reply in every dialect', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	const { reply } = await replyIn('ask_user_question', ask);
	assert.deepEqual(reply.answers, { 'Deploy?': 'Yes' });
});

test('an approval that was taken back reads like a rejection, in every dialect and to MCP', async () => {
	const dialects = (await agent.get('/v1/asks/ask_x?dialect=none')).body.detail.match(/[a-z0-9_]+/g).filter((word) => word.includes('_')
		|| ['permission', 'elicitation', 'codex', 'gemini', 'opencode', 'acp', 'a2a', 'vercel', 'airflow', 'humanlayer', 'mastra'].includes(word));
	assert.ok(dialects.length >= 16, dialects.join());
	const words = 'The approval was taken back: not there';
	const deploy = { kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command: 'make deploy' } } };
	const [one, two] = [await agent.ask(deploy), await agent.ask(deploy)];
	await member.answer(one, { decision: { value: 'approve', arguments: { command: 'make check' } } });
	assert.equal((await member.post(`/v1/asks/${one.id}/revoke`, { reason: 'not there' })).status, 200);
	await member.answer(two, { decision: { value: 'reject', text: words } });
	const plain = (value) => JSON.stringify(value).replace(/ask_[0-9a-z]{26}/g, 'ID').replace(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, 'AT');
	for (const dialect of dialects.filter((name) => name !== 'a2a')) // which replies with the summary
		assert.equal(plain((await replyIn(dialect, one)).reply), plain((await replyIn(dialect, two)).reply), dialect);
	const { body: shown } = await agent.get(`/v1/asks/${one.id}`);
	assert.match(shown.summary, /^- .*: Approved \(edited\)\nTaken back by .*: not there\. The approval must not be used\.$/);
	const asked = await askIn('permission', { tool_name: 'Bash', input: { command: 'ls' } });
	await member.answer(asked, { decision: 'approve' });
	await member.post(`/v1/asks/${asked.id}/revoke`, {});
	const { body: { result } } = await agent.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call',
		params: { name: 'get_answer', arguments: { ask_id: asked.id } } });
	assert.deepEqual(JSON.parse(result.content[0].text), { behavior: 'deny', message: 'The approval was taken back' });
	const { body: { context } } = await agent.get(`/v1/sessions/${one.session}/resume`);
	assert.match(context, /Taken back by .*: not there/);
	assert.doesNotMatch(context, /Approved: sha256/);
});

test('mistakes are mended and told; strictly they are refused', async () => {
	const sloppy = { questions: JSON.stringify([{
		question: 'Which one', header: 'A very long header', options: ['A', 'B', 'Other'],
	}]) };
	const ask = await askIn('ask_user_question', sloppy);
	assert.equal(ask.questions[0].text, 'Which one?');
	assert.deepEqual(ask.questions[0].options.map((o) => o.label), ['A', 'B']);
	for (const word of ['array', 'header', 'Other', 'end with ?']) {
		assert.ok(ask.foreign.repairs.some((r) => r.includes(word)), word);
	}
	const reply = await agent.post('/v1/asks?dialect=ask_user_question&strict=true', sloppy);
	assert.equal(reply.status, 422);
	assert.ok(reply.body.errors.length > 1);
});

test('strict: the rules of the terminal dialog, and answers by header', async () => {
	const wrong = structuredClone(question);
	wrong.questions[0].question = 'No question mark';
	const refused = await agent.post('/v1/asks?dialect=ask_user_question&strict=true', wrong);
	assert.equal(refused.status, 422);
	assert.equal(refused.body.detail, 'Question must end with ?: Target');
	const ask = await askIn('ask_user_question', question, '&strict=true');
	await member.answer(ask, { q1: 'Staging' });
	const { reply } = await replyIn('ask_user_question', ask);
	assert.deepEqual(reply.answers, { Target: 'Staging' });
});

test('an unknown dialect is told which there are', async () => {
	const { id } = await agent.ask();
	for (const call of [agent.post('/v1/asks?dialect=klingon', question),
		agent.get(`/v1/asks/${id}?dialect=klingon`)]) {
		const reply = await call;
		assert.equal(reply.status, 422);
		assert.equal(reply.body.errors[0].pointer, '/dialect');
		assert.match(reply.body.errors[0].detail, /ask_user_question/);
		assert.match(reply.body.errors[0].detail, /permission, .* or mastra$/);
	}
});

test('what cannot be understood is refused with pointers into the request', async () => {
	const reply = await agent.post('/v1/asks?dialect=ask_user_question',
		{ questions: [{ question: '', options: [{}] }] });
	assert.equal(reply.status, 422);
	assert.ok(reply.body.errors.some((e) => e.pointer.startsWith('/questions/0')));
});

test('a text body speaks no dialect', async () => {
	const reply = await agent.post('/v1/asks?dialect=permission', 'Deploy?', { type: 'text/plain' });
	assert.equal(reply.status, 415);
});

test('asking in a session, and again with the same key', async () => {
	const session = await agent.session();
	const path = `/v1/sessions/${session.id}/asks?dialect=ask_user_question`;
	const headers = { 'idempotency-key': 'dialect-1' };
	const first = await agent.post(path, question, { headers });
	const again = await agent.post(path, question, { headers });
	assert.equal(first.body.session, session.id);
	assert.equal(again.body.id, first.body.id);
});

// The same examples and schemas as the unit tests have; ajv says whether those are right.
const read = (name) =>
	JSON.parse(readFileSync(new URL(`../dialects/${name}.json`, import.meta.url), 'utf8'));
const examples = read('examples');
const ajv = new Ajv.default({ strict: false });
const schemas = Object.entries(read('replies')).map(([name, schema]) =>
	[name, ajv.compile(schema)]);

for (const [dialect, fits] of schemas) {
	test(`${dialect}: whatever becomes of an ask, the reply is valid`, async () => {
		const { request, answers } = examples[dialect];
		const settle = {
			answer: (ask) => member.answer(ask, answers),
			skip: (ask) => member.post(`/v1/asks/${ask.id}/skip`),
			cancel: (ask) => agent.post(`/v1/asks/${ask.id}/cancel`),
		};
		const replies = [];
		for (const verb of Object.keys(settle)) {
			const ask = await askIn(dialect, request);
			assert.deepEqual(ask.foreign.request, request);
			await settle[verb](ask);
			const { reply } = await replyIn(dialect, ask);
			assert.ok(fits(reply), `${JSON.stringify(reply)} ${ajv.errorsText(fits.errors)}`);
			replies.push(JSON.stringify(reply));
		}
		assert.ok(!replies.slice(1).includes(replies[0]), 'an answer is like no other end');
	});
}
