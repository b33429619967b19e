// How soon an ask is on the page after its 201, and gone everywhere after it was settled elsewhere;
// with one tab and with ten. For the benchmark, not a test: prints rows of its table.
// latency.mjs [ASKS [TABS]]
import { enter, launch, row, Server, share } from './lib.mjs';

const ASKS = Number(process.argv[2] ?? 60);
const TABS = Number(process.argv[3] ?? 10);
const GOAL = 'p95 ≤ 100 ms';

/* In the page: when each ask's row came and went, and a promise of either. */
function observe() {
	const seen = {};
	const wanted = [];
	const look = () => {
		const now = Date.now();
		const waiting = new Set();
		for (const row of document.querySelectorAll('[data-row]:not(.settled)')) {
			const [, name] = /Ask (\w+)\?/.exec(row.textContent) ?? [];
			if (name) waiting.add(name);
		}
		for (const name of waiting) seen[name] ??= { in: now };
		for (const [name, times] of Object.entries(seen)) if (!times.out && !waiting.has(name)) times.out = now;
		for (const wish of wanted) if (seen[wish.name]?.[wish.what]) wish.done(seen[wish.name][wish.what]);
	};
	window.when = (name, what) => new Promise((done) => {
		wanted.push({ name, what, done });
		look();
	});
	new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}

const server = await Server.start();
const browser = await launch({ whole: true });
const agent = server.client(await server.token('agent', 'runner'));
const marie = server.client(await server.token('member', 'Marie'));
/* The first run is over. */
await marie.post(`/v1/asks/${(await agent.ask({ question: 'Begun?', type: 'boolean' })).id}/answer`, { answer: true });
const { page, context } = await enter(browser, server);
let streams = 0;
const tabs = [page];

async function ready(tab) {
	await tab.getByText('Connected', { exact: true }).waitFor({ state: 'attached' });
	await tab.evaluate(observe);
}

/* The stream may be here before the reply is. */
const since = (start, times) => Math.max(0, ...times.map((time) => time - start));

async function measure(from) {
	const all = (name, what) => Promise.all(tabs.map((tab) => tab.evaluate(([n, w]) => window.when(n, w), [name, what])));
	const shown = [];
	const gone = [];
	for (let i = from; i < from + ASKS; i++) {
		const ask = await agent.ask({ question: `Ask x${i}?`, type: 'boolean' });
		const made = Date.now();
		shown.push(since(made, await all(`x${i}`, 'in')));
		await marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		const settled = Date.now();
		gone.push(since(settled, await all(`x${i}`, 'out')));
	}
	return { shown, gone };
}

const words = (list) => `p50 ${share(list, 0.5)}, p95 ${share(list, 0.95)}, max ${Math.max(...list)} ms`;
await ready(page);
const one = await measure(0);
context.on('request', (request) => (streams += request.url().includes('/v1/events?after=') ? 1 : 0));
while (tabs.length < TABS) {
	const tab = await context.newPage();
	tabs.push(tab);
	await tab.goto('/inbox');
	await ready(tab);
}
const many = await measure(ASKS);
row('page: an ask is shown after its 201', GOAL, words(one.shown));
row('page: it is gone after it was settled elsewhere', GOAL, words(one.gone));
row(`the same in the last of ${TABS} tabs, ${1 + streams} stream`, GOAL, `shown: ${words(many.shown)}; gone: ${words(many.gone)}`);
await browser.close();
await server.end();
