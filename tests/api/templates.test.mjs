// Templates of asks and lists of options: admins write them, agents ask with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, member } = server;
const put = (path, body, who = admin) => who.put(path, body);
const asked = async (body, who = agent) => {
	const reply = await who.post('/v1/asks', body);
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const pointers = (reply) => (reply.body.errors ?? []).map((e) => e.pointer);
const DEPLOY = {
	ask: { kind: 'approval', title: 'Deploy {{ app }} to {{env}}', context: { details: 'To {{env}}, as {{app}} asked' },
		operation: { type: 'tool', name: 'deploy', arguments: { env: '{{env}}', args: ['--app', '{{app}}'], n: 1 } } },
	values: { env: { required: true, max: 10 }, app: { required: false } },
};

test('a template is put, read, changed on its version, listed and deleted', async () => {
	const made = await put('/v1/templates/deploy', DEPLOY);
	assert.equal(made.status, 201, made.text);
	assert.deepEqual([made.body.name, made.body.ask, made.body.values, made.body.version, made.body.changed_by.name],
		['deploy', DEPLOY.ask, DEPLOY.values, 1, 'ada']);
	assert.deepEqual((await member.get('/v1/templates/deploy')).body, made.body);
	assert.equal((await put('/v1/templates/deploy', DEPLOY)).status, 409);
	const changed = await put('/v1/templates/deploy', { ...DEPLOY, name: 'deploy', version: 1 });
	assert.deepEqual([changed.status, changed.body.version], [200, 2]);
	await put('/v1/templates/another', { ask: { question: 'Go on?' } });
	assert.deepEqual((await member.get('/v1/templates')).body.items.map((t) => t.name), ['another', 'deploy']);
	const page = (await member.get('/v1/templates?limit=1')).body;
	assert.deepEqual((await member.get(`/v1/templates?limit=1&cursor=${page.next_cursor}`)).body.items.map((t) => t.name), ['deploy']);
	assert.equal((await admin.delete('/v1/templates/another')).status, 204);
	assert.equal((await admin.delete('/v1/templates/another')).status, 404);
	assert.equal((await member.get('/v1/templates/another')).status, 404);
	assert.equal((await put('/v1/templates/another', { ask: { question: 'Go on?' }, version: 1 })).status, 409);
});

test('agents read what they need to ask with a template, and no list', async () => {
	await put('/v1/templates/short', { ask: { question: 'Deploy to {{env}}?', context: { secret: 'plan' } }, values: { env: { max: 10 } } });
	const brief = { name: 'short', description: 'Deploy to {{env}}?', values: { env: { max: 10 } } };
	const one = await agent.get('/v1/templates/short');
	assert.deepEqual([one.status, one.body.name, one.body.description, Object.keys(one.body.values), Object.keys(one.body).length],
		[200, brief.name, brief.description, ['env'], 3], one.text);
	assert.deepEqual((await agent.get('/v1/templates')).body.items.find((t) => t.name === 'short'), one.body);
	assert.equal((await agent.get('/v1/templates/none')).status, 404);
	assert.ok((await member.get('/v1/templates/short')).body.ask, 'people see the whole');
	await admin.delete('/v1/templates/short');
});

test('admins write, people read, agents do not', async () => {
	for (const path of ['/v1/templates/x', '/v1/lists/x']) {
		const body = path.includes('lists') ? { items: ['a'] } : { ask: { question: 'Go?' } };
		assert.equal((await put(path, body, member)).status, 403);
		assert.equal((await put(path, body, agent)).status, 403);
		if (path.includes('lists')) assert.equal((await agent.get(path)).status, 403);
		if (path.includes('lists')) assert.equal((await agent.get(path.slice(0, -2))).status, 403);
		assert.equal((await member.delete(path)).status, 403);
	}
});

test('asking with a template gives an ordinary ask, with the values as text', async () => {
	const ask = await asked({ template: 'deploy', values: { env: 'prod', app: 'web' } });
	assert.deepEqual([ask.kind, ask.title, ask.context.details, ask.operation.arguments],
		['approval', 'Deploy web to prod', 'To prod, as web asked', { env: 'prod', args: ['--app', 'web'], n: 1 }]);
	assert.equal(ask.questions[0].text, 'Deploy web to prod');
	assert.equal((await asked({ template: 'deploy', values: { env: 'prod' } })).title, 'Deploy  to prod');
	assert.equal((await asked({ template: 'deploy', values: { env: 7 } })).operation.arguments.env, '7');
	const session = (await agent.post('/v1/sessions', { title: 'S', parallel: true })).body;
	const here = await agent.post(`/v1/sessions/${session.id}/asks`, { template: 'deploy', values: { env: 'prod' } });
	assert.deepEqual([here.status, here.body.session], [201, session.id]);
});

test('members beside the template replace its own', async () => {
	const ask = await asked({ template: 'deploy', values: { env: 'prod' }, title: 'Now {{env}}', operation: { name: 'other', arguments: { x: '{{env}}' } }, priority: 'high' });
	assert.deepEqual([ask.title, ask.operation.name, ask.operation.arguments, ask.priority], ['Now {{env}}', 'other', { x: '{{env}}' }, 'high']);
	await put('/v1/templates/many', { ask: { title: 'T', questions: [{ text: 'One?' }, { text: 'Two?' }] } });
	assert.deepEqual((await asked({ template: 'many', question: 'Three?' })).questions.map((q) => q.text), ['Three?']);
});

test('a value becomes text, never structure, and is not looked at again', async () => {
	const evil = '"}],"kind":"blocking","x":[{"\\u0000{{app}}';
	await put('/v1/templates/wide', { ask: { ...DEPLOY.ask, title: 'T' }, values: { env: {}, app: {} } });
	const ask = await asked({ template: 'wide', values: { env: evil, app: '{{env}}' } });
	assert.deepEqual(ask.operation.arguments, { env: evil, args: ['--app', '{{env}}'], n: 1 });
	assert.equal(ask.kind, 'approval');
	const lines = await agent.post('/v1/asks', { template: 'deploy', values: { env: 'a\nb' } });
	assert.deepEqual([lines.status, pointers(lines)], [422, ['/title']]);
});

test('what is wrong with values is told with its pointer', async () => {
	const wrong = async (body) => { const r = await agent.post('/v1/asks', body); assert.equal(r.status, 422, r.text); return pointers(r); };
	assert.deepEqual(await wrong({ template: 'nothing' }), ['/template']);
	assert.deepEqual(await wrong({ template: 7 }), ['/template']);
	assert.deepEqual(await wrong({ template: 'deploy' }), ['/values/env']);
	assert.deepEqual(await wrong({ template: 'deploy', values: { env: 'x'.repeat(11) } }), ['/values/env']);
	assert.deepEqual(await wrong({ template: 'deploy', values: { env: 'x', y: 'z' } }), ['/values/y']);
	assert.deepEqual(await wrong({ template: 'deploy', values: { env: ['x'] } }), ['/values/env']);
	assert.deepEqual(await wrong({ template: 'deploy', values: 'x' }), ['/values']);
	assert.deepEqual(await wrong({ values: { env: 'x' }, question: 'Go?' }), ['/values']);
	assert.deepEqual(await wrong({ template: 'deploy', values: { env: 'x' }, kind: 'mad' }), ['/kind', '/operation', '/questions']);
});

test('a template that can never be asked is refused', async () => {
	const wrong = async (body, name = 'bad') => { const r = await put(`/v1/templates/${name}`, body); assert.equal(r.status, 422, r.text); return pointers(r); };
	assert.deepEqual(await wrong({}), ['/ask']);
	assert.deepEqual(await wrong({ ask: { question: 'Go to {{env}}?' } }), ['/ask/question']);
	assert.deepEqual(await wrong({ ask: { question: 'Go?', session: 'ses_1', colour: 1, template: 'deploy' } }), ['/ask/session', '/ask/colour', '/ask/template']);
	assert.deepEqual(await wrong({ ask: { question: 'Go?' }, values: { 'a b': {}, c: { max: 0 }, d: { min: 1 } } }), ['/values/a b', '/values/c/max', '/values/d/min']);
	assert.deepEqual(await wrong({ ask: { question: 'Go?' } }, 'Not-A-Name'), ['/name']);
	assert.deepEqual(await wrong({ ask: { question: 'Go?' }, name: 'other' }), ['/name']);
	assert.deepEqual(await wrong({ ask: { question: 'x'.repeat(70000) } }), ['']);
});

test('options come from a list, as it is when it is asked', async () => {
	const items = [{ id: 'ops', label: 'Operations' }, { id: 'dev', label: 'Developers', description: 'who write it' }];
	assert.equal((await put('/v1/lists/personas', { items })).status, 201);
	const ask = await asked({ questions: [{ text: 'Who?', options: { list: 'personas' } }, { text: 'And?', type: 'text' }] });
	assert.deepEqual(ask.questions.map((q) => [q.type, q.options]), [['choice', items], ['text', undefined]]);
	assert.equal((await put('/v1/lists/personas', { items: ['One'], version: 1 })).status, 200);
	assert.deepEqual((await asked({ question: 'Who?', options: { list: 'personas' } })).questions[0].options, [{ id: 'One', label: 'One' }]);
	assert.deepEqual((await member.read(ask)).questions[0].options, items);
	await put('/v1/templates/who', { ask: { questions: [{ text: 'Who of {{team}}?', options: { list: 'personas' } }] }, values: { team: {} } });
	assert.deepEqual((await asked({ template: 'who', values: { team: 'x' } })).questions.map((q) => [q.text, q.options.length]), [['Who of x?', 1]]);
	for (const options of [{ list: 'nobody' }, { list: 'personas', more: 1 }, { list: 5 }]) {
		const reply = await agent.post('/v1/asks', { questions: [{ text: 'Who?', options }] });
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/questions/0/options/list']]);
	}
	const many = await put('/v1/lists/many', { items: Array.from({ length: 21 }, (_, n) => `${n}`) });
	assert.deepEqual([many.status, pointers(many)], [422, ['/items']]);
	const twice = await put('/v1/lists/twice', { items: ['a', { id: 'a', label: 'b' }] });
	assert.deepEqual([twice.status, pointers(twice)], [422, ['/items/1/id']]);
	assert.equal((await admin.delete('/v1/lists/personas')).status, 204);
	assert.deepEqual((await member.get('/v1/lists')).body.items, []);
});

test('at most 200 of each kind', async () => {
	const had = (await member.get('/v1/lists?limit=200')).body.items.length;
	for (let n = had; n < 200; n++) assert.equal((await put(`/v1/lists/l-${n}`, { items: ['a'] })).status, 201);
	const over = await put('/v1/lists/over', { items: ['a'] });
	assert.equal(over.status, 409, over.text);
	assert.equal((await put('/v1/templates/still', { ask: { question: 'Go?' } })).status, 201);
});

test('from the shell: set, list, show, ask with values, delete', async () => {
	const env = { LANG: 'C.UTF-8' };
	const run = (args, input = '') => server.run([...args, '--data', server.data], { env, input });
	const set = await run(['template', 'shell', 'set'], JSON.stringify({ ask: { question: 'Ship {{what}}?', type: 'boolean' }, values: { what: {}, why: { required: false } } }));
	assert.equal(set.code, 0, set.stderr);
	const listed = (await run(['template'])).stdout.split('\n').find((line) => line.startsWith('shell'));
	assert.match(listed, /what, why\?$/);
	const shown = JSON.parse((await run(['template', 'shell', '--json'])).stdout);
	assert.equal(shown.version, 1);
	const again = await run(['template', 'shell', 'set', '--json'], JSON.stringify(shown));
	assert.equal(JSON.parse(again.stdout).version, 2, again.stderr);
	const asker = { env: { ...env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent } };
	const ask = await server.run(['ask', '--template', 'shell', '--value', 'what=a=b', '--no-wait'], asker);
	assert.equal(ask.code, 0, ask.stderr);
	assert.equal((await member.get(`/v1/asks/${ask.stdout.trim()}`)).body.questions[0].text, 'Ship a=b?');
	assert.equal((await server.run(['ask', '--template', 'shell', '--value', 'what'], asker)).code, 2);
	assert.equal((await run(['template', 'shell', 'delete'])).code, 0);
	assert.equal((await run(['template', 'shell'])).code, 5);
	assert.equal((await run(['template', 'l-0', '--list'])).code, 0);
	assert.equal((await run(['template', 'shell', 'burn'])).code, 2);
});
