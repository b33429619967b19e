// judges.mjs - what the vendors' SDKs make of a stream, and what our reader makes of it.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { cutFetch, cuts, wire } from './wire.mjs';

/** What each SDK makes of it: {text, thought, calls: [{id, name, args}], usage}. */
export const judges = {
	async anthropic(fetch) {
		const client = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch });
		const m = await client.messages.stream({ model: 'm', max_tokens: 1, messages: [] }).finalMessage();
		const of = (type) => m.content.filter((b) => b.type === type);
		return { text: of('text').map((b) => b.text).join(''), thought: of('thinking').map((b) => b.thinking).join(''),
			calls: of('tool_use').map((b) => ({ id: b.id, name: b.name, args: b.input })),
			usage: { input: m.usage.input_tokens, cache_read: m.usage.cache_read_input_tokens ?? 0,
				cache_write: m.usage.cache_creation?.ephemeral_5m_input_tokens ?? m.usage.cache_creation_input_tokens ?? 0,
				cache_write_1h: m.usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, output: m.usage.output_tokens } };
	},
	async openai(fetch) {
		const client = new OpenAI({ apiKey: 'k', maxRetries: 0, fetch });
		const c = await client.chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion();
		const m = c.choices[0].message;
		const read = c.usage.prompt_tokens_details?.cached_tokens ?? 0;
		return { text: m.content ?? '', thought: '',
			calls: (m.tool_calls ?? []).map((t) => ({ id: t.id, name: t.function.name, args: JSON.parse(t.function.arguments) })),
			usage: { input: c.usage.prompt_tokens - read, cache_read: read, cache_write: 0, cache_write_1h: 0, output: c.usage.completion_tokens,
				reasoning: c.usage.completion_tokens_details?.reasoning_tokens ?? 0 } };
	},
	async openai_responses(fetch) {
		const client = new OpenAI({ apiKey: 'k', maxRetries: 0, fetch });
		const r = await client.responses.stream({ model: 'm', input: [] }).finalResponse();
		const of = (type) => r.output.filter((i) => i.type === type);
		const read = r.usage.input_tokens_details?.cached_tokens ?? 0;
		return { text: r.output_text, thought: of('reasoning').flatMap((i) => i.summary.map((s) => s.text)).join('\n\n'),
			calls: of('function_call').map((i) => ({ id: i.call_id, name: i.name, args: JSON.parse(i.arguments) })),
			usage: { input: r.usage.input_tokens - read, cache_read: read, cache_write: 0, cache_write_1h: 0, output: r.usage.output_tokens,
				reasoning: r.usage.output_tokens_details?.reasoning_tokens ?? 0 } };
	},
	async gemini(fetch) {
		const before = globalThis.fetch;
		globalThis.fetch = fetch;
		try {
			const client = new GoogleGenAI({ apiKey: 'k' });
			const out = { text: '', thought: '', calls: [], usage: null };
			for await (const chunk of await client.models.generateContentStream({ model: 'm', contents: 'x' })) {
				for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
					if (part.functionCall) out.calls.push({ id: part.functionCall.id, name: part.functionCall.name, args: part.functionCall.args ?? {} });
					else if (part.thought) out.thought += part.text ?? '';
					else out.text += part.text ?? '';
				}
				const u = chunk.usageMetadata;
				const read = u?.cachedContentTokenCount ?? 0;
				if (u) {
					out.usage = { input: (u.promptTokenCount ?? 0) - read, cache_read: read, cache_write: 0, cache_write_1h: 0,
						output: (u.candidatesTokenCount ?? 0) + (u.thoughtsTokenCount ?? 0), reasoning: u.thoughtsTokenCount ?? 0 };
				}
			}
			return out;
		} finally {
			globalThis.fetch = before;
		}
	},
};

/** Our reader's reply in the same words. */
async function ours(kind, text, random) {
	const read = await wire({ read: kind, text, cuts: cuts(random, Buffer.byteLength(text)) });
	const of = (type) => read.content.filter((p) => p.type === type);
	return { trouble: read.trouble, told: read.deltas.filter((d) => 'text' in d).map((d) => d.text).join(''),
		said: { text: of('text').map((p) => p.text).join(''), thought: of('thought').map((p) => p.text).join(''),
			calls: of('tool_call').map((p) => ({ id: p.id.startsWith('parley_') ? undefined : p.id, name: p.name, args: p.arguments })), usage: read.usage } };
}

export async function compare(kind, text, random) {
	const theirs = await judges[kind](cutFetch(text, random));
	const { trouble, told, said } = await ours(kind, text, random);
	assert.equal(trouble, '', text);
	if (theirs.usage.reasoning === undefined) delete said.usage.reasoning;
	if (kind === 'openai') said.thought = ''; // its SDK knows none
	assert.deepEqual(said, theirs, text);
	assert.equal(told, theirs.text);
}
