/* What a run says before it is a message. Nothing depends on it: the message follows. */

export interface Live {
	/** What it says in this turn, so far. */
	text: string;
	thought: string;
	/** The last turn's text, shown until its message is here; `until`: the event that told of it. */
	said: string;
	until: number;
	/** The tool it is calling. */
	tool: string;
	percent: number | null;
	doing: string;
	perSecond: number | null;
	retrying: { attempt: number; why: string; at: number } | null;
}

export const liveNew = (): Live => ({
	text: '',
	thought: '',
	said: '',
	until: 0,
	tool: '',
	percent: null,
	doing: '',
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

/** The run after a hint; null: it says nothing more. */
export function liveAfter(live: Live, hint: Hint, now: number): Live | null {
	switch (hint.type) {
		case 'run.token':
			return { ...live, text: live.text + text(hint, 'text'), retrying: null };
		case 'run.partial':
			return { ...live, text: text(hint, 'text'), retrying: null };
		case 'run.thought':
			return { ...live, thought: live.thought + text(hint, 'text'), retrying: null };
		case 'run.tool':
			return { ...live, tool: text(hint, 'status') === 'started' ? text(hint, 'name') : '' };
		case 'run.progress':
			return {
				...live,
				percent: number(hint, 'percent') ?? live.percent,
				doing: text(hint, 'text') || live.doing,
				perSecond: number(hint, 'tokens_per_s') ?? live.perSecond,
			};
		case 'run.retrying':
			/* What was shown of this turn is void. */
			return {
				...live,
				text: '',
				thought: '',
				tool: '',
				retrying: {
					attempt: number(hint, 'attempt') ?? 1,
					why: text(hint, 'why'),
					at: now + (number(hint, 'in_ms') ?? 0),
				},
			};
		case 'run.message':
			if (text(hint, 'role') !== 'assistant') return live;
			return { ...live, said: live.text, until: hint.id ?? 0, text: '', thought: '', tool: '' };
		case 'run.waiting':
		case 'run.completed':
		case 'run.failed':
		case 'run.cancelled':
			return live.said ? { ...liveNew(), said: live.said, until: live.until } : null;
		default:
			return live;
	}
}

/** The messages up to that event are here. */
export const liveSeen = (live: Live, asOf: number): Live =>
	live.said && asOf >= live.until ? { ...live, said: '' } : live;
