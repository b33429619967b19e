/* The sessions, as a cursor over the events sees them. Loaded when a screen first wants them. */
import { api } from '../api/client';
import type { Event, Session, SessionStatus } from '../api/types';

const SOON_MS = 300;

class Sessions {
	list = $state.raw<Session[]>([]);
	loaded = $state(false);
	private wanted = false;
	private timer: ReturnType<typeof setTimeout> | null = null;

	running = $derived(this.list.filter((session) => session.status === 'running').length);

	async load(): Promise<void> {
		this.wanted = true;
		this.list = (await api.sessions({ limit: 200 })).items;
		this.loaded = true;
	}

	apply(event: Event): void {
		if (!this.wanted || !event.session) return;
		if (event.type === 'session.deleted') {
			this.list = this.list.filter((session) => session.id !== event.session);
		} else if (event.type === 'session.status') {
			const status = event.data['status'] as unknown as SessionStatus;
			this.change(event.session, { status, updated_at: event.at });
		} else if (event.type === 'session.progress') {
			this.change(event.session, { progress: event.data, updated_at: event.at });
		} else this.soon();
	}

	private change(id: string, what: Partial<Session>): void {
		if (!this.list.some((session) => session.id === id)) return this.soon();
		this.list = this.list.map((session) => (session.id === id ? { ...session, ...what } : session));
	}

	private soon(): void {
		this.timer ??= setTimeout(() => {
			this.timer = null;
			void this.load().catch(() => undefined);
		}, SOON_MS);
	}
}

export const sessions = new Sessions();
