// Real agents, unmodified: a fresh home, `parley connect NAME`, and the agent's own headless run asks,
// waits, survives, and gets the exact words back. The model behind it follows a script.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, WORDS, asked, byText, chosen, follow, plain, question, restart, settle, useServer } from './lib.mjs';
import { use } from './model.mjs';

const server = await useServer({ keepPort: true, flags: ['--mcp-wait', '4s'] });

for (const agent of chosen(AGENTS)) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));
		const open = async (text, ...turns) => {
			const desk = new Desk(server, agent);
			desks.push(desk);
			return desk.open([], () => use('ask_user_question', question(text)), ...turns, follow, follow, follow, follow);
		};
		const finish = async (desk, running) => {
			const { code, killed, stdout, stderr } = await running;
			assert.equal(killed, false, `${stdout}\n${stderr}`);
			assert.equal(code, 0, `${stdout}\n${stderr}`);
			assert.ok(desk.model.results.length, `${JSON.stringify(desk.model.missing)}\n${stdout}\n${stderr}`);
			return plain(desk.model.results.at(-1));
		};

		test('asks and has the exact words', async () => {
			const text = `Which one, ${agent.name}?`;
			const desk = await open(text);
			const running = desk.go();
			await settle(server, await asked(server, byText(text), running), 'answer', { answer: { other: WORDS } });
			assert.ok((await finish(desk, running)).includes(WORDS), desk.model.results.join());
			assert.equal(desk.model.results.length, 1);
		});

		test('waits beyond the time of one call', async () => {
			const text = `Later, ${agent.name}?`;
			const desk = await open(text);
			const running = desk.go();
			const ask = await asked(server, byText(text), running);
			await new Promise((resolve) => { setTimeout(resolve, 6500); });
			await settle(server, ask, 'answer', { answer: { other: WORDS } });
			assert.ok((await finish(desk, running)).includes(WORDS), desk.model.results.join());
			assert.ok(desk.model.results.length > 1, desk.model.results.join());
		});

		test('comes through a kill -9 of the server', async () => {
			const text = `Across, ${agent.name}?`;
			const desk = await open(text);
			const running = desk.go();
			const ask = await asked(server, byText(text), running);
			await restart(server);
			const again = await asked(server, byText(text), running);
			assert.equal(again.id, ask.id);
			await settle(server, again, 'answer', { answer: 'PostgreSQL' });
			assert.match(await finish(desk, running), /PostgreSQL/);
		});

		test('reads a skip as a skip', async () => {
			const text = `Skipped, ${agent.name}?`;
			const desk = await open(text);
			const running = desk.go();
			await settle(server, await asked(server, byText(text), running), 'skip', { reason: 'Not now' });
			assert.match(await finish(desk, running), /skipped/i);
		});
	});
}
