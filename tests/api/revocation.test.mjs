// Rights that end at once: what a lost credential held open ends without the answer, and nobody
// else notices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegacyClient, question } from './lib/mcp.mjs';
import { sleep, until, useServer } from './lib/server.mjs';

const server = await useServer();
const { admin, agent, member, nobody } = server;

let count = 0;
const newToken = async (body = {}) => {
	const reply = await admin.post('/v1/tokens', { role: 'agent', name: `brief-${count++}`, ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};

/** A user who has logged in: {id, cookie}. */
async function person(role = 'member') {
	const made = (await admin.post('/v1/users', { name: `person-${count++}`, role })).body;
	const reply = await nobody.post('/v1/login', { code: made.login.split('#')[1] });
	return { id: made.id, cookie: reply.headers['set-cookie'][0].split(';')[0] };
}

/** GET with a wait: → {status, body, ms} when it ends. `status` is the head's, which is out before. */
async function waits(ask, { token, cookie }, path = `/v1/asks/${ask.id}?wait=60`) {
	const start = Date.now();
	const headers = token ? { authorization: `Bearer ${token}` } : { cookie };
	const reply = await fetch(server.url + path, { headers });
	const text = await reply.text();
	return { status: reply.status, body: JSON.parse(text), ms: Date.now() - start };
}

async function waiters(n) {
	await until(async () => Number(/^parley_waiters (\d+)/m.exec((await admin.get('/metrics')).text)?.[1]) >= n,
		`${n} waiters`);
}

function assertEnded(got) {
	assert.deepEqual([got.status, got.body.status, got.body.type], [200, 401, '/problems/unauthorized']);
	assert.equal(got.body.answer, undefined);
}

test('the wait of a deleted token ends at once, without the answer; others go on', async () => {
	const lost = await newToken({ agent: 'builder' });
	const ask = await agent.ask();
	const waiting = waits(ask, lost);
	const other = agent.get(`/v1/asks/${ask.id}?wait=60`);
	await waiters(2);
	assert.equal((await admin.delete(`/v1/tokens/${lost.id}`)).status, 204);
	assert.equal((await member.answer(ask, { q1: true })).status, 200);
	assertEnded(await waiting);
	assert.equal((await other).body.status, 'answered');
});

test('a wait that began with the ask ends likewise', async () => {
	const lost = await newToken();
	const { as_of: before } = await admin.events();
	const start = Date.now();
	const asking = fetch(`${server.url}/v1/asks?wait=60`, { method: 'POST',
		headers: { authorization: `Bearer ${lost.token}`, 'content-type': 'application/json' },
		body: JSON.stringify({ question: 'Now?', type: 'boolean' }) });
	await until(async () => (await admin.events(before, '&types=ask.created')).items[0]);
	await admin.delete(`/v1/tokens/${lost.id}`);
	const reply = await asking;
	assertEnded({ status: reply.status - 1, body: await reply.json() });
	assert.ok(Date.now() - start < 30_000);
});

test('a deleted token gets no answer that was given in the same moment after it', async () => {
	for (let round = 0; round < 20; round++) {
		const lost = await newToken({ agent: 'builder' });
		const ask = await agent.ask();
		const waiting = waits(ask, lost);
		await sleep(5 * (round % 4));
		await admin.delete(`/v1/tokens/${lost.id}`);
		await member.answer(ask, { q1: true });
		const got = await waiting;
		assert.equal(got.body.status, 401, JSON.stringify(got.body));
	}
});

for (const [what, end] of [
	['disabled', (id) => admin.patch(`/v1/users/${id}`, { disabled: true })],
	['deleted', (id) => admin.delete(`/v1/users/${id}`)],
]) {
	test(`the waits and streams of a ${what} user end; those of others do not`, async () => {
		const gone = await person(), stays = await person();
		const ask = await agent.ask();
		const waiting = waits(ask, gone), other = waits(ask, stays);
		const stream = await nobody.stream('', { cookie: gone.cookie });
		const kept = await nobody.stream('', { cookie: stays.cookie });
		await stream.frame();
		await kept.frame();
		await waiters(2);
		assert.ok((await end(gone.id)).status < 300);
		assertEnded(await waiting);
		await until(() => stream.ended, 'the end of the stream', 5000);
		await member.answer(ask, { q1: true });
		assert.equal((await other).body.status, 'answered');
		await kept.eventsUntil((event) => event.type === 'ask.answered');
		assert.equal(stream.frames.filter((frame) => frame.data?.ask === ask.id).length, 0);
		kept.close();
	});
}

test('a logout ends what that login held open, and no other login of the user', async () => {
	const one = await person();
	const link = (await admin.patch(`/v1/users/${one.id}`, { login: true })).body.login;
	const second = (await nobody.post('/v1/login', { code: link.split('#')[1] }))
		.headers['set-cookie'][0].split(';')[0];
	const ask = await agent.ask();
	const waiting = waits(ask, one), other = waits(ask, { cookie: second });
	await waiters(2);
	await nobody.post('/v1/logout', {}, { headers: { cookie: one.cookie, origin: server.url } });
	assertEnded(await waiting);
	await member.answer(ask, { q1: true });
	assert.equal((await other).body.status, 'answered');
});

test('a held call of MCP ends with its token, without the answer', async () => {
	const lost = await newToken({ name: 'mcp-lost' });
	const client = await new LegacyClient(server, lost.token).open();
	const { as_of: before } = await admin.events();
	const calling = client.request('tools/call', { name: 'ask_user_question', arguments: question() });
	const event = await until(async () => (await admin.events(before, '&types=ask.created')).items[0]);
	await waiters(1);
	await admin.delete(`/v1/tokens/${lost.id}`);
	await member.post(`/v1/asks/${event.ask}/answer`, { answers: { q1: 'SQLite' } });
	const { reply } = await calling;
	assert.equal(reply.result, undefined);
	assert.ok(reply.error, JSON.stringify(reply));
});
