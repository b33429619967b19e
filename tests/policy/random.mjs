// random.mjs - random rules, policies and operations that meet often enough to be interesting.
import { createHash } from 'node:crypto';
import { canonical } from './oracle.mjs';

// splitmix-like; a seed is a sequence.
export class Random {
	constructor(seed) { this.state = seed >>> 0; }
	next() {
		this.state = (this.state + 0x9e3779b9) >>> 0;
		let z = this.state;
		z = Math.imul(z ^ z >>> 16, 0x21f0aaad);
		z = Math.imul(z ^ z >>> 15, 0x735a2d97);
		return (z ^ z >>> 15) >>> 0;
	}
	below(n) { return this.next() % n; }
	chance(percent) { return this.below(100) < percent; }
	pick(list) { return list[this.below(list.length)]; }
	some(list, least, most) { return Array.from({ length: least + this.below(most - least + 1) }, () => this.pick(list)); }
}

const COMMANDS = ['rm -rf x', 'rm x', 'rm', 'git push --force', 'git push origin main', 'git status', 'git', 'npm test', 'npm run test unit',
	'ls', 'ls -la', 'ls *.c', 'cat /srv/a', 'cat /srv/../etc', 'curl https://a.org', 'sudo rm x', 'sudo -u bob rm -r y', 'env X=1 rm y',
	"bash -c 'rm z'", 'xargs rm', 'X=1 git status', 'X= Y+=2 rm x', 'X="a b" rm x', '/bin/rm x', './rm x', "'rm' x", 'r\\m x', 'rm\tx', 'rm  x',
	"$'\\x72m' x", "$'\\162\\u006d' x", '$"rm" x', 'rm${IFS}x', 'rm$IFS-r', '{rm,x}', '{git,push,--force}', 'then rm x', '! git status', 'time rm x',
	'echo "a; b"', "echo 'a|b'", 'echo "$(rm x)"', "echo '$(rm x)'", 'cd ..', 'ls ~/x', 'git log a..b', 'go test ./...', 'ls .*', '/bin/r? x',
	'ls > y', 'cat < x', '>y rm x', '2>y rm x', 'rm>y -r', 'git show HEAD~1', 'rm\\\n x', 'r\\\nm x', '[ -f x ]', 'git commit -m "x; y" --force',
	'gıt status', 'rm\u00a0x', 'find . -exec rm {} +', 'timeout 5 git push --force', '.', '...', '"', "'", ''];
const BEFORE = ['>&2 ', '2>&1 ', '<&0 ', '>|x ', '&>x ', '{fd}>x ', '<<<y ', '>"a;b" ', 'X="a;b" ', 'a[1 + 2]=x ', 'X=$(a)b ', 'then >x ', 'time -p ', '$X ', '<<E ', '< <(a) ', '10>x ', 'X=$(case a in a) b;; esac)c ', 'X=$(cat <<E\n)\nE\n)c ', '-- ', 'coproc N '];
const BETWEEN = ['; ', ' && ', ' | ', '\n', ' & ', ';', '||', '\r\n', ' '];
const AROUND = [c => `(${c})`, c => `{ ${c}; }`, c => `$(${c})`, c => `\`${c}\``, c => `<(${c})`, c => `"${c}"`, c => `'${c}'`, c => `sudo ${c}`,
	c => `echo $(${c})`, c => `if true; then ${c}; fi`, c => `x $(a; ${c}) y`, c => `${'('.repeat(34)}${c}`, c => `git push ${c} --force`];
const NOISE = [...';&|()\'"\\ $`{}<>~.,*?[\n\t=/é!#'];

export function commandOf(r) {
	let line = r.some(COMMANDS, 1, 3).map((c) => r.chance(12) ? r.pick(BEFORE) + c : c).reduce((a, b) => a + r.pick(BETWEEN) + b);
	while (r.chance(25)) line = r.pick(AROUND)(line);
	if (r.chance(20)) line += r.pick(BETWEEN) + r.pick(COMMANDS);
	while (r.chance(30)) {
		const at = r.below(line.length + 1);
		line = line.slice(0, at) + r.pick(NOISE) + line.slice(at + r.below(2));
	}
	return line.toWellFormed?.() ?? line;
}

const PATTERNS = ['Bash', 'Bash(*)', 'Bash(rm *)', 'Bash(rm:*)', 'Bash(git *)', 'Bash(git push *--force*)', 'Bash(npm test:*)', 'Bash(npm run *)',
	'Bash(ls)', 'Bash(ls *)', 'Bash(cat /srv/*)', 'Bash(git push*)', 'Bash(?m *)', 'Bash(*sudo*)', 'Bash(g?t *)', 'Bash(* x)', 'Bash(r*:*)', 'B*', '*', '*(rm *)', 'B*(git *)',
	'Bash(echo *)', 'Bash(cd *)', 'Bash([ *)', 'Bash(echo "*)', 'shell(rm *)', 'shell(ls*)', 'read(/srv/*)', 'read(/etc/*)', 'read', 'git(git *)', 'git', 'Read', 'Read(/srv/*)', 'Read(/etc/*)', 'Read(*.md)', 'Write(*)', 'Write(src/*)',
	'WebFetch', 'WebFetch(domain:a.org)', 'WebFetch(domain:*.a.org)', 'WebFetch(https://*.a.org/*)', 'WebFetch(https://a.org/*)', 'WebFetch(*a.org*)',
	'mcp__*', 'mcp__sh__run(rm *)', 'mcp__sh__run(*rm*)', 'mcp__sh__run(/etc/*)', 'Deploy', 'Deploy(*prod*)', 'Deploy({"env":"prod"})', 'todo(create*)', 'todo', 'Grep(*x*)',
'Bash(rm *)', 'Bash(git *)', 'Bash(ls *)', 'Bash'];
// Those that must be refused, and those that are for a deny alone.
const ODD = ['Bash(:*)', 'Bash(git:* x)', 'Bash(git', 'Bash(a))', 'Bash()', '(x)', 'Bash(model:x)', 'Bash(domain:x)', 'WebFetch(domain:*)', ' Bash', 'Bash( x)', '',
	'Bash(a; b)', 'Bash(*| sh*)', 'Bash(echo $*)', 'Bash(cat ../*)', 'Bash(cat ~/*)', 'Read(../*)', 'Read(~/x)', 'Bash(*..x)'];
const SESSIONS = ['ses_00000000000000000000000000', 'ses_00000000000000000000000001'];
const AGENTS = ['ci-1', 'ci-2', 'deployer', 'web'], PROJECTS = ['', 'web', 'web-2', 'api'];
const RISKS = ['low', 'medium', 'high', 'critical'], TYPES = ['tool', 'sub_agent', 'mcp', 'file_op', 'db_op'];
const VALUES = ['main', 'release', 'dev', 5, 7.5, '5', true, null, ['main', 1], { main: 1 }, '/srv/a', '/srv/../etc', '../x', 'src/a', '~/x', 'https://a.org/x', 'https://x.a.org', 'https://u@a.org', 'https://A.ORG.:80/x'];

const patternOf = r => {
	const p = r.pick(r.chance(94) ? PATTERNS : ODD);
	if (!r.chance(3)) return p;
	const at = r.below(p.length + 1);
	return p.slice(0, at) + r.pick([...'()*?: ./~;$xé']) + p.slice(at + r.below(2));
};

const testOf = r => r.pick([
	() => ({ is: r.pick(VALUES) }),
	() => ({ in: r.some(VALUES, 1, 3) }),
	() => ({ glob: r.pick(['main', '*a*', 'r?lease', '/srv/*', '?']) }),
	() => ({ under: r.pick(['/srv', '/srv/', '/', 'src', '.', '/srv/../srv', '..', '~']) }),
	() => ({ host: r.pick(['a.org', '*.a.org', 'A.org', '127.0.0.1', '*']) }),
	() => ({ min: r.pick([1, 5, 6]), max: r.pick([4, 6, 8]) }),
	() => ({ min: r.pick([5, 7.5]) }),
	() => ({ max: 5 }),
	() => ({ has: r.pick(['main', 1, 'x']) }),
	() => ({ is: 1, has: 2 }),
])();

const sameOf = o => 'sha256:' + createHash('sha256').update(canonical(Object.fromEntries(
	['type', 'name', 'arguments'].filter(k => o[k] !== undefined).map(k => [k, o[k]])))).digest('hex');

function ruleOf(r, asks) {
	const match = {};
	if (r.chance(85)) match.tool = Array.from({ length: 1 + (r.chance(25) ? r.below(3) : 0) }, () => patternOf(r));
	if (r.chance(12)) match.type = r.chance(95) ? r.pick(TYPES) : 'other';
	if (r.chance(15)) match.arguments = Object.fromEntries(Array.from({ length: 1 + r.below(2) }, () => [r.pick(['/v', '/v', '/w', '/v/0', '/a~1b', '', 'v']), testOf(r)]));
	if (r.chance(20)) match.risk = r.pick([{ max: 'high' }, { min: 'high' }, { min: 'low', max: 'low' }, { min: 'medium', max: 'critical' }, { min: 'high', max: 'low' }, {}]);
	if (r.chance(20)) match.agent = r.pick([...AGENTS, 'ci-*', '*', 'ci-?']);
	if (r.chance(20)) match.project = r.pick(['web', 'web*', '*', null, 'api']);
	if (r.chance(5)) match.session = r.pick(SESSIONS);
	if (r.chance(12)) match.same = sameOf(r.pick(asks).operation);
	return { effect: r.pick(['allow', 'allow', 'ask', 'deny']), match, ...(r.chance(4) ? { enabled: false } : {}) };
}

function operationOf(r) {
	const path = () => r.pick(['/srv/a', '/srv/../etc/passwd', '/etc/x', '/srv//./b', 'src/a', './src/a', '~/x', 'a.md', '/x/..', '/srv/~y', 5]);
	const extra = () => r.chance(35) ? { v: r.pick(VALUES), ...(r.chance(30) ? { w: r.pick(VALUES), 'a/b': 1 } : {}) } : {};
	const o = r.pick([
		() => ({ name: 'Bash', arguments: { command: commandOf(r), ...extra() } }),
		() => ({ name: 'Bash', arguments: { command: commandOf(r), ...extra() } }),
		() => ({ name: 'Bash', arguments: { command: commandOf(r) } }),
		() => ({ name: 'Bash', arguments: { command: r.pick(COMMANDS) } }),
		() => ({ name: 'shell', arguments: { cmd: r.chance(50) ? commandOf(r) : ['rm', '-r', "it's"], ...(r.chance(40) ? { command: r.pick([commandOf(r), 'ls', null, 5]) } : {}) } }),
		() => ({ name: 'read', arguments: Object.fromEntries(r.some(['filePath', 'file_path', 'path'], 1, 2).map((m) => [m, r.chance(95) ? path() : null])) }),
		() => ({ name: r.pick(['Read', 'Write']), arguments: { file_path: path(), ...extra() } }),
		() => ({ name: 'WebFetch', arguments: { url: r.pick(['https://a.org/x', 'https://x.a.org/', 'http://evil.com/https://x.a.org/', 'https://a.org@evil.com/', 'https://a.org.evil.com/', 'https://a.org?x', 'ftp://a.org/', 'a.org', 'https://10.1/']), ...extra() } }),
		() => ({ name: 'mcp__sh__run', arguments: { ...(r.chance(70) ? { command: commandOf(r) } : { path: path() }), ...extra() } }),
		() => ({ name: 'Deploy', arguments: { env: r.pick(['prod', 'dev']), ...extra() } }),
		() => ({ name: 'todo', arguments: { operation: r.pick(['create', 'list']), ...extra() } }),
		() => ({ name: 'Grep', arguments: { pattern: r.pick(['x', '..', 'y']) } }),
		() => ({ type: 'command', name: 'git', arguments: { argv: r.pick([['git', 'status'], ['git', 'push', '--force'], ['git', 'log', 'a; b'], ['git', '~']]), cwd: '/x' } }),
		() => ({ name: r.pick(['Bash', 'Read', 'Deploy']), ...(r.chance(50) ? { arguments: r.pick([{}, null, { command: 7 }, []]) } : {}) }),
	])();
	if (r.chance(35) && !o.type) o.type = r.pick([...TYPES, 'other']);
	if (r.chance(25)) o.risk = r.pick(RISKS);
	return o;
}

const ROWS = [{ tool: ['Read', 'Glob', 'Grep'], risk: 'low' }, { tool: ['Bash(rm *)', 'Bash(sudo *)'], risk: 'critical' }, { tool: ['Bash(git push*)'], risk: 'high' },
	{ tool: ['Bash(ls *)', 'Bash(git status)'], risk: 'low' }, { tool: ['Deploy'], risk: 'high' }, { tool: ['Bash'], risk: 'low' }, { tool: ['mcp__*'], risk: 'medium' }];

export function caseOf(r) {
	const asks = Array.from({ length: 4 }, () => ({
		operation: operationOf(r), agent: r.pick(AGENTS), project: r.pick(PROJECTS), session: r.pick(SESSIONS), alone: r.chance(92),
	}));
	const rules = Array.from({ length: 1 + r.below(10) }, () => ruleOf(r, asks));
	const policy = {
		mode: r.pick(['auto', 'manual', 'selective']), auto_approve_low: r.chance(50), always_confirm_high: r.chance(50),
		selective: { tools: r.chance(50), sub_agents: r.chance(50), mcp: r.chance(50), file_ops: r.chance(50), db_ops: r.chance(50) },
		risks: r.chance(30) ? [] : r.some(ROWS, 1, 4),
	};
	return { rules, without: r.below(rules.length), policy, asks };
}
