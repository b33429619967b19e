// Two nodes on one database, under load: nodes are killed with -9, PostgreSQL is stopped as if
// its machine had lost power, again and again. What was acknowledged is there afterwards,
// nothing is there twice, and of 50 streams each has seen every event once.
// PARLEY_LONG=1: 500 kills and 20 stops.
import assert from 'node:assert/strict';
import { persist } from '../lib/cluster.mjs';
import { Clients } from '../lib/clients.mjs';
import { Follower } from '../lib/follower.mjs';
import { sleep } from '../lib/server.mjs';
import { below, cluster, long, nodes, run } from '../lib/two_nodes.mjs';

const KILLS = long ? 500 : 10;
const STOPS = long ? 20 : 1;
const STREAMS = 50;
const WORKERS = 6;
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

await run(async () => {
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
	return `${KILLS} kills, ${STOPS} stops, ${clients.asks.size} asks, ${asOf} events, ${STREAMS}`
		+ ` streams, ${clients.repeats} asks sent again, ${clients.waits} waits`;
});
