// How soon an ask is on the page after its 201, and gone after it was settled elsewhere. For the
// benchmark, not a test: prints p50, p95 and max in milliseconds.
import { enter, launch, Server } from './lib.mjs';

const N = Number(process.argv[2] ?? 60);
const server = await Server.start();
const browser = await launch();
const agent = server.client(server.token('agent', 'runner'));
const marie = server.client(server.token('member', 'Marie'));
const { page } = await enter(browser, server);
await page.getByText('live').waitFor({ state: 'attached' });
await page.evaluate(() => {
	window.seen = {};
	new MutationObserver(() => {
		const now = Date.now();
		const rows = new Set([...document.querySelectorAll('.list li a')].map((a) => a.textContent));
		for (const text of rows) {
			const n = text.match(/Ask (\w+)\?/)?.[1];
			if (n) (window.seen[n] ??= { in: now });
		}
		for (const [n, times] of Object.entries(window.seen))
			if (!times.out && ![...rows].some((text) => text.includes(`Ask ${n}?`))) times.out = now;
	}).observe(document.body, { subtree: true, childList: true, characterData: true });
});
const shown = [];
const gone = [];
for (let i = 0; i < N; i++) {
	const name = `x${i}`;
	const ask = await agent.ask({ question: `Ask ${name}?`, type: 'boolean' });
	const made = Date.now();
	await page.waitForFunction((n) => window.seen[n]?.in, name, { polling: 10 });
	await marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
	const settled = Date.now();
	await page.waitForFunction((n) => window.seen[n]?.out, name, { polling: 10 });
	const times = await page.evaluate((n) => window.seen[n], name);
	shown.push(times.in - made);
	gone.push(times.out - settled);
}
const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
for (const [name, list] of [['shown after 201', shown], ['gone after settled', gone]])
	console.log(`${name}: p50 ${at(list, 0.5)} ms, p95 ${at(list, 0.95)} ms, max ${Math.max(...list)} ms (${N} asks)`);
await browser.close();
await server.stop();
