// Verifiers: programs of the operator that look at an approval before anybody can approve it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until, useServer } from './lib/server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-verifiers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

// A scanner whose replies the tests choose, by the command that is asked about.
const heard = [], says = new Map();
const scanner = createServer((request, response) => {
	let body = '';
	request.on('data', (part) => { body += part; });
	request.on('end', () => {
		const ask = JSON.parse(body);
		heard.push({ ask, body, headers: request.headers });
		const reply = () => {
			const say = says.get(ask.operation.arguments.command) ?? { verdict: 'fine' };
			if (say === 'wait') return void setTimeout(reply, 20);
			if (say === 500) return void response.writeHead(500).end('{"verdict": "fine"}');
			response.end(typeof say === 'string' ? say : JSON.stringify(say));
		};
		reply();
	});
}).listen(0, '127.0.0.1');
await new Promise((resolve) => scanner.on('listening', resolve));
after(() => { scanner.closeAllConnections(); scanner.close(); });

writeFileSync(join(folder, 'look.mjs'), `
import { readFileSync } from 'node:fs';
const ask = JSON.parse(readFileSync(0, 'utf8'));
console.log('looking …');
console.log(JSON.stringify({ verdict: 'unsure', note: 'saw ' + ask.operation.arguments.command, risk: 'high' }));
`);
const config = join(folder, 'parley.conf');
writeFileSync(config, `[verifiers]
scan = http://127.0.0.1:${scanner.address().port}/scan
look = ${process.execPath} ${join(folder, 'look.mjs')}
broken = sh -c 'echo nothing; exit 3'
`);
const server = await useServer({ flags: ['--config', config] });
const { agent, member, admin } = server;
const rule = async (body) => {
	const reply = await admin.post('/v1/rules', { effect: 'ask', ...body });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const scanned = await rule({ match: { tool: ['Bash(scan *)'] }, ask: { verify: 'scan' } });
const ask = (command, more = {}) => agent.ask({ kind: 'approval', operation: { name: 'Bash', arguments: { command } }, ...more });
const approve = (a, who = member) => who.post(`/v1/asks/${a.id}/answer`, { answers: { decision: 'approve' } });
const read = async (a) => (await member.get(`/v1/asks/${a.id}`)).body;
const spoken = (a) => until(async () => { const now = await read(a); return now.verify.every((v) => v.verdict) && now; }, 'the verdict');
const eventsOf = async (a, type) => (await admin.get(`/v1/events?format=json&types=${type}&after=0&limit=200&session=${a.session}`)).body.items;

test('nobody can approve before it spoke; then its note is shown and a person decides', async () => {
	says.set('scan a', 'wait');
	const a = await ask('scan a');
	assert.deepEqual([a.status, a.verify.length, a.verify[0].name, a.verify[0].rule, a.verify[0].verdict], ['pending', 1, 'scan', scanned.id, null]);
	const refused = await approve(a);
	assert.deepEqual([refused.status, refused.body.type, refused.body.verifier], [409, '/problems/verifying', 'scan']);
	assert.equal((await read(a)).status, 'pending');
	says.set('scan a', { verdict: 'fine', note: 'nothing found' });
	const now = await spoken(a);
	assert.deepEqual([now.status, now.verify[0].verdict, now.verify[0].note, now.verify[0].risk], ['pending', 'fine', 'nothing found', null]);
	const [event] = await eventsOf(a, 'ask.verified');
	assert.deepEqual([event.data.verified.verdict, event.data.verified.name], ['fine', 'scan']);
	const done = await approve(a);
	assert.deepEqual([done.status, done.body.ask.answered_by.kind], [200, 'human']);
});

test('what it gets is the ask, signed', async () => {
	const secret = (await admin.post('/v1/webhook-secret', {})).body.secret;
	const a = await ask('scan signed');
	await spoken(a);
	const got = heard.find((h) => h.ask.id === a.id);
	const signed = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
		.update(`${got.headers['webhook-id']}.${got.headers['webhook-timestamp']}.${got.body}`).digest('base64');
	assert.equal(got.headers['webhook-signature'].split(' ')[0], `v1,${signed}`);
});

test('it may reject, as a policy and never as a person', async () => {
	says.set('scan bad', { verdict: 'deny', note: 'a secret in line 3' });
	const a = await ask('scan bad');
	const now = await until(async () => { const n = await read(a); return n.status !== 'pending' && n; }, 'the reject');
	assert.deepEqual([now.answer.decision.value, now.answered_by.kind, now.answered_by.rule, now.answered_by.user, now.reason],
		['reject', 'policy', scanned.id, null, 'scan: a secret in line 3']);
	assert.equal((await approve(a)).status, 409);
});

test('it never approves, whatever else it says', async () => {
	says.set('scan yes', { verdict: 'fine', decision: 'approve', answers: { decision: 'approve' } });
	assert.equal((await spoken(await ask('scan yes'))).status, 'pending');
});

test('it raises the risk, and with it what is required', async () => {
	await admin.post('/v1/tokens', { name: 'second', role: 'member' });
	const grave = await rule({ match: { tool: ['Bash(scan risky*)'], risk: { min: 'critical' } }, ask: { require: [{ approvals: 2 }] } });
	says.set('scan risky', { verdict: 'unsure', risk: 'critical', note: 'touches production' });
	const a = await ask('scan risky');
	assert.deepEqual([a.risk, a.require], ['medium', null]);
	const now = await spoken(a);
	assert.deepEqual([now.risk, now.require.map((p) => p.approvals), now.verify[0].risk], ['critical', [2], 'critical']);
	assert.equal((await approve(a)).body.ask.status, 'pending');
	assert.ok((await admin.get('/v1/asks?order=attention')).body.items[0].risk === 'critical');
	says.set('scan risky low', { verdict: 'fine', risk: 'low' });
	assert.equal((await spoken(await ask('scan risky low'))).risk, 'medium');
	const deny = await rule({ effect: 'deny', note: 'never when critical', match: { tool: ['Bash(scan risky*)'], risk: { min: 'critical' } } });
	const denied = await ask('scan risky');
	const rejected = await until(async () => { const n = await read(denied); return n.status !== 'pending' && n; }, 'the reject');
	assert.deepEqual([rejected.answered_by.kind, rejected.answered_by.rule], ['policy', deny.id]);
	for (const r of [grave, deny]) await admin.delete(`/v1/rules/${r.id}`);
});

test('a command gets the ask on its standard input', async () => {
	await rule({ match: { tool: ['Bash(look *)'] }, ask: { verify: 'look' } });
	const now = await spoken(await ask('look here'));
	assert.deepEqual([now.verify[0].verdict, now.verify[0].note, now.risk], ['unsure', 'saw look here', 'high']);
});

test('two verifiers: both must speak', async () => {
	await rule({ match: { tool: ['Bash(look both*)'] }, ask: { verify: 'scan' } });
	says.set('look both', 'wait');
	const a = await ask('look both');
	assert.equal(a.verify.length, 2);
	await until(async () => (await read(a)).verify.filter((v) => v.verdict).length === 1, 'the first');
	assert.equal((await approve(a)).status, 409);
	says.set('look both', { verdict: 'fine' });
	await spoken(a);
	assert.equal((await approve(a)).status, 200);
});

test('a reject needs no verifier, and a late verdict changes nothing', async () => {
	says.set('scan slow', 'wait');
	const a = await ask('scan slow');
	assert.equal((await member.post(`/v1/asks/${a.id}/answer`, { answers: { decision: { value: 'reject', text: 'no' } } })).status, 200);
	says.set('scan slow', { verdict: 'deny' });
	await until(async () => (await admin.get('/v1/deliveries?kind=verifier&status=waiting')).body.items.length === 0, 'the report');
	const now = await read(a);
	assert.deepEqual([now.answered_by.kind, now.verify[0].verdict], ['human', null]);
});

test('one that fails is unsure after three tries, and after 90 s nobody waits for it', async () => {
	await rule({ match: { tool: ['Bash(broken *)'] }, ask: { verify: 'broken' } });
	says.set('scan dead', 500);
	says.set('scan mute', 'wait');
	const [broken, dead, mute] = [await ask('broken x'), await ask('scan dead'), await ask('scan mute')];
	const jump = async (a) => until(async () => { server.jump(4000); return (await read(a)).verify[0].verdict; }, 'the end of its tries');
	assert.equal(await jump(broken), 'unsure');
	assert.match((await read(broken)).verify[0].note, /exit status 3/);
	assert.equal(await jump(dead), 'unsure');
	assert.equal(heard.filter((h) => h.ask.id === dead.id).length, 3);
	server.jump(91_000);
	assert.equal((await approve(mute)).status, 200);
	says.set('scan mute', { verdict: 'fine' });
});

test('a rule with an unknown verifier is refused, with those there are', async () => {
	const reply = await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['X'] }, ask: { verify: 'nobody' } });
	assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, '/ask/verify']);
	assert.match(reply.body.errors[0].detail, /scan, look, broken/);
});

test('the check finds nothing wrong with any of it', async () => {
	const done = await server.run(['check', '--data', server.data]);
	assert.equal(done.code, 0, done.stdout + done.stderr);
});
