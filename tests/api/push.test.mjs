// Web push: a browser subscribes, gets what only it can read, and its buttons answer within their limits.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { PushService } from './lib/push.mjs';
import { approval, pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({
	flags: ['--webhook-internal', '127.0.0.0/8', '--push-subject', 'mailto:ops@example.org', '--notify-rate', '1000'] });
const { agent, member, admin } = server;
const mia = (await member.get('/v1/me')).body.user;
const service = await new PushService().open();
let names = 0;

const subscribe = (browser, client = member, more = {}) =>
	client.post('/v1/me/contacts', { channel: 'push', subscription: browser.subscription, ...more });
async function subscribed() {
	const browser = service.browser(`b${++names}`);
	const made = await subscribe(browser);
	assert.equal(made.status, 201, made.text);
	return Object.assign(browser, { contact: made.body });
}
const { version } = (await admin.get('/v1/routes')).body;
await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${mia.id}`], via: ['push'] }] }] });
beforeEach(async () => {
	for (const { id } of (await member.get('/v1/me/contacts')).body.items) await member.delete(`/v1/me/contacts/${id}`);
});
const low = { operation: { type: 'tool', name: 'note', arguments: { text: 'x' }, risk: 'low' } };
const policy = (await admin.get('/v1/policy')).body;
await admin.put('/v1/policy', { version: policy.version, risks: [{ tool: ['note'], risk: 'low' }, ...policy.risks] });
/** As the worker does. */
const press = (ask, answer, headers = {}) => member.request('POST', `/v1/asks/${ask.id}/answer`,
	{ body: { answer }, headers: { 'Parley-Via': 'push', ...headers } });

test('a message is signed, encrypted for one browser and padded', async () => {
	const { key } = (await member.get('/v1/push-key')).body;
	assert.equal((await agent.get('/v1/push-key')).status, 403);
	const browser = await subscribed();
	assert.deepEqual([browser.contact.channel, browser.contact.address, browser.contact.verified],
		['push', '127.0.0.1', true]);
	const ask = await agent.ask({ title: 'Ship it', priority: 'high', timeout: '10m' });
	const got = await browser.some();
	assert.deepEqual([got.tag, got.path, got.title], [ask.id, `/asks/${ask.id}`, 'Ship it (builder)']);
	assert.match(got.body, /^Question from builder\nExpires in 10 minutes/);
	const { headers } = got;
	assert.deepEqual([headers['content-encoding'], headers.urgency, headers.topic],
		['aes128gcm', 'high', ask.id.slice(4)]);
	assert.ok(headers.ttl > 590 && headers.ttl <= 600, headers.ttl);
	assert.deepEqual([got.vapid.key, got.vapid.aud, got.vapid.sub], [key, service.url, 'mailto:ops@example.org']);
	const left = got.vapid.exp - Date.now() / 1000;
	assert.ok(left > 3600 && left <= 24 * 3600, `${left}`);
	assert.equal(got.size, 86 + 512 + 16);
	await agent.ask({ title: 'Long', context: { text: 'é"\n'.repeat(1500) } });
	const long = await browser.some(2);
	assert.equal(long.size, 86 + 3052 + 16);
	assert.match(long.body, /é/);
	assert.equal(long.headers.urgency, 'normal');
	assert.equal(long.headers.ttl, '86400', 'without a deadline a day');
});

test('a settled ask replaces its message', async () => {
	const browser = await subscribed();
	const ask = await agent.ask({ title: 'Ship it' });
	await browser.some();
	await admin.answer(ask, { q1: true });
	const end = await browser.some(2);
	assert.deepEqual([end.tag, end.settled, end.headers.ttl, end.headers.topic, end.actions],
		[ask.id, true, '3600', ask.id.slice(4), undefined]);
	assert.match(end.body, /^Answered by ada/);
});

test('doctor says whether push is on, and what is wrong with its subject', async () => {
	const doctor = async (...flags) => JSON.parse((await server.run(['doctor', '--json', '--data', server.data, ...flags])).stdout)
		.findings.filter((one) => /push$/.test(one.id)).map((one) => [one.id, one.state]);
	assert.deepEqual(await doctor('--push-subject', 'mailto:ops@example.org'), [['push', 'ok']]);
	assert.deepEqual(await doctor('--url', 'https://parley.example'), [['push', 'ok']]);
	assert.deepEqual(await doctor(), [['no_push', 'missing']]);
	assert.deepEqual(await doctor('--push-subject', 'ops'), [['bad_push', 'wrong']]);
	// The address where a server is reached says nothing of how that server is set up.
	const there = await server.run(['doctor', '--json'], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: await server.token('member', 'doc') } });
	assert.deepEqual(JSON.parse(there.stdout).findings.filter((one) => /push$/.test(one.id)).map((one) => [one.id, one.state]), [['server_push', 'ok']]);
});

test('a test and a title alone', async () => {
	const browser = await subscribed();
	assert.equal((await member.post(`/v1/me/contacts/${browser.contact.id}/test`)).status, 202);
	const got = await browser.some();
	assert.equal(got.headers.topic, undefined);
	assert.equal(got.path, '/');
	await member.put('/v1/me/notify', { content: 'title' });
	await agent.ask({ title: 'Ship it', context: { text: 'secret' } });
	const title = await browser.some(2);
	assert.ok(!title.body.includes('secret') && !title.actions, title.body);
	await member.put('/v1/me/notify', {});
	await agent.ask({ title: 'Ship it', sensitive: true });
	const hidden = await browser.some(3);
	assert.ok(!JSON.stringify(hidden).includes('Ship it') && !hidden.actions);
});

test('a browser that has unsubscribed is broken, and said so', async () => {
	for (const status of [404, 410]) {
		const browser = await subscribed();
		browser.status = status;
		await agent.ask();
		const read = async () => (await member.get(`/v1/me/contacts/${browser.contact.id}`)).body;
		await until(async () => (await read()).broken, `${status}`);
		assert.match((await read()).broken.reason, new RegExp(`^${status}`));
		browser.status = 201;
		await member.post(`/v1/me/contacts/${browser.contact.id}/test`);
		await until(async () => !(await read()).broken, 'mended by a success');
		await member.delete(`/v1/me/contacts/${browser.contact.id}`);
	}
});

test('another status is tried again, when the service wants', async () => {
	const browser = await subscribed();
	browser.status = 429;
	browser.headers = { 'retry-after': '40' };
	const ask = await agent.ask();
	const row = async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0];
	await until(async () => (await row())?.last_status === 429, 'a reply');
	assert.ok(Date.parse((await row()).next_at) - Date.now() > 30e3);
	await admin.answer(ask, { q1: true });
});

test('a subscription that is none is refused where it is wrong', async () => {
	const { subscription } = service.browser('none');
	const other = (keys) => ({ subscription: { ...subscription, keys: { ...subscription.keys, ...keys } } });
	const tries = [
		[{}, ['/subscription']],
		[{ subscription: 'x' }, ['/subscription']],
		[{ subscription: { ...subscription, endpoint: 'ftp://x' } }, ['/subscription/endpoint']],
		[{ subscription: { ...subscription, endpoint: 'https://10.0.0.1/x' } }, ['/subscription/endpoint']],
		[{ subscription: { endpoint: subscription.endpoint } }, ['/subscription/keys']],
		[other({ auth: 'AAAA' }), ['/subscription/keys']],
		[other({ p256dh: `B${'A'.repeat(86)}` }), ['/subscription/keys']],
		[{ subscription, address: 'x' }, ['/address']],
		[{ subscription, format: 'ntfy' }, ['/format']],
	];
	for (const [more, where] of tries) {
		const reply = await member.post('/v1/me/contacts', { channel: 'push', ...more });
		assert.equal(reply.status, 422, JSON.stringify(more));
		assert.deepEqual(pointers(reply), where, JSON.stringify(more));
	}
	const team = (await admin.post('/v1/teams', { name: 'ops' })).body;
	assert.deepEqual(pointers(await admin.post(`/v1/teams/${team.id}/contacts`, { channel: 'push', subscription })), ['/channel']);
});

test('a browser belongs to who registered it last', async () => {
	const browser = await subscribed();
	const again = await subscribe(browser);
	assert.equal(again.status, 201);
	assert.equal((await member.get('/v1/me/contacts')).body.items.length, 1);
	const theirs = await subscribe(browser, admin);
	assert.equal(theirs.status, 201);
	assert.deepEqual((await member.get('/v1/me/contacts')).body.items, []);
	await admin.delete(`/v1/me/contacts/${theirs.body.id}`);
});

test('there are buttons where one press answers within the limit', async () => {
	const browser = await subscribed();
	const titles = async (body) => {
		await agent.ask(body);
		return (await browser.some(browser.got.length + 1)).actions?.map((a) => [a.title, a.answer]);
	};
	assert.deepEqual(await titles({ question: 'Go on?', type: 'boolean' }), [['Yes', true], ['No', false]]);
	assert.deepEqual(await titles({ question: 'Which?', options: ['left', 'right'] }), [['left', 'left'], ['right', 'right']]);
	assert.deepEqual(await titles(approval(low)), [['Approve', 'approve']]);
	for (const body of [approval(), approval({ operation: { ...low.operation, risk: 'medium' } }),
		{ question: 'Which?', options: ['a', 'b', 'c'] }, { question: 'Name?', type: 'text' },
		{ question: 'Which?', options: ['a', 'b'], other: true },
		{ questions: [{ text: 'A?', type: 'boolean' }, { text: 'B?', type: 'boolean' }] },
		{ question: 'Go on?', type: 'boolean', sensitive: true }]) {
		assert.equal(await titles(body), undefined, JSON.stringify(body));
	}
});

test('a press answers as its person, by push, and no more than a button may', async () => {
	const browser = await subscribed();
	const yes = await agent.ask({ question: 'Go on?', type: 'boolean' });
	assert.equal((await press(yes, true)).status, 200);
	const { answered_by: by } = await member.read(yes);
	assert.deepEqual([by.user, by.via], [mia.id, 'push']);
	assert.equal((await press(yes, true)).status, 409, 'it has ended');
	const small = await agent.ask(approval(low));
	const { digest } = await until(() => browser.got.find((g) => g.tag === small.id), 'the message');
	assert.equal(digest, small.digest.replace(/^sha256:/, '').slice(0, 16));
	const stale = await press(small, 'approve', { 'Parley-Digest': '0123456789abcdef' });
	assert.deepEqual([stale.status, stale.body.type], [409, '/problems/stale']);
	for (const [body, answer] of [[approval(low), 'reject'], [approval(), 'approve'],
		[{ question: 'Name?', type: 'text' }, 'x'], [{ question: 'Go on?', type: 'boolean', sensitive: true }, true]]) {
		const ask = await agent.ask(body);
		const reply = await press(ask, answer);
		assert.deepEqual([reply.status, reply.body.reason], [403, 'channel'], JSON.stringify(body));
	}
	assert.equal((await press(small, 'approve', { 'Parley-Digest': digest })).status, 200);
});
