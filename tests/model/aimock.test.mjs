// A provider that others wrote, on all four wires: what it streams is read as the vendors' SDKs read it, and the real
// server finds it through its own providers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LLMock } from '@copilotkit/aimock';
import { random as seeded } from '../lib/random.mjs';
import { Server } from '../lib/server.mjs';
import { compare } from './lib/judges.mjs';
import { wire } from './lib/wire.mjs';

const mock = new LLMock({ port: 0 });
mock.onMessage('thinking', { content: 'It is four.', reasoning: 'Two and two.' });
mock.onMessage('two tools', { toolCalls: [{ name: 'todo', arguments: '{"operation":"list"}' },
	{ name: 'memory', arguments: '{"operation":"add","text":"é \\"q\\""}' }] });
mock.onMessage('both', { content: 'Let me look.', toolCalls: [{ name: 'todo', arguments: '{}' }] });
mock.onMessage('Reply with the word OK', { content: 'OK' });
mock.onMessage('plain', { content: 'Hello there, 猫 😀!' });
await mock.start();
after(() => mock.stop());

const base = { anthropic: mock.url, openai: `${mock.url}/v1`, openai_responses: `${mock.url}/v1`, gemini: `${mock.url}/v1beta` };
const model = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-4o', openai_responses: 'gpt-5', gemini: 'gemini-2.5-pro' };

/** The stream that the mock answers our own request with. */
async function streamed(kind, text) {
	const request = { model: model[kind], system: 'Be brief.', messages: [{ role: 'user', content: [{ type: 'text', text }] }],
		tools: ['todo', 'memory'].map((name) => ({ name, description: name, schema: { type: 'object' } })) };
	const { body, url } = await wire({ write: kind, request });
	const reply = await fetch(url.replace('http://x', base[kind]), { method: 'POST', body: JSON.stringify(body),
		headers: { 'content-type': 'application/json', authorization: 'Bearer k', 'x-api-key': 'k', 'x-goog-api-key': 'k', 'anthropic-version': '2023-06-01' } });
	assert.equal(reply.status, 200);
	return reply.text();
}

for (const kind of Object.keys(base)) {
	test(`${kind}: aimock's streams are read as the vendor's SDK reads them`, async () => {
		const random = seeded(11);
		for (const text of ['plain', 'two tools', 'both', 'thinking']) {
			const stream = await streamed(kind, text);
			for (let n = 0; n < 5; n++) await compare(kind, stream, random);
		}
	});
}

test('the server tries each of them', async () => {
	const server = new Server();
	try {
		const token = await server.token('admin', 'ada');
		await server.start();
		const call = async (method, path, body) => {
			const reply = await fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}`,
				'content-type': 'application/json' }, body: body && JSON.stringify(body) });
			return { status: reply.status, body: await reply.json() };
		};
		for (const kind of Object.keys(base)) {
			const made = await call('POST', '/v1/providers', { name: kind, kind, url: base[kind], key: 'key-of-this-provider' });
			assert.equal(made.status, 201, JSON.stringify(made.body));
			const { body } = await call('POST', `/v1/providers/${kind}/test`, { model: model[kind] });
			assert.ok(body.ok, JSON.stringify(body));
		}
	} finally {
		await server.stop();
		server.remove();
	}
});
