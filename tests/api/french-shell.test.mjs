// The French shell: what every verb prints for people, compared in both languages. A line that is the same in both has no sentence in it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, member, admin } = server;
const person = { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.admin };

/* What is not ours to translate: names and texts that people or agents gave, and words that scripts read. */
const ALLOWED = [
	/^ *"|^[{}[\]]/, // JSON
	/^(ask|ses|run|rul|stp|tok|usr|con|dlv)_\S+/, // a row that begins with its id
	/^. (ses|run)_/, // the same, with its mark
	/^(assistant|built-in|anthropic)\b/, // a row that begins with a name
	/^whsec_|^prl_|^http/, // a secret, an address
	/^\d+\. /, // a route by its name
	/: No such file or directory$/, // the system's words
];
const SENTENCE = /\p{L}{2,} \p{L}{2,} \p{L}{2,}/u;
/* Small words that stand in every other sentence of one language and in none of the other. */
const SMALL = { en: /(?<![\p{L}'’-])(the|must|is|are|there|with|which|without|not|cannot|already|has|give|unknown|required|such|expected|needs?)(?![\p{L}'’-])/u,
	fr: /(?<![\p{L}'’-])(le|la|les|des|une?|est|doit|avec|sans|pas|ne|aucune?|il|déjà|cette?)(?![\p{L}'’-])/u };
const OTHER = { en: 'fr', fr: 'en' };

async function both(args, options = {}) {
	const printed = {};
	for (const lang of ['en', 'fr']) {
		const done = await server.run(args, { ...options, env: { LANG: `${lang}_XX.UTF-8`, ...(options.env ?? person) } });
		printed[lang] = `${done.stdout}\n${done.stderr}`.split('\n').map((line) => line.trimEnd());
	}
	return printed;
}

async function translated(commands, options) {
	const left = [];
	for (const args of commands) {
		const { en, fr } = await both(args, options);
		for (const line of fr.filter((one) => SENTENCE.test(one) && en.includes(one) && !ALLOWED.some((allowed) => allowed.test(one))))
			left.push(`parley ${args.join(' ')}: ${line}`);
	}
	assert.deepEqual(left, []);
}

/** What a refusal must not have: a JSON pointer, a placeholder, words of the other language. */
function flaws(args, lang, lines) {
	return lines.flatMap((line) => {
		const own = line.replace(/'parley[^']*'|"[^"]*"|“[^”]*”|'[^']*'|https?:\S+/g, '');
		const wrong = /(^|\s)\/[a-z_]+(\/\w+)*\s?:(?= |$)/.test(own) ? 'a pointer' : /\{\w+\}/.test(line) ? 'a placeholder'
			: SMALL[OTHER[lang]].test(own) && !ALLOWED.some((allowed) => allowed.test(line)) ? 'another language' : null;
		return wrong ? [`${lang}: parley ${args.join(' ')}: ${wrong}: ${line}`] : [];
	});
}

/** Each of these is refused, in both languages, in words of its own. */
async function refused(commands, options = {}) {
	const found = [];
	for (const args of commands)
		for (const lang of ['en', 'fr']) {
			const done = await server.run(args, { input: '', ...options, env: { LANG: `${lang}_XX.UTF-8`, ...(options.env ?? person) } });
			assert.ok(![0, 3, 143, 'SIGTERM'].includes(done.code), `parley ${args.join(' ')}: ${done.code} ${done.stdout}${done.stderr}`);
			found.push(...flaws(args, lang, done.stderr.split('\n').filter(Boolean)));
		}
	assert.deepEqual(found, []);
}

const local = (...args) => [...args, '--data', server.data];
const bare = { env: {} };

test('what is asked, listed and shown', async () => {
	const ask = await agent.ask({ title: 'Titel', questions: [{ key: 'a', text: 'Frage?', type: 'boolean' }] });
	const { id } = ask;
	await translated([['list'], ['list', '--settled'], ['answer', id, 'maybe'], ['answer', id], ['wait', 'x'], ['cancel', 'x'], ['attach', 'x'],
		['session', 'delete', 'x'], ['session', 'delete', 'ses_00000000000000000000000000'], ['skip', 'ask_00000000000000000000000000'], ['ask'], ['ask', 'a', 'b'],
		['ask', 'X?', '--timeout', '99d'], ['ask', 'X?', '--default', 'yes', '--no-wait'], ['list', '--status', 'no'], ['login', 'plc_no'], ['inbox'], ['nosuch'], ['token'], ['run', 'x'],
		['runs', '--status', 'failed'], ['usage'], ['hook', 'claude'], ['gate', '--', 'no-such-command'], ['list', '--token', 'prl_no']],
	{ input: '{}' });
});

test('rules, stops, teams, routes, contacts, absence', async () => {
	await translated([['rule', 'list'], ['rule', 'add', 'allow', 'shell(true)', '--for', '1h'], ['rule', 'list'], ['rule', 'add', 'maybe', 'x'], ['rule', 'end', 'rul_x'],
		['policy', '--mode', 'x'], ['go'], ['stop', 'Grund', '--for', '1x'], ['team'], ['team', 'ops', 'add', 'nobody'], ['team', 'ops', 'jump'], ['template'], ['template', 'x'],
		['away'], ['away', 'x'], ['contact'], ['contact', 'add', 'email', 'a@example.org'], ['contact', 'test', 'x'], ['contact', 'jump'],
		['route'], ['route', 'try', 'ask_x'], ['route', 'jump', 'x'], ['slack', 'manifest']]);
	/* Words within a line that is French otherwise. */
	const french = async (...args) => (await both(args)).fr.join('\n');
	assert.doesNotMatch(await french('route'), /\b(assignees|role:admin)\b/);
	await agent.post('/v1/asks', { kind: 'approval', title: 'T', operation: { name: 'other', arguments: {} } });
	assert.match(await french('rule', 'add', 'ask', 'shell(false)'), /aucune des \d+ dernières opérations/);
	await admin.post('/v1/stops', { match: {}, reason: 'Grund' });
	await translated([['go']]);
});

test('the server, its store and administration', async () => {
	const nowhere = join(server.home, 'nowhere');
	await translated([local('token', 'list'), local('token', 'revoke', 'x'), local('token', 'create', '--role', 'agent', '--name', 'x', '--tools', 'no'), local('user', 'create', 'owner'), local('user', 'remove', 'x'),
		local('user', 'disable', 'owner'), local('workspace', 'create', 'default'), local('delivery', 'list'), local('delivery', 'replay', 'x'), local('agents', 'list'), local('agents', 'show', 'x'),
		local('agents', 'test', 'x'), local('agents', 'remove', 'x'), local('agents', 'import', 'nowhere'), local('providers', 'list'), local('providers', 'add', 'x'), local('providers', 'test', 'x'), local('providers', 'remove', 'x'),
		local('doctor'), local('check'), ['check', nowhere], ['backup', join(nowhere, 'x'), '--data', server.data], ['backup', 'x', '--data', nowhere], ['copy', '--from', `sqlite:${nowhere}`, '--to', 'sqlite:x'], ['copy'],
		['user', 'list', '--data', nowhere], ['serve', '--listen', 'x'], ['serve', '--log-level', 'x'], ['completion', 'x'], ['help', 'x'], ['mcp', '--print-config', 'x'], ['connect', 'nosuch']], bare);
});

test('a provider and an agent that cannot be used say why', async () => {
	await admin.post('/v1/providers', { name: 'far', kind: 'openai', url: 'http://127.0.0.1:1/v1', key: 'sk-0123456789abcdef', models: [{ id: 'm' }] });
	const made = await admin.post('/v1/agents', { name: 'walker', provider: 'far', model: 'm' });
	assert.equal(made.status, 201, made.text);
	for (const args of [local('providers', 'test', 'far'), local('providers', 'test', 'far', 'm'), local('agents', 'test', 'walker')]) {
		const { fr } = await both(args, bare);
		assert.match(fr.join('\n'), /clé\u00a0: définie/, args.join(' '));
	}
	const { body } = await member.get('/v1/providers');
	assert.ok(body.items.length);
});

test('the overview and every verb’s help: in French but for commands, names of options and examples', async () => {
	const names = (await server.run(['help', '--names'])).stdout.trim().split('\n');
	const help = async (lang, words) => (await server.run([...words, '--help', '--lang', lang])).stdout.split('\n');
	/* Which of them are looked at changes with the day; the catalogue's own test looks at all texts. */
	const some = names.filter((_, i) => i % 6 === new Date().getDate() % 6);
	for (const words of [[], ...some.map((name) => name.split(' '))]) {
		const [en, fr] = [await help('en', words), await help('fr', words)];
		const same = fr.filter((line) => SENTENCE.test(line) && en.includes(line) && !/^ {2}\S.*parley|^ {2}parley|^ {6}--\S+( \S+)?$/.test(line));
		assert.deepEqual(same, [], words.join(' '));
		assert.match(fr[0], /^Usage\u00a0: parley/);
	}
	assert.match((await server.run(['--lang', 'fr', '--help'])).stdout, /^Usage\u00a0: parley COMMANDE/);
	writeFileSync(join(server.home, 'parley.conf'), 'lang = fr\n');
	assert.match((await server.run(['--help', '--config', join(server.home, 'parley.conf')])).stdout, /^Usage\u00a0: parley COMMANDE/);
});

test('manual pages in French: every heading, and the words that the synopsis has', async () => {
	const page = async (lang, ...words) => (await server.run(['help', '--man', ...words, '--lang', lang])).stdout;
	const headings = (text) => text.match(/^\.Sh .*$/gm).map((line) => line.slice(4));
	assert.deepEqual(headings(await page('fr', 'answer')), ['NOM', 'SYNOPSIS', 'DESCRIPTION', 'CODE DE RETOUR', 'EXEMPLES', 'VOIR AUSSI']);
	assert.deepEqual(headings(await page('en', 'answer')), ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO']);
	/* Else groff prints no head. */
	assert.match(await page('fr', 'answer'), /^\.ds doc-section-name NOM\n\.Sh NOM$/m);
	for (const words of [[], ['parley.conf']]) {
		const [en, fr] = [headings(await page('en', ...words)), headings(await page('fr', ...words))];
		assert.equal(fr.length, en.length);
		assert.deepEqual(fr.filter((title) => en.includes(title)), en.filter((title) => /^(SYNOPSIS|DESCRIPTION)$/.test(title)));
	}
	const [synopsis, text] = (await page('fr', 'answer')).split('.Sh DESCRIPTION');
	for (const word of ['VALUE', 'KEY=VALUE']) assert.ok(synopsis.includes(word) && text.includes(word), word);
});

test('no command is described by the word “Usage”', async () => {
	for (const lang of ['en', 'fr'])
		assert.doesNotMatch((await server.run(['--help', '--lang', lang])).stdout, /^ {2}\S.*Usage\s*:$/m);
});

test('a time is a date or an hour: no French text puts “jusqu’à” or “à” before one', async () => {
	const texts = JSON.parse(readFileSync(new URL('../../messages/fr.json', import.meta.url), 'utf8'));
	const wrong = Object.entries(texts).filter(([, text]) => /(^|[ (])(jusqu’)?à \{(at|time|until|text|when|date)\}/.test(text));
	assert.deepEqual(wrong, []);
	const rule = await server.run(['rule', 'add', 'deny', 'Bash(date)', '--for', '3d', '--lang', 'fr'], { env: person });
	assert.equal(rule.code, 0, rule.stderr);
	assert.match(rule.stdout, /Interdire Bash\(date\) · échéance\u00a0: \d{4}-\d\d-\d\d \d\d:\d\d · utilisée/);
});

test('every command refuses words and options that it does not know, and options with wrong values', async () => {
	const names = (await server.run(['help', '--names'])).stdout.trim().split('\n');
	for (const name of names) {
		const words = name.split(' ');
		const help = (await server.run([...words, '--help', '--lang', 'en'])).stdout;
		const usage = help.split('\n')[0];
		/* Enough words for its options to be looked at; a program's own stand behind --. */
		const some = [...usage.replace(/\[.*\]/g, '').split('parley ')[1].matchAll(/(?<= )[A-Z][A-Z|]*(?![a-z])/g)].map(() => 'ask_x');
		const wrong = [...help.split('\nSettings')[0].matchAll(/^ {2,6}(?:-\w, )?(--[a-z-]+) (TIME|N|SECONDS|USD|RISK|PRIORITY|ROLE|FORMAT|STATUS|MODE|EFFECT|STATE|KIND)\s[^]*?(?=^ {2,6}-|^\S|(?![^]))/gm)]
			.map(([, option]) => option);
		await refused([[...words, '--no-such-option'], ...wrong.map((option) => [...words, ...some, option, '9y'])]);
	}
});

test('what the server refuses is said by the option or the word that was given', async () => {
	const { id } = await agent.ask({ title: 'Titel', questions: [{ key: 'a', text: 'Frage?', type: 'boolean' }] });
	await admin.put('/v1/templates/deploy', { ask: { question: 'Deploy {{env}}?' }, values: { env: { required: true } } });
	const bad = join(server.home, 'bad.json');
	writeFileSync(bad, '{"match": {"tool": ["Bash(ls"]}, "effect": "alow"}');
	await refused([['rule', 'add', 'alow', 'x'], ['rule', 'add', 'allow', 'Bash(ls'], ['rule', 'add', 'allow', 'Bash(:*)'], ['rule', 'add', 'allow', 'Bash(a; b)'], ['rule', 'add', 'deny', 'X', '--for', '9y'],
		['rule', 'add', 'allow', 'Bash( ls)'], ['rule', 'add', 'allow', 'Read(~/x)'], ['rule', 'add', 'allow', 'x)'], ['rule', 'add', 'ask', 'x', '--require', '2:nobody'], ['rule', 'add', 'ask', 'x', '--require', '2:team:none'],
		['rule', 'add', 'ask', 'x', '--argument', 'branch=main'], ['rule', 'add', 'ask', 'x', '--verify', 'none'], ['rule', 'add', '--file', bad], ['rule', 'add', 'allow'], ['rule', 'try', 'Bash(ls'],
		['run', 'nosuch', 'hi'], ['run', '--max-cost', 'abc', 'hi'], ['run', '--max-cost', '1,"detach":true', 'hi'], ['away', '300d'], ['away', '3'], ['away', '1d', '--to', 'nobody'],
		['answer', id, 'yes', '--for', '9y'], ['answer', id, 'maybe'], ['usage', '--from', 'yesterday'], ['usage', '--by', 'x'], ['contact', 'add', 'command', 'x'], ['contact', 'add', 'pigeon', 'x'],
		['contact', 'add', 'webhook', 'x'], ['template', 'x', 'set'], ['watch', '--types', 'x'], ['route', 'set', bad], ['team', 'ops', 'add', 'nobody'], ['pause', '--for', '9y', 'two words'],
		['token', 'create', '--role', 'agent', '--name', 'x', '--expires', '9y'], ['token', 'create', '--role', 'agent', '--name', 'x', '--tools', 'nosuch'], ['user', 'remove', 'owner'], ['agents', 'import', bad]]);
	await refused([['ask', 'X?', '-c', 'a', '-c', 'a'], ['ask', '--template', 'deploy'], ['ask', '--template', 'nosuch'], ['ask', 'X?', '--timeout', '99d'], ['ask', 'X?', '--project', 'x'.repeat(101)], ['approve', '--tool', ''],
		['ask', 'x'.repeat(9000)]], { env: { ...person, PARLEY_TOKEN: server.secrets.agent } });
	await refused([['hook', 'claude', '--allow', 'Bash(ls'], ['serve', '--listen', '0.0.0.0:1'], ['serve', '--store', 'x'], ['serve', '--ask-rate', 'x'], local('user', 'disable', 'owner'), local('user', 'password', 'owner'), local('delivery', 'list', '--status', 'x')], bare);
});
