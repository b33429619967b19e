// Two nodes on one database, under load: nodes are killed with -9, PostgreSQL is stopped as if
// its machine had lost power, again and again. What was acknowledged is there afterwards,
// nothing is there twice, and of 50 streams each has seen every event once.
// PARLEY_LONG=1: 500 kills and 20 stops. PARLEY_SEED repeats the choices (not the timing).
import assert from 'node:assert/strict';
import { Cluster, Node, persist } from '../lib/cluster.mjs';
import { Clients } from '../lib/clients.mjs';
import { Follower } from '../lib/follower.mjs';
import { random } from '../lib/random.mjs';
import { sleep } from '../lib/server.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const KILLS = long ? 500 : 10;
const STOPS = long ? 20 : 1;
const STREAMS = 50;
const WORKERS = 6;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const below = random(seed);

const cluster = new Cluster();
const store = cluster.database('parley');
const nodes = [new Node(store), new Node(store)];
let clients;

async function work(name) {
	if (below(8) === 0) await clients.late(name, { timeout: 1 });
	else await clients.story(name, below);
}

async function killOne() {
	const node = nodes[below(2)];
	await sleep(20 + below(180));
	await node.kill();
	if (below(5) === 0) { // killed while it starts
		node.spawn();
		await sleep(below(60));
		await node.kill();
	}
	await node.start();
}

async function stopDatabase() {
	await sleep(50 + below(100));
	cluster.stop('immediate');
	await sleep(below(500));
	cluster.start();
}

async function disturb(n) {
	await killOne();
	if ((n + 1) % (KILLS / STOPS) === 0) await stopDatabase();
}

/** Every deadline has passed, and all are settled. */
async function untilExpired() {
	for (let tries = 0; ; tries++) {
		const { found, asOf } = await clients.look();
		const open = [...clients.asks.values()].filter((ask) => ask.status === 'expired'
			&& found.get(ask.id)?.status === 'pending');
		if (!open.length) return { found, asOf };
		assert.ok(tries < 60, `${open.length} deadlines do not fire`);
		await sleep(500);
	}
}

async function run() {
	await Promise.all(nodes.map((node) => node.start()));
	const [agent, member, admin] = await Promise.all([nodes[0].token('agent', 'builder'),
		nodes[0].token('member', 'mia'), nodes[1].token('admin', 'ada')]);
	clients = new Clients((...request) => persist(nodes, ...request), { agent, member, admin });
	const followers = Array.from({ length: STREAMS }, (_, i) => new Follower(nodes[i % 2], admin));
	await clients.busy(WORKERS, work, KILLS, disturb);
	const { found, asOf } = await untilExpired();
	clients.compare(found);
	await Promise.all(followers.map((f) => f.reach(asOf)));
	for (const follower of followers) clients.compareEvents(follower);
	await Promise.all(followers.map((f) => f.stop()));
	await nodes[0].command('check');
	for (const node of nodes) assert.deepEqual(await node.signal('SIGTERM'), { code: 0, signal: null });
	return asOf;
}

const started = Date.now();
try {
	const events = await run();
	console.log(`${KILLS} kills, ${STOPS} stops, ${clients.asks.size} asks, ${events} events, ${STREAMS}`
		+ ` streams, ${clients.repeats} asks sent again, ${clients.waits} waits,`
		+ ` ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
	console.error(`seed ${seed}`);
	console.error(error);
	process.exitCode = 1;
}
for (const node of nodes) await node.end();
cluster.remove();
process.exit();
