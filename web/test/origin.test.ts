/* Names of dialects: as many as the server has, and a later one's own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dialectName, dialects } from '../src/lib/dialects';

test('every dialect of the server has a name here', () => {
	const page = readFileSync(join(import.meta.dirname, '../../docs/DIALECTS.md'), 'utf8');
	const table = page.slice(page.indexOf('| name | whose |'), page.indexOf('## Small mistakes'));
	const known = [...table.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1]);
	expect(known.length).toBeGreaterThan(10);
	expect([...dialects].sort()).toEqual(known.sort());
});

test('one that is not known goes by its own', () => {
	expect(dialectName('codex')).toBe('Codex');
	expect(dialectName('smoke_signals')).toBe('smoke_signals');
});
