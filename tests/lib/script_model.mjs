// script_model.mjs - a model that answers as a test says, behind Anthropic's Messages API: streamed event
// by event as on the wire, with trouble where the test wants it.
import http from 'node:http';

let made = 0;
export const say = (text) => ({ type: 'text', text });
export const think = (text) => ({ type: 'thinking', text });
export const use = (name, input = {}) => ({ type: 'tool_use', id: `toolu_${String(++made).padStart(6, '0')}`, name, input });

const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };

function* events(blocks, stop) {
	yield { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm',
		content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } } };
	for (const [index, block] of blocks.entries()) {
		const tool = block.type === 'tool_use', thought = block.type === 'thinking';
		yield { type: 'content_block_start', index, content_block: tool ? { ...block, input: {} }
			: thought ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' } };
		const text = tool ? block.raw ?? JSON.stringify(block.input) : block.text;
		for (let at = 0; at < text.length; at += 40) {
			const part = text.slice(at, at + 40);
			yield { type: 'content_block_delta', index, delta: tool ? { type: 'input_json_delta', partial_json: part }
				: thought ? { type: 'thinking_delta', thinking: part } : { type: 'text_delta', text: part } };
		}
		if (thought) yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: 'sig' } };
		yield { type: 'content_block_stop', index };
	}
	yield { type: 'message_delta', usage, delta: { stop_sequence: null,
		stop_reason: stop ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn') } };
	yield { type: 'message_stop' };
}

/** The results of tools in the last message of a request, as texts; empty when a person spoke last. */
export const results = ({ messages }) => {
	const { content } = messages.at(-1);
	return (Array.isArray(content) ? content : []).filter(({ type }) => type === 'tool_result')
		.map(({ content: text, is_error: bad }) => ({ bad: Boolean(bad),
			text: typeof text === 'string' ? text : text.map((part) => part.text).join('') }));
};

/** What the first message of a request says. */
export const first = ({ messages }) => {
	const { content } = messages[0];
	return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
};
export const last = ({ messages }) => {
	const { content } = messages.at(-1);
	return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
};

export class ScriptModel {
	/**
	 * answer(request, n) → blocks, or { blocks, status, headers, body, stop, cut, pause, hang, error }, or a promise
	 * of either. cut: so many events only, then the connection breaks; pause: ms between events, or a
	 * function of how many went out, to be awaited after each; hang: pings for ever.
	 */
	constructor(answer = () => [say('OK')]) {
		this.answer = answer;
		this.requests = []; // their bodies, with `at`, `path` and `headers`
		this.models = { data: [{ id: 'scripted', type: 'model' }] };
		this.open = 0;
		this.server = http.createServer((request, response) => this.serve(request, response));
	}

	async start() {
		await new Promise((done) => { this.server.listen(0, '127.0.0.1', done); });
		this.url = `http://127.0.0.1:${this.server.address().port}`;
		return this;
	}

	stop() {
		this.server.closeAllConnections();
		this.server.close();
	}

	async serve(request, response) {
		let text = '';
		for await (const chunk of request) text += chunk;
		const body = text ? JSON.parse(text) : {};
		this.requests.push({ ...body, at: Date.now(), path: request.url, headers: request.headers });
		if (request.method === 'GET') {
			response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.models));
			return;
		}
		this.open++;
		response.on('close', () => { this.open--; });
		const said = await this.answer(body, this.requests.length);
		const { blocks = [], status = 200, headers = {}, body: refusal, stop, cut, pause, hang, error }
			= Array.isArray(said) ? { blocks: said } : said;
		if (status !== 200) {
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			const type = { 400: 'invalid_request_error', 401: 'authentication_error', 402: 'billing_error',
				403: 'permission_error', 404: 'not_found_error', 429: 'rate_limit_error', 529: 'overloaded_error' }[status] ?? 'api_error';
			response.end(JSON.stringify(refusal ?? { type: 'error', error: { type, message: 'no' } }));
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		let n = 0;
		for (const event of events(blocks, stop)) {
			if (n++ === cut) { response.destroy(); return; }
			if (error && event.type === 'message_delta') {
				response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
				return;
			}
			if (response.destroyed) return;
			response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
			if (hang && event.type === 'content_block_delta') {
				while (!response.destroyed) {
					response.write('event: ping\ndata: {"type":"ping"}\n\n');
					await new Promise((done) => { setTimeout(done, 50); });
				}
				return;
			}
			if (pause) await (typeof pause === 'function' ? pause(n) : new Promise((done) => { setTimeout(done, pause); }));
		}
		response.end();
	}
}
