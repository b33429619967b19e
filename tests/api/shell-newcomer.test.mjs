// What newcomers stumbled over in the shell: files that are not there, exit statuses, what show and the help say, the settings' manual.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, until, useServer } from './lib/server.mjs';
import { notInAFile } from '../lib/postgres.mjs';

const server = await useServer({ flags: ['--log-level', 'debug'] });
const { agent, member, nobody } = server;
const as = (token) => ({ PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets[token] });
const says = async (args, code, pattern, options = { env: as('member') }) => {
	const done = await server.run(args, options);
	assert.equal(done.code, code, `${args.join(' ')}: ${done.stdout}${done.stderr}`);
	assert.match(`${done.stdout}${done.stderr}`, pattern, args.join(' '));
	return done;
};

test('a backup that cannot be written, and a copy of what is not there, are no failure of the server', { skip: notInAFile }, async () => {
	await says(['backup', join(server.home, 'nowhere', 'b.db'), '--data', server.data], 1, /cannot write .*nowhere\/b\.db: No such file or directory/);
	const missing = join(server.home, 'missing.db'), target = join(server.home, 'target.db');
	await says(['copy', '--from', `sqlite:${missing}`, '--to', `sqlite:${target}`], 2, /there is no store at .*missing\.db/);
	assert.ok(!existsSync(missing) && !existsSync(target), 'nothing was created');
});

test('at debug the log has each request by its route, and why one was refused', async () => {
	await nobody.get('/v1/asks/ask_secret');
	await until(() => /debug GET \/v1\/asks\/\{id\} from 127\.0\.0\.1[^]*debug 401: /.test(server.output), 'the request in the log');
	assert.doesNotMatch(server.output, /ask_secret/);
});

test('a store of a newer parley is refused with 1, and the help says so', { skip: notInAFile }, async () => {
	const data = join(server.home, 'newer');
	assert.equal((await server.run(['user', 'create', 'ann', '--data', data])).code, 0);
	const made = spawnSync('sqlite3', [join(data, 'parley.db'), 'UPDATE schema_version SET version = 9999']);
	assert.equal(made.status, 0, String(made.stderr));
	await says(['serve', '--data', data, '--listen', '127.0.0.1:0'], 1, /newer/);
	assert.match((await server.run(['serve', '--help'])).stdout, /^ {2}1 {5}The store was written by a newer Parley\.$/m);
});

test('show says what kind of answer is asked for, in words; hidden characters stand in a frame, Markdown is read', async () => {
	const { id } = await agent.ask({ title: 'A \u202eevil', context: { text: '**bold** and `code`' }, questions: [
		{ key: 'a', text: 'Go?', type: 'boolean' },
		{ key: 'b', text: 'Which?', type: 'choices', note: true, options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }] },
	] });
	const { stdout } = await says(['show', id], 0, /asked just now/);
	for (const words of ['‹U+202E›evil', 'bold and code', '(yes or no)', '(choose any number; a note is possible (--note))'])
		assert.ok(stdout.includes(words), `${words}\n${stdout}`);
	assert.doesNotMatch(stdout, /\(boolean\)|\(choices\)|\*\*/);
});

test('lists that are empty say so; a token has its expiry in the list', async () => {
	await says(['delivery', 'list', '--data', server.data], 0, /^No deliveries\.$/m);
	await server.run(['token', 'create', '--role', 'agent', '--name', 'short-lived', '--expires', '1d', '--data', server.data]);
	await says(['token', 'list', '--data', server.data], 0, /short-lived.*\d{4}-\d\d-\d\d \d\d:\d\d/);
});

test('a session is deleted by an admin, with its questions', async () => {
	const ask = await agent.ask({ question: 'To be deleted?' });
	await says(['session', 'delete', ask.session], 4, /./);
	await says(['session', 'delete', ask.session], 0, /Deleted ses_/, { env: as('admin') });
	await says(['session', 'delete', ask.session], 5, /no session/, { env: as('admin') });
	await says(['session', 'delete', 'nonsense'], 5, /ids start with ses_/, { env: as('admin') });
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).status, 404);
});

test('refusals say what to do next', async () => {
	const first = await server.run(['ask', 'First?', '--session', 'one-line', '--no-wait'], { env: as('agent') });
	assert.equal(first.code, 0, first.stderr);
	const second = await says(['ask', 'Second?', '--session', 'one-line', '--no-wait'], 2, /wait for it, cancel it, or use another session$/m, { env: as('agent') });
	assert.doesNotMatch(second.stderr, /parallel/);
	const ask = first.stdout.trim();
	await says(['answer', ask, 'maybe'], 2, /'maybe' is not a valid answer\. Answer yes or no\./);
	await says(['answer', ask, 'yes'], 0, /^Answered “First\?”/m);
	await says(['answer', ask, 'no'], 1, /^Already answered by .*: Yes/m);
	await says(['login', 'plc_used'], 4, /login link was used or has expired\. Get a new one: parley user login NAME/);
	await says(['ask', '', '--no-wait'], 2, /no question given/, { env: as('agent') });
	await says(['list', '--token', ''], 2, /--token/);
	await says(['inbox'], 2, /needs a terminal\. In scripts use 'parley list'/);
});

test('each option of the help speaks of its own command; exit statuses, too', async () => {
	const help = async (...words) => (await server.run([...words, '--help'])).stdout;
	assert.match(await help('serve'), /--mcp-wait TIME +How long an MCP call waits/);
	assert.match(await help('user', 'create'), /^ {2}1 {5}A user with this name already exists\.$/m);
	assert.match(await help('workspace', 'create'), /^ {2}1 {5}A workspace with this name already exists\.$/m);
	assert.doesNotMatch(await help('token', 'create'), /[Rr]ejected or skipped/);
});

test('the manual of the settings has the sections of the file, and what each setting accepts', async () => {
	const manual = (await server.run(['help', '--man', 'parley.conf'])).stdout;
	for (const words of ['[resumers]', '[verifiers]', 'resumer_env', 'environment variables']) assert.ok(manual.includes(words), words);
});

test('completions: commands behind gate, ids of tokens and users, files for backup', async () => {
	const script = join(server.home, 'completion.bash');
	writeFileSync(script, (await server.run(['completion', 'bash'])).stdout);
	const offers = (...words) => spawnSync('bash', ['-c', `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parley; printf '%s\\n' "\${COMPREPLY[@]}"`, 'x', ...words],
		{ encoding: 'utf8', cwd: server.home, env: { ...process.env, ...server.env, PARLEY_DATA: server.data, PATH: `${BIN.replace(/\/[^/]*$/, '')}:${process.env.PATH}` } }).stdout.split('\n');
	assert.ok(offers('parley', 'gate', '--', 'tru').includes('true'));
	assert.ok(offers('parley', 'token', 'revoke', '').some((one) => one.startsWith('tok_')));
	assert.ok(offers('parley', 'user', 'remove', '').some((one) => one.startsWith('usr_')));
	assert.ok(offers('parley', 'backup', 'comp').includes('completion.bash'));
});

test('the unit, its drop-in and the service’s data folder are in the manual of operators', () => {
	const operating = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8');
	for (const words of ['LoadCredential=', 'CAP_NET_BIND_SERVICE', '--data /var/lib/parley', 'chown --reference']) assert.ok(operating.includes(words), words);
});
