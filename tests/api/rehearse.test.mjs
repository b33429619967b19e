// Rules before they decide: rehearsed on what was, as shadows, and what one has changed afterwards.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { first, say, ScriptModel, use } from '../lib/script_model.mjs';
import { pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const model = await new ScriptModel((request) => first(request).startsWith('Remember') && request.messages.length < 2
	? [use('memory', { operation: 'add', text: 'x' })] : [say('done')]).start();
after(() => model.stop());
const server = await useServer();
const { agent, member, admin } = server;
const other = await server.as('member', 'max');
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const bash = (command, extra = {}) => ({ kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command } }, ...extra });
const allow = (tool, extra = {}) => ({ effect: 'allow', match: { tool: [tool] }, ...extra });
const deny = (tool, extra = {}) => ({ effect: 'deny', match: { tool: [tool] }, ...extra });
const rehearse = async (body, who = member) => ok(await who.post('/v1/rehearse', body));
const decided = async (command, decision, who = member) => {
	const ask = await agent.ask(bash(command));
	await who.answer(ask, { decision });
	return ask;
};

const tests = [await decided('npm test', 'approve'), await decided('npm test a', 'approve', other), await decided('npm test b', 'reject')];
const push = await decided('git push', 'approve');

test('a rehearsal says what would have been asked, allowed and denied, and changes nothing', async () => {
	const done = await rehearse({ add: [allow('Bash(npm test*)'), deny('Bash(git push*)')] });
	assert.deepEqual([done.operations, done.truncated], [4, false]);
	assert.deepEqual([done.was, done.would], [{ asked: 4, allowed: 0, denied: 0 }, { asked: 0, allowed: 3, denied: 1 }]);
	assert.deepEqual([done.ran_though_rejected, done.stopped_though_approved], [1, 1]);
	assert.deepEqual(done.differs.find((d) => d.ask === tests[2].id), { ask: tests[2].id, was: 'asked', would: 'allowed', by: '/add/0', person: 'rejected' });
	assert.deepEqual(done.differs.find((d) => d.ask === push.id), { ask: push.id, was: 'asked', would: 'denied', by: '/add/1', person: 'approved' });
	assert.deepEqual(done.people.map(({ name, was, would }) => [name, was, would]), [['mia', 3, 0], ['max', 1, 0]]);
	assert.deepEqual((await member.get('/v1/rules')).body.items, []);
	const same = await rehearse({});
	assert.deepEqual([same.was, same.differs], [same.would, []]);
	assert.deepEqual((await rehearse({ policy: { mode: 'auto' } })).would, same.would, 'what an agent asks for is not decided by the mode');
});

test('what is foretold is what happens', async () => {
	const add = [allow('Bash(make *)', { uses_left: 2 }), deny('Bash(make clean*)')];
	const commands = ['make a', 'make b', 'make c', 'make clean', 'rm x', 'make a && rm x'];
	const asked = [];
	for (const command of commands) asked.push(await agent.ask(bash(command)));
	const { differs } = await rehearse({ add });
	const rules = [];
	for (const rule of add) rules.push(ok(await admin.post('/v1/rules', rule), 201));
	for (const [i, command] of commands.entries()) {
		const again = await agent.ask(bash(command, { title: 'again' }));
		const is = again.status !== 'answered' ? 'asked' : again.answer.decision.value === 'approve' ? 'allowed' : 'denied';
		assert.equal(differs.find((d) => d.ask === asked[i].id)?.would ?? 'asked', is, command);
	}
	const without = await rehearse({ end: [rules[1].id] });
	assert.ok(without.differs.some((d) => d.was === 'denied' && d.would !== 'denied'));
	ok(await admin.delete(`/v1/rules/${rules[1].id}`), 204);
	assert.deepEqual(pointers(await member.post('/v1/rehearse', { end: [rules[1].id] })), ['/end/0']);
});

test('calls of our runs are rehearsed by the policy\'s mode, too', async () => {
	ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url, models: [{ id: 'm', context: 1000, output: 500 }] }), 201);
	ok(await admin.post('/v1/agents', { name: 'helper', provider: 'scripted', model: 'm', prompt: 'Help.', tools: ['memory'] }), 201);
	const session = ok(await member.post('/v1/sessions', { agent: 'helper', message: 'Remember it' }), 201);
	await until(async () => (await member.get(`/v1/runs/${session.run}`)).body.status === 'completed', 'the run');
	const before = await rehearse({});
	assert.ok(before.was.allowed >= 1);
	const manual = await rehearse({ policy: { mode: 'manual', auto_approve_low: false } });
	const [call] = manual.differs.filter((d) => d.call);
	assert.deepEqual([call.was, call.would, call.by, call.person], ['allowed', 'asked', 'policy', null]);
	const [denied] = (await rehearse({ add: [deny('memory')] })).differs.filter((d) => d.call);
	assert.deepEqual([denied.would, denied.by], ['denied', '/add/0']);
});

test('bad rules and members are refused as when they are saved', async () => {
	const refused = async (body) => { const reply = await member.post('/v1/rehearse', body); assert.equal(reply.status, 422, reply.text); return pointers(reply); };
	assert.deepEqual(await refused({ add: [allow('Bash(x)'), { effect: 'allow' }] }), ['/add/1/match']);
	assert.deepEqual(await refused({ add: [{ effect: 'ask', match: {}, ask: { require: [{ approvals: 1, from: ['team:none'] }] } }] }), ['/add/0/ask/require/0/from/0']);
	assert.deepEqual(await refused({ policy: { mode: 'odd' } }), ['/policy/mode']);
	assert.deepEqual(await refused({ days: 91, odd: 1 }), ['/days', '/odd']);
	assert.deepEqual(await refused({ end: ['rul_x'] }), ['/end/0']);
	assert.equal((await agent.post('/v1/rehearse', {})).status, 403);
});

test('a shadow decides nothing and counts what people said', async () => {
	const shadow = ok(await member.post('/v1/rules', allow('Bash(cargo *)', { shadow: true })), 201);
	assert.deepEqual(shadow.shadow, { hits: 0, approved: 0, rejected: 0, asks: [] });
	const [yes, no] = [await decided('cargo test', 'approve'), await decided('cargo publish', 'reject')];
	const open = await agent.ask(bash('cargo build'));
	assert.equal(open.status, 'pending');
	const read = ok(await member.get(`/v1/rules/${shadow.id}`));
	assert.deepEqual(read.shadow, { hits: 3, approved: 1, rejected: 1, asks: [open.id, no.id, yes.id] });
	assert.deepEqual((await member.get('/v1/rules')).body.items.find((r) => r.id === shadow.id).shadow, read.shadow);
	const operation = { type: 'tool', name: 'Bash', arguments: { command: 'cargo test' } };
	const tried = ok(await member.post('/v1/rules/try', { operation }));
	assert.deepEqual([tried.fits, tried.by], [[], 'policy']);
	assert.notEqual(ok(await agent.post('/v1/decide', { operation })).rule, shadow.id);
	assert.equal((await member.patch(`/v1/rules/${shadow.id}`, { version: read.version, shadow: false })).status, 403, 'an allow is an admin\'s');
	const wider = ok(await member.patch(`/v1/rules/${shadow.id}`, { version: read.version, note: 'builds' }));
	assert.equal(wider.shadow.hits, 3);
	const live = ok(await admin.patch(`/v1/rules/${shadow.id}`, { version: wider.version, shadow: false }));
	assert.equal(live.shadow, null);
	assert.equal((await agent.ask(bash('cargo test'))).answered_by.rule, shadow.id);
	const back = ok(await member.patch(`/v1/rules/${shadow.id}`, { version: live.version, shadow: true }));
	assert.equal((await agent.ask(bash('cargo fmt'))).status, 'pending', 'what allowed does so no more');
	const stops = ok(await member.post('/v1/rules', deny('Bash(cargo *)', { shadow: true })), 201);
	assert.equal((await agent.read(await agent.ask(bash('cargo doc')))).status, 'pending');
	ok(await other.patch(`/v1/rules/${stops.id}`, { version: stops.version, shadow: false }));
	assert.equal((await agent.ask(bash('cargo run'))).answer.decision.value, 'reject');
	const now = (await member.get(`/v1/rules/${stops.id}`)).body;
	assert.equal((await other.patch(`/v1/rules/${stops.id}`, { version: now.version, shadow: true })).status, 403, 'a deny of another stays');
	for (const rule of [back, stops]) ok(await admin.delete(`/v1/rules/${rule.id}`), 204);
});

test('what a rule has changed is told in equal spans', async () => {
	for (const decision of ['approve', 'reject']) await decided(`terraform apply ${decision}`, decision);
	server.jump(3600_000);
	const rule = ok(await admin.post('/v1/rules', allow('Bash(terraform *)')), 201);
	await agent.ask(bash('terraform plan'));
	server.jump(2 * 3600_000);
	const { before, after: since } = ok(await member.get(`/v1/rules/${rule.id}/effect`));
	assert.deepEqual([before.operations, before.asked, before.allowed, before.denied, before.rejected], [2, 2, 0, 0, 1]);
	assert.deepEqual([since.operations, since.asked, since.allowed, since.rejected, since.median_ms], [1, 0, 1, 0, null]);
	assert.equal(before.to, since.from);
	assert.equal(Date.parse(before.to) - Date.parse(before.from), Date.parse(since.to) - Date.parse(since.from));
	assert.ok(before.median_ms >= 0);
	assert.equal((await member.get(`/v1/rules/${rule.id}/effect?days=0`)).status, 422);
	assert.equal((await member.get('/v1/rules/rul_00000000000000000000000000/effect')).status, 404);
});
