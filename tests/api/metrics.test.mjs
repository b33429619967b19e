// Health, readiness and metrics.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, nobody } = server;

/** name{labels} → value */
function read(text) {
	const values = new Map();
	for (const line of text.split('\n')) {
		if (line === '' || line.startsWith('#')) continue;
		const match = line.match(/^([a-z_:][a-zA-Z0-9_:]*(?:\{[^}]*\})?) (\S+)$/);
		assert.ok(match, `not a metric: ${line}`);
		assert.ok(!Number.isNaN(Number(match[2])) || match[2] === 'NaN', line);
		values.set(match[1], Number(match[2]));
	}
	return values;
}

const answered = (values) => values.get('parley_asks_settled_total{kind="blocking",project="",outcome="answered",by="human"}') ?? 0;

test('healthz says that it is alive', async () => {
	assert.equal((await nobody.get('/healthz')).status, 200);
});

test('readyz says that the store answers', async () => {
	assert.equal((await nobody.get('/readyz')).status, 200);
});

test('metrics are in the text format of Prometheus, all named parley_', async () => {
	const reply = await member.get('/metrics');
	assert.equal(reply.status, 200);
	assert.match(reply.headers['content-type'], /^text\/plain/);
	const values = read(reply.text);
	assert.ok(values.size > 3);
	for (const name of values.keys()) assert.match(name, /^parley_/);
});

test('every metric has a type and a help line', async () => {
	const { text } = await member.get('/metrics');
	const families = new Set([...text.matchAll(/^(parley_[a-z0-9_]+)/gm)]
		.map((m) => m[1].replace(/_(bucket|sum|count)$/, '')));
	for (const name of families) {
		assert.ok(text.includes(`# TYPE ${name}`), `no TYPE of ${name}`);
		assert.ok(text.includes(`# HELP ${name}`), `no HELP of ${name}`);
	}
});

test('some metric counts asks: asking changes it', async () => {
	const before = read((await member.get('/metrics')).text);
	for (let i = 0; i < 3; i++) await agent.ask();
	const after = read((await member.get('/metrics')).text);
	const moved = [...after].filter(([name, value]) => /ask/.test(name)
		&& value - (before.get(name) ?? 0) === 3);
	assert.ok(moved.length > 0, 'nothing about asks moved by three');
});

test('who is no owner sees the numbers of their own workspace, and none of the process', async () => {
	await server.command('workspace', 'create', 'elsewhere');
	const far = await server.as('agent', 'far', ['--workspace', 'elsewhere']);
	const farMember = await server.as('member', 'fia', ['--workspace', 'elsewhere']);
	const farAdmin = await server.as('admin', 'fay', ['--workspace', 'elsewhere']);
	const owner = await server.as('owner', 'olga');
	const before = read((await farAdmin.get('/metrics')).text);
	const all = read((await owner.get('/metrics')).text);
	await member.answer(await agent.ask(), { q1: true });
	const later = read((await farAdmin.get('/metrics')).text);
	assert.equal(later.get('parley_events_total'), before.get('parley_events_total'));
	assert.equal(answered(later), 0);
	for (const name of ['parley_resident_bytes', 'parley_connections', 'parley_commits_total']) {
		assert.equal(later.has(name), false, name);
	}
	await farMember.answer(await far.ask(), { q1: true });
	assert.equal(answered(read((await farAdmin.get('/metrics')).text)), 1);
	const sum = read((await owner.get('/metrics')).text);
	assert.equal(answered(sum), answered(all) + 2);
	assert.ok(sum.get('parley_resident_bytes') > 0);
});

test('asks are counted by kind, project, outcome and who; refused ones by why; the four old totals are gone', async () => {
	const owner = await server.as('owner', 'otto');
	const values = async () => read((await owner.get('/metrics')).text);
	const before = await values();
	const ask = await agent.ask({ kind: 'approval', operation: { type: 'tool', name: 'x', arguments: {} }, project: 'a"b' });
	await member.answer(ask, { approval: { value: 'reject' } });
	await agent.post('/v1/asks', { question: 5 });
	await agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });
	const after = await values();
	const moved = (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
	assert.equal(moved('parley_asks_created_total{kind="approval",project="a\\"b"}'), 1);
	const settled = [...after.keys()].filter((name) => name.startsWith('parley_asks_settled_total') && name.includes('a\\"b'));
	if ((await member.read(ask)).status === 'answered') {
		assert.deepEqual(settled, ['parley_asks_settled_total{kind="approval",project="a\\"b",outcome="rejected",by="human"}']);
		assert.equal(moved('parley_answer_seconds_bucket{kind="approval",project="a\\"b",le="604800"}'), 1);
	}
	assert.equal(moved('parley_asks_refused_total{reason="invalid"}'), 1);
	assert.equal(moved('parley_uses_total{outcome="refused"}'), 1);
	for (const kind of ['blocking', 'non_blocking', 'approval', 'error_recovery']) {
		assert.ok(after.has(`parley_asks_pending{kind="${kind}",project=""}`), kind);
		assert.ok(after.has(`parley_oldest_pending_seconds{kind="${kind}"}`), kind);
	}
	for (const name of ['answered', 'skipped', 'cancelled', 'expired']) assert.ok(!after.has(`parley_asks_${name}_total`));
	for (const name of ['parley_run_queue_seconds', 'parley_runs{status="waiting"}', 'parley_alerts{kind="lost"}', 'parley_nodes{state="live"}',
		'parley_commit_seconds_count']) assert.ok(after.has(name), name);
	assert.ok([...after.keys()].some((name) => /^parley_build_info\{version="[^"]+",commit="[^"]+",schema="\d+"\}$/.test(name)));
});

const noPromtool = spawnSync('promtool', ['--version']).status !== 0 && 'promtool is not installed (Debian package prometheus)';

test('promtool has nothing to say of the metrics and of the rules', { skip: noPromtool }, async () => {
	const { text } = await member.get('/metrics');
	const judged = (args, input) => {
		const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', cwd: new URL('../../packaging', import.meta.url) });
		assert.equal(status, 0, stdout + stderr);
		return stdout + stderr;
	};
	assert.equal(judged(['check', 'metrics'], text), '');
	judged(['check', 'rules', 'parley.rules.yml']);
	judged(['test', 'rules', 'parley.rules.test.yml']);
});

test('HEAD of healthz is fine', async () => {
	const reply = await nobody.request('HEAD', '/healthz');
	assert.deepEqual([reply.status, reply.text], [200, '']);
});
