// Attacks on rights and secrets: rules of one's own, limited tokens, delegates, stored keys, names, floods.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { ScriptModel, say } from '../lib/script_model.mjs';
import { EVENTS } from './lib/hooks.mjs';
import { BIN, until, useServer } from '../api/lib/server.mjs';

const server = await useServer({ flags: ['--ask-rate', '300', '--url', 'https://desk.example'] });
const { admin, agent, nobody } = server;

let count = 0;
async function person(role = 'member', name = `person-${count++}`) {
	const { body } = await admin.post('/v1/tokens', { name, role });
	return { id: body.user, name, client: server.client(body.token) };
}
const bash = (command, extra = {}) => ({ kind: 'approval',
	operation: { type: 'tool', name: 'Bash', arguments: { command } }, ...extra });
const decide = (command) => ({ operation: bash(command).operation });
const approve = (who, ask, extra = {}) => who.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' }, ...extra });
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

test('a rule that the requester made does not answer the requester', async () => {
	const ann = await person();
	const token = async (user) => server.client((await admin.post('/v1/tokens',
		{ name: 'bot', role: 'agent', agent: 'bot', ...user })).body.token);
	const [hers, foreign] = [await token({ user: ann.id }), await token()];
	const first = await foreign.ask(bash('make a'));
	assert.equal((await approve(ann.client, first, { scope: { for: '8h', what: 'pattern', tool: 'Bash' } })).status, 200);
	assert.equal((await foreign.ask(bash('make b'))).status, 'answered', 'it answers others');
	assert.match((await foreign.post('/v1/decide', decide('make b'))).body.rule, /^rul_/);
	assert.equal((await hers.ask(bash('make c'))).status, 'pending');
	assert.doesNotMatch((await hers.post('/v1/decide', decide('make c'))).body.rule, /^rul_/);
});

test('a deny of the requester\'s own holds for the requester', async () => {
	const boss = await person('admin');
	const { body } = await admin.post('/v1/tokens', { name: 'bot', role: 'agent', agent: 'own-deny', user: boss.id });
	const made = await boss.client.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(shred *)'], agent: 'own-deny' } });
	assert.equal((await server.client(body.token).ask(bash('shred x'))).answer.decision.value, 'reject');
	await admin.delete(`/v1/rules/${made.body.id}`);
});

test('another address or kind of a provider drops its key; with its key again it stays', async () => {
	const thief = await new ScriptModel(() => [say('OK')]).start();
	const key = 'sk-0123456789abcdef';
	const patch = async (body) => {
		const { version } = (await admin.get('/v1/providers/keyed')).body;
		return (await admin.patch('/v1/providers/keyed', { version, ...body })).body.key.set;
	};
	await admin.post('/v1/providers', { name: 'keyed', kind: 'openai', url: 'http://127.0.0.1:9/v1', key });
	assert.equal(await patch({ at_once: 3 }), true, 'nothing else drops it');
	assert.equal(await patch({ url: `${thief.url}/v1` }), false);
	await admin.post('/v1/providers/keyed/test', { model: 'm' });
	assert.deepEqual(thief.requests.map(({ headers }) => headers.authorization).filter(Boolean), []);
	assert.equal(await patch({ key }), true);
	assert.equal(await patch({ kind: 'anthropic' }), false);
	assert.equal(await patch({ url: 'http://127.0.0.1:9/v2', key }), true);
	thief.stop();
});

test('a token of a lower role changes nothing of its person', async () => {
	const boss = await person('admin');
	const { client: eye } = await person('viewer', boss.name);
	assert.equal((await eye.get('/v1/me')).body.user.id, boss.id);
	for (const [method, path, body] of [['DELETE', '/v1/me/logins'], ['DELETE', '/v1/me/logins/x'],
		['POST', '/v1/me/present', {}], ['PUT', '/v1/me/views', []], ['PUT', '/v1/me/notify', {}],
		['PUT', '/v1/me/away', { until: tomorrow() }], ['POST', '/v1/me/contacts', { channel: 'email', address: 'a@b.example' }]]) {
		const reply = await eye.request(method, path, { body });
		assert.equal(reply.status, 403, `${method} ${path} ${reply.text}`);
	}
	assert.equal((await boss.client.put('/v1/me/views', [])).status, 200);
	assert.equal((await boss.client.post('/v1/me/present', {})).status, 204);
});

test('who appointed himself a delegate counts for nobody', async () => {
	const [ann, ben, boss] = [await person(), await person(), await person('admin')];
	for (const one of [ann, ben]) {
		assert.equal((await boss.client.put(`/v1/users/${one.id}/away`, { until: tomorrow(), delegate: boss.id })).status, 200);
	}
	const ask = await agent.ask(bash('x', { require: [{ approvals: 1, from: [`user:${ann.id}`] }, { approvals: 1, from: [`user:${ben.id}`] }] }));
	assert.equal((await approve(boss.client, ask)).body.reason, 'require');
});

test('names of agents: nothing that turns the line, nothing that is not seen', async () => {
	for (const name of ['\u202ebot', 'bot\u200b', '\u200bbot', '\u200b\u200b', 'bot\u{e0041}', 'b\u0085ot', 'bo\u00adt', 'b\not']) {
		for (const body of [{ name: 'n', agent: name }, { name }]) {
			const reply = await admin.post('/v1/tokens', { role: 'agent', ...body });
			assert.equal(reply.status, 422, `${JSON.stringify(body)} ${reply.text}`);
		}
	}
	for (const name of ['ci-bot', 'Übersetzer', '翻訳者', 'bot 2']) {
		assert.equal((await admin.post('/v1/tokens', { role: 'agent', name })).status, 201, name);
	}
});

test('what nobody has is not found', async () => {
	const id = '01m7m9pq9m0001d8sabww88gsb';
	for (const path of [`/v1/users/usr_${id}/contacts`, `/v1/teams/team_${id}/contacts`, `/v1/users/usr_${id}/notify`, `/v1/teams/team_${id}`]) {
		assert.equal((await admin.get(path)).status, 404, path);
	}
});

test('sessions, decisions and progress have a rate, each its own', async () => {
	const flood = await server.as('agent', 'flood');
	const session = await flood.session();
	for (const [path, body] of [['/v1/sessions', { title: 'x' }], ['/v1/decide', decide('x')],
		[`/v1/sessions/${session.id}/progress`, { text: 'x' }]]) {
		const replies = [];
		for (let i = 0; i < 400; i += 50) {
			replies.push(...await Promise.all(Array.from({ length: 50 }, () => flood.post(path, body))));
		}
		const refused = replies.filter(({ status }) => status === 429);
		assert.ok(refused.length >= 50, `${path}: ${refused.length} of ${replies.length} refused`);
		assert.ok(Number(refused[0].headers['retry-after']) >= 1);
		assert.match(refused[0].body.detail, /more than 300 requests of this kind a minute/);
	}
	assert.equal((await flood.ask(bash('still asked'))).status, 'pending');
});

test('messages to an agent have a rate', async () => {
	const model = await new ScriptModel(() => ({ blocks: [say('x')], hang: true })).start();
	await admin.post('/v1/providers', { name: 'hangs', kind: 'anthropic', url: model.url, key: 'sk-000000000000' });
	await admin.post('/v1/agents', { name: 'hanger', provider: 'hangs', model: 'm' });
	const { client } = await person();
	const { body: session } = await client.post('/v1/sessions', { agent: 'hanger', message: 'Begin.' });
	const seen = [];
	for (let i = 0; i < 400; i += 50) {
		seen.push(...await Promise.all(Array.from({ length: 50 }, () => client.post(`/v1/sessions/${session.id}/messages`, { content: 'x' }))));
	}
	assert.ok(seen.filter(({ status }) => status === 429).length >= 50, JSON.stringify(seen.at(-1).body));
	model.stop();
});

test('an Origin without TLS at an address with TLS is another site', async () => {
	const from = (origin, host) => nobody.post('/v1/login', { code: 'x' }, { headers: { origin, host } });
	assert.equal((await from('http://desk.example', 'desk.example')).status, 403);
	assert.notEqual((await from('https://desk.example', 'desk.example')).status, 403);
	assert.notEqual((await from(server.url, server.address)).status, 403, 'the machine itself');
});

/* Hooks of calls are closed: whoever cannot be told the decision is told 2, which stops the call. */
const hook = (name, script) => new Promise((done) => {
	const child = spawn('bash', ['-c', script, BIN, name], { env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent },
		stdio: ['pipe', 'pipe', 'pipe'] });
	let out = '';
	child.stdout.on('data', (bytes) => { out += bytes; });
	child.on('close', (code) => done({ code, out }));
	child.stdin.end(JSON.stringify(EVENTS[name]));
});

for (const name of Object.keys(EVENTS)) {
	test(`${name}: a decision that cannot be written stops the call`, async () => {
		const rule = (await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['*'] }, note: 'no' })).body;
		const told = await hook(name, '"$0" hook "$1"');
		assert.ok(told.code === 2 || told.out.length > 2, `read: ${JSON.stringify(told)}`);
		for (const into of ['>/dev/full', '>&-', '> >(exec 0<&-; true)']) {
			const wait = into.startsWith('> >') ? 'sleep 0.2;' : '';
			const { code } = await hook(name, wait ? `exec ${into}; ${wait} "$0" hook "$1"` : `"$0" hook "$1" ${into}`);
			assert.equal(code, 2, into);
		}
		await admin.delete(`/v1/rules/${rule.id}`);
	});
}

test('a provider key that a model says is masked in everything kept', async () => {
	const key = 'sk-abcdefgh12345678';
	const model = await new ScriptModel(() => [say(`The key is ${key}.`)]).start();
	await admin.post('/v1/providers', { name: 'talks', kind: 'anthropic', url: model.url, key });
	await admin.post('/v1/agents', { name: 'talker', provider: 'talks', model: 'm' });
	const started = await admin.post('/v1/sessions', { agent: 'talker', message: 'Tell me.' });
	const session = started.body.id;
	await until(async () => ['idle', 'completed', 'done'].includes((await admin.get(`/v1/sessions/${session}`)).body.status)
		|| (await admin.get(`/v1/sessions/${session}/messages`)).text.includes('[secret'), 'the turn');
	for (const path of [`/v1/sessions/${session}`, `/v1/sessions/${session}/messages`, '/v1/events?format=json&limit=200', `/v1/runs?session=${session}`]) {
		assert.ok(!(await admin.get(path, { check: false })).text.includes(key), path);
	}
	assert.ok((await admin.get(`/v1/sessions/${session}/messages`)).text.includes('[secret …5678]'));
	model.stop();
});

test('numbers that a provider tells are bounded: usage, check and backup go on', async () => {
	let told = 0;
	const huge = ['9223372036854775807', '4611686018427387904', '4611686018427387904', '9007199254740992', '-5', '1e30'];
	const model = await new ScriptModel(() => ({ blocks: [say('OK')], tokens: huge[told++ % huge.length] })).start();
	await admin.post('/v1/providers', { name: 'boasts', kind: 'anthropic', url: model.url, key: 'sk-000000000000' });
	const made = await admin.post('/v1/agents', { name: 'boaster', provider: 'boasts', model: 'm',
		limits: { tokens: 1_000_000_000_000 } });
	assert.equal(made.status, 201, made.text);
	const { body: session } = await admin.post('/v1/sessions', { agent: 'boaster', message: 'One.' });
	for (let i = 1; i < huge.length; i++) {
		await until(async () => model.requests.length >= i, `request ${i}`);
		await until(async () => (await admin.get(`/v1/sessions/${session.id}`)).body.status !== 'running', 'idle');
		const said = await admin.post(`/v1/sessions/${session.id}/messages`, { content: `Again ${i}.` });
		assert.equal(said.status, 201, said.text);
	}
	const usage = await admin.get('/v1/usage');
	assert.equal(usage.status, 200);
	assert.ok(!/-\d/.test(JSON.stringify(usage.body.items)), usage.text);
	const backup = await server.run(['backup', '--data', server.data, `${server.home}/copy.db`]);
	assert.equal(backup.code, 0, backup.stderr);
	const check = await server.run(['check', `${server.home}/copy.db`]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
	model.stop();
});
