// Programs that ask with the machine's own token: what they are called, and what rules call them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member } = server;
const machine = server.client(readFileSync(join(server.data, 'agent.token'), 'utf8').trim());

test('the user of the machine stands behind the program that asks', async () => {
	const headers = { 'parley-program': 'Claude Code', 'parley-machine-user': 'ada' };
	const asked = async (agent) => (await agent.post('/v1/asks', { kind: 'approval', title: 'Ship it?' }, { headers })).body;
	const shown = async (ask) => (await server.run(['show', ask.id], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.member } })).stdout;
	const [ask, named] = [await asked(machine), await asked(agent)];
	assert.deepEqual([ask.agent.name, ask.program, ask.machine_user], ['Claude Code', 'Claude Code', 'ada']);
	assert.match(await shown(ask), /^Claude Code \(ada\) /m);
	assert.match(await shown(named), /^builder · Claude Code \(ada\) /m);
	for (const one of [ask, named]) await member.answer(one, { decision: 'approve' });
	assert.match(await shown(ask), /^Claude Code \(ada\) /m, 'after it, too');
	const without = (await machine.post('/v1/asks', { kind: 'approval', title: 'Ship it?' }, { headers: { 'parley-machine-user': 'ada' } })).body;
	assert.deepEqual([without.agent.name, without.machine_user], ['local', undefined]);
	await member.answer(without, { decision: 'reject' });
});

test('rules and stops fit the program that is shown as the agent', async () => {
	const headers = { 'parley-program': 'Claude Code' };
	const operation = (command) => ({ type: 'tool', name: 'Bash', arguments: { command } });
	const asked = async (command, agent = machine, more = headers) =>
		(await agent.post('/v1/asks', { kind: 'approval', operation: operation(command) }, { headers: more })).body;
	const decided = async (more = headers) => (await machine.post('/v1/decide', { operation: operation('make fits') }, { headers: more })).body;
	const before = await asked('make fits');
	const rule = (await member.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(make fits)'], agent: 'Claude Code' } })).body;
	assert.equal(rule.waiting, 1);
	assert.equal((await member.get(`/v1/asks/${before.id}`)).body.denied_by.rule, rule.id);
	assert.equal((await asked('make fits')).status, 'answered');
	assert.equal((await decided()).rule, rule.id);
	for (const other of [await asked('make fits', machine, {}), await asked('make fits', machine, { 'parley-program': 'Codex' }), await asked('make fits', agent)])
		assert.equal(other.status, 'pending', other.agent.name);
	assert.notEqual((await decided({})).rule, rule.id);
	await member.delete(`/v1/rules/${rule.id}`);

	const stop = (await member.post('/v1/stops', { match: { agent: 'Claude Code' }, reason: 'wait' })).body;
	assert.equal((await decided()).stop, stop.id);
	assert.equal((await asked('make more')).stopped.id, stop.id);
	assert.equal((await decided({})).stop, null);
	await member.delete(`/v1/stops/${stop.id}`);

	const settled = await member.post(`/v1/asks/${before.id}/answer`, { answers: { decision: 'approve' }, scope: { for: '15m' } });
	const made = (await member.get(`/v1/rules/${settled.body.rule}`)).body;
	assert.equal(made.match.agent, 'Claude Code');
	assert.equal((await asked('make fits')).answered_by.rule, made.id);
	assert.equal((await asked('make fits', machine, { 'parley-program': 'Codex' })).status, 'pending');
	await member.delete(`/v1/rules/${made.id}`);
});

test('a list of an agent\'s asks goes by the name that is shown, for people; an agent of that name sees its own alone', async () => {
	const headers = { 'parley-program': 'Codex' };
	const ask = (await machine.post('/v1/asks', { kind: 'approval', title: 'Ship it?' }, { headers })).body;
	const named = server.client(await server.token('agent', 'Codex'));
	const listed = async (who, query) => (await who.get(`/v1/asks${query}`)).body.items.map((one) => one.id);
	assert.ok((await listed(member, '?agent=Codex')).includes(ask.id));
	assert.ok((await listed(machine, '')).includes(ask.id), 'by the token that asked');
	assert.deepEqual([await listed(named, ''), await listed(named, '?agent=Codex')], [[], []]);
	await member.answer(ask, { decision: 'reject' });
	assert.ok((await listed(member, '?agent=Codex&status=settled')).includes(ask.id));
});
