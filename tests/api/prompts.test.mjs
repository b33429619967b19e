// Prompts that are open in a terminal, too: `parley hook AGENT --prompts` with events as Claude Code and
// Codex write them, the dialect acp, and plans.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, until, useServer } from './lib/server.mjs';

const server = await useServer();
const { member, admin, agent } = server;
const SESSION = '0f0e7a4c-6d5b-4e7f-9a1b-2c3d4e5f6071';
const common = { session_id: SESSION, transcript_path: '/home/ada/t.jsonl', cwd: '/home/ada/shop' };
const event = (hook_event_name, tool_name, tool_input) =>
	({ ...common, permission_mode: 'default', hook_event_name, tool_name, tool_input });
const prompt = (command) => event('PermissionRequest', 'Bash', { command, description: 'As told' });
const ran = (of, name = 'PostToolUse') => ({ ...of, hook_event_name: name, tool_response: {}, tool_use_id: 'toolu_1' });

/** The hook, started: → its process, and how it ends. */
function start(input, flags = [], name = 'claude', env = {}) {
	const child = spawn(BIN, ['hook', name, '--prompts', ...flags], {
		env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent, ...env } });
	let [stdout, stderr] = ['', ''];
	child.stdout.on('data', (bytes) => { stdout += bytes; });
	child.stderr.on('data', (bytes) => { stderr += bytes; });
	child.stdin.on('error', () => {}); // it does not read on when its flags are wrong
	child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
	child.ended = new Promise((resolve) => {
		child.on('close', (code) => resolve({ code, stdout, stderr, decision: stdout
			? JSON.parse(stdout).hookSpecificOutput.decision : null }));
	});
	return child;
}
const hook = (...args) => start(...args).ended;
const asked = (what) => until(async () => (await member.get('/v1/asks')).body.items.find(what), 'the ask');
const ofCommand = (command) => asked((ask) => ask.operation?.arguments.command === command);
const state = async (id) => (await member.get(`/v1/asks/${id}`)).body;
const settled = (id, status) => until(async () => {
	const ask = await state(id);
	return ask.status === status && ask;
}, `${id} is ${status}`);
const answer = async (id, value) =>
	assert.equal((await member.post(`/v1/asks/${id}/answer`, { answer: value })).status, 200);
async function decided(command, value, ...how) {
	const running = start(prompt(command), ...how);
	const ask = await ofCommand(command);
	await answer(ask.id, value);
	return { ask, ...(await running.ended) };
}

test('approved at the desk: allowed, and used up first', async () => {
	const { ask, code, stdout } = await decided('make deploy', 'approve');
	assert.equal(code, 0);
	assert.deepEqual(JSON.parse(stdout), { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } });
	assert.equal(ask.context.beside, 'terminal');
	const wait = Date.parse(ask.expires_at) - Date.parse(ask.created_at);
	assert.ok(Math.abs(wait - 600_000) < 2000, `${wait}`);
	assert.ok((await state(ask.id)).used_at);
});

test('rejected, edited, skipped', async () => {
	const no = await decided('rm -r /srv', { value: 'reject', text: 'Not on a Friday' });
	assert.deepEqual(no.decision, { behavior: 'deny', message: 'Not on a Friday' });
	const edit = { value: 'approve', arguments: { command: 'git push' } };
	const claude = await decided('git push --force', edit);
	assert.deepEqual(claude.decision, { behavior: 'allow', updatedInput: { command: 'git push' } });
	const codex = await decided('git push -f', edit, [], 'codex');
	assert.equal(codex.decision.behavior, 'deny');
	assert.match(codex.decision.message, /a person changed it to \{"command":"git push"\}: call that/);
	assert.ok(Math.abs(Date.parse(codex.ask.expires_at) - Date.parse(codex.ask.created_at) - 30_000) < 2000);
	const running = start(prompt('make skip'));
	await member.post(`/v1/asks/${(await ofCommand('make skip')).id}/skip`, {});
	const skipped = await running.ended;
	assert.deepEqual([skipped.code, skipped.stdout], [0, '']);
	assert.match(skipped.stderr, /^[^\n]+\n$/);
});

test('rules decide, the mode never; a stop denies; a local --deny denies', async () => {
	const rule = async (effect, command) => (await admin.post('/v1/rules',
		{ effect, note: `${effect} it`, match: { tool: [`Bash(${command})`] } })).body.id;
	await rule('allow', 'npm test');
	await rule('deny', 'npm publish');
	assert.deepEqual((await hook(prompt('npm test'))).decision, { behavior: 'allow' });
	assert.deepEqual((await hook(prompt('npm publish'))).decision, { behavior: 'deny', message: 'deny it' });
	const { version } = (await admin.get('/v1/policy')).body;
	await admin.put('/v1/policy', { version, mode: 'auto' });
	const running = start(prompt('ls -l'));
	const ask = await ofCommand('ls -l');
	running.kill('SIGTERM');
	await running.ended;
	assert.equal((await settled(ask.id, 'cancelled')).reason, 'decided in the terminal');
	const stop = (await member.post('/v1/stops', { reason: 'Lunch' })).body;
	const stopped = await hook(prompt('ls -a'));
	assert.equal(stopped.decision.behavior, 'deny');
	assert.match(stopped.decision.message, /Lunch/);
	await member.delete(`/v1/stops/${stop.id}`);
	assert.equal((await hook(prompt('sudo reboot'), ['--deny', 'Bash(sudo *)'])).decision.behavior, 'deny');
});

test('AskUserQuestion is a question, answered while the form is open', async () => {
	const questions = [{ question: 'Which database?', header: 'Database', multiSelect: false,
		options: [{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }];
	const form = event('PermissionRequest', 'AskUserQuestion', { questions });
	const running = start(form);
	const ask = await asked((one) => one.questions[0].text === 'Which database?');
	assert.equal(ask.kind, 'blocking');
	assert.equal(ask.context.beside, 'terminal');
	await answer(ask.id, 'PostgreSQL');
	assert.deepEqual((await running.ended).decision,
		{ behavior: 'allow', updatedInput: { questions, answers: { 'Which database?': 'PostgreSQL' } } });
	// Answered in the terminal: the agent tells with what was answered.
	const second = start(form);
	const other = await asked((one) => one.questions[0].text === 'Which database?');
	const told = await hook(ran(event('', 'AskUserQuestion', { questions, answers: { 'Which database?': 'SQLite' } })));
	assert.deepEqual([told.code, told.stdout], [0, '']);
	assert.equal((await settled(other.id, 'cancelled')).reason, 'decided in the terminal');
	assert.equal((await second.ended).stdout, '');
});

test('the first answer wins: the terminal says no, says yes, ends, is closed', async () => {
	const no = start(prompt('terminal no'));
	const first = await ofCommand('terminal no');
	no.kill('SIGTERM');
	assert.equal((await no.ended).stdout, '');
	assert.equal((await settled(first.id, 'cancelled')).reason, 'decided in the terminal');

	for (const name of ['PostToolUse', 'PostToolUseFailure']) {
		const yes = start(prompt(`terminal ${name}`));
		const second = await ofCommand(`terminal ${name}`);
		// The same members in another order; another session's call is another call.
		await hook({ ...ran(prompt(`terminal ${name}`)), session_id: 'another' });
		const began = Date.now();
		const told = await hook({ ...ran(prompt(`terminal ${name}`), name),
			tool_input: { description: 'As told', command: `terminal ${name}` } });
		assert.deepEqual([told.code, told.stdout, told.stderr], [0, '', '']);
		assert.equal((await settled(second.id, 'cancelled')).reason, 'decided in the terminal');
		assert.ok(Date.now() - began < 5000);
		assert.equal((await yes.ended).stdout, '');
	}

	const gone = start(prompt('agent dies'));
	const third = await ofCommand('agent dies');
	gone.stdout.destroy();
	assert.equal((await settled(third.id, 'cancelled')).reason, 'the agent ended');

	for (const name of ['Stop', 'SessionEnd']) {
		const waiting = [start(prompt(`${name} 1`)), start(prompt(`${name} 2`))];
		const open = [await ofCommand(`${name} 1`), await ofCommand(`${name} 2`)];
		await hook({ ...common, hook_event_name: name });
		for (const { id } of open) assert.equal((await settled(id, 'cancelled')).reason, 'the agent ended');
		for (const one of waiting) assert.equal((await one.ended).stdout, '');
	}
});

test('one that was asked, and whose hook ends before it knows, is withdrawn', async () => {
	/* The desk, whose reply to the first ask is late. */
	let late = true;
	const desk = createServer((request, response) => {
		const { url: path, method, headers } = request;
		const slow = late && method === 'POST' && path.includes('/asks?');
		if (slow) late = false;
		request.pipe(forward({ host: '127.0.0.1', port: server.port, path, method, headers: { ...headers, host: server.address } }, (reply) => {
			if (slow) return;
			response.writeHead(reply.statusCode, reply.headers);
			reply.pipe(response);
		}));
	});
	desk.listen(0, '127.0.0.1');
	await once(desk, 'listening');
	const hung = start(prompt('late reply'), [], 'claude', { PARLEY_URL: `http://127.0.0.1:${desk.address().port}` });
	const { id } = await ofCommand('late reply');
	hung.kill('SIGTERM');
	assert.equal((await settled(id, 'cancelled')).reason, 'decided in the terminal');
	assert.equal((await hung.ended).stdout, '');
	desk.closeAllConnections();
	desk.close();
});

test('rejected or skipped here, and it ran all the same: overtaken', async () => {
	const { ask } = await decided('both at once', 'reject');
	assert.equal((await state(ask.id)).overtaken, null);
	await hook(ran(prompt('both at once')));
	const { overtaken, status } = await until(async () => {
		const now = await state(ask.id);
		return now.overtaken && now;
	}, 'overtaken');
	assert.equal(status, 'answered');
	assert.equal(overtaken.by, 'terminal');
	const { items } = (await admin.get('/v1/events?format=json&after=0&types=ask.overtaken')).body;
	assert.deepEqual(items.map((one) => [one.ask, one.at, one.data.by]), [[ask.id, overtaken.at, 'terminal']]);
	// Asked anew and approved: what was rejected before is not overtaken a second time.
	const again = await decided('both at once', 'approve');
	await hook(ran(prompt('both at once')));
	const closed = (await agent.post('/v1/prompts/closed', { session: SESSION })).body;
	assert.deepEqual(closed, { cancelled: [], overtaken: [] });
	assert.equal((await state(again.ask.id)).overtaken, null);
});

test('whatever fails is left to the terminal: nothing on stdout, status 0', async () => {
	const nothing = async (...args) => {
		const { code, stdout, stderr } = await hook(...args);
		assert.deepEqual([code, stdout], [0, ''], JSON.stringify(args));
		assert.match(stderr, /^[^\n]+\n$/);
	};
	await nothing(prompt('nobody home'), [], 'claude', { PARLEY_URL: 'http://127.0.0.1:9' });
	await nothing(prompt('who are you'), [], 'claude', { PARLEY_TOKEN: 'prl_wrong' });
	for (const input of ['', 'nonsense', '{}', event('PreToolUse', 'Bash', {}), event('PermissionRequest', 'Bash', 'x')])
		await nothing(input);
	await nothing(prompt('x'), ['--wait', 'long']);
	await nothing(prompt('x'), [], 'gemini');
	await nothing(event('PermissionRequest', 'ExitPlanMode', {}));
	// Nobody decides: the ask ends by itself.
	const waiting = hook(prompt('nobody decides'), ['--wait', '1s']);
	const { id } = await ofCommand('nobody decides');
	const late = await waiting;
	assert.deepEqual([late.code, late.stdout], [0, '']);
	await settled(id, 'expired');
	// Taken back before it was used; no longer the same call.
	const running = start(prompt('taken back'));
	const ask = await ofCommand('taken back');
	running.kill('SIGSTOP');
	await answer(ask.id, 'approve');
	assert.equal((await member.post(`/v1/asks/${ask.id}/revoke`, {})).status, 200);
	running.kill('SIGCONT');
	const end = await running.ended;
	assert.equal(end.code, 0);
	assert.notEqual(end.decision?.behavior, 'allow');
});

// ---- plans, and the Agent Client Protocol ----

test('a plan is approved by a person alone, once, with its whole text', async () => {
	await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['plan'], risk: { max: 'high' } } });
	const plan = `# Plan\n\n${'Do this, then that.\n'.repeat(50)}`;
	const running = start(event('PermissionRequest', 'ExitPlanMode', { plan, planFilePath: '/p.md' }));
	const ask = await asked((one) => one.operation?.type === 'plan');
	assert.deepEqual([ask.operation.name, ask.risk, ask.status], ['plan', 'high', 'pending']);
	assert.deepEqual(ask.operation.arguments, { plan, planFilePath: '/p.md' });
	assert.equal(ask.context.preview, plan);
	const scoped = await admin.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve', scope: { for: '15m' } });
	assert.equal(scoped.status, 422);
	await answer(ask.id, 'approve');
	assert.deepEqual((await running.ended).decision, { behavior: 'allow' });
	assert.equal((await agent.post('/v1/decide', { operation: { type: 'plan', name: 'plan', arguments: { plan } } })).body.effect, 'ask');
});

const option = (optionId, kind) => ({ optionId, kind, name: optionId });
const acp = async (options, call = {}) => (await agent.post('/v1/asks?dialect=acp', { sessionId: 's',
	toolCall: { toolCallId: 'c', title: 'Run', rawInput: { at: Math.random() }, ...call }, options })).body;
const outcome = async (id) => (await agent.get(`/v1/asks/${id}?dialect=acp`)).body.reply;
const selected = async (id) => (await outcome(id)).outcome.optionId;

test('acp goes by kind and order', async () => {
	const options = [option('forever', 'allow_always'), option('go', 'allow_once'), option('go2', 'allow_once'),
		option('never', 'reject_always'), option('no', 'reject_once'), option('no2', 'reject_once')];
	const settle = async (verb, body, given = options) => {
		const ask = await acp(given);
		const { status } = await (verb === 'cancel' ? agent : member).post(`/v1/asks/${ask.id}/${verb}`, body);
		assert.equal(status, 200);
		return selected(ask.id);
	};
	const approve = (chosen) => settle('answer', { answers: { decision: 'approve', ...(chosen ? { option: chosen } : {}) } });
	assert.equal(await approve(), 'go');
	assert.equal(await approve('go2'), 'go2');
	assert.equal(await settle('answer', { answers: { decision: 'reject', option: 'never' } }), 'no');
	assert.equal(await settle('skip', {}), 'no');
	assert.equal(await settle('cancel', {}), 'no');
	// One that lasts becomes a rule of ours, and is told as the one for once.
	const before = (await admin.get('/v1/rules')).body.items.length;
	assert.equal(await approve('forever'), 'go');
	assert.equal((await admin.get('/v1/rules')).body.items.length, before + 1);
	// Nothing for once: nobody can approve. No way to say no: cancelled.
	const only = await acp([option('forever', 'allow_always'), option('no', 'reject_once')]);
	assert.equal((await member.post(`/v1/asks/${only.id}/answer`, { answers: { decision: 'approve' } })).status, 422);
	await member.post(`/v1/asks/${only.id}/skip`, {});
	assert.equal(await selected(only.id), 'no');
	const rude = await acp([option('go', 'allow_once')]);
	await member.post(`/v1/asks/${rude.id}/answer`, { answers: { decision: { value: 'reject', text: 'No' } } });
	const reply = await outcome(rude.id);
	assert.deepEqual(reply.outcome, { outcome: 'cancelled' });
	assert.equal(reply._meta['parley/message'], 'No');
	const gone = await acp(options);
	await agent.post(`/v1/sessions/${gone.session}/cancel`, {});
	assert.deepEqual((await outcome(gone.id)).outcome, { outcome: 'cancelled' });
});

test('acp: leaving plan mode is a plan, without what lasts', async () => {
	const options = [option('bypass', 'allow_always'), option('edits', 'allow_always'), option('yes', 'allow_once'), option('no', 'reject_once')];
	const ask = await acp(options, { kind: 'switch_mode', title: 'Ready to code?', rawInput: { plan: 'Do it.' } });
	assert.deepEqual(ask.operation, { type: 'plan', name: 'plan', arguments: { plan: 'Do it.' }, risk: 'high' });
	assert.equal(ask.context.preview, 'Do it.');
	assert.deepEqual(ask.questions.map(({ key }) => key), ['decision']);
	await answer(ask.id, 'approve');
	assert.equal(await selected(ask.id), 'yes');
	const shown = await acp(options, { kind: 'switch_mode', rawInput: {}, content: [{ type: 'content', content: { type: 'text', text: 'As shown.' } }] });
	assert.equal(shown.operation.arguments.plan, 'As shown.');
	const empty = await agent.post('/v1/asks?dialect=acp', { toolCall: { kind: 'switch_mode', rawInput: {} }, options });
	assert.equal(empty.status, 422);
});

// ---- connect ----

test('connect --hook prompts, and one replaces the other', async () => {
	const env = { HOME: join(server.home, 'person'), CODEX_HOME: '' };
	const settings = () => JSON.parse(readFileSync(join(env.HOME, '.claude/settings.json'), 'utf8'));
	const connect = async (...flags) => {
		const { code, stderr } = await server.run(['connect', ...flags, '--no-test'], { env });
		assert.equal(code, 0, stderr);
	};
	await connect('claude', '--hook', 'prompts');
	const names = ['PermissionRequest', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SessionEnd'];
	assert.deepEqual(Object.keys(settings().hooks), names);
	for (const name of names) assert.match(settings().hooks[name][0].hooks[0].command, / hook claude .*--prompts$/);
	assert.equal(settings().hooks.PermissionRequest[0].hooks[0].timeout, 660);
	await connect('claude', '--hook');
	assert.deepEqual(Object.keys(settings().hooks), ['PreToolUse']);
	await connect('claude', '--hook=prompts');
	assert.deepEqual(Object.keys(settings().hooks), names);
	await connect('codex', '--hook', 'prompts');
	const codex = (name) => readFileSync(join(env.HOME, '.codex', name), 'utf8');
	assert.deepEqual(Object.keys(JSON.parse(codex('hooks.json')).hooks), ['PermissionRequest']);
	assert.match(codex('config.toml'), /:permission_request:0:0/);
	assert.match(codex('config.toml'), /trusted_hash = "sha256:[0-9a-f]{64}"/);
	await connect('codex', '--hook', 'calls');
	assert.doesNotMatch(codex('config.toml'), /permission_request/);
	await connect('claude', 'codex', '--remove');
	assert.equal((await server.run(['connect', 'gemini', '--hook', 'prompts'], { env })).code, 2);
});
