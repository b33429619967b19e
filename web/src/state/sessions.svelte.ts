/* The sessions, as a cursor over the events sees them: the list while a screen shows it, always
 * how many run. */
import { api } from '../api/first';
import type { Event, Session, SessionStatus } from '../api/types';
import { Latest } from '../lib/latest';

const REFETCH_MS = 300;

/** What an event says of its session itself; null: more than it tells has to be fetched. */
export function sessionChange(event: Event): Partial<Session> | null {
	if (event.type === 'session.status')
		return { status: event.data['status'] as unknown as SessionStatus, updated_at: event.at };
	if (event.type === 'session.progress') return { progress: event.data, updated_at: event.at };
	return null;
}

class Sessions {
	list = $state.raw<Session[]>([]);
	loaded = $state(false);
	private watchers = 0;
	private timer: ReturnType<typeof setTimeout> | null = null;
	private read = new Latest();
	private reading = 0;
	private counting = 0;
	/** What the events said while they were counted: whether a session runs. */
	private meanwhile = new Map<string, boolean>();
	private runners = $state.raw<ReadonlySet<string>>(new Set());

	running = $derived(this.runners.size);
	private titles = $state.raw<ReadonlyMap<string, string>>(new Map());

	/** What a session is called, if that is known here. */
	title(id: string): string | null {
		return this.titles.get(id) ?? this.list.find((session) => session.id === id)?.title ?? null;
	}

	/** From the page of the session. */
	named(id: string, title: string | null): void {
		if (title && this.titles.get(id) !== title) this.titles = new Map(this.titles).set(id, title);
	}

	async count(): Promise<void> {
		if (!this.counting++) this.meanwhile.clear();
		try {
			const { items } = await api.sessions({ status: 'running', limit: 200 });
			this.runners = new Set(items.map((session) => session.id));
			for (const [id, yes] of this.meanwhile) this.runs(id, yes);
		} finally {
			this.counting--;
		}
	}

	/** Keeps the list true while it is looked at; returns how to stop. */
	watch(): () => void {
		this.watchers++;
		void this.load().catch(() => undefined);
		return () => this.watchers--;
	}

	private async load(): Promise<void> {
		this.reading++;
		try {
			const page = await this.read.of(api.sessions({ limit: 200 }));
			if (!page) return;
			this.list = page.items;
			this.loaded = true;
		} finally {
			this.reading--;
		}
	}

	private runs(id: string, yes: boolean): void {
		if (this.counting) this.meanwhile.set(id, yes);
		if (this.runners.has(id) === yes) return;
		const runners = new Set(this.runners);
		if (yes) runners.add(id);
		else runners.delete(id);
		this.runners = runners;
	}

	apply(event: Event): void {
		if (!event.session) return;
		if (event.type === 'session.deleted') this.runs(event.session, false);
		if (event.type === 'session.status')
			this.runs(event.session, event.data['status'] === 'running');
		if (!this.watchers) return;
		if (this.reading) this.soon(); // the reply may be older than this
		const change = sessionChange(event);
		if (event.type === 'session.deleted') {
			this.list = this.list.filter((session) => session.id !== event.session);
		} else if (change) this.change(event.session, change);
		else this.soon();
	}

	private change(id: string, what: Partial<Session>): void {
		if (!this.list.some((session) => session.id === id)) return this.soon();
		this.list = this.list.map((session) => (session.id === id ? { ...session, ...what } : session));
	}

	private soon(): void {
		this.timer ??= setTimeout(() => {
			this.timer = null;
			void this.load().catch(() => undefined);
		}, REFETCH_MS);
	}
}

export const sessions = new Sessions();
