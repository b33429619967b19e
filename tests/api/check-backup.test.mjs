// The check and the backup of a store: what is no store is not called sound and not touched, a backup
// has its name only once it is whole, and one file is one store by whatever name.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
	copyFileSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync,
	truncateSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, Server, sleep, until, useServer } from './lib/server.mjs';
import { notInAFile } from '../lib/postgres.mjs';

const options = { skip: notInAFile };
const server = await useServer();
for (let i = 0; i < 20; i++) await server.agent.ask();

const folder = (name) => {
	const path = join(server.home, name);
	mkdirSync(path);
	return path;
};
const check = (path, ...flags) => server.run(['check', path, ...flags]);
const backup = (path) => server.run(['backup', path, '--data', server.data]);

/** A file that `check` must not call a store: exit 1, a reason, and nothing made beside it. */
async function refused(path, reason) {
	const parent = join(path, '..');
	const was = readdirSync(parent);
	const bytes = existsSync(path) ? readFileSync(path) : null;
	const { code, stdout, stderr } = await check(path);
	assert.equal(code, 1, stdout + stderr);
	assert.match(stdout, reason);
	const report = JSON.parse((await check(path, '--json')).stdout);
	assert.equal(report.ok, false);
	assert.match(report.detail, reason);
	assert.equal(report.findings.length, 1);
	assert.deepEqual(readdirSync(parent), was);
	if (bytes) assert.ok(readFileSync(path).equals(bytes));
}

test('an absent, an empty and a foreign file are no store, and nothing is made of them', options, async () => {
	const dir = folder('none');
	await refused(join(dir, 'absent.db'), /No such file/);
	writeFileSync(join(dir, 'empty.db'), '');
	await refused(join(dir, 'empty.db'), /is empty/);
	writeFileSync(join(dir, 'text.db'), 'no database at all\n'.repeat(500));
	await refused(join(dir, 'text.db'), /no SQLite database/);
	mkdirSync(join(dir, 'folder.db'));
	const { code } = await check(join(dir, 'folder.db'));
	assert.equal(code, 1);
});

test('the database of another program, and a store of another schema, are refused untouched', options, async () => {
	const dir = folder('foreign');
	const made = await backup(join(dir, 'whole.db'));
	assert.equal(made.code, 0, made.stderr);
	copyFileSync(join(dir, 'whole.db'), join(dir, 'newer.db'));
	execFileSync('sqlite3', [join(dir, 'newer.db'), 'PRAGMA journal_mode=DELETE; INSERT INTO schema_version VALUES (1000)']);
	await refused(join(dir, 'newer.db'), /has schema 1000, .*: check it with the newer parley/);
	execFileSync('sqlite3', [join(dir, 'notes.db'), 'CREATE TABLE notes (text); INSERT INTO notes VALUES (1)']);
	await refused(join(dir, 'notes.db'), /another program's database/);
	// Nor one that happens to have a table of that name.
	execFileSync('sqlite3', [join(dir, 'like.db'), 'CREATE TABLE schema_version (version); INSERT INTO schema_version VALUES (4)']);
	const { code } = await check(join(dir, 'like.db'));
	assert.equal(code, 1);
});

test('a cut file is found, wherever it was cut', options, async () => {
	const dir = folder('cut');
	assert.equal((await backup(join(dir, 'whole.db'))).code, 0);
	const { size } = statSync(join(dir, 'whole.db'));
	for (const length of [50, 4096, 20_000, size - 4096, size - 1]) {
		copyFileSync(join(dir, 'whole.db'), join(dir, 'cut.db'));
		truncateSync(join(dir, 'cut.db'), length);
		await refused(join(dir, 'cut.db'), /is cut|no SQLite|damaged/);
	}
});

test('a sound store is checked while its server runs, and silently when nobody looks', options, async () => {
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout);
	assert.equal(stderr, '');
	const report = JSON.parse((await server.run(['check', '--data', server.data, '--json'])).stdout);
	assert.equal(report.ok, true);
	assert.equal(report.detail, null);
	assert.deepEqual(report.findings, []);
	assert.ok(report.asks >= 20 && report.sessions >= 20);
});

test('a backup is checked, is its owner\'s alone, and leaves nothing else behind', options, async () => {
	const dir = folder('good');
	const { code, stderr } = await backup(join(dir, 'b.db'));
	assert.equal(code, 0, stderr);
	assert.equal(stderr, '');
	assert.deepEqual(readdirSync(dir), ['b.db']);
	assert.equal(statSync(join(dir, 'b.db')).mode & 0o777, 0o600);
	assert.equal((await check(join(dir, 'b.db'))).code, 0);
	assert.deepEqual(readdirSync(dir), ['b.db']);
});

test('a backup replaces nothing and follows no link', options, async () => {
	const dir = folder('links');
	writeFileSync(join(dir, 'there'), 'mine');
	symlinkSync('nowhere', join(dir, 'dangling'));
	symlinkSync('there', join(dir, 'link'));
	for (const name of ['there', 'dangling', 'link']) {
		const { code, stderr } = await backup(join(dir, name));
		assert.equal(code, 2);
		assert.match(stderr, /already exists/);
	}
	assert.equal(readFileSync(join(dir, 'there'), 'utf8'), 'mine');
	assert.ok(lstatSync(join(dir, 'dangling')).isSymbolicLink());
	assert.deepEqual(readdirSync(dir).sort(), ['dangling', 'link', 'there']);
	// Nor a link where it writes meanwhile.
	symlinkSync(join(dir, 'there'), join(dir, '.b.db.partial'));
	assert.notEqual((await backup(join(dir, 'b.db'))).code, 0);
	assert.equal(readFileSync(join(dir, 'there'), 'utf8'), 'mine');
	assert.ok(!existsSync(join(dir, 'b.db')));
});

test('a backup that fails leaves nothing under its name', options, async () => {
	const dir = folder('failed');
	const done = await new Promise((resolve) => {
		const child = spawn('sh', ['-c', `ulimit -f 50; exec "$0" backup "$1" --data "$2"`, BIN, join(dir, 'b.db'), server.data],
			{ env: server.env });
		child.on('close', (code, signal) => resolve({ code, signal }));
	});
	assert.equal(done.signal, null);
	assert.notEqual(done.code, 0);
	assert.deepEqual(readdirSync(dir), []);
	assert.equal((await backup(join(dir, 'b.db'))).code, 0);
});

test('a backup that is killed leaves nothing under its name, and the next one succeeds', options, async () => {
	const dir = folder('killed');
	for (let i = 0; i < 12; i++) {
		const child = spawn(BIN, ['backup', join(dir, 'b.db'), '--data', server.data], { env: server.env });
		const gone = new Promise((done) => child.on('close', done));
		await sleep(i * 2);
		child.kill('SIGKILL');
		await gone;
		if (existsSync(join(dir, 'b.db'))) {
			assert.equal((await check(join(dir, 'b.db'))).code, 0);
			break;
		}
	}
	if (!existsSync(join(dir, 'b.db'))) {
		const { code, stderr } = await backup(join(dir, 'b.db'));
		assert.equal(code, 0, stderr);
	}
	assert.deepEqual(readdirSync(dir), ['b.db']);
	assert.equal((await check(join(dir, 'b.db'))).code, 0);
});

test('a second server does not start through a link to the store', options, async () => {
	const dir = folder('second');
	linkSync(join(server.data, 'parley.db'), join(dir, 'hard.db'));
	symlinkSync(join(server.data, 'parley.db'), join(dir, 'soft.db'));
	for (const name of ['hard.db', 'soft.db']) {
		const second = new Server({ flags: ['--store', `sqlite:${join(dir, name)}`] });
		second.spawn();
		const { code } = await second.exited;
		assert.notEqual(code, 0);
		assert.match(second.output, /in use by another parley/);
		second.remove();
	}
});

test('a restored older copy: what was told before is asked for with 409, and an admin acknowledges what was lost', options, async () => {
	const own = new Server();
	const secrets = { agent: await own.token('agent'), member: await own.token('member'), admin: await own.token('admin') };
	await own.start();
	try {
		const as = (role) => own.client(secrets[role]);
		await as('agent').ask();
		const copy = join(own.home, 'copy.db');
		assert.equal((await own.run(['backup', copy, '--data', own.data])).code, 0);
		const kept = (await as('admin').get('/v1/events?format=json&limit=200')).body.items.at(-1).id;
		await as('agent').ask();
		const told = (await as('admin').get('/v1/events?format=json&limit=200')).body.items.at(-1).id;
		await own.stop();
		for (const name of readdirSync(own.data).filter((f) => f.startsWith('parley.db'))) rmSync(join(own.data, name));
		copyFileSync(copy, join(own.data, 'parley.db'));
		await own.start();
		const [alert] = await until(async () => {
			const { items } = (await as('member').get('/v1/alerts')).body;
			return items.length && items;
		}, 'the alert');
		assert.deepEqual([alert.kind, alert.key, alert.value, alert.detail], ['lost', null, told - kept, `the store ends at event ${kept}, and ${told} was told`]);
		await until(() => own.stderr.includes(`went back: the store ends at event ${kept}, and ${told} was told`), 'its line');
		for (const format of ['json', 'sse']) {
			const ahead = await as('admin').get(`/v1/events?format=${format}&after=${told + 50}`);
			assert.deepEqual([ahead.status, ahead.body.type], [409, '/problems/ahead']);
		}
		assert.equal((await as('member').post(`/v1/alerts/${alert.id}/ack`, {})).status, 403);
		const acked = (await as('admin').post(`/v1/alerts/${alert.id}/ack`, { note: 'restored' })).body;
		assert.ok(acked.cleared_at);
		await own.crash();
		own.jump(61_000);
		await until(async () => (await as('admin').get('/v1/nodes')).body.items.some((n) => Date.parse(n.seen_at) > Date.now() + 60_000), 'a beat');
		assert.deepEqual((await as('member').get('/v1/alerts')).body.items, []);
		assert.equal((await own.run(['check', '--data', own.data])).code, 0);
	} finally {
		await own.stop();
		own.remove();
	}
});
