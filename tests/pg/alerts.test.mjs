// Alerts on two nodes: random histories of asks, answers, refusals, deaths, restarts and steps of the clock against an
// oracle (tests/lib/alert_oracle.mjs); and nodes that die, come back and say goodbye.
//
// Many histories are lived at once, on one pair of nodes that shares its deaths and its clock: a workspace is one, with all that
// is counted of a workspace, or each of its projects is, with a route of its own.
// 100 histories; PARLEY_LONG=1: 50,000, 2,000 at once. PARLEY_COUNT=N: so many.
import assert from 'node:assert/strict';
import http from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { judge } from '../lib/alert_oracle.mjs';
import { Cluster, Node } from '../lib/cluster.mjs';
import { Psql } from '../lib/postgres.mjs';
import { random } from '../lib/random.mjs';
import { PATIENCE_MS, sleep, until } from '../lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const COUNT = Number(process.env.PARLEY_COUNT ?? (LONG ? 50_000 : 100));
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
/** At once: of 100 histories five are workspaces, 95 are projects of one more. */
const AT_ONCE_MOST = 2000, WHOLE = 5, PROJECTS = 95;
const STEPS = 7, CALLS = 64;
const S = 1000, MINUTE = 60 * S, targets = [2, 5];

const cluster = new Cluster();
/** What was told: alert and purpose → ids of deliveries. */
const heard = new Map();
const receiver = http.createServer((request, response) => {
	let text = '';
	request.on('data', (part) => { text += part; });
	request.on('end', () => {
		const { data } = JSON.parse(text), key = `${data.alert?.id} ${data.purpose}`;
		heard.set(key, (heard.get(key) ?? new Set()).add(request.headers['webhook-id']));
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
const times = (alert, purpose) => heard.get(`${alert} ${purpose}`)?.size ?? 0;

/** Two nodes whose clock is one. */
async function pair(t, name) {
	const store = cluster.database(name), psql = new Psql(store);
	const flags = ['--webhook-internal', '127.0.0.0/8', '--webhook-host-max', '64', '--notify-rate', '1000'];
	const first = new Node(store, { keepPort: true, flags });
	const nodes = [first, new Node(store, { keepPort: true, flags, env: { PARLEY_TEST_CLOCK: first.clockFile } })];
	t.after(() => Promise.all([psql.end(), ...nodes.map((node) => node.end())]));
	for (const node of nodes) await node.start();
	return { psql, nodes, clock: () => Date.now() + first.offset, jump: (ms) => first.jump(ms) };
}

/** → when somebody looked last; when the nodes were heard of, the first and the last of them; when the look was begun. */
const seen = async (psql) => (await psql.query("SELECT l.done_ms, min(seen_ms), max(seen_ms), l.lease_ms - 30000 FROM nodes, leases l"
	+ " WHERE l.name = 'alerts' GROUP BY l.done_ms, l.lease_ms")).split('|').map(Number);

/** So many at once. */
async function each(list, fn) {
	const left = list.values();
	await Promise.all(Array.from({ length: CALLS }, async () => {
		for (const one of left) await fn(one);
	}));
}

const called = async (node, token, method, path, body) => {
	const { status, body: reply } = await node.call(token, method, path, body);
	assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(reply)}`);
	return reply;
};

/** The local admin of a workspace, by the machine's own socket. */
const local = (node, workspace, path, body) => new Promise((done, fail) => {
	http.request({ socketPath: join(node.data, 'parley.sock'), method: 'POST', path,
		headers: { 'content-type': 'application/json', 'parley-workspace': workspace } }, (response) => {
		let text = '';
		response.on('data', (part) => { text += part; });
		response.on('end', () => (response.statusCode < 300 ? done(JSON.parse(text)) : fail(new Error(`${path}: ${text}`))));
	}).on('error', fail).end(JSON.stringify(body));
});

/** A workspace with an agent, a member and an admin whose webhook hears of alerts; each of these projects has a route with a target. */
async function space([node], name, policy, projects = ['prompt']) {
	const call = (...args) => called(node, ...args);
	if (name !== 'default') await local(node, 'default', '/v1/workspaces', { name });
	const [admin, agent, member] = (await Promise.all(['admin', 'agent', 'member']
		.map((role) => local(node, name, '/v1/tokens', { role, name: role })))).map((made) => made.token);
	const { user } = await call(admin, 'GET', '/v1/me');
	await call(admin, 'POST', `/v1/users/${user.id}/contacts`, { channel: 'webhook', address: url, format: 'parley', name: 'phone' });
	const { version } = await call(admin, 'GET', '/v1/routes');
	const { items } = await call(admin, 'PUT', '/v1/routes', { version, items: [
		{ name: 'Alerts', match: { kind: ['alert'] }, steps: [{ after: '0s', to: ['role:admin'] }] },
		...projects.map((project, i) => ({ name: project, match: { project }, target: `${targets[i % 2]}m`, steps: [] })), { name: 'Rest', match: {}, steps: [] }] });
	const rules = await call(admin, 'GET', '/v1/policy');
	await call(admin, 'PUT', '/v1/policy', { version: rules.version, alerts: policy });
	return { name, call, agent, member, admin, routes: items.slice(1, -1).map(({ id }, i) => ({ id, target: targets[i % 2] * MINUTE })) };
}

const pages = async (w, path, goes) => {
	const all = [];
	for (let cursor = ''; cursor !== null;) {
		const { items, next_cursor: next } = await w.call(w.admin, 'GET', `${path}&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		all.push(...items);
		cursor = goes(items) ? next : null;
	}
	return all;
};

const NONE = { timeouts: null, unanswered: null, unreachable: null, errors: null, dead: null, overdue: null, model: null, node: null };
const SPANS = { '2m': 2 * MINUTE, '10m': 10 * MINUTE, '1h': 60 * MINUTE };

/** So many histories, in workspaces of their own. */
async function histories(count, nodes, pick, below) {
	const spaces = [], lived = [];
	for (let i = 0; lived.length < count; i++) {
		const whole = i % (WHOLE + 1) < WHOLE, room = Math.min(PROJECTS, count - lived.length);
		const policy = { ...NONE, min: 2 + below(whole ? 4 : 2), window: pick(['10m', '1h']), overdue: pick([0.2, 0.6, null]) };
		if (whole) Object.assign(policy, { timeouts: pick([0.2, 0.5, null]), unanswered: pick(['2m', '10m', '1h', null]), errors: pick([0.05, 0.4, null]) });
		else policy.overdue ??= 0.4;
		const settings = { ...policy, window: SPANS[policy.window], unanswered: SPANS[policy.unanswered] };
		const one = { name: i ? `w${i}` : 'default', policy, projects: whole ? ['prompt'] : Array.from({ length: room }, (_, n) => `p${n}`) };
		spaces.push(one);
		lived.push(...one.projects.map((project, n) => ({ w: one, n, whole, project, settings })));
	}
	await each(spaces, async (one) => Object.assign(one, await space(nodes, one.name, one.policy, one.projects)));
	for (const h of lived) h.route = h.w.routes[h.n];
	return { spaces, lived };
}

test(`alerts are raised, told and cleared once each, as an oracle says (seed ${SEED})`, { timeout: LONG ? 6 * 3600_000 : 900_000 }, async (t) => {
	const below = random(SEED), pick = (list) => list[below(list.length)];
	const { psql, nodes, clock, jump } = await pair(t, 'histories');
	const { spaces, lived } = await histories(Math.min(COUNT, AT_ONCE_MOST), nodes, pick, below);
	const byId = new Map(); // the asks that are open for all that is known
	const looks = [];
	let step = 0, kills = 0, told = 0, asked = 0, all = 0, slow = 0, planted = 0, found = 0, from = 0;
	/** The look since the last time, if there was one. */
	const state = async (acting = false) => {
		const [at, first, last, begun] = await seen(psql);
		if (at && at !== looks.at(-1)?.at) looks.push({ at, step, slow: acting || at - begun > 3 * S });
		return { looks: looks.length, first, last };
	};
	const settled = (id, status, at) => {
		const one = byId.get(id);
		Object.assign(one, { status, settled: at, settled_step: step });
		byId.delete(id);
	};
	/** What expired meanwhile. */
	const expire = async () => {
		const rows = await psql.query(`SELECT id, settled_ms FROM asks WHERE status = 'expired' AND settled_ms > ${from}`);
		for (const [id, at] of rows.split('\n').map((row) => row.split('|'))) if (byId.has(id)) settled(id, 'expired', Number(at));
	};
	const ask = async ({ h, extra }) => {
		const { status, body } = await h.w.node.once(h.w.agent, 'POST', '/v1/asks', { question: `Go ${++asked}?`, type: 'boolean', ...extra });
		assert.equal(status, 201, JSON.stringify(body));
		const one = { id: body.id, kind: body.kind, created: Date.parse(body.created_at), deadline: body.expires_at && Date.parse(body.expires_at),
			prompt: Boolean(extra.project), step };
		h.asks.push(one);
		byId.set(one.id, one);
	};
	/** [path, body] */
	const WAYS = [['settle-many', { answer: true }], ['settle-many', { answer: false }], ['settle-many', { skip: true }], ['cancel']];
	const settle = async ({ w, ids, way: [path, body] }) => {
		const replies = path === 'cancel'
			? await Promise.all(ids.map((id) => w.node.once(w.agent, 'POST', `/v1/asks/${id}/cancel`, {}).then((reply) => ({ id, ...reply, ask: reply.body.ask }))))
			: (await w.node.once(w.member, 'POST', '/v1/asks/settle-many', { ids, ...body })).body.results;
		for (const { id, status, ask: one } of replies) {
			assert.ok(status === 200 || status === 409, `${id}: ${status}`); // 409: it has just expired
			if (status === 200) settled(id, one.status, Date.parse(one.settled_at));
		}
	};
	/** What each history does in a step, by one of the nodes; what is settled alike in a workspace is settled together. */
	const act = async (calm) => {
		for (const w of spaces) w.node = pick(nodes);
		const asks = [], refused = [], ends = new Map();
		const end = (w, { id }) => {
			const way = below(WAYS.length), key = `${w.name} ${way}`;
			if (!ends.has(key)) ends.set(key, { w, ids: [], way: WAYS[way] });
			ends.get(key).ids.push(id);
		};
		for (const h of lived) {
			const open = h.asks.filter((one) => byId.has(one.id));
			for (let n = below(h.whole ? 4 : 3); n > 0; n--) {
				const dice = below(10), extra = { kind: pick(['blocking', 'non_blocking']), ...(below(2) ? { timeout: pick(['30s', '90s', '10m']) } : {}) };
				if (dice < 5) asks.push({ h, extra: { ...extra, ...(h.whole && below(3) ? {} : { project: h.project }) } });
				else if (dice < 8 && open.length) end(h.w, open.splice(below(open.length), 1)[0]);
				else if (dice >= 8 && calm && h.whole) refused.push(h);
			}
		}
		await each([...asks.map((a) => () => ask(a)), ...[...ends.values()].map((e) => () => settle(e)), ...refused.map((h) => async () => {
			const reply = await h.w.node.once(h.w.agent, 'POST', '/v1/asks', { question: 7 });
			assert.equal(reply.status, 422);
			h.refused.push({ at: clock(), step });
		})], (fn) => fn());
	};
	/** A step of the clock; returns after a look, when all that was due has happened. */
	const go = async (ms, kill) => {
		const before = await state(true);
		jump(ms);
		const due = clock();
		let dead;
		if (kill) {
			await sleep(below(300));
			dead = pick(nodes);
			await dead.signal(kill);
			kills++;
		}
		const begun = Date.now();
		let moved = 0;
		for (let now = await state(); now.looks === before.looks; now = await state()) {
			// Who looked was killed: its lease runs out by the clock.
			if (Date.now() - begun > 3 * S && moved++ < 3) jump(31 * S);
			assert.ok(Date.now() - begun < 3 * PATIENCE_MS, 'nobody looks for alerts');
			await sleep(20);
		}
		if (dead) await dead.start();
		// What nodes counted is kept with their beat.
		await until(async () => {
			const { first, last } = await state();
			return first >= due && last <= clock();
		}, 'both nodes are heard of');
		await until(async () => {
			await expire();
			return [...byId.values()].every((one) => !one.deadline || one.deadline > clock() - 200);
		}, 'what is past its deadline expires');
		await state();
		step++;
	};
	/** The oracle sees one that is missing, one that is told twice and one that does not end. */
	const plant = (h, alerts) => {
		for (const a of alerts) {
			for (const wrong of [alerts.filter((b) => b !== a), [...alerts, { ...a, id: 'again' }], alerts.map((b) => (b === a ? { ...a, cleared_at: null } : b))]) {
				planted++;
				try {
					judge(h, looks, wrong);
				} catch {
					found++;
				}
			}
		}
	};
	/** Nobody is told of what was over before its message went out. */
	const over = async (a) => await psql.query(`SELECT count(*) FROM deliveries WHERE ask = '${a.id}' AND status = 'dropped'`) !== '0';
	const check = async () => {
		await each(spaces, async (w) => {
			const young = (a) => Date.parse(a.since) >= from;
			w.alerts = (await pages(w, '/v1/alerts?state=all', (items) => items.some(young))).filter(young);
			assert.ok(w.alerts.every((a) => a.cleared_at), `${w.name}: none is open`);
			for (const a of w.alerts) {
				await until(async () => (times(a.id, 'alert') && times(a.id, 'settled')) || over(a), `${w.name}: ${a.id} ${a.kind} is told`, 3 * PATIENCE_MS);
				const counts = ['alert', 'settled'].map((purpose) => times(a.id, purpose));
				assert.ok(counts.every((n) => n === 1) || (await over(a) && counts.every((n) => n <= 1)), `${w.name} ${a.id}: ${counts}`);
			}
		});
		let judged = 0;
		for (const h of lived) {
			const alerts = h.whole ? h.w.alerts : h.w.alerts.filter((a) => a.key === h.route.id);
			try {
				judged += judge(h, looks, alerts);
			} catch (error) {
				throw new Error(`${h.w.name} ${h.project}: ${error.message}\n${JSON.stringify({ settings: h.settings, asks: h.asks, refused: h.refused, looks, alerts })}`);
			}
			plant(h, alerts);
		}
		assert.equal(judged, spaces.reduce((n, w) => n + w.alerts.length, 0), 'each alert is of one history');
		told += judged;
	};
	for (let done = 0; done < COUNT; done += lived.length) {
		await state();
		looks.length = step = 0;
		const last = [];
		from = clock() - 5 * MINUTE; // the clock is moved back, too
		for (const h of lived) Object.assign(h, { asks: [], refused: [] });
		for (let i = 0; i < STEPS; i++) {
			const kill = below(3) ? null : pick(['SIGKILL', 'SIGKILL', 'SIGTERM']);
			await act(!kill);
			await go(pick([61 * S, 61 * S, 75 * S, 2 * MINUTE, 5 * MINUTE + 10 * S, 20 * MINUTE, -20 * S]), kill);
		}
		for (const h of lived) {
			const ids = h.asks.map((one) => one.id).filter((id) => byId.has(id));
			if (ids.length) last.push({ w: h.w, ids, way: pick(WAYS) });
		}
		await each(last, settle);
		for (const ms of [63 * MINUTE, 61 * S, 5 * MINUTE + 10 * S, 61 * S]) await go(ms);
		await check();
		all += looks.length;
		slow += looks.filter((one) => one.slow).length;
		heard.clear();
		if (LONG) t.diagnostic(`${done + lived.length} histories, ${told} alerts, ${kills} deaths`);
	}
	/* A short run has a dozen looks, on a machine that is busy with other suites. */
	assert.ok(told > COUNT / (LONG ? 8 : 50), `${told} alerts`);
	assert.ok(slow <= all / (LONG ? 5 : 2), `${slow} of ${all} looks took too long to be judged`);
	assert.ok(found > planted * (LONG ? 0.9 : 0.6), `the oracle sees ${found} of ${planted} planted faults`);
	await nodes[0].command('check');
	t.diagnostic(`seed ${SEED}: ${COUNT} histories, ${asked} asks, ${told} alerts, ${kills} deaths; the oracle sees ${found} of ${planted} planted faults`);
});

test(`a node that dies is an alert until it is heard of again; one that says goodbye is none (seed ${SEED})`, { timeout: LONG ? 3600_000 : 300_000 }, async (t) => {
	const below = random(SEED), ROUNDS = LONG ? 60 : 3;
	const { psql, nodes, clock, jump } = await pair(t, 'lives');
	const w = await space(nodes, 'default', { ...NONE, node: '60s' });
	Object.assign(w, { settings: { node: MINUTE }, deaths: [] });
	const looks = [];
	let step = 0;
	const idOf = (node) => psql.query(`SELECT id FROM nodes WHERE name LIKE '%${node.home.split('/').at(-1)}%'`);
	/** A step of the clock that no living node is silent for too long in. */
	const go = async () => {
		jump(20 * S);
		const due = clock(), lookDue = due - (looks.at(-1)?.at ?? 0) >= MINUTE, before = looks.length;
		await until(async () => {
			const [at, , to] = await seen(psql);
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
		await until(async () => (await seen(psql))[1] >= death.at, 'it is heard of');
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
		await until(() => times(a.id, 'settled'), 'its end is told');
	}
	t.diagnostic(`seed ${SEED}: ${w.deaths.length} deaths and goodbyes, ${items.length} alerts`);
});
