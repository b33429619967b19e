// Replies in the coding that their client takes: same text, fewer bytes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin } = server;
const LIST = '/v1/asks?limit=50';
const unpack = {
	gzip: (bytes) => gunzipSync(bytes),
	zstd: (bytes) => execFileSync('zstd', ['-dc'], { input: bytes, maxBuffer: 1 << 26 }),
};

/** As it came over the wire: fetch would unpack it. */
const raw = (path, accept, { method = 'GET', token = server.secrets.admin, body, headers: more } = {}) => new Promise((done, fail) => {
	const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}), ...more };
	if (accept !== undefined) headers['accept-encoding'] = accept;
	request(server.url + path, { method, headers }, (reply) => {
		const parts = [];
		reply.on('data', (part) => parts.push(part));
		reply.on('end', () => done({ status: reply.statusCode, headers: reply.headers, bytes: Buffer.concat(parts) }));
	}).on('error', fail).end(body && JSON.stringify(body));
});
const codingOf = async (path, accept) => (await raw(path, accept)).headers['content-encoding'];

before(async () => {
	for (let i = 0; i < 20; i++) await agent.ask({ question: `Number ${i}?`, type: 'boolean', context: { text: 'Ünïcode '.repeat(i) } });
});

for (const [accept, coding] of [[undefined, undefined], ['', undefined], ['gzip', 'gzip'], ['zstd', 'zstd'], ['gzip, deflate, br, zstd', 'zstd'],
	['gzip, deflate', 'gzip'], ['X-GZIP', 'gzip'], ['gzip;q=1, zstd;q=0.5', 'gzip'], ['gzip;q=0, zstd;q=0', undefined], ['identity, gzip;q=0.5', undefined],
	['identity;q=0, gzip;q=0.1', 'gzip'], ['*', 'zstd'], ['*;q=0.5, zstd;q=0', 'gzip'], ['br', undefined], ['gzip;q=soon', undefined]])
	test(`${JSON.stringify(accept)} gets ${coding ?? 'the text as it is'}`, async () => {
		const [plain, reply] = [await raw(LIST), await raw(LIST, accept)];
		assert.equal(reply.headers['content-encoding'], coding);
		assert.equal(reply.headers.vary, 'Accept-Encoding');
		assert.equal(Number(reply.headers['content-length']), reply.bytes.length);
		assert.equal(String(coding ? unpack[coding](reply.bytes) : reply.bytes), String(plain.bytes));
		if (coding) assert.ok(reply.bytes.length < plain.bytes.length / 4, `${reply.bytes.length} of ${plain.bytes.length}`);
	});

test('HEAD has the head of GET', async () => {
	const [head, get] = [await raw(LIST, 'gzip', { method: 'HEAD' }), await raw(LIST, 'gzip')];
	assert.equal(head.bytes.length, 0);
	for (const name of ['content-encoding', 'content-length', 'vary']) assert.equal(head.headers[name], get.headers[name]);
});

test('a short reply goes as it is, unless that is refused', async () => {
	assert.equal(await codingOf('/v1/projects', 'gzip'), undefined);
	assert.equal(await codingOf('/v1/projects', 'gzip, identity;q=0'), 'gzip');
	assert.equal(await codingOf('/v1/projects', 'zstd, *;q=0'), 'zstd');
});

test('one ask, if it is long', async () => {
	const long = await agent.ask({ question: 'Long?', type: 'boolean', context: { text: 'word '.repeat(900) } });
	const reply = await raw(`/v1/asks/${long.id}`, 'zstd');
	assert.equal(JSON.parse(unpack.zstd(reply.bytes)).id, long.id);
	assert.equal(await codingOf(`/v1/asks/${(await agent.ask()).id}`, 'zstd'), undefined);
});

test('how long a compressed reply is differs from one to the next', async () => {
	const lengths = new Set();
	for (let i = 0; i < 8; i++) lengths.add((await raw(LIST, 'zstd')).headers['x-padding'].length);
	assert.ok(lengths.size > 1);
});

test('what may hold a secret, a refusal, a wait and a stream go as they are', async () => {
	const secret = await raw('/v1/tokens', 'gzip, identity;q=0', { method: 'POST', body: { name: 'x'.repeat(60), role: 'agent' } });
	assert.equal(secret.status, 201);
	assert.equal(secret.headers['content-encoding'], undefined);
	assert.match(String(secret.bytes), /prl_/);
	const refused = await raw('/v1/asks?limit=no', 'gzip, identity;q=0');
	assert.equal(refused.status, 422);
	assert.equal(refused.headers['content-encoding'], undefined);
	const long = await agent.ask({ question: 'Wait?', type: 'boolean', context: { text: 'word '.repeat(900) } });
	const waited = raw(`/v1/asks/${long.id}?wait=10`, 'gzip');
	await admin.post(`/v1/asks/${long.id}/skip`);
	assert.equal((await waited).headers['content-encoding'], undefined);
});

test('an event stream comes as it is, each event at once', async () => {
	const reply = await fetch(`${server.url}/v1/events`, { headers: { authorization: `Bearer ${server.secrets.admin}`, accept: 'text/event-stream', 'accept-encoding': 'gzip, zstd' } });
	assert.equal(reply.headers.get('content-encoding'), null);
	const reader = reply.body.getReader();
	const ask = await agent.ask();
	let told = '';
	while (!told.includes(ask.id)) told += Buffer.from((await reader.read()).value);
	await reader.cancel();
});

test('a file of the page that the browser has is not sent again, in either form', async () => {
	for (const accept of ['gzip', '']) {
		const first = await raw('/openapi.json', accept);
		const again = await raw('/openapi.json', accept, { headers: { 'if-none-match': first.headers.etag } });
		assert.equal(again.status, 304);
		assert.equal(again.bytes.length, 0);
		assert.equal(again.headers.vary, 'Accept-Encoding');
	}
	assert.equal(await codingOf('/openapi.json', 'gzip;q=0.0, zstd'), undefined);
});
