/* The runs that stand in the queue, oldest first, while somebody looks at one of them. */
import { api } from '../api/api';
import type { Run } from '../api/runs';
import { Latest } from '../lib/latest';
import { connection } from './connection.svelte';

const REFETCH_MS = 300;

class Queue {
	private list = $state.raw<Run[]>([]);
	private watchers = 0;
	private timer: ReturnType<typeof setTimeout> | null = null;
	private read = new Latest();
	private stop: (() => void) | null = null;

	/** 1: the next one; 0: not in the queue. */
	place(run: string): number {
		return this.list.findIndex((one) => one.id === run) + 1;
	}
	/** The same of a session's run. */
	placeOf(session: string): number {
		return this.list.findIndex((one) => one.session === session) + 1;
	}

	watch(): () => void {
		if (!this.watchers++) {
			void this.load();
			this.stop = connection.listen((event) => {
				if (event.run && /^run\.(queued|started|resumed|cancelled)$/.test(event.type)) this.soon();
			});
		}
		return () => {
			if (--this.watchers) return;
			this.stop?.();
			this.stop = null;
		};
	}

	private async load(): Promise<void> {
		const queued = await this.read
			.of(api.runs({ status: 'queued', limit: 200 }))
			.catch(() => ({ items: [] }));
		if (!queued) return;
		this.list = queued.items
			.filter((run) => !run.parent)
			.sort((a, b) => ((a.queued_at ?? '') < (b.queued_at ?? '') ? -1 : 1));
	}

	private soon(): void {
		this.timer ??= setTimeout(() => {
			this.timer = null;
			void this.load();
		}, REFETCH_MS);
	}
}

export const queue = new Queue();
