/* What the page makes of runs, messages and hints. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Message } from '../src/api/runs';
import type { Event } from '../src/api/types';
import { drawerOf, eventWords, withThoughts } from '../src/lib/events';
import { speak } from '../src/lib/i18n.svelte';
import { liveAfter, liveNew, liveSeen, type Live } from '../src/lib/live';
import {
	activeRun,
	callAbout,
	childrenOf,
	dotOf,
	ordinal,
	percentOf,
	tasksInOrder,
	tokensShort,
	treeOf,
	usageSum,
	worked,
	workedAll,
	workedWords,
} from '../src/lib/runs';
import { streamOf } from '../src/lib/stream';
import { blocksOf, turnsOf } from '../src/lib/turns';
import { turnLine } from '../src/lib/turnWords';
import { ask } from './fixtures';
import { call, message, run, text, waits } from './runs.fixture';

afterAll(() => speak('en'));

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

	const stream = (list: Message[], runs = [run(1)], more = {}) =>
		streamOf({ messages: list, calls, shown: runs, runs, asks: [], ...more });

	test('words, thoughts and calls in their order; calls that follow each other are one group', () => {
		const items = stream(messages);
		expect(items.map((item) => item.kind)).toEqual(['user', 'thought', 'text', 'lines']);
		const group = items[3]!;
		expect(group.kind === 'lines' && group.lines.map((one) => one.key)).toEqual([
			'call_01',
			'call_02',
			'call_03',
		]);
	});

	test("what Parley asked in a user's place is a note, not a message", () => {
		const asks = message(5, 'user', [{ ...text('Go on.'), asked: 'cut' }]);
		const items = stream([...messages, asks]);
		expect(items.at(-1)).toMatchObject({ kind: 'asked', why: 'cut' });
	});

	test('what a sub-agent says is not in the stream of the session', () => {
		const said = message(5, 'assistant', [text('mine')], { run: 'run_02' });
		expect(JSON.stringify(stream([...messages, said]))).not.toContain('mine');
		expect(stream([said], [run(2)])).toHaveLength(1);
	});

	test('a message is unread until a turn follows it, while its run goes on', () => {
		const more = message(5, 'user', [text('Also Python.')]);
		const unread = (list: ReturnType<typeof streamOf>) =>
			list.flatMap((item) => (item.kind === 'user' ? [item.unread] : []));
		expect(unread(stream([...messages, more]))).toEqual([false, true]);
		const ended = run(1, { status: 'completed' });
		expect(unread(stream([...messages, more], [ended]))).toEqual([false, false]);
		const next = message(6, 'assistant', [text('Yes.')]);
		expect(unread(stream([...messages, more, next]))).toEqual([false, false]);
	});

	test('an open ask is behind the stream, a settled one a line at once', () => {
		const made = { calls: [call(1, { ask: 'ask_1', status: 'waiting' })] };
		const one = [message(2, 'assistant', [asked('call_01')])];
		const open = ask({ id: 'ask_1', run: 'run_01' });
		expect(stream(one, [run(1)], { ...made, asks: [open] })).toEqual([]);
		const asks = [{ ...open, status: 'answered' as const }];
		expect(stream(one, [run(1)], { ...made, asks }).map((item) => item.kind)).toEqual(['lines']);
	});

	test('an agent outside: what it said of its progress, and what it asked, by time', () => {
		const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`;
		const event = (id: number) =>
			({ id, type: 'session.progress', at: at(id), data: {} }) as unknown as Event;
		const settled = ask({ id: 'ask_1', created_at: at(3), status: 'answered' });
		const items = streamOf({
			messages: [],
			calls: [],
			shown: [],
			runs: [],
			asks: [settled],
			events: [event(1), event(2), event(4)],
		});
		expect(items.map((item) => item.kind)).toEqual(['progress', 'lines', 'progress']);
	});

	test('that another model took over stands where it did', () => {
		const data = { from: 'one/m1', to: 'two/m2', why: 'overloaded' };
		const event = { id: 9, type: 'run.model', at: '2026-01-01T00:00:09.000Z', run: 'run_01', data };
		const last = stream(messages, [run(1)], { events: [event as unknown as Event] }).at(-1);
		expect(last).toMatchObject({ kind: 'model', ...data });
	});

	test('what was being said when it was stopped stays behind what was kept', () => {
		const ended = run(1, { status: 'cancelled', ended_at: '2026-01-01T00:00:09.000Z' });
		const lost = new Map([['run_01', 'Half a sen']]);
		const last = stream(messages, [ended], { lost }).at(-1);
		expect(last?.kind === 'lost' && last.text).toBe('Half a sen');
	});

	test('early turns are one line, which opens', () => {
		const turns = [1, 2, 3, 4, 5, 6].map((n) => message(n, 'assistant', [text(`Turn ${n}.`)]));
		const [fold, ...rest] = stream(turns);
		expect([fold!.kind, rest.length]).toEqual(['fold', 3]);
		const given = { messages: turns, calls: [], shown: [run(1)], runs: [run(1)], asks: [] };
		expect(streamOf(given, new Set([fold!.key]))).toHaveLength(6);
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
	expect([40_000, 260_000, 120_000, 3_850_000].map(workedWords)).toEqual([
		'40\u00a0s',
		'4\u00a0min 20\u00a0s',
		'2\u00a0min',
		'1\u00a0h 4\u00a0min',
	]);
	expect([1, 2, 3, 4, 11, 22].map(ordinal)).toEqual(['1st', '2nd', '3rd', '4th', '11th', '22nd']);
	expect(usageSum([run(1).usage, run(2).usage]).input).toBe(200);
});

test('the clock of what works goes on, that of sub-agents beside each other once', () => {
	const now = Date.parse('2026-01-01T00:00:11.000Z');
	const works = run(1, { duration_ms: 5000 });
	expect(workedAll([works], [], now)).toBe(15_000);
	const waiting = run(1, { duration_ms: 5000, status: 'waiting' });
	const child = (n: number, duration_ms: number) =>
		run(n, { parent: 'run_01', duration_ms, status: 'completed' });
	expect(workedAll([waiting, child(2, 3000), child(3, 7000)], [], now)).toBe(12_000);
});

test('a call says in a line what it is about', () => {
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

	test('tokens and speed are estimated until they are counted', () => {
		const say = (now: number) => (live: Live) =>
			liveAfter(live, hint('run.token', { text: 'word '.repeat(8) }), now)!;
		const live = say(3000)(say(1000)(liveNew()));
		expect([live.tokens, live.perSecond]).toEqual([20, 10]);
		const told = liveAfter(live, hint('run.progress', { tokens: 30, cost_usd: 0.01 }), 3000);
		expect([told?.tokens, told?.cost]).toEqual([30, 0.01]);
	});

	test('what it was saying when it was stopped is not thrown away', () => {
		const live = play(hint('run.token', { text: 'Half' }), hint('run.cancelled'));
		expect([live?.text, live?.lost]).toEqual(['', 'Half']);
		expect(play(hint('run.progress', { percent: 3 }), hint('run.cancelled'))).toBe(null);
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

describe('activity by turn', () => {
	const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`;
	const event = (id: number, type: string, more: object = {}) =>
		({ id, type, at: at(id), session: 's', data: {}, ...more }) as unknown as Event;
	const settled = ask({
		id: 'ask_1',
		kind: 'blocking',
		created_at: at(2),
		settled_at: at(5),
		status: 'answered',
		answer: { q1: { value: true } },
		answered_by: { kind: 'human', user: 'u', name: 'Ben', via: 'web' },
	});
	const events = [
		event(1, 'session.created', { data: { title: 'x' } }),
		event(2, 'ask.created', { ask: 'ask_1', run: 'r', data: { title: 'Go on?' } }),
		event(3, 'run.message', { at: at(2), run: 'r', data: { role: 'assistant' } }),
		event(4, 'session.status', { data: { status: 'running' } }),
		event(5, 'ask.answered', { ask: 'ask_1' }),
		event(6, 'run.message', { run: 'r', data: { role: 'assistant', text: 'Done.' } }),
		event(7, 'rule.made', { session: null }),
	];
	const known = {
		ask: () => settled,
		agent: () => 'researcher',
		isMe: () => false,
		userName: (id: string) => id,
	};

	test('one line a turn, by session, the last change first', async () => {
		await speak('en');
		const turns = turnsOf(events);
		expect(turns.map((turn) => turn.events.map((one) => one.id))).toEqual([
			[1],
			[2, 3, 5],
			[6],
			[7],
		]);
		expect(blocksOf(turns).map((block) => [block.session, block.turns.length])).toEqual([
			[null, 1],
			['s', 3],
		]);
	});

	test('it says who asked what, who answered and what', () => {
		const line = turnLine(turnsOf(events)[1]!, known);
		expect([line.who, line.what]).toEqual(['researcher', 'asked:']);
		expect(line.then).toBe('Ben answered “Yes” after 3\u00a0s');
	});
});
