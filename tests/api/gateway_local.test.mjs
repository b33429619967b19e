// parley mcp-gateway NAME -- COMMAND: a server on the agent's side; each call is decided at the desk and run beside the agent.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BIN, until, useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG;
const folder = mkdtempSync(join(tmpdir(), 'parley-local-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../lib/mcp_program.mjs', import.meta.url));
const server = await useServer({ keepPort: true });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const alive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
const running = [];
after(() => running.forEach((g) => g.child.kill('SIGKILL')));
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
	'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' } };

/** A client before `parley mcp-gateway NAME -- the program`. */
function gateway(name, { family = '2025', token = server.secrets.agent, env = {}, url = server.url } = {}) {
	const log = join(folder, `${name}-${running.length}.log`);
	writeFileSync(log, '');
	const child = spawn(BIN, ['mcp-gateway', name, '--', process.execPath, program, log, family], {
		env: { ...server.env, PARLEY_URL: url, PARLEY_TOKEN: token, FILES_TOKEN: 'files-0123456789', MCP_MORE: 'grow', ...env } });
	const g = { child, messages: [], foreign: [], said: '', ids: 0,
		lines: () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l)),
		ran: (tool) => g.lines().filter((l) => l.method === 'tools/call' && l.params.name === tool) };
	createInterface({ input: child.stdout }).on('line', (line) => {
		try { g.messages.push(JSON.parse(line)); } catch { g.foreign.push(line); }
	});
	child.stderr.on('data', (bytes) => { g.said += bytes; });
	g.ended = new Promise((done) => { child.on('close', (code) => done(code)); });
	g.say = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	g.send = (method, params = {}) => {
		const id = ++g.ids;
		g.say({ id, method, params: family === '2026' ? { ...params, _meta: { ...meta, ...params._meta } } : params });
		return id;
	};
	g.reply = (id, ms) => until(() => g.messages.find((m) => m.id === id && !m.method), `the reply to ${id}: ${g.said}`, ms);
	g.ask = async (method, params) => g.reply(g.send(method, params));
	g.call = (tool, args = {}) => g.send('tools/call', { name: tool, arguments: args });
	g.open = async () => {
		const r = await g.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } });
		g.say({ method: 'notifications/initialized' });
		return r;
	};
	running.push(g);
	return g;
}
const asked = (name, args) => until(async () => ok(await member.get('/v1/asks?limit=200')).items.find((a) =>
	a.operation?.name === name && JSON.stringify(a.operation.arguments) === JSON.stringify(args)), `the ask of ${name}`);
const approve = async (ask, more = {}) => ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', ...more } } }));
const call = async (id) => ok(await member.get(`/v1/tool-calls/${id}`));

test('a server on the agent\'s side: listed at its first start, with the agent\'s environment; allowed and held calls', async () => {
	for (const family of ['2025', '2026']) {
		const name = `files-${family}`, g = gateway(name, { family });
		if (family === '2025') assert.deepEqual((await g.open()).result.serverInfo, { name: 'fake', version: '1' });
		else {
			const found = (await g.ask('server/discover')).result;
			assert.deepEqual([found.supportedVersions, found.capabilities], [['2026-07-28'], { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }]);
		}
		const listed = await g.ask('tools/list');
		assert.equal(listed.result.tools.length, 8, JSON.stringify(listed));
		assert.equal(listed.result.cacheScope, 'private');
		assert.equal(listed.result.resultType, family === '2026' ? 'complete' : undefined);
		const known = ok(await admin.get(`/v1/mcp-servers/${name}`));
		assert.deepEqual([known.transport, known.url, known.command, known.source, known.status, known.tools.length],
			['local', null, null, 'store', 'ready', 8]);
		assert.deepEqual([known.tools[0].state, known.tools[0].risk, known.tools[0].class], ['accepted', 'high', 'once']);
		const { digest } = known.tools.find((t) => t.name === 'env');
		ok(await admin.post(`/v1/mcp-servers/${name}/accept`, { tools: [{ name: 'env', digest, risk: 'low' }] }));
		const rule = ok(await admin.post('/v1/rules', { effect: 'allow', match: { tool: [`mcp__${name}__env`] } }), 201);
		const env = await g.reply(g.call('env'));
		assert.match(env.result?.content[0].text, /FILES_TOKEN/, JSON.stringify(env));
		assert.equal(env.result._meta, undefined);
		await admin.delete(`/v1/rules/${rule.id}`);
		ok(await admin.post('/v1/rules', { effect: 'deny', match: { tool: [`mcp__${name}__hang`] }, note: 'not here' }), 201);
		const denied = await g.reply(g.call('hang'));
		assert.equal(denied.result.isError, true);
		assert.match(denied.result.content[0].text, /not here/);

		const args = { family, é: 1.50 };
		const [one, two] = [g.call('echo', args), g.call('echo', args)];
		const ask = await asked(`mcp__${name}__echo`, args);
		assert.deepEqual(ask.context, { server: name, tool: 'echo', client: 'tester' });
		await until(async () => (await call(ask.call)).sent === 2, 'both');
		assert.deepEqual([(await call(ask.call)).via, g.ran('echo').length], ['stdio', 0]);
		await approve(ask);
		for (const id of [one, two]) {
			const got = await g.reply(id);
			assert.deepEqual(JSON.parse(got.result.content[0].text), args);
			assert.deepEqual(got.result._meta['parley/call'], { id: ask.call, ask: ask.id, status: 'done', sent: 2 });
		}
		assert.equal(g.ran('echo').length, 1);
		const edited = g.call('echo', { n: 1 });
		await approve(await asked(`mcp__${name}__echo`, { n: 1 }), { arguments: { n: 2 } });
		const got = await g.reply(edited);
		assert.equal(got.result.content[0].text, '{"n":2}');
		assert.match(got.result.content.at(-1).text, /A person changed the arguments/);
		const no = g.call('echo', { n: 3 }), refused = await asked(`mcp__${name}__echo`, { n: 3 });
		ok(await member.post(`/v1/asks/${refused.id}/answer`, { answers: { decision: { value: 'reject', text: 'never' } } }));
		assert.match((await g.reply(no)).result.content[0].text, /Rejected.*never/);
		const gone = g.call('echo', { n: 4 }), withdrawn = await asked(`mcp__${name}__echo`, { n: 4 });
		g.say({ method: 'notifications/cancelled', params: { requestId: gone } });
		await until(async () => (await call(withdrawn.call)).status === 'cancelled', 'that it was withdrawn');
		assert.equal(g.ran('echo').length, 2);
		assert.deepEqual(g.foreign, []);
		const pid = g.lines()[0].pid;
		g.child.stdin.end();
		assert.equal(await g.ended, 0);
		assert.equal(alive(pid), false);
	}
});

test('what the server lists later is off until somebody accepts it; another agent has pins of its own', async () => {
	const g = gateway('files-2025');
	await g.open();
	const grown = g.call('grow');
	await approve(await asked('mcp__files-2025__grow', {}));
	await g.reply(grown);
	const added = await until(async () => ok(await admin.get('/v1/mcp-servers/files-2025')).tools.find((t) => t.name === 'added'), 'the new tool');
	assert.equal(added.state, 'new');
	assert.equal((await g.ask('tools/list')).result.tools.length, 8);
	assert.match((await g.reply(g.call('added'))).error.message, /not accepted/);
	ok(await admin.post('/v1/mcp-servers/files-2025/accept', { tools: [{ name: 'added', digest: added.digest }] }));
	await until(async () => (await g.ask('tools/list')).result.tools.length === 9, 'the list with it');
	const { token } = ok(await admin.post('/v1/tokens', { role: 'agent', name: 'second' }), 201);
	const other = gateway('files-2025', { token, env: { MCP_MORE: '' } });
	await other.open();
	assert.equal((await other.ask('tools/list')).result.tools.length, 7);
	other.child.stdin.end();
	assert.equal(await other.ended, 0);
	const tested = ok(await admin.post('/v1/mcp-servers/files-2025/test', {}));
	assert.equal(tested.ok, false);
	assert.match(tested.checks[0].detail, /mcp-gateway/);
	/* Nobody else reaches it. */
	assert.equal((await fetch(`${server.url}/mcp/files-2025`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
		body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })).status, 404);
});

test('what agents start has room of its own, and one agent has 20', async () => {
	const { token } = ok(await admin.post('/v1/tokens', { role: 'agent', name: 'busy' }), 201);
	const list = async (name) => (await (await fetch(`${server.url}/mcp/${name}`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Parley-Transport': 'local' },
		body: '{"jsonrpc":"2.0","id":1,"method":"parley/tools","params":{"tools":[]}}' })).json());
	for (let i = 0; i < 20; i++) assert.deepEqual((await list(`busy-${i}`)).result, { tools: [] });
	assert.match((await list('busy-20')).error.message, /already 20 MCP servers/);
	assert.deepEqual((await list('busy-0')).result, { tools: [] });
	for (let i = 0; i < 20; i++) assert.equal((await admin.delete(`/v1/mcp-servers/busy-${i}`)).status, 204);
});

test('a task runs when it is approved, though nobody asks for it', async () => {
	const g = gateway('files-2026', { family: '2026' });
	const can = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } } };
	const task = (await g.ask('tools/call', { name: 'echo', arguments: { task: 1 }, ...can })).result;
	assert.deepEqual([task.resultType, task.status], ['task', 'working'], JSON.stringify(task));
	const ask = await asked('mcp__files-2026__echo', { task: 1 });
	assert.equal(ask.call, task.taskId);
	await approve(ask);
	await until(async () => (await call(ask.call)).status === 'done', 'the end of the call');
	const got = (await g.ask('tasks/get', { taskId: task.taskId, ...can })).result;
	assert.deepEqual([got.status, got.result.content[0].text], ['completed', '{"task":1}']);
	assert.equal(g.ran('echo').length, 1);
	g.child.stdin.end();
	assert.equal(await g.ended, 0);
});

test('a gateway that dies while it runs a call: interrupted, a person is asked; sent again, their word is the result', { skip: !LONG && 'it takes 35 s' }, async () => {
	const g = gateway('files-2025');
	await g.open();
	g.call('slow', { ms: 60000 });
	const ask = await asked('mcp__files-2025__slow', { ms: 60000 });
	await approve(ask);
	await until(async () => (await call(ask.call)).status === 'started' && g.ran('slow').length, 'the start');
	const pid = g.lines()[0].pid;
	g.child.kill('SIGKILL');
	const died = Date.now();
	await until(() => !alive(pid), 'the end of its tree', 2000);
	const row = await until(async () => { const c = await call(ask.call); return c.status === 'interrupted' && c; }, 'that it was interrupted');
	assert.ok(Date.now() - died < 36000, `${Date.now() - died} ms`);
	const next = gateway('files-2025');
	await next.open();
	const again = next.call('slow', { ms: 60000 });
	await until(async () => (await call(ask.call)).sent === 2, 'the call that came again');
	ok(await member.post(`/v1/asks/${row.ask}/answer`, { answers: { recovery: { selected: ['skip'], text: 'it was done' } } }));
	assert.equal((await next.reply(again)).result.content[0].text, 'it was done');
	assert.equal(next.ran('slow').length, 0);
});

test('a client that closes while a call runs: its outcome is unknown at once; a server that ends takes the gateway along', async () => {
	const g = gateway('files-2025');
	await g.open();
	g.call('hang', { n: 7 });
	const { items } = ok(await admin.get('/v1/rules?limit=100'));
	for (const r of items) await admin.delete(`/v1/rules/${r.id}`);
	g.call('slow', { ms: 50000 });
	const ask = await asked('mcp__files-2025__slow', { ms: 50000 });
	await approve(ask);
	await until(() => g.ran('slow').length, 'the start');
	const pid = g.lines()[0].pid, began = Date.now();
	g.child.stdin.end();
	assert.equal(await g.ended, 0);
	assert.equal(alive(pid), false);
	assert.ok(Date.now() - began < 2500, `${Date.now() - began} ms`);
	assert.equal((await call(ask.call)).status, 'interrupted');
	const dying = gateway('files-2025');
	await dying.open();
	const call_ = dying.call('die');
	await approve(await asked('mcp__files-2025__die', {}));
	assert.equal(await dying.ended, 1);
	assert.match(dying.said, /no such folder[^]*exit status 3/);
	assert.ok(!dying.messages.some((m) => m.id === call_));
});

test('the desk restarts while a call waits, and while one runs', async () => {
	const g = gateway('files-2025');
	await g.open();
	const waits = g.call('echo', { restart: 1 }), runs = g.call('slow', { ms: 1500 });
	const slow = await asked('mcp__files-2025__slow', { ms: 1500 });
	await approve(slow);
	await until(() => g.ran('slow').length, 'the start');
	await server.crash();
	const got = await g.reply(runs);
	assert.equal(got.result.content[0].text, 'late', JSON.stringify(got));
	await approve(await asked('mcp__files-2025__echo', { restart: 1 }));
	assert.equal((await g.reply(waits)).result.content[0].text, '{"restart":1}');
	assert.deepEqual([g.ran('slow').length, g.ran('echo').length], [1, 1]);
});

test('wrong names, and a command for a server of the desk', async () => {
	ok(await admin.post('/v1/mcp-servers', { name: 'desks', url: 'http://127.0.0.1:9/mcp' }), 201);
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent };
	for (const words of [['Not A Name', '--', 'true'], ['-x', '--', 'true'], ['desks', '--', 'true']]) {
		const r = await server.run(['mcp-gateway', ...words], { env });
		assert.deepEqual([r.code, r.stdout], [2, ''], JSON.stringify(r));
	}
});

test('the desk is away: lists are answered, a call waits 45 s and is not run', { skip: !LONG && 'it takes 45 s' }, async () => {
	const g = gateway('away', { url: 'http://127.0.0.1:9' });
	await g.open();
	assert.equal((await g.ask('tools/list')).result.tools.length, 8);
	const began = Date.now(), got = await g.reply(g.call('echo', { n: 1 }));
	assert.equal(got.result.isError, true);
	assert.match(got.result.content[0].text, /^Not run/);
	assert.ok(Date.now() - began > 40000 && Date.now() - began < 60000, `${Date.now() - began} ms`);
	assert.equal(g.ran('echo').length, 0);
	assert.equal((await g.ask('ping')).error.code, -32601);
});

test('connect --gate puts the gateway before the command of a server; --remove leaves the bytes that were there', async () => {
	const home = mkdtempSync(join(folder, 'home-'));
	const files = {
		claude: ['.claude.json', ['one', 'bare', 'empty', 'lines'], `{
  "mcpServers": { // mine
    "one": { "type": "stdio", "command": "npx", "args": ["-y", "@x/one"], "env": {"A": "b"} },
    "bare": {"command": "bare-server"},
    "empty": {"args": [ ], "command": "e\\"m" },
    "lines": {
      "command": "node",
      "args": [
        "a.js",
        "b"
      ]
    },
    "web": {"type": "http", "url": "https://mcp.example.org"}
  }
}`],
		codex: ['.codex/config.toml', ['one', 'bare'], 'model = "x" # c\r\n[mcp_servers.one]\r\ncommand = \'npx\'\r\nargs = ["-y", "z"]\r\n[mcp_servers."bare"]\r\ncommand = "bare"\r\nenv = { A = "1" }\r\n'],
		opencode: ['.config/opencode/opencode.json', ['one'], '{"mcp": {"one": {"type": "local", "command": ["npx", "-y"], "enabled": true}}}\n'],
		continue: ['.continue/config.yaml', ['one', 'bare', 'lines', 'crowded', 'quoted'], `name: mine
mcpServers: # those
  - name: one
    command: npx # here
    args: [-y, "@x/one"]
  - command: bare-server
    env: {A: b}
    name: bare
  - name: lines
    args:
    - 'a.js'   # first

    - b
    command: "node"
  - {name: crowded, command: e}
  - name: quoted
    command: 'it''s'
    args: []
  - name: web
    url: https://mcp.example.org
models: []
`],
	};
	const connect = (...words) => server.run(['connect', ...words, '--no-test'], { env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') } });
	for (const [agent, [name, servers, text]] of Object.entries(files)) {
		const file = join(home, name), gates = servers.flatMap((n) => ['--gate', n]);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		assert.equal((await connect(agent, ...gates)).code, 0);
		const gated = readFileSync(file, 'utf8');
		assert.equal(gated.match(/"mcp-gateway", "one", "--", ["']?npx["']?, "?-y/g)?.length, 1, gated);
		assert.equal(gated.split(JSON.stringify(BIN)).length, servers.length + 1, gated);
		assert.equal((await connect(agent, ...gates)).code, 0);
		assert.equal(readFileSync(file, 'utf8'), gated);
		assert.equal((await connect(agent, '--gate', 'one', '--gate', 'nothing')).code, 2);
		assert.equal(readFileSync(file, 'utf8'), gated);
		assert.equal((await connect(agent, ...gates, '--remove')).code, 0);
		assert.equal(readFileSync(file, 'utf8'), text);
	}
	assert.equal((await connect('claude', '--gate', 'web')).code, 2);
	assert.equal((await connect('continue', '--gate', 'web')).code, 2);
	assert.equal((await connect('cursor', '--gate', 'one')).code, 2);
});
