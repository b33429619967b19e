// What newcomers stumbled over in the terminal: hints that were not true, a missing editor, old terminals, lists without heads.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { choice, useTerminals } from './lib.mjs';

const server = await useTerminals();
const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));
afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
});

test('the hints of a lone choice are true: Enter answers, nothing is before it, Esc goes back', async () => {
	const terminal = server.terminal(['ask', 'Where to?', '-c', 's:Staging', '-c', 'p:Production'], { columns: 80 });
	const seen = await terminal.armed('( ) 1 Staging').then(() => terminal.look());
	assert.match(seen, /^Esc back {2}Enter answer {2}↑↓ move {2}s skip… {2}\? keys$/m);
	assert.doesNotMatch(seen, /← back/);
	terminal.press('s');
	await terminal.shows(/Skip\? y\/N[^]*y skip {2}n or Esc stay/);
	terminal.close();
});

test('in host Esc on “Skip?” stays, and its hint says so', async () => {
	const command = join(server.home, 'asking-agent');
	writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${agent} ask "$@"\n`, { mode: 0o755 });
	const terminal = server.terminal(['host', '--mcp-flag', '--mcp-config', '--', command], { columns: 80 });
	await terminal.armed('( ) 1 Red');
	terminal.press('Escape');
	await terminal.shows(/Skip\? y\/N[^]*n or Esc stay/);
	terminal.press('Escape');
	await terminal.lacks('Skip? y/N');
	await terminal.shows('( ) 1 Red');
	terminal.close();
});

test('an editor that is not there is said, and nothing is changed', async () => {
	const terminal = server.terminal(['ask', 'What is it called?', '--text'], { columns: 80, env: { EDITOR: 'no-such-editor', VISUAL: '' } });
	await terminal.armed('What is it called?');
	terminal.type('half a name').press('C-g');
	const seen = await terminal.shows(/“no-such-editor” could not be run or failed; nothing was changed\. Set \$EDITOR\./);
	assert.match(seen, /half a name/);
	terminal.close();
});

for (const term of ['linux', 'vt100'])
	test(`TERM=${term}: nothing of the dialog is left below the answer`, async () => {
		const terminal = server.terminal(['ask', 'Deploy?'], { columns: 80, term });
		await terminal.armed('( ) 1 Yes');
		terminal.press('Enter');
		const seen = await terminal.shows('exit 0');
		assert.match(seen, /Answered by owner \(terminal\)\./);
		assert.doesNotMatch(seen, /Esc back|s skip|\? keys/);
		terminal.close();
	});

test('help in a small window scrolls, says so, and names the keys in its reader’s language', async () => {
	for (const [lang, hint, key] of [['en', /↑↓ scroll/, /^ Enter +/m], ['fr', /↑↓ défiler/, /^ Entrée +/m]]) {
		const inbox = await server.inbox({ columns: 40, rows: 15, lang });
		inbox.press('?');
		const top = await inbox.shows(hint);
		assert.match(top, key);
		if (lang === 'fr') assert.doesNotMatch(top, /\bEnter\b|\bEsc\b|\bSpace\b/);
		inbox.press(...Array(21).fill('Down'));
		if (lang === 'fr') await inbox.shows(/^ PgPréc PgSuiv +Faire/m);
		await inbox.shows((text) => hint.test(text) && !key.test(text));
		inbox.press('x');
		await inbox.shows((text) => !hint.test(text));
		inbox.close();
	}
});

test('what a critical approval changes is read to its end, too, and is said to be the agent’s word', async () => {
	const diff = Array.from({ length: 40 }, (_, n) => `+line ${n}`).join('\n');
	const { body } = await server.agent.post('/v1/asks', { kind: 'approval', title: 'Deploy?',
		context: { diff: `--- a/x\n+++ b/x\n@@ -0,0 +1,40 @@\n${diff}\n` }, operation: { name: 'deploy', arguments: { to: 'prod' }, risk: 'critical' } });
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('Enter');
	await inbox.armed('Wants to run');
	inbox.press('a');
	await inbox.taken();
	assert.equal((await server.agent.read(body)).status, 'pending');
	assert.doesNotMatch(await inbox.look(), /Press again to approve/);
	for (let i = 0; i < 6; i++) inbox.press('PageDown');
	await inbox.shows('line 39');
	inbox.press('PageUp', 'PageUp', 'PageUp', 'PageUp', 'PageUp', 'PageUp');
	await inbox.shows('Changes, according to the agent');
	inbox.press('a');
	await inbox.shows('Press again to approve');
	inbox.close();
});

test('on a terminal lists have heads', async () => {
	await server.agent.ask({ questions: [choice()] });
	const terminal = server.terminal(`"$PARLEY" list; "$PARLEY" token list --data ${server.data}; "$PARLEY" user list --data ${server.data}`, { columns: 140 });
	const seen = await terminal.shows('exit 0');
	for (const head of [/^ID\b.*STATUS/m, /^ID\b.*NAME/m]) assert.match(seen, head);
	assert.equal(seen.match(/^ID\b/gm).length, 3, seen);
});

test('host at a server that is not there says that, also when one is logged in elsewhere', async () => {
	const terminal = server.terminal(['host', '--url', 'http://127.0.0.1:1', '--', 'true'], { columns: 120, env: { XDG_DATA: '1', PARLEY_DATA: join(server.home, 'none') } });
	await terminal.shows('exit 3');
});
