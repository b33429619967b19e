// A database of its own for whoever asks, in the cluster that PARLEY_TEST_POSTGRES names
// (tests/lib/postgres); nothing when it names none, and the store is a file then.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export const cluster = process.env.PARLEY_TEST_POSTGRES;

export function sql(text, url = cluster) {
	return execFileSync('psql', [url, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', text],
		{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
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
