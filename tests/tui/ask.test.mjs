// `parley ask` where it is asked: the dialog on the terminal, stdin and stdout elsewhere.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { BIN, sleep, until, useTerminals } from './lib.mjs';

const server = await useTerminals();
afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
});

test('stdout has the answer alone, with stdin and stdout redirected', async () => {
	const file = join(server.home, 'answer');
	const terminal = server.terminal(`echo input | "$PARLEY" ask 'Where to?' -c s:Staging -c p:Production > ${file}; cat ${file}`);
	await terminal.armed('( ) 1 Staging');
	terminal.press('Down', 'Enter');
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /Answered by owner \(terminal\)\.\np\n/);
});

test('it closes by itself when somebody answers elsewhere, and says who', async () => {
	const terminal = server.terminal(['ask', 'Deploy?']);
	await terminal.shows('( ) 1 Yes');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	terminal.press('Down');
	await server.member.answer(ask, { q1: true });
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /Answered by mia/);
	assert.match(seen, /\nyes\n/);
});

test('Esc leaves the dialog; it goes on waiting, and Ctrl-C says how to go on', async () => {
	const terminal = server.terminal(['ask', 'Later?']);
	await terminal.shows('( ) 1 Yes');
	terminal.press('Escape');
	await terminal.shows('Not answered here; still waiting.');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	assert.equal(ask.status, 'pending');
	terminal.press('C-c');
	await terminal.shows((text) => text.includes('exit 130') && text.includes('parley wait ask_'));
	await server.member.post(`/v1/asks/${ask.id}/skip`);
});

test('skipped in the dialog is a no', async () => {
	const terminal = server.terminal(['ask', 'Skip me?']);
	await terminal.armed('( ) 1 Yes');
	terminal.press('s');
	await terminal.shows('Skip? y/N');
	terminal.press('y');
	await terminal.shows((text) => text.includes('Skipped by owner') && text.includes('exit 1'));
});

test('a person asks back from the dialog, and the thread is shown', async () => {
	const terminal = server.terminal(['ask', 'Which?', '--text']);
	await terminal.armed('Which?');
	terminal.press('C-x', 'n');
	await terminal.lacks('Skip?');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	await server.member.post(`/v1/asks/${ask.id}/replies`, { text: 'Which what?' });
	await terminal.shows('Which what?');
	terminal.type('this').press('Enter');
	await terminal.shows((text) => text.includes('exit 0') && text.includes('this'));
});

test('approve and gate are decided in place; gate then runs exactly that', async () => {
	const terminal = server.terminal(['gate', '--risk', 'high', '--', 'echo', 'it ran']);
	await terminal.armed('Wants to run');
	terminal.press('a');
	await terminal.armed('Press again to approve');
	assert.equal((await server.member.get('/v1/asks')).body.items[0].status, 'pending');
	terminal.press('a');
	await terminal.shows((text) => /\nit ran\n/.test(text) && text.includes('exit 0'));
	const other = server.terminal(['approve', '--tool', 'deploy', '--arg', 'env=prod']);
	await other.armed('Wants to run');
	other.press('r').type('no').press('Enter');
	await other.shows((text) => text.includes('reject') && text.includes('exit 1'));
});

test('without a login the question waits, with a hint', async () => {
	const terminal = server.terminal(['ask', 'Who?'], { env: { XDG_CONFIG_HOME: join(server.home, 'nobody') } });
	await terminal.shows("run 'parley login' to answer here");
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	await server.member.answer(ask, { q1: false });
	await terminal.shows((text) => text.includes('\nno\n') && text.includes('exit 1'));
});

test('without a terminal it waits quietly', async () => {
	const child = spawn('setsid', [BIN, 'ask', 'Quiet?', '--data', server.data], { env: server.env, stdio: ['ignore', 'pipe', 'pipe'] });
	let out = '';
	let err = '';
	child.stdout.on('data', (bytes) => { out += bytes; });
	child.stderr.on('data', (bytes) => { err += bytes; });
	const closed = new Promise((resolve) => { child.on('close', resolve); });
	const [ask] = await until(async () => {
		const { items } = (await server.member.get('/v1/asks')).body;
		return items.length && items;
	}, 'the ask');
	await server.member.answer(ask, { q1: true });
	assert.equal(await closed, 0);
	assert.equal(out, 'yes\n');
	// eslint-disable-next-line no-control-regex
	assert.doesNotMatch(err, /[\u0000-\u0009\u000b-\u001f]/);
});

test('a dumb terminal waits as if there were none, and takes no keys', async () => {
	const terminal = server.terminal(['ask', 'Which?', '-c', 'Alpha', '-c', 'Beta'], { term: 'dumb' });
	await terminal.shows('Waiting for an answer at');
	server.jump(1000);
	terminal.press('Down', 'Enter');
	await sleep(300);
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	assert.equal(ask.status, 'pending');
	await server.member.answer(ask, { q1: 'Beta' });
	await terminal.shows((text) => text.includes('Beta') && text.includes('exit 0'));
});

test('an inbox that cannot be drawn says why', async () => {
	const dumb = server.terminal(['inbox'], { term: 'dumb' });
	await dumb.shows((text) => text.includes('(TERM=dumb) cannot show a dialog') && text.includes('exit 2'));
	const unknown = server.terminal(['inbox'], { term: 'nosuchterm' });
	await unknown.shows((text) => text.includes("unknown terminal type 'nosuchterm'") && text.includes('exit 2'));
});

test('ten more minutes are counted in the dialog', async () => {
	const terminal = server.terminal(['ask', 'Soon?', '--timeout', '2m']);
	await terminal.armed('1:5');
	terminal.press('+');
	await terminal.shows(/1[12]m →/);
	terminal.press('Enter');
	await terminal.shows('exit 0');
});

test('what was typed when another was faster is said', async () => {
	const terminal = server.terminal(['ask', 'Why?', '--text']);
	await terminal.armed('Why?');
	terminal.type('half a thought');
	await terminal.shows('half a thought');
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	await server.member.answer(ask, { q1: 'done' });
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /Not sent; you had written: half a thought/);
	assert.match(seen, /\ndone\n/);
});

test('letters that come together decide nothing: pasted without marks, or with Alt', async () => {
	const terminal = server.terminal(['approve', '--tool', 'shell', '--arg', 'cmd=ls'], { term: 'linux' });
	await terminal.armed('Wants to run');
	terminal.type('abandon all');
	terminal.bytes('1b', '79');
	await terminal.taken();
	const [ask] = (await server.member.get('/v1/asks')).body.items;
	assert.equal(ask.status, 'pending');
	terminal.press('s');
	await terminal.taken();
	terminal.press('n');
	await terminal.lacks('Skip? y/N');
	terminal.press('a');
	await terminal.shows('exit 0');
});
