// Approving for longer, in the terminal: which calls, for how long, what the rule would match; with the safety of any approval.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { approval, useTerminals } from './lib.mjs';

const server = await useTerminals();
const command = (text, risk = 'medium', more = {}) => approval(risk, { title: `Run ${text}`,
	operation: { type: 'tool', name: 'Bash', arguments: { command: text }, risk }, ...more });
const ask = (body) => server.agent.ask(body);
const rules = async () => (await server.admin.get('/v1/rules')).body.items;

/** The card of the first ask, opened by hand; then its menu. */
async function menu(lang = 'en', settings = {}) {
	const inbox = await server.inbox({ columns: 80, lang, ...settings });
	await inbox.shows(/1 (pending|en attente)|[2-9] (pending|en attente)/);
	inbox.press('Enter');
	await inbox.armed('1 A');
	inbox.press('.');
	await inbox.shows(lang === 'en' ? '▸ (•) 1 This call only' : '▸ (•) 1 Cet appel seulement');
	return inbox;
}

/** Moves on to one hour: how long is possible is known once the server has said it. */
async function toHour(inbox) {
	for (let i = 0; i < 100 && !(await inbox.taken()).includes('‹ 1 hour ›'); i++) inbox.press('Right');
}

afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks?limit=200')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
	for (const rule of await rules()) await server.admin.delete(`/v1/rules/${rule.id}`);
});

test('the same call, for an hour: the rule is shown before it is made, and allows the next one', async () => {
	const { id: session } = await server.agent.session({ title: 'Build' });
	const first = await ask({ ...command('npm test'), session });
	const inbox = await menu();
	inbox.press('Down', 'Down');
	await inbox.shows((text) => text.includes('▸ (•) 3 The same call, for a while') && text.includes('‹ 15 minutes ›'));
	await toHour(inbox);
	await inbox.shows((text) => text.includes('‹ 1 hour ›')
		&& /Creates the rule: Allow the same call for builder without a project until\s/.test(text.replace(/\s+/g, ' ')));
	await inbox.armed('1 hour');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	assert.equal((await server.agent.read(first)).answered_by.via, 'terminal');
	const [rule] = await rules();
	assert.equal(rule.made_from.ask, first.id);
	assert.equal(Math.round((Date.parse(rule.expires_at) - Date.parse(rule.created_at)) / 60_000), 60);
	assert.equal((await server.agent.read(await ask(command('npm test')))).answered_by.kind, 'policy');
	assert.equal((await server.agent.read(await ask(command('npm test -- --watch')))).status, 'pending');
	inbox.close();
});

test('in this session, and Esc goes back to the card without a decision', async () => {
	/* A session of its own would end with the answer, and the rule with it. */
	const { id: session } = await server.agent.session({ title: 'Build' });
	const first = await ask({ ...command('make'), session });
	const inbox = await menu();
	inbox.press('2');
	await inbox.shows(/in\s+the\s+session/);
	inbox.press('Escape');
	await inbox.shows('a approve');
	assert.equal((await server.agent.read(first)).status, 'pending');
	inbox.press('.', '2');
	await inbox.armed(/in\s+the\s+session/);
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	assert.equal((await rules())[0].match.session, first.session);
	inbox.close();
});

test('a session that was made for the ask ends with it: no rule is offered for it', async () => {
	await ask(command('make'));
	const inbox = await menu();
	await inbox.shows('2 The same call, in this session  This session ends with the answer.');
	inbox.press('2');
	assert.match(await inbox.taken(), /▸ \(•\) 1 This call only/);
	inbox.press('Down');
	await inbox.shows('▸ (•) 3 The same call, for a while');
	inbox.close();
});

test('calls like this: the pattern is edited, tried, and used with those that wait', async () => {
	const first = await ask(command('npm run build --fast'));
	const inbox = await menu();
	inbox.press('4');
	await inbox.shows((text) => text.includes('Bash(npm run *)') && /Matches 1 of the last \d+ approvals\./.test(text));
	const second = await ask(command('npm test'));
	inbox.press('e', 'C-u').type('Bash(npm');
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('has no closing bracket') && !text.includes('Creates the rule'));
	inbox.press('Enter');
	await inbox.taken();
	assert.equal((await server.agent.read(first)).status, 'pending');
	inbox.press('e', 'C-u').type('Bash(npm *)');
	inbox.press('Enter');
	await inbox.shows((text) => /Matches \d+ of the last/.test(text) && text.includes('Also approve the 1 other that is waiting now'));
	inbox.press('Down', 'Space');
	await inbox.armed('▸ [x] Also approve');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	assert.deepEqual((await rules())[0].match.tool, ['Bash(npm *)']);
	assert.equal((await server.agent.read(second)).answered_by.kind, 'policy');
	inbox.close();
});

test('high risk: the same call alone, and no longer than the policy allows', async () => {
	await ask(command('deploy', 'high'));
	const inbox = await menu();
	await inbox.shows((text) => text.split('Not for high risk.').length === 3);
	inbox.press('2', '4', 'Down');
	await toHour(inbox);
	inbox.press('Right', 'Right');
	await inbox.armed((text) => text.includes('▸ (•) 3') && text.includes('‹ 1 hour ›'));
	inbox.press('Enter');
	await inbox.armed('Press again to approve');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	assert.equal((await rules())[0].match.risk.max, 'high');
	inbox.close();
});

test('in a dialog that opened by itself, high risk takes a second press here, too', async () => {
	const inbox = await server.inbox({ columns: 80, flags: [] });
	await inbox.idle();
	const first = await ask(command('deploy', 'high'));
	await inbox.armed('1 Approve');
	inbox.press('.', '3');
	await inbox.armed('‹ 15 minutes ›');
	inbox.press('Enter');
	await inbox.shows('Press again to approve');
	assert.equal((await server.agent.read(first)).status, 'pending');
	inbox.press('Enter'); // before it could be seen
	await inbox.taken();
	assert.equal((await server.agent.read(first)).status, 'pending');
	await inbox.armed('Press again');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	inbox.close();
});

test('nothing is offered for a critical call, for one with edited arguments, nor where several decide', async () => {
	const inbox = await server.inbox({ columns: 80, env: { EDITOR: 'sed -i s/make/cmake/', VISUAL: '' } });
	await ask(command('rm -rf build', 'critical'));
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.armed('1 Approve');
	inbox.press('.');
	assert.doesNotMatch(await inbox.taken(), /This call only|for longer/);
	inbox.close();
	for (const left of (await server.member.get('/v1/asks')).body.items) await server.member.post(`/v1/asks/${left.id}/skip`);
	await ask(command('make'));
	const edited = await server.inbox({ columns: 80, env: { EDITOR: 'sed -i s/make/cmake/', VISUAL: '' } });
	await edited.shows(/1 pending/);
	edited.press('Enter');
	await edited.armed('1 Approve');
	edited.press('e');
	await edited.shows('Approve with changes');
	edited.press('.');
	assert.doesNotMatch(await edited.taken(), /This call only|for longer/);
	edited.close();
	for (const left of (await server.member.get('/v1/asks')).body.items) await server.member.post(`/v1/asks/${left.id}/skip`);
	await ask(command('make', 'medium', { require: [{ approvals: 2 }] }));
	const several = await server.inbox({ columns: 80 });
	await several.shows(/1 pending/);
	several.press('Enter');
	await several.armed('1 Approve');
	several.press('.');
	assert.doesNotMatch(await several.taken(), /This call only|for longer/);
	several.close();
});

test('pasted text and a key pressed too soon decide nothing; what is withdrawn closes it', async () => {
	const first = await ask(command('make'));
	const inbox = await menu();
	inbox.press('3', 'Enter');
	inbox.paste('\r');
	await inbox.pass(650);
	inbox.paste('3\r');
	await inbox.taken();
	assert.equal((await server.agent.read(first)).status, 'pending');
	await server.agent.post(`/v1/asks/${first.id}/cancel`);
	await inbox.shows('Withdrawn');
	assert.deepEqual(await rules(), []);
	inbox.close();
});

test('in French, in a small window', async () => {
	await ask(command('make'));
	const inbox = await menu('fr', { columns: 40, rows: 10 });
	inbox.press('3');
	await inbox.armed((text) => text.includes('▸ (•) 3') && text.includes('‹ 15 minutes ›') && text.includes('Crée la règle'));
	inbox.press('Enter');
	await inbox.shows(/0 en attente/);
	assert.equal((await rules()).length, 1);
	inbox.close();
});

test('in the dialog of parley approve', async () => {
	const terminal = server.terminal(['approve', '--tool', 'Bash', '--arg', 'command=make docs', '--risk', 'medium'], { columns: 80 });
	await terminal.armed('1 Approve');
	terminal.press('.', '4');
	await terminal.armed((text) => text.includes('Bash(make *)') && /Matches \d/.test(text));
	terminal.press('Enter');
	await terminal.shows('exit 0');
	assert.deepEqual((await rules())[0].match.tool, ['Bash(make *)']);
	terminal.close();
});

/** The card of what was settled last, opened in the history; then the form of a rule made from it. */
async function ruling(env = {}) {
	const inbox = await server.inbox({ columns: 80, env });
	inbox.press('g', 'h');
	await inbox.shows(/\[History\][^]*▸\d\d:\d\d/);
	inbox.press('Enter');
	await inbox.shows('. rule…');
	inbox.press('.');
	await inbox.armed((text) => text.includes('New rule') && /Matches \d+ of the last/.test(text));
	return inbox;
}

test('from the history: what was rejected is denied from now on, what was approved is allowed by an admin', async () => {
	const never = await ask(command('git push --force origin main'));
	await server.member.answer(never, { decision: 'reject' });
	const inbox = await ruling();
	assert.match((await inbox.taken()).replace(/\s+/g, ' '), /Creates the rule: Never Bash\(git push \*\) for builder without a project\./);
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('Rule created.') && !text.includes('New rule'));
	const [made] = await rules();
	assert.deepEqual([made.effect, made.match.tool, made.expires_at, made.made_from.ask], ['deny', ['Bash(git push *)'], null, never.id]);
	assert.equal((await ask(command('git push --force origin next'))).answer.decision.value, 'reject');
	inbox.close();
	await server.admin.delete(`/v1/rules/${made.id}`);

	const once = await ask(command('deploy staging', 'high'));
	await server.member.answer(once, { decision: 'approve' });
	const admin = await ruling();
	assert.match(await admin.taken(), /▸ \(•\) 1 Allow/);
	admin.press('e', 'C-u').type('Bash(deploy staging)').press('Enter');
	await admin.shows(/Allow Bash\(deploy\s+staging\) up to\s+high risk/);
	for (let i = 0; i < 4; i++) admin.press('Left');
	await admin.armed('‹ 1 hour ›');
	admin.press('Enter');
	await admin.shows('Rule created.');
	const [allowed] = await rules();
	assert.deepEqual([allowed.effect, allowed.match.risk, allowed.match.agent], ['allow', { max: 'high' }, 'builder']);
	assert.equal(Math.round((Date.parse(allowed.expires_at) - Date.parse(allowed.created_at)) / 60_000), 60);
	admin.close();
});

test('from the history: a member asks or denies, allows nothing, and Esc creates nothing', async () => {
	const once = await ask(command('npm publish'));
	await server.admin.answer(once, { decision: 'approve' });
	const inbox = await ruling({ PARLEY_TOKEN: server.secrets.member });
	assert.match(await inbox.taken(), /\( \) 1 Allow {2}Only admins can allow\.[^]*▸ \(•\) 2 Ask/);
	inbox.press('1', 'Up');
	assert.match(await inbox.taken(), /▸ \(•\) 2 Ask/);
	inbox.press('Escape');
	await inbox.shows('. rule…');
	assert.deepEqual(await rules(), []);
	inbox.press('.');
	await inbox.armed('▸ (•) 2 Ask');
	inbox.press('Enter');
	await inbox.shows('Rule created.');
	assert.equal((await rules())[0].effect, 'ask');
	inbox.close();
});
