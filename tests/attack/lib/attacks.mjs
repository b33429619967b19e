// attacks.mjs - classes of attacks: each a generator of its own seed, counted, with whatever did not hold. About 200 in every
// run; PARLEY_LONG=1 tries more than 20,000. PARLEY_SEED repeats another choice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../../lib/random.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const SEED = Number(process.env.PARLEY_SEED ?? 20261117);
const AT_ONCE = 6;
const SHOWN = 8; // of those that did not hold

/** A number of the name: classes do not choose alike. */
const numberOf = (name) => [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)) >>> 0, 7);

class Attacks {
	tried = 0;
	failed = [];

	constructor(name, want) {
		this.want = want;
		this.below = random((SEED + numberOf(name)) >>> 0);
	}

	pick(list) { return list[this.below(list.length)]; }

	/** One attack. `holds` fails when it got something. */
	async one(what, holds) {
		this.tried++;
		try {
			await holds();
		} catch (error) {
			this.failed.push(`${what}: ${error.message}`.slice(0, 600));
		}
	}

	/** As many as this run wants, some at once: make(i) → [what, holds]. */
	async all(make, want = this.want) {
		for (let i = 0; i < want; i += AT_ONCE) {
			const some = Array.from({ length: Math.min(AT_ONCE, want - i) }, (_, k) => make(i + k));
			await Promise.all(some.map(([what, holds]) => this.one(what, holds)));
		}
	}
}

/** A class as a test: `small` attacks in every run, `long` in a long one. */
export function attacks(name, { small, long }, body) {
	test(`attacks: ${name}`, { timeout: 1_800_000 }, async (t) => {
		const made = new Attacks(name, LONG ? long : small);
		await body(made);
		t.diagnostic(`attacks: ${made.tried} of ${name}, ${made.failed.length} not held, seed ${SEED}`);
		assert.deepEqual(made.failed.slice(0, SHOWN), [], `${made.failed.length} of ${made.tried} did not hold`);
		assert.ok(made.tried >= made.want, `${made.tried} of ${made.want} were tried`);
	});
}

/** Nothing was given: the request was refused, and the reply holds none of these. */
export function refused(reply, secrets = []) {
	assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} ${reply.text?.slice(0, 200)}`);
	without(reply, secrets);
}

export function without(reply, secrets) {
	for (const secret of secrets) assert.ok(!(reply.text ?? '').includes(secret), `it shows ${secret}`);
}
