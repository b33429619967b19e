// The AI SDK's tool approvals, unmodified: what it stops with is asked in the dialect vercel, and it goes
// on with the reply as it comes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { useServer } from '../api/lib/server.mjs';

const server = await useServer();
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** It calls the tool once, and then says what came of it. */
const scripted = () => new MockLanguageModelV4({
	doGenerate: async ({ prompt }) => {
		const result = prompt.at(-1).role === 'tool' && prompt.at(-1).content.find(({ type }) => type === 'tool-result');
		const content = result ? { type: 'text', text: JSON.stringify(result.output) }
			: { type: 'tool-call', toolCallId: 'c1', toolName: 'send', input: JSON.stringify({ to: 'ada' }) };
		const reason = result ? 'stop' : 'tool-calls';
		return { content: [content], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
	},
});

async function decided(how, body) {
	const ran = [];
	const tools = { send: tool({ description: 'Send', needsApproval: true,
		inputSchema: jsonSchema({ type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }),
		execute: async (args) => {
			ran.push(args);
			return 'sent';
		} }) };
	const messages = [{ role: 'user', content: 'Go on.' }];
	const stopped = await generateText({ model: scripted(), tools, messages });
	const request = stopped.content.find(({ type }) => type === 'tool-approval-request');
	const asked = await server.agent.post('/v1/asks?dialect=vercel', request);
	assert.equal(asked.status, 201, asked.text);
	assert.deepEqual(asked.body.operation.arguments, { to: 'ada' });
	await server.member.post(`/v1/asks/${asked.body.id}/${how}`, body);
	const { reply } = (await server.agent.get(`/v1/asks/${asked.body.id}?dialect=vercel`)).body;
	const ended = await generateText({ model: scripted(), tools,
		messages: [...messages, ...stopped.response.messages, { role: 'tool', content: [reply] }] });
	return { ran, reply, said: ended.text };
}

test('what was approved runs', async () => {
	const { ran, said } = await decided('answer', { answer: 'approve' });
	assert.deepEqual(ran, [{ to: 'ada' }]);
	assert.match(said, /sent/);
});

test('what was rejected does not, and the model reads why', async () => {
	const { ran, said } = await decided('answer', { answer: { value: 'reject', text: 'Not to Ada' } });
	assert.deepEqual(ran, []);
	assert.match(said, /Not to Ada/);
});

test('an edit, which it cannot take back, and a skip do not run', async () => {
	const edit = await decided('answer', { answer: { value: 'approve', arguments: { to: 'bob' } } });
	assert.deepEqual(edit.ran, []);
	assert.equal(edit.reply.approved, false);
	const skip = await decided('skip', { reason: 'Later' });
	assert.deepEqual(skip.ran, []);
});
