/* What goes into the configuration of an MCP client, as `parley mcp --print-config` has it but with
 * the token itself. A test holds the two against each other. */

export interface Client {
	/** As --print-config calls it; null: one it does not know. */
	id: string | null;
	name: string;
	/** Where it belongs. */
	file: string | null;
	/** It takes the token from PARLEY_TOKEN, and no other way. */
	byVariable?: true;
	text(url: string, token: string): string;
}

/** What a client allows one call: longer than any wait of the server, which shall end it. */
const CALL_MS = 600_000;

const json = (value: unknown) => JSON.stringify(value, null, 2);
const headers = (token: string) => ({ Authorization: `Bearer ${token}` });

export const clients: Client[] = [
	{
		id: 'claude',
		name: 'Claude Code',
		file: '.mcp.json',
		text: (url, token) =>
			json({
				mcpServers: { parley: { type: 'http', url, headers: headers(token), timeout: CALL_MS } },
			}),
	},
	{
		id: 'codex',
		name: 'Codex',
		file: '~/.codex/config.toml',
		byVariable: true,
		text: (url) =>
			[
				'[mcp_servers.parley]',
				`url = ${JSON.stringify(url)}`,
				'bearer_token_env_var = "PARLEY_TOKEN"',
				`tool_timeout_sec = ${CALL_MS / 1000}`,
			].join('\n'),
	},
	{
		id: 'gemini',
		name: 'Gemini CLI',
		file: '~/.gemini/settings.json',
		text: (httpUrl, token) =>
			json({ mcpServers: { parley: { httpUrl, headers: headers(token), timeout: CALL_MS } } }),
	},
	{
		id: 'opencode',
		name: 'opencode',
		file: 'opencode.json',
		text: (url, token) =>
			json({
				mcp: {
					parley: {
						type: 'remote',
						url,
						headers: headers(token),
						oauth: false,
						enabled: true,
						timeout: CALL_MS,
					},
				},
			}),
	},
	{
		id: 'cursor',
		name: 'Cursor',
		file: '.cursor/mcp.json',
		text: (url, token) => json({ mcpServers: { parley: { url, headers: headers(token) } } }),
	},
	{
		id: 'vscode',
		name: 'VS Code',
		file: '.vscode/mcp.json',
		text: (url, token) =>
			json({ servers: { parley: { type: 'http', url, headers: headers(token) } } }),
	},
	{
		id: null,
		name: 'HTTP',
		file: null,
		text: (url, token) => `${url}\nAuthorization: Bearer ${token}`,
	},
];

/** How to get the same on the server's own machine, where no address and no token is needed. */
export function printCommand({ id, file }: Client): string {
	const where: Record<string, string> = { claude: ` > ${file}`, codex: ` >> ${file}` };
	return id ? `parley mcp --print-config ${id}${where[id] ?? ''}` : 'parley mcp';
}
