// What people see of what was decided, and what only they see: history, marks, views, revoke.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const viewer = await server.as('viewer');
const other = await server.as('member', 'ned');

const list = async (client, query) => (await client.get(`/v1/asks${query}`)).body;
const ids = (page) => page.items.map((a) => a.id);
const use = (ask) => agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });

test('history: by whom, with which outcome, when', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const asked = {};
	for (const name of ['approved', 'rejected']) {
		asked[name] = await agent.ask(approval({ session }));
		await member.answer(asked[name], { decision: name === 'approved' ? 'approve' : 'reject' });
	}
	asked.answered = await agent.ask({ session });
	await other.answer(asked.answered, { q1: true });
	asked.skipped = await agent.ask({ session });
	await member.post(`/v1/asks/${asked.skipped.id}/skip`, {});
	asked.cancelled = await agent.ask({ session });
	await agent.post(`/v1/asks/${asked.cancelled.id}/cancel`, {});
	const open = await agent.ask({ session });

	for (const outcome of Object.keys(asked)) {
		assert.deepEqual(ids(await list(member, `?session=${session}&outcome=${outcome}`)),
			[asked[outcome].id], outcome);
	}
	const settled = await list(viewer, `?session=${session}&status=settled`);
	assert.deepEqual(ids(settled), Object.values(asked).map((a) => a.id).reverse());
	assert.ok(!ids(settled).includes(open.id));
	assert.deepEqual(ids(await list(member, `?session=${session}&by=me`)),
		[asked.skipped.id, asked.rejected.id, asked.approved.id]);
	const ned = settled.items.find((a) => a.id === asked.answered.id).answered_by.user;
	assert.deepEqual(ids(await list(member, `?session=${session}&by=${ned}`)), [asked.answered.id]);
	assert.deepEqual(ids(await list(member, `?session=${session}&by=me&outcome=rejected`)),
		[asked.rejected.id]);
	const at = encodeURIComponent(settled.items[2].settled_at);
	assert.deepEqual(ids(await list(member, `?session=${session}&from=${at}&to=${at}&by=${ned}`)),
		settled.items[2].id === asked.answered.id ? [asked.answered.id] : []);
	assert.equal(ids(await list(member, `?session=${session}&from=${at}`)).length >= 3, true);
	assert.deepEqual(ids(await list(agent, '?status=settled&agent=other')),
		ids(await list(agent, '?status=settled')), 'an agent sees its own only');
	/* Two filters that contradict each other find nothing. */
	for (const query of ['status=pending&outcome=answered', 'status=pending&by=me', 'status=expired&outcome=skipped']) {
		assert.deepEqual(ids(await list(member, `?session=${session}&${query}`)), [], query);
	}
	assert.deepEqual(ids(await list(member, `?session=${session}&status=answered&outcome=answered`)), [asked.answered.id]);
});

test('history: what rules decided, counted, and where the log has it', async () => {
	const name = 'counted';
	const mine = await server.as('agent', name);
	const session = (await mine.session({ parallel: true })).id;
	const rule = (await admin.post('/v1/rules', { effect: 'allow', match: { agent: name, tool: ['shell'], risk: { max: 'high' } } })).body;
	const ruled = await mine.ask(approval({ session }));
	assert.equal(ruled.status, 'answered', JSON.stringify(ruled));
	await admin.delete(`/v1/rules/${rule.id}`);
	const rejected = await mine.ask(approval({ session }));
	await member.answer(rejected, { decision: 'reject' });
	const snoozed = await mine.ask({ session });
	await member.post(`/v1/asks/${snoozed.id}/mark`, { snoozed_until: new Date(Date.now() + 3_600_000).toISOString() });
	await other.answer(snoozed, { q1: true });

	assert.deepEqual(ids(await list(member, `?session=${session}&by=rules`)), [ruled.id]);
	assert.deepEqual(ids(await list(member, `?session=${session}&by=rules&outcome=rejected`)), []);
	assert.ok(ids(await list(member, `?session=${session}&status=settled`)).includes(snoozed.id), 'snoozed, then settled by another');
	const counts = async (query) => (await member.get(`/v1/asks/counts?session=${session}${query}`)).body;
	assert.deepEqual(await counts(''),
		{ all: 3, mine: 1, by_people: 2, by_rules: 1, rejected: 1, expired: 0, capped: false });
	assert.deepEqual(await counts('&by=rules'),
		{ all: 1, mine: 0, by_people: 0, by_rules: 1, rejected: 0, expired: 0, capped: false });
	assert.equal((await counts('&agent=nobody')).all, 0);
	assert.equal((await member.get('/v1/asks/counts?by=everybody')).status, 422);

	const proved = (await list(member, `?session=${session}&status=settled&proof=true`)).items;
	for (const ask of proved) assert.match(ask.proof.hash, /^[0-9a-f]{64}$/);
	const [event] = (await member.get(`/v1/events?format=json&session=${session}&types=ask.answered`)).body.items
		.filter((one) => one.ask === rejected.id);
	assert.equal(proved.find((one) => one.id === rejected.id).proof.event, event.id);
	assert.deepEqual((await member.get(`/v1/asks/${rejected.id}?proof=true`)).body.proof,
		proved.find((one) => one.id === rejected.id).proof);
	assert.equal('proof' in (await member.get(`/v1/asks/${rejected.id}`)).body, false);
});

test('history comes in pages, newest first, none twice', async () => {
	const session = (await agent.session({ parallel: true })).id;
	for (let i = 0; i < 7; i++) await member.answer(await agent.ask({ session }), { q1: true });
	const whole = ids(await list(member, `?session=${session}&status=settled`));
	const seen = [];
	let cursor = '';
	do {
		const page = await list(member, `?session=${session}&status=settled&limit=2${cursor}`);
		seen.push(...ids(page));
		cursor = page.next_cursor && `&cursor=${encodeURIComponent(page.next_cursor)}`;
	} while (cursor);
	assert.equal(seen.length, 7);
	assert.deepEqual(seen, whole);
});

test('agents are filtered by name and by id', async () => {
	const far = await server.as('agent', 'far');
	const ask = await far.ask();
	for (const name of ['far', ask.agent.id]) {
		assert.deepEqual(ids(await list(member, `?agent=${name}`)), [ask.id], name);
	}
	assert.deepEqual(ids(await list(member, '?agent=nobody')), []);
});

test('what a filter does not know is refused with its name', async () => {
	for (const [query, pointer] of [['outcome=perhaps', '/outcome'], ['by=mia', '/by'],
		['from=yesterday', '/from'], ['snoozed=sometimes', '/snoozed'], ['status=over', '/status']]) {
		const reply = await member.get(`/v1/asks?${query}`);
		assert.equal(reply.status, 422, query);
		assert.equal(reply.body.errors[0].pointer, pointer);
	}
});

test('a mark is its own', async () => {
	const ask = await agent.ask();
	assert.deepEqual((await member.get(`/v1/asks/${ask.id}`)).body.mark,
		{ read: false, snoozed_until: null });
	const reply = await member.post(`/v1/asks/${ask.id}/mark`, { read: true });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.mark.read, true);
	assert.equal(reply.body.version, ask.version);
	assert.equal((await other.get(`/v1/asks/${ask.id}`)).body.mark.read, false);
	assert.equal('mark' in (await agent.get(`/v1/asks/${ask.id}`)).body, false);
	assert.equal((await member.post(`/v1/asks/${ask.id}/mark`, { read: false })).body.mark.read, false);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/mark`, { read: true })).status, 403);
	assert.equal((await viewer.post(`/v1/asks/${ask.id}/mark`, { read: true })).status, 200);
	assert.equal((await member.post(`/v1/asks/${ask.id}/mark`, {})).status, 422);
	assert.equal((await member.post(`/v1/asks/${ask.id}/mark`, { snoozed_until: 'later' })).status, 422);
	assert.equal((await member.post('/v1/asks/ask_00000000000000000000000000/mark', { read: true })).status, 404);
});

test('a snoozed ask is out of sight until its time, its deadline, or a word of its agent', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const inbox = async (client, more = '') => ids(await list(client, `?session=${session}${more}`));
	const later = () => new Date(Date.now() + 3600e3).toISOString();
	const snooze = (ask, until = later()) => member.post(`/v1/asks/${ask.id}/mark`, { snoozed_until: until });
	const [one, two, three] = [await agent.ask({ session }), await agent.ask({ session, timeout: '4m' }),
		await agent.ask({ session })];
	await snooze(one);
	await snooze(two);
	await snooze(three);
	assert.deepEqual(await inbox(member), [two.id], 'a deadline within five minutes is shown');
	assert.deepEqual(await inbox(member, '&snoozed=yes'), [one.id, three.id]);
	assert.deepEqual(await inbox(member, '&snoozed=all'), [one.id, two.id, three.id]);
	assert.deepEqual(await inbox(other), [one.id, two.id, three.id]);
	assert.deepEqual(await inbox(agent), [one.id, two.id, three.id]);
	await agent.post(`/v1/asks/${one.id}/replies`, { text: 'It is urgent now.' });
	assert.deepEqual(await inbox(member), [one.id, two.id]);
	await snooze(three, null);
	assert.deepEqual(await inbox(member), [one.id, two.id, three.id]);
	await snooze(three, new Date(Date.now() - 1000).toISOString());
	assert.deepEqual(await inbox(member), [one.id, two.id, three.id]);
});

test('views are saved for a person', async () => {
	assert.deepEqual((await member.get('/v1/me/views')).body, []);
	const views = [{ name: 'Risky', query: 'risk=high' }, { name: 'À moi', query: '' }];
	const put = await member.put('/v1/me/views', views);
	assert.equal(put.status, 200);
	assert.deepEqual(put.body, views);
	assert.deepEqual((await member.get('/v1/me/views')).body, views);
	assert.deepEqual((await other.get('/v1/me/views')).body, []);
	assert.equal((await agent.get('/v1/me/views')).status, 403);
	assert.equal((await member.put('/v1/me/views', Array(21).fill(views[0]))).status, 422);
	assert.equal((await member.put('/v1/me/views', [{ name: '', query: 'x' }])).status, 422);
	assert.equal((await member.put('/v1/me/views', [{ name: 'x' }])).status, 422);
	assert.deepEqual((await member.get('/v1/me/views')).body, views);
});

test('the first run of a workspace is kept for all its people until it is done', async () => {
	const start = async (who) => (await who.get('/v1/me')).body.start;
	assert.equal(await start(member), null);
	assert.equal((await member.put('/v1/start', {})).status, 204);
	assert.deepEqual(await start(other), { test: null, done_at: null });
	const { body: ask } = await member.post('/v1/asks', { question: 'A test?', type: 'boolean' });
	assert.equal((await member.put('/v1/start', { test: ask.id })).status, 204);
	assert.deepEqual(await start(other), { test: ask.id, done_at: null });
	assert.equal((await other.put('/v1/start', { test: ask.id, done: true })).status, 204);
	const { done_at } = await start(member);
	assert.ok(Date.parse(done_at));
	assert.equal((await member.put('/v1/start', { test: ask.id, done: true })).status, 204);
	assert.equal((await start(member)).done_at, done_at, 'done once');
	assert.equal(await start(agent), null);
	assert.equal((await agent.put('/v1/start', {})).status, 403);
	for (const body of [{ test: 'no ask' }, { test: 1 }, { done: 'yes' }, { more: 1 }])
		assert.equal((await member.put('/v1/start', body)).status, 422, JSON.stringify(body));
});

test('an approval that was not used is taken back by who gave it', async () => {
	const ask = await agent.ask(approval());
	await member.answer(ask, { decision: 'approve' });
	assert.equal((await other.post(`/v1/asks/${ask.id}/revoke`, {})).status, 403);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/revoke`, {})).status, 403);
	const reply = await member.post(`/v1/asks/${ask.id}/revoke`, { reason: 'Wrong branch.' });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.revoked.reason, 'Wrong branch.');
	assert.equal(reply.body.revoked.by.name, (await member.get('/v1/me')).body.name);
	assert.equal(reply.body.status, 'answered');
	const used = await use(ask);
	assert.equal(used.status, 409);
	assert.equal(used.body.type, '/problems/revoked');
	assert.equal((await member.post(`/v1/asks/${ask.id}/revoke`, {})).status, 409);
	const events = (await member.get('/v1/events?format=json&after=0&types=ask.revoked&limit=200')).body;
	const event = events.items.find((e) => e.ask === ask.id);
	assert.match(event.data.decision, /^sha256:[0-9a-f]{64}$/);
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});

test('an admin takes back what another approved; what was used or rejected stays', async () => {
	const [one, two, three] = [await agent.ask(approval()), await agent.ask(approval()),
		await agent.ask(approval())];
	for (const ask of [one, two]) await member.answer(ask, { decision: 'approve' });
	await member.answer(three, { decision: 'reject' });
	assert.equal((await admin.post(`/v1/asks/${one.id}/revoke`, {})).status, 200);
	assert.equal((await use(two)).status, 200);
	assert.equal((await member.post(`/v1/asks/${two.id}/revoke`, {})).status, 409);
	assert.equal((await member.post(`/v1/asks/${three.id}/revoke`, {})).status, 409);
});

test('of a revoke and a use at once, one wins', async () => {
	for (let i = 0; i < 10; i++) {
		const ask = await agent.ask(approval());
		await member.answer(ask, { decision: 'approve' });
		const [used, revoked] = await Promise.all([use(ask), member.post(`/v1/asks/${ask.id}/revoke`, {})]);
		assert.deepEqual([used.status, revoked.status].sort(), [200, 409]);
	}
});

test('the ask says when its agent has the outcome', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	assert.equal((await member.read(ask)).fetched_at, null);
	const fetched = (one) => until(async () => (await member.read(one)).fetched_at, 'never fetched');
	const other = await agent.ask();
	await member.answer(other, { q1: true });
	await agent.read(other);
	await fetched(other); // written together, within a second
	assert.equal((await member.read(ask)).fetched_at, null, 'a person who looks is not the agent');
	const before = Date.now();
	await agent.read(ask);
	const seen = await fetched(ask);
	assert.ok(Math.abs(Date.parse(seen) - before) < 5000);
	const held = await agent.ask();
	const waiting = agent.get(`/v1/asks/${held.id}?wait=30`);
	await member.answer(held, { q1: true });
	await waiting;
	await until(async () => (await member.read(held)).fetched_at, 'a wait is not counted');
});

test('a session that was made for one ask is completed with it, and goes on when asked in', async () => {
	const ask = await agent.ask();
	const status = async () => (await agent.get(`/v1/sessions/${ask.session}`)).body.status;
	await member.answer(ask, { q1: true });
	assert.equal(await status(), 'completed');
	const again = await agent.ask({ session: ask.session });
	assert.equal(await status(), 'waiting_for_input');
	await member.answer(again, { q1: true });
	assert.equal(await status(), 'running');
});

test('running is who was heard of', async () => {
	const session = (await agent.session()).id;
	const status = async () => (await agent.get(`/v1/sessions/${session}`)).body.status;
	await member.answer(await agent.ask({ session }), { q1: true });
	assert.equal(await status(), 'running');
	server.jump(601e3);
	await until(async () => await status() === 'idle', 'it never fell idle');
	await agent.post(`/v1/sessions/${session}/progress`, { text: 'at work' });
	const ask = await agent.ask({ session });
	server.jump(601e3);
	await member.answer(ask, { q1: true });
	assert.equal(await status(), 'idle', 'nobody was heard of');
	await agent.read(ask);
	await until(async () => await status() === 'running', 'its agent came for the answer');
});
