/* Which parts of an element were on the screen, with nothing over them. */

const BAND = 10; // pixels; less than a line
const EDGE = 4; // inside of its corners

export class Sight {
	private seen = new Set<number>();
	private size = '';
	private text = '';
	/** Where it stands; another one once it has moved. */
	place = '';
	/** Did it stand there at the last look of the clock, too? */
	stands = false;

	/** Where it stood, and what could be seen of it, at that look. */
	private ticked = '';
	private before = new Set<number>();

	/** Looks again. A part counts once it was in sight at two looks of the clock (`ticks`) in a row: what flies
	 * past is not read. → whether every part of it was, as it is drawn now */
	look(of: HTMLElement, ticks: boolean): boolean {
		const { left, right, top, width, height } = of.getBoundingClientRect();
		const size = `${Math.round(width)} ${Math.round(height)}`;
		const text = of.textContent;
		if (size !== this.size || text !== this.text) {
			this.before.clear();
			this.seen.clear();
		}
		this.size = size;
		this.text = text;
		this.place = `${Math.round(left)} ${Math.round(top)} ${size}`;
		this.stands = this.place === this.ticked;
		if (ticks) this.ticked = this.place;
		/* The last one ends at its lower edge. */
		const bands = Math.ceil((height - 2 * EDGE) / BAND) + 1;
		if (height < 2 * EDGE || width < 4 * EDGE) return false;
		if (ticks && this.seen.size < bands) {
			const columns = [left + EDGE, (left + right) / 2, right - EDGE];
			const now = new Set<number>();
			for (let band = 0; band < bands; band++) {
				const y = Math.min(top + EDGE + band * BAND, top + height - EDGE);
				if (y < 0 || y >= innerHeight || !columns.every((x) => isTop(of, x, y))) continue;
				now.add(band);
				if (this.before.has(band)) this.seen.add(band);
			}
			this.before = now;
		}
		return this.seen.size >= bands;
	}

	/** Is its end, or all of it, on the screen now? */
	isHere(of: HTMLElement): boolean {
		const { left, right, top, bottom } = of.getBoundingClientRect();
		const x = (left + right) / 2;
		return isTop(of, x, bottom - EDGE) && (isTop(of, x, top + EDGE) || top < 0);
	}
}

function isTop(of: HTMLElement, x: number, y: number): boolean {
	const hit = document.elementFromPoint(x, y);
	/* The link of a row lies over all of it. */
	const row = of.closest('[data-row]');
	return hit !== null && (of.contains(hit) || (row !== null && row.contains(hit)));
}
