// Contacts and what people set: who may do what, what is refused, and what is shown to whom.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pointers } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-contacts-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'parley.conf');
writeFileSync(config, '[channels]\nphone = cat {title}\n');
const server = await useServer({ flags: ['--config', config, '--webhook-internal', '127.0.0.0/8'] });
const { agent, member, admin } = server;
const me = (await member.get('/v1/me')).body.user;
const webhook = { channel: 'webhook', address: 'http://127.0.0.1:9/hook?key=very-secret', format: 'slack', name: 'room' };
const mine = (body, who = admin) => who.post(`/v1/users/${me.id}/contacts`, body);

test('a contact is added, shown, changed and removed', async () => {
	const { status, body: contact } = await mine(webhook);
	assert.equal(status, 201);
	assert.deepEqual([contact.user, contact.team, contact.channel, contact.address, contact.format,
		contact.name, contact.verified, contact.muted, contact.broken, contact.last_used_at],
	[me.id, null, 'webhook', webhook.address, 'slack', 'room', true, false, null, null]);
	const own = (await member.get('/v1/me/contacts')).body.items;
	assert.equal(own.length, 1);
	assert.equal(own[0].address, '127.0.0.1', 'the rest of a webhook may be a secret');
	const changed = await member.patch(`/v1/me/contacts/${contact.id}`, { name: 'desk', muted: true });
	assert.deepEqual([changed.body.name, changed.body.muted], ['desk', true]);
	assert.equal((await member.delete(`/v1/me/contacts/${contact.id}`)).status, 204);
	assert.equal((await member.get(`/v1/me/contacts/${contact.id}`)).status, 404);
	const types = (await admin.events()).items.map((e) => e.type).filter((t) => t.startsWith('contact.'));
	assert.deepEqual(types, ['contact.added', 'contact.removed']);
	assert.ok(!JSON.stringify((await admin.events()).items).includes('very-secret'), 'no address stands in an event');
	assert.ok(!(await agent.events()).items.some((e) => e.type.startsWith('contact.')));
});

test('the same key adds one contact', async () => {
	const headers = { 'idempotency-key': 'once' };
	const first = await admin.post(`/v1/users/${me.id}/contacts`, webhook, { headers });
	const again = await admin.post(`/v1/users/${me.id}/contacts`, webhook, { headers });
	assert.equal(first.body.id, again.body.id);
	assert.equal((await mine(webhook)).status, 409, 'the same address twice');
	await admin.delete(`/v1/users/${me.id}/contacts/${first.body.id}`);
});

test('what is wrong with a contact is named', async () => {
	const wrong = async (body, who = admin) => {
		const reply = await mine(body, who);
		return [reply.status, ...pointers(reply)];
	};
	assert.deepEqual(await wrong({ channel: 'pigeon', address: 'x' }), [422, '/channel']);
	assert.deepEqual(await wrong({ channel: 'webhook', address: 'ftp://x' }), [422, '/address']);
	assert.deepEqual(await wrong({ channel: 'webhook', address: 'https://x.example/', format: 'irc' }),
		[422, '/format']);
	assert.deepEqual(await wrong({ channel: 'webhook', address: 'http://10.1.1.1/' }), [422, '/address']);
	assert.deepEqual(await wrong({ channel: 'command', address: 'fax' }), [422, '/address']);
	assert.deepEqual(await wrong({ channel: 'command', address: 'phone', format: 'slack' }), [422, '/format']);
	assert.deepEqual(await wrong({ channel: 'command', address: 'phone', color: 1 }), [422, '/color']);
	const off = await mine({ channel: 'slack', address: 'U012345' });
	assert.deepEqual([off.status, off.body.type], [503, '/problems/channel-off']);
	assert.equal((await member.post('/v1/me/contacts', webhook)).status, 403, 'webhooks are an admin\'s');
	assert.equal((await member.post('/v1/me/contacts', { channel: 'command', address: 'phone' })).status, 403);
});

test('agents have no contacts, and people not each other\'s', async () => {
	const other = (await admin.get('/v1/me')).body.user;
	for (const path of ['/v1/me/contacts', `/v1/users/${me.id}/contacts`, `/v1/users/${me.id}/notify`]) {
		assert.equal((await agent.get(path)).status, 403, path);
	}
	assert.equal((await member.get(`/v1/users/${other.id}/contacts`)).status, 403);
	assert.equal((await member.put(`/v1/users/${other.id}/notify`, {})).status, 403);
	const { body: contact } = await admin.post('/v1/me/contacts', webhook);
	assert.equal((await member.get(`/v1/me/contacts/${contact.id}`)).status, 404);
	assert.equal((await member.delete(`/v1/me/contacts/${contact.id}`)).status, 404);
	await admin.delete(`/v1/me/contacts/${contact.id}`);
});

test('twenty contacts are enough', async () => {
	const made = [];
	for (let i = 0; i < 20; i++) {
		made.push((await mine({ ...webhook, address: `${webhook.address}${i}` })).body.id);
	}
	assert.equal((await mine({ ...webhook, address: `${webhook.address}20` })).status, 409);
	for (const id of made) await admin.delete(`/v1/users/${me.id}/contacts/${id}`);
});

test('a team has contacts, which go with it', async () => {
	const { body: team } = await admin.post('/v1/teams', { name: 'ops' });
	const { body: contact } = await admin.post(`/v1/teams/${team.id}/contacts`, webhook);
	assert.deepEqual([contact.team, contact.user, contact.verified], [team.id, null, true]);
	assert.equal((await admin.get(`/v1/teams/${team.id}/contacts`)).body.items.length, 1);
	assert.equal((await member.get(`/v1/teams/${team.id}/contacts`)).status, 403);
	await admin.delete(`/v1/teams/${team.id}`);
	assert.equal((await admin.get('/v1/events?format=json&limit=200')).body.items
		.filter((e) => e.type === 'contact.removed' && e.data.contact === contact.id).length, 1);
});

test('how somebody is told is kept as it was set', async () => {
	const usual = (await member.get('/v1/me/notify')).body;
	assert.deepEqual(usual, { order: ['push', 'slack', 'email'], content: 'full', quiet: null, digest: null, finished: 'mine', progress: false });
	const set = { order: ['email', 'push'], content: 'title',
		quiet: { tz: 'Europe/Paris', from: '22:00', to: '07:30', days: ['sat', 'sun'], except: 'never' },
		digest: { tz: 'America/New_York', at: ['09:00', '16:00'], below: 'high' }, finished: 'all', progress: true };
	assert.deepEqual((await member.put('/v1/me/notify', set)).body, set);
	assert.deepEqual((await member.get('/v1/me/notify')).body, set);
	assert.deepEqual((await admin.get(`/v1/users/${me.id}/notify`)).body, set);
	const reply = await member.put('/v1/me/notify', { order: ['email', 'email'], content: 'some',
		quiet: { tz: 'Mars/Olympus', from: '25:00' }, digest: { tz: '../../etc/passwd', at: [] } });
	assert.deepEqual(pointers(reply).sort(),
		['/content', '/digest/at', '/order/1', '/quiet/from', '/quiet/to']);
	const zone = await member.put('/v1/me/notify', { quiet: { tz: 'Mars/Olympus' },
		digest: { tz: '../../etc/passwd', at: ['09:00'] } });
	assert.deepEqual(pointers(zone).sort(), ['/digest/tz', '/quiet/tz']);
	await member.put('/v1/me/notify', {});
	assert.deepEqual((await member.get('/v1/me/notify')).body, usual);
});
