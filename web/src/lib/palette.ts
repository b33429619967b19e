/* What the palette finds, in groups. Pure but for the words. */
import type { IconName } from './icons';

export interface Found {
	id: string;
	icon: IconName;
	/** Drawn as code. */
	code?: boolean;
	title: string;
	/** Behind the title: agent, session. */
	words?: string;
	/** At the end of the line. */
	end?: string;
	/** A key that leads there, too. */
	keys?: string[];
	/** Where it leads; it opens, it never decides. */
	href?: string;
	run?: () => void;
}
export interface FoundGroup {
	name: string;
	items: Found[];
}

const plain = (text: string) =>
	text
		.normalize('NFD')
		.replace(/\p{Mn}/gu, '')
		.toLowerCase();

/** Does the text hold every word that was typed? */
export function holdsAll(text: string, typed: string): boolean {
	const all = plain(text);
	return plain(typed)
		.split(/\s+/)
		.every((word) => all.includes(word));
}

/** The text in pieces, those that were typed marked. Accents count as their letters. */
export function marked(text: string, typed: string): { text: string; hit: boolean }[] {
	const words = plain(typed).split(/\s+/).filter(Boolean);
	const letters = [...text];
	const folded = letters.map((one) => plain(one));
	const hit = letters.map(() => false);
	for (const word of words) {
		for (let i = 0; i < letters.length; i++) {
			let said = '';
			let j = i;
			while (j < letters.length && said.length < word.length) said += folded[j++];
			if (said === word) hit.fill(true, i, j);
		}
	}
	const pieces: { text: string; hit: boolean }[] = [];
	letters.forEach((letter, i) => {
		if (pieces.at(-1)?.hit === hit[i]) pieces.at(-1)!.text += letter;
		else pieces.push({ text: letter, hit: hit[i]! });
	});
	return pieces;
}
