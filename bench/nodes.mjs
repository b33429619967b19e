// nodes.mjs - PostgreSQL behind a longer wire: what a lone ask takes alone and beside the load of
// another workspace, what a second node adds, and how many round trips an ask makes.
//
//	PARLEY_BIN=build/parley RELAY=build/bench/relay node bench/nodes.mjs [ROUNDS] [DELAY_US]
//
// The wire is ours (relay.c) and 1 ms long in each direction unless said otherwise. Cases take
// turns in every round; what counts is the middle of the rounds' ratios.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Cluster, Node } from '../tests/lib/cluster.mjs';

const rounds = Number(process.argv[2] ?? 5), delay = process.argv[3] ?? '1000';
const LONE = 60, LOAD_S = 2, ASKERS = 16;
const question = { question: 'Deploy?', type: 'boolean' };

const cluster = new Cluster();
cluster.database('bench');
const relay = spawn(process.env.RELAY, [delay, String(cluster.port)], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: relay.stdout })[Symbol.asyncIterator]();
const line = async () => (await lines.next()).value;
const port = await line();
const trips = async () => {
	relay.stdin.write('\n');
	return Number(await line());
};

const store = `postgresql://postgres@127.0.0.1:${port}/bench`;
const nodes = [new Node(store), new Node(store)];
for (const node of nodes) await node.start();
const [one, two] = nodes;
const tokens = [];
for (const name of ['a', 'b', 'c', 'd']) {
	await one.command('workspace', 'create', name);
	tokens.push(await one.token('agent', name, ['--workspace', name]));
}

async function ask(node, token) {
	const reply = await node.once(token, 'POST', '/v1/asks', question);
	if (reply.status !== 201) throw new Error(JSON.stringify(reply));
}

const middle = (list) => [...list].sort((x, y) => x - y)[Math.floor(list.length / 2)];

/** → ms of a lone asker's asks, the middle one */
async function lone(node, token) {
	const took = [];
	for (let i = 0; i < LONE; i++) {
		const begun = performance.now();
		await ask(node, token);
		took.push(performance.now() - begun);
	}
	return middle(took);
}

/** Askers at work until `stop` is called. → asks made */
function load(places) {
	let made = 0, going = true;
	const all = places.map(async ({ node, token }) => {
		while (going) {
			await ask(node, token);
			made++;
		}
	});
	return { made: () => made, stop: async () => {
		going = false;
		await Promise.all(all);
	} };
}

const askers = (n, place) => Array.from({ length: n }, (_, i) => place(i));

async function beside(node) {
	const other = load(askers(ASKERS, () => ({ node, token: tokens[1] })));
	const took = await lone(one, tokens[0]);
	await other.stop();
	return took;
}

/** Two askers of one workspace at one node, each on its own connection. → asks they made */
function pair(node, token) {
	const wrk = spawn('wrk', ['-t1', '-c2', `-d${LOAD_S}`, '-s', `${import.meta.dirname}/ask.lua`,
		`http://127.0.0.1:${node.port}/v1/asks`],
	{ env: { ...process.env, TOKEN: token, QUESTION: JSON.stringify(question) }, stdio: ['ignore', 'pipe', 'inherit'] });
	return text(wrk.stdout).then((said) => {
		const [, asks, seconds, wrong] = said.match(/asks (\d+) seconds ([\d.]+) wrong (\d+)/);
		if (wrong !== '0') throw new Error(said);
		return asks / seconds;
	});
}

/** → asks/s of 16 askers in 4 workspaces, half of each workspace's at either place */
async function rate(places) {
	const all = tokens.flatMap((token) => places.map((node) => pair(node, token)));
	return (await Promise.all(all)).reduce((sum, each) => sum + each);
}

const cases = {
	alone: () => lone(one, tokens[0]),
	'beside a load on the same node': () => beside(one),
	'beside a load on another node': () => beside(two),
	'asks/s of 16 askers in 4 workspaces, one node': () => rate([one, one]),
	'the same over two nodes': () => rate([one, two]),
};
const seen = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));

for (const node of nodes) for (const token of tokens) await ask(node, token); // all is known
/** Of both nodes' writers; what they do without any ask, looking for deadlines, is taken off. */
async function askTrips() {
	await trips();
	const begun = performance.now();
	await lone(one, tokens[0]);
	const made = await trips();
	await new Promise((done) => setTimeout(done, performance.now() - begun));
	return (made - await trips()) / LONE;
}

const perAsk = await askTrips();
for (let i = 0; i < rounds; i++) {
	for (const [name, run] of Object.entries(cases)) seen[name].push(await run());
}
const ratio = (name, to) => middle(seen[name].map((value, i) => value / seen[to][i])).toFixed(2);
console.log(`round trips of a lone ask: ${perAsk.toFixed(2)}`);
for (const [name, list] of Object.entries(seen)) console.log(`${name}: ${middle(list).toFixed(2)}`);
console.log(`beside a load on the same node ÷ alone: ${ratio('beside a load on the same node', 'alone')}`);
console.log(`beside a load on another node ÷ alone: ${ratio('beside a load on another node', 'alone')}`);
console.log(`two nodes ÷ one: ${ratio('the same over two nodes', 'asks/s of 16 askers in 4 workspaces, one node')}`);

for (const node of nodes) await node.end();
relay.stdin.end();
cluster.remove();
