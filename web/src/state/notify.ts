/* Browser notifications while the page is hidden. A click opens the ask; it never decides. */
import type { Ask } from '../api/types';
import { t } from '../lib/i18n.svelte';
import { askTitle } from '../lib/order';
import { visible } from '../lib/visible';

const shown = new Map<string, Notification>();

export function canNotify(): 'granted' | 'denied' | 'default' | 'never' {
	return 'Notification' in window ? Notification.permission : 'never';
}

const worker = async () => (await navigator.serviceWorker?.getRegistration()) ?? null;

export async function notify(ask: Ask): Promise<void> {
	if (canNotify() !== 'granted') return;
	const title = t('web.toast.asks', { agent: visible(ask.agent.name) });
	const options = { body: visible(askTitle(ask)), tag: ask.id, icon: '/icon.svg' };
	const registration = await worker();
	if (registration?.active) {
		await registration.showNotification(title, { ...options, data: `/asks/${ask.id}` });
		return;
	}
	const note = new Notification(title, options);
	note.onclick = () => {
		focus();
		location.assign(`/asks/${ask.id}`);
	};
	shown.set(ask.id, note);
}

export async function notifyClose(id: string): Promise<void> {
	shown.get(id)?.close();
	shown.delete(id);
	if (canNotify() !== 'granted') return;
	const registration = await worker();
	for (const note of (await registration?.getNotifications({ tag: id })) ?? []) note.close();
}

/* ---- the tab's own signs ---- */

const base = '/icon.svg';
let last = '';

/** Title and icon say how many wait. */
export function tabSays(n: number, place: string): void {
	document.title = `${n ? `(${n}) ` : ''}${place} · Parley`;
	const label = n > 99 ? '99' : n ? String(n) : '';
	if (label === last) return;
	last = label;
	const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
	if (!link) return;
	const svg =
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f55c7"/>` +
		`<path d="M8 9h16v11H15l-5 4v-4H8z" fill="#fff"/><circle cx="21" cy="21" r="11" fill="#b4231f"/>` +
		`<text x="21" y="26" font-family="system-ui,sans-serif" font-weight="700" font-size="${label.length > 1 ? 12 : 15}" text-anchor="middle" fill="#fff">${label}</text></svg>`;
	link.href = label ? `data:image/svg+xml,${encodeURIComponent(svg)}` : base;
}
