// A receiver of webhooks: a real HTTP server that keeps what it gets.
import http from 'node:http';
import https from 'node:https';
import { after } from 'node:test';
import { until } from './server.mjs';

export class Receiver {
	/** reply: (request, response, body) => …; by default 204. tls: {key, cert} */
	constructor(reply = (request, response) => response.writeHead(204).end(), tls) {
		this.got = [];
		this.reply = reply;
		this.scheme = tls ? 'https' : 'http';
		this.http = (tls ? https : http).createServer(tls ?? {}, (request, response) => {
			const parts = [];
			request.on('data', (part) => parts.push(part));
			request.on('end', () => {
				const text = Buffer.concat(parts).toString();
				this.got.push({ path: request.url, method: request.method,
					headers: request.headers, text, body: JSON.parse(text) });
				this.reply(request, response, this.got.length);
			});
		});
		/* A busy machine may pause for longer than Node keeps an idle connection: none is cut under a webhook. */
		this.http.keepAliveTimeout = 0;
		after(() => this.close());
	}

	open(host = '127.0.0.1') {
		return new Promise((resolve) => {
			this.http.listen(0, host, () => {
				this.port = this.http.address().port;
				this.url = `${this.scheme}://${host.includes(':') ? `[${host}]` : host}:${this.port}/hook`;
				resolve(this);
			});
		});
	}

	/** The first n that came about this ask, or of all. */
	async some(n = 1, ask = undefined) {
		const fit = () => this.got.filter((g) => !ask || g.body.data.ask?.id === ask.id);
		await until(() => fit().length >= n, `webhook ${n}`);
		return fit().slice(0, n);
	}

	close() {
		this.http.closeAllConnections?.();
		this.http.close();
	}
}
