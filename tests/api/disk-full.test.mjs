// A disk that takes no more: nothing acknowledged is lost, and all is well with room again. The
// limit on a file's size plays the disk; to SQLite that is an I/O error, whose outcome may be
// unknown. It is lifted while the server runs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BIN, Server, until } from './lib/server.mjs';
import { notInAFile } from '../lib/postgres.mjs';

const server = new Server({ flags: ['--ask-rate', '0'] });
const kept = [];
let agent;
let member;
let refused;

after(async () => {
	await server.stop();
	server.remove();
});

const ask = () => agent.post('/v1/asks', { question: 'Room?', type: 'boolean',
	metadata: { ballast: 'x'.repeat(8000) } });

before(async () => {
	const [asking, answering] = [await server.token('agent', 'a'), await server.token('member', 'm')];
	const limited = join(server.home, 'limited');
	writeFileSync(limited, `#!/bin/bash\nulimit -S -f 1500\nexec ${BIN} "$@"\n`);
	chmodSync(limited, 0o755);
	await server.start(undefined, limited);
	agent = server.client(asking);
	member = server.client(answering);
	for (let i = 0; i < 1000 && !refused; i++) {
		const reply = await ask();
		if (reply.status === 201) kept.push(reply.body);
		else refused = reply;
	}
});

test('a write that finds no room is 503', { skip: notInAFile }, () => {
	assert.ok(kept.length > 5);
	assert.equal(refused.status, 503);
	assert.match(refused.body.type, /^\/problems\/(unavailable|outcome-unknown)$/);
});

test('a gateway hears 403, never 5xx', { skip: notInAFile }, async () => {
	const reply = await agent.post('/v1/authorize', { operation: { name: 'deploy', arguments: { ballast: 'x'.repeat(8000) } } });
	assert.deepEqual([reply.status, reply.body.type, reply.body.decision, reply.headers['parley-decision']],
		[403, '/problems/unavailable', 'deny', 'deny']);
});

test('reads go on: what was acknowledged is there', async () => {
	const ids = [];
	let cursor = '';
	do {
		const page = (await member.get(`/v1/asks?limit=200${cursor}`)).body;
		ids.push(...page.items.map((a) => a.id));
		cursor = page.next_cursor && `&cursor=${page.next_cursor}`;
	} while (cursor);
	assert.deepEqual(ids.slice(0, kept.length), kept.map((a) => a.id));
	assert.ok(ids.length <= kept.length + 1);
});

test('an answer that finds no room leaves the ask pending', async () => {
	const reply = await member.post(`/v1/asks/${kept[0].id}/replies`, { text: 'x'.repeat(5000) });
	if (reply.status !== 201) {
		assert.equal(reply.status, 503);
		assert.deepEqual((await member.read(kept[0])).replies, []);
	}
});

test('with room again it goes on by itself', async () => {
	execFileSync('prlimit', ['--pid', String(server.child.pid), '--fsize=unlimited:unlimited']);
	const made = await until(async () => {
		const reply = await ask();
		return reply.status === 201 && reply.body;
	}, 'an ask');
	assert.equal((await member.answer(made, { q1: true })).status, 200);
	assert.equal((await server.client(null).get('/readyz')).status, 200);
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});
