// The Claude Agent SDK: tools by MCP, and its question of whether a tool may be used.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { SEND } from './send.mjs';

async function run({ model, home, options }) {
	const env = { PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'sk-ant-test', IS_SANDBOX: '1',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1',
		ENABLE_TOOL_SEARCH: 'false' };
	for await (const message of query({ prompt: 'Go on.', options: { cwd: home, env, permissionMode: 'default', ...options } })) void message;
}

export const ask = ({ model, stdio, http, home }) => run({ model, home, options: {
	mcpServers: { parley: stdio ? { type: 'stdio', ...stdio } : { type: 'http', ...http } }, allowedTools: ['mcp__parley'] } });
