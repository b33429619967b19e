// What others' programs make of our messages: a push service that decrypts, the renderer of Adaptive Cards, apprise behind
// a command. (Webhooks are verified with `standardwebhooks` in tests/api/telling.)
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Receiver } from '../api/lib/receiver.mjs';
import { approval } from '../api/lib/samples.mjs';
import { until, useServer } from '../api/lib/server.mjs';
import { stablePort } from '../lib/ports.mjs';

const require = createRequire(import.meta.url);
const adaptive = require('adaptivecards/dist/adaptivecards.js');
const folder = mkdtempSync(join(tmpdir(), 'parley-formats-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const receiver = await new Receiver().open();
const notified = await new Receiver((request, response) => response.writeHead(200).end()).open();
const config = join(folder, 'parley.conf');
writeFileSync(config, `[channels]\nphone = /usr/bin/apprise -t {title} json://127.0.0.1:${notified.port}/phone\n`);
const server = await useServer({ env: { HOME: folder }, flags: ['--config', config, '--webhook-internal', '127.0.0.0/8,::1/128',
	'--push-subject', 'mailto:ops@example.org'] });
const { agent, member, admin } = server;
const mia = (await member.get('/v1/me')).body.user;
async function routed(contact) {
	const { version } = (await admin.get('/v1/routes')).body;
	const put = await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${contact.id}`] }] }] });
	assert.equal(put.status, 200, put.text);
}
const add = async (body, client = admin, path = `/v1/users/${mia.id}`) => {
	const made = await client.post(`${path}/contacts`, body);
	assert.equal(made.status, 201, made.text);
	return made.body;
};

test('web-push-testing checks who sent a message and decrypts it; one that expired breaks the contact', async () => {
	const { PushApiModel } = require('web-push-testing/src/PushApiModel.js');
	const WebPushTestingServer = require('web-push-testing/src/server.js');
	const port = await stablePort();
	const model = new PushApiModel();
	const service = new WebPushTestingServer(model, port);
	const { log } = console;
	console.log = () => undefined;
	after(() => { console.log = log; });
	service.startServer();
	after(() => service._server.close());
	const ask = async (path, body) => (await fetch(`http://localhost:${port}${path}`, { method: 'POST', body: JSON.stringify(body),
		headers: { 'content-type': 'application/json' } })).json().catch(() => null);
	const { key } = (await member.get('/v1/push-key')).body;
	const { data: { clientHash, ...subscription } } = await ask('/subscribe', { userVisibleOnly: 'true', applicationServerKey: key });
	const contact = await add({ channel: 'push', subscription }, member, '/v1/me');
	await routed(contact);
	const made = await agent.ask({ title: 'Ship it', question: 'Go?', type: 'boolean' });
	const messages = async () => (await ask('/get-notifications', { clientHash })).data.messages.map((one) => JSON.parse(one));
	await until(async () => (await messages()).length === 1, 'the message');
	const [first] = await messages();
	assert.deepEqual([first.tag, first.title, first.actions.map((a) => a.title)], [made.id, 'Ship it (builder)', ['Yes', 'No']]);
	await admin.answer(made, { q1: true });
	await until(async () => (await messages()).length === 2, 'its end');
	assert.equal((await messages())[1].settled, true);
	await fetch(`http://localhost:${port}/expire-subscription/${clientHash}`, { method: 'POST' });
	await member.post(`/v1/me/contacts/${contact.id}/test`);
	await until(async () => (await member.get(`/v1/me/contacts/${contact.id}`)).body.broken, 'broken');
});

test('adaptivecards parses the card of Teams without an objection', async () => {
	const contact = await add({ channel: 'webhook', address: receiver.url, format: 'teams' });
	await routed(contact);
	const asks = [await agent.ask({ title: '**Ship** [it](https://evil.example)', questions: [{ key: 'env', text: 'Where?', type: 'choice', options: ['a', 'b'] }] }),
		await agent.ask(approval({ context: { text: 'One\n\ntwo' } }))];
	await receiver.some(2);
	for (const { body } of receiver.got) {
		assert.equal(body.attachments[0].contentType, 'application/vnd.microsoft.card.adaptive');
		const context = new adaptive.SerializationContext(adaptive.Versions.v1_4);
		const card = new adaptive.AdaptiveCard();
		card.parse(body.attachments[0].content, context);
		assert.equal(context.eventCount, 0, JSON.stringify(context.getEventAt(0)));
		const { validationEvents } = card.validateProperties();
		assert.deepEqual(validationEvents, []);
		assert.equal(card.getItemCount(), body.attachments[0].content.body.length, 'nothing was left out');
		const [action] = [card.getActionAt(0)];
		assert.deepEqual([action.getJsonTypeName(), card.getActionCount()], ['Action.OpenUrl', 1]);
		assert.ok(asks.some(({ id }) => action.url.endsWith(`/asks/${id}`)));
	}
	for (const one of asks) await admin.post(`/v1/asks/${one.id}/skip`);
});

test('apprise behind a command tells what it was given', async () => {
	const contact = await add({ channel: 'command', address: 'phone' });
	await routed(contact);
	const ask = await agent.ask({ title: '$(id) «été»', question: 'Go?', type: 'boolean' });
	const [{ body }] = await notified.some(1);
	assert.equal(body.title, '$(id) «été» (builder)');
	assert.match(body.message, /Go\?/);
	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'exit status 0');
	await admin.answer(ask, { q1: true });
	await notified.some(2);
	assert.match(notified.got[1].body.message, /Answered by ada/);
});
