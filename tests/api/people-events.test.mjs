// Every change of users, tokens, logins and keys is an event that says who did it and from where; admins
// read them, agents and members do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;

/** The events that `deed` brought, as an admin sees them. */
async function brought(deed) {
	const { as_of: before } = await admin.events();
	const result = await deed();
	const { items } = await admin.events(before);
	return { result, items, types: items.map((event) => event.type) };
}
const made = async (path, body) => {
	const reply = await admin.post(path, body);
	assert.equal(reply.status, 201, JSON.stringify(reply.body));
	return reply.body;
};

test('a user that is made, changed and deleted', async () => {
	const { result: user, items, types } = await brought(() => made('/v1/users', { name: 'Uma', role: 'viewer' }));
	assert.deepEqual(types, ['user.created', 'login.link_created']);
	const { data } = items[0];
	assert.deepEqual([data.user, data.name, data.role, data.disabled], [user.id, 'Uma', 'viewer', false]);
	assert.equal(data.by.role, 'admin');
	assert.equal(data.by.via, 'api');
	assert.match(data.by.user, /^usr_/);
	assert.equal(data.from, '127.0.0.1');
	assert.equal(items[0].session, null);

	const changed = await brought(() => admin.patch(`/v1/users/${user.id}`, { role: 'member', password: 'a new password' }));
	assert.deepEqual(changed.types.filter((type) => type === 'user.changed'), ['user.changed']);
	const change = changed.items.find((event) => event.type === 'user.changed').data;
	assert.deepEqual(change.changed, ['role', 'password']);
	assert.ok(!JSON.stringify(changed.items).includes('argon2'));
	assert.ok(changed.types.includes('login.link_ended'));

	const login = await brought(() => server.client('').post('/v1/login', { name: 'Uma', password: 'a new password' }));
	assert.equal(login.result.status, 200);
	assert.ok(login.types.includes('login.created'));
	assert.equal(login.items.find((event) => event.type === 'login.created').data.user, user.id);

	const deleted = await brought(() => admin.delete(`/v1/users/${user.id}`));
	assert.ok(deleted.types.includes('user.deleted'));
	assert.ok(deleted.types.includes('login.ended'));
});

test('a token that is made and revoked', async () => {
	const { result: token, items, types } = await brought(() => made('/v1/tokens', { role: 'agent', name: 'carrier' }));
	assert.deepEqual(types, ['token.created']);
	assert.equal(items[0].data.token, token.id);
	assert.equal(items[0].data.agent, 'carrier');
	assert.ok(!JSON.stringify(items).includes(token.token));
	assert.deepEqual((await brought(() => admin.delete(`/v1/tokens/${token.id}`))).types, ['token.deleted']);
});

test('a secret that is rotated', async () => {
	const { types, items } = await brought(() => admin.post('/v1/webhook-secret', {}));
	assert.ok(types.length > 0 && types.every((type) => type === 'settings.changed'));
	assert.equal(items[0].data.setting, 'webhook_secret');
});

test('refused logins are told once a minute, with how many there were', async () => {
	await made('/v1/users', { name: 'Ravi', password: 'the right password' });
	const wrong = () => server.client('').post('/v1/login', { name: 'Ravi', password: 'a wrong password' });
	const first = await brought(wrong);
	assert.equal(first.result.status, 401);
	assert.deepEqual(first.types, ['login.refused']);
	assert.equal(first.items[0].data.name, 'Ravi');
	assert.equal(first.items[0].data.count, 1);
	assert.deepEqual((await brought(wrong)).types, []);
	assert.deepEqual((await brought(wrong)).types, []);
	server.jump(61_000);
	const later = await brought(wrong);
	assert.deepEqual(later.types, ['login.refused']);
	assert.equal(later.items[0].data.count, 3);
});

test('agents and members see none of it, in lists and in streams', async () => {
	const people = /^(user|token|login|settings)\./;
	for (const reader of [agent, member]) {
		const { as_of: before } = await reader.events();
		const stream = await reader.stream(`?after=${before}`);
		await made('/v1/tokens', { role: 'agent', name: 'unseen' });
		const ask = await agent.ask();
		const live = await stream.eventsUntil((event) => event.ask === ask.id);
		assert.ok(live.every((event) => !people.test(event.type)));
		stream.close();
		const { items } = await reader.events(0);
		assert.ok(items.length > 0 && items.every((event) => !people.test(event.type)));
		const { items: asked } = await reader.events(0, '&types=token.created,user.created');
		assert.deepEqual(asked, []);
	}
});

test('all of it is found as it was', async () => {
	const { code, stdout } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout);
});
