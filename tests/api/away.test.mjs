// Who is away, and who stands in for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin } = server;

let count = 0;
async function person(role = 'member') {
	const name = `away-${count++}`;
	const token = await admin.post('/v1/tokens', { name, role });
	return { id: token.body.user, name, secret: token.body.token, client: server.client(token.body.token) };
}
const [ana, ben, clo] = [await person(), await person(), await person()];
const inDays = (n) => new Date(Date.now() + server.offset + n * 86_400_000).toISOString();
const goes = (who, body) => who.client.put('/v1/me/away', body);
const back = (who) => who.client.delete('/v1/me/away');
const operation = { type: 'tool', name: 'shell', arguments: {} };
const asked = (require) => agent.ask({ kind: 'approval', operation, require });
const vote = (who, ask) => who.client.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } });

test('one says when one is away and who stands in, and that one is back', async () => {
	assert.equal((await ana.client.get('/v1/me/away')).body, null);
	const set = await goes(ana, { until: inDays(3), delegate: ben.id, note: 'on leave' });
	assert.deepEqual([set.status, set.body.delegate, set.body.note], [200, ben.id, 'on leave']);
	assert.deepEqual({ ...(await ben.client.get(`/v1/users/${ana.id}/away`)).body, warnings: [] }, set.body);
	const event = (await admin.get('/v1/events?format=json&types=user.away&before=100000&limit=1')).body.items[0];
	assert.deepEqual([event.data.user, event.data.away.delegate, event.data.by.user], [ana.id, ben.id, ana.id]);
	assert.equal((await back(ana)).status, 204);
	assert.equal((await ana.client.get('/v1/me/away')).body, null);
});

test('a delegate who is deleted stands in for nobody', async () => {
	const [leaving, other] = [await person(), await person()];
	await goes(ana, { until: inDays(3), delegate: leaving.id, note: 'on leave' });
	await goes(ben, { until: inDays(3), delegate: other.id });
	assert.equal((await admin.delete(`/v1/users/${leaving.id}`)).status, 204);
	const away = (await ana.client.get('/v1/me/away')).body;
	assert.deepEqual([away.delegate, away.note], [null, 'on leave']);
	assert.equal((await ben.client.get('/v1/me/away')).body.delegate, other.id);
	const event = (await admin.get('/v1/events?format=json&types=user.away&before=100000&limit=1')).body.items[0];
	assert.deepEqual([event.data.user, event.data.away.delegate], [ana.id, null]);
	for (const who of [ana, ben]) await back(who);
});

test('admins do it for others; others do not, and agents are never away', async () => {
	assert.equal((await ben.client.put(`/v1/users/${ana.id}/away`, { until: inDays(1) })).status, 403);
	assert.equal((await admin.put(`/v1/users/${ana.id}/away`, { until: inDays(1) })).status, 200);
	assert.equal((await ben.client.delete(`/v1/users/${ana.id}/away`)).status, 403);
	assert.equal((await admin.delete(`/v1/users/${ana.id}/away`)).status, 204);
	assert.equal((await agent.put('/v1/me/away', { until: inDays(1) })).status, 403);
	assert.equal((await admin.put('/v1/users/usr_00000000000000000000000000/away', { until: inDays(1) })).status, 404);
});

test('what is wrong is told with its pointer', async () => {
	const viewer = await person('viewer');
	for (const [body, pointer] of [
		[{}, '/until'], [{ until: 'soon' }, '/until'], [{ until: inDays(-1) }, '/until'], [{ until: inDays(91) }, '/until'],
		[{ from: inDays(5), until: inDays(4) }, '/until'], [{ until: inDays(1), delegate: ana.id }, '/delegate'],
		[{ until: inDays(1), delegate: 'usr_00000000000000000000000000' }, '/delegate'],
		[{ until: inDays(1), delegate: viewer.id }, '/delegate'], [{ until: inDays(1), what: 1 }, '/what'],
	]) {
		const reply = await goes(ana, body);
		assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, pointer], JSON.stringify(body));
	}
});

test('assignments go to the delegate; a ring stays with the first', async () => {
	await goes(ana, { until: inDays(2), delegate: ben.id });
	assert.deepEqual((await agent.ask({ assignees: [ana.id, ben.id] })).assignees, [ben.id]);
	await goes(ben, { until: inDays(2), delegate: clo.id });
	const ask = await agent.ask({ assignees: [ana.id] });
	assert.deepEqual(ask.assignees, [clo.id]);
	await goes(clo, { until: inDays(2), delegate: ana.id });
	const moved = await ben.client.post(`/v1/asks/${ask.id}/assign`, { assignees: [ana.id] });
	assert.deepEqual(moved.body.assignees, [ana.id]);
	for (const who of [ana, ben, clo]) await back(who);
});

test('a delegate votes as themselves, for whom they stand in; roles and teams are not lent', async () => {
	await goes(ana, { until: inDays(2), delegate: ben.id });
	const ask = await asked([{ approvals: 1, from: [`user:${ana.id}`] }]);
	assert.equal((await ben.client.get(`/v1/asks/${ask.id}`)).body.refused, undefined);
	assert.equal((await clo.client.get(`/v1/asks/${ask.id}`)).body.refused, 'require');
	const done = await vote(ben, ask);
	assert.deepEqual([done.body.ask.status, done.body.ask.votes[0].by.user, done.body.ask.votes[0].for],
		['answered', ben.id, ana.id]);
	const team = (await admin.post('/v1/teams', { name: 'lenders', members: [{ user: ana.id }] })).body;
	assert.equal((await vote(ben, await asked([{ approvals: 1, from: ['team:lenders'] }]))).body.reason, 'require');
	await admin.delete(`/v1/teams/${team.id}`);
	await back(ana);
	assert.equal((await vote(ben, await asked([{ approvals: 1, from: [`user:${ana.id}`] }]))).body.reason, 'require');
});

test('one person never counts twice in a part', async () => {
	const ask = await asked([{ approvals: 2, from: [`user:${ana.id}`, `user:${ben.id}`] }]);
	await goes(ana, { until: inDays(2), delegate: ben.id });
	assert.equal((await vote(ben, ask)).body.ask.require[0].have, 1);
	await goes(ana, { until: inDays(2), delegate: clo.id });
	const done = await vote(clo, ask);
	assert.deepEqual([done.body.ask.status, done.body.ask.votes.map((v) => v.for)], ['answered', [null, ana.id]]);
	const again = await asked([{ approvals: 2, from: [`user:${ana.id}`, `user:${ben.id}`] }]);
	await vote(clo, again);
	assert.equal((await vote(ana, again)).body.ask.require[0].have, 1, 'who is away votes all the same: one seat');
	await back(ana);
});

test('parley away', async () => {
	const away = async (...args) => (await server.run(['away', ...args, '--url', server.url], { env: { PARLEY_TOKEN: ana.secret } }));
	assert.match((await away()).stdout, /not away/);
	assert.match((await away('3d', '--to', ben.name)).stdout, new RegExp(`${ben.name} covers for you`));
	assert.equal((await ana.client.get('/v1/me/away')).body.delegate, ben.id);
	assert.match((await away()).stdout, /Away until/);
	assert.equal((await away('someday')).code, 2);
	assert.equal((await away('3d', '--to', 'nobody-knows')).code, 2);
	assert.equal((await away('back')).code, 0);
	assert.equal((await ana.client.get('/v1/me/away')).body, null);
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});

test('a delegate covers a project of the person, and for the others the question stays with the team', async () => {
	const [eva, dan, fay, web] = [await person(), await person(), await person(), await person()];
	const team = async (name, projects, members) => {
		const reply = await admin.post('/v1/teams', { name, projects, members: members.map(({ id: user }) => ({ user })) });
		assert.equal(reply.status, 201, reply.text);
		return reply.body;
	};
	const ops = await team('ops', ['prod-*'], [eva, fay]);
	const front = await team('front', ['web-*'], [eva, web]);
	const none = await goes(eva, { until: inDays(3), delegate: dan.id });
	assert.deepEqual([none.status, none.body.errors[0].pointer, none.body.errors[0].detail],
		[422, '/delegate', `${dan.name} cannot answer in any project of theirs`]);
	const some = await goes(eva, { until: inDays(3), delegate: web.id });
	assert.deepEqual([some.status, some.body.warnings.map(({ kind, project }) => [kind, project])], [200, [['uncovered', 'prod-*']]]);
	const assigned = async (project) => {
		const session = (await agent.session({ project })).id;
		return (await agent.ask({ question: 'Go?', session, assignees: [eva.id] })).assignees;
	};
	assert.deepEqual([await assigned('web-shop'), await assigned('prod-eu')], [[web.id], [ops.id]]);
	assert.deepEqual((await goes(eva, { until: inDays(3), delegate: (await person('admin')).id })).body.warnings, []);
	await back(eva);
	for (const { id } of [ops, front]) assert.equal((await admin.delete(`/v1/teams/${id}`)).status, 204);
});

test('nobody counts for another by their own word', async () => {
	const [gil, boss] = [await person(), await person('admin')];
	const ask = await asked([{ approvals: 1, from: [`user:${gil.id}`] }]);
	const set = await boss.client.put(`/v1/users/${gil.id}/away`, { until: inDays(3), delegate: boss.id });
	assert.deepEqual([set.status, set.body.by], [200, boss.id]);
	const refused = await vote(boss, ask);
	assert.deepEqual([refused.status, refused.body.reason], [403, 'require']);
	assert.equal((await admin.put(`/v1/users/${gil.id}/away`, { until: inDays(3), delegate: boss.id })).status, 200);
	assert.equal((await vote(boss, ask)).body.ask.status, 'answered');
	assert.equal((await admin.delete(`/v1/users/${gil.id}/away`)).status, 204);
});
