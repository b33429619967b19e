import { expect, test, vi } from 'vitest';
import { api } from '../src/api/api';
import type { Contact, Event } from '../src/api/types';
import { later, speak } from '../src/lib/i18n.svelte';
import { connection } from '../src/state/connection.svelte';
import { login } from '../src/state/login.svelte';
import { presentStart } from '../src/state/present';
import { toasts } from '../src/state/toasts.svelte';

const contact = (id: string, since: string | null) =>
	({
		id,
		channel: 'email',
		name: 'Work',
		address: 'ann@example.org',
		broken: since && { since, reason: 'mailbox full' },
	}) as unknown as Contact;

test('a contact that can no longer be reached is said once each time it breaks, with its reason', async () => {
	await speak('en');
	await later(() => Promise.resolve());
	vi.spyOn(api, 'present').mockResolvedValue(undefined as never);
	const contacts = vi.spyOn(api, 'contacts');
	const listen = vi.spyOn(connection, 'listen');
	const show = vi.spyOn(toasts, 'show').mockImplementation(() => undefined);
	const channels = vi.spyOn(api, 'channels').mockResolvedValue({ items: [] });
	const told = (since: string | null) =>
		contacts.mockResolvedValue({
			items: [contact('con_1', since), contact('con_2', null)],
		} as never);
	const again = () =>
		listen.mock.calls[0]![0]({ type: 'contact.broken' } as unknown as Event, undefined);
	told('2026-11-03T10:00:00.000Z');
	presentStart();
	await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(1));
	expect(show.mock.calls[0]![0]).toMatchObject({
		title: 'Parley can no longer reach you by e-mail (Work)',
		text: 'mailbox full',
		stays: true,
	});
	again();
	await vi.waitFor(() => expect(contacts).toHaveBeenCalledTimes(2));
	told('2026-11-09T10:00:00.000Z');
	again();
	await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(2));
	expect(channels, 'for admins alone').not.toHaveBeenCalled();
	vi.spyOn(login, 'isAdmin', 'get').mockReturnValue(true);
	const slack = {
		channel: 'slack',
		state: 'down',
		since: '2026-11-09T10:00:00.000Z',
		error: 'token_revoked',
	};
	channels.mockResolvedValue({ items: [slack] } as never);
	const unreached = () =>
		listen.mock.calls[0]![0]({ type: 'ask.unreached' } as unknown as Event, undefined);
	unreached();
	unreached();
	await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(3));
	expect(show.mock.calls[2]![0]).toMatchObject({
		title: 'Slack is not working: nobody is notified by it',
		text: 'token_revoked',
	});
	expect(channels, 'not more than once a minute').toHaveBeenCalledTimes(1);
});
