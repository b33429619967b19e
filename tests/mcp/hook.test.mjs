// `parley hook AGENT`: events as the agents write them on stdin, decisions as they read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useServer } from '../api/lib/server.mjs';

const server = await useServer();
const { member, agent } = server;

let calls = 0;
const event = (tool_name, tool_input, more = {}) => ({
	session_id: '0f0e7a4c-6d5b-4e7f-9a1b-2c3d4e5f6071', transcript_path: '/home/ada/t.jsonl',
	cwd: '/home/ada/shop', prompt_id: 'p', permission_mode: 'default', effort: { level: 'high' },
	hook_event_name: 'PreToolUse', tool_name, tool_input, tool_use_id: `toolu_${++calls}`, ...more,
});
const bash = (command, more) => event('Bash', { command, description: 'As told' }, more);

async function hook(input, flags = [], env = {}, name = 'claude') {
	const run = await server.run(['hook', name, ...flags], {
		input: typeof input === 'string' ? input : JSON.stringify(input),
		env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent, ...env },
	});
	const said = run.stdout ? JSON.parse(run.stdout) : null;
	return { ...run, said, decision: said?.hookSpecificOutput ?? null };
}

const asked = (what) => until(async () => {
	const { items } = (await member.get('/v1/asks')).body;
	return items.find(what);
}, 'the ask');
const byCall = (e) => asked((ask) => ask.context.tool_use_id === e.tool_use_id);

async function decide(e, answer, flags) {
	const waiting = hook(e, flags);
	const ask = await byCall(e);
	assert.equal((await member.post(`/v1/asks/${ask.id}/answer`, { answer })).status, 200);
	return { ask, ...(await waiting) };
}

test('an approved call is allowed, and its approval is used up', async () => {
	const e = bash('make deploy');
	const { code, decision, ask } = await decide(e, 'approve');
	assert.equal(code, 0);
	assert.equal(decision.hookEventName, 'PreToolUse');
	assert.equal(decision.permissionDecision, 'allow');
	assert.equal('updatedInput' in decision, false);
	assert.equal(ask.kind, 'approval');
	assert.deepEqual(ask.operation.arguments, e.tool_input);
	const session = (await agent.get(`/v1/sessions/${ask.session}`)).body;
	assert.equal(session.external_id, e.session_id);
	const used = await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });
	assert.equal(used.status, 409);
	// The same call once more: what was approved runs once.
	const again = await hook(e);
	assert.equal(again.decision.permissionDecision, 'deny');
});

test('a rejected call is denied, with the reason for the model', async () => {
	const { decision } = await decide(bash('rm -r /srv'), { value: 'reject', text: 'Not on a Friday' });
	assert.equal(decision.permissionDecision, 'deny');
	assert.match(decision.permissionDecisionReason, /Not on a Friday/);
});

test('edited input goes back', async () => {
	const e = bash('git push --force');
	const { decision } = await decide(e,
		{ value: 'approve', arguments: { command: 'git push', description: 'As told' } });
	assert.equal(decision.permissionDecision, 'allow');
	assert.deepEqual(decision.updatedInput, { command: 'git push', description: 'As told' });
});

test('what nobody decides in time does not run, and is withdrawn', async () => {
	const e = bash('make release');
	const { decision } = await hook(e, ['--wait', '0s']);
	assert.equal(decision.permissionDecision, 'deny');
	assert.match(decision.permissionDecisionReason, /Nobody decided in time/);
	const { items } = (await member.get('/v1/asks?status=cancelled')).body;
	assert.ok(items.some((ask) => ask.context.tool_use_id === e.tool_use_id));
	const late = await hook(bash('make x'), ['--wait', '0s', '--then', 'ask']);
	assert.equal(late.decision.permissionDecision, 'ask');
});

test('--then defer puts it off, and it is taken up with the same ask', async () => {
	const e = bash('make later');
	const defer = ['--wait', '0s', '--then', 'defer'];
	const first = await hook(e, defer);
	assert.equal(first.decision.permissionDecision, 'defer');
	const ask = await byCall(e);
	assert.match(first.decision.permissionDecisionReason, new RegExp(ask.id));
	await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' });
	const second = await hook(e, defer);
	assert.equal(second.decision.permissionDecision, 'allow');
});

test('the questions of AskUserQuestion are answered', async () => {
	const questions = [{ question: 'Which database?', header: 'Database', multiSelect: false,
		options: [{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }];
	const waiting = hook(event('AskUserQuestion', { questions }));
	const ask = await asked(({ questions: [q] }) => q.text === 'Which database?');
	await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'PostgreSQL' });
	const { decision } = await waiting;
	assert.equal(decision.permissionDecision, 'allow');
	assert.deepEqual(decision.updatedInput.questions, questions);
	assert.deepEqual(decision.updatedInput.answers, { 'Which database?': 'PostgreSQL' });

	const skipped = hook(event('AskUserQuestion', { questions }));
	const other = await asked(({ questions: [q] }) => q.text === 'Which database?');
	await member.post(`/v1/asks/${other.id}/skip`, { reason: 'Later' });
	assert.equal((await skipped).decision.permissionDecision, 'deny');
});

test('the rules of the command line, with a server and without', async () => {
	const nowhere = { PARLEY_URL: 'http://127.0.0.1:9' };
	const rules = ['--allow', 'Read,Bash(git *)', '--deny', 'Bash(sudo *)', '--ask-only', 'Bash(git push*)'];
	const said = async (e, where) => (await hook(e, rules, where)).decision?.permissionDecision;
	assert.equal(await said(event('Read', { file_path: '/etc/passwd' })), 'allow');
	assert.equal(await said(bash('git status')), 'allow');
	assert.equal(await said(bash('git status && sudo reboot')), 'deny');
	assert.equal(await said(event('Write', { file_path: '/a', content: '' })), undefined);
	// Without a server nobody can say that it is not stopped or denied there. A deny needs nobody.
	assert.equal(await said(bash('git status'), nowhere), 'deny');
	assert.equal(await said(bash('sudo reboot'), nowhere), 'deny');
	const ask = await hook(bash('git push'), rules, nowhere);
	assert.equal(ask.decision.permissionDecision, 'deny');
	assert.match(ask.decision.permissionDecisionReason, /Parley could not be asked/);
});

test('a server that refuses us is a no', async () => {
	const { code, decision } = await hook(bash('ls'), [], { PARLEY_TOKEN: 'prl_wrong' });
	assert.equal(code, 0);
	assert.equal(decision.permissionDecision, 'deny');
});

test('what is no event is blocked', async () => {
	for (const input of ['', 'nonsense', '{}', JSON.stringify(bash('x', { hook_event_name: 'Stop' })),
		JSON.stringify(bash('x', { tool_input: 'x' }))]) {
		const { code, stdout } = await hook(input);
		assert.equal(code, 2, input);
		assert.equal(stdout, '');
	}
	assert.equal((await hook(bash('x'), ['--then', 'allow'])).code, 2);
	assert.equal((await hook(bash('x'), [], {}, 'emacs')).code, 2);
});

// ---- every agent: what it sent when it was run ----

const session = '01a1e056-c16e-7d62-bf82-76b93ca7e588';
const path = (folder) => `/home/ada/${folder}/sessions/${session}.jsonl`;
const common = (folder) => ({ session_id: session, transcript_path: path(folder), cwd: '/home/ada/shop' });
const EVENTS = {
	claude: (command) => ({ ...common('.claude'), prompt_id: 'p', permission_mode: 'default', effort: { level: 'medium' },
		hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command, description: 'As told' }, tool_use_id: `toolu_${++calls}` }),
	codex: (command) => ({ ...common('.codex'), turn_id: session, hook_event_name: 'PreToolUse', model: 'm',
		permission_mode: 'bypassPermissions', tool_name: 'Bash', tool_input: { command }, tool_use_id: `call_${++calls}` }),
	gemini: (command) => ({ ...common('.gemini'), hook_event_name: 'BeforeTool', timestamp: '2026-11-15T17:52:27.343Z',
		tool_name: 'run_shell_command', tool_input: { command, description: 'As told' } }),
	qwen: (command) => ({ ...common('.qwen'), hook_event_name: 'PreToolUse', timestamp: '2026-11-15T17:52:32.144Z',
		permission_mode: 'yolo', prompt_id: 'p', tool_name: 'run_shell_command', tool_input: { command, is_background: false },
		tool_use_id: `toolu_${++calls}`, tool_call_id: `call_${calls}` }),
	copilot: (command) => ({ sessionId: session, timestamp: 1794765156872, cwd: '/home/ada/shop', toolName: 'bash',
		toolArgs: { command, description: 'As told', mode: 'sync' } }),
	droid: (command) => ({ ...common('.factory'), permission_mode: 'auto-high', hook_event_name: 'PreToolUse',
		tool_name: 'Execute', tool_input: { command, riskLevel: { value: 'low', reason: 'test' } } }),
};
const claudeLike = { allow: (said) => said.hookSpecificOutput.permissionDecision === 'allow',
	deny: (said) => said.hookSpecificOutput.permissionDecision === 'deny' && said.hookSpecificOutput.permissionDecisionReason,
	edited: (said) => said.hookSpecificOutput.permissionDecision === 'allow' && said.hookSpecificOutput.updatedInput };
const SAYS = {
	claude: claudeLike, droid: claudeLike, qwen: { ...claudeLike, edited: null },
	codex: { ...claudeLike, allow: (said) => said === null },
	copilot: { allow: (said) => said.permissionDecision === 'allow', edited: (said) => said.permissionDecision === 'allow' && said.modifiedArgs,
		deny: (said) => said.permissionDecision === 'deny' && said.permissionDecisionReason },
	gemini: { allow: (said) => said.decision === 'allow', edited: (said) => said.decision === 'allow' && said.hookSpecificOutput.tool_input,
		deny: (said) => said.decision === 'deny' && said.reason },
};
const decided = async (name, event, command, answer) => {
	const waiting = hook(event, [], {}, name);
	const ask = await asked((one) => one.operation?.arguments?.command === command);
	assert.equal((await member.post(`/v1/asks/${ask.id}/answer`, { answer })).status, 200);
	return { ask, ...(await waiting) };
};

for (const [name, make] of Object.entries(EVENTS)) {
	test(`${name}: yes, no, an edit, silence and no server, in its own shape`, async () => {
		const says = SAYS[name];
		const yes = await decided(name, make(`${name} yes`), `${name} yes`, 'approve');
		assert.ok(says.allow(yes.said), yes.stdout);
		const no = await decided(name, make(`${name} no`), `${name} no`, { value: 'reject', text: 'Not today' });
		assert.match(says.deny(no.said), /Not today/);
		const event = make(`${name} edit`);
		const edited = { ...(event.tool_input ?? event.toolArgs), command: 'better' };
		const edit = await decided(name, event, `${name} edit`, { value: 'approve', arguments: edited });
		if (says.edited) assert.deepEqual(says.edited(edit.said), edited);
		else assert.match(says.deny(edit.said), /cannot take an edit/);
		assert.ok(says.deny((await hook(make('silence'), ['--wait', '0s'], {}, name)).said));
		assert.ok(says.deny((await hook(make('away'), [], { PARLEY_URL: 'http://127.0.0.1:9' }, name)).said));
	});

	test(`${name}: its hook refuses the events of the others`, async () => {
		for (const [other, alien] of Object.entries(EVENTS)) {
			if (other === name) continue;
			const { code, stdout } = await hook(alien('x'), ['--wait', '0s'], {}, name);
			assert.equal(code, 2, other);
			assert.equal(stdout, '');
		}
	});

	test(`${name}: asking needs no approval; a tool that is only called alike does`, async () => {
		const prefix = { gemini: 'mcp_parley_', copilot: 'parley-', droid: 'parley___' }[name] ?? 'mcp__parley__';
		const as = (tool) => {
			const event = make('x');
			return { ...event, ...(name === 'copilot' ? { toolName: tool } : { tool_name: tool }) };
		};
		const nowhere = { PARLEY_URL: 'http://127.0.0.1:9' };
		assert.ok(SAYS[name].allow((await hook(as(`${prefix}ask_user_question`), [], nowhere, name)).said));
		assert.ok(SAYS[name].deny((await hook(as(`${prefix}run`), [], nowhere, name)).said));
	});
}

test('an edit that takes something away is a no where edits are merged', async () => {
	const { said } = await decided('gemini', EVENTS.gemini('with more'), 'with more',
		{ value: 'approve', arguments: { command: 'with less' } });
	assert.equal(said.decision, 'deny');
});

test('defer and ask are for who has them', async () => {
	for (const name of ['codex', 'gemini', 'qwen', 'copilot', 'droid']) {
		for (const then of ['ask', 'defer']) {
			assert.equal((await hook(EVENTS[name]('x'), ['--then', then], {}, name)).code, 2);
		}
	}
});
