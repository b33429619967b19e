// Tools of one's own that are commands: named in the file, run without a shell, their process tree gone with their time, a cancel, a kill.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pointers } from './lib/samples.mjs';
import { BIN, until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-commands-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const LONG = process.env.PARLEY_LONG === '1';

const program = (name, text) => { writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`); chmodSync(join(folder, name), 0o755); };
program('tell', 'cat; echo; env | sort; for word; do echo "word: $word"; done');
program('fail', 'echo "what it printed"; echo "no such host" >&2; exit 3');
/* Sleeps in a process of its own, whose number it leaves behind. */
program('hang', `sleep 600 & echo $! > ${folder}/hang.$$; wait`);
program('flood', `head -c ${LONG ? 1_000_000_000 : 30_000_000} /dev/zero | tr '\\0' x`);
const page = readFileSync(new URL('../../docs/TOOLS.md', import.meta.url), 'utf8');
program('deploy', page.match(/```sh deploy\n#!\/bin\/sh\n([^]*?)```/)[1]);
const DEPLOY = page.match(/\[tool deploy\][^`]*/)[0].replace('/usr/local/bin/', `${folder}/`);
program('bytes', "printf '\\377\\376'");
writeFileSync(join(folder, 'any.json'), JSON.stringify({ type: 'object', properties: { city: { type: 'string' } } }));
const CONF = `
[tool tell]
command = ${folder}/tell --json 'two words' "$HOME" * && rm
description = Tells what it sees.
schema_file = any.json
risk = low
env = NAMED, SAID=said

[tool usual]
command = ${folder}/tell
description = As it is without a word.

[tool failing]
command = ${folder}/fail
description = Fails.
risk = low

[tool hanging]
command = ${folder}/hang
description = Hangs.
risk = low
timeout = 1s

[tool hanging_again]
command = ${folder}/hang
description = Hangs, and may be run again.
risk = low
class = repeat
timeout = 1s

[tool slow]
command = ${folder}/hang
description = Hangs for long.
risk = low

[tool flooding]
command = ${folder}/flood
description = Prints much.
risk = low

[tool bytes]
command = ${folder}/bytes
description = Prints bytes.
risk = low

${DEPLOY}
risk = low

[tool absent]
command = ${folder}/nowhere
description = Is not there.
risk = low
`;
writeFileSync(join(folder, 'parley.conf'), CONF);
const server = await useServer({ flags: ['--config', join(folder, 'parley.conf')], keepPort: true,
	env: { NAMED: 'the named one', UNNAMED: 'secret-0123456789', ANTHROPIC_API_KEY: 'sk-secret-0123456789' } });
const { admin, member } = server;
const ok = (reply, status = 200) => { assert.equal(reply.status, status, reply.text); return reply.body; };
const { version } = ok(await admin.get('/v1/policy'));
ok(await admin.put('/v1/policy', { version, mode: 'auto', always_confirm_high: true }));
let n = 0;
/** A run that calls the tool once, and says what came of it. */
async function called(name, args = {}) {
	const agent = `agent${++n}`;
	ok(await admin.post('/v1/providers', { name: `tape${n}`, kind: 'script', script: [{ when: { tool: name }, say: '{{result}}' }, { calls: [{ name, arguments: args }] }] }), 201);
	ok(await admin.post('/v1/agents', { name: agent, provider: `tape${n}`, model: 'm', tools: [name] }), 201);
	const session = ok(await member.post('/v1/sessions', { agent, message: 'Call it.' }), 201);
	return { run: session.run, session: session.id };
}
const ended = ({ run }) => until(async () => {
	const found = ok(await member.get(`/v1/runs/${run}`));
	return ['completed', 'failed', 'cancelled'].includes(found.status) && found;
}, 'the end of the run', 60_000);
const callOf = async ({ run }) => ok(await member.get(`/v1/tool-calls?run=${run}`)).items[0];
const pending = ({ session }) => until(async () => ok(await member.get(`/v1/sessions/${session}`)).pending_asks[0], 'an ask');
/* Of every tree that was started, what is left. */
const left = () => readdirSync(folder).filter((name) => name.startsWith('hang.')).map((name) => readFileSync(join(folder, name), 'utf8').trim())
	.filter((pid) => pid && existsSync(`/proc/${pid}`) && /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]);
const hangs = (more) => until(() => left().length === more, `${more} at work`);

test('a command gets its arguments on standard input, words without a shell, and a clean environment', async () => {
	const one = await called('tell', { city: 'Nice' });
	const { report } = await ended(one);
	const lines = report.split('\n');
	assert.equal(lines[0], '{"city":"Nice"}');
	assert.deepEqual(lines.filter((line) => line.startsWith('word: ')), ['--json', 'two words', '$HOME', '*', '&&', 'rm'].map((word) => `word: ${word}`));
	const call = await callOf(one);
	for (const wanted of ['NAMED=the named one', 'SAID=said', `PARLEY_RUN=${one.run}`, `PARLEY_CALL=${call.id}`]) assert.ok(lines.includes(wanted), `${wanted}: ${report}`);
	assert.match(report, /^PARLEY_DIGEST=sha256:[0-9a-f]{64}$/m);
	assert.ok(!/secret|UNNAMED|ANTHROPIC/.test(report), report);
	assert.deepEqual([call.class, call.risk, call.status], ['once', 'low', 'done']);
	const deployed = await called('deploy', { version: '1.2' });
	assert.equal((await ended(deployed)).report, `deployed with {"version":"1.2"} by ${deployed.run}\n`);
});

test('it is listed with its kind, asked for by its risk, and neither made nor changed over HTTP', async () => {
	const rows = ok(await admin.get('/v1/tools?limit=200')).items;
	const row = (name) => rows.find((one) => one.name === name);
	assert.deepEqual([row('tell').kind, row('tell').source, row('tell').env], ['command', 'file', ['NAMED', 'SAID']]);
	assert.deepEqual([row('usual').risk, row('usual').class, row('usual').timeout], ['high', 'once', '2m']);
	for (const body of [{ command: 'rm -rf /' }, { command: 'ls', url: 'https://example.org/' }])
		assert.deepEqual(pointers(await admin.post('/v1/tools', { name: 'made', description: 'x', ...body })), ['/command']);
	assert.deepEqual(pointers(await admin.post('/v1/tools', { name: 'made', description: 'x' })), ['/url']);
	assert.equal((await admin.patch(`/v1/tools/${row('tell').id}`, { version: 0, description: 'y' })).status, 409);
	const one = await called('usual');
	const ask = await pending(one);
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve' } } }));
	const { approved_digest: digest } = ok(await member.get(`/v1/asks/${ask.id}`));
	assert.ok((await ended(one)).report.includes(`PARLEY_DIGEST=${digest}`));
	const tried = ok(await admin.post('/v1/tools/tell/test', { arguments: { city: 'Pau' } }));
	assert.ok(tried.ok && tried.result.startsWith('{"city":"Pau"}'));
});

test('a failure is told with its status and the end of what it said; what it prints is bounded, and text', async () => {
	const text = async (name) => (await ended(await called(name))).report;
	assert.equal(await text('failing'), 'exit status 3: no such host');
	const before = resident(), one = await called('flooding');
	assert.match((await ended(one)).report, /\[… \d+ bytes left out …\]/, 'the model has head and tail of what is kept');
	const { result } = await callOf(one);
	assert.ok(Buffer.byteLength(result) <= 1 << 20 && result.endsWith('[cut: a result has 1 MiB at most]'), result.slice(-200));
	/* Sanitizers keep for a while what was freed. */
	assert.ok(resident() - before < (/asan|tsan/.test(BIN) ? 60_000 : 20_000), `${resident() - before} KB more`);
	assert.match(await text('bytes'), /no text/);
	assert.match(await text('absent'), /nowhere/);
});

test('its process tree is gone with its time, with a cancel, and with the server', { timeout: 120_000 }, async () => {
	const late = await called('hanging');
	await hangs(1);
	await until(() => left().length === 0, 'the end of the tree after its second', 1000 + 2000);
	const ask = await pending(late);
	assert.deepEqual([ask.kind, left()], ['error_recovery', []], 'once without an outcome: a person decides');
	ok(await member.post(`/v1/asks/${ask.id}/answer`, { answers: { recovery: { selected: ['skip'], text: 'It is done.' } } }));
	assert.equal((await ended(late)).report, 'It is done.');
	assert.match((await ended(await called('hanging_again'))).report, /No result came in its time/);
	assert.deepEqual(left(), []);
	const slow = await called('slow');
	await hangs(1);
	ok(await member.post(`/v1/runs/${slow.run}/cancel`, {}));
	await until(() => left().length === 0, 'the end of the tree after a cancel', 2000);
	const killed = await called('slow');
	await hangs(1);
	await server.kill();
	await until(() => left().length === 0, 'the end of the tree after a kill', 2000);
	await server.start();
	const interrupted = await pending(killed);
	assert.equal(interrupted.kind, 'error_recovery');
	ok(await member.post(`/v1/asks/${interrupted.id}/answer`, { answers: { recovery: { selected: ['abort'] } } }));
	await ended(killed);
});

test('a wrong one stops the start with its line', async () => {
	for (const [section, words] of [
		['command = ls\nurl = https://example.org/\ndescription = x', /wrong\.conf:2.*url already/],
		['command = ls {city}\ndescription = x', /wrong\.conf:2.*\{city\}/],
		['command = "ls\ndescription = x', /wrong\.conf:2.*quote/],
		['command = ls\nsandbox = yes\ndescription = x', /wrong\.conf:3.*sandbox/],
		['command = ls\nmethod = GET\ndescription = x', /wrong\.conf:3.*method/],
		['command = ls\nenv = PARLEY_TOKEN\ndescription = x', /wrong\.conf:3.*env/],
		['description = x', /wrong\.conf.*url/]]) {
		writeFileSync(join(folder, 'wrong.conf'), `[tool wrong]\n${section}\n`);
		const said = await server.run(['serve', '--config', join(folder, 'wrong.conf'), '--data', join(folder, 'other')]);
		assert.equal(said.code, 2, said.stderr);
		assert.match(said.stderr, words);
	}
});
