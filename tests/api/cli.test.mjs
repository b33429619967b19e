// The command line: answers on stdout, everything else in the exit status.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, Server, sleep, until, useServer } from './lib/server.mjs';
import { notInAFile } from '../lib/postgres.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const asAgent = () => ({ PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent });
const asMember = () => ({ PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member });

const parley = (args, options = {}) => server.run(args, { env: asAgent(), ...options });
const person = (args, options = {}) => server.run(args, { env: asMember(), ...options });

/** Runs an asking command, settles its ask with `deed(ask)`; → {code, stdout, stderr}. */
async function asked(args, deed, options) {
	const { as_of: before } = await agent.events();
	const running = parley(args, options);
	const event = await until(async () => (await agent.events(before, '&types=ask.created')).items[0],
		`the ask of ${args.join(' ')}`);
	await deed(await member.read({ id: event.ask }));
	return running;
}
const answering = (value) => (ask) => member.post(`/v1/asks/${ask.id}/answer`, { answer: value });

test('--version says its name, version, commit and schema', async () => {
	const { code, stdout } = await parley(['--version']);
	assert.equal(code, 0);
	assert.match(stdout, /^parley \d+\.\d+\.\d+ \(commit ([0-9a-f]{7,}|unknown), schema \d+\)\n$/);
});

for (const verb of ['serve', 'ask', 'approve', 'gate', 'wait', 'show', 'list', 'answer', 'skip',
	'cancel', 'watch', 'login', 'logout', 'token', 'user', 'backup', 'check', 'doctor']) {
	test(`${verb} has --help`, async () => {
		const { code, stdout } = await parley([verb, '--help']);
		assert.equal(code, 0);
		assert.match(stdout, new RegExp(verb));
	});
}

for (const args of [[], ['frobnicate'], ['ask'], ['ask', 'A?', '--nonsense'], ['wait'],
	['ask', 'A?', '--timeout'], ['show', 'a', 'b', 'c'], ['answer'], ['gate'],
	['token', 'create', '--role', 'king', '--name', 'x']]) {
	test(`"parley ${args.join(' ')}" is a wrong use: 2`, async () => {
		const { code, stdout, stderr } = await parley(args);
		assert.equal(code, 2, stderr);
		assert.equal(stdout, '');
		assert.notEqual(stderr, '');
	});
}

test('ask is yes/no: yes is exit 0 and the word on stdout', async () => {
	const { code, stdout } = await asked(['ask', 'Deploy?'], answering(true));
	assert.deepEqual([code, stdout], [0, 'yes\n']);
});

test('ask is yes/no: no is exit 1', async () => {
	const { code, stdout } = await asked(['ask', 'Deploy?'], answering(false));
	assert.deepEqual([code, stdout], [1, 'no\n']);
});

test('stdout is never translated', async () => {
	const { code, stdout } = await asked(['ask', 'Déployer ?'], answering(true),
		{ env: { ...asAgent(), LANG: 'fr_FR.UTF-8', LC_ALL: 'fr_FR.UTF-8' } });
	assert.deepEqual([code, stdout], [0, 'yes\n']);
});

test('ask -c prints the id of the option', async () => {
	const { code, stdout } = await asked(['ask', 'Where?', '-c', 'st:Staging', '-c', 'pr:Production'],
		answering('Staging'));
	assert.deepEqual([code, stdout], [0, 'st\n']);
});

test('ask --multi prints the ids, one a line', async () => {
	const { code, stdout } = await asked(['ask', 'Which?', '-c', 'a:A', '-c', 'b:B', '-c', 'c:C',
		'--multi'], answering(['a', 'c']));
	assert.deepEqual([code, stdout], [0, 'a\nc\n']);
});

test("ask --other prints Other's text as it is", async () => {
	const { code, stdout } = await asked(['ask', 'Where?', '-c', 'a:A', '-c', 'b:B', '--other'],
		answering('The moon'));
	assert.deepEqual([code, stdout], [0, 'The moon\n']);
});

test('ask --text prints the text as it is', async () => {
	const { code, stdout } = await asked(['ask', 'Name?', '--text'], answering('Ünï "x"'));
	assert.deepEqual([code, stdout], [0, 'Ünï "x"\n']);
});

test('ask --note offers a note beside the choice', async () => {
	let shape;
	const { code } = await asked(['ask', 'Where?', '-c', 'a:A', '-c', 'b:B', '--note'], async (ask) => {
		[shape] = ask.questions;
		await answering('a')(ask);
	});
	assert.equal(code, 0);
	assert.ok(shape.note);
});

test('ask --timeout: a deadline that passes is 124 and prints nothing', async () => {
	const { code, stdout } = await parley(['ask', 'Deploy?', '--timeout', '1s']);
	assert.deepEqual([code, stdout], [124, '']);
});

test('ask --default is used at the deadline, and stderr says that it was', async () => {
	const { code, stdout, stderr } = await parley(['ask', 'Where?', '-c', 'a:A', '-c', 'b:B',
		'--timeout', '1s', '--default', 'b']);
	assert.deepEqual([code, stdout], [0, 'b\n']);
	assert.notEqual(stderr, '');
});

test('ask: skipped is 1, cancelled is 6', async () => {
	const skipped = await asked(['ask', 'A?'], (ask) => member.post(`/v1/asks/${ask.id}/skip`));
	assert.deepEqual([skipped.code, skipped.stdout], [1, '']);
	const cancelled = await asked(['ask', 'A?'], (ask) => admin.post(`/v1/asks/${ask.id}/cancel`));
	assert.deepEqual([cancelled.code, cancelled.stdout], [6, '']);
});

test('ask --no-wait prints the id and leaves the ask open', async () => {
	const { code, stdout } = await parley(['ask', 'Later?', '--no-wait']);
	assert.equal(code, 0);
	assert.match(stdout.trim(), /^ask_[0-9a-z]{26}$/);
	assert.equal((await member.read({ id: stdout.trim() })).status, 'pending');
});

test('ask --json prints one object', async () => {
	const { code, stdout } = await asked(['ask', 'Deploy?', '--json'], answering(true));
	assert.equal(code, 0);
	const ask = JSON.parse(stdout);
	assert.deepEqual([ask.status, ask.answer], ['answered', { q1: { value: true } }]);
});

test('ask --session asks in that session', async () => {
	const session = await agent.session();
	const { stdout } = await parley(['ask', 'A?', '--no-wait', '--session', session.id]);
	assert.equal((await member.read({ id: stdout.trim() })).session, session.id);
});

test('a text that is no option\'s is passed on as it is, however odd', async () => {
	const odd = '--weird $(x) `y` \\ "z" \'q\' ; é\n2';
	let text;
	const { code } = await asked(['ask', '--', odd], async (ask) => {
		text = ask.questions[0].text;
		await answering(true)(ask);
	});
	assert.equal(code, 0);
	assert.equal(text, odd);
});

test('approve: 0 when approved, 1 when rejected', async () => {
	const args = ['approve', '--tool', 'shell', '--arg', 'cmd=make deploy', '--risk', 'high'];
	let seen;
	const approved = await asked(args, async (ask) => {
		seen = ask;
		await member.answer(ask, { decision: 'approve' });
	});
	assert.equal(approved.code, 0);
	assert.deepEqual([seen.kind, seen.operation.name, seen.operation.arguments, seen.operation.risk],
		['approval', 'shell', { cmd: 'make deploy' }, 'high']);
	const rejected = await asked(args, (ask) => member.answer(ask, { decision: 'reject' }));
	assert.equal(rejected.code, 1);
});

test('request --diff shows the diff: of a file, of standard input, of a pipe with a name', async () => {
	const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n';
	const file = join(server.home, 'a.diff'), pipe = join(server.home, 'a.pipe');
	writeFileSync(file, diff);
	execFileSync('mkfifo', [pipe]);
	for (const [path, options] of [[file], ['-', { input: diff }], [pipe]]) {
		if (path === pipe) spawn('cp', [file, pipe]);
		await asked(['request', '--tool', 'edit', '--arg', 'f=x', '--diff', path], async (ask) => {
			assert.equal(ask.context.diff, diff, path);
			await member.answer(ask, { decision: 'reject' });
		}, options);
	}
	const none = await parley(['request', '--tool', 'edit', '--diff', join(server.home, 'none')]);
	assert.deepEqual([none.code, none.stderr.includes('none: No such file')], [2, true]);
});

test('gate runs exactly the argv that was approved, with its exit status', async () => {
	let seen;
	const { code, stdout } = await asked(['gate', '--risk', 'low', '--', 'sh', '-c',
		'echo "$1|$2"; exit 7', 'sh', 'a b', '$HOME'], async (ask) => {
		seen = ask;
		await member.answer(ask, { decision: 'approve' });
	});
	assert.equal(code, 7);
	assert.equal(stdout, 'a b|$HOME\n');
	assert.deepEqual(seen.operation.arguments.argv,
		['sh', '-c', 'echo "$1|$2"; exit 7', 'sh', 'a b', '$HOME']);
});

test('gate does not run what was rejected', async () => {
	const file = join(server.home, 'must-not-exist');
	const { code } = await asked(['gate', '--', 'touch', file],
		(ask) => member.answer(ask, { decision: 'reject' }));
	assert.equal(code, 1);
	assert.equal(existsSync(file), false);
});

test('gate uses its approval up', async () => {
	let id;
	await asked(['gate', '--', 'true'], async (ask) => {
		id = ask.id;
		await member.answer(ask, { decision: 'approve' });
	});
	const ask = await member.read({ id });
	const reply = await agent.post(`/v1/asks/${id}/use`, { digest: ask.digest });
	assert.equal(reply.status, 409);
});

test('gate passes a signal of its command on as a failure', async () => {
	const { code } = await asked(['gate', '--', 'sh', '-c', 'kill -9 $$'],
		(ask) => member.answer(ask, { decision: 'approve' }));
	assert.notEqual(code, 0);
});

test('wait ID waits and then ends like ask', async () => {
	const ask = await agent.ask();
	const waiting = parley(['wait', ask.id]);
	await server.holds(1);
	await member.answer(ask, { q1: true });
	const { code, stdout } = await waiting;
	assert.deepEqual([code, stdout], [0, 'yes\n']);
});

test('wait for what is settled comes back at once', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: false });
	const { code, stdout } = await parley(['wait', ask.id]);
	assert.deepEqual([code, stdout], [1, 'no\n']);
});

test('an interrupted ask is 130, stays open, and says how to go on', async () => {
	const { as_of: before } = await agent.events();
	const child = spawn(BIN, ['ask', 'Deploy?'], { env: { ...server.env, ...asAgent() },
		stdio: ['ignore', 'pipe', 'pipe'] });
	let stderr = '';
	child.stderr.on('data', (part) => { stderr += part; });
	const ended = new Promise((resolve) => {
		child.on('exit', (code, signal) => resolve(code ?? signal));
	});
	const event = await until(async () => (await agent.events(before, '&types=ask.created')).items[0]);
	await until(() => stderr.includes(event.ask), 'where it waits');
	child.kill('SIGINT');
	assert.equal(await ended, 130);
	assert.ok(stderr.includes(`parley wait ${event.ask}`), stderr);
	assert.equal((await member.read({ id: event.ask })).status, 'pending');
});

test('ask goes on waiting while the server is restarted', async () => {
	const { as_of: before } = await agent.events();
	const url = server.url;
	const running = parley(['ask', 'Still there?', '--timeout', '5m'], { timeout: 300_000 });
	const event = await until(async () => (await agent.events(before, '&types=ask.created')).items[0]);
	await server.stop();
	// the same port again, since the client knows no other
	server.flags = ['--listen', url.slice('http://'.length)];
	await server.start();
	await member.answer({ id: event.ask }, { q1: true });
	const { code, stdout } = await running;
	assert.deepEqual([code, stdout], [0, 'yes\n']);
	server.flags = [];
});

test('show prints the ask, --json as one object', async () => {
	const ask = await agent.ask({ question: 'What is shown?' });
	const plain = await parley(['show', ask.id]);
	assert.equal(plain.code, 0);
	assert.match(plain.stdout, /What is shown\?/);
	const json = await parley(['show', ask.id, '--json']);
	assert.equal(JSON.parse(json.stdout).id, ask.id);
});

test('show does not let control characters through to a terminal', async () => {
	const ask = await agent.ask({ question: 'a\u001b[2Jb\u202ec' });
	const { stdout } = await parley(['show', ask.id]);
	assert.ok(!stdout.includes('\u001b'));
	assert.ok(!stdout.includes('\u202e'));
});

test('list prints what is pending, and --status the rest', async () => {
	const ask = await agent.ask({ question: 'Listed?', type: 'boolean' });
	const pending = await parley(['list']);
	assert.equal(pending.code, 0);
	assert.ok(pending.stdout.includes(ask.id));
	await member.answer(ask, { q1: true });
	assert.ok(!(await parley(['list'])).stdout.includes(ask.id));
	assert.ok((await parley(['list', '--status', 'answered'])).stdout.includes(ask.id));
});

test('list with a status that is none is 2', async () => {
	assert.equal((await parley(['list', '--status', 'x'])).code, 2);
});

test('answer ID VALUE answers, as a person', async () => {
	const ask = await agent.ask({ question: 'Where?', type: 'choice', options: [{ id: 'a', label: 'A' },
		{ id: 'b', label: 'B' }] });
	assert.equal((await person(['answer', ask.id, 'b'])).code, 0);
	const now = await member.read(ask);
	assert.deepEqual(now.answer, { q1: { selected: ['b'] } });
	assert.equal(now.answered_by.via, 'cli');
});

test('answer takes yes and no', async () => {
	const ask = await agent.ask();
	assert.equal((await person(['answer', ask.id, 'no'])).code, 0);
	assert.deepEqual((await member.read(ask)).answer, { q1: { value: false } });
});

test('answer takes several values for choices', async () => {
	const ask = await agent.ask({ question: 'Which?', type: 'choices', options: [{ id: 'a', label: 'A' },
		{ id: 'b', label: 'B' }] });
	assert.equal((await person(['answer', ask.id, 'a', 'b'])).code, 0);
	assert.deepEqual((await member.read(ask)).answer, { q1: { selected: ['a', 'b'] } });
});

test('answer with a wrong value is not 0, and the ask stays open', async () => {
	const ask = await agent.ask();
	const { code, stderr } = await person(['answer', ask.id, 'perhaps']);
	assert.equal(code, 2, stderr);
	assert.equal((await member.read(ask)).status, 'pending');
});

test('answer of what is settled is not 0', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	assert.equal((await person(['answer', ask.id, 'yes'])).code, 1);
});

test("an agent's token cannot answer: 4", async () => {
	const ask = await agent.ask();
	assert.equal((await parley(['answer', ask.id, 'yes'])).code, 4);
	assert.equal((await parley(['skip', ask.id])).code, 4);
});

test('skip and cancel do what they say', async () => {
	const [one, two] = [await agent.ask(), await agent.ask()];
	assert.equal((await person(['skip', one.id])).code, 0);
	assert.equal((await member.read(one)).status, 'skipped');
	assert.equal((await parley(['cancel', two.id])).code, 0);
	assert.equal((await member.read(two)).status, 'cancelled');
});

for (const verb of ['wait', 'show', 'cancel']) {
	test(`${verb} of an unknown id is 5`, async () => {
		assert.equal((await parley([verb, 'ask_00000000000000000000000000'])).code, 5);
	});
}

test('a server that is not reached is 3', async () => {
	const env = { ...asAgent(), PARLEY_URL: 'http://127.0.0.1:1' };
	assert.equal((await parley(['list'], { env })).code, 3);
});

test('a bad token is 4', async () => {
	const env = { ...asAgent(), PARLEY_TOKEN: 'prl_wrong' };
	assert.equal((await parley(['list'], { env })).code, 4);
	assert.equal((await parley(['ask', 'A?'], { env })).code, 4);
});

test('watch prints events, a line each', async () => {
	const child = spawn(BIN, ['watch'], { env: { ...server.env, ...asMember() },
		stdio: ['ignore', 'pipe', 'ignore'] });
	let stdout = '';
	child.stdout.on('data', (part) => { stdout += part; });
	await until(async () => {
		await agent.ask();
		await sleep(100);
		return stdout.includes('ask.created');
	}, 'the event');
	child.kill('SIGINT');
	await new Promise((resolve) => { child.on('exit', resolve); });
	for (const line of stdout.trim().split('\n')) assert.match(line, /\b(ask|session)\.[a-z]+\b/);
});

test('login CODE makes this shell a person\'s, kept 0600; logout undoes it', async () => {
	const user = (await admin.post('/v1/users', { name: 'cleo', role: 'member' })).body;
	const code = user.login.split('#')[1];
	const env = { PARLEY_URL: server.url };
	assert.equal((await server.run(['login', code], { env })).code, 0);
	const ask = await agent.ask();
	assert.equal((await server.run(['answer', ask.id, 'yes'], { env })).code, 0);
	assert.equal((await member.read(ask)).answered_by.name, 'cleo');
	const kept = join(server.env.XDG_CONFIG_HOME, 'parley');
	assert.ok(existsSync(kept));
	assert.equal((await server.run(['logout'], { env })).code, 0);
	const second = await agent.ask();
	assert.notEqual((await server.run(['answer', second.id, 'yes'], { env })).code, 0);
});

test('login takes the whole link that the server printed', async () => {
	const user = (await admin.post('/v1/users', { name: 'dora', role: 'member' })).body;
	const { code } = await server.run(['login', `${server.url}${user.login}`]);
	assert.equal(code, 0);
	await server.run(['logout'], { env: { PARLEY_URL: server.url } });
});

test('a wrong login code is 4', async () => {
	const { code } = await server.run(['login', 'nonsense'], { env: { PARLEY_URL: server.url } });
	assert.equal(code, 4);
});

test('token create prints the token as the last word, also while the server runs', async () => {
	const made = await server.run(['token', 'create', '--role', 'agent', '--name', 'late', '--data',
		server.data]);
	assert.equal(made.code, 0, made.stderr);
	const secret = made.stdout.trim().split(/\s+/).at(-1);
	assert.equal((await server.client(secret).get('/v1/me')).body.name, 'late');
});

test('the data folder may be named from where one stands', async () => {
	const made = await server.run(['token', 'create', '--role', 'agent', '--name', 'near', '--data',
		'data'], { cwd: server.home });
	assert.equal(made.code, 0, made.stderr);
});

test('users and tokens are listed and removed', async () => {
	const run = (...args) => server.run([...args, '--data', server.data]);
	assert.equal((await run('user', 'create', 'short-lived')).code, 0);
	assert.match((await run('user', 'list')).stdout, /short-lived/);
	assert.match((await run('user', 'login', 'short-lived')).stdout, /login#/);
	assert.equal((await run('user', 'remove', 'short-lived')).code, 0);
	assert.doesNotMatch((await run('user', 'list')).stdout, /short-lived/);
	const secret = await server.token('agent', 'passing');
	const row = (await run('token', 'list')).stdout.split('\n').find((l) => l.includes('passing'));
	const id = row.match(/tok_[0-9a-z]{26}/)[0];
	assert.equal((await run('token', 'revoke', id)).code, 0);
	assert.equal((await server.client(secret).get('/v1/me')).status, 401);
});

test('user password sets a password that is piped in', async () => {
	await server.run(['user', 'create', 'paul', '--data', server.data]);
	const set = await server.run(['user', 'password', 'paul', '--data', server.data],
		{ input: 'correct horse\n' });
	assert.equal(set.code, 0, set.stderr);
	const reply = await server.nobody.post('/v1/login', { name: 'paul', password: 'correct horse' });
	assert.equal(reply.status, 200);
});

test('workspaces keep to themselves', async () => {
	const made = await server.run(['workspace', 'create', 'elsewhere', '--data', server.data]);
	assert.equal(made.code, 0, made.stderr);
	const far = await server.as('agent', 'far', ['--workspace', 'elsewhere']);
	const [here, there] = [await agent.ask(), await far.ask()];
	assert.equal(there.workspace, 'elsewhere');
	assert.equal((await admin.get(`/v1/asks/${there.id}`)).status, 404);
	assert.equal((await far.get(`/v1/asks/${here.id}`)).status, 404);
	assert.equal((await far.events()).items.length, 2);
});

test('token create --agent and --tools are kept', async () => {
	const secret = await server.token('agent', 'tooled', ['--agent', 'builder', '--tools',
		'get_answer,list_asks']);
	const me = (await server.client(secret).get('/v1/me')).body;
	assert.equal(me.agent, 'builder');
	const { items } = (await admin.get('/v1/tokens?limit=200')).body;
	assert.deepEqual(items.find((t) => t.name === 'tooled').tools, ['get_answer', 'list_asks']);
});

test('check finds the store sound while the server runs', async () => {
	const { code, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stderr);
});

test('backup makes a file that a server can start from', { skip: notInAFile }, async () => {
	const ask = await agent.ask({ question: 'In the backup?' });
	const other = new Server();
	mkdirSync(other.data, { mode: 0o700 });
	const made = await server.run(['backup', join(other.data, 'parley.db'), '--data', server.data]);
	assert.equal(made.code, 0, made.stderr);
	assert.equal((await other.run(['check', '--data', other.data])).code, 0);
	await other.start();
	const client = other.client(server.secrets.member);
	assert.equal((await client.read(ask)).questions[0].text, 'In the backup?');
	await other.stop();
	other.remove();
});

test('backup of a database says who does that', { skip: !notInAFile }, async () => {
	const { code, stderr } = await server.run(['backup', join(server.home, 'b'), '--data', server.data]);
	assert.notEqual(code, 0);
	assert.match(stderr, /pg_dump/);
});

test('backup does not overwrite a file', async () => {
	const file = join(server.home, 'taken');
	writeFileSync(file, 'mine');
	const { code } = await server.run(['backup', file, '--data', server.data]);
	assert.notEqual(code, 0);
	assert.equal(readFileSync(file, 'utf8'), 'mine');
});

test('doctor says what it tried', async () => {
	const { stdout, stderr } = await server.run(['doctor', '--data', server.data],
		{ env: asAgent() });
	assert.notEqual(stdout + stderr, '');
});

test('user create makes a user with a login link', async () => {
	const made = await server.run(['user', 'create', 'emil', '--role', 'member', '--data', server.data]);
	assert.equal(made.code, 0, made.stderr);
	assert.match(made.stdout, /login#/);
	const { items } = (await admin.get('/v1/users?limit=200')).body;
	assert.ok(items.some((u) => u.name === 'emil'));
});

test('help speaks French to the French', async () => {
	const english = await parley(['--help']);
	const french = await parley(['--help'], { env: { ...asAgent(), LANG: 'fr_FR.UTF-8' } });
	assert.equal(french.code, 0);
	assert.notEqual(french.stdout, english.stdout);
	assert.match(french.stdout, /questions?|réponse|serveur/);
});

test('NO_COLOR and a pipe are without colours', async () => {
	await agent.ask();
	const { stdout } = await parley(['list'], { env: { ...asAgent(), NO_COLOR: '1' } });
	assert.ok(!stdout.includes('\u001b['));
});

test('the store and the data directory are for their owner only', () => {
	assert.equal(statSync(server.data).mode & 0o077, 0);
	if (notInAFile) return;
	assert.equal(statSync(join(server.data, 'parley.db')).mode & 0o077, 0);
});
