// gateway_once.mjs - many calls that a person must approve, through the gateway, while everything dies: callers of both
// transports and families, who repeat a call until it has an end; an approver; and a checker, which reads the event log and
// what the servers counted, nothing else.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { McpServer, tool } from './mcp_server.mjs';
import { stablePort } from './ports.mjs';
import { random } from './random.mjs';
import { BIN, sleep, until } from './server.mjs';

const own = fileURLToPath(import.meta.url);

/** A server of either family in a process of its own. What it ran is in a file. */
class Counting {
	constructor(family, folder) {
		Object.assign(this, { family, log: join(folder, `ran-${family}`) });
		writeFileSync(this.log, '');
	}
	async start() {
		this.port ??= await stablePort();
		this.child = spawn(process.execPath, [own, this.family, String(this.port), this.log], { stdio: ['ignore', 'pipe', 'inherit'] });
		await new Promise((done) => { this.child.stdout.once('data', done); });
		this.url = `http://127.0.0.1:${this.port}/mcp`;
		return this;
	}
	async crash() {
		this.child.kill('SIGKILL');
		await this.start();
	}
	/** → Map n → how often it ran */
	ran() {
		const counts = new Map();
		for (const n of readFileSync(this.log, 'utf8').split('\n').filter(Boolean).map(Number)) counts.set(n, (counts.get(n) ?? 0) + 1);
		return counts;
	}
}

/** `parley mcp-gateway NAME`, with its client: what it asked is lost when either dies. */
class Piped {
	constructor(name, server, token) {
		this.child = spawn(BIN, ['mcp-gateway', name], { env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: token, PARLEY_SESSION: 'once' }, stdio: ['pipe', 'pipe', 'ignore'] });
		this.waits = new Map();
		this.ids = 0;
		this.child.stdin.on('error', () => {});
		createInterface({ input: this.child.stdout }).on('line', (line) => { const m = JSON.parse(line); if (!m.method) this.waits.get(m.id)?.(m); });
		this.child.on('close', () => { this.dead = true; for (const done of this.waits.values()) done(null); });
	}
	/** → the reply, or null */
	ask(method, params) {
		const id = ++this.ids;
		if (this.dead) return null;
		this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		return new Promise((done) => { this.waits.set(id, done); });
	}
	async open() {
		const hello = await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'once', version: '1' } });
		if (hello?.result) this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
		return Boolean(hello?.result);
	}
}

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'once', version: '1' } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
/* A third of those over HTTP have a key. One without that is cut off while its outcome is on the way is another call when it
 * is sent again: as far as the desk knows it was delivered. */
const keyed = (n) => n % 5 !== 4 && n % 3 === 0;
const ENDED = ['done', 'failed', 'rejected', 'cancelled'];
/** What may happen to a request while something dies. */
const passing = (e) => e.name === 'AbortError' || /fetch failed|terminated|ECONN|socket|closed|aborted/i.test(`${e} ${e.cause}`);

/**
 * nodes: servers of one desk, started, with stable ports; admin, member: functions (method, path, body) → {status, body},
 * which wait for a node; token: of an agent (mcp_wait 2 s, again 3600).
 */
export class Once {
	constructor({ nodes, folder, admin, member, token, calls, callers, kills, seed }) {
		Object.assign(this, { nodes, admin, member, token, calls, callers, kills, below: random(seed), over: false, ended: 0, cuts: 0 });
		this.behind = ['2025', '2026'].map((family) => new Counting(family, folder));
		this.piped = new Set();
	}
	async open() {
		for (const it of this.behind) {
			await it.start();
			assert.equal((await this.admin('POST', '/v1/mcp-servers', { name: `once-${it.family}`, url: it.url })).status, 201);
			assert.equal((await this.admin('POST', `/v1/mcp-servers/once-${it.family}/test`, {})).body.ok, true);
		}
	}
	stop() {
		for (const it of this.behind) it.child.kill('SIGKILL');
		for (const p of this.piped) p.child.kill('SIGKILL');
	}

	/** One message over HTTP; null: the connection was cut, by us or by an end. */
	async #send(n, tries, name, method, params, now, subject) {
		const cut = new AbortController(), timer = this.below(5) === 0 && setTimeout(() => { this.cuts++; cut.abort(); }, this.below(60));
		const node = this.nodes[(n + tries) % this.nodes.length];
		try {
			const r = await fetch(`${node.url}/mcp/${name}`, { method: 'POST', signal: cut.signal,
				headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Parley-Session': 'once',
					...(keyed(n) ? { 'Idempotency-Key': `once-${n}` } : {}),
					...(now ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': subject } : {}) },
				body: JSON.stringify({ jsonrpc: '2.0', id: tries + 1, method, params }) });
			const text = await r.text();
			const data = text.startsWith('{') ? text : text.split('\n').filter((l) => l.startsWith('data: {')).at(-1)?.slice(6);
			return data ? JSON.parse(data) : null;
		} catch (e) {
			if (!passing(e)) throw e;
			await sleep(20);
			return null;
		} finally { clearTimeout(timer); }
	}

	/** Until it has an end: the same call, however often it is cut. */
	async #call(n, caller) {
		const name = `once-${n % 2 ? '2025' : '2026'}`, kind = n % 5, now = kind === 1 || kind === 2;
		const first = { name: 'write', arguments: { n }, ...(now ? { _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': kind === 2 ? TASKS : {} } } : {}) };
		let params = first;
		for (let tries = 0; ; tries++) {
			let reply;
			if (kind === 4) {
				if (!caller.pipe || caller.pipe.dead || caller.name !== name) {
					caller.pipe?.child.kill('SIGKILL');
					this.piped.delete(caller.pipe);
					caller.pipe = new Piped(caller.name = name, this.nodes[(n + tries) % this.nodes.length], this.token);
					this.piped.add(caller.pipe);
					if (!await caller.pipe.open()) { caller.pipe.child.kill('SIGKILL'); await sleep(50); continue; }
				}
				reply = await caller.pipe.ask('tools/call', params);
			} else reply = await this.#send(n, tries, name, params.taskId ? 'tasks/get' : 'tools/call', params, now, params.taskId ?? 'write');
			const result = reply?.result, told = (result?.result ?? result)?._meta?.['parley/call'];
			if (ENDED.includes(told?.status)) return;
			if (!result) { await sleep(20); continue; } // cut, or something is away
			if (result.resultType === 'task') params = { taskId: result.taskId, _meta: first._meta };
			else if (result.resultType === 'input_required') params = { ...first, requestState: result.requestState };
			else if (!params.taskId) params = first;
			await sleep(20);
		}
	}
	async #approve() {
		while (!this.over) {
			const { body } = await this.member('GET', '/v1/asks?status=pending&limit=200');
			for (const ask of body?.items ?? []) await this.member('POST', `/v1/asks/${ask.id}/answer`, { answers: ask.kind === 'approval'
				? { decision: { value: 'approve' } } : { recovery: { selected: ['skip'], text: 'a person looked' } } });
			await sleep(20);
		}
	}
	/** What dies, in turn: a node of the desk, a server, a gateway on a pipe with its agent. */
	async #kill(i) {
		if (i % 3 === 0) await this.nodes[(i / 3) % this.nodes.length].crash();
		else if (i % 3 === 1) await this.behind[((i - 1) / 3) % 2].crash();
		else for (const p of [...this.piped].slice(0, 3)) p.child.kill('SIGKILL');
	}
	async play() {
		let next = 0;
		const approver = this.#approve();
		const callers = Array.from({ length: this.callers }, async () => {
			const caller = {};
			while (next < this.calls) { await this.#call(next++, caller); this.ended++; }
			caller.pipe?.child.stdin.end();
		});
		for (let i = 0; i < this.kills; i++) {
			await until(() => this.ended >= (this.calls * (i + 1)) / (this.kills + 1), 'calls that have ended', 600_000);
			await this.#kill(i);
		}
		await Promise.all(callers);
		this.over = true;
		await approver;
	}

	/** The log and the servers' counts. → how many ran, were cut off before they ran, and were sent anew after their outcome was out */
	async check() {
		const of = new Map(), calls = new Map(), held = new Map(), approved = new Set(), started = new Map(), ends = new Map();
		for (let at = 0; ;) {
			const { items } = (await this.admin('GET', `/v1/events?format=json&after=${at}&limit=200`)).body;
			if (!items.length) break;
			for (const e of items) {
				const { call, status } = e.data;
				at = e.id;
				if (e.type === 'ask.created') of.set(e.ask, Number(/\bn=(\d+)$/.exec(e.data.title)?.[1]));
				if (e.type === 'call.held') {
					const n = of.get(e.ask), before = calls.get(n) ?? [];
					assert.ok(before.every((id) => ends.has(id)), `${n}: asked again before ${before} ended`);
					assert.ok(!before.length || !keyed(n), `${n}: another call with the same key`);
					calls.set(n, [...before, call]);
					held.set(call, e.ask);
				}
				if (e.type === 'ask.answered') approved.add(e.ask);
				if (e.type === 'call.started') {
					assert.ok(approved.has(held.get(call)), `${call} started before it was approved`);
					started.set(call, (started.get(call) ?? 0) + 1);
				}
				if (e.type === 'call.finished') ends.set(call, status);
			}
		}
		const ran = new Map(this.behind.flatMap((it) => [...it.ran()]));
		let cut = 0;
		assert.equal(calls.size, this.calls, 'calls in the log');
		for (const [n, all] of calls) {
			for (const call of all) {
				assert.equal(started.get(call), 1, `${n}: ${call} was started ${started.get(call)} times`);
				assert.equal(ends.get(call), 'done', `${n}: ${call} ended ${ends.get(call)}`);
			}
			assert.ok((ran.get(n) ?? 0) <= all.length, `${n} ran ${ran.get(n)} times, approved ${all.length} times`);
			if (!ran.get(n)) cut++;
		}
		for (const n of ran.keys()) assert.ok(calls.has(n), `${n} ran, and the log does not know it`);
		return { ran: ran.size, cut, anew: held.size - this.calls };
	}
}

if (process.argv[1] === own) {
	const [family, port, log] = process.argv.slice(2);
	const it = new McpServer({ family, tools: [tool('write', { inputSchema: { type: 'object', properties: { n: { type: 'integer' } } }, execution: { taskSupport: 'optional' } })],
		call: async (name, { n }) => { appendFileSync(log, `${n}\n`); await sleep(n % 7 * 5); return { content: [{ type: 'text', text: `${n}` }] }; } });
	await it.start(Number(port));
	process.stdout.write('ready\n');
}
