/* How times read. Pure but for the language. */
import { language, t } from './i18n.svelte';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

type Unit = 'second' | 'minute' | 'hour' | 'day';

const unit = (n: number, name: Unit) => t(`web.span.short.${name}`, { n });

/** "6 min", "2 h", "3 d": how long ago; with 'short', how long something takes, which is never "now". */
export function span(ms: number, display: 'ago' | 'short' = 'ago'): string {
	const abs = Math.max(0, ms);
	if (abs < 1000 && display === 'ago') return t('web.now');
	if (abs < M) return unit(Math.floor(abs / S), 'second');
	if (abs < H) return unit(Math.floor(abs / M), 'minute');
	if (abs < D) return unit(Math.floor(abs / H), 'hour');
	return unit(Math.floor(abs / D), 'day');
}

/** How long ago, in a sentence that says "ago": a second at least, as nothing was now ago. */
export const past = (ms: number): string => span(Math.max(S, ms));

/** "2:47" below ten minutes, then "23 min", "5 h", "3 d". */
export function countdown(ms: number): string {
	const left = Math.max(0, Math.ceil(ms / S) * S);
	if (left < 10 * M) {
		const seconds = Math.floor((left % M) / S);
		return `${Math.floor(left / M)}:${String(seconds).padStart(2, '0')}`;
	}
	return span(left, 'short');
}

/** "14:05" of today, "3 Feb, 14:05"; `whole`: with day and year whenever it was. */
export function moment(iso: string, whole = false): string {
	const at = new Date(iso);
	const today = !whole && at.toDateString() === new Date().toDateString();
	return new Intl.DateTimeFormat(language(), {
		...(today ? {} : { day: 'numeric', month: 'short' }),
		...(whole ? { year: 'numeric' } : {}),
		hour: '2-digit',
		minute: '2-digit',
		hourCycle: 'h23',
	}).format(at);
}

export function dayShort(day: string): string {
	return new Intl.DateTimeFormat(language(), {
		day: 'numeric',
		month: 'short',
		timeZone: 'UTC',
	}).format(new Date(`${day}T00:00:00Z`));
}

/** As a field of date and time has it, to the minute or, with 19, to the second: where its reader is. */
export function fieldTime(ms: number, length: 16 | 19 = 16): string {
	const there = new Date(ms - new Date(ms).getTimezoneOffset() * M);
	return there.toISOString().slice(0, length);
}

/** "14:05". */
export function time(iso: string): string {
	return new Intl.DateTimeFormat(language(), {
		hour: '2-digit',
		minute: '2-digit',
		hourCycle: 'h23',
	}).format(new Date(iso));
}

/** "14:05:31" of today, "3 Feb, 14:05:31". */
export function exact(iso: string): string {
	const at = new Date(iso);
	const today = at.toDateString() === new Date().toDateString();
	return new Intl.DateTimeFormat(language(), {
		...(today ? {} : { day: 'numeric', month: 'short' }),
		hour: '2-digit',
		minute: '2-digit',
		second: '2-digit',
		hourCycle: 'h23',
	}).format(at);
}

/** "Today, Monday 16 November", "Yesterday, …", "Friday 13 November". */
export function dayNamed(iso: string, now: number): string {
	const day = dayLong(iso);
	const at = new Date(iso).toDateString();
	if (at === new Date(now).toDateString()) return t('web.day.today', { day });
	const before = new Date(now);
	before.setDate(before.getDate() - 1);
	return at === before.toDateString() ? t('web.day.yesterday', { day }) : day;
}

/** "Monday 16 November". */
export function dayLong(iso: string): string {
	return new Intl.DateTimeFormat(language(), {
		weekday: 'long',
		day: 'numeric',
		month: 'long',
	}).format(new Date(iso));
}
