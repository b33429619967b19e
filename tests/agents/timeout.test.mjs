// Real agents whose own client gives a call up before a person answers: nothing is lost. Short: the client's
// time-out as connect wrote it is made 6 s. Long: minutes, with every time-out as it is.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, WORDS, asked, byText, chosen, follow, plain, question, serverFor, settle, until } from './lib.mjs';
import { use } from '../lib/script_model.mjs';

const SHORT_MS = 6000;
const LONG_MS = 7 * 60_000;
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
/** Their time-out is in no file. */
const FIXED = ['continue', 'droid'];
/** Each start costs opencode seconds of the processor: it is here when agents are named. */
const here = ({ name }) => !FIXED.includes(name) && (process.env.PARLEY_AGENTS || name !== 'opencode');

const agents = chosen(AGENTS);
const server = await serverFor(agents);
/** Its calls wait longer than the shortened clients. */
const patient = await server?.token('agent', 'patient', ['--agent', 'patient', '--mcp-wait', '60']);

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

/** The way to the server, on which the calls that ask are counted. */
async function tapped() {
	const tap = { asked: 0 };
	const listener = net.createServer((from) => {
		const to = net.connect(server.port, '127.0.0.1');
		from.on('data', (bytes) => { tap.asked += bytes.toString('latin1').split('"ask_user_question"').length - 1; });
		from.pipe(to).pipe(from);
		for (const socket of [from, to]) socket.on('error', () => { from.destroy(); to.destroy(); });
	});
	await new Promise((resolve) => { listener.listen(0, '127.0.0.1', resolve); });
	listener.unref();
	tap.words = ['--url', `http://127.0.0.1:${listener.address().port}`];
	return tap;
}

const open = async (agent, desks, text, { token, words = [] } = {}) => {
	const desk = new Desk(server, agent, token);
	desks.push(desk);
	let attempt = 0;
	/** Pending: get_answer. What is neither pending nor the answer is its client's error: the same is asked again. */
	const go = (last = '') => (/pending/.test(last) || plain(last).includes(WORDS) ? follow(last, ++attempt) : use('ask_user_question', question(text)));
	return desk.open(words, () => use('ask_user_question', question(text)), ...Array(40).fill(go));
};
const count = async (text) => (await server.member.get('/v1/asks?limit=200&status=all')).body.items.filter(byText(text)).length;

for (const agent of agents.filter(here)) {
	describe(agent.name, { skip: !agent.installed && 'not installed' }, () => {
		const desks = [];
		after(() => Promise.all(desks.map((desk) => desk.close())));

		test('has the answer although its client gave the call up', async () => {
			const text = `Given up, ${agent.name}?`;
			const tap = await tapped();
			const desk = await open(agent, desks, text, { token: patient, words: tap.words });
			assert.equal(hurry(desk.home), 1);
			const running = desk.go();
			const ask = await asked(server, byText(text), running);
			// Claude Code does not say that it gave up: what is answered before it asks again would go to that call.
			await until(() => desk.model.results.length && tap.asked > 1, 'the call after the one that its client gave up', 300_000);
			await settle(server, ask, 'answer', { answer: { other: WORDS } });
			const { code, stdout, stderr } = await running;
			assert.equal(code, 0, `${stdout}\n${stderr}`);
			assert.ok(plain(desk.model.results.at(-1)).includes(WORDS), desk.model.results.join('\n'));
			// The call was cut off, and nobody was asked twice.
			assert.ok(!plain(desk.model.results[0]).includes(WORDS), desk.model.results.join('\n'));
			assert.equal(await count(text), 1);
		});
	});
}

// All at once: they do nothing but wait.
describe('seven minutes', { concurrency: true, skip: !process.env.PARLEY_LONG && 'only in the long form' }, () => {
	const desks = [];
	after(() => Promise.all(desks.map((desk) => desk.close())));
	for (const agent of agents.filter(({ installed }) => installed)) {
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
