// Rules: who may make them, how they decide when an approval is asked, how they end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval, choice, pointers } from './lib/samples.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, stranger, member, admin } = server;
const other = await server.as('member', 'max');

const make = async (body, who = admin) => {
	const reply = await who.post('/v1/rules', body);
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
const end = (rule, who = admin) => who.delete(`/v1/rules/${rule.id}`);
const read = async (rule) => (await member.get(`/v1/rules/${rule.id}`)).body;
const bash = (command, extra = {}) => ({ kind: 'approval',
	operation: { type: 'tool', name: 'Bash', arguments: { command } }, ...extra });
const allow = (tool, extra = {}) => ({ effect: 'allow', match: { tool: [tool] }, ...extra });
const deny = (tool, extra = {}) => ({ effect: 'deny', match: { tool: [tool] }, ...extra });
const asks = (tool, extra = {}) => ({ effect: 'ask', match: { tool: [tool] }, ...extra });
const use = (ask) => agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.approved_digest ?? ask.digest });
/** With these rules for the time of fn; `who` makes them. */
async function within(rules, fn) {
	const made = [];
	for (const rule of rules) made.push(await make(rule));
	try {
		return await fn(...made);
	} finally {
		for (const rule of made) await end(rule);
	}
}

test('an allow answers an approval when it is asked, and never looks like a person', () =>
	within([allow('Bash(npm test*)', { note: 'tests are harmless' })], async (rule) => {
		const ask = await agent.ask(bash('npm test'));
		assert.equal(ask.status, 'answered');
		assert.deepEqual(ask.answer, { decision: { value: 'approve' } });
		assert.deepEqual(ask.answered_by, { kind: 'policy', user: null, name: 'tests are harmless', via: null,
			rule: rule.id });
		assert.equal(ask.approved_digest, ask.digest);
		assert.equal((await use(ask)).status, 200);
		assert.equal((await use(ask)).status, 409);
	}));

test('a deny rejects it with its note as the reason', () =>
	within([deny('Bash(git push *--force*)', { note: 'never force-push' })], async (rule) => {
		const ask = await agent.ask(bash('git push --force'));
		assert.deepEqual([ask.status, ask.answer.decision.value, ask.reason, ask.answered_by.rule],
			['answered', 'reject', 'never force-push', rule.id]);
		assert.equal(ask.approved_digest, null);
		assert.equal((await use({ ...ask, digest: ask.digest })).status, 409);
	}));

test('what no rule fits waits for a person, whatever the mode', async () => {
	const policy = (await admin.get('/v1/policy')).body;
	const auto = (await admin.put('/v1/policy', { mode: 'auto', version: policy.version })).body;
	assert.equal(auto.mode, 'auto');
	assert.equal((await agent.ask(bash('ls'))).status, 'pending');
	await admin.put('/v1/policy', { mode: 'selective', version: auto.version });
});

test('deny beats ask beats allow, in whatever order they were made', () =>
	within([deny('Bash(rm *)'), asks('Bash(git *)'), allow('Bash(*)', { match: { tool: ['Bash(*)'], risk: { max: 'high' } } })],
		async () => {
			const of = async (command) => (await agent.ask(bash(command))).answer?.decision.value ?? 'asked';
			assert.equal(await of('ls'), 'approve');
			assert.equal(await of('git status'), 'asked');
			assert.equal(await of('rm x'), 'reject');
			assert.equal(await of('ls; rm x'), 'reject');
			assert.equal(await of('ls && git status'), 'asked');
		}));

test('the events are ask.created and ask.answered, and the session never waits', () =>
	within([allow('Read')], async () => {
		const session = (await agent.session()).id;
		const last = (await admin.events(0)).as_of ?? 0;
		const before = (await admin.get('/v1/rules')).body.as_of;
		await agent.ask({ kind: 'approval', session, operation: { name: 'Read', arguments: { file_path: '/a' } } });
		const { items } = await admin.events(before, `&session=${session}`);
		assert.ok(last >= 0);
		assert.deepEqual(items.map((e) => e.type), ['ask.created', 'ask.answered', 'session.status']);
		assert.deepEqual(items[2].data, { status: 'running', was: 'idle' });
	}));

test('an approval in its own session leaves that completed', () =>
	within([allow('Read')], async () => {
		const ask = await agent.ask({ kind: 'approval', operation: { name: 'Read', arguments: { file_path: '/a' } } });
		assert.equal((await agent.get(`/v1/sessions/${ask.session}`)).body.status, 'completed');
		assert.equal((await server.admin.get('/v1/asks?status=pending&session=' + ask.session)).body.items.length, 0);
	}));

test('with another required question an allow does not decide, a deny does', () =>
	within([allow('Bash(ls*)'), deny('Bash(rm *)')], async () => {
		const questions = [{ key: 'ok', text: 'OK?', type: 'approval' }, choice()];
		assert.equal((await agent.ask(bash('ls', { questions }))).status, 'pending');
		const denied = await agent.ask(bash('rm x', { questions }));
		assert.deepEqual(denied.answer, { ok: { value: 'reject' } });
		assert.equal((await agent.ask(bash('ls', { questions: [questions[0], choice({ required: false })] }))).status,
			'answered');
	}));

test('an allow never fits critical, and high only if it says so', () =>
	within([allow('Bash(make *)', { match: { tool: ['Bash(make *)'] } })], async () => {
		const of = async (risk) => (await agent.ask({ kind: 'approval', operation: { type: 'tool', name: 'Bash',
			arguments: { command: 'make x' }, risk } })).status;
		assert.deepEqual([await of('low'), await of('medium'), await of('high'), await of('critical')],
			['answered', 'answered', 'pending', 'pending']);
		await within([allow('Bash(make *)', { match: { tool: ['Bash(make *)'], risk: { max: 'high' } } })], async () => {
			assert.deepEqual([await of('high'), await of('critical')], ['answered', 'pending']);
		});
	}));

test('the ask shows the risk by the policy and the agent\'s own claim, which only raises it', async () => {
	const risks = async (operation) => {
		const ask = await agent.ask({ kind: 'approval', operation });
		return [ask.risk, ask.operation.risk];
	};
	assert.deepEqual(await risks({ name: 'Read', arguments: { file_path: '/a' } }), ['low', undefined]);
	assert.deepEqual(await risks({ name: 'Read', arguments: { file_path: '/a' }, risk: 'high' }), ['high', 'high']);
	assert.deepEqual(await risks({ name: 'deploy' }), ['medium', undefined]);
	assert.deepEqual(await risks({ name: 'Bash', arguments: { command: 'sudo x' }, risk: 'low' }), ['critical', 'low']);
	assert.equal((await agent.ask()).risk, null);
});

test('an ask rule raises the risk and shortens the time', () =>
	within([asks('Bash(make *)', { ask: { risk: 'high', timeout: '15m' } })], async () => {
		const ask = await agent.ask(bash('make x'));
		assert.equal(ask.risk, 'high');
		assert.equal(Date.parse(ask.expires_at) - Date.parse(ask.created_at), 15 * 60e3);
		const shorter = await agent.ask(bash('make x', { timeout: '5m' }));
		assert.equal(Date.parse(shorter.expires_at) - Date.parse(shorter.created_at), 5 * 60e3);
		const longer = await agent.ask(bash('make x', { timeout: '1h' }));
		assert.equal(Date.parse(longer.expires_at) - Date.parse(longer.created_at), 15 * 60e3);
	}));

test('hits and the last one are counted', () =>
	within([allow('Bash(wc *)')], async (rule) => {
		assert.deepEqual([rule.hits, rule.last_hit_at], [0, null]);
		await Promise.all(Array.from({ length: 20 }, () => agent.ask(bash('wc x'))));
		const now = await read(rule);
		assert.equal(now.hits, 20);
		assert.ok(now.last_hit_at);
		assert.equal(now.version, rule.version);
	}));

test('uses are exact, also when many ask at once; the last one ends the rule', async () => {
	const rule = await make(allow('Bash(tail *)', { uses_left: 7 }));
	const asked = await Promise.all(Array.from({ length: 30 }, () => agent.ask(bash('tail x'))));
	assert.equal(asked.filter((a) => a.status === 'answered').length, 7);
	const now = await read(rule);
	assert.deepEqual([now.uses_left, now.ended.why, now.hits], [0, 'used', 7]);
	assert.deepEqual(now.ended.by, { kind: 'system' });
	assert.equal((await end(rule)).status, 409);
	assert.equal((await admin.events(0, '&types=rule.ended')).items.filter((e) => e.data.rule === rule.id).length, 1);
});

test('a rule ends at its time', async () => {
	const rule = await make(allow('Bash(head *)', { expires_at: new Date(Date.now() + server.offset + 60e3).toISOString() }));
	assert.equal((await agent.ask(bash('head x'))).status, 'answered');
	server.jump(61e3);
	assert.equal((await agent.ask(bash('head x'))).status, 'pending');
	assert.deepEqual([(await read(rule)).ended.why, (await read(rule)).ended.by], ['expired', { kind: 'system' }]);
	await until(async () => (await admin.events(0, '&types=rule.ended')).items.some((e) => e.data.rule === rule.id),
		'its event');
});

test('after its end nothing is allowed by it; what was allowed and not used stays approved', async () => {
	const rule = await make(allow('Bash(cut *)'));
	const ask = await agent.ask(bash('cut x'));
	assert.equal((await end(rule)).status, 204);
	assert.equal((await agent.ask(bash('cut x'))).status, 'pending');
	assert.equal((await use(ask)).status, 200);
});

test('what a rule denies by now is not used', async () => {
	const ask = await agent.ask(bash('curl x'));
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 200);
	await within([deny('Bash(curl *)', { note: 'no network' })], async (rule) => {
		const refused = await use(ask);
		assert.deepEqual([refused.status, refused.body.type, refused.body.rule, refused.body.detail],
			[409, '/problems/denied', rule.id, 'denied by a rule: no network']);
	});
	assert.equal((await use(ask)).status, 200);
});

test('what waits is decided by the rules that hold when it is approved: a deny keeps it from being approved', async () => {
	const ask = await agent.ask(bash('nomad uninstall shop'));
	const many = await agent.ask(bash('nomad uninstall cart'));
	await agent.ask(bash('ls'));
	const listed = async () => (await member.get('/v1/asks')).body.items.find((a) => a.id === ask.id);
	assert.equal('denied_by' in (await listed()), false);
	await within([deny('Bash(nomad *)', { note: 'no uninstall' })], async (rule) => {
		assert.equal(rule.waiting, 2);
		const told = { rule: rule.id, note: 'no uninstall', at: rule.created_at };
		assert.deepEqual([(await listed()).denied_by, (await member.read(ask)).denied_by], [told, told]);
		// Replies to what people do with it say so, too: the page shows the ask as they bring it.
		const marked = await member.post(`/v1/asks/${ask.id}/mark`, { read: true });
		const replied = await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Why now?' });
		assert.deepEqual([marked.body.denied_by, replied.body.denied_by], [told, told]);
		const refused = await member.answer(ask, { decision: 'approve' });
		assert.deepEqual([refused.status, refused.body.type, refused.body.rule, refused.body.detail],
			[403, '/problems/denied', rule.id, 'denied by a rule: no uninstall']);
		const { results } = (await member.post('/v1/asks/settle-many', { ids: [many.id], answers: { decision: 'approve' }, digests: { [many.id]: many.digest } })).body;
		assert.equal(results[0].status, 403);
		assert.equal((await member.read(many)).status, 'pending');
		assert.equal((await member.answer(many, { decision: 'reject' })).body.ask.status, 'answered');
	});
	assert.equal('denied_by' in (await member.read(ask)), false);
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 200);
});

test('of rules made since, what they require is added; nothing they give makes it looser', async () => {
	const [ask, edited] = [await agent.ask(bash('tofu apply')), await agent.ask(bash('tofu plan'))];
	const two = { ask: { require: [{ approvals: 2 }], risk: 'critical', timeout: '1m' } };
	await within([asks('Bash(tofu apply*)', two), allow('Bash(tofu *)')], async (rule) => {
		assert.equal(rule.waiting, 1);
		const required = [{ approvals: 2, others: true, have: 0 }];
		const listed = async () => (await member.get('/v1/asks')).body.items.find((one) => one.id === ask.id);
		for (const shown of [(await member.get(`/v1/asks/${ask.id}`)).body, await listed(), (await agent.get(`/v1/asks/${ask.id}`)).body,
			(await member.post(`/v1/asks/${ask.id}/mark`, { read: true })).body, (await member.post(`/v1/asks/${ask.id}/claim`)).body])
			assert.deepEqual(shown.require, required, 'before anybody approves');
		assert.equal((await member.get(`/v1/asks/${edited.id}`)).body.require, null);
		await admin.patch(`/v1/rules/${rule.id}`, { version: rule.version, enabled: false });
		assert.equal((await listed()).require, null, 'over with the rule: nothing was written to the ask');
		await admin.patch(`/v1/rules/${rule.id}`, { version: rule.version + 1, enabled: true });
		const first = await member.answer(ask, { decision: 'approve' });
		assert.deepEqual([first.status, first.body.ask.status, first.body.ask.require, first.body.ask.votes.length],
			[200, 'pending', [{ approvals: 2, others: true, have: 1 }], 1]);
		assert.deepEqual([first.body.ask.risk, first.body.ask.expires_at], ['medium', null]);
		assert.equal((await use(ask)).status, 409);
		assert.equal((await other.answer(ask, { decision: 'approve' })).body.ask.status, 'answered');
		const into = await member.answer(edited, { decision: { value: 'approve', arguments: { command: 'tofu apply' } } });
		assert.deepEqual([into.status, into.body.ask.status], [200, 'pending']);
	});
	assert.equal((await use(ask)).status, 200);
	const kept = await agent.ask(bash('tofu destroy', { require: [{ approvals: 2 }] }));
	await within([allow('Bash(tofu *)')], async () => {
		assert.equal((await member.answer(kept, { decision: 'approve' })).body.ask.status, 'pending');
	});
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});

test('why a person is asked is kept, in the ask and its event, also when the rule is gone', async () => {
	const { as_of } = (await admin.get('/v1/rules')).body;
	const rule = await make(asks('Bash(pulumi *)', { note: 'infrastructure' }));
	const ask = await agent.ask(bash('pulumi up'));
	const told = { by: 'rule', rules: [{ id: rule.id, note: 'infrastructure' }], text: 'a rule requires a person: infrastructure' };
	assert.deepEqual(ask.asked_because, told);
	await end(rule);
	assert.deepEqual((await member.answer(ask, { decision: 'reject' })).body.ask.asked_because, told);
	assert.deepEqual((await member.read(ask)).asked_because, told);
	const french = (await member.get(`/v1/asks/${ask.id}`, { headers: { 'accept-language': 'fr' } })).body;
	assert.equal(french.asked_because.text, 'une règle exige une personne\u00a0: infrastructure');
	const [created] = (await admin.events(as_of, '&types=ask.created')).items;
	assert.deepEqual(created.data.asked_because, { by: 'rule', rules: [rule.id] });
});

test('the reason is the agent, the policy of a hook, a stop; of what a rule decides there is none', async () => {
	const by = (ask) => ask.asked_because && [ask.asked_because.by, ask.asked_because.rules];
	assert.deepEqual(by(await agent.ask()), ['agent', []]);
	assert.deepEqual(by(await agent.ask(bash('ls'))), ['agent', []]);
	assert.deepEqual(by(await agent.ask({ kind: 'approval', operation: { type: 'command', name: 'ls', arguments: { argv: ['ls'] } } })), ['policy', []]);
	await agent.post('/v1/asks?dialect=permission', { hook_event_name: 'PreToolUse', session_id: 's1', cwd: '/srv',
		tool_name: 'Bash', tool_input: { command: 'ls hooked' }, tool_use_id: 't1' });
	const hooked = (await member.get('/v1/asks?limit=200')).body.items.find((a) => a.operation?.arguments?.command === 'ls hooked');
	assert.deepEqual(by(hooked), ['policy', []]);
	await within([allow('Bash(ls*)')], async () => {
		assert.equal(by(await agent.ask(bash('ls -l'))), null);
		const stop = (await member.post('/v1/stops', { reason: 'incident' })).body;
		assert.deepEqual(by(await agent.ask(bash('ls -a'))), ['stop', []]);
		assert.deepEqual(by(await agent.ask(bash('id'))), ['agent', []]);
		await admin.delete(`/v1/stops/${stop.id}`);
	});
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
});

test('an edit into what a rule denies is refused, and the ask stays open', () =>
	within([deny('Bash(rm *)')], async (rule) => {
		const ask = await agent.ask(bash('ls'));
		const edited = await member.answer(ask, { decision: { value: 'approve', arguments: { command: 'rm -r x' } } });
		assert.deepEqual([edited.status, edited.body.type, edited.body.rule], [403, '/problems/denied', rule.id]);
		assert.equal((await member.read(ask)).status, 'pending');
		const fine = await member.answer(ask, { decision: { value: 'approve', arguments: { command: 'ls -l' } } });
		assert.equal(fine.status, 200);
		assert.equal((await agent.post(`/v1/asks/${ask.id}/use`, { digest: fine.body.ask.approved_digest })).status, 200);
	}));

test('while a stop fits no rule allows; a deny still denies', () =>
	within([allow('Bash(ls*)'), deny('Bash(rm *)')], async () => {
		const stop = (await member.post('/v1/stops', { reason: 'wait' })).body;
		assert.equal((await agent.ask(bash('ls'))).status, 'pending');
		assert.equal((await agent.ask(bash('rm x'))).answer.decision.value, 'reject');
		await admin.delete(`/v1/stops/${stop.id}`);
		assert.equal((await agent.ask(bash('ls'))).status, 'answered');
	}));

test('agent, project and session bind a rule', async () => {
	const project = (await agent.session({ project: 'web', parallel: true })).id;
	const plain = (await agent.session({ parallel: true })).id;
	const of = async (match) => within([{ effect: 'allow', match: { tool: ['Bash(ls*)'], ...match } }], async () =>
		[(await agent.ask(bash('ls', { session: project }))).status === 'answered',
			(await agent.ask(bash('ls', { session: plain }))).status === 'answered',
			(await stranger.ask(bash('ls'))).status === 'answered']);
	assert.deepEqual(await of({}), [true, true, true]);
	assert.deepEqual(await of({ agent: 'builder' }), [true, true, false]);
	assert.deepEqual(await of({ project: 'web' }), [true, false, false]);
	assert.deepEqual(await of({ project: null }), [false, true, true]);
	assert.deepEqual(await of({ session: plain }), [false, true, false]);
});

test('members make deny and ask, admins allow, agents nothing', async () => {
	assert.equal((await member.post('/v1/rules', allow('Read'))).status, 403);
	for (const rule of [await make(deny('Nope'), member), await make(asks('Nope'), member)]) {
		assert.equal((await end(rule, other)).status, 403);
		assert.equal((await end(rule, member)).status, 204);
		assert.equal((await end(rule, member)).status, 409);
	}
	for (const [method, path] of [['get', '/v1/rules'], ['post', '/v1/rules'], ['get', '/v1/policy']]) {
		assert.equal((await agent[method](path, method === 'post' ? deny('x') : undefined)).status, 403, path);
	}
});

test('another\'s allow may be ended by any member: that tightens', async () => {
	const rule = await make(allow('Nope'));
	assert.equal((await end(rule, member)).status, 204);
});

test('a change needs the version that was read, and loosening another\'s rule an admin', async () => {
	const rule = await make(deny('Bash(rm *)'), member);
	const patch = (body, who = member) => who.patch(`/v1/rules/${rule.id}`, body);
	assert.deepEqual(pointers(await patch({ note: 'x' })), ['/version']);
	const noted = await patch({ note: 'careful', version: 1 });
	assert.deepEqual([noted.status, noted.body.note, noted.body.version], [200, 'careful', 2]);
	assert.equal((await patch({ note: 'late', version: 1 })).status, 409);
	assert.equal((await patch({ enabled: false, version: 2 }, other)).status, 403);
	assert.equal((await patch({ enabled: false, version: 2 })).status, 200);
	assert.equal((await agent.ask(bash('rm x'))).status, 'pending');
	assert.equal((await patch({ effect: 'allow', version: 3 })).status, 403);
	assert.equal((await patch({ enabled: true, version: 3 }, admin)).status, 200);
	assert.equal((await agent.ask(bash('rm x'))).answer.decision.value, 'reject');
	await end(rule);
	assert.equal((await patch({ note: 'x', version: 5 })).status, 409);
});

test('what can never fit is refused with its place', async () => {
	for (const [body, places] of [
		[{}, ['/effect']],
		[{ effect: 'allow', match: {} }, ['/match']],
		[{ effect: 'allow' }, ['/match']],
		[deny('Bash(:*)'), ['/match/tool']],
		[deny('Bash(git'), ['/match/tool']],
		[{ effect: 'deny', match: { risk: { min: 'high', max: 'low' } } }, ['/match/risk']],
		[{ effect: 'deny', match: { type: 'command' } }, ['/match/type']],
		[{ effect: 'deny', matches: {} }, ['/matches']],
		[deny('x', { uses_left: 0 }), ['/uses_left']],
		[deny('x', { expires_at: '2020-01-01T00:00:00Z' }), ['/expires_at']],
		[deny('x', { ask: { risk: 'high' } }), ['/ask']],
	]) {
		const reply = await admin.post('/v1/rules', body);
		assert.equal(reply.status, 422, JSON.stringify(body));
		assert.ok(pointers(reply).every((p) => places.some((place) => p.startsWith(place))), `${JSON.stringify(body)}: ${pointers(reply)}`);
	}
});

test('warnings say what speaks against a rule', async () => {
	const rejected = await agent.ask(bash('helm upgrade'));
	await member.answer(rejected, { decision: 'reject' });
	const kinds = (rule) => rule.warnings.map((w) => w.kind).sort();
	await within([deny('Bash(terraform *)')], async (rule) => {
		const covered = await make(allow('Bash(terraform plan*)'));
		assert.deepEqual(kinds(covered), ['covered', 'unused']);
		assert.deepEqual(covered.warnings.find((w) => w.kind === 'covered').rules, [rule.id]);
		await end(covered);
	});
	const bold = await make(allow('Bash(helm *)'));
	assert.deepEqual(kinds(bold), ['rejected']);
	assert.deepEqual(bold.warnings[0].asks, [rejected.id]);
	await end(bold);
	const unused = await make(deny('Bash(never-seen *)'));
	assert.deepEqual(kinds(unused), ['unused']);
	const twice = await make(deny('Bash(never-seen *)'));
	assert.deepEqual([kinds(twice), twice.warnings.find((w) => w.kind === 'equal').rules], [['equal', 'unused'], [unused.id]]);
	await end(twice);
	const narrower = await make(deny('Bash(never-seen -x *)'));
	assert.deepEqual([kinds(narrower), narrower.warnings.find((w) => w.kind === 'covered').rules], [['covered', 'unused'], [unused.id]]);
	await end(narrower);
	const longer = await admin.patch(`/v1/rules/${unused.id}`, { expires_at: new Date(Date.now() + 3600e3).toISOString(), version: 1 });
	assert.deepEqual(kinds(longer.body), ['unused']);
	const lasting = await make(deny('Bash(never-seen *)'));
	assert.deepEqual(kinds(lasting), ['unused'], 'it lasts longer than the other');
	for (const one of [unused, lasting]) await end(one);
	for (const match of [{}, { tool: ['*'] }]) {
		const all = await make({ effect: 'deny', match }, member);
		assert.ok(kinds(all).includes('everything'), JSON.stringify(all.warnings));
		await end(all);
	}
});

test('lists filter by effect, agent and state', async () => {
	const one = await make(deny('A', { match: { tool: ['A'], agent: 'ci-*' } }));
	const two = await make(allow('B', { match: { tool: ['B'], agent: 'builder' } }));
	const three = await make(asks('C'));
	await end(three);
	const ids = async (query) => (await member.get(`/v1/rules?limit=200&${query}`)).body.items.map((r) => r.id);
	assert.ok((await ids('effect=deny')).includes(one.id) && !(await ids('effect=deny')).includes(two.id));
	assert.ok((await ids('agent=ci-7')).includes(one.id) && !(await ids('agent=ci-7')).includes(two.id));
	assert.ok(!(await ids('')).includes(three.id) && (await ids('state=ended')).includes(three.id));
	assert.equal((await member.get('/v1/rules?effect=maybe')).status, 422);
	const page = (await member.get('/v1/rules?state=all&limit=1')).body;
	assert.deepEqual([page.items[0].id, (await member.get(`/v1/rules?state=all&limit=1&cursor=${page.next_cursor}`)).body.items[0].id],
		[three.id, two.id]);
	await end(one);
	await end(two);
	assert.equal((await member.get('/v1/rules/rul_00000000000000000000000000')).status, 404);
});

test('making, changing and ending are events with who and from where', async () => {
	const { as_of } = (await admin.get('/v1/rules')).body;
	const rule = await make(deny('Nope', { note: 'n', uses_left: 5 }), member);
	await member.patch(`/v1/rules/${rule.id}`, { note: 'm', version: 1 });
	await end(rule);
	const { items } = await admin.events(as_of, '&types=rule.made,rule.changed,rule.ended');
	assert.deepEqual(items.map((e) => [e.type, e.data.rule, e.data.note, e.data.by.name, e.data.from]), [
		['rule.made', rule.id, 'n', 'mia', '127.0.0.1'], ['rule.changed', rule.id, 'm', 'mia', '127.0.0.1'],
		['rule.ended', rule.id, 'm', 'ada', '127.0.0.1']]);
	assert.deepEqual(items.map((e) => e.data.uses_left), [5, 5, 5]);
	assert.deepEqual(items.map((e) => e.data.before?.note), [undefined, 'n', undefined], 'what it said before');
	assert.ok(!(await agent.events(as_of)).items.some((e) => e.type.startsWith('rule.')));
});

test('the same key makes one rule', async () => {
	const key = { headers: { 'idempotency-key': 'rule-1' } };
	const one = await admin.post('/v1/rules', deny('Nope'), key);
	const two = await admin.post('/v1/rules', deny('Nope'), key);
	assert.deepEqual([one.status, two.status, two.body.id], [201, 201, one.body.id]);
	await end(one.body);
});

test('a policy shows what holds, takes the members it is given, and counts its versions', async () => {
	const before = (await member.get('/v1/policy')).body;
	assert.equal(before.auto_approve_low, true);
	assert.equal((await member.put('/v1/policy', { mode: 'manual', version: before.version })).status, 403);
	assert.deepEqual(pointers(await admin.put('/v1/policy', { mode: 'manual' })), ['/version']);
	assert.deepEqual(pointers(await admin.put('/v1/policy', { mode: 'lax', version: before.version })), ['/mode']);
	const { as_of } = (await admin.get('/v1/rules')).body;
	const now = await admin.put('/v1/policy', { mode: 'manual', timeout: '10m', version: before.version });
	assert.equal(now.status, 200);
	assert.deepEqual([now.body.mode, now.body.auto_approve_low, now.body.version], ['manual', true, before.version + 1]);
	assert.equal((await admin.put('/v1/policy', { mode: 'auto', version: before.version })).status, 409);
	const [event] = (await admin.events(as_of, '&types=policy.changed')).items;
	assert.deepEqual([event.data.after.mode, event.data.by.name], ['manual', 'ada']);
	const ask = await agent.ask(bash('unknown-command'));
	assert.equal(Date.parse(ask.expires_at) - Date.parse(ask.created_at), 600e3);
	await admin.put('/v1/policy', { mode: before.mode, timeout: null, version: now.body.version });
});

test('critical is always asked and a deny holds, whatever stands before the command', () =>
	within([deny('Bash(curl *)')], async (rule) => {
		const policy = (await admin.get('/v1/policy')).body;
		const set = (await admin.put('/v1/policy', { mode: 'auto', version: policy.version })).body;
		const decide = async (command) => {
			const said = (await agent.post('/v1/decide', { operation: { type: 'tool', name: 'Bash', arguments: { command } } })).body;
			return [said.effect, said.risk, said.rule];
		};
		for (const before of ['>&2', '2>&1', '<&0', '2>&-', '>|x', '>x 2>&1', 'if true; then >x', 'while true; do 2>/dev/null', '! >x', 'time -p', 'time -p sudo']) {
			assert.deepEqual(await decide(`${before} rm -rf /srv`), ['ask', 'critical', 'policy'], before);
			assert.equal((await decide(`${before} curl x`))[2], rule.id, before);
		}
		await admin.put('/v1/policy', { mode: policy.mode, version: set.version });
	}));

test('of two arguments that may be meant, an allow fits both and a deny any', () =>
	within([allow('write_file(/srv/app/*)'), deny('read_file(/etc/*)')], async (yes, no) => {
		const decide = async (name, args) => (await agent.post('/v1/decide', { operation: { type: 'tool', name, arguments: args } })).body;
		assert.equal((await decide('write_file', { file_path: '/srv/app/x', path: '/srv/app/y' })).rule, yes.id);
		assert.notEqual((await decide('write_file', { file_path: '/srv/app/x', absolute_path: '/etc/cron.d/x' })).rule, yes.id);
		assert.equal((await decide('read_file', { file_path: '/srv/app/x', absolute_path: '/etc/shadow' })).rule, no.id);
	}));

test('decide: stops, then rules, then the mode; allow and deny are kept', async () => {
	const decide = async (operation, extra = {}) => (await agent.post('/v1/decide', { operation, ...extra })).body;
	const bashed = (command) => ({ type: 'tool', name: 'Bash', arguments: { command } });
	const session = (await agent.session({ project: 'web' })).id;
	const { as_of } = (await admin.get('/v1/rules')).body;
	assert.deepEqual((({ effect, rule, risk }) => [effect, rule, risk])(await decide({ name: 'Read', arguments: { file_path: '/a' } })),
		['allow', 'policy', 'low']);
	assert.equal((await decide({ name: 'Write', type: 'file_op', arguments: { file_path: '/a' } })).effect, 'ask');
	await within([deny('Bash(rm *)', { note: 'no' }), allow('Bash(ls*)', { match: { tool: ['Bash(ls*)'], project: 'web' } })],
		async (no, yes) => {
			const denied = await decide(bashed('rm x'));
			assert.deepEqual([denied.effect, denied.rule, denied.reason], ['deny', no.id, 'A rule denies it: no']);
			assert.equal((await decide(bashed('ls'), { session })).rule, yes.id);
			assert.equal((await read(yes)).hits, 1);
			const stop = (await member.post('/v1/stops', { reason: 'wait' })).body;
			const stopped = await decide(bashed('ls'), { session });
			assert.deepEqual([stopped.effect, stopped.stop, stopped.rule, stopped.reason],
				['deny', stop.id, null, 'stopped by mia: wait']);
			await admin.delete(`/v1/stops/${stop.id}`);
		});
	const { items } = await admin.events(as_of, '&types=policy.decided');
	assert.deepEqual(items.map((e) => [e.data.effect, e.session]),
		[['allow', null], ['deny', null], ['allow', session], ['deny', session]]);
	assert.equal((await stranger.post('/v1/decide', { operation: bashed('ls'), session })).status, 404);
	assert.deepEqual(pointers(await agent.post('/v1/decide', {})), ['/operation']);
	assert.deepEqual(pointers(await agent.post('/v1/decide', { operation: {} })), ['/operation/name']);
});

test('an operation is tried without a trace, with every rule that fits', () =>
	within([deny('Bash(rm *)'), allow('Bash(*)', { match: { tool: ['Bash(*)'], risk: { max: 'high' } } })], async (no, yes) => {
		const reply = await member.post('/v1/rules/try', { operation: { name: 'Bash', arguments: { command: 'ls' } } });
		assert.deepEqual([reply.body.effect, reply.body.by, reply.body.fits.map((f) => [f.rule, f.lost])],
			['allow', yes.id, [[yes.id, null]]]);
		const denied = (await member.post('/v1/rules/try', { operation: { name: 'Bash', arguments: { command: 'rm x' } } })).body;
		assert.deepEqual([denied.effect, denied.by], ['deny', no.id]);
		const unclear = (await member.post('/v1/rules/try', { operation: { name: 'Bash', arguments: { command: 'ls > x' } } })).body;
		assert.deepEqual(unclear.fits.map((f) => [f.lost, f.detail]),
			[['doubt', 'in doubt an allow does not match: a redirection']]);
		assert.equal((await read(yes)).hits, 0);
		assert.deepEqual(pointers(await member.post('/v1/rules/try', {})), ['']);
		assert.deepEqual(pointers(await member.post('/v1/rules/try', { rule: deny('Bash(:*)') })), ['/rule/match/tool/0']);
	}));

test('a rule is tried on past approvals', async () => {
	const tool = `mcp__t${Date.now()}__x`;
	const one = await agent.ask({ kind: 'approval', operation: { name: tool } });
	const two = await agent.ask({ kind: 'approval', operation: { name: tool } });
	await agent.ask({ kind: 'approval', operation: { name: tool } });
	await member.answer(one, { decision: 'approve' });
	await member.answer(two, { decision: 'reject' });
	const tried = (await member.post('/v1/rules/try', { rule: allow(tool) })).body;
	assert.deepEqual([tried.fits, tried.allow, tried.ask, tried.deny, tried.open], [3, 3, 0, 0, 1]);
	assert.deepEqual(tried.differs.map(({ ask, was, would }) => [ask, was, would]), [[two.id, 'rejected', 'allow']]);
	const denied = (await member.post('/v1/rules/try', { rule: deny(tool) })).body;
	assert.deepEqual([denied.fits, denied.deny], [3, 3]);
	assert.deepEqual(denied.differs.map(({ ask, was, would, agent: name, call }) => [ask, was, would, name, call]),
		[[one.id, 'approved', 'deny', 'builder', tool]]);
	assert.equal((await member.post('/v1/rules/try', { rule: allow(tool), agent: 'stranger' })).body.fits, 0);
});

test('what people approve again and again is suggested as a rule', async () => {
	const operation = { type: 'tool', name: 'mcp__often__do', arguments: { n: Date.now() } };
	for (let i = 0; i < 5; i++) await member.answer(await agent.ask({ kind: 'approval', operation }), { decision: 'approve' });
	const found = async () => (await member.get('/v1/rules/suggestions')).body.items
		.find((s) => s.operation.arguments?.n === operation.arguments.n);
	const suggestion = await found();
	assert.deepEqual([suggestion.count, suggestion.risk, suggestion.rule.match.agent], [5, 'medium', 'builder']);
	const { made_from } = suggestion.rule;
	assert.deepEqual([made_from.tool, made_from.subject, (await agent.read({ id: made_from.ask })).created_at],
		[operation.name, JSON.stringify(operation.arguments), suggestion.last_at], 'of the newest one');
	for (const wrong of [{ made_from: { ask: 'ask_00000000000000000000000000' } }, { match: { ...suggestion.rule.match, agent: 'build*' } },
		{ match: { tool: ['Bash(ls)'] } }]) {
		const refused = await admin.post('/v1/rules', { ...suggestion.rule, ...wrong });
		assert.deepEqual([refused.status, pointers(refused)], [422, ['/made_from/ask']], JSON.stringify(wrong));
	}
	assert.equal((await admin.post('/v1/rules', allow('Read', { made_from: {} }))).status, 422);
	const rule = await make({ ...suggestion.rule, made_from: { ...made_from, subject: 'ls' } });
	assert.deepEqual(rule.made_from, made_from, 'what it was is not believed');
	assert.equal((await admin.patch(`/v1/rules/${rule.id}`, { made_from, version: rule.version })).status, 422);
	const decided = await agent.ask({ kind: 'approval', operation });
	assert.deepEqual([decided.answered_by.rule, decided.answered_by.name],
		[rule.id, `${operation.name}(${JSON.stringify(operation.arguments)})`]);
	assert.equal(await found(), undefined);
	await end(rule);
	await member.answer(await agent.ask({ kind: 'approval', operation }), { decision: 'reject' });
	assert.equal(await found(), undefined);
});

test('rules, stops and the policy survive the check of the store', async () => {
	const rule = await make(allow('Read', { uses_left: 3 }));
	await agent.ask({ kind: 'approval', operation: { name: 'Read', arguments: { file_path: '/a' } } });
	const { code, stdout, stderr } = await server.run(['check', '--data', server.data]);
	assert.equal(code, 0, stdout + stderr);
	await end(rule);
});

test('an approval by a rule is taken back by the rule\'s maker or an admin, until it is used', async () => {
	const scoped = await agent.ask(bash('revoke-me'));
	const { rule } = (await member.post(`/v1/asks/${scoped.id}/answer`, { answers: { decision: 'approve' }, scope: { for: '15m' } })).body;
	const revoke = (ask, who) => who.post(`/v1/asks/${ask.id}/revoke`, { reason: 'no' });
	const one = await agent.ask(bash('revoke-me')), two = await agent.ask(bash('revoke-me'));
	assert.equal(one.answered_by.rule, rule);
	assert.equal((await revoke(one, other)).status, 403);
	assert.equal((await revoke(one, member)).status, 200);
	assert.equal((await use(one)).body.type, '/problems/revoked');
	assert.equal((await revoke(two, admin)).status, 200);
	await end({ id: rule });
});

test('a rule that wants an unknown verifier is refused', async () => {
	assert.deepEqual(pointers(await admin.post('/v1/rules', asks('Bash(x)', { ask: { verify: 'scan' } }))), ['/ask/verify']);
});

test('nothing allows a plan or a mandate but a person', async () => {
	const made = await admin.post('/v1/rules', { effect: 'allow', match: { tool: ['scheme*'] } });
	assert.equal(made.status, 201, made.text);
	for (const type of ['plan', 'mandate']) {
		const operation = { type, name: 'scheme', arguments: { steps: 3 }, risk: 'low' };
		const decided = await agent.post('/v1/decide', { operation });
		assert.equal(decided.body.effect, 'ask', decided.text);
		assert.equal((await agent.ask({ kind: 'approval', operation })).status, 'pending');
	}
	assert.equal((await agent.post('/v1/decide', { operation: { type: 'tool', name: 'scheme', risk: 'low' } })).body.effect, 'allow');
	await admin.delete(`/v1/rules/${made.body.id}`);
});

test('why a rule denied is kept, also when rules change in the same batch', async () => {
	await within([deny('Bash(never *)', { note: 'never' })], async () => {
		const replies = await Promise.all(Array.from({ length: 150 }, (_, i) => (i % 3
			? agent.post('/v1/asks', bash(`never ${i}`)) : admin.post('/v1/rules', allow(`Bash(another ${i})`)))));
		const [made, denied] = [replies.filter((_, i) => i % 3 === 0), replies.filter((_, i) => i % 3)];
		assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]));
		for (const { body } of denied) assert.equal((await agent.get(`/v1/asks/${body.id}`)).body.reason, 'never');
		await Promise.all(made.map(({ body }) => end(body)));
	});
});
