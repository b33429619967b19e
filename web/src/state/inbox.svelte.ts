/* The rows of the inbox. They never move under the pointer: while it is over them, or the list is
 * scrolled, what is new waits above and what is settled stays, struck out. What is looked at stays
 * whatever becomes of it. */
import { untrack } from 'svelte';
import type { Ask } from '../api/types';
import { filterRead, filterWrite, isFiltered, passes, type Filter } from '../lib/filter';
import { fold, gathered, groupOf, sectioned, type Group, type Row } from '../lib/order';
import { router } from '../lib/router.svelte';
import { serverNow } from '../lib/serverTime';
import { asks } from './asks.svelte';
import { clock } from './clock.svelte';
import { login } from './login.svelte';
import { settings } from './settings.svelte';

/** What is to be selected once the inbox is there. */
export const wished = $state<{ ids: string[] | null }>({ ids: null });

export class InboxRows {
	private order = $state.raw<string[]>([]);
	private groups = new Map<string, Group>();
	private unfolded = $state.raw<ReadonlySet<string>>(new Set());
	/** Is the pointer over the list? */
	over = $state(false);
	scrolled = $state(false);
	chosen = $state.raw<ReadonlySet<string>>(new Set());
	/** The card beside the list: its row stays. */
	looked = $state<string | null>(null);

	filter = $derived(filterRead(router.search));
	filtered = $derived(isFiltered(this.filter));

	private shown = $derived(asks.list(this.order));
	private passing = $derived.by(() => {
		const mine = login.assignable;
		return this.shown.filter((ask) => passes(ask, this.filter, mine, clock.quarter));
	});
	private keyOf = (ask: Ask): string =>
		settings.group === 'agent'
			? ask.agent.name
			: settings.group === 'session'
				? ask.session
				: (this.groups.get(ask.id) ?? 'other');
	rows = $derived.by(() => {
		const list = settings.group === 'urgency' ? this.passing : gathered(this.passing, this.keyOf);
		return sectioned(fold(list, this.unfolded), ({ ask }) => this.keyOf(ask));
	});
	/** Those that wait and pass the filter. */
	waiting = $derived(this.passing.filter((ask) => ask.status === 'pending').length);
	/** New ones that are not in the list yet. */
	fresh = $derived.by(() => {
		const known = new Set(this.order);
		const mine = login.assignable;
		return asks.pending.filter(
			(ask) => !known.has(ask.id) && passes(ask, this.filter, mine, clock.quarter),
		).length;
	});
	/** What is selected and in sight: what a filter hides is not in it. */
	picked = $derived(
		this.passing.filter((ask) => this.chosen.has(ask.id) && ask.status === 'pending'),
	);

	/** Puts the rows in order. */
	sort(): void {
		const pending = asks.pending.map((ask) => ask.id);
		const stays = this.looked !== null && !pending.includes(this.looked) ? this.looked : null;
		const at = stays ? this.order.indexOf(stays) : -1;
		if (at >= 0) pending.splice(Math.min(at, pending.length), 0, stays!);
		this.order = pending;
		const now = serverNow();
		for (const ask of asks.list(pending))
			if (ask.id !== stays) this.groups.set(ask.id, groupOf(ask, now));
	}

	/** Keeps the rows true; for an effect. */
	follow(): void {
		const pending = asks.pending;
		const free = !this.over;
		const atTop = !this.scrolled;
		void this.looked;
		untrack(() => {
			if (!this.order.length || (free && atTop)) this.sort();
			else if (free) {
				const still = new Set(pending.map((ask) => ask.id)).add(this.looked ?? '');
				this.order = this.order.filter((id) => still.has(id));
			}
		});
	}

	find(id: string | null): number {
		return this.rows.findIndex((row) => row.ask.id === id);
	}

	/** The next one that waits, from a row on. */
	waitingFrom(at: number): Ask | null {
		const rows = [...this.rows.slice(Math.max(0, at)), ...this.rows.slice(0, Math.max(0, at))];
		return (
			rows.find((row) => row.ask.status === 'pending' && row.ask.id !== this.looked)?.ask ?? null
		);
	}

	setFilter(filter: Filter): void {
		router.find(filterWrite(filter));
	}

	choose(row: Row): void {
		const set = new Set(this.chosen);
		const ids = row.similar && !this.unfolded.has(row.like) ? this.alike(row.like) : [row.ask.id];
		const on = !set.has(row.ask.id);
		for (const id of ids)
			if (on) set.add(id);
			else set.delete(id);
		this.chosen = set;
	}

	/** These are no longer selected. */
	drop(ids: string[]): void {
		const set = new Set(this.chosen);
		for (const id of ids) set.delete(id);
		this.chosen = set;
	}

	/** Every ask that a fold stands for. */
	alike(like: string): string[] {
		return fold(this.passing, new Set([like]))
			.filter((row) => row.like === like)
			.map((row) => row.ask.id);
	}

	isUnfolded(like: string): boolean {
		return this.unfolded.has(like);
	}

	unfold(like: string): void {
		const set = new Set(this.unfolded);
		if (!set.delete(like)) set.add(like);
		this.unfolded = set;
	}
}
