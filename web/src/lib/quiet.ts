/* Quiet hours in words: "22:00–07:30, weekends; urgent and critical questions pass". Pure. */
import type { NotifyPrefs } from '../api/types';
import { t } from './i18n.svelte';

type Quiet = NonNullable<NotifyPrefs['quiet']>;

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

function dayWords(days: Quiet['days']): string {
	const set = WEEK.filter((day) => days?.includes(day));
	if (set.join() === 'sat,sun') return t('web.channels.weekends');
	return set.map((day) => t(`web.channels.day.${day}`)).join(', ');
}

export function quietWords(quiet: Quiet): string {
	const when = [`${quiet.from}–${quiet.to}`, dayWords(quiet.days)].filter(Boolean).join(', ');
	return t(quiet.except === 'never' ? 'web.channels.quiet.all' : 'web.channels.quiet.passes', {
		when,
	});
}
