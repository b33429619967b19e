// Stops: while one fits, nothing that was approved is used and nothing is resumed; asking goes on.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { approval, pointers } from './lib/samples.mjs';
import { LegacyClient } from './lib/mcp.mjs';
import { until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-stops-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'parley.conf');
writeFileSync(config, `[resumers]\ntouch = touch ${folder}/ran-{session}\n`);

const server = await useServer({ flags: ['--config', config] });
const { agent, stranger, member, admin } = server;
const other = await server.as('member', 'max');

const set = async (body = {}, who = member) => {
	const reply = await who.post('/v1/stops', { reason: 'incident 12', ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const lift = (stop, who = admin) => who.delete(`/v1/stops/${stop.id}`);
const approved = async (body = {}) => {
	const ask = await agent.ask(approval(body));
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 200);
	return ask;
};
const use = (ask, who = agent) => who.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });

test('a stop says who set it, why, and until when', async () => {
	const until = new Date(Date.now() + 3600e3).toISOString();
	const stop = await set({ match: { agent: 'nobody-*' }, until });
	assert.match(stop.id, /^stp_/);
	assert.deepEqual([stop.reason, stop.match, stop.made_by.name, stop.made_by.kind, stop.ended],
		['incident 12', { agent: 'nobody-*' }, 'mia', 'human', null]);
	assert.equal(stop.until, until);
	assert.equal((await lift(stop)).status, 204);
});

test('while it fits an approval is not used; once it is lifted it is', async () => {
	const ask = await approved();
	const stop = await set();
	const refused = await use(ask);
	assert.equal(refused.status, 409);
	assert.equal(refused.body.type, '/problems/stopped');
	assert.equal(refused.body.detail, 'stopped by mia: incident 12');
	assert.equal(refused.body.stop, stop.id);
	assert.equal(refused.body.ask.id, ask.id);
	assert.equal((await lift(stop)).status, 204);
	assert.equal((await use(ask)).status, 200);
});

test('asking and answering go on, and the asking agent is told', async () => {
	const stop = await set();
	const ask = await agent.ask(approval());
	assert.equal(ask.status, 'pending');
	assert.deepEqual([ask.stopped.id, ask.stopped.reason, ask.stopped.by.name], [stop.id, 'incident 12', 'mia']);
	assert.equal((await agent.read(ask)).stopped.id, stop.id);
	assert.equal((await member.read(ask)).stopped, undefined);
	assert.equal((await agent.ask()).stopped, undefined);
	for (const [how, waits] of [['GET', () => agent.get(`/v1/asks/${ask.id}?wait=300`)],
		['POST', () => agent.post('/v1/asks?wait=300', { session: ask.session, ...approval() })]]) {
		const told = await waits();
		assert.equal(told.body.stopped.id, stop.id, `${how}: who begins to wait is told, long before the end`);
	}
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 200);
	await lift(stop);
	assert.equal((await use(ask)).status, 200);
});

for (const [name, match, fits] of [
	['its agent', { agent: 'builder' }, true],
	['a pattern of agents', { agent: 'bui*' }, true],
	['another agent', { agent: 'other' }, false],
	['its project', { project: 'web-*' }, true],
	['another project', { project: 'app' }, false],
	['those without a project', { project: null }, false],
	['agent and project', { agent: 'builder', project: 'web-1' }, true],
	['the right agent and the wrong project', { agent: 'builder', project: 'app' }, false],
]) {
	test(`a stop of ${name} ${fits ? 'fits' : 'does not fit'}`, async () => {
		const session = (await agent.session({ project: 'web-1', parallel: true })).id;
		const ask = await approved({ session });
		const stop = await set({ match });
		assert.equal((await use(ask)).status, fits ? 409 : 200);
		await lift(stop);
	});
}

test('a stop of one session leaves the others alone', async () => {
	const one = await approved();
	const two = await approved();
	const stop = await set({ match: { session: one.session } });
	assert.deepEqual([(await use(one)).status, (await use(two)).status], [409, 200]);
	await lift(stop);
});

test('the reply to progress says who stopped it and why', async () => {
	const session = await agent.session();
	const tell = () => agent.post(`/v1/sessions/${session.id}/progress`, { text: 'half way' });
	assert.equal((await tell()).body.stopped, undefined);
	const stop = await set();
	assert.deepEqual((({ id, reason }) => ({ id, reason }))((await tell()).body.stopped),
		{ id: stop.id, reason: 'incident 12' });
	await lift(stop);
	assert.equal((await tell()).body.stopped, undefined);
});

test('who waits for an approval hears of a stop at once, still pending', async () => {
	const ask = await agent.ask(approval());
	const waiting = await agent.held(`/v1/asks/${ask.id}?wait=300`);
	const began = Date.now();
	const stop = await set();
	const reply = await waiting.reply;
	assert.ok(Date.now() - began < 200e3);
	assert.equal(reply.body.status, 'pending');
	assert.equal(reply.body.stopped.id, stop.id);
	// One that asks again and again is told once a second.
	const again = Date.now();
	assert.equal((await agent.get(`/v1/asks/${ask.id}?wait=300`)).body.stopped.id, stop.id);
	assert.ok(Date.now() - again > 900);
	await lift(stop);
});

test('a resumer does not start while a stop fits, and does when it is lifted', async () => {
	const session = await agent.session({ on_settled: { resumer: 'touch' } });
	const stop = await set({ match: { session: session.id } });
	const ask = await agent.ask({ session: session.id });
	assert.equal((await member.answer(ask, { q1: true })).status, 200);
	const ran = () => existsSync(join(folder, `ran-${session.id}`));
	const delivery = async () => (await admin.get(`/v1/deliveries?session=${session.id}`)).body.items[0];
	await until(async () => /stopped by/.test((await delivery())?.last_error ?? ''), 'the deferral');
	assert.equal((await delivery()).status, 'waiting');
	assert.equal(ran(), false);
	await lift(stop);
	await until(ran, 'the resumer');
});

test('a stop ends by itself at its time', async () => {
	const ask = await approved();
	const stop = await set({ until: new Date(Date.now() + server.offset + 60e3).toISOString() });
	assert.equal((await use(ask)).status, 409);
	server.jump(61e3);
	assert.equal((await use(ask)).status, 200);
	const ended = await until(async () => (await admin.get('/v1/stops?state=ended')).body.items
		.find((s) => s.id === stop.id), 'its end');
	assert.deepEqual([ended.ended.why, ended.ended.by], ['expired', { kind: 'system' }]);
	const events = await until(async () => {
		const { items } = await admin.events(0, '&types=stop.lifted');
		return items.find((e) => e.data.stop === stop.id);
	}, 'the event');
	assert.equal(events.data.ended.why, 'expired');
});

test('a member sets and lifts their own; another\'s is an admin\'s to lift', async () => {
	const stop = await set();
	assert.equal((await lift(stop, other)).status, 403);
	assert.equal((await lift(stop, member)).status, 204);
	assert.equal((await lift(stop, member)).status, 409);
});

test('agents neither set, see nor lift stops', async () => {
	const stop = await set();
	assert.equal((await agent.post('/v1/stops', { reason: 'x' })).status, 403);
	assert.equal((await agent.get('/v1/stops')).status, 403);
	assert.equal((await agent.delete(`/v1/stops/${stop.id}`)).status, 403);
	const { items } = await stranger.events(0);
	assert.ok(!items.some((e) => e.type.startsWith('stop.')));
	await lift(stop);
});

test('lists show what holds, what ended, or both', async () => {
	const live = await set({ match: { agent: 'nobody' } });
	const ended = await set({ match: { agent: 'nobody' } });
	await lift(ended);
	const ids = async (query) => (await member.get(`/v1/stops${query}`)).body.items.map((s) => s.id);
	assert.ok((await ids('')).includes(live.id) && !(await ids('')).includes(ended.id));
	assert.ok((await ids('?state=ended')).includes(ended.id) && !(await ids('?state=ended')).includes(live.id));
	assert.deepEqual((await ids('?state=all&limit=2')), [ended.id, live.id]);
	assert.equal((await member.get('/v1/stops?state=gone')).status, 422);
	await lift(live);
});

test('what is wrong is told with its place', async () => {
	const wrong = async (body) => {
		const reply = await member.post('/v1/stops', body);
		assert.equal(reply.status, 422, JSON.stringify(body));
		return pointers(reply);
	};
	assert.deepEqual(await wrong({}), ['/reason']);
	assert.deepEqual(await wrong({ reason: '' }), ['/reason']);
	assert.deepEqual(await wrong({ reason: 'x'.repeat(501) }), ['/reason']);
	assert.deepEqual(await wrong({ reason: 'two\nlines' }), ['/reason']);
	assert.deepEqual(await wrong({ reason: 'x', until: 'soon' }), ['/until']);
	assert.deepEqual(await wrong({ reason: 'x', until: '2020-01-01T00:00:00Z' }), ['/until']);
	assert.deepEqual(await wrong({ reason: 'x', match: { tool: 'Bash' } }), ['/match/tool']);
	assert.deepEqual(await wrong({ reason: 'x', match: [] }), ['/match']);
	assert.deepEqual(await wrong({ reason: 'x', match: { agent: 1 } }), ['/match/agent']);
	assert.deepEqual(await wrong({ reason: 'x', why: 'y' }), ['/why']);
});

test('the same key sets one stop', async () => {
	const key = { headers: { 'idempotency-key': 'stop-1' } };
	const body = { reason: 'once', match: { agent: 'nobody' } };
	const one = await member.post('/v1/stops', body, key);
	const two = await member.post('/v1/stops', body, key);
	assert.deepEqual([one.status, two.status, two.body.id], [201, 201, one.body.id]);
	await lift(one.body);
});

test('setting and lifting are events with who and from where', async () => {
	const { as_of: before } = await admin.events(0, '&types=ask.created');
	const last = (await admin.get('/v1/stops')).body.as_of;
	const stop = await set({ match: { agent: 'nobody' } });
	await lift(stop);
	const { items } = await admin.events(last, '&types=stop.set,stop.lifted');
	assert.ok(before >= 0);
	assert.deepEqual(items.map((e) => [e.type, e.data.stop, e.data.by.name, e.data.by.via]),
		[['stop.set', stop.id, 'mia', 'api'], ['stop.lifted', stop.id, 'ada', 'api']]);
	assert.equal(items[0].data.from, '127.0.0.1');
});

test('MCP tools say who stopped them and why', async () => {
	const mcp = await new LegacyClient(server, server.secrets.agent).open('2025-06-18');
	const stop = await set();
	const approving = await mcp.call('request_approval', { tool_name: 'deploy', input: { n: 1 } });
	assert.match(JSON.stringify(approving), /pending/);
	assert.match(JSON.stringify(approving), new RegExp(stop.id));
	assert.match(JSON.stringify(approving), /incident 12/);
	const told = await mcp.call('report_progress', { text: 'half way' });
	assert.match(JSON.stringify(told), /Stopped by mia: incident 12\. Do nothing more/);
	await lift(stop);
});
