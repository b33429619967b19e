/* Whether a tab of this browser is in sight. Each tells from its first moment on: another, hidden one must
 * not notify of what its person sees here. */

/** A lock that each tab in sight shares. */
const IN_SIGHT = 'parley-in-sight';

function hold(): void {
	if (document.visibilityState === 'hidden') return;
	void navigator.locks?.request(IN_SIGHT, { mode: 'shared' }, async () => {
		if (document.visibilityState === 'hidden') return; // meanwhile
		await new Promise((done) => addEventListener('visibilitychange', done, { once: true }));
	});
}
addEventListener('visibilitychange', hold);
hold();

export async function anyInSight(): Promise<boolean> {
	const locks = await navigator.locks?.query();
	return locks?.held?.some((lock) => lock.name === IN_SIGHT) ?? false;
}
