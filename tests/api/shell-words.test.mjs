// What the shell verbs say and refuse: flags in any place, typos, wrong values, help, completions, two servers, French.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Server, until, useServer } from './lib/server.mjs';

const server = await useServer();
const env = { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent };
const run = (args, options = {}) => server.run(args, { ...options, env: { ...env, ...options.env } });
/** The local administrator, by the data folder. */
const manage = (...args) => server.run([...args, '--data', server.data]);
const says = async (args, code, pattern, options) => {
	const done = await run(args, options);
	assert.equal(done.code, code, `${args.join(' ')}: ${done.stdout}${done.stderr}`);
	assert.match(`${done.stdout}${done.stderr}`, pattern, args.join(' '));
	return done;
};

test('options may stand before the verb; version has three spellings', async () => {
	await says(['--lang', 'fr', 'ask'], 2, /aucune question/i);
	for (const word of ['version', '-v', '--version']) await says([word], 0, /^parley \d/);
});

test('doctor --json: one object, each finding with its state', async () => {
	const done = await run(['doctor', '--json', '--data', server.data]);
	const told = JSON.parse(done.stdout);
	assert.equal(told.ok, done.code === 0);
	const server_ = told.findings.find(({ id }) => id === 'server');
	assert.equal(server_.state, 'ok');
	assert.ok(told.findings.every(({ state, id, text }) => ['ok', 'missing', 'wrong'].includes(state) && id && text));
	const away = JSON.parse((await run(['doctor', '--json'], { env: { PARLEY_URL: 'http://127.0.0.1:1' } })).stdout);
	assert.equal(away.ok, false);
	assert.equal(away.findings.find(({ id }) => id === 'bad_server').state, 'wrong');
});

test('doctor speaks the language of its reader, in a pipe too', async () => {
	await says(['doctor', '--lang', 'fr', '--data', server.data], 0, /serveur/);
});

test('a token for a tool that does not exist is refused; so is a user who is an agent', async () => {
	const token = await manage('token', 'create', '--role', 'agent', '--name', 'x', '--tools', 'nosuch');
	assert.equal(token.code, 2, token.stderr);
	assert.match(token.stderr, /nosuch/);
	const user = await manage('user', 'create', 'robot', '--role', 'agent');
	assert.equal(user.code, 2);
	const help = await run(['user', 'create', '--help']);
	assert.doesNotMatch(help.stdout, /--role[^\n]*agent/);
});

test('a name that exists is named', async () => {
	await manage('user', 'create', 'ann');
	const again = await manage('user', 'create', 'ann');
	assert.equal(again.code, 1);
	assert.match(again.stderr, /ann/);
});

test('hook: a wrong flag is named by its name, an unclosed rule and an unknown agent are refused', async () => {
	await says(['hook', 'claude', '--wait', 'banana'], 2, /--wait 'banana'/, { input: '{}' });
	await says(['hook', 'claude', '--allow', 'Bash(git status'], 2, /\(/, { input: '{}' });
	await says(['hook', 'nosuch'], 2, /claude, codex/, { input: '{}' });
});

test('a default without a deadline is said to be one', async () => {
	await says(['ask', 'Deploy?', '--default', 'yes', '--no-wait'], 0, /without --timeout there is no deadline/);
	const quiet = await run(['ask', 'Deploy?', '--default', 'yes', '--timeout', '1h', '--no-wait']);
	assert.equal(quiet.stderr, '');
});

test('gate is told apart by its command line', async () => {
	const gate = spawn(server.bin, ['gate', '--', 'true', 'a b', '$HOME'], { env: { ...server.env, ...env }, stdio: 'ignore' });
	const found = await until(async () => (await server.member.get('/v1/asks?kind=approval')).body.items[0], 'the approval');
	gate.kill('SIGINT');
	await once(gate, 'close');
	assert.match(found.title, /^Run: true 'a b' '\$HOME'$/);
	const shown = await run(['show', found.id]);
	assert.doesNotMatch(shown.stdout, /\["/);
});

test('what is no id is refused with what an id looks like', async () => {
	for (const verb of ['wait', 'show', 'cancel']) await says([verb, '../../etc'], 5, /ids start with ask_/);
});

test('words that were forgotten, or too many, are shown by an example', async () => {
	await says(['ask'], 2, /no question given. Example: parley ask 'Deploy\?'/);
	await says(['ask', 'a', 'b'], 2, /Quote it: parley ask 'hello world'/);
	await says(['list', '--status', 'nosuch'], 2, /--status .*pending, answered/);
	await says(['ask', 'X?', '--timeout', '99d'], 2, /--timeout '99d': must be from 1s to 30d/);
	await says(['token', '--help'], 0, /Usage: parley token COMMAND/);
	await says(['answer'], 2, /^parley: 'answer' expects ID/);
	await says(['token', 'list', 'x'], 2, /^parley: 'token list' takes no arguments/);
	await says(['list', '--status', 'nosuch', '--lang', 'fr'], 2, /^parley: --status .*\n?Voir/s);
	await says(['list'], 4, /^parley: not logged in at this server\. Run 'parley login'/, { env: { PARLEY_TOKEN: '', XDG_CONFIG_HOME: '/nowhere', PARLEY_DATA: '/nowhere' } });
	await says(['list'], 4, /rejected this token.*parley login/, { env: { PARLEY_TOKEN: 'prl_no' } });
});

test('the strict form names a reserved option once', async () => {
	const request = { questions: [{ question: 'Which?', header: 'H', multiSelect: false,
		options: [{ label: 'Other', description: 'x' }, { label: 'B', description: 'y' }] }] };
	const done = await run(['ask', '--dialect', 'ask_user_question', '--strict'], { input: JSON.stringify(request) });
	assert.equal(done.code, 2);
	assert.equal(done.stderr.match(/is reserved/g).length, 1, done.stderr);
});

test('mcp that is interrupted says so by its status', async () => {
	const mcp = spawn(server.bin, ['mcp'], { env: { ...server.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
	mcp.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
	await once(mcp.stdout, 'data');
	mcp.kill('SIGINT');
	assert.equal((await once(mcp, 'close'))[0], 130);
});

test('help: commands in groups, settings with default and values, exit statuses of their own', async () => {
	const help = (await run(['help', 'all'])).stdout;
	for (const group of ['Ask', 'Answer', 'Agents', 'Server', 'Administration']) assert.match(help, new RegExp(`^${group}$`, 'm'));
	const serve = (await run(['serve', '--help'])).stdout;
	assert.match(serve, /--log FORM .*Accepted: text, json\.\s+Default:\s+text/s);
	assert.doesNotMatch(serve, /with this token/);
	assert.match(serve, /1 +The store was written by a newer Parley/);
	const create = (await run(['user', 'create', '--help'])).stdout;
	assert.doesNotMatch(create, /rejected or skipped/);
});

test('completions offer values, verbs after help, and files', async () => {
	const bash = (await run(['completion', 'bash'])).stdout;
	const offers = (line) => new Promise((done) => {
		const words = line.split(' ');
		const shell = spawn('bash', ['--norc', '-c', `${bash}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
COMP_LINE='${line}'; COMP_POINT=${line.length}
$(complete -p parley | sed 's/.*-F \\([^ ]*\\).*/\\1/') parley "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`], { env: { ...server.env, PATH: `${dirname(server.bin)}:${process.env.PATH}`, PARLEY_DATA: server.data } });
		let out = '';
		shell.stdout.on('data', (bytes) => { out += bytes; });
		shell.on('close', () => done(out.trim().split('\n')));
	});
	assert.deepEqual((await offers('parley request --risk ')).sort(), ['critical', 'high', 'low', 'medium']);
	assert.ok((await offers('parley list --status ')).includes('expired'));
	assert.ok((await offers('parley help as')).includes('ask'));
	assert.ok((await offers('parley token revoke tok_')).every((word) => word.startsWith('tok_')));
});

test('a login at another server is said when the questions of this machine go elsewhere', async () => {
	const other = new Server();
	try {
		await other.start();
		const config = join(other.home, 'config');
		const login = await other.run(['login', `${other.url}${await other.loginPath()}`], { env: { XDG_CONFIG_HOME: config } });
		assert.equal(login.code, 0, login.stderr);
		const here = await server.run(['list', '--data', server.data], { env: { XDG_CONFIG_HOME: config } });
		assert.match(here.stderr, new RegExp(`logged in at ${other.url}.*goes to ${server.url}`));
		const there = await other.run(['list', '--data', other.data], { env: { XDG_CONFIG_HOME: config } });
		assert.equal(there.stderr, '');
		const logout = await other.run(['logout', '--url', 'http://127.0.0.1:1'], { env: { XDG_CONFIG_HOME: config } });
		assert.match(logout.stderr, /not logged in at http:\/\/127\.0\.0\.1:1/);
		assert.equal((await other.run(['list', '--data', other.data], { env: { XDG_CONFIG_HOME: config } })).stderr, '', 'still logged in');
	} finally {
		await other.end();
	}
});

test('the log says who came in and who was refused, and which store is served', async () => {
	const { nobody } = server;
	await nobody.post('/v1/login', { name: 'ann\nforged line', password: 'wrong' });
	await nobody.post('/v1/login', { code: 'plc_nothing' });
	const link = (await manage('user', 'login', 'owner')).stdout.match(/#(\S+)/)[1];
	assert.equal((await nobody.post('/v1/login', { code: link })).status, 200);
	await until(() => /info login: a link from 127\.0\.0\.1/.test(server.output), 'the login in the log');
	assert.match(server.output, /info parley \d\S*, store \S+/);
	assert.match(server.output, /warn login refused: ann\\x0aforged line from 127\.0\.0\.1: /);
	assert.match(server.output, /warn login refused: a link from 127\.0\.0\.1: /);
	assert.doesNotMatch(server.output, new RegExp(link));
});

test('a user is disabled and enabled from the shell, and the list says so', async () => {
	await manage('user', 'create', 'dora');
	const row = async () => (await manage('user', 'list')).stdout.split('\n').find((line) => line.includes('dora'));
	assert.equal((await manage('user', 'disable', 'dora')).code, 0);
	assert.match(await row(), /disabled/);
	assert.equal((await manage('user', 'enable', 'dora')).code, 0);
	assert.doesNotMatch(await row(), /disabled/);
	assert.equal((await manage('user', 'disable', 'owner')).code, 1, 'the last owner stays');
});

test('what the server says is French in a French shell', async () => {
	const ask = await server.agent.ask({ question: 'Which?', type: 'text' });
	const answer = (lang) => server.run(['answer', ask.id, '', '--lang', lang], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } });
	assert.match((await answer('fr')).stderr, /obligatoire/);
	assert.match((await answer('en')).stderr, /required/);
});

test('an answer that is refused is named as it was given', async () => {
	const [many, least] = [['n', 9], ['m', 3]].map(([key, max]) => ({ key, text: 'How many?', type: 'number', max }));
	const one = await server.agent.ask({ questions: [many] }), two = await server.agent.ask({ questions: [many, least] });
	const said = async (...args) => (await server.run(['answer', ...args], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } })).stderr;
	assert.match(await said(one.id, '42'), /^parley: '42': must be at most 9/);
	assert.match(await said(two.id, 'n=4', 'm=5'), /^parley: 'm=5': must be at most 3/);
	assert.match(await said(two.id, 'n=40', 'm=5'), /'n=40': must be at most 9\n.*'m=5': must be at most 3/);
});
