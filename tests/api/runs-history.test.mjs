// What a model is sent of a long run: it always fits, the first message, the last four turns and every summary are there,
// and between cuts each request begins with the one before. The model counts exactly.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { say, ScriptModel, use } from '../lib/script_model.mjs';
import { sleep, until, useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1', TURNS = LONG ? 500 : 12;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const scripts = new Map();
const script = (text, answer) => { scripts.set(text, answer); return text; };
const model = await new ScriptModel((q) => [...scripts].find(([text]) => JSON.stringify(q).includes(text))[1](q)).start();
after(() => model.stop());
const asked = (text) => model.requests.filter((q) => JSON.stringify(q).includes(text));
const turns = (text) => asked(text).filter(({ tools }) => tools);

const server = await useServer({});
const { admin, member } = server;
ok(await admin.post('/v1/providers', { name: 'p', kind: 'anthropic', url: model.url, key: 'k-for-tests-12345', models: [{ id: 'm', context: 32_000, output: 4000 }] }), 201);
const agent = async (name, limits) => ok(await admin.post('/v1/agents', { name, provider: 'p', model: 'm', tools: ['memory', 'todo'],
	validation: { mode: 'auto', always_confirm_high: false }, on_error: 'fail', on_limit: 'stop', limits: { turns: 1000, ...limits } }), 201);
await agent('long', {});
await agent('counted', { history: 10 });
await agent('small', { context: 4000 });
for (let i = 0; i < 9; i++) ok(await admin.post('/v1/memories', { scope: 'workspace', text: `${i} `.repeat(4500).slice(0, 9000) }), 201);

const ended = (id) => until(async () => { const r = ok(await member.get(`/v1/runs/${id}`)); return r.ended_at && r; }, `the end of ${id}`, 600_000);
const start = async (message, name) => ok(await member.post('/v1/sessions', { agent: name, message }), 201);
const state = async (id) => ok(await member.get(`/v1/sessions/${id}/state`));
const compactions = async (id) => {
	const found = [];
	for (let after = 0, items = [{}]; items.length; after = items.at(-1)?.seq ?? items.at(-1)?.id) {
		({ items } = ok(await member.get(`/v1/events?format=json&session=${id}&after=${after}&limit=200`)));
		found.push(...items.filter(({ type }) => type === 'run.compacted').map(({ data }) => data));
	}
	return found;
};
/** Split over the three kinds of input that the wire tells. */
const counted = (sent) => String(Math.ceil(sent / 3));
const tokens = (q, ratio) => { const { at, path, headers, ...body } = q; return Math.ceil(JSON.stringify(body).length / ratio); };
/** Without the marks of the cache, which move. */
const texts = (q) => q.messages.map((m) => JSON.stringify(m, (key, value) => (key === 'cache_control' ? undefined : value)));
const calls = (q, type) => q.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []).filter((part) => part.type === type));

/** A model that calls `todo` or `memory` so many times, sums up when it is asked without tools, and refuses what is too long. */
const counting = (text, { count, ratio, call, context = 32_000 }) => {
	let n = 0, sums = 0;
	return script(text, (q) => {
		const sent = tokens(q, ratio);
		if (sent > context) return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: `prompt is too long: ${sent} tokens > ${context} maximum` } } };
		if (!q.tools) return { blocks: [say(`${text}: sum ${++sums}.`)], tokens: counted(sent) };
		return { blocks: n++ < count ? [call(n)] : [say('Done.')], tokens: counted(sent) };
	});
};

test(`${TURNS} turns with results of 64 KiB in 32,000 tokens: it always fits, and nothing that must be there is lost`, { timeout: 3_600_000 }, async (t) => {
	const began = Date.now();
	for (const ratio of LONG ? [4, 2] : [3.5]) {
		const text = `Task of ratio ${ratio}`;
		const session = await start(counting(text, { count: TURNS, ratio, call: () => use('memory', { operation: 'list' }) }), 'long');
		const r = await ended(session.run);
		assert.deepEqual([r.status, r.report], ['completed', 'Done.'], JSON.stringify(r.error));
		const sent = turns(text);
		assert.equal(sent.length, TURNS + 1, 'no call was too long');
		for (const [i, q] of sent.entries()) {
			assert.ok(tokens(q, ratio) <= 32_000);
			assert.ok(texts(q)[0].includes(text), 'the first message');
			assert.ok(calls(q, 'tool_use').length >= Math.min(4, i), 'the last four turns');
			assert.deepEqual(calls(q, 'tool_use').map(({ id }) => id), calls(q, 'tool_result').map(({ tool_use_id: id }) => id));
		}
		const held = sent.filter((q, i) => i && texts(sent[i - 1]).every((m, k) => texts(q)[k] === m)).length;
		const summaries = asked(text).filter(({ tools }) => !tools).length;
		t.diagnostic(`ratio ${ratio}: ${held} of ${TURNS} requests begin with the one before, ${summaries} summaries, ${Math.round((Date.now() - began) / 1000)} s`);
		await sleep(10); /* so long busy, this process has not seen yet that the server closed its idle connections */
	}
});

test('a summary stands for what was before the last four turns, and is shown; each request begins with the one before it', { timeout: 3_600_000 }, async () => {
	const text = 'Many small turns', count = 60;
	const session = await start(counting(text, { count, ratio: 3, call: (n) => use('todo', { operation: 'create', name: `step ${n} ${'x'.repeat(150)}` }) }), 'small');
	const r = await ended(session.run);
	assert.deepEqual([r.status, r.report], ['completed', 'Done.'], JSON.stringify(r.error));
	const all = await state(session.id);
	const made = all.messages.filter(({ content }) => content[0].type === 'summary').sort((a, b) => (a.id < b.id ? -1 : 1));
	assert.ok(made.length > 0);
	for (const [i, m] of made.entries()) {
		assert.equal(m.role, 'user');
		assert.deepEqual(Object.keys(m.content[0]).sort(), ['messages', 'text', 'type']);
		assert.equal(m.content[0].text, `${text}: sum ${i + 1}.`);
		assert.ok(m.content[0].messages > 0 && m.usage.input > 0, JSON.stringify(m.usage));
	}
	const compacted = await compactions(session.id);
	assert.deepEqual(compacted.map(({ messages }) => messages), made.map(({ content }) => content[0].messages));
	assert.ok(compacted.every(({ before, after: now }) => before > now && now > 0), JSON.stringify(compacted));
	const last = texts(turns(text).at(-1));
	made.forEach((m, i) => assert.ok(last[1 + i].includes(`[Summary of ${m.content[0].messages} earlier messages] ${text}: sum ${i + 1}.`), last[1 + i]));
	const sums = asked(text).filter(({ tools }) => !tools);
	assert.ok(sums.every(({ max_tokens: most }) => most <= 4000));
	let held = 0;
	const sent = turns(text);
	for (const [i, q] of sent.entries()) {
		const before = i ? texts(sent[i - 1]) : [];
		held += before.every((m, k) => texts(q)[k] === m);
	}
	assert.ok(held > count * 0.75, `the cache held ${held} times of ${count}`);
	assert.equal(r.turn, count + 1, 'summaries are no turns');
});

test('a number in history leaves out the older half, and says so', async () => {
	const text = 'At most ten';
	const session = await start(counting(text, { count: 20, ratio: 3, call: (n) => use('todo', { operation: 'create', name: `step ${n}` }) }), 'counted');
	assert.equal((await ended(session.run)).report, 'Done.');
	for (const q of turns(text)) assert.ok(q.messages.length <= 12, `${q.messages.length}`);
	assert.match(texts(turns(text).at(-1))[1], /\[\d+ earlier messages were left out\]/);
	assert.equal(asked(text).filter(({ tools }) => !tools).length, 0, 'no call for it');
	const cut = (await state(session.id)).messages.filter(({ content }) => content[0].type === 'summary');
	assert.ok(cut.length > 0 && cut.every(({ content }) => content[0].text === null));
});

test('without a summary messages are left out: it failed', async () => {
	const text = 'No summary';
	const inner = counting(text, { count: 40, ratio: 3, call: (n) => use('todo', { operation: 'create', name: `step ${n} ${'x'.repeat(150)}` }) });
	const answer = scripts.get(inner);
	script(inner, (q) => (q.tools ? answer(q) : { status: 400 }));
	const session = await start(text, 'small');
	assert.equal((await ended(session.run)).report, 'Done.');
	assert.ok((await state(session.id)).messages.some(({ content }) => content[0].type === 'summary' && content[0].text === null));
});

test('what a provider says of a model\'s context holds from then on', async () => {
	const long = 'y'.repeat(190);
	const text = 'Smaller than it seems';
	const session = await start(counting(text, { count: 60, ratio: 3, context: 9000, call: (n) => use('todo', { operation: 'create', name: `${n} ${long}` }) }), 'long');
	const r = await ended(session.run);
	assert.equal(r.status, 'completed', JSON.stringify(r.error));
	assert.equal(turns(text).filter((q) => tokens(q, 3) > 9000).length, 1, 'one request was too long');
});
