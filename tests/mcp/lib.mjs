// What the tests with MCP clients share: a server, a person who answers, a question.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BIN, until } from '../api/lib/server.mjs';

export { BIN, until, useServer } from '../api/lib/server.mjs';

export const LONG = Boolean(process.env.PARLEY_LONG);
export const CURRENT = '2026-07-28';

/** A program of these packages, with the Node that came along. */
export const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));

/** The conformance suite against an address. → its scenarios, and the whole output. */
export function suite(url, revision, { home, env }) {
	return new Promise((resolve) => {
		execFile(bin('node'), [bin('conformance'), 'server', '--url', url,
			'--requirements', revision, '--timeout', '60000'],
		{ cwd: home, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
			const [, summary = ''] = /=== SUMMARY ===\n([\s\S]*)$/.exec(stdout) ?? [];
			resolve({ text: stdout + stderr, found: [...summary.matchAll(/^([✓✗]) (\S+): (.*)$/gm)]
				.map(([, mark, name, counts]) => ({ name, counts, passed: mark === '✓' })) });
		});
	});
}

export const question = (text = 'Which database shall I use?') => ({
	questions: [{ question: text, header: 'Database', multiSelect: false, options: [
		{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }],
});

/** The open ask with this question, once it is there. */
export const asked = (server, text, ms = 20_000) => until(async () => {
	const { items } = (await server.member.get('/v1/asks?limit=200')).body;
	return items.find((ask) => ask.questions[0].text === text);
}, `the ask "${text}"`, ms);

export async function answer(server, text, value = 'PostgreSQL') {
	const ask = await asked(server, text);
	const reply = await server.member.post(`/v1/asks/${ask.id}/answer`, { answer: value });
	assert.equal(reply.status, 200, reply.text);
	return ask;
}

/** Asks through `call`, answers as a person, and checks that the answer came back. */
export async function roundTrip(server, text, call) {
	const [result, ask] = await Promise.all([call(text), answer(server, text)]);
	const said = JSON.stringify(result);
	assert.match(said, /PostgreSQL/, said);
	return { ask, result };
}

/** `parley mcp` on a pipe, message by message. */
export class Bridge {
	constructor(server, { flags = [], env } = {}) {
		this.child = spawn(BIN, ['mcp', ...flags], {
			env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent, ...env },
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		this.messages = [];
		this.stderr = '';
		this.waiting = [];
		this.child.stderr.on('data', (bytes) => { this.stderr += bytes; });
		createInterface({ input: this.child.stdout }).on('line', (line) => {
			this.messages.push(JSON.parse(line));
			this.waiting.forEach((look) => look());
		});
		this.exited = new Promise((resolve) => {
			this.child.on('close', (code, signal) => resolve({ code, signal }));
		});
		this.last = 0;
	}

	send(message) { this.child.stdin.write(`${JSON.stringify(message)}\n`); }

	/** A message that fits, now or later. */
	until(fits, what = 'a message', ms = 20_000) {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new Error(
				`${what} did not come: ${JSON.stringify(this.messages)} ${this.stderr}`)), ms);
			const look = () => {
				const found = this.messages.find(fits);
				if (!found) return;
				clearTimeout(timer);
				this.waiting = this.waiting.filter((other) => other !== look);
				resolve(found);
			};
			this.waiting.push(look);
			look();
		});
	}

	reply(id, ms) { return this.until((m) => m.id === id && !m.method, `the reply to ${id}`, ms); }

	/** Sends a request in the way of its era; → its id. */
	request(method, params = {}) {
		const id = ++this.last;
		const _meta = this.legacy ? params._meta : {
			'io.modelcontextprotocol/protocolVersion': CURRENT,
			'io.modelcontextprotocol/clientInfo': { name: 'pipe', version: '1' },
			'io.modelcontextprotocol/clientCapabilities': {}, ...params._meta,
		};
		this.send({ jsonrpc: '2.0', id, method, params: { ...params, ...(_meta && { _meta }) } });
		return id;
	}

	call(name, args, more) { return this.request('tools/call', { name, arguments: args, ...more }); }

	async initialize(protocolVersion = '2025-11-25') {
		this.legacy = true;
		const id = this.request('initialize', { protocolVersion, capabilities: {},
			clientInfo: { name: 'pipe', version: '1' } });
		const { result } = await this.reply(id);
		this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
		return result;
	}

	end() {
		this.child.stdin.end();
		return this.exited;
	}

	kill() { this.child.kill('SIGKILL'); }
}
