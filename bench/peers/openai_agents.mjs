// openai_agents.mjs - the same on the OpenAI Agents SDK. Its session in SQLite is ours, as it brings none for files:
// items are kept as they come, and a run that waits as the text of its state.
import { Agent, OpenAIChatCompletionsModel, RunState, Runner, setTracingDisabled, tool } from '@openai/agents';
import Database from 'better-sqlite3';
import OpenAI from 'openai';
import { z } from 'zod';
import { askTool } from './loop.mjs';

setTracingDisabled(true);

export default function openaiAgents(url, file) {
	const db = new Database(file);
	db.pragma('journal_mode = WAL');
	db.pragma('synchronous = FULL');
	db.exec('CREATE TABLE items (n INTEGER PRIMARY KEY, session TEXT, item TEXT); CREATE INDEX by_session ON items (session);'
		+ 'CREATE TABLE states (session TEXT PRIMARY KEY, state TEXT)');
	const add = db.prepare('INSERT INTO items (session, item) VALUES (?, ?)');
	const all = db.prepare('SELECT item FROM items WHERE session = ? ORDER BY n');
	const park = db.prepare('INSERT INTO states VALUES (?, ?)'), parked = db.prepare('SELECT state FROM states WHERE session = ?');
	const addAll = db.transaction((id, items) => { for (const item of items) add.run(id, JSON.stringify(item)); });
	const session = (id) => ({
		getSessionId: async () => id,
		getItems: async () => all.all(id).map(({ item }) => JSON.parse(item)),
		addItems: async (items) => addAll(id, items),
		popItem: async () => undefined,
		clearSession: async () => {},
	});
	const agent = new Agent({ name: 'worker', instructions: 'You work.',
		model: new OpenAIChatCompletionsModel(new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }), 'm'),
		tools: [
			tool({ name: 'todo', description: 'Keeps tasks.', parameters: z.object({ operation: z.string() }), execute: async () => '[]' }),
			tool({ name: 'ask', description: 'Asks.', parameters: z.object({ question: z.string() }), needsApproval: true, execute: async () => 'yes' }),
			tool({ name: 'own', description: 'Answers.', parameters: z.object({}), execute: () => askTool(url) }),
			tool({ name: 'guarded', description: 'Answers.', parameters: z.object({}), needsApproval: true, execute: () => askTool(url) }),
		] });
	const runner = new Runner({ tracingDisabled: true });
	return {
		name: 'OpenAI Agents + SQLite',
		run: async (id, text) => (await runner.run(agent, text, { session: session(id) })).finalOutput,
		ask: async (id, text) => { park.run(id, (await runner.run(agent, text, { session: session(id) })).state.toString()); },
		answer: async (id) => {
			const state = await RunState.fromString(agent, parked.get(id).state);
			for (const one of state.getInterruptions()) state.approve(one);
			return (await runner.run(agent, state, { session: session(id) })).finalOutput;
		},
	};
}
