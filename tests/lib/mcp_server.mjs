// A fake MCP server over HTTP, of either family of revisions: its tools, what it was asked, and how it misbehaves.
import http from 'node:http';

export const tool = (name, more = {}) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more });

export class McpServer {
	constructor({ family = '2026', tools = [], call, path = '/mcp' } = {}) {
		Object.assign(this, { family, tools, path, asked: [], sessions: 0 });
		this.call = call ?? ((name, args) => ({ content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }] }));
		/* Set to answer in place of all else: (request, response, message) => true when it did. */
		this.instead = () => false;
		this.page = null; /* tools a page; null: all on one */
		this.http = http.createServer((request, response) => this.#take(request, response));
	}
	async start(port = 0) {
		await new Promise((done) => { this.http.listen(port, '127.0.0.1', done); });
		this.url = `http://127.0.0.1:${this.http.address().port}${this.path}`;
		return this;
	}
	stop() { this.http.closeAllConnections(); this.http.close(); }
	calls(name) { return this.asked.filter((a) => a.message?.method === 'tools/call' && (!name || a.message.params.name === name)); }

	#take(request, response) {
		const parts = [];
		request.on('data', (part) => parts.push(part));
		request.on('end', () => {
			const text = Buffer.concat(parts).toString();
			let message = null;
			try { message = JSON.parse(text); } catch { /* DELETE has none */ }
			this.asked.push({ method: request.method, headers: request.headers, message });
			if (this.instead(request, response, message)) return;
			this.#answer(request, response, message);
		});
	}
	async #answer(request, response, message) {
		const reply = (status, body, headers = {}) => {
			response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
			response.end(body && JSON.stringify({ jsonrpc: '2.0', id: message?.id, ...body }));
		};
		if (request.method === 'DELETE') { reply(204); return; }
		if (message?.id === undefined) { reply(202); return; }
		const stateless = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
		if (this.family === '2025' && stateless) { reply(400, { error: { code: -32600, message: 'No session' } }); return; }
		if (this.family === '2026' && !stateless) {
			reply(400, { error: { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } } });
			return;
		}
		const result = await this.#result(message, request);
		if (result === undefined) { reply(200, { error: { code: -32601, message: `No ${message.method}` } }); return; }
		if (result.error) { reply(200, result); return; }
		const session = message.method === 'initialize' ? { 'Mcp-Session-Id': `s${++this.sessions}` } : {};
		reply(200, { result: stateless ? { resultType: 'complete', ...result } : result }, session);
	}
	async #result(message, request) {
		switch (message.method) {
			case 'server/discover':
				return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
			case 'initialize':
				return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } };
			case 'tools/list': {
				const from = Number(message.params?.cursor ?? 0), most = this.page ?? this.tools.length;
				const next = from + most < this.tools.length ? { nextCursor: String(from + most) } : {};
				return { tools: this.tools.slice(from, from + most), ...next };
			}
			case 'tasks/get': {
				const task = this.tasks.get(message.params.taskId);
				const status = ++task.looks < 3 ? 'working' : 'completed';
				const view = { taskId: message.params.taskId, status, createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
				return this.family === '2025' ? { ...view, ttl: null, pollInterval: 50 }
					: { ...view, ttlMs: null, pollIntervalMs: 50, ...(status === 'completed' ? { result: task.result } : {}) };
			}
			case 'tasks/result': return this.tasks.get(message.params.taskId).result;
			case 'tools/call': {
				/* Those that are tasks in either family. */
				if (!this.tasks || message.params.name !== 'long') return this.call(message.params.name, message.params.arguments, { message, request });
				const asks = message.params.task ?? message.params._meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions;
				if (!asks) return { error: { code: -32601, message: 'Only as a task' } };
				const taskId = `t${this.tasks.size}`;
				this.tasks.set(taskId, { looks: 0, result: await this.call(message.params.name, message.params.arguments, { message, request }) });
				const task = { taskId, status: 'working', createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
				return this.family === '2025' ? { task: { ...task, ttl: null, pollInterval: 50 } } : { resultType: 'task', ...task, ttlMs: null, pollIntervalMs: 50 };
			}
			default:
		}
	}
}
