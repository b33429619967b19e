// The answer form in a terminal: every rule of the dialog, read from the screen.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { approval, choice, choices, useTerminals } from './lib.mjs';

const server = await useTerminals();
const inbox = await server.inbox({ columns: 80 });

// A test that fails leaves nothing behind for the next.
afterEach(async () => {
	const left = (await server.member.get('/v1/asks')).body.items;
	for (const ask of left) await server.member.post(`/v1/asks/${ask.id}/skip`);
	if (left.length) inbox.press('Escape', 'Escape');
});

/** Asks, opens it in the inbox, and waits until decisions count. */
async function open(body, seen) {
	const ask = await server.agent.ask(body);
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed(seen);
	return ask;
}
const settled = async (ask) => {
	await inbox.shows(/0 pending/);
	return server.agent.read(ask);
};

test('a lone single choice: Enter on an option chooses it and sends it', async () => {
	const ask = await open({ questions: [choice()] }, '( ) 1 Staging');
	inbox.press('Down', 'Enter');
	const now = await settled(ask);
	assert.deepEqual(now.answer, { env: { selected: ['production'] } });
	assert.equal(now.answered_by.via, 'terminal');
});

test('several: Space toggles [x], Enter confirms; none chosen is an error in red', async () => {
	const ask = await open({ questions: [choices()] }, '[ ] 1 Unit');
	inbox.press('Enter');
	await inbox.shows('Select at least one option.');
	await inbox.taken();
	const line = inbox.screen({ colours: true }).split('\n').find((row) => row.includes('at least one'));
	assert.match(line, /\u001b\[(38;5;203|31)m/);
	inbox.press('Space', 'Down', 'Space');
	await inbox.shows((text) => /\[x\] 1 Unit/.test(text) && /\[x\] 2 Api/.test(text));
	inbox.press('Up', 'Space');
	await inbox.shows(/\[ \] 1 Unit/);
	inbox.press('Enter');
	assert.deepEqual((await settled(ask)).answer, { tests: { selected: ['api'] } });
});

test('single shows (•), several show [x]', async () => {
	const ask = await open({ questions: [choice(), choices()] }, '1/2: Environment');
	inbox.press('Space');
	await inbox.shows('(•) 1 Staging');
	inbox.press('Enter');
	await inbox.shows('2/2: Tests');
	inbox.press('Space');
	await inbox.shows('[x] 1 Unit');
	await server.member.post(`/v1/asks/${ask.id}/skip`);
	await inbox.shows((text) => text.includes('0 pending') && text.includes('Skipped by mia'));
	inbox.press('Escape');
});

test('Other asks for a text; empty is an error; Enter confirms', async () => {
	const ask = await open({ questions: [choice({ other: true })] }, '3 Other');
	inbox.press('End', 'Enter', 'Enter');
	await inbox.shows('Describe your answer.');
	inbox.type('the moon');
	await inbox.shows('Other: the moon');
	inbox.press('Enter');
	assert.deepEqual((await settled(ask)).answer, { env: { other: 'the moon' } });
});

test('Esc in Other returns to the choices and keeps the text', async () => {
	const ask = await open({ questions: [choice({ other: true })] }, '3 Other');
	inbox.press('3').type('mars').press('Escape');
	await inbox.shows(/s skip…/);
	inbox.press('1');
	await inbox.shows((text) => text.includes('(•) 1 Staging') && text.includes('Other: mars'));
	inbox.press('3', 'Enter');
	assert.deepEqual((await settled(ask)).answer, { env: { other: 'mars' } });
});

test('Esc leaves it open; s asks: no and Esc stay, yes skips', async () => {
	const ask = await open({ questions: [choice()] }, '1 Staging');
	inbox.press('s');
	await inbox.shows('Skip? y/N');
	inbox.press('n');
	await inbox.lacks('Skip? y/N');
	inbox.press('s');
	await inbox.shows('Skip? y/N');
	inbox.press('Escape');
	await inbox.lacks('Skip? y/N');
	inbox.press('Escape');
	await inbox.shows(/Enter open/);
	assert.equal((await server.agent.read(ask)).status, 'pending');
	inbox.press('Enter');
	await inbox.armed('1 Staging');
	inbox.press('s');
	await inbox.shows('Skip? y/N');
	inbox.press('y');
	const now = await settled(ask);
	assert.equal(now.status, 'skipped');
});

test('several questions: 1/3, back with ←, Review, what was chosen stays', async () => {
	const ask = await open({ questions: [choice(), choices(), { key: 'why', header: 'Why', text: 'Why?', type: 'text' }] },
		'1/3: Environment');
	inbox.press('Down', 'Enter');
	await inbox.shows('2/3: Tests');
	inbox.press('Left');
	await inbox.shows('(•) 2 Production');
	inbox.press('Enter');
	await inbox.shows('2/3: Tests');
	inbox.press('Space', 'Enter');
	await inbox.shows('3/3: Why');
	inbox.type('because').press('Enter');
	await inbox.shows('Review');
	const review = await inbox.taken();
	for (const line of ['Environment: Production', 'Tests: Unit', 'Why: because', '▸ Answer', 'Enter answer'])
		assert.ok(review.includes(line), `${line}:\n${review}`);
	inbox.press('Up');
	await inbox.shows(/▸ Why: because[^]*Enter change/);
	inbox.press('Down');
	await inbox.shows('Enter answer');
	inbox.press('Enter');
	assert.deepEqual((await settled(ask)).answer,
		{ env: { selected: ['production'] }, tests: { selected: ['unit'] }, why: { text: 'because' } });
	const shown = await server.run(['show', ask.id]);
	assert.match(shown.stdout, /^ {2}Environment: Production, Tests: Unit, Why: because$/m);
});

test('what the agent knows already is shown chosen; what it suggests is only marked', async () => {
	const ask = await open({ questions: [choice({ prefill: 'production', suggested: 'staging' })] }, '(•) 2 Production');
	assert.match(inbox.screen(), /\( \) 1 Staging {2}suggested by the agent/);
	inbox.press('Enter');
	assert.deepEqual((await settled(ask)).answer, { env: { selected: ['production'] } });
});

test('a note is asked for beside the choice', async () => {
	const ask = await open({ questions: [choice({ note: { required: true } })] }, 'Note to the agent (required)');
	inbox.press('Enter', 'Enter');
	await inbox.shows('Add a note.');
	inbox.type('with care').press('Enter');
	assert.deepEqual((await settled(ask)).answer, { env: { selected: ['staging'], text: 'with care' } });
});

test('a number out of bounds says so', async () => {
	const ask = await open({ question: 'How many?', type: 'number', min: 1, max: 5 }, 'From 1 to 5');
	inbox.type('9').press('Enter');
	await inbox.shows('At most 5.');
	inbox.press('BSpace').type('4').press('Enter');
	assert.deepEqual((await settled(ask)).answer, { q1: { value: 4 } });
});

test('nothing is decided in the first moment, and never by pasted text', async () => {
	const ask = await server.agent.ask({ question: 'Deploy?', type: 'boolean' });
	await inbox.shows(/1 pending/);
	inbox.press('Enter', 'Enter', 'y', 'Enter', 'y', 'Enter');
	await inbox.armed('1 Yes');
	assert.equal((await server.agent.read(ask)).status, 'pending');
	inbox.paste('n\ry\rs\ry\r');
	inbox.press('y');
	await inbox.shows('(•) 1 Yes');
	assert.equal((await server.agent.read(ask)).status, 'pending');
	inbox.press('n', 'Enter');
	assert.deepEqual((await settled(ask)).answer, { q1: { value: false } });
});

test('pasted lines are text', async () => {
	const ask = await open({ question: 'Notes?', type: 'text' }, 'Notes?');
	inbox.paste('one\ntwo');
	await inbox.shows((text) => text.includes('one') && text.includes('two'));
	assert.equal((await server.agent.read(ask)).status, 'pending');
	inbox.press('Enter');
	assert.deepEqual((await settled(ask)).answer, { q1: { text: 'one\ntwo' } });
});

test('an approval: arguments, raw, reject with a reason', async () => {
	const ask = await open(approval(), 'Wants to run  shell');
	const card = inbox.screen();
	for (const part of ['high risk', 'make deploy', 'a approve', '( ) 1 Approve']) assert.ok(card.includes(part), `${part}\n${card}`);
	/* Its title is said once: above the answers, and on top of what the shell shows. */
	assert.equal(card.split('\n').filter((line) => /(^|│ )Run it\?$/.test(line.trimEnd())).length, 1, card);
	assert.equal((await server.run(['show', ask.id])).stdout.match(/^Run it\?/gm).length, 1);
	inbox.press('t');
	await inbox.shows('"cmd": "make deploy"');
	inbox.press('r');
	await inbox.shows('Reason');
	await inbox.shows('Enter reject');
	inbox.type('not on Friday').press('Enter');
	assert.deepEqual((await settled(ask)).answer, { decision: { value: 'reject', text: 'not on Friday' } });
});

test('a critical approval: read to its end, then pressed twice', async () => {
	const lines = Array.from({ length: 60 }, (_, i) => `line ${i}`).join('\n');
	const ask = await open(approval('critical', { operation: { name: 'sql', risk: 'critical', arguments: { query: lines } } }), 'Wants to run  sql');
	inbox.press('a');
	await inbox.shows('Scroll through the whole operation to approve.');
	for (let i = 0; i < 12; i++) inbox.press('NPage');
	await inbox.shows('line 59');
	inbox.press('a');
	await inbox.armed('Press again to approve');
	inbox.press('a');
	assert.deepEqual((await settled(ask)).answer, { decision: { value: 'approve' } });
});

test('a diff is shown line by line, an error and its attempt, too', async () => {
	const ask = await open({ kind: 'error_recovery', title: 'It failed', context: { error_details: 'ENOSPC', attempt: 2, attempts: 3,
		diff: '@@ -1 +1 @@\n-old line\n+new line' } }, 'attempt 2 of 3');
	const card = inbox.screen();
	for (const part of ['ENOSPC', '-old line', '+new line']) assert.ok(card.includes(part), `${part}\n${card}`);
	inbox.press('Enter', 'Enter');
	assert.deepEqual((await settled(ask)).answer, { recovery: { selected: ['retry'] } });
});

test('asking back keeps it open and shows the thread', async () => {
	const ask = await open({ questions: [choice()] }, '1 Staging');
	inbox.press('b').type('Which branch?');
	await inbox.shows(/Where to\?[^]*Which branch\?/); // what is asked stays in sight
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('Messages') && text.includes('Which branch?'));
	const now = await server.agent.read(ask);
	assert.equal(now.status, 'pending');
	assert.equal(now.replies[0].text, 'Which branch?');
	await inbox.armed('1 Staging');
	inbox.press('Enter');
	await settled(ask);
});
