/* What the page is shown on. */
import { flushSync } from 'svelte';

function holds(media: string): { readonly yes: boolean } {
	const query = matchMedia(media);
	let yes = $state(query.matches);
	query.addEventListener('change', () => (yes = query.matches));
	return {
		get yes() {
			return yes;
		},
	};
}

/** Wide enough for a list and a detail side by side? */
export const wide = holds('(min-width: 900px)');
/** And for a list beside what has a side column of its own? */
export const roomy = holds('(min-width: 1200px)');

/** Once what has just changed is painted; what nobody sees is not painted. */
export function afterPaint(run: () => void): void {
	if (document.visibilityState === 'hidden') setTimeout(run);
	else requestAnimationFrame(() => setTimeout(run));
}

/** Behind the frame after that: by then what was painted is on its way to the screen. */
export const afterFrames = (run: () => void): void => afterPaint(() => afterPaint(run));

let shown = $state(false);

/** Is what was opened painted? What is beside it is fetched from then on. */
export const opened = {
	get yes(): boolean {
		return shown;
	},
	now: () => afterFrames(() => (shown = true)),
};

const print = matchMedia('print');
let printing = $state(print.matches);

/* The paper is laid out as soon as these return: what depends on it must be there by then. */
function paperIs(now: boolean): void {
	printing = now;
	flushSync();
}
print.addEventListener('change', () => paperIs(print.matches));
addEventListener('beforeprint', () => paperIs(true));
addEventListener('afterprint', () => paperIs(false));

/** Is it being printed? */
export const paper = {
	get yes(): boolean {
		return printing;
	},
};

/** Toasts lie above this bar of actions, however high it is; returns how to end that. */
export function toastsAbove(bar: Element): () => void {
	bars.add(bar);
	const say = () => {
		const height = Math.max(0, ...[...bars].map((one) => one.clientHeight));
		document.documentElement.style.setProperty('--actions', `${height}px`);
	};
	const watch = new ResizeObserver(say);
	watch.observe(bar);
	return () => {
		watch.disconnect();
		bars.delete(bar);
		say();
	};
}
const bars = new Set<Element>();
