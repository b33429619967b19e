// People are told by e-mail: verified addresses, messages that others can read, faults of the mail server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, beforeEach, test } from 'node:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, header, isCode, Post } from './lib/mail.mjs';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-mail-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const secret = join(folder, 'smtp');
writeFileSync(secret, 'open sesame\n', { mode: 0o600 });
let fault = () => undefined;
const post = await new Post({ fault: (...args) => fault(...args), users: { 'parley@relay': 'open sesame' } }).open();
const server = await useServer({ flags: ['--smtp-url', `smtp://parley%40relay@127.0.0.1:${post.port}`,
	'--smtp-password-file', secret, '--mail-from', 'parley@example.org', '--mail-reply', 'parley+{token}@example.org',
	'--mail-settled', '--notify-rate', '1000', '--url', 'https://parley.example.org'] });
const { agent, member, admin } = server;
const mia = (await member.get('/v1/me')).body.user;

/** A verified address of mia's. */
async function reached(address, who = member) {
	const made = await who.post('/v1/me/contacts', { channel: 'email', address });
	assert.equal(made.status, 201, made.text);
	const code = codeOf(await post.take(address, isCode));
	const verified = await who.post(`/v1/me/contacts/${made.body.id}/verify`, { code });
	assert.equal(verified.status, 200, verified.text);
	assert.equal(verified.body.verified, true);
	return made.body;
}
async function routed(steps, more = {}) {
	const { version } = (await admin.get('/v1/routes')).body;
	assert.equal((await admin.put('/v1/routes', { version, items: [{ match: {}, steps, ...more }] })).status, 200);
}
const now = { after: '0s', to: [`user:${mia.id}`] };
const rows = async (ask) => (await admin.get(`/v1/deliveries?ask=${ask.id}&kind=email`)).body.items;
beforeEach(async () => {
	fault = () => undefined;
	for (const { id } of (await member.get('/v1/me/contacts')).body.items) await member.delete(`/v1/me/contacts/${id}`);
	post.got.length = 0;
	await server.jump(3600e3);
});

test('an address is used once its code was typed, and five wrong ones void it', async () => {
	const made = await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org', name: 'work' });
	assert.deepEqual([made.status, made.body.verified], [201, false]);
	const mail = await post.take('mia@example.org');
	const code = codeOf(mail);
	assert.equal(mail.subject, 'Your Parley code');
	assert.ok(!header(mail.mail, 'list-unsubscribe').length && !header(mail.mail, 'reply-to').length);
	const verify = (body) => member.post(`/v1/me/contacts/${made.body.id}/verify`, body);
	assert.equal((await member.post(`/v1/me/contacts/${made.body.id}/test`, {})).status, 422);
	for (let i = 0; i < 5; i++) assert.equal((await verify({ code: 'zzzzzzzz' })).status, 422);
	assert.equal((await verify({ code })).status, 422, 'void after five tries');
	assert.equal((await verify({})).status, 202);
	const again = await post.take('mia@example.org');
	assert.equal((await verify({ code: codeOf(again).toUpperCase() })).body.verified, true);
	assert.equal((await member.post(`/v1/me/contacts/${made.body.id}/test`, {})).status, 202);
	assert.match((await post.take('mia@example.org')).mail.text, /This contact works\./);
	const log = JSON.stringify((await admin.events()).items);
	assert.ok(!log.includes('mia@example.org') && !log.includes(code), 'no address and no code in an event');
});

test('the shell does the same', async () => {
	const parley = async (...args) => {
		const done = await server.run(['contact', ...args, '--url', server.url, '--token', server.secrets.member]);
		assert.equal(done.code, 0, done.stderr);
		return done.stdout;
	};
	assert.match(await parley('add', 'email', 'shell@example.org'), /email\s+.*shell@example\.org/);
	const code = codeOf(await post.take('shell@example.org'));
	assert.match(await parley('verify', code), /shell@example\.org/);
	const [{ id, verified }] = (await member.get('/v1/me/contacts')).body.items;
	assert.ok(verified);
	await parley('test', id);
	await post.take('shell@example.org');
});

test('a question, its reminder and its end are one thread that others can read', async () => {
	const contact = await reached('mia@example.org');
	await routed([now], { repeat: { every: '10m', times: 1 } });
	const ask = await agent.ask({ title: 'Deploy «été» to production?', context: { text: 'All 212 tests passed.' },
		questions: [{ key: 'where', text: 'Where to?', type: 'choice', options: ['Staging', 'Production'] }] });
	const { raw, mail, envelope } = await post.take('mia@example.org');
	const row = (await rows(ask))[0];
	assert.equal(envelope.mailFrom.address, 'parley@example.org');
	assert.equal(mail.subject, 'Deploy «été» to production? (builder)');
	assert.equal(mail.from.text, '"Parley" <parley@example.org>');
	assert.deepEqual([mail.messageId, mail.references], [`<${row.id}@example.org>`, `<${ask.id}@example.org>`]);
	assert.match(mail.replyTo.text, new RegExp(`^parley\\+${row.id.slice(4)}[0-9a-z]{24}@example\\.org$`));
	for (const [name, value] of Object.entries({ 'auto-submitted': 'auto-generated',
		'x-auto-response-suppress': 'All', 'list-id': 'Parley <parley.example.org>',
		'list-unsubscribe-post': 'List-Unsubscribe=One-Click' })) assert.deepEqual(header(mail, name), [value]);
	assert.match(header(mail, 'list-unsubscribe')[0], /^<https:\/\/parley\.example\.org\/u\/[0-9a-z]{50}>$/);
	for (const text of ['Where to?', '1) Staging', 'All 212 tests passed.', `https://parley.example.org/asks/${ask.id}`]) {
		assert.ok(mail.text.includes(text), text);
		assert.ok(mail.html.includes(text), text);
	}
	assert.ok(mail.text.startsWith('-=-=- '), 'the rule is the first line');
	assert.doesNotMatch(mail.html, /<(img|script|link|iframe|form)|src=|@import|url\(/);
	assert.deepEqual(raw.split('\r\n').filter((line) => line.length > 78 || !/^[\x20-\x7e\t]*$/.test(line)).map((line) => line.split(':')[0]),
		['Reply-To', 'List-Unsubscribe'], 'short 7-bit lines, but for addresses');
	assert.ok(raw.indexOf('text/plain') < raw.indexOf('text/html'), 'plain text first');
	server.jump(600e3);
	const reminder = await post.take('mia@example.org');
	assert.equal(reminder.subject, 'Re: Deploy «été» to production? (builder)');
	assert.equal(reminder.mail.references, `<${ask.id}@example.org>`);
	assert.match(reminder.mail.text, /Reminder: /);
	await admin.answer(ask, { where: 'Staging' });
	const end = await post.take('mia@example.org');
	assert.deepEqual([end.subject, end.mail.references, header(end.mail, 'reply-to')],
		['Re: Deploy «été» to production? (builder)', `<${ask.id}@example.org>`, []]);
	assert.match(end.mail.text, /Answered by ada/);
	assert.equal((await member.get(`/v1/me/contacts/${contact.id}`)).body.broken, null);
});

test('Python reads the same message', async () => {
	await reached('mia@example.org');
	await routed([now]);
	await agent.ask({ title: 'Ça marche — 見て', context: { text: `.\nFrom here\n=?UTF-8?Q?x?=\n${'ü'.repeat(300)}` } });
	const { raw, mail } = await post.take('mia@example.org');
	const seen = JSON.parse(execFileSync('python3', ['-c', `
import email, json, sys
from email import policy
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=policy.default)
print(json.dumps({'subject': m['subject'], 'type': m.get_content_type(), 'defects': [str(d) for p in m.walk() for d in p.defects],
	'parts': [p.get_content_type() for p in m.iter_parts()], 'text': m.get_body(('plain',)).get_content(), 'date': str(m['date'].datetime.tzinfo)}))`],
	{ input: Buffer.from(raw, 'latin1') }));
	assert.deepEqual([seen.subject, seen.type, seen.defects, seen.parts],
		['Ça marche — 見て (builder)', 'multipart/alternative', [], ['text/plain', 'text/html']]);
	seen.text = seen.text.replaceAll('\r\n', '\n');
	assert.equal(seen.text.trim(), mail.text.trim());
	assert.ok(seen.text.includes('\n.\nFrom here\n') && seen.text.includes('ü'.repeat(300)));
});

test('what is sensitive, critical or shown by title alone takes no replies', async () => {
	await reached('mia@example.org');
	await routed([now]);
	await agent.ask({ title: 'Payroll', context: { text: 'Secret words' }, sensitive: true });
	const hidden = await post.take('mia@example.org');
	assert.ok(!hidden.raw.includes('Payroll') && !hidden.mail.text.includes('Secret'));
	assert.deepEqual(header(hidden.mail, 'reply-to'), []);
	await agent.ask({ ...approval(), operation: { type: 'tool', name: 'wipe', arguments: {}, risk: 'critical' } });
	const critical = await post.take('mia@example.org');
	assert.deepEqual(header(critical.mail, 'reply-to'), []);
	await member.put('/v1/me/notify', { content: 'title' });
	await agent.ask({ title: 'Payroll', context: { text: 'Secret words' } });
	const title = await post.take('mia@example.org');
	await member.put('/v1/me/notify', { content: 'full' });
	assert.ok(title.subject.includes('Payroll') && !title.mail.text.includes('Secret'));
	assert.deepEqual(header(title.mail, 'reply-to'), []);
});

test('who wants titles alone gets nothing else where there is none', async () => {
	await reached('mia@example.org');
	await routed([now]);
	await member.put('/v1/me/notify', { content: 'title' });
	await agent.ask({ question: 'May I read secret-question?' });
	const question = await post.take('mia@example.org');
	await agent.ask(approval({ operation: { type: 'tool', name: 'secret-tool', arguments: {} } }));
	const operation = await post.take('mia@example.org');
	await member.put('/v1/me/notify', { content: 'full' });
	assert.deepEqual([question.subject, operation.subject], ['Question from builder', 'Approval request from builder']);
	for (const { raw, mail } of [question, operation]) {
		assert.doesNotMatch(raw, /secret/);
		assert.equal(mail.text.split(/ from builder/).length, 2, 'said once');
	}
});

test('an operation of any length stays below 200 KB and keeps its first 1,500 characters', async () => {
	await reached('mia@example.org');
	await routed([now]);
	const title = 'long';
	const script = `${'&<"é'.repeat(400)}END${'&<"é'.repeat(20000)}`;
	await agent.ask({ ...approval(), title, operation: { type: 'tool', name: 'run', arguments: { script } }, context: { text: '&<'.repeat(900) } });
	const { mail, raw } = await post.take('mia@example.org', (g) => g.subject.startsWith(title));
	assert.ok(raw.length < 200 * 1024, `${raw.length}`);
	assert.match(mail.text, /the rest is on the page/);
	assert.ok(mail.text.includes('&<"é'.repeat(400)));
});

test('times are in the zone that a person set, and a digest has kind, end and link of each', async () => {
	await reached('mia@example.org');
	await routed([now]);
	const zoned = async (notify) => {
		await member.put('/v1/me/notify', notify);
		const ask = await agent.ask({ timeout: '3h' });
		const { mail } = await post.take('mia@example.org');
		return [mail.text.match(/Expires in .*, at (.*)/)[1], new Date(ask.expires_at)];
	};
	const [utc, first] = await zoned({});
	assert.equal(utc, `${first.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
	const clock = (hours) => new Date(Date.now() + server.offset + hours * 3600e3).toISOString().slice(11, 16);
	const far = { tz: 'Asia/Kolkata', from: clock(5.5 + 12), to: clock(5.5 + 13), except: 'urgent' };
	const [local, second] = await zoned({ quiet: far });
	assert.equal(local, `${new Date(second.getTime() + 5.5 * 3600e3).toISOString().slice(0, 16).replace('T', ' ')} Asia/Kolkata`);
	await member.put('/v1/me/notify', { digest: { tz: 'Etc/UTC', at: [clock(0.5)] } });
	const asks = [await agent.ask({ title: 'One', timeout: '5h' }), await agent.ask({ title: 'Two' })];
	for (const ask of asks) await until(async () => (await rows(ask)).length, 'left to the digest');
	server.jump(31 * 60e3);
	const { mail } = await post.take('mia@example.org', (g) => /questions are open/.test(g.subject));
	await member.put('/v1/me/notify', {});
	assert.match(mail.text, new RegExp(`- One \\(builder\\)\nQuestion\nExpires in 4 hours, at .*\nhttps://parley.example.org/asks/${asks[0].id}`));
	assert.match(mail.text, new RegExp(`- Two \\(builder\\)\nQuestion\n(Expires .*\n)?https://parley.example.org/asks/${asks[1].id}`));
});

test('the link of a mail mutes its contact by POST alone, from anywhere, and nothing else', async () => {
	const contact = await reached('mia@example.org');
	const other = await reached('mia@example.net');
	await routed([{ ...now, via: ['email'] }]);
	const ask = await agent.ask({ title: 'mute me' });
	const [{ mail }] = await Promise.all([post.take('mia@example.org')]);
	const path = new URL(header(mail, 'list-unsubscribe')[0].slice(1, -1)).pathname;
	const state = async (id) => (await member.get(`/v1/me/contacts/${id}`)).body.muted;
	const web = (method, at, more = {}) => fetch(`${server.url}${at}`, { method, ...more });
	for (const method of ['GET', 'HEAD']) {
		const shown = await web(method, path, { headers: { 'accept-language': 'fr' } });
		assert.equal(shown.status, 200);
		if (method === 'GET') assert.match(await shown.text(), /Ne plus recevoir de messages.*mia@example\.org.*<form method="post">/s);
	}
	assert.equal(await state(contact.id), false);
	for (const wrong of [`${path.slice(0, -1)}${path.endsWith('0') ? '1' : '0'}`, '/u/x', `/u/${ask.id}`]) {
		for (const method of ['GET', 'POST']) assert.equal((await web(method, wrong)).status, 404);
	}
	const one = await web('POST', path.toUpperCase().replace('/U/', '/u/'), { body: 'List-Unsubscribe=One-Click', headers: {
		'content-type': 'application/x-www-form-urlencoded', origin: 'https://mail.example.com', 'sec-fetch-site': 'cross-site' } });
	assert.equal(one.status, 200);
	assert.deepEqual([await state(contact.id), await state(other.id)], [true, false]);
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
	assert.equal((await web('POST', path)).status, 200, 'again is fine');
});

test('the link of an owner\'s mail mutes, too', async () => {
	const owner = await server.as('owner', 'olga');
	const contact = await reached('olga@example.org', owner);
	await routed([{ ...now, to: ['all'], via: ['email'] }]);
	await agent.ask({ title: 'mute an owner' });
	const { mail } = await post.take('olga@example.org');
	const path = new URL(header(mail, 'list-unsubscribe')[0].slice(1, -1)).pathname;
	assert.equal((await fetch(`${server.url}${path}`, { method: 'POST' })).status, 200);
	assert.equal((await owner.get(`/v1/me/contacts/${contact.id}`)).body.muted, true);
});

test('what the mail server refuses is tried again, dead, or breaks the contact', async () => {
	const contact = await reached('mia@example.org');
	await routed([now]);
	const state = async () => (await member.get(`/v1/me/contacts/${contact.id}`)).body.broken;
	fault = (to, n) => (post.once ? undefined : (post.once = true, '451 4.7.1 greylisted'));
	const grey = await agent.ask({ title: 'grey' });
	await until(async () => (await rows(grey))[0]?.last_status === 451, 'refused for now');
	assert.deepEqual([(await rows(grey))[0].status, await state()], ['waiting', null]);
	server.jump(6e3);
	await post.take('mia@example.org', (g) => g.subject.startsWith('grey'));
	fault = () => '554 5.7.1 looks like spam';
	const spam = await agent.ask({ title: 'spam' });
	await until(async () => (await rows(spam))[0]?.status === 'dead', 'refused for good');
	assert.deepEqual([(await rows(spam))[0].last_error, await state()], ['554 5.7.1 looks like spam', null]);
	fault = () => '550 5.1.8 sender is unknown';
	const sender = await agent.ask({ title: 'sender' });
	await until(async () => (await rows(sender))[0]?.status === 'dead', 'about us');
	assert.equal(await state(), null);
	fault = () => '550 5.1.1 no such user';
	const gone = await agent.ask({ title: 'gone' });
	await until(async () => await state() !== null, 'broken');
	assert.equal((await state()).reason, '550 5.1.1 no such user');
	assert.equal((await rows(gone))[0].status, 'dead');
	fault = () => undefined;
	assert.equal((await member.post(`/v1/me/contacts/${contact.id}/verify`, {})).status, 202);
	await post.take('mia@example.org');
	await until(async () => await state() === null, 'mended by what arrives');
});

test('a connection that breaks or refuses us is ours: tried again, the contact stays', async () => {
	const contact = await reached('mia@example.org');
	await routed([now]);
	fault = () => 'cut';
	const ask = await agent.ask({ title: 'cut in DATA' });
	await until(async () => (await rows(ask))[0]?.attempts === 1 && (await rows(ask))[0].last_error, 'cut');
	assert.equal((await rows(ask))[0].status, 'waiting');
	fault = () => undefined;
	server.jump(6e3);
	const { mail } = await post.take('mia@example.org');
	assert.equal(mail.messageId, `<${(await rows(ask))[0].id}@example.org>`, 'the same Message-ID');
	assert.equal((await member.get(`/v1/me/contacts/${contact.id}`)).body.broken, null);
	assert.match(server.output, /email is not working/);
});

test('mail is tried for hours, and what waits goes out with the first that arrives', async () => {
	await reached('mia@example.org');
	await routed([now]);
	fault = () => 'cut';
	const ask = await agent.ask({ title: 'a long outage', timeout: '2h' });
	const [row] = await until(async () => ((await rows(ask)).length ? rows(ask) : null), 'staged');
	const read = async () => (await admin.get(`/v1/deliveries/${row.id}`)).body;
	for (const [n, wait] of [[1, 5e3], [2, 30e3], [3, 120e3], [4, 600e3], [5, 1800e3]]) {
		await until(async () => {
			const { attempts, next_at: next } = await read();
			return attempts === n && Date.parse(next) > Date.now() + server.offset + wait - 4e3;
		}, `attempt ${n}`);
		if (n < 5) server.jump(wait + 100);
	}
	assert.equal((await read()).status, 'waiting', 'after 12 minutes it was dead');
	assert.equal(server.output.match(/email is not working/g).length - server.output.match(/email works again/g).length, 1);
	fault = () => undefined;
	const fresh = await agent.ask({ title: 'a new one' });
	await post.take('mia@example.org', (g) => g.subject.startsWith('a new one'));
	await post.take('mia@example.org', (g) => g.subject.startsWith('a long outage'));
	for (const a of [ask, fresh]) await admin.answer(a, { q1: true });
});

test('a password that is refused is the channel\'s fault: down at once', async () => {
	await reached('mia@example.org');
	await routed([now]);
	writeFileSync(secret, 'wrong\n');
	await server.stop();
	await server.start();
	const ask = await agent.ask({ title: 'refused' });
	await until(async () => (await rows(ask))[0]?.last_error, 'refused');
	const { items } = (await admin.get('/v1/channels')).body;
	const { state, error, waiting } = items.find((c) => c.channel === 'email');
	assert.deepEqual([state, waiting], ['down', 1]);
	assert.match(error, /login|denied|535/i);
	const told = (await member.get(`/v1/asks/${ask.id}/deliveries`)).body;
	assert.deepEqual(told.unreached.map((u) => u.reasons.map((r) => r.why)), [['down']]);
	await admin.answer(ask, { q1: true });
});
