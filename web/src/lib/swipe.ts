/* A finger that moves a row to its start edge and lets go far enough out. Up and down still scroll, and
 * the mouse has nothing to do with it. */

/** So far it has to go. */
const FAR = 96;
/** From here on it is a swipe, not a tap. */
const NEAR = 12;

export function swipe(node: HTMLElement, told: () => void): () => void {
	let [startX, startY, at] = [0, 0, 0];
	let pointer: number | null = null;
	let moved = false;

	const side = () => (getComputedStyle(node).direction === 'rtl' ? 1 : -1);
	const show = (x: number) => {
		at = x;
		node.style.transform = x ? `translateX(${x * side()}px)` : '';
		node.classList.toggle('swiped', x > 0);
		node.classList.toggle('far', x >= FAR);
	};
	const end = (done: boolean) => {
		if (pointer === null) return;
		pointer = null;
		const far = done && at >= FAR;
		show(0);
		if (far) told();
	};

	/* A list has many rows, and few are touched: the rest is listened to from the first touch on. */
	const down = (event: PointerEvent) => {
		if (event.pointerType !== 'touch' || !event.isPrimary) return;
		pointer = event.pointerId;
		moved = false;
		[startX, startY] = [event.clientX, event.clientY];
		for (const [name, run] of Object.entries(handlers))
			node.addEventListener(name, run as EventListener);
		node.addEventListener('click', click, true);
	};
	const handlers: Record<string, (event: PointerEvent) => void> = {
		pointermove(event) {
			if (event.pointerId !== pointer) return;
			const x = (event.clientX - startX) * side();
			if (!moved && Math.abs(event.clientY - startY) > Math.abs(x)) return;
			if (!moved && x < NEAR) return;
			if (!moved) node.setPointerCapture(event.pointerId);
			moved = true;
			show(Math.max(0, x));
		},
		pointerup: (event) => event.pointerId === pointer && end(true),
		pointercancel: (event) => event.pointerId === pointer && end(false),
	};
	/* The click that follows a swipe opens nothing. */
	const click = (event: Event) => {
		if (!moved) return;
		moved = false;
		event.preventDefault();
		event.stopPropagation();
	};

	node.addEventListener('pointerdown', down);
	return () => node.removeEventListener('pointerdown', down);
}
