// A model that follows a script, behind the four APIs that agents speak: OpenAI's chat completions
// and responses, Anthropic's messages, Gemini's generateContent; streamed or not.
import http from 'node:http';

export const say = (text) => ({ say: text });
/** The tool whose name ends so; of several, the one of Parley's. */
export const use = (tool, input) => ({ use: tool, input });

let made = 0;
const id = (prefix) => `${prefix}_${String(++made).padStart(20, '0')}`;
const textOf = (content) => (typeof content === 'string' ? content
	: (content ?? []).map((part) => part.text ?? part.output ?? '').join('\n'));

/** What a request says, whatever its wire: its tools, and what the last tool gave back. */
const wires = {
	chat: {
		fits: (path) => path.endsWith('/chat/completions'),
		read: (body) => ({ model: body.model, stream: body.stream,
			tools: (body.tools ?? []).map((tool) => tool.function?.name),
			last: body.messages.at(-1)?.role === 'tool' ? textOf(body.messages.at(-1).content) : undefined }),
		whole: (model, act) => ({ id: id('chatcmpl'), object: 'chat.completion', created: 1, model,
			choices: [{ index: 0, finish_reason: act.use ? 'tool_calls' : 'stop', message: act.use
				? { role: 'assistant', content: null, tool_calls: [{ id: id('call'), type: 'function',
					function: { name: act.use, arguments: JSON.stringify(act.input) } }] }
				: { role: 'assistant', content: act.say } }],
			usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
		*events(model, act) {
			const chunk = (delta, finish_reason = null, usage) => ({ data: { id: 'chatcmpl_1', created: 1, model,
				object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...(usage && { usage }) } });
			yield chunk({ role: 'assistant', content: act.use ? null : '' });
			if (act.use) {
				yield chunk({ tool_calls: [{ index: 0, id: id('call'), type: 'function', function: { name: act.use, arguments: '' } }] });
				yield chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(act.input) } }] });
			} else {
				yield chunk({ content: act.say });
			}
			yield chunk({}, act.use ? 'tool_calls' : 'stop', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
			yield { data: '[DONE]' };
		},
	},
	responses: {
		fits: (path) => path.endsWith('/responses'),
		read: (body) => {
			const last = Array.isArray(body.input) ? body.input.at(-1) : undefined;
			// A namespace (Codex puts the tools of an MCP server into one) names its tools itself.
			const tools = (body.tools ?? []).flatMap((tool) => (tool.tools
				? tool.tools.map((inner) => ({ name: inner.name, namespace: tool.name }))
				: [{ name: tool.name ?? tool.type }]));
			return { model: body.model, stream: body.stream, tools: tools.map(({ name, namespace }) =>
				(namespace ? `${namespace}\0${name}` : name)),
			last: /_output$/.test(last?.type ?? '') ? textOf(last.output) : undefined };
		},
		item(act) {
			if (!act.use) {
				return { type: 'message', id: id('msg'), status: 'completed', role: 'assistant',
					content: [{ type: 'output_text', text: act.say, annotations: [] }] };
			}
			const [name, namespace] = act.use.split('\0').reverse();
			return { type: 'function_call', id: id('fc'), status: 'completed', call_id: id('call'), name,
				...(namespace && { namespace }), arguments: JSON.stringify(act.input) };
		},
		whole(model, act) {
			return { id: id('resp'), object: 'response', created_at: 1, status: 'completed', model, output: [this.item(act)],
				usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5,
					output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 } };
		},
		*events(model, act) {
			const response = this.whole(model, act);
			const [item] = response.output;
			let sequence_number = 0;
			const event = (type, more) => ({ event: type, data: { type, sequence_number: sequence_number++, ...more } });
			yield event('response.created', { response: { ...response, status: 'in_progress', output: [] } });
			yield event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress',
				...(act.use ? { arguments: '' } : { content: [] }) } });
			if (act.use) {
				yield event('response.function_call_arguments.delta', { item_id: item.id, output_index: 0, delta: item.arguments });
				yield event('response.function_call_arguments.done', { item_id: item.id, output_index: 0, arguments: item.arguments });
			} else {
				yield event('response.content_part.added', { item_id: item.id, output_index: 0, content_index: 0,
					part: { type: 'output_text', text: '', annotations: [] } });
				yield event('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta: act.say });
				yield event('response.output_text.done', { item_id: item.id, output_index: 0, content_index: 0, text: act.say });
				yield event('response.content_part.done', { item_id: item.id, output_index: 0, content_index: 0, part: item.content[0] });
			}
			yield event('response.output_item.done', { output_index: 0, item });
			yield event('response.completed', { response });
		},
	},
	messages: {
		fits: (path) => path.endsWith('/messages'),
		read: (body) => {
			// Claude Code may put a notice of its own behind what the tool gave back.
			const since = body.messages.slice(body.messages.findLastIndex(({ role }) => role === 'assistant') + 1);
			const results = since.flatMap(({ content }) => (Array.isArray(content) ? content.filter((part) => part.type === 'tool_result') : []));
			return { model: body.model, stream: body.stream, tools: (body.tools ?? []).map((tool) => tool.name),
				last: results.length ? textOf(results.at(-1).content) : undefined };
		},
		block: (act) => (act.use ? { type: 'tool_use', id: id('toolu'), name: act.use, input: act.input }
			: { type: 'text', text: act.say }),
		whole(model, act) {
			return { id: id('msg'), type: 'message', role: 'assistant', model, content: [this.block(act)],
				stop_reason: act.use ? 'tool_use' : 'end_turn', stop_sequence: null,
				usage: { input_tokens: 10, output_tokens: 5 } };
		},
		*events(model, act) {
			const message = this.whole(model, act);
			const [block] = message.content;
			const event = (type, more) => ({ event: type, data: { type, ...more } });
			yield event('message_start', { message: { ...message, content: [], stop_reason: null } });
			yield event('content_block_start', { index: 0, content_block: act.use ? { ...block, input: {} } : { type: 'text', text: '' } });
			yield event('content_block_delta', { index: 0, delta: act.use
				? { type: 'input_json_delta', partial_json: JSON.stringify(act.input) } : { type: 'text_delta', text: act.say } });
			yield event('content_block_stop', { index: 0 });
			yield event('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
			yield event('message_stop');
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
		whole: (model, act) => ({ candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model',
			parts: [act.use ? { functionCall: { id: id('call'), name: act.use, args: act.input } } : { text: act.say }] } }],
		usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }, modelVersion: 'gemini' }),
		*events(model, act) { yield { data: this.whole(model, act) }; },
	},
};

export class Model {
	/** turns: functions from what the last tool gave back to say(…) or use(…), or one to come. */
	constructor(...turns) {
		this.follow(...turns);
		this.tools = [];
		this.searches = 0;
		this.server = http.createServer((request, response) => {
			this.serve(request, response).catch((error) => {
				this.error = error;
				response.writeHead(500).end(String(error.stack));
			});
		});
	}

	/** From here on these turns. */
	follow(...turns) {
		this.turns = turns;
		this.turn = 0;
		/** What each tool gave back, as text. */
		this.results = [];
	}

	async start() {
		await new Promise((resolve) => { this.server.listen(0, '127.0.0.1', resolve); });
		this.url = `http://127.0.0.1:${this.server.address().port}`;
		return this;
	}

	stop() {
		this.server.closeAllConnections();
		this.server.close();
	}

	/** The name that the agent gives to a tool. */
	name(wanted, tools) {
		const ends = tools.filter((tool) => tool === wanted || tool?.endsWith(wanted));
		return ends.find((tool) => /parley/i.test(tool)) ?? ends[0];
	}

	async act({ tools, last }) {
		// Titles, summaries and the like come without tools, or before any answer: a word will do.
		if (!tools.length) return say('ok');
		this.tools = tools;
		if (last !== undefined && !this.wants) this.results.push(last);
		const act = this.wants ?? await (this.turns[this.turn++] ?? (() => say('done')))(last);
		this.wants = undefined;
		if (!act.use) return act;
		const wanted = [act.use].flat();
		const name = wanted.map((one) => this.name(one, tools)).find(Boolean);
		// Some agents keep tools back until they are looked for, as their models know.
		const search = tools.find((tool) => /^tool_?search$/i.test(tool ?? ''));
		if (!name && search && this.searches < 8) {
			// The server's tools may still be on their way.
			if (this.searches++) await new Promise((resolve) => { setTimeout(resolve, 1000); });
			this.wants = act;
			return { use: search, input: { query: wanted[0].replaceAll('_', ' ') } };
		}
		if (!name) {
			this.missing = { wanted, tools };
			return say(`no tool ${wanted}`);
		}
		return { use: name, input: typeof act.input === 'function' ? act.input(name) : act.input };
	}

	async serve(request, response) {
		const parts = [];
		for await (const part of request) parts.push(part);
		const path = new URL(request.url, 'http://x').pathname;
		const [name, wire] = Object.entries(wires).find(([, one]) => one.fits(path)) ?? [];
		const json = (status, body) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(body));
		};
		if (!wire) {
			if (/\/models$/.test(path)) return json(200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
			if (/count_?tokens$/i.test(path)) return json(200, { input_tokens: 10, totalTokens: 10 });
			return json(404, { error: { message: `nothing at ${path}`, type: 'not_found' } });
		}
		this.wire = name;
		const body = JSON.parse(Buffer.concat(parts));
		const said = wire.read(body, path);
		const act = await this.act(said);
		if (!said.stream) return json(200, wire.whole(said.model, act));
		response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
		for (const { event, data } of wire.events(said.model, act)) {
			response.write(`${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
		}
		return response.end();
	}
}
