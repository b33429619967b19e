// ?wait=: a reply that is held until the ask is settled. No connection is a hostage.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { sleep, until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, stranger } = server;

/** What a wait of 17 seconds gets, piece by piece; it goes on beside the other tests. */
const patient = (async () => {
	const parts = [];
	const ask = await agent.ask();
	await agent.get(`/v1/asks/${ask.id}?wait=17`, { onHeaders: (response) => {
		response.on('data', (part) => parts.push(part.toString()));
	} });
	return parts;
})();

const timed = async (promise) => {
	const start = Date.now();
	const result = await promise;
	return [result, Date.now() - start];
};

test('GET with wait is held until the ask is answered', async () => {
	const ask = await agent.ask();
	const waiting = await agent.held(`/v1/asks/${ask.id}?wait=300`);
	let ended = false;
	waiting.reply.then(() => { ended = true; });
	await sleep(100);
	assert.equal(ended, false);
	await member.answer(ask, { q1: true });
	const reply = await waiting.reply;
	assert.equal(reply.status, 200);
	assert.equal(reply.body.status, 'answered');
});

for (const verb of ['skip', 'cancel']) {
	test(`${verb} ends a wait`, async () => {
		const ask = await agent.ask();
		const waiting = await agent.held(`/v1/asks/${ask.id}?wait=300`);
		await server.admin.post(`/v1/asks/${ask.id}/${verb}`);
		assert.notEqual((await waiting.reply).body.status, 'pending');
	});
}

test('a deadline ends a wait', async () => {
	const ask = await agent.ask({ timeout: 1 });
	assert.equal((await agent.get(`/v1/asks/${ask.id}?wait=30`)).body.status, 'expired');
});

test('when the time is up the ask comes as it is, pending', async () => {
	const ask = await agent.ask();
	const [reply, ms] = await timed(agent.get(`/v1/asks/${ask.id}?wait=1`));
	assert.equal(reply.body.status, 'pending');
	assert.ok(ms >= 900 && ms < 20_000, String(ms));
});

test('a settled ask is not waited for', async () => {
	const ask = await agent.ask();
	await member.answer(ask, { q1: true });
	const [reply, ms] = await timed(agent.get(`/v1/asks/${ask.id}?wait=30`));
	assert.equal(reply.body.status, 'answered');
	assert.ok(ms < 10_000, String(ms));
});

test('wait=0 does not wait', async () => {
	const ask = await agent.ask();
	const [reply, ms] = await timed(agent.get(`/v1/asks/${ask.id}?wait=0`));
	assert.equal(reply.body.status, 'pending');
	assert.ok(ms < 10_000, String(ms));
});

for (const wait of ['301', '-1', 'x', '']) {
	test(`wait=${wait} is 422`, async () => {
		const ask = await agent.ask();
		assert.equal((await agent.get(`/v1/asks/${ask.id}?wait=${wait}`)).status, 422);
		const reply = await agent.post(`/v1/asks?wait=${wait}`, { question: 'A?', type: 'boolean' });
		assert.equal(reply.status, 422);
	});
}

test('POST with wait replies 201 with the settled ask', async () => {
	const { as_of: before } = await agent.events();
	const waiting = agent.post('/v1/asks?wait=30', { question: 'A?', type: 'boolean' });
	const event = await until(async () => (await agent.events(before, '&types=ask.created')).items[0]);
	await member.answer({ id: event.ask }, { q1: true });
	const reply = await waiting;
	assert.equal(reply.status, 201);
	assert.deepEqual(reply.body.answer, { q1: { value: true } });
});

test('the headers go out as soon as the ask is durable', async () => {
	const { as_of: before } = await agent.events();
	let begun;
	const head = new Promise((resolve) => { begun = resolve; });
	const waiting = agent.post('/v1/asks?wait=300', { question: 'A?', type: 'boolean' }, { onHeaders: begun });
	await head;
	const [made] = (await agent.events(before, '&types=ask.created')).items;
	await member.answer({ id: made.ask }, { q1: true });
	assert.equal((await waiting).body.status, 'answered');
});

test('a body that is wrong is refused at once, wait or not', async () => {
	const [reply, ms] = await timed(agent.post('/v1/asks?wait=30', { question: '' }));
	assert.equal(reply.status, 422);
	assert.ok(ms < 10_000);
});

test('losing the connection changes nothing', async () => {
	const { as_of: before } = await agent.events();
	const cut = new AbortController();
	const lost = agent.post('/v1/asks?wait=60', { question: 'A?', type: 'boolean' },
		{ signal: cut.signal }).catch((error) => error.name);
	const event = await until(async () => (await agent.events(before, '&types=ask.created')).items[0]);
	cut.abort();
	assert.equal(await lost, 'AbortError');
	await sleep(100);
	const ask = await agent.read({ id: event.ask });
	assert.equal(ask.status, 'pending');
	assert.equal((await member.answer(ask, { q1: true })).status, 200);
});

test('a person who asks back ends the wait, the ask still pending', async () => {
	const ask = await agent.ask();
	const waiting = await agent.held(`/v1/asks/${ask.id}?wait=300`);
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Which one?' });
	const reply = await waiting.reply;
	assert.equal(reply.body.status, 'pending');
	assert.equal(reply.body.replies[0].text, 'Which one?');
});

for (const [what, happens] of [
	["the agent's own reply", (ask) => agent.post(`/v1/asks/${ask.id}/replies`, { text: 'More context.' })],
	['a claim', (ask) => member.post(`/v1/asks/${ask.id}/claim`)],
	['an extension', (ask) => member.post(`/v1/asks/${ask.id}/extend`, { timeout: '1h' })],
]) {
	test(`${what} does not end a wait`, async () => {
		const ask = await agent.ask();
		const waiting = await agent.held(`/v1/asks/${ask.id}?wait=300`);
		assert.ok((await happens(ask)).status < 300);
		await member.answer(ask, { q1: true });
		assert.equal((await waiting.reply).body.status, 'answered');
	});
}

test('fifty waiters of one ask all learn of the answer', async () => {
	const ask = await agent.ask();
	const waiting = await Promise.all(Array.from({ length: 50 }, () => agent.held(`/v1/asks/${ask.id}?wait=300`)));
	await member.answer(ask, { q1: true });
	const replies = await Promise.all(waiting.map(({ reply }) => reply));
	assert.ok(replies.every((r) => r.body.status === 'answered'));
});

test('no wake-up is missed when the answer races the wait', async () => {
	for (let i = 0; i < 50; i++) {
		const ask = await agent.ask();
		const [reply] = await Promise.all([agent.get(`/v1/asks/${ask.id}?wait=10`),
			member.answer(ask, { q1: true })]);
		assert.equal(reply.body.status, 'answered');
	}
});

test('another agent cannot wait for it', async () => {
	const ask = await agent.ask();
	assert.equal((await stranger.get(`/v1/asks/${ask.id}?wait=30`)).status, 404);
});

test('deleting the session ends a wait with what is left to say', async () => {
	const ask = await agent.ask();
	const waiting = await agent.held(`/v1/asks/${ask.id}?wait=300`, { check: false });
	const began = Date.now();
	await agent.delete(`/v1/sessions/${ask.session}`);
	await waiting.reply;
	assert.ok(Date.now() - began < 200_000, 'the waiter was left hanging');
});

test('a wait works without keep-alive', async () => {
	const ask = await agent.ask();
	const reply = await new Promise((resolve, reject) => {
		http.get({ host: '127.0.0.1', port: server.port, path: `/v1/asks/${ask.id}?wait=1`,
			headers: agent.headers({ connection: 'close' }), agent: false }, (response) => {
			let text = '';
			response.on('data', (part) => { text += part; });
			response.on('end', () => resolve(JSON.parse(text)));
		}).on('error', reject);
	});
	assert.equal(reply.id, ask.id);
});

test('a space comes every 15 seconds', { timeout: 300_000 }, async () => {
	assert.match((await patient).join(''), /^ +\{/);
});

test('SIGTERM ends waits with the ask as it is; it is there after the next start', async () => {
	const ask = await agent.ask();
	const waiting = await Promise.all([agent.held(`/v1/asks/${ask.id}?wait=300`), member.held(`/v1/asks/${ask.id}?wait=300`)]);
	server.child.kill('SIGTERM');
	for (const { reply } of waiting) {
		const { status, body } = await reply;
		assert.deepEqual([status, body.id, body.status], [200, ask.id, 'pending']);
	}
	assert.equal((await server.exited).code, 0);
	await server.start();
	assert.equal((await agent.read(ask)).status, 'pending');
});
