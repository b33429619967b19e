// What follows from every ask, one object each: the columns of the matrix (../matrix.test.mjs).
//
// approval: it is about approvals, where a way can make one of those.
// not: a function of the way that says why the two do not go together, if so.
// rows: the names in the table of src/desk/reactions.c that it tries; script/lint compares both.
// unasked: no person is asked, so that none is waited for.
// workspace(m): what there must be, for agents named `*-NAME`; prepare(cell): before this ask.
// asked(cell): what holds while it is pending; settle(cell): how it ends (a person's yes, if not said); settled(cell).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Receiver } from './receiver.mjs';
import { SECRET, Slack, TOKEN } from './slack.mjs';

const approvalsOnly = (why) => (way) => (way.makes.includes('approval') ? undefined : why);
const MINUTE = 60e3;

async function rule(m, reaction, ask) {
	const reply = await m.admin.post('/v1/rules', { ...(ask ? { effect: 'ask', ask } : { effect: 'deny', note: 'never' }),
		match: { agent: `*-${reaction}`, tool: ['Bash', 'todo(create*)', 'mandate', 'mcp__matrix__go', 'mcp__beside__go'] } });
	assert.equal(reply.status, 201, reply.text);
}

const event = {
	async asked(cell) {
		const [made, ...more] = await cell.events('ask.created');
		assert.equal(made.session, cell.ask.session);
		assert.deepEqual(more, []);
	},
	async settled(cell) {
		assert.equal((await cell.events('ask.answered')).length, 1);
	},
};

const rules = {
	approval: true,
	not: approvalsOnly('rules decide about operations, and this asks about none'),
	workspace: (m) => rule(m, 'rules', { risk: 'critical' }),
	async asked(cell) { assert.equal(cell.ask.risk, 'critical'); },
};

/** Nobody is asked without being told why: no rule says so here. */
const because = {
	async asked(cell) {
		const { by, rules: named, text } = cell.ask.asked_because;
		assert.deepEqual([by, named], [cell.way.because, []]);
		assert.ok(text.length > 5, text);
	},
};

/** The session's project is the ask's, for rules, teams and routes. */
const project = {
	prepare(cell) { cell.project = 'web-1'; },
	async asked(cell) { assert.equal(cell.ask.project, 'web-1'); },
};

/** What a rule denies is decided at once, whether a row is kept of it or not: its maker hears no, and nobody is asked. */
const denied = {
	approval: true, unasked: true,
	not: approvalsOnly('rules decide about operations, and this asks about none'),
	workspace: (m) => rule(m, 'denied'),
	async settle(cell) {
		assert.equal(await cell.outcome(), 'no');
		const { items } = (await cell.member.get(`/v1/asks?status=all&session=${cell.session}`)).body;
		assert.deepEqual(items.map(({ status, answered_by: by }) => [status, by.kind]), items.map(() => ['answered', 'policy']));
	},
};

/** A rule of the person an agent asks for allows nothing of what that agent asks; what another agent asks, it allows. */
const own = {
	approval: true,
	not: (way) => (way.bundles ? 'no rule allows a mandate' : undefined) ?? approvalsOnly('rules decide about operations, and this asks about none')(way)
		?? (way.runs ? 'a run asks for nobody: who started it may approve it, by an answer and by a rule' : undefined),
	async workspace({ admin, server }) {
		const made = async (body) => {
			const reply = await admin.post('/v1/tokens', body);
			assert.equal(reply.status, 201, reply.text);
			return reply.body;
		};
		const person = await made({ name: 'matrix owner', role: 'admin' });
		this.user = person.user;
		this.other = server.client((await made({ name: 'other-own', role: 'agent' })).token);
		this.person = server.client(person.token);
		const reply = await this.person.post('/v1/rules', { effect: 'allow', match: { agent: '*-own', tool: ['Bash', 'mcp__matrix__go', 'mcp__beside__go', 'todo(create*)'] } });
		assert.equal(reply.status, 201, reply.text);
	},
	prepare(cell) { cell.behind = { user: this.user }; },
	async asked(cell) {
		assert.equal((await this.person.get(`/v1/asks/${cell.ask.id}`)).body.refused, 'self');
		const { schema, ...operation } = cell.ask.operation;
		const { body } = await this.other.post('/v1/decide', { operation });
		assert.equal(body.effect, 'allow');
	},
};

const require = {
	rows: ['edit after a vote'],
	approval: true,
	not: approvalsOnly('approvals alone need votes'),
	async config() {
		this.slack = await new Slack().open();
		return `slack_token = ${TOKEN}\nslack_signing_secret = ${SECRET}\nslack_api = ${this.slack.api}\n`;
	},
	async workspace(m) {
		await rule(m, 'require', { require: [{ approvals: 2 }] });
		const team = (await m.admin.post('/v1/teams', { name: 'voters' })).body;
		const room = (await m.admin.post(`/v1/teams/${team.id}/contacts`, { channel: 'slack', address: 'C0VOTES' })).body;
		m.routes.push({ match: { agent: '*-require' }, steps: [{ after: '0s', to: [`contact:${room.id}`] }] });
	},
	async asked(cell) {
		assert.deepEqual(cell.ask.require.map(({ approvals, have }) => [approvals, have]), [[2, 0]]);
		await cell.until(async () => (await cell.events('ask.notified')).length, 'that it was told');
		/* Neither of them started the session: who did does not count. */
		const first = await cell.yes(cell.second);
		assert.deepEqual([first.ask.status, first.ask.require[0].have], ['pending', 1]);
		const message = this.slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes(cell.ask.id));
		await cell.until(() => /Approved so far by max/.test(JSON.stringify(message.blocks)), 'the edit');
	},
	settle: (cell) => cell.yes(cell.third),
	async settled(cell) {
		assert.equal((await cell.read()).answered_by.votes, 2);
	},
};

/** A scanner that speaks about an ask once it is released. */
const scanned = new Set();
async function scanner() {
	const server = createServer(async (request, response) => {
		let body = '';
		for await (const part of request) body += part;
		const { id } = JSON.parse(body);
		const look = setInterval(() => {
			if (!scanned.has(id)) return;
			clearInterval(look);
			response.end(JSON.stringify({ verdict: 'fine', note: 'nothing found' }));
		}, 5);
	});
	await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
	after(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${server.address().port}/scan`;
}

const verifier = {
	rows: ['verifier'],
	approval: true,
	not: approvalsOnly('a verifier looks at what would be approved'),
	config: async () => `[verifiers]\nscan = ${await scanner()}\n`,
	workspace: (m) => rule(m, 'verifier', { verify: 'scan' }),
	async asked(cell) {
		assert.deepEqual((await cell.read()).verify.map(({ name, verdict }) => [name, verdict]), [['scan', null]]);
		const early = await cell.member.answer(cell.ask, { decision: 'approve' });
		assert.deepEqual([early.status, early.body.type], [409, '/problems/verifying']);
		scanned.add(cell.ask.id);
		await cell.until(async () => (await cell.read()).verify[0].verdict === 'fine', 'the verdict');
		assert.equal((await cell.events('ask.verified')).length, 1);
	},
};

const deadline = {
	/* The clock is moved for all of them at once. */
	late: true,
	workspace: (m) => rule(m, 'deadline', { timeout: '1m' }),
	prepare(cell) {
		if (cell.way.brings && !cell.approval) cell.brought = { timeout: '1m', default: { q1: false } };
	},
	async asked(cell) {
		/* What its maker gives no deadline a person may. */
		if (cell.brought || cell.approval) return;
		const reply = await cell.member.post(`/v1/asks/${cell.ask.id}/extend`, { timeout: '1m' });
		assert.equal(reply.status, 200, reply.text);
	},
	async settle(cell) {
		const { expires_at: at } = await cell.read();
		assert.ok(at && Date.parse(at) <= cell.server.offset + Date.now() + MINUTE, `no deadline: ${at}`);
		await cell.minute();
		await cell.until(async () => (await cell.read()).status === 'expired', 'the deadline');
	},
	async settled(cell) {
		const ask = await cell.read();
		assert.equal(ask.answered_by?.kind, cell.brought ? 'default' : undefined);
		assert.equal(await cell.outcome(), cell.brought ? 'default' : 'no');
		assert.equal((await cell.events('ask.expired')).length, 1);
		if (cell.ask.kind !== 'error_recovery') return;
		/* The run cannot go on without a person; but for an interrupted call it can tell the model. */
		const { runs: [run], tool_calls: calls } = (await cell.member.get(`/v1/sessions/${cell.session}/state`)).body;
		if (!cell.path) assert.equal(run.status, 'failed');
		else assert.match(calls[0].error, /Nobody answered in time/);
	},
};

const stop = {
	approval: true,
	not: (way) => (way.runs || way.makes.includes('approval') ? undefined : 'nothing was approved that a stop could hold'),
	async settle(cell) {
		const set = await cell.member.post('/v1/stops', { reason: 'incident', match: { agent: cell.name } });
		assert.equal(set.status, 201, set.text);
		const lift = async () => assert.equal((await cell.member.delete(`/v1/stops/${set.body.id}`)).status, 204);
		if (cell.way.holds) {
			assert.equal(await cell.outcome(), 'stopped');
			return lift();
		}
		await cell.yes();
		if (cell.way.runs) {
			await cell.until(async () => (await cell.member.get(`/v1/runs/${cell.ask.run}`)).body.status === 'queued', 'the halt');
		} else {
			const use = () => cell.agent.post(`/v1/asks/${cell.ask.id}/use`, { digest: cell.ask.digest });
			const refused = await use();
			assert.deepEqual([refused.status, refused.body.type], [409, '/problems/stopped']);
			await lift();
			assert.equal((await use()).status, 200);
			return undefined;
		}
		await lift();
		assert.equal(await cell.outcome(), 'yes');
		return undefined;
	},
};

/** A contact that everybody's asks of these agents are told to. */
async function told(m, reaction, step = { after: '0s' }, who = m.member) {
	const receiver = await new Receiver().open();
	const { user } = (await who.get('/v1/me')).body;
	const made = await m.admin.post(`/v1/users/${user.id}/contacts`, { channel: 'webhook', address: receiver.url, name: reaction });
	assert.equal(made.status, 201, made.text);
	m.routes.push({ match: { agent: `*-${reaction}` }, steps: [{ ...step, to: [`contact:${made.body.id}`], when: 'always' }] });
	return receiver;
}
const purposes = (receiver, cell) => receiver.got.filter(({ body }) => body.data.ask?.id === cell.ask.id)
	.map(({ body }) => body.data.purpose);

const message = {
	rows: ['first message'],
	async workspace(m) { this.receiver = await told(m, 'message'); },
	async asked(cell) {
		await cell.until(() => purposes(message.receiver, cell).length, 'the message');
		assert.deepEqual(purposes(message.receiver, cell), ['ask']);
		await cell.until(async () => (await cell.events('ask.notified')).length === 1, 'that it was told');
	},
};

const everywhere = {
	rows: ['settled everywhere'],
	async workspace(m) { this.receiver = await told(m, 'everywhere'); },
	asked: (cell) => cell.until(() => purposes(everywhere.receiver, cell).length, 'the message'),
	async settled(cell) {
		await cell.until(() => purposes(everywhere.receiver, cell).length === 2, 'its end');
		assert.deepEqual(purposes(everywhere.receiver, cell), ['ask', 'settled']);
	},
};

/** Long before the route would tell anybody. */
const assigned = {
	rows: ['message to new assignees'],
	async workspace(m) {
		this.receiver = await told(m, 'assigned', { after: '1h' }, m.third);
		this.user = (await m.third.get('/v1/me')).body.user.id;
	},
	async asked(cell) {
		const reply = await cell.member.post(`/v1/asks/${cell.ask.id}/assign`, { assignees: [assigned.user] });
		assert.equal(reply.status, 200, reply.text);
		await cell.until(() => purposes(assigned.receiver, cell).length, 'the message');
		assert.deepEqual(purposes(assigned.receiver, cell), ['ask']);
	},
};

const webhook = {
	rows: ['webhook'],
	async workspace() { this.receiver = await new Receiver().open(); },
	prepare(cell) { cell.onSettled = { webhook: webhook.receiver.url }; },
	async settled(cell) {
		const got = () => webhook.receiver.got.filter(({ body }) => body.data.ask?.id === cell.ask.id);
		await cell.until(() => got().length, 'the webhook');
		assert.deepEqual(got().map(({ body }) => [body.type, body.data.session.id]), [['ask.answered', cell.ask.session]]);
	},
};

/** What a person asks back goes to who asked, and what that says to whom it was told. */
const replied = {
	rows: ['call of a reply', 'message of a reply'],
	async workspace(m) {
		this.contact = await told(m, 'replied');
		this.receiver = await new Receiver().open();
	},
	prepare(cell) { cell.onSettled = { webhook: replied.receiver.url }; },
	async asked(cell) {
		const got = () => replied.receiver.got.filter(({ body }) => body.data.ask?.id === cell.ask.id);
		const say = async (who, text) => assert.equal((await who.post(`/v1/asks/${cell.ask.id}/replies`, { text })).status, 201);
		await say(cell.member, 'Which one?');
		await cell.until(() => got().length, 'the webhook');
		assert.deepEqual(got().map(({ body }) => body.type), ['ask.replied']);
		if (cell.way.runs) return; // it does not listen while it waits, and so says nothing
		await cell.until(async () => (await cell.events('ask.notified')).length, 'that it was told');
		await say(cell.agent, 'The second');
		await cell.until(() => purposes(replied.contact, cell).length === 2, 'the reply');
		assert.deepEqual(purposes(replied.contact, cell), ['ask', 'thread']);
	},
};

const HOUR = 60 * MINUTE;

/** A step that is due before the deadline moves with it. */
const extended = {
	rows: ['steps of a route'],
	async workspace(m) { await told(m, 'extended', { before: '10m' }); },
	async asked(cell) {
		for (const hours of [1, 2]) {
			const reply = await cell.member.post(`/v1/asks/${cell.ask.id}/extend`, { timeout: hours * 3600 });
			assert.equal(reply.status, 200, reply.text);
			const { items } = (await cell.admin.get(`/v1/deliveries?ask=${cell.ask.id}&kind=route&status=waiting`)).body;
			assert.deepEqual(items.map(({ next_at: at }) => Date.parse(at)), [Date.parse(reply.body.expires_at) - HOUR / 6]);
		}
	},
};

const resumer = {
	rows: ['resumer'],
	config: async (folder) => `[resumers]\nnote = sh -c 'echo $PARLEY_ASK >>${folder}/resumed-$PARLEY_SESSION'\n`,
	prepare(cell) {
		cell.onSettled = { resumer: 'note' };
	},
	async settled(cell) {
		const file = join(cell.folder, `resumed-${cell.ask.session}`);
		await cell.until(() => existsSync(file), 'the resumer');
		await cell.until(async () => (await cell.events('session.resumed')).length, 'its end');
		assert.equal(readFileSync(file, 'utf8'), `${cell.ask.id}\n`);
		assert.equal(await cell.outcome(), 'yes');
	},
};

/** A rule that was made with an approval ends when that is taken back, or with the session it is for. */
const undone = {
	rows: ['rules of an answer', 'rules of a session'],
	approval: true,
	not: (way) => (way.bundles ? 'a mandate is approved once' : approvalsOnly('only approvals last')(way)),
	async settle(cell) {
		const { status, body, text } = await cell.member.post(`/v1/asks/${cell.ask.id}/answer`,
			{ answers: { [cell.ask.questions[0].key]: 'approve' }, scope: { for: 'session' } });
		assert.equal(status, 200, text);
		cell.rule = body.rule;
	},
	async settled(cell) {
		const back = await cell.member.post(`/v1/asks/${cell.ask.id}/revoke`, {}, { check: false });
		if (back.status !== 200) {
			/* Its maker was faster and has used it. */
			assert.equal(back.status, 409, back.text);
			assert.equal(await cell.outcome(), 'yes');
			await cell.admin.post(`/v1/sessions/${cell.ask.session}/cancel`, {}, { check: false });
		}
		const { ended } = (await cell.member.get(`/v1/rules/${cell.rule}`)).body;
		assert.match(ended?.why ?? 'in force', /^(revoked|session)$/);
		if (back.status === 200 && back.body.ended.length) assert.deepEqual([back.body.ended, ended.why], [[cell.rule], 'revoked']);
	},
};

/** A mandate is live from its approval on, and ends when that is taken back, or with its session. */
const bundle = {
	rows: ['mandate', 'mandate taken back', 'mandates of a session'],
	approval: true,
	not: (way) => (way.bundles ? undefined : 'no mandate stands behind it'),
	async settled(cell) {
		const now = async () => (await cell.member.get(`/v1/mandates/${cell.mandate}`)).body;
		assert.equal((await now()).status, 'live');
		assert.equal((await cell.member.post(`/v1/asks/${cell.ask.id}/revoke`, {})).status, 200);
		assert.equal((await now()).ended.why, 'revoked');
		const other = await cell.agent.post('/v1/mandates', { title: 'More', session: cell.ask.session, lines: [{ key: 'a', tool: ['x'], uses: 1 }] });
		await cell.agent.post(`/v1/sessions/${cell.ask.session}/cancel`, {});
		assert.equal((await cell.member.get(`/v1/mandates/${other.body.id}`)).body.ended.why, 'session');
	},
};

const waiter = {
	async asked(cell) {
		cell.held = await cell.member.held(`/v1/asks/${cell.ask.id}?wait=60`);
		cell.stream = await cell.member.stream(`?session=${cell.ask.session}&types=ask.answered`);
	},
	async settled(cell) {
		assert.equal((await cell.held.reply).body.status, 'answered');
		const told_ = await cell.stream.eventsUntil(({ type }) => type === 'ask.answered');
		assert.equal(told_.at(-1).ask, cell.ask.id);
		cell.stream.close();
		assert.equal(await cell.outcome(), 'yes');
	},
};

const goesOn = {
	rows: ['run'],
	not: (way) => (way.runs ? undefined : 'no run of ours waits for it'),
	async settled(cell) {
		assert.equal(await cell.outcome(), 'yes');
		const of = (type) => cell.sessionEvents(type);
		assert.equal((await of('run.completed')).filter(({ run }) => run === cell.run).length, 1);
		assert.equal((await of('run.resumed')).filter(({ run }) => run === cell.ask.run).length, 1);
		const { body } = await cell.member.get(`/v1/sessions/${cell.session}/state`);
		assert.deepEqual([...new Set(body.tool_calls.map(({ status }) => status))], body.tool_calls.length ? ['done'] : []);
		if (cell.path) assert.equal(readFileSync(cell.path, 'utf8'), 'once\n');
	},
};

/** A call at the gateway runs once, with the approval that it waited for. */
const heldCall = {
	rows: ['held call'],
	not: (way) => (way.once ? undefined : 'no call of the gateway waits for it'),
	async settled(cell) {
		assert.equal(await cell.outcome(), 'yes');
		const { body } = await cell.member.get(`/v1/tool-calls/${cell.ask.call}`);
		assert.deepEqual([body.status, body.attempts, body.ask], ['done', 1, cell.ask.id]);
		assert.ok((await cell.read()).used_at);
	},
};

const fetched = {
	async asked(cell) { assert.equal((await cell.read()).fetched_at, null); },
	async settled(cell) {
		/* A run takes it in the very commit; others when they come for it. */
		if (cell.way.runs) assert.ok((await cell.read()).fetched_at, 'the run has it, and that is not said');
		assert.equal(await cell.outcome(), 'yes');
		await cell.until(async () => (await cell.read()).fetched_at, 'that it was fetched');
	},
};

/** RFC 8785 for what is in a decision: sorted members, no blanks. */
function canonical(value) {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value && typeof value === 'object') {
		return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
	}
	return JSON.stringify(value);
}

/** `parley check` is run over the whole store once all of them have ended. */
const chain = {
	async settled(cell) {
		const ask = await cell.read();
		const [{ data }] = await cell.events('ask.answered');
		const { status, answer, answered_by, approved_digest, reason } = ask;
		const hash = createHash('sha256').update(canonical({ ask: ask.id, status, answer, answered_by, approved_digest, reason }));
		assert.equal(data.decision, `sha256:${hash.digest('hex')}`);
	},
};

/** Nobody is on call: an alert, told by its own route, and over with the ask. */
const alerted = {
	rows: ['alert by its route', 'end of an alert'],
	async workspace(m) {
		this.receiver = await new Receiver().open();
		const { user } = (await m.admin.get('/v1/me')).body;
		const { body: contact } = await m.admin.post(`/v1/users/${user.id}/contacts`, { channel: 'webhook', address: this.receiver.url, name: 'alerts' });
		await m.admin.post('/v1/teams', { name: 'off-duty' });
		m.routes.push({ match: { agent: '*-alerted' }, steps: [{ after: '0s', to: ['team:off-duty/on_call'] }] },
			{ match: { kind: ['alert'] }, steps: [{ after: '0s', to: [`contact:${contact.id}`], when: 'always' }] });
	},
	told: (cell) => alerted.receiver.got.filter(({ body }) => body.data.alert?.key === cell.ask.id).map(({ body }) => [body.type, body.data.purpose]),
	async asked(cell) {
		await cell.until(() => alerted.told(cell).length, 'the message');
		assert.deepEqual(alerted.told(cell), [['alert.notify', 'alert']]);
	},
	async settled(cell) {
		await cell.until(() => alerted.told(cell).length === 2, 'its end');
		assert.deepEqual(alerted.told(cell)[1], ['alert.notify', 'settled']);
		const { items } = (await cell.member.get('/v1/alerts?state=all&limit=200')).body;
		assert.deepEqual(items.filter(({ key }) => key === cell.ask.id).map(({ kind, cleared_at: at }) => [kind, at !== null]), [['unreached', true]]);
	},
};

/** A session that ends, or says how far it is, is told to who wants to know. */
const finished = {
	rows: ['message of an end', 'message of progress'],
	not: (way) => (way.origin === 'ASK_BY_REQUEST' && way.brings ? undefined : 'a session ends alike, whoever asks in it'),
	async workspace(m) {
		this.receiver = await new Receiver().open();
		const { body: user } = await m.admin.post('/v1/users', { name: 'watcher', role: 'viewer' });
		await m.admin.post(`/v1/users/${user.id}/contacts`, { channel: 'webhook', address: this.receiver.url, name: 'sessions' });
		await m.admin.put(`/v1/users/${user.id}/notify`, { finished: 'all', progress: true });
	},
	told: (session) => finished.receiver.got.filter(({ body }) => body.data.session?.id === session.id).map(({ body }) => [body.type, body.data.purpose, body.data.session.status]),
	async settled(cell) {
		const session = await cell.agent.session();
		await cell.agent.post(`/v1/sessions/${session.id}/progress`, { text: 'half' });
		await cell.until(() => finished.told(session).length, 'its progress');
		await cell.agent.patch(`/v1/sessions/${session.id}`, { status: 'completed' });
		await cell.until(() => finished.told(session).length === 2, 'its end');
		assert.deepEqual(finished.told(session).map(([type, purpose]) => [type, purpose]), [['session.notify', 'progress'], ['session.notify', 'finished']]);
	},
};

export const REACTIONS = { event, because, project, rules, denied, own, require, verifier, deadline, stop, message, everywhere,
	assigned, webhook, replied, extended, resumer, undone, bundle, waiter, goes_on: goesOn, held_call: heldCall, fetched, chain, alerted, finished };
