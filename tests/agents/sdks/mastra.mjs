// Mastra: tools by MCP, tools that need an approval.
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MCPClient } from '@mastra/mcp';
import { z } from 'zod';
import { CITY, SEND } from './send.mjs';

const modelAt = (url) => ({ id: 'scripted/scripted', url: `${url}/v1`, apiKey: 'x' });

export async function ask({ model, stdio, http, timeoutMs = 600_000 }) {
	const client = new MCPClient({ id: `parley-${model}`, timeout: timeoutMs, servers: { parley: stdio ? stdio
		: { url: new URL(http.url), requestInit: { headers: http.headers } } } });
	try {
		const agent = new Agent({ id: 'builder', name: 'Builder', instructions: 'Ask.', model: modelAt(model), tools: await client.listTools() });
		await agent.generate('Go on.', { maxSteps: 8 });
	} finally {
		await client.disconnect();
	}
}

export const dialect = 'mastra';
export const edits = false;

export async function approval({ model, execute, decide }) {
	const send = createTool({ id: SEND.name, description: SEND.description, requireApproval: true,
		inputSchema: z.object({ to: z.string(), text: z.string() }), execute });
	const builder = new Agent({ id: 'builder', name: 'Builder', instructions: 'Send.', model: modelAt(model), tools: { send } });
	const agent = new Mastra({ agents: { builder }, storage: new InMemoryStore(), logger: false }).getAgent('builder');
	const stopped = await agent.generate('Go on.');
	const reply = await decide(stopped.suspendPayload);
	await agent.resumeGenerate(reply.resumeData, { runId: stopped.runId, toolCallId: reply.toolCallId });
}

export const asking = 'mastra';

export async function suspended({ model, execute, decide }) {
	const city = createTool({ id: CITY.name, description: CITY.description, inputSchema: z.object({ country: z.string() }),
		suspendSchema: z.object({ message: z.string() }), resumeSchema: z.object({ city: z.string() }),
		execute: async (input, { agent: { resumeData, suspend } }) => (resumeData ? execute(resumeData) : suspend({ message: CITY.text })) });
	const builder = new Agent({ id: 'builder', name: 'Builder', instructions: 'Ask.', model: modelAt(model), tools: { city } });
	const agent = new Mastra({ agents: { builder }, storage: new InMemoryStore(), logger: false }).getAgent('builder');
	const stopped = await agent.generate('Go on.');
	const reply = await decide(stopped.suspendPayload);
	if (reply.resumeData) await agent.resumeGenerate(reply.resumeData, { runId: stopped.runId, toolCallId: reply.toolCallId });
}
