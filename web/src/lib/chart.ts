/* The lines of a chart. Pure. */

/** Round numbers from the first step to above the most: 20, 40, 60. At most four. */
export function chartTicks(most: number): number[] {
	const enough = (step: number) => step * 4 >= most;
	let step = 1;
	for (let power = 1; !enough(step); power *= 10)
		step = [power, power * 2, power * 5].find(enough) ?? step;
	return Array.from({ length: Math.max(1, Math.ceil(most / step)) }, (_, i) => step * (i + 1));
}
