// The server is killed at random moments while runs are at work: every message that was acknowledged is
// answered, tools of the store are done exactly once, a tool of class once never twice but by a person's word.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { KilledRuns } from '../lib/killed_runs.mjs';
import { useServer } from './lib/server.mjs';

const LONG = process.env.PARLEY_LONG === '1';
const RUNS = Number(process.env.PARLEY_RUNS ?? (LONG ? 20_000 : 40)), KILLS = LONG ? Math.ceil(RUNS / 30) : 4;
const server = await useServer({ env: { PARLEY_TEST_TOOLS: '1' }, keepPort: true });
const play = new KilledRuns({ servers: [server], tokens: server.secrets, runs: RUNS, kills: KILLS });
after(() => play.end());

test(`${RUNS} runs, killed ${KILLS} times`, { timeout: 4 * 3_600_000 }, async (t) => {
	await play.play();
	t.diagnostic(play.summary);
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stdout + check.stderr);
});
