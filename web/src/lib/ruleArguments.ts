/* Tests of arguments in a rule as lines of a form: where, which test, what. */

export const TESTS = ['is', 'in', 'glob', 'under', 'host', 'min', 'max', 'has'] as const;
export type Test = (typeof TESTS)[number];

export interface ArgumentLine {
	pointer: string;
	test: Test;
	text: string;
}

/** A text as it is, unless it would be read as something else: "12" is a text, 12 a number. */
function shown(value: unknown): string {
	if (typeof value !== 'string') return JSON.stringify(value);
	return said(value) === value ? value : JSON.stringify(value);
}

/** What was written: JSON where it is some, else a text. */
function said(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

/** "a, b, 3", or a whole array as JSON. */
function listOf(text: string): unknown[] {
	const whole = said(text);
	if (Array.isArray(whole)) return whole as unknown[];
	return text
		.split(',')
		.map((one) => one.trim())
		.filter(Boolean)
		.map(said);
}

export function argumentLines(given: Record<string, unknown> | undefined): ArgumentLine[] {
	return Object.entries(given ?? {}).flatMap(([pointer, tests]) =>
		Object.entries(tests as Record<string, unknown>).map(([test, value]) => ({
			pointer,
			test: test as Test,
			text:
				test === 'in' && Array.isArray(value) && !value.some((one) => String(one).includes(','))
					? value.map(shown).join(', ')
					: shown(value),
		})),
	);
}

/** Back again; lines without a place or a value are left out. */
export function argumentsFrom(lines: ArgumentLine[]): Record<string, Record<string, unknown>> {
	const all: Record<string, Record<string, unknown>> = {};
	for (const { pointer, test, text } of lines) {
		if (!pointer.trim() || !text.trim()) continue;
		const at = pointer.trim().startsWith('/') ? pointer.trim() : `/${pointer.trim()}`;
		const pattern = test === 'glob' || test === 'under' || test === 'host';
		all[at] = {
			...all[at],
			[test]: pattern ? text.trim() : test === 'in' ? listOf(text) : said(text.trim()),
		};
	}
	return all;
}
