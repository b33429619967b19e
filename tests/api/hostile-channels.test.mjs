// Hostile strings in what agents say, in every message that people get: by mail, in Slack, by push, by webhooks of
// every format and on the input of a command. Nothing breaks out of its field.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Tally, oneOfEach, strings } from '../e2e/hostile.mjs';
import { PATIENCE_MS } from '../lib/server.mjs';
import { codeOf, header, isCode, Post } from './lib/mail.mjs';
import { PushService } from './lib/push.mjs';
import { Receiver } from './lib/receiver.mjs';
import { until, useServer } from './lib/server.mjs';
import { HARMFUL, SECRET, Slack, TOKEN } from './lib/slack.mjs';

const ROOMS = 16; // a message a second and room
const injections = ['x\r\nBcc: evil@example.org\r\n\r\nbody', 'x\nSubject: two', '=?UTF-8?B?DQpCY2M6IGVAZXhhbXBsZS5vcmc=?=', '--dlv_boundary--',
	'.\r\n.\r\nMAIL FROM:<x>', '<!channel> <@U1> <https://evil.example|bank>', '*b* _i_ ~s~ :tada:', '@everyone @here', '% s%n%n'];
const hostile = [...injections, ...(process.env.PARLEY_LONG ? strings : oneOfEach.filter((_, i) => i % 2))];

/* A mail takes a dozen turns of two programs. */
const patience = PATIENCE_MS + 1000 * hostile.length;

const folder = mkdtempSync(join(tmpdir(), 'parley-hostile-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [post, slack, push, hooks] = await Promise.all([new Post().open(), new Slack().open(), new PushService().open(), new Receiver().open()]);
const config = join(folder, 'parley.conf');
writeFileSync(join(folder, 'tell'), `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "$(mktemp ${folder}/told-XXXXXX)"\ncat > /dev/null\n`, { mode: 0o755 });
writeFileSync(config, `[channels]\nbell = ${folder}/tell {title}\n`);
const server = await useServer({ flags: ['--config', config, '--webhook-internal', '127.0.0.0/8', '--push-subject', 'mailto:ops@example.org',
	'--smtp-url', post.url, '--mail-from', 'parley@example.org', '--mail-reply', 'parley+{token}@example.org', '--slack-token', TOKEN,
	'--slack-signing-secret', SECRET, '--slack-api', slack.api, '--notify-rate', '1000', '--ask-rate', '0', '--url', 'https://parley.example.org'] });
const { agent, member, admin } = server;
const mia = (await member.get('/v1/me')).body.user;
const mail = (await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' })).body;
await member.post(`/v1/me/contacts/${mail.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });
const browser = push.browser('one');
await member.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription });
const team = (await admin.post('/v1/teams', { name: 'ops', members: [{ user: mia.id }] })).body;
const contact = async (body) => {
	const made = await admin.post(`/v1/teams/${team.id}/contacts`, body);
	assert.equal(made.status, 201, made.text);
	return `contact:${made.body.id}`;
};
const formats = ['parley', 'slack', 'teams', 'ntfy'];
const rooms = await Promise.all(Array.from({ length: ROOMS }, (_, i) => contact({ channel: 'slack', address: `C${i}ROOM` })));
const others = [];
for (const format of formats) {
	const made = await admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'webhook', address: `${hooks.url}/${format}`, format, name: format });
	others.push(`contact:${made.body.id}`);
}
others.push(`contact:${(await admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'command', address: 'bell' })).body.id}`);
const { version } = (await admin.get('/v1/routes')).body;
const put = await admin.put('/v1/routes', { version, items: [
	...rooms.map((room, i) => ({ match: { agent: '*', priority: { min: 'low' }, project: `room${i}*` }, steps: [
		{ after: '0s', to: [`user:${mia.id}`], via: ['email', 'push'], when: 'always' }, { after: '1s', to: [room] },
		...others.map((one, n) => ({ after: `${n + 2}s`, to: [one], when: 'always' }))] })),
	{ match: {}, steps: [] }] });
assert.equal(put.status, 200, put.text);
const tally = new Tally();
const asks = [];

test(`${hostile.length} hostile strings in every field of an ask`, async () => {
	const sessions = await Promise.all(rooms.map(async (_, i) => (await agent.post('/v1/sessions', { title: `s${i}`, project: `room${i} <b>&`, parallel: true })).body.id));
	await Promise.all(hostile.map(async (text, i) => {
		asks.push(await tally.send(text, (body) => agent.post('/v1/asks', body), (field) => ({ session: sessions[i % ROOMS],
			title: field('title', '/title', 200), context: { text: field('context', '/context/text', 4000) }, questions: [
				{ key: 'q', text: field('question', '/questions/0/text', 2000), type: 'choice', options: [
					{ id: 'a', label: field('label', '/questions/0/options/0/label', 200), description: field('description', '/questions/0/options/0/description', 500) }, 'b'] }] })));
	}));
	tally.complete(hostile.length);
	server.jump(10e3);
});

test('mail: its own headers, its own tags, no control byte', async () => {
	await until(() => post.got.length >= hostile.length, 'the mails', patience);
	assert.equal(post.got.length, hostile.length);
	for (const { mail: read, raw, envelope } of post.got) {
		assert.deepEqual(envelope.rcptTo.map((r) => r.address), ['mia@example.org']);
		assert.deepEqual(read.headerLines.map((h) => h.key).filter((k) => ['bcc', 'cc'].includes(k)), []);
		assert.equal(header(read, 'subject').length, 1);
		assert.equal(read.headerLines.length, 14, JSON.stringify(read.headerLines.map((h) => h.key)));
		assert.doesNotMatch(read.html.replace(/<style>[\s\S]*?<\/style>/, '').replace(/<\/?(html|head|meta|body|div|h1|p|a|!DOCTYPE)\b[^>]*>/g, ''), /</);
		assert.equal((read.html.match(/<a /g) ?? []).length, 2);
		for (const text of [read.text, read.html, read.subject]) assert.doesNotMatch(text, HARMFUL);
		assert.ok(raw.length < 200 * 1024);
	}
});

test('push: literal texts, of one line where they have one', async () => {
	await until(() => browser.got.length >= hostile.length, 'the pushes', patience);
	for (const { title, body, size, ...rest } of browser.got) {
		assert.doesNotMatch(title, HARMFUL);
		assert.doesNotMatch(title, /[\n\t]/);
		assert.doesNotMatch(body ?? '', HARMFUL);
		for (const { title: label } of rest.actions ?? []) assert.doesNotMatch(label, HARMFUL);
		assert.ok(size <= 4096);
	}
});

test('webhooks of every format', async () => {
	await until(() => hooks.got.length >= formats.length * hostile.length, 'the webhooks', patience);
	for (const { path, body } of hooks.got) {
		if (path.endsWith('/slack')) {
			const [before, fenced, link] = body.text.split('```');
			assert.equal(before, '');
			assert.doesNotMatch(fenced, /[<>]/);
			assert.match(link, /^\nhttps:\/\/parley\.example\.org\/asks\/ask_\w+$/);
			assert.doesNotMatch(body.text, HARMFUL);
		} else if (path.endsWith('/teams')) {
			const kinds = new Set(JSON.stringify(body).match(/"type":"[^"]*"/g));
			for (const kind of kinds) assert.match(kind, /^"type":"(message|AdaptiveCard|RichTextBlock|TextRun|FactSet|Action\.OpenUrl)"$/);
			for (const { url } of body.attachments[0].content.actions) assert.match(url, /^https:\/\/parley\.example\.org\/asks\//);
		} else if (body.topic !== undefined) {
			assert.deepEqual(Object.keys(body).filter((name) => !['topic', 'title', 'message', 'click', 'priority', 'sequence_id', 'tags', 'actions', 'markdown'].includes(name)), []);
			assert.notEqual(body.markdown, true);
			for (const text of [body.title, body.message]) assert.doesNotMatch(text, HARMFUL);
		}
	}
});

test('a command gets one word that is no option', async () => {
	const told = () => readdirSync(folder).filter((name) => name.startsWith('told-')).map((name) => join(folder, name));
	await until(() => told().filter((name) => existsSync(name) && readFileSync(name).length).length >= hostile.length, 'the commands', patience);
	for (const name of told()) {
		const [count, word] = readFileSync(name, 'utf8').split('\n');
		assert.equal(count, '1');
		assert.doesNotMatch(word, /^-/);
		assert.doesNotMatch(word, HARMFUL);
	}
});

test('Slack: literal texts within its bounds', async () => {
	await until(() => slack.messages.length >= hostile.length, 'the messages', patience);
	slack.assertHarmless();
});
