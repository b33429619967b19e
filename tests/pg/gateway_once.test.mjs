// Held calls at the gateway of two nodes that share a database, each sent again on the other one: they run once.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Cluster, Node, persist } from '../lib/cluster.mjs';
import { Once } from '../lib/gateway_once.mjs';

const LONG = Boolean(process.env.PARLEY_LONG), seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const calls = LONG ? 1000 : 30, callers = LONG ? 40 : 12, kills = LONG ? 30 : 2;
const folder = mkdtempSync(join(tmpdir(), 'parley-once-'));
const cluster = new Cluster(), store = cluster.database('once');
const nodes = [new Node(store, { keepPort: true }), new Node(store, { keepPort: true })];
let once;
after(async () => {
	once?.stop();
	for (const node of nodes) await node.end();
	cluster.remove();
	rmSync(folder, { recursive: true, force: true });
});

test(`two nodes: ${calls} held calls by ${callers} callers, ${kills} kills; each is sent again on the other node`, async () => {
	for (const node of nodes) await node.start();
	const [admin, member] = [await nodes[0].token('admin', 'ada'), await nodes[0].token('member', 'mia')];
	const as = (token) => (...request) => persist(nodes, token, ...request);
	const { token } = (await as(admin)('POST', '/v1/tokens', { role: 'agent', name: 'once', mcp_wait: '2s', again: 3600 })).body;
	once = new Once({ nodes, folder, token, calls, callers, kills, seed, admin: as(admin), member: as(member) });
	try {
		await once.open();
		await once.play();
		const { ran, cut, anew } = await once.check();
		console.log(`seed ${seed}: ${ran} ran, ${cut} cut off before they ran, ${anew} sent anew after their outcome was out, ${once.cuts} connections cut`);
		assert.equal(ran + cut, calls);
	} catch (e) { throw new Error(`seed ${seed}: ${e.message}`, { cause: e }); }
});
