// Mastra: tools by MCP, tools that need an approval.
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MCPClient } from '@mastra/mcp';
import { z } from 'zod';
import { SEND } from './send.mjs';

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
	const go = { runId: stopped.runId, toolCallId: stopped.suspendPayload.toolCallId };
	if (reply.approved) await agent.approveToolCallGenerate(go);
	else await agent.declineToolCallGenerate({ ...go, reason: reply.reason });
}
