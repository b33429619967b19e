// Several people at one desk.
import assert from 'node:assert/strict';
import { until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

/* In the other language, at the other size. */
const unlike = (me) => ({ view: me.wide ? 'phone' : 'desktop', lang: me.lang === 'en' ? 'fr' : 'en' });

let newcomers = 0;

area('several people', (scenario) => {
	scenario('while one answers, the others see who', async (me, desk) => {
		const ask = await desk.agent.ask({ question: 'Who takes it?', type: 'text' });
		await me.visit('/inbox');
		await beside(me, { user: 'Marie', ...unlike(me) }, async (marie) => {
			await marie.look(ask);
			await marie.write(marie.page.getByRole('textbox', { name: 'Who takes it?' }), 'I do');
			await me.row('Who takes it?').getByText(me.t('ask.claimed', { name: 'Marie' })).waitFor();
			await me.press(me.row('Who takes it?').getByRole('link'));
			await me.page.getByRole('article').getByText(me.t('ask.claimed', { name: 'Marie' })).waitFor();
			await marie.send();
			await me.region('settled').getByText('Marie').first().waitFor();
			await me.region('settled').getByText('I do').waitFor();
		});
	});

	scenario('assigned to somebody, and taken back', async (me, desk) => {
		const ask = await me.open({ question: 'Whose is it?', type: 'text' });
		const menu = me.page.getByText(me.t('ask.assign'), { exact: true });
		const choice = me.page.getByRole('checkbox', { name: 'Marie' });
		await me.press(menu.locator('xpath=ancestor-or-self::summary')); // its word is not drawn on a phone
		await me.check(choice);
		await until(async () => (await desk.get(ask.id)).assignees.length === 1, 'assigned');
		await me.page.getByRole('article').locator('.chip', { hasText: 'Marie' }).waitFor();
		await me.check(choice, false);
		await until(async () => (await desk.get(ask.id)).assignees.length === 0, 'taken back');
		await me.key('Escape');
		await choice.waitFor({ state: 'hidden' });
		await desk.pending(ask.id);
	});

	scenario('more time for everybody', async (me, desk) => {
		const ask = await me.open({ question: 'Long enough?', type: 'text', timeout: '20m' });
		await me.press(me.button('ask.extend'));
		await until(async () => Date.parse((await desk.get(ask.id)).expires_at) > Date.parse(ask.expires_at), 'extended');
	});

	scenario('a viewer sees it and has nothing to press', { user: 'Vera', settings: { opens: true } }, async (me, desk) => {
		await me.visitLive('/inbox');
		const session = await desk.agent.session('looked at');
		const ask = await desk.agent.ask({ session: session.id, question: 'Only look?', type: 'boolean', timeout: '20m' });
		const other = await desk.agent.ask({ session: session.id, kind: 'approval', title: 'Look at this',
			operation: { name: 'shell', risk: 'high', arguments: { command: 'make deploy' } } });
		await me.row('Look at this').waitFor();
		await me.row('Only look?').waitFor();
		assert.equal(await me.dialog.count(), 0, 'nothing opens by itself');
		assert.equal(await me.list.getByRole('checkbox').count(), 0);
		const nothing = async (...ids) => {
			for (const id of ids) assert.equal(await me.button(id).count(), 0, id);
		};
		await me.look(ask);
		assert.equal(await me.submit.count(), 0);
		await me.text('viewer').waitFor();
		await nothing('form.skip', 'thread.open', 'ask.extend');
		await me.look(other);
		await me.region('operation').getByText('make deploy').waitFor();
		await nothing('approval.approve', 'approval.reject.open', 'approval.edit', 'form.skip', 'thread.open');
		await me.key('a', 's', 'y', 'Control+Enter');
		await desk.pending(other.id);
		await me.visit(`/sessions/${session.id}`);
		await nothing('session.stop');
		await me.visit('/settings');
		assert.equal(await me.page.getByRole('link', { name: me.t('settings.users') }).count(), 0);
	});

	scenario('who is made a viewer, or a member again, sees it at once; so does everybody who is new', async (me, desk) => {
		const ask = await desk.agent.ask({ question: 'Still mine?', type: 'text' });
		const name = `Max ${++newcomers}`;
		const { body: max } = await desk.admin.post('/v1/users', { name, role: 'member' });
		await beside(me, { user: name, ...unlike(me) }, async (him) => {
			await him.look(ask);
			await him.submit.waitFor();
			await desk.admin.patch(`/v1/users/${max.id}`, { role: 'viewer' });
			await him.text('viewer').waitFor();
			assert.equal(await him.submit.count(), 0);
			await desk.admin.patch(`/v1/users/${max.id}`, { role: 'member' });
			await him.submit.waitFor();
			const { body: last } = await desk.admin.post('/v1/users', { name: `Nora ${newcomers}`, role: 'member' });
			await desk.admin.post(`/v1/asks/${ask.id}/assign`, { assignees: [last.id] });
			await him.page.getByRole('article').locator('.chip', { hasText: last.name }).waitFor();
		});
	});

	scenario('settled by another while one was typing: both are said, nothing is lost', async (me, desk) => {
		const ask = await me.open({ question: 'At the same time?', type: 'boolean' });
		await me.check(me.page.getByRole('radio', { name: me.t('form.yes') }));
		await me.armed(me.submit);
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: false });
		await me.region('settled').getByText(me.t('colon', { words: me.t('outcome.answered'), text: me.t('form.no') })).waitFor();
		assert.deepEqual(await desk.answer(ask.id), { value: false });
	});
}, { furnish: (desk) => desk.client('viewer', 'Vera') });
