// A scenario is written once and run over the matrix: language × size × hand. A long run
// (PARLEY_LONG=1) takes all eight looks for each; a short one takes one, and turns, so that every
// area is seen in both languages, at both sizes and by both hands.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { arrive, enter, launch, prefer, Server, until, views } from './lib.mjs';
import { Person } from './person.mjs';

export const long = Boolean(process.env.PARLEY_LONG);
const TIMEOUT_MS = 120_000;

/* The first four hold both languages at both sizes, and both hands. */
const looks = [
	['desktop', 'en', 'mouse'], ['phone', 'fr', 'keyboard'], ['desktop', 'fr', 'keyboard'], ['phone', 'en', 'mouse'],
	['desktop', 'en', 'keyboard'], ['phone', 'fr', 'mouse'], ['desktop', 'fr', 'mouse'], ['phone', 'en', 'keyboard'],
].map(([view, lang, hand]) => ({ view, lang, hand }));
/* Of these, the four that hold each language and each hand at each size: for a scenario that sees to both sizes. */
const square = looks.filter(({ view, lang, hand }) => (view === 'desktop') === ((lang === 'en') === (hand === 'mouse')));

/** The look that was seen least, by its language and size, then as a whole. */
function freshest(list, seen) {
	const times = (look) => seen.filter((one) => one.view === look.view && one.lang === look.lang).length
		+ seen.filter((one) => one === look).length / 1000;
	return list.reduce((best, look) => (times(look) < times(best) ? look : best));
}

let shared;
/** The one browser of this process. */
export const browser = () => (shared ??= launch());
after(async () => (await shared)?.close());

/** A server, and those who talk to it without a browser. */
export class Desk {
	async open(flags) {
		this.server = await Server.start({ flags });
		this.agent = this.client('agent', 'deployer');
		this.admin = this.client('admin', 'root');
		this.marie = this.client('member', 'Marie');
		return this;
	}
	client(role, name) {
		return this.server.client(this.server.token(role, name));
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
		await this.server?.stop();
	}
}

/**
 * Somebody else beside `me`, for as long as `run` takes: the same look unless `how` says otherwise.
 * `user: null` is nobody yet; `server` a place of its own.
 */
export async function beside(me, { view = me.view, lang = me.lang, server = me.desk.server, user, ...how }, run) {
	const come = user === null ? arrive : enter;
	const place = await come(await browser(), server, { view, lang, user, ...how });
	try {
		await run(new Person({ ...place, view, lang, hand: me.byKeys ? 'keyboard' : 'mouse', desk: me.desk }));
		assert.deepEqual(place.errors, []);
	} finally {
		await place.context.close();
	}
}

/** `look` at both sizes in a long run, in a short one at the person's own. */
export async function inSizes(me, look) {
	const own = me.view;
	for (const view of long ? Object.keys(views) : [own]) {
		await me.resize(view);
		await look(view);
	}
	await me.resize(own);
}

/**
 * Scenarios that share a desk. `scenario(name, run)`, or `scenario(name, how, run)`: `hand`: only
 * this one makes sense; `resizes`: it looks at both sizes itself, with `inSizes`; the rest of `how`
 * goes to the browser's context (`settings`, `user`, …). `flags` are the server's; `furnish(desk)` puts
 * there what the scenarios need; each leaves nothing pending behind, but for `keep`.
 */
export function area(name, define, { furnish = () => {}, keep = false, flags = [] } = {}) {
	describe(name, () => {
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
		const come = async ({ view, lang, hand }, { settings = {}, ...how }) => {
			const key = JSON.stringify([lang, how]);
			if (!contexts.has(key)) contexts.set(key, browser().then((shown) => enter(shown, desk.server, { view, lang, ...how })));
			const place = await contexts.get(key);
			await place.page.setViewportSize(views[view]);
			await prefer(place.page, lang, settings);
			return new Person({ ...place, view, lang, hand, desk });
		};

		define((title, how, run = how) => {
			const { hand: only, resizes, ...rest } = run === how ? {} : how;
			const fit = (resizes ? square : looks).filter((look) => !only || look.hand === only);
			for (const look of long ? fit : [freshest(fit, planned)]) {
				planned.push(look);
				test(`${title} (${look.view}, ${look.lang}, ${look.hand})`, { timeout: TIMEOUT_MS }, async () => {
					const person = await come(look, rest);
					await run(person, desk);
					assert.deepEqual(person.errors.splice(0), []);
				});
			}
		}, desk);
		const kinds = (list) => new Set(list.flatMap((look) => [`${look.view} ${look.lang}`, look.hand]));
		assert.deepEqual(kinds(planned), kinds(looks), `${name}: too few scenarios to see all looks`);
	});
}
