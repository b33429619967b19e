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
	Read: ['file_path'], Write: ['file_path'], Edit: ['file_path'], Glob: ['pattern'],
	Grep: ['pattern'], WebFetch: ['url'], WebSearch: ['query'], todo: ['operation'], memory: ['operation'],
};
const PATHS = ['Read', 'Write', 'Edit', 'Glob'];
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

const INTRODUCING = '! coproc do elif else if then time until while {'.split(' ');
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
	/\$'((?:\\[^]|[^'\\]|\\$)*)(?:'|$)|\$\{IFS\}|\$IFS|\$(?=")|['"\\]/g,
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

// Commands as a shell would cut them, those in brackets and backticks too.
function nested(line) {
	const out = [];
	let deepest = 0;
	const walk = (at, close, depth) => {
		let start = at, quoted = false;
		deepest = Math.max(deepest, depth);
		while (at < line.length) {
			const c = line[at];
			if (c === '\\') { at += 2; continue; }
			if (c === "'" && !quoted) {
				const end = line.indexOf("'", at + 1);
				at = end < 0 ? at + 1 : end + 1;
				continue;
			}
			if (c === '"') quoted = !quoted;
			if (c === '`' && close === '`' || c === ')' && close === ')' && !quoted) {
				out.push(line.slice(start, at));
				return at + 1;
			}
			if (c === '`') { at = walk(at + 1, '`', depth + 1); continue; }
			if (c === '(' && (!quoted || line[at - 1] === '$')) { at = walk(at + 1, ')', depth + 1); continue; }
			if (!quoted && ';&|\n\r)'.includes(c)) {
				out.push(line.slice(start, at));
				start = at + 1;
			}
			at++;
		}
		out.push(line.slice(start));
		return at;
	};
	walk(0, '', 0);
	return { pieces: out, tooDeep: deepest > 31 };
}

const assigns = word => /^[A-Za-z_][A-Za-z0-9_]*(?:=|\+=|\[)/.test(word);

function skipped(text) {
	for (let assigned = false; ;) {
		const word = firstWord(text);
		if (!INTRODUCING.includes(word) && !assigns(word) || text === '') return { rest: text, assigned };
		assigned ||= assigns(word);
		text = trim(text.slice(word.length));
	}
}

const fileName = word => word.slice(word.lastIndexOf('/') + 1);

// Every way to read one command: texts, and whether a pattern may fit from any word on.
function readings(piece) {
	const out = [], text = trim(piece);
	const add = (t, anywhere = false) => out.push({ text: t, anywhere });
	const words = t => {
		const { rest, assigned } = skipped(t), first = firstWord(rest), file = fileName(first);
		if (rest === '') return;
		add(rest, assigned || RUNNING.includes(file));
		if (file !== first) add(rest.slice(first.length - file.length));
	};
	if (text === '') return out;
	add(text);
	const p = plain(text);
	if (p === '') return out;
	add(p);
	words(p);
	if (/[<>]/.test(p)) {
		const v = squeeze(p.replace(/[<>]/g, ' '));
		if (v) add(v, /^[<>0-9&]/.test(p)), words(v);
	}
	if (firstWord(p).includes(',')) {
		const v = squeeze(p.replace(/[{,}]/g, ' '));
		if (v) add(v), words(v);
	}
	return out;
}

export function commandLine(text) {
	const line = trim(text), joined = line.replace(/\\\r?\n/g, '');
	const parts = line.split(/[;&|\n\r]/).map(trim).filter(Boolean);
	const { pieces, tooDeep } = nested(joined);
	const reads = [{ text: line, anywhere: false }, { text: plain(joined), anywhere: false }];
	for (const piece of [...joined.split(/[;&|\n\r(){}`]/), ...pieces]) reads.push(...readings(piece));
	return { parts, reads: reads.filter((r, i) => i === 0 || r.text), tooDeep, unclear: unclear(line, plain(joined), parts) };
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
		const member = SUBJECTS[operation.name].find(m => has(args, m));
		subjects = [subjectOf(kindOf(operation.name), member && args[member])];
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

function allowsPart(p, look, part) {
	const s = look.subjects[0];
	if (s.unclear || p.form !== 'bare' && s.vague) return false;
	if (p.form === 'bare') return true;
	if (p.form === 'host') return s.kind === 'address' && hostFits(p.subject, s.host);
	if (s.kind === 'command') return textFits(p, s.line.parts[part]);
	if (s.kind === 'path') return textFits(p, s.text) || textFits(p, s.normal);
	if (!textFits(p, s.text)) return false;
	const wanted = s.kind === 'address' ? authority(p.subject, /[/#]/) : null;
	return wanted === null || glob(wanted, authority(s.text, /[/?#]/) ?? '');
}

const partsOf = look => look.subjects[0].line ? look.subjects[0].line.parts.length : 1;

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
	: r.m.same != null || !look.subjects[0].unclear;

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
