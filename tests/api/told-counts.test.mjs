// Who was told, counted: random routes, kills, receivers that fail, a clock that is moved; a storm; links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, play } from '../lib/telling.mjs';
import { Receiver } from './lib/receiver.mjs';
import { until, useServer } from './lib/server.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const count = Number(process.env.PARLEY_COUNT ?? (long ? 10_000 : 60));
const server = await useServer({ keepPort: true, flags: ['--webhook-internal', '127.0.0.0/8', '--notify-rate', '1000', '--ask-rate', '0'] });

test(`every step that is due is told, none early, none begun after the settlement (seed ${seed})`, async (t) => {
	const counts = check(await play([server], server.secrets, { count, seed, kill: long ? 20 : 50 }));
	t.diagnostic(JSON.stringify(counts));
	assert.equal(counts.asks, count);
	assert.ok(counts.told > 0 && counts.settled > 0);
});

test('links settle nothing, however often and by whichever method they are fetched', async (t) => {
	const ask = await server.agent.ask();
	const times = long ? 2500 : 10;
	for (let i = 0; i < times; i++) {
		for (const method of ['GET', 'HEAD']) {
			for (const path of [`/asks/${ask.id}`, `/asks/${ask.id}?answer=true&value=approve`]) {
				const reply = await server.nobody.request(method, path, { check: false });
				assert.equal(reply.status, 200);
			}
		}
	}
	for (const path of [`/asks/${ask.id}`, `/asks/${ask.id}/answer`]) {
		const form = await server.nobody.request('POST', path, { body: 'answer=true', type: 'application/x-www-form-urlencoded', check: false });
		assert.ok(form.status >= 400, `${path}: ${form.status}`);
	}
	assert.equal((await server.member.read(ask)).status, 'pending');
	t.diagnostic(`${times * 4} fetched`);
	await server.admin.answer(ask, { q1: true });
});

test('a storm becomes ten messages a minute and one summary', { skip: !long }, async (t) => {
	const calm = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8', '--ask-rate', '0'] });
	const receiver = await new Receiver().open();
	const mia = (await calm.member.get('/v1/me')).body.user;
	await calm.admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'webhook', address: receiver.url, name: 'phone' });
	const { version } = (await calm.admin.get('/v1/routes')).body;
	await calm.admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${mia.id}`] }] }] });
	const session = (await calm.agent.post('/v1/sessions', { title: 'Storm', parallel: true })).body;
	for (let i = 0; i < 50; i++) {
		await Promise.all(Array.from({ length: 20 }, () => calm.agent.ask({ session: session.id })));
	}
	const of = (purpose) => receiver.got.filter((g) => g.body.data.purpose === purpose).length;
	await until(() => of('ask') === 10, 'the first ten');
	await until(async () => (await calm.admin.get('/v1/deliveries?purpose=ask&status=done&limit=200')).body.items.length === 10
		&& (await calm.admin.get('/v1/deliveries?kind=route&status=waiting&limit=1')).body.items.length === 0, 'all were looked at');
	calm.jump(61e3);
	await until(() => of('summary') >= 1, 'the summary');
	calm.jump(61e3);
	await until(async () => !(await calm.admin.get('/v1/deliveries?status=waiting&limit=1')).body.items.length, 'nothing is left');
	t.diagnostic(JSON.stringify({ ask: of('ask'), summary: of('summary') }));
	assert.deepEqual([of('ask'), of('summary')], [10, 1]);
});
