/* What is read again and again, as when events say that it changed: the reply to the last question
 * counts, and one that an earlier question brings late is dropped, good or bad. */

export class Latest {
	private asked = 0;

	/** What `reply` brings; null: something was asked after it. */
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

	/** What is under way is not wanted any more. */
	drop(): void {
		this.asked++;
	}
}
