// Real agents behind a program of one's own, over the protocol that they have for that: what they stop with is
// asked in its dialect, and they go on with the reply as it comes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { captured, packageAt } from './captured.mjs';
import { Desk, WORDS, chosen, plain, serverFor, settle } from './lib.mjs';
import { say, use } from '../lib/script_model.mjs';

/** JSON-RPC, a line each, with a program that asks back: onAsk gives the results. */
class Lines {
	constructor(program, words, options, onAsk) {
		this.child = spawn(program, words, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
		this.waiting = new Map();
		this.heard = new Map();
		this.id = 0;
		this.rest = '';
		this.log = '';
		this.child.stderr.on('data', (bytes) => { this.log += bytes; });
		this.child.stdout.on('data', (bytes) => {
			const lines = (this.rest + bytes).split('\n');
			this.rest = lines.pop();
			lines.filter((line) => line.startsWith('{')).forEach((line) => this.take(JSON.parse(line), onAsk));
		});
		this.child.on('close', () => this.waiting.forEach(([, reject]) => reject(new Error(`it ended: ${this.log}`))));
	}

	take(message, onAsk) {
		if (message.method && message.id !== undefined) {
			onAsk(message).then((result) => this.write({ id: message.id, result }), (error) => {
				this.failed = error;
				this.write({ id: message.id, error: { code: -32000, message: String(error) } });
			});
		} else if (message.method) {
			this.heard.get(message.method)?.(message.params);
		} else {
			const [resolve, reject] = this.waiting.get(message.id);
			this.waiting.delete(message.id);
			if (message.error) reject(new Error(JSON.stringify(message.error)));
			else resolve(message.result);
		}
	}

	write(message) { this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`); }

	call(method, params) {
		this.write({ id: ++this.id, method, params });
		return new Promise((resolve, reject) => { this.waiting.set(this.id, [resolve, reject]); });
	}

	once(method) { return new Promise((resolve) => { this.heard.set(method, resolve); }); }

	end() { this.child.kill('SIGKILL'); }
}

const acp = {
	begin: (lines) => lines.call('initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
		clientInfo: { name: 'test', version: '1' } }),
	async run(lines, { work }) {
		const { sessionId } = await lines.call('session/new', { cwd: work, mcpServers: [] });
		await lines.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go on.' }] });
	},
};

/** begin(lines): once; run(lines, desk): a session of its own, and one turn in it. */
const PROTOCOLS = {
	codex: {
		dialect: 'codex', words: ['app-server'], from: () => packageAt('.', '@openai/codex'),
		command: (command) => ({ cmd: command, sandbox_permissions: 'require_escalated', justification: 'As told' }),
		asks: true,
		async begin(lines) {
			await lines.call('initialize', { clientInfo: { name: 'test', title: 'Test', version: '1' }, capabilities: { experimentalApi: true } });
			lines.write({ method: 'initialized' });
		},
		async run(lines, { work }) {
			const { thread } = await lines.call('thread/start', { cwd: work, approvalPolicy: 'on-request', sandbox: 'workspace-write' });
			const over = lines.once('turn/completed');
			await lines.call('turn/start', { threadId: thread.id, input: [{ type: 'text', text: 'Go on.' }],
				collaborationMode: { mode: 'plan', settings: { model: 'scripted', reasoning_effort: null, developer_instructions: null } } });
			await over;
		},
	},
	gemini: {
		dialect: 'acp', words: ['--acp', '--skip-trust', '-m', 'gemini-2.5-pro'], from: () => packageAt('more', '@google/gemini-cli'),
		command: (command) => ({ command, description: 'As told' }), ...acp,
	},
	opencode: {
		dialect: 'acp', words: ['acp'], from: () => packageAt('.', 'opencode-ai'), tools: ['bash'],
		more: { permission: { bash: 'ask' }, model: 'scripted/scripted' },
		command: (command) => ({ command, description: 'As told' }), ...acp,
	},
};

/** The same without what is of this machine. */
const nowhere = (request, desk) => JSON.parse(JSON.stringify(request).replaceAll(desk.home, '/home/ada'));

/** opencode takes minutes to start without a network: only when agents are named. */
const here = ({ name }) => PROTOCOLS[name] && (process.env.PARLEY_AGENTS || name !== 'opencode');

const agents = chosen(AGENTS).filter(here);
const server = await serverFor(agents);

for (const agent of agents) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const protocol = PROTOCOLS[agent.name];
		const [tools] = agent.shell ?? [protocol.tools];
		const desk = new Desk(server, agent);
		let lines;
		/** What is done with its next request: {name, how, body}; the request is kept in it. */
		let next;
		const decide = async (message) => {
			const { name, how, body } = next;
			next.request = nowhere(message, desk);
			captured(`${agent.name}-${name}`, { dialect: protocol.dialect, from: protocol.from(), request: next.request,
				answer: name === 'question' ? 'SQLite' : undefined });
			const made = await server.agent.post(`/v1/asks?dialect=${protocol.dialect}`, message);
			assert.equal(made.status, 201, `${made.text}\n${JSON.stringify(message)}`);
			await settle(server, made.body, how, body);
			return (await server.agent.get(`/v1/asks/${made.body.id}?dialect=${protocol.dialect}`)).body.reply;
		};
		before(async () => {
			await desk.open(null);
			if (protocol.more) agent.setUp(desk.home, desk.model.url, protocol.more);
			lines = new Lines(agent.bin, protocol.words, { env: desk.env(), cwd: desk.work }, decide);
			await protocol.begin(lines);
		});
		after(() => {
			lines?.end();
			return desk.close();
		});

		/** One turn of the agent, whose request is settled so. */
		const decided = async (name, first, how, body) => {
			next = { name, how, body };
			desk.model.follow(first, (last) => say(`I got ${last}`));
			await protocol.run(lines, desk);
			assert.ifError(lines.failed);
			assert.ok(next.request, `it did not ask: ${JSON.stringify(desk.model.missing ?? desk.model.results)}\n${lines.log}`);
			return { said: plain(desk.model.results.join()),
				ran: (file) => existsSync(join(desk.work, file)) && readFileSync(join(desk.work, file), 'utf8') };
		};
		const run = (file, how, body) => decided('approval', () => use(tools, protocol.command(`echo ran > ${file}`)), how, body);

		test(`runs what was approved (${protocol.dialect})`, async () => {
			assert.equal((await run('approved.txt', 'answer', { answers: { decision: 'approve' } })).ran('approved.txt'), 'ran\n');
		});

		test('does not run what was rejected or skipped', async () => {
			assert.equal((await run('rejected.txt', 'answer', { answers: { decision: { value: 'reject', text: 'Not now' } } })).ran('rejected.txt'), false);
			assert.equal((await run('skipped.txt', 'skip', { reason: 'Later' })).ran('skipped.txt'), false);
		});

		test('asks a person in its own words', { skip: !protocol.asks && 'not over this protocol' }, async () => {
			const { said } = await decided('question', () => use('request_user_input', { questions: [{ id: 'db', header: 'Database', question: 'Which one?',
				options: [{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }] }), 'answer', { answer: { other: WORDS } });
			assert.ok(said.includes(WORDS), said);
		});
	});
}
