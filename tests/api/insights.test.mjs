// What is asked again and again, by project and hour, as JSON and as a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, member } = server;
const question = (text, more = {}) => ({ kind: 'non_blocking', questions: [{ key: 'go', type: 'boolean', text }], ...more });
const insights = async (query = '', who = member) => {
	const reply = await who.get(`/v1/insights${query}`);
	assert.equal(reply.status, 200, reply.text);
	return reply.body;
};
const csv = async (query) => {
	const reply = await member.get(`/v1/insights.csv?${query}`);
	assert.equal(reply.status, 200, reply.text);
	assert.match(reply.headers['content-type'], /^text\/csv/);
	assert.ok(reply.text.endsWith('\r\n'));
	return reply.text.split('\r\n').slice(0, -1);
};

test('the same question about other things is one question', async () => {
	const shop = { project: 'shop' };
	const asks = [];
	for (const text of ['Deploy "api" 1.2.3?', 'Deploy "web" 1.10.0?', 'deploy `db` 2.0.1?']) asks.push(await agent.ask(question(text, shop)));
	await member.answer(asks[0], { go: true });
	await member.answer(asks[1], { go: true });
	await member.post(`/v1/asks/${asks[2].id}/skip`);
	const [row] = (await insights('?project=shop')).questions;
	assert.deepEqual([row.pattern, row.text, row.kind], ['deploy … #.#.#?', 'deploy `db` 2.0.1?', 'non_blocking']);
	assert.deepEqual([row.asks, row.answered, row.skipped, row.expired, row.cancelled, row.by_rules], [3, 2, 1, 0, 0, 0]);
	assert.deepEqual(row.answers, [{ value: true, count: 2 }]);
	assert.deepEqual([row.agents, row.last], [[asks[0].agent.name], asks[2].id]);
	assert.deepEqual(row.sessions, { answered: { completed: 2, failed: 0 }, other: { completed: 1, failed: 0 } });
	assert.ok(row.median_ms >= 0);
	const [project] = (await insights('?project=shop')).by_project;
	assert.deepEqual([project.project, project.asks, project.answered, project.expired, project.by_rules], ['shop', 3, 2, 0, 0]);
});

test('an approval is its tool and two words of its command; texts are never told', async () => {
	for (const [command, decision] of [['npm test --silent', 'approve'], ['npm test -w x', 'approve'], ['npm publish', 'reject']]) {
		const ask = await agent.ask(approval({ project: 'ci', operation: { type: 'tool', name: 'Bash', arguments: { command } } }));
		await member.answer(ask, { decision });
	}
	const said = await agent.ask({ kind: 'blocking', project: 'ci', questions: [{ key: 'why', type: 'text', text: 'Why?' }] });
	await member.answer(said, { why: 'a secret' });
	const { questions } = await insights('?project=ci');
	assert.deepEqual(questions.map((q) => [q.pattern, q.asks, q.answers]), [
		['bash npm test', 2, [{ value: 'approve', count: 2 }]],
		['bash npm publish', 1, [{ value: 'reject', count: 1 }]],
		['why?', 1, []],
	].sort((a, b) => b[1] - a[1] || (a[0] === 'why?' ? -1 : 1)));
	assert.deepEqual((await insights('?project=ci&kind=blocking')).questions.map((q) => q.pattern), ['why?']);
	assert.equal((await insights('?agent=nobody')).asks.created, 0);
});

test('questions are ordered by what expires and by what takes long', async () => {
	const project = 'ordered';
	const [late, slow] = [await agent.ask(question('Expires?', { project, timeout: '60s' })), await agent.ask(question('Slow?', { project }))];
	server.jump(61_000);
	await until(async () => (await agent.read(late)).status === 'expired');
	await member.answer(slow, { go: false });
	const quick = await agent.ask(question('Quick?', { project }));
	await member.answer(quick, { go: false });
	const first = async (order) => (await insights(`?project=${project}&order=${order}`)).questions[0].pattern;
	assert.equal(await first('time'), 'slow?');
	assert.equal(await first('expired'), 'expires?');
	const hours = (await insights(`?project=${project}`)).by_hour;
	assert.deepEqual(hours.map((h) => h.hour), [...Array(24).keys()]);
	assert.equal(hours.reduce((sum, h) => sum + h.created, 0), 3);
	const at = (list) => list.findIndex((h) => h.created);
	const [utc, tokyo] = [at(hours), at((await insights(`?project=${project}&tz=Asia/Tokyo`)).by_hour)];
	assert.equal((utc + 9) % 24, tokyo);
	for (const [query, pointer] of [['tz=Mars/Crater', '/tz'], ['order=luck', '/order'], ['kind=odd', '/kind']]) {
		const reply = await member.get(`/v1/insights?${query}`);
		assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, pointer]);
		const french = await member.get(`/v1/insights?${query}`, { headers: { 'accept-language': 'fr' } });
		assert.notEqual(french.body.detail, reply.body.detail);
	}
});

test('a table has a head, quotes what needs it, and no formula', async () => {
	const project = '=1+1';
	assert.equal((await member.get('/v1/insights.csv?by=luck')).status, 422);
	await agent.ask(question('@sum, "of all"\nnow?', { project: 'sheet' }));
	const [head, row] = await csv('by=question&project=sheet');
	assert.match(head, /^text,pattern,kind,asks,answered,skipped,expired,cancelled,by_rules,median_ms,agents,answers,last$/);
	assert.ok(row.startsWith(`"'@sum, ""of all""`), row);
	await agent.ask(question('Formula?', { project }));
	assert.ok((await csv('by=project')).some((line) => line.startsWith(`'${project},1,0,0,0,`)));
	for (const [by, columns] of [['kind', 'kind,created,answered,skipped,expired,cancelled,by_rules'], ['agent', 'agent,asks,'],
		['person', 'user,name,answered,'], ['hour', 'hour,created,'], ['day', 'day,created,']]) {
		assert.ok((await csv(`by=${by}`))[0].startsWith(columns), by);
	}
	assert.equal((await csv('by=hour')).length, 25);
	assert.equal((await csv('by=question&from=2020-01-01&to=2020-01-02')).length, 1, 'a head alone');
});

test('an agent sees its own questions alone', async () => {
	const other = (await admin.post('/v1/tokens', { name: 'other', role: 'agent', agent: 'other' })).body;
	const mine = (await server.client(other.token).get('/v1/insights')).body;
	assert.deepEqual([mine.questions, mine.by_project], [[], []]);
});

test('the shell shows the same: rows by anything, CSV, what is expected, what rules would change', async () => {
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: member.token };
	const run = async (args, input) => {
		const done = await server.run(args, { env, input });
		assert.equal(done.code, 0, done.stderr);
		return done.stdout;
	};
	assert.match(await run(['insights']), /^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d: \d+ asked, \d+ answered \(\d+ by rules\), \d+ expired\.\n/);
	assert.match(await run(['insights', '--by', 'project', '--project', 'shop']), /^ +3 +2 +0 +0 .* shop$/m);
	assert.match(await run(['insights', '--by', 'kind']), / approval$/m);
	assert.equal((await run(['insights', '--by', 'hour'])).trim().split('\n').length, 24);
	assert.equal(await run(['insights', '--by', 'question', '--project', 'shop', '--csv']), (await member.get('/v1/insights.csv?by=question&project=shop')).text);
	assert.deepEqual(JSON.parse(await run(['insights', '--json', '--project', 'ci'])).questions, (await insights('?project=ci')).questions);
	assert.equal((await server.run(['insights', '--by', 'mood'], { env })).code, 2);
	assert.equal((await run(['expect', '--kind', 'approval'])).replaceAll('\u00a0', ' ').trim(), (await member.get('/v1/expect?kind=approval')).body.text);
	const rules = { rules: [{ effect: 'allow', match: { tool: ['Bash(npm *)'] } }] };
	const text = await run(['rehearse', '-'], JSON.stringify(rules));
	assert.match(text, /^Asked \d+ → \d+, of \d+\. Would be allowed: \d+\. Would be denied: 0\.\n1 that people rejected would have run\.\n/);
	assert.deepEqual(JSON.parse(await run(['rehearse', '-', '--json', '--days', '5'], JSON.stringify({ add: rules.rules }))),
		(await member.post('/v1/rehearse', { add: rules.rules, days: 5 })).body);
	assert.equal((await server.run(['rehearse', '-'], { env, input: '{"add":[{"effect":"maybe"}]}' })).code, 2);
});
