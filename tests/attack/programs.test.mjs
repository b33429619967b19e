// Attacks on the programs beside the server: hooks of every agent, gate, and a terminal that shows what agents say.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';
import { strings, Tally } from '../e2e/hostile.mjs';
import { useServer } from '../api/lib/server.mjs';
import { EVENTS } from './lib/hooks.mjs';
import { attacks } from './lib/attacks.mjs';

const server = await useServer({ flags: ['--ask-rate', '0'] });
const { admin, agent } = server;
assert.equal((await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['*'] }, note: 'no' })).status, 201);
await admin.put('/v1/policy', { mode: 'manual', auto_approve_low: false, version: (await admin.get('/v1/policy')).body.version });

/* A server that says nothing that decides. */
const LIES = [(r) => r.writeHead(500).end(), (r) => r.writeHead(200).end('{'), (r) => r.writeHead(302, { location: '/' }).end(), (r) => r.writeHead(401).end('{}'), (r) => r.socket.destroy(),
	(r) => r.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"ask_x","status":"pending"}'), (r) => r.writeHead(200).end('[]'), (r) => r.writeHead(200).end('null'), (r) => r.writeHead(404).end('<html>'), (r) => r.writeHead(204).end()];
let lie = LIES[0];
const liar = http.createServer((request, response) => {
	request.resume();
	request.on('end', () => lie(response));
});
await new Promise((done) => { liar.listen(0, '127.0.0.1', done); });
after(() => {
	liar.closeAllConnections();
	liar.close();
});

/* ---- hooks ---- */

const AGENTS = Object.keys(EVENTS);
const ODD = [null, 0, true, [], {}, '', '\u0000', 'x'.repeat(70_000), { command: ['ls'] }, { command: null }, '{"command":', [{}], 1e400, { command: 'ls', cmd: 'rm -rf /' }, '\u202els'];
/** An event that means no good: members mangled, taken out, of another agent, or no JSON. */
function event(a, name) {
	const good = EVENTS[name];
	const member = a.pick(Object.keys(good).filter((one) => /tool|Tool/.test(one)));
	return a.pick([() => JSON.stringify(good), () => JSON.stringify({ ...good, [member]: a.pick(ODD) }), () => JSON.stringify(Object.fromEntries(Object.entries(good).filter(([one]) => one !== member))),
		() => JSON.stringify(EVENTS[a.pick(AGENTS.filter((one) => one !== name))]), () => JSON.stringify(good).slice(0, 1 + a.below(JSON.stringify(good).length - 2)), () => '', () => 'null', () => '[]', () => `${JSON.stringify(good)}${JSON.stringify(good)}`,
		() => JSON.stringify({ ...good, permissionDecision: 'allow', decision: 'allow', allow: true }), () => JSON.stringify({ ...good, cwd: '/nowhere', transcript_path: '/etc/passwd' }), () => `\ufeff${JSON.stringify(good)}`,
		() => JSON.stringify({ ...good, [member]: `${a.pick(strings).slice(0, 3000)}` })])();
}
const WAYS = { 'a deny': () => ({}), 'no server': () => ({ PARLEY_URL: 'http://127.0.0.1:9' }), 'a wrong token': () => ({ PARLEY_TOKEN: 'prl_wrong' }), 'no token': () => ({ PARLEY_TOKEN: '' }), 'no address': () => ({ PARLEY_URL: 'nonsense' }),
	'a liar': () => ({ PARLEY_URL: `http://127.0.0.1:${liar.address().port}` }) };
attacks('hooks of six agents: nothing is let through', { small: 12, long: 700 }, async (a) => {
	const environment = { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent };
	for (let i = 0; i < a.want; i += 2) {
		lie = a.pick(LIES);
		await a.all((k) => {
			const name = AGENTS[(i + k) % AGENTS.length], input = event(a, name), way = a.pick(Object.keys(WAYS));
			return [`${name}, ${way}: ${input.slice(0, 200)}`, async () => {
				const { code, stdout, stderr } = await server.run(['hook', name, '--wait', '1s'], { input, env: { ...environment, ...WAYS[way]() }, timeout: 20_000 });
				assert.doesNotMatch(stdout, /"(allow|approve|approved)"/, `${stdout} ${stderr}`);
				assert.ok(code === 2 || /"(deny|block|ask)"/.test(stdout), `${code} ${stdout} ${stderr}`);
			}];
		}, Math.min(2, a.want - i));
	}
});

/* ---- gate ---- */

attacks('gate: nothing runs that nobody approved', { small: 4, long: 150 }, async (a) => {
	const at = join(server.home, 'gated');
	mkdirSync(at, { recursive: true });
	for (let i = 0; i < a.want; i++) {
		lie = a.pick(LIES);
		const way = a.pick(Object.keys(WAYS)), marker = join(at, `ran-${i}`);
		const command = a.pick([['/bin/sh', '-c', `touch ${marker}`], ['touch', marker], ['/usr/bin/env', 'touch', marker], ['--', 'touch', marker], ['sh', '-c', `exec touch ${marker}`]]);
		await a.one(`${way}: ${command.join(' ')}`, async () => {
			const { code } = await server.run(['gate', '--timeout', '1s', '--', ...command], { cwd: at, timeout: 20_000, env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent, ...WAYS[way]() } });
			assert.notEqual(code, 0);
			assert.ok(!existsSync(marker), 'it ran');
		});
	}
});

/* ---- the terminal ---- */

// eslint-disable-next-line no-control-regex
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/;
attacks('terminal: what agents say is shown and does nothing', { small: 8, long: 500 }, async (a) => {
	const tally = new Tally(), views = 2;
	const env = { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.admin };
	for (let i = 0; i < a.want; i += views) {
		const text = a.pick(strings).slice(0, 3000);
		const ask = await tally.send(text, (body) => agent.post('/v1/asks', body), (field) => ({ title: field('title', '/title', 200), context: { text: field('context', '/context/text', 3000) },
			questions: [{ key: 'q', text: field('question', '/questions/0/text', 2000), type: 'choice', options: [{ id: 'a', label: field('label', '/questions/0/options/0/label', 200) }, 'b'] }] }));
		for (const [args, more] of [[['show', ask.id], { LANG: a.pick(['C.UTF-8', 'fr_FR.UTF-8']) }], [['list'], {}]]) {
			await a.one(`${args.join(' ')}: ${JSON.stringify(text).slice(0, 120)}`, async () => {
				const { stdout, stderr, code } = await server.run(args, { env: { ...env, ...more } });
				assert.equal(code, 0, stderr);
				assert.doesNotMatch(stdout + stderr, HARMFUL);
			});
		}
		await admin.post(`/v1/asks/${ask.id}/skip`);
	}
});
