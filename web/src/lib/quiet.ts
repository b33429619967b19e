/* The clock of quiet hours and digests. Pure. */
export const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const HALF_HOURS = 48;

/** Every half hour of a day as 24 h time, and what is kept beside them. */
export function halfHours(...kept: (string | undefined)[]): string[] {
	const all = Array.from({ length: HALF_HOURS }, (_, i) => {
		const hour = String(Math.floor(i / 2)).padStart(2, '0');
		return `${hour}:${i % 2 ? '30' : '00'}`;
	});
	return [...new Set([...all, ...kept.filter((time) => time !== undefined)])].sort();
}

/** Now, late this evening, and at noon of the next Saturday, as the server takes them. */
export function momentsTried(now: number): Record<'now' | 'night' | 'weekend', string> {
	const night = new Date(now);
	night.setHours(23, 0, 0, 0);
	if (night.getTime() < now) night.setDate(night.getDate() + 1);
	const weekend = new Date(now);
	weekend.setDate(weekend.getDate() + ((6 - weekend.getDay() + 7) % 7 || 7));
	weekend.setHours(12, 0, 0, 0);
	return {
		now: new Date(now).toISOString(),
		night: night.toISOString(),
		weekend: weekend.toISOString(),
	};
}
