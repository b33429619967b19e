// shell-test.mjs RUN DECIDE [FAULTY…]: what a real shell runs must have been seen by the rules. Random lines (shell-lines.mjs) are
// run by bash, and others by dash (RUN, see shell_run.c). For each program that ran, a deny and an ask rule must fit, its risk must
// be critical where the policy says so, and a deny for a word that it was given must fit. An allow for some programs must not fit a
// line that runs another. FAULTY engines have a planted fault: the first lines must show it.
//
// LINES=n and PARLEY_SEED=n: so many lines (1,000; with PARLEY_LONG 100,000), from this seed.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Lines, MARKERS, PROGRAMS } from './shell-lines.mjs';
import { Random } from './random.mjs';

const [run, decide, ...faulty] = process.argv.slice(2);
const wanted = Number(process.env.LINES ?? (process.env.PARLEY_LONG ? 100_000 : 1_000));
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const SHELLS = [['/bin/bash', 200], ['/bin/dash', 50]].filter(([path]) => existsSync(path)); // with how many lines of a batch
const BATCH = SHELLS.reduce((sum, [, lines]) => sum + lines, 0);
const folder = mkdtempSync(join(tmpdir(), 'shell-'));
const children = [];
process.on('exit', () => { children.forEach((c) => c.kill()); rmSync(folder, { recursive: true, force: true }); });

// A program that answers each record on its stdin with a line.
class Program {
	constructor(path, args = []) {
		const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'inherit'] });
		children.push(child);
		this.input = child.stdin;
		this.lines = createInterface({ input: child.stdout, crlfDelay: 0 })[Symbol.asyncIterator]();
	}
	async line() {
		const { value, done } = await this.lines.next();
		if (done) throw new Error('a program of the test has ended');
		return value;
	}
	async all(records) {
		this.input.write(records.join(''));
		const out = [];
		while (out.length < records.length) out.push(await this.line());
		return out;
	}
}

function place(name) {
	const root = join(folder, name), bin = join(root, 'bin');
	mkdirSync(bin, { recursive: true });
	mkdirSync(join(root, 'work'));
	for (const program of PROGRAMS) symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim(), join(bin, program));
	symlinkSync(join(bin, 'env'), join(bin, 'sudo'));
	return root;
}

// ---- what the rules say ----

const operation = (command) => [{ operation: { name: 'Bash', arguments: { command } }, agent: 'a', project: '', session: 's', alone: true }];
const rule = (effect, ...tool) => ({ effect, match: { tool } });
const RISKS = [{ tool: MARKERS.map((m) => `Bash(${m} *)`), risk: 'critical' }];
const question = (command, rules, risks = RISKS) => JSON.stringify({ rules, without: 0, policy: { mode: 'auto', risks }, asks: operation(command) }) + '\n';

// Each check of a line: what is asked, and what is wrong with the answer, if anything.
function checks(random, line, ran) {
	const names = [...new Set(ran.map((argv) => argv[0]))];
	const form = random.pick([(m) => `Bash(${m} *)`, (m) => `Bash(${m}:*)`, (m) => `Bash(${m}*)`]);
	const allowed = random.pick([['mone'], ['mone', 'mtwo']]);
	const out = [[question(line, MARKERS.map((m) => rule('ask', form(m)))), ([effect, risk, hits]) => {
		const missed = names.filter((m) => !hits.includes(MARKERS.indexOf(m)));
		return missed.length ? `an ask rule for ${missed} does not fit` : names.length && (effect !== 'ask' || risk !== 'critical') ? `the risk is ${risk}` : null;
	}]];
	out.push([question(line, allowed.map((m) => rule('allow', form(m), 'Bash(true)')), []), ([effect]) => {
		const others = names.filter((m) => !allowed.includes(m));
		return effect === 'allow' && others.length ? `${others} ran though only ${allowed} is allowed` : null;
	}]);
	for (const m of names) out.push([question(line, [rule('allow', 'Bash(*)'), rule('deny', form(m))]), ([effect]) => effect === 'deny' ? null : `a deny of ${m} does not fit`]);
	for (const [m, ...words] of ran) {
		if (words.includes('-f')) out.push([question(line, [rule('deny', `Bash(${m} *-f*)`)]), ([effect]) => effect === 'deny' ? null : `a deny of ${m} -f does not fit`]);
	}
	return out;
}

const tally = { lines: 0, ran: 0, programs: 0, checks: 0, allowed: 0 };

// The lines that this engine gets wrong, with what is wrong.
async function misses(program, lines, results) {
	const asked = lines.flatMap((line, i) => checks(choice, line, results[i]).map(([question, verdict]) => ({ line, question, verdict })));
	const said = (await program.all(asked.map((a) => a.question))).map((text) => JSON.parse(text).said[0]);
	if (program === engine) {
		tally.checks += asked.length;
		tally.allowed += said.filter(([effect]) => effect === 'allow').length;
	}
	return asked.flatMap(({ line, verdict }, i) => {
		const wrong = verdict(said[i]);
		return wrong ? [{ line, wrong }] : [];
	});
}

// ---- the test ----

const shells = SHELLS.map(([shell, many], i) => {
	const root = place(`${i}`);
	return { shell, many, program: new Program(run, [shell, root, ...MARKERS]), lines: new Lines(new Random(seed + i), join(root, 'bin')) };
});
const engine = new Program(decide), faults = faulty.map((path) => ({ path, program: new Program(path), found: 0 }));
const confined = await Promise.all(shells.map((s) => s.program.line()));
const choice = new Random(seed);
let failed = 0;

for (; tally.lines < wanted; tally.lines += BATCH) {
	const batches = await Promise.all(shells.map(async (s) => {
		const lines = Array.from({ length: s.many }, () => s.lines.line());
		const ran = await s.program.all(lines.map((line) => line + '\0'));
		return { shell: s.shell, lines, results: ran.map((text) => text.split('\x1e').filter(Boolean).map((one) => one.split('\x1f'))) };
	}));
	for (const { shell, lines, results } of batches) {
		tally.ran += results.filter((ran) => ran.length).length;
		tally.programs += results.reduce((n, ran) => n + ran.length, 0);
		for (const { line, wrong } of await misses(engine, lines, results)) {
			if (++failed <= 20) console.error(`seed ${seed}: ${shell}: ${wrong}\n${JSON.stringify(line)}`);
		}
		for (const fault of faults) if (tally.lines < 1000) fault.found += (await misses(fault.program, lines, results)).length;
	}
}
for (const { path, found } of faults) {
	console.log(`${basename(path)}: found ${found} times`);
	failed += found === 0;
}
console.log(`seed ${seed}: ${confined[0]}; ${JSON.stringify(tally)}; ${failed} misses`);
process.exit(failed ? 1 : 0);
