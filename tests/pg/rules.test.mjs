// No stale yes: after the end of a rule, a deny or a stop was acknowledged on one node, no node allows
// or lets use what it forbids. Clients see it by what they were told; a checker sees it in the log alone.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Cluster, Node, persist } from '../lib/cluster.mjs';

// PARLEY_LONG=1: 50,000 rounds; else 150. PARLEY_ROUNDS=N: so many.
const ROUNDS = Number(process.env.PARLEY_ROUNDS ?? (process.env.PARLEY_LONG ? 50_000 : 150));
const LANES = 6;
// PARLEY_LONG=1: 100,000 draws from mandates; else 600. PARLEY_DRAWS=N: so many.
const DRAWS = Number(process.env.PARLEY_DRAWS ?? (process.env.PARLEY_LONG ? 100_000 : 600)), CONNECTIONS = 64;

const cluster = new Cluster();
const store = cluster.database('rules');
const nodes = [new Node(store), new Node(store)];
after(async () => {
	for (const node of nodes) await node.end();
	cluster.remove();
});
await Promise.all(nodes.map((node) => node.start()));
const admin = await nodes[0].token('admin', 'ada');

const pick = (list) => list[Math.floor(Math.random() * list.length)];
/** On a node of its choice, again while that says "not now". */
async function call(token, method, path, body, node = pick(nodes)) {
	for (;;) {
		const reply = await node.once(token, method, path, body);
		if (reply.status !== 503) return reply;
	}
}
async function must(status, ...args) {
	const reply = await call(...args);
	assert.equal(reply.status, status, JSON.stringify(reply.body));
	return reply.body;
}

const count = { asked: 0, allowed: 0, used: 0, refused: 0, rounds: 0 };

class Lane {
	constructor(n) { this.agent = `agent-${n}`; }

	async open() {
		this.token = await nodes[0].token('agent', this.agent);
		this.session = (await must(201, this.token, 'POST', '/v1/sessions', { title: this.agent, parallel: true })).id;
		return this;
	}

	async ask(tool, node) {
		const ask = await must(201, this.token, 'POST', '/v1/asks', { kind: 'approval', session: this.session, operation: { name: tool } }, node);
		count.asked += 1;
		count.allowed += ask.status === 'answered' && ask.answer.decision.value === 'approve';
		return ask;
	}

	async use(ask, node) {
		const reply = await call(this.token, 'POST', `/v1/asks/${ask.id}/use`, { digest: ask.digest }, node);
		count.used += reply.status === 200;
		count.refused += reply.status === 409;
		return reply.status;
	}

	/** What ends the yes, and takes itself back afterwards. */
	stoppers(tool, rule) {
		return {
			end: [() => must(204, admin, 'DELETE', `/v1/rules/${rule.id}`), () => {}],
			deny: [async () => { this.made = await must(201, admin, 'POST', '/v1/rules', { effect: 'deny', match: { tool: [tool] } }); },
				() => must(204, admin, 'DELETE', `/v1/rules/${this.made.id}`)],
			stop: [async () => { this.made = await must(201, admin, 'POST', '/v1/stops', { reason: tool, match: { agent: this.agent } }); },
				() => must(204, admin, 'DELETE', `/v1/stops/${this.made.id}`)],
		};
	}

	async round(n) {
		const tool = `tool_${this.agent.replace('-', '')}_${n}`;
		const rule = await must(201, admin, 'POST', '/v1/rules', { effect: 'allow', match: { tool: [tool], agent: this.agent } });
		const early = [await this.ask(tool), await this.ask(tool)];
		const kind = pick(['end', 'deny', 'stop']);
		const [act, back] = this.stoppers(tool, rule)[kind];
		const askers = nodes.map(async (node) => {
			for (let i = 0; i < 3; i++) await Promise.all([this.ask(tool, node), this.ask(tool, node)]);
		});
		// It comes while others are under way.
		const acting = new Promise((done) => { setTimeout(done, Math.random() * 15); }).then(act);
		await Promise.all([...askers, this.use(early[0]), acting]);
		// It was acknowledged: whatever is sent from now on must not get a yes.
		for (const node of nodes) {
			const late = await this.ask(tool, node);
			assert.notEqual(late.answer?.decision.value, 'approve', `${kind}: allowed after it was acknowledged`);
		}
		if (kind !== 'end') assert.equal(await this.use(early[1]), 409, `${kind}: used after it was acknowledged`);
		await back();
		if (kind !== 'end') await must(204, admin, 'DELETE', `/v1/rules/${rule.id}`);
		count.rounds += 1;
	}
}

/** Reads the log alone: what was allowed by a rule after its end, and used while it was denied or stopped. */
class Checker {
	ended = new Set();
	stops = new Map();
	denies = new Map();
	tools = new Map();
	wrong = [];

	take(e) {
		const { data } = e;
		if (e.type === 'rule.ended') { this.ended.add(data.rule); this.denies.delete(data.rule); }
		if (e.type === 'rule.made' && data.effect === 'deny') this.denies.set(data.rule, data.match.tool[0]);
		if (e.type === 'stop.set') this.stops.set(data.stop, data.reason);
		if (e.type === 'stop.lifted') this.stops.delete(data.stop);
		if (e.type === 'ask.created') this.tools.set(e.ask, data.title);
		const rule = data.answered_by?.rule;
		if (e.type === 'ask.answered' && this.ended.has(rule)) this.wrong.push([e.id, 'allowed by a rule that had ended']);
		const tool = this.tools.get(e.ask);
		if (e.type !== 'ask.used') return;
		for (const denied of this.denies.values()) if (tool?.includes(denied)) this.wrong.push([e.id, 'used while denied']);
		for (const reason of this.stops.values()) if (tool?.includes(reason)) this.wrong.push([e.id, 'used while stopped']);
	}
}

test(`${ROUNDS} rounds over two nodes: no yes after an acknowledged end, deny or stop`, async () => {
	const lanes = await Promise.all(Array.from({ length: LANES }, (_, i) => new Lane(i).open()));
	await Promise.all(lanes.map(async (lane) => {
		for (let n = 0; n < ROUNDS / LANES; n++) await lane.round(n);
	}));
	const checker = new Checker();
	let after = 0, seen = 0;
	for (;;) {
		const { items } = await must(200, admin, 'GET', `/v1/events?format=json&limit=200&after=${after}`);
		if (!items.length) break;
		for (const e of items) checker.take(e);
		after = items.at(-1).id;
		seen += items.length;
	}
	assert.deepEqual(checker.wrong, []);
	assert.ok([...checker.tools.values()].filter((title) => /tool_agent/.test(title)).length >= count.rounds, 'tools are told');
	assert.ok(seen > ROUNDS * 10, `${seen} events`);
	assert.ok(count.allowed > ROUNDS * 2 && count.refused > ROUNDS / 3, JSON.stringify(count));
	console.log(`# ${JSON.stringify({ ...count, events: seen })}`);
});

test('uses are exact over two nodes', async () => {
	const lane = await new Lane('x').open();
	for (let n = 0; n < 10; n++) {
		const tool = `counted_${n}`;
		await must(201, admin, 'POST', '/v1/rules', { effect: 'allow', match: { tool: [tool] }, uses_left: 5 });
		const asks = await Promise.all(Array.from({ length: 16 }, (_, i) => lane.ask(tool, nodes[i % 2])));
		assert.equal(asks.filter((a) => a.status === 'answered').length, 5);
	}
});

/** Mandates for about so many draws: half of their lines run out by uses, half by sums. */
async function mandates(agent, draws) {
	const lines = Array.from({ length: 20 }, (_, i) => ({ key: `l${i}`, tool: ['pay'], uses: Math.min(1000, Math.ceil(draws / (i % 2 ? 110 : 120))),
		sum: { pointer: '/amount', max: i % 2 ? draws / 1000 + 0.35 : 100_000 } }));
	const made = [];
	for (let n = 0; n < 6; n++) {
		const session = (await must(201, agent, 'POST', '/v1/sessions', { title: 'Pay', parallel: true })).id;
		const mandate = await must(201, agent, 'POST', '/v1/mandates', { title: 'Pay', session, lines });
		await must(200, admin, 'POST', `/v1/asks/${mandate.ask}/answer`, { answer: 'approve' });
		made.push(mandate);
	}
	return made;
}

async function drawnEvents(session) {
	const items = [];
	for (let after = 0; ;) {
		const page = await persist(nodes, admin, 'GET', `/v1/events?format=json&limit=200&types=mandate.drawn&session=${session}&after=${after}`);
		if (!page.body.items.length) return items.map(({ data }) => data);
		items.push(...page.body.items);
		after = items.at(-1).id;
	}
}

test(`${DRAWS} draws from ${CONNECTIONS} connections, nodes killed: used and spent equal the events, never over`, async () => {
	const agent = await nodes[0].token('agent', 'payer');
	const made = await mandates(agent, DRAWS);
	let left = DRAWS * 1.2, allowed = 0, unheard = 0, kills = 0, working = true;
	const draw = async () => {
		while (left-- > 0) {
			const node = pick(nodes.filter((one) => !one.isDown));
			const amount = pick([0, 0.1, 0.25, 0.000001, 1]);
			try {
				const { status, body } = await node.once(agent, 'POST', '/v1/decide', { operation: { name: 'pay', arguments: { amount } }, session: pick(made).session });
				if (status === 503) unheard += 1;
				else assert.equal(status, 200, JSON.stringify(body));
				allowed += Boolean(body.mandate && body.effect === 'allow');
			} catch (error) {
				if (error instanceof assert.AssertionError) throw error;
				unheard += 1;
				await node.up;
			}
		}
	};
	const killing = (async () => {
		for (const every = DRAWS / 4; working;) {
			const until = left - every;
			while (working && left > until) await new Promise((done) => { setTimeout(done, 5); });
			if (!working) break;
			const node = nodes[kills++ % 2];
			await node.kill();
			await node.start();
		}
	})();
	await Promise.all(Array.from({ length: CONNECTIONS }, draw));
	working = false;
	await killing;
	let events = 0;
	for (const { id, session } of made) {
		const { body: now } = await persist(nodes, agent, 'GET', `/v1/mandates/${id}`);
		const drawn = await drawnEvents(session);
		events += drawn.length;
		for (const { key, uses, sum, used, spent } of now.lines) {
			const own = drawn.filter((one) => one.line === key);
			assert.deepEqual(own.map((one) => one.used), own.map((_, i) => i + 1), `${key}: one after the other`);
			assert.ok(own.every((one, i) => !i || one.spent >= own[i - 1].spent));
			assert.deepEqual([used, spent], [own.length, own.at(-1)?.spent ?? 0], key);
			assert.ok(used <= uses && spent <= sum.max, `${key}: ${used} of ${uses}, ${spent} of ${sum.max}`);
		}
	}
	assert.ok(allowed <= events && events - allowed <= unheard, JSON.stringify({ allowed, events, unheard }));
	assert.ok(kills > 0 && allowed > DRAWS / 2, JSON.stringify({ kills, allowed }));
	console.log(`# ${JSON.stringify({ draws: DRAWS, allowed, events, unheard, kills })}`);
});
