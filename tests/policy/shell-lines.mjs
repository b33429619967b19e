// shell-lines.mjs - random lines for a shell that run marker programs in every place where its grammar lets a command be.
export const MARKERS = ['mone', 'mtwo', 'mthree', 'mfourno', 'mfiveno'];
// What markers may stand behind, as programs of the test's PATH; sudo is env there.
export const PROGRAMS = ['env', 'nohup', 'nice', 'timeout', 'setsid', 'stdbuf', 'xargs', 'find', 'cat', 'true', 'bash', 'sh'];

const single = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
const TEXTS = ['a', 'a b', "it's", 'say "hi', ') ;', '( x', '`', '# no', 'esac', 'x; y', '$', 'mone x', '> x', '{', '\\'];
const NOISE = [...';&|()\'"\\ $`{}<>#\n\t=!-[]'];

export class Lines {
	constructor(random, bin) {
		this.r = random;
		this.bin = bin;
		this.heredocs = [];
	}

	pick(...list) { return this.r.pick(list); }
	// One of the makers; those that nest give way to the first ones when it is deep.
	choose(depth, flat, nested) { return this.r.pick(depth > 0 && this.r.chance(45) ? nested : flat)(); }

	line() {
		this.heredocs = [];
		if (this.r.chance(12)) return this.mild();
		const line = this.list(1 + this.r.below(3));
		return this.r.chance(25) && !line.includes('/') ? this.noisy(line) : line;
	}

	// What an allow may fit.
	mild() {
		const words = () => Array.from({ length: this.r.below(3) }, () => ' ' + this.pick('a', '-f', "'a b'", '"a;b"', "'it''s'", '\\;', 'a#b', '# c', '"', '\\')).join('');
		return Array.from({ length: 1 + this.r.below(3) }, () => this.r.pick(MARKERS.slice(0, 2)) + words()).reduce((a, b) => a + this.pick('; ', ' && ', ' | ', '\n', ' & ', ' \\\n', ';', '||', ' ') + b);
	}

	noisy(line) {
		for (let n = 1 + this.r.below(2); n > 0; n--) {
			const at = this.r.below(line.length + 1);
			line = line.slice(0, at) + (this.r.chance(60) ? this.r.pick(NOISE) : '') + line.slice(at + this.r.below(2));
		}
		return line;
	}

	gap() { return this.r.chance(6) ? ' \\\n ' : this.r.chance(6) ? '\t' : this.r.chance(6) ? '  ' : ' '; }

	// ---- lists ----

	list(depth) {
		const outer = this.heredocs;
		let text = '';
		this.heredocs = [];
		for (let n = 1 + (this.r.chance(45) ? this.r.below(3) : 0); n > 0; n--) {
			text += this.command(depth);
			if (n === 1 && !this.heredocs.length) break;
			const between = this.heredocs.length && (n === 1 || this.r.chance(50)) ? '\n' : this.pick('; ', ';', ' && ', ' || ', ' | ', '|', ' |& ', ' & ', '\n', ` # ${this.r.pick(TEXTS)}\n`);
			text += between;
			if (between.endsWith('\n')) {
				text += this.heredocs.join('');
				this.heredocs = [];
			}
		}
		this.heredocs = outer;
		return text;
	}

	command(depth) { return this.choose(depth, [() => this.simple(depth)], [() => this.compound(depth - 1), () => this.compound(depth - 1), () => this.given(depth - 1)]); }

	compound(depth) {
		const l = () => this.list(depth), s = () => this.simple(depth), more = () => this.r.chance(25) ? this.gap() + this.redirection(0) : '';
		const end = () => this.pick('; ', '\n', ' ;\n');
		return this.r.pick([
			() => `if ${l()}${end()}then ${l()}${end()}fi${more()}`,
			() => `if ${s()}; then ${l()}${end()}else ${l()}${end()}fi`,
			() => `if ! ${s()}; then ${l()}; elif ${s()}; then ${l()}; fi`,
			() => `if [[ a == a ]] then ${l()}; fi`,
			() => `if [[ a && ( b || c ) ]] then ${l()}; fi`,
			() => `if { ${l()}; } then ${l()}; fi`,
			() => `if (${l()}) then ${l()}; fi`,
			() => `if if true; then ${s()}; fi then ${l()}; else ${l()}; fi`,
			() => `while ${l()}; do ${l()}; break; done${more()}`,
			() => `until ${l()}; do ${l()}; break; done`,
			() => `for x in a "b c"; do ${l()}; done${more()}`,
			() => `for x in a\ndo ${l()}\ndone`,
			() => `set -- a; for x do ${l()}; done`,
			() => `for x in a; { ${l()}; }`,
			() => `for ((i=0;i<1;i++)) do ${l()}; done`,
			() => `for ((i=0;i<1;i++)); { ${l()}; }`,
			() => `select x in a; do ${l()}; break; done <<<1`,
			() => `case a in a) ${l()};; esac${more()}`,
			() => `case a in (b) ;; (a|c) ${l()};& d) ${l()}\n;; esac`,
			() => `case "$(${l()})" in\n*)\n${l()}\nesac`,
			() => `if case a in a) ${l()};; esac then ${l()}; fi`,
			() => `{ ${l()}; }${more()}`,
			() => `{${this.redirection(0, true)} ${s()}; }`,
			() => `(${l()})${more()}`,
			() => `( ${l()} )`,
			() => `((${l()}))`,
			() => `f() { ${l()}; }; f`,
			() => `f () (${l()}); f`,
			() => `function f { ${l()}; }; f`,
			() => `function f() { ${l()}; }; f`,
			() => `function f if ${l()}; then ${l()}; fi; f`,
			() => `f() { ${l()}; } ${this.redirection(0)}\nf`,
			() => `[[ -n $(${l()}) || a < b ]] && ${s()}`,
			() => `[[ a =~ (a|b) ]] && ${l()}`,
			() => `(( 1 < 2 )) && ${l()}`,
			() => `(( 1 + $(${l()}) 0 ))`,
			() => `let 'a[$(${l()})0]'`,
			() => `[[ -v 'a[$(${l()})0]' ]]`,
			() => `coproc ${s()}; wait`,
			() => `coproc N { ${l()}; }; wait`,
			() => `coproc N if ${l()}; then ${l()}; fi; wait`,
			() => `time ${l()}`,
			() => `time -p ${s()}`,
			() => `time -p -- ${s()}`,
			() => `ti\\\nme -\\\np ${s()}`,
			() => `if true; th\\\nen ${l()}; fi`,
			() => `! time ! ${s()}`,
			() => `! ${this.command(depth)}`,
			() => `: ${this.word(depth + 1)} && ${l()}`,
			() => `cat ${this.redirection(depth + 1)}`,
		])();
	}

	// Programs and builtins that run what they are given.
	given(depth) {
		const words = () => this.invoked(0, true);
		const text = () => { const l = this.list(depth); return this.r.chance(60) ? single(l) : double(l); };
		return this.r.pick([
			() => `${this.pick('env', 'sudo', 'nohup', 'setsid', 'command', 'command -p', 'env X=1', "env 'X=a b'", 'nice -n 1', 'timeout 5', 'stdbuf -o0', 'sudo env')} ${words()}`,
			() => `${this.redirection(0)} env ${this.redirection(0)} ${words()}`,
			() => `(exec ${words()})`,
			() => `(exec -a z ${this.redirection(0)} ${words()})`,
			() => `eval ${text()}`,
			() => `eval ${words()} ';' ${words()}`,
			() => `builtin eval ${text()}`,
			() => `bash -c ${text()}`,
			() => `sh -c ${text()}`,
			() => `env bash -c ${text()} x`,
			() => `trap ${text()} EXIT`,
			() => `xargs ${words()} <in`,
			() => `xargs sh -c ${text()} <in`,
			() => `find . -maxdepth 0 -exec ${words()} {} \\;`,
			() => `find . -maxdepth 0 -exec sh -c ${text()} \\;`,
		])();
	}

	// ---- simple commands ----

	simple(depth) {
		const parts = [];
		while (this.r.chance(35)) parts.push(this.r.chance(55) ? this.redirection(depth) : this.assignment(depth));
		if (this.r.chance(7)) parts.push(this.pick('$none', '${none}', '"${none[@]}"', '$(true)', '`true`'));
		parts.push(this.invoked(depth, false));
		return parts.join(this.gap());
	}

	invoked(depth, plain) {
		const parts = [this.r.chance(8) && !plain ? this.pick(': x', 'true', 'cat in') : this.name(this.r.pick(MARKERS))];
		while (this.r.chance(45)) parts.push(this.r.chance(35) ? this.redirection(plain ? 0 : depth) : this.word(plain ? 0 : depth));
		return parts.join(this.gap());
	}

	name(marker) {
		const at = 1 + this.r.below(marker.length - 1), [a, b] = [marker.slice(0, at), marker.slice(at)];
		return this.r.chance(65) ? marker : this.pick(`'${marker}'`, `"${marker}"`, `\\${marker}`, `${a}\\${b}`, `${a}"${b}"`, `'${a}'${b}`, `${a}''${b}`, `$'${marker}'`,
			`$'\\x6d${marker.slice(1)}'`, `$"${marker}"`, `${a}\\\n${b}`, `${a}$()${b}`, `${a}\${none}${b}`, `${a}"$none"${b}`, `\${none}${marker}`, `${a}\`\`${b}`, `${this.bin}/${marker}`, `"${this.bin}"/${marker}`);
	}

	word(depth) {
		const l = () => this.list(depth - 1);
		return this.choose(depth, [() => this.pick('a', '-f', '-f', "'x y'", '"a;b"', "'a|b'", '\\;', '\\"', 'a#b', '{a,b}', '*', 'x=1', '"\\$(mone)"', "'$(mone)'", "$'it\\'s'", '2', '""', '!', 'then', 'in', '>(true)', '"a\\\nb"', '${x:-a b}', '$[1 + 1]', '$((1<<2))', '"${x:-it\'s}"')], [
			() => `$(${l()})`, () => `"$(${l()})"`, () => `"a $(${l()}) b"`, () => `a$(${l()})c`, () => `\${x:-$(${l()})}`, () => `"\${x:-"$(${l()})"}"`, () => `\${x:-a "$(${l()})"}`, () => `$((0 + $(${l()}) 0))`,
			() => `<(${l()})`, () => `>(${l()})`, () => this.backticks(depth), () => `"${this.backticks(depth)}"`, () => `$(${this.pick('# it\'s )\n', ': \\\n', '')}${l()})`, () => `$[ $(${l()}) 0 ]`,
		]);
	}

	// What is in them has no backticks of its own, or has them escaped.
	backticks(depth) {
		const inner = this.list(Math.min(depth - 1, 1));
		return inner.includes('`') || inner.includes('\\') || inner.includes('"') ? '`mtwo`' : '`' + inner + '`';
	}

	assignment(depth) {
		const value = () => this.choose(depth, [() => this.pick('', '1', '"a b"', "'a;b'", '\\;', "$'\\''", '${y:-"b c"}', '"it\'s"')],
			[() => this.word(depth), () => `$(${this.list(depth - 1)})c`, () => `"$(${this.list(depth - 1)})"c`]);
		return this.r.pick([() => `x=${value()}`, () => `x=${value()}`, () => `x=${value()}`, () => `x+=${value()}`, () => `a[1]=${value()}`, () => `a[1 + 2]=${value()}`, () => `a[1]+=${value()}`,
			() => `a["x;y"]=${value()}`, () => `a[$(${this.list(0)})0]=${value()}`, () => `a=(x "y;z" ${this.word(depth)})`, () => `a+=(x\ny)`])();
	}

	redirection(depth, glued = false) {
		if (!glued && this.r.chance(12)) return this.heredoc(depth);
		if (depth > 0 && this.r.chance(20)) {
			return this.pick(`> >(${this.list(depth - 1)})`, `< <(${this.list(depth - 1)})`, `<<<"$(${this.list(depth - 1)})"`, `<<<$(${this.list(depth - 1)})`, `>"$(${this.list(depth - 1)})x"`);
		}
		return this.pick('>x', '> x', '>>x', '2>x', '2>&1', '>&2', '<&0', '2>&-', '>|x', '>| x', '&>x', '&>>x', '&> x', '{fd}>x', '{fd}<in', '{fd}>&-', '<>x', '0<>x', '<in', '< "in"', '3<in', '<<<a', '<<< "a b"', "<<<'a;b'", '>"a b"', ">'a;b'",
			'>a\\ b', '2>$\'a\\\'b\'', '>&x', '>& x', '1>&2-', '>x 2>&1', '10>x', '>\\\nx', '2\\\n>x', '>\\\n&2', '>\tx', '>"x"y', '<&-');
	}

	heredoc(depth) {
		const [word, end] = this.pick(['E', 'E'], ["'E'", 'E'], ['"E"', 'E'], ['\\E', 'E'], ["'E F'", 'E F']), tabs = this.r.chance(30);
		const lines = Array.from({ length: this.r.below(3) }, () => this.r.chance(25) && depth > 0 ? `$(${this.list(depth - 1)})` : this.r.pick(TEXTS));
		this.heredocs.push([...lines, end].map((l) => `${tabs ? '\t' : ''}${l}\n`).join(''));
		return `${this.pick('', '', '3')}<<${tabs ? '-' : ''}${this.pick('', ' ')}${word}`;
	}
}
