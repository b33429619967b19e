// What is approved is what runs, whatever an agent makes of it; and what a dry run says is what happens: of one rule when it is
// tried, of rules and a policy when they are rehearsed. PARLEY_LONG=1: 10,000 of each, and a rehearsal of 50,000.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const server = await useServer({ env: { PARLEY_ASK_RATE: '0' } });
const { agent, member, admin } = server;
const max = await server.as('member', 'max');

const pick = (list) => list[Math.floor(Math.random() * list.length)];
function canonical(value) {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value && typeof value === 'object') {
		return `{${Object.keys(value).sort().map((k) => `${JSON.stringify(k)}:${canonical(value[k])}`).join(',')}}`;
	}
	return JSON.stringify(value);
}
const digest = (value) => `sha256:${createHash('sha256').update(canonical(value)).digest('hex')}`;
/** In lanes beside each other, so that a batch has several. */
async function repeat(times, lanes, fn) {
	let n = 0;
	await Promise.all(Array.from({ length: lanes }, async () => {
		while (n < times) await fn(n++);
	}));
}

const MUTATIONS = [
	(o) => ({ ...o, arguments: { ...o.arguments, command: `${o.arguments.command} ` } }),
	(o) => ({ ...o, arguments: { ...o.arguments, command: o.arguments.command.replace('a', 'а') } }),
	(o) => ({ ...o, arguments: { ...o.arguments, extra: null } }),
	(o) => ({ ...o, name: o.name.toLowerCase() }),
	(o) => ({ ...o, type: 'mcp' }),
	(o) => (({ type, ...rest }) => rest)(o),
	(o) => ({ ...o, session: 'ses_00000000000000000000000000' }),
];

test('an operation that differs from the approved one does not run, with votes and edits', async () => {
	let ran = 0, refused = 0;
	await repeat(LONG ? 10_000 : 300, 8, async (n) => {
		const operation = { type: 'tool', name: 'Bash', arguments: { command: `make a-${n}`, n } };
		const require = n % 3 === 0 ? [{ approvals: 2 }] : undefined;
		const edited = n % 2 ? { command: `make b-${n}`, n } : undefined;
		const ask = await agent.ask({ kind: 'approval', operation, ...(require && { require }) });
		const voters = require ? [member, max] : [pick([member, max, admin])];
		for (const who of voters) {
			assert.equal((await who.answer(ask, { decision: { value: 'approve', ...(edited && { arguments: edited }) } })).status, 200);
		}
		const approved = { ...operation, ...(edited && { arguments: edited }), session: ask.session };
		const use = (of) => agent.post(`/v1/asks/${ask.id}/use`, { digest: digest(of) });
		const mutated = edited && n % 4 === 1 ? { ...operation, session: ask.session } : pick(MUTATIONS)(approved);
		ran += (await use(mutated)).status === 200;
		refused += 1;
		assert.equal((await use(approved)).status, 200, canonical(approved));
		assert.equal((await use(approved)).status, 409);
	});
	assert.equal(ran, 0);
	assert.ok(refused >= 300);
});

const PROGRAMS = ['git', 'npm', 'ls', 'make', 'docker'], WORDS = ['status', 'test', 'push', 'install', '-l', 'build', '--force'];
const command = () => `${pick(PROGRAMS)} ${pick(WORDS)}${Math.random() < 0.2 ? `; ${pick(PROGRAMS)} ${pick(WORDS)}` : ''}`;

const standing = { effect: 'deny', match: { tool: ['Bash(* --force*)'] } };
for (const [rule, beside] of [
	[{ effect: 'allow', match: { tool: ['Bash(git *)'] } }, standing],
	[{ effect: 'allow', match: { tool: ['Bash(*)'], risk: { max: 'high' } } }, standing],
	[{ effect: 'deny', match: { tool: ['Bash(npm install*)', 'Bash(docker *)'] } }, null],
	[{ effect: 'ask', match: { tool: ['Bash(make:*)'] } }, standing],
]) {
	test(`what trying says is what happens when it is asked again: ${rule.effect} ${rule.match.tool[0]}`, async () => {
		const name = `a${Date.now()}`;
		const asking = await server.as('agent', name);
		const other = beside && (await admin.post('/v1/rules', beside)).body;
		const past = Array.from({ length: LONG ? 10_000 : 250 }, () => ({ kind: 'approval',
			operation: { type: 'tool', name: 'Bash', arguments: { command: command() }, ...(Math.random() < 0.2 && { risk: pick(['low', 'high', 'critical']) }) },
			...(Math.random() < 0.1 && { questions: [{ key: 'ok', text: 'OK?', type: 'approval' }, { key: 'why', text: 'Why?', type: 'text' }] }) }));
		let open = 0;
		await repeat(past.length, 8, async (n) => {
			const ask = await asking.ask(past[n]);
			if (ask.status !== 'pending') return;
			if (!past[n].questions && Math.random() < 0.7) await member.answer(ask, { decision: pick(['approve', 'reject']) });
			else open += 1;
		});
		const tried = (await member.post('/v1/rules/try', { rule, agent: name })).body;
		assert.equal(tried.looked, past.length);
		assert.equal(tried.fits, tried.allow + tried.ask + tried.deny);
		assert.ok(tried.open <= open);
		const made = (await admin.post('/v1/rules', rule)).body;
		const seen = { allow: 0, ask: 0, deny: 0 };
		await repeat(past.length, 8, async (n) => {
			const ask = await asking.ask(past[n]);
			seen[ask.status === 'pending' ? 'ask' : Object.values(ask.answer)[0].value === 'approve' ? 'allow' : 'deny'] += 1;
		});
		// Where the rule decides it counts a hit; nothing else allows.
		const { hits } = (await member.get(`/v1/rules/${made.id}`)).body;
		assert.equal(hits, tried[rule.effect], JSON.stringify(tried));
		if (rule.effect !== 'ask') assert.equal(seen[rule.effect], tried[rule.effect]);
		assert.ok(hits > past.length / 50, `${hits}`);
		for (const r of [made, other]) if (r) assert.equal((await admin.delete(`/v1/rules/${r.id}`)).status, 204);
	});
}

test('what a rehearsal says is what happens when the same are asked again under the saved rules', async () => {
	await server.command('workspace', 'create', 'rehearsed');
	const [ci, mo, al] = await Promise.all(['agent', 'member', 'admin'].map((role) => server.token(role, role, ['--workspace', 'rehearsed'])));
	const person = server.client(mo), keeper = server.client(al);
	const asked = async (body) => (await server.call(ci, 'POST', '/v1/asks', body)).body;
	const operation = () => ({ kind: 'approval', operation: { type: 'tool', name: pick(['Bash', 'Bash', 'Bash', 'deploy']),
		arguments: { command: command() }, ...(Math.random() < 0.2 && { risk: pick(['low', 'high', 'critical']) }) },
	...(Math.random() < 0.5 && { project: pick(['shop', 'web']) }) });
	const effects = { asked: 0, allowed: 0, denied: 0 };
	const doneOf = (ask) => (ask.status === 'pending' ? 'asked' : ask.answer.decision.value === 'approve' ? 'allowed' : 'denied');
	const past = Array.from({ length: LONG ? 10_000 : 250 }, operation), ids = [];
	await repeat(past.length, 8, async (n) => {
		const { id, digest: shown } = await asked(past[n]);
		ids[n] = id;
		const body = { answers: { decision: pick(['approve', 'reject']) }, digest: shown };
		if (Math.random() < 0.6) assert.equal((await server.call(mo, 'POST', `/v1/asks/${id}/answer`, body)).status, 200);
	});
	const add = [
		{ effect: 'allow', match: { tool: ['Bash(git *)', 'Bash(ls*)'] } },
		{ effect: 'allow', match: { tool: ['Bash(npm *)'], project: 'shop', risk: { max: 'high' } } },
		{ effect: 'deny', match: { tool: ['Bash(* --force*)', 'Bash(docker *)'] } },
		{ effect: 'ask', match: { tool: ['Bash(git push*)'] } },
		{ effect: 'allow', match: { tool: ['deploy'], arguments: { '/command': { glob: 'make*' } } } },
	];
	const policy = { risks: [{ tool: ['Bash(npm install*)'], risk: 'high' }] };
	const { body: rehearsed, status, text } = await person.post('/v1/rehearse', { policy, add });
	assert.equal(status, 200, text);
	assert.deepEqual([rehearsed.operations, rehearsed.was], [past.length, { asked: past.length, allowed: 0, denied: 0 }]);
	const { version, ...rest } = (await keeper.get('/v1/policy')).body;
	assert.equal((await keeper.put('/v1/policy', { ...rest, ...policy, version })).status, 200);
	for (const rule of add) assert.equal((await keeper.post('/v1/rules', rule)).status, 201);
	const again = new Map();
	await repeat(past.length, 8, async (n) => {
		const done = doneOf(await asked(past[n]));
		effects[done] += 1;
		again.set(ids[n], done);
	});
	assert.deepEqual(rehearsed.would, effects);
	for (const { ask, would } of rehearsed.differs) assert.equal(again.get(ask), would, ask);
	assert.ok(effects.allowed && effects.denied && effects.asked, JSON.stringify(effects));
	if (!LONG) return;
	await repeat(50_000 - 2 * past.length, 16, () => asked(operation()));
	const from = performance.now();
	const { operations } = (await person.post('/v1/rehearse', { policy, add })).body;
	const took = performance.now() - from;
	console.log(`# ${JSON.stringify(effects)} as foretold; ${operations} operations rehearsed in ${took.toFixed(0)} ms`);
	assert.ok(operations >= 49_999 && took <= 2000, `${operations} in ${took} ms`);
});
