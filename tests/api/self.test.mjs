// Nobody decides their own approval, whichever way they come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { admin, nobody } = server;

let count = 0;
async function person(role = 'member', name = `self-${count++}`) {
	const token = await admin.post('/v1/tokens', { name, role });
	assert.equal(token.status, 201, token.text);
	return { id: token.body.user, name, secret: token.body.token, client: server.client(token.body.token) };
}
/** The same person by a login of the page. */
async function cookieOf(who) {
	const { login } = (await admin.patch(`/v1/users/${who.id}`, { login: true })).body;
	const reply = await nobody.post('/v1/login', { code: login.split('#')[1] });
	const cookie = reply.headers['set-cookie'][0].split(';')[0];
	return { post: (path, body) => nobody.post(path, body, { headers: { cookie, origin: server.url } }) };
}
const operation = { type: 'tool', name: 'shell', arguments: {} };
const approve = (client, ask) => client.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } });
const reject = (client, ask) => client.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'reject' } });
const refusedAs = (reply, reason, what) => assert.deepEqual([reply.status, reply.body.reason], [403, reason], `${what} ${reply.text}`);

const pia = await person();
const other = await person();
const asked = (client = pia.client, more = {}) => client.ask({ kind: 'approval', operation, ...more });

test('the asking token, another token, a login and the shell are all the same person', async () => {
	const ask = await asked();
	const second = await person('member', pia.name);
	assert.equal(second.id, pia.id);
	const page = await cookieOf(pia);
	for (const [what, client] of [['token', pia.client], ['second token', second.client], ['cookie', page]]) {
		refusedAs(await approve(client, ask), 'self', what);
		refusedAs(await reject(client, ask), 'self', what);
		refusedAs(await client.post(`/v1/asks/${ask.id}/skip`, {}), 'self', what);
	}
	const many = await second.client.post('/v1/asks/settle-many', { ids: [ask.id], answers: { decision: 'approve' } });
	assert.equal(many.body.results[0].problem.reason, 'self');
	const shell = await server.run(['answer', `${ask.id}@${ask.digest.slice(7, 23)}`, 'approve', '--yes', '--url', server.url],
		{ env: { PARLEY_TOKEN: second.secret } });
	assert.equal(shell.code, 4, shell.stderr);
	assert.equal((await pia.client.get(`/v1/asks/${ask.id}`)).body.refused, 'self');
	assert.equal((await approve(other.client, ask)).status, 200);
});

test('an admin who asks does not decide it either', async () => {
	const boss = await person('admin');
	const ask = await asked(boss.client);
	refusedAs(await approve(boss.client, ask), 'self');
	refusedAs(await approve(await cookieOf(boss), ask), 'self');
});

test('leading the team of the project does not make it another\'s', async () => {
	const lead = await person();
	const session = await lead.client.session({ project: 'led' });
	const team = (await admin.post('/v1/teams',
		{ name: 'led', projects: ['led'], members: [{ user: lead.id, lead: true }, { user: other.id }] })).body;
	const ask = await asked(lead.client, { session: session.id });
	refusedAs(await approve(lead.client, ask), 'self');
	assert.equal((await approve(other.client, ask)).status, 200);
	await admin.delete(`/v1/teams/${team.id}`);
});

test('who stands in for another is still the requester', async () => {
	const away = await person();
	const until = new Date(Date.now() + 86_400_000).toISOString();
	await away.client.put('/v1/me/away', { until, delegate: pia.id });
	const ask = await asked(pia.client, { require: [{ approvals: 1, from: [`user:${away.id}`] }] });
	refusedAs(await approve(pia.client, ask), 'self');
	refusedAs(await approve(other.client, ask), 'require');
	assert.equal((await approve(away.client, ask)).body.ask.status, 'answered');
});

test('an agent\'s token that was made for a person asks for that person', async () => {
	const made = await admin.post('/v1/tokens', { name: 'helper', role: 'agent', user: pia.id });
	const ask = await asked(server.client(made.body.token));
	refusedAs(await approve(pia.client, ask), 'self');
	assert.equal((await approve(other.client, ask)).status, 200);
});

test('who made the asking token counts only where others are not required', async () => {
	const maker = await person('admin');
	const made = await maker.client.post('/v1/tokens', { name: 'worker', role: 'agent' });
	const worker = server.client(made.body.token);
	const require = (approvals, others) => ({ require: [{ approvals, ...(others === undefined ? {} : { others }) }] });
	assert.equal((await approve(maker.client, await asked(worker))).status, 200, 'without a requirement');
	assert.equal((await approve(maker.client, await asked(worker, require(1)))).status, 200, 'one approval');
	refusedAs(await approve(maker.client, await asked(worker, require(1, true))), 'require', 'others said');
	const two = await asked(worker, require(2));
	refusedAs(await approve(maker.client, two), 'require', 'others by default');
	assert.equal((await reject(maker.client, two)).status, 200, 'a reject needs no requirement');
	const shells = await asked(server.agent, require(2));
	assert.equal((await approve(maker.client, shells)).status, 200, 'a token that the shell made has no maker');
});
