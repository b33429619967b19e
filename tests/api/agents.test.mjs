// Agents that Parley runs and providers of models: made, changed, removed, tried; keys that never come out.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { stored } from '../lib/stored.mjs';
import { Server, until, useServer } from './lib/server.mjs';

const model = await new ScriptModel().start();
after(() => model.stop());

const SECRET = 'sk-test-0123456789abcdefWXYZ';
const server = await useServer({ env: { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: model.url } });
const { agent, member, admin } = server;

let count = 0;
const provider = async (body = {}) => {
	const reply = await admin.post('/v1/providers', { name: `provider-${count++}`, kind: 'anthropic', url: model.url, ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const make = async (body = {}) => {
	const reply = await admin.post('/v1/agents', { name: `agent-${count++}`, provider: 'anthropic', model: 'scripted', ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const pointers = (reply) => (reply.body.errors ?? []).map((e) => e.pointer);

test('a provider is found by its usual variable, and an agent is there', async () => {
	const found = (await member.get('/v1/providers/anthropic')).body;
	assert.deepEqual([found.kind, found.source, found.usable, found.key],
		['anthropic', 'file', true, { set: true, source: 'env', from: 'ANTHROPIC_API_KEY', last4: 'WXYZ' }]);
	const assistant = (await member.get('/v1/agents/assistant')).body;
	assert.deepEqual([assistant.provider, assistant.source, assistant.runnable, assistant.why],
		['anthropic', 'file', true, null]);
	assert.ok(assistant.tools.includes('ask_user_question'));
});

test('an agent is made, read by name and id, changed and removed', async () => {
	const made = await make({ name: 'researcher', prompt: 'Find out.', tools: ['memory', 'todo/create'],
		limits: { turns: 5, cost_usd: 0.25, time: '30m' } });
	assert.match(made.id, /^agt_[0-9a-z]{26}$/);
	assert.deepEqual([made.kind, made.source, made.version, made.effort, made.validation, made.on_error, made.on_limit,
		made.on_reject, made.runnable], ['model', 'store', 1, null, null, 'ask', 'ask', null, true]);
	assert.deepEqual(made.limits, { turns: 5, history: 50, tokens: null, cost_usd: 0.25, time: '30m' });
	assert.deepEqual((await member.get('/v1/agents/researcher')).body, made);
	assert.deepEqual((await member.get(`/v1/agents/${made.id}`)).body, made);
	const changed = await admin.patch('/v1/agents/researcher', { version: 1, prompt: 'Find out more.', tools: null,
		validation: { mode: 'manual' } });
	assert.deepEqual([changed.status, changed.body.version, changed.body.prompt, changed.body.tools, changed.body.validation,
		changed.body.limits], [200, 2, 'Find out more.', [], { mode: 'manual' }, made.limits]);
	assert.equal((await admin.patch('/v1/agents/researcher', { version: 1, prompt: 'x' })).status, 409);
	assert.deepEqual(pointers(await admin.patch('/v1/agents/researcher', { prompt: 'x' })), ['/version']);
	assert.deepEqual(pointers(await admin.patch('/v1/agents/researcher', { version: 2, name: 'other' })), ['/name']);
	assert.equal((await admin.post('/v1/agents', { name: 'researcher', provider: 'anthropic', model: 'm' })).status, 409);
	assert.equal((await admin.delete('/v1/agents/researcher')).status, 204);
	assert.equal((await member.get('/v1/agents/researcher')).status, 404);
});

test('what is wrong with an agent is told with its place', async () => {
	const wrong = async (body, ...where) => {
		const reply = await admin.post('/v1/agents', { name: 'w', provider: 'anthropic', model: 'm', ...body });
		assert.equal(reply.status, 422, reply.text);
		assert.deepEqual(pointers(reply), where);
	};
	await wrong({ tools: ['memory', 'nonsense'] }, '/tools/1');
	await wrong({ tools: ['todo/drop'] }, '/tools/0');
	await wrong({ tools: ['test_append'] }, '/tools/0');
	await wrong({ provider: 'nobody' }, '/provider');
	await wrong({ limits: { turns: 0, cost_usd: -1, wages: 3 } }, '/limits/wages', '/limits/turns', '/limits/cost_usd');
	await wrong({ prompt: 'x'.repeat(100_001) }, '/prompt');
	await wrong({ effort: 'huge' }, '/effort');
	await wrong({ name: 'Big Name' }, '/name');
	await wrong({ validation: { mode: 'never' } }, '/validation/mode');
	await wrong({ validation: { risks: [] } }, '/validation/risks');
	await wrong({ on_error: 'cry' }, '/on_error');
	await wrong({ kind: 'acp' }, '/kind');
	await wrong({ program: 'claude', cwd: '/srv' }, '/program', '/cwd');
	const nulls = { name: 'nulls', provider: 'anthropic', model: 'm', program: null, cwd: null, mode: null };
	assert.equal((await admin.post('/v1/agents', nulls)).status, 201);
	assert.equal((await admin.delete('/v1/agents/nulls')).status, 204);
	assert.equal((await member.get('/v1/agents/w')).status, 404);
});

test('admins write; members read; agents do neither', async () => {
	for (const [path, body] of [['/v1/agents', { name: 'x', provider: 'anthropic', model: 'm' }],
		['/v1/providers', { name: 'x', kind: 'openai' }]]) {
		assert.equal((await member.post(path, body)).status, 403);
		assert.equal((await agent.post(path, body)).status, 403);
		assert.equal((await agent.get(path)).status, 403);
		assert.equal((await member.get(path)).status, 200);
	}
	assert.equal((await member.post('/v1/providers/anthropic/test', {})).status, 403);
});

test('what the configuration defines is read-only', async () => {
	for (const reply of [await admin.patch('/v1/agents/assistant', { version: 0, prompt: 'x' }),
		await admin.delete('/v1/agents/assistant'), await admin.delete('/v1/providers/anthropic'),
		await admin.patch('/v1/providers/anthropic', { version: 0, at_once: 2 })]) {
		assert.deepEqual([reply.status, reply.body.type], [409, '/problems/read-only']);
	}
	assert.equal((await admin.post('/v1/agents', { name: 'assistant', provider: 'anthropic', model: 'm' })).status, 409);
	assert.equal((await admin.post('/v1/providers', { name: 'anthropic', kind: 'openai' })).status, 409);
});

test('lists come in pages', async () => {
	await make();
	await make();
	const all = (await member.get('/v1/agents')).body.items.map((a) => a.name);
	const names = [];
	let cursor = null;
	do {
		const page = (await member.get(`/v1/agents?limit=1${cursor ? `&cursor=${cursor}` : ''}`)).body;
		names.push(...page.items.map((a) => a.name));
		cursor = page.next_cursor;
	} while (cursor);
	assert.deepEqual(names, all);
});

test('a key is sealed: it works, and nothing shows it', async () => {
	const key = 'sk-sealed-key-of-this-test-9876';
	const made = await provider({ name: 'sealed', key });
	assert.deepEqual(made.key, { set: true, source: 'sealed', from: null, last4: '9876' });
	await make({ name: 'sealed-agent', provider: 'sealed' });
	const tried = await admin.post('/v1/agents/sealed-agent/test', {});
	assert.deepEqual([tried.status, tried.body.ok], [200, true], tried.text);
	assert.equal(model.requests.at(-1).headers['x-api-key'], key);
	assert.equal((await admin.delete('/v1/providers/sealed')).status, 409);
	assert.match((await admin.delete('/v1/providers/sealed')).body.detail, /sealed-agent/);
	const without = await admin.patch('/v1/providers/sealed', { version: 1, key: null });
	assert.deepEqual(without.body.key, { set: false, source: null, from: null, last4: null });
	await admin.patch('/v1/providers/sealed', { version: 2, key });
	// Neither key is in a reply, the log, an event or a file of the store.
	const said = [server.output];
	for (const path of ['/v1/providers', '/v1/agents', '/v1/events?format=json&limit=200', '/v1/providers/sealed', '/v1/prices']) {
		said.push((await admin.get(path)).text);
	}
	said.push(...stored(server.data).map(([, text]) => text));
	for (const text of said) for (const secret of [SECRET, key]) assert.ok(!text.includes(secret));
});

test('a provider that cannot be used says why', async () => {
	const refused = await provider({ name: 'refused' });
	model.answer = () => ({ status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } } });
	const tried = await admin.post('/v1/providers/refused/test', { model: 'm' });
	assert.equal(tried.body.ok, false);
	assert.match(tried.body.checks.at(-2).detail + tried.body.checks.at(-1).detail, /unauthorized: invalid x-api-key/);
	assert.equal(refused.usable, true);
	const keyless = (await admin.post('/v1/providers', { name: 'keyless', kind: 'openai' })).body;
	assert.deepEqual([keyless.usable, keyless.why], [false, 'it has no key: set it on the page under Settings, Providers']);
	assert.equal((await admin.post('/v1/agents', { name: 'keyless', provider: 'keyless', model: 'm' })).body.runnable, false);
	const keyed = (await admin.patch('/v1/providers/keyless', { version: keyless.version, key: 'sk-0123456789abcdef' })).body;
	assert.deepEqual([keyed.usable, keyed.why], [true, null]);
	for (const url of ['http://example.com', 'ftp://x', 'http://10.0.0.1/v1', 'https://a.example/?q']) {
		const reply = await admin.post('/v1/providers', { name: 'u', kind: 'openai', url });
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/url']], url);
	}
	assert.deepEqual(pointers(await admin.post('/v1/providers', { name: 'u', kind: 'mainframe' })), ['/kind']);
});

test('the models of a provider are asked of it', async () => {
	const reply = await admin.get('/v1/providers/anthropic/models');
	assert.deepEqual(reply.body.items.map((m) => m.id), ['scripted']);
	assert.equal(model.requests.at(-1).path, '/v1/models?limit=1000');
});

test('changes of agents and providers are events: who, what, never a key', async () => {
	const secret = 'sk-a-secret-that-events-must-not-have';
	const one = (await admin.post('/v1/providers', { name: 'told', kind: 'anthropic', url: model.url, key: secret })).body;
	await admin.patch('/v1/providers/told', { version: one.version, at_once: 3 });
	const made = (await admin.post('/v1/agents', { name: 'told', provider: 'told', model: 'm' })).body;
	await admin.patch('/v1/agents/told', { version: made.version, prompt: 'Other words.' });
	await admin.delete('/v1/agents/told');
	await admin.delete('/v1/providers/told');
	const { text, body } = await admin.get('/v1/events?format=json&after=0&types=agent.changed,provider.changed&limit=200');
	assert.deepEqual(body.items.filter(({ data }) => data.name === 'told').map(({ type, data }) => [type.split('.')[0], data.change,
		data.key_changed ?? null, data.by.role]), [['provider', 'created', true, 'admin'], ['provider', 'changed', false, 'admin'],
		['agent', 'created', null, 'admin'], ['agent', 'changed', null, 'admin'], ['agent', 'deleted', null, 'admin'],
		['provider', 'deleted', false, 'admin']]);
	assert.ok(!text.includes(secret.slice(-8)));
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});

test('prices are imported, and replaced', async () => {
	const price = { input: 1, output: 2, cache_read: 0.1, cache_write: 1, cache_write_1h: 1 };
	const items = [{ id: 'scripted', context: 1000, output: 100, price }];
	assert.equal((await admin.put('/v1/prices', { items })).status, 200);
	const reply = await admin.put('/v1/prices', { items: [{ ...items[0], price: { ...price, output: 3 } }] });
	assert.deepEqual(reply.body.items, [{ ...items[0], price: { ...price, output: 3 } }]);
	assert.match(reply.body.built_in, /^\d{4}-\d\d-\d\d$/);
	assert.deepEqual(pointers(await admin.put('/v1/prices', { items: [{ id: 'a', price: { input: 'x' } }] })), ['/items/0/price']);
});

test('sections of the configuration file: values over lines, keys from files, mistakes by line', async () => {
	const conf = join(server.home, 'agents.conf');
	const keyFile = join(server.home, 'openai.key');
	writeFileSync(keyFile, 'sk-from-a-file-0123456789\n', { mode: 0o600 });
	writeFileSync(join(server.home, 'coder.md'), 'You write code.\n');
	const sections = `default_agent = coder
[provider local]
kind = openai
url = http://127.0.0.1:11434/v1
[provider filed]
kind = openai_responses
key_file = openai.key
[provider absent]
kind = anthropic
key_env = NO_SUCH_KEY
[agent coder]
provider = local
model = llama
prompt_file = coder.md
tools = ask_user_question,
  memory, todo
cost_usd = 0.5
[agent poet]
provider = absent
model = m
prompt = You write poems.
  They rhyme.
`;
	writeFileSync(conf, sections);
	const other = new Server({ flags: ['--config', conf] });
	try {
		const token = await other.token('admin', 'ada');
		await other.start();
		const client = other.client(token);
		const coder = (await client.get('/v1/agents/coder')).body;
		assert.deepEqual([coder.prompt, coder.tools, coder.limits.cost_usd, coder.runnable, coder.source],
			['You write code.\n', ['ask_user_question', 'memory', 'todo'], 0.5, true, 'file']);
		const poet = (await client.get('/v1/agents/poet')).body;
		assert.deepEqual([poet.prompt, poet.runnable], ['You write poems.\nThey rhyme.', false]);
		assert.match(poet.why, /NO_SUCH_KEY is not set: start the server with NO_SUCH_KEY=/);
		assert.match(other.stderr, /provider absent cannot be used: NO_SUCH_KEY is not set/);
		const filed = (await client.get('/v1/providers/filed')).body;
		assert.deepEqual([filed.key.set, filed.key.source, filed.key.last4], [true, 'file', '6789']);
		assert.equal((await client.post('/v1/agents/poet/test', {})).body.ok, false);
		assert.equal((await client.get('/v1/agents/assistant')).status, 404);
		assert.deepEqual([coder.default, poet.default], [true, false]);
		/* SIGHUP: what the file says now holds; a file with a mistake changes nothing. */
		writeFileSync(conf, sections.replace('model = llama', 'model = qwen').replace('default_agent = coder', 'default_agent = poet'));
		other.child.kill('SIGHUP');
		await until(async () => (await client.get('/v1/agents/coder')).body.model === 'qwen');
		assert.equal((await client.get('/v1/agents/poet')).body.default, true);
		writeFileSync(conf, sections.replace('kind = openai\n', 'kind = openei\n'));
		other.child.kill('SIGHUP');
		await until(() => /not reloaded: .*kind: must be/.test(other.stderr));
		assert.equal((await client.get('/v1/agents/coder')).body.model, 'qwen');
	} finally {
		await other.stop();
	}
	const started = async (text, what) => {
		writeFileSync(conf, text);
		other.spawn(['--config', conf]);
		const { code } = await other.exited;
		assert.notEqual(code, 0, other.output);
		assert.match(other.stderr, what);
	};
	await started(sections.replace('memory, todo', 'memory, nonsense'), /agents\.conf:15: \[agent coder\] tools: there is no tool nonsense/);
	await started(sections.replace('kind = openai\n', 'kind = openei\n'), /agents\.conf:3: \[provider local\] kind: must be/);
	await started(sections.replace('model = llama', 'modle = llama'), /agents\.conf:13: \[agent coder\] has no key 'modle'/);
	await started(sections.replace('http://127.0.0.1', 'http://10.0.0.1'), /agents\.conf:4: \[provider local\] url: must be https/);
	chmodSync(keyFile, 0o644);
	await started(sections, /openai\.key: other users can read this key file; run: chmod 600/);
	other.remove();
});

test('the commands: agents and providers listed, imported, tried, priced and removed', async () => {
	model.answer = () => [say('OK')];
	const run = (...args) => server.run([...args, '--data', server.data]);
	const added = await server.run(['providers', 'add', 'second', '--kind', 'anthropic', '--provider-url', model.url, '--key-file', '-', '--data', server.data],
		{ input: 'sk-by-standard-input-1234\n' });
	assert.deepEqual([added.code, added.stderr.trim()], [0, 'Provider second created']);
	assert.match((await run('providers', 'list')).stdout, /second\s+anthropic\s+…1234\s+ok/);
	assert.match((await run('providers', 'test', 'second', 'm')).stdout, /ok\s+model: m answered in \d+ ms/);
	assert.equal(model.requests.at(-1).headers['x-api-key'], 'sk-by-standard-input-1234');
	const file = join(server.home, 'reviewer.md');
	writeFileSync(file, '---\nname: reviewer\ndescription: "Reviews code"\ntools: Read, memory, todo/create\nmodel: sonnet\n---\n\nYou review.\n');
	const imported = await run('agents', 'import', file, '--provider', 'second');
	assert.deepEqual([imported.code, imported.stderr.trim().split('\n')],
		[0, ['Left out, because Parley has no such tools: Read', 'Agent reviewer created']]);
	const shown = JSON.parse((await run('agents', 'show', 'reviewer')).stdout);
	assert.deepEqual([shown.prompt, shown.tools, shown.model, shown.provider, shown.description],
		['You review.', ['memory', 'todo/create'], 'claude-sonnet-5', 'second', 'Reviews code']);
	const json = join(server.home, 'reviewer.json');
	writeFileSync(json, JSON.stringify({ ...shown, prompt: 'You review well.' }));
	assert.equal((await run('agents', 'import', json)).stderr.trim(), 'Agent reviewer changed');
	assert.match((await run('agents', 'list')).stdout, /reviewer\s+second\s+claude-sonnet-5\s+ok/);
	assert.equal((await run('agents', 'test', 'reviewer')).code, 0);
	assert.equal((await run('providers', 'remove', 'second')).code, 1);
	assert.equal((await run('agents', 'remove', 'reviewer')).code, 0);
	assert.equal((await run('providers', 'remove', 'second')).code, 0);
	const list = join(server.home, 'prices.json');
	writeFileSync(list, JSON.stringify({ resold: { models: { x: { cost: { input: 9, output: 9 } } } },
		anthropic: { models: { x: { cost: { input: 1, output: 2, cache_read: 0.1 }, limit: { context: 5, output: 3 } } } } }));
	assert.equal((await run('providers', 'prices', list)).stderr.trim(), 'Prices of 1 models imported');
	const prices = JSON.parse((await run('providers', 'prices')).stdout);
	assert.deepEqual(prices.items.find((p) => p.id === 'x'),
		{ id: 'x', context: 5, output: 3, price: { input: 1, output: 2, cache_read: 0.1, cache_write: 1, cache_write_1h: 1 } });
	writeFileSync(list, JSON.stringify({ 'lite-x': { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5, max_input_tokens: 200000,
		cache_creation_input_token_cost_above_1hr: 6e-6, input_cost_per_token_above_200k_tokens: 6e-6, output_cost_per_token_above_200k_tokens: 2.25e-5 } }));
	assert.equal((await run('providers', 'prices', list)).code, 0);
	const lite = JSON.parse((await run('providers', 'prices')).stdout).items.find((p) => p.id === 'lite-x');
	assert.deepEqual([lite.price.cache_write_1h, lite.price.above.tokens, lite.price.above.output], [6, 200000, 22.5]);
	writeFileSync(list, '{}');
	assert.notEqual((await run('providers', 'prices', list)).code, 0);
	assert.match((await run('doctor')).stdout, /provider|no provider/);
});

test('a key that a tool finds is masked in its result, for the model and everyone', async () => {
	const sealed = 'sk-sealed-0123456789-abcd';
	await provider({ name: 'masked', key: sealed });
	assert.equal((await admin.post('/v1/agents', { name: 'masked', provider: 'masked', model: 'm', tools: ['memory'] })).status, 201);
	assert.equal((await admin.post('/v1/memories', { scope: 'workspace', text: `Keys: ${SECRET} and ${sealed}` })).status, 201);
	const before = model.answer;
	model.answer = (q) => (results(q).length ? [say('seen')] : [use('memory', { operation: 'search', q: 'Keys', scope: 'workspace' })]);
	const session = (await member.post('/v1/sessions', { agent: 'masked', message: 'Look' })).body;
	await until(async () => (await member.get(`/v1/runs/${session.run}`)).body.status === 'completed');
	model.answer = before;
	const said = JSON.stringify(model.requests.at(-1).messages) + (await member.get(`/v1/sessions/${session.id}/state`)).text;
	assert.match(said, /Keys: \[secret …/);
	for (const secret of [SECRET, sealed]) assert.ok(!said.includes(secret));
	assert.equal((await member.get(`/v1/sessions/${session.id}`)).body.error, null);
});

test('a run shows no key either, not even when its provider repeats it', async () => {
	const key = 'sk-key-that-a-provider-repeats-4242';
	await provider({ name: 'gossip', key });
	await make({ name: 'gossiper', provider: 'gossip', on_error: 'fail', prompt: 'Be brief.' });
	model.answer = () => [say('Hello.')];
	const talk = async () => {
		const made = await member.post('/v1/sessions', { agent: 'gossiper', message: 'Hi' });
		assert.equal(made.status, 201, made.text);
		const run = made.body.run?.id ?? made.body.run;
		return until(async () => {
			const { body } = await member.get(`/v1/runs/${run}`);
			return ['completed', 'failed'].includes(body.status) && body;
		}, 'the end of the run');
	};
	assert.equal((await talk()).status, 'completed');
	assert.equal(model.requests.at(-1).headers['x-api-key'], key);
	model.answer = () => ({ status: 401, body: { error: { type: 'authentication_error', message: `the key ${key} is wrong` } } });
	const failed = await talk();
	assert.deepEqual([failed.status, failed.error], ['failed', { kind: 'unauthorized', message: 'the key [secret …4242] is wrong' }]);
	const tried = await admin.post('/v1/agents/gossiper/test', {});
	const said = [server.output, tried.text];
	for (const path of ['/v1/runs', `/v1/sessions/${failed.session}/state`, '/v1/events?format=json&limit=200&before=1000000']) {
		said.push((await admin.get(path)).text);
	}
	said.push(...stored(server.data).map(([, text]) => text));
	for (const text of said) assert.ok(!text.includes(key));
});

test('a newcomer: a key in the environment, a login, and an agent that works', async () => {
	model.answer = (body) => (results(body).length ? [say('Autumn moon rises.')]
		: [use('todo', { operation: 'create', name: 'Write a haiku' })]);
	const fresh = new Server({ env: { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: model.url } });
	try {
		await fresh.start();
		const early = await fresh.run(['run', 'Write a haiku', '--data', fresh.data]);
		assert.deepEqual([early.code, early.stdout], [4, '']);
		assert.match(early.stderr, /not logged in.*parley login/);
		const login = await fresh.run(['login', fresh.url + await fresh.loginPath(), '--data', fresh.data]);
		assert.equal(login.code, 0, login.stderr);
		const run = await fresh.run(['run', 'Write a haiku', '--data', fresh.data]);
		assert.deepEqual([run.code, run.stdout.trim()], [0, 'Autumn moon rises.'], run.stderr);
	} finally {
		await fresh.stop();
		fresh.remove();
	}
});
