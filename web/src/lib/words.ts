/* Answers and endings in words, in the language of the page. */
import type { AnswerValue, Ask, Question } from '../api/types';
import { answerText, answerTo } from './answer';
import { waitsWords } from './held';
import { t, type MessageId } from './i18n.svelte';
import { moment } from './time';
import { visible } from './visible';
import { voters } from './votes';

export function saidWords(q: Question, said: AnswerValue): string {
	return answerText(q, said, {
		yes: t('web.form.yes'),
		no: t('web.form.no'),
		approve: t('web.approval.approved'),
		reject: t('web.approval.rejected'),
		other: (text: string) => t('web.form.other.said', { text }),
		moment: (iso) => moment(iso, true),
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

/** What was said to the question of this key. */
export function valueWords(ask: Ask, key: string, said: AnswerValue): string {
	const q = ask.questions.find((one) => one.key === key);
	return q ? saidWords(q, said) : '';
}

/** "Select up to 3." */
export function severalWords(q: Question): string {
	if (q.max !== undefined && q.max < (q.options?.length ?? 0) + (q.other ? 1 : 0))
		return t('web.form.several.most', { max: q.max });
	return t('web.form.several');
}

export type Outcome =
	| 'approved'
	| 'changed'
	| 'rejected'
	| 'answered'
	| 'skipped'
	| 'expired'
	| 'withdrawn'
	| 'revoked';

/** How it ended, in one word of ours; null while it is open. */
export function outcomeOf(ask: Ask): Outcome | null {
	if (ask.revoked) return 'revoked';
	switch (ask.status) {
		case 'pending':
			return null;
		case 'answered': {
			if (ask.kind !== 'approval') return 'answered';
			const said = Object.values(ask.answer ?? {});
			if (said.some((one) => one.value === 'reject')) return 'rejected';
			if (said.some((one) => one.arguments)) return 'changed';
			return said.some((one) => one.value === 'approve') ? 'approved' : 'answered';
		}
		case 'cancelled':
			return 'withdrawn';
		default:
			return ask.status;
	}
}

/** "Approved", "Rejected", "Expired". */
export const outcomeWords = (outcome: Outcome): string => t(`web.outcome.${outcome}`);

const icons = {
	approved: 'check',
	changed: 'edit',
	rejected: 'close',
	answered: 'check',
	skipped: 'skip',
	expired: 'clock',
	withdrawn: 'undo',
	revoked: 'undo',
} as const;
/** Outcome is an icon and a verb, never a colour alone. */
export const outcomeIcon = (outcome: Outcome) => icons[outcome];

const tones: Partial<Record<Outcome, string>> = {
	approved: 'is-good',
	changed: 'is-good',
	answered: 'is-good',
	rejected: 'is-bad',
	expired: 'is-warn',
};
export const outcomeTone = (outcome: Outcome) => tones[outcome] ?? '';

/** What was decided, in a word. */
export function decisionWords(ask: Ask): string {
	const outcome = outcomeOf(ask);
	return outcome ? outcomeWords(outcome) : '';
}

/** Does the agent have the answer? Empty where there is none (skipped, expired, withdrawn), and where
 * a person asked. */
export function fetchedWords(ask: Ask): string {
	if (!ask.answer || ask.agent.id.startsWith('usr_')) return '';
	const agent = visible(ask.agent.name);
	if (ask.used_at && !ask.revoked) return t('web.fetched.used', { agent });
	const waits = waitsWords(ask);
	if (waits) return waits;
	if (ask.asked_again_at) return t('web.fetched.again', { agent, at: moment(ask.asked_again_at) });
	return t(ask.fetched_at ? 'web.fetched' : 'web.fetched.not', { agent });
}

const vias: Record<string, MessageId> = {
	web: 'web.via.web',
	terminal: 'web.via.terminal',
	cli: 'web.via.cli',
	api: 'web.via.api',
};

/** From where: "on the page", "in the terminal". */
export const viaWords = (via: string | null | undefined): string =>
	via ? (vias[via] ? t(vias[via]) : via) : '';

/** A rule decided it, nobody else. */
export const isByRule = (ask: Ask): boolean => ask.answered_by?.kind === 'policy' && !ask.revoked;

/** "Approved by Marie", "Rejected by Marie", "Expired; treated as rejected". */
export function settledWords(ask: Ask): string {
	const outcome = outcomeOf(ask);
	const by = outcome === 'revoked' ? ask.revoked!.by : ask.answered_by;
	const all = by === ask.answered_by ? voters(ask) : [];
	const name = visible(all.length ? all.join(', ') : (by?.name ?? ''));
	switch (outcome) {
		case null:
			return '';
		case 'expired':
			if (by?.kind === 'default') return t('web.settled.default');
			return t(ask.kind === 'approval' ? 'web.settled.expired.approval' : 'web.settled.expired');
		default:
			if (by?.mandate) return t('web.policy.advance', { name });
			if (by?.kind === 'policy')
				return t(
					`web.policy.${outcome === 'rejected' ? 'denied' : 'allowed'}${name ? '.by' : ''}`,
					{
						name,
					},
				);
			return name
				? t('web.settled.by', { words: outcomeWords(outcome), name })
				: outcomeWords(outcome);
	}
}
