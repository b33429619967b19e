// axe finds nothing to complain about: every screen and every state of one, light and dark. A state is
// made once and looked at in both sizes.
import assert from 'node:assert/strict';
import { bypass, complaints } from './axe.mjs';
import { Server, until } from './lib.mjs';
import { area, beside } from './matrix.mjs';
import { seed } from './seeds.mjs';

const yesNo = { question: 'Agreed?', type: 'boolean' };
const options = [{ label: 'Red', description: 'As wine', preview: 'a preview' }, { label: 'Blue' }];
const several = { title: 'Several things', context: { text: 'It is **ready**: see [this](https://example.org) and `make`.\n\n- one\n- two' },
	questions: [{ key: 'one', header: 'One', text: 'Which?', type: 'choice', options, other: true, suggested: 'Red', note: {} },
		{ key: 'two', header: 'Two', text: 'Which ones?', type: 'choices', options, required: false },
		{ key: 'three', header: 'Three', text: 'How many?', type: 'number', min: 1, max: 9, suggested: 3 }] };
const approval = (risk) => ({ kind: 'approval', title: 'Roll it out', timeout: '4m', priority: 'urgent',
	context: { text: 'Trust me. '.repeat(100), diff: '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n', preview: 'a\nb' },
	operation: { name: 'shell', risk, arguments: { command: 'make deploy', depth: 2 } } });
const recovery = { kind: 'error_recovery', title: 'It failed', context: { error_details: 'got 503', attempt: 2, attempts: 3, current_step: 'tests' } };
const batch = async (me, desk) => {
	const session = await desk.agent.session('batch');
	for (const title of ['North', 'South', 'West 1', 'West 2', 'West 3'])
		await desk.agent.ask({ session: session.id, title, ...yesNo });
	await me.visit('/inbox');
	for (const title of ['North', 'South']) await me.check(me.page.getByRole('checkbox', { name: me.t('inbox.select', { title }) }));
	if (me.wide) return me.region('batch').waitFor();
	/* On a phone a bar lies right above the tabs. */
	const [bar, tabs] = await Promise.all([me.page.locator('.picked'), me.page.getByRole('navigation').first()].map((one) => one.boundingBox()));
	assert.ok(Math.abs(bar.y + bar.height - tabs.y) < 3, `the bar ends at ${bar.y + bar.height}, the tabs begin at ${tabs.y}`);
};

/* What it is called, and how to get there. Lists of what others leave behind come first, while they are short. */
const screens = {
	'sessions': async (me, desk) => {
		await desk.agent.session('idle one');
		await desk.agent.ask(yesNo);
		await me.visit('/sessions');
		await me.page.getByRole('heading', { name: me.t('sessions.waiting') }).waitFor();
	},
	'activity': async (me, desk) => {
		await desk.agent.ask(yesNo);
		await me.visit('/activity');
		await me.page.getByRole('log').getByText(me.t('turn.asked')).first().waitFor();
	},
	'toasts': async (me, desk) => {
		await me.visitLive('/sessions');
		if (!me.wide) await me.press(me.page.getByRole('button', { name: me.t('sessions.search') }));
		await me.write(me.page.getByRole('searchbox'), 'a');
		await desk.agent.ask(yesNo);
		await me.toasts.getByText(yesNo.question).waitFor();
		const ask = await desk.agent.ask({ ...yesNo, title: 'Settled' });
		await me.toasts.getByText('Settled').waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.toasts.getByText(me.settledBy('answered', 'Marie')).waitFor();
		await me.toasts.getByText(yesNo.question).waitFor();
	},
	'a dialog that opened by itself': async (me, desk) => {
		await me.visitLive('/activity');
		await new Promise((calm) => { setTimeout(calm, 1600); }); // nothing opens by itself right after a key
		for (const title of ['First', 'Second']) await desk.agent.ask({ ...approval('high'), title });
		await me.dialog.getByText(me.tn('dialog.more', 1)).waitFor();
	},
	'settings: tokens': async (me) => {
		await me.visit('/settings/tokens');
		await me.page.getByRole('row').nth(1).waitFor();
	},
	'the inbox': async (me, desk) => {
		await seed(desk.server);
		await me.visit('/inbox');
		await me.list.getByRole('listitem').first().waitFor();
	},
	'an empty inbox': async (me, desk) => {
		const ask = await desk.agent.ask(yesNo);
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.visit('/inbox');
		await me.text('inbox.empty').waitFor();
	},
	'the filter bar': async (me, desk) => {
		await desk.agent.ask({ ...yesNo, session: (await desk.agent.session('filtered', { project: 'apollo' })).id });
		await me.visit('/inbox');
		await me.press(me.button('filter'));
		await me.page.getByRole('listbox').waitFor();
	},
	'rows chosen, and similar ones unfolded': async (me, desk) => {
		await batch(me, desk);
		const fold = me.page.getByRole('button', { name: me.tn('inbox.similar', 2) });
		/* The variant before may have left it open. */
		if (await fold.getAttribute('aria-expanded') === 'false') await me.press(fold);
		await until(async () => await me.list.getByRole('listitem').count() === 5, 'unfolded');
	},
	'a batch of operations': async (me, desk) => {
		const session = await desk.agent.session('batch');
		const run = (n, risk) => desk.agent.ask({ session: session.id, kind: 'approval', title: `Run ${n} ${risk}`,
			operation: { name: 'shell', risk, arguments: { command: `make ${n}` } } });
		for (const risk of ['low', 'medium', 'high']) await run(risk.length, risk);
		await me.visit('/inbox');
		await me.row('Run 4 high').waitFor();
		for (const box of await me.list.getByRole('checkbox').all()) await me.check(box);
		if (!me.wide) await me.press(me.button('batch.review'));
		await me.region('batch').getByText(me.t('batch.why.risk')).waitFor();
	},
	'a question with tabs': (me) => me.open(several),
	'an option with its preview, and a flaw said': async (me) => {
		await me.open({ question: 'Which colour?', type: 'choices', options, min: 2, other: true });
		await me.check(me.page.getByRole('checkbox', { name: 'Red' }));
		await me.key('Control+Enter');
		await me.page.getByRole('status').getByText(me.t('form.flaw.few', { min: 2, n: 1 })).waitFor();
	},
	'the review': async (me) => {
		await me.open(several);
		await me.press(me.named('tab', 'form.review'));
		await me.page.getByText(me.t('form.empty')).first().waitFor();
	},
	'a text with its counter': async (me) => {
		await me.open({ question: 'A word?', type: 'text', max: 20 });
		await me.write(me.page.getByRole('textbox', { name: 'A word?' }), 'ab');
		await me.text('form.counter', { n: 2, max: 20 }).waitFor();
	},
	'an approval': async (me, desk) => {
		const session = await desk.agent.session('led');
		await desk.agent.post(`/v1/sessions/${session.id}/progress`, { text: 'Built', step: 1, steps: 2 });
		await me.open({ ...approval('critical'), session: session.id });
		await me.region('diff').waitFor();
		await me.region('led').waitFor();
	},
	'an approval being rejected': async (me) => {
		await me.open(approval('high'));
		await me.press(me.button('approval.reject.open'));
		await me.page.getByRole('textbox', { name: me.t('approval.reason') }).waitFor();
	},
	'an approval being edited': async (me) => {
		await me.open(approval('medium'));
		await me.action('approval.edit');
		await me.write(me.page.getByRole('textbox', { name: 'depth' }), '{');
		await me.text('operation.broken').waitFor();
	},
	'changes side by side': async (me) => {
		await me.open(approval('low'));
		await me.choose(me.page, me.t('diff.split'));
	},
	'a recovery': (me) => me.open(recovery),
	'skipping': async (me) => {
		await me.open(yesNo);
		await me.action('form.skip');
		await me.skipping.waitFor();
	},
	'asking back': async (me, desk) => {
		const ask = await me.open(yesNo);
		await desk.agent.post(`/v1/asks/${ask.id}/replies`, { text: 'The blue one.' });
		await desk.marie.post(`/v1/asks/${ask.id}/replies`, { text: 'Which?' });
		await me.action('thread.open');
		await me.page.getByRole('textbox', { name: me.t('thread.text') }).waitFor();
	},
	'assigned and claimed': async (me, desk) => {
		const ask = await desk.agent.ask(yesNo);
		await desk.marie.post(`/v1/asks/${ask.id}/claim`);
		await me.look(ask);
		await me.press(me.page.locator('summary', { hasText: me.t('ask.assign') }));
		await me.check(me.page.getByRole('checkbox', { name: 'Marie' }));
		await me.page.locator('.chip', { hasText: 'Marie' }).waitFor();
	},
	'an ask in another tool’s words': async (me, desk) => {
		const { body } = await desk.agent.post('/v1/asks?dialect=ask_user_question',
			{ questions: [{ question: 'Which colour', header: 'Colour', options: ['Red', 'Blue'] }] });
		await me.page.goto(`/asks/${body.id}`);
		await me.press(me.region('origin').locator('summary'));
	},
	'an answered ask': async (me, desk) => {
		const ask = await me.open(approval('medium'));
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: { value: 'approve', arguments: { command: 'make', depth: 1 } } });
		await me.region('settled').waitFor();
	},
	'an expired ask and its follow-up': async (me, desk) => {
		const ask = await me.open({ question: 'In time?', type: 'text', timeout: '10m' });
		await me.write(me.page.getByRole('textbox', { name: 'In time?' }), 'nearly');
		await me.text('form.saved').waitFor();
		desk.server.jump(11 * 60_000);
		await desk.settled(ask.id);
		await me.region('settled').waitFor();
		const box = me.page.getByRole('textbox', { name: me.t('late.text') });
		if (!await box.count()) await me.press(me.button('late.open'));
		await box.waitFor();
	},
	'the keys': async (me) => {
		await me.visit('/inbox');
		await me.key('?');
		await me.dialog.waitFor();
	},
	'the palette': async (me, desk) => {
		await desk.agent.ask(yesNo);
		await me.visit('/inbox');
		await me.key('Control+k', 'a', 'g'); // before it is there: for no card
		await until(async () => await me.dialog.getByRole('combobox').inputValue() === 'ag', 'what was typed early');
		await me.dialog.getByRole('option').first().waitFor();
	},
	'the menu of who is here': async (me) => {
		await me.visit('/sessions');
		const nav = me.page.getByRole('navigation').first(), more = nav.getByRole('button', { name: me.t('nav.more') });
		if (!me.wide) await me.press(more);
		await me.press(nav.getByRole('button', { name: me.t('person') }));
		await me.page.getByRole('dialog', { name: me.t('person') }).waitFor();
	},
	'a session': async (me, desk) => {
		const session = await desk.agent.session('whole', { project: 'apollo' });
		for (let i = 0; i < 30; i++) await desk.agent.post(`/v1/sessions/${session.id}/progress`, { text: `step ${i}`, step: i, steps: 30 });
		await desk.agent.ask({ ...yesNo, session: session.id });
		await me.visit(`/sessions/${session.id}`);
		await me.region('chat').getByRole('article').waitFor();
	},
	'insights': async (me, desk) => {
		await desk.agent.ask({ ...approval('low'), operation: { name: 'shell.exec', risk: 'low', arguments: { timeout_s: 3 } } });
		await me.visit('/insights');
		await me.text('insights.median').waitFor();
	},
	'agents, with a new token': async (me, desk) => {
		await desk.agent.session('known');
		await me.visit('/agents?new=token');
		await me.check(me.named('radio', 'first.other'));
		await me.write(me.page.getByRole('textbox', { name: me.t('agents.new') }), 'newcomer');
		await me.press(me.button('tokens.create'));
		await me.page.getByText(/^prl_/).waitFor();
	},
	'settings': (me) => me.visit('/settings'),
	'settings: keys': (me) => me.visit('/settings/keys'),
	'settings: people, with a new link': async (me) => {
		await me.visit('/settings/users');
		await me.press(me.button('users.link.for', { name: 'owner' }));
		await me.page.getByText('/login#').waitFor();
	},
	'settings: teams': async (me, desk) => {
		await desk.admin.post('/v1/teams', { name: 'web', projects: ['web-*'] });
		await me.visit('/settings/teams');
		await me.page.getByRole('heading', { name: 'web', exact: true }).waitFor();
	},
	'history': async (me, desk) => {
		const ask = await desk.agent.ask(yesNo);
		await desk.marie.post(`/v1/asks/${ask.id}/skip`);
		await me.visit('/history');
		await me.page.locator('.history').getByRole('listitem').first().waitFor();
	},
	'a settled approval in the history': async (me, desk) => {
		const ask = await desk.agent.ask(approval('medium'));
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: { value: 'approve', arguments: { command: 'make', depth: 1 } } });
		await me.visit(`/history/${ask.id}`);
		await me.heading(ask.title).waitFor();
		for (const fold of await me.page.locator('main details:not([open]) > summary').all()) if (await fold.isVisible()) await me.press(fold);
	},
	'the first run': (me) => me.visit('/start'),
	'settings: every page': async (me) => {
		for (const page of ['channels', 'routes', 'providers', 'templates', 'servers', 'security', 'data', 'deliveries']) {
			await me.visit(`/settings/${page}`);
			await me.page.waitForLoadState('networkidle');
			if (page !== 'deliveries') assert.deepEqual(await complaints(me), [], page);
		}
	},
	'a title of 200 characters': (me) => me.open({ ...approval('critical'), title: 'A title that goes on and on, and on '.repeat(6).slice(0, 200) }),
	'no such ask': (me) => me.visit('/asks/ask_00000000000000000000000000'),
	'no such page': async (me) => {
		await me.visit('/settings');
		await me.visitInside('/nowhere');
		await me.heading(me.t('lost')).waitFor();
	},
	'an ask on paper': async (me, desk) => {
		const ask = await desk.agent.ask(approval('high'));
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: { value: 'reject', text: 'Not on a Friday' } });
		await me.look(ask);
		await me.page.emulateMedia({ media: 'print' });
	},
};

const how = bypass;
const inBoth = { ...how, resizes: true };

area('axe finds nothing', (scenario) => {
	for (const [name, arrange] of Object.entries(screens))
		scenario(name, { ...inBoth, settings: { opens: name.startsWith('a dialog') || name === 'toasts' } }, async (me, desk) => {
			await arrange(me, desk);
			assert.deepEqual(await complaints(me), []);
			await me.page.emulateMedia({ media: null, colorScheme: 'light' });
		});

	scenario('titles of 200 characters, wherever they are shown', inBoth, async (me, desk) => {
		const long = 'A title that goes on and on, and on '.repeat(6).slice(0, 200);
		const session = await desk.agent.session(long, { project: 'apollo' });
		const settled = await desk.agent.ask({ session: session.id, title: long, ...yesNo });
		await desk.marie.post(`/v1/asks/${settled.id}/answer`, { answer: true });
		await desk.agent.ask({ session: session.id, title: long, ...yesNo });
		for (const path of ['/inbox', '/sessions', `/sessions/${session.id}`, '/history', '/activity', '/rules']) {
			await me.visit(path);
			if (path !== '/rules') await me.page.locator('main').getByText(long.slice(0, 60)).first().waitFor();
			assert.deepEqual(await complaints(me), [], path);
			assert.ok(await me.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is wider than the window`);
		}
	});

	scenario('Tab gets to all that can be pressed, but for the other rows of a list', { ...how, input: 'keyboard' }, async (me, desk) => {
		await desk.agent.ask(approval('low'));
		for (const path of ['/inbox', '/sessions', '/history', '/agents', '/rules', '/settings']) {
			await me.visit(path);
			await me.page.waitForLoadState('networkidle');
			const stops = await me.page.evaluate(() => {
				window.reached = new Set();
				document.addEventListener('focusin', ({ target }) => window.reached.add(target));
				return document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]').length;
			});
			const missing = () => me.page.evaluate(() => [...document.querySelectorAll(
				'a[href], button, input, select, textarea, summary, [role=tab], [role=menuitem], [role=option], [tabindex="0"]')]
				.filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest('[inert]'))
				.filter((one) => !window.reached.has(one)
					/* One stop for a list, a group of radios, tabs or a menu: arrows lead on. */
					&& !(one.tabIndex < 0 && one.closest('ul, ol, [role=tablist], [role=menu], [role=listbox], [role=radiogroup]'))
					&& !(one.type === 'radio' && [...window.reached].some((other) => other.name === one.name)))
				.map((one) => `${one.tagName} ${one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 40)}`));
			/* A field of a date has several stops. */
			for (let i = 0; i < stops + 30; i++) {
				await me.key('Tab');
				if (i % 20 === 19 && !(await missing()).length) break;
			}
			assert.deepEqual(await missing(), [], path);
		}
	});

	scenario('a viewer’s ask', { ...inBoth, user: 'Vera' }, async (me) => {
		await me.open(several);
		assert.deepEqual(await complaints(me), []);
	});

	scenario('answers that wait, and one that lost', { resizes: true }, async (me, desk) => {
		const session = await desk.agent.session('offline');
		const asks = [];
		for (const title of ['One', 'Two']) asks.push(await desk.agent.ask({ session: session.id, title, ...yesNo }));
		await beside(me, how, async (own) => {
			await own.visit('/inbox');
			await own.page.route('**/v1/asks/*/answer', (route) => route.abort());
			for (const ask of asks) {
				await own.visitInside(`/asks/${ask.id}`);
				await own.heading(ask.title).waitFor();
				await own.check(own.page.getByRole('radio', { name: own.t('form.yes') }));
				await own.send();
				await own.row(ask.title).getByText(own.t('outbox.row')).waitFor({ state: 'attached' });
			}
			await own.visitInside(`/asks/${asks[1].id}`);
			await own.button('outbox.take').waitFor();
			assert.deepEqual(await complaints(own), []);
			await desk.marie.post(`/v1/asks/${asks[0].id}/answer`, { answer: false });
			await own.page.unroute('**/v1/asks/*/answer');
			await own.visit('/inbox');
			await own.region('outbox.conflict').waitFor();
			assert.deepEqual(await complaints(own), []);
		});
	});

	scenario('first run, and no session yet', { resizes: true }, async (me) => {
		const server = await Server.start();
		await beside(me, { ...how, server }, async (own) => {
			await own.heading(own.t('first')).waitFor();
			assert.deepEqual(await complaints(own), []);
			await own.visit('/sessions');
			await own.text('sessions.empty').waitFor();
			assert.deepEqual(await complaints(own), []);
		});
		await server.end();
	});

	scenario('logging in, and refused', { resizes: true }, async (me) => {
		await beside(me, { ...how, user: null }, async (own) => {
			await own.page.goto('/login');
			await own.button('login.enter').waitFor();
			assert.deepEqual(await complaints(own), []);
			await own.write(own.page.getByRole('textbox', { name: own.t('login.name') }), 'owner');
			await own.write(own.page.getByLabel(own.t('login.password')), 'wrong password');
			await own.press(own.button('login.enter'));
			await own.text('login.wrong').waitFor();
			assert.deepEqual(await complaints(own), []);
		});
	});
}, { furnish: (desk) => desk.client('viewer', 'Vera'), stands: true });
