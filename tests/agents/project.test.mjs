// Real agents, unmodified: `parley connect NAME --project` in a folder, and the agent that runs there asks.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, WORDS, asked, byText, chosen, follow, plain, question, run, serverFor, settle } from './lib.mjs';
import { use } from '../lib/script_model.mjs';

/** Those without a file of a project. */
const NONE = ['cline', 'continue'];
const agents = chosen(AGENTS).filter(({ name }) => !NONE.includes(name));
const server = await serverFor(agents);

for (const agent of agents) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));

		test('asks when it is connected in the project alone', async () => {
			const text = `In a project, ${agent.name}?`;
			const desk = new Desk(server, agent);
			desks.push(desk);
			await run('git', ['init', '-q'], { env: desk.env(), cwd: desk.work });
			await desk.open(['--project'], () => use('ask_user_question', question(text)), follow, follow);
			assert.ok(readdirSync(desk.work).length > 1);
			await agent.trust?.(desk);
			const running = desk.go();
			await settle(server, await asked(server, byText(text), running), 'answer', { answer: { other: WORDS } });
			const { code, stdout, stderr } = await running;
			assert.equal(code, 0, `${stdout}\n${stderr}`);
			assert.ok(plain(desk.model.results.at(-1)).includes(WORDS), desk.model.results.join());
		});
	});
}
