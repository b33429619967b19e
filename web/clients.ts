/* How MCP clients are set up to reach a server: what `parley mcp --print-config --url` prints, from
 * the same table. {url} and {token} are left for the page. */

interface Change {
	file: string;
	path: string;
	value: unknown;
}

export interface Agents {
	files: Record<string, { format: 'json' | 'toml' | 'yaml' }>;
	agents: {
		name: string;
		title: string;
		changes: Change[];
		remote?: { file: string; value: object };
	}[];
}

type Tree = { [key: string]: Tree | unknown };

function json(changes: Change[]): string {
	const root: Tree = {};
	for (const { path, value } of changes) {
		const keys = path.split('/');
		const last = keys.pop() ?? '';
		let at = root;
		for (const key of keys) at = (at[key] ??= {}) as Tree;
		at[last] = value;
	}
	return JSON.stringify(root, null, 2);
}

function toml(changes: Change[]): string {
	return changes
		.flatMap(({ path, value }) => [
			`[${path.replaceAll('/', '.')}]`,
			...Object.entries(value as object).map(([key, one]) => `${key} = ${JSON.stringify(one)}`),
		])
		.join('\n');
}

export function clientsOf({ files, agents }: Agents) {
	return agents.flatMap(({ name, title, changes, remote }) => {
		const [first] = changes;
		if (!remote || !first) return [];
		const all = changes
			.filter(({ file }) => file === first.file)
			.map((change, i) => (i ? change : { ...change, value: remote.value }));
		const text = files[first.file]?.format === 'toml' ? toml(all) : json(all);
		return [{ id: name, name: title, file: remote.file, text }];
	});
}
