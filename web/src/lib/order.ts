/* In which order asks want attention, and which of them are alike. Pure. */
import type { Ask, Risk } from '../api/types';
import { jsonWrite } from './json';

export const SOON_MS = 5 * 60_000;

/** By the policy; what the agent says of its operation only raises it. */
export const askRisk = (ask: Ask): Risk | null => ask.risk ?? ask.operation?.risk ?? null;
/** A call of an MCP server's tool is named by both: "close_issue (github): n=7". */
export const askTitle = (ask: Ask): string =>
	(ask.title ?? ask.questions[0]?.text ?? ask.operation?.name ?? ask.id).replace(
		/^mcp__([a-z0-9-]+)__([\w.-]+)/,
		'$2 ($1)',
	);
/** A session made for one ask is called as it is: that is said once. */
/** Who asks: the agent, its program where that has another name, and who runs it on its machine. */
export const agentOf = ({ agent, program, machine_user: user }: Ask): string =>
	(program && program !== agent.name ? `${agent.name} · ${program}` : agent.name) +
	(user ? ` (${user})` : '');

export const sessionTitle = (ask: Ask): string | null =>
	ask.session_title !== (ask.title ?? ask.questions[0]?.text) ? ask.session_title : null;
/** An approval and nothing else: its question repeats the title, and has the same form whatever that is. */
export const isDecision = (ask: Ask): boolean =>
	ask.kind === 'approval' && ask.questions.length === 1;
export const waits = (ask: Ask): boolean => ask.kind !== 'non_blocking';

/** Why an ask stands where it does. */
export type Group = 'soon' | 'high' | 'other';
const groups: Group[] = ['soon', 'high', 'other'];
const HIGH = ['high', 'critical', 'urgent'];

const deadline = (ask: Ask) => (ask.expires_at ? Date.parse(ask.expires_at) : Infinity);

export function groupOf(ask: Ask, now: number): Group {
	if (deadline(ask) - now <= SOON_MS) return 'soon';
	return HIGH.includes(askRisk(ask) ?? '') || HIGH.includes(ask.priority) ? 'high' : 'other';
}

const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

/** Deadline within five minutes, then risk or priority high and above, then age; what is assigned to
 * others only stands behind the rest of its group. */
export function byAttention(asks: Ask[], now: number, me = ''): Ask[] {
	return asks
		.map((ask) => {
			const group = groupOf(ask, now);
			return {
				ask,
				group: groups.indexOf(group),
				soon: group === 'soon' ? deadline(ask) : 0,
				others: ask.assignees.length > 0 && !ask.assignees.includes(me),
			};
		})
		.sort(
			(a, b) =>
				a.group - b.group ||
				compare(a.soon, b.soon) ||
				compare(a.others, b.others) ||
				compare(a.ask.created_at, b.ask.created_at) ||
				compare(a.ask.id, b.ask.id),
		)
		.map(({ ask }) => ask);
}

/* An ask that changes is another object. */
const likes = new WeakMap<Ask, string>();

/** Same asker, same kind of thing, the same words and arguments but for their numbers. */
export function likeness(ask: Ask): string {
	let like = likes.get(ask);
	if (like === undefined) likes.set(ask, (like = likenessOf(ask)));
	return like;
}

function likenessOf(ask: Ask): string {
	const shape = ask.questions.map((q) => [q.type, q.options?.map((option) => option.id)]);
	const { name, arguments: given } = ask.operation ?? {};
	const words = jsonWrite([askTitle(ask), given ?? null]).replace(/\d+/g, '#');
	return jsonWrite([ask.kind, ask.agent.name, name, askRisk(ask), words, shape]);
}

/** The very same call, of the same agent and project. */
export const isSameCall = (a: Ask, b: Ask): boolean => callOf(a) === callOf(b);

const callOf = ({ agent, project, operation }: Ask) =>
	jsonWrite([agent.name, project, operation?.name, operation?.type, operation?.arguments]);

/** Could one answer settle them all? */
export function sameForm(asks: Ask[]): boolean {
	const form = (ask: Ask) => jsonWrite([ask.kind === 'approval', ask.questions]);
	return asks.length > 0 && asks.every((ask) => form(ask) === form(asks[0]!));
}

export interface Row {
	ask: Ask;
	like: string;
	/** How many others this one stands for; 0: not the head of a fold. */
	similar: number;
	inside: boolean;
	/** The group that begins with it: its key, and how many rows it has. */
	section: { group: string; count: number } | null;
}

const FOLD_FROM = 3;

/** Three or more alike become one row where the first of them stands; open folds show the rest below. */
export function fold(asks: Ask[], open: ReadonlySet<string>): Row[] {
	const alike = new Map<string, Ask[]>();
	const likes = asks.map((ask) => {
		const like = likeness(ask);
		const group = alike.get(like);
		if (group) group.push(ask);
		else alike.set(like, [ask]);
		return like;
	});
	const rows: Row[] = [];
	for (const [i, ask] of asks.entries()) {
		const like = likes[i]!;
		const group = alike.get(like)!;
		if (group.length < FOLD_FROM) {
			rows.push({ ask, like, similar: 0, inside: false, section: null });
		} else if (group[0] === ask) {
			rows.push({ ask, like, similar: group.length - 1, inside: false, section: null });
			if (open.has(like))
				for (const other of group.slice(1))
					rows.push({ ask: other, like, similar: 0, inside: true, section: null });
		}
	}
	return rows;
}

/** Those with the same key stand together, where the first of them stood. */
export function gathered(asks: Ask[], keyOf: (ask: Ask) => string): Ask[] {
	const groups = new Map<string, Ask[]>();
	for (const ask of asks) {
		const group = groups.get(keyOf(ask));
		if (group) group.push(ask);
		else groups.set(keyOf(ask), [ask]);
	}
	return [...groups.values()].flat();
}

/** Says before each group which it is and how many rows it has; one group alone needs no name. */
export function sectioned(rows: Row[], groupOfRow: (row: Row) => string): Row[] {
	const of = rows.map(groupOfRow);
	if (new Set(of).size < 2) return rows;
	return rows.map((row, i) => {
		if (of[i] === of[i - 1]) return row;
		return { ...row, section: { group: of[i]!, count: of.filter((one) => one === of[i]).length } };
	});
}

/** Each once, in order; what is empty is left out. */
export const unique = (list: (string | null | undefined)[]) =>
	[...new Set(list.flatMap((one) => one || []))].sort();
