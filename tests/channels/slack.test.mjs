// Slack as others wrote it: the Web API of `emulate` takes our messages, edits, forms and threads; an app of Slack's own
// framework, unmodified, gets from our fake of Slack what this server gets.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import bolt from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { createEmulator } from 'emulate';
import { until, useServer } from '../api/lib/server.mjs';
import { SECRET, Slack, TOKEN } from '../api/lib/slack.mjs';
import { APP_TOKEN, SlackSockets } from '../api/lib/slack_socket.mjs';
import { stablePort } from '../lib/ports.mjs';

test('emulate: a message with blocks, its edit, errors, a direct message, a thread', async () => {
	const emulator = await createEmulator({ service: 'slack', port: await stablePort(), seed: { slack: {
		users: [{ name: 'mia' }], channels: [{ name: 'ops' }], signing_secret: SECRET,
		tokens: [{ token: TOKEN, type: 'bot' }, { token: 'xoxp-mia', user: 'mia' }] } } });
	after(() => emulator.close());
	const slack = async (method, body = {}, token = TOKEN) => {
		const reply = await fetch(`${emulator.url}/api/${method}`, { method: 'POST', body: JSON.stringify(body),
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' } });
		return reply.json();
	};
	const server = await useServer({ flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', `${emulator.url}/api/`] });
	const { agent, member, admin } = server;
	const person = (await slack('auth.test', {}, 'xoxp-mia')).user_id;
	const room = (await slack('conversations.list')).channels.find((c) => c.name === 'ops').id;
	const history = async (channel) => (await slack('conversations.history', { channel })).messages;

	const mine = (await member.post('/v1/me/contacts', { channel: 'slack', address: person })).body;
	const direct = await until(async () => (await slack('conversations.list', { types: 'im' })).channels[0], 'a direct message');
	const code = JSON.stringify(await history(direct.id)).match(/Parley: ([a-z]{8})/)[1];
	assert.equal((await member.post(`/v1/me/contacts/${mine.id}/verify`, { code })).status, 200);

	const team = (await admin.post('/v1/teams', { name: 'ops' })).body;
	const to = async (address) => (await admin.post(`/v1/teams/${team.id}/contacts`, { channel: 'slack', address })).body;
	const ops = await to(room);
	const { version } = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${ops.id}`] }] }] });
	const ask = await agent.ask({ title: 'Ship <it> & go', question: 'Go?', type: 'boolean' });
	const message = await until(async () => (await history(room)).find((m) => JSON.stringify(m.blocks ?? '').includes(ask.id)), 'the message');
	assert.equal(message.text, 'Ship &lt;it&gt; &amp; go (builder)');
	assert.deepEqual(message.blocks.map((b) => b.type), ['rich_text', 'actions']);
	assert.deepEqual([message.unfurl_links, message.unfurl_media], [false, false]);

	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'reported');
	assert.equal((await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'Because.' })).status, 201);
	const thread = async () => (await slack('conversations.replies', { channel: room, ts: message.ts })).messages;
	await until(async () => (await thread()).length === 2, 'the agent\'s reply in the thread');

	await admin.answer(ask, { q1: true });
	const edited = await until(async () => (await history(room)).find((m) => m.ts === message.ts && m.edited), 'the edit');
	assert.deepEqual(edited.blocks.map((b) => b.type), ['rich_text', 'actions']);
	assert.match(JSON.stringify(edited.blocks), /Answered by ada/);

	for (const [address, archived, error] of [['C0NOTHERE', false, 'channel_not_found'], [room, true, 'is_archived']]) {
		const contact = archived ? ops : await to(address);
		if (archived) assert.equal((await slack('conversations.archive', { channel: room })).ok, true);
		await admin.post(`/v1/teams/${team.id}/contacts/${contact.id}/test`);
		const broken = await until(async () => (await admin.get(`/v1/teams/${team.id}/contacts/${contact.id}`)).body.broken, error);
		assert.equal(broken.reason, error);
	}
});

test('emulate: an account is found by its e-mail address, and only with the scope', async () => {
	const lookup = async (email, scopes) => {
		const emulator = await createEmulator({ service: 'slack', port: await stablePort(), seed: { slack: { strict_scopes: true,
			users: [{ name: 'mia', email: 'mia+work@example.org' }], signing_secret: SECRET,
			tokens: [{ token: TOKEN, type: 'bot', scopes }] } } });
		after(() => emulator.close());
		const server = await useServer({ flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', `${emulator.url}/api/`] });
		const { status, body } = await server.member.post('/v1/me/contacts/lookup', { channel: 'slack', email });
		return [status, body.name ?? body.detail];
	};
	const scopes = ['users:read', 'users:read.email'];
	assert.deepEqual(await lookup('mia+work@example.org', scopes), [200, 'mia']);
	assert.match((await lookup('gone@example.org', scopes)).join(' '), /^404 Slack has no account with the e-mail address gone@example.org;/);
	assert.match((await lookup('mia+work@example.org', ['chat:write'])).join(' '), /^503 the Slack app lacks the scope users:read.email;/);
});

test('an unmodified Bolt app works with our fake by HTTP: signatures, presses, forms, events', async () => {
	const slack = await new Slack().open();
	const receiver = new bolt.HTTPReceiver({ signingSecret: SECRET, endpoints: '/v1/in/slack', logLevel: 'error' });
	const one = new bolt.App({ token: TOKEN, receiver, clientOptions: { slackApiUrl: slack.api }, logLevel: 'error' });
	const got = [];
	one.action('yes', async ({ ack, body, action, respond }) => {
		await ack();
		got.push(['press', body.user.id, action.value]);
		await respond({ response_type: 'ephemeral', text: 'seen' });
	});
	one.action('form', async ({ ack, body, client }) => {
		await ack();
		await client.views.open({ trigger_id: body.trigger_id, view: { type: 'modal', callback_id: '', private_metadata: 'meta',
			title: { type: 'plain_text', text: 'Form' }, blocks: [{ type: 'section', text: { type: 'plain_text', text: 'x' } }] } });
	});
	one.view('', async ({ ack, view }) => {
		got.push(['form', view.state.values.q0.v.value]);
		await ack({ response_action: 'errors', errors: { q0: 'no' } });
	});
	one.message(async ({ message }) => { got.push(['said', message.text, message.thread_ts]); });
	const http = await one.start(0);
	after(() => one.stop());
	const server = { url: `http://127.0.0.1:${http.address().port}` };
	const posted = await one.client.chat.postMessage({ channel: 'C0OPS', text: 'x', blocks: [{ type: 'actions', elements: [
		{ type: 'button', action_id: 'yes', value: 'v1', text: { type: 'plain_text', text: 'Yes' } },
		{ type: 'button', action_id: 'form', value: 'v2', text: { type: 'plain_text', text: 'Form' } }] }] });
	assert.equal(posted.ok, true);
	const [message] = slack.messages;
	assert.equal((await slack.press(server, 'UMIA', message, 'yes')).status, 200);
	assert.equal(await slack.line(1), 'seen');
	assert.equal((await slack.press(server, 'UMIA', message, 'yes', { secret: 'other' })).status, 401);
	assert.equal((await slack.press(server, 'UMIA', message, 'form')).status, 200);
	const view = await until(() => slack.views[0], 'the form');
	const wrong = await slack.submit(server, 'UMIA', view, { q0: { type: 'plain_text_input', value: 'hello' } });
	assert.deepEqual(wrong.body, { response_action: 'errors', errors: { q0: 'no' } });
	assert.equal((await slack.say(server, 'UMIA', message, 'in the thread')).status, 200);
	await until(() => got.length === 3, 'the message');
	assert.deepEqual(got, [['press', 'UMIA', 'v1'], ['form', 'hello'], ['said', 'in the thread', message.ts]]);
	const late = await one.client.views.open({ trigger_id: 'late', view: { type: 'modal', title: { type: 'plain_text', text: 'x' }, blocks: [] } }).catch((e) => e);
	assert.equal(late.data.error, 'expired_trigger_id');
});

test('an unmodified Socket Mode client works with our fake: hello, envelopes, disconnects', async () => {
	const slack = await new Slack().open();
	const sockets = new SlackSockets(slack);
	const client = new SocketModeClient({ appToken: APP_TOKEN, clientOptions: { slackApiUrl: slack.api }, logLevel: 'error' });
	const got = [];
	client.on('interactive', async ({ ack, body }) => {
		got.push(body.actions[0].value);
		await ack({ ok: body.actions[0].value });
	});
	client.on('message', async ({ ack, event }) => {
		got.push(event.text);
		await ack();
	});
	await client.start();
	after(() => client.disconnect());
	const message = { ts: '1.1', channel: 'C0OPS', blocks: [] };
	assert.deepEqual((await slack.press(sockets, 'UMIA', message, 'yes', { value: 'one' })).body, { ok: 'one' });
	await slack.say(sockets, 'UMIA', message, 'two');
	sockets.live[0].send({ type: 'disconnect', reason: 'refresh_requested', debug_info: { host: 'x' } });
	await until(() => sockets.links.length === 2 && sockets.live.length === 1, 'another connection');
	assert.deepEqual((await slack.press(sockets, 'UMIA', message, 'yes', { value: 'three' })).body, { ok: 'three' });
	assert.deepEqual(got, ['one', 'two', 'three']);
});
