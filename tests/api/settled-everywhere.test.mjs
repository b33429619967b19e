// Settled once, seen everywhere: asks that are told by mail, Slack and push, and settled at random moments from random
// places, also while the message is under way. PARLEY_LONG=1: 1,000 of them, looked at 5 s later, and how long it took.
import assert from 'node:assert/strict';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { random } from '../lib/random.mjs';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { PushService } from './lib/push.mjs';
import { sleep, until, useServer } from './lib/server.mjs';
import { SECRET, Slack, TOKEN } from './lib/slack.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const COUNT = Number(process.env.PARLEY_COUNT ?? (long ? 1000 : 30));
const ROOMS = long ? 60 : 20; // a message a second and room
const PACE_MS = long ? 60 : 15; // between two asks
const SEEN_MS = 5000;
const below = random(seed);

const [post, slack, push] = await Promise.all([new Post().open(), new Slack().open(), new PushService().open()]);
const server = await useServer({ flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api, '--smtp-url', post.url,
	'--mail-from', 'parley@example.org', '--mail-reply', 'parley+{token}@example.org', '--push-subject', 'mailto:ops@example.org',
	'--webhook-internal', '127.0.0.0/8', '--notify-rate', '1000', '--ask-rate', '0'] });
const { agent, member, admin } = server;
const mia = (await member.get('/v1/me')).body.user;
const browser = push.browser('one');
const mail = (await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' })).body;
await member.post(`/v1/me/contacts/${mail.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });
const chat = (await member.post('/v1/me/contacts', { channel: 'slack', address: 'UMIA' })).body;
const [, word] = JSON.stringify(await slack.message(1)).match(/Parley: ([a-z]{8})/);
assert.equal((await member.post(`/v1/me/contacts/${chat.id}/verify`, { code: word })).status, 200);
await member.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription });
const rooms = [];
for (let i = 0, team; i < ROOMS; i++) {
	if (i % 20 === 0) team = (await admin.post('/v1/teams', { name: `team${i}` })).body;
	const room = (await admin.post(`/v1/teams/${team.id}/contacts`, { channel: 'slack', address: `C${i}ROOM` })).body;
	rooms.push({ id: room.id, session: await agent.session({ title: `room ${i}`, project: `p${i}`, parallel: true }) });
}
const { version } = (await admin.get('/v1/routes')).body;
const put = await admin.put('/v1/routes', { version, items: [...rooms.map((room, i) => ({ match: { project: `p${i}` }, steps: [
	{ after: '0s', to: [`contact:${room.id}`, `user:${mia.id}`], via: ['slack', 'email', 'push'], when: 'always' }] })), { match: {}, steps: [] }] });
assert.equal(put.status, 200, put.text);
/* The person is told by mail and push; her own Slack id is there to press with. */
await member.patch(`/v1/me/contacts/${chat.id}`, { muted: true });

const messageOf = (ask) => slack.messages.find((m) => JSON.stringify(m.blocks).includes(ask.id));
const mailOf = (ask) => post.got.find((g) => g.raw.includes(ask.id));
function replied(got, text) {
	const message = [`From: mia@example.org`, `To: ${got.mail.replyTo.text}`, 'Subject: Re', '', text].join('\r\n');
	return new Promise((done, failed) => {
		http.request({ socketPath: join(server.data, 'parley.sock'), method: 'POST', path: '/v1/in/mail', headers: { 'content-type': 'application/json' } },
			(response) => response.resume().on('end', done)).on('error', failed).end(JSON.stringify({ message: Buffer.from(message).toString('base64') }));
	});
}
const places = {
	page: (ask) => admin.answer(ask, { q1: true }),
	skip: (ask) => member.post(`/v1/asks/${ask.id}/skip`),
	agent: (ask) => agent.post(`/v1/asks/${ask.id}/cancel`),
	push: (ask) => member.request('POST', `/v1/asks/${ask.id}/answer`, { body: { answer: true }, headers: { 'Parley-Via': 'push' } }),
	slack: async (ask) => slack.press(server, 'UMIA', await until(() => messageOf(ask), 'the message'), 'yes'),
	mail: async (ask) => replied(await until(() => mailOf(ask), 'the mail'), 'yes'),
};

test(`${COUNT} asks settled at random moments from random places are seen settled everywhere (seed ${seed})`, async (t) => {
	const names = Object.keys(places), asks = [];
	const from = slack.messages.length;
	slack.slowness = () => (below(8) === 0 ? below(120) : 0);
	const one = async (i) => {
		const room = rooms[i % ROOMS];
		const ask = await agent.ask({ session: room.session.id, title: `#${i}`, question: 'Go?', type: 'boolean' });
		const kept = { ask, id: ask.id, created: Date.parse(ask.created_at) };
		asks.push(kept);
		await sleep([0, below(20), below(150), 300 + below(700)][below(4)]);
		const name = names[below(names.length)];
		await places[name](ask);
		kept.place = name;
		if ((await member.read(ask)).status === 'pending') {
			kept.place = 'page';
			await places.page(ask);
		}
		kept.settled = Date.now();
		if (long) await sleep(SEEN_MS);
		else await until(async () => !(await admin.get(`/v1/deliveries?ask=${ask.id}&status=waiting`)).body.items.length, 'nothing waits');
		await look(kept);
	};
	const look = async (kept) => {
		const rows = (await admin.get(`/v1/deliveries?ask=${kept.id}`)).body.items;
		assert.deepEqual(rows.filter((row) => row.status === 'waiting').map((row) => [row.kind, row.purpose]), [], `${kept.id} (${kept.place}): something waits`);
		const shown = messageOf(kept);
		assert.ok(!shown || slack.buttons(shown).every((b) => b.url), `${kept.id} (${kept.place}): live buttons in Slack`);
		const pushes = browser.got.filter((g) => g.tag === kept.id);
		assert.ok(!pushes.length || pushes.at(-1).settled, `${kept.id} (${kept.place}): a stale notification`);
	};
	const all = [];
	for (let i = 0; i < COUNT; i++) {
		all.push(one(i));
		await sleep(PACE_MS);
	}
	await Promise.all(all);
	for (const message of slack.messages.slice(from)) assert.ok(slack.buttons(message).every((b) => b.url), 'every message was edited');
	t.diagnostic(JSON.stringify({ asks: asks.length, messages: slack.messages.length - from, mails: post.got.length, pushes: browser.got.length,
		...Object.fromEntries(names.map((name) => [name, asks.filter((kept) => kept.place === name).length])) }));
});
