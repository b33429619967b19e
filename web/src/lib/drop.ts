/* What a summary opens over the page: Esc closes it and leads back to the summary, and it closes when its
 * person goes elsewhere. For {@attach drop}. */
import { on } from 'svelte/events';

export function drop(box: HTMLDetailsElement): () => void {
	const elsewhere = (event: Event) => {
		if (!box.contains(event.target as Node)) box.open = false;
	};
	/* Behind what stands in it: a menu there closes first, a question over the page before both. */
	const end = on(box, 'keydown', (event) => {
		if (event.key !== 'Escape' || !box.open || event.defaultPrevented) return;
		if ((event.target as Element).closest('dialog') !== box.closest('dialog')) return;
		event.preventDefault();
		event.stopPropagation();
		box.open = false;
		box.querySelector('summary')?.focus();
	});
	document.addEventListener('pointerdown', elsewhere, true);
	document.addEventListener('focusin', elsewhere, true);
	return () => {
		end();
		document.removeEventListener('pointerdown', elsewhere, true);
		document.removeEventListener('focusin', elsewhere, true);
	};
}
