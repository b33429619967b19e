/* Who was told of an ask, who could not be reached, who is told later, and what comes next. Pure;
 * src/tui/told.c says the same in the terminal. */
import type { AskDeliveries, Delivery } from '../api/types';
import { t } from './i18n.svelte';
import { moment } from './time';

const TIMES_MAX = 3;

type State = 'told' | 'retried' | 'failed' | 'later';

/** Null: it says nothing about who was told. */
function stateOf(delivery: Delivery): State | null {
	if (!['ask', 'reminder', 'thread'].includes(delivery.purpose)) return null;
	if (delivery.status === 'done') return 'told';
	if (delivery.status === 'dead') return 'failed';
	if (delivery.status !== 'waiting') return null;
	return delivery.attempts ? 'retried' : 'later';
}

const whose = (delivery: Delivery) => delivery.user ?? delivery.contact ?? '';

function entryWords(like: Delivery[], told: AskDeliveries, me: string, state: State): string {
	const first = like[0]!;
	const who = whose(first) === me ? t('web.told.you') : (told.names[whose(first)] ?? first.target);
	const at = like
		.map((one) => (state === 'later' || state === 'retried' ? one.next_at : one.done_at))
		.filter((time): time is string => Boolean(time))
		.slice(0, TIMES_MAX)
		.map((time) => moment(time))
		.join(', ');
	const room = !first.user && first.kind === 'slack';
	const channel = t(`web.deliveries.${first.kind}`);
	return t(room ? 'web.told.room' : 'web.told.entry', { who, channel, at }).trim();
}

function listOf(told: AskDeliveries, me: string, state: State): string {
	const groups = new Map<string, Delivery[]>();
	for (const one of told.items) {
		if (stateOf(one) !== state) continue;
		const key = `${whose(one)} ${one.kind}`;
		groups.set(key, [...(groups.get(key) ?? []), one]);
	}
	return [...groups.values()].map((like) => entryWords(like, told, me, state)).join(' · ');
}

type Reason = AskDeliveries['unreached'][number]['reasons'][number];

function reasonWords(told: AskDeliveries, { user, team, why, from }: Reason): string {
	const id = user ?? team;
	if (!id) return t('web.told.why.nobody');
	return t(`web.told.why.${why}`, { who: told.names[id] ?? id, at: from ? moment(from) : '' });
}

/** Why steps reached nobody, each reason once. */
function reasonsOf(told: AskDeliveries, wanted: (why: Reason['why']) => boolean): string[] {
	const reasons = told.unreached.flatMap((step) => step.reasons);
	return [...new Set(reasons.filter((r) => wanted(r.why)).map((r) => reasonWords(told, r)))];
}

/** The lines to be shown; none: nobody was told and nobody will be. */
export function toldLines(told: AskDeliveries, me: string): { state: string; text: string }[] {
	const some = told.items.some((one) => ['told', 'later'].includes(stateOf(one) ?? ''));
	/* What failed stands in a line of its own, unless nobody has heard of it. */
	const nobody = some ? [] : reasonsOf(told, () => true);
	const others = some ? reasonsOf(told, (why) => why !== 'down' && why !== 'dead') : [];
	const failed = [listOf(told, me, 'failed'), ...others].filter(Boolean).join(' · ');
	const lines = [
		{ state: 'unreached', text: nobody.join(' · '), id: 'web.told.unreached' as const },
		{ state: 'told', text: listOf(told, me, 'told'), id: 'web.told' as const },
		{ state: 'retried', text: listOf(told, me, 'retried'), id: 'web.told.retried' as const },
		{ state: 'failed', text: failed, id: 'web.told.failed' as const },
		{ state: 'later', text: listOf(told, me, 'later'), id: 'web.told.later' as const },
	]
		.filter((line) => line.text)
		.map(({ state, text, id }) => ({ state, text: t(id, { list: text }) }));
	if (!told.next_at || !told.next_to.length) return lines;
	const who = told.next_to
		.map((to) => t(`web.told.to.${to.kind}`, { name: to.name ?? '' }))
		.join(', ');
	const next = t('web.told.next', { who, at: moment(told.next_at) });
	return [...lines, { state: 'next', text: next }];
}

/** Whom a word of a route's step means: "team:ops/on_call" → "on-call of ops". */
export function toWords(to: string, nameOf: (id: string) => string): string {
	const [kind, rest = ''] = to.split(/:(.*)/s);
	if (kind === 'assignees' || kind === 'all') return t(`web.told.to.${kind}`);
	if (kind === 'role') return t('web.told.to.admins');
	const [, name = rest, some = ''] = /^(.*)\/(on_call|leads)$/.exec(rest) ?? [];
	if (kind === 'team') return t(`web.told.to.${(some || 'team') as 'team'}`, { name });
	return nameOf(rest);
}

/** Whom a delivery goes to: the person, then what they call the contact; what an agent is called by. */
export function targetWords(
	{ user, contact, target }: Delivery,
	nameOf: (id: string) => string,
): string {
	const name = target === contact ? '' : target;
	return [user ? nameOf(user) : '', name].filter(Boolean).join(' · ') || target;
}
