// alert_oracle.mjs - which alerts a workspace must have had, from what was asked, settled and refused and from the
// instants at which somebody looked; written from the manual's table of alerts, not from the program. What a look may or
// may not have seen yet (a deadline that passed in the same moment) makes two histories possible: both are followed, and what was
// observed has to fit one of them.

/** A look reads a moment before the instant that it is kept under. */
const BLUR_MS = 5_000;
/** Refusals are kept by the minute. */
const MINUTE_BLUR_MS = 75_000;
/** A node that dies was heard of so long before, at most. */
const LAST_HEARD_MS = 40_000;
/** A look that took long (`slow`) read before the clock was moved, or while people acted. */
const ANYTHING = ['beyond', 'near', 'low'];
const CALM_MS = 5 * 60_000, CALM = 0.8, HOUR_MS = 3_600_000;

/** Is it so? 1 yes, 0 no, and both where nobody can tell. */
const later = (than_ms, blur = BLUR_MS) => (ms) => (ms > than_ms + blur ? [1] : ms < than_ms - blur ? [0] : [0, 1]);
const both = (a, b) => [...new Set(a.flatMap((x) => b.map((y) => x && y)))];

/** Every share that some of them may make of all: [{bad, all}] of items {bad: [0|1…], counts: [0|1…]}. */
function shares(items, min) {
	let sums = new Map([['0 0', [0, 0]]]);
	for (const { bad, counts } of items) {
		const next = new Map();
		for (const [b, a] of sums.values()) {
			for (const c of counts) {
				for (const x of c ? bad : [0]) next.set(`${b + x} ${a + c}`, [b + x, a + c]);
			}
		}
		sums = next;
	}
	return [...sums.values()].map(([b, a]) => (a < min || !a ? 0 : b / a));
}

/** What a look can have found of a rate: beyond what is allowed, near it, or low. */
const rateOf = (items, limit, min) => [...new Set(shares(items, min).map((s) => (s > limit ? 'beyond' : s > 0 && s >= limit * CALM ? 'near' : 'low')))];

/** Was it settled when this look looked? */
const settledAt = (ask, look) => (ask.settled_step === undefined || ask.settled_step > look.step ? [0]
	: ask.settled_step === look.step && ask.status === 'expired' ? [0, 1] : [1]);
const askedAt = (ask, look) => ask.step <= look.step;

/** By kind and key what a look can have found: 'beyond', 'near' or 'low'. */
export function findings(history, look) {
	const { settings, asks = [], refused = [], route } = history, found = {};
	const past = asks.filter((ask) => askedAt(ask, look));
	if (settings.unanswered) {
		const open = past.filter((ask) => ask.kind !== 'non_blocking').map((ask) => both(later(settings.unanswered)(look.at - ask.created),
			settledAt(ask, look).map((x) => 1 - x)));
		found['unanswered '] = open.some((x) => !x.includes(0)) ? ['beyond'] : open.some((x) => x.includes(1)) ? ['beyond', 'low'] : ['low'];
	}
	if (settings.timeouts) {
		for (const kind of ['blocking', 'non_blocking']) {
			const items = past.filter((ask) => ask.kind === kind && ['answered', 'skipped', 'expired'].includes(ask.status)).map((ask) => ({
				bad: [Number(ask.status === 'expired')],
				counts: both(settledAt(ask, look), later(look.at - settings.window)(ask.settled)) }));
			found[`timeouts ${kind}`] = rateOf(items, settings.timeouts, settings.min);
		}
	}
	if (settings.errors) {
		const since = look.at - HOUR_MS;
		const bad = refused.filter((r) => r.step <= look.step).map((r) => ({ bad: [1],
			counts: both(later(since, MINUTE_BLUR_MS)(r.at), r.step === look.step ? [0, 1] : [1]) }));
		found['errors '] = rateOf([...bad, ...past.map((ask) => ({ bad: [0], counts: later(since)(ask.created) }))], settings.errors, settings.min);
	}
	if (settings.overdue) {
		const items = past.filter((ask) => ask.prompt).map((ask) => ({ counts: later(look.at - settings.window)(ask.created),
			bad: [...new Set(settledAt(ask, look).flatMap((x) => later(route.target)((x ? ask.settled : look.at) - ask.created)))] }));
		found[`overdue ${route.id}`] = rateOf(items, settings.overdue, settings.min);
	}
	for (const { node, at, step, bye, back_step: back } of history.deaths ?? []) {
		if (bye || look.step < step || look.step > (back ?? Infinity)) continue;
		const silent = look.at - at - settings.node;
		found[`node ${node}`] = silent < -LAST_HEARD_MS || look.step === back ? ['low', ...(silent < -LAST_HEARD_MS ? [] : ['beyond'])]
			: silent > BLUR_MS ? ['beyond'] : ['low', 'beyond'];
	}
	return found;
}

/** The states that may follow one; open: null, or {low: since when its rate is low, or null}. */
function next(open, kind, found, at) {
	if (!open) return found === 'beyond' ? { low: null } : null;
	if (found !== 'low') return { low: null };
	if (kind === 'unanswered' || kind === 'node') return null;
	if (open.low === null || at < open.low) return { low: at };
	return at - open.low >= CALM_MS ? null : open;
}

/**
 * Compares: `looks` [{at, step}] in their order, `alerts` as GET /v1/alerts has them. → how many were raised; throws at the
 * first that is missing, one too many, late or early.
 */
export function judge(history, looks, alerts) {
	const instants = new Set(looks.map((look) => look.at));
	const times = alerts.map((a) => ({ id: a.id, what: `${a.kind} ${a.key ?? ''}`, since: Date.parse(a.since), cleared: a.cleared_at && Date.parse(a.cleared_at) }));
	for (const a of times) {
		for (const at of [a.since, a.cleared]) if (at && !instants.has(at)) throw new Error(`${a.id} ${a.what}: nobody looked at ${new Date(at).toISOString()}`);
	}
	const states = new Map();
	for (const look of looks) {
		const found = findings(history, look);
		for (const what of new Set([...Object.keys(found), ...times.map((a) => a.what)])) {
			const can = look.slow ? ANYTHING : found[what] ?? ['low'], kind = what.split(' ')[0];
			const raised = times.filter((a) => a.what === what && a.since === look.at).length;
			const cleared = times.filter((a) => a.what === what && a.cleared === look.at).length;
			const fits = [];
			for (const open of states.get(what) ?? [null]) {
				for (const one of can) {
					const then = next(open, kind, one, look.at);
					if (Number(!open && Boolean(then)) === raised && Number(Boolean(open) && !then) === cleared
						&& !fits.some((f) => f?.low === then?.low && !f === !then)) fits.push(then);
				}
			}
			if (!fits.length) {
				throw new Error(`${what} at ${new Date(look.at).toISOString()} (step ${look.step}): ${raised} raised, ${cleared} cleared; it was `
					+ `${JSON.stringify(states.get(what) ?? [null])} and a look finds ${can.join(' or ')}`);
			}
			states.set(what, fits);
		}
	}
	return times.length;
}
