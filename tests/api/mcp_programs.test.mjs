// MCP servers that are programs of the configuration: started for the agent that calls, without a shell, in a clean
// environment; ended when they are not used, when they misbehave, and with us.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-programs-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../lib/mcp_program.mjs', import.meta.url));
const log = (name) => join(folder, `${name}.log`);
writeFileSync(join(folder, 'parley.conf'), `
[mcp old]
command = ${process.execPath} ${program} "${log('old')}" 2025
env = FILES_TOKEN, NOT_SET
trust = yes
timeout = 20s
[mcp new]
command = ${process.execPath} ${program} "${log('new')}" 2026
trust = yes
category = file_ops
[mcp none]
command = /no/such/program '$HOME' ; no shell
`);
for (const name of ['old', 'new']) writeFileSync(log(name), '');
const scripts = new Map();
const model = await new ScriptModel((request) => scripts.get(first(request))?.(request) ?? [say('no script')]).start();
after(() => model.stop());
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf')], env: { FILES_TOKEN: 'files-0123456789' } });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, mode: 'auto', always_confirm_high: true }));
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);
const agents = new Set();
let n = 0;
async function run(agent, name, args = {}) {
	const [, of] = name.split('__'), message = `Run ${++n}.`;
	if (!agents.has(agent)) ok(await admin.post('/v1/agents', { name: agent, provider: 'scripted', model: 'm', tools: ['mcp:old', 'mcp:new'], on_error: 'fail' }), 201);
	agents.add(agent);
	scripts.set(message, (q) => (results(q).length ? [say('done')] : [use(name, args)]));
	const session = ok(await member.post('/v1/sessions', { agent, message }), 201);
	return { session: session.id, run: session.run, of };
}
const calls = async ({ session }) => ok(await member.get(`/v1/sessions/${session}/state`)).tool_calls;
const ended = (r) => until(async () => ['completed', 'failed', 'cancelled'].includes(ok(await member.get(`/v1/runs/${r.run}`)).status), `the end of ${r.run}`);
const done = async (...what) => { const r = await run(...what); await ended(r); return (await calls(r))[0]; };
const lines = (name) => readFileSync(log(name), 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l));
const alive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };

test('it is tested, called and kept for its agent; another agent has another', async () => {
	const conf = ok(await admin.get('/v1/mcp-servers/old'));
	assert.deepEqual([conf.transport, conf.url, conf.command.split(' ')[0], conf.source, conf.status], ['stdio', null, process.execPath, 'file', 'idle']);
	const tested = ok(await admin.post('/v1/mcp-servers/old/test', { }));
	assert.deepEqual([tested.ok, tested.server.status, tested.server.revision, tested.server.tools.length], [true, 'ready', '2025-06-18', 7]);
	let c = await done('one', 'mcp__old__echo', { a: 'é\n' });
	assert.deepEqual([c.status, c.result, c.category], ['done', '{"a":"é\\n"}', 'mcp']);
	c = await done('one', 'mcp__old__env');
	assert.deepEqual(c.result, 'FILES_TOKEN,PATH');
	c = await done('two', 'mcp__new__echo');
	assert.deepEqual([c.status, c.category], ['done', 'file_ops']);
	await done('two', 'mcp__old__echo');
	const begun = lines('old').filter((l) => l.started).length;
	assert.equal(begun, 3, 'the test, one, two');
	const greeted = lines('old').filter((l) => l.method === 'initialize').length;
	assert.equal(greeted, 3, 'each once');
	const now = lines('new').find((l) => l.method === 'tools/call');
	assert.equal(now.params._meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
});

test('two calls at the same time share it, and each gets its own answer', async () => {
	const slow = await run('one', 'mcp__old__slow', { ms: 400 });
	await until(() => lines('old').some((l) => l.params?.name === 'slow'), 'the slow one');
	assert.equal((await done('one', 'mcp__old__echo', { quick: 1 })).result, '{"quick":1}');
	await ended(slow);
	assert.equal((await calls(slow))[0].result, 'late');
});

test('through the gateway each agent has its own; a second client sees what it said of itself', async () => {
	const log_ = lines('old').length, tokens = [server.secrets.agent, ok(await admin.post('/v1/tokens', { role: 'agent', name: 'other' }), 201).token];
	ok(await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['mcp__old__*'] } }), 201);
	for (const token of [tokens[0], tokens[0], tokens[1]]) {
		const send = async (method, params) => (await (await fetch(`${server.url}/mcp/old`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
			body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) })).json()).result;
		const hello = await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } });
		assert.deepEqual(hello.serverInfo, { name: 'fake', version: '1' });
		assert.equal((await send('tools/call', { name: 'echo', arguments: { token: tokens.indexOf(token) } })).content[0].text, `{"token":${tokens.indexOf(token)}}`);
	}
	const echoes = lines('old').slice(log_).filter((l) => l.params?.name === 'echo');
	assert.deepEqual([echoes.length, echoes[0].pid === echoes[1].pid, echoes[0].pid === echoes[2].pid], [3, true, false]);
	const { items } = ok(await admin.get('/v1/rules'));
	for (const r of items) await admin.delete(`/v1/rules/${r.id}`);
});

test('a line that is too long or lines that are no messages end it; the next call starts another', async () => {
	let c = await done('three', 'mcp__old__long');
	assert.deepEqual([c.status, c.error], ['failed', 'It ran; its result is larger than 8 MiB and was cut off']);
	assert.equal((await done('three', 'mcp__old__echo')).status, 'done');
	const r = await run('three', 'mcp__old__noise');
	const ask = await until(async () => ok(await member.get(`/v1/sessions/${r.session}`)).pending_asks[0], 'an ask');
	assert.equal(ask.kind, 'error_recovery');
	assert.equal((await done('three', 'mcp__old__echo')).status, 'done');
	const dead = await run('three', 'mcp__old__die');
	await until(async () => (await calls(dead))[0]?.status === 'interrupted', 'its interruption');
});

test('a cancel reaches it within a second', async () => {
	const r = await run('one', 'mcp__old__hang');
	const call = await until(() => lines('old').find((l) => l.params?.name === 'hang'), 'the call');
	const at = Date.now();
	ok(await member.post(`/v1/runs/${r.run}/cancel`, {}));
	await until(() => lines('old').some((l) => l.method === 'notifications/cancelled' && l.params.requestId === call.params._meta.progressToken), 'the cancel');
	assert.ok(Date.now() - at < 1000);
});

test('a program that is not there is told', async () => {
	const none = ok(await admin.post('/v1/mcp-servers/none/test', {}));
	assert.deepEqual([none.ok, none.server.status], [false, 'failed']);
	assert.match(none.server.error, /No such file/);
});

test('doctor looks for the programs, and says that the unit keeps Node from running', async () => {
	const bin = join(folder, 'bin');
	mkdirSync(bin);
	for (const says of ['no', 'yes']) {
		writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
		const { stdout } = await server.run(['doctor', '--json', '--config', join(folder, 'parley.conf')], { env: { PATH: `${bin}:${process.env.PATH}` } });
		const found = JSON.parse(stdout).findings.filter((x) => x.id.includes('mcp')).map((x) => `${x.id} ${x.state}`);
		assert.deepEqual(found, ['mcp ok', 'mcp ok', 'bad_mcp wrong', ...(says === 'yes' ? ['mcp_node wrong'] : [])]);
	}
});

test('a minute after its last use it is ended; and with us', async () => {
	const pids = () => [...new Set(lines('old').map((l) => l.pid))].filter(alive);
	assert.ok(pids().length >= 2);
	server.jump(61_000);
	await until(() => !pids().length, 'the end of the programs');
	assert.equal((await done('one', 'mcp__old__echo')).status, 'done');
	assert.equal(pids().length, 1);
	await server.stop();
	await until(() => !pids().length, 'the end with us');
});
