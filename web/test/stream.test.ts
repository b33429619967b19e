import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { api, Refused, Unreachable } from '../src/api/client';
import type { Event } from '../src/api/types';
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
	close() {}
	send(e: Event) {
		this.listeners.get(e.type)?.({ data: JSON.stringify(e) });
	}
}

beforeEach(() => {
	Source.all = [];
	vi.stubGlobal('EventSource', Source);
	vi.stubGlobal('navigator', { locks: undefined });
	vi.stubGlobal(
		'BroadcastChannel',
		class {
			onmessage: unknown = null;
			postMessage() {}
		},
	);
});
afterEach(() => vi.unstubAllGlobals());

function listening(after: number) {
	const got: number[] = [];
	const lines: Line[] = [];
	const stream = new Stream({
		event: (e) => got.push(e.id),
		line: (line) => lines.push(line),
		gone: vi.fn(() => stream.stop()),
	});
	stream.start(after);
	return { got, lines, gone: stream['ears'].gone, source: Source.all[0]! };
}

test('it goes on from the snapshot, each event once and in order', () => {
	const { got, source } = listening(5);
	expect(source.url).toBe('/v1/events?after=5');
	for (const id of [5, 6, 6, 7]) source.send(event(id));
	expect(got).toEqual([6, 7]);
});

test('a gap is fetched before what came after it is told', async () => {
	const missed = vi
		.spyOn(api, 'events')
		.mockResolvedValue({ items: [event(6), event(7)], next_cursor: null, as_of: 7 });
	const { got, source } = listening(5);
	source.send(event(8));
	source.send(event(9));
	await vi.waitFor(() => expect(got).toEqual([6, 7, 8, 9]));
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
	const { got, lines, source } = listening(5);
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
	const { got, gone, source } = listening(5);
	source.send(event(8));
	await vi.waitFor(() => expect(gone).toHaveBeenCalled());
	expect(got).toEqual([]);
});
