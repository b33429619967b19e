/* What stands in the stream of a session, in order: what was said, what was done and what came of the
 * asks. What is still open stands behind it, and is not in it. Pure. */
import type { Message, Part, Run, ToolCall } from '../api/runs';
import type { Ask, Event } from '../api/types';
import { childrenOf, runEnded } from './runs';

/** One line: a tool call with what was decided about it, or an ask that no call made. */
export type Line =
	| { kind: 'call'; key: string; call: ToolCall; ask: Ask | undefined }
	| { kind: 'ask'; key: string; ask: Ask };

export type Item =
	| { kind: 'user'; key: string; at: string; text: string; unread: boolean }
	/** What Parley said in a person's place, and why. */
	| { kind: 'asked'; key: string; at: string; why: NonNullable<Part['asked']> }
	/** What stands for earlier messages; without a text they were left out. */
	| { kind: 'summary'; key: string; at: string; text: string | null; messages: number }
	| { kind: 'text'; key: string; at: string; text: string; turn: string }
	| { kind: 'thought'; key: string; at: string; text: string; turn: string }
	| { kind: 'lines'; key: string; at: string; lines: Line[]; turn: string }
	/** What a sub-agent reported. */
	| { kind: 'report'; key: string; at: string; run: Run; turn: string }
	/** What was being said when it was stopped: no message holds it. */
	| { kind: 'lost'; key: string; at: string; text: string }
	/** Another model took over, and why. */
	| { kind: 'model'; key: string; at: string; from: string; to: string; why: string }
	/** What an agent outside said of its progress; the last one counts. */
	| { kind: 'progress'; key: string; at: string; events: Event[] }
	/** Earlier turns. */
	| { kind: 'fold'; key: string; at: string; items: Item[] };

export interface Streamed {
	messages: Message[];
	calls: ToolCall[];
	/** Those whose words are shown: top-level runs, or one sub-agent. */
	shown: Run[];
	/** All of the session. */
	runs: Run[];
	asks: Ask[];
	events?: Event[];
	/** What runs were saying when they were stopped. */
	lost?: ReadonlyMap<string, string>;
}

const textOf = (parts: Part[]) =>
	parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const byTime = (a: { at: string }, b: { at: string }) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** A message that no turn has followed yet is unread while its run goes on. */
function said(given: Streamed): Item[] {
	const own = new Map(given.shown.map((run) => [run.id, run]));
	const list = given.messages.filter((one) => !one.run || own.has(one.run)).sort(byId);
	const first = new Set<string>();
	return list.flatMap((message, i): Item[] => {
		const { id: key, role, content, run, created_at: at } = message;
		if (role === 'assistant') return turnOf(message, given);
		if (role !== 'user') return [];
		const why = content[0]?.asked;
		if (why) return [{ kind: 'asked', key, at, why }];
		if (content[0]?.type === 'summary') {
			const { text = null, messages = 0 } = content[0];
			return [{ kind: 'summary', key, at, text, messages }];
		}
		const begins = run !== null && !first.has(run);
		if (run) first.add(run);
		const goesOn = run !== null && !runEnded(own.get(run)!);
		const read = list.slice(i + 1).some((next) => next.run === run && next.role !== 'user');
		return [{ kind: 'user', key, at, text: textOf(content), unread: goesOn && !begins && !read }];
	});
}

/* A part names its call. Calls that follow each other are one group; one that waits for a person is the
 * ask behind the stream. */
function turnOf(message: Message, { calls, runs, asks }: Streamed): Item[] {
	const items: Item[] = [];
	const { id: turn, created_at: at } = message;
	message.content.forEach((part, i) => {
		const key = `${turn}.${i}`;
		const { type, text } = part;
		if ((type === 'text' || type === 'thought') && text?.trim())
			items.push({ kind: type, key, at, text, turn });
		const call = type === 'tool_call' && calls.find((one) => one.id === part.call);
		if (!call) return;
		const ask = asks.find((one) => one.id === call.ask);
		if (ask?.status === 'pending') return;
		const line: Line = { kind: 'call', key: call.id, call, ask };
		const last = items.at(-1);
		if (last?.kind === 'lines') last.lines.push(line);
		else items.push({ kind: 'lines', key, at, lines: [line], turn });
	});
	const started = items.flatMap((item) => (item.kind === 'lines' ? item.lines : []));
	for (const line of started)
		for (const run of line.kind === 'call' ? childrenOf(line.call, runs) : [])
			if (run.report?.trim().includes('\n'))
				items.push({ kind: 'report', key: run.id, at, run, turn });
	return items;
}

/** The asks that no call made: of agents outside, and about a run's trouble. */
function asked({ asks, calls, shown, runs }: Streamed): Item[] {
	const own = new Set(shown.map((run) => run.id));
	const top = shown.every((run) => !run.parent);
	const made = new Set(calls.map((call) => call.ask));
	return asks
		.filter((ask) => ask.status !== 'pending' && !made.has(ask.id))
		.filter((ask) => (ask.run ? own.has(ask.run) || !runs.length : top))
		.map((ask) => ({
			kind: 'lines',
			key: ask.id,
			at: ask.created_at,
			lines: [{ kind: 'ask', key: ask.id, ask }],
			turn: '',
		}));
}

/* Lines and progress that follow each other are one group. */
function grouped(items: Item[]): Item[] {
	const out: Item[] = [];
	for (const item of items) {
		const last = out.at(-1);
		if (item.kind === 'progress' && last?.kind === 'progress') last.events.push(...item.events);
		else if (item.kind === 'lines' && last?.kind === 'lines') last.lines.push(...item.lines);
		else out.push(item);
	}
	return out;
}

const KEPT_TURNS = 3;

/* The last turns are open; what the agent did before them is a line between what people wrote. */
function folded(items: Item[], open: ReadonlySet<string>): Item[] {
	const turns = [...new Set(items.flatMap((item) => ('turn' in item && item.turn) || []))];
	const kept = new Set(turns.slice(-KEPT_TURNS));
	const out: Item[] = [];
	for (const item of items) {
		const folds = 'turn' in item && item.turn !== '' && !kept.has(item.turn);
		const last = out.at(-1);
		if (folds && last?.kind === 'fold') last.items.push(item);
		else if (folds) out.push({ kind: 'fold', key: `fold ${item.key}`, at: item.at, items: [item] });
		else out.push(item);
	}
	return out.flatMap((item) =>
		item.kind === 'fold' && (item.items.length < 2 || open.has(item.key)) ? item.items : [item],
	);
}

/** `open`: the folds that somebody opened. */
export function streamOf(given: Streamed, open: ReadonlySet<string> = new Set()): Item[] {
	const { shown, events = [], lost = new Map<string, string>() } = given;
	const progress = (given.runs.length ? [] : events)
		.filter((event) => event.type === 'session.progress')
		.map((event): Item => ({
			kind: 'progress',
			key: String(event.id),
			at: event.at,
			events: [event],
		}));
	const ended = shown.flatMap((run): Item[] => {
		const text = lost.get(run.id);
		return text && run.ended_at
			? [{ kind: 'lost', key: `lost ${run.id}`, at: run.ended_at, text }]
			: [];
	});
	const switched = events
		.filter(({ type, run }) => type === 'run.model' && shown.some(({ id }) => id === run))
		.map(({ id, at, data }): Item => {
			const { from, to, why } = data as unknown as Record<'from' | 'to' | 'why', string>;
			return { kind: 'model', key: String(id), at, from, to, why };
		});
	const all = [...said(given), ...asked(given), ...progress, ...switched, ...ended].sort(byTime);
	return grouped(folded(all, open));
}

/** What is in a fold, counted. */
export function foldCounts(items: Item[]): { calls: number; failed: number; asks: Ask[] } {
	const lines = items.flatMap((item) => (item.kind === 'lines' ? item.lines : []));
	const calls = lines.flatMap((line) => (line.kind === 'call' ? [line.call] : []));
	return {
		calls: calls.length,
		failed: calls.filter((call) => call.status === 'failed').length,
		asks: lines.flatMap((line) => line.ask ?? []),
	};
}
