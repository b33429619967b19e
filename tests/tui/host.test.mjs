// `parley host`: an agent in this terminal, its questions in the dialog over it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until, useTerminals } from './lib.mjs';

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
	const [now, refused] = ['twice-now', 'twice-refused'].map((name) => join(server.home, name));
	const terminal = host('twice', now, refused);
	await terminal.armed('Which First?');
	writeFileSync(now, '');
	await until(() => existsSync(refused), 'the refusal of the second');
	terminal.press('Enter');
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /second: error ask_user_question dialog already open/);
	assert.match(seen, /first: Collected answers:\n- First: Red/);
});

test('an abort closes the dialog and withdraws the question', async () => {
	const [now, gone] = ['abort-now', 'abort-gone'].map((name) => join(server.home, name));
	const terminal = host('abort', now, gone);
	await terminal.shows('Which Aborted?');
	writeFileSync(now, '');
	await until(async () => (await server.member.get('/v1/asks?status=cancelled')).body.items
		.some(({ questions }) => questions[0].text === 'Which Aborted?'), 'the withdrawal');
	await terminal.lacks('Which Aborted?');
	writeFileSync(gone, '');
	await terminal.shows('aborted');
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

/* An agent of shell words: it sets modes, asks through `parley mcp` as agent.mjs does, and shows the keys it gets. */
const scripted = (lines) => {
	const path = join(server.home, `scripted-${Math.random().toString(36).slice(2)}`);
	writeFileSync(path, `#!/bin/bash\n${lines}\n`, { mode: 0o755 });
	return path;
};
const asking = `${process.execPath} ${agent} ask`;

test('Ctrl-C in the dialog goes back like Esc; the agent and its question live on', async () => {
	const terminal = host('ask');
	await terminal.armed('( ) 1 Red');
	terminal.press('C-c');
	await terminal.shows('Skip? y/N');
	terminal.press('n');
	await terminal.lacks('Skip? y/N');
	terminal.press('Enter');
	await terminal.shows((text) => text.includes('- Colour: Red') && text.includes('exit 0'));
});

test('the agent gets its terminal modes back, and they are off in the dialog', async () => {
	const raw = join(server.home, 'modes.raw');
	const command = scripted(`printf '\\033[?2004h\\033[?25l\\033[?1h\\033[?1006h\\033[?1000h'
${asking} --mcp-config "$PARLEY_MCP_CONFIG"; printf 'done'; sleep 1`);
	const terminal = server.terminal(['host', '--', command], { columns: 80, raw });
	await terminal.armed('( ) 1 Red');
	assert.equal(terminal.tmux('display', '-p', '#{mouse_any_flag}').trim(), '0');
	terminal.press('Enter');
	await terminal.shows('done');
	assert.equal(terminal.tmux('display', '-p', '#{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}').trim(), '0 1 1');
	const sent = readFileSync(raw, 'latin1');
	assert.ok(sent.lastIndexOf('\x1b[?2004h') > sent.lastIndexOf('\x1b[?2004l'), 'pastes are marked again');
});

test('mouse reports and replies of the terminal are no keys of the dialog', async () => {
	const terminal = host('ask');
	await terminal.armed('▸ ( ) 1 Red');
	for (const bytes of ['1b 5b 3c 30 3b 32 3b 32 4d', '1b 5d 31 31 3b 72 67 62 3a 30 07', '1b 50 31 1b 5c', '1b 5b 3f 36 32 63'])
		terminal.bytes(...bytes.split(' '));
	assert.match(await terminal.taken(), /▸ \( \) 1 Red/);
	assert.doesNotMatch(terminal.screen(), /\(•\)/);
	terminal.press('Down', 'Enter');
	await terminal.shows('- Colour: Blue');
});

test('of what is printed behind a long dialog the end is kept, and what is missing is said', async () => {
	const printed = join(server.home, 'printed');
	const go = join(server.home, 'go');
	const command = scripted(`(until [ -e ${go} ]; do sleep 0.02; done; for i in $(seq 1 30000); do printf 'line %05d of the agent, long enough to fill a megabyte in time\\n' $i; done; touch ${printed}) &
${asking} --mcp-config "$PARLEY_MCP_CONFIG"; wait; echo over`);
	const raw = join(server.home, 'held.raw');
	const terminal = server.terminal(['host', '--', command], { columns: 80, raw });
	await terminal.armed('( ) 1 Red');
	writeFileSync(go, '');
	await until(() => existsSync(printed), 'what the agent prints');
	terminal.press('Enter');
	await terminal.shows((text) => text.includes('over') && text.includes('exit 0'), 30_000);
	const all = await until(() => {
		const text = readFileSync(raw, 'utf8');
		return text.includes('exit 0') && text;
	}, 'the rest of the output');
	assert.ok(/\[parley: the dialog was open for a long time; \d+ KB/.test(all), 'says how much is missing');
	assert.ok(all.includes('line 30000 of the agent') && !all.includes('line 00001 '), 'keeps the end');
});

test('ended by a signal: the terminal is as it was and the question is withdrawn', async () => {
	const terminal = server.terminal(`stty -a > ${server.home}/before; "$PARLEY" host --mcp-flag --mcp-config -- ${command} ask; echo "ended $?"; stty -a > ${server.home}/after`,
		{ columns: 80 });
	await terminal.shows('( ) 1 Red');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	process.kill(terminal.pid(), 'SIGTERM');
	await terminal.shows('ended 143');
	await terminal.shows('exit 0');
	assert.equal(readFileSync(`${server.home}/after`, 'utf8'), readFileSync(`${server.home}/before`, 'utf8'));
	assert.equal((await server.member.get(`/v1/asks/${ask.id}`)).body.status, 'cancelled');
});

test('the token stands in the environment of the agent, not on its command line', async () => {
	const command = scripted('echo "words: $*" | grep -c prl_; echo "env: ${PARLEY_TOKEN:0:4}"; echo "$PARLEY_MCP_CONFIG" | grep -c prl_');
	const terminal = server.terminal(['host', '--mcp-flag', '--mcp-config', '--', command],
		{ columns: 80, env: { PARLEY_TOKEN: server.agent.token } });
	assert.match(await terminal.shows('exit'), /^0\s*\nenv: prl_\s*\n1\s*$/m);
});

test('keys meant for a dialog that vanished do not reach the agent, and what was typed is said', async () => {
	const command = scripted(`stty -echo -icanon; ${asking} --mcp-config "$PARLEY_MCP_CONFIG" < /dev/null; read -r -t 2 -n 1 got; echo "got [$got]"`);
	const terminal = server.terminal(['host', '--', command], { columns: 80 });
	await terminal.armed('( ) 1 Red');
	terminal.press('3');
	await terminal.shows('Other:');
	terminal.type('my own words');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	await server.member.answer(ask, { [ask.questions[0].key]: 'Red' });
	await terminal.shows('- Colour: Red');
	terminal.type('zz');
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /Not sent; you had written: my own words/);
	assert.match(seen, /got \[\]/);
});
