/* The history: what its address asks for, its days, the repeats of a rule, and what each line says. Pure but for
 * the language. */
import type { Ask, SettledCounts } from '../api/types';
import { t, tn } from './i18n.svelte';
import { jsonWrite } from './json';
import { argumentsOf, editedOf, settledOperation } from './operation';
import { span, time } from './time';
import { answerWords, isByRule, outcomeOf, outcomeWords } from './words';

/** What can be asked for; `at`, the one that is looked at, is no filter. */
export const historyNames = ['when', 'by', 'outcome', 'kind', 'agent', 'project', 'q'] as const;
export type HistoryWish = Record<(typeof historyNames)[number], string>;

export function historyWish(search: string): HistoryWish {
	const params = new URLSearchParams(search);
	return Object.fromEntries(
		historyNames.map((name) => [name, params.get(name) ?? '']),
	) as HistoryWish;
}

/** An address with these filters set anew; '' takes one out. */
export function historyWith(search: string, change: Partial<HistoryWish>): string {
	const all = { ...historyWish(search), ...change };
	return new URLSearchParams(
		historyNames.flatMap((name) => (all[name] ? [[name, all[name]]] : [])),
	).toString();
}

const DAY_MS = 86_400_000;
const RANGE = /^(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?$/;

/** Two days, each of which may be open: "2026-11-01..2026-11-07". */
export function rangeOf(when: string): { from: string; to: string } | null {
	const found = RANGE.exec(when);
	return found ? { from: found[1] ?? '', to: found[2] ?? '' } : null;
}

const localDay = (day: string): Date => new Date(`${day}T00:00:00`);

/** From and to when, as the server takes it. Days are those of whoever looks. */
export function whenQuery(when: string, now: number): { from?: string; to?: string } {
	const range = rangeOf(when);
	if (range) {
		const to = range.to ? localDay(range.to) : null;
		to?.setDate(to.getDate() + 1);
		return {
			...(range.from ? { from: localDay(range.from).toISOString() } : {}),
			...(to ? { to: new Date(to.getTime() - 1).toISOString() } : {}),
		};
	}
	const days = Number(when);
	if (!days) return {};
	const midnight = new Date(now).setHours(0, 0, 0, 0);
	return { from: new Date(midnight - (days - 1) * DAY_MS).toISOString() };
}

/** The whole of one day, within what is asked for. */
export function dayQuery(iso: string, wish: HistoryWish, now: number): Record<string, string> {
	const whole = whenQuery(wish.when, now);
	const from = new Date(new Date(iso).setHours(0, 0, 0, 0)).toISOString();
	const to = new Date(new Date(iso).setHours(23, 59, 59, 999)).toISOString();
	return {
		from: whole.from && whole.from > from ? whole.from : from,
		to: whole.to && whole.to < to ? whole.to : to,
	};
}

/** The views of the history: what each of them asks for, and which of the counts is its own. */
export const historyViews = [
	{ id: 'all', by: '', outcome: '', count: 'all' },
	{ id: 'mine', by: 'me', outcome: '', count: 'mine' },
	{ id: 'rejected', by: '', outcome: 'rejected', count: 'rejected' },
	{ id: 'rules', by: 'rules', outcome: '', count: 'by_rules' },
	{ id: 'expired', by: '', outcome: 'expired', count: 'expired' },
] as const satisfies { id: string; by: string; outcome: string; count: keyof SettledCounts }[];

export const viewOf = (wish: HistoryWish): string | null =>
	historyViews.find((one) => one.by === wish.by && one.outcome === wish.outcome)?.id ?? null;

export interface Fold {
	key: string;
	n: number;
	used: number;
	/** How many of them differ in what was to be run. */
	kinds: number;
}

export interface HistoryRow {
	ask: Ask;
	/** It stands for as many. */
	fold: Fold | null;
	/** It stands below what it was folded into. */
	inside: boolean;
	/** The day that begins with it; `count` is null while not all of it is here. */
	day: { iso: string; count: number | null } | null;
}

const FOLD_FROM = 3;
const dayOf = (ask: Ask) => new Date(ask.settled_at!).toDateString();

/** Repeats are what one rule decided in the same way, of the same tool, within a day. */
function foldKey(ask: Ask): string {
	if (!isByRule(ask) || !ask.answered_by?.rule) return '';
	return jsonWrite([dayOf(ask), ask.answered_by.rule, outcomeOf(ask), ask.operation?.name ?? '']);
}

/** In their order, newest first. `whole`: there are no older ones. */
export function historyRows(items: Ask[], open: ReadonlySet<string>, whole: boolean): HistoryRow[] {
	const folds = new Map<string, Ask[]>();
	const days = new Map<string, number>();
	for (const ask of items) {
		const key = foldKey(ask);
		if (key) folds.set(key, [...(folds.get(key) ?? []), ask]);
		days.set(dayOf(ask), (days.get(dayOf(ask)) ?? 0) + 1);
	}
	const last = items.at(-1);
	const rows: HistoryRow[] = [];
	let day = '';
	const add = (ask: Ask, fold: Fold | null, inside: boolean) => {
		const mine = dayOf(ask);
		const begins = mine !== day;
		const known = whole || mine !== dayOf(last!);
		day = mine;
		rows.push({
			ask,
			fold,
			inside,
			day: begins ? { iso: ask.settled_at!, count: known ? days.get(mine)! : null } : null,
		});
	};
	for (const ask of items) {
		const key = foldKey(ask);
		const all = folds.get(key) ?? [];
		if (all.length < FOLD_FROM) add(ask, null, false);
		else if (all[0] === ask) {
			const kinds = new Set(all.map((one) => jsonWrite(one.operation?.arguments ?? null))).size;
			add(ask, { key, n: all.length, used: all.filter((one) => one.used_at).length, kinds }, false);
			if (open.has(key)) for (const other of all.slice(1)) add(other, null, true);
		}
	}
	return rows;
}

/** What became of it, in a word or two. */
export function verbOf(ask: Ask): string {
	const outcome = outcomeOf(ask)!;
	if (isByRule(ask)) return t(outcome === 'rejected' ? 'web.verb.denied' : 'web.verb.allowed');
	if (outcome === 'changed') return t('web.verb.changed');
	if (outcome === 'revoked') return t('web.verb.revoked');
	return outcomeWords(outcome);
}

export interface HasIt {
	words: string;
	/** Something may still come of it. */
	waits: boolean;
}

/** What the agent has of it; empty where there is nothing to have. */
export function hasIt(ask: Ask, fold: Fold | null = null): HasIt {
	const none = { words: '', waits: false };
	const outcome = outcomeOf(ask);
	if (outcome === 'revoked' || outcome === 'withdrawn') return none;
	if (fold && outcome !== 'rejected')
		return { words: t('web.has.used.of', { n: fold.used, of: fold.n }), waits: false };
	if (ask.used_at) return { words: t('web.has.used', { at: time(ask.used_at) }), waits: false };
	/* What a rule decides is in the reply to the asking. */
	const told = ask.fetched_at ?? (isByRule(ask) ? ask.settled_at : null);
	if (!told) return { words: t('web.has.fetched.not'), waits: true };
	if (outcome === 'approved' || outcome === 'changed')
		return { words: t('web.has.used.not'), waits: true };
	return { words: t('web.has.told', { at: time(told) }), waits: false };
}

/** Who had approved what nobody decided in the end. */
export const votedWords = (
	ask: Ask,
	name: (user: string | null | undefined, given: string) => string,
) =>
	(ask.votes ?? [])
		.filter((vote) => vote.value === 'approve')
		.map((vote) => name(vote.by.user, vote.by.name ?? '?'));

const quoted = (text: string) => t('web.quoted', { text });

function expiredWords(ask: Ask, voted: string[]): string {
	const open = Date.parse(ask.settled_at!) - Date.parse(ask.created_at);
	const parts = [t('web.history.after', { span: span(open, 'short') })];
	const said = answerWords(ask);
	if (said && ask.answered_by?.kind === 'default')
		parts.push(t('web.history.default.said', { text: said }));
	if (voted.length) parts.push(tn('web.history.voted', voted.length, { names: voted.join(', ') }));
	return parts.join('; ');
}

/** Beside the verb, where it is not the operation: the reason, the answer, what ran out; else ''. */
export function becauseWords(ask: Ask, voted: string[]): string {
	const outcome = outcomeOf(ask);
	const text = Object.values(ask.answer ?? {}).find((one) => one.text)?.text ?? '';
	switch (outcome) {
		case 'expired':
			return expiredWords(ask, voted);
		case 'answered':
			return answerWords(ask);
		case 'rejected':
			return isByRule(ask) ? '' : text || ask.reason ? quoted(text || ask.reason!) : '';
		case 'skipped':
		case 'withdrawn':
			return ask.reason ? quoted(ask.reason) : '';
		default:
			return '';
	}
}

/** Of an operation that was changed, each argument that was: what it was, what it is. */
export function changesOf(ask: Ask): { was: string; is: string }[] {
	const edited = editedOf(ask);
	if (!ask.operation || !edited) return [];
	const was = argumentsOf(ask.operation) ?? [];
	const is = argumentsOf(settledOperation(ask)!) ?? [];
	return is.flatMap((arg) => {
		const old = was.find((one) => one.name === arg.name)?.text ?? '';
		return old === arg.text ? [] : [{ was: old, is: arg.text }];
	});
}
