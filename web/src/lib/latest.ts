/* For data that is fetched again whenever it changes: only the reply to the last request counts.
 * Late replies and errors of earlier requests are dropped. */

export class Latest {
	private asked = 0;

	/** The reply, or null if a newer request was made meanwhile. */
	async of<T>(reply: Promise<T>): Promise<T | null> {
		const mine = ++this.asked;
		try {
			const got = await reply;
			return mine === this.asked ? got : null;
		} catch (error) {
			if (mine !== this.asked) return null;
			throw error;
		}
	}

	/** Ignores the request in progress. */
	drop(): void {
		this.asked++;
	}
}
