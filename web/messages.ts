/* virtual:messages/LANGUAGE is the part of the catalogue that the first list needs, virtual:messages/LANGUAGE/card
 * what a card needs beside it, virtual:messages/LANGUAGE/rest what is left for all that is fetched later. A message
 * belongs to the first of them one of whose modules names it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { unbroken } from './src/lib/french.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A module as its file is called: an import leaves the ending out. */
function fileOf(from: string, path: string): string | null {
	const at = join(dirname(from), path);
	const endings = ['', '.ts', '/index.ts'];
	return (
		endings.map((end) => at + end).find((one) => /\.(ts|svelte)$/.test(one) && existsSync(one)) ??
		null
	);
}

/** The modules that come with `entry`: what they import, but not what they fetch with import(). */
export function modulesOf(entry: string): string[] {
	const list = [entry];
	for (const file of list) {
		const text = readFileSync(file, 'utf8');
		for (const [, path] of text.matchAll(
			/^\s*(?:import|export)\s(?!type\b)[^'"();]*?'(\.[^']+)'/gm,
		)) {
			const next = fileOf(file, path!);
			if (next && !list.includes(next)) list.push(next);
		}
	}
	return list;
}

/** Which messages this source names: whole, in the plural or by their beginning. */
export function namedIn(text: string): (id: string) => boolean {
	const whole = new Set([...text.matchAll(/'(web\.[\w.]+)'/g)].map(([, id]) => id));
	const begins = new Set([...text.matchAll(/`(web\.[\w.]+)\${/g)].map(([, begin]) => begin!));
	return (id) =>
		whole.has(id) ||
		whole.has(id.replace(/\.(one|other)$/, '')) ||
		[...begins].some((begin) => id.startsWith(begin));
}

/** What each part of the catalogue begins with. */
const entries = { first: 'src/main.ts', card: 'src/parts/ask/AskCard.svelte' };

/** Which part of the catalogue a message belongs to. */
export function partOf(): (id: string) => 'first' | 'card' | 'rest' {
	const [first, card] = [entries.first, entries.card].map((entry) =>
		namedIn(
			modulesOf(here(entry))
				.map((name) => readFileSync(name, 'utf8'))
				.join('\n'),
		),
	);
	return (id) => (first!(id) ? 'first' : card!(id) ? 'card' : 'rest');
}

export function messages(): Plugin {
	const prefix = '\0virtual:messages/';
	let whole = false; // in development and in tests there is nothing to wait for
	return {
		name: 'messages',
		configResolved: (config) => {
			whole = config.command === 'serve';
		},
		resolveId: (id) => (id.startsWith(prefix.slice(1)) ? `\0${id}` : null),
		load(id) {
			if (!id.startsWith(prefix)) return null;
			const [language, part = 'first'] = id.slice(prefix.length).split('/');
			const file = here(`../messages/${language}.json`);
			this.addWatchFile(file);
			const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
			const parts = partOf();
			/* What Parley itself asks is English as it came: `lib/own.ts`. */
			const of = (key: string) =>
				whole ? 'first' : language === 'en' && key.startsWith('web.own.') ? 'rest' : parts(key);
			const ours = Object.entries(all).filter(
				([key]) => key.startsWith('web.') && of(key) === part,
			);
			const shown = language === 'fr' ? ours.map(([key, text]) => [key, unbroken(text)]) : ours;
			return `export default ${JSON.stringify(Object.fromEntries(shown))}`;
		},
	};
}
