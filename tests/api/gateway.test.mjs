// The gateway: a server of the desk behind /mcp/NAME, for agents from elsewhere.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { BIN, until, useServer } from './lib/server.mjs';

const server = await useServer({ keepPort: true });
const { admin, member } = server;
const TOKEN = 'ghp_0123456789abcdefWXYZ';
const schema = { type: 'object', properties: { n: { type: 'integer' } } };
const tools = [tool('read', { annotations: { readOnlyHint: true }, title: 'Read', x: { kept: 1.50 } }), tool('write', { inputSchema: schema })];
const behind = {};
for (const family of ['2025', '2026']) {
	const it = await new McpServer({ family, tools }).start();
	after(() => it.stop());
	behind[family] = it;
	const made = await admin.post('/v1/mcp-servers', { name: `s${family}`, url: it.url, bearer: TOKEN, trust: true });
	assert.equal(made.status, 201, made.text);
}

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
	'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' } };
let ids = 0;
/** One message of a client of either family, and what it gets. */
async function send(name, method, params = {}, { family = '2025', token = server.secrets.agent, headers = {}, id = ++ids } = {}) {
	const now = family === '2026';
	const subject = params.name ?? params.uri;
	const r = await fetch(`${server.url}/mcp/${name}`, {
		method: 'POST',
		headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
			...(now ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...(subject ? { 'Mcp-Name': subject } : {}) } : {}), ...headers },
		body: JSON.stringify({ jsonrpc: '2.0', id, method, params: now ? { ...params, _meta: { ...meta, ...params._meta } } : params }),
	});
	const text = await r.text();
	const data = text.startsWith('{') ? text : text.split('\n').filter((l) => l.startsWith('data: {')).at(-1)?.slice(6);
	return { status: r.status, session: r.headers.get('mcp-session-id'), ...(data ? JSON.parse(data) : {}), text };
}
async function open(name) {
	const r = await send(name, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } });
	assert.equal(r.status, 200, r.text);
	assert.ok(r.session);
	return { r, headers: { 'Mcp-Session-Id': r.session, 'MCP-Protocol-Version': '2025-11-25' } };
}

test('who may not use it finds nothing', async () => {
	for (const name of ['nothing', 'S2025']) assert.equal((await send(name, 'tools/list')).status, 404);
	const made = (await admin.post('/v1/mcp-servers', { name: 'closed', url: behind['2025'].url, gateway: false })).body;
	assert.equal((await send('closed', 'tools/list')).status, 404);
	await admin.patch(`/v1/mcp-servers/${made.id}`, { version: 1, gateway: true, agents: ['other-*'] });
	assert.equal((await send('closed', 'tools/list')).status, 404);
	assert.equal((await send('s2025', 'tools/list', {}, { token: 'nonsense' })).status, 401);
});

test('either family of clients sees either family of servers: who it is, its tools, an allowed call', async () => {
	for (const of of ['2025', '2026']) {
		const name = `s${of}`, it = behind[of];
		const { r: hello, headers } = await open(name);
		assert.equal(hello.result.protocolVersion, '2025-11-25');
		assert.ok(hello.result.capabilities.tools);
		assert.equal((await send(name, 'ping', {}, { headers })).status, 200);
		const found = await send(name, 'server/discover', {}, { family: '2026' });
		assert.ok(found.result.supportedVersions.includes('2026-07-28'), found.text);
		for (const how of [{ headers }, { family: '2026' }]) {
			const listed = await send(name, 'tools/list', {}, how);
			assert.deepEqual(listed.result.tools, tools);
			assert.equal(listed.result.cacheScope, 'private');
			const called = await send(name, 'tools/call', { name: 'read', arguments: { a: 1 } }, how);
			assert.deepEqual(called.result?.content, [{ type: 'text', text: 'read {"a":1}' }], called.text);
			assert.equal(called.result.isError, undefined);
			assert.equal(called.result.resultType, how.family ? 'complete' : called.result.resultType);
			const last = it.calls('read').at(-1);
			assert.equal(last.headers.authorization, `Bearer ${TOKEN}`);
			assert.ok(!JSON.stringify(last).includes(server.secrets.agent));
			const off = await send(name, 'tools/call', { name: 'none', arguments: {} }, how);
			assert.equal(off.error.code, -32602);
			assert.match(off.error.message, /unknown/);
		}
	}
	const events = (await admin.get('/v1/events?format=json&after=0&types=policy.decided&limit=200')).body.items;
	assert.ok(events.some((e) => e.data.name === 'mcp__s2025__read' && e.data.effect === 'allow'));
});

const asked = (call) => until(async () => (await member.get('/v1/asks?limit=200')).body.items.find((a) =>
	a.operation?.name === call.name && JSON.stringify(a.operation.arguments) === JSON.stringify(call.arguments)), `the ask of ${call.name}`);
const approve = async (ask, more = {}) => {
	const r = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', ...more } } });
	assert.equal(r.status, 200, r.text);
};
const reject = (ask, text) => member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'reject', text } } });
const call = async (id) => (await member.get(`/v1/tool-calls/${id}`)).body;

test('a call that a person must approve is held, run once and delivered', async () => {
	for (const of of ['2025', '2026']) {
		const name = `s${of}`, it = behind[of], { headers } = await open(name);
		const sent = { name: 'write', arguments: { n: Number(of) } };
		const waiting = send(name, 'tools/call', sent, { headers });
		const ask = await asked({ name: `mcp__${name}__write`, arguments: sent.arguments });
		assert.deepEqual([ask.kind, ask.risk, ask.operation.type], ['approval', 'high', 'mcp']);
		assert.deepEqual(ask.context, { server: name, tool: 'write', client: 'tester' });
		assert.match(ask.call, /^call_/);
		let row = await call(ask.call);
		assert.deepEqual([row.run, row.server, row.sent, row.via, row.status, row.ask, row.name], [null, name, 1, 'http', 'waiting', ask.id, `mcp__${name}__write`]);
		const second = send(name, 'tools/call', sent, { headers });
		await until(async () => (await call(ask.call)).sent === 2, 'the second');
		assert.equal((await server.agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 409);
		await approve(ask);
		for (const got of await Promise.all([waiting, second])) {
			assert.deepEqual(got.result?.content, [{ type: 'text', text: `write {"n":${of}}` }], got.text);
			assert.deepEqual(got.result._meta['parley/call'], { id: ask.call, ask: ask.id, status: 'done', sent: 2 });
		}
		assert.equal(it.calls('write').length, 1);
		row = await call(ask.call);
		assert.equal(row.status, 'done');
		const listed = (await member.get(`/v1/tool-calls?server=${name}&status=done&session=${row.session}`)).body.items;
		assert.deepEqual(listed.map((c) => c.id), [ask.call]);
		/* Delivered: the same once more is another call. */
		await until(async () => {
			const again = send(name, 'tools/call', sent, { headers, token: server.secrets.agent });
			const next = await asked({ name: `mcp__${name}__write`, arguments: sent.arguments });
			await reject(next, 'not again');
			const got = await again;
			assert.equal(got.result.isError, true);
			assert.match(got.result.content[0].text, /Rejected.*not again/);
			return next.id !== ask.id;
		}, 'a new ask');
	}
	const types = (await admin.get('/v1/events?format=json&after=0&types=call.held,call.started,call.finished&limit=200')).body.items;
	assert.deepEqual(types.slice(0, 3).map((e) => [e.type, e.data.tool, e.data.status]),
		[['call.held', 'write', 'waiting'], ['call.started', 'write', 'started'], ['call.finished', 'write', 'done']]);
});

test('who does not wait is told to come again, and gets the result then', async () => {
	const { token } = (await admin.post('/v1/tokens', { role: 'agent', name: 'hasty', mcp_wait: '0s' })).body;
	assert.ok(token);
	for (const family of ['2025', '2026']) {
		const sent = { name: 'write', arguments: { n: family.length + Number(family) } }, how = { family, token };
		const first = await send('s2025', 'tools/call', sent, how);
		const ask = await asked({ name: 'mcp__s2025__write', arguments: sent.arguments });
		assert.equal(first.result._meta['parley/call'].status, 'waiting');
		let more = {};
		if (family === '2026') {
			assert.deepEqual([first.result.resultType, typeof first.result.requestState, first.result.inputRequests], ['input_required', 'string', undefined]);
			more = { requestState: first.result.requestState };
			const other = await send('s2025', 'tools/call', { name: 'write', arguments: { n: 0 }, ...more }, how);
			assert.equal(other.error.code, -32602);
			assert.equal((await send('s2025', 'tools/call', { ...sent, requestState: `${more.requestState}x` }, how)).error.code, -32602);
			assert.equal((await send('s2025', 'tools/call', { ...sent, ...more }, { family })).error.code, -32602);
		} else {
			assert.equal(first.result.isError, true);
			assert.equal(first.result.content[0].text,
				`Not run yet: waiting for approval (${ask.id}, ${server.url}/asks/${ask.id}). Call write again with the same arguments to get the result.`);
		}
		const again = await send('s2025', 'tools/call', { ...sent, ...more }, how);
		assert.equal(again.result._meta['parley/call'].id, ask.call);
		const before = behind['2025'].calls('write').length;
		await approve(ask);
		assert.equal(behind['2025'].calls('write').length, before);
		const got = await until(async () => {
			const r = await send('s2025', 'tools/call', { ...sent, ...more }, how);
			return r.result._meta['parley/call'].status === 'done' && r;
		}, 'the result');
		assert.deepEqual(got.result.content, [{ type: 'text', text: `write ${JSON.stringify(sent.arguments)}` }]);
		assert.equal(behind['2025'].calls('write').length, before + 1);
	}
});

test('edited, denied, stopped, changed; a server that cannot be reached costs no approval', async () => {
	const { headers } = await open('s2025');
	const how = { headers };
	let waiting = send('s2025', 'tools/call', { name: 'write', arguments: { n: 5 } }, how);
	let ask = await asked({ name: 'mcp__s2025__write', arguments: { n: 5 } });
	const wrong = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { n: 'x' } } } });
	assert.equal(wrong.status, 422, wrong.text);
	await approve(ask, { arguments: { n: 6 } });
	let got = await waiting;
	assert.equal(got.result.content[0].text, 'write {"n":6}');
	assert.match(got.result.content.at(-1).text, /A person changed the arguments to \{"n":6\}/);

	const rule = (await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['mcp__s2025__read'] }, note: 'not this week' })).body;
	got = await send('s2025', 'tools/call', { name: 'read', arguments: {} }, how);
	assert.equal(got.result.isError, true);
	assert.match(got.result.content[0].text, /not this week/);
	assert.equal(got.result.content.length, 1);
	await admin.delete(`/v1/rules/${rule.id}`);

	const it = await new McpServer({ family: '2025', tools }).start();
	const made = (await admin.post('/v1/mcp-servers', { name: 'shaky', url: it.url })).body;
	assert.equal((await send('shaky', 'tools/list')).result.tools.length, 2);
	waiting = send('shaky', 'tools/call', { name: 'write', arguments: { n: 1 } });
	ask = await asked({ name: 'mcp__shaky__write', arguments: { n: 1 } });
	it.stop();
	await approve(ask);
	got = await waiting;
	assert.equal(got.result.isError, true);
	assert.match(got.result.content[0].text, /^Not run: .*stays good/);
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).body.used_at ?? null, null);
	assert.equal((await call(ask.call)).status, 'waiting');
	assert.ok(made.id);
});

test('killed between approval and result: a person is asked, and nothing runs twice', async () => {
	let left;
	const it = behind['2025'], { headers } = await open('s2025'), sent = { name: 'write', arguments: { n: 99 } };
	it.instead = (request, response, message) => {
		if (message?.method !== 'tools/call' || message.params.arguments?.n !== 99) return false;
		left = response; // it runs, and nobody hears of it
		return true;
	};
	const waiting = send('s2025', 'tools/call', sent, { headers }).catch(() => null);
	const ask = await asked({ name: 'mcp__s2025__write', arguments: sent.arguments });
	await approve(ask);
	await until(() => left, 'the call at the server');
	assert.equal((await call(ask.call)).status, 'started');
	await server.crash();
	await waiting;
	left.destroy();
	it.instead = () => false;
	const row = await until(async () => { const c = await call(ask.call); return c.status === 'interrupted' && c; }, 'that it was interrupted');
	assert.notEqual(row.ask, ask.id);
	const recovery = (await member.get(`/v1/asks/${row.ask}`)).body;
	assert.deepEqual([recovery.kind, recovery.status, recovery.call], ['error_recovery', 'pending', ask.call]);
	const ran = () => it.asked.filter((a) => a.message?.params?.arguments?.n === 99).length;
	assert.equal(ran(), 1);
	/* Sent again it waits for that person; their text is the result. */
	const again = send('s2025', 'tools/call', sent, { headers });
	await until(async () => (await call(ask.call)).sent === 2, 'the call that came again');
	const r = await member.post(`/v1/asks/${recovery.id}/answer`, { answers: { recovery: { selected: ['skip'], text: 'it was written' } } });
	assert.equal(r.status, 200, r.text);
	const got = await again;
	assert.equal(got.result.content[0].text, 'it was written', got.text);
	assert.equal(got.result._meta['parley/call'].id, ask.call);
	assert.equal(ran(), 1);
});

test('parley mcp-gateway: the same on a pipe', async () => {
	const child = spawn(BIN, ['mcp-gateway', 's2025'], { env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent } });
	const messages = [];
	createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line)));
	const ended = new Promise((done) => { child.on('close', done); });
	const say = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	const reply = (id) => until(() => messages.find((m) => m.id === id), `the reply to ${id}`);
	say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'piped', version: '1' } } });
	assert.equal((await reply(1)).result.serverInfo.name, 'fake');
	say({ method: 'notifications/initialized' });
	say({ id: 2, method: 'tools/call', params: { name: 'read', arguments: { b: 2 } } });
	assert.deepEqual((await reply(2)).result.content, [{ type: 'text', text: 'read {"b":2}' }]);
	say({ id: 3, method: 'tools/call', params: { name: 'write', arguments: { n: 31 } } });
	const ask = await asked({ name: 'mcp__s2025__write', arguments: { n: 31 } });
	assert.equal((await call(ask.call)).via, 'stdio');
	await approve(ask);
	assert.equal((await reply(3)).result._meta['parley/call'].status, 'done');
	child.stdin.end();
	assert.equal(await ended, 0);
	assert.equal((await server.run(['mcp-gateway', 'Not A Name'])).code, 2);
	assert.equal((await server.run(['mcp-gateway', 's2025', '--', 'true'])).code, 2);
});
