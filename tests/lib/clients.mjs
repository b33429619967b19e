// clients.mjs - agents and people who ask and settle while the server is killed, and who remember what
// was acknowledged: all of it is there afterwards, nothing twice, and the log says the same.
import assert from 'node:assert/strict';

const SETTLING = ['ask.answered', 'ask.skipped', 'ask.expired', 'ask.cancelled'];

const verbs = [
	(ask) => ['answered', 'member', 'answer', { answer: `Answer ${ask.name}` }],
	(ask) => ['skipped', 'member', 'skip', { reason: ask.name }],
	(ask) => ['cancelled', 'agent', 'cancel', { reason: ask.name }],
];

export class Clients {
	/** call: (token, method, path, body, key) → {status, body, tries}, however often it takes;
	 * tokens: {agent, member, admin} */
	constructor(call, tokens) {
		this.call = call;
		this.tokens = tokens;
		this.asks = new Map(); // id → what was acknowledged of it
		this.repeats = 0;
		this.waits = 0;
	}

	/** An ask, made with a key: however often it is sent, it is one. */
	async ask(name, more = {}) {
		const body = { question: `Question ${name}?`, type: 'text', metadata: { name }, ...more };
		const key = `ask-${name}`;
		const made = await this.call(this.tokens.agent, 'POST', '/v1/asks', body, key);
		assert.equal(made.status, 201, JSON.stringify(made.body));
		this.repeats += made.tries > 1;
		const ask = { id: made.body.id, name, body, key, status: 'pending' };
		assert.ok(!this.asks.has(ask.id), `${ask.id} was given twice`);
		this.asks.set(ask.id, ask);
		return ask;
	}

	/** One that is left to its deadline. */
	async late(name, more) {
		const ask = await this.ask(name, more);
		ask.status = 'expired';
	}

	async sendAgain(ask) {
		const again = await this.call(this.tokens.agent, 'POST', '/v1/asks', ask.body, ask.key);
		assert.equal(again.status, 201);
		assert.equal(again.body.id, ask.id, 'a repeated key gave another ask');
		assert.equal(again.body.status, ask.status);
	}

	/** how: 0 answered, 1 skipped, 2 cancelled */
	async settle(ask, how) {
		const [status, who, verb, body] = verbs[how](ask);
		const path = `/v1/asks/${ask.id}/${verb}`;
		const done = await this.call(this.tokens[who], 'POST', path, body, `${verb}-${ask.name}`);
		// Nobody else settles it: a repeat must find its own record, never a conflict.
		assert.equal(done.status, 200, `try ${done.tries}: ${JSON.stringify(done.body)}`);
		assert.equal(done.body.ask.status, status);
		ask.status = status;
	}

	/** Somebody waits for it meanwhile; the wait may be cut off and begun again. */
	async wait(ask) {
		for (;;) {
			const seen = await this.call(this.tokens.agent, 'GET', `/v1/asks/${ask.id}?wait=5`);
			assert.equal(seen.status, 200);
			// The head of a wait's reply is out before its end is known.
			if (seen.body.id && seen.body.status !== 'pending') break;
		}
		this.waits += 1;
	}

	/** Most are settled, in every way; somebody waits for some. */
	async story(name, below) {
		const ask = await this.ask(name);
		if (below(5) === 0) return ask;
		const waiting = below(3) === 0 ? this.wait(ask) : null;
		await this.settle(ask, below(3));
		await waiting;
		return ask;
	}

	/** So many workers do `one`(name) over and over while `disturb`(n) is done so many times; the
	 * first failure of either ends it. */
	async busy(workers, one, times, disturb) {
		let stop = false;
		const work = async (w) => {
			for (let n = 0; !stop; n++) await one(`${w}-${n}`);
		};
		const failed = Promise.all(Array.from({ length: workers }, (_, w) => work(w)))
			.then(() => null, (error) => error);
		for (let n = 0; n < times; n++) {
			const error = await Promise.race([failed, disturb(n).then(() => null)]);
			if (error) throw error;
		}
		stop = true;
		const error = await failed;
		if (error) throw error;
	}

	/** → {found: every ask that there is, asOf: the last event} */
	async look() {
		const found = new Map();
		let cursor = '', asOf;
		do {
			const page = await this.call(this.tokens.admin, 'GET',
				`/v1/asks?status=all&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			assert.equal(page.status, 200);
			for (const ask of page.body.items) found.set(ask.id, ask);
			cursor = page.body.next_cursor;
			asOf = page.body.as_of;
		} while (cursor);
		return { found, asOf };
	}

	/** The store against what was acknowledged: the same asks, no fewer and no more. */
	compare(found) {
		for (const ask of this.asks.values()) {
			const there = found.get(ask.id);
			assert.equal(there !== undefined, !ask.deleted, `${ask.id} (${ask.name})`);
			if (!there) continue;
			assert.equal(there.status, ask.status, ask.id);
			assert.equal(there.questions[0].text, ask.body.question);
			if (ask.status === 'answered') assert.equal(there.answer.q1.text, `Answer ${ask.name}`);
			found.delete(ask.id);
		}
		assert.deepEqual([...found.keys()], [], 'asks that nobody was told of');
	}

	/** The log, as this follower saw it, against the same. */
	compareEvents(follower) {
		assert.equal(follower.problem, null);
		for (const ask of this.asks.values()) {
			const types = follower.events.get(ask.id) ?? [];
			const settled = types.filter((type) => SETTLING.includes(type));
			assert.equal(types.filter((type) => type === 'ask.created').length, 1, ask.id);
			if (ask.status === 'pending' && !ask.deleted) assert.deepEqual(settled, []);
			else if (!ask.deleted) assert.deepEqual(settled, [`ask.${ask.status}`], ask.id);
			else assert.ok(settled.length <= 1, ask.id);
			follower.events.delete(ask.id);
		}
		assert.equal(follower.events.size, 0, 'events of asks that nobody was told of');
	}
}
