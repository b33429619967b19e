// Who a mail is from, judged by Debian's opendkim and opendmarc before Postfix hands it to parley mail-in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { approval } from '../api/lib/samples.mjs';
import { until } from '../lib/server.mjs';
import { linked, pipedServer, pipedStart, pipeOf, routed } from './piped.mjs';
import { DOMAIN, HOST, PASSWORD, PostOffice } from './post_office.mjs';

const STRANGER = 'elsewhere.test';
const office = new PostOffice();
let piped, clients;
after(async () => {
	for (const client of Object.values(clients ?? {})) client.close();
	await piped?.end();
	await office.close();
});

before(async () => {
	piped = pipedServer();
	await office.open({ pipe: pipeOf(piped), judged: [DOMAIN, STRANGER] });
	piped.env.SSL_CERT_FILE = office.authority;
	piped.flags = ['--smtp-url', `smtp://parley%40${DOMAIN}@${HOST}:${office.submission}`, '--smtp-password', PASSWORD, '--mail-from', `parley@${DOMAIN}`,
		'--mail-authserv', HOST, '--notify-rate', '1000', '--mail-reply', `pipe+{token}@${DOMAIN}`];
	clients = await pipedStart(piped);
	await linked(office, clients.member, piped);
	await routed(clients.admin);
});

const asked = () => clients.agent.ask(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 1 } } }));
const statusOf = async (ask) => (await clients.member.get(`/v1/asks/${ask.id}`)).body.status;
/** How many mails ended how. */
const outcomes = async () => Object.fromEntries([...(await clients.owner.get('/metrics', { check: false })).text
	.matchAll(/parley_mail_in_total\{outcome="(\w+)"\} (\d+)/g)].map(([, outcome, n]) => [outcome, Number(n)]));
const total = (counts) => Object.values(counts).reduce((sum, n) => sum + n, 0);
/** Replies to the ask's mail at this port. → the outcome's name, once the reply was looked at */
async function replied(ask, port, options) {
	const was = await outcomes();
	const { mail } = await office.take('mia', (one) => one.mail.text.includes(ask.id));
	await office.send(port, mail.replyTo.value[0].address, 'approve', options);
	const is = await until(async () => {
		const counts = await outcomes();
		return total(counts) > total(was) && counts;
	}, 'the reply').catch((error) => { throw new Error(`${error.message}\n${office.log()}`); });
	return Object.keys(is).find((name) => is[name] > (was[name] ?? 0));
}
const claim = { headers: [`Authentication-Results: ${HOST}; dmarc=pass header.from=${DOMAIN}`] };

test('opendmarc\'s verdict stands above what a mail says of itself', async () => {
	for (const [port, verdict] of [[office.signing[DOMAIN], 'pass'], [office.signing[STRANGER], 'fail'], [office.judged, 'fail']]) {
		await office.send(port, `mia@${DOMAIN}`, `probe ${port}`, claim);
		const { raw } = await office.take('mia', (one) => one.raw.includes(`probe ${port}`));
		const lines = raw.match(/^Authentication-Results:.*/gm);
		assert.match(lines[0], new RegExp(`^Authentication-Results: ${HOST}; dmarc=${verdict} .*header\\.from=${DOMAIN}`));
		assert.equal(lines.at(-1), claim.headers[0]);
	}
});

test('what its domain signed is taken', async () => {
	const ask = await asked();
	assert.equal(await replied(ask, office.signing[DOMAIN]), 'taken');
	assert.equal(await statusOf(ask), 'answered');
});

for (const [what, port, options] of [['nobody signed', () => office.judged], ['another domain signed', () => office.signing[STRANGER]],
	['nobody signed, and that says itself that it passed,', () => office.judged, claim],
	['another domain signed, and that says itself that it passed,', () => office.signing[STRANGER], claim]]) {
	test(`what ${what} settles nothing`, async () => {
		const ask = await asked();
		assert.equal(await replied(ask, port(), options), 'forged');
		assert.equal(await statusOf(ask), 'pending');
	});
}
