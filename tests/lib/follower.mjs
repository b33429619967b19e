// follower.mjs - a reader of the event stream that reconnects for as long as it is told to.
import http from 'node:http';
import { sleep } from './server.mjs';

/** Follows the log across all lives of the server; every number must follow the last. */
export class Follower {
	constructor(server, token) {
		this.server = server;
		this.token = token;
		this.last = 0;
		this.events = new Map(); // ask → the types of its events, in order
		this.waiting = [];
		this.problem = null;
		this.running = this.run();
	}

	async run() {
		while (!this.stopped) {
			await this.server.up;
			if (!this.stopped) await this.follow().catch(() => sleep(5));
		}
	}

	follow() {
		return new Promise((resolve, reject) => {
			this.request = http.get({ port: this.server.port, host: '127.0.0.1', path: this.path ?? '/v1/events',
				headers: { authorization: `Bearer ${this.token}`, 'last-event-id': this.last } },
			(response) => {
				let rest = '';
				response.setEncoding('utf8');
				response.on('data', (piece) => {
					const frames = (rest + piece).split('\n\n');
					rest = frames.pop();
					frames.forEach((frame) => this.frame(frame));
				});
				response.on('error', reject);
				response.on('close', resolve);
			});
			this.request.on('error', reject);
		});
	}

	frame(text) {
		const data = /^data: (.*)$/m.exec(text);
		if (!data) return;
		const event = JSON.parse(data[1]);
		if (event.id !== this.last + 1) this.problem ??= `event ${event.id} after ${this.last}`;
		this.last = event.id;
		if (event.ask) {
			if (!this.events.has(event.ask)) this.events.set(event.ask, []);
			this.events.get(event.ask).push(event.type);
		}
		this.waiting = this.waiting.filter(({ n, resolve }) => n > this.last || resolve());
	}

	/** Resolves when event n was seen. */
	reach(n) {
		if (this.last >= n) return Promise.resolve();
		return new Promise((resolve) => { this.waiting.push({ n, resolve }); });
	}

	async stop() {
		this.stopped = true;
		this.request?.destroy();
		this.server.comesUp();
		await this.running;
	}
}
