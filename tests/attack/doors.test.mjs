// Attacks at the doors: logins, links, cookies, foreign origins, frames, slow and malformed senders, static files; MCP, templates,
// secrets at rest, rates.
import assert from 'node:assert/strict';
import net from 'node:net';
import { LegacyClient, StatelessClient, question } from '../api/lib/mcp.mjs';
import { raw, requestText } from '../api/lib/raw.mjs';
import { approval } from '../api/lib/samples.mjs';
import { useServer } from '../api/lib/server.mjs';
import { stored } from '../lib/stored.mjs';
import { attacks, refused, without } from './lib/attacks.mjs';

const PASSWORD = 'correct horse battery';
const KEY = 'sk-secret-0123456789abcdef';
const server = await useServer({ flags: ['--ask-rate', '0'] });
const RATE = 20; // a minute
const strict = await useServer({ flags: ['--ask-rate', '1'] });
const limited = await useServer({ flags: ['--ask-rate', String(RATE)] });
const { admin, agent, stranger, nobody } = server;
const ask = await agent.ask(approval());
const user = (await admin.post('/v1/users', { name: 'zoe', role: 'member', password: PASSWORD })).body;
const linkOf = async () => (await admin.patch(`/v1/users/${user.id}`, { login: true })).body.login.split('#')[1];
const login = (body, headers = {}) => nobody.post('/v1/login', body, { headers, check: false });
const cookieOf = (reply) => (reply.headers['set-cookie']?.[0] ?? '').split(';')[0];
const cookie = cookieOf(await login({ code: await linkOf() }));
assert.ok(cookie, 'a login');
const used = await linkOf();
await login({ code: used });
await admin.post('/v1/providers', { name: 'keyed', kind: 'openai', url: 'http://127.0.0.1:9/v1', key: KEY });
await admin.put('/v1/templates/deploy', { ask: { kind: 'approval', title: 'Deploy {{what}}', operation: { type: 'tool', name: 'deploy', arguments: { what: '{{what}}' } } }, values: { what: {} } });
const files = (await nobody.get('/login', { check: false })).text.match(/\/assets\/[\w.-]+/g) ?? [];
const mcp = await new LegacyClient(server, server.secrets.agent).open();
const pending = async () => assert.equal((await admin.get(`/v1/asks/${ask.id}`)).body.status, 'pending');

/* ---- logins, links and cookies ---- */

const other = (a, text) => {
	const at = a.below(text.length), letter = 'abcdefghjkmnpqrstvwxyz0123456789'[a.below(32)];
	return text[at] === letter ? `${text}x` : text.slice(0, at) + letter + text.slice(at + 1);
};
attacks('logins, links and cookies', { small: 12, long: 1000 }, async (a) => {
	await a.all((i) => {
		const [what, body, headers = {}] = a.pick([
			() => ['a used link', { code: used }], () => ['a guessed link', { code: other(a, used) }], () => ['a cut link', { code: used.slice(0, a.below(used.length)) }],
			() => ['an odd link', { code: a.pick(['', null, 0, [], {}, '\u0000', "' OR 1=1", used.toUpperCase(), ` ${used}`, 'x'.repeat(5000)]) }],
			() => ['a guessed password', { name: `nobody${i}`, password: a.pick(['', PASSWORD, 'password', 'x'.repeat(2000)]) }],
			() => ['a password as another type', { name: a.pick(['zoe', 'ada']), password: a.pick([null, true, [], {}, 0, [PASSWORD]]) }],
			() => ['a name that is not hers', { name: a.pick(['zoe ', 'ZOE\u200b', 'zоe', 'zoe\u0000', '%', '*', user.id]), password: PASSWORD }],
			() => ['both', { code: other(a, used), name: 'zoe', password: 'wrong' }], () => ['from another site', { code: used }, { origin: 'https://evil.example' }],
			() => ['no body', a.pick(['', '[]', 'null', '{', '"x"'])],
		])();
		return [`${what} ${JSON.stringify(body)}`, async () => {
			const reply = await login(body, headers);
			refused(reply);
			assert.ok(!cookieOf(reply), 'a cookie');
		}];
	}, Math.ceil(a.want / 2));
	await a.all(() => {
		const value = cookie.split('=')[1], name = cookie.split('=')[0];
		const line = a.pick([`${name}=${other(a, value)}`, `${name}=${value.slice(0, a.below(value.length))}`, `x${name}=${value}`, `${name}x=${value}`, `${name}=`, `${name}="${other(a, value)}"`,
			`${name}=x; ${name}=${other(a, value)}`, `${name}=${encodeURIComponent(`${value}\u0000`)}`, `${name}=${value}${value}`]);
		return [line, async () => refused(await nobody.get('/v1/me', { headers: { cookie: line }, check: false }))];
	}, Math.floor(a.want / 2));
});

/* ---- other sites ---- */

const SITES = ['https://evil.example', 'http://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://127.0.0.1:1', 'https://127.0.0.1', 'file://', 'chrome-extension://x', 'http://[::1]:1',
	'http://user@127.0.0.1', 'http://evil.example#127.0.0.1', 'HTTP://EVIL.EXAMPLE', 'data:text/html,x', 'http://169.254.169.254'];
const HOSTS = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:80', 'evil.example#127.0.0.1', 'parley', '', 'localhost@evil.example', 'xn--e1awd7f.com', '127.0.0.1:x'];
const WRITES = [['POST', `/v1/asks/${ask.id}/answer`, { answer: 'approve' }], ['POST', '/v1/asks/settle-many', { asks: [{ id: ask.id, digest: ask.digest }], answer: 'approve' }], ['PATCH', `/v1/users/${user.id}`, { name: 'evil' }],
	['POST', '/v1/logout', {}], ['PUT', '/v1/me/views', []], ['DELETE', '/v1/me/logins'], ['POST', `/v1/asks/${ask.id}/claim`, {}], ['POST', `/v1/asks/${ask.id}/skip`, {}]];
attacks('other sites: Origin, Host, forms', { small: 15, long: 1500 }, async (a) => {
	await a.all(() => {
		const [method, path, body] = a.pick(WRITES);
		const [headers, type] = a.pick([() => [{ origin: a.pick(SITES) }], () => [{ 'sec-fetch-site': 'cross-site' }], () => [{ host: a.pick(HOSTS), origin: `http://${a.pick(HOSTS)}` }],
			() => [{ origin: a.pick(SITES), 'sec-fetch-site': 'same-origin' }], () => [{ 'sec-fetch-site': 'same-site', origin: a.pick(SITES) }],
			() => [{ origin: a.pick(SITES) }, a.pick(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain; application/json'])]])();
		return [`${method} ${path} ${JSON.stringify(headers)} ${type ?? ''}`, async () => {
			const reply = await nobody.request(method, path, { body, type, headers: { cookie, ...headers }, check: false });
			assert.ok([400, 403, 415, 421].includes(reply.status), `${reply.status} ${reply.text.slice(0, 200)}`);
			assert.ok(!reply.headers['access-control-allow-origin']);
		}];
	});
	await pending();
	assert.equal((await nobody.get('/v1/me', { headers: { cookie } })).status, 200, 'still logged in');
});
attacks('frames and what a page may load', { small: 6, long: 200 }, async (a) => {
	const paths = ['/', '/inbox', '/login', `/asks/${ask.id}`, '/settings', '/history', '/nowhere', '/v1/me', '/openapi.json', '/sw.js', '/%2e%2e/', '/asks/%3Cscript%3E', '/settings/x', '/v1/nothing'];
	await a.all((i) => {
		const path = `${paths[i % paths.length]}${a.pick(['', '?x=<script>alert(1)</script>', '?next=https://evil.example', '#x'].slice(0, 3))}`;
		return [path, async () => {
			const { headers, text } = await nobody.get(path, { check: false });
			if (/html/.test(headers['content-type'])) assert.match(`${headers['content-security-policy'] ?? ''} ${headers['x-frame-options'] ?? ''}`, /frame-ancestors 'none'|DENY/);
			assert.equal(headers['x-content-type-options'], 'nosniff');
			assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe-inline.*script|script-src[^;]*unsafe/);
			assert.ok(!text.includes('<script>alert(1)'), 'reflected');
			assert.ok(!headers.location, 'sent on');
		}];
	});
});

/* ---- static files, odd requests ---- */

const CLIMBS = ['../', '..%2f', '%2e%2e/', '..\\', '%2e%2e%2f', '....//', '..;/', '%252e%252e/', '.%00./', '%c0%ae%c0%ae/'];
attacks('static files, malformed requests and smuggling', { small: 12, long: 900 }, async (a) => {
	const auth = `Authorization: Bearer ${server.secrets.stranger}`;
	await a.all(() => {
		const climb = Array.from({ length: 1 + a.below(6) }, () => a.pick(CLIMBS)).join('');
		const [what, text] = a.pick([
			() => ['a climb', requestText(server, 'GET', `/assets/${climb}${a.pick(['etc/passwd', 'parley.db', 'server.json', 'parley.sock'])}`, ['Connection: close'])],
			() => ['beside a file', requestText(server, 'GET', `${a.pick(files.length ? files : ['/icon.svg'])}${a.pick(['%00.html', '/../../parley.db', '~', '.map'])}`, ['Connection: close'])],
			() => ['two lengths', requestText(server, 'POST', '/v1/asks', [auth, 'Content-Length: 5', 'Content-Length: 50', 'Connection: close'], '{"a"}')],
			() => ['a length and chunks', requestText(server, 'POST', '/v1/asks', [auth, 'Content-Length: 5', 'Transfer-Encoding: chunked', 'Connection: close'], '0\r\n\r\nGET /v1/me HTTP/1.1\r\n\r\n')],
			() => ['an odd encoding', requestText(server, 'POST', '/v1/asks', [auth, `Transfer-Encoding: ${a.pick(['xchunked', 'chunked, identity', 'gzip', ' chunked', 'chunked;x'])}`, 'Connection: close'], '0\r\n\r\n')],
			() => ['a line in a header', requestText(server, 'GET', '/v1/me', [`X: a\nAuthorization: Bearer ${server.secrets.admin.slice(0, -1)}`, 'Connection: close'])],
			() => ['a folded header', requestText(server, 'GET', '/v1/me', [`Authorization: Bearer\r\n ${server.secrets.admin.slice(0, -1)}`, 'Connection: close'])],
			() => ['two tokens', requestText(server, 'GET', '/v1/users', [auth, `Authorization: Bearer ${server.secrets.admin.slice(0, -1)}x`, 'Connection: close'])],
			() => ['another method', requestText(server, a.pick(['TRACE', 'CONNECT', 'PROPFIND', 'get', 'POST ']), '/v1/users', [auth, 'X-HTTP-Method-Override: GET', 'Connection: close'])],
			() => ['a path that hides', requestText(server, 'GET', a.pick(['//v1/users', '/v1//users', '/V1/users', '/v1/users/', '/v1/users%2f', '/v1/./users', '/assets/../v1/users', '/login/..;/v1/users', '/v1/users?/healthz', '/healthz/../v1/users']),
				[auth, 'Connection: close'])],
			() => ['too much of a header', requestText(server, 'GET', '/v1/users', [`X: ${'x'.repeat(40_000 + a.below(60_000))}`, 'Connection: close'])],
			() => ['no HTTP', `${a.pick(['\x16\x03\x01\x02\x00', 'SSH-2.0-x\r\n', 'EHLO x\r\n', 'GET /v1/users\r\n', '\0\0\0\0'])}Connection: close\r\n\r\n`],
		])();
		return [`${what}: ${JSON.stringify(text.slice(0, 200))}`, async () => {
			const reply = await raw(server, text, { ms: 400 });
			assert.ok(Number.isNaN(reply.status) || reply.status >= 400 || /^\s*<!doctype html/i.test(reply.body), `${reply.status} ${reply.body.slice(0, 100)}`);
			for (const secret of ['root:x:', 'SQLite format', '"role"', 'usr_']) assert.ok(!reply.text.includes(secret), `it shows ${secret}`);
		}];
	});
	await pending();
});
attacks('slow senders keep nobody out', { small: 4, long: 150 }, async (a) => {
	const sockets = Array.from({ length: a.want }, () => net.connect(server.port, '127.0.0.1').on('error', () => undefined));
	sockets.forEach((socket, i) => socket.write(['G', 'POST /v1/asks HTTP/1.1\r\nContent-Length: 9999\r\n', `GET / HTTP/1.1\r\nHost: ${server.address}\r\nX: `, ''][i % 4]));
	for (let i = 0; i < a.want; i++) {
		await a.one(`beside ${a.want} slow senders`, async () => {
			const from = Date.now();
			assert.equal((await agent.get('/v1/asks?limit=1')).status, 200);
			assert.ok(Date.now() - from < 5000);
		});
	}
	for (const socket of sockets) socket.destroy();
});

/* ---- MCP, templates, secrets, rates ---- */

const strangers = server.secrets.stranger;
attacks('MCP: other sessions, forged methods, settling', { small: 10, long: 800 }, async (a) => {
	const METHODS = ['asks/answer', 'tools/call', 'tasks/get', 'tasks/cancel', 'tasks/update', 'resources/read', 'completion/complete', 'logging/setLevel', 'initialize', 'roots/list', '__proto__', '', 'rpc.x', 'notifications/cancelled'];
	const TOOLS = ['answer', 'approve', 'settle', 'parley_answer', 'ask_user_question\u0000', '../answer', 'token_create', 'revoke', 'constructor'];
	await a.all((i) => {
		const method = a.pick(METHODS), params = a.pick([{}, { name: a.pick(TOOLS), arguments: { ask: ask.id, id: ask.id, decision: 'approve', answer: 'approve' } }, { taskId: ask.id }, { uri: a.pick([`parley://asks/${ask.id}`, 'file:///etc/passwd']) },
			{ requestId: 1, ask: ask.id }, { elicitation: { action: 'accept', content: { decision: 'approve' } } }]);
		const token = a.pick([strangers, null, 'x', server.secrets.agent]), borrowed = a.below(2) === 0;
		const message = a.pick([{ jsonrpc: '2.0', id: i, method, params }, { jsonrpc: '2.0', id: i, result: { action: 'accept', content: { decision: 'approve' } } }, { jsonrpc: '1.0', id: i, method, params }, { id: {}, method, params }]);
		return [`${JSON.stringify(message)} of ${token === strangers ? 'a stranger' : token}`, async () => {
			const client = new LegacyClient(server, token);
			const reply = await client.send('POST', message, borrowed ? mcp.headers() : {}, { signal: AbortSignal.timeout(3000) }).catch((error) => ({ text: String(error), status: 0 }));
			if (token === strangers) without(reply, ['make deploy']);
			if (!token || token === 'x') assert.ok(reply.status >= 400, `${reply.status}`);
			await pending();
		}];
	});
});
attacks('templates: a value is text and nothing else', { small: 6, long: 500 }, async (a) => {
	const VALUES = ['{{what}}', '", "risk": "low', '"}}, "kind": "blocking", "x": {"y": "', '{{constructor}}', '\\', '\u2028', '${7*7}', '</script>', "'; DROP TABLE asks; --", '{{#each}}', '{{what}}{{what}}', '%s%n', '\u202ex', '{"a":1}', '\\u0022'];
	await a.all((i) => {
		const what = `${a.pick(VALUES)}${a.pick(VALUES)}${i}`;
		return [JSON.stringify(what), async () => {
			const reply = await agent.post('/v1/asks', { template: 'deploy', values: { what } }, { check: false });
			if (reply.status !== 201) return refused(reply);
			const { kind, operation, status } = reply.body;
			return assert.deepEqual([kind, status, operation.name, operation.arguments], ['approval', 'pending', 'deploy', { what }]);
		}];
	});
});
attacks('secrets at rest and in replies', { small: 8, long: 500 }, async (a) => {
	const secrets = [...Object.values(server.secrets), PASSWORD, KEY, cookie.split('=')[1], used];
	const kept = stored(server.data);
	for (const secret of secrets) {
		await a.one(`in the folder: …${secret.slice(-4)}`, () => {
			for (const [what, text] of kept) assert.ok(!text.includes(secret), what);
		});
	}
	const paths = ['/v1/tokens', '/v1/users', '/v1/providers', '/v1/providers/keyed', '/v1/me', '/v1/me/logins', '/v1/events?format=json&limit=200&after=0', '/metrics', '/v1/channels', '/v1/agents', '/v1/routes', '/v1/policy', '/v1/deliveries',
		'/openapi.json', '/v1/push-key', '/v1/insights', '/v1/usage', `/v1/users/${user.id}`];
	await a.all(() => {
		const path = a.pick(paths), who = a.pick([admin, admin, server.member, agent, stranger]);
		return [path, async () => without(await who.get(path, { check: false }), secrets)];
	}, Math.max(0, a.want - secrets.length));
});
attacks('rates: a flood is refused, and nobody else with it', { small: 12, long: 600 }, async (a) => {
	const roads = [['/v1/asks', { question: 'A?', type: 'boolean' }], ['/v1/sessions', { title: 'x' }], ['/v1/decide', { operation: { type: 'tool', name: 'x' } }]];
	/* A minute may end among them: twice the rate is let through at most. */
	const most = 2 * RATE, share = Math.ceil(a.want / roads.length);
	for (const [path, body] of roads) {
		const replies = [];
		for (let i = 0; i < most + share; i += 10) replies.push(...await Promise.all(Array.from({ length: 10 }, () => limited.agent.post(path, body, { check: false }))));
		for (const { status, headers } of replies.slice(most)) {
			await a.one(`${path} after ${most}`, () => assert.ok(status === 429 && Number(headers['retry-after']) >= 1, String(status)));
		}
		assert.ok((await limited.stranger.post(path, body)).status < 300, 'another token');
	}
});

/* One ask and one decision a minute, which are made first. Commands (hook, gate, approve) go through these, and wait. */
const OPERATION = { type: 'tool', name: 'Bash', arguments: { command: 'echo done' } };
const posted = async (path, body) => (await strict.agent.post(path, body, { check: false })).status === 429;
const called = async (tool, input) => /a minute/.test(JSON.stringify(await new StatelessClient(strict, strict.secrets.agent).call(tool, input)));
const DOORS = {
	ask: () => posted('/v1/asks', { question: 'A?', type: 'boolean' }), approval: () => posted('/v1/asks', approval()), decide: () => posted('/v1/decide', { operation: OPERATION }),
	template: () => posted('/v1/asks', { template: 'deploy', values: { what: 'x' } }), permission: () => posted('/v1/asks?dialect=permission', { tool_name: 'Bash', input: OPERATION.arguments }),
	question: () => posted('/v1/asks?dialect=ask_user_question', question()), 'MCP approval': () => called('request_approval', { tool_name: 'Bash', input: OPERATION.arguments }), 'MCP question': () => called('ask_user_question', question()),
};
attacks('rates: who asked too much is refused at every door', { small: 8, long: 8 }, async (a) => {
	await strict.admin.put('/v1/templates/deploy', { ask: { title: '{{what}}', question: 'Go?', type: 'boolean' }, values: { what: {} } });
	for (const first of ['ask', 'decide']) assert.equal(await DOORS[first](), false);
	for (const [door, refuses] of Object.entries(DOORS)) await a.one(door, async () => assert.equal(await refuses(), true));
	assert.equal((await strict.admin.get('/v1/asks?status=all')).body.items.length, 1);
});
