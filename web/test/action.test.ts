import { expect, test } from 'vitest';
import { Refused, Unreachable } from '../src/api/client';
import { Action, problemLines } from '../src/state/action.svelte';

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
	const action = new Action({ words: problemLines, then: () => followed++ });
	expect(await action.run(refused)).toBe(false);
	expect(action.problem.split('\n').at(-1)).toBe('/name: is taken');
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
