/* The server's clock: deadlines are its, and the clock of a device may be wrong. Every reply says what
 * time it is there. */

/** The header counts whole seconds: a difference this small says nothing. */
const NOISE_MS = 2000;
let ahead = 0;

/** `sent` and `received` are of this device, around the reply that carried `date`. */
export function serverTimeLearn(date: string | null, sent: number, received: number): void {
	const there = date ? Date.parse(date) + 500 : NaN;
	if (Number.isNaN(there) || received - sent > 5000) return;
	const difference = there - (sent + received) / 2;
	ahead = Math.abs(difference) < NOISE_MS ? 0 : difference;
}

export const serverNow = (): number => Date.now() + ahead;
