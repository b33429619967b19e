/* The channels that the server has, in the order of a list; those that the page does not know come last. */
import type { Channel, ChannelList } from '../api/types';

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
