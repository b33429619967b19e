// Who may come in, from where, and do what.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, stranger, nobody } = server;
let viewer;

before(async () => {
	const reply = await admin.post('/v1/tokens', { role: 'viewer', name: 'vera' });
	viewer = server.client(reply.body.token);
});

for (const path of ['/v1/asks', '/v1/sessions', '/v1/events', '/v1/me', '/v1/users', '/v1/tokens',
	'/v1/insights', '/metrics', '/v1/asks/ask_00000000000000000000000000']) {
	test(`${path} without a token is 401`, async () => {
		const reply = await nobody.get(path);
		assert.equal(reply.status, 401);
		assert.match(reply.headers['www-authenticate'], /^Bearer/);
	});
}

for (const path of ['/healthz', '/readyz', '/openapi.json']) {
	test(`${path} needs no token`, async () => {
		assert.equal((await nobody.get(path)).status, 200);
	});
}

for (const path of ['/', '/login', '/asks/ask_00000000000000000000000000']) {
	test(`the page at ${path} needs no token, shows no secret and has a strict policy`, async () => {
		const reply = await nobody.get(path);
		assert.equal(reply.status, 200);
		assert.match(reply.headers['content-type'], /^text\/html/);
		const policy = reply.headers['content-security-policy'];
		assert.match(policy, /default-src 'self'/);
		assert.match(policy, /frame-ancestors 'none'/);
		assert.doesNotMatch(policy, /unsafe-(inline|eval)/);
		assert.equal(reply.headers['x-content-type-options'], 'nosniff');
		assert.doesNotMatch(reply.text, /<script(?![^>]*src=)|https?:\/\/(?!www\.w3\.org)/);
	});
}

test('the page has what it asks for first fetched ahead, once its reader is logged in', async () => {
	const link = async (path, headers) => (await nobody.get(path, { headers })).headers.link ?? '';
	const ahead = await link('/inbox', { cookie: 'other=1; parley=secret' });
	assert.match(ahead, /<\/v1\/me>; rel=preload; as=fetch; crossorigin/);
	assert.match(ahead, /<\/v1\/asks\?[^>]+>; rel=preload; as=fetch; crossorigin/);
	assert.equal(await link('/inbox', {}), '');
	assert.equal(await link('/inbox', { cookie: 'other=1' }), '');
	assert.equal(await link('/login', { cookie: 'parley=secret' }), '');
});

test('the files of the page are served whole', async () => {
	const page = (await nobody.get('/')).text;
	const files = [...page.matchAll(/(?:src|href)="(\/[^"#]*\.(?:js|css|svg|png|ico|webmanifest))"/g)];
	assert.ok(files.length > 0);
	for (const [, path] of files) {
		const reply = await nobody.get(path);
		assert.equal(reply.status, 200, path);
		assert.ok(reply.text.length > 0, path);
	}
});

for (const header of ['Bearer nonsense', 'Bearer', 'Bearer ', 'Basic dTpw', 'bearer', '',
	`Bearer ${'x'.repeat(5000)}`]) {
	test(`Authorization "${header.slice(0, 20)}" is 401`, async () => {
		const reply = await nobody.get('/v1/me', { headers: { authorization: header } });
		assert.equal(reply.status, 401);
	});
}

test('the scheme is read whatever its case', async () => {
	const reply = await nobody.get('/v1/me', { headers: { authorization:
		`bearer ${server.secrets.agent}` } });
	assert.equal(reply.status, 200);
});

test('a token that is almost right is 401', async () => {
	const secret = server.secrets.agent;
	const last = secret.at(-1) === 'a' ? 'b' : 'a';
	const client = server.client(secret.slice(0, -1) + last);
	assert.equal((await client.get('/v1/me')).status, 401);
});

test('a token in the query is not taken', async () => {
	for (const name of ['token', 'access_token']) {
		const reply = await nobody.get(`/v1/me?${name}=${server.secrets.agent}`);
		assert.ok([401, 422].includes(reply.status));
	}
});

test('no token comes before what is wrong with the request', async () => {
	assert.equal((await nobody.post('/v1/asks', { nonsense: true })).status, 401);
	assert.equal((await nobody.get('/v1/asks?limit=0')).status, 401);
});

test('me tells who a token is', async () => {
	const me = (await agent.get('/v1/me')).body;
	assert.deepEqual([me.role, me.name, me.agent, me.user], ['agent', 'builder', 'builder', null]);
	assert.match(me.token.id, /^tok_/);
	assert.equal(me.token.name, 'builder');
	assert.equal((await member.get('/v1/me')).body.role, 'member');
	assert.equal((await admin.get('/v1/me')).body.role, 'admin');
});

test('a viewer reads everything', async () => {
	const ask = await agent.ask();
	assert.equal((await viewer.get(`/v1/asks/${ask.id}`)).status, 200);
	assert.equal((await viewer.get('/v1/asks')).status, 200);
	assert.equal((await viewer.get(`/v1/sessions/${ask.session}`)).status, 200);
	assert.equal((await viewer.get('/v1/events?format=json')).status, 200);
});

test('a viewer does nothing but read', async () => {
	const ask = await agent.ask();
	for (const [path, body] of [['/v1/asks', { question: 'A?', type: 'boolean' }],
		[`/v1/asks/${ask.id}/answer`, { answers: { q1: true } }], [`/v1/asks/${ask.id}/skip`, {}],
		[`/v1/asks/${ask.id}/cancel`, {}], [`/v1/asks/${ask.id}/claim`, {}],
		[`/v1/asks/${ask.id}/assign`, { assignees: [] }],
		[`/v1/asks/${ask.id}/extend`, { timeout: '5m' }],
		[`/v1/asks/${ask.id}/replies`, { text: 'x' }],
		['/v1/sessions', { title: 'x' }], [`/v1/sessions/${ask.session}/cancel`, {}],
		['/v1/users', { name: 'x', role: 'viewer' }],
		['/v1/tokens', { name: 'x', role: 'viewer' }]]) {
		assert.equal((await viewer.post(path, body)).status, 403, path);
	}
	assert.deepEqual(await member.read(ask), ask);
});

test('an agent is refused on every way to settle', async () => {
	const ask = await agent.ask(approval());
	for (const [path, body] of [
		[`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } }],
		[`/v1/asks/${ask.id}/skip`, {}],
		['/v1/asks/settle-many', { ids: [ask.id], answers: { decision: 'approve' } }]]) {
		const reply = await agent.post(path, body);
		const status = reply.body.results?.[0].status ?? reply.status;
		assert.equal(status, 403, path);
	}
	assert.equal((await member.read(ask)).status, 'pending');
});

test("what another agent asked is not found, it is not forbidden", async () => {
	const ask = await agent.ask();
	assert.equal((await stranger.get(`/v1/asks/${ask.id}`)).status, 404);
	for (const verb of ['answer', 'skip', 'cancel', 'claim', 'replies', 'use']) {
		const reply = await stranger.post(`/v1/asks/${ask.id}/${verb}`, {});
		assert.ok([403, 404].includes(reply.status) || reply.status === 422, verb);
		assert.ok(reply.body.ask === undefined, 'it shows the ask');
	}
});

test('tokens of the same agent share what they own', async () => {
	const twin = await server.as('agent', 'builder-ci', ['--agent', 'builder']);
	const ask = await agent.ask();
	assert.equal((await twin.get(`/v1/asks/${ask.id}`)).status, 200);
	assert.equal((await twin.post(`/v1/asks/${ask.id}/cancel`)).status, 200);
});

test('agents, members and viewers do not administer', async () => {
	for (const client of [agent, member, viewer]) {
		assert.equal((await client.get('/v1/tokens')).status, 403);
		assert.equal((await client.post('/v1/users', { name: 'x', role: 'member' })).status, 403);
		assert.equal((await client.post('/v1/tokens', { name: 'x', role: 'agent' })).status, 403);
	}
});

test('a revoked token is 401 at once', async () => {
	const made = (await admin.post('/v1/tokens', { role: 'agent', name: 'brief' })).body;
	const client = server.client(made.token);
	assert.equal((await client.get('/v1/me')).status, 200);
	assert.equal((await admin.delete(`/v1/tokens/${made.id}`)).status, 204);
	assert.equal((await client.get('/v1/me')).status, 401);
});

test('a revoked token is cut off from its stream', { timeout: 300_000 }, async () => {
	const made = (await admin.post('/v1/tokens', { role: 'member', name: 'brief2' })).body;
	const stream = await server.client(made.token).stream();
	await stream.frame();
	await admin.delete(`/v1/tokens/${made.id}`);
	while (await stream.frame(20_000)); // within a heartbeat or so
	stream.close();
});

for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil',
	'[::1]evil.example', '[::1]:80evil', 'localhost:80@evil', 'localhost:', '127.0.0.1:99999', '[::1', 'localhost:-0']) {
	test(`a foreign Host is 403: ${host}`, async () => {
		const reply = await agent.get('/v1/me', { headers: { host } });
		assert.equal(reply.status, 403);
	});
}

test('localhost and the loopback addresses are good hosts', async () => {
	for (const host of [`localhost:${server.port}`, `127.0.0.1:${server.port}`,
		`[::1]:${server.port}`]) {
		assert.equal((await agent.get('/v1/me', { headers: { host } })).status, 200, host);
	}
});

for (const origin of ['http://evil.example', 'null', 'http://localhost.evil', 'https://127.0.0.1:1']) {
	test(`a foreign Origin is 403, even with a token: ${origin}`, async () => {
		const ask = await agent.ask();
		const reply = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { q1: true } },
			{ headers: { origin } });
		assert.equal(reply.status, 403);
		assert.equal((await member.read(ask)).status, 'pending');
	});
}

test('our own Origin is welcome', async () => {
	const ask = await agent.ask();
	const reply = await member.post(`/v1/asks/${ask.id}/answer`, { answers: { q1: true } },
		{ headers: { origin: server.url } });
	assert.equal(reply.status, 200);
});

test('a browser that says cross-site is refused', async () => {
	const reply = await member.get('/v1/me', { headers: { 'sec-fetch-site': 'cross-site' } });
	assert.equal(reply.status, 403);
});

test('a request of our own page is not', async () => {
	for (const site of ['same-origin', 'none']) {
		const reply = await member.get('/v1/me', { headers: { 'sec-fetch-site': site } });
		assert.equal(reply.status, 200, site);
	}
});

test('no reply invites other origins', async () => {
	const reply = await agent.get('/v1/me', { headers: { origin: server.url } });
	assert.equal(reply.headers['access-control-allow-origin'], undefined);
});

test('a secret never comes back', async () => {
	const pages = [await admin.get('/v1/tokens'), await admin.get('/v1/me'),
		await admin.get('/v1/users'), await admin.get('/metrics')];
	for (const page of pages) {
		for (const secret of Object.values(server.secrets)) assert.ok(!page.text.includes(secret));
	}
	assert.ok(await until(() => true));
});

test('the rate of asks is limited per token, with Retry-After', async () => {
	const limited = await useServer({ flags: ['--ask-rate', '5'] });
	const replies = [];
	for (let i = 0; i < 8; i++) {
		replies.push(await limited.agent.post('/v1/asks', { question: 'A?', type: 'boolean' }));
	}
	assert.equal(replies[0].status, 201);
	const refused = replies.filter((r) => r.status === 429);
	assert.ok(refused.length >= 2, `${refused.length} refused`);
	assert.ok(Number(refused[0].headers['retry-after']) >= 1);
	assert.equal((await limited.stranger.post('/v1/asks', { question: 'A?', type: 'boolean' }))
		.status, 201);
	assert.equal((await limited.agent.get('/v1/asks')).status, 200);
	limited.jump(61_000);
	await until(async () => (await limited.agent.post('/v1/asks', { question: 'A?',
		type: 'boolean' })).status === 201, 'the next minute', 70_000);
});

test('ask_rate=0 is no limit', async () => {
	const free = await useServer({ flags: ['--ask-rate', '0'] });
	const replies = await Promise.all(Array.from({ length: 200 },
		() => free.agent.post('/v1/asks', { question: 'A?', type: 'boolean' })));
	assert.ok(replies.every((r) => r.status === 201));
});
