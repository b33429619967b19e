// model_wires.mjs - the four APIs that agents speak, from a model's side: Anthropic's messages, OpenAI's chat completions and
// responses, Gemini's generateContent. `read` says what a request has, whatever its wire: model, stream, tools, and what the last tool
// gave back; `whole` and `events` write blocks as one reply and as a stream.

let made = 0;
const id = (prefix) => `${prefix}_${String(++made).padStart(20, '0')}`;

export const say = (text) => ({ type: 'text', text });
export const think = (text) => ({ type: 'thinking', text });
export const use = (name, input = {}) => ({ type: 'tool_use', id: id('toolu'), name, input });

const isUse = ({ type }) => type === 'tool_use';
const textOf = (content) => (typeof content === 'string' ? content
	: (content ?? []).map((part) => part.text ?? part.output ?? '').join('\n'));
const inputOf = (block) => block.raw ?? JSON.stringify(block.input);
const callOf = (block) => block.id.replace('toolu', 'call');
const saidIn = (blocks) => blocks.filter(({ type }) => type === 'text').map(({ text }) => text).join('');

export const wires = {
	messages: {
		fits: (path) => path.endsWith('/messages'),
		read: (body) => {
			// Claude Code may put a notice of its own behind what the tool gave back.
			const since = body.messages.slice(body.messages.findLastIndex(({ role }) => role === 'assistant') + 1);
			const results = since.flatMap(({ content }) => (Array.isArray(content) ? content.filter((part) => part.type === 'tool_result') : []));
			return { model: body.model, stream: body.stream, tools: (body.tools ?? []).map((tool) => tool.name),
				last: results.length ? textOf(results.at(-1).content) : undefined };
		},
		usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 },
		whole(model, blocks, stop) {
			return { id: id('msg'), type: 'message', role: 'assistant', model, content: blocks,
				stop_reason: stop ?? (blocks.some(isUse) ? 'tool_use' : 'end_turn'), stop_sequence: null, usage: this.usage };
		},
		*events(model, blocks, stop) {
			const message = this.whole(model, blocks, stop);
			const event = (type, more) => ({ event: type, data: { type, ...more } });
			yield event('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...this.usage, output_tokens: 1 } } });
			for (const [index, block] of blocks.entries()) {
				const tool = isUse(block), thought = block.type === 'thinking';
				yield event('content_block_start', { index, content_block: tool ? { ...block, input: {} }
					: thought ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' } });
				const text = tool ? inputOf(block) : block.text;
				for (let at = 0; at < text.length; at += 40) {
					const part = text.slice(at, at + 40);
					yield event('content_block_delta', { index, delta: tool ? { type: 'input_json_delta', partial_json: part }
						: thought ? { type: 'thinking_delta', thinking: part } : { type: 'text_delta', text: part } });
				}
				if (thought) yield event('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'sig' } });
				yield event('content_block_stop', { index });
			}
			yield event('message_delta', { usage: this.usage, delta: { stop_sequence: null, stop_reason: message.stop_reason } });
			yield event('message_stop');
		},
	},
	chat: {
		fits: (path) => path.endsWith('/chat/completions'),
		read: (body) => ({ model: body.model, stream: body.stream,
			tools: (body.tools ?? []).map((tool) => tool.function?.name),
			last: body.messages.at(-1)?.role === 'tool' ? textOf(body.messages.at(-1).content) : undefined }),
		usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
		whole(model, blocks, stop) {
			const calls = blocks.filter(isUse).map((block) => ({ id: callOf(block), type: 'function',
				function: { name: block.name, arguments: inputOf(block) } }));
			return { id: id('chatcmpl'), object: 'chat.completion', created: 1, model,
				choices: [{ index: 0, finish_reason: { max_tokens: 'length', refusal: 'content_filter' }[stop] ?? (calls.length ? 'tool_calls' : 'stop'),
					message: calls.length ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: saidIn(blocks) } }],
				usage: this.usage };
		},
		*events(model, blocks, stop) {
			const [{ message, finish_reason: end }] = this.whole(model, blocks, stop).choices;
			const chunk = (delta, finish_reason = null, usage) => ({ data: { id: 'chatcmpl_1', created: 1, model,
				object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...(usage && { usage }) } });
			yield chunk({ role: 'assistant', content: message.content && '' });
			if (message.content) yield chunk({ content: message.content });
			for (const [index, { function: { name, arguments: input }, ...call }] of (message.tool_calls ?? []).entries()) {
				yield chunk({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] });
				yield chunk({ tool_calls: [{ index, function: { arguments: input } }] });
			}
			yield chunk({}, end, this.usage);
			yield { data: '[DONE]' };
		},
	},
	responses: {
		fits: (path) => path.endsWith('/responses'),
		read: (body) => {
			const last = Array.isArray(body.input) ? body.input.at(-1) : undefined;
			// A namespace (Codex puts the tools of an MCP server into one) names its tools itself.
			const tools = (body.tools ?? []).flatMap((tool) => (tool.tools
				? tool.tools.map((inner) => `${tool.name}\0${inner.name}`) : [tool.name ?? tool.type]));
			return { model: body.model, stream: body.stream, tools, last: /_output$/.test(last?.type ?? '') ? textOf(last.output) : undefined };
		},
		item(block) {
			if (!isUse(block)) {
				return { type: 'message', id: id('msg'), status: 'completed', role: 'assistant',
					content: [{ type: 'output_text', text: block.text, annotations: [] }] };
			}
			const [name, namespace] = block.name.split('\0').reverse();
			return { type: 'function_call', id: id('fc'), status: 'completed', call_id: callOf(block), name,
				...(namespace && { namespace }), arguments: inputOf(block) };
		},
		whole(model, blocks, stop) {
			const reason = { max_tokens: 'max_output_tokens', refusal: 'content_filter' }[stop];
			return { id: id('resp'), object: 'response', created_at: 1, status: reason ? 'incomplete' : 'completed',
				...(reason && { incomplete_details: { reason } }), model, output: blocks.map(this.item),
				usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5,
					output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 } };
		},
		*events(model, blocks, stop) {
			const response = this.whole(model, blocks, stop);
			let sequence_number = 0;
			const event = (type, more) => ({ event: type, data: { type, sequence_number: sequence_number++, ...more } });
			yield event('response.created', { response: { ...response, status: 'in_progress', output: [] } });
			for (const [output_index, item] of response.output.entries()) {
				const at = { item_id: item.id, output_index };
				const [part] = item.content ?? [];
				yield event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', ...(part ? { content: [] } : { arguments: '' }) } });
				if (part) {
					yield event('response.content_part.added', { ...at, content_index: 0, part: { ...part, text: '' } });
					yield event('response.output_text.delta', { ...at, content_index: 0, delta: part.text });
					yield event('response.output_text.done', { ...at, content_index: 0, text: part.text });
					yield event('response.content_part.done', { ...at, content_index: 0, part });
				} else {
					yield event('response.function_call_arguments.delta', { ...at, delta: item.arguments });
					yield event('response.function_call_arguments.done', { ...at, arguments: item.arguments });
				}
				yield event('response.output_item.done', { output_index, item });
			}
			yield event(`response.${response.status}`, { response });
		},
	},
	gemini: {
		fits: (path) => /:(stream)?generateContent$/i.test(path),
		read: (body, path) => {
			const parts = body.contents?.at(-1)?.parts ?? [];
			const result = parts.findLast((part) => part.functionResponse)?.functionResponse;
			return { model: 'gemini', stream: /:stream/.test(path),
				tools: (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => tool.name),
				last: result && (typeof result.response?.output === 'string' ? result.response.output : JSON.stringify(result.response)) };
		},
		whole: (model, blocks, stop) => ({ candidates: [{ index: 0, finishReason: { max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' }[stop] ?? 'STOP', content: { role: 'model',
			parts: blocks.map((block) => (isUse(block) ? { functionCall: { id: callOf(block), name: block.name, args: block.input } } : { text: block.text })) } }],
		usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }, modelVersion: 'gemini' }),
		*events(model, blocks, stop) { yield { data: this.whole(model, blocks, stop) }; },
	},
};
