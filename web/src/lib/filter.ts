/* Which asks of the inbox are shown. Pure. */
import type { Ask } from '../api/types';
import { askTitle } from './order';

export interface Filter {
	q: string;
	kind: string;
	project: string;
	priority: string;
	assignee: string;
}
export const noFilter: Filter = { q: '', kind: '', project: '', priority: '', assignee: '' };

/** `me` is what the assignee "me" stands for. */
export function passes(ask: Ask, f: Filter, me: string): boolean {
	if (f.kind && ask.kind !== f.kind) return false;
	if (f.project && ask.project !== f.project) return false;
	if (f.priority && ask.priority !== f.priority) return false;
	if (f.assignee === 'me' && !ask.assignees.includes(me)) return false;
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
