// A shell one can guess: NOUN VERB in every spelling, short ids, verbs for all that people do with an ask, tables that fit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member } = server;
const run = (args, who = 'member', options = {}) => server.run(args, { ...options,
	env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets[who], ...options.env } });
/** The local administrator, by the data folder. */
const manage = (...args) => server.run([...args, '--data', server.data]);
const says = async (args, code, pattern, who) => {
	const done = await run(args, who);
	assert.equal(done.code, code, `${args.join(' ')}: ${done.stdout}${done.stderr}`);
	assert.match(`${done.stdout}${done.stderr}`, pattern, args.join(' '));
	return done;
};
const approval = (command, more = {}) => agent.ask({ kind: 'approval', operation: { name: 'Bash', arguments: { command } }, ...more });

test('--help is one screen of everyday commands; help all has the rest', async () => {
	const help = (await run(['--help'])).stdout;
	assert.ok(help.trim().split('\n').length <= 24, help);
	for (const verb of ['ask', 'gate', 'wait', 'inbox', 'list', 'show', 'answer', 'approve', 'reject', 'skip', 'login', 'run', 'connect',
		'serve', 'pause', 'resume', 'status', 'doctor']) assert.match(help, new RegExp(`^ {2}${verb} `, 'm'));
	assert.match(help, /parley help all/);
	const all = (await run(['help', 'all'])).stdout;
	for (const verb of (await run(['help', '--names'])).stdout.trim().split('\n')) assert.match(all, new RegExp(`^ {2}${verb}( |$)`, 'm'));
});

test('a noun in singular or plural, alone or with its action, is the same command', async () => {
	for (const noun of ['rule', 'session', 'contact', 'route', 'project', 'run'])
		for (const words of [[`${noun}s`], [`${noun}s`, 'list'], [noun, 'list'], ...noun === 'run' ? [] : [[noun]]])
			assert.equal((await run([...words, '--json'])).code, 0, words.join(' '));
	for (const noun of ['agent', 'provider', 'token', 'user', 'team', 'template', 'workspace'])
		for (const words of [[noun], [`${noun}s`], [noun, 'ls'], [`${noun}s`, 'list']])
			assert.equal((await manage(...words)).code, 0, words.join(' '));
	assert.equal((await manage('deliveries')).code, 0);
	assert.match((await run(['help', 'agents', 'list'])).stdout, /^Usage: parley agent list/);
	assert.match((await run(['rules', '--help'])).stdout, /parley rule add/);
});

test('what is removed is removed by any of the usual words; a name may stand before its action', async () => {
	await manage('user', 'create', 'zoe');
	assert.equal((await manage('team', 'ops', 'add', 'zoe', '--lead')).code, 0);
	assert.match((await manage('team', 'show', 'ops')).stdout, /zoe\*/);
	assert.match((await manage('teams', 'ops')).stdout, /zoe\*/);
	assert.equal((await manage('team', 'remove', 'ops', 'zoe')).code, 0);
	assert.doesNotMatch((await manage('team', 'ops')).stdout, /zoe/);
	assert.equal((await manage('team', 'ops', 'delete')).code, 0);
	assert.equal((await manage('team', 'show', 'ops')).code, 5);
	await manage('token', 'create', '--role', 'agent', '--name', 'passing');
	assert.equal((await manage('tokens', 'remove', 'passing')).code, 0);
	assert.equal((await manage('users', 'rm', 'zoe')).code, 0);
});

test('a wrong action is named with those there are, or with the one that is near', async () => {
	await says(['token', 'frob'], 2, /unknown action 'frob': create, list, revoke/);
	await says(['rule', 'aply', 'x'], 2, /did you mean 'parley rule apply'\?/);
});

test('suggestions are near in spelling, and never stop or resume agents', async () => {
	await says(['lsit'], 2, /did you mean 'list'\?/);
	for (const word of ['setup', 'unstop', 'log', 'puase', 'resum', 'stopp']) {
		const done = await run([word]);
		assert.equal(done.code, 2, word);
		assert.doesNotMatch(done.stderr, /'(stop|go|pause|resume)'\?/, word);
	}
	assert.doesNotMatch((await run(['frobnicate'])).stderr, /did you mean/);
});

test('ids may be shortened to a start that only one has', async () => {
	const ask = await agent.ask({ question: 'Short?' });
	await agent.ask({ question: 'Another?' });
	const start = ask.id.slice(0, 22);
	assert.match((await run(['show', start])).stdout, /Short\?/);
	await says(['show', 'ask_zzzzzz'], 5, /not a complete id/);
	await says(['show', ask.id.slice(0, 7)], 5, /several ids begin with/);
	assert.equal((await run(['skip', start])).code, 0);
	assert.match((await run(['show', start])).stdout, /Short\?/, 'also once it is settled');
});

test('approve and reject: shown first, the digest sent; a script says what it saw', async () => {
	const first = await approval('npm test'), second = await approval('make deploy', { operation: { name: 'Bash', arguments: { command: 'make deploy' }, risk: 'high' } });
	const shown = await run(['approve', first.id]);
	assert.equal(shown.code, 2, 'without a terminal it takes --yes');
	const seen = shown.stdout.match(/^(ask_\w+@[0-9a-f]{16}) {2}Bash {2}.*npm test/)[1];
	await says(['approve', first.id, '--yes'], 1, /npm test/);
	await says(['approve', `${first.id}@${'0'.repeat(16)}`, '--yes'], 1, /npm test/);
	assert.equal((await member.get(`/v1/asks/${first.id}`)).body.status, 'pending');
	await says(['approve', seen, '--yes', '--reason', 'go on'], 0, /Approved/);
	assert.equal((await member.get(`/v1/asks/${first.id}`)).body.status, 'answered');
	await says(['reject', second.id, '--reason', 'not today'], 0, /Rejected/);
	const answer = (await member.get(`/v1/asks/${second.id}`)).body.answer;
	assert.match(JSON.stringify(answer), /"reject".*not today|not today.*"reject"/);
	await says(['approve'], 2, /give the ID of an approval/);
	await says(['approve', first.id], 4, /./, 'agent').catch(() => {});
	const asked = await run(['approve', '--tool', 'x', '--no-wait'], 'agent');
	assert.match(asked.stdout, /^ask_/, 'with options alone it asks, as request does');
	assert.match((await run(['request', '--tool', 'x', '--no-wait'], 'agent')).stdout, /^ask_/);
});

test('reply, claim, assign, snooze, extend, take-back, open, history', async () => {
	const ask = await agent.ask({ question: 'Deploy?', timeout: 600 });
	const now = async () => (await member.get(`/v1/asks/${ask.id}`)).body;
	await says(['reply', ask.id, 'Which', 'branch?'], 0, /stays open/);
	assert.equal((await now()).replies[0].text, 'Which branch?');
	await says(['claim', ask.id], 0, /You are answering “Deploy\?”/);
	await says(['assign', ask.id, 'me'], 0, /Assigned “Deploy\?”/);
	assert.equal((await now()).assignees.length, 1);
	await says(['assign', ask.id, 'nobody'], 0, /./);
	assert.equal((await now()).assignees.length, 0);
	await says(['assign', ask.id, 'no-such-person'], 5, /no-such-person/);
	const before = Date.parse((await now()).expires_at);
	await says(['extend', ask.id, '30m'], 0, /30m more/);
	assert.equal(Date.parse((await now()).expires_at) - before, 1800e3);
	await says(['extend', ask.id, 'never'], 0, /until it is answered/);
	assert.equal((await now()).expires_at, null);
	await says(['snooze', ask.id, '2h'], 0, /hidden until/);
	assert.doesNotMatch((await run(['list'])).stdout, new RegExp(ask.id));
	await says(['snooze', ask.id, 'off'], 0, /shown again/);
	await says(['snooze', ask.id, 'soon'], 2, /'soon' is not a time/);
	assert.equal((await run(['open', ask.id])).stdout.trim(), (await now()).url);
	assert.equal((await run(['answer', ask.id, 'yes'])).code, 0);
	assert.match((await run(['history'])).stdout, new RegExp(ask.id));
	const given = await approval('npm run build');
	await member.post(`/v1/asks/${given.id}/answer`, { answer: 'approve' });
	await says(['undo', given.id], 0, /./);
});

test('whoami and status say who, where and what waits', async () => {
	await says(['whoami'], 0, new RegExp(`\\(member\\) at ${server.url}`));
	await agent.ask({ question: 'One more?' });
	await says(['status'], 0, /asks? (is|are) waiting/);
	const status = JSON.parse((await run(['status', '--json'])).stdout);
	assert.ok(status.pending >= 1 && status.me.role === 'member');
	assert.equal((await run(['status'], 'agent')).code, 0);
});

test('completion knows actions, agents, runs, rules, teams and effects', async () => {
	const script = join(server.home, 'grammar.bash');
	writeFileSync(script, (await run(['completion', 'bash'])).stdout);
	const offers = (...words) => spawnSync('bash', ['-c', `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parley; printf '%s\\n' "\${COMPREPLY[@]}"`, 'x', 'parley', ...words],
		{ encoding: 'utf8', cwd: server.home, env: { ...server.env, PARLEY_DATA: server.data, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.admin,
			PATH: `${dirname(server.bin)}:${process.env.PATH}` } }).stdout.trim().split('\n');
	await manage('user', 'create', 'tab');
	await manage('team', 'add', 'completers', 'tab');
	const rule = (await server.admin.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(x)'] } })).body.id;
	const ask = await agent.ask({ question: 'Complete me?' });
	for (const [words, wanted] of [[['team', ''], 'oncall'], [['template', ''], 'set'], [['contact', ''], 'verify'], [['route', ''], 'try'], [['pause', ''], 'list'],
		[['team', 'show', ''], 'completers'], [['rule', 'end', ''], rule], [['rule', 'add', ''], 'deny'], [['connect', ''], 'claude'], [['hook', ''], 'codex'],
		[['approve', ''], ask.id], [['attach', ''], ask.session], [['user', 'remove', ''], 'tab'], [['--lang', ''], 'fr'], [['contact', 'add', ''], 'slack']])
		assert.ok(offers(...words).includes(wanted), `${words.join(' ')}: ${offers(...words).join(' ')}`);
});

test('a slip in the id of a session makes no session; lists of sessions are as long as one says', async () => {
	await says(['ask', 'Where?', '--session', 'ses_x', '--no-wait'], 2, /'ses_x' is not the id of a session/, 'agent');
	for (let i = 0; i < 203; i += 1) await member.post('/v1/sessions', { title: `s${i}` });
	const long = await run(['sessions', '--limit', '300', '--json']);
	assert.ok(JSON.parse(long.stdout).items.length > 200, long.stderr);
	assert.equal(JSON.parse((await run(['sessions', '--limit', '3', '--json'])).stdout).items.length, 3);
});

test('--json everywhere', async () => {
	const stop = (await server.admin.post('/v1/stops', { match: { agent: 'nobody' }, reason: 'a test' })).body;
	const rule = (await server.admin.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(y)'] } })).body;
	const ask = await agent.ask({ question: 'As JSON?' });
	for (const args of [['resume', stop.id], ['rule', 'end', rule.id], ['open', ask.id], ['claim', ask.id], ['whoami'], ['history'], ['pause', 'list'], ['session', 'remove', ask.session]]) {
		const done = await run([...args, '--json'], 'admin');
		assert.equal(done.code, 0, `${args}: ${done.stderr}`);
		assert.equal(JSON.parse(done.stdout).constructor, Object, String(args));
	}
});
