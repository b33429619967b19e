// A server that is killed while calls wait, and starts again once clients have found it gone: those
// that can come back to a stream get their answer. Since 2026-07-28 there is no coming back; that
// client's call is over, and the ask is found by asking again (cut.test.mjs).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { answer, asked, question, until, useServer } from './lib.mjs';

const server = await useServer({ keepPort: true, flags: ['--mcp-wait', '120'] });
const url = new URL('/mcp', server.url);
const options = { requestInit: { headers: { Authorization: `Bearer ${server.secrets.agent}` } } };
const me = { name: 'test', version: '1' };

const clients = {
	'the first SDK': [new Client(me), new StreamableHTTPClientTransport(url, options)],
	'the second SDK': [new NewClient(me, { versionNegotiation: { mode: 'legacy' } }), new NewHttp(url, options)],
};

test('after kill -9 and a restart, whoever waited gets the answer', async () => {
	const waiting = [];
	for (const [name, [client, transport]] of Object.entries(clients)) {
		client.errors = [];
		client.onerror = ({ message }) => client.errors.push(message);
		await client.connect(transport);
		waiting.push(client.callTool({ name: 'ask_user_question', arguments: question(`Killed under ${name}?`) }));
		await asked(server, `Killed under ${name}?`);
	}
	server.clients.forEach((client) => client.close());
	await server.signal('SIGKILL');
	for (const [client] of Object.values(clients)) {
		await until(() => client.errors.some((text) => /reconnect.*failed/i.test(text)), 'a try in vain', 30_000);
	}
	await server.start();
	for (const name of Object.keys(clients)) await answer(server, `Killed under ${name}?`);
	for (const result of await Promise.all(waiting)) assert.match(JSON.stringify(result), /PostgreSQL/);
});
