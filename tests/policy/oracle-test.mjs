// oracle-test.mjs PROGRAM [DECISIONS [SEED]]: random rule sets and operations, decided by the engine (PROGRAM, see
// decide.c) and by the oracle; and that adding a deny or an ask, or taking an allow away, never loosens.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { decide, lookAt, modeSays, riskOf, ruleOf } from './oracle.mjs';
import { Random, caseOf } from './random.mjs';

const [program, count, start] = process.argv.slice(2);
const wanted = Number(count ?? (process.env.PARLEY_LONG ? 1_000_000 : 30_000));
const seed = Number(start ?? process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const STRENGTH = { allow: 0, none: 1, ask: 2, deny: 3 };
const tally = { allow: 0, none: 0, ask: 0, deny: 0, refused: 0, rules: 0, properties: 0 };
let decisions = 0;

function differs(what, kase, ask, ours, theirs) {
	console.error(`seed ${seed}: ${what}\nrules ${JSON.stringify(kase.rules)}\npolicy ${JSON.stringify(kase.policy)}\nask ${JSON.stringify(ask)}\n` +
		`oracle ${JSON.stringify(ours)}\nengine ${JSON.stringify(theirs)}`);
	process.exit(1);
}

function check(kase, reply) {
	const rules = kase.rules.map(ruleOf);
	if (!reply.policy) differs('policy refused', kase, null, true, false);
	rules.forEach((r, i) => {
		tally.rules++;
		tally.refused += r === null;
		if ((r !== null) !== reply.rules[i]) differs(`rule ${i}`, kase, null, r !== null, reply.rules[i]);
	});
	kase.asks.forEach((ask, i) => {
		const look = lookAt(ask.operation, ask), risk = riskOf(kase.policy.risks, look);
		const said = decide(rules, look, risk, !ask.alone);
		const ours = [said.effect, risk, said.hits, modeSays(kase.policy, look.type, risk)];
		if (JSON.stringify(ours) !== JSON.stringify(reply.said[i])) differs(`decision ${i}`, kase, ask, ours, reply.said[i]);
		tally[said.effect]++;
		decisions++;
		if (!reply.rules[kase.without]) return;
		const [less, more] = [reply.without[i], reply.said[i][0]];
		const loosened = kase.rules[kase.without].effect === 'allow' ? STRENGTH[less] < STRENGTH[more] : STRENGTH[more] < STRENGTH[less];
		if (loosened) differs(`rule ${kase.without} loosens`, kase, ask, less, more);
		tally.properties++;
	});
}

const engine = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
const ended = once(engine, 'close');
const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]();
const random = new Random(seed);
const AHEAD = 200;

while (decisions < wanted) {
	const cases = Array.from({ length: AHEAD }, () => caseOf(random));
	engine.stdin.write(cases.map(c => JSON.stringify(c) + '\n').join(''));
	for (const kase of cases) {
		const { value, done } = await lines.next();
		if (done) differs('the engine ended', kase, null, null, null);
		check(kase, JSON.parse(value));
	}
}
engine.stdin.end();
const [status] = await ended;
console.log(`seed ${seed}: ${decisions} decisions alike ${JSON.stringify(tally)}`);
process.exit(status ?? 1);
