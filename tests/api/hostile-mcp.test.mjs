// MCP servers that misbehave, over HTTP, as programs of the desk and as programs beside an agent, for our own agents and
// for those behind the gateway: memory stays bounded, the caller is told, and everybody else is served meanwhile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hostileServer } from '../lib/hostile_mcp.mjs';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { BIN, sleep, until, useServer } from './lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG), MORE_KB = 64 * 1024, TIMEOUT = '6s';
const folder = mkdtempSync(join(tmpdir(), 'parley-hostile-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../lib/hostile_mcp.mjs', import.meta.url));
const kinds = ['calls', 'many', 'wide', 'pages', 'huge', 'deep', 'changes'];
writeFileSync(join(folder, 'parley.conf'), kinds.map((kind) => `[mcp stdio-${kind}]\ncommand = ${process.execPath} ${program} ${kind}\ntrust = yes\ntimeout = ${TIMEOUT}\n`).join(''));
const scripts = new Map();
const model = await new ScriptModel((request) => scripts.get(first(request))?.(request) ?? [say('no script')]).start();
after(() => model.stop());
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf')] });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const hostile = {};
for (const kind of kinds) {
	const it = hostile[kind] = await hostileServer(kind);
	after(() => it.stop());
	ok(await admin.post('/v1/mcp-servers', { name: `http-${kind}`, url: it.url, trust: true, timeout: TIMEOUT }), 201);
}
const polite = await new McpServer({ family: '2025', tools: [tool('read', { annotations: { readOnlyHint: true } })] }).start();
after(() => polite.stop());
ok(await admin.post('/v1/mcp-servers', { name: 'polite', url: polite.url, trust: true }), 201);
ok(await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['mcp__*'] } }), 201);
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);

let ids = 0;
async function send(name, method, params = {}, signal = undefined) {
	const r = await fetch(`${server.url}/mcp/${name}`, { method: 'POST', signal, headers: { Authorization: `Bearer ${server.secrets.agent}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
		body: JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params }) });
	const whole = await r.text();
	return JSON.parse(whole.startsWith('{') ? whole : whole.split('\n').filter((l) => l.startsWith('data: {')).at(-1).slice(6));
}

/* ---- memory, and everybody else ---- */

const kb = (pid, name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const sanitized = /asan|tsan/.test(BIN);
/** Does it while others are served, and holds it to its memory. */
async function bounded(what, pid, work) {
	writeFileSync(`/proc/${pid}/clear_refs`, '5'); // the peak begins anew
	const before = kb(pid, 'VmRSS');
	let over = false, served = 0;
	const others = (async () => {
		do {
			const began = Date.now(), r = await send('polite', 'tools/call', { name: 'read', arguments: {} });
			assert.equal(r.result?.content[0].text, 'read {}', JSON.stringify(r));
			assert.ok(Date.now() - began < 5000, `${what}: others waited ${Date.now() - began} ms`);
			served++;
			await new Promise((done) => { setTimeout(done, 20); });
		} while (!over);
	})();
	try { return await work(); } finally {
		over = true;
		await others;
		const more = kb(pid, 'VmHWM') - before;
		if (process.env.SHOW) console.log(`${what}: ${more} KB more, ${served} served`);
		assert.ok(sanitized || more <= MORE_KB, `${what}: ${more} KB more`);
	}
}

/* What a caller is told of each call; others get the result. */
const told = { huge: /8 MiB|cut off/, endless: /8 MiB|cut off/, deep: /no answer|No answer|nested|too long|no message/,
	values: /no answer|No answer|no message|nested|too long/, silent: /No answer|no answer|too long/ };
const right = { good: 'good', control: '\u001b[2Jescaped', many: 'many', stray: 'mine', flood: 'flooded', asks: 'asked' };
/* The short run leaves out what takes its time to fail, and, of our own agents, what the gateway shows. */
const ways = (of) => [...Object.keys(right), ...Object.keys(told)].filter((call) => LONG
	|| (of === 'gateway' ? !['deep', 'silent', 'values'].includes(call) : ['huge', 'stray', 'many'].includes(call)));

for (const way of ['http', 'stdio'])
	test(`${way}, through the gateway`, async () => {
		const name = `${way}-calls`;
		assert.equal((await send(name, 'tools/list')).result.tools.length, 12);
		for (const call of [...ways('gateway'), 'large', 'good']) {
			const { result, error } = await bounded(`${way} gateway ${call}`, server.child.pid, () => send(name, 'tools/call', { name: call, arguments: {}, _meta: { progressToken: 7 } }));
			if (call === 'large') assert.equal(result?.content[0].text.length, (8 << 20) - 1000, JSON.stringify(error));
			else if (right[call]) assert.equal(result?.content[0].text, right[call], JSON.stringify(error));
			else assert.match(error?.message ?? '', told[call], `${call}: ${JSON.stringify(result)}`);
		}
	});

for (const way of ['http', 'stdio'])
	test(`${way}, called by an agent of ours`, async () => {
		const name = `${way}-calls`;
		ok(await admin.post('/v1/agents', { name: `of-${way}`, provider: 'scripted', model: 'm', tools: [`mcp:${name}`], on_error: 'fail' }), 201);
		for (const call of [...ways('agent'), 'good']) {
			const message = `${way} ${call} ${++ids}`;
			scripts.set(message, (q) => (results(q).length ? [say('done')] : [use(`mcp__${name}__${call}`, {})]));
			const c = await bounded(`${way} agent ${call}`, server.child.pid, async () => {
				const { id, run } = ok(await member.post('/v1/sessions', { agent: `of-${way}`, message }), 201);
				await until(async () => ['completed', 'failed'].includes(ok(await member.get(`/v1/runs/${run}`)).status), `the end of ${message}`);
				return ok(await member.get(`/v1/sessions/${id}/state`)).tool_calls[0];
			});
			if (right[call]) assert.deepEqual([c.status, c.result], ['done', right[call]], c.error);
			else assert.match(c.error ?? '', told[call], `${call}: ${JSON.stringify(c)}`);
		}
	});

test('calls that hang at one server keep nobody else waiting', async () => {
	const gone = new AbortController();
	const hanging = Array.from({ length: 300 }, () => send('http-calls', 'tools/call', { name: 'silent', arguments: {} }, gone.signal).catch(() => {}));
	await until(() => hostile.calls.asked.silent >= 64, 'calls that hang');
	await sleep(500);
	const began = Date.now();
	assert.equal((await send('polite', 'tools/call', { name: 'read', arguments: {} })).result?.content[0].text, 'read {}');
	assert.ok(Date.now() - began < 4000, `${Date.now() - began} ms`);
	gone.abort();
	await Promise.all(hanging);
	assert.equal((await send('http-calls', 'tools/call', { name: 'good', arguments: {} })).result?.content[0].text, 'good');
});

const failed = { pages: /does not end/, huge: /larger than 8 MiB|more than 8 MiB/, deep: /nested|too long|30 s/ };
for (const way of ['http', 'stdio'])
	test(`${way}: lists without end, too large, too deep; too many tools; tools that change between list and call`, async () => {
		for (const kind of ['many', 'wide', 'pages', 'huge', ...(way === 'http' ? ['deep'] : [])]) {
			const { server: now } = await bounded(`${way} list ${kind}`, server.child.pid, async () => ok(await admin.post(`/v1/mcp-servers/${way}-${kind}/test`, {})));
			if (kind === 'many') assert.deepEqual([now.status, now.truncated, now.tools.length], ['ready', true, 1000], now.error);
			else if (kind === 'wide') assert.deepEqual([now.status, now.truncated, now.tools.length], ['ready', false, 1000], now.error);
			else assert.equal(now.status, 'failed');
			if (failed[kind]) assert.match(now.error, failed[kind]);
			const list = await bounded(`${way} gateway list ${kind}`, server.child.pid, () => send(`${way}-${kind}`, 'tools/list'));
			assert.equal(list.result.tools.length, ['many', 'wide'].includes(kind) ? 1000 : 0);
		}
		ok(await admin.post(`/v1/mcp-servers/${way}-changes/test`, {}));
		const { server: now } = ok(await admin.post(`/v1/mcp-servers/${way}-changes/test`, {}));
		assert.deepEqual(now.tools.map((x) => x.state), ['accepted', 'changed']);
		assert.deepEqual((await send(`${way}-changes`, 'tools/list')).result.tools.map((x) => x.name), ['good']);
		assert.match((await send(`${way}-changes`, 'tools/call', { name: 'other', arguments: {} })).error.message, /changed since it was accepted/);
	});

/** A client before `parley mcp-gateway NAME -- the program`, or another server. */
async function beside(kind, command = [`local-${kind}`, '--', process.execPath, program, kind]) {
	const child = spawn(BIN, ['mcp-gateway', ...command], { env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent } });
	after(() => child.kill('SIGKILL'));
	const g = { child, messages: [], said: '' };
	createInterface({ input: child.stdout }).on('line', (line) => { const m = JSON.parse(line); if (m.id !== undefined) g.messages.push(m); });
	child.stderr.on('data', (bytes) => { g.said += bytes; });
	g.ended = new Promise((done) => { child.on('close', done); });
	child.stdin.on('error', () => {});
	g.ask = async (method, params = {}) => {
		const id = ++ids;
		child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		return Promise.race([until(() => g.messages.find((m) => m.id === id), `the reply to ${method}: ${g.said}`), g.ended.then(() => ({ ended: true }))]);
	};
	await g.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } });
	child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
	return g;
}

test('parley mcp-gateway carries the largest result, and a flood before it', async () => {
	const g = await beside('calls', ['http-calls']);
	for (const call of ['large', 'flood']) {
		const r = await bounded(`piped ${call}`, g.child.pid, () => g.ask('tools/call', { name: call, arguments: {}, _meta: { progressToken: 7 } }));
		assert.equal(r.result?.content[0].text.length, call === 'large' ? (8 << 20) - 1000 : 7, JSON.stringify(r.error));
	}
	g.child.stdin.end();
	assert.equal(await g.ended, 0);
});

test('a program beside the agent', async () => {
	let g = await beside('calls');
	assert.equal((await g.ask('tools/list')).result.tools.length, 12);
	const { tools } = ok(await admin.get('/v1/mcp-servers/local-calls'));
	ok(await admin.post('/v1/mcp-servers/local-calls/accept', { tools: tools.map(({ name, digest }) => ({ name, digest, risk: 'low' })) }));
	for (const call of [...Object.keys(right), 'large']) {
		const r = await bounded(`local ${call}`, g.child.pid, () => g.ask('tools/call', { name: call, arguments: {}, _meta: { progressToken: 7 } }));
		if (call === 'large') assert.equal(r.result?.content[0].text.length, (8 << 20) - 1000, JSON.stringify(r.error));
		else assert.equal(r.result?.content[0].text, right[call], JSON.stringify(r.error));
	}
	for (const call of ['huge', 'endless']) {
		const r = await bounded(`local ${call}`, server.child.pid, () => g.ask('tools/call', { name: call, arguments: {} }));
		assert.deepEqual([r.ended, await g.ended], [true, 1]);
		assert.match(g.said, /a line of more than 8 MiB/);
		g = await beside('calls');
	}
	g.child.stdin.end();
	for (const kind of ['many', 'wide', 'pages', 'huge']) {
		const it = await beside(kind);
		const list = await bounded(`local list ${kind}`, server.child.pid, () => it.ask('tools/list'));
		if (kind === 'huge') assert.ok(list.ended);
		else assert.equal(list.result.tools.length, kind === 'pages' ? 0 : 1000, it.said);
		const now = (await admin.get(`/v1/mcp-servers/local-${kind}`)).body;
		if (kind === 'many') assert.deepEqual([now.status, now.truncated, now.tools.length], ['ready', true, 1000]);
		if (kind === 'wide') assert.deepEqual([now.status, now.tools.length], ['ready', 1000]);
		if (kind === 'pages') assert.match(now.error, /does not end/);
		it.child.stdin.end();
	}
});
