// The frameworks: a driver each in sdks/, loaded when it is run. What a driver exports:
//   ask({model, stdio | http, home, timeoutMs}): an agent with Parley's tools by MCP, run to its end;
//   dialect, edits, approval({model, home, execute, decide}): an agent whose tool `send` needs an approval;
//   decide takes what the framework stops with and gives the dialect's reply, with which it goes on;
//   asking, suspended({model, home, execute, decide}): the same for a tool that stops to ask.
// Both give what the agent then read, unless a model is told of it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const SDKS = {
	'claude-sdk': { package: '@anthropic-ai/claude-agent-sdk' },
	vercel: { package: 'ai' },
	'openai-agents': { package: '@openai/agents' },
	langchain: { package: 'langchain' },
	mastra: { package: '@mastra/core' },
	'ag-ui': { package: '@ag-ui/mastra' },
	langgraph: { package: '@langchain/langgraph' },
	a2a: { package: '@a2a-js/sdk' },
	'a2a-old': { package: '@a2a-js/sdk' },
	humanlayer: { package: '@humanlayer/sdk' },
	'gemini-core': { package: '@google/gemini-cli-core' },
};

for (const [name, sdk] of Object.entries(SDKS)) {
	sdk.name = name;
	sdk.installed = existsSync(here(`sdks/node_modules/${sdk.package}/package.json`));
	sdk.load = () => import(`./sdks/${name}.mjs`);
}
