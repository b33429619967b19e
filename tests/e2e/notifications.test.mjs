// Notifications of the browser: when they come, where a click leads, and when they go.
import assert from 'node:assert/strict';
import { PushService } from '../api/lib/push.mjs';
import { hide, notices, notified, until, watch } from './lib.mjs';
import { area, beside, useWholeBrowser } from './matrix.mjs';

useWholeBrowser();

/**
 * Chromium drops a notification that is looked for while it is on its way to be shown. So nobody looks
 * before: `target`, a page or the worker, notes each once it is shown, and `told` waits for the nth.
 */
const note = (target) => target.evaluate(() => {
	const { prototype } = ServiceWorkerRegistration;
	const show = prototype.showNotification;
	self.told = 0;
	prototype.showNotification = async function (...args) {
		await show.apply(this, args);
		self.told++;
	};
});
const told = (target, n) => until(() => target.evaluate((least) => self.told >= least, n), `notification ${n}`);

/** What the worker shows, whole. */
const shown = (worker) => worker.evaluate(async () => {
	const list = await self.registration.getNotifications();
	return list.map(({ title, body, tag, silent, actions }) => ({ title, body, tag, silent, actions: actions.map((one) => one.title) }));
});

/** Hands a message to the worker as the browser does when its push service brings one. */
async function deliverer(own) {
	const session = await own.context.newCDPSession(own.page);
	const registered = new Promise((done) => session.on('ServiceWorker.workerRegistrationUpdated',
		({ registrations }) => registrations[0] && done(registrations[0].registrationId)));
	await session.send('ServiceWorker.enable');
	const registrationId = await registered;
	const origin = new URL(own.page.url()).origin;
	return (message) => session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
}

area('notifications', (scenario) => {
	scenario('a notification when hidden: a click opens its ask, and it goes when that is settled elsewhere', async (me, desk) => {
		await beside(me, { ...notified, settings: { opens: true } }, async (own) => {
			await own.page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
			await hide(own.page);
			await note(own.page);
			const ask = await desk.agent.ask({ question: 'Are you there?', type: 'boolean' });
			await told(own.page, 1);
			assert.deepEqual(await notices(own.page),
				[{ title: own.t('toast.asks', { agent: 'deployer' }), body: 'Are you there?', data: `/asks/${ask.id}` }]);
			assert.equal(await own.dialog.count(), 0);
			await own.tabSays(1);
			await own.context.serviceWorkers()[0].evaluate(async () => {
				const [notification] = await self.registration.getNotifications();
				self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
			});
			await own.page.waitForURL(`**/asks/${ask.id}`);
			await own.page.getByRole('heading', { level: 1, name: 'Are you there?' }).waitFor();
			assert.deepEqual(await notices(own.page), []);
			const other = await desk.agent.ask({ question: 'And now?', type: 'boolean' });
			await told(own.page, 2);
			await own.tabSays(2);
			assert.equal((await notices(own.page)).length, 1);
			await desk.admin.post(`/v1/asks/${other.id}/skip`);
			await until(async () => !(await notices(own.page)).length, 'gone');
			await own.tabSays(1);
			/* Of an approval: how grave, until when, and what would run. */
			const grave = await desk.agent.ask({ kind: 'approval', title: 'Send it', timeout: '9m',
				operation: { name: 'mail.send', risk: 'high', arguments: { to: 'all' } } });
			await told(own.page, 3);
			const [{ body }] = await notices(own.page);
			for (const part of ['Send it', own.t('risk.high'), own.t('inbox.until', { at: '' }).trim(), 'mail.send'])
				assert.ok(body.includes(part), `${part} in ${body}`);
			await desk.admin.post(`/v1/asks/${grave.id}/skip`);
		});
	});

	scenario('a click on a notification comes to the window one is at, and opens one when there is none', async (me, desk) => {
		await beside(me, notified, async (own) => {
			await own.page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
			const [worker] = own.context.serviceWorkers();
			/* No window may be focused without a finger on a real notification: who is called is noted. */
			await worker.evaluate(() => {
				WindowClient.prototype.focus = async function () { self.called.push(['focus', this.id]); };
				Object.defineProperty(self.clients, 'openWindow', { value: async (path) => { self.called.push(['open', path]); } });
			});
			const click = async (data) => {
				await worker.evaluate(async (to) => {
					await self.registration.showNotification('deployer', { data: to });
					const notification = (await self.registration.getNotifications()).find((one) => one.data === to);
					self.called = [];
					self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
				}, data);
				return until(() => worker.evaluate(() => self.called.length && self.called), 'somebody is called');
			};
			const session = await desk.agent.session('clicked');
			const ask = async (question) => `/asks/${(await desk.agent.ask({ session: session.id, question, type: 'boolean' })).id}`;
			const [first, second, third] = [await ask('First?'), await ask('Second?'), await ask('Third?')];
			const other = await own.context.newPage();
			watch(other, own.errors);
			await other.goto('/inbox');
			await other.getByRole('navigation').first().waitFor();
			/* Of the server, too, but nothing that could show an ask. */
			const bare = await own.context.newPage();
			await bare.goto('/openapi.json');
			/* Otherwise every page believes that it has the focus. */
			for (const page of [own.page, other, bare])
				await (await own.context.newCDPSession(page)).send('Emulation.setFocusEmulationEnabled', { enabled: false });
			const called = [];
			for (const [page, path] of [[own.page, first], [other, second]]) {
				await page.bringToFront();
				called.push(...await click(path));
				await page.waitForURL(`**${path}`);
			}
			assert.deepEqual(called.map(([what]) => what), ['focus', 'focus']);
			assert.notEqual(called[0][1], called[1][1], 'each its own window');
			assert.match(bare.url(), /openapi/);
			for (const page of [own.page, other]) await page.close();
			assert.deepEqual(await click(third), [['open', third]]);
		});
	});

	scenario('progress, too, for who switched it on: at most one a minute and session', async (me, desk) => {
		const [one, two] = [await desk.agent.session('Nightly build'), await desk.agent.session('Backup')];
		const says = (session, text) => desk.agent.post(`/v1/sessions/${session.id}/progress`, { text });
		await beside(me, notified, async (own) => {
			await own.visitLive('/settings/you');
			await own.page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
			await own.check(own.page.getByRole('checkbox', { name: own.t('you.progress') }));
			await hide(own.page);
			await note(own.page);
			await says(one, 'Compiling');
			await told(own.page, 1);
			await says(one, 'Linking');
			await says(two, 'Copying');
			await told(own.page, 2);
			assert.deepEqual((await notices(own.page)).sort((a, b) => (a.body < b.body ? -1 : 1)),
				[['Nightly build', 'Compiling', one], ['Backup', 'Copying', two]].map(([title, body, { id }]) =>
					({ title: own.t('colon', { words: 'deployer', text: title }), body, data: `/sessions/${id}` })));
		});
	});

	scenario('no notification while the page is in sight, or another tab of it', async (me, desk) => {
		await beside(me, { ...notified, settings: { opens: true } }, async (own) => {
			const first = await desk.agent.ask({ question: 'In sight?', type: 'boolean' });
			await own.row('In sight?').waitFor();
			assert.deepEqual(await notices(own.page), []);
			await desk.admin.post(`/v1/asks/${first.id}/skip`);
			const other = await own.context.newPage();
			watch(other, own.errors);
			await other.goto('/activity');
			await own.live(other);
			await hide(own.page);
			await desk.agent.ask({ question: 'In the other?', type: 'boolean' });
			await other.getByRole('dialog').waitFor();
			await own.row('In the other?').waitFor();
			assert.deepEqual(await notices(own.page), []);
		});
	});

	scenario('the browser is asked for notifications on a press only', async (me) => {
		await me.visit('/activity');
		await me.page.evaluate(() => {
			window.asked = 0;
			Object.defineProperty(Notification, 'permission', { configurable: true, get: () => 'default' });
			Notification.requestPermission = async () => (window.asked++, 'granted');
		});
		await me.press(await me.navLink('settings'));
		const allow = me.button('you.notify.allow');
		await allow.waitFor();
		assert.equal(await me.page.evaluate(() => window.asked), 0);
		await me.press(allow);
		await allow.waitFor({ state: 'detached' });
		assert.equal(await me.page.evaluate(() => window.asked), 1);
	});

	scenario('this browser is subscribed, a button answers, and the end replaces the question', async (me, desk) => {
		const service = await new PushService().open();
		const browser = service.browser(`e2e${Date.now()}`);
		await beside(me, notified, async (own) => {
			/* No push service is reached from here: the browser's part of subscribing is played. */
			await own.page.addInitScript((subscription) => {
				let made = null;
				PushManager.prototype.getSubscription = async () => made;
				PushManager.prototype.subscribe = async (options) => {
					window.subscribedWith = options;
					made = { toJSON: () => subscription, unsubscribe: async () => { made = null; return true; } };
					return made;
				};
			}, browser.subscription);
			await own.visit('/settings/channels');
			await own.page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
			await own.visit('/settings/channels');
			await own.press(own.page.getByRole('button', { name: own.t('push.on'), exact: true }));
			await own.page.getByText(own.t('push.here')).waitFor();
			const options = await own.page.evaluate(() => window.subscribedWith);
			assert.deepEqual([options.userVisibleOnly, options.applicationServerKey.length], [true, 87]);
			const deliver = await deliverer(own);
			const [worker] = own.context.serviceWorkers();
			await note(worker);
			await own.press(own.page.getByRole('button', { name: own.t('channels.test') }));
			await deliver(await browser.some(1));
			await told(worker, 1);
			assert.equal((await shown(worker)).length, 1);

			const routes = (await desk.admin.get('/v1/routes')).body;
			const { body: person } = await desk.admin.get('/v1/users');
			const ours = person.items.find((one) => one.name === 'owner');
			await fetch(`${desk.server.url}/v1/routes`, { method: 'PUT',
				headers: { authorization: `Bearer ${await desk.server.token('admin', 'routes')}`, 'content-type': 'application/json' },
				body: JSON.stringify({ version: routes.version, items: [{ match: {},
					steps: [{ after: '0s', to: [`user:${ours.id}`], when: 'always' }] }] }) });
			const ask = await desk.agent.ask({ question: 'Go on?', type: 'boolean', timeout: '10m' });
			await deliver(await browser.some(2));
			await told(worker, 2);
			const asked = (await shown(worker)).find((one) => one.tag === ask.id);
			assert.deepEqual([asked.title, asked.actions.length], ['Go on? (deployer)', 2]);
			await own.tabSays(1);
			await worker.evaluate(async (tag) => {
				const [notification] = await self.registration.getNotifications({ tag });
				self.dispatchEvent(new NotificationEvent('notificationclick', { notification, action: '0' }));
			}, ask.id);
			const settled = await desk.settled(ask.id);
			assert.deepEqual([settled.answer.q1.value, settled.answered_by.via], [true, 'push']);
			await own.tabSays(0);
			await worker.evaluate(() => { self.setTimeout = (run) => { self.over = run; }; });
			const last = await browser.some(3);
			await deliver(last);
			await told(worker, 3);
			const end = (await shown(worker)).find((one) => one.tag === ask.id);
			assert.deepEqual([end.silent, end.actions], [true, []]);
			await worker.evaluate(() => self.over());
			await until(async () => !(await shown(worker)).some((one) => one.tag === ask.id), 'it closes by itself');

			/* A page that hears of the end later leaves what is said of it. */
			const late = await desk.agent.ask({ question: 'And then?', type: 'boolean' });
			await own.tabSays(1);
			await deliver({ ...last, tag: late.id });
			await told(worker, 4);
			await desk.admin.post(`/v1/asks/${late.id}/skip`);
			await own.tabSays(0);
			assert.ok((await shown(worker)).some((one) => one.tag === late.id));

			/* A button of a question that has ended says so; no page is there to take it away. */
			await own.page.goto('/openapi.json');
			await deliver({ ...browser.got[1], tag: ask.id });
			await told(worker, 5);
			await worker.evaluate(async (tag) => {
				const [notification] = await self.registration.getNotifications({ tag });
				self.dispatchEvent(new NotificationEvent('notificationclick', { notification, action: '1' }));
			}, ask.id);
			await told(worker, 6);
			assert.equal((await shown(worker)).find((one) => one.tag === ask.id).body, browser.got[1].ended);
			await own.visit('/settings/channels');
		});
	});

	scenario('the page can be installed', async (me) => {
		await beside(me, notified, async (own) => {
			await own.page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
			const session = await own.context.newCDPSession(own.page);
			const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
			/* A context of its own is as private as an incognito window. */
			assert.deepEqual(installabilityErrors.map((one) => one.errorId).filter((id) => id !== 'in-incognito'), []);
			const { data, errors } = await session.send('Page.getAppManifest');
			assert.deepEqual(errors, []);
			assert.equal(JSON.parse(data).display, 'standalone');
		});
	});
}, { flags: ['--webhook-internal', '127.0.0.0/8', '--push-subject', 'mailto:ops@example.org'] });
