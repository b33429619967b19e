// What follows a question is told as well: an assignment, and what its agent replies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useContacts } from './lib/contacts.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8', '--notify-rate', '5'] });
const { agent, member, admin } = server;
const { mia, ada, reached, routed, told, rows, now } = await useContacts(server);

test('whom it is assigned to hears of it at once, and nobody twice', async () => {
	const [phone, desk] = [await reached(mia), await reached(ada)];
	await routed([{ after: '1h', to: ['all'] }]);
	const ask = await agent.ask({ title: 'Yours now' });
	const assign = (...assignees) => admin.post(`/v1/asks/${ask.id}/assign`, { assignees });
	assert.equal((await assign(mia.id, ada.id)).status, 200);
	await phone.receiver.some(1);
	assert.equal(phone.receiver.got[0].body.data.ask.title, 'Yours now');
	assert.deepEqual(desk.purposes(), [], 'who assigned it to themselves knows');
	await assign(ada.id, mia.id);
	assert.deepEqual((await rows(ask)).filter((d) => d.contact).length, 1, 'as before: nothing new');
	const event = (await admin.events()).items.find((e) => e.type === 'ask.assigned' && e.ask === ask.id);
	assert.deepEqual(event.data, { assignees: [mia.id, ada.id], added: [mia.id] });
	await member.answer(ask, { q1: true });
	await phone.receiver.some(2);
	assert.deepEqual(phone.purposes(), ['ask', 'settled'], 'and of its end');
	for (const one of [phone, desk]) await one.remove();
});

test('whom an ask is assigned to that no route told anybody of hears of it, of replies and of its end', async () => {
	await routed([]);
	const [before, phone] = [await agent.ask({ title: 'Older than the contact' }), await reached(mia)];
	for (const ask of [before, await agent.ask({ title: 'Without a step' })]) {
		const from = phone.receiver.got.length;
		assert.equal((await admin.post(`/v1/asks/${ask.id}/assign`, { assignees: [mia.id] })).status, 200);
		await phone.receiver.some(1, ask);
		await until(async () => (await told(ask)).items[0].status === 'done', 'told');
		await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'Please' });
		await phone.receiver.some(2, ask);
		await admin.answer(ask, { q1: true });
		await phone.receiver.some(3, ask);
		assert.deepEqual(phone.purposes().slice(from), ['ask', 'thread', 'settled']);
	}
});

test('a reply above the rate waits for its turn and is not left to a summary', async () => {
	const phone = await reached(mia);
	await routed([now]);
	const asks = [];
	for (let i = 0; i < 5; i++) asks.push(await agent.ask({ title: `Full ${i}` }));
	await phone.receiver.some(5);
	await until(async () => (await told(asks[0])).items[0]?.status === 'done', 'reported');
	assert.equal((await agent.post(`/v1/asks/${asks[0].id}/replies`, { text: 'Because it is Monday.' })).status, 201);
	const row = async () => (await rows(asks[0], '&purpose=thread'))[0];
	await until(async () => { const d = await row(); return d?.status === 'waiting' && Date.parse(d.next_at) > Date.now() + server.offset + 1000; }, 'it waits');
	assert.equal((await admin.get('/v1/deliveries?purpose=summary&status=waiting')).body.items.length, 0);
	server.jump(61e3);
	await until(() => phone.purposes().includes('thread'), 'the reply');
	assert.ok(!phone.purposes().includes('summary'));
	for (const a of asks) await admin.answer(a, { q1: true });
	await phone.remove();
});

test('what the agent replies is told where the ask shows, once, and not to who is looking', async () => {
	const phone = await reached(mia, { format: 'ntfy' });
	const desk = await reached(ada);
	await routed([{ after: '0s', to: [`user:${mia.id}`, `user:${ada.id}`] }]);
	const ask = await agent.ask({ title: 'Which branch?' });
	await desk.receiver.some(1);
	await until(async () => (await told(ask)).items.filter((d) => d.status === 'done').length === 2, 'told');
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Why?' });
	await admin.post('/v1/me/present');
	const said = await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'Because of <b>the release</b>' });
	assert.equal(said.status, 201, said.text);
	await until(() => phone.receiver.got.length === 2, 'the reply');
	assert.match(phone.receiver.got[1].text, /Reply: Which branch\?/);
	assert.match(phone.receiver.got[1].text, /Because of <b>the release<\/b>/);
	await until(async () => (await told(ask)).items.some((d) => d.purpose === 'thread' && d.status === 'done'), 'reported');
	server.jump(61e3);
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'And the tests' });
	await until(() => desk.purposes().includes('thread') && phone.receiver.got.length === 3, 'the second one');
	assert.deepEqual(desk.purposes(), ['ask', 'thread'], 'the first was said while they looked');
	assert.match(phone.receiver.got[2].text, /And the tests/);
	await admin.answer(ask, { q1: true });
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'Thanks' });
	await until(() => desk.purposes().includes('settled'), 'its end');
	assert.deepEqual(desk.purposes(), ['ask', 'thread', 'settled']);
});

test('a reply that comes while the message of its ask waits or is under way is told behind it', async () => {
	let release;
	const held = new Promise((resolve) => { release = resolve; });
	const phone = await reached(mia, { reply: async (request, response, n) => {
		if (n === 1) await held;
		response.writeHead(204).end();
	} });
	const desk = await reached(ada, { reply: (request, response, n) => response.writeHead(n === 1 ? 500 : 204).end() });
	await routed([{ after: '0s', to: [`user:${mia.id}`, `user:${ada.id}`] }]);
	const ask = await agent.ask();
	await phone.receiver.some(1);
	await until(async () => (await told(ask)).items.some((d) => d.user === ada.id && d.attempts === 1 && d.last_error), 'it failed once');
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'One more thing' });
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Which?' });
	assert.deepEqual((await rows(ask, '&purpose=thread')).length, 0, 'no reply before its ask');
	release();
	await phone.receiver.some(2);
	server.jump(6e3);
	await desk.receiver.some(3);
	await until(async () => (await rows(ask, '&status=waiting')).length === 0, 'all of it');
	assert.deepEqual([phone.purposes(), desk.purposes()], [['ask', 'thread'], ['ask', 'ask', 'thread']]);
	await admin.answer(ask, { q1: true });
});

test('a reply to an ask that a summary stood for is told, before and after it', async () => {
	const phone = await reached(mia);
	await routed([now]);
	const asks = [];
	for (let i = 0; i < 6; i++) asks.push(await agent.ask({ title: `Many ${i}` }));
	const summed = () => until(async () => {
		for (const ask of asks) if ((await rows(ask)).some((d) => d.contact && d.status === 'waiting' && !d.attempts)) return ask;
	}, 'one that is left to the summary');
	await phone.receiver.some(5);
	const ask = await summed();
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'Before' });
	server.jump(61e3);
	await until(() => phone.purposes().includes('thread'), 'the first reply');
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'After' });
	await until(() => phone.purposes().filter((p) => p === 'thread').length === 2, 'the second reply');
	assert.deepEqual(phone.purposes().slice(5), ['summary', 'thread', 'thread']);
	for (const a of asks) await admin.answer(a, { q1: true });
});
