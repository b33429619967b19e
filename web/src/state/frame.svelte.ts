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
