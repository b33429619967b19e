// Deliveries with several servers on one database: each is made by one of them, and what a
// server that was killed left behind is taken over by another.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Receiver } from '../api/lib/receiver.mjs';
import { until } from '../api/lib/server.mjs';
import { SECRET, Slack, TOKEN } from '../api/lib/slack.mjs';
import { Cluster, Node } from '../lib/cluster.mjs';

const LEASE_OVER = 61e3;
const cluster = new Cluster();
const folder = mkdtempSync(join(tmpdir(), 'deliveries-'));
const all = [];
let databases = 0;

after(async () => {
	for (const node of all) await node.end();
	cluster.remove();
	rmSync(folder, { recursive: true, force: true });
});

/** Two nodes that are not started yet; the resumer `slow` writes down that it runs, and stays. */
function pair() {
	const store = cluster.database(`d${++databases}`);
	const config = join(folder, `${databases}.conf`);
	const ran = join(folder, `${databases}.ran`);
	writeFileSync(ran, '');
	writeFileSync(config, 'webhook_internal = 127.0.0.0/8\n[resumers]\n'
		+ `slow = sh -c 'echo $PARLEY_DELIVERY >>${ran}; exec sleep 20'\nbrief = true\n`);
	const made = [new Node(store), new Node(store)];
	made.forEach((node) => { node.env.PARLEY_CONFIG = config; });
	all.push(...made);
	return { nodes: made, runs: () => readFileSync(ran, 'utf8').split('\n').filter(Boolean) };
}

async function people(node) {
	const [agent, member, admin] = [await node.token('agent', 'builder'),
		await node.token('member', 'mia'), await node.token('admin', 'ada')];
	return { agent, member, admin };
}

/** An ask of a session that has somebody called, answered on that node. */
async function settle(node, { agent, member }, on_settled) {
	const session = await node.once(agent, 'POST', '/v1/sessions', { title: 'Called', on_settled });
	assert.equal(session.status, 201, JSON.stringify(session.body));
	const made = await node.once(agent, 'POST', '/v1/asks',
		{ session: session.body.id, question: 'Go on?', type: 'boolean' });
	const done = await node.once(member, 'POST', `/v1/asks/${made.body.id}/answer`, { answer: true });
	assert.equal(done.status, 200, JSON.stringify(done.body));
}

const deliveries = async (node, { admin }, status) => (await node.once(admin, 'GET',
	`/v1/deliveries?limit=200&status=${status}`)).body.items;

test('each is made once, whichever node settles and whichever makes it', async () => {
	const { nodes } = pair();
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	const receiver = await new Receiver().open();
	await Promise.all(Array.from({ length: 60 }, (_, i) =>
		settle(nodes[i % 2], who, { webhook: receiver.url })));
	const done = await until(async () => {
		const items = await deliveries(nodes[0], who, 'done');
		return items.length === 60 && items;
	}, 'all of them', 30_000);
	assert.ok(done.every((delivery) => delivery.attempts === 1));
	assert.equal(receiver.got.length, 60);
	assert.deepEqual(new Set(receiver.got.map((got) => got.headers['webhook-id'])),
		new Set(done.map((delivery) => delivery.id)));
});

test('a host has its slots at each node, and one that never replies keeps nobody waiting at either', async () => {
	const { nodes } = pair();
	nodes.forEach((node) => { Object.assign(node.env, { PARLEY_WEBHOOK_HOST_MAX: '2', PARLEY_WEBHOOK_TIMEOUT: '300s' }); });
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	let deaf = true;
	const held = [];
	const slow = await new Receiver((request, response) => {
		const reply = () => response.writeHead(204).end();
		if (deaf) held.push(reply);
		else reply();
	}).open('127.0.0.2');
	const quick = await new Receiver().open();
	await Promise.all(Array.from({ length: 10 }, (_, i) => settle(nodes[i % 2], who, { webhook: slow.url })));
	await until(() => held.length === 4, 'two at each node');
	await Promise.all(Array.from({ length: 4 }, (_, i) => settle(nodes[i % 2], who, { webhook: quick.url })));
	await quick.some(4);
	assert.equal(held.length, 4);
	deaf = false;
	held.forEach((reply) => reply());
	await until(async () => (await deliveries(nodes[0], who, 'done')).length === 14, 'all of them');
	assert.equal(slow.got.length, 10);
});

test('a webhook of a server that was killed is sent again by another, which has nothing else to do', async () => {
	const { nodes: [first, second] } = pair();
	await Promise.all([first, second].map((node) => node.start()));
	const who = await people(first);
	const receiver = await new Receiver((request, response, n) => {
		if (n !== 2) response.writeHead(204).end();
	}).open();
	const done = (n) => until(async () => {
		const items = await deliveries(second, who, 'done');
		return items.length === n && items;
	}, `the end of ${n}`);
	// The other node has made one, and knows of none: what there is it finds by its looks alone.
	await settle(second, who, { webhook: receiver.url });
	await done(1);
	await settle(first, who, { webhook: receiver.url });
	await receiver.some(2);
	await first.kill();
	second.jump(LEASE_OVER);
	const [, before, again] = await receiver.some(3);
	assert.equal(again.headers['webhook-id'], before.headers['webhook-id']);
	const ended = (await done(2)).find(({ id }) => id === before.headers['webhook-id']);
	assert.equal(ended.attempts, 2);
});

test('a resumer of a server that was killed is not run again, and another says so', async () => {
	const { nodes: [first, second], runs } = pair();
	await first.start();
	const who = await people(first);
	await settle(first, who, { resumer: 'slow' });
	await until(() => runs().length, 'that it runs');
	await second.start();
	await first.kill();
	second.jump(LEASE_OVER);
	const [dead] = await until(async () => {
		const items = await deliveries(second, who, 'dead');
		return items.length && items;
	}, 'its end');
	assert.match(dead.last_error, /interrupted/);
	assert.deepEqual(runs(), [dead.id]);
});

test('a session is resumed one at a time, whichever node does it', async () => {
	const { nodes } = pair();
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	const session = await nodes[0].once(who.agent, 'POST', '/v1/sessions', { title: 'Called', on_settled: { resumer: 'brief' } });
	const ask = await nodes[0].once(who.agent, 'POST', '/v1/asks',
		{ session: session.body.id, question: 'Go on?', type: 'boolean' });
	await Promise.all(Array.from({ length: 6 }, (_, i) => nodes[i % 2].once(who.member, 'POST',
		`/v1/asks/${ask.body.id}/replies`, { text: `Reply ${i}` })));
	await until(async () => (await deliveries(nodes[0], who, 'done')).length === 6, 'all six');
	const told = (await nodes[1].once(who.agent, 'GET',
		'/v1/events?after=0&format=json&types=session.resuming,session.resumed')).body.items;
	assert.deepEqual(told.map((event) => event.type),
		Array.from({ length: 6 }, () => ['session.resuming', 'session.resumed']).flat());
});

test('a channel that one node found not to work is down on the other, and works again on both', async () => {
	const slack = await new Slack().open();
	const store = cluster.database(`d${++databases}`);
	const nodes = [0, 1].map(() => new Node(store, { flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api] }));
	all.push(...nodes);
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	const call = async (node, method, path, body) => (await node.once(who.admin, method, path, body)).body;
	const states = () => Promise.all(nodes.map(async (node) => {
		const { state, since, error } = (await call(node, 'GET', '/v1/channels')).items.find((c) => c.channel === 'slack');
		return { state, since, error };
	}));
	const team = await call(nodes[0], 'POST', '/v1/teams', { name: 'crew' });
	const room = await call(nodes[0], 'POST', `/v1/teams/${team.id}/contacts`, { channel: 'slack', address: 'C0CREW' });
	const { version } = await call(nodes[0], 'GET', '/v1/routes');
	await call(nodes[1], 'PUT', '/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${room.id}`] }] }] });
	slack.broken['chat.postMessage'] = { ok: false, error: 'token_revoked' };
	const asks = await Promise.all(nodes.map((node) => node.once(who.agent, 'POST', '/v1/asks', { question: 'Go on?', type: 'boolean' })));
	const [one, other] = await until(async () => {
		const both = await states();
		return both.every((s) => s.state === 'down') && both;
	}, 'down on both');
	assert.deepEqual(one, other);
	assert.equal(one.error, 'token_revoked');
	const log = () => nodes.map((node) => node.output).join('');
	await until(() => /slack is not working/.test(log()), 'the log line');
	delete slack.broken['chat.postMessage'];
	await call(nodes[1], 'POST', `/v1/teams/${team.id}/contacts/${room.id}/test`);
	await until(async () => (await states()).every((s) => s.state === 'ok'), 'it works on both');
	// What waited for five seconds or more was woken, whichever node had tried it.
	await until(async () => (await deliveries(nodes[0], who, 'waiting')).length === 0, 'nothing waits');
	assert.equal(log().match(/slack is not working/g).length, 1, 'said once');
	for (const { body } of asks) await nodes[0].once(who.member, 'POST', `/v1/asks/${body.id}/answer`, { answer: true });
});

test('a reply that comes while another node sends its ask is told behind it', async () => {
	const { nodes } = pair();
	nodes.forEach((node) => { node.env.PARLEY_NOTIFY_RATE = '1000'; });
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	const call = async (node, token, method, path, body) => {
		const reply = await node.once(token, method, path, body);
		assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
		return reply.body;
	};
	const got = new Map(), replied = new Map();
	const receiver = await new Receiver((request, response) => {
		const { purpose, ask } = receiver.got.at(-1).body.data;
		got.set(ask.id, [...(got.get(ask.id) ?? []), purpose]);
		// As the reply is on its way: before, at and after the moment that this is reported.
		if (purpose === 'ask') replied.set(ask.id, call(nodes[got.size % 2], who.agent, 'POST', `/v1/asks/${ask.id}/replies`, { text: 'More' }));
		setTimeout(() => response.writeHead(204).end(), got.size % 7);
	}).open();
	const { user } = await call(nodes[0], who.member, 'GET', '/v1/me');
	await call(nodes[0], who.admin, 'POST', `/v1/users/${user.id}/contacts`, { channel: 'webhook', address: receiver.url, name: 'phone' });
	const { version } = await call(nodes[0], who.admin, 'GET', '/v1/routes');
	await call(nodes[0], who.admin, 'PUT', '/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${user.id}`] }] }] });
	const session = await call(nodes[0], who.agent, 'POST', '/v1/sessions', { title: 'Many', parallel: true });
	const asks = await Promise.all(Array.from({ length: 60 }, (_, i) =>
		call(nodes[i % 2], who.agent, 'POST', '/v1/asks', { session: session.id, question: `Go on ${i}?`, type: 'boolean' })));
	await until(() => asks.every(({ id }) => got.get(id)?.includes('thread')), 'every reply', 30_000);
	await Promise.all(replied.values());
	assert.ok(asks.every(({ id }) => got.get(id).join() === 'ask,thread'), JSON.stringify([...got.values()].filter((p) => p.join() !== 'ask,thread')));
});

test('a vote that comes while another node sends the message is shown in it', async () => {
	const slack = await new Slack().open();
	const store = cluster.database(`d${++databases}`);
	const nodes = [0, 1].map(() => new Node(store, { flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api,
		'--notify-rate', '1000'] }));
	all.push(...nodes);
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	const call = async (node, token, method, path, body) => {
		const reply = await node.once(token, method, path, body);
		assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
		return reply.body;
	};
	const team = await call(nodes[0], who.admin, 'POST', '/v1/teams', { name: 'crew' });
	/* Each in a room of its own: Slack takes one message a second in one. */
	const rooms = await Promise.all(Array.from({ length: 12 }, (_, n) =>
		call(nodes[n % 2], who.admin, 'POST', `/v1/teams/${team.id}/contacts`, { channel: 'slack', address: `C0CREW${n}` })));
	const { version } = await call(nodes[0], who.admin, 'GET', '/v1/routes');
	await call(nodes[0], who.admin, 'PUT', '/v1/routes', { version, items: [...rooms.map(({ id }, n) =>
		({ name: `r${n}`, match: { project: `p${n}` }, steps: [{ after: '0s', to: [`contact:${id}`] }] })), { match: {}, steps: [] }] });
	const asks = [], votes = [], post = slack['chat.postMessage'].bind(slack);
	slack['chat.postMessage'] = (body) => {
		const n = Number(/Deploy (\d+)!/.exec(JSON.stringify(body))[1]);
		// Before, at and after the moment that this message is reported.
		votes.push(asks[n].then(({ id }) => call(nodes[n % 2], who.member, 'POST', `/v1/asks/${id}/answer`, { answer: 'approve' })));
		return post(body);
	};
	slack.slowness = () => slack.messages.length % 7;
	const askIn = async (_, n) => {
		const session = await call(nodes[n % 2], who.agent, 'POST', '/v1/sessions', { title: `s${n}`, project: `p${n}` });
		return call(nodes[n % 2], who.agent, 'POST', '/v1/asks', { session: session.id, kind: 'approval', title: `Deploy ${n}!`,
			operation: { name: 'deploy', arguments: { n } }, require: [{ approvals: 2 }] });
	};
	rooms.forEach((room, n) => asks.push(askIn(room, n)));
	const unshown = () => slack.messages.filter((message) => !/mia/.test(JSON.stringify(message.blocks)));
	await until(() => slack.messages.length === asks.length && !unshown().length, 'every vote', 30_000)
		.catch(() => assert.deepEqual(unshown(), []));
	await Promise.all(votes);
});

test('a message that comes after the end of its ask, because another node took it over, is followed by the end', async () => {
	const { nodes } = pair();
	await Promise.all(nodes.map((node) => node.start()));
	const who = await people(nodes[0]);
	const call = async (token, method, path, body) => {
		const reply = await nodes[0].once(token, method, path, body);
		assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
		return reply.body;
	};
	const seen = [];
	let held = null; // the first message of an ask: as slow as if it had not come yet
	const receiver = await new Receiver((request, response) => {
		const { purpose, ask } = receiver.got.at(-1).body.data;
		const come = () => {
			seen.push(`${ask.title} ${purpose}`);
			response.writeHead(204).end();
		};
		if (purpose === 'ask' && !held) held = come;
		else come();
	}).open();
	const { user } = await call(who.member, 'GET', '/v1/me');
	await call(who.admin, 'POST', `/v1/users/${user.id}/contacts`, { channel: 'webhook', address: receiver.url, name: 'phone' });
	const { version } = await call(who.admin, 'GET', '/v1/routes');
	await call(who.admin, 'PUT', '/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${user.id}`] }] }] });
	const ask = (title) => call(who.agent, 'POST', '/v1/asks', { title, question: 'Go on?', type: 'boolean' });
	const answer = ({ id }) => call(who.member, 'POST', `/v1/asks/${id}/answer`, { answer: true });
	const some = (text, n) => until(() => seen.filter((one) => one === text).length === n, `${text}, ${n} times: ${seen}`);
	const overtake = () => nodes.forEach((node) => node.jump(LEASE_OVER));

	const sent = await ask('sent again');
	await until(() => held, 'a message under way');
	overtake();
	await some('sent again ask', 1);
	await answer(sent);
	await some('sent again settled', 1);
	held();
	await some('sent again settled', 2);

	held = null;
	const dropped = await ask('dropped');
	await until(() => held, 'a message under way');
	await answer(dropped);
	overtake();
	await some('dropped settled', 1);
	held();
	await some('dropped settled', 2);
	assert.deepEqual(seen, ['sent again ask', 'sent again settled', 'sent again ask', 'sent again settled',
		'dropped settled', 'dropped ask', 'dropped settled']);
});
