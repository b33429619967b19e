// Alerts on two nodes: random histories of asks, answers, refusals, deaths, restarts and steps of the clock against an
// oracle (tests/lib/alert_oracle.mjs); and nodes that die, come back and say goodbye.
// PARLEY_LONG=1: 2,000 histories; else 24. PARLEY_COUNT=N: so many.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, test } from 'node:test';
import { judge } from '../lib/alert_oracle.mjs';
import { Cluster, Node } from '../lib/cluster.mjs';
import { sql } from '../lib/postgres.mjs';
import { random } from '../lib/random.mjs';
import { sleep, until } from '../lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const COUNT = Number(process.env.PARLEY_COUNT ?? (LONG ? 2000 : 24));
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const SPACES = Math.min(COUNT, LONG ? 100 : 12), STEPS = LONG ? 12 : 7, AT_ONCE = 16;
const S = 1000, MINUTE = 60 * S;

const cluster = new Cluster();
const phone = { got: [] };
const receiver = http.createServer((request, response) => {
	let text = '';
	request.on('data', (part) => { text += part; });
	request.on('end', () => {
		const { data } = JSON.parse(text);
		phone.got.push({ id: request.headers['webhook-id'], alert: data.alert?.id, purpose: data.purpose });
		response.writeHead(204).end();
	});
});
await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${receiver.address().port}/hook`;
after(() => {
	receiver.closeAllConnections();
	receiver.close();
	cluster.remove();
});

/** Two nodes whose clock is one. */
async function pair(t, name) {
	const store = cluster.database(name);
	const flags = ['--webhook-internal', '127.0.0.0/8', '--webhook-host-max', '64', '--notify-rate', '1000'];
	const first = new Node(store, { keepPort: true, flags });
	const nodes = [first, new Node(store, { keepPort: true, flags, env: { PARLEY_TEST_CLOCK: first.clockFile } })];
	t.after(() => Promise.all(nodes.map((node) => node.end())));
	for (const node of nodes) await node.start();
	return { store, nodes, clock: () => Date.now() + first.offset, jump: (ms) => first.jump(ms) };
}

/** → when somebody looked last; when the nodes were heard of, the first and the last of them; when the look was begun. */
const seen = (store) => sql("SELECT l.done_ms, min(seen_ms), max(seen_ms), l.lease_ms - 30000 FROM nodes, leases l WHERE l.name = 'alerts'"
	+ ' GROUP BY l.done_ms, l.lease_ms', store).split('|').map(Number);

async function each(list, fn) {
	const left = [...list.entries()];
	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		for (let one; (one = left.shift());) await fn(one[1], one[0]);
	}));
}

/** A workspace with an agent, a member and an admin whose webhook hears of alerts. */
async function space(nodes, name, policy) {
	const call = async (token, method, path, body) => {
		const { status, body: reply } = await nodes[0].call(token, method, path, body);
		assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(reply)}`);
		return reply;
	};
	if (name !== 'default') await nodes[0].command('workspace', 'create', name);
	const admin = await nodes[0].token('admin', 'ada', ['--workspace', name]);
	const [agent, member] = await Promise.all(['agent', 'member'].map(async (role) => (await call(admin, 'POST', '/v1/tokens', { role, name: role })).token));
	const { user } = await call(admin, 'GET', '/v1/me');
	await call(admin, 'POST', `/v1/users/${user.id}/contacts`, { channel: 'webhook', address: url, format: 'parley', name: 'phone' });
	const { version } = await call(admin, 'GET', '/v1/routes');
	const { items } = await call(admin, 'PUT', '/v1/routes', { version, items: [
		{ name: 'Alerts', match: { kind: ['alert'] }, steps: [{ after: '0s', to: ['role:admin'] }] },
		{ name: 'Prompt', match: { project: 'prompt' }, target: '2m', steps: [] }, { name: 'Rest', match: {}, steps: [] }] });
	const rules = await call(admin, 'GET', '/v1/policy');
	await call(admin, 'PUT', '/v1/policy', { version: rules.version, alerts: policy });
	return { name, call, agent, member, admin, route: { id: items[1].id, target: 2 * MINUTE }, asks: [], refused: [] };
}

const NONE = { timeouts: null, unanswered: null, unreachable: null, errors: null, dead: null, overdue: null, model: null, node: null };
const SPANS = { '2m': 2 * MINUTE, '10m': 10 * MINUTE, '1h': 60 * MINUTE };

test(`alerts are raised, told and cleared once each, as an oracle says (seed ${SEED})`, { timeout: LONG ? 6 * 3600_000 : 300_000 }, async (t) => {
	const below = random(SEED), pick = (list) => list[below(list.length)];
	const { store, nodes, clock, jump } = await pair(t, 'histories');
	const spaces = [];
	for (let i = 0; i < SPACES; i++) {
		const policy = { ...NONE, min: 2 + below(4), window: pick(['10m', '1h']), timeouts: pick([0.2, 0.5, null]), unanswered: pick(['2m', '10m', '1h', null]),
			errors: pick([0.05, 0.4, null]), overdue: pick([0.2, 0.6, null]) };
		const made = await space(nodes, i ? `w${i}` : 'default', policy);
		made.settings = { ...policy, window: SPANS[policy.window], unanswered: SPANS[policy.unanswered] };
		spaces.push(made);
	}
	const live = () => nodes.filter((node) => !node.isDown);
	const looks = [];
	let step = 0, kills = 0, told = 0, asked = 0, all = 0, slow = 0, planted = 0, found = 0;
	/** Every look since the last time. */
	const state = () => {
		const [at, from, to, begun] = seen(store);
		if (at && at !== looks.at(-1)?.at) looks.push({ at, step, slow: at - begun > 3 * S });
		return { looks: looks.length, from, to };
	};
	const ask = async (w, extra) => {
		const node = pick(live());
		const { status, body } = await node.once(w.agent, 'POST', '/v1/asks', { question: `Go ${++asked}?`, type: 'boolean', ...extra });
		assert.equal(status, 201, JSON.stringify(body));
		w.asks.push({ id: body.id, kind: body.kind, created: Date.parse(body.created_at), deadline: body.expires_at && Date.parse(body.expires_at),
			prompt: extra.project === 'prompt', step });
	};
	/** What became of one that is open for all that is known. */
	const look = async (w, one) => {
		const { body } = await live()[0].call(w.member, 'GET', `/v1/asks/${one.id}`);
		if (body.status === 'pending') return;
		Object.assign(one, { status: body.status, settled: Date.parse(body.settled_at), settled_step: step });
	};
	const open = (w) => w.asks.filter((one) => one.settled_step === undefined);
	const settle = async (w, one) => {
		const [path, body] = pick([['answer', { answer: true }], ['answer', { answer: false }], ['skip', {}], ['cancel', {}]]);
		await pick(live()).once(path === 'cancel' ? w.agent : w.member, 'POST', `/v1/asks/${one.id}/${path}`, body);
		await look(w, one);
	};
	const act = async (w, calm) => {
		for (let n = below(4); n > 0; n--) {
			const dice = below(10), one = pick(open(w));
			if (dice < 5) {
				await ask(w, { kind: pick(['blocking', 'non_blocking']), ...(below(2) ? { timeout: pick(['30s', '90s', '10m']) } : {}),
					...(below(3) ? {} : { project: 'prompt' }) });
			} else if (dice < 8) {
				if (one) await settle(w, one);
			} else if (calm) {
				const reply = await pick(live()).once(w.agent, 'POST', '/v1/asks', { question: 7 });
				assert.equal(reply.status, 422);
				w.refused.push({ at: clock(), step });
			}
		}
	};
	/** Who was told of which. */
	const heard = (alert, purpose) => new Set(phone.got.filter((g) => g.alert === alert && g.purpose === purpose).map((g) => g.id)).size;
	/** A step of the clock; returns after a look, when all that was due has happened. */
	const go = async (ms, kill) => {
		const before = state();
		jump(ms);
		const due = clock();
		let dead;
		if (kill) {
			await sleep(below(300));
			dead = pick(live());
			await dead.signal(kill);
			kills++;
		}
		const begun = Date.now();
		let moved = 0;
		for (let now = state(); now.looks === before.looks; now = state()) {
			// Who looked was killed: its lease runs out by the clock.
			if (Date.now() - begun > 3 * S && moved++ < 3) jump(31 * S);
			assert.ok(Date.now() - begun < 60 * S, 'nobody looks for alerts');
			await sleep(20);
		}
		if (dead) await dead.start();
		// What nodes counted is kept with their beat.
		await until(() => {
			const { from, to } = state();
			return from >= due && to <= clock();
		}, 'both nodes are heard of');
		await each(spaces, async (w) => {
			for (const one of open(w).filter((o) => o.deadline)) {
				await until(async () => {
					await look(w, one);
					return one.settled_step !== undefined || one.deadline > clock() - 200;
				}, 'what is past its deadline expires');
			}
		});
		state();
		step++;
	};
	const check = async () => {
		await each(spaces, async (w) => {
			const list = async () => (await live()[0].call(w.admin, 'GET', '/v1/alerts?state=all&limit=200')).body.items.filter((a) => Date.parse(a.since) >= w.from);
			for (const a of await list()) {
				await until(() => heard(a.id, 'alert') && (!a.cleared_at || heard(a.id, 'settled')), `${w.name}: ${a.id} ${a.kind} is told`, 30_000);
				assert.deepEqual([heard(a.id, 'alert'), heard(a.id, 'settled')], [1, a.cleared_at ? 1 : 0], `${w.name} ${a.id}`);
			}
			const alerts = await list();
			try {
				told += judge(w, looks, alerts);
			} catch (error) {
				throw new Error(`${w.name}: ${error.message}\n${JSON.stringify({ settings: w.settings, asks: w.asks, refused: w.refused, looks, alerts })}`);
			}
			assert.ok(alerts.every((a) => a.cleared_at), `${w.name}: none is open`);
			// The oracle sees one that is missing, one that is told twice and one that does not end.
			for (const a of alerts) {
				for (const wrong of [alerts.filter((b) => b !== a), [...alerts, { ...a, id: 'again' }], alerts.map((b) => (b === a ? { ...a, cleared_at: null } : b))]) {
					planted++;
					try {
						judge(w, looks, wrong);
					} catch {
						found++;
					}
				}
			}
		});
	};
	for (let histories = 0; histories < COUNT; histories += SPACES) {
		looks.length = 0;
		state();
		looks.length = 0;
		step = 0;
		for (const w of spaces) Object.assign(w, { asks: [], refused: [], from: clock() - 5 * MINUTE }); // the clock is moved back, too
		for (let i = 0; i < STEPS; i++) {
			const kill = below(4) ? null : pick(['SIGKILL', 'SIGKILL', 'SIGTERM']);
			await each(spaces, (w) => act(w, !kill));
			await go(pick([61 * S, 61 * S, 75 * S, 2 * MINUTE, 5 * MINUTE + 10 * S, 20 * MINUTE, -20 * S]), kill);
		}
		await each(spaces, async (w) => { for (const one of open(w)) await settle(w, one); });
		for (const ms of [63 * MINUTE, 61 * S, 5 * MINUTE + 10 * S, 61 * S]) await go(ms);
		await check();
		all += looks.length;
		slow += looks.filter((one) => one.slow).length;
		phone.got.length = 0;
		if (LONG) t.diagnostic(`${histories + SPACES} histories, ${told} alerts, ${kills} deaths`);
	}
	assert.ok(told > COUNT / 4, `${told} alerts`);
	assert.ok(slow <= all / 5, `${slow} of ${all} looks took too long to be judged`);
	assert.ok(found > planted * 0.9, `the oracle sees ${found} of ${planted} planted faults`);
	await nodes[0].command('check');
	t.diagnostic(`seed ${SEED}: ${COUNT} histories, ${told} alerts, ${kills} deaths; the oracle sees ${found} of ${planted} planted faults`);
});

test(`a node that dies is an alert until it is heard of again; one that says goodbye is none (seed ${SEED})`, { timeout: LONG ? 3600_000 : 300_000 }, async (t) => {
	const below = random(SEED), ROUNDS = LONG ? 60 : 3;
	const { store, nodes, clock, jump } = await pair(t, 'lives');
	const w = await space(nodes, 'default', { ...NONE, node: '60s' });
	Object.assign(w, { settings: { node: MINUTE }, deaths: [] });
	const looks = [];
	let step = 0;
	const idOf = (node) => sql(`SELECT id FROM nodes WHERE name LIKE '%${node.home.split('/').at(-1)}%'`, store);
	/** A step of the clock that no living node is silent for too long in. */
	const go = async () => {
		jump(20 * S);
		const due = clock(), lookDue = due - (looks.at(-1)?.at ?? 0) >= MINUTE, before = looks.length;
		await until(() => {
			const [at, , to] = seen(store);
			if (at && at !== looks.at(-1)?.at) looks.push({ at, step });
			return to >= due && (!lookDue || looks.length > before);
		}, 'a beat, and a look where one is due');
		step++;
	};
	for (let round = 0; round < ROUNDS; round++) {
		const victim = nodes[below(2)], how = below(3) ? 'SIGKILL' : 'SIGTERM', id = await until(() => idOf(victim), 'its row');
		const death = { node: id, at: clock(), step, bye: how === 'SIGTERM' };
		await victim.signal(how);
		w.deaths.push(death);
		for (let n = below(10); n >= 0; n--) await go();
		await victim.start();
		await until(() => seen(store)[1] >= death.at, 'it is heard of');
		death.back_step = step;
		for (let n = 3 + below(3); n > 0; n--) await go();
	}
	for (let n = 4; n > 0; n--) await go();
	const { items } = await w.call(w.admin, 'GET', '/v1/alerts?state=all&limit=200');
	judge(w, looks, items);
	assert.ok(items.every((a) => a.cleared_at), 'none is open');
	const gone = (await w.call(w.admin, 'GET', '/v1/events?format=json&types=node.gone&after=0')).items;
	assert.deepEqual(gone.map((e) => e.data.node).sort(), items.map((a) => a.key).sort());
	for (const a of items) {
		assert.equal(a.threshold, 60);
		await until(() => phone.got.some((g) => g.alert === a.id && g.purpose === 'settled'), 'its end is told');
	}
	t.diagnostic(`seed ${SEED}: ${w.deaths.length} deaths and goodbyes, ${items.length} alerts`);
});
