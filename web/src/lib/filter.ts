/* Which asks of the inbox are shown. Kept in the address: kind=approval&q=deploy. Pure. */
import type { Ask } from '../api/types';
import { askTitle, SOON_MS } from './order';

export interface Filter {
	q: string;
	kind: string;
	project: string;
	priority: string;
	assignee: string;
	agent: string;
	/** '': those that are not snoozed; 'yes': only those that are. */
	snoozed: string;
}
export const noFilter: Filter = {
	q: '',
	kind: '',
	project: '',
	priority: '',
	assignee: '',
	agent: '',
	snoozed: '',
};
const names = Object.keys(noFilter) as (keyof Filter)[];

export function filterRead(search: string): Filter {
	const params = new URLSearchParams(search);
	return Object.fromEntries(
		names.map((name) => [name, params.get(name) ?? '']),
	) as unknown as Filter;
}

export function filterWrite(filter: Filter): string {
	return new URLSearchParams(
		names.filter((name) => filter[name]).map((name) => [name, filter[name]]),
	).toString();
}

export const isFiltered = (filter: Filter): boolean => names.some((name) => filter[name] !== '');

/** Snoozed by this person, and its time has not come. */
export function isSnoozed(ask: Ask, now: number): boolean {
	const until = ask.mark?.snoozed_until;
	if (!until || Date.parse(until) <= now) return false;
	/* It comes back before its deadline. */
	return !ask.expires_at || Date.parse(ask.expires_at) - now > SOON_MS;
}

/** `mine`: whom the assignee "me" stands for, their teams included. */
export function passes(ask: Ask, f: Filter, mine: string[], now: number): boolean {
	if (isSnoozed(ask, now) !== (f.snoozed === 'yes')) return false;
	if (f.kind && ask.kind !== f.kind) return false;
	if (f.project && ask.project !== f.project) return false;
	if (f.agent && ask.agent.name !== f.agent) return false;
	if (f.priority && ask.priority !== f.priority) return false;
	if (f.assignee === 'me' && !ask.assignees.some((id) => mine.includes(id))) return false;
	if (f.assignee === 'none' && ask.assignees.length) return false;
	if (!f.q) return true;
	const words = [
		askTitle(ask),
		ask.agent.name,
		ask.session_title ?? '',
		ask.operation?.name ?? '',
		...ask.questions.map((q) => q.text),
	];
	return words.join('\n').toLowerCase().includes(f.q.toLowerCase());
}
