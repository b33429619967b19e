// A model with a mind as simple as a test needs, behind the API that Claude Code speaks:
// streamed messages with text or the use of a tool, event by event as on the wire.
import http from 'node:http';

const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };

let made = 0;
const id = (prefix) => `${prefix}_01test${String(++made).padStart(18, '0')}`;

export const say = (text) => ({ type: 'text', text });
export const use = (name, input) => ({ type: 'tool_use', id: id('toolu'), name, input });

function* events(model, block) {
	yield { type: 'message_start', message: { id: id('msg'), type: 'message', role: 'assistant', model,
		content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } } };
	const tool = block.type === 'tool_use';
	yield { type: 'content_block_start', index: 0,
		content_block: tool ? { ...block, input: {} } : { type: 'text', text: '' } };
	yield { type: 'ping' };
	const text = tool ? JSON.stringify(block.input) : block.text;
	for (let at = 0; at < text.length; at += 40) {
		const part = text.slice(at, at + 40);
		yield { type: 'content_block_delta', index: 0,
			delta: tool ? { type: 'input_json_delta', partial_json: part } : { type: 'text_delta', text: part } };
	}
	yield { type: 'content_block_stop', index: 0 };
	yield { type: 'message_delta', usage,
		delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null } };
	yield { type: 'message_stop' };
}

/** What a tool gave back last, as text; undefined when the last word was a person's. */
export function lastResult({ messages }) {
	const { content } = messages.findLast(({ role }) => role === 'user');
	const result = Array.isArray(content) && content.findLast(({ type }) => type === 'tool_result');
	if (!result) return undefined;
	return typeof result.content === 'string' ? result.content
		: (result.content ?? []).map(({ text }) => text ?? '').join('\n');
}

export class Model {
	/** think(request) → a block, or one to come: say(…) or use(…) */
	constructor(think) {
		this.think = think;
		this.requests = [];
		this.server = http.createServer((request, response) => this.serve(request, response));
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

	async serve(request, response) {
		const parts = [];
		for await (const part of request) parts.push(part);
		const path = new URL(request.url, 'http://x').pathname;
		const json = (status, body) => {
			response.writeHead(status, { 'content-type': 'application/json', 'request-id': id('req') });
			response.end(JSON.stringify(body));
		};
		if (path === '/v1/messages/count_tokens') return json(200, { input_tokens: 10 });
		if (path !== '/v1/messages') {
			return json(404, { type: 'error', error: { type: 'not_found_error', message: path } });
		}
		const body = JSON.parse(Buffer.concat(parts));
		// Side requests (titles and the like) have no tools; they get a word, and do not count.
		const block = body.tools?.length ? await this.think(body) : say('ok');
		if (body.tools?.length) this.requests.push(body);
		if (!body.stream) {
			return json(200, { id: id('msg'), type: 'message', role: 'assistant', model: body.model,
				content: [block], stop_reason: block.type === 'text' ? 'end_turn' : 'tool_use',
				stop_sequence: null, usage });
		}
		response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8',
			'cache-control': 'no-cache', 'request-id': id('req') });
		for (const event of events(body.model, block)) {
			response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
		}
		return response.end();
	}
}
