// The conformance suite of the protocol's own project: what its revisions require of a server.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { BIN, Server } from '../api/lib/server.mjs';
import { CURRENT, suite } from './lib.mjs';

// Parley's machinery with the suite's tables in place of Parley's own (conformance.c).
const server = new Server({ bin: join(dirname(BIN), 'tests/mcp/conformance') });
after(async () => {
	await server.stop();
	server.remove();
});
await server.start();

// Those that a revision does not score (extensions, drafts) are asked for, too. The suite itself
// skips the one on notifications of tasks.
for (const [revision, least, skipped] of [['2025-11-25', 33, []],
	[CURRENT, 50, ['tasks-status-notifications']]]) {
	test(`everything that the suite has for ${revision}`, async () => {
		const { found, text } = await suite(`${server.url}/mcp`, revision, server);
		assert.deepEqual(found.filter(({ passed }) => !passed), [], text);
		assert.deepEqual(found.filter(({ counts }) => counts.startsWith('0 passed'))
			.map(({ name }) => name), skipped, text);
		assert.ok(found.length >= least, `${found.length} scenarios: ${text}`);
	});
}
