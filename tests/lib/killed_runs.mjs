// killed_runs.mjs - many runs with tools, questions and sub-agents, on one server or on several that share a
// store, which are killed at random moments; and what must hold afterwards.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { persist } from './cluster.mjs';
import { Follower } from './follower.mjs';
import { random } from './random.mjs';
import { first, results, say, ScriptModel, use } from './script_model.mjs';
import { sleep } from './server.mjs';

const number = (q) => Number(first(q).match(/\d+/)[0]);
const todo = (name) => use('todo', { operation: 'create', name });
const question = (text) => use('ask_user_question', { questions: [{ question: text }] });

/* What run n does in its second turn, after a task was noted in the first. */
const KINDS = 5;
const second = (n, file) => [
	() => [use('test_append', { path: file, text: `line ${n}` })],
	() => [use('delegate_task', { agent: 'worker', task: `Child ${n}` })],
	() => [question(`Number ${n}?`)],
	() => [use('parallel_tasks', { tasks: [{ id: 'a', agent: 'worker', task: `Child ${n}` },
		{ id: 'b', agent: 'worker', task: `Asking child ${n}` }, { id: 'c', prompt: 'Go on.', task: `Child ${n}`, after: ['a'] }] })],
	() => [use('test_append', { path: file, text: `line ${n}` }), question(`Number ${n}?`), todo(`more ${n}`)],
][n % KINDS]();
const children = (n) => [[], ['child'], [], ['child', 'child'], ['more']][n % KINDS].map((word) => `${word} ${n}`);

export class KilledRuns {
	/** servers: started, with PARLEY_TEST_TOOLS=1; tokens: {admin, member}; kills: pauses of so many ms at most. */
	constructor({ servers, tokens, runs, kills, pause = 400, seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6) }) {
		Object.assign(this, { servers, tokens, runs, kills, pause, seed });
		this.below = random(seed);
		this.folder = mkdtempSync(join(tmpdir(), 'parley-killed-'));
		this.file = join(this.folder, 'once.txt');
		this.sessions = [];
		this.asked = new Map(); // session → how often it was asked about an interrupted call
		this.retried = new Map(); // and how often a person said to do it again
		this.got = new Map(); // what run n heard of its second turn
		this.calls = 0; // of the model
	}

	async request(who, ...rest) { return persist(this.servers, this.tokens[who], ...rest); }

	async ok(status, ...rest) {
		const reply = await this.request(...rest);
		assert.equal(reply.status, status, JSON.stringify(reply.body));
		return reply.body;
	}

	async answer(q) {
		this.calls++;
		this.model.requests.length = 0; // counted, not kept: there may be a hundred thousand
		const n = number(q), turns = q.messages.filter(({ role }) => role === 'assistant').length;
		await sleep(Math.random() * 20);
		if (first(q).startsWith('Child')) return turns ? [use('report', { markdown: `child ${n}` })] : [todo(`child ${n}`)];
		if (first(q).startsWith('Asking')) return turns ? [say(`heard ${results(q)[0].text}`)] : [question(`Child of ${n}?`)];
		if (turns === 0) return [todo(`task ${n}`)];
		if (turns === 1) return second(n, this.file);
		this.got.set(n, results(q));
		return [say(`done ${n}`)];
	}

	async prepare() {
		this.model = await new ScriptModel((q) => this.answer(q)).start();
		const { version } = await this.ok(200, 'admin', 'GET', '/v1/policy');
		await this.ok(200, 'admin', 'PUT', '/v1/policy',
			{ version, at_once: { auto: 16, manual: 16, selective: 16 }, always_confirm_high: false });
		await this.ok(201, 'admin', 'POST', '/v1/providers', { name: 'scripted', kind: 'anthropic', url: this.model.url });
		await this.ok(201, 'admin', 'POST', '/v1/agents', { name: 'worker', provider: 'scripted', model: 'm',
			tools: ['ask_user_question', 'todo', 'test_append', 'delegate_task', 'parallel_tasks'] });
		this.follower = new Follower(this.servers[0], this.tokens.admin);
	}

	async feed() {
		for (let n = 0; n < this.runs; n++) {
			this.sessions[n] = await this.ok(201, 'member', 'POST', '/v1/sessions', { agent: 'worker', message: `Run ${n}` }, `run-${n}`);
			await sleep(3);
		}
	}

	async settle(ask) {
		let answers = { q1: 'yes' };
		if (ask.kind === 'error_recovery') {
			const retry = this.below(2) === 0;
			assert.match(ask.context.text, /which began at [\d-]+T[\d:.]+Z\. /);
			answers = { recovery: retry ? 'retry' : { selected: ['skip'], text: 'skipped' } };
			/* With a key: a reply that a kill took away is given again, and the word counts. */
			const reply = await this.request('member', 'POST', `/v1/asks/${ask.id}/answer`, { answers }, `answer-${ask.id}`);
			if (reply.status !== 200) return;
			const count = (map) => map.set(ask.session, (map.get(ask.session) ?? 0) + 1);
			count(this.asked);
			if (retry) count(this.retried);
			return;
		}
		await this.request('member', 'POST', `/v1/asks/${ask.id}/answer`, { answers });
	}

	async people() {
		while (!this.over) {
			const { items } = await this.ok(200, 'member', 'GET', '/v1/asks?limit=200');
			for (const ask of items) await this.settle(ask);
			await sleep(20);
		}
	}

	async play() {
		await this.prepare();
		const people = this.people(), feeding = this.feed();
		const began = Date.now();
		for (let i = 0; i < this.kills; i++) {
			/* Many kills are spread over the runs as they get done. */
			while (this.got.size < this.runs * i / this.kills - 32) await sleep(20);
			if (i && i % 50 === 0) {
				console.log(`${i} of ${this.kills} kills, ${this.got.size} of ${this.runs} runs in their last turn, `
					+ `${this.follower.last} events, ${Math.round((Date.now() - began) / 1000)} s, ${this.follower.problem ?? 'no gap'}`);
			}
			await sleep(50 + this.below(this.pause));
			await this.servers[this.below(this.servers.length)].crash();
		}
		await feeding;
		const ended = [];
		for (let n = 0; n < this.runs; n++) {
			for (;;) {
				ended[n] = await this.ok(200, 'member', 'GET', `/v1/runs/${this.sessions[n].run}`);
				if (['completed', 'failed', 'cancelled'].includes(ended[n].status)) break;
				await sleep(20);
			}
		}
		this.over = true;
		await people;
		await this.judge(ended);
	}

	async judge(ended) {
		const lines = existsSync(this.file) ? readFileSync(this.file, 'utf8').trim().split('\n') : [];
		for (let n = 0; n < this.runs; n++) {
			const { id } = this.sessions[n], say_ = `run ${n}, seed ${this.seed}`;
			assert.equal(ended[n].report, `done ${n}`, `${say_}: ${JSON.stringify(ended[n])}`);
			const tasks = (await this.ok(200, 'member', 'GET', `/v1/sessions/${id}/tasks`)).items.map(({ name }) => name);
			assert.deepEqual(tasks.sort(), [`task ${n}`, ...children(n)].sort(), `${say_}: each task was created once`);
			const times = lines.filter((line) => line === `line ${n}`).length;
			const writes = [0, 4].includes(n % KINDS);
			assert.ok(times <= (writes ? 1 + (this.retried.get(id) ?? 0) : 0), `${say_}: a line stands there ${times} times`);
			if (writes && !times) assert.ok(this.asked.get(id), `${say_}: a line is missing, and nobody was asked`);
			if (n % KINDS === 1) assert.match(this.got.get(n)[0].text, new RegExp(`: completed\\n\\nchild ${n}$`), say_);
			if (n % KINDS === 3) assert.match(this.got.get(n)[0].text, /heard .*yes/, say_);
		}
		const { items } = await this.ok(200, 'admin', 'GET', '/v1/events?format=json&limit=1&before=99999999');
		await this.follower.reach(items[0].id);
		assert.equal(this.follower.problem, null, `seed ${this.seed}`);
	}

	/** A line for docs/TESTING.md. */
	get summary() {
		const sum = (map) => [...map.values()].reduce((a, b) => a + b, 0);
		return `${this.runs} runs, ${this.kills} kills, ${this.servers.length} node(s), seed ${this.seed}: `
			+ `${this.calls} model calls, ${this.follower.last} events, `
			+ `${sum(this.asked)} interrupted calls (${sum(this.retried)} done again by a person)`;
	}

	async end() {
		this.over = true;
		await this.follower?.stop();
		this.model?.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}
