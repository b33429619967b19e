// LangChain: tools by MCP, and its human-in-the-loop middleware.
import { Command, MemorySaver } from '@langchain/langgraph';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { SEND } from './send.mjs';

const modelAt = (url) => new ChatOpenAI({ model: 'scripted', apiKey: 'x', configuration: { baseURL: `${url}/v1` } });

export async function ask({ model, stdio, http, timeoutMs }) {
	const more = timeoutMs ? { defaultToolTimeout: timeoutMs } : {};
	const client = new MultiServerMCPClient({ mcpServers: { parley: { ...more,
		...(stdio ? { transport: 'stdio', ...stdio } : { transport: 'http', ...http }) } } });
	try {
		const agent = createAgent({ model: modelAt(model), tools: await client.getTools() });
		await agent.invoke({ messages: [{ role: 'user', content: 'Go on.' }] });
	} finally {
		await client.close();
	}
}

export const dialect = 'langchain_hitl';
export const edits = true;

export async function approval({ model, execute, decide }) {
	const send = tool(execute, SEND);
	const agent = createAgent({ model: modelAt(model), tools: [send], checkpointer: new MemorySaver(),
		middleware: [humanInTheLoopMiddleware({ interruptOn: { send: { allowedDecisions: ['approve', 'edit', 'reject'] } } })] });
	const thread = { configurable: { thread_id: '1' } };
	const stopped = await agent.invoke({ messages: [{ role: 'user', content: 'Go on.' }] }, thread);
	const reply = await decide(stopped.__interrupt__[0].value);
	await agent.invoke(new Command({ resume: reply }), thread);
}
