import { afterEach, expect, test, vi } from 'vitest';
import { api } from '../src/api/first';
import type { Ask, Event } from '../src/api/types';
import { Asks } from '../src/state/asks.svelte';
import { outbox, type Letter } from '../src/state/outbox.svelte';
import { ask } from './fixtures';

/* A browser's store that is slow. */
const kept = vi.hoisted(() => new Map<string, unknown>());
vi.mock('../src/state/cache', () => ({
	cacheLoad: (name: string) =>
		new Promise((done) => setTimeout(() => done(kept.get(name) ?? null), 5)),
	cacheKeep: (name: string, value: unknown) =>
		new Promise((done) => setTimeout(() => done(Boolean(kept.set(name, value))), 5)),
	cacheClear: async () => kept.clear(),
}));

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

test('a reply that was on its way when its ask was settled does not open the ask again', () => {
	const asks = new Asks();
	asks.put(ask());
	asks.apply(event('ask.expired', { status: 'expired' }), vi.fn());
	asks.put(ask({ version: 2 })); // claimed a moment before
	expect(asks.get(id)?.status).toBe('expired');
	asks.put(ask({ version: 3, status: 'expired' }));
	expect(asks.get(id)?.version).toBe(3);
});

/** As in a tab beside the one that keeps the connection. */
function following() {
	vi.useFakeTimers();
	const asks = new Asks();
	asks.tabs = { fetch: () => true, share: vi.fn() };
	return { asks, fetched: vi.spyOn(api, 'ask').mockResolvedValue(ask()) };
}

test('what another tab fetched is not fetched again', async () => {
	const { asks, fetched } = following();
	const arrived = vi.fn();
	asks.apply(event('ask.created'), arrived);
	asks.copied(ask());
	asks.apply(event('ask.claimed'), arrived);
	asks.copied(ask({ version: 2 }));
	await vi.advanceTimersByTimeAsync(10_000);
	expect(asks.get(id)?.version).toBe(2);
	expect(arrived).toHaveBeenCalledOnce();
	expect(fetched).not.toHaveBeenCalled();
	vi.useRealTimers();
});

test('when the other tab shares nothing, this one fetches', async () => {
	const { asks, fetched } = following();
	const arrived = vi.fn();
	asks.apply(event('ask.created'), arrived);
	await vi.advanceTimersByTimeAsync(4900);
	expect(fetched).not.toHaveBeenCalled();
	await vi.advanceTimersByTimeAsync(200);
	expect(fetched).toHaveBeenCalledOnce();
	expect(arrived).toHaveBeenCalledOnce();
	vi.useRealTimers();
});

test('a tab that fetches for all from now on fetches at once what it waited for', async () => {
	const { asks, fetched } = following();
	const arrived = vi.fn();
	asks.apply(event('ask.created'), arrived);
	asks.tabs = { fetch: () => false, share: vi.fn() };
	asks.lead();
	await vi.advanceTimersByTimeAsync(0);
	expect(fetched).toHaveBeenCalledOnce();
	expect(arrived).toHaveBeenCalledOnce();
	expect(asks.tabs.share).toHaveBeenCalledOnce();
	await vi.advanceTimersByTimeAsync(10_000);
	expect(fetched).toHaveBeenCalledOnce();
	vi.useRealTimers();
});

test('the copy of each ask is waited for in its own time', async () => {
	const { asks, fetched } = following();
	asks.apply(event('ask.created'), vi.fn());
	asks.copied(ask());
	await vi.advanceTimersByTimeAsync(4900);
	asks.apply(event('ask.claimed'), vi.fn());
	await vi.advanceTimersByTimeAsync(200);
	expect(fetched).not.toHaveBeenCalled();
	asks.copied(ask({ version: 2 }));
	await vi.advanceTimersByTimeAsync(10_000);
	expect(fetched).not.toHaveBeenCalled();
	vi.useRealTimers();
});

test('only what nothing overtook is shared', async () => {
	const replies = slow();
	const asks = new Asks();
	const share = vi.fn();
	asks.tabs = { fetch: () => false, share };
	asks.apply(event('ask.created'), vi.fn());
	asks.apply(event('ask.answered', { status: 'answered' }), vi.fn());
	replies[0]!(ask());
	await soon();
	expect(share).not.toHaveBeenCalled();
	replies[1]!(ask({ status: 'answered', version: 2 }));
	await soon();
	expect(share).toHaveBeenCalledOnce();
});

test('an answer that is queued before the kept ones are read loses none of them', async () => {
	const letter = (name: string): Letter => ({
		person: 'usr_1',
		ask: name,
		title: name,
		verb: 'skip',
		body: {},
		says: '',
		key: name,
	});
	kept.set('outbox', [letter('ask_1'), { ...letter('ask_2'), person: 'usr_2' }]);
	void outbox.open('usr_1');
	await outbox.put(letter('ask_3'));
	const names = (kept.get('outbox') as Letter[]).map((one) => one.ask).sort();
	expect(names).toEqual(['ask_1', 'ask_2', 'ask_3']);
	expect(outbox.has('ask_1')).toBe(true);
	expect(outbox.has('ask_2')).toBe(false);
	/* It is kept before anybody is told that it will be sent. */
	const put = outbox.put(letter('ask_4'));
	while (!outbox.has('ask_4')) await new Promise((done) => setTimeout(done, 1));
	expect((kept.get('outbox') as Letter[]).map((one) => one.ask)).toContain('ask_4');
	await put;
});

test('a tab that nobody sees draws what comes together once, and all of it once it is seen', () => {
	vi.useFakeTimers();
	const sight = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
	const asks = new Asks();
	expect(asks.count).toBe(0);
	for (const n of [1, 2, 3]) asks.put(ask({ id: `ask_${n}` }));
	expect(asks.count).toBe(0);
	vi.advanceTimersByTime(300);
	expect(asks.count).toBe(3);
	asks.put(ask({ id: 'ask_4' }));
	sight.mockReturnValue('visible');
	asks.seen();
	expect(asks.count).toBe(4);
	vi.useRealTimers();
});
