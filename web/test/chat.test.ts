/* What one sees of a session that Parley runs. */
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { speak } from '../src/lib/i18n.svelte';
import { liveNew } from '../src/lib/live';
import ChatStream from '../src/parts/session/ChatStream.svelte';
import RunTree from '../src/parts/session/RunTree.svelte';
import TaskList from '../src/parts/session/TaskList.svelte';
import UsageBar from '../src/parts/session/UsageBar.svelte';
import { call, message, run, text, waits } from './runs.fixture';

beforeAll(async () => {
	vi.stubGlobal(
		'ResizeObserver',
		class {
			observe() {}
			disconnect() {}
		},
	);
	await speak('en');
});
afterEach(() => cleanup());

const seen = () => document.body.textContent!.replace(/\s+/g, ' ');

test('words, folded reasoning, tool cards and what is being said now', () => {
	const asked = (call: string) => ({
		type: 'tool_call' as const,
		id: 't',
		name: 'shell',
		arguments: {},
		call,
	});
	const live = new Map([['run_01', { ...liveNew(), text: 'And now' }]]);
	render(ChatStream, {
		messages: [
			message(1, 'user', [text('Compare them.')]),
			message(2, 'assistant', [
				{ type: 'thought', text: 'Hm.' },
				text('I **will**.'),
				asked('call_01'),
				asked('call_02'),
			]),
			message(3, 'user', [text('Also Python.')]),
		],
		calls: [
			call(1, { name: 'shell', arguments: { command: 'make' }, status: 'failed', error: 'exit 1' }),
			call(2, { name: 'shell', arguments: { command: 'ls' }, status: 'waiting', result: null }),
		],
		shown: [run(1)],
		runs: [run(1)],
		live,
		asks: new Map(),
	});
	for (const words of ['Compare them.', 'will', 'And now', 'exit 1', 'Waiting for approval'])
		expect(seen()).toContain(words);
	const [thought, failed, waiting] = document.querySelectorAll('details');
	expect([thought!.open, failed!.open, waiting!.open]).toEqual([false, true, false]);
	expect(document.querySelector('.unread')!.textContent).toContain('Also Python.');
});

test('what is being said carries no HTML of its own', () => {
	const live = new Map([['run_01', { ...liveNew(), text: '<img src=x onerror=alert(1)>' }]]);
	render(ChatStream, {
		messages: [],
		calls: [],
		shown: [run(1)],
		runs: [run(1)],
		live,
		asks: new Map(),
	});
	expect(document.querySelector('img')).toBeNull();
	expect(seen()).toContain('<img src=x');
});

test('a tree of agents, with what each does; a press shows what it says', () => {
	const child = (n: number, name: string, more = {}) =>
		run(n, { parent: 'run_01', agent: { id: null, name }, ...more });
	const chosen = vi.fn();
	render(RunTree, {
		runs: [
			run(1, { status: 'waiting', waits_for: [waits('run')] }),
			child(2, 'faiss', { status: 'completed', report: 'recall 0.965\nmore', ended_at: 'x' }),
			child(3, 'pgvector', { progress: { percent: 62, text: 'Rebuilding' } }),
			child(4, 'qdrant', { status: 'waiting', waits_for: [waits('ask')] }),
		],
		live: new Map(),
		chosen: null,
		onchoose: chosen,
	});
	for (const words of [
		'Waiting for 2 sub-agents',
		'recall 0.965',
		'Rebuilding',
		'Waiting for someone',
	])
		expect(seen()).toContain(words);
	expect(screen.getByRole('progressbar').getAttribute('value')).toBe('62');
	screen.getByRole('button', { name: /pgvector/ }).click();
	expect(chosen).toHaveBeenCalledWith('run_03');
});

test('tasks say how far they are, not by looks alone', () => {
	const task = (name: string, status: 'pending' | 'in_progress' | 'completed') => ({
		id: name,
		session: 'ses_01',
		run: 'run_01',
		name,
		description: null,
		status,
		priority: 3,
		created_at: '',
		updated_at: '',
	});
	render(TaskList, { tasks: [task('Read', 'completed'), task('Measure', 'in_progress')] });
	expect(seen()).toMatch(/In progress: Measure.*Completed: Read/);
});

test('the bar: context, tokens, speed, cost; without a price never $0.00', () => {
	const { usage } = run(1);
	const bar = { usage, context: 168_000, contextMax: 200_000, perSecond: 58, paused: false };
	render(UsageBar, { props: { ...bar, cost: 0.42, partial: false, limit: 0.5 } });
	expect(seen()).toContain('58 tok/s');
	expect(seen()).toMatch(/168k.*of 200k.*more than 80% full/);
	expect(seen()).toMatch(/\$0\.42.*of \$0\.50/);
	cleanup();
	render(UsageBar, {
		props: { ...bar, context: 100, paused: true, cost: null, partial: false, limit: null },
	});
	expect(seen()).toContain('paused');
	expect(seen()).toContain('no price');
	expect(seen()).not.toContain('$');
});
