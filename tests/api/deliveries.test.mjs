// Deliveries beside each other: what one agent does delays nobody else's; what cannot be built
// fails alone; replies and late answers reach a stopped agent as settlements do.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Receiver } from './lib/receiver.mjs';
import { approval } from './lib/samples.mjs';
import { sleep, until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-deliveries-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'parley.conf');
writeFileSync(config, `[resumers]
hang = sh -c 'sleep 1000'
quick = sh -c 'cat >${folder}/$PARLEY_DELIVERY'
`);
const server = await useServer({ flags: ['--config', config, '--webhook-internal', 'yes'] });
const { agent, stranger, member, admin } = server;

const yes = (ask) => member.answer(ask, { q1: true });
const deliveries = async (session) => (await admin.get(`/v1/deliveries?session=${session}`)).body.items;
const ended = (session, status = 'done', fits = () => true) => until(async () => (await deliveries(session))
	.find((d) => d.status === status && fits(d)), `a ${status} delivery`);
const context = (delivery) => readFileSync(join(folder, delivery.id), 'utf8');

async function asked(who, on_settled, body = {}, session = {}) {
	const made = await who.session({ on_settled, ...session });
	return who.ask({ session: made.id, ...body });
}

/** A listener that takes connections and never says a word; hosts of 127/8 count as so many hosts. */
async function tarpit(host) {
	const sockets = new Set();
	const listener = net.createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
	});
	await new Promise((done) => listener.listen(0, host, done));
	after(() => {
		sockets.forEach((socket) => socket.destroy());
		listener.close();
	});
	return `http://${host}:${listener.address().port}/`;
}

test('hanging resumers of one agent keep nobody else waiting', async () => {
	const hanging = [];
	for (let i = 0; i < 20; i++) hanging.push(await asked(agent, { resumer: 'hang' }));
	for (const ask of hanging) await yes(ask);
	await until(async () => (await agent.events(0, '&types=session.resuming')).items.length >= 8, 'some that hang');
	const began = Date.now();
	const ask = await asked(stranger, { resumer: 'quick' });
	await yes(ask);
	await ended(ask.session);
	assert.ok(Date.now() - began < 5000, `${Date.now() - began} ms`);
	assert.equal((await agent.events(0, '&types=session.resuming')).items.length, 8, 'half of the slots');
	for (const { session } of hanging) await agent.delete(`/v1/sessions/${session}`);
});

test('tarpits of one agent keep nobody else waiting', async () => {
	const pits = [];
	for (let i = 1; i <= 9; i++) pits.push(await tarpit(`127.0.7.${i}`));
	const stuck = [];
	for (let i = 0; i < 81; i++) stuck.push(await asked(agent, { webhook: pits[i % 9] }));
	await Promise.all(stuck.map(yes));
	await until(async () => (await admin.get('/v1/deliveries?status=waiting&limit=200')).body.items
		.filter((d) => d.kind === 'webhook' && d.attempts > 0).length >= 32, 'half of the slots');
	const receiver = await new Receiver().open();
	for (let i = 0; i < 5; i++) {
		const ask = await asked(stranger, { webhook: receiver.url });
		const began = Date.now();
		await yes(ask);
		await receiver.some(1, ask);
		/* Behind a tarpit it would be 20 s (webhook_timeout), also on a machine that is slow today. */
		assert.ok(Date.now() - began < 5000, `${Date.now() - began} ms`);
	}
	for (const { session } of stuck) await agent.delete(`/v1/sessions/${session}`);
});

test('a session too large to be told whole is told cut, and stands in nobody\'s way', async () => {
	const session = await agent.session({ parallel: true, on_settled: { resumer: 'quick' } });
	const piece = 'x'.repeat(75_000);
	const asks = [];
	for (let i = 0; i < 75; i++) {
		asks.push(await agent.ask({ session: session.id, question: `Question ${i}?`, type: 'text',
			context: { a: piece, b: piece, c: piece, d: piece } }));
	}
	for (const ask of asks) await member.answer(ask, { q1: `Answer to ${ask.id}: ${'y'.repeat(9000)}` });
	const other = await asked(stranger, { resumer: 'quick' });
	await yes(other);
	await ended(other.session);
	const done = await ended(session.id);
	const text = context(done);
	assert.ok(Buffer.byteLength(text) <= 256 * 1024, `${text.length}`);
	assert.ok(text.includes(`Answer to ${asks.at(-1).id}`), 'the newest');
	assert.ok(!text.includes(`Answer to ${asks[0].id}`), 'the oldest is left out');
	assert.match(text, /older ones are left out/);
	assert.equal((await server.nobody.get('/readyz')).status, 200);
	const { body } = await agent.get(`/v1/sessions/${session.id}/resume`);
	assert.equal(body.context, text);
});

test('a resumed agent gets all that was decided', async () => {
	const session = await agent.session({ on_settled: { resumer: 'quick' } });
	const ask = await agent.ask({ session: session.id, ...approval() });
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Is it safe?' });
	await ended(session.id, 'done', (d) => d.purpose === 'replied');
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'It is.' });
	const answered = await member.answer(ask, { decision: { value: 'approve', arguments: { cmd: 'make dry-run' } } });
	assert.equal(answered.status, 200);
	const text = context(await ended(session.id, 'done', (d) => d.purpose === 'settled'));
	for (const part of [ask.id, session.id, 'Arguments, as a person edited them: {"cmd":"make dry-run"}',
		answered.body.ask.approved_digest, 'Answered by a person (mia)', ': Is it safe?', '- you, ', ': It is.']) {
		assert.ok(text.includes(part), `${part}\n${text}`);
	}
});

test('an ask back wakes a stopped agent and calls its webhook, each time', async () => {
	const receiver = await new Receiver().open();
	const ask = await asked(agent, { resumer: 'quick', webhook: receiver.url });
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Which one?' });
	const [first] = await receiver.some(1);
	assert.equal(first.body.type, 'ask.replied');
	assert.equal(first.body.data.ask.status, 'pending');
	assert.equal(first.body.data.ask.replies.at(-1).text, 'Which one?');
	const replied = await ended(ask.session, 'done', (d) => d.kind === 'resumer');
	assert.equal(replied.purpose, 'replied');
	assert.match(context(replied), /Still open:[^]*a person \(mia\), [^ ]+: Which one\?/);
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'The first.' });
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Are you sure?' });
	await receiver.some(2);
	await until(async () => (await deliveries(ask.session)).filter((d) => d.status === 'done').length === 4, 'both again');
	await yes(ask);
	await receiver.some(3);
	assert.deepEqual(receiver.got.map((g) => g.body.type), ['ask.replied', 'ask.replied', 'ask.answered']);
});

test('what was delivered the agent has', async () => {
	const receiver = await new Receiver().open();
	const ask = await asked(agent, { webhook: receiver.url });
	await yes(ask);
	await receiver.some(1);
	await until(async () => (await member.get(`/v1/asks/${ask.id}`)).body.fetched_at, 'that it is known');
});

test('a late answer wakes a stopped agent', async () => {
	const receiver = await new Receiver().open();
	const late = await asked(agent, { resumer: 'quick', webhook: receiver.url }, { timeout: 60 });
	server.jump(61e3);
	await ended(late.session, 'done', (d) => d.kind === 'resumer' && d.purpose === 'settled');
	assert.equal((await member.post(`/v1/asks/${late.id}/replies`, { text: 'Yes, do it' })).status, 201);
	const woken = await ended(late.session, 'done', (d) => d.kind === 'resumer' && d.purpose === 'late');
	assert.match(context(woken), /Late answer, after the deadline:\n- a person \(mia\), [^ ]+: Yes, do it/);
	assert.deepEqual((await receiver.some(2, late)).map((g) => g.body.type), ['ask.expired', 'ask.replied']);

	const aside = await asked(agent, { resumer: 'quick' }, { kind: 'non_blocking' });
	await yes(aside);
	assert.equal((await ended(aside.session)).purpose, 'late');

	const busy = await asked(agent, { resumer: 'quick' }, { kind: 'non_blocking' }, { parallel: true });
	await agent.patch(`/v1/sessions/${busy.session}`, { status: 'running' });
	await yes(busy);
	await sleep(300);
	assert.deepEqual(await deliveries(busy.session), [], 'its agent is at work');
});

test('news of one session come one after the other', async () => {
	const ask = await asked(agent, { resumer: 'quick' });
	await Promise.all(['a', 'b', 'c'].map((text) => member.post(`/v1/asks/${ask.id}/replies`, { text })));
	await yes(ask);
	await until(async () => (await deliveries(ask.session)).filter((d) => d.status === 'done').length === 4, 'all four');
	const told = (await agent.events(0, `&session=${ask.session}&types=session.resuming,session.resumed`)).items;
	assert.deepEqual(told.map((e) => e.type), Array.from({ length: 4 }, () => ['session.resuming', 'session.resumed']).flat());
	assert.ok((await deliveries(ask.session)).every((d) => existsSync(join(folder, d.id))));
});
