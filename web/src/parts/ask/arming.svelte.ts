/* A decision is armed a moment after its card is painted, however long that took: a key meant for
 * something else hits nothing. */
import { t } from '../../lib/i18n.svelte';
import { afterPaint } from '../../state/screen.svelte';
import { toasts } from '../../state/toasts.svelte';

export const ARMED_MS = 600;

export interface Armed {
	readonly yes: boolean;
	/** For a press that would decide: may it? One that comes too soon is told so. */
	press(): boolean;
}

/** Whoever pressed too soon learns that nothing was sent. */
export function tooSoon(): void {
	toasts.show({ key: 'too soon', title: t('web.toosoon') });
}

export function armed(ms: number): Armed {
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
		press() {
			if (!yes) tooSoon();
			return yes;
		},
	};
}
