// `parley check` finds what was changed in rules, stops and the policy behind the server's back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { notInAFile } from '../lib/postgres.mjs';
import { Server } from './lib/server.mjs';

const EDITS = [
	['a rule allows more', "UPDATE rules SET matches = '{\"tool\":[\"*\"]}'", /rul_\w+: it is not as its last event says/],
	['a deny allows', "UPDATE rules SET effect = 'allow'", /rul_\w+: it is not as its last event says/],
	['a rule has not ended', "UPDATE rules SET ended_ms = 0, ended = ''", /rul_\w+: it is not as its last event says/],
	['a rule is gone', 'DELETE FROM rules', /rul_\w+: its row is missing/],
	['a rule is elsewhere', 'UPDATE rules SET ws = 7', /rules: \d of a workspace that does not exist|its row is missing/],
	['a stop fits less', "UPDATE stops SET matches = '{\"agent\":\"x\"}'", /stp_\w+: it is not as its last event says/],
	['a stop is gone', 'DELETE FROM stops', /stp_\w+: its row is missing/],
	['the policy is laxer', "UPDATE policies SET body = '{}'", /policy: it is not as its last event says/],
];

test('check finds edits of rules, stops and the policy', { skip: notInAFile }, async () => {
	const server = new Server();
	const admin = server.client(await server.token('admin', 'ada'));
	await server.start();
	const rule = (await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(rm *)'] } })).body;
	assert.equal((await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['x'] } })).status, 201);
	assert.equal((await admin.delete(`/v1/rules/${rule.id}`)).status, 204);
	assert.equal((await admin.post('/v1/stops', { reason: 'x' })).status, 201);
	assert.equal((await admin.put('/v1/policy', { mode: 'manual', version: 0 })).status, 200);
	await server.stop();
	const store = join(server.data, 'parley.db'), check = () => server.run(['check', '--data', server.data]);
	const fine = await check();
	assert.equal(fine.code, 0, fine.stdout + fine.stderr);
	const sqlite = (text) => execFileSync('python3', ['-c',
		'import sqlite3,sys\nc=sqlite3.connect(sys.argv[1])\nc.executescript(sys.argv[2])\nc.commit()', store, text]);
	for (const [name, edit, found] of EDITS) {
		sqlite(`CREATE TABLE r AS SELECT * FROM rules; CREATE TABLE s AS SELECT * FROM stops; CREATE TABLE p AS SELECT * FROM policies; ${edit};`);
		const { code, stdout, stderr } = await check();
		assert.notEqual(code, 0, name);
		assert.match(stdout + stderr, found, name);
		sqlite('DELETE FROM rules; INSERT INTO rules SELECT * FROM r; DELETE FROM stops; INSERT INTO stops SELECT * FROM s;'
			+ ' DELETE FROM policies; INSERT INTO policies SELECT * FROM p; DROP TABLE r; DROP TABLE s; DROP TABLE p;');
	}
	assert.equal((await check()).code, 0);
	server.remove();
});
