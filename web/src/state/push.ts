/* This browser as a contact: subscribed at its push service, registered with the server. */
import { api } from '../api/api';
import { Refused } from '../api/client';
import type { Contact } from '../api/types';

/** Which contact this browser is; the server shows of its address the host alone. */
const KEPT = 'parley.push';

export type PushState = 'never' | 'off' | 'denied' | 'ready' | 'here';

const worker = async () => (await navigator.serviceWorker?.getRegistration()) ?? null;

/** never: the browser cannot; off: the server does not; here: it is one of these contacts. */
export async function pushState(contacts: Contact[]): Promise<PushState> {
	try {
		await api.pushKey();
	} catch (error) {
		if (error instanceof Refused) return 'off';
		throw error;
	}
	if (!navigator.serviceWorker || !('PushManager' in window) || !('Notification' in window))
		return 'never';
	if (Notification.permission === 'denied') return 'denied';
	/* On a first visit the worker is not there yet: then nothing is subscribed. */
	const subscription = await (await worker())?.pushManager.getSubscription();
	const kept = localStorage.getItem(KEPT);
	return subscription && contacts.some((one) => one.id === kept) ? 'here' : 'ready';
}

/** Firefox on Linux: what its person knows it by. */
function browserName(): string {
	const agent = navigator.userAgent;
	const browser = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'].find((one) => agent.includes(one));
	const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'].find((one) =>
		agent.includes(one),
	);
	const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'Mac' };
	return [browser, system]
		.filter((one) => one !== undefined)
		.map((one) => names[one] ?? one)
		.join(' · ');
}

/** On a press only: the browser asks its person. False: they said no. */
export async function pushOn(): Promise<boolean> {
	if ((await Notification.requestPermission()) !== 'granted') return false;
	const registration = await navigator.serviceWorker.ready;
	const { key } = await api.pushKey();
	const options = { userVisibleOnly: true, applicationServerKey: key };
	/* One that was made for another server's key cannot be used. */
	await (await registration.pushManager.getSubscription())?.unsubscribe();
	const subscription = await registration.pushManager.subscribe(options);
	const body = { channel: 'push', subscription: subscription.toJSON(), name: browserName() };
	const before = localStorage.getItem(KEPT);
	const contact = await api.contactNew('', body);
	localStorage.setItem(KEPT, contact.id);
	if (before) await api.contactDelete('', before).catch(() => null);
	return true;
}

export async function pushOff(): Promise<void> {
	const kept = localStorage.getItem(KEPT);
	const subscription = await (await worker())?.pushManager.getSubscription();
	await subscription?.unsubscribe();
	localStorage.removeItem(KEPT);
	if (kept) await api.contactDelete('', kept);
}
