// A reader of text/event-stream: frames in order, each event checked against openapi.json.
import assert from 'node:assert/strict';
import http from 'node:http';
import { PATIENCE_MS } from '../../lib/server.mjs';
import { checkSchema } from './schema.mjs';

function parse(text) {
	const frame = { data: [] };
	for (const line of text.split('\n')) {
		if (line === '') continue;
		const colon = line.indexOf(':');
		if (colon === 0) {
			frame.comment = line.slice(1).trim();
			continue;
		}
		const name = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
		if (name === 'data') frame.data.push(value);
		else frame[name] = value;
	}
	frame.data = frame.data.length ? JSON.parse(frame.data.join('\n')) : undefined;
	if (frame.data) {
		checkSchema(frame.id === undefined ? 'TransientEvent' : 'Event', frame.data);
		if (frame.id !== undefined) assert.equal(Number(frame.id), frame.data.id, 'id: and data.id differ');
		assert.equal(frame.event, frame.data.type, 'event: and data.type differ');
	}
	return frame;
}

export class Stream {
	static open(client, path, headers) {
		return new Promise((resolve, reject) => {
			const request = http.request({ host: '127.0.0.1', port: client.server.port, path,
				headers: client.headers(headers), agent: false }, (response) => {
				resolve(new Stream(request, response));
			});
			request.on('error', reject);
			request.end();
		});
	}

	constructor(request, response) {
		this.request = request;
		this.status = response.statusCode;
		this.headers = response.headers;
		this.frames = [];
		this.ended = false;
		this.waiting = null;
		this.text = '';
		response.setEncoding('utf8');
		response.on('data', (text) => this.feed(text));
		const end = () => {
			this.ended = true;
			this.waiting?.();
		};
		response.on('end', end);
		response.on('error', end);
		response.on('close', end);
		request.on('error', end);
	}

	feed(text) {
		this.text += text;
		for (;;) {
			const end = this.text.indexOf('\n\n');
			if (end < 0) break;
			try {
				this.frames.push(parse(this.text.slice(0, end)));
			} catch (error) {
				this.error = error;
			}
			this.text = this.text.slice(end + 2);
		}
		this.waiting?.();
	}

	/** The next frame, whatever it is; undefined when the stream ended. */
	async frame(ms = PATIENCE_MS) {
		const end = Date.now() + ms;
		while (this.frames.length === 0 && !this.ended && !this.error) {
			const left = end - Date.now();
			if (left <= 0) assert.fail(`no frame within ${ms} ms`);
			await new Promise((resolve) => {
				const timer = setTimeout(resolve, left);
				this.waiting = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		if (this.error) throw this.error;
		return this.frames.shift();
	}

	/** The next frame that is an event. */
	async event(ms = PATIENCE_MS) {
		const end = Date.now() + ms;
		for (;;) { // heartbeats are frames, too
			const frame = await this.frame(end - Date.now());
			if (frame === undefined) return undefined;
			if (frame.data) return frame.data;
		}
	}

	/** Events up to and including the first that fits. */
	async eventsUntil(fits, ms = PATIENCE_MS) {
		const events = [];
		const end = Date.now() + ms;
		for (;;) {
			const event = await this.event(end - Date.now());
			assert.ok(event, 'the stream ended');
			events.push(event);
			if (fits(event)) return events;
		}
	}

	/** True when no event comes within ms. */
	async silent(ms = 300) {
		await new Promise((resolve) => { setTimeout(resolve, ms); });
		return !this.frames.some((frame) => frame.data);
	}

	close() { this.request.destroy(); }
}
