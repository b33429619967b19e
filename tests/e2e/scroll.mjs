// How smoothly the inbox scrolls with many asks pending: the frames of a turning wheel and of jumps,
// beside those of an empty list as long, which is what this machine and browser can do at all. For
// the benchmark, not a test: prints rows of its table. scroll.mjs [ASKS [RUNS]]
import { fillInbox, enter, launch, row, Server, share, until } from './lib.mjs';

const MANY = Number(process.argv[2] ?? 10_000);
const RUNS = Number(process.argv[3] ?? 5);
const NOTCHES = 120;
const JUMPS = 40;
const SMOOTH_MS = 33.4;

/* In the page: the times between frames until it is told to stop, and the most rows at any of them. */
function record(list) {
	const gaps = [];
	let last = performance.now();
	let rows = 0;
	let on = true;
	const next = (now) => {
		gaps.push(now - last);
		rows = Math.max(rows, list.childElementCount);
		last = now;
		if (on) requestAnimationFrame(next);
	};
	requestAnimationFrame(next);
	window.recorded = () => {
		on = false;
		return { gaps: gaps.slice(2), rows };
	};
}

async function wheel(page, list) {
	await list.evaluate((ul) => (ul.parentElement.scrollTop = 0));
	const { x, y } = await list.evaluate((ul) => ul.parentElement.getBoundingClientRect());
	await page.mouse.move(x + 100, y + 300);
	await list.evaluate(record);
	for (let i = 0; i < NOTCHES; i++) await page.mouse.wheel(0, 40 + (i % 3) * 40);
	return page.evaluate(() => window.recorded());
}

/* Each jump is timed until the frame after it. */
const jump = (page, list) => list.evaluate(async (ul, jumps) => {
	const frame = ul.parentElement;
	const next = () => new Promise(requestAnimationFrame);
	const height = frame.scrollHeight;
	const gaps = [];
	let rows = 0;
	for (let i = 0; i < jumps; i++) {
		await next();
		const from = performance.now();
		frame.scrollTop = (((i * 7919) % jumps) / jumps) * height;
		await next();
		await next();
		gaps.push(performance.now() - from);
		rows = Math.max(rows, ul.childElementCount);
	}
	return { gaps, rows };
}, JUMPS);

const server = await Server.start();
await fillInbox(server, MANY);
const browser = await launch({ whole: true });
const { page, t } = await enter(browser, server);
await until(async () => (await page.getByRole('heading').first().innerText())
	.includes(MANY.toLocaleString('en')), 'all of them', 60_000);
const blank = await browser.newPage();
await blank.setContent(`<div style="height:800px;width:380px;overflow:auto"><ul style="height:${MANY * 78}px"></ul></div>`);
const lists = { ours: [page, page.getByRole('list', { name: t('inbox.asks') })], empty: [blank, blank.locator('ul')] };
const figures = {};
let rows = 0;
for (let run = 0; run < RUNS; run++)
	for (const [whose, [where, list]] of Object.entries(lists))
		for (const [how, move] of Object.entries({ wheel, jump })) {
			await where.bringToFront();
			const got = await move(where, list);
			rows = Math.max(rows, got.rows);
			(figures[`${how} ${whose}`] ??= []).push(got.gaps);
		}
const median = (name, of) => share(figures[name].map(of), 0.5);
const p90 = (gaps) => share(gaps, 0.9);
const smooth = (gaps) => (100 * gaps.filter((gap) => gap <= SMOOTH_MS).length) / gaps.length;
const percent = (n) => `${n.toFixed(0)} %`;
const ms = (n) => `${n.toFixed(1)} ms`;
const pair = (how, of) => [median(`${how} ours`, of), median(`${how} empty`, of)];
const [mine, theirs] = pair('wheel', smooth);
const [a, b] = pair('wheel', p90);
const [c, d] = pair('jump', p90);
row(`page: frames within 33 ms, a wheel over ${MANY} pending, ${rows} rows`, '≥ 90 %; ≤ 100 rows',
	`${percent(mine)} (p90 ${ms(a)})`, `an empty list: ${percent(theirs)} (${ms(b)})`, `${(a / b).toFixed(2)} ×`);
row('page: a jump through them, p90', '≤ 120 ms', ms(c), `an empty list: ${ms(d)}`, `${(c / d).toFixed(2)} ×`);
await browser.close();
await server.end();
