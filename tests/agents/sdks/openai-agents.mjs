// The OpenAI Agents SDK: tools by MCP, and tools that need an approval; the run is kept as text meanwhile.
import { Agent, MCPServerStdio, MCPServerStreamableHttp, OpenAIProvider, RunState, Runner, tool } from '@openai/agents';
import { SEND } from './send.mjs';

const runnerAt = (url) => new Runner({ tracingDisabled: true, model: 'scripted',
	modelProvider: new OpenAIProvider({ apiKey: 'x', baseURL: `${url}/v1`, useResponses: true }) });

export async function ask({ model, stdio, http, timeoutMs }) {
	const more = { name: 'parley', ...(timeoutMs && { timeout: timeoutMs, clientSessionTimeoutSeconds: timeoutMs / 1000 }) };
	const server = stdio ? new MCPServerStdio({ ...more, command: stdio.command, args: stdio.args, env: stdio.env })
		: new MCPServerStreamableHttp({ ...more, url: http.url, requestInit: { headers: http.headers } });
	await server.connect();
	try {
		await runnerAt(model).run(new Agent({ name: 'Builder', instructions: 'Ask.', mcpServers: [server] }), 'Go on.');
	} finally {
		await server.close();
	}
}

export const dialect = 'openai_agents';
export const edits = false;

export async function approval({ model, execute, decide }) {
	const agent = new Agent({ name: 'Builder', instructions: 'Send.', tools: [tool({ name: SEND.name, description: SEND.description, strict: false,
		parameters: { ...SEND.schema, additionalProperties: true }, needsApproval: true, execute })] });
	const runner = runnerAt(model);
	const stopped = await runner.run(agent, 'Go on.');
	const kept = stopped.state.toString();
	const reply = await decide(JSON.parse(JSON.stringify(stopped.interruptions[0])));
	const state = await RunState.fromString(agent, kept);
	const [item] = state.getInterruptions();
	if (reply.approved) state.approve(item);
	else state.reject(item, reply);
	await runner.run(agent, state);
}
