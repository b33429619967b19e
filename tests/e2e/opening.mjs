// How long opening the page takes until its list is painted, and what is loaded for it.
// For the benchmark, not a test: prints rows of its table.
// opening.mjs [TIMES [ASKS]]
import { arrive, fillInbox, FIRST_LOAD, firstLoad, launch, row, Server, share, watchFirstList } from './lib.mjs';

const TIMES = Number(process.argv[2] ?? 20);
const ASKS = Number(process.argv[3] ?? 100);
const GOAL = 300;

/** With an empty cache, and with what the last visit left there. */
async function open(context) {
	const page = await context.newPage();
	await page.addInitScript(watchFirstList);
	const visit = async () => {
		await page.goto('/inbox');
		return page.evaluate(() => window.painted);
	};
	const first = await visit();
	const bytes = await page.evaluate(firstLoad, first);
	return { first: first.made, bytes, again: (await visit()).made };
}

const server = await Server.start();
const browser = await launch({ whole: true });
await fillInbox(server, ASKS);
const seen = [];
for (let i = 0; i < TIMES; i++) {
	const { context } = await arrive(browser, server, { serviceWorkers: 'allow' });
	await context.addCookies([await server.cookie()]);
	seen.push(await open(context));
	await context.close();
}
const words = (list) => `p50 ${Math.round(share(list, 0.5))}, p95 ${Math.round(share(list, 0.95))} ms`;
row(`page: first list painted, ${ASKS} pending`, `≤ ${GOAL} ms`,
	`${words(seen.map((one) => one.first))}; opened again: ${words(seen.map((one) => one.again))}`);
row('page: script and style fetched before the first list is painted, gzip', `≤ ${FIRST_LOAD / 1024} KB`, `${(Math.max(...seen.map((one) => one.bytes)) / 1024).toFixed(1)} KB`);
await browser.close();
await server.end();
