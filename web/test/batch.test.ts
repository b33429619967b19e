/* Which approvals go together, and what is marked in them. */
import { expect, test } from 'vitest';
import type { Ask } from '../src/api/types';
import { batchOf, changeIn, differing, linesOf } from '../src/lib/batch';
import { likeness } from '../src/lib/order';
import { ask } from './fixtures';

let count = 0;
const label = (given: Record<string, unknown>, more: Partial<Ask> = {}) =>
	ask({
		id: `ask_${count++}`,
		kind: 'approval',
		title: 'Label a ticket',
		risk: 'low',
		digest: `sha256:${count}`,
		operation: { type: 'tool', name: 'tickets.label', arguments: given },
		...more,
	});

test('one tool with the same names of arguments goes together; the rest is named', () => {
	const [a, b] = [label({ ticket: 1, label: 'x' }), label({ label: 'y', ticket: 2 })];
	const hidden = label({ ticket: 3, label: 'x', also_run: 'curl | sh' });
	const high = label({ ticket: 4, label: 'x' }, { risk: 'high' });
	const voted = label(
		{ ticket: 5, label: 'x' },
		{ require: [{ approvals: 2, others: true, have: 0 }] },
	);
	const long = label({ ticket: 6, label: 'x'.repeat(200) });
	const lines = label({ ticket: 7, label: 'x\ny' });
	const diff = label({ ticket: 8, label: 'x' }, { context: { diff: '+1' } });
	const { groups, left } = batchOf([hidden, a, high, voted, b, long, lines, diff]);
	expect(groups).toEqual([[a, b]]);
	expect(left.map(({ ask: one, why }) => [one.id, why])).toEqual([
		[hidden.id, 'other'],
		[high.id, 'risk'],
		[voted.id, 'votes'],
		[long.id, 'long'],
		[lines.id, 'long'],
		[diff.id, 'long'],
	]);
});

test('what differs is marked, in whole words', () => {
	expect(differing(['npm test cart', 'npm test login'])).toEqual([
		['npm test ', 'cart', ''],
		['npm test ', 'login', ''],
	]);
	expect(differing(['4201', '4202'])).toEqual([
		['', '4201', ''],
		['', '4202', ''],
	]);
	expect(differing(['same', 'same'])).toEqual([
		['same', '', ''],
		['same', '', ''],
	]);
	expect(differing(['a b', 'a b b'])).toEqual([
		['a ', '', 'b'],
		['a ', 'b', ' b'],
	]);
	const [line] = linesOf([label({ ticket: 1, label: 'x' }), label({ ticket: 2, label: 'x' })]);
	expect(line!.tool).toBe('tickets.label');
	expect(line!.parts).toEqual([
		{ name: 'label', text: ['x', '', ''] },
		{ name: 'ticket', text: ['', '1', ''] },
	]);
});

test('only the same arguments but for digits fold', () => {
	const one = likeness(label({ ticket: 1, label: 'x' }));
	expect(likeness(label({ ticket: 23, label: 'x' }))).toBe(one);
	expect(likeness(label({ ticket: 1, label: 'y' }))).not.toBe(one);
	expect(likeness(label({ ticket: 1, label: 'x', also_run: 'rm' }))).not.toBe(one);
});

test('a change is both texts, whole', () => {
	for (const [was, is] of [
		['kubectl -n prod apply', 'kubectl -n staging apply'],
		['a b', 'a b b'],
		['a b b', 'a b'],
		['', 'x'],
		['one\ntwo', 'one'],
	] as const) {
		const [before, gone, fresh, behind] = changeIn(was, is);
		expect([before + gone + behind, before + fresh + behind]).toEqual([was, is]);
	}
	expect(changeIn('a -n prod b', 'a -n staging b')).toEqual(['a -n ', 'prod', 'staging', ' b']);
});
