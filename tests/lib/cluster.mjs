// A PostgreSQL cluster of the test's own, which it may stop as it likes, and nodes of Parley
// that share a database in it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, sleep } from './server.mjs';
import { sql } from './postgres.mjs';

const script = fileURLToPath(new URL('postgres', import.meta.url));
const quiet = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };

export class Cluster {
	constructor() {
		this.folder = mkdtempSync(join(tmpdir(), 'pg-'));
		this.start();
	}

	/** Its URL, by its socket. */
	start() { this.url = execFileSync(script, ['start', this.folder], quiet).trim(); }

	/** mode: fast, or immediate, as when its machine lost power. */
	stop(mode = 'fast') { execFileSync(script, ['stop', this.folder, mode], quiet); }

	get port() { return Number(readFileSync(join(this.folder, 'port'), 'utf8')); }

	/** A new database. → its URL */
	database(name) {
		sql(`CREATE DATABASE ${name}`, this.url);
		return this.url.replace('/postgres?', `/${name}?`);
	}

	/** Ends every connection of the nodes. */
	cutAll() {
		sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity'
			+ " WHERE application_name = 'parley'", this.url);
	}

	remove() {
		try {
			this.stop('immediate');
		} catch {
			// It is stopped already.
		}
		rmSync(this.folder, { recursive: true, force: true });
	}
}

export class Node extends Server {
	constructor(store, options) {
		super({ ...options, env: { ...options?.env, PARLEY_ASK_RATE: '0', PARLEY_STORE: store } });
	}

	readyz() { return this.once(null, 'GET', '/readyz'); }
}

/** Asks one node after the other until one has an answer that is not "not now". */
export async function persist(nodes, token, method, path, body, key) {
	for (let tries = 1; ; tries++) {
		const node = nodes[Math.floor(Math.random() * nodes.length)];
		try {
			if (node.isDown) throw new Error('down');
			const reply = await node.once(token, method, path, body, key);
			if (reply.status !== 503) return { ...reply, tries };
			assert.match(reply.body.type, /unavailable|outcome-unknown/);
		} catch (error) {
			if (error instanceof assert.AssertionError) throw error;
		}
		await sleep(20);
	}
}
