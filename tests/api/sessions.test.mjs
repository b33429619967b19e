// Sessions: durable lines of work, their status, their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval, choice, pointers } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger } = server;

const read = async (id, who = agent) => (await who.get(`/v1/sessions/${id}`)).body;
const status = async (id) => (await read(id)).status;

test('a session is created idle, with what was given', async () => {
	const reply = await agent.post('/v1/sessions', { title: 'Nightly', project: 'apollo',
		metadata: { run: 7 } });
	assert.equal(reply.status, 201);
	const session = reply.body;
	assert.deepEqual([session.title, session.project, session.status, session.parallel,
		session.external_id, session.on_settled, session.agent.name],
	['Nightly', 'apollo', 'idle', false, null, null, 'builder']);
	assert.deepEqual([session.metadata, session.pending_asks], [{ run: 7 }, []]);
	assert.deepEqual(await read(session.id), session);
});

test('a session needs a title', async () => {
	const reply = await agent.post('/v1/sessions', {});
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/title']);
});

test('unknown members of a session are refused', async () => {
	const reply = await agent.post('/v1/sessions', { title: 'x', paralell: true });
	assert.deepEqual(pointers(reply), ['/paralell']);
});

test('an external_id made again returns the first session', async () => {
	const first = await agent.post('/v1/sessions', { title: 'One', external_id: 'cc-1' });
	const again = await agent.post('/v1/sessions', { title: 'Two', external_id: 'cc-1' });
	assert.deepEqual([first.status, again.status], [201, 200]);
	assert.deepEqual(again.body, first.body);
});

test('of ten sessions with one external_id at once, one is made', async () => {
	const replies = await Promise.all(Array.from({ length: 10 }, () => agent.post('/v1/sessions',
		{ title: 'Race', external_id: 'cc-race' })));
	assert.equal(new Set(replies.map((r) => r.body.id)).size, 1);
	assert.equal(replies.filter((r) => r.status === 201).length, 1);
});

test('on_settled is kept, and must be a web address', async () => {
	const on_settled = { webhook: 'https://example.org/hook' };
	assert.deepEqual((await agent.session({ on_settled })).on_settled, on_settled);
	for (const webhook of ['ftp://example.org', 'nonsense', 5]) {
		const reply = await agent.post('/v1/sessions', { title: 'x', on_settled: { webhook } });
		assert.equal(reply.status, 422, String(webhook));
	}
});

test('a blocking ask makes it wait for input, its answer makes it run', async () => {
	const session = await agent.session();
	const ask = await agent.ask({ session: session.id });
	assert.equal(await status(session.id), 'waiting_for_input');
	await member.answer(ask, { q1: true });
	assert.equal(await status(session.id), 'running');
});

test('an error recovery makes it wait for input', async () => {
	const ask = await agent.ask({ kind: 'error_recovery' });
	assert.equal(await status(ask.session), 'waiting_for_input');
	const reply = await member.answer(ask, { recovery: 'retry' });
	assert.equal(reply.body.resumed, true);
	assert.equal(await status(ask.session), 'completed');
});

test('a non-blocking ask does not make it wait', async () => {
	const session = await agent.session();
	await agent.ask({ session: session.id, kind: 'non_blocking' });
	assert.equal(await status(session.id), 'idle');
});

test('input comes before approval, and the last settlement makes it run', async () => {
	const { id: session } = await agent.session();
	const one = await agent.ask(approval({ session }));
	assert.equal(await status(session), 'waiting_for_approval');
	const two = await agent.ask({ session });
	assert.equal(await status(session), 'waiting_for_input');
	await member.answer(two, { q1: true });
	assert.equal(await status(session), 'waiting_for_approval');
	await member.answer(one, { decision: 'reject' });
	assert.equal(await status(session), 'running');
});

test('pending_asks holds its open asks, whole', async () => {
	const session = await agent.session();
	const { expect: _, ...ask } = await agent.ask({ session: session.id });
	assert.deepEqual((await read(session.id)).pending_asks, [ask]);
	await member.answer(ask, { q1: true });
	assert.deepEqual((await read(session.id)).pending_asks, []);
});

test('PATCH changes the title and updated_at', async () => {
	const session = await agent.session();
	const reply = await agent.patch(`/v1/sessions/${session.id}`, { title: 'Better' });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.title, 'Better');
	assert.ok(reply.body.updated_at >= session.updated_at);
});

for (const end of ['completed', 'failed', 'cancelled']) {
	test(`a session that is ${end} cancels its open asks`, async () => {
		const session = await agent.session();
		const ask = await agent.ask({ session: session.id });
		const side = await agent.ask({ session: session.id, kind: 'non_blocking' });
		const reply = await agent.patch(`/v1/sessions/${session.id}`, { status: end });
		assert.equal(reply.status, 200);
		assert.equal(reply.body.status, end);
		assert.deepEqual(reply.body.pending_asks, []);
		for (const one of [ask, side]) assert.equal((await member.read(one)).status, 'cancelled');
	});
}

test('a session waits only while something is asked in it', async () => {
	const session = await agent.session({ title: 'ext' });
	for (const waits of ['waiting_for_input', 'waiting_for_approval']) {
		const reply = await agent.patch(`/v1/sessions/${session.id}`, { status: waits });
		assert.deepEqual([reply.status, reply.body.detail], [409, 'nothing is asked in this session: ask, and it waits by itself']);
	}
	assert.notEqual(await status(session.id), 'waiting_for_input');
	await agent.ask({ session: session.id, question: 'Go on?' });
	assert.equal((await agent.patch(`/v1/sessions/${session.id}`, { status: 'waiting_for_input' })).status, 200);
});

test('PATCH with an unknown status, member or nothing is 422', async () => {
	const session = await agent.session();
	for (const body of [{ status: 'sleeping' }, { name: 'x' }, {}, { title: '' }]) {
		assert.equal((await agent.patch(`/v1/sessions/${session.id}`, body)).status, 422,
			JSON.stringify(body));
	}
});

test('an ended session takes no asks', async () => {
	const session = await agent.session();
	await agent.patch(`/v1/sessions/${session.id}`, { status: 'completed' });
	const reply = await agent.post('/v1/asks', { session: session.id, question: 'A?',
		type: 'boolean' });
	assert.equal(reply.status, 409);
});

test('cancel ends the session and its asks', async () => {
	const ask = await agent.ask();
	const reply = await agent.post(`/v1/sessions/${ask.session}/cancel`);
	assert.equal(reply.status, 200);
	assert.equal(reply.body.status, 'cancelled');
	assert.equal((await member.read(ask)).status, 'cancelled');
});

test('an admin may change, cancel and delete any session, a member may not', async () => {
	const session = await agent.session();
	const path = `/v1/sessions/${session.id}`;
	assert.equal((await member.patch(path, { title: 'x' })).status, 403);
	assert.equal((await member.post(`${path}/cancel`)).status, 403);
	assert.equal((await member.delete(path)).status, 403);
	assert.equal((await admin.patch(path, { title: 'x' })).status, 200);
	assert.equal((await admin.post(`${path}/cancel`)).status, 200);
	assert.equal((await admin.delete(path)).status, 204);
});

test('another agent does not see the session', async () => {
	const session = await agent.session();
	const path = `/v1/sessions/${session.id}`;
	for (const [method, where, body] of [['GET', path], ['GET', `${path}/state`],
		['GET', `${path}/resume`], ['PATCH', path, { title: 'x' }], ['DELETE', path],
		['POST', `${path}/cancel`, {}], ['POST', `${path}/progress`, { text: 'x' }],
		['POST', `${path}/asks`, { question: 'A?', type: 'boolean' }]]) {
		const reply = await stranger.request(method, where, { body });
		assert.equal(reply.status, 404, `${method} ${where}`);
	}
	const reply = await stranger.post('/v1/asks', { session: session.id, question: 'A?',
		type: 'boolean' });
	assert.equal(reply.status, 404);
});

test("another agent's external_id is neither seen nor in the way", async () => {
	const mine = (await agent.post('/v1/sessions', { title: 'Mine', external_id: 'cc-mine' })).body;
	const reply = await stranger.post('/v1/sessions', { title: 'Other', external_id: 'cc-mine' });
	assert.equal(reply.status, 201);
	assert.notEqual(reply.body.id, mine.id);
	assert.equal((await stranger.get(`/v1/sessions/${mine.id}`)).status, 404);
	const again = await stranger.post('/v1/sessions', { title: 'Other', external_id: 'cc-mine' });
	assert.equal(again.body.id, reply.body.id);
});

test('DELETE takes everything under it along', async () => {
	const ask = await agent.ask();
	assert.equal((await agent.delete(`/v1/sessions/${ask.session}`)).status, 204);
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).status, 404);
	assert.equal((await agent.get(`/v1/sessions/${ask.session}`)).status, 404);
	assert.equal((await agent.delete(`/v1/sessions/${ask.session}`)).status, 404);
	const inbox = (await member.get('/v1/asks?status=all&limit=200')).body;
	assert.ok(!inbox.items.some((a) => a.id === ask.id));
});

test('the events of a deleted session keep number and type, their data is emptied', async () => {
	const { as_of: before } = await admin.events();
	const ask = await agent.ask();
	await agent.delete(`/v1/sessions/${ask.session}`);
	const { items } = await admin.events(before);
	assert.deepEqual(items.map((e) => e.id), items.map((_, i) => before + 1 + i));
	assert.deepEqual(items.slice(0, 2).map((e) => [e.type, e.data]),
		[['session.created', {}], ['ask.created', {}]]);
	assert.equal(items.at(-1).type, 'session.deleted');
});

test('an external_id is free again after a delete', async () => {
	const first = await agent.session({ external_id: 'cc-again' });
	await agent.delete(`/v1/sessions/${first.id}`);
	const reply = await agent.post('/v1/sessions', { title: 'x', external_id: 'cc-again' });
	assert.equal(reply.status, 201);
	assert.notEqual(reply.body.id, first.id);
});

test('progress is told as an event and leaves the status alone', async () => {
	const session = await agent.session();
	const { as_of: before } = await agent.events();
	const reply = await agent.post(`/v1/sessions/${session.id}/progress`, { text: 'Compiling',
		step: 2, steps: 5 });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.id, session.id);
	const { items } = await agent.events(before, '&types=session.progress');
	assert.equal(items.length, 1);
	assert.equal(items[0].session, session.id);
	assert.deepEqual([items[0].data.text, items[0].data.step, items[0].data.steps],
		['Compiling', 2, 5]);
});

test('progress needs text, and numbers for its steps', async () => {
	const session = await agent.session();
	for (const body of [{}, { text: 5 }, { text: 'x', step: 'two' }, { text: 'x', of: 3 }]) {
		const reply = await agent.post(`/v1/sessions/${session.id}/progress`, body);
		assert.equal(reply.status, 422, JSON.stringify(body));
	}
});

test('state shows the session, its asks and the rest', async () => {
	const session = await agent.session({ parallel: true });
	const one = await agent.ask({ session: session.id });
	const two = await agent.ask({ session: session.id });
	await member.answer(one, { q1: true });
	const state = (await agent.get(`/v1/sessions/${session.id}/state`)).body;
	assert.equal(state.session.id, session.id);
	assert.deepEqual(state.asks.map((a) => [a.id, a.status]),
		[[one.id, 'answered'], [two.id, 'pending']]);
	assert.deepEqual([state.messages, state.tool_calls, state.thoughts, state.runs, state.tasks],
		[[], [], [], [], []]);
});

test('resume: not before an ask is settled, not while one is open', async () => {
	const session = await agent.session();
	const resume = async () => (await agent.get(`/v1/sessions/${session.id}/resume`)).body;
	assert.equal((await resume()).can_resume, false);
	const ask = await agent.ask({ session: session.id, questions: [choice()] });
	assert.equal((await resume()).can_resume, false);
	await member.answer(ask, { env: 'staging' });
	const ready = await resume();
	assert.equal(ready.can_resume, true);
	assert.match(ready.context, /Where shall I deploy\?/);
	assert.match(ready.context, /Staging/);
});

test('an open non-blocking ask does not hinder resuming', async () => {
	const ask = await agent.ask();
	await agent.ask({ session: ask.session, kind: 'non_blocking' });
	await member.answer(ask, { q1: true });
	assert.equal((await agent.get(`/v1/sessions/${ask.session}/resume`)).body.can_resume, true);
});

test('an open approval hinders resuming', async () => {
	const ask = await agent.ask();
	await agent.ask(approval({ session: ask.session }));
	await member.answer(ask, { q1: true });
	assert.equal((await agent.get(`/v1/sessions/${ask.session}/resume`)).body.can_resume, false);
});

test('the resume context tells a default from a person', async () => {
	const { id: session } = await agent.session({ parallel: true });
	const one = await agent.ask({ session, questions: [choice()], timeout: 30,
		default: { env: 'staging' } });
	server.jump(31e3);
	const reply = await agent.get(`/v1/asks/${one.id}?wait=10`);
	assert.equal(reply.body.status, 'expired');
	const { context } = (await agent.get(`/v1/sessions/${session}/resume`)).body;
	assert.match(context, /default|no one|nobody|deadline|expired/i);
});

test('sessions are listed, filtered and paged', async () => {
	const project = 'listing';
	const made = [];
	for (const title of ['Alpha', 'Beta', 'Gamma']) {
		made.push((await agent.session({ title, project })).id);
	}
	await agent.ask({ session: made[1] });
	const list = async (query) => (await member.get(`/v1/sessions?project=${project}${query}`)).body;
	const ids = (page) => page.items.map((s) => s.id);
	assert.deepEqual(ids(await list('')).sort(), [...made].sort());
	assert.deepEqual(ids(await list('&status=waiting_for_input')), [made[1]]);
	assert.deepEqual(ids(await list('&q=GAMM')), [made[2]]);
	const one = await list('&limit=2');
	const two = await list(`&limit=2&cursor=${encodeURIComponent(one.next_cursor)}`);
	assert.deepEqual([...ids(one), ...ids(two)].sort(), [...made].sort());
	assert.equal(two.next_cursor, null);
});

test('an agent lists its own sessions only', async () => {
	const mine = await stranger.session({ title: 'Mine' });
	const { items } = (await stranger.get('/v1/sessions?limit=200')).body;
	assert.ok(items.some((s) => s.id === mine.id));
	assert.ok(items.every((s) => s.agent.name === 'stranger'));
});

test('sessions of an unknown status are 422', async () => {
	assert.equal((await member.get('/v1/sessions?status=asleep')).status, 422);
});

test('sessions survive a crash', async () => {
	const ask = await agent.ask();
	const before = await read(ask.session);
	await server.crash();
	const now = await read(ask.session);
	assert.deepEqual([now.status, now.pending_asks.length, now.updated_at],
		[before.status, 1, before.updated_at]);
});
