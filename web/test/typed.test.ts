import { beforeEach, expect, test } from 'vitest';
import { draftNew } from '../src/lib/form';
import { speak } from '../src/lib/i18n.svelte';
import { typedWords } from '../src/lib/typed';
import { draftKeep, draftLoad, draftsOf } from '../src/state/drafts';
import { ask, question } from './fixtures';

beforeEach(async () => {
	localStorage.clear();
	await speak('en');
});

test('each part of a draft is kept on its own', () => {
	draftsOf('usr_1');
	draftKeep('a', { reply: 'Which one?' });
	draftKeep('a', { reason: 'too risky' });
	draftKeep('a', { arguments: { cmd: 'ls' } });
	expect(draftLoad('a')).toMatchObject({
		reply: 'Which one?',
		reason: 'too risky',
		arguments: { cmd: 'ls' },
	});
});

test('what was typed reads as a message, Other’s text and a broken number too', () => {
	const one = ask({
		questions: [
			question({
				key: 'where',
				header: 'Where',
				type: 'choice',
				other: true,
				options: [{ id: 'a', label: 'A' }],
			}),
			question({ key: 'n', header: 'Count', type: 'number' }),
			question({ key: 'why', header: 'Why', prefill: 'because' }),
		],
	});
	const fields = draftNew(one);
	expect(typedWords(one, { fields })).toBe('');
	fields['where'] = { ...fields['where']!, selected: ['a'], other: 'elsewhere' };
	fields['n'] = { ...fields['n']!, number: '12 or so' };
	expect(typedWords(one, { fields, reply: 'Wait.' })).toBe(
		'Where: A, Other: elsewhere\nCount: 12 or so\nWait.',
	);
});

test('a reason and edited arguments are part of it', () => {
	const one = ask({ questions: [question({ type: 'approval' })] });
	expect(typedWords(one, { reason: 'not today', arguments: { cmd: 'ls' } })).toBe(
		'Rejected: not today\ncmd: ls',
	);
	expect(typedWords(one, null)).toBe('');
});
