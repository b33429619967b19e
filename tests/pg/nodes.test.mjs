// Several nodes on one database behave as one server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Cluster, Node, persist } from '../lib/cluster.mjs';
import { Follower } from '../lib/follower.mjs';
import { sleep } from '../lib/server.mjs';
import { sql } from '../lib/postgres.mjs';

const cluster = new Cluster();
const all = [], followers = [];
let databases = 0;

after(async () => {
	for (const follower of followers) await follower.stop();
	for (const node of all) await node.end();
	cluster.remove();
});

/** n nodes, started at the same moment on an empty database. */
async function nodes(n = 2) {
	const store = cluster.database(`d${++databases}`);
	const made = Array.from({ length: n }, () => new Node(store));
	all.push(...made);
	await Promise.all(made.map((node) => node.start()));
	return made;
}

/** One that is stopped at the end, however the test ends. */
function follow(node, token) {
	const follower = new Follower(node, token);
	followers.push(follower);
	return follower;
}

async function people(node) {
	return {
		agent: await node.token('agent', 'builder'),
		member: await node.token('member', 'mia'),
		admin: await node.token('admin', 'ada'),
	};
}

async function ask(node, token, extra = {}) {
	const made = await node.once(token, 'POST', '/v1/asks',
		{ question: 'Deploy?', type: 'boolean', ...extra });
	assert.equal(made.status, 201, JSON.stringify(made.body));
	return made.body;
}

const answer = (node, token, id) => node.once(token, 'POST', `/v1/asks/${id}/answer`,
	{ answer: true });

async function until(fn, what, ms = 15_000) {
	for (const end = Date.now() + ms; ;) {
		const result = await fn();
		if (result) return result;
		assert.ok(Date.now() < end, `${what} did not come`);
		await sleep(20);
	}
}

test('nodes that start at once on an empty database make one schema and one workspace', async () => {
	const made = await nodes(4);
	const store = made[0].env.PARLEY_STORE;
	assert.equal(sql('SELECT COUNT(*) FROM workspaces', store), '1');
	assert.equal(sql("SELECT COUNT(*) FROM users WHERE name = 'owner'", store), '1');
	for (const node of made) assert.equal((await node.readyz()).status, 200);
	await Promise.all(made.map((node) => node.signal('SIGTERM')));
});

test('a node does not start on a newer schema, and says so', async () => {
	const [node] = await nodes(1);
	await node.signal('SIGTERM');
	sql('INSERT INTO schema_version VALUES (9999)', node.env.PARLEY_STORE);
	node.spawn();
	assert.notEqual((await node.exited).code, 0);
	assert.match(node.stderr, /9999.*newer parley/);
});

test('a node that runs when the schema becomes newer reads on, writes nothing, and says so', async () => {
	const [node] = await nodes(1);
	const { agent, member } = await people(node);
	const made = await ask(node, agent);
	sql('INSERT INTO schema_version VALUES (9999)', node.env.PARLEY_STORE);
	await until(async () => (await node.readyz()).status === 503, 'that it is not ready');
	for (const reply of [await answer(node, member, made.id),
		await node.once(agent, 'POST', '/v1/asks', { question: 'Now?', type: 'boolean' })]) {
		assert.deepEqual([reply.status, reply.body.type], [503, '/problems/unavailable']);
		assert.match(reply.body.detail, /9999.*newer parley/);
	}
	const { body } = await node.once(member, 'GET', '/v1/asks');
	assert.deepEqual(body.items.map((item) => [item.id, item.status]), [[made.id, 'pending']]);
	await until(() => /cannot be (written to|claimed).*9999/.test(node.stderr), 'a line of the log');
});

test('who waits on one node hears of the answer given on the other', async () => {
	const [a, b] = await nodes();
	const { agent, member } = await people(a);
	const made = await ask(a, agent);
	const waiting = a.once(agent, 'GET', `/v1/asks/${made.id}?wait=30`);
	const asking = a.once(agent, 'POST', '/v1/asks?wait=30', { question: 'Now?', type: 'boolean' });
	const second = await until(async () => {
		const { body } = await b.once(member, 'GET', '/v1/asks');
		return body.items.find((item) => item.questions[0].text === 'Now?');
	}, 'the ask');
	assert.equal((await answer(b, member, made.id)).status, 200);
	assert.equal((await answer(b, member, second.id)).status, 200);
	assert.equal((await waiting).body.status, 'answered');
	assert.equal((await asking).body.status, 'answered');
	assert.equal((await answer(a, member, made.id)).status, 409);
});

test('streams of both nodes tell one story, without gap', async () => {
	const pair = await nodes();
	const { agent, admin } = await people(pair[0]);
	const both = pair.map((node) => follow(node, admin));
	await Promise.all(Array.from({ length: 60 }, (_, i) => ask(pair[i % 2], agent)));
	const { body } = await pair[0].once(admin, 'GET', '/v1/asks?status=all');
	for (const follower of both) {
		await follower.reach(body.as_of);
		assert.equal(follower.problem, null);
		assert.equal(follower.events.size, 60);
	}
});

test('a key used on one node is known on the other', async () => {
	const [a, b] = await nodes();
	const { agent } = await people(a);
	const body = { question: 'Once?', type: 'boolean' };
	const both = await Promise.all([a, b].map((node) =>
		node.once(agent, 'POST', '/v1/asks', body, 'one-key')));
	assert.deepEqual(both.map((reply) => reply.status), [201, 201]);
	assert.equal(both[0].body.id, both[1].body.id);
});

test('a deadline fires once, also when the node that set it is gone', async () => {
	const [a, b] = await nodes();
	const { agent, admin } = await people(a);
	const follower = follow(b, admin);
	const made = await ask(a, agent, { timeout: 2 });
	const shared = await ask(a, agent, { timeout: 1 });
	await until(() => follower.events.get(shared.id)?.includes('ask.expired'), 'the first');
	await a.kill();
	await until(() => follower.events.get(made.id)?.includes('ask.expired'), 'the second');
	await sleep(1500); // would the other node fire it again?
	for (const { id } of [made, shared]) {
		assert.deepEqual(follower.events.get(id), ['ask.created', 'ask.expired']);
	}
});

test('deadlines that passed while no node ran fire when one starts', async () => {
	const [node] = await nodes(1);
	const { agent, member } = await people(node);
	const made = [await ask(node, agent, { timeout: 1 }), await ask(node, agent, { timeout: 1 })];
	await node.kill();
	await sleep(1100);
	await node.start();
	for (const { id } of made) {
		await until(async () => (await node.once(member, 'GET', `/v1/asks/${id}`)).body.status === 'expired', 'its end');
	}
});

test('a token revoked on one node ends its stream on the other', async () => {
	const [a, b] = await nodes();
	const { admin } = await people(a);
	const short = await b.once(admin, 'POST', '/v1/tokens', { role: 'member', name: 'short' });
	const follower = follow(a, short.body.token);
	await until(() => follower.request?.res, 'the stream');
	const ended = new Promise((resolve) => { follower.request.res.on('close', resolve); });
	assert.equal((await b.once(admin, 'DELETE', `/v1/tokens/${short.body.id}`)).status, 204);
	await ended;
	assert.equal((await a.once(short.body.token, 'GET', '/v1/me')).status, 401);
});

test('a token revoked on one node ends its wait on the other, without the answer; others go on', async () => {
	const [a, b] = await nodes();
	const { agent, member, admin } = await people(a);
	const short = await b.once(admin, 'POST', '/v1/tokens', { role: 'agent', name: 'short', agent: 'builder' });
	const made = await ask(a, agent);
	const lost = a.once(short.body.token, 'GET', `/v1/asks/${made.id}?wait=30`);
	const kept = a.once(agent, 'GET', `/v1/asks/${made.id}?wait=30`);
	await a.holds(2, admin);
	assert.equal((await b.once(admin, 'DELETE', `/v1/tokens/${short.body.id}`)).status, 204);
	const { body } = await lost;
	assert.deepEqual([body.status, body.type], [401, '/problems/unauthorized']);
	await answer(b, member, made.id);
	assert.equal((await kept).body.status, 'answered');
});

test('no answer given here goes to a token that was revoked there the moment before', async () => {
	const [a, b] = await nodes();
	const { agent, member, admin } = await people(a);
	for (let round = 0; round < 8; round++) {
		const short = await b.once(admin, 'POST', '/v1/tokens', { role: 'agent', name: `short-${round}`, agent: 'builder' });
		const made = await ask(a, agent);
		const lost = a.once(short.body.token, 'GET', `/v1/asks/${made.id}?wait=30`);
		const kept = a.once(agent, 'GET', `/v1/asks/${made.id}?wait=30`);
		await sleep(200 + 100 * round);
		assert.equal((await b.once(admin, 'DELETE', `/v1/tokens/${short.body.id}`)).status, 204);
		assert.equal((await answer(a, member, made.id)).status, 200);
		assert.equal((await lost).body.status, 401);
		assert.equal((await kept).body.status, 'answered');
	}
});

test('connections that an administrator ends are made anew, and nobody notices', async () => {
	const pair = await nodes();
	const { agent } = await people(pair[0]);
	for (let i = 0; i < 5; i++) {
		cluster.cutAll();
		for (const node of pair) await ask(node, agent);
	}
});

test('while the database is away: 503, not ready; then all goes on, streams and waits too', async () => {
	const [a, b] = await nodes();
	const { agent, member, admin } = await people(a);
	const follower = follow(a, admin);
	const made = await ask(a, agent);
	// Its head comes when the wait has begun.
	const waiting = await fetch(`http://127.0.0.1:${a.port}/v1/asks/${made.id}?wait=60`,
		{ headers: { authorization: `Bearer ${agent}` } });
	await follower.reach(2);
	const { request } = follower;
	cluster.stop('immediate');
	const refused = await fetch(`http://127.0.0.1:${a.port}/v1/asks`, { method: 'POST',
		headers: { authorization: `Bearer ${agent}`, 'content-type': 'application/json' },
		body: '{"question":"Now?","type":"boolean"}' });
	assert.equal(refused.status, 503);
	assert.ok(Number(refused.headers.get('retry-after')) >= 1);
	await until(async () => (await a.readyz()).status === 503, 'not ready');
	await until(async () => (await b.readyz()).status === 503, 'not ready');
	cluster.start();
	await until(async () => (await a.readyz()).status === 200, 'ready');
	assert.equal((await persist([b], member, 'POST', `/v1/asks/${made.id}/answer`,
		{ answer: true }, 'k')).status, 200);
	assert.equal((await waiting.json()).status, 'answered');
	await until(() => follower.events.get(made.id).includes('ask.answered'), 'the event');
	assert.equal(follower.request, request, 'the stream was cut');
	assert.equal(follower.problem, null);
});

test('a commit whose wait for the standby was cancelled is not acknowledged', async () => {
	const [node] = await nodes(1);
	const { agent } = await people(node);
	const waits = (names) => sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, cluster.url)
		+ sql('SELECT pg_reload_conf()', cluster.url);
	const post = () => node.once(agent, 'POST', '/v1/asks', { question: 'Now?', type: 'boolean' }, 'once');
	waits('nobody');
	let settled = false;
	const reply = post().finally(() => (settled = true));
	/* The node's own commits wait as well. */
	await until(() => {
		sql("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", cluster.url);
		return settled;
	}, 'a reply');
	waits('');
	assert.deepEqual([(await reply).status, (await reply).body.type], [503, '/problems/outcome-unknown']);
	const again = await persist([node], agent, 'POST', '/v1/asks', { question: 'Now?', type: 'boolean' }, 'once');
	assert.equal(again.status, 201);
	assert.equal((await node.once(agent, 'GET', '/v1/asks')).body.items.length, 1);
});

test('a store that went back: streams that were told more end, what was told is asked for with 409, and it is an alert', async () => {
	const [a, b] = await nodes(2);
	const { agent, admin } = await people(a);
	const heard = [follow(a, admin), follow(b, admin)];
	await ask(a, agent);
	const [{ end }] = JSON.parse(sql("SELECT json_agg(json_build_object('end', last_event)) FROM workspaces", a.env.PARLEY_STORE));
	const made = await ask(b, agent);
	for (const f of heard) await until(() => f.events.get(made.id), 'the event');
	const requests = heard.map((f) => f.request);
	const told = heard[0].last;
	/* As a standby that had not got the last ask: it is gone from the log. */
	sql(`BEGIN; DELETE FROM events WHERE n > ${end}; DELETE FROM asks WHERE id = '${made.id}'; DELETE FROM sessions WHERE id = '${made.session}';
		UPDATE workspaces SET last_event = ${end}, last_hash = (SELECT hash FROM events WHERE n = ${end}); COMMIT`, a.env.PARLEY_STORE);
	await until(() => heard.every((f, i) => f.request !== requests[i]), 'the end of the streams');
	for (const f of heard) await f.stop();
	a.jump(10_000);
	b.jump(10_000);
	const [alert] = await until(async () => {
		const { items } = (await a.once(admin, 'GET', '/v1/alerts')).body;
		return items.length && items;
	}, 'the alert');
	assert.equal(alert.kind, 'lost');
	assert.match(alert.detail, new RegExp(`ends at event ${end}, and ${told} was told`));
	const ahead = await b.once(admin, 'GET', `/v1/events?format=json&after=${told + 50}`);
	assert.deepEqual([ahead.status, ahead.body.type], [409, '/problems/ahead']);
	const later = await ask(b, agent);
	assert.equal((await answer(a, admin, later.id)).status, 200);
	assert.equal((await a.once(admin, 'GET', '/v1/alerts')).body.items.length, 1);
});

test('several hosts without a synchronous standby: said at the start, by doctor and as a metric', async () => {
	const store = cluster.database(`d${++databases}`);
	const several = store.replace(/host=([^&]*)/, 'host=$1,$1');
	assert.notEqual(several, store);
	const metric = async (node) => /^parley_store_sync (\d)$/m.exec(await (await fetch(`http://127.0.0.1:${node.port}/metrics`,
		{ headers: { authorization: `Bearer ${node.admin}` } })).text())[1];
	const [one, two] = [new Node(store), new Node(several)];
	all.push(one, two);
	for (const node of [one, two]) {
		await node.start();
		node.admin = await node.token('admin', `ada${node.port}`);
		assert.equal(await metric(node), '0');
		const doctor = await node.run(['doctor', '--data', node.data]);
		for (const said of [node.stderr, doctor.stdout]) assert.equal(/several hosts and no synchronous standby/.test(said), node === two, said);
	}
});
