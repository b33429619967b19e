// A2A: an agent behind the SDK's server, whose task stops for input and goes on with the next message; as of 1.0,
// and as before it (a2a-old.mjs), which the same server speaks, too.
import { once } from 'node:events';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { CITY } from './send.mjs';

export const asking = 'a2a';

const card = { name: 'Builder', description: 'Asks', version: '1', capabilities: {}, skills: [],
	supportedInterfaces: [['HTTP+JSON', '1.0'], ['JSONRPC', '0.3']].map(([protocolBinding, protocolVersion]) => (
		{ url: 'http://127.0.0.1', protocolBinding, protocolVersion, tenant: '' })),
	defaultInputModes: ['text'], defaultOutputModes: ['text'] };

/** Its task as it is now, to be published. */
const task = ({ taskId, contextId, userMessage }, state, text) => AgentEvent.task({ id: taskId, contextId, artifacts: [], history: [userMessage],
	status: { state, timestamp: new Date().toISOString(), message: { messageId: `${taskId}-${state}`, role: Role.ROLE_AGENT, taskId, contextId,
		parts: [{ content: { $case: 'text', value: text }, filename: '', mediaType: 'text/plain' }], extensions: [], referenceTaskIds: [] } } });

/** How a message is sent, and where the task stands in the reply. */
export const NOW = { path: '/message:send', headers: { 'A2A-Version': '1.0' }, first: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Go on.' }] },
	body: (params) => params, task: (reply) => reply.task };
export const OLD = { path: '/', headers: {}, first: { kind: 'message', messageId: '1', role: 'user', parts: [{ kind: 'text', text: 'Go on.' }] },
	body: (params) => ({ jsonrpc: '2.0', id: 1, method: 'message/send', params }), task: (reply) => reply.result };

export async function suspendedOn(wire, { execute, decide }) {
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
	const options = { requestHandler: new DefaultRequestHandler(card, new InMemoryTaskStore(), executor), userBuilder: UserBuilder.noAuthentication };
	const app = express();
	app.use(wire === NOW ? restHandler(options) : jsonRpcHandler({ ...options, legacyCompat: { enabled: true } }));
	const server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const send = async (params) => {
		const reply = await fetch(`http://127.0.0.1:${server.address().port}${wire.path}`, { method: 'POST',
			headers: { 'Content-Type': 'application/json', ...wire.headers }, body: JSON.stringify(wire.body(params)) });
		if (!reply.ok) throw new Error(await reply.text());
		return reply.json();
	};
	try {
		const ended = await send(await decide(await send({ message: wire.first })));
		return wire.task(ended).status.message.parts[0].text;
	} finally {
		server.close();
	}
}

export const suspended = (how) => suspendedOn(NOW, how);
