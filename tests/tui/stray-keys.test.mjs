// Stray keys: whatever is pressed while asks arrive, are withdrawn and expire, nothing is approved, answered or
// skipped but by its own key, pressed last, on its own card.
//
// A sequence is a random event, random keys and one that may decide. A key that may decide (a, Enter, y) is pressed only
// in a way the test can follow: the screen is read before and after it, and what the server says must agree:
// - an ask may become settled by the terminal only right after a deciding key, and then it is the one whose card was
//   open on the screen before that key;
// - every other key, in any number, settles nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../lib/random.mjs';
import { long, sleep, useTerminals } from './lib.mjs';

/* Sequences: an event and some keys, then one that may decide. A few of them share a terminal. */
const SEQUENCES = Number(process.env.PARLEY_STRAY ?? (long ? 10_000 : 48));
const STEPS = 8;
const server = await useTerminals();
// The short run plays the same sequences each time; the long one others.
const seed = Number(process.env.PARLEY_SEED ?? (long ? Date.now() % 1e9 : 7));
const below = random(seed);
const pick = (list) => list[below(list.length)];

const moves = ['Up', 'Down', 'Left', 'Right', 'Space', '1', '2', '3', 'n', 's', 'r', 't', 'c', 'BSpace', 'PPage', 'NPage', 'M-a', 'M-y', 'M-y', 'Escape'];
const strays = ['j', 'k', 'x', 'v', 'e', 'b', 'm', 'p', 'f', 'g', 'i', 'z', 'Tab', 'BTab', 'Home', 'End', 'C-l', '?', '/', 'G', 'P', 'S'];
const harmless = () => pick(below(4) ? moves : strays);
const deciding = ['a', 'Enter', 'y'];
const kinds = [
	(n) => ({ title: `stray ${n}`, question: `Really ${n}?`, type: 'boolean' }),
	(n) => ({ title: `stray ${n}`, kind: 'approval', operation: { type: 'tool', name: 'shell', arguments: { cmd: `make ${n}` }, risk: pick(['low', 'high', 'critical']) } }),
	(n) => ({ title: `stray ${n}`, questions: [{ key: 'e', text: 'Where?', type: 'choice', other: true, options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }] }] }),
	(n) => ({ title: `stray ${n}`, question: `Which ${n}?`, type: 'text' }),
];
let count = 0;
const open = new Map();

/** Asks of this round that the terminal has settled since the last look. */
async function settledHere() {
	const found = [];
	for (const [id, title] of open) {
		const { body } = await server.member.get(`/v1/asks/${id}`);
		if (body.status === 'pending') continue;
		open.delete(id);
		if (body.answered_by?.via === 'terminal') found.push({ title, status: body.status });
	}
	return found;
}

async function happens() {
	const what = below(4);
	const [id] = open.size ? [pick([...open.keys()])] : [];
	if (what <= 1 || !id) {
		const n = ++count;
		const ask = await server.agent.ask({ ...pick(kinds)(n), ...(below(4) === 0 ? { timeout: 1 } : {}) });
		open.set(ask.id, `stray ${n}`);
	} else if (what === 2) {
		await server.agent.post(`/v1/asks/${id}/cancel`);
	} else {
		await server.member.post(`/v1/asks/${id}/skip`);
	}
}

/** The screen's part with the open card: right of the bar on a wide one; a narrow list has none. */
function card(screen) {
	const lines = screen.split('\n');
	if (lines.some((line) => line.includes(' │ '))) return lines.map((line) => line.split('│').slice(1).join('│')).join('\n');
	return screen.includes('────') ? screen : '';
}
/** May this key have settled the ask, given what the screen showed before it? */
function mayHave(key, title, status, screen) {
	const seen = card(screen);
	if (!seen.includes(title)) return false;
	if (key === 'y') return status === 'skipped' && seen.includes('Skip? y/N');
	return status === 'answered' && /▸ /.test(seen);
}

/** Goes on until a card is open, by keys that decide nothing where they are pressed. */
async function toCard(inbox) {
	for (let i = 0; i < 6; i++) {
		const screen = inbox.screen();
		if (/▸ (\(|\[)/.test(card(screen))) return;
		const list = screen.includes('Enter open') && screen.includes('[Inbox]');
		if (list && !screen.includes('stray')) return;
		inbox.press(list ? 'Enter' : 'Escape');
		await sleep(120);
	}
}

test(`${SEQUENCES} sequences of stray keys decide nothing by accident (PARLEY_SEED=${seed})`, async (t) => {
	const pressed = [];
	let decided = 0;
	for (let round = 0; round < SEQUENCES / STEPS; round++) {
		const inbox = await server.inbox({ columns: pick([80, 120]), flags: pick([[], ['--no-open']]) });
		for (let step = 0; step < STEPS; step++) {
			await happens();
			if (below(4)) {
				await toCard(inbox);
				await sleep(below(2) * 650);
				assert.deepEqual(await settledHere(), [], 'opening a card settled something');
			}
			const keys = Array.from({ length: below(5) }, harmless);
			if (keys.length) inbox.press(...keys);
			pressed.push(...keys);
			await sleep(below(3) * 60);
			assert.deepEqual(await settledHere(), [], `${pressed.slice(-12).join(' ')} settled something`);
			if (below(2)) await sleep(650);
			const before = inbox.screen();
			const key = pick(deciding);
			inbox.press(key);
			pressed.push(key);
			await sleep(150);
			const settled = await settledHere();
			decided += settled.length;
			assert.ok(settled.length <= 1, `${key} settled ${JSON.stringify(settled)}`);
			for (const { title, status } of settled)
				assert.ok(mayHave(key, title, status, before),
					`${pressed.slice(-12).join(' ')} made ${title} ${status}; before it the screen had:\n${before}`);
		}
		inbox.close();
		for (const id of open.keys()) await server.member.post(`/v1/asks/${id}/skip`);
		open.clear();
	}
	t.diagnostic(`${decided} decided on purpose`);
	if (SEQUENCES >= 1000) assert.ok(decided > 0, 'keys that decide never did');
});
