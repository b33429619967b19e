// The conformance suite of the protocol's own project: what its revisions require of a server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { BIN, Server } from '../api/lib/server.mjs';
import { CURRENT, bin } from './lib.mjs';

// Parley's machinery with the suite's tables in place of Parley's own (conformance.c).
const server = new Server({ bin: join(dirname(BIN), 'tests/mcp/conformance') });
after(async () => {
	await server.stop();
	server.remove();
});
await server.start();

/** → its scenarios, and the whole output. */
function suite(revision) {
	return new Promise((resolve) => {
		execFile(bin('node'), [bin('conformance'), 'server', '--url', `${server.url}/mcp`,
			'--requirements', revision, '--timeout', '60000'],
		{ cwd: server.home, env: server.env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
			const [, summary = ''] = /=== SUMMARY ===\n([\s\S]*)$/.exec(stdout) ?? [];
			resolve({ text: stdout + stderr, found: [...summary.matchAll(/^([✓✗]) (\S+): (.*)$/gm)]
				.map(([, mark, name, counts]) => ({ name, counts, passed: mark === '✓' })) });
		});
	});
}

// Those that a revision does not score (extensions, drafts) are asked for, too. The suite itself
// skips the one on notifications of tasks.
for (const [revision, least, skipped] of [['2025-11-25', 33, []],
	[CURRENT, 50, ['tasks-status-notifications']]]) {
	test(`everything that the suite has for ${revision}`, async () => {
		const { found, text } = await suite(revision);
		assert.deepEqual(found.filter(({ passed }) => !passed), [], text);
		assert.deepEqual(found.filter(({ counts }) => counts.startsWith('0 passed'))
			.map(({ name }) => name), skipped, text);
		assert.ok(found.length >= least, `${found.length} scenarios: ${text}`);
	});
}
