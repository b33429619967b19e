// A big store: its export is cut again and again and goes on, retention empties it, metrics and insights are read, and who asks
// beside them hardly waits.
//
// PARLEY_LONG=1: 1,000,000 events exported with 200 cuts, and retention, metrics and insights of 1,000,000 asks, all made by
// bench/fill (PARLEY_FILL); else some hundreds, made over HTTP, and times are not judged. Times are p99 of stretches alone and beside it, in turns where that can
// be; the medians are compared.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linesOf, resumed, verified } from '../api/lib/export.mjs';
import { random } from '../lib/random.mjs';
import { Server, sleep, until } from '../lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const FILL = process.env.PARLEY_FILL ?? fileURLToPath(new URL('../../build/bench/fill', import.meta.url));
const EVENTS = Number(process.env.PARLEY_EVENTS ?? (LONG ? 1_000_000 : 400)), CUTS = LONG ? 200 : 6;
const ASKS = Number(process.env.PARLEY_ASKS ?? (LONG ? 1_000_000 : 150));
const STRETCHES = LONG ? 7 : 1, STRETCH = LONG ? 400 : 20;
const [RATIO_MAX, MORE_MAX_KB] = [1.5, 8 * 1024];
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6), below = random(SEED);
const DAY_MS = 24 * 3600e3, EVENTS_AN_ASK = 3.79;

/** A server with so many asks, of which every tenth is open. → it, with tokens and `send` */
async function filled(asks, projects = 0) {
	const server = new Server({ flags: ['--ask-rate', '0', '--session-rate', '0', '--session-open', '0'] });
	after(() => server.end());
	const made = {};
	for (const role of ['owner', 'admin', 'member', 'agent']) made[role] = await server.token(role);
	if (LONG) execFileSync(FILL, [`sqlite:${join(server.data, 'parley.db')}`, String(asks), String(projects)]);
	await server.start();
	server.send = async (who, method, path, body) => {
		const reply = await server.once(made[who], method, path, body);
		assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply)}`);
		return reply.body;
	};
	for (let i = 0; !LONG && i < asks; i++) {
		const ask = await server.send('agent', 'POST', '/v1/asks', { question: `Where to, ${i}?`, type: 'text',
			...(projects && { project: `project-${i % projects}` }) });
		if (i % 10) await server.send('member', 'POST', `/v1/asks/${ask.id}/answer`, { answer: 'Staging' });
	}
	return Object.assign(server, { made });
}

/** The p99 of asks, one after the other. In ms */
async function asked(server) {
	const took = [];
	for (let i = 0; i < STRETCH; i++) {
		const from = performance.now();
		await server.send('agent', 'POST', '/v1/asks', { kind: 'non_blocking', question: 'Is it quick?', type: 'text' });
		took.push(performance.now() - from);
	}
	return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)];
}
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const rounded = (list) => list.map((ms) => Number(ms.toFixed(2)));
function judge(what, alone, beside) {
	const ratio = median(beside) / median(alone);
	console.log(`# ${what}: p99 alone ${rounded(alone)} ms, beside ${rounded(beside)} ms: ${ratio.toFixed(2)} ×`);
	if (LONG) assert.ok(ratio <= RATIO_MAX, `${what}: ${ratio.toFixed(2)} ×`);
}

/** What fn takes, by the clock and of the processor: the median of so many. In ms */
async function cost(server, times, fn) {
	const took = [], before = processor(server);
	for (let i = 0; i < times; i++) {
		const from = performance.now();
		await fn();
		took.push(performance.now() - from);
	}
	return { ms: Number(median(took).toFixed(1)), processor: Number(((processor(server) - before) / times).toFixed(1)) };
}
/** In ms since its start; counted in hundredths of a second. */
const processor = (server) => {
	const [user, system] = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ').at(-1).split(' ').slice(11, 13);
	return (Number(user) + Number(system)) * 10;
};

const resident = (server) => Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);

/** Exports one after the other, read by a program of its own, while fn runs. → how many KB more were resident at most */
async function beside(server, fn) {
	const before = resident(server);
	let most = before, working = true;
	const reading = (async () => {
		while (working) {
			const curl = spawn('curl', ['-s', '-o', '/dev/null', '-H', `Authorization: Bearer ${server.made.admin}`, `${server.url}/v1/export`]);
			const ended = new Promise((done) => { curl.on('close', done); });
			for (let over = false; !over;) {
				most = Math.max(most, resident(server));
				over = await Promise.race([ended.then(() => true), sleep(20)]);
				if (!working) curl.kill();
			}
		}
	})();
	const result = await fn().finally(() => { working = false; });
	await reading;
	return { more: most - before, result };
}

/** The bytes before the connection was dropped, or all. */
const part = (server, from, cut) => new Promise((done, fail) => {
	const request = http.get(`${server.url}/v1/export?after=${from}`, { headers: { authorization: `Bearer ${server.made.admin}` } }, (reply) => {
		let bytes = '';
		reply.setEncoding('latin1');
		reply.on('data', (piece) => {
			bytes += piece;
			if (bytes.length < cut) return;
			request.destroy();
			done({ bytes: bytes.slice(0, cut), whole: false });
		});
		reply.on('end', () => done({ bytes, whole: true }));
	});
	request.on('error', fail);
});

test(`an export of ${EVENTS} events, cut ${CUTS} times at random bytes, goes on and is one; who asks beside it hardly waits`, async () => {
	const server = await filled(Math.ceil(EVENTS / EVENTS_AN_ASK));
	const jwks = await server.send('agent', 'GET', '/v1/keys');
	const alone = [], beside_it = [], more = [];
	await asked(server);
	for (let i = 0; i < STRETCHES; i++) {
		alone.push(await asked(server));
		const { more: kb, result } = await beside(server, () => asked(server));
		beside_it.push(result);
		more.push(kb);
	}
	const file = join(server.home, 'export.ndjson');
	const whole = await beside(server, async () => {
		execFileSync('curl', ['-s', '-o', file, '-H', `Authorization: Bearer ${server.made.admin}`, `${server.url}/v1/export`], { stdio: 'inherit' });
	});
	more.push(whole.more);
	const size = statSync(file).size;
	writeFileSync(file, '', { mode: 0o600 });
	let from = 0, cuts = 0;
	for (let over = false; !over; cuts++) {
		const cut = cuts < CUTS ? 2000 + below(Math.floor((2 * size) / CUTS)) : Infinity;
		const { bytes, whole: all } = await part(server, from, cut);
		const [kept, n] = all ? [bytes, from] : resumed(bytes);
		appendFileSync(file, kept, 'latin1');
		if (kept) from = n;
		over = all;
	}
	let events = 0, receipts = 0, heads = 0, next = 1;
	const end = await verified(linesOf(file), jwks, ({ event, receipt, head }) => {
		if (event) assert.equal(event.n, next++);
		events += Boolean(event);
		receipts += Boolean(receipt);
		heads += Boolean(head);
	});
	assert.ok(events >= EVENTS * 0.9 && events === end.last, `${events} events`);
	writeFileSync(join(server.home, 'keys'), JSON.stringify(jwks));
	const checked = await server.run(['check', '--export', file, '--key', join(server.home, 'keys'), '--json'], { timeout: 600_000 });
	assert.equal(checked.code, 0, checked.stdout + checked.stderr);
	assert.deepEqual([JSON.parse(checked.stdout).events, JSON.parse(checked.stdout).receipts], [events, receipts]);
	console.log(`# seed ${SEED}: ${events} events, ${receipts} receipts, ${size} bytes, ${cuts - 1} cuts, ${heads} parts; at most ${Math.max(...more)} KB more resident`);
	if (LONG) assert.ok(Math.max(...more) <= MORE_MAX_KB, `${more} KB more resident`);
	judge('export', alone, beside_it);
});

test(`retention of ${ASKS} asks: what is held and what is open stays, check is green, who asks beside it hardly waits`, async () => {
	const server = await filled(ASKS);
	const db = join(server.data, 'parley.db');
	const number = (sql) => Number(execFileSync('sqlite3', ['-readonly', '-cmd', '.timeout 60000', db, sql], { encoding: 'utf8' }));
	const held = [];
	const { items } = await server.send('admin', 'GET', '/v1/asks?status=answered&limit=50');
	for (const { session } of items.slice(0, 20)) {
		await server.send('admin', 'POST', '/v1/holds', { session, reason: 'Audit' });
		held.push(session);
	}
	await server.send('admin', 'POST', '/v1/holds', { project: 'kept', reason: 'Audit' });
	for (let i = 0; i < 20; i++) {
		const ask = await server.send('agent', 'POST', '/v1/asks', { question: 'Kept?', type: 'text', project: 'kept' });
		await server.send('member', 'POST', `/v1/asks/${ask.id}/skip`, {});
		held.push(ask.session);
	}
	const { version, ...policy } = await server.send('admin', 'GET', '/v1/policy');
	const alone = [], beside_it = [];
	await asked(server);
	for (let i = 0; i < STRETCHES; i++) alone.push(await asked(server));
	await server.send('admin', 'PUT', '/v1/policy', { ...policy, version, retention: { settled: '1d' } });
	const open = number("SELECT COUNT(*) FROM sessions WHERE open_input + open_approval + open_other > 0");
	const before = number('SELECT COUNT(*) FROM sessions');
	server.jump(3 * DAY_MS);
	await server.stop(); // it looks when it starts
	const started = Date.now();
	await server.start();
	let left = before;
	const young = () => number(`SELECT COUNT(*) FROM sessions WHERE created_ms > ${Date.now() + 2 * DAY_MS}`);
	do {
		beside_it.push(await asked(server));
		left = number('SELECT COUNT(*) FROM sessions') - young();
	} while (LONG && left > open + held.length && beside_it.length < 1000);
	await until(() => number('SELECT COUNT(*) FROM sessions') - young() === open + held.length, 'retention', 600_000);
	const took = (Date.now() - started) / 1000;
	for (const session of held) await server.send('admin', 'GET', `/v1/sessions/${session}`);
	await server.stop();
	const check = await server.run(['check', '--data', server.data], { timeout: 600_000 });
	assert.equal(check.code, 0, check.stdout);
	console.log(`# seed ${SEED}: ${before - open - held.length} sessions deleted, ${open} open and ${held.length} held ones stayed, ${took.toFixed(0)} s`);
	judge('retention', alone, beside_it);
});

test(`${ASKS} asks in 100 projects: metrics, insights, and who asks beside them; a server that nobody asks does nothing`, async () => {
	const server = await filled(ASKS, 100);
	const read = (path) => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.made.owner}` } }).then((reply) => reply.text());
	const text = await read('/metrics');
	assert.ok(text.match(/^parley_asks_pending\{kind="blocking",project="project-/gm).length >= 10);
	const metrics = await cost(server, LONG ? 50 : 3, () => read('/metrics'));
	let insights;
	const alone = [], beside_it = [];
	await asked(server);
	for (let i = 0; i < STRETCHES; i++) {
		alone.push(await asked(server));
		let reading = true;
		const readers = (async () => { while (reading) insights = await read('/v1/insights'); })();
		beside_it.push(await asked(server));
		reading = false;
		await readers;
	}
	assert.ok(JSON.parse(insights).by_project.length >= 10);
	const whole = await cost(server, 3, () => read('/v1/insights'));
	await sleep(LONG ? 5000 : 0);
	const before = processor(server), looked = LONG ? 120_000 : 500;
	await sleep(looked);
	const idle = (100 * (processor(server) - before)) / looked;
	console.log(`# ${ASKS} asks: metrics ${JSON.stringify(metrics)}, insights ${JSON.stringify(whole)} (ms); idle ${idle.toFixed(2)} % of a processor, ${resident(server)} KB`);
	if (LONG) assert.ok(metrics.ms <= 20 && whole.ms <= 3000 && idle < 0.5, 'metrics ≤ 20 ms, insights ≤ 3 s, idle 0 %');
	judge('insights', alone, beside_it);
});
