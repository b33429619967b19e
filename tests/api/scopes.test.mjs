// Scopes: a yes that holds for longer makes a rule, never wider than the person may go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointers } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, stranger, member, admin } = server;

const bash = (command, extra = {}) => ({ kind: 'approval',
	operation: { type: 'tool', name: 'Bash', arguments: { command }, ...extra.operation }, ...(({ operation, ...rest }) => rest)(extra) });
const approve = (ask, scope, who = member, value = 'approve') =>
	who.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: value }, scope });
const rule = async (id) => (await member.get(`/v1/rules/${id}`)).body;
let n = 0;
const fresh = () => `cmd-${++n} run`;
const ended = async (reply) => admin.delete(`/v1/rules/${reply.body.rule}`);

test('an ask says that its session was made for it, and ends with it; a rule for that session is not refused', async () => {
	const own = await agent.ask(bash('alone'));
	const listed = async (id) => (await member.get('/v1/asks')).body.items.find((one) => one.id === id);
	for (const shown of [own, await listed(own.id), (await member.get(`/v1/asks/${own.id}`)).body]) assert.equal(shown.own_session, true);
	const { id: session } = await agent.session({ title: 'Build', parallel: true });
	const other = await agent.ask(bash('beside others', { session }));
	for (const shown of [other, await listed(other.id)]) assert.equal(shown.own_session, undefined);
	const reply = await approve(own, { for: 'session' });
	assert.deepEqual([reply.status, reply.body.ask.own_session], [200, undefined], reply.text);
	assert.equal((await member.get(`/v1/rules/${reply.body.rule}`)).body.ended.why, 'session');
	await approve(other);
});

test('once makes no rule, and is what is meant without a scope', async () => {
	for (const scope of [undefined, null, {}, { for: 'once' }, { for: 'once', what: 'same' }]) {
		const reply = await approve(await agent.ask(bash('once')), scope);
		assert.deepEqual([reply.status, reply.body.rule], [200, undefined]);
	}
	assert.equal((await agent.ask(bash('once'))).status, 'pending');
});

test('the same call for a time: bound to agent and project, named in the reply', async () => {
	const command = fresh();
	const ask = await agent.ask(bash(command));
	const reply = await approve(ask, { for: '15m' });
	assert.equal(reply.status, 200);
	const made = await rule(reply.body.rule);
	assert.deepEqual([made.effect, made.made_from.ask, made.made_by.name, made.match.agent, made.match.project],
		['allow', ask.id, 'mia', 'builder', null]);
	assert.equal(Date.parse(made.expires_at) - Date.parse(made.created_at), 15 * 60e3);
	assert.equal((await agent.ask(bash(command))).answered_by.rule, made.id);
	assert.equal((await agent.ask(bash(`${command} -x`))).status, 'pending');
	assert.equal((await stranger.ask(bash(command))).status, 'pending');
	const session = (await agent.session({ project: 'web' })).id;
	assert.equal((await agent.ask(bash(command, { session }))).status, 'pending');
	await ended(reply);
});

test('a rule made from an answer keeps the call, and decides by its name', async () => {
	const [command, long] = [fresh(), `echo ${'é'.repeat(400)}\nnext`];
	const ask = await agent.ask(bash(command));
	const reply = await approve(ask, { for: '15m' });
	const made = await rule(reply.body.rule);
	assert.deepEqual(made.made_from, { ask: ask.id, tool: 'Bash', subject: command });
	const told = (await admin.get('/v1/events?format=json&after=0&types=rule.made&limit=200')).body.items.find((e) => e.data.rule === made.id);
	assert.deepEqual(told.data.made_from, made.made_from);
	assert.equal((await agent.ask(bash(command))).answered_by.name, `Bash(${command})`, 'what decides has a name');
	await ended(reply);
	const cut = await approve(await agent.ask(bash(long)), { for: '15m' });
	assert.equal((await rule(cut.body.rule)).made_from.subject, `echo ${'é'.repeat(295)}…`);
	await ended(cut);
	const secret = await approve(await agent.ask(bash(command, { sensitive: true })), { for: '15m' });
	assert.deepEqual({ ...(await rule(secret.body.rule)).made_from, ask: '' }, { ask: '', tool: 'Bash', subject: null });
	await ended(secret);
});

test('for the session it holds in that session alone', async () => {
	const command = fresh();
	const session = (await agent.session({ parallel: true, project: 'web' })).id;
	const reply = await approve(await agent.ask(bash(command, { session })), { for: 'session' });
	assert.equal((await rule(reply.body.rule)).match.session, session);
	assert.equal((await agent.ask(bash(command, { session }))).status, 'answered');
	assert.equal((await agent.ask(bash(command))).status, 'pending');
	await ended(reply);
});

test('a pattern must fit this very operation', async () => {
	const ask = await agent.ask(bash('npm test -- a'));
	const wrong = await approve(ask, { for: '15m', what: 'pattern', tool: 'Bash(npm run *)' });
	assert.deepEqual([wrong.status, pointers(wrong)], [422, ['/scope/tool']]);
	for (const tool of ['Bash(:*)', 'Bash(npm', '', undefined]) {
		const bad = await approve(ask, { for: '15m', what: 'pattern', tool });
		assert.deepEqual([bad.status, pointers(bad)], [422, ['/scope/tool']], String(tool));
	}
	assert.equal((await member.read(ask)).status, 'pending');
	const reply = await approve(ask, { for: '15m', what: 'pattern', tool: 'Bash(npm test*)' });
	assert.equal((await agent.ask(bash('npm test -- b'))).status, 'answered');
	assert.equal((await agent.ask(bash('npm test; rm x'))).status, 'pending');
	await ended(reply);
});

test('members reach as far as the policy says, always is an admin\'s', async () => {
	const ask = await agent.ask(bash(fresh()));
	for (const scope of [{ for: 'always' }, { for: '9h' }, { for: '30d' }]) {
		const reply = await approve(ask, scope);
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/scope/for']]);
		assert.match(reply.body.errors[0].detail, /8h/);
	}
	assert.equal((await approve(ask, { for: '8h' })).status, 200);
	const other = await agent.ask(bash(fresh()));
	const always = await approve(other, { for: 'always' }, admin);
	assert.deepEqual([always.status, (await rule(always.body.rule)).expires_at], [200, null]);
	await ended(always);
});

test('high risk: the same call, for as long as the policy says; critical: once', async () => {
	const high = await agent.ask(bash(fresh(), { operation: { risk: 'high' } }));
	for (const scope of [{ for: '2h' }, { for: 'session' }, { for: 'always' }]) {
		const reply = await approve(high, scope, admin);
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/scope/for']], JSON.stringify(scope));
	}
	assert.deepEqual(pointers(await approve(high, { for: '1h', what: 'pattern', tool: 'Bash(cmd-*)' }, admin)), ['/scope/what']);
	const reply = await approve(high, { for: '1h' });
	assert.equal(reply.status, 200);
	assert.equal((await agent.ask(bash(high.operation.arguments.command, { operation: { risk: 'high' } }))).status, 'answered');
	await ended(reply);
	const critical = await agent.ask(bash('sudo reboot'));
	for (const scope of [{ for: '1m' }, { for: 'session' }]) {
		assert.deepEqual(pointers(await approve(critical, scope, admin)), ['/scope/for']);
	}
	assert.equal((await approve(critical, { for: 'once' }, admin)).status, 200);
});

test('an edited call is what the rule is about', async () => {
	const command = fresh();
	const ask = await agent.ask(bash(fresh()));
	const reply = await approve(ask, { for: '15m' }, member, { value: 'approve', arguments: { command } });
	assert.equal(reply.status, 200);
	assert.equal((await agent.ask(bash(command))).status, 'answered');
	assert.equal((await agent.ask(bash(ask.operation.arguments.command))).status, 'pending');
	await ended(reply);
});

test('only the person who approves an operation can do so for longer', async () => {
	const ask = await agent.ask(bash(fresh()));
	assert.deepEqual(pointers(await approve(ask, { for: '15m' }, member, 'reject')), ['/scope']);
	const plain = await agent.ask();
	assert.deepEqual(pointers(await member.post(`/v1/asks/${plain.id}/answer`, { answers: { q1: true }, scope: { for: '15m' } })), ['/scope']);
	for (const [scope, place] of [[{ for: 'soon' }, '/scope/for'], [{ for: '15m', what: 'all' }, '/scope/what'], [[], '/scope'],
		[{ for: '15m', open: 1 }, '/scope/open'], [{ for: '15m', until: 1 }, '/scope'], [{ for: 'once', open: true }, '/scope/for'],
		[{ for: '15m', tool: 'Bash' }, '/scope/tool']]) {
		const reply = await approve(ask, scope);
		assert.deepEqual([reply.status, pointers(reply)], [422, [place]], JSON.stringify(scope));
	}
	assert.equal((await member.read(ask)).status, 'pending');
});

test('open settles the others that it fits, each naming it', async () => {
	const command = fresh();
	const same = [];
	for (let i = 0; i < 3; i++) same.push(await agent.ask(bash(command)));
	const different = await agent.ask(bash(fresh()));
	const critical = await agent.ask(bash(command, { operation: { risk: 'critical' } }));
	const foreign = await stranger.ask(bash(command));
	const first = await agent.ask(bash(command));
	const reply = await approve(first, { for: '15m', open: true });
	assert.deepEqual(reply.body.settled.sort(), same.map((a) => a.id).sort());
	for (const ask of same) {
		const now = await member.read(ask);
		assert.deepEqual([now.status, now.answered_by.kind, now.answered_by.rule, now.approved_digest],
			['answered', 'policy', reply.body.rule, ask.digest]);
		assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 200);
	}
	for (const ask of [different, critical, foreign]) assert.equal((await member.read(ask)).status, 'pending');
	assert.equal((await rule(reply.body.rule)).hits, 3);
	await ended(reply);
});

test('without open the others stay', async () => {
	const command = fresh();
	const other = await agent.ask(bash(command));
	const reply = await approve(await agent.ask(bash(command)), { for: '15m' });
	assert.deepEqual(reply.body.settled, []);
	assert.equal((await member.read(other)).status, 'pending');
	await ended(reply);
});

test('a rule made so does not spread over other agents, and does not become a pattern', async () => {
	const reply = await approve(await agent.ask(bash('ls *')), { for: '15m' });
	assert.equal((await agent.ask(bash('ls *'))).status, 'answered');
	assert.equal((await agent.ask(bash('ls x'))).status, 'pending');
	assert.equal((await stranger.ask(bash('ls *'))).status, 'pending');
	const made = await rule(reply.body.rule);
	assert.equal(made.match.tool, undefined);
	await ended(reply);
	assert.equal((await agent.ask(bash('ls *'))).status, 'pending');
});

const OFFERS = [{ optionId: 'o1', kind: 'allow_once', name: 'Once' }, { optionId: 'a1', kind: 'allow_always', name: 'Just do it' },
	{ optionId: 'r1', kind: 'reject_once', name: 'No' }];
async function foreign(command, chosen, who, dialect = 'acp', request = { toolCall: { title: 'Bash', rawInput: { command } }, options: OFFERS }) {
	const asked = await agent.post(`/v1/asks?dialect=${dialect}`, request);
	assert.equal(asked.status, 201, asked.text);
	const done = await who.post(`/v1/asks/${asked.body.id}/answer`, { answers: { decision: 'approve', ...(chosen && { option: chosen }) } });
	assert.equal(done.status, 200, done.text);
	const { reply } = (await agent.get(`/v1/asks/${asked.body.id}?dialect=${dialect}`)).body;
	const rule = done.body.rule ? (await member.get(`/v1/rules/${done.body.rule}`)).body : null;
	return { ask: asked.body, reply, rule, done: done.body.ask };
}

test('"always" of a foreign prompt is a rule for the same call, never wider', async () => {
	const { ask, reply, rule } = await foreign('npm run fa', 'a1', admin);
	assert.deepEqual(ask.foreign.scopes, { a1: 'always' });
	assert.match(ask.questions[1].options[1].description, /from now on/);
	assert.equal(reply.outcome.optionId, 'o1');
	assert.deepEqual([rule.effect, Object.keys(rule.match).sort(), rule.expires_at, rule.made_from.ask], ['allow', ['agent', 'project', 'same'], null, ask.id]);
	const again = await agent.post('/v1/asks?dialect=acp', ask.foreign.request);
	assert.deepEqual([again.body.status, again.body.answered_by.rule], ['answered', rule.id]);
	assert.equal((await agent.get(`/v1/asks/${again.body.id}?dialect=acp`)).body.reply.outcome.optionId, 'o1');
	await admin.delete(`/v1/rules/${rule.id}`);
});

test('who may not give "always" gives the longest they may, and the reply says once', async () => {
	const { reply, rule, done } = await foreign('npm run fb', 'a1', member);
	assert.equal(reply.outcome.optionId, 'o1');
	assert.deepEqual(done.answer, { decision: { value: 'approve' } });
	const hours = (Date.parse(rule.expires_at) - Date.parse(rule.created_at)) / 3600e3;
	assert.deepEqual([hours, Object.keys(rule.match).sort()], [8, ['agent', 'project', 'same']]);
	const once = await foreign('npm run fc', undefined, admin);
	assert.deepEqual([once.reply.outcome.optionId, once.rule], ['o1', null]);
	await admin.delete(`/v1/rules/${rule.id}`);
});

test('for a session, of high and of critical risk', async () => {
	const codex = (command) => [command, 'acceptForSession', member, 'codex', { command, cwd: '/srv', reason: 'r' }];
	const session = await foreign(...codex('npm run fd'));
	assert.deepEqual([session.reply.decision, session.rule.match.session, session.rule.expires_at], ['acceptForSession', session.ask.session, null]);
	const policy = (await admin.get('/v1/policy')).body;
	const risks = [...policy.risks, { tool: ['Bash(npm high*)'], risk: 'high' }, { tool: ['Bash(npm crit*)'], risk: 'critical' }];
	const { version } = (await admin.put('/v1/policy', { risks, version: policy.version })).body;
	const high = await foreign('npm high', 'a1', admin);
	assert.deepEqual([high.ask.risk, high.reply.outcome.optionId, Date.parse(high.rule.expires_at) - Date.parse(high.rule.created_at)], ['high', 'o1', 3600e3]);
	const critical = await foreign('npm crit', 'a1', admin);
	assert.deepEqual([critical.reply.outcome.optionId, critical.rule], ['o1', null]);
	await admin.put('/v1/policy', { risks: policy.risks, version });
	for (const r of [session.rule, high.rule]) await admin.delete(`/v1/rules/${r.id}`);
});

test('taking an approval back ends the rules that it made, and the agent has to ask again', async () => {
	const session = (await agent.session()).id;
	const operation = { type: 'tool', name: 'Bash', arguments: { command: 'npm publish' } };
	const call = () => agent.ask({ kind: 'approval', session, operation });
	const ask = await call();
	const given = await admin.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' }, scope: { for: '1h' } });
	assert.equal(given.status, 200, given.text);
	assert.equal((await call()).status, 'answered');
	const { as_of } = (await admin.get('/v1/rules')).body;
	const undone = await admin.post(`/v1/asks/${ask.id}/revoke`, {});
	assert.deepEqual([undone.status, undone.body.ended, undone.body.id], [200, [given.body.rule], ask.id]);
	const rule = (await admin.get(`/v1/rules/${given.body.rule}`)).body;
	assert.deepEqual([rule.ended.why, rule.ended.by.name], ['revoked', 'ada']);
	const [event] = (await admin.events(as_of, '&types=rule.ended')).items;
	assert.deepEqual([event.data.rule, event.data.ended.why], [given.body.rule, 'revoked']);
	const used = await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });
	assert.deepEqual([used.status, used.body.type, used.body.detail], [409, '/problems/revoked', 'the approval was revoked: ask again']);
	const again = await call();
	assert.equal(again.status, 'pending');
	await admin.answer(again, { decision: 'approve' });
	assert.deepEqual((await admin.post(`/v1/asks/${again.id}/revoke`, {})).body.ended, []);
});

test('a rule for a session ends with it', async () => {
	const session = (await agent.session()).id;
	const ask = await agent.ask({ kind: 'approval', session, operation: { type: 'tool', name: 'Bash', arguments: { command: 'npm ci' } } });
	const { rule } = (await admin.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' }, scope: { for: 'session' } })).body;
	assert.equal((await admin.get(`/v1/rules/${rule}`)).body.ended, null);
	assert.equal((await admin.post(`/v1/sessions/${session}/cancel`, {})).status, 200);
	const now = (await admin.get(`/v1/rules/${rule}`)).body;
	assert.deepEqual([now.ended.why, now.ended.by], ['session', { kind: 'system' }]);
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});
