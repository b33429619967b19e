/* The settings of an agent that Parley runs as its form has them, and what of them was changed. Pure. */
import type { AgentConfig } from '../api/types';

export interface AgentFields {
	name: string;
	description: string;
	provider: string;
	model: string;
	effort: '' | NonNullable<AgentConfig['effort']>;
	prompt: string;
	tools: string[];
	turns: string;
	cost: string;
	/** '': as the policy says. */
	mode: '' | 'auto' | 'selective' | 'manual';
	onError: 'ask' | 'fail';
	onLimit: 'ask' | 'stop';
	onReject: '' | 'tell' | 'stop';
}

export const agentTabs = ['tools', 'prompt', 'model', 'approvals', 'sessions'] as const;
export type AgentTab = (typeof agentTabs)[number];

/** Where each of them is set. */
const tabOf: Record<keyof AgentFields, AgentTab> = {
	name: 'prompt',
	description: 'prompt',
	prompt: 'prompt',
	provider: 'model',
	model: 'model',
	effort: 'model',
	turns: 'model',
	cost: 'model',
	tools: 'tools',
	mode: 'approvals',
	onError: 'approvals',
	onLimit: 'approvals',
	onReject: 'approvals',
};

const number = (value: unknown) => (typeof value === 'number' ? String(value) : '');

export const agentFields = (agent: AgentConfig | null, provider = ''): AgentFields => ({
	name: agent?.name ?? '',
	description: agent?.description ?? '',
	provider: agent?.provider ?? provider,
	model: agent?.model ?? '',
	effort: agent?.effort ?? '',
	prompt: agent?.prompt ?? '',
	tools: agent?.tools ?? ['ask_user_question'],
	turns: number(agent?.limits?.turns),
	cost: number(agent?.limits?.cost_usd),
	mode: agent?.validation?.mode ?? '',
	onError: agent?.on_error ?? 'ask',
	onLimit: agent?.on_limit ?? 'ask',
	onReject: agent?.on_reject ?? '',
});

/** As the server takes it. Members that the form does not have stay as they are. */
export const agentBody = (fields: AgentFields, was: AgentConfig | null) => ({
	name: fields.name,
	description: fields.description || null,
	provider: fields.provider,
	model: fields.model,
	effort: fields.effort || null,
	prompt: fields.prompt,
	tools: fields.tools,
	limits: {
		...was?.limits,
		turns: fields.turns ? Number(fields.turns) : null,
		cost_usd: fields.cost ? Number(fields.cost.replace(',', '.')) : null,
	},
	validation: fields.mode
		? { ...was?.validation, mode: fields.mode }
		: was?.validation && { ...was.validation, mode: undefined },
	on_error: fields.onError,
	on_limit: fields.onLimit,
	on_reject: fields.onReject || null,
});

/** What differs, by where it is set; order of tools does not count. */
export function agentChanges(before: AgentFields, now: AgentFields): AgentTab[] {
	const text = (value: string | string[]) =>
		typeof value === 'string' ? value : [...value].sort().join(' ');
	const names = Object.keys(tabOf) as (keyof AgentFields)[];
	const found = names.filter((name) => text(before[name]) !== text(now[name]));
	return agentTabs.filter((tab) => found.some((name) => tabOf[name] === tab));
}
