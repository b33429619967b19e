/* What the history makes of what was settled. */
import { describe, expect, it } from 'vitest';
import type { Ask } from '../src/api/types';
import { csvCell, csvHead, csvLines } from '../src/lib/csv';
import {
	becauseWords,
	changesOf,
	hasIt,
	historyRows,
	historyWith,
	rangeOf,
	verbOf,
	viewOf,
	historyWish,
	whenQuery,
} from '../src/lib/history';
import { dayNamed } from '../src/lib/time';

let serial = 0;
const settled = (more: object = {}): Ask =>
	({
		id: `ask_${++serial}`,
		kind: 'approval',
		status: 'answered',
		title: 'Run it',
		agent: { id: 'agt_1', name: 'ci' },
		questions: [{ key: 'decision', text: 'Run it?', type: 'approval' }],
		operation: { type: 'tool', name: 'Bash', arguments: { command: 'npm test' } },
		answer: { decision: { value: 'approve' } },
		answered_by: { kind: 'human', user: 'usr_1', name: 'Ben', via: 'web' },
		votes: [],
		created_at: '2026-11-16T10:00:00Z',
		settled_at: '2026-11-16T10:30:00Z',
		used_at: null,
		fetched_at: null,
		revoked: null,
		...more,
	}) as unknown as Ask;
const byRule = (more: object = {}) =>
	settled({ answered_by: { kind: 'policy', name: 'tests', rule: 'rul_1' }, ...more });

describe('the list', () => {
	it('folds what one rule decided in the same way within a day, and opens it', () => {
		const other = byRule({
			operation: { type: 'tool', name: 'Bash', arguments: { command: 'npm test x' } },
		});
		const items = [byRule({ used_at: '2026-11-16T10:31:00Z' }), settled(), other, byRule()];
		const rows = historyRows(items, new Set(), true);
		expect(rows.map((row) => row.ask.id)).toEqual([items[0]!.id, items[1]!.id]);
		expect(rows[0]!.fold).toMatchObject({ n: 3, used: 1, kinds: 2 });
		expect(hasIt(rows[0]!.ask, rows[0]!.fold).words).toBe('used 1 of 3');
		const open = historyRows(items, new Set([rows[0]!.fold!.key]), true);
		expect(open).toHaveLength(4);
		expect(open.filter((row) => row.inside)).toHaveLength(2);
	});

	it('does not fold two, another day, or what a person decided', () => {
		const items = [
			byRule(),
			byRule(),
			byRule({ settled_at: '2026-11-14T10:00:00Z' }),
			settled(),
			settled(),
			settled(),
		];
		expect(historyRows(items, new Set(), true).every((row) => row.fold === null)).toBe(true);
	});

	it('begins each day with its name and its count, if all of it is here', () => {
		const items = [settled(), settled(), settled({ settled_at: '2026-11-14T10:00:00Z' })];
		const counts = (whole: boolean) =>
			historyRows(items, new Set(), whole).flatMap((row) => (row.day ? [row.day.count] : []));
		expect(counts(true)).toEqual([2, 1]);
		expect(counts(false)).toEqual([2, null]);
		const now = Date.parse('2026-11-17T12:00:00Z');
		expect(dayNamed(items[0]!.settled_at!, now)).toMatch(/^Yesterday, /);
		expect(dayNamed('2026-11-17T09:00:00Z', now)).toMatch(/^Today, /);
	});
});

describe('a line', () => {
	it('says how it ended: by a rule, changed, taken back', () => {
		expect(verbOf(byRule())).toBe('Allowed by rule');
		expect(verbOf(byRule({ answer: { decision: { value: 'reject' } } }))).toBe('Denied by rule');
		expect(verbOf(settled({ revoked: { by: { name: 'Ann' }, at: '' } }))).toBe('Taken back');
		const changed = settled({
			operation: { name: 'shell', arguments: { command: 'kubectl -n prod apply', wait: 3 } },
			answer: {
				decision: {
					value: 'approve',
					arguments: { command: 'kubectl -n staging apply', wait: 3 },
				},
			},
		});
		expect(verbOf(changed)).toBe('Changed');
		expect(changesOf(changed)).toEqual([
			{ was: 'kubectl -n prod apply', is: 'kubectl -n staging apply' },
		]);
	});

	it('says what the agent has of it', () => {
		const at = '2026-11-16T10:31:00Z';
		expect(hasIt(settled()).words).toBe('not fetched yet');
		expect(hasIt(settled({ fetched_at: at }))).toEqual({ words: 'not used yet', waits: true });
		expect(hasIt(settled({ fetched_at: at, used_at: at })).words).toMatch(/^used /);
		const rejected = { answer: { decision: { value: 'reject' } } };
		expect(hasIt(settled({ ...rejected, fetched_at: at })).words).toMatch(/^told /);
		expect(hasIt(byRule(rejected)).words).toMatch(/^told /);
		expect(hasIt(settled({ status: 'cancelled', answer: null })).words).toBe('');
	});

	it('says of what expired who had voted, and the default that was used', () => {
		const expired = settled({ status: 'expired', answer: null, answered_by: null });
		expect(becauseWords(expired, ['Ben'])).toBe('after 30\u00a0min; Ben had approved');
		const used = settled({
			kind: 'blocking',
			status: 'expired',
			questions: [{ key: 'q', text: 'Now?', type: 'boolean' }],
			answer: { q: { value: false } },
			answered_by: { kind: 'default' },
		});
		expect(becauseWords(used, [])).toBe('after 30\u00a0min; the default “No” was used');
	});
});

describe('the address', () => {
	it('holds views, days and a range of one’s own', () => {
		expect(historyWith('at=ask_1&by=me&q=x', { by: 'rules', outcome: '' })).toBe('by=rules&q=x');
		expect(viewOf(historyWish('by=rules'))).toBe('rules');
		expect(viewOf(historyWish('by=rules&outcome=rejected'))).toBeNull();
		expect(rangeOf('7')).toBeNull();
		const { from, to } = whenQuery('2026-11-01..2026-11-02', 0);
		expect(Date.parse(to!) - Date.parse(from!)).toBe(2 * 86_400_000 - 1);
		expect(whenQuery('..', 0)).toEqual({});
		expect(whenQuery('', 0)).toEqual({});
	});
});

describe('the file', () => {
	it('holds a line each, and nothing that a spreadsheet would run', () => {
		for (const [text, cell] of [
			['=1+1', "'=1+1"],
			['+1', "'+1"],
			['-1', "'-1"],
			['@x', "'@x"],
			['\t=1', '"\'\t=1"'],
			['say "a", b', '"say ""a"", b"'],
			['two\nlines', '"two\nlines"'],
			['plain', 'plain'],
		])
			expect(csvCell(text!)).toBe(cell);
		const lines = csvLines([
			settled({ title: '=cmd|calc', proof: { event: 7, hash: 'ab' } }),
			settled(),
		]).split('\r\n');
		expect(lines).toHaveLength(3);
		expect(lines[0]).toContain(",'=cmd|calc,");
		expect(lines[0]).toMatch(/,7,ab$/);
		expect(csvHead().trim().split(',')).toHaveLength(25);
	});
});
