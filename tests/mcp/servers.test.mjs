// The servers of the Model Context Protocol project, unmodified, called by agents of ours: over HTTP, and as programs of
// the configuration.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { bin, until, useServer } from './lib.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-real-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const repo = join(folder, 'repo');
mkdirSync(repo);
writeFileSync(join(repo, 'hello.txt'), 'Hello from a file.');

const port = await new Promise((done) => { const s = net.createServer().listen(0, '127.0.0.1', () => { const { port: free } = s.address(); s.close(() => done(free)); }); });
const everything = spawn(bin('mcp-server-everything'), ['streamableHttp'], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
after(() => everything.kill());
writeFileSync(join(folder, 'parley.conf'), `
[mcp every-http]
url = http://127.0.0.1:${port}/mcp
trust = yes
[mcp every-stdio]
command = ${bin('mcp-server-everything')} stdio
trust = yes
[mcp files]
command = ${bin('mcp-server-filesystem')} ${repo}
category = file_ops
trust = yes
[mcp memory]
command = ${bin('mcp-server-memory')}
env = MEMORY_FILE_PATH
[mcp thinking]
command = ${bin('mcp-server-sequential-thinking')}
trust = yes
`);
const scripts = new Map();
const model = await new ScriptModel((request) => scripts.get(first(request))?.(request) ?? [say('no script')]).start();
after(() => model.stop());
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf')], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, mode: 'auto', always_confirm_high: true }));
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);
await until(() => new Promise((done) => { const s = net.connect(port, '127.0.0.1', () => { s.end(); done(true); }).on('error', () => done(false)); }), 'server-everything');
for (const name of ['every-http', 'every-stdio', 'files', 'memory', 'thinking'])
	ok(await admin.post('/v1/agents', { name, provider: 'scripted', model: 'm', tools: [`mcp:${name}`], on_error: 'fail' }), 201);
let n = 0;
async function start(name, tool, args) {
	const agent = name, message = `Run ${++n}.`;
	scripts.set(message, (q) => (results(q).length ? [say('done')] : [use(`mcp__${name}__${tool}`, args)]));
	return ok(await member.post('/v1/sessions', { agent, message }), 201);
}
const call = async ({ id }) => ok(await member.get(`/v1/sessions/${id}/state`)).tool_calls[0];
const approve = async ({ id }) => {
	const ask = await until(async () => ok(await member.get(`/v1/sessions/${id}`)).pending_asks[0], 'an ask', 60_000);
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' }));
	return ask;
};
const done = async (session) => {
	await until(async () => ['completed', 'failed'].includes(ok(await member.get(`/v1/runs/${session.run}`)).status), `the end of ${session.run}`, 60_000);
	return call(session);
};
/** Whatever its risk is. */
async function called(...what) {
	const session = await start(...what);
	await until(async () => { const c = await call(session); return c && c.status !== 'pending'; }, 'the call', 60_000);
	if ((await call(session)).status === 'waiting') await approve(session);
	return done(session);
}

for (const name of ['every-http', 'every-stdio'])
	test(`server-everything, ${name}: read and called`, async () => {
		let c = await called(name, 'echo', { message: 'hello é' });
		assert.deepEqual([c.status, c.result], ['done', 'Echo: hello é']);
		c = await called(name, 'get-sum', { a: 2, b: 3 });
		assert.match(c.result, /5/);
		c = await called(name, 'get-sum', { a: 'x', b: 3 });
		assert.deepEqual([c.status, c.error], ['failed', '/a must be a number']);
		c = await called(name, 'trigger-long-running-operation', { duration: 1, steps: 4 });
		assert.match(c.result, /completed/);
		c = await called(name, 'get-structured-content', { location: 'New York' });
		assert.equal(c.status, 'done', c.error);
		const { status, revision } = ok(await admin.get(`/v1/mcp-servers/${name}`));
		assert.deepEqual([status, revision], ['ready', '2025-11-25']);
	});

test('server-filesystem: what only reads passes, what writes is asked for', async () => {
	let c = await called('files', 'read_text_file', { path: join(repo, 'hello.txt') });
	assert.deepEqual([c.status, c.result, c.risk, c.category], ['done', 'Hello from a file.', 'low', 'file_ops']);
	const session = await start('files', 'write_file', { path: join(repo, 'new.txt'), content: 'written' });
	const ask = await approve(session);
	assert.deepEqual([ask.operation.type, ask.operation.risk], ['file_op', 'high']);
	c = await done(session);
	assert.equal(c.status, 'done', c.error);
	assert.equal(readFileSync(join(repo, 'new.txt'), 'utf8'), 'written');
	c = await called('files', 'read_text_file', { path: '/etc/passwd' });
	assert.equal(c.status, 'failed');
});

test('server-memory and server-sequential-thinking', async () => {
	let c = await called('memory', 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] });
	assert.deepEqual([c.status, c.risk], ['done', 'high'], c.error);
	c = await called('memory', 'read_graph', {});
	assert.match(c.result, /Ada/);
	c = await called('thinking', 'sequentialthinking', { thought: 'First.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 });
	assert.match(c.result ?? c.error, /thoughtNumber/);
});
