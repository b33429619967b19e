// Real agents with `parley connect NAME --hook`, everything else allowed: nothing runs that nobody approved.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, Interview, asked, byCommand, byText, chosen, question, serverFor, settle } from './lib.mjs';
import { use } from '../lib/script_model.mjs';

const agents = chosen(AGENTS).filter(({ all }) => all);
const server = await serverFor(agents, { keepPort: true });
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

for (const agent of agents) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));
		const [tools, input] = agent.shell;
		const command = (line) => () => use(tools, input(line));
		/** An agent with its hook; prepare(desk): before it runs. */
		const start = async (interview, prepare = () => {}) => {
			const desk = new Desk(server, agent);
			desks.push(desk);
			await desk.open(['--hook'], ...interview.turns);
			await prepare(desk);
			return { desk, running: desk.go(agent.all) };
		};
		const ran = (desk, file) => existsSync(join(desk.work, file));

		// One run: to start costs some of them more than to ask.
		describe('decided by a person', () => {
			const text = `Asked past the hook, ${agent.name}?`;
			const interview = new Interview([command('echo yes > approved.txt'), command('echo no > rejected.txt'), command('echo one > original.txt'),
				() => use('ask_user_question', question(text))]);
			const edit = (operation, line) => JSON.parse(JSON.stringify(operation.arguments).replace(/"(command|cmd)":"[^"]*"/, `"$1":"${line}"`));
			let desk;
			let running;
			before(async () => { ({ desk, running } = await start(interview)); });
			const came = (n) => interview.came(n, desk, running);

			test('runs what was approved, in a session of its own name', async () => {
				const ask = await asked(server, byCommand('approved.txt'), running);
				const { title } = (await server.member.get(`/v1/sessions/${ask.session}`)).body;
				await settle(server, ask, 'answer', { answer: 'approve' });
				const said = await came(0);
				assert.equal(ran(desk, 'approved.txt') && readFileSync(join(desk.work, 'approved.txt'), 'utf8'), 'yes\n', said);
				assert.match(title.toLowerCase(), new RegExp(agent.name === 'droid' ? 'factory droid' : agent.name));
				await settled(ask);
			});

			test('does not run what was rejected, and says why', async () => {
				const ask = await asked(server, byCommand('rejected.txt'), running);
				await settle(server, ask, 'answer', { answer: { value: 'reject', text: 'Not on a Friday' } });
				assert.match(await came(1), /Not on a Friday/);
				assert.equal(ran(desk, 'rejected.txt'), false);
			});

			test('runs what the person made of it, or nothing', async () => {
				const ask = await asked(server, byCommand('original.txt'), running);
				await settle(server, ask, 'answer', { answer: { value: 'approve', arguments: edit(ask.operation, 'echo two > edited.txt') } });
				const said = await came(2);
				assert.equal(ran(desk, 'original.txt'), false, said);
				assert.equal(ran(desk, 'edited.txt'), !NO_EDIT.includes(agent.name), said);
			});

			test('asks a person without an approval of the asking', async () => {
				const ask = await asked(server, (one) => byText(text)(one) || JSON.stringify(one.operation ?? {}).includes(text), running);
				assert.equal(ask.kind, 'blocking');
				await settle(server, ask, 'answer', { answer: 'SQLite' });
				assert.match(await came(3), /SQLite/);
				assert.equal((await running).killed, false);
				assert.equal(ran(desk, 'rejected.txt') || ran(desk, 'original.txt'), false);
			});
		});

		test('does not run what nobody decides', async () => {
			const interview = new Interview([command('echo silence > silence.txt')]);
			const { desk, running } = await start(interview, hurry);
			const ask = await asked(server, byCommand('silence.txt'), running);
			await running;
			assert.equal(ran(desk, 'silence.txt'), false, interview.said[0]);
			await interview.came(0, desk, running);
			assert.equal((await server.member.get(`/v1/asks/${ask.id}`)).body.status, 'cancelled');
		});

		// One agent for all: what decides is the server's, and their hooks ask the same of it.
		test('rules and a stop decide before people do', { skip: agent.name !== 'claude' && 'Claude Code stands for all' }, async () => {
			const rule = async (effect, tool, note) => (await server.admin.post('/v1/rules', { effect, note, match: { tool: [tool] } })).body;
			const rules = [await rule('allow', 'Bash(touch by-rule*)', 'harmless'), await rule('deny', 'Bash(touch never*)', 'never on this disk')];
			const earlier = (await server.member.get('/v1/asks?status=all&limit=200')).body.items.length;
			let stop;
			const interview = new Interview([command('touch by-rule.txt'), command('touch never.txt'), async () => {
				stop = (await server.member.post('/v1/stops', { reason: 'wrong branch' })).body;
				return use(tools, input('touch by-rule-stopped.txt'));
			}]);
			const { desk, running } = await start(interview);
			const [allowed, denied, stopped] = [await interview.came(0, desk, running), await interview.came(1, desk, running), await interview.came(2, desk, running)];
			assert.equal(ran(desk, 'by-rule.txt'), true, allowed);
			assert.match(denied, /never on this disk/);
			assert.equal(ran(desk, 'never.txt'), false);
			assert.match(stopped, /wrong branch/);
			assert.equal(ran(desk, 'by-rule-stopped.txt'), false);
			assert.equal((await server.member.get('/v1/asks?status=all&limit=200')).body.items.length, earlier, 'nobody was asked');
			assert.equal((await server.admin.delete(`/v1/stops/${stop.id}`)).status, 204);
			for (const { id } of rules) await server.admin.delete(`/v1/rules/${id}`);
		});

		test('does not run without a server', async () => {
			const interview = new Interview([command('echo away > away.txt')]);
			const { desk, running } = await start(interview, async (one) => {
				await one.connect(['--hook', '--remove']);
				await one.connect(['--hook', '--url', 'http://127.0.0.1:9']);
			});
			const { killed, stdout, stderr } = await running;
			// First of all: whatever else goes wrong must not hide that it ran.
			assert.equal(ran(desk, 'away.txt'), false, interview.said[0]);
			assert.equal(killed, false, `${stdout}\n${stderr}`);
			await interview.came(0, desk, running);
		});
	});
}

async function settled(ask) {
	const used = await server.agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest });
	assert.equal(used.status, 409, 'the approval is used up');
}
