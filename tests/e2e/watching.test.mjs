// Watching agents, logging in, settings, first run, offline, tabs, size.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { after, before, describe, test } from 'node:test';
import { enter, launch, Server, sleep, until, watch } from './lib.mjs';

let server, browser, agent, admin;
before(async () => {
	server = await Server.start();
	agent = server.client(server.token('agent', 'tester'));
	admin = server.client(server.token('admin', 'root'));
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await server?.stop();
});

for (const [view, lang] of [['desktop', 'en'], ['phone', 'fr']]) describe(`${view}, ${lang}`, () => {
	let page, context, t, errors;
	before(async () => ({ page, context, t, errors } = await enter(browser, server, { view, lang })));
	after(async () => {
		await context.close();
		assert.deepEqual(errors, []);
	});

	test('sessions in their sections, live', async () => {
		const session = await agent.session(`build ${view}`, { project: 'apollo' });
		await page.goto('/sessions');
		await page.getByRole('heading', { name: t('sessions.others') }).waitFor();
		const ask = await agent.ask({ session: session.id, question: 'Go on?', type: 'boolean' });
		await page.getByRole('heading', { name: t('sessions.waiting') }).waitFor();
		await page.getByText(t('sessions.asks.one', { n: 1 })).first().waitFor();
		await admin.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await page.getByRole('heading', { name: t('sessions.running') }).waitFor();
		await page.getByRole('link', { name: `build ${view}` }).click();
		await page.getByRole('heading', { level: 1, name: `build ${view}` }).waitFor();
	});

	test('a session: state, progress, log with filters that follows at its end, its asks, stop', async () => {
		const session = await agent.session(`log ${view}`);
		await page.goto(`/sessions/${session.id}`);
		const log = page.getByRole('log');
		for (let i = 1; i <= 60; i++)
			await agent.post(`/v1/sessions/${session.id}/progress`, { text: `step number ${i}`, step: i, steps: 90 });
		await log.getByText('step number 60', { exact: false }).waitFor();
		await until(() => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 30), 'at the end');
		await log.evaluate((box) => (box.scrollTop = 0));
		await sleep(100);
		for (let i = 61; i <= 63; i++)
			await agent.post(`/v1/sessions/${session.id}/progress`, { text: `step number ${i}`, step: i, steps: 90 });
		await page.getByRole('button', { name: t('feed.fresh.other', { n: 3 }) }).click();
		await until(() => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 30), 'at the end again');
		await agent.ask({ session: session.id, question: 'Inside a session?', type: 'boolean' });
		await page.getByRole('heading', { name: t('session.open') }).waitFor();
		await page.getByRole('button', { name: t('feed.asks'), exact: true }).click();
		await until(async () => await log.getByText('step number').count() === 0, 'filtered');
		await log.getByText('Inside a session?', { exact: false }).waitFor();
		await page.getByText(t('status.waiting_for_input')).first().waitFor();
		await page.getByRole('button', { name: t('session.stop'), exact: true }).click();
		await page.getByRole('button', { name: t('session.stop.sure') }).click();
		await page.getByText(t('status.cancelled')).first().waitFor();
	});

	test('activity of all', async () => {
		await page.goto('/activity');
		await page.getByRole('log').getByText(t('event.ask.created'), { exact: false }).first().waitFor();
	});

	test('insights', async () => {
		await page.goto('/insights');
		await page.getByText(t('insights.median')).waitFor();
		await page.getByRole('img', { name: t('insights.byday') }).waitFor();
		await page.getByRole('button', { name: t('insights.days.other', { n: 7 }) }).click();
		await page.getByRole('table').getByText(t('kind.blocking')).waitFor();
	});

	test('people and tokens, for admins', async () => {
		await page.goto('/settings/users');
		await page.getByRole('textbox', { name: t('users.name') }).fill(`Ada ${view}`);
		await page.getByRole('button', { name: t('users.add'), exact: true }).click();
		await page.getByText(`${server.url}/login#`, { exact: false }).waitFor();
		await page.getByRole('cell', { name: `Ada ${view}` }).waitFor();
		await page.getByRole('combobox', { name: t('users.roleof', { name: `Ada ${view}` }) }).selectOption('viewer');
		await until(async () => (await admin.get('/v1/users')).body.items
			.find((user) => user.name === `Ada ${view}`)?.role === 'viewer', 'the role');
		await page.goto('/settings/tokens');
		await page.getByRole('textbox', { name: t('tokens.name') }).fill(`bot ${view}`);
		await page.getByRole('button', { name: t('tokens.create') }).click();
		const secret = await page.getByText(/^prl_/).innerText();
		assert.equal((await server.client(secret).get('/v1/me')).body.role, 'agent');
		const row = page.getByRole('row', { name: `bot ${view}` });
		await row.getByRole('button', { name: t('tokens.revoke') }).click();
		await row.getByRole('button', { name: t('tokens.sure') }).click();
		await row.waitFor({ state: 'detached' });
		assert.equal((await server.client(secret).get('/v1/me')).status, 401);
	});

	test('language and theme', async () => {
		await page.goto('/settings');
		const other = lang === 'en' ? 'fr' : 'en';
		await page.getByRole('combobox', { name: t('you.language') }).selectOption(other);
		await until(async () => await page.locator('html').getAttribute('lang') === other, 'the other language');
		await page.getByRole('combobox').first().selectOption(lang);
		await page.getByRole('combobox', { name: t('you.theme') }).selectOption('dark');
		await page.reload();
		assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
		await page.getByRole('combobox', { name: t('you.theme') }).selectOption('auto');
	});
});

test('a login link works once; a password works; logging out ends it in every tab', async () => {
	const { page, context, t } = await enter(browser, server);
	await page.goto('/settings');
	await page.getByLabel(t('you.password')).fill('correct horse');
	await page.getByRole('button', { name: t('you.password.set') }).click();
	await page.getByText(t('you.password.done')).waitFor();
	const tab = await context.newPage();
	await tab.goto('/sessions');
	await tab.getByRole('heading', { level: 1 }).waitFor();
	await page.getByRole('button', { name: t('you.leave') }).click();
	await tab.getByRole('button', { name: t('login.enter') }).waitFor();
	await page.getByRole('textbox', { name: t('login.name') }).fill('owner');
	await page.getByLabel(t('login.password')).fill('wrong password');
	await page.getByRole('button', { name: t('login.enter') }).click();
	await page.getByText(t('login.wrong')).waitFor();
	await page.getByLabel(t('login.password')).fill('correct horse');
	await page.getByRole('button', { name: t('login.enter') }).click();
	await page.getByRole('heading', { level: 1 }).waitFor();
	const path = server.loginPath();
	const used = await browser.newContext({ baseURL: server.url });
	const other = await used.newPage();
	await other.goto(path);
	await other.waitForURL('**/inbox');
	await used.clearCookies();
	await other.goto('about:blank');
	await other.goto(path);
	await other.getByText(t('login.used')).waitFor();
	assert.doesNotMatch(other.url(), /#/);
	await used.close();
	await context.close();
});

test('first run: real snippets and a test question', async () => {
	const fresh = await Server.start();
	const { page, context, t } = await enter(browser, fresh, { settings: { opens: true } });
	await page.getByRole('heading', { level: 1, name: t('first') }).waitFor();
	await page.getByText(`${fresh.url}/v1/asks`, { exact: false }).waitFor();
	await page.getByText(`${fresh.url}/mcp`, { exact: false }).waitFor();
	await page.getByRole('button', { name: t('first.test') }).click();
	await page.getByRole('heading', { name: t('first.test.title') }).first().waitFor();
	await page.getByRole('radio', { name: t('first.test.yes') }).first().check();
	await page.waitForTimeout(650);
	await page.keyboard.press('Control+Enter');
	await page.getByText(t('inbox.empty')).first().waitFor();
	await context.close();
	await fresh.stop();
});

test('a notification when hidden, and a deep link from it', async () => {
	const { page, context, t } = await enter(browser, server, { permissions: ['notifications'], settings: { opens: true } });
	await page.evaluate(() => {
		window.shown = [];
		window.Notification = class {
			static permission = 'granted';
			constructor(title, options) { window.shown.push([title, options.body]); }
			close() {}
		};
		Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
	});
	const ask = await agent.ask({ question: 'Are you there?', type: 'boolean' });
	await until(async () => (await page.evaluate(() => window.shown)).length, 'notified');
	assert.deepEqual(await page.evaluate(() => window.shown[0]), [t('toast.asks', { agent: 'tester' }), 'Are you there?']);
	assert.equal(await page.getByRole('dialog').count(), 0);
	await page.goto(`/asks/${ask.id}`);
	await page.getByRole('heading', { level: 1, name: 'Are you there?' }).waitFor();
	await admin.post(`/v1/asks/${ask.id}/skip`);
	await context.close();
});

test('without the server: the inbox is kept, answers wait and are sent, a conflict shows both', async () => {
	const own = await Server.start();
	const bot = own.client(own.token('agent', 'bot'));
	const root = own.client(own.token('admin', 'root'));
	const session = await bot.session('offline');
	const one = await bot.ask({ session: session.id, question: 'Sent later?', type: 'boolean' });
	const two = await bot.ask({ session: session.id, question: 'Lost the race?', type: 'boolean' });
	const { page, context, t } = await enter(browser, own, { serviceWorkers: 'allow' });
	await page.evaluate(() => navigator.serviceWorker.ready);
	await page.goto('/inbox');
	await page.getByRole('heading', { level: 1, name: 'Sent later?' }).waitFor();
	await sleep(2300);
	await context.setOffline(true);
	await page.reload();
	await page.getByText(t('line.lost')).first().waitFor();
	for (const title of ['Sent later?', 'Lost the race?']) {
		await page.getByRole('link', { name: title }).click();
		await page.getByRole('heading', { level: 1, name: title }).waitFor();
		await page.getByRole('radio', { name: t('form.yes') }).check();
		await page.waitForTimeout(650);
		await page.keyboard.press('Control+Enter');
		await page.getByText(t('outbox.row')).first().waitFor();
	}
	await page.getByText(t('outbox.other', { n: 2 })).first().waitFor();
	await page.reload();
	await page.getByText(t('outbox.other', { n: 2 })).first().waitFor();
	await root.post(`/v1/asks/${two.id}/answer`, { answer: false });
	await context.setOffline(false);
	await until(async () => (await root.get(`/v1/asks/${one.id}`)).body.status === 'answered', 'sent', 15_000);
	assert.deepEqual((await root.get(`/v1/asks/${one.id}`)).body.answer.q1, { value: true });
	const conflict = page.getByRole('region', { name: t('outbox.conflict') });
	await conflict.getByText('Lost the race?').waitFor();
	await conflict.getByText(t('form.yes'), { exact: true }).waitFor();
	await conflict.getByText(t('form.no'), { exact: true }).waitFor();
	await context.close();
	await own.stop();
});

test('ten tabs, one connection; when its tab closes another takes over', async () => {
	const { page, context, errors } = await enter(browser, server);
	const tabs = [page];
	for (let i = 1; i < 10; i++) {
		const tab = await context.newPage();
		watch(tab, errors);
		await tab.goto('/inbox');
		await tab.getByText('live').waitFor({ state: 'attached' });
		tabs.push(tab);
	}
	const token = server.token('admin', 'meter');
	const streams = async () => Number((await (await fetch(`${server.url}/metrics`,
		{ headers: { authorization: `Bearer ${token}` } })).text()).match(/^parley_streams (\d+)/m)[1]);
	await until(async () => await streams() === 1, 'one stream');
	const ask = await agent.ask({ question: 'In every tab?', type: 'boolean' });
	const row = (tab) => tab.getByRole('listitem').filter({ hasText: 'In every tab?' });
	for (const tab of tabs) await row(tab).waitFor();
	await tabs.shift().close();
	await until(async () => await streams() === 1, 'one stream again');
	await admin.post(`/v1/asks/${ask.id}/skip`);
	for (const tab of tabs) await row(tab).waitFor({ state: 'detached' });
	assert.deepEqual(errors, []);
	await context.close();
});

test('a restarted server is found again, and nothing was missed', async () => {
	const own = await Server.start();
	const bot = own.client(own.token('agent', 'bot'));
	const { page, context, t } = await enter(browser, own);
	await page.getByText(t('line.live')).waitFor({ state: 'attached' });
	await own.down();
	await page.getByText(t('line.lost')).waitFor();
	await own.up(`127.0.0.1:${own.port}`);
	await bot.ask({ question: 'While you were away?', type: 'boolean' });
	await page.getByRole('listitem').filter({ hasText: 'While you were away?' }).waitFor({ timeout: 15_000 });
	await page.getByText(t('line.live')).waitFor({ state: 'attached' });
	await context.close();
	await own.stop();
});

test('the first load is at most 60 KB of script and style, and asks nobody else', async () => {
	const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url));
	const size = (name) => gzipSync(readFileSync(dist + name), { level: 9 }).length;
	const html = readFileSync(`${dist}index.html`, 'utf8');
	const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1]);
	const language = readdirSync(`${dist}assets`).filter((name) => /^(fr)-/.test(name)).map((name) => `assets/${name}`);
	const total = [...new Set([...first, ...language])].reduce((sum, name) => sum + size(name), 0);
	assert.ok(total <= 60 * 1024, `${total} bytes`);
	const { page, context } = await enter(browser, server);
	const foreign = [];
	page.on('request', (request) => {
		if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) foreign.push(request.url());
	});
	for (const path of ['/inbox', '/sessions', '/activity', '/insights', '/agents', '/settings']) {
		await page.goto(path);
		await page.locator('h1').first().waitFor();
	}
	assert.deepEqual(foreign, []);
	await context.close();
});

test('an ask prints with its answer and without the rest', async () => {
	const ask = await agent.ask({ question: 'Printed?', type: 'boolean' });
	await admin.post(`/v1/asks/${ask.id}/answer`, { answer: true });
	const { page, context, t } = await enter(browser, server);
	await page.goto(`/asks/${ask.id}`);
	await page.emulateMedia({ media: 'print' });
	await page.getByRole('heading', { level: 1, name: 'Printed?' }).waitFor();
	await page.getByText(t('form.yes'), { exact: true }).waitFor();
	assert.equal(await page.getByRole('navigation').count(), 0);
	assert.equal(await page.getByRole('button').count(), 0);
	await context.close();
});
