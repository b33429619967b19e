// The Claude Agent SDK: tools by MCP, and its question of whether a tool may be used.
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { SEND } from './send.mjs';

async function run({ model, home, options }) {
	const env = { PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'sk-ant-test', IS_SANDBOX: '1',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1',
		ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: 'false' };
	for await (const message of query({ prompt: 'Go on.', options: { cwd: home, env, permissionMode: 'default', ...options } })) void message;
}

export const ask = ({ model, stdio, http, home, timeoutMs }) => run({ model, home, options: { allowedTools: ['mcp__parley'],
	mcpServers: { parley: { ...(stdio ? { type: 'stdio', ...stdio } : { type: 'http', ...http }), ...(timeoutMs && { timeout: timeoutMs }) } } } });

export const dialect = 'permission';
export const edits = true;
/** Its own tool, as SDK tools are not asked about by default. */
export async function approval({ model, home, execute, decide }) {
	await run({ model, home, options: {
		mcpServers: { local: createSdkMcpServer({ name: 'local', version: '1', tools: [tool(SEND.name, SEND.description,
			{ to: z.string(), text: z.string() }, async (input) => ({ content: [{ type: 'text', text: await execute(input) }] }))] }) },
		canUseTool: (toolName, input, { toolUseID, suggestions }) => decide(
			JSON.parse(JSON.stringify({ tool_name: toolName, input, tool_use_id: toolUseID, permission_suggestions: suggestions }))),
	} });
}

export const asking = 'ask_user_question';

/** Its own tool that asks; what it goes on with is the answers. */
export async function suspended({ model, home, decide }) {
	await run({ model, home, options: { canUseTool: async (toolName, input) => {
		const reply = await decide(input);
		return reply.status ? { behavior: 'deny', message: reply.message } : { behavior: 'allow', updatedInput: reply };
	} } });
}
