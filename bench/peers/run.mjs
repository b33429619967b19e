// run.mjs - Parley beside other runtimes for agents, in turns: durable runs of two model calls and a tool, 32 at once, of
// its own store and over HTTP; the time from an answer to the model's next request, and from an approval to the request
// of the tool that was approved. All of them ask the same instant model and tool in C.
//
//   npm ci && node bench/peers/run.mjs [ROUNDS]    build/parley and build/bench (meson configure
//                                                  build -Dbench=true); PostgreSQL for DBOS
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from '../../tests/lib/cluster.mjs';
import { until } from '../../tests/lib/server.mjs';
import { bench, instantModel, workerServer } from '../worker.mjs';
import onDbos from './dbos.mjs';
import langgraph from './langgraph.mjs';
import openaiAgents from './openai_agents.mjs';
import onRestate from './restate.mjs';

const ROUNDS = Number(process.argv[2] ?? 3), AT_ONCE = 32, ANSWERS = 30;
const url = await instantModel();
const folder = mkdtempSync(join(tmpdir(), 'parley-peers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const us = () => Number(process.hrtime.bigint() / 1000n);
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

async function parley() {
	const { server, member, send } = await workerServer(url);
	const socket = connect(server.port, '127.0.0.1').setNoDelay();
	const sessions = new Map(), agents = { Go: 'worker', 'Go #ask': 'worker', 'Go #own': 'own', 'Go #guarded': 'guarded' };
	return {
		name: 'Parley',
		runs: (n, text) => Number(/(\d+) runs\/s/.exec(execFileSync(bench('runs'), [server.url, member, agents[text], String(n), text], { encoding: 'utf8' }))[1]),
		ask: async (id, text) => {
			const session = await send(member, 'POST', '/v1/sessions', { agent: agents[text], message: text });
			session.ask = await until(async () => (await send(member, 'GET', `/v1/sessions/${session.id}`)).pending_asks[0]?.id);
			await until(async () => (await send(member, 'GET', `/v1/runs/${session.run}`)).status === 'waiting');
			sessions.set(id, { ...session, body: text === 'Go #ask' ? '{"answers":{"q1":"yes"}}' : '{"answers":{"decision":"approve"}}' });
		},
		answer: async (id) => {
			const { ask, run, body } = sessions.get(id);
			socket.write(`POST /v1/asks/${ask}/answer HTTP/1.1\r\nHost: ${server.address}\r\nAuthorization: Bearer ${member}\r\n`
				+ `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
			return (await until(async () => { const r = await send(member, 'GET', `/v1/runs/${run}`); return r.status === 'completed' && r; })).report;
		},
		end: async () => { socket.destroy(); await server.end(); },
	};
}

/* So many runs, 32 at once, in this process. */
async function rate(peer, n, round, text) {
	const began = us();
	let next = 0;
	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		while (next < n) {
			const said = await peer.run(`${round}-${text}-${next++}`, text);
			if (said !== 'Done.') throw new Error(`${peer.name} said ${said}`);
		}
	}));
	return Math.round(n / ((us() - began) / 1e6));
}

const cluster = new Cluster();
process.on('exit', () => cluster.remove());
cluster.database('dbos');
const peers = [await parley(), langgraph(url, join(folder, 'langgraph.db')), openaiAgents(url, join(folder, 'openai.db')),
	await onRestate(url, join(folder, 'restate')), await onDbos(url, `postgresql://postgres@127.0.0.1:${cluster.port}/dbos`)];
const RATES = ['Go', 'Go #own'], WAITS = ['Go #ask', 'Go #guarded'];
const found = peers.map(() => Object.fromEntries([...RATES, ...WAITS].map((text) => [text, []])));
console.log(`load ${loadavg()[0].toFixed(1)} at the start`);
for (let round = 0; round < ROUNDS; round++)
	for (const [i, peer] of peers.entries()) {
		for (const text of RATES) found[i][text].push(peer.runs ? peer.runs(1000, text) : await rate(peer, 150, round, text));
		for (const text of WAITS)
			for (let k = 0; k < ANSWERS; k++) {
				const id = `${text.slice(4)}-${round}-${k}`;
				await peer.ask(id, text);
				const began = us();
				found[i][text].push(Number(await peer.answer(id)) - began);
			}
		console.log(`${peer.name}: ${RATES.map((text) => `${text}: ${found[i][text].at(-1)} runs/s`).join(', ')}; `
			+ WAITS.map((text) => `${text}: p50 ${(median(found[i][text].slice(-ANSWERS)) / 1000).toFixed(2)} ms`).join(', '));
	}
for (const text of RATES) {
	const [ours, ...theirs] = found.map((one) => median(one[text]));
	console.log(`${text}: ${ours} runs/s, ${(ours / Math.max(...theirs)).toFixed(1)} × the best of the others (${theirs.join(', ')})`);
}
for (const text of WAITS) {
	const [ours, ...theirs] = found.map((one) => median(one[text]) / 1000);
	console.log(`${text}: ${ours.toFixed(2)} ms, ${(ours / Math.min(...theirs)).toFixed(2)} of the best of the others (${theirs.map((ms) => ms.toFixed(2)).join(', ')})`);
}
console.log(`load ${loadavg()[0].toFixed(1)} at the end`);
await peers[0].end();
process.exit(0);
