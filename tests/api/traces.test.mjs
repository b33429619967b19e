// W3C trace context: kept with what is asked, passed on as the same trace with a parent of ours, named in the log.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { question, StatelessClient } from './lib/mcp.mjs';
import { Receiver } from './lib/receiver.mjs';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-traces-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'note'), `#!/bin/sh
cat > /dev/null
echo "$TRACEPARENT $TRACESTATE" > ${folder}/$1
echo '{"verdict": "fine"}'
`);
chmodSync(join(folder, 'note'), 0o755);
writeFileSync(join(folder, 'parley.conf'), `[resumers]
agent = ${folder}/note resumer
[verifiers]
scan = ${folder}/note verifier
[channels]
phone = ${folder}/note channel
[tool told]
command = ${folder}/note tool
description = Notes it.
risk = low
`);
const noted = (name) => until(() => existsSync(join(folder, name)) && readFileSync(join(folder, name), 'utf8').trim(), `what ${name} was given`);

const receiver = await new Receiver().open();
const model = await new ScriptModel((q) => (first(q) === 'Ask.'
	? [results(q).length ? say('done') : use('ask_user_question', { questions: [{ question: 'Go on?' }] })]
	: [[['told', {}], ['posted', {}], [names.mcp, {}], ['parallel_tasks', { tasks: [{ id: 'a', agent: 'child', task: 'Ask.' }] }]][(q.messages.length - 1) / 2]]
		.map((call) => (call ? use(...call) : say('done'))))).start();
after(() => model.stop());
const behind = await new McpServer({ tools: [tool('look', { annotations: { readOnlyHint: true } })] }).start();
after(() => behind.stop());
const names = { mcp: 'mcp__there__look' };
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf'), '--webhook-internal', 'yes', '--log', 'json', '--log-level', 'debug'] });
const { agent, admin, member, secrets } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };

const ID = '4bf92f3577b34da6a3ce929d0e0e4736', SPAN = '00f067aa0ba902b7', STATE = 'congo=t61rcWkgMzE';
const parent = (id = ID) => `00-${id}-${SPAN}-01`;
const sent = { traceparent: parent(), tracestate: STATE };
const kept = { traceparent: parent(), tracestate: STATE };
/** Ours: the same trace, another parent. */
const passed = (traceparent, id = ID) => {
	assert.match(traceparent ?? '', new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
	assert.notEqual(traceparent, parent(id));
};
const post = (path, body, headers = sent) => agent.request('POST', path, { body, headers });
const simple = { questions: [{ text: 'Go?', type: 'boolean' }] };

test('an ask keeps its own trace, else that of its session, else none; malformed ones are dropped', async () => {
	assert.deepEqual(ok(await post('/v1/asks', simple), 201).trace, kept);
	assert.equal(ok(await post('/v1/asks', simple, {}), 201).trace, null);
	for (const bad of ['', 'nonsense', parent('0'.repeat(32)), parent().toUpperCase(), `${parent()}-x`, `ff${parent().slice(2)}`])
		assert.equal(ok(await post('/v1/asks', simple, { traceparent: bad, tracestate: STATE }), 201).trace, null, bad);
	assert.deepEqual(ok(await post('/v1/asks', simple, { traceparent: parent(), tracestate: 'no state' }), 201).trace,
		{ traceparent: parent(), tracestate: null });
	const session = ok(await post('/v1/sessions', { title: 'Traced', parallel: true }), 201);
	const plain = ok(await post('/v1/asks', { ...simple, session: session.id }, {}), 201);
	assert.deepEqual(plain.trace, kept);
	const own = ok(await post(`/v1/sessions/${session.id}/asks`, simple, { traceparent: parent('a'.repeat(32)) }), 201);
	assert.deepEqual(own.trace, { traceparent: parent('a'.repeat(32)), tracestate: null });
	assert.deepEqual(ok(await member.get(`/v1/asks/${plain.id}`)).trace, kept);
	assert.deepEqual(ok(await member.get('/v1/asks?limit=200')).items.find((a) => a.id === own.id).trace, own.trace);
});

test('in MCP by _meta, which says it before the header; in the shell by TRACEPARENT', async () => {
	const client = new StatelessClient(server, await server.token('agent', 'quick', ['--agent', 'builder', '--mcp-wait', '0']));
	const call = async (text, meta, headers) => {
		await client.request('tools/call', { name: 'ask_user_question', arguments: question(text), _meta: meta }, { headers });
		return until(async () => (await member.get('/v1/asks?limit=200')).body.items.find((a) => a.questions[0].text === text), text);
	};
	assert.deepEqual((await call('By meta?', { traceparent: parent(), tracestate: STATE }, { traceparent: parent('b'.repeat(32)) })).trace, kept);
	assert.deepEqual((await call('By header?', {}, { traceparent: parent() })).trace, { traceparent: parent(), tracestate: null });
	assert.equal((await call('By a number?', { traceparent: 7 })).trace, null);
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: secrets.agent, TRACEPARENT: parent(), TRACESTATE: STATE };
	const said = await server.run(['ask', '--no-wait', '--json', 'By the shell?'], { env });
	assert.deepEqual(ok(await member.get(`/v1/asks/${said.stdout.match(/ask_\w+/)[0]}`)).trace, kept);
	const running = server.run(['gate', '--', 'sh', '-c', 'echo $TRACEPARENT $TRACESTATE'], { env });
	const gated = await until(async () => (await member.get('/v1/asks?kind=approval')).body.items[0], 'the ask of gate');
	assert.deepEqual(gated.trace, kept);
	await member.answer(gated, { decision: 'approve' });
	const ran = await running;
	assert.equal(ran.code, 0, ran.stderr);
	passed(ran.stdout.split(' ')[0]);
	assert.equal(ran.stdout.trim().split(' ')[1], STATE);
});

test('webhooks, resumers, verifiers and commands of channels get it, with a parent of ours', async () => {
	const session = ok(await post('/v1/sessions', { title: 'Told', on_settled: { webhook: receiver.url } }), 201);
	const a = ok(await post('/v1/asks', { ...simple, session: session.id }), 201);
	await member.answer(a, { q1: true });
	const [hook] = await receiver.some(1, a);
	passed(hook.headers.traceparent);
	assert.equal(hook.headers.tracestate, STATE);
	const resumed = ok(await post('/v1/sessions', { title: 'Resumed', on_settled: { resumer: 'agent' } }), 201);
	const b = ok(await post('/v1/asks', { ...simple, session: resumed.id }, {}), 201);
	await member.answer(b, { q1: true });
	const line = (await noted('resumer')).split(' ');
	passed(line[0]);
	assert.equal(line[1], STATE);
	ok(await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['Bash(scan *)'] }, ask: { verify: 'scan' } }), 201);
	ok(await post('/v1/asks', { kind: 'approval', operation: { name: 'Bash', arguments: { command: 'scan it' } } }), 201);
	passed((await noted('verifier')).split(' ')[0]);
	const me = ok(await member.get('/v1/me'));
	ok(await admin.post(`/v1/users/${me.user.id}/contacts`, { channel: 'command', address: 'phone', name: 'phone' }), 201);
	ok(await post('/v1/asks', simple), 201);
	server.jump(21_000);
	passed((await noted('channel')).split(' ')[0]);
	const other = await new Receiver().open();
	const untraced = ok(await post('/v1/sessions', { title: 'Plain', on_settled: { webhook: other.url } }, {}), 201);
	await member.answer(ok(await post('/v1/asks', { ...simple, session: untraced.id }, {}), 201), { q1: true });
	assert.equal((await other.some(1))[0].headers.traceparent, undefined);
});

test('a run has the trace of the request that started it, and hands it to tools, MCP servers, sub-agents and what it asks', async () => {
	const { version } = ok(await admin.get('/v1/policy'));
	ok(await admin.put('/v1/policy', { version, mode: 'auto' }));
	ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);
	ok(await admin.post('/v1/tools', { name: 'posted', url: receiver.url, description: 'Posts.', risk: 'low' }), 201);
	ok(await admin.post('/v1/mcp-servers', { name: 'there', url: behind.url, trust: true }), 201);
	ok(await admin.post('/v1/mcp-servers/there/test', {}));
	ok(await admin.post('/v1/agents', { name: 'child', provider: 'scripted', model: 'm', tools: ['ask_user_question'], on_error: 'fail' }), 201);
	ok(await admin.post('/v1/agents', { name: 'parent', provider: 'scripted', model: 'm', on_error: 'fail',
		tools: ['told', 'posted', 'mcp:there', 'parallel_tasks'] }), 201);
	const session = ok(await member.request('POST', '/v1/sessions', { body: { agent: 'parent', message: 'Go.' }, headers: sent }), 201);
	const asked = await until(async () => {
		const [open] = ok(await member.get(`/v1/sessions/${session.id}`)).pending_asks;
		if (open?.kind === 'approval') await member.answer(open, { decision: 'approve' });
		return open?.kind === 'blocking' && open;
	}, 'the ask of its sub-agent');
	assert.deepEqual(asked.trace, kept);
	for (const id of [session.run, asked.run]) assert.deepEqual(ok(await member.get(`/v1/runs/${id}`)).trace, kept);
	assert.notEqual(session.run, asked.run);
	passed((await noted('tool')).split(' ')[0]);
	passed(receiver.got.at(-1).headers.traceparent);
	passed(behind.calls('look')[0].message.params._meta.traceparent);
	assert.equal(behind.calls('look')[0].message.params._meta.tracestate, STATE);
});

test('lines of the JSON log name the trace of the request they are about', async () => {
	const lines = () => server.stderr.split('\n').filter((l) => l.startsWith('{')).map((l) => JSON.parse(l));
	ok(await post('/v1/asks', { questions: [] }, { traceparent: parent('c'.repeat(32)) }), 422);
	await until(() => lines().filter((l) => l.trace_id === 'c'.repeat(32)).length >= 2, 'its lines');
	ok(await post('/v1/asks', { questions: [] }, { traceparent: 'broken' }), 422);
	assert.ok(lines().some((l) => l.message.startsWith('POST /v1/asks') && !('trace_id' in l)));
});
