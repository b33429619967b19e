// Health, readiness and metrics.
import assert from 'node:assert/strict';
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
	assert.equal(later.get('parley_asks_answered_total'), 0);
	for (const name of ['parley_resident_bytes', 'parley_connections', 'parley_commits_total']) {
		assert.equal(later.has(name), false, name);
	}
	await farMember.answer(await far.ask(), { q1: true });
	assert.equal(read((await farAdmin.get('/metrics')).text).get('parley_asks_answered_total'), 1);
	const sum = read((await owner.get('/metrics')).text);
	assert.equal(sum.get('parley_asks_answered_total'), all.get('parley_asks_answered_total') + 2);
	assert.ok(sum.get('parley_resident_bytes') > 0);
});

test('HEAD of healthz is fine', async () => {
	const reply = await nobody.request('HEAD', '/healthz');
	assert.deepEqual([reply.status, reply.text], [200, '']);
});
