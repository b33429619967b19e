/* What the page shows of runs: one stream of what was said and done, a tree of agents, figures. Pure but
 * for the language. */
import type { Message, Part, Run, Task, ToolCall, Usage } from '../api/runs';
import { language } from './i18n.svelte';

export type Item =
	| { kind: 'user'; key: string; message: Message; text: string; unread: boolean }
	| { kind: 'asked'; key: string; why: NonNullable<Part['asked']> }
	| { kind: 'text'; key: string; run: string; text: string }
	| { kind: 'thought'; key: string; run: string; text: string }
	| { kind: 'calls'; key: string; calls: ToolCall[] };

export const runEnded = (run: Run) =>
	run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled';

const textOf = (parts: Part[]) =>
	parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The runs that nobody started but people, oldest first. */
export const topRuns = (runs: Run[]) => runs.filter((run) => !run.parent).sort(byId);

/** The top-level run that is at work, waits or stands in the queue. */
export const activeRun = (runs: Run[]): Run | null =>
	topRuns(runs).findLast((run) => !runEnded(run)) ?? null;

/**
 * What was said and done, in order, of these runs: top-level runs for the session, one sub-agent for its
 * own page. A message that no turn has followed yet is unread while its run goes on.
 */
export function streamOf(messages: Message[], calls: ToolCall[], runs: Run[]): Item[] {
	const own = new Map(runs.map((run) => [run.id, run]));
	const items: Item[] = [];
	const said = messages.filter((one) => !one.run || own.has(one.run)).sort(byId);
	const first = new Set<string>();
	said.forEach((message, at) => {
		const { role, content, run } = message;
		const why = role === 'user' && content[0]?.asked;
		if (why) items.push({ kind: 'asked', key: message.id, why });
		else if (role === 'user') {
			const begins = run !== null && !first.has(run);
			if (run) first.add(run);
			const goesOn = run !== null && !runEnded(own.get(run)!);
			const read = said.slice(at + 1).some((next) => next.run === run && next.role !== 'user');
			const unread = goesOn && !begins && !read;
			items.push({ kind: 'user', key: message.id, message, text: textOf(content), unread });
		} else if (role === 'assistant') pushSaid(items, message, calls);
	});
	return items;
}

/* A part names its call. Those that follow each other are one group. */
function pushSaid(items: Item[], message: Message, calls: ToolCall[]): void {
	message.content.forEach((part, i) => {
		const key = `${message.id}.${i}`;
		const { type, text = '' } = part;
		if ((type === 'text' || type === 'thought') && text.trim())
			items.push({ kind: type, key, run: message.run, text });
		else if (type === 'tool_call') {
			const call = calls.find((one) => one.id === part.call);
			const last = items.at(-1);
			if (!call) return;
			if (last?.kind === 'calls') last.calls.push(call);
			else items.push({ kind: 'calls', key, calls: [call] });
		}
	});
}

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

/** "todo/create": a tool of several operations is called by the one that was asked for. */
export function callName(call: ToolCall): string {
	const operation = call.arguments['operation'];
	return typeof operation === 'string' && !call.name.includes('/')
		? `${call.name}/${operation}`
		: call.name;
}

const suffixes: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };

/** "2nd", "2e": a place in a queue. */
export function ordinal(n: number): string {
	if (language() === 'fr') return n === 1 ? '1er' : `${n}e`;
	return n + suffixes[new Intl.PluralRules('en', { type: 'ordinal' }).select(n)]!;
}
