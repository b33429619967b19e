// `parley host` with the real Claude Code: it asks, and whoever sits at this terminal answers.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useTerminals } from '../tui/lib.mjs';
import { bin, question } from './lib.mjs';
import { TurnModel, say, use } from '../lib/script_model.mjs';

const server = await useTerminals();

test('Claude Code asks, the dialog opens over it, the answer is the text of the strict rules', async (t) => {
	const model = await new TurnModel(() => use('mcp__parley__ask_user_question', question('Which database shall I use?')), () => say('I go on.')).start();
	t.after(() => model.stop?.());
	const home = mkdtempSync(join(server.home, 'claude-'));
	/* In a folder of its own: it reads the settings, notes and history of the one it is in. */
	const terminal = server.terminal(`cd ${home} && "$PARLEY" host -- ${bin('claude')} -p 'Go on.' --strict-mcp-config`
		+ ' --allowedTools mcp__parley', { columns: 100, env: {
		HOME: home, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-test',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1',
		DISABLE_AUTOUPDATER: '1', DISABLE_UPDATES: '1', ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: 'false' } });
	await terminal.shows('Which database shall I use?', 60_000);
	await terminal.armed('( ) 1');
	terminal.press('Enter');
	const seen = await terminal.shows('exit 0', 60_000);
	assert.match(seen, /I go on\./);
	assert.match(JSON.stringify(model.results[0]), /Collected answers:/);
});
