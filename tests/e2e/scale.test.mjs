// Ten thousand pending asks: few rows in the document, and scrolling stays smooth.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { crowd, enter, launch, Server, until } from './lib.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const MANY = Number(process.env.ASKS ?? (long ? 10_000 : 2_000));
let server, browser;
before(async () => {
	server = await Server.start();
	browser = await launch();
	await crowd(server, MANY);
}, { timeout: 120_000 });
after(async () => {
	await browser?.close();
	await server?.stop();
});

test(`${MANY} pending asks, at most 100 rows`, { timeout: 60_000 }, async () => {
	const { page, context, t, errors } = await enter(browser, server);
	await until(async () => (await page.getByRole('heading', { level: 1 }).first().innerText())
		.includes(MANY.toLocaleString('en')), 'all of them', 40_000);
	const list = page.getByRole('list', { name: t('inbox.asks') });
	const rows = () => list.getByRole('listitem').count();
	assert.ok(await rows() <= 100, `${await rows()} rows`);
	const slow = await list.evaluate(async (ul) => {
		const frame = ul.parentElement;
		const gaps = [];
		let last = performance.now();
		for (let i = 0; i < 60; i++) {
			frame.scrollTop += i < 50 ? 80 : frame.scrollHeight / 12;
			await new Promise(requestAnimationFrame);
			gaps.push(performance.now() - last);
			last = performance.now();
		}
		return gaps.sort((a, b) => a - b)[30];
	});
	if (long) assert.ok(slow < 100, `half of the frames take ${Math.round(slow)} ms or more`);
	assert.ok(await rows() <= 100);
	await list.evaluate((ul) => (ul.parentElement.scrollTop = ul.scrollHeight));
	await until(async () => (await list.innerText()).length > 0, 'rows at the end');
	assert.deepEqual(errors, []);
	await context.close();
});
