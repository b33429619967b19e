/* Channels and contacts: their order, their state in words, and what sets a channel up. Channels that the page does not
 * know come last. */
import type { Channel, ChannelList, Contact } from '../api/types';
import { t } from './i18n.svelte';

/** In which people are tried. */
const tried: Channel[] = ['push', 'slack', 'email', 'webhook', 'command'];
/** In which they are offered for a new contact; a browser adds itself. */
const offered: Channel[] = ['email', 'slack', 'webhook', 'command'];
const byAdmins: Channel[] = ['webhook', 'command'];

function ordered(given: ChannelList['items'], list: Channel[]): Channel[] {
	const rank = (channel: Channel) => (list.includes(channel) ? list.indexOf(channel) : list.length);
	return given.map(({ channel }) => channel).sort((a, b) => rank(a) - rank(b));
}

export const channelsTried = (given: ChannelList['items']) => ordered(given, tried);

export const channelsOffered = (given: ChannelList['items'], admin: boolean) =>
	ordered(given, offered).filter(
		(channel) => channel !== 'push' && (admin || !byAdmins.includes(channel)),
	);

/** In the order in which their channels are tried; those of one channel as they came. */
export const contactsOrdered = (contacts: Contact[], order: Channel[]): Contact[] =>
	contacts.toSorted((a, b) => order.indexOf(a.channel) - order.indexOf(b.channel));

/** The order with this channel so many places further, among those that have a contact. */
export function channelMoved(
	order: Channel[],
	contacts: Contact[],
	channel: Channel,
	by: number,
): Channel[] {
	const shown = order.filter((one) => contacts.some((contact) => contact.channel === one));
	const over = shown[shown.indexOf(channel) + by];
	if (!over) return order;
	const rest = order.filter((one) => one !== channel);
	rest.splice(rest.indexOf(over) + (by > 0 ? 1 : 0), 0, channel);
	return rest;
}

export const contactName = (contact: Contact) =>
	contact.name || t(`web.deliveries.${contact.channel}`);

/** Whether something arrives there, in words. `failing`: why its channel does not work. */
export function contactState(
	contact: Contact,
	failing: string,
): { words: string; tone: 'good' | 'warn' | 'bad' | 'soft' } {
	if (contact.broken)
		return { words: t('web.channels.broken', { reason: contact.broken.reason }), tone: 'bad' };
	if (!contact.verified) return { words: t('web.channels.unverified'), tone: 'warn' };
	if (contact.muted) return { words: t('web.channels.muted'), tone: 'soft' };
	if (failing) return { words: failing, tone: 'bad' };
	return contact.tested
		? { words: t('web.channels.works'), tone: 'good' }
		: { words: t('web.channels.untested'), tone: 'warn' };
}

/** The lines of parley.conf that set a channel up. */
export const channelConfig = (channel: Channel): string => (configs[channel] ?? []).join('\n');

const configs: Partial<Record<Channel, string[]>> = {
	email: [
		'smtp_url = smtps://parley@mail.example.org',
		'smtp_password_file = /etc/parley/smtp.password',
		'mail_from = parley@example.org',
	],
	slack: [
		'slack_token_file = /etc/parley/slack-token',
		'slack_app_token_file = /etc/parley/slack-app-token',
	],
	push: ['url = https://parley.example.org', 'push_subject = mailto:ops@example.org'],
	command: ['[channels]', 'phone = apprise -t {title} ntfy://my-secret-topic'],
};
