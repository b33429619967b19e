// Holds: what one keeps is deleted by nobody, whatever way is tried; retention passes over it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval, pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, stranger, member, admin } = server;
const owner = await server.as('owner', 'olga');
const idOf = async (client) => (await client.get('/v1/me')).body.user.id;

const set = async (body, who = admin) => {
	const reply = await who.post('/v1/holds', { reason: 'audit of 2026', ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const lift = (hold, who = owner) => who.delete(`/v1/holds/${hold.id}`);
const held = async (reply, hold) => {
	assert.deepEqual([reply.status, reply.body?.type, reply.body?.holds], [409, '/problems/held', [hold.id]], reply.text);
};

test('a hold says what it keeps, why, and who set it; exactly one thing; owners lift it', async () => {
	const hold = await set({ project: 'shop' });
	assert.match(hold.id, /^hld_/);
	assert.deepEqual([hold.project, hold.session, hold.agent, hold.user, hold.reason, hold.made_by.name, hold.lifted],
		['shop', null, null, null, 'audit of 2026', 'ada', null]);
	for (const [body, at] of [[{}, ['']], [{ project: 'a', agent: 'b' }, ['']], [{ project: 'a', reason: '' }, ['/reason']],
		[{ session: 'ses_none' }, ['/session']], [{ user: 'usr_none' }, ['/user']], [{ project: 5 }, ['/project']]]) {
		const reply = await admin.post('/v1/holds', { reason: 'x', ...body });
		assert.deepEqual([reply.status, pointers(reply)], [422, at], reply.text);
	}
	for (const who of [agent, member]) {
		assert.equal((await who.post('/v1/holds', { project: 'x', reason: 'x' })).status, 403);
		assert.equal((await who.get('/v1/holds')).status, 403);
	}
	assert.equal((await lift(hold, admin)).status, 403);
	assert.equal((await lift(hold)).status, 204);
	assert.equal((await lift(hold)).status, 409);
	const { lifted } = (await admin.get(`/v1/holds/${hold.id}`)).body;
	assert.equal(lifted.by.name, 'olga');
	assert.equal((await admin.get('/v1/holds')).body.items[0].id, hold.id);
	assert.equal((await admin.get('/v1/holds?state=live')).body.items.length, 0);
	assert.deepEqual((await member.events(0, '&types=hold.set,hold.lifted')).items.map((e) => e.type), ['hold.set', 'hold.lifted']);
	assert.equal((await agent.events(0, '&types=hold.set,hold.lifted')).items.length, 0);
});

test('a session is kept by itself, its project, its agent, and who settled or voted in it', async () => {
	const mia = await idOf(member);
	const settled = await agent.ask();
	await member.post(`/v1/asks/${settled.id}/skip`, {});
	const voted = await agent.ask(approval({ require: [{ approvals: 2 }] }));
	await member.answer(voted, { decision: 'approve' });
	const started = (await member.post('/v1/sessions', { title: 'mine' })).body;
	const projected = await agent.ask({ project: 'web' });
	const plain = await agent.ask();
	const tries = [
		[{ session: plain.session }, plain.session], [{ agent: 'builder' }, plain.session], [{ project: 'web' }, projected.session],
		[{ user: mia }, settled.session], [{ user: mia }, voted.session], [{ user: mia }, started.id],
	];
	for (const [body, session] of tries) {
		const hold = await set(body);
		for (const who of [admin, owner, ...(session === started.id ? [member] : [agent])])
			await held(await who.delete(`/v1/sessions/${session}`), hold);
		if (body.user) await held(await owner.delete(`/v1/users/${mia}`), hold);
		assert.equal((await member.get(`/v1/sessions/${session}`)).status, 200);
		assert.equal((await lift(hold)).status, 204);
	}
	const other = await set({ agent: 'another' });
	for (const [, session] of tries.slice(1)) assert.equal((await admin.delete(`/v1/sessions/${session}`)).status, 204);
	await lift(other);
});

test('every way to delete is refused what is held: each role, by HTTP and shell, with a server and without', async () => {
	const mia = await idOf(member), ask = await agent.ask();
	assert.equal((await member.post(`/v1/asks/${ask.id}/skip`, {})).status, 200);
	const holds = [await set({ user: mia }), await set({ session: ask.session })];
	const told = ({ code, stdout, stderr }) => {
		assert.equal(code, 1, stdout + stderr);
		assert.match(stderr, /a hold keeps this (session|user)/);
	};
	for (const who of [owner, admin, agent]) assert.deepEqual((await who.delete(`/v1/sessions/${ask.session}`)).body.holds, holds.map(({ id }) => id));
	for (const who of [owner, admin]) assert.equal((await who.delete(`/v1/users/${mia}`)).status, 409);
	for (const { token } of [owner, admin, agent]) told(await server.run(['session', 'remove', ask.session], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: token } }));
	told(await server.run(['user', 'remove', 'mia', '--data', server.data]));
	await server.stop();
	told(await server.run(['user', 'remove', 'mia', '--data', server.data]));
	await server.start();
	/* Whatever is changed around it: its title, its end, the policy, the person's name and rights. */
	assert.equal((await agent.patch(`/v1/sessions/${ask.session}`, { title: 'Other', status: 'completed' })).status, 200);
	assert.equal((await owner.patch(`/v1/users/${mia}`, { name: 'mo', disabled: true })).status, 200);
	assert.equal((await owner.delete(`/v1/users/${mia}`)).status, 409);
	assert.equal((await owner.delete(`/v1/sessions/${ask.session}`)).status, 409);
	assert.equal((await owner.patch(`/v1/users/${mia}`, { name: 'mia', disabled: false })).status, 200);
	for (const hold of holds) assert.equal((await lift(hold)).status, 204);
	assert.equal((await admin.delete(`/v1/sessions/${ask.session}`)).status, 204);
});

test('retention passes over what is held, and says that it was it', async () => {
	const kept = await agent.ask({ project: 'kept' }), gone = await stranger.ask();
	await member.post(`/v1/asks/${kept.id}/skip`, {});
	await member.post(`/v1/asks/${gone.id}/skip`, {});
	const hold = await set({ project: 'kept' });
	const policy = (await admin.get('/v1/policy')).body;
	const { version, ...rest } = policy;
	const put = await admin.put('/v1/policy', { ...rest, retention: { settled: '1d' }, version });
	assert.equal(put.status, 200, put.text);
	server.jump(3 * 24 * 3600e3);
	await server.stop(); // it looks when it starts
	await server.start();
	await until(async () => (await admin.get(`/v1/sessions/${gone.session}`)).status === 404, 'retention');
	assert.equal((await admin.get(`/v1/sessions/${kept.session}`)).status, 200);
	const deleted = (await admin.events(0, '&types=session.deleted')).items.find((e) => e.session === gone.session);
	assert.equal(deleted.data.by, 'retention');
	assert.equal((await lift(hold)).status, 204);
});

test('by shell; check is green', async () => {
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: owner.token };
	const added = await server.run(['hold', 'add', '--agent', 'x', 'for', 'the', 'auditors'], { env });
	assert.equal(added.code, 0, added.stderr);
	const id = added.stdout.trim();
	assert.match((await server.run(['hold', 'list'], { env })).stdout, new RegExp(`${id} +agent x +stands`));
	assert.equal((await server.run(['hold', 'add', 'nothing', 'named'], { env })).code, 2);
	assert.equal((await server.run(['hold', 'lift', id], { env })).code, 0);
	assert.equal((await server.run(['hold', 'lift', id], { env })).code, 1);
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout);
});
