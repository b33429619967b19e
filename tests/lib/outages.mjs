// outages.mjs - a provider that is away for ten seconds, ten minutes or for ever, beside servers that are killed: no person
// is asked before patience ends, no run is lost, and no call is made that the pauses do not allow. The clock is moved.
import assert from 'node:assert/strict';
import { persist } from './cluster.mjs';
import { random } from './random.mjs';
import { first, results, say, ScriptModel, use } from './script_model.mjs';
import { sleep } from './server.mjs';

const QUICK = 4, PAUSES_S = [2, 5, 10, 30, 60, 120, 300, 600];
const PATIENCE_MS = 30 * 60_000;
const LENGTHS = [10_000, 600_000, Infinity];
const OVER = ['completed', 'failed', 'cancelled'];

export class Outages {
	/** servers: started; tokens: {admin, member}; runs: each with an outage of its own, every fourth of a sub-agent. */
	constructor({ servers, tokens, runs, kills, seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6) }) {
		Object.assign(this, { servers, tokens, runs, kills, seed });
		this.below = random(seed);
		this.deaths = []; // when a server was killed, by this process's clock
		this.asks = new Set();
		this.lines = Array.from({ length: runs }, (_, n) => ({ calls: [], length: LENGTHS[n % LENGTHS.length], healed: false }));
	}

	async ok(status, who, ...request) {
		const reply = await persist(this.servers, this.tokens[who], ...request);
		assert.equal(reply.status, status, `seed ${this.seed}: ${JSON.stringify(reply.body)}`);
		return reply.body;
	}

	now() { return Date.now() + this.servers[0].offset; }

	/** What the model says: how it fails is drawn anew each time. */
	answer(q) {
		const text = first(q), line = this.lines[Number(text.match(/\d+/)[0])];
		if (text.startsWith('Delegate')) return results(q).length ? [say(results(q)[0].text)] : [use('delegate_task', { agent: 'worker', task: text.replace('Delegate', 'Do') })];
		line.calls.push({ at: this.now(), came: Date.now() });
		if (line.healed || this.now() >= line.calls[0].at + line.length) return [say(`done ${text.match(/\d+/)[0]}`)];
		/* Its first event arrives: what broke before that on a kept connection is sent again at once. */
		return [{ status: 529 }, { status: 503 }, { status: 429 }, { blocks: [say('half of an answer')], cut: 2, pause: 5 }][this.below(4)];
	}

	async prepare() {
		this.model = await new ScriptModel((q) => { this.model.requests.length = 0; return this.answer(q); }).start();
		const { version } = await this.ok(200, 'admin', 'GET', '/v1/policy');
		await this.ok(200, 'admin', 'PUT', '/v1/policy', { version, mode: 'auto', always_confirm_high: false, at_once: { auto: 64, manual: 64, selective: 64 } });
		await this.ok(201, 'admin', 'POST', '/v1/providers', { name: 'away', kind: 'anthropic', url: this.model.url, at_once: 64 });
		await this.ok(201, 'admin', 'POST', '/v1/agents', { name: 'worker', provider: 'away', model: 'm', tools: ['delegate_task'], patience: '30m' });
		for (const [n, line] of this.lines.entries()) {
			const message = `${n % 4 === 3 && line.length < Infinity ? 'Delegate' : 'Do'} ${n}`;
			line.run = (await this.ok(201, 'member', 'POST', '/v1/sessions', { agent: 'worker', message }, `run-${n}`)).run;
		}
	}

	/** A person is asked at the end of patience only; then the provider is well again. */
	async settle(ask) {
		const line = this.lines.find(({ run }) => run === ask.run);
		assert.equal(ask.kind, 'error_recovery');
		assert.ok(line.length === Infinity, `seed ${this.seed}: a person is asked of an outage of ${line.length} ms`);
		assert.ok(Date.parse(ask.created_at) >= line.calls[0].at + PATIENCE_MS - 1, `seed ${this.seed}: asked after ${Date.parse(ask.created_at) - line.calls[0].at} ms`);
		assert.ok(!this.asks.has(ask.run) || this.asks.has(ask.id), `seed ${this.seed}: asked twice`);
		this.asks.add(ask.run).add(ask.id);
		line.healed = true;
		await persist(this.servers, this.tokens.member, 'POST', `/v1/asks/${ask.id}/answer`, { answers: { recovery: 'retry' } }, `answer-${ask.id}`);
	}

	/** Those that have not ended, each as one moment shows it. */
	async open() {
		const found = [];
		for (let cursor = ''; cursor !== null;) {
			const page = await this.ok(200, 'member', 'GET', `/v1/runs?limit=200${cursor}`);
			found.push(...page.items.filter(({ status }) => !OVER.includes(status)));
			cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : null;
		}
		return found;
	}

	/** Once nothing is under way. → when each run that waits is called again; empty: all have ended */
	async quiet() {
		for (let since = Date.now(); ; await sleep(20)) {
			for (const ask of (await this.ok(200, 'member', 'GET', '/v1/asks?limit=200')).items) await this.settle(ask);
			const open = await this.open();
			const times = open.filter(({ id }) => !open.some(({ parent }) => parent === id)) // those wait for their sub-agents
				.map(({ status, waits_for: [wait] }) => (status === 'waiting' && wait?.type === 'time' ? Date.parse(wait.until) : 0));
			if (times.every((at) => at > this.now())) return times;
			/* What the dead one was at is not gone on with before its lease is over, or it is back. */
			if (this.dead && Date.now() - since > 1000) await this.revive();
		}
	}

	async revive() {
		await this.dead?.start();
		this.dead = null;
	}

	async kill() {
		const one = this.servers[this.below(this.servers.length)];
		await this.revive();
		await one.kill();
		this.deaths.push(Date.now());
		if (this.servers.length === 1) await one.start();
		else this.dead = one; // what waited for its clock is woken by the other
	}

	async play() {
		await this.prepare();
		let times, rounds = 0;
		while ((times = await this.quiet()).length) {
			/* Half of them at least are called, some late. */
			const late = times.sort((a, b) => a - b).slice(times.length >> 1);
			const jump = Math.max(0, late[this.below(late.length)] - this.now()) + 1;
			for (const server of this.servers) server.jump(jump);
			/* Spread over some twenty rounds. */
			for (rounds++; this.deaths.length < this.kills * Math.min(1, rounds / 20);) {
				await sleep(this.below(40));
				await this.kill();
			}
		}
		await this.revive();
		for (const [n, line] of this.lines.entries()) await this.judge(n, line);
		await this.servers[0].command('check');
	}

	async judge(n, { run, calls, length }) {
		const say_ = `run ${n}, seed ${this.seed}`, r = await this.ok(200, 'member', 'GET', `/v1/runs/${run}`);
		assert.ok(OVER.includes(r.status) && r.status === 'completed' && r.report.includes(`done ${n}`), `${say_}: ${JSON.stringify(r)}`);
		assert.equal(this.asks.has(run), length === Infinity, say_);
		/* A kill may lose the word of a call, which is then made again. */
		for (let i = 1, tries = 1; i < calls.length; i++) {
			const [before, call] = [calls[i - 1], calls[i]];
			if (this.deaths.some((at) => at > before.came - 1000 && at < call.came)) {
				if (tries < QUICK) tries = 1;
			} else if (tries++ >= QUICK) {
				const least = 800 * PAUSES_S[Math.min(tries - QUICK - 1, PAUSES_S.length - 1)], pause = call.at - before.at;
				assert.ok(pause >= least || call.at >= calls[0].at + PATIENCE_MS, `${say_}: call ${i + 1} came ${pause} ms after the one before, at least ${least} are between them`);
			}
		}
	}

	/** A line for docs/TESTING.md. */
	get summary() {
		return `${this.runs} outages, ${this.deaths.length} kills, ${this.servers.length} node(s), seed ${this.seed}: `
			+ `${this.lines.reduce((n, { calls }) => n + calls.length, 0)} model calls, ${this.asks.size / 2} people asked`;
	}

	end() { this.model?.stop(); }
}
