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
const tools = [tool('read', { annotations: { readOnlyHint: true }, title: 'Read', x: { kept: 1.50 } }), tool('write', { inputSchema: schema }),
	tool('asks', { annotations: { readOnlyHint: true } }), tool('slow', { execution: { taskSupport: 'optional' } }), tool('long', { annotations: { readOnlyHint: true }, execution: { taskSupport: 'required' } })];
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

test('an allowed call whose client goes is cancelled at the server', async () => {
	const it = behind['2025'], gone = new AbortController();
	let left = null;
	it.instead = (request, response, message) => { if (message?.params?.arguments?.gone) left = message.id; return Boolean(message?.params?.arguments?.gone); };
	const waiting = fetch(`${server.url}/mcp/s2025`, { method: 'POST', signal: gone.signal, headers: { Authorization: `Bearer ${server.secrets.agent}`, 'Content-Type': 'application/json' },
		body: JSON.stringify({ jsonrpc: '2.0', id: 'gone', method: 'tools/call', params: { name: 'read', arguments: { gone: 1 } } }) }).catch(() => {});
	await until(() => left, 'the call at the server');
	gone.abort();
	await waiting;
	await until(() => it.asked.some((a) => a.message?.method === 'notifications/cancelled' && a.message.params.requestId === left), 'that the server was told', 5000);
	it.instead = () => false;
});

test('allowed calls share connections, and one that gives out without a reply is not sent again', async () => {
	const it = behind['2026'], sockets = new Set();
	let cut = 0;
	it.instead = (request, response, message) => {
		if (message?.params?.name !== 'read') return false;
		sockets.add(request.socket);
		if (message.params.arguments.cut) { cut++; request.socket.destroy(); }
		return Boolean(message.params.arguments.cut);
	};
	const read = (args) => send('s2026', 'tools/call', { name: 'read', arguments: args }, { family: '2026' });
	for (let i = 0; i < 10; i++) assert.equal((await read({ i })).result?.content[0].text, `read {"i":${i}}`);
	assert.ok(sockets.size <= 5, `${sockets.size} connections for ten calls`);
	for (let i = 0; i < 3; i++) { /* over one that stands, and over a new one */
		assert.match((await read({ cut: i + 1 })).error?.message ?? '', /no answer came, and it may have run/);
		assert.equal(cut, i + 1);
		assert.equal((await read({ again: i })).result?.isError, undefined);
	}
	it.instead = () => false;
});

test('a stream that the server ends before its reply is read on from its last event, and nothing is sent again', async () => {
	const it = behind['2025'], asked = [];
	const event = (id, message) => `id: ${id}\nretry: 20\ndata: ${message ? JSON.stringify({ jsonrpc: '2.0', ...message }) : ''}\n\n`;
	it.instead = (request, response, message) => {
		const from = request.headers['last-event-id'];
		if (request.method === 'GET' && from) {
			asked.push(from);
			response.writeHead(200, { 'Content-Type': 'text/event-stream' });
			if (from === 'e1') response.end(event('e2', { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } }));
			else response.end(event('e3', { id: asked.id, result: { content: [{ type: 'text', text: 'at last' }] } }));
			return true;
		}
		if (!message?.params?.arguments?.early) return false;
		asked.id = message.id;
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		response.end(event('e1'));
		return true;
	};
	const before = it.calls().length, { headers } = await open('s2025');
	const r = await send('s2025', 'tools/call', { name: 'read', arguments: { early: 1 }, _meta: { progressToken: 'p' } }, { headers });
	assert.equal(r.result?.content[0].text, 'at last', r.text);
	assert.match(r.text, /notifications\/progress/);
	assert.deepEqual([[...asked], it.calls().length - before], [['e1', 'e2'], 1]);
	it.instead = () => false;
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
	assert.equal((await send('shaky', 'tools/list')).result.tools.length, tools.length);
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

const TASKS = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } };

test('a held call is a task of a client that has tasks, and runs though nobody asks for it', async () => {
	const it = behind['2025'], how = { family: '2026' }, with_ = (params) => ({ ...params, _meta: TASKS });
	const found = await send('s2025', 'server/discover', {}, how);
	assert.deepEqual(found.result.capabilities.extensions['io.modelcontextprotocol/tasks'], {});
	const sent = { name: 'write', arguments: { n: 41 } };
	const begun = await send('s2025', 'tools/call', with_(sent), how);
	const ask = await asked({ name: 'mcp__s2025__write', arguments: sent.arguments });
	const { taskId, status, ttlMs, pollIntervalMs, resultType } = begun.result;
	assert.deepEqual([resultType, taskId, status, ttlMs], ['task', ask.call, 'working', null], begun.text);
	assert.ok(pollIntervalMs > 0);
	assert.equal(begun.result._meta['parley/call'].status, 'waiting');
	/* Sent again: the same task. */
	assert.equal((await send('s2025', 'tools/call', with_(sent), how)).result.taskId, taskId);
	const get = (more = {}) => send('s2025', 'tasks/get', with_({ taskId }), { ...how, ...more, headers: { 'Mcp-Name': taskId } });
	assert.equal((await get()).result.status, 'working');
	assert.equal((await send('s2025', 'tasks/get', { taskId }, { ...how, headers: { 'Mcp-Name': taskId } })).error.code, -32021);
	assert.equal((await send('s2025', 'tasks/update', with_({ taskId, inputResponses: {} }), { ...how, headers: { 'Mcp-Name': taskId } })).result.resultType, 'complete');
	await approve(ask);
	await until(() => it.calls('write').some((c) => c.message.params.arguments.n === 41), 'that it ran');
	await until(async () => (await call(taskId)).status === 'done', 'its end');
	const got = await get();
	assert.equal(got.result.status, 'completed');
	assert.deepEqual(got.result.result.content, [{ type: 'text', text: 'write {"n":41}' }]);
	assert.equal(got.result.result._meta['parley/call'].status, 'done');
	assert.equal((await send('s2026', 'tasks/get', with_({ taskId }), { ...how, headers: { 'Mcp-Name': taskId } })).error.code, -32602);
	/* Withdrawn, rejected. */
	for (const [n, end] of [[42, 'cancelled'], [43, 'completed']]) {
		const id = (await send('s2025', 'tools/call', with_({ name: 'write', arguments: { n } }), how)).result.taskId;
		const about = { ...how, headers: { 'Mcp-Name': id } };
		const open_ = await asked({ name: 'mcp__s2025__write', arguments: { n } });
		if (end === 'cancelled') assert.equal((await send('s2025', 'tasks/cancel', with_({ taskId: id }), about)).result.resultType, 'complete');
		else await reject(open_, 'not today');
		const over = (await send('s2025', 'tasks/get', with_({ taskId: id }), about)).result;
		assert.equal(over.status, end, JSON.stringify(over));
		assert.equal((await member.get(`/v1/asks/${open_.id}`)).body.status, end === 'cancelled' ? 'cancelled' : 'answered');
		if (end === 'completed') assert.match(over.result.content[0].text, /not today/);
	}
});

test('2025-11-25: a task where the tool allows it; its result is waited for; what runs is cancelled at the server', async () => {
	const it = behind['2025'], { r: hello, headers } = await open('s2025'), how = { headers };
	assert.deepEqual(hello.result.capabilities.tasks, { cancel: {}, requests: { tools: { call: {} } } });
	const begun = await send('s2025', 'tools/call', { name: 'slow', arguments: { n: 51 }, task: { ttl: 60000 } }, how);
	const { task } = begun.result;
	assert.deepEqual([task.status, task.ttl], ['working', null], begun.text);
	const waiting = send('s2025', 'tasks/result', { taskId: task.taskId }, how);
	await approve(await asked({ name: 'mcp__s2025__slow', arguments: { n: 51 } }));
	const got = await waiting;
	assert.equal(got.result.content[0].text, 'slow {"n":51}', got.text);
	assert.equal(got.result._meta['io.modelcontextprotocol/related-task'].taskId, task.taskId);
	assert.equal((await send('s2025', 'tasks/get', { taskId: task.taskId }, how)).result.status, 'completed');
	assert.equal((await send('s2025', 'tasks/cancel', { taskId: task.taskId }, how)).error.code, -32602);
	/* One that runs. */
	let left;
	it.instead = (request, response, message) => {
		if (message?.params?.arguments?.n !== 52) return false;
		left = message.id;
		return true;
	};
	const id = (await send('s2025', 'tools/call', { name: 'slow', arguments: { n: 52 }, task: {} }, how)).result.task.taskId;
	await approve(await asked({ name: 'mcp__s2025__slow', arguments: { n: 52 } }));
	await until(() => left, 'the call at the server');
	assert.equal((await send('s2025', 'tasks/cancel', { taskId: id }, how)).result.status, 'cancelled');
	await until(() => it.asked.some((a) => a.message?.method === 'notifications/cancelled' && a.message.params.requestId === left), 'that the server was told');
	assert.equal((await call(id)).status, 'cancelled');
	it.instead = () => false;
});

test('tasks of the server are waited for in place of a client of the other family', async () => {
	for (const of of ['2025', '2026']) {
		const it = behind[of], how = of === '2025' ? { family: '2026' } : { headers: (await open(`s${of}`)).headers };
		it.tasks = new Map();
		const r = await send(`s${of}`, 'tools/call', { name: 'long', arguments: { n: 1 } }, how);
		assert.equal(r.result.content[0].text, 'long {"n":1}', r.text);
		assert.equal(it.tasks.size, 1);
	}
});

const QUESTION = { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: { which: { type: 'string' } } } };
const ANSWER = { action: 'accept', content: { which: 'this' } };

/** The tool `asks` wants to know something first, as each family says it. */
function elicits(it) {
	let open_ = null;
	it.instead = (request, response, message) => {
		if (message?.id === 'e1' && message.method === undefined) { // the answer
			response.writeHead(202).end();
			open_.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: open_.of, result: { content: [{ type: 'text', text: JSON.stringify(message.result ?? message.error) }] } })}\n\n`);
			open_.end();
			return true;
		}
		if (message?.method !== 'tools/call' || message.params.name !== 'asks') return false;
		if (it.family === '2025') {
			open_ = response;
			open_.of = message.id;
			response.writeHead(200, { 'Content-Type': 'text/event-stream' });
			response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params: QUESTION })}\n\n`);
			return true;
		}
		const { inputResponses, requestState } = message.params;
		const can = message.params._meta['io.modelcontextprotocol/clientCapabilities'].elicitation;
		const result = inputResponses ? { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(inputResponses.q) + requestState }] }
			: can ? { resultType: 'input_required', inputRequests: { q: { method: 'elicitation/create', params: QUESTION } }, requestState: 'at the server' }
				: { resultType: 'complete', content: [{ type: 'text', text: 'not offered' }] };
		response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
		return true;
	};
}

test('what a server wants to know is asked in the words of either family', async () => {
	const can = { ...TASKS, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
	for (const of of ['2025', '2026']) {
		const name = `s${of}`, said = of === '2025' ? JSON.stringify(ANSWER) : `${JSON.stringify(ANSWER)}at the server`;
		elicits(behind[of]);
		/* Since 2026-07-28 the result asks. */
		const sent = { name: 'asks', arguments: { a: 1 }, _meta: can };
		const first = await send(name, 'tools/call', sent, { family: '2026' });
		assert.equal(first.result.resultType, 'input_required', first.text);
		const [[key, input]] = Object.entries(first.result.inputRequests);
		assert.deepEqual(input, { method: 'elicitation/create', params: QUESTION });
		const { requestState } = first.result;
		assert.ok(!requestState.includes('at the server'));
		const again = (more, how) => send(name, 'tools/call', { ...sent, requestState, inputResponses: { [key]: ANSWER }, ...more }, { family: '2026', ...how });
		assert.equal((await again({ arguments: { a: 2 } })).error.code, -32602);
		const { token } = (await admin.post('/v1/tokens', { role: 'agent', name: `other-${of}` })).body;
		assert.equal((await again({}, { token })).error.code, -32602);
		assert.equal((await send(name, 'tools/call', { ...sent, requestState: 'at the server' }, { family: '2026' })).error.code, -32602);
		const got = await again();
		assert.equal(got.result?.content[0].text, said, got.text);
		/* Until 2025-11-25 the stream of the call does. */
		const r = await send(name, 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'tester', version: '1' } });
		const headers = { 'Mcp-Session-Id': r.session, 'MCP-Protocol-Version': '2025-11-25' };
		const wire = { Authorization: `Bearer ${server.secrets.agent}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
		const stream = await fetch(`${server.url}/mcp/${name}`, { method: 'POST', headers: wire,
			body: JSON.stringify({ jsonrpc: '2.0', id: 71, method: 'tools/call', params: { name: 'asks', arguments: {} } }) });
		let text = '', asks = null;
		for await (const part of stream.body.pipeThrough(new TextDecoderStream())) {
			text += part;
			const line = text.split('\n').find((l) => l.startsWith('data: ') && l.includes('elicitation/create'));
			if (!line || asks) continue;
			asks = JSON.parse(line.slice(6));
			assert.deepEqual(asks.params, QUESTION);
			const told = await fetch(`${server.url}/mcp/${name}`, { method: 'POST', headers: wire, body: JSON.stringify({ jsonrpc: '2.0', id: asks.id, result: ANSWER }) });
			assert.equal(told.status, 202);
		}
		const last = JSON.parse(text.split('\n').filter((l) => l.startsWith('data: ')).at(-1).slice(6));
		assert.equal(last.result?.content[0].text, said, text);
		behind[of].instead = () => false;
	}
	/* Who did not offer it is not asked. */
	elicits(behind['2025']);
	const none = await send('s2025', 'tools/call', { name: 'asks', arguments: {} }, { family: '2026' });
	assert.match(none.result.content[0].text, /-32601/);
	behind['2025'].instead = () => false;
});

test('a stream beside those of calls tells that an admin accepted a tool', async () => {
	const it = await new McpServer({ family: '2025', tools: [tools[0]] }).start();
	after(() => it.stop());
	assert.equal((await admin.post('/v1/mcp-servers', { name: 'grows', url: it.url })).status, 201);
	const { headers } = await open('grows'), ended = new AbortController();
	assert.equal((await send('grows', 'tools/list', {}, { headers })).result.tools.length, 1);
	const heard = [];
	const listen = async (init) => {
		const r = await fetch(`${server.url}/mcp/grows`, { ...init, signal: ended.signal,
			headers: { Authorization: `Bearer ${server.secrets.agent}`, Accept: 'text/event-stream', ...init.headers } });
		assert.equal(r.status, 200);
		const at = heard.push('') - 1;
		(async () => { for await (const part of r.body.pipeThrough(new TextDecoderStream())) heard[at] += part; })().catch(() => {});
	};
	await listen({ method: 'GET', headers });
	await listen({ method: 'POST', headers: { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen', Accept: 'application/json, text/event-stream' },
		body: JSON.stringify({ jsonrpc: '2.0', id: 'l1', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: meta } }) });
	await until(() => heard.every((h) => h.includes(': listening')) && heard[1].includes('subscriptions/acknowledged'), 'both streams');
	it.tools = [...it.tools, tool('more')];
	await admin.post('/v1/mcp-servers/grows/test', {});
	const more = (await admin.get('/v1/mcp-servers/grows')).body.tools.find((t) => t.name === 'more');
	assert.equal((await admin.post('/v1/mcp-servers/grows/accept', { tools: [{ name: 'more', digest: more.digest }] })).status, 200);
	await until(() => heard.every((h) => h.includes('notifications/tools/list_changed')), 'that it changed');
	assert.match(heard[1], /subscriptionId":"l1"/);
	ended.abort();
	assert.equal((await send('grows', 'tools/list', {}, { headers })).result.tools.length, 2);
});

test('until 2025-11-25 a client hears what its server says beside calls, and answers it', async () => {
	const it = behind['2025'], streams = [], said = [];
	it.instead = (request, response, message) => {
		if (message?.id === 'roots' && !message.method) said.push(message);
		if (request.method !== 'GET') return false;
		response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
		streams.push({ response, session: request.headers['mcp-session-id'], from: request.headers['last-event-id'] });
		return true;
	};
	const { headers } = await open('s2025'), gone = new AbortController();
	const stream = await fetch(`${server.url}/mcp/s2025`, { signal: gone.signal, headers: { ...headers, Authorization: `Bearer ${server.secrets.agent}`, Accept: 'text/event-stream' } });
	let text = '';
	const reading = (async () => { try { for await (const part of stream.body) text += Buffer.from(part); } catch { /* it was left */ } })();
	const first = await until(() => streams[0], 'the stream at the server');
	assert.match(first.session, /^s\d+$/);
	const event = (message, id) => `${id ? `id: ${id}\nretry: 20\n` : ''}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
	await until(() => /listening/.test(text), 'the stream of the client');
	first.response.write(event({ method: 'notifications/resources/updated', params: { uri: 'note://1' } }));
	first.response.end(event({ id: 'roots', method: 'roots/list' }, 'e7'));
	await until(() => /note:\/\/1/.test(text) && /roots\/list/.test(text), 'what the server said');
	const again = await until(() => streams[1], 'the stream again');
	assert.deepEqual([again.session, again.from], [first.session, 'e7']);
	const reply = await fetch(`${server.url}/mcp/s2025`, { method: 'POST', headers: { ...headers, Authorization: `Bearer ${server.secrets.agent}`, 'Content-Type': 'application/json' },
		body: JSON.stringify({ jsonrpc: '2.0', id: 'roots', result: { roots: [] } }) });
	assert.equal(reply.status, 202);
	await until(() => said[0]?.result?.roots, 'the answer at the server');
	const closed = new Promise((done) => { again.response.on('close', done); });
	gone.abort();
	await Promise.all([closed, reading]);
	it.instead = () => false;
});

test('the page of an ask may be shown by a local client, and decides nothing', async () => {
	const { token } = (await admin.post('/v1/tokens', { role: 'agent', name: 'near', mcp_wait: '0s', local: true })).body;
	const can = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } } };
	const sent = { name: 'write', arguments: { n: 81 }, _meta: can }, how = { family: '2026', token };
	const first = await send('s2025', 'tools/call', sent, how);
	const ask = await asked({ name: 'mcp__s2025__write', arguments: { n: 81 } });
	const [[key, input]] = Object.entries(first.result.inputRequests);
	assert.deepEqual([input.method, input.params.mode, input.params.url], ['elicitation/create', 'url', `${server.url}/asks/${ask.id}`]);
	const next = await send('s2025', 'tools/call', { ...sent, requestState: first.result.requestState, inputResponses: { [key]: { action: 'accept' } } }, how);
	assert.deepEqual([next.result.resultType, next.result.inputRequests], ['input_required', undefined]);
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
	await reject(ask, 'no');
});

test('what passes is counted', async () => {
	const { text } = await admin.get('/metrics');
	for (const effect of ['allow', 'ask', 'deny']) assert.match(text, new RegExp(`^parley_gateway_calls_total\\{server="s2025",effect="${effect}"\\} [1-9]`, 'm'));
	assert.match(text, /^parley_gateway_seconds_count [1-9]/m);
	assert.match(text, /^parley_gateway_held [1-9]/m);
});

const shown = async (id) => (await server.run(['show', id], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } })).stdout;

test('in the terminal: who wants to call what on which server, and that it waits to be called again', async () => {
	const token = await server.token('agent', 'quick', ['--agent', 'builder', '--mcp-wait', '0']);
	const { headers } = await open('s2025'), sent = { name: 'write', arguments: { n: 98 } };
	const first = await send('s2025', 'tools/call', sent, { headers, token });
	const { ask } = first.result._meta['parley/call'];
	assert.match(await shown(ask), /^builder wants to call {2}write {2}on {2}s2025$/m);
	await approve({ id: ask });
	assert.match(await shown(ask), /^ {2}Approved, waits for builder to call again$/m);
	await send('s2025', 'tools/call', sent, { headers, token });
	await until(async () => !/waits for builder/.test(await shown(ask)), 'that it ran');
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
	assert.match(await shown(recovery.id), /^Started \d\d:\d\d, outcome unknown\. Run it again\?$/m);
	assert.doesNotMatch(await shown(recovery.id), /Agent says/);
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
	assert.equal((await server.run(['mcp-gateway', 's2025', '--', 'true'], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent } })).code, 2);
});
