/* Moving along the links of a list by keys: J and K from anywhere on the page, arrows, Home and End from one
 * link to another. Enter opens the link, as ever. */
import { keysUse } from './keys.svelte';

export class LinkKeys {
	constructor(private readonly links: () => HTMLElement[]) {}

	/** J and K, for as long as the list is there; returns how to end it. */
	use(): () => void {
		return keysUse({ j: () => this.move(1), k: () => this.move(-1) });
	}

	/** From the link with the focus; from elsewhere to the one of the page that is shown, or the first. */
	private move(step: number): void {
		const list = this.links();
		const here = list.indexOf(document.activeElement as HTMLElement);
		const shown = list.findIndex((link) => link.hasAttribute('aria-current'));
		this.focus(here >= 0 ? here + step : shown);
	}

	private focus(at: number): void {
		const list = this.links();
		list[Math.max(0, Math.min(list.length - 1, at))]?.focus();
	}

	/** For the keydown of the list. */
	readonly key = (event: KeyboardEvent): void => {
		const to = {
			ArrowDown: () => this.move(1),
			ArrowUp: () => this.move(-1),
			Home: () => this.focus(0),
			End: () => this.focus(Infinity),
		}[event.key];
		if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
		if (!this.links().includes(event.target as HTMLElement)) return;
		event.preventDefault();
		event.stopPropagation();
		to();
	};
}
