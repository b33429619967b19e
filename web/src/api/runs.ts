/* The shapes of agents that Parley runs: runs, messages, tool calls, tasks, agents and providers. */

export type RunStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';

export interface Usage {
	input: number;
	cache_read: number;
	cache_write: number;
	cache_write_1h: number;
	output: number;
	reasoning: number;
}

export interface Limits {
	turns?: number | null;
	history?: number | null;
	tokens?: number | null;
	cost_usd?: number | null;
	time?: string | null;
}

export interface Run {
	id: string;
	session: string;
	parent: string | null;
	call: string | null;
	agent: { id: string | null; name: string };
	status: RunStatus;
	waits_for: { type: 'ask' | 'run' | 'time'; id?: string | null; until?: string | null }[];
	turn: number;
	progress: Record<string, unknown> | null;
	provider: string | null;
	model: string | null;
	report: string | null;
	error: { kind: string; message: string } | null;
	usage: Usage;
	cost_usd: number | null;
	cost_partial?: boolean;
	context_tokens: number;
	context_max: number | null;
	limits: Limits;
	queued_at: string | null;
	started_at: string | null;
	ended_at: string | null;
	duration_ms: number;
}

export type Part =
	| { type: 'text'; text: string }
	| { type: 'thought'; text: string }
	| { type: 'tool_call'; id: string; name: string; arguments: Record<string, unknown> }
	| { type: 'tool_result'; id: string; name: string; content: string; is_error?: boolean }
	| { type: 'image'; media_type: string; data: string };

export interface Message {
	id: string;
	session: string;
	run: string | null;
	role: 'system' | 'user' | 'assistant' | 'tool';
	content: Part[];
	model: string | null;
	usage: Usage | null;
	cost_usd: number | null;
	stop: string | null;
	created_at: string;
}

export type CallStatus =
	'pending' | 'waiting' | 'started' | 'done' | 'failed' | 'rejected' | 'interrupted' | 'cancelled';

export interface ToolCall {
	id: string;
	run: string;
	message: string;
	name: string;
	arguments: Record<string, unknown>;
	approved_arguments: Record<string, unknown> | null;
	category: string | null;
	risk: 'low' | 'medium' | 'high' | 'critical';
	verdict: { effect?: string; rule?: string | null; reason?: string | null } | null;
	ask: string | null;
	child: string | null;
	status: CallStatus;
	result: string | null;
	error: string | null;
	attempts: number;
	started_at: string | null;
	ended_at: string | null;
	duration_ms: number | null;
}

export interface Task {
	id: string;
	name: string;
	description: string | null;
	status: 'pending' | 'in_progress' | 'completed';
	priority: number;
	created_at: string;
	updated_at: string;
}

/** What the sessions of agents that Parley runs have beside the others. */
export interface RunSession {
	runnable?: boolean;
	run?: string | null;
	usage?: Usage | null;
	cost_usd?: number | null;
	cost_partial?: boolean;
	context_tokens?: number | null;
	context_max?: number | null;
	error?: { kind: string; message: string } | null;
	completed_at?: string | null;
}

/** A tool that agents can be offered, or one operation of it. */
export interface Tool {
	name: string;
	description: string;
	category: string | null;
	risk: 'low' | 'medium' | 'high' | 'critical' | null;
	class: 'store' | 'repeat' | 'once';
	available: boolean;
	why: string | null;
}
