// The log handed out: one snapshot, a chain, receipts and a signed end; checked by our verb and by a script of its own.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resumed, verified as verifiedLines } from './lib/export.mjs';
import { approval, pointers, text } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1', CUTS = LONG ? 200 : 6;
const folder = mkdtempSync(join(tmpdir(), 'parley-export-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const server = await useServer({ flags: ['--ask-rate', '100000', '--session-rate', '0'] });
const { agent, member, admin } = server;
const keys = async () => (await agent.get('/v1/keys')).body;
const path = (name) => join(folder, name);
const file = (name, value) => { writeFileSync(path(name), typeof value === 'string' ? value : JSON.stringify(value)); return path(name); };

/** The bytes of an export; with `cut`, those before the connection was dropped. */
const fetched = (query = '', { cut = Infinity, token = admin.token } = {}) => new Promise((resolve, reject) => {
	const request = http.get(`${server.url}/v1/export${query}`, { headers: { authorization: `Bearer ${token}` } }, (reply) => {
		let bytes = '';
		reply.setEncoding('latin1');
		reply.on('data', (part) => {
			bytes += part;
			if (bytes.length >= cut) { request.destroy(); resolve({ status: reply.statusCode, bytes: bytes.slice(0, cut) }); }
		});
		reply.on('end', () => resolve({ status: reply.statusCode, bytes, type: reply.headers['content-type'] }));
		reply.on('error', () => resolve({ status: reply.statusCode, bytes: bytes.slice(0, cut) }));
	});
	request.on('error', reject);
});
const exported = async (query) => {
	const reply = await fetched(query);
	assert.equal(reply.status, 200, reply.bytes);
	assert.equal(reply.type, 'application/x-ndjson');
	return Buffer.from(reply.bytes, 'latin1').toString();
};

/** By another reader than ours. → {heads, events, asks, receipts, end} */
async function verified(whole, jwks) {
	const found = { heads: [], events: [], asks: [], receipts: [] };
	assert.ok(whole.endsWith('\n'));
	found.end = await verifiedLines(whole.slice(0, -1).split('\n'), jwks, (seen) => {
		for (const [what, value] of Object.entries(seen)) found[`${what}s`].push(value);
	});
	return found;
}
const check = (name, more = [], key = path('keys')) => server.run(['check', '--export', path(name), ...(key ? ['--key', key] : []), ...more]);

const good = async (reply) => { assert.ok(reply.status < 300, reply.text); return reply.body; };
const asks = {
	answered: await agent.ask({ questions: [text()], project: 'web' }),
	approved: await agent.ask(approval({ project: 'shop' })),
	revoked: await agent.ask(approval()),
	skipped: await agent.ask(),
	pending: await agent.ask({ project: 'web' }),
	deleted: await agent.ask({ questions: [text()] }),
};
await good(await member.answer(asks.answered, { why: { text: 'Weil "ü" – \u{1f600},"data":{}' } }));
await good(await member.answer(asks.approved, { decision: 'approve' }));
await good(await member.answer(asks.revoked, { decision: 'approve' }));
await good(await member.post(`/v1/asks/${asks.revoked.id}/revoke`, {}));
await good(await member.post(`/v1/asks/${asks.skipped.id}/skip`, {}));
await good(await member.answer(asks.deleted, { why: { text: 'secret' } }));
await good(await admin.delete(`/v1/sessions/${asks.deleted.session}`));
file('keys', await keys());

test('an export holds every event, each ask as it is now, and the receipts; the end is signed', async () => {
	const whole = await exported();
	const found = await verified(whole, await keys());
	const { items } = await admin.events();
	assert.deepEqual(found.events.map((e) => [e.n, e.type]), items.map((e) => [e.id, e.type]));
	assert.equal(found.events.at(-1).type, 'export.made', 'which is told before anything is handed out');
	assert.deepEqual([found.events.at(-1).data.by.name, found.events.at(-1).data.after], ['ada', 0]);
	assert.deepEqual(found.asks.map((a) => a.id).sort(), Object.values(asks).filter((a) => a !== asks.deleted).map((a) => a.id).sort());
	assert.equal(found.asks.find((a) => a.id === asks.approved.id).status, 'answered', 'as it is now');
	assert.deepEqual(found.receipts.map((r) => [r.ask, r.event.type]), [[asks.answered.id, 'ask.answered'], [asks.approved.id, 'ask.answered'],
		[asks.revoked.id, 'ask.revoked'], [asks.skipped.id, 'ask.skipped']]);
	assert.deepEqual(found.heads[0].filter, { from: null, to: null, project: null });
	assert.ok(found.events.filter((e) => e.session === asks.deleted.session && e.type !== 'session.deleted').every((e) => e.data === null));
	assert.ok(!whole.includes('secret'));
	file('whole', whole);
	for (const key of [path('keys'), null]) {
		const done = await check('whole', ['--data', server.data], key);
		assert.deepEqual([done.code, done.stderr], [0, ''], done.stdout);
		assert.match(done.stdout, /sound: \d+ events, 5 asks and 4 receipts/);
	}
	assert.deepEqual(JSON.parse((await check('whole', ['--json'])).stdout), { ok: true, file: path('whole'), workspace: 'default', events: found.events.length,
		asks: 5, receipts: 4, last: found.end.last });
});

test('only admins; what is asked for wrongly is refused; HEAD tells nothing and is not an export', async () => {
	for (const who of [agent, member]) assert.equal((await who.get('/v1/export')).status, 403);
	for (const [query, at] of [['after=-1', '/after'], ['after=x', '/after'], ['from=yesterday', '/from'], ['to=5', '/to'], ['project=', '/project'],
		['from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', '/to']]) {
		const reply = await admin.get(`/v1/export?${query}`);
		assert.deepEqual([reply.status, pointers(reply)], [422, [at]], query);
	}
	const ahead = await admin.get('/v1/export?after=100000');
	assert.deepEqual([ahead.status, ahead.body.type], [409, '/problems/ahead']);
	const made = async () => (await admin.events(0, '&types=export.made')).items.length;
	const before = await made();
	assert.equal((await admin.request('HEAD', '/v1/export')).status, 200);
	assert.equal(await made(), before);
	assert.equal((await agent.events(0, '&types=export.made')).items.length, 0);
});

test('a project: other sessions keep their hashes and lose their words; a time: a chain from there', async () => {
	const whole = await exported('?project=web');
	const found = await verified(whole, await keys());
	assert.deepEqual([found.asks.map((a) => a.id), found.receipts.map((r) => r.ask)], [[asks.answered.id, asks.pending.id], [asks.answered.id]]);
	assert.ok(found.events.filter((e) => e.session === asks.approved.session).every((e) => e.data === null));
	assert.ok(found.events.filter((e) => e.session === asks.answered.session).every((e) => e.data !== null));
	file('web', whole);
	assert.equal((await check('web')).code, 0);
	server.jump(3600_000);
	const later = await agent.ask();
	const from = encodeURIComponent(new Date(Date.parse(later.created_at) - 1000).toISOString());
	const since = await verified(await exported(`?from=${from}`), await keys());
	assert.deepEqual([since.asks.map((a) => a.id), since.heads[0].after > 0], [[later.id], true]);
	const before = await verified(await exported(`?to=${from}`), await keys());
	assert.deepEqual([before.asks.length, before.end.last], [5, since.heads[0].after]);
	const none = await verified(await exported('?from=2100-01-01T00:00:00Z'), await keys());
	assert.equal(none.end.events, 0);
});

test('every byte that is changed is found, with its line', async () => {
	const { last } = (await verified(await exported(), await keys())).end;
	const ask = await agent.ask(approval());
	await good(await member.answer(ask, { decision: 'approve' }));
	const small = Buffer.from(await exported(`?after=${last}`));
	const missed = [];
	const step = LONG ? 1 : 149;
	for (let i = 0; i < small.length; i += step) {
		const bytes = Buffer.from(small);
		bytes[i] ^= 1 << (i % 7);
		writeFileSync(path('flipped'), bytes);
		const done = await check('flipped', ['--json']);
		if (done.code !== 1 || JSON.parse(done.stdout).ok !== false) missed.push(i);
	}
	assert.deepEqual(missed, []);
	const lines = small.toString().split('\n');
	for (const [name, changed, line] of [['cut', lines.slice(0, 3).join('\n'), 3], ['dropped', lines.toSpliced(2, 1).join('\n'), 3],
		['other', lines.map((l) => l.replace('"workspace":"default"', '"workspace":"defualt"')).join('\n'), lines.findIndex((l) => l.startsWith('{"line":"receipt"')) + 1]]) {
		file(name, changed);
		const done = await check(name);
		assert.equal(done.code, 1, name);
		assert.match(done.stdout, new RegExp(`^line ${line}: `), name);
	}
	const other = await useServer();
	file('other-keys', (await other.agent.get('/v1/keys')).body);
	file('small', small.toString());
	const foreign = await check('small', [], path('other-keys'));
	assert.equal(foreign.code, 1);
	assert.match(foreign.stdout, /: kid$/m);
	assert.match(foreign.stderr, /another workspace/);
});

test('cut at any byte it goes on, and the parts are one export; parley export does that', async () => {
	let [whole, from] = ['', 0];
	for (let i = 0; i < CUTS; i++) {
		const { bytes } = await fetched(`?after=${from}`, { cut: 3000 + (i * 7919) % 9000 });
		const [kept, n] = resumed(bytes);
		if (kept) [whole, from] = [whole + kept, n];
	}
	whole = Buffer.from(whole + (await fetched(`?after=${from}`)).bytes, 'latin1').toString();
	const found = await verified(whole, await keys());
	assert.ok(found.heads.length > 1);
	assert.deepEqual(found.events.map((e) => e.n), found.events.map((_, i) => i + 1));
	file('joined', whole);
	assert.equal((await check('joined')).code, 0, (await check('joined')).stdout);
	const target = path('made.ndjson'), env = { PARLEY_URL: server.url, PARLEY_TOKEN: admin.token };
	file('made.ndjson.part', whole.slice(0, 5000));
	const done = await server.run(['export', target], { env });
	assert.equal(done.code, 0, done.stderr + done.stdout);
	assert.match(done.stdout, /^Exported \d+ events, \d+ asks and \d+ receipts of default to .*; verified\.$/m);
	assert.equal(statSync(target).mode & 0o777, 0o600);
	assert.ok(!existsSync(`${target}.part`));
	assert.equal((await verified(readFileSync(target, 'utf8'), await keys())).heads.length >= 2, true);
	assert.equal((await server.run(['export', target], { env })).code, 2, 'nothing is replaced');
	file('x.part', whole.slice(0, 5000));
	const another = await server.run(['export', path('x'), '--project', 'web'], { env });
	assert.equal(another.code, 2);
	assert.match(another.stderr, /part of another export/);
	assert.equal((await server.run(['export', path('y')], { env: { ...env, PARLEY_TOKEN: member.token } })).code, 4);
	assert.ok(!existsSync(path('y.part')));
});

test('it is one snapshot while others write, and takes little memory', async () => {
	const big = 'x'.repeat(200_000);
	const before = [];
	for (let i = 0; i < 40; i++) before.push(await agent.ask({ kind: 'non_blocking', questions: [text()], context: { big } }));
	const reading = new Promise((resolve, reject) => {
		http.get(`${server.url}/v1/export`, { headers: { authorization: `Bearer ${admin.token}` } }, resolve).on('error', reject);
	});
	const reply = await reading;
	reply.pause();
	for (const ask of before) await good(await member.answer(ask, { why: { text: 'later' } }));
	let bytes = '';
	reply.setEncoding('utf8');
	for await (const part of reply) bytes += part;
	const found = await verified(bytes, await keys());
	const mine = new Set(before.map((a) => a.id));
	assert.deepEqual([...new Set(found.asks.filter((a) => mine.has(a.id)).map((a) => a.status))], ['pending']);
	assert.equal(found.receipts.filter((r) => mine.has(r.ask)).length, 0);
});

test('a token that is revoked meanwhile gets no more', async () => {
	const { token, id } = await good(await admin.post('/v1/tokens', { role: 'admin', name: 'auditor' }));
	const reply = await new Promise((resolve, reject) => {
		http.get(`${server.url}/v1/export`, { headers: { authorization: `Bearer ${token}` } }, resolve).on('error', reject);
	});
	reply.pause();
	await good(await admin.delete(`/v1/tokens/${id}`));
	let bytes = '';
	reply.setEncoding('utf8');
	for await (const part of reply) bytes += part;
	assert.ok(!bytes.includes('{"line":"end"'));
	await until(async () => (await fetched('', { token })).status === 401);
});
