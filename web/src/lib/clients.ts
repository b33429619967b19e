/* How MCP clients are set up to ask here: the settings of those that the program knows, with the
 * token itself, and what any other one needs. */
import known from 'virtual:clients';

export interface Client {
	/** As --print-config calls it; null: one it does not know. */
	id: string | null;
	name: string;
	/** Where it belongs. */
	file: string | null;
	/** What goes there, with {url} and {token}. */
	text: string;
}

export const clients: Client[] = [
	...known,
	{ id: null, name: 'HTTP', file: null, text: '{url}\nAuthorization: Bearer {token}' },
];

export const settingsOf = ({ text }: Client, url: string, token: string) =>
	text.replace('{url}', () => url).replace('{token}', () => token);

/** It takes the token from PARLEY_TOKEN, and no other way. */
export const takesVariable = ({ text }: Client) => !text.includes('{token}');

/** How to get the same on the server's own machine, where no address and no token is needed. */
export function printCommand({ id, file }: Client): string {
	if (!id) return 'parley mcp';
	const added = file?.endsWith('.toml') ? ` >> ${file}` : '';
	return `parley mcp --print-config ${id}${added}`;
}
