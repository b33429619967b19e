// An HTTP client that keeps its connections and checks every reply against openapi.json.
import http from 'node:http';
import { checkReply } from './schema.mjs';
import { Stream } from './stream.mjs';

export class Client {
	constructor(server, token) {
		this.server = server;
		this.token = token;
		this.agent = new http.Agent({ keepAlive: true });
		this.streams = [];
	}

	close() {
		this.agent.destroy();
		for (const stream of this.streams) stream.close();
	}

	headers(extra = {}) {
		return { ...(this.token ? { authorization: `Bearer ${this.token}` } : {}), ...extra };
	}

	/** → {status, headers, body (parsed JSON, else undefined), text} */
	request(method, path, { body, type, headers = {}, check = true, onHeaders, signal } = {}) {
		const bytes = body === undefined ? undefined
			: typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body)
				: Buffer.from(JSON.stringify(body));
		const sent = this.headers(headers);
		if (bytes) {
			sent['content-length'] = bytes.length;
			if (type !== null) sent['content-type'] = type ?? 'application/json';
		}
		return new Promise((resolve, reject) => {
			const request = http.request({ host: '127.0.0.1', port: this.server.port, method, path,
				headers: sent, agent: this.agent, signal }, (response) => {
				onHeaders?.(response);
				const parts = [];
				response.on('data', (part) => parts.push(part));
				response.on('error', reject);
				response.on('end', () => {
					const text = Buffer.concat(parts).toString('utf8');
					let json;
					try {
						json = JSON.parse(text);
					} catch {
						json = undefined;
					}
					const reply = { status: response.statusCode, headers: response.headers,
						body: json, text };
					try {
						if (check) checkReply({ method, path, ...reply });
						resolve(reply);
					} catch (error) {
						reject(error);
					}
				});
			});
			request.on('error', reject);
			request.end(bytes);
		});
	}

	/** GET with a wait; → {reply} once it is held: its head is out. */
	async held(path, options = {}) {
		let reply;
		await new Promise((begun, failed) => {
			reply = this.get(path, { ...options, onHeaders: begun });
			reply.catch(failed);
		});
		return { reply };
	}

	get(path, options) { return this.request('GET', path, options); }
	post(path, body = {}, options = {}) { return this.request('POST', path, { body, ...options }); }
	put(path, body) { return this.request('PUT', path, { body }); }
	patch(path, body) { return this.request('PATCH', path, { body }); }
	delete(path) { return this.request('DELETE', path); }

	/** Asks, a yes/no question if the body has none; → the ask. */
	async ask(body = {}, query = '') {
		const whole = 'questions' in body || 'question' in body || 'operation' in body
			|| body.kind === 'error_recovery';
		const reply = await this.post(`/v1/asks${query}`,
			whole ? body : { question: 'Deploy?', type: 'boolean', ...body });
		if (reply.status !== 201) throw new Error(`ask: ${reply.status} ${reply.text}`);
		return reply.body;
	}

	async session(body = {}) {
		const reply = await this.post('/v1/sessions', { title: 'Release', ...body });
		if (reply.status > 201) throw new Error(`session: ${reply.status} ${reply.text}`);
		return reply.body;
	}

	answer(ask, answers) { return this.post(`/v1/asks/${ask.id}/answer`, { answers }); }

	/** The ask as it is now, without the reader's own mark: what different people read can be compared. */
	async read(ask) {
		const { mark, ...rest } = (await this.get(`/v1/asks/${ask.id}`)).body;
		return rest;
	}

	/** The events after n as a list. */
	async events(n = 0, query = '') {
		return (await this.get(`/v1/events?format=json&limit=200&after=${n}${query}`)).body;
	}

	/** An open event stream. */
	async stream(query = '', headers = {}) {
		const stream = await Stream.open(this, `/v1/events${query}`, headers);
		this.streams.push(stream);
		return stream;
	}
}
