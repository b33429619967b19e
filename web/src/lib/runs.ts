/* What the page shows of runs: a tree of agents, their calls, figures. Pure but for the language. */
import type { Run, Task, ToolCall, Usage } from '../api/runs';
import type { Event } from '../api/types';
import { language, t } from './i18n.svelte';

export const runEnded = (run: Run) =>
	run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled';

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The runs that nobody started but people, oldest first. */
export const topRuns = (runs: Run[]) => runs.filter((run) => !run.parent).sort(byId);

/** The top-level run that is at work, waits or stands in the queue. */
export const activeRun = (runs: Run[]): Run | null =>
	topRuns(runs).findLast((run) => !runEnded(run)) ?? null;

/* ---- the tree ---- */

/** working · waits for sub-agents · waits for a person · failed · queued · done · stopped */
export type Dot = 'working' | 'children' | 'person' | 'failed' | 'queued' | 'done' | 'stopped';

export function dotOf(run: Run): Dot {
	switch (run.status) {
		case 'running':
			return 'working';
		case 'waiting':
			return run.waits_for.some((one) => one.type === 'ask')
				? 'person'
				: run.waits_for.some((one) => one.type === 'run')
					? 'children'
					: 'queued';
		case 'completed':
			return 'done';
		case 'failed':
			return 'failed';
		case 'cancelled':
			return 'stopped';
		case 'queued':
			return 'queued';
	}
}

export interface Branch {
	run: Run;
	children: Run[];
}

/** The newest top-level run first, each with those it started. */
export const treeOf = (runs: Run[]): Branch[] =>
	topRuns(runs)
		.reverse()
		.map((run) => ({ run, children: runs.filter((one) => one.parent === run.id).sort(byId) }));

/** Sub-agents a call started: all that it lists, by the call or by the first child. */
export const childrenOf = (call: ToolCall, runs: Run[]) =>
	runs.filter((run) => run.call === call.id || run.id === call.child).sort(byId);

export function percentOf(run: Run): number | null {
	const percent = run.progress?.['percent'];
	if (typeof percent === 'number') return Math.max(0, Math.min(100, percent));
	const [step, steps] = [run.progress?.['step'], run.progress?.['steps']];
	return typeof step === 'number' && typeof steps === 'number' && steps > 0
		? Math.round((100 * step) / steps)
		: null;
}

/** In the order they are to be done: those at work, then by priority, the done ones last. */
export function tasksInOrder(tasks: Task[]): Task[] {
	const rank = { in_progress: 0, pending: 1, completed: 2 };
	return [...tasks].sort(
		(a, b) => rank[a.status] - rank[b.status] || a.priority - b.priority || byId(a, b),
	);
}

/* ---- figures ---- */

export const tokensIn = (usage: Usage) =>
	usage.input + usage.cache_read + usage.cache_write + usage.cache_write_1h;

export function usageSum(list: Usage[]): Usage {
	const sum: Usage = {
		input: 0,
		cache_read: 0,
		cache_write: 0,
		cache_write_1h: 0,
		output: 0,
		reasoning: 0,
	};
	for (const one of list)
		for (const name in sum) sum[name as keyof Usage] += one[name as keyof Usage];
	return sum;
}

/** "812", "9.8k", "142k", "1.2M". */
export function tokensShort(n: number): string {
	const scale = (value: number, unit: string) =>
		value.toLocaleString(language(), { maximumFractionDigits: value < 10 ? 1 : 0 }) + unit;
	if (n < 1000) return String(n);
	if (n < 999_500) return scale(n / 1000, 'k');
	return scale(n / 1_000_000, 'M');
}

/** "$0.42"; less than a cent with the digits that count. */
export function dollars(usd: number): string {
	const small = usd > 0 && usd < 0.01;
	return new Intl.NumberFormat(language(), {
		style: 'currency',
		currency: 'USD',
		currencyDisplay: 'narrowSymbol',
		...(small ? { maximumSignificantDigits: 2 } : {}),
	}).format(usd);
}

/** "0:40", "2:31", "1:04:10": time at work. */
export function worked(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	const two = (n: number) => String(n).padStart(2, '0');
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	return hours
		? `${hours}:${two(minutes)}:${two(seconds % 60)}`
		: `${minutes}:${two(seconds % 60)}`;
}

/** "4 min 20 s", "40 s", "1 h 4 min". */
export function workedWords(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	const parts = [
		...(hours ? [t('web.span.short.hour', { n: hours })] : []),
		...(minutes ? [t('web.span.short.minute', { n: minutes })] : []),
		...(hours || (minutes && !(seconds % 60))
			? []
			: [t('web.span.short.second', { n: seconds % 60 })]),
	];
	return parts.join(' ');
}

/** How long it has worked: what is counted, and what it works on now. */
export function workedMs(run: Run, events: Event[], now: number): number {
	if (run.status !== 'running') return run.duration_ms;
	const last = events.findLast((event) => event.run === run.id)?.at ?? run.started_at;
	return run.duration_ms + (last ? Math.max(0, now - Date.parse(last)) : 0);
}

/** Of all: sub-agents work beside each other, while the one that started them waits. */
export function workedAll(runs: Run[], events: Event[], now: number): number {
	return topRuns(runs).reduce((sum, run) => {
		const inside = runs.filter((one) => one.parent === run.id);
		const longest = Math.max(0, ...inside.map((one) => workedMs(one, events, now)));
		return sum + workedMs(run, events, now) + longest;
	}, 0);
}

/** What a call is about, in one line: the argument that says it. */
export function callAbout(call: ToolCall): string {
	const given = call.approved_arguments ?? call.arguments;
	const names = [
		'command',
		'path',
		'query',
		'q',
		'task',
		'name',
		'text',
		'title',
		'question',
		'url',
	];
	for (const name of names) if (typeof given[name] === 'string') return oneLine(given[name]);
	const asked: unknown = given['questions'];
	if (Array.isArray(asked)) {
		const [one] = asked as { question?: unknown; text?: unknown }[];
		const text = one?.question ?? one?.text;
		if (typeof text === 'string') return oneLine(text);
	}
	const text = Object.values(given).find((value) => typeof value === 'string');
	return text ? oneLine(text) : '';
}

const LINE_MAX = 200;
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, LINE_MAX);

const suffixes: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };

/** "2nd", "2e": a place in a queue. */
export function ordinal(n: number): string {
	if (language() === 'fr') return n === 1 ? '1er' : `${n}e`;
	return n + suffixes[new Intl.PluralRules('en', { type: 'ordinal' }).select(n)]!;
}
