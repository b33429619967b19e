// docs_typed.mjs - the tests that type the blocks of README and docs. docs-commands.test.mjs runs them, in namespaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../lib/server.mjs';
import { Reader, blocks, pages, read, standIns } from './docs.mjs';
import { TOKEN } from './slack.mjs';
import { APP_TOKEN } from './slack_socket.mjs';

/* Blocks that are not typed, by their first words. */
const NOT_HERE = [
	['README.md', 'script/build', 'builds, installs packages, and installs as root'],
	['docs/HACKING.md', 'script/build', 'builds, and runs all tests'],
	['docs/OPERATING.md', 'parley serve --listen', 'needs a certificate of a public host'],
	['docs/OPERATING.md', 'meson install', 'needs root and systemd'],
	['docs/SCALING.md', 'createdb', 'needs PostgreSQL'],
	['docs/SCALING.md', 'parley copy', 'needs PostgreSQL'],
];

/* How the blocks of a page are typed: what stands ready, and what differs for single blocks, by their first words. */
const login = ["parley serve\n", "parley login 'http://127.0.0.1:7275/login#…'\n"];
const inbox = [[/Deploy to production\?/, '\r'], [/Yes/, 'y'], [/•/, '\r'], [/Answered/, 'q']];
const event = JSON.stringify({ session_id: 's1', hook_event_name: 'PreToolUse', cwd: '/', tool_name: 'Bash', tool_input: { command: 'npm test' } });
const URL_HERE = 'http://127.0.0.1:7275';
/* As the page has it, with the tokens beside the configuration file. */
const slackIni = (here) => {
	for (const [name, token] of [['slack-token', TOKEN], ['slack-app-token', APP_TOKEN]]) here.secret(name, token);
	return blocks('docs/CHANNELS.md', 'ini')[0].replaceAll('/etc/parley', here.config);
};
const HOW = {
	'README.md': { 'parley ask': { stays: true, answers: false }, 'parley login': { keys: inbox, answers: false } },
	'docs/AGENTS.md': { 'parley ask': { env: (here) => ({ PARLEY_TOKEN: here.agent() }) } },
	'docs/CHANNELS.md': { first: login, ini: slackIni },
	'docs/DIALECTS.md': { first: login, curl: { env: (here) => ({ PARLEY_URL: URL_HERE, PARLEY_TOKEN: here.agent() }) } },
	'docs/OPERATING.md': { first: ['parley user create ada --data /var/lib/parley\n'] },
	'docs/POLICIES.md': { first: login, ready: (here) => here.request('/v1/rules', 'POST', { effect: 'deny', match: { tool: ['x'] } }), 'parley hook': { input: event } },
	'docs/PROOF.md': { first: login, ready: (here) => { for (const name of ['verify.mjs', 'verify.py', 'deploy-server.mjs']) here.file(name, read(`docs/${name}`)); } },
	'docs/PROTOCOL.md': { first: login, '': { answers: false, env: (here) => ({ PARLEY_URL: URL_HERE, AGENT: here.agent(), TOKEN: here.agent(), PERSON: here.token }) } },
	'docs/RUNNING.md': { ini: () => blocks('docs/RUNNING.md', 'ini').reverse().join('\n') },
	'docs/TRYING.md': { ini: (here) => {
		here.file('../.config/parley/rehearsal.json', blocks('docs/TRYING.md', 'json')[0]);
		return blocks('docs/TRYING.md', 'ini')[0];
	} },
	'docs/TERMINAL.md': { first: login.slice(0, 1), 'parley login': { keys: [[/Inbox/, 'q']], answers: false } },
};

const page = (file) => HOW[file] ?? {};
const skipped = (file, block) => NOT_HERE.some(([where, words]) => where === file && block.startsWith(words));
const around = await standIns();

async function reader(t, ini) {
	const made = new Reader(around);
	t.after(() => made.leave());
	made.file('Makefile', 'deploy:\n\t@echo deployed\n');
	made.file('key.txt', 'sk-0123456789abcdef\n');
	made.file('reviewer.md', '---\nname: reviewer\ndescription: Reviews\nmodel: claude-sonnet-5\n---\nReview what you get.\n');
	made.file('../.config/parley/researcher.md', 'Find out.\n');
	if (ini) made.file('../.config/parley/parley.conf', ini(made));
	made.file('request.json', JSON.stringify(JSON.parse(read('tests/dialects/captured/langchain-approval.json')).request));
	return made;
}

for (const file of pages.filter((name) => blocks(name).some((block) => !skipped(name, block))))
	test(`the blocks of ${file}, word for word`, async (t) => {
		const here = await reader(t, page(file).ini);
		for (const block of page(file).first ?? []) await here.type(block);
		await page(file).ready?.(here);
		for (const block of blocks(file).filter((one) => !skipped(file, one))) {
			const [, how = {}] = Object.entries(page(file)).find(([words]) => block.startsWith(words)) ?? [];
			await here.type(block, { ...how, env: how.env?.(here) });
		}
	});

test('what is not typed is still there', () => {
	for (const [file, words] of NOT_HERE) assert.ok(blocks(file).some((block) => block.startsWith(words)), `${file}: ${words}`);
});

test('a newcomer: first answer, first rule, first run, first message in Slack, by the docs alone', async (t) => {
	const here = await reader(t);
	const block = (file, words) => {
		const found = blocks(file).find((one) => one.startsWith(words));
		assert.ok(found, `${file} has no block that starts with ${words}`);
		return found;
	};
	await here.type(block('README.md', 'parley serve'));
	const asks = await here.type(block('README.md', 'parley ask'), { stays: true });
	await until(async () => (await here.get('/v1/asks')).items.length === 1, 'the question');
	await here.type(block('README.md', 'parley login'), { keys: inbox, answers: false });
	assert.deepEqual([(await asks.ended).code, asks.stdout], [0, 'yes\ndeploying\n'], asks.output);

	await here.type(block('docs/POLICIES.md', 'parley rule add allow'));
	const { items: rules } = await here.get('/v1/rules');
	assert.deepEqual(rules.map(({ effect }) => effect).sort(), ['allow', 'deny']);

	const run = await here.type(block('README.md', 'ANTHROPIC_API_KEY'));
	assert.match(run.stdout, /An old silent pond\./);
	assert.equal((await here.get('/v1/runs')).items[0].status, 'completed');

	here.file('../.config/parley/parley.conf', slackIni(here));
	await here.type(block('README.md', 'parley serve'));
	const manifest = await here.type(block('docs/CHANNELS.md', 'parley slack manifest'));
	assert.match(manifest.stdout, /socket_mode_enabled/);
	await here.type(block('docs/CHANNELS.md', 'parley contact add slack'), { answers: false });
	const waits = await here.type(block('README.md', 'parley ask'), { stays: true });
	const message = await until(() => around.slack.messages.find(({ blocks: shown }) => JSON.stringify(shown).includes('Deploy to production?')), 'the message in Slack');
	await around.slack.press(around.sockets, 'U0123ABCD', message, 'yes', { stamp: '1.1', value: around.slack.buttons(message)[0].value });
	assert.equal((await waits.ended).stdout, 'yes\ndeploying\n');
});
