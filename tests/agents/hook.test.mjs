// Real agents with `parley connect NAME --hook`, everything else allowed: nothing runs that nobody approved.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, asked, byCommand, byText, chosen, question, settle, useServer } from './lib.mjs';
import { say, use } from './model.mjs';

const server = await useServer({ keepPort: true });
/** Those that cannot take back what a person edited. */
const NO_EDIT = ['qwen'];

/** Shortens the wait for a person, as one would who edits the file, and connects again. */
async function hurry(desk) {
	for (const name of readdirSync(desk.home, { recursive: true })) {
		const path = join(desk.home, name);
		if (!name.endsWith('.json') || !statSync(path).isFile()) continue;
		const text = readFileSync(path, 'utf8');
		if (text.includes('--wait 10m')) writeFileSync(path, text.replace('--wait 10m', '--wait 3s'));
	}
	await desk.connect(['--hook']);
}

for (const agent of chosen(AGENTS).filter(({ all }) => all)) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));
		const [tools, input] = agent.shell;
		const open = async (command, ...turns) => {
			const desk = new Desk(server, agent);
			desks.push(desk);
			return desk.open(['--hook'], () => use(tools, input(command)), ...turns, (last) => say(`I got ${last}`));
		};
		const finish = async (desk, running) => {
			const { code, killed, stdout, stderr } = await running;
			assert.equal(killed, false, `${stdout}\n${stderr}`);
			assert.ok(desk.model.results.length, `${JSON.stringify(desk.model.missing)}\n${code}\n${stdout}\n${stderr}`);
			return desk.model.results.at(-1);
		};
		const ran = (desk, file) => existsSync(join(desk.work, file));
		const edit = (operation, command) => JSON.parse(JSON.stringify(operation.arguments).replace(/"(command|cmd)":"[^"]*"/, `"$1":"${command}"`));

		test('runs what was approved, in a session of its own name', async () => {
			const desk = await open('echo yes > approved.txt');
			const running = desk.go(agent.all);
			const ask = await asked(server, byCommand('approved.txt'), running);
			const { title } = (await server.member.get(`/v1/sessions/${ask.session}`)).body;
			await settle(server, ask, 'answer', { answer: 'approve' });
			await finish(desk, running);
			assert.equal(ran(desk, 'approved.txt') && readFileSync(join(desk.work, 'approved.txt'), 'utf8'), 'yes\n', desk.model.results.join());
			assert.match(title.toLowerCase(), new RegExp(agent.name === 'droid' ? 'factory droid' : agent.name));
			await settled(ask);
		});

		test('does not run what was rejected, and says why', async () => {
			const desk = await open('echo no > rejected.txt');
			const running = desk.go(agent.all);
			const ask = await asked(server, byCommand('rejected.txt'), running);
			await settle(server, ask, 'answer', { answer: { value: 'reject', text: 'Not on a Friday' } });
			assert.match(await finish(desk, running), /Not on a Friday/);
			assert.equal(ran(desk, 'rejected.txt'), false);
		});

		test('runs what the person made of it, or nothing', async () => {
			const desk = await open('echo one > original.txt');
			const running = desk.go(agent.all);
			const ask = await asked(server, byCommand('original.txt'), running);
			await settle(server, ask, 'answer', { answer: { value: 'approve', arguments: edit(ask.operation, 'echo two > edited.txt') } });
			await finish(desk, running);
			assert.equal(ran(desk, 'original.txt'), false, desk.model.results.join());
			assert.equal(ran(desk, 'edited.txt'), !NO_EDIT.includes(agent.name), desk.model.results.join());
		});

		test('does not run what nobody decides', async () => {
			const desk = await open('echo silence > silence.txt');
			await hurry(desk);
			const running = desk.go(agent.all);
			const ask = await asked(server, byCommand('silence.txt'), running);
			await running;
			assert.equal(ran(desk, 'silence.txt'), false, desk.model.results.join());
			await finish(desk, running);
			assert.equal((await server.member.get(`/v1/asks/${ask.id}`)).body.status, 'cancelled');
		});

		test('asks a person without an approval of the asking', async () => {
			const text = `Asked past the hook, ${agent.name}?`;
			const desk = new Desk(server, agent);
			desks.push(desk);
			await desk.open(['--hook'], () => use('ask_user_question', question(text)), (last) => say(`I got ${last}`));
			const running = desk.go(agent.all);
			const ask = await asked(server, (one) => byText(text)(one) || JSON.stringify(one.operation ?? {}).includes(text), running);
			assert.equal(ask.kind, 'blocking');
			await settle(server, ask, 'answer', { answer: 'SQLite' });
			assert.match(await finish(desk, running), /SQLite/);
		});

		// One agent for all: what decides is the server's, and their hooks ask the same of it.
		test('rules and a stop decide before people do', { skip: agent.name !== 'claude' && 'Claude Code stands for all' }, async () => {
			const rule = async (effect, tool, note) => (await server.admin.post('/v1/rules', { effect, note, match: { tool: [tool] } })).body;
			const rules = [await rule('allow', 'Bash(touch by-rule*)', 'harmless'), await rule('deny', 'Bash(touch never*)', 'never on this disk')];
			const before = (await server.member.get('/v1/asks?status=all&limit=200')).body.items.length;
			const tried = async (command) => {
				const desk = await open(command);
				return [await finish(desk, desk.go(agent.all)), desk];
			};
			const [, allowed] = await tried('touch by-rule.txt');
			assert.equal(ran(allowed, 'by-rule.txt'), true, allowed.model.results.join());
			const [denied, no] = await tried('touch never.txt');
			assert.match(denied, /never on this disk/);
			assert.equal(ran(no, 'never.txt'), false);
			const stop = (await server.member.post('/v1/stops', { reason: 'wrong branch' })).body;
			const [stopped, held] = await tried('touch by-rule.txt');
			assert.match(stopped, /wrong branch/);
			assert.equal(ran(held, 'by-rule.txt'), false);
			assert.equal((await server.member.get('/v1/asks?status=all&limit=200')).body.items.length, before, 'nobody was asked');
			assert.equal((await server.admin.delete(`/v1/stops/${stop.id}`)).status, 204);
			for (const { id } of rules) await server.admin.delete(`/v1/rules/${id}`);
		});

		test('does not run without a server', async () => {
			const desk = await open('echo away > away.txt');
			await desk.connect(['--hook', '--remove']);
			await desk.connect(['--hook', '--url', 'http://127.0.0.1:9']);
			const running = desk.go(agent.all);
			await running;
			// First of all: whatever else goes wrong must not hide that it ran.
			assert.equal(ran(desk, 'away.txt'), false, desk.model.results.join());
			await finish(desk, running);
		});
	});
}

async function settled(ask) {
	const used = await server.agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });
	assert.equal(used.status, 409, 'the approval is used up');
}
