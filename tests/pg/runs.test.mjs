// Runs on two nodes that share a database: a dead node's runs go on at the other, cancels and messages reach the
// node that works, what a model says is shown on both, and the database may go away.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { KilledRuns } from '../lib/killed_runs.mjs';
import { Outages } from '../lib/outages.mjs';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { Stream } from '../api/lib/stream.mjs';
import { sleep, until } from '../lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1';
const RUNS = Number(process.env.PARLEY_RUNS ?? (LONG ? 20_000 : 30)), KILLS = LONG ? Math.ceil(RUNS / 30) : 4;
const LEASE_OVER = 31e3;
const cluster = new Cluster();
const scripts = new Map();
const model = new ScriptModel((q) => [...scripts].find(([text]) => first(q).startsWith(text))[1](q));
const script = (text, answer) => { scripts.set(text, answer); return text; };
let one, two, tokens;

const made = [];
async function pair(name) {
	const store = cluster.database(name);
	const nodes = [new Node(store, { keepPort: true }), new Node(store, { keepPort: true })];
	made.push(...nodes);
	for (const node of nodes) node.env.PARLEY_TEST_TOOLS = '1';
	for (const node of nodes) await node.start();
	const found = { admin: await nodes[0].token('admin', 'ada'), member: await nodes[0].token('member', 'mia') };
	return { nodes, tokens: found };
}

const ok = async (status, node, who, ...request) => {
	const reply = await node.once(tokens[who], ...request);
	assert.equal(reply.status, status, JSON.stringify(reply.body));
	return reply.body;
};
const start = (node, message) => ok(201, node, 'member', 'POST', '/v1/sessions', { agent: 'worker', message });
const run = (node, id) => ok(200, node, 'member', 'GET', `/v1/runs/${id}`);
const ended = (node, id) => until(async () => {
	const r = await run(node, id);
	return ['completed', 'failed', 'cancelled'].includes(r.status) && r;
}, `the end of ${id}`);
const listen = (node, query) => Stream.open({ server: node,
	headers: () => ({ authorization: `Bearer ${tokens.member}` }) }, `/v1/events${query}`);
const events = async (node, session) => (await ok(200, node, 'admin', 'GET',
	`/v1/events?format=json&after=0&session=${session}&limit=200`)).items;
/* Which node works on it, by its event. */
const worker = async (session) => {
	const started = await until(async () => (await events(one, session)).findLast(({ type }) => type === 'run.started')?.data.node, 'the start');
	return [one, two].find((node) => started.endsWith(node.data.replace(/[/%_\\]/g, '-').slice(-40)));
};

before(async () => {
	await model.start();
	({ nodes: [one, two], tokens } = await pair('runs'));
	const { version } = await ok(200, one, 'admin', 'GET', '/v1/policy');
	await ok(200, one, 'admin', 'PUT', '/v1/policy', { version, at_once: { auto: 16, manual: 16, selective: 16 } });
	await ok(201, one, 'admin', 'POST', '/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url });
	await ok(201, one, 'admin', 'POST', '/v1/agents', { name: 'worker', provider: 'scripted', model: 'm',
		tools: ['todo', 'ask_user_question'] });
});
after(async () => {
	for (const node of made) await node.end();
	cluster.remove();
	model.stop();
});

test('what a model says is shown by the other node, too, and to who comes late', async () => {
	let begin, goOn, text = '';
	const here = new Promise((done) => { begin = done; }), middle = new Promise((done) => { goOn = done; });
	/* The text begins when its reader is there, and stops until the late one has seen it. */
	const pause = (n) => (n === 2 ? here : n === 8 ? middle : n < 8 && sleep(60));
	const session = await start(one, script('Slowly', () => ({ blocks: [say('word '.repeat(60))], pause })));
	await until(() => model.open > 0, 'the model call');
	const other = await worker(session.id) === one ? two : one;
	const early = await listen(other, `?session=${session.id}&after=0`);
	begin();
	await early.eventsUntil(({ type, data }) => {
		if (type === 'run.token') text += data.text;
		return /^word word/.test(text);
	});
	const late = await listen(other, `?session=${session.id}`);
	const partial = (await late.eventsUntil(({ type }) => type === 'run.partial')).at(-1);
	assert.match(partial.data.text, /^word word/);
	goOn(); // shown at once, not at the end
	await early.eventsUntil(({ type }) => type === 'run.completed');
	for (const stream of [early, late]) stream.close();
});

test('a run is cancelled, or given a message, by a node that does not work on it', async () => {
	script('Hang', (q) => (/louder/.test(JSON.stringify(q.messages)) ? [say('LOUD')] : { blocks: [say('a')], hang: true }));
	for (const what of ['cancel', 'now']) {
		const session = await start(one, 'Hang');
		await until(() => model.open === 1, 'the model call');
		const other = await worker(session.id) === one ? two : one, began = Date.now();
		let slowest = 0; // reply of a node meanwhile: what a busy machine adds to any limit
		if (what === 'cancel') await ok(200, other, 'member', 'POST', `/v1/runs/${session.run}/cancel`, {});
		else await ok(201, other, 'member', 'POST', `/v1/sessions/${session.id}/messages`, { content: 'louder', when: 'now' });
		await until(async () => {
			const looked = Date.now();
			await Promise.all([one, two].map((node) => node.once(null, 'GET', '/healthz')));
			slowest = Math.max(slowest, Date.now() - looked);
			return model.open === 0;
		}, 'the end of the model call');
		const took = Date.now() - began;
		assert.ok(took < 1500 + slowest, `it took ${took} ms; the slowest reply ${slowest} ms`);
		if (what === 'now') assert.equal((await ended(other, session.run)).report, 'LOUD');
	}
});

test('the database goes away while a model answers: the turn is committed once it is back', async () => {
	let go;
	const gate = new Promise((done) => { go = done; });
	const session = await start(one, script('Gone', async (q) => {
		if (results(q).length) return [say('back')];
		await gate;
		return [use('todo', { operation: 'create', name: 'kept' })];
	}));
	await until(() => model.open === 1, 'the model call');
	cluster.stop('immediate');
	go();
	await until(() => model.open === 0, 'the end of the model call');
	cluster.start();
	await until(async () => (await one.readyz()).status === 200 && (await two.readyz()).status === 200, 'the nodes');
	for (const node of [one, two]) node.jump(LEASE_OVER);
	assert.equal((await ended(one, session.run)).report, 'back');
	const tasks = (await ok(200, one, 'member', 'GET', `/v1/sessions/${session.id}/tasks`)).items;
	assert.deepEqual(tasks.map(({ name }) => name), ['kept']);
});

test('the runs of a node that died go on at the other when their lease is over', async (t) => {
	let calls = 0;
	const session = await start(one, script('Orphan', () => (calls++ ? [say('adopted')] : { blocks: [say('a')], hang: true })));
	await until(() => model.open === 1, 'the model call');
	const dead = await worker(session.id), heir = dead === one ? two : one;
	await dead.kill();
	if (!LONG) heir.jump(LEASE_OVER); // else it is waited out
	const began = Date.now(), r = await ended(heir, session.run);
	assert.deepEqual([r.report, r.attempt], ['adopted', 2]);
	assert.ok(Date.now() - began < (LONG ? 35_000 : 4000), `no later than the next look: ${Date.now() - began} ms`);
	t.diagnostic(`taken over after ${Date.now() - began} ms`);
	await dead.start();
});

test('outages of ten seconds, ten minutes and for ever: what a dead node waited for is tried again by the other', { timeout: 3_600_000 }, async (t) => {
	const { nodes, tokens: own } = await pair('outages');
	const play = new Outages({ servers: nodes, tokens: own, runs: LONG ? 600 : 6, kills: LONG ? 200 : 3 });
	try {
		await play.play();
		t.diagnostic(play.summary);
	} finally {
		play.end();
	}
});

test(`${RUNS} runs on two nodes, killed ${KILLS} times`, { timeout: 3_600_000 }, async (t) => {
	const { nodes, tokens: own } = await pair('killed');
	const play = new KilledRuns({ servers: nodes, tokens: own, runs: RUNS, kills: KILLS });
	try {
		await play.play();
		t.diagnostic(play.summary);
	} finally {
		await play.end();
	}
	const check = await nodes[0].run(['check', '--data', nodes[0].data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});
