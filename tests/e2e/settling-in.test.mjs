// Coming in, making oneself at home, and letting others in.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { arrive, BIN, say, Server, until, words } from './lib.mjs';
import { area, beside, browser, long } from './matrix.mjs';

const run = promisify(execFile);

let serial = 0;
const fresh = (name) => `${name} ${++serial}`;
const users = async (desk) => (await desk.admin.get('/v1/users')).body.items;

async function logIn(me, name, password) {
	await me.write(me.page.getByRole('textbox', { name: me.t('login.name') }), name);
	await me.write(me.page.getByLabel(me.t('login.password')), password);
	await me.press(me.button('login.enter'));
}

area('settling in', (scenario) => {
	scenario('people: added, let in, given a role, shut out and in again', async (me, desk) => {
		const name = fresh('Ada');
		await me.visit('/settings/users');
		await me.press(me.button('users.invite'));
		await me.write(me.page.getByRole('textbox', { name: me.t('users.name') }), name);
		await me.press(me.button('users.add'));
		const link = await me.page.getByText(`${desk.server.url}/login#`).innerText();
		const row = me.page.getByRole('row', { name });
		await me.pick(row.getByRole('combobox'), me.t('role.viewer'));
		await me.press(me.button('users.role.change', {}, me.dialog));
		await until(async () => (await users(desk)).find((user) => user.name === name)?.role === 'viewer', 'the role');
		await beside(me, { user: null }, async (ada) => {
			await ada.page.goto(link);
			await ada.page.waitForURL('**/inbox');
			await ada.visit('/settings/you');
			await ada.text('you.who', { name }).waitFor();
			await me.press(me.button('users.disable.name', { name }, row));
			await me.press(me.button('users.disable', {}, me.dialog));
			await until(async () => (await users(desk)).find((user) => user.name === name).disabled, 'shut out');
			await ada.text('login.ended').waitFor();
			await ada.button('login.enter').waitFor();
		});
		await me.press(me.button('users.enable.name', { name }, row));
		await until(async () => !(await users(desk)).find((user) => user.name === name).disabled, 'in again');
	});

	scenario('what the server refuses is said in the language of the page', async (me) => {
		await me.visit('/settings/users');
		await me.press(me.button('users.invite'));
		await me.write(me.page.getByRole('textbox', { name: me.t('users.name') }), 'owner');
		await me.press(me.button('users.add'));
		const said = words[me.lang]['problem.user.exists'].replace('{name}', 'owner');
		await me.page.getByRole('alert').getByText(`${said[0].toUpperCase()}${said.slice(1)}.`).waitFor();
	});

	scenario('tokens: made, shown once, revoked after a second thought', async (me, desk) => {
		const name = fresh('bot');
		await me.visit('/settings/tokens');
		await me.write(me.page.getByRole('textbox', { name: me.t('tokens.name') }), name);
		await me.press(me.button('tokens.create'));
		const secret = await me.page.getByText(/^prl_/).innerText();
		const mine = desk.server.client(secret);
		assert.equal((await mine.get('/v1/me')).body.role, 'agent');
		const row = me.page.getByRole('row', { name });
		await me.press(me.button('tokens.revoke.name', { name }, row));
		assert.equal((await mine.get('/v1/me')).status, 200);
		await me.press(me.button('tokens.revoke', {}, me.dialog));
		await row.waitFor({ state: 'detached' });
		assert.equal((await mine.get('/v1/me')).status, 401);
		await me.page.reload();
		await me.heading(me.t(me.wide ? 'nav.settings' : 'settings.tokens')).waitFor();
		assert.equal(await me.page.getByText(secret).count(), 0);
	});

	scenario('a token is bound to projects, and freed', async (me, desk) => {
		const name = fresh('bound');
		await me.visit('/settings/tokens');
		await me.write(me.page.getByRole('textbox', { name: me.t('tokens.name') }), name);
		await me.write(me.page.getByRole('textbox', { name: me.t('tokens.projects'), exact: true }), 'web-* api');
		await me.press(me.button('tokens.create'));
		const mine = desk.server.client(await me.page.getByText(/^prl_/).innerText());
		assert.deepEqual((await mine.get('/v1/me')).body.projects, ['web-*', 'api']);
		const field = me.page.getByRole('textbox', { name: me.t('tokens.projects.of', { name }) });
		await me.write(field, '');
		await field.blur();
		await until(async () => (await mine.get('/v1/me')).body.projects === null, 'it is free');
	});

	scenario('away: who covers gets what would be assigned; an admin ends it', async (me, desk) => {
		const id = async (name) => (await users(desk)).find((user) => user.name === name).id;
		const away = async (name) => (await desk.admin.get(`/v1/users/${await id(name)}/away`)).body;
		const form = (one, words, params) => one.page.getByRole('form', { name: one.t(words, params) });
		const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
		await beside(me, { user: 'Marie' }, async (marie) => {
			await marie.visit('/settings/you');
			const own = form(marie, 'away.your');
			await own.getByLabel(marie.t('away.until')).fill(tomorrow);
			await marie.pick(own.getByLabel(marie.t('away.cover')), await id('owner'));
			await marie.write(own.getByLabel(marie.t('away.note')), 'At sea');
			await marie.press(marie.button('away.save'));
			await own.getByRole('status').getByText('At sea').waitFor();
		});
		assert.deepEqual([(await away('Marie')).delegate, (await away('Marie')).note], [await id('owner'), 'At sea']);
		const ask = await desk.agent.ask({ question: 'For Marie?', type: 'boolean', assignees: [await id('Marie')] });
		assert.deepEqual((await desk.get(ask.id)).assignees, [await id('owner')]);
		await me.visit('/settings/users');
		await me.press(me.button('away.name', { name: 'Marie' }));
		const hers = form(me, 'away.name', { name: 'Marie' });
		await hers.getByRole('status').getByText('At sea').waitFor();
		await me.press(me.button('away.back', {}, hers));
		await hers.getByRole('status').waitFor({ state: 'detached' });
		assert.equal(await away('Marie'), null);
	});

	scenario('language and theme', async (me) => {
		const root = me.page.locator('html');
		const other = me.lang === 'en' ? 'fr' : 'en';
		await beside(me, {}, async (own) => {
			const page = own.page.locator('html');
			await own.visit('/settings/you');
			const language = (lang) => own.check(own.page.getByRole('radio', { name: { en: 'English', fr: 'Français' }[lang] }));
			await language(other);
			await until(async () => await page.getAttribute('lang') === other, 'the other language');
			await own.page.reload();
			await until(async () => await page.getAttribute('lang') === other, 'still the other language');
			await language(own.lang);
			await own.heading(own.t(own.wide ? 'nav.settings' : 'settings.you')).waitFor();
			await own.check(own.page.getByRole('radio', { name: own.t('theme.dark') }));
			await until(async () => await page.getAttribute('data-theme') === 'dark', 'dark');
			await own.page.reload();
			await until(async () => await page.getAttribute('data-theme') === 'dark', 'still dark');
		});
		assert.equal(await root.getAttribute('data-theme'), null);
	});

	scenario('logging out ends it in every tab; who logs in again without a reload is live; a link leads to its ask by way of the password', async (me, desk) => {
		const name = fresh('Grace');
		await desk.client('member', name);
		await beside(me, { user: null }, async (grace) => {
			await grace.page.goto(await desk.server.loginPath(name));
			await grace.page.waitForURL('**/inbox');
			await grace.visit('/settings/you');
			const change = async (password, again, old = '') => {
				for (const [id, text] of [['you.password.old', old], ['you.password', password], ['you.password.again', again]])
					if (text) await grace.write(grace.page.getByLabel(grace.t(id), { exact: true }), text);
				await grace.press(grace.button('you.password.set'));
			};
			await grace.text('you.password.rule').waitFor();
			await change('correct horse', 'correct house');
			await grace.text('you.password.differ').waitFor();
			await change('correct horse', 'correct horse');
			await grace.text('you.password.done').waitFor();
			await change('another horse', 'another horse', 'not the one');
			await grace.page.getByRole('alert').waitFor();
			const tab = await grace.context.newPage();
			await tab.goto('/sessions');
			await tab.getByRole('heading', { level: 1 }).waitFor();
			await grace.page.bringToFront();
			await grace.press(grace.button('you.leave'));
			await grace.button('login.enter', {}, tab).waitFor();
			/* In the same document: nothing of the last login may be in the way. */
			await grace.page.evaluate(() => { window.sameDocument = true; });
			await logIn(grace, name, 'correct horse');
			await grace.live();
			await grace.visitInside('/inbox');
			await desk.agent.ask({ question: 'Heard at once?', type: 'boolean', kind: 'non_blocking' });
			await grace.row('Heard at once?').waitFor();
			assert.ok(await grace.page.evaluate(() => window.sameDocument), 'the page was loaded anew');
			await grace.visitInside('/settings/you');
			await grace.press(grace.button('you.leave'));
			await grace.button('login.enter').waitFor();
			const ask = await desk.agent.ask({ question: 'Where to?', type: 'boolean' });
			await grace.page.goto(`/asks/${ask.id}`);
			await logIn(grace, name, 'wrong password');
			await grace.text('login.wrong').waitFor();
			await logIn(grace, name, 'correct horse');
			await grace.heading('Where to?').waitFor();
			assert.equal(grace.page.url(), `${desk.server.url}/asks/${ask.id}`);
		});
	});

	scenario('one’s logins: which browser, from where, which is this one; another is ended, then all others', async (me, desk) => {
		const name = fresh('Heidi');
		await desk.client('member', name);
		const enterAs = async (own) => {
			await own.page.goto(await desk.server.loginPath(name));
			await own.page.waitForURL('**/inbox');
		};
		await beside(me, { user: null }, async (own) => {
			await enterAs(own);
			const others = [];
			for (const userAgent of ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
				'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1', 'odd one']) {
				const place = await arrive(await browser(), desk.server, { userAgent });
				others.push(place);
				await enterAs(place);
			}
			await own.visit('/settings/you');
			const logins = own.region('logins');
			const row = (text) => logins.getByRole('listitem').filter({ hasText: text });
			const firefox = own.t('logins.browser', { browser: 'Firefox', system: 'Linux' });
			await row(own.t('logins.browser', { browser: 'Safari', system: 'iPhone' })).getByText('127.0.0.1').waitFor();
			await row('odd one').waitFor();
			assert.equal(await row(own.t('logins.here')).getByRole('button').count(), 0);
			await own.press(own.button('logins.end.name', { name: firefox }));
			await own.dialog.getByText(own.t('logins.sure', { name: firefox })).waitFor();
			await own.press(own.button('logins.end', {}, own.dialog));
			await row(firefox).waitFor({ state: 'detached' });
			/* Its browser says so by itself. */
			await others[0].page.getByText(say('en')('login.ended')).waitFor();
			await own.press(own.button('logins.end.all'));
			await own.press(own.button('logins.end.all', {}, own.dialog));
			await row('odd one').waitFor({ state: 'detached' });
			assert.equal(await logins.getByRole('listitem').count(), 1);
			for (const { page } of others) await page.getByText(say('en')('login.ended')).waitFor();
			for (const { context } of others) await context.close();
		});
	});

	scenario('a login link is pasted where it cannot be opened, whole or its code alone', async (me, desk) => {
		for (const cut of [(path) => `${desk.server.url}${path}`, (path) => path.split('#')[1]])
			await beside(me, { user: null }, async (other) => {
				await other.page.goto('/login');
				const box = other.page.getByLabel(other.t('login.paste'));
				await other.write(box, 'no such code');
				await other.press(other.button('login.paste.enter'));
				await other.text('login.used').waitFor();
				await other.write(box, cut(await desk.server.loginPath()));
				await other.press(other.button('login.paste.enter'));
				await other.page.waitForURL('**/inbox');
			});
	});

	scenario('a login link works once and leaves no trace in the address', async (me, desk) => {
		const path = await desk.server.loginPath();
		await beside(me, { user: null }, async (first) => {
			await first.page.goto(path);
			await first.page.waitForURL('**/inbox');
		});
		await beside(me, { user: null }, async (second) => {
			await second.page.goto(path);
			await second.text('login.used').waitFor();
			assert.doesNotMatch(second.page.url(), /#/);
			await second.press(second.page.getByRole('button', { name: second.t('language.other') }));
			await until(async () => await second.page.locator('html').getAttribute('lang') !== second.lang, 'the other language');
			/* A newer link in the same tab: only what stands behind the # changes. */
			await second.page.evaluate((to) => { location.href = to; }, await desk.server.loginPath());
			await second.page.waitForURL('**/inbox');
		});
	});

	scenario('first run: a test question, the same step after a reload and in a second tab, kept until it is dismissed', async (me) => {
		const server = await Server.start();
		await beside(me, { server, settings: { opens: true } }, async (first) => {
			await first.page.waitForURL('**/start');
			/* One step is open: the first that is not done, or the one that its person opens. */
			const step = (name, page = first.page) => page.getByRole('button', { name: first.t(`first.step.${name}`), exact: true });
			const isOpen = (name, page) => until(async () => await step(name, page).getAttribute('aria-expanded') === 'true', `${name} open`);
			const yes = (page) => page.getByRole('radio', { name: first.t('first.test.yes') });
			await isOpen('test');
			await first.press(step('connect'));
			await first.page.getByText('parley connect claude', { exact: true }).waitFor();
			await first.press(first.button('first.test'));
			await isOpen('test');
			await until(() => yes(first.page).evaluate((radio) => radio === document.activeElement), 'the question has the focus');
			/* Sent, not answered: it waits there in a second tab, and after a reload. */
			const tab = await first.context.newPage();
			await tab.goto('/');
			await tab.waitForURL('**/start');
			await yes(tab).waitFor();
			await first.page.bringToFront();
			await first.page.reload();
			await yes(first.page).waitFor();
			assert.equal(await first.dialog.count(), 0);
			await first.check(yes(first.page));
			await first.send();
			const said = first.t('first.answered', { answer: first.t('first.test.yes'), span: '' }).trim();
			await first.page.getByRole('status').getByText(said).waitFor();
			await isOpen('connect');
			/* Nobody fetches what a person asked: nothing is said of that. */
			await first.toasts.getByText(first.t('first.test.title')).waitFor();
			assert.doesNotMatch(await first.toasts.innerText(), new RegExp(first.t('fetched.not', { agent: 'owner' })));
			await isOpen('connect', tab);
			await tab.close();
			/* Its person can leave it and comes back to the same step, until it is dismissed. */
			await first.press(first.page.getByRole('link', { name: first.t('first.leave') }));
			await first.text('inbox.empty').waitFor();
			await first.page.reload();
			await first.page.waitForURL('**/start');
			await isOpen('connect');
			/* An agent that waits comes first, and who saw it settled stays in the inbox. */
			const agent = server.client(await server.token('agent', 'early'));
			const early = await agent.ask({ question: 'Early?', type: 'boolean' });
			await first.page.goto('/inbox');
			await first.waiting(1).waitFor();
			await agent.post(`/v1/asks/${early.id}/cancel`);
			await first.waiting(1).waitFor({ state: 'detached' });
			assert.match(first.page.url(), /\/inbox$/);
			await first.page.reload();
			await first.page.waitForURL('**/start');
			await first.press(first.button('first.dismiss'));
			await first.text('inbox.empty').waitFor();
			await first.page.reload();
			await first.text('inbox.empty').waitFor();
			assert.match(first.page.url(), /\/inbox$/);
		});
		await server.end();
	});

	scenario('first run: a token is made, and the snippets work as they stand', async (me) => {
		const server = await Server.start();
		let snippets;
		await beside(me, { server }, async (first) => {
			await first.press(first.button('first.step.connect'));
			assert.equal(await first.page.getByRole('textbox', { name: first.t('agents.new') }).count(), 0, 'no token on this machine');
			await first.check(first.page.getByRole('radio', { name: first.t('first.other') }));
			await first.write(first.page.getByRole('textbox', { name: first.t('agents.new') }), 'first agent');
			await first.press(first.button('tokens.create'));
			await first.text('tokens.once').waitFor();
			snippets = [];
			for (const [tab, ...message] of [[first.t('first.shell'), 'first.shell'], [first.t('first.curl'), 'first.curl'], ['Claude Code', 'first.mcp', { file: '.mcp.json' }]]) {
				await first.press(first.page.getByRole('group', { name: first.t('first.client') }).getByRole('button', { name: tab, exact: true }));
				snippets.push(await first.page.getByRole('group', { name: first.t(...message), exact: true }).innerText());
			}
			/* The first ask comes, and the token is still there. */
			const token = /Bearer (\S+)"/.exec(snippets[2])[1];
			const asked = await server.client(token).ask({ question: 'Here?', type: 'boolean' });
			await first.page.getByText(first.t('first.connected', { agent: 'first agent' })).waitFor();
			await first.page.getByText(token).first().waitFor();
			await server.client(token).post(`/v1/asks/${asked.id}/cancel`);
		});
		const [shell, curl, mcp] = snippets;
		const marie = server.client(await server.token('member', 'Marie'));
		/* Its own home: nothing is found but what the snippet says. */
		const env = { PATH: `${dirname(BIN)}:${process.env.PATH}`, HOME: server.home, XDG_STATE_HOME: server.home };
		async function answered(script) {
			const reply = run('bash', ['-c', script], { env, cwd: server.home });
			const [ask] = await until(async () => {
				const { items } = (await marie.get('/v1/asks')).body;
				return items.length && items;
			}, 'asked');
			await marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
			return (await reply).stdout;
		}
		assert.equal((await answered(shell)).trim(), 'yes');
		assert.equal(JSON.parse(await answered(curl)).status, 'answered');
		const local = await run(BIN, ['mcp', '--print-config', 'claude'], { env });
		assert.ok(JSON.parse(local.stdout).mcpServers.parley.command);
		const { url, headers } = JSON.parse(mcp).mcpServers.parley;
		const reply = await fetch(url, {
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
				protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } }),
		});
		assert.equal((await reply.json()).result.serverInfo.name, 'parley');
		await server.end();
	});

	scenario('every screen is one press away, on a phone some behind More', async (me) => {
		await me.visit('/inbox');
		for (const name of ['history', 'sessions', 'activity', 'agents', 'rules', 'insights', 'settings', 'inbox']) {
			await me.press(await me.navLink(name));
			await me.page.waitForURL(`**/${name}`);
			assert.ok((await me.page.title()).includes(me.t(`nav.${name}`)));
		}
		await me.live();
		for (const part of ['keys', 'users', 'tokens']) {
			if (part === 'keys' || !me.wide) await me.visitInside('/settings');
			await me.press(me.named('link', `settings.${part}`));
			await me.page.waitForURL(`**/settings/${part}`);
		}
	});

	scenario('what does not exist says so and leads back', async (me) => {
		await me.visit('/inbox');
		for (const [path, id] of [['/nowhere', 'lost'], ['/asks/ask_00000000000000000000000000', 'ask.missing']]) {
			await me.visitInside(path);
			await me.heading(me.t(id)).waitFor();
			await me.press(me.page.getByRole('link', { name: me.t('ask.missing.back') }));
			await me.page.waitForURL('**/inbox');
		}
		await me.visit('/sessions/ses_00000000000000000000000000');
		await me.heading(me.t('session.missing')).waitFor();
	});

	scenario('people and tokens: every column in sight, whatever the language', async (me, desk) => {
		await desk.agent.ask({ session: (await desk.agent.session('known')).id, question: 'Seen?', type: 'boolean' });
		for (const [path, name] of [['/settings/users', 'Marie'], ['/settings/tokens', 'deployer']])
			for (const lang of ['en', 'fr'])
				await beside(me, { lang }, async (own) => {
					await own.visit(path);
					const table = own.page.getByRole('table');
					await table.getByRole('row', { name }).first().waitFor();
					const [needs, has] = await table.evaluate((one) => [one.scrollWidth, one.parentElement.clientWidth]);
					assert.ok(needs <= has, `${path} in ${lang}: ${needs} of ${has}`);
				});
	});

	scenario('the keys are explained, and can be turned off', async (me, desk) => {
		const ask = await desk.agent.ask({ kind: 'approval', title: 'Not by accident',
			operation: { name: 'shell', risk: 'low', arguments: { command: 'make' } } });
		await beside(me, {}, async (own) => {
			await own.visit('/settings/keys');
			await own.text('keys.submit').waitFor();
			const single = own.page.getByRole('checkbox', { name: own.t('settings.keys.on') });
			await own.check(single, false);
			await own.key('?', 'g', 's', 'g', 'i');
			assert.match(own.page.url(), /settings\/keys/);
			assert.equal(await own.dialog.count(), 0);
			await own.look(ask);
			await own.armed(own.button('approval.approve'));
			await own.key('r', 'e', 's', 'x', '/', 'a');
			for (const id of ['approval.reject', 'approval.edit.done', 'batch.clear'])
				assert.equal(await own.button(id).count(), 0, id);
			assert.equal(await own.skipping.count(), 0);
			await desk.pending(ask.id);
			await own.visit('/settings/keys');
			await own.check(single, true);
			await own.go('s', '**/sessions');
			await own.look(ask);
			await own.armed(own.button('approval.approve'));
			await own.key('a');
			assert.equal((await desk.answer(ask.id, 'decision')).value, 'approve');
		});
	});

	scenario('laid out for its size', async (me, desk) => {
		const ask = await desk.agent.ask({ question: 'Does it fit?', type: 'text' });
		await me.visit('/inbox');
		const bar = me.page.getByRole('navigation');
		const list = me.region('inbox');
		const box = async (what) => {
			const { x, y, width, height } = await what.boundingBox();
			return { left: x, top: y, width, height, right: x + width, bottom: y + height };
		};
		await me.row('Does it fit?').waitFor();
		if (me.wide) {
			await me.heading('Does it fit?').waitFor();
			const [nav, middle, card] = await Promise.all([bar, list, me.page.getByRole('article')].map(box));
			assert.equal(nav.width, 180);
			assert.ok(middle.left === nav.right && middle.width >= 320 && middle.width <= 520, `a list of ${middle.width}`);
			assert.ok(card.left > middle.right && card.width <= 860, `a card of ${card.width}`);
			assert.equal(await me.page.locator('h1:not([aria-level="2"])', { visible: true }).count(), 1, 'one first heading');
			/* One title bar and one pair of edges on every screen. */
			for (const path of ['inbox', 'history', 'sessions', 'activity', 'agents', 'rules', 'insights', 'settings']) {
				await me.visit(`/${path}`);
				const bar = me.page.locator('.page > header.bar');
				await bar.waitFor();
				const [frame, name] = await Promise.all([bar, bar.locator('h1')].map(box));
				assert.deepEqual([path, frame.top, Math.round(frame.height), name.left, frame.right - 24], [path, 0, 52, 204, 1416]);
			}
			/* Columns side by side go down to the end of the window. */
			const settled = await desk.agent.ask({ question: 'Settled?', type: 'boolean' });
			await desk.marie.post(`/v1/asks/${settled.id}/answer`, { answer: true });
			await me.visit('/settings'); // what is fetched later changes nothing of it
			await me.visitInside(`/history/${settled.id}`);
			await me.heading('Settled?').waitFor();
			assert.equal((await box(me.page.locator('.panes > aside'))).bottom, 900);
			return;
		}
		assert.equal(await me.page.getByRole('article').count(), 0, 'the list alone');
		assert.equal((await box(bar)).bottom, 844);
		for (const tab of await bar.getByRole('link').all())
			if (await tab.isVisible()) assert.ok((await box(tab)).height >= 44, await tab.innerText());
		await me.press(me.row('Does it fit?').getByRole('link'));
		await me.heading('Does it fit?').waitFor();
		await list.waitFor({ state: 'hidden' });
		assert.equal((await box(me.page.getByRole('region', { name: 'Does it fit?' }))).width, 390, 'the ask alone');
		for (const button of [me.submit, me.page.locator('article .actions summary')]) {
			const { height, bottom } = await box(button);
			assert.ok(height >= 48 && bottom <= (await box(bar)).top, `${height} high, down to ${bottom}`);
		}
		await desk.pending(ask.id);
		await me.open({ kind: 'approval', title: 'One row?', operation: { name: 'shell', risk: 'high', arguments: { command: 'make' } } });
		await me.button('approval.approve').waitFor();
		const tops = await me.page.locator('article .actions').locator('> :is(button, details), > .both > button').evaluateAll((all) =>
			all.filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().top)));
		assert.deepEqual([tops.length, new Set(tops).size], [4, 1], 'Approve, for longer, Reject and … in one row');
	});

	scenario('help, places and search by single keys', { input: 'keyboard' }, async (me) => {
		await me.visit('/inbox');
		await me.key('?');
		await me.page.getByRole('dialog', { name: me.t('keys') }).waitFor();
		await me.key('Escape');
		await me.dialog.waitFor({ state: 'detached' });
		for (const [letter, path] of [['s', 'sessions'], ['a', 'activity'], ['i', 'inbox']])
			await me.go(letter, `**/${path}`);
		await me.key('/');
		await until(() => me.page.getByRole('searchbox').evaluate((box) => box === document.activeElement), 'the search');
	});

	scenario('the first Tab skips to the content', { input: 'keyboard' }, async (me) => {
		await me.visit('/sessions');
		await me.key('Tab');
		await me.page.getByRole('link', { name: me.t('skip') }).and(me.page.locator(':focus')).waitFor();
		await me.key('Enter');
		await me.page.locator('main:focus').waitFor();
	});

	scenario('signing keys are rotated and revoked with a reason; a hold keeps a project until it is lifted', async (me, desk) => {
		await me.visit('/settings/security');
		const keys = me.region('signing').getByRole('listitem');
		await keys.first().waitFor();
		const before = await keys.count();
		await me.press(me.region('signing').getByRole('button', { name: `${me.t('signing.rotate')}…` }));
		await me.press(me.button('signing.rotate', {}, me.dialog));
		await until(async () => await keys.count() === before + 1, 'another key');
		const old = (await desk.admin.get('/v1/keys')).body.keys[1];
		await me.press(me.button('signing.revoke.name', { name: old.kid.slice(0, 12) }));
		await me.write(me.region('signing').getByLabel(me.t('holds.reason')), 'Leaked');
		await me.press(me.button('tokens.revoke', {}, me.region('signing')));
		await me.region('signing').getByText('Leaked').waitFor();
		assert.equal((await desk.admin.get('/v1/keys')).body.keys[1].revoked.reason, 'Leaked');

		const session = await desk.agent.session('Kept', { project: 'audited' });
		await me.visit('/settings/data');
		const holds = me.region('holds');
		await me.write(holds.getByLabel(me.t('holds.kind.project'), { exact: true }), 'audited');
		await me.write(holds.getByLabel(me.t('holds.reason')), 'Audit of 2026');
		await me.press(me.button('holds.set', {}, holds));
		await holds.getByText('Audit of 2026').waitFor();
		if (me.wide) {
			await me.visit(`/sessions/${session.id}`);
			await me.text('holds.here', { reason: 'Audit of 2026' }).waitFor();
			await me.visit('/settings/data');
		}
		await me.press(me.button('holds.lift.name', { name: me.t('holds.on.project', { name: 'audited' }) }));
		await me.press(me.button('holds.lift', {}, me.dialog));
		await me.text('holds.empty').waitFor();
	});
});

test('script/web serves the page against a running server', { skip: !long }, async () => {
	const server = await Server.start();
	const agent = server.client(await server.token('agent', 'tester'));
	const root = fileURLToPath(new URL('../..', import.meta.url));
	const dev = spawn('script/web', [server.url], { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
	let said = '';
	dev.stdout.on('data', (data) => (said += data));
	try {
		const address = await until(() => said.match(/http:\/\/localhost:\d+/)?.[0], 'the address', 60_000);
		const page = await (await browser()).newPage();
		page.setDefaultTimeout(30_000);
		await page.goto(address + await server.loginPath());
		await page.getByText('Connected', { exact: true }).waitFor({ state: 'attached' });
		await agent.ask({ question: 'Through the proxy?', type: 'boolean' });
		await page.getByRole('listitem').filter({ hasText: 'Through the proxy?' }).waitFor(); // beside the first run
		await page.close();
	} finally {
		process.kill(-dev.pid);
		await server.end();
	}
});
