// Real agents, unmodified: a fresh home, `parley connect NAME`, and the agent's own headless run asks,
// waits, survives, and gets the exact words back. The model behind it follows a script.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, Interview, WORDS, asked, byText, chosen, question, restart, serverFor, settle, until } from './lib.mjs';
import { use } from '../lib/script_model.mjs';

const agents = chosen(AGENTS);
const server = await serverFor(agents, { keepPort: true });
const CALLS = 10;

for (const agent of agents) {
	// One run asks all of it, one after the other: to start costs some of them more than to ask.
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const texts = ['Which one', 'Skipped', 'Across', 'Later'].map((text) => `${text}, ${agent.name}?`);
		const [which, skipped, across, later] = texts;
		const interview = new Interview(texts.map((text) => () => use('ask_user_question', question(text))));
		const desk = new Desk(server, agent);
		let running;
		before(async () => {
			await desk.open([], ...interview.turns);
			running = desk.go();
		});
		after(() => desk.close());
		const came = (n) => interview.came(n, desk, running);

		test('asks and has the exact words', async () => {
			await settle(server, await asked(server, byText(which), running), 'answer', { answer: { other: WORDS } });
			assert.ok((await came(0)).includes(WORDS), interview.said[0]);
		});

		test('reads a skip as a skip', async () => {
			await settle(server, await asked(server, byText(skipped), running), 'skip', { reason: 'Not now' });
			assert.match(await came(1), /skipped/i);
		});

		test('comes through a kill -9 of the server', async () => {
			const ask = await asked(server, byText(across), running);
			await restart(server, ['--mcp-wait', '1s']);
			const again = await asked(server, byText(across), running);
			assert.equal(again.id, ask.id);
			await settle(server, again, 'answer', { answer: 'PostgreSQL' });
			assert.match(await came(2), /PostgreSQL/);
		});

		// Short calls, now. Some stop a model that makes the same call again and again: these count.
		test('waits beyond the time of ten calls', async () => {
			const ask = await asked(server, byText(later), running);
			await until(() => interview.said[3] !== undefined || interview.pending[3] >= CALLS, 'ten calls that came back pending', 300_000);
			await settle(server, ask, 'answer', { answer: { other: WORDS } });
			assert.ok((await came(3)).includes(WORDS), interview.said[3]);
			assert.ok(interview.pending[3] >= CALLS, interview.said[3]);
		});

		test('ends well', async () => {
			const { code, killed, stdout, stderr } = await running;
			assert.deepEqual({ code, killed }, { code: 0, killed: false }, `${stdout}\n${stderr}`);
			await restart(server);
		});
	});
}
