// AG-UI: a Mastra agent behind @ag-ui/mastra, whose runs end with interrupts and go on with `resume`.
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MastraAgent } from '@ag-ui/mastra';
import { z } from 'zod';
import { CITY } from './send.mjs';

export const asking = 'ag_ui';

/** Runs it; the event with which the run ended. */
async function run(agent, parameters) {
	let last;
	await agent.runAgent(parameters, { onRunFinishedEvent: ({ event }) => { last = event; } });
	return last;
}

export async function suspended({ model, execute, decide }) {
	const city = createTool({ id: CITY.name, description: CITY.description, inputSchema: z.object({ country: z.string() }),
		suspendSchema: z.object({ message: z.string() }), resumeSchema: z.object({ city: z.string() }),
		execute: async (input, { agent: { resumeData, suspend } }) => (resumeData ? execute(resumeData) : suspend({ message: CITY.text })) });
	const builder = new Agent({ id: 'builder', name: 'Builder', instructions: 'Ask.',
		model: { id: 'scripted/scripted', url: `${model}/v1`, apiKey: 'x' }, tools: { city } });
	const mastra = new Mastra({ agents: { builder }, storage: new InMemoryStore(), logger: false });
	const agent = new MastraAgent({ agent: mastra.getAgent('builder'), agentId: 'builder', resourceId: 'tests' });
	agent.setMessages([{ id: '1', role: 'user', content: 'Go on.' }]);
	const finished = await run(agent, { runId: 'run-1' });
	const { resume } = await decide(JSON.parse(JSON.stringify(finished)));
	await run(agent, { runId: 'run-2', resume });
}
