import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Event, EventType } from '../src/api/types';
import { eventWords } from '../src/lib/events';
import { speak } from '../src/lib/i18n.svelte';
import { wakingIn, wakingOfAsk, wakingOfSession } from '../src/lib/waking';

afterAll(() => speak('en'));

let id = 0;
const event = (type: EventType, data: object = {}, ask = 'ask_1'): Event => ({
	id: ++id,
	type,
	at: '2026-01-01T00:00:00.000Z',
	session: 'ses_1',
	ask,
	data: data as Event['data'],
});
const going = () => event('session.resuming', { delivery: 'dlv_1', resumer: 'claude' });
const ended = (more: object = {}, ask?: string) =>
	event(
		'session.resumed',
		{
			delivery: 'dlv_1',
			resumer: 'claude',
			exit: 0,
			signal: null,
			error: null,
			output: '',
			...more,
		},
		ask,
	);
const broken = (ask?: string) => ended({ exit: 3, error: 'exit status 3', output: 'no' }, ask);

beforeAll(() => speak('fr'));

test('what an event says of it', () => {
	expect(wakingIn(event('ask.answered'))).toBeNull();
	expect(wakingIn(going())?.state).toBe('going');
	expect(wakingIn(ended())?.state).toBe('woken');
	expect(wakingIn(broken())).toEqual({
		state: 'failed',
		delivery: 'dlv_1',
		resumer: 'claude',
		error: 'code de retour 3',
		output: 'no',
	});
	expect(wakingIn(ended({ exit: null, signal: 9, error: 'x' }))?.error).toMatch(/9/);
	expect(wakingIn(ended({ exit: null, error: 'interrupted' }))?.error).toBe('interrupted');
});

test('the feed does not say that it went well when it did not', () => {
	expect(eventWords(broken())).toMatch(/code de retour 3/);
	expect(eventWords(ended())).not.toMatch(/retour/);
});

test('of an ask, the last counts', () => {
	expect(wakingOfAsk([], 'ask_1')).toBeNull();
	expect(wakingOfAsk([going(), broken(), going(), ended()], 'ask_1')?.state).toBe('woken');
	expect(wakingOfAsk([broken(), ended({}, 'ask_2')], 'ask_1')?.state).toBe('failed');
});

test('a session whose agent was heard of since is awake', () => {
	expect(wakingOfSession([event('ask.answered')])).toBeNull();
	expect(wakingOfSession([going(), broken(), event('session.status')])?.state).toBe('failed');
	expect(wakingOfSession([broken(), event('session.progress')])).toBeNull();
	expect(wakingOfSession([broken(), event('ask.created', {}, 'ask_2')])).toBeNull();
});
