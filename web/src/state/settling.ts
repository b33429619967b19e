/* Settling an ask: sent at once, queued while the server cannot be reached, or lost to somebody who
 * was faster. What was decided is said in a toast. */
import { api } from '../api/first';
import { newKey, Refused, Unreachable } from '../api/client';
import type { Ask } from '../api/types';
import { askRisk, askTitle, isDecision, likeness, sameForm } from '../lib/order';
import { asks } from './asks.svelte';
import { connection } from './connection.svelte';
import { decided } from './decided.svelte';
import { dialogs } from './dialogs.svelte';
import { draftDrop } from './drafts';
import { login } from './login.svelte';
import { outbox, type Letter } from './outbox.svelte';

/** voted: kept, and more approvals are needed. */
export type Verdict = 'sent' | 'voted' | 'queued' | 'lost';

export async function settle(
	ask: Ask,
	verb: 'answer' | 'skip',
	body: unknown,
	says: string,
): Promise<Verdict> {
	const letter: Letter = {
		person: login.person,
		ask: ask.id,
		title: askTitle(ask),
		verb,
		body,
		says,
		key: newKey(),
	};
	decided.mine(ask.id);
	try {
		const done = await api.settle(ask.id, verb, body, letter.key);
		draftDrop(ask.id);
		asks.put(done.ask);
		if (done.ask.status === 'pending') {
			decided.notMine(ask.id);
			return 'voted';
		}
		dialogs.close(ask.id);
		decided.tell(done.ask, verb === 'answer' ? similarTo(ask) : []);
		return 'sent';
	} catch (error) {
		if (error instanceof Unreachable) {
			await outbox.put(letter);
			connection.noteOutbox();
			dialogs.close(ask.id);
			return 'queued';
		}
		decided.notMine(ask.id);
		if (error instanceof Refused && error.status === 409 && error.problem.ask) {
			asks.put(error.problem.ask);
			return 'lost';
		}
		throw error;
	}
}

/** Open ones that ask the same: never what is critical, never where arguments were edited. */
export function similarTo(ask: Ask): string[] {
	if (askRisk(ask) === 'critical') return [];
	const like = likeness(ask);
	return asks.pending
		.filter((other) => other.id !== ask.id && !other.require && likeness(other) === like)
		.filter((other) => isDecision(ask) || sameForm([ask, other]))
		.map((other) => other.id);
}

/** Several at once; returns what each became. */
export async function settleMany(ids: string[], body: object) {
	for (const id of ids) decided.mine(id);
	const { results } = await api.settleMany({ ids, ...body });
	for (const { id, ask, status } of results) {
		if (status >= 400) decided.notMine(id);
		else draftDrop(id);
		if (ask) asks.put(ask);
	}
	return results;
}

/** What waited for the connection. Those that went out are ours, not somebody else's. */
export async function outboxSend(): Promise<void> {
	clearTimeout(timer);
	await outbox.send({
		begins: (id) => decided.mine(id),
		settled: (ask) => asks.put(ask),
		sent: (n) => {
			if (n) tries = 0;
			decided.tellQueued(n);
		},
	});
	if (outbox.letters.length) again();
	else tries = 0;
}

/* What the server did not take is sent again until it is taken or its ask is settled. */
const PAUSES_MS = [1000, 2000, 5000, 10_000];
let tries = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function again(): void {
	clearTimeout(timer);
	timer = setTimeout(() => void outboxSend(), PAUSES_MS[Math.min(tries++, PAUSES_MS.length - 1)]);
}
outbox.waits = again;
const now = () => {
	if (outbox.letters.length) void outboxSend();
};
addEventListener('online', now);
/* The line lives: so does, most likely, the way back. Or what waits here is too late, which is said at once. */
connection.listen((event) => {
	if (event.type === 'ask.expired' || outbox.has(event.ask ?? '')) now();
});
