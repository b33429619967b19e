/* What somebody was writing when the ask was settled, as a text that can be sent or copied. */
import type { Ask, Question } from '../api/types';
import { draftNew, fieldAnswer, type Draft, type Field } from './form';
import { t } from './i18n.svelte';
import { inputOf } from './input';
import { saidWords } from './words';

/** What can be in the making on one ask, each part on its own. */
export interface Typed {
	fields?: Draft;
	reason?: string;
	arguments?: Record<string, string>;
	reply?: string;
}

/* The text of Other counts even where another option was chosen in the end. */
function fieldWords(q: Question, field: Field): string {
	if (inputOf(q) === 'number') return field.number;
	const said = fieldAnswer(q, { ...field, otherOn: field.other !== '' });
	return said ? saidWords(q, said) : '';
}

const named = (words: string, text: string) => t('web.colon', { words, text });

/** Empty when nothing was typed beyond what the agent had filled in. */
export function typedWords(ask: Ask, typed: Typed | null): string {
	if (!typed) return '';
	const first = draftNew(ask);
	const lines = ask.questions.map((q) => {
		const field = typed.fields?.[q.key];
		if (!field || JSON.stringify(field) === JSON.stringify(first[q.key])) return '';
		const words = fieldWords(q, field);
		return words && ask.questions.length > 1 ? named(q.header ?? q.text, words) : words;
	});
	if (typed.reason) lines.push(named(t('web.approval.rejected'), typed.reason));
	for (const [name, text] of Object.entries(typed.arguments ?? {})) lines.push(named(name, text));
	return [...lines, typed.reply].filter(Boolean).join('\n');
}
