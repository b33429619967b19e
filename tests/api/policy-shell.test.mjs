// Rules and stops from the shell: stop, go, gate and hooks.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const env = (token) => ({ PARLEY_URL: server.url, PARLEY_TOKEN: token, LANG: 'C.UTF-8' });
const run = (args, who = 'agent', input) => server.run(args, { env: env(server.secrets[who]), input });
const rule = async (body) => {
	const reply = await admin.post('/v1/rules', body);
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const end = (r) => admin.delete(`/v1/rules/${r.id}`);
const pending = (what) => until(async () => (await member.get('/v1/asks')).body.items.find(what), 'the ask');
const call = (command) => JSON.stringify({ session_id: 'c0ffee', cwd: '/srv', hook_event_name: 'PreToolUse', tool_name: 'Bash',
	tool_input: { command }, tool_use_id: `t${Math.random()}` });
const hook = async (command, flags = [], more = {}) => {
	const done = await server.run(['hook', 'claude', ...flags], { env: { ...env(server.secrets.agent), ...more }, input: call(command) });
	return done.stdout ? JSON.parse(done.stdout).hookSpecificOutput : null;
};

/** A second server, whose policy nobody has set. */
async function useServerOf() {
	const fresh = await useServer();
	return { ...fresh, member: fresh.member, admin: fresh.admin, agent: fresh.agent, url: fresh.url, run: fresh.run.bind(fresh), hook: async (command) => {
		const done = await fresh.run(['hook', 'claude'], { env: { PARLEY_URL: fresh.url, PARLEY_TOKEN: fresh.secrets.agent },
			input: call(command) });
		return JSON.parse(done.stdout).hookSpecificOutput;
	} };
}

test('policy --set changes single values, with the others as they were', async () => {
	const before = (await admin.get('/v1/policy')).body;
	const done = await run(['policy', '--set', 'alerts.unanswered=2h', '--set', 'timeout=30m', '--set', 'alerts.node=null', '--json'], 'admin');
	assert.equal(done.code, 0, done.stderr);
	const after = (await admin.get('/v1/policy')).body;
	assert.deepEqual(after, { ...before, timeout: '30m', alerts: { ...before.alerts, unanswered: '2h', node: null }, version: before.version + 1, default: before.default });
	for (const [pair, words] of [['alerts.unanswered', /alerts\.unanswered/], ['alerts.unanswered=soon', /alerts\.unanswered|unanswered/], ['nothing=1', /nothing/]]) {
		const refused = await run(['policy', '--set', pair], 'admin');
		assert.notEqual(refused.code, 0);
		assert.match(refused.stderr, words);
	}
	assert.equal((await run(['policy', '--set', 'timeout=null', '--set', 'alerts.unanswered=1h', '--set', 'alerts.node=60s'], 'member')).code, 4);
	assert.equal((await run(['policy', '--set', 'timeout=null', '--set', 'alerts.unanswered=1h', '--set', 'alerts.node=60s'], 'admin')).code, 0);
});

test('a rule reads as what it does, also one made from an answer', async () => {
	const session = (await agent.session({ project: 'web', parallel: true })).id;
	const bash = (command) => ({ kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command } }, session });
	const first = await agent.ask(bash('make lint'));
	const made = (await admin.post(`/v1/asks/${first.id}/answer`, { answers: { decision: 'approve' }, scope: { for: 'always' } })).body.rule;
	const two = await rule({ effect: 'ask', note: 'two for prod', match: { project: 'prod-*', risk: { min: 'high' }, session: 'ses_00000000000000000000000000' },
		ask: { require: [{ approvals: 1, from: ['role:admin'] }], risk: 'critical' } });
	const { stdout } = await run(['rule', 'list'], 'member');
	assert.match(stdout, new RegExp(`${made}  Allow \`make lint\` for builder in web `), stdout);
	assert.match(stdout, /Ask for everything from high risk on in prod-\* in the session ses_0+ · 1 approval from role:admin · counts as critical risk/);
	const again = await agent.ask(bash('make lint'));
	assert.match((await run(['show', again.id], 'member')).stdout, /Decided by the rule Bash\(make lint\)/);
	assert.match((await run(['list', '--settled'], 'member')).stdout, /approved\tBash\(make lint\)\t/);
	for (const id of [made, two.id]) await admin.delete(`/v1/rules/${id}`);
});

test('a shadow rule reads as what it would do and what people said, a rehearsal names what differs, in both languages; then it is live', async () => {
	const french = (words) => run([...words, '--lang', 'fr'], 'admin');
	const bash = (command) => ({ kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command } } });
	const { stdout } = await run(['rule', 'add', 'allow', 'Bash(cargo test*)', '--shadow'], 'admin');
	assert.match(stdout, /Would allow Bash\(cargo test\*\) · fits 0 · people approved 0, rejected 0/);
	const [id] = stdout.match(/rul_\w+/);
	await member.answer(await agent.ask(bash('cargo test')), { decision: 'approve' });
	await member.answer(await agent.ask(bash('cargo test -v')), { decision: 'reject' });
	assert.match((await run(['rule', 'list'], 'member')).stdout, /Would allow Bash\(cargo test\*\) · fits 2 · people approved 1, rejected 1/);
	assert.match((await french(['rule', 'list'])).stdout, /Autoriserait Bash\(cargo test\*\) · correspond à 2 · approuvé 1 fois, refusé 1 fois/);
	const file = join(server.data, 'rehearsed.json');
	writeFileSync(file, JSON.stringify([{ effect: 'allow', match: { tool: ['Bash(cargo test*)'] } }]));
	assert.match((await run(['rehearse', file], 'member')).stdout, /^ask_\w+  asked → allowed  rejected$/m);
	assert.match((await french(['rehearse', file])).stdout, /^ask_\w+  demandée → autorisée  rejetée par quelqu’un$/m);
	assert.match((await run(['rule', 'edit', id, '--live'], 'admin')).stdout, /Allow Bash\(cargo test\*\) · used 0 times/);
	assert.equal((await agent.ask(bash('cargo test'))).status, 'answered');
	await admin.delete(`/v1/rules/${id}`);
});

test('rules are kept in a file: exported, applied, and applied again without a change', async () => {
	const file = join(server.data, 'rules.json');
	const read = () => JSON.parse(readFileSync(file, 'utf8'));
	const names = async () => (await member.get('/v1/rules')).body.items.map((r) => r.note).sort();
	const two = await run(['rule', 'add', 'ask', '--project', 'prod-*', '--require', '1:role:admin', '--risk', 'high', '--note', 'prod'], 'admin');
	assert.match(two.stdout, /Ask for everything in prod-\* · 1 approval from role:admin · counts as high risk/, two.stderr);
	const pay = await run(['rule', 'add', 'deny', 'pay', '--argument', '/amount:min=100', '--argument', '/amount:max=500',
		'--argument', '/to:in=a,b', '--argument', '/really=true', '--json'], 'admin');
	assert.deepEqual(JSON.parse(pay.stdout).match.arguments, { '/amount': { min: 100, max: 500 }, '/to': { in: ['a', 'b'] }, '/really': { is: true } }, pay.stderr);
	for (const wrong of [['--argument', 'branch'], ['--require', 'two'], ['--file', join(server.data, 'none.json')]]) {
		assert.equal((await run(['rule', 'add', ...(wrong[0] === '--file' ? [] : ['ask', 'x']), ...wrong], 'admin')).code, 2, wrong.join(' '));
	}
	const once = await agent.ask({ kind: 'approval', operation: { name: 'lint', arguments: { all: true } } });
	await member.post(`/v1/asks/${once.id}/answer`, { answers: { decision: 'approve' }, scope: { for: '15m' } });
	const out = await run(['rule', 'export', file], 'member');
	assert.deepEqual([out.code, out.stdout, out.stderr.trim()],
		[0, '', '1 rule for one call or session is left out: it belongs to this workspace.']);
	assert.deepEqual(read().rules.map((r) => [r.effect, r.note]), [['ask', 'prod'], ['deny', '']]);
	const same = await run(['rule', 'apply', file], 'admin');
	assert.deepEqual([same.code, same.stdout, same.stderr.trim()], [0, '', '0 created, 0 changed, 2 as they were.']);

	const [prod, paid] = read().rules;
	const shown = (await member.get(`/v1/rules/${prod.id}`)).body;
	const next = { rules: [{ ...shown, note: 'production' }, { effect: 'deny', match: { tool: ['Bash(rm *)'] }, note: 'no rm' }] };
	writeFileSync(file, JSON.stringify(next));
	const dry = await run(['rule', 'apply', file, '--dry-run'], 'admin');
	assert.deepEqual([dry.code, dry.stdout.split('\n').map((l) => l.slice(0, 1)).join('')], [0, '~+'], dry.stderr);
	assert.match(dry.stderr, /Would create 1 and change 1; 0 are as they should be\.\n1 rule in force is not in the file; it stays\./);
	assert.deepEqual(await names(), ['', '', 'prod'], 'nothing was changed');
	assert.equal((await run(['rule', 'apply', '-'], 'admin', JSON.stringify(next))).code, 0);
	assert.deepEqual(await names(), ['', '', 'no rm', 'production']);
	assert.match((await run(['rule', 'apply', file], 'admin')).stderr, /^0 created, 0 changed, 2 as they were\./, 'also without an id');
	writeFileSync(file, JSON.stringify([{ effect: 'deny', match: { tool: ['fine'] } }, { effect: 'deny', match: { tool: ['Bash(:*)'] } }]));
	const wrong = await run(['rule', 'apply', file], 'admin');
	assert.equal(wrong.code, 2, wrong.stderr);
	assert.match(wrong.stderr, /Rule 2 of the file was refused/);
	assert.deepEqual(await names(), ['', '', 'no rm', 'production'], 'not even the one that is right');

	assert.equal((await run(['rule', 'edit', paid.id, '--note', 'big sums', '--argument', '/amount:min=200', '--agent', 'shop'], 'admin')).code, 0);
	assert.equal((await run(['rule', 'edit', prod.id, '--disable'], 'admin')).code, 0);
	const after = await run(['rule', 'show', paid.id], 'member');
	assert.match(after.stdout, /^rul_\w+ {2}Deny pay where .* for shop .*big sums\n.*shop/s);
	assert.deepEqual(JSON.parse((await run(['rule', 'show', paid.id, '--json'], 'member')).stdout).match,
		{ tool: ['pay'], arguments: { '/amount': { min: 200 } }, agent: 'shop' });
	assert.equal((await member.get(`/v1/rules/${prod.id}`)).body.enabled, false);
	for (const r of (await member.get('/v1/rules')).body.items) await end(r);
});

test('rule try names what differs, by call, agent and time', async () => {
	const operation = { type: 'tool', name: 'Bash', arguments: { command: 'tar xf a' } };
	const one = await agent.ask({ kind: 'approval', operation });
	await member.answer(one, { decision: 'approve' });
	const allow = await rule({ effect: 'allow', match: { tool: ['Bash(tar *)'] }, note: 'tar is fine' });
	const two = await agent.ask({ kind: 'approval', operation });
	const tried = async (...args) => (await run(['rule', 'try', 'Bash(tar *)', ...args], 'member')).stdout;
	assert.match(await tried('--effect', 'deny'), new RegExp(`${one.id}\tapproved\tdeny\tbuilder\tBash\\(tar xf a\\)\n`));
	const asked = await tried('--effect', 'ask', '--since', '1h');
	assert.match(asked, new RegExp(`^${two.id}\tapproved\task\t`, 'm'), 'what a rule allowed');
	assert.doesNotMatch(asked, new RegExp(one.id), 'a person was asked');
	assert.equal((await run(['rule', 'try', 'Bash(tar *)', '--since', 'x'], 'member')).code, 2);
	await until(async () => /^looked\t0\n/.test(await tried('--effect', 'deny', '--since', '1s')), 'nothing was asked in the last second');
	const of = await run(['rule', 'try', JSON.stringify(operation)], 'member');
	assert.match(of.stdout, new RegExp(`^${allow.id}\tallow\tdecides\ttar is fine$`, 'm'));
	await end(allow);
});

test('stop prints its id, go lifts the only one', async () => {
	const set = await run(['stop', '--agent', 'nobody-*', '--for', '30m', 'wrong branch'], 'member');
	assert.equal(set.code, 0, set.stderr);
	const id = set.stdout.trim();
	const [stop] = (await member.get('/v1/stops')).body.items;
	assert.deepEqual([stop.id, stop.match, stop.reason, stop.made_by.via], [id, { agent: 'nobody-*' }, 'wrong branch', 'cli']);
	assert.ok(Date.parse(stop.until) - Date.parse(stop.created_at) <= 1801e3);
	assert.equal((await run(['go'], 'member')).code, 0);
	assert.equal((await member.get('/v1/stops')).body.items.length, 0);
	const none = await run(['go'], 'member');
	assert.deepEqual([none.code, none.stderr.trim()], [0, 'Nothing is stopped.']);
});

test('go names those it could lift when there are several', async () => {
	const ids = [];
	for (const reason of ['one', 'two']) ids.push((await run(['stop', '--agent', 'x', reason], 'member')).stdout.trim());
	const several = await run(['go'], 'member');
	assert.equal(several.code, 2);
	for (const id of ids) assert.match(several.stdout, new RegExp(id));
	for (const id of ids) assert.equal((await run(['go', id], 'admin')).code, 0);
	assert.equal((await run(['go', 'stp_00000000000000000000000000'], 'admin')).code, 5);
});

test('who looks for the stops sees them, and stops nothing', async () => {
	const none = await run(['stop', 'list'], 'member');
	assert.deepEqual([none.code, none.stdout, none.stderr.trim()], [0, '', 'Nothing is stopped.']);
	const id = (await run(['stop', '--agent', 'x', 'wrong branch'], 'member')).stdout.trim();
	const listed = await run(['stop', 'list'], 'member');
	assert.equal(listed.code, 0, listed.stderr);
	assert.equal(listed.stdout, `${id}  agent x  until it is lifted  by mia  wrong branch\n`);
	const timed = (await run(['stop', '--project', 'web', '--for', '30m', 'for a while'], 'member')).stdout.trim();
	assert.match((await run(['stop', 'list'], 'member')).stdout, new RegExp(`^${timed}  project web  until \\S+( \\S+)?  by mia  for a while$`, 'm'));
	assert.equal((await run(['go', timed], 'member')).code, 0);
	assert.equal(JSON.parse((await run(['stop', 'list', '--json'], 'member')).stdout).items[0].id, id);
	for (const [words, right] of [[['stop', 'status'], 'pause list'], [['stop', 'help'], 'pause list'], [['stop', '--agent', 'y', 'list'], 'pause list'],
		[['run', 'status'], 'run list']]) {
		const refused = await run(words, 'member');
		assert.equal(refused.code, 2, words.join(' '));
		assert.match(refused.stderr, new RegExp(`did you mean 'parley ${right}'\\?`), words.join(' '));
	}
	assert.deepEqual((await member.get('/v1/stops')).body.items.map((stop) => stop.id), [id]);
	assert.equal((await run(['go', id], 'member')).code, 0);
});

test('pause and resume, or stop and go; one word alone stops nothing', async () => {
	for (const word of ['server', 'lst', 'off']) {
		const refused = await run(['stop', word], 'member');
		assert.deepEqual([refused.code, (await member.get('/v1/stops')).body.items.length], [2, 0], word);
		assert.match(refused.stderr, /two words or more/);
	}
	for (const [words, back] of [[['pause', 'Production is down'], 'resume'], [['stop', 'Production', 'is', 'down'], 'go']]) {
		assert.equal((await run(words, 'member')).code, 0);
		assert.equal((await member.get('/v1/stops')).body.items[0].reason, 'Production is down');
		assert.equal((await run([back], 'member')).code, 0);
	}
});

test('an agent neither stops nor lifts', async () => {
	for (const words of [['stop', 'x'], ['pause', 'mischief'], ['stop', 'mischief for all']])
		assert.equal((await run(words)).code, 4, words.join(' '));
	assert.equal((await run(['stop'])).code, 2);
});

test('a hook says which program asks: its name with the machine\'s own token, beside a token\'s name otherwise', async () => {
	const asked = async (more, words) => {
		const hooked = server.run(['hook', 'claude', '--ask-only', 'Bash(*)'], { env: more, input: call(words) });
		const ask = await pending((one) => one.title === `Bash: ${words}`);
		await member.answer(ask, { decision: 'reject' });
		await hooked;
		assert.equal(ask.machine_user, userInfo().username);
		return [ask.agent.name, ask.program];
	};
	assert.deepEqual(await asked(env(server.secrets.agent), 'git push origin main'), ['builder', 'Claude Code']);
	const own = readFileSync(join(server.data, 'agent.token'), 'utf8').trim();
	assert.deepEqual(await asked(env(own), 'git push origin next'), ['Claude Code', 'Claude Code']);
	const checked = await server.run(['check', '--data', server.data]);
	assert.equal(checked.code, 0, checked.stdout + checked.stderr);
});

test('gate ends at once, with 4, when a stop fits, and withdraws what it asked', async () => {
	const stop = (await member.post('/v1/stops', { reason: 'incident' })).body;
	const gate = await run(['gate', '--', 'true']);
	assert.equal(gate.code, 4);
	assert.match(gate.stderr, /Stopped by mia: incident\. Nothing was run\./);
	assert.equal((await member.get('/v1/asks')).body.items.length, 0);
	await admin.delete(`/v1/stops/${stop.id}`);
});

test('a gate that waits ends when everything is stopped', async () => {
	const gate = run(['gate', '--', 'true']);
	const ask = await pending((a) => a.operation?.arguments.argv?.[0] === 'true');
	const stop = (await member.post('/v1/stops', { reason: 'incident' })).body;
	assert.equal((await gate).code, 4);
	assert.equal((await member.read(ask)).status, 'cancelled');
	await admin.delete(`/v1/stops/${stop.id}`);
});

test('an approval given before a stop does not run during it', async () => {
	const gate = run(['gate', '--', 'sh', '-c', 'echo ran']);
	const ask = await pending((a) => a.operation?.name === 'sh');
	const stop = (await member.post('/v1/stops', { reason: 'incident', match: { agent: 'builder' } })).body;
	const done = await gate;
	assert.deepEqual([done.code, done.stdout], [4, '']);
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 409);
	await admin.delete(`/v1/stops/${stop.id}`);
});

test('gate runs what a rule allows without waiting, and not what one denies', async () => {
	const yes = await rule({ effect: 'allow', match: { tool: ['Bash(echo *)'] } });
	const no = await rule({ effect: 'deny', match: { tool: ['Bash(printf *)'] }, note: 'no printf' });
	const ran = await run(['gate', '--', 'echo', 'hello']);
	assert.deepEqual([ran.code, ran.stdout], [0, 'hello\n']);
	const denied = await run(['gate', '--', 'printf', 'x']);
	assert.deepEqual([denied.code, denied.stdout], [1, '']);
	assert.match(denied.stderr, /no printf/);
	await end(yes);
	await end(no);
});

test('gate --policy follows the mode too, and keeps what it decided', async () => {
	const { as_of, version } = { ...(await admin.get('/v1/rules')).body, ...(await admin.get('/v1/policy')).body };
	const auto = (await admin.put('/v1/policy', { mode: 'auto', version })).body;
	const ran = await run(['gate', '--policy', '--', 'echo', 'hello']);
	assert.deepEqual([ran.code, ran.stdout], [0, 'hello\n']);
	assert.equal((await admin.events(as_of, '&types=policy.decided')).items.length, 1);
	await admin.put('/v1/policy', { mode: 'manual', version: auto.version });
	const gate = run(['gate', '--policy', '--', 'echo', 'asked']);
	const ask = await pending((a) => a.operation?.arguments.argv?.[1] === 'asked');
	await member.answer(ask, { decision: 'approve' });
	assert.deepEqual([(await gate).code, (await gate).stdout], [0, 'asked\n']);
	const stop = (await member.post('/v1/stops', { reason: 'incident' })).body;
	assert.equal((await run(['gate', '--policy', '--', 'echo', 'x'])).code, 4);
	await admin.delete(`/v1/stops/${stop.id}`);
	await admin.put('/v1/policy', { mode: 'selective', version: auto.version + 1 });
});

test('gate without a server exits 3', async () => {
	const gate = await server.run(['gate', '--policy', '--', 'true'], { env: { ...env(server.secrets.agent), PARLEY_URL: 'http://127.0.0.1:9' } });
	assert.equal(gate.code, 3);
});

test('a hook takes the server\'s word: allow, deny, and who stopped it', async () => {
	const yes = await rule({ effect: 'allow', match: { tool: ['Bash(ls*)'] }, note: 'look around' });
	const no = await rule({ effect: 'deny', match: { tool: ['Bash(rm *)'] }, note: 'never' });
	assert.deepEqual((({ permissionDecision: d, permissionDecisionReason: r }) => [d, r])(await hook('ls -l')),
		['allow', 'A rule allows it: look around']);
	assert.deepEqual((({ permissionDecision: d, permissionDecisionReason: r }) => [d, r])(await hook('rm x')),
		['deny', 'A rule denies it: never']);
	const stop = (await member.post('/v1/stops', { reason: 'incident' })).body;
	const stopped = await hook('ls -l');
	assert.deepEqual([stopped.permissionDecision, stopped.permissionDecisionReason], ['deny', 'stopped by mia: incident']);
	await admin.delete(`/v1/stops/${stop.id}`);
	await end(yes);
	await end(no);
});

test('a hook\'s own --allow counts only where the server does not deny, and --ask-only tightens', async () => {
	const no = await rule({ effect: 'deny', match: { tool: ['Bash(git push*)'] } });
	const flags = ['--allow', 'Bash(git *)'];
	assert.equal((await hook('git status', flags)).permissionDecision, 'allow');
	assert.equal((await hook('git push', flags)).permissionDecision, 'deny');
	await end(no);
	const yes = await rule({ effect: 'allow', match: { tool: ['Bash(git *)'] } });
	const waiting = hook('git tag v1', ['--ask-only', 'Bash(git tag*)', '--wait', '20s']);
	const ask = await until(async () => (await member.get('/v1/asks?status=all')).body.items
		.find((a) => a.operation?.arguments.command === 'git tag v1'), 'the ask');
	assert.equal(ask.answered_by.rule, yes.id);
	assert.equal((await waiting).permissionDecision, 'allow');
	await end(yes);
});

test('the policy of a new workspace lets hooks and gate ask; only a mode that was set lets them run', async () => {
	const fresh = await useServerOf();
	const shell = { PARLEY_URL: fresh.url, PARLEY_TOKEN: fresh.secrets.agent, LANG: 'C.UTF-8' };
	const asked = async (begin) => {
		const waiting = begin();
		const ask = await until(async () => (await fresh.member.get('/v1/asks')).body.items[0], 'the ask');
		await fresh.member.answer(ask, { decision: 'approve' });
		return waiting;
	};
	const put = async (body) => {
		const { version } = (await fresh.admin.get('/v1/policy')).body;
		const reply = await fresh.admin.put('/v1/policy', { version, ...body });
		assert.equal(reply.status, 200, reply.text);
		return [reply.body.default, reply.body.warnings.map((w) => w.kind)];
	};
	const policy = (await fresh.admin.get('/v1/policy')).body;
	assert.equal(policy.default, true);
	assert.equal((await asked(() => fresh.hook('ls'))).permissionDecision, 'allow');
	const tighter = [{}, { retention: { settled: '365d' } }, { scopes: { member: '1h' } }, { mode: 'selective' },
		{ risks: [...policy.risks, { tool: ['Bash(terraform destroy*)'], risk: 'critical' }] }];
	for (const change of tighter) assert.deepEqual(await put(change), [true, []], JSON.stringify(change));
	assert.equal((await asked(() => fresh.hook('ls'))).permissionDecision, 'allow');
	assert.equal((await asked(() => fresh.run(['gate', '--policy', '--', 'true'], { env: shell }))).code, 0);
	const { body: bare } = await fresh.agent.post('/v1/decide', { operation: { type: 'tool', name: 'Bash', arguments: { command: 'ls' } } });
	assert.deepEqual([bare.effect, bare.default], ['allow', true]);
	assert.deepEqual(await put({ scopes: { member: '8h' } }), [true, ['looser']]);
	assert.deepEqual(await put({ risks: policy.risks }), [true, ['looser']]);
	assert.deepEqual(await put({ default: false }), [false, ['looser']]);
	assert.equal((await fresh.run(['gate', '--policy', '--', 'true'], { env: shell })).code, 0);
	assert.deepEqual(await put({ default: true }), [true, []]);
	const set = await fresh.run(['policy', '--mode', 'selective'], { env: { ...shell, PARLEY_TOKEN: fresh.secrets.admin } });
	assert.match(set.stderr, /Warning: hooks and gate asked for everything; they follow the mode now\./);
	assert.deepEqual(await put({ default: true }), [true, []]);
	assert.deepEqual(await put({ mode: 'auto' }), [false, ['looser', 'looser']]);
	assert.equal((await fresh.hook('ls')).permissionDecisionReason, 'No rule fits, and the policy allows it.');
	assert.equal((await fresh.member.get('/v1/asks')).body.items.length, 0);
});

test('a hook tells its agent which rule denies by now what was approved', async () => {
	const asked = await rule({ effect: 'ask', match: { tool: ['Bash(helm *)'] } });
	const child = spawn(BIN, ['hook', 'claude', '--wait', '60s'], { env: { ...process.env, ...env(server.secrets.agent) } });
	child.stdin.end(call('helm uninstall shop'));
	let out = '';
	child.stdout.on('data', (d) => { out += d; });
	const closed = new Promise((done) => child.on('close', done));
	const ask = await pending((a) => a.operation?.arguments.command === 'helm uninstall shop');
	child.kill('SIGSTOP');
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 200);
	const no = await rule({ effect: 'deny', match: { tool: ['Bash(helm *)'] }, note: 'no uninstall' });
	child.kill('SIGCONT');
	await closed;
	const said = JSON.parse(out).hookSpecificOutput;
	assert.deepEqual([said.permissionDecision, said.permissionDecisionReason], ['deny', 'denied by a rule: no uninstall']);
	await end(asked);
	await end(no);
});

test('a hook without a server says no, but for its own --deny which holds as well', async () => {
	const nowhere = { PARLEY_URL: 'http://127.0.0.1:9' };
	assert.equal((await hook('ls', ['--allow', 'Bash(ls*)'], nowhere)).permissionDecision, 'deny');
	assert.equal((await hook('rm x', ['--deny', 'Bash(rm *)'], nowhere)).permissionDecisionReason, 'A rule of this hook forbids it.');
});

test('a hook that waits hears of a stop', async () => {
	const asked = await rule({ effect: 'ask', match: { tool: ['Bash(make *)'] } });
	const waiting = hook('make deploy', ['--wait', '60s']);
	await pending((a) => a.operation?.arguments.command === 'make deploy');
	const stop = (await member.post('/v1/stops', { reason: 'incident' })).body;
	assert.deepEqual((({ permissionDecision: d, permissionDecisionReason: r }) => [d, r])(await waiting),
		['deny', 'Stopped by mia: incident']);
	await admin.delete(`/v1/stops/${stop.id}`);
	await end(asked);
});

test('a gate that is answered in time is not disturbed by a stop of others', async () => {
	const child = spawn(BIN, ['gate', '--', 'echo', 'fine'], { env: { ...process.env, ...env(server.secrets.agent) } });
	let out = '';
	child.stdout.on('data', (d) => { out += d; });
	const closed = new Promise((done) => child.on('close', done));
	const ask = await pending((a) => a.operation?.arguments.argv?.[1] === 'fine');
	const stop = (await member.post('/v1/stops', { reason: 'incident', match: { agent: 'stranger' } })).body;
	await member.answer(ask, { decision: 'approve' });
	assert.deepEqual([await closed, out], [0, 'fine\n']);
	await admin.delete(`/v1/stops/${stop.id}`);
	assert.ok(agent);
});

test('rules from the shell: added, listed as sentences, tried, ended', async () => {
	await agent.ask({ kind: 'approval', operation: { name: 'deploy' } });
	const added = await run(['rule', 'add', 'allow', 'Bash(npm test*)', '--agent', 'builder', '--project', 'web', '--for', '8h', '--note', 'tests'], 'admin');
	assert.equal(added.code, 0, added.stderr);
	assert.match(added.stdout, /^rul_\w+ {2}Allow Bash\(npm test\*\) for builder in web until \S.* · used 0 times · by ada · tests\n$/);
	assert.match(added.stderr, /Warning: it matches none of the last \d+ operations\./);
	const id = added.stdout.split(' ')[0];
	assert.match((await run(['rule', 'list', '--effect', 'allow'], 'member')).stdout, new RegExp(id));
	assert.deepEqual(JSON.parse((await run(['rule', 'list', '--json'], 'member')).stdout).items.map((r) => r.id), [id]);
	const tried = await run(['rule', 'try', '{"name": "Bash", "arguments": {"command": "npm test"}}', '--agent', 'builder', '--project', 'web'], 'member');
	assert.match(tried.stdout, new RegExp(`^allow\tmedium\t${id}\n${id}\tallow\tdecides`));
	const past = await run(['rule', 'try', 'Bash(*)', '--effect', 'deny'], 'member');
	assert.match(past.stdout, /looked\t\d+\nfits\t\d+\nallow\t0\nask\t0\ndeny\t\d+/);
	assert.equal((await run(['rule', 'end', id], 'member')).code, 0);
	assert.equal((await run(['rule', 'end', id], 'member')).code, 1);
	assert.equal((await run(['rule', 'list'], 'member')).stderr.trim(), 'No rules.');
});

test('what is wrong with a rule is said, with its place', async () => {
	assert.equal((await run(['rule', 'add', 'allow', 'Read'], 'member')).code, 4);
	const never = await run(['rule', 'add', 'deny', 'Bash(:*)'], 'member');
	assert.equal(never.code, 2);
	assert.match(never.stderr, /^parley: 'Bash\(:\*\)': matches nothing/);
	assert.equal((await run(['rule', 'add', 'maybe', 'Read'], 'member')).code, 2);
	assert.equal((await run(['rule', 'try', '{nonsense'], 'member')).code, 2);
	assert.equal((await run(['rule', 'list'])).code, 4);
});

test('the policy is shown and its mode changed', async () => {
	assert.equal(JSON.parse((await run(['policy', '--json'], 'member')).stdout).mode, 'selective');
	assert.equal((await run(['policy', '--mode', 'manual'], 'member')).code, 4);
	const now = await run(['policy', '--mode', 'manual', '--json'], 'admin');
	assert.equal(JSON.parse(now.stdout).mode, 'manual');
	assert.equal((await run(['policy', '--mode', 'selective'], 'admin')).code, 0);
});
