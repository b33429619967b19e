/* The stops that hold, and whether somebody is about to set one. */
import { api } from '../api/api';
import type { Ask, Session, Stop } from '../api/types';
import { Latest } from '../lib/latest';
import { isOpen, stopFits } from '../lib/stops';
import { clock } from './clock.svelte';

class Stops {
	private known = $state.raw<Stop[]>([]);
	/** Is the dialog open in which one is set? */
	asking = $state(false);
	/** The session that it was opened from; empty: none. */
	session = $state('');
	private read = new Latest();

	/** Those that hold at this moment: one with an end ends by itself. */
	live = $derived(
		this.known.filter((stop) => !stop.until || Date.parse(stop.until) > clock.second),
	);

	async load(): Promise<void> {
		const list = await this.read.of(api.stops());
		if (list) this.known = list.items;
	}

	/** Whoever was here has left. */
	clear(): void {
		this.read.drop();
		this.known = [];
		this.asking = false;
		this.session = '';
	}

	/** Opens the dialog; with a session, for that one. */
	ask(session = ''): void {
		this.session = session;
		this.asking = true;
	}

	/** The stop that holds this ask back. */
	of(ask: Ask): Stop | undefined {
		return this.live.find((stop) => stopFits(stop, ask));
	}

	/** The stop that holds this session's agent back: one that works, waits, or may yet go on. */
	ofSession(session: Session): Stop | undefined {
		if (!isOpen(session) && session.status !== 'idle') return undefined;
		return this.live.find((stop) => stopFits(stop, { ...session, session: session.id }));
	}
}

export const stops = new Stops();
