// Replies are read from a mailbox: each once, by one node, also after a crash; and doctor signs in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Mailbox } from './lib/imap.mjs';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { Server, until } from './lib/server.mjs';

const post = await new Post().open();
const box = await new Mailbox().open();
const imap = `imap://parley%40relay@127.0.0.1:${box.port}/INBOX`;
const flags = ['--smtp-url', post.url, '--mail-from', 'parley@example.org', '--mail-reply', 'parley+{token}@example.org',
	'--imap-url', imap, '--imap-password', 'sesame', '--imap-poll', '1s'];
const server = new Server({ flags });
after(async () => { await server.stop(); server.remove(); });
const secrets = [await server.token('agent', 'builder'), await server.token('member', 'mia'), await server.token('admin', 'ada')];
await server.start();
const [agent, member, admin] = secrets.map((secret) => server.client(secret));
const made = await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' });
await member.post(`/v1/me/contacts/${made.body.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });
await admin.put('/v1/routes', { version: (await admin.get('/v1/routes')).body.version, items: [{ match: {}, steps: [{ after: '0s', to: ['all'] }] }] });

async function asked() {
	const ask = await agent.ask({ questions: [{ key: 'why', text: 'Why?', type: 'text' }] });
	return { ask, got: await post.take('mia@example.org', (g) => g.mail.text.includes(ask.id)) };
}
const reply = (got, text) => `From: mia@example.org\r\nTo: ${got.mail.replyTo.text}\r\n\r\n${text}\r\n`;
const shown = async (ask) => (await member.get(`/v1/asks/${ask.id}`)).body;

test('what is unseen is read once, flagged, and settles', async () => {
	const { ask, got } = await asked();
	box.put(reply(got, 'seen before'), true);
	const uid = box.put(reply(got, 'because'));
	const big = box.put(`From: mia@example.org\r\n\r\n${'x'.repeat(1.2 * (1 << 20))}`);
	await until(async () => (await shown(ask)).status === 'answered', 'read');
	assert.equal((await shown(ask)).answer.why.text, 'because');
	await until(() => box.messages.every((m) => m.seen), 'all flagged');
	assert.deepEqual([box.messages[uid - 1].fetched, box.messages[big - 1].fetched, box.messages[0].fetched], [1, 1, undefined]);
	assert.match(box.commands.find((c) => c.startsWith('LOGIN')), /LOGIN "?parley@relay"? "?…"?/);
});

test('a message that was fetched when the server died is read again', async () => {
	const { ask, got } = await asked();
	const uid = box.messages.length + 1;
	const { command } = box;
	// It dies between the fetch, which flags it, and the settlement.
	const died = new Promise((resolve) => {
		box.command = function fetchAndDie(socket, line) {
			if (line.includes(`UID FETCH ${uid}`)) {
				this.messages[uid - 1].seen = true;
				resolve(server.child.kill('SIGKILL'));
				return undefined;
			}
			return command.call(this, socket, line);
		};
	});
	box.put(reply(got, 'after all'));
	await died;
	await server.exited;
	box.command = command;
	await server.start();
	await until(async () => (await shown(ask)).status === 'answered', 'read after the crash');
	assert.equal((await shown(ask)).answer.why.text, 'after all');
});

test('doctor signs in to both, and says what they have against it', async () => {
	const doctor = async () => {
		const { stdout } = await server.run(['doctor', '--json', '--data', server.data, ...flags.filter((f) => f !== '1s' && f !== '--imap-poll')]);
		return Object.fromEntries(JSON.parse(stdout).findings.map((f) => [f.id, f]));
	};
	const good = await doctor();
	assert.deepEqual([good.smtp?.state, good.imap?.state, good.no_authserv?.state], ['ok', 'ok', 'missing'], JSON.stringify(good));
	box.password = 'another';
	for (const socket of box.sockets) socket.destroy();
	const bad = await doctor();
	assert.equal(bad.bad_imap?.state, 'wrong');
	assert.ok(!JSON.stringify(bad).includes('sesame'));
	await until(() => server.output.includes('the mailbox cannot be read'), 'logged');
	box.password = 'sesame';
	await until(() => server.output.includes('the mailbox can be read again'), 'and again');
});
