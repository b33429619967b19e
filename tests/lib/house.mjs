// The real program on a bad day, and clients that do not give up: for tests that kill it,
// fill its disk, or let its calls fail.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeEnvironment } from './postgres.mjs';

const BIN = process.env.PARLEY_BIN;
assert.ok(BIN, 'PARLEY_BIN names the program');

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeatable, so that a failure can be told by its seed. */
export function dice(seed) {
	let state = seed >>> 0;
	return (sides) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return (state >>> 8) % sides;
	};
}

export class House {
	/** data: where, in its own folder when not said; wrap: what runs the program, and how. */
	constructor({ data, wrap = [], as } = {}) {
		this.home = mkdtempSync(join(tmpdir(), 'parley-house-'));
		this.data = data ?? join(this.home, 'data');
		this.wrap = wrap;
		this.as = as; // {uid, gid}
		this.clockFile = join(this.home, 'clock');
		mkdirSync(join(this.home, 'run'), { mode: 0o700 });
		this.offset = 0;
		writeFileSync(this.clockFile, '0');
		this.env = {
			PATH: process.env.PATH, HOME: this.home, LANG: 'C.UTF-8',
			XDG_STATE_HOME: join(this.home, 'state'), XDG_CONFIG_HOME: join(this.home, 'config'),
			XDG_RUNTIME_DIR: join(this.home, 'run'), PARLEY_TEST_CLOCK: this.clockFile,
			PARLEY_ASK_RATE: '0', ...storeEnvironment(),
		};
		this.port = 0;
		this.lives = 0;
		this.down();
	}

	/** Clients wait for `up`, which is a new promise whenever the server is down. */
	down() {
		if (this.isDown) return;
		this.isDown = true;
		this.up = new Promise((resolve) => {
			this.isUp = () => {
				this.isDown = false;
				resolve();
			};
		});
	}

	spawn() {
		const portFile = join(this.home, 'port');
		if (!this.port) rmSync(portFile, { force: true });
		this.said = '';
		const [first, ...args] = [...this.wrap, BIN, 'serve', '--data', this.data, '--listen',
			`127.0.0.1:${this.port}`, '--port-file', portFile];
		const child = spawn(first, args, { env: this.env, ...this.as });
		this.child = child;
		this.lives += 1;
		child.stderr.on('data', (bytes) => { this.said += bytes; });
		this.gone = new Promise((resolve) => {
			child.on('close', (code, signal) => resolve({ code, signal }));
		});
		// It says where it is once its doors are open.
		this.ready = new Promise((resolve) => { child.stdout.once('data', resolve); });
	}

	async start() {
		this.spawn();
		const how = await Promise.race([this.ready.then(() => null), this.gone]);
		assert.equal(how, null, `serve ended: ${JSON.stringify(how)}\n${this.said}`);
		this.opened();
	}

	/** After `ready`. */
	opened() {
		this.port = Number(readFileSync(join(this.home, 'port'), 'utf8'));
		this.agent = new http.Agent({ keepAlive: true });
		this.isUp();
	}

	async kill(signal = 'SIGKILL') {
		this.down();
		this.child.kill(signal);
		const how = await this.gone;
		this.agent?.destroy();
		return how;
	}

	/** The program itself, not what runs it. */
	async killInside() {
		const { pid } = JSON.parse(readFileSync(join(this.data, 'server.json'), 'utf8'));
		this.down();
		process.kill(pid, 'SIGKILL');
		await this.gone;
		this.agent.destroy();
	}

	jump(ms) {
		this.offset += ms;
		writeFileSync(this.clockFile, String(this.offset));
	}

	run(args) {
		return new Promise((resolve) => {
			execFile(BIN, [...args, '--data', this.data], { env: this.env },
				(error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
		});
	}

	async token(role, name) {
		const made = await this.run(['token', 'create', '--role', role, '--name', name]);
		assert.equal(made.code, 0, made.stderr);
		return made.stdout.trim().split(/\s+/).at(-1);
	}

	/** One try. → {status, body}; throws when the connection is lost. */
	once(token, method, path, body, key) {
		return new Promise((resolve, reject) => {
			const text = body === undefined ? '' : JSON.stringify(body);
			const headers = token ? { authorization: `Bearer ${token}` } : {};
			if (text) headers['content-type'] = 'application/json';
			headers['content-length'] = Buffer.byteLength(text);
			if (key) headers['idempotency-key'] = key;
			const request = http.request({ port: this.port, host: '127.0.0.1', method, path,
				headers, agent: this.agent }, (response) => {
				let got = '';
				response.setEncoding('utf8');
				response.on('data', (piece) => { got += piece; });
				response.on('error', reject);
				response.on('close', () => {
					if (!response.complete) reject(new Error('cut off'));
					else resolve({ status: response.statusCode, body: got ? JSON.parse(got) : null });
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
				await Promise.race([this.gone, sleep(5)]);
			}
		}
	}

	remove() { rmSync(this.home, { recursive: true, force: true }); }

	/** However the test ended: nothing of it is left. */
	async end() {
		if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
			if (this.wrap.length) await this.killInside().catch(() => {});
			this.child.kill('SIGKILL');
			await this.gone;
		}
		this.agent?.destroy();
		this.remove();
	}
}

/** Follows the log across all lives of the server; every number must follow the last. */
export class Follower {
	constructor(house, token) {
		this.house = house;
		this.token = token;
		this.last = 0;
		this.events = new Map(); // ask → the types of its events, in order
		this.waiting = [];
		this.problem = null;
		this.running = this.run();
	}

	async run() {
		while (!this.stopped) {
			await this.house.up;
			if (!this.stopped) await this.follow().catch(() => sleep(5));
		}
	}

	follow() {
		return new Promise((resolve, reject) => {
			this.request = http.get({ port: this.house.port, host: '127.0.0.1', path: '/v1/events',
				headers: { authorization: `Bearer ${this.token}`, 'last-event-id': this.last } },
			(response) => {
				let rest = '';
				response.setEncoding('utf8');
				response.on('data', (piece) => {
					const frames = (rest + piece).split('\n\n');
					rest = frames.pop();
					frames.forEach((frame) => this.frame(frame));
				});
				response.on('error', reject);
				response.on('close', resolve);
			});
			this.request.on('error', reject);
		});
	}

	frame(text) {
		const data = /^data: (.*)$/m.exec(text);
		if (!data) return;
		const event = JSON.parse(data[1]);
		if (event.id !== this.last + 1) this.problem ??= `event ${event.id} after ${this.last}`;
		this.last = event.id;
		if (event.ask) {
			if (!this.events.has(event.ask)) this.events.set(event.ask, []);
			this.events.get(event.ask).push(event.type);
		}
		this.waiting = this.waiting.filter(({ n, resolve }) => n > this.last || resolve());
	}

	/** Resolves when event n was seen. */
	reach(n) {
		if (this.last >= n) return Promise.resolve();
		return new Promise((resolve) => { this.waiting.push({ n, resolve }); });
	}

	async stop() {
		this.stopped = true;
		this.request?.destroy();
		this.house.isUp();
		await this.running;
	}
}
