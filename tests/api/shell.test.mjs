// The shell verbs where things go wrong: files swapped, typos, missing stores, closed streams, long lists.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, Server, sleep, until, useServer } from './lib/server.mjs';
import { notInAFile } from '../lib/postgres.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const asAgent = () => ({ PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent });
const asMember = () => ({ PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member });

async function asked(args, deed, options = {}) {
	const { as_of: before } = await agent.events();
	const running = server.run(args, { env: asAgent(), ...options });
	const event = await until(async () => (await agent.events(before, '&types=ask.created')).items[0], 'the ask');
	await deed(await member.read({ id: event.ask }));
	return running;
}
const approve = (ask) => member.answer(ask, { decision: 'approve' });

const program = (name, text) => {
	const folder = join(server.home, name);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'tool'), text, { mode: 0o755 });
	return folder;
};

test('gate binds the program it found: its path and content are in the operation', async () => {
	const folder = program('bound', '#!/bin/sh\necho "ran $1"\n');
	let seen;
	const done = await asked(['gate', '--', 'tool', 'it works'], (ask) => { seen = ask; return approve(ask); },
		{ env: { ...asAgent(), PATH: `${folder}:${process.env.PATH}` } });
	assert.deepEqual([done.code, done.stdout], [0, 'ran it works\n'], done.stderr);
	assert.equal(seen.operation.arguments.program, join(folder, 'tool'));
	assert.match(seen.operation.arguments.sha256, /^[0-9a-f]{64}$/);
	assert.equal(seen.title, "Run: tool 'it works'");
});

test('gate does not run a file that was swapped while it waited', async () => {
	for (const [name, text] of [['swapped', '#!/bin/sh\ntouch "$1"\n'], ['binary', readFileSync('/bin/true')]]) {
		const folder = program(name, text);
		const mark = join(server.home, `${name}-ran`);
		const done = await asked(['gate', '--', 'tool', mark], (ask) => {
			writeFileSync(join(folder, 'tool'), '#!/bin/sh\necho evil; touch "$1"\n', { mode: 0o755 });
			return approve(ask);
		}, { env: { ...asAgent(), PATH: `${folder}:${process.env.PATH}` } });
		assert.equal(done.code, 4, done.stderr);
		assert.match(done.stderr, /is no longer the file that was approved/);
		assert.equal(existsSync(mark), false);
	}
});

test('gate runs a program of its own PATH, not one that comes first later', async () => {
	const folder = program('first', '#!/bin/sh\necho first\n');
	const before = join(server.home, 'before');
	mkdirSync(before, { recursive: true });
	const done = await asked(['gate', '--', 'tool'], (ask) => {
		writeFileSync(join(before, 'tool'), '#!/bin/sh\necho second\n', { mode: 0o755 });
		return approve(ask);
	}, { env: { ...asAgent(), PATH: `${before}:${folder}:${process.env.PATH}` } });
	assert.deepEqual([done.code, done.stdout], [0, 'first\n'], done.stderr);
});

test('gate of a command that is not there asks nobody', async () => {
	const { as_of: before } = await agent.events();
	const done = await server.run(['gate', '--', 'no-such-command-here'], { env: asAgent() });
	assert.equal(done.code, 127, done.stderr);
	assert.equal((await agent.events(before)).items.length, 0);
});

test('gate says why it was rejected', async () => {
	const done = await asked(['gate', '--', 'true'],
		(ask) => member.answer(ask, { decision: { value: 'reject', text: 'Because of Friday' } }));
	assert.equal(done.code, 1);
	assert.match(done.stderr, /Because of Friday/);
});

test('an answer that fits no option is refused, also where Other is offered', async () => {
	const ask = await agent.ask({ questions: [{ key: 'env', text: 'Where?', type: 'choice', other: true,
		options: [{ id: 'staging', label: 'Staging' }, { id: 'prod', label: 'Production' }] }] });
	for (const typo of ['stagin', '3']) {
		const done = await server.run(['answer', ask.id, typo], { env: asMember() });
		assert.equal(done.code, 2, done.stderr);
		assert.match(done.stderr, /--other TEXT/);
	}
	assert.equal((await agent.read(ask)).status, 'pending');
	assert.equal((await server.run(['answer', ask.id, '--other', 'the moon'], { env: asMember() })).code, 0);
	assert.deepEqual((await agent.read(ask)).answer, { env: { other: 'the moon' } });
});

test('answer --for approves for longer: the rule is named, and allows the next call', async () => {
	const bash = (command) => ({ kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command } } });
	const shell = (ask, ...args) => server.run(['answer', `${ask.id}@${ask.digest.slice(7, 23)}`, ...args, '--yes'], { env: asMember() });
	const same = await agent.ask(bash('npm run docs'));
	const done = await shell(same, 'approve', '--for', '15m');
	assert.equal(done.code, 0, done.stderr);
	const [, id] = done.stderr.match(/^Rule (rul_\w+) created\. To end it: parley rule end rul_\w+$/m);
	assert.equal((await agent.ask(bash('npm run docs'))).answered_by.rule, id);
	const [first, waiting] = [await agent.ask(bash('npm run a')), await agent.ask(bash('npm run b'))];
	assert.equal((await shell(first, 'approve', '--for', '15m', '--pattern', 'Bash(npm run ?)', '--open')).code, 0);
	assert.equal((await agent.read(waiting)).answered_by.kind, 'policy');
	const other = await agent.ask(bash('make'));
	for (const wrong of [['--pattern', 'Bash(make)'], ['--open']]) {
		const refused = await shell(other, 'approve', ...wrong);
		assert.equal(refused.code, 2);
		assert.match(refused.stderr, /need --for/);
	}
	const always = await shell(other, 'approve', '--for', 'always');
	assert.equal(always.code, 2);
	assert.match(always.stderr, /only an admin can choose always/);
	assert.equal((await agent.read(other)).status, 'pending');
});

test('a value that an option does not take is refused with those it takes', async () => {
	for (const args of [['list', '--status', 'banana'], ['ask', 'A?', '--priority', 'much'], ['token', 'create', '--role', 'king', '--name', 'x']]) {
		const done = await server.run(args, { env: asMember() });
		assert.equal(done.code, 2);
		assert.match(done.stderr, /must be one of: /);
	}
});

test('check of a file that is not there, or empty, is no success and makes no store', { skip: notInAFile }, async () => {
	const nothing = join(server.home, 'nothing.db');
	for (const args of [['check', nothing], ['check', '--data', join(server.home, 'typo')]]) {
		const done = await server.run(args);
		assert.equal(done.code, 1, done.stdout);
		assert.match(done.stdout, /No such file/);
	}
	const list = await server.run(['user', 'list', '--data', join(server.home, 'typo')]);
	assert.equal(list.code, 2, list.stdout);
	assert.match(list.stderr, /there is no store at/);
	assert.equal(existsSync(nothing), false);
	writeFileSync(nothing, '');
	assert.equal((await server.run(['check', nothing])).code, 1);
});

test('a backup is the caller’s: 0600, whole, and checked where nothing can be written', { skip: notInAFile }, async () => {
	const folder = join(server.home, 'backups');
	mkdirSync(folder);
	const file = join(folder, 'a.db');
	const made = await server.run(['backup', file, '--data', server.data]);
	assert.equal(made.code, 0, made.stderr);
	assert.equal(statSync(file).mode & 0o777, 0o600);
	assert.deepEqual(readdirSync(folder), ['a.db']);
	chmodSync(folder, 0o500);
	const done = await server.run(['check', file]);
	assert.equal(done.code, 0, done.stderr + done.stdout);
	assert.deepEqual(readdirSync(folder), ['a.db']);
	chmodSync(folder, 0o700);
});

test('a copy is its owner’s alone', { skip: notInAFile }, async () => {
	const from = join(server.home, 'from.db'), to = join(server.home, 'to.db');
	assert.equal((await server.run(['backup', from, '--data', server.data])).code, 0);
	const done = await server.run(['copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`]);
	assert.equal(done.code, 0, done.stderr);
	assert.equal(statSync(to).mode & 0o777, 0o600);
});

test('administration that makes a store says so, and that PARLEY_URL is not meant', { skip: notInAFile }, async () => {
	const data = join(server.home, 'fresh');
	const made = await server.run(['user', 'create', 'ann', '--data', data]);
	assert.equal(made.code, 0, made.stderr);
	assert.match(made.stderr, /Created a new store: .*fresh\/parley\.db/);
	const list = await server.run(['user', 'list', '--data', data], { env: asMember() });
	assert.match(list.stderr, /not the server at PARLEY_URL/);
});

test('where there is no store, administration works on the server that PARLEY_URL and PARLEY_TOKEN name', { skip: notInAFile }, async () => {
	const as = (role) => ({ env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets[role] } });
	const made = await server.run(['user', 'create', 'faraway'], as('admin'));
	assert.deepEqual([made.code, made.stdout.startsWith(`${server.url}/login#`), made.stderr], [0, true, ''], made.stdout);
	const list = await server.run(['user', 'list'], as('admin'));
	assert.match(list.stdout, /faraway/);
	const token = (await server.run(['token', 'create', '--role', 'agent', '--name', 'faraway'], as('admin'))).stdout.trim();
	assert.equal((await server.run(['list'], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: token } })).code, 0);
	assert.equal((await server.run(['agents', 'list'], as('member'))).code, 0);
	assert.equal((await server.run(['user', 'remove', 'faraway'], as('member'))).code, 4);
	assert.equal((await server.run(['user', 'remove', 'faraway'], as('admin'))).code, 0);
	assert.equal((await server.run(['user', 'list'], { env: { ...as('admin').env, PARLEY_URL: 'http://127.0.0.1:1' } })).code, 3);
	assert.equal(existsSync(join(server.home, 'state', 'parley', 'parley.db')), false);
});

test('--json prints one object, whatever the command', async () => {
	const id = (await server.agent.ask()).id;
	for (const args of [['list'], ['show', id], ['runs'], ['sessions'], ['usage'], ['rule', 'list'], ['contact', 'list'], ['route', 'list'], ['away'],
		['policy'], ['skip', id]]) {
		const done = await server.run([...args, '--json'], { env: asMember() });
		assert.equal(done.code, 0, `${args}: ${done.stderr}`);
		const printed = JSON.parse(done.stdout);
		assert.ok(printed && typeof printed === 'object' && !Array.isArray(printed), `${args}: ${done.stdout}`);
	}
	for (const args of [['user', 'create', 'objects'], ['user', 'disable', 'objects'], ['user', 'enable', 'objects'], ['user', 'list'],
		['user', 'remove', 'objects'], ['token', 'create', '--role', 'agent', '--name', 'objects'], ['token', 'list'], ['token', 'revoke', 'objects']]) {
		const done = await server.run([...args, '--json', '--data', server.data]);
		assert.equal(done.code, 0, `${args}: ${done.stderr}`);
		assert.equal(JSON.parse(done.stdout).constructor, Object, String(args));
	}
});

test('closed standard streams: nothing is written into a file of ours', async () => {
	const env = { ...process.env, ...server.env, ...asAgent() };
	const asked = spawnSync('bash', ['-c', `"${BIN}" ask 'Closed?' --no-wait <&- >&- 2>&-; echo "status $?"`], { env, encoding: 'utf8' });
	assert.match(asked.stdout, /^status \d+$/m);
	const other = new Server();
	const serve = spawnSync('bash', ['-c',
		`"${BIN}" serve --data ${other.data} --listen 127.0.0.1:0 --port-file ${other.home}/port <&- >&- 2>&- & pid=$!; for i in $(seq 1 100); do [ -s ${other.home}/port ] && break; sleep 0.1; done; kill $pid; wait $pid; echo "status $?"`],
	{ env: { ...process.env, ...other.env }, encoding: 'utf8' });
	assert.match(serve.stdout, /status 0/);
	other.remove();
});

test('a taken address is named, with a way out', async () => {
	const other = new Server();
	const done = await other.run(['serve', '--data', other.data, '--listen', `127.0.0.1:${server.port}`]);
	assert.equal(done.code, 3);
	assert.match(done.stderr, /cannot listen on 127\.0\.0\.1:\d+.*[Aa]ddress already in use.*Try --listen/);
	other.remove();
});

test('the first start prints a login link but no token', async () => {
	const other = new Server();
	const serve = spawnSync('bash', ['-c',
		`"${BIN}" serve --data ${other.data} --listen 127.0.0.1:0 --port-file ${other.portFile} & until [ -s ${other.portFile} ]; do sleep 0.02; done; kill $!; wait`], { env: { ...process.env, ...other.env }, encoding: 'utf8' });
	assert.match(serve.stdout, /\/login#/);
	assert.doesNotMatch(serve.stdout, /prl_/);
	assert.ok(serve.stdout.includes(`parley ask 'Deploy?' --data ${other.data}\n`), serve.stdout);
	other.remove();
});

test('the 201st user is found, and lists are whole', async () => {
	for (let i = 0; i < 205; i++) assert.equal((await admin.post('/v1/users', { name: `u${String(i).padStart(3, '0')}`, role: 'viewer' })).status, 201);
	const login = await server.run(['user', 'login', 'u204', '--data', server.data]);
	assert.equal(login.code, 0, login.stderr);
	const list = await server.run(['user', 'list', '--data', server.data]);
	assert.ok(list.stdout.includes('u000') && list.stdout.includes('u204'));
	const json = JSON.parse((await server.run(['user', 'list', '--json', '--data', server.data])).stdout);
	assert.ok(json.items.length > 205);
	for (let i = 0; i < 230; i++) await agent.ask({ question: `Page ${i}?` });
	const asks = await server.run(['list', '--limit', '225'], { env: asMember() });
	assert.equal(asks.stdout.trim().split('\n').length, 225);
	assert.match(asks.stderr, /Only the first 225 are shown/);
});

test('a token is revoked by its name when that is its alone', async () => {
	await server.token('agent', 'lonely');
	assert.equal((await server.run(['token', 'revoke', 'lonely', '--data', server.data])).code, 0);
	await server.token('agent', 'twin');
	await server.token('agent', 'twin');
	const twice = await server.run(['token', 'revoke', 'twin', '--data', server.data]);
	assert.equal(twice.code, 2);
	assert.match(twice.stderr, /by id/);
});

test('doctor opens the store', { skip: notInAFile }, async () => {
	const broken = join(server.home, 'broken');
	mkdirSync(broken, { mode: 0o700 });
	writeFileSync(join(broken, 'parley.db'), 'this is no database at all, only a long enough text to be taken for one');
	const done = await server.run(['doctor', '--data', broken], { env: asAgent() });
	assert.equal(done.code, 1);
	assert.match(done.stdout, /!! {2}store: .*cannot be opened/);
});

test('a server on a socket alone is found by the commands of this machine', async () => {
	const other = new Server();
	const socket = join(other.home, 'p.sock');
	const done = spawnSync('bash', ['-c', `"${BIN}" serve --data ${other.data} --listen unix:${socket} --socket-mode 660 > ${other.home}/out 2>&1 & pid=$!
for i in $(seq 1 100); do [ -s ${other.data}/server.json ] && break; sleep 0.1; done; sleep 0.2
"${BIN}" ask 'Over a socket?' --no-wait --data ${other.data} && "${BIN}" login "$(grep -o 'plc_[a-z0-9]*' ${other.home}/out)" --data ${other.data} && "${BIN}" list --data ${other.data}; stat -c 'mode %a' ${socket} ${other.data}/parley.sock
kill $pid; wait $pid`], { env: { ...process.env, ...other.env, HOME: other.home, XDG_CONFIG_HOME: join(other.home, 'config') }, encoding: 'utf8' });
	assert.match(done.stdout, /Over a socket\?/, done.stderr);
	assert.match(done.stdout, /mode 660\nmode 600/, 'for its group, so that a proxy of another user can use it; the one of administrators never');
	other.remove();
});

test('a pipe that is closed is no failure, and watch sees it at once', async () => {
	await agent.ask({ question: 'In a pipe?' });
	const env = { ...process.env, ...server.env, ...asMember() };
	const list = spawnSync('bash', ['-c', `"${BIN}" list | head -0; echo "status \${PIPESTATUS[0]}"`], { env, encoding: 'utf8' });
	assert.match(list.stdout, /status 0/);
	const watch = spawnSync('bash', ['-c', `timeout 10 "${BIN}" watch --after 0 | head -1 > /dev/null; echo "status \${PIPESTATUS[0]}"`], { env, encoding: 'utf8' });
	assert.match(watch.stdout, /status 0/);
});

test('what was skipped has no answer that an agent could fetch', async () => {
	const ask = await agent.ask({ question: 'Skipped in the shell?' });
	const skipped = await server.run(['skip', ask.id], { env: { ...asMember(), LANG: 'C.UTF-8' } });
	assert.deepEqual([skipped.code, skipped.stderr.trim()], [0, 'Skipped “Skipped in the shell?”.']);
});
