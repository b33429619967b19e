/* Which tools an agent is offered, and what happens when one is called. */
import { describe, expect, it, test } from 'vitest';
import type { Tool } from '../src/api/runs';
import type { AgentConfig, Session } from '../src/api/types';
import { agentBody, agentChanges, agentFields } from '../src/lib/agentForm';
import {
	agentDot,
	agentLines,
	gated,
	groupSet,
	groupState,
	hasTool,
	operationSet,
	toolGroups,
} from '../src/lib/agents';

const tool = (name: string, risk: Tool['risk'], category: string | null = 'tools'): Tool => ({
	id: null,
	kind: 'built_in',
	source: null,
	version: 1,
	name,
	description: name,
	category,
	risk,
	class: 'store',
	schema: {},
	available: true,
	why: null,
});
const tools = [
	tool('ask_user_question', null, null),
	tool('todo/list', 'low'),
	tool('todo/create', 'medium'),
];

test('operations of a tool are one row, as risky as the riskiest', () => {
	const [ask, todo] = toolGroups(tools);
	expect([ask!.name, ask!.operations]).toEqual(['ask_user_question', []]);
	expect([todo!.name, todo!.risk, todo!.operations.length]).toEqual(['todo', 'medium', 2]);
});

test('a tool is chosen whole, in part or not; all its operations are the tool itself', () => {
	const todo = toolGroups(tools)[1]!;
	expect(groupState(['memory'], todo)).toBe('none');
	expect(groupState(['todo/list'], todo)).toBe('some');
	expect(groupState(['todo'], todo)).toBe('all');
	expect(hasTool(['todo'], 'todo/create')).toBe(true);
	expect(operationSet(['a', 'todo'], todo, 'todo/create', false)).toEqual(['a', 'todo/list']);
	expect(operationSet(['todo/list'], todo, 'todo/create', true)).toEqual(['todo']);
	expect(groupSet(['todo/list', 'a'], todo, true)).toEqual(['a', 'todo']);
	expect(groupSet(['todo', 'a'], todo, false)).toEqual(['a']);
});

test('the table of the policy', () => {
	const policy = {
		mode: 'auto' as const,
		selective: { tools: false, mcp: true },
		auto_approve_low: true,
		always_confirm_high: true,
	};
	const row = (more: object, category: string) =>
		(['low', 'medium', 'high', 'critical'] as const).map((risk) =>
			gated({ ...policy, ...more }, category, risk),
		);
	expect(row({}, 'tools')).toEqual(['allow', 'allow', 'ask', 'ask']);
	expect(row({ always_confirm_high: false }, 'tools')).toEqual(['allow', 'allow', 'allow', 'ask']);
	expect(row({ mode: 'manual' }, 'tools')).toEqual(['allow', 'ask', 'ask', 'ask']);
	expect(row({ mode: 'manual', auto_approve_low: false }, 'tools')).toEqual(Array(4).fill('ask'));
	expect(row({ mode: 'selective' }, 'tools')).toEqual(['allow', 'allow', 'ask', 'ask']);
	expect(row({ mode: 'selective' }, 'mcp')).toEqual(['allow', 'ask', 'ask', 'ask']);
	expect(gated(policy, null, null)).toBe('never');
});

describe('the list of agents', () => {
	const config = (name: string, more: object = {}) =>
		({ id: name, name, runnable: true, tools: [], ...more }) as unknown as AgentConfig;
	const session = (name: string, more: object = {}) =>
		({
			id: `ses_${name}`,
			agent: { id: `agt_${name}`, name },
			status: 'idle',
			pending_asks: [],
			updated_at: '2026-11-16T10:00:00Z',
			...more,
		}) as unknown as Session;

	it('has each once, those that Parley runs first, and no person', () => {
		const lines = agentLines(
			[config('researcher')],
			[
				session('claude'),
				session('researcher', { pending_asks: [{}, {}] }),
				session('ci', { updated_at: '2026-11-16T11:00:00Z' }),
				session('Ann'),
			],
			new Set(['Ann']),
		);
		expect(lines.map((one) => one.name)).toEqual(['researcher', 'ci', 'claude']);
		expect(lines[0]).toMatchObject({ waiting: 2, running: 0, failed: null });
	});

	it('means the same by a dot everywhere', () => {
		const dot = (agent: object, ...of: object[]) =>
			agentDot(
				agentLines(
					[config('a', agent)],
					of.map((one) => session('a', one)),
					new Set(),
				)[0]!,
			);
		expect(dot({ runnable: false }, { pending_asks: [{}] })).toBe('failed');
		expect(dot({}, { pending_asks: [{}] })).toBe('person');
		expect(dot({}, { status: 'running' })).toBe('working');
		expect(dot({}, { status: 'failed', error: { message: 'no credit' } })).toBe('failed');
		expect(dot({}, { status: 'completed' })).toBeUndefined();
		expect(dot({})).toBeUndefined();
	});
});

describe('the form of an agent', () => {
	it('says in which tabs something was changed, and keeps what it does not show', () => {
		const was = {
			name: 'a',
			provider: 'p',
			model: 'm',
			prompt: '',
			tools: ['todo', 'memory'],
			limits: { turns: 5, tokens: 900 },
			validation: { timeout: '5m' },
			on_error: 'ask',
			on_limit: 'ask',
			on_reject: null,
		} as unknown as AgentConfig;
		const now = agentFields(was);
		expect(agentChanges(agentFields(was), { ...now, tools: ['memory', 'todo'] })).toEqual([]);
		const changed = { ...now, model: 'n', cost: '2,5', onReject: 'stop' as const };
		expect(agentChanges(agentFields(was), changed)).toEqual(['model', 'approvals']);
		expect(agentBody(changed, was)).toMatchObject({
			model: 'n',
			limits: { turns: 5, tokens: 900, cost_usd: 2.5 },
			validation: { timeout: '5m' },
			on_reject: 'stop',
		});
	});
});
