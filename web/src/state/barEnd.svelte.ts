/* What the part of a screen puts at the end of its title bar. */
import type { Snippet } from 'svelte';

export const barEnd = $state<{ show: Snippet | null }>({ show: null });

/** For an effect: there while the part is. */
export function barEndUse(show: Snippet): () => void {
	barEnd.show = show;
	return () => {
		if (barEnd.show === show) barEnd.show = null;
	};
}
