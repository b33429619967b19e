// telling.mjs - asks over random routes while servers are killed, receivers fail and the clock is moved; and
// the checker, which reads deliveries, the event log and what the receivers got.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after } from 'node:test';
import { random } from './random.mjs';
import { sleep, until } from './server.mjs';

const STEPS_S = [0, 20, 60, 300, 900];
const AT_ONCE = 20;
const OPEN_MOST = 100; // each of them may be due after a step of the clock
const LOOKS_MOST = 25;
const PROGRESS_EVERY = 500;

/** A receiver that fails now and then, is slow now and then, and notes what it got by the servers' clock. */
class Phone {
	constructor(now, below) {
		this.got = [];
		this.server = http.createServer((request, response) => {
			const at = now();
			let text = '';
			request.on('data', (part) => { text += part; });
			request.on('end', () => {
				const { data } = JSON.parse(text);
				const bad = below(5) === 0;
				this.got.push({ at, bad, status: data.ask?.status, ask: data.ask?.id, purpose: data.purpose, step: data.step, id: request.headers['webhook-id'] });
				setTimeout(() => response.writeHead(bad ? 500 : 204).end(), below(10) === 0 ? 30 : 0);
			});
		});
	}

	async open() {
		await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
		this.url = `http://127.0.0.1:${this.server.address().port}/hook`;
		after(() => this.close());
		return this;
	}

	close() {
		this.server.closeAllConnections();
		this.server.close();
	}
}

/** Is this delivery due by the servers' clock, and not begun? What is due just now may be under way to it. */
const isLate = (at_ms) => ({ next_at: at, attempts }) => !attempts && Date.parse(at) < at_ms - 500;

/**
 * Returns once every step that is due has been worked: what the checker holds asks to that are open then. Messages get
 * a moment to be begun; what came of them is judged at the end.
 */
async function worked(call, token, clock) {
	const some = async (which) => (await call(token, 'GET', `/v1/deliveries?status=waiting&limit=200${which}`)).items.some(isLate(clock()));
	await until(async () => !await some('&kind=route'), 'every step that is due');
	const at = clock() - 500;
	for (let looks = 0; looks < LOOKS_MOST && await some(''); looks++) await sleep(20);
	return at;
}

/**
 * Asks `count` times over random routes and settles at random moments. `servers`: nodes of one store, started, with
 * webhook_internal for this machine, no rate and room for many messages to one host; `kill`: how many of a hundred
 * rounds end with a kill.
 */
export async function play(servers, tokens, { count, seed, kill = 20 }) {
	const below = random(seed);
	const some = () => servers[below(servers.length)];
	const call = async (token, method, path, body, key) => {
		let reply = await some().call(token, method, path, body, key);
		// A busy machine may not know in time what became of it; its key makes it happen once.
		while (reply.status === 503) reply = await some().call(token, method, path, body, key);
		assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
		return reply.body;
	};
	/* The latest time that the servers' clock has shown: it is stepped back, too, and what it showed was due. */
	let latest = 0;
	const clock = () => Date.now() + servers[0].offset;
	const now = () => (latest = Math.max(latest, clock()));
	const phones = await Promise.all([0, 1, 2].map(() => new Phone(now, below).open()));
	const people = [];
	for (const [i, phone] of phones.entries()) {
		const { id } = await call(tokens.admin, 'POST', '/v1/users', { name: `person ${i}`, role: 'member' });
		const contact = await call(tokens.admin, 'POST', `/v1/users/${id}/contacts`,
			{ channel: 'webhook', address: phone.url, name: `phone ${i}` });
		people.push({ id, contact: contact.id, phone });
	}
	/* A project has its own route: steps at random times to random people, some of them repeated. */
	const routes = Array.from({ length: 8 }, (_, i) => {
		const times = STEPS_S.filter(() => below(2)).slice(0, 3);
		const steps = (times.length ? times : [0]).map((after) => ({ after: `${after}s`,
			to: people.filter(() => below(2)).map((one) => `user:${one.id}`).concat(below(4) ? [] : ['all']) }))
			.map((step) => ({ ...step, to: step.to.length ? step.to : [`user:${people[i % 3].id}`] }));
		return { name: `r${i}`, match: { project: `p${i}` }, steps, ...(below(2) ? { repeat: { every: '10m', times: 2 } } : {}) };
	});
	const { version } = await call(tokens.admin, 'GET', '/v1/routes');
	await call(tokens.admin, 'PUT', '/v1/routes', { version, items: [...routes, { name: 'rest', match: {}, steps: [] }] });
	const sessions = [];
	for (let i = 0; i < routes.length; i++) {
		sessions.push((await call(tokens.agent, 'POST', '/v1/sessions', { title: `s${i}`, project: `p${i}`, parallel: true })).id);
	}
	const asks = [], open = [];
	let kills = 0, shown = 0;
	const askOne = async (n) => {
		const route = below(routes.length);
		const ask = await call(tokens.agent, 'POST', '/v1/asks',
			{ session: sessions[route], question: 'Go?', type: 'boolean', title: `#${n}` }, `ask-${n}`);
		const kept = { id: ask.id, route, created: Date.parse(ask.created_at), worked: 0 };
		asks.push(kept);
		open.push(kept);
	};
	const settleOne = async () => {
		const [ask] = open.splice(below(open.length), 1);
		if (!ask) return;
		await call(tokens.member, 'POST', `/v1/asks/${ask.id}/answer`, { answer: true }, `settle-${ask.id}`);
	};
	while (asks.length < count || open.length) {
		const round = Math.min(AT_ONCE, count - asks.length);
		await Promise.all(Array.from({ length: round }, (_, i) => askOne(asks.length + i)));
		const ms = [0, 1000, 25e3, 70e3, 400e3, 1000e3, -7e3][below(7)];
		now();
		servers.forEach((server) => server.jump(ms));
		if (below(3) === 0) {
			const at = await worked(call, tokens.admin, clock);
			for (const ask of open) ask.worked = Math.max(ask.worked, at);
		} else if (below(2)) await sleep(below(30));
		const victim = some();
		const killing = below(100) < kill && asks.length > AT_ONCE;
		const settling = Promise.all(Array.from({ length: asks.length < count && open.length < OPEN_MOST ? AT_ONCE / 2 : AT_ONCE }, settleOne));
		if (killing) {
			await victim.kill();
			await victim.start();
			kills += 1;
		}
		await settling;
		if (asks.length - shown >= PROGRESS_EVERY) {
			shown = asks.length;
			process.stderr.write(`${shown} asks, ${open.length} open, ${kills} kills, ${phones.reduce((n, phone) => n + phone.got.length, 0)} messages\n`);
		}
	}
	/* What a server that was killed had begun is free once its lease is over; what failed is tried again. The clock
	 * goes on when nothing else does: a step of it takes away the leases of what is under way. */
	let looks = 0, left = [];
	await until(async () => {
		({ items: left } = await call(tokens.admin, 'GET', '/v1/deliveries?status=waiting&limit=200'));
		if (left.length && (!left.some(isLate(clock())) || ++looks % 20 === 0)) servers.forEach((server) => server.jump(700e3));
		return !left.length;
	}, 'every delivery').catch((error) => {
		throw new Error(`${error.message}; at ${new Date(clock()).toISOString()} ${left.length} are left: ${JSON.stringify(left.slice(0, 3))}`);
	});
	const all = async () => {
		const rows = [];
		for (let cursor = ''; cursor !== null;) {
			const page = await call(tokens.admin, 'GET', `/v1/deliveries?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			rows.push(...page.items);
			cursor = page.next_cursor;
		}
		return { asks, routes, people, rows, kills, nodes: servers.length,
			got: people.flatMap(({ contact, phone }) => phone.got.map((one) => ({ ...one, contact }))) };
	};
	/* A node may be at a message still that the other took over after a step of the clock: its end follows it. */
	let game;
	await until(async () => !(game = await all()).rows.some((row) => row.status === 'waiting') && !afterEnd(game).length, 'every end')
		.catch(() => {});
	return game;
}

/** The items by what they have under this name. */
function of(list, name) {
	const groups = new Map();
	for (const one of list) {
		if (!groups.has(one[name])) groups.set(one[name], []);
		groups.get(one[name]).push(one);
	}
	return groups;
}

/** Of each contact whose message of the end arrived, what came after it. */
function afterEnd({ rows, got }) {
	const gotOf = of(got, 'ask');
	return rows.filter(({ purpose, status, contact }) => contact && purpose === 'settled' && status === 'done')
		.map((end) => gotOf.get(end.ask).filter(({ contact }) => contact === end.contact).at(-1))
		.filter(({ purpose }) => purpose !== 'settled');
}

/** What must hold of it. → counts */
export function check(game) {
	const { asks, routes, rows, got, kills, nodes } = game;
	assert.deepEqual(afterEnd(game), [], 'something came after its end');
	const [rowsOf, gotOf, gotBy] = [of(rows, 'ask'), of(got, 'ask'), of(got, 'id')];
	let told = 0, steps = 0, settled = 0, dead = 0;
	for (const ask of asks) {
		const route = routes[ask.route];
		const own = rowsOf.get(ask.id) ?? [];
		const dueOf = (step) => ask.created + Number.parseInt(route.steps[step].after) * 1000;
		for (const one of gotOf.get(ask.id) ?? []) {
			if (one.purpose === 'settled') continue;
			assert.ok(one.at >= dueOf(one.step), `${ask.id}: step ${one.step} came ${dueOf(one.step) - one.at} ms early`);
			// Written from what every acknowledged settlement is seen in: none was there when this began.
			assert.equal(one.status, 'pending', `${ask.id}: step ${one.step} was begun after the settlement`);
			told += 1;
		}
		/* Every step that was worked told somebody; the next one's row followed, until the settlement ended it. */
		const points = own.filter((row) => row.kind === 'route');
		assert.ok(points.length, `${ask.id}: no first step`);
		for (const row of points) {
			assert.notEqual(row.status, 'waiting', `${ask.id}: a step is left`);
			if (row.status !== 'done') {
				assert.equal(row.last_error, 'the ask is settled');
				continue;
			}
			steps += 1;
			assert.ok(own.some((d) => d.contact && d.step === row.step), `${ask.id}: step ${row.step} told nobody`);
		}
		/* It was open when all that was due was worked: so were its steps. */
		for (const step of route.steps.keys()) {
			assert.ok(dueOf(step) > ask.worked || points.some((row) => row.step === step && row.status === 'done'),
				`${ask.id}: step ${step} was due ${ask.worked - dueOf(step)} ms before, and was not worked`);
		}
		for (const row of own.filter((one) => one.contact)) {
			dead += row.status === 'dead';
			assert.ok(row.status !== 'done' || gotBy.get(row.id)?.some((one) => !one.bad), `${row.id} is done and never came`);
		}
		/* Who has it was told its end: once, and again after a message that one node took over from another. */
		for (const contact of of((gotOf.get(ask.id) ?? []), 'contact').keys()) {
			const { length } = own.filter((row) => row.contact === contact && row.purpose === 'settled');
			assert.ok(nodes > 1 ? length >= 1 : length === 1, `${ask.id}: ${contact} has ${length} ends`);
			settled += 1;
		}
	}
	return { asks: asks.length, kills, steps, told, settled, dead };
}
