import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refused, Unreachable } from '../src/api/client';
import { api } from '../src/api/first';
import type { Ask, Event } from '../src/api/types';
import { Stream, type Line } from '../src/state/stream';

const event = (id: number): Event => ({
	id,
	type: 'session.progress',
	at: '2026-01-01T00:00:00.000Z',
	session: null,
	data: {},
});

class Source {
	static all: Source[] = [];
	static CLOSED = 2;
	readyState = 1;
	listeners = new Map<string, (m: { data: string }) => void>();
	onopen: (() => void) | null = null;
	onerror: (() => void) | null = null;
	constructor(readonly url: string) {
		Source.all.push(this);
	}
	addEventListener(type: string, run: (m: { data: string }) => void) {
		this.listeners.set(type, run);
	}
	close() {
		this.readyState = 2;
	}
	send(e: Event) {
		this.listeners.get(e.type)?.({ data: JSON.stringify(e) });
	}
}

/** The browser's locks, as the specification has them: one holder, the others in order. */
class Locks {
	private holder: object | null = null;
	private queue: { run: () => Promise<void>; done: () => void; fail: (e: Error) => void }[] = [];
	request(_name: string, how: { signal?: AbortSignal }, run: () => Promise<void>): Promise<void> {
		return new Promise((done, fail) => {
			const one = { run, done, fail };
			how.signal?.addEventListener('abort', () => {
				if (!this.queue.includes(one)) return;
				this.queue = this.queue.filter((other) => other !== one);
				fail(new DOMException('aborted', 'AbortError'));
			});
			this.queue.push(one);
			queueMicrotask(() => this.next());
		});
	}
	private next(): void {
		const one = this.holder ? undefined : this.queue.shift();
		if (!one) return;
		this.holder = one;
		void one.run().then(() => {
			this.holder = null;
			one.done();
			this.next();
		});
	}
}

/** A channel between streams, each its own tab. */
class Channel {
	static all = new Set<Channel>();
	onmessage: ((message: { data: unknown }) => void) | null = null;
	closed = false;
	constructor() {
		Channel.all.add(this);
	}
	postMessage(data: unknown) {
		if (this.closed) throw new DOMException('closed', 'InvalidStateError');
		for (const other of Channel.all) if (other !== this) other.onmessage?.({ data });
	}
	close() {
		this.closed = true;
		Channel.all.delete(this);
	}
}

beforeEach(() => {
	Source.all = [];
	Channel.all.clear();
	vi.stubGlobal('EventSource', Source);
	vi.stubGlobal('navigator', { locks: new Locks() });
	vi.stubGlobal('BroadcastChannel', Channel);
});
const streams: Stream[] = [];
afterEach(() => {
	for (const stream of streams.splice(0)) stream.stop();
	vi.unstubAllGlobals();
});

/** The turn in which a lock is given away. */
const turn = () => new Promise<void>((done) => setTimeout(done, 0));

function listening(after: number) {
	const got: number[] = [];
	const lines: Line[] = [];
	const stream = new Stream({
		event: (e) => got.push(e.id),
		line: (line) => lines.push(line),
		gone: vi.fn(() => stream.stop()),
	});
	streams.push(stream);
	stream.start(after);
	return { stream, got, lines, gone: stream['ears'].gone };
}

/** A stream that keeps the connection. */
async function leading(after: number) {
	const one = listening(after);
	await vi.waitFor(() => expect(one.stream.leads).toBe(true));
	return { ...one, source: Source.all.at(-1)! };
}

test('it goes on from the snapshot, each event once and in order', async () => {
	const { got, source } = await leading(5);
	expect(source.url).toBe('/v1/events?after=5');
	for (const id of [5, 6, 6, 7]) source.send(event(id));
	expect(got).toEqual([6, 7]);
});

test('a gap is fetched before what came after it is told', async () => {
	const missed = vi
		.spyOn(api, 'events')
		.mockResolvedValue({ items: [event(6), event(7)], next_cursor: null, as_of: 7 });
	const { got, source } = await leading(5);
	source.send(event(8));
	source.send(event(9));
	await vi.waitFor(() => expect(got).toEqual([6, 7, 8, 9]));
	expect(missed).toHaveBeenCalledOnce();
});

test('what was told between the snapshot of a tab and its first look at the channel is fetched', async () => {
	const missed = vi
		.spyOn(api, 'events')
		.mockReset()
		.mockResolvedValue({ items: [event(6), event(7)], next_cursor: null, as_of: 7 });
	const { source } = await leading(5);
	for (const id of [6, 7]) source.send(event(id));
	await turn();
	const late = listening(5);
	await vi.waitFor(() => expect(late.got).toEqual([6, 7]));
	expect(missed).toHaveBeenCalledOnce();
	const now = listening(7);
	source.send(event(8));
	await vi.waitFor(() => expect(late.got).toEqual([6, 7, 8]));
	expect(now.got).toEqual([8]);
	expect(missed).toHaveBeenCalledOnce();
});

test('a gap that cannot be fetched is fetched again, and nothing is lost or told before it', async () => {
	vi.useFakeTimers();
	const missed = vi
		.spyOn(api, 'events')
		.mockReset()
		.mockRejectedValueOnce(new Unreachable('/v1/events'))
		.mockRejectedValueOnce(new Unreachable('/v1/events'))
		.mockResolvedValue({ items: [event(6), event(7), event(8)], next_cursor: null, as_of: 8 });
	const { got, lines, source } = await leading(5);
	source.onopen?.();
	source.send(event(8));
	await vi.advanceTimersByTimeAsync(0);
	source.send(event(9));
	expect(got).toEqual([]);
	expect(lines.at(-1)).toBe('lost');
	await vi.advanceTimersByTimeAsync(3000);
	expect(got).toEqual([6, 7, 8, 9]);
	expect(lines.at(-1)).toBe('live');
	expect(missed).toHaveBeenCalledTimes(3);
	vi.useRealTimers();
});

test('a gap behind an ended login asks for a new one', async () => {
	vi.spyOn(api, 'events').mockReset().mockRejectedValue(new Refused(401, {}));
	const { got, gone, source } = await leading(5);
	source.send(event(8));
	await vi.waitFor(() => expect(gone).toHaveBeenCalled());
	expect(got).toEqual([]);
});

test('one tab keeps the connection, and the others hear of it by the channel', async () => {
	const first = await leading(5);
	const second = listening(5);
	await turn();
	expect(Source.all).toHaveLength(1);
	first.source.onopen?.();
	const passed = vi.spyOn(first.stream['channel'], 'postMessage');
	for (const id of [6, 7, 8]) first.source.send(event(id));
	await vi.waitFor(() => expect(second.got).toEqual([6, 7, 8]));
	expect(first.got).toEqual([6, 7, 8]);
	expect(second.lines.at(-1)).toBe('live');
	expect(passed).toHaveBeenCalledOnce(); // what came together
});

test('what was fetched is passed on behind the event that told of it', async () => {
	const first = await leading(5);
	const told: string[] = [];
	const second = new Stream({
		event: (e) => told.push(`event ${e.id}`),
		copy: (ask) => told.push(`copy ${ask.id}`),
		line: () => undefined,
		gone: () => undefined,
	});
	streams.push(second);
	second.start(5);
	await turn();
	first.source.send(event(6));
	first.stream.share({ id: 'ask_1' } as Ask);
	await vi.waitFor(() => expect(told).toEqual(['event 6', 'copy ask_1']));
});

test('a new stream of the same tab is live after the old one was stopped', async () => {
	const old = await leading(5);
	old.stream.leave();
	const fresh = await leading(7);
	expect(old.source.readyState).toBe(Source.CLOSED);
	expect(fresh.source.url).toBe('/v1/events?after=7');
	fresh.source.send(event(8));
	expect([old.got, fresh.got]).toEqual([[], [8]]);
});

test('the next tab takes over when the one with the connection is stopped', async () => {
	const first = await leading(5);
	const second = listening(5);
	first.stream.stop();
	await vi.waitFor(() => expect(second.stream.leads).toBe(true));
	expect(Source.all).toHaveLength(2);
});

test('a tab that was stopped while it waited never gets the lock', async () => {
	const first = await leading(5);
	const waiting = listening(5);
	const third = listening(5);
	await turn();
	waiting.stream.stop();
	first.stream.stop();
	await vi.waitFor(() => expect(third.stream.leads).toBe(true));
	expect(waiting.stream.leads).toBe(false);
});

test('a stopped stream hears and says nothing, and does not start again', async () => {
	const first = await leading(5);
	const second = listening(5);
	second.stream.stop();
	first.source.send(event(6));
	second.stream.note('outbox');
	second.stream.start(9);
	await turn();
	expect(second.got).toEqual([]);
	expect(Source.all).toHaveLength(1);
});

test('logging out in one tab ends it in the others', async () => {
	const first = await leading(5);
	const second = listening(5);
	first.stream.leave();
	expect(second.gone).toHaveBeenCalledOnce();
});

test('without locks each tab keeps its own connection', async () => {
	vi.stubGlobal('navigator', { locks: undefined });
	listening(5);
	listening(5);
	expect(Source.all).toHaveLength(2);
});
