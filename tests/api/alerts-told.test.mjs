// Alerts by mail, Slack and push, as their route says; and a channel that is down.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { PushService } from './lib/push.mjs';
import { until, useServer } from './lib/server.mjs';
import { Slack, SECRET, TOKEN } from './lib/slack.mjs';

const [post, slack, push] = await Promise.all([new Post().open(), new Slack().open(), new PushService().open()]);
const server = await useServer({ keepPort: true, flags: ['--smtp-url', post.url, '--mail-from', 'parley@example.org', '--slack-token', TOKEN,
	'--slack-signing-secret', SECRET, '--slack-api', slack.api, '--push-subject', 'mailto:ops@example.org', '--webhook-internal', '127.0.0.0/8',
	'--notify-rate', '1000'] });
const { agent, admin, member } = server;
const MINUTE = 60_000, MAIL = 'ada@example.org', browser = push.browser('ada');
const plain = (text) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

const alertOf = async (kind, state = 'open') => (await member.get(`/v1/alerts?state=${state}`)).body.items.find((a) => a.kind === kind);
const raised = (kind) => until(() => alertOf(kind), `${kind} is raised`);
const cleared = (kind) => until(() => alertOf(kind, 'cleared'), `${kind} is cleared`);
const sent = async (alert) => (await admin.get('/v1/deliveries?limit=200')).body.items.filter((d) => d.alert === alert.id && d.kind !== 'route')
	.map((d) => `${d.kind} ${d.purpose} ${d.status}`).sort();

async function verified(channel, address, code) {
	const made = await admin.post('/v1/me/contacts', { channel, address });
	assert.equal(made.status, 201, made.text);
	assert.equal((await admin.post(`/v1/me/contacts/${made.body.id}/verify`, { code: await code() })).status, 200);
}

test('an alert is told by mail, Slack and push in its person\'s language, and its end once by each', async () => {
	await verified('email', MAIL, async () => codeOf(await post.take(MAIL, isCode)));
	await verified('slack', 'U0ADA', async () => {
		const message = await until(() => slack.messages.find((m) => m.to === 'U0ADA'), 'the code');
		return JSON.stringify(message.blocks).match(/Parley: ([a-z]{8})/)[1];
	});
	await admin.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription });
	const ada = (await admin.get('/v1/me')).body.user;
	assert.equal((await admin.patch(`/v1/users/${ada.id}`, { language: 'fr' })).status, 200);
	const { version } = (await admin.get('/v1/routes')).body;
	const routes = await admin.put('/v1/routes', { version, items: [{ name: 'Alerts', match: { kind: ['alert'] },
		steps: [{ after: '0s', to: ['role:admin'], via: ['email', 'slack', 'push'] }] }, { name: 'Rest', match: {}, steps: [] }] });
	assert.equal(routes.status, 200, routes.text);
	const before = slack.messages.length;
	const rules = (await admin.get('/v1/policy')).body;
	await admin.put('/v1/policy', { version: rules.version, alerts: { unreachable: null } });
	const ask = await agent.ask({ question: 'Ship?' });
	server.jump(61 * MINUTE);
	const alert = await raised('unanswered');
	const mail = await post.take(MAIL);
	assert.match(plain(mail.subject), /^(Alerte : )?Sans réponse depuis 1 h$/);
	assert.match(mail.mail.text, new RegExp(`/asks/${ask.id}[^]*/alerts`));
	const message = await slack.message(before + 1);
	assert.match(plain(JSON.stringify(message.blocks)), /Sans réponse depuis 1 h/);
	const pushed = await browser.some(1);
	assert.match(plain(pushed.title), /Sans réponse depuis 1 h/);
	slack.assertHarmless();
	assert.deepEqual(slack.buttons(message).filter((b) => !b.url), [], 'nothing is decided in a message of an alert');

	assert.equal((await member.post(`/v1/asks/${ask.id}/skip`, {})).status, 200);
	server.jump(MINUTE + 1000);
	await cleared('unanswered');
	await until(async () => (await sent(alert)).filter((d) => / settled done$/.test(d)).length === 3, 'the end is told');
	assert.deepEqual(await sent(alert), ['email alert done', 'email settled done', 'push alert done', 'push settled done', 'slack alert done', 'slack settled done']);
	assert.match(plain(JSON.stringify(message.blocks)), /Terminée? : Sans réponse/);
	assert.equal(slack.messages.length, before + 1, 'the message is changed, not repeated');
});

test('a channel that is down is an alert, told by the others, until its first success', async () => {
	const mails = post.got.length;
	slack.broken['chat.postMessage'] = { ok: false, error: 'token_revoked' };
	const { items } = (await admin.get('/v1/me/contacts')).body;
	const own = items.find((c) => c.channel === 'slack');
	await admin.post(`/v1/me/contacts/${own.id}/test`);
	const down = async () => (await admin.get('/v1/channels')).body.items.find((c) => c.channel === 'slack').state;
	await until(async () => await down() === 'down', 'Slack is down');
	server.jump(MINUTE + 1000);
	const alert = await raised('channel');
	assert.deepEqual([alert.key, alert.value, alert.threshold, alert.asks, alert.detail], ['slack', null, null, [], 'token_revoked']);
	const mail = await until(() => post.got.slice(mails).find((g) => /Slack/.test(g.subject)), 'a mail');
	assert.match(plain(mail.subject), /Slack ne fonctionne pas/);
	await browser.some(3);
	server.jump(MINUTE + 1000);
	await until(async () => (await admin.get('/v1/nodes')).body.items[0].seen_at > new Date(Date.now() + server.offset - 5000).toISOString(), 'another look');
	assert.equal((await raised('channel')).id, alert.id, 'the same');

	delete slack.broken['chat.postMessage'];
	await admin.post(`/v1/me/contacts/${own.id}/test`);
	await until(async () => await down() === 'ok', 'Slack works');
	server.jump(MINUTE + 1000);
	assert.equal((await cleared('channel')).id, alert.id);
	await until(async () => (await sent(alert)).filter((d) => /^(email|push) settled done$/.test(d)).length === 2, 'its end is told');
	const told = await sent(alert);
	assert.equal(new Set(told).size, told.length, told.join());
});
