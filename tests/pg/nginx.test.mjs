// The example of packaging/nginx.conf, with its names and ports put right, in front of two nodes.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { Follower, sleep } from '../lib/house.mjs';

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

function freePort() {
	return new Promise((resolve) => {
		const server = net.createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

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

/** As a house, so that its requests go to nginx. */
async function front() {
	const port = await freePort();
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'nginx.conf'), configuration(port));
	execFileSync('nginx', ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')]);
	nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
	const house = Object.create(nodes[0], { port: { value: port } });
	for (let tries = 0; tries < 100; tries++) {
		const reply = await house.once(null, 'GET', '/healthz').catch(() => null);
		if (reply?.status === 200) return house;
		await sleep(50);
	}
	return assert.fail('nginx does not answer');
}

test('asks, waits and streams go through, and on when a node is killed', async () => {
	await Promise.all(nodes.map((node) => node.start()));
	const agent = await nodes[0].token('agent', 'builder');
	const admin = await nodes[0].token('admin', 'ada');
	const house = await front();
	const body = { question: 'Through?', type: 'boolean' };
	const follower = new Follower(house, admin);
	for (let i = 0; i < 10; i++) {
		const made = await house.once(agent, 'POST', '/v1/asks', body);
		assert.equal(made.status, 201);
		const waiting = house.once(agent, 'GET', `/v1/asks/${made.body.id}?wait=30`);
		await house.once(admin, 'POST', `/v1/asks/${made.body.id}/answer`, { answer: true });
		assert.equal((await waiting).body.status, 'answered');
	}
	await nodes[1].kill();
	for (let i = 0; i < 10; i++) {
		const reply = await house.once(agent, 'GET', '/v1/asks?status=all');
		assert.equal(reply.status, 200);
		assert.equal(reply.body.items.length, 10);
		await follower.reach(reply.body.as_of);
	}
	assert.equal(follower.problem, null);
	await follower.stop();
});
