// parley copy: everything from one engine to the other and back.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { Server } from '../lib/server.mjs';
import { sql } from '../lib/postgres.mjs';

const cluster = new Cluster();
const server = new Server({ env: { PARLEY_ASK_RATE: '0' } });
const file = `sqlite:${join(server.data, 'parley.db')}`;
const back = `sqlite:${join(server.home, 'back.db')}`;
const store = cluster.database('parley');
const node = new Node(store);
let agent, admin;

after(async () => {
	await server.end();
	await node.end();
	cluster.remove();
});

function copy(from, to) {
	return new Promise((resolve) => {
		execFile(process.env.PARLEY_BIN, ['copy', '--from', from, '--to', to], { env: server.env },
			(error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
	});
}

/** What the server shows of it all. Each start may make a login link, which is an event. */
async function story(server) {
	const asks = await server.once(admin, 'GET', '/v1/asks?status=all&limit=200');
	const events = await server.once(admin, 'GET', '/v1/events?format=json&after=0&limit=200');
	for (const ask of asks.body.items) delete ask.url;
	return { asks: asks.body.items,
		events: events.body.items.filter((event) => /^(ask|session)\./.test(event.type)) };
}

let before;

test('a store in a file goes to PostgreSQL, whole', async () => {
	await server.start();
	agent = await server.token('agent', 'builder');
	admin = await server.token('admin', 'ada');
	for (let i = 0; i < 30; i++) {
		const made = await server.once(agent, 'POST', '/v1/asks', { question: `Frage ${i} é 漢?`,
			type: 'text', metadata: { name: `${i}` } }, `key-${i}`);
		if (i % 3) continue;
		await server.once(admin, 'POST', `/v1/asks/${made.body.id}/answer`, { answer: 'Ja \\ "ja"' });
	}
	before = await story(server);
	assert.equal(before.asks.length, 30);
	const early = await copy(file, store);
	assert.notEqual(early.code, 0, 'a server has the file');
	await server.signal('SIGTERM');
	const done = await copy(file, store);
	assert.equal(done.code, 0, done.stderr);
	assert.match(done.stdout, /\d+ rows copied/);
});

test('a second time it finds that it is there', async () => {
	const again = await copy(file, store);
	assert.equal(again.code, 0, again.stderr);
	assert.match(again.stdout, /already has the same/);
});

test('a node on the copy tells the same story, and the old keys and tokens are good', async () => {
	await node.start();
	assert.deepEqual(await story(node), before);
	const repeat = await node.once(agent, 'POST', '/v1/asks', { question: 'Frage 7 é 漢?',
		type: 'text', metadata: { name: '7' } }, 'key-7');
	assert.equal(repeat.status, 201);
	assert.ok(before.asks.some((ask) => ask.id === repeat.body.id));
	await node.command('check');
	await node.signal('SIGTERM');
});

test('and back, into a new file', async () => {
	const done = await copy(store, back);
	assert.equal(done.code, 0, done.stderr);
	server.env.PARLEY_STORE = back;
	await server.start();
	assert.deepEqual(await story(server), before);
	await server.signal('SIGTERM');
	await server.command('check');
});

test('a target that holds something else is refused and left as it is', async () => {
	sql("UPDATE asks SET search = search || 'x' WHERE id = (SELECT MIN(id) FROM asks)", store);
	const rows = sql('SELECT COUNT(*) FROM events', store);
	const refused = await copy(back, store);
	assert.notEqual(refused.code, 0);
	assert.match(refused.stderr, /no copy of the source/);
	assert.equal(sql('SELECT COUNT(*) FROM events', store), rows);
	rmSync(join(server.home, 'back.db'));
});

test('a source that is not there is refused', async () => {
	const refused = await copy('sqlite:/nowhere/parley.db', store);
	assert.notEqual(refused.code, 0);
	assert.match(refused.stderr, /nowhere/);
});
