// POST /v1/asks and what the ask looks like.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval, choice, pointers, text } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;

const refused = async (body, ...expected) => {
	const reply = await agent.post('/v1/asks', body);
	assert.equal(reply.status, 422, reply.text);
	assert.deepEqual(pointers(reply), expected.sort());
};

test('an ask without a session makes one and returns it', async () => {
	const ask = await agent.ask({ title: 'Release 4.2' });
	const session = (await agent.get(`/v1/sessions/${ask.session}`)).body;
	assert.equal(session.status, 'waiting_for_input');
	assert.equal(session.title, 'Release 4.2');
	assert.equal(ask.session_title, 'Release 4.2');
});

test('a new ask is pending, blocking, normal, unclaimed, unassigned, version 1', async () => {
	const ask = await agent.ask();
	assert.deepEqual(
		[ask.status, ask.kind, ask.priority, ask.claimed_by, ask.assignees, ask.version],
		['pending', 'blocking', 'normal', null, [], 1]);
	assert.deepEqual([ask.answer, ask.answered_by, ask.settled_at, ask.expires_at, ask.run],
		[null, null, null, null, null]);
	assert.deepEqual([ask.operation, ask.digest, ask.approved_digest, ask.default, ask.reason],
		[null, null, null, null, null]);
	assert.deepEqual([ask.replies, ask.metadata], [[], {}]);
});

test('an ask names the agent that asked', async () => {
	const ask = await agent.ask();
	assert.equal(ask.agent.name, 'builder');
	assert.equal(ask.agent.id, (await agent.ask()).agent.id);
});

test('url leads to the page of the ask', async () => {
	const ask = await agent.ask();
	assert.ok(ask.url.startsWith('http'));
	assert.ok(ask.url.endsWith(`/asks/${ask.id}`));
});

test('what was asked is what is read', async () => {
	const asked = await agent.ask({ questions: [choice(), text()], title: 'T', priority: 'high',
		context: { text: '*why*', job_type: 'deploy', attempt: 1, own: { free: [1, 2] } },
		metadata: { ticket: 7 }, timeout: '30m' });
	const read = await member.read(asked);
	assert.deepEqual(read, asked);
	assert.deepEqual(read.context, { text: '*why*', job_type: 'deploy', attempt: 1,
		own: { free: [1, 2] } });
	assert.deepEqual(read.metadata, { ticket: 7 });
	assert.equal(read.priority, 'high');
	assert.deepEqual(read.questions[0].options.map((o) => [o.id, o.label, o.description]),
		[['staging', 'Staging', 'The rehearsal'], ['production', 'Production', undefined]]);
});

test('a single question may be given flat', async () => {
	const ask = await agent.ask({ question: 'Where?', type: 'choice', header: 'Place',
		options: [{ label: 'Here' }, { label: 'There' }] });
	assert.equal(ask.questions.length, 1);
	assert.equal(ask.questions[0].text, 'Where?');
	assert.equal(ask.questions[0].header, 'Place');
	assert.equal(ask.questions[0].key, 'q1');
});

test('a flat question and a list of questions together are refused', async () => {
	const reply = await agent.post('/v1/asks', { question: 'A?', questions: [text()] });
	assert.equal(reply.status, 422);
});

test('an ask with no question is refused', async () => {
	assert.equal((await agent.post('/v1/asks', {})).status, 422);
	await refused({ questions: [] }, '/questions');
});

test('keys default to q1, q2, …', async () => {
	const ask = await agent.ask({ questions: [{ text: 'A?', type: 'boolean' },
		{ text: 'B?', type: 'text' }] });
	assert.deepEqual(ask.questions.map((q) => q.key), ['q1', 'q2']);
});

test('keys must be unique in the ask', async () => {
	await refused({ questions: [text(), text()] }, '/questions/1/key');
});

test('twenty questions are accepted, twenty-one are not', async () => {
	const questions = Array.from({ length: 20 }, () => ({ text: 'A?', type: 'boolean' }));
	assert.equal((await agent.ask({ questions })).questions.length, 20);
	await refused({ questions: [...questions, { text: 'B?', type: 'text' }] }, '/questions');
});

test('twenty options are accepted, twenty-one are not', async () => {
	const options = Array.from({ length: 20 }, (_, i) => ({ id: `o${i}`, label: `Option ${i}` }));
	assert.equal((await agent.ask({ questions: [choice({ options })] })).questions[0].options.length,
		20);
	await refused({ questions: [choice({ options: [...options, { label: 'X' }] })] },
		'/questions/0/options');
});

test('an option without an id has its label for one', async () => {
	const ask = await agent.ask({ questions: [choice({ options: [{ label: 'Red' },
		{ label: 'Blue' }] })] });
	assert.deepEqual(ask.questions[0].options.map((o) => o.id), ['Red', 'Blue']);
});

test('option ids must be unique', async () => {
	await refused({ questions: [choice({ options: [{ id: 'a', label: 'A' },
		{ id: 'a', label: 'B' }] })] }, '/questions/0/options/1/id');
});

test('an option without a label is refused', async () => {
	await refused({ questions: [choice({ options: [{ id: 'a' }, { id: 'b', label: 'B' }] })] },
		'/questions/0/options/0/label');
});

test('a choice without options is refused', async () => {
	const { options, ...bare } = choice();
	assert.ok(options);
	await refused({ questions: [bare] }, '/questions/0/options');
});

for (const [name, size, body, pointer] of [
	['title', 200, (t) => ({ question: 'A?', type: 'boolean', title: t }), '/title'],
	['header', 80, (t) => ({ questions: [text({ header: t })] }), '/questions/0/header'],
	['text', 2000, (t) => ({ questions: [text({ text: t })] }), '/questions/0/text'],
	['label', 256, (t) => ({ questions: [choice({ options: [{ id: 'a', label: t },
		{ label: 'B' }] })] }), '/questions/0/options/0/label'],
	['description', 1000, (t) => ({ questions: [choice({ options: [{ label: 'A', description: t },
		{ label: 'B' }] })] }), '/questions/0/options/0/description'],
	['context.text', 5000, (t) => ({ question: 'A?', type: 'boolean', context: { text: t } }),
		'/context/text'],
	['context.preview', 100000, (t) => ({ question: 'A?', type: 'boolean',
		context: { preview: t } }), '/context/preview'],
	['context.diff', 100000, (t) => ({ question: 'A?', type: 'boolean', context: { diff: t } }),
		'/context/diff'],
]) {
	test(`${name} may have ${size} characters and no more`, async () => {
		await agent.ask(body('é'.repeat(size)));
		await refused(body('é'.repeat(size + 1)), pointer);
	});
}

test('a title is one line', async () => {
	await refused({ question: 'A?', type: 'boolean', title: 'a\nb' }, '/title');
});

test('metadata may have 16 KB and no more', async () => {
	await agent.ask({ metadata: { a: 'x'.repeat(16000) } });
	await refused({ question: 'A?', type: 'boolean', metadata: { a: 'x'.repeat(17000) } },
		'/metadata');
});

test('metadata that is no object is refused', async () => {
	await refused({ question: 'A?', type: 'boolean', metadata: [1] }, '/metadata');
});

for (const kind of ['blocking', 'non_blocking', 'approval', 'error_recovery']) {
	test(`kind ${kind} is accepted`, async () => {
		const ask = await agent.ask(kind === 'approval' ? approval() : { kind });
		assert.equal(ask.kind, kind);
	});
}

for (const priority of ['low', 'normal', 'high', 'urgent']) {
	test(`priority ${priority} is accepted`, async () => {
		assert.equal((await agent.ask({ priority })).priority, priority);
	});
}

for (const type of ['text', 'number', 'boolean']) {
	test(`a question may be of type ${type}`, async () => {
		assert.equal((await agent.ask({ question: 'A?', type })).questions[0].type, type);
	});
}

for (const format of ['email', 'uri', 'date', 'date-time']) {
	test(`a text may have the format ${format}`, async () => {
		const ask = await agent.ask({ questions: [text({ format })] });
		assert.equal(ask.questions[0].format, format);
	});
}

test('an unknown question type, format or risk is refused', async () => {
	await refused({ question: 'A?', type: 'colour' }, '/type');
	await refused({ questions: [text({ format: 'phone' })] }, '/questions/0/format');
	await refused(approval({ operation: { name: 'x', risk: 'huge' } }), '/operation/risk');
});

test('a question is required unless it says otherwise', async () => {
	const ask = await agent.ask({ questions: [text(), text({ key: 'b', required: false })] });
	assert.deepEqual(ask.questions.map((q) => q.required), [true, false]);
});

test('other, note, placeholder, min, max and suggested are kept', async () => {
	const question = choice({ type: 'choices', other: true, min: 1, max: 2,
		note: { placeholder: 'Why', required: true }, suggested: ['staging'] });
	const [kept] = (await agent.ask({ questions: [question] })).questions;
	assert.equal(kept.other, true);
	assert.deepEqual(kept.note, { placeholder: 'Why', required: true });
	assert.deepEqual([kept.min, kept.max], [1, 2]);
	assert.deepEqual(kept.suggested, ['staging']);
	const [written] = (await agent.ask({ questions: [text({ placeholder: 'x' })] })).questions;
	assert.equal(written.placeholder, 'x');
});

test('a prefill is kept and checked like an answer', async () => {
	const ask = await agent.ask({ questions: [choice({ prefill: 'staging' })] });
	assert.equal(ask.status, 'pending');
	assert.ok('prefill' in ask.questions[0]);
	await refused({ questions: [choice({ prefill: 'mars' })] }, '/questions/0/prefill');
});

test('min above max is refused', async () => {
	const reply = await agent.post('/v1/asks', { question: 'A?', type: 'number', min: 5, max: 1 });
	assert.equal(reply.status, 422);
});

test('timeout null waits for ever, as an absent one does', async () => {
	assert.equal((await agent.ask({ timeout: null })).expires_at, null);
});

test('a timeout under one second or over thirty days is refused', async () => {
	await refused({ question: 'A?', type: 'boolean', timeout: 0.5 }, '/timeout');
	await refused({ question: 'A?', type: 'boolean', timeout: '31d' }, '/timeout');
	await agent.ask({ timeout: 1 });
	await agent.ask({ timeout: '30d' });
});

test('a text/plain body is a yes/no ask with that text', async () => {
	const reply = await agent.request('POST', '/v1/asks', { body: 'Deploy, then?',
		type: 'text/plain' });
	assert.equal(reply.status, 201);
	const [question] = reply.body.questions;
	assert.deepEqual([question.text, question.type], ['Deploy, then?', 'boolean']);
});

test('what curl -d sends is taken as it is for the text', async () => {
	const body = 'a=1&b=%20+c?';
	const reply = await agent.request('POST', '/v1/asks', { body,
		type: 'application/x-www-form-urlencoded' });
	assert.equal(reply.status, 201);
	assert.equal(reply.body.questions[0].text, body);
	assert.equal(reply.body.questions[0].type, 'boolean');
});

test('a plain body that is empty is refused', async () => {
	const reply = await agent.request('POST', '/v1/asks', { body: '', type: 'text/plain' });
	assert.ok([400, 422].includes(reply.status), String(reply.status));
});

test('an ask may name its session in the body', async () => {
	const session = await agent.session();
	assert.equal((await agent.ask({ session: session.id })).session, session.id);
});

test('an ask may be made under its session', async () => {
	const session = await agent.session();
	const reply = await agent.post(`/v1/sessions/${session.id}/asks`, { question: 'A?',
		type: 'boolean' });
	assert.equal(reply.status, 201);
	assert.equal(reply.body.session, session.id);
});

test('a plain body works under a session too', async () => {
	const session = await agent.session();
	const reply = await agent.request('POST', `/v1/sessions/${session.id}/asks`, {
		body: 'Go?', type: 'text/plain' });
	assert.equal(reply.status, 201);
	assert.equal(reply.body.session, session.id);
});

test('an ask in a session that does not exist is 404', async () => {
	const reply = await agent.post('/v1/asks', { session: 'ses_00000000000000000000000000',
		question: 'A?', type: 'boolean' });
	assert.equal(reply.status, 404);
});

test('a second open blocking ask in one session is 409 and carries the open one', async () => {
	const first = await agent.ask();
	const reply = await agent.post('/v1/asks', { session: first.session, question: 'B?',
		type: 'boolean' });
	assert.equal(reply.status, 409);
	assert.equal(reply.body.ask.id, first.id);
});

test('once the first is settled the session takes the next blocking ask', async () => {
	const first = await agent.ask();
	await member.answer(first, { q1: true });
	assert.equal((await agent.ask({ session: first.session })).status, 'pending');
});

test('a parallel session takes many open blocking asks', async () => {
	const session = await agent.session({ parallel: true });
	await agent.ask({ session: session.id });
	assert.equal((await agent.ask({ session: session.id })).status, 'pending');
});

test('asks that do not block may stand beside a blocking one', async () => {
	const first = await agent.ask();
	await agent.ask({ session: first.session, kind: 'non_blocking' });
	await agent.ask({ session: first.session, kind: 'non_blocking' });
	await agent.ask(approval({ session: first.session }));
});

test('asks of different sessions are independent', async () => {
	const [one, two] = [await agent.ask(), await agent.ask()];
	await member.answer(two, { q1: true });
	assert.equal((await agent.read(one)).status, 'pending');
});

test('an approval without questions gets one, key decision', async () => {
	const ask = await agent.ask(approval());
	assert.equal(ask.questions.length, 1);
	assert.deepEqual([ask.questions[0].key, ask.questions[0].type], ['decision', 'approval']);
});

test('an error recovery without questions gets retry, edit, skip and abort', async () => {
	const ask = await agent.ask({ kind: 'error_recovery',
		context: { error_details: 'ECONNREFUSED', attempt: 2, attempts: 3 } });
	assert.equal(ask.questions[0].key, 'recovery');
	assert.deepEqual(ask.questions[0].options.map((o) => o.id), ['retry', 'edit', 'skip', 'abort']);
	assert.equal(ask.context.error_details, 'ECONNREFUSED');
});

test('assignees must be users', async () => {
	await refused({ question: 'A?', type: 'boolean', assignees: ['mia'] }, '/assignees/0');
});

test('an ask may be assigned when it is made', async () => {
	const user = (await admin.post('/v1/users', { name: 'nora', role: 'member' })).body;
	assert.deepEqual((await agent.ask({ assignees: [user.id] })).assignees, [user.id]);
});

test('a member may ask too', async () => {
	assert.equal((await member.post('/v1/asks', { question: 'A?', type: 'boolean' })).status, 201);
});

test('GET shows and never settles', async () => {
	const ask = await agent.ask();
	for (const verb of ['answer', 'skip', 'cancel']) {
		const reply = await member.get(`/v1/asks/${ask.id}/${verb}`);
		assert.equal(reply.status, 405);
	}
	assert.equal((await member.read(ask)).status, 'pending');
});

test('HEAD is as GET without the body', async () => {
	const ask = await agent.ask();
	const reply = await member.request('HEAD', `/v1/asks/${ask.id}`);
	assert.equal(reply.status, 200);
	assert.equal(reply.text, '');
});
