/* Events as a reader tells them: by session, one line a turn of an agent, an ask with what became of it, or a
 * stretch of progress. Pure. */
import type { Ask, Event } from '../api/types';

export type TurnKind = 'turn' | 'ask' | 'progress' | 'other';

export interface Turn {
	key: string;
	kind: TurnKind;
	session: string | null;
	run: string | null;
	/** When it began, and its last change. */
	at: string;
	last: string;
	events: Event[];
}

export interface Block {
	/** null: of the workspace itself. */
	session: string | null;
	/** The newest first. */
	turns: Turn[];
	last: string;
}

/* They say how the machine goes on, nothing that a reader of the log asks for. */
const NOISE =
	/^(session\.(status|resuming)|run\.(queued|started|waiting|resumed|tool_started|tool)|mandate\.drawn|ask\.(claimed|used|fetched|notified|read|overdue)|\w+\.recorded|login\.(changed|link_\w+))$/;

const begins = (event: Event) =>
	event.type === 'ask.created' ||
	(event.type === 'run.message' && event.data['role'] === 'assistant');

class Turns {
	list: Turn[] = [];
	/** The turn that a run is in, the one that an ask is in. */
	private ofRun = new Map<string, Turn>();
	private ofAsk = new Map<string, Turn>();

	add(event: Event): void {
		/* That an agent was woken, or not, is a thing of its own. */
		const own = event.type === 'session.resumed';
		const known = event.ask && !own ? this.ofAsk.get(event.ask) : undefined;
		if (known) return this.join(known, event);
		if (NOISE.test(event.type)) return;
		if (event.run) return this.addOfRun(event, event.run);
		const last = this.list.findLast((turn) => turn.session === (event.session ?? null));
		if (event.type === 'session.progress' && last?.kind === 'progress')
			return this.join(last, event);
		const kind =
			event.ask && !own ? 'ask' : event.type === 'session.progress' ? 'progress' : 'other';
		this.begin(event, kind);
	}

	/* What a model says and what it asks for are of one commit: the asks come first. */
	private addOfRun(event: Event, run: string): void {
		const turn = this.ofRun.get(run);
		const ends = turn && /^run\.(completed|failed|cancelled)$/.test(turn.events.at(-1)!.type);
		const mine = event.type === 'run.message' && event.data['role'] !== 'assistant';
		if (mine) this.begin(event, 'other');
		else if (!turn || ends || (begins(event) && turn.at !== event.at))
			this.ofRun.set(run, this.begin(event, 'turn'));
		else this.join(turn, event);
	}

	private begin(event: Event, kind: TurnKind): Turn {
		const { id, at, session, run } = event;
		const turn = {
			key: String(id),
			kind,
			session: session ?? null,
			run: run ?? null,
			at,
			last: at,
		};
		const made: Turn = { ...turn, events: [event] };
		this.list.push(made);
		if (event.ask && kind !== 'other') this.ofAsk.set(event.ask, made);
		return made;
	}

	private join(turn: Turn, event: Event): void {
		if (event.ask) this.ofAsk.set(event.ask, turn);
		if (NOISE.test(event.type)) return;
		turn.events.push(event);
		turn.last = event.at;
	}
}

/** In the order they began. */
export function turnsOf(events: Event[]): Turn[] {
	const turns = new Turns();
	for (const event of events) turns.add(event);
	return turns.list;
}

/** By session, the one with the last change first. */
export function blocksOf(turns: Turn[]): Block[] {
	const blocks = new Map<string | null, Block>();
	for (const turn of turns) {
		const block = blocks.get(turn.session) ?? { session: turn.session, turns: [], last: '' };
		block.turns.unshift(turn);
		if (turn.last > block.last) block.last = turn.last;
		blocks.set(turn.session, block);
	}
	return [...blocks.values()].sort((a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : 0));
}

/** The asks of a turn, where they are known, in order. */
export const asksOf = (turn: Turn, known: (id: string) => Ask | undefined): Ask[] =>
	[...new Set(turn.events.flatMap((event) => event.ask ?? []))].flatMap((id) => known(id) ?? []);

/** The tools that were called in it, each once. */
export const toolsOf = (turn: Turn): string[] => [
	...new Set(
		turn.events.flatMap((event) => {
			const name = event.data['name'];
			return event.type === 'run.tool_finished' && typeof name === 'string' ? [name] : [];
		}),
	),
];

export const hasFailed = (turn: Turn): boolean =>
	turn.events.some(
		(event) =>
			event.type === 'run.failed' ||
			(event.type === 'run.tool_finished' && event.data['status'] === 'failed'),
	);

/** What they are about, for views of the log. */
export const turnViews = ['all', 'people', 'agents', 'tools', 'failures', 'settings'] as const;
export type TurnView = (typeof turnViews)[number];

export function inView(turn: Turn, view: TurnView): boolean {
	switch (view) {
		case 'all':
			return true;
		case 'people':
			return turn.events.some((event) =>
				/^ask\.(answered|skipped|replied|voted|retracted|revoked)$/.test(event.type),
			);
		case 'agents':
			return turn.session !== null;
		case 'tools':
			return toolsOf(turn).length > 0;
		case 'failures':
			return hasFailed(turn);
		case 'settings':
			return turn.session === null;
	}
}
