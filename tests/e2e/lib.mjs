// A real server, a real browser, and the few words that the tests share.
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { PATIENCE_MS, Server as Fixture } from '../lib/server.mjs';

export { BIN, sleep, until } from '../lib/server.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
export const words = Object.fromEntries(['en', 'fr'].map((lang) => [lang,
	JSON.parse(readFileSync(join(here, `../../messages/${lang}.json`), 'utf8'))]));
export const views = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** The message of the catalogue in a language, filled in. */
export const say = (lang) => (id, params = {}) => {
	const text = words[lang][`web.${id}`];
	if (!text) throw new Error(`no message web.${id}`);
	return text.replace(/\{(\w+)\}/g, (_, name) =>
		typeof params[name] === 'number' ? params[name].toLocaleString(lang) : params[name] ?? `{${name}}`);
};

/** The server fixture with people who are logged in, and clients without a browser. */
export class Server extends Fixture {
	static async start(options) {
		const server = new Server({ keepPort: true, ...options });
		await server.start();
		return server;
	}

	/* One that a failed test has left does not keep the others from ending. */
	async start(...args) {
		await super.start(...args);
		for (const one of this.held) one.unref();
		return this;
	}

	signal(name) {
		for (const one of this.held) one.ref();
		return super.signal(name);
	}

	get held() {
		return [this.child, this.child.stdout, this.child.stderr];
	}

	/** The cookie of a person's login; the same for every context that asks. */
	async cookie(name = 'owner') {
		this.cookies ??= {};
		return (this.cookies[name] ??= await (async () => {
			const reply = await fetch(`${this.url}/v1/login`, { method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ code: (await this.loginPath(name)).split('#')[1] }) });
			const [, key, value] = reply.headers.get('set-cookie').match(/^([^=]+)=([^;]*)/);
			return { name: key, value, url: this.url, httpOnly: true, sameSite: 'Lax' };
		})());
	}

	client(token) {
		const call = async (method, path, body) => {
			const reply = await fetch(this.url + path, {
				method,
				headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
				body: body ? JSON.stringify(body) : undefined,
			});
			const text = await reply.text();
			return { status: reply.status, body: text ? JSON.parse(text) : null };
		};
		return {
			get: (path) => call('GET', path),
			post: (path, body) => call('POST', path, body ?? {}),
			patch: (path, body) => call('PATCH', path, body),
			put: (path, body) => call('PUT', path, body),
			delete: (path) => call('DELETE', path),
			/** → the ask; throws unless 201. */
			ask: async (body) => {
				const reply = await call('POST', '/v1/asks', body);
				if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
				return reply.body;
			},
			/** A session of its own, so that asks do not exclude each other. */
			session: async (title, more = {}) =>
				(await call('POST', '/v1/sessions', { title, parallel: true, ...more })).body,
		};
	}
}

const WHOLE = '/usr/bin/chromium', SHELL = '/usr/bin/chromium-headless-shell';

/**
 * The headless shell is the same browser without windows: it draws and runs the page alike for half the
 * work. `whole`: with notifications and a window's tabs; a long run uses no other.
 */
export const launch = ({ whole = false } = {}) => chromium.launch({
	executablePath: process.env.CHROMIUM ?? (whole || process.env.PARLEY_LONG || !existsSync(SHELL) ? WHOLE : SHELL),
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/** How many times slower than this machine the page is to be. */
const SLOWER = Number(process.env.PARLEY_SLOWER ?? 1);

const preferences = (lang, settings) => ({ opens: false, language: lang, ...settings });

/** What its person prefers, from the next document on. → whether the one that stands was made with that */
export const prefer = (page, lang, settings) => page.evaluate((kept) => {
	const before = localStorage.getItem('parley.settings');
	localStorage.setItem('parley.settings', kept);
	return before === kept;
}, JSON.stringify(preferences(lang, settings)));

/** A context without a login. `errors` collects what the console and the policy say. */
export async function arrive(browser, server, { view = 'desktop', lang = 'en', theme = 'light',
	settings = {}, user: _, ...more } = {}) {
	const context = await browser.newContext({ viewport: views[view], locale: lang === 'fr' ? 'fr-FR' : 'en-US',
		colorScheme: theme, baseURL: server.url, serviceWorkers: 'block', reducedMotion: 'reduce', ...more });
	context.setDefaultTimeout(PATIENCE_MS);
	const errors = [];
	await context.addInitScript((kept) => {
		if (!localStorage.getItem('parley.settings')) localStorage.setItem('parley.settings', JSON.stringify(kept));
	}, preferences(lang, settings));
	const page = await context.newPage();
	if (SLOWER > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
	watch(page, errors);
	return { context, page, errors, t: say(lang) };
}

/** A context whose person is logged in, at the inbox. */
export async function enter(browser, server, { user = 'owner', ...how } = {}) {
	const here = await arrive(browser, server, how);
	await here.context.addCookies([await server.cookie(user)]);
	await here.page.goto('/inbox');
	await here.page.locator('nav').first().waitFor();
	return here;
}

/** Options of a context whose browser shows notifications. */
export const notified = { permissions: ['notifications'], serviceWorkers: 'allow' };

/** What the service worker shows at this moment. */
export const notices = (page) => page.evaluate(async () => {
	const list = await (await navigator.serviceWorker.ready).getNotifications();
	return list.map(({ title, body, data }) => ({ title, body, data }));
});

/* The browser of the tests never hides a page: that alone is made up. */
export const hide = (page) => page.evaluate(() => {
	Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
	document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
});

const digits = ['red', 'blue', 'green', 'tall', 'small', 'old', 'new', 'round', 'flat', 'warm'];
/** A title that does not fold with another. */
export const titleOf = (i) => `The ${String(i).split('').map((digit) => digits[digit]).join(' ')} one?`;

/* One agent may ask 6,000 times a minute; what comes over several connections is committed together. */
const AGENTS = 3, LINES = 12;

/** Requests of one kind, one behind the other on one connection without waiting: thousands a second. */
function postAll(server, token, path, bodies) {
	return new Promise((done, fail) => {
		if (!bodies.length) return done();
		let replies = 0, rest = '';
		const line = connect(server.port, '127.0.0.1', () => {
			for (const body of bodies) {
				const text = JSON.stringify(body);
				line.write(`POST ${path} HTTP/1.1\r\nhost: ${server.address}\r\nauthorization: Bearer ${token}\r\n`
					+ `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
			}
		});
		line.setEncoding('latin1').on('error', fail).on('close', () => fail(new Error(`${replies} of ${bodies.length} replies`)));
		line.on('data', (piece) => {
			const text = rest + piece;
			const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)];
			const last = statuses.at(-1);
			rest = text.slice(Math.max(last ? last.index + last[0].length : 0, text.length - 'HTTP/1.1 20'.length));
			const wrong = statuses.find(([, status]) => status !== '201');
			if (wrong) fail(new Error(wrong[0]));
			replies += statuses.length;
			if (replies === bodies.length) done(line.destroy());
		});
	});
}

/** Many pending asks, by several agents. */
export async function fillInbox(server, many) {
	await Promise.all(Array.from({ length: AGENTS }, async (_, i) => {
		const token = await server.token('agent', `agent ${i}`);
		const session = (await server.client(token).session(`session ${i}`)).id;
		const bodies = Array.from({ length: many }, (_, n) => ({ session, question: titleOf(n), type: 'boolean' }));
		await Promise.all(Array.from({ length: LINES }, (_, line) =>
			postAll(server, token, '/v1/asks', bodies.filter((_, n) => n % (AGENTS * LINES) === i + AGENTS * line))));
	}));
}

/** What the page may load before its list is painted: bytes as they are sent, and requests, the page's own among them. */
export const FIRST_LOAD = { code: 60 * 1024, data: 25 * 1024, requests: 12 };

/** In the page: `painted` is a promise of the frame with the first row, in ms since navigation began:
 * when it was begun, and when it was made. A message comes right behind it. */
export function watchFirstList() {
	window.painted = new Promise((done) => {
		const frame = new MessageChannel();
		let begun = 0;
		frame.port1.onmessage = () => done({ begun, made: performance.now() });
		const seen = new MutationObserver(() => {
			if (!document.querySelector('[data-row]')) return;
			seen.disconnect();
			requestAnimationFrame(() => {
				begun = performance.now();
				frame.port2.postMessage(null);
			});
		});
		seen.observe(document, { subtree: true, childList: true });
	});
}

/** In the page: what was loaded, or begun to, before that frame. */
export function firstLoad({ begun }) {
	const early = performance.getEntriesByType('resource').filter((one) => one.startTime <= begun);
	const bytes = (which) => early.filter((one) => which.test(new URL(one.name).pathname))
		.reduce((sum, one) => sum + one.encodedBodySize, 0);
	return { code: bytes(/\.(js|css)$/), data: bytes(/^\/v1\//), requests: early.length + 1 };
}

/** The value that this share of a list does not exceed. */
export const share = (list, part) => [...list].sort((a, b) => a - b)[Math.ceil(list.length * part) - 1];

/** A row for the table of bench/run. */
export const row = (work, goal, ours, beside = '–', ratio = '–') =>
	console.log([work, goal, ours, beside, ratio].join('|'));

/* The browser says so of a document that was left and whose scripts still ended something: nobody sees it any more. */
const LEFT = /The provided callback is no longer runnable/;

/** Collects what the console and the policy say of this page, and puts the pointer aside. */
export function watch(page, errors) {
	const note = (text) => {
		if (!LEFT.test(text)) errors.push(text);
	};
	page.on('console', (message) => {
		if (message.type() === 'warning' && /svelte\.dev\/e\//.test(message.text())) note(message.text());
		if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text())) note(message.text());
	});
	page.on('pageerror', (error) => note(String(error)));
	/* A browser that was never told believes that the pointer is in the first corner, where a phone has its list, and rows
	 * do not move under the pointer. It lies on the navigation. */
	page.on('domcontentloaded', () => void page.mouse.move(1, (page.viewportSize()?.height ?? 2) - 2).catch(() => {}));
	page.on('dialog', (dialog) => {
		errors.push(`a script ran: ${dialog.message()}`);
		void dialog.dismiss();
	});
}
