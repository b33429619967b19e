// Every text that the terminal and the shell name is in both catalogues.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { words } from './lib.mjs';

const source = new URL('../../src/', import.meta.url);
const folders = ['tui', 'cli', 'text'];

test('texts named in the sources exist in English and French', () => {
	for (const folder of folders)
		for (const file of readdirSync(new URL(`${folder}/`, source)).filter((name) => name.endsWith('.c'))) {
			const text = readFileSync(new URL(`${folder}/${file}`, source), 'utf8');
			for (const [, id] of text.matchAll(/"((?:cli|help|setting|tui|web)\.[a-z_.]+[a-z_])"/g))
				for (const lang of ['en', 'fr'])
					assert.ok(id in words[lang] || Object.keys(words[lang]).some((name) => name.startsWith(`${id}.`)), `${folder}/${file}: ${id} (${lang})`);
		}
});

test('a text of more than one word is not the same in both languages, but for names', () => {
	const same = Object.entries(words.en).filter(([id, text]) => text === words.fr[id] && !id.startsWith('web.provider.kind.')
		&& /\p{L}{2,}[ ,:]+\p{L}{2,}/u.test(text.replace(/\{[^}]*\}/g, '')));
	assert.deepEqual(same, []);
});
