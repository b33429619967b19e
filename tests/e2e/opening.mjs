// How long opening the page takes until its list is painted, and then its first card, and what is loaded for it:
// here, and on a slow line (150 ms, 1.6 Mbit/s).
// For the benchmark, not a test: prints rows of its table.
// opening.mjs [TIMES [ASKS]]
import { arrive, fillInbox, FIRST_LOAD, firstLoad, launch, row, Server, share, watchFirstList } from './lib.mjs';

const TIMES = Number(process.argv[2] ?? 20);
const ASKS = Number(process.argv[3] ?? 100);
const SLOW = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 };

/** In the page: `carded` is a promise of the first card, in ms since navigation began. */
function watchFirstCard() {
	window.carded = new Promise((done) => {
		const seen = new MutationObserver(() => {
			if (!document.querySelector('main form')) return;
			seen.disconnect();
			requestAnimationFrame(() => done(performance.now()));
		});
		seen.observe(document, { subtree: true, childList: true });
	});
}

/** With an empty cache; `again`: with what that visit left there. */
async function open(again, line) {
	const { context, page } = await arrive(browser, server, { serviceWorkers: line ? 'block' : 'allow' });
	await context.addCookies([await server.cookie()]);
	await page.addInitScript(watchFirstList);
	await page.addInitScript(watchFirstCard);
	if (line) await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', line);
	const visit = async () => {
		await page.goto('/inbox', { waitUntil: 'commit' });
		return page.evaluate(() => window.painted);
	};
	const first = await visit();
	const load = await page.evaluate(firstLoad, first);
	const card = await page.evaluate(() => window.carded) - first.made;
	const seen = { list: first.made, card, load, again: again && (await visit()).made };
	await context.close();
	return seen;
}

const server = await Server.start();
const browser = await launch({ whole: true });
await fillInbox(server, ASKS);
const here = [], slow = [];
for (let i = 0; i < TIMES; i++) {
	here.push(await open(true));
	slow.push(await open(false, SLOW));
}
const times = (list, name) => {
	const all = list.map((one) => one[name]);
	return `p50 ${Math.round(share(all, 0.5))}, p95 ${Math.round(share(all, 0.95))} ms`;
};
const most = (name) => Math.max(...here.map((one) => one.load[name]));
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
row(`page: first list painted, ${ASKS} pending`, '≤ 300 ms', `${times(here, 'list')}; opened again: ${times(here, 'again')}`);
row('page: first list painted, 150 ms and 1.6 Mbit/s', '≤ 1,200 ms', times(slow, 'list'));
row('page: first card after its list, 150 ms and 1.6 Mbit/s', '≤ 600 ms', `${times(slow, 'card')}; here: ${times(here, 'card')}`);
row('page: script and style fetched before the first list is painted, gzip', `≤ ${kb(FIRST_LOAD.code)}`, kb(most('code')));
row('page: data fetched before the first list is painted', `≤ ${kb(FIRST_LOAD.data)}`, kb(most('data')));
row('page: requests before the first list is painted', `≤ ${FIRST_LOAD.requests}`, String(most('requests')));
await browser.close();
await server.end();
