// With the line to the server and without it: outbox, tabs, what is loaded.
import assert from 'node:assert/strict';
import { fillInbox, FIRST_LOAD, firstLoad, until, watch, watchFirstList } from './lib.mjs';
import { area, beside, Desk } from './matrix.mjs';

const TABS = 10;

/** The titles that the page has kept for when there is no server. */
const kept = (page) => page.evaluate(() => new Promise((done, fail) => {
	const open = indexedDB.open('parley');
	open.onerror = () => fail(open.error);
	open.onsuccess = () => {
		if (!open.result.objectStoreNames.contains('kept')) return done([]);
		const get = open.result.transaction('kept').objectStore('kept').get('inbox');
		get.onsuccess = () => done((get.result ?? []).map((ask) => ask.questions[0].text));
	};
}));

async function streams(desk) {
	desk.meter ??= await desk.server.token('admin', 'meter');
	const reply = await fetch(`${desk.server.url}/metrics`, { headers: { authorization: `Bearer ${desk.meter}` } });
	return Number((await reply.text()).match(/^parley_streams (\d+)/m)[1]);
}

area('connection', (scenario) => {
	scenario('without it: the inbox is kept, answers wait and are sent, a conflict shows both', async (me, desk) => {
		const session = await desk.agent.session('offline');
		const asks = {};
		for (const question of ['Sent later?', 'Lost the race?', 'Taken back?'])
			asks[question] = await desk.agent.ask({ session: session.id, question, type: 'boolean' });
		await beside(me, { serviceWorkers: 'allow' }, async (own) => {
			await own.page.evaluate(() => navigator.serviceWorker.ready);
			await own.visit('/inbox');
			await until(async () => (await kept(own.page)).length === 3, 'the inbox, kept');
			await own.context.setOffline(true);
			await own.page.reload();
			await own.text('line.lost').waitFor();
			for (const title of Object.keys(asks)) {
				await own.press(own.row(title).getByRole('link'));
				await own.heading(title).waitFor();
				await own.check(own.page.getByRole('radio', { name: own.t('form.yes') }));
				await own.send();
				await own.row(title).getByText(own.t('outbox.row')).waitFor();
			}
			await own.page.getByText(own.tn('outbox', 3)).first().waitFor();
			await own.page.reload();
			await own.page.getByText(own.tn('outbox', 3)).first().waitFor();
			await own.press(own.row('Taken back?').getByRole('link'));
			await own.press(own.button('outbox.take'));
			await own.page.getByRole('radio', { name: own.t('form.yes') }).waitFor();
			await desk.marie.post(`/v1/asks/${asks['Lost the race?'].id}/answer`, { answer: false });
			await own.context.setOffline(false);
			assert.deepEqual(await desk.answer(asks['Sent later?'].id), { value: true });
			await own.visitInside('/inbox');
			const conflict = own.region('outbox.conflict');
			await conflict.getByText('Lost the race?').waitFor();
			await conflict.getByText(own.t('form.yes'), { exact: true }).waitFor();
			await conflict.getByText(own.t('form.no'), { exact: true }).waitFor();
			await own.press(own.button('outbox.dismiss', {}, conflict));
			await conflict.waitFor({ state: 'detached' });
			await desk.pending(asks['Taken back?'].id);
		});
	});

	scenario('an answer that the server did not take goes out by itself, while the line lives', async (me, desk) => {
		const ask = await me.open({ question: 'Heard once?', type: 'boolean' });
		let tries = 0;
		await me.page.route('**/v1/asks/*/answer', (route) => (++tries < 3 ? route.fulfill({ status: 503 }) : route.continue()));
		await me.check(me.page.getByRole('radio', { name: me.t('form.yes') }));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { value: true });
		assert.equal(tries, 3);
		await me.page.unroute('**/v1/asks/*/answer');
	});

	scenario('who has left while an answer was on its way is not led back', async (me, desk) => {
		const ask = await me.open({ question: 'Still here?', type: 'boolean' });
		let release;
		const held = new Promise((done) => (release = done));
		await me.page.route('**/v1/asks/*/answer', async (route) => {
			await held;
			await route.continue();
		});
		await me.check(me.page.getByRole('radio', { name: me.t('form.yes') }));
		await me.send();
		await me.visitInside('/sessions');
		const taken = me.page.waitForResponse('**/v1/asks/*/answer');
		release();
		await taken;
		await me.page.locator('.toast').first().waitFor();
		assert.equal(new URL(me.page.url()).pathname, '/sessions');
		assert.deepEqual(await desk.answer(ask.id), { value: true });
		await me.page.unroute('**/v1/asks/*/answer');
	});

	scenario('ten tabs, one stream; when its tab closes another takes over', async (me) => {
		/* A server counts streams also of tabs that have just closed: this one has had no others. */
		const desk = await new Desk().open([]);
		await desk.agent.ask({ question: 'Before all?', type: 'boolean' });
		await desk.clear(); // past the first run
		await beside(me, { server: desk.server }, async (own) => {
			const tabs = [own.page];
			while (tabs.length < TABS) {
				const tab = await own.context.newPage();
				watch(tab, own.errors);
				await tab.goto('/inbox');
				await own.live(tab);
				tabs.push(tab);
			}
			await until(async () => await streams(desk) === 1, 'one stream');
			const ask = await desk.agent.ask({ question: 'In every tab?', type: 'boolean' });
			const row = (tab) => tab.getByRole('list', { name: own.t('inbox.asks') }).getByRole('listitem').filter({ hasText: 'In every tab?' });
			for (const tab of tabs) await row(tab).waitFor();
			await tabs.shift().close();
			await until(async () => await streams(desk) === 1, 'one stream again');
			await desk.admin.post(`/v1/asks/${ask.id}/skip`);
			/* Beside the list its card is looked at, and stays. */
			for (const tab of tabs) {
				if (own.wide) await row(tab).getByText(own.settledBy('skipped', 'root')).waitFor();
				else await row(tab).waitFor({ state: 'detached' });
			}
		}).finally(() => desk.close());
	});

	scenario('what is looked at is fetched once, and what another tab fetched not at all', async (me, desk) => {
		const session = await desk.agent.session('at rest');
		const settled = await desk.agent.ask({ session: session.id, question: 'Long settled?', type: 'boolean' });
		await desk.marie.post(`/v1/asks/${settled.id}/answer`, { answer: true });
		await beside(me, {}, async (own) => {
			const asked = [];
			own.context.on('request', (request) => asked.push(request.url().slice(desk.server.url.length)));
			const times = (ask) => asked.filter((path) => path === `/v1/asks/${ask.id}`).length;
			await own.visit(`/asks/${settled.id}`);
			await own.page.waitForURL(`**/history/${settled.id}`); // where what is settled is
			await own.heading('Long settled?').waitFor();
			const tab = await own.context.newPage();
			watch(tab, own.errors);
			await tab.goto('/sessions');
			await own.live(tab);
			for (const question of ['First of all?', 'And then?']) {
				const ask = await desk.agent.ask({ session: session.id, question, type: 'boolean' });
				for (const page of [own.page, tab]) await page.getByText(question).first().waitFor({ state: 'attached' });
				assert.equal(times(ask), 1, question);
			}
			assert.equal(times(settled), 1);
			/* A session made for one ask ends with it, which is told by its answer: nobody asks what it was. */
			const alone = await desk.agent.ask({ question: 'All alone?', type: 'boolean' });
			await desk.marie.post(`/v1/asks/${alone.id}/answer`, { answer: true });
			await desk.agent.ask({ session: session.id, question: 'And last?', type: 'boolean' });
			for (const page of [own.page, tab]) await page.getByText('And last?').first().waitFor({ state: 'attached' });
			assert.deepEqual(asked.filter((path) => path.startsWith('/v1/sessions/')), []);
		});
	});

	scenario('two tabs: what is answered in one is gone in the other', async (me, desk) => {
		await beside(me, { settings: { opens: true } }, async (own) => {
			const other = await own.context.newPage();
			watch(other, own.errors);
			for (const tab of [own.page, other]) {
				await tab.goto('/activity');
				await own.live(tab);
			}
			const ask = await desk.agent.ask({ question: 'In both?', type: 'boolean' });
			for (const tab of [own.page, other]) await tab.getByRole('dialog').getByRole('heading', { name: 'In both?' }).waitFor();
			await own.page.bringToFront();
			await own.check(own.dialog.getByRole('radio', { name: own.t('form.yes') }));
			await own.send(own.dialog.locator('[type=submit]'));
			assert.deepEqual(await desk.answer(ask.id), { value: true });
			await own.dialog.waitFor({ state: 'hidden' });
			await other.getByRole('dialog').getByText(own.settledBy('answered', 'owner')).first().waitFor();
			for (const tab of [own.page, other]) await own.tabSays(0, tab);
		});
	});

	scenario('an ask told while its reading fails is fetched again', async (me, desk) => {
		let refused = 0;
		await beside(me, {}, async (own) => {
			await own.live();
			await own.context.route(/\/v1\/asks\/ask_/, (route) => (refused++ < 2 ? route.abort() : route.continue()));
			await desk.agent.ask({ question: 'Still there?', type: 'boolean' });
			await own.row('Still there?').waitFor();
		});
		assert.ok(refused > 2);
	});

	scenario('nobody else is ever asked for anything', async (me) => {
		const foreign = [];
		await beside(me, {}, async (own) => {
			own.page.on('request', (request) => {
				if (!request.url().startsWith(me.desk.server.url) && !request.url().startsWith('data:')) foreign.push(request.url());
			});
			for (const path of ['/inbox', '/sessions', '/activity', '/insights', '/agents', '/settings', '/settings/users'])
				await own.visit(path);
		});
		assert.deepEqual(foreign, []);
	});

	scenario('at most 60 KB of script and style, 25 KB of data and 12 requests, and nothing but the list and its reader, before the list is painted', async (me, desk) => {
		await fillInbox(desk.server, 50);
		await beside(me, { user: null }, async (own) => {
			await own.context.addCookies([await desk.server.cookie()]);
			await own.page.addInitScript(watchFirstList);
			/* The tables behind these take longer to load than the list to draw. */
			await own.page.addInitScript(() => {
				window.slow = [];
				for (const [holder, name] of [[Intl, 'NumberFormat'], [Intl, 'DateTimeFormat'], [Intl, 'PluralRules'], [Number.prototype, 'toLocaleString']])
					holder[name] = new Proxy(holder[name], {
						apply: (made, ...how) => (window.slow.push(name), Reflect.apply(made, ...how)),
						construct: (made, ...how) => (window.slow.push(name), Reflect.construct(made, ...how)),
					});
				void window.painted.then(() => (window.slowFirst = [...window.slow]));
			});
			await own.page.goto('/inbox');
			const painted = await own.page.evaluate(() => window.painted);
			const { code, data, requests } = await own.page.evaluate(firstLoad, painted);
			assert.ok(code > 20 * 1024 && code <= FIRST_LOAD.code, `${code} bytes of script and style`);
			assert.ok(data > 1024 && data <= FIRST_LOAD.data, `${data} bytes of data`);
			assert.ok(requests > 3 && requests <= FIRST_LOAD.requests, `${requests} requests`);
			assert.deepEqual(await own.page.evaluate(() => window.slowFirst), []);
			const called = await own.page.evaluate(({ begun }) => performance.getEntriesByType('resource')
				.filter((one) => one.startTime <= begun)
				.map((one) => `${one.initiatorType} ${new URL(one.name).pathname}`)
				.filter((what) => what.includes(' /v1/')).sort(), painted);
			/* Along with the page, and not once more by its scripts. */
			assert.deepEqual(called, ['link /v1/asks', 'link /v1/me']);
		});
	});
});
