// The server fixture with clients whose every reply is checked against openapi.json.
import { after } from 'node:test';
import { Server as Fixture } from '../../lib/server.mjs';
import { Client } from './client.mjs';

export { BIN, sleep, until } from '../../lib/server.mjs';

export class Server extends Fixture {
	clients = [];

	client(token) {
		const client = new Client(this, token);
		this.clients.push(client);
		return client;
	}

	/** A client with a new token of this role. */
	async as(role, name = role, extra = []) {
		return this.client(await this.token(role, name, extra));
	}

	/** Its clients let go of their connections first. */
	closeClients() {
		for (const client of this.clients) client.close();
	}

	stop() {
		this.closeClients();
		return super.stop();
	}

	crash() {
		this.closeClients();
		return super.crash();
	}
}

/** A server for the tests of a file, with a token of each kind; gone after them. */
export async function useServer(options) {
	const server = new Server(options);
	after(async () => {
		await server.stop();
		server.remove();
	});
	server.secrets = {
		agent: await server.token('agent', 'builder'),
		stranger: await server.token('agent', 'stranger'),
		member: await server.token('member', 'mia'),
		admin: await server.token('admin', 'ada'),
	};
	await server.start();
	for (const [name, secret] of Object.entries(server.secrets)) {
		server[name] = server.client(secret);
	}
	server.nobody = server.client(null);
	return server;
}
