// Two nodes on one database, under load: nodes are killed with -9, PostgreSQL is stopped as if
// its machine had lost power, again and again. What was acknowledged is there afterwards,
// nothing is there twice, and of 50 streams each has seen every event once.
// PARLEY_LONG=1: 500 kills and 20 stops. PARLEY_SEED repeats the dice (not the timing).
import assert from 'node:assert/strict';
import { Cluster, Node, persist } from '../lib/cluster.mjs';
import { Follower, dice, sleep } from '../lib/house.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const KILLS = long ? 500 : 10;
const STOPS = long ? 20 : 1;
const STREAMS = 50;
const WORKERS = 6;
const SETTLING = ['ask.answered', 'ask.skipped', 'ask.expired', 'ask.cancelled'];
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const roll = dice(seed);

const cluster = new Cluster();
const store = cluster.database('parley');
const nodes = [new Node(store), new Node(store)];
const asks = new Map(); // id → what was acknowledged of it
let stop = false, repeats = 0, waits = 0, agent, member, admin;

async function makeAsk(name, extra = {}) {
	const body = { question: `Question ${name}?`, type: 'text', metadata: { name }, ...extra };
	const made = await persist(nodes, agent, 'POST', '/v1/asks', body, `ask-${name}`);
	assert.equal(made.status, 201, JSON.stringify(made.body));
	repeats += made.tries > 1;
	const ask = { id: made.body.id, name, body, status: 'pending' };
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
	const done = await persist(nodes, token, 'POST', path, body, `${verb}-${ask.name}`);
	// Only this worker settles it: a repeat must find its own record, never a conflict.
	assert.equal(done.status, 200, `try ${done.tries}: ${JSON.stringify(done.body)}`);
	assert.equal(done.body.ask.status, status);
	ask.status = status;
}

/** Somebody waits for it meanwhile, on any node. */
async function wait(ask) {
	for (;;) {
		const seen = await persist(nodes, agent, 'GET', `/v1/asks/${ask.id}?wait=5`);
		// The head of a wait's reply is out before its end is known.
		if (seen.status === 200 && seen.body.status && seen.body.status !== 'pending'
			&& seen.body.id) break;
	}
	waits += 1;
}

async function work(worker) {
	for (let n = 0; !stop; n++) {
		const name = `${worker}-${n}`;
		if (roll(8) === 0) {
			const late = await makeAsk(name, { timeout: 1 });
			late.status = 'expired';
			continue;
		}
		const ask = await makeAsk(name);
		if (roll(5) === 0) continue;
		const waiting = roll(3) === 0 ? wait(ask) : null;
		await settle(ask, roll(3));
		await waiting;
	}
}

async function killOne() {
	const node = nodes[roll(2)];
	await sleep(20 + roll(180));
	await node.kill();
	if (roll(5) === 0) { // killed while it starts
		node.spawn();
		await sleep(roll(60));
		await node.kill();
	}
	await node.start();
}

async function stopDatabase() {
	await sleep(50 + roll(100));
	cluster.stop('immediate');
	await sleep(roll(500));
	cluster.start();
}

async function disturb(n) {
	await killOne();
	if (n % (KILLS / STOPS) === 0) await stopDatabase();
}

async function everyAsk() {
	const found = new Map();
	let cursor = '', asOf;
	do {
		const page = await persist(nodes, admin, 'GET',
			`/v1/asks?status=all&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		assert.equal(page.status, 200);
		for (const ask of page.body.items) found.set(ask.id, ask);
		cursor = page.body.next_cursor;
		asOf = page.body.as_of;
	} while (cursor);
	return { found, asOf };
}

/** Every deadline has passed, and all are settled. */
async function untilExpired() {
	for (let tries = 0; ; tries++) {
		const { found, asOf } = await everyAsk();
		const open = [...asks.values()].filter((ask) => ask.status === 'expired'
			&& found.get(ask.id)?.status === 'pending');
		if (!open.length) return { found, asOf };
		assert.ok(tries < 60, `${open.length} deadlines do not fire`);
		await sleep(500);
	}
}

function compare(found) {
	for (const ask of asks.values()) {
		const there = found.get(ask.id);
		assert.ok(there, `${ask.id} is lost`);
		assert.equal(there.status, ask.status, ask.id);
		if (ask.status === 'answered') assert.equal(there.answer.q1.text, `Answer ${ask.name}`);
		found.delete(ask.id);
	}
	assert.deepEqual([...found.keys()], [], 'asks that nobody was told of');
}

function compareEvents(follower) {
	assert.equal(follower.problem, null);
	for (const ask of asks.values()) {
		const types = follower.events.get(ask.id) ?? [];
		const settled = types.filter((type) => SETTLING.includes(type));
		assert.equal(types.filter((type) => type === 'ask.created').length, 1, ask.id);
		assert.deepEqual(settled, ask.status === 'pending' ? [] : [`ask.${ask.status}`], ask.id);
	}
}

async function run() {
	await Promise.all(nodes.map((node) => node.start()));
	[agent, member, admin] = await Promise.all([nodes[0].token('agent', 'builder'),
		nodes[0].token('member', 'mia'), nodes[1].token('admin', 'ada')]);
	const followers = Array.from({ length: STREAMS }, (_, i) => new Follower(nodes[i % 2], admin));
	const failed = Promise.all(Array.from({ length: WORKERS }, (_, i) => work(i)))
		.then(() => null, (error) => error);
	for (let n = 1; n <= KILLS; n++) {
		const error = await Promise.race([failed, disturb(n).then(() => null)]);
		if (error) throw error;
	}
	stop = true;
	const error = await failed;
	if (error) throw error;
	const { found, asOf } = await untilExpired();
	compare(found);
	await Promise.all(followers.map((f) => f.reach(asOf)));
	for (const follower of followers) compareEvents(follower);
	await Promise.all(followers.map((f) => f.stop()));
	const checked = await nodes[0].run(['check']);
	assert.equal(checked.code, 0, `check: ${checked.stdout}${checked.stderr}`);
	for (const node of nodes) assert.deepEqual(await node.kill('SIGTERM'), { code: 0, signal: null });
	return asOf;
}

const started = Date.now();
try {
	const events = await run();
	console.log(`${KILLS} kills, ${STOPS} stops, ${asks.size} asks, ${events} events, ${STREAMS}`
		+ ` streams, ${repeats} asks sent again, ${waits} waits,`
		+ ` ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
	console.error(`seed ${seed}`);
	console.error(error);
	process.exitCode = 1;
}
for (const node of nodes) await node.end();
cluster.remove();
process.exit();
