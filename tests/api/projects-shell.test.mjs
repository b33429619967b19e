// Projects in the shell: --project, PARLEY_PROJECT, and the name of the git work tree.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { question } from './lib/mcp.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { admin, member, secrets } = server;
const root = mkdtempSync(join(tmpdir(), 'parley-projects-'));
after(() => rmSync(root, { recursive: true }));
const [shop, api, plain] = ['shop', 'api', 'plain'].map((name) => join(root, name));
mkdirSync(join(shop, '.git'), { recursive: true });
mkdirSync(join(shop, 'src', 'deep'), { recursive: true });
mkdirSync(join(api, 'lib'), { recursive: true });
writeFileSync(join(api, '.git'), 'gitdir: elsewhere\n'); // as of a second work tree
mkdirSync(plain);

const env = (token = secrets.agent, more = {}) => ({ PARLEY_URL: server.url, PARLEY_TOKEN: token, ...more });
const run = (args, { cwd = join(shop, 'src', 'deep'), token, project, input } = {}) => server.run(args,
	{ cwd, input, env: env(token, project === undefined ? {} : { PARLEY_PROJECT: project }) });
/** The session of the last ask. */
const sessionOf = async (ask) => (await member.get(`/v1/sessions/${ask.session}`)).body;
const pending = async () => (await member.get('/v1/asks?limit=200')).body.items;
async function asked(doing) {
	const before = new Set((await pending()).map((a) => a.id));
	const waiting = doing();
	const ask = await until(async () => (await pending()).find((a) => !before.has(a.id)), 'the ask');
	await member.post(`/v1/asks/${ask.id}/skip`);
	await waiting;
	return ask;
}
let serial = 0;
const call = (cwd, session = `s-${++serial}`) => JSON.stringify({ session_id: session, cwd, hook_event_name: 'PreToolUse',
	tool_name: 'Bash', tool_input: { command: `make ${++serial}` }, tool_use_id: `toolu_${++serial}` });

test('ask and approve say a project when they are told one, and have no default', async () => {
	const no = ['--no-wait', '--json'];
	for (const words of [['ask', 'Deploy?'], ['approve', '--tool', 'deploy']]) {
		const project = async (flags, more) => JSON.parse((await run([...words, ...no, ...flags], more)).stdout).project;
		assert.deepEqual([await project([]), await project(['--project', 'web']), await project([], { project: 'env' }),
			await project(['--project', 'web'], { project: 'env' })], [null, 'web', 'env', 'web'], words[0]);
	}
	const wrong = await run(['ask', 'x', '--project', 'x'.repeat(101)]);
	assert.deepEqual([wrong.code, /1 to 100 characters/.test(wrong.stderr)], [2, true]);
	const named = async (project) => run(['ask', 'x', '--no-wait', '--session', 'release', '--project', project]);
	assert.equal((await named('web')).code, 0);
	assert.match((await named('api')).stderr, /belongs to the project web/);
});

test('gate, hook and mcp go by the work tree they stand in', async () => {
	const gate = (flags, more) => asked(() => run(['gate', ...flags, '--', 'true'], more));
	assert.equal((await gate([])).project, 'shop');
	assert.equal((await gate([], { cwd: join(api, 'lib') })).project, 'api');
	assert.equal((await gate([], { cwd: plain })).project, null);
	assert.equal((await gate(['--project', 'web'])).project, 'web');
	assert.equal((await gate([], { project: 'env' })).project, 'env');
	const hook = (input, flags = []) => asked(() => run(['hook', 'claude', ...flags], { input, cwd: plain }));
	assert.equal((await hook(call(join(api, 'lib')))).project, 'api');
	assert.equal((await hook(call(shop), ['--project', 'web'])).project, 'web');
	assert.equal((await hook(call(plain))).project, null);
	const messages = [{ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } } },
		{ id: 1, method: 'tools/call', params: { name: 'ask_user_question', arguments: question() } }];
	const mcp = (flags) => asked(() => run(['mcp', ...flags],
		{ input: messages.map((m) => `${JSON.stringify({ jsonrpc: '2.0', ...m })}\n`).join('') }));
	const [tree, said] = [await mcp([]), await mcp(['--project', 'web'])];
	assert.deepEqual([tree.project, said.project, tree.session === said.session], ['shop', 'web', false]);
});

test('run starts a session of the work tree', async () => {
	await admin.post('/v1/providers', { name: 'rehearsal', kind: 'script', script: [{ say: 'Done.' }] });
	await admin.post('/v1/agents', { name: 'mute', provider: 'rehearsal', model: 'm' });
	const projects = async () => (await member.get('/v1/sessions?limit=200')).body.items
		.filter((s) => s.agent.name === 'mute').map((s) => s.project).sort();
	await run(['run', 'mute', 'Go', '--detach'], { token: secrets.member });
	await run(['run', 'mute', 'Go', '--detach', '--project', 'web'], { token: secrets.member });
	assert.deepEqual(await projects(), ['shop', 'web']);
});

test('projects are listed with what waits, and shown with sessions', async () => {
	const fresh = await useServer();
	await fresh.agent.ask({ project: 'web', title: 'Release' });
	const own = { env: { PARLEY_URL: fresh.url, PARLEY_TOKEN: fresh.secrets.member } };
	assert.match((await fresh.run(['projects'], own)).stdout, /^web +1 +1 {2}\S/);
	assert.equal(JSON.parse((await fresh.run(['projects', '--json'], own)).stdout).items[0].name, 'web');
	assert.match((await fresh.run(['sessions'], own)).stdout, /Release · web/);
	const refused = await fresh.run(['projects'], { env: { ...own.env, PARLEY_TOKEN: fresh.secrets.agent } });
	assert.equal(refused.code, 4);
});

test('a hook that goes to another work tree has a second session, and comes back to the first', async () => {
	const hook = (cwd, more = {}) => asked(() => run(['hook', 'claude', ...(more.flags ?? [])], { input: call(cwd, 'moving'), ...more }));
	const [first, second, third, said] = [await hook(shop), await hook(join(api, 'lib')), await hook(shop),
		await hook(shop, { flags: ['--project', 'web'] })];
	assert.deepEqual([first.project, second.project, third.project, said.project], ['shop', 'api', 'shop', 'web']);
	assert.equal(first.session, third.session);
	assert.equal(new Set([first, second, said].map((a) => a.session)).size, 3);
	assert.equal((await sessionOf(first)).external_id, 'moving');
});

test('a guess gives way to the token, what somebody said does not', async () => {
	const tied = await server.token('agent', 'tied', ['--project', 'web']);
	const loose = await server.token('agent', 'loose', ['--project', 'sh*', '--project', 'a*']);
	const hook = (cwd, token, flags = []) => run(['hook', 'claude', ...flags], { input: call(cwd, `bound-${token}`), token });
	const ask = await asked(() => hook(shop, tied));
	assert.equal(ask.project, 'web');
	assert.equal((await asked(() => hook(api, tied))).session, ask.session);
	const [one, two] = [await asked(() => hook(shop, loose)), await asked(() => hook(api, loose))];
	assert.deepEqual([one.project, two.project, one.session === two.session], ['shop', 'api', false]);
	const refused = JSON.parse((await hook(shop, tied, ['--project', 'shop'])).stdout).hookSpecificOutput;
	assert.equal(refused.permissionDecision, 'deny');
	assert.match(refused.permissionDecisionReason, /not for the project shop/);
	const gate = await run(['gate', '--project', 'shop', '--', 'true'], { token: tied });
	assert.deepEqual([gate.code, /not for the project shop/.test(gate.stderr)], [4, true]);
	const none = await run(['gate', '--', 'true'], { token: loose, cwd: plain });
	assert.match(none.stderr, /several projects/);
});

test('connect --project-name fixes it for the hook and the server', async () => {
	const home = join(root, 'home');
	mkdirSync(home);
	const connect = (args) => server.run(['connect', 'claude', '--no-test', ...args], { env: { ...env(), HOME: home } });
	const done = await connect(['--hook', '--project-name', "ann's web"]);
	assert.equal(done.code, 0, done.stderr);
	const { mcpServers } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'));
	assert.deepEqual(mcpServers.parley.args.slice(-2), ['--project', "ann's web"]);
	const settings = readFileSync(join(home, '.claude', 'settings.json'), 'utf8');
	const { command } = JSON.parse(settings).hooks.PreToolUse[0].hooks[0];
	assert.match(command, /hook claude .*--project 'ann'\\''s web' --wait/);
	const ask = await asked(() => new Promise((end) => import('node:child_process').then(({ execFile }) => {
		const child = execFile('sh', ['-c', command], { env: { ...process.env, ...env() } }, end);
		child.stdin.end(call(shop));
	})));
	assert.equal(ask.project, "ann's web");
	assert.equal((await connect(['--hook', '--project-name', 'api'])).code, 0);
	const again = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).hooks.PreToolUse;
	assert.deepEqual([again.length, /--project api /.test(again[0].hooks[0].command)], [1, true]);
	const { stdout } = await server.run(['doctor'], { env: { ...env(), HOME: home } });
	assert.match(stdout, /Claude Code: connected(?!, but)/);
	assert.equal((await connect(['--remove'])).code, 0);
	assert.equal(existsSync(join(home, '.claude', 'settings.json')), false);
	const printed = (await server.run(['mcp', '--print-config', 'claude', '--url', 'https://desk.example.org', '--project', 'a b'])).stdout;
	assert.match(printed, /https:\/\/desk\.example\.org\/mcp\?project=a%20b/);
});
