// The real program on a bad day: the disk is full, its sync fails, the store is not to be
// written, another server has it. What the machine does not allow to try is skipped, and said.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { House } from '../lib/house.mjs';

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

function useHouse(t, options) {
	const house = new House(options);
	t.after(() => house.end());
	return house;
}

/** All asks there are, by their question. */
async function questions(house, token) {
	const seen = [];
	let cursor = '';
	do {
		const page = await house.once(token, 'GET', `/v1/asks?limit=200${
			cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		assert.equal(page.status, 200);
		seen.push(...page.body.items.map((one) => one.questions[0].text));
		cursor = page.body.next_cursor;
	} while (cursor);
	return seen.sort();
}

async function checked(house) {
	const check = await house.run(['check']);
	assert.equal(check.code, 0, check.stdout + check.stderr);
}

/** One line, and no more, on stderr. */
function oneLine(house, pattern) {
	assert.match(house.said, pattern);
	assert.equal(house.said.trim().split('\n').length, 1, house.said);
}

test('a second server on the same store says so and leaves', async (t) => {
	const house = useHouse(t);
	const token = await house.token('agent', 'a');
	await house.start();
	const second = useHouse(t, { data: house.data });
	second.spawn();
	assert.deepEqual(await second.gone, { code: 3, signal: null });
	oneLine(second, /in use by another parley/);
	assert.equal((await house.once(token, 'POST', '/v1/asks', ask(1))).status, 201);
	// The first one is still found by those who look for a server.
	assert.equal((await house.run(['token', 'list'])).code, 0);
	await house.kill('SIGTERM');
});

test('a store that may not be written stops the start with one line', async (t) => {
	if (process.getuid() !== 0) return t.skip('not root: cannot be another user');
	const house = useHouse(t, { as: { uid: 65534, gid: 65534 } });
	await house.token('agent', 'a');
	chmodSync(house.home, 0o755);
	for (const name of readdirSync(house.data)) chownSync(join(house.data, name), 65534, 65534);
	chownSync(house.data, 65534, 65534);
	chmodSync(join(house.data, 'parley.db'), 0o444);
	house.spawn();
	assert.deepEqual(await house.gone, { code: 3, signal: null });
	oneLine(house, /cannot be written|readonly|read-only|permission/i);
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
	const house = useHouse(t, { data: join(disk, 'data') });
	const token = await house.token('agent', 'a'), admin = await house.token('admin', 'b');
	await house.start();
	const acked = [];
	let n = 0, refused = 0;
	for (; refused < 5; n++) {
		const made = await house.once(token, 'POST', '/v1/asks', ask(n, 20_000), `key-${n}`);
		if (made.status === 201) {
			acked.push(`Question ${n}?`);
			assert.equal(refused, 0, 'no room, then room again?');
			assert.ok(n < 1000, 'the disk does not get full');
			continue;
		}
		refused += 1;
		assert.equal(made.status, 503);
		assert.equal(made.body.type, UNAVAILABLE);
		assert.equal((await house.once(null, 'GET', '/readyz')).status, 503);
		assert.equal((await house.once(null, 'GET', '/healthz')).status, 200);
	}
	assert.ok(acked.length > 10);
	// What is there can be read.
	assert.deepEqual(await questions(house, admin), [...acked].sort());
	execFileSync('mount', ['-o', 'remount,size=30m', disk]);
	for (let i = n - 5; i < n + 20; i++) {
		const made = await house.once(token, 'POST', '/v1/asks', ask(i, 20_000), `key-${i}`);
		assert.equal(made.status, 201, JSON.stringify(made.body));
		acked.push(`Question ${i}?`);
	}
	assert.equal((await house.once(null, 'GET', '/readyz')).status, 200);
	await house.kill();
	await house.start();
	assert.deepEqual(await questions(house, admin), acked.sort());
	await house.kill('SIGTERM');
	await checked(house);
	return undefined;
});

const strace = (file, inject) => ['strace', '-f', '-qq', '-o', file, '-e', 'trace=fdatasync',
	...(inject ? ['-e', `inject=fdatasync:error=EIO:when=${inject}`] : [])];

/** How many syncs its writing thread has done when the server is ready. */
async function syncsOfStart(house) {
	const file = join(house.home, 'trace');
	house.wrap = strace(file);
	await house.start();
	await house.killInside();
	const threads = new Map();
	for (const line of readFileSync(file, 'utf8').split('\n')) {
		const thread = /^(\d+) +fdatasync/.exec(line)?.[1];
		if (thread) threads.set(thread, (threads.get(thread) ?? 0) + 1);
	}
	return Math.max(0, ...threads.values());
}

/** Asks until each has its 201. → how often the outcome was unknown */
async function askAll(house, token, count) {
	let unknown = 0;
	for (let n = 0; n < count; n++) {
		for (let tries = 1; ; tries++) {
			assert.ok(tries < 10);
			const made = await house.once(token, 'POST', '/v1/asks', ask(n), `key-${n}`);
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
		const house = useHouse(t);
		const token = await house.token('agent', 'a'), admin = await house.token('admin', 'b');
		// Once without faults, so that every start is alike.
		await house.start();
		await house.kill();
		const start = await syncsOfStart(house);
		house.wrap = strace('/dev/null', `${start + from}..${start + to}`);
		await house.start();
		const unknown = await askAll(house, token, 8);
		assert.ok(unknown > 0, 'no sync failed');
		assert.equal((await house.once(null, 'GET', '/readyz')).status, 200);
		const all = Array.from({ length: 8 }, (_, n) => `Question ${n}?`);
		assert.deepEqual(await questions(house, admin), all);
		await house.killInside();
		house.wrap = [];
		await house.start();
		assert.deepEqual(await questions(house, admin), all);
		await house.kill('SIGTERM');
		await checked(house);
		return undefined;
	});
}

test('a sync that fails at the start stops it with one line', async (t) => {
	if (!can('strace', '-f', '-o', '/dev/null', 'true')) return t.skip('strace may not trace');
	const house = useHouse(t);
	house.wrap = strace('/dev/null', '1+');
	house.spawn();
	assert.deepEqual(await house.gone, { code: 3, signal: null });
	assert.equal(house.said.trim().split('\n').length, 1, house.said);
	return undefined;
});
