import { describe, expect, it } from 'vitest';
import type { AskDeliveries, Delivery } from '../src/api/types';
import { targetWords, toldLines, toWords } from '../src/lib/told';

const none: AskDeliveries = { items: [], names: {}, unreached: [], next_at: null, next_to: [] };
const message = (more: Partial<Delivery>) =>
	({
		purpose: 'ask',
		kind: 'email',
		user: 'usr_dan',
		status: 'done',
		attempts: 1,
		...more,
	}) as Delivery;
const nobody = (
	why: AskDeliveries['unreached'][number]['reasons'][number]['why'],
	from: string | null = null,
) => ({
	step: 0,
	at: '2026-06-01T10:00:00.000Z',
	reasons: [
		{
			user: why === 'on_call' ? null : 'usr_dan',
			team: why === 'on_call' ? 'team_ops' : null,
			why,
			from,
		},
	],
});
const names = { usr_dan: 'dan', team_ops: 'ops' };
const texts = (told: Partial<AskDeliveries>) =>
	toldLines({ ...none, names, ...told }, 'usr_me').map((line) => line.text);

describe('who was told', () => {
	it('says why nobody could be notified, each reason once', () => {
		expect(texts({ unreached: [nobody('on_call'), nobody('on_call'), nobody('muted')] })).toEqual([
			'Nobody could be notified: nobody is on call in ops · dan has muted notifications',
		]);
		expect(texts({ unreached: [nobody('quiet', '2026-06-02T07:30:00.000Z')] })[0]).toMatch(
			/^Nobody could be notified: dan from .*\(quiet hours\)$/,
		);
	});

	it('names only those who were not reached once somebody was', () => {
		const items = [message({ user: 'usr_eva', done_at: '2026-06-01T10:00:00.000Z' })];
		const lines = texts({
			items,
			names: { ...names, usr_eva: 'eva' },
			unreached: [nobody('on_call')],
		});
		expect(lines[0]).toMatch(/^Notified: eva/);
		expect(lines[1]).toBe('Not reached: nobody is on call in ops');
	});

	it('says that a message is tried again', () => {
		const items = [message({ status: 'waiting', next_at: '2026-06-01T10:00:00.000Z' })];
		expect(texts({ items })[0]).toMatch(/^Not delivered yet, trying again: dan, /);
	});
});

describe('whom it goes to', () => {
	const nameOf = (id: string) => ({ usr_dan: 'dan', con_1: 'dan' })[id] ?? id;

	it('says whom a step means by name', () => {
		expect(
			[
				'assignees',
				'all',
				'role:admin',
				'user:usr_dan',
				'contact:con_1',
				'team:ops',
				'team:a/b:c',
				'team:ops/on_call',
				'team:ops/leads',
			].map((to) => toWords(to, nameOf)),
		).toEqual([
			'assignees',
			'everyone who may answer',
			'admins',
			'dan',
			'dan',
			'ops',
			'a/b:c',
			'on-call of ops',
			'leads of ops',
		]);
	});

	it('names the person of a delivery, and the contact where it has a name', () => {
		const words = (more: Partial<Delivery>) =>
			targetWords(message({ contact: 'con_1', ...more }), nameOf);
		expect(words({ target: 'con_1' })).toBe('dan');
		expect(words({ target: 'work' })).toBe('dan · work');
		expect(words({ target: 'C0OPS', user: null })).toBe('C0OPS');
		expect(words({ target: 'https://ci/hook', user: null, contact: null })).toBe('https://ci/hook');
	});
});
