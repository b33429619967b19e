#!/usr/bin/env node
// A fake MCP server on stdio, of either family: mcp_program.mjs LOG [FAMILY]. Every line that it gets goes to LOG; what its
// tools do is their name.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [log, family = '2025'] = process.argv.slice(2);
const note = (what) => appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const names = ['echo', 'env', 'long', 'noise', 'die', 'hang', 'slow'];
const locals = process.env.MCP_MORE?.split(',') ?? [];
names.push(...locals);
const text = (t) => ({ content: [{ type: 'text', text: t }] });
const results = {
	'server/discover': () => family === '2026' && { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
	initialize: () => family === '2025' && { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } },
	'tools/list': () => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { destructiveHint: false } })) }),
};
const tools = {
	echo: (args, id) => send({ id, result: text(JSON.stringify(args)) }),
	env: (args, id) => send({ id, result: text(Object.keys(process.env).sort().join()) }),
	long: () => { process.stdout.write('x'.repeat(9 << 20)); },
	noise: () => { for (let i = 0; i < 200; i++) process.stdout.write(`line ${i}\n`); },
	die: () => { process.stderr.write('no such folder\n'); process.exit(3); },
	hang: () => {},
	grow: (args, id) => { names.push('added'); send({ method: 'notifications/tools/list_changed' }); send({ id, result: text('grown') }); },
	slow: (args, id) => setTimeout(() => send({ id, result: text('late') }), args.ms),
};
note({ started: true });
process.stdin.on('end', () => note({ closed: true }));
createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	note({ method, params });
	if (id === undefined) return;
	if (method === 'tools/call') { tools[params.name](params.arguments, id); return; }
	const result = results[method]?.();
	send(result ? { id, result: family === '2026' ? { resultType: 'complete', ...result } : result } : { id, error: { code: -32601, message: 'no' } });
});
