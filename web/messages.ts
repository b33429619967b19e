/* virtual:messages/LANGUAGE is the part of the catalogue that the first list needs,
 * virtual:messages/LANGUAGE/rest what the parts need that are fetched later. A message belongs to the
 * first when a module names it that is loaded before the list is painted. */
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
			const [language, rest] = id.slice(prefix.length).split('/');
			const file = here(`../messages/${language}.json`);
			this.addWatchFile(file);
			const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
			const isNamed = namedIn(
				modulesOf(here('src/main.ts'))
					.map((name) => readFileSync(name, 'utf8'))
					.join('\n'),
			);
			const ours = Object.entries(all).filter(
				([key]) => key.startsWith('web.') && (whole || isNamed(key)) === !rest,
			);
			const shown = language === 'fr' ? ours.map(([key, text]) => [key, unbroken(text)]) : ours;
			return `export default ${JSON.stringify(Object.fromEntries(shown))}`;
		},
	};
}
