// A question finds people, and never steals their keystrokes.
import assert from 'node:assert/strict';
import { until } from './lib.mjs';
import { area } from './matrix.mjs';

const opens = { settings: { opens: true } };
const yesNo = (question, more = {}) => ({ question, type: 'boolean', ...more });
const live = async (me, path) => {
	await me.visit(path);
	await me.page.getByText(me.t('line.live')).waitFor({ state: 'attached' });
};
const asked = (me, name) => me.dialog.getByRole('heading', { name, exact: true });

area('dialogs', (scenario) => {
	scenario('open by themselves, one at a time, first in first out', opens, async (me, desk) => {
		await live(me, '/activity');
		const first = await desk.agent.ask(yesNo('First?'));
		await asked(me, 'First?').waitFor();
		const second = await desk.agent.ask(yesNo('Second?'));
		await desk.agent.ask(yesNo('In your own time?', { kind: 'non_blocking' }));
		await me.dialog.getByText(me.tn('dialog.more', 1)).waitFor();
		await me.check(me.dialog.getByRole('radio', { name: me.t('form.yes') }));
		await me.send(me.dialog.locator('[type=submit]'));
		assert.deepEqual(await desk.answer(first.id), { value: true });
		await asked(me, 'Second?').waitFor();
		await desk.pending(second.id);
	});

	scenario('Esc and Later put it aside, and decide nothing', opens, async (me, desk) => {
		await live(me, '/sessions');
		const ask = await desk.agent.ask(yesNo('Not now?'));
		await asked(me, 'Not now?').waitFor();
		await me.pressOr(me.button('dialog.later'), 'Escape');
		await me.dialog.waitFor({ state: 'hidden' });
		await desk.pending(ask.id);
		const next = await desk.agent.ask(yesNo('And this?'));
		await asked(me, 'And this?').waitFor();
		await me.press(me.button('dialog.later'));
		await me.dialog.waitFor({ state: 'hidden' });
		await desk.pending(next.id);
		await me.press(me.page.getByRole('navigation').getByRole('link', { name: me.t('nav.inbox') }));
		await me.row('Not now?').waitFor();
		await me.row('And this?').waitFor();
	});

	scenario('settled elsewhere: the dialog goes, and a toast says by whom', opens, async (me, desk) => {
		await live(me, '/activity');
		const ask = await desk.agent.ask(yesNo('Who takes this?'));
		await asked(me, 'Who takes this?').waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.dialog.waitFor({ state: 'hidden' });
		await me.toasts.getByText(me.t('settled.answered.via', { name: 'Marie', via: 'api' })).waitFor();
	});

	scenario('an approval in its dialog: what would run, approved', opens, async (me, desk) => {
		await live(me, '/insights');
		const ask = await desk.agent.ask({ kind: 'approval', title: 'Restart it',
			operation: { name: 'service.restart', risk: 'medium', arguments: { unit: 'api' } } });
		await asked(me, 'Restart it').waitFor();
		await me.dialog.getByText('service.restart').waitFor();
		await me.armed(me.button('approval.approve'));
		await me.pressOr(me.button('approval.approve'), 'a');
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'approve');
		await me.dialog.waitFor({ state: 'hidden' });
	});

	scenario('never while somebody types: a toast, a badge, the title and the icon say so', opens, async (me, desk) => {
		await live(me, '/sessions');
		await me.write(me.page.getByRole('searchbox'), 'abc');
		const ask = await desk.agent.ask(yesNo('May I interrupt?'));
		await me.toasts.getByText('May I interrupt?').waitFor();
		assert.equal(await me.dialog.count(), 0);
		assert.equal(await me.page.getByRole('searchbox').inputValue(), 'abc');
		await until(async () => /^\(1\) /.test(await me.page.title()), 'the title');
		await me.page.getByRole('navigation').getByRole('link', { name: me.t('nav.inbox') }).getByText('1').waitFor();
		assert.match(await me.page.locator('link[rel=icon]').getAttribute('href'), /^data:image\/svg/);
		await me.press(me.toasts.getByRole('link', { name: me.t('toast.session') }));
		await me.page.waitForURL(`**/sessions/${ask.session}`);
		await desk.admin.post(`/v1/asks/${ask.id}/skip`);
		await until(async () => !/^\(/.test(await me.page.title()), 'the title');
		assert.equal(await me.page.locator('link[rel=icon]').getAttribute('href'), '/icon.svg');
	});

	scenario('a toast stays while its question waits, and goes when that is settled', async (me, desk) => {
		await live(me, '/activity');
		const ask = await desk.agent.ask(yesNo('Still waiting?'));
		const toast = me.toasts.getByText(me.t('toast.asks', { agent: 'deployer' }));
		await toast.waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await toast.waitFor({ state: 'hidden' });
		for (let i = 0; i < 7; i++) await desk.agent.ask(yesNo(`One of many ${i}?`));
		await me.toasts.getByText('One of many 6?').waitFor();
		assert.equal(await me.toasts.getByText(me.t('toast.asks', { agent: 'deployer' })).count(), 5, 'at most five');
		await me.press(me.toasts.getByRole('link', { name: me.t('open') }).last());
		await me.heading('One of many 6?').waitFor();
	});

	scenario('not at all when turned off', opens, async (me, desk) => {
		await live(me, '/settings');
		await me.check(me.page.getByRole('checkbox', { name: me.t('you.opens') }), false);
		await desk.agent.ask(yesNo('Quietly?'));
		await me.toasts.getByText('Quietly?').waitFor();
		assert.equal(await me.dialog.count(), 0);
		await me.check(me.page.getByRole('checkbox', { name: me.t('you.opens') }), true);
		await desk.agent.ask(yesNo('Loudly?'));
		await asked(me, 'Loudly?').waitFor();
	});
});
