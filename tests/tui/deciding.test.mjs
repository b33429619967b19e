// What a key may decide, what stays in sight, and what is said afterwards.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { approval, choice, until, useTerminals } from './lib.mjs';

const server = await useTerminals();
const ask = (body) => server.agent.ask(body);
const yesNo = (text, more = {}) => ({ question: text, type: 'boolean', ...more });

afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks?limit=200')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
});

test('high risk wants a second press, whether the dialog opened by itself or by hand', async () => {
	const inbox = await server.inbox({ columns: 80, flags: [] });
	await inbox.idle();
	const first = await ask(approval('high', { title: 'By itself' }));
	await inbox.armed('▸ ( ) 1 Approve');
	inbox.press('a');
	await inbox.shows('Press again to approve');
	assert.equal((await server.agent.read(first)).status, 'pending');
	inbox.press('a');
	await inbox.shows('Too soon: nothing was sent. Press again.');
	assert.equal((await server.agent.read(first)).status, 'pending');
	await inbox.armed();
	inbox.press('a');
	await inbox.shows(/0 pending/);
	assert.equal((await server.agent.read(first)).status, 'answered');
	inbox.close();
	const other = await server.inbox({ columns: 80 });
	const second = await ask(approval('high', { title: 'By hand' }));
	await other.shows('By hand');
	other.press('Enter');
	await other.armed('▸ ( ) 1 Approve');
	other.press('a');
	await other.armed('Press again to approve');
	assert.equal((await server.agent.read(second)).status, 'pending');
	other.press('a');
	await other.shows(/0 pending/);
	assert.equal((await server.agent.read(second)).status, 'answered');
	other.close();
});

test('a card settled elsewhere stays and says how; letters are dead until the person moves', async () => {
	const inbox = await server.inbox({ columns: 80 });
	const lost = await ask(approval('low', { title: 'Withdrawn soon' }));
	const next = await ask(approval('low', { title: 'The next one' }));
	await inbox.shows(/2 pending/);
	inbox.press('Enter');
	await inbox.armed('Withdrawn soon');
	inbox.press('r');
	await inbox.shows('Reason');
	inbox.type('not to');
	await inbox.shows('not to'); // typed before it was withdrawn, not after
	await server.agent.post(`/v1/asks/${lost.id}/cancel`);
	await inbox.shows((text) => text.includes('Withdrawn') && text.includes('not to') && text.includes('1 pending'));
	inbox.type('day, qvaaBx');
	inbox.press('Enter', 'Enter');
	await inbox.armed();
	inbox.press('a');
	assert.match(await inbox.taken(), /Withdrawn soon/);
	assert.equal((await server.agent.read(next)).status, 'pending');
	inbox.press('Escape');
	await inbox.shows('The next one');
	inbox.close();
});

test('what is looked at beside the list stays; Enter opens nothing else until the person moves', async () => {
	const inbox = await server.inbox({ columns: 120 });
	const one = await ask(yesNo('First in sight?'));
	await ask(yesNo('Second in line?'));
	await inbox.shows((text) => text.includes('1 Yes') && text.includes('2 pending'));
	await server.member.answer(one, { q1: true });
	await inbox.shows((text) => text.includes('Answered by mia') && text.includes('1 pending'));
	inbox.press('Enter', 'x', 'v');
	assert.match(await inbox.taken(), /Answered by mia[^]*1 pending/);
	inbox.press('Down');
	await inbox.shows((text) => text.includes('1 Yes') && !text.includes('Answered by mia via'));
	inbox.close();
});

test('what a filter hides is not in a batch', async () => {
	const inbox = await server.inbox({ columns: 80 });
	const kept = await ask(yesNo('Batch alpha?'));
	const hidden = await ask(yesNo('Batch alpha?', { priority: 'urgent' }));
	await inbox.shows(/2 pending/);
	inbox.press('g', 'g', 'x', 'x');
	await inbox.shows('2 selected');
	inbox.press('p');
	await inbox.shows('1 selected');
	inbox.press('B');
	await inbox.armed('One answer for 1 ask');
	inbox.press('Escape');
	await inbox.shows(/Enter open|B answer/);
	inbox.press('p', 'p', 'p', 'p');
	await inbox.shows('2 selected');
	assert.equal((await server.agent.read(kept)).status, 'pending');
	assert.equal((await server.agent.read(hidden)).status, 'pending');
	inbox.close();
});

test('after a decision: what, on what, and whether the agent has it', async () => {
	const inbox = await server.inbox({ columns: 120 });
	const body = approval('low', { title: 'Send it to three' });
	const held = server.agent.post('/v1/asks?wait=30', body);
	await inbox.shows('Send it to three');
	inbox.press('Enter');
	await inbox.armed('▸ ( ) 1 Approve');
	inbox.press('a');
	await inbox.shows('Approved “Send it to three”.');
	await held;
	const lonely = await ask(yesNo('Nobody waits?'));
	await inbox.shows('Nobody waits?');
	inbox.press('Enter');
	await inbox.armed('▸ ( ) 1 Yes');
	inbox.press('Enter');
	await inbox.shows(/Answered “Nobody waits\?”\. builder has not fetched it yet\./);
	assert.equal((await server.member.get(`/v1/asks/${lonely.id}`)).body.status, 'answered');
	inbox.close();
});

test('three alike fold into one row; Space shows them; projects filter', async () => {
	const inbox = await server.inbox({ columns: 80 });
	for (const n of [1, 2, 3]) await ask(yesNo(`Restart worker ${n}?`));
	const session = (await server.agent.post('/v1/sessions', { title: 'With project', project: 'billing' })).body;
	await server.agent.post(`/v1/sessions/${session.id}/asks`, yesNo('Only in billing?'));
	await inbox.shows((text) => text.includes('3 similar') && text.includes('4 pending') && !text.includes('worker 2'));
	inbox.press('Space');
	await inbox.shows('worker 3');
	inbox.press('Space');
	await inbox.lacks('worker 3');
	inbox.press('P');
	await inbox.shows((text) => text.includes('Only in billing?') && !text.includes('worker'));
	inbox.press('P');
	await inbox.shows('3 similar');
	inbox.close();
});

test('assigned by name, and a session stopped after one question', async () => {
	const inbox = await server.inbox({ columns: 100 });
	const one = await ask(yesNo('Whose is it?'));
	await inbox.shows('Whose is it?');
	inbox.press('i');
	await inbox.shows('Assign to:');
	inbox.type('nobody-such');
	inbox.press('Enter');
	await inbox.shows('There is no user nobody-such.');
	inbox.press('Escape');
	await inbox.lacks('Assign to:');
	inbox.press('i');
	await inbox.shows('Assign to:');
	inbox.type('me');
	inbox.press('Enter');
	await inbox.shows('Assigned.');
	assert.equal((await server.agent.read(one)).assignees.length, 1);
	inbox.press('v');
	await inbox.shows(/\d {2}Assigned: Whose is it\?\n/);
	inbox.press('S');
	await inbox.shows('withdraw its questions? y/N  “Whose is it?”');
	inbox.press('n');
	await inbox.lacks('Stop this session');
	inbox.press('S');
	await inbox.shows('Stop this session');
	inbox.press('y');
	await inbox.shows('Session stopped.');
	assert.equal((await server.agent.read(one)).status, 'cancelled');
	inbox.close();
});

test('without a login the inbox says so, and shows the question of its own agent whole', async () => {
	const config = join(server.home, 'nobody');
	mkdirSync(config, { recursive: true });
	const asked = await server.run(['ask', 'Seen by its agent?', '--no-wait', '--data', server.data]);
	assert.equal(asked.code, 0, asked.stderr);
	const inbox = await server.inbox({ columns: 80, env: { XDG_CONFIG_HOME: config } });
	await inbox.shows((text) => text.includes('You are not logged in.') && text.includes('Seen by its agent?'));
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('1 Yes') && text.includes("Run 'parley login'"));
	inbox.press('y');
	await inbox.armed();
	inbox.press('Enter');
	await inbox.taken();
	assert.equal((await server.member.get(`/v1/asks/${asked.stdout.trim()}`)).body.status, 'pending');
	inbox.close();
	const list = await server.run(['list', '--data', server.data], { env: { XDG_CONFIG_HOME: config } });
	assert.match(list.stderr, /not logged in/);
});

/** A way to the server that holds the requests which fit: `held` has them, to be passed on or answered. → its address */
async function slowWay(t, fits, held) {
	const slow = createServer((req, res) => {
		const pass = () => {
			const out = request({ port: server.port, host: '127.0.0.1', method: req.method, path: req.url,
				headers: { ...req.headers, host: `127.0.0.1:${server.port}`,
					...(req.headers.origin ? { origin: `http://127.0.0.1:${server.port}` } : {}) } }, (reply) => {
				res.writeHead(reply.statusCode, reply.headers);
				reply.pipe(res);
			});
			out.on('error', () => res.destroy());
			req.pipe(out);
		};
		if (fits(req)) held.push({ pass, res });
		else pass();
	});
	await new Promise((resolve) => { slow.listen(0, '127.0.0.1', resolve); });
	t.after(() => {
		slow.closeAllConnections();
		slow.close();
	});
	return `http://127.0.0.1:${slow.address().port}`;
}

/** Logs the owner in at that address. → the environment of who is */
async function loggedIn(url, name) {
	const config = join(server.home, name);
	mkdirSync(config, { recursive: true });
	const link = (await server.run(['user', 'login', 'owner', '--data', server.data])).stdout.match(/#(\S+)/)[1];
	const entered = await server.run(['login', `${url}/login#${link}`], { env: { XDG_CONFIG_HOME: config } });
	assert.equal(entered.code, 0, entered.stderr);
	return { XDG_CONFIG_HOME: config, PARLEY_URL: url };
}

test('the form is there also when the server is slow to say who the person is', async (t) => {
	const held = [];
	const url = await slowWay(t, (req) => req.url === '/v1/me', held);
	const env = await loggedIn(url, 'slow');
	const one = await ask(yesNo('Quick enough?'));
	const inbox = await server.inbox({ columns: 120, env });
	await inbox.shows('1 Yes');
	await until(() => held.length, 'who it is');
	held.forEach(({ pass }) => pass());
	inbox.press('Enter');
	await inbox.armed((text) => text.includes('▸ ( ) 1 Yes') && text.includes('Enter answer'));
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	assert.equal((await server.agent.read(one)).status, 'answered');
	inbox.close();
});

test('what came before an approval is the end of a long session, not its start', async () => {
	const session = (await server.agent.post('/v1/sessions', { title: 'Long' })).body;
	for (let n = 1; n <= 210; n++) await server.agent.post(`/v1/sessions/${session.id}/progress`, { text: `step number ${n}` });
	await server.agent.post(`/v1/sessions/${session.id}/asks`, approval('low', { title: 'At its end' }));
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('step number 210') && text.includes('step number 206') && !text.includes('step number 5'));
	inbox.close();
});

test('long integers are shown and sent as they came', async () => {
	const inbox = await server.inbox({ columns: 80 });
	const one = await server.agent.post('/v1/asks', '{"questions":[{"key":"n","text":"Which number?","type":"number","min":9007199254740993,"max":9007199254740999}]}');
	assert.equal(one.status, 201);
	await inbox.shows('Which number?');
	inbox.press('Enter');
	await inbox.armed(/9007199254740993/);
	inbox.type('9007199254740995');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	const raw = await (await fetch(`${server.url}/v1/asks/${one.body.id}`, { headers: { authorization: `Bearer ${server.member.token}` } })).text();
	assert.match(raw, /"value":9007199254740995\b/);
	inbox.close();
});

test('the history: what was settled, by whom, mine, one outcome, and the ask itself', async () => {
	const DAY_MS = 24 * 3600e3;
	server.jump(-DAY_MS);
	await server.member.answer(await ask(yesNo('Asked the day before?')), { q1: true });
	server.jump(DAY_MS);
	const inbox = await server.inbox({ columns: 120 });
	const approved = await ask(approval('low', { title: 'History approved' }));
	await inbox.shows('History approved');
	inbox.press('Enter');
	await inbox.armed('▸ ( ) 1 Approve');
	inbox.press('a');
	await inbox.shows('Approved “History approved”.');
	const rejected = await ask(approval('low', { title: 'History rejected' }));
	await server.member.answer(rejected, { decision: { value: 'reject', text: 'Not now' } });
	inbox.press('g', 'h');
	await inbox.shows((text) => /approved +History approved +owner/.test(text) && /rejected +History rejected +mia/.test(text));
	inbox.press('End');
	await inbox.shows(/\nYesterday\n▸\d\d:\d\d +answered +Asked the day before\?/);
	inbox.press('Home');
	await inbox.shows(/\[History\].*\nToday\n▸\d\d:\d\d +rejected/);
	inbox.press('m');
	await inbox.shows((text) => text.includes('by me') && text.includes('History approved') && !text.includes('History rejected'));
	inbox.press('m');
	await inbox.shows((text) => text.includes('by rules') && !text.includes('History approved'));
	inbox.press('m');
	await inbox.shows('History rejected');
	inbox.press('f', 'f');
	/* The head says it, too: half a picture of the list before has that row alone, and Enter opens nothing of a list that is loading. */
	await inbox.shows((text) => /\[History\].* rejected\b/.test(text) && text.includes('History rejected') && !text.includes('History approved'));
	inbox.press('Enter');
	await inbox.lacks('Esc all');
	inbox.press('Enter');
	await inbox.shows((text) => text.includes('Rejected by mia via api') && text.includes('Not now') && text.includes('Wants to run'));
	inbox.press('Escape');
	await inbox.shows('[History]');
	inbox.close();
	const list = await server.run(['list', '--settled', '--mine', '--since', '1h']);
	assert.equal(list.code, 0, list.stderr);
	assert.match(list.stdout, new RegExp(`^${approved.id}\tapproved\towner\t`, 'm'));
	assert.ok(!list.stdout.includes(rejected.id));
});

test('a history that could not be read does not keep what was asked for next', async (t) => {
	const held = [];
	const url = await slowWay(t, (req) => /asks\?.*outcome=approved/.test(req.url), held);
	const inbox = await server.inbox({ columns: 120, env: await loggedIn(url, 'broken') });
	await server.member.answer(await ask(approval('low', { title: 'Turned down' })), { decision: { value: 'reject' } });
	inbox.press('g', 'h');
	await inbox.shows('Turned down');
	inbox.press('f');
	await until(() => held.length, 'the approved ones');
	inbox.press('f');
	await inbox.shows(/\[History\].* rejected\b/);
	held[0].res.writeHead(500, { 'content-type': 'application/problem+json' }).end('{"title":"broken"}');
	await inbox.shows('Turned down');
	inbox.press('f', 'f', 'f', 'f', 'f', 'f');
	await until(() => held.length > 1, 'the approved ones, again');
	held[1].res.writeHead(500, { 'content-type': 'application/problem+json' }).end('{"title":"broken"}');
	await inbox.shows((text) => /broken/i.test(text) && !text.includes('Nothing settled yet'));
	inbox.close();
});

test('unread asks are marked until they are opened, here and for the page', async () => {
	const inbox = await server.inbox({ columns: 80 });
	const one = await ask(yesNo('Seen yet?'));
	await inbox.shows(/▸• +\? Seen yet\?/);
	inbox.press('Enter');
	await inbox.shows('1 Yes');
	inbox.press('Escape');
	await inbox.shows(/▸ +\? Seen yet\?/);
	const owner = await server.inbox({ columns: 80 });
	await owner.shows(/▸ +\? Seen yet\?/);
	assert.equal((await server.member.get(`/v1/asks/${one.id}`)).body.mark.read, false, 'the mark is the owner’s own');
	inbox.close();
	owner.close();
});

test('snoozed: gone for the person, back at its time or before its deadline', async () => {
	const inbox = await server.inbox({ columns: 80 });
	await ask(yesNo('Later on?'));
	await ask(yesNo('With a deadline?', { timeout: '1h' }));
	await ask(yesNo('Right now?'));
	for (const [title, span, left] of [['With a deadline?', '2h', 2], ['Later on?', '30m', 1]]) {
		await inbox.shows(title);
		inbox.press('Home');
		for (let i = 0; i < 3 && !new RegExp(`▸.*${title.slice(0, -1)}`).test(await inbox.taken()); i++) inbox.press('Down');
		inbox.press('z');
		await inbox.shows('Snooze for:');
		inbox.type('soon').press('Enter');
		await inbox.shows('Enter a time such as 30m');
		inbox.press('C-u').type(span).press('Enter');
		await inbox.shows((text) => text.includes('Snoozed until') && text.includes(`${left} pending`) && !text.includes(title));
	}
	inbox.press('Z');
	await inbox.shows((text) => text.includes('Later on?') && text.includes('With a deadline?') && !text.includes('Right now?'));
	inbox.press('Z');
	const again = await server.inbox({ columns: 80 });
	assert.doesNotMatch(await again.taken(), /Later on/);
	server.jump(31 * 60_000);
	await inbox.shows((text) => text.includes('Later on?') && text.includes('2 pending'));
	server.jump(25 * 60_000);
	await again.shows((text) => text.includes('With a deadline?') && text.includes('3 pending'));
	inbox.close();
	again.close();
});

test('an approval is taken back, at once or from the history, unless it was used', async () => {
	const inbox = await server.inbox({ columns: 120 });
	const approve = async (title) => {
		const made = await ask(approval('low', { title }));
		await inbox.shows(title);
		inbox.press('Enter');
		await inbox.armed('▸ ( ) 1 Approve');
		inbox.press('a');
		await inbox.shows(`Approved “${title}”`);
		return made;
	};
	const first = await approve('Undone at once');
	await inbox.shows('u take back');
	inbox.press('u');
	await inbox.shows('Approval taken back');
	assert.ok((await server.agent.read(first)).revoked, 'revoked');
	const second = await approve('Used already');
	const now = await server.agent.read(second);
	assert.equal((await server.agent.post(`/v1/asks/${second.id}/use`, { digest: now.approved_digest })).status, 200);
	inbox.press('g', 'h');
	await inbox.shows((text) => /approved +Used already/.test(text) && /taken back +Undone at once/.test(text));
	const waited = await server.run(['wait', first.id], { env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.agent.token } });
	assert.deepEqual([waited.code, waited.stdout], [1, 'reject\n'], 'what was taken back is no yes');
	assert.match((await server.run(['show', first.id])).stdout, /Approval taken back by owner/);
	inbox.press('u');
	await inbox.shows(/used/i);
	assert.ok(!(await server.agent.read(second)).revoked);
	inbox.close();
});
