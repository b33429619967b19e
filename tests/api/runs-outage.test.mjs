// A provider in trouble: other models take over, the run waits as a row and calls again by itself, through kills and on
// other nodes; a person is asked at the very end.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Outages } from '../lib/outages.mjs';
import { say, ScriptModel } from '../lib/script_model.mjs';
import { until, useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1';
const scripts = new Map();
const script = (text, answer) => { scripts.set(text, answer); return text; };
const model = await new ScriptModel((q, n, read) => [...scripts].find(([text]) => JSON.stringify(q).includes(text))[1](q, read)).start();
after(() => model.stop());
const asked = (text) => model.requests.filter((q) => JSON.stringify(q).includes(text));
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };

const server = await useServer({ keepPort: true });
const { admin, member } = server;
ok(await admin.put('/v1/policy', { version: ok(await admin.get('/v1/policy')).version, at_once: { auto: 32, manual: 32, selective: 32 } }));
for (const [name, kind] of [['one', 'anthropic'], ['two', 'openai'], ['three', 'gemini']]) {
	ok(await admin.post('/v1/providers', { name, kind, url: model.url, key: 'k-for-tests-12345', at_once: 32, models: [{ id: 'dear', price: { input: 1, output: 2 } }] }), 201);
}
const agent = async (name, more) => ok(await admin.post('/v1/agents', { name, provider: 'one', model: 'm1', ...more }), 201);
await agent('plain', {});
await agent('fails', { on_error: 'fail' });
await agent('falls', { fallbacks: ['two/m2', 'three/m3'], on_error: 'fail' });
await agent('brief', { patience: '10s', on_error: 'fail' });

const start = async (message, name) => ok(await member.post('/v1/sessions', { agent: name, message }), 201);
const run = async (id) => ok(await member.get(`/v1/runs/${id}`));
const waits = (id, calls, text) => until(async () => {
	const r = await run(id);
	return asked(text).length === calls && r.status === 'waiting' && r;
}, `call ${calls} of ${text}`);
const ended = (id) => until(async () => { const r = await run(id); return r.ended_at && r; }, `the end of ${id}`);
const events = async (session) => ok(await member.get(`/v1/events?format=json&session=${session}&after=0&limit=200`)).items;

test('fallbacks are tried in their order: after four tries of what passes, at once of what does not', async () => {
	const busy = (status, winner) => (q, read) => (winner === (q.contents ? 'm3' : read.model) ? [say(`from ${winner}`)] : { status, headers: { 'retry-after-ms': '5' } });
	const cases = [['Overload', 529, 'm3', 4], ['Wallet', 402, 'm3', 1], ['Keyless', 401, 'm2', 1], ['Gone', 404, 'm2', 1]];
	const sessions = await Promise.all(cases.map(([text, status, winner]) => start(script(text, busy(status, winner)), 'falls')));
	for (const [i, [text, status, winner, tries]] of cases.entries()) {
		const session = sessions[i];
		const r = await ended(session.run);
		const path = winner === 'm3' ? [['one/m1', 'two/m2'], ['two/m2', 'three/m3']] : [['one/m1', 'two/m2']];
		assert.deepEqual([r.status, r.report, `${r.provider}/${r.model}`], ['completed', `from ${winner}`, path.at(-1)[1]], `${text} ${JSON.stringify(r.error)}`);
		assert.equal(asked(text).length, tries * path.length + 1, text);
		const switched = (await events(session.id)).filter(({ type }) => type === 'run.model').map(({ data }) => data);
		assert.deepEqual(switched.map(({ from, to }) => [from, to]), path);
		assert.ok(switched.every(({ why }) => why === { 529: 'overloaded', 402: 'no_credit', 401: 'unauthorized', 404: 'refused' }[status]), text);
		const { messages } = ok(await member.get(`/v1/sessions/${session.id}/state`));
		assert.equal(messages.find(({ role }) => role === 'assistant').model, winner);
	}
});

test('a model that declines is followed by the next, which never sees what was refused', async () => {
	const session = await start(script('Decline', (q, read) => (read.model === 'm1' ? { blocks: [say('No way.')], stop: 'refusal' } : [say('Sure.')])), 'falls');
	const r = await ended(session.run);
	assert.deepEqual([r.status, r.report, r.model], ['completed', 'Sure.', 'm2']);
	assert.ok(!JSON.stringify(asked('Decline').at(-1)).includes('No way'));
});

test('what is refused for itself is no reason for another model; without a price those with a limit of cost pass over it', async () => {
	const bad = await ended((await start(script('Bad request', () => ({ status: 400 })), 'falls')).run);
	assert.deepEqual([bad.status, bad.error.kind, asked('Bad request').length], ['failed', 'refused', 1]);
	await agent('thrifty', { model: 'dear', fallbacks: ['two/unpriced', 'three/dear'], limits: { cost_usd: 1 } });
	const r = await ended((await start(script('Thrift', (q, read) => (read.model === 'unpriced' || !JSON.stringify(q).includes('contents') ? { status: 401 } : [say('paid')])), 'thrifty')).run);
	assert.deepEqual([r.report, r.provider, asked('Thrift').length], ['paid', 'three', 2]);
});

test('unknown providers and too many fallbacks are refused with their place', async () => {
	const put = (fallbacks) => admin.post('/v1/agents', { name: 'never', provider: 'one', model: 'm', fallbacks });
	for (const [fallbacks, at] of [[['two/x', 'nowhere/x'], '/fallbacks/1'], [['x'], '/fallbacks/0'], [['two/'], '/fallbacks/0'], [['two/1', 'two/2', 'two/3', 'two/4', 'two/5'], '/fallbacks']]) {
		const reply = await put(fallbacks);
		assert.deepEqual([reply.status, reply.body.errors?.[0]?.pointer], [422, at], reply.text);
	}
	assert.equal((await admin.post('/v1/agents', { name: 'never', provider: 'one', model: 'm', patience: 'long' })).body.errors?.[0]?.pointer, '/patience');
	const shown = ok(await admin.get('/v1/agents/falls'));
	assert.deepEqual([shown.fallbacks, shown.patience], [['two/m2', 'three/m3'], null]);
	assert.equal(ok(await admin.get('/v1/agents/brief')).patience, '10s');
});

test('an outage of ten minutes needs no person: one call at a time, a row in between, through a kill', async () => {
	let broken = true;
	const session = await start(script('Night', () => (broken ? { status: 529 } : [say('morning')])), 'plain');
	let r = await waits(session.run, 4, 'Night');
	const began = Date.now();
	assert.deepEqual([r.waits_for.length, r.waits_for[0].type, r.error.kind, model.open], [1, 'time', 'overloaded', 0]);
	assert.equal(ok(await member.get('/v1/asks')).items.length, 0);
	for (const [i, s] of [2, 5, 10, 30, 60, 120, 300].entries()) {
		const pause = (Date.parse(r.waits_for[0].until) - Date.now() - server.offset) / 1000;
		assert.ok(pause > s * 0.75 - 2 && pause <= s * 1.21, `pause ${i}: ${pause}`);
		if (i === 3) await server.crash();
		server.jump(Math.max(0, Math.ceil(pause * 1000)));
		if (i === 6) broken = false;
		else r = await waits(session.run, 5 + i, 'Night');
	}
	assert.equal((await ended(session.run)).report, 'morning');
	assert.equal(asked('Night').length, 11);
	assert.ok(Date.now() - began < 60_000);
	const types = (await events(session.id)).map(({ type }) => type);
	assert.equal(types.filter((type) => type === 'run.resumed').length, 7);
	assert.equal(types.filter((type) => type === 'run.queued').length <= 2, true);
});

test('retry on a run that waits goes on at once, as does a message that is for now', async () => {
	let broken = true;
	const session = await start(script('Impatient', () => (broken ? { status: 503 } : [say('there')])), 'plain');
	await waits(session.run, 4, 'Impatient');
	const same = ok(await member.post(`/v1/runs/${session.run}/retry`));
	assert.equal(same.id, session.run);
	await waits(session.run, 5, 'Impatient');
	broken = false;
	ok(await member.post(`/v1/sessions/${session.id}/messages`, { content: 'Now?', when: 'now' }), 201);
	const r = await ended(session.run);
	assert.deepEqual([r.status, r.report, asked('Impatient').length], ['completed', 'there', 6]);
});

test('patience ends with a last call: then as on_error says, and a person gets no Skip', async () => {
	const none = await start(script('No patience', () => ({ status: 529 })), 'fails');
	const session = await start(script('For ever', () => ({ status: 529 })), 'plain');
	const brief = await start(script('Brief', () => ({ status: 529 })), 'brief');
	await waits(brief.run, 4, 'Brief');
	server.jump(3_000);
	await waits(brief.run, 5, 'Brief');
	server.jump(10_000);
	const r = await ended(brief.run);
	assert.deepEqual([r.status, r.error.kind, asked('Brief').length], ['failed', 'overloaded', 6]);
	await waits(session.run, asked('For ever').length, 'For ever');
	const before = asked('For ever').length;
	server.jump(7 * 3600e3);
	const ask = await until(async () => ok(await member.get(`/v1/asks?session=${session.id}`)).items[0], 'the ask');
	assert.deepEqual([ask.kind, ask.questions[0].options.map(({ id }) => id)], ['error_recovery', ['retry', 'edit', 'abort']]);
	assert.deepEqual((await run(session.run)).waits_for.map(({ type }) => type), ['ask']);
	assert.equal(asked('For ever').length, before + 1);
	assert.deepEqual([(await ended(none.run)).status, asked('No patience').length], ['failed', 4]);
});

test('one that waits on time takes no place in the queue, and can be cancelled', async () => {
	const { version } = ok(await admin.get('/v1/policy'));
	ok(await admin.put('/v1/policy', { version, at_once: { auto: 1, manual: 1, selective: 1 } }));
	const first = await start(script('Holds nothing', () => ({ status: 529 })), 'plain');
	await waits(first.run, 4, 'Holds nothing');
	const second = await start(script('Passes by', () => [say('quick')]), 'plain');
	assert.equal((await ended(second.run)).report, 'quick');
	ok(await member.post(`/v1/runs/${first.run}/cancel`, {}));
	assert.equal((await run(first.run)).status, 'cancelled');
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});

test('an option of ours that is refused is left out at once, and not sent again; a redirect names its host', async () => {
	ok(await admin.post('/v1/providers', { name: 'four', kind: 'openai_responses', url: model.url, key: 'k-for-tests-12345' }), 201);
	await agent('unverified', { provider: 'four', model: 'gpt-7', on_error: 'fail' });
	await agent('eager', { effort: 'high', model: 'plain-model', on_error: 'fail' });
	const refusal = (message) => ({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } });
	script('Verify', (q) => (q.reasoning?.summary ? refusal('Your organization must be verified to generate reasoning summaries.') : [say('fine')]));
	script('Think', (q) => (q.thinking ? refusal('thinking: this model does not take it') : [say('fine')]));
	for (const [text, name] of [['Verify', 'unverified'], ['Think', 'eager']]) {
		for (const calls of [2, 3]) {
			const r = await ended((await start(`${text} ${calls}`, name)).run);
			assert.deepEqual([r.report, asked(text).length], ['fine', calls], JSON.stringify(r.error));
		}
	}
	const r = await ended((await start(script('Elsewhere', () => ({ status: 307, headers: { location: 'https://other.example.org/v1' } })), 'fails')).run);
	assert.deepEqual([r.error, asked('Elsewhere').length], [{ kind: 'refused', message: 'redirects to other.example.org (307); redirects are not followed' }, 1]);
});

test('outages of ten seconds, ten minutes and for ever, killed meanwhile', { timeout: 3_600_000 }, async (t) => {
	const other = await useServer({ keepPort: true });
	const play = new Outages({ servers: [other], tokens: other.secrets, runs: LONG ? 600 : 6, kills: LONG ? 200 : 3 });
	try {
		await play.play();
		t.diagnostic(play.summary);
	} finally {
		play.end();
	}
});
