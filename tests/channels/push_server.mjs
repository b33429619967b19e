// push_server.mjs - a push service for Firefox: the browser's side is its WebSocket protocol (hello, register,
// notification, ack), the application's side the URLs of RFC 8030.
import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { after } from 'node:test';
import { WebSocketServer } from 'ws';

export class PushServer {
	taken = []; // {status, headers}
	acks = [];
	channels = new Map(); // the path of an endpoint → {socket, channelID}

	open() {
		this.http = http.createServer((request, response) => {
			const parts = [];
			request.on('data', (part) => parts.push(part));
			request.on('end', () => {
				const to = this.channels.get(request.url);
				const status = to ? 201 : 410;
				this.taken.push({ status, headers: request.headers });
				if (to) this.bring(to, request.headers, Buffer.concat(parts));
				response.writeHead(status).end();
			});
		});
		this.sockets = new WebSocketServer({ server: this.http });
		this.sockets.on('connection', (socket) => socket.on('message', (text) => this.hear(socket, JSON.parse(text))));
		after(() => {
			for (const socket of this.sockets.clients) socket.terminate();
			this.http.closeAllConnections();
			this.http.close();
		});
		return new Promise((done) => {
			this.http.listen(0, '127.0.0.1', () => {
				this.port = this.http.address().port;
				done(this);
			});
		});
	}

	hear(socket, message) {
		const say = (body) => socket.send(JSON.stringify({ messageType: message.messageType, ...body }));
		if (message.messageType === 'hello') {
			say({ uaid: message.uaid || randomBytes(16).toString('hex'), status: 200, use_webpush: true, broadcasts: {} });
		} else if (message.messageType === 'register') {
			const path = `/push/${randomUUID()}`;
			this.channels.set(path, { socket, channelID: message.channelID });
			say({ channelID: message.channelID, status: 200, pushEndpoint: `http://127.0.0.1:${this.port}${path}` });
		} else if (message.messageType === 'unregister') {
			for (const [path, one] of this.channels) if (one.channelID === message.channelID) this.channels.delete(path);
			say({ channelID: message.channelID, status: 200 });
		} else if (message.messageType === 'ack') {
			this.acks.push(...message.updates);
		}
	}

	bring({ socket, channelID }, headers, body) {
		socket.send(JSON.stringify({ messageType: 'notification', channelID, version: randomUUID(), ttl: Number(headers.ttl),
			data: body.toString('base64url'), headers: { encoding: headers['content-encoding'] } }));
	}
}
