/* The sub-agents that an operation of ours would start: a row each. Pure. */
import type { Operation } from '../api/types';

export interface SubAgent {
	name: string;
	task: string;
	prompt: string;
	/** Empty: those of the agent that starts it. */
	tools: string[];
	/** Those that have to be done before. */
	after: string[];
}

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((one) => typeof one === 'string');

const TEXTS = ['id', 'name', 'agent', 'prompt', 'task'];
const LISTS = ['tools', 'after'];

/** null: it says more than these rows would show. */
function rowOf(given: unknown, n: number): SubAgent | null {
	if (!isObject(given) || typeof given['task'] !== 'string') return null;
	const whole = Object.entries(given).every(([name, value]) =>
		TEXTS.includes(name)
			? typeof value === 'string'
			: LISTS.includes(name) && (value === null || isTexts(value)),
	);
	if (!whole) return null;
	const text = (name: string) => (given[name] as string | undefined) ?? '';
	const list = (name: string) => (given[name] as string[] | null | undefined) ?? [];
	const names = [text('id'), text('name'), text('agent')].filter(Boolean);
	return {
		name: [...new Set(names)].join(' · ') || String(n + 1),
		task: text('task'),
		prompt: text('prompt'),
		tools: list('tools'),
		after: list('after'),
	};
}

/** null: it starts none, or the rows would not show all of it. */
export function subAgentsOf({ name, arguments: given }: Operation): SubAgent[] | null {
	if (!isObject(given)) return null;
	const list =
		name === 'parallel_tasks'
			? Object.keys(given).length === 1 && Array.isArray(given['tasks'])
				? (given['tasks'] as unknown[])
				: []
			: name === 'spawn_agent' || name === 'delegate_task'
				? [given]
				: [];
	const rows = list.map(rowOf);
	return rows.length && rows.every((row) => row !== null) ? rows : null;
}
