// Real frameworks, unmodified: an agent made with each asks through Parley's tools, waits, survives a
// kill -9, and gets the exact words back; a tool that needs an approval is decided in the framework's dialect.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { captured, packageAt } from './captured.mjs';
import { BIN, WORDS, asked, byText, chosen, follow, plain, question, restart, serverFor, settle, until } from './lib.mjs';
import { TurnModel, say, use } from '../lib/script_model.mjs';
import { SDKS } from './sdks.mjs';

const sdks = chosen(SDKS);
const server = await serverFor(sdks, { keepPort: true, flags: ['--mcp-wait', '4s'] });
/** How long a framework's client waits for one call where that can be set, in the test of it. */
const SHORT_MS = 8000;

for (const sdk of sdks) {
	describe(sdk.name, { skip: !sdk.installed && 'not installed' }, async () => {
		const driver = sdk.installed ? await sdk.load() : {};
		const models = [];
		after(() => models.forEach((model) => model.stop()));
		const begin = async (...turns) => {
			const model = await new TurnModel(...turns).start();
			models.push(model);
			return { model, home: mkdtempSync(join(server.home, `${sdk.name}-`)) };
		};
		const ways = (home) => ({
			stdio: { command: BIN, args: ['mcp', '--url', server.url],
				env: { PATH: process.env.PATH, HOME: home, PARLEY_TOKEN: server.secrets.agent } },
			http: { url: `${server.url}/mcp`, headers: { Authorization: `Bearer ${server.secrets.agent}` } },
		});
		const ask = async (text, way, more = {}) => {
			const { model, home } = await begin(() => use('ask_user_question', question(text)), ...Array(6).fill(follow));
			const running = driver.ask({ model: model.url, home, [way]: ways(home)[way], ...more });
			// Whoever waits for the ask learns that it ended without one.
			const ended = running.then(() => ({ stdout: JSON.stringify(model.missing ?? model.results), stderr: String(model.error ?? '') }),
				(error) => ({ stdout: '', stderr: String(error.stack) }));
			return { model, ended, finish: async () => {
				await running;
				assert.ok(model.results.length, JSON.stringify(model.missing));
				return plain(model.results.at(-1));
			} };
		};

		describe('asks', { skip: !driver.ask && 'it has no tools of its own' }, () => {
			for (const way of ['stdio', 'http']) {
				test(`asks by ${way} and has the exact words`, async () => {
					const text = `Which one, ${sdk.name}, by ${way}?`;
					const { ended, finish, model } = await ask(text, way);
					await settle(server, await asked(server, byText(text), ended), 'answer', { answer: { other: WORDS } });
					assert.ok((await finish()).includes(WORDS), model.results.join());
				});
			}

			test('waits beyond the time-out of its own client', async () => {
				const text = `Later, ${sdk.name}?`;
				const { ended, finish, model } = await ask(text, 'stdio', { timeoutMs: SHORT_MS });
				const found = await asked(server, byText(text), ended);
				// Three calls of 4 s each: together longer than its time-out.
				await until(() => model.results.length > 2, 'three calls that came back', 300_000);
				await settle(server, found, 'answer', { answer: { other: WORDS } });
				assert.ok((await finish()).includes(WORDS), model.results.join());
			});

			test('comes through a kill -9 of the server', async () => {
				const text = `Across, ${sdk.name}?`;
				const { ended, finish } = await ask(text, 'stdio');
				const found = await asked(server, byText(text), ended);
				await restart(server);
				const again = await asked(server, byText(text), ended);
				assert.equal(again.id, found.id);
				await settle(server, again, 'answer', { answer: 'PostgreSQL' });
				assert.match(await finish(), /PostgreSQL/);
			});

			test('reads a skip as a skip', async () => {
				const text = `Skipped, ${sdk.name}?`;
				const { ended, finish } = await ask(text, 'stdio');
				await settle(server, await asked(server, byText(text), ended), 'skip', { reason: 'Not now' });
				assert.match(await finish(), /skipped/i);
			});
		});

		describe('approvals', { skip: !driver.approval && 'it has none' }, () => {
			/** One tool call that needs an approval, to its end. */
			const decided = async (how, body, between = () => {}) => {
				const ran = [];
				const { model, home } = await begin(() => use(driver.tool ?? 'send', driver.input ?? { to: 'ada', text: 'Hi' }), (last) => say(`I got ${last}`));
				let failed; // frameworks may take an error for a no
				const decide = async (stopped) => {
					captured(`${sdk.name}-approval`, { dialect: driver.dialect, from: packageAt('sdks', sdk.package), request: stopped });
					const made = await server.agent.post(`/v1/asks?dialect=${driver.dialect}`, stopped);
					assert.equal(made.status, 201, `${made.text}\n${JSON.stringify(stopped)}`);
					assert.deepEqual(made.body.operation.arguments, driver.input ?? { to: 'ada', text: 'Hi' });
					await between();
					await settle(server, made.body, how, body);
					return (await server.agent.get(`/v1/asks/${made.body.id}?dialect=${driver.dialect}`)).body.reply;
				};
				const said = await driver.approval({ model: model.url, home, execute: async ({ to, text }) => {
					ran.push({ to, text });
					return 'sent';
				}, decide: (stopped) => decide(stopped).catch((error) => {
					failed = error;
					throw error;
				}) });
				assert.ifError(failed);
				return { ran, said: said ?? plain(model.results.join()) };
			};

			test('runs what was approved, also after a kill -9 of the server', async () => {
				assert.deepEqual((await decided('answer', { answer: 'approve' })).ran, [{ to: 'ada', text: 'Hi' }]);
				assert.equal((await decided('answer', { answer: 'approve' }, () => restart(server))).ran.length, 1);
			});

			test('does not run what was rejected, and the model reads why', async () => {
				const { ran, said } = await decided('answer', { answer: { value: 'reject', text: 'Not to Ada' } });
				assert.deepEqual(ran, []);
				assert.match(said, /Not to Ada/);
			});

			test('runs what the person made of it, or nothing', async () => {
				const { ran } = await decided('answer', { answer: { value: 'approve', arguments: { to: 'bob', text: 'Hi' } } });
				assert.deepEqual(ran, driver.edits ? [{ to: 'bob', text: 'Hi' }] : []);
			});

			test('does not run what was skipped or withdrawn', async () => {
				assert.deepEqual((await decided('skip', { reason: 'Later' })).ran, []);
				assert.deepEqual((await decided('cancel', { reason: 'Gone' })).ran, []);
			});
		});

		describe('a tool that stops to ask', { skip: !driver.suspended && 'it has none' }, () => {
			const stopped = async (how, body) => {
				const { model, home } = await begin(() => (driver.asking === 'ask_user_question' ? use('AskUserQuestion', question('Which city?'))
					: use('city', { country: 'France' })), (last) => say(`I got ${last}`));
				const said = await driver.suspended({ model: model.url, home, execute: async ({ city }) => `It is ${city}`, decide: async (request) => {
					captured(`${sdk.name}-question`, { dialect: driver.asking, from: packageAt('sdks', sdk.package), request,
						answer: driver.asking === 'ask_user_question' ? 'SQLite' : 'Paris' });
					const made = await server.agent.post(`/v1/asks?dialect=${driver.asking}`, request);
					assert.equal(made.status, 201, `${made.text}\n${JSON.stringify(request)}`);
					assert.match(JSON.stringify(made.body), /Which city\?/);
					await settle(server, made.body, how, body);
					return (await server.agent.get(`/v1/asks/${made.body.id}?dialect=${driver.asking}`)).body.reply;
				} });
				return said ?? plain(model.results.join());
			};

			test('goes on with the exact words', async () => {
				const answer = driver.asking === 'ask_user_question' ? { other: WORDS } : WORDS;
				assert.ok((await stopped('answer', { answer })).includes(WORDS));
			});

			test('does not take a skip for an answer', async () => {
				assert.doesNotMatch(await stopped('skip', { reason: 'Not now' }), /It is|answered: "Which/);
			});
		});
	});
}
