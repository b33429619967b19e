// A scenario is written once and run over the matrix: language × size × input mode. A long run
// (PARLEY_LONG=1) takes each area eight times, in each variant from an empty server on; a short one takes one
// variant for each scenario, and turns, so that every area is seen in both languages, at both sizes and in both
// input modes.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { arrive, enter, launch, prefer, Server, until, views } from './lib.mjs';
import { Person } from './person.mjs';

export const long = Boolean(process.env.PARLEY_LONG);
const TIMEOUT_MS = 300_000;

/* The first four hold both languages at both sizes, and both input modes. */
const variants = [
	['desktop', 'en', 'mouse'], ['phone', 'fr', 'keyboard'], ['desktop', 'fr', 'keyboard'], ['phone', 'en', 'mouse'],
	['desktop', 'en', 'keyboard'], ['phone', 'fr', 'mouse'], ['desktop', 'fr', 'mouse'], ['phone', 'en', 'keyboard'],
].map(([view, lang, input]) => ({ view, lang, input }));
/* Of these, the four that hold each language and each input mode at each size: for a scenario that sees to both sizes. */
const square = variants.filter(({ view, lang, input }) => (view === 'desktop') === ((lang === 'en') === (input === 'mouse')));

/** The variant that was seen least, by its language and size, then as a whole. */
function freshest(list, seen) {
	const times = (variant) => seen.filter((one) => one.view === variant.view && one.lang === variant.lang).length
		+ seen.filter((one) => one === variant).length / 1000;
	return list.reduce((best, variant) => (times(variant) < times(best) ? variant : best));
}

let opened, whole = false;
/** The one browser of this process. */
export const browser = () => (opened ??= launch({ whole }));
/** For a file whose scenarios need more than the page: notifications, a window's tabs. */
export const useWholeBrowser = () => (whole = true);
after(async () => (await opened)?.close());

/** A server whose first run is over, and those who talk to it without a browser. */
export class Desk {
	async open(flags) {
		this.server = await Server.start({ flags });
		this.agent = await this.client('agent', 'deployer');
		this.admin = await this.client('admin', 'root');
		this.marie = await this.client('member', 'Marie');
		await this.admin.put('/v1/start', { done: true });
		return this;
	}
	async client(role, name) {
		return this.server.client(await this.server.token(role, name));
	}
	async get(id) {
		return (await this.admin.get(`/v1/asks/${id}`)).body;
	}
	settled(id) {
		return until(async () => {
			const ask = await this.get(id);
			return ask.status !== 'pending' && ask;
		}, 'settled');
	}
	async answer(id, key = 'q1') {
		return (await this.settled(id)).answer[key];
	}
	async pending(id) {
		assert.equal((await this.get(id)).status, 'pending');
	}
	/** What still waits is skipped. */
	async clear() {
		const ids = (await this.admin.get('/v1/asks?limit=200')).body.items.map((ask) => ask.id);
		if (ids.length) await this.admin.post('/v1/asks/settle-many', { ids, skip: true });
	}
	async close() {
		await this.server?.end();
	}
}

/**
 * Somebody else beside `me`, for as long as `run` takes: the same variant unless `how` says otherwise.
 * `user: null` is nobody yet; `server` a place of its own.
 */
export async function beside(me, { view = me.view, lang = me.lang, server = me.desk.server, user, ...how }, run) {
	const come = user === null ? arrive : enter;
	const place = await come(await browser(), server, { view, lang, user, ...how });
	try {
		await run(new Person({ ...place, view, lang, input: me.byKeys ? 'keyboard' : 'mouse', desk: me.desk }));
		assert.deepEqual(place.errors, []);
	} finally {
		await place.context.close();
	}
}

/** `run` at both sizes in a long run, in a short one at the person's own. */
export async function inSizes(me, run) {
	const own = me.view;
	for (const view of long ? Object.keys(views) : [own]) {
		await me.resize(view);
		await run(view);
	}
	await me.resize(own);
}

/**
 * Scenarios that share a desk; in a long run those of one variant do. `scenario(name, run)`, or
 * `scenario(name, how, run)`: `input`: only this one makes sense; `resizes`: it looks at both sizes itself, with
 * `inSizes`; the rest of `how` goes to the browser's context (`settings`, `user`, …). `flags` are the server's;
 * `furnish(desk)` puts there what the scenarios need; each leaves nothing pending behind, but for `keep`. `stands`:
 * they look at what is shown and need no new document, which costs more than all the rest of many a scenario.
 */
export function area(name, define, options = {}) {
	const kinds = (list) => new Set(list.flatMap((variant) => [`${variant.view} ${variant.lang}`, variant.input]));
	if (long)
		for (const variant of variants)
			describe(nameOf(name, variant), () => together(define, (fit) => fit.filter((one) => one === variant), options));
	else
		describe(name, () => {
			const planned = together(define, (fit, before) => [freshest(fit, before)], options);
			assert.deepEqual(kinds(planned), kinds(variants), `${name}: too few scenarios to see all variants`);
		});
}

const nameOf = (title, { view, lang, input }) => `${title} (${view}, ${lang}, ${input})`;

/** Scenarios of one desk, each in the variants that `choose` takes of those that fit. → these */
function together(define, choose, { furnish = () => {}, keep = false, flags = [], stands = false }) {
	const desk = new Desk();
	const contexts = new Map();
	const planned = [];
	before(async () => furnish(await desk.open(flags)));
	if (!keep) afterEach(() => desk.clear());
	after(async () => {
		await Promise.all([...contexts.values()].map(async (one) => (await one).context.close()));
		await desk.close();
	});

	/* A context costs more than a scenario: those of one language share one, and size and settings
	 * are given to it anew. */
	const come = async ({ view, lang, input }, { settings = {}, ...how }) => {
		const key = JSON.stringify([lang, how]);
		if (!contexts.has(key)) contexts.set(key, browser().then((shown) => enter(shown, desk.server, { view, lang, ...how })));
		const place = await contexts.get(key);
		await place.page.setViewportSize(views[view]);
		const same = await prefer(place.page, lang, settings);
		return new Person({ ...place, view, lang, input, desk, stands: stands && same });
	};

	define((title, how, run = how) => {
		const { input: only, resizes, ...rest } = run === how ? {} : how;
		const fit = (resizes ? square : variants).filter((variant) => !only || variant.input === only);
		for (const variant of choose(fit, planned)) {
			planned.push(variant);
			test(nameOf(title, variant), { timeout: TIMEOUT_MS }, async () => {
				const person = await come(variant, rest);
				await run(person, desk);
				assert.deepEqual(person.errors.splice(0), []);
			});
		}
	}, desk);
	return planned;
}
