// kill -9 under load, again and again: what was acknowledged is there afterwards, nothing is
// there twice, and whoever follows the log sees every event once. PARLEY_LONG=1: many times as
// often. PARLEY_SEED repeats the dice (not the timing).
import assert from 'node:assert/strict';
import { cluster } from '../lib/postgres.mjs';
import { House, Follower, dice, sleep } from '../lib/house.mjs';

// On PostgreSQL, whose own kills are in tests/pg, a few are enough.
const CYCLES = process.env.PARLEY_LONG ? 3000 : cluster ? 20 : 120;
const WORKERS = 6;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const roll = dice(seed);
const SETTLING = ['ask.answered', 'ask.skipped', 'ask.expired', 'ask.cancelled'];

const house = new House();
const agent = await house.token('agent', 'builder');
const member = await house.token('member', 'mia');
const admin = await house.token('admin', 'ada');
const asks = new Map(); // id → what was acknowledged of it
let stop = false, repeats = 0, waits = 0;

/** An ask, made with a key: however often it is sent, it is one. */
async function makeAsk(name, session) {
	const body = { question: `Question ${name}?`, type: 'text', metadata: { name } };
	if (session) body.session = session;
	const key = `ask-${name}`;
	const made = await house.call(agent, 'POST', '/v1/asks', body, key);
	assert.equal(made.status, 201, JSON.stringify(made.body));
	repeats += made.tries > 1;
	const ask = { id: made.body.id, session: made.body.session, name, body, key, status: 'pending' };
	assert.ok(!asks.has(ask.id), `${ask.id} was given twice`);
	asks.set(ask.id, ask);
	return ask;
}

const verbs = [
	(ask) => ['answered', member, 'answer', { answer: `Answer ${ask.name}` }],
	(ask) => ['skipped', member, 'skip', { reason: ask.name }],
	(ask) => ['cancelled', agent, 'cancel', { reason: ask.name }],
];

async function settle(ask, how) {
	const [status, token, verb, body] = verbs[how](ask);
	const path = `/v1/asks/${ask.id}/${verb}`;
	const done = await house.call(token, 'POST', path, body, `${verb}-${ask.name}`);
	// Only this worker settles it: a repeat must find its own record, never a conflict.
	assert.equal(done.status, 200, `try ${done.tries}: ${JSON.stringify(done.body)}`);
	assert.equal(done.body.ask.status, status);
	ask.status = status;
}

/** Somebody waits for the answer meanwhile; the wait may be cut off and begun again. */
async function await_(ask) {
	for (;;) {
		const seen = await house.call(agent, 'GET', `/v1/asks/${ask.id}?wait=5`);
		assert.equal(seen.status, 200);
		if (seen.body.status !== 'pending') break;
	}
	waits += 1;
}

async function sendAgain(ask) {
	const again = await house.call(agent, 'POST', '/v1/asks', ask.body, ask.key);
	assert.equal(again.status, 201);
	assert.equal(again.body.id, ask.id, 'a repeated key gave another ask');
	assert.equal(again.body.status, ask.status);
}

/** A session by its external id, two asks in it, and all of it deleted. */
async function sessionAndGone(name) {
	const body = { title: name, external_id: name };
	const made = await house.call(agent, 'POST', '/v1/sessions', body);
	assert.ok([200, 201].includes(made.status), JSON.stringify(made.body));
	const first = await makeAsk(`${name}-1`, made.body.id);
	await settle(first, 0);
	const second = await makeAsk(`${name}-2`, made.body.id);
	const gone = await house.call(agent, 'DELETE', `/v1/sessions/${made.body.id}`);
	assert.ok(gone.status === 204 || (gone.status === 404 && gone.tries > 1), gone.status);
	first.deleted = second.deleted = true;
}

async function work(worker) {
	for (let n = 0; !stop; n++) {
		const name = `${worker}-${n}`;
		if (roll(25) === 0) {
			await sessionAndGone(`s-${name}`);
			continue;
		}
		const ask = await makeAsk(name);
		if (roll(5) === 0) continue;
		const waiting = roll(3) === 0 ? await_(ask) : null;
		await settle(ask, roll(3));
		await waiting;
		if (roll(4) === 0) await sendAgain(ask);
	}
}

/** Asks that run out while nobody is there to see it. */
async function missDeadlines(n) {
	for (let i = 0; i < 3; i++) {
		const body = { question: `Late ${n}-${i}?`, type: 'boolean', timeout: 60 };
		if (i === 0) body.default = { q1: true };
		const key = `late-${n}-${i}`;
		const made = await house.call(agent, 'POST', '/v1/asks', body, key);
		assert.equal(made.status, 201, JSON.stringify(made.body));
		asks.set(made.body.id, { id: made.body.id, body, key, status: 'expired' });
	}
	await house.kill();
	house.jump(61_000);
}

async function cycle(n) {
	if (n % 20 === 19) {
		await missDeadlines(n);
	} else {
		await sleep(20 + roll(180));
		await house.kill();
	}
	if (n % 10 === 9) { // killed while it starts
		house.spawn();
		await sleep(roll(30));
		await house.kill();
	}
	if (n % 50 === 49) await check();
	await house.start();
}

async function check() {
	const checked = await house.run(['check']);
	assert.equal(checked.code, 0, `check: ${checked.stdout}${checked.stderr}`);
}

/** The store against what was acknowledged: the same asks, no fewer and no more. */
async function compare() {
	const found = new Map();
	let cursor = '', asOf;
	do {
		const page = await house.call(admin, 'GET',
			`/v1/asks?status=all&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		assert.equal(page.status, 200);
		for (const ask of page.body.items) found.set(ask.id, ask);
		cursor = page.body.next_cursor;
		asOf = page.body.as_of;
	} while (cursor);
	for (const ask of asks.values()) {
		const there = found.get(ask.id);
		assert.equal(there !== undefined, !ask.deleted, `${ask.id} (${ask.name})`);
		if (!there) continue;
		assert.equal(there.status, ask.status, ask.id);
		assert.equal(there.questions[0].text, ask.body.question);
		if (ask.status === 'answered') assert.equal(there.answer.q1.text, `Answer ${ask.name}`);
		found.delete(ask.id);
	}
	assert.deepEqual([...found.keys()], [], 'asks that nobody was told of');
	return asOf;
}

function compareEvents(follower) {
	assert.equal(follower.problem, null);
	for (const ask of asks.values()) {
		const types = follower.events.get(ask.id) ?? [];
		const settled = types.filter((type) => SETTLING.includes(type));
		assert.equal(types.filter((type) => type === 'ask.created').length, 1, ask.id);
		if (ask.status === 'pending' && !ask.deleted) assert.deepEqual(settled, []);
		else if (!ask.deleted) assert.deepEqual(settled, [`ask.${ask.status}`], ask.id);
		else assert.ok(settled.length <= 1, ask.id);
		follower.events.delete(ask.id);
	}
	assert.equal(follower.events.size, 0, 'events of asks that nobody was told of');
}

const started = Date.now();
try {
	await house.start();
	const follower = new Follower(house, admin);
	const workers = Array.from({ length: WORKERS }, (_, i) => work(i));
	const failed = Promise.all(workers).then(() => null, (error) => error);
	for (let n = 0; n < CYCLES; n++) {
		const error = await Promise.race([cycle(n).then(() => null), failed]);
		if (error) throw error;
	}
	stop = true;
	const error = await failed;
	if (error) throw error;
	const asOf = await compare();
	await follower.reach(asOf);
	compareEvents(follower);
	await follower.stop();
	assert.deepEqual(await house.kill('SIGTERM'), { code: 0, signal: null });
	await check();
	console.log(`${house.lives} lives, ${asks.size} asks, ${asOf} events, ${repeats} asks sent`
		+ ` again, ${waits} waits, ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
	console.error(`seed ${seed}`);
	console.error(error);
	process.exitCode = 1;
	house.child?.kill('SIGKILL');
}
house.remove();
process.exit();
