/* What one sees of a session that Parley runs. */
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { speak } from '../src/lib/i18n.svelte';
import { liveNew } from '../src/lib/live';
import RunTree from '../src/parts/session/RunTree.svelte';
import SessionStream from '../src/parts/session/SessionStream.svelte';
import TaskList from '../src/parts/session/TaskList.svelte';
import UsageBar from '../src/parts/session/UsageBar.svelte';
import { ask } from './fixtures';
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
	const approved = ask({
		id: 'ask_2',
		kind: 'approval',
		status: 'answered',
		answer: { decision: { value: 'approve' } },
		answered_by: { kind: 'human', user: 'usr_1', name: 'Ben', via: 'web' },
	});
	render(SessionStream, {
		streamed: {
			messages: [
				message(1, 'user', [text('Compare them.')]),
				message(2, 'assistant', [
					{ type: 'thought', text: 'Hm.' },
					text('I **will**.'),
					asked('call_01'),
					asked('call_02'),
					asked('call_03'),
				]),
				message(3, 'user', [text('Also Python.')]),
			],
			calls: [
				call(1, {
					name: 'shell',
					arguments: { command: 'make' },
					status: 'failed',
					error: 'exit 1',
				}),
				call(2, { name: 'parallel_tasks', title: 'Start 3 sub-agents', ask: 'ask_2' }),
				call(3, { name: 'shell', status: 'waiting', ask: 'ask_3' }),
			],
			shown: [run(1)],
			runs: [run(1)],
			asks: [approved, ask({ id: 'ask_3' })],
		},
		live,
		asks: new Map([['ask_2', approved]]),
	});
	for (const words of ['Compare them.', 'will', 'And now', 'Failed', 'Approved by Ben'])
		expect(seen()).toContain(words);
	const [thought, failed, started, ...none] = document.querySelectorAll('details');
	expect([thought!.open, failed!.open, started!.open, none]).toEqual([false, false, false, []]);
	expect(started!.textContent).toContain('Start 3 sub-agents');
	expect(seen()).not.toContain('parallel_tasks');
	expect(document.querySelector('.unread')!.textContent).toContain('Also Python.');
});

test('what is being said carries no HTML of its own', () => {
	const live = new Map([['run_01', { ...liveNew(), text: '<img src=x onerror=alert(1)>' }]]);
	render(SessionStream, {
		streamed: { messages: [], calls: [], shown: [run(1)], runs: [run(1)], asks: [] },
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
		props: {
			runs: [
				run(1, { status: 'waiting', waits_for: [waits('run')] }),
				child(2, 'faiss', { status: 'completed', report: 'recall 0.965\nmore', ended_at: 'x' }),
				child(3, 'pgvector', { progress: { percent: 62, text: 'Rebuilding' } }),
				child(4, 'qdrant', { status: 'waiting', waits_for: [waits('ask')] }),
			],
			calls: [call(1, { run: 'run_03', title: 'Add a note: m = 32' })],
			events: [],
			live: new Map([['run_03', { ...liveNew(), text: 'First.\nRebuilding', cost: 0.02 }]]),
			chosen: null,
			onchoose: chosen,
		},
	});
	for (const words of [
		'Waiting for 2 sub-agents',
		'recall 0.965',
		'Rebuilding',
		'Waiting for you: 1 ask',
		'$0.20',
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
	cleanup();
	render(UsageBar, {
		props: { ...bar, context: 100, cost: null, soon: true, partial: false, limit: null },
	});
	expect(seen()).toContain('known when the first turn ends');
});
