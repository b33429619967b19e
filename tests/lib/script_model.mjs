// script_model.mjs - a model that answers as a test says, behind the APIs that agents speak (model_wires.mjs): streamed
// event by event as on the wire, with trouble where the test wants it. TurnModel follows a list of turns.
import http from 'node:http';
import { say, think, use, wires } from './model_wires.mjs';

export { say, think, use };

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

const ERRORS = { 400: 'invalid_request_error', 401: 'authentication_error', 402: 'billing_error',
	403: 'permission_error', 404: 'not_found_error', 429: 'rate_limit_error', 529: 'overloaded_error' };
const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });
const json = (response, status, body, headers) => {
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

export class ScriptModel {
	/**
	 * answer(request, n, read) → blocks, or { blocks, status, headers, body, stop, cut, pause, hang, error, tokens }, or a promise
	 * of either; read is what its wire read of the request. cut: so many events only, then the connection breaks;
	 * pause: ms between events, or a function of how many went out, to be awaited after each; hang: pings for ever;
	 * tokens: the number, as text, that it says it counted.
	 */
	constructor(answer = () => [say('OK')]) {
		this.answer = answer;
		this.requests = []; // their bodies, with `at`, `path` and `headers`
		this.listed = []; // the same of lists of models
		this.models = { object: 'list', data: [{ id: 'scripted', type: 'model', object: 'model' }] };
		this.open = 0;
		this.server = http.createServer((request, response) => {
			this.serve(request, response).catch((error) => {
				this.error = error;
				if (!response.headersSent) response.writeHead(500);
				response.end(String(error.stack));
			});
		});
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
		const path = new URL(request.url, 'http://x').pathname;
		if (request.method === 'GET') {
			this.listed.push({ at: Date.now(), path: request.url, headers: request.headers });
			if (typeof this.models === 'string') return response.writeHead(200).end(this.models);
			return json(response, this.models ? 200 : 500, this.models);
		}
		this.requests.push({ ...body, at: Date.now(), path: request.url, headers: request.headers });
		if (/count_?tokens$/i.test(path)) return json(response, 200, { input_tokens: 10, totalTokens: 10 });
		const wire = Object.values(wires).find((one) => one.fits(path));
		if (!wire) return json(response, 404, { type: 'error', error: { type: 'not_found_error', message: `nothing at ${path}` } });
		this.open++;
		response.on('close', () => { this.open--; });
		const read = wire.read(body, path);
		const said = await this.answer(body, this.requests.length, read);
		const how = Array.isArray(said) ? { blocks: said } : said;
		if (how.status && how.status !== 200) {
			return json(response, how.status, how.body ?? { type: 'error', error: { type: ERRORS[how.status] ?? 'api_error', message: 'no' } }, how.headers);
		}
		if (!read.stream) return json(response, 200, wire.whole(read.model, how.blocks ?? [], how.stop));
		return this.stream(response, wire.events(read.model, how.blocks ?? [], how.stop), how);
	}

	async stream(response, events, { cut, pause, hang, error, tokens }) {
		response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
		let n = 0;
		for (const { event, data } of events) {
			if (n++ === cut) { response.destroy(); return; }
			if (error && event === 'message_delta') {
				response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
				return;
			}
			if (response.destroyed) return;
			let text = typeof data === 'string' ? data : JSON.stringify(data);
			if (tokens) text = text.replace(/("\w*tokens":)\d+/g, `$1${tokens}`);
			response.write(`${event ? `event: ${event}\n` : ''}data: ${text}\n\n`);
			if (hang && event === 'content_block_delta') {
				while (!response.destroyed) {
					response.write('event: ping\ndata: {"type":"ping"}\n\n');
					await wait(50);
				}
				return;
			}
			if (pause) await (typeof pause === 'function' ? pause(n) : wait(pause));
		}
		response.end();
	}
}

/** A model for agents that others wrote: it goes through its turns, and finds tools by how their names end. */
export class TurnModel extends ScriptModel {
	/** turns: functions from what the last tool gave back to say(…) or use(…), or one to come. */
	constructor(...turns) {
		super((body, n, read) => this.act(read).then((block) => [block]));
		this.follow(...turns);
		this.searches = 0;
	}

	/** From here on these turns. */
	follow(...turns) {
		this.turns = turns;
		this.turn = 0;
		/** What each tool gave back, as text. */
		this.results = [];
	}

	/** The name that the agent gives to a tool: the one that ends so; of several, the one of Parley's. */
	name(wanted, tools) {
		const ends = tools.filter((tool) => tool === wanted || tool?.endsWith(wanted));
		return ends.find((tool) => /parley/i.test(tool)) ?? ends[0];
	}

	async act({ tools, last }) {
		// Titles, summaries and the like come without tools, or before any answer: a word will do.
		if (!tools.length) return say('ok');
		if (last !== undefined && !this.wants) this.results.push(last);
		const act = this.wants ?? await (this.turns[this.turn++] ?? (() => say('done')))(last);
		this.wants = undefined;
		if (act.type !== 'tool_use') return act;
		const wanted = [act.name].flat();
		const name = wanted.map((one) => this.name(one, tools)).find(Boolean);
		// Some agents keep tools back until they are looked for, as their models know.
		const search = tools.find((tool) => /^tool_?search$/i.test(tool ?? ''));
		if (!name && search && this.searches < 8) {
			// The server's tools may still be on their way.
			if (this.searches++) await wait(1000);
			this.wants = act;
			return use(search, { query: wanted[0].replaceAll('_', ' ') });
		}
		if (!name) {
			this.missing = { wanted, tools };
			return say(`no tool ${wanted}`);
		}
		return { ...act, name, input: typeof act.input === 'function' ? act.input(name) : act.input };
	}
}
