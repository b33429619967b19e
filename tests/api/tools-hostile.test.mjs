// Addresses for tools of one's own that lead inside: in every spelling, by a name that moves, by a redirect.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-hosts-'));
after(() => rmSync(folder, { recursive: true, force: true }));
/** On this address, and on the port of another one, if given. */
const listens = async (address, port = 0) => {
	const it = http.createServer((request, response) => response.end('reached')).listen(port, address);
	await new Promise((done) => { it.once('listening', done); });
	it.connected = 0;
	it.on('connection', () => { it.connected++; });
	after(() => { it.closeAllConnections(); it.close(); });
	return it;
};
const inside = await listens('127.0.0.1'), { port } = inside.address();
const allowed = await listens('127.0.0.2', port);

const HOSTS = ['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0x7f.0.0.1', '0177.0.0.1', '017700000001', '00000177.1', '[::1]', '[::ffff:127.0.0.1]',
	'[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]', '[0:0:0:0:0:0:0:1]', '[::7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::]', '[::1%25lo]', '0.0.0.0', '0',
	'localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', '127.0.0.1.', '127.127.127.127', '169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '192.168.1.1', '172.16.0.1', '100.64.0.1',
	'[fe80::1]', '[fc00::1]', '224.0.0.1', '255.255.255.255', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1'];
const SHAPES = [(host) => `https://${host}:${port}/`, (host) => `http://${host}:${port}/{city}`, (host) => `https://good.example@${host}:${port}/`,
	(host) => `HTTPS://${host}:${port}?city={city}`, (host) => `https://${host}:${port}\\@good.example/`];

test(`${HOSTS.length * SHAPES.length} hostile addresses are refused, or nothing connects to them`, async () => {
	const strict = await useServer({});
	const seen = { refused: 0, tried: 0 };
	for (const [i, host] of HOSTS.entries())
		for (const [k, shape] of SHAPES.entries()) {
			const name = `t${i}_${k}`;
			const made = await strict.admin.post('/v1/tools', { name, url: shape(host), description: 'x', class: 'once', timeout: '2s',
				schema: { type: 'object', properties: { city: { type: 'string' } } } }, { check: false });
			assert.ok(made.status === 201 || made.status === 422, `${shape(host)}: ${made.text}`);
			seen[made.status === 201 ? 'tried' : 'refused']++;
			if (made.status === 201) assert.notEqual((await strict.admin.post(`/v1/tools/${name}/test`, { arguments: { city: 'x' } })).body.ok, true, shape(host));
		}
	assert.equal(inside.connected, 0, JSON.stringify(seen));
	assert.ok(seen.refused > 150 && seen.tried > 0, JSON.stringify(seen));
});

const noNamespaces = spawnSync('unshare', ['--mount', 'true']).status !== 0 && 'no mount namespaces here';
test('a name that moves between the check and the connection leads nowhere else', { skip: noNamespaces }, async () => {
	const hosts = join(folder, 'hosts'), is = (...addresses) => writeFileSync(hosts, addresses.map((one) => `${one} moves.example\n`).join(''));
	is('127.0.0.2');
	const server = await useServer({ flags: ['--webhook-internal', '127.0.0.2'],
		wrap: ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts] });
	const made = await server.admin.post('/v1/tools', { name: 'moves', url: `http://moves.example:${port}/`, description: 'x', timeout: '2s' });
	assert.equal(made.status, 201, made.text);
	const tried = async () => (await server.admin.post('/v1/tools/moves/test', { arguments: {} })).body;
	assert.deepEqual([(await tried()).result, allowed.connected], ['reached', 1]);
	for (const [addresses, reached] of [[['127.0.0.1'], false], [['127.0.0.1', '127.0.0.2'], true], [['127.0.0.2', '127.0.0.1'], true], [['::1'], false], [['::ffff:127.0.0.1'], false], [['127.0.0.2'], true]]) {
		is(...addresses);
		const reply = await tried();
		if (!reached) assert.equal(reply.ok, false, addresses.join());
		assert.equal(inside.connected, 0, addresses.join());
	}
});
