/* What Parley itself wrote into a question that an agent left out, in the reader's language; the
 * server stores it in English. */
import type { Ask, Question } from '../api/types';
import { language, t, type MessageId } from './i18n.svelte';

const recovery: Record<string, MessageId> = {
	'How shall I go on?': 'web.own.recovery',
	Retry: 'web.own.retry',
	'Edit and retry': 'web.own.edit',
	Skip: 'web.own.skip',
	Abort: 'web.own.abort',
};

/** A text of a question with this key, or of one of its options. */
function ownWords(key: string, text: string): string {
	if (key === 'decision') {
		const name = /^Approve (.+)\?$/s.exec(text)?.[1];
		return text === 'Approve?'
			? t('web.own.approve')
			: name
				? t('web.own.approve.what', { name })
				: text;
	}
	const id = recovery[text];
	return id && key === 'recovery' ? t(id) : text;
}

const questionInOurs = (q: Question): Question => ({
	...q,
	text: ownWords(q.key, q.text),
	options: q.options?.map((option) => ({ ...option, label: ownWords(q.key, option.label) })),
});

/* An ask that changes is another object. */
const told = new WeakMap<Ask, { language: string; ask: Ask }>();

export function inReadersWords(ask: Ask): Ask {
	if (ask.kind !== 'approval' && ask.kind !== 'error_recovery') return ask;
	if (language() === 'en') return ask;
	const known = told.get(ask);
	if (known?.language === language()) return known.ask;
	const { session_title, questions } = ask;
	const spoken = {
		...ask,
		/* A session made for one ask is called as it is. */
		session_title: session_title && ownWords(questions[0]?.key ?? '', session_title),
		questions: questions.map(questionInOurs),
	};
	told.set(ask, { language: language(), ask: spoken });
	return spoken;
}
