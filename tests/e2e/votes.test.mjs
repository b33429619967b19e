// Approvals that need several people; who may not decide reads why; teams are kept in Settings.
import assert from 'node:assert/strict';
import { area } from './matrix.mjs';

const approval = (more = {}) => ({ kind: 'approval', title: 'Deploy it',
	operation: { type: 'tool', name: 'shell', risk: 'medium', arguments: { command: 'make deploy' } }, ...more });
let count = 0;

area('votes', (scenario) => {
	scenario('a vote is kept, taken back and given again; the second approves', async (me, desk) => {
		const ask = await me.open(approval({ require: [{ approvals: 2 }] }));
		const votes = me.region('votes');
		await votes.getByText(me.t('votes.have', { have: 0, need: 2 })).waitFor();
		/* Each place that is open says who can fill it; one that is filled says who did. */
		const places = votes.getByRole('listitem');
		assert.match((await places.allInnerTexts())[0], new RegExp(me.t('votes.you_or', { who: me.t('votes.anyone') })));
		assert.equal(await votes.getByText(me.t('votes.open')).count(), 2);
		const approve = me.button('approval.vote', { n: 1, of: 2 });
		await me.armed(approve);
		await me.press(approve);
		await votes.getByText(me.t('votes.have', { have: 1, need: 2 })).waitFor();
		await me.text('votes.saved').waitFor();
		assert.equal(await votes.getByText(me.t('votes.open')).count(), 1);
		assert.equal(await votes.getByText(me.t('votes.you_or', { who: me.t('votes.anyone') })).count(), 0);
		assert.equal((await desk.get(ask.id)).status, 'pending');
		await me.press(me.button('votes.retract'));
		await votes.getByText(me.t('votes.have', { have: 0, need: 2 })).waitFor();
		assert.deepEqual((await desk.get(ask.id)).votes, []);
		await me.armed(approve); // the operation has moved
		await me.press(approve);
		await votes.getByText(me.t('votes.have', { have: 1, need: 2 })).waitFor();
		const other = desk.server.client(await desk.server.token('member', `second-${count++}`));
		const done = await other.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } });
		assert.equal(done.body.ask.status, 'answered');
		await me.page.getByRole('article').getByText(me.t('outcome.approved')).first().waitFor();
		/* What happened names everybody who voted. */
		for (const name of ['owner', done.body.ask.votes.at(-1).by.name])
			await me.page.getByRole('article').getByText(me.t('event.ask.voted', { name })).first().waitFor();
		await me.page.getByRole('article').getByText(me.t('event.ask.retracted', { name: 'owner' })).waitFor();
	});

	scenario('whose approval does not count reads why, and may reject', async (me, desk) => {
		const other = desk.server.client(await desk.server.token('member', `named-${count++}`));
		const { id } = (await other.get('/v1/me')).body.user;
		const ask = await me.open(approval({ require: [{ approvals: 1, from: [`user:${id}`] }] }));
		await me.text('refused.require').first().waitFor();
		assert.equal(await me.button('approval.approve').getAttribute('aria-disabled'), 'true');
		await me.pressOr(me.button('approval.reject.open'), 'r');
		await me.send(me.button('approval.reject'));
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'reject');
	});

	scenario('the card says why one is asked: by which rule, and that the risk is not what the agent said', async (me, desk) => {
		const name = `deploy_${count++}`;
		const operation = { type: 'tool', name, risk: 'low', arguments: {} };
		const rule = (await desk.admin.post('/v1/rules', { effect: 'ask', note: `Two for ${name}`, match: { tool: [name] },
			ask: { risk: 'high', require: [{ approvals: 2 }] } })).body;
		const ask = await me.open({ kind: 'approval', title: 'Deploy it', operation });
		const why = me.page.getByRole('note').filter({ hasText: me.t('why') });
		assert.equal(await why.getByRole('link', { name: rule.note }).getAttribute('href'), `/rules?rule=${rule.id}`);
		await why.getByText(me.t('risk.low')).waitFor();
		await me.open({ kind: 'approval', title: 'Deploy it', operation: { ...operation, name: 'other' }, require: [{ approvals: 2 }] });
		await why.getByText(/itself|lui-même/).waitFor();
		/* In the history, too; of what a rule decided nobody was asked. */
		const was = me.page.getByRole('note').filter({ hasText: me.t('why.was') });
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'reject' } });
		await me.visit(`/history/${ask.id}`);
		await was.getByRole('link', { name: rule.note }).waitFor();
		await desk.admin.post('/v1/rules', { effect: 'deny', match: { tool: [`${name}_never`] } });
		const denied = await desk.agent.ask({ kind: 'approval', title: 'Never', operation: { ...operation, name: `${name}_never` } });
		await me.visit(`/history/${denied.id}`);
		await me.region('trail').waitFor({ state: 'attached' });
		assert.equal(await was.count(), 0);
	});

	scenario('with the last approval that is missing it is approved, and says who gave them', async (me, desk) => {
		const other = desk.server.client(await desk.server.token('member', `first-${count++}`));
		const ask = await desk.agent.ask(approval({ require: [{ approvals: 2 }] }));
		await other.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } });
		await me.visit(`/asks/${ask.id}`);
		await me.region('votes').getByText(me.t('votes.approved')).waitFor();
		const approve = me.button('approval.vote', { n: 2, of: 2 });
		await me.armed(approve);
		await me.press(approve);
		assert.equal((await desk.settled(ask.id)).answered_by.votes, 2);
	});

	scenario('a team is created, gets a member, loses them only when that is confirmed, and is deleted', async (me, desk) => {
		const name = `ops-${count++}`;
		await me.visit('/settings/teams');
		const box = me.page.getByRole('textbox', { name: me.t('teams.name') });
		await me.write(box, name);
		await me.press(me.button('teams.new'));
		await me.page.getByRole('heading', { name }).waitFor();
		const team = me.page.getByRole('region', { name, exact: true });
		const saved = () => team.getByRole('status').getByText(me.t('channels.saved')).waitFor();
		const members = async () => (await desk.admin.get('/v1/teams?limit=200')).body.items.find((one) => one.name === name).members.length;
		await me.pick(team.getByRole('combobox', { name: me.t('teams.add') }), 'Marie');
		await team.getByRole('checkbox').waitFor();
		await saved();
		assert.equal(await members(), 1);
		const remove = me.button('teams.remove.name', { name: 'Marie', team: name }, team);
		await me.press(remove);
		await me.press(me.button('cancel', {}, me.dialog));
		await me.dialog.waitFor({ state: 'detached' });
		assert.equal(await members(), 1);
		await me.press(remove);
		await me.press(me.button('teams.remove', {}, me.dialog));
		await remove.waitFor({ state: 'detached' });
		await saved();
		assert.equal(await members(), 0);
		await me.press(me.page.getByRole('button', { name: me.t('teams.delete.name', { name }) }));
		await me.press(me.page.getByRole('alertdialog').or(me.page.getByRole('dialog'))
			.getByRole('button', { name: me.t('teams.delete'), exact: true }));
		await me.page.getByRole('heading', { name }).waitFor({ state: 'detached' });
	});
});
