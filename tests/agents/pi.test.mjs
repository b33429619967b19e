// pi, unmodified. It has no MCP: its model asks with `parley ask` and `parley gate` in the shell.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { PI } from './agents.mjs';
import { BIN, Desk, WORDS, asked, byText, chosen, restart, serverFor, settle } from './lib.mjs';
import { say, use } from '../lib/script_model.mjs';

const agents = chosen({ pi: PI });
const server = await serverFor(agents, { keepPort: true });

for (const agent of agents) {
	describe('pi', { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));
		/** One command in its shell; → what its model read of it, once it has ended. */
		const start = async (command) => {
			const desk = new Desk(server, agent);
			desks.push(desk);
			await desk.open(null, () => use('bash', { command }), (last) => say(`I got ${last}`));
			const running = desk.go([], { env: desk.env({ PARLEY_URL: server.url }) });
			return { desk, running, read: async () => {
				const { code, killed, stdout, stderr } = await running;
				assert.equal(killed, false, `${stdout}\n${stderr}`);
				assert.equal(code, 0, `${stdout}\n${stderr}`);
				assert.ok(desk.model.results.length, `${JSON.stringify(desk.model.missing)}\n${stdout}\n${stderr}`);
				return desk.model.results.at(-1);
			} };
		};
		const ask = (text) => start(`${BIN} ask '${text}' -c SQLite -c PostgreSQL --other`);

		test('asks and has the exact words', async () => {
			const { running, read } = await ask('Which one, pi?');
			await settle(server, await asked(server, byText('Which one, pi?'), running), 'answer', { answer: { other: WORDS } });
			assert.ok((await read()).includes(WORDS));
		});

		test('comes through a kill -9 of the server', async () => {
			const { running, read } = await ask('Across, pi?');
			const found = await asked(server, byText('Across, pi?'), running);
			await restart(server);
			const again = await asked(server, byText('Across, pi?'), running);
			assert.equal(again.id, found.id);
			await settle(server, again, 'answer', { answer: 'PostgreSQL' });
			assert.match(await read(), /PostgreSQL/);
		});

		test('reads a skip as a skip', async () => {
			const { running, read } = await ask('Skipped, pi?');
			await settle(server, await asked(server, byText('Skipped, pi?'), running), 'skip', { reason: 'Not now' });
			assert.match(await read(), /skipped/i);
		});

		test('runs what was approved, and not what was rejected', async () => {
			for (const [answer, file] of [['approve', 'approved.txt'], [{ value: 'reject', text: 'Not on a Friday' }, 'rejected.txt']]) {
				const { desk, running, read } = await start(`${BIN} gate -- touch ${file}`);
				await settle(server, await asked(server, (one) => JSON.stringify(one.operation ?? {}).includes(file), running), 'answer', { answer });
				const said = await read();
				assert.equal(existsSync(join(desk.work, file)), file === 'approved.txt', said);
				if (file === 'rejected.txt') assert.match(said, /Not on a Friday/);
			}
		});
	});
}
