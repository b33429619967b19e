/* What lies over every screen and is opened from anywhere: the keys, and the palette. */
let help = $state(false);
let palette = $state(false);

export const over = {
	get help(): boolean {
		return help;
	},
	get palette(): boolean {
		return palette;
	},
};
export const helpShow = (): void => void (help = true);
export const helpHide = (): void => void (help = false);
export const paletteShow = (): void => void (palette = true);
export const paletteHide = (): void => void (palette = false);

/** What was typed for the palette before it was there. */
let early = '';
export function paletteEarly(): string {
	const typed = early;
	early = '';
	return typed;
}

/** Called for every key first: one that is meant for what is opened, but not here yet, reaches nothing behind it. */
export function overKeeps(event: KeyboardEvent): boolean {
	if (!(palette || help) || document.querySelector('dialog:modal')) return false;
	if (event.key === 'Escape') {
		early = '';
		palette = help = false;
	} else if (palette && event.key.length === 1 && !event.ctrlKey && !event.metaKey)
		early += event.key;
	return true;
}
