// A node that the network cuts off from the database, and how it comes back by itself. The
// node lives in a network namespace of its own, joined to ours by a pair of virtual devices;
// the cable is pulled by taking one of them down. Wants root, as namespaces do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Cluster, Node } from '../lib/cluster.mjs';
import { Follower } from '../lib/follower.mjs';
import { sleep } from '../lib/server.mjs';
import { sql } from '../lib/postgres.mjs';

const mark = (process.pid % 200) + 20;
const space = `parley${mark}`;
const here = `10.${mark}.7.1`, there = `10.${mark}.7.2`;
const run = (...args) => execFileSync(args[0], args.slice(1), { stdio: 'pipe' });
/* Not `ip netns exec` or `ip -n`, which mount things anew and cannot do that in every root. */
const within = ['nsenter', `--net=/run/netns/${space}`];

function canSplit() {
	try {
		run('ip', 'netns', 'add', space);
		return true;
	} catch {
		return false;
	}
}

const skip = process.getuid() !== 0 || !canSplit() ? 'no network namespaces here' : false;
let cluster, inside, outside;

function join_() {
	run('ip', 'link', 'add', `ve${mark}`, 'type', 'veth', 'peer', 'name', `vp${mark}`);
	run('ip', 'link', 'set', `vp${mark}`, 'netns', space);
	run('ip', 'addr', 'add', `${here}/24`, 'dev', `ve${mark}`);
	run('ip', 'link', 'set', `ve${mark}`, 'up');
	run(...within, 'ip', 'addr', 'add', `${there}/24`, 'dev', `vp${mark}`);
	run(...within, 'ip', 'link', 'set', `vp${mark}`, 'up');
	run(...within, 'ip', 'link', 'set', 'lo', 'up');
}

const pull = (state) => run('ip', 'link', 'set', `ve${mark}`, state);

after(async () => {
	if (skip) return;
	await inside?.end();
	await outside?.end();
	cluster?.remove();
	run('ip', 'netns', 'del', space);
});

/** A request to the node inside, by a client that is inside as well. */
function ask(node, token, method, path, body) {
	const args = ['curl', '-s', '-m', '60', '-X', method, '-w',
		'\n%{http_code}', '-H', `authorization: Bearer ${token}`, '-H',
		'content-type: application/json', `http://127.0.0.1:${node.port}${path}`];
	if (body) args.push('-d', JSON.stringify(body));
	const lines = execFileSync(within[0], [...within.slice(1), ...args], { encoding: 'utf8' }).trimEnd().split('\n');
	return { status: Number(lines.pop()), body: JSON.parse(lines.join('\n') || 'null') };
}

async function until(fn, what, ms = 40_000) {
	for (const end = Date.now() + ms; !await fn();) {
		assert.ok(Date.now() < end, `${what} did not come`);
		await sleep(200);
	}
}

test('a node cut off from its database says so, and goes on when the cable is back', { skip }, async () => {
	join_();
	cluster = new Cluster();
	const store = cluster.database('parley');
	cluster.stop();
	appendFileSync(join(cluster.folder, 'data', 'postgresql.conf'), "listen_addresses = '*'\n");
	appendFileSync(join(cluster.folder, 'data', 'pg_hba.conf'), `host all all ${there}/32 trust\n`);
	cluster.start();
	outside = new Node(store);
	inside = new Node(`postgresql://postgres@${here}:${cluster.port}/parley`,
		{ wrap: within });
	await outside.start();
	const agent = await outside.token('agent', 'builder');
	const admin = await outside.token('admin', 'ada');
	await inside.start();
	const body = { question: 'Still there?', type: 'boolean' };
	assert.equal(ask(inside, agent, 'POST', '/v1/asks', body).status, 201);

	pull('down');
	const follower = new Follower(outside, admin);
	await until(() => ask(inside, agent, 'GET', '/readyz').status === 503, 'not ready');
	assert.equal(ask(inside, agent, 'POST', '/v1/asks', body).status, 503);
	// The other node writes on: whoever held the turn has lost it.
	for (let i = 0; i < 5; i++) {
		const made = await outside.once(agent, 'POST', '/v1/asks', body);
		assert.equal(made.status, 201);
	}

	pull('up');
	await until(() => ask(inside, agent, 'GET', '/readyz').status === 200, 'ready again');
	assert.equal(ask(inside, agent, 'POST', '/v1/asks', body).status, 201);
	const { body: list } = ask(inside, admin, 'GET', '/v1/asks');
	assert.equal(list.items.length, 7);
	await follower.reach(list.as_of);
	assert.equal(follower.problem, null);
	await follower.stop();
	assert.equal(sql('SELECT COUNT(*) FROM events', store), String(list.as_of));
});
