// Turns: on PostgreSQL a batch has the turn of its shard of workspaces, and waits for no other.
// A session of psql takes a turn in the place of another node, and gives it back when it is told to.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { sql } from '../lib/postgres.mjs';
import { sleep, until } from '../lib/server.mjs';

const ALL = '123597253833081', SHARD = '1885434476';

const cluster = new Cluster();
const store = cluster.database('turns');
const nodes = [new Node(store), new Node(store)];
after(async () => {
	for (const node of nodes) await node.end();
	cluster.remove();
});
for (const node of nodes) await node.start();
const [one, two] = nodes;

/** As turn_of in src/store/db.c. */
const turnOf = (ws) => 2 + Number(((BigInt(ws) * 0x9e3779b97f4a7c15n) & ((1n << 64n) - 1n)) >> 58n);

// Two workspaces of different shards.
const spaces = {};
for (const name of ['north', 'south']) {
	await one.command('workspace', 'create', name);
	const id = sql(`SELECT id FROM workspaces WHERE name = '${name}'`, store);
	spaces[name] = { turn: turnOf(id), token: await one.token('agent', name, ['--workspace', name]) };
}
assert.notEqual(spaces.north.turn, spaces.south.turn);

/** A transaction that has done these statements; `end` says how it ends. */
async function transaction(on, ...statements) {
	const psql = spawn('psql', [on, '-qAtX', '-v', 'ON_ERROR_STOP=1'], { stdio: ['pipe', 'pipe', 'inherit'] });
	const lines = createInterface({ input: psql.stdout })[Symbol.asyncIterator]();
	psql.stdin.write(`BEGIN;\n${statements.map((one) => `${one};\n`).join('')}SELECT 'held';\n`);
	while ((await lines.next()).value !== 'held');
	return { end: (how) => new Promise((done) => {
		psql.on('close', done);
		psql.stdin.end(`${how};\n`);
	}) };
}

/** Has the locks of these calls until `back`. */
async function held(...locks) {
	const all = await transaction(store, ...locks.map((lock) => `SELECT ${lock}`));
	return { back: () => all.end('ROLLBACK') };
}

const shard = ({ turn }) => held(`pg_advisory_xact_lock_shared(${ALL})`, `pg_advisory_xact_lock(${SHARD}, ${turn})`);
const waiting = (n, mode = '%', type = 'advisory') => until(() => Number(sql('SELECT count(*) FROM pg_locks'
	+ ` WHERE locktype = '${type}' AND NOT granted AND mode LIKE '${mode}'`, store)) >= n, `${n} that wait`, 10_000);

const ask = async (node, { token }, title = 'Deploy?') =>
	(await node.once(token, 'POST', '/v1/asks', { question: title, type: 'boolean' })).status;

for (const node of nodes) for (const space of Object.values(spaces)) assert.equal(await ask(node, space), 201);

test('a workspace waits for its own shard, on every node, and for no other', async () => {
	const turn = await shard(spaces.north);
	let over = false;
	const late = Promise.all(nodes.map((node) => ask(node, spaces.north))).finally(() => { over = true; });
	await waiting(2);
	for (const node of nodes) assert.equal(await ask(node, spaces.south), 201);
	assert.equal(over, false);
	await turn.back();
	assert.deepEqual(await late, [201, 201]);
});

test('what needs all waits for whoever has a shard', async () => {
	const turn = await shard(spaces.north);
	const making = two.command('workspace', 'create', 'west');
	await waiting(1, 'ExclusiveLock');
	assert.equal(sql("SELECT count(*) FROM workspaces WHERE name = 'west'", store), '0');
	await turn.back();
	await making;
	assert.equal(sql("SELECT count(*) FROM workspaces WHERE name = 'west'", store), '1');
});

test('every shard waits for whoever has all', async () => {
	const turn = await held(`pg_advisory_xact_lock(${ALL})`);
	const late = Promise.all(Object.values(spaces).map((space) => ask(one, space)));
	await waiting(2, 'ShareLock');
	// Who had a shard already could be waited for by one that has its share of all.
	assert.equal(sql(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = ${SHARD}`, store), '0');
	await turn.back();
	assert.deepEqual(await late, [201, 201]);
});

test('a store that takes too long: 503, and the peer does not wait for it', async () => {
	const node = new Node(store, { flags: ['--store-timeout', '1s', '--state-timeout', '2s'] });
	await node.start();
	const key = 'slow-1', body = { title: 'Slow' };
	const made = await node.once(spaces.north.token, 'POST', '/v1/sessions', { title: 'Quick' });
	const turn = await shard(spaces.north);
	const late = await node.once(spaces.north.token, 'POST', '/v1/sessions', body, key);
	assert.deepEqual([late.status, late.body.type], [503, '/problems/outcome-unknown']);
	await turn.back();
	/* It was done all the same, and the key finds it. */
	const again = await node.once(spaces.north.token, 'POST', '/v1/sessions', body, key);
	assert.equal(again.body.title, 'Slow', JSON.stringify(again.body));
	const table = await held('1; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE; SELECT 1');
	const read = await node.once(spaces.north.token, 'GET', `/v1/sessions/${made.body.id}/state`);
	assert.deepEqual([read.status, read.body.type], [503, '/problems/unavailable']);
	await table.back();
	assert.equal((await node.once(spaces.north.token, 'GET', `/v1/sessions/${made.body.id}/state`)).status, 200);
	await node.end();
});

test('a token that ends while its job waits for the turn lets nobody in', async () => {
	const token = await one.token('agent', 'gone', ['--workspace', 'north']);
	assert.equal(await ask(one, { token }), 201);
	const turn = await shard(spaces.north);
	const late = ask(one, { token }, 'Too late?');
	await waiting(1);
	sql("UPDATE tokens SET expires_ms = 1 WHERE name = 'gone'", store);
	await turn.back();
	assert.equal(await late, 401);
	sql("UPDATE tokens SET expires_ms = 0 WHERE name = 'gone'", store);
	assert.equal(sql("SELECT count(*) FROM asks WHERE fixed LIKE '%Too late?%'", store), '0');
});

test('asks of several workspaces on several nodes at once: each log is whole', async () => {
	const all = Array.from({ length: 80 }, (_, i) => ask(nodes[i % 2], spaces[i % 4 < 2 ? 'north' : 'south']));
	for (const status of await Promise.all(all)) assert.equal(status, 201);
	const logs = sql('SELECT count(*) = max(n) AND min(n) = 1 AND max(n) = w.last_event FROM events e'
		+ ' JOIN workspaces w ON w.id = e.ws GROUP BY w.id', store).split('\n');
	assert.deepEqual([...new Set(logs)], ['t']);
	await one.command('check');
});

test('a counter that somebody else moved meanwhile is counted on from there, not moved back', async () => {
	const last = () => Number(sql("SELECT last_event FROM workspaces WHERE name = 'west'", store));
	const west = { token: await one.token('agent', 'west', ['--workspace', 'west']) };
	assert.equal(await ask(one, west), 201);
	const first = last();
	assert.equal(await ask(one, west), 201);
	const before = last();
	const moved = await transaction(store, "UPDATE workspaces SET last_event = last_event + 1 WHERE name = 'west'");
	const late = ask(one, west);
	await waiting(1, 'ShareLock', 'transactionid'); // it has read the counter, and is about to write it
	await moved.end('COMMIT');
	assert.equal(await late, 201);
	assert.equal(last(), before + 1 + (before - first));
	assert.equal(sql('SELECT max(n) = max(w.last_event) FROM events e JOIN workspaces w ON w.id = e.ws'
		+ " WHERE w.name = 'west'", store), 't');
});

test('a node that starts while another brings up the schema waits, however long that takes', async () => {
	const empty = cluster.database('empty');
	const turn = await transaction(empty, `SELECT pg_advisory_xact_lock(${ALL})`);
	const node = new Node(empty);
	let gone = false;
	node.spawn();
	node.exited.then(() => { gone = true; });
	await sleep(7000); // a turn is waited for 6 s
	assert.equal(gone, false, node.output);
	await turn.end('ROLLBACK');
	await node.reachable();
	assert.equal((await node.readyz()).status, 200);
	await node.end();
});

test('an ask that waits while a newer node brings up the schema is not written', async () => {
	const turn = await transaction(store, `SELECT pg_advisory_xact_lock(${ALL})`,
		'INSERT INTO schema_version VALUES (9999)');
	const made = () => sql('SELECT count(*) FROM asks', store);
	const before = made();
	const late = Promise.all(nodes.map((node) => node.once(spaces.north.token, 'POST', '/v1/asks',
		{ question: 'Deploy?', type: 'boolean' })));
	await waiting(2, 'ShareLock');
	await turn.end('COMMIT');
	for (const { status, body } of await late) {
		assert.deepEqual([status, body.type], [503, '/problems/unavailable'], JSON.stringify(body));
		assert.match(body.detail, /9999.*newer parley/);
	}
	assert.equal(made(), before);
});
