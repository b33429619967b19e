// What the shell shows people on a terminal: tables that fit, words instead of JSON, one question before much is changed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
/** The command on a terminal of so many columns; what is typed goes in at once. */
async function screen(args, { columns = 80, typed = '', who = 'member', lang = 'en', env = {} } = {}) {
	const child = spawn('script', ['-qec', `stty cols ${columns} rows 40 -echo; exec ${[server.bin, ...args].map(quoted).join(' ')}`, '/dev/null'],
		{ env: { ...server.env, TERM: 'xterm', NO_COLOR: '1', LANG: 'C.UTF-8', PARLEY_LANG: lang, PARLEY_DATA: server.data, ...who ? { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets[who] } : {}, ...env } });
	let text = '';
	child.stdout.on('data', (bytes) => { text += bytes; });
	child.stdin.write(typed);
	const [code] = await once(child, 'close');
	return { code, text: text.replaceAll('\r', ''), lines: text.replaceAll('\r', '').trim().split('\n') };
}
const width = (line) => [...line].length;

await agent.ask({ question: 'Which season do you like best of all the four seasons that there are in a year?' });
await agent.ask({ kind: 'approval', operation: { name: 'Bash', arguments: { command: 'git push origin main' } } });
await agent.ask({ kind: 'approval', timeout: 280, title: 'Run kubectl apply on the production cluster with forty replicas', operation: { name: 'kubectl', arguments: {}, risk: 'critical' } });

test('list fits the terminal: short ids, risk, time left and what happens then, the inbox’s order, the title last', async () => {
	for (const columns of [80, 60, 40]) {
		const { lines } = await screen(['list'], { columns });
		assert.equal(lines.length, 4, lines.join('\n'));
		assert.ok(lines.every((line) => width(line) <= columns), lines.join('\n'));
		assert.match(lines[0], /^ID .* TITLE$/);
		assert.match(lines[1], /Run kubectl/, 'what is due first is first');
	}
	const [head, first, ...rest] = (await screen(['list'])).lines;
	assert.match(head, /^ID +RISK +DUE +AGE +AGENT +TITLE$/);
	assert.match(first, /critical +4:\d\d → rejected/);
	assert.match(rest.find((line) => line.includes('Which season')), /^ask_\w+ +- +- /);
	const short = first.split(' ')[0];
	assert.ok(short.length < 24);
	assert.match((await screen(['show', short])).text, /kubectl/);
});

test('every list has its heading and fits', async () => {
	await admin.post('/v1/rules', { effect: 'deny', match: { tool: ['Bash(rm *)'] }, note: 'a note that is much longer than what a terminal of eighty columns can show in a row' });
	await admin.post('/v1/stops', { match: { agent: 'ci-*' }, reason: 'wrong branch' });
	for (const [args, head] of [[['sessions'], /^ID +STATUS +AGENT +COST +TITLE/], [['rules'], /^ID +USED +UNTIL +BY +RULE/], [['pause', 'list'], /^ID +WHAT +SINCE +UNTIL +BY +REASON/],
		[['tokens'], /^ID +ROLE/], [['users'], /^ID +ROLE/], [['workspaces'], /^NAME/]]) {
		const { lines } = await screen(args, { who: args[0] === 'tokens' || args[0] === 'users' || args[0] === 'workspaces' ? null : 'member' });
		assert.match(lines[0], head, args.join(' '));
		assert.ok(lines.length > 1 && lines.every((line) => width(line) <= 80), lines.join('\n'));
	}
	for (const { id } of (await member.get('/v1/stops')).body.items) await admin.delete(`/v1/stops/${id}`);
});

test('people get words, pipes and --json the object', async () => {
	const policy = (await screen(['policy'])).text;
	assert.match(policy, /Nobody has set a mode yet[^]*^After a rejection: tell the agent, which goes on$/m);
	assert.match((await screen(['policy'], { lang: 'fr' })).text, /^ {2}bases de données\u00a0: oui$[^]*^Après un refus\u00a0: informer l’agent, qui continue$/m);
	assert.doesNotMatch(policy, /[{}"]/);
	assert.equal(JSON.parse((await screen(['policy', '--json'])).text).mode, 'selective');
	assert.match((await screen(['rule', 'try', 'Bash(git *)'])).text, /Matches 1 of the last \d approvals\.\nIt would have allowed 1 of them\./);
	assert.match((await screen(['rule', 'try', 'kubectl'])).text, /^Matches 0 of the last \d approvals\.\n1 more matches, but an allow rule does not decide it: /);
	assert.match((await screen(['rule', 'try', '{"name": "Bash", "arguments": {"command": "rm -r x"}}'])).text, /^Denied \(critical risk; decided by rul_/);
	assert.match((await screen(['rule', 'try', '{"name": "Bash", "arguments": {"command": "rm -r x"}}'], { lang: 'fr' })).text, /^Refusé/);
	assert.doesNotMatch((await screen(['route', 'show'])).text, /[{}"]/);
	const made = await admin.put('/v1/templates/deploy', { ask: { question: 'Deploy {{env}}?' }, values: { env: { required: true } }, version: 0 });
	assert.ok(made.status < 300, made.text);
	assert.match((await screen(['template', 'deploy'], { who: null })).text, /^Name: deploy$[^]*Deploy \{\{env\}\}\?/m);
	assert.match((await screen(['provider', 'prices'], { who: null })).text, /built-in prices of \d{4}/);
});

test('lists say roles, risks, kinds, states and outcomes in the reader’s language; in a pipe they are the API’s', async () => {
	const ask = await agent.ask({ question: 'Which port?', type: 'text' });
	await member.post(`/v1/asks/${ask.id}/answer`, { answer: '7' });
	for (const [args, words, own, who = null] of [[['users'], /^usr_\w+ +propriétaire +actif /m, / owner /], [['tools'], /^memory\/add +intégré +moyen /m, /built_in +medium/, 'member'],
		[['nodes'], / actif /, / live /], [['history'], / répondue? .*Which port/, /\tanswered\t/, 'member'], [['tokens'], / membre /, / member /]]) {
		assert.match((await screen(args, { lang: 'fr', who, columns: 160 })).text, words, args[0]);
		const piped = await server.run(args, { env: { LANG: 'fr_XX.UTF-8', PARLEY_DATA: server.data, ...who ? { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets[who] } : {} } });
		assert.match(piped.stdout, own, args[0]);
	}
	assert.match((await screen(['policy'])).text, /^ {2}share of failed model calls: 0\.2$/m);
});

test('every member that is shown to people has words', () => {
	const read = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
	const texts = read('messages/en.json');
	const { paths, components: { schemas } } = read('src/serve/openapi.json');
	const missing = new Set();
	const walk = (schema, seen = []) => {
		const name = schema.$ref?.split('/').at(-1);
		if (seen.includes(name)) return;
		const own = name ? schemas[name] : schema;
		for (const part of [...own.oneOf ?? [], ...own.anyOf ?? [], ...own.allOf ?? [], ...own.items ? [own.items] : []]) walk(part, [...seen, name]);
		for (const [member, inner] of Object.entries(own.properties ?? {})) {
			if (member === 'warnings' || member === 'waiting') continue; // said apart
			if (!texts[`cli.fact.${member}`] && !Object.keys(texts).some((id) => id.startsWith('cli.fact.') && id.endsWith(`.${member}`))) missing.add(member);
			walk(inner, [...seen, name]);
		}
	};
	for (const path of ['/v1/policy', '/v1/agents/{id}', '/v1/templates/{name}'])
		walk(paths[path].get.responses[200].content['application/json'].schema);
	assert.deepEqual([...missing], []);
});

test('an agent’s name with a slip is said, with the names there are', async () => {
	assert.match((await screen(['list', '--agent', 'bulider'])).text, /^No agent is called “bulider”\. Agents: .*builder/m);
	assert.match((await screen(['history', '--agent', 'bulider'], { lang: 'fr' })).text, /^Aucun agent ne s’appelle «\u00a0bulider\u00a0»\. Agents\u00a0: .*builder/m);
	assert.match((await screen(['list', '--agent', 'builder', '--kind', 'error_recovery'])).text, /^Nothing found\.$/m);
});

test('users are active or disabled; login and logout print an object with --json', async () => {
	for (const [lang, words] of [['en', 'owner +active'], ['fr', 'propriétaire +actif']])
		assert.match((await screen(['user', 'list', '--data', server.data], { who: null, lang })).text, new RegExp(`^usr_\\w+ +${words} +owner$`, 'm'));
	const env = { XDG_CONFIG_HOME: `${server.home}/json-login` };
	const link = (await server.run(['user', 'login', 'owner', '--data', server.data])).stdout.match(/\S+\/login#\S+/)[0];
	const login = await server.run(['login', link, '--json'], { env });
	assert.deepEqual(JSON.parse(login.stdout), { name: 'owner', url: server.url });
	assert.deepEqual(JSON.parse((await server.run(['logout', '--json'], { env })).stdout), { url: server.url });
});

test('pause and resume ask once on a terminal, with what it is about; old names say the new one', async () => {
	const stops = async () => (await member.get('/v1/stops')).body.items;
	const no = await screen(['stop', 'Production', 'is', 'down'], { typed: 'n\n' });
	assert.match(no.text, /'stop' is now called 'pause'\.[^]*Pause everything\? \d+ sessions? (is|are) running, \d+ asks? (is|are) waiting\. \(y\/N\)/);
	assert.deepEqual([no.code, (await stops()).length], [1, 0]);
	assert.equal((await screen(['pause', 'Production is down'], { typed: 'y\n' })).code, 0);
	assert.deepEqual((await stops()).map((stop) => [stop.match, stop.reason]), [[{}, 'Production is down']]);
	assert.equal((await screen(['resume'], { typed: '\n' })).code, 1);
	assert.equal((await stops()).length, 1);
	const back = await screen(['go'], { typed: 'y\n' });
	assert.match(back.text, /'go' is now called 'resume'\.[^]*Let everything go on\?/);
	assert.equal((await stops()).length, 0);
});

test('one word is the name of an agent, a project or a session, or nothing', async () => {
	for (const word of ['lst', 'server', 'off']) {
		const refused = await screen(['pause', word], { typed: 'y\n' });
		assert.equal(refused.code, 2, refused.text);
		assert.match(refused.text, /no known agent, project or session/);
	}
	const one = await screen(['pause', 'builder'], { typed: 'y\n' });
	assert.match(one.text, /Pause agent builder\?/);
	const [stop] = (await member.get('/v1/stops')).body.items;
	assert.deepEqual(stop.match, { agent: 'builder' });
	assert.equal((await screen(['resume', stop.id.slice(0, 20), '--yes'])).code, 0);
	const timed = await screen(['pause', '--for', '5m', 'oops'], { typed: 'y\n' });
	assert.equal(timed.code, 2);
	const meant = await screen(['pause', 'builder', 'wrong', 'branch'], { typed: 'n\n' });
	assert.match(meant.text, /^To pause builder alone: parley pause --agent builder REASON\nPause everything\?/m);
});

test('approving on a terminal shows the operation and asks once', async () => {
	const ask = await agent.ask({ kind: 'approval', operation: { name: 'Bash', arguments: { command: 'make deploy' }, risk: 'high' } });
	for (const [words, sure] of [[['approve', ask.id], 'Approve “Bash: make deploy”? y/N'], [['answer', ask.id, 'approve'], 'Approve “Bash: make deploy”? y/N'],
		[['answer', ask.id, 'yes', '--lang', 'fr'], 'Approuver «\u00a0Bash: make deploy\u00a0»\u00a0? o/N']]) {
		const no = await screen(words, { typed: 'n\n' });
		assert.match(no.text, /command +make deploy/);
		assert.ok(no.text.includes(sure), no.text);
		assert.deepEqual([no.code, (await member.get(`/v1/asks/${ask.id}`)).body.status], [1, 'pending']);
	}
	const yes = await screen(['answer', ask.id, 'approve'], { typed: 'y\n' });
	assert.equal(yes.code, 0, yes.text);
	assert.equal((await member.get(`/v1/asks/${ask.id}`)).body.status, 'answered');
	assert.equal((await screen(['undo', ask.id])).code, 0);
});

test('on the server’s own machine login offers to log its user in, on a terminal only', async () => {
	const home = { XDG_CONFIG_HOME: `${server.home}/own-login` };
	const piped = await server.run(['login', '--data', server.data], { env: home, input: 'y\n' });
	assert.notEqual(piped.code, 0, 'a program is not asked');
	const no = await screen(['login'], { who: null, typed: 'n\n\u0004', env: home });
	assert.match(no.text, /Log in as owner at http:\S+\? \(y\/N\)[^]*Paste your login link\. 'parley user login NAME' prints one/);
	const yes = await screen(['login'], { who: null, typed: 'y\n', env: home });
	assert.equal(yes.code, 0, yes.text);
	assert.match(yes.text, /Logged in as owner/);
	assert.match((await screen(['whoami'], { who: null, env: home })).text, /^owner \(owner\) at http/);
	const link = (await server.run(['user', 'login', 'owner', '--data', server.data])).stdout.match(/\S+\/login#\S+/)[0];
	const pasted = await screen(['login', '--url', server.url], { who: null, typed: `${link}\n`, env: { XDG_CONFIG_HOME: `${server.home}/pasted` } });
	assert.match(pasted.text, /Logged in as owner/);
	const wrong = await screen(['login', 'bogus'], { who: null, env: home });
	assert.match(wrong.text, /'bogus' is not a login link[^]*parley user login NAME/);
});
