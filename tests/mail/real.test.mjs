// Mail through servers that others wrote: Postfix takes it by STARTTLS and AUTH, Dovecot keeps it, replies come back by
// IMAPS to two nodes, or by Postfix's pipe.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '../api/lib/client.mjs';
import { approval } from '../api/lib/samples.mjs';
import { Cluster, Node } from '../lib/cluster.mjs';
import { until } from '../lib/server.mjs';
import { linked, pipedServer, pipedStart, pipeOf, routed } from './piped.mjs';
import { DOMAIN, HOST, PASSWORD, PostOffice } from './post_office.mjs';

const REPLIES = process.env.PARLEY_LONG ? 200 : 20;
const office = new PostOffice();
const cluster = new Cluster();
const nodes = [];
let piped, flags, tokens, agent, mia, admin;
after(async () => {
	for (const server of [...nodes, piped]) await server?.end();
	await office.close();
	cluster.remove();
});

/** To the server that says who vouches for its sender. */
const send = (to, text) => office.send(office.mx, to, text);

const mailOf = (ask) => office.take('mia', ({ mail }) => mail.text.includes(ask.id));
const counted = async (outcome) => {
	let n = 0;
	for (const node of nodes) {
		const { text } = await new Client(node, tokens.owner).get('/metrics', { check: false });
		n += Number(text.match(new RegExp(`parley_mail_in_total\\{outcome="${outcome}"\\} (\\d+)`))?.[1] ?? 0);
	}
	return n;
};

before(async () => {
	piped = pipedServer();
	await office.open({ pipe: pipeOf(piped) });
	flags = ['--smtp-url', `smtp://parley%40${DOMAIN}@${HOST}:${office.submission}`, '--smtp-password', PASSWORD, '--mail-from', `parley@${DOMAIN}`,
		'--mail-authserv', HOST, '--notify-rate', '1000'];
	const store = cluster.database('mail');
	for (let i = 0; i < 2; i++) {
		nodes.push(new Node(store, { env: { SSL_CERT_FILE: office.authority }, flags: [...flags, '--mail-reply', `parley+{token}@${DOMAIN}`,
			'--imap-url', `imaps://parley%40${DOMAIN}@${HOST}:${office.imaps}/INBOX`, '--imap-password', PASSWORD, '--imap-poll', '1s'] }));
		await nodes[i].start();
	}
	tokens = { agent: await nodes[0].token('agent', 'builder'), member: await nodes[0].token('member', 'mia'),
		admin: await nodes[0].token('admin', 'ada'), owner: await nodes[0].token('owner', 'olga') };
	agent = new Client(nodes[0], tokens.agent);
	mia = new Client(nodes[0], tokens.member);
	admin = new Client(nodes[1], tokens.admin);
	await linked(office, mia, nodes[0]);
	await routed(admin);
});

test('Postfix takes mail by STARTTLS and AUTH; doctor signs in to both, and not without the authority', async () => {
	assert.match(office.log(), /sasl_username=parley@example\.test/);
	const doctor = async (env) => {
		nodes[0].env = { ...nodes[0].env, ...env };
		const { stdout } = await nodes[0].run(['doctor', '--json', '--data', nodes[0].data, ...nodes[0].flags]);
		return Object.fromEntries(JSON.parse(stdout).findings.map((one) => [one.id, one]));
	};
	const good = await doctor({});
	assert.deepEqual([good.smtp?.state, good.imap?.state], ['ok', 'ok'], JSON.stringify(good));
	const bad = await doctor({ SSL_CERT_FILE: '/dev/null' });
	assert.deepEqual([bad.bad_smtp?.state, bad.bad_imap?.state], ['wrong', 'wrong'], JSON.stringify(bad));
	nodes[0].env.SSL_CERT_FILE = office.authority;
});

test(`${REPLIES} replies to one mailbox that two nodes read: each is taken once`, async () => {
	const session = (await agent.post('/v1/sessions', { title: 'Mail', parallel: true })).body;
	const asks = await Promise.all(Array.from({ length: REPLIES }, (_, i) => agent.ask({ session: session.id,
		questions: [{ key: 'why', text: `Why ${i}?`, type: 'text' }] })));
	for (const [i, ask] of asks.entries()) await send((await mailOf(ask)).mail.replyTo.value[0].address, `because ${i}\r\n\r\n> Why?`);
	for (const [i, ask] of asks.entries()) {
		const settled = await until(async () => {
			const { body } = await mia.get(`/v1/asks/${ask.id}`);
			return body.status === 'answered' && body;
		}, `reply ${i}`);
		assert.deepEqual([settled.answer.why.text, settled.answered_by.via], [`because ${i}`, 'email']);
	}
	await until(async () => (await office.mails('parley')).every((one) => one.seen), 'all are flagged');
	assert.deepEqual([await counted('taken'), await counted('closed')], [REPLIES, 0]);
});

test('an approval counts by the line of the server that vouches', async () => {
	const ask = await agent.ask(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 1 } } }));
	const { mail } = await mailOf(ask);
	await send(mail.replyTo.value[0].address, 'approve');
	const settled = await until(async () => {
		const { body } = await mia.get(`/v1/asks/${ask.id}`);
		return body.status !== 'pending' && body;
	}, 'approved');
	assert.equal(settled.answered_by.via, 'email');
});

test('an address that Postfix does not know breaks the contact', async () => {
	const { body } = await admin.post('/v1/me/contacts', { channel: 'email', address: `nobody@${DOMAIN}` });
	const broken = await until(async () => (await admin.get(`/v1/me/contacts/${body.id}`)).body.broken, 'broken');
	assert.match(broken.reason, /5\.1\.1/);
});

test('Postfix hands a reply to parley mail-in', async () => {
	piped.env.SSL_CERT_FILE = office.authority;
	piped.flags = [...flags, '--mail-reply', `pipe+{token}@${DOMAIN}`];
	const { agent: one, member, admin: boss } = await pipedStart(piped);
	await linked(office, member, piped);
	await routed(boss);
	const ask = await one.ask({ question: 'Go?', type: 'boolean' });
	await send((await mailOf(ask)).mail.replyTo.value[0].address, 'yes');
	await until(async () => (await member.get(`/v1/asks/${ask.id}`)).body.status === 'answered', 'handed over');
	assert.match(office.log(), /relay=parley, .*status=sent/);
	for (const client of [one, member, boss]) client.close();
});
