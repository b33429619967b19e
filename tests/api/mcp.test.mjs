// /mcp: both eras, the tools, what is refused. What waits is in mcp-waits.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegacyClient, question, StatelessClient } from './lib/mcp.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({ flags: ['--mcp-wait', '1s'] });
const { agent, member, secrets } = server;
const now = (capabilities, token = secrets.agent) => new StatelessClient(server, token, capabilities);
const before = (version, capabilities, token = secrets.agent) =>
	new LegacyClient(server, token).open(version, capabilities);
const runner = await server.token('agent', 'runner', ['--agent', 'runner', '--runs', '--mcp-wait', '60s']);
const quick = await server.token('agent', 'quick', ['--agent', 'builder', '--mcp-wait', '0']);

const pending = async (text) => until(async () => (await member.get('/v1/asks')).body.items
	.find((ask) => ask.questions[0].text === text), text);

// ---- eras ----

test('since 2026-07-28 a client discovers what there is', async () => {
	const found = await now().result('server/discover');
	assert.equal(found.resultType, 'complete');
	assert.deepEqual(found.supportedVersions, ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']);
	assert.ok(found.capabilities.tools && found.capabilities.extensions['io.modelcontextprotocol/tasks']);
	assert.ok(found.ttlMs >= 0 && found.cacheScope);
	assert.equal(found._meta['io.modelcontextprotocol/serverInfo'].name, 'parley');
});

for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
	test(`${version}: a session is made, used and ended`, async () => {
		const client = await before(version);
		assert.equal(client.version, version);
		assert.match(client.session, /^[\x21-\x7e]+$/);
		assert.deepEqual(await client.result('ping'), {});
		const tools = (await client.result('tools/list')).tools;
		assert.equal(tools.length, 9);
		const gone = await client.send('DELETE', undefined, client.headers());
		assert.equal(gone.status, 204);
		assert.equal((await client.request('ping')).status, 404);
		assert.equal((await client.request('tools/list')).status, 404);
	});
}

test('an unknown version gets the newest that has sessions', async () => {
	assert.equal((await before('1999-01-01')).version, '2025-11-25');
});

test('a session id that was tampered with is not found', async () => {
	const client = await before('2025-06-18');
	client.session = `${client.session.slice(0, -2)}xx`;
	assert.equal((await client.request('ping')).status, 404);
});

test('a session is known after a restart of the server', async () => {
	const client = await before('2025-11-25');
	const ended = await before('2025-11-25');
	await ended.send('DELETE', undefined, ended.headers());
	await server.crash();
	assert.deepEqual(await client.result('ping'), {});
	assert.equal((await ended.request('ping')).status, 404);
});

test('several messages at once are of 2025-03-26 only', async () => {
	const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/x' },
		{ jsonrpc: '2.0', id: 'two', method: 'tools/list' }, { jsonrpc: '2.0', id: 3, method: 'nothing' }, 7];
	const old = await before('2025-03-26');
	const sent = await old.send('POST', batch, { 'mcp-session-id': old.session });
	assert.equal(sent.status, 200);
	assert.deepEqual(sent.reply.map((r) => r.id), [1, 'two', 3, null]);
	assert.equal(sent.reply[2].error.code, -32601);
	assert.equal(sent.reply[3].error.code, -32600);
	const newer = await before('2025-06-18');
	assert.equal((await newer.send('POST', batch, newer.headers())).status, 400);
	const only = await old.send('POST', [batch[1]], { 'mcp-session-id': old.session });
	assert.equal(only.status, 202);
});

const batchOf = (client, messages) => client.send('POST', messages, { 'mcp-session-id': client.session });
const listing = [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_asks', arguments: {} } }];

test('several messages at once are let in like one: no ended session, no tool beyond the list', async () => {
	const ended = await before('2025-03-26');
	await ended.send('DELETE', undefined, ended.headers());
	const late = await batchOf(ended, listing);
	assert.equal(late.status, 404, late.text);
	assert.equal(late.reply.error.code, -32600);
	const token = await server.token('agent', 'limited', ['--tools', 'ask_user_question']);
	const limited = await before('2025-03-26', {}, token);
	const [refused] = (await batchOf(limited, listing)).reply;
	assert.match(refused.error.message, /no tool list_asks/);
	const nobody = await before('2025-03-26');
	nobody.token = 'prl_nothing';
	assert.equal((await batchOf(nobody, listing)).status, 401);
	const greeted = await batchOf(await before('2025-03-26'),
		[{ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26' } }]);
	assert.equal(greeted.reply[0].error.code, -32601);
	assert.equal(greeted.headers['mcp-session-id'], undefined);
});

test('an ask of an ended session, of another agent or with a tool beyond the list is not made', async () => {
	const ended = await before('2025-11-25');
	await ended.send('DELETE', undefined, ended.headers());
	const stranger = await before('2025-11-25');
	stranger.token = await server.token('agent', 'nosy', ['--agent', 'nosy']);
	for (const client of [ended, stranger]) {
		const sent = await client.request('tools/call', { name: 'ask_user_question', arguments: question('Never?') });
		assert.equal(sent.status, 404, sent.text);
	}
	const token = await server.token('agent', 'lister', ['--tools', 'list_asks']);
	const limited = await now({}, token).request('tools/call', { name: 'ask_user_question', arguments: question('Never?') });
	assert.match(limited.reply.error.message, /no tool ask_user_question/);
	const { items } = (await member.get('/v1/asks?limit=200')).body;
	assert.equal(items.some((ask) => ask.questions[0].text === 'Never?'), false);
});

test('a session is used and ended by its own agent alone, with any token of it', async () => {
	const client = await before('2025-11-25');
	const stranger = await server.token('agent', 'stranger', ['--agent', 'stranger']);
	const theirs = await client.send('DELETE', undefined, { ...client.headers(), authorization: `Bearer ${stranger}` });
	assert.equal(theirs.status, 404, theirs.text);
	const used = await client.request('ping', {}, { headers: { authorization: `Bearer ${stranger}` } });
	assert.equal(used.status, 404);
	assert.deepEqual(await client.result('ping'), {});
	const name = (await agent.get('/v1/me')).body.agent;
	const twin = await server.token('agent', 'twin', ['--agent', name]);
	client.token = twin;
	assert.deepEqual(await client.result('ping'), {});
	assert.equal((await client.send('DELETE', undefined, client.headers())).status, 204);
	assert.equal((await client.request('ping')).status, 404);
});

const refusals = [
	['no _meta', (c) => c.send('POST', { jsonrpc: '2.0', id: 5, method: 'tools/list', params: {} },
		c.headers('tools/list')), 400, -32602],
	['no protocol header', (c) => c.request('tools/list', {}, { headers: { 'mcp-protocol-version': '' } }), 400, -32020],
	['another method in the header', (c) => c.request('tools/list', {}, { headers: { 'mcp-method': 'tools/call' } }),
		400, -32020],
	['another name in the header', (c) => c.request('tools/call', { name: 'list_asks' },
		{ headers: { 'mcp-name': 'get_answer' } }), 400, -32020],
	['a version that is not served', (c) => c.request('tools/list',
		{ _meta: { 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } },
		{ headers: { 'mcp-protocol-version': '2031-01-01' } }), 400, -32022],
	['an unknown method', (c) => c.request('nothing/here'), 404, -32601],
	['a method of the past', (c) => c.request('ping'), 404, -32601],
	['an unknown tool', (c) => c.call('nothing', {}).then(() => assert.fail(), () =>
		c.request('tools/call', { name: 'nothing' })), 200, -32602],
	['an unknown resource', (c) => c.request('resources/read', { uri: 'parley://asks/ask_none' }), 200, -32602],
	['a task without the extension', (c) => c.request('tasks/get', { taskId: 'ask_none' }), 400, -32021],
	['no JSON', (c) => c.send('POST', '{', c.headers('x')), 400, -32700],
	['no message', (c) => c.send('POST', '{"a":1}', c.headers('x')), 400, -32600],
];
for (const [what, go, status, code] of refusals) {
	test(`2026-07-28 refuses ${what}`, async () => {
		const sent = await go(now());
		assert.equal(sent.status, status);
		assert.equal(sent.reply.error.code, code);
		if (code === -32022) assert.equal(sent.reply.error.data.requested, '2031-01-01');
	});
}

test('names that a header cannot carry come in Base64', async () => {
	const uri = 'parley://asks/é';
	const coded = `=?base64?${Buffer.from(uri).toString('base64')}?=`;
	const sent = await now().request('resources/read', { uri }, { headers: { 'mcp-name': coded } });
	assert.equal(sent.reply.error.code, -32602);
	assert.equal(sent.reply.error.data.uri, uri);
});

test('since 2026-07-28 there is POST alone', async () => {
	for (const method of ['GET', 'DELETE']) {
		const sent = await now().send(method, undefined, { 'mcp-protocol-version': '2026-07-28' });
		assert.equal(sent.status, 405);
	}
});

// ---- who may come in ----

test('without a token: 401, and where to read how', async () => {
	const sent = await now({}, null).request('tools/list');
	assert.equal(sent.status, 401);
	const url = /resource_metadata="([^"]+)"/.exec(sent.headers['www-authenticate'])[1];
	const about = await server.nobody.get(new URL(url).pathname);
	assert.equal(about.body.resource, `${server.url}/mcp`);
	assert.equal((await now({}, 'prl_wrong').request('tools/list')).status, 401);
});

test('foreign Host and Origin: 403', async () => {
	for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
		assert.equal((await now().request('tools/list', {}, { headers })).status, 403);
	}
});

test('a token sees the tools that it was made for', async () => {
	const few = now({}, await server.token('agent', 'few', ['--tools', 'ask_question,get_answer']));
	assert.deepEqual((await few.result('tools/list')).tools.map((t) => t.name), ['ask_question', 'get_answer']);
	const sent = await few.request('tools/call', { name: 'list_asks', arguments: {} });
	assert.equal(sent.reply.error.code, -32602);
});

test('no tool settles, whoever calls', async () => {
	for (const token of [secrets.agent, secrets.member, secrets.admin]) {
		const names = (await now({}, token).result('tools/list')).tools.map((t) => t.name);
		assert.ok(!names.some((name) => /^(settle|approve|answer|skip)/.test(name)), names.join());
	}
	const asked = await now({}, quick).call('request_approval', { tool_name: 'shell', input: { cmd: 'make' } });
	const forged = await now({}, quick).request('tools/call', { name: 'request_approval', arguments: {},
		requestState: 'x.y', inputResponses: { q: { action: 'accept', content: { decision: 'approve' } } } });
	assert.equal(forged.reply.error.code, -32602);
	assert.equal((await agent.read({ id: asked.structuredContent.ask_id })).status, 'pending');
	assert.equal((await now({}, secrets.stranger).call('get_answer', { ask_id: asked.structuredContent.ask_id }))
		.isError, true);
});

test('a viewer may not ask', async () => {
	const viewer = now({}, await server.token('viewer', 'vic'));
	assert.equal((await viewer.call('ask_user_question', question())).isError, true);
});

// ---- tools ----

test('every tool has schemas, hints and a description for models', async () => {
	const { tools, ttlMs } = await now().result('tools/list');
	assert.ok(ttlMs >= 0);
	for (const tool of tools) {
		assert.ok(tool.title && tool.description.length > 60 && tool.annotations, tool.name);
		assert.equal(tool.inputSchema.type, 'object');
		assert.equal(tool.outputSchema?.type, tool.name === 'request_approval' ? undefined : 'object');
	}
	const legacy = (await (await before('2025-11-25')).result('tools/list')).tools;
	assert.equal(legacy[0].execution.taskSupport, 'optional');
});

test('a question is asked, answered and told as text and as data', async () => {
	const client = now({}, quick);
	const first = await client.call('ask_user_question', question('Where to keep it?'));
	assert.equal(first.isError, false);
	assert.equal(first.structuredContent.status, 'pending');
	assert.match(first.structuredContent.next, /get_answer/);
	assert.deepEqual(JSON.parse(first.content[0].text), first.structuredContent);
	const id = first.structuredContent.ask_id;
	const ask = await agent.read({ id });
	await member.answer(ask, { [ask.questions[0].key]: 'SQLite' });
	const got = await client.call('get_answer', { ask_id: id });
	assert.equal(got.structuredContent.status, 'answered');
	assert.equal(got.structuredContent.answers['Where to keep it?'], 'SQLite');
	assert.equal(got.structuredContent.answered_by.kind, 'human');
	assert.match(got.content[0].text, /SQLite/);
});

test('asking the same again while it is open gives the same ask', async () => {
	const client = now({}, quick);
	const ids = [];
	for (let i = 0; i < 3; i++) {
		ids.push((await client.call('ask_user_question', question('Again?'))).structuredContent.ask_id);
	}
	assert.equal(new Set(ids).size, 1);
	const other = await client.call('ask_user_question', { ...question('Again?'), session: 'elsewhere' });
	assert.notEqual(other.structuredContent.ask_id, ids[0]);
});

test('a call that is repeated with its key meets its ask even when it is settled', async () => {
	const client = now({}, quick);
	const call = (key) => client.call('ask_user_question', question('Keyed?'), {}, { headers: { 'idempotency-key': key } });
	const id = (await call('k1')).structuredContent.ask_id;
	const ask = await agent.read({ id });
	await member.answer(ask, { [ask.questions[0].key]: 'PostgreSQL' });
	const again = await call('k1');
	assert.equal(again.structuredContent.ask_id, id);
	assert.equal(again.structuredContent.status, 'answered');
	assert.notEqual((await call('k2')).structuredContent.ask_id, id);
});

test('small mistakes are mended and told; strict=true refuses them', async () => {
	const client = now({}, quick);
	const sloppy = { questions: JSON.stringify([{ question: 'Really', options: ['Yes', 'No'], multiple: true }]) };
	const asked = await client.call('ask_user_question', sloppy);
	assert.ok(asked.structuredContent.repairs.length > 0);
	const refused = await client.call('ask_user_question', sloppy, {}, { path: '/mcp?strict=true' });
	assert.equal(refused.isError, true);
});

test('what cannot be understood is a tool error that says how to mend it', async () => {
	for (const args of [undefined, {}, { questions: [] }, { questions: 7 }]) {
		const result = await now().call('ask_user_question', args);
		assert.equal(result.isError, true);
		assert.match(result.content[0].text, /question/);
	}
});

test('an ask belongs to the session that is named, else to that of token and client', async () => {
	const client = now({}, quick);
	const session = await agent.session({ external_id: 'claude-1', parallel: true });
	for (const name of [session.id, 'claude-1']) {
		const asked = await client.call('ask_user_question', { ...question(`In ${name}?`), session: name });
		assert.equal((await agent.read({ id: asked.structuredContent.ask_id })).session, session.id);
	}
	const own = [];
	for (const text of ['One?', 'Two?']) {
		const asked = await client.call('ask_user_question', question(text));
		own.push((await agent.read({ id: asked.structuredContent.ask_id })).session);
	}
	assert.equal(own[0], own[1]);
	assert.notEqual(own[0], session.id);
});

test('the name of a session is one line of at most 256 characters, whichever tool it comes by', async () => {
	const client = now({}, quick);
	const most = '\u{1f600}'.repeat(256);
	const bad = [`${most}x`, 'x'.repeat(100_009), 'two\nlines', 'a\u0007bell', `ses_${'x'.repeat(400)}`];
	for (const session of bad) {
		const tries = [['ask_user_question', question('Named?')], ['report_progress', { text: 'at it' }],
			['request_approval', { tool_name: 'Bash', input: {} }],
			['request_mandate', { title: 'T', lines: [{ key: 'a', tool: ['x'], uses: 1 }] }]];
		for (const [tool, args] of tries) {
			const result = await client.call(tool, { ...args, session });
			assert.equal(result.isError, true);
			assert.match(result.content[0].text, /session.*must (have at most 256|be one line)/);
		}
	}
	const asked = await client.call('ask_user_question', { ...question('Named?'), session: most });
	assert.equal(asked.structuredContent.status, 'pending');
	client.meta = () => ({ ...new StatelessClient(server).meta(),
		'io.modelcontextprotocol/clientInfo': { name: 'two\nlines', version: '1' } });
	const own = await client.call('ask_user_question', question('From whom?'));
	const { session } = await agent.read({ id: own.structuredContent.ask_id });
	assert.doesNotMatch((await agent.get(`/v1/sessions/${session}`)).body.external_id, /\n/);
});

test('a wait of any number is a wait of the budget at most', async () => {
	const client = now({}, quick);
	const asked = await client.call('ask_user_question', question('How long?'));
	for (const wait_s of [1e300, -1e300, 9.3e18, 1e-300, 0]) {
		const got = await client.call('get_answer', { ask_id: asked.structuredContent.ask_id, wait_s });
		assert.equal(got.structuredContent.status, 'pending');
	}
});

test('where the session is resumed by us, the agent is told to end its turn', async () => {
	const session = await agent.session({ on_settled: { webhook: 'https://hook.example/x' }, parallel: true });
	const asked = await now().call('ask_user_question', { ...question('Resumable?'), session: session.id });
	assert.equal(asked.structuredContent.status, 'pending');
	assert.match(asked.structuredContent.next, /end your turn/);
});

test('request_approval answers as a permission prompt wants it: one text, nothing beside it', async () => {
	const client = now({}, quick);
	const input = { cmd: 'rm -r build' };
	const call = { tool_name: 'Bash', input, tool_use_id: 'toolu_1' };
	const asked = await client.call('request_approval', call);
	assert.deepEqual(Object.keys(asked).filter((name) => !name.startsWith('_')).sort(),
		['content', 'isError', 'resultType']);
	const said = JSON.parse(asked.content[0].text);
	assert.equal(said.behavior, 'deny');
	assert.match(said.message, /Nobody has decided/);
	const ask = await agent.read({ id: said.ask_id });
	assert.deepEqual(ask.operation.arguments, input);
	await member.answer(ask, { decision: { value: 'approve', arguments: { cmd: 'rm -r build/tmp' } } });
	const got = await client.call('get_answer', { ask_id: ask.id });
	assert.deepEqual(JSON.parse(got.content[0].text),
		{ behavior: 'allow', updatedInput: { cmd: 'rm -r build/tmp' } });
});

test('request_approval lets our own asking tools pass without a person', async () => {
	const client = now({}, quick);
	const input = question('Twice?');
	for (const name of ['mcp__parley__ask_user_question', 'mcp__parley__get_answer']) {
		const { content, isError } = await client.call('request_approval', { tool_name: name, input, tool_use_id: 'toolu_1' });
		assert.equal(Boolean(isError), false);
		assert.deepEqual(JSON.parse(content[0].text), { behavior: 'allow', updatedInput: input });
	}
	const other = await client.call('request_approval', { tool_name: 'mcp__parley__drop_tables', input: {} });
	assert.equal(other.structuredContent?.status ?? JSON.parse(other.content[0].text).status, 'pending');
});

test('a skipped UserQuestionTool is an error, a non_blocking ask_question returns at once', async () => {
	const client = now({}, quick);
	const asked = await client.call('UserQuestionTool', { operation: 'ask', question: 'Note?', questionType: 'text' });
	await member.post(`/v1/asks/${asked.structuredContent.ask_id}/skip`);
	const got = await client.call('get_answer', { ask_id: asked.structuredContent.ask_id });
	assert.equal(got.isError, true);
	const quickly = await now().call('ask_question', { question: 'Later?', type: 'non_blocking', responseType: 'text',
		timeoutMinutes: 30, defaultResponse: 'no' });
	assert.equal(quickly.structuredContent.questionId, quickly.structuredContent.ask_id);
	assert.ok(quickly.structuredContent.timeoutAt);
	const bare = await now().call('ask_question', { question: 'And now?', type: 'non_blocking', responseType: 'text' });
	assert.match(JSON.stringify(bare.content), /nothing is assumed if nobody answers/, 'the model is told');
});

test('ask_question asks with a template, and tells of an error', async () => {
	const client = now({}, quick);
	assert.equal((await server.admin.put('/v1/templates/colour', { ask: { kind: 'blocking', questions: [{ key: 'c', text: 'Which {{what}}?', type: 'choice',
		options: [{ id: 'r', label: 'Red' }, { id: 'g', label: 'Green' }] }] }, values: { what: { required: true } } })).status, 201);
	const asked = await client.call('ask_question', { template: 'colour', values: { what: 'colour' } });
	const id = asked.structuredContent.ask_id;
	const ask = (await member.get(`/v1/asks/${id}`)).body;
	assert.deepEqual([ask.kind, ask.questions[0].text, ask.foreign?.dialect], ['blocking', 'Which colour?', 'ask_question']);
	await member.answer(ask, { c: 'g' });
	const { structuredContent: got } = await client.call('get_answer', { ask_id: id });
	assert.deepEqual([got.status, got.type, got.value], ['answered', 'choice', 'g']);
	const wrong = await client.call('ask_question', { template: 'colour' });
	assert.deepEqual([wrong.isError, /what/.test(wrong.content[0].text)], [true, true], wrong.content[0].text);
	const failed = await client.call('ask_question', { question: 'The build failed.', type: 'error_recovery', context: { errorDetails: 'exit 2' } });
	const recovery = (await member.get(`/v1/asks/${failed.structuredContent.ask_id}`)).body;
	assert.deepEqual([recovery.kind, recovery.context.error_details], ['error_recovery', 'exit 2']);
	const { tools } = await client.result('tools/list');
	const schema = tools.find(({ name }) => name === 'ask_question').inputSchema.properties;
	assert.ok(schema.type.enum.includes('error_recovery') && schema.template && schema.values);
});

test('an ask is withdrawn, listed, and its progress told', async () => {
	const client = now({}, quick);
	const asked = await client.call('ask_user_question', question('To withdraw?'));
	const id = asked.structuredContent.ask_id;
	const listed = await client.call('list_asks', { limit: 200 });
	assert.ok(listed.structuredContent.asks.some((a) => a.ask_id === id && a.questions[0] === 'To withdraw?'));
	const gone = await client.call('cancel_ask', { ask_id: id, reason: 'found out' });
	assert.equal(gone.structuredContent.status, 'cancelled');
	assert.equal((await client.call('cancel_ask', { ask_id: id })).structuredContent.status, 'cancelled');
	/* Also where its dialect calls a question that nobody answered an error. */
	const other = await client.call('UserQuestionTool', { operation: 'ask', question: 'Withdraw me?', questionType: 'text' });
	const withdrawn = await client.call('cancel_ask', { ask_id: other.structuredContent.ask_id });
	assert.deepEqual([withdrawn.isError, withdrawn.structuredContent.status], [false, 'cancelled']);
	for (const tool of ['get_answer', 'cancel_ask']) {
		for (const args of [{}, { ask_id: 5 }, { ask_id: '' }]) {
			const wrong = await client.call(tool, args);
			assert.deepEqual([wrong.isError, /\/ask_id: required/.test(wrong.content[0].text)], [true, true], wrong.content[0].text);
		}
	}
	const told = await client.call('report_progress', { text: 'Half way', step: 1, steps: 2 });
	const session = (await agent.get(`/v1/sessions/${told.structuredContent.session}`)).body;
	assert.equal(session.external_id.startsWith('mcp:tok_'), true);
});

test('when a person asks back the agent reads it and replies', async () => {
	const client = now({}, quick);
	const asked = await client.call('ask_user_question', question('Unclear?'));
	const id = asked.structuredContent.ask_id;
	await member.post(`/v1/asks/${id}/replies`, { text: 'What for?' });
	const heard = await client.call('get_answer', { ask_id: id });
	assert.equal(heard.structuredContent.replies[0].text, 'What for?');
	await client.call('get_answer', { ask_id: id, reply: 'For the tests.' });
	assert.equal((await agent.read({ id })).replies[1].text, 'For the tests.');
});

// ---- resources, prompts, completion ----

test('asks and sessions are resources; the prompt resume gives the answers back', async () => {
	const client = now({}, quick);
	const asked = await client.call('ask_user_question', question('As a resource?'));
	const id = asked.structuredContent.ask_id;
	let uris = [];
	for (let cursor; ;) {
		const page = await client.result('resources/list', cursor ? { cursor } : {});
		uris = uris.concat(page.resources.map((r) => r.uri));
		cursor = page.nextCursor;
		if (!cursor) break;
	}
	assert.ok(uris.includes(`parley://asks/${id}`));
	const read = await client.result('resources/read', { uri: `parley://asks/${id}` });
	const ask = JSON.parse(read.contents[0].text);
	assert.equal(ask.id, id);
	assert.ok(uris.includes(`parley://sessions/${ask.session}`));
	assert.equal((await client.result('resources/templates/list')).resourceTemplates.length, 2);
	assert.equal((await client.result('prompts/list')).prompts[0].name, 'resume');
	const resume = await client.result('prompts/get', { name: 'resume', arguments: { session: ask.session } });
	assert.equal(resume.messages[0].role, 'user');
	const found = await client.result('completion/complete', { ref: { type: 'ref/prompt', name: 'resume' },
		argument: { name: 'session', value: ask.session.slice(0, 10) } });
	assert.ok(found.completion.values.includes(ask.session));
	assert.equal((await now({}, secrets.stranger).request('resources/read', { uri: `parley://asks/${id}` }))
		.reply.error.code, -32602);
});

// ---- later (last: the clock moves on) ----

test('a session is over after ninety days, and the client begins another', async () => {
	const client = await before('2025-11-25');
	server.jump(89 * 24 * 3600e3);
	assert.deepEqual(await client.result('ping'), {});
	server.jump(24 * 3600e3);
	assert.equal((await client.request('ping')).status, 404);
	assert.deepEqual(await (await before('2025-11-25')).result('ping'), {});
});

// ---- asked again ----

test('an answer that nobody waited for is what the same question gets when it is asked again', async () => {
	const client = now({}, quick);
	const ask = async (text) => (await client.call('ask_user_question', question(text))).structuredContent;
	const first = await ask('Lost in between?');
	assert.equal(first.status, 'pending');
	await member.post(`/v1/asks/${first.ask_id}/answer`, { answer: 'SQLite' });
	assert.equal((await member.get(`/v1/asks/${first.ask_id}`)).body.asked_again_at, null);
	const again = await ask('Lost in between?');
	assert.equal(again.ask_id, first.ask_id);
	assert.deepEqual(again.answers, { 'Lost in between?': 'SQLite' });
	const { asked_again_at } = (await member.get(`/v1/asks/${first.ask_id}`)).body;
	const events = (await member.get('/v1/events?format=json&types=ask.answered,ask.asked_again&after=0')).body.items
		.filter((event) => event.ask === first.ask_id);
	assert.deepEqual(events.map(({ type, at }) => [type, at]).at(-1), ['ask.asked_again', asked_again_at]);
	assert.equal(events.length, 2);
	assert.equal(events[1].data.decision, events[0].data.decision);
	// Now its agent has it: what is asked from here on is asked anew.
	const third = await ask('Lost in between?');
	assert.notEqual(third.ask_id, first.ask_id);
	assert.equal(third.status, 'pending');
});

test('an answer that was had, revoked, too old, or of a token with --again 0 is asked anew', async () => {
	const ask = async (client, text) => (await client.call('ask_user_question', question(text))).structuredContent;
	const client = now({}, quick);
	const had = await ask(client, 'Had?');
	await member.post(`/v1/asks/${had.ask_id}/answer`, { answer: 'SQLite' });
	const counted = await client.call('get_answer', { ask_id: had.ask_id, attempt: 3 });
	assert.deepEqual([counted.isError ?? false, counted.structuredContent.status], [false, 'answered']);
	assert.notEqual((await ask(client, 'Had?')).ask_id, had.ask_id);
	const skipped = await ask(client, 'Skipped unheard?');
	await member.post(`/v1/asks/${skipped.ask_id}/skip`, { reason: 'No' });
	assert.equal((await ask(client, 'Skipped unheard?')).ask_id, skipped.ask_id);
	const off = now({}, await server.token('agent', 'off', ['--agent', 'off', '--mcp-wait', '0', '--again', '0']));
	const once = await ask(off, 'Off?');
	await member.post(`/v1/asks/${once.ask_id}/answer`, { answer: 'SQLite' });
	assert.notEqual((await ask(off, 'Off?')).ask_id, once.ask_id);
	const short = now({}, await server.token('agent', 'short', ['--agent', 'short', '--mcp-wait', '0', '--again', '2m']));
	const old = await ask(short, 'Old?');
	await member.post(`/v1/asks/${old.ask_id}/answer`, { answer: 'SQLite' });
	await server.jump(3 * 60_000);
	assert.notEqual((await ask(short, 'Old?')).ask_id, old.ask_id);
	const tokens = (await server.admin.get('/v1/tokens?limit=200')).body.items;
	assert.equal(tokens.find(({ name }) => name === 'short').again, 120);
	assert.equal(tokens.find(({ name }) => name === 'quick').again, null);
});

// ---- memory and todo: tokens made with --runs ----

test('memory and todo are for tokens made with --runs', async () => {
	for (const client of [now(), await before('2025-06-18')]) {
		assert.ok(!(await client.result('tools/list')).tools.some((t) => ['memory', 'todo'].includes(t.name)));
		assert.match((await client.request('tools/call', { name: 'memory', arguments: { operation: 'list' } })).reply.error.message, /there is no tool memory/);
	}
	for (const client of [now(undefined, runner), await before('2025-11-25', undefined, runner)]) {
		const tools = (await client.result('tools/list')).tools;
		const [memory, todo] = ['memory', 'todo'].map((name) => tools.find((t) => t.name === name));
		assert.deepEqual(memory.inputSchema.properties.operation.enum, ['list', 'get', 'search', 'add', 'delete']);
		assert.deepEqual(todo.inputSchema.properties.operation.enum, ['list', 'create', 'update', 'complete', 'delete']);
		assert.ok(memory.description && todo.inputSchema.properties.session);
	}
	const bound = await server.token('agent', 'bound', ['--agent', 'runner', '--runs', '--tools', 'todo,get_answer']);
	assert.deepEqual((await now(undefined, bound).result('tools/list')).tools.map((t) => t.name), ['get_answer', 'todo']);
});

const text = (result) => result.content[0].text;
/* Whoever waits for the approval of this call, and the ask. */
async function held(client, name, args) {
	const waiting = client.call(name, args);
	const ask = await until(async () => (await member.get('/v1/asks')).body.items.find((a) =>
		a.operation?.name === name && a.operation.arguments.operation === args.operation), `${name} ${args.operation}`);
	return { waiting, ask };
}

test('what a person must approve is done in the commit of the answer, once', async () => {
	await server.admin.post('/v1/rules', { effect: 'ask', match: { tool: ['memory', 'todo'], arguments: { '/operation': { in: ['create', 'add', 'delete'] } } } });
	const client = now(undefined, runner);
	const wrong = await client.call('todo', { operation: 'create', name: 'x', priority: 9 });
	assert.equal(wrong.isError, true);
	assert.match(text(wrong), /priority must be at most 5|priority.*1 to 5/);
	const { waiting, ask } = await held(client, 'todo', { operation: 'create', name: 'Paint the fence', session: 'fence' });
	assert.deepEqual([ask.kind, ask.operation.type, ask.operation.arguments.name, ask.context.server, ask.context.tool], ['approval', 'tool', 'Paint the fence', 'parley', 'todo']);
	const bad = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { operation: 'create', priority: 9 } } } });
	assert.deepEqual([bad.status, bad.body.errors[0].pointer], [422, '/answers/decision/arguments/priority']);
	const done = await member.post(`/v1/asks/${ask.id}/answer`,
		{ answers: { decision: { value: 'approve', arguments: { operation: 'create', name: 'Paint the gate' } } } });
	assert.equal(done.status, 200, done.text);
	assert.equal(done.body.ask.status, 'answered', done.text);
	const got = await waiting;
	const { id } = JSON.parse(text(got));
	assert.match(id, /^tsk_/);
	assert.match(got.content.at(-1).text, /A person changed the arguments/);
	const call = (await member.get(`/v1/tool-calls/${got._meta['parley/call'].id}`)).body;
	assert.deepEqual([call.run, call.name, call.class, call.status, call.server, call.category], [null, 'todo', 'store', 'done', 'parley', 'tools']);
	const state = (await member.get(`/v1/sessions/${call.session}/state`)).body;
	assert.deepEqual(state.tasks.map((t) => [t.id, t.run, t.name]), [[id, null, 'Paint the gate']]);
	assert.ok((await member.get(`/v1/asks/${ask.id}`)).body.used_at);
	const listed = JSON.parse(text(await client.call('todo', { operation: 'list', session: 'fence' })));
	assert.deepEqual(listed.map((t) => t.name), ['Paint the gate']);
	assert.deepEqual(JSON.parse(text(await client.call('todo', { operation: 'list' }))), []);

	const no = await held(client, 'memory', { operation: 'add', text: 'Tea is green', scope: 'workspace' });
	await member.post(`/v1/asks/${no.ask.id}/answer`, { answers: { decision: { value: 'reject', text: 'no notes today' } } });
	const refused = await no.waiting;
	assert.equal(refused.isError, true);
	assert.match(text(refused), /Rejected by .*no notes today/);
});

test('what is allowed is done at once, with a key once; a deny is kept; a cancel withdraws', async () => {
	const { admin } = server;
	const rules = (await admin.get('/v1/rules?effect=ask')).body.items;
	for (const rule of rules) await admin.delete(`/v1/rules/${rule.id}`);
	const client = now(undefined, runner);
	const add = (key) => client.call('memory', { operation: 'add', text: 'Tea is green', scope: 'workspace' }, {}, { headers: { 'idempotency-key': key } });
	const { id } = JSON.parse(text(await add('tea')));
	assert.equal(JSON.parse(text(await add('tea'))).id, id);
	const other = JSON.parse(text(await client.call('memory', { operation: 'add', text: 'Tea is green' }))).id;
	assert.notEqual(JSON.parse(text(await client.call('memory', { operation: 'add', text: 'Tea is green' }))).id, other);
	const found = JSON.parse(text(await client.call('memory', { operation: 'search', q: 'gre tea' })));
	assert.equal(found.length, 3);
	assert.equal(found.find((m) => m.id === other).agent, 'runner');
	assert.equal(text(await client.call('memory', { operation: 'get', id: 'mem_none' })), 'there is no such note');
	const deny = (await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['memory'] }, note: 'no notes' })).body;
	const denied = await client.call('memory', { operation: 'delete', id });
	assert.equal(denied.isError, true);
	assert.match(text(denied), /Not run: .*no notes/);
	await admin.delete(`/v1/rules/${deny.id}`);
	assert.equal((await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['memory'] } })).status, 201);

	const old = await before('2025-11-25', undefined, runner);
	const { waiting, ask } = await held(old, 'memory', { operation: 'delete', id });
	await old.send('POST', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: old.serial } }, old.headers());
	await until(async () => (await member.get(`/v1/asks/${ask.id}`)).body.status === 'cancelled', 'withdrawn');
	assert.match(text(await waiting), /Cancelled/);
});

test('a stop holds back what was approved; the same call again after it', async () => {
	const { admin } = server;
	const hasty = now(undefined, await server.token('agent', 'hasty-runner', ['--agent', 'hasty', '--runs', '--mcp-wait', '0']));
	const args = { operation: 'add', text: 'Later', scope: 'agent' };
	const first = await hasty.call('memory', args);
	assert.equal(first.resultType, 'input_required');
	const { ask } = first._meta['parley/call'];
	const stop = (await admin.post('/v1/stops', { match: { agent: 'hasty' }, reason: 'wait a moment' })).body;
	assert.ok(stop.id, JSON.stringify(stop));
	const answered = await member.post(`/v1/asks/${ask}/answer`, { answers: { decision: { value: 'approve' } } });
	assert.ok([200, 409].includes(answered.status), answered.text);
	await admin.delete(`/v1/stops/${stop.id}`);
	if (answered.status !== 200) assert.equal((await member.post(`/v1/asks/${ask}/answer`, { answers: { decision: { value: 'approve' } } })).status, 200);
	const again = await hasty.call('memory', args, { requestState: first.requestState });
	assert.match(text(again), /mem_/);
	assert.equal((await member.get('/v1/memories?agent=hasty')).body.items.length, 1);
});

test('the tool that asks one question names the templates there are', async () => {
	const described = async (client) => (await client.result('tools/list')).tools.find((t) => t.name === 'ask_question').inputSchema.properties.template.description;
	assert.match(await described(now()), /of which kind\. There are: colour\.$/);
	assert.equal((await server.admin.delete('/v1/templates/colour')).status, 204);
	assert.match(await described(await before('2025-03-26')), /of which kind\.$/);
});
