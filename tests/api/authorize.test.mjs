// Gateways that people have ask about each call: decided, asked, used once. 200, 401 or 403, and 422 for a bad body.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from './lib/raw.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, stranger, member, admin, nobody } = server;

const op = (name, args = {}, more = {}) => ({ type: 'tool', name, arguments: args, ...more });
const authorize = (operation, more = {}, who = agent) => who.post('/v1/authorize', { operation, ...more });
const answer = (ask, value, more = {}) => member.post(`/v1/asks/${ask}/answer`, { answer: { value, ...more } });
const rule = async (body) => (await admin.post('/v1/rules', body)).body.id;
const MEMBERS = ['decision', 'by', 'rule', 'ask', 'digest', 'reason'];
const said = ({ status, body, headers }) => [status, body.type ?? 'allow', body.decision, body.by, headers['parley-decision']];
const PENDING = [403, '/problems/approval-pending', 'ask', null, 'ask'];

test('nobody has set the mode: a person is asked; pending, approved once, then asked anew', async () => {
	const call = op('deploy', { to: 'prod' });
	const first = await authorize(call);
	assert.deepEqual(said(first), PENDING);
	for (const member of MEMBERS) assert.ok(member in first.body, member);
	assert.equal(first.headers['retry-after'], '5');
	assert.equal(first.headers['parley-ask'], first.body.ask);
	assert.equal(first.headers['parley-digest'], first.body.digest);
	assert.match(first.headers['content-type'], /^application\/problem\+json/);
	const { body: card } = await member.get(`/v1/asks/${first.body.ask}`);
	assert.deepEqual([card.kind, card.operation.name, card.digest, card.asked_because.by], ['approval', 'deploy', first.body.digest, 'policy']);
	const again = await authorize(call);
	assert.deepEqual([again.body.ask, ...said(again)], [first.body.ask, ...PENDING]);
	// Another's, another session's and another call are others.
	assert.notEqual((await authorize(call, {}, stranger)).body.ask, first.body.ask);
	assert.notEqual((await authorize(op('deploy', { to: 'test' }))).body.ask, first.body.ask);
	assert.notEqual((await authorize(call, { session: 'job-7' })).body.ask, first.body.ask);
	await answer(first.body.ask, 'approve');
	const allowed = await authorize(call);
	assert.deepEqual(said(allowed), [200, 'allow', 'allow', 'person', 'allow']);
	assert.deepEqual(Object.keys(allowed.body), MEMBERS);
	assert.deepEqual([allowed.body.ask, allowed.body.digest, allowed.headers['parley-ask']], [first.body.ask, first.body.digest, first.body.ask]);
	assert.ok((await member.get(`/v1/asks/${first.body.ask}`)).body.used_at);
	const anew = await authorize(call);
	assert.deepEqual(said(anew), PENDING);
	assert.notEqual(anew.body.ask, first.body.ask);
});

test('rejected with its reason, then asked anew; edited, skipped and withdrawn are no', async () => {
	const told = async (settle) => {
		const call = op('drop', { n: Math.random() });
		const { ask } = (await authorize(call)).body;
		await settle(ask);
		const reply = await authorize(call);
		return { reply, ask, call };
	};
	const { reply, ask, call } = await told((id) => answer(id, 'reject', { text: 'Not today' }));
	assert.deepEqual(said(reply), [403, '/problems/rejected', 'deny', 'person', 'deny']);
	assert.deepEqual([reply.body.ask, reply.body.reason], [ask, 'Not today']);
	const anew = await authorize(call);
	assert.deepEqual(said(anew), PENDING);
	assert.notEqual(anew.body.ask, ask);
	const edited = await told((id) => answer(id, 'approve', { arguments: { n: 2 } }));
	assert.deepEqual(said(edited.reply).slice(0, 3), [403, '/problems/rejected', 'deny']);
	assert.match(edited.reply.body.detail, /other arguments/);
	const skipped = await told((id) => member.post(`/v1/asks/${id}/skip`, {}));
	assert.equal(skipped.reply.body.type, '/problems/rejected');
	// A waiter hears of each, also where the next request would ask anew.
	const waiting = op('drop', { n: 'waits' });
	const held = authorize(waiting, { wait: 60 });
	const open = await until(async () => (await member.get('/v1/asks?status=pending')).body.items.find((one) => one.operation.arguments?.n === 'waits'), 'the ask');
	await agent.post(`/v1/asks/${open.id}/cancel`, {});
	assert.equal((await held).body.type, '/problems/rejected');
});

test('waits, ends early when settled, and one approval lets one of two pass', async () => {
	const call = op('pay', { amount: 5 });
	const late = await authorize(call, { wait: 1 });
	assert.deepEqual(said(late), PENDING);
	const two = [authorize(call, { wait: 60 }), authorize(call, { wait: 60 })];
	await server.holds(2);
	await answer(late.body.ask, 'approve', { text: 'Go' });
	const replies = await Promise.all(two);
	assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403]);
	const [yes, no] = replies[0].status === 200 ? replies : replies.toReversed();
	assert.deepEqual([yes.body.by, yes.body.ask, yes.body.reason], ['person', late.body.ask, 'Go']);
	assert.equal(no.body.type, '/problems/approval-pending');
	for (const wait of [-1, 301, 1.5, '5'])
		assert.deepEqual((await authorize(call, { wait })).body.errors.map(({ pointer }) => pointer), ['/wait']);
});

test('a connection that is lost while it waits leaves the approval to the next request', async () => {
	const call = op('lost', {});
	const abort = new AbortController();
	const gone = agent.post('/v1/authorize', { operation: call, wait: 60 }, { signal: abort.signal });
	await server.holds(1);
	abort.abort();
	await assert.rejects(gone);
	await server.holds(0);
	const { ask } = (await authorize(call)).body;
	await answer(ask, 'approve');
	assert.deepEqual([(await authorize(call)).status, (await authorize(call)).status], [200, 403]);
});

test('rules, stops, mandates and a mode that was set', async () => {
	const rules = [await rule({ effect: 'deny', note: 'Never', match: { tool: ['a_rm'] } }), await rule({ effect: 'allow', match: { tool: ['a_ls'] } })];
	const denied = await authorize(op('a_rm'));
	assert.deepEqual(said(denied), [403, '/problems/denied', 'deny', 'rule', 'deny']);
	assert.deepEqual([denied.body.rule, denied.body.ask], [rules[0], null]);
	assert.match(denied.body.reason, /Never/);
	const allowed = await authorize(op('a_ls'));
	assert.deepEqual([...said(allowed), allowed.body.rule, allowed.body.ask], [200, 'allow', 'allow', 'rule', 'allow', rules[1], null]);
	// A rule that comes later denies what a person has approved.
	const { ask } = (await authorize(op('a_later'))).body;
	await answer(ask, 'approve');
	const later = await rule({ effect: 'deny', match: { tool: ['a_later'] } });
	assert.deepEqual(said(await authorize(op('a_later'))), [403, '/problems/denied', 'deny', 'rule', 'deny']);
	await admin.delete(`/v1/rules/${later}`);
	assert.equal((await authorize(op('a_later'))).status, 200);

	const stop = (await member.post('/v1/stops', { reason: 'Lunch' })).body;
	const stopped = await authorize(op('a_ls'));
	assert.deepEqual(said(stopped).slice(0, 3), [403, '/problems/stopped', 'deny']);
	assert.match(stopped.body.detail, /Lunch/);
	await member.delete(`/v1/stops/${stop.id}`);

	const session = (await agent.post('/v1/sessions', { title: 'Work', parallel: true })).body.id;
	const pending = await authorize(op('a_close', {}), { session });
	assert.deepEqual(said(pending), PENDING);
	const mandate = (await agent.post('/v1/mandates', { title: 'Close', session, lines: [{ key: 'c', tool: ['a_close'], uses: 2 }] })).body;
	await answer(mandate.ask, 'approve');
	const drawn = await authorize(op('a_close', {}), { session });
	assert.deepEqual([...said(drawn), drawn.body.rule], [200, 'allow', 'allow', 'mandate', 'allow', mandate.id]);
	assert.equal((await member.get(`/v1/asks/${pending.body.ask}`)).body.status, 'cancelled');
	assert.equal((await agent.get(`/v1/mandates/${mandate.id}`)).body.lines[0].used, 1);

	const { version } = (await admin.get('/v1/policy')).body;
	assert.equal((await admin.put('/v1/policy', { version, mode: 'auto' })).status, 200);
	const mode = await authorize(op('a_mode'));
	assert.deepEqual([...said(mode), mode.body.rule], [200, 'allow', 'allow', 'policy', 'allow', null]);
	await admin.put('/v1/policy', { version: version + 1, mode: 'manual', auto_approve_low: false });
	const { items } = (await admin.get('/v1/events?format=json&after=0&limit=200&types=policy.decided')).body;
	assert.ok(items.some(({ data }) => data.name === 'a_mode' && data.effect === 'allow'));
});

test('who: an agent alone', async () => {
	for (const who of [member, admin, nobody]) assert.equal((await authorize(op('x'), {}, who)).status, 401);
	assert.equal((await nobody.post('/v1/authorize', { operation: op('x') }, { headers: { 'parley-token': server.secrets.agent } })).status, 403);
	assert.equal((await agent.post('/v1/authorize', { operation: op('x') }, { headers: { 'parley-token': server.secrets.member } })).status, 401);
	// It counts here alone.
	assert.equal((await nobody.get('/v1/me', { headers: { 'parley-token': server.secrets.agent } })).status, 401);
	const user = (await admin.post('/v1/users', { name: 'cookie', role: 'member' })).body;
	const login = await nobody.post('/v1/login', { code: user.login.split('#')[1] });
	const cookie = login.headers['set-cookie'][0].split(';')[0];
	assert.equal((await nobody.post('/v1/authorize', { operation: op('x') }, { headers: { cookie, origin: server.url } })).status, 401);
	assert.equal((await nobody.get('/v1/authorize/a', { headers: { cookie } })).status, 401);
});

test('a bad body is 422, and a foreign session is nobody\'s', async () => {
	for (const [body, pointer] of [[{}, '/operation'], [{ operation: {} }, '/operation/name'], [{ operation: op('x'), session: 7 }, '/session'], [{ operation: op('x'), more: 1 }, '/more']]) {
		const reply = await agent.post('/v1/authorize', body);
		assert.equal(reply.status, 422);
		assert.ok(reply.body.errors.some((one) => one.pointer === pointer), reply.text);
	}
	assert.equal((await agent.post('/v1/authorize', '{"operation"')).status, 422);
	assert.equal((await agent.post('/v1/authorize', '{"a":1,"a":2}')).status, 422);
	const session = (await stranger.post('/v1/sessions', { title: 'Mine' })).body.id;
	assert.equal((await authorize(op('x'), { session })).status, 404);
});

/* ---- requests as gateways send them ---- */

const TOKEN = { 'parley-token': server.secrets.agent };
const original = (method, path, headers = {}, body) => nobody.request(method, `/v1/authorize${path}`,
	{ headers: { ...TOKEN, ...headers }, body, type: null, check: method !== 'HEAD' });
const operationOf = async (reply) => {
	assert.equal(reply.body?.type ?? reply.headers['parley-decision'], reply.body ? '/problems/approval-pending' : 'ask', reply.text);
	return (await member.get(`/v1/asks/${reply.headers['parley-ask']}`)).body.operation;
};

test('Envoy: the method and path of the request, whatever its Host and Authorization', async () => {
	const client = { host: 'API.example.org:443', authorization: 'Bearer of-the-client', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie: 'parley=x' };
	const reply = await original('POST', '/v1/charges?a=1&a=2', { ...client, 'content-type': 'application/json' }, '{"amount":5}');
	assert.deepEqual(await operationOf(reply), { type: 'tool', name: 'http', arguments: { method: 'POST', url: 'https://api.example.org/v1/charges?a=1&a=2', body: { amount: 5 } } });
	assert.deepEqual((await operationOf(await original('PROPFIND', '/', { host: 'a.test', 'x-forwarded-proto': 'http' }))).arguments, { method: 'PROPFIND', url: 'http://a.test/' });
	assert.equal((await operationOf(await original('HEAD', '/h', { host: 'a.test' }))).arguments.method, 'HEAD');
	const bytes = Buffer.from([0xff, 0xfe, 0]);
	const { body } = (await operationOf(await original('PUT', '/raw', { host: 'a.test', 'content-encoding': 'gzip' }, bytes))).arguments;
	assert.deepEqual([body.bytes, body.sha256.length], [3, 64]);
	const large = JSON.stringify({ text: 'x'.repeat(65536) });
	assert.equal((await operationOf(await original('PUT', '/large', { host: 'a.test' }, large))).arguments.body.bytes, large.length);
	const part = await original('POST', '/part', { host: 'a.test', 'x-envoy-auth-partial-body': 'true' }, '{}');
	assert.deepEqual(said(part), [403, '/problems/denied', 'deny', null, 'deny']);
});

/** Bytes as they stand; a moment without more is the end of the reply. */
const replay = (bytes) => raw(server, bytes, { ms: 20 });

test('Envoy, byte by byte: without a body, with one, and in chunks', async () => {
	const lines = (first, more = []) => `${[first, 'host: api.example.org', ...more, 'authorization: Bearer of-the-client', `parley-token: ${server.secrets.agent}`,
		'x-envoy-internal: true', 'x-forwarded-for: 10.0.0.7', 'x-envoy-expected-rq-timeout-ms: 60000'].join('\r\n')}\r\n\r\n`;
	const body = '{"amount":7}';
	for (const [bytes, expected] of [
		[lines('DELETE /v1/authorize/v1/items/7?force=1 HTTP/1.1', ['content-length: 0']), { method: 'DELETE', url: 'https://api.example.org/v1/items/7?force=1' }],
		[`${lines('POST /v1/authorize/v1/pay HTTP/1.1', ['content-length: 12', 'x-envoy-auth-partial-body: false', 'content-type: application/json'])}${body}`,
			{ method: 'POST', url: 'https://api.example.org/v1/pay', body: { amount: 7 } }],
		[`${lines('POST /v1/authorize/v1/chunks HTTP/1.1', ['transfer-encoding: chunked', 'x-envoy-auth-partial-body: false'])}c\r\n${body}\r\n0\r\n\r\n`,
			{ method: 'POST', url: 'https://api.example.org/v1/chunks', body: { amount: 7 } }],
	]) {
		const first = await replay(bytes);
		assert.deepEqual([first.status, first.problem.type, first.headers['parley-decision']], [403, '/problems/approval-pending', 'ask']);
		assert.deepEqual((await member.get(`/v1/asks/${first.problem.ask}`)).body.operation.arguments, expected);
		await answer(first.problem.ask, 'approve');
		assert.deepEqual([(await replay(bytes)).status, (await replay(bytes)).status], [200, 403]);
	}
	const part = await replay(`${lines('POST /v1/authorize/v1/pay HTTP/1.1', ['content-length: 12', 'x-envoy-auth-partial-body: true'])}${body}`);
	assert.deepEqual([part.status, part.problem.type], [403, '/problems/denied']);
});

test('nginx, Caddy and Traefik: the headers; where two differ nothing passes', async () => {
	const nginx = { host: '127.0.0.1:1', 'x-original-uri': '/shop/1', 'x-original-method': 'DELETE', 'x-forwarded-host': 'shop.test', 'x-forwarded-proto': 'https' };
	assert.deepEqual((await operationOf(await original('GET', '/', nginx))).arguments, { method: 'DELETE', url: 'https://shop.test/shop/1' });
	const caddy = { 'x-forwarded-uri': '/shop/2?x', 'x-forwarded-method': 'PATCH', 'x-forwarded-host': 'shop.test', 'x-forwarded-proto': 'http' };
	assert.deepEqual((await operationOf(await original('GET', '/', caddy))).arguments, { method: 'PATCH', url: 'http://shop.test/shop/2?x' });
	for (const [path, more] of [['/', { 'x-original-uri': '/other', 'x-original-method': 'PATCH' }], ['/elsewhere', {}], ['/', { 'x-forwarded-method': '' }],
		['/', { 'x-forwarded-proto': 'gopher' }], ['/', { 'x-forwarded-host': 'a b' }], ['/', { 'x-forwarded-uri': 'http://x/' }], ['/', { 'parley-wait': 'x' }]])
		assert.deepEqual(said(await original('GET', path, { ...caddy, ...more })), [403, '/problems/denied', 'deny', null, 'deny'], path + JSON.stringify(more));
});

test('rules about requests', async () => {
	const allow = await rule({ effect: 'allow', match: { tool: ['http(GET https://r.test/v1/*)', 'http(POST https://r.test/v1/*)'] } });
	await rule({ effect: 'deny', match: { tool: ['http(* https://r.test/admin*)'] } });
	const status = async (method, path, headers = {}) => (await original(method, path, { host: 'r.test', ...headers })).body.type ?? 'allow';
	const one = await original('GET', '/v1/a', { host: 'r.test' });
	assert.deepEqual([...said(one), one.body.rule], [200, 'allow', 'allow', 'rule', 'allow', allow]);
	assert.equal(await status('POST', '/v1/a?b=c'), 'allow');
	for (const path of ['/v1/a;v=1', '/v1/100%25', '/v1/a%20b', '/v1/x..y']) assert.equal(await status('GET', path), 'allow', path);
	for (const [method, path, headers] of [['DELETE', '/v1/a'], ['GET', '/v2/a'], ['GET', '/v1/a', { 'x-forwarded-proto': 'http' }], ['GET', '/v1/a', { host: 'r.test.evil' }], ['GET', '/v1/x/%2e%2E/../v2'], ['GET', '/v1/..;/v2'], ['GET', '/v1/%252e%252e/v2']])
		assert.equal(await status(method, path, headers), '/problems/approval-pending', method + path);
	for (const path of ['/admin', '/v1/../admin/a', '/v1/%2e%2e/admin/a', '/v1/..%2fadmin', '//admin/x', '/v1/..;a=b/admin', '/v1/..%3b/admin', '/v1/%252e%252E/admin', '/v1/..%25252fadmin'])
		assert.equal(await status('GET', path), '/problems/denied', path);
});

test('Parley-Server: the body is JSON-RPC', async () => {
	const mcp = (body, server = 'github') => original('POST', '/mcp', { host: 'm.test', 'parley-server': server }, typeof body === 'string' ? body : JSON.stringify(body));
	const call = (params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
	assert.deepEqual(await operationOf(await mcp(call({ name: 'close_issue', arguments: { n: 1 } }))), { type: 'mcp', name: 'mcp__github__close_issue', arguments: { n: 1 } });
	for (const body of [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 3, result: {} }])
		assert.deepEqual(said(await mcp(body)), [200, 'allow', 'allow', 'policy', 'allow']);
	for (const body of ['', '[]', JSON.stringify([call({ name: 'a' })]), '{', '7', '{"method":"tools/list"}', call({}), call({ name: 'a b' }), call({ name: 'a', arguments: [] }),
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}', { jsonrpc: '2.0', id: 1 }])
		assert.deepEqual(said(await mcp(body)), [403, '/problems/denied', 'deny', null, 'deny'], JSON.stringify(body));
	assert.equal((await mcp(call({ name: 'a' }), 'Bad Name')).body.type, '/problems/denied');
	assert.equal((await original('GET', '/mcp', { 'parley-server': 'github' })).status, 403);
	for (const token of [server.secrets.member, 'prl_nobody'])
		assert.equal((await original('POST', '/mcp', { 'parley-server': 'github', 'parley-token': token }, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).status, 401);
	assert.equal((await nobody.request('GET', '/v1/authorize/x', { headers: { authorization: `Bearer ${server.secrets.agent}` } })).status, 401);
});

test('Parley-Wait and Parley-Session', async () => {
	const held = original('POST', '/w', { host: 'w.test', 'parley-wait': '60', 'parley-session': 'shop' });
	await server.holds(1);
	const { items } = (await member.get('/v1/asks?status=pending')).body;
	const one = items.find(({ operation }) => operation.arguments.url === 'https://w.test/w');
	await answer(one.id, 'approve');
	const reply = await held;
	assert.deepEqual([reply.status, reply.body.ask], [200, one.id]);
	assert.equal((await member.get(`/v1/sessions/${one.session}`)).body.external_id, 'shop');
	const unknown = await original('GET', '/', { host: 'w.test', 'parley-session': 'ses_00000000000000000000000000' });
	assert.deepEqual([unknown.status, unknown.body.type], [403, '/problems/unavailable']);
});

test('after a restart the same ask, and its approval', async () => {
	const call = op('deploy', { to: 'moon' });
	const { ask } = (await authorize(call)).body;
	await answer(ask, 'approve');
	await server.crash();
	const reply = await authorize(call);
	assert.deepEqual([reply.status, reply.body.ask], [200, ask]);
	assert.deepEqual(said(await authorize(call)), PENDING);
});

test('who waits when the server stops is told 403, and never 5xx', async () => {
	const held = [authorize(op('stops', {}), { wait: 60 }), original('POST', '/stops', { host: 'w.test', 'parley-wait': '60' })];
	await server.holds(2);
	const stopped = server.signal('SIGTERM');
	for (const reply of await Promise.all(held)) assert.deepEqual([reply.status, reply.body.type, reply.headers['parley-decision']], [403, '/problems/approval-pending', 'ask']);
	await stopped;
	await server.start();
});
