/* What a run says before it is a message. Nothing depends on it: the message follows. */

export interface Live {
	/** What it says in this turn, so far. */
	text: string;
	thought: string;
	/** The last turn's text, shown until its message is here; `until`: the event that told of it. */
	said: string;
	until: number;
	/** What it was saying when it was stopped: no message holds it. */
	lost: string;
	/** The tool it is calling. */
	tool: string;
	percent: number | null;
	doing: string;
	/** Of this turn, so far. */
	tokens: number;
	cost: number;
	/** When its first words came. */
	since: number;
	perSecond: number | null;
	retrying: { attempt: number; why: string; at: number } | null;
}

export const liveNew = (): Live => ({
	text: '',
	thought: '',
	said: '',
	until: 0,
	lost: '',
	tool: '',
	percent: null,
	doing: '',
	tokens: 0,
	cost: 0,
	since: 0,
	perSecond: null,
	retrying: null,
});

export interface Hint {
	type: string;
	data: Record<string, unknown>;
	/** Durable events have one. */
	id?: number;
}

const text = (hint: Hint, name: string) => {
	const value = hint.data[name];
	return typeof value === 'string' ? value : '';
};
const number = (hint: Hint, name: string) => {
	const value = hint.data[name];
	return typeof value === 'number' ? value : null;
};

const TOKEN_LETTERS = 4; // about, until the server says more
const MIN_MS = 500;

/* More words: until the server tells how many tokens came, they are estimated. */
function spoken(live: Live, more: Partial<Live>, now: number): Live {
	const next = { ...live, ...more, retrying: null, since: live.since || now };
	const tokens = Math.round((next.text.length + next.thought.length) / TOKEN_LETTERS);
	const ms = now - next.since;
	return {
		...next,
		tokens: Math.max(next.tokens, tokens),
		perSecond: ms < MIN_MS ? next.perSecond : (1000 * Math.max(next.tokens, tokens)) / ms,
	};
}

/** The run after a hint; null: it says nothing more. */
export function liveAfter(live: Live, hint: Hint, now: number): Live | null {
	switch (hint.type) {
		case 'run.token':
			return spoken(live, { text: live.text + text(hint, 'text') }, now);
		case 'run.partial':
			return spoken(live, { text: text(hint, 'text') }, now);
		case 'run.thought':
			return spoken(live, { thought: live.thought + text(hint, 'text') }, now);
		case 'run.tool':
			return { ...live, tool: text(hint, 'status') === 'started' ? text(hint, 'name') : '' };
		case 'run.progress':
			return {
				...live,
				percent: number(hint, 'percent') ?? live.percent,
				doing: text(hint, 'text') || live.doing,
				tokens: number(hint, 'tokens') ?? live.tokens,
				cost: number(hint, 'cost_usd') ?? live.cost,
				perSecond: number(hint, 'tokens_per_s') ?? live.perSecond,
			};
		case 'run.retrying':
			/* What was shown of this turn is void. */
			return {
				...live,
				text: '',
				thought: '',
				tool: '',
				tokens: 0,
				cost: 0,
				since: 0,
				retrying: {
					attempt: number(hint, 'attempt') ?? 1,
					why: text(hint, 'why'),
					at: now + (number(hint, 'in_ms') ?? 0),
				},
			};
		case 'run.message':
			if (text(hint, 'role') !== 'assistant') return live;
			return { ...liveNew(), perSecond: live.perSecond, said: live.text, until: hint.id ?? 0 };
		case 'run.waiting':
		case 'run.completed':
			return live.said ? { ...liveNew(), said: live.said, until: live.until } : null;
		case 'run.failed':
		case 'run.cancelled':
			return live.said || live.text
				? { ...liveNew(), said: live.said, until: live.until, lost: live.text }
				: null;
		default:
			return live;
	}
}

/** The messages up to that event are here. */
export const liveSeen = (live: Live, asOf: number): Live =>
	live.said && asOf >= live.until ? { ...live, said: '' } : live;
