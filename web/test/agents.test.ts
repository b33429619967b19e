/* Which tools an agent is offered, and what happens when one is called. */
import { expect, test } from 'vitest';
import type { Tool } from '../src/api/runs';
import { gated, groupSet, groupState, hasTool, operationSet, toolGroups } from '../src/lib/agents';

const tool = (name: string, risk: Tool['risk'], category: string | null = 'tools'): Tool => ({
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
