// gateway.mjs - what the gateway costs: an allowed call of a tool through it and without it, in turns, with a client and
// a server in C; memory and threads of calls that wait for a person.
//
//   node bench/gateway.mjs [--quick]    build/parley and build/bench (meson configure build -Dbench=true)
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { sleep } from '../tests/lib/server.mjs';
import { bench, instantModel, workerServer } from './worker.mjs';

const QUICK = process.argv.includes('--quick');
const ROUNDS = Number(process.env.ROUNDS ?? (QUICK ? 1 : 7));
const url = await instantModel();
const port = new URL(url).port;
const { server, admin, send } = await workerServer(url);
const token = await server.token('agent', 'caller');
const patient = await server.token('agent', 'patient', ['--mcp-wait', '300']);
await send(admin, 'POST', '/v1/mcp-servers', { name: 'instant', url: `${url}/mcp`, trust: true });
await send(admin, 'POST', '/v1/mcp-servers/instant/test', {});

const load = (...words) => execFileSync(bench('load'), words.map(String), { encoding: 'utf8' }).trim().split(' ').map(Number);
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const spread = (list) => `${median(list).toFixed(0)} (${Math.min(...list).toFixed(0)}–${Math.max(...list).toFixed(0)})`;
const status = () => {
	const text = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
	return { kb: Number(/RssAnon:\s+(\d+)/.exec(text)[1]), threads: Number(/Threads:\s+(\d+)/.exec(text)[1]) };
};

for (const lanes of [1, 64]) {
	const calls = QUICK ? 200 : lanes === 1 ? 1000 : 5000;
	const found = { direct: [], through: [], sync: [] };
	for (let i = 0; i < ROUNDS; i++) {
		found.direct.push(load('calls', lanes, calls, port, '/mcp', 'none', 'look'));
		found.through.push(load('calls', lanes, calls, server.port, '/mcp/instant', token, 'look'));
		found.sync.push(load('sync', server.data, 200));
	}
	const of = (which, at) => found[which].map((one) => one[at]);
	const more = (at) => found.through.map((one, i) => one[at] - found.direct[i][at]);
	const above = found.through.map((one, i) => one[1] - found.direct[i][1] - found.sync[i][0]);
	console.log(`${lanes} connection(s), ${ROUNDS} rounds of ${calls} calls: p50 direct ${spread(of('direct', 1))} µs, through ${spread(of('through', 1))} µs, more ${
		spread(more(1))} µs, above one fdatasync (${spread(of('sync', 0))} µs) ${spread(above)} µs; p99 direct ${spread(of('direct', 2))}, through ${
		spread(of('through', 2))}, more ${spread(more(2))} µs; calls/s ${spread(of('direct', 0))} → ${spread(of('through', 0))}`);
}

const many = Number(process.env.MANY ?? (QUICK ? 100 : 10_000));
/* A few first, so that what is kept for requests on their way is not taken for what a waiter costs. At last the same calls once
 * more: their rows are there already, so that what grows is what waits. */
for (const n of [Math.min(many, 200), many, many]) {
	const before = status();
	const held = spawn(bench('load'), ['held', n, server.port, '/mcp/instant', patient, 'write'].map(String), { stdio: ['pipe', 'pipe', 'inherit'] });
	await once(held.stdout, 'data');
	await sleep(5000); /* what the requests needed goes back to the system a while after the last of them */
	const after = status();
	console.log(`${n} held calls wait: ${((after.kb - before.kb) * 1024 / n).toFixed(0)} bytes each, ${after.threads - before.threads} threads more (${after.threads})`);
	held.stdin.end('\n');
	await once(held, 'close');
	await sleep(5000);
}
await server.end();
process.exit(0); /* the model would keep it */
