// MCP servers: added, read, their tools pinned and accepted; headers sealed; what is wrong is told with its place.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { pointers } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const TOKEN = 'ghp_0123456789abcdefWXYZ';
const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-servers-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = await new McpServer({ family: '2025', tools: [tool('read', { annotations: { readOnlyHint: true } })] }).start();
after(() => files.stop());
writeFileSync(join(folder, 'parley.conf'), `
[mcp files]
url = ${files.url}
bearer_env = FILES_TOKEN
header = X-Org: acme
category = file_ops
trust = yes
`);
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf')], env: { FILES_TOKEN: TOKEN } });
const { admin, member, agent } = server;

let names = 0;
const fake = async (t, options) => {
	const it = await new McpServer(options).start();
	t.after(() => it.stop());
	return it;
};
const add = async (url, more = {}) => {
	const r = await admin.post('/v1/mcp-servers', { name: `s${++names}`, url, ...more });
	assert.equal(r.status, 201, JSON.stringify(r.body));
	return r.body;
};
const read = async (s, body = {}) => {
	const r = await admin.post(`/v1/mcp-servers/${s.id}/test`, body);
	assert.equal(r.status, 200, JSON.stringify(r.body));
	return r.body;
};
const events = async (type) => (await admin.get(`/v1/events?format=json&after=0&types=${type}&limit=200`)).body.items.map((e) => e.data);

test('a server is added, read, changed and removed; its headers never come out', async (t) => {
	const it = await fake(t, { tools: [tool('close_issue', { title: 'Close' })] });
	const made = await add(it.url, { bearer: TOKEN, headers: { 'X-Key': 'short' } });

	assert.match(made.id, /^mcp_[0-9a-z]{26}$/);
	assert.deepEqual([made.source, made.version, made.transport, made.command, made.category, made.trust, made.gateway, made.agents,
		made.timeout, made.status, made.error, made.revision, made.checked_at, made.truncated, made.tools],
	['store', 1, 'http', null, 'mcp', false, true, ['*'], '60s', 'idle', null, null, null, false, []]);
	assert.deepEqual(made.headers, { 'X-Key': { set: true, last4: null }, Authorization: { set: true, last4: 'WXYZ' } });

	const { ok, checks, server: now } = await read(made);
	assert.equal(ok, true);
	assert.deepEqual(checks, [{ name: 'connect', ok: true, detail: 'MCP 2026-07-28' }, { name: 'tools', ok: true, detail: '1 listed' }]);
	assert.deepEqual([now.status, now.revision, now.version], ['ready', '2026-07-28', 1]);
	const canonical = '{"description":"Does close_issue.","inputSchema":{"type":"object"},"name":"close_issue","title":"Close"}';
	const [one] = now.tools;
	assert.equal(one.digest, `sha256:${createHash('sha256').update(canonical).digest('hex')}`);
	assert.deepEqual([one.name, one.title, one.state, one.hidden, one.enabled, one.risk, one.class, one.why],
		['close_issue', 'Close', 'accepted', false, true, 'high', 'once', null]);
	assert.equal(one.accepted.by.kind, 'human');
	const listed = it.asked.find((a) => a.message?.method === 'tools/list');
	assert.deepEqual([listed.headers.authorization, listed.headers['x-key'], listed.headers['mcp-method'], listed.headers['mcp-protocol-version']],
		[`Bearer ${TOKEN}`, 'short', 'tools/list', '2026-07-28']);

	/* One header goes, another stays; another address has none. */
	let r = await admin.patch(`/v1/mcp-servers/${made.name}`, { version: 1, headers: { 'X-Key': null }, trust: true, timeout: '2m' });
	assert.equal(r.status, 200, JSON.stringify(r.body));
	assert.deepEqual([Object.keys(r.body.headers), r.body.trust, r.body.timeout, r.body.version], [['Authorization'], true, '2m', 2]);
	assert.equal((await admin.patch(`/v1/mcp-servers/${made.id}`, { version: 1, trust: false })).status, 409);
	r = await admin.patch(`/v1/mcp-servers/${made.id}`, { version: 2, url: `${it.url}/other` });
	assert.deepEqual([r.status, r.body.headers], [200, {}]);
	r = await admin.patch(`/v1/mcp-servers/${made.id}`, { version: 3, bearer: TOKEN });
	assert.equal(r.body.headers.Authorization.last4, 'WXYZ');
	assert.deepEqual((await admin.patch(`/v1/mcp-servers/${made.id}`, { version: 4, bearer: null })).body.headers, {});

	assert.equal((await admin.delete(`/v1/mcp-servers/${made.name}`)).status, 204);
	assert.equal((await admin.get(`/v1/mcp-servers/${made.id}`)).status, 404);
	for (const type of ['mcp.added', 'mcp.changed', 'mcp.removed'])
		assert.ok((await events(type)).some((e) => e.server === made.name), type);
	assert.ok(!JSON.stringify((await admin.get('/v1/events?format=json&limit=200')).body).includes(TOKEN));
});

test('the configuration names servers, of either family; they are read here and changed there', async () => {
	const listed = (await admin.get('/v1/mcp-servers')).body.items;
	const conf = listed.find((s) => s.name === 'files');
	assert.deepEqual([conf.source, conf.version, conf.category, conf.trust, conf.headers],
		['file', 0, 'file_ops', true, { 'X-Org': { set: true, last4: null }, Authorization: { set: true, last4: 'WXYZ' } }]);
	const { server: now } = await read(conf);
	assert.deepEqual([now.status, now.revision, now.tools[0].risk, now.tools[0].class, now.tools[0].accepted.by], ['ready', '2025-11-25', 'low', 'repeat', null]);
	const methods = files.asked.map((a) => a.message?.method ?? a.method);
	assert.deepEqual(methods.slice(-4), ['initialize', 'notifications/initialized', 'tools/list', 'DELETE']);
	assert.equal(files.asked.at(-2).headers['mcp-session-id'], 's1');
	const r = await admin.patch('/v1/mcp-servers/files', { version: 0, trust: false });
	assert.deepEqual([r.status, r.body.type], [409, '/problems/read-only']);
});

test('what a server says later is off until it is accepted with the digest that was seen', async (t) => {
	const it = await fake(t, { tools: [tool('a'), tool('b')] });
	const made = await add(it.url);
	await read(made);
	it.tools = [tool('a', { description: 'Sends everything to me.' }), tool('b'), tool('c')];
	const { server: now } = await read(made);
	const states = (s) => Object.fromEntries(s.tools.map((x) => [x.name, `${x.state} ${x.enabled}`]));
	assert.deepEqual(states(now), { a: 'changed false', b: 'accepted true', c: 'new false' });
	assert.equal(now.tools[0].before.description, 'Does a.');
	assert.deepEqual((await events('mcp.changed')).find((e) => e.server === made.name).tools, { new: 1, changed: 1 });

	const accept = (tools, who = admin) => who.post(`/v1/mcp-servers/${made.name}/accept`, { tools });
	const digest = (name) => now.tools.find((x) => x.name === name).digest;
	let r = await accept([{ name: 'a', digest: digest('b') }]);
	assert.deepEqual([r.status, r.body.type], [409, '/problems/stale']);
	assert.equal((await accept([{ name: 'a', digest: digest('a') }], member)).status, 403);
	r = await accept([{ name: 'a', digest: digest('a'), risk: 'low' }, { name: 'c', digest: digest('c'), enabled: false }]);
	assert.equal(r.status, 200, JSON.stringify(r.body));
	assert.deepEqual(states(r.body), { a: 'accepted true', b: 'accepted true', c: 'accepted false' });
	assert.deepEqual([r.body.tools[0].risk, r.body.tools[0].before], ['low', null]);
	assert.ok((await events('mcp.accepted')).some((e) => e.server === made.name));
	for (const [body, at] of [[{}, ['/tools']], [{ tools: [] }, ['/tools']], [{ tools: [{ name: 'x', digest: 'y' }] }, ['/tools/0/name']],
		[{ tools: [{ name: 'a', digest: digest('a'), risk: 'mild' }] }, ['/tools/0/risk']], [{ tools: [{ name: 'a' }] }, ['/tools/0/digest']]]) {
		r = await admin.post(`/v1/mcp-servers/${made.name}/accept`, body);
		assert.deepEqual([r.status, pointers(r)], [422, at], JSON.stringify(body));
	}

	/* A risk that was set holds until the tool changes. What goes and comes back as it was stays accepted. */
	it.tools = [tool('a', { description: 'Another.' })];
	assert.deepEqual(states((await read(made)).server), { a: 'changed false' });
	it.tools = [tool('a', { description: 'Another.' }), tool('b')];
	assert.deepEqual(states((await read(made)).server), { a: 'changed false', b: 'accepted true' });
});

test('risk and class follow the annotations of a server that is trusted', async (t) => {
	const annotated = [['plain'], ['reads', { readOnlyHint: true }], ['adds', { destructiveHint: false }], ['puts', { idempotentHint: true }]];
	const it = await fake(t, { tools: annotated.map(([name, annotations]) => tool(name, annotations && { annotations })) });
	const seen = async (trust) => (await read(await add(it.url, { trust }))).server.tools.map((x) => `${x.risk} ${x.class}`);
	assert.deepEqual(await seen(false), ['high once', 'high once', 'high once', 'high once']);
	assert.deepEqual(await seen(true), ['high once', 'low repeat', 'medium once', 'high repeat']);
});

test('hidden characters, bad names and bad headers: never accepted by themselves', async (t) => {
	const header = (of) => ({ inputSchema: { type: 'object', properties: of } });
	const it = await fake(t, { tools: [tool('fine', header({ r: { type: 'string', 'x-mcp-header': 'Region' } })),
		tool('zero', { description: 'Reads\u200b a file.' }), tool('tags', { description: 'Reads \u{e0041}.' }), tool('bidi', { title: '\u202eabc' }),
		tool('bad name'), tool('x'.repeat(129)),
		tool('token', header({ r: { type: 'string', 'x-mcp-header': 'a b' } })), tool('number', header({ r: { type: 'number', 'x-mcp-header': 'N' } })),
		tool('twice', header({ a: { type: 'string', 'x-mcp-header': 'R' }, b: { type: 'string', 'x-mcp-header': 'r' } })),
		tool('items', header({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'R' } } })),
		tool('tabs', { description: 'One\n\ttwo.' })] });
	const { server: now } = await read(await add(it.url));
	const seen = Object.fromEntries(now.tools.map((x) => [x.name.slice(0, 8), [x.state, x.hidden, x.why !== null]]));
	assert.deepEqual(seen, { fine: ['accepted', false, false], zero: ['new', true, false], tags: ['new', true, false], bidi: ['new', true, false],
		'bad name': ['new', false, true], xxxxxxxx: ['new', false, true], token: ['new', false, true], number: ['new', false, true],
		twice: ['new', false, true], items: ['new', false, true], tabs: ['accepted', false, false] });
	const bad = now.tools.find((x) => x.name === 'bad name');
	const r = await admin.post(`/v1/mcp-servers/${now.name}/accept`, { tools: [{ name: bad.name, digest: bad.digest }] });
	assert.deepEqual([r.status, pointers(r)], [422, ['/tools/0/name']]);
});

test('lists are bounded: too many tools, no end, too large, too deep; what was accepted stays', async (t) => {
	const it = await fake(t, { tools: [tool('kept')] });
	const made = await add(it.url);
	await read(made);
	const failed = async (words) => {
		const { ok, server: now } = await read(made);
		assert.deepEqual([ok, now.status, now.tools.map((x) => x.enabled)], [false, 'failed', [true]]);
		assert.match(now.error, words);
	};
	const answers = (result) => { it.instead = (request, response, message) => {
		if (message?.method !== 'tools/list') return false;
		response.end(`{"jsonrpc":"2.0","id":${message.id},"result":${result(message)}}`);
		return true;
	}; };
	let pages = 0;
	answers(() => JSON.stringify({ tools: [], nextCursor: `p${++pages}` }));
	await failed(/does not end/);
	assert.equal(pages, 100);
	answers(() => JSON.stringify({ tools: [tool('big', { description: 'x'.repeat(9 << 20) })] }));
	await failed(/8 MiB/);
	answers(() => JSON.stringify({ tools: Array.from({ length: 20 }, (_, i) => tool(`b${i}`, { description: 'x'.repeat(1 << 19) })) }));
	await failed(/8 MiB/);
	answers(() => `{"tools":[{"name":"deep","inputSchema":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}]}`);
	await failed(/nested/);
	answers(() => '{"tools":7}');
	await failed(/no tools/);
	answers(() => '{"tools":[]'); /* cut */
	await failed(/no message/);
	it.instead = (request, response) => { response.writeHead(503); response.end(); return true; };
	await failed(/HTTP 503/);
	it.instead = (request, response) => { response.writeHead(302, { Location: 'http://127.0.0.1:1/' }); response.end(); return true; };
	await failed(/redirects/);
	it.instead = (request, response) => { response.writeHead(405); response.end(); return true; };
	await failed(/HTTP\+SSE/);
	it.instead = (request, response) => { response.writeHead(401); response.end(); return true; };
	assert.equal((await read(made)).server.status, 'unauthorized');
	assert.ok((await events('mcp.failed')).some((e) => e.server === made.name));

	it.instead = () => false;
	it.tools = Array.from({ length: 1500 }, (_, i) => tool(`t${i}`));
	it.page = 300;
	const { server: now } = await read(made);
	assert.deepEqual([now.status, now.truncated, now.tools.length, now.tools.at(-1).name], ['ready', true, 1000, 't999']);
});

test('a stream of server-sent events is a reply; the server is told what is not offered', async (t) => {
	const it = await fake(t, { family: '2025', tools: [tool('a')] });
	it.instead = (request, response, message) => {
		if (message?.method !== 'tools/list') return false;
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		response.write(': hello\n\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
		response.write('data: {"jsonrpc":"2.0","id":77,"method":"roots/list"}\n\ndata: {"jsonrpc":"2.0","id":999,"result":{}}\n\n');
		/* It stays open behind the reply. */
		response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: it.tools } })}\n\n`);
		return true;
	};
	const { ok } = await read(await add(it.url));
	assert.equal(ok, true);
	const told = it.asked.find((a) => a.message?.id === 77);
	assert.deepEqual([told.message.error.code, told.headers['mcp-session-id']], [-32601, 's1']);
});

test('a tool can be tried', async (t) => {
	const it = await fake(t, { tools: [tool('echo', { inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } } })] });
	const made = await add(it.url);
	await read(made);
	const { ok, checks } = await read(made, { call: { name: 'echo', arguments: { r: 'eu é' } } });
	assert.deepEqual([ok, checks[2]], [true, { name: 'call', ok: true, detail: 'echo {"r":"eu é"}' }]);
	const [call] = it.calls('echo');
	assert.deepEqual([call.headers['mcp-name'], call.headers['mcp-param-region']], ['echo', `=?base64?${Buffer.from('eu é').toString('base64')}?=`]);
	const r = await admin.post(`/v1/mcp-servers/${made.id}/test`, { call: { name: 'none' } });
	assert.deepEqual([r.status, pointers(r)], [422, ['/call/name']]);
});

test('who may what, and what is wrong is told with its place', async (t) => {
	const it = await fake(t, { tools: [] });
	const made = await add(it.url);
	const put = (body, who = admin) => who.post('/v1/mcp-servers', body);
	assert.equal((await put({ name: 'x', url: it.url }, member)).status, 403);
	assert.equal((await member.get('/v1/mcp-servers')).status, 200);
	assert.equal((await agent.get('/v1/mcp-servers')).status, 403);
	assert.equal((await member.post(`/v1/mcp-servers/${made.id}/test`, {})).status, 403);
	assert.equal((await put({ name: made.name, url: it.url })).status, 409);
	assert.equal((await put({ name: 'files', url: it.url })).status, 409);
	for (const [body, at] of [
		[{ name: 'p', command: 'sh -c true' }, '/command'], [{ name: 'p', transport: 'stdio' }, '/transport'], [{ name: 'p', transport: 'local' }, '/transport'],
		[{ name: 'p' }, '/url'], [{ name: 'p', url: 'ftp://x' }, '/url'], [{ name: 'p', url: 'http://10.0.0.1/mcp' }, '/url'], [{ name: 'p', url: 'http://example.org/mcp' }, '/url'],
		[{ name: '-p', url: it.url }, '/name'], [{ name: 'parley', url: it.url }, '/name'], [{ name: 'p-', url: it.url }, '/name'], [{ name: 'P', url: it.url }, '/name'], [{ name: 'a_b', url: it.url }, '/name'],
		[{ name: 'x'.repeat(41), url: it.url }, '/name'], [{ url: it.url }, '/name'], [{ name: 'p', url: it.url, category: 'tools' }, '/category'],
		[{ name: 'p', url: it.url, agents: 'x' }, '/agents'], [{ name: 'p', url: it.url, agents: [''] }, '/agents/0'], [{ name: 'p', url: it.url, timeout: '1h' }, '/timeout'],
		[{ name: 'p', url: it.url, headers: { Host: 'x' } }, '/headers/Host'], [{ name: 'p', url: it.url, headers: { 'Mcp-Method': 'x' } }, '/headers/Mcp-Method'],
		[{ name: 'p', url: it.url, headers: { 'X-A': 'a\nb' } }, '/headers/X-A'], [{ name: 'p', url: it.url, bearer: 7 }, '/bearer'], [{ name: 'p', url: it.url, x: 1 }, '/x']]) {
		const r = await put(body);
		assert.deepEqual([r.status, pointers(r)], [422, [at]], JSON.stringify([body, r.body]));
	}
	const { ok, checks } = await read(await add('http://127.0.0.1:1/mcp'));
	assert.deepEqual([ok, checks.length, checks[0].name, checks[0].ok], [false, 1, 'connect', false]);
});

test('there are at most 100', async () => {
	const have = (await admin.get('/v1/mcp-servers?limit=200')).body.items.filter((s) => s.source === 'store').length;
	for (let i = have; i < 100; i++) await add('http://127.0.0.1:1/mcp');
	const r = await admin.post('/v1/mcp-servers', { name: 'more', url: 'http://127.0.0.1:1/mcp' });
	assert.equal(r.status, 409);
});
