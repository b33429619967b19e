// GET /v1/asks: the inbox, its filters, orders and pages.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger } = server;
const made = {};
let user;

const list = async (query = '', who = member) => (await who.get(`/v1/asks${query}`)).body;
const ids = (page) => page.items.map((a) => a.id);

before(async () => {
	user = (await admin.post('/v1/users', { name: 'pia', role: 'member' })).body.id;
	const project = (await agent.session({ project: 'apollo', parallel: true })).id;
	made.plain = await agent.ask({ title: 'Plain Öl title' });
	made.urgent = await agent.ask({ priority: 'urgent', session: project });
	made.quiet = await agent.ask({ kind: 'non_blocking', session: project,
		question: 'Find the NEEDLE here' });
	made.approval = await agent.ask(approval());
	made.assigned = await agent.ask({ assignees: [user] });
	made.answered = await agent.ask();
	made.skipped = await agent.ask();
	made.foreign = await stranger.ask();
	await member.answer(made.answered, { q1: true });
	await member.post(`/v1/asks/${made.skipped.id}/skip`);
});

test('the inbox is what is pending, oldest first', async () => {
	const page = await list();
	assert.deepEqual(ids(page), [made.plain, made.urgent, made.quiet, made.approval, made.assigned,
		made.foreign].map((a) => a.id));
	assert.equal(page.next_cursor, null);
});

test('status=all shows all, newest first', async () => {
	const page = await list('?status=all');
	assert.equal(page.items.length, 8);
	assert.deepEqual(ids(page), ids(page).sort().reverse());
});

test('status finds the settled ones', async () => {
	assert.deepEqual(ids(await list('?status=answered')), [made.answered.id]);
	assert.deepEqual(ids(await list('?status=skipped')), [made.skipped.id]);
	assert.deepEqual(ids(await list('?status=expired')), []);
	assert.deepEqual(ids(await list('?status=cancelled')), []);
});

test('kind filters', async () => {
	assert.deepEqual(ids(await list('?kind=approval')), [made.approval.id]);
	assert.deepEqual(ids(await list('?kind=non_blocking')), [made.quiet.id]);
});

test('session filters', async () => {
	assert.deepEqual(ids(await list(`?session=${made.urgent.session}`)),
		[made.urgent.id, made.quiet.id]);
});

test('project filters, and the ask names its project', async () => {
	const page = await list('?project=apollo');
	assert.deepEqual(ids(page), [made.urgent.id, made.quiet.id]);
	assert.equal(page.items[0].project, 'apollo');
	assert.deepEqual(ids(await list('?project=gemini')), []);
});

test('assignee filters', async () => {
	assert.deepEqual(ids(await list(`?assignee=${user}`)), [made.assigned.id]);
});

test('priority filters', async () => {
	assert.deepEqual(ids(await list('?priority=urgent')), [made.urgent.id]);
});

test('q finds substrings in questions and titles, whatever their case', async () => {
	assert.deepEqual(ids(await list('?q=needle')), [made.quiet.id]);
	assert.deepEqual(ids(await list('?q=the+NEEDLE')), [made.quiet.id]);
	assert.deepEqual(ids(await list(`?q=${encodeURIComponent('ÖL TIT')}`)), [made.plain.id]);
	assert.deepEqual(ids(await list('?q=no-such-thing')), []);
});

test('q takes %, _ and * for themselves', async () => {
	for (const q of ['%25', '_', '*', '%27', '%22']) {
		assert.deepEqual(ids(await list(`?q=${q}`)), [], q);
	}
});

test('filters work together', async () => {
	assert.deepEqual(ids(await list('?project=apollo&kind=non_blocking&status=all&q=needle')),
		[made.quiet.id]);
	assert.deepEqual(ids(await list('?project=apollo&priority=low')), []);
});

for (const query of ['status=open', 'kind=x', 'priority=x', 'order=x', 'cursor=nonsense',
	'assignee=mia']) {
	test(`${query} is 422`, async () => {
		assert.equal((await member.get(`/v1/asks?${query}`)).status, 422);
	});
}

test('a filter that nothing fits gives an empty list', async () => {
	for (const query of ['session=ses_00000000000000000000000000', 'project=none',
		'assignee=usr_00000000000000000000000000']) {
		assert.deepEqual(ids(await list(`?${query}`)), [], query);
	}
});

test('assignee=me finds what is assigned to who asks', async () => {
	const me = (await member.get('/v1/me')).body.user.id;
	const ask = await agent.ask({ assignees: [me] });
	assert.deepEqual(ids(await list('?assignee=me')), [ask.id]);
	await member.post(`/v1/asks/${ask.id}/skip`);
});

test('the cursor of another list is not found', async () => {
	for (let i = 0; i < 2; i++) await agent.session({ title: 'Cursor' });
	const { next_cursor: cursor } = (await member.get('/v1/sessions?limit=1')).body;
	assert.equal((await member.get(`/v1/asks?cursor=${cursor}`)).status, 404);
});

test('an agent sees its own asks only', async () => {
	assert.deepEqual(ids(await list('', stranger)), [made.foreign.id]);
	assert.ok(!ids(await list('?status=all', agent)).includes(made.foreign.id));
});

test('as_of is the number to go on from', async () => {
	const page = await list();
	const ask = await agent.ask();
	const { items } = await member.events(page.as_of);
	assert.deepEqual(items.map((e) => e.type), ['session.created', 'ask.created']);
	assert.equal(items[0].id, page.as_of + 1);
	await member.post(`/v1/asks/${ask.id}/skip`);
});

test('pages go through all asks without gap or repeat', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const expected = [];
	for (let i = 0; i < 23; i++) expected.push((await agent.ask({ session })).id);
	const seen = [];
	let cursor = '';
	let pages = 0;
	do {
		const page = await list(`?session=${session}&limit=5${cursor}`);
		assert.ok(page.items.length <= 5);
		seen.push(...ids(page));
		cursor = page.next_cursor && `&cursor=${encodeURIComponent(page.next_cursor)}`;
		pages++;
	} while (cursor);
	assert.deepEqual(seen, expected);
	assert.equal(pages, 5);
});

test('pages go backwards through what is settled, newest first', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const made7 = [];
	for (let i = 0; i < 7; i++) made7.push((await agent.ask({ session })).id);
	await member.post('/v1/asks/settle-many', { ids: made7, skip: true });
	const one = await list(`?session=${session}&status=skipped&limit=4`);
	const two = await list(`?session=${session}&status=skipped&limit=4&cursor=`
		+ encodeURIComponent(one.next_cursor));
	assert.deepEqual([...ids(one), ...ids(two)], [...made7].reverse());
	assert.equal(two.next_cursor, null);
});

test('a page that is just full has no next one', async () => {
	const session = (await agent.session({ parallel: true })).id;
	for (let i = 0; i < 3; i++) await agent.ask({ session });
	assert.equal((await list(`?session=${session}&limit=3`)).next_cursor, null);
});

test('asks made while one pages are not lost', async () => {
	const session = (await agent.session({ parallel: true })).id;
	for (let i = 0; i < 4; i++) await agent.ask({ session });
	const one = await list(`?session=${session}&limit=2`);
	await member.post(`/v1/asks/${one.items[0].id}/skip`);
	const late = await agent.ask({ session });
	const two = await list(`?session=${session}&limit=9&cursor=${one.next_cursor}`);
	assert.equal(two.items.length, 3);
	assert.equal(two.items[2].id, late.id);
});

test('limit is 50 by default', async () => {
	const session = (await agent.session({ parallel: true })).id;
	for (let i = 0; i < 51; i++) await agent.ask({ session });
	const page = await list(`?session=${session}`);
	assert.equal(page.items.length, 50);
	assert.notEqual(page.next_cursor, null);
	assert.equal((await list(`?session=${session}&limit=200`)).items.length, 51);
});

test('order=attention: a near deadline, then risk or priority, then age', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const old = await agent.ask({ session });
	const low = await agent.ask(approval({ session, operation: { name: 'x', risk: 'low' } }));
	const high = await agent.ask({ session, priority: 'high' });
	const critical = await agent.ask(approval({ session, operation: { name: 'x', risk: 'critical' } }));
	const later = await agent.ask({ session, timeout: '2h' });
	const soon = await agent.ask({ session, timeout: '4m' });
	const sooner = await agent.ask({ session, timeout: '2m' });
	const page = await list(`?session=${session}&order=attention`);
	assert.deepEqual(new Set(ids(page).slice(0, 2)), new Set([soon.id, sooner.id]));
	assert.deepEqual(ids(page).slice(2), [critical, high, old, low, later].map((a) => a.id));
	const seen = [];
	let cursor = '';
	do {
		const part = await list(`?session=${session}&order=attention&limit=1${cursor}`);
		seen.push(...ids(part));
		cursor = part.next_cursor && `&cursor=${encodeURIComponent(part.next_cursor)}`;
	} while (cursor);
	assert.deepEqual(seen, ids(page));
});
