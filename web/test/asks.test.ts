import { afterEach, expect, test, vi } from 'vitest';
import { api } from '../src/api/client';
import type { Ask, Event } from '../src/api/types';
import { Asks } from '../src/state/asks.svelte';
import { ask } from './fixtures';

afterEach(() => vi.restoreAllMocks());

const id = ask().id;
const event = (type: Event['type'], data: Record<string, unknown> = {}): Event => ({
	id: 1,
	type,
	at: '2026-01-01T00:00:00.000Z',
	session: ask().session,
	ask: id,
	data: data as Event['data'],
});

/** Replies that come when they are told to, in the order of the requests. */
function slow() {
	const replies: ((ask: Ask) => void)[] = [];
	vi.spyOn(api, 'ask').mockImplementation(() => new Promise((done) => replies.push(done)));
	return replies;
}
const soon = () => new Promise((done) => setTimeout(done));

test('what happens while an ask is on its way is not missed', async () => {
	const replies = slow();
	const asks = new Asks();
	const arrived = vi.fn();
	asks.apply(event('ask.created'), arrived);
	asks.apply(event('ask.answered', { status: 'answered' }), arrived);
	replies[0]!(ask());
	await soon();
	replies[1]!(ask({ status: 'answered', version: 2 }));
	await soon();
	expect(asks.get(id)?.status).toBe('answered');
	expect(asks.count).toBe(0);
	expect(arrived).not.toHaveBeenCalled();
});

test('an old copy does not bring a settled ask back', async () => {
	const replies = slow();
	const asks = new Asks();
	asks.put(ask());
	asks.apply(event('ask.claimed'), vi.fn());
	asks.apply(event('ask.skipped', { status: 'skipped' }), vi.fn());
	replies[0]!(ask());
	await soon();
	replies[1]!(ask({ status: 'skipped', version: 3 }));
	await soon();
	expect(asks.get(id)?.status).toBe('skipped');
});
