// docs.mjs - README and docs as a reader uses them: their blocks are typed word for word, in order, each page in a folder of its
// own, with a network of its own. What cannot be had offline stands in: models, Slack, a coding agent.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { ScriptModel, results, say, use } from '../../lib/script_model.mjs';
import { BIN, sleep, until } from '../../lib/server.mjs';
import { Slack } from './slack.mjs';
import { SlackSockets } from './slack_socket.mjs';

const root = new URL('../../../', import.meta.url);
export const read = (file) => readFileSync(new URL(file, root), 'utf8');
export const pages = ['README.md', ...readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

/** The blocks of a page in this language, in order; those of a list without their indent. */
export const blocks = (file, language = 'sh') => [...read(file).matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\``, 'gm'))]
	.map(([, indent, text]) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

/* ---- a machine without a network but its own ---- */

const APART = ['--map-root-user', '--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child'];
export const noNamespaces = spawnSync('unshare', [...APART, 'true']).status === 0 ? false : 'this system allows no namespaces';

/** Runs the tests of a file in namespaces of their own, where ports, names of hosts and /var are free. → {code, output} */
export function inNamespaces(file) {
	const steps = ['ip link set lo up', 'mount -t tmpfs none /var/lib', 'mount -t tmpfs none /var/backups',
		'mkdir /var/lib/parley /var/backups/parley', `exec "${process.execPath}" --test "${file}"`];
	const env = { ...process.env };
	delete env.NODE_TEST_CONTEXT; // else it would report to us, and not print
	return new Promise((done) => {
		const child = spawn('unshare', [...APART, 'sh', '-ec', steps.join('\n')],
			{ env, stdio: ['ignore', 'pipe', 'pipe'] });
		let output = '';
		for (const from of [child.stdout, child.stderr]) from.on('data', (bytes) => { output += bytes; });
		child.on('close', (code) => done({ code, output }));
	});
}

/** The models and Slack, at their own addresses. */
export async function standIns() {
	const folder = mkdtempSync(join(tmpdir(), 'parley-docs-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	const hosts = ['api.anthropic.com', 'api.openai.com', 'slack.com', 'wss.slack.com'];
	const [cert, key, names] = ['cert.pem', 'key.pem', 'hosts'].map((name) => join(folder, name));
	execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert,
		'-days', '2', '-subj', '/CN=stand-in', '-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`).join()},IP:127.0.0.1`], { stdio: 'pipe' });
	writeFileSync(names, `127.0.0.1 localhost ${hosts.join(' ')}\n`);
	execFileSync('mount', ['--bind', names, '/etc/hosts']);
	const tls = { cert: readFileSync(cert), key: readFileSync(key) };
	const slack = await new Slack().open(tls);
	const sockets = new SlackSockets(slack);
	const model = new ScriptModel(haiku);
	const front = https.createServer(tls, (request, response) => {
		if (request.headers.host.endsWith('slack.com')) slack.http.emit('request', request, response);
		else model.serve(request, response);
	});
	await new Promise((done) => { front.listen(443, '127.0.0.1', done); });
	after(() => {
		front.closeAllConnections();
		front.close();
	});
	return { cert, slack, sockets, model };
}

/** Asks what it was told to ask, then writes. */
function haiku(body, n, { tools }) {
	const asks = /Ask me two things/.test(JSON.stringify(body)) && tools.includes('ask_user_question');
	if (!asks || results(body).length) return [say('An old silent pond.')];
	const question = (text, header) => ({ question: text, header, multiSelect: false, options: ['One', 'Two'].map((label) => ({ label, description: label })) });
	return [use('ask_user_question', { questions: [question('Which season?', 'Season'), question('Which animal?', 'Animal')] })];
}

/* ---- a reader ---- */

const SERVES = /^(?:\w+=\S+ )?parley serve\b.*$/;
const CLAUDE = '#!/bin/sh\necho "claude: $*"\n';

export class Reader {
	/** A home, a project to work in, a shell that finds the program. */
	constructor({ cert, slack }) {
		this.slack = slack;
		slack.messages.length = 0;
		this.home = mkdtempSync(join(tmpdir(), 'parley-reader-'));
		[this.work, this.bin, this.config] = ['web', 'bin', '.config/parley'].map((name) => join(this.home, name));
		for (const folder of [this.work, this.bin, this.config]) mkdirSync(folder, { recursive: true });
		this.env = { HOME: this.home, PATH: `${this.bin}:${dirname(BIN)}:${process.env.PATH}`, LANG: 'C.UTF-8', TERM: 'xterm-256color', SSL_CERT_FILE: cert };
		this.file('../bin/claude', CLAUDE);
		chmodSync(join(this.bin, 'claude'), 0o755);
		execFileSync('git', ['init', '-q', this.work]);
		this.running = [];
	}

	/** The token that commands of this user ask with. */
	agent() { return readFileSync(join(this.home, '.local/state/parley/agent.token'), 'utf8').trim(); }

	secret(name, text) { writeFileSync(join(this.config, name), `${text}\n`, { mode: 0o600 }); }

	file(name, text) { writeFileSync(join(this.work, name), text); }

	spawn(text, { tty = false, input, env } = {}) {
		const path = join(this.home, `typed-${this.running.length}`);
		writeFileSync(path, text);
		const command = tty ? ['script', '-qefc', `bash -e ${path}`, '/dev/null'] : ['bash', '-e', path];
		const child = spawn(command[0], command.slice(1), { cwd: this.work, env: { ...this.env, ...env }, detached: true });
		const shell = { child, text, output: '', stdout: '' };
		child.stdout.on('data', (bytes) => { shell.output += bytes; shell.stdout += bytes; });
		child.stderr.on('data', (bytes) => { shell.output += bytes; });
		child.stdin.on('error', () => {});
		if (!tty) child.stdin.end(input ?? '');
		shell.ended = new Promise((done) => { child.on('close', (code) => { shell.code = code; done(shell); }); });
		this.running.push(shell);
		return shell;
	}

	/** What the page says instead of a value: the link that the server printed, an id, a key. */
	async fill(text) {
		const code = () => until(() => JSON.stringify(this.slack.messages.at(-1)?.blocks ?? []).match(/Parley: ([a-z]{8})/)?.[1], 'the code in Slack');
		const newest = async (path) => (await this.get(path)).items.at(-1)?.id;
		const known = [[/login#…/g, () => until(() => this.output().match(/login#\S+/)?.[0], 'the link')], [/(_API_KEY)=…/g, () => '$1=sk-0123456789abcdef'],
			[/\bCODE\b/g, code], [/ask_…/g, () => newest('/v1/asks')], [/rul_01jc…/g, () => newest('/v1/rules')], [/run_…/g, async () => (await this.get('/v1/runs')).items[0].id]];
		for (const [pattern, value] of known) if (pattern.test(text)) text = text.replaceAll(pattern, await value());
		return text;
	}

	output() { return this.server.output; }

	/** Types a line that starts a server; the one before is stopped. */
	async serve(line) {
		await this.stop();
		this.server = this.spawn(await this.fill(line));
		await until(() => /Parley is ready: /.test(this.server.output) || this.server.code !== undefined, line);
		assert.match(this.server.output, /Parley is ready: http:\/\/127\.0\.0\.1:7275\/$/m);
		const made = execFileSync(BIN, ['token', 'create', '--role', 'owner', '--name', 'apparatus'], { env: this.env, encoding: 'utf8' });
		this.token = made.trim().split(/\s+/).at(-1);
	}

	async stop() {
		if (!this.server || this.server.code !== undefined) return;
		const { pid } = JSON.parse(readFileSync(join(this.home, '.local/state/parley/server.json'), 'utf8'));
		process.kill(pid, 'SIGTERM');
		await this.server.ended;
	}

	async request(path, method = 'GET', body) {
		const reply = await fetch(`http://127.0.0.1:7275${path}`, { method, body: body && JSON.stringify(body),
			headers: { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }) } });
		return { status: reply.status, ...(await reply.json()) };
	}

	get(path) { return this.request(path); }

	/** A person elsewhere answers whatever waits. */
	async answerAll() {
		if (!this.server) return;
		for (const ask of (await this.get('/v1/asks')).items) {
			const value = ({ type, options }) => (type === 'approval' ? 'approve' : type === 'boolean' ? true : type === 'choices' ? [options[0].id] : options ? options[0].id : 'An answer');
			await this.request(`/v1/asks/${ask.id}/answer`, 'POST', { answers: Object.fromEntries(ask.questions.map((one) => [one.key, value(one)])) });
		}
	}

	/**
	 * Types a block. answers: a person elsewhere answers meanwhile (default); stays: it is not waited for; keys: what is pressed on
	 * its terminal, [what is shown, key] each. → the shell of what was typed last
	 */
	async type(block, { answers = true, stays = false, keys, input, env } = {}) {
		const lines = block.trimEnd().split('\n');
		while (lines.length && SERVES.test(lines[0].replace(/\s+#.*$/, ''))) await this.serve(lines.shift());
		if (!lines.length) return this.server;
		/* What this line needs, lines before it make. */
		const needy = lines.findIndex((line, i) => i && /run_…|CODE/.test(line));
		if (needy > 0) await this.type(lines.splice(0, needy).join('\n'), { answers, input, env });
		const shell = this.spawn(`${await this.fill(lines.join('\n'))}\n`, { tty: Boolean(keys), input, env });
		if (stays) return shell;
		let from = 0;
		for (const [shown, key] of keys ?? []) {
			await until(() => shown.test(shell.output.slice(from)) || shell.code !== undefined, `${shown} in ${shell.output}`);
			await sleep(800); // a card takes no key at once
			from = shell.output.length;
			shell.child.stdin.write(key);
		}
		const end = Date.now() + 60_000;
		while (shell.code === undefined && Date.now() < end) {
			if (answers) await this.answerAll();
			await Promise.race([shell.ended, sleep(50)]);
		}
		if (shell.code !== 0) assert.fail(`this block ended with ${shell.code}:\n${block}\nIt printed:\n${shell.output}\nThe server:\n${this.server?.output}`);
		return shell;
	}

	async leave() {
		await this.stop();
		/* With all that it started. */
		for (const { child, code } of this.running) if (code === undefined) process.kill(-child.pid, 'SIGKILL');
		rmSync(this.home, { recursive: true, force: true });
	}
}
