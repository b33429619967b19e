/* How many replies of an ask somebody has seen in this tab. */
import { SvelteMap } from 'svelte/reactivity';

export const repliesSeen = new SvelteMap<string, number>();
