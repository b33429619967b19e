/* Answers that could not be sent wait here, over reloads too, each with its Idempotency-Key: a
 * repeat settles nothing twice. One that lost the race becomes a conflict that shows both. */
import { api, Refused } from '../api/client';
import type { Ask } from '../api/types';
import { cacheKeep, cacheLoad } from './cache';
import { draftDrop } from './drafts';

export interface Letter {
	ask: string;
	title: string;
	verb: 'answer' | 'skip';
	body: unknown;
	/** How the answer reads. */
	says: string;
	key: string;
}

export interface Conflict {
	letter: Letter;
	theirs: Ask | null;
	detail: string;
}

class Outbox {
	letters = $state.raw<Letter[]>([]);
	conflicts = $state.raw<Conflict[]>([]);

	async open(): Promise<void> {
		this.letters = (await cacheLoad<Letter[]>('outbox')) ?? [];
	}

	has(ask: string): boolean {
		return this.letters.some((letter) => letter.ask === ask);
	}

	async put(letter: Letter): Promise<void> {
		this.letters = [...this.letters.filter((other) => other.ask !== letter.ask), letter];
		await this.keep();
	}

	/** Takes one back: it was not sent yet. */
	async take(ask: string): Promise<void> {
		this.letters = this.letters.filter((letter) => letter.ask !== ask);
		await this.keep();
	}

	dismiss(conflict: Conflict): void {
		this.conflicts = this.conflicts.filter((other) => other !== conflict);
	}

	/** Sends what waits, in order, one tab at a time. */
	async send(settled: (ask: Ask) => void): Promise<void> {
		if (!this.letters.length) return;
		const work = () => this.sendAll(settled);
		if (navigator.locks) await navigator.locks.request('parley-outbox', work);
		else await work();
	}

	private async sendAll(settled: (ask: Ask) => void): Promise<void> {
		await this.open();
		for (const letter of this.letters) {
			try {
				const done = await api.settle(letter.ask, letter.verb, letter.body, letter.key);
				draftDrop(letter.ask);
				settled(done.ask);
			} catch (error) {
				if (!(error instanceof Refused)) return;
				const theirs = error.problem.ask ?? null;
				this.conflicts = [...this.conflicts, { letter, theirs, detail: error.message }];
				if (theirs) settled(theirs);
			}
			await this.take(letter.ask);
		}
	}

	private keep(): Promise<boolean> {
		return cacheKeep('outbox', this.letters);
	}
}

export const outbox = new Outbox();
