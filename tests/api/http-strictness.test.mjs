// HTTP as it must not be spoken: refused clearly, and the framing never in doubt.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { raw, requestText, statuses } from './lib/raw.mjs';
import { checkSchema } from './lib/schema.mjs';
import { sleep, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, nobody } = server;
const host = `Host: ${server.address}`;
const auth = `Authorization: Bearer ${server.secrets.agent}`;

/** Refused with this status as a problem, and the connection closed. */
const refused = (name, bytes, status = 400) => test(name, async () => {
	const reply = await raw(server, bytes);
	assert.equal(reply.status, status, reply.text.slice(0, 300));
	assert.equal(reply.closed, true, 'the connection was left open');
	assert.match(reply.headers['content-type'], /^application\/problem\+json/);
	checkSchema('Problem', reply.problem);
	assert.equal(statuses(reply.text).length, 1, 'it went on reading');
});

const lines = (...all) => [...all, '', ''].join('\r\n');
const smuggled = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

refused('what is not HTTP is 400', 'hello\r\n\r\n');
refused('a TLS greeting is 400', Buffer.from('160301020001000001fc0303', 'hex').toString('latin1')
	+ '\r\n\r\n');
refused('HTTP/1.1 without Host is 400', lines('GET /healthz HTTP/1.1'));
refused('two Hosts are 400', lines('GET /healthz HTTP/1.1', host, host));
refused('two different Hosts are 400', lines('GET /healthz HTTP/1.1', host, 'Host: evil.example'));
refused('Content-Length with Transfer-Encoding is 400', `${lines('POST /v1/asks HTTP/1.1', host,
	auth, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`);
refused('Transfer-Encoding with Content-Length is 400', `${lines('POST /v1/asks HTTP/1.1', host,
	auth, 'Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n${smuggled}`);
refused('two different Content-Lengths are 400', `${lines('POST /v1/asks HTTP/1.1', host,
	'Content-Length: 2', 'Content-Length: 3')}{}`);
refused('two equal Content-Lengths are 400', `${lines('POST /v1/asks HTTP/1.1', host,
	'Content-Length: 2', 'Content-Length: 2')}{}`);
refused('a list of Content-Lengths is 400', `${lines('POST /v1/asks HTTP/1.1', host,
	'Content-Length: 2, 2')}{}`);
for (const length of ['-1', '+2', '0x2', '2 2', '', '99999999999999999999', '2a']) {
	refused(`Content-Length "${length}" is 400`, `${lines('POST /v1/asks HTTP/1.1', host,
		`Content-Length: ${length}`)}{}`);
}
refused('a space before the colon is 400', lines('GET /healthz HTTP/1.1', host, 'X-A : b'));
refused('Content-Length with a space before its colon is 400', `${lines('POST /v1/asks HTTP/1.1',
	host, 'Content-Length : 2')}{}`);
refused('a folded header is 400', lines('GET /healthz HTTP/1.1', host, 'X-A: b', ' folded'));
refused('a header without a name is 400', lines('GET /healthz HTTP/1.1', host, ': b'));
refused('a bare CR in a header is 400', lines('GET /healthz HTTP/1.1', host, 'X-A: b\rX-B: c'));
refused('a bare LF between headers is 400', `GET /healthz HTTP/1.1\r\n${host}\r\nX-A: b\nX-B: c\r\n\r\n`);
refused('a NUL in a header is 400', lines('GET /healthz HTTP/1.1', host, 'X-A: b\0c'));
for (const coding of ['gzip', 'gzip, chunked', 'chunked, gzip', 'xchunked', 'chunked, chunked',
	'identity']) {
	refused(`Transfer-Encoding "${coding}" is 400`, `${lines('POST /v1/asks HTTP/1.1', host, auth,
		`Transfer-Encoding: ${coding}`)}0\r\n\r\n${smuggled}`);
}
for (const chunk of ['xyz\r\nabc', '-1\r\n', 'ffffffffffffffffff\r\n', '2\nab\r\n', '2\r\nabX']) {
	refused(`a bad chunk is 400: ${JSON.stringify(chunk)}`, `${lines('POST /v1/asks HTTP/1.1', host,
		auth, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}${chunk}\r\n0\r\n\r\n`);
}
refused('HTTP/2 in clear is 400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
refused('HTTP/3.0 is 400', lines('GET /healthz HTTP/3.0', host));
refused('a method that is none is 400', lines('GE<T /healthz HTTP/1.1', host));
refused('a target with a space is 400', lines('GET /he althz HTTP/1.1', host));
refused('headers over 32 KiB are 431', lines('GET /healthz HTTP/1.1', host,
	`X-A: ${'a'.repeat(33 * 1024)}`), 431);
refused('many headers over 32 KiB together are 431', lines('GET /healthz HTTP/1.1', host,
	...Array.from({ length: 400 }, (_, i) => `X-${i}: ${'a'.repeat(100)}`)), 431);
refused('a target over 32 KiB is 431', lines(`GET /${'a'.repeat(33 * 1024)} HTTP/1.1`, host), 431);

test('headers of 30 KiB are read', async () => {
	const reply = await raw(server, lines('GET /healthz HTTP/1.1', host, 'Connection: close',
		`X-A: ${'a'.repeat(30 * 1024)}`));
	assert.equal(reply.status, 200);
});

test('a body that says it is over 1 MiB is 413 before it is sent', async () => {
	const reply = await raw(server, lines('POST /v1/asks HTTP/1.1', host, auth,
		'Content-Type: application/json', 'Content-Length: 1048577'));
	assert.equal(reply.status, 413);
	checkSchema('Problem', reply.problem);
});

test('a chunked body that grows over 1 MiB is 413', async () => {
	const chunk = `10000\r\n${' '.repeat(65536)}\r\n`;
	const reply = await raw(server, `${lines('POST /v1/asks HTTP/1.1', host, auth,
		'Content-Type: application/json', 'Transfer-Encoding: chunked')}${chunk.repeat(17)}0\r\n\r\n`);
	assert.equal(reply.status, 413);
});

test('a chunked body is read', async () => {
	const body = '{"question": "A?", "type": "boolean"}';
	const chunks = [...body].map((c) => `1\r\n${c}\r\n`).join('');
	const reply = await raw(server, `${lines('POST /v1/asks HTTP/1.1', host, auth,
		'Content-Type: application/json', 'Connection: close', 'Transfer-Encoding: chunked')}`
		+ `${chunks}0\r\n\r\n`);
	assert.equal(reply.status, 201);
});

test('Expect: 100-continue is answered', async () => {
	const body = '{"question": "A?", "type": "boolean"}';
	const reply = await raw(server, lines('POST /v1/asks HTTP/1.1', host, auth, 'Connection: close',
		'Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue'),
	{ then: (socket) => setTimeout(() => socket.write(body), 300) });
	assert.equal(statuses(reply.text).at(-1), 201);
});

test('Upgrade is ignored: Java clients send it', async () => {
	const reply = await raw(server, lines('GET /healthz HTTP/1.1', host,
		'Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c',
		'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'));
	assert.equal(reply.status, 200);
});

test('HTTP/1.0 without Host is served and closed', async () => {
	const reply = await raw(server, 'GET /healthz HTTP/1.0\r\n\r\n');
	assert.equal(reply.status, 200);
	assert.equal(reply.closed, true);
});

test('Connection: close closes, else the connection stays', async () => {
	const closed = await raw(server, requestText(server, 'GET', '/healthz', ['Connection: close']));
	assert.deepEqual([closed.status, closed.closed], [200, true]);
	const open = await raw(server, requestText(server, 'GET', '/healthz'), { ms: 400 });
	assert.deepEqual([open.status, open.closed], [200, false]);
});

test('pipelined requests are answered in order', async () => {
	const one = requestText(server, 'GET', '/healthz');
	const two = requestText(server, 'GET', '/nothing', [auth]);
	const last = requestText(server, 'GET', '/v1/me', [auth, 'Connection: close']);
	const reply = await raw(server, one + two + last);
	assert.deepEqual(statuses(reply.text), [200, 404, 200]);
});

test('a hundred pipelined asks are a hundred asks', async () => {
	const body = '{"question": "A?", "type": "boolean"}';
	const one = requestText(server, 'POST', '/v1/asks', [auth, 'Content-Type: application/json',
		`Content-Length: ${body.length}`], body);
	const last = requestText(server, 'GET', '/v1/me', [auth, 'Connection: close']);
	const reply = await raw(server, one.repeat(100) + last);
	assert.deepEqual(statuses(reply.text), [...Array.from({ length: 100 }, () => 201), 200]);
});

test('a request that comes byte by byte is read', async () => {
	const text = requestText(server, 'GET', '/healthz', ['Connection: close']);
	const reply = await raw(server, text.slice(0, 1), { then: async (socket) => {
		for (const c of text.slice(1)) {
			socket.write(c);
			await sleep(2);
		}
	} });
	assert.equal(reply.status, 200);
});

test('a connection cut in the middle of a body makes nothing', async () => {
	const { as_of: before } = await agent.events();
	await new Promise((resolve) => {
		const socket = net.connect(server.port, '127.0.0.1', () => {
			socket.write(lines('POST /v1/asks HTTP/1.1', host, auth, 'Content-Type: application/json',
				'Content-Length: 37') + '{"question": "A?"');
			setTimeout(() => {
				socket.destroy();
				resolve();
			}, 100);
		});
	});
	await sleep(200);
	assert.deepEqual((await agent.events(before)).items, []);
});

test('the target may be absolute', async () => {
	const reply = await raw(server, lines(`GET http://${server.address}/healthz HTTP/1.1`, host,
		'Connection: close'));
	assert.ok([200, 400, 404].includes(reply.status), String(reply.status));
});

test('an asterisk or an authority is no path of ours', async () => {
	for (const first of ['OPTIONS * HTTP/1.1', `CONNECT ${server.address} HTTP/1.1`]) {
		const reply = await raw(server, lines(first, host, 'Connection: close'));
		assert.ok(reply.status >= 400 && reply.status < 500, `${first}: ${reply.status}`);
	}
});

test('a bad escape in a path or query is 400, 404 or 422', async () => {
	for (const path of ['/v1/asks/%zz', '/v1/asks?q=%', '/v1/asks?q=%ff%fe', '/v1/asks?q=%00']) {
		const reply = await agent.get(path);
		assert.ok([400, 404, 422].includes(reply.status), `${path}: ${reply.status}`);
	}
});

test('a hundred silent connections do not keep others out', async () => {
	const sockets = Array.from({ length: 100 }, () => net.connect(server.port, '127.0.0.1'));
	sockets.forEach((socket) => socket.on('error', () => {}));
	await sleep(100);
	assert.equal((await nobody.get('/healthz')).status, 200);
	sockets.forEach((socket) => socket.destroy());
});

test('after all this the server is well', async () => {
	assert.equal((await nobody.get('/readyz')).status, 200);
});
