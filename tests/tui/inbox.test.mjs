// The inbox: list and detail, live, filters, batches, sessions, sizes, terminals, languages.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { approval, choice, until, useTerminals } from './lib.mjs';

const server = await useTerminals({ keepPort: true });
const ask = (body) => server.agent.ask(body);
const yesNo = (text, more = {}) => ({ question: text, type: 'boolean', ...more });

afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks?limit=200')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
});

test('new asks come and settled ones go, in two terminals and over HTTP, each settled once', async () => {
	const [one, two] = [await server.inbox(), await server.inbox({ columns: 80 })];
	const first = await ask(yesNo('First?'));
	const second = await ask(yesNo('Second?'));
	for (const terminal of [one, two]) await terminal.shows((text) => text.includes('First?') && text.includes('Second?'));
	one.press('Enter');
	await one.armed('1 Yes');
	two.press('Enter');
	await two.armed('1 Yes');
	one.press('Enter');
	await two.shows(/Answered by owner via terminal/);
	assert.equal((await server.agent.read(first)).answered_by.via, 'terminal');
	for (const terminal of [one, two]) await terminal.shows(/1 pending/);
	two.press('Escape');
	await server.member.answer(second, { q1: true });
	for (const terminal of [one, two]) await terminal.shows(/caught up/);
	one.close();
	two.close();
});

test('what was typed stays in sight when another was faster, and comes back as a draft', async () => {
	const inbox = await server.inbox({ columns: 80 });
	const lost = await ask({ question: 'Why?', type: 'text' });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('Why?');
	inbox.type('a long thought');
	await inbox.shows('a long thought');
	await server.member.answer(lost, { q1: 'mine' });
	await inbox.shows((text) => text.includes('Answered by mia') && text.includes('Not sent; you had written:') && text.includes('a long thought'));
	inbox.press('Escape');
	await inbox.shows(/Enter open/);
	await ask({ question: 'Which name?', type: 'text' });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('Which name?');
	inbox.type('half a na').press('Escape');
	await inbox.shows(/Enter open/);
	inbox.press('q');
	await inbox.shows('exit 0');
	const again = await server.inbox({ columns: 80 });
	again.press('Enter');
	await again.shows('half a na');
	inbox.close();
	again.close();
});

test('deadline within five minutes, then risk, then age', async () => {
	await ask(yesNo('Old one?'));
	await ask(approval('high', { title: 'Risky one?' }));
	await ask(yesNo('Hurried one?', { timeout: '2m', default: { q1: true } }));
	const inbox = await server.inbox({ columns: 80 });
	const seen = await inbox.showsWhole(/3 pending/);
	const at = (text) => seen.indexOf(text);
	assert.ok(at('Hurried one?') < at('Risky one?') && at('Risky one?') < at('Old one?'), seen);
	assert.match(seen, /● live · 3 pending · [12]:\d\d/);
	inbox.press('Enter');
	await inbox.shows(/[12]:\d\d → uses “Yes”/);
	inbox.close();
});

test('search, and filters by kind and urgency', async () => {
	await ask(yesNo('Alpha?'));
	await ask(yesNo('Größe?', { priority: 'urgent' }));
	await ask(approval('low', { title: 'Gamma?' }));
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/3 pending/);
	inbox.press('/').type('grösse');
	await inbox.lacks('Alpha?');
	inbox.press('Escape');
	inbox.press('/').type('GRÖSS');
	await inbox.shows((text) => text.includes('Größe?') && !text.includes('Alpha?'));
	inbox.press('Escape');
	await inbox.shows('Alpha?');
	inbox.press('f', 'f', 'f');
	await inbox.shows((text) => text.includes('Gamma?') && !text.includes('Alpha?') && text.includes('approval'));
	inbox.press('f', 'f', 'p');
	await inbox.shows((text) => text.includes('Größe?') && !text.includes('Gamma?'));
	inbox.close();
});

test('a batch: every operation on its line, once it was opened; the rest is named and left', async () => {
	const run = (cmd, risk = 'medium', more = {}) => ask(approval(risk, { title: `Run ${cmd}`,
		operation: { type: 'tool', name: 'Bash', arguments: { command: cmd, ...more }, risk } }));
	const made = [await run('npm test cart'), await run('npm test login'), await run('make deploy')];
	const other = await run('git push', 'medium', { cwd: '/srv' });
	const high = await run('make release', 'high');
	const inbox = await server.inbox({ columns: 80, rows: 40 });
	await inbox.shows(/5 pending/);
	assert.doesNotMatch(await inbox.taken(), /similar/, 'different commands do not fold');
	inbox.press('g', 'g', 'x', 'x', 'x', 'x', 'x');
	await inbox.shows(/5 selected/);
	inbox.press('B');
	await inbox.shows(/Nothing can be answered together: (high risk|not opened yet)/);
	for (const text of ['Run npm test cart', 'Run npm test login', 'Run make deploy', 'Run git push']) {
		inbox.press('/').type(text).press('Enter');
		await inbox.shows((screen) => screen.includes(`/${text}`));
		inbox.press('Enter');
		await inbox.shows('1 Approve');
		inbox.press('q');
		await inbox.shows(/selected/);
		inbox.press('/', 'Escape');
		await inbox.shows(/5 selected/);
	}
	inbox.press('B');
	await inbox.armed('Wants to run');
	const seen = await inbox.taken();
	for (const line of ['Bash npm test cart', 'Bash npm test login', 'Bash make deploy']) assert.ok(seen.includes(line), seen);
	assert.match(seen, /Left out: decide these 2 one by one[^]*Run make release +high risk[^]*Run git push +other arguments/);
	inbox.press('a');
	await inbox.shows('Send this answer to 3 asks?');
	for (const one of made) assert.equal((await server.agent.read(one)).status, 'pending');
	await inbox.armed();
	inbox.press('Enter');
	await inbox.shows(/2 pending/);
	for (const one of made) assert.equal((await server.agent.read(one)).status, 'answered');
	for (const one of [other, high]) assert.equal((await server.agent.read(one)).status, 'pending');
	inbox.close();
});

test('arguments are edited in $EDITOR, and what changed is shown', async () => {
	const editor = join(server.home, 'editor');
	writeFileSync(editor, '#!/bin/sh\nsed -i "s/make deploy/make test/" "$1"\n');
	chmodSync(editor, 0o755);
	const inbox = await server.inbox({ columns: 80, env: { EDITOR: editor, VISUAL: '' } });
	const made = await ask(approval());
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('make deploy');
	inbox.press('e');
	await inbox.armed((text) => text.includes('make deploy') && text.includes('make test') && text.includes('Approve with changes'));
	inbox.press('a');
	await inbox.armed('Press again to approve');
	inbox.press('a');
	await inbox.shows(/0 pending/);
	assert.deepEqual((await server.agent.read(made)).answer, { decision: { value: 'approve', arguments: { cmd: 'make test', n: 3 } } });
	writeFileSync(editor, '#!/bin/sh\nprintf "from the editor\\nline two" > "$1"\n');
	const text = await ask({ question: 'Tell me?', type: 'text' });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('Tell me?');
	inbox.press('C-g');
	await inbox.shows('line two');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	assert.deepEqual((await server.agent.read(text)).answer, { q1: { text: 'from the editor\nline two' } });
	inbox.close();
});

test('whoever fills it in has claimed it, and others see that', async () => {
	const made = await ask({ question: 'Why?', type: 'text' });
	const [one, two] = [await server.inbox({ columns: 80 }), await server.inbox({ columns: 80, env: { PARLEY_TOKEN: server.secrets.member } })];
	one.press('Enter');
	await one.armed('Why?');
	two.press('Enter');
	await two.armed('Why?');
	one.type('x');
	await two.shows('owner is answering');
	assert.equal((await server.agent.read(made)).claimed_by.name, 'owner');
	one.close();
	two.close();
});

test('a session with its log as it grows', async () => {
	const session = await server.agent.session({ title: 'Nightly build' });
	await ask({ ...yesNo('Go on?'), session: session.id });
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows('Go on?');
	inbox.press('v');
	await inbox.shows((text) => text.includes('Nightly build') && text.includes('Waiting for input') && text.includes('Asked'));
	await server.agent.post(`/v1/sessions/${session.id}/progress`, { text: 'linking', step: 2, steps: 5 });
	await inbox.shows('2/5 · linking');
	inbox.press('f');
	await inbox.shows((text) => text.includes('Asked') && !/\d\d:\d\d {2}2\/5/.test(text));
	inbox.press('Escape', 'g', 's');
	await inbox.shows((text) => text.includes('Sessions') && text.includes('Nightly build'));
	inbox.close();
});

test('sessions stand in the sections of the page, and Enter opens the one under the cursor', async () => {
	const waits = await server.agent.session({ title: 'Alpha waits' });
	const broken = await server.agent.session({ title: 'Beta broke' });
	await ask({ ...yesNo('Which way?'), session: waits.id });
	assert.equal((await server.agent.patch(`/v1/sessions/${broken.id}`, { status: 'failed' })).status, 200);
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows('Which way?');
	inbox.press('g', 's');
	const seen = await inbox.showsWhole(/\nWaiting for you {2}\d+\n(.*\n)*?.*Alpha waits(.*\n)*?Failed {2}\d+\n.*Beta broke/);
	const lines = seen.split('\n').slice(1);
	const rows = lines.slice(0, lines.findIndex((line) => line.includes('Beta broke'))).filter((line) => /^[ ▸]/.test(line));
	for (const _ of rows) inbox.press('j');
	inbox.press('Enter');
	await inbox.shows(/\nBeta broke\n.*Failed/);
	inbox.close();
	const french = await server.inbox({ columns: 80, lang: 'fr' });
	await french.shows('Which way?');
	french.press('g', 's');
	await french.shows(/\nEn attente de votre réponse {2}\d+\n(.*\n)*?En échec {2}\d+\n/);
	french.close();
});

test('help lists the keys; q leaves, and the terminal is as it was', async () => {
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('?');
	await inbox.shows('Go back; in a list: show everything');
	inbox.press('Escape');
	await inbox.shows('caught up');
	inbox.press('q');
	await inbox.shows('exit 0');
	inbox.close();
});

test('Esc in the list takes back the selection first, then search and filters', async () => {
	for (const name of ['One', 'Two', 'Three']) await ask(yesNo(`${name}?`));
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/3 pending/);
	inbox.press('/').type('tw');
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('Two?') && !text.includes('One?'));
	inbox.press('x');
	await inbox.shows('x ? Two?');
	inbox.press('Escape');
	await inbox.shows((text) => !text.includes('x ? Two?') && !text.includes('One?'));
	inbox.press('Escape');
	await inbox.shows((text) => ['One?', 'Two?', 'Three?'].every((title) => text.includes(title)));
	inbox.press('f', 'f');
	await inbox.shows('Nothing matches the filter. Esc shows everything.');
	inbox.press('Escape');
	await inbox.shows('Three?');
	inbox.close();
});

test('a text of several lines shows no control bytes once it is written', async () => {
	await ask({ questions: [choice({ other: true }), { key: 'why', text: 'Why?', type: 'text' }] });
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.shows('3 Other');
	inbox.press('3').paste('first\nsecond');
	await inbox.shows('second');
	inbox.press('Enter');
	await inbox.shows('Why?');
	inbox.press('BTab');
	assert.doesNotMatch(await inbox.shows('first ↵ second'), /\^J/);
	inbox.press('Tab').type('because');
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('▸ Answer') && text.includes('first ↵ second') && !text.includes('^J'));
	inbox.close();
});

test('every size from 40×10, and another at any moment', async () => {
	await ask({ questions: [choice({ other: true })], title: 'A question with a title that is longer than forty columns' });
	const inbox = await server.inbox({ columns: 40, rows: 10 });
	inbox.press('Enter');
	await inbox.shows('1 Staging');
	for (const [columns, rows] of [[100, 30], [40, 10], [57, 11], [180, 50], [41, 10], [99, 24], [120, 40]]) {
		inbox.resize(columns, rows);
		const seen = await inbox.shows((text) => text.includes('Where to?') && text.includes('Staging') && text.includes('●'));
		for (const line of seen.split('\n')) assert.ok(Array.from(line).length <= columns, line);
	}
	inbox.resize(40, 10);
	inbox.press('Down', 'Down', 'Enter').type('elsewhere');
	await inbox.shows('elsewhere');
	inbox.close();
});

for (const term of ['xterm', 'xterm-256color', 'screen', 'screen-256color', 'linux', 'tmux-256color', 'vt100'])
	test(`TERM=${term}`, async () => {
		await ask({ questions: [choice()] });
		const inbox = await server.inbox({ columns: 80, term });
		inbox.press('Enter');
		await inbox.shows('( ) 1 Staging');
		inbox.close();
	});

test('NO_COLOR: no colour is sent', async () => {
	await ask(approval());
	const [plain, colourful] = [await server.inbox({ columns: 80, env: { NO_COLOR: '1' } }), await server.inbox({ columns: 80 })];
	for (const terminal of [plain, colourful]) {
		terminal.press('Enter');
		await terminal.shows('Wants to run');
		await terminal.taken();
	}
	const colours = /\u001b\[[0-9;]*(3[0-7]|38;5|9[0-7])[;m]/;
	assert.doesNotMatch(plain.screen({ colours: true }), colours);
	assert.match(colourful.screen({ colours: true }), colours);
	plain.close();
	colourful.close();
});

test('French', async () => {
	await ask(approval('critical', { title: 'On y va ?', timeout: '5m' }));
	const inbox = await server.inbox({ columns: 80, lang: 'fr' });
	await inbox.shows(/en direct · 1 en attente/);
	inbox.press('Enter');
	const seen = await inbox.armed(/Souhaite exécuter/) && inbox.screen();
	assert.match(seen, /refusé/);
	assert.match(seen, /Approuver/);
	inbox.press('s');
	await inbox.shows('Passer\u00a0? o/N');
	inbox.press('y');
	await inbox.lacks('Passer\u00a0?');
	inbox.press('s');
	await inbox.shows('Passer\u00a0? o/N');
	inbox.press('o');
	await inbox.shows(/0 en attente/);
	inbox.close();
});

test('a new ask opens by itself when nobody is at anything, and one at a time', async () => {
	const inbox = await server.inbox({ columns: 80, flags: [] });
	await inbox.idle();
	await ask(yesNo('First of two?'));
	await inbox.armed('▸ ( ) 1 Yes');
	await ask(yesNo('Second of two?'));
	await inbox.shows(/Inbox 2\]/);
	assert.ok(inbox.screen().includes('First of two?'));
	inbox.press('Enter');
	await inbox.armed((text) => text.includes('Second of two?') && text.includes('▸ ( ) 1 Yes'));
	inbox.close();
});

test('the server goes away and comes back', async () => {
	const inbox = await server.inbox({ columns: 80 });
	await server.signal('SIGTERM');
	await inbox.shows('not connected');
	await server.start();
	await ask(yesNo('Still there?'));
	await inbox.shows((text) => text.includes('Still there?') && text.includes('● live'));
	inbox.close();
});

test('the bell rings, and the terminal is told, only when asked for', async () => {
	const raw = join(server.home, 'raw');
	const inbox = await server.inbox({ columns: 80, flags: ['--no-open', '--bell', '--notify'], raw });
	await ask(yesNo('Ring?'));
	await inbox.shows('Ring?');
	const seen = await until(() => {
		const text = readFileSync(raw, 'latin1');
		return text.includes('\u001b]777;notify;builder asks;Ring?') && text;
	}, 'the notification');
	assert.ok(seen.includes('\u001b]9;Ring?'));
	inbox.close();
});

test('with --mouse a click selects a row and a second opens it', async () => {
	for (const text of ['One?', 'Two?', 'Three?']) await ask(yesNo(text));
	const inbox = await server.inbox({ columns: 80, flags: ['--no-open', '--mouse'], term: 'xterm-256color' });
	await inbox.shows('Three?');
	inbox.type('\u001b[<0;5;4M');
	await inbox.shows(/▸[• ] +\? Three/);
	inbox.type('\u001b[<0;5;4m');
	inbox.type('\u001b[<0;5;4M');
	await inbox.shows((text) => text.includes('( ) 1 Yes') && text.includes('Three?'));
	inbox.close();
});
