// Projects: who names them, what a session keeps, and tokens that are bound to them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LegacyClient, question } from './lib/mcp.mjs';
import { approval, pointers } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin, secrets } = server;

const yes = { question: 'Deploy?', type: 'boolean' };
const bind = async (name, projects) => server.client((await admin.post('/v1/tokens',
	{ role: 'agent', name, projects })).body.token);
/** What became of it: the project of what was made, or what is wrong. */
const got = ({ status, body }) => status < 300 ? (body.ask ?? body).project
	: status === 403 ? body.type : [status, ...body.errors.map((e) => e.pointer)];
const REFUSED = '/problems/project';

test('an ask names its project, and so does the session that is made for it', async () => {
	const ask = await agent.ask({ project: 'web' });
	assert.equal(ask.project, 'web');
	assert.equal((await member.get(`/v1/sessions/${ask.session}`)).body.project, 'web');
	assert.deepEqual((await member.get('/v1/asks?project=web')).body.items.map((a) => a.id), [ask.id]);
	assert.equal((await agent.ask()).project, null);
	for (const project of ['', '  ', 'x'.repeat(101), 'a\nb', 7]) {
		const reply = await agent.post('/v1/asks', { ...yes, project });
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/project']], String(project));
	}
	assert.equal((await agent.ask({ project: 'é'.repeat(100) })).project, 'é'.repeat(100));
});

test('a session keeps its first project, and takes the first that is named', async () => {
	const kept = await agent.session({ project: 'web', parallel: true });
	const inIt = (project) => agent.post('/v1/asks', { ...yes, session: kept.id, project });
	assert.deepEqual([got(await inIt()), got(await inIt('web')), got(await inIt('api'))],
		['web', 'web', [422, '/project']]);
	const open = await agent.session({ parallel: true, external_id: 'p-1' });
	const ask = (project) => agent.post(`/v1/sessions/${open.id}/asks`, { ...yes, project });
	assert.equal(got(await ask()), null);
	assert.equal(got(await ask('api')), 'api');
	assert.equal(got(await ask()), 'api');
	assert.deepEqual(got(await ask('web')), [422, '/project']);
	assert.equal((await member.get(`/v1/sessions/${open.id}`)).body.project, 'api');
	assert.equal((await agent.session({ external_id: 'p-1' })).project, 'api');
	assert.deepEqual(got(await agent.post('/v1/sessions', { title: 'x', external_id: 'p-1', project: 'web' })), [422, '/project']);
	const changed = (await member.events(0, '&types=session.changed')).items.filter((e) => e.session === open.id);
	assert.deepEqual(changed.map((e) => e.data.project), ['api']);
});

test('rules by project hold for asks and for what is decided without a person', async () => {
	const rule = (await admin.post('/v1/rules', { effect: 'deny', note: 'not there', match: { project: 'prod-*' } })).body;
	const operation = { type: 'tool', name: 'shell', arguments: { cmd: 'ls' } };
	const decide = async (body, options) => (await agent.post('/v1/decide', { operation, ...body }, options)).body.rule;
	assert.equal(await decide({ project: 'prod-eu' }), rule.id);
	assert.equal(await decide({}, { headers: { 'parley-project': 'prod-eu' } }), rule.id);
	assert.equal(await decide({}, { headers: { 'parley-work-tree': 'prod-eu' } }), rule.id);
	assert.equal(await decide({ project: 'web' }, { headers: { 'parley-project': 'prod-eu' } }), 'policy');
	assert.equal(await decide({}), 'policy');
	const refused = await agent.post('/v1/asks', approval({ project: 'prod-eu' }));
	assert.equal(refused.body.answered_by.rule, rule.id);
	await admin.delete(`/v1/rules/${rule.id}`);
});

test('dialects say it in a header or in the address', async () => {
	const body = { tool_name: 'Bash', tool_input: { command: 'ls' } };
	const ask = (query, headers) => agent.post(`/v1/asks?dialect=permission${query}`, body, { headers, check: false });
	assert.equal(got(await ask('&project=web')), 'web');
	assert.equal(got(await ask('', { 'parley-project': 'api' })), 'api');
	assert.equal(got(await ask('', { 'parley-work-tree': 'tree' })), 'tree');
	assert.equal(got(await ask('', { 'parley-project': 'api', 'parley-work-tree': 'tree' })), 'api');
	assert.deepEqual(got(await ask('', { 'parley-project': 'x'.repeat(101) })), [422, '/project']);
});

test('an MCP call says it in _meta or a header; each project has a session of its own', async () => {
	const client = await new LegacyClient(server, await server.token('agent', 'mcp-projects')).open();
	const ask = async (n, meta, headers) => {
		client.call('ask_user_question', question(`Question ${n}?`), { task: {}, _meta: meta }, { headers });
		let found;
		while (!found) {
			found = (await member.get(`/v1/asks?q=Question%20${n}%3F`)).body.items[0];
		}
		return [found.project, found.session];
	};
	const [none, web, web2, api, header] = [await ask(1), await ask(2, { 'parley/project': 'web' }),
		await ask(3, { 'parley/project': 'web' }), await ask(4, { 'parley/project': 'api' }),
		await ask(5, { 'parley/project': 'web' }, { 'parley-project': 'other' })];
	assert.deepEqual([none, web, web2, api, header].map((a) => a[0]), [null, 'web', 'web', 'api', 'web']);
	assert.equal(web[1], web2[1]);
	assert.equal(web[1], header[1]);
	assert.equal(new Set([none[1], web[1], api[1]]).size, 3);
	assert.equal((await ask(6, undefined, { 'parley-project': 'web' }))[1], web[1]);
});

test('a bound token asks in its own project, and nowhere else', async () => {
	const web = await bind('web-bot', ['web']);
	const tries = { none: {}, own: { project: 'web' }, other: { project: 'api' } };
	const doors = {
		ask: (body) => web.post('/v1/asks', { ...yes, ...body }),
		session: (body) => web.post('/v1/sessions', { title: 'x', ...body }),
		dialect: ({ project }) => web.post('/v1/asks?dialect=permission', { tool_name: 'Bash', tool_input: {} },
			{ headers: project ? { 'parley-project': project } : {}, check: false }),
	};
	for (const [name, door] of Object.entries(doors)) {
		const found = {};
		for (const [what, body] of Object.entries(tries)) found[what] = got(await door(body));
		assert.deepEqual(found, { none: 'web', own: 'web', other: REFUSED }, name);
	}
	const operation = { type: 'tool', name: 'shell', arguments: {} };
	assert.equal((await web.post('/v1/decide', { operation })).status, 200);
	assert.equal(got(await web.post('/v1/decide', { operation, project: 'api' })), REFUSED);
	// A guess gives way, where it does not fit.
	assert.equal(got(await web.post('/v1/asks', yes, { headers: { 'parley-work-tree': 'api' } })), 'web');
});

test('a token that is bound to patterns has to name one that fits', async () => {
	const many = await bind('many-bot', ['web-*', 'api']);
	const ask = (project, tree) => many.post('/v1/asks', { ...yes, project },
		{ headers: tree ? { 'parley-work-tree': tree } : {} });
	assert.deepEqual([got(await ask()), got(await ask('web-shop')), got(await ask('api')), got(await ask('api2')),
		got(await ask(undefined, 'web-a')), got(await ask(undefined, 'other'))],
	[[422, '/project'], 'web-shop', 'api', REFUSED, 'web-a', [422, '/project']]);
});

test('what another token of the same agent asked elsewhere is not a bound one\'s to touch', async () => {
	const free = server.client((await admin.post('/v1/tokens', { role: 'agent', name: 'free', agent: 'twin' })).body.token);
	const tied = server.client((await admin.post('/v1/tokens',
		{ role: 'agent', name: 'tied', agent: 'twin', projects: ['web'] })).body.token);
	const session = await free.session({ project: 'api', parallel: true, external_id: 'twin-1' });
	const ask = await free.ask({ session: session.id });
	const approved = await free.ask(approval({ session: session.id }));
	await member.post(`/v1/asks/${approved.id}/answer`, { answer: 'approve' });
	const all = {
		ask: await tied.post('/v1/asks', { ...yes, session: session.id }),
		decide: await tied.post('/v1/decide', { session: session.id, operation: { type: 'tool', name: 'x', arguments: {} } }),
		create: await tied.post('/v1/sessions', { title: 'x', external_id: 'twin-1' }),
		patch: await tied.patch(`/v1/sessions/${session.id}`, { title: 'y' }),
		progress: await tied.post(`/v1/sessions/${session.id}/progress`, { text: 'y' }),
		cancelSession: await tied.post(`/v1/sessions/${session.id}/cancel`),
		cancel: await tied.post(`/v1/asks/${ask.id}/cancel`),
		reply: await tied.post(`/v1/asks/${ask.id}/replies`, { text: 'y' }),
		use: await tied.post(`/v1/asks/${approved.id}/use`, { digest: approved.digest }),
		delete: await tied.delete(`/v1/sessions/${session.id}`),
	};
	for (const [door, reply] of Object.entries(all)) assert.equal(got(reply), REFUSED, door);
	assert.equal((await free.post(`/v1/asks/${approved.id}/use`, { digest: approved.digest })).status, 200);
	// One without a project becomes the bound token's.
	const open = await free.session({ parallel: true });
	assert.equal(got(await tied.post('/v1/asks', { ...yes, session: open.id })), 'web');
	assert.deepEqual(got(await free.post('/v1/asks', { ...yes, session: open.id, project: 'api' })), [422, '/project']);
});

test('a bound token is held to it over MCP', async () => {
	const { token } = (await admin.post('/v1/tokens', { role: 'agent', name: 'mcp-tied', projects: ['web-*'] })).body;
	const client = await new LegacyClient(server, token).open();
	const call = (name, args, project) => client.call(name, args,
		{ task: {}, _meta: project ? { 'parley/project': project } : undefined });
	for (const [project, text] of [['api', /not for the project api/], [undefined, /several projects/]]) {
		for (const [name, args] of [['ask_user_question', question()], ['ask_user_question', { ...question(), session: 'named' }],
			['report_progress', { text: 'x' }]]) {
			const result = await call(name, args, project);
			assert.match(result.content[0].text, text, `${name} ${project}`);
			assert.equal(result.isError, true);
		}
	}
	const result = await call('report_progress', { text: 'x' }, 'web-a');
	const session = (await member.get(`/v1/sessions/${result.structuredContent.session}`)).body;
	assert.equal(session.project, 'web-a');
});

test('a token is bound, shown, bound anew and freed by an admin; from the next request on', async () => {
	const made = (await admin.post('/v1/tokens', { role: 'agent', name: 'later' })).body;
	assert.equal(made.projects, null);
	const later = server.client(made.token);
	assert.equal(got(await later.post('/v1/asks', { ...yes, project: 'api' })), 'api');
	const path = `/v1/tokens/${made.id}`;
	const bound = await admin.patch(path, { projects: ['web'] });
	assert.deepEqual([bound.status, bound.body.projects, bound.body.token], [200, ['web'], undefined]);
	assert.equal(got(await later.post('/v1/asks', { ...yes, project: 'api' })), REFUSED);
	assert.deepEqual((await admin.get(path)).body.projects, ['web']);
	assert.deepEqual((await admin.get('/v1/tokens?limit=200')).body.items.find((t) => t.id === made.id).projects, ['web']);
	assert.equal((await admin.patch(path, { projects: null })).body.projects, null);
	assert.equal(got(await later.post('/v1/asks', { ...yes, project: 'api' })), 'api');
	const events = (await admin.events(0, '&types=token.created,token.changed')).items.filter((e) => e.data.token === made.id);
	assert.deepEqual(events.map((e) => [e.type, e.data.projects]),
		[['token.created', null], ['token.changed', ['web']], ['token.changed', null]]);
});

test('what cannot bind a token is refused', async () => {
	const make = (projects, role = 'agent') => admin.post('/v1/tokens', { role, name: 'nobody', projects });
	for (const projects of [[], [''], ['a\nb'], 'web', [1], ['x'.repeat(101)], Array(21).fill('x')]) {
		const reply = await make(projects);
		assert.deepEqual([reply.status, pointers(reply)], [422, ['/projects']], JSON.stringify(projects));
	}
	assert.equal((await make(['web'], 'member')).status, 422);
	const person = (await admin.get('/v1/tokens?limit=200')).body.items.find((t) => t.name === 'mia');
	assert.equal((await admin.patch(`/v1/tokens/${person.id}`, { projects: ['web'] })).status, 422);
	assert.equal((await admin.patch(`/v1/tokens/${person.id}`, {})).status, 422);
	assert.equal((await member.patch(`/v1/tokens/${person.id}`, { projects: null })).status, 403);
	assert.equal((await agent.patch(`/v1/tokens/${person.id}`, { projects: null })).status, 403);
	assert.equal((await admin.patch('/v1/tokens/tok_none', { projects: null })).status, 404);
});

test('the shell binds a token, too, and lists it', async () => {
	const token = await server.token('agent', 'shell-bound', ['--project', 'web-*', '--project', 'api']);
	assert.equal(got(await server.client(token).post('/v1/asks', { ...yes, project: 'prod' })), REFUSED);
	const listed = await server.command('token', 'list');
	assert.match(listed, /shell-bound.*web-\* api/);
});

test('what goes by project says how many agents are free to name any', async () => {
	const own = await useServer();
	const tokens = async () => (await own.admin.get('/v1/tokens?limit=200')).body.items.filter((t) => t.role === 'agent');
	const warned = (reply) => (reply.body.warnings ?? assert.fail(reply.text)).map((w) => [w.kind, w.tokens]);
	const rule = (match, more) => own.admin.post('/v1/rules', { effect: 'ask', match, ...more });
	const bound = await own.admin.post('/v1/tokens', { role: 'agent', name: 'bound', projects: ['web'] });
	await own.admin.post('/v1/tokens', { role: 'agent', name: 'over', expires: '1s' });
	own.jump(2000);
	// builder and stranger: the machine's own token, persons', and what has run out do not count.
	assert.deepEqual((await tokens()).map((t) => t.name).sort(), ['bound', 'builder', 'local', 'over', 'stranger']);
	const unbound = ([['unbound', 2]]);
	assert.deepEqual(warned(await rule({ project: 'prod-*' })), unbound);
	assert.deepEqual(warned(await rule({ project: null })), unbound);
	assert.deepEqual(warned(await rule({ agent: 'x' })), []);
	const made = (await rule({ agent: 'y' })).body;
	assert.deepEqual(warned(await own.admin.patch(`/v1/rules/${made.id}`, { match: { project: 'x' }, version: made.version })), unbound);
	const team = await own.admin.post('/v1/teams', { name: 'ops', projects: ['web-*'] });
	assert.deepEqual(warned(team), unbound);
	assert.match(team.body.warnings[0].detail, /not bound: 2/);
	assert.deepEqual(warned(await own.admin.post('/v1/teams', { name: 'dev' })), []);
	assert.deepEqual(warned(await own.admin.patch(`/v1/teams/${team.body.id}`, { on_call: null })), []);
	assert.deepEqual(warned(await own.admin.patch(`/v1/teams/${team.body.id}`, { projects: ['x'] })), unbound);
	const routes = (await own.admin.get('/v1/routes')).body;
	const put = async (items) => own.admin.put('/v1/routes', { version: (await own.admin.get('/v1/routes')).body.version, items });
	assert.deepEqual(warned(await put(routes.items)), []);
	assert.deepEqual(warned(await put([{ match: { project: 'web-*' }, steps: routes.items[0].steps }, ...routes.items])), unbound);
	assert.equal('warnings' in (await own.admin.get('/v1/routes')).body, false);
	const french = await own.admin.post('/v1/teams', { name: 'fr', projects: ['y'] }, { headers: { 'accept-language': 'fr' } });
	assert.match(french.body.warnings[0].detail, /non liés/);
	const shell = await own.run(['team', 'dev', 'projects', 'api', '--data', own.data]);
	assert.match(shell.stderr, /Warning: .*not bound: 2/);
	for (const token of await tokens())
		if (!token.projects) await own.admin.patch(`/v1/tokens/${token.id}`, { projects: ['*'] });
	assert.deepEqual(warned(await rule({ project: 'z-*' })), []);
	assert.equal((await own.admin.get('/v1/projects')).body.unbound, 0);
	assert.equal(bound.status, 201);
});

test('people see which projects there are; agents do not', async () => {
	const own = await useServer();
	const [one, two] = [await own.agent.session({ project: 'one', parallel: true }), await own.agent.session({ project: 'two' })];
	await own.agent.ask({ session: one.id });
	await own.agent.ask({ session: one.id, kind: 'non_blocking' });
	await own.agent.ask(approval({ project: 'one' }));
	const done = await own.agent.ask({ session: two.id });
	await own.agent.ask();
	own.jump(5000);
	await own.member.post(`/v1/asks/${done.id}/skip`);
	const { items, unbound } = (await own.member.get('/v1/projects')).body;
	assert.deepEqual(items.map(({ name, sessions, pending }) => [name, sessions, pending]), [['two', 1, 0], ['one', 2, 3]]);
	assert.equal(items[0].last_at, (await own.member.get(`/v1/sessions/${two.id}`)).body.updated_at);
	assert.equal(unbound, 2);
	assert.equal((await own.agent.get('/v1/projects')).status, 403);
	assert.equal((await own.nobody.get('/v1/projects')).status, 401);
	assert.equal((await own.member.get('/v1/projects?x=1')).status, 422);
});

test('the log stands for all of it', async () => {
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});
