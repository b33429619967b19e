// The server is killed at random moments while runs are at work: every message that was acknowledged is
// answered, tools of the store are done exactly once, a tool of class once never twice.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { first, results, say, ScriptModel, use } from '../lib/script_model.mjs';
import { sleep, until, useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1';
const RUNS = LONG ? 2000 : 48, KILLS = LONG ? 60 : 4;
const folder = mkdtempSync(join(tmpdir(), 'parley-killed-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'once.txt');

/* Run n: a task, then by n a line of a file, a sub-agent or a question; then it reports. */
const number = (q) => Number(first(q).match(/\d+/)[0]);
const answers = new Map(); // what a run got back, turn by turn
const model = await new ScriptModel(async (q) => {
	const n = number(q), turns = q.messages.filter(({ role }) => role === 'assistant').length;
	await sleep(Math.random() * 20);
	if (first(q).startsWith('Child')) return [say(`child ${n}`)];
	if (turns === 0) return [use('todo', { operation: 'create', name: `task ${n}` })];
	if (turns === 1 && n % 3 === 0) return [use('test_append', { path: file, text: `line ${n}` })];
	if (turns === 1 && n % 3 === 1) return [use('delegate_task', { agent: 'worker', task: `Child ${n}` })];
	if (turns === 1) return [use('ask_user_question', { questions: [{ question: `Number ${n}?` }] })];
	answers.set(n, results(q)[0]?.text);
	return [say(`done ${n}`)];
}).start();
after(() => model.stop());

const server = await useServer({ env: { PARLEY_TEST_TOOLS: '1' }, keepPort: true });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, at_once: { auto: 16, manual: 16, selective: 16 }, always_confirm_high: false }));
ok(await admin.post('/v1/providers', { name: 'scripted', kind: 'anthropic', url: model.url }), 201);
ok(await admin.post('/v1/agents', { name: 'worker', provider: 'scripted', model: 'm',
	tools: ['ask_user_question', 'todo', 'test_append', 'delegate_task'] }), 201);

/* Requests that a restart cuts off are made again, with the same key. */
const patiently = (what) => until(async () => {
	try { const reply = await what(); return reply.status < 500 && reply; } catch { return null; }
}, 'a reply');

test(`${RUNS} runs, killed ${KILLS} times`, { timeout: 600_000 }, async () => {
	const sessions = [];
	const feeding = (async () => {
		for (let n = 0; n < RUNS; n++) {
			sessions[n] = ok(await patiently(() => member.post('/v1/sessions', { agent: 'worker', message: `Run ${n}` },
				{ headers: { 'idempotency-key': `run-${n}` } })), 201);
			await sleep(5);
		}
	})();
	let over = false, interrupted = 0;
	const answering = (async () => {
		while (!over) {
			const reply = await patiently(() => member.get('/v1/asks?limit=200'));
			for (const ask of reply.body.items) {
				if (ask.kind === 'error_recovery') interrupted++;
				const value = ask.kind === 'error_recovery' ? { recovery: { selected: ['skip'], text: 'skipped' } } : { q1: 'yes' };
				await patiently(() => member.post(`/v1/asks/${ask.id}/answer`, { answers: value }));
			}
			await sleep(30);
		}
	})();
	for (let i = 0; i < KILLS; i++) {
		await sleep(150 + Math.random() * 400);
		await server.crash();
	}
	await feeding;
	const runs = [];
	for (let n = 0; n < RUNS; n++) {
		runs[n] = await until(async () => {
			const reply = await patiently(() => member.get(`/v1/runs/${sessions[n].run}`));
			return ['completed', 'failed', 'cancelled'].includes(reply.body.status) && reply.body;
		}, `the end of run ${n}`);
	}
	over = true;
	await answering;
	const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
	assert.equal(new Set(lines).size, lines.length, 'no line stands there twice');
	let missing = 0;
	for (let n = 0; n < RUNS; n++) {
		assert.equal(runs[n].report, `done ${n}`, JSON.stringify(runs[n]));
		const tasks = ok(await member.get(`/v1/sessions/${sessions[n].id}/tasks`)).items;
		assert.deepEqual(tasks.map(({ name }) => name), [`task ${n}`], 'its task was created once');
		if (n % 3 === 0 && !lines.includes(`line ${n}`)) missing++;
		if (n % 3 === 1) assert.match(answers.get(n), new RegExp(`child ${n}`));
	}
	assert.ok(missing <= interrupted, 'a line is missing only where a person was asked about it');
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});
