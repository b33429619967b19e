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

test('HEAD of healthz is fine', async () => {
	const reply = await nobody.request('HEAD', '/healthz');
	assert.deepEqual([reply.status, reply.text], [200, '']);
});
