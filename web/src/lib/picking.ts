/* What a picker offers, and what of it a search leaves. Pure. */
export interface Choice {
	value: string;
	name: string;
	/** A second line. */
	about?: string | undefined;
	/** At the end of the line. */
	end?: string | undefined;
	/** The heading it stands under; those of a group follow each other. */
	group?: string | undefined;
	/** Why it cannot be picked now. */
	off?: string | undefined;
}

const plain = (text: string) =>
	text
		.normalize('NFD')
		.replace(/\p{Mn}/gu, '')
		.toLowerCase();

/** Those whose words begin with, or hold, every word that was typed. */
export function choicesFound(choices: readonly Choice[], typed: string): Choice[] {
	const words = plain(typed).split(/\s+/).filter(Boolean);
	return choices.filter((one) => {
		const text = plain([one.group, one.name, one.about].join(' '));
		return words.every((word) => text.includes(word));
	});
}

/** By their groups, in their order; '' is the group of those without one. */
export function choicesGrouped(choices: readonly Choice[]): { name: string; items: Choice[] }[] {
	const groups: { name: string; items: Choice[] }[] = [];
	for (const one of choices) {
		const name = one.group ?? '';
		if (groups.at(-1)?.name !== name) groups.push({ name, items: [] });
		groups.at(-1)!.items.push(one);
	}
	return groups;
}

/** The first behind `from` whose name begins so, round the end. */
export function choiceTyped(choices: readonly Choice[], typed: string, from: number): number {
	const begins = plain(typed);
	const order = choices.map((_, i) => (from + i) % choices.length);
	return order.find((i) => plain(choices[i]!.name).startsWith(begins)) ?? -1;
}
