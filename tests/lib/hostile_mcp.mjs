#!/usr/bin/env node
// An MCP server that misbehaves: what its tools do is their name, what its list is like is its name. As a program on stdio
// (hostile_mcp.mjs FAMILY LIST), and over HTTP (hostileServer).
import http from 'node:http';
import { fileURLToPath } from 'node:url';

const MIB = 'x'.repeat(1 << 20);
const text = (t) => ({ content: [{ type: 'text', text: t }] });
const result = (id, r) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...r } });
const head = (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
const nested = (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/* `out.say` sends a message, `out.piece` a part of one, `out.end` ends that. Each waits until it is taken. */
const calls = {
	good: (out, id) => out.say(result(id, text('good'))),
	huge: async (out, id) => { // 100 MiB in one result
		await out.piece(head(id));
		for (let i = 0; i < 100; i++) await out.piece(MIB);
		await out.piece('"}]}}');
		await out.end();
	},
	endless: async (out) => { for (let i = 0; i < 100; i++) await out.piece(MIB); }, // nor an end of the line
	control: async (out, id) => {
		await out.piece(`${head(id)}\u0000\u0007\u001b[2J"}]}}`);
		await out.end();
		await out.say(result(id, text('\u001b[2Jescaped')));
	},
	deep: async (out, id) => {
		await out.piece(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${nested(1000)}}`);
		await out.end();
		await out.close();
	},
	values: async (out, id) => {
		await out.piece(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[`);
		for (let i = 0; i < 7; i++) await out.piece('[],'.repeat(300_000));
		await out.piece('[]]}}');
		await out.end();
		await out.close();
	},
	many: async (out, id) => { // values that are allowed
		await out.piece(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[{"type":"text","text":"many"}],"x":[`);
		await out.piece('0,'.repeat(380_000));
		await out.piece('0]}}');
		await out.end();
	},
	large: async (out, id) => out.say(result(id, text('x'.repeat((8 << 20) - 1000)))),
	stray: async (out, id) => {
		for (let i = 0; i < 500; i++) await out.say(result(`never-${i}`, text('stray')));
		for (let i = 0; i < 5; i++) await out.say(result(1e6 + i, text(MIB)));
		await out.say(result(id, text('mine')));
	},
	flood: async (out, id, token) => {
		for (let i = 0; i < 20_000; i += 100)
			await out.all(Array.from({ length: 100 }, (_, k) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token ?? id, progress: i + k, message: 'x'.repeat(200) } })));
		await out.say(result(id, text('flooded')));
	},
	asks: async (out, id) => {
		for (let i = 0; i < 50; i++) await out.say({ jsonrpc: '2.0', id: `q${i}`, method: 'sampling/createMessage', params: {} });
		await out.say(result(id, text('asked')));
	},
	silent: () => {},
};
const listed = (name, description) => ({ name, description: description ?? `Does ${name}.`, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } });
let read = 0;
const lists = {
	calls: () => Object.keys(calls).map((name) => listed(name)),
	many: () => Array.from({ length: 10_000 }, (_, i) => listed(`t${i}`)),
	wide: () => Array.from({ length: 1000 }, (_, i) => listed(`w${i}`, `${i} ${'y'.repeat(7000)}`)),
	changes: () => [listed('good'), listed('other', `The ${++read}th text.`)],
};

async function answer(kind, message, out) {
	const { id, method, params } = message;
	if (id === undefined || !method) return out.close(202);
	if (method === 'initialize') return out.say({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } } });
	if (method === 'server/discover') return out.say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
	if (method === 'tools/call') return calls[params.name]?.(out, id, params._meta?.progressToken);
	if (method !== 'tools/list') return out.say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
	if (kind === 'pages') return out.say(result(id, { tools: [listed(`p${++read}`)], nextCursor: `${read}` }));
	if (kind === 'huge') return calls.huge(out, id);
	if (kind === 'deep') return out.piece(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[{"name":"d","inputSchema":${nested(1000)}}]}}`).then(() => out.end()).then(() => out.close());
	return out.say(result(id, { tools: lists[kind]() }));
}

/** A sink over a stream; `frame`: what stands before and after a message. */
function sink(stream, before, after, close) {
	let open = false;
	stream.setMaxListeners(0);
	const write = (bytes) => new Promise((done) => {
		if (stream.destroyed || stream.writableEnded || stream.write(bytes)) done();
		else { stream.once('drain', done); stream.once('close', done); }
	});
	const out = {
		piece: (part) => { const lead = open ? '' : before; open = true; return write(lead + part); },
		end: () => { open = false; return write(after); },
		all: (messages) => write(messages.map((m) => before + JSON.stringify(m) + after).join('')),
		say: (message) => out.all([message]).then(() => (message.id !== undefined && !message.method && !`${message.id}`.startsWith('never') && !(message.id >= 1e6) ? close() : undefined)),
		close,
	};
	return out;
}

/** → {url, stop, asked: how often each tool was called} */
export async function hostileServer(kind) {
	const asked = {};
	const server = http.createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (part) => { body += part; });
		request.on('end', () => {
			if (request.method !== 'POST') { response.writeHead(405).end(); return; }
			const message = JSON.parse(body);
			if (message.id === undefined || !message.method) { response.writeHead(202).end(); return; }
			if (message.method === 'tools/call') asked[message.params.name] = (asked[message.params.name] ?? 0) + 1;
			response.writeHead(200, { 'Content-Type': 'text/event-stream', ...(message.method === 'initialize' ? { 'Mcp-Session-Id': 's1' } : {}) });
			answer(kind, message, sink(response, 'data: ', '\n\n', () => response.end()));
		});
	});
	await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
	return { url: `http://127.0.0.1:${server.address().port}/mcp`, asked, stop: () => { server.closeAllConnections(); server.close(); } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const out = sink(process.stdout, '', '\n', () => {});
	let rest = '';
	process.stdout.on('error', () => process.exit());
	process.stdin.setEncoding('utf8').on('data', (part) => {
		const lines = (rest + part).split('\n');
		rest = lines.pop();
		for (const line of lines) answer(process.argv[2], JSON.parse(line), out);
	});
	process.stdin.on('end', () => process.exit());
}
