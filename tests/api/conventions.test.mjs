// The conventions that hold for every call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointers, text } from './lib/samples.mjs';
import { document } from './lib/schema.mjs';
import { useServer } from './lib/server.mjs';

const { agent, member, admin, nobody } = await useServer();

test('an id is a prefix and 26 lowercase base-32 characters', async () => {
	const ask = await agent.ask();
	assert.match(ask.id, /^ask_[0-9a-z]{26}$/);
	assert.match(ask.session, /^ses_[0-9a-z]{26}$/);
});

test('ids made later sort later', async () => {
	const ids = [];
	for (let i = 0; i < 20; i++) ids.push((await agent.ask()).id);
	assert.deepEqual([...ids].sort(), ids);
});

test('times are RFC 3339 UTC with milliseconds, and now', async () => {
	const ask = await agent.ask();
	assert.match(ask.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
	assert.ok(Math.abs(Date.parse(ask.created_at) - Date.now()) < 5000);
});

for (const [given, ms] of [[90, 90e3], ['90s', 90e3], ['30m', 1800e3], ['24h', 86400e3],
	['7d', 7 * 86400e3], [1.5, 1500]]) {
	test(`a duration may be ${JSON.stringify(given)}`, async () => {
		const ask = await agent.ask({ timeout: given });
		assert.equal(Date.parse(ask.expires_at) - Date.parse(ask.created_at), ms);
	});
}

for (const given of ['soon', '5x', '', -5, true, [], '1e400d', { s: 1 }]) {
	test(`${JSON.stringify(given)} is not a duration`, async () => {
		const reply = await agent.post('/v1/asks', { question: 'A?', type: 'boolean',
			timeout: given });
		assert.equal(reply.status, 422);
		assert.deepEqual(pointers(reply), ['/timeout']);
	});
}

test('an unknown member of a body is refused, so that typos are seen', async () => {
	const reply = await agent.post('/v1/asks', { question: 'A?', type: 'boolean', tiemout: 5 });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/tiemout']);
});

test('an unknown member deep in a body is named by its pointer', async () => {
	const reply = await agent.post('/v1/asks', { questions: [text({ lable: 'x' })] });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/questions/0/lable']);
});

for (const path of ['/v1/asks?limt=5', '/v1/sessions?x=', '/v1/events?format=json&z=1',
	'/v1/me?a=b', '/v1/asks?limit=5&limit=6']) {
	test(`unknown or repeated query parameters are refused: ${path}`, async () => {
		assert.equal((await admin.get(path)).status, 422);
	});
}

test('an unknown query parameter of a POST is refused and nothing is made', async () => {
	const before = (await agent.events()).as_of;
	const reply = await agent.post('/v1/asks?wiat=3', { question: 'A?', type: 'boolean' });
	assert.equal(reply.status, 422);
	assert.deepEqual((await agent.events(before)).items, [], 'of the agent; the desk may have written something of its own');
});

test('U+0000 in a string is refused with 422', async () => {
	const reply = await agent.request('POST', '/v1/asks', {
		body: '{"question": "a\\u0000b", "type": "boolean"}' });
	assert.equal(reply.status, 422);
});

for (const half of ['\\ud800', '\\udc00', '\\ud800x', '\\ud800\\ud800']) {
	test(`a lone surrogate is refused with 422: ${half}`, async () => {
		const reply = await agent.request('POST', '/v1/asks', {
			body: `{"question": "a${half}", "type": "boolean"}` });
		assert.equal(reply.status, 422);
	});
}

test('a surrogate pair is one character', async () => {
	const reply = await agent.request('POST', '/v1/asks', {
		body: '{"question": "a\\ud83d\\ude00?", "type": "boolean"}' });
	assert.equal(reply.status, 201);
	assert.equal(reply.body.questions[0].text, 'a😀?');
});

test('lengths count code points, not bytes', async () => {
	const longest = '😀'.repeat(2000);
	assert.equal((await agent.ask({ question: longest })).questions[0].text, longest);
	const reply = await agent.post('/v1/asks', { question: `${longest}!`, type: 'boolean' });
	assert.equal(reply.status, 422);
});

test('UTF-8 that is not valid is 400 or 422, and never stored', async () => {
	const reply = await agent.request('POST', '/v1/asks', {
		body: Buffer.from([...Buffer.from('{"question": "'), 0xff, 0xfe, ...Buffer.from('"}')]) });
	assert.ok([400, 422].includes(reply.status), String(reply.status));
});

test('integers are kept exactly', async () => {
	const body = '{"question": "A?", "type": "boolean", "metadata": '
		+ '{"big": 9007199254740993, "huge": 123456789012345678}}';
	const reply = await agent.request('POST', '/v1/asks', { body });
	assert.equal(reply.status, 201);
	assert.match(reply.text, /"big":\s*9007199254740993\b/);
	assert.match(reply.text, /"huge":\s*123456789012345678\b/);
});

test('text comes back as it was sent', async () => {
	const odd = 'tab\t "quote" \\ / <b>&amp; \u202e \u00e9 日本 \u{1F468}\u200d\u{1F4BB} \u0007';
	const ask = await agent.ask({ question: odd, metadata: { odd } });
	assert.equal((await member.read(ask)).questions[0].text, odd);
	assert.deepEqual(ask.metadata, { odd });
});

for (const body of ['{', '{"a":1,}', "{'a':1}", '[1', 'nul', '{"a":01}', '{"a":1}x', '\ufeff{}']) {
	test(`a body that is not JSON is 400: ${JSON.stringify(body)}`, async () => {
		const reply = await agent.request('POST', '/v1/asks', { body });
		assert.equal(reply.status, 400);
	});
}

for (const body of ['[]', '"x"', '5', 'null', 'true']) {
	test(`a JSON body that is not an object is 422: ${body}`, async () => {
		assert.equal((await agent.request('POST', '/v1/asks', { body })).status, 422);
	});
}

test('a member given twice is refused', async () => {
	const reply = await agent.request('POST', '/v1/asks', {
		body: '{"question": "A?", "question": "B?", "type": "boolean"}' });
	assert.ok([400, 422].includes(reply.status), String(reply.status));
});

test('JSON nested a thousand deep is refused, not a crash', async () => {
	const reply = await agent.request('POST', '/v1/asks', {
		body: `{"question": "A?", "metadata": {"a": ${'['.repeat(1000)}${']'.repeat(1000)}}}` });
	assert.ok([400, 422].includes(reply.status), String(reply.status));
	assert.equal((await agent.get('/v1/me')).status, 200);
});

test('an error is a problem with type, title, status and detail', async () => {
	const reply = await agent.get('/v1/asks/ask_00000000000000000000000000');
	assert.equal(reply.status, 404);
	assert.match(reply.headers['content-type'], /^application\/problem\+json/);
	assert.match(reply.body.type, /^\/problems\//);
	assert.ok(reply.body.title.length > 0 && reply.body.detail.length > 0);
});

test('a bad body tells all that is wrong at once', async () => {
	const reply = await agent.post('/v1/asks', { kind: 'shouting', priority: 'x',
		questions: [{ text: 'A?', type: 'boolean' }, { type: 'text' }] });
	assert.equal(reply.status, 422);
	assert.deepEqual(pointers(reply), ['/kind', '/priority', '/questions/1/text']);
});

test('a pointer escapes / and ~', async () => {
	const reply = await agent.post('/v1/asks', { question: 'A?', 'a/b~c': 1 });
	assert.deepEqual(pointers(reply), ['/a~1b~0c']);
});

for (const [method, path] of [['PUT', '/v1/asks'], ['DELETE', '/v1/asks'], ['POST', '/v1/me'],
	['PATCH', '/v1/events'], ['GET', '/v1/login'], ['GET', '/v1/asks/settle-many'],
	['POST', '/healthz'], ['OPTIONS', '/v1/asks']]) {
	test(`${method} ${path} is 405 and says what is allowed`, async () => {
		const reply = await admin.request(method, path);
		// settle-many is also the shape of an ask's id
		if (path.endsWith('settle-many')) assert.ok([404, 405].includes(reply.status));
		else {
			assert.equal(reply.status, 405);
			assert.ok(reply.headers.allow, 'no Allow header');
		}
	});
}

for (const path of ['/v1', '/v1/', '/v1/nothing', '/v2/asks', '/v1/asks/', '/v1/asks/x/y/z',
	'/V1/asks', '/v1/asks/ask_zz', '/v1/asks/%00', '/v1/sessions/..%2f..']) {
	test(`an unknown path is 404: ${path}`, async () => {
		assert.equal((await admin.get(path)).status, 404);
	});
}

test('an unknown id is 404 and never 200, on every call that takes one', async () => {
	const ask = 'ask_00000000000000000000000000';
	const session = 'ses_00000000000000000000000000';
	const calls = [
		['GET', `/v1/asks/${ask}`], ['GET', `/v1/asks/${ask}?wait=1`],
		['POST', `/v1/asks/${ask}/answer`, { answers: { q1: true } }],
		['POST', `/v1/asks/${ask}/skip`, {}], ['POST', `/v1/asks/${ask}/cancel`, {}],
		['POST', `/v1/asks/${ask}/replies`, { text: 'x' }],
		['POST', `/v1/asks/${ask}/assign`, { assignees: [] }],
		['POST', `/v1/asks/${ask}/claim`, {}],
		['POST', `/v1/asks/${ask}/extend`, { timeout: '5m' }],
		['GET', `/v1/sessions/${session}`], ['GET', `/v1/sessions/${session}/state`],
		['GET', `/v1/sessions/${session}/resume`],
		['PATCH', `/v1/sessions/${session}`, { title: 'x' }],
		['DELETE', `/v1/sessions/${session}`],
		['POST', `/v1/sessions/${session}/asks`, { question: 'A?', type: 'boolean' }],
		['POST', `/v1/sessions/${session}/progress`, { text: 'x' }],
		['POST', `/v1/sessions/${session}/cancel`, {}],
		['PATCH', '/v1/users/usr_00000000000000000000000000', { name: 'x' }],
		['DELETE', '/v1/users/usr_00000000000000000000000000'],
		['DELETE', '/v1/tokens/tok_00000000000000000000000000'],
	];
	for (const [method, path, body] of calls) {
		const reply = await admin.request(method, path, { body });
		assert.equal(reply.status, 404, `${method} ${path}`);
	}
});

for (const type of ['application/xml', 'multipart/form-data; boundary=x', 'text/html', 'nonsense']) {
	test(`a body of type ${type} is 415`, async () => {
		const reply = await agent.request('POST', '/v1/asks', { body: 'x', type });
		assert.equal(reply.status, 415);
	});
}

test('application/json may say its charset', async () => {
	const reply = await agent.request('POST', '/v1/asks', {
		body: { question: 'A?', type: 'boolean' }, type: 'application/json; charset=utf-8' });
	assert.equal(reply.status, 201);
});

test('a body that is compressed is 415', async () => {
	const send = (encoding) => agent.request('POST', '/v1/asks', { body: '{"question":"x"}', headers: { 'content-encoding': encoding } });
	assert.deepEqual([(await send('gzip')).status, (await send('identity')).status], [415, 201]);
});

test('plain text is 415 where no question can be made of it', async () => {
	const ask = await agent.ask();
	const reply = await member.request('POST', `/v1/asks/${ask.id}/answer`, { body: 'yes',
		type: 'text/plain' });
	assert.equal(reply.status, 415);
});

test('a body of 1 MiB and one byte is 413', async () => {
	const reply = await agent.request('POST', '/v1/asks', { body: Buffer.alloc(1024 * 1024 + 1, 32),
		headers: { connection: 'close' } });
	assert.equal(reply.status, 413);
});

test('a body of just 1 MiB is read', async () => {
	const start = '{"question": "A?", "type": "boolean"';
	const body = `${start}${' '.repeat(1024 * 1024 - start.length - 1)}}`;
	assert.equal((await agent.request('POST', '/v1/asks', { body })).status, 201);
});

for (const limit of ['0', '201', '-1', 'x', '1.5', '']) {
	test(`limit=${limit} is 422`, async () => {
		assert.equal((await admin.get(`/v1/asks?limit=${limit}`)).status, 422);
	});
}

test('openapi.json is served as it lies in the repository, to anyone', async () => {
	const reply = await nobody.get('/openapi.json');
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.body, document);
});

test('a write is seen by everyone who reads after its reply', async () => {
	for (let i = 0; i < 20; i++) {
		const ask = await agent.ask();
		assert.equal((await member.get(`/v1/asks/${ask.id}`)).status, 200);
		await member.answer(ask, { q1: true });
		assert.equal((await admin.read(ask)).status, 'answered');
	}
});

test('a reply says what it is and is not to be stored by caches', async () => {
	const reply = await agent.get('/v1/me');
	assert.match(reply.headers['content-type'], /^application\/json/);
	assert.match(reply.headers['cache-control'] ?? '', /no-store|no-cache|private/);
	assert.equal(reply.headers['x-content-type-options'], 'nosniff');
});

test('the server is still well', async () => {
	assert.equal((await nobody.get('/readyz')).status, 200);
});
