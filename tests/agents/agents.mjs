// The agents: how each is told of the model, and run without a terminal. What they know of Parley
// comes from `parley connect` alone.
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bins = { always: here('node_modules/.bin'), more: here('more/node_modules/.bin'), mcp: here('../mcp/node_modules/.bin') };
const put = (home, file, text) => {
	mkdirSync(dirname(join(home, file)), { recursive: true });
	writeFileSync(join(home, file), typeof text === 'string' ? text : JSON.stringify(text, null, 2));
};

/**
 * words(prompt): the command line; all: what is added when everything may run, so that the hook is
 * the only gate; shell: its tool that runs a command, and what it calls that command; trust: what a person does
 * who trusts the project of a folder (`connect --project` says which do not read its files before); prompts: how it is run
 * in a terminal, and what is seen and pressed there; after: they open when nobody has decided at the desk.
 */
export const AGENTS = {
	claude: {
		trust: ({ home, work }) => put(home, '.claude.json', { projects: { [work]: { hasTrustDialogAccepted: true } } }),
		bin: join(bins.mcp, 'claude'), always: true, words: (prompt) => ['-p', prompt, '--output-format', 'json'],
		all: ['--dangerously-skip-permissions'], shell: [['Bash'], (command) => ({ command, description: 'As told' })],
		env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-test', IS_SANDBOX: '1',
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1',
			DISABLE_AUTOUPDATER: '1', ENABLE_TOOL_SEARCH: 'false',
			// On a busy machine its first request would come before the tools of its servers.
			MCP_CONNECTION_NONBLOCKING: 'false' }),
		prompts: { words: '--permission-mode default', ready: /❯/, open: /Do you want to/, yes: ['1'], no: ['Escape'],
			idle: (text) => !/Do you want to|esc to interrupt/.test(text),
			setUp: (home) => put(home, '.claude.json', { hasCompletedOnboarding: true, theme: 'dark',
				customApiKeyResponses: { approved: ['sk-ant-test'], rejected: [] },
				projects: { [join(home, 'work')]: { hasTrustDialogAccepted: true } } }) },
	},
	codex: {
		trust: ({ home, work }) => appendFileSync(join(home, '.codex/config.toml'), `\n[projects."${work}"]\ntrust_level = "trusted"\n`),
		bin: join(bins.always, 'codex'), always: true, words: (prompt) => ['exec', '--skip-git-repo-check', prompt],
		all: ['-s', 'danger-full-access'],
		shell: [['exec_command', 'shell', 'shell_command'], (command) => (name) => (/^shell$/.test(name) ? { command: ['bash', '-c', command] }
			: name === 'shell_command' ? { command } : { cmd: command })],
		setUp: (home, url) => put(home, '.codex/config.toml', `model = "scripted"
model_provider = "scripted" # ours

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
`),
		env: () => ({ CODEX_API_KEY: 'x', OPENAI_API_KEY: 'x' }),
		prompts: { words: '-a on-request -s read-only', ready: /scripted default/, open: /Would you like to/, yes: ['y'], after: true,
			idle: (text) => !/Would you like to|esc to interrupt/.test(text),
			more: { sandbox_permissions: 'require_escalated', justification: 'As told' },
			setUp(home, url) {
				AGENTS.codex.setUp(home, url);
				AGENTS.codex.trust({ home, work: join(home, 'work') });
			} },
	},
	opencode: {
		bin: join(bins.always, 'opencode'), always: true, words: (prompt) => ['run', '-m', 'scripted/scripted', prompt],
		setUp: (home, url, more) => put(home, '.config/opencode/opencode.json', { ...more, provider: { scripted: { npm: '@ai-sdk/openai-compatible',
			options: { baseURL: `${url}/v1`, apiKey: 'x' }, models: { scripted: { name: 'Scripted', tool_call: true } } } } }),
		env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }),
	},
	gemini: {
		bin: join(bins.more, 'gemini'), words: (prompt) => ['-p', prompt, '-m', 'gemini-2.5-pro', '--skip-trust'],
		all: ['-y'], shell: [['run_shell_command'], (command) => ({ command, description: 'As told' })],
		setUp: (home) => put(home, '.gemini/settings.json', { security: { auth: { selectedType: 'gemini-api-key' } },
			general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } }),
		env: (url) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
	},
	qwen: {
		trust: (desk) => desk.self(['mcp', 'approve', 'parley']),
		bin: join(bins.more, 'qwen'), words: (prompt) => ['-p', prompt],
		all: ['-y'], shell: [['run_shell_command'], (command) => ({ command, description: 'As told', is_background: false })],
		setUp: (home) => put(home, '.qwen/settings.json', { security: { auth: { selectedType: 'openai' } },
			general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } }),
		env: (url) => ({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
	},
	copilot: {
		trust: ({ home, work }) => put(home, '.copilot/config.json', { trustedFolders: [work] }),
		bin: join(bins.more, 'copilot'), words: (prompt) => ['-p', prompt],
		all: ['--allow-all-tools'], shell: [['bash'], (command) => ({ command, description: 'As told', mode: 'sync', initial_wait: 30 })],
		env: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_MODEL: 'scripted', COPILOT_PROVIDER_API_KEY: 'x',
			COPILOT_AUTO_UPDATE: 'false' }),
	},
	cline: {
		bin: join(bins.more, 'cline'), words: (prompt) => [prompt],
		last: () => ['hub', 'stop'], // or its daemon stays
		first: (url) => ['auth', '-p', 'openai-compatible', '-k', 'x', '-m', 'scripted', '-b', `${url}/v1`],
		env: () => ({ CLINE_TELEMETRY_DISABLED: '1' }),
	},
	continue: {
		bin: join(bins.more, 'cn'), words: (prompt) => ['-p', prompt],
		setUp: (home, url) => put(home, '.continue/config.yaml', `name: me
version: 0.0.1
schema: v1
models:
  - name: scripted
    provider: openai
    model: gpt-4o
    apiBase: ${url}/v1
    apiKey: x
    capabilities: [tool_use]
`),
		env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_AUTO_UPDATED: '1' }),
	},
	kilo: {
		bin: join(bins.more, 'kilo'), words: (prompt) => ['run', '-m', 'scripted/scripted', prompt],
		setUp: (home, url) => put(home, '.config/kilo/kilo.json', { provider: { scripted: { npm: '@ai-sdk/openai-compatible',
			options: { baseURL: `${url}/v1`, apiKey: 'x' }, models: { scripted: { name: 'Scripted', tool_call: true } } } } }),
		env: () => ({ KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1', KILO_TELEMETRY: '0' }),
	},
	droid: {
		bin: join(bins.more, 'droid'), words: (prompt) => ['exec', '-m', 'custom:scripted-0', prompt],
		all: ['--auto', 'high'], shell: [['Execute'], (command) => ({ command, summary: 'As told', riskLevelReason: 'test',
			riskLevel: { value: 'low', reason: 'test' }, timeout: 60 })],
		setUp: (home, url) => put(home, '.factory/settings.json', { customModels: [{ model: 'scripted', displayName: 'scripted', id: 'custom:scripted-0',
			baseUrl: `${url}/v1`, apiKey: 'x', provider: 'generic-chat-completion-api' }] }),
		env: () => ({ FACTORY_API_KEY: 'fk-x', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' }),
	},
};

/** It has no MCP and is not connected: it asks by its shell. */
export const PI = {
	bin: join(bins.more, 'pi'), words: (prompt) => ['-p', prompt, '--provider', 'scripted', '--model', 'scripted', '--no-session'],
	setUp: (home, url) => put(home, '.pi/agent/models.json', { providers: { scripted: { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'x',
		models: [{ id: 'scripted' }] } } }),
	env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
};

for (const [name, agent] of Object.entries({ ...AGENTS, pi: PI })) {
	agent.name = name;
	agent.installed = existsSync(agent.bin);
}
