/* One line for a turn: who did what, and who decided. */
import type { Ask, Event } from '../api/types';
import { eventWords } from './events';
import { t, tn } from './i18n.svelte';
import { askTitle } from './order';
import { workedWords } from './runs';
import { plainLine } from './sessionWords';
import { asksOf, toolsOf, type Turn } from './turns';
import { visible } from './visible';
import { answerWords, outcomeOf, settledWords } from './words';

export interface Known {
	ask: (id: string) => Ask | undefined;
	/** What the agent of a run, or of a session, is called. */
	agent: (run: string | null, session: string | null) => string;
	isMe: (user: string | null | undefined) => boolean;
	userName: (id: string) => string;
}

export interface TurnLine {
	who: string;
	what: string;
	/** In bold: what it was about. */
	about: string;
	/** Tools, as they are called. */
	code: string;
	then: string;
	bad: boolean;
}

const text = (event: Event | undefined, name: string): string => {
	const value = event?.data[name];
	return typeof value === 'string' ? value : '';
};

/** "you approved after 21 s", "Ben answered: Yes". */
export function decidedWords(ask: Ask, known: Known): string {
	const outcome = outcomeOf(ask);
	const by = ask.answered_by;
	if (!outcome) return t('web.turn.open');
	if (by?.kind !== 'human' || !by.name || outcome === 'revoked') return settledWords(ask);
	const took = Date.parse(ask.settled_at ?? '') - Date.parse(ask.created_at);
	const span = Number.isFinite(took) ? workedWords(Math.max(1000, took)) : '';
	const name = visible(by.name);
	const you = known.isMe(by.user);
	switch (outcome) {
		case 'approved':
		case 'changed':
		case 'rejected':
		case 'skipped':
			return t(you ? `web.turn.you.${outcome}` : `web.turn.by.${outcome}`, { name, span });
		default:
			return t(you ? 'web.turn.you.answered' : 'web.turn.by.answered', {
				name,
				span,
				answer: visible(answerWords(ask)) || t('web.outcome.answered'),
			});
	}
}

function thenWords(asks: Ask[], known: Known): string {
	if (asks.length < 2) return asks[0] ? decidedWords(asks[0], known) : '';
	/* What the same person decided alike is said once, of the last one. */
	const kinds = new Map(asks.map((ask) => [`${outcomeOf(ask)} ${ask.answered_by?.user}`, ask]));
	const open = asks.filter((ask) => ask.status === 'pending').length;
	if (open) return tn('web.turn.open.many', open);
	return [...kinds.values()].map((ask) => decidedWords(ask, known)).join('; ');
}

export function turnLine(turn: Turn, known: Known): TurnLine {
	const [first] = turn.events;
	const line = { who: '', what: '', about: '', code: '', then: '', bad: false };
	const failed = turn.events.find((event) => event.type === 'run.failed');
	const asks = asksOf(turn, known.ask);
	const titles = turn.events.flatMap((event) =>
		event.type === 'ask.created' ? [{ id: event.ask!, title: text(event, 'title') }] : [],
	);
	if (turn.kind === 'progress') {
		const { data } = turn.events.at(-1)!;
		const [step, steps] = [data['step'], data['steps']];
		const where =
			typeof step === 'number' && typeof steps === 'number' ? `${step}/${steps} · ` : '';
		const who = known.agent(null, turn.session);
		return { ...line, who, what: where + text(turn.events.at(-1), 'text') };
	}
	if (turn.kind === 'other') {
		const words = eventWords(first!, { userName: known.userName });
		if (first!.type === 'run.message')
			return {
				...line,
				who: t('web.turn.person'),
				what: t('web.turn.wrote'),
				about: plainLine(text(first, 'text')),
			};
		return { ...line, what: words };
	}
	const who = known.agent(turn.run, turn.session) || asks[0]?.agent.name || '';
	if (failed) {
		const error = failed.data['error'] as { message?: string } | undefined;
		return { ...line, who, what: t('web.turn.failed'), about: error?.message ?? '', bad: true };
	}
	if (titles.length) {
		const one = asks.find((ask) => ask.id === titles[0]!.id);
		const approval = (one?.kind ?? text(first, 'kind')) === 'approval';
		const more = titles.length > 1 ? ` ${tn('web.turn.more', titles.length - 1)}` : '';
		return {
			...line,
			who,
			what: t(approval ? 'web.turn.asked.approval' : 'web.turn.asked'),
			about: (one ? askTitle(one) : titles[0]!.title) + more,
			then: thenWords(asks, known),
		};
	}
	const said = plainLine(
		text(
			turn.events.find((event) => event.type === 'run.message'),
			'text',
		),
	);
	const tools = toolsOf(turn).join(', ');
	if (turn.events.at(-1)!.type === 'run.cancelled')
		return { ...line, who, what: t('web.turn.stopped'), about: '' };
	if (tools) return { ...line, who, what: t('web.turn.called'), code: tools, then: said };
	if (said) return { ...line, who, what: t('web.turn.said'), about: said };
	return { ...line, who, what: eventWords(first!, { ask: asks[0], userName: known.userName }) };
}
