// What the page has is in the terminal, too: order, counts, filters, assignees, stops, the list of sessions and the history.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { until, useTerminals } from './lib.mjs';

const server = await useTerminals();
const { agent, member } = server;
const open = [];
const ask = async (body) => {
	const { body: made, status } = await agent.post('/v1/asks', body);
	assert.equal(status, 201, JSON.stringify(made));
	open.push(made.id);
	return made;
};
const yesNo = (text, more = {}) => ({ questions: [{ key: 'q1', text, type: 'boolean' }], ...more });
const inProject = async (project, title, text) => {
	const session = (await agent.post('/v1/sessions', { title, project })).body;
	const { body } = await agent.post(`/v1/sessions/${session.id}/asks`, yesNo(text));
	open.push(body.id);
	return body;
};
afterEach(async () => {
	for (const id of open.splice(0)) await member.post(`/v1/asks/${id}/skip`);
});
/** Do these stand below each other, in this order? */
const inOrder = (...texts) => (screen) => texts.every((text, i) => screen.includes(text) && (i === 0 || screen.indexOf(texts[i - 1]) < screen.indexOf(text)));

test('the order is the page’s: risk or priority, then age, what is others’ last; priority and assignee are in the row', async () => {
	const theirs = await ask(yesNo('Theirs?'));
	await ask(yesNo('Plain?'));
	await ask(yesNo('Urgent?', { priority: 'urgent' }));
	const me = (await member.get('/v1/me')).body.user.id;
	assert.equal((await member.post(`/v1/asks/${theirs.id}/assign`, { assignees: [me] })).status, 200);
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows((text) => inOrder('Urgent?', 'Plain?', 'Theirs?')(text) && /Urgent\? +Urgent/.test(text) && /Theirs\? +@mia/.test(text));
	inbox.press('m');
	await inbox.shows((text) => text.includes('Assigned to me') && text.includes('Nothing matches'));
	inbox.press('m');
	await inbox.shows((text) => text.includes('Unassigned') && text.includes('Plain?') && !text.includes('Theirs?'));
	inbox.press('m', 'A');
	await inbox.shows((text) => !text.includes('Unassigned') && text.includes('Theirs?') && /History .*\S/.test(text.split('\n')[0]));
	inbox.close();
});

test('tabs have their counts, as the page’s navigation: what waits, and sessions that run', async () => {
	await ask(yesNo('One?'));
	const session = (await agent.post('/v1/sessions', { title: 'At work' })).body;
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/^\[Inbox 1\] Sessions {2}History/);
	assert.equal((await agent.patch(`/v1/sessions/${session.id}`, { status: 'running' })).status, 200);
	await inbox.shows(/^\[Inbox 1\] Sessions 1 {2}History/);
	inbox.press('g', 's');
	await inbox.shows((text) => /^ Inbox 1 \[Sessions 1\]/.test(text) && /[ ▸]\* At work/.test(text) && /1 running/.test(text));
	await agent.patch(`/v1/sessions/${session.id}`, { status: 'completed' });
	await inbox.shows((text) => /\[Sessions\]/.test(text) && /[ ▸]= At work/.test(text));
	inbox.close();
});

test('the list of sessions follows what happens, is searched, and filtered by project; Esc from one leads back to it', async () => {
	await inProject('billing', 'Invoices', 'Send them?');
	await inProject('web', 'Landing page', 'Publish it?');
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('g', 's');
	await inbox.shows((text) => /[ ▸]! Invoices/.test(text) && /[ ▸]! Landing page/.test(text));
	inbox.press('P');
	await inbox.shows((text) => text.includes('billing') && text.includes('Invoices') && !text.includes('Landing page'));
	inbox.press('P', 'P');
	await inbox.shows((text) => text.includes('Invoices') && text.includes('Landing page'));
	inbox.press('/').type('land').press('Enter');
	await inbox.shows((text) => text.includes('/land') && text.includes('Landing page') && !text.includes('Invoices'));
	inbox.press('Enter');
	await inbox.shows(/Landing page\n● Waiting for input/);
	inbox.press('Escape');
	await inbox.shows(/\[Sessions/);
	inbox.press('/', 'Escape');
	const later = await agent.session({ title: 'Came later' });
	await ask({ ...yesNo('Now?'), session: later.id });
	await inbox.shows(/[ ▸]! Came later/);
	inbox.close();
});

test('a stop is said above every view, in the page’s words, until it is lifted', async () => {
	const { body: narrow } = await member.post('/v1/stops', { match: { agent: 'ci-*' }, reason: 'Wrong branch' });
	const inbox = await server.inbox({ columns: 100 });
	await inbox.shows(/\n Stopped: agent ci-\* by mia since \d\d:\d\d · Wrong branch .*to resume: parley resume/);
	const { body: all } = await member.post('/v1/stops', { match: {}, reason: 'Payments incident' });
	await inbox.shows(/\n Everything is stopped by mia since \d\d:\d\d · Payments incident .*\+1 · to resume: parley resume/);
	inbox.press('g', 'h');
	await inbox.shows(/\[History\].*\n Everything is stopped/);
	for (const { id } of [all, narrow]) assert.ok((await member.delete(`/v1/stops/${id}`)).status < 300);
	await inbox.shows((text) => !text.includes('stopped') && !text.includes('Stopped'));
	inbox.close();
});

test('the history is searched, and filtered by days, project and agent', async () => {
	const DAY_MS = 24 * 3600e3;
	server.jump(-3 * DAY_MS);
	await member.answer(await ask(yesNo('Three days ago?')), { q1: true });
	server.jump(3 * DAY_MS);
	await member.answer(await inProject('billing', 'Sums', 'Pay it today?'), { q1: true });
	await member.answer(await ask(yesNo('Without a project?')), { q1: true });
	const inbox = await server.inbox({ columns: 120 });
	inbox.press('g', 'h');
	await inbox.shows((text) => ['Three days ago?', 'Pay it today?', 'Without a project?'].every((one) => text.includes(one)) && /Pay it today\?.*not fetched yet/.test(text));
	inbox.press('d');
	await inbox.shows((text) => text.split('\n')[0].includes('today') && text.includes('Pay it today?') && !text.includes('Three days ago?'));
	inbox.press('P');
	await inbox.shows((text) => text.split('\n')[0].includes('billing') && text.includes('Pay it today?') && !text.includes('Without a project?'));
	inbox.press('d', 'd', 'd', 'P', 'P');
	await inbox.shows((text) => text.includes('Three days ago?') && text.includes('Without a project?'));
	inbox.press('/').type('without').press('Enter');
	await inbox.shows((text) => text.includes('/without') && text.includes('Without a project?') && !text.includes('Pay it today?'));
	inbox.close();
});

test('the history shows what rules decided, apart; a link of an ask goes to the clipboard', async () => {
	const rule = (await server.admin.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(shred *)'] }, note: 'never shred' })).body;
	const op = (command) => ({ kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command } } });
	await ask(op('shred x'));
	const mine = await ask(op('make all'));
	await member.answer(mine, { decision: 'reject' });
	const raw = join(server.home, 'printed');
	const inbox = server.terminal(['inbox', '--no-open'], { columns: 110, raw });
	await inbox.shows(/● live/);
	inbox.press('g', 'h');
	await inbox.shows(inOrder('Bash: make all', 'Bash: shred x'));
	inbox.press('m', 'm');
	await inbox.shows((text) => /\(•\) by rules +\d+/.test(text) && text.includes('shred x') && !text.includes('make all'));
	inbox.press('Enter', 'l');
	const seen = await inbox.shows(/\/asks\/ask_\w{26}/);
	assert.match(seen, /copied, if/);
	const [url] = seen.match(/http\S+\/asks\/ask_\w{26}/);
	await until(() => readFileSync(raw, 'latin1').includes(`\x1b]52;c;${Buffer.from(url).toString('base64')}\x1b\\`), 'the sequence of the clipboard');
	inbox.close();
	await server.admin.delete(`/v1/rules/${rule.id}`);
});

test('side by side the history stays beside what was opened from it, which says its outcome once; sessions give titles what room there is', async () => {
	const { id: session } = (await agent.post('/v1/sessions', { title: 'Compare the three stores that hold vectors', parallel: true })).body;
	const settled = await ask({ kind: 'approval', session, operation: { type: 'tool', name: 'Bash', arguments: { command: 'make docs' } } });
	await member.answer(settled, { decision: { value: 'reject', text: 'Not now' } });
	const inbox = await server.inbox({ columns: 120, rows: 30 });
	inbox.press('g', 'h');
	await inbox.shows(/rejected +Bash: make docs/);
	inbox.press('Enter');
	const seen = await inbox.showsWhole((text) => text.includes('Rejected by mia') && text.includes('Wants to run'));
	assert.match(seen, /^▸\d\d:\d\d rejected +Bash: make docs.*│/m);
	assert.match(seen, /Rejected by mia[^\n]*\n[^\n]*│ +Not now *\n/);
	inbox.press('Escape', 'Escape');
	inbox.resize(80, 24).press('g', 's');
	await inbox.shows(/Compare the three stores that hold vectors +builder/);
	inbox.close();
});
