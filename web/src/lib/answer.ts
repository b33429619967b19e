/* What was answered: found by its question, and how it reads. */
import type { Answer, AnswerValue, Question } from '../api/types';
import { inputOf } from './input';

/** The answer to a question; its key may be any word, `constructor` too. */
export function answerTo(answer: Answer | null, q: Question): AnswerValue | undefined {
	return answer && Object.hasOwn(answer, q.key) ? answer[q.key] : undefined;
}

export interface Words {
	yes: string;
	no: string;
	approve: string;
	reject: string;
	other: (text: string) => string;
	/** A moment, from RFC 3339. */
	moment: (iso: string) => string;
}

/** One question's answer in a line: labels, not ids. */
export function answerText(q: Question, said: AnswerValue, words: Words): string {
	const parts: string[] = [];
	for (const id of said.selected ?? [])
		parts.push(q.options?.find((option) => option.id === id)?.label ?? id);
	if (said.other !== undefined) parts.push(words.other(said.other));
	if (typeof said.value === 'boolean') parts.push(said.value ? words.yes : words.no);
	else if (said.value === 'approve') parts.push(words.approve);
	else if (said.value === 'reject') parts.push(words.reject);
	else if (said.value !== undefined) parts.push(String(said.value));
	if (said.text && q.format === 'date-time' && !Number.isNaN(Date.parse(said.text)))
		parts.push(words.moment(said.text));
	else if (said.text) parts.push(inputOf(q) === 'text' ? said.text : `“${said.text}”`);
	return parts.join(', ');
}
