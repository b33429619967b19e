// `parley connect` at a terminal: a list to choose from, and a test question from end to end.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until, useTerminals } from './lib.mjs';

const server = await useTerminals();
const bin = join(server.home, 'bin');
mkdirSync(bin);
for (const name of ['codex', 'qwen']) {
	writeFileSync(join(bin, name), '#!/bin/sh\n');
	chmodSync(join(bin, name), 0o755);
}
const PATH = `${bin}:/usr/bin:/bin`;
const asked = () => until(async () => (await server.member.get('/v1/asks')).body.items
	.find((ask) => /test question/.test(ask.questions[0].text)), 'the test question');

test('the list, a choice, a test question and what came back', async () => {
	const terminal = server.terminal(['connect'], { env: { PATH } });
	await terminal.shows(/1 {2}codex +not connected\n 2 {2}qwen +not connected/);
	terminal.press('1', 'Enter');
	await terminal.shows('Codex: connected');
	await terminal.shows('Test question sent');
	const ask = await asked();
	assert.equal((await server.member.post(`/v1/asks/${ask.id}/answer`, { answer: 'Yes' })).status, 200);
	await terminal.shows('The test passed. The agent’s side received your answer: Yes');
	await terminal.shows('exit 0');
	assert.match(readFileSync(join(server.home, '.codex/config.toml'), 'utf8'), /mcp_servers\.parley/);
});

test('Ctrl-C stops waiting, withdraws the question and says that the test failed', async () => {
	const terminal = server.terminal(['connect', 'qwen'], { env: { PATH } });
	await terminal.shows('Test question sent');
	const ask = await asked();
	terminal.press('C-c');
	await terminal.shows('The test failed: you stopped waiting before an answer came');
	assert.equal((await server.member.get(`/v1/asks/${ask.id}`)).body.status, 'cancelled');
	await terminal.shows('exit 1');
});

test('files of others stay what they were; a project’s file is for everybody who works on it', async () => {
	const home = join(server.home, 'files');
	const write = (path, text) => {
		mkdirSync(join(home, path, '..'), { recursive: true });
		writeFileSync(join(home, path), text);
		return () => readFileSync(join(home, path), 'utf8');
	};
	const own = join(home, 'bin');
	mkdirSync(own, { recursive: true });
	symlinkSync(server.bin, join(own, 'parley'));
	const connect = (...words) => server.run(['connect', ...words], { cwd: home,
		env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), PATH: `${own}:/usr/bin:/bin` } });
	/* Everything is allowed: our part of it is. */
	const opencode = write('.config/opencode/opencode.json', '{"permission": "allow"}\n');
	const done = await connect('opencode', '--no-test');
	assert.equal(done.code, 0, done.stderr);
	assert.match(done.stderr, /opencode is not installed here: there is no opencode on PATH\./);
	assert.deepEqual([JSON.parse(opencode()).permission, JSON.parse(opencode()).mcp.parley.type], ['allow', 'local']);
	const cline = write('.cline/data/settings/cline_mcp_settings.json', '{\n  "mcpServers": {\n    "parley": {"command": "old"}\n  }\n}');
	assert.equal((await connect('cline', '--remove')).code, 0);
	assert.deepEqual(JSON.parse(cline()), {});
	assert.match((await connect('claude', '--project', '--no-test', '--lang', 'fr')).stderr, /Claude Code n’est pas installé ici\u00a0: aucun claude dans PATH\./);
	assert.equal(JSON.parse(readFileSync(join(home, '.mcp.json'), 'utf8')).mcpServers.parley.command, 'parley');
	assert.equal(statSync(join(home, '.mcp.json')).mode & 0o777, 0o666 & ~process.umask());
});
