/* How many approvals an ask has, how many it still needs and of whom. Pure. */
import type { Ask } from '../api/types';

type Part = NonNullable<Ask['require']>[number];

/** Parts that are not met, each with how many are missing. */
export function missingParts(ask: Ask): { part: Part; more: number }[] {
	return (ask.require ?? [])
		.map((part) => ({ part, more: part.approvals - part.have }))
		.filter(({ more }) => more > 0);
}

/** Which of how many an approval given now would be; null: one is enough. */
export function voteOf(ask: Ask): { n: number; of: number } | null {
	const part = ask.status === 'pending' ? missingParts(ask)[0]?.part : undefined;
	return part && part.approvals > 1 ? { n: part.have + 1, of: part.approvals } : null;
}

/** Everybody whose approval was needed, where there were several. */
export function voters(ask: Ask): string[] {
	return (ask.votes ?? [])
		.filter(
			(vote) => vote.counts && vote.value === 'approve' && vote.digest === ask.approved_digest,
		)
		.map((vote) => vote.by.name ?? '?');
}

/** What stands behind `team:`, `user:` and `role:`. */
export function fromWords(
	part: Pick<Part, 'from'>,
	names: { user: (id: string) => string; role: (role: string) => string },
): string[] {
	return (part.from ?? []).map((entry) => {
		const [kind, rest] = [entry.slice(0, 4), entry.slice(5)];
		if (kind === 'user') return names.user(rest);
		return kind === 'role' ? names.role(rest) : rest;
	});
}
