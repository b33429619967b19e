/* Stops: what one reaches, and how that reads. Pure but for the language. */
import type { Ask, Session, Stop } from '../api/types';
import { t } from './i18n.svelte';
import { visible } from './visible';

/** `*` is any text, `?` one character; a text without them is itself. */
export function globFits(glob: string, text: string): boolean {
	const [g, s] = [[...glob], [...text]];
	let [i, j, star, from] = [0, 0, -1, 0];
	while (j < s.length) {
		if (i < g.length && g[i] === '*') {
			star = i++;
			from = j;
		} else if (i < g.length && (g[i] === '?' || g[i] === s[j])) {
			i++;
			j++;
		} else if (star >= 0) {
			i = star + 1;
			j = ++from;
		} else return false;
	}
	while (g[i] === '*') i++;
	return i === g.length;
}

type Where = Pick<Ask, 'agent' | 'project' | 'session'>;

/** Does the stop hold back what is asked there? */
export function stopFits({ match }: Stop, where: Where): boolean {
	if (match.agent !== undefined && !globFits(match.agent, where.agent.name)) return false;
	if (match.session !== undefined && match.session !== where.session) return false;
	if (match.project === undefined) return true;
	if (match.project === null || where.project === null) return match.project === where.project;
	return globFits(match.project, where.project);
}

/** Does its agent work, or wait for a person? */
export const isOpen = ({ status }: Session): boolean =>
	status === 'running' || status.startsWith('waiting');

/** What the stop holds back at this moment: open sessions, and approvals that are asked for. */
export function stopHolds(
	stop: Stop,
	sessions: Session[],
	pending: Ask[],
): { sessions: Session[]; approvals: Ask[] } {
	return {
		sessions: sessions.filter((one) => isOpen(one) && stopFits(stop, { ...one, session: one.id })),
		approvals: pending.filter((ask) => ask.kind === 'approval' && stopFits(stop, ask)),
	};
}

/** "agent deployer, project web"; empty: everything. */
export function stopWhat({ match }: Stop, sessionTitle: (id: string) => string | null): string {
	const list: string[] = [];
	if (match.agent !== undefined) list.push(t('web.stop.what.agent', { name: match.agent }));
	if (match.project === null) list.push(t('web.stop.what.projectless'));
	else if (match.project !== undefined)
		list.push(t('web.stop.what.project', { name: match.project }));
	if (match.session !== undefined)
		list.push(t('web.stop.what.session', { name: sessionTitle(match.session) ?? match.session }));
	return visible(list.join(', '));
}
