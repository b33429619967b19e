// random.mjs - repeatable random numbers: a failing test prints its seed, and the seed repeats the choices.

/** → below(n): an integer from 0 to n - 1. */
export function random(seed) {
	let state = seed >>> 0;
	return (n) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return (state >>> 8) % n;
	};
}
