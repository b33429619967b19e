/* Answers that could not be sent wait here, over reloads too, each with its Idempotency-Key: a
 * repeat settles nothing twice. They belong to one person: nobody else sees or sends them. One that
 * lost the race becomes a conflict that shows both, until its person has seen it. */
import { api } from '../api/first';
import { Refused } from '../api/client';
import type { Ask } from '../api/types';
import { cacheKeep, cacheLoad } from './cache';
import { draftDrop } from './drafts';
import { afterFrames } from './screen.svelte';

export interface Letter {
	/** Who answered. */
	person: string;
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

/** What is heard of sending. */
interface Sending {
	/** One is about to go out: what is settled now is its person's own doing. */
	begins: (ask: string) => void;
	settled: (ask: Ask) => void;
	/** How many went out. */
	sent: (n: number) => void;
}

class Outbox {
	letters = $state.raw<Letter[]>([]);
	conflicts = $state.raw<Conflict[]>([]);
	private person = '';
	/** What is kept has been read: only then is it written. */
	private read = Promise.resolve();
	/** Called when something waits here: whoever sends it tries again until it is gone. */
	waits: () => void = () => undefined;

	/** This person's. */
	open(person = this.person): Promise<void> {
		this.person = person;
		return (this.read = new Promise<void>(afterFrames).then(() => this.load(person)));
	}

	/* Letters without a person were kept by an earlier version and are left out. */
	private async load(person: string): Promise<void> {
		const all = (await cacheLoad<Letter[]>('outbox')) ?? [];
		const lost = (await cacheLoad<Conflict[]>('conflicts')) ?? this.conflicts;
		if (person === this.person) {
			this.letters = all.filter((letter) => person && letter.person === person);
			this.conflicts = lost.filter(({ letter }) => person && letter.person === person);
		}
		if (this.letters.length) this.waits();
	}

	/** Out of sight, still kept for their person. */
	close(): void {
		this.person = '';
		this.letters = [];
		this.conflicts = [];
	}

	has(ask: string): boolean {
		return this.letters.some((letter) => letter.ask === ask);
	}

	async put(letter: Letter): Promise<void> {
		await this.read;
		if (letter.person !== this.person) return;
		const letters = [...this.letters.filter((other) => other.ask !== letter.ask), letter];
		await this.keep(letters); // before it is said to be
		this.letters = letters;
		this.waits();
	}

	/** Takes one back: it was not sent yet. */
	async take(ask: string): Promise<void> {
		await this.read;
		this.letters = this.letters.filter((letter) => letter.ask !== ask);
		await this.keep(this.letters);
	}

	/** Its person leaves, and what they had queued with them. */
	async clear(): Promise<void> {
		await this.read;
		this.letters = [];
		await this.keep([]);
		await this.keepConflicts(() => []);
	}

	dismiss({ letter }: Conflict): Promise<void> {
		return this.keepConflicts((mine) => mine.filter((other) => other.letter.key !== letter.key));
	}

	/** Sends what waits, in order, one tab at a time. */
	async send(tell: Sending): Promise<void> {
		await this.read;
		if (!this.letters.length) return;
		const work = async () => tell.sent(await this.sendAll(tell));
		if (navigator.locks) await navigator.locks.request('parley-outbox', work);
		else await work();
	}

	private async sendAll({ begins, settled }: Sending): Promise<number> {
		const { person } = this;
		let n = 0;
		await this.open();
		for (const letter of this.letters) {
			if (this.person !== person) return n; // somebody else is here now
			begins(letter.ask);
			try {
				const done = await api.settle(letter.ask, letter.verb, letter.body, letter.key);
				draftDrop(letter.ask);
				settled(done.ask);
				n++;
			} catch (error) {
				if (!(error instanceof Refused) || error.status === 401) return n;
				const theirs = error.problem.ask ?? null;
				const conflict = { letter, theirs, detail: error.message };
				await this.keepConflicts((mine) => [...mine, conflict]);
				if (theirs) settled(theirs);
			}
			await this.take(letter.ask);
		}
		return n;
	}

	/* Those of other people stay as they are. */
	private async keep(letters: Letter[]): Promise<boolean> {
		const all = (await cacheLoad<Letter[]>('outbox')) ?? [];
		const others = all.filter((letter) => letter.person && letter.person !== this.person);
		return cacheKeep('outbox', [...others, ...letters]);
	}

	private async keepConflicts(change: (mine: Conflict[]) => Conflict[]): Promise<void> {
		const all = (await cacheLoad<Conflict[]>('conflicts')) ?? this.conflicts;
		const isMine = ({ letter }: Conflict) => letter.person === this.person;
		this.conflicts = change(all.filter(isMine));
		const others = all.filter((one) => !isMine(one));
		await cacheKeep('conflicts', [...others, ...this.conflicts]);
	}
}

export const outbox = new Outbox();
