// worker.mjs - what the benchmarks of running agents share: an instant model, and a server with an agent that asks it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, until } from '../tests/lib/server.mjs';

/** A program of build/bench. */
export const bench = (name) => fileURLToPath(new URL(`../build/bench/${name}`, import.meta.url));

/**
 * What people wrote, by others than us, so that nothing of it is in the dictionary that the store packs texts with: the
 * packages of the tests have prose (.md), JSON and code (.js). Each kind in its turn, in pieces of 3,000 characters, as strings of JSON.
 */
export function realTexts() {
	const modules = fileURLToPath(new URL('../tests/node_modules', import.meta.url));
	const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
		.map((file) => join(file.parentPath ?? file.path, file.name)).sort();
	const kinds = ['.md', '.js', '.json'].map((end) => files
		.filter((name) => name.endsWith(end) && !/LICENSE|min\.js$|iconv-lite|tlds|package-lock/.test(name)) /* those are tables */
		.flatMap((name) => readFileSync(name, 'utf8').slice(0, 15_000).match(/[^]{1,3000}/g) ?? []));
	const pieces = Array.from({ length: Math.min(...kinds.map(({ length }) => length)) }, (_, i) => kinds.map((kind) => kind[i]).join('\n'));
	return JSON.stringify(pieces.join('\n')).slice(1, -1);
}

/** Its address; it ends with this process. */
export async function instantModel() {
	const folder = mkdtempSync(join(tmpdir(), 'parley-model-'));
	writeFileSync(join(folder, 'texts'), realTexts());
	const model = spawn(bench('instant_model'), [join(folder, 'port'), join(folder, 'texts')], { stdio: 'inherit' });
	process.on('exit', () => { model.kill(); rmSync(folder, { recursive: true, force: true }); });
	const port = await until(() => { try { return Number(readFileSync(join(folder, 'port'), 'utf8')); } catch { return 0; } });
	return `http://127.0.0.1:${port}`;
}

/** A server whose agent `worker` (with more of its members) asks the model at this address. */
export async function workerServer(url, more = {}) {
	const server = new Server({ flags: ['--ask-rate', '0', '--session-open', '0', '--session-rate', '0', '--webhook-internal', '127.0.0.0/8'], env: { PARLEY_TEST_CLOCK: undefined } }); /* whose file each look at the clock would read */
	const [admin, member] = [await server.token('admin', 'ada'), await server.token('member', 'mia')];
	await server.start();
	const send = async (who, ...request) => {
		const reply = await server.once(who, ...request);
		if (reply.status > 299) throw new Error(JSON.stringify(reply.body));
		return reply.body;
	};
	const { version } = await send(admin, 'GET', '/v1/policy');
	await send(admin, 'PUT', '/v1/policy', { version, at_once: { auto: 64, manual: 64, selective: 64 } });
	await send(admin, 'POST', '/v1/providers', { name: 'instant', kind: 'anthropic', url, key: 'no-key-is-needed', at_once: 64 });
	await send(admin, 'POST', '/v1/agents', { name: 'worker', provider: 'instant', model: 'm', tools: ['todo', 'ask_user_question'], ...more });
	/* Tools of one's own, which the model's server answers, and agents that have one each. */
	for (const [name, path] of [['own', 'tool'], ['guarded', 'tool'], ['later', 'later']]) {
		await send(admin, 'POST', '/v1/tools', { name, url: `${url}/${path}`, description: 'Answers at once.', risk: 'low' });
		await send(admin, 'POST', '/v1/agents', { name, provider: 'instant', model: 'm', tools: [name], validation: name === 'guarded' ? { mode: 'manual', auto_approve_low: false } : { mode: 'auto' } });
	}
	return { server, admin, member, send };
}
