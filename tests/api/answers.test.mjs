// Settling: answer, skip, cancel, settle-many; replies, assign, claim, extend.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice, pointers, text } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger } = server;

/** Asks one question, answers it; → the reply. */
async function tried(question, value) {
	const ask = await agent.ask({ questions: [question] });
	return member.post(`/v1/asks/${ask.id}/answer`, { answers: { [ask.questions[0].key]: value } });
}

const accepts = (name, question, value, full, summary) => test(name, async () => {
	const reply = await tried(question, value);
	assert.equal(reply.status, 200, reply.text);
	assert.deepEqual(Object.values(reply.body.ask.answer), [full]);
	if (summary) assert.equal(reply.body.ask.summary, summary);
});

const refuses = (name, question, value) => test(name, async () => {
	const reply = await tried(question, value);
	assert.equal(reply.status, 422, reply.text);
	const key = question.key ?? 'q1';
	assert.ok(pointers(reply).every((p) => p.startsWith(`/answers/${key}`)), reply.text);
	assert.ok(pointers(reply).length > 0);
});

const yes = { text: 'Go?', type: 'boolean' };
const number = { text: 'How many?', type: 'number', min: 1, max: 10 };
const several = choice({ type: 'choices' });

accepts('a choice is answered by its option id', choice(), 'staging',
	{ selected: ['staging'] }, '- Environment: Staging');
accepts('a choice is answered by its option label', choice(), 'Production',
	{ selected: ['production'] }, '- Environment: Production');
accepts('a choice is answered in the full form', choice(), { selected: ['staging'] },
	{ selected: ['staging'] });
accepts('where other is offered, a string that is no option is its text', choice({ other: true }),
	'The moon', { other: 'The moon' }, '- Environment: Other: The moon');
accepts('other may be given in the full form', choice({ other: true }), { other: 'Mars' },
	{ other: 'Mars' });
accepts('choices take an array of ids and labels', several, ['staging', 'Production'],
	{ selected: ['staging', 'production'] }, '- Environment: Staging, Production');
accepts('choices take a single string', several, 'staging', { selected: ['staging'] });
accepts('the same option twice counts once', several, ['staging', 'Staging'],
	{ selected: ['staging'] });
accepts('a boolean takes true', yes, true, { value: true });
accepts('a boolean takes false', yes, false, { value: false });
accepts('a boolean takes the full form', yes, { value: true }, { value: true });
accepts('a number takes a number', number, 7, { value: 7 });
accepts('a number takes the full form', number, { value: 2.5 }, { value: 2.5 });
accepts('a text takes a string', text(), 'Because.', { text: 'Because.' });
accepts('a text takes the full form', text(), { text: 'So.' }, { text: 'So.' });
accepts('a note stands beside the choice', choice({ note: { placeholder: 'Why' } }),
	{ selected: ['staging'], text: 'safer' }, { selected: ['staging'], text: 'safer' });
accepts('a text answer may have 10,000 characters', text(), 'é'.repeat(10000),
	{ text: 'é'.repeat(10000) });
for (const [format, good] of [['email', 'a@example.org'], ['uri', 'https://example.org/x'],
	['date', '2026-11-15'], ['date-time', '2026-11-15T08:00:00Z']]) {
	accepts(`a text of format ${format} takes ${good}`, text({ format }), good, { text: good });
	refuses(`a text of format ${format} does not take "nope"`, text({ format }), 'nope');
}

refuses('an unknown option is refused', choice(), 'mars');
refuses('an unknown option in the full form is refused', choice(), { selected: ['mars'] });
refuses('two options for a single choice are refused', choice(), ['staging', 'production']);
refuses('Other is refused where it is not offered', choice(), { other: 'Mars' });
refuses('an unknown member of the full form is refused', choice(), { chosen: ['staging'] });
refuses('a number for a choice is refused', choice(), 3);
refuses('no option at all is refused where an answer is required', several, []);
refuses('fewer choices than min are refused', choice({ type: 'choices', min: 2 }), ['staging']);
refuses('more choices than max are refused', choice({ type: 'choices', max: 1 }),
	['staging', 'production']);
refuses('a string for a boolean is refused', yes, 'perhaps');
refuses('a number for a boolean is refused', yes, 1);
refuses('a string for a number is refused', number, 'many');
refuses('a number below min is refused', number, 0);
refuses('a number above max is refused', number, 11);
refuses('a number for a text is refused', text(), 5);
refuses('an empty text is refused where an answer is required', text(), '');
refuses('a text shorter than min is refused', text({ min: 5 }), 'four');
refuses('a text longer than max is refused', text({ max: 3 }), 'four');
refuses('a text over 10,000 characters is refused', text(), 'x'.repeat(10001));
refuses('a missing required note is refused', choice({ note: { required: true } }), 'staging');
refuses('null is refused where an answer is required', yes, null);

test('an answer settles the ask: status, answer, who, when, version', async () => {
	const ask = await agent.ask({ questions: [choice(), text()] });
	const reply = await member.answer(ask, { env: 'staging', why: 'Safer.' });
	assert.equal(reply.status, 200);
	const settled = reply.body.ask;
	assert.equal(settled.status, 'answered');
	assert.deepEqual(settled.answer, { env: { selected: ['staging'] }, why: { text: 'Safer.' } });
	assert.deepEqual([settled.answered_by.kind, settled.answered_by.name,
		settled.answered_by.via], ['human', 'mia', 'api']);
	assert.ok(Date.parse(settled.settled_at) >= Date.parse(settled.created_at));
	assert.ok(settled.version > ask.version);
	assert.deepEqual(await agent.read(ask), settled);
});

test('the summary has a line a question, in question order', async () => {
	const ask = await agent.ask({ questions: [choice({ other: true }), text({ header: 'Reason' }),
		{ key: 'n', header: 'Count', text: 'How many?', type: 'number' }] });
	const reply = await member.answer(ask, { n: 3, why: 'Safer.', env: 'Venus' });
	assert.equal(reply.body.ask.summary,
		'- Environment: Other: Venus\n- Reason: Safer.\n- Count: 3');
});

test('answer instead of answers is for a single question', async () => {
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/answer`, { answer: true });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.ask.answer, { q1: { value: true } });
});

test('answer is refused where there are two questions', async () => {
	const ask = await agent.ask({ questions: [choice(), text()] });
	const reply = await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'staging' });
	assert.equal(reply.status, 422);
	assert.equal((await member.read(ask)).status, 'pending');
});

test('answer is for the one question that must be answered, where the others may be left out', async () => {
	const ask = await agent.ask({ questions: [text({ key: 'why', required: false }), choice({ key: 'env' })] });
	const reply = await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'staging' });
	assert.equal(reply.status, 200, reply.text);
	assert.deepEqual(reply.body.ask.answer, { env: { selected: ['staging'] } });
});

test('an unknown question is refused with its pointer', async () => {
	const ask = await agent.ask();
	const reply = await member.answer(ask, { q1: true, q9: true });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/answers/q9']);
});

test('a missing required answer is refused with its pointer, and the ask stays pending', async () => {
	const ask = await agent.ask({ questions: [choice(), text()] });
	const reply = await member.answer(ask, { env: 'staging' });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/answers/why']);
	assert.equal((await member.read(ask)).version, ask.version);
});

test('what is not required may be left out', async () => {
	const ask = await agent.ask({ questions: [choice(), text({ required: false })] });
	const reply = await member.answer(ask, { env: 'staging' });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.ask.answer, { env: { selected: ['staging'] } });
});

test('all that is wrong with an answer is told at once', async () => {
	const ask = await agent.ask({ questions: [choice(), text(), { ...yes, key: 'go' }] });
	const reply = await member.answer(ask, { env: 'mars', why: 5, go: 'x' });
	assert.deepEqual(pointers(reply), ['/answers/env', '/answers/go', '/answers/why']);
});

test('a body without answers is refused', async () => {
	const ask = await agent.ask();
	for (const body of [{}, { answers: {}, answer: true }, { answers: [] }, { value: true }]) {
		assert.equal((await member.post(`/v1/asks/${ask.id}/answer`, body)).status, 422);
	}
});

test('an ask that is settled already is 409 and carries the winner', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	const reply = await admin.answer(ask, { q1: false });
	assert.equal(reply.status, 409);
	assert.equal(reply.body.ask.id, ask.id);
	assert.deepEqual(reply.body.ask.answer, { q1: { value: true } });
	assert.equal(reply.body.ask.answered_by.name, 'mia');
});

for (const [first, then] of [['answer', 'skip'], ['skip', 'answer'], ['cancel', 'answer'],
	['answer', 'cancel'], ['skip', 'cancel']]) {
	test(`after ${first}, ${then} is 409`, async () => {
		const ask = await agent.ask();
		const call = (verb) => admin.post(`/v1/asks/${ask.id}/${verb}`,
			verb === 'answer' ? { answers: { q1: true } } : {});
		assert.equal((await call(first)).status, 200);
		const reply = await call(then);
		assert.equal(reply.status, 409);
		assert.equal(reply.body.ask.status,
			{ answer: 'answered', skip: 'skipped', cancel: 'cancelled' }[first]);
	});
}

test('of twenty answers at once exactly one wins, and the losers learn who', async () => {
	const ask = await agent.ask({ questions: [{ key: 'n', text: 'N?', type: 'number' }] });
	const replies = await Promise.all(Array.from({ length: 20 },
		(_, n) => (n % 2 ? member : admin).answer(ask, { n })));
	const won = replies.filter((r) => r.status === 200);
	assert.equal(won.length, 1);
	for (const reply of replies.filter((r) => r.status !== 200)) {
		assert.equal(reply.status, 409);
		assert.deepEqual(reply.body.ask.answer, won[0].body.ask.answer);
	}
});

test('resumed says that the session waits for nothing more', async () => {
	const session = await agent.session({ parallel: true });
	const one = await agent.ask({ session: session.id });
	const two = await agent.ask({ session: session.id });
	assert.equal((await member.answer(one, { q1: true })).body.resumed, false);
	assert.equal((await member.answer(two, { q1: true })).body.resumed, true);
});

test('a person may skip, with a reason', async () => {
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/skip`, { reason: 'Not mine to say.' });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.resumed, true);
	assert.equal(reply.body.ask.status, 'skipped');
	assert.equal(reply.body.ask.answer, null);
	assert.equal(reply.body.ask.reason, 'Not mine to say.');
});

test('skip and cancel need no body', async () => {
	const [one, two] = [await agent.ask(), await agent.ask()];
	assert.equal((await member.request('POST', `/v1/asks/${one.id}/skip`)).status, 200);
	assert.equal((await agent.request('POST', `/v1/asks/${two.id}/cancel`)).status, 200);
});

test('the asking agent may cancel its ask', async () => {
	const ask = await agent.ask();
	const reply = await agent.post(`/v1/asks/${ask.id}/cancel`, { reason: 'Found out myself.' });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.ask.status, 'cancelled');
	assert.equal(reply.body.ask.reason, 'Found out myself.');
	assert.equal(reply.body.ask.answered_by, null);
});

test('an admin may cancel any ask, a member may not', async () => {
	const ask = await agent.ask();
	assert.equal((await member.post(`/v1/asks/${ask.id}/cancel`)).status, 403);
	assert.equal((await admin.post(`/v1/asks/${ask.id}/cancel`)).status, 200);
});

test('asking back adds to the thread and leaves the ask pending', async () => {
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Which version?' });
	assert.equal(reply.status, 201);
	assert.equal(reply.body.status, 'pending');
	const answered = await agent.post(`/v1/asks/${ask.id}/replies`, { text: '4.2' });
	assert.equal(answered.status, 201);
	assert.deepEqual(answered.body.replies.map((r) => r.text), ['Which version?', '4.2']);
	assert.deepEqual(answered.body.replies.map((r) => r.by.name), ['mia', 'builder']);
});

test('a reply needs text and a pending ask', async () => {
	const ask = await agent.ask();
	assert.equal((await member.post(`/v1/asks/${ask.id}/replies`, { text: '' })).status, 422);
	assert.equal((await member.post(`/v1/asks/${ask.id}/replies`, {})).status, 422);
	await member.answer(ask, { q1: true });
	assert.equal((await member.post(`/v1/asks/${ask.id}/replies`, { text: 'x' })).status, 409);
});

test('another agent can neither reply nor cancel: it does not see the ask', async () => {
	const ask = await agent.ask();
	assert.equal((await stranger.post(`/v1/asks/${ask.id}/replies`, { text: 'x' })).status, 404);
	assert.equal((await stranger.post(`/v1/asks/${ask.id}/cancel`)).status, 404);
});

test('assign sets who should answer, and an empty list nobody', async () => {
	const user = (await admin.post('/v1/users', { name: 'olga', role: 'member' })).body;
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/assign`, { assignees: [user.id] });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.assignees, [user.id]);
	const none = await member.post(`/v1/asks/${ask.id}/assign`, { assignees: [] });
	assert.deepEqual(none.body.assignees, []);
});

test('assigning to a user that does not exist is 422', async () => {
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/assign`, {
		assignees: ['usr_00000000000000000000000000'] });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/assignees/0']);
});

test('a claim names who is at it, for two minutes', async () => {
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/claim`);
	assert.equal(reply.status, 200);
	assert.equal(reply.body.claimed_by.name, 'mia');
	const left = Date.parse(reply.body.claimed_by.until) - Date.now();
	assert.ok(left > 110e3 && left <= 121e3, String(left));
});

test('a claim can be renewed, and runs out by itself', async () => {
	const ask = await agent.ask();
	const first = (await member.post(`/v1/asks/${ask.id}/claim`)).body.claimed_by.until;
	server.jump(60e3);
	const second = (await member.post(`/v1/asks/${ask.id}/claim`)).body.claimed_by.until;
	assert.ok(Date.parse(second) > Date.parse(first));
	server.jump(121e3);
	assert.equal((await member.read(ask)).claimed_by, null);
});

test('what another has claimed cannot be claimed', async () => {
	const ask = await agent.ask();
	await member.post(`/v1/asks/${ask.id}/claim`);
	const reply = await admin.post(`/v1/asks/${ask.id}/claim`);
	assert.equal(reply.status, 409);
	assert.equal(reply.body.ask.claimed_by.name, 'mia');
});

test('a claim is advisory: another may still answer', async () => {
	const ask = await agent.ask();
	await member.post(`/v1/asks/${ask.id}/claim`);
	assert.equal((await admin.answer(ask, { q1: true })).status, 200);
});

test('assign, claim and extend of a settled ask are 409', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	for (const [verb, body] of [['assign', { assignees: [] }], ['claim', {}],
		['extend', { timeout: '5m' }]]) {
		const reply = await member.post(`/v1/asks/${ask.id}/${verb}`, body);
		assert.equal(reply.status, 409, verb);
		assert.equal(reply.body.ask.id, ask.id);
	}
});

test('an agent never settles, claims or assigns', async () => {
	const ask = await agent.ask();
	for (const [verb, body] of [['answer', { answers: { q1: true } }], ['skip', {}], ['claim', {}],
		['assign', { assignees: [] }]]) {
		assert.equal((await agent.post(`/v1/asks/${ask.id}/${verb}`, body)).status, 403, verb);
	}
	assert.deepEqual(await member.read(ask), ask);
});

test('settle-many answers many asks alike', async () => {
	const asks = [await agent.ask(), await agent.ask(), await agent.ask()];
	const reply = await member.post('/v1/asks/settle-many', { ids: asks.map((a) => a.id),
		answers: { q1: true } });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.results.map((r) => [r.id, r.status, r.ask.status]),
		asks.map((a) => [a.id, 200, 'answered']));
});

test('settle-many skips many', async () => {
	const asks = [await agent.ask(), await agent.ask()];
	const reply = await member.post('/v1/asks/settle-many', { ids: asks.map((a) => a.id),
		skip: true });
	assert.deepEqual(reply.body.results.map((r) => r.ask.status), ['skipped', 'skipped']);
});

test('in settle-many none affects another, each has the status of the single call', async () => {
	const [good, settled, other] = [await agent.ask(), await agent.ask(),
		await agent.ask({ questions: [choice()] })];
	await member.answer(settled, { q1: false });
	const unknown = 'ask_00000000000000000000000000';
	const reply = await member.post('/v1/asks/settle-many', {
		ids: [settled.id, unknown, other.id, good.id], answers: { q1: true } });
	assert.equal(reply.status, 200);
	const { results } = reply.body;
	assert.deepEqual(results.map((r) => r.status), [409, 404, 422, 200]);
	assert.equal(results[0].problem.ask.id, settled.id);
	assert.equal(results[1].problem.status, 404);
	assert.ok(results[2].problem.errors.length > 0);
	assert.equal(results[3].ask.status, 'answered');
	assert.equal((await member.read(other)).status, 'pending');
});

test('settle-many takes 200 ids and no more', async () => {
	const ids = Array.from({ length: 201 }, () => 'ask_00000000000000000000000000');
	assert.equal((await member.post('/v1/asks/settle-many', { ids, skip: true })).status, 422);
	const most = await member.post('/v1/asks/settle-many', { ids: ids.slice(1), skip: true });
	assert.equal(most.status, 200);
	assert.equal(most.body.results.length, 200);
});

test('settle-many without answers or skip, or with both, is 422', async () => {
	const ids = [(await agent.ask()).id];
	assert.equal((await member.post('/v1/asks/settle-many', { ids })).status, 422);
	assert.equal((await member.post('/v1/asks/settle-many', { ids, skip: true,
		answers: { q1: true } })).status, 422);
	assert.equal((await member.post('/v1/asks/settle-many', { answers: {} })).status, 422);
});

test('an agent cannot settle many either', async () => {
	const ask = await agent.ask();
	const reply = await agent.post('/v1/asks/settle-many', { ids: [ask.id], skip: true });
	if (reply.status === 200) assert.equal(reply.body.results[0].status, 403);
	else assert.equal(reply.status, 403);
	assert.equal((await member.read(ask)).status, 'pending');
});

test('the same ask twice in settle-many is settled once', async () => {
	const ask = await agent.ask();
	const reply = await member.post('/v1/asks/settle-many', { ids: [ask.id, ask.id],
		answers: { q1: true } });
	assert.deepEqual(reply.body.results.map((r) => r.status), [200, 409]);
});
