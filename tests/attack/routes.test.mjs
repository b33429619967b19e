// Every route × whoever has no business there; what agents see of each other; what a limited token can set up.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { approval } from '../api/lib/samples.mjs';
import { useServer } from '../api/lib/server.mjs';
import { attacks, refused, without } from './lib/attacks.mjs';

const server = await useServer({ flags: ['--ask-rate', '0', '--webhook-internal', '127.0.0.0/8', '--push-subject', 'mailto:ops@example.org'] });
const { admin, agent, stranger, member, nobody } = server;
const openapi = JSON.parse(readFileSync(new URL('../../src/serve/openapi.json', import.meta.url)));

/* ---- what is there ---- */

const MARK = 'only-for-builder-7731';
const session = await agent.session({ title: MARK, parallel: true });
const question = await agent.ask({ session: session.id, question: `${MARK}?`, type: 'boolean' });
const wanted = await agent.ask(approval({ session: session.id, title: MARK }));
const ada = (await admin.get('/v1/me')).body.user, mia = (await member.get('/v1/me')).body.user;
const rule = (await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['Never'] } })).body;
const team = (await admin.post('/v1/teams', { name: 'ops', members: [{ user: mia.id }] })).body;
const token = (await admin.post('/v1/tokens', { role: 'agent', name: 'third' })).body;
const stop = (await admin.post('/v1/stops', { reason: 'x', match: { agent: 'nobody-at-all' } })).body;
await admin.post('/v1/providers', { name: 'model', kind: 'openai', url: 'http://127.0.0.1:9/v1', key: 'sk-0123456789abcdef' });
const contact = (await admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'webhook', address: 'http://127.0.0.1:9/x' })).body;
const work = await agent.session({ parallel: true });
const mandate = (await agent.post('/v1/mandates', { title: MARK, session: work.id, lines: [{ key: 'a', tool: ['shell'], uses: 2 }] })).body;
const memory = (await member.post('/v1/memories', { text: MARK, scope: 'workspace' })).body;
const hold = (await admin.post('/v1/holds', { project: 'kept', reason: 'audit' })).body;
const behind = (await admin.post('/v1/mcp-servers', { name: 'files', url: 'http://127.0.0.1:9/mcp' })).body;
const tool = (await admin.post('/v1/tools', { name: 'weather', url: 'https://weather.example/', description: 'The weather.', schema: { type: 'object' }, headers: { Authorization: 'Bearer {key}' }, key: 'sk-0123456789abcdef' })).body;
const [key] = (await admin.get('/v1/keys')).body.keys;
for (const one of [mandate, memory, hold, behind, tool]) assert.ok(one.id, JSON.stringify(one));
const ids = { mandates: mandate.id, memories: memory.id, holds: hold.id, 'mcp-servers': behind.id, tools: tool.id, keys: key.kid, asks: wanted.id, sessions: session.id, users: mia.id, rules: rule.id, teams: team.id, tokens: token.id, stops: stop.id,
	providers: 'model', contacts: contact.id, agents: 'none', templates: 'none', lists: 'none' };
const gone = (await admin.post('/v1/tokens', { role: 'admin', name: 'gone' })).body;
await admin.delete(`/v1/tokens/${gone.id}`);
const off = (await admin.post('/v1/tokens', { role: 'admin', name: 'off' })).body;
assert.equal((await admin.patch(`/v1/users/${off.user}`, { disabled: true })).status, 200);
const late = (await admin.post('/v1/tokens', { role: 'admin', name: 'late', expires: '1h' })).body;
await server.command('workspace', 'create', 'elsewhere');
const elsewhere = server.client(await server.token('owner', 'eve', ['--workspace', 'elsewhere']));
const viewer = await server.as('viewer', 'vic');
const boss = (await admin.post('/v1/tokens', { role: 'admin', name: 'boss' })).body;
const eye = server.client((await admin.post('/v1/tokens', { role: 'viewer', name: 'boss' })).body.token);
const hers = server.client((await admin.post('/v1/tokens', { role: 'agent', name: 'of-boss', user: boss.user })).body.token);
const nowhere = '01m7m9pq9m0001d8sabww88gsb';

/** The path with ids that are there, where something of that name is. */
const filled = (path) => path.replace(/\/([a-z-]+)\/\{\w+\}/g, (_, what) => `/${what}/${ids[what] ?? nowhere}`).replace(/\{\w+\}/g, nowhere);
const OPEN = /^\/(healthz|readyz|openapi\.json|\.well-known|assets|icon|manifest|sw\.js|metrics$)|^\/v1\/(login|in\/slack)$|^\/[^v]|^\/$/;
const operations = Object.entries(openapi.paths).flatMap(([path, item]) => Object.keys(item)
	.filter((method) => ['get', 'put', 'post', 'patch', 'delete'].includes(method))
	.map((method) => ({ method: method.toUpperCase(), path: filled(path), open: OPEN.test(path), name: `${method} ${path}` })));
const closed = operations.filter(({ open, path }) => !open && path.startsWith('/v1'));

/** All that people set up, without what changes by being looked at. */
async function state() {
	const paths = ['/v1/users?limit=200', '/v1/tokens?limit=200', '/v1/rules?limit=200', '/v1/policy', '/v1/stops', '/v1/teams', '/v1/routes',
		'/v1/providers', '/v1/agents', '/v1/prices', '/v1/templates', '/v1/lists', '/v1/memories', '/v1/mandates', '/v1/holds', '/v1/mcp-servers', '/v1/tools', '/v1/keys', '/v1/preferences', `/v1/users/${mia.id}/contacts`, `/v1/users/${ada.id}/contacts`,
		`/v1/asks/${question.id}`, `/v1/asks/${wanted.id}`, `/v1/sessions/${session.id}`];
	const seen = await Promise.all(paths.map(async (path) => (await admin.get(path)).text));
	return seen.map((text) => text.replace(/"(as_of|last_used_at|last_login_at|heard_at|updated_at|mark)":("[^"]*"|null|\d+|\{[^}]*\})/g, ''));
}
async function unchanged(before) {
	const now = await state();
	for (const [i, text] of now.entries()) assert.ok(text === before[i], `changed: ${text}\nbefore: ${before[i]}`);
}

const BODIES = [{}, { answers: { decision: 'approve' } }, { answer: 'approve' }, { answers: { q1: true } }, { name: 'x', role: 'owner' }, { role: 'admin', name: 'evil' },
	{ effect: 'allow', match: { tool: ['*'] } }, { password: 'a long new password' }, { login: true }, { disabled: false }, { mode: 'off', version: 1 }, { version: 1, items: [] },
	{ channel: 'webhook', address: 'http://127.0.0.1:9/y' }, { reason: 'x' }, { digest: wanted.digest }, { text: 'x' }, { assignees: [mia.id] }, { items: [] }, [],
	{ name: 'evil', kind: 'openai', url: 'http://127.0.0.1:9/v1', key: 'sk-evil' }, { name: 'evil', url: 'https://evil.example/', description: 'x' }, { version: 1, trust: true, url: 'https://evil.example/' }, { until: new Date(Date.now() + 9e7).toISOString(), delegate: mia.id }];

/* ---- callers without a right ---- */

const real = server.secrets.admin;
const flip = (text, i) => text.slice(0, i) + (text[i] === 'a' ? 'b' : 'a') + text.slice(i + 1);
const credentials = [
	() => ({}), () => ({ authorization: `Bearer ${gone.token}` }), () => ({ authorization: `Bearer ${off.token}` }), () => ({ authorization: `Bearer ${late.token}` }),
	({ below }) => ({ authorization: `Bearer ${flip(real, 4 + below(real.length - 4))}` }), ({ below }) => ({ authorization: `Bearer ${real.slice(0, below(real.length))}` }),
	() => ({ authorization: `Bearer ${real}x` }), () => ({ authorization: real }), () => ({ authorization: `Basic ${Buffer.from(`ada:${real}`).toString('base64')}` }),
	() => ({ authorization: `Token ${real}` }), () => ({ authorization: `Bearer ${real.toUpperCase()}` }), () => ({ authorization: 'Bearer null' }), () => ({ authorization: 'Bearer ' }),
	() => ({ 'x-api-key': real }), () => ({ 'x-forwarded-user': 'ada', 'x-remote-user': 'ada', 'x-forwarded-for': '127.0.0.1' }),
	({ below }) => ({ cookie: `parley=${flip(real, 4 + below(real.length - 4))}` }), () => ({ cookie: 'parley=; session=admin' }),
	() => ({ 'parley-workspace': 'default', 'parley-role': 'local_admin' }), () => ({ authorization: 'Bearer \' OR 1=1 --' }),
];

attacks('routes × callers without a right', { small: 40, long: 5000 }, async (a) => {
	server.jump(2 * 3600_000);
	const before = await state();
	await a.all(() => {
		const { method, path, name } = a.pick(closed), headers = a.pick(credentials)(a), body = method === 'GET' ? undefined : a.pick(BODIES);
		const query = a.below(4) ? '' : `?access_token=${real}&token=${real}`;
		return [`${name} with ${JSON.stringify(headers)}`, async () => {
			const reply = await nobody.request(method, path + query, { body, headers, check: false });
			refused(reply, [MARK, 'sk-0123']);
			/* The credential of a later result is looked at with its call, behind the shape of the request. */
			const said = path.startsWith('/v1/in/') ? [422] : [];
			assert.ok([401, 403, 404, 405, 415, 429, ...said].includes(reply.status), `${reply.status} ${reply.text.slice(0, 200)}`);
		}];
	});
	await unchanged(before);
});

/* ---- callers of a lower role, or of elsewhere ---- */

/* What each may: everything else that changes something is refused. */
const OWN = /^\/v1\/(me\/|logout)/, TRIES = /^\/v1\/(rules|routes)\/try$|^\/v1\/decide$/;
const ASKS = /^\/v1\/(asks|sessions|decide|mcp)/;
const callers = {
	'an agent': [agent, ({ method, path }) => method !== 'GET' && !TRIES.test(path) && !path.includes(mandate.id)
		&& (!ASKS.test(path) || /\/(answer|revoke|assign|claim|mark|settle-many|extend)$/.test(path))
		&& !/present$/.test(path)],
	'a viewer': [viewer, ({ method, path }) => method !== 'GET' && !OWN.test(path) && !TRIES.test(path)],
	'a member': [member, ({ method, path }) => method !== 'GET' && /^\/v1\/(users|tokens|teams|providers|agents|prices|policy|routes|webhook-secret|templates|lists|workspaces|check|mcp-servers|tools|keys|holds)/.test(path)
		&& !TRIES.test(path) && !path.startsWith(`/v1/users/${mia.id}`) && !/\/agents\/none\/test$/.test(path)],
	'an owner of another workspace': [elsewhere, ({ path }) => Object.values(ids).some((id) => /_/.test(id) && path.includes(id))],
	'a reader of what is an admin\'s': [member, ({ method, path }) => method === 'GET' && /^\/v1\/(holds|export|nodes|tokens)/.test(path)],
	'another agent': [stranger, ({ path }) => [wanted, session, mandate, memory, hold].some(({ id }) => path.includes(id))],
};
attacks('routes × callers of a lower role or of elsewhere', { small: 30, long: 3000 }, async (a) => {
	const before = await state();
	const fit = Object.entries(callers).map(([who, [client, may]]) => [who, client, closed.filter(may)]);
	await a.all(() => {
		const [who, client, list] = a.pick(fit), { method, path, name } = a.pick(list);
		const body = method === 'GET' ? undefined : a.pick(BODIES);
		return [`${who}: ${name} ${JSON.stringify(body)}`, async () => refused(await client.request(method, path, { body, check: false }), who.includes('another') ? [MARK, 'sk-0123'] : ['sk-0123'])];
	});
	await unchanged(before);
});

/* ---- leaks between agents ---- */

const QUERIES = ['', '?q=only', '?limit=200', `?session=${session.id}`, '?agent=builder', '?status=pending', '?status=answered', `?ask=${wanted.id}`, '?after=0&format=json',
	'?order=oldest', `?q=${MARK}`, '?project=*', '?limit=1', '?kind=approval', '?cursor=0', '?run=x', '?format=json&limit=200&type=ask.created', '?wait=0'];
const LISTS = ['/v1/asks', '/v1/sessions', '/v1/events', '/v1/runs', '/v1/memories', '/v1/deliveries', '/v1/projects', '/v1/insights', '/v1/usage', '/v1/rules', '/v1/users',
	`/v1/asks/${wanted.id}`, `/v1/asks/${question.id}`, `/v1/sessions/${session.id}`, `/v1/sessions/${session.id}/state`, `/v1/sessions/${session.id}/resume`,
	`/v1/sessions/${session.id}/messages`, `/v1/sessions/${session.id}/tasks`, `/v1/asks/${wanted.id}/deliveries`, `/v1/asks/${wanted.id}/suggestions`];
attacks('leaks between agents', { small: 15, long: 1500 }, async (a) => {
	await a.all(() => {
		const path = a.pick(LISTS), query = a.pick(path === '/v1/events' ? ['?after=0&format=json', '?format=json&limit=200'] : QUERIES);
		const mixed = a.below(3) ? path : path.replace(/_([0-9a-z]+)$/, (_, id) => `_${a.below(2) ? id.toUpperCase() : `${id}%00`}`);
		return [`${mixed}${query}`, async () => {
			const reply = await stranger.get(mixed + query, { check: false });
			without(reply, [MARK, wanted.id.slice(4), 'shell', 'make deploy'].filter((text) => !mixed.includes(text) && !query.includes(text)));
			if (path.includes(wanted.id) || path.includes(session.id)) refused(reply);
		}];
	});
});

/* ---- a limited token, a contact, a decision ---- */

attacks('a limited token, a contact, a decision', { small: 10, long: 600 }, async (a) => {
	const there = async () => (await admin.get(`/v1/users/${boss.user}/contacts`)).text;
	const before = await there();
	const keys = { p256dh: 'BBM7xodutWYck5tTPcT3s54XJfLN456oU1e7YAgPhTVE3E23Gyl0i26piqFLZkgZw5oubMEZGBdbj5QhJO3o2TA', auth: 'Oel81v1PvbgZYk0Y8h3X9Q' };
	await a.all((i) => {
		const client = a.pick([eye, hers, stranger]), of = a.pick(['/v1/me', `/v1/users/${boss.user}`, `/v1/users/${mia.id}`, `/v1/teams/${team.id}`]);
		const [method, path, body] = a.pick([
			['POST', `${of}/contacts`, { channel: 'email', address: `eve${i}@example.org` }], ['POST', `${of}/contacts`, { channel: 'slack', address: `UEVE${i}` }],
			['POST', `${of}/contacts`, { channel: 'webhook', address: `http://127.0.0.1:9/${i}`, format: a.pick(['parley', 'slack', 'ntfy', 'teams']) }],
			['POST', `${of}/contacts`, { channel: 'push', subscription: { endpoint: `http://127.0.0.1:9/${i}`, keys } }], ['POST', `${of}/contacts`, { channel: 'command', address: 'bell' }],
			['PATCH', `${of}/contacts/${contact.id}`, { name: 'x', muted: true }], ['DELETE', `${of}/contacts/${contact.id}`], ['POST', `${of}/contacts/${contact.id}/test`, {}],
			['POST', `/v1/me/contacts/${contact.id}/verify`, { code: 'aaaaaaaa' }], ['PUT', `${of}/notify`, {}], ['PUT', `${of}/away`, { until: new Date(Date.now() + 9e7).toISOString(), delegate: mia.id }],
			['PUT', '/v1/routes', { version: 1, items: [{ match: {}, steps: [{ after: '0s', to: ['all'] }] }] }], ['POST', `/v1/asks/${wanted.id}/answer`, { answer: 'approve' }],
			['PATCH', `/v1/users/${boss.user}`, { password: 'eight or more' }], ['POST', '/v1/tokens', { role: 'admin', name: 'boss' }], ['POST', '/v1/rules', { effect: 'allow', match: { tool: ['shell'] } }],
		]);
		return [`${method} ${path} ${JSON.stringify(body)}`, async () => refused(await client.request(method, path, { body, check: false,
			headers: a.pick([{}, { 'parley-via': 'push' }, { 'parley-via': 'slack' }, { 'parley-via': 'email' }]) }))];
	});
	assert.equal(await there(), before);
	assert.equal((await admin.get(`/v1/asks/${wanted.id}`)).body.status, 'pending');
});
