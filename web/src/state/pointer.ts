/* Where the pointer is, and whether its person has moved it since. A browser says that it entered a thing
 * that came to lie under it: only another place is a move. */

const NEAR = { mouse: 4, touch: 24 }; // pixels
const SETTLED_MS = 600;

interface Place {
	x: number;
	y: number;
}

/** null: none was seen yet. */
let at: Place | null = null;
const watchers = new Set<(event: PointerEvent) => void>();

const far = (a: Place, b: Place, than: number) => Math.hypot(a.x - b.x, a.y - b.y) >= than;

function seen(event: PointerEvent): void {
	for (const watcher of watchers) watcher(event);
	at = { x: event.clientX, y: event.clientY };
}
for (const type of ['pointermove', 'pointerdown'] as const)
	addEventListener(type, seen, { capture: true, passive: true });

export class Moves {
	private from = at;
	private movedAt: number | null = null;
	/** It was beside the buttons that decide, where it was or on its way. */
	private beside = at === null;
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** Follows the pointer until what is returned is called; `changed` when it may be meant. */
	watch(changed: () => void): () => void {
		this.beside ||= !this.isOn(this.from);
		const watcher = (event: PointerEvent) => {
			this.follow(event);
			changed();
			clearTimeout(this.timer);
			this.timer = setTimeout(changed, SETTLED_MS);
		};
		watchers.add(watcher);
		return () => {
			watchers.delete(watcher);
			clearTimeout(this.timer);
		};
	}

	private isOn(place: Place | null): boolean {
		if (!place) return false;
		return document.elementFromPoint(place.x, place.y)?.closest('[data-decides]') != null;
	}

	private follow(event: PointerEvent): void {
		if (!event.isTrusted) return;
		const now = { x: event.clientX, y: event.clientY };
		const touch = event.pointerType !== 'mouse';
		const moved = this.from === null || far(now, this.from, touch ? NEAR.touch : NEAR.mouse);
		if (moved && (touch || !this.isOn(now))) this.beside = true;
		if (moved || (touch && event.type === 'pointerdown')) this.movedAt ??= performance.now();
		if (moved && touch) this.movedAt = -Infinity;
	}

	private get moved(): boolean {
		if (this.movedAt === null) return false;
		return this.beside || performance.now() - this.movedAt >= SETTLED_MS;
	}

	/** Was this press meant for what is there now? Keys have rules of their own. */
	meant(event: Event | undefined): boolean {
		const byPointer = event instanceof MouseEvent && event.isTrusted && event.detail > 0;
		return !byPointer || this.moved;
	}

	/** Does the pointer lie on such a button, without having been moved there? */
	get rests(): boolean {
		return !this.moved && this.from !== null && this.isOn(at);
	}
}

export const pointer = { since: () => new Moves() };
