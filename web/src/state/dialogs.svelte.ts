/* Asks whose dialog is open or waits its turn, first in first out. What is open stays open until its
 * person goes on; what only waits leaves when it is settled. */
class Dialogs {
	queue = $state.raw<string[]>([]);
	/** The dialog on the screen, once it is there. */
	element = $state.raw<HTMLElement | null>(null);

	get open(): string | null {
		return this.queue[0] ?? null;
	}

	add(id: string): void {
		if (!this.queue.includes(id)) this.queue = [...this.queue, id];
	}

	/** Its person is done with it: the next one opens. */
	close(id: string): void {
		if (this.queue.includes(id)) this.queue = this.queue.filter((other) => other !== id);
	}

	/** Settled by somebody else: the one that is open says so in place. */
	settled(id: string): void {
		if (this.open !== id) this.close(id);
	}

	/** Back to what one was doing: those that wait are in the inbox. */
	dismiss(): void {
		this.queue = [];
	}
}

export const dialogs = new Dialogs();
