/* No string outside the catalogue, none missing in it, none left over. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import shown from 'virtual:messages/fr';
import { modulesOf, namedIn, partOf } from '../messages.ts';

const root = join(import.meta.dirname, '..');
const load = (lang: string) =>
	Object.fromEntries(
		Object.entries(
			JSON.parse(readFileSync(join(root, `../messages/${lang}.json`), 'utf8')) as Record<
				string,
				string
			>,
		).filter(([id]) => id.startsWith('web.')),
	);
const en = load('en');
const fr = load('fr');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
	.filter((name) => /\.(svelte|ts)$/.test(name) && !name.endsWith('.d.ts'))
	.map((name) => ({ name, text: readFileSync(join(root, 'src', name), 'utf8') }));

test('both languages have the same messages with the same places to fill', () => {
	expect(Object.keys(fr)).toEqual(Object.keys(en));
	const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
	for (const id of Object.keys(en)) {
		expect(en[id], id).not.toBe('');
		expect(places(fr[id]!), id).toEqual(places(en[id]!));
	}
});

test('in French no line breaks before ? ! : ; » or behind «', () => {
	const broken = Object.entries(shown).filter(([, text]) => / [?!:;»]|« /.test(text));
	expect(broken).toEqual([]);
	expect(shown['web.form.skip.sure']).toContain('\u00a0?');
});

test('every message that is used exists', () => {
	const missing: string[] = [];
	for (const { name, text } of sources) {
		for (const [, call, id] of text.matchAll(/\b(tn?)\(\s*'(web\.[\w.]+)'/g)) {
			const there = call === 'tn' ? `${id}.one` in en && `${id}.other` in en : id! in en;
			if (!there) missing.push(`${name}: ${id}`);
		}
	}
	expect(missing).toEqual([]);
});

test('no message is left over', () => {
	const all = sources.map((source) => source.text).join('\n');
	const isNamed = namedIn(all);
	const unused = Object.keys(en).filter((id) => !isNamed(id));
	expect(unused).toEqual([]);
});

test('no text of a template is outside the catalogue', () => {
	const found: string[] = [];
	for (const { name, text } of sources.filter((source) => source.name.endsWith('.svelte'))) {
		let template = text
			.replace(/<script[\s\S]*?<\/script>/g, '')
			.replace(/<style[\s\S]*?<\/style>/g, '')
			.replace(/<!--[\s\S]*?-->/g, '')
			.replace(/&\w+;/g, '')
			.replace(/<(kbd|code)[^>]*>[^<{]*<\/\1>/g, '');
		let before = '';
		while (before !== template) {
			before = template;
			template = template.replace(/\{[^{}]*\}/g, '');
		}
		for (const [, words] of template.matchAll(/>([^<>]*[A-Za-zÀ-ÿ]{2,}[^<>]*)</g))
			if (!/^\s*(Parley|English|Français|=>.*)\s*$/.test(words!))
				found.push(`${name}: ${words!.trim()}`);
		for (const [, attribute, words] of template.matchAll(
			/\b(aria-label|placeholder|title|alt)="([^"]*[A-Za-z]{2}[^"]*)"/g,
		))
			if (words !== 'Parley') found.push(`${name}: ${attribute}="${words}"`);
	}
	expect(found).toEqual([]);
});

test('every time is exact under the pointer', () => {
	const vague = sources.flatMap(({ name, text }) =>
		text
			.split(/<time\s/)
			.slice(1)
			.map((rest) => rest.replace(/\{[^{}]*\}/g, '{}').split('>')[0]!)
			.filter((tag) => !tag.includes('title='))
			.map((tag) => `${name}: ${tag}`),
	);
	expect(vague).toEqual([]);
});

test('what is fetched later waits for its words', () => {
	const bare = sources.flatMap(({ name, text }) =>
		[...text.matchAll(/(later\(\(\) => |typeof )?import\('(?!virtual:messages)[^']*'\)(?!\.)/g)]
			.filter(([, call]) => !call)
			.map(([whole]) => `${name}: ${whole}`),
	);
	expect(bare).toEqual([]);
});

test('what the first list needs is a small part of the catalogue, and all that its modules name', () => {
	const first = modulesOf(join(root, 'src/main.ts'));
	const names = (part: string) => first.some((file) => file.endsWith(part));
	for (const part of [
		'screens/Inbox.svelte',
		'parts/ask/AskRow.svelte',
		'state/stream.ts',
		'App.svelte',
	])
		expect(names(part), part).toBe(true);
	for (const part of ['AskCard.svelte', 'Toasts.svelte', 'FilterBar.svelte', 'Login.svelte'])
		expect(names(part), part).toBe(false);
	const source = first.map((file) => readFileSync(file, 'utf8')).join('\n');
	const needed = Object.keys(en).filter(namedIn(source));
	expect(needed).toContain('web.inbox.waiting.other');
	expect(needed).toContain('web.kind.approval');
	expect(needed.length).toBeLessThan(Object.keys(en).length / 2);
});

test('a card waits for its own words only, and nothing else does with them', () => {
	const of = partOf();
	expect(
		['web.inbox.unread', 'web.why.was', 'web.approval.edit', 'web.settings.keys'].map(of),
	).toEqual(['first', 'rest', 'card', 'rest']);
	const card = Object.keys(en).filter((id) => of(id) === 'card').length;
	expect(card).toBeLessThan(Object.keys(en).filter((id) => of(id) === 'rest').length / 3);
	const hasty = sources.flatMap(({ text }) =>
		[...text.matchAll(/import\('([^']*)'\), 'card'\)/g)].map(([, path]) => path),
	);
	expect(hasty).toEqual(['./AskCard.svelte']);
});

test('every type of event has words', () => {
	const document = JSON.parse(readFileSync(join(root, '../src/serve/openapi.json'), 'utf8')) as {
		components: { schemas: { EventType: { enum: string[] } } };
	};
	const types = document.components.schemas.EventType.enum;
	const special = ['ask.assigned', 'session.progress']; // in words of their own
	expect(types).toContain('ask.created');
	expect(types.filter((type) => !special.includes(type) && !(`web.event.${type}` in en))).toEqual(
		[],
	);
});
