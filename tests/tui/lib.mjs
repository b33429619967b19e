// Terminals as a person sees them: tmux draws, the tests read its screen and press keys.
//
// Each terminal has a tmux server of its own, on a socket in the fixture's folder; it ends with the process that runs the
// tests, however that ends. A client in control mode is beside it: commands go in by its stdin, replies and what
// the program prints come out of its stdout, so that nothing is polled.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { BIN, PATIENCE_MS, sleep, until } from '../lib/server.mjs';
import { useServer } from '../api/lib/server.mjs';

export { BIN, sleep, until };
export const long = Boolean(process.env.PARLEY_LONG);

export const words = Object.fromEntries(['en', 'fr'].map((lang) => [lang, JSON.parse(
	readFileSync(new URL(`../../messages/${lang}.json`, import.meta.url), 'utf8'))]));

/* What a person must have seen before keys decide, and how long nobody has pressed one before a dialog opens by itself. */
const ARMING_MS = 620;
const IDLE_MS = 2100;
const quote = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;
/** A word of a command line of tmux, which ends with the line. */
const word = (text) => `"${String(text).replace(/[\\"$]/g, '\\$&').replace(/[\u0000-\u001f\u007f]/g,
	(c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;
const plain = { ...process.env, LANG: 'C.UTF-8', TMUX: '', TMUX_TMPDIR: '' };

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A server whose owner is logged in at this machine, and terminals beside it. */
export async function useTerminals(options) {
	const server = await useServer(options);
	const terminals = [];
	after(() => terminals.forEach((terminal) => terminal.close()));
	const login = await server.run(['user', 'login', 'owner', '--data', server.data]);
	const link = login.stdout.match(/\S+\/login#\S+/)[0];
	const entered = await server.run(['login', link]);
	assert.equal(entered.code, 0, entered.stderr);
	server.terminal = (command, settings) => {
		terminals.push(new Terminal(server, command, settings));
		return terminals.at(-1);
	};
	/** The inbox, with its first page there. */
	server.inbox = async (settings = {}) => {
		const terminal = server.terminal(['inbox', ...(settings.flags ?? ['--no-open'])], settings);
		await terminal.shows(settings.lang === 'fr' ? /en direct/ : /● live/);
		return terminal;
	};
	return server;
}

/** A text, a pattern or a function as a test of a screen. */
const fit = (what) => (typeof what === 'function' ? what
	: (text) => (what instanceof RegExp ? what.test(text) : text.includes(what)));

let count = 0;

export class Terminal {
	/** command: the words after `parley`, or a line of shell; raw: a file that gets every byte it prints. */
	constructor(server, command, { columns = 100, rows = 24, term, lang = 'en', env = {}, raw } = {}) {
		this.server = server;
		this.socket = join(server.home, `tmux-${count++}`);
		const line = Array.isArray(command) ? [BIN, ...command].map(quote).join(' ') : command;
		const settings = { ...server.env, PARLEY_LANG: lang, PARLEY: BIN,
			XDG_STATE_HOME: join(server.home, 'state'), ...env };
		if (!settings.XDG_DATA) settings.PARLEY_DATA = server.data;
		const set = Object.entries(settings).map(([name, value]) => `${name}=${quote(value)}`).join(' ');
		this.waiting = []; // commands for a terminal that is not there yet
		this.asked = []; // whom the next replies are for
		this.printed = '';
		this.woken = () => {};
		this.open(['new-session', '-f', 'ignore-size', '-x', columns, '-y', rows,
			`${raw ? 'tmux wait-for go; ' : ''}env ${set} ${term ? `TERM=${term}` : ''} bash --norc -c ${quote(
				`${line}; echo "exit $?"; read -r -t 600 x`)}`]);
		if (!raw) return;
		this.say('pipe-pane', '-o', `cat > ${quote(raw)}`);
		this.say('wait-for', '-S', 'go');
	}

	/** setpriv: the kernel ends tmux with its parent, also after kill -9; the program in it then loses its terminal. */
	async open(session) {
		this.tmuxServer = spawn('setpriv', ['--pdeathsig', 'KILL', 'tmux', '-S', this.socket, '-f', '/dev/null', '-D'],
			{ env: plain, stdio: 'ignore' });
		running.add(this.tmuxServer);
		this.tmuxServer.on('close', () => running.delete(this.tmuxServer));
		const settings = ['escape-time 0', 'status off', 'remain-on-exit on'].flatMap((line) => ['set', '-g', ...line.split(' '), ';']);
		/* The socket is there a moment before tmux listens. */
		while (this.waiting && this.tmuxServer.exitCode === null && this.tmuxServer.signalCode === null) {
			await until(() => existsSync(this.socket), 'tmux');
			await this.attend([...settings, ...session]);
		}
		this.gone = true;
		this.asked.splice(0).forEach((done) => done(''));
		this.woken();
	}

	/** A client in control mode, until it ends. */
	attend(commands) {
		this.client = spawn('tmux', ['-N', '-S', this.socket, '-C', ...commands].map(String),
			{ env: plain, stdio: ['pipe', 'pipe', 'ignore'] });
		this.client.stdin.on('error', () => {});
		let reply;
		return new Promise((done) => {
			createInterface({ input: this.client.stdout }).on('line', (text) => {
				reply = this.take(text, reply);
			}).on('close', done);
		});
	}

	/** A line of the client in control mode. reply: the lines of the reply that has begun. → the same after this line */
	take(line, reply) {
		if (reply && /^%(end|error) /.test(line)) {
			/* Replies come in the order of the commands; those that opened the terminal have the flag 0. */
			if (line.endsWith(' 1')) this.asked.shift()?.(reply.join('\n'));
			return undefined;
		}
		if (reply) return [...reply, line];
		if (line.startsWith('%begin ')) return [];
		if (line.startsWith('%session-changed ')) {
			const { waiting } = this;
			this.waiting = undefined;
			waiting.forEach((text) => this.client.stdin.write(text));
		}
		if (line.startsWith('%output ')) {
			this.printed = `${this.printed}${line.slice(line.indexOf(' ', 8) + 1)}`.slice(-1_000_000);
			this.woken();
		}
		return undefined;
	}

	/** A command of tmux, in its turn behind those before. → what it printed */
	say(...args) {
		if (this.gone) return Promise.resolve('');
		return new Promise((done) => {
			const line = `${args.map(word).join(' ')}\n`;
			this.asked.push(done);
			if (this.waiting) this.waiting.push(line);
			else this.client.stdin.write(line);
		});
	}

	/** The same at once, waiting for it. */
	tmux(...args) {
		return execFileSync('tmux', ['-N', '-S', this.socket, ...args.map(String)],
			{ encoding: 'utf8', env: plain, stdio: ['ignore', 'pipe', 'pipe'] });
	}

	/** Names of keys as tmux has them: Enter, Escape, Down, C-g; other words are letters. */
	press(...keys) {
		this.say('send-keys', ...keys);
		return this;
	}

	type(text) {
		this.say('send-keys', '-l', text);
		return this;
	}

	/** Bytes in hexadecimal, as a terminal sends them. */
	bytes(...codes) {
		this.say('send-keys', '-H', ...codes);
		return this;
	}

	paste(text) {
		this.say('set-buffer', text);
		this.say('paste-buffer', '-p');
		return this;
	}

	screen({ colours = false } = {}) {
		return this.tmux('capture-pane', '-p', ...(colours ? ['-e'] : [])).replace(/[ \n]+$/, '\n');
	}

	/** The screen after all commands so far. */
	async look() {
		return `${await this.say('capture-pane', '-p')}\n`.replace(/[ \n]+$/, '\n');
	}

	/** Resolves when the program prints something, or after ms. */
	prints(ms) {
		return new Promise((done) => {
			const timer = setTimeout(done, ms);
			this.woken = () => {
				clearTimeout(timer);
				done();
			};
		});
	}

	/** Waits until the screen has it, and returns the screen. */
	async shows(what, ms = PATIENCE_MS) {
		const fits = fit(what);
		const end = Date.now() + ms;
		for (;;) {
			const printing = this.prints(100);
			const seen = await this.look();
			if (fits(seen)) return seen;
			if (Date.now() > end) assert.fail(`the screen never had ${what}:\n${seen}`);
			await printing;
		}
	}

	/** The same, once all of that picture is there: `shows` may look while it is drawn. */
	async showsWhole(what) {
		await this.shows(what);
		return this.taken();
	}

	async lacks(what) {
		return this.shows((text) => !text.includes(what));
	}

	/** Waits until this holds of what the program prints, or until `end`. → whether it holds */
	async output(holds, end) {
		while (!holds()) {
			const left = end - Date.now();
			if (this.gone || left <= 0) return false;
			await this.prints(left);
		}
		return true;
	}

	/**
	 * Until the program has taken every key so far and drawn what came of them. → the screen
	 *
	 * It draws all again for Ctrl-L, and clears the screen first. A picture is whole when the next one begins; and tmux
	 * has the whole of the last one when that is the same as the one before.
	 */
	async taken() {
		const end = Date.now() + PATIENCE_MS;
		const pictures = () => this.printed.split(/\\033\[H\\033\[2?J/);
		const last = () => pictures().at(-1);
		await this.sized();
		this.printed = '';
		for (let n = 1; ; n++) {
			this.press('C-l');
			/* Again where it went with an unfinished sequence: Esc and P at once are the start of one. */
			while (!await this.output(() => pictures().length > n, Math.min(end, Date.now() + 500))) {
				if (this.gone || Date.now() >= end) assert.fail(`the program takes no keys:\n${await this.look()}`);
				this.press('C-l');
			}
			if (n === 1) continue;
			const whole = pictures().at(-2);
			await this.output(() => last().length >= whole.length, Math.min(end, Date.now() + 50));
			if (last() !== whole) continue;
			const seen = await this.look();
			if (last() === whole) return seen;
		}
	}

	/** Time passes for the person; it counts once the program has drawn what was there before. */
	async pass(ms) {
		await this.taken();
		this.server.jump(ms);
		return this;
	}

	/** Nobody has pressed a key for so long that a new ask may open by itself. */
	async idle() { return this.pass(IDLE_MS); }

	/** Until a card with this stands there, and long enough for decisions to count. */
	async armed(what = '') {
		const fits = fit(what);
		await this.shows((text) => fits(text) && text.includes('────'));
		return this.pass(ARMING_MS);
	}

	resize(columns, rows) {
		this.say('resize-window', '-x', columns, '-y', rows);
		this.size = `${rows} ${columns}`;
		return this;
	}

	/** Until the program can know its size: tmux draws at once, but tells of a size that soon follows another 250 ms later. */
	async sized() {
		const { size } = this;
		if (!size) return;
		const tty = (await this.say('display', '-p', '#{pane_tty}')).trim();
		await until(() => this.gone || execFileSync('stty', ['-F', tty, 'size'], { encoding: 'utf8' }).trim() === size, 'its size');
		if (this.size === size) this.size = undefined;
	}

	/** The program in the terminal, as the system knows it. */
	pid() {
		const shell = this.tmux('display', '-p', '#{pane_pid}').trim();
		const below = (pid) => execFileSync('ps', ['-o', 'pid=,comm=', '--ppid', pid], { encoding: 'utf8' })
			.trim().split('\n').map((line) => line.trim().split(/\s+/));
		for (let pids = below(shell); pids.length;) {
			const found = pids.find(([, name]) => name === 'parley');
			if (found) return Number(found[0]);
			pids = below(pids[0][0]);
		}
		return 0;
	}

	close() {
		this.gone = true;
		this.tmuxServer.kill('SIGKILL');
	}
}

export const choice = (more = {}) => ({ key: 'env', header: 'Environment', text: 'Where to?', type: 'choice',
	options: [{ id: 'staging', label: 'Staging', description: 'The rehearsal' }, { id: 'production', label: 'Production' }], ...more });
export const choices = (more = {}) => ({ key: 'tests', header: 'Tests', text: 'Which tests?', type: 'choices',
	options: [{ id: 'unit', label: 'Unit' }, { id: 'api', label: 'Api' }], ...more });
export const approval = (risk = 'high', more = {}) => ({ kind: 'approval', title: 'Run it?',
	operation: { type: 'tool', name: 'shell', arguments: { cmd: 'make deploy', n: 3 }, risk }, ...more });
