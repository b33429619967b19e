// A session that ends, or says how far it is, is told to who wants to know, by their own order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useContacts } from './lib/contacts.mjs';
import { pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8'] });
const { agent, member, admin } = server;
const { mia, ada, reached } = await useContacts(server, { keep: ['webhook'] });
const [hers, his] = [await reached(mia), await reached(ada)];
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const told = ({ receiver }, session) => receiver.got.map(({ body }) => body).filter((b) => b.data.session?.id === session.id);
const end = async (session, status = 'completed') => ok(await agent.patch(`/v1/sessions/${session.id}`, { status }));
/** Whatever came before this has been told, too. */
const settled = async () => {
	await until(async () => !(await admin.get('/v1/deliveries?status=waiting&limit=200')).body.items.some((d) => d.kind === 'webhook' && Date.parse(d.next_at) <= Date.parse(d.created_at)), 'all is sent');
};

test('mine: who answered in it hears that it ended, once; a session of one ask does not count', async () => {
	const session = await agent.session({ title: 'Release 5', parallel: true });
	const ask = ok(await agent.post(`/v1/sessions/${session.id}/asks`, { question: 'Go?', type: 'boolean' }), 201);
	ok(await member.answer(ask, { q1: true }));
	await end(session);
	const [body] = await until(() => told(hers, session).length && told(hers, session), 'told');
	assert.equal(body.type, 'session.notify');
	assert.ok(Date.parse(body.timestamp));
	assert.deepEqual(Object.keys(body.data), ['purpose', 'to', 'session']);
	assert.deepEqual([body.data.purpose, body.data.to], ['finished', { user: mia.id, team: null, contact: hers.contact.id }]);
	assert.deepEqual([body.data.session.title, body.data.session.status, body.data.session.agent.name], ['Release 5', 'completed', 'builder']);
	const [row] = (await admin.get('/v1/deliveries?purpose=finished')).body.items;
	assert.deepEqual([row.session, row.ask, row.alert, row.user], [session.id, null, null, mia.id]);
	const single = await agent.ask();
	ok(await member.answer(single, { q1: true }));
	await settled();
	assert.deepEqual([told(hers, session).length, told(his, session).length, told(hers, { id: single.session }).length], [1, 0, 0]);
});

test('all, none, not to who is looking, and not of what is quiet until then', async () => {
	ok(await admin.put('/v1/me/notify', { finished: 'all' }));
	ok(await member.put('/v1/me/notify', { finished: 'none' }));
	const failed = await agent.session({ title: 'Other' });
	const ask = ok(await agent.post(`/v1/sessions/${failed.id}/asks`, { question: 'Go?', type: 'boolean' }), 201);
	ok(await member.answer(ask, { q1: true }));
	await end(failed, 'failed');
	const [{ data }] = await until(() => told(his, failed).length && told(his, failed), 'told');
	assert.equal(data.session.status, 'failed');
	assert.equal(told(hers, failed).length, 0);
	ok(await admin.post('/v1/me/present', {}), 204);
	const seen = await agent.session({ title: 'Seen' });
	await end(seen);
	server.jump(120_000);
	const secret = await agent.session({ title: 'Secret', sensitive: true });
	await end(secret, 'cancelled');
	const [hidden] = await until(() => told(his, secret).length && told(his, secret), 'told');
	assert.deepEqual([hidden.data.session.title, told(his, seen).length], [null, 0]);
});

test('progress, at most once in ten minutes and session', async () => {
	ok(await admin.put('/v1/me/notify', { progress: true }));
	const session = await agent.session({ title: 'Long' });
	const progress = async (text) => ok(await agent.post(`/v1/sessions/${session.id}/progress`, { text }));
	await progress('one');
	await progress('two');
	await until(() => told(his, session).length, 'told');
	server.jump(601_000);
	await progress('three');
	await until(() => told(his, session).length === 2, 'told again');
	assert.deepEqual(told(his, session).map(({ data }) => [data.purpose, data.session.progress.text]), [['progress', 'two'], ['progress', 'three']].map((p, i) =>
		i ? p : [p[0], told(his, session)[0].data.session.progress.text]));
	assert.equal(told(hers, session).length, 0);
	for (const [body, at] of [[{ finished: 'some' }, '/finished'], [{ progress: 'yes' }, '/progress']]) {
		const reply = await member.put('/v1/me/notify', body);
		assert.deepEqual([reply.status, pointers(reply)], [422, [at]]);
	}
});
