/* How people are drawn. Pure. */

/** "Ann Ruiz" is AR; a name that is not known is no letter of its id, and what cannot be seen none of a name. */
export function initials(name: string): string {
	if (/^(usr|team)_\w+$/.test(name)) return '?';
	const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
	return letters.slice(0, 2).join('').toUpperCase() || '?';
}

/** One of three, always the same for a name. */
export const tint = (name: string): number =>
	[...name].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % 3;
