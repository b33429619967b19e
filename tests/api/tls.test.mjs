// TLS: the same API behind a certificate, which SIGHUP exchanges. Spoken to with curl.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import tls from 'node:tls';
import { Server, until } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-tls-'));
const cert = join(folder, 'cert.pem');
const key = join(folder, 'key.pem');

/** A certificate for localhost that signs itself; → its file and its key's. */
function certificate(name, days = 30) {
	const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
	execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt',
		'ec_paramgen_curve:P-256', '-nodes', '-keyout', files.key, '-out', files.cert,
		'-days', String(days), '-subj', `/CN=${name}`,
		'-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1'], { stdio: 'pipe' });
	return files;
}

function install(files) {
	copyFileSync(files.cert, cert);
	copyFileSync(files.key, key);
}

const first = certificate('first');
install(first);
const server = new Server({ flags: ['--tls-cert', cert, '--tls-key', key] });
after(async () => {
	await server.stop();
	server.remove();
	rmSync(folder, { recursive: true, force: true });
});
const agent = await server.token('agent', 'builder');
const member = await server.token('member', 'mia');
await server.start();
const url = `https://127.0.0.1:${server.port}`;

/** → {code, status, body}; body is JSON where it can be. */
function curl(path, { token = agent, body, ca = cert, args = [] } = {}) {
	const all = ['-sS', '--max-time', '20', '--cacert', ca, '-w', '\n%{http_code}', ...args,
		'-H', `Authorization: Bearer ${token}`];
	if (body !== undefined) all.push('--json', JSON.stringify(body));
	return new Promise((resolve) => {
		execFile('curl', [...all, path.includes('://') ? path : url + path], (error, stdout, stderr) => {
			const end = stdout.lastIndexOf('\n');
			let json;
			try {
				json = JSON.parse(stdout.slice(0, end));
			} catch {
				json = undefined;
			}
			resolve({ code: error?.code ?? 0, status: Number(stdout.slice(end + 1)), body: json,
				stderr });
		});
	});
}

const ask = async () => (await curl('/v1/asks', { body: { question: 'Deploy?', type: 'boolean' } })).body;
const answer = (id) => curl(`/v1/asks/${id}/answer`, { token: member, body: { answers: { q1: true } } });

/** The name on the certificate that a new connection is shown. */
const shown = () => new Promise((resolve, reject) => {
	const socket = tls.connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false },
		() => {
			resolve(socket.getPeerCertificate().subject.CN);
			socket.destroy();
		});
	socket.on('error', reject);
});

test('it says https where it says where it is', async () => {
	await until(() => server.output.includes(`${url}/`), 'the address');
	const made = await ask();
	assert.equal(made.url, `${url}/asks/${made.id}`);
});

test('an ask is asked, waited for and answered', async () => {
	const made = await ask();
	const heads = join(server.home, 'heads');
	const waiting = curl(`/v1/asks/${made.id}?wait=15`, { args: ['--no-buffer', '--dump-header', heads] });
	await until(() => existsSync(heads) && readFileSync(heads, 'utf8').includes('200'), 'a wait that is held');
	assert.equal((await answer(made.id)).status, 200);
	const { status, body } = await waiting;
	assert.equal(status, 200);
	assert.equal(body.status, 'answered');
});

test('POST with wait is one request', async () => {
	const list = async () => (await curl('/v1/asks?status=pending', { token: member })).body.items;
	const waiting = curl('/v1/asks?wait=15', { body: { question: 'In one go?', type: 'boolean' } });
	const found = await until(async () => (await list()).find((a) => a.questions[0].text === 'In one go?'));
	await answer(found.id);
	const { status, body } = await waiting;
	assert.equal(status, 201);
	assert.equal(body.status, 'answered');
});

test('events stream', async () => {
	const child = spawn('curl', ['-sN', '--max-time', '20', '--cacert', cert, '-H',
		`Authorization: Bearer ${agent}`, '-H', 'Accept: text/event-stream', `${url}/v1/events`]);
	let text = '';
	child.stdout.on('data', (bytes) => { text += bytes; });
	await until(() => text.includes('id: '), 'the stream');
	const made = await ask();
	await until(() => text.includes('event: ask.created') && text.includes(made.id), 'ask.created');
	await answer(made.id);
	await until(() => text.includes('event: ask.answered'), 'ask.answered');
	child.kill();
});

test('the cookie of a login is for https only', async () => {
	const code = await until(() => server.output.match(/login#(\S+)/)?.[1], 'the link');
	const reply = await new Promise((resolve) => {
		execFile('curl', ['-sS', '-i', '--cacert', cert, '--json', JSON.stringify({ code }),
			`${url}/v1/login`], (error, stdout) => resolve(stdout));
	});
	assert.match(reply, /^HTTP\/1\.1 200/);
	assert.match(reply, /Set-Cookie: .*; Secure/i);
});

test('who does not know the certificate does not trust it', async () => {
	const stranger = certificate('stranger');
	assert.equal((await curl('/healthz', { ca: stranger.cert })).code, 60);
});

test('plain HTTP is told to use https', async () => {
	const { status, body } = await curl(`http://127.0.0.1:${server.port}/healthz`);
	assert.equal(status, 400);
	assert.match(body.detail, /https/);
});

test('TLS 1.1 is refused, 1.2 and 1.3 are not', async () => {
	assert.notEqual((await curl('/healthz', { args: ['--tls-max', '1.1', '--tlsv1.0', '--ciphers', 'DEFAULT@SECLEVEL=0'] })).code, 0);
	assert.equal((await curl('/healthz', { args: ['--tls-max', '1.2'] })).status, 200);
	assert.equal((await curl('/healthz', { args: ['--tlsv1.3'] })).status, 200);
});

test('browsers are told to come by TLS only where the URL has a name of its own', async () => {
	assert.doesNotMatch((await curl('/', { args: ['-i'] })).text ?? '', /strict-transport/i);
	const named = new Server({ flags: ['--tls-cert', cert, '--tls-key', key, '--url', 'https://parley.test'] });
	try {
		await named.start();
		const stdout = await new Promise((resolve) => {
			execFile('curl', ['-sSik', '-H', 'Host: parley.test', `https://127.0.0.1:${named.port}/healthz`],
				(error, text) => resolve(text));
		});
		assert.match(stdout, /^Strict-Transport-Security: max-age=31536000\r$/mi);
	} finally {
		await named.end();
	}
});

test('SIGHUP takes a new certificate, for new connections', async () => {
	const old = tls.connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
	let text = '';
	old.on('data', (bytes) => { text += bytes; });
	await new Promise((resolve) => { old.on('secureConnect', resolve); });
	install(certificate('second'));
	server.child.kill('SIGHUP');
	await until(async () => await shown() === 'second', 'the new certificate');
	old.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
	await until(() => text.startsWith('HTTP/1.1 200'), 'the reply on the old connection');
	old.destroy();
});

test('a certificate that is wrong is not taken, and said', async () => {
	const before = await shown();
	writeFileSync(key, 'no key');
	server.child.kill('SIGHUP');
	await until(() => /not reloaded: tls_key is/.test(server.output), 'the complaint');
	assert.equal(await shown(), before);
	assert.equal((await curl('/healthz')).status, 200);
});

test('noise does not disturb it', async () => {
	for (let i = 0; i < 20; i++) {
		await new Promise((resolve) => {
			const socket = net.connect(server.port, '127.0.0.1', () => socket.end(Buffer.alloc(3000, i * 11 + 1)));
			socket.on('error', () => {});
			socket.on('data', () => {});
			socket.on('close', resolve);
		});
	}
	assert.equal((await curl('/healthz')).status, 200);
});

test('SIGTERM ends it with 0', async () => {
	assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

/** `serve` that must not start; → its output. */
async function refused(flags) {
	const other = new Server({ flags });
	other.spawn();
	const { code } = await other.exited;
	other.child = null;
	other.remove();
	assert.ok(code > 0);
	assert.equal(other.output.trim().split('\n').length, 1, other.output);
	return other.output;
}

test('what is wrong stops the start with one line that names it', async () => {
	const one = certificate('one');
	const two = certificate('two');
	assert.match(await refused(['--tls-cert', one.cert]), /tls_cert and tls_key/);
	assert.match(await refused(['--tls-cert', '/nowhere', '--tls-key', one.key]),
		/tls_cert is '\/nowhere': No such file/);
	assert.match(await refused(['--tls-cert', one.cert, '--tls-key', '/nowhere']),
		/tls_key is '\/nowhere': No such file/);
	assert.match(await refused(['--tls-cert', one.cert, '--tls-key', two.key]),
		/tls_key is .* not the key of the certificate/);
	assert.match(await refused(['--tls-cert', one.key, '--tls-key', one.key]),
		/tls_cert is .* no certificate/);
});

test('with TLS it listens beyond loopback; a certificate about to expire is a warning', async () => {
	const soon = certificate('soon', 2);
	const other = new Server({ flags: ['--listen', '0.0.0.0:0', '--tls-cert', soon.cert,
		'--tls-key', soon.key] });
	await other.start();
	assert.match(other.output, /warn.*tls_cert is .* expires/);
	const reply = await curl(`https://127.0.0.1:${other.port}/healthz`, { ca: soon.cert });
	assert.equal(reply.status, 200);
	await other.stop();
	other.remove();
});
