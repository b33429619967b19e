// Bytes to the server's socket, as no decent client would send them.
import net from 'node:net';
import { PATIENCE_MS } from '../../lib/server.mjs';

function parse(text) {
	const [head, ...rest] = text.split('\r\n\r\n');
	const [first, ...lines] = head.split('\r\n');
	const headers = {};
	for (const line of lines) {
		const colon = line.indexOf(':');
		headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
	}
	const body = rest.join('\r\n\r\n');
	let problem;
	try {
		problem = JSON.parse(body);
	} catch {
		problem = undefined;
	}
	return { status: Number(first.split(' ')[1]), headers, body, problem };
}

/**
 * Sends the bytes; → {status, headers, body, closed, text} after the peer closes, or says nothing more for `ms`:
 * then it keeps the connection. A peer that is told to close has all the time it needs.
 */
export function raw(server, bytes, { ms = 1500, then } = {}) {
	const closes = /^connection: close\r$/im.test(bytes);
	return new Promise((resolve) => {
		const socket = net.connect(server.port, '127.0.0.1');
		let text = '';
		let timer;
		const done = (closed) => {
			clearTimeout(timer);
			socket.destroy();
			resolve({ ...parse(text), closed, text });
		};
		const quiet = (limit) => {
			clearTimeout(timer);
			timer = setTimeout(() => done(false), limit);
		};
		quiet(PATIENCE_MS);
		socket.on('connect', () => {
			socket.write(bytes);
			then?.(socket);
		});
		socket.on('data', (part) => {
			text += part.toString('latin1');
			quiet(closes ? PATIENCE_MS : ms);
		});
		socket.on('end', () => done(true));
		socket.on('error', () => done(true));
		socket.on('close', () => done(true));
	});
}

/** The replies on one connection that is told to close with the last request. */
export const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((m) => Number(m[1]));

export function requestText(server, method, path, lines = [], body = '') {
	return [`${method} ${path} HTTP/1.1`, `Host: ${server.address}`, ...lines, '', body].join('\r\n');
}
