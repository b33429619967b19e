// Alerts: raised once, told by their route, acknowledged, cleared; the processes at the store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Receiver } from './lib/receiver.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({ keepPort: true, flags: ['--webhook-internal', '127.0.0.0/8', '--ask-rate', '0'] });
const { agent, admin, member } = server;
const MINUTE = 60_000;
const phone = await new Receiver().open();

const alerts = async (query = '') => (await member.get(`/v1/alerts${query}`)).body.items;
const found = async (kind, query) => (await alerts(query)).find((a) => a.kind === kind);
/** The open alert of this kind, after looks a minute apart. */
const raised = (kind, fits = () => true) => until(async () => {
	const alert = await found(kind);
	if (alert && fits(alert)) return alert;
	return undefined;
}, `${kind} is raised`);
const cleared = (id) => until(async () => {
	const { body } = await member.get(`/v1/alerts/${id}`);
	return body.cleared_at && body;
}, `${id} is cleared`);
/** A rate goes after two calm looks five minutes apart: the clock goes on until then. */
const calmed = (id) => until(async () => {
	server.jump(20_000); // a node that is not heard of for longer is gone
	return (await member.get(`/v1/alerts/${id}`)).body.cleared_at;
}, `${id} is cleared`);
async function policy(alertSettings) {
	const { version } = (await admin.get('/v1/policy')).body;
	return admin.put('/v1/policy', { version, alerts: alertSettings });
}
/** Skips it. */
async function settle(ask) {
	assert.equal((await member.post(`/v1/asks/${ask.id}/skip`, {})).status, 200);
}
const eventsOf = async (type) => (await admin.get(`/v1/events?format=json&types=${type}&after=0`)).body.items;

test('the policy says what raises alerts; each member is checked', async () => {
	const { body } = await admin.get('/v1/policy');
	assert.deepEqual(body.alerts, { timeouts: 0.2, window: '24h', min: 10, unanswered: '1h', unreachable: '10m', errors: 0.05, dead: 1, overdue: 0.2,
		budget: null, model: 0.2, node: '60s' });
	for (const [name, value] of [['timeouts', 0], ['timeouts', 1.5], ['errors', '5%'], ['overdue', -1], ['model', 2], ['budget', 0], ['budget', '5'],
		['window', '1s'], ['unanswered', 'soon'], ['unreachable', '0s'], ['node', '5s'], ['dead', 0], ['min', 0], ['min', 1.5]]) {
		const reply = await policy({ [name]: value });
		assert.equal(reply.status, 422, `${name} ${value}`);
		assert.equal(reply.body.errors[0].pointer, `/alerts/${name}`);
	}
	assert.equal((await policy({ soon: '1h' })).status, 422);
	const changed = (await policy({ unreachable: null })).body.alerts;
	assert.deepEqual([changed.unreachable, changed.unanswered], [null, '1h'], 'the others stay');
});

test('a node says that it lives', async () => {
	const node = await until(async () => (await admin.get('/v1/nodes')).body.items[0], 'the node');
	assert.deepEqual(Object.keys(node), ['id', 'name', 'version', 'commit', 'schema', 'started_at', 'seen_at', 'state']);
	assert.match(node.id, /^nod_[0-9a-z]{26}$/);
	assert.match(node.commit, /^([0-9a-f]{7,}|unknown)$/);
	assert.equal(node.state, 'live');
	server.jump(11_000);
	await until(async () => (await admin.get('/v1/nodes')).body.items[0].seen_at > node.seen_at, 'it is heard of again');
	assert.equal((await member.get('/v1/nodes')).status, 403);
	const { stdout, code } = await server.run(['nodes', '--json', '--data', server.data]);
	assert.deepEqual([code, JSON.parse(stdout).items[0].id], [0, node.id]);
});

test('an ask that nobody answers is one alert, told by its route until it is acknowledged, and over when it is answered', async () => {
	const ada = (await admin.get('/v1/me')).body.user;
	await admin.post(`/v1/users/${ada.id}/contacts`, { channel: 'webhook', address: phone.url, format: 'parley', name: 'phone' });
	const { version } = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { version, items: [{ name: 'Alerts', match: { kind: ['alert'] }, steps: [{ after: '0s', to: ['role:admin'] }],
		repeat: { every: '10m', times: 3 } }, { name: 'Rest', match: {}, steps: [] }] });
	const ask = await agent.ask({ question: 'Ship?' });
	server.jump(61 * MINUTE);
	const alert = await raised('unanswered');
	assert.deepEqual([alert.key, alert.threshold, alert.asks, alert.acked, alert.cleared_at], [null, 3600, [ask.id], null, null]);
	assert.ok(alert.value > 3600 && alert.value < 3800, String(alert.value));
	const told = await until(() => phone.got[0], 'it is told');
	const { type, timestamp, data } = told.body;
	assert.deepEqual([type, data.purpose, data.step, data.alert.id, data.ask], ['alert.notify', 'alert', 0, alert.id, undefined]);
	assert.ok(Date.parse(timestamp));
	assert.equal(data.to.user, ada.id);
	const sent = await until(async () => (await admin.get('/v1/deliveries?purpose=alert&kind=webhook&status=done')).body.items[0], 'the delivery');
	assert.deepEqual([sent.ask, sent.alert, sent.session, sent.purpose], [null, alert.id, null, 'alert']);

	server.jump(10 * MINUTE + 1000);
	await until(() => phone.got.length === 2, 'it is told again');
	assert.ok((await raised('unanswered', (a) => a.value > alert.value)).id === alert.id, 'the same one, with its age now');
	assert.equal((await member.post(`/v1/alerts/${alert.id}/ack`, { note: 5 })).status, 422);
	assert.equal((await agent.post(`/v1/alerts/${alert.id}/ack`, {})).status, 403);
	const acked = (await member.post(`/v1/alerts/${alert.id}/ack`, { note: 'On it' })).body;
	assert.deepEqual([acked.acked.by.name, acked.acked.note, acked.cleared_at], ['mia', 'On it', null]);
	server.jump(11 * MINUTE);
	await raised('unanswered', (a) => a.value > alert.value + 1200);
	assert.equal(phone.got.length, 2, 'nobody is told any more');

	await settle(ask);
	server.jump(MINUTE + 1000);
	await cleared(alert.id);
	const end = (await until(() => phone.got[2], 'its end is told')).body;
	assert.deepEqual([end.type, end.data.purpose, end.data.alert.cleared_at !== null], ['alert.notify', 'settled', true]);
	assert.equal((await member.post(`/v1/alerts/${alert.id}/ack`, {})).status, 409);
	assert.deepEqual([(await alerts()).length, (await found('unanswered', '?state=cleared')).id, (await alerts('?state=all')).length], [0, alert.id, 1]);
	for (const type of ['alert.raised', 'alert.acked', 'alert.cleared']) assert.deepEqual((await eventsOf(type)).map((e) => e.data.id), [alert.id], type);
	assert.equal((await agent.get('/v1/events?format=json&types=alert.raised&after=0')).body.items.length, 0, 'agents see none');
	assert.equal((await agent.get('/v1/alerts')).status, 403);
	assert.equal((await member.get('/v1/alerts?state=old')).status, 422);
	assert.equal((await member.get('/v1/alerts/alr_0')).status, 404);
});

test('an ask that nobody heard of and nobody was there for is unreachable, until somebody is in sight', async () => {
	await policy({ unreachable: '10m' });
	const ask = await agent.ask({ question: 'Anybody?' });
	server.jump(11 * MINUTE);
	const alert = await raised('unreachable');
	assert.deepEqual([alert.asks, alert.threshold], [[ask.id], 600]);
	await member.post('/v1/me/present', {});
	server.jump(MINUTE + 1000);
	await cleared(alert.id);
	await settle(ask);
	await policy({ unreachable: null });
});

test('asks that expire raise an alert of their kind, which goes after two calm looks five minutes apart', async () => {
	await policy({ min: 4, window: '1h' });
	const asks = [];
	for (let i = 0; i < 4; i++) asks.push(await agent.ask({ kind: 'non_blocking', question: `Expire ${i}?`, timeout: '10s' }));
	server.jump(MINUTE);
	const alert = await raised('timeouts');
	assert.deepEqual([alert.key, alert.value, alert.threshold], ['non_blocking', 1, 0.2]);
	assert.deepEqual([...alert.asks].sort(), asks.map((a) => a.id).sort());
	server.jump(61 * MINUTE); // out of the window
	const node = async () => (await admin.get('/v1/nodes')).body.items[0].seen_at;
	const before = await node();
	await until(async () => await node() > before, 'a beat');
	server.jump(MINUTE + 1000);
	await until(async () => await node() > before, 'another look');
	assert.equal((await found('timeouts')).id, alert.id, 'it is calm, and not long enough');
	server.jump(5 * MINUTE);
	await cleared(alert.id);
});

test('asks that are refused are counted by the minute, and a rate of them is an alert', async () => {
	for (let i = 0; i < 6; i++) assert.equal((await agent.post('/v1/asks', { question: 7 })).status, 422);
	const ok = await agent.ask({ question: 'Fine?', kind: 'non_blocking' });
	server.jump(MINUTE);
	const alert = await raised('errors');
	assert.equal(alert.threshold, 0.05);
	assert.ok(alert.value > 0.05 && alert.value < 1);
	await server.crash();
	server.jump(MINUTE);
	await raised('errors', (a) => a.id === alert.id);
	await settle(ok);
	server.jump(61 * MINUTE);
	await until(async () => {
		server.jump(3 * MINUTE);
		return (await member.get(`/v1/alerts/${alert.id}`)).body.cleared_at;
	}, 'it clears');
	await policy({ errors: null });
});

test('a dead delivery is an alert until it is replayed; a turned off kind clears', async () => {
	const hook = await new Receiver((request, response) => response.writeHead(410).end()).open();
	const session = (await agent.post('/v1/sessions', { title: 'Hooked', on_settled: { webhook: hook.url } })).body;
	const ask = await agent.ask({ question: 'Dead?', session: session.id });
	await settle(ask);
	const dead = await until(async () => (await admin.get('/v1/deliveries?status=dead')).body.items[0], 'a dead delivery');
	server.jump(MINUTE);
	const alert = await raised('dead');
	assert.deepEqual([alert.value, alert.threshold, alert.asks], [1, 1, [ask.id]]);
	await policy({ dead: null });
	server.jump(MINUTE + 1000);
	await cleared(alert.id);
	assert.ok(dead.id);
});

test('approvals that nobody can give any more are an alert of their own', async () => {
	const mia = (await member.get('/v1/me')).body.user;
	const team = (await admin.post('/v1/teams', { name: 'pair', members: [{ user: mia.id }] })).body;
	const ask = await agent.ask({ kind: 'approval', operation: { name: 'x' }, require: [{ approvals: 1, from: ['team:pair'] }] });
	await admin.patch(`/v1/teams/${team.id}`, { members: [], version: team.version });
	server.jump(MINUTE);
	const alert = await raised('unmeetable');
	assert.deepEqual([alert.key, alert.asks], [ask.id, [ask.id]]);
	await agent.post(`/v1/asks/${ask.id}/cancel`, {});
	server.jump(MINUTE + 1000);
	await cleared(alert.id);
});

test('asks past the target of their route are an alert of the route', async () => {
	await policy({ min: 3, unanswered: null });
	const { version, items } = (await admin.get('/v1/routes')).body;
	const put = (await admin.put('/v1/routes', { version, items: [{ name: 'Prompt', match: { project: 'prompt' }, target: '1m', steps: [] }, ...items] })).body;
	const route = put.items.find((one) => one.name === 'Prompt');
	const late = [];
	for (let i = 0; i < 3; i++) late.push(await agent.ask({ question: 'Soon?', project: 'prompt' }));
	server.jump(2 * MINUTE);
	const alert = await raised('overdue');
	assert.deepEqual([alert.key, alert.value, alert.threshold, alert.asks.sort()], [route.id, 1, 0.2, late.map(({ id }) => id).sort()]);
	for (const one of late) await settle(one);
	await policy({ overdue: null, unanswered: '1h' });
	await calmed(alert.id);
});

test('runs that cost more than their budget, and a provider that fails, are alerts', async () => {
	await policy({ budget: 0.5, model: 0.5, min: 2 });
	const runs = async (name, script, times) => {
		for (const [path, body] of [['providers', { name, kind: 'script', script, models: [{ id: 'any', price: { input: 1, output: 10 } }] }],
			['agents', { name, provider: name, model: 'any', on_error: 'fail' }]])
			assert.equal((await admin.post(`/v1/${path}`, body)).status, 201);
		for (let i = 0; i < times; i++) {
			const { body } = await member.post('/v1/sessions', { agent: name, message: 'Go' });
			assert.match((await member.get(`/v1/runs/${body.run}?wait=20`)).body.status, /completed|failed/);
		}
	};
	await runs('dear', [{ say: 'Done.', usage: { input: 1000, output: 60_000 } }], 1);
	await runs('broken', [{ error: { status: 400, message: 'no' } }], 2);
	server.jump(MINUTE + 1000);
	const budget = await raised('budget'), model = await raised('model');
	assert.deepEqual([budget.key, budget.value, budget.threshold], [null, 0.601, 0.5]);
	assert.deepEqual([model.key, model.value, model.threshold], ['broken', 1, 0.5]);
	await policy({ budget: null, model: null });
	for (const { id } of [budget, model]) await calmed(id);
});

test('the shell lists alerts and acknowledges one; exit 1 while one is open', async () => {
	const shell = { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } };
	const none = await server.run(['alerts'], shell);
	assert.deepEqual([none.code, none.stdout], [0, '']);
	const ask = await agent.ask({ question: 'Late?' });
	server.jump(61 * MINUTE);
	const alert = await raised('unanswered');
	const open = await server.run(['alerts'], shell);
	assert.equal(open.code, 1, open.stderr);
	assert.match(open.stdout, /Unanswered for 1\sh/);
	const json = await server.run(['alerts', '--json'], shell);
	assert.deepEqual([json.code, JSON.parse(json.stdout).items[0].id], [1, alert.id]);
	const ack = await server.run(['alerts', 'ack', alert.id, 'On', 'it'], shell);
	assert.equal(ack.code, 0, ack.stderr);
	assert.equal((await member.get(`/v1/alerts/${alert.id}`)).body.acked.note, 'On it');
	await settle(ask);
	server.jump(MINUTE + 1000);
	await cleared(alert.id);
	const all = await server.run(['alerts', '--all'], shell);
	assert.deepEqual([all.code, all.stdout.includes(alert.id)], [0, true]);
});

test('check is green', async () => {
	await server.stop();
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
	const nodes = await server.run(['nodes', '--json', '--data', server.data]);
	assert.deepEqual(JSON.parse(nodes.stdout).items, [], 'it said goodbye');
	await server.start();
});
