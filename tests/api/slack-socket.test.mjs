// Slack's Socket Mode over TLS: presses, forms and threads come over a connection that the server opens and keeps.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until, useServer } from './lib/server.mjs';
import { Slack, TOKEN } from './lib/slack.mjs';
import { APP_TOKEN, SlackSockets, frame } from './lib/slack_socket.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-slack-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key,
	'-out', cert, '-days', '2', '-subj', '/CN=slack', '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'pipe' });

const slack = await new Slack().open({ cert: readFileSync(cert), key: readFileSync(key) });
const sockets = new SlackSockets(slack);
const server = await useServer({ env: { SSL_CERT_FILE: cert },
	flags: ['--slack-token', TOKEN, '--slack-app-token', APP_TOKEN, '--slack-api', slack.api, '--notify-rate', '1000'] });
const { agent, member, admin } = server;
const mia = (await member.get('/v1/me')).body.user;
const contact = (await member.post('/v1/me/contacts', { channel: 'slack', address: 'UMIA' })).body;
const [, code] = JSON.stringify((await slack.message(1)).blocks).match(/Parley: ([a-z]{8})/);
assert.equal((await member.post(`/v1/me/contacts/${contact.id}/verify`, { code })).status, 200);
const { version } = (await admin.get('/v1/routes')).body;
await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${mia.id}`] }] }] });

async function shown(body) {
	const ask = await agent.ask(body);
	return { ask, message: await until(() => slack.messages.find((m) => JSON.stringify(m.blocks).includes(ask.id)), 'the message') };
}
const owner = server.client(await server.token('owner', 'olga'));
const metric = async () => Number((await owner.get('/metrics', { check: false })).text.match(/^parley_slack_socket (\d)/m)?.[1]);

test('the socket is open, and HTTP is off without a signing secret', async () => {
	const link = await sockets.link(1);
	await until(async () => await metric() === 1, 'the metric');
	assert.equal((await fetch(`${server.url}/v1/in/slack`, { method: 'POST', body: '{}' })).status, 503);
	link.ping('are you there');
	await until(() => link.pongs.includes('are you there'), 'a pong');
});

test('a press is durable before it is acknowledged, and counts once', async () => {
	const { ask, message } = await shown({ question: 'Go?', type: 'boolean' });
	const press = await slack.press(sockets, 'UMIA', message, 'yes', { stamp: '5.1', value: slack.buttons(message)[0].value });
	assert.deepEqual(press, { status: 200, body: null });
	const settled = await member.read(ask);
	assert.deepEqual([settled.status, settled.answered_by.user, settled.answered_by.via], ['answered', mia.id, 'slack']);
	await until(() => message.edits.length, 'edited');
	await slack.press(sockets, 'UMIA', message, 'yes', { stamp: '5.1', value: `${ask.id}..yes` });
	assert.deepEqual(slack.lines, [], 'the same press again is no conflict');
});

test('forms: errors and what came too late stand in the acknowledgement; threads; strangers; other workspaces', async () => {
	const { ask, message } = await shown({ questions: [{ key: 'n', text: 'How many?', type: 'number', max: 5 }] });
	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'told');
	await slack.say(sockets, 'UMIA', message, 'what for?');
	assert.equal((await member.read(ask)).replies[0].text, 'what for?');
	await slack.press(sockets, 'USTRANGER', message, 'form');
	assert.match(await slack.line(1), /Link your account/);
	await slack.press(sockets, 'UMIA', message, 'form', { team: 'TOTHER' });
	await slack.press(sockets, 'UMIA', message, 'form');
	const view = await until(() => slack.views.at(-1), 'the form');
	assert.equal(slack.views.length, 1, 'another workspace opens none');
	const wrong = await slack.submit(sockets, 'UMIA', view, { q0: { value: '9' } });
	assert.deepEqual([wrong.body.response_action, Object.keys(wrong.body.errors)], ['errors', ['q0']]);
	assert.equal((await slack.submit(sockets, 'UMIA', view, { q0: { value: '4' } })).body, null);
	assert.equal((await member.read(ask)).answer.n.value, 4);
	assert.equal((await slack.submit(sockets, 'UMIA', view, { q0: { value: '3' } })).body.response_action, 'update');
});

test('what is announced to end is replaced before, and what is cut is opened again', async () => {
	const first = sockets.live.at(-1), before = sockets.links.length;
	const one = await shown({ question: 'One?', type: 'boolean' });
	first.send({ type: 'disconnect', reason: 'warning', debug_info: { host: 'applink' } });
	const second = await sockets.link(before + 1);
	assert.equal(first.ended, false);
	await slack.press(sockets, 'UMIA', one.message, 'yes', { link: first });
	assert.ok(first.got.length && !second.got.length, 'acknowledged where it came');
	first.cut();
	// A reserved bit, which nobody agreed on: the connection is given up.
	second.socket.write(Buffer.from([0xc1, 1, 0x78]));
	await until(() => second.ended, 'given up');
	assert.equal(second.closed, 1002);
	await sockets.link(before + 2);
	const two = await shown({ question: 'Two?', type: 'boolean' });
	await slack.press(sockets, 'UMIA', two.message, 'no');
	assert.deepEqual([(await member.read(one.ask)).status, (await member.read(two.ask)).answer.q1.value], ['answered', false]);
});

test('a socket that cannot be opened is tried again, and logged once', async () => {
	sockets.refused = { ok: false, error: 'invalid_auth' };
	const before = sockets.opened.length;
	sockets.live.forEach((link) => link.cut());
	await until(() => sockets.opened.length >= before + 2, 'two more tries');
	assert.equal(await metric(), 0);
	sockets.refused = null;
	await until(async () => await metric() === 1, 'open again');
	assert.equal(server.stderr.match(/socket cannot be opened: invalid_auth/g).length, 1);
	assert.match(server.stderr, /socket is open again/);
	const { ask, message } = await shown({ question: 'Still?', type: 'boolean' });
	// A text in pieces, with a ping in between.
	const text = JSON.stringify({ envelope_id: 'pieces', type: 'interactive', payload: { type: 'block_actions', team: { id: 'T0TEAM' },
		user: { id: 'UMIA' }, actions: [{ value: slack.buttons(message)[0].value, action_ts: '9.9' }] } });
	const link = sockets.live.at(-1);
	for (const bytes of [frame(1, text.slice(0, 40), { last: false }), frame(9, 'x'), frame(0, text.slice(40))]) link.socket.write(bytes);
	await until(() => link.got.some((one) => one.envelope_id === 'pieces'), 'acknowledged');
	assert.equal((await member.read(ask)).status, 'answered');
});

test('a connection over which nothing comes for 45 s is given up, and another opened', { skip: !process.env.PARLEY_LONG }, async (t) => {
	const link = sockets.live.at(-1), before = sockets.links.length, from = Date.now();
	link.deaf = true;
	const next = await sockets.link(before + 1);
	t.diagnostic(`after ${Math.round((Date.now() - from) / 1000)} s`);
	assert.ok(Date.now() - from >= 29e3, 'not before three beats in vain');
	await until(() => link.ended, 'the old one is closed');
	await until(async () => await metric() === 1, 'open');
	const { ask, message } = await shown({ question: 'There?', type: 'boolean' });
	await slack.press(sockets, 'UMIA', message, 'yes');
	assert.equal((await member.read(ask)).status, 'answered');
	assert.ok(!next.ended);
});

test('the shell: the manifest of Socket Mode, doctor, and what is refused', async () => {
	const manifest = JSON.parse((await server.run(['slack', 'manifest', '--socket'])).stdout);
	assert.equal(manifest.settings.socket_mode_enabled, true);
	assert.ok(!JSON.stringify(manifest).includes('request_url'));
	const doctor = async (token) => JSON.parse((await server.run(['doctor', '--json', '--data', server.data, '--slack-token', TOKEN,
		'--slack-app-token', token, '--slack-api', slack.api])).stdout).findings.find((one) => /slack_socket/.test(one.id));
	const right = await doctor(APP_TOKEN);
	assert.equal(right.state, 'ok', right.text);
	assert.equal((await doctor('xapp-other')).state, 'wrong');
	slack['apps.connections.open'] = () => ({ ok: true, url: 'ws://192.0.2.1/link' });
	assert.match((await doctor(APP_TOKEN)).text, /beyond this machine/);
	slack['apps.connections.open'] = () => sockets.open();
	const alone = await server.run(['serve', '--data', `${server.data}-none`, '--slack-app-token', APP_TOKEN]);
	assert.equal(alone.code, 2);
});

test('a server that stops says goodbye', async () => {
	const link = sockets.live.at(-1);
	await server.stop();
	await until(() => link.closed === 1000, 'goodbye');
	await server.start();
});
