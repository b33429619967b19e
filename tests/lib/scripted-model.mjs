// scripted-model.mjs - a provider of models on this machine that says what a test tells it to, on the
// wire of Anthropic's Messages API; it keeps what it was asked.
import http from 'node:http';

/** The events of a reply with these content blocks. */
export function anthropicReply(blocks, { stop = 'end_turn', usage = { input_tokens: 10, output_tokens: 5 } } = {}) {
	const events = [{ type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [],
		model: 'scripted', stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } } }];
	blocks.forEach((block, index) => {
		const { text, input, ...rest } = block;
		const shown = block.type === 'tool_use' ? { ...rest, input: {} } : { ...rest, text: '' };
		events.push({ type: 'content_block_start', index, content_block: shown });
		events.push({ type: 'content_block_delta', index, delta: block.type === 'tool_use'
			? { type: 'input_json_delta', partial_json: JSON.stringify(input) } : { type: 'text_delta', text } });
		events.push({ type: 'content_block_stop', index });
	});
	events.push({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage });
	events.push({ type: 'message_stop' });
	return events.map((e) => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`).join('');
}

/** Answers each request with what `say(body, request)` returns: a stream's text, or {status, headers, body}. */
export async function scriptedModel(say = () => anthropicReply([{ type: 'text', text: 'OK' }])) {
	const asked = [];
	const model = { asked, say, models: { data: [{ id: 'scripted', type: 'model' }] } };
	const server = http.createServer((request, response) => {
		let text = '';
		request.on('data', (bytes) => { text += bytes; });
		request.on('end', async () => {
			const body = text ? JSON.parse(text) : null;
			asked.push({ path: request.url, headers: request.headers, body });
			const told = request.method === 'GET' ? { status: 200, body: model.models } : await model.say(body, request);
			if (typeof told === 'string') {
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				response.end(told);
				return;
			}
			response.writeHead(told.status, { 'content-type': 'application/json', ...told.headers });
			response.end(JSON.stringify(told.body));
		});
	});
	await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
	model.url = `http://127.0.0.1:${server.address().port}`;
	model.close = () => new Promise((done) => {
		server.close(done);
		server.closeAllConnections();
	});
	return model;
}
