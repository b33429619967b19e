/* One event stream for all tabs. Whoever holds the lock keeps the connection and passes each
 * event on; every tab is a cursor of its own, and a tab that sees a gap fetches what it missed.
 *
 *  1. The snapshot may be older than the tab's first look at the channel: it was fetched along with the
 *     page. Whoever keeps the connection tells a new tab how far the events have come, and what was told
 *     between the two is fetched.
 *  2. Events are applied in order, each once.
 *     What an event made the tab with the connection fetch is passed on behind that event, so the
 *     others need not fetch it too. Events that came together are passed on together: each message wakes
 *     every tab.
 *  3. Without locks (no secure context) each tab keeps its own connection.
 *  4. A stream that was stopped holds neither the lock nor a place in its queue, and hears and says
 *     nothing: the next one, of this tab or another, takes over at once. */
import { api } from '../api/first';
import { Refused } from '../api/client';
import type { Ask, Event, EventType } from '../api/types';
import { jsonRead } from '../lib/json';

export type Line = 'connecting' | 'live' | 'lost';

type Told =
	| { events: Event[] }
	| { copy: Ask }
	| { line: Line; at?: number }
	| { hello: true }
	| { gone: true }
	| { note: string };

export interface Ears {
	event(event: Event): void;
	/** An ask as it is now, fetched by another tab. */
	copy?(ask: Ask): void;
	line(line: Line): void;
	/** This tab keeps the connection from now on. */
	leads?(): void;
	/** The login has ended, here or in another tab. */
	gone(): void;
	/** Something that only concerns the tabs of this browser. */
	note?(what: string): void;
}

/* All of them: the browser passes on only what is listened to by name. */
const TYPES = Object.keys({
	'ask.created': 0,
	'ask.answered': 0,
	'ask.skipped': 0,
	'ask.expired': 0,
	'ask.cancelled': 0,
	'ask.assigned': 0,
	'ask.claimed': 0,
	'ask.extended': 0,
	'ask.replied': 0,
	'ask.used': 0,
	'ask.revoked': 0,
	'ask.verified': 0,
	'ask.voted': 0,
	'ask.retracted': 0,
	'ask.asked_again': 0,
	'ask.overtaken': 0,
	'ask.notified': 0,
	'ask.notify_failed': 0,
	'ask.unreached': 0,
	'ask.overdue': 0,
	'session.created': 0,
	'session.status': 0,
	'session.progress': 0,
	'session.resuming': 0,
	'session.resumed': 0,
	'session.changed': 0,
	'session.deleted': 0,
	'run.queued': 0,
	'run.started': 0,
	'run.waiting': 0,
	'run.resumed': 0,
	'run.model': 0,
	'run.compacted': 0,
	'run.message': 0,
	'run.tool_started': 0,
	'run.tool_finished': 0,
	'run.completed': 0,
	'run.failed': 0,
	'run.cancelled': 0,
	'task.created': 0,
	'task.updated': 0,
	'task.completed': 0,
	'task.deleted': 0,
	'rule.made': 0,
	'rule.changed': 0,
	'rule.ended': 0,
	'policy.changed': 0,
	'policy.decided': 0,
	'mandate.asked': 0,
	'mandate.granted': 0,
	'mandate.drawn': 0,
	'mandate.ended': 0,
	'stop.set': 0,
	'stop.lifted': 0,
	'contact.added': 0,
	'contact.verified': 0,
	'contact.broken': 0,
	'contact.removed': 0,
	'routes.changed': 0,
	'template.changed': 0,
	'list.changed': 0,
	'agent.changed': 0,
	'provider.changed': 0,
	'tool.changed': 0,
	'key.made': 0,
	'key.revoked': 0,
	'approval.redeemed': 0,
	'hold.set': 0,
	'hold.lifted': 0,
	'export.made': 0,
	'alert.raised': 0,
	'alert.cleared': 0,
	'alert.acked': 0,
	'node.gone': 0,
	'mcp.added': 0,
	'mcp.changed': 0,
	'mcp.accepted': 0,
	'mcp.removed': 0,
	'mcp.failed': 0,
	'call.held': 0,
	'call.started': 0,
	'call.finished': 0,
	'user.recorded': 0,
	'user.created': 0,
	'user.changed': 0,
	'user.deleted': 0,
	'user.away': 0,
	'team.changed': 0,
	'token.recorded': 0,
	'token.created': 0,
	'token.changed': 0,
	'token.deleted': 0,
	'login.link_created': 0,
	'login.link_ended': 0,
	'login.created': 0,
	'login.changed': 0,
	'login.ended': 0,
	'login.refused': 0,
	'settings.changed': 0,
} satisfies Record<EventType, 0>);
const PAGE = 200;
const RETRY_MS = [500, 1000, 2000, 5000, 10_000];

/** How long before the next try, with jitter: not all tabs at once. */
const pause = (tries: number) =>
	RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]! * (0.75 + Math.random() / 2);

export class Stream {
	private channel = new BroadcastChannel('parley');
	private source: EventSource | null = null;
	private cursor = Infinity; // nothing is applied before there is a snapshot
	private held: Event[] = [];
	private catching = false;
	private tries = 0;
	private again: ReturnType<typeof setTimeout> | undefined;
	private state: Line = 'connecting';
	private ended = false;
	private waiting = new AbortController(); // for the lock
	private release: (() => void) | null = null; // the lock, once it is held
	private untold: Event[] = []; // for those who follow
	/* Behind what the browser does now; a timer would wait for a second in a tab that nobody sees. */
	private behind = new MessageChannel();

	constructor(private ears: Ears) {
		this.channel.onmessage = (message: MessageEvent<Told>) => this.heard(message.data);
		this.behind.port1.onmessage = () => this.passOn();
	}

	/** From the snapshot's event number on. */
	start(after: number): void {
		if (this.ended) return;
		this.cursor = after;
		const held = this.held;
		this.held = [];
		for (const event of held) this.take(event);
		if (!navigator.locks) {
			this.open();
			return;
		}
		navigator.locks
			.request('parley-stream', { signal: this.waiting.signal }, () => this.lead())
			.catch(() => undefined); // it was stopped while it waited
		this.say({ hello: true });
	}

	/** With the lock: keeps the connection until it is stopped. */
	private lead(): Promise<void> {
		return new Promise((done) => {
			this.release = done;
			if (this.ended) done();
			else {
				this.open();
				this.ears.leads?.();
			}
		});
	}

	get leads(): boolean {
		return this.source !== null;
	}

	/** What was just fetched, for those who follow. */
	share(ask: Ask): void {
		if (this.source) this.say({ copy: ask });
	}

	/** To the other tabs. */
	note(what: string): void {
		this.say({ note: what });
	}

	leave(): void {
		this.say({ gone: true });
		this.stop();
	}

	/** For good: a new login gets a new stream. */
	stop(): void {
		this.ended = true;
		this.source?.close();
		this.source = null;
		this.channel.close();
		this.behind.port1.close();
		this.waiting.abort();
		this.release?.();
	}

	/** What was heard before is told before. */
	private say(told: Told): void {
		if (this.ended) return;
		this.passOn();
		this.channel.postMessage(told);
	}

	private passOn(): void {
		if (!this.untold.length || this.ended) return;
		this.channel.postMessage({ events: this.untold } satisfies Told);
		this.untold = [];
	}

	private heard(told: Told): void {
		if ('events' in told) for (const event of told.events) this.take(event);
		else if ('copy' in told) {
			if (this.cursor !== Infinity) this.ears.copy?.(told.copy);
		} else if ('line' in told) {
			this.show(told.line);
			if (told.at && told.at > this.cursor && !this.catching) void this.catchUp();
		} else if ('hello' in told) {
			if (this.source) this.say({ line: this.state, at: this.cursor });
		} else if ('note' in told) this.ears.note?.(told.note);
		else this.ears.gone();
	}

	private show(line: Line): void {
		this.state = line;
		if (!this.catching) this.ears.line(line);
	}

	private tell(line: Line): void {
		this.say({ line });
		this.show(line);
	}

	private open(): void {
		if (this.ended) return;
		const source = new EventSource(`/v1/events?after=${this.cursor}`);
		this.source = source;
		source.onopen = () => {
			this.tries = 0;
			this.tell('live');
		};
		const heard = (message: MessageEvent<string>) => {
			const event = jsonRead(message.data) as Event;
			if (this.untold.push(event) === 1) this.behind.port2.postMessage(null);
			this.take(event);
		};
		for (const type of TYPES) source.addEventListener(type, heard);
		source.onerror = () => void this.failed(source);
	}

	/* A dropped connection is the browser's to bring back; a refused one is ours. */
	private async failed(source: EventSource): Promise<void> {
		if (this.ended) return;
		this.tell('lost');
		if (source.readyState !== EventSource.CLOSED) return;
		await api
			.me()
			.then(() => api.events({ after: this.cursor, limit: 1 }))
			.catch((error) => this.endIfRefused(error));
		this.again = setTimeout(() => this.open(), pause(this.tries++));
	}

	/** At once, where it would be tried later. */
	retry(): void {
		if (this.ended || !this.source || this.source.readyState === EventSource.OPEN) return;
		clearTimeout(this.again);
		this.source.close();
		this.tell('connecting');
		this.open();
	}

	private take(event: Event): void {
		if (this.cursor === Infinity || this.catching) {
			this.held.push(event);
			return;
		}
		if (event.id <= this.cursor) return;
		if (event.id > this.cursor + 1) {
			this.held.push(event);
			void this.catchUp();
			return;
		}
		this.pass(event);
	}

	/* Nothing held is told before what is missing is here, however often it takes to fetch that. */
	private async catchUp(): Promise<void> {
		this.catching = true;
		for (let tries = 0; !this.ended;) {
			const before = this.cursor;
			const more = await this.fetchPage();
			if (this.cursor > before) {
				tries = 0;
				if (!more) break;
			} else {
				this.ears.line('lost');
				await new Promise((done) => setTimeout(done, pause(tries++)));
			}
		}
		this.catching = false;
		if (this.ended) return;
		this.ears.line(this.state);
		const held = this.held.sort((a, b) => a.id - b.id);
		this.held = [];
		for (const event of held) this.take(event);
	}

	/** Is there another page? Moves the cursor as far as it gets. */
	private async fetchPage(): Promise<boolean> {
		try {
			const { items } = await api.events({ after: this.cursor, limit: PAGE });
			for (const event of items) this.pass(event);
			return items.length === PAGE;
		} catch (error) {
			this.endIfRefused(error);
			return true;
		}
	}

	private pass(event: Event): void {
		if (this.ended) return;
		this.cursor = event.id;
		this.ears.event(event);
	}

	private endIfRefused(error: unknown): void {
		if (this.ended || !(error instanceof Refused)) return;
		/* The store went back behind what this tab was told: it begins anew. */
		if (error.status === 409) location.reload();
		if (error.status !== 401) return;
		this.say({ gone: true });
		this.ears.gone();
	}
}
