import type { Ask, Question } from '../src/api/types';

export function question(more: Partial<Question> = {}): Question {
	return { key: 'q1', text: 'Which?', type: 'text', required: true, ...more };
}

export function ask(more: Partial<Ask> = {}): Ask {
	return {
		id: 'ask_00000000000000000000000001',
		workspace: 'default',
		session: 'ses_00000000000000000000000001',
		session_title: 'release',
		project: null,
		run: null,
		agent: { id: 'agt_00000000000000000000000001', name: 'deployer' },
		kind: 'blocking',
		status: 'pending',
		title: null,
		context: null,
		questions: [question()],
		operation: null,
		risk: null,
		digest: null,
		approved_digest: null,
		priority: 'normal',
		assignees: [],
		claimed_by: null,
		version: 1,
		created_at: '2026-01-01T00:00:00.000Z',
		expires_at: null,
		settled_at: null,
		used_at: null,
		fetched_at: null,
		asked_again_at: null,
		revoked: null,
		require: null,
		votes: [],
		verify: null,
		trace: null,
		asked_because: null,
		answer: null,
		answered_by: null,
		summary: '',
		reason: null,
		replies: [],
		default: null,
		metadata: {},
		url: '',
		...more,
	};
}
