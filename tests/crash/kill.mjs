// kill -9 under load, again and again: what was acknowledged is there afterwards, nothing is
// there twice, and whoever follows the log sees every event once. PARLEY_LONG=1: many times as
// often. PARLEY_SEED repeats the dice (not the timing).
import assert from 'node:assert/strict';
import { Crowd } from '../lib/crowd.mjs';
import { House, Follower, dice, sleep } from '../lib/house.mjs';
import { cluster } from '../lib/postgres.mjs';

// On PostgreSQL, whose own kills are in tests/pg, a few are enough.
const CYCLES = process.env.PARLEY_LONG ? 3000 : cluster ? 20 : 120;
const WORKERS = 6;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const roll = dice(seed);

const house = new House();
const tokens = { agent: await house.token('agent', 'builder'),
	member: await house.token('member', 'mia'), admin: await house.token('admin', 'ada') };
const crowd = new Crowd((...request) => house.call(...request), tokens);

/** A session by its external id, two asks in it, and all of it deleted. */
async function sessionAndGone(name) {
	const made = await house.call(tokens.agent, 'POST', '/v1/sessions', { title: name, external_id: name });
	assert.ok([200, 201].includes(made.status), JSON.stringify(made.body));
	const first = await crowd.ask(`${name}-1`, { session: made.body.id });
	await crowd.settle(first, 0);
	const second = await crowd.ask(`${name}-2`, { session: made.body.id });
	const gone = await house.call(tokens.agent, 'DELETE', `/v1/sessions/${made.body.id}`);
	assert.ok(gone.status === 204 || (gone.status === 404 && gone.tries > 1), gone.status);
	first.deleted = second.deleted = true;
}

async function work(name) {
	if (roll(25) === 0) {
		await sessionAndGone(`s-${name}`);
		return;
	}
	const ask = await crowd.story(name, roll);
	if (ask.status !== 'pending' && roll(4) === 0) await crowd.sendAgain(ask);
}

/** Asks that run out while nobody is there to see it. */
async function missDeadlines(n) {
	for (let i = 0; i < 3; i++) {
		await crowd.late(`late-${n}-${i}`, { timeout: 60, ...(i === 0 && { default: { q1: 'So be it' } }) });
	}
	await house.kill();
	house.jump(61_000);
}

async function cycle(n) {
	if (n % 20 === 19) {
		await missDeadlines(n);
	} else {
		await sleep(20 + roll(180));
		await house.kill();
	}
	if (n % 10 === 9) { // killed while it starts
		house.spawn();
		await sleep(roll(30));
		await house.kill();
	}
	if (n % 50 === 49) await check();
	await house.start();
}

async function check() {
	const checked = await house.run(['check']);
	assert.equal(checked.code, 0, `check: ${checked.stdout}${checked.stderr}`);
}

const started = Date.now();
try {
	await house.start();
	const follower = new Follower(house, tokens.admin);
	await crowd.busy(WORKERS, work, CYCLES, cycle);
	const { found, asOf } = await crowd.look();
	crowd.compare(found);
	await follower.reach(asOf);
	crowd.compareEvents(follower);
	await follower.stop();
	assert.deepEqual(await house.kill('SIGTERM'), { code: 0, signal: null });
	await check();
	console.log(`${house.lives} lives, ${crowd.asks.size} asks, ${asOf} events, ${crowd.repeats} asks sent`
		+ ` again, ${crowd.waits} waits, ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
	console.error(`seed ${seed}`);
	console.error(error);
	process.exitCode = 1;
	house.child?.kill('SIGKILL');
}
house.remove();
process.exit();
