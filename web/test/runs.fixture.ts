/* A session of an agent that Parley runs, as the server shows it: a parent that measured something with
 * three sub-agents, one of which waits for somebody. */
import type { Message, Run, ToolCall, Usage } from '../src/api/runs';

const usage = (input: number, output: number): Usage => ({
	input,
	cache_read: 1000,
	cache_write: 200,
	cache_write_1h: 0,
	output,
	reasoning: 40,
});

export const run = (n: number, more: Partial<Run> = {}): Run => ({
	id: `run_0${n}`,
	session: 'ses_01',
	parent: null,
	call: null,
	agent: { id: 'agt_01', name: 'researcher' },
	kind: 'model',
	status: 'running',
	waits_for: [],
	turn: 1,
	attempt: 1,
	progress: null,
	provider: 'anthropic',
	model: 'm',
	report: null,
	output: null,
	error: null,
	usage: usage(100, 50),
	cost_usd: 0.18,
	cost_partial: false,
	wasted: { calls: 0, usage: usage(0, 0), cost_usd: 0 },
	tree: { usage: usage(100, 50), cost_usd: 0.18, cost_partial: false },
	context_tokens: 48_200,
	context_max: 200_000,
	limits: { cost_usd: 2 },
	tools_used: [],
	mcp_calls: 0,
	queued_at: '2026-01-01T00:00:00.000Z',
	started_at: '2026-01-01T00:00:01.000Z',
	ended_at: null,
	duration_ms: 151_000,
	trace: null,
	...more,
});

export const message = (
	n: number,
	role: Message['role'],
	content: Message['content'],
	more: Partial<Message> = {},
): Message => ({
	id: `msg_0${n}`,
	session: 'ses_01',
	run: 'run_01',
	role,
	content,
	model: null,
	usage: null,
	cost_usd: null,
	stop: null,
	created_at: `2026-01-01T00:00:0${n}.000Z`,
	...more,
});

export const call = (n: number, more: Partial<ToolCall> = {}): ToolCall => ({
	id: `call_0${n}`,
	run: 'run_01',
	message: 'msg_02',
	name: 'memory',
	title: null,
	arguments: { operation: 'search', q: 'hnsw' },
	approved_arguments: null,
	category: 'tools',
	risk: 'low',
	class: 'store',
	verdict: { effect: 'allow', rule: null, reason: 'low risk' },
	ask: null,
	child: null,
	status: 'done',
	result: '[]',
	error: null,
	attempts: 1,
	started_at: null,
	ended_at: null,
	duration_ms: 1200,
	session: 'ses_01',
	server: null,
	sent: null,
	via: null,
	...more,
});

export const text = (words: string) => ({ type: 'text' as const, text: words });

export const waits = (type: 'ask' | 'run') => ({ type, id: null, until: null });
