// Who was told of an ask, what verifiers say of it, and that somebody is looking: in the terminal.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Receiver } from '../api/lib/receiver.mjs';
import { SECRET, Slack, TOKEN } from '../api/lib/slack.mjs';
import { approval, until, useTerminals } from './lib.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-told-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'parley.conf');
writeFileSync(join(folder, 'scan.json'), JSON.stringify({ verdict: 'unsure', note: 'a new host', risk: 'high' }));
writeFileSync(config, `[verifiers]\nscan = cat ${join(folder, 'scan.json')}\n`);
const slack = await new Slack().open();
const server = await useTerminals({ flags: ['--config', config, '--webhook-internal', '127.0.0.0/8',
	'--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api] });
const { admin, agent } = server;
const secret = await server.token('member', 'mia-2');
const client = server.client(secret);
const mia = (await client.get('/v1/me')).body.user;
const env = { PARLEY_TOKEN: secret };
const answers = { down: false };
const receiver = await new Receiver((request, response) => response.writeHead(answers.down ? 410 : 204).end()).open();
const { body: contact } = await admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'webhook', address: receiver.url, name: 'phone' });
const { version } = (await admin.get('/v1/routes')).body;
await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${mia.id}`] },
	{ after: '1h', to: ['role:admin'] }] }] });

test('the card and parley show say who was told and what comes next', async () => {
	const ask = await agent.ask({ question: 'Ship it?', type: 'boolean' });
	await until(async () => (await admin.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'told');
	const shown = await server.run(['show', ask.id], { env: { ...env, PARLEY_URL: server.url, LANG: 'C.UTF-8' } });
	assert.match(shown.stdout, /^Notified: \S+, webhook \d\d:\d\d\nAt (\d{4}-\d\d-\d\d )?\d\d:\d\d, admins will be notified if nobody has answered$/m);
	const asAgent = await server.run(['show', ask.id], { env: { PARLEY_TOKEN: server.secrets.agent, PARLEY_URL: server.url, LANG: 'C.UTF-8' } });
	assert.equal(asAgent.code, 0, asAgent.stderr);
	assert.ok(!/Notified:/.test(asAgent.stdout), 'not an agent\'s business');
	const inbox = await server.inbox({ columns: 80, env });
	await inbox.shows('Ship it?');
	inbox.press('Enter');
	await inbox.shows(/Notified: you, webhook \d\d:\d\d/);
	await inbox.shows(', admins will be notified');
	inbox.close();
	await admin.answer(ask, { q1: true });
	const after = await server.run(['show', ask.id], { env: { ...env, PARLEY_URL: server.url, LANG: 'C.UTF-8' } });
	assert.match(after.stdout, /^Notified: /m);
	assert.doesNotMatch(after.stdout, /will be notified/);
});

test('who sits at the inbox is not told elsewhere, until they have left it', async () => {
	const inbox = await server.inbox({ columns: 80, env });
	const seen = async () => (await admin.post('/v1/routes/try', { ask: { kind: 'blocking' } })).body.plan[0].why === 'present';
	await until(seen, 'in sight');
	server.jump(6 * 60e3);
	await until(async () => !(await seen()), 'nobody has pressed a key for minutes');
	inbox.press('j');
	await until(seen, 'back');
	inbox.close();
});

test('a verifier\'s words are on the card', async () => {
	await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['deploy'] }, ask: { verify: 'scan' } });
	const ask = await agent.ask(approval('low', { title: 'Scanned', operation: { type: 'tool', name: 'deploy', arguments: { to: 'prod' }, risk: 'low' } }));
	await until(async () => (await agent.read(ask)).verify?.[0].verdict, 'the verdict');
	const inbox = await server.inbox({ columns: 80, env });
	await inbox.shows('Scanned');
	inbox.press('Enter');
	await inbox.shows((text) => /scan says {2}Unsure · raised to high risk/i.test(text) && text.includes('a new host'));
	inbox.close();
	await admin.answer(ask, 'reject');
});

test('a contact that does not work any more is said once', async () => {
	answers.down = true;
	const inbox = await server.inbox({ columns: 80, env });
	server.jump(61e3);
	const tried = await admin.post(`/v1/users/${mia.id}/contacts/${contact.id}/test`);
	assert.equal(tried.status, 202, tried.text);
	await until(async () => (await client.get('/v1/me/contacts')).body.items[0].broken, 'broken');
	await inbox.shows('Parley can no longer reach you by webhook (phone)');
	inbox.close();
});

test('a channel that does not work is said to admins, at the start and when it happens', async () => {
	const { id } = (await admin.post('/v1/teams', { name: 'crew' })).body;
	const room = (await admin.post(`/v1/teams/${id}/contacts`, { channel: 'slack', address: 'C0CREW' })).body;
	const table = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { ...table, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${room.id}`] }] }] });
	slack.broken['chat.postMessage'] = { ok: false, error: 'token_revoked' };
	const admins = { PARLEY_TOKEN: await server.token('admin', 'ada-2') };
	const watching = await server.inbox({ columns: 80, env: admins });
	await watching.shows('Scanned');
	server.jump(61e3); // since it looked last
	const ask = await agent.ask({ question: 'Reached?', type: 'boolean' });
	await watching.shows('Slack is not working: token_revoked');
	/* It stays there, above what is listed. */
	await watching.pass(6000);
	assert.match((await watching.taken()).split('\n')[1], /Slack is not working: token_revoked · \d\d:\d\d/);
	const later = await server.inbox({ columns: 80, env: admins });
	await later.shows('Slack is not working: token_revoked');
	await admin.answer(ask, { q1: true });
	for (const inbox of [watching, later]) inbox.close();
});
