// The servers of the Model Context Protocol project, unmodified, behind the gateway: called by clients that others wrote.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { BIN, bin, until, useServer } from './lib.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-gated-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const repo = join(folder, 'repo');
mkdirSync(repo);
writeFileSync(join(repo, 'hello.txt'), 'Hello from a file.');
const thought = { thought: 'First.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
/* Each server: its command, a tool, its arguments, and what comes back. */
const servers = {
	everything: ['mcp-server-everything', 'stdio', 'echo', { message: 'hello é' }, /Echo: hello é/],
	files: ['mcp-server-filesystem', repo, 'read_text_file', { path: join(repo, 'hello.txt') }, /Hello from a file\./],
	memory: ['mcp-server-memory', '', 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }, /Ada|\[\]/],
	thinking: ['mcp-server-sequential-thinking', '', 'sequentialthinking', thought, /thoughtNumber/],
};
writeFileSync(join(folder, 'parley.conf'), Object.entries(servers).map(([name, [program, arg]]) =>
	`[mcp ${name}]\ncommand = ${bin('node')} ${bin(program)} ${arg}\nenv = MEMORY_FILE_PATH\ntrust = yes\n`).join(''));
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf'), '--mcp-wait', '60'], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } });
const { admin, member } = server;
assert.equal((await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['mcp__*'] } })).status, 201);
assert.equal((await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['mcp__*__get-sum'] } })).status, 201);

const headers = { Authorization: `Bearer ${server.secrets.agent}` };
const env = { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent };
const me = { name: 'test', version: '1' };
const pipe = (name) => ({ command: BIN, args: ['mcp-gateway', name], env });
const url = (name) => new URL(`/mcp/${name}`, server.url);
const clients = {
	'SDK 1 by http': async (name) => { const c = new Client(me); await c.connect(new StreamableHTTPClientTransport(url(name), { requestInit: { headers } })); return c; },
	'SDK 1 by stdio': async (name) => { const c = new Client(me); await c.connect(new StdioClientTransport(pipe(name))); return c; },
	'SDK 2 by http': async (name) => { const c = new NewClient(me, { versionNegotiation: { mode: 'auto' } }); await c.connect(new NewHttp(url(name), { requestInit: { headers } })); return c; },
	'SDK 2 by stdio': async (name) => { const c = new NewClient(me, { versionNegotiation: { mode: 'auto' } }); await c.connect(new NewStdio(pipe(name))); return c; },
};

for (const [name, [, , tool, args, back]] of Object.entries(servers))
	for (const [by, connect] of Object.entries(clients))
		test(`${name}, called by ${by}`, async () => {
			const client = await connect(name);
			const { tools } = await client.listTools();
			assert.ok(tools.some((t) => t.name === tool), JSON.stringify(tools.map((t) => t.name)));
			const result = await client.callTool({ name: tool, arguments: args });
			assert.match(JSON.stringify(result.content.map((c) => c.text)), back);
			assert.ok(!result.isError);
			if (name === 'everything') {
				const a = 1 + Object.keys(clients).indexOf(by), sum = client.callTool({ name: 'get-sum', arguments: { a, b: 3 } });
				const ask = await until(async () => (await member.get('/v1/asks?status=pending&limit=200')).body.items.find((x) => x.operation?.arguments.a === a), 'the ask');
				assert.equal((await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' })).status, 200);
				assert.match((await sum).content[0].text, new RegExp(`${a + 3}`));
				const { resources } = await client.listResources();
				assert.ok((await client.readResource({ uri: resources[0].uri })).contents.length);
				assert.ok((await client.listPrompts()).prompts.length);
			}
			await client.close();
		});

for (const era of ['legacy', 'modern'])
	test(`the Inspector, ${era}`, async () => {
		const run = (...args) => new Promise((done, reject) => {
			execFile(bin('node'), [bin('inspector'), '--cli', url('everything').href, '--transport', 'http', '--format', 'json', '--quiet', '--header', `Authorization: ${headers.Authorization}`,
				'--protocol-era', era, ...args], { env: server.env }, (error, stdout, stderr) => (error ? reject(new Error(`${error.message}\n${stdout}\n${stderr}`)) : done(JSON.parse(stdout))));
		});
		const listed = await run('--method', 'tools/list');
		assert.ok((listed.result ?? listed).tools.some((t) => t.name === 'echo'));
		const called = await run('--method', 'tools/call', '--tool-name', 'echo', '--tool-args-json', '{"message":"hi"}');
		assert.match(JSON.stringify(called), /Echo: hi/);
	});
