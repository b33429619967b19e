// A database of its own for whoever asks, in the cluster that PARLEY_TEST_POSTGRES names
// (tests/lib/postgres); nothing when it names none, and the store is a file then.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';

const END = '-- end --';

export const cluster = process.env.PARLEY_TEST_POSTGRES;

export function sql(text, url = cluster) {
	return execFileSync('psql', [url, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', text],
		{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** One psql that stays: for those who look again and again. */
export class Psql {
	constructor(url) {
		this.child = spawn('psql', [url, '-qAtX', '-v', 'ON_ERROR_STOP=1'], { stdio: ['pipe', 'pipe', 'inherit'] });
		this.waiting = []; // in their order
		let rows = [];
		createInterface({ input: this.child.stdout }).on('line', (line) => {
			if (line !== END) return rows.push(line);
			this.waiting.shift().done(rows.join('\n'));
			rows = [];
		});
		this.child.on('exit', () => { for (const { fail } of this.waiting) fail(new Error('psql ended')); });
	}

	/** → its rows, as `sql` has them */
	query(text) {
		return new Promise((done, fail) => {
			this.waiting.push({ done, fail });
			this.child.stdin.write(`${text};\n\\echo ${END}\n`);
		});
	}

	end() { this.child.stdin.end('\\q\n'); }
}

/** For tests of what only a store in a file has: `test(name, { skip: notInAFile }, …)`. */
export const notInAFile = cluster ? 'the store is no file' : false;

/** All that is stored, as text. */
export function dump(url) {
	return execFileSync('pg_dump', ['--data-only', url], { encoding: 'utf8' });
}

/** The URL of a new database, or undefined. */
export function newDatabase() {
	if (!cluster) return undefined;
	const name = `t_${randomBytes(6).toString('hex')}`;
	sql(`CREATE DATABASE ${name}`);
	return cluster.replace('/postgres?', `/${name}?`);
}

/** What a server needs in its environment to keep its store there. */
export function storeEnvironment() {
	const url = newDatabase();
	return url ? { PARLEY_STORE: url } : {};
}
