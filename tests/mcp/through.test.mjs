// The conformance suite before the gateway: what its own server passes alone, it passes through /mcp/NAME and through
// `parley mcp-gateway NAME`, but for what is named here with its reason.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { Server } from '../api/lib/server.mjs';
import { BIN, CURRENT, suite, useServer } from './lib.mjs';

const alone = new Server({ bin: join(dirname(BIN), 'tests/mcp/conformance') });
after(async () => {
	await alone.stop();
	alone.remove();
});
await alone.start();
const desk = await useServer();
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
ok(await desk.admin.post('/v1/mcp-servers', { name: 'conf', url: `${alone.url}/mcp`, trust: true }), 201);
const { server } = ok(await desk.admin.post('/v1/mcp-servers/conf/test', {}));
ok(await desk.admin.post('/v1/mcp-servers/conf/accept', { tools: server.tools.map(({ name, digest }) => ({ name, digest, risk: 'low' })) }));
ok(await desk.admin.post('/v1/rules', { effect: 'allow', match: { tool: ['mcp__conf__*'] } }), 201);

async function listen(handler) {
	const server = http.createServer(handler);
	after(() => { server.closeAllConnections(); server.close(); });
	await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
	return `http://127.0.0.1:${server.address().port}/mcp`;
}

/** The suite has no token: it is added. */
const over_http = await listen((request, response) => {
	const to = http.request({ host: '127.0.0.1', port: desk.port, method: request.method, path: '/mcp/conf',
		headers: { ...request.headers, authorization: `Bearer ${desk.secrets.agent}` } }, (from) => {
		response.writeHead(from.statusCode, from.headers);
		from.pipe(response);
	});
	to.on('error', () => response.destroy());
	response.on('close', () => to.destroy());
	request.pipe(to);
});

/** The suite speaks HTTP only: a program for each session, and for each request since 2026-07-28. */
function bridge() {
	const child = spawn(BIN, ['mcp-gateway', 'conf'], { env: { ...desk.env, PARLEY_URL: desk.url, PARLEY_TOKEN: desk.secrets.agent } });
	const b = { child, open: new Map(), listening: null, last: null };
	child.stdin.on('error', () => {});
	createInterface({ input: child.stdout }).on('line', (line) => {
		const message = JSON.parse(line), reply = message.method === undefined;
		const to = (reply && b.open.get(JSON.stringify(message.id))) || (b.open.size ? [...b.open.values()].at(-1) : b.listening);
		if (!to) return;
		if (!to.headersSent) to.writeHead(200, { 'Content-Type': 'text/event-stream', ...(b.session ? { 'Mcp-Session-Id': b.session } : {}) });
		to.write(`event: message\ndata: ${line}\n\n`);
		if (!reply) return;
		b.open.delete(JSON.stringify(message.id));
		to.end();
		if (!b.session) child.stdin.end();
	});
	after(() => child.kill());
	return b;
}
const sessions = new Map();
const over_stdio = await listen((request, response) => {
	let body = '';
	request.setEncoding('utf8').on('data', (part) => { body += part; });
	request.on('end', () => {
		const had = sessions.get(request.headers['mcp-session-id']);
		if (request.method === 'DELETE') { had?.child.stdin.end(); response.writeHead(had ? 200 : 404).end(); return; }
		if (request.method === 'GET' && had) {
			response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
			had.listening = response;
			return;
		}
		let message = null;
		try { message = JSON.parse(body); } catch { response.writeHead(400).end(); return; }
		const b = had ?? bridge();
		if (message.method === 'initialize') sessions.set(b.session = randomUUID(), b);
		if (message.id !== undefined && message.method) {
			b.open.set(JSON.stringify(message.id), response);
			response.on('close', () => { if (!b.session) b.child.stdin.end(); });
		} else response.writeHead(202).end();
		b.child.stdin.write(`${JSON.stringify(message)}\n`);
	});
});

/* What cannot pass, and why. */
const of_http = 'it is about HTTP itself, which a pipe has not';
const polled = 'of a stream that the server ends early the gateway reads the rest itself, and that of its client goes on';
const cannot = {
	http: { 'server-sse-polling': polled, 'http-custom-header-server-validation': 'the gateway writes Mcp-Param headers itself, from the arguments, and does not compare those of its client' },
	stdio: { 'server-sse-polling': polled, 'dns-rebinding-protection': of_http, 'server-session-lifecycle': of_http, 'server-stateless': of_http, 'tasks-request-headers': of_http,
		'http-header-validation': of_http, 'http-custom-header-server-validation': of_http },
};
const before = new Map();

for (const [way, url] of [['http', over_http], ['stdio', over_stdio]])
	for (const revision of ['2025-11-25', CURRENT])
		test(`${way}, ${revision}: what passes alone passes through the gateway`, async () => {
			if (!before.has(revision)) before.set(revision, (await suite(`${alone.url}/mcp`, revision, alone)).found.filter((s) => s.passed && !s.counts.startsWith('0 passed')).map((s) => s.name));
			const { found, text } = await suite(url, revision, desk);
			const passes = new Set(found.filter((s) => s.passed && !s.counts.startsWith('0 passed')).map((s) => s.name));
			const lost = before.get(revision).filter((name) => !passes.has(name));
			assert.deepEqual(lost.sort(), Object.keys(cannot[way]).filter((name) => before.get(revision).includes(name)).sort(), text);
		});
