/* A unified diff as rows to draw. Whatever is no diff comes out as plain lines. */

export type LineKind = 'file' | 'hunk' | 'add' | 'del' | 'same';

export interface Line {
	kind: LineKind;
	text: string;
	old: number | null;
	new: number | null;
}

export interface Pair {
	left: Line | null;
	right: Line | null;
}

export interface Tally {
	added: number;
	removed: number;
	files: number;
}

export function diffLines(diff: string): Line[] {
	const out: Line[] = [];
	let old = 0;
	let now = 0;
	let inHunk = false;
	for (const text of diff.replace(/\n$/, '').split('\n')) {
		const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
		if (hunk) {
			old = Number(hunk[1]);
			now = Number(hunk[2]);
			inHunk = true;
			out.push({ kind: 'hunk', text, old: null, new: null });
		} else if (/^(---|\+\+\+|diff |index |new file|deleted file|rename |similarity )/.test(text)) {
			out.push({ kind: 'file', text, old: null, new: null });
			if (text.startsWith('diff ')) inHunk = false;
		} else if (text.startsWith('+')) {
			out.push({ kind: 'add', text: text.slice(1), old: null, new: inHunk ? now++ : null });
		} else if (text.startsWith('-')) {
			out.push({ kind: 'del', text: text.slice(1), old: inHunk ? old++ : null, new: null });
		} else {
			const same = text.startsWith(' ') ? text.slice(1) : text;
			out.push({
				kind: 'same',
				text: same,
				old: inHunk ? old++ : null,
				new: inHunk ? now++ : null,
			});
		}
	}
	return out;
}

/** The file that a line of a diff begins, and null for what stands above the first one. */
export interface FilePart {
	name: string | null;
	lines: Line[];
}

const fileName = (text: string) =>
	text.replace(/^(\+\+\+|---) (?:[ab]\/)?/, '').replace(/\t.*$/, '');

/** By file: its name, and its lines without the ones that say it. */
export function diffFiles(lines: Line[]): FilePart[] {
	const out: FilePart[] = [];
	let head = true; // in the lines that name a file
	for (const line of lines) {
		if (line.kind !== 'file') {
			if (!out.length) out.push({ name: null, lines: [] });
			out.at(-1)!.lines.push(line);
			head = false;
			continue;
		}
		if (!head || !out.length) out.push({ name: null, lines: [] });
		head = true;
		const part = out.at(-1)!;
		if (/^(---|\+\+\+) /.test(line.text) && !line.text.endsWith('/dev/null'))
			part.name = fileName(line.text);
		else if (/^(new file|deleted file|rename |similarity )/.test(line.text)) part.lines.push(line);
	}
	return out.filter((part) => part.name !== null || part.lines.length);
}

/** Side by side: a run of removed lines stands beside the run of added ones after it. */
export function diffPairs(lines: Line[]): Pair[] {
	const out: Pair[] = [];
	for (let i = 0; i < lines.length;) {
		const dels: Line[] = [];
		const adds: Line[] = [];
		while (lines[i]?.kind === 'del') dels.push(lines[i++]!);
		while (lines[i]?.kind === 'add') adds.push(lines[i++]!);
		if (dels.length || adds.length) {
			for (let n = 0; n < Math.max(dels.length, adds.length); n++)
				out.push({ left: dels[n] ?? null, right: adds[n] ?? null });
			continue;
		}
		const line = lines[i++]!;
		out.push({ left: line, right: line });
	}
	return out;
}

export function diffTally(lines: Line[]): Tally {
	const count = (kind: LineKind) => lines.filter((line) => line.kind === kind).length;
	const files = lines.filter((l) => l.kind === 'file' && l.text.startsWith('+++')).length;
	return { added: count('add'), removed: count('del'), files: Math.max(files, 1) };
}
