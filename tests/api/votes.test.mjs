// Approvals that need more than one: votes by digest, who counts, who is refused and why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin } = server;

let count = 0;
/** A person with a token: {id, name, client}. */
async function person(role = 'member') {
	const name = `voter-${count++}`;
	const token = await admin.post('/v1/tokens', { name, role });
	assert.equal(token.status, 201, token.text);
	return { id: token.body.user, name, token: token.body.token, client: server.client(token.body.token) };
}
const [ana, ben, clo] = [await person(), await person(), await person()];
const operation = { type: 'tool', name: 'shell', arguments: { cmd: 'make deploy' }, risk: 'high' };
const asked = (require = [{ approvals: 2 }], more = {}) => agent.ask({ kind: 'approval', operation, require, ...more });
const vote = (who, ask, value = 'approve', more = {}) =>
	who.client.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value, ...more } } });
const retract = (who, ask) => who.client.post(`/v1/asks/${ask.id}/retract`, {});
const read = async (ask, by = ana.client) => (await by.get(`/v1/asks/${ask.id}`)).body;
const events = async (ask) => (await admin.get('/v1/events?format=json&before=1000000&limit=100')).body.items
	.filter((e) => e.ask === ask.id).reverse();
const refusedAs = (reply, reason) => assert.deepEqual(
	[reply.status, reply.body.type, reply.body.reason], [403, '/problems/not-entitled', reason], reply.text);

test('two approvals of different people approve it', async () => {
	const ask = await asked();
	assert.deepEqual(ask.require, [{ approvals: 2, others: true, have: 0 }]);
	assert.deepEqual(ask.votes, []);
	const first = await vote(ana, ask, 'approve', { text: 'looks right' });
	assert.deepEqual([first.status, first.body.resumed, first.body.ask.status, first.body.ask.require[0].have],
		[200, false, 'pending', 1]);
	const [one] = first.body.ask.votes;
	assert.deepEqual([one.by.user, one.by.name, one.for, one.value, one.digest, one.reason, one.via, one.counts],
		[ana.id, ana.name, null, 'approve', ask.digest, 'looks right', 'api', true]);
	const again = await vote(ana, ask);
	assert.deepEqual([again.status, again.body.ask.status, again.body.ask.votes.length, again.body.ask.require[0].have],
		[200, 'pending', 1, 1], 'one vote a person');
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 409);
	const second = await vote(ben, ask);
	assert.deepEqual([second.status, second.body.resumed, second.body.ask.status], [200, true, 'answered']);
	const done = second.body.ask;
	assert.deepEqual([done.answered_by.user, done.answered_by.votes, done.approved_digest, done.require[0].have],
		[ben.id, 2, ask.digest, 2]);
	assert.deepEqual((await read(ask)).votes, done.votes);
	const shell = (...args) => server.run(args, { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member, LANG: 'C.UTF-8' } });
	assert.match((await shell('show', ask.id)).stdout, new RegExp(`Approved by ${ana.name}, ${ben.name}`), 'all who voted');
	assert.match((await shell('list', '--settled')).stdout, new RegExp(`${ask.id}\tapproved\t${ana.name}, ${ben.name}\t`));
	assert.equal((await vote(clo, ask)).status, 409);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 200);
	assert.deepEqual((await events(ask)).map((e) => e.type),
		['ask.created', 'ask.voted', 'ask.voted', 'ask.voted', 'ask.answered', 'ask.used']);
});

test('votes are for an operation: edited arguments are another', async () => {
	const ask = await asked();
	const edited = { arguments: { cmd: 'make test' } };
	await vote(ana, ask);
	const other = await vote(ben, ask, 'approve', edited);
	assert.deepEqual([other.body.ask.status, other.body.ask.require[0].have], ['pending', 1]);
	const digest = other.body.ask.votes[1].digest;
	assert.notEqual(digest, ask.digest);
	assert.deepEqual(other.body.ask.votes[1].arguments, edited.arguments);
	const third = await vote(clo, ask, 'approve', edited);
	assert.deepEqual([third.body.ask.status, third.body.ask.approved_digest], ['answered', digest]);
	assert.deepEqual(third.body.ask.answer.decision.arguments, edited.arguments);
	assert.deepEqual(third.body.ask.votes.map((v) => v.counts), [true, true, true]);
	assert.equal(third.body.ask.answered_by.votes, 2);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 409);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest })).status, 200);
});

test('a vote is changed and taken back until it is settled', async () => {
	const ask = await asked();
	assert.equal((await retract(ana, ask)).status, 409, 'without a vote');
	await vote(ana, ask, 'approve', { arguments: { cmd: 'x' } });
	const back = await retract(ana, ask);
	assert.deepEqual([back.status, back.body.resumed, back.body.ask.votes, back.body.ask.require[0].have],
		[200, false, [], 0]);
	await vote(ana, ask, 'approve', { arguments: { cmd: 'x' } });
	await vote(ana, ask);
	assert.equal((await vote(ben, ask)).body.ask.status, 'answered');
	const late = await retract(ana, ask);
	assert.deepEqual([late.status, late.body.ask.status], [409, 'answered']);
	assert.deepEqual((await events(ask)).map((e) => e.type).filter((t) => t !== 'ask.created'),
		['ask.voted', 'ask.retracted', 'ask.voted', 'ask.voted', 'ask.voted', 'ask.answered']);
	assert.equal((await ana.client.post(`/v1/asks/${ask.id}/retract`, { why: 1 })).status, 422);
});

test('one reject settles it, by whoever may settle, also who does not count', async () => {
	const ask = await asked([{ approvals: 2, from: [`user:${ana.id}`, `user:${ben.id}`] }]);
	await vote(ana, ask);
	refusedAs(await vote(clo, ask), 'require');
	const rejected = await vote(clo, ask, 'reject', { text: 'no' });
	assert.deepEqual([rejected.status, rejected.body.ask.status, rejected.body.ask.answer.decision.value],
		[200, 'answered', 'reject']);
	assert.deepEqual([rejected.body.ask.approved_digest, rejected.body.ask.answered_by.user], [null, clo.id]);
	assert.deepEqual(rejected.body.ask.votes.map((v) => v.value), ['approve', 'reject']);
});

test('every part must be met, and one person may meet two', async () => {
	const ask = await asked([{ approvals: 2 }, { approvals: 1, from: ['role:admin'] }]);
	await vote(ana, ask);
	const two = await vote(ben, ask);
	assert.deepEqual([two.body.ask.status, two.body.ask.require.map((p) => p.have)], ['pending', [2, 0]]);
	const boss = await person('admin');
	const done = await vote(boss, ask);
	assert.deepEqual([done.body.ask.status, done.body.ask.require.map((p) => p.have), done.body.ask.answered_by.votes],
		['answered', [3, 1], 3]);
	const single = await asked([{ approvals: 1 }, { approvals: 1, from: ['role:admin'] }]);
	assert.equal((await vote(boss, single)).body.ask.status, 'answered');
});

test('who counts is looked up at each vote and shown at each read', async () => {
	const [dan, eve] = [await person(), await person()];
	const ask = await asked([{ approvals: 2, from: [`user:${dan.id}`, `user:${eve.id}`, `user:${ana.id}`] }]);
	await vote(dan, ask);
	await admin.patch(`/v1/users/${dan.id}`, { disabled: true });
	const seen = await read(ask);
	assert.deepEqual([seen.require[0].have, seen.votes[0].counts], [0, false]);
	const listed = (await ana.client.get('/v1/asks?limit=200')).body.items.find((a) => a.id === ask.id);
	assert.deepEqual([listed.require[0].have, listed.votes[0].counts], [0, false]);
	const session = (await ana.client.get(`/v1/sessions/${ask.session}/state`)).body;
	assert.equal(session.asks[0].votes[0].counts, false);
	assert.equal(session.session.pending_asks[0].votes[0].counts, false);
	assert.equal((await vote(eve, ask)).body.ask.status, 'pending');
	await admin.patch(`/v1/users/${dan.id}`, { disabled: false });
	assert.deepEqual([(await read(ask)).require[0].have, (await read(ask)).status], [2, 'pending'],
		'changes of people settle nothing');
	assert.equal((await vote(eve, ask)).body.ask.status, 'answered');
});

test('who left the team or the role does not count any more', async () => {
	const [dan, eve, fay] = [await person(), await person(), await person('admin')];
	const team = (await admin.post('/v1/teams',
		{ name: 'counters', members: [dan, eve].map((p) => ({ user: p.id })) })).body;
	const ask = await asked([{ approvals: 2, from: ['team:counters', 'role:admin'] }]);
	await vote(dan, ask);
	await vote(fay, await asked([{ approvals: 1, from: ['role:admin'] }]));
	await admin.patch(`/v1/teams/${team.id}`, { members: [{ user: eve.id }] });
	assert.equal((await vote(eve, ask)).body.ask.require[0].have, 1);
	refusedAs(await vote(dan, ask), 'require');
	assert.equal((await vote(fay, ask)).body.ask.status, 'answered');
	const second = await asked([{ approvals: 2, from: ['team:counters', 'role:admin'] }]);
	await vote(fay, second);
	await admin.patch(`/v1/users/${fay.id}`, { role: 'member' });
	assert.equal((await vote(eve, second)).body.ask.require[0].have, 1);
	await admin.delete(`/v1/teams/${team.id}`);
});

test('deadline first: it expires, and the votes are kept', async () => {
	const ask = await asked([{ approvals: 2 }], { timeout: '60s' });
	await vote(ana, ask);
	server.jump(61_000);
	const late = await vote(ben, ask);
	assert.deepEqual([late.status, late.body.ask.status, late.body.ask.votes.length, late.body.ask.answer],
		[409, 'expired', 1, null]);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 409);
	assert.equal((await retract(ana, ask)).status, 409);
});

test('what nobody can meet is refused when it is asked, with its pointer', async () => {
	await admin.post('/v1/teams', { name: 'lonely', members: [{ user: ana.id }] });
	for (const [require, pointer, part] of [
		[[{ approvals: 2, from: ['team:lonely'] }], '/require/0/approvals', 'lonely has 1 who can approve: 2 needed'],
		[[{ approvals: 1, from: ['team:nobody'] }], '/require/0/from/0', 'no team nobody'],
		[[{ approvals: 1, from: ['user:usr_00000000000000000000000000'] }], '/require/0/from/0', 'no such user'],
		[[{ approvals: 1 }, { approvals: 9, from: ['role:owner'] }], '/require/1/approvals', '9 needed'],
		[[{ approvals: 11 }], '/require/0/approvals', '10'], [[{ approvals: 1, from: ['ana'] }], '/require/0/from/0', 'team:'],
		[[{ approvals: 1, from: [`team:${'x'.repeat(41)}`] }], '/require/0/from/0', 'must be team:NAME'],
		[[], '/require', '1 to 4'], [[{ approvals: 1, have: 1 }], '/require/0/have', ''],
	]) {
		const reply = await agent.post('/v1/asks', { kind: 'approval', operation, require });
		assert.equal(reply.status, 422, reply.text);
		assert.equal(reply.body.errors[0].pointer, pointer);
		assert.ok(reply.body.errors[0].detail.includes(part), reply.body.errors[0].detail);
	}
	const other = await agent.post('/v1/asks', { question: 'Go?', type: 'boolean', require: [{ approvals: 2 }] });
	assert.equal(other.body.errors[0].pointer, '/require');
});

test('not in settle-many', async () => {
	const [ask, plain] = [await asked(), await agent.ask({ kind: 'approval', operation: { ...operation, risk: 'low' } })];
	const many = (await ana.client.post('/v1/asks/settle-many',
		{ ids: [ask.id, plain.id], answers: { decision: 'approve' }, digests: { [plain.id]: plain.digest } })).body.results;
	assert.deepEqual([many[0].status, many[0].problem.type, many[1].status], [422, '/problems/votes', 200]);
	assert.equal((await read(ask)).status, 'pending');
});

test('a repeated vote with its key is one vote', async () => {
	const ask = await asked();
	const send = () => ana.client.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } },
		{ headers: { 'idempotency-key': `vote-${ask.id}` } });
	const [one, two] = [await send(), await send()];
	assert.deepEqual([one.status, two.status, two.body.ask.status, two.body.resumed], [200, 200, 'pending', false]);
	assert.equal((await events(ask)).filter((e) => e.type === 'ask.voted').length, 1);
});

test('each whose vote counted may revoke, and an admin; nobody else', async () => {
	const approve = async () => {
		const ask = await asked();
		await vote(ana, ask);
		await vote(ben, ask);
		return ask;
	};
	const revoke = (who, ask) => who.post(`/v1/asks/${ask.id}/revoke`, { reason: 'wait' });
	const ask = await approve();
	assert.equal((await revoke(clo.client, ask)).status, 403);
	assert.equal((await revoke(ana.client, ask)).status, 200);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 409);
	assert.equal((await revoke(admin, await approve())).status, 200);
});

test('teams say who may settle in their projects; admins always may', async () => {
	const session = await agent.session({ project: 'covered-1' });
	const team = (await admin.post('/v1/teams',
		{ name: 'keepers', members: [{ user: ben.id }], projects: ['covered-*'] })).body;
	const ask = await agent.ask({ session: session.id });
	refusedAs(await ana.client.post(`/v1/asks/${ask.id}/answer`, { answer: true }), 'team');
	refusedAs(await ana.client.post(`/v1/asks/${ask.id}/skip`, {}), 'team');
	assert.equal((await read(ask)).refused, 'team');
	const shell = await server.run(['answer', ask.id, 'yes'], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: ana.token, LANG: 'C.UTF-8' } });
	assert.equal(shell.code, 4, shell.stderr);
	assert.doesNotMatch(shell.stderr, /not logged in/, 'a token is as good as a login');
	assert.equal((await read(ask, ben.client)).refused, undefined);
	assert.equal((await ana.client.post(`/v1/asks/${ask.id}/mark`, { read: true })).body.refused, 'team');
	assert.equal((await ana.client.post(`/v1/asks/${ask.id}/claim`, {})).body.refused, 'team');
	assert.equal((await ben.client.post(`/v1/asks/${ask.id}/mark`, { read: true })).body.refused, undefined);
	assert.equal((await ana.client.get(`/v1/asks?session=${session.id}`)).body.items[0].refused, 'team');
	const many = await ana.client.post('/v1/asks/settle-many', { ids: [ask.id], answers: { q1: true } });
	assert.deepEqual([many.body.results[0].status, many.body.results[0].problem.reason], [403, 'team']);
	assert.equal((await ben.client.post(`/v1/asks/${ask.id}/answer`, { answer: true })).status, 200);
	const second = await agent.ask({ session: session.id });
	assert.equal((await admin.post(`/v1/asks/${second.id}/answer`, { answer: true })).status, 200);
	const third = await agent.ask({ session: session.id });
	await admin.delete(`/v1/teams/${team.id}`);
	assert.equal((await ana.client.post(`/v1/asks/${third.id}/answer`, { answer: true })).status, 200,
		'where no team covers it, any member');
});

test('events say who voted for what, and check finds all of it right', async () => {
	const ask = await asked();
	await vote(ana, ask);
	const [created, voted] = await events(ask);
	assert.deepEqual([created.data.require[0].approvals, created.data.digest], [2, ask.digest]);
	assert.deepEqual([voted.data.vote.by.user, voted.data.vote.digest, voted.data.have], [ana.id, ask.digest, [1]]);
	const done = await server.run(['check', '--data', server.data]);
	assert.equal(done.code, 0, done.stdout + done.stderr);
});

test('a rule may require approvals; what an agent brings adds up', async () => {
	const team = (await admin.post('/v1/teams',
		{ name: 'guards', members: [ana, ben, clo].map((p) => ({ user: p.id })) })).body;
	const lone = await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['guarded'] },
		ask: { require: [{ approvals: 9, from: ['team:guards'] }] } });
	assert.deepEqual([lone.status, lone.body.errors?.[0].pointer], [422, '/ask/require/0/approvals'], lone.text);
	const rule = await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['guarded'] },
		ask: { require: [{ approvals: 2, from: ['team:guards'] }] } });
	assert.equal(rule.status, 201, rule.text);
	const guarded = { type: 'tool', name: 'guarded', arguments: {} };
	const one = await agent.ask({ kind: 'approval', operation: guarded });
	assert.deepEqual(one.require, [{ approvals: 2, from: ['team:guards'], others: true, have: 0 }]);
	const both = await agent.ask({ kind: 'approval', operation: guarded, require: [{ approvals: 1, from: ['role:admin'] }] });
	assert.equal(both.require.length, 2);
	const gone = await admin.delete(`/v1/teams/${team.id}`);
	assert.equal(gone.status, 409);
	assert.ok(gone.body.detail.includes(rule.body.id), gone.body.detail);
	assert.equal((await admin.patch(`/v1/teams/${team.id}`, { name: 'guards-2' })).status, 409);
	await vote(ana, one);
	assert.equal((await vote(ben, one)).body.ask.status, 'answered');
	assert.equal((await admin.delete(`/v1/rules/${rule.body.id}`)).status < 300, true);
	assert.equal((await admin.delete(`/v1/teams/${team.id}`)).status, 204);
});

test('no rule allows what brings its own requirement', async () => {
	const rule = await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['easy'], risk: { max: 'high' } } });
	assert.equal(rule.status, 201, rule.text);
	const easy = { type: 'tool', name: 'easy', arguments: {} };
	assert.equal((await agent.ask({ kind: 'approval', operation: easy })).status, 'answered');
	assert.equal((await agent.ask({ kind: 'approval', operation: easy, require: [{ approvals: 2 }] })).status, 'pending');
});

test('what too few people can approve by now says so, on the ask and in show', async () => {
	const [dia, eli] = [await person(), await person()];
	const team = (await admin.post('/v1/teams', { name: 'duo', members: [dia, eli].map((p) => ({ user: p.id })) })).body;
	const ask = await asked([{ approvals: 2, from: ['team:duo'] }]);
	assert.equal('reach' in (await read(ask)).require[0], false);
	assert.equal((await admin.patch(`/v1/teams/${team.id}`, { members: [{ user: dia.id }], version: team.version })).status, 200);
	assert.equal((await read(ask)).require[0].reach, 1);
	const listed = (await ana.client.get('/v1/asks?limit=200')).body.items.find((a) => a.id === ask.id);
	assert.equal(listed.require[0].reach, 1);
	const shown = await server.run(['show', ask.id], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member, LANG: 'C.UTF-8' } });
	assert.match(shown.stdout.replaceAll('\n', ' '), /duo has 1 who can approve: 2 needed/);
	await agent.post(`/v1/asks/${ask.id}/cancel`, {});
	assert.equal((await admin.delete(`/v1/teams/${team.id}`)).status, 204);
});
