// Rules on the page: read as sentences, tried before they are made, ended; what they decide looks
// different from what a person decides.
import assert from 'node:assert/strict';
import { StatelessClient } from '../api/lib/mcp.mjs';
import { McpServer, tool } from '../lib/mcp_server.mjs';
import { until } from '../lib/server.mjs';
import { bypass, complaints } from './axe.mjs';
import { area, beside } from './matrix.mjs';

const bash = (command, more = {}) => ({ kind: 'approval', title: `Run ${command}`,
	operation: { type: 'tool', name: 'Bash', arguments: { command } }, ...more });
const rules = async (desk, state = 'live') => (await desk.admin.get(`/v1/rules?state=${state}&limit=200`)).body.items;
const make = async (desk, body) => {
	const reply = await desk.admin.post('/v1/rules', body);
	assert.equal(reply.status, 201, JSON.stringify(reply.body));
	return reply.body;
};
const clear = async (desk) => {
	const token = await desk.server.token('admin', 'cleaner');
	for (const rule of await rules(desk))
		await fetch(`${desk.server.url}/v1/rules/${rule.id}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
};
const section = (me, effect) => me.region(`rules.section.${effect}`);
const form = (me) => me.page.getByRole('form', { name: me.t('rules.new') });
const field = (me, id) => form(me).getByLabel(me.t(id));

const opener = (me) => me.page.getByRole('article').getByRole('button', { name: me.t('scope'), exact: true });
const scopes = (me) => me.page.getByRole('group', { name: me.t('scope') });
const choice = (me, what) => scopes(me).getByRole('radio', { name: me.t(`scope.${what}`), exact: true });
const openScopes = async (me) => {
	await opener(me).waitFor();
	await me.armed(me.button('approval.approve', {}, me.page.getByRole('article')));
	if (me.byKeys) {
		await me.page.getByRole('article').getByRole('heading', { level: 1 }).focus();
		await me.key('.');
	} else await me.press(opener(me));
	await scopes(me).waitFor();
};
const approveFor = async (me, id, params) => {
	const button = me.button(id, params, scopes(me));
	await me.armed(button);
	await me.press(button);
};

area('approving for longer', (scenario) => {
	scenario('this call is what is chosen first, and Approve is off meanwhile; Esc goes back', async (me, desk) => {
		const ask = await me.open(bash('npm test'));
		await openScopes(me);
		assert.ok(await choice(me, 'once').isChecked());
		assert.ok(await choice(me, 'session').isDisabled(), 'its session was made for it, and ends with it');
		/* Whole in sight, on whichever side of the actions there is room. */
		const [menu, pane] = [await scopes(me).boundingBox(), await me.page.locator('section.ask').boundingBox()];
		assert.ok(menu.y >= pane.y && menu.y + menu.height <= pane.y + pane.height, JSON.stringify({ menu, pane }));
		await me.key('Escape');
		await scopes(me).waitFor({ state: 'detached' });
		await desk.pending(ask.id);
		await openScopes(me);
		await approveFor(me, 'approval.approve');
		assert.equal((await desk.settled(ask.id)).answer.decision.value, 'approve');
		assert.deepEqual(await rules(desk), []);
	});

	scenario('an approval in advance is granted in part, is used up line by line, and ended', async (me, desk) => {
		const { id: session } = await desk.agent.session('Triage');
		const lines = [{ key: 'close', tool: ['mcp__github__close_issue'], arguments: { '/repo': { is: 'web' } }, uses: 20 },
			{ key: 'pay', tool: ['mcp__bank__pay'], uses: 5, sum: { pointer: '/amount', max: 500 }, risk: 'high' },
			{ key: 'mail', tool: ['mcp__mail__send'], uses: 3 }];
		const { body: mandate } = await desk.agent.post('/v1/mandates', { title: 'Close stale issues', session, lines, until: '2h' });
		await me.come(`/asks/${mandate.ask}`);
		const card = me.page.getByRole('article');
		const box = (name) => card.getByRole('checkbox', { name: new RegExp(name) });
		await box('close_issue.*web, 20').waitFor();
		await me.check(box('mcp__mail__send'), false);
		const uses = card.getByRole('textbox', { name: me.t('mandate.uses.of', { name: 'close', n: 20 }) });
		await me.write(uses, '21');
		await card.getByText(me.t('mandate.flaw.number')).waitFor();
		assert.equal(await me.button('mandate.approve', { n: 2, all: 3 }, card).getAttribute('aria-disabled'), 'true');
		await me.write(uses, '12');
		await me.write(card.getByRole('textbox', { name: me.t('mandate.max.of', { name: 'pay', n: 500 }) }), '120.05');
		assert.deepEqual(await complaints(me), []);
		const approve = me.button('mandate.approve', { n: 2, all: 3 }, card);
		await me.readToEnd(card.getByRole('region', { name: me.t('mandate.one') }));
		await me.armed(approve);
		await me.press(approve);
		await desk.settled(mandate.ask);
		const got = async () => (await desk.admin.get(`/v1/mandates/${mandate.id}`)).body;
		assert.deepEqual((await got()).lines.map(({ key, uses: n, sum }) => [key, n, sum?.max]), [['close', 12, undefined], ['pay', 5, 120.05]]);
		await desk.agent.post('/v1/decide', { session, operation: { type: 'mcp', name: 'mcp__github__close_issue', arguments: { repo: 'web' } } });
		await me.visit('/rules');
		const live = me.region('mandates');
		await live.getByText(me.t('mandate.used', { n: 1, of: 12 })).waitFor();
		await live.getByText(me.t('mandate.spent', { n: 0, of: 120.05 })).waitFor();
		await me.press(me.button('mandate.end.name', { title: 'Close stale issues' }));
		await me.press(me.button('mandate.end', {}, me.dialog));
		await live.waitFor({ state: 'detached' });
		assert.equal((await got()).ended.why, 'revoked');
	});

	scenario('a call of an MCP server says which, apart what its server says, and that it waits to be called again', async (me, desk) => {
		const it = await new McpServer({ tools: [tool('close', { title: 'Close it', description: 'Closes an issue for good.' })] }).start();
		try {
			const name = `s${it.http.address().port}`;
			await desk.admin.post('/v1/mcp-servers', { name, url: it.url });
			await desk.admin.post(`/v1/mcp-servers/${name}/test`, {});
			const client = new StatelessClient(desk.server, await desk.server.token('agent', name, ['--agent', 'deployer', '--mcp-wait', '0']));
			const call = () => client.call('close', { n: 7 }, {}, { path: `/mcp/${name}` });
			const held = await call();
			const { ask } = held._meta['parley/call'];
			await me.come(`/asks/${ask}`);
			const card = me.page.getByRole('article');
			await card.getByText(me.t('held.wants', { agent: 'deployer' })).waitFor();
			await card.getByRole('region', { name: me.t('held.says') }).getByText('Closes an issue for good.').waitFor();
			assert.deepEqual(await complaints(me), []);
			const approve = me.button('approval.approve', {}, card);
			await me.armed(approve);
			await me.press(approve);
			await desk.settled(ask);
			await me.come(`/asks/${ask}`);
			await card.getByText(me.t('held.waits', { agent: 'deployer' })).waitFor();
			it.instead = (request, response, message) => message?.method === 'tools/call' && Boolean(response.destroy());
			await call();
			const unknown = await until(async () => {
				const { body } = await desk.admin.get(`/v1/tool-calls/${held._meta['parley/call'].id}`);
				return body.status === 'interrupted' && body.ask;
			}, 'that it was cut');
			await me.come(`/asks/${unknown}`);
			await card.getByText(me.t('held.unknown', { at: '@' }).split('@')[1]).waitFor();
			await desk.admin.post(`/v1/asks/${unknown}/answer`, { answers: { recovery: { selected: ['abort'] } } });
		} finally { it.stop(); }
	});

	scenario('the same call for 15 minutes', async (me, desk) => {
		const ask = await me.open(bash('npm test'));
		await openScopes(me);
		await me.check(choice(me, 'same'));
		await approveFor(me, 'scope.approve');
		await desk.settled(ask.id);
		const [rule] = await rules(desk);
		assert.equal(rule.made_from.ask, ask.id);
		assert.deepEqual(Object.keys(rule.match).sort(), ['agent', 'project', 'same']);
		assert.equal(Date.parse(rule.expires_at) - Date.parse(rule.created_at), 15 * 60_000);
		assert.equal((await desk.agent.ask(bash('npm test'))).answered_by.kind, 'policy');
		await desk.pending((await desk.agent.ask(bash('npm test; rm -r /'))).id);
		/* It reads as the call it was made from, in the list, in what it decided and in the log. */
		await me.visitLive('/rules');
		await section(me, 'allow').getByRole('listitem').filter({ hasText: 'npm test' }).filter({ hasText: 'deployer' }).waitFor();
		await me.visit('/history');
		await me.page.getByTitle(me.t('history.rule', { name: 'Bash(npm test)' })).first().waitFor();
		await me.visit('/activity');
		await me.page.getByText(new RegExp(`${me.t('event.rule.made')}.*npm test`)).first().waitFor();
		await clear(desk);
	});

	scenario('a pattern says what it would match, and settles those that wait only when asked to', async (me, desk) => {
		const { id } = await desk.agent.session('several');
		const other = await desk.agent.ask(bash('npm test unit', { session: id }));
		const ask = await me.open(bash('npm test checkout', { session: id }));
		await openScopes(me);
		await me.check(choice(me, 'pattern'));
		await me.write(scopes(me).getByRole('textbox', { name: me.t('scope.pattern.field') }), 'Bash(npm test *)');
		await scopes(me).getByText(me.tn('rules.tried.open', 2)).waitFor();
		/* Rehearsed as in the form of a rule. */
		await scopes(me).getByText(me.t('rehearse.asked').split('{')[0]).waitFor();
		const also = scopes(me).getByRole('checkbox');
		assert.equal(await also.isChecked(), false);
		await me.check(also);
		await approveFor(me, 'scope.approve.many', { n: 2 });
		await desk.settled(ask.id);
		assert.equal((await desk.settled(other.id)).answered_by.kind, 'policy');
		assert.deepEqual((await rules(desk))[0].match.tool, ['Bash(npm test *)']);
		await clear(desk);
	});

	scenario('high risk: the same call for an hour at most; critical: not at all', async (me, desk) => {
		const risky = (risk) => ({ kind: 'approval', title: `Deploy (${risk})`, operation: { type: 'tool', name: 'deploy', risk, arguments: {} } });
		const ask = await me.open(risky('high'));
		await openScopes(me);
		assert.deepEqual([await choice(me, 'session').isDisabled(), await choice(me, 'pattern').isDisabled()], [true, true]);
		await me.check(choice(me, 'same'));
		await me.press(scopes(me).getByRole('combobox'));
		await me.page.getByRole('listbox').waitFor();
		const times = await me.page.getByRole('option').evaluateAll((list) => list.map((one) => one.dataset.value));
		await me.key('Escape');
		assert.deepEqual(times, ['15m', '1h']);
		await approveFor(me, 'scope.approve');
		await desk.settled(ask.id);
		await clear(desk);
		await me.open(risky('critical'));
		await me.button('approval.reject.open').waitFor();
		assert.equal(await opener(me).count(), 0);
	});

	scenario('axe finds nothing in the menu', { ...bypass, resizes: true }, async (me) => {
		await me.open(bash('npm test all'));
		await openScopes(me);
		await me.check(choice(me, 'pattern'));
		await scopes(me).getByText(me.tn('rules.tried.open', 1)).waitFor();
		assert.deepEqual(await complaints(me), []);
		await me.key('Escape');
	});
});

area('rules on the page', (scenario) => {
	scenario('without rules the page says so', async (me) => {
		await me.visitLive('/rules');
		await me.text('rules.empty').waitFor();
	});

	scenario('one is tried, created, read as a sentence, used and ended', async (me, desk) => {
		const ask = await desk.agent.ask(bash('git push --force'));
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: 'reject' });
		const other = await desk.agent.ask(bash('git push x --force'));
		await desk.marie.post(`/v1/asks/${other.id}/answer`, { answer: 'approve' });
		await me.visitLive('/rules');
		await me.press(me.button('rules.new'));
		await me.write(field(me, 'rules.pattern'), 'Bash(git push *--force*)');
		await me.write(field(me, 'rules.note'), 'never force-push');
		await me.press(me.button('rules.check'));
		await form(me).getByText(me.tn('rules.tried', 2, { looked: 2 })).waitFor();
		await form(me).getByText(me.tn('rules.tried.differs', 1)).waitFor();
		await form(me).getByRole('link', { name: 'Bash(git push x --force)' }).waitFor();
		assert.deepEqual(await rules(desk), []);
		await me.press(me.button('rules.create'));
		const row = section(me, 'deny').getByRole('listitem');
		await row.getByText('Bash(git push *--force*)', { exact: true }).waitFor();
		await row.getByText('never force-push').waitFor();
		await row.getByText(me.t('rules.by.you')).waitFor();
		const [rule] = await rules(desk);
		assert.deepEqual([rule.effect, rule.match, rule.note], ['deny', { tool: ['Bash(git push *--force*)'] }, 'never force-push']);

		const denied = await desk.agent.ask(bash('git push --force'));
		assert.equal(denied.answered_by.kind, 'policy');
		await me.visit(`/asks/${denied.id}`);
		await me.region('settled').getByText(me.t('policy.denied.by', { name: 'never force-push' })).waitFor();
		assert.equal(await me.region('settled').getByText('never force-push').count(), 1, 'said once');
		await me.press(me.page.getByRole('link', { name: me.t('policy.open') }));
		await row.getByText(me.tn('rules.used.deny', 1)).waitFor();
		await me.press(row.getByRole('button', { name: new RegExp(`^${me.t('rules.end')}`) }));
		await me.press(me.dialog.getByRole('button', { name: me.t('rules.end'), exact: true }));
		await section(me, 'deny').waitFor({ state: 'detached' });
		assert.deepEqual(await rules(desk), []);
		await me.press(me.page.getByRole('link', { name: me.t('rules.show.ended') }));
		await section(me, 'deny').getByRole('listitem').first().waitFor();
	});

	scenario('a changed rule is tried again; what can never fit is refused with its place', async (me, desk) => {
		await me.visitLive('/rules');
		await me.pressOr(me.button('rules.new'), 'c');
		await me.write(field(me, 'rules.pattern'), 'Bash(make *)');
		await me.press(me.button('rules.check'));
		await me.button('rules.create').waitFor();
		await me.write(field(me, 'rules.pattern'), 'Bash(make');
		await me.press(me.button('rules.check'));
		const alert = form(me).getByRole('alert');
		await alert.waitFor();
		assert.doesNotMatch(await alert.innerText(), /\/match/);
		assert.deepEqual(await rules(desk), []);
	});

	scenario('one is changed: tests of its arguments and its note, tried again first; the rest stays', async (me, desk) => {
		const made = await make(desk, { effect: 'ask', note: 'old', match: { tool: ['Bash(git push *)'], type: 'tool' }, ask: { timeout: '15m' } });
		await me.visitLive('/rules');
		const row = section(me, 'ask').getByRole('listitem');
		await me.press(row.getByRole('button', { name: new RegExp(`^${me.t('rules.edit')}`) }));
		const change = me.page.getByRole('form', { name: me.t('rules.change') });
		await me.write(change.getByLabel(me.t('rules.note')), 'main is for two');
		await me.press(change.locator('summary'));
		await me.press(change.getByRole('button', { name: me.t('rules.arguments.add') }));
		await me.write(change.getByLabel(me.t('rules.arguments.pointer', { n: 1 })), 'branch');
		await me.pick(change.getByLabel(me.t('rules.arguments.test', { n: 1 }), { exact: true }), me.t('rules.test.in'));
		await me.write(change.getByLabel(me.t('rules.arguments.value', { n: 1 })), 'main, release');
		await me.press(me.button('rules.check'));
		await me.press(me.button('rules.save'));
		await row.getByText('main is for two').waitFor();
		const [rule] = await rules(desk);
		assert.deepEqual([rule.id, rule.version, rule.match, rule.ask],
			[made.id, 2, { tool: ['Bash(git push *)'], type: 'tool', arguments: { '/branch': { in: ['main', 'release'] } } }, { timeout: '15m' }]);
		await clear(desk);
	});

	scenario('what a rule decides looks different in history and session', async (me, desk) => {
		await make(desk, { effect: 'allow', note: 'tests are harmless', match: { tool: ['Bash(npm test *)'], agent: 'deployer' } });
		const session = await desk.agent.session('by rules');
		const ask = await desk.agent.ask(bash('npm test unit', { session: session.id }));
		assert.equal(ask.answered_by.kind, 'policy');
		await me.visitLive('/history');
		const row = me.page.locator('.history').getByRole('listitem').filter({ hasText: 'Run npm test unit' });
		await row.getByTitle(me.t('history.rule', { name: 'tests are harmless' })).waitFor();
		await row.getByText(me.t('verb.allowed')).waitFor();
		await me.visit(`/sessions/${session.id}`);
		await me.page.locator('.byrule', { hasText: me.t('policy.allowed.by', { name: 'tests are harmless' }) }).first().waitFor();
		/* Its note is said once. */
		await make(desk, { effect: 'deny', note: 'not on a Friday', match: { tool: ['Bash(deploy *)'] } });
		const denied = await desk.agent.ask(bash('deploy web', { session: session.id }));
		await me.visit(`/history/${denied.id}`);
		await me.region('settled').getByText('not on a Friday').waitFor();
		assert.equal((await me.region('settled').innerText()).split('not on a Friday').length, 2);
		await clear(desk);
	});

	scenario('an operation is tried: what would be decided, by which rule', async (me, desk) => {
		await make(desk, { effect: 'deny', note: 'no force', match: { tool: ['Bash(git push *--force*)'] } });
		await make(desk, { effect: 'allow', note: 'tests', match: { tool: ['Bash(npm test *)'] } });
		await me.visitLive('/rules');
		await me.write(me.page.getByRole('textbox', { name: me.t('rules.try.operation') }), 'Bash(npm test && git push --force)');
		await me.press(me.button('rules.try.go'));
		await me.text('rules.would.deny').waitFor();
		await me.text('rules.try.decides').waitFor();
		await clear(desk);
	});

	scenario('a rule by project says who may name any; a project leads to its sessions', async (me, desk) => {
		const { unbound } = (await desk.admin.get('/v1/projects')).body;
		await make(desk, { effect: 'ask', match: { project: 'shop & co' } });
		await make(desk, { effect: 'ask', match: { agent: 'nobody' } });
		await me.visitLive('/rules');
		await section(me, 'ask').getByText(me.tn('rules.unbound', unbound)).waitFor();
		assert.equal(await me.page.getByText(me.tn('rules.unbound', unbound)).count(), 1);
		const ask = await me.open(bash('ls', { project: 'shop & co' }));
		await me.press(me.page.getByRole('article').getByRole('link', { name: 'shop & co' }));
		await me.heading(me.t('nav.sessions')).waitFor();
		assert.equal(await me.page.getByRole('combobox', { name: me.t('filter.project') }).innerText(), 'shop & co');
		await me.page.getByRole('link', { name: 'shop & co', exact: true }).first().waitFor();
		assert.equal(await me.page.getByRole('main').getByRole('listitem').count(), 1);
		await desk.marie.post(`/v1/asks/${ask.id}/skip`);
		await clear(desk);
	});

	scenario('a suggestion is reviewed and created', async (me, desk) => {
		for (let i = 0; i < 5; i++) {
			const ask = await desk.agent.ask(bash('make lint'));
			await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' });
		}
		await me.visitLive('/rules');
		await me.page.getByText(me.tn('rules.suggested', 5)).waitFor();
		await me.press(me.button('rules.review'));
		await me.press(me.button('rules.check'));
		await me.press(me.button('rules.create'));
		await section(me, 'allow').getByText('make lint', { exact: true }).first().waitFor();
		const [rule] = await rules(desk);
		assert.match(rule.match.same, /^sha256:/);
		assert.deepEqual([rule.made_from.tool, rule.made_from.subject], ['Bash', 'make lint']);
		assert.equal(rule.effect, 'allow');
		await clear(desk);
	});

	scenario('the policy is changed by an admin', async (me, desk) => {
		const { risks: before } = (await desk.admin.get('/v1/policy')).body;
		await me.visitLive('/rules?show=policy');
		await me.check(me.page.getByRole('radio', { name: me.t('rules.mode.manual'), exact: true }));
		await me.pick(me.page.getByRole('combobox', { name: me.t('rules.timeout') }), '30m');
		await me.check(me.page.getByRole('radio', { name: me.t('rules.reject.stop') }));
		await me.write(me.page.getByRole('spinbutton', { name: me.t('rules.atonce') }), '5');
		const picked = async (id, unit, n) => me.pick(me.page.getByRole('combobox', { name: me.t(id) }), me.t(`span.short.${unit}`, { n }));
		await picked('rules.for.member', 'day', 1);
		await picked('rules.for.high', 'minute', 15);
		await picked('rules.kept', 'day', 90);
		await me.press(me.button('rules.risks.add'));
		await me.write(me.page.getByRole('textbox', { name: me.t('rules.risks.calls', { n: before.length + 1 }) }), 'Bash(terraform destroy*)');
		await me.pick(me.page.getByRole('combobox', { name: me.t('rules.risks.risk', { n: before.length + 1 }) }), me.t('risk.critical'));
		await me.page.getByRole('status').getByText(me.t('rehearse.asked').split('{')[0]).waitFor();
		await me.press(me.button('rules.policy.save'));
		await me.page.getByText(me.t('rules.policy.saved'), { exact: true }).waitFor();
		const { mode, timeout, on_reject, at_once, scopes, retention, risks } = (await desk.admin.get('/v1/policy')).body;
		assert.deepEqual([mode, timeout, on_reject, at_once.manual], ['manual', '30m', 'stop', 5]);
		assert.deepEqual([scopes, retention], [{ member: '1d', high: '15m' }, { settled: '90d' }]);
		assert.deepEqual(risks, [...before, { tool: ['Bash(terraform destroy*)'], risk: 'critical' }]);
		/* And back: none of it is left. */
		await me.press(me.page.getByRole('button', { name: me.t('rules.risks.calls', { n: before.length + 1 }) }));
		await me.pick(me.page.getByRole('combobox', { name: me.t('rules.kept') }), me.t('rules.kept.never'));
		await me.press(me.button('rules.policy.save'));
		await until(async () => {
			const now = (await desk.admin.get('/v1/policy')).body;
			return now.risks.length === before.length && now.retention.settled === null;
		}, 'the policy without them');
	});

	scenario('members may not allow, viewers may only read', async (me, desk) => {
		await make(desk, { effect: 'ask', note: 'look twice', match: { tool: ['Bash(kubectl *)'] } });
		await beside(me, { user: 'Marie' }, async (marie) => {
			await marie.visitLive('/rules');
			await marie.press(marie.button('rules.new'));
			await marie.text('rules.allow.admin').waitFor();
			assert.ok(await form(marie).getByRole('radio', { name: marie.t('rules.effect.allow') }).isDisabled());
			assert.equal(await section(marie, 'ask').getByRole('button').count(), 0);
		});
		await beside(me, { user: 'Vera' }, async (vera) => {
			await vera.visitLive('/rules');
			await vera.text('rules.viewer').waitFor();
			await section(vera, 'ask').getByText('look twice').waitFor();
			assert.equal(await vera.button('rules.new').count(), 0);
		});
		await clear(desk);
	});

	scenario('axe finds nothing', { ...bypass, resizes: true }, async (me, desk) => {
		await make(desk, { effect: 'deny', note: 'no force', match: { tool: ['Bash(git push *--force*)'] } });
		await make(desk, { effect: 'ask', match: { tool: ['Bash(kubectl *)'] }, ask: { require: [{ approvals: 2 }] } });
		await make(desk, { effect: 'allow', match: { tool: ['Bash(npm test *)'], agent: 'deployer', project: 'web' } });
		await me.visitLive('/rules');
		await section(me, 'allow').waitFor();
		await me.press(me.button('rules.new'));
		await me.write(field(me, 'rules.pattern'), 'Bash(make *)');
		await me.press(me.button('rules.check'));
		await me.button('rules.create').waitFor();
		assert.deepEqual(await complaints(me), []);
		await me.press(me.page.getByRole('link', { name: me.t('rules.show.policy') }));
		await me.button('rules.policy.save').waitFor();
		assert.deepEqual(await complaints(me), []);
		await clear(desk);
	});

	scenario('a rule that only watches says what people said, and is made live', async (me, desk) => {
		await make(desk, { effect: 'allow', shadow: true, match: { tool: ['Bash(make *)'] } });
		for (const [n, value] of ['approve', 'approve', 'reject'].entries()) {
			const ask = await desk.agent.ask(bash(`make ${n}`));
			await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: { value } });
		}
		await me.visit('/rules');
		const watching = section(me, 'shadow');
		await watching.getByText(me.t('rules.shadow.allow')).waitFor();
		await watching.getByText(me.t('rules.shadow.people', { approved: 2, rejected: 1 })).waitFor();
		await me.press(watching.getByRole('button', { name: me.t('rules.shadow.live') }));
		await section(me, 'allow').getByText('Bash(make *)').first().waitFor();
		assert.deepEqual((await rules(desk)).filter((one) => one.match.tool?.[0] === 'Bash(make *)').map((one) => one.shadow), [null]);
		/* What is asked most stands before any chart, and the newest rule with what it changed. */
		await me.visit('/insights');
		await me.text('insights.most').waitFor();
		await me.text('insights.newest').waitFor();
		const csv = me.page.getByRole('link', { name: me.t('insights.csv.name', { title: me.t('insights.questions') }) });
		const reply = await me.page.request.get(await csv.getAttribute('href'));
		assert.match(`${reply.headers()['content-type']} ${await reply.text()}`, /^text\/csv.*\bmake\b/s);
		await clear(desk);
	});
}, { furnish: (desk) => desk.client('viewer', 'Vera'), stands: true });
