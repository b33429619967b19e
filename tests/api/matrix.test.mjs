// The matrix: an ask is an ask, whoever makes it. Every way in which one is made (lib/matrix_ways.mjs) times everything
// that follows from one (lib/matrix_reactions.mjs), each cell through the real program.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ScriptModel } from '../lib/script_model.mjs';
import { REACTIONS } from './lib/matrix_reactions.mjs';
import { answer, WAYS } from './lib/matrix_ways.mjs';
import { until, useServer } from './lib/server.mjs';

/** Cells that fail today. One that passes fails the test: it is taken out here. */
const known_failures = new Set([]);
const KNOWN_MS = 2000; // what fails may do so without a minute's patience
const AT_ONCE = 16;

const folder = mkdtempSync(join(tmpdir(), 'parley-matrix-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const model = await new ScriptModel(answer).start();
after(() => model.stop());
const config = join(folder, 'parley.conf');
writeFileSync(config, (await Promise.all(Object.values(REACTIONS).map((reaction) => reaction.config?.(folder) ?? ''))).join(''));
const server = await useServer({ keepPort: true, env: { PARLEY_TEST_TOOLS: '1' }, flags: ['--config', config, '--webhook-internal', '127.0.0.0/8',
	'--notify-rate', '1000', '--ask-rate', '0', '--mcp-wait', '5m'] });
const { member, admin } = server;
const [second, third] = [await server.as('member', 'max'), await server.as('member', 'lea')];
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };

class Cell {
	constructor(wayName, reactionName) {
		Object.assign(this, { wayName, reactionName, way: WAYS[wayName], reaction: REACTIONS[reactionName], server, member, admin,
			second, third, folder });
		this.title = `${wayName} x ${reactionName}`;
		this.name = `${wayName}-${reactionName}`;
		this.known = known_failures.has(this.title);
	}

	/** Why this cell makes no sense, if so. */
	get notApplicable() { return this.reaction.not?.(this.way); }

	/** Whether the ask is to have an operation that somebody approves. */
	get approval() { return this.way.makes.includes('approval') && (Boolean(this.reaction.approval) || this.way.makes.length === 1); }

	until(fn, what) { return until(fn, `${this.title}: ${what}`, this.known ? KNOWN_MS : undefined); }

	/** What there must be before it is asked. */
	async prepare() {
		await this.reaction.prepare?.(this);
		if (this.way.runs) return;
		this.token = ok(await admin.post('/v1/tokens', { name: this.name, role: 'agent', ...this.way.token, ...this.behind }), 201).token;
		this.agent = server.client(this.token);
		this.session = (await this.agent.session({ external_id: this.name, parallel: true, project: this.project, on_settled: this.onSettled })).id;
	}

	/** Returns once the ask stands in its session. */
	async appears() {
		if (this.reaction.unasked) return;
		this.ask = await this.until(async () => ok(await member.get(`/v1/sessions/${this.session}`)).pending_asks[0], 'the ask');
	}

	async make() {
		const outcome = await this.way.ask(this, this.approval);
		let said;
		this.outcome = () => (said ??= outcome());
	}

	async read() {
		const { mark, ...ask } = ok(await member.get(`/v1/asks/${this.ask.id}`));
		return ask;
	}

	async sessionEvents(type) {
		return ok(await admin.get(`/v1/events?format=json&after=0&limit=200&session=${this.session}&types=${type}`)).items;
	}

	async events(type) {
		return (await this.sessionEvents(type)).filter(({ ask }) => ask === this.ask.id);
	}

	/** What a person says who wants it to go on. → the reply */
	async yes(who = member) {
		const { kind, questions: [{ key, type }] } = this.ask;
		const value = kind === 'approval' ? 'approve' : kind === 'error_recovery' ? 'retry' : type === 'boolean' ? true : 'Yes';
		return ok(await who.answer(this.ask, { [key]: value }));
	}

	async check() {
		await this.reaction.asked?.(this);
		if (this.reaction.settle) await this.reaction.settle(this);
		else await this.yes();
		await this.reaction.settled?.(this);
	}

	/** The clock is a minute on, once all cells that want it so are there. */
	minute() { return clock.minute(); }
}

/** One step of the clock for all cells that wait for one; who fails before that is not waited for. */
const clock = {
	waiting: [],
	minute() {
		return new Promise((done) => {
			this.waiting.push(done);
			this.look();
		});
	},
	leave() {
		this.expected -= 1;
		this.look();
	},
	look() {
		if (!this.waiting.length || this.waiting.length < this.expected) return;
		server.jump(61e3);
		for (const done of this.waiting.splice(0)) done();
	},
};

const cells = Object.keys(REACTIONS).flatMap((reaction) => Object.keys(WAYS).map((way) => new Cell(way, reaction)));
const applicable = cells.filter((cell) => !cell.notApplicable);

async function workspace() {
	const { version } = ok(await admin.get('/v1/policy'));
	ok(await admin.put('/v1/policy', { version, mode: 'manual', at_once: { auto: 64, manual: 64, selective: 64 } }));
	ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url, at_once: 64 }), 201);
	const m = { server, admin, member, third, routes: [] };
	for (const one of [...Object.values(WAYS)]) await one.prepare?.(m);
	for (const one of [...Object.values(REACTIONS)]) await one.workspace?.(m);
	const routes = ok(await admin.get('/v1/routes'));
	ok(await admin.put('/v1/routes', { version: routes.version, items: [...m.routes, { match: {}, steps: [] }] }));
	await each(applicable, (cell) => cell.prepare());
	/* What a kill interrupts is begun before all else, and killed at once. */
	const crashes = applicable.filter(({ way }) => way.crashes);
	await each(crashes, (cell) => cell.way.begin(cell));
	await server.crash();
}

/** This for each of them, so many at a time. */
async function each(list, fn) {
	const left = [...list];
	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		for (let one; (one = left.shift());) await fn(one);
	}));
}

async function walk(cell) {
	try {
		await cell.make();
		await cell.check();
	} finally {
		if (cell.reaction.late) clock.leave();
	}
}

await workspace();

for (const [title, late] of [['everything that follows from every ask', false], ['and what follows when its time is up', true]]) {
	test(title, { concurrency: late ? 1000 : AT_ONCE }, async (t) => {
		const now = cells.filter(({ reaction }) => Boolean(reaction.late) === late);
		clock.expected = now.filter((cell) => !cell.notApplicable).length;
		await Promise.all(now.map((cell) => t.test(cell.title, { skip: cell.notApplicable && `not applicable: ${cell.notApplicable}` }, async () => {
			if (!cell.known) return walk(cell);
			await assert.rejects(walk(cell), `${cell.title} passes: take it out of known_failures`);
			return undefined;
		})));
	});
}

test('known failures are cells', () => {
	const titles = new Set(applicable.map(({ title }) => title));
	assert.deepEqual([...known_failures].filter((title) => !titles.has(title)), []);
});

test('the chain of all of it is sound', async () => {
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});
