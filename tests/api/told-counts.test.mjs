// Who was told, counted: random routes, kills, receivers that fail, a clock that is moved; a storm; links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, play } from '../lib/telling.mjs';
import { codeOf, header, isCode, Post } from './lib/mail.mjs';
import { Receiver } from './lib/receiver.mjs';
import { until, useServer } from './lib/server.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
/* A long run is judged in parts, each with its own server, people and routes. */
const parts = Number(process.env.PARLEY_PARTS ?? (long ? 4 : 1));
const count = Number(process.env.PARLEY_COUNT ?? (long ? 2500 : 60));

for (let part = 0; part < parts; part++) {
	test(`every step that is due is told, none early, none begun after the settlement (seed ${seed + part})`, async (t) => {
		const server = await useServer({ keepPort: true, flags: ['--webhook-internal', '127.0.0.0/8', '--webhook-host-max', '64', '--notify-rate', '1000',
			'--ask-rate', '0'] });
		const counts = check(await play([server], server.secrets, { count, seed: seed + part, kill: long ? 20 : 50 }));
		t.diagnostic(JSON.stringify(counts));
		assert.equal(counts.asks, count);
		assert.ok(counts.told > 0 && counts.settled > 0);
	});
}

/** A program that looks at a page and submits every form that it has. → how many */
async function submitForms(origin, path, html) {
	let forms = 0;
	for (const [, tag, inner] of html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
		const action = /action="([^"]*)"/.exec(tag)?.[1] ?? path;
		const fields = [...inner.matchAll(/name="([^"]*)"(?:[^>]*value="([^"]*)")?/g)].map(([, name, value]) => [name, value ?? '1']);
		await fetch(new URL(action, origin + path), { method: /method="post"/i.test(tag) ? 'POST' : 'PUT', body: new URLSearchParams(fields) });
		forms += 1;
	}
	return forms;
}

test('links settle nothing, however often, by whichever method, and whatever forms are submitted there', async (t) => {
	const post = await new Post().open();
	const desk = await useServer({ flags: ['--smtp-url', post.url, '--mail-from', 'parley@example.org', '--mail-reply', 'parley+{token}@example.org',
		'--url', 'https://parley.example.org', '--notify-rate', '1000'] });
	const contact = (await desk.member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' })).body;
	await desk.member.post(`/v1/me/contacts/${contact.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });
	const { version } = (await desk.admin.get('/v1/routes')).body;
	await desk.admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: ['all'] }] }] });
	const asks = [await desk.agent.ask(), await desk.agent.ask({ kind: 'approval', operation: { type: 'tool', name: 'x', arguments: {}, risk: 'low' } })];
	const links = new Set();
	for (const ask of asks) {
		const { mail } = await post.take('mia@example.org', (g) => g.mail.text.includes(ask.id));
		for (const [url] of `${mail.text} ${mail.html} ${header(mail, 'list-unsubscribe')}`.matchAll(/https:\/\/parley\.example\.org\/[^\s"<>)]+/g)) links.add(new URL(url).pathname);
	}
	assert.deepEqual([...links].map((path) => path.split('/')[1]).sort(), ['asks', 'asks', 'u']);
	const paths = [...links].flatMap((path) => [path, `${path}?answer=true&value=approve&decision=approve`]);
	let fetched = 0, forms = 0;
	for (let i = 0; i < (long ? 10_000 : 20) / paths.length; i++) {
		for (const path of paths) {
			const [page, head] = [await desk.nobody.request('GET', path, { check: false }), await desk.nobody.request('HEAD', path, { check: false })];
			assert.deepEqual([page.status, head.status], [200, 200], path);
			forms += await submitForms(desk.url, path, page.text);
			for (const to of path.startsWith('/asks/') ? [path, path.replace(/(\?|$)/, '/answer$1'), path.replace('/asks/', '/v1/asks/').replace(/(\?|$)/, '/answer$1')] : []) {
				const form = await desk.nobody.request('POST', to, { body: 'answer=true&decision=approve', type: 'application/x-www-form-urlencoded', check: false });
				assert.ok(form.status >= 400, `${to}: ${form.status}`);
			}
			fetched += 1;
		}
	}
	for (const ask of asks) assert.equal((await desk.member.read(ask)).status, 'pending');
	assert.equal((await desk.member.get(`/v1/me/contacts/${contact.id}`)).body.muted, true, 'the form of /u/ mutes, and nothing else');
	t.diagnostic(`${fetched} times GET, HEAD and POST, ${forms} forms`);
});

test('a storm becomes ten messages a minute and one summary', async (t) => {
	const calm = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8', '--ask-rate', '0'] });
	const receiver = await new Receiver().open();
	const mia = (await calm.member.get('/v1/me')).body.user;
	const { body: phone } = await calm.admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'webhook', address: receiver.url, name: 'phone' });
	const { version } = (await calm.admin.get('/v1/routes')).body;
	await calm.admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`user:${mia.id}`] }] }] });
	const session = (await calm.agent.post('/v1/sessions', { title: 'Storm', parallel: true })).body;
	for (let i = 0; i < (long ? 50 : 6); i++) {
		await Promise.all(Array.from({ length: 20 }, () => calm.agent.ask({ session: session.id })));
	}
	const of = (purpose) => receiver.got.filter((g) => g.body.data.purpose === purpose).length;
	await until(() => of('ask') === 10, 'the first ten');
	await until(async () => !(await calm.admin.get('/v1/deliveries?kind=route&status=waiting&limit=1')).body.items.length, 'every step');
	// A message that is claimed in the batch that made it goes ahead of others; the claim takes many of them along.
	for (let i = 1; i <= (long ? 160 : 20); i++) {
		await calm.admin.post(`/v1/users/${mia.id}/contacts/${phone.id}/test`);
		await until(() => of('test') === i, 'a message behind them');
	}
	calm.jump(61e3);
	await until(() => of('summary') >= 1, 'the summary');
	calm.jump(61e3);
	await until(async () => !(await calm.admin.get('/v1/deliveries?status=waiting&limit=1')).body.items.length, 'nothing is left');
	t.diagnostic(JSON.stringify({ ask: of('ask'), summary: of('summary') }));
	assert.deepEqual([of('ask'), of('summary')], [10, 1]);
});
