// Stops: one button on every screen, a red line while one holds, and who may lift it.
import assert from 'node:assert/strict';
import { bypass, complaints } from './axe.mjs';
import { until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const approval = (more = {}) => ({ kind: 'approval', title: 'Run the tests',
	operation: { type: 'tool', name: 'Bash', arguments: { command: 'npm test' } }, ...more });
const line = (me) => me.region('stop.line');
const reason = (me) => me.page.getByRole('textbox', { name: me.t('stop.reason') });
const opener = (me) => me.page.getByRole('navigation', { name: me.t('nav') })
	.getByRole('button', { name: new RegExp(`^(${me.t('stop.open')}|${me.t('stop.short')}|${me.t('stop.stopped')})$`) });
/* On a phone it is behind More. */
async function opened(me) {
	if (!me.wide && !await opener(me).isVisible())
		await me.press(me.page.getByRole('navigation', { name: me.t('nav') }).getByRole('button', { name: me.t('nav.more') }));
	return opener(me);
}
const held = async (desk) => (await desk.admin.get('/v1/stops')).body.items;
const lifted = (desk) => until(async () => (await held(desk)).length === 0, 'no stop');
const lift = async (desk) => {
	for (const stop of await held(desk))
		await fetch(`${desk.server.url}/v1/stops/${stop.id}`, { method: 'DELETE',
			headers: { authorization: `Bearer ${await desk.server.token('admin', 'lifter')}` } });
};

area('stops', (scenario) => {
	scenario('everything is stopped with two presses and a reason, seen on every screen, and resumed', async (me, desk) => {
		await me.visitLive('/inbox');
		await me.press(await opened(me));
		await me.dialog.waitFor();
		await me.text('stop.beyond').waitFor();
		await me.press(me.button('stop.now.all'));
		await me.page.getByRole('alert').filter({ hasText: me.t('stop.reason.missing') }).waitFor();
		assert.deepEqual(await held(desk), []);
		await me.write(reason(me), 'Payments incident');
		await me.press(me.button('stop.now.all'));
		await me.dialog.waitFor({ state: 'detached' });
		for (const path of ['/inbox', '/history', '/sessions', '/activity', '/agents', '/insights', '/settings']) {
			await me.visitInside(path);
			await line(me).getByText('Payments incident').waitFor();
		}
		const [stop] = await held(desk);
		assert.deepEqual([stop.match, stop.reason, stop.until], [{}, 'Payments incident', null]);
		await me.press(line(me).getByRole('button'));
		await me.press(me.dialog.getByRole('button', { name: me.t('stop.resume'), exact: true }));
		await line(me).waitFor({ state: 'detached' });
		await lifted(desk);
	});

	scenario('Esc stops nothing', async (me, desk) => {
		await me.visitLive('/sessions');
		await me.press(await opened(me));
		await me.write(reason(me), 'Not yet');
		await me.key('Escape');
		await me.dialog.waitFor({ state: 'detached' });
		assert.deepEqual(await held(desk), []);
	});

	scenario('one agent for an hour; its approval is on hold and can be decided', async (me, desk) => {
		const ask = await desk.agent.ask(approval());
		await me.look(ask);
		await me.press(await opened(me));
		await me.check(me.dialog.getByRole('radio', { name: me.t('stop.what.agent.title') }));
		await me.pick(me.dialog.getByRole('combobox'), 'deployer');
		await me.check(me.dialog.getByRole('radio', { name: me.t('stop.until.hour') }));
		await me.write(reason(me), 'Looking into it');
		await me.press(me.button('stop.now.one', { name: 'deployer' }));
		await line(me).getByText(me.t('stop.what.agent', { name: 'deployer' })).first().waitFor();
		const [stop] = await held(desk);
		assert.deepEqual(stop.match, { agent: 'deployer' });
		assert.ok(Math.abs(Date.parse(stop.until) - Date.now() - 3_600_000) < 120_000);
		/* How much it holds back, as it changes. */
		await line(me).getByText(me.tn('stop.held.approvals', 1)).first().waitFor();
		await line(me).getByText(me.tn('stop.held.sessions', 1)).first().waitFor();
		const card = me.page.getByRole('article');
		await card.getByText(me.t('hold.open', { agent: 'deployer' })).waitFor();
		const approve = me.button('approval.approve', {}, card);
		await me.armed(approve);
		await me.press(approve);
		assert.equal((await desk.settled(ask.id)).answer.decision.value, 'approve');
		await line(me).getByText(me.tn('stop.held.approvals', 1)).first().waitFor({ state: 'detached' });
		for (const place of ['asks', 'history']) {
			await me.come(`/${place}/${ask.id}`);
			await card.getByText(me.t('hold.approved', { agent: 'deployer' })).waitFor();
		}
		await lift(desk);
		await line(me).waitFor({ state: 'detached' });
		await card.getByText(me.t('hold')).waitFor({ state: 'detached' });
	});

	scenario('one session, from its own page', async (me, desk) => {
		const session = await desk.agent.session('only this one');
		await me.visitLive(`/sessions/${session.id}`);
		await me.press(me.page.getByLabel(me.t('session.more'), { exact: true }));
		await me.press(me.button('stop.pause'));
		assert.ok(await me.dialog.getByRole('radio', { name: me.t('stop.what.session.title') }).isChecked());
		await me.write(reason(me), 'Wrong branch');
		await me.press(me.button('stop.now.one', { name: 'only this one' }));
		await line(me).getByText('Wrong branch').waitFor();
		assert.deepEqual((await held(desk)).map((stop) => stop.match), [{ session: session.id }]);
		await desk.agent.ask({ session: session.id, question: 'Which branch?', type: 'boolean' });
		await me.visitLive('/sessions');
		const row = me.page.getByRole('listitem').filter({ has: me.page.getByRole('link', { name: 'only this one' }) });
		await row.getByText(me.t('stop.stopped'), { exact: true }).waitFor();
		await lift(desk);
		await row.getByText(me.t('stop.stopped'), { exact: true }).waitFor({ state: 'detached' });
		await line(me).waitFor({ state: 'detached' });
	});

	scenario('set elsewhere it is shown at once; who did not set it is told who can resume', async (me, desk) => {
		await beside(me, { user: 'Marie' }, async (marie) => {
			await marie.visitLive('/sessions');
			await desk.admin.post('/v1/stops', { reason: 'From the shell', match: { project: 'web-*' } });
			await line(marie).getByText('From the shell').waitFor();
			await line(marie).getByText(marie.t('stop.lift.who', { name: 'root' })).waitFor();
			assert.equal(await line(marie).getByRole('button').count(), 0);
			await lift(desk);
			await line(marie).waitFor({ state: 'detached' });
		});
	});

	scenario('a viewer sees the line and has no button', async (me, desk) => {
		await desk.admin.post('/v1/stops', { reason: 'For all to see' });
		await beside(me, { user: 'Vera' }, async (vera) => {
			await vera.visitLive('/sessions');
			await line(vera).getByText('For all to see').waitFor();
			assert.equal(await opener(vera).count(), 0);
		});
		await lift(desk);
	});

	scenario('axe finds nothing in the dialog and the line', { ...bypass, resizes: true }, async (me, desk) => {
		await me.visitLive('/sessions');
		await me.press(await opened(me));
		await me.dialog.waitFor();
		assert.deepEqual(await complaints(me), []);
		await me.key('Escape');
		await desk.admin.post('/v1/stops', { reason: 'Payments incident' });
		await line(me).waitFor();
		assert.deepEqual(await complaints(me), []);
		await lift(desk);
		await line(me).waitFor({ state: 'detached' });
	});

	scenario('when alerts are raised is set by an admin: times, shares in percent, and nothing for never', bypass, async (me, desk) => {
		await me.visitLive('/insights');
		await me.press(me.page.getByRole('link', { name: me.t('nav.alerts') }));
		await me.press(me.page.getByRole('link', { name: me.t('alerts.limits') }));
		const form = me.page.getByRole('form', { name: me.t('alerts.limits') });
		const field = (name) => form.getByRole('textbox', { name: me.t(`alerts.limit.${name}`) });
		await field('unanswered').waitFor();
		assert.equal(await field('timeouts').inputValue(), '20');
		await me.write(field('unanswered'), 'soon');
		await me.press(me.button('alerts.limits.save', {}, form));
		await form.getByRole('alert').waitFor();
		await me.write(field('unanswered'), '2h');
		await me.write(field('timeouts'), '12,5');
		await me.write(field('node'), '');
		await me.press(me.button('alerts.limits.save', {}, form));
		await form.getByText(me.t('alerts.limits.saved')).waitFor();
		const { alerts } = (await desk.admin.get('/v1/policy')).body;
		assert.deepEqual([alerts.unanswered, alerts.timeouts, alerts.node, alerts.min], ['2h', 0.125, null, 10]);
		assert.deepEqual(await complaints(me), []);
	});

	scenario('an alert stands above every screen until somebody knows of it', bypass, async (me, desk) => {
		const { version } = (await desk.admin.get('/v1/policy')).body;
		await desk.admin.put('/v1/policy', { version, alerts: { unanswered: '1m', unreachable: null } });
		await desk.agent.ask({ question: 'Is anybody there?', type: 'boolean', session: (await desk.agent.session('alone')).id });
		await me.visitLive('/rules');
		desk.server.jump(121_000);
		const above = me.page.getByRole('status').filter({ hasText: me.tn('alerts.count', 1) });
		await above.waitFor();
		await me.press(above.getByRole('link', { name: me.t('alerts.view') }));
		const box = me.page.getByRole('list', { name: me.t('nav.alerts') }).getByRole('listitem').first();
		await box.getByRole('link', { name: 'Is anybody there?' }).waitFor();
		assert.deepEqual(await complaints(me), []);
		await me.write(box.getByRole('textbox', { name: me.t('alerts.note') }), 'On my way');
		await me.press(me.button('alerts.ack', {}, box));
		await box.getByText('On my way').waitFor();
		await above.waitFor({ state: 'detached' });
		const [alert] = (await desk.admin.get('/v1/alerts')).body.items;
		assert.deepEqual([alert.kind, alert.acked.note], ['unanswered', 'On my way']);
	});
}, { furnish: (desk) => desk.client('viewer', 'Vera'), stands: true });
