// People at receivers of their own, and routes that tell them.
import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import { Receiver } from './receiver.mjs';

/** mia (a member) and ada (an admin) of this server; what a test gave them is gone before the next, but for the
 * channels to keep. */
export async function useContacts({ member, admin }, { keep = [] } = {}) {
	const mia = (await member.get('/v1/me')).body.user;
	const ada = (await admin.get('/v1/me')).body.user;
	/** A contact of somebody at a receiver of its own. */
	async function reached(user, { format = 'parley', reply } = {}) {
		const receiver = await new Receiver(reply).open();
		const made = await admin.post(`/v1/users/${user.id}/contacts`,
			{ channel: 'webhook', address: receiver.url, format, name: `${user.name} ${format}` });
		assert.equal(made.status, 201, made.text);
		return { receiver, contact: made.body,
			remove: () => admin.delete(`/v1/users/${user.id}/contacts/${made.body.id}`),
			purposes: () => receiver.got.map((g) => g.body.data.purpose) };
	}
	/** These steps for every ask. */
	async function routed(steps, more = {}) {
		const { version } = (await admin.get('/v1/routes')).body;
		const reply = await admin.put('/v1/routes', { version, items: [{ match: {}, steps, ...more }] });
		assert.equal(reply.status, 200, reply.text);
		return reply.body.items[0];
	}
	const told = async (ask) => (await member.get(`/v1/asks/${ask.id}/deliveries`)).body;
	const rows = async (ask, query = '') => (await admin.get(`/v1/deliveries?ask=${ask.id}${query}`)).body.items.reverse();
	const now = { after: '0s', to: [`user:${mia.id}`] };
	beforeEach(async () => {
		for (const user of [mia, ada]) {
			for (const { id, channel } of (await admin.get(`/v1/users/${user.id}/contacts`)).body.items) {
				if (!keep.includes(channel)) await admin.delete(`/v1/users/${user.id}/contacts/${id}`);
			}
		}
	});
	return { mia, ada, reached, routed, told, rows, now };
}
