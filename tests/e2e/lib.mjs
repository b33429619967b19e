// A real server, a real browser, and the few words that the tests share.
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = fileURLToPath(new URL('.', import.meta.url));
export const bin = resolve(process.env.PARLEY_BIN ?? join(here, '../../build/parley'));
export const words = Object.fromEntries(['en', 'fr'].map((lang) => [lang,
	JSON.parse(readFileSync(join(here, `../../messages/${lang}.json`), 'utf8'))]));
export const views = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** The message of the catalogue in a language, filled in. */
export const say = (lang) => (id, params = {}) => {
	const text = words[lang][`web.${id}`];
	if (!text) throw new Error(`no message web.${id}`);
	return text.replace(/\{(\w+)\}/g, (_, name) =>
		typeof params[name] === 'number' ? params[name].toLocaleString(lang) : params[name] ?? `{${name}}`);
};

export async function until(what, why, ms = 20_000) {
	const end = Date.now() + ms;
	for (;;) {
		const got = await what();
		if (got) return got;
		if (Date.now() > end) throw new Error(`not in time: ${why}`);
		await sleep(20);
	}
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export class Server {
	static async start({ keep, flags = [] } = {}) {
		const server = new Server();
		server.folder = keep ?? mkdtempSync(join(tmpdir(), 'parley-e2e-'));
		server.data = join(server.folder, 'data');
		server.flags = flags;
		await server.up();
		return server;
	}

	async up(listen = '127.0.0.1:0') {
		const portFile = join(this.folder, 'port');
		rmSync(portFile, { force: true });
		this.output = '';
		this.child = spawn(bin, ['serve', '--listen', listen, '--port-file', portFile, '--data', this.data, ...this.flags],
			{ stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PARLEY_TEST_CLOCK: join(this.folder, 'clock') } });
		running.add(this.child);
		/* One that a failed test has left does not keep the others from ending. */
		this.child.unref();
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream.on('data', (data) => (this.output += data));
			stream.unref();
		}
		this.port = Number(await until(
			() => existsSync(portFile) && readFileSync(portFile, 'utf8').trim(), 'the port'));
		this.url = `http://127.0.0.1:${this.port}`;
		await until(() => fetch(`${this.url}/readyz`).then((r) => r.ok, () => false), 'ready');
	}

	/** Stops and starts on the same port. */
	async down() {
		const gone = new Promise((done) => this.child.once('exit', done));
		this.child.ref();
		this.child.kill('SIGTERM');
		await gone;
		running.delete(this.child);
	}

	async stop() {
		await this.down();
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** Moves this server's clock; deadlines on the way fire. */
	jump(ms) {
		const file = join(this.folder, 'clock');
		this.jumped = (this.jumped ?? 0) + ms;
		writeFileSync(`${file}.new`, String(this.jumped));
		renameSync(`${file}.new`, file);
	}

	cli(...args) {
		return execFileSync(bin, [...args, '--data', this.data], { encoding: 'utf8' }).trim();
	}

	token(role, name) {
		return this.cli('token', 'create', '--role', role, '--name', name);
	}

	/** A path with a code that logs a person in, once. */
	loginPath(name = 'owner') {
		return this.cli('user', 'login', name).match(/\/login#\S+/)[0];
	}

	/** The cookie of a person's login; the same for every context that asks. */
	async cookie(name = 'owner') {
		this.cookies ??= {};
		return (this.cookies[name] ??= await (async () => {
			const reply = await fetch(`${this.url}/v1/login`, { method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ code: this.loginPath(name).split('#')[1] }) });
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

export const launch = () => chromium.launch({
	executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
		'--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const preferences = (lang, settings) => ({ opens: false, language: lang, ...settings });

/** What its person prefers, from the next document on. */
export const prefer = (page, lang, settings) => page.evaluate((kept) =>
	localStorage.setItem('parley.settings', JSON.stringify(kept)), preferences(lang, settings));

/** A context without a login. `errors` collects what the console and the policy say. */
export async function arrive(browser, server, { view = 'desktop', lang = 'en', theme = 'light',
	settings = {}, user: _, ...more } = {}) {
	const context = await browser.newContext({ viewport: views[view], locale: lang === 'fr' ? 'fr-FR' : 'en-US',
		colorScheme: theme, baseURL: server.url, serviceWorkers: 'block', reducedMotion: 'reduce', ...more });
	context.setDefaultTimeout(20_000);
	const errors = [];
	await context.addInitScript((kept) => {
		if (!localStorage.getItem('parley.settings')) localStorage.setItem('parley.settings', JSON.stringify(kept));
	}, preferences(lang, settings));
	const page = await context.newPage();
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

/** Many pending asks that do not fold, by two agents: one may ask 6,000 times a minute. */
export async function crowd(server, many) {
	const agents = await Promise.all(['left', 'right'].map(async (name) => {
		const agent = server.client(server.token('agent', name));
		return { agent, session: (await agent.session(name)).id };
	}));
	const name = (i) => String(i).split('').map((digit) => digits[digit]).join(' ');
	for (let from = 0; from < many; from += 50)
		await Promise.all(Array.from({ length: Math.min(50, many - from) }, (_, i) => {
			const { agent, session } = agents[i % 2];
			return agent.ask({ session, question: `The ${name(from + i)} one?`, type: 'boolean' });
		}));
}

/** The value that this share of a list does not exceed. */
export const share = (list, part) => [...list].sort((a, b) => a - b)[Math.ceil(list.length * part) - 1];

/** A row for the table of bench/run. */
export const row = (work, goal, ours, beside = '–', ratio = '–') =>
	console.log([work, goal, ours, beside, ratio].join('|'));

export function watch(page, errors) {
	page.on('console', (message) => {
		if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()))
			errors.push(message.text());
	});
	page.on('pageerror', (error) => errors.push(String(error)));
	page.on('dialog', (dialog) => {
		errors.push(`a script ran: ${dialog.message()}`);
		void dialog.dismiss();
	});
}
