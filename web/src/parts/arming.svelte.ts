/* A decision is armed a moment after its card is painted, however long that took: a key meant for
 * something else hits nothing. */
import { afterPaint } from '../state/screen.svelte';

export const ARMED_MS = 600;

export function armed(ms: number): { readonly yes: boolean } {
	let yes = $state(false);
	$effect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		let here = true;
		afterPaint(() => {
			if (here) timer = setTimeout(() => (yes = true), ms);
		});
		return () => {
			here = false;
			clearTimeout(timer);
		};
	});
	return {
		get yes() {
			return yes;
		},
	};
}
