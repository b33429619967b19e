// Notes that are found by words, however many and however old they are: as one who looks at every note would find them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notInAFile } from '../lib/postgres.mjs';
import { random as seeded } from '../lib/random.mjs';
import { stored } from '../lib/stored.mjs';
import { useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1', NOTES = LONG ? 20_000 : 400, SEARCHES = LONG ? 2000 : 80;
const server = await useServer({ keepPort: true });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const add = async (text, more = {}) => ok(await member.post('/v1/memories', { text, scope: 'workspace', ...more }), 201);
const found = async (q, more = '') => ok(await member.get(`/v1/memories?q=${encodeURIComponent(q)}${more}`)).items;
const texts = async (q, more) => (await found(q, more)).map(({ text }) => text);
/** Some of them at a time, so that batches have several. */
const all = async (list, fn) => {
	const rest = [...list];
	await Promise.all(Array.from({ length: 16 }, async () => { while (rest.length) await fn(rest.pop()); }));
};

const words = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
/** Whole words before beginnings, then the newest. */
const expected = (notes, q) => {
	const fit = ({ text }) => Math.min(...words(q).map((word) => (words(text).includes(word) ? 2 : words(text).some((one) => one.startsWith(word)) ? 1 : 0)));
	return notes.map((note) => [fit(note), note]).filter(([n]) => n > 0)
		.sort(([a, x], [b, y]) => b - a || (x.id < y.id ? 1 : -1)).slice(0, 50).map(([, { id }]) => id);
};

const below = seeded(20261118);
const VOCABULARY = ['été', 'eau', 'Zürich', 'tea', 'teapot', 'green', 'greenish', 'a', 'an', 'answer', '42', '4', 'naïve', 'über', 'ubersee', 'кот', 'котик', '茶',
	...Array.from({ length: 60 }, (_, i) => `${'bcdfghklmnprst'[i % 14]}${'aeiou'[i % 5]}${i.toString(36)}${'x'.repeat(i % 4)}`)];
const word = () => VOCABULARY[Math.min(below(VOCABULARY.length), below(VOCABULARY.length))];
const several = (n) => Array.from({ length: n }, word).join(' ');

test(`${SEARCHES} searches of ${NOTES} notes find what is there, before and after some are deleted, and after a crash`, { timeout: 3_600_000 }, async () => {
	let notes = [];
	await all(Array.from({ length: NOTES }, () => several(1 + below(12))), async (text) => { notes.push(await add(text)); });
	const look = async (n) => {
		for (let i = 0; i < n; i++) {
			const whole = several(1 + below(3)), q = below(2) ? whole : whole.slice(0, 1 + below(whole.length));
			if (words(q).length) assert.deepEqual((await found(q)).map(({ id }) => id), expected(notes, q), q);
		}
	};
	await look(SEARCHES / 2);
	const gone = new Set(notes.filter(() => !below(3)));
	await all(gone, async ({ id }) => ok(await member.delete(`/v1/memories/${id}`), 204));
	notes = notes.filter((note) => !gone.has(note));
	await server.crash();
	await all(Array.from({ length: 20 }, () => several(5)), async (text) => { notes.push(await add(text)); });
	await look(SEARCHES / 2);
});

test('the oldest of thousands is found by a word, by what stands in quotes, and for the prompt of a run', async () => {
	await add('The harbour master is Ottoline Quayle');
	await all(Array.from({ length: 2100 }, (_, i) => `note ${i} of the harbour`), (text) => add(text));
	assert.deepEqual(await texts('ottoline harb'), ['The harbour master is Ottoline Quayle']);
	assert.deepEqual(await texts('"is Ottoline"'), ['The harbour master is Ottoline Quayle']);
	assert.equal((await texts('harbour')).length, 50);
	ok(await admin.post('/v1/providers', { name: 's', kind: 'script', script: [{ when: { tool: 'memory' }, say: '{{result}}' },
		{ calls: [{ name: 'memory', arguments: { operation: 'search', q: 'quayle' } }] }] }), 201);
	ok(await admin.post('/v1/agents', { name: 'keeper', provider: 's', model: 'm', tools: ['memory'], memory: 1 }), 201);
	const session = ok(await member.post('/v1/sessions?wait=20', { agent: 'keeper', message: 'Who is Quayle?' }), 201);
	assert.deepEqual(JSON.parse(session.run.report).map(({ text }) => text), ['The harbour master is Ottoline Quayle']);
});

test('a note of a session goes with it, and no word of it stays', async () => {
	const session = ok(await member.post('/v1/sessions', { agent: 'keeper', message: 'Hello' }), 201);
	await add('Kept: xylographic', {});
	await add('Of the session: xylographic quernstone', { scope: 'session', session: session.id, agent: 'keeper' });
	const alone = await add('vermiculture');
	assert.equal((await texts('xylographic')).length, 2);
	assert.deepEqual(await texts('xylo', `&session=${session.id}`), ['Of the session: xylographic quernstone']);
	ok(await member.delete(`/v1/sessions/${session.id}`), 204);
	ok(await member.delete(`/v1/memories/${alone.id}`), 204);
	assert.deepEqual(await texts('xylographic'), ['Kept: xylographic']);
	assert.deepEqual([await texts('quernstone'), await texts('vermiculture')], [[], []]);
	if (notInAFile) return;
	await server.stop();
	for (const [what, text] of stored(server.data)) assert.ok(!/quernstone|vermiculture/.test(text) || /-wal$/.test(what), what);
	await server.start();
	assert.equal((await server.run(['check', '--data', server.data])).code, 0);
});
