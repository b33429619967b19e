/* Approvals that are still missing, and of whom. */
import { expect, test } from 'vitest';
import type { Event } from '../src/api/types';
import { eventWords } from '../src/lib/events';
import { fromWords, missingParts, voters } from '../src/lib/votes';
import { settledWords } from '../src/lib/words';
import { quickKind } from '../src/lib/quick';
import { ask } from './fixtures';

const part = (approvals: number, have: number, from?: string[]) => ({
	approvals,
	have,
	others: true,
	...(from ? { from } : {}),
});

test('parts that are not met say how many are missing', () => {
	const both = ask({ require: [part(2, 2), part(3, 1, ['team:ops'])] });
	expect(missingParts(both).map(({ more }) => more)).toEqual([2]);
});

test('who is meant is said by name', () => {
	const names = { user: (id: string) => `<${id}>`, role: (role: string) => role.toUpperCase() };
	expect(fromWords(part(1, 0, ['team:ops', 'user:usr_1', 'role:admin']), names)).toEqual([
		'ops',
		'<usr_1>',
		'ADMIN',
	]);
	expect(fromWords(part(1, 0), names)).toEqual([]);
});

test('what several approved names all of them', () => {
	const vote = (name: string, digest: string | null, value = 'approve', counts = true) =>
		({ by: { kind: 'human', user: name, name }, value, digest, counts }) as never;
	const both = ask({
		kind: 'approval',
		status: 'answered',
		answer: { decision: { value: 'approve' } } as never,
		answered_by: { kind: 'human', user: 'u', name: 'Ben', via: 'web' } as never,
		approved_digest: 'sha256:a',
		votes: [
			vote('Ann', 'sha256:a'),
			vote('Ben', 'sha256:a'),
			vote('Cleo', 'sha256:b'),
			vote('Dan', 'sha256:a', 'approve', false),
		],
	});
	expect(voters(both)).toEqual(['Ann', 'Ben']);
	expect(settledWords(both)).toBe('Approved by Ann, Ben');
});

test('a row never decides what needs votes or is another person’s', () => {
	const yesNo = ask({ title: null });
	const boolean = { ...yesNo.questions[0]!, type: 'boolean' as const };
	const open = { ...yesNo, questions: [boolean] };
	expect(quickKind(open)).toBe('boolean');
	expect(quickKind({ ...open, refused: 'team' })).toBe(null);
	expect(quickKind({ ...open, require: [part(2, 0)] })).toBe(null);
});

test('an event of a login says whose it is', () => {
	const event = { id: 1, type: 'login.created', at: '', data: { user: 'usr_1', name: 'x' } };
	expect(eventWords(event as unknown as Event, { userName: () => 'Marie' })).toBe(
		'Logged in: Marie',
	);
});

test('an event of a vote says whose it is', () => {
	const event = (type: string, data: object) => ({ id: 1, type, at: '', data }) as unknown as Event;
	const vote = { by: { kind: 'human', user: 'usr_1', name: 'Marie' }, value: 'approve' };
	expect(eventWords(event('ask.voted', { vote }))).toBe('Marie voted to approve');
	expect(eventWords(event('ask.retracted', { vote }))).toBe('Marie undid their vote');
	expect(eventWords(event('ask.revoked', { revoked: { by: vote.by } }))).toBe(
		'Approval taken back by Marie',
	);
});
