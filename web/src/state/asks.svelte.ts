/* The asks this tab knows: all that are pending, and those somebody looks at. A cursor over the
 * events keeps them true. */
import { api } from '../api/first';
import { Refused, Unreachable } from '../api/client';
import type { Ask, AskStatus, Event } from '../api/types';
import { isSnoozed } from '../lib/filter';
import { byAttention } from '../lib/order';
import { inReadersWords } from '../lib/own';
import { serverNow } from '../lib/serverTime';
import { cacheKeep, cacheLoad } from './cache';
import { clock } from './clock.svelte';
import { login } from './login.svelte';
import { afterFrames } from './screen.svelte';

const PAGE = 200;
const FIRST_PAGE = 50; // more than a screen of them
const MANY = 40;
const RETRY_MS = 2000;
const UNSEEN_MS = 250;
/** How long to wait for the copy of the tab that fetches for all, which may be slow; when that tab is gone, the
 * next one fetches at once. */
const PATIENCE_MS = 5000;

/** The other tabs of this browser. */
export interface Tabs {
	/** Does another tab fetch what changed, and share it? */
	fetch(): boolean;
	share(ask: Ask): void;
}

export class Asks {
	tabs: Tabs = { fetch: () => false, share: () => undefined };
	private known = new Map<string, Ask>();
	private watched = new Map<string, number>();
	private wanted = new Set<string>();
	/** Being fetched: what happens meanwhile may be missing in it, so it is fetched once more. */
	private flying = new Set<string>();
	/** Settled by an event, which does not tell the answer. */
	private partial = new Set<string>();
	private fetching = 0;
	private tick = $state(0);

	/** loading, then whole; stale: from the cache, the server was not there. */
	state = $state<'loading' | 'whole' | 'stale'>('loading');
	/** Was anything ever asked here? null: not known yet. */
	ever = $state<boolean | null>(null);

	private sorted = $derived.by(() => {
		void this.tick;
		const pending = [...this.known.values()].filter((ask) => ask.status === 'pending');
		return byAttention(pending, serverNow(), login.me?.user?.id);
	});
	pending = $derived(this.sorted.map(inReadersWords));
	/** How many wait for this person: what they snoozed does not. */
	count = $derived(this.pending.filter((ask) => !isSnoozed(ask, clock.quarter)).length);

	/** What shows them is drawn anew; in a tab that nobody sees not with every event, but in time for the
	 * count in its title. */
	private changes(): void {
		if (document.visibilityState !== 'hidden') this.tick++;
		else
			this.unseen ??= setTimeout(() => {
				this.unseen = null;
				this.tick++;
			}, UNSEEN_MS);
	}
	private unseen: ReturnType<typeof setTimeout> | null = null;

	/** The tab is looked at again, or no longer. */
	seen(): void {
		if (this.unseen === null) return;
		clearTimeout(this.unseen);
		this.unseen = null;
		this.tick++;
	}

	get(id: string): Ask | undefined {
		void this.tick;
		const ask = this.known.get(id);
		return ask && inReadersWords(ask);
	}

	/** Those that are known, in the order of their ids here. */
	list(ids: Iterable<string>): Ask[] {
		void this.tick;
		return [...ids].flatMap((id) => this.get(id) ?? []);
	}

	/** Ids of those of a session that are known here. */
	ofSession(session: string): string[] {
		return [...this.known.values()].filter((ask) => ask.session === session).map((ask) => ask.id);
	}

	/** Returns the event number to go on from. The first page is painted before the next is asked for;
	 * `listed` is called once it is here. */
	async load(listed: () => void = () => undefined): Promise<number> {
		const seen = new Set<string>();
		let first: number | null = null;
		let cursor: string | null = null;
		do {
			const page: Awaited<ReturnType<typeof api.asks>> = await api.asks({
				limit: cursor ? PAGE : FIRST_PAGE,
				cursor,
				order: 'attention',
				snoozed: 'all',
			});
			first ??= page.as_of;
			cursor = page.next_cursor;
			for (const ask of page.items) {
				if (!this.isOld(ask)) this.known.set(ask.id, ask);
				seen.add(ask.id);
			}
			this.changes();
			listed();
			if (cursor && seen.size === FIRST_PAGE) await new Promise<void>(afterFrames);
		} while (cursor);
		for (const ask of this.known.values())
			if (ask.status === 'pending' && !seen.has(ask.id)) this.want(ask.id);
		this.state = 'whole';
		this.keep();
		if (this.known.size) this.ever = true;
		else this.ever = (await api.asks({ status: 'all', limit: 1 })).items.length > 0;
		return first ?? 0;
	}

	async loadCached(): Promise<void> {
		for (const ask of (await cacheLoad<Ask[]>('inbox')) ?? []) this.known.set(ask.id, ask);
		this.state = 'stale';
		this.ever = true;
		this.changes();
	}

	/** The next person here starts with nothing. */
	clear(): void {
		this.known.clear();
		this.wanted.clear();
		this.expected.clear();
		this.partial.clear();
		this.missing = new Set();
		this.state = 'loading';
		this.ever = null;
		this.changes();
	}

	/** Settled once, for ever: a copy that says pending was on its way when the ask was settled. */
	private isOld(ask: Ask): boolean {
		const known = this.known.get(ask.id);
		if (!known) return false;
		return known.version > ask.version || (known.status !== 'pending' && ask.status === 'pending');
	}

	put(ask: Ask): void {
		if (this.isOld(ask)) return;
		this.known.set(ask.id, ask);
		this.partial.delete(ask.id);
		if (ask.status === 'pending') this.ever = true;
		this.changes();
		this.keep();
	}

	/** Keeps an ask true while it is looked at; returns how to stop. */
	watch(id: string): () => void {
		this.watched.set(id, (this.watched.get(id) ?? 0) + 1);
		const whole = this.known.has(id) && !this.partial.has(id);
		if (!whole && !this.flying.has(id)) this.want(id);
		return () => {
			const n = (this.watched.get(id) ?? 1) - 1;
			if (n) this.watched.set(id, n);
			else this.watched.delete(id);
		};
	}

	missing = $state.raw<ReadonlySet<string>>(new Set());

	/** What an event changes. `arrived` hears of each new pending ask once it is here. */
	apply(event: Event, arrived: (ask: Ask) => void): void {
		const id = event.ask;
		if (event.type === 'session.deleted') {
			for (const ask of [...this.known.values()])
				if (ask.session === event.session) this.known.delete(ask.id);
			this.changes();
			return;
		}
		/* Rules that deny hold for what waits: what is looked at says so. */
		if (event.type.startsWith('rule.'))
			for (const one of this.watched.keys())
				if (this.known.get(one)?.kind === 'approval' && this.known.get(one)?.status === 'pending')
					this.want(one);
		/* That somebody was told of it changes nothing about it. */
		if (!id || event.type.startsWith('ask.notif')) return;
		if (event.type === 'ask.created') {
			this.onArrival.set(id, arrived);
			this.changed(id);
			return;
		}
		const ask = this.known.get(id);
		const flying = this.flying.has(id);
		if (!ask) {
			if (flying) this.want(id);
			return;
		}
		const status = event.data['status'] as AskStatus | undefined;
		if (event.type === 'ask.revoked') this.want(id);
		else if (status && status !== 'pending') {
			const by = event.data['answered_by'] as Ask['answered_by'] | undefined;
			this.known.set(id, { ...ask, status, settled_at: event.at, answered_by: by ?? null });
			this.partial.add(id);
			this.changes();
			this.keep();
			if (flying) this.want(id);
			else setTimeout(() => this.watched.has(id) && this.want(id)); // once the list has moved on
		} else if (ask.status === 'pending') this.changed(id);
		else this.want(id);
	}

	private onArrival = new Map<string, (ask: Ask) => void>();
	private retryTimer: ReturnType<typeof setTimeout> | null = null;
	/** What another tab fetches, and until when that is waited for. */
	private expected = new Map<string, number>();
	private patience: ReturnType<typeof setTimeout> | null = null;

	/** A pending ask is not what it was: one tab fetches it for all. */
	private changed(id: string): void {
		if (!this.tabs.fetch()) {
			this.want(id);
			return;
		}
		this.expected.set(id, performance.now() + PATIENCE_MS);
		this.patience ??= setTimeout(() => this.expect(), PATIENCE_MS);
	}

	/** This tab fetches for all from now on: also what the one before did not get to. */
	lead(): void {
		const late = [...this.expected.keys()];
		this.expected.clear();
		for (const id of late) this.want(id);
	}

	/** Fetches what has not come in its time, and waits on for the rest. */
	private expect(): void {
		const now = performance.now();
		for (const [id, until] of this.expected)
			if (until <= now + 1) {
				this.expected.delete(id);
				this.want(id);
			}
		const next = Math.min(...this.expected.values());
		this.patience = this.expected.size ? setTimeout(() => this.expect(), next - now) : null;
	}

	/** From the tab that fetched it; it comes behind every event that the copy knows of. */
	copied(ask: Ask): void {
		this.expected.delete(ask.id);
		this.arrive(ask);
		this.onArrival.delete(ask.id);
	}

	/** Fetches it soon. A flood of new ones is read as a list. */
	private want(id: string): void {
		this.wanted.add(id);
		if (this.fetching < 3) void this.fetchNext();
	}

	private arrive(ask: Ask): void {
		this.put(ask);
		if (ask.status === 'pending') this.onArrival.get(ask.id)?.(ask);
	}

	private async fetchNext(): Promise<void> {
		this.fetching++;
		for (;;) {
			const free = [...this.wanted].filter((id) => !this.flying.has(id));
			if (!free.length) break;
			const many = free.length > MANY && this.state === 'whole';
			const ids = many ? free : free.slice(0, 1);
			for (const id of ids) {
				this.wanted.delete(id);
				this.flying.add(id);
			}
			try {
				if (many) await this.load();
				else await this.fetchOne(ids[0]!);
			} catch (error) {
				if (error instanceof Unreachable) {
					for (const id of ids) this.wanted.add(id);
					this.retryTimer ??= setTimeout(() => {
						this.retryTimer = null;
						void this.fetchNext();
					}, RETRY_MS);
					break;
				}
			} finally {
				for (const id of ids) this.flying.delete(id);
			}
			for (const id of ids) if (!this.wanted.has(id)) this.onArrival.delete(id);
		}
		this.fetching--;
	}

	private async fetchOne(id: string): Promise<void> {
		try {
			const ask = await api.ask(id);
			if (this.wanted.has(id)) {
				this.put(ask); // something happened meanwhile: it is fetched once more
				return;
			}
			this.arrive(ask);
			this.tabs.share(ask);
		} catch (error) {
			if (!(error instanceof Refused) || error.status !== 404) throw error;
			this.known.delete(id);
			this.missing = new Set(this.missing).add(id);
			this.changes();
		}
	}

	private keeping: ReturnType<typeof setTimeout> | null = null;

	private keep(): void {
		if (this.keeping) return;
		this.keeping = setTimeout(() => {
			this.keeping = null;
			if (!this.tabs.fetch()) void cacheKeep('inbox', this.sorted.slice(0, PAGE));
		}, 2000);
	}
}

export const asks = new Asks();
addEventListener('visibilitychange', () => asks.seen());
