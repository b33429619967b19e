/* What state a session is in, in words: who it waits for, its place in the queue. */
import type { Run } from '../api/runs';
import type { Ask, Session } from '../api/types';
import { t } from './i18n.svelte';
import { ordinal } from './runs';

/** Those who look, and what people are called. */
export interface Reader {
	/** This person's id and those of their teams. */
	mine: string[];
	canAnswer: boolean;
	name: (id: string) => string;
}

/** Is it for this person to answer? */
const isMine = (ask: Ask, { mine, canAnswer }: Reader) =>
	canAnswer && (!ask.assignees.length || ask.assignees.some((id) => mine.includes(id)));

/** "Waiting for you", "Waiting for ops, Ben". */
export function waitingWords(open: Ask[], reader: Reader): string {
	if (open.some((ask) => isMine(ask, reader))) return t('web.waits.you');
	const names = [...new Set(open.flatMap((ask) => ask.assignees))].map((id) => reader.name(id));
	return names.length ? t('web.waits.names', { names: names.join(', ') }) : t('web.waits.someone');
}

export function sessionWords(
	session: Session,
	{ open = [], place = 0, reader }: { open?: Ask[]; place?: number; reader: Reader },
): string {
	if (place) return t('web.run.place', { place: ordinal(place) });
	if (open.length) return waitingWords(open, reader);
	return session.status.startsWith('waiting')
		? t('web.waits.someone')
		: t(`web.status.${session.status}`);
}

/** Without the marks of Markdown: one line of plain text. */
export const plainLine = (text: string) =>
	(text.trim().split('\n')[0] ?? '').replace(/^#+\s*|\*\*|__|`/g, '');

/** What a run that has ended says of itself, in a line. */
export const endWords = (run: Run): string =>
	run.status === 'failed'
		? (run.error?.message ?? t('web.status.failed'))
		: run.status === 'cancelled'
			? t('web.status.cancelled')
			: run.report
				? plainLine(run.report)
				: t('web.status.completed');
