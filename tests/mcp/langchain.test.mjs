// LangChain's human-in-the-loop middleware, unmodified: what it stops with is asked in the dialect
// langchain_hitl, and it goes on with the reply as it comes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AIMessage } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { useServer } from '../api/lib/server.mjs';

const server = await useServer();

/** It calls the tool once, and then says what came of it. */
class Scripted extends BaseChatModel {
	_llmType() { return 'scripted'; }

	bindTools() { return this; }

	async _generate(messages) {
		const last = messages.at(-1);
		const message = last.type === 'tool' ? new AIMessage(`done: ${last.content}`)
			: new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'send', args: { to: 'ada' }, type: 'tool_call' }] });
		return { generations: [{ message, text: '' }] };
	}
}

async function decided(answer, allowedDecisions = ['approve', 'edit', 'reject']) {
	const ran = [];
	const send = tool(async (args) => {
		ran.push(args);
		return 'sent';
	}, { name: 'send', description: 'Send', schema: z.object({ to: z.string() }) });
	const agent = createAgent({ model: new Scripted({}), tools: [send], checkpointer: new MemorySaver(),
		middleware: [humanInTheLoopMiddleware({ interruptOn: { send: { allowedDecisions } } })] });
	const config = { configurable: { thread_id: '1' } };
	const stopped = await agent.invoke({ messages: [{ role: 'user', content: 'Go on.' }] }, config);
	const request = stopped.__interrupt__[0].value;
	const asked = await server.agent.post('/v1/asks?dialect=langchain_hitl', request);
	assert.equal(asked.status, 201, asked.text);
	assert.deepEqual(asked.body.operation.arguments, { to: 'ada' });
	await server.member.post(`/v1/asks/${asked.body.id}/answer`, { answer });
	const { reply } = (await server.agent.get(`/v1/asks/${asked.body.id}?dialect=langchain_hitl`)).body;
	const ended = await agent.invoke(new Command({ resume: reply }), config);
	return { ran, reply, said: ended.messages.at(-1).content, request };
}

test('what it really sends is understood, and approved runs', async () => {
	const { ran, request, said } = await decided('approve');
	assert.ok(request.actionRequests && request.reviewConfigs, JSON.stringify(request));
	assert.deepEqual(ran, [{ to: 'ada' }]);
	assert.equal(said, 'done: sent');
});

test('an edit is what runs', async () => {
	const { ran, reply } = await decided({ value: 'approve', arguments: { to: 'bob' } });
	assert.deepEqual(reply.decisions[0].editedAction, { name: 'send', args: { to: 'bob' } });
	assert.deepEqual(ran, [{ to: 'bob' }]);
});

test('a rejection does not run, and the model reads why', async () => {
	const { ran, said } = await decided({ value: 'reject', text: 'Not to Ada' });
	assert.deepEqual(ran, []);
	assert.match(said, /Not to Ada/);
});

test('an edit that was not allowed does not run', async () => {
	const { ran } = await decided({ value: 'approve', arguments: { to: 'bob' } }, ['approve', 'reject']);
	assert.deepEqual(ran, []);
});
