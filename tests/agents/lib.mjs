// What the tests with real agents share: a home with a server, an agent in it, a person who answers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN, until, useServer } from '../api/lib/server.mjs';
import { TurnModel, say, use } from '../lib/script_model.mjs';

export { BIN, until } from '../api/lib/server.mjs';

const NODE = fileURLToPath(new URL('node_modules/.bin', import.meta.url));
const SLOW = 300_000; // a minute to start is normal for some when the machine is busy

/** A program to its end; → {code, stdout, stderr}. `ms`: then it is ended, and killed says so. */
export function run(program, words, { env, cwd, ms = SLOW } = {}) {
	const child = spawn(program, words, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
	let stdout = '';
	let stderr = '';
	let killed = false;
	child.stdout.on('data', (bytes) => { stdout += bytes; });
	child.stderr.on('data', (bytes) => { stderr += bytes; });
	const end = () => {
		killed = true;
		try {
			process.kill(-child.pid, 'SIGKILL');
		} catch { /* gone already */ }
	};
	const timer = setTimeout(end, ms);
	const done = new Promise((resolve) => {
		child.on('close', (code, signal) => {
			clearTimeout(timer);
			resolve({ code, signal, killed, stdout, stderr });
		});
	});
	return Object.assign(done, { end, child });
}

/** One agent in a home of its own, connected, with a model that follows these turns. */
export class Desk {
	constructor(server, agent, token = server.secrets.agent) {
		this.server = server;
		this.token = token;
		this.agent = agent;
		this.home = mkdtempSync(join(server.home, `${agent.name}-`));
		this.work = join(this.home, 'work');
		mkdirSync(this.work);
	}

	env(more = {}) {
		return { PATH: `${NODE}:${dirname(this.agent.bin)}:/usr/local/bin:/usr/bin:/bin`, HOME: this.home, LANG: 'C.UTF-8', SHELL: '/bin/bash',
			TERM: 'dumb', NO_COLOR: '1', PARLEY_TOKEN: this.token, ...this.agent.env?.(this.model?.url), ...more };
	}

	/** connect: words for `parley connect`; null: it is not connected. */
	async open(connect, ...turns) {
		this.model = await new TurnModel(...turns).start();
		this.agent.setUp?.(this.home, this.model.url);
		if (this.agent.first) await this.self(this.agent.first(this.model.url));
		if (connect) await this.connect(connect);
		return this;
	}

	/** The agent with other words than those of a run. */
	async self(words) {
		const { code, stdout, stderr } = await run(this.agent.bin, words, { env: this.env(), cwd: this.work });
		assert.equal(code, 0, stdout + stderr);
	}

	/** The one command. */
	async connect(words) {
		const url = words.includes('--url') ? [] : ['--url', this.server.url];
		const made = await run(BIN, ['connect', this.agent.name, '--no-test', ...url, ...words], { env: this.env(), cwd: this.work });
		assert.equal(made.code, 0, made.stderr);
	}

	/** Runs the agent to its end. */
	go(more = [], options = {}) {
		this.running = run(this.agent.bin, [...this.agent.words('Go on.'), ...more], { env: this.env(), cwd: this.work, ...options });
		return this.running;
	}

	async close() {
		this.running?.end();
		if (this.agent.last) await run(this.agent.bin, this.agent.last(), { env: this.env(), cwd: this.work, ms: 20_000 });
		this.model?.stop();
	}
}

/** What a person writes: whatever reaches the model is compared with it. */
export const WORDS = 'Neither: “DuckDB” 1.4 & <b>ünï</b>';
/** A call that came back without an answer; the model asks for it with its ask_id. */
const isPending = (last) => /status\W{1,8}pending/.test(last);
/** What an agent does with what came back: pending is asked again, the rest is said. */
export const follow = (last, attempt, wait_s) => (isPending(last) ? use('get_answer', { ask_id: /ask_[0-9a-z]{26}/.exec(last)[0], attempt, wait_s })
	: say(`I got ${last}`));
/** What the tool gave back, without the escapes of JSON in JSON. */
export const plain = (text) => text.replaceAll('\\"', '"').replaceAll('\\n', '\n');
/** Several calls in one run of an agent: the next begins when the one before has its answer. */
export class Interview {
	/** calls: functions to use(…) or say(…). */
	constructor(calls) {
		this.calls = calls;
		/** Of each: what it gave back in the end, and how often it was pending before. */
		this.said = [];
		this.pending = calls.map(() => 0);
		this.turns = Array(200).fill((last) => this.turn(last));
	}

	turn(last) {
		if (this.at === undefined) this.at = 0;
		else if (isPending(last ?? '')) return follow(last, ++this.pending[this.at], 0.5);
		else this.said[this.at++] = plain(last ?? 'nothing');
		return this.calls[this.at]?.() ?? say('I am done');
	}

	/** What the nth gave back; it is over when the agent ends before. */
	async came(n, desk, running) {
		let ended;
		running.then((result) => { ended = result; });
		await until(() => this.said[n] !== undefined || ended, 'what came back', SLOW);
		assert.ok(this.said[n] !== undefined, `${JSON.stringify(desk.model.missing)}\n${ended?.stdout}\n${ended?.stderr}`);
		return this.said[n];
	}
}

/** Kills the server with -9, and starts it again at the same address, with these flags in place of its own. */
export async function restart(server, flags) {
	server.clients.forEach((client) => client.close());
	await server.signal('SIGKILL');
	await server.start(flags);
	for (const name of Object.keys(server.secrets)) server[name] = server.client(server.secrets[name]);
}

export const question = (text) => ({ questions: [{ question: text, header: 'Database', multiSelect: false, options: [
	{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }] });

/** The ask that fits; it is over when the agent ends without having asked. */
export async function asked(server, fits, running) {
	let ended;
	running?.then((result) => { ended = result; });
	return until(async () => {
		const { items } = (await server.member.get('/v1/asks?limit=200')).body;
		const found = items.find(fits);
		if (!found && ended) throw new Error(`the agent ended without asking: ${ended.stdout}\n${ended.stderr}`);
		return found;
	}, 'the ask', SLOW);
}
/** The agents of this run: PARLEY_AGENTS names some, or all; without it those that run always. */
export function chosen(agents) {
	const names = process.env.PARLEY_AGENTS?.split(/[ ,]+/);
	return Object.values(agents).filter(({ name, always }) => (names ? names[0] === 'all' || names.includes(name) : always));
}
/** A server for the tests of these agents; without any it would have no test after which it is ended. */
export const serverFor = async (agents, options) => (agents.length ? useServer(options) : null);
export const byText = (text) => (ask) => ask.questions[0].text === text;
export const byCommand = (command) => (ask) => JSON.stringify(ask.operation?.arguments ?? {}).includes(command);
export async function settle(server, ask, how, body) {
	const reply = await (how === 'cancel' ? server.agent : server.member).post(`/v1/asks/${ask.id}/${how}`, body);
	assert.equal(reply.status, 200, reply.text);
}
