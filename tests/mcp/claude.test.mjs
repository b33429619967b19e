// Claude Code itself, unmodified, with a model of ours behind it and nothing of the network: it
// asks through Parley, and a person answers by HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BIN, answer, asked, bin, question, until, useServer } from './lib.mjs';
import { TurnModel, say, use } from '../lib/script_model.mjs';

const server = await useServer({ keepPort: true });
const hasty = await server.token('agent', 'hasty', ['--mcp-wait', '1']);

/** How Claude Code is told of Parley: as we tell people to. */
const printed = async (...flags) => (await server.run(['mcp', '--print-config', 'claude', ...flags])).stdout;
const ways = { stdio: await printed(), http: await printed('--url', server.url) };

const mind = (...turns) => new TurnModel(...turns).start();

/** Runs `claude -p`; → its result, with what it said on stderr. */
function claude(model, { way, token = server.secrets.agent, flags = [], prompt = 'Go on.',
	home = mkdtempSync(join(server.home, 'claude-')) }) {
	const config = way ? ['--mcp-config', ways[way], '--allowedTools', 'mcp__parley'] : [];
	const child = spawn(bin('claude'), ['-p', prompt, '--output-format', 'json', '--strict-mcp-config',
		...config, ...flags], {
		cwd: home, stdio: ['ignore', 'pipe', 'pipe'],
		env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', SHELL: '/bin/bash',
			ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-test',
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1',
			DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1', DISABLE_UPDATES: '1',
			ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: 'false', PARLEY_URL: server.url, PARLEY_TOKEN: token },
	});
	let stdout = '';
	let stderr = '';
	child.stdout.on('data', (bytes) => { stdout += bytes; });
	child.stderr.on('data', (bytes) => { stderr += bytes; });
	return new Promise((resolve, reject) => {
		child.on('close', (code) => {
			try {
				resolve({ ...JSON.parse(stdout), code, stderr, home });
			} catch {
				reject(new Error(`claude ended with ${code}: ${stdout}${stderr}`));
			}
		});
	});
}

const SLOW = 60_000; // it takes its time to start when the machine is busy
const ask = (text) => use('mcp__parley__ask_user_question', question(text));
const byCommand = (command) => until(async () => {
	const { items } = (await server.member.get('/v1/asks?limit=200')).body;
	return items.find((one) => one.operation?.arguments.command === command);
}, `the approval of ${command}`, SLOW);
const decide = async (command, value) => {
	const approval = await byCommand(command);
	assert.equal((await server.member.post(`/v1/asks/${approval.id}/answer`, { answer: value })).status, 200);
};
const restart = async (signal) => {
	server.clients.forEach((client) => client.close());
	await server.signal(signal);
	await server.start();
	for (const name of Object.keys(server.secrets)) server[name] = server.client(server.secrets[name]);
};

for (const way of ['http', 'stdio']) {
	test(`asks by ${way}, and has the answer in the same call`, async () => {
		const text = `Directly by ${way}?`;
		const model = await mind(() => ask(text), (got) => say(`I got ${got}`));
		const [result] = await Promise.all([claude(model, { way }),
			asked(server, text, SLOW).then(() => answer(server, text))]);
		assert.match(result.result, /"answers":\{"Directly by .*\?":"PostgreSQL"\}/);
		assert.match(result.result, /"kind":"human"/);
		model.stop();
	});

	test(`asks by ${way}, and gets the answer later with get_answer`, async () => {
		const text = `Later by ${way}?`;
		const later = async (got) => {
			const { status, ask_id } = JSON.parse(got);
			assert.equal(status, 'pending');
			await answer(server, text);
			return use('mcp__parley__get_answer', { ask_id });
		};
		const model = await mind(() => ask(text), later, (got) => say(`I got ${got}`));
		const result = await claude(model, { way, token: hasty });
		assert.match(result.result, /PostgreSQL/);
		model.stop();
	});

	test(`asks by ${way}, the server restarts, and the answer comes`, async () => {
		const text = `Across a restart by ${way}?`;
		// A server that stops says that it is pending; after one that dies, the pipe asks again.
		// A call that meets the server while it is down is refused, and made again.
		let first;
		const again = (got) => (/PostgreSQL/.test(got) ? say(`I got ${got}`)
			: use('mcp__parley__get_answer', { ask_id: (got.match(/ask_[0-9a-z]{26}/) ?? [first.id])[0] }));
		const model = await mind(() => ask(text), ...Array(6).fill(again));
		const running = claude(model, { way });
		first = await asked(server, text, SLOW);
		await restart(way === 'http' ? 'SIGTERM' : 'SIGKILL');
		if (way === 'http') await until(() => model.turn > 1, 'the second try', SLOW);
		const second = await answer(server, text);
		assert.equal(second.id, first.id);
		assert.match((await running).result, /PostgreSQL/);
		if (way === 'http') assert.ok(model.turn >= 3);
		else assert.equal(model.turn, 2);
		model.stop();
	});
}

test('its permission prompts are answered by request_approval', async () => {
	const model = await mind(() => use('Bash', { command: 'echo one > made.txt', description: 'Make' }), say);
	const [result] = await Promise.all([claude(model, { way: 'http',
		flags: ['--permission-prompt-tool', 'mcp__parley__request_approval'] }),
	decide('echo one > made.txt', { value: 'approve', arguments: { command: 'echo two > made.txt', description: 'Make' } })]);
	assert.ok(existsSync(join(result.home, 'made.txt')), result.result);
	assert.equal(readFileSync(join(result.home, 'made.txt'), 'utf8'), 'two\n');
	model.stop();
});

describe('its hook', () => {
	const hook = (...flags) => ['--settings', JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash',
		hooks: [{ type: 'command', timeout: 60, command: [BIN, 'hook', 'claude', ...flags].join(' ') }] }] } })];
	const bash = (command) => use('Bash', { command, description: 'Make' });

	test('runs what a person approved, and not what was rejected', async () => {
		const model = await mind(() => bash('echo yes > yes.txt'), () => bash('echo no > no.txt'), (got) => say(got));
		const [result] = await Promise.all([claude(model, { flags: hook() }),
			decide('echo yes > yes.txt', 'approve'),
			decide('echo no > no.txt', { value: 'reject', text: 'Not today' })]);
		assert.equal(readFileSync(join(result.home, 'yes.txt'), 'utf8'), 'yes\n');
		assert.equal(existsSync(join(result.home, 'no.txt')), false);
		assert.match(result.result, /Not today/);
		model.stop();
	});

	test('puts off what nobody decides, and --resume goes on with it', async () => {
		const command = 'echo later > later.txt';
		const model = await mind(() => bash(command));
		const first = await claude(model, { flags: hook('--wait', '0s', '--then', 'defer') });
		assert.equal(first.stop_reason, 'tool_deferred');
		assert.equal(first.deferred_tool_use.name, 'Bash');
		assert.equal(existsSync(join(first.home, 'later.txt')), false);
		await decide(command, 'approve');
		const second = await claude(model, { home: first.home, prompt: '',
			flags: ['--resume', first.session_id, ...hook('--wait', '0s', '--then', 'defer')] });
		assert.equal(second.session_id, first.session_id);
		assert.equal(readFileSync(join(first.home, 'later.txt'), 'utf8'), 'later\n');
		model.stop();
	});
});
