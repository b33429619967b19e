// Resumers: a command that the operator configured sets a stopped agent going again, once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { Receiver } from './lib/receiver.mjs';
import { approval, pointers } from './lib/samples.mjs';
import { BIN, Server, until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-resumers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

// What a resumer was given, as JSON; it stays until the file `hold` is gone.
const script = join(folder, 'note.mjs');
writeFileSync(script, `
import { existsSync, readFileSync, writeFileSync, renameSync } from 'node:fs';
const [name, ...words] = process.argv.slice(2);
const file = ${JSON.stringify(folder)} + '/' + name + '-' + process.env.PARLEY_ASK + '-' + process.pid;
writeFileSync(file + '.part', JSON.stringify({ words, env: process.env, pid: process.pid,
	input: readFileSync(0, 'utf8'), group: readFileSync('/proc/self/stat', 'utf8').split(' ')[4] }));
renameSync(file + '.part', file + '.json');
while (existsSync(${JSON.stringify(folder)} + '/hold-' + process.env.PARLEY_ASK)) {
	writeFileSync(${JSON.stringify(folder)} + '/beat-' + process.env.PARLEY_ASK, String(Date.now()));
	await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log('done by', name);
`);
const node = `${process.execPath} ${script}`;
const config = join(folder, 'parley.conf');
writeFileSync(config, `resumer_env = SECRET_FOR_AGENT
[resumers]
note = ${node} note --resume {external_id} {context} s={session} {ask} {url}
stdin = ${node} stdin 'two words' "{session}"
fail = sh -c 'echo out; echo err >&2; exit 3'
killed = sh -c 'kill -9 $$'
loud = sh -c 'yes 0123456789 | head -c 300000; printf "\\\\000\\\\377end"'
missing = ${join(folder, 'no-such-program')}
grab = sh ${join(folder, 'grab.sh')} ${BIN}
endless = sh -c 'yes 0123456789 & exec sleep 1000'
`);
// Everything that would let an agent decide for itself, and what it is there for.
writeFileSync(join(folder, 'grab.sh'), `
ls -A "$PARLEY_DATA"
"$1" token create --role member --name me --data "$PARLEY_DATA" && echo GOT A TOKEN
"$1" user list --data "$PARLEY_DATA" && echo GOT USERS
cat "$PARLEY_DATA/parley.db" "$HOME/.config/parley/login" "$XDG_CONFIG_HOME/parley/login" ${folder}/parley.conf && echo GOT A FILE
unshare -Urm sh -c 'umount "$PARLEY_DATA"; ls -A "$PARLEY_DATA"/parley.db' && echo GOT THE STORE
"$1" ask --no-wait 'What next?' >/dev/null && echo ASKED
`);

const server = await useServer({ flags: ['--config', config, '--webhook-internal', 'yes'],
	env: { SECRET_FOR_AGENT: 's3', NOT_FOR_AGENT: 'x' } });
const { agent, member, admin } = server;


/** What the runs for this ask noted. */
const notes = (ask) => readdirSync(folder).filter((f) => f.includes(ask.id) && f.endsWith('.json'))
	.map((f) => JSON.parse(readFileSync(join(folder, f), 'utf8')));

async function asked(resumer, session = {}, body = {}) {
	const made = await agent.session({ on_settled: { resumer }, ...session });
	return agent.ask({ session: made.id, ...body });
}
const yes = (ask) => member.answer(ask, { q1: true });
const deliveries = async (session) => (await admin.get(`/v1/deliveries?session=${session}`)).body.items;
const ended = (session, status) => until(async () => (await deliveries(session))
	.find((d) => d.status === status), `a ${status} delivery`);
const told = async (session, type) => (await agent.events(0, `&session=${session}&types=${type}`)).items;

test('the last answer sets the agent going again, with its context', async () => {
	const ask = await asked('note', { external_id: 'cc-42' });
	await yes(ask);
	const done = await ended(ask.session, 'done');
	assert.deepEqual([done.kind, done.target, done.attempts, done.last_status, done.last_error],
		['resumer', 'note', 1, 0, null]);
	const [note] = notes(ask);
	const { context } = (await agent.get(`/v1/sessions/${ask.session}/resume`)).body;
	assert.deepEqual(note.words, ['--resume', 'cc-42', context, `s=${ask.session}`, ask.id, server.url]);
	assert.equal(note.input, '');
	assert.match(context, /Answered by a person/);
	assert.equal(note.group, String(note.pid), 'a group of its own');
	const [resuming] = await told(ask.session, 'session.resuming');
	const [resumed] = await told(ask.session, 'session.resumed');
	assert.deepEqual(resuming.data, { delivery: done.id, resumer: 'note' });
	assert.deepEqual(resumed.data, { delivery: done.id, resumer: 'note', exit: 0, signal: null,
		error: null, output: 'done by note\n' });
	assert.equal(resumed.ask, ask.id);
});

test('it is started for asks of our own runs, also when the run has ended by then', async () => {
	const model = await new ScriptModel((q) => [results(q).length ? say('done') : use('todo', first(q) === 'limited' ? { operation: 'list' } : { operation: 'create', name: 'x' })]).start();
	after(() => model.stop());
	await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url, key: 'k' });
	for (const [name, more] of [['limited', { limits: { turns: 1 } }], ['quick', { validation: { mode: 'manual' } }]])
		await admin.post('/v1/agents', { name, provider: 'scripted', model: 'm', tools: ['todo'], ...more });
	const started = async (name) => {
		const { body } = await member.post('/v1/sessions', { agent: name, message: name, on_settled: { resumer: 'note' } });
		return until(async () => (await member.get('/v1/asks')).body.items.find((one) => one.session === body.id), 'its ask');
	};
	const resumed = async (ask, answers) => {
		const reply = await member.answer(ask, answers);
		assert.equal(reply.status, 200, reply.text);
		await ended(ask.session, 'done');
		assert.equal(notes(ask).length, 1);
		return until(async () => {
			const { status } = (await member.get(`/v1/sessions/${ask.session}`)).body;
			return ['completed', 'failed'].includes(status) && status;
		}, 'its end');
	};
	assert.equal(await resumed(await started('limited'), { recovery: 'abort' }), 'failed', 'which ends it in the same commit');
	assert.equal(await resumed(await started('quick'), { decision: 'approve' }), 'completed');
	const left = await started('quick');
	await member.post(`/v1/sessions/${left.session}/cancel`);
	assert.deepEqual(await deliveries(left.session), [], 'nothing is set going of what was cancelled');
});

test('it sees a clean environment, and how to come back', async () => {
	const ask = await asked('note', { external_id: 'cc-env' });
	await yes(ask);
	await ended(ask.session, 'done');
	const [{ env }] = notes(ask);
	assert.deepEqual([env.PARLEY_URL, env.PARLEY_DATA, env.PARLEY_SESSION, env.PARLEY_EXTERNAL_ID,
		env.PARLEY_ASK, env.SECRET_FOR_AGENT, env.PATH],
	[server.url, server.data, ask.session, 'cc-env', ask.id, 's3', server.env.PATH]);
	assert.match(env.PARLEY_DELIVERY, /^dlv_/);
	assert.deepEqual([env.NOT_FOR_AGENT, env.PARLEY_TEST_CLOCK, env.PARLEY_TOKEN],
		[undefined, undefined, undefined]);
});

test('without a word for it the context comes on standard input, however long', async () => {
	const ask = await asked('stdin', {}, { questions: [{ key: 'q1', type: 'text', text: 'Say' }] });
	await member.answer(ask, { q1: 'é'.repeat(10_000) });
	await ended(ask.session, 'done');
	const [note] = notes(ask);
	const { context } = (await agent.get(`/v1/sessions/${ask.session}/resume`)).body;
	assert.deepEqual(note.words, ['two words', ask.session]);
	assert.equal(note.input, context);
});

test('nothing in a value reaches a shell', async () => {
	const hostile = '$(touch /tmp/x) `id` "; rm -rf ~; \' && true | cat';
	const ask = await asked('note', { external_id: hostile });
	await yes(ask);
	await ended(ask.session, 'done');
	assert.equal(notes(ask)[0].words[1], hostile);
});

test('a value that looks like an option is not passed on', async () => {
	const ask = await asked('note', { external_id: '--dangerously-skip-permissions' });
	await yes(ask);
	const dead = await ended(ask.session, 'dead');
	assert.match(dead.last_error, /option/);
	assert.equal(notes(ask).length, 0);
});

test('an unknown resumer is refused, and those there are are named', async () => {
	const reply = await agent.post('/v1/sessions', { title: 'x', on_settled: { resumer: 'sh -c id' } });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/on_settled/resumer']);
	assert.match(reply.text, /note, stdin, fail, killed, loud, missing/);
});

test('it runs when the session waits for nothing more, and not before', async () => {
	const session = await agent.session({ parallel: true, on_settled: { resumer: 'stdin' } });
	const ask = (body) => agent.ask({ session: session.id, ...body });
	const [first, gate, recovery, quiet] = [await ask(), await ask(approval()),
		await ask({ kind: 'error_recovery' }), await ask({ kind: 'non_blocking' })];
	await yes(first);
	await member.answer(gate, { decision: 'reject' });
	assert.deepEqual(await deliveries(session.id), []);
	await member.answer(recovery, { recovery: 'retry' });
	assert.equal((await ended(session.id, 'done')).ask, recovery.id);
	await yes(quiet);
	assert.equal((await deliveries(session.id)).length, 1);
});

test('of two last answers at once it runs once', async () => {
	const session = await agent.session({ parallel: true, on_settled: { resumer: 'stdin' } });
	const asks = await Promise.all(Array.from({ length: 6 }, () => agent.ask({ session: session.id })));
	await Promise.all(asks.flatMap((ask) => [yes(ask), yes(ask)]));
	await ended(session.id, 'done');
	assert.equal((await deliveries(session.id)).length, 1);
	assert.equal(asks.flatMap((ask) => notes(ask)).length, 1);
});

test('a deadline sets it going, its own withdrawal and an ended session do not', async () => {
	const late = await asked('stdin', {}, { timeout: 60 });
	server.jump(61e3);
	await ended(late.session, 'done');
	const withdrawn = await asked('stdin');
	await agent.post(`/v1/asks/${withdrawn.id}/cancel`);
	const over = await asked('stdin');
	await agent.post(`/v1/sessions/${over.session}/cancel`);
	const done = await asked('stdin');
	await agent.patch(`/v1/sessions/${done.session}`, { status: 'completed' });
	for (const ask of [withdrawn, over, done]) {
		assert.deepEqual(await deliveries(ask.session), []);
	}
	const byAdmin = await asked('stdin');
	await admin.post(`/v1/asks/${byAdmin.id}/cancel`);
	await ended(byAdmin.session, 'done');
});

test('exit status, signal and the last of the output are kept', async () => {
	const outcome = async (resumer) => {
		const ask = await asked(resumer);
		await yes(ask);
		const dead = await until(async () => (await deliveries(ask.session))
			.find((d) => d.status !== 'waiting'), 'the end');
		return { dead, data: (await told(ask.session, 'session.resumed'))[0].data };
	};
	const fail = await outcome('fail');
	assert.deepEqual([fail.dead.status, fail.dead.last_status, fail.dead.last_error],
		['dead', 3, 'exit status 3']);
	assert.deepEqual([fail.data.exit, fail.data.output], [3, 'out\nerr\n']);
	const killed = await outcome('killed');
	assert.deepEqual([killed.data.exit, killed.data.signal, killed.dead.last_status],
		[null, 9, null]);
	const loud = await outcome('loud');
	assert.equal(loud.data.output.length, 65536);
	assert.ok(loud.data.output.endsWith('4567\ufffd\ufffdend'), loud.data.output.slice(-20));
	const missing = await outcome('missing');
	assert.match(missing.dead.last_error, /No such file/);
	assert.equal(missing.data.exit, null);
});

test('what failed can be replayed by an admin, what went well cannot', async () => {
	const ask = await asked('fail');
	await yes(ask);
	const dead = await ended(ask.session, 'dead');
	assert.equal((await admin.post(`/v1/deliveries/${dead.id}/replay`)).status, 200);
	await until(async () => (await told(ask.session, 'session.resumed')).length === 2, 'another end');
	const well = await asked('stdin');
	await yes(well);
	const done = await ended(well.session, 'done');
	assert.equal((await admin.post(`/v1/deliveries/${done.id}/replay`)).status, 409);
});

test('a webhook and a resumer go together', async () => {
	const receiver = await new Receiver().open();
	const ask = await asked('stdin', { on_settled: { resumer: 'stdin', webhook: receiver.url } });
	await yes(ask);
	await receiver.some(1);
	await until(async () => (await deliveries(ask.session)).filter((d) => d.status === 'done')
		.length === 2, 'both');
	assert.deepEqual((await deliveries(ask.session)).map((d) => d.kind).sort(), ['resumer', 'webhook']);
});

test('a clock that jumps does not make it run twice', async () => {
	const ask = await asked('stdin');
	const hold = join(folder, `hold-${ask.id}`);
	writeFileSync(hold, '');
	await yes(ask);
	await until(() => notes(ask).length === 1, 'its start');
	server.jump(3600e3);
	const other = await asked('stdin'); // so that something is claimed meanwhile
	await yes(other);
	await ended(other.session, 'done');
	assert.equal((await deliveries(ask.session))[0].status, 'waiting');
	rmSync(hold);
	assert.equal((await ended(ask.session, 'done')).attempts, 1);
	assert.equal(notes(ask).length, 1);
});

test('a wrong line in the configuration stops the start and says where', async () => {
	const wrong = join(folder, 'wrong.conf');
	for (const [line, says] of [['x = run {contxt}', '{contxt}'], ['x = run "open', 'quote'],
		['a b = run', 'name'], ['x = {session}', 'placeholder']]) {
		writeFileSync(wrong, `[resumers]\n${line}\n`);
		const { code, stderr } = await server.run(['serve', '--config', wrong, '--data', folder]);
		assert.equal(code, 2, stderr);
		assert.ok(stderr.includes(says) && stderr.includes('wrong.conf:2'), stderr);
	}
	writeFileSync(wrong, '[other]\nx = 1\n');
	assert.match((await server.run(['serve', '--config', wrong])).stderr, /\[resumers\]/);
});

test('doctor says which resumers can be run', async () => {
	const { stdout, code } = await server.run(['doctor', '--config', config, '--data', server.data]);
	assert.match(stdout, /ok {2}.*note/);
	assert.match(stdout, /!! {2}.*missing/);
	assert.equal(code, 1);
});

// A container or a chroot may forbid what isolates a program. Asked without the program under test.
const isolates = spawnSync('unshare', ['-Urmpf', 'mount', '-t', 'tmpfs', 'none', '/tmp']).status === 0;
const needsNamespaces = { skip: !isolates && 'user namespaces are forbidden here' };

test('a resumed agent reaches neither the store nor the admin socket, and can ask', needsNamespaces, async () => {
	const ask = await asked('grab');
	await yes(ask);
	await until(async () => (await deliveries(ask.session))[0]?.status !== 'waiting', 'its end');
	const [{ data: { output } }] = await told(ask.session, 'session.resumed');
	assert.doesNotMatch(output, /GOT/);
	assert.match(output, /^agent\.token\nserver\.json\n/);
	assert.match(output, /ASKED\n$/);
	assert.equal((await agent.get('/v1/asks?q=What%20next')).body.items.length, 0, 'not this agent');
	assert.equal((await member.get('/v1/asks?q=What%20next')).body.items.length, 1);
});

test('one that prints for ever costs no memory, and is ended at its time limit', async () => {
	const limited = await new Server({ flags: ['--config', config, '--resumer-timeout', '3s'] }).start();
	try {
		const client = limited.client(await limited.token('agent'));
		const person = limited.client(await limited.token('member'));
		const owner = limited.client(await limited.token('admin'));
		const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${limited.child.pid}/status`, 'utf8'))[1]);
		const session = await client.session({ on_settled: { resumer: 'endless' } });
		const before = rss();
		await person.answer(await client.ask({ session: session.id }), { q1: true });
		const dead = await until(async () => (await owner.get('/v1/deliveries?status=dead')).body.items[0], 'its end');
		assert.match(dead.last_error, /time limit/);
		assert.ok(rss() - before < 20_000, `${rss() - before} KB more`);
		const { items: [resumed] } = await client.events(0, '&types=session.resumed');
		assert.equal(resumed.data.output.length, 65536);
	} finally {
		await limited.end();
	}
});

// As root of a user namespace in which no further one can be made; where they are forbidden anyway, as it is.
const noNamespaces = isolates
	? ['unshare', '-Ur', 'sh', '-c', 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"', '-'] : [];

test('where programs cannot be isolated the log says so, and the tree still ends', async () => {
	const bare = new Server({ flags: ['--config', config], wrap: noNamespaces });
	const secrets = { agent: await bare.token('agent'), member: await bare.token('member') };
	await bare.start();
	try {
		assert.match(bare.output, /resumers run without isolation \(namespaces: /);
		const [client, person] = [bare.client(secrets.agent), bare.client(secrets.member)];
		const session = await client.session({ on_settled: { resumer: 'stdin' } });
		const ask = await client.ask({ session: session.id });
		writeFileSync(join(folder, `hold-${ask.id}`), '');
		await person.answer(ask, { q1: true });
		await until(() => existsSync(join(folder, `beat-${ask.id}`)), 'its start');
		await bare.kill();
		await silent(ask);
	} finally {
		await bare.end();
	}
});

test('resumer_isolation = require: no isolation, no start', async () => {
	const bare = new Server({ flags: ['--config', config, '--resumer-isolation', 'require'], wrap: noNamespaces });
	bare.spawn();
	assert.notEqual((await bare.exited).code, 0);
	assert.match(bare.output, /resumer_isolation.*cannot be isolated here/);
	await bare.end();
});

test('doctor says whether resumers are isolated', async () => {
	const doctor = [BIN, 'doctor', '--config', config, '--data', server.data];
	const [command, ...args] = [...noNamespaces, ...doctor];
	assert.match(spawnSync(command, args, { env: server.env, encoding: 'utf8' }).stdout,
		/!! {2}resumers: cannot be isolated here \(namespaces: /);
	const off = await server.run(['doctor', '--config', config, '--data', server.data, '--resumer-isolation', 'off']);
	assert.match(off.stdout, /-- {2}resumers: not isolated/);
});

test('doctor says that resumers are isolated', needsNamespaces, async () => {
	const { stdout } = await server.run(['doctor', '--config', config, '--data', server.data]);
	assert.match(stdout, /ok {2}resumers: isolated/);
});

// ---- what survives (last: these stop the server) ----

/** Returns once the program no longer writes that it runs. */
async function silent(ask) {
	const beat = join(folder, `beat-${ask.id}`);
	await until(async () => {
		const before = readFileSync(beat, 'utf8');
		await new Promise((resolve) => setTimeout(resolve, 300));
		return readFileSync(beat, 'utf8') === before;
	}, 'its end');
}

test('kill -9 while it runs: the program ends, its outcome is lost, it is not run again', async () => {
	const ask = await asked('stdin');
	writeFileSync(join(folder, `hold-${ask.id}`), '');
	await yes(ask);
	await until(() => existsSync(join(folder, `beat-${ask.id}`)), 'its start');
	await server.crash();
	await silent(ask);
	server.jump(61e3); // the lease of who died
	const dead = await ended(ask.session, 'dead');
	assert.match(dead.last_error, /interrupted/);
	const [resumed] = await told(ask.session, 'session.resumed');
	assert.deepEqual([resumed.data.exit, resumed.data.output], [null, '']);
	assert.equal(notes(ask).length, 1);
});

test('SIGTERM ends the program with the server and says so', async () => {
	const ask = await asked('stdin');
	writeFileSync(join(folder, `hold-${ask.id}`), '');
	await yes(ask);
	await until(() => existsSync(join(folder, `beat-${ask.id}`)), 'its start');
	assert.equal((await server.stop()).code, 0);
	await silent(ask);
	await server.start();
	const dead = await ended(ask.session, 'dead');
	assert.match(dead.last_error, /the server stopped, and the program with it/);
	assert.equal(notes(ask).length, 1);
});
