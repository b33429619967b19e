// `parley hook claude`: events as Claude Code writes them on stdin, decisions as it reads them.
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

async function hook(input, flags = [], env = {}) {
	const run = await server.run(['hook', 'claude', ...flags], {
		input: typeof input === 'string' ? input : JSON.stringify(input),
		env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent, ...env },
	});
	return { ...run, decision: run.stdout ? JSON.parse(run.stdout).hookSpecificOutput : null };
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
	assert.equal(again.decision.permissionDecision, 'ask');
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

test('what nobody decides in time is put off, and taken up with the same ask', async () => {
	const e = bash('make release');
	const first = await hook(e, ['--wait', '0s']);
	assert.equal(first.decision.permissionDecision, 'defer');
	const ask = await byCall(e);
	assert.match(first.decision.permissionDecisionReason, new RegExp(ask.id));
	await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' });
	const second = await hook(e, ['--wait', '0s']);
	assert.equal(second.decision.permissionDecision, 'allow');
	for (const then of ['ask', 'deny']) {
		const late = await hook(bash('make x'), ['--wait', '0s', '--then', then]);
		assert.equal(late.decision.permissionDecision, then);
	}
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

test('rules decide without a server', async () => {
	const nowhere = { PARLEY_URL: 'http://127.0.0.1:9' };
	const rules = ['--allow', 'Read,Bash(git *)', '--deny', 'Bash(sudo *)', '--ask-only', 'Bash(git push*)'];
	const said = async (e) => (await hook(e, rules, nowhere)).decision?.permissionDecision;
	assert.equal(await said(event('Read', { file_path: '/etc/passwd' })), 'allow');
	assert.equal(await said(bash('git status')), 'allow');
	assert.equal(await said(bash('git status && sudo reboot')), 'deny');
	assert.equal(await said(event('Write', { file_path: '/a', content: '' })), undefined);
	// The one that would be asked: nobody is there to ask.
	const ask = await hook(bash('git push'), rules, nowhere);
	assert.equal(ask.decision.permissionDecision, 'ask');
	assert.match(ask.decision.permissionDecisionReason, /Parley could not be asked/);
});

test('a server that refuses us leaves the decision to the person there', async () => {
	const { code, decision } = await hook(bash('ls'), [], { PARLEY_TOKEN: 'prl_wrong' });
	assert.equal(code, 0);
	assert.equal(decision.permissionDecision, 'ask');
});

test('what is no event is blocked', async () => {
	for (const input of ['', 'nonsense', '{}', JSON.stringify(bash('x', { hook_event_name: 'Stop' })),
		JSON.stringify(bash('x', { tool_input: 'x' }))]) {
		const { code, stdout } = await hook(input);
		assert.equal(code, 2, input);
		assert.equal(stdout, '');
	}
	assert.equal((await hook(bash('x'), ['--then', 'allow'])).code, 2);
});
