/* The time, for what counts down (each second) and for what ages (each quarter minute). */
let second = $state(Date.now());
let quarter = $state(Date.now());

setInterval(() => {
	if (document.visibilityState === 'hidden') return;
	second = Date.now();
	if (second - quarter >= 15_000) quarter = second;
}, 1000);
addEventListener('visibilitychange', () => (second = quarter = Date.now()));

export const clock = {
	get second(): number {
		return second;
	},
	get quarter(): number {
		return quarter;
	},
};
