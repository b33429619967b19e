// Webhooks: a settlement is told, signed, at least once, and never to an address that is not
// the receiver's own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Receiver } from './lib/receiver.mjs';
import { checkSchema } from './lib/schema.mjs';
import { approval, pointers } from './lib/samples.mjs';
import { Server, until, useServer } from './lib/server.mjs';

const HOUR = 3600e3;
const server = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8,::1',
	'--webhook-timeout', '1s'] });
const { agent, member, admin } = server;
const secret = async () => (await admin.post('/v1/webhook-secret')).body.secret;

/** A session that calls this receiver, with an open ask. */
async function asked(receiver, body = {}, session = {}) {
	const made = await agent.session({ on_settled: { webhook: receiver.url }, ...session });
	return agent.ask({ session: made.id, ...body });
}
const yes = (ask, who = member) => who.answer(ask, { q1: true });
const deliveries = async (session, status = '') => (await admin.get(
	`/v1/deliveries?session=${session}${status && `&status=${status}`}`)).body.items;
const now = () => Date.now() + Number(readFileSync(server.clockFile, 'utf8'));
/** After this many attempts it waits for the next. */
const paused = (session, attempts) => until(async () => (await deliveries(session))
	.find((d) => d.attempts === attempts && Date.parse(d.next_at) > now()), `attempt ${attempts}`);
const ended = (session, status) => until(async () => (await deliveries(session, status))[0],
	`a ${status} delivery`);

test('a settled ask is told, signed as Standard Webhooks has it', async () => {
	const receiver = await new Receiver().open();
	const ask = await asked(receiver);
	await yes(ask);
	const [got] = await receiver.some(1);
	const body = new Webhook(await secret()).verify(got.text, got.headers);
	assert.deepEqual([got.method, got.path, got.headers['content-type']],
		['POST', '/hook', 'application/json']);
	assert.equal(body.type, 'ask.answered');
	checkSchema('Ask', body.data.ask);
	checkSchema('Session', body.data.session);
	/* Once it is delivered it counts as fetched. */
	assert.deepEqual(body.data.ask, { ...await agent.read(ask), fetched_at: null });
	assert.equal(body.timestamp, body.data.ask.settled_at);
	assert.deepEqual([body.data.session.id, body.data.session.status, body.data.session.pending_asks],
		[ask.session, 'running', []]);
	const done = await ended(ask.session, 'done');
	assert.deepEqual([done.id, done.kind, done.ask, done.target, done.attempts, done.last_status,
		done.last_error, done.next_at],
	[got.headers['webhook-id'], 'webhook', ask.id, receiver.url, 1, 204, null, null]);
	assert.deepEqual((await admin.get(`/v1/deliveries/${done.id}`)).body, done);
});

test('a body that was changed on the way does not verify', async () => {
	const receiver = await new Receiver().open();
	await yes(await asked(receiver));
	const [got] = await receiver.some(1);
	const hook = new Webhook(await secret());
	assert.throws(() => hook.verify(got.text.replace('answered', 'skipped '), got.headers));
	assert.throws(() => new Webhook('whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=').verify(got.text, got.headers));
});

test('every way out of pending is told, once for each ask', async () => {
	const receiver = await new Receiver().open();
	const session = await agent.session({ parallel: true, on_settled: { webhook: receiver.url } });
	const ask = (body) => agent.ask({ session: session.id, ...body });
	const [answered, skipped, cancelled, expired, quiet, rejected] = [await ask(), await ask(),
		await ask(), await ask({ timeout: 60 }), await ask({ kind: 'non_blocking' }),
		await ask(approval())];
	await yes(answered);
	await member.post(`/v1/asks/${skipped.id}/skip`);
	await agent.post(`/v1/asks/${cancelled.id}/cancel`);
	/* What is on its way when the clock jumps counts as lost, and is sent again. */
	await until(async () => (await deliveries(session.id, 'done')).length === 3, 'the first ones');
	server.jump(61e3);
	await yes(quiet);
	await member.answer(rejected, { decision: 'reject' });
	await receiver.some(6);
	await until(async () => (await deliveries(session.id, 'done')).length === 6, 'all of them');
	const types = Object.fromEntries(receiver.got.map((g) => [g.body.data.ask.id, g.body.type]));
	assert.deepEqual(types, { [answered.id]: 'ask.answered', [skipped.id]: 'ask.skipped',
		[cancelled.id]: 'ask.cancelled', [expired.id]: 'ask.expired', [quiet.id]: 'ask.answered',
		[rejected.id]: 'ask.answered' });
	assert.equal(receiver.got.length, 6);
});

test('of ten settlings at once one is told of', async () => {
	const receiver = await new Receiver().open();
	const ask = await asked(receiver);
	const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? yes(ask)
		: member.post(`/v1/asks/${ask.id}/skip`))));
	assert.equal(replies.filter((r) => r.status === 200).length, 1);
	await ended(ask.session, 'done');
	assert.equal((await deliveries(ask.session)).length, 1);
	assert.equal(receiver.got.length, 1);
});

test('a session without on_settled calls nobody', async () => {
	const ask = await agent.ask();
	await yes(ask);
	assert.deepEqual(await deliveries(ask.session), []);
});

test('a deleted session is told nothing more', async () => {
	const receiver = await new Receiver((request, response) => response.writeHead(500).end()).open();
	const ask = await asked(receiver);
	const open = await asked(receiver);
	await yes(ask);
	await receiver.some(1);
	await agent.delete(`/v1/sessions/${ask.session}`);
	await agent.delete(`/v1/sessions/${open.session}`);
	assert.deepEqual([await deliveries(ask.session), await deliveries(open.session)], [[], []]);
});

test('a receiver that fails is tried again after each pause, with the same id', async () => {
	const receiver = await new Receiver((request, response, n) => {
		response.writeHead([500, 404, 302, 204][n - 1], { location: '/elsewhere' }).end();
	}).open();
	const ask = await asked(receiver);
	await yes(ask);
	for (let n = 1; n <= 3; n++) {
		assert.equal((await paused(ask.session, n)).last_status, [500, 404, 302][n - 1]);
		assert.equal(receiver.got.length, n);
		server.jump(6 * 60e3);
	}
	const done = await ended(ask.session, 'done');
	assert.equal(done.attempts, 4);
	assert.equal(new Set(receiver.got.map((g) => g.headers['webhook-id'])).size, 1);
	assert.equal(new Set(receiver.got.map((g) => g.headers['webhook-timestamp'])).size, 4);
	assert.ok(receiver.got.every((g) => g.path === '/hook'), 'a redirect was followed');
});

test('what fails for three days is dead, and can be replayed', async () => {
	let status = 503;
	const receiver = await new Receiver((request, response) => response.writeHead(status).end())
		.open();
	const ask = await asked(receiver);
	await yes(ask);
	for (let n = 1; n <= 10; n++) {
		await paused(ask.session, n);
		server.jump(30 * HOUR);
	}
	const dead = await ended(ask.session, 'dead');
	assert.deepEqual([dead.attempts, dead.last_error, dead.next_at], [11, 'HTTP 503', null]);
	assert.ok((await admin.get('/v1/deliveries?status=dead')).body.items.some((d) => d.id === dead.id));
	assert.match((await admin.get('/metrics')).text,
		/parley_deliveries\{kind="webhook",status="dead"\} [1-9]/);
	status = 200;
	const again = await admin.post(`/v1/deliveries/${dead.id}/replay`);
	assert.deepEqual([again.status, again.body.status, again.body.attempts], [200, 'waiting', 0]);
	assert.equal((await ended(ask.session, 'done')).attempts, 1);
});

test('Retry-After is heeded', async () => {
	const receiver = await new Receiver((request, response, n) => response
		.writeHead(n === 1 ? 429 : 204, { 'retry-after': '3600' }).end()).open();
	const ask = await asked(receiver);
	await yes(ask);
	const waiting = await until(async () => (await deliveries(ask.session))
		.find((d) => d.last_status === 429), 'the refusal');
	assert.ok(Date.parse(waiting.next_at) - now() > 55 * 60e3, waiting.next_at);
	server.jump(HOUR);
	await ended(ask.session, 'done');
});

test('410 turns the webhook off', async () => {
	const receiver = await new Receiver((request, response) => response.writeHead(410).end()).open();
	const ask = await asked(receiver);
	await yes(ask);
	const dead = await ended(ask.session, 'dead');
	assert.match(dead.last_error, /410/);
	assert.equal((await agent.get(`/v1/sessions/${ask.session}`)).body.on_settled, null);
	await yes(await agent.ask({ session: ask.session }));
	assert.equal((await deliveries(ask.session)).length, 1);
	assert.equal(receiver.got.length, 1);
});

test('a receiver too slow, or one that talks without end, holds nobody up', async () => {
	const slow = await new Receiver(() => {}).open();
	const wordy = await new Receiver((request, response) => {
		response.writeHead(200);
		const more = () => { while (!response.destroyed && response.write('x'.repeat(65536))); };
		response.on('drain', more);
		more();
	}).open();
	const fine = await new Receiver().open();
	const asks = [await asked(slow), await asked(wordy), await asked(fine)];
	await Promise.all(asks.map((ask) => yes(ask)));
	await ended(asks[1].session, 'done');
	await ended(asks[2].session, 'done');
	const waiting = await until(async () => (await deliveries(asks[0].session))
		.find((d) => d.last_error), 'the time limit');
	assert.match(waiting.last_error, /time/i);
	assert.equal(waiting.last_status, null);
});

test('one that never replies keeps no other waiting', async () => {
	const patient = new Server({ flags: ['--webhook-internal', '127.0.0.0/8',
		'--webhook-timeout', '300s', '--webhook-host-max', '2'] });
	const [deaf, quick] = [await new Receiver(() => {}).open('127.0.0.2'), await new Receiver().open()];
	try {
		const secrets = [await patient.token('agent', 'builder'), await patient.token('member', 'mia'),
			await patient.token('admin', 'ada')];
		await patient.start();
		const [a, m, d] = secrets.map((s) => patient.client(s));
		const call = async (receiver) => m.answer(await a.ask({ session: (await a.session({
			on_settled: { webhook: receiver.url } })).id }), { q1: true });
		for (let n = 0; n < 70; n++) await call(deaf); // more than are sent at once to all
		for (let n = 0; n < 5; n++) await call(quick);
		await until(async () => (await d.get('/v1/deliveries?status=done')).body.items.length === 5,
			'what the other was told');
		assert.deepEqual([quick.got.length, deaf.got.length], [5, 2]);
		assert.equal((await d.get('/v1/deliveries?status=waiting&limit=200')).body.items.length, 70);
	} finally {
		deaf.close();
		await patient.stop();
		patient.remove();
	}
});

test('one that the store refuses to have claimed is dead, and keeps no other waiting', { skip: process.env.PARLEY_TEST_POSTGRES }, async () => {
	const receiver = await new Receiver().open();
	const [refused, fine] = [await asked(receiver), await asked(receiver)];
	const store = (text) => execFileSync('sqlite3', ['-cmd', '.timeout 5000', join(server.data, 'parley.db'), text]);
	store(`CREATE TRIGGER refuse BEFORE UPDATE ON deliveries WHEN NEW.session = '${refused.session}' AND NEW.lease_by <> ''
		BEGIN SELECT RAISE(ABORT, 'planted'); END`);
	try {
		await yes(refused);
		await yes(fine);
		await receiver.some(1);
		const dead = await ended(refused.session, 'dead');
		assert.deepEqual([dead.attempts, dead.last_error, dead.last_status],
			[0, 'the store is busy; nothing was accepted: refused by the store: planted', null]);
		await ended(fine.session, 'done');
		store('DROP TRIGGER refuse');
		await admin.post(`/v1/deliveries/${dead.id}/replay`);
		await ended(refused.session, 'done');
	} finally {
		store('DROP TRIGGER IF EXISTS refuse');
	}
});

test('nobody at the door is an error that is tried again', async () => {
	const receiver = await new Receiver().open();
	const ask = await asked(receiver);
	receiver.close();
	await yes(ask);
	const waiting = await until(async () => (await deliveries(ask.session))
		.find((d) => d.last_error), 'the refusal');
	assert.deepEqual([waiting.status, waiting.attempts, waiting.last_status], ['waiting', 1, null]);
});

test('a second secret signs beside the first for a day', async () => {
	const receiver = await new Receiver().open();
	const first = await secret();
	const rotated = (await admin.post('/v1/webhook-secret', { rotate: true })).body;
	assert.equal(rotated.previous, first);
	assert.notEqual(rotated.secret, first);
	await yes(await asked(receiver));
	const [got] = await receiver.some(1);
	assert.equal(got.headers['webhook-signature'].split(' ').length, 2);
	const at = new Date(Number(got.headers['webhook-timestamp']) * 1000);
	const whole = (key) => new Webhook(key).sign(got.headers['webhook-id'], at, got.text);
	assert.deepEqual(got.headers['webhook-signature'].split(' '),
		[whole(rotated.secret), whole(first)]);
	server.jump(25 * HOUR);
	await yes(await asked(receiver));
	const [, later] = await receiver.some(2);
	assert.equal(later.headers['webhook-signature'].split(' ').length, 1);
	const shown = await server.run(['webhook', 'secret', '--data', server.data]);
	assert.equal(shown.stdout.trim(), rotated.secret);
});

test('deliveries and the secret are for admins alone', async () => {
	const [some] = (await admin.get('/v1/deliveries?limit=1')).body.items;
	for (const who of [agent, member]) {
		assert.equal((await who.get('/v1/deliveries')).status, 403);
		assert.equal((await who.get(`/v1/deliveries/${some.id}`)).status, 403);
		assert.equal((await who.post(`/v1/deliveries/${some.id}/replay`)).status, 403);
		assert.equal((await who.post('/v1/webhook-secret')).status, 403);
	}
	assert.equal((await server.nobody.get('/v1/deliveries')).status, 401);
	assert.equal((await admin.get('/v1/deliveries/dlv_0')).status, 404);
	assert.equal((await admin.post('/v1/deliveries/dlv_0/replay')).status, 404);
	assert.deepEqual(pointers(await admin.get('/v1/deliveries?status=gone')), ['/status']);
	assert.deepEqual(pointers(await admin.get('/v1/deliveries?kind=mail')), ['/kind']);
	assert.deepEqual(pointers(await admin.post('/v1/webhook-secret', { rotate: 1 })), ['/rotate']);
});

test('deliveries come in pages', async () => {
	const all = (await admin.get('/v1/deliveries?limit=200')).body.items;
	const seen = [];
	for (let cursor = ''; cursor !== null;) {
		const page = (await admin.get(`/v1/deliveries?limit=5${cursor && `&cursor=${cursor}`}`)).body;
		seen.push(...page.items);
		cursor = page.next_cursor;
	}
	assert.deepEqual(seen.map((d) => d.id), all.map((d) => d.id));
	assert.ok(all.length > 10);
});

test('the command line lists and replays', async () => {
	const at = ['--data', server.data];
	const listed = await server.run(['delivery', 'list', '--status', 'dead', ...at]);
	assert.equal(listed.code, 0, listed.stderr);
	const id = /dlv_\w{26}/.exec(listed.stdout)[0];
	assert.equal((await server.run(['delivery', 'replay', id, ...at])).code, 0);
	assert.equal((await server.run(['delivery', 'replay', 'dlv_0', ...at])).code, 5);
	const json = JSON.parse((await server.run(['delivery', 'list', '--json', ...at])).stdout);
	assert.ok(json.items.length > 0);
});

// ---- where webhooks may go ----

test('internal addresses and plain HTTP are refused unless they are allowed', async () => {
	const strict = new Server();
	try {
		const [a] = [await strict.token('agent', 'builder')];
		await strict.start();
		const client = strict.client(a);
		for (const url of ['http://example.org/', 'https://127.0.0.1/', 'https://[::1]/',
			'https://10.1.2.3/', 'https://169.254.169.254/latest', 'https://[fd00:ec2::254]/',
			'https://[::ffff:127.0.0.1]/', 'https://u:p@example.org/', 'https://0.0.0.0/']) {
			const reply = await client.post('/v1/sessions', { title: 'x', on_settled: { webhook: url } });
			assert.deepEqual([reply.status, pointers(reply)], [422, ['/on_settled/webhook']], url);
		}
		assert.equal((await client.post('/v1/sessions', { title: 'x',
			on_settled: { webhook: 'https://example.org/hook' } })).status, 201);
	} finally {
		await strict.stop();
		strict.remove();
	}
});

test('a name that leads to an internal address is refused when it connects', async () => {
	const receiver = await new Receiver().open('127.0.0.1');
	const strict = new Server();
	try {
		const secrets = [await strict.token('agent', 'builder'), await strict.token('member', 'mia'),
			await strict.token('admin', 'ada')];
		await strict.start();
		const [a, m, d] = secrets.map((s) => strict.client(s));
		for (const host of ['localhost', '2130706433', '0x7f.1', '127.1']) {
			const session = await a.session({ on_settled: {
				webhook: `https://${host}:${receiver.port}/` } });
			await m.answer(await a.ask({ session: session.id }), { q1: true });
			const dead = await until(async () => (await d.get(
				`/v1/deliveries?status=dead&session=${session.id}`)).body.items[0], host);
			assert.match(dead.last_error, /may not be connected to/, host);
		}
		assert.equal(receiver.got.length, 0);
	} finally {
		await strict.stop();
		strict.remove();
	}
});

test('certificates are checked', async () => {
	const tls = (name) => {
		const [key, cert] = [join(server.home, `${name}.key`), join(server.home, `${name}.pem`)];
		execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt',
			'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert, '-days', '2',
			'-subj', '/CN=x', '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'pipe' });
		return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
	};
	const [known, unknown] = [tls('known'), tls('unknown')];
	const safe = new Server({ flags: ['--webhook-internal', '127.0.0.1'],
		env: { SSL_CERT_FILE: known.file } });
	try {
		const secrets = [await safe.token('agent', 'builder'), await safe.token('member', 'mia'),
			await safe.token('admin', 'ada')];
		await safe.start();
		const [a, m, d] = secrets.map((s) => safe.client(s));
		const call = async (receiver) => {
			const session = await a.session({ on_settled: { webhook: receiver.url } });
			await m.answer(await a.ask({ session: session.id }), { q1: true });
			return until(async () => (await d.get(`/v1/deliveries?session=${session.id}`)).body.items
				.find((x) => x.status === 'done' || x.last_error), 'the outcome');
		};
		assert.equal((await call(await new Receiver(undefined, known).open())).status, 'done');
		const refused = await call(await new Receiver(undefined, unknown).open());
		assert.equal(refused.status, 'waiting');
		assert.match(refused.last_error, /certificate/i);
	} finally {
		await safe.stop();
		safe.remove();
	}
});

// ---- what survives (last: these stop the server) ----

test('kill -9 in the middle of a delivery: it comes again', async () => {
	const replies = [];
	const receiver = await new Receiver((request, response, n) => {
		if (n === 1) replies.push(response);
		else response.writeHead(204).end();
	}).open();
	const ask = await asked(receiver);
	await yes(ask);
	await receiver.some(1);
	await server.crash();
	replies[0].destroy();
	server.jump(61e3); // the lease of who died
	const [first, second] = await receiver.some(2);
	assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
	assert.equal((await ended(ask.session, 'done')).attempts, 2);
});

test('SIGTERM lets what is under way finish', async () => {
	let reply;
	const receiver = await new Receiver((request, response) => { reply = response; }).open();
	const ask = await asked(receiver);
	await yes(ask);
	await receiver.some(1);
	const stopped = server.stop();
	setTimeout(() => reply.writeHead(204).end(), 200);
	assert.equal((await stopped).code, 0);
	await server.start();
	assert.equal((await ended(ask.session, 'done')).attempts, 1);
	assert.equal(receiver.got.length, 1);
});
