// Calls held for an MCP server and approvals in advance, in the terminal: the words, keys and order of the page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { StatelessClient } from '../api/lib/mcp.mjs';
import { until, useTerminals } from './lib.mjs';

const server = await useTerminals();
const { admin, agent, member } = server;
const github = await new McpServer({ tools: [tool('close_issue', { title: 'Close an issue', description: 'Closes it for good.' })] }).start();
after(() => github.stop());
assert.equal((await admin.post('/v1/mcp-servers', { name: 'github', url: github.url })).status, 201);
await admin.post('/v1/mcp-servers/github/test', {});

const env = { PARLEY_TOKEN: server.secrets.member };
const shown = async (id) => (await server.run(['show', id], { env: { ...env, PARLEY_URL: server.url, LANG: 'C.UTF-8' } })).stdout;
const session = (await agent.post('/v1/sessions', { title: 'Tidy up' })).body.id;
const lines = [{ key: 'close', tool: ['mcp__github__close_issue'], arguments: { '/repo': { is: 'web' } }, uses: 20 },
	{ key: 'pay', tool: ['mcp__bank__pay'], uses: 5, sum: { pointer: '/amount', max: 500 }, risk: 'high' }];

test('a held call: "Server says" is apart from "Agent says", and after the click the truth', async () => {
	const calling = new StatelessClient(server, server.secrets.agent).call('close_issue', { repo: 'web' }, {}, { path: '/mcp/github' });
	const ask = await until(async () => (await member.get('/v1/asks')).body.items.find(({ call }) => call), 'the ask');
	assert.match(await shown(ask.id), /wants to call {2}close_issue {2}on {2}github\n(.*\n)*\nServer says\n {2}Close an issue\n {2}Closes it for good\.\n/);
	for (const [columns, rows] of [[80, 24], [120, 40]]) {
		const inbox = await server.inbox({ columns, rows, env });
		await inbox.shows('close_issue');
		inbox.press('Enter');
		const seen = await inbox.shows('Closes it for good.');
		assert.ok(seen.indexOf('wants to call') < seen.indexOf('Server says'), seen);
		inbox.close();
	}
	await admin.answer(ask, { decision: 'approve' });
	await calling;
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).body.used_at !== null, true);
});

test('an approval in advance is a sentence for each line, and what is struck out is said', async () => {
	const made = (await agent.post('/v1/mandates', { title: 'Close stale issues', session, until: '2h', lines })).body;
	const card = await shown(made.ask);
	assert.match(card, /^Approval in advance$/m);
	assert.match(card, /^ {2}\[x\] mcp__github__close_issue where \/repo is web, 20 times, until .*\d\d:\d\d · medium risk$/m);
	assert.match(card, /^ {2}\[x\] mcp__bank__pay, 5 times, up to 500 of “amount” in all, until .* · high risk$/m);
	const inbox = await server.inbox({ columns: 100, rows: 40, env: { ...env, EDITOR: 'sed -i -e s/:.20$/:7/', VISUAL: '' } });
	await inbox.shows('Close stale issues');
	inbox.press('Enter');
	await inbox.armed('mcp__bank__pay');
	inbox.press('e');
	await inbox.shows('close_issue where /repo is web, 7');
	await inbox.armed('is web, 7');
	inbox.press('a');
	await inbox.armed('is web, 7');
	inbox.press('a');
	await until(async () => (await member.get(`/v1/mandates/${made.id}`)).body.status === 'live', 'live');
	inbox.close();
});

test('a session shows what is used of its approvals in advance, and ends them', async () => {
	const [mandate] = (await member.get(`/v1/mandates?session=${session}`)).body.items;
	await agent.post('/v1/decide', { session, operation: { type: 'mcp', name: 'mcp__github__close_issue', arguments: { repo: 'web' } } });
	const inbox = await server.inbox({ columns: 100, rows: 30, env: { PARLEY_TOKEN: server.secrets.admin } });
	inbox.press('g', 's');
	await inbox.shows('Tidy up');
	inbox.press('Enter');
	await inbox.shows(/Approval in advance: Close stale issues · until .* · E end\n.*1 of 7 used · mcp__github__close_issue/);
	inbox.press('E');
	await inbox.shows('End this approval in advance? y/N  “Close stale issues”');
	inbox.press('y');
	await inbox.shows('Approval in advance ended');
	await inbox.lacks('1 of 7 used');
	assert.equal((await member.get(`/v1/mandates/${mandate.id}`)).body.status, 'ended');
	inbox.close();
	const terminal = server.terminal(['mandate', 'show', mandate.id], { columns: 120 });
	await terminal.shows(/mcp__github__close_issue where \/repo is web · 1 of 7 used/);
	terminal.close();
});

test('in French', async () => {
	const made = (await agent.post('/v1/mandates', { title: 'Fermer', session, until: '2h', lines: lines.slice(0, 1) })).body;
	const inbox = await server.inbox({ columns: 80, lang: 'fr', env });
	await inbox.shows('Fermer');
	inbox.press('Enter');
	await inbox.shows(/\[x\] mcp__github__close_issue où \/repo .* web, 20 fois, fin\u00a0: /);
	inbox.close();
	await agent.post(`/v1/asks/${made.ask}/cancel`, {});
});
