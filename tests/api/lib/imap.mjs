// A mailbox that speaks as much IMAP as its one reader does.
import net from 'node:net';
import { after } from 'node:test';

export class Mailbox {
	/** messages: [{uid, raw, seen}]; user and password may be changed any time. */
	constructor() {
		this.messages = [];
		this.commands = [];
		this.password = 'sesame';
		this.server = net.createServer((socket) => this.serve(socket));
		this.sockets = new Set();
		after(() => this.close());
	}

	open() {
		return new Promise((resolve) => {
			this.server.listen(0, '127.0.0.1', () => {
				this.port = this.server.address().port;
				resolve(this);
			});
		});
	}

	put(raw, seen = false) {
		const uid = this.messages.length + 1;
		this.messages.push({ uid, raw: Buffer.from(raw), seen });
		return uid;
	}

	serve(socket) {
		let text = '';
		this.sockets.add(socket);
		socket.on('close', () => this.sockets.delete(socket));
		socket.on('error', () => undefined);
		socket.write('* OK ready\r\n');
		socket.on('data', (bytes) => {
			text += bytes;
			for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
				const line = text.slice(0, end);
				text = text.slice(end + 2);
				this.command(socket, line);
			}
		});
	}

	command(socket, line) {
		const [tag, ...words] = line.split(' ');
		const command = words.join(' ');
		const say = (...lines) => socket.write(`${lines.join('\r\n')}\r\n`);
		this.commands.push(command.replace(this.password, '…'));
		if (/^CAPABILITY/.test(command)) return say('* CAPABILITY IMAP4rev1', `${tag} OK`);
		if (/^LOGIN/.test(command)) {
			return command.includes(this.password) ? say(`${tag} OK`) : say(`${tag} NO [AUTHENTICATIONFAILED] wrong password`);
		}
		if (/^SELECT/.test(command)) return say(`* ${this.messages.length} EXISTS`, '* OK [UIDVALIDITY 1] ok', `${tag} OK`);
		if (/^UID SEARCH UNSEEN/.test(command)) {
			return say(`* SEARCH ${this.messages.filter((m) => !m.seen).map((m) => m.uid).join(' ')}`, `${tag} OK`);
		}
		const fetch = /^UID FETCH (\d+) BODY\[\]/.exec(command);
		if (fetch) {
			const message = this.messages[fetch[1] - 1];
			message.seen = true;
			message.fetched = (message.fetched ?? 0) + 1;
			socket.write(`* ${message.uid} FETCH (UID ${message.uid} BODY[] {${message.raw.length}}\r\n`);
			socket.write(message.raw);
			return say(')', `${tag} OK`);
		}
		const store = /^UID STORE (\d+) ([+-])FLAGS/.exec(command);
		if (store) {
			this.messages[store[1] - 1].seen = store[2] === '+';
			return say(`${tag} OK`);
		}
		if (/^LOGOUT/.test(command)) {
			say('* BYE', `${tag} OK`);
			return socket.end();
		}
		return say(`${tag} OK`);
	}

	close() {
		for (const socket of this.sockets) socket.destroy();
		this.server.close();
	}
}
