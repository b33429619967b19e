// The conformance suite of the protocol's own project: what its revisions require of a server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { Server } from '../api/lib/server.mjs';
import { CURRENT, bin } from './lib.mjs';

const server = new Server({ flags: ['--conformance'] });
after(async () => {
	await server.stop();
	server.remove();
});
await server.start();

/** → {scenario: passed?} of those that count, and the whole output. */
function suite(revision) {
	return new Promise((resolve) => {
		execFile(bin('node'), [bin('conformance'), 'server', '--url', `${server.url}/mcp`,
			'--requirements', revision, '--timeout', '60000'],
		{ cwd: server.home, env: server.env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
			const [, summary = '', extra = ''] = /=== SUMMARY ===\n([\s\S]*?)(?:\nNot scored for([\s\S]*))?$/
				.exec(stdout) ?? [];
			const unscored = new Set([...extra.matchAll(/^\s+[✓✗] (\S+) \(/gm)].map(([, name]) => name));
			const found = [...summary.matchAll(/^([✓✗]) (\S+): (.*)$/gm)]
				.map(([, mark, name, counts]) => ({ name, counts, passed: mark === '✓' }));
			resolve({ code: error ? error.code : 0, text: stdout + stderr,
				scored: found.filter(({ name }) => !unscored.has(name)),
				unscored: found.filter(({ name }) => unscored.has(name)) });
		});
	});
}

for (const [revision, least] of [['2025-11-25', 30], [CURRENT, 37]]) {
	test(`everything that ${revision} requires of a server`, async (t) => {
		const { scored, unscored, text } = await suite(revision);
		const failed = scored.filter(({ passed }) => !passed);
		t.diagnostic(`not required: ${unscored.map(({ name, passed }) => `${name} ${passed ? 'ok' : 'FAILED'}`)
			.join(', ')}`);
		assert.deepEqual(failed, [], text);
		assert.ok(scored.length >= least, `${scored.length} scenarios: ${text}`);
	});
}
