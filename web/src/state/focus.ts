/* The focus is never lost to <body>: when what had it goes away, the nearest thing around it that is
 * still there and can take the focus gets it. */

/** Around what has the focus, from near to far; null: nothing had it yet. A toast has nothing around it. */
let around: HTMLElement[] | null = null;

function remember(event: FocusEvent): void {
	around = [];
	let at = event.target instanceof Element ? event.target.parentElement : null;
	for (; at; at = at.parentElement) if (at.matches('[tabindex],dialog')) around.push(at);
}

/* On a page where nothing had the focus yet, Tab begins at its start. */
const isLost = () =>
	around !== null && (!document.activeElement || document.activeElement === document.body);

let looking = false;

/* A dialog that closes gives the focus back itself, a moment later. */
function lookSoon(): void {
	if (looking || !isLost()) return;
	looking = true;
	setTimeout(restore);
}

function restore(): void {
	looking = false;
	if (!isLost()) return;
	const open = document.querySelector<HTMLElement>('dialog[open]');
	const near = around?.find((one) => one.isConnected && one.checkVisibility());
	const home = document.getElementById('main');
	const to = open && !(near && open.contains(near)) ? open : (near ?? home);
	to?.focus({ preventScroll: true });
}

export function focusKeep(): void {
	addEventListener('focusin', remember, true);
	new MutationObserver(lookSoon).observe(document.body, {
		subtree: true,
		childList: true,
		attributeFilter: ['open', 'hidden', 'disabled'],
	});
}
