/* Snoozing: out of one's own list until a time. Others still see the ask, and its deadline runs on. */
import { api } from '../api/api';
import type { Ask } from '../api/types';
import { t } from '../lib/i18n.svelte';
import { askTitle } from '../lib/order';
import { moment } from '../lib/time';
import { toastProblem } from './action.svelte';
import { asks } from './asks.svelte';
import { toasts } from './toasts.svelte';

const HOUR_MS = 3600_000;

/** Until a time, or no longer (null). False: the server did not take it, which is told. */
export async function snooze(ask: Ask, until: number | null): Promise<boolean> {
	const key = `snoozed ${ask.id}`;
	try {
		const to = until === null ? null : new Date(until).toISOString();
		asks.put(await api.mark(ask.id, { snoozed_until: to }));
		if (!to) toasts.drop(key);
		else
			toasts.show({
				key,
				title: t('web.snooze.done', { at: moment(to) }),
				text: askTitle(ask),
				ask: ask.id,
				act: { label: t('web.undo'), run: () => void snooze(ask, null) },
			});
		return true;
	} catch (error) {
		toastProblem(error);
		return false;
	}
}

/** What a swipe does. */
export const snoozeHour = (ask: Ask) => snooze(ask, Date.now() + HOUR_MS);
