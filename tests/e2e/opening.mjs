// How long opening the page takes until its list is painted, and what is loaded for it.
// For the benchmark, not a test: prints rows of its table.
// opening.mjs [TIMES [ASKS]]
import { arrive, fillInbox, launch, row, Server, share } from './lib.mjs';

const TIMES = Number(process.argv[2] ?? 20);
const ASKS = Number(process.argv[3] ?? 100);
const GOAL = 300;
const FIRST_LOAD = 60 * 1024;

/* In the page: a promise of when the frame with its first row was made, in ms since navigation began.
 * A message comes right behind the frame, before any timer. */
function observe() {
	window.painted = new Promise((done) => {
		const frame = new MessageChannel();
		frame.port1.onmessage = () => done(performance.now());
		const seen = new MutationObserver(() => {
			if (!document.querySelector('.list li a')) return;
			seen.disconnect();
			requestAnimationFrame(() => frame.port2.postMessage(null));
		});
		seen.observe(document, { subtree: true, childList: true });
	});
}

/** With an empty cache, and with what the last visit left there. */
async function open(context) {
	const page = await context.newPage();
	await page.addInitScript(observe);
	const visit = async () => {
		await page.goto('/inbox');
		return page.evaluate(() => window.painted);
	};
	const first = await visit();
	const bytes = await page.evaluate(() => performance.getEntriesByType('resource')
		.filter((one) => /\.(js|css)$/.test(new URL(one.name).pathname)).reduce((sum, one) => sum + one.encodedBodySize, 0));
	return { first, bytes, again: await visit() };
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
row('page: script and style of the first load, gzip', `≤ ${FIRST_LOAD / 1024} KB`, `${(seen[0].bytes / 1024).toFixed(1)} KB`);
await browser.close();
await server.end();
