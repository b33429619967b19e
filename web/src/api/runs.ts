/* The shapes of agents that Parley runs, as the document of the API has them. */
import type { components } from './schema';

type Schemas = components['schemas'];

/** An object whose members the document does not name has any. */
type Open<T> =
	T extends Record<string, never>
		? Record<string, unknown>
		: T extends (infer One)[]
			? Open<One>[]
			: T extends object
				? { [Name in keyof T]: Open<T[Name]> }
				: T;

export type Run = Open<Schemas['Run']>;
export type Usage = Schemas['Usage'];
export type ToolCall = Open<Schemas['ToolCall']>;
export type Task = Schemas['Task'];
export type Tool = Open<Schemas['Tool']>;
export type ToolTest = Schemas['ToolTest'];
export type McpServer = Open<Schemas['McpServer']>;
export type McpServerTest = Open<Schemas['McpServerTest']>;
export type Message = Open<Schemas['Message']>;
export type Part = Message['content'][number];
