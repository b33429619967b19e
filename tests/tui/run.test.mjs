// Agents that Parley runs, on a terminal: what they say as they say it, tool calls, sub-agents, asks, Ctrl-C.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { first, results, say, ScriptModel, think, use } from '../lib/script_model.mjs';
import { until, useTerminals } from './lib.mjs';

const scripts = new Map();
const model = await new ScriptModel((request) => {
	const found = [...scripts].find(([text]) => first(request).startsWith(text));
	return found ? found[1](request) : [say('no script')];
}).start();
after(() => model.stop());
model.models = { data: [{ type: 'model', id: 'claude-sonnet-5', display_name: 'Claude Sonnet 5', created_at: '2026-06-01T00:00:00Z',
	line: 'sonnet', lifecycle: 'active', max_input_tokens: 1_000_000, max_tokens: 64_000 }] };
/* As a newcomer has it: nothing but the variables that the vendor's own programs read. */
const server = await useTerminals({ env: { ANTHROPIC_API_KEY: 'sk-test-0123456789', ANTHROPIC_BASE_URL: model.url,
	PARLEY_TEST_TOOLS: '1' } });
const policy = (await server.admin.get('/v1/policy')).body;
await server.admin.put('/v1/policy', { version: policy.version, mode: 'auto', at_once: { auto: 8, manual: 8, selective: 8 } });

test('a newcomer: two questions are answered in place, then the haiku; tools and sums beside it', async () => {
	scripts.set('Ask me two things', (q) => {
		const ask = (question, ...labels) => use('ask_user_question', { questions: [{ question, header: 'H',
			multiSelect: false, options: labels.map((label) => ({ label, description: 'd' })) }] });
		const n = q.messages.filter(({ role }) => role === 'assistant').length;
		if (n === 0) return [think('What to ask?'), say('I will ask two things.'), use('todo', { operation: 'create', name: 'Write it' }),
			ask('Which season?', 'Spring', 'Autumn')];
		if (n === 1) return [ask('Which place?', 'A pond', 'A street')];
		return [say(`Old ${/pond/i.test(results(q)[0].text) ? 'pond' : 'street'}: a frog leaps in.`)];
	});
	const terminal = server.terminal(['run', 'Ask me two things, then write a haiku'], { rows: 40 });
	await terminal.armed('( ) 1 Spring');
	/* The form stands below the last lines of the stream, and above the sums so far. */
	const form = await terminal.taken();
	assert.match(form, /I will ask two things\.\n[^]*= todo\/create +Write it[^]*\n─+\n[^]*Which season\?/);
	assert.match(form, /^! ctx \d+\/\d+k {2}\d+ tok {2}\$0\.\d+ {2}Esc back/m);
	terminal.press('Enter');
	await terminal.armed('( ) 1 A pond');
	terminal.press('Enter');
	const seen = await terminal.shows('exit 0');
	for (const part of [/> Reasoned for \d+s\n/, /I will ask two things\.\n/, /\n {2}\[ \] Write it\n/, /\n {2}= todo\/create +Write it/,
		/\n {2}= Which season\? {2}Spring {2}\(Answered by owner via terminal\)\n/, /\nOld pond: a frog leaps in\.\n/, /\n= completed {2}ctx \d+\/\d+k {2}\d+ tok {2}\$0\.\d+/, /ses_\w+ {2}http:\/\/127\.0\.0\.1:\d+\/sessions\/ses_/])
		assert.match(seen, part);
});

test('a question that is left open says where it can be answered, and the run goes on with that answer', async () => {
	scripts.set('Leave me', (q) => (q.messages.length === 1 ? [use('ask_user_question', { questions: [{ question: 'Which one?' }] })]
		: [say(`Heard ${results(q)[0].text}`)]));
	const terminal = server.terminal(['run', 'Leave me waiting'], { columns: 140 });
	await terminal.armed('Which one?');
	terminal.press('Escape');
	const left = await terminal.shows(/Not answered yet; the run is waiting\. Answer with 'parley answer ask_\w+', in 'parley inbox' or on the page\./);
	const ask = left.match(/parley answer (ask_\w+)/)[1];
	assert.equal((await server.member.post(`/v1/asks/${ask}/answer`, { answers: { q1: 'the blue one' } })).status, 200);
	await terminal.shows(/Heard [^]*the blue one[^]*exit 0/);
});

test('Ctrl-C offers to stop, to leave it running, or to go on; attach shows it again', async () => {
	let go = null;
	const gate = new Promise((done) => { go = done; });
	scripts.set('Take', async (q) => {
		if (q.messages.length === 1) return [say('Starting.'), use('todo', { operation: 'list' })];
		await gate;
		return [say('Finished.')];
	});
	const terminal = server.terminal(['run', 'Take your time'], { columns: 140 });
	await terminal.shows('= todo/list');
	terminal.press('C-c');
	await terminal.shows('Stop the run [s], leave it running [d], continue [Esc]');
	terminal.press('Escape');
	await terminal.shows('continue [Esc] Esc\n');
	terminal.press('C-c');
	await terminal.shows((text) => text.split('Stop the run [s]').length === 3);
	terminal.press('d');
	const left = await terminal.shows('exit 130');
	const run = left.match(/parley attach (run_\w+)/)[1];
	assert.equal((await server.member.get(`/v1/runs/${run}`)).body.status, 'running');
	const again = server.terminal(['attach', run]);
	await again.shows(/> Take your time\nStarting\.\n/);
	go();
	await again.shows(/\nFinished\.\n[^]*= completed[^]*exit 0/);
	const over = server.terminal(['attach', run]);
	assert.equal((await over.shows('exit 0')).match(/Finished\./g).length, 1);
	scripts.set('Stop me', () => ({ blocks: [say('On and on')], hang: true }));
	const stopped = server.terminal(['run', 'Stop me']);
	await stopped.shows('On and on');
	stopped.press('C-c');
	await stopped.shows('Stop the run [s]');
	stopped.press('s');
	await stopped.shows(/- cancelled[^]*exit 6/);
});

test('sub-agents have their lines; a second ask opens when the first is settled', async () => {
	scripts.set('Part', (q) => (results(q).length ? [use('report', { markdown: 'done' })]
		: [use('ask_user_question', { questions: [{ question: `${first(q)}?`, header: 'H', multiSelect: false,
			options: [{ label: 'Yes please', description: 'd' }, { label: 'Not now', description: 'd' }] }] })]));
	scripts.set('Share', (q) => (results(q).length ? [say('Both are done.')]
		: [use('parallel_tasks', { tasks: [{ id: 'a', prompt: 'P', task: 'Part A' }, { id: 'b', prompt: 'P', task: 'Part B' }] })]));
	const terminal = server.terminal(['run', 'Share the work'], { rows: 40 });
	await terminal.armed('Approve');
	terminal.press('a');
	await terminal.armed('Press again to approve');
	terminal.press('a');
	for (let i = 0; i < 2; i++) {
		await terminal.armed('( ) 1 Yes please');
		terminal.press('Enter');
	}
	const seen = await terminal.shows('exit 0');
	assert.match(seen, /= parallel_tasks +2/);
	assert.match(seen, /\n {2}\* {3}\S+ +running\n/);
	assert.match(seen, /\n {2}= {3}\S+ +done/);
	assert.match(seen, /Both are done\./);
});

test('what a run does by itself has a line: continued, switched, summarised, trying again, arguments changed', async () => {
	const created = async (path, body) => { const reply = await server.admin.post(path, body); assert.equal(reply.status, 201, reply.text); };
	const models = [{ id: 'm', context: 8000, output: 500 }];
	await created('/v1/providers', { name: 'one', kind: 'anthropic', url: model.url, key: 'sk-test-0123456789', models });
	await created('/v1/agents', { name: 'steps', provider: 'one', model: 'gone', fallbacks: ['one/m'], tools: ['todo'], validation: { mode: 'auto' }, limits: { context: 1500, turns: 40 } });
	await created('/v1/agents', { name: 'careful', provider: 'one', model: 'm', tools: ['todo'], validation: { mode: 'manual' } });
	let n = 0, down = true;
	scripts.set('Step by step', (q) => {
		if (q.model === 'gone') return { status: 404 };
		if (!q.tools) return [say('What was done so far.')];
		if (n++ < 14) return { blocks: [use('todo', { operation: 'create', name: `Part ${n} ${'x'.repeat(180)}` })], tokens: String(Math.ceil(JSON.stringify(q).length / 9)) };
		return n === 16 ? [say(' a half.')] : { blocks: [say('One and')], stop: 'max_tokens' };
	});
	const steps = server.terminal(['run', 'steps', 'Step by step'], { rows: 50, columns: 100 });
	const seen = await steps.shows('exit 0');
	assert.match(seen, / {2}\* Switched from one\/gone to one\/m\. It did not take the request\.\n/);
	assert.match(seen, / {2}\* Summarised \d+ earlier messages\n/);
	assert.match(seen, /One and\n {2}\* Continued after the length limit\n a half\./);
	const { run } = (await server.member.get('/v1/sessions')).body.items[0];
	assert.match(await server.terminal(['attach', run], { rows: 50, columns: 100 }).shows('exit 0'), / {2}\* Continued after the length limit\n/);
	scripts.set('Overloaded', () => (down ? { status: 529, headers: { 'retry-after': '900' }, body: { type: 'error', error: { type: 'overloaded_error', message: 'Too many at once' } } } : [say('Back again.')]));
	const waits = server.terminal(['run', 'careful', 'Overloaded'], { columns: 100 });
	await waits.shows(/ {2}\* Trying again at \d\d:\d\d: Too many at once\n/);
	down = false;
	const { items: [waiting] } = (await server.member.get('/v1/runs?status=waiting')).body;
	assert.equal((await server.member.post(`/v1/runs/${waiting.id}/retry`)).status, 200);
	await waits.shows('exit 0');
	scripts.set('Create it', (q) => (results(q).length ? [say('Created.')] : [use('todo', { operation: 'create', name: 'Wrong' })]));
	const edited = server.terminal(['run', 'careful', 'Create it'], { rows: 40, columns: 100 });
	const ask = await until(async () => (await server.member.get('/v1/asks')).body.items.find(({ operation }) => operation?.arguments.name === 'Wrong'), 'the approval');
	assert.equal((await server.member.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { operation: 'create', name: 'Right' } } } })).status, 200);
	assert.match(await edited.shows('exit 0'), / {2}\* Arguments changed by \S+\n/);
});

test('sessions and runs are listed; a pipe gets the report alone', async () => {
	scripts.set('Short', () => [say('Short.')]);
	const out = server.terminal('"$PARLEY" run "Short one" | cat; "$PARLEY" sessions; "$PARLEY" runs --status completed', { columns: 140 });
	const seen = await out.shows('exit 0');
	assert.match(seen, /^Short\.\n/);
	assert.match(seen, /ses_\w+ {2}completed +assistant +\$0\.\d+ +Short one/);
	assert.match(seen, /run_\w+ {2}completed +assistant/);
});

test('the inbox shows the tree of a session\'s runs and its tasks, and writes to the agent', async () => {
	let go = null;
	const gate = new Promise((done) => { go = done; });
	scripts.set('Slow part', async () => { await gate; return [use('report', { markdown: 'Measured: 3 ms' })]; });
	scripts.set('Open part', (q) => (results(q).length ? [use('report', { markdown: 'It is open' })]
		: [use('ask_user_question', { questions: [{ question: 'Open it?', header: 'H', multiSelect: false,
			options: [{ label: 'Yes', description: 'd' }, { label: 'No', description: 'd' }] }] })]));
	scripts.set('Divide', (q) => {
		const said = JSON.stringify(q.messages.at(-1).content);
		if (said.includes('And a word on memory')) return [say('Memory is fine.')];
		if (results(q).length) return [say('All is measured.')];
		return [use('todo', { operation: 'create', name: 'Measure the stores' }),
			use('parallel_tasks', { tasks: [{ id: 'slow', prompt: 'P', task: 'Slow part' }, { id: 'open', prompt: 'P', task: 'Open part' }] })];
	});
	const { version } = (await server.admin.get('/v1/policy')).body;
	await server.admin.put('/v1/policy', { version, always_confirm_high: false });
	const agent = (await server.member.get('/v1/agents')).body.items[0].name;
	const { body: session } = await server.member.post('/v1/sessions', { agent, message: 'Divide the work', title: 'Three stores' });
	const ask = await until(async () => (await server.member.get('/v1/asks')).body.items.find(({ questions }) => questions[0].text === 'Open it?'),
	'the question');
	const inbox = await server.inbox({ columns: 100 });
	inbox.press('g', 's');
	await inbox.shows(/[ ▸]! Three stores +\S+ +1 ask/);
	inbox.press('Space');
	await inbox.shows((text) => /! Three stores[^\n]*\n {3}~ \S+ +Waiting for 2 sub-agents/.test(text) && /\n {3}`- ! task-open +Waiting for someone/.test(text));
	inbox.press('Space');
	await inbox.lacks('task-open');
	inbox.press('Enter');
	await inbox.shows((text) => /\n~ \S+ +Waiting for 2 sub-agents/.test(text) && /`- ! task-open +Waiting for someone/.test(text)
		&& /\|- \* task-slow +Working/.test(text) && /Tasks: 0 of 1 · next: Measure the stores/.test(text));
	const answered = await server.member.post(`/v1/asks/${ask.id}/answer`, { answers: { [ask.questions[0].key]: 'Yes' } });
	assert.equal(answered.status, 200, answered.text);
	await inbox.shows(/= task-open +It is open/);
	go();
	await inbox.shows((text) => /\n= \S+ +All is measured\./.test(text) && /= task-slow +Measured: 3 ms/.test(text));
	inbox.press('m');
	await inbox.shows(`Message ${agent}:`);
	inbox.type('And a word on memory').press('Enter');
	await inbox.shows((text) => /\n= \S+ +Memory is fine\./.test(text) && /Agent said: All is measured\.\n/.test(text)
		&& /Agent said: Memory is fine\.\n/.test(text));
	assert.equal((await server.member.get(`/v1/sessions/${session.id}`)).body.status, 'completed');
	inbox.close();
});
