// JSON comes with --json alone: what every verb prints into a pipe.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, member } = server;

/* What they print is a file of JSON for another program, or another program's own shape. */
const FILES = ['receipt', 'key export', 'slack manifest', 'rule export'];
/* They wait, take a terminal, or are somebody's program. */
const APART = ['serve', 'mcp', 'mcp-gateway', 'inbox', 'watch', 'host', 'hook', 'gate', 'mail-in', 'connect', 'completion', 'help', 'login', 'open'];

/** Whether a text, or what is left behind its first line, is an object or a list. */
const isJson = (text) => [text, text.slice(text.indexOf('\n') + 1)].some((part) => {
	try {
		return typeof JSON.parse(part) === 'object';
	} catch {
		return false;
	}
});

test('no verb prints JSON that nobody asked for', async () => {
	const made = async (path, body) => {
		const reply = await admin.post(path, body);
		assert.equal(reply.status, 201, reply.text);
		return reply.body;
	};
	const { user } = (await member.get('/v1/me')).body;
	const rule = await made('/v1/rules', { effect: 'deny', match: { tool: ['never'] } });
	const held = await made('/v1/holds', { project: 'kept', reason: 'audit' });
	await made('/v1/teams', { name: 'ops', members: [{ user: user.id }] });
	await made('/v1/providers', { name: 'said', kind: 'script', script: [{ say: 'Done.' }], models: [{ id: 'any' }] });
	await made('/v1/agents', { name: 'walker', provider: 'said', model: 'any' });
	await admin.put('/v1/templates/go', { ask: { question: 'Go?' } });
	await admin.put('/v1/lists/places', { items: [{ id: 'a', label: 'A' }] });
	await admin.put('/v1/prices', { items: [{ id: 'any', price: { input: 1, output: 2 } }] });
	const open = await agent.ask({ question: 'Open?', type: 'boolean' });
	const settled = await agent.ask({ question: 'Settled?', type: 'boolean' });
	assert.equal((await member.post(`/v1/asks/${settled.id}/answer`, { answer: true })).status, 200);
	const rules = join(server.home, 'rules.json'), routes = join(server.home, 'routes.json');
	writeFileSync(rules, '[]');
	writeFileSync(routes, JSON.stringify((await admin.get('/v1/routes')).body));
	const words = { show: [open.id], wait: [settled.id], receipt: [settled.id], 'rule show': [rule.id], 'rule try': ['never'], 'rule apply': [rules], 'rule export': [],
		'rule add': ['allow', 'Read', '--shadow'], rehearse: [rules], 'team show': ['ops'], 'template show': ['go'], 'agent show': ['walker'], 'agent test': ['walker'],
		'provider test': ['said'], 'hold lift': [held.id], 'route try': [open.id], 'route set': [routes], claim: [open.id], snooze: [open.id, '1h'], extend: [open.id, '1h'],
		'token create': ['--role', 'agent', '--name', 'another'], 'user create': ['zoe'], policy: [], 'policy --mode': ['manual'], run: ['walker', 'Go'],
		ask: ['Now?', '--no-wait'], request: ['--tool', 'x', '--no-wait'], answer: [open.id, 'yes'], 'slack manifest': ['--socket'], 'workspace create': ['other'],
		pause: ['Enough', 'now'], 'template show --list': ['places'], 'insights --by': ['question'], 'key revoke': ['none', 'why'] };
	const names = (await server.run(['help', '--names'])).stdout.trim().split('\n');
	assert.ok(names.length > 90, `${names.length} verbs`);
	const wrong = [];
	let worked = 0;
	for (const name of new Set([...names, ...Object.keys(words)])) {
		if (APART.includes(name)) continue;
		const args = [...name.split(' '), ...(words[name] ?? [])];
		const { code, stdout } = await server.run(args, { input: '', env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.admin } });
		worked += code === 0;
		if (stdout && isJson(stdout) !== FILES.includes(name)) wrong.push(args.join(' '));
	}
	assert.deepEqual(wrong, []);
	assert.ok(worked > 50, `${worked} verbs did what they are for`);
});
