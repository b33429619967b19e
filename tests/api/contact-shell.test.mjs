// parley contact and parley route, as a person types them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Receiver } from './lib/receiver.mjs';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8'] });
const { agent, admin } = server;
const run = (args, { who = 'admin', input, lang = 'C.UTF-8' } = {}) => server.run(args,
	{ env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets[who], LANG: lang, TZ: 'UTC' }, input });
const ada = (await admin.get('/v1/me')).body.user;
const receiver = await new Receiver().open();
const refuses = await new Receiver((request, response) => response.writeHead(410).end()).open();

test('contacts are added, listed, tested and removed', async () => {
	assert.deepEqual([(await run(['contact'])).stderr.trim()], ['No contacts.']);
	const add = ['contact', 'add', 'webhook', receiver.url, '--format', 'ntfy', '--name', 'phone'];
	const added = await run(add);
	assert.equal(added.code, 0, added.stderr);
	const [id] = added.stdout.split(' ');
	assert.match(added.stdout, /^con_\w{26} {2}webhook {3}not tested {6}http:\S+ {2}phone$/m);
	assert.equal((await run(['contact', 'list'])).stdout, added.stdout);
	assert.deepEqual(JSON.parse((await run(['contact', '--json'])).stdout).items.map((c) => [c.id, c.format]), [[id, 'ntfy']]);
	const tested = await run(['contact', 'test', id]);
	assert.deepEqual([tested.code, tested.stderr.trim()], [0, 'Test message delivered.']);
	assert.equal(receiver.got.length, 1, 'it waited until the message was taken');
	assert.match((await run(['contact', 'list'])).stdout, /webhook {3}works /);
	const { id: gone } = (await admin.post('/v1/me/contacts', { channel: 'webhook', address: refuses.url })).body;
	const failed = await run(['contact', 'test', gone]);
	assert.deepEqual([failed.code, failed.stderr.trim()], [1, 'The test message failed: 410 Gone: the webhook is off'], failed.stderr);
	const sent = await server.run(['delivery', 'list', '--data', server.data]);
	assert.match(sent.stdout, / ada( |$)/m, 'a contact without a name is whose it is');
	assert.doesNotMatch(sent.stdout, /con_/);
	assert.equal((await run(['contact', 'remove', gone])).code, 0);
	const again = await run(add);
	assert.deepEqual([again.code, again.stderr.trim()], [1, 'parley: this contact already exists']);
	assert.equal((await run(['contact', 'remove', id])).code, 0);
	assert.equal((await run(['contact', 'remove', id])).code, 5);
});

test('contacts of a team are added, listed, tested and removed', async () => {
	await admin.post('/v1/teams', { name: 'nights', members: [] });
	const team = ['--team', 'nights'];
	const added = await run(['contact', 'add', 'webhook', receiver.url, ...team]);
	assert.equal(added.code, 0, added.stderr);
	const [id] = added.stdout.split(' ');
	assert.equal((await run(['contact', ...team])).stdout, added.stdout);
	assert.equal((await run(['contact'])).stdout, '', 'not one\'s own');
	const before = receiver.got.length;
	assert.equal((await run(['contact', 'test', id, ...team])).code, 0);
	await until(() => receiver.got.length > before, 'the test message');
	assert.equal((await run(['contact', 'remove', id, ...team])).code, 0);
	const none = await run(['contact', '--team', 'nobody']);
	assert.deepEqual([none.code, /there is no team 'nobody'/.test(none.stderr)], [2, true]);
});

test('what cannot be is said at once, with its reason', async () => {
	const from = Date.now();
	const off = await run(['contact', 'add', 'slack', 'U0123ABCD']);
	assert.deepEqual([off.code, off.stderr.trim()], [3, 'parley: slack is not configured on this server']);
	assert.ok(Date.now() - from < 15e3, 'it is not tried again');
	for (const [args, code, says, who] of [
		[['contact', 'add', 'webhook'], 2, /give a channel/],
		[['contact', 'verify', 'abcdefgh'], 2, /no contact is waiting for a code/],
		[['contact', 'frob', 'x'], 2, /unknown action 'frob': list, add, verify, test, remove/],
		[['contact'], 4, /the role agent may not do this/, 'agent'],
		[['route', 'try'], 2, /'route try' expects ASK/],
		[['route', 'try', 'ask_none'], 5, /'ask_none' is not a complete id/],
		[['route', 'set', '/nowhere/routes.json'], 2, /\/nowhere\/routes\.json: No such file or directory/],
	]) {
		const reply = await run(args, { who });
		assert.deepEqual([reply.code, says.test(reply.stderr)], [code, true], `${args.join(' ')}: ${reply.stderr}`);
	}
});

test('routes are listed in words, shown, changed and set', async () => {
	await admin.post(`/v1/users/${ada.id}/contacts`, { channel: 'webhook', address: receiver.url, name: 'desk' });
	const list = (await run(['route'])).stdout;
	assert.match(list, /^1\. Urgent \(priority at least urgent\)\n {3}immediately: assignees by \S+, \S+, \S+\n {3}after 10m: everyone who may answer\n {3}then every 10m, 6 times$/m);
	assert.match(list, /^7\. Everything else\n {3}nobody is notified; the question is in the inbox$/m);
	assert.match((await run(['route'], { lang: 'fr_FR.UTF-8' })).stdout, /^1\. Urgent \(priorité au moins urgente\)\n {3}immédiatement\u00a0: /m);
	const table = JSON.parse((await run(['route', 'show', '--json'])).stdout);
	table.items.unshift({ name: 'Production', match: { kind: ['approval'], risk: { min: 'high' }, project: 'web-*' }, target: '15m',
		steps: [{ after: '20s', to: [`user:${ada.id}`] }, { before: '5m', to: ['role:admin'], pick: 'one' }] });
	const set = await run(['route', 'set', '-'], { input: JSON.stringify(table) });
	const [saved, warning, ...more] = set.stderr.trim().split('\n');
	assert.deepEqual([set.code, saved, more], [0, `Routes saved (version ${table.version + 1}).`, []]);
	assert.match(warning, /^Warning: agents name their project themselves .* not bound: 2\.$/);
	const stale = await run(['route', 'set', '-'], { input: JSON.stringify(table) });
	assert.deepEqual([stale.code, /have changed since/.test(stale.stderr)], [1, true]);
	assert.match((await run(['route'])).stdout,
		/^1\. Production \(approval, risk at least high, project web-\*\)\n {3}after 20s: user:\S+\n {3}5m before the deadline: admins, one person only\n {3}overdue after 15m$/m);
	const gone = { ...table, version: table.version + 1, items: [{ match: {}, steps: [{ after: '1m', to: ['team:gone'] }] }] };
	const refused = await run(['route', 'set', '-'], { input: JSON.stringify(gone) });
	assert.deepEqual([refused.code, refused.stderr.trim()], [2, 'parley: items[0].steps[0].to[0]: no such team']);
	assert.equal((await run(['route', 'set', '-'], { who: 'member', input: JSON.stringify(table) })).code, 4);
});

test('a route is tried with an ask, its time included', async () => {
	const session = (await agent.post('/v1/sessions', { title: 'Release', project: 'web-shop' })).body;
	const ask = await agent.ask({ ...approval(), session: session.id, timeout: '20m',
		operation: { type: 'tool', name: 'rm', arguments: {}, risk: 'high' } });
	const said = await run(['route', 'try', ask.id]);
	assert.equal(said.code, 0, said.stderr);
	const lines = said.stdout.trim().split('\n');
	assert.equal(lines[0], 'Route: Production');
	assert.match(lines[1], new RegExp(`^\\d\\d:\\d\\d +${ada.name}  webhook$`));
	assert.equal(lines.length, 3, 'five minutes before the deadline, one admin');
	const { plan } = JSON.parse((await run(['route', 'try', ask.id, '--json'])).stdout);
	assert.equal(Date.parse(plan[1].at) - Date.parse(plan[0].at), (15 * 60 - 20) * 1000);
	await admin.answer(ask, 'reject');
});

test('doctor looks at routes and contacts of who is logged in', async () => {
	const secret = (await server.run(['user', 'login', 'owner', '--data', server.data])).stdout.match(/\S+\/login#\S+/)[0];
	assert.equal((await server.run(['login', secret])).code, 0);
	const { id } = (await admin.post('/v1/users', { name: 'Leaver', role: 'member' })).body;
	const table = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { version: table.version, items: [{ name: 'Nights', match: {}, steps: [{ after: '1m', to: [`user:${id}`] }] }] });
	const doctor = () => server.run(['doctor', '--json', '--data', server.data]);
	const found = async () => JSON.parse((await doctor()).stdout).findings.map((one) => one.id);
	assert.ok((await found()).includes('routes'));
	await admin.post('/v1/teams', { name: 'asleep' });
	const { version } = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { version, items: [{ name: 'Nights', match: {}, steps: [{ after: '1m', to: [`user:${id}`] },
		{ after: '2m', to: ['team:asleep/on_call'] }] }] });
	assert.deepEqual(JSON.parse((await doctor()).stdout).findings.filter((one) => one.id === 'nobody_on_call').map((one) => one.text),
		['route Nights: nobody is on call (team:asleep/on_call)']);
	assert.equal((await admin.delete(`/v1/users/${id}`)).status, 204);
	const texts = JSON.parse((await doctor()).stdout).findings.filter((one) => one.id === 'bad_route').map((one) => one.text);
	assert.deepEqual(texts, [`route Nights: user:${id} does not exist`]);
});
