/* Quiet hours as a sentence, in both languages. */
import { expect, test } from 'vitest';
import { later, speak } from '../src/lib/i18n.svelte';
import { quietWords } from '../src/lib/quiet';

const quiet = { tz: 'Europe/Paris', from: '22:00', to: '07:30' };

test('quiet hours are said in words', async () => {
	await speak('en');
	await later(() => Promise.resolve());
	expect(quietWords({ ...quiet, days: ['sun', 'sat'], except: 'urgent' })).toBe(
		'22:00–07:30, weekends; except urgent and critical questions',
	);
	expect(quietWords({ ...quiet, days: ['tue', 'mon'], except: 'never' })).toBe(
		'22:00–07:30, Mon, Tue; no exceptions',
	);
	await speak('fr');
	await later(() => Promise.resolve());
	expect(quietWords({ ...quiet, days: [], except: 'urgent' })).toBe(
		'22:00–07:30\u00a0; sauf les questions urgentes ou critiques',
	);
});
