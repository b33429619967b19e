// Who was told, with two servers on one database: random routes, kills, receivers that fail, a clock that is moved.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { check, play } from '../lib/telling.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
/* A long run is judged in parts, each with its own database, people and routes. */
const parts = Number(process.env.PARLEY_PARTS ?? (long ? 4 : 1));
const count = Number(process.env.PARLEY_COUNT ?? (long ? 2500 : 40));
const cluster = new Cluster();
after(() => cluster.remove());

for (let part = 0; part < parts; part++) {
	test(`every step that is due is told, none early, none begun after the settlement (seed ${seed + part})`, async (t) => {
		const store = cluster.database(`told${part}`);
		const nodes = [0, 1].map(() => new Node(store, { keepPort: true, flags: ['--webhook-internal', '127.0.0.0/8', '--webhook-host-max', '64',
			'--notify-rate', '1000'] }));
		t.after(() => Promise.all(nodes.map((node) => node.end())));
		for (const node of nodes) await node.start();
		const tokens = { agent: await nodes[0].token('agent', 'builder'), member: await nodes[0].token('member', 'mia'),
			admin: await nodes[0].token('admin', 'ada') };
		const counts = check(await play(nodes, tokens, { count, seed: seed + part, kill: long ? 20 : 50 }));
		t.diagnostic(JSON.stringify(counts));
		assert.equal(counts.asks, count);
	});
}
