/* Which approvals go together, and how each is drawn on its line. Pure. */
import type { Ask, Operation } from '../api/types';
import { jsonWrite } from './json';
import { argumentsOf, commandOf } from './operation';
import { askRisk } from './order';

export type Why = 'risk' | 'votes' | 'long' | 'other';

export interface Batch {
	taken: Ask[];
	/** Each is decided by itself, for this reason. */
	left: { ask: Ask; why: Why }[];
}

export const BATCH_MAX = 200;
const LINE_MAX = 120;

interface Argument {
	/** null: it is what the tool runs, and the only one. */
	name: string | null;
	text: string;
}

/** An operation on one line: its arguments in order of their names; null: not as rows. */
function argumentsLine(operation: Operation): Argument[] | null {
	const list = argumentsOf(operation);
	if (!list) return null;
	const lone = list.length === 1 && commandOf(list);
	const values = (operation.arguments ?? {}) as Record<string, unknown>;
	return list
		.map((arg) => ({
			name: lone ? null : arg.name,
			text: arg.isText ? arg.text : jsonWrite(values[arg.name]),
		}))
		.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
}

const shapeOf = ({ type, name, arguments: given }: Operation): string =>
	jsonWrite([
		type ?? null,
		name,
		given && typeof given === 'object' && !Array.isArray(given) ? Object.keys(given).sort() : null,
	]);

function fits(ask: Ask): boolean {
	const line = ask.operation && argumentsLine(ask.operation);
	if (!line || ask.context?.diff) return false;
	const texts = line.flatMap(({ name, text }) => [name ?? '', text]);
	const all = [ask.operation!.name, ...texts].join(' ');
	return all.length <= LINE_MAX && !/[\p{Cc}\u2028\u2029]/u.test(all);
}

/** Why it is decided by itself, whatever else there is. */
function aloneOf(ask: Ask): Why | null {
	const risk = askRisk(ask);
	if (risk === 'high' || risk === 'critical') return 'risk';
	if (ask.require?.length) return 'votes';
	return fits(ask) ? null : 'long';
}

/** The most that one press may approve: one tool, the same names of arguments. */
export function batchOf(asks: Ask[]): Batch {
	const groups = new Map<string, Ask[]>();
	for (const ask of asks) {
		if (aloneOf(ask)) continue;
		const shape = shapeOf(ask.operation!);
		groups.set(shape, [...(groups.get(shape) ?? []), ask]);
	}
	const most = [...groups.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
	const taken = most.slice(0, BATCH_MAX);
	return {
		taken,
		left: asks
			.filter((ask) => !taken.includes(ask))
			.map((ask) => ({ ask, why: aloneOf(ask) ?? 'other' })),
	};
}

/** What stands before, within and behind what differs between these texts; whole words. */
export function differing(texts: string[]): [string, string, string][] {
	const first = texts[0] ?? '';
	let start = first.length;
	let end = first.length;
	for (const text of texts) {
		let k = 0;
		while (k < start && text[k] === first[k]) k++;
		start = k;
		k = 0;
		while (k < end && k < text.length && text[text.length - 1 - k] === first[first.length - 1 - k])
			k++;
		end = k;
	}
	if (texts.every((text) => text === first)) return texts.map((text) => [text, '', '']);
	const head = first.slice(0, start).replace(/[\p{L}\p{N}_.-]+$/u, '').length;
	const tail = first.slice(first.length - end).replace(/^[\p{L}\p{N}_.-]+/u, '').length;
	return texts.map((text) => {
		const until = Math.max(head, text.length - tail);
		return [text.slice(0, head), text.slice(head, until), text.slice(until)];
	});
}

export interface Line {
	ask: Ask;
	tool: string;
	parts: { name: string | null; text: [string, string, string] }[];
}

/** Operations of one batch, with what differs between them. */
export function linesOf(asks: Ask[]): Line[] {
	const rows = asks.map((ask) => argumentsLine(ask.operation!) ?? []);
	const columns = (rows[0] ?? []).map((_, i) => differing(rows.map((row) => row[i]?.text ?? '')));
	return asks.map((ask, n) => ({
		ask,
		tool: ask.operation!.name,
		parts: rows[n]!.map(({ name }, i) => ({ name, text: columns[i]![n]! })),
	}));
}
