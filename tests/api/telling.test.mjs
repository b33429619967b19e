// People who are not looking are told of an ask, step by step, and of its end.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { useContacts } from './lib/contacts.mjs';
import { approval, pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-telling-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'parley.conf');
writeFileSync(join(folder, 'note.mjs'), `
import { readFileSync, writeFileSync } from 'node:fs';
const [how, title, url, purpose, user] = process.argv.slice(2);
writeFileSync(process.env.HOME + '/' + how + '-' + process.env.PARLEY_DELIVERY + '.json', JSON.stringify(
	{ title, url, purpose, user, input: readFileSync(0, 'utf8'), data: process.env.PARLEY_DATA ?? null }));
if (how === 'fail') process.exit(3);
`);
const note = `${process.execPath} ${join(folder, 'note.mjs')}`;
writeFileSync(config, `[channels]
phone = ${note} phone {title} {url} {purpose} {user}
fail = ${note} fail {title} {url} {purpose} {user}
`);
const server = await useServer({ env: { HOME: folder },
	flags: ['--config', config, '--webhook-internal', '127.0.0.0/8', '--notify-rate', '5'] });
const { agent, member, admin } = server;
const { mia, ada, reached, routed, told, rows, now } = await useContacts(server);
const secret = (await admin.post('/v1/webhook-secret')).body.secret;
const ran = (how) => readdirSync(folder).filter((f) => f.startsWith(`${how}-`))
	.map((f) => JSON.parse(readFileSync(join(folder, f), 'utf8')));

test('a workspace without contacts has no route rows', async () => {
	const ask = await agent.ask();
	assert.deepEqual(await rows(ask), []);
	assert.deepEqual(await told(ask), { items: [], names: {}, unreached: [], next_at: null, next_to: [] });
});

test('the first step is told at once, signed, and its end once it is settled', async () => {
	const phone = await reached(mia);
	await routed([now]);
	const ask = await agent.ask({ title: 'Ship it' });
	const [got] = await phone.receiver.some(1);
	const body = new Webhook(secret).verify(got.text, got.headers);
	assert.equal(body.type, 'ask.notify');
	assert.deepEqual([body.data.purpose, body.data.step, body.data.to],
		['ask', 0, { user: mia.id, team: null, contact: phone.contact.id }]);
	assert.deepEqual([body.data.ask.id, body.data.ask.title], [ask.id, 'Ship it']);
	await until(async () => (await told(ask)).items[0]?.status === 'done', 'told');
	const [first] = (await told(ask)).items;
	assert.deepEqual([first.user, first.contact, first.step, first.purpose, first.target, first.kind],
		[mia.id, phone.contact.id, 0, 'ask', 'mia parley', 'webhook']);
	assert.equal((await rows(ask, '&kind=route'))[0].status, 'done');
	await admin.answer(ask, { q1: true });
	await phone.receiver.some(2);
	assert.deepEqual(phone.purposes(), ['ask', 'settled']);
	const events = (await admin.events()).items.filter((e) => e.ask === ask.id);
	assert.deepEqual(events.find((e) => e.type === 'ask.notified').data,
		{ user: mia.id, contact: phone.contact.id, channel: 'webhook', step: 0, purpose: 'ask' });
	assert.ok((await member.events()).items.some((e) => e.type === 'ask.notified' && e.ask === ask.id));
	assert.ok(!(await agent.events()).items.some((e) => e.type === 'ask.notified'), 'not an agent\'s business');
	assert.equal((await agent.get(`/v1/asks/${ask.id}/deliveries`)).status, 403);
	await phone.remove();
});

test('steps come at their time, reminders repeat, and a settlement ends them', async () => {
	const phone = await reached(mia);
	const desk = await reached(ada);
	await routed([{ ...now, after: '20s' }, { after: '5m', to: ['role:admin'] }],
		{ repeat: { every: '10m', times: 2 } });
	const ask = await agent.ask();
	assert.equal((await rows(ask)).length, 1, 'the first step commits with the ask');
	assert.deepEqual((await told(ask)).next_to, [{ kind: 'user', name: mia.name }]);
	assert.ok((await told(ask)).next_at);
	server.jump(21e3);
	await phone.receiver.some(1);
	await until(async () => (await told(ask)).next_to[0]?.kind === 'admins', 'what comes next');
	assert.deepEqual((await told(ask)).names, { [mia.id]: mia.name });
	server.jump(280e3);
	await desk.receiver.some(1);
	server.jump(600e3);
	await desk.receiver.some(2);
	assert.deepEqual(desk.purposes(), ['ask', 'reminder']);
	await until(async () => (await rows(ask, '&status=waiting&kind=route')).length === 1, 'the third time');
	await member.answer(ask, { q1: true });
	assert.deepEqual((await rows(ask, '&kind=route')).map((r) => [r.status, r.step]),
		[['done', 0], ['done', 1], ['done', 1], ['dropped', 1]]);
	await desk.receiver.some(3);
	await phone.receiver.some(2);
	server.jump(3600e3);
	await until(async () => !(await rows(ask, '&status=waiting')).length, 'nothing more');
	assert.deepEqual([phone.purposes(), desk.purposes()],
		[['ask', 'settled'], ['ask', 'reminder', 'settled']]);
	await phone.remove();
	await desk.remove();
});

test('what is under way when an ask is settled is told the end afterwards', async () => {
	let release;
	const held = new Promise((resolve) => { release = resolve; });
	const phone = await reached(mia, { reply: async (request, response, n) => {
		if (n === 1) await held;
		response.writeHead(204).end();
	} });
	await routed([now]);
	const ask = await agent.ask();
	await phone.receiver.some(1);
	await admin.answer(ask, { q1: true });
	assert.deepEqual((await rows(ask)).map((r) => r.purpose), ['ask', 'ask'], 'no end before its beginning');
	release();
	await phone.receiver.some(2);
	assert.deepEqual(phone.purposes(), ['ask', 'settled']);
	await phone.remove();
});

test('who is looking is not told, unless the step says so', async () => {
	const phone = await reached(mia);
	await routed([now, { ...now, after: '10s', when: 'always' }]);
	assert.equal((await member.post('/v1/me/present')).status, 204);
	assert.equal((await agent.post('/v1/me/present')).status, 403);
	const ask = await agent.ask();
	await until(async () => (await rows(ask, '&kind=route')).length === 2, 'the second step');
	assert.deepEqual(phone.purposes(), []);
	server.jump(11e3);
	await phone.receiver.some(1);
	await admin.answer(ask, { q1: true });
	server.jump(120e3);
	await phone.remove();
});

test('a claim holds a step back until it ends', async () => {
	const phone = await reached(mia);
	await routed([{ ...now, after: '1m' }]);
	const ask = await agent.ask();
	server.jump(50e3);
	await admin.post(`/v1/asks/${ask.id}/claim`);
	server.jump(20e3);
	const { claimed_by: claim } = await admin.read(ask);
	await until(async () => (await rows(ask))[0].next_at === claim.until, 'due when the claim ends');
	assert.deepEqual(phone.purposes(), []);
	server.jump(120e3);
	await phone.receiver.some(1);
	await admin.answer(ask, { q1: true });
	await phone.remove();
});

test('a step before the deadline moves with it', async () => {
	await routed([{ before: '5m', to: [`user:${mia.id}`] }]);
	const phone = await reached(mia);
	const ask = await agent.ask({ timeout: '1h' });
	const due = async () => Date.parse((await rows(ask, '&status=waiting'))[0].next_at);
	assert.equal(await due(), Date.parse(ask.expires_at) - 300e3);
	await admin.post(`/v1/asks/${ask.id}/extend`, { timeout: '1h' });
	assert.equal(await due(), Date.parse(ask.expires_at) + 3300e3);
	await admin.post(`/v1/asks/${ask.id}/extend`, { timeout: null });
	assert.deepEqual(await rows(ask, '&status=waiting'), [], 'without a deadline it does not happen');
	await admin.answer(ask, { q1: true });
	await phone.remove();
});

test('when a contact fails for good the next is tried at once', async () => {
	const gone = await reached(mia, { reply: (request, response) => response.writeHead(410).end() });
	const second = await reached(mia);
	await routed([now]);
	const ask = await agent.ask();
	await second.receiver.some(1);
	const items = (await told(ask)).items;
	assert.deepEqual(items.map((d) => [d.contact, d.status === 'dead']).slice(0, 2),
		[[gone.contact.id, true], [second.contact.id, false]]);
	const broken = (await member.get(`/v1/me/contacts/${gone.contact.id}`)).body.broken;
	assert.equal(broken.reason.slice(0, 3), '410');
	const types = (await admin.events(0, '&types=contact.broken,ask.notify_failed')).items.map((e) => e.type);
	assert.ok(types.includes('contact.broken') && types.includes('ask.notify_failed'), types.join());
	const another = await agent.ask();
	await second.receiver.some(1, another);
	assert.equal(gone.receiver.got.length, 1, 'it is passed over');
	for (const a of [ask, another]) await admin.answer(a, { q1: true });
	await gone.remove();
	await second.remove();
});

/** What the log says of steps that reached nobody. */
const unreachedLog = (ask) => server.output.split('\n').filter((line) => line.includes(`ask ${ask.id} reached nobody`));
const show = async (ask) => (await server.run(['show', ask.id],
	{ env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member, LANG: 'C.UTF-8', TZ: 'UTC', COLUMNS: '200' } })).stdout;
const unreached = async (ask) => (await admin.events(0, '&types=ask.unreached')).items.filter((e) => e.ask === ask.id).map((e) => e.data);
const step = (ask, n) => until(async () => (await told(ask)).unreached.length === n, `${n} steps that reached nobody`);

test('a step that reaches nobody is said, with the reasons, and the next one follows at once', async () => {
	const desk = await reached(ada);
	const hers = await reached(mia);
	const { body: team } = await admin.post('/v1/teams', { name: 'nightwatch', members: [{ user: mia.id }] });
	await member.patch(`/v1/me/contacts/${hers.contact.id}`, { muted: true });
	await routed([{ after: '0s', to: ['team:nightwatch/on_call'] }, { ...now, after: '5m' }, { after: '1h', to: [`user:${ada.id}`] },
		{ after: '2h', to: [`user:${ada.id}`] }]);
	const ask = await agent.ask();
	await desk.receiver.some(1, ask);
	const off = { user: null, team: team.id, why: 'on_call', from: null };
	const muted = { user: mia.id, team: null, why: 'muted', from: null };
	const found = await told(ask);
	assert.deepEqual(found.unreached.map((u) => [u.step, u.reasons]), [[0, [off]], [1, [muted]]]);
	assert.deepEqual([found.names[team.id], found.names[mia.id]], ['nightwatch', mia.name]);
	assert.deepEqual(await unreached(ask), [{ step: 0, reasons: [off] }, { step: 1, reasons: [muted] }]);
	assert.ok(!(await agent.events(0, '&types=ask.unreached')).items.length, 'not an agent\'s business');
	const left = Date.parse(found.next_at) - Date.parse(ask.created_at);
	assert.ok(left > 7000e3 && left <= 7200e3, 'a step that reached somebody leaves the next its time');
	assert.equal(unreachedLog(ask).length, 2);
	assert.match(unreachedLog(ask)[0], /step 1 of .* the next step follows now: nightwatch \(on_call\)/);
	const { body: tried } = await admin.post('/v1/routes/try', { ask: {} });
	assert.deepEqual(tried.plan.map((p) => [p.step, p.user, p.team, p.why]).slice(0, 3),
		[[0, null, 'nightwatch', 'on_call'], [1, mia.id, undefined, 'muted'], [2, ada.id, undefined, null]]);
	assert.ok(Date.parse(tried.plan[2].at) - Date.now() - server.offset < 60e3, 'at once there, too');
	const shown = await show(ask);
	assert.match(shown, /Not reached: nobody is on call in nightwatch · mia has muted notifications/, shown);
	await admin.answer(ask, { q1: true });
	await routed([]);
	await admin.delete(`/v1/teams/${team.id}`);
});

test('with no step left, quiet hours past the deadline, or every message dead: nobody could be notified', async () => {
	const phone = await reached(mia, { reply: (request, response) => response.writeHead(410).end() });
	await routed([now]);
	const dead = await agent.ask();
	await step(dead, 1);
	assert.deepEqual(await unreached(dead), [{ step: 0, reasons: [{ user: mia.id, team: null, why: 'dead', from: null }] }]);
	assert.match(unreachedLog(dead)[0], /no step is left: mia \(dead\)/);
	await phone.remove();
	const quiet = await reached(mia);
	const at = new Date(Date.now() + server.offset);
	const clock = (minutes) => new Date(at.getTime() + minutes * 60e3).toISOString().slice(11, 16);
	await member.put('/v1/me/notify', { quiet: { tz: 'Etc/UTC', from: clock(-1), to: clock(120) } });
	const late = await agent.ask({ timeout: '30m' });
	await step(late, 1);
	const [{ reasons: [reason] }] = (await told(late)).unreached;
	assert.deepEqual([reason.user, reason.why, reason.from.slice(11, 16)], [mia.id, 'quiet', clock(120)]);
	const shown = await show(late);
	assert.match(shown, /Nobody could be notified: mia from .*\(quiet hours\)/, shown);
	await member.put('/v1/me/notify', {});
	for (const a of [dead, late]) await admin.answer(a, { q1: true });
	await quiet.remove();
});

test('a step whose messages die after a later one reached somebody hurries nothing', async () => {
	const phone = await reached(mia, { reply: (request, response) => response.writeHead(500).end() });
	const desk = await reached(ada);
	await routed([now, { after: '5m', to: [`user:${ada.id}`] }, { after: '2h', to: [`user:${ada.id}`] }]);
	const ask = await agent.ask();
	const mine = async () => (await told(ask)).items.find((d) => d.contact === phone.contact.id);
	for (const [n, wait] of [[1, 5e3], [2, 30e3], [3, 300e3], [4, 600e3]]) {
		await until(async () => (await mine())?.attempts === n && (await mine()).last_error && Date.parse((await mine()).next_at) > Date.now() + server.offset,
			`attempt ${n}`);
		server.jump(wait + 100);
	}
	await step(ask, 1);
	assert.equal(desk.purposes().length, 1);
	assert.ok(Date.parse((await told(ask)).next_at) - Date.parse(ask.created_at) > 7000e3);
	assert.match(unreachedLog(ask)[0], /the next step follows in its time: mia \(dead\)/);
	await admin.answer(ask, { q1: true });
	for (const one of [phone, desk]) await one.remove();
});

test('who is looking, or is told later, counts as reached; a contact that is muted meanwhile does not', async () => {
	const phone = await reached(mia);
	await routed([now]);
	await member.post('/v1/me/present');
	const seen = await agent.ask();
	await until(async () => (await rows(seen, '&kind=route&status=done')).length === 1, 'the step');
	assert.deepEqual((await told(seen)).unreached, []);
	server.jump(120e3);
	const at = new Date(Date.now() + server.offset);
	const clock = (minutes) => new Date(at.getTime() + minutes * 60e3).toISOString().slice(11, 16);
	await member.put('/v1/me/notify', { quiet: { tz: 'Etc/UTC', from: clock(-1), to: clock(60) } });
	const later = await agent.ask();
	await until(async () => (await told(later)).items[0]?.status === 'waiting', 'held');
	assert.deepEqual((await told(later)).unreached, []);
	await member.patch(`/v1/me/contacts/${phone.contact.id}`, { muted: true });
	server.jump(61 * 60e3);
	await step(later, 1);
	assert.deepEqual((await unreached(later))[0].reasons.map((r) => r.why), ['muted']);
	await member.put('/v1/me/notify', {});
	for (const a of [seen, later]) await admin.answer(a, { q1: true });
	await phone.remove();
});

test('a broken contact is tried where nothing else works, and a message that arrives mends it', async () => {
	const phone = await reached(mia, { reply: (request, response, n) => response.writeHead(n < 3 ? 410 : 204).end() });
	const contact = async () => (await member.get(`/v1/me/contacts/${phone.contact.id}`)).body;
	assert.deepEqual([(await contact()).verified, (await contact()).tested], [true, false], 'nobody knows whether it works');
	await routed([now]);
	const [first, second] = [await agent.ask(), await agent.ask()];
	for (const ask of [first, second]) await step(ask, 1);
	assert.deepEqual([Boolean((await contact()).broken), (await contact()).tested], [true, false]);
	const spare = await reached(mia);
	const passed = await agent.ask();
	await spare.receiver.some(1, passed);
	await spare.remove();
	const third = await agent.ask();
	await until(async () => (await told(third)).items[0]?.status === 'done', 'tried again');
	assert.deepEqual([(await contact()).broken, (await contact()).tested], [null, true]);
	assert.equal(phone.receiver.got.length, 3, 'passed over while another works');
	for (const a of [first, second, passed, third]) await admin.answer(a, { q1: true });
	await phone.remove();
});

test('how the test of a contact went is read by its person and admins', async () => {
	const phone = await reached(mia);
	const { body: sent } = await member.post(`/v1/me/contacts/${phone.contact.id}/test`);
	await until(async () => (await member.get(`/v1/deliveries/${sent.id}`)).body.status === 'done', 'delivered');
	assert.equal((await member.get(`/v1/me/contacts/${phone.contact.id}`)).body.tested, true);
	const desk = await reached(ada);
	const { body: hers } = await admin.post(`/v1/me/contacts/${desk.contact.id}/test`);
	assert.equal((await member.get(`/v1/deliveries/${hers.id}`)).status, 403);
	assert.equal((await agent.get(`/v1/deliveries/${sent.id}`)).status, 403);
	assert.equal((await admin.get(`/v1/deliveries/${sent.id}`)).status, 200);
	await phone.remove();
	await desk.remove();
});

test('a message that is being retried shows as such', async () => {
	const phone = await reached(mia, { reply: (request, response) => response.writeHead(500).end() });
	await routed([now]);
	const ask = await agent.ask();
	await until(async () => (await told(ask)).items[0]?.last_error, 'it failed once');
	assert.deepEqual((await told(ask)).unreached, [], 'it may arrive yet');
	assert.match(await show(ask), /Not delivered yet, trying again: mia, webhook/);
	await admin.answer(ask, { q1: true });
	await phone.remove();
});

test('failures are tried again after 5 s, 30 s, 2 min and 10 min, and not after the deadline', async () => {
	const phone = await reached(mia, { reply: (request, response) => response.writeHead(500).end() });
	await routed([now]);
	const ask = await agent.ask({ timeout: '30m' });
	for (const [n, wait] of [[1, 5e3], [2, 30e3], [3, 120e3], [4, 600e3]]) {
		await phone.receiver.some(n);
		// Reported, too: the pause begins then.
		await until(async () => {
			const [row] = (await told(ask)).items;
			return row.attempts === n && Date.parse(row.next_at) > Date.now() + server.offset;
		}, `attempt ${n}`);
		server.jump(wait + 100);
	}
	await until(async () => (await told(ask)).items[0].status === 'dead', 'dead');
	const short = await agent.ask({ timeout: '20s' });
	await phone.receiver.some(6);
	server.jump(5.1e3);
	await until(async () => (await told(short)).items[0].status === 'dead', 'no time left');
	await admin.answer(ask, { q1: true });
	await phone.remove();
});

test('too many messages become one summary', async () => {
	const phone = await reached(mia);
	await routed([now]);
	const asks = [];
	for (let i = 0; i < 12; i++) asks.push(await agent.ask({ title: `Storm ${i}` }));
	await phone.receiver.some(5);
	const sent = (d) => d.status === 'done' || (d.status === 'waiting' && !d.attempts);
	for (const a of asks) {
		await until(async () => (await told(a)).items.some(sent), 'sent, or left to the summary');
	}
	// What is sent after them is sent once all of them were looked at.
	await admin.post(`/v1/users/${mia.id}/contacts/${phone.contact.id}/test`);
	await until(() => phone.purposes().includes('test'), 'a message behind them');
	const waiting = async () => (await admin.get(`/v1/deliveries?purpose=summary&user=${mia.id}`)).body.items;
	await until(async () => (await waiting())[0]?.status === 'waiting', 'a summary');
	await admin.answer(asks[11], { q1: true });
	server.jump(61e3);
	await until(() => phone.purposes().includes('summary'), 'it is told');
	const summary = phone.receiver.got.find((g) => g.body.data.purpose === 'summary').body.data;
	assert.deepEqual([summary.ask, summary.asks.length], [null, 6], 'what is still open');
	assert.equal(phone.purposes().filter((p) => p === 'ask').length, 5);
	await until(async () => (await told(asks[10])).items[0].status === 'done', 'they count as told');
	for (const a of asks.slice(0, 11)) await admin.answer(a, { q1: true });
	await phone.remove();
});

test('quiet hours hold a message back, and an urgent one passes', async () => {
	const phone = await reached(mia);
	await routed([now, { ...now, after: '1m' }]);
	const at = new Date(Date.now() + Number(readFileSync(server.clockFile, 'utf8')));
	const clock = (minutes) => new Date(at.getTime() + minutes * 60e3).toISOString().slice(11, 16);
	await member.put('/v1/me/notify', { quiet: { tz: 'Etc/UTC', from: clock(-1), to: clock(120) } });
	const ask = await agent.ask();
	const settled = await agent.ask();
	await until(async () => (await told(ask)).items[0]?.status === 'waiting', 'held');
	assert.equal((await told(ask)).items[0].next_at.slice(11, 16), clock(120));
	const urgent = await agent.ask({ priority: 'urgent' });
	await phone.receiver.some(1, urgent);
	server.jump(61e3);
	await until(async () => (await rows(ask, '&kind=route&status=done')).length === 2, 'the second step');
	assert.equal((await told(ask)).items.length, 1, 'one message an ask and person');
	await admin.answer(settled, { q1: true });
	assert.equal((await told(settled)).items[0].status, 'dropped');
	server.jump(120 * 60e3);
	await phone.receiver.some(1, ask);
	await until(async () => (await told(ask)).items[0].status === 'done', 'told');
	assert.equal(phone.receiver.got.filter((g) => g.body.data.ask?.id === settled.id).length, 0);
	for (const a of [ask, urgent]) await admin.answer(a, { q1: true });
	await member.put('/v1/me/notify', {});
	await phone.remove();
});

test('a contact whose message was dropped is not told in place of one that fails', async () => {
	let release;
	const held = new Promise((resolve) => { release = resolve; });
	const phone = await reached(mia, { reply: async (request, response) => {
		await held;
		response.writeHead(410).end();
	} });
	const { body: second } = await admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'command', address: 'fail', name: 'second' });
	await routed([{ ...now, via: ['webhook', 'command'] }]);
	const ask = await agent.ask();
	const ofSecond = async () => (await rows(ask)).find((d) => d.contact === second.id);
	await until(async () => (await ofSecond())?.last_error, 'it failed, and is tried again');
	await member.patch(`/v1/me/contacts/${second.id}`, { muted: true });
	server.jump(6e3);
	await phone.receiver.some(1);
	await until(async () => (await ofSecond()).status === 'dropped', 'muted');
	await member.patch(`/v1/me/contacts/${second.id}`, { muted: false });
	release();
	await until(async () => (await member.get(`/v1/me/contacts/${phone.contact.id}`)).body.broken, 'the failure is reported');
	await admin.answer(ask, { q1: true });
	await phone.remove();
});

test('a digest lists what is open at its time', async () => {
	const phone = await reached(mia);
	await routed([now]);
	const at = new Date(Date.now() + Number(readFileSync(server.clockFile, 'utf8')) + 30 * 60e3);
	await member.put('/v1/me/notify', { digest: { tz: 'Etc/UTC', at: [at.toISOString().slice(11, 16)] } });
	const asks = [await agent.ask(), await agent.ask(), await agent.ask()];
	const high = await agent.ask({ priority: 'high' });
	const soon = await agent.ask({ timeout: '5m' });
	await phone.receiver.some(1, high);
	await phone.receiver.some(1, soon);
	await admin.answer(asks[2], { q1: true });
	server.jump(31 * 60e3);
	await until(() => phone.purposes().includes('digest'), 'the digest');
	const digest = phone.receiver.got.find((g) => g.body.data.purpose === 'digest').body.data;
	assert.deepEqual(digest.asks.sort(), [asks[0].id, asks[1].id].sort());
	for (const a of [asks[0], asks[1], high]) await admin.answer(a, { q1: true });
	await member.put('/v1/me/notify', {});
	await phone.remove();
});

test('commands are run without a shell, with the text on standard input', async () => {
	const { body: contact } = await admin.post(`/v1/users/${mia.id}/contacts`,
		{ channel: 'command', address: 'phone', name: 'phone' });
	await routed([now]);
	const ask = await agent.ask({ ...approval(), title: '$(touch x) `id` "quoted"' });
	await until(() => ran('phone').length === 1, 'it ran');
	const [got] = ran('phone');
	assert.deepEqual([got.title, got.purpose, got.user, got.data, got.url.endsWith(`/asks/${ask.id}`)],
		['$(touch x) `id` "quoted" (builder)', 'ask', 'mia', null, true]);
	assert.match(got.input, /Approval request from builder[^]*Wants to run:/);
	assert.ok(!existsSync(join(folder, 'x')));
	await admin.answer(ask, { decision: 'approve' });
	await until(() => ran('phone').length === 2, 'its end');
	assert.match(ran('phone').find((r) => r.purpose === 'settled').input, /Approved by ada/);
	const both = await agent.ask({ ...approval(), title: 'for two', require: [{ approvals: 2 }] });
	await until(() => ran('phone').some((r) => r.url.endsWith(both.id)), 'that for two');
	for (const voter of [member, admin]) await voter.answer(both, { decision: 'approve' });
	const last = () => ran('phone').findLast((r) => r.purpose === 'settled' && r.url.endsWith(both.id));
	await until(() => last(), 'the end of that for two');
	assert.match(last().input, /Approved by mia, ada/);
	await admin.delete(`/v1/users/${mia.id}/contacts/${contact.id}`);
	const { body: failing } = await admin.post(`/v1/users/${mia.id}/contacts`, { channel: 'command', address: 'fail' });
	assert.equal((await member.post(`/v1/me/contacts/${failing.id}/test`)).status, 202);
	await until(async () => (await admin.get('/v1/deliveries?kind=command&purpose=test')).body.items[0]
		.last_error === 'exit status 3', 'it is tried again');
	await admin.delete(`/v1/users/${mia.id}/contacts/${failing.id}`);
});

test('a message says which program asks, and whose it is on its machine', async () => {
	const { receiver } = await reached(mia, { format: 'ntfy' });
	await routed([now]);
	const headers = { 'parley-program': 'Claude Code', 'parley-machine-user': 'ada' };
	const ask = (await agent.post('/v1/asks', { kind: 'approval', title: 'Ship it?' }, { headers })).body;
	const [got] = await receiver.some(1);
	assert.match(JSON.stringify(got.body), /builder · Claude Code \(ada\)/);
	await member.answer(ask, { decision: 'approve' });
});

test('Slack, Teams and ntfy get what they can read, and agents\' text stays text', async () => {
	const hostile = '<!channel> *bold* ```end @all & </script> \u202Eevil';
	const rooms = {};
	for (const format of ['slack', 'teams', 'ntfy']) rooms[format] = await reached(mia, { format });
	await routed([{ ...now, via: ['webhook'] }, { ...now, via: ['webhook'], after: '1s' },
		{ ...now, via: ['webhook'], after: '2s' }]);
	const ask = await agent.ask({ title: hostile, priority: 'high' });
	await rooms.slack.receiver.some(1);
	server.jump(1.1e3);
	await until(() => Object.values(rooms).filter((r) => r.receiver.got.length).length > 1, 'the second');
	server.jump(1.1e3);
	await until(() => Object.values(rooms).every((r) => r.receiver.got.length), 'the third');
	const { slack, teams, ntfy } = Object.fromEntries(Object.entries(rooms)
		.map(([k, r]) => [k, r.receiver.got[0]]));
	const { text } = slack.body;
	assert.equal(text.split('```').length, 3, 'one fence');
	assert.ok(!text.includes('<!') && text.includes('&lt;!channel&gt;') && text.includes(`/asks/${ask.id}`));
	assert.ok(!text.includes('\u202E'));
	assert.equal(slack.headers['webhook-signature'], undefined);
	const card = teams.body.attachments[0].content;
	assert.deepEqual([card.type, card.version, card.actions[0].type], ['AdaptiveCard', '1.4', 'Action.OpenUrl']);
	assert.ok(card.body.every((b) => b.type === 'RichTextBlock'), 'no markdown is read');
	assert.deepEqual([ntfy.path, ntfy.body.topic, ntfy.body.priority, ntfy.body.sequence_id],
		['/', 'hook', 4, ask.id]);
	await admin.answer(ask, { q1: true });
	await rooms.ntfy.receiver.some(2);
	assert.deepEqual([rooms.ntfy.receiver.got[1].body.sequence_id, rooms.ntfy.receiver.got[1].body.priority],
		[ask.id, 1]);
	for (const room of Object.values(rooms)) await room.remove();
	assert.deepEqual([rooms.slack.receiver.got.length, rooms.teams.receiver.got.length], [1, 1]);
});

test('a sensitive ask says kind, agent, countdown and link alone', async () => {
	const phone = await reached(mia);
	const room = await reached(mia, { format: 'slack' });
	await routed([now, { ...now, after: '1s' }]);
	const session = await agent.session({ sensitive: true });
	assert.equal(session.sensitive, true);
	const ask = await agent.ask({ session: session.id, title: 'Top secret', question: 'The word is mellon?', type: 'boolean' });
	assert.equal(ask.sensitive, true);
	const [got] = await phone.receiver.some(1);
	server.jump(1.1e3);
	const [plain] = await room.receiver.some(1);
	for (const text of [got.text, plain.text]) {
		assert.ok(!text.includes('secret') && !text.includes('mellon') && text.includes('builder'), text);
	}
	assert.equal((await member.read(ask)).title, 'Top secret');
	await admin.answer(ask, { q1: true });
	await phone.remove();
	await room.remove();
});

test('nobody is told who may not settle it, and those away are replaced', async () => {
	const [phone, desk] = [await reached(mia), await reached(ada)];
	const { body: team } = await admin.post('/v1/teams', { name: 'web', projects: ['web-*'],
		members: [{ user: ada.id }] });
	await routed([{ after: '0s', to: [`user:${mia.id}`, 'all'] }]);
	const session = await agent.session({ project: 'web-shop' });
	const ask = await agent.ask({ session: session.id });
	await desk.receiver.some(1);
	await until(async () => (await rows(ask, '&kind=route&status=done')).length === 1, 'worked');
	assert.deepEqual(phone.purposes(), []);
	const until_ = new Date(Date.now() + Number(readFileSync(server.clockFile, 'utf8')) + 3600e3).toISOString();
	await member.put('/v1/me/away', { until: until_, delegate: ada.id });
	const another = await agent.ask();
	await desk.receiver.some(1, another);
	assert.deepEqual((await told(another)).items.map((d) => d.user), [ada.id]);
	await member.delete('/v1/me/away');
	for (const a of [ask, another]) await admin.answer(a, { q1: true });
	await admin.delete(`/v1/teams/${team.id}`);
	await phone.remove();
	await desk.remove();
});

test('an ask past its target is overdue, once', async () => {
	const phone = await reached(mia);
	await routed([], { target: '15m' });
	const [ask, quick] = [await agent.ask(), await agent.ask()];
	await admin.answer(quick, { q1: true });
	server.jump(901e3);
	await until(async () => (await rows(ask, '&status=done')).length === 1, 'overdue');
	const events = (await admin.events(0, '&types=ask.overdue')).items;
	assert.deepEqual(events.map((e) => [e.ask, e.data]), [[ask.id, { target: 900 }]]);
	await admin.answer(ask, { q1: true });
	await phone.remove();
});

test('messages are counted', async () => {
	const text = (await admin.get('/metrics')).text;
	assert.match(text, /parley_notify_total\{channel="webhook",purpose="ask",outcome="taken"\} \d/);
	assert.match(text, /parley_notify_total\{channel="webhook",purpose="ask",outcome="dead"\} \d/);
	assert.match(text, /parley_notify_seconds_count\{channel="webhook"\} \d/);
	assert.match(text, /parley_notify_waiting \d/);
});

test('a table of routes that cannot be is refused, each fault named', async () => {
	const { version } = (await admin.get('/v1/routes')).body;
	const put = async (items, v = version) => admin.put('/v1/routes', { version: v, items });
	const last = { match: {}, steps: [] };
	assert.deepEqual(pointers(await put([{ match: { kind: ['approval'] }, steps: [] }])), ['/items/0/match']);
	assert.deepEqual(pointers(await put([{ match: {}, steps: [{ after: '0s', to: ['team:gone'] },
		{ after: '0s', to: ['user:usr_00000000000000000000000000'] }] }])), ['/items/0/steps/1/after']);
	assert.deepEqual(pointers(await put([{ match: {}, steps: [{ after: '0s', to: ['team:gone',
		'user:usr_00000000000000000000000000', 'contact:con_00000000000000000000000000'] }] }])),
	['/items/0/steps/0/to/0', '/items/0/steps/0/to/1', '/items/0/steps/0/to/2']);
	assert.deepEqual(pointers(await put([{ match: {}, steps: [{ after: '8d', to: ['all'] },
		{ before: '5m', after: '1m', to: [] }], repeat: { every: '0s', times: 21 } }])).sort(),
	['/items/0/repeat/every', '/items/0/repeat/times', '/items/0/steps/0/after', '/items/0/steps/1']);
	assert.equal((await put([last], version + 1)).status, 409);
	assert.equal((await member.put('/v1/routes', { version, items: [last] })).status, 403);
	assert.equal((await agent.get('/v1/routes')).status, 403);
});

test('a table is tried before it is set', async () => {
	const phone = await reached(mia);
	const items = [{ match: { risk: { min: 'high' } }, steps: [{ after: '5m', to: [`user:${mia.id}`] },
		{ before: '5m', to: ['role:admin'] }], repeat: { every: '1m', times: 1 } }, { match: {}, steps: [] }];
	const at = '2026-06-01T12:00:00.000Z';
	const reply = (await member.post('/v1/routes/try', { items, at,
		ask: { kind: 'approval', risk: 'high', timeout: '1h' } })).body;
	assert.equal(reply.route, 0);
	const [first, ...rest] = reply.plan;
	assert.deepEqual(first, { at: '2026-06-01T12:05:00.000Z', step: 0, user: mia.id,
		contact: phone.contact.id, channel: 'webhook', why: null });
	const admins = (await admin.get('/v1/users')).body.items.filter((u) => ['admin', 'owner'].includes(u.role));
	assert.deepEqual(rest.map((p) => [p.at, p.step, p.contact, p.why]),
		Array(2 * admins.length).fill([null, 1, null, 'no_contact']), 'twice: it is repeated');
	const low = (await member.post('/v1/routes/try', { items, ask: { kind: 'approval', risk: 'low' } })).body;
	assert.deepEqual(low, { route: 1, plan: [] });
	const kept = (await member.post('/v1/routes/try', { ask: {} })).body;
	assert.equal(kept.route, (await admin.get('/v1/routes')).body.items[0].id);
	await phone.remove();
});

test('everything survives a kill', async () => {
	const phone = await reached(mia);
	await routed([{ ...now, after: '1m' }]);
	const ask = await agent.ask();
	await server.crash();
	server.jump(61e3);
	await phone.receiver.some(1, ask);
	await admin.answer(ask, { q1: true });
	await phone.receiver.some(2);
	assert.deepEqual(phone.purposes(), ['ask', 'settled']);
	await phone.remove();
});

test('of two messages that a killed server was sending the end is told once, and nothing is held up', async () => {
	const phone = await reached(mia, { reply: (request, response, n) => n > 2 && response.writeHead(204).end() });
	await routed([now, { ...now, after: '20s' }]);
	const ask = await agent.ask();
	await phone.receiver.some(1);
	server.jump(21e3);
	await phone.receiver.some(2);
	await server.crash();
	await admin.answer(ask, { q1: true });
	// The lease that the server had on the first is over before that on the second.
	server.jump(45e3);
	await until(async () => (await rows(ask, '&status=dropped')).some((row) => row.contact), 'the first is given up');
	server.jump(30e3);
	await phone.receiver.some(3);
	const next = await agent.ask();
	await phone.receiver.some(1, next);
	assert.deepEqual(phone.purposes(), ['ask', 'ask', 'settled', 'ask']);
	assert.equal((await rows(ask, '&purpose=settled')).length, 1);
	await admin.answer(next, { q1: true });
	await phone.remove();
});

test('a team that a route names is neither renamed nor deleted', async () => {
	const { body: team } = await admin.post('/v1/teams', { name: 'night', members: [{ user: mia.id }] });
	await routed([{ after: '1m', to: ['team:night/leads'] }], { name: 'Production' });
	for (const reply of [await admin.delete(`/v1/teams/${team.id}`),
		await admin.patch(`/v1/teams/${team.id}`, { name: 'day' })]) {
		assert.deepEqual([reply.status, reply.body.detail], [409, 'routes name this team: Production']);
	}
	assert.equal((await admin.patch(`/v1/teams/${team.id}`, { on_call: mia.id })).status, 200);
	await routed([now]);
	assert.equal((await admin.delete(`/v1/teams/${team.id}`)).status, 204);
});

test('insights count what was open for longer than its route\'s target', async () => {
	const phone = await reached(mia);
	const route = await routed([now], { name: 'Prompt', target: '15m' });
	const asks = [await agent.ask(), await agent.ask(), await agent.ask()];
	await admin.answer(asks[0], { q1: true });
	server.jump(16 * 60e3);
	await admin.answer(asks[1], { q1: true });
	const { targets } = (await member.get('/v1/insights')).body;
	assert.deepEqual(targets, [{ route: route.id, name: 'Prompt', target_ms: 900e3, asks: 3, overdue: 2 }]);
	assert.deepEqual((await agent.get('/v1/insights')).body.targets, [], 'routes are people\'s');
	await admin.answer(asks[2], { q1: true });
	await phone.remove();
});

test('changes of routes, templates and lists are events that a check compares', async () => {
	const { as_of: n } = (await admin.get('/v1/asks')).body;
	await routed([now]);
	const { version } = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/lists/regions', { items: [{ id: 'eu', label: 'Europe' }, { id: 'us', label: 'America' }] });
	await admin.put('/v1/templates/deploy', { ask: { question: 'Deploy?' } });
	await admin.delete('/v1/templates/deploy');
	const events = (await admin.events(n)).items.map(({ type, data }) => [type, data]).filter(([type]) => type.endsWith('.changed'));
	assert.deepEqual(events.map(([type, data]) => [type, data.change ?? data.version, Boolean(data.record), data.by.name]), [
		['routes.changed', version, true, ada.name], ['list.changed', 'created', true, ada.name],
		['template.changed', 'created', true, ada.name], ['template.changed', 'deleted', false, ada.name]]);
	assert.deepEqual([events[1][1].list, events[2][1].template], ['regions', 'deploy']);
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});
