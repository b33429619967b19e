/* Says that somebody is looking, so that nobody is sent what they see anyway: only for who can be
 * reached elsewhere at all. A contact that does not work any more is said once, and to admins a channel. */
import { api } from '../api/api';
import type { ChannelList, Contact } from '../api/types';
import { t } from '../lib/i18n.svelte';
import { router } from '../lib/router.svelte';
import { connection } from './connection.svelte';
import { login } from './login.svelte';
import { toasts } from './toasts.svelte';

const EVERY_MS = 30_000;
const CHANNELS_MS = 60_000;
let channelsAt = -Infinity;
let reachable = false;
let started = false;

/** Once for each time that it broke, in this browser. */
function sayBroken(contact: Contact): void {
	const since = contact.broken?.since;
	const name = `parley.broken.${contact.id}`;
	if (!since || localStorage.getItem(name) === since) return;
	localStorage.setItem(name, since);
	toasts.show({
		tone: 'bad',
		stays: true,
		title: t('web.channels.broken.once', {
			channel: t(`web.deliveries.${contact.channel}`),
			name: contact.name ?? contact.address,
		}),
		text: contact.broken?.reason ?? '',
		act: { label: t('web.settings.channels'), run: () => router.go('/settings/channels') },
	});
}

type ChannelState = ChannelList['items'][number];

function sayDown({ channel, state, since, error }: ChannelState): void {
	const name = `parley.down.${channel}`;
	if (state !== 'down' || !since || localStorage.getItem(name) === since) return;
	localStorage.setItem(name, since);
	toasts.show({
		tone: 'bad',
		stays: true,
		title: t('web.channels.failing.once', { channel: t(`web.deliveries.${channel}`) }),
		text: error ?? '',
		act: { label: t('web.settings.channels'), run: () => router.go('/settings/channels') },
	});
}

/** Admins hear that a channel does not work: looked at when messages come and go, not more often than
 * once a minute. */
function lookAtChannels(): void {
	if (!login.isAdmin || performance.now() - channelsAt < CHANNELS_MS) return;
	channelsAt = performance.now();
	api.channels().then(
		({ items }) => items.forEach(sayDown),
		() => undefined,
	);
}

async function look(): Promise<void> {
	try {
		const { items } = await api.contacts('');
		reachable = items.length > 0;
		items.forEach(sayBroken);
	} catch {
		reachable = false;
	}
}

function say(): void {
	if (reachable && document.visibilityState !== 'hidden') api.present().catch(() => undefined);
}

export function presentStart(): void {
	if (started) return;
	started = true;
	void look().then(say);
	lookAtChannels();
	connection.listen((event) => {
		if (event.type.startsWith('contact.')) void look().then(say);
		if (/^ask\.(notif|unreached)/.test(event.type)) lookAtChannels();
	});
	setInterval(say, EVERY_MS);
	addEventListener('visibilitychange', say);
}
