// Approvals in advance: asked for as a bundle, narrowed by who grants it, drawn from line by line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegacyClient, StatelessClient } from './lib/mcp.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, stranger, member, admin } = server;
const LONG = Boolean(process.env.PARLEY_LONG);

const session = async () => (await agent.post('/v1/sessions', { title: 'Work', parallel: true })).body.id;
const line = (key, tool, uses, more = {}) => ({ key, tool: [tool], uses, ...more });
const ask = async (lines, more = {}) => {
	const reply = await agent.post('/v1/mandates', { title: 'Close stale issues', session: more.session ?? await session(), lines, ...more });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const grant = (mandate, args, who = member) => who.post(`/v1/asks/${mandate.ask}/answer`,
	{ answer: { value: 'approve', ...(args ? { arguments: args } : {}) } });
const live = async (lines, more) => {
	const mandate = await ask(lines, more);
	assert.equal((await grant(mandate)).status, 200);
	return mandate;
};
const get = async (id) => (await agent.get(`/v1/mandates/${id}`)).body;
const decide = async (of, name, args = {}, risk) => (await agent.post('/v1/decide',
	{ operation: { type: 'mcp', name, arguments: args, ...(risk ? { risk } : {}) }, session: of })).body;

// Without a mandate the mode asks.
const { version } = (await admin.get('/v1/policy')).body;
await admin.put('/v1/policy', { version, mode: 'manual', auto_approve_low: false });

test('asked, granted, drawn, used up', async () => {
	const m = await ask([line('close', 'mcp__github__close_issue', 2, { arguments: { '/repo': { is: 'web' } } })], { reason: 'Forty of them' });
	assert.deepEqual([m.status, m.agent, m.reason, m.granted_by, m.ended], ['asked', 'builder', 'Forty of them', null, null]);
	assert.deepEqual([m.lines[0].used, m.lines[0].spent], [0, null]);
	const { body: card } = await member.get(`/v1/asks/${m.ask}`);
	assert.deepEqual([card.kind, card.operation.type, card.operation.name, card.risk], ['approval', 'mandate', 'mandate', 'medium']);
	assert.deepEqual(Object.keys(card.operation.arguments), ['lines', 'until']);
	assert.equal((await decide(m.session, 'mcp__github__close_issue', { repo: 'web' })).effect, 'ask');
	assert.equal((await grant(m)).status, 200);
	const granted = await get(m.id);
	assert.deepEqual([granted.status, granted.granted_by.name], ['live', 'mia']);
	const first = await decide(m.session, 'mcp__github__close_issue', { repo: 'web' });
	assert.deepEqual([first.effect, first.rule], ['allow', m.id]);
	assert.deepEqual(first.mandate, { id: m.id, line: 'close', used: 1, uses: 2, spent: null, max: null });
	for (const [name, args] of [['mcp__github__close_issue', { repo: 'api' }], ['mcp__github__open_issue', { repo: 'web' }]])
		assert.equal((await decide(m.session, name, args)).effect, 'ask');
	assert.equal((await decide(await session(), 'mcp__github__close_issue', { repo: 'web' })).effect, 'ask');
	assert.equal((await decide(m.session, 'mcp__github__close_issue', { repo: 'web' })).mandate.used, 2);
	assert.equal((await decide(m.session, 'mcp__github__close_issue', { repo: 'web' })).effect, 'ask');
	const ended = await get(m.id);
	assert.deepEqual([ended.status, ended.ended.why, ended.ended.by.kind], ['ended', 'used', 'system']);
	const { items } = (await admin.get(`/v1/events?format=json&after=0&session=${m.session}&types=mandate.asked,mandate.granted,mandate.drawn,mandate.ended,policy.decided`)).body;
	assert.deepEqual(items.map(({ type }) => type).filter((type) => type !== 'policy.decided'),
		['mandate.asked', 'mandate.granted', 'mandate.drawn', 'mandate.drawn', 'mandate.ended']);
	assert.deepEqual(items.filter(({ type }) => type === 'mandate.drawn').map(({ data }) => [data.mandate, data.line, data.used, data.spent]),
		[[m.id, 'close', 1, null], [m.id, 'close', 2, null]]);
	assert.equal(items.find(({ type }) => type === 'policy.decided').data.mandate.id, m.id);
});

test('sums are exact; the first line that fits and has enough left', async () => {
	const m = await live([line('small', 'mcp__bank__pay', 20, { sum: { pointer: '/amount', max: 1 } }),
		line('rest', 'mcp__bank__pay', 1, { sum: { pointer: '/amount', max: 500 } })]);
	const pay = (amount) => decide(m.session, 'mcp__bank__pay', { amount });
	for (let i = 0; i < 9; i++) assert.equal((await pay(0.1)).mandate.line, 'small');
	assert.equal((await pay(0.2)).mandate.line, 'rest');
	assert.equal((await pay(0.1)).mandate.spent, 1);
	for (const odd of [0.1, -1, '1', null, 1e21, 0.0000001, [1]]) assert.equal((await pay(odd)).effect, 'ask', `${odd}`);
	assert.equal((await pay(0)).mandate.used, 11);
	assert.deepEqual((await get(m.id)).lines.map(({ used, spent }) => [used, spent]), [[11, 1], [1, 0.2]]);
});

test('an approval that is asked is answered by it, and drawn when it is used', async () => {
	const m = await live([line('one', 'deploy', 1)]);
	const asked = async () => (await agent.post('/v1/asks', { kind: 'approval', session: m.session, operation: { name: 'deploy', arguments: {} } })).body;
	const [a, b] = [await asked(), await asked()];
	for (const one of [a, b]) {
		assert.deepEqual([one.status, one.answered_by.kind, one.answered_by.rule], ['answered', 'policy', m.id]);
		assert.deepEqual(one.answered_by.mandate, { id: m.id, line: 'one', used: 0, uses: 1, spent: null, max: null });
	}
	assert.equal((await get(m.id)).lines[0].used, 0);
	assert.equal((await agent.post(`/v1/asks/${a.id}/use`, { digest: a.digest })).status, 200);
	const spent = await agent.post(`/v1/asks/${b.id}/use`, { digest: b.digest });
	assert.deepEqual([spent.status, spent.body.type], [409, '/problems/mandate-spent']);
	assert.equal((await asked()).status, 'pending');
	// Revoked: what was not used is not used any more.
	const other = await live([line('one', 'deploy', 5)], { session: m.session });
	const c = await asked();
	assert.equal((await stranger.post(`/v1/mandates/${other.id}/revoke`, {})).status, 404);
	const revoked = await agent.post(`/v1/mandates/${other.id}/revoke`, { reason: 'Done' });
	assert.deepEqual([revoked.status, revoked.body.status, revoked.body.ended.why, revoked.body.ended.reason], [200, 'ended', 'revoked', 'Done']);
	const late = await agent.post(`/v1/asks/${c.id}/use`, { digest: c.digest });
	assert.deepEqual([late.status, late.body.type], [409, '/problems/revoked']);
	assert.equal((await admin.post(`/v1/mandates/${other.id}/revoke`, {})).status, 409);
});

test('rules and stops come first; a plan is never drawn', async () => {
	const m = await live([line('all', 'mcp__x__*', 50), line('plan', 'plan', 5, { risk: 'high' })]);
	const rule = async (effect, tool) => (await admin.post('/v1/rules', { effect, note: effect, match: { tool: [tool] } })).body.id;
	const rules = [await rule('deny', 'mcp__x__drop'), await rule('ask', 'mcp__x__think'), await rule('allow', 'mcp__x__read')];
	const said = async (name) => {
		const { effect, rule: by } = await decide(m.session, name);
		return [effect, by];
	};
	assert.deepEqual(await said('mcp__x__drop'), ['deny', rules[0]]);
	assert.equal((await said('mcp__x__think'))[0], 'ask');
	assert.deepEqual(await said('mcp__x__read'), ['allow', rules[2]]);
	assert.deepEqual(await said('mcp__x__write'), ['allow', m.id]);
	assert.equal((await decide(m.session, 'mcp__x__write', {}, 'high')).effect, 'ask');
	assert.equal((await agent.post('/v1/decide', { operation: { type: 'plan', name: 'plan', arguments: { plan: 'x' } }, session: m.session })).body.effect, 'ask');
	const stop = (await member.post('/v1/stops', { reason: 'Lunch' })).body;
	assert.equal((await said('mcp__x__write'))[0], 'deny');
	await member.delete(`/v1/stops/${stop.id}`);
	assert.equal((await get(m.id)).lines[0].used, 1);
});

test('a person narrows it, and nothing wider is taken', async () => {
	const lines = [line('a', 'mcp__a__b', 20), line('b', 'mcp__c__d', 5, { sum: { pointer: '/n', max: 500 }, risk: 'high' })];
	const m = await ask(lines, { until: '2h' });
	const refused = async (args, pointer) => {
		const reply = await grant(m, args, admin);
		assert.equal(reply.status, 422, reply.text);
		assert.deepEqual(reply.body.errors.map((one) => one.pointer), [`/answer/arguments${pointer}`]);
	};
	const until = (await get(m.id)).until;
	await refused({ lines: [{ ...lines[0], uses: 21 }], until }, '/lines/0/uses');
	await refused({ lines: [{ ...lines[1], sum: { pointer: '/n', max: 500.01 } }], until }, '/lines/0/sum/max');
	await refused({ lines: [{ ...lines[0], tool: ['mcp__a__c'] }], until }, '/lines/0/tool');
	await refused({ lines: [{ ...lines[0], key: 'c' }], until }, '/lines/0/key');
	await refused({ lines, until: new Date(Date.parse(until) + 1000).toISOString() }, '/until');
	await refused({ lines: [], until }, '/lines');
	const keyed = await admin.post(`/v1/asks/${m.ask}/answer`, { answers: { decision: { value: 'approve', arguments: { lines: [{ ...lines[0], uses: 21 }], until } } } });
	assert.deepEqual(keyed.body.errors.map((one) => one.pointer), ['/answers/decision/arguments/lines/0/uses']);
	assert.equal((await get(m.id)).status, 'asked');
	const less = { lines: [{ ...lines[1], uses: 2, sum: { pointer: '/n', max: 10.5 } }], until };
	assert.equal((await grant(m, less)).status, 200);
	const granted = await get(m.id);
	assert.deepEqual(granted.lines.map(({ key, uses, sum }) => [key, uses, sum.max]), [['b', 2, 10.5]]);
	// A member may give high for an hour.
	assert.ok(Math.abs(Date.parse(granted.until) - Date.now() - 3_600_000) < 10_000);
});

test('random edits: nothing wider than asked', async () => {
	const lines = [line('a', 'mcp__a__b', 9), line('b', 'mcp__c__d', 9, { sum: { pointer: '/n', max: 9 } })];
	const pick = (n) => Math.floor(Math.random() * n);
	for (let i = 0; i < (LONG ? 10_000 : 100); i++) {
		const m = await ask(lines, { until: '1h' });
		const edited = lines.filter(() => pick(4)).map((one) => ({ ...one, uses: 1 + pick(14), ...(one.sum ? { sum: { pointer: '/n', max: pick(15) } } : {}) }));
		const until = new Date(Date.parse(m.until) + (pick(3) - 1) * 60_000).toISOString();
		const { status } = await grant(m, { lines: edited, until }, admin);
		const fits = edited.length > 0 && edited.every((one) => one.uses <= 9 && (one.sum?.max ?? 0) <= 9) && until <= m.until;
		assert.equal(status, fits ? 200 : 422, JSON.stringify({ edited, until, asked: m.until }));
		if (status !== 200) await agent.post(`/v1/mandates/${m.id}/revoke`, {});
		else await admin.post(`/v1/mandates/${m.id}/revoke`, {});
	}
});

test('rejected, withdrawn, ended with its session and by the clock', async () => {
	const why = async (id) => until(async () => (await get(id)).ended?.why, 'the end');
	const one = [line('a', 'mcp__a__b', 1)];
	const no = await ask(one);
	await member.post(`/v1/asks/${no.ask}/answer`, { answer: 'reject' });
	assert.equal(await why(no.id), 'rejected');
	const gone = await live(one);
	await agent.post(`/v1/sessions/${gone.session}/cancel`, {});
	assert.equal(await why(gone.id), 'session');
	const back = await live(one);
	assert.equal((await member.post(`/v1/asks/${back.ask}/revoke`, {})).status, 200);
	assert.equal(await why(back.id), 'revoked');
	const short = await live(one, { until: '30m' });
	await server.jump(31 * 60_000);
	assert.equal((await decide(short.session, 'mcp__a__b')).effect, 'ask');
	assert.equal(await why(short.id), 'until');
	const denied = (await admin.post('/v1/rules', { effect: 'deny', match: { type: 'mandate' } })).body.id;
	assert.equal(await why((await ask(one)).id), 'rejected');
	await admin.delete(`/v1/rules/${denied}`);
});

test('what can never fit is refused with its pointer', async () => {
	const id = await session();
	const wrong = async (body, pointer) => {
		const { status, body: problem } = await agent.post('/v1/mandates', { title: 'T', session: id, lines: [line('a', 'x', 1)], ...body });
		assert.equal(status, 422);
		assert.ok(problem.errors.some((one) => one.pointer === pointer), JSON.stringify(problem.errors));
	};
	await wrong({ title: '' }, '/title');
	await wrong({ session: 'ses_x' }, '/session');
	await wrong({ until: '8d' }, '/until');
	await wrong({ lines: [] }, '/lines');
	await wrong({ lines: [line('a', 'x', 0)] }, '/lines/0/uses');
	await wrong({ lines: [line('a', 'x', 1001)] }, '/lines/0/uses');
	await wrong({ lines: [line('a', '*', 1)] }, '/lines/0/tool/0');
	await wrong({ lines: [line('a', 'Bash(:*)', 1)] }, '/lines/0/tool/0');
	await wrong({ lines: [line('a', 'x', 1, { risk: 'critical' })] }, '/lines/0/risk');
	await wrong({ lines: [line('a', 'mcp__x__*', 1, { risk: 'high' })] }, '/lines/0/tool/0');
	await wrong({ lines: [line('a', 'x', 1, { sum: { pointer: '/n', max: -1 } })] }, '/lines/0/sum/max');
	await wrong({ lines: [line('a', 'x', 1), line('a', 'y', 1)] }, '/lines/1/key');
	await wrong({ more: 1 }, '/more');
});

test('who sees and lists them; at most 20 an agent', async () => {
	const id = await session();
	const m = await ask([line('a', 'x', 1)], { session: id });
	assert.equal((await stranger.get(`/v1/mandates/${m.id}`)).status, 404);
	assert.equal((await stranger.get('/v1/mandates')).body.items.length, 0);
	assert.deepEqual((await member.get(`/v1/mandates?session=${id}`)).body.items.map((one) => one.id), [m.id]);
	assert.equal((await member.get(`/v1/mandates?session=${id}&status=live`)).body.items.length, 0);
	assert.ok((await member.get('/v1/mandates?agent=builder&status=asked')).body.items.some((one) => one.id === m.id));
	assert.equal((await member.get('/v1/mandates?status=x')).status, 422);
	const inside = await agent.post(`/v1/sessions/${id}/mandates`, { title: 'T', lines: [line('a', 'x', 1)] });
	assert.deepEqual([inside.status, inside.body.session], [201, id]);
	let status = 201;
	for (let i = 0; i < 21 && status === 201; i++) ({ status } = await agent.post('/v1/mandates', { title: 'T', session: id, lines: [line('a', 'x', 1)] }));
	assert.equal(status, 409);
});

test('drawn at the same time by many: never over, and as the events say', async () => {
	await agent.get('/v1/mandates?status=asked').then(async ({ body }) => {
		for (const one of body.items) await agent.post(`/v1/mandates/${one.id}/revoke`, {});
	});
	const m = await live([line('pay', 'mcp__bank__pay', 100, { sum: { pointer: '/amount', max: 7 } })]);
	const all = await Promise.all(Array.from({ length: 120 }, () => decide(m.session, 'mcp__bank__pay', { amount: 0.1 })));
	assert.equal(all.filter(({ effect }) => effect === 'allow').length, 70);
	const [drawn] = (await get(m.id)).lines;
	assert.deepEqual([drawn.used, drawn.spent], [70, 7]);
	const { items } = (await admin.get(`/v1/events?format=json&after=0&limit=200&session=${m.session}&types=mandate.drawn`)).body;
	assert.deepEqual(items.map(({ data }) => data.used), Array.from({ length: 70 }, (_, i) => i + 1));
});

test('by command: asked, listed, shown and revoked; what was drawn is counted', async () => {
	const id = await session();
	const as = (secret, args, input) => server.run(['mandate', ...args], { input, env: { PARLEY_URL: server.url, PARLEY_TOKEN: secret } });
	const { agent: mine, admin: theirs } = server.secrets;
	const body = JSON.stringify({ title: 'Close stale issues', lines: [line('close', 'mcp__github__close_issue', 20)] });
	const asked = await as(mine, ['ask', '-', '--session', id], body);
	assert.equal(asked.code, 0, asked.stderr);
	const man = asked.stdout.trim();
	assert.match(man, /^man_/);
	await grant(await get(man));
	const drawn = async () => Number(/^parley_mandate_draws_total (\d+)$/m.exec((await admin.get('/metrics')).text)[1]);
	const before = await drawn();
	await decide(id, 'mcp__github__close_issue');
	assert.equal(await drawn(), before + 1);
	assert.match((await admin.get('/metrics')).text, /^parley_decisions_total\{[^}]*by="mandate"/m);
	const list = await as(theirs, ['list', '--session', id]);
	assert.match(list.stdout, /1 of 20/);
	assert.match((await as(theirs, ['show', man])).stdout, /Close stale issues/);
	assert.equal((await as(theirs, ['revoke', man, '--reason', 'Enough'])).code, 0);
	assert.deepEqual([(await get(man)).ended.why, (await get(man)).ended.reason], ['revoked', 'Enough']);
	assert.equal((await as(theirs, ['revoke', man])).code, 1);
	const wrong = await as(mine, ['ask', '-', '--session', id], JSON.stringify({ title: 'T', lines: [line('a', '*', 1)] }));
	assert.equal(wrong.code, 2);
	assert.match(wrong.stderr, /must name a tool/);
});

test('by MCP: asked once in the default session or a named one; get_answer tells what was decided', async () => {
	const clients = [new StatelessClient(server, server.secrets.agent), await new LegacyClient(server, server.secrets.agent).open('2025-06-18')];
	for (const [i, client] of clients.entries()) {
		const tool = `mcp__github__close_${i}`;
		const args = { title: 'Close stale issues', lines: [line('close', tool, 3)], until: '1h' };
		const { isError, structuredContent: m, content } = await client.call('request_mandate', args);
		assert.deepEqual([isError ?? false, m.status, m.lines[0].used], [false, 'asked', 0], content[0].text);
		assert.match(content[0].text, new RegExp(`nothing is granted yet.*${m.ask_id}`));
		assert.match((await agent.get(`/v1/sessions/${m.session}`)).body.external_id, /^mcp:tok_/);
		assert.equal((await client.call('request_mandate', args)).structuredContent.id, m.id);
		assert.notEqual((await client.call('request_mandate', { ...args, session: await session() })).structuredContent.id, m.id);
		await grant(await get(m.id));
		assert.equal((await client.call('get_answer', { ask_id: m.ask_id })).structuredContent.status, 'answered');
		assert.equal((await decide(m.session, tool)).mandate.id, m.id);
		const wrong = await client.call('request_mandate', { title: 'T', lines: [line('a', '*', 1)] });
		assert.deepEqual([wrong.isError, /\/lines\/0\/tool\/0: must name a tool/.test(wrong.content[0].text)], [true, true]);
	}
});

test('the ask of a granted one is taken back: what was not used is void, what is open stays', async () => {
	const m = await live([line('one', 'deploy', 5)]);
	const asked = async () => (await agent.post('/v1/asks', { kind: 'approval', session: m.session, operation: { name: 'deploy', arguments: {} } })).body;
	const [used, unused] = [await asked(), await asked()];
	assert.equal((await agent.post(`/v1/asks/${used.id}/use`, { digest: used.digest })).status, 200);
	assert.equal((await member.post(`/v1/asks/${m.ask}/revoke`, { reason: 'Wrong repository' })).status, 200);
	const { status, ended, lines } = await get(m.id);
	assert.deepEqual([status, ended.why, ended.by.name, ended.reason, lines[0].used], ['ended', 'revoked', 'mia', 'Wrong repository', 1]);
	const late = await agent.post(`/v1/asks/${unused.id}/use`, { digest: unused.digest });
	assert.deepEqual([late.status, late.body.type], [409, '/problems/revoked']);
	assert.equal((await asked()).status, 'pending');
	assert.equal((await decide(m.session, 'deploy')).effect, 'ask');
	const again = await member.post(`/v1/mandates/${m.id}/revoke`, {});
	assert.equal(again.status, 409);
	const { items } = (await admin.get(`/v1/events?format=json&after=0&session=${m.session}&types=mandate.ended`)).body;
	assert.deepEqual(items.map(({ data }) => data.why), ['revoked']);
});

test('check: numbers and lines are as the events say', async () => {
	const m = await live([line('pay', 'mcp__bank__pay', 5, { sum: { pointer: '/amount', max: 10 } })]);
	assert.equal((await decide(m.session, 'mcp__bank__pay', { amount: 2.5 })).mandate.spent, 2.5);
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});
