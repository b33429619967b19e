// Two nodes on one database, eight voters who approve, edit, reject and take votes back while others
// disable them, move them between teams and send them away, against deadlines and cancels, with
// kill -9 in between. A checker that reads the event log alone finds that each ask is settled once, and
// approved only if enough people who counted stood for one operation in every part.
// PARLEY_LONG=1: 100,000 asks; else 1,500. PARLEY_ASKS=N: so many.
import assert from 'node:assert/strict';
import { persist } from '../lib/cluster.mjs';
import { sleep } from '../lib/server.mjs';
import { below, long, nodes, run } from '../lib/two_nodes.mjs';
import { VoteLog } from '../lib/vote_log.mjs';

const ASKS = Number(process.env.PARLEY_ASKS ?? (long ? 100_000 : 1_500));
const KILLS = long ? 60 : 6;
const WORKERS = 24;
const send = (who, ...request) => persist(nodes, who, ...request);
let agent;
let admin;
let team;
const voters = [];
let asked = 0;
let refused = 0;
let done = false;

const pick = (list) => list[below(list.length)];
const user = () => `user:${pick(voters).id}`;

function requirement() {
	return pick([
		() => [{ approvals: 2 }],
		() => [{ approvals: 1 + below(3) }],
		() => [{ approvals: 2, from: ['team:ops'], others: Boolean(below(2)) }],
		() => [{ approvals: 1, from: ['team:ops', 'role:admin'] }, { approvals: 2 }],
		() => [{ approvals: 1, from: [user(), user()] }],
		() => [{ approvals: 2, from: [user(), user(), user(), 'role:admin'] }],
	])();
}

async function act(ask) {
	const voter = pick(voters);
	const path = `/v1/asks/${ask}`;
	const dice = below(100);
	if (dice < 2) return send(agent, 'POST', `${path}/cancel`, {});
	if (dice < 15) return send(voter.token, 'POST', `${path}/retract`, {});
	if (dice < 22) return send(voter.token, 'POST', `${path}/answer`, { answers: { decision: 'reject' } });
	const edited = below(4) === 0 ? { arguments: { cmd: `make ${below(2)}` } } : {};
	return send(voter.token, 'POST', `${path}/answer`, { answers: { decision: { value: 'approve', ...edited } } });
}

/** One ask, from its beginning to its settlement. */
async function story(n) {
	const body = { kind: 'approval', operation: { type: 'tool', name: 'shell', arguments: { cmd: 'make' } },
		require: requirement(), ...(below(10) === 0 ? { timeout: 1 } : {}),
		...(below(6) === 0 ? { session: team.session } : {}) };
	const reply = await send(agent, 'POST', '/v1/asks', body, `ask-${n}`);
	if (reply.status === 422) { // nobody could meet it just then
		refused++;
		return;
	}
	assert.equal(reply.status, 201, JSON.stringify(reply.body));
	const { id } = reply.body;
	if (body.timeout && below(2)) await sleep(900 + below(150)); // votes meet the deadline
	for (let rounds = 1 + below(3); rounds > 0; rounds--) {
		const replies = await Promise.all(Array.from({ length: 1 + below(3) }, () => act(id)));
		for (const { status, body: problem } of replies) {
			assert.ok([200, 401, 403, 409].includes(status), `${status} ${JSON.stringify(problem)}`);
		}
		if (replies.some((r) => r.body?.ask && r.body.ask.status !== 'pending')) break;
	}
	await send(agent, 'POST', `/v1/asks/${id}/cancel`, {});
}

async function work() {
	while (asked < ASKS) await story(asked++);
}

/** People change, all the time. */
async function people() {
	while (!done) {
		const voter = pick(voters);
		const path = `/v1/users/${voter.id}`;
		const until = new Date(Date.now() + 200 + below(3000)).toISOString();
		await pick([
			() => send(admin, 'PATCH', path, { disabled: true }).then(() => sleep(below(60)))
				.then(() => send(admin, 'PATCH', path, { disabled: false })),
			() => send(admin, 'PATCH', path, { role: pick(['viewer', 'member', 'member', 'admin']) }),
			() => send(admin, 'PATCH', `/v1/teams/${team.id}`,
				{ members: voters.filter(() => below(3) > 0).map((v) => ({ user: v.id })) }),
			() => send(admin, 'PUT', `${path}/away`, { until, delegate: pick(voters).id }),
			() => send(admin, 'DELETE', `${path}/away`),
		])();
		await sleep(below(80));
	}
}

async function kills() {
	for (let n = 0; n < KILLS && !done; n++) {
		while (!done && asked < (ASKS * (n + 1)) / (KILLS + 1)) await sleep(50);
		const node = nodes[below(2)];
		await node.kill();
		await node.start();
	}
}

async function setUp() {
	[agent, admin] = [await nodes[0].token('agent', 'builder'), await nodes[0].token('owner', 'ada')];
	for (let i = 0; i < 8; i++) {
		const token = await nodes[i % 2].token('owner', `voter-${i}`);
		voters.push({ token, id: (await send(token, 'GET', '/v1/me')).body.user.id });
	}
	for (const [i, voter] of voters.entries()) {
		const reply = await send(admin, 'PATCH', `/v1/users/${voter.id}`, { role: i < 2 ? 'admin' : 'member' });
		assert.equal(reply.status, 200, JSON.stringify(reply.body));
	}
	team = (await send(admin, 'POST', '/v1/teams',
		{ name: 'ops', projects: ['web-*'], members: voters.slice(0, 5).map((v) => ({ user: v.id })) }, 'team')).body;
	const session = await send(agent, 'POST', '/v1/sessions', { title: 'Web', project: 'web-1', parallel: true }, 'session');
	team.session = session.body.id;
}

/** The whole log, by pages. */
async function judge() {
	const log = new VoteLog();
	for (let after = 0; ;) {
		const { items } = (await send(admin, 'GET', `/v1/events?format=json&limit=200&after=${after}`)).body;
		if (!items.length) return log;
		for (const event of items) {
			assert.equal(event.id, ++after, 'a gap in the log');
			log.take(event);
		}
	}
}

await run(async () => {
	await setUp();
	const others = [people(), kills()];
	await Promise.all(Array.from({ length: WORKERS }, work));
	done = true;
	await Promise.all(others);
	const log = await judge();
	assert.deepEqual(log.wrong.slice(0, 20), [], `${log.wrong.length} findings`);
	const open = [...log.asks.values()].filter((ask) => !ask.settled);
	assert.equal(open.length, 0, 'asks that are not settled');
	assert.equal(log.counts.asks, ASKS - refused);
	assert.ok(log.counts.approved > ASKS / 10, 'hardly any was approved');
	return `${JSON.stringify(log.counts)}, ${refused} refused when asked,`
		+ ` ${nodes.reduce((n, node) => n + node.lives, 0) - 2} kills`;
});
