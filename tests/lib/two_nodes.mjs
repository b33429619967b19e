// two_nodes.mjs - two nodes on one database, for a program that plays on them and ends with a line of counts.
// PARLEY_SEED repeats its choices (not the timing).
import assert from 'node:assert/strict';
import { Cluster, Node } from './cluster.mjs';
import { random } from './random.mjs';

export const long = Boolean(process.env.PARLEY_LONG);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
export const below = random(seed);
export const cluster = new Cluster();
const store = cluster.database('parley');
export const nodes = [new Node(store), new Node(store)];

/** Starts both nodes and plays: play() → the counts. Afterwards the store is sound and the nodes end well. */
export async function run(play) {
	const started = Date.now();
	try {
		await Promise.all(nodes.map((node) => node.start()));
		const counts = await play();
		await nodes[0].command('check');
		for (const node of nodes) assert.deepEqual(await node.signal('SIGTERM'), { code: 0, signal: null });
		console.log(`seed ${seed}: ${counts}, ${Math.round((Date.now() - started) / 1000)} s`);
	} catch (error) {
		console.error(`seed ${seed}`);
		console.error(error);
		process.exitCode = 1;
	}
	for (const node of nodes) await node.end();
	cluster.remove();
	process.exit();
}
