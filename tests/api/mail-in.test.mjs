// Replies by mail settle questions: whose they are, what they mean, and what counts for nothing.
import assert from 'node:assert/strict';
import http from 'node:http';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const post = await new Post().open();
const flags = (...more) => ['--smtp-url', post.url, '--mail-from', 'parley@example.org',
	'--mail-reply', 'parley+{token}@example.org', '--notify-rate', '1000', '--ask-rate', '0', ...more];
const server = await useServer({ flags: flags('--mail-authserv', 'mx.example.org') });
const { agent, member, admin } = server;

/** A verified address of whom this client is, and every ask told to all who have one. */
async function reached(client, address, of = server) {
	const made = await client.post('/v1/me/contacts', { channel: 'email', address });
	assert.equal(made.status, 201, made.text);
	const code = codeOf(await post.take(address, isCode));
	assert.equal((await client.post(`/v1/me/contacts/${made.body.id}/verify`, { code })).status, 200);
	const { version } = (await of.admin.get('/v1/routes')).body;
	assert.equal((await of.admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: ['all'] }] }] })).status, 200);
	return made.body;
}
await reached(member, 'mia@example.org');
await reached(admin, 'ada@example.org');

const vouched = 'Authentication-Results: mx.example.org;\r\n dkim=pass header.d=example.org; dmarc=pass (p=none) header.from=example.org';
/** A reply to a mail; `head`: lines above the rest. */
function replyTo(got, text, { from = 'Mia <mia@example.org>', head = [vouched], to = got.mail.replyTo.text, type, raw } = {}) {
	const lines = [...head, `From: ${from}`, `To: ${to}`, `Subject: Re: ${got.subject}`, 'MIME-Version: 1.0',
		`Message-ID: <${Math.random()}@example.org>`, `In-Reply-To: ${got.mail.messageId}`,
		...(type ?? ['Content-Type: text/plain; charset=utf-8']), '', ...(raw ? [] : text.split('\n'))].join('\r\n');
	return Buffer.concat([Buffer.from(lines), ...(raw ? [raw] : [])]);
}
/** Hands it over as `parley mail-in` does, by the server's socket. → what became of it */
function handed(message, { of = server, recipient } = {}) {
	return new Promise((resolve, reject) => {
		const request = http.request({ socketPath: join(of.data, 'parley.sock'), method: 'POST', path: '/v1/in/mail',
			headers: { 'content-type': 'application/json' } }, (response) => {
			let text = '';
			response.on('data', (part) => { text += part; });
			response.on('end', () => resolve(JSON.parse(text).outcome ?? text));
		}).on('error', reject);
		request.end(JSON.stringify({ message: Buffer.from(message).toString('base64'), recipient }));
	});
}
/** And through the program itself. → the exit status */
const piped = async (message, ...args) => (await server.run(['mail-in', '--data', server.data, ...args], { input: message })).code;
const asked = async (body, to = 'mia@example.org', of = agent) => {
	const ask = await of.ask(body);
	return { ask, got: await post.take(to, (g) => g.mail.references === `<${ask.id}@example.org>` || g.mail.text.includes(ask.id)) };
};
const shown = async (ask) => (await member.get(`/v1/asks/${ask.id}`)).body;
beforeEach(() => { post.got.length = 0; });

const choice = { questions: [{ key: 'env', text: 'Where?', type: 'choice', options: [{ id: 'stg', label: 'Staging' }, { id: 'prd', label: 'Production' }] }] };

test('a reply settles a question as the person whose address it is', async () => {
	const { ask, got } = await asked(choice);
	assert.match(got.mail.text, /reply to this e-mail with the number or the text of an option/);
	assert.equal(await piped(replyTo(got, '2\n\nOn Mon, 16 Nov 2026 at 02:40, Parley <parley@example.org> wrote:\n> Where?\n')), 0);
	const { status, answer: answers, answered_by } = await shown(ask);
	assert.deepEqual([status, answers.env.selected, answered_by.name, answered_by.via], ['answered', ['prd'], 'mia', 'email']);
});

test('votes by mail: each counts once, and the last one needed settles', async () => {
	const ask = await agent.ask(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 2 } }, require: [{ approvals: 2 }] }));
	const mailTo = (who) => post.take(`${who}@example.org`, (g) => g.mail.text.includes(ask.id));
	const [mias, adas] = [await mailTo('mia'), await mailTo('ada')];
	assert.match(mias.mail.text, /^2 approvals are needed$/m);
	assert.match(mias.mail.text, /Nobody has approved it yet/);
	const vote = replyTo(mias, 'approve');
	for (let i = 0; i < 2; i++) assert.equal(await handed(vote), 'taken');
	const confirmed = await mailTo('mia');
	assert.match(confirmed.mail.text, /Your approval is saved\. More are needed\./);
	assert.match(confirmed.mail.text, /Approved so far by mia/);
	const { status, votes } = await shown(ask);
	assert.deepEqual([status, votes.map((one) => [one.by.name, one.via])], ['pending', [['mia', 'email']]]);
	assert.equal(await handed(replyTo(adas, 'approve', { from: 'ada@example.org' })), 'taken');
	const settled = await shown(ask);
	assert.deepEqual([settled.status, settled.answered_by.votes, settled.answered_by.via], ['answered', 2, 'email']);
});

// As the programs write them, in both languages: what is above, and the quote below.
const quotes = {
	gmail: 'On Mon, Nov 16, 2026 at 2:40\u202fAM Parley <parley@example.org> wrote:\n\n> Where?\n> 1) Staging\n> 2) Production\n',
	gmailBroken: 'On Mon, Nov 16, 2026 at 2:40 AM Parley <\nparley+abc@example.org>\nwrote:\n\n> Where?\n',
	gmailFr: 'Le lun. 16 nov. 2026 à 02:40, Parley <parley@example.org> a écrit :\n\n> Where?\n',
	outlook: '________________________________\nFrom: Parley <parley@example.org>\nSent: Monday, November 16, 2026 2:40 AM\nTo: Mia\nSubject: Where?\n\n1) Staging\n',
	outlookFr: 'De : Parley <parley@example.org>\nEnvoyé : lundi 16 novembre 2026 02:40\nÀ : Mia\nObjet : Where?\n\n1) Staging\n',
	outlookOld: '-----Original Message-----\nFrom: Parley\n\n1) Staging\n',
	outlookOldFr: '-----Message d\'origine-----\nDe : Parley\n\n1) Staging\n',
	apple: '> On 16 Nov 2026, at 02:40, Parley <parley@example.org> wrote:\n> \n> Where?\n',
	appleFr: 'Le 16 nov. 2026 à 02:40, Parley <parley@example.org> a écrit\u00a0:\n\n> Where?\n',
	iphone: 'Sent from my iPhone\n\n> On 16 Nov 2026, at 02:40, Parley wrote:\n> Where?\n',
	iphoneFr: 'Envoyé de mon iPhone\n\n> Le 16 nov. 2026 à 02:40, Parley a écrit :\n',
	thunderbird: 'On 11/16/26 2:40 AM, Parley wrote:\n> Where?\n',
	thunderbirdFr: 'Le 16/11/2026 à 02:40, Parley a écrit :\n> Where?\n',
	rule: '-=-=- Write your reply above this line -=-=-\n\nWhere?\n1) Staging\n',
	signature: '-- \nMia Example\n1) Staging\n',
};
for (const [name, quote] of Object.entries(quotes)) {
	test(`above the quote of ${name}`, async () => {
		const { ask, got } = await asked({ questions: [{ key: 'why', text: 'Why?', type: 'text' }] });
		assert.equal(await handed(replyTo(got, `Because of the\nholidays.\n\n${quote}`)), 'taken');
		const { status, answer: answers } = await shown(ask);
		assert.deepEqual([status, answers?.why.text], ['answered', 'Because of the\nholidays.']);
	});
}

test('what a reply may say, by the type of the question', async () => {
	const is = async (question, text, expected) => {
		const { ask, got } = await asked({ questions: [].concat(question).map((q, i) => ({ key: `q${i + 1}`, text: `Q${i}`, ...q })) });
		const outcome = await handed(replyTo(got, text));
		const { status, answer: answers } = await shown(ask);
		if (!question.note) assert.equal(outcome, expected ? 'taken' : 'unclear', text);
		assert.deepEqual([text, status, answers && Object.values(answers)], [text, expected ? 'answered' : 'pending', expected ?? null]);
		if (!expected) await admin.post(`/v1/asks/${ask.id}/skip`, {});
	};
	const one = { type: 'choice', options: ['Staging', 'Production'] };
	const many = { type: 'choices', options: ['A', 'B, or not', 'C'], other: true };
	await is(one, 'production.\nBest, Mia', [{ selected: ['Production'] }]);
	await is({ ...one, other: true }, 'Autre : ailleurs', [{ other: 'ailleurs' }]);
	await is(one, 'maybe', null);
	await is(one, '3', null);
	await is({ type: 'choice', options: ['4', '2'] }, '2', [{ selected: ['2'] }]);
	await is({ type: 'choice', options: ['2', '4'] }, '2', null);
	await is(many, 'a, 3', [{ selected: ['A', 'C'] }]);
	await is(many, 'B, or not', [{ selected: ['B, or not'] }]);
	await is(many, '1, Other: red, green', [{ selected: ['A'], other: 'red, green' }]);
	await is({ type: 'boolean' }, 'OUI !', [{ value: true }]);
	await is({ type: 'boolean' }, 'no', [{ value: false }]);
	await is({ type: 'boolean' }, 'not sure', null);
	await is({ type: 'number' }, '-3.5', [{ value: -3.5 }]);
	await is({ type: 'number', max: 3 }, '7', null);
	await is({ type: 'text' }, 'Line one\n\nline two', [{ text: 'Line one\n\nline two' }]);
	await is([one, { type: 'text' }, { type: 'boolean' }], 'Hi,\n1. Staging\nq2: because\nit is late\n3) yes\n', [{ selected: ['Staging'] }, { text: 'because\nit is late' }, { value: true }]);
	await is([one, { type: 'boolean' }], '1. Staging\n', null);
	await is({ ...one, note: { required: true } }, '1', null);
});

test('skip skips, and a line with ? asks the agent back', async () => {
	const first = await asked(choice);
	await handed(replyTo(first.got, 'Passer\nnot mine'));
	assert.deepEqual([(await shown(first.ask)).status, (await shown(first.ask)).answered_by.via], ['skipped', 'email']);
	const second = await asked(choice);
	const message = replyTo(second.got, '\n? Which region is this?\n\n> Where?');
	assert.equal(await handed(message), 'taken');
	assert.equal(await handed(message), 'taken');
	const { status, replies } = await shown(second.ask);
	assert.deepEqual([status, replies.map((r) => r.text)], ['pending', ['Which region is this?']], 'once, though it came twice');
});

test('approvals count up to the limit, and a reason with them', async () => {
	const decide = async (risk, text) => {
		const { ask, got } = await asked(approval({ operation: { type: 'tool', name: 'shell', arguments: { cmd: 'x' }, ...(risk ? { risk } : {}) } }));
		await handed(replyTo(got, text));
		const { status, answer: answers } = await shown(ask);
		return [status, answers && Object.values(answers)[0], got];
	};
	assert.deepEqual((await decide('low', 'approve')).slice(0, 2), ['answered', { value: 'approve' }]);
	assert.deepEqual((await decide(null, 'Approuver !\nMia')).slice(0, 2), ['answered', { value: 'approve', text: 'Mia' }]);
	assert.deepEqual((await decide('high', 'reject: too late in the day')).slice(0, 2), ['answered', { value: 'reject', text: 'too late in the day' }]);
	assert.deepEqual((await decide('high', 'Refuser')).slice(0, 2), ['answered', { value: 'reject' }]);
	const [status, , got] = await decide('high', 'approve');
	assert.equal(status, 'pending');
	assert.match(got.mail.text, /only be approved on the page/);
	const notice = await post.take('mia@example.org', (g) => g.mail.text.includes('not accepted by e-mail'));
	assert.equal(notice.subject, `Re: ${got.subject}`);
	assert.equal((await decide('medium', 'yes'))[0], 'pending', 'yes is no word for an approval');
	assert.equal((await decide('medium', 'approve?'))[0], 'pending');
});

test('what a mail does not show whole is rejected by a reply, and approved on the page alone', async () => {
	const context = { diff: '+ system("rm -rf /")', error_details: 'exit 1', current_step: 'Migrate', project_name: 'shop', attempt: 2 };
	const small = await asked(approval({ operation: { type: 'tool', name: 'edit', arguments: { file: 'main.c', script: 'a "<x>"\nb' } }, context }));
	for (const part of ['edit\nfile: main.c\nscript:\n  a "<x>"\n  b\n', context.diff, 'exit 1', 'Step: Migrate', 'Project: shop', 'Attempt 2']) {
		assert.ok(small.got.mail.text.includes(part), `${part} in ${small.got.mail.text}`);
	}
	assert.equal(await handed(replyTo(small.got, 'approve')), 'taken');
	for (const more of [{ operation: { type: 'tool', name: 'Write', arguments: { text: 'x'.repeat(17000) } } },
		{ operation: { type: 'tool', name: 'edit', arguments: {} }, context: { diff: '+ line\n'.repeat(3000) } },
		{ operation: { type: 'tool', name: 'edit', arguments: {} }, context: { error_details: 'E'.repeat(17000) } }]) {
		const { ask, got } = await asked(approval(more));
		assert.match(got.mail.text, /the rest is on the page/);
		assert.match(got.mail.text, /only be approved on the page/);
		assert.equal(await handed(replyTo(got, 'approve')), 'refused');
		const notice = await post.take('mia@example.org', (g) => g.mail.text.includes('not accepted by e-mail'));
		assert.ok(notice.mail.text.includes(`/asks/${ask.id}`));
		assert.equal((await shown(ask)).status, 'pending');
		assert.equal(await handed(replyTo(got, 'reject: no')), 'taken');
		assert.equal((await shown(ask)).answer.decision.value, 'reject');
	}
	const failed = await asked({ kind: 'error_recovery', question: 'What now?', options: ['retry', 'abort'], context: { error_details: 'E'.repeat(17000) } });
	assert.match(failed.got.mail.text, /does not show everything/);
	assert.equal(await handed(replyTo(failed.got, 'retry')), 'refused');
	assert.equal((await shown(failed.ask)).status, 'pending');
});

test('what is not understood gets at most three mails that say what is accepted', async () => {
	const { ask, got } = await asked(choice);
	for (let i = 0; i < 5; i++) assert.equal(await handed(replyTo(got, `hm ${i}`)), 'unclear');
	for (let i = 0; i < 3; i++) {
		const notice = await post.take('mia@example.org', (g) => g.mail.references === `<${ask.id}@example.org>`);
		assert.match(notice.mail.text, /not understood, so nothing was saved/);
		assert.match(notice.mail.text, /the number or the text of an option/);
	}
	const rows = (await admin.get(`/v1/deliveries?ask=${ask.id}&kind=email&purpose=thread`)).body.items;
	assert.equal(rows.length, 3);
	assert.equal((await shown(ask)).status, 'pending');
	assert.equal(await handed(replyTo(got, '1')), 'taken');
});

test('a late reply is answered: decided by whom, expired and kept', async () => {
	const first = await asked(choice);
	await admin.answer(first.ask, { env: { selected: ['prd'] } });
	for (let i = 0; i < 2; i++) assert.equal(await handed(replyTo(first.got, `${i + 1}`)), 'closed');
	const decided = await post.take('mia@example.org', (g) => g.mail.text.includes('already decided'));
	assert.match(decided.mail.text, /so your reply was not saved[^]*Answered by ada/);
	assert.ok(decided.mail.text.includes(`/asks/${first.ask.id}`));
	assert.equal(decided.subject, `Re: ${first.got.subject}`);
	assert.ok(!decided.mail.replyTo);
	assert.deepEqual((await shown(first.ask)).answer.env.selected, ['prd']);
	const notices = async () => (await admin.get(`/v1/deliveries?ask=${first.ask.id}&purpose=settled`)).body.items.length;
	assert.equal(await notices(), 1, 'one an hour');
	server.jump(3601e3);
	await handed(replyTo(first.got, '2'));
	assert.equal(await notices(), 2);
	const second = await asked({ question: 'Which colour?', type: 'text', timeout: '10m' });
	server.jump(601e3);
	await until(async () => (await shown(second.ask)).status === 'expired', 'expired');
	const late = replyTo(second.got, 'blue');
	for (let i = 0; i < 2; i++) assert.equal(await handed(late), 'closed');
	await post.take('mia@example.org', (g) => g.mail.text.includes('your reply was kept as a late answer'));
	const { status, replies } = await shown(second.ask);
	assert.deepEqual([status, replies.map((r) => r.text)], ['expired', ['blue']]);
	server.jump(-server.offset);
});

test('an address for replies that is too long with its token stops the start', async () => {
	const { code, stderr } = await server.run(['serve', '--data', `${server.data}-long`, ...flags(), '--mail-reply', 'parley-production+{token}@example.org']);
	assert.ok(code > 0 && /at most 14 other characters before the @/.test(stderr), stderr);
});

test('who is away does not answer a question by a notice without a header that says so', async () => {
	const { ask, got } = await asked({ question: 'What should it be called?', type: 'text' });
	for (const subject of ['Automatic reply: {}', 'OUT OF OFFICE', '=?UTF-8?Q?R=C3=A9ponse_automatique_:?= {}',
		'=?utf-8?B?UsOpcG9uc2UgYXV0b21hdGlxdWUgOg==?=', 'Abwesenheitsnotiz: {}']) {
		const message = replyTo(got, 'I am away until Monday.').toString().replace(/^Subject: .*$/m, `Subject: ${subject.replace('{}', got.subject)}`);
		assert.equal(await handed(message), 'automatic', subject);
		assert.equal((await shown(ask)).status, 'pending', subject);
	}
	for (const subject of ['Re: Out of office', '=?utf-8?Q?', '=?x', 'Auto']) {
		const { ask: other, got: mail } = await asked({ question: 'What should it be called?', type: 'text' });
		const message = replyTo(mail, 'Autumn').toString().replace(/^Subject: .*$/m, `Subject: ${subject}`);
		assert.equal(await handed(message), 'taken', subject);
		assert.equal((await shown(other)).status, 'answered');
	}
	await admin.post(`/v1/asks/${ask.id}/skip`);
});

test('forged, borrowed and automatic mail counts for nothing; only who it is from by name is told, once an hour', async () => {
	const { ask, got } = await asked(choice);
	const hers = await post.take('ada@example.org', (g) => g.mail.text.includes(ask.id));
	const wrong = (message) => Buffer.from(message.toString().replace(/(parley\+.{49})(.)/, (all, head, last) => head + (last === '0' ? '1' : '0')));
	const below = vouched.replace('pass (p=none)', 'fail');
	const cases = {
		'another sender': replyTo(got, '1', { from: 'Eve <eve@example.org>' }),
		'a name that looks like the sender': replyTo(got, '1', { from: '"mia@example.org" <eve@example.org>' }),
		'two senders': replyTo(got, '1', { from: 'mia@example.org, eve@example.org' }),
		'two From fields': replyTo(got, '1', { head: [vouched, 'From: mia@example.org'] }),
		'the token of another person': replyTo(hers, '1'),
		'a token that is not ours': wrong(replyTo(got, '1')),
		'no token': replyTo(got, '1', { to: 'parley@example.org' }),
		'nobody vouches': replyTo(got, '1', { head: [] }),
		'it failed, and a forged line is below': replyTo(got, '1', { head: [below, vouched] }),
		'another server vouches': replyTo(got, '1', { head: [vouched.replace('mx.example.org', 'mx.evil.example')] }),
		'for another domain': replyTo(got, '1', { head: [vouched.replace('header.from=example.org', 'header.from=evil.example')] }),
		'in a comment': replyTo(got, '1', { head: ['Authentication-Results: mx.example.org; spf=pass (; dmarc=pass header.from=example.org)'] }),
		'in quotes': replyTo(got, '1', { head: ['Authentication-Results: mx.example.org; spf=pass reason="; dmarc=pass header.from=example.org"'] }),
		'an autoresponder': replyTo(got, '1', { head: [vouched, 'Auto-Submitted: auto-replied'] }),
		'another autoresponder': replyTo(got, '1', { head: [vouched, 'Precedence: bulk'] }),
		'an out of office of old': replyTo(got, '1', { head: [vouched, 'X-Autoreply: yes'] }),
		'a bounce': replyTo(got, '1', { head: ['Return-Path: <>', vouched] }),
		'a report': replyTo(got, '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--', { type: ['Content-Type: multipart/report; report-type=delivery-status; boundary=b'] }),
	};
	const sent = post.got.length;
	for (const [name, message] of Object.entries(cases)) {
		assert.match(await handed(message), /^(forged|automatic)$/, name);
		assert.equal((await shown(ask)).status, 'pending', name);
	}
	const notice = await post.take('mia@example.org', (g) => g.mail.text.includes('could not be verified'));
	assert.ok(notice.mail.text.includes(`/asks/${ask.id}`) && !notice.mail.replyTo);
	const threads = (await admin.get(`/v1/deliveries?ask=${ask.id}&purpose=thread`)).body.items;
	assert.deepEqual([threads.length, post.got.length], [1, sent]);
	assert.equal(await handed(replyTo(got, '1', { from: 'MIA <Mia@Example.ORG>' })), 'taken');
	assert.equal((await shown(ask)).status, 'answered', 'the same in other letters is hers');
	assert.equal(await handed(replyTo(hers, '2', { from: 'ada@example.org' })), 'closed');
	assert.deepEqual((await shown(ask)).answer.env.selected, ['stg']);
	const { text } = await server.client(await server.token('owner', 'o')).get('/metrics');
	for (const outcome of ['taken', 'unclear', 'refused', 'closed', 'automatic', 'forged']) assert.match(text, new RegExp(`parley_mail_in_total\\{outcome="${outcome}"\\} \\d+`));
});

test('the recipient may be an argument or stand in any of the fields', async () => {
	for (const how of ['args', 'Delivered-To', 'X-Original-To', 'Cc']) {
		const { ask, got } = await asked(choice);
		const address = got.mail.replyTo.text.toUpperCase();
		const message = replyTo(got, '1', { to: 'parley@example.org', head: how === 'args' ? [vouched] : [vouched, `${how}: ${address}`] });
		if (how === 'args') assert.equal(await piped(message, address), 0);
		else assert.equal(await handed(message), 'taken', how);
		assert.equal((await shown(ask)).status, 'answered', how);
	}
});

test('charsets, encodings and parts as programs write them', async () => {
	const says = async (options, expected) => {
		const { ask, got } = await asked({ questions: [{ key: 'q', text: 'Q', type: 'text' }] });
		await handed(replyTo(got, options.text ?? '', options));
		const { status, answer: answers } = await shown(ask);
		assert.deepEqual([status, answers?.q.text], ['answered', expected]);
	};
	await says({ type: ['Content-Type: text/plain; charset=iso-8859-1'], raw: Buffer.from('\r\nDéjà prêt\r\n', 'latin1') }, 'Déjà prêt');
	await says({ type: ['Content-Type: text/plain; charset="Windows-1252"', 'Content-Transfer-Encoding: quoted-printable'],
		text: 'D=E9j=E0 =80 =\nligne\n\n> x' }, 'Déjà € ligne');
	await says({ type: ['Content-Type: text/plain; charset=UTF-8', 'Content-Transfer-Encoding: base64'],
		text: Buffer.from('Déjà 見て\n\nOn x wrote:\n> q').toString('base64').replace(/(.{20})/g, '$1\n') }, 'Déjà 見て');
	await says({ type: ['Content-Type: text/plain; charset=iso-2022-jp'], raw: Buffer.from('\x1b$B4A;z\x1b(B', 'latin1') }, '漢字');
	await says({ type: ['Content-Type: text/plain; charset=x-unknown'], text: 'plain' }, 'plain');
	await says({ type: ['Content-Type: multipart/mixed; boundary="a b"'], text: [
		'preamble', '--a b', 'Content-Type: multipart/alternative; boundary=c', '', '--c', 'Content-Type: text/html', '', '<b>no</b>',
		'--c', 'Content-Type: text/plain; charset=utf-8', '', 'été', '--c--', '--a b',
		'Content-Type: text/plain', 'Content-Disposition: attachment; filename=a.txt', '', 'attached', '--a b--'].join('\n') }, 'été');
	await says({ type: ['Content-Type: multipart/mixed; boundary=a'], text: [
		'--a', 'Content-Disposition: attachment', '', 'attached', '--a', '', 'said', '--a--'].join('\n') }, 'said');
	await says({ type: ['Content-Type: text/html; charset=utf-8'], text:
		'<html><head><style>p{}</style></head><body><p>C&#39;est &lt;oui&gt;&nbsp;!<br>ligne 2</p><blockquote><p>Quote</p></blockquote></body></html>' },
	'C\'est <oui> !\nligne 2');
});

test('what is beyond the bounds is dropped; what is no message is refused', async () => {
	const { ask, got } = await asked(choice);
	const nested = (n) => Array.from({ length: n }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('');
	assert.equal(await handed(Buffer.concat([replyTo(got, '', { type: [nested(1000).trimEnd()] }), Buffer.from('1')])), 'unreadable');
	const flat = Array.from({ length: 1000 }, () => '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n').join('');
	assert.equal(await handed(replyTo(got, flat, { type: ['Content-Type: multipart/mixed; boundary=b'] })), 'unreadable');
	assert.equal(await piped(Buffer.concat([replyTo(got, '1\n'), Buffer.alloc(50 << 20, 'x')])), 0, '50 MB');
	assert.equal(await handed(replyTo(got, `1\n${'x'.repeat(1 << 20)}`)), 'unreadable', 'a little too much');
	assert.equal((await shown(ask)).status, 'pending');
	assert.equal(await piped(replyTo(got, `1\n${'x\n'.repeat(340000)}`)), 0, 'just below');
	assert.equal((await shown(ask)).status, 'pending', 'too long to be an answer');
	for (const none of ['', 'hello', '\0\0\0', '\n\n']) assert.equal(await piped(none), 65, JSON.stringify(none));
	assert.equal((await server.run(['mail-in', '--data', `${server.data}-none`], { input: replyTo(got, '1') })).code, 75);
	assert.equal(await handed(Buffer.concat([Buffer.from('From mia Mon Nov 16\r\n'), replyTo(got, '1')])), 'taken');
	assert.equal((await shown(ask)).status, 'answered');
});

test('who may not settle it settles nothing by mail either', async () => {
	const ada = (await admin.get('/v1/me')).body.user.id;
	const session = await agent.session({ project: 'web-1' });
	const { ask, got } = await asked({ ...choice, session: session.id });
	// Told first, and somebody else's afterwards.
	const made = await admin.post('/v1/teams', { name: 'ops', members: [{ user: ada }], projects: ['web-*'] });
	assert.equal(made.status, 201, made.text);
	assert.equal(await handed(replyTo(got, '1')), 'refused');
	assert.equal((await shown(ask)).status, 'pending');
	await post.take('mia@example.org', (g) => g.mail.text.includes('You are not allowed to settle this question'));
	await admin.delete(`/v1/teams/${made.body.id}`);
	assert.equal(await handed(replyTo(got, '1')), 'taken');
	const vera = await server.as('member', 'vera');
	const { id } = (await vera.get('/v1/me')).body.user;
	await reached(vera, 'vera@example.org');
	const second = await asked(choice, 'vera@example.org');
	await admin.patch(`/v1/users/${id}`, { role: 'viewer' });
	assert.equal(await handed(replyTo(second.got, '1', { from: 'vera@example.org' })), 'refused');
	await admin.patch(`/v1/users/${id}`, { role: 'member', disabled: true });
	assert.equal(await handed(replyTo(second.got, '2', { from: 'vera@example.org' })), 'refused');
	await admin.delete(`/v1/users/${id}`);
	assert.equal(await handed(replyTo(second.got, '1', { from: 'vera@example.org' })), 'forged');
	assert.equal((await shown(second.ask)).status, 'pending');
});

test('without a server that vouches, questions count and approvals do not', async () => {
	const other = await useServer({ flags: flags() });
	await reached(other.member, 'mia@plain.example', other);
	const first = await asked(choice, 'mia@plain.example', other.agent);
	const from = 'mia@plain.example';
	assert.equal(await handed(replyTo(first.got, '1', { head: [], from }), { of: other }), 'taken');
	assert.equal((await other.member.get(`/v1/asks/${first.ask.id}`)).body.status, 'answered');
	for (const word of ['approve', 'reject']) {
		const { ask, got } = await asked(approval({ operation: { type: 'tool', name: 'x', arguments: {}, risk: 'low' } }), from, other.agent);
		assert.match(got.mail.text, /only be approved or rejected on the page/);
		await handed(replyTo(got, word, { head: [], from }), { of: other });
		assert.equal((await other.member.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
		await post.take(from, (g) => g.mail.text.includes('not accepted by e-mail'));
		await handed(replyTo(got, 'skip', { head: [], from }), { of: other });
		assert.equal((await other.member.get(`/v1/asks/${ask.id}`)).body.status, 'skipped');
	}
});
