import { expect, test, vi } from 'vitest';
import { call, Refused, Unreachable } from '../src/api/client';
import { Action, problemOf } from '../src/state/action.svelte';

const refused = () => {
	const errors = [{ pointer: '/name', detail: 'is taken' }];
	throw new Refused(422, { detail: 'no', errors } as never);
};

test('a second press is ignored while the first is under way, and taken after it', async () => {
	const action = new Action();
	let done = () => {};
	let count = 0;
	const slow = () => (count++, new Promise<void>((resolve) => (done = resolve)));
	const first = action.press(slow);
	expect(await action.press(slow)).toBe(false);
	expect([count, action.busy]).toEqual([1, true]);
	done();
	expect(await first).toBe(true);
	expect(action.busy).toBe(false);
	expect(await action.press(() => count++)).toBe(true);
	expect(count).toBe(2);
});

test('runs are not ignored, and it is busy until the last has ended', async () => {
	const action = new Action();
	const ends: (() => void)[] = [];
	const slow = () => new Promise<void>((resolve) => ends.push(resolve));
	const runs = [action.run(slow), action.run(slow)];
	expect(ends.length).toBe(2);
	ends[0]!();
	await runs[0];
	expect(action.busy).toBe(true);
	ends[1]!();
	await runs[1];
	expect(action.busy).toBe(false);
});

test('what went wrong is said, and nothing follows it', async () => {
	let followed = 0;
	const action = new Action({ then: () => followed++ });
	expect(await action.run(refused)).toBe(false);
	expect(action.problem).toBe('No. Is taken.');
	expect([followed, action.busy]).toEqual([0, false]);
	expect(await action.run()).toBe(true);
	expect([followed, action.problem]).toEqual([1, '']);
});

test('what was wrong with reading stands there until it goes well', async () => {
	const action = new Action();
	await action.read(() => Promise.reject(new Unreachable('/v1/rules')));
	const { problem } = action;
	expect(problem).not.toBe('');
	const again = action.read(() => Promise.resolve());
	expect(action.problem).toBe(problem);
	await again;
	expect(action.problem).toBe('');
});

test('what is wrong in a field is said beside it and nowhere else', async () => {
	const action = new Action({ fields: ['/name'] });
	await action.run(refused);
	expect([action.flaws, action.problem]).toEqual([{ '/name': 'Is taken.' }, '']);
	await action.run();
	expect(action.flaws).toEqual({});
	const other = new Action({ fields: ['/role'] });
	await other.run(refused);
	expect([other.flaws, other.problem]).toEqual([{}, 'No. Is taken.']);
});

const replied = async (status: number, body: string) => {
	vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })));
	const error: unknown = await call('GET', '/v1/channels').catch((thrown: unknown) => thrown);
	vi.unstubAllGlobals();
	return error;
};

test('a connection is called lost only if it is', async () => {
	const problem = (type: string) => JSON.stringify({ type: `/problems/${type}`, detail: 'no' });
	expect(await replied(503, problem('channel-off'))).toBeInstanceOf(Refused);
	expect(problemOf(await replied(503, problem('channel-off')))).toBe('No.');
	for (const passing of ['unavailable', 'outcome-unknown'])
		expect(await replied(503, problem(passing))).toBeInstanceOf(Unreachable);
	for (const status of [502, 503, 504])
		expect(await replied(status, '{}')).toBeInstanceOf(Unreachable);
	expect(await replied(503, '<html>')).toBeInstanceOf(Unreachable);
	expect(problemOf(new TypeError('x is undefined'))).not.toBe(problemOf(new Unreachable('/v1')));
});
