// The AI SDK (Vercel): tools by MCP, and tool approvals.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { SEND } from './send.mjs';

const modelAt = (url) => createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'x' })('scripted');

export async function ask({ model, stdio, http }) {
	const client = await createMCPClient({ transport: stdio ? new Stdio(stdio) : { type: 'http', ...http } });
	try {
		await generateText({ model: modelAt(model), tools: await client.tools(), prompt: 'Go on.', stopWhen: isStepCount(8) });
	} finally {
		await client.close();
	}
}

export const dialect = 'vercel';
/** Edited arguments have no place in its reply. */
export const edits = false;

export async function approval({ model, execute, decide }) {
	const tools = { send: tool({ description: SEND.description, needsApproval: true, inputSchema: jsonSchema(SEND.schema), execute }) };
	const messages = [{ role: 'user', content: 'Go on.' }];
	const stopped = await generateText({ model: modelAt(model), tools, messages });
	const reply = await decide(stopped.content.find(({ type }) => type === 'tool-approval-request'));
	await generateText({ model: modelAt(model), tools,
		messages: [...messages, ...stopped.response.messages, { role: 'tool', content: [reply] }] });
}
