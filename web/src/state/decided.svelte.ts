/* What this person decided, said in words: what, on what, and whether the agent has it. */
import type { Ask } from '../api/types';
import { t, tn } from '../lib/i18n.svelte';
import { askTitle } from '../lib/order';
import { decisionWords } from '../lib/words';
import { toasts } from './toasts.svelte';

class Decided {
	/** Settled by this person in this tab: nobody tells them who it was. */
	private own = new Set<string>();

	mine(id: string): void {
		this.own.add(id);
	}
	notMine(id: string): void {
		this.own.delete(id);
	}
	isMine(id: string): boolean {
		return this.own.has(id);
	}

	/** `similar`: open ones that the same answer would settle. */
	tell(ask: Ask, similar: string[] = []): void {
		toasts.show({
			key: `decided ${ask.id}`,
			tone: 'good',
			title: t('web.colon', { words: decisionWords(ask), text: askTitle(ask) }),
			about: ask.id,
			undo: canUndo(ask) ? ask.id : null,
			similar: similar.length ? ask.id : null,
		});
	}

	tellQueued(n: number): void {
		if (n) toasts.show({ tone: 'good', title: tn('web.outbox.sent', n) });
	}
}

/** An approval that was not used yet can be taken back. */
export function canUndo(ask: Ask): boolean {
	const said = Object.values(ask.answer ?? {});
	return (
		ask.kind === 'approval' &&
		ask.status === 'answered' &&
		!ask.revoked &&
		!ask.used_at &&
		said.some((one) => one.value === 'approve')
	);
}

export const decided = new Decided();
