// What is signed, on two nodes that are killed: an approval is redeemed once over both, and not after a stop or a deny was
// acknowledged; after a key was rotated or revoked, no node signs with it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { judged } from '../api/lib/proof.mjs';
import { Cluster, Node, persist } from '../lib/cluster.mjs';
import { random } from '../lib/random.mjs';

// PARLEY_LONG=1: 50,000 redeems, 40 kills, 1,000 receipts; else 400, 2 and 40. PARLEY_REDEEMS=N: so many.
const LONG = Boolean(process.env.PARLEY_LONG);
const REDEEMS = Number(process.env.PARLEY_REDEEMS ?? (LONG ? 50_000 : 400)), KILLS = LONG ? 40 : 2, RECEIPTS = LONG ? 1000 : 40;
const LANES = 8, RACERS = 5, NAME = 'deploy.example.org';
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6), below = random(SEED);

const folder = mkdtempSync(join(tmpdir(), 'parley-redeem-'));
const secret = join(folder, 'secret.key');
writeFileSync(secret, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
const cluster = new Cluster();
const store = cluster.database('redeem');
const nodes = [0, 1].map(() => new Node(store, { flags: ['--secret-key-file', secret] }));
after(async () => {
	for (const node of nodes) await node.end();
	cluster.remove();
	rmSync(folder, { recursive: true, force: true });
});
await Promise.all(nodes.map((node) => node.start()));
const [admin, owner] = [await nodes[0].token('admin', 'ada'), await nodes[0].token('owner', 'olga')];

const send = (...request) => persist(nodes, ...request);
async function must(status, ...request) {
	const { status: got, body } = await send(...request);
	assert.equal(got, status, JSON.stringify(body));
	return body;
}

const count = { redeems: 0, tokens: 0, won: 0, unheard: 0, held: 0, kills: 0 };
let stoppers = 0;
const tokens = new Map(); // ask → {agent, told: how many were told that they redeemed it}

class Lane {
	constructor(n) { this.agent = `agent-${n}`; }

	async open() {
		this.token = await nodes[0].token('agent', this.agent);
		this.tool = `deploy_${this.agent.replace('-', '')}`;
		this.session = (await must(201, this.token, 'POST', '/v1/sessions', { title: this.agent, parallel: true })).id;
		await must(201, admin, 'POST', '/v1/rules', { effect: 'allow', match: { tool: [this.tool], agent: this.agent } });
		return this;
	}

	/** An approval that was used for the target. The use is not repeated: where its reply is lost, so is the token. */
	async approval() {
		for (let n = 0; ; n++) {
			const operation = { type: 'tool', name: this.tool, arguments: { n, token: count.tokens } };
			const ask = await must(201, this.token, 'POST', '/v1/asks', { kind: 'approval', session: this.session, operation });
			assert.equal(ask.answer.decision.value, 'approve');
			const { status, body } = await send(this.token, 'POST', `/v1/asks/${ask.id}/use`, { digest: ask.digest, for: NAME });
			if (status !== 200) continue;
			count.tokens += 1;
			tokens.set(ask.id, { agent: this.agent, told: 0 });
			return { ask: ask.id, body: { approval: body.approval, for: NAME, operation } };
		}
	}

	/** One try on a node of its choice. → status and type; 0: nobody knows */
	async redeem({ ask, body }) {
		const up = nodes.filter((node) => !node.isDown), node = up[below(up.length)];
		count.redeems += 1;
		try {
			const reply = await node.once(admin, 'POST', '/v1/approvals/redeem', body);
			if (reply.status === 200) {
				assert.equal(reply.body.ask, ask);
				tokens.get(ask).told += 1;
			}
			if (reply.status !== 503) return `${reply.status} ${reply.body.type ?? ''}`.trim();
		} catch (error) {
			if (error instanceof assert.AssertionError) throw error;
		}
		count.unheard += 1;
		return '0';
	}

	/** What holds it back, and takes itself back. */
	stopper() {
		const [path, body, word] = below(2) ? ['/v1/stops', { reason: this.agent, match: { agent: this.agent } }, 'stopped']
			: ['/v1/rules', { effect: 'deny', match: { tool: [this.tool] } }, 'denied'];
		let made;
		return { word, set: async () => { made = await must(201, admin, 'POST', path, body, `stopper-${stoppers++}`); },
			lift: () => send(admin, 'DELETE', `${path}/${made.id}`) };
	}

	async race(one, known) {
		const said = await Promise.all(Array.from({ length: RACERS }, () => this.redeem(one)));
		for (const word of said) assert.ok(['0', ...known].includes(word), `${word} of ${one.ask}`);
		return said;
	}

	async round() {
		const one = await this.approval();
		if (below(4) === 0) {
			const { word, set, lift } = this.stopper();
			const also = below(2) ? [] : [this.redeem(one), this.redeem(one)]; // it comes while others are under way
			await set();
			await Promise.all(also);
			const before = tokens.get(one.ask).told;
			await this.race(one, [`409 /problems/${word}`, '409 /problems/used']);
			assert.equal(tokens.get(one.ask).told, before, `redeemed after the ${word} was acknowledged`);
			count.held += 1;
			await lift();
		}
		await this.race(one, ['200', '409 /problems/used']);
		while (await this.redeem(one) !== '409 /problems/used') ; // whatever became of it, now it is used
		assert.ok(tokens.get(one.ask).told <= 1, `${one.ask} was redeemed twice`);
	}
}

/** Kills a node each time so many were redeemed. */
async function kill(every, working) {
	while (working()) {
		const from = count.redeems;
		while (working() && count.redeems < from + every) await new Promise((done) => { setTimeout(done, 5); });
		if (!working()) return;
		const node = nodes[count.kills++ % 2];
		await node.kill();
		await node.start();
	}
}

async function events(types) {
	const items = [];
	for (let from = 0; ;) {
		const page = await must(200, admin, 'GET', `/v1/events?format=json&limit=200&types=${types}&after=${from}`);
		if (!page.items.length) return items;
		items.push(...page.items);
		from = items.at(-1).id;
	}
}

test(`${REDEEMS} redeems raced over two nodes that are killed: once each, none after an acknowledged stop or deny`, async () => {
	const lanes = await Promise.all(Array.from({ length: LANES }, (_, i) => new Lane(i).open()));
	let working = true;
	const killing = kill(REDEEMS / (KILLS + 1), () => working);
	await Promise.all(lanes.map(async (lane) => { while (count.redeems < REDEEMS) await lane.round(); })).finally(() => { working = false; });
	await killing;
	/* By the log alone: each once, none between a stop or a deny and its end. */
	const seen = new Set(), held = new Map();
	for (const e of await events('approval.redeemed,stop.set,stop.lifted,rule.made,rule.ended')) {
		if (e.type === 'stop.set') held.set(e.data.stop, e.data.reason);
		if (e.type === 'rule.made' && e.data.effect === 'deny') held.set(e.data.rule, e.data.match.tool[0].replace('deploy_agent', 'agent-'));
		held.delete({ 'stop.lifted': e.data.stop, 'rule.ended': e.data.rule }[e.type]);
		if (e.type !== 'approval.redeemed') continue;
		assert.ok(!seen.has(e.ask), `${e.ask} twice in the log`);
		assert.ok(![...held.values()].includes(tokens.get(e.ask).agent), `${e.ask} redeemed while held`);
		seen.add(e.ask);
	}
	for (const [ask, { told }] of tokens) assert.ok(seen.has(ask) && told <= 1, `${ask}: told ${told} times`);
	count.won = [...tokens.values()].filter(({ told }) => told).length;
	assert.equal(seen.size, tokens.size);
	assert.ok(tokens.size - count.won <= count.unheard);
	await nodes[0].command('check');
	console.log(`# seed ${SEED}: ${JSON.stringify(count)}`);
});

test(`${RECEIPTS} receipts while keys are rotated and revoked on either node: what is known as revoked signs no more`, async () => {
	const asks = [...tokens.keys()], keys = async () => must(200, admin, 'GET', '/v1/keys');
	let left = RECEIPTS, rotations = 0, good = 0, old = 0;
	const read = async () => {
		while (left-- > 0) {
			const before = await keys();
			const receipt = await must(200, admin, 'GET', `/v1/asks/${asks[below(asks.length)]}/receipt`);
			const { kid } = JSON.parse(Buffer.from(receipt.protected, 'base64url'));
			const known = before.keys.find((key) => key.kid === kid);
			assert.ok(!known?.revoked && !known?.until, `signed with ${kid}, which was known to sign no more`);
			const now = await keys(), key = now.keys.find((one) => one.kid === kid);
			await judged(receipt, now);
			good += !key.revoked;
			old += Boolean(key.until);
		}
	};
	const turn = async () => {
		while (left > 0) {
			const { keys: [signs, ...rest] } = await keys();
			const open = rest.filter((key) => !key.revoked);
			if (rotations++ % 2) await must(201, owner, 'POST', '/v1/keys', {});
			else await must(200, owner, 'POST', `/v1/keys/${(open[0] ?? signs).kid}/revoke`, { reason: 'drill' });
		}
	};
	await Promise.all([...Array.from({ length: 4 }, read), turn()]);
	const { keys: all } = await keys();
	assert.deepEqual(all.map((key) => key.until === null), all.map((_, i) => i === 0), 'one signs');
	console.log(`# ${JSON.stringify({ receipts: RECEIPTS, rotations, keys: all.length, good, old })}`);
});
