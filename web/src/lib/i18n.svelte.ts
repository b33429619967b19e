/* Words in the reader's language, from the one catalogue in messages/. */
import type en from '../../../messages/en.json';
import type { Language } from '../api/types';

export type MessageId = Extract<keyof typeof en, `web.${string}`>;
/** An id that has the forms `.one` and `.other`. */
export type PluralId = MessageId extends infer Id
	? Id extends `${infer Base}.other`
		? Base
		: never
	: never;
export type Params = Record<string, string | number>;
type Catalogue = Record<string, string>;

const loaders: Record<Language, () => Promise<{ default: Catalogue }>> = {
	en: () => import('virtual:messages/en'),
	fr: () => import('virtual:messages/fr'),
};

let words = $state.raw<Catalogue>({});
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

export async function speak(wanted: Language): Promise<void> {
	const catalogue = (await loaders[wanted]()).default;
	words = catalogue;
	current = wanted;
	document.documentElement.lang = wanted;
}

function fill(text: string, params: Params): string {
	return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
		const value = params[name];
		if (value === undefined) return whole;
		return typeof value === 'number' ? value.toLocaleString(current) : value;
	});
}

export function t(id: MessageId, params: Params = {}): string {
	return fill(words[id] ?? id, params);
}

const plurals = { en: new Intl.PluralRules('en'), fr: new Intl.PluralRules('fr') };

export function tn(id: PluralId, n: number, params: Params = {}): string {
	const form = plurals[current].select(n) === 'one' ? 'one' : 'other';
	return fill(words[`${id}.${form}`] ?? id, { n, ...params });
}
