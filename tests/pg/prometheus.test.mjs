// A real Prometheus scrapes two nodes: counters add up over them, gauges of the store are the same, the rules of packaging are
// loaded and one of them fires, and the ten queries of docs/OPERATING.md answer. PARLEY_LONG=1: it scrapes for a minute.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Cluster, Node } from '../lib/cluster.mjs';
import { stablePort } from '../lib/ports.mjs';
import { sleep, until } from '../lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const missing = spawnSync('prometheus', ['--version']).status !== 0 && 'prometheus is not installed (Debian package prometheus)';
const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What the manual tells people to ask, as it stands there. */
const queries = () => [...readFileSync(file('docs/OPERATING.md'), 'utf8').split('Ten queries:')[1].split('\n###')[0].matchAll(/^\| (`.*?`) \| /gm)]
	.flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, query]) => query));

async function prometheus(nodes, token) {
	const folder = mkdtempSync(join(tmpdir(), 'prometheus-')), port = await stablePort();
	writeFileSync(join(folder, 'token'), token);
	writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify({
		global: { scrape_interval: '1s', evaluation_interval: '1s' },
		rule_files: [file('packaging/parley.rules.yml')],
		scrape_configs: [{ job_name: 'parley', authorization: { credentials_file: join(folder, 'token') },
			static_configs: [{ targets: nodes.map((node) => node.address) }] }] }));
	execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')]);
	const child = spawn('prometheus', [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`,
		`--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'], { stdio: 'ignore' });
	after(async () => {
		child.kill('SIGKILL');
		await new Promise((done) => { child.on('close', done); });
		rmSync(folder, { recursive: true, force: true });
	});
	const get = async (path) => {
		try {
			const reply = await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json();
			assert.equal(reply.status, 'success', `${path}: ${JSON.stringify(reply)}`);
			return reply.data;
		} catch (error) {
			if (error instanceof assert.AssertionError) throw error;
			return null; // not up yet
		}
	};
	return { get, query: async (text) => (await get(`query?query=${encodeURIComponent(text)}`))?.result ?? [] };
}

test('Prometheus scrapes two nodes, one rule fires, the queries of the manual answer', { skip: missing }, async () => {
	const cluster = new Cluster();
	after(() => cluster.remove());
	const store = cluster.database('scraped'), first = new Node(store);
	const nodes = [first, new Node(store, { env: { PARLEY_TEST_CLOCK: first.clockFile } })];
	after(() => Promise.all(nodes.map((node) => node.end())));
	for (const node of nodes) await node.start();
	const [owner, agent, member] = [await first.token('owner'), await first.token('agent'), await first.token('member')];
	const { get, query } = await prometheus(nodes, owner);
	const value = async (text) => Number((await query(text))[0]?.value[1]);
	const scraped = async (text, wanted) => until(async () => await value(text) === wanted, `${text} = ${wanted}`);
	await scraped('count(parley_build_info)', 2);
	const asks = [];
	for (let i = 0; i < 5; i++) {
		const { body } = await nodes[i % 2].call(agent, 'POST', '/v1/asks', { question: `Go ${i}?`, type: 'boolean', kind: 'blocking' });
		asks.push(body.id);
	}
	assert.equal((await nodes[1].call(agent, 'POST', '/v1/asks', { question: 7 })).status, 422);
	await scraped('sum(parley_asks_created_total)', 5);
	await scraped('sum(parley_asks_refused_total{reason="invalid"})', 1);
	await scraped('max(parley_asks_pending{kind="blocking"})', 5);
	await scraped('min(parley_asks_pending{kind="blocking",project=""})', 5);
	const firing = async () => (await get('alerts')).alerts.some((a) => a.labels.alertname === 'ParleyAlert' && a.labels.kind === 'unanswered' && a.state === 'firing');
	assert.equal(await firing(), false);
	first.jump(2 * 3600_000);
	await until(firing, 'the rule');
	assert.ok(await value('max(parley_oldest_pending_seconds{kind="blocking"})') >= 7200);
	if (LONG) await sleep(60_000);
	const asked = queries();
	assert.ok(asked.length >= 10, `${asked.length} queries`);
	for (const text of asked) await query(text);
	for (const text of asked.filter((one) => /pending|nodes|run_queue/.test(one))) assert.ok((await query(text)).length, text);
	for (const id of asks) await nodes[0].call(member, 'POST', `/v1/asks/${id}/skip`, {});
	first.jump(61_000);
	await until(async () => !await firing(), 'its end');
});
