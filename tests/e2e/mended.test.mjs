// What people write is never lost, what they are told is real, and any script or printer will do.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bin, enter, hide, launch, notices, notified, Server, until } from './lib.mjs';

let server, browser, agent, owner;
before(async () => {
	server = await Server.start();
	browser = await launch();
	agent = server.client(server.token('agent', 'tester'));
	owner = server.client(server.token('owner', 'clerk'));
});
after(async () => {
	await browser?.close();
	await server?.stop();
});

const status = async (id) => (await owner.get(`/v1/asks/${id}`)).body.status;

describe('drafts', () => {
	let page, context, t;
	before(async () => ({ page, context, t } = await enter(browser, server)));
	after(() => context.close());

	async function open(body) {
		const ask = await agent.ask(body);
		await page.goto(`/asks/${ask.id}`);
		return ask;
	}

	test('of an ask that expires meanwhile goes into the follow-up, and is sent as one', async () => {
		const ask = await open({ question: 'How many?', type: 'text', timeout: 3 });
		const field = page.getByRole('textbox', { name: 'How many?' });
		await field.pressSequentially('Seven, I th');
		await until(async () => (await status(ask.id)) === 'expired', 'expired');
		const late = page.getByRole('textbox', { name: t('late.text') });
		await late.waitFor();
		assert.equal(await late.inputValue(), 'Seven, I th');
		await page.getByText(t('late.draft')).waitFor();
		await page.keyboard.type('ink');
		assert.equal(await late.inputValue(), 'Seven, I think', 'the typing goes on there');
		await page.reload();
		assert.equal(await late.inputValue(), 'Seven, I think', 'a reload keeps it');
		await page.getByRole('button', { name: t('thread.send') }).click();
		await page.getByRole('listitem').filter({ hasText: 'Seven, I think' }).waitFor();
		const { replies } = (await owner.get(`/v1/asks/${ask.id}`)).body;
		assert.deepEqual(replies.map((reply) => reply.text), ['Seven, I think']);
		await page.reload();
		await page.getByRole('button', { name: t('late.open') }).waitFor();
		assert.equal(await late.count(), 0, 'sent is sent');
	});

	test('of several questions, and with no one at the keys, is there without taking the focus', async () => {
		const ask = await open({ timeout: 3, questions: [
			{ key: 'a', header: 'Place', text: 'Where?', type: 'choice', options: [{ id: 'x', label: 'Here' }, { id: 'y', label: 'There' }] },
			{ key: 'b', header: 'Name', text: 'Which name?', type: 'text' }] });
		await page.getByRole('radio', { name: 'There' }).check();
		await page.getByRole('tab', { name: '2/2: Name' }).click();
		await page.getByRole('textbox', { name: 'Which name?' }).fill('Ada');
		await page.getByRole('heading', { level: 1 }).last().focus();
		await until(async () => (await status(ask.id)) === 'expired', 'expired');
		const late = page.getByRole('textbox', { name: t('late.text') });
		await late.waitFor();
		assert.equal(await late.inputValue(), 'Place: There\nName: Ada');
		assert.equal(await late.evaluate((box) => document.activeElement === box), false);
	});

	test('of an ask that another answered are shown and can be put away', async () => {
		const ask = await open({ question: 'Colour?', type: 'text' });
		await page.getByRole('textbox', { name: 'Colour?' }).fill('Green');
		await owner.post(`/v1/asks/${ask.id}/answer`, { answer: 'Blue' });
		const typed = page.getByRole('region', { name: t('draft') });
		await typed.getByText('Green').waitFor();
		await page.getByRole('region', { name: t('settled') }).getByText('Blue').waitFor();
		await typed.getByRole('button', { name: t('outbox.dismiss') }).click();
		await page.reload();
		await page.getByRole('region', { name: t('settled') }).waitFor();
		assert.equal(await typed.count(), 0);
	});

	test('a reason, other arguments and a question back are kept apart', async () => {
		const ask = await open({ kind: 'approval', title: 'Run it', operation: { type: 'tool', name: 'sh', arguments: { cmd: 'make' } } });
		await page.getByRole('button', { name: t('thread.open') }).click();
		const back = page.getByRole('textbox', { name: t('thread.text') });
		await back.fill('On which host?');
		await page.getByRole('button', { name: t('approval.edit') }).click();
		await page.getByRole('textbox', { name: 'cmd' }).fill('make -n');
		await page.getByRole('button', { name: t('approval.reject.open') }).click();
		const reason = page.getByRole('textbox', { name: t('approval.reason') });
		await reason.fill('Not on a Friday');
		await page.reload();
		await reason.waitFor();
		assert.equal(await reason.inputValue(), 'Not on a Friday');
		await page.getByText('make -n').first().waitFor();
		await page.getByRole('button', { name: t('thread.open') }).click();
		assert.equal(await back.inputValue(), 'On which host?');
		await owner.post(`/v1/asks/${ask.id}/skip`);
	});
});

test('an ask told while its reading fails is fetched again', async () => {
	const { page, context } = await enter(browser, server);
	let refused = 0;
	await context.route(/\/v1\/asks\/ask_/, (route) => (refused++ < 2 ? route.abort() : route.continue()));
	const ask = await agent.ask({ question: 'Still there?', type: 'boolean' });
	await page.getByRole('listitem').filter({ hasText: 'Still there?' }).waitFor();
	assert.ok(refused > 2);
	await owner.post(`/v1/asks/${ask.id}/skip`);
	await context.close();
});

describe('notifications', () => {
	test('none while the page is in sight, or another tab of it', async () => {
		const { page, context, t } = await enter(browser, server, { ...notified, settings: { opens: true } });
		const first = await agent.ask({ question: 'In sight?', type: 'boolean' });
		await page.getByRole('dialog').waitFor();
		assert.deepEqual(await notices(page), []);
		await owner.post(`/v1/asks/${first.id}/skip`);
		const other = await context.newPage();
		await other.goto('/activity');
		await other.getByText(t('line.live')).waitFor({ state: 'attached' });
		await hide(page);
		const second = await agent.ask({ question: 'In the other?', type: 'boolean' });
		await other.getByRole('dialog').waitFor();
		await page.getByRole('listitem').filter({ hasText: 'In the other?' }).waitFor();
		assert.deepEqual(await notices(page), []);
		await owner.post(`/v1/asks/${second.id}/skip`);
		await context.close();
	});

	test('the browser is asked on a press only', async () => {
		const { page, context, t } = await enter(browser, server);
		await page.goto('/activity');
		await page.evaluate(() => {
			window.asked = 0;
			Object.defineProperty(Notification, 'permission', { configurable: true, get: () => 'default' });
			Notification.requestPermission = async () => (window.asked++, 'granted');
		});
		await page.getByRole('link', { name: t('nav.settings') }).click();
		const allow = page.getByRole('button', { name: t('you.notify.allow') });
		await allow.waitFor();
		assert.equal(await page.evaluate(() => window.asked), 0);
		await allow.click();
		await allow.waitFor({ state: 'detached' });
		assert.equal(await page.evaluate(() => window.asked), 1);
		await context.close();
	});
});

test('the first screen makes a token, and its snippets work as they stand', async () => {
	const fresh = await Server.start();
	const { page, context, t } = await enter(browser, fresh);
	await page.getByRole('textbox', { name: t('agents.name') }).fill('first agent');
	await page.getByRole('button', { name: t('tokens.create') }).click();
	await page.getByText(t('tokens.once')).waitFor();
	const snippet = (id, params) => page.getByRole('group', { name: t(id, params), exact: true }).innerText();
	const [shell, curl, mcp] = await Promise.all([snippet('first.shell'), snippet('first.curl'),
		snippet('first.mcp', { file: '.mcp.json' })]);
	const marie = fresh.client(fresh.token('member', 'Marie'));
	const run = promisify(execFile);
	/* Its own home: nothing is found but what the snippet says. */
	const env = { PATH: `${dirname(bin)}:${process.env.PATH}`, HOME: fresh.folder, XDG_STATE_HOME: fresh.folder };
	async function answered(script) {
		const reply = run('bash', ['-c', script], { env, cwd: fresh.folder });
		const [ask] = await until(async () => {
			const { items } = (await marie.get('/v1/asks')).body;
			return items.length && items;
		}, 'asked');
		await marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		return (await reply).stdout;
	}
	assert.equal((await answered(shell)).trim(), 'yes');
	assert.equal(JSON.parse(await answered(curl)).status, 'answered');
	const local = await run(bin, ['mcp', '--print-config', 'claude'], { env });
	assert.ok(JSON.parse(local.stdout).mcpServers.parley.command);
	const { url, headers } = JSON.parse(mcp).mcpServers.parley;
	const reply = await fetch(url, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
		body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
			protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } }),
	});
	assert.equal((await reply.json()).result.serverInfo.name, 'parley');
	await context.close();
	await fresh.stop();
});

test('script/web serves the page against a running server', { skip: !process.env.PARLEY_LONG }, async () => {
	const root = fileURLToPath(new URL('../..', import.meta.url));
	const dev = spawn('script/web', [server.url], { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
	let said = '';
	dev.stdout.on('data', (data) => (said += data));
	try {
		const address = await until(() => said.match(/http:\/\/localhost:\d+/)?.[0], 'the address', 60_000);
		const page = await browser.newPage();
		page.setDefaultTimeout(30_000);
		await page.goto(address + server.loginPath());
		await page.getByText('live', { exact: true }).waitFor({ state: 'attached' });
		const ask = await agent.ask({ question: 'Through the proxy?', type: 'boolean' });
		await page.getByRole('heading', { name: 'Through the proxy?' }).first().waitFor();
		await owner.post(`/v1/asks/${ask.id}/skip`);
		await page.close();
	} finally {
		process.kill(-dev.pid);
	}
});

describe('any script, any printer', () => {
	const arabic = 'أي قاعدة بيانات يجب أن تستخدم الخدمة الجديدة؟ سؤال طويل جدا لا يتسع له سطران في القائمة الضيقة أبدا يا صديقي';
	const hebrew = 'שלום עולם, זו שאלה';

	for (const view of ['desktop', 'phone']) test(`text from right to left runs so and breaks nothing (${view})`, async () => {
		const { page, context, errors } = await enter(browser, server, { view });
		const ask = await agent.ask({ title: arabic, context: { text: `مقدمة **مهمة** هنا.\n\n- ${hebrew}\n\nPlain words.` },
			questions: ['a', 'b'].map((key) => ({ key, header: hebrew, text: arabic, type: 'choice', other: true, note: { placeholder: hebrew },
				options: [{ id: 'x', label: hebrew, description: arabic }, { id: 'y', label: 'Left' }] })) });
		await page.goto(`/asks/${ask.id}`);
		const direction = (where) => where.evaluate((element) => getComputedStyle(element).direction);
		await page.getByText('Plain words.').waitFor();
		assert.equal(await direction(page.getByRole('heading', { level: 1, name: arabic })), 'rtl');
		assert.equal(await direction(page.locator('p', { hasText: 'مقدمة' })), 'rtl', 'a paragraph, its bold words in place');
		assert.equal(await direction(page.locator('li', { hasText: hebrew })), 'rtl');
		assert.equal(await direction(page.getByText('Plain words.')), 'ltr');
		/* Ours around theirs: "1/2: " stays in front. */
		const tab = page.getByRole('tab').first();
		assert.equal(await direction(tab), 'ltr');
		assert.equal((await tab.innerText()).trim(), `1/2: ${hebrew}`);
		const other = page.getByRole('textbox').first();
		await other.fill(hebrew);
		assert.equal(await other.evaluate((box) => getComputedStyle(box).unicodeBidi), 'plaintext');
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out');
		await page.goto('/inbox');
		assert.equal(await direction(page.locator('.list .title').first()), 'rtl', 'cut at its end, not at its start');
		assert.deepEqual(errors, []);
		await owner.post(`/v1/asks/${ask.id}/skip`);
		await context.close();
	});

	test('what moves stands still where that is wished', async () => {
		const session = await agent.session('moving');
		await agent.post(`/v1/sessions/${session.id}/progress`, { text: 'On it' });
		const { body } = await agent.get(`/v1/sessions/${session.id}`);
		const moving = async (reducedMotion) => {
			const { page, context } = await enter(browser, server, { reducedMotion });
			await page.goto('/sessions');
			await page.getByRole('link', { name: 'moving' }).first().waitFor();
			const n = await page.evaluate(() => document.getAnimations().length);
			await context.close();
			return n;
		};
		if (body.status === 'running') assert.ok((await moving('no-preference')) > 0);
		assert.equal(await moving('reduce'), 0);
	});

	test('an answered ask prints in full, black on white in the dark, without what is for the screen', async () => {
		const ask = await agent.ask({ title: 'For the files', context: { text: 'Why it came up.' }, questions: [
			{ key: 'a', header: 'Reason', text: 'Why do we do this?', type: 'text' }, { key: 'b', text: 'Is it urgent?', type: 'boolean' }] });
		await owner.post(`/v1/asks/${ask.id}/replies`, { text: 'Since when?' });
		await owner.post(`/v1/asks/${ask.id}/answer`, { answers: { a: 'It was asked for.', b: true } });
		const { page, context, t } = await enter(browser, server, { theme: 'dark' });
		await page.goto(`/asks/${ask.id}`);
		await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
		for (const text of ['For the files', 'Why it came up.', 'Reason', 'Why do we do this?', 'It was asked for.', 'Is it urgent?',
			t('form.yes'), 'Since when?', t('settled.answered.via', { name: 'clerk', via: 'api' })])
			await page.getByText(text, { exact: true }).first().waitFor();
		const colours = await page.evaluate(() => {
			const { color, backgroundColor } = getComputedStyle(document.body);
			return [color, backgroundColor];
		});
		assert.deepEqual(colours, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
		assert.equal(await page.getByRole('button').count(), 0);
		assert.equal(await page.getByRole('navigation').count(), 0);
		assert.ok((await page.pdf()).length > 1000);
		await context.close();
	});
});
