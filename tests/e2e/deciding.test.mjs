// Approvals, dialogs that open by themselves, several people, many asks at once.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { enter, launch, Server, sleep, until } from './lib.mjs';

let server, browser, agent, marie, admin;
before(async () => {
	server = await Server.start();
	agent = server.client(server.token('agent', 'deployer'));
	marie = server.client(server.token('member', 'Marie'));
	admin = server.client(server.token('admin', 'root'));
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await server?.stop();
});
// Each test leaves an empty desk behind.
afterEach(async () => {
	for (const { id } of (await admin.get('/v1/asks?limit=200')).body.items) await admin.post(`/v1/asks/${id}/skip`);
});
const get = async (id) => (await admin.get(`/v1/asks/${id}`)).body;
const settled = (id) => until(async () => {
	const ask = await get(id);
	return ask.status !== 'pending' && ask;
}, 'settled');
const approval = (risk, more = {}) => agent.ask({ kind: 'approval', title: `Run it (${risk})`,
	operation: { type: 'tool', name: 'shell', risk, arguments: { command: 'make deploy', depth: 2 } }, ...more });

for (const view of ['desktop', 'phone']) for (const lang of ['en', 'fr']) describe(`approvals: ${view}, ${lang}`, () => {
	let page, context, t, errors;
	before(async () => ({ page, context, t, errors } = await enter(browser, server, { view, lang })));
	after(async () => {
		await context.close();
		assert.deepEqual(errors, []);
	});
	const approve = () => page.getByRole('button', { name: new RegExp(`^(${t('approval.approve')}|${t('approval.again')}|${t('approval.changed')})`) });
	const ready = () => until(async () => await approve().getAttribute('aria-disabled') !== 'true', 'armed');

	test('the operation is drawn in full, raw too, and approved', async () => {
		const ask = await approval('high');
		await page.goto(`/asks/${ask.id}`);
		const operation = page.getByRole('region', { name: t('operation'), exact: true });
		await operation.getByText('make deploy').waitFor();
		await operation.getByText('depth').waitFor();
		await operation.getByRole('button', { name: t('operation.raw') }).click();
		await operation.getByText('"depth": 2').waitFor();
		await page.getByText(t('risk.high')).last().waitFor();
		await ready();
		await approve().click();
		const done = await settled(ask.id);
		assert.equal(done.answer.decision.value, 'approve');
		assert.equal(done.answered_by.kind, 'human');
		assert.equal(done.answered_by.via, 'web');
	});

	test('rejected with a reason', async () => {
		const ask = await approval('medium');
		await page.goto(`/asks/${ask.id}`);
		await page.getByRole('button', { name: t('approval.reject.open') }).click();
		await page.getByRole('textbox', { name: t('approval.reason') }).fill('Not on a Friday');
		await page.waitForTimeout(650);
		await page.getByRole('button', { name: new RegExp(`^${t('approval.reject')}( |$)`) }).click();
		assert.deepEqual((await settled(ask.id)).answer.decision, { value: 'reject', text: 'Not on a Friday' });
	});

	test('approved with other arguments, the change highlighted', async () => {
		const ask = await approval('medium');
		await page.goto(`/asks/${ask.id}`);
		await page.getByRole('button', { name: t('approval.edit') }).click();
		const box = page.getByRole('textbox', { name: 'depth' });
		await box.fill('{');
		await page.getByText(t('operation.broken')).first().waitFor();
		await box.fill('3');
		await page.locator('.changed').getByText('depth').waitFor();
		await ready();
		await approve().click();
		const done = await settled(ask.id);
		assert.deepEqual(done.answer.decision.arguments, { command: 'make deploy', depth: 3 });
		assert.match(done.approved_digest, /^sha256:/);
	});

	test('critical: read to its end, then pressed twice', async () => {
		const ask = await approval('critical', { operation: { name: 'shell', risk: 'critical',
			arguments: { command: Array.from({ length: 80 }, (_, i) => `line ${i}`).join('\n') } } });
		await page.goto(`/asks/${ask.id}`);
		await page.getByText(t('approval.unread')).waitFor();
		assert.equal(await approve().getAttribute('aria-disabled'), 'true');
		await page.getByRole('group', { name: t('operation.arguments') }).evaluate((box) => (box.scrollTop = box.scrollHeight));
		await ready();
		await approve().click();
		await page.getByRole('button', { name: t('approval.again') }).waitFor();
		assert.equal((await get(ask.id)).status, 'pending');
		await approve().click();
		assert.equal((await get(ask.id)).status, 'pending', 'a double click is one press');
		await page.waitForTimeout(700);
		await approve().click();
		assert.equal((await settled(ask.id)).answer.decision.value, 'approve');
	});

	test('changes unified and side by side', async () => {
		const ask = await approval('low', { context: { diff: '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n' } });
		await page.goto(`/asks/${ask.id}`);
		const diff = page.getByRole('region', { name: t('diff') });
		await diff.getByText('old').waitFor();
		assert.equal(await diff.getByRole('row').count(), 6);
		await diff.getByRole('button', { name: t('diff.split') }).click();
		assert.equal(await diff.getByRole('row').count(), 5);
		await diff.getByRole('button', { name: t('diff.unified') }).click();
		await admin.post(`/v1/asks/${ask.id}/skip`);
		await page.getByText(t('settled.skipped.by', { name: 'root' })).first().waitFor();
	});
});

test('a decision is armed only after a moment, and by keys: a, r, Esc', async () => {
	const { page, context, t } = await enter(browser, server);
	const ask = await approval('high');
	await page.goto(`/asks/${ask.id}`);
	await page.getByRole('button', { name: t('approval.approve') }).waitFor();
	await page.keyboard.press('a');
	await sleep(150);
	assert.equal((await get(ask.id)).status, 'pending', 'too early');
	await page.keyboard.press('r');
	await until(() => page.getByRole('textbox', { name: t('approval.reason') })
		.evaluate((box) => box === document.activeElement), 'the reason');
	await page.keyboard.type('a y s');
	await page.keyboard.press('Escape');
	assert.equal((await get(ask.id)).status, 'pending', 'typing and Esc decide nothing');
	await page.getByRole('button', { name: t('approval.approve') }).waitFor();
	await page.evaluate(() => document.activeElement.blur());
	await page.waitForTimeout(700);
	await page.keyboard.press('a');
	assert.equal((await settled(ask.id)).answer.decision.value, 'approve');
	await context.close();
});

describe('dialogs', () => {
	for (const [view, lang] of [['desktop', 'en'], ['phone', 'fr']])
		test(`open by themselves, first in first out (${view}, ${lang})`, async () => {
			const { page, context, t } = await enter(browser, server, { view, lang, settings: { opens: true } });
			await page.goto('/activity');
			await page.getByRole('heading', { level: 1 }).waitFor();
			await page.getByText(t('line.live')).waitFor({ state: 'attached' });
			const first = await agent.ask({ question: 'First?', type: 'boolean' });
			const dialog = page.getByRole('dialog');
			await dialog.getByRole('heading', { name: 'First?' }).waitFor();
			const second = await agent.ask({ question: 'Second?', type: 'boolean' });
			await agent.ask({ question: 'In your own time?', type: 'boolean', kind: 'non_blocking' });
			await dialog.getByText(t('dialog.more.one', { n: 1 })).waitFor();
			await dialog.getByRole('radio', { name: t('form.yes') }).check();
			await page.waitForTimeout(650);
			await page.keyboard.press('Control+Enter');
			assert.deepEqual((await settled(first.id)).answer.q1, { value: true });
			await dialog.getByRole('heading', { name: 'Second?' }).waitFor();
			await page.keyboard.press('Escape');
			await dialog.waitFor({ state: 'hidden' });
			assert.equal((await get(second.id)).status, 'pending', 'Esc decides nothing');
			const third = await agent.ask({ question: 'Third?', type: 'boolean' });
			await dialog.getByRole('heading', { name: 'Third?' }).waitFor();
			await marie.post(`/v1/asks/${third.id}/answer`, { answer: true });
			await dialog.waitFor({ state: 'hidden' });
			await page.getByText(t('settled.answered.via', { name: 'Marie', via: 'api' })).waitFor();
			for (const { id } of (await admin.get('/v1/asks')).body.items) await admin.post(`/v1/asks/${id}/skip`);
			await context.close();
		});

	test('never while somebody types: a toast, a badge and the title say so instead', async () => {
		const { page, context, t } = await enter(browser, server, { settings: { opens: true } });
		await page.goto('/sessions');
		await page.getByRole('searchbox').fill('abc');
		const ask = await agent.ask({ question: 'May I interrupt?', type: 'boolean' });
		await page.getByRole('region', { name: t('toasts') }).getByText('May I interrupt?').waitFor();
		assert.equal(await page.getByRole('dialog').count(), 0);
		assert.match(await page.title(), /^\(1\) /);
		await page.getByRole('link', { name: /Inbox/ }).getByText('1').waitFor();
		assert.match(await page.locator('link[rel=icon]').getAttribute('href'), /^data:image\/svg/);
		await page.getByRole('link', { name: t('toast.session') }).click();
		await page.waitForURL(`**/sessions/${ask.session}`);
		await admin.post(`/v1/asks/${ask.id}/skip`);
		await until(async () => !/^\(/.test(await page.title()), 'the title');
		await context.close();
	});

	test('not at all when turned off', async () => {
		const { page, context, t } = await enter(browser, server, { settings: { opens: true } });
		await page.goto('/settings');
		await page.getByRole('checkbox', { name: t('you.opens') }).uncheck();
		const ask = await agent.ask({ question: 'Quietly?', type: 'boolean' });
		await page.getByRole('region', { name: t('toasts') }).getByText('Quietly?').waitFor();
		assert.equal(await page.getByRole('dialog').count(), 0);
		await admin.post(`/v1/asks/${ask.id}/skip`);
		await page.getByRole('region', { name: t('toasts') }).getByText('Quietly?').nth(1).waitFor({ state: 'hidden' });
		await context.close();
	});
});

describe('people', () => {
	test('claim, assign, extend, and settled by another', async () => {
		const one = await enter(browser, server);
		const two = await enter(browser, server, { user: 'Marie' });
		const ask = await agent.ask({ question: 'Who takes it?', type: 'text', timeout: '20m' });
		await one.page.goto(`/asks/${ask.id}`);
		await two.page.goto(`/asks/${ask.id}`);
		await two.page.getByRole('textbox', { name: 'Who takes it?' }).fill('I do');
		await one.page.getByRole('article').getByText(one.t('ask.claimed', { name: 'Marie' })).waitFor();
		await one.page.getByText(one.t('ask.assign')).click();
		await one.page.getByRole('checkbox', { name: 'Marie' }).check();
		await two.page.locator('.chip', { hasText: 'Marie' }).waitFor();
		await until(async () => (await get(ask.id)).assignees.length === 1, 'assigned');
		await one.page.keyboard.press('Escape');
		await one.page.getByRole('button', { name: one.t('ask.extend') }).click();
		await until(async () => Date.parse((await get(ask.id)).expires_at) - Date.now() > 25 * 60_000, 'extended');
		await two.page.waitForTimeout(650);
		await two.page.keyboard.press('Control+Enter');
		await one.page.getByText(one.t('settled.answered.by', { name: 'Marie' })).first().waitFor();
		await one.page.getByText('I do').first().waitFor();
		await one.context.close();
		await two.context.close();
	});

	test('a viewer sees it and has nothing to press', async () => {
		server.token('viewer', 'Vera');
		const ask = await agent.ask({ question: 'Only look?', type: 'boolean' });
		const { page, context, t } = await enter(browser, server, { user: 'Vera' });
		await page.goto(`/asks/${ask.id}`);
		await page.getByRole('heading', { level: 1, name: 'Only look?' }).waitFor();
		assert.equal(await page.getByRole('button', { name: t('form.submit') }).count(), 0);
		assert.equal(await page.getByRole('button', { name: t('form.skip') }).count(), 0);
		await admin.post(`/v1/asks/${ask.id}/skip`);
		await context.close();
	});
});

describe('many at once', () => {
	test('similar ones fold, are chosen together and settled together, never a critical one', async () => {
		const { page, context, t } = await enter(browser, server);
		const session = await agent.session('batch');
		const make = (title, risk) => agent.ask({ session: session.id, kind: 'approval', title,
			operation: { name: 'label', risk, arguments: { n: 1 } } });
		const alike = [];
		for (let i = 0; i < 4; i++) alike.push(await make(`Label ticket ${i}`, 'low'));
		const critical = await make('Drop the table', 'critical');
		await page.goto('/inbox');
		await page.getByRole('button', { name: t('inbox.similar.other', { n: 4 }) }).waitFor();
		const list = page.getByRole('list', { name: t('inbox.asks') });
		assert.equal(await list.getByRole('listitem').count(), 2);
		await page.getByRole('button', { name: t('inbox.similar.other', { n: 4 }) }).click();
		await until(async () => await list.getByRole('listitem').count() === 5, 'unfolded');
		await page.getByRole('button', { name: t('inbox.similar.other', { n: 4 }) }).click();
		await page.getByRole('checkbox', { name: t('inbox.select', { title: 'Label ticket 0' }) }).check({ force: true });
		await page.getByRole('checkbox', { name: t('inbox.select', { title: 'Drop the table' }) }).check({ force: true });
		const bar = page.getByRole('region', { name: t('batch') });
		await bar.getByText(t('batch.chosen.other', { n: 5 })).waitFor();
		await bar.getByText(t('batch.left.one', { n: 1 })).waitFor();
		await bar.getByRole('button', { name: t('approval.approve') }).click();
		for (const ask of alike) assert.equal((await settled(ask.id)).answer.decision.value, 'approve');
		assert.equal((await get(critical.id)).status, 'pending');
		await admin.post(`/v1/asks/${critical.id}/skip`);
		await context.close();
	});

	test('the same question answered for all of them, by keys', async () => {
		const { page, context, t } = await enter(browser, server);
		const session = await agent.session('batch2');
		const ids = [];
		for (const title of ['North', 'South'])
			ids.push((await agent.ask({ session: session.id, title, question: 'Open it?', type: 'boolean' })).id);
		await page.goto('/inbox');
		await page.getByRole('heading', { level: 1, name: 'North' }).waitFor();
		await page.keyboard.press('x');
		await page.keyboard.press('j');
		await page.getByRole('heading', { level: 1, name: 'South' }).waitFor();
		await page.keyboard.press('x');
		await page.getByRole('button', { name: t('batch.answer') }).click();
		await page.keyboard.press('y');
		await page.waitForTimeout(700);
		await page.keyboard.press('Control+Enter');
		for (const id of ids) assert.deepEqual((await settled(id)).answer.q1, { value: true });
		await context.close();
	});

	test('rows never move under the pointer: what is new waits above', async () => {
		const { page, context, t } = await enter(browser, server);
		const session = await agent.session('calm');
		const old = await agent.ask({ session: session.id, question: 'The old one?', type: 'boolean' });
		await page.goto('/inbox');
		const list = page.getByRole('list', { name: t('inbox.asks') });
		await list.getByText('The old one?').hover();
		const urgent = await agent.ask({ session: session.id, kind: 'approval', title: 'Now',
			operation: { name: 'x', risk: 'critical' } });
		await page.getByRole('button', { name: t('inbox.fresh.one', { n: 1 }) }).waitFor();
		assert.equal(await list.getByRole('listitem').count(), 1);
		await page.getByRole('button', { name: t('inbox.fresh.one', { n: 1 }) }).click();
		await until(async () => /Now/.test(await list.getByRole('listitem').first().innerText()), 'above');
		await list.getByText('The old one?').hover();
		await admin.post(`/v1/asks/${old.id}/skip`);
		await list.getByText(t('settled.skipped.by', { name: 'root' })).waitFor();
		await page.mouse.move(1200, 700);
		await until(async () => await list.getByRole('listitem').count() === 1, 'gone once the pointer left');
		await admin.post(`/v1/asks/${urgent.id}/skip`);
		await context.close();
	});

	test('filters and search', async () => {
		const { page, context, t } = await enter(browser, server);
		const session = await agent.session('filters', { project: 'apollo' });
		const a = await agent.ask({ session: session.id, question: 'Needle?', type: 'boolean', priority: 'urgent' });
		const b = await agent.ask({ question: 'Haystack?', type: 'boolean', kind: 'non_blocking' });
		await page.goto('/inbox');
		const list = page.getByRole('list', { name: t('inbox.asks') });
		await until(async () => await list.getByRole('listitem').count() === 2, 'both');
		await page.getByRole('button', { name: t('inbox.filter') }).click();
		const left = (n) => until(async () => await list.getByRole('listitem').count() === n, `${n} left`);
		await page.getByRole('searchbox').fill('needle');
		await left(1);
		await page.getByRole('searchbox').fill('');
		await page.getByRole('combobox', { name: t('filter.kind') }).selectOption('non_blocking');
		await left(1);
		await page.getByRole('combobox', { name: t('filter.priority') }).selectOption('urgent');
		await page.getByText(t('inbox.filtered')).waitFor();
		await page.getByRole('combobox', { name: t('filter.kind') }).selectOption('');
		await left(1);
		await page.getByRole('combobox', { name: t('filter.project') }).selectOption('apollo');
		await left(1);
		for (const { id } of [a, b]) await admin.post(`/v1/asks/${id}/skip`);
		await context.close();
	});
});
