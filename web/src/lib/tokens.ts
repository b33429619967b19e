/* Filters as tokens, kept in the address: project=web&outcome=rejected. Pure. */
import type { Choice } from './picking';

/** Something that can be filtered by. */
export interface FilterKey {
	/** Its name in the address. */
	key: string;
	name: string;
	/** The word between key and value; "is" unless told. */
	verb?: string | undefined;
	choices: readonly Choice[];
}

/** One search of an address with one of its names set; '' takes it out. */
export function addressWith(search: string, name: string, value: string): string {
	const params = new URLSearchParams(search);
	if (value) params.set(name, value);
	else params.delete(name);
	return params.toString();
}

/** The tokens that an address holds, in its order. A value that is offered no more is a token all the same. */
export function tokensOf(
	search: string,
	keys: readonly FilterKey[],
): { key: FilterKey; value: string }[] {
	return [...new URLSearchParams(search)].flatMap(([name, value]) => {
		const key = keys.find((one) => one.key === name);
		return key && value ? [{ key, value }] : [];
	});
}

/** Without any token; the rest of the address, such as the words searched for, stays. */
export function tokensCleared(search: string, keys: readonly FilterKey[]): string {
	const params = new URLSearchParams(search);
	for (const { key } of keys) params.delete(key);
	return params.toString();
}
