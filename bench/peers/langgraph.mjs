// langgraph.mjs - the work of bench/runs on LangGraph with its SQLite checkpointer: runs of two model calls and a
// tool, and a question whose answer leads to the next model call.
import { ChatAnthropic } from '@langchain/anthropic';
import { tool } from '@langchain/core/tools';
import { Command, END, MessagesAnnotation, START, StateGraph, interrupt } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { askTool } from './loop.mjs';

export default function langgraph(url, file) {
	const db = new Database(file);
	db.pragma('journal_mode = WAL');
	db.pragma('synchronous = FULL');
	const tools = [
		tool(async () => '[]', { name: 'todo', description: 'Keeps tasks.', schema: z.object({ operation: z.string() }) }),
		tool(async ({ questions }) => interrupt(questions), { name: 'ask_user_question', description: 'Asks.',
			schema: z.object({ questions: z.array(z.object({ question: z.string() })) }) }),
		tool(() => askTool(url), { name: 'own', description: 'Answers.', schema: z.object({}) }),
		tool(async () => { interrupt('May it?'); return askTool(url); }, { name: 'guarded', description: 'Answers.', schema: z.object({}) }),
	];
	const model = new ChatAnthropic({ model: 'm', apiKey: 'none', anthropicApiUrl: url, streaming: true, maxRetries: 0 }).bindTools(tools);
	const app = new StateGraph(MessagesAnnotation)
		.addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
		.addNode('tools', new ToolNode(tools))
		.addEdge(START, 'agent').addEdge('tools', 'agent')
		.addConditionalEdges('agent', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : END))
		.compile({ checkpointer: new SqliteSaver(db) });
	const said = ({ messages }) => {
		const { content } = messages.at(-1);
		return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
	};
	const on = (id) => ({ configurable: { thread_id: id }, durability: 'sync' });
	return {
		name: 'LangGraph + SQLite',
		run: async (id, content) => said(await app.invoke({ messages: [{ role: 'user', content }] }, on(id))),
		ask: async (id, content) => { await app.invoke({ messages: [{ role: 'user', content }] }, on(id)); },
		answer: async (id) => said(await app.invoke(new Command({ resume: 'yes' }), on(id))),
	};
}
