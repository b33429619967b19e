import { expect, test } from 'vitest';
import type { Channel, Contact } from '../src/api/types';
import { channelConfig, channelMoved, contactsOrdered } from '../src/lib/channels';
import { halfHours } from '../src/lib/quiet';

const contact = (id: string, channel: Channel) => ({ id, channel }) as Contact;

test('a clock has 24 hours, and keeps a time that is none of its half hours', () => {
	expect(halfHours()).toHaveLength(48);
	expect(halfHours().at(-1)).toBe('23:30');
	expect(halfHours('07:45', '08:00', undefined).slice(15, 18)).toEqual(['07:30', '07:45', '08:00']);
});

test('contacts stand in the order of their channels, and move past those that are there', () => {
	const order: Channel[] = ['push', 'slack', 'email', 'webhook'];
	const contacts = [contact('a', 'webhook'), contact('b', 'push'), contact('c', 'webhook')];
	expect(contactsOrdered(contacts, order).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
	const moved = channelMoved(order, contacts, 'webhook', -1);
	expect(moved).toEqual(['webhook', 'push', 'slack', 'email']);
	expect(channelMoved(moved, contacts, 'webhook', 1)).toEqual([
		'push',
		'webhook',
		'slack',
		'email',
	]);
	expect(channelMoved(order, contacts, 'push', -1)).toEqual(order);
});

test('every channel that can be off says how it is set up', () => {
	for (const channel of ['email', 'slack', 'push', 'command'] as const)
		expect(channelConfig(channel)).toMatch(/ = /);
});
