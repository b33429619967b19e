// opencode's own server: the questions and permissions that it holds are asked in its dialect, and it goes on
// with the reply as it comes. It takes minutes to start without a network: only when agents are named.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { captured, packageAt } from './captured.mjs';
import { Desk, WORDS, chosen, plain, serverFor, settle, until } from './lib.mjs';
import { say, use } from '../lib/script_model.mjs';

const [agent] = process.env.PARLEY_AGENTS ? chosen(AGENTS).filter(({ name }) => name === 'opencode') : [];
const server = await serverFor(agent ? [agent] : []);

describe('opencode serve', { skip: !agent?.installed && 'not named or not installed' }, () => {
	let desk, child, base;
	before(async () => {
		desk = new Desk(server, agent);
		await desk.open(null);
		agent.setUp(desk.home, desk.model.url, { permission: { bash: 'ask' } });
		child = spawn(agent.bin, ['serve', '--port', '0', '--hostname', '127.0.0.1'], { env: desk.env(), cwd: desk.work });
		let said = '';
		child.stdout.on('data', (bytes) => { said += bytes; });
		base = await until(() => /http:\/\/127\S+/.exec(said)?.[0], 'it listens', 300_000);
	});
	after(() => {
		child?.kill('SIGKILL');
		return desk?.close();
	});

	const call = async (method, path, body) => {
		const reply = await fetch(`${base}${path}`, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
		assert.ok(reply.ok, `${path}: ${reply.status}`);
		const text = await reply.text();
		return text ? JSON.parse(text) : null;
	};
	/** One turn, which stops at `place` ("question" or "permission") and goes on once that is settled so. */
	const turn = async (place, first, how, body) => {
		desk.model.follow(first, (last) => say(`I got ${last}`));
		const known = desk.model.results.length;
		const { id } = await call('POST', '/session', {});
		await call('POST', `/session/${id}/prompt_async`, { parts: [{ type: 'text', text: 'Go on.' }], model: { providerID: 'scripted', modelID: 'scripted' } });
		const held = await until(async () => (await call('GET', `/${place}`)).find(({ sessionID }) => sessionID === id), `its ${place}`, 300_000);
		captured(`opencode-${place}`, { dialect: 'opencode', from: packageAt('.', 'opencode-ai'), request: held, answer: place === 'question' ? 'SQLite' : undefined });
		const made = await server.agent.post('/v1/asks?dialect=opencode', held);
		assert.equal(made.status, 201, made.text);
		await settle(server, made.body, how, body);
		const { reply } = (await server.agent.get(`/v1/asks/${made.body.id}?dialect=opencode`)).body;
		if (place === 'permission') await call('POST', `/permission/${held.id}/reply`, reply);
		else if (reply.status) await call('POST', `/question/${held.id}/reject`);
		else await call('POST', `/question/${held.id}/reply`, reply);
		await until(() => desk.model.results.length > known || desk.model.missing, 'that it goes on', 300_000);
		return plain(desk.model.results.slice(known).join());
	};
	const question = () => use('question', { questions: [{ question: 'Which one?', header: 'Database',
		options: [{ label: 'SQLite', description: 'A file' }, { label: 'PostgreSQL', description: 'A server' }] }] });
	const command = (file) => () => use('bash', { command: `echo ran > ${file}`, description: 'As told' });
	const ran = (file) => existsSync(join(desk.work, file));

	test('its question has the exact words of a person', async () => {
		assert.ok((await turn('question', question, 'answer', { answer: { other: WORDS } })).includes(WORDS));
	});

	test('its command runs when it was approved, and not when it was rejected or skipped', async () => {
		await turn('permission', command('approved.txt'), 'answer', { answers: { decision: 'approve' } });
		assert.ok(ran('approved.txt'));
		await turn('permission', command('skipped.txt'), 'skip', { reason: 'Later' });
		await turn('permission', command('rejected.txt'), 'answer', { answers: { decision: 'reject' } });
		assert.ok(!ran('rejected.txt') && !ran('skipped.txt'));
	});
});
