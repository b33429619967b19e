// nginx and Caddy of Debian, set up as docs/GATEWAY.md says, before a server of the test: each request is decided, and
// nothing passes without leave. Caddy is tried where it is installed (script/test --long does that).
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stablePort } from '../lib/ports.mjs';
import { until, useServer } from '../api/lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'gateways-'));
const manual = readFileSync(new URL('../../docs/GATEWAY.md', import.meta.url), 'utf8');
const recipe = (language) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(manual)[1];
const server = await useServer({ keepPort: true });
const { member, admin } = server;
const reached = [];
const app = http.createServer((request, response) => {
	const parts = [];
	request.on('data', (part) => parts.push(part));
	request.on('end', () => {
		reached.push({ method: request.method, url: request.url, body: Buffer.concat(parts).toString(), headers: request.headers });
		response.end('the app');
	});
});
await new Promise((done) => { app.listen(0, '127.0.0.1', done); });
const running = [];
after(() => {
	for (const one of running) one.kill();
	app.closeAllConnections();
	app.close();
	rmSync(folder, { recursive: true, force: true });
});

function nginx(port) {
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
	const set = recipe('nginx').replace('127.0.0.1:7275', `127.0.0.1:${server.port}`).replace('prl_…', server.secrets.agent);
	const file = join(folder, 'nginx.conf');
	writeFileSync(file, `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents { }\nhttp { access_log off; ${temporary}
upstream app { server 127.0.0.1:${app.address().port}; }\nserver { listen 127.0.0.1:${port};\n${set} } }\n`);
	return ['nginx', ['-p', folder, '-c', file]];
}

function caddy(port) {
	const set = recipe('caddyfile').replace('127.0.0.1:7275', `127.0.0.1:${server.port}`).replace('prl_…', server.secrets.agent)
		.replace('app.example.org {', `http://:${port} {\n    bind 127.0.0.1`).replace('app:8080', `127.0.0.1:${app.address().port}`);
	const file = join(folder, 'Caddyfile');
	writeFileSync(file, `{\n    admin off\n    auto_https off\n}\n${set}`);
	return ['caddy', ['run', '--adapter', 'caddyfile', '--config', file]];
}

const installed = (name) => {
	try { return execFileSync('which', [name], { encoding: 'utf8' }).trim(); } catch { return null; }
};

/** → what a client does through it: {status, text} */
async function front(configure) {
	const port = await stablePort();
	const [program, args] = configure(port);
	const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } });
	running.push(child);
	const send = (method, path, { headers = {}, body } = {}) => new Promise((done, reject) => {
		const request = http.request({ port, host: '127.0.0.1', method, path, headers: { host: 'shop.test', ...headers } }, (response) => {
			let text = '';
			response.setEncoding('utf8').on('data', (part) => { text += part; });
			response.on('end', () => done({ status: response.statusCode, text }));
		});
		request.on('error', reject);
		request.end(body);
	});
	await until(() => send('GET', '/ready').then(() => true, () => false), program);
	return { send, stop: () => child.kill() };
}

const asked = (url) => until(async () => (await member.get('/v1/asks?status=pending&limit=200')).body.items.find((one) => one.operation?.arguments.url === url), url);

for (const [name, configure, refused] of [['nginx', nginx, 500], ['caddy', caddy, 502]]) {
	test(`${name}: as the manual sets it up, nothing passes without leave`, { skip: installed(name) ? false : `${name} is not installed` }, async () => {
		const { send, stop } = await front(configure);
		reached.length = 0;
		const url = `http://shop.test/${name}/v1?a=1&b=%2F`;
		const call = () => send('PUT', `/${name}/v1?a=1&b=%2F`, { body: 'gone', headers: { authorization: 'Bearer of-the-client', 'content-type': 'text/plain' } });
		assert.equal((await call()).status, 403);
		const ask = await asked(url);
		assert.deepEqual(ask.operation, { type: 'tool', name: 'http', arguments: { method: 'PUT', url } });
		assert.equal((await call()).status, 403);
		await member.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' });
		assert.deepEqual(await call(), { status: 200, text: 'the app' });
		assert.deepEqual(reached.map((one) => [one.method, one.url, one.body, one.headers.authorization]), [['PUT', `/${name}/v1?a=1&b=%2F`, 'gone', 'Bearer of-the-client']]);
		assert.equal((await call()).status, 403);
		// A rule that allows lets pass what it names, whatever else the client says that it is.
		await admin.post('/v1/rules', { effect: 'allow', match: { tool: [`http(GET http://shop.test/${name}/open/*)`] } });
		assert.equal((await send('GET', `/${name}/open/1`)).status, 200);
		const lies = { 'x-original-uri': `/${name}/open/1`, 'x-original-method': 'GET', 'x-forwarded-uri': `/${name}/open/1`, 'x-forwarded-method': 'GET', 'x-forwarded-host': 'shop.test',
			'x-forwarded-proto': 'http', 'parley-token': server.secrets.agent, 'parley-server': 'x', 'parley-wait': '60', 'parley-session': 'mine' };
		assert.equal((await send('POST', `/${name}/closed`, { headers: lies, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status, 403);
		const { operation } = await asked(`http://shop.test/${name}/closed`);
		assert.deepEqual(operation.arguments, { method: 'POST', url: `http://shop.test/${name}/closed` });
		await admin.post('/v1/rules', { effect: 'deny', match: { tool: [`http(* http://shop.test/${name}/open/never)`] } });
		assert.equal((await send('GET', `/${name}/open/never`)).status, 403);
		assert.equal(reached.length, 2);
		// Without Parley nothing passes.
		await server.signal('SIGTERM');
		assert.equal((await send('GET', `/${name}/open/1`)).status, refused);
		assert.equal(reached.length, 2);
		await server.start();
		assert.equal((await send('GET', `/${name}/open/1`)).status, 200);
		stop();
	});
}

