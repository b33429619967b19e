// The real program on a bad day: the disk is full, its sync fails, the store is not to be
// written, another server has it. What the machine does not allow to try is skipped, and said.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, Server } from '../lib/server.mjs';

const UNAVAILABLE = '/problems/unavailable', UNKNOWN = '/problems/outcome-unknown';
const ask = (n, size = 10) => ({ question: `Question ${n}?`, type: 'boolean',
	context: { preview: 'x'.repeat(size) } });

function can(command, ...args) {
	try {
		execFileSync(command, args, { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

function useServer(t, options) {
	const server = new Server({ ...options, env: { PARLEY_ASK_RATE: '0' } });
	t.after(() => server.end());
	return server;
}

/** All asks there are, by their question. */
async function questions(server, token) {
	const seen = [];
	let cursor = '';
	do {
		const page = await server.once(token, 'GET', `/v1/asks?limit=200${
			cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		assert.equal(page.status, 200);
		seen.push(...page.body.items.map((one) => one.questions[0].text));
		cursor = page.body.next_cursor;
	} while (cursor);
	return seen.sort();
}

/** One line, and no more, on stderr. */
function oneLine(server, pattern) {
	assert.match(server.stderr, pattern);
	assert.equal(server.stderr.trim().split('\n').length, 1, server.stderr);
}

test('a second server on the same store says so and leaves', async (t) => {
	const server = useServer(t);
	const token = await server.token('agent', 'a');
	await server.start();
	const second = useServer(t, { data: server.data });
	second.spawn();
	assert.deepEqual(await second.exited, { code: 3, signal: null });
	oneLine(second, /in use by another parley/);
	assert.equal((await server.once(token, 'POST', '/v1/asks', ask(1))).status, 201);
	// The first one is still found by those who look for a server.
	await server.command('token', 'list');
	await server.signal('SIGTERM');
});

test('a store that may not be written stops the start with one line', async (t) => {
	if (process.getuid() !== 0) return t.skip('not root: cannot be another user');
	// The program may lie where nobody else can go (a clone in root's home): a copy runs.
	const server = useServer(t, { as: { uid: 65534, gid: 65534 }, parent: '/tmp' });
	await server.token('agent', 'a');
	chmodSync(server.home, 0o755);
	server.bin = join(server.home, 'parley');
	copyFileSync(BIN, server.bin);
	chmodSync(server.bin, 0o755);
	for (const name of readdirSync(server.data)) chownSync(join(server.data, name), 65534, 65534);
	chownSync(server.data, 65534, 65534);
	chmodSync(join(server.data, 'parley.db'), 0o444);
	server.spawn();
	assert.deepEqual(await server.exited, { code: 3, signal: null });
	oneLine(server, /cannot be written|readonly|read-only|permission/i);
	return undefined;
});

test('a full disk refuses, says so, and works again when there is room', async (t) => {
	const disk = mkdtempSync(join(tmpdir(), 'parley-disk-'));
	if (!can('mount', '-t', 'tmpfs', '-o', 'size=3m', 'none', disk)) {
		rmSync(disk, { recursive: true });
		return t.skip('cannot mount a small disk');
	}
	t.after(() => {
		execFileSync('umount', ['-l', disk]);
		rmSync(disk, { recursive: true });
	});
	const server = useServer(t, { data: join(disk, 'data') });
	const token = await server.token('agent', 'a'), admin = await server.token('admin', 'b');
	await server.start();
	const acked = [];
	let n = 0, refused = 0;
	for (; refused < 5; n++) {
		const made = await server.once(token, 'POST', '/v1/asks', ask(n, 20_000), `key-${n}`);
		if (made.status === 201) {
			acked.push(`Question ${n}?`);
			assert.equal(refused, 0, 'no room, then room again?');
			assert.ok(n < 1000, 'the disk does not get full');
			continue;
		}
		refused += 1;
		assert.equal(made.status, 503);
		assert.equal(made.body.type, UNAVAILABLE);
		assert.equal((await server.once(null, 'GET', '/readyz')).status, 503);
		assert.equal((await server.once(null, 'GET', '/healthz')).status, 200);
	}
	assert.ok(acked.length > 10);
	// What is there can be read.
	assert.deepEqual(await questions(server, admin), [...acked].sort());
	execFileSync('mount', ['-o', 'remount,size=30m', disk]);
	for (let i = n - 5; i < n + 20; i++) {
		const made = await server.once(token, 'POST', '/v1/asks', ask(i, 20_000), `key-${i}`);
		assert.equal(made.status, 201, JSON.stringify(made.body));
		acked.push(`Question ${i}?`);
	}
	assert.equal((await server.once(null, 'GET', '/readyz')).status, 200);
	await server.kill();
	await server.start();
	assert.deepEqual(await questions(server, admin), acked.sort());
	await server.signal('SIGTERM');
	await server.command('check');
	return undefined;
});

const strace = (file, inject) => ['strace', '-f', '-qq', '-o', file, '-e', 'trace=fdatasync',
	...(inject ? ['-e', `inject=fdatasync:error=EIO:when=${inject}`] : [])];

/** How many syncs its writing thread has done when the server is ready. */
async function syncsOfStart(server) {
	const file = join(server.home, 'trace');
	server.wrap = strace(file);
	await server.start();
	await server.kill();
	const threads = new Map();
	for (const line of readFileSync(file, 'utf8').split('\n')) {
		const thread = /^(\d+) +fdatasync/.exec(line)?.[1];
		if (thread) threads.set(thread, (threads.get(thread) ?? 0) + 1);
	}
	return Math.max(0, ...threads.values());
}

/** Asks those from `first` on until each has its 201. → how often the outcome was unknown */
async function askAll(server, token, first, count) {
	let unknown = 0;
	for (let n = first; n < first + count; n++) {
		for (let tries = 1; ; tries++) {
			assert.ok(tries < 10);
			const made = await server.once(token, 'POST', '/v1/asks', ask(n), `key-${n}`);
			if (made.status === 201) break;
			assert.equal(made.status, 503);
			assert.ok([UNKNOWN, UNAVAILABLE].includes(made.body.type), made.body.type);
			unknown += made.body.type === UNKNOWN;
		}
	}
	return unknown;
}

for (const [from, to] of [[1, 1], [2, 2], [2, 4]]) {
	test(`syncs ${from} to ${to} fail: the outcome is open, and the key tells`, async (t) => {
		if (!can('strace', '-f', '-o', '/dev/null', 'true')) return t.skip('strace may not trace');
		const server = useServer(t);
		const token = await server.token('agent', 'a'), admin = await server.token('admin', 'b');
		// Once without faults, so that every start is alike.
		await server.start();
		await server.kill();
		const start = await syncsOfStart(server);
		// The writer also syncs what nobody waits for: on until it is an ask's own sync that fails.
		let asked = 0;
		for (let unknown = 0, later = 0; unknown === 0; later++) {
			assert.ok(later < 5, 'no sync of an ask failed');
			if (later) await server.kill();
			server.wrap = strace('/dev/null', `${start + from + later}..${start + to + later}`);
			await server.start();
			unknown = await askAll(server, token, asked, 8);
			asked += 8;
		}
		assert.equal((await server.once(null, 'GET', '/readyz')).status, 200);
		const all = Array.from({ length: asked }, (_, n) => `Question ${n}?`).sort();
		assert.deepEqual(await questions(server, admin), all);
		await server.kill();
		server.wrap = [];
		await server.start();
		assert.deepEqual(await questions(server, admin), all);
		await server.signal('SIGTERM');
		await server.command('check');
		return undefined;
	});
}

test('a sync that fails at the start stops it with one line', async (t) => {
	if (!can('strace', '-f', '-o', '/dev/null', 'true')) return t.skip('strace may not trace');
	const server = useServer(t);
	server.wrap = strace('/dev/null', '1+');
	server.spawn();
	assert.deepEqual(await server.exited, { code: 3, signal: null });
	assert.equal(server.stderr.trim().split('\n').length, 1, server.stderr);
	return undefined;
});
