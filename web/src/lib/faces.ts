/* How people are drawn. Pure. */

/** "Ann Ruiz" is AR; a name that is not known is no letter of its id. */
export const initials = (name: string): string =>
	/^(usr|team)_\w+$/.test(name)
		? '?'
		: name
				.split(/\s+/)
				.map((word) => [...word][0] ?? '')
				.slice(0, 2)
				.join('')
				.toUpperCase();

/** One of three, always the same for a name. */
export const tint = (name: string): number =>
	[...name].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % 3;
