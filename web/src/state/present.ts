/* Says that somebody is looking, so that nobody is sent what they see anyway: only for who can be
 * reached elsewhere at all. */
import { api } from '../api/client';
import { connection } from './connection.svelte';

const EVERY_MS = 30_000;
let reachable = false;
let started = false;

async function look(): Promise<void> {
	try {
		reachable = (await api.contacts('')).items.length > 0;
	} catch {
		reachable = false;
	}
}

function say(): void {
	if (reachable && document.visibilityState !== 'hidden') api.present().catch(() => undefined);
}

export function presentStart(): void {
	if (started) return;
	started = true;
	void look().then(say);
	connection.listen((event) => {
		if (event.type.startsWith('contact.')) void look().then(say);
	});
	setInterval(say, EVERY_MS);
	addEventListener('visibilitychange', say);
}
