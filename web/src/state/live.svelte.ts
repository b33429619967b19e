/* What the runs of one session say at this moment. A stream of its own beside the one that all tabs
 * share, open only while its tab is in sight: a browser has few connections. */
import { jsonRead } from '../lib/json';
import { serverNow } from '../lib/serverTime';
import { liveAfter, liveNew, liveSeen, type Hint, type Live } from '../lib/live';

const TYPES = [
	'run.token',
	'run.partial',
	'run.thought',
	'run.tool',
	'run.progress',
	'run.retrying',
	'run.message',
	'run.waiting',
	'run.completed',
	'run.failed',
	'run.cancelled',
];
const RETRY_MS = 2000;

interface Told extends Hint {
	run?: string;
}

export class LiveRuns {
	runs = $state.raw<ReadonlyMap<string, Live>>(new Map());
	private source: EventSource | null = null;
	private timer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		private session: string,
		/** The event number of what is shown already. */
		private after: () => number,
	) {}

	/** Follows until it is told to stop. */
	follow(): () => void {
		const look = () => (document.visibilityState === 'hidden' ? this.close() : this.open());
		look();
		document.addEventListener('visibilitychange', look);
		return () => {
			document.removeEventListener('visibilitychange', look);
			this.close();
		};
	}

	/** The messages up to that event are shown. */
	seen(asOf: number): void {
		this.runs = new Map([...this.runs].map(([run, live]) => [run, liveSeen(live, asOf)]));
	}

	private open(): void {
		if (this.source) return;
		clearTimeout(this.timer);
		const query = new URLSearchParams({ session: this.session, after: String(this.after()) });
		const source = new EventSource(`/v1/events?${query}`);
		this.source = source;
		for (const type of TYPES)
			source.addEventListener(type, (message: MessageEvent<string>) =>
				this.hear(jsonRead(message.data) as Told),
			);
		source.onerror = () => {
			if (source.readyState !== EventSource.CLOSED || this.source !== source) return;
			this.source = null;
			this.timer = setTimeout(() => this.open(), RETRY_MS);
		};
	}

	/* What is said while nobody looks is in the messages, or told as partial to who comes back. */
	private close(): void {
		clearTimeout(this.timer);
		this.source?.close();
		this.source = null;
		this.runs = new Map();
	}

	private hear(told: Told): void {
		const run = told.run ?? told.data['run'];
		if (typeof run !== 'string') return;
		const next = liveAfter(this.runs.get(run) ?? liveNew(), told, serverNow());
		const runs = new Map(this.runs);
		if (next) runs.set(run, next);
		else runs.delete(run);
		this.runs = runs;
	}
}
