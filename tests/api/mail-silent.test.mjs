// A mail server that accepts a connection and never says a word, or stops in the middle.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';
import { useContacts } from './lib/contacts.mjs';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { until, useServer } from './lib/server.mjs';

const post = await new Post({ fault: () => (stuck ? 'hang' : undefined) }).open();
let silent = false, stuck = false;
const open = new Set();
const front = net.createServer((socket) => {
	open.add(socket.on('close', () => open.delete(socket)));
	socket.on('error', () => undefined);
	if (silent) return;
	const behind = net.connect(post.port, '127.0.0.1').on('error', () => socket.destroy());
	socket.pipe(behind).pipe(socket);
});
await new Promise((done) => front.listen(0, '127.0.0.1', done));
after(() => front.close());
const server = await useServer({ flags: ['--smtp-url', `smtp://127.0.0.1:${front.address().port}`, '--mail-from', 'parley@example.org',
	'--webhook-internal', '127.0.0.0/8', '--notify-rate', '1000'] });
const { agent, member, admin } = server;
const { mia, ada, reached, routed, rows } = await useContacts(server, { keep: ['email'] });

const { body: mail } = await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' });
await member.post(`/v1/me/contacts/${mail.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });

/** While no mail can be sent: others are told at once, this person by the next contact, and the mail is sent later. */
async function heldUp(begin, end, [soonest, latest]) {
	const [phone, desk] = [await reached(mia), await reached(ada)];
	await routed([{ after: '0s', to: [`user:${mia.id}`, `user:${ada.id}`] }]);
	begin();
	const started = Date.now();
	const ask = await agent.ask();
	await desk.receiver.some(1, ask);
	const another = await agent.ask();
	await desk.receiver.some(1, another);
	assert.ok(Date.now() - started < soonest, 'nobody else waits for it');
	assert.equal(phone.receiver.got.length, 0);
	const row = async () => (await rows(ask, '&kind=email'))[0];
	assert.deepEqual([(await row()).status, (await row()).last_error], ['waiting', null]);
	await phone.receiver.some(1, ask);
	const took = Date.now() - started;
	assert.ok(took >= soonest && took < latest, `${took} ms`);
	assert.match((await row()).last_error, /time/i);
	assert.equal((await row()).status, 'waiting');
	const { items } = (await admin.get('/v1/channels')).body;
	assert.equal(items.find((c) => c.channel === 'email').state, 'down');
	end();
	server.jump(6e3);
	await post.take('mia@example.org', (g) => g.mail.text.includes(ask.id));
	await until(async () => (await row()).status === 'done', 'delivered');
	for (const a of [ask, another]) await admin.answer(a, { q1: true });
}

test('who never greets is given up after 10 s', () => heldUp(() => {
	silent = true;
	for (const socket of open) socket.destroy(); // a connection may be kept for the next mail
}, () => { silent = false; }, [9e3, 17e3]));

test('who stops in the middle is given up after 20 s', () => heldUp(() => { stuck = true; }, () => { stuck = false; }, [19e3, 27e3]));
