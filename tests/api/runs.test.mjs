// Agents that Parley runs: a message becomes a run, a run calls the model and tools, waits as a row, goes on.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { first, last, results, say, ScriptModel, think, use } from '../lib/script_model.mjs';
import { notInAFile } from '../lib/postgres.mjs';
import { pointers } from './lib/samples.mjs';
import { sleep, until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-runs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/* What the model does for a first message: a function of the request for each. */
const scripts = new Map();
const script = (text, answer) => { scripts.set(text, answer); return text; };
const model = await new ScriptModel((request, n) => {
	const found = [...scripts].find(([text]) => first(request).startsWith(text));
	return found ? found[1](request, n) : [say('no script')];
}).start();
after(() => model.stop());

const server = await useServer({ env: { PARLEY_TEST_TOOLS: '1' } });
const { admin, member, agent } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };

const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, at_once: { auto: 16, manual: 16, selective: 16 } }));
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url,
	models: [{ id: 'm', context: 1000, output: 500, price: { input: 1, output: 10 } }] }), 201);
const make = async (name, more = {}) => ok(await admin.post('/v1/agents', { name, provider: 'scripted', model: 'm',
	prompt: 'You help.', tools: ['ask_user_question', 'memory', 'todo'], ...more }), 201);
await make('helper');

const start = async (message, body = {}) => ok(await member.post('/v1/sessions', { agent: 'helper', message, ...body }), 201);
const run = async (id) => ok(await member.get(`/v1/runs/${id}`));
const ended = (id) => until(async () => {
	const r = await run(id);
	return ['completed', 'failed', 'cancelled'].includes(r.status) && r;
}, `the end of ${id}`, 20_000);
const waiting = (session) => until(async () => {
	const s = ok(await member.get(`/v1/sessions/${session}`));
	return s.pending_asks[0];
}, `an ask of ${session}`, 20_000);
const state = async (session) => ok(await member.get(`/v1/sessions/${session}/state`));
const types = async (session) => ok(await member.get(`/v1/events?format=json&after=0&session=${session}&limit=200`)).items
	.map(({ type }) => type);

test('the event of a message has its first line', async () => {
	const said = [[say('\n  **Reading** both.  \nThen more.'), use('todo', { operation: 'list' })], [use('todo', { operation: 'list' })],
		[say(`${'é'.repeat(200)}\nend`)]];
	const session = await start(script('Say several things', ({ messages }) => said[messages.filter(({ role }) => role === 'assistant').length]));
	await ended(session.run);
	const { items } = ok(await member.get(`/v1/events?format=json&after=0&session=${session.id}&limit=200`));
	assert.deepEqual(items.filter(({ type }) => type === 'run.message').map(({ data }) => data.text),
		['**Reading** both.', undefined, `${'é'.repeat(119)}…`]);
});

test('a message becomes a run, the run an answer, with tokens and costs', async () => {
	const session = await start(script('Say hello', () => [think('hm'), say('Hello!')]), { title: undefined });
	assert.equal(session.title, 'Say hello');
	const r = await ended(session.run);
	assert.equal(r.status, 'completed');
	assert.equal(r.report, 'Hello!');
	assert.deepEqual([r.usage.input, r.usage.output, r.cost_usd, r.cost_partial], [100, 20, 0.0003, false]);
	assert.deepEqual([r.context_tokens, r.context_max, r.turn, r.attempt], [120, 1000, 1, 1]);
	const s = ok(await member.get(`/v1/sessions/${session.id}`));
	assert.deepEqual([s.status, s.runnable, s.run, s.cost_usd], ['completed', true, r.id, 0.0003]);
	assert.deepEqual(await types(session.id), ['session.created', 'run.queued', 'session.status', 'run.started',
		'run.message', 'run.completed', 'session.status']);
	const all = await state(session.id);
	assert.deepEqual(all.messages.map(({ role }) => role), ['assistant', 'user']);
	assert.deepEqual(all.thoughts.map(({ text }) => text), ['hm']);
	assert.equal(all.truncated, false);
});

test('a reply is held until the run has ended, or waits for a person', async () => {
	const session = await start(script('Hold on', (q) => (last(q) === 'ask' ? [use('ask_user_question', { questions: [{ question: 'Eh?' }] })]
		: [say('held')])));
	assert.equal(ok(await member.get(`/v1/runs/${session.run}?wait=20`)).report, 'held');
	const said = ok(await member.post(`/v1/sessions/${session.id}/messages?wait=20`, { content: 'again,"run":{}' }), 201);
	assert.deepEqual([said.message.content[0].text, said.run.report], ['again,"run":{}', 'held']);
	const asked = ok(await member.post(`/v1/sessions/${session.id}/messages?wait=20`, { content: 'ask' }), 201);
	assert.equal(asked.run.status, 'waiting');
	ok(await member.post(`/v1/runs/${asked.run.id}/cancel`, {}));
});

test('a session without a title gets its first message\'s first line, unless one was given', async () => {
	const line = script('Ümläute und mehr', () => [say('ok')]);
	const begun = async (body) => {
		const session = ok(await member.post('/v1/sessions', { agent: 'helper', ...body }), 201);
		const said = ok(await member.post(`/v1/sessions/${session.id}/messages?wait=20`, { content: `${line}\nsecond line` }), 201);
		assert.equal(said.run.status, 'completed');
		return session;
	};
	const bare = await begun({}), named = await begun({ title: 'Mine' });
	const title = async ({ id }) => ok(await member.get(`/v1/sessions/${id}`)).title;
	assert.deepEqual([bare.title, await title(bare), await title(named)], ['helper', line, 'Mine']);
	assert.ok((await types(bare.id)).includes('session.changed'));
	ok(await member.post(`/v1/sessions/${bare.id}/messages?wait=20`, { content: 'Another' }), 201);
	assert.equal(await title(bare), line);
});

test('a retry and a cancel that are repeated with their key are done once', async () => {
	const keyed = (path, body, key) => member.post(path, body, { headers: { 'idempotency-key': key } });
	let calls = 0;
	await make('failing', { on_error: 'fail' });
	const session = await start(script('Fail once', () => (calls++ ? [say('well')] : { status: 400 })), { agent: 'failing' });
	assert.equal((await ended(session.run)).status, 'failed');
	const again = [1, 2].map(() => keyed(`/v1/runs/${session.run}/retry`, {}, 'retry-1'));
	const [first, second] = (await Promise.all(again)).map((reply) => ok(reply, 201));
	assert.equal(first.id, second.id);
	assert.equal((await ended(first.id)).status, 'completed');
	assert.equal((await keyed(`/v1/runs/${session.run}/retry`, { reason: 'x' }, 'retry-1')).status, 422);
	const long = await start(script('Ask and be stopped', () => [use('ask_user_question', { questions: [{ question: 'Eh?' }] })]));
	await waiting(long.id);
	for (let i = 0; i < 2; i++) assert.equal(ok(await keyed(`/v1/runs/${long.run}/cancel`, { reason: 'enough' }, 'cancel-1')).status, 'cancelled');
});

test('a later message goes on in the same conversation', async () => {
	const session = await start(script('Remember 7', (q) => [say(last(q) === 'Which?' ? 'Seven' : 'Noted')]));
	await ended(session.run);
	const said = ok(await member.post(`/v1/sessions/${session.id}/messages`, { content: 'Which?' }), 201);
	assert.notEqual(said.run.id, session.run);
	assert.equal((await ended(said.run.id)).report, 'Seven');
	assert.deepEqual(model.requests.at(-1).messages.map(({ role }) => role), ['user', 'assistant', 'user']);
	assert.equal(ok(await member.get(`/v1/sessions/${session.id}/messages?limit=2`)).items.length, 2);
});

test('tools of the store are done with the message that asked for them', async () => {
	const session = await start(script('Plan it', (q) => (results(q).length ? [say('planned')]
		: [use('todo', { operation: 'create', name: 'First', priority: 2 }),
			use('memory', { operation: 'add', text: 'Ada likes tea', tags: ['tea'] })])));
	assert.equal((await ended(session.run)).report, 'planned');
	const all = await state(session.id);
	assert.deepEqual(all.tasks.map(({ name, priority, status }) => [name, priority, status]), [['First', 2, 'pending']]);
	assert.deepEqual(all.tool_calls.map(({ name, status, class: c }) => [name, status, c]).sort(),
		[['memory', 'done', 'store'], ['todo', 'done', 'store']]);
	const call = ok(await member.get(`/v1/tool-calls/${all.tool_calls[0].id}`));
	assert.ok(call.result, 'its result is found in the message');
	const calls = async (query, who = member) => ok(await who.get(`/v1/tool-calls?${query}`));
	assert.deepEqual(ok(await member.get(`/v1/runs/${session.run}`)).tools_used, ['todo', 'memory']);
	assert.deepEqual((await calls(`run=${session.run}`)).items.map(({ name, result }) => [name, Boolean(result)]), [['memory', true], ['todo', true]], 'newest first, with results');
	assert.equal((await calls(`session=${session.id}&status=done`)).items.length, 2);
	assert.deepEqual((await calls(`session=${session.id}&status=failed`)).items, []);
	assert.deepEqual((await calls('run=run_00000000000000000000000000')).items, []);
	const first = await calls(`run=${session.run}&limit=1`);
	const rest = await calls(`run=${session.run}&limit=1&cursor=${first.next_cursor}`);
	assert.deepEqual([...first.items, ...rest.items].map(({ id }) => id), (await calls('limit=2')).items.map(({ id }) => id));
	assert.equal(rest.next_cursor, null);
	assert.deepEqual([(await member.get('/v1/tool-calls?status=over')).status, (await server.agent.get(`/v1/tool-calls?run=${session.run}`)).status], [422, 403]);
	const notes = ok(await member.get('/v1/memories?q=TEA&agent=helper'));
	assert.deepEqual(notes.items.map(({ text, scope }) => [text, scope]), [['Ada likes tea', 'agent']]);
	assert.equal((await member.delete(`/v1/memories/${notes.items[0].id}`)).status, 204);
});

test('a run asks with a template', async () => {
	assert.equal((await admin.put('/v1/templates/when', { ask: { questions: [{ key: 'w', text: 'When does {{who}} come?', type: 'text' }] }, values: { who: {} } })).status, 201);
	const session = await start(script('Template', (q) => (q.messages.length > 6 ? [say(results(q)[0].text)]
		: [[use('ask_user_question', {})], [use('ask_user_question', { template: 'when', values: { whom: 'Ada' } })],
			[use('ask_user_question', { template: 'when', values: { who: 'Ada' } })]][(q.messages.length - 1) / 2])));
	const ask = await waiting(session.id);
	assert.equal(ask.questions[0].text, 'When does Ada come?');
	await member.answer(ask, { w: 'At noon' });
	assert.match((await ended(session.run)).report, /At noon/);
	const told = model.requests.findLast((q) => first(q).startsWith('Template')).tools.find(({ name }) => name === 'ask_user_question').input_schema;
	assert.match(told.properties.template.description, /one of: when$/);
	assert.equal((await admin.delete('/v1/templates/when')).status, 204);
	const [, unknown, none] = ok(await member.get(`/v1/tool-calls?run=${session.run}`)).items;
	assert.deepEqual([none.status, unknown.status], ['failed', 'failed'], 'the model is told');
});

test('a question waits as a row, and the answer goes to the model', async () => {
	const session = await start(script('Ask me', (q) => (results(q).length ? [say(`So: ${results(q)[0].text}`)]
		: [use('ask_user_question', { questions: [{ question: 'Which colour?', header: 'Colour',
			options: [{ label: 'Red' }, { label: 'Blue' }] }] })])));
	const ask = await waiting(session.id);
	assert.deepEqual([ask.kind, ask.run, ask.agent.name], ['blocking', session.run, 'helper']);
	assert.equal(ok(await member.get(`/v1/sessions/${session.id}`)).status, 'waiting_for_input');
	const r = await until(async () => { const x = await run(session.run); return x.status === 'waiting' && x; });
	assert.deepEqual(r.waits_for, [{ type: 'ask', id: ask.id, until: null }]);
	ok(await member.answer(ask, { q1: 'Blue' }));
	assert.match((await ended(session.run)).report, /Blue/);
	assert.deepEqual((await types(session.id)).filter((t) => /^run\./.test(t)), ['run.queued', 'run.started',
		'run.message', 'run.waiting', 'run.tool_finished', 'run.resumed', 'run.message', 'run.completed']);
});

test('an approval is asked, used once, and what was edited runs', async () => {
	await make('careful', { tools: ['todo'], validation: { mode: 'manual' } });
	const session = await start(script('Carefully', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [say('A task first.'), use('todo', { operation: 'create', name: 'Wrong' })])), { agent: 'careful' });
	const ask = await waiting(session.id);
	assert.deepEqual([ask.kind, ask.operation.name, ask.operation.risk], ['approval', 'todo', 'medium']);
	assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 404);
	assert.deepEqual([ask.title, ask.context.text], ['Create a task: Wrong', 'A task first.'], 'in words, with the agent’s own');
	const approve = (given) => member.post(`/v1/asks/${ask.id}/answer`,
		{ answers: { decision: { value: 'approve', text: 'mind the name', arguments: given } } });
	for (const [wrong, at] of [[{ operation: 'explode' }, '/operation'], [{ operation: 'create', name: 5 }, '/name'], [{}, '/operation'],
		[{ operation: 'create', name: 'x', priority: 9 }, '/priority']]) {
		const reply = await approve(wrong);
		assert.deepEqual([reply.status, pointers(reply)], [422, [`/answers/decision/arguments${at}`]], reply.text);
	}
	assert.match((await approve({ operation: 'create', name: 'x', priority: 9 })).text, /must be 1 to 5/);
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
	ok(await approve({ operation: 'create', name: 'Right' }));
	assert.match((await ended(session.run)).report,
		/^\[A person changed the arguments to \{"operation":"create","name":"Right"\}\.\]\n\[Note of the person: mind the name\]\n/);
	const all = await state(session.id);
	assert.deepEqual(all.tasks.map(({ name }) => name), ['Right']);
	assert.equal(all.tool_calls[0].approved_arguments.name, 'Right');
	assert.equal(all.tool_calls[0].title, 'Create a task: Right');
	assert.equal(all.tool_calls[0].verdict.effect, 'ask');
	assert.ok((await types(session.id)).includes('ask.used'));
	assert.equal((await admin.post(`/v1/asks/${ask.id}/use`, { digest: all.asks[0].approved_digest })).status, 409);
});

test('a rejection is told to the model, or ends the run', async () => {
	script('Reject', (q) => (results(q).length ? [say(`${results(q)[0].bad} ${results(q)[0].text}`)]
		: [use('todo', { operation: 'create', name: 'No' })]));
	const told = await start('Reject this', { agent: 'careful' });
	ok(await member.post(`/v1/asks/${(await waiting(told.id)).id}/answer`,
		{ answers: { decision: { value: 'reject', text: 'not today' } } }));
	assert.match((await ended(told.run)).report, /true .*not today/);
	await make('strict', { tools: ['todo'], validation: { mode: 'manual' }, on_reject: 'stop' });
	const stopped = await start('Reject this', { agent: 'strict' });
	ok(await member.post(`/v1/asks/${(await waiting(stopped.id)).id}/answer`, { answers: { decision: 'reject' } }));
	const r = await ended(stopped.run);
	assert.deepEqual([r.status, r.error.kind], ['failed', 'rejected']);
});

test('an agent that says nothing about rejections goes by the policy', async () => {
	const put = async (on_reject) => ok(await admin.put('/v1/policy', { version: ok(await admin.get('/v1/policy')).version, on_reject }));
	await make('silent', { tools: ['todo'], validation: { mode: 'manual' } });
	await make('teller', { tools: ['todo'], validation: { mode: 'manual' }, on_reject: 'tell' });
	assert.equal(ok(await admin.get('/v1/agents/silent')).on_reject, null);
	const rejected = async (agent) => {
		const session = await start('Reject this', { agent });
		ok(await member.post(`/v1/asks/${(await waiting(session.id)).id}/answer`, { answers: { decision: 'reject' } }));
		return (await ended(session.run)).status;
	};
	await put('stop');
	assert.deepEqual([await rejected('silent'), await rejected('teller')], ['failed', 'completed']);
	await put('tell');
	assert.equal(await rejected('silent'), 'completed');
});

test('unknown tools, bad arguments and broken JSON are told to the model', async () => {
	const broken = { ...use('todo'), raw: '{"operation": "create", ' };
	const session = await start(script('Break it', (q) => (results(q).length ? [say('sorry')]
		: [use('rm_rf', {}), use('todo', { operation: 'explode' }), broken, use('spawn_agent', { name: 'x', prompt: 'y', task: 'z' })])));
	assert.equal((await ended(session.run)).report, 'sorry');
	const calls = (await state(session.id)).tool_calls;
	assert.deepEqual(calls.map(({ status }) => status), ['failed', 'failed', 'failed', 'failed']);
	assert.ok(calls.some(({ error }) => error === 'there is no tool rm_rf'));
});

test('tokens come on the stream, and the turn so far to who comes late', async () => {
	let go, goOn;
	const gate = new Promise((done) => { go = done; });
	const middle = new Promise((done) => { goOn = done; });
	const session = await start(script('Slowly', async () => {
		await gate;
		return { blocks: [say('word '.repeat(60))], pause: (n) => n === 4 && middle };
	}));
	const early = await member.stream(`?session=${session.id}&after=0`);
	go();
	const begun = Date.now();
	const shown = await early.eventsUntil(({ type, data }) => type === 'run.token' && /word/.test(data.text));
	const late = await member.stream(`?session=${session.id}`);
	const partial = (await late.eventsUntil(({ type }) => type === 'run.partial')).at(-1);
	await until(() => Date.now() - begun > 1000, 'a second of it');
	goOn();
	assert.match(partial.data.text, /^word word/);
	shown.push(...await early.eventsUntil(({ type }) => type === 'run.completed'));
	let text = '';
	for (const { type, data } of shown) {
		if (type === 'run.partial') text = data.text;
		if (type === 'run.token') text += data.text;
	}
	assert.equal(text, 'word '.repeat(60));
	/* Figures come while it is being said, estimated; the last one is counted. */
	const figures = shown.filter(({ type }) => type === 'run.progress');
	assert.ok(figures.length > 1, 'before the end of the turn as well');
	assert.ok(figures[0].data.tokens > 0 && figures[0].data.cost_usd > 0, JSON.stringify(figures[0]));
	assert.deepEqual(figures.map(({ data }) => data.estimated), [...figures.slice(1).map(() => true), false]);
	assert.equal(figures.at(-1).data.tokens, 20);
	const counted = shown.filter(({ type }) => type === 'run.token').map(({ data }) => data.tokens);
	assert.ok(counted.every((n, i) => n >= (counted[i - 1] ?? 0)) && counted.at(-1) === 100, `so far: ${counted}`);
});

test('figures come every second of a call, also while nothing is said, with what of the tasks is done', async () => {
	let go;
	const gate = new Promise((done) => { go = done; });
	const session = await start(script('Plan two', async (q) => {
		if (!results(q).length) return [use('todo', { operation: 'create', name: 'One' }), use('todo', { operation: 'create', name: 'Two' })];
		if (results(q).length === 2) return [use('todo', { operation: 'complete', id: JSON.parse(results(q)[0].text).id })];
		await gate;
		return [say('half')];
	}));
	const stream = await member.stream(`?session=${session.id}&after=0`);
	const shown = await stream.eventsUntil(({ type, data }) => type === 'run.progress' && data.percent === 50);
	go();
	assert.deepEqual(Object.keys(shown.at(-1).data).sort(), ['cost_usd', 'estimated', 'percent', 'run', 'text', 'tokens', 'tokens_per_s']);
	assert.equal(shown.at(-1).data.text, 'thinking');
	assert.equal((await ended(session.run)).report, 'half');
});

test('cancel ends the run, its model call and its asks', async () => {
	const busy = await start(script('Hang', () => ({ blocks: [say('a')], hang: true })));
	await until(() => model.open > 0, 'the model call');
	const before = Date.now();
	assert.equal(ok(await member.post(`/v1/runs/${busy.run}/cancel`, { reason: 'enough' })).status, 'cancelled');
	await until(() => model.open === 0, 'the end of the model call', 5000);
	assert.ok(Date.now() - before < 2000, 'within two seconds');
	assert.equal(ok(await member.get(`/v1/sessions/${busy.id}`)).status, 'cancelled');
	const asking = await start('Ask me something');
	const ask = await waiting(asking.id);
	ok(await member.post(`/v1/sessions/${asking.id}/cancel`, {}));
	assert.equal(ok(await member.get(`/v1/asks/${ask.id}`)).status, 'cancelled');
	assert.equal((await run(asking.run)).status, 'cancelled');
	assert.equal((await member.post(`/v1/runs/${asking.run}/cancel`, {})).status, 409);
});

test('trouble: retried, or told by its kind', async () => {
	const kinds = [
		['Limit429', { status: 429, headers: { 'retry-after-ms': '20' } }, 'rate_limited', 4],
		['Over529', { status: 529 }, 'overloaded', 4],
		['InStream', { blocks: [say('half')], error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded', 4],
		['Money', { status: 400, body: { type: 'error', error: { type: 'invalid_request_error',
			message: 'Your credit balance is too low' } } }, null, 1],
		['Key', { status: 401 }, 'unauthorized', 1],
		['Cut', { blocks: [use('todo', { operation: 'create', name: 'never' })], cut: 4 }, 'unreachable', 4],
	];
	await make('blunt', { on_error: 'fail' });
	const sessions = await Promise.all(kinds.map(([name, answer]) => {
		script(name, () => answer);
		return start(name, { agent: 'blunt' });
	}));
	for (const [i, [name, , kind, tries]] of kinds.entries()) {
		const r = await ended(sessions[i].run);
		assert.equal(r.status, 'failed', name);
		if (kind) assert.equal(r.error.kind, kind, name);
		assert.equal(model.requests.filter((q) => first(q) === name).length, tries, name);
		assert.deepEqual((await state(sessions[i].id)).tasks, [], name);
	}
	let fails = 2;
	const mended = await start(script('Flaky', () => (fails-- > 0 ? { status: 500 } : [say('fine')])));
	assert.equal((await ended(mended.run)).report, 'fine');
});

test('a person mends trouble: retry, another model, abort', async () => {
	let bad = true;
	script('Mend', (q) => (bad && q.model === 'm' ? { status: 401 } : [say(`by ${q.model}`)]));
	const first_ = await start('Mend one');
	const ask = await waiting(first_.id);
	assert.equal(ask.kind, 'error_recovery');
	assert.equal((await run(first_.run)).error.kind, 'unauthorized');
	bad = false;
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { recovery: 'retry' } }));
	assert.equal((await ended(first_.run)).report, 'by m');
	bad = true;
	const second = await start('Mend two');
	ok(await member.post(`/v1/asks/${(await waiting(second.id)).id}/answer`,
		{ answers: { recovery: { selected: ['edit'], text: 'm2' } } }));
	assert.equal((await ended(second.run)).report, 'by m2');
	ok(await admin.post('/v1/providers', { name: 'spare', kind: 'anthropic', url: model.url }), 201);
	const moved = await start('Mend elsewhere'), mend = await waiting(moved.id);
	const edit = (text) => member.post(`/v1/asks/${mend.id}/answer`, { answers: { recovery: { selected: ['edit'], text } } });
	for (const text of ['nobody/m3', 'spare/', '']) {
		const reply = await edit(text);
		assert.equal(reply.status, 422, reply.text);
		assert.equal((await waiting(moved.id)).id, mend.id, 'still pending');
	}
	ok(await edit('spare/m3'));
	const there = await ended(moved.run);
	assert.deepEqual([there.report, there.provider, there.model], ['by m3', 'spare', 'm3']);
	const third = await start('Mend three');
	ok(await member.post(`/v1/asks/${(await waiting(third.id)).id}/answer`, { answers: { recovery: 'abort' } }));
	const r = await ended(third.run);
	assert.deepEqual([r.status, r.error.kind], ['failed', 'unauthorized']);
	assert.deepEqual(ok(await member.get(`/v1/sessions/${third.id}`)).error, r.error);
	bad = false;
	const again = ok(await member.post(`/v1/runs/${r.id}/retry`, {}), 201);
	assert.equal((await ended(again.id)).report, 'by m');
	assert.equal(ok(await member.get(`/v1/sessions/${third.id}`)).error, null);
	assert.equal((await member.post(`/v1/runs/${r.id}/retry`, {})).status, 409, 'another run came after it');
});

test('limits: asked for more, or failed', async () => {
	script('Forever', () => [use('todo', { operation: 'list' })]);
	await make('short', { limits: { turns: 2 } });
	const session = await start('Forever', { agent: 'short' });
	const ask = await waiting(session.id);
	assert.equal((await run(session.run)).error.kind, 'limit');
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { recovery: 'retry' } }));
	const next = await until(async () => {
		const s = ok(await member.get(`/v1/sessions/${session.id}`));
		return s.pending_asks[0]?.id !== ask.id && s.pending_asks[0];
	});
	assert.equal((await run(session.run)).turn, 4);
	ok(await member.post(`/v1/asks/${next.id}/answer`, { answers: { recovery: 'abort' } }));
	assert.equal((await ended(session.run)).error.kind, 'limit');
	/* A number grants that many more of the limit that is reached, not of the others. */
	const granted = async (limits, text, bad) => {
		const { name } = await make(`granted-${Object.keys(limits)[0].replace('_', '-')}`, { limits });
		const asked = await start('Forever', { agent: name });
		const one = await waiting(asked.id), before = await run(asked.run);
		const edit = (said) => member.post(`/v1/asks/${one.id}/answer`,
			{ answers: { recovery: { selected: ['edit'], text: said } } });
		assert.equal((await edit(bad)).status, 422);
		ok(await edit(text));
		await until(async () => ok(await member.get(`/v1/sessions/${asked.id}`)).pending_asks[0]?.id !== one.id
			&& (await run(asked.run)).status === 'waiting');
		const now = await run(asked.run);
		ok(await member.post(`/v1/runs/${now.id}/cancel`, {}));
		return [before.turn, now.turn - before.turn, now.limits[Object.keys(limits)[0]]];
	};
	assert.deepEqual(await granted({ turns: 2 }, '3', 'a few'), [2, 3, 5]);
	/* 120 tokens and 0.0003 dollars a turn; a call needs what it may use, so some of the limit is left. */
	assert.deepEqual(await granted({ tokens: 1000 }, '240', '1.5'), [3, 2, 1240]);
	const [, more, dollars] = await granted({ cost_usd: 0.006 }, '0.0009', '0');
	assert.ok(more > 0 && more <= 3 && dollars === 0.0069, `${more} turns, ${dollars}`);
	await make('cheap', { limits: { cost_usd: 0.006 }, on_limit: 'stop' });
	const costly = await ended((await start('Forever', { agent: 'cheap' })).run);
	assert.equal(costly.error.kind, 'limit');
	assert.ok(costly.turn > 0 && costly.cost_usd <= 0.006, `${costly.turn} turns, ${costly.cost_usd}`);
});

test('a call is paid for before it is sent: its answer is cut to what is left, and what cannot be paid is not sent', async () => {
	const tokens = [];
	let n = 0;
	script('Pay', (q) => { tokens.push(q.max_tokens); return [say('paid')]; });
	const paid = async (limits) => {
		tokens.length = 0;
		const { name } = await make(`pays-${'abcdefgh'[n++]}`, { limits, on_limit: 'stop', tools: [] });
		const r = await ended((await start('Pay', { agent: name })).run);
		return [r.error?.kind ?? null, ...tokens];
	};
	assert.deepEqual(await paid({}), [null, 500]);
	assert.deepEqual(await paid({ output: 300 }), [null, 300]);
	assert.deepEqual(await paid({ tokens: 100_000 }), [null, 500]);
	const [none, cut] = await paid({ tokens: 420 });
	assert.ok(none === null && cut >= 256 && cut < 420, `${cut}`);
	assert.deepEqual(await paid({ tokens: 256 }), ['limit']);
	assert.deepEqual(await paid({ cost_usd: 0.0025 }), ['limit']);
	const [, dear] = await paid({ cost_usd: 0.004 });
	assert.ok(dear >= 256 && dear < 400, `${dear}`);
});

test('what was billed counts: calls that were given up, and those of sub-agents', async () => {
	script('Slow', () => ({ blocks: [say('a few words')], hang: true }));
	const session = await start('Slow');
	await until(() => model.open > 0);
	await sleep(100);
	ok(await member.post(`/v1/runs/${session.run}/cancel`, {}));
	const given = await until(async () => { const r = await run(session.run); return r.wasted.calls && r; });
	assert.equal(given.wasted.calls, 1);
	assert.ok(given.wasted.usage.input > 0 && given.wasted.usage.output > 0, JSON.stringify(given.wasted));
	assert.deepEqual([given.usage, given.cost_usd], [given.wasted.usage, given.wasted.cost_usd]);
	const shown = ok(await member.get(`/v1/sessions/${session.id}`));
	assert.deepEqual([shown.usage, shown.cost_usd], [given.usage, given.cost_usd]);
	script('Leaf', () => [say('leaf')]);
	await make('planter', { tools: ['parallel_tasks'], validation: { mode: 'auto', always_confirm_high: false } });
	const boss = await start(script('Root', (q) => (q.messages.length === 1 ? [use('parallel_tasks',
		{ tasks: [{ agent: 'helper', task: 'Leaf 1' }, { agent: 'helper', task: 'Leaf 2' }] })] : [say('all')])), { agent: 'planter' });
	const root = await ended(boss.run);
	assert.deepEqual([root.usage.output, root.tree.usage.output, root.wasted.calls], [40, 80, 0]);
	assert.equal(Math.round(root.tree.cost_usd * 1e9), Math.round(2 * root.cost_usd * 1e9));
});

test('the same call that fails three times ends the loop', async () => {
	const session = await start(script('Loop', () => [use('todo', { operation: 'complete', id: 'tsk_none' })]), { agent: 'blunt' });
	const r = await ended(session.run);
	assert.deepEqual([r.error.kind, r.turn], ['loop', 3]);
});

test('a message joins the run that works, and with "now" the model is asked again at once', async () => {
	const session = await start(script('Listen', (q) => (/louder/.test(JSON.stringify(q.messages)) ? [say('LOUD')]
		: { blocks: [say('a')], hang: true })));
	await until(() => model.open > 0, 'the model call');
	const said = ok(await member.post(`/v1/sessions/${session.id}/messages`, { content: 'louder', when: 'now' }), 201);
	assert.equal(said.run.id, session.run);
	assert.equal((await ended(session.run)).report, 'LOUD');
	assert.equal((await member.post(`/v1/sessions/${session.id}/messages`, { content: 'x', queue: false })).status, 201);
});

test('what is said while the model answers comes after its answer, for the model, too', async () => {
	let called = null, spoken = null;
	const call = new Promise((done) => { called = done; }), word = new Promise((done) => { spoken = done; });
	const session = await start(script('Order', async (q) => {
		if (q.messages.length > 1) return [say('Second')];
		called();
		await word;
		return [say('First')];
	}));
	await call;
	ok(await member.post(`/v1/sessions/${session.id}/messages`, { content: 'And then?' }), 201);
	spoken();
	const r = await ended(session.run);
	assert.deepEqual([r.report, r.turn], ['Second', 2]);
	const roles = model.requests.filter((q) => first(q) === 'Order').at(-1).messages.map(({ role }) => role);
	assert.deepEqual(roles, ['user', 'assistant', 'user']);
});

test('a provider gets as many calls at once as it takes', async () => {
	const narrow = ok(await admin.post('/v1/providers', { name: 'narrow', kind: 'anthropic', url: model.url, at_once: 2 }), 201);
	assert.equal(narrow.at_once, 2);
	await make('narrow', { provider: 'narrow' });
	let most = 0, now = 0, release;
	const gate = new Promise((done) => { release = done; });
	script('Narrow', async () => {
		most = Math.max(most, ++now);
		await gate;
		await sleep(20);
		now--;
		return [say('done')];
	});
	const runs = [];
	for (let i = 0; i < 6; i++) runs.push((await start(`Narrow ${i}`, { agent: 'narrow' })).run);
	/* Others are not kept waiting behind it. */
	script('Beside', () => [say('here')]);
	await ended((await start('Beside')).run);
	await until(() => now === 2, 'both calls');
	release();
	for (const id of runs) assert.equal((await ended(id)).status, 'completed');
	assert.equal(most, 2);
});

test('a tool of class once is asked for, started, run; never twice', async () => {
	const path = join(folder, 'once.txt');
	await make('writer', { tools: ['test_append'] });
	const session = await start(script('Write', (q) => (results(q).length ? [say('written')]
		: [use('test_append', { path, text: 'line' })])), { agent: 'writer' });
	const ask = await waiting(session.id);
	assert.deepEqual([ask.kind, ask.operation.risk], ['approval', 'high']);
	assert.equal(existsSync(path), false, 'nothing runs before the approval');
	ok(await member.answer(ask, { decision: 'approve' }));
	assert.equal((await ended(session.run)).report, 'written');
	assert.equal(readFileSync(path, 'utf8'), 'line\n');
	assert.ok((await types(session.id)).includes('run.tool_started'));
});

test('sub-agents: delegated, spawned, in parallel and after each other; never nested', async () => {
	script('Child', (q) => [use('report', { markdown: `done: ${first(q)}` })]);
	script('Nest', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [use('delegate_task', { agent: 'helper', task: 'Child of a child' })]));
	await make('boss', { validation: { always_confirm_high: false }, tools: ['delegate_task', 'spawn_agent', 'parallel_tasks', 'todo'] });
	const one = await start(script('Delegate', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [use('delegate_task', { agent: 'helper', task: 'Child A' })])), { agent: 'boss' });
	const r = await ended(one.run);
	assert.equal(r.report, '## 1. helper: completed\n\ndone: Child A');
	const children = ok(await member.get(`/v1/runs?parent=${one.run}`)).items;
	assert.equal(children.length, 1);
	assert.equal(children[0].parent, one.run);
	const many = await start(script('Parallel', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [use('parallel_tasks', { tasks: [{ id: 'a', agent: 'helper', task: 'Child a' },
			{ id: 'b', prompt: 'You nest.', task: 'Nest' },
			{ id: 'c', agent: 'helper', task: 'Child c', after: ['a', 'b'] }] })])), { agent: 'boss' });
	const { report } = await ended(many.run);
	assert.deepEqual(report.match(/^## .*$/gm), ['## 1. helper: completed', '## 2. task-b: completed', '## 3. helper: completed']);
	assert.match(report, /## 2[^#]*cannot start another/);
	const c = model.requests.find((q) => first(q).startsWith('Child c'));
	assert.match(JSON.stringify(c.messages), /done: Child a/);
	const wrong = await start(script('Circle', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [use('parallel_tasks', { tasks: [{ id: 'a', agent: 'helper', task: 't', after: ['b'] },
			{ id: 'b', agent: 'helper', task: 't', after: ['a'] }] })])), { agent: 'boss' });
	assert.match((await ended(wrong.run)).report, /circle/);
	const { tools } = model.requests.find((q) => first(q).startsWith('Delegate'));
	const delegate = tools.find(({ name }) => name === 'delegate_task');
	assert.ok(delegate.input_schema.properties.agent.enum.includes('helper'));
	assert.match(delegate.description, /Agents:(\n- [a-z-]+(: .*)?)+$/);
	assert.ok(tools.find(({ name }) => name === 'parallel_tasks').input_schema.properties.tasks.items.properties.agent.enum.includes('boss'));
	const lost = await start(script('Lost', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [use('delegate_task', { agent: 'nobody', task: 't' })])), { agent: 'boss' });
	assert.match((await ended(lost.run)).report, /there is no agent "nobody"; there are: .*helper/);
	script('Grow', async () => (await make('newcomer', {}), [say('grown')]));
	const kept = await start(script('Keep the list', (q) => (results(q).length ? [say('kept')] : [use('delegate_task', { agent: 'helper', task: 'Grow' })])), { agent: 'boss' });
	assert.equal((await ended(kept.run)).report, 'kept');
	const lists = model.requests.filter((q) => first(q).startsWith('Keep the list')).map((q) => q.tools.find(({ name }) => name === 'delegate_task').input_schema.properties.agent.enum);
	assert.equal(lists.length, 2);
	assert.deepEqual(lists[1], lists[0], 'as of the begin of the run');
});

test('cancel with eight sub-agents at work ends all of them', async () => {
	script('Endless', () => ({ blocks: [say('a')], hang: true }));
	const session = await start(script('Eight', () => [use('parallel_tasks',
		{ tasks: Array.from({ length: 8 }, (_, i) => ({ agent: 'helper', task: `Endless ${i}` })) })]), { agent: 'boss' });
	await until(() => model.open === 8, 'eight model calls');
	ok(await member.post(`/v1/runs/${session.run}/cancel`, {}));
	await until(() => model.open === 0, 'the end of all calls', 2000);
	const all = ok(await member.get(`/v1/runs?session=${session.id}`)).items;
	assert.deepEqual(new Set(all.map(({ status }) => status)), new Set(['cancelled']));
	assert.equal(all.length, 9);
});

test('parley run gives the report alone to a pipe, and says how it ended', async () => {
	const env = { PARLEY_TOKEN: server.secrets.member, PARLEY_URL: server.url };
	const hello = await server.run(['run', 'helper', 'Say hello from a shell'], { env });
	assert.deepEqual([hello.code, hello.stdout], [0, 'Hello!\n'], hello.stderr);
	const failed = await server.run(['run', 'blunt', 'Key'], { env });
	assert.equal(failed.code, 1, failed.stderr);
	assert.match(failed.stderr, /unauthorized/);
	const costly = await server.run(['run', 'cheap', 'Forever', '--max-cost', '0.0002'], { env });
	assert.equal(costly.code, 124, costly.stderr);
	const nobody = await server.run(['run', 'nobody', 'Anything'], { env });
	const names = ok(await member.get('/v1/agents')).items.map(({ name }) => name).join(', ');
	assert.deepEqual([nobody.code, nobody.stderr], [5, `there is no agent "nobody"; there are: ${names}\n`]);
	const detached = await server.run(['run', 'helper', 'Hang', '--detach'], { env });
	assert.match(detached.stdout, /^run_\w+\n$/);
	const id = detached.stdout.trim();
	await until(async () => (await server.run(['runs', '--status', 'running'], { env })).stdout.includes(id), 'its start');
	const cancelled = await server.run(['cancel', id], { env });
	assert.equal(cancelled.code, 0, cancelled.stderr);
	assert.equal((await run(id)).status, 'cancelled');
	assert.match((await server.run(['usage', '--by', 'agent'], { env })).stdout, /helper/);
});

test('what may stand beside a run that has not ended, and where agents are named by id', async () => {
	let go;
	const gone = new Promise((resolve) => { go = resolve; });
	const session = await start(script('Stay a while', async (q) => {
		await gone;
		return results(q).length ? [say('stayed')] : [use('todo', { operation: 'create', name: 'Stay' })];
	}));
	const { id } = ok(await member.get('/v1/agents/helper'));
	const beside = (more) => member.post(`/v1/sessions/${session.id}/messages`, { content: 'more', ...more });
	const { limits } = await run(session.run);
	for (const more of [{ agent: 'helper' }, { agent: id }, { limits: { turns: limits.turns } }, { queue: true }]) ok(await beside(more), 201);
	for (const [more, pointer] of [[{ agent: 'other' }, '/agent'], [{ limits: { turns: 3 } }, '/limits'], [{ queue: false }, '/queue']]) {
		assert.equal(ok(await beside(more), 422).errors[0].pointer, pointer);
	}
	for (const agent of ['helper', id]) {
		assert.equal(ok(await member.get(`/v1/runs?session=${session.id}&agent=${agent}`)).items.length, 1);
	}
	assert.equal(ok(await member.get('/v1/runs?agent=agt_none')).items.length, 0);
	go();
	await ended(session.run);
	const all = await state(session.id);
	const call = ok(await member.get(`/v1/tool-calls/${all.tool_calls[0].id}`));
	assert.match(call.result, /tsk_/);
	assert.equal(all.tool_calls[0].result, call.result);
	/* A later name is no later end. */
	const renamed = ok(await member.patch(`/v1/sessions/${session.id}`, { title: 'Renamed' }));
	assert.equal(renamed.completed_at, all.session.completed_at);
	assert.notEqual(renamed.updated_at, renamed.completed_at);
	assert.equal(ok(await member.post('/v1/sessions', { agent: 'nobody-here', message: 'x' }), 422).errors[0].pointer, '/agent');
	const { version: now } = ok(await admin.get('/v1/policy'));
	assert.equal(ok(await admin.put('/v1/policy', { version: now, at_once: { auto: 65 } }), 422).errors[0].pointer, '/at_once/auto');
});

test('bad input starts nothing', async () => {
	const refused = async (body, pointer) => {
		const reply = await member.post('/v1/sessions', body);
		assert.equal(reply.status, 422, reply.text);
		assert.equal(reply.body.errors[0].pointer, pointer);
	};
	await refused({ message: 'hi' }, '/agent');
	await refused({ agent: 'helper', message: 'x'.repeat(100_001) }, '/message');
	await refused({ agent: 'helper', message: 'x', lang: 'de' }, '/lang');
	const session = await start('Say hello');
	await ended(session.run);
	const bad = async (body, pointer) => {
		const reply = await member.post(`/v1/sessions/${session.id}/messages`, body);
		assert.equal(reply.status, 422, reply.text);
		assert.equal(reply.body.errors[0].pointer, pointer);
	};
	await bad({ content: 'x', agent: 'nobody' }, '/agent');
	await bad({ content: 'x', limits: { turns: -1 } }, '/limits/turns');
	await bad({ content: ' ' }, '/content');
	assert.equal((await agent.post(`/v1/sessions/${session.id}/messages`, { content: 'x' })).status, 404);
	const plain = ok(await agent.post('/v1/sessions', { title: 'its own' }), 201);
	assert.equal((await member.post(`/v1/sessions/${plain.id}/messages`, { content: 'x' })).status, 409);
});

test('a token made to run agents is held to the projects that it is bound to', async () => {
	const made = ok(await admin.post('/v1/tokens', { role: 'agent', name: 'in-web', runs: true, projects: ['web'] }), 201);
	const runner = server.client(made.token), refused = async (reply) => assert.equal((await reply).body.type, '/problems/project');
	const text = script('Where it runs', () => [say('done')]);
	await refused(runner.post('/v1/sessions', { agent: 'helper', message: text, project: 'api' }));
	const own = ok(await runner.post('/v1/sessions', { agent: 'helper', message: text }), 201);
	assert.equal(own.project, 'web');
	await ended(own.run);
	ok(await admin.patch(`/v1/tokens/${made.id}`, { projects: ['api'] }));
	await refused(runner.post(`/v1/sessions/${own.id}/messages`, { content: 'more' }));
	await refused(runner.post(`/v1/sessions/${own.id}/cancel`));
	await refused(runner.patch(`/v1/sessions/${own.id}`, { title: 'mine' }));
	for (const what of ['cancel', 'retry']) await refused(runner.post(`/v1/runs/${own.run}/${what}`));
	ok(await admin.patch(`/v1/tokens/${made.id}`, { projects: null }));
	const other = await runner.post(`/v1/sessions/${own.id}/messages`, { content: 'more' }, { headers: { 'parley-project': 'api' } });
	assert.equal(other.status, 422);
	assert.equal((await runner.post(`/v1/sessions/${own.id}/messages`, { content: 'more' })).status, 201);
});

test('members run agents; viewers and agents do not, but for a token made to', async () => {
	const [viewer, runner, other] = [await server.as('viewer', 'vic'), await server.as('agent', 'starter', ['--runs']),
		await server.as('agent', 'second', ['--runs'])];
	const text = script('Whose run', (q) => [say(last(q) === 'more' ? 'more' : 'done')]);
	const session = await start(text);
	await ended(session.run);
	for (const who of [viewer, agent]) {
		assert.equal((await who.post('/v1/sessions', { agent: 'helper', message: text })).status, 403);
		const status = who === viewer ? 403 : 404;
		assert.equal((await who.post(`/v1/sessions/${session.id}/messages`, { content: 'more' })).status, status);
		assert.equal((await who.post(`/v1/runs/${session.run}/cancel`, {})).status, status);
		assert.equal((await who.post(`/v1/runs/${session.run}/retry`, {})).status, status);
		assert.equal((await who.post(`/v1/sessions/${session.id}/cancel`, {})).status, status);
	}
	/* One that has the name of the agent sees its sessions, and still may not write to it. */
	const namesake = await server.as('agent', 'helper');
	assert.equal((await namesake.get(`/v1/sessions/${session.id}`)).status, 200);
	assert.equal((await namesake.post(`/v1/sessions/${session.id}/messages`, { content: 'more' })).status, 403);
	/* A token made to run agents sees what it started, and only that. */
	const own = ok(await runner.post('/v1/sessions', { agent: 'helper', message: text }), 201);
	assert.equal(ok(await runner.get(`/v1/runs/${own.run}?wait=20`)).report, 'done');
	assert.equal(ok(await runner.post(`/v1/sessions/${own.id}/messages?wait=20`, { content: 'more' }), 201).run.report, 'more');
	assert.equal(ok(await runner.get(`/v1/sessions/${own.id}/state`)).messages.length, 4);
	assert.deepEqual(ok(await runner.get('/v1/sessions')).items.map(({ id }) => id), [own.id]);
	for (const query of [`?session=${own.id}`, '']) {
		assert.deepEqual(ok(await runner.get(`/v1/runs${query}`)).items.map(({ session: its }) => its), [own.id, own.id]);
	}
	assert.equal(ok(await other.get('/v1/runs')).items.length, 0);
	const events = ok(await runner.get(`/v1/events?format=json&after=0&session=${own.id}`)).items;
	assert.equal(events.filter(({ type }) => type === 'run.completed').length, 2);
	assert.equal(ok(await runner.get(`/v1/events?format=json&after=0&session=${session.id}`)).items.length, 0);
	for (const [who, { id, run: its }] of [[runner, session], [other, own]]) {
		assert.equal((await who.get(`/v1/sessions/${id}`)).status, 404);
		assert.equal((await who.get(`/v1/runs/${its}`)).status, 404);
		assert.equal((await who.get(`/v1/runs?session=${id}`)).status, 404);
		assert.equal((await who.post(`/v1/sessions/${id}/messages`, { content: 'more' })).status, 404);
		assert.equal((await who.post(`/v1/sessions/${id}/cancel`, {})).status, 404);
	}
	assert.equal((await runner.get('/v1/usage')).status, 403);
	assert.equal((await runner.post('/v1/agents', { name: 'x', provider: 'scripted', model: 'm' })).status, 403);
	assert.equal((await admin.post('/v1/tokens', { role: 'member', name: 'm2', runs: true })).body.errors[0].pointer, '/runs');
	assert.equal(ok(await runner.post(`/v1/sessions/${own.id}/cancel`, {})).status, 'cancelled');
	assert.equal((await runner.delete(`/v1/sessions/${own.id}`)).status, 204);
});

test('usage is summed up, tools are listed, a deleted session takes all of it along', async () => {
	const sums = ok(await member.get('/v1/usage?by=agent'));
	assert.ok(sums.items.find(({ key }) => key === 'helper').runs > 3);
	const tools = ok(await member.get('/v1/tools')).items;
	assert.ok(tools.some(({ name, risk }) => name === 'todo/create' && risk === 'medium'));
	const session = await start('Plan it again');
	await ended(session.run);
	assert.equal((await member.delete(`/v1/sessions/${session.id}`)).status, 204);
	assert.equal((await member.get(`/v1/runs/${session.run}`)).status, 404);
});

test('a key or a price that changes between two turns holds from the next turn on', async () => {
	const made = ok(await admin.post('/v1/providers', { name: 'moving', kind: 'anthropic', url: model.url, key: 'key-before' }), 201);
	await make('mover', { provider: 'moving' });
	const change = async (more) => {
		const { version: now } = ok(await admin.get(`/v1/providers/${made.id}`));
		ok(await admin.patch(`/v1/providers/${made.id}`, { version: now, ...more }));
	};
	const keys = [];
	const session = await start(script('Change it', async (q) => {
		keys.push(model.requests.at(-1).headers['x-api-key']);
		if (keys.length === 2) await change({ key: 'key-after' });
		if (keys.length === 3) await change({ models: [{ id: 'm', context: 1000, output: 500, price: { input: 1, output: 10 } }] });
		return keys.length < 5 ? [use('todo', { operation: 'list' })] : [say(String(results(q).length))];
	}), { agent: 'mover' });
	/* There was no price at first: a limit of cost is refused, and nothing begins. */
	const unpriced = ok(await admin.post('/v1/agents', { name: 'unpriced', provider: 'moving', model: 'other', prompt: 'p' }), 201);
	const empty = ok(await member.post('/v1/sessions', { agent: unpriced.name }), 201);
	const limited = await member.post(`/v1/sessions/${empty.id}/messages`, { content: 'x', limits: { cost_usd: 1 } });
	assert.deepEqual([limited.status, limited.body.errors[0].pointer], [422, '/limits/cost_usd']);
	assert.match(limited.body.errors[0].detail, /no price of other is known.*limit tokens/);
	const r = await ended(session.run);
	assert.deepEqual(keys, ['key-before', 'key-before', 'key-after', 'key-after', 'key-after']);
	/* Two of five turns had a price. */
	assert.deepEqual([r.cost_usd, r.cost_partial], [0.0006, true]);
});

test('the store checks out', async () => {
	assert.ok(existsSync(server.data));
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});

test('a copy of the store has the runs and all that belongs to them', { skip: notInAFile }, async () => {
	const from = join(folder, 'from.db'), to = join(folder, 'to.db');
	const saved = await server.run(['backup', from, '--data', server.data]);
	assert.equal(saved.code, 0, saved.stderr);
	const done = await server.run(['copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`]);
	assert.equal(done.code, 0, done.stderr);
	const rows = (file, table) => execFileSync('sqlite3', ['-json', file, `SELECT * FROM ${table} ORDER BY ws, id`], { encoding: 'utf8' });
	for (const table of ['runs', 'messages', 'tool_calls', 'tasks', 'memories', 'agents', 'providers']) {
		assert.ok(rows(from, table).length, table);
		assert.equal(rows(to, table), rows(from, table), table);
	}
	const check = await server.run(['check', to]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});
