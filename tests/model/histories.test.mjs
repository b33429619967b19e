// Random histories of runs: what models say is cut, refused, empty, unreadable or broken off; people approve, edit, reject, cancel,
// write in between and change the vendor; earlier messages are summed up; the server is killed. Whatever happened, each request is
// one that its vendor takes: it ends with a user's part, and every call has its result, once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { persist } from '../lib/cluster.mjs';
import { random } from '../lib/random.mjs';
import { say, ScriptModel, think, use } from '../lib/script_model.mjs';
import { Server, sleep } from '../lib/server.mjs';
import { flaws, wireOf } from './lib/well_formed.mjs';
import { compile, head, typed, types } from './lib/types.mjs';

const LONG = process.env.PARLEY_LONG === '1';
const HISTORIES = Number(process.env.PARLEY_HISTORIES ?? (LONG ? 10_000 : 60));
const KILLS = Math.ceil(HISTORIES / 30), AT_ONCE = 16, COMPILED = LONG ? 400 : 60;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6), below = random(seed);
const of = (list) => list[below(list.length)];

const MODELS = { anthropic: 'claude-sonnet-5', openai: 'gpt-4o', openai_responses: 'gpt-5', gemini: 'gemini-3-pro-preview' };
const VENDORS = Object.keys(MODELS);
const seen = { requests: 0, summaries: 0, flaws: [], bodies: [] };

const call = () => of([
	() => use('todo', { operation: 'create', name: `step ${below(100)} ${'x'.repeat(below(400))}` }),
	() => use('todo', { operation: 'create', name: 'n', priority: 9 }),
	() => use('memory', { operation: 'list' }),
	() => use('delegate_task', { agent: 'helper', task: 'Help.' }),
	() => use('ask_user_question', { questions: [{ question: 'Go on?' }] }),
	() => use('nothing', { a: 1 }),
	() => ({ ...use('todo', {}), raw: '{"operation":"cre' }),
])();
const calls = () => Array.from({ length: 1 + below(3) }, call);
const passing = { headers: { 'retry-after-ms': '5' } };
const TURNS = [
	() => [say('Let me see.'), ...calls()],
	() => calls(),
	() => [think('Hm.'), ...calls()],
	() => ({ blocks: [say('It goes on and')], stop: 'max_tokens' }),
	() => ({ blocks: [say('A call: '), use('todo', { operation: 'list' })], stop: 'max_tokens' }),
	() => ({ blocks: [say('I will not.')], stop: 'refusal' }),
	() => [],
	() => ({ status: 529, ...passing }),
	() => ({ status: 401 }),
	() => ({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' } } }),
	() => ({ blocks: [say('Broken off in the middle of it, somewhere.')], cut: 2 }),
	() => ({ blocks: [say('Slowly.'), ...calls()], pause: 5 }),
	() => [say('Done.')], () => [say('Done.')],
];

function judged(body, path) {
	const kind = wireOf(path);
	const found = flaws(kind, body);
	seen.requests++;
	if (JSON.stringify(body).includes('earlier messages')) seen.summaries++;
	if (found.length) seen.flaws.push({ kind, found, body });
	if (seen.bodies.length < COMPILED) seen.bodies.push({ kind, body, path });
	else if (below(50) === 0) seen.bodies[below(COMPILED)] = { kind, body, path };
}

const model = await new ScriptModel((body) => {
	const { at, headers, path, ...sent } = model.requests.pop();
	judged(sent, path);
	if (JSON.stringify(body).includes('Help.')) return of([() => [use('report', { markdown: 'helped' })], () => [say('helped')], () => ({ status: 401 })])();
	return of(TURNS)();
}).start();
const server = new Server({ keepPort: true });
const tokens = { admin: await server.token('admin', 'ada'), member: await server.token('member', 'mia') };
await server.start();
after(async () => {
	await server.stop();
	model.stop();
});

const request = (who, ...rest) => persist([server], tokens[who], ...rest);
async function ok(status, ...rest) {
	const reply = await request(...rest);
	assert.equal(reply.status, status, JSON.stringify(reply.body));
	return reply.body;
}

async function prepare() {
	const { version } = await ok(200, 'admin', 'GET', '/v1/policy');
	await ok(200, 'admin', 'PUT', '/v1/policy', { version, at_once: { auto: 64, manual: 64, selective: 64 } });
	for (const kind of VENDORS) {
		await ok(201, 'admin', 'POST', '/v1/providers', { name: kind, kind, url: model.url, key: 'k-for-tests-12345', at_once: 64, models: [{ id: MODELS[kind], context: 8000, output: 2000 }] });
	}
	const common = { tools: ['todo', 'memory', 'ask_user_question', 'delegate_task'], patience: '0s', on_limit: 'stop', delegates: ['helper'], limits: { turns: 12, context: 1500 } };
	for (const [i, kind] of VENDORS.entries()) {
		const fallbacks = [1, 2, 3].map((n) => VENDORS[(i + n) % 4]).map((name) => `${name}/${MODELS[name]}`);
		await ok(201, 'admin', 'POST', '/v1/agents', { ...common, name: `${kind.replaceAll('_', '-')}-free`, provider: kind, model: MODELS[kind], on_error: 'ask', validation: { mode: 'auto' } });
		await ok(201, 'admin', 'POST', '/v1/agents', { ...common, name: `${kind.replaceAll('_', '-')}-asks`, provider: kind, model: MODELS[kind], fallbacks, on_error: 'fail', validation: { mode: 'manual' } });
	}
	await ok(201, 'admin', 'POST', '/v1/agents', { name: 'helper', provider: 'anthropic', model: MODELS.anthropic, on_error: 'fail' });
}

async function settle(ask) {
	const answer = (answers) => request('member', 'POST', `/v1/asks/${ask.id}/answer`, { answers });
	if (below(12) === 0) return request('member', 'POST', `/v1/asks/${ask.id}/skip`, { reason: 'not now' });
	if (ask.kind === 'approval') {
		return answer({ decision: of([{ value: 'approve' }, { value: 'approve' }, { value: 'reject', text: 'no' }, { value: 'approve', text: 'fine' },
			{ value: 'approve', ...(ask.operation.arguments.name && { arguments: { ...ask.operation.arguments, name: 'edited' } }) }]) });
	}
	if (ask.kind === 'error_recovery') return answer({ recovery: of([{ selected: ['retry'] }, { selected: ['abort'] }, { selected: ['edit'], text: `${of(VENDORS.map((v) => `${v}/${MODELS[v]}`))}` }]) });
	return answer(Object.fromEntries(ask.questions.map(({ key }) => [key, 'yes'])));
}

let over = false;
/* People who answer whatever is open. */
async function people() {
	while (!over) {
		const { items } = await ok(200, 'member', 'GET', '/v1/asks?limit=200');
		for (const ask of items) await settle(ask);
		await sleep(20);
	}
}

const agents = () => `${of(VENDORS).replaceAll('_', '-')}-${of(['free', 'asks'])}`;

async function history(n) {
	const { id, run } = await ok(201, 'member', 'POST', '/v1/sessions', { agent: agents(), message: `History ${n}` }, `history-${seed}-${n}`);
	let now = run;
	for (let said = 1 + below(4); said >= 0;) {
		const r = await ok(200, 'member', 'GET', `/v1/runs/${now}`);
		if (!r.ended_at) {
			const dice = below(40);
			if (dice === 0) await request('member', 'POST', `/v1/runs/${now}/cancel`, {});
			if (dice === 1) await request('member', 'POST', `/v1/sessions/${id}/messages`, { content: 'And this, too.', when: of(['now', 'next']) });
			await sleep(15);
			continue;
		}
		said--;
		const next = r.status === 'failed' && below(2) ? await request('member', 'POST', `/v1/runs/${now}/retry`, {})
			: await request('member', 'POST', `/v1/sessions/${id}/messages`, { content: 'Once more.', agent: agents() });
		now = next.body.run?.id ?? next.body.run ?? next.body.id ?? now;
	}
}

test(`${HISTORIES} random histories with ${KILLS} kills: every request is well formed (seed ${seed})`, { timeout: 7_200_000 }, async () => {
	await prepare();
	const answering = people();
	let next = 0, done = 0;
	const workers = Array.from({ length: AT_ONCE }, async () => {
		while (next < HISTORIES && !seen.flaws.length) {
			await history(next++);
			if (++done % 500 === 0) console.log(`${done} histories, ${seen.requests} requests, ${seen.summaries} with a summary`);
		}
	});
	for (let kills = 0; kills < KILLS && done < HISTORIES && !seen.flaws.length; kills++) {
		while (done < HISTORIES * kills / KILLS && !seen.flaws.length) await sleep(20);
		await sleep(200 + below(400));
		await server.crash();
	}
	await Promise.all(workers);
	over = true;
	await answering;
	assert.equal(model.error, undefined);
	for (const { kind, found, body } of seen.flaws.slice(0, 1)) assert.fail(`seed ${seed}, ${kind}: ${found.join('; ')}\n${JSON.stringify(body.messages ?? body.input ?? body.contents, null, 1)}`);
	console.log(`${HISTORIES} histories, ${KILLS} kills, seed ${seed}: ${seen.requests} requests, ${seen.summaries} with a summary`);
	assert.ok(seen.requests > 3 * HISTORIES);
	assert.ok(HISTORIES < 50 || seen.summaries > 0);
});

test('they have the vendors\' types', () => {
	let source = head;
	const used = new Set(seen.bodies.map(({ kind }) => kind));
	for (const [n, { kind, body, path }] of seen.bodies.entries()) source += typed(kind, n, { body, url: path });
	assert.equal(compile(source), '');
	assert.deepEqual([...used].sort(), Object.keys(types).sort());
});

test('the judge finds a request without its results, its calls or its end', () => {
	for (const { kind, body } of seen.bodies) {
		const list = body.messages ?? body.input ?? body.contents;
		const without = (fits) => flaws(kind, { ...body, messages: list.filter(fits), input: list.filter(fits), contents: list.filter(fits) });
		const results = (m) => /"(tool_result|tool_call_id|function_call_output|functionResponse)"/.test(JSON.stringify(m));
		const asks = (m) => /"(tool_use|tool_calls|function_call|functionCall)":?/.test(JSON.stringify(m));
		if (list.some(asks)) assert.ok(without((m) => !results(m)).length, `${kind}: without results`);
		if (list.some(results)) assert.ok(without((m) => !asks(m)).length, `${kind}: without calls`);
		const spoke = list.findLastIndex((m) => ['assistant', 'model'].includes(m.role));
		if (spoke > 0) assert.ok(without((m, i) => i <= spoke).length, `${kind}: without its end`);
	}
});
