// channels.mjs - how soon people are told, and how soon a message says that its question is settled: by mail, Slack and
// push, each to a fake on this machine. node bench/channels.mjs [ASKS]
import { codeOf, isCode, Post } from '../tests/api/lib/mail.mjs';
import { PushService } from '../tests/api/lib/push.mjs';
import { sleep, until, useServer } from '../tests/api/lib/server.mjs';
import { SECRET, Slack, TOKEN } from '../tests/api/lib/slack.mjs';

const ASKS = Number(process.argv[2] ?? 200);
const ROOMS = 20; // a message a second and room
const PAUSE_MS = 60;

const [post, slack, push] = await Promise.all([new Post().open(), new Slack().open(), new PushService().open()]);
const server = await useServer({ flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api, '--smtp-url', post.url,
	'--mail-from', 'parley@example.org', '--push-subject', 'mailto:ops@example.org', '--webhook-internal', '127.0.0.0/8', '--notify-rate', '1000',
	'--ask-rate', '0'] });
const { agent, member, admin } = server;
const browser = push.browser('one');
const mail = (await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' })).body;
await member.post(`/v1/me/contacts/${mail.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });
await member.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription });
const mia = (await member.get('/v1/me')).body.user;
const team = (await admin.post('/v1/teams', { name: 'ops' })).body;
const rooms = [];
for (let i = 0; i < ROOMS; i++) {
	const room = (await admin.post(`/v1/teams/${team.id}/contacts`, { channel: 'slack', address: `C${i}ROOM` })).body;
	rooms.push({ id: room.id, session: await agent.session({ title: `room ${i}`, project: `p${i}`, parallel: true }) });
}
const { version } = (await admin.get('/v1/routes')).body;
await admin.put('/v1/routes', { version, items: [...rooms.map((room, i) => ({ match: { project: `p${i}` }, steps: [
	{ after: '0s', to: [`contact:${room.id}`, `user:${mia.id}`], via: ['slack', 'email', 'push'], when: 'always' }] })), { match: {}, steps: [] }] });

const times = { 'due → taken by SMTP': [], 'due → taken by Slack': [], 'due → taken by push': [], 'settled → edited': [] };
for (let i = 0; i < ASKS; i++) {
	const from = [slack.messages.length, post.got.length, browser.got.length];
	const ask = await agent.ask({ session: rooms[i % ROOMS].session.id, title: `#${i}`, question: 'Go?', type: 'boolean' });
	const due = Date.parse(ask.created_at);
	await until(() => slack.messages.length > from[0] && post.got.length > from[1] && browser.got.length > from[2], 'the messages');
	times['due → taken by SMTP'].push(post.got.at(-1).at - due);
	times['due → taken by Slack'].push(slack.messages.at(-1).at - due);
	times['due → taken by push'].push(browser.got.at(-1).at - due);
	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items.every((row) => row.status === 'done'), 'reported');
	await admin.answer(ask, { q1: true });
	const settled = Date.parse((await member.read(ask)).settled_at);
	await until(() => slack.messages.at(-1).edits.length && browser.got.at(-1).settled, 'the end');
	times['settled → edited'].push(slack.messages.at(-1).edits[0].at - settled);
	await sleep(PAUSE_MS);
}
for (const [name, list] of Object.entries(times)) {
	list.sort((a, b) => a - b);
	const at = (part) => list[Math.floor(list.length * part)];
	console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${list.at(-1)} ms (${list.length})`);
}
await server.stop();
server.remove();
process.exit(0); // the fakes listen on
