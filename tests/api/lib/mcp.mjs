// Clients of /mcp that speak plain HTTP, one for each era.
import http from 'node:http';

/** The messages of a text/event-stream body, each with its event id. */
export function events(text) {
	return text.split('\n\n').filter((block) => block.includes('data: {')).map((block) => {
		const line = (name) => block.split('\n').find((l) => l.startsWith(`${name}: `))?.slice(name.length + 2);
		return { id: line('id'), message: JSON.parse(line('data')) };
	});
}

class McpClient {
	constructor(server, token) {
		this.server = server;
		this.token = token;
		this.serial = 0;
	}

	/** → {status, headers, text, messages, reply: the last message}; `onText` sees what came so far. */
	send(method, message, headers = {}, { path = '/mcp', onText, signal } = {}) {
		const body = message === undefined ? undefined
			: typeof message === 'string' ? message : JSON.stringify(message);
		return new Promise((resolve, reject) => {
			const request = http.request({ host: '127.0.0.1', port: this.server.port, method, path, signal,
				headers: {
					accept: 'application/json, text/event-stream',
					...(body === undefined ? {} : { 'content-type': 'application/json' }),
					...(this.token ? { authorization: `Bearer ${this.token}` } : {}), ...headers,
				} }, (response) => {
				let text = '';
				response.setEncoding('utf8');
				response.on('data', (part) => {
					text += part;
					onText?.(text, request);
				});
				response.on('error', reject);
				response.on('end', () => {
					const streams = response.headers['content-type']?.includes('event-stream');
					const messages = streams ? events(text).map((e) => e.message)
						: text.trim() ? [JSON.parse(text)] : [];
					resolve({ status: response.statusCode, headers: response.headers, text, messages,
						reply: messages.at(-1) });
				});
			});
			request.on('error', reject);
			request.end(body);
		});
	}

	async result(method, params, options) {
		const { status, reply } = await this.request(method, params, options);
		if (!reply?.result) throw new Error(`${method}: ${status} ${JSON.stringify(reply)}`);
		return reply.result;
	}

	call(name, args, more = {}, options) {
		return this.result('tools/call', { name, arguments: args, ...more }, options);
	}
}

/** Until 2025-11-25. */
export class LegacyClient extends McpClient {
	async open(version = '2025-11-25', capabilities = {}) {
		const started = await this.send('POST', { jsonrpc: '2.0', id: 0, method: 'initialize', params: {
			protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } } });
		this.initialized = started.reply.result;
		this.session = started.headers['mcp-session-id'];
		this.version = started.reply.result.protocolVersion;
		await this.send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, this.headers());
		return this;
	}

	headers() {
		return { 'mcp-session-id': this.session, 'mcp-protocol-version': this.version };
	}

	request(method, params = {}, { id = ++this.serial, headers = {}, ...options } = {}) {
		return this.send('POST', { jsonrpc: '2.0', id, method, params }, { ...this.headers(), ...headers }, options);
	}
}

const PREFIX = 'io.modelcontextprotocol/';
const NAMED = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri', 'tasks/get': 'taskId',
	'tasks/update': 'taskId', 'tasks/cancel': 'taskId' };

/** Since 2026-07-28. */
export class StatelessClient extends McpClient {
	constructor(server, token, capabilities = {}) {
		super(server, token);
		this.capabilities = capabilities;
	}

	meta() {
		return { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: this.capabilities,
			[`${PREFIX}clientInfo`]: { name: 'test', version: '1' } };
	}

	headers(method, params) {
		const name = params?.[NAMED[method]];
		return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) };
	}

	request(method, params = {}, { id = ++this.serial, headers = {}, ...options } = {}) {
		const whole = { ...params, _meta: { ...this.meta(), ...params._meta } };
		return this.send('POST', { jsonrpc: '2.0', id, method, params: whole },
			{ ...this.headers(method, params), ...headers }, options);
	}
}

export const question = (text = 'Which database?') => ({ questions: [{ question: text, header: 'Database',
	multiSelect: false, options: [{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }] });
