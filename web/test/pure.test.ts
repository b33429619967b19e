import { describe, expect, test } from 'vitest';
import { diffLines, diffPairs, diffTally } from '../src/lib/diff';
import { lineDiff } from '../src/lib/lineDiff';
import { bundleFlaw, bundleLeft, bundleOf, numberIn } from '../src/lib/mandate';
import { isSafe, markdown, misleads, type Inline } from '../src/lib/markdown';
import { argumentsOf, commandOf, edit } from '../src/lib/operation';
import { agentOf, byAttention, fold, likeness, sameForm, sessionTitle } from '../src/lib/order';
import { routeOf } from '../src/lib/router.svelte';
import { moment, past, span } from '../src/lib/time';
import { codePoints, visible } from '../src/lib/visible';
import { fetchedWords } from '../src/lib/words';
import { ask, question } from './fixtures';

describe('what one cannot see is named', () => {
	test.each([
		['a\u202eb', 'aU+202Eb'],
		['a\u200bb', 'aU+200Bb'],
		['\u001b[31m', '^[[31m'],
		['a\u0000', 'a^@'],
		['\u{e0041}', 'U+E0041'],
		['a\u0085', 'aU+0085'],
		['tab\tline\nend', 'tab\tline\nend'],
		['line\r\nend', 'line\r\nend'],
		['over\rwritten', 'over^Mwritten'],
		['👨‍👩‍👧', '👨‍👩‍👧'],
		['a\u200db', 'aU+200Db'],
		['❤️', '❤️'],
		['\u3164', 'U+3164'],
	])('%j', (text, expected) => expect(visible(text)).toBe(expected));
	test('lengths are code points', () => expect(codePoints('a😀')).toBe(2));
});

test('what has no answer never says that one was saved', () => {
	for (const status of ['pending', 'skipped', 'expired', 'cancelled'] as const) {
		expect(fetchedWords(ask({ status }))).toBe('');
	}
	const answer = { q1: { value: true } };
	expect(fetchedWords(ask({ status: 'answered', answer }))).toContain('saved');
	expect(fetchedWords(ask({ status: 'expired', answer }))).toContain('saved');
});

test('a moment: short today, with its year on paper', () => {
	const now = new Date().toISOString();
	expect(moment(now)).toMatch(/^\d\d:\d\d$/);
	expect(moment(now, true)).toContain(String(new Date().getFullYear()));
	expect(moment('2020-02-03T10:00:00.000Z')).not.toContain('2020');
});

test('nothing was "now ago"', () => {
	expect(past(0)).toBe(span(1000));
	expect(past(0)).not.toBe(span(0));
});

test('settings have parts, and only those', () => {
	expect(routeOf('/settings/deliveries')).toEqual({ screen: 'settings', part: 'deliveries' });
	expect(routeOf('/settings')).toEqual({ screen: 'settings', part: null });
	expect(routeOf('/settings/you')).toEqual({ screen: 'settings', part: 'you' });
});

describe('the order of attention', () => {
	const now = Date.parse('2026-01-01T01:00:00Z');
	const at = (id: string, more: object) => ask({ id, ...more });
	test('a deadline within five minutes, then risk, then age', () => {
		const op = (risk: 'critical' | 'low') => ({ operation: { name: 'x', risk } });
		const list = [
			at('young', { created_at: '2026-01-01T00:30:00.000Z' }),
			at('old', { created_at: '2026-01-01T00:10:00.000Z' }),
			at('critical', op('critical')),
			at('soon', { expires_at: '2026-01-01T01:04:00.000Z' }),
			at('later', { expires_at: '2026-01-01T02:00:00.000Z' }),
			at('sooner', { expires_at: '2026-01-01T01:01:00.000Z' }),
		];
		expect(byAttention(list, now).map((a) => a.id)).toEqual([
			'sooner',
			'soon',
			'critical',
			'later',
			'old',
			'young',
		]);
	});
	test('who asks: the agent, its program and who runs that', () => {
		const [program, machine_user] = ['Claude Code', 'ada'];
		expect(agentOf(ask({}))).toBe('deployer');
		expect(agentOf(ask({ program, machine_user }))).toBe('deployer · Claude Code (ada)');
		const agent = { id: 'agt_1', name: program };
		expect(agentOf(ask({ agent, program, machine_user }))).toBe('Claude Code (ada)');
	});
	test('a session that is called as its only ask is not named twice', () => {
		expect(sessionTitle(ask({ title: 'Deploy?' }))).toBe('release');
		expect(sessionTitle(ask({ title: 'release' }))).toBeNull();
		expect(sessionTitle(ask({ session_title: 'Which?' }))).toBeNull();
		expect(sessionTitle(ask({ session_title: null }))).toBeNull();
	});
	test('three alike fold to one row; two do not', () => {
		const alike = (n: number) => ask({ id: `a${n}`, title: `Label ticket ${n}` });
		expect(fold([alike(1), alike(2)], new Set())).toHaveLength(2);
		const rows = fold([alike(1), ask({ id: 'z', title: 'Other' }), alike(2), alike(3)], new Set());
		expect(rows.map((row) => [row.ask.id, row.similar])).toEqual([
			['a1', 2],
			['z', 0],
		]);
		expect(fold([alike(1), alike(2), alike(3)], new Set([likeness(alike(1))]))).toHaveLength(3);
	});
	test('one answer fits all only when all ask the same', () => {
		expect(sameForm([ask(), ask({ id: 'b' })])).toBe(true);
		expect(sameForm([ask(), ask({ questions: [question({ type: 'boolean' })] })])).toBe(false);
		expect(sameForm([])).toBe(false);
	});
});

describe('a unified diff', () => {
	const diff = '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n';
	test('has kinds, numbers and a tally', () => {
		const lines = diffLines(diff);
		expect(lines.map((line) => line.kind)).toEqual([
			'file',
			'file',
			'hunk',
			'same',
			'del',
			'add',
			'same',
		]);
		expect(lines.at(-1)).toMatchObject({ old: 3, new: 3 });
		expect(diffTally(lines)).toEqual({ added: 1, removed: 1, files: 1 });
	});
	test('side by side puts what went beside what came', () => {
		const pairs = diffPairs(diffLines(diff));
		expect(pairs.find((pair) => pair.left?.kind === 'del')?.right?.text).toBe('zwei');
	});
	test('two texts are compared line by line, whatever a line begins with', () => {
		const lines = lineDiff('one\n-- two\nthree', 'one\n++ zwei\nthree\nfour');
		expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
			'same one',
			'del -- two',
			'add ++ zwei',
			'same three',
			'add four',
		]);
		expect(lines.at(-1)).toMatchObject({ old: null, new: 4 });
	});
	test('what is no diff stays as it is', () => {
		expect(diffLines('hello')).toEqual([{ kind: 'same', text: 'hello', old: null, new: null }]);
	});
});

describe('markdown is a tree, never HTML', () => {
	test('HTML stays text', () => {
		expect(JSON.stringify(markdown('<img src=x onerror=alert(1)> **b**'))).toContain(
			'<img src=x onerror',
		);
		expect(markdown('<script>alert(1)</script>')[0]?.kind).toBe('p');
	});
	test('links that run something are no links', () => {
		expect(isSafe('javascript:alert(1)')).toBe(false);
		expect(isSafe('data:text/html,x')).toBe(false);
		expect(isSafe(' https://example.org')).toBe(true);
	});
	const good = 'https://good.example';
	const evil = 'https://evil.example/phish';
	test.each([
		[good, evil],
		['good.example', evil],
		['www.good.example', evil],
		['GOOD.example/path?x', evil],
		['go to https://good.example now', evil],
		['(https://good.example)', evil],
		[`${good}`, 'https://good.example@evil.example/'],
		[`${good}`, 'https://good.example.evil.example/'],
		[`${good}`, 'https://gооd.example/'],
		['gооd.example', good],
		['good。example', evil],
		['https:\\\\good.example', evil],
		['https:///good.example', evil],
		['ftp://good.example', evil],
		['ann@good.example https://good.example', evil],
		['https://good.example', 'mailto:ann@evil.example'],
	])('%s leading to %s is no link by its words', (words, href) =>
		expect(misleads(words, href)).toBe(true),
	);
	test.each([
		['the page', evil],
		['good.example', good],
		['https://GOOD.example/a', `${good}/b`],
		['see www.good.example', 'https://www.good.example/'],
		['version 2.0 is out', evil],
		['write to Ann', 'mailto:ann@evil.example'],
	])('%s leading to %s is an ordinary link', (words, href) =>
		expect(misleads(words, href)).toBe(false),
	);
	test('marks within the words do not hide an address', () => {
		const [block] = markdown(`[https://**good**.example](${evil}) [words](${evil})`);
		const links = (block as { inside: Inline[] }).inside.filter((part) => part.kind === 'link');
		expect(links.map(({ misleads: wrong }) => wrong)).toEqual([true, false]);
	});
	test('lists, code, tables', () => {
		const kinds = markdown('- a\n- b\n\n```\nx\n```\n\n|a|\n|-|\n|b|').map((block) => block.kind);
		expect(kinds).toEqual(['list', 'code', 'table']);
	});
	test('deep nesting and noise do not break it', () => {
		expect(() => markdown('>'.repeat(5000))).not.toThrow();
		expect(() => markdown('['.repeat(3000))).not.toThrow();
	});
});

describe('an operation', () => {
	const operation = { name: 'shell', arguments: { command: 'ls', depth: 2, env: { A: '1' } } };
	test('its command stands alone', () => {
		expect(commandOf(argumentsOf(operation)!)?.text).toBe('ls');
	});
	test('edited arguments keep their types and say what changed', () => {
		expect(edit(operation, { command: 'ls -l', depth: '3' })).toEqual({
			arguments: { command: 'ls -l', depth: 3, env: { A: '1' } },
			changed: ['command', 'depth'],
			broken: [],
		});
		expect(edit(operation, { depth: '{' }).broken).toEqual(['depth']);
		expect(edit(operation, {}).changed).toEqual([]);
	});
	test('what is no object has no rows', () => {
		expect(argumentsOf({ name: 'x', arguments: [1] })).toBeNull();
		expect(argumentsOf({ name: 'x' })).toEqual([]);
	});
});

test.each([
	['/', { screen: 'inbox', ask: null }],
	['/asks/ask_1', { screen: 'inbox', ask: 'ask_1' }],
	['/sessions/', { screen: 'sessions' }],
	['/sessions/s', { screen: 'session', id: 's' }],
	['/settings/users', { screen: 'settings', part: 'users' }],
	['/settings/what', { screen: 'lost' }],
	['/rules', { screen: 'rules' }],
	['/rules/what', { screen: 'lost' }],
	['/a/b/c', { screen: 'lost' }],
])('%s leads to %j', (path, place) => expect(routeOf(path)).toEqual(place));

describe('an approval in advance only gets smaller', () => {
	const lines = [
		{ key: 'a', tool: ['x'], uses: 20 },
		{ key: 'b', tool: ['y'], uses: 5, sum: { pointer: '/n', max: 500 } },
	];
	const until = '2026-11-18T17:30:00.000Z';
	const asked = bundleOf({ type: 'mandate', name: 'mandate', arguments: { lines, until } })!;
	const flaw = (given: unknown) =>
		bundleFlaw(asked, bundleLeft(asked, { lines: JSON.stringify(given) }));
	test('fewer lines and lower numbers', () => {
		expect(bundleFlaw(asked, bundleLeft(asked, {}))).toBeNull();
		expect(flaw([{ ...lines[1], uses: 1, sum: { pointer: '/n', max: 0.1 } }])).toBeNull();
	});
	test.each([
		[[], 'none'],
		[[{ ...lines[0], uses: 21 }], 'number'],
		[[{ ...lines[0], uses: 0 }], 'number'],
		[[{ ...lines[0], uses: '' }], 'number'],
		[[{ ...lines[0], uses: 1.5 }], 'number'],
		[[{ ...lines[1], sum: { pointer: '/n', max: 500.01 } }], 'number'],
	])('%j', (given, expected) => expect(flaw(given)).toBe(expected));
	test('numbers as people write them', () => {
		expect(['12', ' 0,5', '1.0000001', 'many', '1e3'].map(numberIn)).toEqual([
			12,
			0.5,
			'1.0000001',
			'many',
			'1e3',
		]);
	});
});
