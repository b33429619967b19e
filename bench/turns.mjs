// turns.mjs - what running agents costs, beside an instant model: durable runs a second, an answer to the model's next
// request, a token to its reader, the processor's time of a turn, memory of runs that work and of runs that wait, and
// what a long run stores.
//
//   node bench/turns.mjs [--quick]    build/parley and build/bench (meson configure build -Dbench=true)
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Follower } from '../tests/lib/follower.mjs';
import { Server, sleep, until } from '../tests/lib/server.mjs';
import { bench, instantModel, realTexts, workerServer } from './worker.mjs';

const QUICK = process.argv.includes('--quick');
const only = process.argv.find((word) => word.startsWith('--only='))?.slice(7);
const url = await instantModel();

const us = () => Number(process.hrtime.bigint() / 1000n);
const at = (list, share) => list.sort((a, b) => a - b)[Math.floor(list.length * share)];
/* Of its threads, none of which ends before it, by the scheduler: times are counted in nanoseconds there. */
const cpu_us = (server) => readdirSync(`/proc/${server.child.pid}/task`).reduce((sum, thread) => {
	const [ns] = readFileSync(`/proc/${server.child.pid}/task/${thread}/schedstat`, 'utf8').split(' ');
	return sum + Number(ns) / 1000;
}, 0);
const resident_kb = (server) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]);

async function fresh() {
	const { server, admin, member, send } = await workerServer(url, { limits: { turns: 100 }, on_limit: 'stop' });
	await send(admin, 'POST', '/v1/agents', { name: 'brief', provider: 'instant', model: 'm', tools: ['todo'],
		limits: { turns: 100, history: 4 }, on_limit: 'stop' });
	const ask = (...request) => send(member, ...request);
	const start = (message, agent = 'worker') => ask('POST', '/v1/sessions', { agent, message });
	const look = async (id) => {
		const r = await ask('GET', `/v1/runs/${id}`);
		return ['completed', 'failed', 'cancelled'].includes(r.status) && r;
	};
	const ended = (id) => until(() => look(id), 'the end', 300_000);
	/** Looks seldom, since the server's time for a look is not a turn's. → how many turns they had */
	const turnsOf = async (sessions) => {
		let turns = 0;
		for (const { run } of sessions) {
			let r;
			while (!(r = await look(run))) await sleep(100);
			turns += r.turn;
		}
		return turns;
	};
	return { server, admin, member, send, ask, start, ended, turnsOf };
}

const rows = {
	async runs() {
		const { server, member } = await fresh();
		const n = QUICK ? 200 : 3000, rates = [];
		for (let i = 0; i < (QUICK ? 1 : 5); i++) {
			const before = cpu_us(server);
			const said = execFileSync(bench('runs'), [server.url, member, 'worker', String(n)], { encoding: 'utf8' });
			rates.push(`${/(\d+) runs\/s/.exec(said)[1]} (${Math.round((cpu_us(server) - before) / n)} µs)`);
		}
		await server.end();
		return `durable runs a second, 32 at once (and the server's processor time of each): ${rates.join(', ')}`;
	},
	/* Each call is reserved before it is sent, and settled after it, in the commits that are made anyway. */
	async budgets() {
		const { server, member, send, admin } = await fresh();
		const n = QUICK ? 100 : 2000, ratios = [];
		await send(admin, 'POST', '/v1/providers', { name: 'priced', kind: 'anthropic', url, key: 'no-key-is-needed', at_once: 64,
			models: [{ id: 'm', price: { input: 1, output: 5 }, context: 200_000, output: 8000 }] });
		for (const [name, limits] of [['free', {}], ['payer', { cost_usd: 1000 }]]) {
			await send(admin, 'POST', '/v1/agents', { name, provider: 'priced', model: 'm', tools: ['todo'], limits: { turns: 100, ...limits }, on_limit: 'stop' });
		}
		const rate = (agent) => Number(/(\d+) runs\/s/.exec(execFileSync(bench('runs'), [server.url, member, agent, String(n)], { encoding: 'utf8' }))[1]);
		for (let i = 0; i < (QUICK ? 1 : 9); i++) {
			const before = rate('free'), paid = rate('payer'), behind = rate('free');
			ratios.push(2 * paid / (before + behind));
		}
		await server.end();
		return `runs with a limit of cost ÷ without one, ${ratios.length} rounds in turns: ${at(ratios, 0.5).toFixed(2)} (${at(ratios, 0).toFixed(2)}–${ratios.at(-1).toFixed(2)})`;
	},
	async answers() {
		const { server, member, ask, start, ended } = await fresh();
		const socket = connect(server.port, '127.0.0.1').setNoDelay();
		const took = [];
		for (let i = 0; i < (QUICK ? 10 : 300); i++) {
			const session = await start('Go #ask');
			const open = await until(async () => (await ask('GET', `/v1/sessions/${session.id}`)).pending_asks[0]);
			await until(async () => (await ask('GET', `/v1/runs/${session.run}`)).status === 'waiting');
			const body = '{"answers":{"q1":"yes"}}';
			const bytes = Buffer.from(`POST /v1/asks/${open.id}/answer HTTP/1.1\r\nHost: ${server.address}\r\nAuthorization: Bearer ${member}\r\n`
				+ `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
			const began = us();
			socket.write(bytes);
			took.push(Number((await ended(session.run)).report) - began);
		}
		socket.destroy();
		await server.end();
		return `answer → the model's next request: p50 ${(at(took, 0.5) / 1000).toFixed(2)} ms, p95 ${(at(took, 0.95) / 1000).toFixed(2)} ms`;
	},
	/* What a tool of one's own adds to a turn, beside a POST of libcurl to the same server, one at a time and in turns. */
	async own() {
		const { server, ask, ended, member } = await fresh();
		const took = { store: [], own: [], post: [] };
		const run = async (agent, message) => Number((await ended((await ask('POST', '/v1/sessions', { agent, message })).run)).report);
		for (let i = 0; i < (QUICK ? 5 : 200); i++) {
			took.store.push(await run('worker', 'Go #took'));
			took.own.push(await run('own', 'Go #own #took'));
			took.post.push(1e6 * Number(execFileSync('curl', ['-s', '-o', '/dev/null', '-w', '%{time_total}', '-d', '{}', `${url}/tool`], { encoding: 'utf8' })));
		}
		const [store, own, post] = Object.values(took).map((list) => at(list, 0.5));
		const rate = (agent, message) => Number(/(\d+) runs\/s/.exec(execFileSync(bench('runs'), [server.url, member, agent, QUICK ? '100' : '1000', message], { encoding: 'utf8' }))[1]);
		const rates = Array.from({ length: QUICK ? 1 : 5 }, () => [rate('worker', 'Go'), rate('own', 'Go #own')]);
		await server.end();
		return `a call of one's own tool: ${own - store} µs more than one of the store's (p50 ${own}, ${store}), a POST of libcurl ${Math.round(post)} µs: ${((own - store) / post).toFixed(2)} ×; `
			+ `runs/s with the store's tool and with one's own, in turns: ${rates.map((pair) => pair.join(' and ')).join(', ')}`;
	},
	async tokens() {
		const { server, ask, start, member } = await fresh();
		const took = [];
		const reader = new Follower(server, member);
		reader.path = '/v1/events?transient=yes';
		reader.frame = (text) => {
			const now = us(), event = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
			if (event.type === 'run.token') took.push(now - Number(event.data.text));
		};
		for (let i = 0; i < (QUICK ? 5 : 100); i++) {
			const session = await start('Go #hold');
			await until(() => took.length > i, 'a token');
			await ask('POST', `/v1/runs/${session.run}/cancel`, {});
		}
		await reader.stop();
		await server.end();
		return `first token of the model → reader of the stream: p50 ${(at(took, 0.5) / 1000).toFixed(1)} ms, p95 ${(at(took, 0.95) / 1000).toFixed(1)} ms`;
	},
	async turns(length = 1500) {
		const { server, ask, start, turnsOf } = await fresh();
		const size = () => statSync(join(server.data, 'parley.db')).size;
		const many = QUICK ? 2 : 16;
		await server.stop();
		await server.start();
		const before = size(), began = cpu_us(server);
		const sessions = await Promise.all(Array.from({ length: many }, () => start(`Go #turns=${length}`)));
		const turns = await turnsOf(sessions);
		const spent = cpu_us(server) - began;
		let said = 0;
		for (const { id } of sessions) {
			let cursor = '';
			do {
				const page = await ask('GET', `/v1/sessions/${id}/messages?limit=100${cursor}`);
				for (const { content } of page.items) said += Buffer.byteLength(JSON.stringify(content));
				cursor = page.next_cursor && `&cursor=${page.next_cursor}`;
			} while (cursor);
		}
		await server.stop();
		const kept = size() - before;
		server.remove();
		return `processor time of a turn, history of 50 messages and all: ${Math.round(spent / turns)} µs; `
			+ `runs of 100 turns: ${(kept / said).toFixed(2)} × their messages (${Math.round(said / turns)} bytes a turn)`;
	},
	/* By the length of what the model says in a turn. */
	async stored() {
		const said = [];
		for (const length of [2300, 3700, 7700, 11500]) said.push(await rows.turns(length));
		return said.join('\n');
	},
	async brief() {
		const { server, start, turnsOf } = await fresh();
		const began = cpu_us(server);
		const sessions = await Promise.all(Array.from({ length: QUICK ? 2 : 32 }, () => start('Go #turns', 'brief')));
		const turns = await turnsOf(sessions);
		const spent = cpu_us(server) - began;
		await server.end();
		return `processor time of a turn, history of 4 messages: ${Math.round(spent / turns)} µs`;
	},
	/* One run each that goes on and on, alone and eight at once: what a turn takes when its thread has 10 messages, and when it has 1,000. */
	async threads(many = 1) {
		const { server, admin, send, ask } = await fresh();
		const last = QUICK ? 60 : 520;
		await send(admin, 'POST', '/v1/providers', { name: 'vast', kind: 'anthropic', url, key: 'no-key-is-needed', at_once: 64, models: [{ id: 'm', context: 100_000_000, output: 8000 }] });
		await send(admin, 'POST', '/v1/agents', { name: 'endless', provider: 'vast', model: 'm', tools: ['todo'], limits: { turns: last }, on_limit: 'stop' });
		const turns = async (from, to) => {
			const runs = [];
			const begun = Array.from({ length: many }, () => ask('POST', '/v1/sessions', { agent: 'endless', message: `Go #turns=${length}` }));
			for (const { run } of await Promise.all(begun)) runs.push(run);
			const sum = async () => (await Promise.all(runs.map((id) => ask('GET', `/v1/runs/${id}`)))).reduce((n, { turn }) => n + turn, 0);
			let n;
			while ((n = await sum()) < many * from) await sleep(from > 100 ? 20 : 1);
			const [before, spent] = [n, cpu_us(server)];
			while ((n = await sum()) < many * to) await sleep(5);
			const each = (cpu_us(server) - spent) / (n - before);
			for (const id of runs) await send(admin, 'POST', `/v1/runs/${id}/cancel`, {}).catch(() => {});
			return each;
		};
		const length = 100, short = [], long = [];
		for (let i = 0; i < (QUICK ? 1 : 3); i++) {
			for (let k = 0; k < 5; k++) short.push(await turns(1, 9));
			long.push(await turns(QUICK ? 40 : 490, last - 10));
		}
		await server.end();
		return `${many} at once: processor time of a turn with up to 20 messages in the thread ${Math.round(at(short, 0.5))} µs, with 1,000 ${Math.round(at(long, 0.5))} µs: ${(at(long, 0.5) / at(short, 0.5)).toFixed(2)} × (messages of ${length} bytes)`;
	},
	threads_together: () => rows.threads(8),
	async working() {
		const { server, start } = await fresh();
		await start('Go');
		await sleep(300);
		const before = resident_kb(server);
		for (let i = 0; i < 64; i++) await start('Go #hold');
		await sleep(1500);
		const more = resident_kb(server) - before;
		await server.end();
		return `64 runs that work: ${Math.round(more / 64)} KB each`;
	},
	/* For an answer; or half of them for their time, half for a result that comes later. */
	async waiting(kinds = [['worker', 'Go #ask']]) {
		const { server, ask } = await fresh();
		const many = QUICK ? 100 : 10_000;
		const median = {};
		/* The time of a start is that of the program alone, by a starter in C. */
		const start = async (name) => {
			const took = [];
			for (let i = 0; i < 7; i++) {
				const [ms, pid] = execFileSync(bench('load'), ['start', server.portFile, server.bin, 'serve',
					'--listen', '127.0.0.1:0', '--port-file', server.portFile, '--data', server.data],
				{ encoding: 'utf8', env: server.env, stdio: ['ignore', 'pipe', 'ignore'] }).split(' ');
				took.push(Number(ms));
				process.kill(Number(pid));
				await until(() => { try { process.kill(Number(pid), 0); return false; } catch { return true; } }, 'its end');
			}
			median[name] = at(took, 0.5).toFixed(1);
			await server.start();
			await sleep(1500);
			return resident_kb(server);
		};
		await server.stop();
		const before = await start('without');
		const waits = Array.from({ length: 16 }, async (_, k) => {
			for (let i = k; i < many; i += 16) {
				const [agent, message] = kinds[i % kinds.length];
				await ask('POST', '/v1/sessions', { agent, message });
			}
		});
		await Promise.all(waits);
		await until(async () => !(await ask('GET', '/v1/runs?limit=1&status=queued')).items.length
			&& !(await ask('GET', '/v1/runs?limit=1&status=running')).items.length, 'all to wait', 300_000);
		await server.stop();
		const after = await start('with'), idle = cpu_us(server);
		await sleep(2000);
		const spent = cpu_us(server) - idle;
		await server.end();
		return `${many} runs that wait (${kinds.map(([, message]) => message).join(', ')}): ${after - before} KB more resident after a start (${before} → ${after}), start ${median.without} → `
			+ `${median.with} ms until it can be reached, ${(spent / 20_000).toFixed(1)} % of a processor`;
	},
	/* Adding a note of 300 characters, one after the other, beside another program: BEFORE. */
	async notes() {
		if (!process.env.BEFORE) return 'notes: BEFORE names the program from before';
		const texts = JSON.parse(`"${realTexts()}"`).replace(/\s+/g, ' '), many = QUICK ? 50 : 1000;
		const programs = [];
		for (const bin of [process.env.BEFORE, undefined]) {
			const server = new Server({ bin, env: { PARLEY_TEST_CLOCK: undefined } });
			const member = await server.token('member', 'mia');
			await server.start();
			programs.push({ server, member, took: [], spent: 0, socket: connect(server.port, '127.0.0.1').setNoDelay() });
		}
		for (let i = 0; i < 20; i++)
			for (const { server, member, took, socket, ...one } of i % 2 ? programs : programs.toReversed()) {
				const before = cpu_us(server);
				for (let k = 0; k < many / 20; k++) {
					const at_ = (i * many + k) * 997 % (texts.length - 300);
					const body = JSON.stringify({ scope: 'workspace', text: texts.slice(at_, at_ + 300).toWellFormed() });
					const came = new Promise((done) => { socket.once('data', done); }), began = us();
					socket.write(`POST /v1/memories HTTP/1.1\r\nHost: ${server.address}\r\nAuthorization: Bearer ${member}\r\n`
						+ `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
					if (!/^HTTP\/1.1 201/.test(String(await came))) throw new Error('no note');
					took.push(us() - began);
				}
				programs.find((other) => other.server === server).spent = one.spent + cpu_us(server) - before;
			}
		const said = programs.map(({ took, spent }) => [at(took, 0.5), Math.round(spent / took.length)]);
		for (const { server, socket } of programs) { socket.destroy(); await server.end(); }
		return `a note of 300 characters, added: p50 ${said.map(([p50]) => p50).join(' → ')} µs, ${(said[1][0] / said[0][0]).toFixed(2)} ×; `
			+ `processor time ${said.map(([, cpu]) => cpu).join(' → ')} µs`;
	},
	waiting_else: () => rows.waiting([['worker', 'Go #busy'], ['later', 'Go #later']]),
};

for (const [name, row] of Object.entries(rows)) if (!only || only === name) console.log(await row());
process.exit(0);
