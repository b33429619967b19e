/// <reference types="vitest/config" />
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { type Agents, clientsOf } from './clients.ts';
import { messages, modulesOf } from './messages.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const table = (path: string): unknown => JSON.parse(readFileSync(here(path), 'utf8'));

/* A module that is made from the program's own tables. */
function made(name: string, make: () => unknown): Plugin {
	const id = `virtual:${name}`;
	return {
		name,
		resolveId: (wanted) => (wanted === id ? `\0${id}` : null),
		load: (wanted) => (wanted === `\0${id}` ? `export default ${JSON.stringify(make())}` : null),
	};
}

/* The names of the MCP tools that a token can be limited to. */
const tools = () => (table('../src/mcp/tools.json') as { name: string }[]).map((tool) => tool.name);

/* sw.js knows the names of the files that it keeps for when there is no network. */
function worker(): Plugin {
	return {
		name: 'worker',
		apply: 'build',
		generateBundle: {
			order: 'post', // a file that others still take out is not fetched, and without it none is kept
			handler(_, bundle) {
				const files = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
				const list = JSON.stringify(files.map((name) => `/${name}`).sort());
				const source = readFileSync(here('src/sw.js'), 'utf8').replace("['FILES']", list);
				this.emitFile({ type: 'asset', fileName: 'sw.js', source });
			},
		},
	};
}

/* What the first list needs runs at once: a browser that knows this line compiles it while it is fetched. */
function eager(): Plugin {
	return {
		name: 'eager',
		apply: 'build',
		generateBundle(_, bundle) {
			for (const chunk of Object.values(bundle))
				if (chunk.type === 'chunk' && (chunk.isEntry || chunk.name === 'base'))
					chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
		},
	};
}

/* A file for each of these moments: it packs better, and on a slow line a request takes longer than its bytes. What is
 * not named here is a file of its own, fetched when it is opened. A module belongs to the first moment that needs it. */
const moments: [name: string, entries: string[]][] = [
	['base', ['main.ts']],
	['card', ['ask/AskCard', 'ask/Snooze', 'ask/Assign'].map(part)],
	[
		'soon',
		[
			...[
				'frame/Above',
				'rules/StopButton',
				'frame/Over',
				'ask/InboxKeys',
				'ask/OutboxBar',
				'ask/QuickActions',
				'ask/RowBehind',
				'ask/InboxViews',
				'ask/CaughtUp',
			].map(part),
			'state/arrivals.ts',
		],
	],
	['reading', ['common/Markdown', 'common/Copy', 'common/Diff'].map(part)],
	['later', ['screens/LaterScreen.svelte']],
];
function part(name: string): string {
	return `parts/${name}.svelte`;
}
const runtime = /node_modules\/(svelte|esm-env|clsx)\/|preload-helper/;
const groups = moments.map(([name, entries], i) => {
	const modules = new Set(entries.flatMap((entry) => modulesOf(here(`src/${entry}`))));
	return {
		name,
		test: (id: string) => modules.has(id.split('?')[0]!) || (i === 0 && runtime.test(id)),
		priority: moments.length - i,
	};
});

const server = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:7275';

export default defineConfig({
	plugins: [
		messages(),
		made('tools', tools),
		made('clients', () => clientsOf(table('../src/cli/connect/agents.json') as Agents)),
		svelte(),
		eager(),
		worker(),
	],
	build: {
		target: 'es2022',
		cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // the first with light-dark()
		assetsInlineLimit: 0,
		cssCodeSplit: true,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
		rolldownOptions: { output: { codeSplitting: { groups } } },
	},
	server: {
		/* The server checks Host and Origin: the proxy speaks as if the page came from it. */
		proxy: Object.fromEntries(
			['/v1', '/openapi.json', '/mcp'].map((path) => [
				path,
				{ target: server, changeOrigin: true, headers: { origin: server } },
			]),
		),
	},
	resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
	test: {
		environment: 'happy-dom',
		include: ['test/**/*.test.ts'],
		setupFiles: ['test/setup.ts'],
		pool: 'threads',
		isolate: false, // making an environment takes longer than most files
		maxWorkers: 1,
		testTimeout: 60_000, // a busy machine is no failure
	},
});
