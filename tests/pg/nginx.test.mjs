// The example of packaging/nginx.conf, with its names and ports put right, in front of two nodes.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { Follower } from '../lib/follower.mjs';
import { stablePort } from '../lib/ports.mjs';
import { until } from '../lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
const cluster = new Cluster();
const store = cluster.database('parley');
const nodes = [new Node(store), new Node(store)];
let nginx;

after(async () => {
	nginx?.kill();
	for (const node of nodes) await node.end();
	cluster.remove();
	rmSync(folder, { recursive: true, force: true });
});

function configuration(port) {
	const example = readFileSync(new URL('../../packaging/nginx.conf', import.meta.url), 'utf8')
		.replace('127.0.0.1:7275', `127.0.0.1:${nodes[0].port}`)
		.replace('127.0.0.1:7276', `127.0.0.1:${nodes[1].port}`)
		.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
		.replace(/ssl_certificate.*;/g, '');
	const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
		.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
	return `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;\n`
		+ `events { }\nhttp { access_log off; ${places}\n${example} }\n`;
}

/** As a server, so that its requests go to nginx. */
async function front() {
	const port = await stablePort();
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'nginx.conf'), configuration(port));
	execFileSync('nginx', ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')]);
	nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
	const server = Object.create(nodes[0], { port: { value: port } });
	await until(() => server.once(null, 'GET', '/healthz').then((reply) => reply.status === 200, () => false),
		'nginx');
	return server;
}

test('asks, waits and streams go through, and on when a node is killed', async () => {
	await Promise.all(nodes.map((node) => node.start()));
	const agent = await nodes[0].token('agent', 'builder');
	const admin = await nodes[0].token('admin', 'ada');
	const server = await front();
	const body = { question: 'Through?', type: 'boolean' };
	const follower = new Follower(server, admin);
	for (let i = 0; i < 10; i++) {
		const made = await server.once(agent, 'POST', '/v1/asks', body);
		assert.equal(made.status, 201);
		const waiting = server.once(agent, 'GET', `/v1/asks/${made.body.id}?wait=30`);
		await server.once(admin, 'POST', `/v1/asks/${made.body.id}/answer`, { answer: true });
		assert.equal((await waiting).body.status, 'answered');
	}
	await nodes[1].kill();
	for (let i = 0; i < 10; i++) {
		const reply = await server.once(agent, 'GET', '/v1/asks?status=all');
		assert.equal(reply.status, 200);
		assert.equal(reply.body.items.length, 10);
		await follower.reach(reply.body.as_of);
	}
	assert.equal(follower.problem, null);
	await follower.stop();
});
