// Real agents whose own client gives a call up before a person answers: nothing is lost. Short: the client's
// time-out as connect wrote it is made 8 s. Long: minutes, with every time-out as it is.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, WORDS, asked, byText, chosen, follow, plain, question, settle, until, useServer } from './lib.mjs';
import { use } from './model.mjs';

const SHORT_MS = 8000;
const LONG_MS = 7 * 60_000;
const server = await useServer();
/** Its calls wait longer than the shortened clients. */
const patient = await server.token('agent', 'patient', ['--agent', 'patient', '--mcp-wait', '60']);
/** Its calls come back at once, nearly. */
const hasty = await server.token('agent', 'hasty', ['--agent', 'hasty', '--mcp-wait', '1']);
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
/** Their time-out is in no file. */
const FIXED = ['continue', 'droid'];
/** Each start costs opencode seconds of the processor: it is here when agents are named. */
const here = ({ name }) => !FIXED.includes(name) && (process.env.PARLEY_AGENTS || name !== 'opencode');

/** Makes the time-out of the entry shorter, as one would who edits the file; how often it was there. */
function hurry(home) {
	let n = 0;
	for (const name of readdirSync(home, { recursive: true })) {
		const path = join(home, name);
		if (!/\.(json|toml)$/.test(name) || !statSync(path).isFile()) continue;
		const text = readFileSync(path, 'utf8');
		if (!text.includes('parley')) continue;
		const shorter = text.replace(/("timeout": |tool_timeout_sec = )(600000|600)\b/g, (all, key, value) => {
			n++;
			return key + (value === '600' ? SHORT_MS / 1000 : SHORT_MS);
		});
		if (shorter !== text) writeFileSync(path, shorter);
	}
	return n;
}

const open = async (agent, desks, text, token) => {
	const desk = new Desk(server, agent, token);
	desks.push(desk);
	let attempt = 0;
	/** Pending: get_answer. What is neither pending nor the answer is its client's error: the same is asked again. */
	const go = (last = '') => (/pending/.test(last) || plain(last).includes(WORDS) ? follow(last, ++attempt) : use('ask_user_question', question(text)));
	return desk.open([], () => use('ask_user_question', question(text)), ...Array(40).fill(go));
};
const count = async (text) => (await server.member.get('/v1/asks?limit=200&status=all')).body.items.filter(byText(text)).length;

for (const agent of chosen(AGENTS).filter(here)) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));

		test('has the answer although its client gave the call up', async () => {
			const text = `Given up, ${agent.name}?`;
			const desk = await open(agent, desks, text, patient);
			assert.equal(hurry(desk.home), 1);
			const running = desk.go();
			const ask = await asked(server, byText(text), running);
			await pause(SHORT_MS + 5000);
			await settle(server, ask, 'answer', { answer: { other: WORDS } });
			const { code, stdout, stderr } = await running;
			assert.equal(code, 0, `${stdout}\n${stderr}`);
			assert.ok(plain(desk.model.results.at(-1)).includes(WORDS), desk.model.results.join('\n'));
			// The call was cut off, and nobody was asked twice.
			assert.ok(desk.model.results.length > 1, desk.model.results.join('\n'));
			assert.equal(await count(text), 1);
		});
	});
}

// Agents stop a model that makes the same call again and again. Asking for an answer is no loop: its calls count.
for (const agent of chosen(AGENTS)) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));

		test('asks for the answer ten times', async () => {
			const text = `Ten times, ${agent.name}?`;
			const desk = await open(agent, desks, text, hasty);
			const running = desk.go();
			const ask = await asked(server, byText(text), running);
			let ended = false;
			running.then(() => { ended = true; });
			await until(() => ended || desk.model.results.length > 10, 'ten calls', 300_000);
			assert.ok(!ended, `${(await Promise.race([running, {}])).stderr}\n${desk.model.results.join('\n')}`);
			await settle(server, ask, 'answer', { answer: { other: WORDS } });
			const { code, stdout, stderr } = await running;
			assert.equal(code, 0, `${stdout}\n${stderr}`);
			assert.ok(plain(desk.model.results.at(-1)).includes(WORDS), desk.model.results.join('\n'));
		});
	});
}

// All at once: they do nothing but wait.
describe('seven minutes', { concurrency: true, skip: !process.env.PARLEY_LONG && 'only in the long form' }, () => {
	const desks = [];
	after(() => Promise.all(desks.map((desk) => desk.close())));
	for (const agent of chosen(AGENTS).filter(({ installed }) => installed)) {
		test(`${agent.name} waits for seven minutes, with its own time-outs`, async () => {
			const text = `In minutes, ${agent.name}?`;
			const desk = await open(agent, desks, text);
			const running = desk.go([], { ms: LONG_MS + 120_000 });
			const ask = await asked(server, byText(text), running);
			await pause(LONG_MS);
			await settle(server, ask, 'answer', { answer: { other: WORDS } });
			const { code, stdout, stderr } = await running;
			assert.equal(code, 0, `${stdout}\n${stderr}`);
			assert.ok(plain(desk.model.results.at(-1)).includes(WORDS), desk.model.results.join('\n'));
			assert.equal(await count(text), 1);
		});
	}
});
