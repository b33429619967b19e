/* JSON with exact integers. JSON.parse rounds what lies beyond 2^53; here such an integer becomes a
 * bigint, is shown digit for digit and is written back as it came. */

/* A long number; digests and ids have long rows of digits too, but behind something else. */
const BIG = /(^|[[:,\s])-?\d{16}/;
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const LITERALS: [string, unknown][] = [
	['true', true],
	['false', false],
	['null', null],
];

class Reader {
	private at = 0;
	constructor(private text: string) {}

	whole(): unknown {
		const value = this.value();
		this.space();
		if (this.at < this.text.length) this.fail();
		return value;
	}

	private fail(): never {
		throw new SyntaxError(`not JSON at ${this.at}`);
	}

	private space(): void {
		while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at++;
	}

	private take(char: string): boolean {
		this.space();
		if (this.text[this.at] !== char) return false;
		this.at++;
		return true;
	}

	private value(): unknown {
		this.space();
		const char = this.text[this.at];
		if (char === '{') return this.object();
		if (char === '[') return this.array();
		if (char === '"') return this.string();
		for (const [word, value] of LITERALS)
			if (this.text.startsWith(word, this.at)) {
				this.at += word.length;
				return value;
			}
		return this.number();
	}

	private number(): number | bigint {
		NUMBER.lastIndex = this.at;
		const found = NUMBER.exec(this.text);
		if (!found) this.fail();
		this.at = NUMBER.lastIndex;
		return numberRead(found[0]);
	}

	/* A string ends at the first quote that no backslash escapes. */
	private string(): string {
		const from = this.at++;
		for (; this.text[this.at] !== '"'; this.at++) {
			if (this.at >= this.text.length) this.fail();
			if (this.text[this.at] === '\\') this.at++;
		}
		return JSON.parse(this.text.slice(from, ++this.at)) as string;
	}

	private array(): unknown[] {
		const list: unknown[] = [];
		this.at++;
		if (this.take(']')) return list;
		do list.push(this.value());
		while (this.take(','));
		if (!this.take(']')) this.fail();
		return list;
	}

	private object(): Record<string, unknown> {
		const out: Record<string, unknown> = {};
		this.at++;
		if (this.take('}')) return out;
		do {
			this.space();
			if (this.text[this.at] !== '"') this.fail();
			const value = { name: this.string() };
			if (!this.take(':')) this.fail();
			/* Not by assignment: a member may be called __proto__. */
			Object.defineProperty(out, value.name, {
				value: this.value(),
				configurable: true,
				enumerable: true,
				writable: true,
			});
		} while (this.take(','));
		if (!this.take('}')) this.fail();
		return out;
	}
}

/** A number as JSON or a person wrote it; an integer that a double cannot hold is a bigint. */
export function numberRead(text: string): number | bigint {
	const number = Number(text);
	return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}

export function jsonRead(text: string): unknown {
	/* The built-in reader is many times as fast, and right wherever no long number is in sight. */
	return BIG.test(text) ? new Reader(text).whole() : JSON.parse(text);
}

/** As JSON.stringify, with bigints as numbers. */
export function jsonWrite(value: unknown, indent = 0): string {
	const bigs: string[] = [];
	const mark = `\u0001${Math.random().toString(36).slice(2)}:`;
	const text = JSON.stringify(
		value,
		(_, one: unknown) => (typeof one === 'bigint' ? mark + (bigs.push(String(one)) - 1) : one),
		indent,
	);
	if (!bigs.length) return text;
	const quoted = JSON.stringify(mark).slice(0, -1).replace(/\\/g, '\\\\');
	return text.replace(new RegExp(`${quoted}(\\d+)"`, 'g'), (_, at: string) => bigs[Number(at)]!);
}
