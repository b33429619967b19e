/* A decision is armed a moment after its card appears: a key meant for something else hits
 * nothing. */
export const ARMED_MS = 600;

export function armed(ms: number): { readonly yes: boolean } {
	let yes = $state(false);
	$effect(() => {
		const timer = setTimeout(() => (yes = true), ms);
		return () => clearTimeout(timer);
	});
	return {
		get yes() {
			return yes;
		},
	};
}
