// Starts the real program in a folder of its own, and stops it again.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { storeEnvironment } from '../../lib/postgres.mjs';
import { Client } from './client.mjs';

export const BIN = process.env.PARLEY_BIN
	?? fileURLToPath(new URL('../../../build/parley', import.meta.url));

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until fn returns something true; fails with `what` after ms. */
export async function until(fn, what = 'it', ms = 10_000) {
	const end = Date.now() + ms;
	for (;;) {
		const result = await fn();
		if (result) return result;
		if (Date.now() > end) assert.fail(`${what} did not come within ${ms} ms`);
		await sleep(20);
	}
}

/** The environment without anything of the person who runs the tests. */
function cleanEnvironment(home, extra) {
	const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TMPDIR: tmpdir() };
	for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS']) {
		if (process.env[name]) env[name] = process.env[name];
	}
	env.XDG_STATE_HOME = join(home, 'state');
	env.XDG_CONFIG_HOME = join(home, 'config');
	env.XDG_RUNTIME_DIR = join(home, 'run');
	return { ...env, ...extra };
}

export class Server {
	/** flags: further options of `serve`; env: further environment. */
	constructor({ flags = [], env = {}, dataFlag = true } = {}) {
		this.home = mkdtempSync(join(tmpdir(), 'parley-'));
		this.data = join(this.home, 'data');
		this.portFile = join(this.home, 'port');
		this.clockFile = join(this.home, 'clock');
		mkdirSync(join(this.home, 'run'), { mode: 0o700 });
		writeFileSync(this.clockFile, '0');
		this.flags = flags;
		this.dataFlag = dataFlag;
		this.env = cleanEnvironment(this.home,
			{ PARLEY_TEST_CLOCK: this.clockFile, ...storeEnvironment(), ...env });
		this.output = '';
		this.clients = [];
	}

	get address() { return `127.0.0.1:${this.port}`; }
	get url() { return `http://${this.address}`; }

	/** Spawns `serve` without waiting for it; `bin`: what stands in for the program. */
	spawn(flags = this.flags, bin = BIN) {
		rmSync(this.portFile, { force: true });
		const data = this.dataFlag ? ['--data', this.data] : [];
		this.output = '';
		this.child = spawn(bin, ['serve', '--listen', '127.0.0.1:0', '--port-file', this.portFile,
			...data, ...flags], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
		this.child.stdout.on('data', (bytes) => { this.output += bytes; });
		this.child.stderr.on('data', (bytes) => { this.output += bytes; });
		this.exited = new Promise((resolve) => {
			this.child.on('close', (code, signal) => {
				if (/Sanitizer|runtime error|ssertion/.test(this.output)
					|| ['SIGSEGV', 'SIGABRT', 'SIGBUS'].includes(signal)) {
					process.stderr.write(`serve died (${code ?? signal}):\n${this.output}\n`);
				}
				resolve({ code, signal });
			});
		});
		return this;
	}

	async start(flags, bin) {
		this.spawn(flags, bin);
		let gone;
		this.exited.then((how) => { gone = how; });
		this.port = await until(() => {
			if (gone) assert.fail(`serve ended (${JSON.stringify(gone)}):\n${this.output}`);
			try {
				return Number(readFileSync(this.portFile, 'utf8'));
			} catch {
				return 0;
			}
		}, 'the port file', 20_000);
		return this;
	}

	async signal(name) {
		this.child.kill(name);
		return this.exited;
	}

	async stop() {
		for (const client of this.clients) client.close();
		if (!this.child) return undefined;
		const timer = setTimeout(() => this.child.kill('SIGKILL'), 20_000);
		const how = await this.signal('SIGTERM');
		clearTimeout(timer);
		this.child = null;
		return how;
	}

	/** kill -9, and up again on the same data. */
	async crash() {
		for (const client of this.clients) client.close();
		await this.signal('SIGKILL');
		await this.start();
	}

	remove() { rmSync(this.home, { recursive: true, force: true }); }

	/** Adds ms to the server's clock. */
	jump(ms) {
		const now = Number(readFileSync(this.clockFile, 'utf8'));
		writeFileSync(this.clockFile, String(now + ms));
	}

	/** Runs a command of parley; never throws. → {code, stdout, stderr} */
	run(args, { env = {}, input, cwd, timeout = 30_000 } = {}) {
		return new Promise((resolve) => {
			const child = execFile(BIN, args, { env: { ...this.env, ...env }, cwd, timeout },
				(error, stdout, stderr) => {
					const code = error ? (error.code ?? error.signal) : 0;
					resolve({ code, stdout, stderr });
				});
			if (input !== undefined) child.stdin.end(input);
			else child.stdin.end();
		});
	}

	async secret(role, name, extra = []) {
		const made = await this.run(['token', 'create', '--role', role, '--name', name,
			'--data', this.data, ...extra]);
		assert.equal(made.code, 0, `token create: ${made.stderr}`);
		return made.stdout.trim().split(/\s+/).at(-1);
	}

	/** A client with a new token of this role. */
	async as(role, name = role, extra = []) {
		return this.client(await this.secret(role, name, extra));
	}

	client(token) {
		const client = new Client(this, token);
		this.clients.push(client);
		return client;
	}
}

/** A server for the tests of a file, with a token of each kind; gone after them. */
export async function useServer(options) {
	const server = new Server(options);
	after(async () => {
		await server.stop();
		server.remove();
	});
	server.secrets = {
		agent: await server.secret('agent', 'builder'),
		stranger: await server.secret('agent', 'stranger'),
		member: await server.secret('member', 'mia'),
		admin: await server.secret('admin', 'ada'),
	};
	await server.start();
	for (const [name, secret] of Object.entries(server.secrets)) {
		server[name] = server.client(secret);
	}
	server.nobody = server.client(null);
	return server;
}
