// TLS: the same server, over encrypted connections.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import { raw, requestText } from './lib/raw.mjs';
import { Server, sleep, until } from './lib/server.mjs';

const server = new Server();
const cert = join(server.home, 'cert.pem');
const key = join(server.home, 'key.pem');
let secret;

function makeCertificate(name) {
	execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256',
		'-nodes', '-keyout', key, '-out', cert, '-days', '30', '-subj', `/CN=${name}`,
		'-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'], { stdio: 'ignore' });
}

before(async () => {
	makeCertificate('first');
	server.flags = ['--tls-cert', cert, '--tls-key', key];
	secret = await server.secret('agent', 'a');
	await server.start();
});
after(async () => {
	await server.stop();
	server.remove();
});

/** → {status, headers, body, headersMs} */
function request(method, path, body, options = {}) {
	const start = Date.now();
	return new Promise((resolve, reject) => {
		const sent = https.request({ host: '127.0.0.1', port: server.port, method, path,
			ca: readFileSync(cert), agent: false, ...options,
			headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json',
				...options.headers } }, (response) => {
			const headersMs = Date.now() - start;
			let text = '';
			response.on('data', (part) => { text += part; });
			response.on('end', () => resolve({ status: response.statusCode, text, headersMs,
				headers: response.headers }));
		});
		sent.on('error', reject);
		sent.end(body && JSON.stringify(body));
	});
}

const subject = () => new Promise((resolve, reject) => {
	const socket = tls.connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false },
		() => {
			resolve(socket.getPeerCertificate().subject.CN);
			socket.destroy();
		});
	socket.on('error', reject);
});

test('asks are made over TLS', async () => {
	const reply = await request('POST', '/v1/asks', { question: 'A?', type: 'boolean' });
	assert.equal(reply.status, 201);
	assert.match(JSON.parse(reply.text).url, /^https:/);
});

test('big bodies and big replies go through whole', async () => {
	const metadata = { big: 'é'.repeat(7000) };
	const reply = await request('POST', '/v1/asks', { question: 'A?', type: 'boolean', metadata,
		context: { diff: 'x'.repeat(100_000) } });
	assert.equal(reply.status, 201);
	const ask = JSON.parse(reply.text);
	assert.deepEqual(ask.metadata, metadata);
	assert.equal(ask.context.diff.length, 100_000);
	const page = await request('GET', '/openapi.json');
	assert.equal(typeof JSON.parse(page.text).openapi, 'string');
});

test('a wait is held, its headers go out at once', async () => {
	const reply = await request('POST', '/v1/asks?wait=2', { question: 'A?', type: 'boolean' });
	assert.equal(JSON.parse(reply.text).status, 'pending');
	assert.ok(reply.headersMs < 1500, String(reply.headersMs));
});

test('events are streamed', async () => {
	let text = '';
	const stream = https.get({ host: '127.0.0.1', port: server.port, path: '/v1/events?after=0',
		ca: readFileSync(cert), agent: false, headers: { authorization: `Bearer ${secret}` } },
	(response) => response.on('data', (part) => { text += part; }));
	stream.on('error', () => {});
	await until(() => text.includes('event: ask.created'), 'an event');
	stream.destroy();
});

test('a hundred requests on one connection', async () => {
	const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
	for (let i = 0; i < 100; i++) {
		assert.equal((await request('GET', '/v1/me', undefined, { agent })).status, 200);
	}
	agent.destroy();
});

test('a hundred connections at once', async () => {
	const replies = await Promise.all(Array.from({ length: 100 }, () => request('GET', '/healthz')));
	assert.ok(replies.every((r) => r.status === 200));
});

test('the cookie of a login is Secure', async () => {
	const code = server.output.match(/login#(\S+)/)[1];
	const reply = await request('POST', '/v1/login', { code });
	assert.equal(reply.status, 200);
	assert.match(reply.headers['set-cookie'][0], /Secure/);
});

test('plain HTTP on this port gets no secret and does no harm', async () => {
	const reply = await raw(server, requestText(server, 'GET', '/healthz'));
	assert.notEqual(reply.status, 200);
	assert.equal(reply.closed, true);
	assert.equal((await request('GET', '/healthz')).status, 200);
});

for (const version of ['TLSv1', 'TLSv1.1']) {
	test(`${version} is refused`, async () => {
		await assert.rejects(request('GET', '/healthz', undefined,
			{ minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }));
	});
}

for (const version of ['TLSv1.2', 'TLSv1.3']) {
	test(`${version} is spoken`, async () => {
		const reply = await request('GET', '/healthz', undefined,
			{ minVersion: version, maxVersion: version });
		assert.equal(reply.status, 200);
	});
}

test('garbage after the handshake or instead of it does no harm', async () => {
	await raw(server, Buffer.from('16030100050100000100', 'hex'), { ms: 300 });
	await raw(server, Buffer.alloc(20_000, 0x16), { ms: 300 });
	assert.equal((await request('GET', '/healthz')).status, 200);
});

test('SIGHUP reads a new certificate, for connections to come', async () => {
	assert.equal(await subject(), 'first');
	makeCertificate('second');
	server.child.kill('SIGHUP');
	await until(async () => await subject() === 'second', 'the new certificate');
});

test('a broken certificate at SIGHUP changes nothing', async () => {
	const kept = readFileSync(cert);
	writeFileSync(cert, 'nonsense');
	server.child.kill('SIGHUP');
	await sleep(300);
	assert.equal(await subject(), 'second');
	writeFileSync(cert, kept);
});

for (const [name, flags] of [
	['a certificate that is not there', ['--tls-cert', '/nonexistent.pem', '--tls-key', key]],
	['a key that does not fit', ['--tls-cert', cert, '--tls-key', cert]],
	['a certificate without a key', ['--tls-cert', cert]],
]) {
	test(`${name} stops the start with a line that names the setting`, async () => {
		const other = new Server();
		other.spawn(flags);
		const timer = setTimeout(() => other.child.kill('SIGKILL'), 10_000);
		const how = await other.exited;
		clearTimeout(timer);
		assert.ok(how.code > 0, other.output);
		assert.match(other.output, /tls_(cert|key)/);
		other.remove();
	});
}

test('with TLS it may listen beyond loopback', async () => {
	const other = new Server({ flags: ['--listen', '0.0.0.0:0', '--tls-cert', cert, '--tls-key', key] });
	await other.start();
	assert.deepEqual(await other.stop(), { code: 0, signal: null });
	other.remove();
});
