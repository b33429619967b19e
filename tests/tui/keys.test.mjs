// Keys that do what is said of them: help in every dialog, a way back in every footer, pages, and what takes two presses.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { approval, choice, choices, useTerminals } from './lib.mjs';

const server = await useTerminals();
const ask = (body) => server.agent.ask(body);
const lastLine = (screen) => screen.trimEnd().split('\n').at(-1);

afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks?limit=200')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
});

/** Opens help over what is there, and closes it again. */
async function helps(terminal, back) {
	terminal.press('?');
	const seen = await terminal.showsWhole('Reject with a reason');
	assert.match(seen, /^An ask\n/m);
	assert.doesNotMatch(seen, /\[Inbox|Snooze/);
	assert.match(lastLine(seen), /^Esc back {2}↑↓ scroll/);
	terminal.press('Escape');
	await terminal.shows(back);
}

test('? shows the keys in the dialogs of ask, approve, gate and host, and decides nothing', async () => {
	const agent = join(server.home, 'asking-agent');
	writeFileSync(agent, `#!/bin/sh\nexec ${process.execPath} ${fileURLToPath(new URL('agent.mjs', import.meta.url))} ask "$@"\n`, { mode: 0o755 });
	for (const [words, seen] of [[['ask', 'Really?'], '1 Yes'], [['approve', '--tool', 'deploy'], '1 Approve'],
		[['gate', '--', 'true'], '1 Approve'], [['host', '--mcp-flag', '--mcp-config', '--', agent], '1 Red']]) {
		const terminal = server.terminal(words, { columns: 80 });
		await terminal.armed(seen);
		assert.match(terminal.screen(), /\? keys/);
		await helps(terminal, seen);
		terminal.close();
	}
});

test('a card that help covered is decided only after it stood there again', async () => {
	const terminal = server.terminal(['approve', '--tool', 'deploy', '--arg', 'to=staging'], { columns: 80 });
	await terminal.armed('1 Approve');
	terminal.press('?');
	await terminal.shows('Reject with a reason');
	terminal.press('x');
	await terminal.lacks('Reject with a reason');
	terminal.press('a');
	await terminal.shows('Too soon: nothing was sent.');
	const [one] = (await server.member.get('/v1/asks')).body.items;
	assert.equal(one.status, 'pending');
	terminal.close();
});

test('help begins with the screen it was opened on, explains the marks, and ends at its end', async () => {
	const inbox = await server.inbox({ columns: 80 });
	for (const [keys, heading] of [[['g', 'i'], 'Inbox'], [['g', 's'], 'Sessions'], [['g', 'h'], 'History']]) {
		inbox.press(...keys);
		await inbox.shows(`[${heading}`);
		inbox.press('?');
		await inbox.shows((text) => text.split('\n')[1] === heading);
		inbox.press(...Array(8).fill('NPage'));
		const end = await inbox.showsWhole('Approved with changed arguments');
		for (const mark of ['• +Not opened', '! +Approval', '↻ +Error', '= x - +Session']) assert.match(end, new RegExp(`^ ${mark}`, 'm'));
		assert.match(end.trimEnd().split('\n').at(-2), /Approved with changed/, 'nothing is below its end');
		inbox.press('Escape');
		await inbox.shows(`[${heading}`);
	}
	inbox.press('?');
	await inbox.shows((text) => /g i {2}g s {2}g h +Inbox, sessions, history/.test(text));
	inbox.close();
});

test('every footer at 80 columns has its way out, and no hint is cut', async () => {
	await ask(approval('low', { title: 'Low', timeout: '8m' }));
	for (const body of [approval('high', { timeout: '9m' }), { questions: [choice(), choices()], title: 'Two' },
		{ questions: [choices()], title: 'Several' }, { question: 'Text?', type: 'text' }]) await ask(body);
	for (const [lang, out] of [['en', /Esc back|q quit|\? keys/], ['fr', /Échap retour|q quitter|\? touches/]]) {
		const inbox = await server.inbox({ columns: 80, lang });
		await inbox.shows(/5 (pending|en attente)/);
		const good = async () => {
			const line = lastLine(await inbox.taken());
			assert.match(line, out);
			assert.doesNotMatch(line, /[^ ]… [^ ]|\S…\S/);
			assert.ok(!line.endsWith('…') || /(skip|reject|longer|passer|refuser|longtemps)…$/.test(line), line);
		};
		await good();
		for (let i = 0; i < 5; i++) {
			inbox.press('Enter');
			await inbox.armed('');
			await good();
			const keys = lastLine(inbox.screen());
			assert.match(keys, /Esc back|Échap retour/);
			/* Who may approve there may also reject. */
			assert.equal(/ a (approve|approuver)/.test(keys), / r (reject|refuser)…/.test(keys), keys);
			inbox.press('Escape', 'Down');
		}
		for (const view of ['s', 'h']) {
			inbox.press('g', view);
			await good();
		}
		inbox.close();
	}
});

test('looking at an ask and going back asks nothing', async () => {
	const one = await ask({ questions: [choice()] });
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('1 Staging');
	inbox.press('Escape');
	const seen = await inbox.showsWhole('Enter open');
	assert.doesNotMatch(seen, /Skip\?/);
	assert.equal((await server.agent.read(one)).status, 'pending');
	inbox.close();
});

test('a text is skipped with Ctrl-X; the first of several questions has nothing before it', async () => {
	const text = await ask({ question: 'Why?', type: 'text' });
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('Why?');
	inbox.press('C-x');
	await inbox.armed('Skip? y/N');
	inbox.press('y');
	await inbox.shows(/0 pending/);
	assert.equal((await server.agent.read(text)).status, 'skipped');
	await ask({ questions: [choice(), choices()] });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('1/2: Environment');
	assert.doesNotMatch(inbox.screen(), /← previous/);
	inbox.press('Enter');
	await inbox.shows((screen) => screen.includes('2/2: Tests') && screen.includes('← previous'));
	inbox.close();
});

test('Ctrl-D and Ctrl-F turn a page, Ctrl-U turns it back; none of them opens anything', async () => {
	for (let i = 0; i < 40; i++) await ask({ question: `Word ${'abcdefghij'[i % 10]}${'klmn'[Math.floor(i / 10)]}?`, type: 'boolean' });
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/40 pending/);
	const at = async () => (await inbox.taken()).match(/▸.*(Word ..)/)[1];
	inbox.press('Home');
	const first = await at();
	inbox.press('C-d');
	const second = await at();
	assert.notEqual(second, first);
	inbox.press('C-u');
	assert.equal(await at(), first);
	inbox.press('C-f');
	assert.equal(await at(), second);
	inbox.close();
});
