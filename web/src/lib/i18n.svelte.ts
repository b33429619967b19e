/* Words in the reader's language, from the one catalogue in messages/. Those of the first list come with
 * the page in every language: a request of their own would take longer. */
import enFirst from 'virtual:messages/en';
import frFirst from 'virtual:messages/fr';
import type en from '../../../messages/en.json';
import type { Language } from '../api/types';
import { iconsFetch } from './icons';

export type MessageId = Extract<keyof typeof en, `web.${string}`>;
/** An id that has the forms `.one` and `.other`. */
export type PluralId = MessageId extends infer Id
	? Id extends `${infer Base}.other`
		? Base
		: never
	: never;
export type Params = Record<string, string | number>;
type Catalogue = Record<string, string>;

/** What is fetched: the words of a card, and those of all the rest. */
type Part = 'card' | 'rest';

const first: Record<Language, Catalogue> = { en: enFirst, fr: frFirst };
const parts: Record<Language, Record<Part, () => Promise<{ default: Catalogue }>>> = {
	en: {
		card: () => import('virtual:messages/en/card'),
		rest: () => import('virtual:messages/en/rest'),
	},
	fr: {
		card: () => import('virtual:messages/fr/card'),
		rest: () => import('virtual:messages/fr/rest'),
	},
};

let words = $state.raw<Catalogue>(enFirst);
let current = $state<Language>('en');

export const language = (): Language => current;

export function languageOfBrowser(): Language {
	return navigator.languages
		.find((l) => /^(en|fr)\b/i.test(l))
		?.slice(0, 2)
		.toLowerCase() === 'fr'
		? 'fr'
		: 'en';
}

/** The words and icons that were needed so far. */
const needed = new Map<Part, Promise<unknown>>();

const fetchWords = async (wanted: Language, list: Iterable<Part>): Promise<Catalogue> =>
	Object.assign(
		{},
		...(await Promise.all([...list].map(async (part) => (await parts[wanted][part]()).default))),
	) as Catalogue;

/** At once, unless parts that were fetched later need words of this language too. */
export async function speak(wanted: Language): Promise<void> {
	words = needed.size
		? { ...first[wanted], ...(await fetchWords(wanted, needed.keys())) }
		: first[wanted];
	current = wanted;
	document.documentElement.lang = wanted;
}

async function speakMore(part: Part): Promise<void> {
	const spoken = current;
	const more = await fetchWords(spoken, [part]);
	if (spoken === current) words = { ...words, ...more };
}

function need(part: Part): Promise<unknown> {
	const known = needed.get(part);
	if (known) return known;
	const fetched = Promise.all([speakMore(part), iconsFetch()]).catch((error) => {
		needed.delete(part); // tried again with the next part of the page
		throw error;
	});
	needed.set(part, fetched);
	return fetched;
}

const RETRY_MS = { first: 1000, most: 30_000 };

/** A part of the page that is fetched when it is needed, with its words: all of them, unless those of a card will do.
 * While the server is away it is tried again. */
export async function later<T>(part: () => Promise<T>, which: 'card' | 'all' = 'all'): Promise<T> {
	const list: Part[] = which === 'card' ? ['card'] : ['card', 'rest'];
	for (let pause = RETRY_MS.first; ; pause = Math.min(pause * 2, RETRY_MS.most)) {
		try {
			const [fetched] = await Promise.all([part(), ...list.map(need)]);
			return fetched;
		} catch (error) {
			console.warn('a part of the page was not fetched', error);
			await new Promise((resolve) => setTimeout(resolve, pause));
		}
	}
}

/* The tables behind Intl take longer to load than the first list to draw: what reads the same without
 * them does without. */
const numeral = (value: number) =>
	Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : value.toLocaleString(current);
const isOne = { en: (n: number) => n === 1, fr: (n: number) => Math.abs(n) < 2 };

function fill(text: string, params: Params): string {
	return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
		const value = params[name];
		if (value === undefined) return whole;
		return typeof value === 'number' ? numeral(value) : value;
	});
}

export function t(id: MessageId, params: Params = {}): string {
	return fill(words[id] ?? id, params);
}

export function tn(id: PluralId, n: number, params: Params = {}): string {
	const form = isOne[current](n) ? 'one' : 'other';
	return fill(words[`${id}.${form}`] ?? id, { n, ...params });
}
