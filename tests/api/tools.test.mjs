// Tools of one's own: an address that an agent may call. Gated as any tool, signed as webhooks, once or again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { pointers } from './lib/samples.mjs';
import { random as seeded } from '../lib/random.mjs';
import { sleep, until, useServer } from './lib/server.mjs';

const KEY = 'wk-0123456789-abcdefgh';
const folder = mkdtempSync(join(tmpdir(), 'parley-tools-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/* What the tool's server was asked, and what it answers. */
const asked = [];
let answer = (request, response) => response.end(`sunny in ${request.url}`);
const weather = http.createServer((request, response) => {
	const parts = [];
	request.on('data', (part) => parts.push(part));
	request.on('end', () => {
		const text = Buffer.concat(parts).toString();
		asked.push({ method: request.method, url: request.url, headers: request.headers, text });
		answer(asked.at(-1), response);
	});
});
await new Promise((done) => { weather.listen(0, '127.0.0.1', done); });
const at = `http://127.0.0.1:${weather.address().port}`;
after(() => { weather.closeAllConnections(); weather.close(); });

const scripts = new Map();
const script = (text, reply) => { scripts.set(text, reply); return text; };
const model = await new ScriptModel((request) => {
	const found = [...scripts].find(([text]) => first(request).startsWith(text));
	return found ? found[1](request) : [say('no script')];
}).start();
after(() => model.stop());

writeFileSync(join(folder, 'city.json'), JSON.stringify({ type: 'object', properties: { city: { type: 'string', maxLength: 20 } }, required: ['city'] }));
const CONF = `
[tool filed]
url = ${at}/file/{city}
method = GET
description = The weather, of the file.
schema_file = city.json
header = Authorization: Bearer {key}
  X-Other: yes
key_env = FILED_KEY
risk = low
`;
writeFileSync(join(folder, 'parley.conf'), CONF);
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf'), '--webhook-internal', '127.0.0.0/8'],
	env: { FILED_KEY: `${KEY}-file` }, keepPort: true });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, mode: 'auto', always_confirm_high: true }));
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);

const CITY = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 5 } }, required: ['city'], additionalProperties: false };
const tool = (body) => admin.post('/v1/tools', { url: `${at}/v1/{city}`, description: 'The weather of a city, today.', schema: CITY, ...body });
let n = 0;
/** An agent with this tool, a run of it that makes this call, and what the model is told of it. */
async function called(name, args, more = {}) {
	const agent = `agent${++n}`, message = `Call ${n}.`;
	ok(await admin.post('/v1/agents', { name: agent, provider: 'scripted', model: 'm', tools: [name], on_error: 'fail', ...more }), 201);
	script(message, (q) => (results(q).length ? [say('done')] : [use(name, args)]));
	const session = ok(await member.post('/v1/sessions', { agent, message }), 201);
	return { agent, session: session.id, run: session.run };
}
const ended = (id) => until(async () => {
	const r = ok(await member.get(`/v1/runs/${id}`));
	return ['completed', 'failed', 'cancelled'].includes(r.status) && r;
}, `the end of ${id}`);
const call = async ({ session }) => ok(await member.get(`/v1/sessions/${session}/state`)).tool_calls[0];
const pending = ({ session }) => until(async () => ok(await member.get(`/v1/sessions/${session}`)).pending_asks[0], 'an ask');
const done = async (what) => { await ended(what.run); return call(what); };

test('a tool is made, listed behind the built-in ones, changed by its version, and removed when no agent has it', async () => {
	const made = ok(await tool({ name: 'weather', method: 'GET', headers: { Authorization: 'Bearer {key}' }, key: KEY }), 201);
	assert.match(made.id, /^tol_/);
	assert.deepEqual([made.kind, made.risk, made.class, made.category, made.source, made.version, made.available, made.timeout],
		['http', 'medium', 'repeat', 'tools', 'store', 1, true, '30s']);
	assert.deepEqual(made.key, { set: true, source: 'sealed', from: null, last4: KEY.slice(-4) });
	const { items } = ok(await member.get('/v1/tools?limit=100'));
	assert.deepEqual([items[0].kind, items[0].source, items.find(({ name }) => name === 'filed').source, items.at(-1).name], ['built_in', null, 'file', 'weather']);
	assert.equal(ok(await admin.get('/v1/tools/weather')).id, made.id);
	assert.equal((await admin.patch('/v1/tools/weather', { version: 9, risk: 'high' })).status, 409);
	const changed = ok(await admin.patch(`/v1/tools/${made.id}`, { version: 1, risk: 'low' }));
	assert.deepEqual([changed.risk, changed.version, changed.key.set], ['low', 2, true]);
	assert.equal(ok(await admin.patch('/v1/tools/weather', { version: 2, url: `${at}/v2/{city}` })).key.set, false, 'a key is for one address');
	ok(await admin.patch('/v1/tools/weather', { version: 3, url: `${at}/v1/{city}`, key: KEY }));
	assert.equal((await tool({ name: 'weather' })).status, 409);
	assert.equal((await admin.patch('/v1/tools/filed', { version: 0, risk: 'low' })).body.type, '/problems/read-only');
	assert.equal((await admin.delete('/v1/tools/filed')).status, 409);
	assert.equal((await member.post('/v1/tools', { name: 'x', url: at, description: 'x' })).status, 403);
	ok(await tool({ name: 'gone' }), 201);
	ok(await admin.post('/v1/agents', { name: 'user', provider: 'scripted', model: 'm', tools: ['gone'] }), 201);
	assert.equal((await admin.delete('/v1/tools/gone')).status, 409);
	ok(await admin.delete('/v1/agents/user'), 204);
	ok(await admin.delete('/v1/tools/gone'), 204);
	assert.deepEqual(pointers(await admin.post('/v1/agents', { name: 'user', provider: 'scripted', model: 'm', tools: ['gone'] })), ['/tools/0']);
});

test('what cannot be kept is refused where it stands', async () => {
	for (const [body, pointer] of [[{ name: 'Weather' }, '/name'], [{ name: 'memory' }, '/name'], [{ name: 'report' }, '/name'],
		[{ url: `${at}/{town}` }, '/url'], [{ url: `${at}/{city` }, '/url'], [{ url: 'http://{city}.example.org/' }, '/url'], [{ url: 'https://a.org/#x' }, '/url'],
		[{ url: 'https://10.0.0.1/' }, '/url'], [{ url: 'ftp://example.org/' }, '/url'],
		[{ schema: { type: 'object', if: {} } }, '/schema/if'], [{ schema: { type: 'array' } }, '/schema/type'], [{ schema: { type: 'object', properties: { a: { type: 'text' } } } }, '/schema/properties/a/type'],
		[{ headers: { Host: 'x' } }, '/headers/Host'], [{ headers: { 'Parley-Run': 'x' } }, '/headers/Parley-Run'], [{ headers: { 'X-A': 'a\r\nX-B: c' } }, '/headers/X-A'],
		[{ method: 'TRACE' }, '/method'], [{ class: 'store' }, '/class'], [{ risk: 'none' }, '/risk'], [{ timeout: '11m' }, '/timeout'], [{ command: 'rm' }, '/command'], [{ retries: 3 }, '/retries']]) {
		const reply = await tool({ name: 'refused', ...body });
		assert.deepEqual([reply.status, pointers(reply)], [422, [pointer]], `${JSON.stringify(body)}: ${reply.text}`);
	}
});

test('a call is a request: address, query or body, headers, a signature; its result goes to the model', async () => {
	const made = await called('weather', { city: 'Aix/../é ?', days: 2 });
	const c = await done(made);
	const got = asked.at(-1);
	assert.deepEqual([got.method, got.url, got.text], ['GET', '/v1/Aix%2F..%2F%C3%A9%20%3F?days=2', '']);
	assert.deepEqual([c.status, c.result, c.class, c.risk, c.attempts], ['done', `sunny in ${got.url}`, 'repeat', 'low', 1]);
	const h = got.headers;
	assert.deepEqual([h.authorization, h['idempotency-key'], h['parley-call'], h['parley-run'], h['parley-session'], h['parley-agent']],
		[`Bearer ${KEY}`, c.id, c.id, made.run, made.session, made.agent]);
	const secret = ok(await admin.post('/v1/webhook-secret')).secret;
	ok(await tool({ name: 'report_it', url: `${at}/in/{city}?x=1`, class: 'once', headers: null }), 201);
	const other = await done(await called('report_it', { city: 'Lyon', days: 3 }));
	const posted = asked.at(-1);
	assert.deepEqual([posted.method, posted.url, JSON.parse(posted.text), other.class], ['POST', '/in/Lyon?x=1', { days: 3 }, 'once']);
	new Webhook(secret).verify(posted.text, posted.headers);
	assert.throws(() => new Webhook(secret).verify(`${posted.text} `, posted.headers));
	const wrong = await done(await called('weather', { city: 'Lyon', days: 9 }));
	assert.deepEqual([wrong.status, wrong.error], ['failed', '/days must be 1 to 5']);
	const before = asked.length;
	assert.match((await done(await called('weather', { city: '..' }))).error, /lead out/);
	assert.equal(asked.length, before);
});

test('what is approved is what is sent: the digest of the operation, edited or not', async () => {
	ok(await tool({ name: 'risky', url: `${at}/risky`, risk: 'high' }), 201);
	const one = await called('risky', { city: 'Nice' });
	const ask = await pending(one);
	const { operation } = ok(await member.get(`/v1/asks/${ask.id}`));
	assert.deepEqual(operation, { type: 'tool', name: 'risky', arguments: { city: 'Nice' }, risk: 'high', schema: CITY });
	const asked_ = { kind: 'approval', session: one.session, operation };
	assert.deepEqual(pointers(await member.post('/v1/asks', asked_)), ['/operation/schema'], 'only runs say it');
	const reply = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { city: 'Nice', days: 8 } } } });
	assert.deepEqual([reply.status, pointers(reply)], [422, ['/answers/decision/arguments/days']]);
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { city: 'Nice', days: 3 } } } }));
	await ended(one.run);
	const answered = ok(await member.get(`/v1/asks/${ask.id}`));
	assert.deepEqual([JSON.parse(asked.at(-1).text), asked.at(-1).headers['parley-digest']], [{ city: 'Nice', days: 3 }, answered.approved_digest]);
	assert.ok(answered.approved_digest !== ask.digest);
	const two = await called('risky', { city: 'Nice' });
	const second = await pending(two);
	ok(await member.post(`/v1/asks/${second.id}/answer`, { answers: { decision: { value: 'approve' } } }));
	await ended(two.run);
	assert.equal(asked.at(-1).headers['parley-digest'], second.digest);
	const before = asked.length, three = await called('risky', { city: 'Nice' });
	ok(await member.post(`/v1/asks/${(await pending(three)).id}/answer`, { answers: { decision: { value: 'reject' } } }));
	await ended(three.run);
	assert.equal(asked.length, before);
});

test('repeat is tried three times, once is not; what remains is an error with the status and the body', async () => {
	ok(await tool({ name: 'again', class: 'repeat' }), 201);
	ok(await tool({ name: 'only' }), 201);
	answer = (request, response) => response.writeHead(503, { 'retry-after': '0' }).end('full'.repeat(1000));
	let before = asked.length;
	let c = await done(await called('again', { city: 'a' }));
	assert.deepEqual([c.status, c.error.slice(0, 14), c.error.length < 2100, asked.length - before], ['failed', 'HTTP 503: full', true, 3]);
	assert.equal(new Set(asked.slice(before).map(({ headers }) => headers['idempotency-key'])).size, 1);
	before = asked.length;
	c = await done(await called('only', { city: 'a' }));
	assert.deepEqual([c.status, asked.length - before], ['failed', 1]);
	let times = 0;
	answer = (request, response) => (++times < 3 ? response.writeHead(429, { 'retry-after': '0' }).end() : response.end('at last'));
	assert.equal((await done(await called('again', { city: 'a' }))).result, 'at last');
	answer = (request, response) => response.writeHead(302, { location: `${at}/elsewhere` }).end();
	before = asked.length;
	c = await done(await called('again', { city: 'a' }));
	assert.deepEqual([c.error, asked.length - before], ['HTTP 302: it redirects, and redirects are not followed', 1]);
	answer = (request, response) => response.writeHead(404).end('no such city');
	assert.equal((await done(await called('again', { city: 'a' }))).error, 'HTTP 404: no such city');
});

test('results are bounded, and text', async () => {
	answer = (request, response) => response.end('é'.repeat(1 << 20));
	const { result, status } = await done(await called('again', { city: 'a' }));
	assert.equal(status, 'done');
	assert.ok(Buffer.byteLength(result) <= 1 << 20 && result.endsWith('[cut: a result has 1 MiB at most]'));
	answer = (request, response) => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.from([0xff, 0xfe, 1]));
	assert.equal((await done(await called('again', { city: 'a' }))).error, 'the result is no text but application/octet-stream, 3 bytes');
	answer = (request, response) => response.end(`the key is ${KEY}, really`);
	assert.equal((await done(await called('again', { city: 'a' }))).result, `the key is [secret …${KEY.slice(-4)}], really`);
});

test('once without an answer in its time is interrupted: a person decides', async () => {
	ok(await tool({ name: 'slow', timeout: '1s' }), 201);
	answer = () => {};
	const before = asked.length, made = await called('slow', { city: 'a' });
	const ask = await pending(made);
	assert.deepEqual([ask.kind, ask.title, (await call(made)).status], ['error_recovery', 'slow was interrupted', 'interrupted']);
	assert.match(ask.context.text, /^No answer came during this operation, which began at /);
	answer = (request, response) => response.end('second');
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { recovery: { selected: ['retry'] } } }));
	assert.deepEqual([(await done(made)).result, asked.length - before], ['second', 2]);
	answer = (request, response) => response.socket.destroy();
	const cut = await called('only', { city: 'a' });
	ok(await member.post(`/v1/asks/${(await pending(cut)).id}/answer`, { answers: { recovery: { selected: ['skip'], text: 'it rained' } } }));
	assert.equal((await done(cut)).result, 'it rained');
});

const bring = (request, body, token = request.headers['parley-callback']) => fetch(`${server.url}/v1/in/tool-calls/${request.headers['parley-call']}`,
	{ method: 'POST', headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }, body: JSON.stringify(body) });
const waiting = (made) => until(async () => {
	const r = ok(await member.get(`/v1/runs/${made.run}`));
	return r.status === 'waiting' && r;
}, 'a run that waits');

test('a result that comes later: the run waits as a row, over a crash; it counts once, with its token', async () => {
	ok(await tool({ name: 'later', url: `${at}/later`, later: '7d' }), 201);
	assert.equal(ok(await admin.get('/v1/tools/later')).later, '7d');
	assert.deepEqual(pointers(await tool({ name: 'refused', later: '91d' })), ['/later']);
	answer = (request, response) => response.writeHead(202, { 'parley-later': '1' }).end('accepted');
	const made = await called('later', { city: 'a' }), run = await waiting(made), c = await call(made), request = asked.at(-1);
	const other = await called('only', { city: 'b' });
	assert.deepEqual(run.waits_for.map(({ type, id }) => [type, id]), [['call', c.id]]);
	assert.ok(Math.abs(Date.parse(run.waits_for[0].until) - Date.now() - 7 * 86_400_000) < 60_000);
	assert.ok(Math.abs(Date.parse((await waiting(other)).waits_for[0].until) - Date.now() - 86_400_000) < 60_000);
	const second = asked.at(-1);
	assert.equal(c.status, 'waiting');
	assert.equal((await member.post(`/v1/runs/${made.run}/retry`, {})).status, 409);
	await server.crash();
	assert.deepEqual((await waiting(made)).waits_for, run.waits_for);
	for (const token of ['', 'x', second.headers['parley-callback'], 'pcb_1_00']) assert.equal((await bring(request, { result: 'no' }, token)).status, 401);
	for (const body of [{}, { result: 'a', error: 'b' }, { error: 1 }, { results: 'a' }]) assert.equal((await bring(request, body)).status, 422, JSON.stringify(body));
	const replies = await Promise.all([bring(request, { result: `sent with ${KEY}` }), bring(request, { result: 'twice' })]);
	assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
	assert.deepEqual([(await done(made)).status, (await bring(request, { result: 'again' })).status], ['done', 409]);
	assert.ok(!(await call(made)).result.includes(KEY));
	assert.deepEqual(await (await bring(second, { error: 'no room' })).json(), { id: (await call(other)).id, status: 'failed' });
	assert.equal((await done(other)).error, 'no room');
});

test('a result may come before it is announced, and after a person was asked; one that never comes is over in its time', async () => {
	answer = async (request, response) => {
		assert.equal((await bring(request, { result: { n: 1 } })).status, 200);
		response.writeHead(202, { 'parley-later': '1' }).end();
	};
	assert.equal((await done(await called('later', { city: 'a' }))).result, '{"n":1}');
	ok(await tool({ name: 'brief', url: `${at}/brief`, later: '1s' }), 201);
	ok(await tool({ name: 'brief_again', url: `${at}/brief`, later: '1s', class: 'repeat' }), 201);
	answer = (request, response) => response.writeHead(202, { 'parley-later': '1' }).end();
	const made = await called('brief', { city: 'a' }), request = await until(() => asked.at(-1).url === '/brief' && asked.at(-1), 'the request');
	const ask = await pending(made);
	assert.deepEqual([ask.kind, (await call(made)).status], ['error_recovery', 'interrupted']);
	assert.equal((await bring(request, { result: 'at last' })).status, 200);
	assert.deepEqual([(await done(made)).result, ok(await member.get(`/v1/asks/${ask.id}`)).status], ['at last', 'cancelled']);
	const moved = ok(await member.get(`/v1/events?format=json&after=0&session=${ask.session}&types=session.status`)).items.map(({ data }) => data);
	assert.deepEqual(moved.map(({ status }) => status).slice(0, 3), ['running', 'waiting_for_input', 'running']);
	assert.ok(moved.every(({ was }, i) => !i || was === moved[i - 1].status), JSON.stringify(moved));
	assert.equal((await done(await called('brief_again', { city: 'a' }))).error, 'no result came in its time');
	const cancelled = await called('later', { city: 'a' });
	await waiting(cancelled);
	const last = asked.at(-1);
	ok(await member.post(`/v1/runs/${cancelled.run}/cancel`, {}));
	assert.equal((await bring(last, { result: 'too late' })).status, 409);
	let reply = { status: 0 };
	for (let i = 0; i < 62 && reply.status !== 429; i++) reply = await bring(last, { result: 'x' }, 'guess');
	assert.deepEqual([reply.status, Number(reply.headers.get('retry-after')) > 0], [429, true]);
});

test('a cancel ends the call at once', async () => {
	let closed;
	const gone = new Promise((resolve) => { closed = resolve; });
	answer = (request, response) => response.socket.on('close', closed);
	const before = asked.length, made = await called('only', { city: 'a' });
	await until(() => asked.length > before, 'the request');
	ok(await member.post(`/v1/runs/${made.run}/cancel`, {}));
	await gone;
	assert.equal((await done(made)).status, 'cancelled');
});

test('a tool of the file has its key from there, and SIGHUP changes it; a wrong one is named by its line', async () => {
	answer = (request, response) => response.end('ok');
	assert.equal((await done(await called('filed', { city: 'b' }))).result, 'ok');
	assert.deepEqual([asked.at(-1).url, asked.at(-1).headers.authorization, asked.at(-1).headers['x-other']], ['/file/b', `Bearer ${KEY}-file`, 'yes']);
	writeFileSync(join(folder, 'parley.conf'), CONF.replace('risk = low', 'risk = critical'));
	server.child.kill('SIGHUP');
	await until(async () => ok(await admin.get('/v1/tools/filed')).risk === 'critical', 'the reload');
	for (const [line, at_] of [['risk = low', 'risk = huge'], ['method = GET', 'method = LOOK'], ['header = Authorization', 'header = Host']]) {
		writeFileSync(join(folder, 'wrong.conf'), CONF.replace(line, at_));
		const said = await server.run(['serve', '--config', join(folder, 'wrong.conf'), '--data', join(folder, 'other')]);
		const number = CONF.split('\n').findIndex((l) => l.startsWith(line)) + 1;
		assert.ok(said.code !== 0 && said.stderr.includes(`wrong.conf:${number}`), said.stderr);
	}
});

test('a tool is tried: really called, by admins', async () => {
	answer = (request, response) => response.end('tried');
	const tried = ok(await admin.post('/v1/tools/weather/test', { arguments: { city: 'x' } }));
	assert.deepEqual([tried.ok, tried.status, tried.result, asked.at(-1).url], [true, 200, 'tried', '/v1/x']);
	assert.deepEqual(pointers(await admin.post('/v1/tools/weather/test', { arguments: {} })), ['/arguments/city']);
	assert.equal((await member.post('/v1/tools/weather/test', { arguments: { city: 'x' } })).status, 403);
	assert.equal((await admin.post('/v1/tools/none/test', { arguments: {} })).status, 404);
	answer = (request, response) => response.writeHead(500).end('broken');
	assert.deepEqual({ ...ok(await admin.post('/v1/tools/only/test', { arguments: { city: 'x' } })), duration_ms: 0 }, { ok: false, status: 500, result: 'HTTP 500: broken', duration_ms: 0 });
});

test('the server, the schema and the section of docs/TOOLS.md work as they stand', async () => {
	const page = readFileSync(new URL('../../docs/TOOLS.md', import.meta.url), 'utf8');
	const block = (kind) => page.match(new RegExp(`\`\`\`${kind}\\n([^]*?)\`\`\``))[1];
	const probe = net.createServer().listen(0, '127.0.0.1');
	await once(probe, 'listening');
	const { port } = probe.address();
	probe.close();
	writeFileSync(join(folder, 'weather.py'), block('python'));
	writeFileSync(join(folder, 'weather.json'), block('json'));
	writeFileSync(join(folder, 'parley.conf'), CONF + block('ini').split('[agent')[0].replace('8099', port));
	const child = spawn('python3', [join(folder, 'weather.py'), String(port)], { stdio: 'ignore' });
	try {
		server.child.kill('SIGHUP');
		await until(async () => (await admin.get('/v1/tools/weather')).body.source === 'file', 'the reload');
		const told = await until(async () => {
			const reply = await server.run(['tool', 'test', 'weather', '{"city": "Lyon"}', '--data', server.data]);
			return reply.code === 0 && reply;
		}, 'the server of the page');
		assert.deepEqual(JSON.parse(told.stdout), { city: 'Lyon', sky: 'clear', days: 1 });
		assert.match((await server.run(['tool', 'list', '--data', server.data])).stdout, /weather/);
		assert.equal((await done(await called('weather', { city: 'Brest', days: 2 }))).result, '{"city": "Brest", "sky": "clear", "days": 2}');
	} finally {
		child.kill();
	}
});

test('the tool of docs/TOOLS.md whose result comes later works as it stands', async () => {
	const page = readFileSync(new URL('../../docs/TOOLS.md', import.meta.url), 'utf8');
	writeFileSync(join(folder, 'build.py'), page.match(/```python later\n([^]*?)```/)[1]);
	const probe = net.createServer().listen(0, '127.0.0.1');
	await once(probe, 'listening');
	const { port } = probe.address();
	probe.close();
	const child = spawn('python3', [join(folder, 'build.py'), String(port), new URL(server.url).port], { stdio: 'ignore' });
	try {
		ok(await tool({ name: 'build', url: `http://127.0.0.1:${port}/`, schema: null }), 201);
		await until(() => fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false), 'the server of the page');
		assert.equal((await done(await called('build', { version: '1.2' }))).result, '{"built":"1.2"}');
	} finally {
		child.kill();
	}
});

const CALLS = process.env.PARLEY_LONG === '1' ? 2000 : 20, KILLS = process.env.PARLEY_LONG === '1' ? 2000 : 4;
test(`${CALLS} calls of class once, the server killed ${KILLS} times: none is made twice`, { timeout: 3_600_000 }, async (t) => {
	const before = asked.length, random = seeded(11), open = new Set();
	answer = (request, response) => setTimeout(() => response.end('counted'), random(30));
	ok(await admin.post('/v1/agents', { name: 'counter', provider: 'scripted', model: 'm', tools: ['only'], on_error: 'fail' }), 201);
	script('Count', (q) => (results(q).length ? [say('done')] : [use('only', { city: 'x' })]));
	for (let kill = 0; kill < KILLS; kill++) {
		for (let i = 0; i < CALLS / KILLS; i++) open.add(ok(await member.post('/v1/sessions', { agent: 'counter', message: `Count ${kill} ${i}` }), 201).id);
		await sleep(random(80));
		await server.crash();
	}
	let skipped = 0;
	await until(async () => {
		for (const id of open) {
			const session = ok(await member.get(`/v1/sessions/${id}`));
			for (const ask of session.pending_asks) {
				ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { recovery: { selected: ['skip'], text: 'unknown' } } }));
				skipped++;
			}
			if (session.status === 'completed') open.delete(id);
		}
		return open.size === 0;
	}, 'the end of all', 600_000);
	const made = new Map();
	for (const { headers } of asked.slice(before)) made.set(headers['idempotency-key'], (made.get(headers['idempotency-key']) ?? 0) + 1);
	t.diagnostic(`${made.size} called, ${skipped} of them without an outcome`);
	assert.deepEqual([...made].filter(([, times]) => times > 1), []);
});

test('keys are nowhere: not in replies, events, logs, or files of the store', async () => {
	const texts = [];
	for (const path of ['/v1/tools?limit=100', '/v1/tools/weather', '/v1/events?format=json&after=0&limit=200&types=tool.changed', '/metrics'])
		texts.push((await admin.get(path, { check: false })).text);
	assert.ok(texts[2].includes('"key_changed":true'));
	texts.push(server.output, server.stderr);
	const look = (at_) => readdirSync(at_).forEach((name) => {
		const path = join(at_, name);
		if (statSync(path).isDirectory()) look(path);
		else if (statSync(path).isFile()) texts.push(readFileSync(path, 'latin1'));
	});
	look(server.data);
	assert.deepEqual(texts.filter((text) => text.includes(KEY)), []);
	await until(async () => (await server.run(['check', '--data', server.data])).code === 0, 'a sound store');
});
