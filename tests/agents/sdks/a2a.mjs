// A2A: an agent behind the SDK's server, whose task stops for input and goes on with the next message.
import { once } from 'node:events';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, restHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { CITY } from './send.mjs';

export const asking = 'a2a';

const card = { name: 'Builder', description: 'Asks', version: '1', capabilities: {}, skills: [],
	supportedInterfaces: [{ url: 'http://127.0.0.1', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: '' }],
	defaultInputModes: ['text'], defaultOutputModes: ['text'] };

/** Its task as it is now, to be published. */
const task = ({ taskId, contextId, userMessage }, state, text) => AgentEvent.task({ id: taskId, contextId, artifacts: [], history: [userMessage],
	status: { state, timestamp: new Date().toISOString(), message: { messageId: `${taskId}-${state}`, role: Role.ROLE_AGENT, taskId, contextId,
		parts: [{ content: { $case: 'text', value: text }, filename: '', mediaType: 'text/plain' }], extensions: [], referenceTaskIds: [] } } });

export async function suspended({ execute, decide }) {
	const executor = {
		async execute(context, bus) {
			const { metadata, parts } = context.userMessage;
			if (!context.task) bus.publish(task(context, TaskState.TASK_STATE_INPUT_REQUIRED, CITY.text));
			else if (metadata?.status) bus.publish(task(context, TaskState.TASK_STATE_REJECTED, metadata.message));
			else bus.publish(task(context, TaskState.TASK_STATE_COMPLETED, await execute({ city: parts[0].content.value })));
			bus.finished();
		},
		async cancelTask() {},
	};
	const app = express();
	app.use(restHandler({ requestHandler: new DefaultRequestHandler(card, new InMemoryTaskStore(), executor), userBuilder: UserBuilder.noAuthentication }));
	const server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const send = async (body) => {
		const reply = await fetch(`http://127.0.0.1:${server.address().port}/message:send`, { method: 'POST',
			headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }, body: JSON.stringify(body) });
		if (!reply.ok) throw new Error(await reply.text());
		return reply.json();
	};
	try {
		const stopped = await send({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Go on.' }] } });
		const ended = await send(await decide(stopped));
		return ended.task.status.message.parts[0].text;
	} finally {
		server.close();
	}
}
