/* An operation's arguments as rows, and what a person made of them. */
import type { Operation } from '../api/types';

export interface Argument {
	name: string;
	text: string;
	isText: boolean;
}

const COMMANDS = ['command', 'cmd', 'script', 'sql', 'query'];

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** null: not an object, shown raw only. */
export function argumentsOf(operation: Operation): Argument[] | null {
	if (operation.arguments === undefined || operation.arguments === null) return [];
	if (!isObject(operation.arguments)) return null;
	return Object.entries(operation.arguments).map(([name, value]) => ({
		name,
		text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
		isText: typeof value === 'string',
	}));
}

/** The argument that is run as it stands. */
export function commandOf(list: Argument[]): Argument | null {
	return list.find((arg) => arg.isText && COMMANDS.includes(arg.name.toLowerCase())) ?? null;
}

export const rawOf = (operation: Operation): string => JSON.stringify(operation, null, 2);

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
			out.arguments[arg.name] = JSON.parse(text);
		} catch {
			out.broken.push(arg.name);
		}
	}
	return out;
}
