/* Was a stopped agent set going again? Told by the events of its session. Pure. */
import type { Event } from '../api/types';
import { t } from './i18n.svelte';

export interface Waking {
	state: 'going' | 'woken' | 'failed';
	delivery: string;
	resumer: string;
	/** Why it failed. */
	error: string;
	/** The last of what it printed. */
	output: string;
}

export const WAKING_TYPES = 'session.resuming,session.resumed';

const text = (event: Event, name: string) => {
	const value = event.data[name];
	return typeof value === 'string' ? value : '';
};

/** In the reader's language where it is a matter of numbers, else as the server has it. */
function errorOf({ data }: Event): string {
	const { exit, signal, error } = data as { exit?: unknown; signal?: unknown; error?: unknown };
	if (typeof error !== 'string') return '';
	if (typeof signal === 'number') return t('web.waking.signal', { n: String(signal) });
	if (typeof exit === 'number' && exit > 0) return t('web.waking.exit', { n: String(exit) });
	return error;
}

/** What an event says of it; null: nothing. */
export function wakingIn(event: Event): Waking | null {
	if (!WAKING_TYPES.split(',').includes(event.type)) return null;
	const error = errorOf(event);
	return {
		state: event.type === 'session.resuming' ? 'going' : error ? 'failed' : 'woken',
		delivery: text(event, 'delivery'),
		resumer: text(event, 'resumer'),
		error,
		output: text(event, 'output'),
	};
}

/** Of one ask, whenever that was. */
export function wakingOfAsk(events: Event[], ask: string): Waking | null {
	const last = events.findLast((event) => event.ask === ask && wakingIn(event));
	return last ? wakingIn(last) : null;
}

/** Of a session as it is now: an agent that has been heard of since is awake. */
export function wakingOfSession(events: Event[]): Waking | null {
	const at = events.findLastIndex((event) => wakingIn(event));
	if (at < 0) return null;
	const heard = (event: Event) => event.type === 'session.progress' || event.type === 'ask.created';
	return events.slice(at + 1).some(heard) ? null : wakingIn(events[at]!);
}
