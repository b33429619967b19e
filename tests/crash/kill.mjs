// kill -9 under load, again and again: what was acknowledged is there afterwards, nothing is
// there twice, and whoever follows the log sees every event once. PARLEY_LONG=1: many times as
// often. PARLEY_SEED repeats the choices (not the timing).
import assert from 'node:assert/strict';
import { Clients } from '../lib/clients.mjs';
import { Follower } from '../lib/follower.mjs';
import { cluster } from '../lib/postgres.mjs';
import { random } from '../lib/random.mjs';
import { Server, sleep } from '../lib/server.mjs';

// On PostgreSQL, whose own kills are in tests/pg, a few are enough.
const CYCLES = process.env.PARLEY_LONG ? 3000 : cluster ? 20 : 40;
const WORKERS = 6;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const below = random(seed);

const server = new Server({ env: { PARLEY_ASK_RATE: '0' } });
const tokens = { agent: await server.token('agent', 'builder'),
	member: await server.token('member', 'mia'), admin: await server.token('admin', 'ada') };
const clients = new Clients((...request) => server.call(...request), tokens);

/** A session by its external id, two asks in it, and all of it deleted. */
async function sessionAndGone(name) {
	const made = await server.call(tokens.agent, 'POST', '/v1/sessions', { title: name, external_id: name });
	assert.ok([200, 201].includes(made.status), JSON.stringify(made.body));
	const first = await clients.ask(`${name}-1`, { session: made.body.id });
	await clients.settle(first, 0);
	const second = await clients.ask(`${name}-2`, { session: made.body.id });
	const gone = await server.call(tokens.agent, 'DELETE', `/v1/sessions/${made.body.id}`);
	assert.ok(gone.status === 204 || (gone.status === 404 && gone.tries > 1), gone.status);
	first.deleted = second.deleted = true;
}

async function work(name) {
	if (below(25) === 0) {
		await sessionAndGone(`s-${name}`);
		return;
	}
	const ask = await clients.story(name, below);
	if (ask.status !== 'pending' && below(4) === 0) await clients.sendAgain(ask);
}

/** Asks that run out while nobody is there to see it. */
async function missDeadlines(n) {
	for (let i = 0; i < 3; i++) {
		await clients.late(`late-${n}-${i}`, { timeout: 60, ...(i === 0 && { default: { q1: 'So be it' } }) });
	}
	await server.kill();
	server.jump(61_000);
}

async function cycle(n) {
	if (n % 20 === 19) {
		await missDeadlines(n);
	} else {
		await sleep(20 + below(180));
		await server.kill();
	}
	if (n % 10 === 9) { // killed while it starts
		server.spawn();
		await sleep(below(30));
		await server.kill();
	}
	if (n % 50 === 49) await check();
	await server.start();
}

async function check() {
	await server.command('check');
}

const started = Date.now();
try {
	await server.start();
	const follower = new Follower(server, tokens.admin);
	await clients.busy(WORKERS, work, CYCLES, cycle);
	const { found, asOf } = await clients.look();
	clients.compare(found);
	await follower.reach(asOf);
	clients.compareEvents(follower);
	await follower.stop();
	assert.deepEqual(await server.signal('SIGTERM'), { code: 0, signal: null });
	await check();
	console.log(`${server.lives} lives, ${clients.asks.size} asks, ${asOf} events, ${clients.repeats} asks sent`
		+ ` again, ${clients.waits} waits, ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
	console.error(`seed ${seed}`);
	console.error(error);
	process.exitCode = 1;
	server.child?.kill('SIGKILL');
}
server.remove();
process.exit();
