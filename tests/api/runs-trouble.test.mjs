// Trouble between a run and its model, its store and its limits: every kind is told by its name, nothing hangs, and
// nothing is done or shown twice.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { notInAFile } from '../lib/postgres.mjs';
import { first, last, results, say, ScriptModel, think, use } from '../lib/script_model.mjs';
import { stored } from '../lib/stored.mjs';
import { BIN, Server, until, useServer } from './lib/server.mjs';

const KEY = 'sk-key-of-the-trouble-test-7777';
const folder = mkdtempSync(join(tmpdir(), 'parley-trouble-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const scripts = new Map();
const script = (text, answer) => { scripts.set(text, answer); return text; };
const model = await new ScriptModel((q) => [...scripts].find(([text]) => first(q).startsWith(text))[1](q)).start();
after(() => model.stop());
const asked = (text) => model.requests.filter((q) => first(q).startsWith(text));

const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };

/** A provider with a key and the agents of these tests. */
async function prepare({ admin }) {
	const { version } = ok(await admin.get('/v1/policy'));
	ok(await admin.put('/v1/policy', { version, at_once: { auto: 32, manual: 32, selective: 32 }, always_confirm_high: false }));
	ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url, key: KEY, at_once: 32 }), 201);
	for (const [name, more] of [['blunt', { on_error: 'fail', on_limit: 'stop' }], ['patient', {}],
		['boss', { tools: ['spawn_agent', 'todo'], validation: { always_confirm_high: false } }], ['hasty', { on_limit: 'stop', limits: { time: '1s' } }]]) {
		ok(await admin.post('/v1/agents', { name, provider: 'scripted', model: 'm', tools: ['todo', 'test_append'], ...more }), 201);
	}
}
const start = async ({ member }, message, agent = 'blunt') => ok(await member.post('/v1/sessions', { agent, message }), 201);
const ended = ({ member }, id) => until(async () => {
	const r = ok(await member.get(`/v1/runs/${id}`));
	return ['completed', 'failed', 'cancelled'].includes(r.status) && r;
}, `the end of ${id}`);
const state = async ({ member }, session) => ok(await member.get(`/v1/sessions/${session}/state`));

const server = await useServer({ env: { PARLEY_TEST_TOOLS: '1' } });
await prepare(server);

const todo = (name) => use('todo', { operation: 'create', name });
const money = { type: 'error', error: { type: 'insufficient_quota', message: 'You exceeded your current quota' } };

/* name, what the model does, kind, calls of the model */
const KINDS = [
	['CutTool', { blocks: [todo('a task whose JSON is longer than one piece of it')], cut: 3 }, 'unreachable', 4],
	['CutText', { blocks: [say('half of it')], cut: 3 }, 'unreachable', 4],
	['Busy', { status: 429 }, 'rate_limited', 4],
	['UntilBusy', { status: 429, headers: { 'retry-after-ms': '5' } }, 'rate_limited', 4],
	['NeverBusy', { status: 429, headers: { 'x-should-retry': 'false' } }, 'rate_limited', 1],
	['InStream529', { blocks: [say('half')], error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded', 4],
	['Broken', { status: 500 }, 'overloaded', 4],
	['Money429', { status: 429, body: money }, 'no_credit', 1],
	['Money402', { status: 402 }, 'no_credit', 1],
	['Key401', { status: 401 }, 'unauthorized', 1],
	['Key403', { status: 403 }, 'unauthorized', 1],
	['Bad400', { status: 400 }, 'refused', 1],
	['Bad404', { status: 404 }, 'refused', 1],
	['Refusal', { blocks: [say('I would rather not')], stop: 'refusal' }, 'declined', 1],
	['MaxTokens', { blocks: [say('a long story that')], stop: 'max_tokens' }, 'cut', 4],
	['Nothing', { blocks: [] }, 'empty', 2],
	['Blank', { blocks: [think('hm'), say(' \n')] }, 'empty', 2],
];

test('every kind of trouble is told by its name after as many tries as it deserves, and leaves nothing', async () => {
	const sessions = await Promise.all(KINDS.map(([name, answer]) => start(server, script(name, () => answer))));
	for (const [i, [name, , kind, tries]] of KINDS.entries()) {
		const r = await ended(server, sessions[i].run);
		assert.deepEqual([r.status, r.error?.kind], ['failed', kind], `${name}: ${JSON.stringify(r.error)}`);
		assert.equal(asked(name).length, tries, `${name}: ${JSON.stringify([r.attempt, asked(name).map(({ at }) => at)])}`);
		const all = await state(server, sessions[i].id);
		assert.deepEqual([all.tasks, all.tool_calls], [[], []], name);
		const said = all.messages.filter(({ role }) => role === 'assistant').length;
		assert.equal(said, ['cut', 'empty', 'declined'].includes(kind) ? tries : 0, `${name}: nothing of an answer that did not come whole`);
	}
	assert.equal(model.open, 0, 'no call is left open');
});

/** What the model was sent last, with the roles of all messages. */
const sent = (text, n) => ({ roles: asked(text).at(n).messages.map(({ role }) => role).join(' '), last: last(asked(text).at(n)) });
const report = async (text, answers, agent) => {
	let n = 0;
	const session = await start(server, script(text, () => answers[Math.min(n++, answers.length - 1)]), agent);
	return { session, run: await ended(server, session.run) };
};

test('an answer that is cut goes on by itself, at the end a user speaks, and the report is all of it', async () => {
	const { session, run } = await report('CutTwice', [{ blocks: [say('One, tw')], stop: 'max_tokens' },
		{ blocks: [say('o, thr')], stop: 'model_context_window_exceeded' }, [say('ee.')]]);
	assert.deepEqual([run.status, run.report, run.turn], ['completed', 'One, two, three.', 1]);
	assert.equal(sent('CutTwice', -1).roles, 'user assistant user assistant user');
	assert.match(sent('CutTwice', -1).last, /Go on exactly where it stopped/);
	const { messages } = await state(server, session.id);
	assert.deepEqual(messages.filter(({ role }) => role === 'assistant').map(({ stop }) => stop).sort(), ['end', 'max_tokens', 'max_tokens']);
	assert.equal(messages.filter(({ content }) => content[0].asked === 'cut').length, 2);
});

test('a call in which the answer is cut is dropped and told; whole calls beside it are made', async () => {
	const half = (...whole) => ({ blocks: [...whole, { ...todo(''), raw: '{"operation":"create","na' }], stop: 'max_tokens' });
	const { session, run } = await report('CutCall', [half(say('I write it down.')), half(todo('whole')), [say('Done.')]]);
	assert.deepEqual([run.status, run.report], ['completed', 'Done.']);
	const second = asked('CutCall')[1].messages, third = asked('CutCall')[2].messages;
	assert.deepEqual(second.at(-2).content.map(({ type }) => type), ['text']);
	assert.match(last({ messages: second }), /inside the call of todo, which was not made/);
	assert.deepEqual(third.slice(-3).map(({ content }) => content.map(({ type }) => type)), [['tool_use'], ['tool_result'], ['text']]);
	assert.deepEqual((await state(server, session.id)).tasks.map(({ name }) => name), ['whole']);
});

test('thoughts alone: once more with twice the length', async () => {
	const thoughts = { blocks: [think('hm')], stop: 'max_tokens' };
	const { run } = await report('Thinks', [thoughts, [say('Four.')]]);
	assert.deepEqual([run.status, run.report], ['completed', 'Four.']);
	const [once, twice] = asked('Thinks');
	assert.equal(twice.max_tokens, 2 * once.max_tokens);
	assert.equal(sent('Thinks', -1).roles, 'user user', 'thoughts alone are no message');
	assert.equal((await report('OnlyThinks', [thoughts])).run.error.kind, 'cut');
	assert.equal(asked('OnlyThinks').length, 2);
});

test('a model that said nothing is asked once more', async () => {
	const { run } = await report('Hush', [[], [say('Sorry. Here.')]]);
	assert.deepEqual([run.status, run.report, run.turn], ['completed', 'Sorry. Here.', 1]);
	assert.deepEqual(sent('Hush', -1), { roles: 'user user', last: 'Please go on.' });
});

test('a refused turn is kept with what it cost, quoted, and never sent again', async () => {
	const { session, run } = await report('Refuses', [{ blocks: [say('I would rather not. '), todo('never')], stop: 'refusal' }, [say('Gladly.')]]);
	assert.deepEqual([run.error, run.usage.output], [{ kind: 'declined', message: 'I would rather not.' }, 20]);
	const { messages, tool_calls: calls } = await state(server, session.id);
	assert.deepEqual([messages[0].stop, messages[0].usage.output, calls], ['refusal', 20, []]);
	const again = ok(await server.member.post(`/v1/sessions/${session.id}/messages`, { content: 'Please' }), 201);
	assert.equal((await ended(server, again.run.id)).report, 'Gladly.');
	assert.deepEqual(sent('Refuses', -1), { roles: 'user user', last: 'Please' });
});

test('what is too long is sent once more with half of it, never the same bytes; the run\'s own text alone is not', async () => {
	const long = { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long' } } };
	const size = (q) => JSON.stringify(q.messages).length;
	let n = 0;
	const session = await start(server, script('TooLong', (q) => (n++ < 14 ? [use('todo', { operation: 'create', name: `${n}`, description: 'x'.repeat(4900) })]
		: size(q) > 60_000 ? long : [say('Fits.')])));
	const run = await ended(server, session.run);
	assert.deepEqual([run.status, run.report], ['completed', 'Fits.'], JSON.stringify(run.error));
	const [whole, half] = asked('TooLong').slice(-2);
	assert.ok(size(half) <= size(whole) / 2, `${size(whole)} ${size(half)}`);
	assert.match(JSON.stringify(half.messages[1]), /\[\d+ earlier messages were left out\]/);
	assert.ok(wellFormed(half));
	const { run: alone } = await report('Alone', [long]);
	assert.deepEqual([alone.error.kind, asked('Alone').length], ['too_long', 1]);
});

test('whoever retries after a cut sends a request that ends with a user, and gets the whole report', async () => {
	let n = 0;
	const { id, run } = await start(server, script('CutFour', () => (n++ < 4 ? { blocks: [say(`${n}`)], stop: 'max_tokens' } : [say('!')])));
	assert.equal((await ended(server, run)).error.kind, 'cut');
	const again = await ended(server, ok(await server.member.post(`/v1/runs/${run}/retry`), 201).id);
	assert.deepEqual([again.status, again.report], ['completed', '1234!'], id);
	assert.equal(asked('CutFour').at(-1).messages.at(-1).role, 'user');
});

/** Does every call have its result right behind it? */
const wellFormed = ({ messages }) => messages.every(({ content }, i) => {
	const ids = (list, type, key) => (Array.isArray(list) ? list : []).filter((part) => part.type === type).map((part) => part[key]);
	return ids(content, 'tool_use', 'id').every((id) => ids(messages[i + 1]?.content, 'tool_result', 'tool_use_id').includes(id));
});

test('a session goes on after a cancel while a sub-agent and a question wait: every call has its result', async () => {
	script('Child', () => ({ blocks: [say('x')], hang: true }));
	const { id, run } = await start(server, script('Boss', (q) => (/Again/.test(last(q)) ? [say('Fine.')]
		: [use('spawn_agent', { name: 'kid', prompt: 'p', task: 'Child' }), todo('b')])), 'boss');
	await until(async () => ok(await server.member.get(`/v1/runs/${run}`)).status === 'waiting', 'the sub-agent');
	ok(await server.member.post(`/v1/runs/${run}/cancel`, {}));
	const next = ok(await server.member.post(`/v1/sessions/${id}/messages`, { content: 'Again' }), 201);
	assert.equal((await ended(server, next.run.id)).report, 'Fine.');
	assert.ok(wellFormed(asked('Boss').at(-1)), JSON.stringify(asked('Boss').at(-1).messages));
	assert.match(JSON.stringify(asked('Boss').at(-1).messages), /Cancelled by /);
});

test('when all parallel tasks fail, model and call are told why each did', async () => {
	ok(await server.admin.post('/v1/agents', { name: 'chief', provider: 'scripted', model: 'm', tools: ['parallel_tasks'] }), 201);
	script('No key', () => ({ status: 401 }));
	script('No page', () => ({ status: 404 }));
	const session = await start(server, script('Two that fail', (q) => (results(q).length ? [say(results(q)[0].text)]
		: [use('parallel_tasks', { tasks: [{ id: 'a', agent: 'blunt', task: 'No key' }, { id: 'b', agent: 'blunt', task: 'No page' }] })])), 'chief');
	const { report } = await ended(server, session.run);
	assert.match(report, /All parallel operations failed: a: unauthorized: .+; b: refused: .+/);
	const { tool_calls: calls } = await state(server, session.id);
	assert.match(calls.find(({ name }) => name === 'parallel_tasks').error, /a: unauthorized: .+; b: refused: /);
});

test('a stream that only pings is silent, and one that never ends is cut', async () => {
	const strict = await useServer({ env: { PARLEY_TEST_TOOLS: '1', PARLEY_MODEL_IDLE: '1s', PARLEY_MODEL_TIMEOUT: '2s' } });
	await prepare(strict);
	const silent = await start(strict, script('Silent', () => ({ blocks: [say('a')], hang: true })));
	const slow = await start(strict, script('Slow', () => ({ blocks: [say('word '.repeat(2000))], pause: 50 })));
	for (const { run, id } of [silent, slow]) {
		const r = await ended(strict, run);
		assert.deepEqual([r.status, r.error.kind], ['failed', 'unreachable'], JSON.stringify(r.error));
		assert.equal((await state(strict, id)).messages.length, 1);
	}
	assert.deepEqual([asked('Silent').length, asked('Slow').length], [4, 4]);
	await until(() => model.open === 0, 'the end of the calls');
});

test('a stream that breaks off in a tool call and comes whole the second time does the work once', async () => {
	const file = join(folder, 'once.txt');
	let calls = 0;
	const session = await start(server, script('Again', (q) => {
		if (results(q).length) return [say('done')];
		const blocks = [todo('first'), use('test_append', { path: file, text: 'a line that is longer than one piece' })];
		return calls++ ? blocks : { blocks, cut: 6 };
	}));
	const stream = await server.member.stream(`?session=${session.id}&after=0`);
	const shown = await stream.eventsUntil(({ type }) => type === 'run.completed');
	assert.equal(shown.filter(({ type }) => type === 'run.retrying').length <= 1, true);
	assert.equal((await ended(server, session.run)).report, 'done');
	assert.equal(readFileSync(file, 'utf8'), 'a line that is longer than one piece\n');
	const all = await state(server, session.id);
	assert.deepEqual(all.tasks.map(({ name }) => name), ['first']);
	assert.deepEqual(all.tool_calls.map(({ status, attempts }) => [status, attempts]), [['done', 1], ['done', 1]]);
});

test('a pause of over a minute is a row; the run goes on after it', async () => {
	let busy = true;
	const session = await start(server, script('Later', () => (busy ? { status: 429, headers: { 'retry-after': '120' } } : [say('now')])), 'patient');
	const r = await until(async () => {
		const x = ok(await server.member.get(`/v1/runs/${session.run}`));
		return x.waits_for.length && x;
	}, 'the pause');
	assert.deepEqual([r.waits_for[0].type, asked('Later').length, model.open], ['time', 1, 0]);
	busy = false;
	server.jump(121e3);
	assert.equal((await ended(server, session.run)).report, 'now');
});

test('the time of a run is up while the model talks: the call is cut, the kind is limit', async () => {
	const began = Date.now();
	const session = await start(server, script('Endless', () => ({ blocks: [say('word '.repeat(2000))], pause: 100 })), 'hasty');
	const r = await ended(server, session.run);
	assert.deepEqual([r.status, r.error.kind, asked('Endless').length], ['failed', 'limit', 1], JSON.stringify(r.error));
	assert.ok(Date.now() - began < 10_000, 'not long after its second');
	assert.ok(r.wasted.calls === 1 && r.wasted.usage.input > 0, `what came is billed, and counts: ${JSON.stringify(r.wasted)}`);
	await until(() => model.open === 0, 'the end of the call');
});

test('a disk that takes no more: the turn waits for room, and is there once', { skip: notInAFile, timeout: 300_000 }, async () => {
	const full = new Server({ env: { PARLEY_TEST_TOOLS: '1' } });
	after(() => full.end());
	const limited = join(full.home, 'limited');
	writeFileSync(limited, `#!/bin/bash\nulimit -S -f 1000\nexec ${BIN} "$@"\n`);
	chmodSync(limited, 0o755);
	const secrets = [await full.token('admin', 'ada'), await full.token('member', 'mia')];
	await full.start(undefined, limited);
	[full.admin, full.member] = secrets.map((secret) => full.client(secret));
	await prepare(full);
	let go;
	const gate = new Promise((done) => { go = done; });
	const session = await start(full, script('Full', async (q) => {
		if (results(q).length) return [say('room')];
		await gate;
		return [todo('kept'), use('test_append', { path: join(folder, 'full.txt'), text: 'once' })];
	}));
	await until(() => asked('Full').length === 1, 'the model call');
	for (let i = 0; i < 400; i++) {
		const reply = await full.member.post('/v1/sessions', { agent: 'blunt', title: 'ballast', message: script('Ballast', () => [say('x'.repeat(50_000))]) + 'y'.repeat(90_000) });
		if (reply.status !== 201) break;
	}
	go();
	await until(() => model.open === 0, 'the end of the calls');
	execFileSync('prlimit', ['--pid', String(full.child.pid), '--fsize=unlimited:unlimited']);
	/* The commit that failed may be that of the tool's result: it is told again, and nobody is asked. */
	const r = await until(async () => {
		assert.deepEqual(ok(await full.member.get('/v1/asks')).items, []);
		const run = ok(await full.member.get(`/v1/runs/${session.run}`));
		return run.ended_at && run;
	}, 'the end of the run');
	assert.equal(r.report, 'room');
	assert.deepEqual((await state(full, session.id)).tasks.map(({ name }) => name), ['kept']);
	assert.equal(readFileSync(join(folder, 'full.txt'), 'utf8'), 'once\n');
	assert.equal((await full.run(['check', '--data', full.data])).code, 0);
});

test('the key is in no reply, log, event or file of the store', async () => {
	const talk = await start(server, script('Gossip', () => ({ status: 400, body: { type: 'error',
		error: { type: 'invalid_request_error', message: `bad key ${KEY}` } } })));
	await ended(server, talk.run);
	/* A long text is looked into, too. */
	const long = 'The model was given a key that it does not know, and says so at some length, so that what it says is packed. ';
	await ended(server, (await start(server, script('Lengthy', () => [say(long.repeat(3))]))).run);
	if (!notInAFile) assert.ok(stored(server.data).some(([what, text]) => what.startsWith('packed') && text.includes(long)));
	const said = [['log', server.output]];
	for (const path of ['/v1/runs?limit=200', `/v1/sessions/${talk.id}/state`, '/v1/events?format=json&limit=200&before=1000000', '/v1/providers']) {
		said.push([path, (await server.admin.get(path)).text]);
	}
	for (const [what, text] of [...said, ...stored(server.data)]) assert.ok(!text.includes(KEY), what);
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});
