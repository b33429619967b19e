// Attacks by the channels: hostile text in everything that is sent, mails and presses that are forged, borrowed or played again,
// addresses that lead inside.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { strings, Tally } from '../e2e/hostile.mjs';
import { codeOf, header, isCode, Post } from '../api/lib/mail.mjs';
import { Receiver } from '../api/lib/receiver.mjs';
import { sleep, until, useServer } from '../api/lib/server.mjs';
import { HARMFUL, SECRET, Slack, TEAM, TOKEN } from '../api/lib/slack.mjs';
import { attacks, refused } from './lib/attacks.mjs';

const ROOMS = 16; // a message a second and room
const HOME = 'https://parley.example.org/asks/';
const folder = mkdtempSync(join(tmpdir(), 'parley-attack-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [post, slack, hooks] = await Promise.all([new Post().open(), new Slack().open(), new Receiver().open()]);
writeFileSync(join(folder, 'tell'), `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "$(mktemp ${folder}/told-XXXXXX)"\ncat > /dev/null\n`, { mode: 0o755 });
writeFileSync(join(folder, 'parley.conf'), `[channels]\nbell = ${folder}/tell {title}\n`);
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf'), '--webhook-internal', '127.0.0.0/8', '--smtp-url', post.url, '--mail-from', 'parley@example.org',
	'--mail-reply', 'parley+{token}@example.org', '--mail-authserv', 'mx.example.org', '--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api,
	'--notify-rate', '1000', '--ask-rate', '0', '--url', 'https://parley.example.org'] });
const { agent, member, admin } = server;
const viewer = await server.as('viewer', 'vic');
const mia = (await member.get('/v1/me')).body.user;

async function mailed(client, address) {
	const { body } = await client.post('/v1/me/contacts', { channel: 'email', address });
	await client.post(`/v1/me/contacts/${body.id}/verify`, { code: codeOf(await post.take(address, isCode)) });
}
async function linked(client, id) {
	const { body } = await client.post('/v1/me/contacts', { channel: 'slack', address: id });
	const code = await until(() => slack.messages.findLast((m) => m.to === id), 'the code');
	await client.post(`/v1/me/contacts/${body.id}/verify`, { code: JSON.stringify(code.blocks).match(/Parley: ([a-z]{8})/)[1] });
}
await mailed(member, 'mia@example.org');
await mailed(admin, 'ada@example.org');
await linked(member, 'UMIA');
await linked(viewer, 'UVIC');
const team = (await admin.post('/v1/teams', { name: 'ops', members: [{ user: mia.id }] })).body;
const contact = async (path, body) => `contact:${(await admin.post(`${path}/contacts`, body)).body.id}`;
const rooms = await Promise.all(Array.from({ length: ROOMS }, (_, i) => contact(`/v1/teams/${team.id}`, { channel: 'slack', address: `C${i}ROOM` })));
const FORMATS = ['parley', 'slack', 'teams', 'ntfy'];
const others = [];
for (const format of FORMATS) others.push(await contact(`/v1/users/${mia.id}`, { channel: 'webhook', address: `${hooks.url}/${format}`, format, name: format }));
others.push(await contact(`/v1/users/${mia.id}`, { channel: 'command', address: 'bell' }));
const routed = async (items) => {
	const put = await admin.put('/v1/routes', { version: (await admin.get('/v1/routes')).body.version, items });
	assert.equal(put.status, 200, put.text);
};
await routed([
	...rooms.map((room, i) => ({ match: { project: `room${i}` }, steps: [{ after: '0s', to: [`user:${mia.id}`], via: ['email'], when: 'always' }, { after: '1s', to: [room] },
		...others.map((one, n) => ({ after: `${n + 2}s`, to: [one], when: 'always' }))] })),
	{ match: { project: 'told' }, steps: [{ after: '0s', to: ['all'], via: ['email'], when: 'always' }, { after: '1s', to: [rooms[0]], when: 'always' }] }, { match: {}, steps: [] }]);
const told = async (body) => {
	const { id } = await agent.session({ title: 'told', project: 'told', parallel: true });
	const ask = await agent.ask({ session: id, ...body });
	server.jump(2000);
	return ask;
};
const mailOf = (ask, to = 'mia@example.org') => post.take(to, (g) => g.mail.text.includes(ask.id));
const status = async (ask) => (await admin.get(`/v1/asks/${ask.id}`)).body.status;
const question = { questions: [{ key: 'env', text: 'Where?', type: 'choice', options: ['Staging', 'Production'] }] };

/* ---- hostile text ---- */

const INJECTIONS = ['x\r\nBcc: evil@example.org\r\n\r\nbody', 'x\nSubject: two', '=?UTF-8?B?DQpCY2M6IGVAZXhhbXBsZS5vcmc=?=', '--dlv_boundary--', '.\r\n.\r\nMAIL FROM:<x>',
	'<!channel> <@U1> <https://evil.example|https://good.example>', '[https://good.example](https://evil.example/phish)', '$(touch /tmp/x)', '`id`', '; id', '--help', '-rf', '%n%s', '@everyone'];
const OUTLETS = {
	mail: (ask) => post.got.filter((g) => g.mail.text?.includes(ask.id)).map(({ mail, envelope }) => () => {
		assert.deepEqual(envelope.rcptTo.map((r) => r.address), ['mia@example.org']);
		assert.equal(header(mail, 'subject').length, 1);
		assert.equal(mail.headerLines.length, 14);
		assert.doesNotMatch(mail.html.replace(/<style>[\s\S]*?<\/style>/, '').replace(/<\/?(html|head|meta|body|div|h1|p|a|!DOCTYPE)\b[^>]*>/g, ''), /</);
		for (const [, href] of mail.html.matchAll(/<a [^>]*href="([^"]*)"/g)) assert.match(href, /^https:\/\/parley\.example\.org\//);
		for (const text of [mail.text, mail.html, mail.subject]) assert.doesNotMatch(text, HARMFUL);
	}),
	'Slack itself': (ask) => slack.messages.filter((m) => JSON.stringify(m.blocks).includes(ask.id)).map((message) => () => {
		assert.doesNotMatch(message.text, /[<>]/);
		assert.doesNotMatch(JSON.stringify(message.blocks), /"type":"(mrkdwn|link|user|usergroup|broadcast)"/);
		for (const { url } of slack.buttons(message)) if (url) assert.ok(url.startsWith(HOME), url);
		assert.doesNotMatch(message.text, HARMFUL);
	}),
	...Object.fromEntries(FORMATS.map((format) => [`a webhook as ${format}`, (ask) => hooks.got.filter((g) => (format === 'ntfy' ? g.body.topic : g.path.endsWith(`/${format}`)) && g.text.includes(ask.id))
		.map(({ body }) => () => HOOKS[format](body))])),
};
const HOOKS = {
	parley: (body) => assert.equal(typeof body.data.ask.id, 'string'),
	slack: ({ text }) => {
		const [before, fenced, link, ...rest] = text.split('```');
		assert.deepEqual([before, rest], ['', []]);
		assert.doesNotMatch(fenced, /[<>]/);
		assert.ok(link.startsWith(`\n${HOME}`), link);
		assert.doesNotMatch(text, HARMFUL);
	},
	teams: (body) => {
		for (const kind of new Set(JSON.stringify(body).match(/"type":"[^"]*"/g))) assert.match(kind, /^"type":"(message|AdaptiveCard|RichTextBlock|TextRun|FactSet|Action\.OpenUrl)"$/);
		for (const { url } of body.attachments[0].content.actions) assert.ok(url.startsWith(HOME), url);
	},
	ntfy: (body) => {
		assert.notEqual(body.markdown, true);
		for (const text of [body.title, body.message]) assert.doesNotMatch(text, HARMFUL);
		assert.ok(body.click.startsWith(HOME), body.click);
	},
};
attacks('hostile text in mail, Slack, webhooks and commands', { small: 21, long: 2450 }, async (a) => {
	const tally = new Tally(), count = Math.ceil(a.want / 7), asks = [];
	const sessions = await Promise.all(rooms.map(async (_, i) => (await agent.session({ title: `s${i}`, project: `room${i}`, parallel: true })).id));
	/* A clock that stands at one moment has all asks of it told at once: some at a time. */
	for (let i = 0; i < count; i++) {
		const text = (a.below(3) ? a.pick(strings) : a.pick(INJECTIONS)).slice(0, 6000) + (a.below(2) ? a.pick(INJECTIONS) : '');
		asks.push(await tally.send(text, (body) => agent.post('/v1/asks', body), (field) => ({ session: sessions[i % ROOMS], title: field('title', '/title', 200),
			context: { text: field('context', '/context/text', 4000) }, questions: [{ key: 'q', text: field('question', '/questions/0/text', 2000), type: 'choice', options: [
				{ id: 'a', label: field('label', '/questions/0/options/0/label', 200), description: field('description', '/questions/0/options/0/description', 500) }, 'b'] }] })));
	}
	server.jump(10e3);
	for (const ask of asks) {
		for (const [outlet, find] of Object.entries(OUTLETS)) {
			await a.one(`${outlet}: ${ask.id} ${JSON.stringify(ask.title).slice(0, 80)}`, async () => {
				const found = await until(() => (find(ask).length ? find(ask) : undefined), outlet, 30_000);
				for (const holds of found) holds();
			});
		}
	}
	const words = () => readdirSync(folder).filter((name) => name.startsWith('told-')).map((name) => readFileSync(join(folder, name), 'utf8').split('\n')).filter((lines) => lines.length > 1);
	await until(() => words().length >= count, 'the commands', 30_000);
	for (const [number, word] of words()) {
		await a.one(`a command: ${word}`, () => {
			assert.equal(number, '1');
			assert.doesNotMatch(word, /^-/);
			assert.doesNotMatch(word, HARMFUL);
		});
	}
});

/* ---- mails ---- */

const VOUCHED = 'Authentication-Results: mx.example.org;\r\n dkim=pass header.d=example.org; dmarc=pass (p=none) header.from=example.org';
function reply(got, { from = 'Mia <mia@example.org>', head = [VOUCHED], to = got.mail.replyTo.text, type = ['Content-Type: text/plain; charset=utf-8'], text = '1', subject = `Re: ${got.subject}` }) {
	return [...head, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, 'MIME-Version: 1.0', `Message-ID: <${Math.random()}@example.org>`, `In-Reply-To: ${got.mail.messageId}`, ...type, '', text].join('\r\n');
}
const handed = (message) => until(async () => {
	const outcome = await handedOnce(message);
	return outcome.includes('too-many-requests') ? undefined : outcome; // some at once are enough
}, 'a turn');
function handedOnce(message) {
	return new Promise((resolve, reject) => {
		const request = http.request({ socketPath: join(server.data, 'parley.sock'), method: 'POST', path: '/v1/in/mail', headers: { 'content-type': 'application/json' } }, (response) => {
			let text = '';
			response.on('data', (part) => { text += part; });
			response.on('end', () => resolve(JSON.parse(text).outcome ?? text));
		}).on('error', reject);
		request.end(JSON.stringify({ message: Buffer.from(message).toString('base64') }));
	});
}
const SENDERS = ['Eve <eve@example.org>', '"mia@example.org" <eve@evil.example>', 'mia@example.org, eve@evil.example', 'mia@example.org.evil.example', 'mia@evil.example', 'mia <mia@example.org> <eve@evil.example>',
	'"mia@example.org\\" <eve@evil.example>', 'mia@example.org (x) <eve@evil.example>', 'mia+x@example.org', 'm1a@example.org', 'mіa@example.org', '=?utf-8?Q?mia=40example.org?= <eve@evil.example>',
	'group: mia@example.org;', '<@evil.example:eve@evil.example>', '', 'mia', 'mia@', '@example.org', 'mia@example.org@evil.example', 'mia%example.org@evil.example', 'mia@sub.example.org', 'mia@example.org\u200b'];
const PROOFS = [[], ['Authentication-Results: mx.example.org; dmarc=fail header.from=example.org', VOUCHED], ['Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org'],
	['Authentication-Results: mx.example.org; dmarc=pass header.from=evil.example'], ['Authentication-Results: mx.example.org; spf=pass (; dmarc=pass header.from=example.org)'],
	['Authentication-Results: mx.example.org; spf=pass reason="; dmarc=pass header.from=example.org"'], ['Authentication-Results: mx.example.org.evil.example; dmarc=pass header.from=example.org'],
	['Authentication-Results: mx.example.org; dmarc=none header.from=example.org'], ['Authentication-Results: mx.example.org; dmarc=passed header.from=example.org'], ['Authentication-Results: mx.example.org; none'],
	['Authentication-Results: x mx.example.org; dmarc=pass header.from=example.org'], ['X-Authentication-Results: mx.example.org; dmarc=pass header.from=example.org'],
	['ARC-Authentication-Results: i=1; mx.example.org; dmarc=pass header.from=example.org'], ['Authentication-Results: mx.example.org; dkim=pass header.d=example.org'],
	['Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=mia@example.org'], ['Authentication-Results: mx.example.org; dmarc=pass header.from=example.org.evil.example'],
	['Authentication-Results: mx.example.org; xdmarc=pass header.from=example.org'], ['Subject: x\r\nAuthentication-Results: mx.evil.example; dmarc=pass header.from=example.org']];
const ROBOTS = ['Auto-Submitted: auto-replied', 'Auto-Submitted: auto-generated', 'Precedence: bulk', 'Precedence: junk', 'Precedence: list', 'X-Autoreply: yes', 'X-Autorespond: x', 'Return-Path: <>'];
const mutated = (a, address) => address.replace(/\+([^@]+)@/, (_, token) => {
	const at = a.below(token.length), other = 'abcdefghjkmnpqrstvwxyz0123456789'.replace(token[at].toLowerCase(), '')[a.below(31)];
	return `+${a.pick([token.slice(0, at) + other + token.slice(at + 1), token.slice(0, -1 - a.below(8)), `${token}0`, token.slice(1), '', 'x'])}@`;
});
attacks('replies by mail: senders, proofs, tokens, robots', { small: 15, long: 1500 }, async (a) => {
	const ask = await told(question);
	const mine = await mailOf(ask), hers = await mailOf(ask, 'ada@example.org');
	await a.all(() => {
		const how = a.pick([() => ({ from: a.pick(SENDERS) }), () => ({ head: a.pick(PROOFS) }), () => ({ to: mutated(a, mine.mail.replyTo.text) }), () => ({ to: hers.mail.replyTo.text }),
			() => ({ head: [VOUCHED, a.pick(ROBOTS)] }), () => ({ head: [VOUCHED, 'From: mia@example.org'] }), () => ({ from: a.pick(SENDERS), head: a.pick(PROOFS) }),
			() => ({ subject: a.pick(['Automatic reply: x', 'Out of office', 'Réponse automatique : x', 'Abwesenheitsnotiz']) }),
			() => ({ type: ['Content-Type: multipart/report; report-type=delivery-status; boundary=b'], text: '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--' }),
			() => ({ type: ['Content-Type: multipart/mixed; boundary=b'], text: `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment${a.pick(['', '; filename=x', ';', '; x'])}\r\n\r\n1\r\n--b--` }),
			() => ({ text: '> 1\r\n> 1' })])();
		const robots = (how.head ?? []).some((line) => ROBOTS.includes(line));
		return [JSON.stringify(how), async () => {
			const outcome = await handed(reply(mine, { ...how, text: how.text ?? a.pick(['1', '2', 'Production', 'skip', '? which']) }));
			assert.notEqual(outcome, 'taken');
			if (robots) assert.match(outcome, /automatic|forged/);
			assert.equal(await status(ask), 'pending');
		}];
	});
	assert.equal((await admin.get(`/v1/asks/${ask.id}`)).body.replies.length, 0);
	assert.equal(await handed(reply(mine, {})), 'taken', 'her own reply counts');
});

/* ---- presses ---- */

attacks('Slack: forged, borrowed, stale and played again', { small: 15, long: 1500 }, async (a) => {
	const ask = await told({ kind: 'approval', operation: { type: 'tool', name: 'shell', arguments: { cmd: 'make' } } });
	const other = await told({ kind: 'approval', operation: { type: 'tool', name: 'shell', arguments: { cmd: 'other' } } });
	const found = (one) => until(() => slack.messages.find((m) => JSON.stringify(m.blocks).includes(one.id)), 'the message');
	const [message, its] = [await found(ask), await found(other)];
	const value = slack.buttons(message).find((b) => b.action_id === 'approve').value;
	const now = Date.now() / 1000;
	await a.all(() => {
		const [what, user, action, how] = a.pick([
			() => ['another secret', 'UMIA', 'approve', { secret: a.pick(['', 'x', `${SECRET} `, SECRET.slice(1), SECRET.toUpperCase()]) }],
			() => ['an old signature', 'UMIA', 'approve', { at: now - 301 - a.below(1e6) }], () => ['one of tomorrow', 'UMIA', 'approve', { at: now + 400 + a.below(1e6) }],
			() => ['signed for another time', 'UMIA', 'approve', { at: now, signedAt: now - 1 - a.below(900) }], () => ['signed for another body', 'UMIA', 'approve', { signed: 'payload=%7B%7D' }],
			() => ['another team', 'UMIA', 'approve', { team: a.pick(['T0EVIL', '', `${TEAM} `, TEAM.toLowerCase()]) }], () => ['an unknown person', a.pick(['UEVE', '', 'umia', 'UMIA ', 'U', 'UMIA\u200b']), 'approve', {}],
			() => ['a viewer', 'UVIC', a.pick(['approve', 'reject', 'hour']), {}], () => ['a stale digest', 'UMIA', 'approve', { value: value.replace(/\.[^.]*\./, `.${'0'.repeat(16)}.`) }],
			() => ['no digest', 'UMIA', 'approve', { value: value.replace(/\.[^.]*\./, '..') }], () => ['a mutated value', 'UMIA', 'approve', { value: value.slice(0, a.below(value.length - 1)) }],
			() => ['a digest of another', 'UMIA', 'approve', { value: slack.buttons(its)[0].value.replace(other.id, ask.id) }],
			() => ['an unknown button', 'UMIA', a.pick(['approve_all', 'always', 'x', '', 'approve ', 'APPROVE']), { value: a.pick(['', 'x', `${ask.id}`, '{}']) }],
		])();
		return [what, async () => {
			await slack.press(server, user, message, action, how);
			assert.equal(await status(ask), 'pending');
		}];
	});
	/* A press that counted counts once. */
	const stamp = '1700009999.5';
	await slack.press(server, 'UMIA', its, 'approve', { stamp });
	await until(async () => (await status(other)) === 'answered', 'the press');
	await admin.post(`/v1/asks/${other.id}/revoke`, { reason: 'no' });
	await a.one('played again', async () => {
		await slack.press(server, 'UMIA', its, 'approve', { stamp });
		assert.ok((await admin.get(`/v1/asks/${other.id}`)).body.revoked);
	});
});

/* ---- addresses that lead inside ---- */

const inside = net.createServer((socket) => socket.destroy());
let connected = 0;
inside.on('connection', () => { connected++; });
await new Promise((done) => { inside.listen(0, '127.0.0.1', done); });
after(() => inside.close());
const strict = await useServer({ flags: ['--ask-rate', '0', '--push-subject', 'mailto:ops@example.org'] });
const INSIDE = ['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '0.0.0.0', '0', 'localhost',
	'LOCALHOST', 'localhost.', 'ip6-localhost', '127.0.0.1.', '127.127.127.127', '169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '192.168.1.1', '172.16.0.1', '100.64.0.1', '[fe80::1]', '[fc00::1]', '[64:ff9b::7f00:1]',
	'[2002:7f00:1::]', '[::127.0.0.1]', '224.0.0.1', '255.255.255.255', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '[::]', '[::1%25lo]'];
attacks('SSRF: session webhook, contact webhook, push endpoint, own tool', { small: 16, long: 900 }, async (a) => {
	const { port } = inside.address(), keys = { p256dh: 'BBM7xodutWYck5tTPcT3s54XJfLN456oU1e7YAgPhTVE3E23Gyl0i26piqFLZkgZw5oubMEZGBdbj5QhJO3o2TA', auth: 'Oel81v1PvbgZYk0Y8h3X9Q' };
	await a.all((i) => {
		const host = a.pick(INSIDE), url = a.pick([`https://${host}:${port}/`, `http://${host}:${port}/x`, `https://good.example@${host}:${port}/`, `HTTPS://${host}:${port}`, `https://${host}:${port}/?${i}#x`,
			`https://${host}:${port}\\@good.example/`, `gopher://${host}:${port}/`, `file:///etc/passwd`, `https://${host}%00.good.example:${port}/`, ` https://${host}:${port}/`]);
		const road = a.pick(['session', 'contact', 'push', 'tool']);
		return [`${road} ${url}`, async () => {
			const before = connected;
			const made = road === 'session' ? await strict.agent.post('/v1/sessions', { title: 'x', on_settled: { webhook: url } }, { check: false })
				: road === 'tool' ? await strict.admin.post('/v1/tools', { name: `t${i}`, url, description: 'x' }, { check: false })
				: await strict.member.post('/v1/me/contacts', road === 'push' ? { channel: 'push', subscription: { endpoint: `${url}${i}`, keys } } : { channel: 'webhook', address: url }, { check: false });
			if (made.status >= 300) return refused(made);
			if (road === 'tool') {
				const tried = await strict.admin.post(`/v1/tools/t${i}/test`, { arguments: {} });
				assert.notEqual(tried.body.ok, true);
				await strict.admin.delete(`/v1/tools/t${i}`);
			} else if (road === 'session') await strict.member.answer(await strict.agent.ask({ session: made.body.id }), { q1: true });
			else {
				await strict.member.post(`/v1/me/contacts/${made.body.id}/test`, {}, { check: false });
				await sleep(20);
				await strict.member.delete(`/v1/me/contacts/${made.body.id}`);
			}
			return assert.equal(connected, before);
		}];
	});
	await sleep(1500);
	assert.equal(connected, 0, 'somebody connected inside');
});
