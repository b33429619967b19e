// oracle.mjs - what rules say about an operation, written from the rules in words, not from the C, and as plainly as
// possible: regular expressions, recursion, no index, no care for speed.
import { createHash } from 'node:crypto';

export const NO = 0, DOUBT = 1, YES = 2;
export const RISKS = ['low', 'medium', 'high', 'critical'];
const TYPES = ['tool', 'sub_agent', 'mcp', 'file_op', 'db_op'];
const rank = risk => RISKS.indexOf(risk);

// ---- patterns ----

const globs = new Map();

export function glob(pattern, text) {
	let re = globs.get(pattern);
	if (!re) {
		const body = pattern.replace(/\*+/g, '*').replace(/[\\^$.|+()[\]{}/]/g, '\\$&')
			.replaceAll('?', '[^]').replaceAll('*', '[^]*');
		re = new RegExp(`^${body}$`, 'u');
		if (globs.size > 5000) globs.clear();
		globs.set(pattern, re);
	}
	return re.test(text);
}

const COMMAND = ['Bash', 'bash', 'shell', 'Execute', 'run_shell_command', 'exec_command'];
const SUBJECTS = {
	Bash: ['command'], shell: ['command', 'cmd'],
	read: ['filePath', 'file_path', 'path'], Read: ['file_path'], Write: ['file_path'], Edit: ['file_path'], Glob: ['pattern'],
	Grep: ['pattern'], WebFetch: ['url'], WebSearch: ['query'], todo: ['operation'], memory: ['operation'],
};
const PATHS = ['read', 'Read', 'Write', 'Edit', 'Glob'];
const kindOf = name => COMMAND.includes(name) ? 'command' : PATHS.includes(name) ? 'path'
	: name === 'WebFetch' ? 'address' : name in SUBJECTS ? 'text' : null;

// A pattern as { name, subject, form: bare | prefix | host | glob }, or null when it must be refused.
export function patternOf(text, allows) {
	if (typeof text !== 'string' || !/\S/.test(text) || text !== text.trim() || /[\x00-\x1f\x7f]/.test(text)) return null;
	if ([...text].length > 500) return null;
	const open = text.indexOf('(');
	if (open < 0) return text.includes(')') ? null : { name: text, form: 'bare' };
	if (open === 0) return null;
	let depth = 0;
	for (let i = 0; i < text.length; i++) {
		if (text[i] === '(') depth++;
		if (text[i] === ')' && --depth <= 0 && (depth < 0 || i < text.length - 1)) return null;
	}
	if (depth !== 0) return null;
	const name = text.slice(0, open), inside = text.slice(open + 1, -1), kind = kindOf(name);
	if (inside === '') return null;
	const word = /^[A-Za-z][A-Za-z0-9_-]+(?=:(?!\/\/))/.exec(inside)?.[0];
	if (word === 'domain' && kind === 'address') {
		const host = inside.slice(7);
		return hostPatternValid(host) ? { name, form: 'host', subject: host } : null;
	}
	const at = inside.indexOf(':*');
	let form = 'glob', subject = inside;
	if (at >= 0) {
		if (at === 0 || at !== inside.length - 2) return null;
		form = 'prefix';
		subject = inside.slice(0, -2);
	} else if (word) {
		return null;
	}
	if (kind === 'command' && (subject.startsWith(' ') || subject.endsWith(' '))) return null;
	if (allows && kind === 'command' && neverClear(subject)) return null;
	if (allows && kind === 'path' && pathUnclear(subject)) return null;
	return { name, form, subject };
}

// Every line that fits this glob has something in it that keeps an allow away.
function neverClear(glob) {
	if (/[$`(){}<>;&|\n\r]/.test(glob)) return true;
	return upward(glob, '*?', false) || /(?:^|[^0-9A-Za-z_\u0080-\u{10ffff}*?])~/u.test(glob);
}

function textFits(p, text) {
	if (p.form === 'prefix') return glob(p.subject, text) || glob(p.subject + ' *', text);
	if (glob(p.subject, text)) return true;
	return p.subject.length > 2 && p.subject.endsWith(' *') && glob(p.subject.slice(0, -2), text);
}

// ---- hosts and paths ----

const isIpv4 = s => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(s);
const disguised = host => /^[0-9]/.test(host.split('.').pop()) && !isIpv4(host);

function hostPatternValid(p) {
	const host = p.startsWith('*.') ? p.slice(2) : p;
	return /^[a-z0-9._:-]+$/.test(host) && !/^\.|\.$/.test(host) && !disguised(host);
}

export function hostOf(url) {
	const m = /^https?:\/\/([A-Za-z0-9._-]+)(?::(\d+))?([/?#][^]*)?$/.exec(url);
	if (!m || (m[2] !== undefined && !(Number(m[2]) >= 1 && Number(m[2]) <= 65535))) return null;
	if (/[\x00-\x20\\]/.test(m[3] ?? '')) return null;
	const host = m[1].toLowerCase().replace(/(?<=.)\.$/, '');
	return disguised(host) ? null : host;
}

const hostFits = (p, host) => p.startsWith('*.') ? host.endsWith(p.slice(1)) && host.length > p.length - 1 : host === p;

export function normal(path) {
	const rooted = path.startsWith('/'), out = [];
	for (const part of path.split('/')) {
		if (part === '' || part === '.') continue;
		if (part === '..' && out.length && out.at(-1) !== '..') out.pop();
		else if (part !== '..' || !rooted) out.push(part);
	}
	return (rooted ? '/' : '') + out.join('/') || '.';
}

const pathUnclear = path => path.split(/[/\\]/).some(part => part === '..' || part.startsWith('~'));

// ---- command lines ----

const INTRODUCING = '! coproc do elif else if then time until while'.split(' ');
const RUNNING = ('. ash bash builtin busybox chroot chrt command dash doas env eval exec fakeroot find fish flock ' +
	'ionice ksh nice nohup nsenter parallel pkexec proot runuser script setarch setpriv setsid sh source ssh stdbuf ' +
	'strace su sudo systemd-run taskset time timeout toybox trap unbuffer unshare watch xargs zsh').split(' ');

const trim = s => s.replace(/^[ \t\n\r\v\f]+|[ \t\n\r\v\f]+$/g, '');
const squeeze = s => trim(s.replace(/[ \t\n\r\v\f]+/g, ' '));
const firstWord = s => /^[^ \t\n\r\v\f]*/.exec(s)[0];

const decode = text => text.replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{0,2})|u([0-9a-fA-F]{0,4})|([^]))/g,
	(_, oct, hex, uni, other) => oct ? String.fromCharCode(parseInt(oct, 8) & 255)
		: hex !== undefined ? String.fromCharCode(parseInt(hex || '0', 16))
			: uni !== undefined ? String.fromCharCode(parseInt(uni || '0', 16))
				: 'abefnrtv'.includes(other) ? ' ' : other);

// Without quotes and backslashes, blanks as one.
export const plain = s => squeeze(s.replace(
	/\$'((?:\\[^]|[^'\\]|\\$)*)(?:'|$)|\$\{IFS\}|\$IFS|\$(?=")|\\\r?\n|['"\\]/g,
	(found, quoted) => quoted !== undefined ? decode(quoted) : found.includes('IFS') ? ' ' : ''));

// Two dots that are not the middle of a word, or a dot that a wildcard may make two of.
function upward(s, wild, expands = true) {
	const letter = c => c !== undefined && (/[0-9A-Za-z_]/.test(c) || c > '\x7f' || wild.includes(c));
	for (const { 0: dots, index } of s.matchAll(/\.+/g)) {
		const before = letter(s[index - 1]), after = s[index + dots.length];
		if (dots.length === 2 && !(before && letter(after))) return true;
		if (expands && dots.length === 1 && !before && after && '*?['.includes(after)) return true;
	}
	return false;
}

const homeward = s => /(?:^|[^0-9A-Za-z_\u0080-\u{10ffff}])~/u.test(s);

function unclear(line, plainLine, parts) {
	if (/[$`(){}<>]/.test(line) || /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(line)) return true;
	if (parts.length === 0) return true;
	if (parts.some(p => !['[', '[['].includes(firstWord(p)) && /[*?[]/.test(firstWord(p)))) return true;
	return [line, plainLine].some(s => upward(s, '') || homeward(s));
}

// One command from the beginning of a text: words, redirections, substitutions. `out` is a list of pieces: { word, raw } for a word
// without its quotes, { blank }, { redirection: [fd, sign, blanks, target] } for one that is left out, spaced or kept.
class Reader {
	constructor(text, drops = false) { Object.assign(this, { text, drops, at: 0, depth: 0, cases: 0, pattern: false, heredocs: [], tooDeep: false }); }
	get end() { return this.at >= this.text.length; }
	sees(re) { re.lastIndex = this.at; return re.exec(this.text)?.[0]; }
	take(re) { const found = this.sees(re) ?? ''; this.at += found.length; return found; }
	skip(n) { this.at = Math.min(this.at + n, this.text.length); }
	deeper(body) {
		if (this.depth === 32 || this.tooDeep) { this.tooDeep = true; this.at = this.text.length; return; }
		this.depth++;
		body();
		this.depth--;
	}
	quoted() {
		let out = '';
		for (this.skip(1); !this.end && this.text[this.at] !== '"';) {
			if (this.sees(/[$`]/y)) out += this.expansion(true);
			else out += this.take(/\\[$`"\\]/y)[1] ?? this.take(/[^]/y);
		}
		this.skip(1);
		return out;
	}
	single() { const found = this.take(/'[^']*'?/y); return found.slice(1).replace(/'$/, ''); }
	brackets(open, close, quoted) {
		this.deeper(() => {
			while (!this.end && this.text[this.at] !== close) {
				const c = this.text[this.at];
				if (c === "'" && !quoted) this.single();
				else if (c === '"') this.quoted();
				else if (c === '$' || c === '`') this.expansion(quoted);
				else if (c === '[' && open === '[') { this.skip(1); this.brackets(open, close, quoted); } else this.skip(c === '\\' ? 2 : 1);
			}
			this.skip(1);
		});
	}
	expansion(quoted) {
		const start = this.at;
		if (this.take(/\$\{IFS\}|\$IFS/y)) return ' ';
		if (!quoted && this.sees(/\$'/y)) return decode(this.take(/\$'(?:\\[^]|[^'\\]|\\$)*'?/y).slice(2).replace(/((?:^|[^\\])(?:\\\\)*)'$/, '$1'));
		if (!quoted && this.sees(/\$"/y)) { this.skip(1); return this.quoted(); }
		const open = this.take(/`(?:\\[^]|[^`\\]|\\$)*`?|\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]|[({[])?/y).slice(1);
		if (open === '(') this.list();
		else if (open === '{' || open === '[') this.brackets(open, open === '{' ? '}' : ']', quoted);
		return this.drops ? '' : this.text.slice(start, this.at);
	}
	word(first) {
		const start = this.at;
		let out = '';
		const before = () => this.text.slice(start, this.at);
		const array = () => first && this.sees(/\(/y) && assigns(before()) && before().endsWith('=');
		while (!this.end && (array() || !this.sees(/[ \t\n;&|()]|[<>](?!\()/y))) {
			const c = this.text[this.at], from = this.at;
			if (c === "'") out += this.single();
			else if (c === '"') out += this.quoted();
			else if (c === '$' || c === '`') out += this.expansion(false);
			else if (c === '\\') { out += this.text[this.at + 1] ?? ''; this.skip(2); } else if (c === '<' || c === '>' || c === '(') {
				this.skip(c === '(' ? 1 : 2);
				this.list();
				out += this.text.slice(from, this.at);
			} else if (c === '[' && first && /^[A-Za-z_][A-Za-z0-9_]*$/.test(this.text.slice(start, from))) {
				this.skip(1);
				this.brackets('[', ']', false);
				out += this.text.slice(from, this.at);
			} else { out += c; this.skip(1); }
		}
		return out;
	}
	command() {
		const out = [];
		let starts = true, shifted = false, compound = false;
		while (!this.end) {
			const blank = this.take(/[ \t]/y);
			if (blank) { out.push({ blank }); continue; }
			if (this.sees(/#|[\n;|()]|&(?!>)/y)) break;
			const from = this.at, SIGN = /&>>?|<<<|<<-?|<&|<>|<(?!\()|>>|>&|>\||>(?!\()/y;
			const text = this.sees(SIGN) ? '' : this.word(starts && !this.pattern), raw = this.text.slice(from, this.at);
			if (this.sees(SIGN) && (raw === '' || this.text[this.at] !== '&' && /^(?:\d+|\{[A-Za-z_][A-Za-z0-9_]*\})$/.test(raw))) {
				const sign = this.take(SIGN), blanks = this.take(/[ \t]*/y), at = this.at, target = this.word(false);
				if (/^<<-?$/.test(sign)) this.heredocs.push([this.text.slice(at, this.at).replace(/['"\\]/g, ''), sign === '<<-']);
				out.push({ redirection: [text, sign, blanks, target] });
				shifted = true;
				continue;
			}
			const assigned = starts && assigns(raw);
			compound ||= /^(?:\]\]|done|esac|fi|\})$/.test(raw) || starts && /^(?:coproc|for|function|select)$/.test(raw);
			const passed = (starts || compound) && INTRODUCING.includes(raw) || starts && (assigned || raw[0] === '-'), vanishes = starts && /^"?(?:`|\$[^'"])/.test(raw);
			if (starts && raw === 'case') { this.cases++; this.pattern = true; }
			if (starts && raw === 'esac') { this.cases--; this.pattern = false; }
			out.push({ word: text, named: starts && !passed, shifted });
			shifted ||= assigned;
			starts = passed || vanishes;
		}
		return out;
	}
	list() {
		const { cases, pattern, heredocs } = this;
		this.deeper(() => {
			[this.cases, this.pattern, this.heredocs] = [0, false, []];
			for (let ended = false; !this.end && !ended;) {
				this.command();
				if (this.take(/#[^\n]*/y)) continue;
				const c = this.take(/[^]/y);
				if (c === '(' && !this.pattern) this.list();
				if (c === '\n') {
					for (const [word, tabs] of this.heredocs) {
						while (!this.end) {
							const line = this.take(/[^\n]*/y);
							this.skip(1);
							if ((tabs ? line.replace(/^\t+/, '') : line) === word) break;
						}
					}
					this.heredocs = [];
				}
				if (c === ';' && this.cases > 0) this.pattern ||= this.sees(/[;&]/y) !== undefined;
				if (c === ')') this.pattern = false;
				ended = c === ')' && this.cases <= 0;
			}
		});
		[this.cases, this.pattern, this.heredocs] = [cases, pattern, heredocs];
	}
}

const assigns = word => /^[A-Za-z_][A-Za-z0-9_]*(?:=|\+=|\[)/.test(word);

const fileName = word => word.slice(word.lastIndexOf('/') + 1);

// A command in one form: its text, and where in it the words begin that may name the program.
function formed(pieces, form) {
	let text = '';
	const starts = [];
	const add = s => { for (const c of s) if (form === 'exact') text += c; else if (!/[ \t\n\r\v\f]/.test(c)) text += c; else if (text && !text.endsWith(' ')) text += ' '; };
	for (const { blank, word, redirection, named, shifted } of pieces) {
		if (blank) { add(blank); continue; }
		if (redirection) {
			const [fd, sign, blanks, target] = redirection;
			if (form !== 'without') add(form === 'words' ? `${fd} ${blanks}${target}` : `${fd}${sign}${blanks}${target}`);
			continue;
		}
		const at = text.length;
		add(word);
		if (named) starts.push({ at, len: text.length - at, shifted });
	}
	return { text: text.replace(/ $/, ''), starts };
}

// Every way to read one command from the beginning of a text; how far it goes.
function commandRead(out, source, unsure) {
	const reader = new Reader(source), pieces = reader.command(), raw = trim(source.slice(0, reader.at));
	const add = (text, anywhere = false) => text && out.reads.push({ text, anywhere });
	let runs = false;
	add(raw);
	const readings = (form, from = pieces) => {
		const { text, starts } = formed(from, form);
		if (starts.length > 32) out.tooDeep = true;
		add(text);
		for (const { at, len, shifted } of starts.slice(0, 32)) {
			const rest = text.slice(at), word = rest.slice(0, len), file = fileName(word), running = RUNNING.includes(file);
			add(rest, running || unsure && shifted);
			if (file !== word) add(rest.slice(word.length - file.length));
			if (word.includes(',')) add(squeeze(rest.replace(/[{,}]/g, ' ')), running);
			runs ||= running;
		}
	};
	if (reader.tooDeep) out.tooDeep = true;
	readings('kept');
	if (pieces.some(p => p.redirection)) readings('words'), readings('without');
	if (/[$`]/.test(source.slice(0, reader.at))) readings('without', new Reader(source.slice(0, reader.at), true).command());
	const exact = formed(pieces, 'exact').text;
	if (runs && exact.length < raw.length) linesRead(out, exact);
	return reader.at;
}

const PLACE = /[;&|\n\r()`]|\{(?=[ \t\n;&|<>()]|$)/;

// At the beginning and behind every separator, whatever quotes say.
function placesRead(out, line) {
	for (let rest = line; rest !== '' && !out.tooDeep;) {
		rest = rest.replace(/^[ \t]+/, '');
		if (rest === '') break;
		const end = commandRead(out, rest, false), tick = rest.slice(0, end).indexOf('`');
		if (tick >= 0) commandRead(out, rest.slice(0, tick), false);
		const cut = rest.search(PLACE), piece = cut < 0 ? rest : rest.slice(0, cut), text = plain(piece);
		if (trim(piece)) out.reads.push({ text: trim(piece), anywhere: false });
		if (text) {
			out.reads.push({ text, anywhere: false });
			commandRead(out, text, text !== trim(piece));
		}
		rest = cut < 0 ? '' : rest.slice(cut + 1);
	}
}

// A backslash at its end joins a line with the next, unless it is in a comment. What looks like one may be none.
function linesRead(out, line) {
	if (++out.depth > 32) out.tooDeep = true;
	placesRead(out, line.replace(/\\\n|(\\[^])/g, (_, pair) => pair ?? ''));
	placesRead(out, line.replace(/((?<=^|[ \t\n;&|()])#[^\n]*)|\\\n|(\\[^])/g, (_, comment, pair) => comment ?? pair ?? ''));
	out.depth--;
}

export function commandLine(text) {
	const line = trim(text), parts = line.split(/[;&|\n\r]/).map(trim).filter(Boolean);
	const out = { parts, reads: [{ text: line, anywhere: false }], depth: 0, tooDeep: false, unclear: unclear(line, plain(line), parts) };
	if (plain(line)) out.reads.push({ text: plain(line), anywhere: false });
	linesRead(out, line);
	return out;
}

const fitsReading = (p, { text, anywhere }) => {
	if (textFits(p, text)) return true;
	if (!anywhere) return false;
	for (let i = 1; i < text.length; i++)
		if ((text[i - 1] === ' ' || text[i - 1] === '/') && textFits(p, text.slice(i))) return true;
	return false;
};

// ---- subjects ----

export const canonical = v => Array.isArray(v) ? `[${v.map(canonical).join(',')}]`
	: v && typeof v === 'object' ? `{${Object.keys(v).sort().map(k => `${JSON.stringify(k)}:${canonical(v[k])}`).join(',')}}`
		: JSON.stringify(v);

const quoted = word => /^[A-Za-z0-9_./:=,+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const wordsOf = v => typeof v === 'string' ? v
	: Array.isArray(v) && v.length && v.every(w => typeof w === 'string') ? v.map(quoted).join(' ') : undefined;

function subjectOf(kind, value) {
	const text = kind === 'command' ? wordsOf(value) : typeof value === 'string' ? value : undefined;
	const s = { kind, text, known: text !== undefined };
	if (s.known && kind === 'command') s.line = commandLine(text);
	if (s.known && kind === 'path') s.normal = normal(text);
	if (s.known && kind === 'address') s.host = hostOf(text);
	s.unclear = s.known && (kind === 'command' ? s.line.unclear : kind === 'path' && pathUnclear(text));
	s.vague = !s.known || kind === 'address' && !s.host;
	return s;
}

const has = (o, k) => o !== null && typeof o === 'object' && !Array.isArray(o) && Object.hasOwn(o, k);

export function lookAt(operation, from) {
	const args = operation.arguments, names = [operation.name];
	let subjects;
	if (operation.type === 'command' && has(args, 'argv') && Array.isArray(args.argv)) {
		names.push('Bash');
		subjects = [subjectOf('command', args.argv)];
	} else if (kindOf(operation.name)) {
		const kind = kindOf(operation.name), members = SUBJECTS[operation.name].filter(m => has(args, m) && args[m] !== null);
		subjects = members.length ? members.map(m => subjectOf(kind, args[m])) : [subjectOf(kind, undefined)];
	} else {
		subjects = [{ kind: 'text', known: true, text: args === undefined ? '' : canonical(args) }];
		const guesses = { command: 'command', cmd: 'command', file_path: 'path', path: 'path', url: 'address', query: 'text', operation: 'text' };
		for (const [member, kind] of Object.entries(guesses)) {
			const s = has(args, member) ? subjectOf(kind, args[member]) : null;
			if (s?.known) subjects.push(s);
		}
	}
	const whole = Object.fromEntries(['type', 'name', 'arguments'].filter(k => operation[k] !== undefined).map(k => [k, operation[k]]));
	return {
		...from, operation, names, subjects,
		type: TYPES.includes(operation.type) ? operation.type : 'tool',
		same: 'sha256:' + createHash('sha256').update(canonical(whole)).digest('hex'),
	};
}

const named = (p, look) => look.names.some(name => glob(p.name, name));

function stopsSubject(p, s) {
	if (p.form === 'bare') return YES;
	if (!s.known) return DOUBT;
	if (s.kind === 'command') {
		if (p.form !== 'host' && s.line.reads.some(r => fitsReading(p, r))) return YES;
		return s.line.tooDeep ? DOUBT : NO;
	}
	if (p.form === 'host') return s.kind !== 'address' ? NO : !s.host ? DOUBT : hostFits(p.subject, s.host) ? YES : NO;
	return textFits(p, s.text) || s.kind === 'path' && textFits(p, s.normal) ? YES : NO;
}

const toolsStop = (tools, look) => Math.max(NO, ...tools.filter(p => named(p, look))
	.flatMap(p => look.subjects.map(s => stopsSubject(p, s))));

const authority = (s, ends) => s.includes('://') ? s.slice(s.indexOf('://') + 3).split(ends)[0] : null;

// What the call may be about: each must be allowed. Of guesses, the first alone is sure.
const meant = look => kindOf(look.operation.name) ? look.subjects : look.subjects.slice(0, 1);
const unclearly = look => meant(look).some(s => s.unclear);

function allowsOne(p, s) {
	if (p.form === 'host') return s.kind === 'address' && hostFits(p.subject, s.host);
	if (s.kind === 'path') return textFits(p, s.text) || textFits(p, s.normal);
	if (!textFits(p, s.text)) return false;
	const wanted = s.kind === 'address' ? authority(p.subject, /[/#]/) : null;
	return wanted === null || glob(wanted, authority(s.text, /[/?#]/) ?? '');
}

const linesOf = look => meant(look).flatMap(s => s.line ? s.line.parts : []);

function allowsPart(p, look, part) {
	if (unclearly(look) || p.form !== 'bare' && meant(look).some(s => s.vague)) return false;
	if (p.form === 'bare') return true;
	if (look.subjects[0].kind === 'command') return p.form !== 'host' && textFits(p, linesOf(look)[part]);
	return meant(look).every(s => allowsOne(p, s));
}

const partsOf = look => look.subjects[0].line ? linesOf(look).length : 1;

// ---- arguments ----

const typeOf = v => v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v;
const equal = (a, b) => canonical(a) === canonical(b);

function pointed(value, pointer) {
	for (const part of pointer.split('/').slice(1).map(p => p.replaceAll('~1', '/').replaceAll('~0', '~'))) {
		if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined;
		else value = has(value, part) ? value[part] : undefined;
		if (value === undefined) return undefined;
	}
	return value;
}

function under(folder, path) {
	const dir = normal(folder), at = normal(path);
	if (path.startsWith('~') || dir.startsWith('/') !== at.startsWith('/') || /^\.\.(?:\/|$)/.test(at)) return DOUBT;
	return dir === '/' || dir === '.' || at === dir || at.startsWith(dir + '/') ? YES : NO;
}

function argumentFit(pointer, test, args) {
	const v = args === undefined ? undefined : pointed(args, pointer), sure = b => b ? YES : NO;
	if (v === undefined) return DOUBT;
	if ('is' in test) return typeOf(v) !== typeOf(test.is) ? DOUBT : sure(equal(v, test.is));
	if ('in' in test) return sure0(test.in.filter(i => typeOf(i) === typeOf(v)), v);
	if ('has' in test) {
		if (Array.isArray(v)) return sure(v.some(i => equal(i, test.has)));
		return typeOf(v) === 'object' && typeof test.has === 'string' ? sure(has(v, test.has)) : DOUBT;
	}
	if ('min' in test || 'max' in test)
		return typeof v !== 'number' ? DOUBT : sure(v >= (test.min ?? -Infinity) && v <= (test.max ?? Infinity));
	if (typeof v !== 'string') return DOUBT;
	if ('glob' in test) return sure(glob(test.glob, v));
	if ('under' in test) return under(test.under, v);
	const host = hostOf(v);
	return host === null ? DOUBT : sure(hostFits(test.host, host));
}

const sure0 = (alike, v) => alike.length === 0 ? DOUBT : alike.some(i => equal(i, v)) ? YES : NO;

// ---- rules ----

const isObject = v => typeOf(v) === 'object';
const line = (v, max) => typeof v === 'string' && /\S/.test(v) && [...v].length <= max && !/[\x00-\x1f\x7f]/.test(v);

function argumentsValid(tests) {
	return isObject(tests) && Object.keys(tests).length <= 10 && Object.entries(tests).every(([pointer, t]) => {
		if (!/^(?:\/(?:[^~/]|~[01])*)*$/u.test(pointer) || !isObject(t)) return false;
		const keys = Object.keys(t).sort().join();
		if (keys === 'max' || keys === 'min' || keys === 'max,min')
			return Object.values(t).every(n => typeof n === 'number') && !(t.min > t.max);
		switch (keys) {
		case 'is': case 'has': return true;
		case 'in': return Array.isArray(t.in) && t.in.length >= 1 && t.in.length <= 100;
		case 'glob': return line(t.glob, 500);
		case 'under': return line(t.under, 500) && !t.under.startsWith('~') && !/^\.\.(?:\/|$)/.test(normal(t.under));
		case 'host': return line(t.host, 500) && hostPatternValid(t.host);
		default: return false;
		}
	});
}

// The rule taken apart, or null when it must be refused.
export function ruleOf(body) {
	if (!['allow', 'ask', 'deny'].includes(body.effect)) return null;
	const allows = body.effect === 'allow', m = body.match ?? {};
	if (!isObject(m)) return null;
	const known = ['tool', 'type', 'arguments', 'risk', 'agent', 'project', 'session', 'same'];
	if (Object.keys(m).some(k => !known.includes(k))) return null;
	if (allows && !known.some(k => k in m && (m[k] !== null || k === 'project'))) return null;
	let tools = null;
	if (m.tool != null) {
		if (!Array.isArray(m.tool) || m.tool.length < 1 || m.tool.length > 50) return null;
		tools = m.tool.map(t => patternOf(t, allows));
		if (tools.includes(null)) return null;
	}
	if (m.type != null && !TYPES.includes(m.type)) return null;
	if (m.arguments != null && !argumentsValid(m.arguments)) return null;
	let min = 0, max = allows ? 1 : 3;
	if (m.risk != null) {
		if (!isObject(m.risk) || Object.keys(m.risk).some(k => k !== 'min' && k !== 'max')) return null;
		if (Object.values(m.risk).some(r => r !== null && !RISKS.includes(r))) return null;
		if (m.risk.min != null) min = rank(m.risk.min);
		if (m.risk.max != null) max = rank(m.risk.max);
		if (min > max || allows && min === 3) return null;
		if (allows) max = Math.min(max, 2);
	}
	if ((m.agent != null && !line(m.agent, 200)) || (m.project != null && !line(m.project, 200))) return null;
	if (m.session != null && !/^ses_[0-9a-hjkmnp-tv-z]{26}$/.test(m.session)) return null;
	if (m.same != null && !/^sha256:[0-9a-f]{64}$/.test(m.same)) return null;
	return { effect: body.effect, m, tools, min, max, enabled: body.enabled ?? true };
}

function rest(r, look, risk) {
	const { m } = r;
	if (m.type != null && m.type !== look.type || rank(risk) < r.min || rank(risk) > r.max) return NO;
	if (m.agent != null && !glob(m.agent, look.agent)) return NO;
	if (m.project === null && look.project || m.project != null && !glob(m.project, look.project)) return NO;
	if (m.session != null && m.session !== look.session || m.same != null && m.same !== look.same) return NO;
	return Math.min(YES, ...Object.entries(m.arguments ?? {}).map(([p, t]) => argumentFit(p, t, look.operation.arguments)));
}

const allowsThis = (r, look, part) => r.tools ? r.tools.some(p => named(p, look) && allowsPart(p, look, part))
	: r.m.same != null || !unclearly(look);

// { effect, hits } with the numbers of the rules that decided.
export function decide(rules, look, risk, noAllow) {
	const live = rules.map((r, i) => [r, i]).filter(([r]) => r && r.enabled);
	const stops = live.filter(([r]) => r.effect !== 'allow' && rest(r, look, risk) !== NO &&
		(!r.tools || toolsStop(r.tools, look) !== NO));
	const denies = stops.filter(([r]) => r.effect === 'deny'), asks = stops.filter(([r]) => r.effect === 'ask');
	if (denies.length) return { effect: 'deny', hits: [denies[0][1]] };
	if (asks.length) return { effect: 'ask', hits: asks.map(([, i]) => i) };
	if (noAllow || risk === 'critical') return { effect: 'none', hits: [] };
	const allows = live.filter(([r]) => r.effect === 'allow' && rest(r, look, risk) === YES);
	const all = partsOf(look), hits = new Set();
	for (let part = 0; part < all; part++) {
		// One that is for this very operation fits it as a whole, or not at all.
		const first = allows.find(([r]) => r.m.same != null
			? [...Array(all).keys()].every(n => allowsThis(r, look, n)) : allowsThis(r, look, part));
		if (!first) return { effect: 'none', hits: [] };
		hits.add(first[1]);
	}
	return all ? { effect: 'allow', hits: [...hits] } : { effect: 'none', hits: [] };
}

// ---- the policy ----

export function riskOf(rows, look) {
	const parsed = rows.map(r => ({ tools: r.tool.map(t => patternOf(t, r.risk === 'low')), risk: rank(r.risk) }));
	const grave = parsed.filter(r => r.risk >= 1 && toolsStop(r.tools, look) !== NO).map(r => r.risk);
	const low = parsed.filter(r => r.risk === 0), parts = partsOf(look);
	const harmless = parts > 0 && [...Array(parts).keys()].every(part =>
		low.some(r => r.tools.some(p => named(p, look) && allowsPart(p, look, part))));
	const row = grave.length ? Math.max(...grave) : harmless ? 0 : 1;
	return RISKS[Math.max(row, rank(look.operation.risk))];
}

export function modeSays(policy, type, risk) {
	const member = { tool: 'tools', sub_agent: 'sub_agents', mcp: 'mcp', file_op: 'file_ops', db_op: 'db_ops' }[type];
	if (risk === 'critical') return 'ask';
	if (policy.mode === 'manual' || policy.mode === 'selective' && policy.selective[member])
		return risk === 'low' && policy.auto_approve_low ? 'allow' : 'ask';
	return risk === 'high' && policy.always_confirm_high ? 'ask' : 'allow';
}
