/* Browser notifications while no tab is in sight, shown by the service worker. A click opens the
 * ask; it never decides. */
import type { Ask } from '../api/types';
import { later, t } from '../lib/i18n.svelte';
import { askRisk, askTitle } from '../lib/order';
import { moment } from '../lib/time';
import { visible } from '../lib/visible';
import { anyInSight } from './inSight';

export function canNotify(): 'granted' | 'denied' | 'default' | 'never' {
	return 'Notification' in window ? Notification.permission : 'never';
}

const worker = async () => (await navigator.serviceWorker?.getRegistration()) ?? null;

/** Several tabs may call for one thing: the tag makes it one. */
export async function notifyOf(
	tag: string,
	title: string,
	body: string,
	path: string,
): Promise<void> {
	if (canNotify() !== 'granted' || (await anyInSight())) return;
	const registration = await worker();
	await registration?.showNotification(visible(title), {
		body: visible(body),
		tag,
		icon: '/icon.svg',
		data: path,
	});
}

/** What it is called, how grave and until when, and what would run. */
async function aboutOf(ask: Ask): Promise<string> {
	const { lineText } = await later(() => import('../lib/batch'));
	const risk = askRisk(ask);
	const facts = [
		risk ? t(`web.risk.${risk}`) : '',
		ask.expires_at ? t('web.inbox.until', { at: moment(ask.expires_at) }) : '',
	];
	return [askTitle(ask), facts.filter(Boolean).join(' · '), lineText(ask)]
		.filter(Boolean)
		.join('\n');
}

export const notify = async (
	ask: Ask,
	title = t('web.toast.asks', { agent: ask.agent.name }),
): Promise<void> => notifyOf(ask.id, title, await aboutOf(ask), `/asks/${ask.id}`);

/** Takes the questions away; what a push message says of their end stays until its own time. */
export async function notifyClose(ids: string[]): Promise<void> {
	if (canNotify() !== 'granted') return;
	const registration = await worker();
	for (const tag of ids)
		for (const note of (await registration?.getNotifications({ tag })) ?? [])
			if (!note.data?.settled) note.close();
}
