// Teams: who is in them, who leads, who is on call, which projects they cover.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, member } = server;

let count = 0;
/** A user with a token: {id, client}. */
async function person(role = 'member') {
	const name = `person-${count++}`;
	const token = await admin.post('/v1/tokens', { name, role });
	assert.equal(token.status, 201, token.text);
	return { id: token.body.user, client: server.client(token.body.token) };
}
const make = async (body = {}) => {
	const reply = await admin.post('/v1/teams', { name: `team-${count++}`, ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const lastEvent = async () => (await admin.get('/v1/events?format=json&types=team.changed&before=1000000&limit=1'))
	.body.items[0];

test('a team is made, read, changed and deleted', async () => {
	const ana = await person();
	const { warnings, ...team } = await make({ members: [{ user: ana.id }], projects: ['web-*'] });
	assert.deepEqual(warnings.map((w) => w.kind), ['unbound']);
	assert.match(team.id, /^team_[0-9a-z]{26}$/);
	assert.deepEqual([team.members, team.on_call, team.projects, team.version],
		[[{ user: ana.id, lead: false }], null, ['web-*'], 1]);
	assert.deepEqual((await member.get(`/v1/teams/${team.id}`)).body, team);
	const changed = await admin.patch(`/v1/teams/${team.id}`,
		{ name: 'platform', on_call: ana.id, projects: [], version: 1 });
	assert.deepEqual([changed.status, changed.body.name, changed.body.on_call, changed.body.version],
		[200, 'platform', ana.id, 2]);
	const listed = (await member.get('/v1/teams')).body.items;
	assert.deepEqual(listed.filter((t) => t.id === team.id), [(({ warnings: _, ...rest }) => rest)(changed.body)]);
	assert.equal((await admin.patch(`/v1/teams/${team.id}`, { name: 'late', version: 1 })).status, 409);
	assert.equal((await admin.delete(`/v1/teams/${team.id}`)).status, 204);
	assert.equal((await member.get(`/v1/teams/${team.id}`)).status, 404);
	assert.equal((await admin.delete(`/v1/teams/${team.id}`)).status, 404);
});

test('each change is an event that says who and from where', async () => {
	const team = await make();
	let event = await lastEvent();
	assert.deepEqual([event.data.team, event.data.change, event.data.by.role], [team.id, 'created', 'admin']);
	assert.ok(event.data.from, 'from where');
	await admin.patch(`/v1/teams/${team.id}`, { projects: ['x'] });
	event = await lastEvent();
	assert.deepEqual([event.data.change, event.data.projects], ['changed', ['x']]);
	await admin.delete(`/v1/teams/${team.id}`);
	assert.equal((await lastEvent()).data.change, 'deleted');
	assert.equal((await agent.get('/v1/events?format=json&types=team.changed&after=0')).body.items.length, 0);
});

test('what is wrong is told with its pointer', async () => {
	const ana = await person();
	const taken = await make();
	const nobody = 'usr_00000000000000000000000000';
	for (const [body, status, pointer] of [
		[{}, 422, '/name'], [{ name: 'Ops' }, 422, '/name'], [{ name: '' }, 422, '/name'],
		[{ name: 'x'.repeat(41) }, 422, '/name'], [{ name: 'a b' }, 422, '/name'],
		[{ name: taken.name }, 409], [{ name: 'n1', what: 1 }, 422, '/what'],
		[{ name: 'n1', members: [{ user: 'ana' }] }, 422, '/members/0/user'],
		[{ name: 'n1', members: [{ user: nobody }] }, 422, '/members/0/user'],
		[{ name: 'n1', members: [{ user: ana.id }, { user: ana.id }] }, 422, '/members/1/user'],
		[{ name: 'n1', members: [{ user: ana.id, lead: 1 }] }, 422, '/members/0/lead'],
		[{ name: 'n1', on_call: ana.id }, 422, '/on_call'], [{ name: 'n1', on_call: 3 }, 422, '/on_call'],
		[{ name: 'n1', projects: [''] }, 422, '/projects/0'], [{ name: 'n1', projects: 'web' }, 422, '/projects'],
		[{ name: 'n1', version: 1 }, 422, '/version'],
	]) {
		const reply = await admin.post('/v1/teams', body);
		assert.equal(reply.status, status, JSON.stringify(body));
		if (pointer) assert.deepEqual(reply.body.errors.map((e) => e.pointer), [pointer]);
	}
	assert.equal((await admin.patch(`/v1/teams/${taken.id}`, {})).status, 422);
	assert.equal((await admin.patch(`/v1/teams/${taken.id}`, { version: 1 })).status, 422);
});

test('admins make teams; a lead sets members and on call; nobody else, and agents see none', async () => {
	const [lead, other] = [await person(), await person()];
	const team = await make({ members: [{ user: lead.id, lead: true }] });
	const path = `/v1/teams/${team.id}`;
	assert.equal((await member.post('/v1/teams', { name: 'mine' })).status, 403);
	assert.equal((await other.client.patch(path, { members: [] })).status, 403);
	const set = await lead.client.patch(path,
		{ members: [{ user: lead.id, lead: true }, { user: other.id }], on_call: other.id });
	assert.deepEqual([set.status, set.body.on_call], [200, other.id]);
	assert.equal((await other.client.patch(path, { on_call: null })).status, 403, 'a member who does not lead');
	assert.equal((await lead.client.patch(path, { projects: ['*'] })).status, 403);
	assert.equal((await lead.client.patch(path, { name: 'ours' })).status, 403);
	assert.equal((await lead.client.delete(path)).status, 403);
	for (const call of [agent.get('/v1/teams'), agent.get(path), agent.patch(path, { on_call: null })]) {
		assert.equal((await call).status, 403);
	}
	const left = await lead.client.patch(path, { members: [{ user: lead.id, lead: true }] });
	assert.equal(left.body.on_call, null, 'who left is on call no more');
});

test('who is deleted leaves their teams', async () => {
	const [ana, ben] = [await person(), await person()];
	const team = await make({ members: [{ user: ana.id }, { user: ben.id }], on_call: ana.id });
	assert.equal((await admin.delete(`/v1/users/${ana.id}`)).status, 204);
	const now = (await member.get(`/v1/teams/${team.id}`)).body;
	assert.deepEqual([now.members, now.on_call], [[{ user: ben.id, lead: false }], null]);
});

test('a team is an assignee: who is asked, not who may answer', async () => {
	const team = await make();
	const ask = await agent.ask({ assignees: [team.id] });
	assert.deepEqual(ask.assignees, [team.id]);
	assert.ok((await member.get(`/v1/asks?assignee=${team.id}`)).body.items.some((a) => a.id === ask.id));
	const wrong = await agent.post('/v1/asks', { question: 'Deploy?', type: 'boolean',
		assignees: ['team_00000000000000000000000000'] });
	assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [422, '/assignees/0']);
	assert.equal((await member.post(`/v1/asks/${ask.id}/answer`, { answer: true })).status, 200);
});

test('a repeat with the same key makes one team', async () => {
	const send = () => admin.post('/v1/teams', { name: 'once' }, { headers: { 'idempotency-key': 'team-once' } });
	const [one, two] = [await send(), await send()];
	assert.deepEqual([one.status, two.status, two.body.id], [201, 201, one.body.id]);
});

test('check goes through teams', async () => {
	await make();
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});

test('parley team, with the server and without it', async () => {
	const user = (await admin.post('/v1/users', { name: 'dora' })).body;
	const team = (...args) => server.run(['team', ...args, '--data', server.data]);
	const says = async (args, code, pattern) => {
		const done = await team(...args);
		assert.equal(done.code, code, `${args}: ${done.stdout}${done.stderr}`);
		assert.match(done.stdout + done.stderr, pattern);
	};
	await says(['shell', 'add', 'dora', '--lead'], 0, /shell.*dora\*/);
	await says(['shell', 'oncall', 'dora'], 0, /dora/);
	const elsewhere = await server.run(['team', 'shell', 'oncall', 'dora', '--data', server.data], { env: { PARLEY_URL: 'http://127.0.0.1:9' } });
	assert.equal(elsewhere.stderr.match(/works on the store/g)?.length, 1, elsewhere.stderr);
	const rule = (await admin.post('/v1/rules', { effect: 'ask', note: 'one of shell', match: { tool: ['x'] },
		ask: { require: [{ approvals: 1, from: ['team:shell'] }] } })).body;
	const { id } = (await admin.get('/v1/teams')).body.items.find((one) => one.name === 'shell');
	const refused = await admin.delete(`/v1/teams/${id}`);
	assert.deepEqual([refused.status, refused.body.detail], [409, `rules require approvals of it: one of shell (${rule.id})`]);
	await admin.delete(`/v1/rules/${rule.id}`);
	await says(['shell', 'projects', 'web-*', 'api'], 0, /web-\* api/);
	await says(['shell', 'paint', 'dora'], 2, /add, remove/);
	await says(['shell', 'add'], 2, /USER/);
	await says(['nothing'], 5, /no team nothing/);
	await says(['shell', 'add', 'nobody-knows'], 5, /no user/);
	await server.stop();
	await says(['shell', 'remove', 'dora'], 0, /shell/);
	await says([], 0, /shell/);
	const shown = JSON.parse((await team('shell', '--json')).stdout);
	assert.deepEqual([shown.members, shown.on_call, shown.projects], [[], null, ['web-*', 'api']]);
	await says(['shell', 'delete'], 0, /^$/);
	await says(['shell'], 5, /no team/);
	await server.start();
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
	assert.ok(user.id);
});

test('assignee=me finds what is assigned to a team one is in', async () => {
	const [ana, ben] = [await person(), await person()];
	const team = await make({ members: [{ user: ana.id }] });
	const other = await make({ members: [{ user: ben.id }] });
	const ask = await agent.ask({ question: 'For the team?', assignees: [team.id] });
	const both = await agent.ask({ question: 'For both?', assignees: [other.id, team.id] });
	const found = async (who, filter = 'me') => (await who.client.get(`/v1/asks?assignee=${filter}`)).body.items.map((a) => a.id);
	assert.deepEqual([await found(ana), await found(ben), await found(ben, ana.id)], [[ask.id, both.id], [both.id], [ask.id, both.id]]);
	await admin.patch(`/v1/teams/${team.id}`, { members: [] });
	assert.deepEqual(await found(ana), []);
});

test('approvals that nobody can give any more are logged once, and stay open', async () => {
	const [ana, ben] = [await person(), await person()];
	const team = await make({ members: [{ user: ana.id }, { user: ben.id }] });
	const ask = await agent.ask({ kind: 'approval', operation: { name: 'x' }, require: [{ approvals: 2, from: [`team:${team.name}`] }] });
	const line = `unmeetable: nobody can give the approvals that ask ${ask.id} requires`;
	await admin.patch(`/v1/teams/${team.id}`, { members: [{ user: ana.id }] });
	server.jump(61_000);
	await until(() => server.stderr.includes(line), 'the line');
	server.jump(61_000);
	await admin.patch(`/v1/teams/${team.id}`, { projects: ['z'] });
	assert.equal((await admin.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
	assert.equal(server.stderr.split(line).length, 2);
});
