// Starting, settings, signals, and what survives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { requestText } from './lib/raw.mjs';
import { Server, sleep, until } from './lib/server.mjs';
import { PATIENCE_MS } from '../lib/server.mjs';
import { dump, notInAFile } from '../lib/postgres.mjs';
import { stored } from '../lib/stored.mjs';

const servers = [];
after(async () => {
	for (const server of servers) {
		await server.stop();
		server.remove();
	}
});
const make = (options) => {
	const server = new Server(options);
	servers.push(server);
	return server;
};
const linkIn = (text) => text.match(/login#(\S+)/)?.[1];
const shownLink = (server) => until(() => linkIn(server.output), 'the login link', 5000);

const conf = (server, text) => {
	const folder = join(server.env.XDG_CONFIG_HOME, 'parley');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'parley.conf'), text);
};

/** `serve` that must not start; → its output. */
async function stops(flags, { env, prepare } = {}) {
	const server = make({ env });
	prepare?.(server);
	server.spawn(flags);
	const timer = setTimeout(() => server.child.kill('SIGKILL'), PATIENCE_MS);
	const how = await server.exited;
	clearTimeout(timer);
	server.child = null;
	assert.ok(how.code > 0, `it started, or died: ${JSON.stringify(how)} ${server.output}`);
	return { ...how, output: server.output };
}

test('the first start makes what it needs, writes the port and says where the page is', async () => {
	const server = await make().start();
	assert.ok(server.port > 0);
	assert.ok(notInAFile || existsSync(join(server.data, 'parley.db')));
	await until(() => server.output.includes(`127.0.0.1:${server.port}`), 'the address');
	assert.equal((await server.client(null).get('/healthz')).status, 200);
});

test('a login link is printed at every start until a person has logged in', async () => {
	const server = await make().start();
	const first = await shownLink(server);
	await server.stop();
	await server.start();
	const second = await shownLink(server);
	assert.notEqual(second, first);
	const reply = await server.client(null).post('/v1/login', { code: second });
	assert.equal(reply.status, 200);
	assert.equal(reply.body.role, 'owner');
	await server.stop();
	await server.start();
	await server.stop(); // whatever it had to print is printed
	assert.equal(linkIn(server.output), undefined);
});

test('the printed link works once', async () => {
	const server = await make().start();
	const code = await shownLink(server);
	assert.equal((await server.client(null).post('/v1/login', { code })).status, 200);
	assert.equal((await server.client(null).post('/v1/login', { code })).status, 401);
});

test('token create works before the first start: it makes the store', async () => {
	const server = make();
	const secret = await server.token('agent', 'early');
	assert.ok(notInAFile || existsSync(join(server.data, 'parley.db')));
	await server.start();
	assert.equal((await server.client(secret).get('/v1/me')).body.name, 'early');
});

test('on its own machine and user the command line finds server and token by itself', async () => {
	const server = make({ dataFlag: false });
	server.data = join(server.env.XDG_STATE_HOME, 'parley');
	await server.start();
	const { code, stdout, stderr } = await server.run(['ask', 'Found?', '--no-wait']);
	assert.equal(code, 0, stderr);
	const ask = stdout.trim();
	assert.equal((await server.run(['show', ask])).code, 0);
	assert.equal((await server.run(['answer', ask, 'yes'])).code, 4,
		'an agent under the same user must not answer');
	const link = await shownLink(server);
	assert.equal((await server.run(['login', link])).code, 0);
	assert.equal((await server.run(['answer', ask, 'yes'])).code, 0);
});

test('SIGTERM ends it with 0', async () => {
	const server = await make().start();
	assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

test('SIGTERM finishes what is in flight', async () => {
	const server = make();
	const secret = await server.token('agent', 'busy');
	await server.start();
	const client = server.client(secret);
	const asking = Promise.allSettled(Array.from({ length: 50 }, () => client.ask()));
	await sleep(5);
	server.child.kill('SIGTERM');
	const made = (await asking).filter((r) => r.status === 'fulfilled').map((r) => r.value);
	assert.equal((await server.exited).code, 0);
	await server.start();
	for (const ask of made) assert.equal((await client.read(ask)).id, ask.id);
});

test('SIGHUP does not end it', async () => {
	const server = await make().start();
	server.child.kill('SIGHUP');
	await until(() => server.stderr.includes('reloaded'), 'the signal');
	assert.equal((await server.client(null).get('/healthz')).status, 200);
});

test('SIGHUP takes over what the configuration file says now', async () => {
	const server = make();
	conf(server, 'timeout_max = 1h\n');
	const secret = await server.token('agent', 'x');
	await server.start();
	const client = server.client(secret);
	const status = async (timeout) => (await client.post('/v1/asks', { question: 'A?',
		type: 'boolean', timeout })).status;
	assert.equal(await status('2h'), 422);
	conf(server, 'timeout_max = 3h\n');
	server.child.kill('SIGHUP');
	await until(async () => await status('2h') === 201, 'the new limit');
	conf(server, 'timeout_max = soon\n');
	server.child.kill('SIGHUP');
	await until(() => server.stderr.includes('not reloaded: '), 'the refusal');
	assert.equal(await status('2h'), 201, 'a wrong file must change nothing');
});

test('a second server on the same data does not start', async () => {
	const server = await make().start();
	const second = make();
	second.data = server.data;
	second.spawn();
	const how = await second.exited;
	second.child = null;
	assert.notEqual(how.code, 0);
	assert.notEqual(second.output, '');
	assert.equal((await server.client(null).get('/readyz')).status, 200);
});

test('what was acknowledged survives kill -9, again and again', async () => {
	const server = make();
	const secret = await server.token('agent', 'hardy');
	await server.start();
	const client = server.client(secret);
	const known = [];
	for (let round = 0; round < 5; round++) {
		const asking = Promise.allSettled(Array.from({ length: 40 }, () => client.ask()));
		await sleep(10 + 10 * round);
		server.child.kill('SIGKILL');
		await server.exited;
		for (const result of await asking) {
			if (result.status === 'fulfilled') known.push(result.value);
		}
		await server.start();
		for (const ask of known) assert.equal((await client.read(ask)).status, 'pending');
	}
	const check = await server.run(['check', '--data', server.data]);
	assert.equal(check.code, 0, check.stderr);
});

for (const [name, flags, word] of [
	['an unknown option', ['--frobnicate'], 'frobnicate'],
	['a rate that is no number', ['--ask-rate', 'many'], 'ask.rate'],
	['a negative rate', ['--ask-rate', '-1'], 'ask.rate'],
	['a log format that is none', ['--log', 'xml'], 'log'],
	['an address that is none', ['--listen', 'nowhere'], 'listen'],
	['a store that is none', ['--store', 'oracle:x'], 'store'],
	['a timeout_max that is none', ['--timeout-max', 'long'], 'timeout.max'],
]) {
	test(`${name} stops the start with one line that names it`, async () => {
		const { output } = await stops(flags);
		assert.match(output, new RegExp(word));
		assert.equal(output.trim().split('\n').length, /option/.test(name) ? 2 : 1, output);
		if (flags[1]) assert.ok(output.includes(flags[1]), output);
	});
}

test('listening beyond loopback without TLS is refused, unless plain says that a proxy does it', async () => {
	const { output } = await stops(['--listen', '0.0.0.0:0']);
	assert.match(output, /plain|tls/i);
	const server = make({ flags: ['--listen', '0.0.0.0:0', '--plain'] });
	await server.start();
	assert.equal((await server.client(null).get('/healthz')).status, 200);
});

test('a wrong setting in the environment is named', async () => {
	const { output } = await stops([], { env: { PARLEY_ASK_RATE: 'lots' } });
	assert.match(output, /ask_rate|ASK_RATE/);
	assert.ok(output.includes('lots'));
});

test('an unknown setting in the configuration file is named', async () => {
	const { output } = await stops([], { prepare: (server) => {
		const folder = join(server.env.XDG_CONFIG_HOME, 'parley');
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, 'parley.conf'), 'ask_rtae = 5\n');
	} });
	assert.match(output, /ask_rtae/);
});

test('--config names the file', async () => {
	const { output } = await stops(['--config', '/nonexistent/parley.conf']);
	assert.match(output, /nonexistent/);
});

/** How many of four asks are taken under these settings. */
async function taken(server) {
	const secret = await server.token('agent', 'x');
	await server.start();
	const client = server.client(secret);
	let count = 0;
	for (let i = 0; i < 4; i++) {
		const reply = await client.post('/v1/asks', { question: 'A?', type: 'boolean' });
		if (reply.status === 201) count++;
	}
	return count;
}
test('settings come from the configuration file', async () => {
	const server = make();
	conf(server, 'ask_rate = 1\n');
	assert.equal(await taken(server), 1);
});

test('the environment goes before the file', async () => {
	const server = make({ env: { PARLEY_ASK_RATE: '2' } });
	conf(server, 'ask_rate = 1\n');
	assert.equal(await taken(server), 2);
});

test('a flag goes before the environment', async () => {
	const server = make({ env: { PARLEY_ASK_RATE: '2' }, flags: ['--ask-rate', '3'] });
	conf(server, 'ask_rate = 1\n');
	assert.equal(await taken(server), 3);
});

test('in flags _ is accepted for -', async () => {
	assert.equal(await taken(make({ flags: ['--ask_rate', '3'] })), 3);
});

test('timeout_min and timeout_max bound what agents may set', async () => {
	const server = make({ flags: ['--timeout-min', '10s', '--timeout-max', '1h'] });
	const secret = await server.token('agent', 'x');
	await server.start();
	const client = server.client(secret);
	for (const [timeout, status] of [['9s', 422], ['10s', 201], ['1h', 201], ['61m', 422]]) {
		const reply = await client.post('/v1/asks', { question: 'A?', type: 'boolean', timeout });
		assert.equal(reply.status, status, timeout);
	}
});

test('url is how people reach it', async () => {
	const server = make({ flags: ['--url', 'https://parley.example.org'] });
	const secret = await server.token('agent', 'x');
	await server.start();
	const ask = await server.client(secret).ask();
	assert.equal(ask.url, `https://parley.example.org/asks/${ask.id}`);
});

test("the Host of url is a good Host", async () => {
	const server = make({ flags: ['--url', 'https://parley.example.org'] });
	await server.start();
	const reply = await server.client(null).get('/healthz', { headers: { host: 'parley.example.org' } });
	assert.equal(reply.status, 200);
});

test('store names the file', async () => {
	const server = make();
	const file = join(server.home, 'elsewhere.db');
	server.flags = ['--store', `sqlite:${file}`];
	await server.start();
	assert.ok(existsSync(file));
	assert.equal(existsSync(join(server.data, 'parley.db')), false);
});

test('it listens on a unix socket that is for its owner only', async () => {
	const server = make();
	const path = join(server.home, 'sock');
	server.spawn(['--listen', `unix:${path}`]);
	await until(() => existsSync(path), 'the socket');
	assert.equal(statSync(path).mode & 0o777, 0o600);
	await until(() => server.output.includes(`info ready on unix:${path}\n`), 'its own name in the log');
});

test('a link made before the first start leads to where the server will be', async () => {
	const server = make();
	const link = async (...words) => server.run(['user', ...words, '--data', server.data]);
	const first = await link('create', 'ann');
	assert.match(first.stdout, /^http:\/\/127\.0\.0\.1:7275\/login#plc_\w+$/m);
	assert.match(first.stderr, /The server is not running\. Start it with 'parley serve', then open this link:/);
	conf(server, 'listen = 127.0.0.1:8123\n');
	assert.match((await link('login', 'ann')).stdout, /^http:\/\/127\.0\.0\.1:8123\/login#/m);
	conf(server, 'url = https://desk.example.org\n');
	assert.match((await link('login', 'ann', '--lang', 'fr')).stdout, /^https:\/\/desk\.example\.org\/login#/m);
});

test('log=json makes every line an object', async () => {
	const server = make({ flags: ['--log', 'json', '--log-level', 'debug'] });
	await server.start();
	await server.client(null).get('/healthz');
	await server.stop();
	const objects = server.output.split('\n').filter((line) => line.startsWith('{'));
	for (const line of objects) assert.equal(typeof JSON.parse(line), 'object');
});

test('no secret is in the log or in plain in the store', async () => {
	const server = make({ flags: ['--log-level', 'debug'] });
	const secret = await server.token('agent', 'x');
	await server.start();
	await server.client(secret).ask();
	await server.client(`${secret}x`).get('/v1/me');
	await server.stop();
	assert.ok(!server.output.includes(secret));
	const kept = [...stored(server.data), ...notInAFile ? [['dump', dump(server.env.PARLEY_STORE)]] : []];
	for (const [what, text] of kept) assert.ok(!text.includes(secret), what);
});

test('a start with a thousand asks is quick', async () => {
	const server = make({ flags: ['--ask-rate', '0'] });
	const secret = await server.token('agent', 'x');
	const first = Date.now();
	await server.start();
	const empty = Date.now() - first; // what a start takes on this machine, as busy as it is
	const client = server.client(secret);
	for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 100 }, () => client.ask()));
	await server.stop();
	const started = Date.now();
	await server.start();
	assert.ok(Date.now() - started < 2000 + 4 * empty, `${Date.now() - started} ms, empty ${empty} ms`);
});

test('SIGTERM waits for requests whose peers have gone', async () => {
	const server = make({ flags: ['--ask-rate', '0'] });
	const secret = await server.token('agent', 'x');
	await server.start();
	const client = server.client(secret);
	await Promise.all(Array.from({ length: 200 }, () => client.ask({ kind: 'non_blocking',
		context: { preview: 'x'.repeat(5000) } })));
	/* A page of the list takes a clerk a moment: its reader has gone and the server stops meanwhile. */
	const sockets = await Promise.all(Array.from({ length: 20 }, () => new Promise((resolve) => {
		const socket = net.connect(server.port, '127.0.0.1', () => resolve(socket));
	})));
	const request = requestText(server, 'GET', '/v1/asks?limit=200', [`Authorization: Bearer ${secret}`]);
	for (const socket of sockets) socket.write(request);
	await sleep(5);
	for (const socket of sockets) socket.resetAndDestroy();
	assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

test('a server ends with the test that started it, also when that is killed', async () => {
	const script = `import { Server } from ${JSON.stringify(new URL('../lib/server.mjs', import.meta.url).href)};
		const server = await new Server({ parent: process.argv[1] }).start();
		console.log(server.child.pid);
		setInterval(() => {}, 1000);`;
	const { home } = make();
	const child = spawn(process.execPath, ['--input-type=module', '-e', script, home], { stdio: ['ignore', 'pipe', 'inherit'] });
	const pid = Number(String((await once(child.stdout, 'data'))[0]));
	child.kill('SIGKILL');
	/* Whoever inherits it may be slow to take notice that it has ended. */
	const ended = () => {
		try {
			return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
		} catch {
			return true;
		}
	};
	await until(ended, 'the end of the server');
});
