/* What the page makes of runs, messages and hints. */
import { describe, expect, test } from 'vitest';
import type { Event } from '../src/api/types';
import { drawerOf, eventWords, withThoughts } from '../src/lib/events';
import { speak } from '../src/lib/i18n.svelte';
import { liveAfter, liveNew, liveSeen, type Live } from '../src/lib/live';
import {
	activeRun,
	callAbout,
	callName,
	childrenOf,
	dotOf,
	ordinal,
	percentOf,
	streamOf,
	tasksInOrder,
	tokensShort,
	treeOf,
	usageSum,
	worked,
} from '../src/lib/runs';
import { call, message, run, text, waits } from './runs.fixture';

describe('the stream', () => {
	const asked = (call: string) => ({
		type: 'tool_call' as const,
		id: 't',
		name: 'memory',
		arguments: {},
		call,
	});
	const messages = [
		message(1, 'user', [text('Compare them.')]),
		message(2, 'assistant', [
			{ type: 'thought', text: 'Read first.' },
			text('I will read.'),
			asked('call_01'),
			asked('call_02'),
		]),
		message(3, 'tool', [{ type: 'tool_result', id: 't', name: 'memory', content: '[]' }]),
		message(4, 'assistant', [asked('call_03')]),
	];
	const calls = [call(2), call(1), call(3, { message: 'msg_04' })];

	test('words, thoughts and calls in their order; calls that follow each other are one group', () => {
		const items = streamOf(messages, calls, [run(1)]);
		expect(items.map((item) => item.kind)).toEqual(['user', 'thought', 'text', 'calls']);
		const group = items[3]!;
		expect(group.kind === 'calls' && group.calls.map((one) => one.id)).toEqual([
			'call_01',
			'call_02',
			'call_03',
		]);
	});

	test("what Parley asked in a user's place is a note, not a message", () => {
		const asks = message(5, 'user', [{ ...text('Go on.'), asked: 'cut' }]);
		const items = streamOf([...messages, asks], calls, [run(1)]);
		expect(items.at(-1)).toMatchObject({ kind: 'asked', why: 'cut' });
	});

	test('what a sub-agent says is not in the stream of the session', () => {
		const said = message(5, 'assistant', [text('mine')], { run: 'run_02' });
		const items = streamOf([...messages, said], calls, [run(1)]);
		expect(JSON.stringify(items)).not.toContain('mine');
		expect(streamOf([said], [], [run(2)])).toHaveLength(1);
	});

	test('a message is unread until a turn follows it, while its run goes on', () => {
		const more = message(5, 'user', [text('Also Python.')]);
		const unread = (list: ReturnType<typeof streamOf>) =>
			list.flatMap((item) => (item.kind === 'user' ? [item.unread] : []));
		expect(unread(streamOf([...messages, more], [], [run(1)]))).toEqual([false, true]);
		const ended = run(1, { status: 'completed' });
		expect(unread(streamOf([...messages, more], [], [ended]))).toEqual([false, false]);
		const next = message(6, 'assistant', [text('Yes.')]);
		expect(unread(streamOf([...messages, more, next], [], [run(1)]))).toEqual([false, false]);
	});
});

describe('the tree', () => {
	const child = (n: number, more = {}) => run(n, { parent: 'run_01', call: 'call_01', ...more });
	const runs = [child(3), run(1, { status: 'waiting' }), child(2), run(4, { status: 'queued' })];

	test('the newest run first, its sub-agents in the order they began', () => {
		expect(
			treeOf(runs).map(({ run, children }) => [run.id, children.map((one) => one.id)]),
		).toEqual([
			['run_04', []],
			['run_01', ['run_02', 'run_03']],
		]);
		expect(activeRun(runs)?.id).toBe('run_04');
		expect(childrenOf(call(1), runs)).toHaveLength(2);
	});

	test('a dot says what it waits for', () => {
		const waiting = (type: 'ask' | 'run') =>
			run(1, { status: 'waiting', waits_for: [waits(type)] });
		expect(dotOf(waiting('ask'))).toBe('person');
		expect(dotOf(waiting('run'))).toBe('children');
		expect(dotOf(run(1, { status: 'failed' }))).toBe('failed');
	});

	test('progress by percent or by steps', () => {
		expect(percentOf(run(1, { progress: { percent: 62 } }))).toBe(62);
		expect(percentOf(run(1, { progress: { step: 5, steps: 11 } }))).toBe(45);
		expect(percentOf(run(1))).toBeNull();
	});

	test('tasks: at work, to do by priority, done', () => {
		const task = (
			id: string,
			status: 'pending' | 'in_progress' | 'completed',
			priority: number,
		) => ({
			id,
			session: 'ses_01',
			run: 'run_01',
			name: id,
			description: null,
			status,
			priority,
			created_at: '',
			updated_at: '',
		});
		const list = [task('a', 'completed', 1), task('b', 'pending', 3), task('c', 'pending', 1)];
		expect(tasksInOrder([...list, task('d', 'in_progress', 5)]).map((one) => one.id)).toEqual([
			'd',
			'c',
			'b',
			'a',
		]);
	});
});

test('figures are short', () => {
	expect([812, 9800, 142_300, 1_240_000].map(tokensShort)).toEqual(['812', '9.8k', '142k', '1.2M']);
	expect([40_000, 151_000, 3_850_000].map(worked)).toEqual(['0:40', '2:31', '1:04:10']);
	expect([1, 2, 3, 4, 11, 22].map(ordinal)).toEqual(['1st', '2nd', '3rd', '4th', '11th', '22nd']);
	expect(usageSum([run(1).usage, run(2).usage]).input).toBe(200);
});

test('a call says in a line what it is about', () => {
	expect(callName(call(1))).toBe('memory/search');
	expect(callAbout(call(1))).toBe('hnsw');
	const asks = call(1, { arguments: { questions: [{ question: 'Was it\nintended?' }] } });
	expect(callAbout(asks)).toBe('Was it intended?');
	expect(callAbout(call(1, { arguments: { n: 1 } }))).toBe('');
});

describe('what a run says before it is a message', () => {
	const hint = (type: string, data: Record<string, unknown> = {}, id?: number) => ({
		type,
		data,
		...(id ? { id } : {}),
	});
	const play = (...hints: ReturnType<typeof hint>[]) =>
		hints.reduce<Live | null>((live, one) => liveAfter(live ?? liveNew(), one, 1000), null);

	test('tokens add up; who joins late gets the turn so far', () => {
		expect(play(hint('run.token', { text: 'Hel' }), hint('run.token', { text: 'lo' }))?.text).toBe(
			'Hello',
		);
		expect(
			play(hint('run.partial', { text: 'So far' }), hint('run.token', { text: ', so' }))?.text,
		).toBe('So far, so');
	});

	test('a retry makes what was shown void', () => {
		const live = play(
			hint('run.token', { text: 'half' }),
			hint('run.retrying', { attempt: 2, why: 'overloaded', in_ms: 4000 }),
		);
		expect([live?.text, live?.retrying?.at]).toEqual(['', 5000]);
		expect(
			play(hint('run.retrying', { in_ms: 1 }), hint('run.token', { text: 'a' }))?.retrying,
		).toBe(null);
	});

	test('its words stay until the message is here, and the next turn begins anew', () => {
		const live = play(
			hint('run.token', { text: 'Done.' }),
			hint('run.message', { role: 'assistant' }, 7),
			hint('run.token', { text: 'Next' }),
		)!;
		expect([live.said, live.text]).toEqual(['Done.', 'Next']);
		expect(liveSeen(live, 6).said).toBe('Done.');
		expect(liveSeen(live, 7).said).toBe('');
		expect(liveAfter(live, hint('run.completed'), 0)?.text).toBe('');
		expect(play(hint('run.progress', { percent: 3 }), hint('run.waiting'))).toBe(null);
	});

	test('speed and progress', () => {
		const live = play(
			hint('run.progress', { percent: 62, text: 'Rebuilding', tokens_per_s: 58 }),
			hint('run.progress', { percent: 63 }),
		);
		expect([live?.percent, live?.doing, live?.perSecond]).toEqual([63, 'Rebuilding', 58]);
	});
});

test('thoughts stand in the activity where they were written', () => {
	const event = (id: number, type: string) =>
		({ id, type, at: `2026-01-01T00:00:0${id}.000Z`, session: 's', data: {} }) as unknown as Event;
	const events = [event(1, 'run.started'), event(3, 'run.tool_finished'), event(4, 'task.created')];
	const list = withThoughts(events, [
		message(2, 'assistant', [{ type: 'thought', text: 'Hm.' }]),
		message(2, 'assistant', [{ type: 'thought', text: 'Oh.' }]),
	]);
	expect(list.map(drawerOf)).toEqual(['agents', 'reasoning', 'reasoning', 'tools', 'tasks']);
	expect(new Set(list.map((one) => one.id)).size).toBe(5);
	expect(list.map((one) => one.data['text']).filter(Boolean)).toEqual(['Hm.', 'Oh.']);
});

test('a line of the feed has what was said', async () => {
	const said = (data: object) =>
		eventWords({ id: 1, type: 'run.message', at: '', session: 's', data } as unknown as Event);
	await speak('fr');
	expect(said({ role: 'assistant', text: 'Bonjour <b>' })).toBe('L’agent a dit\u00a0: Bonjour <b>');
	expect(said({ role: 'user', text: 'Encore' })).toBe('Message\u00a0: Encore');
	expect(said({ role: 'assistant' })).toBe('L’agent a dit');
	await speak('en');
	expect(said({ role: 'assistant', text: 'Hello.' })).toBe('Agent said: Hello.');
});
