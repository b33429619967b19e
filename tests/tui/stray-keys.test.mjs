// Stray keys: whatever is pressed while asks arrive, are withdrawn, settled elsewhere and expire, nothing is approved,
// answered, skipped or stopped but by its own key, pressed last, on its own card.
//
// A sequence is a random event, random keys and one that may decide. A key that may decide (a, Enter, y) is pressed only
// in a way the test can follow: the screen is read before it, and what the server says after it must agree:
// - an ask is settled by the terminal only right after a deciding key, and then it is the one whose card stood on the
//   screen before that key, with its form or its question;
// - every other key, in any number, settles nothing.
// Some events happen in the same moment as the key. Time is moved by the test; nothing waits for it.
//
// Several players play beside each other, each with a server, a terminal and random numbers of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../lib/random.mjs';
import { long, useTerminals, words } from './lib.mjs';

const SEQUENCES = Number(process.env.PARLEY_STRAY ?? (long ? 10_000 : 200));
const PLAYERS = 4;
const STEPS = 12; // sequences in one terminal
// The short run plays the same sequences each time; the long one others.
const seed = Number(process.env.PARLEY_SEED ?? (long ? Date.now() % 1e9 : 7));

const moves = ['Up', 'Down', 'Left', 'Right', 'Space', '1', '2', '3', 'n', 's', 'r', 't', 'c', 'BSpace', 'PPage', 'NPage', 'M-a', 'M-y', 'Escape'];
const strays = ['j', 'k', 'x', 'x', 'B', 'v', 'e', 'b', 'g', 'h', 'i', 'z', 'Tab', 'BTab', 'Home', 'End', 'C-l', '?', 'G', 'S',
	'u', 'w', '+', 'M-Enter', 'C-u', 'C-w', 'R', 'N', 'A', 'D', 'l', '.', '0', '9'];
const filters = ['f', 'p', 'm', 'P', '/'];
const sizes = [[80, 24], [120, 30], [60, 15], [100, 24]];

class Player {
	constructor(server, number) {
		this.server = server;
		this.below = random(seed * 31 + number);
		this.count = 0;
		this.open = new Map(); // the asks that wait, by id
		this.stopped = new Set(); // withdrawn by the agent, not by the terminal
		this.pressed = [];
		this.decided = 0;
	}

	pick(list) { return list[this.below(list.length)]; }

	/* ---- what happens ---- */

	async ask() {
		const n = ++this.count;
		const title = `stray ${n}`;
		const body = this.pick([
			() => ({ question: `Really ${n}?`, type: 'boolean' }),
			() => ({ kind: 'approval', operation: { type: 'tool', name: 'shell', arguments: { cmd: `make ${n}` },
				risk: this.pick(['low', 'high', 'critical']) } }),
			() => ({ kind: 'approval', operation: { type: 'tool', name: 'shell', arguments: { cmd: 'make all' }, risk: 'low' } }),
			() => ({ questions: [{ key: 'e', text: 'Where?', type: 'choice', other: true, options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }] }] }),
			() => ({ questions: [{ key: 'm', text: 'Which?', type: 'choices', options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }] },
				{ key: 'w', text: 'Why?', type: 'text' }] }),
			() => ({ question: `Which ${n}?`, type: 'text' }),
		])();
		const ask = await this.server.agent.ask({ title, ...body, ...(this.below(4) ? {} : { timeout: '1s' }) });
		this.open.set(ask.id, { title, kind: ask.kind });
	}

	/** kinds: 12 with what the terminal itself takes part in, 10 without. */
	async happens(kinds = 12) {
		const id = this.open.size ? this.pick([...this.open.keys()]) : undefined;
		const { agent, member } = this.server;
		const what = this.below(kinds);
		if (!id || what < 5) await this.ask();
		else if (what === 5) this.stopped.add(id) && await agent.post(`/v1/asks/${id}/cancel`);
		else if (what === 6) await member.post(`/v1/asks/${id}/skip`);
		else if (what === 7) await member.post(`/v1/asks/${id}/claim`);
		else if (what === 8) await member.post(`/v1/asks/${id}/replies`, { text: 'a message' });
		else if (what === 9) this.server.jump(1100); // deadlines pass
		else if (what === 10) await this.inbox.resize(...this.pick(sizes)).taken();
		else await this.inbox.idle();
	}

	/* ---- what the server says ---- */

	/** Asks that the terminal has settled since the last look. */
	async settledHere() {
		const found = [];
		if (!this.open.size) return found;
		const { body } = await this.server.member.get('/v1/asks?limit=200', { check: false });
		const pending = new Set(body.items.map((ask) => ask.id));
		for (const [id, { title, kind }] of this.open) {
			if (pending.has(id)) continue;
			this.open.delete(id);
			const { body: now } = await this.server.member.get(`/v1/asks/${id}`, { check: false });
			if (now.answered_by?.via === 'terminal' || (now.status === 'cancelled' && !this.stopped.has(id)))
				found.push({ title, kind, status: now.status, answer: JSON.stringify(now.answer) });
		}
		return found;
	}

	/* ---- what the person sees and does ---- */

	word(id) { return words[this.lang][id]; }

	/** The screen's part with the open card: right of the bar on a wide one; a narrow list has none. */
	card(screen) {
		const lines = screen.split('\n');
		if (lines.some((line) => line.includes(' │ '))) return lines.map((line) => line.split('│').slice(1).join('│')).join('\n');
		return screen.includes('────') ? screen : '';
	}

	/** May this key have settled these asks, given what the screen showed before it? */
	mayHave(key, settled, screen) {
		const seen = this.card(screen);
		const several = Number(screen.match(this.batch)?.[1] ?? 1);
		if (settled.length > 1 && settled.every(({ status }) => status === 'cancelled')) return key === 'y' && screen.includes(this.word('tui.stop'));
		if (settled.length > several) return false;
		return settled.every(({ title, kind, status }) => {
			if (status === 'cancelled') return key === 'y' && screen.includes(this.word('tui.stop'));
			if (several === 1 && !new RegExp(`${title}\\b`).test(seen)) return false;
			if (key === 'y') return status === 'skipped' && (seen.includes(this.word('tui.skip')) || several > 1);
			return status === 'answered' && seen.includes('▸') && (key === 'Enter' || kind === 'approval');
		});
	}

	/** Presses keys; returns the screen once they are taken and nothing of them is on its way. */
	async press(...keys) {
		this.pressed.push(...keys);
		this.inbox.press(...keys);
		for (;;) {
			const screen = await this.inbox.taken();
			if (!screen.includes(this.word('tui.sending'))) return screen;
		}
	}

	said(what) { return `${this.pressed.slice(-12).join(' ')} ${what}`; }

	async settlesNothing(what) {
		const settled = await this.settledHere();
		assert.deepEqual(settled, [], this.said(`${what}; the screen has:\n${this.inbox.screen()}`));
	}

	/** Goes on until a card is open, by keys that decide nothing where they are pressed. */
	async toCard() {
		for (let i = 0; i < 6; i++) {
			const screen = await this.inbox.taken();
			if (/▸ (\(|\[)/.test(this.card(screen))) return;
			const list = screen.includes(`[${this.word('web.nav.inbox')}]`) && screen.includes(this.word('tui.keys.list').split('  ')[0]);
			if (list && !screen.includes('stray')) return;
			await this.press(list ? 'Enter' : 'Escape');
		}
	}

	/** Keys that decide nothing: in one go, or one after the other. */
	async playKeys() {
		const keys = Array.from({ length: this.below(5) }, () => this.pick(this.below(4) ? moves : this.below(8) ? strays : filters));
		if (this.below(2)) for (const key of keys) await this.press(key);
		else if (keys.length) await this.press(...keys);
		if (this.below(8) === 0) this.inbox.paste(this.pick(['a', 'y\r', 'a\ra\r', 'one\ntwo\n']));
	}

	async sequence() {
		await this.happens();
		if (this.below(4)) {
			await this.toCard();
			if (this.below(2)) await this.inbox.pass(650);
			await this.settlesNothing('while a card was opened settled something');
		}
		await this.playKeys();
		await this.inbox.taken();
		await this.settlesNothing('settled something');
		if (this.below(2)) await this.inbox.pass(650);
		const key = this.pick(['a', 'Enter', this.word('tui.yes')]);
		const before = await this.inbox.look();
		const meanwhile = this.below(4) === 0 ? this.happens(10) : undefined;
		await this.press(key);
		await meanwhile;
		const settled = await this.settledHere();
		this.decided += settled.length;
		assert.ok(settled.length === 0 || this.mayHave(key === this.word('tui.yes') ? 'y' : key, settled, before),
			this.said(`settled ${JSON.stringify(settled)}; before it the screen had:\n${before}`));
	}

	/** Plays these sequences, some of them in each terminal. */
	async play(sequences) {
		for (let played = 0; played < sequences;) {
			this.lang = this.pick(['en', 'en', 'fr']);
			this.batch = new RegExp(this.word('tui.batch.title.other').replace('{n}', '(\\d+)'));
			const [columns, rows] = this.pick(sizes);
			this.inbox = await this.server.inbox({ columns, rows, lang: this.lang, env: { EDITOR: 'true', VISUAL: '' }, flags: this.pick([[], ['--no-open']]) });
			for (let step = 0; step < STEPS && played < sequences; step++, played++) await this.sequence();
			this.inbox.close();
			for (const id of this.open.keys()) await this.server.member.post(`/v1/asks/${id}/skip`);
			this.open.clear();
		}
	}
}

const players = [];
for (let i = 0; i < PLAYERS; i++) players.push(new Player(await useTerminals(), i));

test(`${SEQUENCES} sequences of stray keys decide nothing by accident (PARLEY_SEED=${seed})`, async (t) => {
	const share = Math.ceil(SEQUENCES / PLAYERS);
	await Promise.all(players.map((player) => player.play(share)));
	const decided = players.reduce((sum, player) => sum + player.decided, 0);
	t.diagnostic(`${decided} decided on purpose`);
	assert.ok(decided > 0, 'keys that decide never did');
});
