/* In which order asks want attention, and which of them are alike. Pure. */
import type { Ask, Risk } from '../api/types';

const riskRank: Record<Risk, number> = { critical: 3, high: 2, medium: 1, low: 0 };
export const SOON_MS = 5 * 60_000;

export const askRisk = (ask: Ask): Risk | null => ask.operation?.risk ?? null;
export const askTitle = (ask: Ask): string =>
	ask.title ?? ask.questions[0]?.text ?? ask.operation?.name ?? ask.id;
/** A session made for one ask is called as it is: that is said once. */
export const sessionTitle = (ask: Ask): string | null =>
	ask.session_title !== (ask.title ?? ask.questions[0]?.text) ? ask.session_title : null;
export const waits = (ask: Ask): boolean => ask.kind !== 'non_blocking';

function soon(ask: Ask, now: number): number {
	const at = ask.expires_at ? Date.parse(ask.expires_at) : Infinity;
	return at - now <= SOON_MS ? at : Infinity;
}

const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

/** Deadline within five minutes, then risk, then age. */
export function byAttention(asks: Ask[], now: number): Ask[] {
	return asks
		.map((ask) => ({ ask, soon: soon(ask, now), risk: riskRank[askRisk(ask) ?? 'low'] }))
		.sort(
			(a, b) =>
				compare(a.soon, b.soon) ||
				b.risk - a.risk ||
				compare(a.ask.created_at, b.ask.created_at) ||
				compare(a.ask.id, b.ask.id),
		)
		.map(({ ask }) => ask);
}

/* An ask that changes is another object. */
const likes = new WeakMap<Ask, string>();

/** Same asker, same kind of thing, the same words but for their numbers. */
export function likeness(ask: Ask): string {
	let like = likes.get(ask);
	if (like === undefined) likes.set(ask, (like = likenessOf(ask)));
	return like;
}

function likenessOf(ask: Ask): string {
	const shape = ask.questions.map((q) => [q.type, q.options?.map((option) => option.id)]);
	const words = askTitle(ask).replace(/\d+/g, '#');
	return JSON.stringify([
		ask.kind,
		ask.agent.name,
		ask.operation?.name,
		askRisk(ask),
		words,
		shape,
	]);
}

/** Could one answer settle them all? */
export function sameForm(asks: Ask[]): boolean {
	const form = (ask: Ask) => JSON.stringify([ask.kind === 'approval', ask.questions]);
	return asks.length > 0 && asks.every((ask) => form(ask) === form(asks[0]!));
}

export interface Row {
	ask: Ask;
	like: string;
	/** How many stand for this one, itself included; 0: not the head of a fold. */
	similar: number;
	inside: boolean;
}

const FOLD_FROM = 3;

/** Three or more alike become one row at the place of the first; open folds show the rest below. */
export function fold(asks: Ask[], open: ReadonlySet<string>): Row[] {
	const groups = new Map<string, Ask[]>();
	const likes = asks.map((ask) => {
		const like = likeness(ask);
		const group = groups.get(like);
		if (group) group.push(ask);
		else groups.set(like, [ask]);
		return like;
	});
	const rows: Row[] = [];
	for (const [i, ask] of asks.entries()) {
		const like = likes[i]!;
		const group = groups.get(like)!;
		if (group.length < FOLD_FROM) {
			rows.push({ ask, like, similar: 0, inside: false });
		} else if (group[0] === ask) {
			rows.push({ ask, like, similar: group.length, inside: false });
			if (open.has(like))
				for (const other of group.slice(1))
					rows.push({ ask: other, like, similar: 0, inside: true });
		}
	}
	return rows;
}
