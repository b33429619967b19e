/* What the page knows of configured agents: which tools they are offered, and what happens when one is
 * called by today's policy. Pure. */
import type { Tool } from '../api/runs';
import type { AgentConfig, Policy, Risk, Session } from '../api/types';
import type { Dot } from './runs';

/** A tool with its operations: `todo` of todo/create, todo/list …; a plain one has only itself. */
export interface ToolGroup {
	name: string;
	description: string;
	category: string | null;
	risk: Risk | null;
	available: boolean;
	why: string | null;
	operations: Tool[];
}

const risks: Risk[] = ['low', 'medium', 'high', 'critical'];
const highest = (list: (Risk | null)[]): Risk | null =>
	list.reduce(
		(top, one) => (one && (!top || risks.indexOf(one) > risks.indexOf(top)) ? one : top),
		null,
	);

export function toolGroups(tools: Tool[]): ToolGroup[] {
	const groups = new Map<string, Tool[]>();
	for (const tool of tools) {
		const name = tool.name.split('/')[0]!;
		groups.set(name, [...(groups.get(name) ?? []), tool]);
	}
	return [...groups].map(([name, operations]) => {
		const [first] = operations as [Tool, ...Tool[]];
		return {
			name,
			description:
				operations.length > 1
					? operations.map((one) => one.name.split('/')[1]).join(', ')
					: first.description,
			category: first.category,
			risk: highest(operations.map((one) => one.risk)),
			available: operations.some((one) => one.available),
			why: first.why,
			operations: operations.length > 1 || first.name !== name ? operations : [],
		};
	});
}

export const hasTool = (chosen: string[], name: string) =>
	chosen.includes(name) || chosen.includes(name.split('/')[0]!);

/** Whole, in part, or not at all. */
export function groupState(chosen: string[], group: ToolGroup): 'all' | 'some' | 'none' {
	if (chosen.includes(group.name)) return 'all';
	const n = group.operations.filter((one) => chosen.includes(one.name)).length;
	return n === 0 ? 'none' : n === group.operations.length ? 'all' : 'some';
}

/** With the whole tool, or without any of it. */
export function groupSet(chosen: string[], group: ToolGroup, on: boolean): string[] {
	const others = chosen.filter((one) => one.split('/')[0] !== group.name);
	return on ? [...others, group.name] : others;
}

/** With one operation, or without it; all of them are the tool itself. */
export function operationSet(
	chosen: string[],
	group: ToolGroup,
	operation: string,
	on: boolean,
): string[] {
	const had = group.operations.map((one) => one.name).filter((one) => hasTool(chosen, one));
	const now = on ? [...new Set([...had, operation])] : had.filter((one) => one !== operation);
	const others = chosen.filter((one) => one.split('/')[0] !== group.name);
	return now.length === group.operations.length ? [...others, group.name] : [...others, ...now];
}

export type Gate = Pick<Policy, 'mode' | 'selective' | 'auto_approve_low' | 'always_confirm_high'>;

/** The table of the policy; rules may say otherwise. null: it is never gated. */
export function gated(
	policy: Gate,
	category: string | null,
	risk: Risk | null,
): 'never' | 'allow' | 'ask' {
	if (!category || !risk) return 'never';
	if (risk === 'critical') return 'ask';
	const watched =
		policy.mode === 'manual' ||
		(policy.mode === 'selective' && policy.selective[category] === true);
	if (watched) return risk === 'low' && policy.auto_approve_low ? 'allow' : 'ask';
	return risk === 'high' && policy.always_confirm_high ? 'ask' : 'allow';
}

/** An agent of the list: run here, or one that has asked. */
export interface AgentLine {
	name: string;
	/** Run by Parley, as it is set up. */
	config: AgentConfig | null;
	waiting: number;
	running: number;
	/** Why its last session failed; null: it did not. */
	failed: string | null;
	sessions: Session[];
	seen: string | null;
}

const newest = (a: Session, b: Session) => (a.updated_at < b.updated_at ? 1 : -1);

function lineOf(name: string, config: AgentConfig | null, all: Session[]): AgentLine {
	const sessions = all.filter((one) => one.agent.name === name).sort(newest);
	const last = sessions[0];
	return {
		name,
		config,
		waiting: sessions.reduce((n, one) => n + one.pending_asks.length, 0),
		running: sessions.filter((one) => one.status === 'running').length,
		failed: last?.status === 'failed' ? (last.error?.message ?? '') : null,
		sessions,
		seen: last?.updated_at ?? null,
	};
}

/** All there are: those that Parley runs by their names, then those that asked, the last one first.
 * `people` are not among them: somebody who tried it. */
export function agentLines(
	configs: AgentConfig[],
	sessions: Session[],
	people: ReadonlySet<string>,
): AgentLine[] {
	const own = new Set(configs.map((one) => one.name));
	const others = new Set(sessions.map((one) => one.agent.name));
	return [
		...configs.map((one) => lineOf(one.name, one, sessions)),
		...[...others]
			.filter((name) => !own.has(name) && !people.has(name))
			.map((name) => lineOf(name, null, sessions))
			.sort((a, b) => ((a.seen ?? '') < (b.seen ?? '') ? 1 : -1)),
	];
}

/** The same meanings as of sessions: red cannot run or failed, amber waits for people, green runs, grey rests. */
export function agentDot(line: AgentLine): Dot | undefined {
	if (line.config && !line.config.runnable) return 'failed';
	if (line.waiting) return 'person';
	if (line.running) return 'working';
	return line.failed === null ? undefined : 'failed';
}
