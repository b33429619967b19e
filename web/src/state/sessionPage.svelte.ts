/* One session as its page shows it: its state, its events, and its asks as this tab knows them, which is
 * sooner than the state tells. */
import { api } from '../api/api';
import { Refused } from '../api/client';
import type { Ask, Event, SessionState } from '../api/types';
import { inReadersWords } from '../lib/own';
import { asks as known } from './asks.svelte';
import { connection } from './connection.svelte';
import { sessionChange } from './sessions.svelte';

export class SessionPage {
	whole = $state.raw<SessionState | null>(null);
	events = $state.raw<Event[]>([]);
	missing = $state(false);

	session = $derived(this.whole?.session ?? null);
	/** An agent that Parley runs: it can be written to. */
	runs = $derived(Boolean(this.session?.runnable) || Boolean(this.whole?.runs.length));
	ended = $derived(
		this.session ? ['completed', 'failed', 'cancelled'].includes(this.session.status) : true,
	);
	/** In the order they were asked. */
	asks = $derived.by((): Ask[] => {
		const list = this.whole?.asks ?? [];
		const listed = new Set(list.map((ask) => ask.id));
		const fresh = known.pending.filter((ask) => ask.session === this.id && !listed.has(ask.id));
		return [...list, ...fresh]
			.map((ask) => this.newer(ask))
			.sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
	});
	open = $derived(this.asks.filter((ask) => ask.status === 'pending'));
	byId = $derived(new Map(this.asks.map((ask) => [ask.id, ask])));

	/* Replies may overtake each other: an older one never replaces a newer one. */
	private asked = 0;
	private shown = 0;
	/* One at a time, however many events come: a busy agent makes many. */
	private loading: Promise<void> | null = null;
	private again = false;

	constructor(private id: string) {}

	/** What this tab heard of an ask before its state told. */
	private newer(ask: Ask): Ask {
		const heard = known.get(ask.id);
		return heard && ask.status === 'pending' ? heard : inReadersWords(ask);
	}

	load = (): Promise<void> => {
		if (this.loading) this.again = true;
		return (this.loading ??= this.loadUntilTrue().finally(() => (this.loading = null)));
	};

	private async loadUntilTrue(): Promise<void> {
		do {
			this.again = false;
			const turn = ++this.asked;
			try {
				const state = await api.sessionState(this.id);
				if (turn <= this.shown) continue;
				this.shown = turn;
				this.whole = state;
			} catch (error) {
				if (error instanceof Refused && error.status === 404) this.missing = true;
			}
		} while (this.again);
	}

	private async loadEvents(): Promise<void> {
		const list = await api.eventsWhole({ session: this.id });
		const heard = new Set(list.map((event) => event.id));
		this.events = [...list, ...this.events.filter((event) => !heard.has(event.id))];
	}

	/** The head says what the log says, at once; what was asked before it is too old by now. */
	private apply(event: Event): void {
		const change = sessionChange(event);
		if (!change || !this.whole) return;
		this.shown = this.asked;
		this.whole = { ...this.whole, session: { ...this.whole.session, ...change } };
	}

	/** Keeps it true until what is returned is called. */
	follow(): () => void {
		const stop = connection.listen((event) => {
			if (event.session !== this.id) return;
			this.apply(event);
			if (!this.events.some((one) => one.id === event.id)) this.events = [...this.events, event];
			void this.load();
		});
		void this.load();
		void this.loadEvents().catch(() => undefined);
		return stop;
	}
}
