// Our agents call MCP servers: chosen by name, gated by the server's risk, called once, results masked and bounded.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { pointers } from './lib/samples.mjs';
import { Stream } from './lib/stream.mjs';
import { until, useServer } from './lib/server.mjs';

const TOKEN = 'ghp_0123456789abcdefWXYZ';
const scripts = new Map(), offered = new Map();
const model = await new ScriptModel((request) => {
	offered.set(first(request), request);
	const found = [...scripts].find(([text]) => first(request) === text);
	return found ? found[1](request) : [say('no script')];
}).start();
after(() => model.stop());
const server = await useServer({ keepPort: true });
const { admin, member, agent: program } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, mode: 'auto', always_confirm_high: true }));
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);

let n = 0;
const fake = async (t, options) => {
	const it = await new McpServer(options).start();
	t.after(() => it.stop());
	return it;
};
const add = async (url, more = {}) => ok(await admin.post('/v1/mcp-servers', { name: `s${++n}`, url, ...more }), 201);
const read = async (s) => ok(await admin.post(`/v1/mcp-servers/${s.id}/test`, {})).server;
const agent = async (tools, more = {}) => ok(await admin.post('/v1/agents',
	{ name: `a${++n}`, provider: 'scripted', model: 'm', tools, on_error: 'fail', ...more }), 201).name;
/** A run of an agent with these tools that makes these calls, one a turn. */
async function run(tools, ...calls) {
	const name = await agent(tools), message = `Run ${++n}.`;
	scripts.set(message, (q) => { const at = calls[results(q).length]; return at ? [use(...at)] : [say('done')]; });
	const session = ok(await member.post('/v1/sessions', { agent: name, message }), 201);
	return { agent: name, message, session: session.id, run: session.run };
}
const status = async (r) => ok(await member.get(`/v1/runs/${r.run}`));
const ended = (r) => until(async () => { const s = await status(r); return ['completed', 'failed', 'cancelled'].includes(s.status) && s; }, `the end of ${r.run}`);
const calls = async ({ session }) => ok(await member.get(`/v1/sessions/${session}/state`)).tool_calls;
const done = async (r) => { await ended(r); return (await calls(r))[0]; };
const pending = ({ session }) => until(async () => ok(await member.get(`/v1/sessions/${session}`)).pending_asks[0], 'an ask');
const answer = (ask, value) => member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: value } }).then((r) => ok(r));
const tools_of = ({ message }) => offered.get(message).tools.map((x) => x.name);

test('an agent has the tools of a server, or one of them; what is not there is told with its place', async (t) => {
	const it = await fake(t, { tools: [tool('a'), tool('b')] });
	const s = await add(it.url);
	const wrong = async (choice) => { const r = await admin.post('/v1/agents', { name: `a${++n}`, provider: 'scripted', model: 'm', tools: ['todo', choice] }); return [r.status, pointers(r)]; };
	assert.deepEqual(await wrong('mcp:nowhere'), [422, ['/tools/1']]);
	assert.deepEqual(await wrong('mcp:'), [422, ['/tools/1']]);
	assert.deepEqual(await wrong(`mcp:${s.name}/a b`), [422, ['/tools/1']]);
	await read(s);
	assert.deepEqual(await wrong(`mcp:${s.name}/c`), [422, ['/tools/1']]);
	const name = await agent([`mcp:${s.name}`, `mcp:${s.name}/a`]);
	assert.deepEqual(ok(await admin.get(`/v1/agents/${name}`)).tools, [`mcp:${s.name}`, `mcp:${s.name}/a`]);
	assert.match((await admin.delete(`/v1/mcp-servers/${s.name}`)).body.detail, new RegExp(name));
});

test('rows of the tools there are: the server, and each tool with its risk and whether it can be called', async (t) => {
	const it = await fake(t, { tools: [tool('look', { annotations: { readOnlyHint: true } }), tool('drop')] });
	const s = await add(it.url, { trust: true, category: 'db_ops' });
	const rows = async () => ok(await program.get('/v1/tools?limit=200')).items.filter((x) => x.name.startsWith(`mcp:${s.name}`));
	assert.deepEqual((await rows()).map((x) => x.name), [`mcp:${s.name}`]);
	await read(s);
	it.tools = [it.tools[0], tool('drop', { description: 'Drops it all.' })];
	await read(s);
	const [whole, look, drop] = await rows();
	assert.deepEqual([whole.kind, whole.id, whole.risk, whole.available, whole.source, whole.version], ['mcp', null, null, true, 'store', 1]);
	assert.deepEqual([look.name, look.kind, look.category, look.risk, look.class, look.description, look.available, look.why],
		[`mcp:${s.name}/look`, 'mcp', 'db_ops', 'low', 'repeat', 'Does look.', true, null]);
	assert.deepEqual([drop.risk, drop.class, drop.available], ['high', 'once', false]);
	assert.match(drop.why, /changed since it was accepted/);
	const names = [];
	for (let cursor = ''; cursor !== null;) {
		const page = ok(await member.get(`/v1/tools?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`));
		names.push(...page.items.map((x) => x.name));
		cursor = page.next_cursor ?? null;
	}
	assert.ok(names.includes(`mcp:${s.name}/drop`) && new Set(names).size === names.length);
	assert.equal(ok(await admin.get(`/v1/tools/mcp:${s.name}`)).name, `mcp:${s.name}`);
	assert.equal((await admin.get('/v1/tools/mcp:nowhere')).status, 404);
});

for (const family of ['2026', '2025'])
	test(`${family}: read at its first use, gated by its risk, called as approved, once`, async (t) => {
		const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'], additionalProperties: false };
		const it = await fake(t, { family, tools: [tool('close_issue', { inputSchema: schema }), tool('other')] });
		const s = await add(it.url, { bearer: TOKEN });
		const name = `mcp__${s.name}__close_issue`;
		const r = await run([`mcp:${s.name}/close_issue`], [name, { n: 7 }]);
		const ask = await pending(r);
		assert.deepEqual(tools_of(r), [name]);
		const { operation } = ok(await member.get(`/v1/asks/${ask.id}`));
		assert.deepEqual(operation, { type: 'mcp', name, arguments: { n: 7 }, risk: 'high', schema });
		assert.equal(it.calls().length, 0);
		const bad = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { n: 0 } } } });
		assert.deepEqual([bad.status, pointers(bad)], [422, ['/answers/decision/arguments/n']]);
		await answer(ask, { value: 'approve', arguments: { n: 8 } });
		const c = await done(r);
		assert.deepEqual([c.name, c.status, c.category, c.class, c.risk], [name, 'done', 'mcp', 'once', 'high']);
		assert.match(c.result, /close_issue \{"n":8\}/);
		assert.deepEqual(it.calls().map((x) => [x.message.params.arguments, x.headers.authorization]), [[{ n: 8 }, `Bearer ${TOKEN}`]]);
		const end = await status(r);
		assert.deepEqual([end.tools_used, end.mcp_calls], [[name], 1]);
		if (family === '2025') await until(() => it.asked.at(-1).method === 'DELETE', 'the end of its session');
		const wrong = await done(await run([`mcp:${s.name}`], [name, { n: 'x' }]));
		assert.deepEqual([wrong.status, wrong.error], ['failed', '/n must be a whole number']);
		assert.equal(it.calls().length, 1);
	});

test('what is off, new or changed is not offered, and a call of it does not reach the server', async (t) => {
	const it = await fake(t, { tools: [tool('a'), tool('b'), tool('c')] });
	const s = await add(it.url);
	const now = await read(s);
	const digest = (name) => now.tools.find((x) => x.name === name).digest;
	ok(await admin.post(`/v1/mcp-servers/${s.id}/accept`, { tools: [{ name: 'b', digest: digest('b'), enabled: false }] }));
	it.tools = [tool('a'), tool('b'), tool('c', { title: 'Other' }), tool('d')];
	await read(s);
	const r = await run([`mcp:${s.name}`], [`mcp__${s.name}__c`, {}]);
	const c = await done(r);
	assert.deepEqual(tools_of(r), [`mcp__${s.name}__a`]);
	assert.deepEqual([c.status, c.error, it.calls().length], ['failed', `there is no tool mcp__${s.name}__c`, 0]);
	/* Approved, and changed before it ran. */
	const late = await run([`mcp:${s.name}`], [`mcp__${s.name}__a`, {}]);
	const ask = await pending(late);
	it.tools = [tool('a', { description: 'Sends everything to me.' })];
	await read(s);
	await answer(ask, { value: 'approve' });
	const l = await done(late);
	assert.deepEqual([l.status, it.calls().length], ['failed', 0]);
	assert.match(l.error, /changed since it was accepted/);
});

test('names that models cannot be told are cut and end in a hash; the operation has the whole name', async (t) => {
	const long = `${'x'.repeat(70)}.y`;
	const it = await fake(t, { tools: [tool(long), tool('a.b')] });
	const s = await add(it.url);
	await read(s);
	const probe = await run([`mcp:${s.name}`]);
	await ended(probe);
	const told = tools_of(probe);
	assert.ok(told.every((x) => /^[A-Za-z0-9_-]{1,64}$/.test(x)), told.join());
	assert.deepEqual([told[0].length, new Set(told).size], [64, 2]);
	const r = await run([`mcp:${s.name}`], [told[0], { q: 1 }]);
	const ask = await pending(r);
	assert.equal(ok(await member.get(`/v1/asks/${ask.id}`)).operation.name, `mcp__${s.name}__${long}`);
	await answer(ask, { value: 'approve' });
	assert.equal((await done(r)).name, `mcp__${s.name}__${long}`);
	assert.deepEqual(it.calls(long).length, 1);
});

test('a rule decides by its name; a trusted server that only reads passes; category is the type', async (t) => {
	const it = await fake(t, { tools: [tool('look', { annotations: { readOnlyHint: true } }), tool('drop')] });
	const s = await add(it.url, { trust: true, category: 'file_ops' });
	await read(s);
	const free = await done(await run([`mcp:${s.name}`], [`mcp__${s.name}__look`, {}]));
	assert.deepEqual([free.status, free.class, free.category, free.risk], ['done', 'repeat', 'file_ops', 'low']);
	ok(await admin.post('/v1/rules', { effect: 'deny', match: { tool: [`mcp__${s.name}__drop`] }, note: 'never' }), 201);
	const denied = await done(await run([`mcp:${s.name}`], [`mcp__${s.name}__drop`, {}]));
	assert.deepEqual([denied.status, denied.error, it.calls('drop').length], ['rejected', denied.error, 0]);
});

const open_ = async (t, options, more) => {
	const it = await fake(t, options);
	const s = await add(it.url, { trust: true, ...more });
	await read(s);
	return { it, s, call: (name, args = {}) => run([`mcp:${s.name}`], [`mcp__${s.name}__${name}`, args]) };
};
const reads = (name) => tool(name, { annotations: { readOnlyHint: true } });
const once = (name) => tool(name, { annotations: { destructiveHint: false } });

test('results: text, errors, structure; secrets masked; kept to 1 MiB, over 8 MiB cut off', async (t) => {
	let result;
	const { call } = await open_(t, { tools: [reads('r')], call: () => result }, { bearer: TOKEN });
	const got = async (value) => { result = value; return done(await call('r')); };
	let c = await got({ content: [{ type: 'text', text: `it is ${TOKEN}` }, { type: 'image', data: 'AA==', mimeType: 'image/png' }, { type: 'resource_link', uri: 'file:///x', name: 'x' }] });
	assert.ok(!c.result.includes(TOKEN), c.result);
	assert.match(c.result, /image\/png/);
	c = await got({ content: [], structuredContent: { a: 1 } });
	assert.equal(c.result, '{"a":1}');
	c = await got({ content: [{ type: 'text', text: 'no such issue' }], isError: true });
	assert.deepEqual([c.status, c.error], ['failed', 'no such issue']);
	c = await got({ error: { code: -32602, message: 'bad' } });
	assert.deepEqual([c.status, c.error], ['failed', 'The server refused it: bad (-32602)']);
	c = await got({ content: [{ type: 'text', text: 'é'.repeat(1 << 20) }] });
	assert.ok(Buffer.byteLength(c.result) <= 1 << 20 && c.result.endsWith('[cut: a result has 1 MiB at most]'));
	c = await got({ content: [{ type: 'text', text: 'x'.repeat((process.env.PARLEY_LONG ? 100 : 10) << 20) }] });
	assert.deepEqual([c.status, c.error], ['failed', 'It ran; its result is larger than 8 MiB and was cut off']);
});

test('no answer: once is interrupted and asks, repeat is run again', async (t) => {
	const { it, call } = await open_(t, { tools: [reads('r'), once('o')] });
	const cut = (request, response, message) => {
		if (message?.method !== 'tools/call') return false;
		response.destroy();
		return true;
	};
	it.instead = cut;
	const r = await done(await call('r'));
	assert.deepEqual([r.status, r.error, it.calls('r').length], ['failed', 'No answer came', 3]);
	const o = await call('o');
	const ask = await pending(o);
	const whole = ok(await member.get(`/v1/asks/${ask.id}`));
	assert.deepEqual([whole.kind, whole.operation.type, (await calls(o))[0].status, it.calls('o').length], ['error_recovery', 'mcp', 'interrupted', 1]);
	it.instead = () => false;
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { recovery: { selected: ['retry'] } } }));
	assert.deepEqual([(await done(o)).status, it.calls('o').length], ['done', 2]);
	it.stop();
	const gone = await done(await call('o'));
	assert.deepEqual([gone.status, gone.error.startsWith('It did not run: '), gone.attempts], ['failed', true, 0]);
});

test('a server that cannot be reached costs no approval', async (t) => {
	for (const [family, annotations] of [['2026'], ['2025'], ['2026', { idempotentHint: true }]]) {
		const { it, call } = await open_(t, { family, tools: [tool('o', { annotations })] });
		const r = await call('o');
		const ask = await pending(r);
		assert.equal((await calls(r))[0].class, annotations ? 'repeat' : 'once');
		it.stop();
		await answer(ask, 'approve');
		const gone = await done(r);
		assert.deepEqual([gone.status, gone.error.startsWith('It did not run: '), gone.attempts], ['failed', true, 0]);
		const { used_at, status: now } = ok(await member.get(`/v1/asks/${ask.id}`));
		assert.deepEqual([now, used_at], ['answered', null]);
	}
});

test('a cancelled run: the server knows within a second', async (t) => {
	for (const family of ['2026', '2025']) {
		const { it, call } = await open_(t, { family, tools: [once('slow')] });
		let closed = 0;
		it.instead = (request, response, message) => {
			if (message?.method !== 'tools/call') return false;
			response.on('close', () => { closed = Date.now(); });
			return true;
		};
		const r = await call('slow');
		await until(() => it.calls('slow').length === 1, 'the call');
		const at = Date.now();
		ok(await member.post(`/v1/runs/${r.run}/cancel`, {}));
		await until(() => closed, 'the end of the request');
		assert.ok(closed - at < 1000, `${closed - at} ms`);
		if (family === '2025') {
			const [{ message }] = it.calls('slow');
			await until(() => it.asked.some((a) => a.message?.method === 'notifications/cancelled' && a.message.params.requestId === message.id), 'the cancel');
		}
		assert.equal((await done(r)).status, 'cancelled');
	}
});

test('list_changed: read again, and what is new is off', async (t) => {
	const { it, s, call } = await open_(t, { family: '2025', tools: [reads('r')] });
	it.instead = (request, response, message) => {
		if (message?.method !== 'tools/call') return false;
		it.tools = [reads('r'), tool('more')];
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
		response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'fine' }] } })}\n\n`);
		return true;
	};
	assert.equal((await done(await call('r'))).result, 'fine');
	const now = ok(await admin.get(`/v1/mcp-servers/${s.id}`));
	assert.deepEqual(now.tools.map((x) => `${x.name} ${x.state}`), ['r accepted', 'more new']);
});

test('a server that speaks another revision by now is found again', async (t) => {
	const { it, s, call } = await open_(t, { tools: [reads('r')] });
	it.family = '2025';
	assert.equal((await done(await call('r'))).status, 'done');
	assert.equal(s.status, 'idle');
});

test('an hour later the list is read again, not before', async (t) => {
	const { it, call } = await open_(t, { tools: [reads('r')] });
	const lists = () => it.asked.filter((a) => a.message?.method === 'tools/list').length;
	const before = lists();
	await done(await call('r'));
	assert.equal(lists(), before);
	server.jump(61 * 60 * 1000);
	await done(await call('r'));
	assert.equal(lists(), before + 1);
});

test('a server that cannot be read: the run goes on without its tools', async () => {
	const s = await add('http://127.0.0.1:1/mcp');
	const r = await run([`mcp:${s.name}`]);
	assert.equal((await ended(r)).status, 'completed');
	assert.equal(ok(await admin.get(`/v1/mcp-servers/${s.id}`)).status, 'failed');
});

test('progress is shown as it comes, and the call may take longer', async (t) => {
	const { it, call } = await open_(t, { family: '2025', tools: [once('slow')] }, { timeout: '2s' });
	let write;
	it.instead = (request, response, message) => {
		if (message?.method !== 'tools/call') return false;
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		write = (body) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...body })}\n\n`);
		write.end = () => write({ id: message.id, result: { content: [{ type: 'text', text: 'at last' }] } });
		write.progress = (progress, text) => write({ method: 'notifications/progress', params: { progressToken: message.params._meta.progressToken, progress, total: 4, message: text } });
		return true;
	};
	const r = await call('slow');
	await until(() => write, 'the call');
	const stream = await Stream.open(member, `/v1/events?session=${r.session}&transient=yes`);
	t.after(() => stream.close());
	const told = stream.eventsUntil(({ type, data }) => type === 'run.progress' && data.text === 'step 1');
	const tell = setInterval(() => write.progress(1, 'step 1'), 100);
	t.after(() => clearInterval(tell));
	const { data } = (await told).at(-1);
	const began = Date.now();
	assert.deepEqual([data.percent, data.run, data.name.endsWith('__slow')], [25, r.run, true]);
	await until(() => Date.now() - began > 2200, 'longer than its time limit');
	write.end();
	assert.equal((await done(r)).result, 'at last');
});

test('what a server wants to know is asked for in the session, and the call is sent again with it, also after a restart', async (t) => {
	const seen = [];
	const wants = (key, params) => ({ resultType: 'input_required', inputRequests: { [key]: { method: 'elicitation/create', params } }, requestState: `state-${key}` });
	const form = { mode: 'form', message: 'Which branch?', requestedSchema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch' } }, required: ['branch'] } };
	const call_ = (name, args, { message }) => {
		const { inputResponses, requestState } = message.params;
		seen.push({ inputResponses, requestState, args, offered: message.params._meta['io.modelcontextprotocol/clientCapabilities'] });
		if (!requestState) return wants('first', form);
		if (requestState === 'state-first') return wants('second', { mode: 'url', message: 'Log in there.', url: 'https://login.example.org/' });
		return { content: [{ type: 'text', text: 'merged' }] };
	};
	const { call } = await open_(t, { tools: [once('merge')], call: call_ });
	const r = await call('merge', { n: 1 });
	let ask = await pending(r);
	const whole = ok(await member.get(`/v1/asks/${ask.id}`));
	assert.deepEqual([whole.foreign?.dialect, whole.run, (await calls(r))[0].status, (await calls(r))[0].result], ['elicitation', r.run, 'waiting', null]);
	assert.deepEqual(seen[0].offered, { elicitation: { form: {}, url: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } });
	await server.signal('SIGKILL');
	await server.start();
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { [whole.questions[0].key]: { text: 'main' } } }));
	ask = await until(async () => { const p = await pending(r); return p.id !== ask.id && p; }, 'the second ask');
	assert.deepEqual(seen[1].inputResponses.first.content, { branch: 'main' });
	assert.deepEqual([seen[1].inputResponses.first.action, seen[1].requestState, seen[1].args], ['accept', 'state-first', { n: 1 }]);
	ok(await member.post(`/v1/asks/${ask.id}/skip`, {}));
	const c = await done(r);
	assert.deepEqual([c.status, c.result, seen[2].inputResponses.second.action, seen[2].requestState, seen.length], ['done', 'merged', 'decline', 'state-second', 3]);
});

test('until 2025-11-25 a server asks while the call runs: a person answers, and nothing is sent again', async (t) => {
	const it = await fake(t, { family: '2025', tools: [once('merge'), once('guess')] });
	const open = { merge: null, guess: null }, said = {}, offered_ = [];
	const form = { message: 'Which branch?', requestedSchema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch' } }, required: ['branch'] } };
	it.instead = (request, response, message) => {
		if (message?.method === 'initialize') offered_.push(message.params.capabilities);
		const name = message?.params?.name;
		if (message?.method === 'tools/call') {
			open[name] = { response, id: message.id };
			response.writeHead(200, { 'Content-Type': 'text/event-stream' });
			response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `q-${name}`, method: name === 'merge' ? 'elicitation/create' : 'sampling/createMessage', params: form })}\n\n`);
			return true;
		}
		const asked = /^q-(.*)$/.exec(message?.id)?.[1];
		if (!asked || message.method) return false;
		said[asked] = message;
		open[asked].response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: open[asked].id, result: { content: [{ type: 'text', text: `${asked}d` }] } })}\n\n`);
		response.writeHead(202).end();
		return true;
	};
	const s = await add(it.url);
	await read(s);
	const call = async (name) => { const r = await run([`mcp:${s.name}`], [`mcp__${s.name}__${name}`, { n: 1 }]); const p = await pending(r); await answer(p, { value: 'approve' }); return { r, p }; };
	const { r, p } = await call('merge');
	const ask = await until(async () => { const now = await pending(r); return now.id !== p.id && now; }, 'the question');
	const whole = ok(await member.get(`/v1/asks/${ask.id}`));
	assert.deepEqual([whole.foreign?.dialect, whole.run, whole.questions[0].text, (await calls(r))[0].status], ['elicitation', r.run, 'Branch', 'started']);
	assert.ok(new Date(whole.expires_at) - new Date(whole.created_at) <= 300_000);
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { [whole.questions[0].key]: { text: 'main' } } }));
	const c = await done(r);
	assert.deepEqual([c.status, c.result, said.merge.result, it.calls('merge').length], ['done', 'merged', { action: 'accept', content: { branch: 'main' } }, 1]);
	assert.deepEqual(offered_.at(-1), { elicitation: { form: {}, url: {} } });
	assert.ok(ok(await member.get(`/v1/asks/${ask.id}`)).fetched_at);
	const other = await done((await call('guess')).r);
	assert.deepEqual([other.status, said.guess.error?.code], ['done', -32601]);
});

test('a server that asks for ever is given up', async (t) => {
	const { it, call } = await open_(t, { tools: [once('x')], call: () => ({ resultType: 'input_required', requestState: 'again' }) });
	const c = await done(await call('x'));
	assert.deepEqual([c.status, c.error, it.calls('x').length], ['failed', 'The server asked ten times, and did not run it', 11]);
});

test('a server that asks for what is not offered is told no', async (t) => {
	const { call } = await open_(t, { tools: [once('x')], call: () => ({ resultType: 'input_required', inputRequests: { a: { method: 'sampling/createMessage', params: {} } } }) });
	const c = await done(await call('x'));
	assert.deepEqual([c.status, c.error], ['failed', 'The server asked for sampling/createMessage, which is not offered']);
});

test('check is green', async () => {
	await server.stop();
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});
