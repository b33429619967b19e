// Terminals as a person sees them: tmux draws, the tests read its screen and press keys.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { BIN, sleep, until, useServer } from '../api/lib/server.mjs';

export { BIN, sleep, until };
export const long = Boolean(process.env.PARLEY_LONG);

export const words = Object.fromEntries(['en', 'fr'].map((lang) => [lang, JSON.parse(
	readFileSync(new URL(`../../messages/${lang}.json`, import.meta.url), 'utf8'))]));

const quote = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;
let count = 0;

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
		const terminal = new Terminal(server, command, settings);
		terminals.push(terminal);
		return terminal;
	};
	/** The inbox, with its first page there. */
	server.inbox = async (settings = {}) => {
		const terminal = server.terminal(['inbox', ...(settings.flags ?? ['--no-open'])], settings);
		await terminal.shows(settings.lang === 'fr' ? /en direct/ : /● live/);
		return terminal;
	};
	return server;
}

export class Terminal {
	/** command: the words after `parley`, or a line of shell. */
	constructor(server, command, { columns = 100, rows = 24, term, lang = 'en', env = {}, raw } = {}) {
		this.socket = `parley-${process.pid}-${count++}`;
		const line = Array.isArray(command) ? [BIN, ...command].map(quote).join(' ') : command;
		const settings = { ...server.env, PARLEY_LANG: lang, PARLEY: BIN,
			XDG_STATE_HOME: join(server.home, 'state'), ...env };
		if (!settings.XDG_DATA) settings.PARLEY_DATA = server.data;
		const set = Object.entries(settings).map(([name, value]) => `${name}=${quote(value)}`).join(' ');
		this.tmux('-f', '/dev/null', 'new-session', '-d', '-x', columns, '-y', rows,
			`${raw ? `tmux -L ${this.socket} wait-for go; ` : ''}env ${set} ${term ? `TERM=${term}` : ''} bash --norc -c ${quote(
				`${line}; echo "exit $?"; read -r -t 600 x`)}`,
			';', 'set', '-g', 'escape-time', '0', ';', 'set', '-g', 'status', 'off',
			';', 'set', '-g', 'remain-on-exit', 'on');
		if (!raw) return;
		this.tmux('pipe-pane', '-o', `cat > ${quote(raw)}`);
		this.tmux('wait-for', '-S', 'go');
	}

	tmux(...args) {
		return execFileSync('tmux', ['-L', this.socket, ...args.map(String)],
			{ encoding: 'utf8', env: { ...process.env, LANG: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'pipe'] });
	}

	/** Names of keys as tmux has them: Enter, Escape, Down, C-g; other words are letters. */
	press(...keys) {
		this.tmux('send-keys', ...keys);
		return this;
	}

	type(text) {
		this.tmux('send-keys', '-l', text);
		return this;
	}

	paste(text) {
		this.tmux('set-buffer', text);
		this.tmux('paste-buffer', '-p');
		return this;
	}

	screen({ colours = false } = {}) {
		return this.tmux('capture-pane', '-p', ...(colours ? ['-e'] : [])).replace(/[ \n]+$/, '\n');
	}

	/** Waits until the screen has it, and returns the screen. */
	async shows(what, ms = 15_000) {
		let seen = '';
		const fits = typeof what === 'function' ? what
			: (text) => (what instanceof RegExp ? what.test(text) : text.includes(what));
		const end = Date.now() + ms;
		for (;;) {
			seen = this.screen();
			if (fits(seen)) return seen;
			if (Date.now() > end) assert.fail(`the screen never had ${what}:\n${seen}`);
			await sleep(15);
		}
	}

	async lacks(what) {
		return this.shows((text) => !text.includes(what));
	}

	/** Once a card stands there, decisions count. */
	async armed(what) {
		await this.shows(what);
		await sleep(620);
		return this;
	}

	resize(columns, rows) {
		this.tmux('resize-window', '-x', columns, '-y', rows);
		return this;
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
		try {
			this.tmux('kill-server');
		} catch {
			// gone already
		}
	}
}

export const choice = (more = {}) => ({ key: 'env', header: 'Environment', text: 'Where to?', type: 'choice',
	options: [{ id: 'staging', label: 'Staging', description: 'The rehearsal' }, { id: 'production', label: 'Production' }], ...more });
export const choices = (more = {}) => ({ key: 'tests', header: 'Tests', text: 'Which tests?', type: 'choices',
	options: [{ id: 'unit', label: 'Unit' }, { id: 'api', label: 'Api' }], ...more });
export const approval = (risk = 'high', more = {}) => ({ kind: 'approval', title: 'Run it?',
	operation: { type: 'tool', name: 'shell', arguments: { cmd: 'make deploy', n: 3 }, risk }, ...more });
