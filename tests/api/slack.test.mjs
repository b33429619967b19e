// Slack: messages with buttons, presses, forms and threads, and everything that must be refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codeOf, isCode, Post } from './lib/mail.mjs';
import { approval } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';
import { SECRET, Slack, TOKEN } from './lib/slack.mjs';

const slack = await new Slack().open();
const server = await useServer({ flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET,
	'--slack-api', slack.api, '--notify-rate', '1000', '--ask-rate', '0'] });
const { agent, member, admin } = server;
const viewer = await server.as('viewer', 'vic');
const mia = (await member.get('/v1/me')).body.user;

/** Adds and verifies a Slack contact with the code that was sent there. */
async function linked(client, id) {
	const made = await client.post('/v1/me/contacts', { channel: 'slack', address: id });
	assert.equal(made.status, 201, made.text);
	const code = (await until(() => slack.messages.findLast((m) => m.to === id), 'the code'));
	const [, word] = JSON.stringify(code.blocks).match(/Parley: ([a-z]{8})/);
	const done = await client.post(`/v1/me/contacts/${made.body.id}/verify`, { code: word });
	assert.equal(done.status, 200, done.text);
	return done.body;
}
await linked(member, 'UMIA');
await linked(admin, 'UADA');
await linked(viewer, 'UVIC');
const ops = (await admin.post('/v1/teams', { name: 'ops', members: [{ user: mia.id }] })).body;
const room = (await admin.post(`/v1/teams/${ops.id}/contacts`, { channel: 'slack', address: 'C0OPS' })).body;
const { version } = (await admin.get('/v1/routes')).body;
await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${room.id}`] }] }] });
/* One message a second goes to a room: each test has its own. */
let rooms = 0;
async function routed(extra = []) {
	const made = (await admin.post(`/v1/teams/${ops.id}/contacts`, { channel: 'slack', address: `C${++rooms}X` })).body;
	const now = (await admin.get('/v1/routes')).body;
	const put = await admin.put('/v1/routes', { version: now.version, items: [{ match: {},
		steps: [{ after: '0s', to: [`contact:${made.id}`] }, ...extra] }] });
	assert.equal(put.status, 200, put.text);
	return made;
}
async function shown(body) {
	await routed();
	const ask = await agent.ask(body);
	const message = await until(() => slack.messages.find((m) => JSON.stringify(m.blocks).includes(ask.id)), 'the message');
	return { ask, message };
}
/** The dialog that Reject… opens. */
async function rejecting(message, user = 'UADA') {
	const views = slack.views.length;
	await slack.press(server, user, message, 'reject');
	return until(() => slack.views[views], 'the dialog');
}
const labels = (message) => slack.buttons(message).map((b) => b.text.text);
const read = (ask) => member.read(ask);
beforeEach(async () => {
	for (const { id, address } of (await admin.get(`/v1/teams/${ops.id}/contacts`)).body.items) {
		if (address !== 'C0OPS') await admin.delete(`/v1/teams/${ops.id}/contacts/${id}`);
	}
	slack.lines.length = 0;
	slack.broken = {};
});

test('a message has literal text, buttons and a link, and is edited once the question is settled', async () => {
	const { ask, message } = await shown({ question: 'Go <!channel> *on*?', type: 'boolean', title: 'Ship & go' });
	assert.deepEqual([message.unfurl_links, message.unfurl_media], [false, false]);
	assert.equal(message.text, 'Ship &amp; go (builder)');
	assert.deepEqual(labels(message), ['Yes', 'No', 'Skip', 'Open in Parley']);
	const link = slack.buttons(message).at(-1);
	assert.equal(link.url, `${server.url}/asks/${ask.id}`);
	const press = await slack.press(server, 'UMIA', message, 'yes');
	assert.deepEqual([press.status, press.body], [200, null]);
	const settled = await read(ask);
	assert.deepEqual([settled.status, settled.answered_by.user, settled.answered_by.via], ['answered', mia.id, 'slack']);
	await until(() => message.edits.length, 'edited');
	assert.deepEqual(labels(message), ['Open in Parley'], 'buttons are gone, the link stays');
	assert.match(JSON.stringify(message.blocks), /Answered by mia, .* in Slack/);
	assert.match(JSON.stringify(message.blocks), /Go <!channel> \*on\*\?/, 'and what was asked');
});

test('approvals: buttons up to the limit, confirmed from medium on', async () => {
	const medium = await shown(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 1 } } }));
	assert.deepEqual(labels(medium.message), ['Approve', 'Approve for 1 hour', 'Reject…', 'Open in Parley']);
	assert.ok(slack.buttons(medium.message)[0].confirm, 'asked once more');
	assert.ok(!slack.buttons(medium.message)[2].confirm);
	assert.ok(medium.message.blocks[0].elements.some((e) => e.type === 'rich_text_preformatted'));
	for (const [n, digest] of ['0123456789abcdef', ''].entries()) {
		for (const [i, verb] of ['approve', 'reject', 'form'].entries()) {
			await slack.press(server, 'UADA', medium.message, verb, { value: `${medium.ask.id}.${digest}.${verb}` });
			assert.match(await slack.line(3 * n + i + 1), /another operation/);
		}
	}
	await slack.press(server, 'UADA', medium.message, 'hour');
	const { answered_by: by } = await read(medium.ask);
	assert.equal(by.via, 'slack');
	assert.ok((await admin.get('/v1/rules')).body.items.some((rule) => rule.made_from?.ask === medium.ask.id), 'for an hour');

	const high = await shown(approval());
	assert.deepEqual(labels(high.message), ['Reject…', 'Open in Parley'], 'no approving above the limit');
	slack.lines.length = 0;
	const forged = `${high.ask.id}.${high.ask.digest.replace(/^\w+:/, '').slice(0, 16)}.approve`;
	const reply = await slack.press(server, 'UADA', high.message, 'approve', { value: forged });
	assert.equal(reply.status, 200);
	assert.match(await slack.line(1), /may not be decided by this channel/);
	assert.equal((await read(high.ask)).status, 'pending');
	const view = await rejecting(high.message);
	assert.deepEqual([view.submit.text, view.blocks.at(-1).optional], ['Reject', true]);
	assert.deepEqual((await slack.submit(server, 'UADA', view, { q0: { value: 'not on a Friday' } })).body, null);
	assert.deepEqual((await read(high.ask)).answer.decision, { value: 'reject', text: 'not on a Friday' });
	const critical = await shown(approval({ operation: { type: 'tool', name: 'x', arguments: {}, risk: 'critical' } }));
	assert.deepEqual(labels(critical.message), ['Open in Parley'], 'a link alone');
	await admin.post(`/v1/asks/${critical.ask.id}/skip`);

	const hidden = await shown({ question: 'Go?', type: 'boolean', title: 'secret', sensitive: true });
	assert.deepEqual(labels(hidden.message), ['Open in Parley']);
	assert.ok(!JSON.stringify(hidden.message.blocks).includes('secret'));
	await slack.press(server, 'UMIA', hidden.message, 'yes', { value: `${hidden.ask.id}..yes` });
	assert.match(await slack.line(2), /may not be decided by this channel/);
	const views = slack.views.length;
	await slack.press(server, 'UMIA', hidden.message, 'form', { value: `${hidden.ask.id}..form` });
	assert.match(await slack.line(3), /may not be decided by this channel/);
	assert.equal(slack.views.length, views, 'no form shows it');
});

test('what a message does not show whole is not approved there', async () => {
	const context = { diff: '+ system("rm -rf /")', error_details: 'exit 1', current_step: 'Migrate', project_name: 'shop', attempt: 2, attempts: 3, preview: 'A table' };
	const small = await shown(approval({ operation: { type: 'tool', name: 'edit', arguments: { file: 'main.c', script: 'one\ntwo' } }, context }));
	const words = JSON.stringify(small.message.blocks);
	for (const part of ['edit\\nfile: main.c\\nscript:\\n  one\\n  two', '+ system(\\"rm -rf /\\")', 'exit 1', 'Step: Migrate', 'Project: shop', 'Attempt 2 of 3', 'A table']) {
		assert.ok(words.includes(part), `${part} in ${words}`);
	}
	assert.equal(labels(small.message)[0], 'Approve');
	for (const more of [{ operation: { type: 'tool', name: 'Write', arguments: { text: 'x'.repeat(9000) } } },
		{ operation: { type: 'tool', name: 'Write', arguments: { text: '\u200b'.repeat(900) } } },
		{ operation: { type: 'tool', name: 'edit', arguments: {} }, context: { diff: '+ line\n'.repeat(1500) } }]) {
		slack.lines.length = 0;
		const { ask, message } = await shown(approval(more));
		assert.match(JSON.stringify(message.blocks), /the rest is on the page/);
		assert.deepEqual(labels(message), ['Reject…', 'Open in Parley']);
		await slack.press(server, 'UADA', message, 'approve', { value: `${ask.id}.${ask.digest.replace(/^\w+:/, '').slice(0, 16)}.approve` });
		assert.match(await slack.line(1), /may not be decided by this channel/);
		assert.equal((await read(ask)).status, 'pending');
		await slack.submit(server, 'UADA', await rejecting(message), {});
		assert.equal((await read(ask)).answer.decision.value, 'reject');
	}
	const failed = await shown({ kind: 'error_recovery', question: 'What now?', options: ['retry', 'abort'], context: { error_details: 'E'.repeat(9000) } });
	assert.deepEqual(labels(failed.message), ['Skip', 'Open in Parley']);
	await slack.press(server, 'UADA', failed.message, 'option0', { value: `${failed.ask.id}..option0` });
	assert.equal((await read(failed.ask)).status, 'pending');
	await slack.press(server, 'UADA', failed.message, 'skip');
	assert.equal((await read(failed.ask)).status, 'skipped');
});

test('votes by presses: each counts once, and the last one needed settles', async () => {
	const { ask, message } = await shown(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 2 } }, require: [{ approvals: 2 }] }));
	const words = () => JSON.stringify(message.blocks);
	assert.match(words(), /2 approvals are needed[^]*Nobody has approved it yet/);
	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'told');
	await slack.press(server, 'UMIA', message, 'approve');
	assert.match(await slack.line(1), /Your approval is saved\. More are needed/);
	await until(() => /Approved so far by mia/.test(words()), 'said in the message');
	assert.equal(labels(message)[0], 'Approve', 'which can still be approved');
	await member.post(`/v1/asks/${ask.id}/retract`);
	await until(() => /Nobody has approved it yet/.test(words()), 'taken back');
	await slack.press(server, 'UMIA', message, 'approve');
	await slack.line(2);
	await until(() => /Approved so far by mia/.test(words()), 'said again');
	await slack.press(server, 'UMIA', message, 'approve');
	const after = await read(ask);
	assert.deepEqual([after.status, after.votes.map((one) => [one.by.user, one.via])], ['pending', [[mia.id, 'slack']]]);
	await slack.press(server, 'UADA', message, 'approve');
	const settled = await read(ask);
	assert.deepEqual([settled.status, settled.answered_by.votes, settled.answered_by.via], ['answered', 2, 'slack']);
	await until(() => /Approved by mia, ada/.test(words()), 'settled');
	assert.deepEqual(labels(message), ['Open in Parley']);
});

test('a vote that comes while the message is on its way is said in it afterwards', async () => {
	const [early, late] = [await routed(), (await admin.post(`/v1/teams/${ops.id}/contacts`, { channel: 'slack', address: 'CLATE' })).body];
	const { version } = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${early.id}`] }, { after: '1s', to: [`contact:${late.id}`] }] }] });
	const ask = await agent.ask(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 4 } }, require: [{ approvals: 2 }] }));
	const shows = (room) => until(() => slack.messages.find((m) => m.to === room && JSON.stringify(m.blocks).includes(ask.id)), room);
	const first = await shows(early.address);
	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'told');
	slack.slowness = () => 1500; // until Slack says that it has taken it
	const second = await shows('CLATE');
	await member.answer(ask, { decision: 'approve' });
	for (const message of [first, second]) await until(() => /Approved so far by mia/.test(JSON.stringify(message.blocks)), 'the edit');
	slack.slowness = () => 0;
	await until(async () => !(await admin.get(`/v1/deliveries?ask=${ask.id}&kind=slack&status=waiting`)).body.items.length, 'nothing waits');
	assert.deepEqual([first, second].map((m) => m.edits.length), [1, 1], 'once each');
	await admin.post(`/v1/asks/${ask.id}/skip`);
});

test('who may not settle is told so, and nobody else', async () => {
	const { ask, message } = await shown({ question: 'Which?', options: ['left', 'right'] });
	assert.deepEqual(labels(message).slice(0, 2), ['left', 'right']);
	await slack.press(server, 'USTRANGER', message, 'option0');
	assert.match(await slack.line(1), /Link your account.*USTRANGER/);
	await slack.press(server, 'UVIC', message, 'option0');
	assert.match(await slack.line(2), /role viewer/);
	assert.equal((await slack.press(server, 'UMIA', message, 'option0', { team: 'TOTHER' })).status, 200);
	assert.equal((await read(ask)).status, 'pending');
	await slack.press(server, 'UMIA', message, 'option1');
	assert.deepEqual((await read(ask)).answer.q1.selected, ['right']);
	await slack.press(server, 'UADA', message, 'option0', { value: `${ask.id}..option0` });
	assert.match(await slack.line(3), /Already settled by mia/);
	assert.equal(slack.lines.length, 3);
});

test('who asked does not decide it by a press either, and a captured press counts once', async () => {
	await routed();
	const mine = await member.ask(approval({ operation: { type: 'tool', name: 'x', arguments: { a: 3 } } }));
	const message = await until(() => slack.messages.find((m) => JSON.stringify(m.blocks).includes(mine.id)), 'the message');
	for (const [n, verb] of ['approve', 'hour'].entries()) {
		await slack.press(server, 'UMIA', message, verb);
		assert.match(await slack.line(n + 1), /whoever asks for an approval cannot decide it/);
	}
	const view = await rejecting(message);
	assert.match(JSON.stringify((await slack.submit(server, 'UMIA', view, {})).body), /whoever asks for an approval cannot decide it/);
	assert.equal((await read(mine)).status, 'pending');
	const reject = { hash: 'h99' };
	await slack.submit(server, 'UADA', view, {}, reject);
	const { answered_by: by, answer, version } = await read(mine);
	for (let i = 0; i < 3; i++) assert.equal((await slack.submit(server, 'UADA', view, {}, reject)).status, 200);
	assert.deepEqual([by.user !== mia.id, answer.decision.value, (await read(mine)).version], [true, 'reject', version], 'replayed within 5 minutes: nothing new');
});

test('two people and the deadline at once: one of them settles, and both hear which', async () => {
	for (let i = 0; i < 4; i++) {
		slack.lines.length = 0;
		const { ask, message } = await shown({ question: 'Go?', type: 'boolean', timeout: '1m' });
		const value = (verb) => slack.buttons(message).find((b) => b.action_id === verb).value;
		const pressed = [slack.press(server, 'UMIA', message, 'yes', { value: value('yes') }),
			slack.press(server, 'UADA', message, 'no', { value: value('no') })];
		if (i % 2) server.jump(60e3); // within what a signature may be old
		assert.deepEqual((await Promise.all(pressed)).map((r) => r.status), [200, 200]);
		const settled = await until(async () => { const now = await read(ask); return now.status !== 'pending' && now; }, 'settled');
		const late = settled.status === 'expired' ? 2 : 1;
		await slack.line(late);
		assert.equal(slack.lines.length, late, JSON.stringify(slack.lines));
		if (late === 1) assert.equal(settled.answer.q1.value, settled.answered_by.user === mia.id);
		await until(() => message.edits.length === 1 && slack.buttons(message).length === 1, 'edited once');
	}
	server.jump(-server.offset);
});

test('a message that waits for its turn in the room is not begun once its question is settled', async () => {
	await routed();
	const [first, second] = [await agent.ask(), await agent.ask()];
	const posts = (ask) => slack.calls.filter(({ method, body }) => method === 'chat.postMessage' && JSON.stringify(body).includes(ask.id));
	await until(() => posts(first).length || posts(second).length, 'the first');
	const other = posts(first).length ? second : first;
	await admin.answer(other, { q1: true });
	const settled = Date.now();
	await until(async () => (await admin.get(`/v1/deliveries?ask=${other.id}&status=waiting`)).body.items.length === 0, 'nothing waits');
	for (const { at } of posts(other)) assert.ok(at <= settled, `begun ${at - settled} ms after the settlement`);
	await admin.answer(other === first ? second : first, { q1: true });
});

test('the same press twice settles once, and neither is refused', async () => {
	const { ask, message } = await shown({ question: 'Go?', type: 'boolean' });
	const value = slack.buttons(message)[0].value;
	const both = await Promise.all([1, 2, 3].map(() => slack.press(server, 'UMIA', message, 'yes', { stamp: '77.1', value })));
	assert.deepEqual(both.map((r) => r.status), [200, 200, 200]);
	assert.equal((await read(ask)).status, 'answered');
	await until(() => message.edits.length === 1, 'edited once');
	assert.deepEqual(slack.lines, []);
	await slack.press(server, 'UADA', message, 'yes', { stamp: '77.1', value });
	assert.match(await slack.line(1), /Already settled by mia/, 'another person\'s is another press');
});

test('signatures: wrong, old, replayed with another body, none', async () => {
	const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
	assert.deepEqual(await slack.send(server, body), { status: 200, body: { challenge: 'abc' } });
	assert.equal((await slack.send(server, body, { secret: 'other' })).status, 401);
	assert.equal((await slack.send(server, body, { at: Date.now() / 1000 - 301 })).status, 401);
	assert.equal((await slack.send(server, body, { at: Date.now() / 1000 + 400 })).status, 401);
	assert.equal((await slack.send(server, body, { signed: body.replace('abc', 'abd') })).status, 401);
	assert.equal((await slack.send(server, body, { signedAt: Date.now() / 1000 - 301 })).status, 401);
	const bare = await fetch(`${server.url}/v1/in/slack`, { method: 'POST', body });
	assert.equal(bare.status, 401);
	assert.equal((await slack.send(server, 'payload=%zz')).status, 400);
	assert.equal((await slack.send(server, '{"type":"other"}')).status, 200);
});

test('a form: its fields, its errors beside them, and what was filled in', async () => {
	const { ask, message } = await shown({ title: 'Release', questions: [
		{ key: 'why', text: 'Why?', type: 'text', placeholder: 'a reason' },
		{ key: 'n', text: 'How many?', type: 'number', integer: true, max: 5 },
		{ key: 'day', text: 'When?', type: 'text', format: 'date' },
		{ key: 'env', text: 'Where?', type: 'choice', options: [{ label: 'a', description: 'The first' }, 'b'], other: true },
		{ key: 'parts', text: 'What?', type: 'choices', options: Array.from({ length: 12 }, (_, i) => `p${i}`) },
		{ key: 'sure', text: 'Sure?', type: 'boolean', required: false }] });
	assert.deepEqual(labels(message), ['Answer…', 'Skip', 'Open in Parley']);
	const views = slack.views.length;
	await slack.press(server, 'UMIA', message, 'form');
	const view = await until(() => slack.views[views], 'the form');
	assert.deepEqual(view.blocks.filter((b) => b.type === 'input').map((b) => [b.block_id, b.element.type, b.optional]),
		[['q0', 'plain_text_input', false], ['q1', 'number_input', false], ['q2', 'datepicker', false],
			['q3', 'radio_buttons', true], ['o3', 'plain_text_input', true], ['q4', 'multi_static_select', false],
			['q5', 'radio_buttons', true]]);
	const [why, n, , env] = view.blocks.filter((b) => b.type === 'input').map((b) => b.element);
	assert.deepEqual([why.placeholder.text, n.max_value, env.options[0].description.text], ['a reason', '5', 'The first']);
	const option = (i) => ({ value: String(i) });
	const filled = { q0: { value: 'because' }, q1: { value: '9' }, q2: { selected_date: '2026-11-20' },
		q3: { selected_option: null }, o3: { value: 'elsewhere' }, q4: { selected_options: [option(0), option(11)] } };
	const wrong = await slack.submit(server, 'UMIA', view, filled);
	assert.equal(wrong.body.response_action, 'errors');
	assert.deepEqual(Object.keys(wrong.body.errors), ['q1']);
	const right = await slack.submit(server, 'UMIA', view, { ...filled, q1: { value: '3' } });
	assert.deepEqual([right.status, right.body], [200, null]);
	const { answer } = await read(ask);
	assert.deepEqual([answer.why.text, answer.n.value, answer.day.text, answer.env.other, answer.parts.selected],
		['because', 3, '2026-11-20', 'elsewhere', ['p0', 'p11']]);
	const late = await slack.submit(server, 'UADA', view, filled);
	assert.equal(late.body.response_action, 'update');
	assert.match(JSON.stringify(late.body.view), /Already settled by mia/);
});

test('a trigger that came too late leaves a line with the link', async () => {
	const { ask, message } = await shown({ question: 'Name?', type: 'text' });
	await slack.press(server, 'UMIA', message, 'form', { trigger: 'late' });
	assert.match(await slack.line(1), new RegExp(`/asks/${ask.id}`));
	await slack.press(server, 'UMIA', message, 'skip');
	assert.equal((await read(ask)).status, 'skipped');
});

test('threads: what a person writes is a reply, what the agent replies comes there', async () => {
	const { ask, message } = await shown({ question: 'Go?', type: 'boolean' });
	await until(async () => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body.items[0]?.status === 'done', 'told');
	await slack.say(server, 'UMIA', message, 'why &lt;now&gt;?');
	const { replies, status } = await until(async () => { const a = await read(ask); return a.replies.length && a; }, 'a reply');
	assert.deepEqual([replies[0].text, status], ['why <now>?', 'pending']);
	await slack.say(server, 'USTRANGER', message, 'me too');
	const only = (user) => until(() => slack.calls.find((c) => c.method === 'chat.postEphemeral' && c.body.user === user), 'a line for them alone');
	assert.match((await only('USTRANGER')).body.text, /did not reach the agent.*USTRANGER/);
	await slack.say(server, 'UADA', message, 'Yes!');
	const hint = (await only('UADA')).body;
	assert.deepEqual([hint.thread_ts, /decides nothing/.test(hint.text)], [message.ts, true]);
	await slack.say(server, 'USTRANGER', { ...message, ts: '1.1' }, 'elsewhere');
	await slack.say(server, 'UMIA', { channel: 'DMIA', ts: undefined }, 'hello', { channel_type: 'im' });
	await until(() => slack.messages.find((m) => m.channel === 'DMIA' && /reply in the thread/.test(m.text)), 'an answer');
	assert.equal(slack.calls.filter((c) => c.method === 'chat.postEphemeral').length, 2);
	await slack.say(server, 'UMIA', message, 'bot', { bot_id: 'B1' });
	await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'Because it is Monday.' });
	const reply = await until(() => slack.messages.find((m) => m.thread_ts === message.ts), 'in the thread');
	assert.match(JSON.stringify(reply.blocks), /Because it is Monday/);
	assert.equal((await read(ask)).replies.length, 3);
	await admin.answer(ask, { q1: true });
	await until(() => message.edits.length, 'edited');
});

test('errors of Slack: broken contacts, too many requests', async () => {
	slack.broken['chat.postMessage'] = { ok: false, error: 'is_archived' };
	const made = await routed();
	const ask = await agent.ask();
	const contact = async () => (await admin.get(`/v1/teams/${ops.id}/contacts/${made.id}`)).body;
	await until(async () => (await contact()).broken?.reason === 'is_archived', 'broken');
	slack.broken['chat.postMessage'] = { status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } };
	await routed();
	const slow = await agent.ask();
	const row = async () => (await member.get(`/v1/asks/${slow.id}/deliveries`)).body.items[0];
	await until(async () => (await row())?.last_status === 429, 'tried');
	assert.ok(Date.parse((await row()).next_at) - Date.now() > 25e3);
	for (const a of [ask, slow]) await admin.answer(a, { q1: true });
});

test('a Slack id is held by one verified person', async () => {
	const again = await admin.post('/v1/me/contacts', { channel: 'slack', address: 'UMIA' });
	assert.equal(again.status, 409);
});

test('an account is found by its e-mail address, and then verified as any other', async () => {
	const lea = await server.as('member', 'lea');
	const lookup = (body, who = lea, lang = 'en') => who.post('/v1/me/contacts/lookup', body, { headers: { 'accept-language': lang } });
	slack.people = { 'lea+work@example.org': 'ULEA', 'ada@example.org': 'UADA' };
	const unknown = await lookup({ channel: 'slack' });
	assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, '/email']);
	assert.match(unknown.body.detail, /no verified e-mail address is known.*Copy member ID/);
	const found = await lookup({ channel: 'slack', email: 'lea+work@example.org' });
	assert.deepEqual([found.status, found.body],
		[200, { channel: 'slack', address: 'ULEA', name: 'lea+work', email: 'lea+work@example.org' }], found.text);
	assert.deepEqual((await lea.get('/v1/me/contacts')).body.items, [], 'nothing is kept');
	const made = (await lea.post('/v1/me/contacts', { channel: 'slack', address: found.body.address })).body;
	assert.equal(made.verified, false, 'an e-mail address proves nothing');
	const code = await until(() => slack.messages.find((m) => m.to === 'ULEA'), 'the code, in Slack');
	const [, word] = JSON.stringify(code.blocks).match(/Parley: ([a-z]{8})/);
	assert.equal((await lea.post(`/v1/me/contacts/${made.id}/verify`, { code: word })).body.verified, true);

	const { body: user } = await lea.get('/v1/me');
	const others = `/v1/users/${user.user.id}/contacts/lookup`, body = { channel: 'slack', email: 'ada@example.org' };
	assert.deepEqual([(await admin.post(others, body)).body.address, (await member.post(others, body)).status, (await lookup(body, agent)).status],
		['UADA', 403, 403]);
	for (const [wrong, pointer] of [[{ channel: 'email' }, '/channel'], [{}, '/channel'], [{ channel: 'slack', email: 'nobody' }, '/email']]) {
		const reply = await lookup(wrong);
		assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, pointer]);
	}
});

test('an account that cannot be looked up: the reply says why, and what to enter instead', async () => {
	const lookup = (lang = 'en') => member.post('/v1/me/contacts/lookup', { channel: 'slack', email: 'gone@example.org' },
		{ headers: { 'accept-language': lang } });
	const replies = [];
	const told = async (broken, lang) => {
		if (broken) slack.broken['users.lookupByEmail'] = broken;
		const { status, body, headers } = await lookup(lang);
		delete slack.broken['users.lookupByEmail'];
		replies.push(body.detail);
		return [status, body.type, headers['retry-after'] ?? null];
	};
	assert.deepEqual(await told(), [404, '/problems/not-found', null]);
	const scope = { ok: false, error: 'missing_scope', needed: 'users:read.email', provided: 'chat:write' };
	assert.deepEqual(await told(scope), [503, '/problems/channel-off', null]);
	assert.deepEqual(await told({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } }),
		[429, '/problems/too-many-requests', '30']);
	assert.equal((await told({ status: 500, body: 'oops' }))[0], 503);
	assert.deepEqual(await told(scope, 'fr'), [503, '/problems/channel-off', null]);
	const instead = 'enter the Slack member ID instead (in Slack: Profile, ⋮, Copy member ID)';
	assert.deepEqual(replies, [`Slack has no account with the e-mail address gone@example.org; ${instead}`,
		`the Slack app lacks the scope users:read.email; ${instead}`,
		'Slack was asked too often; try again later',
		`Slack cannot look up the account: HTTP 500; ${instead}`,
		'l’application Slack n’a pas l’autorisation users:read.email\u202f; saisissez plutôt l’identifiant de membre Slack (dans Slack\u00a0: Profil, ⋮, Copier l’identifiant du membre)']);
});

test('without an address the verified e-mail contact finds the account', async () => {
	const post = await new Post().open();
	const both = await useServer({ flags: ['--slack-token', TOKEN, '--slack-signing-secret', SECRET, '--slack-api', slack.api,
		'--smtp-url', post.url, '--mail-from', 'parley@example.org'] });
	slack.people['max@example.org'] = 'UMAX';
	const lookup = () => both.member.post('/v1/me/contacts/lookup', { channel: 'slack' });
	const made = (await both.member.post('/v1/me/contacts', { channel: 'email', address: 'max@example.org' })).body;
	const code = codeOf(await post.take('max@example.org', isCode));
	assert.equal((await lookup()).status, 422, 'an address that nobody verified finds nothing');
	await both.member.post(`/v1/me/contacts/${made.id}/verify`, { code });
	assert.deepEqual((await lookup()).body, { channel: 'slack', address: 'UMAX', name: 'max', email: 'max@example.org' });
	const added = await both.run(['contact', 'add', 'slack'],
		{ env: { PARLEY_URL: both.url, PARLEY_TOKEN: both.secrets.member, LANG: 'fr_FR.UTF-8' } });
	assert.deepEqual([added.code, added.stderr.trim()],
		[0, 'max (UMAX) trouvé dans Slack par max@example.org. Saisissez le code envoyé à ce compte\u00a0: parley contact verify CODE']);
	await until(() => slack.messages.find((m) => m.to === 'UMAX'), 'the code');
});

test('Slack is slow: a lookup keeps nobody else waiting, and two at once are enough', async () => {
	const lookup = () => member.post('/v1/me/contacts/lookup', { channel: 'slack', email: 'ada@example.org' });
	slack.slowness = () => 1000;
	const begun = slack.calls.length;
	const slow = [lookup(), lookup()];
	await until(() => slack.calls.slice(begun).filter((c) => c.method === 'users.lookupByEmail').length === 2, 'both');
	const from = Date.now();
	const ask = await agent.ask();
	assert.equal((await lookup()).status, 429);
	assert.equal((await admin.answer(ask, { q1: true })).status, 200);
	assert.ok(Date.now() - from < 900, 'written while Slack was asked');
	slack.slowness = () => 0;
	assert.deepEqual((await Promise.all(slow)).map((reply) => reply.status), [200, 200]);
});

test('the shell: an account is linked without its id', async () => {
	const run = (...args) => server.run(args, { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member, LANG: 'C.UTF-8' } });
	slack.people['mia@example.org'] = 'UMIA2';
	const none = await run('contact', 'add', 'slack');
	assert.deepEqual([none.code, /no verified e-mail address is known/.test(none.stderr)], [2, true], none.stderr);
	const added = await run('contact', 'add', 'slack', 'mia@example.org');
	assert.deepEqual([added.code, added.stderr.trim()],
		[0, 'Found mia (UMIA2) in Slack by mia@example.org. Enter the code sent to that account: parley contact verify CODE']);
	assert.match(added.stdout, /^con_\w{26} {2}slack {5}not verified {4}UMIA2 {2}-$/m);
	const code = await until(() => slack.messages.find((m) => m.to === 'UMIA2'), 'the code');
	assert.equal((await run('contact', 'verify', JSON.stringify(code.blocks).match(/Parley: ([a-z]{8})/)[1])).code, 0);
	const gone = await run('contact', 'add', 'slack', 'gone@example.org');
	assert.deepEqual([gone.code, /Copy member ID/.test(gone.stderr)], [5, true]);
	const id = added.stdout.split(' ')[0];
	assert.equal((await run('contact', 'remove', id)).code, 0);
});

test('the shell: the app\'s manifest, and doctor signs in', async () => {
	const manifest = await server.run(['slack', 'manifest', '--url', 'https://parley.example']);
	const { settings, oauth_config: { scopes } } = JSON.parse(manifest.stdout);
	assert.equal(settings.interactivity.request_url, 'https://parley.example/v1/in/slack');
	for (const scope of ['chat:write', 'users:read', 'users:read.email']) assert.ok(scopes.bot.includes(scope), scope);
	const { messages_tab_enabled: tab, messages_tab_read_only_enabled: readOnly } = JSON.parse(manifest.stdout).features.app_home;
	assert.deepEqual([tab, readOnly], [true, false], 'people can reply');
	assert.equal((await server.run(['slack', 'manifest', '--url', 'http://parley.example'])).code, 2);
	const doctor = async (token) => {
		const done = await server.run(['doctor', '--json', '--data', server.data, '--slack-token', token,
			'--slack-signing-secret', SECRET, '--slack-api', slack.api]);
		return JSON.parse(done.stdout).findings.find((one) => /slack/.test(one.id));
	};
	assert.deepEqual([(await doctor(TOKEN)).state, (await doctor('xoxb-other')).state], ['ok', 'wrong']);
	const alone = await server.run(['serve', '--data', `${server.data}-none`, '--slack-token', TOKEN]);
	assert.equal(alone.code, 2);
	assert.match(alone.stderr, /slack_signing_secret/);
});

test('hostile text stays text, and everything that was sent is within Slack\'s bounds', async () => {
	const hostile = ['<!channel>', '<@U1> <https://evil|click>', '*b* _i_ ~s~ `c` ```', '\u202Eevil\u202C', 'a\u0007b', ':tada: &lt;', '"}]'];
	const bad = hostile.join(' ').replace('\u0007', '');
	await shown({ title: bad.slice(0, 190), context: { text: hostile.join('\n').repeat(60).slice(0, 4900) }, questions: [
		{ key: 'x', text: bad, type: 'choice', options: hostile.map((label, i) => ({ id: `o${i}`, label: label.replace('\u0007', '') })) }] });
	const { message } = await shown(approval({ title: bad.slice(0, 190), operation: { type: 'tool', name: 'x',
		arguments: { text: bad.repeat(300) } } }));
	const long = JSON.stringify(message.blocks);
	assert.match(long, /the rest is on the page/);
	await slack.press(server, 'UMIA', (await shown({ questions: [{ text: bad, type: 'text' }] })).message, 'form');
	await until(() => JSON.stringify(slack.views.at(-1)).includes('<!channel>'), 'the form');

	slack.assertHarmless();
});

test('messages and forms are what Slack\'s own types say', { skip: !process.env.PARLEY_LONG }, () => {
	const folder = mkdtempSync(join(tmpdir(), 'parley-slack-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	const here = (path) => fileURLToPath(new URL(path, import.meta.url));
	const json = (value) => JSON.stringify(value, null, '\t');
	writeFileSync(join(folder, 'sent.ts'), `import type { KnownBlock, ModalView } from '@slack/types';
export const blocks: KnownBlock[][] = ${json(slack.messages.map((m) => m.blocks))};
export const views: ModalView[] = ${json(slack.views)};\n`);
	writeFileSync(join(folder, 'tsconfig.json'), json({ compilerOptions: { strict: true, noEmit: true, skipLibCheck: true,
		module: 'nodenext', types: [], paths: { '@slack/types': [here('../node_modules/@slack/types/dist/index.d.ts')] } }, files: ['sent.ts'] }));
	execFileSync(process.execPath, [here('../../web/node_modules/typescript/bin/tsc'), '-p', folder], { stdio: 'inherit' });
});
