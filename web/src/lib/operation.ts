/* An operation's arguments as rows, and what a person made of them. */
import type { Ask, Operation } from '../api/types';
import { jsonRead, jsonWrite } from './json';

export interface Argument {
	name: string;
	text: string;
	isText: boolean;
	isNumber: boolean;
}

const COMMANDS = ['command', 'cmd', 'script', 'sql', 'query'];

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A short list fits into a line. */
function valueText(value: unknown): string {
	const short = Array.isArray(value) && value.every((one) => typeof one !== 'object');
	const line = short ? jsonWrite(value).replace(/,(?=("|-|\d|t|f|n))/g, ', ') : '';
	return short && line.length <= 80 && jsonWrite(value).length + value.length - 1 >= line.length
		? line
		: jsonWrite(value, 2);
}

/** null: not an object, shown raw only. */
export function argumentsOf(operation: Operation): Argument[] | null {
	if (operation.arguments === undefined || operation.arguments === null) return [];
	if (!isObject(operation.arguments)) return null;
	return Object.entries(operation.arguments).map(([name, value]) => ({
		name,
		text: typeof value === 'string' ? value : valueText(value),
		isText: typeof value === 'string',
		isNumber: typeof value === 'number' || typeof value === 'bigint',
	}));
}

/** The argument that is run as it stands. */
export function commandOf(list: Argument[]): Argument | null {
	return list.find((arg) => arg.isText && COMMANDS.includes(arg.name.toLowerCase())) ?? null;
}

/* What is longer than this is folded until somebody wants to see it. */
const FOLD = { lines: 20, length: 2400 };
const START = { lines: 8, length: 800 };

export const linesIn = (text: string): number => text.replace(/\n$/, '').split('\n').length;
export const isLong = (text: string): boolean =>
	text.length > FOLD.length || linesIn(text) > FOLD.lines;

/** What is shown of a long text. */
export function startOf(text: string): string {
	const start = text.split('\n').slice(0, START.lines).join('\n');
	return [...start].slice(0, START.length).join('') + ' …';
}

const isLine = ({ text }: Argument) => text.length <= 120 && !text.includes('\n');

/** Those that fit on a line before those that do not: nothing short stands below a page of text. */
export const shortFirst = (list: Argument[]): Argument[] => [
	...list.filter(isLine),
	...list.filter((arg) => !isLine(arg)),
];

/** What it was approved with, where somebody edited that. */
export const editedOf = (ask: Ask): unknown =>
	Object.values(ask.answer ?? {}).find((said) => said.arguments)?.arguments;

/** The operation as it was approved, or as it was asked for. */
export function settledOperation(ask: Ask): Operation | null {
	const edited = editedOf(ask);
	return ask.operation && edited ? { ...ask.operation, arguments: edited } : ask.operation;
}

export const rawOf = (operation: Operation): string => jsonWrite(operation, 2);

export interface Edited {
	arguments: Record<string, unknown>;
	changed: string[];
	/** Names whose text is no JSON. */
	broken: string[];
}

/** What was typed for an argument, or what it was. */
export const textOf = (arg: Argument, texts: Record<string, string>): string =>
	Object.hasOwn(texts, arg.name) ? texts[arg.name]! : arg.text;

/** `texts` holds what was typed, by name; those not in it are as they were. */
export function edit(operation: Operation, texts: Record<string, string>): Edited {
	/* Without a prototype: an argument may be called __proto__. */
	const out: Edited = {
		arguments: Object.create(null) as Record<string, unknown>,
		changed: [],
		broken: [],
	};
	const original = isObject(operation.arguments) ? operation.arguments : {};
	for (const arg of argumentsOf(operation) ?? []) {
		const text = textOf(arg, texts);
		out.arguments[arg.name] = original[arg.name];
		if (text === arg.text) continue;
		out.changed.push(arg.name);
		if (arg.isText) {
			out.arguments[arg.name] = text;
			continue;
		}
		try {
			out.arguments[arg.name] = jsonRead(text);
		} catch {
			out.broken.push(arg.name);
		}
	}
	return out;
}

/** What was typed to get from one to the other, by name: how an edited operation is drawn. */
export function textsBetween(operation: Operation, approved: unknown): Record<string, string> {
	const texts: Record<string, string> = {};
	for (const arg of argumentsOf({ ...operation, arguments: approved } as Operation) ?? [])
		texts[arg.name] = arg.text;
	return texts;
}
