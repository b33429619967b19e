// `parley connect` at a terminal: a list to choose from, and a test question from end to end.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
	await terminal.shows('The test failed');
	assert.equal((await server.member.get(`/v1/asks/${ask.id}`)).body.status, 'cancelled');
	await terminal.shows('exit 1');
});
