// GET /v1/events: every event, once, in order, as a stream and as a list.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger } = server;

/** A stream of a server where nothing happens; it goes on beside the other tests. → [its first number, the next frame with one] */
const quiet = (async () => {
	const { member: reader } = await useServer();
	const stream = await reader.stream();
	const first = Number((await stream.frame()).id);
	let frame;
	do frame = await stream.frame(20_000); while (frame.id === undefined);
	stream.close();
	return [first, frame];
})();

const types = (events) => events.map((e) => e.type);

async function told(deed, who = admin) {
	const { as_of: before } = await who.events();
	await deed();
	return (await who.events(before)).items;
}

test('numbers start at one and grow by one', async () => {
	for (let i = 0; i < 5; i++) await agent.ask();
	const { items } = await admin.events();
	assert.deepEqual(items.map((e) => e.id), items.map((_, i) => i + 1));
});

test('an ask that makes its session emits session.created, then ask.created', async () => {
	const ask = await agent.ask();
	const { items } = await admin.events(0, `&session=${ask.session}`);
	assert.deepEqual(types(items), ['session.created', 'ask.created']);
	assert.deepEqual([items[1].session, items[1].ask], [ask.session, ask.id]);
});

test('an ask in a standing session emits ask.created, then session.status', async () => {
	const session = await agent.session();
	assert.deepEqual(types(await told(() => agent.ask({ session: session.id }))),
		['ask.created', 'session.status']);
});

test('a non-blocking ask changes no status', async () => {
	const session = await agent.session();
	assert.deepEqual(types(await told(() => agent.ask({ session: session.id,
		kind: 'non_blocking' }))), ['ask.created']);
});

for (const [name, who, verb, body, type] of [
	['an answer', member, 'answer', { answers: { q1: true } }, 'ask.answered'],
	['a skip', member, 'skip', {}, 'ask.skipped'],
	['a cancel', agent, 'cancel', {}, 'ask.cancelled'],
]) {
	test(`${name} emits ${type}, then session.status`, async () => {
		const ask = await agent.ask();
		const events = await told(() => who.post(`/v1/asks/${ask.id}/${verb}`, body));
		assert.deepEqual(types(events), [type, 'session.status']);
		assert.equal(events[0].ask, ask.id);
	});
}

test('assign, claim, extend and a reply emit their events and no more', async () => {
	const ask = await agent.ask();
	const at = (verb, body) => () => member.post(`/v1/asks/${ask.id}/${verb}`, body);
	assert.deepEqual(types(await told(at('assign', { assignees: [] }))), ['ask.assigned']);
	assert.deepEqual(types(await told(at('claim', {}))), ['ask.claimed']);
	assert.deepEqual(types(await told(at('extend', { timeout: '5m' }))), ['ask.extended']);
	assert.deepEqual(types(await told(at('replies', { text: 'Why?' }))), ['ask.replied']);
});

test('session.status says what it is now', async () => {
	const ask = await agent.ask();
	const events = await told(() => member.answer(ask, { q1: true }));
	assert.equal(events[1].data.status, 'completed');
});

test('ask.created says how urgent and what kind it is', async () => {
	const { as_of: before } = await admin.events();
	await agent.ask(approval({ priority: 'urgent' }));
	const { items } = await admin.events(before, '&types=ask.created');
	assert.equal(items[0].data.kind, 'approval');
});

test('what is refused emits nothing', async () => {
	const ask = await agent.ask();
	assert.deepEqual(await told(async () => {
		await member.answer(ask, { q1: 'x' });
		await agent.answer(ask, { q1: true });
		await agent.post('/v1/asks', { session: ask.session, question: 'B?', type: 'boolean' });
	}), []);
});

test('ending a session tells of its asks and of itself', async () => {
	const ask = await agent.ask();
	const events = await told(() => agent.post(`/v1/sessions/${ask.session}/cancel`));
	assert.deepEqual(types(events).sort(), ['ask.cancelled', 'session.status']);
});

test('the list goes on from after, and from cursor', async () => {
	const { as_of: before } = await admin.events();
	for (let i = 0; i < 3; i++) await agent.ask();
	const one = (await admin.get(`/v1/events?format=json&after=${before}&limit=4`)).body;
	assert.deepEqual(one.items.map((e) => e.id), [1, 2, 3, 4].map((n) => before + n));
	const two = (await admin.get(`/v1/events?format=json&limit=4&after=${one.items.at(-1).id}`)).body;
	assert.deepEqual(two.items.map((e) => e.id), [5, 6].map((n) => before + n));
	assert.equal(two.next_cursor, null);
});

test('types and session filter the list', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	const { items } = await admin.events(0,
		`&session=${ask.session}&types=ask.created,ask.answered`);
	assert.deepEqual(types(items), ['ask.created', 'ask.answered']);
	const { status, body } = await admin.get('/v1/events?format=json&types=ask.created,nonsense');
	assert.deepEqual([status, body.errors[0].pointer], [422, '/types']);
});

for (const query of ['types=ask.born', 'after=-1', 'after=x', 'format=xml']) {
	test(`${query} is 422`, async () => {
		assert.equal((await admin.get(`/v1/events?${query}`)).status, 422);
	});
}

test('an agent sees its own events only, and its numbers skip', async () => {
	const { as_of: before } = await admin.events();
	await agent.ask();
	await stranger.ask();
	await agent.ask();
	const { items } = await agent.events(before);
	assert.deepEqual(items.map((e) => e.id - before), [1, 2, 5, 6]);
});

test('the stream opens with a bare id frame and the headers of one', async () => {
	const { as_of: before } = await member.events();
	const stream = await member.stream();
	assert.equal(stream.status, 200);
	assert.match(stream.headers['content-type'], /^text\/event-stream/);
	const first = await stream.frame();
	assert.equal(Number(first.id), before);
	assert.equal(first.data, undefined);
	stream.close();
});

test('without Last-Event-ID the stream starts now', async () => {
	await agent.ask();
	const stream = await member.stream();
	await stream.frame();
	const ask = await agent.ask();
	const events = await stream.eventsUntil((e) => e.type === 'ask.created');
	assert.deepEqual(events.map((e) => e.session), [ask.session, ask.session]);
	stream.close();
});

for (const [name, open] of [
	['after', (n) => member.stream(`?after=${n}`)],
	['Last-Event-ID', (n) => member.stream('', { 'last-event-id': String(n) })],
]) {
	test(`${name} replays from there without gap or repeat, then goes on live`, async () => {
		const { as_of: before } = await member.events();
		for (let i = 0; i < 3; i++) await agent.ask();
		const stream = await open(before);
		const last = await agent.ask();
		const events = await stream.eventsUntil((e) => e.ask === last.id);
		assert.deepEqual(events.map((e) => e.id), events.map((_, i) => before + 1 + i));
		assert.equal(events.length, 8);
		stream.close();
	});
}

test('after=0 replays everything', async () => {
	const stream = await admin.stream('?after=0');
	assert.equal((await stream.event()).id, 1);
	stream.close();
});

test('the stream says how long to wait before coming back', async () => {
	const stream = await member.stream();
	let frame;
	do frame = await stream.frame(); while (frame && frame.retry === undefined);
	assert.match(frame.retry, /^\d+$/);
	stream.close();
});

test('a reader that comes back misses nothing and sees nothing twice', async () => {
	const { as_of: before } = await member.events();
	const seen = [];
	let from = before;
	const asking = (async () => {
		for (let i = 0; i < 40; i++) await agent.ask({ kind: 'non_blocking' });
	})();
	while (seen.length < 80) {
		const stream = await member.stream(`?after=${from}`);
		for (let i = 0; i < 7 && seen.length < 80; i++) seen.push((await stream.event()).id);
		from = seen.at(-1);
		stream.close();
	}
	await asking;
	assert.deepEqual(seen, seen.map((_, i) => before + 1 + i));
});

test('many streams get the same events in the same order', async () => {
	const streams = await Promise.all(Array.from({ length: 20 }, () => member.stream()));
	for (const stream of streams) await stream.frame();
	const asks = await Promise.all(Array.from({ length: 10 }, () => agent.ask()));
	assert.equal(asks.length, 10);
	const orders = [];
	for (const stream of streams) {
		const ids = [];
		for (let i = 0; i < 20; i++) ids.push((await stream.event()).id);
		orders.push(ids.join());
		stream.close();
	}
	assert.equal(new Set(orders).size, 1);
});

test('types filter the stream, and its bare ids pass over the rest', async () => {
	const stream = await member.stream('?types=ask.answered');
	await stream.frame();
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	const event = await stream.event();
	assert.deepEqual([event.type, event.ask], ['ask.answered', ask.id]);
	stream.close();
});

test('session filters the stream', async () => {
	const session = await agent.session();
	const stream = await member.stream(`?session=${session.id}`);
	await stream.frame();
	await agent.ask();
	const ask = await agent.ask({ session: session.id });
	assert.equal((await stream.event()).ask, ask.id);
	stream.close();
});

test('an agent streams its own events only', async () => {
	const stream = await agent.stream();
	await stream.frame();
	await stranger.ask();
	const ask = await agent.ask();
	assert.equal((await stream.event()).session, ask.session);
	stream.close();
});

test('an event is told only after it can be read', async () => {
	const stream = await member.stream();
	await stream.frame();
	const asking = agent.ask();
	const event = (await stream.eventsUntil((e) => e.type === 'ask.created')).at(-1);
	assert.equal((await member.get(`/v1/asks/${event.ask}`)).status, 200);
	await asking;
	stream.close();
});

test('a reader too slow is cut off, and can come back', { timeout: 300_000 }, async () => {
	const session = await agent.session();
	const { as_of: from } = await member.events();
	let closed = false;
	const socket = net.connect(server.port, '127.0.0.1', () => {
		socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${server.address}\r\n`
			+ `Authorization: Bearer ${server.secrets.member}\r\n\r\n`);
	});
	socket.on('error', () => { closed = true; });
	socket.on('close', () => { closed = true; });
	await new Promise((resolve) => { socket.once('readable', resolve); }); // and read no more
	const text = '😀'.repeat(2000);
	const tell = () => agent.post(`/v1/sessions/${session.id}/progress`, { text });
	let told = 0;
	for (; told < 3000; told += 50) await Promise.all(Array.from({ length: 50 }, tell));
	socket.resume();
	await until(() => closed, 'the end of the slow reader');
	const stream = await member.stream(`?after=${from + told - 10}`);
	assert.equal((await stream.event()).id, from + told - 9);
	stream.close();
});

test('a stream ends when the server stops, and goes on after it', async () => {
	const stream = await admin.stream();
	const from = Number((await stream.frame()).id);
	await server.stop();
	while (await stream.frame());
	await server.start();
	const ask = await agent.ask();
	const again = await admin.stream(`?after=${from}`);
	const events = await again.eventsUntil((e) => e.ask === ask.id);
	assert.equal(events[0].id, from + 1);
	again.close();
});

test('numbers go on after a crash', async () => {
	const { as_of: before } = await admin.events();
	await server.crash();
	const ask = await agent.ask();
	const { items } = await admin.events(before);
	assert.deepEqual(items.map((e) => e.id), items.map((e, i) => before + 1 + i));
	assert.equal(items.at(-1).ask, ask.id);
});

test('a cursor from beyond the end is refused: the client saw another store', async () => {
	const { as_of: now } = await member.events();
	for (const query of [`format=json&after=${now + 1000}`, `after=${now + 1000}`]) {
		const reply = await member.get(`/v1/events?${query}`);
		assert.deepEqual([reply.status, reply.body.type], [409, '/problems/ahead'], query);
	}
	assert.equal((await member.get(`/v1/events?format=json&after=${now}`)).status, 200);
});

test('HEAD tells what the stream is and ends', async () => {
	for (let i = 0; i < 2; i++) { // the second one on the same connection
		const reply = await agent.request('HEAD', '/v1/events');
		assert.equal(reply.status, 200);
		assert.match(reply.headers['content-type'], /^text\/event-stream/);
	}
});

test('before=N lists the newest first, page by page, of all or of a session', async () => {
	const session = (await agent.post('/v1/sessions', { title: 'A long one' })).body;
	for (let i = 0; i < 7; i++) await agent.post(`/v1/sessions/${session.id}/progress`, { text: `step ${i}` });
	const all = (await admin.events(0, `&session=${session.id}`)).items;
	const first = (await admin.get(`/v1/events?format=json&before=${all.at(-1).id}&limit=3&session=${session.id}`)).body;
	assert.deepEqual(first.items.map((e) => e.id), all.slice(-4, -1).reverse().map((e) => e.id));
	const second = (await admin.get(`/v1/events?format=json&before=${all.at(-1).id}&limit=200&session=${session.id}&cursor=${first.next_cursor}`)).body;
	assert.deepEqual(second.items.map((e) => e.id), all.slice(0, -4).reverse().map((e) => e.id));
	assert.equal(second.next_cursor, null);
	const newest = (await admin.get('/v1/events?format=json&before=9223372036854775807&limit=1')).body;
	assert.equal(newest.items[0].id, newest.as_of);
	assert.equal((await stranger.get(`/v1/events?format=json&before=999&session=${session.id}`)).body.items.length, 0);
	for (const wrong of ['format=json&before=0', 'format=json&before=x', 'format=json&before=5&after=1', 'before=5'])
		assert.equal((await admin.get(`/v1/events?${wrong}`)).status, 422, wrong);
});

test('a heartbeat repeats the last number within 15 seconds or so', { timeout: 300_000 }, async () => {
	const [first, frame] = await quiet;
	assert.equal(Number(frame.id), first);
	assert.equal(frame.data, undefined);
});
