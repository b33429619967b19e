/* The focus is never lost to <body>. When what has it is removed, hidden or disabled, the nearest thing
 * around it that can take the focus gets it; from a dialog or a toast it goes back to where it came
 * from; at last to <main>. Whoever leaves a thing that is still there, with Tab or a click beside
 * everything, has left it themselves. */
import { afterPaint } from './screen.svelte';

/** What has the focus, then what is around it, from near to far; empty: nothing had it yet. */
let trail: HTMLElement[] = [];
/** The same of the last time that the focus was on the page itself, not in a dialog or a toast. */
let onPage: HTMLElement[] = [];

const main = () => document.getElementById('main');

function remember(event: FocusEvent): void {
	if (!(event.target instanceof HTMLElement)) return;
	leaving = false;
	trail = [event.target];
	let at = event.target.parentElement;
	for (; at; at = at.parentElement) if (at.matches('[tabindex],dialog')) trail.push(at);
	if (main()?.contains(event.target)) onPage = trail;
}

/** Tab or the pointer came after the focus did. */
let leaving = false;

const isNowhere = () => !document.activeElement || document.activeElement === document.body;

const canHold = (one: HTMLElement) =>
	one.isConnected && one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled');

/* On a page where nothing had the focus yet, Tab begins at its start. */
const isLost = () => isNowhere() && trail.length > 0 && !(leaving && canHold(trail[0]!));

function restore(): void {
	if (!isLost()) return;
	const dialog = [...document.querySelectorAll<HTMLElement>('dialog[open]')].at(-1);
	const places = [...trail, ...onPage, dialog, main()].filter(
		(one) => one && canHold(one) && (!dialog || dialog.contains(one)),
	);
	for (const place of places) {
		place!.focus({ preventScroll: true });
		if (!isNowhere()) return;
	}
}

let looking = false;

/* What is removed has lost the focus at once, what is hidden or disabled once that is drawn. What was
 * only moved has it again before the next key. A dialog that closes gives the focus back itself, a
 * moment later. */
function lookSoon(): void {
	if (isLost()) {
		if (canHold(trail[0]!)) restore();
		else setTimeout(restore);
	}
	if (looking) return;
	looking = true;
	afterPaint(() => {
		looking = false;
		restore();
	});
}

export function focusKeep(): void {
	addEventListener('focusin', remember, true);
	addEventListener('focusout', (event) => event.relatedTarget ?? setTimeout(restore), true);
	addEventListener('keydown', (event) => (leaving ||= event.key === 'Tab'), true);
	addEventListener('pointerdown', () => (leaving = true), true);
	addEventListener('resize', lookSoon);
	new MutationObserver(lookSoon).observe(document.body, {
		subtree: true,
		childList: true,
		attributeFilter: ['open', 'hidden', 'disabled', 'class', 'style'],
	});
}
