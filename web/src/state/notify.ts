/* Browser notifications while no tab is in sight, shown by the service worker. A click opens the
 * ask; it never decides. */
import type { Ask } from '../api/types';
import { later, t } from '../lib/i18n.svelte';
import { askRisk, askTitle } from '../lib/order';
import { moment } from '../lib/time';
import { visible } from '../lib/visible';

/** A lock that each tab in sight shares. */
const IN_SIGHT = 'parley-in-sight';

function inSight(): void {
	if (document.visibilityState === 'hidden') return;
	void navigator.locks?.request(IN_SIGHT, { mode: 'shared' }, async () => {
		if (document.visibilityState === 'hidden') return; // meanwhile
		await new Promise((done) => addEventListener('visibilitychange', done, { once: true }));
	});
}
addEventListener('visibilitychange', inSight);
inSight();

async function anyInSight(): Promise<boolean> {
	const locks = await navigator.locks?.query();
	return locks?.held?.some((lock) => lock.name === IN_SIGHT) ?? false;
}

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

/* ---- the tab's own signs ---- */

const base = '/icon.svg';
const CALM_MS = 1000;
let last = '';
let says = { n: 0, screen: '' };
let soon = false;

/** Title and icon say how many wait. The browser draws both anew with its window, the icon from its very
 * lines: not with every ask of a flood. The name of another screen is said at once. */
export function tabSays(n: number, screen: string): void {
	const moved = screen !== says.screen;
	says = { n, screen };
	if (moved) titleDraw();
	if (!soon) setTimeout(signsDraw, CALM_MS);
	soon = true;
}

function signsDraw(): void {
	soon = false;
	titleDraw();
	iconDraw();
}

function titleDraw(): void {
	const title = `${says.n ? `(${says.n}) ` : ''}${says.screen} · Parley`;
	if (document.title !== title) document.title = title;
}

function iconDraw(): void {
	const { n } = says;
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
