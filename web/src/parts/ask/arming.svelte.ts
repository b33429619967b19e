/* When a press may decide.
 *
 *  1. A moment after its card is painted, however long that took: a key meant for something else hits
 *     nothing.
 *  2. Once every part of what it decides on has been on the screen, and that has stood still for a moment.
 *  3. By a pointer that has moved since the card came: it left the button and came back, or moved a moment
 *     ago. A second click on the same spot is not meant for what has taken its place. */
import { t } from '../../lib/i18n.svelte';
import { pointer } from '../../state/pointer';
import { afterPaint } from '../../state/screen.svelte';
import { toasts } from '../../state/toasts.svelte';
import { Sight } from './sight';

export const ARMED_MS = 600;
const LOOK_MS = 100;

/** What a press may be refused for, for as long. */
export type Arming = 'unread' | 'soon' | 'on';

export interface Armed {
	readonly state: Arming;
	readonly yes: boolean;
	/** What is decided on is out of sight: it was read, and others lie in view now. */
	readonly away: boolean;
	/** The pointer rests on a button that it was not moved to. */
	readonly held: boolean;
	/** For a press that would decide: may it? One that comes too soon is told so. */
	press(event?: Event): boolean;
}

/** Whoever pressed too soon learns that nothing was sent. */
export function tooSoon(): void {
	toasts.show({ key: 'too soon', title: t('web.toosoon') });
}

/** `shown`: what has to be read first; null: not there yet; undefined: there is nothing to read. */
export function armed(ms: number, shown?: () => HTMLElement | null | undefined): Armed {
	let state = $state<Arming>(shown ? 'unread' : 'soon');
	let away = $state(false);
	let held = $state(false);
	const sight = new Sight();
	const moves = pointer.since();
	let place: string | null = null;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let here = false;

	function look(ticks = false): void {
		if (!here) return;
		const of = shown ? shown() : undefined;
		const read = of === undefined || (of !== null && sight.look(of, ticks));
		away = read && of instanceof HTMLElement && !sight.isHere(of);
		held = moves.rests;
		if (read && sight.place === place) return;
		clearTimeout(timer);
		/* What is read at last was in sight for one look of the clock already, and may have stood still. */
		const wait = of && place === null && sight.stands ? ms - LOOK_MS : ms;
		place = read ? sight.place : null;
		state = read ? 'soon' : 'unread';
		if (read) timer = setTimeout(arm, wait);
	}
	function arm(): void {
		const since = place;
		look();
		if (place === since) state = 'on';
	}

	$effect(() => {
		let frame = 0;
		let gone = false;
		const soon = () => {
			frame ||= requestAnimationFrame(() => {
				frame = 0;
				look();
			});
		};
		let stop: (() => void) | undefined;
		afterPaint(() => {
			if (gone) return;
			here = true;
			stop = moves.watch(() => (held = moves.rests));
			look(true);
		});
		/* What moves it without a word: what comes above it, a toast that goes. */
		const every = shown && setInterval(() => look(true), LOOK_MS);
		addEventListener('scroll', soon, true);
		addEventListener('resize', soon);
		return () => {
			here = false;
			gone = true;
			clearTimeout(timer);
			clearInterval(every);
			cancelAnimationFrame(frame);
			removeEventListener('scroll', soon, true);
			removeEventListener('resize', soon);
			stop?.();
		};
	});
	return {
		get state() {
			return state;
		},
		get yes() {
			return state === 'on';
		},
		get away() {
			return away;
		},
		get held() {
			return held;
		},
		press(event) {
			look();
			const meant = state === 'on' && moves.meant(event);
			if (!meant) tooSoon();
			return meant;
		},
	};
}
