/* Routes in words, and what their pickers offer: people, teams and rooms by name, times by the clock. Pure. */
import type { Channel, Contact, NotifyRoute, NotifyStep, Team, User } from '../api/types';
import { t } from './i18n.svelte';
import type { Choice } from './picking';
import { durationMs } from './rules';
import { span } from './time';
import { toWords } from './told';

export const kinds = ['blocking', 'non_blocking', 'approval', 'error_recovery', 'alert'] as const;
export const risks = ['low', 'medium', 'high', 'critical'] as const;
export const priorities = ['low', 'normal', 'high', 'urgent'] as const;

/** A duration in words; what is none stays as it was written. */
export function longWords(text: string): string {
	const ms = durationMs(text);
	return ms > 0 ? span(ms, 'short') : text;
}

const isAtOnce = (text: string | undefined) => !parseInt(text ?? '0');

export function whenWords(step: NotifyStep): string {
	if (step.before) return t('web.routes.words.before', { span: longWords(step.before) });
	return isAtOnce(step.after)
		? t('web.routes.atonce')
		: t('web.routes.words.after', { span: longWords(step.after ?? '') });
}

export const viaWords = (via: Channel[] | undefined) =>
	via?.map((one) => t(`web.deliveries.${one}`)).join(', ') ?? '';

/** A route in one line. */
export function routeWords(route: NotifyRoute, whom: (to: string) => string): string {
	if (!route.steps.length) return t('web.routes.nobody');
	const steps = route.steps.map((step) => {
		const via = viaWords(step.via);
		return `${whenWords(step)}: ${step.to.map(whom).join(', ')}${via ? ` (${via})` : ''}`;
	});
	if (route.repeat)
		steps.push(
			t('web.routes.words.repeat', {
				span: longWords(route.repeat.every),
				n: String(route.repeat.times),
			}),
		);
	return steps.join(' · ');
}

/** Durations in their order, and the one that is kept. */
export function durations(list: string[], kept?: string | null): string[] {
	const all = kept && !list.includes(kept) ? [...list, kept] : list;
	return all.toSorted((a, b) => durationMs(a) - durationMs(b));
}

const AFTER = ['0s', '20s', '1m', '2m', '5m', '10m', '15m', '30m', '1h', '2h', '4h', '1d'];
const BEFORE = ['1m', '5m', '10m', '15m', '30m', '1h'];

/** "after:5m", "before:5m". */
export const whenValue = (step: NotifyStep) =>
	step.before ? `before:${step.before}` : `after:${isAtOnce(step.after) ? '0s' : step.after}`;

export function whenChoices(step: NotifyStep): Choice[] {
	const of = (name: 'after' | 'before', list: string[]) =>
		list.map((value) => ({
			value: `${name}:${value}`,
			name: whenWords({ to: [], [name]: value }),
			group: t(`web.routes.${name}`),
		}));
	return [
		...of('after', durations(AFTER, isAtOnce(step.after) ? null : step.after)),
		...of('before', durations(BEFORE, step.before)),
	];
}

export function whenSet(step: NotifyStep, value: string): void {
	const [name = '', span = ''] = value.split(':');
	delete step.before;
	delete step.after;
	step[name as 'after' | 'before'] = span;
}

interface Around {
	users: User[];
	teams: Team[];
	/** Contacts of teams. */
	rooms: Contact[];
	userName: (id: string) => string;
}

export function toChoices({ users, teams, rooms, userName }: Around): Choice[] {
	const word = (value: string) => toWords(value, userName);
	return [
		{ value: 'assignees', name: word('assignees'), end: t('web.routes.to.assignees') },
		{ value: 'all', name: word('all') },
		{ value: 'role:admin', name: word('role:admin') },
		...teams.flatMap((team) => {
			const lead = team.members.filter((one) => one.lead).map((one) => userName(one.user));
			const group = t('web.settings.teams');
			return [
				{
					value: `team:${team.name}/on_call`,
					name: word(`team:${team.name}/on_call`),
					end: team.on_call ? t('web.routes.to.now', { name: userName(team.on_call) }) : '',
					group,
				},
				{
					value: `team:${team.name}`,
					name: t('web.routes.to.team', { name: team.name }),
					end: String(team.members.length),
					group,
				},
				{
					value: `team:${team.name}/leads`,
					name: word(`team:${team.name}/leads`),
					end: lead.join(', '),
					group,
				},
			];
		}),
		...users
			.filter((user) => !user.disabled)
			.map((user) => ({
				value: `user:${user.id}`,
				name: user.name,
				group: t('web.settings.users'),
			})),
		...rooms.map((room) => ({
			value: `contact:${room.id}`,
			name: room.name || room.address,
			end: t(`web.deliveries.${room.channel}`),
			group: t('web.routes.to.rooms'),
		})),
	];
}

/** What is empty is not there. */
export function put<T extends object, K extends keyof T>(of: T, name: K, value: T[K] | ''): void {
	if (value && !(Array.isArray(value) && !value.length)) of[name] = value;
	else delete of[name];
}

export const turned = <T>(list: readonly T[] | undefined, one: T): T[] =>
	list?.includes(one) ? list.filter((other) => other !== one) : [...(list ?? []), one];
