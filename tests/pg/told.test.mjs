// Who was told, with two servers on one database: random routes, kills, receivers that fail, a clock that is moved.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { check, play } from '../lib/telling.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const count = Number(process.env.PARLEY_COUNT ?? (long ? 10_000 : 40));
const cluster = new Cluster();
const nodes = [];
after(async () => {
	for (const node of nodes) await node.end();
	cluster.remove();
});

test(`every step that is due is told, none early, none begun after the settlement (seed ${seed})`, async (t) => {
	const store = cluster.database('told');
	for (let i = 0; i < 2; i++) {
		nodes.push(new Node(store, { keepPort: true, flags: ['--webhook-internal', '127.0.0.0/8', '--webhook-host-max', '64', '--notify-rate', '1000'] }));
		await nodes[i].start();
	}
	const tokens = { agent: await nodes[0].token('agent', 'builder'), member: await nodes[0].token('member', 'mia'),
		admin: await nodes[0].token('admin', 'ada') };
	const counts = check(await play(nodes, tokens, { count, seed, kill: long ? 20 : 50 }));
	t.diagnostic(JSON.stringify(counts));
	assert.equal(counts.asks, count);
});
