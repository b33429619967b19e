/* Which approvals go together, and how each is drawn on its line. Pure. */
import type { Ask, Operation } from '../api/types';
import { jsonWrite } from './json';
import { bundleOf } from './mandate';
import { argumentsOf, commandOf } from './operation';
import { askRisk } from './order';

export type Why = 'risk' | 'votes' | 'long' | 'other' | 'question' | 'many';

export interface Batch {
	/** Those of one tool with the same names of arguments. */
	groups: Ask[][];
	/** Each is decided by itself, for this reason. */
	left: { ask: Ask; why: Why }[];
}

export const BATCH_MAX = 200;
const LINE_MAX = 120;

interface Said {
	of: string;
	/** null: it is what the tool runs, and the only one. */
	name: string | null;
	text: string;
}

/** An operation on one line: its arguments in order of their names; null: not as rows. */
function argumentsLine(operation: Operation): Said[] | null {
	const bundle = bundleOf(operation);
	if (bundle)
		return bundle.lines.map(({ key, tool, uses }) => ({
			of: key,
			name: null,
			text: `${tool.join(' ')} ×${uses}`,
		}));
	const list = argumentsOf(operation);
	if (!list) return null;
	const lone = list.length === 1 && commandOf(list);
	const values = (operation.arguments ?? {}) as Record<string, unknown>;
	return list
		.map((arg) => ({
			of: arg.name,
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
	if (!line || ask.context?.diff || bundleOf(ask.operation!)) return false;
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

/** What one press may approve. Of a tool, those whose arguments have the names that most of them have. */
export function batchOf(asks: Ask[]): Batch {
	const shapes = new Map<string, Ask[]>();
	for (const ask of asks) {
		if (aloneOf(ask)) continue;
		const shape = shapeOf(ask.operation!);
		shapes.set(shape, [...(shapes.get(shape) ?? []), ask]);
	}
	const tools = new Map<string, Ask[]>();
	for (const group of shapes.values()) {
		const { name } = group[0]!.operation!;
		if (group.length > (tools.get(name)?.length ?? 0)) tools.set(name, group);
	}
	let room = BATCH_MAX;
	const groups = [...tools.values()]
		.map((group) => {
			const taken = group.slice(0, room);
			room -= taken.length;
			return taken;
		})
		.filter((group) => group.length > 0);
	const taken = new Set(groups.flat());
	const fits = new Set([...tools.values()].flat());
	return {
		groups,
		left: asks
			.filter((ask) => !taken.has(ask))
			.map((ask) => ({ ask, why: aloneOf(ask) ?? (fits.has(ask) ? 'many' : 'other') })),
	};
}

/** What stands before, within and behind what differs. */
type Parts = [string, string, string];

/** Of each of these texts what differs between them; whole words. */
export function differing(texts: string[]): Parts[] {
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

/** What stands before a change, what went, what came and what stands behind it; of several lines the whole. */
export function changeIn(was: string, is: string): [string, string, string, string] {
	if (/\n/.test(was + is)) return ['', was, is, ''];
	const [[before, , behind], [, , other]] = differing([was, is]) as [Parts, Parts];
	const tail = Math.min(behind.length, other.length);
	const within = (text: string) => text.slice(before.length, text.length - tail);
	return [before, within(was), within(is), is.slice(is.length - tail)];
}

export interface Line {
	ask: Ask;
	tool: string;
	/** The arguments that differ from the others of its batch. */
	differs: string[];
	parts: { name: string | null; text: Parts }[];
}

/** Operations of one batch, with what differs between them. */
export function linesOf(asks: Ask[]): Line[] {
	const rows = asks.map((ask) => argumentsLine(ask.operation!) ?? []);
	const columns = (rows[0] ?? []).map((_, i) => differing(rows.map((row) => row[i]?.text ?? '')));
	return asks.map((ask, n) => ({
		ask,
		tool: ask.operation!.name,
		differs: rows[n]!.flatMap(({ of }, i) => (columns[i]![n]![1] ? [of] : [])),
		parts: rows[n]!.map(({ name }, i) => ({ name, text: columns[i]![n]! })),
	}));
}

/** The whole operation in words, on one line: for where nothing can be drawn. */
export function lineText(ask: Ask): string {
	if (!ask.operation) return '';
	const [line] = linesOf([ask]);
	const said = line!.parts.map(({ name, text }) =>
		name === null ? text.join('') : `${name}: ${text.join('')}`,
	);
	return [line!.tool, ...said].join('  ').replace(/\s*\n\s*/g, ' ⏎ ');
}
