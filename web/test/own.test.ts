import { afterAll, expect, test } from 'vitest';
import { speak } from '../src/lib/i18n.svelte';
import { inReadersWords } from '../src/lib/own';
import { ask, question } from './fixtures';

afterAll(() => speak('en'));

const recovery = ask({
	kind: 'error_recovery',
	questions: [
		question({
			key: 'recovery',
			text: 'How shall I go on?',
			type: 'choice',
			options: [
				{ id: 'retry', label: 'Retry' },
				{ id: 'mine', label: 'Quarantine it' },
			],
		}),
	],
});
const approval = (text: string) =>
	ask({ kind: 'approval', questions: [question({ key: 'decision', type: 'approval', text })] });

test('in English everything is as it came', async () => {
	await speak('en');
	expect(inReadersWords(recovery)).toBe(recovery);
});

test('in French our own words are French, and the agent’s its own', async () => {
	await speak('fr');
	const [q] = inReadersWords(recovery).questions;
	expect(q!.text).not.toBe('How shall I go on?');
	expect(q!.options!.map((option) => option.label)).toEqual(['Réessayer', 'Quarantine it']);
	expect(q!.options!.map((option) => option.id)).toEqual(['retry', 'mine']);
	expect(inReadersWords(approval('Approve a?b?')).questions[0]!.text).toMatch(/^Approuver a\?b/);
	expect(inReadersWords(approval('Shall I?')).questions[0]!.text).toBe('Shall I?');
	expect(inReadersWords(approval('Start 3 sub-agents')).questions[0]!.text).toBe(
		'Démarrer 3 sous-agents',
	);
	expect(inReadersWords(recovery)).toBe(inReadersWords(recovery));
	const alone = inReadersWords({ ...recovery, session_title: 'How shall I go on?' });
	expect(alone.session_title).toBe(alone.questions[0]!.text);
});
