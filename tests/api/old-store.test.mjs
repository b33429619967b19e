// A store of schema 1, as the program of then wrote it (lib/schema-1.sql): it is brought up, old tokens are good, and each of its decisions
// has a receipt and stands in the export.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { verified } from './lib/export.mjs';
import { judged, scriptSays } from './lib/proof.mjs';
import { Server } from './lib/server.mjs';

const dump = readFileSync(new URL('lib/schema-1.sql', import.meta.url), 'utf8');
const secret = (role) => dump.match(new RegExp(`^-- ${role}: (prl_\\S+)$`, 'm'))[1];
const folder = mkdtempSync(join(tmpdir(), 'parley-old-'));
const server = new Server();
after(async () => {
	await server.end();
	rmSync(folder, { recursive: true, force: true });
});

test('decisions of a store of schema 1 have receipts, and its log is exported', { skip: process.env.PARLEY_TEST_POSTGRES && 'a store of SQLite' }, async () => {
	mkdirSync(server.data, { mode: 0o700 });
	execFileSync('sqlite3', [join(server.data, 'parley.db')], { input: dump });
	await server.start();
	const [agent, member, admin] = ['agent', 'member', 'admin'].map((role) => server.client(secret(role)));
	const jwks = (await agent.get('/v1/keys')).body;
	const { items } = (await member.get('/v1/asks?status=settled')).body;
	assert.deepEqual(items.map((ask) => ask.status).sort(), ['answered', 'answered', 'answered', 'cancelled', 'expired', 'skipped']);
	for (const { id, status } of items) {
		const { body: receipt } = await member.get(`/v1/asks/${id}/receipt`);
		const said = await judged(receipt, jwks, { unlogged: true });
		assert.deepEqual([said.ask, said.status, said.event.form], [id, status, 1]);
		const key = join(folder, 'keys.json');
		writeFileSync(key, JSON.stringify(jwks));
		const ours = await server.run(['verify', '-', '--key', key], { input: JSON.stringify(receipt) });
		assert.equal(ours.code, 0, ours.stdout + ours.stderr);
		assert.match(ours.stdout, /not in the log/);
		assert.equal((await scriptSays(folder, receipt, jwks)).code, 0);
	}
	/* What is decided from now on is of the new form, in one chain with the old. */
	const [open] = (await member.get('/v1/asks')).body.items;
	assert.equal((await member.answer(open, { q1: true })).status, 200);
	assert.equal((await judged((await member.get(`/v1/asks/${open.id}/receipt`)).body, jwks)).event.form, 2);
	const { text } = await admin.get('/v1/export', { check: false });
	const seen = [];
	await verified(text.trimEnd().split('\n'), jwks, ({ receipt }) => receipt && seen.push(receipt.ask));
	assert.deepEqual(seen.sort(), [...items.map((ask) => ask.id), open.id].sort());
	await server.stop();
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});
