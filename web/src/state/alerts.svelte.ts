/* The alerts that are open, kept true while somebody sees them. */
import { api } from '../api/api';
import type { Alert } from '../api/types';
import { Latest } from '../lib/latest';
import { connection } from './connection.svelte';

/** How old what they count is, at most: ages grow without an event. */
const EVERY_MS = 60_000;

class Alerts {
	open = $state.raw<Alert[]>([]);
	/** Those that nobody has acknowledged. */
	fresh = $derived(this.open.filter((alert) => !alert.acked));
	private read = new Latest();

	private load = () =>
		void this.read.of(api.alerts({ state: 'open' })).then(
			(list) => list && (this.open = list.items),
			() => undefined,
		);

	/** Until what is returned is called. */
	watch(): () => void {
		this.load();
		const stop = connection.listen((event) => {
			if (event.type.startsWith('alert.')) this.load();
		});
		const timer = setInterval(() => this.open.length && this.load(), EVERY_MS);
		return () => {
			stop();
			clearInterval(timer);
			this.read.drop();
			this.open = [];
		};
	}
}

export const alerts = new Alerts();
