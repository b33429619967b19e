// `parley connect`: the files of every agent, made, kept and taken away again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { BIN, useServer } from './lib.mjs';

const server = await useServer();

/** The user's files, below a home of their own. */
const FILES = {
	claude: ['.claude.json', '.claude/settings.json'], codex: ['.codex/config.toml'], gemini: ['.gemini/settings.json'],
	opencode: ['.config/opencode/opencode.json'], copilot: ['.copilot/mcp-config.json'], qwen: ['.qwen/settings.json'],
	cline: ['.cline/data/settings/cline_mcp_settings.json'], continue: ['.continue/config.yaml'],
	kilo: ['.config/kilo/kilo.json'], droid: ['.factory/mcp.json'], cursor: ['.cursor/mcp.json'],
	vscode: ['.config/Code/User/mcp.json'],
};
/** A project's files, below its folder; cline and continue have none. */
const PROJECT = {
	claude: ['.claude/settings.json', '.mcp.json'], codex: ['.codex/config.toml'], gemini: ['.gemini/settings.json'], opencode: ['opencode.json'],
	copilot: ['.github/mcp.json'], qwen: ['.qwen/settings.json'], kilo: ['kilo.json'], droid: ['.factory/mcp.json'], cursor: ['.cursor/mcp.json'],
	vscode: ['.vscode/mcp.json'],
};
const HOOKS = { claude: '.claude/settings.json', codex: '.codex/hooks.json', gemini: '.gemini/settings.json',
	copilot: '.copilot/hooks/parley.json', qwen: '.qwen/settings.json', droid: '.factory/settings.json' };

const newHome = () => mkdtempSync(join(server.home, 'home-'));

const connect = (home, words, env) => parley(home, ['connect', ...words], env);

function parley(home, words, env = {}) {
	const child = spawn(BIN, words, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'],
		env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env } });
	let stdout = '';
	let stderr = '';
	child.stdout.on('data', (bytes) => { stdout += bytes; });
	child.stderr.on('data', (bytes) => { stderr += bytes; });
	return new Promise((resolve) => { child.on('close', (code) => resolve({ code, stdout, stderr })); });
}

const put = (home, file, text) => {
	mkdirSync(dirname(join(home, file)), { recursive: true });
	writeFileSync(join(home, file), text);
};
const get = (home, file) => readFileSync(join(home, file), 'utf8');
const allFiles = (home) => readdirSync(home, { recursive: true }).filter((name) => statSync(join(home, name)).isFile());

for (const [agent, files] of Object.entries(FILES)) {
	test(`${agent}: a fresh home gets an entry, once, and loses it again`, async () => {
		const home = newHome();
		const shown = await connect(home, [agent, '--dry-run']);
		assert.equal(shown.code, 0, shown.stderr);
		assert.ok(shown.stdout.includes(`+++ ${join(home, files[0])}`), shown.stdout);
		assert.deepEqual(allFiles(home), []);
		const made = await connect(home, [agent]);
		assert.equal(made.code, 0, made.stderr);
		assert.match(made.stderr, /: connected \(/);
		assert.match(made.stderr, /No server was found\. Start one with: parley serve/);
		const before = files.map((file) => get(home, file));
		assert.ok(before[0].includes(BIN), before[0]);
		assert.match((await connect(home, [agent])).stderr, /: already connected \(/);
		assert.deepEqual(files.map((file) => get(home, file)), before);
		const removed = await connect(home, [agent, '--remove']);
		assert.equal(removed.code, 0, removed.stderr);
		assert.deepEqual(allFiles(home), []);
	});
}

test('--project: a fresh folder gets an entry, once, and loses it again', async () => {
	for (const agent of Object.keys(FILES)) {
		const home = newHome();
		const made = await connect(home, [agent, '--project']);
		if (!PROJECT[agent]) {
			assert.equal(made.code, 2);
			assert.match(made.stderr, /has no configuration for a project/);
			continue;
		}
		assert.equal(made.code, 0, made.stderr);
		assert.deepEqual(allFiles(home).sort(), PROJECT[agent]);
		const before = PROJECT[agent].map((file) => get(home, file));
		assert.ok(before.some((text) => text.includes(BIN)), before.join());
		if (agent === 'cursor') assert.deepEqual(JSON.parse(before[0]), { mcpServers: { parley: { command: BIN, args: ['mcp'] } } });
		if (agent === 'vscode') assert.deepEqual(JSON.parse(before[0]), { servers: { parley: { type: 'stdio', command: BIN, args: ['mcp'] } } });
		assert.match((await connect(home, [agent, '--project'])).stderr, /: already connected \(/);
		assert.deepEqual(PROJECT[agent].map((file) => get(home, file)), before);
		assert.equal((await connect(home, [agent, '--project', '--remove'])).code, 0);
		assert.deepEqual(allFiles(home), []);
	}
});

test('--hook adds the approval hook, and keeps rules that somebody added to it', async () => {
	for (const [agent, file] of Object.entries(HOOKS)) {
		const home = newHome();
		assert.equal((await connect(home, [agent, '--hook'])).code, 0);
		const text = get(home, file);
		assert.ok(text.includes(`${BIN} hook ${agent} --wait 10m`), text);
		const changed = text.replace('--wait 10m', '--wait 5m');
		writeFileSync(join(home, file), changed);
		// Codex trusts a hook by its digest, which is another now.
		const again = await connect(home, [agent, '--hook']);
		assert.match(again.stderr, agent === 'codex' ? /: connected/ : /already connected/);
		assert.equal(get(home, file), changed);
		assert.equal((await connect(home, [agent, '--remove'])).code, 0);
		assert.deepEqual(allFiles(home), []);
	}
	const none = await connect(newHome(), ['opencode', '--hook']);
	assert.equal(none.code, 2);
	assert.match(none.stderr, /opencode has no approval hook/);
});

test('what else is in a file stays as it is, byte by byte', async () => {
	const texts = {
		'.claude.json': '{"numStartups":3,"mcpServers":{"git":{"command":"git-mcp"}},"projects":{}}',
		'.claude/settings.json': '{\n\t"model": "opus",\n\t"permissions": {\n\t\t"allow": ["Read"], "deny": []\n\t}\n}\n',
		'.codex/config.toml': '# mine\nmodel = "gpt"\n\n[mcp_servers.git]\ncommand = "git-mcp"',
		'.gemini/settings.json': '{\r\n  // theme\r\n  "ui": { "theme": "x" },\r\n}\r\n',
		'.continue/config.yaml': 'name: me\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: git\n    command: git-mcp\n# end\n',
		'.config/opencode/opencode.jsonc': '{\n    "$schema": "https://opencode.ai/config.json", // schema\n    "mcp": {}\n}\n',
	};
	const home = newHome();
	for (const [file, text] of Object.entries(texts)) put(home, file, text);
	const words = ['claude', 'codex', 'gemini', 'continue', 'opencode'];
	assert.equal((await connect(home, words)).code, 0);
	for (const [file, text] of Object.entries(texts)) {
		assert.notEqual(get(home, file), text);
		assert.ok(get(home, file).includes('parley'), file);
	}
	assert.match(get(home, '.gemini/settings.json'), /\/\/ theme\r\n/);
	assert.equal(existsSync(join(home, '.config/opencode/opencode.json')), false);
	assert.equal((await connect(home, [...words, '--remove'])).code, 0);
	for (const [file, text] of Object.entries(texts)) assert.equal(get(home, file), text);
});

test('a file that cannot be read is named with its line and left alone, and so are the others of that agent', async () => {
	const home = newHome();
	put(home, '.claude/settings.json', '{\n  "permissions": {\n    "allow": [ "Read" "Grep" ]\n  }\n}\n');
	put(home, '.codex/config.toml', 'model = "x\n');
	const { code, stderr } = await connect(home, ['claude', 'codex', 'qwen']);
	assert.equal(code, 2);
	assert.match(stderr, /Claude Code: nothing was changed: .*settings\.json: line 3: a ',' is needed before this/);
	assert.match(stderr, /Codex: nothing was changed: .*config\.toml: line 1: a string is not closed/);
	assert.match(stderr, /Qwen Code: connected/);
	assert.equal(existsSync(join(home, '.claude.json')), false);
	assert.equal(get(home, '.codex/config.toml'), 'model = "x\n');
});

test('a read-only file is refused; a link is followed; the mode stays', async () => {
	const home = newHome();
	put(home, '.qwen/settings.json', '{}\n');
	chmodSync(join(home, '.qwen/settings.json'), 0o444);
	const refused = await connect(home, ['qwen']);
	assert.equal(refused.code, 2);
	assert.match(refused.stderr, /settings\.json: is read-only/);
	assert.equal(get(home, '.qwen/settings.json'), '{}\n');
	put(home, 'dotfiles/gemini.json', '{}\n');
	chmodSync(join(home, 'dotfiles/gemini.json'), 0o640);
	mkdirSync(join(home, '.gemini'));
	symlinkSync('../dotfiles/gemini.json', join(home, '.gemini/settings.json'));
	assert.equal((await connect(home, ['gemini'])).code, 0);
	assert.match(get(home, 'dotfiles/gemini.json'), /parley/);
	assert.equal(statSync(join(home, 'dotfiles/gemini.json')).mode & 0o777, 0o640);
});

test('--project writes below the folder; --url names the server and hands the token on', async () => {
	const home = newHome();
	const made = await connect(home, ['claude', 'codex', 'opencode', '--project']);
	assert.equal(made.code, 0, made.stderr);
	// Some read a project's files only once they are trusted; connect says so, and does not decide that.
	assert.match(made.stderr, /Claude Code ignores a project's files until you trust them\. Run once in this folder and accept: claude\n/);
	assert.doesNotMatch(made.stderr, /opencode ignores/);
	assert.deepEqual(allFiles(home).sort(), ['.claude/settings.json', '.codex/config.toml', '.mcp.json', 'opencode.json']);
	assert.equal((await connect(home, ['cline', '--project'])).code, 2);
	const far = await connect(home, ['codex', 'gemini', '--url', 'https://parley.example.org'], { PARLEY_TOKEN: 'prl_x' });
	assert.match(far.stderr, /export PARLEY_TOKEN/);
	assert.match(get(home, '.gemini/settings.json'), /"args": \["mcp", "--url", "https:\/\/parley\.example\.org"\]/);
	assert.match(get(home, '.gemini/settings.json'), /"PARLEY_TOKEN": "\$PARLEY_TOKEN"/);
	assert.ok(!get(home, '.gemini/settings.json').includes('prl_x'));
});

test('unknown agents are refused; without one those on PATH are listed', async () => {
	const wrong = await connect(newHome(), ['emacs']);
	assert.equal(wrong.code, 2);
	assert.match(wrong.stderr, /unknown agent emacs; known agents: claude, codex/);
	const home = newHome();
	put(home, 'bin/codex', '#!/bin/sh\n');
	put(home, 'bin/cn', '#!/bin/sh\n');
	for (const name of ['codex', 'cn']) chmodSync(join(home, 'bin', name), 0o755);
	await connect(home, ['codex']);
	const listed = await connect(home, [], { PATH: join(home, 'bin') });
	assert.equal(listed.code, 0);
	assert.match(listed.stdout, /^ 1 {2}codex +connected\n 2 {2}continue +not connected\n$/);
});

test('doctor says what is connected, what is not, and a hook that would not run', async () => {
	const home = newHome();
	for (const name of ['claude', 'codex', 'gemini']) {
		put(home, `bin/${name}`, '#!/bin/sh\n');
		chmodSync(join(home, 'bin', name), 0o755);
	}
	const doctor = async () => (await parley(home, ['doctor'], { PATH: join(home, 'bin') })).stdout;
	await connect(home, ['claude']);
	await connect(home, ['codex', '--hook']);
	assert.match(await doctor(), /ok {2}Claude Code: connected\nok {2}Codex: connected, with its approval hook\n-- {2}Gemini CLI: not connected; run: parley connect gemini\n/);
	// Codex trusts a hook as it was: changed, it would not run.
	writeFileSync(join(home, '.codex/hooks.json'), get(home, '.codex/hooks.json').replace('--wait 10m', '--wait 1m'));
	assert.match(await doctor(), /!! {2}Codex: its approval hook is only partly set up/);
	await connect(home, ['codex', '--hook']);
	assert.match(await doctor(), /ok {2}Codex: connected, with its approval hook/);
	put(home, '.gemini/settings.json', '{\n  "a" 1\n}\n');
	assert.match(await doctor(), /!! {2}Gemini CLI: .*settings\.json: line 2: a ':' is needed here/);
});
