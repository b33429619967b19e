/* What one cannot see can lie. Characters that draw nothing, or that move others, are named. */

export interface Piece {
	text: string;
	hidden: boolean;
}

/* Controls but tab and newline; soft hyphen, joiners, marks and overrides of direction, fillers,
 * variation selectors, tags, private and unassigned uses of the specials block. */
const suspects =
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;
const pictograph = /\p{Extended_Pictographic}/u;

/* A family emoji is held together by joiners: there they are what they seem. */
function harmless(text: string, at: number, mark: string): boolean {
	const before = text.slice(Math.max(0, at - 3), at);
	if (mark === '\ufe0f') return pictograph.test(before) || /[0-9#*©®]$/.test(before);
	if (mark !== '\u200d') return false;
	return pictograph.test(before) && pictograph.test(text.slice(at + 1, at + 3));
}

function nameOf(mark: string): string {
	const code = mark.codePointAt(0) ?? 0;
	if (code < 0x20) return `^${String.fromCharCode(code + 64)}`;
	return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

export function pieces(text: string): Piece[] {
	const out: Piece[] = [];
	let from = 0;
	for (const match of text.matchAll(suspects)) {
		const mark = match[0];
		if (mark === '\r' && text[match.index + 1] === '\n') continue;
		if (harmless(text, match.index, mark)) continue;
		if (match.index > from) out.push({ text: text.slice(from, match.index), hidden: false });
		out.push({ text: nameOf(mark), hidden: true });
		from = match.index + mark.length;
	}
	if (from < text.length) out.push({ text: text.slice(from), hidden: false });
	return out;
}

/** The same as plain text, for places that hold no elements: titles, notifications. */
export function visible(text: string): string {
	return pieces(text)
		.map((piece) => piece.text)
		.join('');
}

/** Length as the server counts it. */
export function codePoints(text: string): number {
	return Array.from(text).length;
}
