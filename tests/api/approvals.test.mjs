// Approvals: what was approved is what runs, once.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { approval, pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger } = server;

/** RFC 8785 for what these tests use: sorted members, no blanks. */
function canonical(value) {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value && typeof value === 'object') {
		return `{${Object.keys(value).sort().map((k) => `${JSON.stringify(k)}:${canonical(value[k])}`)
			.join(',')}}`;
	}
	return JSON.stringify(value);
}
const digest = (value) => `sha256:${createHash('sha256').update(canonical(value)).digest('hex')}`;

const use = (ask, sum = ask.digest) => agent.post(`/v1/asks/${ask.id}/use`, { digest: sum });
const decide = (ask, value, who = member) => who.answer(ask, { decision: value });

test('the digest is over type, name, arguments and session in RFC 8785 form', async () => {
	const ask = await agent.ask(approval());
	assert.equal(ask.digest, digest({ type: 'tool', name: 'shell',
		arguments: { cmd: 'make deploy' }, session: ask.session }));
});

test('members absent in the operation are left out of the digest', async () => {
	const ask = await agent.ask(approval({ operation: { name: 'reboot' } }));
	assert.equal(ask.digest, digest({ name: 'reboot', session: ask.session }));
});

test('the risk is no part of the digest', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const one = await agent.ask(approval({ session, operation: { name: 'x', risk: 'low' } }));
	const two = await agent.ask(approval({ session, operation: { name: 'x', risk: 'high' } }));
	assert.equal(one.digest, two.digest);
});

test('the order of members does not change the digest, their values do', async () => {
	const session = (await agent.session({ parallel: true })).id;
	const of = async (args) => (await agent.ask(approval({ session,
		operation: { name: 'x', arguments: args } }))).digest;
	assert.equal(await of({ a: 1, b: 'ü' }), await of({ b: 'ü', a: 1 }));
	assert.notEqual(await of({ a: 1 }), await of({ a: 2 }));
});

test('the same operation in another session has another digest', async () => {
	assert.notEqual((await agent.ask(approval())).digest, (await agent.ask(approval())).digest);
});

for (const [name, value] of [['a string', 'approve'], ['the full form', { value: 'approve' }]]) {
	test(`an approval is given by ${name}`, async () => {
		const ask = await agent.ask(approval());
		const reply = await decide(ask, value);
		assert.equal(reply.status, 200);
		assert.deepEqual(reply.body.ask.answer, { decision: { value: 'approve' } });
		assert.deepEqual([reply.body.ask.digest, reply.body.ask.approved_digest],
			[ask.digest, ask.digest]);
	});
}

test('a rejection approves nothing', async () => {
	const ask = await agent.ask(approval());
	const reply = await decide(ask, { value: 'reject', text: 'Not on a Friday.' });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.ask.answer,
		{ decision: { value: 'reject', text: 'Not on a Friday.' } });
	assert.equal(reply.body.ask.approved_digest, null);
});

test('anything but approve or reject is refused', async () => {
	const ask = await agent.ask(approval());
	for (const value of ['yes', 'ok', 1, null, { value: 'Approve!' }, [], {}]) {
		assert.equal((await decide(ask, value)).status, 422, JSON.stringify(value));
	}
	assert.equal((await member.read(ask)).status, 'pending');
});

test('edited arguments give a digest of their own', async () => {
	const ask = await agent.ask(approval());
	const edited = { cmd: 'make deploy DRY=1' };
	const reply = await decide(ask, { value: 'approve', arguments: edited });
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body.ask.answer.decision.arguments, edited);
	assert.equal(reply.body.ask.approved_digest, digest({ type: 'tool', name: 'shell',
		arguments: edited, session: ask.session }));
	assert.notEqual(reply.body.ask.approved_digest, ask.digest);
});

test('an approved operation may be used once', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	const first = await use(ask);
	assert.equal(first.status, 200);
	assert.equal(first.body.id, ask.id);
	const second = await use(ask);
	assert.equal(second.status, 409);
	assert.equal(second.body.ask.id, ask.id);
});

test('a use with the same Idempotency-Key is no second use: 409, and it says when', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	const again = () => agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest },
		{ headers: { 'idempotency-key': 'the-same' } });
	assert.equal((await again()).status, 200);
	const second = await again();
	assert.equal(second.status, 409);
	assert.match(second.body.detail, /used at \d{4}-\d\d-\d\dT/);
});

test('of ten uses at once one is let through', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	const replies = await Promise.all(Array.from({ length: 10 }, () => use(ask)));
	assert.deepEqual(replies.map((r) => r.status).sort(),
		[200, ...Array.from({ length: 9 }, () => 409)]);
});

test('what was not approved cannot be used', async () => {
	const ask = await agent.ask(approval());
	assert.equal((await use(ask)).status, 409);
	await decide(ask, 'reject');
	assert.equal((await use(ask)).status, 409);
});

test('a digest that does not fit is refused and uses nothing up', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	assert.equal((await use(ask, `sha256:${'0'.repeat(64)}`)).status, 409);
	assert.equal((await use(ask)).status, 200);
});

test('after an edit only the edited operation may be used', async () => {
	const ask = await agent.ask(approval());
	const settled = (await decide(ask, { value: 'approve', arguments: { cmd: 'true' } })).body.ask;
	assert.equal((await use(ask, ask.digest)).status, 409);
	assert.equal((await use(ask, settled.approved_digest)).status, 200);
});

test('use needs a digest', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	for (const body of [{}, { digest: 5 }, { digest: null }, { digest: ask.digest, more: 1 }]) {
		assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, body)).status, 422);
	}
	assert.equal((await use(ask, 'sha256:xyz')).status, 409);
	assert.equal((await use(ask)).status, 200);
});

test('nobody but the agent that asked can use it', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	const reply = await stranger.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });
	assert.equal(reply.status, 404);
	/* Nor can people, who could use it up: 403. */
	for (const who of [member, admin]) {
		assert.equal((await who.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 403);
	}
	assert.equal((await use(ask)).status, 200);
});

test('an agent cannot approve, not even by a reply', async () => {
	const ask = await agent.ask(approval());
	assert.equal((await decide(ask, 'approve', agent)).status, 403);
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'approve' });
	assert.equal((await member.read(ask)).status, 'pending');
});

test('nobody approves what their own token asked for', async () => {
	const reply = await member.post('/v1/asks', approval());
	assert.equal(reply.status, 201);
	assert.equal((await decide(reply.body, 'approve', member)).status, 403);
	assert.equal((await decide(reply.body, 'approve', admin)).status, 200);
});

test('a skipped approval is not approved', async () => {
	const ask = await agent.ask(approval());
	await member.post(`/v1/asks/${ask.id}/skip`);
	assert.equal((await use(ask)).status, 409);
});

test("an approval's default may only be reject", async () => {
	const reply = await agent.post('/v1/asks', approval({ timeout: '5m',
		default: { decision: 'approve' } }));
	assert.equal(reply.status, 422);
	assert.ok(pointers(reply)[0].startsWith('/default'));
	assert.equal((await agent.ask(approval({ timeout: '5m', default: { decision: 'reject' } })))
		.status, 'pending');
});

test('an approval whose deadline passes counts as rejected', async () => {
	const ask = await agent.ask(approval({ timeout: 30 }));
	server.jump(31e3);
	const settled = await until(async () => {
		const now = await agent.read(ask);
		return now.status === 'expired' && now;
	}, 'the deadline');
	assert.deepEqual([settled.answer, settled.answered_by, settled.approved_digest],
		[null, null, null]);
	assert.equal((await use(ask)).status, 409);
});

test('use leaves an event', async () => {
	const ask = await agent.ask(approval());
	await decide(ask, 'approve');
	const { as_of: before } = await agent.events();
	await use(ask);
	const { items } = await agent.events(before);
	assert.deepEqual(items.map((e) => [e.type, e.ask]), [['ask.used', ask.id]]);
});

for (const risk of ['low', 'medium', 'high', 'critical']) {
	test(`the risk ${risk} is kept`, async () => {
		const ask = await agent.ask(approval({ operation: { name: 'x', risk } }));
		assert.equal(ask.operation.risk, risk);
	});
}

test('an operation needs a name', async () => {
	const reply = await agent.post('/v1/asks', approval({ operation: { arguments: {} } }));
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/operation/name']);
});

test('an open approval makes its session wait for approval, and is all there was to it', async () => {
	const ask = await agent.ask(approval());
	const status = async () => (await agent.get(`/v1/sessions/${ask.session}`)).body.status;
	assert.equal(await status(), 'waiting_for_approval');
	await decide(ask, 'approve');
	assert.equal(await status(), 'completed');
});
