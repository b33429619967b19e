// Clients that others wrote, unmodified: each connects, reads the tools, asks a person and gets
// the answer. By HTTP and, where it can start a program, through `parley mcp`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as VercelStdio } from '@ai-sdk/mcp/mcp-stdio';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { BIN, CURRENT, LONG, answer, bin, question, roundTrip, until, useServer } from './lib.mjs';

const server = await useServer({ flags: ['--mcp-wait', '120'] });
const url = new URL('/mcp', server.url);
const headers = { Authorization: `Bearer ${server.secrets.agent}` };
const env = { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent };
const pipe = { command: BIN, args: ['mcp'], env };
const me = { name: 'test', version: '1' };

const TOOLS = ['UserQuestionTool', 'ask_question', 'ask_user_question', 'cancel_ask', 'get_answer',
	'list_asks', 'report_progress', 'request_approval', 'request_mandate'];
const names = ({ tools }) => tools.map((tool) => tool.name).sort();

/** What every client of an SDK does, whatever its generation and its way. */
async function sdkRound(client, text) {
	assert.deepEqual(names(await client.listTools()), TOOLS);
	const { result } = await roundTrip(server, text, (asking) => client.callTool({
		name: 'ask_user_question', arguments: question(asking) }));
	assert.deepEqual(result.structuredContent.answers, { [text]: 'PostgreSQL' });
	assert.equal(result.structuredContent.answered_by.kind, 'human');
	const wrong = await client.callTool({ name: 'ask_user_question', arguments: {} });
	assert.equal(wrong.isError, true);
	assert.match(wrong.content[0].text, /questions/);
	await client.close();
}

const transports = {
	http: () => new StreamableHTTPClientTransport(url, { requestInit: { headers } }),
	stdio: () => new StdioClientTransport(pipe),
};
const newTransports = {
	http: () => new NewHttp(url, { requestInit: { headers } }),
	stdio: () => new NewStdio(pipe),
};

for (const way of ['http', 'stdio']) {
	test(`the first SDK by ${way}`, async () => {
		const client = new Client(me);
		await client.connect(transports[way]());
		await sdkRound(client, `First SDK by ${way}?`);
	});

	for (const [era, mode] of [['legacy', 'legacy'], ['auto', 'auto'], [CURRENT, { pin: CURRENT }]]) {
		test(`the second SDK by ${way}, ${era}`, async () => {
			const client = new NewClient(me, { versionNegotiation: { mode } });
			await client.connect(newTransports[way]());
			await sdkRound(client, `Second SDK by ${way}, ${era}?`);
		});
	}

	test(`LangChain's adapters by ${way}`, async () => {
		const client = new MultiServerMCPClient({ useStandardContentBlocks: true, mcpServers: {
			parley: way === 'http' ? { transport: 'http', url: url.href, headers }
				: { transport: 'stdio', ...pipe } } });
		const tools = await client.getTools();
		assert.deepEqual(names({ tools }), TOOLS);
		const tool = tools.find(({ name }) => name === 'ask_user_question');
		await roundTrip(server, `LangChain by ${way}?`, (text) => tool.invoke(question(text)));
		await client.close();
	});

	test(`the Vercel SDK's client by ${way}`, async () => {
		const client = await createMCPClient({ transport: way === 'http'
			? { type: 'http', url: url.href, headers } : new VercelStdio(pipe) });
		const tools = await client.tools();
		assert.deepEqual(Object.keys(tools).sort(), TOOLS);
		await roundTrip(server, `Vercel by ${way}?`, (text) => tools.ask_user_question.execute(
			question(text), { toolCallId: 'call_1', messages: [] }));
		await client.close();
	});
}

test('progress keeps a call of the first SDK alive beyond its time-out', { skip: !LONG && 'it takes 40 s' }, async () => {
	const client = new Client(me);
	await client.connect(transports.http());
	const told = [];
	const waiting = client.callTool({ name: 'ask_user_question', arguments: question('With progress?') }, undefined,
		{ timeout: 20_000, onprogress: (p) => told.push(p), resetTimeoutOnProgress: true });
	await until(() => told.length >= 2, 'progress', 60_000);
	await answer(server, 'With progress?');
	assert.equal((await waiting).isError, false);
	await client.close();
});

test('mcp-remote between a client of pipes and the server', async () => {
	const client = new Client(me);
	await client.connect(new StdioClientTransport({ command: bin('node'), args: [bin('mcp-remote'),
		url.href, '--transport', 'http-only', '--header', 'Authorization:${PARLEY_AUTH}'],
	env: { ...env, MCP_REMOTE_CONFIG_DIR: server.home, PARLEY_AUTH: headers.Authorization } }));
	await sdkRound(client, 'Through mcp-remote?');
});

const inspector = (...args) => new Promise((resolve, reject) => {
	execFile(bin('node'), [bin('inspector'), '--cli', url.href, '--transport', 'http', '--format', 'json',
		'--quiet', '--header', `Authorization: ${headers.Authorization}`, ...args], { env: server.env },
	(error, stdout, stderr) => {
		if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
		else resolve(JSON.parse(stdout));
	});
});

for (const era of ['legacy', 'modern']) {
	test(`the Inspector, ${era}`, async () => {
		const listed = await inspector('--protocol-era', era, '--method', 'tools/list');
		assert.deepEqual(names(listed.result ?? listed), TOOLS);
		await roundTrip(server, `Inspector, ${era}?`, (text) => inspector('--protocol-era', era, '--method',
			'tools/call', '--tool-name', 'ask_user_question', '--tool-args-json', JSON.stringify(question(text))));
	});
}

test('a call that nobody answers in time is taken up again', async () => {
	const short = await server.as('agent', 'hasty', ['--mcp-wait', '1']);
	const client = new Client(me);
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit: {
		headers: { Authorization: `Bearer ${short.token}` } } }));
	const text = 'Later?';
	const pending = await client.callTool({ name: 'ask_user_question', arguments: question(text) });
	assert.equal(pending.structuredContent.status, 'pending');
	assert.equal(pending.isError, false);
	const { ask_id } = pending.structuredContent;
	const again = await client.callTool({ name: 'ask_user_question', arguments: question(text) });
	assert.equal(again.structuredContent.ask_id, ask_id);
	await answer(server, text, 'SQLite');
	const result = await until(() => client.callTool({ name: 'get_answer', arguments: { ask_id } }));
	assert.equal(result.structuredContent.status, 'answered');
	assert.match(result.content[0].text, /SQLite/);
	await client.close();
});
