/* Rules as sentences; patterns as operations to be tried. Pure but for the language. */
import type { Ask, Rule, RuleEffect, RuleRequest } from '../api/types';
import { t, type MessageId } from './i18n.svelte';
import { argumentLines } from './ruleArguments';

/** A piece of a sentence: plain, a pattern, or a name that stands out. */
export interface Piece {
	text: string;
	look: 'plain' | 'code' | 'name';
}

/** Tightest first: that is the order in which they win. */
export const effects: readonly RuleEffect[] = ['deny', 'ask', 'allow'];

const plain = (text: string): Piece => ({ text, look: 'plain' });
const code = (text: string): Piece => ({ text, look: 'code' });

/** A message with its place filled by a piece of another look. */
function around(id: MessageId, place: string, piece: Piece): Piece[] {
	const [before = '', after = ''] = t(id).split(`{${place}}`);
	return [plain(before), piece, plain(after)];
}

const name = (id: MessageId, place: string, text: string) =>
	around(id, place, { text, look: 'name' });

type Match = NonNullable<RuleRequest['match']>;

type From = RuleRequest['made_from'];

/** The call that a rule was made from: "npm test", "Read(/etc/hosts)". */
export function callText(from: From): string {
	if (!from?.tool) return '';
	if (!from.subject) return from.tool;
	return from.tool === 'Bash' ? from.subject : `${from.tool}(${from.subject})`;
}

function whatPieces(match: Match, from: From): Piece[] {
	if (match.tool?.length)
		return match.tool.flatMap((one, i) => [
			...(i ? [plain(` ${t('web.rules.says.or')} `)] : []),
			code(one),
		]);
	if (match.same && callText(from)) return [code(callText(from))];
	if (match.same) return [plain(t('web.rules.says.same'))];
	if (match.type) return name('web.rules.says.type', 'type', match.type);
	return [plain(t('web.rules.says.any'))];
}

/** "where `/branch` is one of `main, release`". */
function argumentPieces(given: Record<string, unknown>): Piece[] {
	const [before = '', after = ''] = t('web.rules.says.where').split('{arguments}');
	const lines = argumentLines(given).flatMap(({ pointer, test, text }, i) => [
		...(i ? [plain(', ')] : []),
		code(pointer),
		plain(` ${t(`web.rules.test.${test}`)} `),
		code(text),
	]);
	return [plain(before), ...lines, plain(after)];
}

/** "`close_issue` where `/repo` is `web`": which calls fit. */
export function callPieces(match: Match, from: From = null): Piece[] {
	const what = whatPieces(match, from);
	return match.arguments && Object.keys(match.arguments).length
		? [...what, plain(' '), ...argumentPieces(match.arguments as Record<string, unknown>)]
		: what;
}

/** "`npm test *` for ci-bot in web": what stands behind the word of its effect. */
export function rulePieces(
	match: Match,
	from: From = null,
	sessionTitle: (id: string) => string | null = () => null,
): Piece[] {
	const list: Piece[][] = [callPieces(match, from)];
	if (match.risk?.min)
		list.push(name('web.rules.says.min', 'risk', t(`web.risk.${match.risk.min}`)));
	if (match.risk?.max)
		list.push(name('web.rules.says.max', 'risk', t(`web.risk.${match.risk.max}`)));
	if (match.agent === undefined) list.push([plain(t('web.rules.says.for.any'))]);
	else list.push(name('web.rules.says.for', 'agent', match.agent));
	if (match.project === null) list.push([plain(t('web.rules.says.in.none'))]);
	else if (match.project !== undefined)
		list.push(name('web.rules.says.in', 'project', match.project));
	if (match.session !== undefined)
		list.push(
			name('web.rules.says.session', 'session', sessionTitle(match.session) ?? match.session),
		);
	return list.flatMap((pieces, i) => (i ? [plain(' '), ...pieces] : pieces)).filter((p) => p.text);
}

/** The whole sentence as text: "Allow npm test * for ci-bot in web". */
export const ruleText = (effect: RuleEffect, match: Match, from: From = null): string =>
	`${t(`web.rules.effect.${effect}`)} ${rulePieces(match, from)
		.map((piece) => piece.text)
		.join('')}`;

/* What a call of these tools is about. */
const subjects: Record<string, string> = {
	Bash: 'command',
	Read: 'file_path',
	Write: 'file_path',
	Edit: 'file_path',
	WebFetch: 'url',
};

/** "Bash(npm test)" → the operation that it would be. */
export function operationIn(text: string): { name: string; arguments: object } {
	const [, tool = text, inside] = /^([^(]+)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
	const name = tool.trim();
	if (inside === undefined) return { name, arguments: {} };
	try {
		const given: unknown = JSON.parse(inside);
		if (given && typeof given === 'object' && !Array.isArray(given))
			return { name, arguments: given };
	} catch {
		/* no arguments as JSON: what the call is about */
	}
	return { name, arguments: { [subjects[name] ?? 'command']: inside } };
}

/** The pattern of this very call, to be widened by hand; for a command, its first words. */
export function patternOf(ask: Ask): string {
	const operation = ask.operation;
	if (!operation) return '';
	const given = operation.arguments as Record<string, unknown> | null | undefined;
	const member = subjects[operation.name] ?? 'command';
	const subject = given && typeof given === 'object' ? given[member] : undefined;
	if (typeof subject !== 'string') return operation.name;
	if (member !== 'command') return `${operation.name}(${subject})`;
	const words = subject.trim().split(/\s+/);
	const head = words.slice(0, words.length > 2 ? 2 : 1).join(' ');
	return words.length > 1 ? `${operation.name}(${head} *)` : `${operation.name}(${head})`;
}

/** Patterns as they are typed, one a line. */
export const patternLines = (text: string): string[] =>
	text
		.split('\n')
		.map((one) => one.trim())
		.filter(Boolean);

/** The rest of it. */
export function without<T extends object, K extends keyof T>(of: T, ...names: K[]): Omit<T, K> {
	const rest = { ...of };
	for (const name of names) delete rest[name];
	return rest;
}

/** One's own, another's allow, or as an admin. */
export const mayEnd = (rule: Rule, isMe: boolean, isAdmin: boolean): boolean =>
	isAdmin || isMe || rule.effect === 'allow';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** "8h" in milliseconds; 0: not a time. */
export function durationMs(text: string | number): number {
	const [, n, unit = 's'] = /^(\d+)([smhd])?$/.exec(String(text)) ?? [];
	return n ? Number(n) * UNITS[unit]! * 1000 : 0;
}
