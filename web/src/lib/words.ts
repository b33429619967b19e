/* Answers and endings in words, in the language of the page. */
import type { AnswerValue, Ask, Question } from '../api/types';
import { answerText, answerTo } from './form';
import { t } from './i18n.svelte';
import { visible } from './visible';

export function saidWords(q: Question, said: AnswerValue): string {
	return answerText(q, said, {
		yes: t('web.form.yes'),
		no: t('web.form.no'),
		approve: t('web.approval.approved'),
		reject: t('web.approval.rejected'),
		other: (text: string) => t('web.form.other.said', { text }),
	});
}

export function answerWords(ask: Ask): string {
	return ask.questions
		.map((q) => {
			const said = answerTo(ask.answer, q);
			return said ? saidWords(q, said) : '';
		})
		.filter(Boolean)
		.join(' · ');
}

/** "Answered by Marie via slack", "Nobody answered in time". */
export function settledWords(ask: Ask): string {
	const by = ask.answered_by;
	const name = by?.name ? visible(by.name) : '';
	switch (ask.status) {
		case 'answered':
			if (by?.kind === 'policy') return t('web.settled.policy', { name });
			if (!name) return t('web.settled.answered');
			return by?.via && by.via !== 'web'
				? t('web.settled.answered.via', { name, via: by.via })
				: t('web.settled.answered.by', { name });
		case 'skipped':
			return name ? t('web.settled.skipped.by', { name }) : t('web.settled.skipped');
		case 'expired':
			if (by?.kind === 'default') return t('web.settled.default');
			return t(ask.kind === 'approval' ? 'web.settled.expired.approval' : 'web.settled.expired');
		case 'cancelled':
			return t('web.settled.cancelled');
		default:
			return '';
	}
}
