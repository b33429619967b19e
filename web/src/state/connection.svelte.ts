/* The event stream of this tab: what it hears goes to the asks, the sessions and whoever listens. */
import type { Ask, Event } from '../api/types';
import { asks } from './asks.svelte';
import { login } from './login.svelte';
import { sessions } from './sessions.svelte';
import { Stream, type Line } from './stream';

const SOON_MS = 300;

type Listener = (event: Event, before: Ask | undefined) => void;

export interface Hooks {
	arrived(ask: Ask): void;
	gone(): void;
	/** The stream is open, for the first time or `again`. */
	live(again: boolean): void;
	/** Another tab changed the outbox. */
	outbox(): void;
}

class Connection {
	line = $state<Line>('connecting');
	private stream: Stream | null = null;
	private listeners = new Set<Listener>();

	/** Listens from now on; events are applied once `start` says from where. */
	open(hooks: Hooks): void {
		this.stop();
		const stream = new Stream({
			event: (event) => this.apply(event, hooks),
			copy: (ask) => asks.copied(ask),
			leads: () => asks.lead(),
			line: (line) => {
				const was = this.line;
				this.line = line;
				if (line === 'live' && was !== 'live') hooks.live(was === 'lost');
			},
			gone: () => hooks.gone(),
			note: () => hooks.outbox(),
		});
		this.stream = stream;
		asks.tabs = { fetch: () => !stream.leads, share: (ask) => stream.share(ask) };
	}

	start(after: number): void {
		this.stream?.start(after);
		if (this.line === 'lost') this.line = 'connecting';
	}

	retry(): void {
		this.stream?.retry();
	}

	/** Tells the other tabs that the outbox changed. */
	noteOutbox(): void {
		this.stream?.note('outbox');
	}

	/** Ends the login in the other tabs too. */
	leave(): void {
		this.stream?.leave();
	}

	stop(): void {
		this.stream?.stop();
		this.stream = null;
	}

	/** For whoever follows events; returns how to stop. */
	listen(listener: Listener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Runs it shortly after events that fit, once for all that come together. */
	soon(fits: (event: Event) => boolean, run: () => unknown): () => void {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const stop = this.listen((event) => {
			if (!fits(event)) return;
			clearTimeout(timer);
			timer = setTimeout(run, SOON_MS);
		});
		return () => {
			clearTimeout(timer);
			stop();
		};
	}

	private apply(event: Event, hooks: Hooks): void {
		const before = event.ask ? asks.get(event.ask) : undefined;
		asks.apply(event, (ask) => hooks.arrived(ask));
		sessions.apply(event);
		login.apply(event);
		for (const listener of this.listeners) listener(event, before);
	}
}

export const connection = new Connection();
