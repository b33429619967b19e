/* Sessions by what they want of a person: those that wait first. */
import type { Session, SessionStatus } from '../api/types';
import type { MessageId } from './i18n.svelte';

/** What ended this long ago is no longer recent. */
const RECENT_MS = 10 * 60_000;
const names = ['waiting', 'failed', 'running', 'completed', 'others'] as const;
type Name = (typeof names)[number];
const titles: Record<Name, MessageId> = {
	waiting: 'web.sessions.waiting',
	failed: 'web.sessions.failed',
	running: 'web.sessions.running',
	completed: 'web.sessions.completed',
	others: 'web.sessions.others',
};
const sectionOf: Record<SessionStatus, Name> = {
	waiting_for_input: 'waiting',
	waiting_for_approval: 'waiting',
	failed: 'failed',
	running: 'running',
	completed: 'completed',
	idle: 'others',
	cancelled: 'others',
};

function nameOf(session: Session, now: number): Name {
	const name = sectionOf[session.status];
	const old = now - Date.parse(session.updated_at) > RECENT_MS;
	return name === 'completed' && old ? 'others' : name;
}

export interface SessionSection {
	name: Name;
	title: MessageId;
	items: Session[];
}

/** In order, without those that are empty; in each the newest first. */
export const sessionSections = (list: Session[], now: number): SessionSection[] =>
	names
		.map((name) => ({
			name,
			title: titles[name],
			items: list
				.filter((session) => nameOf(session, now) === name)
				.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1)),
		}))
		.filter(({ items }) => items.length);
