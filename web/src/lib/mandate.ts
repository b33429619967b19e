/* An approval in advance: what is asked for, and what a person leaves of it. Pure. */
import type { MandateLine, Operation } from '../api/types';
import { jsonRead } from './json';

export interface Bundle {
	lines: MandateLine[];
	until: string;
}

/** What the operation asks for; null: it is something else. */
export function bundleOf(operation: Operation): Bundle | null {
	const given = operation.arguments as Partial<Bundle> | null | undefined;
	return operation.type === 'mandate' && Array.isArray(given?.lines) && given.until
		? { lines: given.lines, until: given.until }
		: null;
}

/** What is left of it, by what was typed (see `edit` of lib/operation.ts). */
export const bundleLeft = (asked: Bundle, texts: Record<string, string>): Bundle => ({
	lines: texts['lines'] === undefined ? asked.lines : (jsonRead(texts['lines']) as MandateLine[]),
	until: texts['until'] ?? asked.until,
});

/** A number as somebody writes one, at most six decimals; otherwise what was written. */
export function numberIn(text: string): number | string {
	const plain = text.trim().replace(',', '.');
	return /^\d{1,15}(\.\d{1,6})?$/.test(plain) ? Number(plain) : text;
}

/* Numbers can only go down. */
export const usesFit = (asked: MandateLine, uses: unknown): boolean =>
	Number.isInteger(uses) && (uses as number) >= 1 && (uses as number) <= asked.uses;
export const sumFits = (asked: MandateLine, max: unknown): boolean =>
	typeof max === 'number' && max >= 0 && max <= asked.sum!.max;

export type Flaw = 'none' | 'number';

/** What keeps it from being approved like this. */
export function bundleFlaw(asked: Bundle, left: Bundle): Flaw | null {
	if (!left.lines.length) return 'none';
	const fits = left.lines.every((line) => {
		const from = asked.lines.find(({ key }) => key === line.key);
		return (
			from && usesFit(from, line.uses) && (!from.sum || sumFits(from, line.sum && line.sum.max))
		);
	});
	return fits ? null : 'number';
}
