// slack_socket.mjs - Socket Mode of the Slack in slack.mjs: WebSockets (RFC 6455, the server's side), hello,
// envelopes that are sent until they are acknowledged, and disconnects.
import { createHash } from 'node:crypto';
import { until } from './server.mjs';

export const APP_TOKEN = 'xapp-test';
const OP = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** One frame, as a server sends it: not masked. */
export function frame(op, bytes, { last = true } = {}) {
	const body = Buffer.from(bytes);
	const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65536 ? 4 : 10);
	head[0] = (last ? 0x80 : 0) | op;
	if (head.length === 2) head[1] = body.length;
	else if (head.length === 4) head.writeUInt16BE(body.length, 2), (head[1] = 126);
	else head.writeBigUInt64BE(BigInt(body.length), 2), (head[1] = 127);
	return Buffer.concat([head, body]);
}

/** A connection of an app's. */
class Link {
	got = []; // texts, parsed
	pongs = [];
	closed = null; // the code that the app closed it with
	ended = false;
	deaf = false; // hears and says nothing any more, and the connection stays

	constructor(socket, head) {
		this.socket = socket;
		this.bytes = head;
		socket.on('data', (more) => this.read(more));
		socket.on('error', () => {});
		socket.on('close', () => { this.ended = true; });
	}

	read(more) {
		if (this.deaf) return;
		this.bytes = Buffer.concat([this.bytes, more]);
		for (;;) {
			if (this.bytes.length < 2) return;
			const short = this.bytes[1] & 0x7f;
			const at = short === 126 ? 4 : short === 127 ? 10 : 2;
			if (this.bytes.length < at + 4) return;
			if (!(this.bytes[1] & 0x80)) throw new Error('a frame of a client is not masked');
			const len = short === 126 ? this.bytes.readUInt16BE(2) : short === 127 ? Number(this.bytes.readBigUInt64BE(2)) : short;
			if (this.bytes.length < at + 4 + len) return;
			const mask = this.bytes.subarray(at, at + 4);
			const body = Buffer.from(this.bytes.subarray(at + 4, at + 4 + len)).map((byte, i) => byte ^ mask[i % 4]);
			const op = this.bytes[0] & 0xf;
			this.bytes = this.bytes.subarray(at + 4 + len);
			if (op === OP.text) this.got.push(JSON.parse(body.toString()));
			if (op === OP.ping) this.socket.write(frame(OP.pong, body));
			if (op === OP.pong) this.pongs.push(body.toString());
			if (op === OP.close) {
				this.closed = body.length ? body.readUInt16BE(0) : 1005;
				this.socket.end(frame(OP.close, body));
			}
		}
	}

	send(value) { this.socket.write(frame(OP.text, JSON.stringify(value))); }
	ping(text) { this.socket.write(frame(OP.ping, text)); }
	cut() { this.socket.destroy(); }
}

export class SlackSockets {
	links = [];
	opened = []; // when apps.connections.open was called
	refused = null; // what it says instead
	tickets = new Set();
	envelopes = 0;

	/** `slack`: its HTTP server takes the upgrades. */
	constructor(slack) {
		this.slack = slack;
		slack['apps.connections.open'] = () => this.open();
		slack.tokens['apps.connections.open'] = APP_TOKEN;
		slack.http.on('upgrade', (request, socket, head) => {
			const ticket = new URL(request.url, slack.origin).searchParams.get('ticket');
			if (!this.tickets.delete(ticket)) return void socket.end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n');
			const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
			const reply = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
			const link = new Link(socket, head);
			this.links.push(link);
			const hello = JSON.stringify({ type: 'hello', num_connections: this.links.length,
				debug_info: { host: 'applink', approximate_connection_time: 18060 }, connection_info: { app_id: 'A1' } });
			// In one piece with the reply: nothing says that they come apart.
			socket.write(Buffer.concat([Buffer.from(reply), frame(OP.text, hello)]));
		});
	}

	open() {
		this.opened.push(Date.now());
		if (this.refused) return this.refused;
		const ticket = `t${this.opened.length}`;
		this.tickets.add(ticket);
		return { ok: true, url: `${this.slack.origin.replace('http', 'ws')}/link/?ticket=${ticket}&app_id=A1` };
	}

	get live() { return this.links.filter((link) => !link.ended); }

	/** The nth connection of the app's. */
	async link(n) {
		await until(() => this.links.length >= n, `connection ${n}`);
		return this.links[n - 1];
	}

	/** What an app says to an envelope; sent anew over another connection when one ends before that. */
	async call(type, payload, { link, id = `e${++this.envelopes}` } = {}) {
		let at = link ?? await until(() => this.live.at(-1), 'a connection');
		const envelope = { envelope_id: id, type, payload, accepts_response_payload: type === 'interactive' };
		at.send(envelope);
		const said = () => this.links.flatMap((one) => one.got).findLast((one) => one.envelope_id === id);
		await until(() => {
			if (!said() && at.ended && this.live.length) {
				at = this.live.at(-1);
				at.send({ ...envelope, retry_attempt: 1, retry_reason: 'timeout' });
			}
			return said();
		}, 'an acknowledgement');
		return { status: 200, body: said().payload ?? null };
	}
}
