// Channels, all of them on one server: codes, who is told by which steps, languages, what breaks a contact, secrets.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { stored } from '../lib/stored.mjs';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { PushService } from './lib/push.mjs';
import { Receiver } from './lib/receiver.mjs';
import { approval, pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';
import { Slack, TOKEN } from './lib/slack.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-channels-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [post, slack, push] = await Promise.all([new Post().open(), new Slack().open(), new PushService().open()]);
const SECRETS = { slack_token: TOKEN, slack_signing_secret: 'sign-me-in-secret' };
const config = join(folder, 'parley.conf');
const fileOf = (name) => join(folder, name);
for (const [name, value] of Object.entries(SECRETS)) writeFileSync(fileOf(name), `${value}\n`, { mode: 0o600 });
writeFileSync(config, `slack_token_file = ${fileOf('slack_token')}
slack_signing_secret_file = ${fileOf('slack_signing_secret')}
slack_api = ${slack.api}
slack_approve = high
push_subject = mailto:ops@example.org
smtp_url = ${post.url}
mail_from = parley@example.org
webhook_internal = 127.0.0.0/8
notify_rate = 1000
`);
const server = await useServer({ flags: ['--config', config] });
const { agent, member, admin } = server;
const [mia, ada] = await Promise.all([member, admin].map(async (who) => (await who.get('/v1/me')).body.user));
const viewer = await server.as('viewer', 'vic');

async function routed(steps, more = {}) {
	const { version } = (await admin.get('/v1/routes')).body;
	const reply = await admin.put('/v1/routes', { version, items: [{ match: {}, steps, ...more }] });
	assert.equal(reply.status, 200, reply.text);
}
const add = async (path, body) => {
	const made = await admin.post(`${path}/contacts`, body);
	assert.equal(made.status, 201, made.text);
	return made.body;
};
async function reached(user, more = {}) {
	const receiver = await new Receiver(more.reply).open();
	const contact = await add(`/v1/users/${user.id}`, { channel: 'webhook', address: receiver.url, name: `${user.name} ${receiver.port}`, ...more.body });
	return { receiver, contact, got: (ask) => receiver.got.filter((g) => g.body.data.ask?.id === ask.id).map((g) => g.body.data.purpose) };
}
const rows = async (ask, query = '') => (await admin.get(`/v1/deliveries?ask=${ask.id}${query}`)).body.items.reverse();
const worked = (ask, n = 1) => until(async () => (await rows(ask, '&kind=route&status=done')).length >= n, `step ${n}`);
const told = async (ask) => (await rows(ask)).filter((row) => row.contact).map((row) => row.contact);
beforeEach(async () => {
	for (const user of [mia, ada]) {
		for (const { id } of (await admin.get(`/v1/users/${user.id}/contacts`)).body.items) await admin.delete(`/v1/users/${user.id}/contacts/${id}`);
	}
});

test('a code is good for 15 minutes, three go to an address in an hour, and an admin cannot type it', async () => {
	const made = await add(`/v1/users/${mia.id}`, { channel: 'email', address: 'codes@example.org' });
	assert.equal(made.verified, false, 'also when an admin entered it');
	const code = codeOf(await post.take('codes@example.org', isCode));
	const verify = (body, who = member, path = '/v1/me') => who.post(`${path}/contacts/${made.id}/verify`, body, { check: false });
	assert.equal((await verify({ code }, admin, `/v1/users/${mia.id}`)).status, 404, 'only where the person is logged in');
	assert.deepEqual(pointers(await verify({ code: '' })), ['/code']);
	const wrong = await verify({ code: 'abcdefgh' });
	assert.deepEqual([wrong.status, wrong.body.type], [422, '/problems/unverified']);
	server.jump(15 * 60e3);
	assert.equal((await verify({ code })).status, 422, 'too late');
	assert.equal((await verify({})).status, 202);
	const second = codeOf(await post.take('codes@example.org', isCode));
	await admin.delete(`/v1/users/${mia.id}/contacts/${made.id}`);
	const again = await member.post('/v1/me/contacts', { channel: 'email', address: 'codes@example.org' });
	assert.equal(again.status, 201);
	const third = codeOf(await post.take('codes@example.org', isCode));
	const other = await viewer.post('/v1/me/contacts', { channel: 'email', address: 'codes@example.org' });
	assert.equal(other.status, 429, 'the fourth, whoever wants it');
	const ours = (word) => member.post(`/v1/me/contacts/${again.body.id}/verify`, { code: word });
	assert.equal((await ours(second)).status, 422, 'of a contact that is gone');
	assert.equal((await ours(third)).body.verified, true);
	const events = (await admin.events(0, '&types=contact.added,contact.verified,contact.removed')).items;
	assert.deepEqual(events.map((e) => [e.type, e.data.channel, e.data.user]).slice(-4), [['contact.added', 'email', mia.id],
		['contact.removed', 'email', mia.id], ['contact.added', 'email', mia.id], ['contact.verified', 'email', mia.id]]);
});

test('a Slack id that two people added belongs to who entered the code first', async () => {
	const [hers, theirs] = [await member.post('/v1/me/contacts', { channel: 'slack', address: 'U0BOTH' }),
		await admin.post('/v1/me/contacts', { channel: 'slack', address: 'U0BOTH' })];
	assert.deepEqual([hers.status, theirs.status], [201, 201]);
	const codes = await until(() => {
		const found = slack.messages.filter((m) => m.to === 'U0BOTH').map((m) => JSON.stringify(m.blocks).match(/Parley: ([a-z]{8})/)[1]);
		return found.length === 2 && found;
	}, 'both codes');
	const verified = [];
	for (const code of codes) verified.push((await member.post(`/v1/me/contacts/${hers.body.id}/verify`, { code })).status);
	assert.ok(verified.includes(200) && verified.every((status) => [200, 409, 422].includes(status)), verified.join());
	for (const code of codes) assert.equal((await admin.post(`/v1/me/contacts/${theirs.body.id}/verify`, { code })).status, 409);
	assert.deepEqual(pointers(await member.post('/v1/me/contacts', { channel: 'slack', address: 'C0ROOM' })), ['/address'], 'rooms are of teams');
});

test('two contacts that one step names are both told, each of its person', async () => {
	const [first, second, spare] = [await reached(mia), await reached(ada), await reached(mia)];
	await routed([{ after: '0s', to: [`contact:${spare.contact.id}`, `contact:${second.contact.id}`] }]);
	const ask = await agent.ask();
	await worked(ask);
	assert.deepEqual((await told(ask)).sort(), [spare.contact.id, second.contact.id].sort());
	assert.deepEqual(first.got(ask), []);
	await admin.answer(ask, { q1: true });
	const table = (await admin.get('/v1/routes')).body;
	assert.deepEqual(table.names, { [spare.contact.id]: mia.name, [second.contact.id]: ada.name });
	assert.equal((await admin.put('/v1/routes', table)).status, 200, 'sent back as it was read');
});

test('of several contacts of one person that a step names each is told, once', async () => {
	const [first, second, spare] = [await reached(mia), await reached(mia), await reached(mia)];
	await routed([{ after: '0s', to: [`contact:${second.contact.id}`, `contact:${spare.contact.id}`, `contact:${second.contact.id}`] }]);
	const ask = await agent.ask();
	await worked(ask);
	assert.deepEqual((await told(ask)).sort(), [second.contact.id, spare.contact.id].sort());
	assert.deepEqual(first.got(ask), []);
	const { body } = await admin.post('/v1/routes/try', { ask: {} });
	assert.deepEqual(body.plan.map((p) => p.contact).sort(), [second.contact.id, spare.contact.id].sort());
	await admin.answer(ask, { q1: true });
});

test('teams: members, leads, who is on call, rooms once; one of them in turn', async () => {
	const [hers, his] = [await reached(mia), await reached(ada)];
	const { body: team } = await admin.post('/v1/teams', { name: 'night', members: [{ user: mia.id }, { user: ada.id, lead: true }] });
	await admin.patch(`/v1/teams/${team.id}`, { on_call: mia.id });
	const room = await add(`/v1/teams/${team.id}`, { channel: 'slack', address: 'C0NIGHT' });
	assert.equal(room.verified, true, 'a room needs no code');
	const tells = async (to, more = {}) => {
		await routed([{ after: '0s', to, ...more }]);
		const ask = await agent.ask();
		await worked(ask);
		const who = await told(ask);
		await admin.answer(ask, { q1: true });
		return who.map((id) => ({ [hers.contact.id]: 'mia', [his.contact.id]: 'ada', [room.id]: 'room' }[id])).sort();
	};
	assert.deepEqual(await tells(['team:night']), ['ada', 'mia', 'room']);
	assert.deepEqual(await tells(['team:night/leads']), ['ada']);
	assert.deepEqual(await tells(['team:night/on_call']), ['mia']);
	assert.deepEqual(await tells(['role:admin']), ['ada']);
	assert.deepEqual(await tells(['team:night', `contact:${room.id}`, 'all', `user:${mia.id}`]), ['ada', 'mia', 'room'], 'each once');
	assert.deepEqual(await tells(['team:night'], { via: ['slack'] }), ['ada', 'mia', 'room'], 'who has none is told by what they have');
	const turns = [];
	for (let i = 0; i < 4; i++) {
		server.jump(1000);
		turns.push((await tells([`user:${mia.id}`, `user:${ada.id}`], { pick: 'one' }))[0]);
	}
	assert.deepEqual([turns[0] === turns[2], turns[1] === turns[3], turns[0] !== turns[1]], [true, true, true], turns.join());
	await routed([]);
	await admin.delete(`/v1/teams/${team.id}`);
});

test('without via each step takes the next contact, and then the first again; with it every channel named', async () => {
	const [one, two] = [await reached(mia), await reached(mia)];
	const browser = push.browser('one');
	const { body: third } = await member.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription });
	const step = { to: [`user:${mia.id}`] };
	await routed([0, 1, 2, 3].map((m) => ({ ...step, after: `${m}m` })));
	const ask = await agent.ask();
	for (let n = 1; n <= 4; n++) {
		await worked(ask, n);
		await until(async () => (await rows(ask, '&status=waiting')).every((row) => row.kind === 'route'), 'sent');
		server.jump(60e3);
	}
	const order = await told(ask);
	assert.deepEqual([order[0], order.slice(1, 3).sort(), order[3]], [third.id, [one.contact.id, two.contact.id].sort(), third.id]);
	assert.deepEqual((await rows(ask)).filter((row) => row.contact).map((row) => row.purpose), ['ask', 'ask', 'ask', 'reminder']);
	await routed([{ ...step, after: '0s', via: ['push', 'webhook'] }]);
	const both = await agent.ask();
	await worked(both);
	const kinds = (await rows(both)).map((row) => row.kind).sort();
	assert.deepEqual(kinds, ['push', 'route', 'webhook']);
	const mine = (await admin.get(`/v1/deliveries?user=${mia.id}&purpose=ask&kind=push`)).body.items;
	assert.ok(mine.length >= 2 && mine.every((row) => row.user === mia.id && row.purpose === 'ask' && row.kind === 'push'));
	for (const a of [ask, both]) await admin.answer(a, { q1: true });
});

test('unless: never does not wait for a claim; a step after the deadline does not happen', async () => {
	const phone = await reached(mia);
	await routed([{ after: '5s', to: [`user:${mia.id}`], unless: 'never' }, { after: '1h', to: [`user:${mia.id}`] }]);
	const ask = await agent.ask({ timeout: '10m' });
	await admin.post(`/v1/asks/${ask.id}/claim`);
	server.jump(6e3);
	await phone.receiver.some(1);
	await until(async () => !(await rows(ask, '&status=waiting')).length, 'no second step');
	await admin.answer(ask, { q1: true });
});

test('what breaks a contact at Slack, and what is retried', async () => {
	const { body: team } = await admin.post('/v1/teams', { name: 'rooms' });
	let n = 0;
	for (const error of ['user_not_found', 'account_inactive', 'is_archived', 'channel_not_found', 'not_in_channel']) {
		slack.broken['chat.postMessage'] = { ok: false, error };
		const room = await add(`/v1/teams/${team.id}`, { channel: 'slack', address: `C0ERR${++n}` });
		await admin.post(`/v1/teams/${team.id}/contacts/${room.id}/test`);
		const read = async () => (await admin.get(`/v1/teams/${team.id}/contacts/${room.id}`)).body.broken;
		await until(async () => (await read())?.reason === error, error);
		if (n > 1) continue; // a message a second and room
		delete slack.broken['chat.postMessage'];
		await admin.post(`/v1/teams/${team.id}/contacts/${room.id}/test`);
		await until(async () => !(await read()), 'mended by a success');
	}
	slack.broken['chat.postMessage'] = { ok: false, error: 'internal_error' };
	const room = await add(`/v1/teams/${team.id}`, { channel: 'slack', address: 'C0LATER' });
	const { body: row } = await admin.post(`/v1/teams/${team.id}/contacts/${room.id}/test`);
	const state = async () => (await admin.get(`/v1/deliveries/${row.id}`)).body;
	await until(async () => (await state()).last_error === 'internal_error', 'tried');
	assert.deepEqual([(await state()).status, (await admin.get(`/v1/teams/${team.id}/contacts/${room.id}`)).body.broken], ['waiting', null]);
	delete slack.broken['chat.postMessage'];
	await admin.delete(`/v1/teams/${team.id}`);
});

const channel = async (name, who = member) => (await who.get('/v1/channels')).body.items.find((c) => c.channel === name);
const linked = async (client, id) => {
	const made = await client.post('/v1/me/contacts', { channel: 'slack', address: id });
	assert.equal(made.status, 201, made.text);
	const code = await until(() => slack.messages.findLast((m) => m.to === id), 'the code');
	const [, word] = JSON.stringify(code.blocks).match(/Parley: ([a-z]{8})/);
	assert.equal((await client.post(`/v1/me/contacts/${made.body.id}/verify`, { code: word })).status, 200);
	return made.body;
};

test('channels: which are configured, and which have worked', async () => {
	assert.equal((await agent.get('/v1/channels')).status, 403);
	const { items } = (await member.get('/v1/channels')).body;
	assert.deepEqual(items.map((c) => [c.channel, c.configured]).sort(),
		[['command', false], ['email', true], ['push', true], ['slack', true], ['webhook', true]]);
	assert.deepEqual(items.find((c) => c.channel === 'command'),
		{ channel: 'command', configured: false, state: 'untested', since: null, error: null, waiting: 0 });
	assert.equal((await channel('webhook')).state, 'ok', 'messages went by it above');
});

test('a channel that fails for a reason of its own is down: said once, the next contact at once; the first success wakes what waits', async () => {
	const hook = await reached(mia);
	const own = await linked(member, 'UDOWN');
	const room = await add(`/v1/teams/${(await admin.post('/v1/teams', { name: 'crew' })).body.id}`, { channel: 'slack', address: 'C0CREW' });
	await routed([{ after: '0s', to: [`user:${mia.id}`] }, { after: '1h', to: [`contact:${room.id}`] }]);
	slack.broken['chat.postMessage'] = { ok: false, error: 'token_revoked' };
	const before = Date.now() + server.offset;
	const ask = await agent.ask();
	await until(() => hook.got(ask).length === 1, 'the next contact at once');
	const row = async () => (await rows(ask)).find((r) => r.contact === own.id);
	assert.deepEqual([(await row()).status, (await row()).last_error], ['waiting', 'token_revoked']);
	assert.deepEqual((await member.get(`/v1/asks/${ask.id}/deliveries`)).body.unreached, [], 'somebody was reached');
	const down = await channel('slack');
	assert.deepEqual([down.state, down.error, down.waiting > 0], ['down', 'token_revoked', true]);
	assert.ok(Date.parse(down.since) >= before - 1000);
	assert.equal((await server.run(['login', `${server.url}${await server.loginPath('ada')}`])).code, 0);
	const doctor = await server.run(['doctor', '--data', server.data], { env: { LANG: 'C.UTF-8' } });
	assert.match(doctor.stdout, /Slack is not working since .*: token_revoked; \d+ waiting/, doctor.stdout + doctor.stderr);
	// A second one is still tried there; nobody else is told of the first because it fails again.
	await admin.delete(`/v1/users/${mia.id}/contacts/${hook.contact.id}`);
	const alone = await agent.ask();
	await until(async () => (await member.get(`/v1/asks/${alone.id}/deliveries`)).body.unreached.length === 2, 'both steps');
	const { unreached } = (await member.get(`/v1/asks/${alone.id}/deliveries`)).body;
	assert.deepEqual(unreached.map((u) => u.reasons.map((r) => r.why)), [['down'], ['down']]);
	server.jump(6e3);
	await until(async () => (await row()).attempts === 2 && (await row()).last_error, 'tried again');
	assert.deepEqual(hook.got(ask), ['ask'], 'told once');
	assert.equal(server.output.match(/slack is not working: token_revoked/g).length, 1, 'logged once');
	delete slack.broken['chat.postMessage'];
	// The others wait for 30 s and more: what arrives now wakes them.
	await admin.post(`/v1/users/${mia.id}/contacts/${own.id}/test`);
	await until(async () => (await row()).status === 'done', 'woken');
	await until(async () => (await rows(alone)).filter((r) => r.contact).every((r) => r.status === 'done'), 'all of them');
	assert.equal((await channel('slack')).state, 'ok');
	assert.match(server.output, /slack works again/);
	for (const a of [ask, alone]) await admin.answer(a, { q1: true });
	await routed([]);
});

test('a message is in the language of its person, a room\'s in the server\'s; sensitive and title alone say no risk', async () => {
	const browser = push.browser('fr');
	await member.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription });
	const { body: team } = await admin.post('/v1/teams', { name: 'salon' });
	const room = await add(`/v1/teams/${team.id}`, { channel: 'slack', address: 'C0SALON' });
	assert.equal((await admin.patch(`/v1/users/${mia.id}`, { language: 'fr' })).status, 200);
	await routed([{ after: '0s', to: [`user:${mia.id}`, `contact:${room.id}`] }]);
	const ask = await agent.ask(approval({ title: 'Ship it', timeout: '10m' }));
	const got = await browser.some(1);
	assert.match(got.body, /Expire dans 10 minutes[^]*élevé/);
	const message = await until(() => slack.messages.find((m) => m.to === 'C0SALON'), 'the room');
	assert.match(JSON.stringify(message.blocks), /Expires in 10 minutes[^]*Risk: high/);
	assert.deepEqual(slack.buttons(message).map((b) => b.text.text), ['Approve', 'Reject…', 'Open in Parley'], 'slack_approve is high; no hour above medium');
	await agent.ask(approval({ title: 'Ship it', sensitive: true, timeout: '10m' }));
	const hidden = await browser.some(2);
	assert.deepEqual(hidden.body.split('\n').length, 1, hidden.body);
	assert.doesNotMatch(JSON.stringify(hidden), /lev|Ship/);
	await member.put('/v1/me/notify', { content: 'title' });
	await agent.ask(approval({ title: 'Ship it', timeout: '10m' }));
	const title = await browser.some(3);
	assert.match(title.title, /Ship it/);
	assert.doesNotMatch(title.body, /lev|shell|deploy/);
	await member.put('/v1/me/notify', {});
	await admin.patch(`/v1/users/${mia.id}`, { language: 'en' });
	await admin.answer(ask, { q1: 'reject' });
});

test('the routes that a workspace has at first', async () => {
	const fresh = await useServer();
	const { version, items } = (await fresh.admin.get('/v1/routes')).body;
	assert.equal(typeof version, 'number');
	const brief = items.map(({ match, steps, repeat }) => [match, steps.map((s) => `${s.after} ${s.to} ${s.via ?? 'own'}`), repeat && `${repeat.every} x ${repeat.times}`]);
	const loud = [['0s assignees email,slack,push', '10m all own'], '10m x 6'];
	assert.deepEqual(brief, [[{ priority: { min: 'urgent' } }, ...loud], [{ risk: { min: 'critical' } }, ...loud],
		[{ kind: ['blocking', 'approval'] }, ['20s assignees push', '5m assignees own', '15m role:admin own'], undefined],
		[{ kind: ['error_recovery'] }, ['20s assignees push', '5m assignees own'], undefined],
		[{ kind: ['non_blocking'] }, ['2m assignees push'], undefined],
		[{ kind: ['alert'] }, ['0s role:admin own'], undefined], [{}, [], undefined]]);
	const put = (rows) => fresh.admin.put('/v1/routes', { version, items: rows });
	const last = { match: {}, steps: [] };
	assert.equal((await put([...Array.from({ length: 100 }, () => ({ match: { agent: 'x' }, steps: [] })), last])).status, 422, '100 rows');
	const steps = Array.from({ length: 11 }, (_, i) => ({ after: `${i}s`, to: ['all'] }));
	assert.deepEqual(pointers(await put([{ match: {}, steps }])), ['/items/0/steps']);
	for (const who of [fresh.agent]) {
		for (const path of ['/v1/routes', '/v1/deliveries', '/v1/me/contacts', '/v1/me/notify']) assert.equal((await who.get(path)).status, 403, path);
		assert.equal((await who.post('/v1/routes/try', { ask: {} })).status, 403);
	}
	const off = await fresh.nobody.request('POST', '/v1/in/slack', { body: '{}' });
	assert.deepEqual([off.status, off.body.type], [503, '/problems/channel-off']);
	for (const channel of ['email', 'slack']) {
		const reply = await fresh.member.post('/v1/me/contacts', { channel, address: channel === 'email' ? 'a@b.example' : 'U012' });
		assert.deepEqual([reply.status, reply.body.type], [503, '/problems/channel-off']);
	}
});

test('the first routes tell somebody with any contact within 20 s, and of what can wait after two minutes', async () => {
	const fresh = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8'] });
	const receiver = await new Receiver().open();
	const { user } = (await fresh.member.get('/v1/me')).body;
	await fresh.admin.post(`/v1/users/${user.id}/contacts`, { channel: 'webhook', address: receiver.url });
	const { body: plan } = await fresh.member.post('/v1/routes/try', { ask: { kind: 'approval' } });
	assert.deepEqual(plan.plan.filter((p) => p.user === user.id).map((p) => [p.step, p.channel, p.why])[0], [0, 'webhook', null]);
	const ask = await fresh.agent.ask();
	const later = await fresh.agent.ask({ kind: 'non_blocking' });
	fresh.jump(21e3);
	await receiver.some(1, ask);
	fresh.jump(100e3);
	await receiver.some(1, later);
});

test('secrets stand in files of 0600, and nowhere else', async () => {
	const text = server.output + stored(server.data).map(([, said]) => said).join('') + (await admin.get('/metrics')).text;
	for (const secret of Object.values(SECRETS)) assert.ok(!text.includes(secret), 'a secret is shown, logged or stored');
	const serve = async (...flags) => {
		const done = await server.run(['serve', '--data', join(folder, 'none'), '--listen', '127.0.0.1:0', ...flags]);
		assert.equal(done.code, 2, flags.join(' '));
		return done.stderr;
	};
	chmodSync(fileOf('slack_token'), 0o644);
	assert.match(await serve('--slack-token-file', fileOf('slack_token'), '--slack-signing-secret', 'x'), /slack_token.*(0600|chmod 600)/s);
	for (const [flags, word] of [[['--mail-approve', 'critical'], /mail_approve|mail-approve/], [['--slack-approve', 'critical'], /slack_approve|slack-approve/],
		[['--slack-token', 'x', '--slack-signing-secret', 'y', '--slack-api', 'http://slack.example/api/'], /slack_api|slack-api/],
		[['--imap-url', 'imap://mail.example/INBOX', '--imap-password', 'x'], /imap/]]) assert.match(await serve(...flags), word);
});
