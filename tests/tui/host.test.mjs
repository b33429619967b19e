// `parley host`: an agent in this terminal, its questions in the dialog over it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { useTerminals } from './lib.mjs';

const server = await useTerminals();
const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));
/* The flag stands right behind the command, so the agent is a command by itself. */
const command = join(server.home, 'tiny-agent');
writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${agent} "$@"\n`, { mode: 0o755 });
const host = (...words) => server.terminal(['host', '--mcp-flag', '--mcp-config', '--', command, ...words], { columns: 80 });

test('the agent asks, the person answers over it, the model gets the text', async () => {
	const terminal = host('ask');
	await terminal.armed('( ) 1 Red');
	terminal.press('Down', 'Enter');
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /the agent is at work/);
	assert.match(seen, /result: Collected answers:\n- Colour: Blue\n\nJSON:\n\{\n {2}"answers": \{\n {4}"Colour": "Blue"/);
});

test('a skip is told as cancelled; Esc alone never leaves it', async () => {
	const terminal = host('ask');
	await terminal.armed('( ) 1 Red');
	terminal.press('Escape');
	await terminal.shows('Skip? y/N');
	terminal.press('Escape');
	await terminal.lacks('Skip? y/N');
	await terminal.shows('( ) 1 Red');
	terminal.press('Escape');
	await terminal.shows('Skip? y/N');
	terminal.press('y');
	await terminal.shows(/result: error AskUserQuestion cancelled by user/);
});

test('a second question is refused while the dialog is open', async () => {
	const terminal = host('twice');
	await terminal.armed('Which First?');
	await new Promise((resolve) => { setTimeout(resolve, 700); });
	terminal.press('Enter');
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /second: error ask_user_question dialog already open/);
	assert.match(seen, /first: Collected answers:\n- First: Red/);
});

test('an abort closes the dialog and withdraws the question', async () => {
	const terminal = host('abort', '2000');
	await terminal.shows('Which Aborted?');
	await terminal.shows('aborted');
	const { items } = (await server.member.get('/v1/asks?status=cancelled')).body;
	assert.equal(items[0].questions[0].text, 'Which Aborted?');
});

test('answered elsewhere: the dialog closes', async () => {
	const terminal = host('ask');
	await terminal.shows('( ) 1 Red');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	await server.member.answer(ask, { [ask.questions[0].key]: 'Red' });
	await terminal.shows('- Colour: Red');
});

test('strict: what the model must mend is refused', async () => {
	const terminal = host('wrong');
	await terminal.shows((text) => text.includes('result: error') && text.includes('Question must end with ?: Colour'));
});

test('the status of the command is passed on', async () => {
	const terminal = server.terminal(['host', '--', 'sh', '-c', 'echo "config: $PARLEY_MCP_CONFIG" | cut -c1-30; exit 7']);
	await terminal.shows((text) => text.includes('config: {"mcpServers"') && text.includes('exit 7'));
});
