// A real browser with a push service, offline: Firefox subscribes on the page, decrypts what comes, shows it, and its end.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { until, useServer } from '../api/lib/server.mjs';
import { PushServer } from './push_server.mjs';

test('Firefox subscribes, decrypts and shows a question, and replaces it by its end', async () => {
	const service = await new PushServer().open();
	const server = await useServer({ flags: ['--webhook-internal', '127.0.0.0/8', '--push-subject', 'mailto:ops@example.org'] });
	const [link] = await until(() => server.output.match(/http:\/\/\S+\/login#\S+/), 'the link');
	const home = mkdtempSync(join(tmpdir(), 'parley-firefox-'));
	const browser = await puppeteer.launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true,
		env: { ...process.env, HOME: home, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
		extraPrefsFirefox: { 'dom.push.serverURL': `ws://127.0.0.1:${service.port}/`, 'dom.push.testing.allowInsecureServerURL': true,
			'dom.push.enabled': true, 'dom.push.connection.enabled': true, 'permissions.default.desktop-notification': 1,
			'dom.serviceWorkers.testing.enabled': true, 'alerts.useSystemBackend': false, 'intl.locale.requested': 'en-US' } });
	after(async () => {
		await browser.close();
		rmSync(home, { recursive: true, force: true });
	});
	const page = await browser.newPage();
	await page.goto(link);
	// Not waitForFunction: what it runs in the page is forbidden by the page's policy.
	await until(() => page.evaluate(() => location.pathname !== '/login'), 'logged in');
	await page.goto(`${server.url}/settings/channels`);
	const button = await page.waitForSelector('::-p-text(Notify this browser)');
	await button.click();
	const contacts = () => page.evaluate(async () => (await (await fetch('/v1/me/contacts')).json()).items);
	const [contact] = await until(async () => (await contacts()).length && contacts(), 'the contact');
	assert.deepEqual([contact.channel, contact.address, contact.verified], ['push', '127.0.0.1', true]);

	const { admin, agent } = server;
	const { version } = (await admin.get('/v1/routes')).body;
	await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`contact:${contact.id}`], when: 'always' }] }] });
	const ask = await agent.ask({ title: 'Ship «it»', question: 'Go?', type: 'boolean' });
	const shown = () => page.evaluate(async () => {
		const list = await (await navigator.serviceWorker.ready).getNotifications();
		return list.map(({ title, body, tag, silent, data }) => ({ title, body, tag, silent, settled: Boolean(data.settled), actions: data.actions?.length ?? 0 }));
	});
	const [first] = await until(async () => { const all = await shown(); return all.length && all; }, 'the notification');
	assert.deepEqual([first.title, first.tag, first.settled, first.actions], ['Ship «it» (builder)', ask.id, false, 2]);
	assert.match(first.body, /Go\?/);
	await until(() => service.acks.length === 1, 'Firefox took it');
	assert.equal(service.acks[0].code, 100, 'decrypted and given to the worker');
	await admin.answer(ask, { q1: true });
	// It is there for 5 s: a machine that is slower than that sees it gone.
	const end = await until(async () => {
		const all = await shown();
		return service.acks.length === 2 && (!all.length || all.find((one) => one.settled)) && (all[0] ?? 'gone');
	}, 'its end');
	assert.equal(service.acks[1].code, 100);
	if (end !== 'gone') {
		assert.match(end.body, /Answered by ada/);
		assert.equal(end.tag, ask.id);
	}
	await until(async () => !(await shown()).length, 'it closes by itself');
	assert.ok(service.taken.every((one) => one.status === 201 && /^vapid t=/.test(one.headers.authorization)));
});
