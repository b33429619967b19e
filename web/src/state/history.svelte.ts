/* The history as it was last asked for: its list outlives the screen, so that previous and next of one that was opened
 * follow the list it was opened from. */
import { SvelteSet } from 'svelte/reactivity';
import { api } from '../api/api';
import type { Ask, SettledCounts } from '../api/types';
import { csvHead, csvLines } from '../lib/csv';
import { dayQuery, historyRows, historyWish, historyWith, whenQuery } from '../lib/history';
import { Latest } from '../lib/latest';
import { asks } from './asks.svelte';
import { login } from './login.svelte';

const PAGE = 50;
const EXPORT_PAGE = 200;
export const EXPORT_MAX = 100_000;
/** How far one is looked for that an address names. */
const FIND_MAX = 1000;

const queryOf = (search: string) => {
	const { when, ...rest } = historyWish(search);
	return { ...rest, ...whenQuery(when, Date.now()) };
};

class History {
	items = $state.raw<Ask[]>([]);
	loaded = $state(false);
	/** Of the filter; of it without the view; of all there is. */
	counts = $state.raw<{ here: SettledCounts; views: SettledCounts; all: SettledCounts } | null>(
		null,
	);
	readonly open = new SvelteSet<string>();
	private cursor = $state<string | null>(null);
	private search = '';
	private person = '';
	/** How many the day has that the list ends in. */
	private lastDay = $state<{ iso: string; count: number } | null>(null);
	private readonly latest = new Latest();
	private readonly counting = new Latest();

	rows = $derived.by(() =>
		historyRows(this.items, this.open, this.cursor === null).map((row) => {
			if (!row.day || row.day.count !== null || !this.lastDay) return row;
			const same =
				new Date(row.day.iso).toDateString() === new Date(this.lastDay.iso).toDateString();
			return same ? { ...row, day: { ...row.day, count: this.lastDay.count } } : row;
		}),
	);
	hasMore = $derived(this.cursor !== null);

	private query = (from: string | null) => ({
		status: 'settled',
		...queryOf(this.search),
		limit: PAGE,
		cursor: from,
	});

	/** What an address asks for; the list that is here stays until it comes. */
	async load(search: string): Promise<void> {
		const wanted = historyWith(search, {});
		if (login.person !== this.person) this.items = [];
		else if (this.loaded && wanted === this.search) return this.refresh();
		this.person = login.person;
		this.search = wanted;
		this.loaded = false;
		const page = await this.latest.of(api.asks(this.query(null)));
		if (!page) return;
		this.items = page.items;
		this.cursor = page.next_cursor;
		this.loaded = true;
		void this.count().catch(() => undefined);
	}

	async more(): Promise<void> {
		if (this.cursor === null) return;
		const page = await this.latest.of(api.asks(this.query(this.cursor)));
		if (!page) return;
		const known = new Set(this.items.map((ask) => ask.id));
		this.items = [...this.items, ...page.items.filter((ask) => !known.has(ask.id))];
		this.cursor = page.next_cursor;
		void this.countLastDay().catch(() => undefined);
	}

	/** What was settled meanwhile joins the top; what one has scrolled to stays. */
	async refresh(): Promise<void> {
		const { search } = this;
		const page = await api.asks(this.query(null)).catch(() => null);
		if (!page || search !== this.search) return;
		const fresh = new Set(page.items.map((ask) => ask.id));
		if (page.next_cursor === null) this.items = page.items;
		else this.items = [...page.items, ...this.items.filter((ask) => !fresh.has(ask.id))];
		if (page.next_cursor === null) this.cursor = null;
		void this.count().catch(() => undefined);
	}

	private async count(): Promise<void> {
		const views = historyWith(this.search, { by: '', outcome: '' });
		const [here, without, all] = await Promise.all([
			api.askCounts(queryOf(this.search)),
			views === this.search ? null : api.askCounts(queryOf(views)),
			views === '' ? null : api.askCounts({}),
		]);
		const got = await this.counting.of(Promise.resolve({ here, without, all }));
		if (!got) return;
		const whole = got.without ?? got.here;
		this.counts = { here: got.here, views: whole, all: got.all ?? whole };
		await this.countLastDay();
	}

	private async countLastDay(): Promise<void> {
		const last = this.items.at(-1);
		if (!last || this.cursor === null) return;
		const wish = historyWish(this.search);
		const query = { ...queryOf(this.search), ...dayQuery(last.settled_at!, wish, Date.now()) };
		const { all: count } = await api.askCounts(query);
		this.lastDay = { iso: last.settled_at!, count };
	}

	/** What is known of one: as it is now, wherever it came from. */
	get(id: string): Ask | undefined {
		return this.items.find((ask) => ask.id === id) ?? asks.get(id);
	}

	/** Its place in the list, from 1; 0: it is not in it. */
	place = (id: string): number => this.items.findIndex((ask) => ask.id === id) + 1;

	/** The one so many lines further; what is folded is passed over. */
	beside(id: string, step: number): Ask | null {
		const { rows } = this;
		let at = rows.findIndex((row) => row.ask.id === id);
		if (at < 0) {
			const place = this.place(id);
			if (!place) return null;
			at = rows.findLastIndex((row) => this.place(row.ask.id) <= place);
		}
		return rows[at + step]?.ask ?? null;
	}

	/** The list as far as this one, so that there is something before and behind it. */
	async reach(id: string): Promise<void> {
		while (this.loaded && !this.place(id) && this.cursor && this.items.length < FIND_MAX)
			await this.more();
		if (this.place(id) === this.items.length) await this.more();
	}

	/** All that the filter finds, as lines of CSV; `tell` hears how many there are so far. */
	async csv(tell: (n: number) => void): Promise<string[]> {
		const parts = [csvHead()];
		let cursor: string | null = null;
		let n = 0;
		do {
			const page: Awaited<ReturnType<typeof api.asks>> = await api.asks({
				...this.query(cursor),
				limit: EXPORT_PAGE,
				proof: 'true',
			});
			parts.push(csvLines(page.items));
			n += page.items.length;
			tell(n);
			cursor = page.next_cursor;
		} while (cursor && n < EXPORT_MAX);
		return parts;
	}
}

export const record = new History();
