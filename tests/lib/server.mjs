// server.mjs - the server fixture: the real program in a folder of its own. It is started, stopped,
// killed and started again; its clock can be moved; requests can be repeated across its restarts.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stablePort } from './ports.mjs';
import { storeEnvironment } from './postgres.mjs';

export const BIN = resolve(process.env.PARLEY_BIN
	?? fileURLToPath(new URL('../../build/parley', import.meta.url)));

/** How long a condition may take. Reached only by tests that fail: a busy machine needs the room. */
export const PATIENCE_MS = Number(process.env.PARLEY_PATIENCE_MS ?? 60_000);

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/* A look may cost more than what it waits for: the longer it takes, the rarer it is. */
const LOOKS_MS = [5, 10, 20, 40, 80];

/** Polls until fn returns something true, and returns that; fails with `what` after ms. */
export async function until(fn, what = 'it', ms = PATIENCE_MS) {
	const end = Date.now() + ms;
	for (let i = 0; ; i++) {
		const result = await fn();
		if (result) return result;
		if (Date.now() > end) assert.fail(`${what} did not come within ${ms} ms`);
		await sleep(LOOKS_MS[i] ?? LOOKS_MS.at(-1));
	}
}

/** The environment without anything of the person who runs the tests. */
function cleanEnvironment(home) {
	const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TMPDIR: tmpdir() };
	for (const name of ['ASAN_OPTIONS', 'ASAN_SYMBOLIZER_PATH', 'UBSAN_OPTIONS', 'TSAN_OPTIONS', 'LSAN_OPTIONS']) {
		if (process.env[name]) env[name] = process.env[name];
	}
	env.XDG_STATE_HOME = join(home, 'state');
	env.XDG_CONFIG_HOME = join(home, 'config');
	env.XDG_RUNTIME_DIR = join(home, 'run');
	return env;
}

/* A server ends with the process that started it, also when that is killed and runs no handler. */
const WITH_US = ['setpriv', '--pdeathsig', 'KILL', '--'];

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export class Server {
	/**
	 * flags: further options of `serve`; env: further environment; data: its folder, when not in `home`;
	 * dataFlag: false leaves `--data` out; keepPort: every life has the same port; wrap: the command that
	 * runs the program; as: {uid, gid}; bin: another copy of the program; parent: where `home` is made.
	 */
	constructor({ flags = [], env = {}, data, dataFlag = true, keepPort = false, wrap = [], as, bin = BIN,
		parent = tmpdir() } = {}) {
		this.home = mkdtempSync(join(parent, 'parley-'));
		this.data = data ?? join(this.home, 'data');
		Object.assign(this, { flags, dataFlag, keepPort, wrap, runAs: as, bin });
		this.portFile = join(this.home, 'port');
		this.clockFile = join(this.home, 'clock');
		mkdirSync(join(this.home, 'run'), { mode: 0o700 });
		this.offset = 0;
		writeFileSync(this.clockFile, '0');
		this.env = { ...cleanEnvironment(this.home), PARLEY_TEST_CLOCK: this.clockFile, ...storeEnvironment(), ...env };
		this.output = this.stderr = '';
		this.lives = 0;
		this.goesDown();
	}

	get address() { return `127.0.0.1:${this.port}`; }
	get url() { return `http://${this.address}`; }

	/* ---- its life ---- */

	/** Whoever repeats requests waits for `up`, a new promise each time the server goes down. */
	goesDown() {
		if (this.isDown) return;
		this.isDown = true;
		this.up = new Promise((done) => {
			this.comesUp = () => {
				this.isDown = false;
				done();
			};
		});
	}

	/** Starts `serve` without waiting for it; `bin`: another program in its place. */
	spawn(flags = this.flags, bin = this.bin) {
		rmSync(this.portFile, { force: true });
		this.output = this.stderr = '';
		const data = this.dataFlag ? ['--data', this.data] : [];
		const [command, ...args] = [...this.wrap, ...WITH_US, bin, 'serve', '--listen',
			`127.0.0.1:${(this.keepPort && this.port) || 0}`, '--port-file', this.portFile, ...data, ...flags];
		const child = spawn(command, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'], ...this.runAs });
		this.child = child;
		this.lives += 1;
		running.add(child);
		child.stdout.on('data', (bytes) => { this.output += bytes; });
		child.stderr.on('data', (bytes) => {
			this.output += bytes;
			this.stderr += bytes;
		});
		this.exited = new Promise((done) => {
			child.on('close', (code, signal) => {
				running.delete(child);
				if (/Sanitizer|runtime error|ssertion/.test(this.output)
					|| ['SIGSEGV', 'SIGABRT', 'SIGBUS'].includes(signal)) {
					process.stderr.write(`serve died (${code ?? signal}):\n${this.output}\n`);
					process.exitCode = 1; // whatever the test was about
				}
				done({ code, signal });
			});
		});
		return this;
	}

	/** Starts it, and returns once it can be reached. */
	async start(flags, bin) {
		if (this.keepPort && !this.port) this.port = await stablePort();
		this.spawn(flags, bin);
		return this.reachable();
	}

	/** After `spawn`: returns once it can be reached. */
	async reachable() {
		let gone;
		this.exited.then((how) => { gone = how; });
		const end = Date.now() + PATIENCE_MS;
		for (;;) {
			try {
				this.port = Number(readFileSync(this.portFile, 'utf8'));
				if (this.port) break;
			} catch {
				// Not there yet.
			}
			if (gone) assert.fail(`serve ended (${JSON.stringify(gone)}):\n${this.output}`);
			if (Date.now() > end) assert.fail(`serve did not start:\n${this.output}`);
			await sleep(2);
		}
		this.connections = new http.Agent({ keepAlive: true });
		this.comesUp();
		return this;
	}

	/** To the program itself, also when `wrap` runs it. → {code, signal} once it is gone */
	async signal(name) {
		this.goesDown();
		let pid;
		if (this.wrap.length) {
			try {
				({ pid } = JSON.parse(readFileSync(join(this.data, 'server.json'), 'utf8')));
				process.kill(pid, name);
			} catch {
				pid = undefined;
			}
		}
		if (!pid) this.child.kill(name);
		const how = await this.exited;
		this.connections?.destroy();
		return how;
	}

	kill() { return this.signal('SIGKILL'); }

	/** As the system stops it. → {code, signal}, or nothing when it does not run */
	async stop() {
		if (!this.child) return undefined;
		const timer = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS);
		const how = await this.signal('SIGTERM');
		clearTimeout(timer);
		this.child = null;
		return how;
	}

	/** kill -9, and up again on the same data. */
	async crash() {
		await this.kill();
		await this.start();
	}

	remove() { rmSync(this.home, { recursive: true, force: true }); }

	/** However the test ended: nothing of it is left. */
	async end() {
		if (this.child && this.child.exitCode === null && this.child.signalCode === null) await this.kill();
		this.connections?.destroy();
		this.remove();
	}

	/** Adds ms to the server's clock; deadlines on the way pass. */
	jump(ms) {
		this.offset += ms;
		writeFileSync(`${this.clockFile}.new`, String(this.offset));
		renameSync(`${this.clockFile}.new`, this.clockFile);
	}

	/** Returns once so many requests wait for an ask. */
	holds(n, token = this.secrets.admin) {
		return until(async () => {
			const reply = await fetch(`${this.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
			return new RegExp(`^parley_waiters ${n}$`, 'm').test(await reply.text());
		}, `${n} waiting`);
	}

	/* ---- commands beside it ---- */

	/** Runs a command of parley; never throws. → {code, stdout, stderr} */
	run(args, { env = {}, input, cwd, timeout = PATIENCE_MS } = {}) {
		return new Promise((done) => {
			const child = execFile(this.bin, args, { env: { ...this.env, ...env }, cwd, timeout },
				(error, stdout, stderr) => {
					const code = error ? (error.code ?? error.signal) : 0;
					done({ code, stdout, stderr });
				});
			child.stdin.on('error', () => {}); // it ended without reading: its code says why
			child.stdin.end(input);
		});
	}

	/** Runs a command on this server's data; throws when it fails. → what it printed */
	async command(...args) {
		const done = await this.run([...args, '--data', this.data]);
		assert.equal(done.code, 0, `parley ${args.join(' ')}: ${done.stdout}${done.stderr}`);
		return done.stdout.trim();
	}

	/** → the secret of a new token */
	async token(role, name = role, extra = []) {
		const printed = await this.command('token', 'create', '--role', role, '--name', name, ...extra);
		return printed.split(/\s+/).at(-1);
	}

	/** → a path with a code that logs this user in, once */
	async loginPath(name = 'owner') {
		return (await this.command('user', 'login', name)).match(/\/login#\S+/)[0];
	}

	/* ---- requests across its lives ---- */

	/** One try. → {status, body}; throws when the connection is lost. */
	once(token, method, path, body, key) {
		return new Promise((done, reject) => {
			const text = body === undefined ? '' : JSON.stringify(body);
			const headers = token ? { authorization: `Bearer ${token}` } : {};
			if (text) headers['content-type'] = 'application/json';
			headers['content-length'] = Buffer.byteLength(text);
			if (key) headers['idempotency-key'] = key;
			const request = http.request({ port: this.port, host: '127.0.0.1', method, path,
				headers, agent: this.connections }, (response) => {
				let got = '';
				response.setEncoding('utf8');
				response.on('data', (piece) => { got += piece; });
				response.on('error', reject);
				response.on('close', () => {
					if (!response.complete) reject(new Error('cut off'));
					else done({ status: response.statusCode, body: got ? JSON.parse(got) : null });
				});
			});
			request.on('error', reject);
			request.end(text);
		});
	}

	/** Tries until there is an answer; `tries` tells how often it took. */
	async call(token, method, path, body, key) {
		for (let tries = 1; ; tries++) {
			await this.up;
			try {
				return { ...await this.once(token, method, path, body, key), tries };
			} catch {
				await Promise.race([this.exited, sleep(5)]);
			}
		}
	}
}
