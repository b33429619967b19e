// A question finds people, and never steals their keystrokes.
import assert from 'node:assert/strict';
import { sleep, until } from './lib.mjs';
import { area } from './matrix.mjs';

/* As people type. */
const TYPED_MS = 100;
const ARMED_MS = 650;
const opens = { settings: { opens: true } };
const yesNo = (question, more = {}) => ({ question, type: 'boolean', ...more });
const asked = (me, name) => me.dialog.getByRole('heading', { name, exact: true });

area('dialogs', (scenario) => {
	scenario('open by themselves, one at a time, first in first out, and say how many more wait', opens, async (me, desk) => {
		await me.visitLive('/activity');
		const first = await desk.agent.ask(yesNo('First?'));
		await asked(me, 'First?').waitFor();
		const second = await desk.agent.ask(yesNo('Second?'));
		await desk.agent.ask(yesNo('In your own time?', { kind: 'non_blocking' }));
		const third = await desk.agent.ask(yesNo('Third?'));
		const fourth = await desk.agent.ask(yesNo('Fourth?'));
		await me.dialog.getByText(me.tn('dialog.more', 3)).waitFor();
		await desk.marie.post(`/v1/asks/${third.id}/answer`, { answer: true });
		await me.dialog.getByText(me.tn('dialog.more', 2)).waitFor();
		for (const [title, ask, more] of [['First?', first, 2], ['Second?', second, 1], ['Fourth?', fourth, 0]]) {
			await asked(me, title).waitFor();
			if (more) await me.dialog.getByText(me.tn('dialog.more', more)).waitFor();
			assert.equal(await me.dialog.getByRole('article').count(), 1);
			await desk.pending(ask.id);
			await me.check(me.dialog.getByRole('radio', { name: me.t('form.yes') }));
			await me.send(me.dialog.locator('[type=submit]'));
			assert.deepEqual(await desk.answer(ask.id), { value: true });
		}
		await me.dialog.waitFor({ state: 'hidden' });
	});

	scenario('hold the focus, pass it on to the next, and give it back', opens, async (me, desk) => {
		await me.visitLive('/sessions');
		const link = me.page.getByRole('navigation').getByRole('link', { name: me.t('nav.history') });
		const focused = () => me.page.evaluate(() => document.activeElement.closest('dialog')?.open
			? document.activeElement.tagName : document.activeElement === document.body ? 'nowhere' : 'behind');
		await me.press(link);
		const first = await desk.agent.ask(yesNo('Where is the focus?'));
		await asked(me, 'Where is the focus?').and(me.page.locator(':focus')).waitFor();
		const second = await desk.agent.ask(yesNo('And then?'));
		await me.dialog.getByText(me.tn('dialog.more', 1)).waitFor();
		const stops = new Set();
		for (const key of ['Tab', 'Shift+Tab'])
			for (let i = 0; i < 15; i++) {
				await me.key(key);
				stops.add(await focused());
			}
		assert.ok(stops.has('BUTTON') && stops.has('INPUT') && !stops.has('behind'), [...stops].join());
		await desk.marie.post(`/v1/asks/${first.id}/answer`, { answer: true });
		await me.press(me.button('next', {}, me.dialog));
		await asked(me, 'And then?').and(me.page.locator(':focus')).waitFor();
		await desk.marie.post(`/v1/asks/${second.id}/answer`, { answer: true });
		await me.press(me.button('next', {}, me.dialog));
		await me.dialog.waitFor({ state: 'hidden' });
		await link.and(me.page.locator(':focus')).waitFor();
		await me.key('?');
		await me.page.getByRole('dialog', { name: me.t('keys') }).waitFor();
		assert.equal(await focused(), 'BUTTON');
		await me.pressOr(me.button('close', {}, me.dialog), 'Escape');
		await me.dialog.waitFor({ state: 'detached' });
		await link.and(me.page.locator(':focus')).waitFor();
	});

	scenario('Esc and Later put it aside, and decide nothing', opens, async (me, desk) => {
		await me.visitLive('/sessions');
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

	scenario('settled elsewhere: the dialog stays, says by whom, and its person goes on', opens, async (me, desk) => {
		await me.visitLive('/activity');
		const ask = await desk.agent.ask(yesNo('Who takes this?'));
		await asked(me, 'Who takes this?').waitFor();
		const next = await desk.agent.ask(yesNo('And what follows?'));
		await me.dialog.getByText(me.tn('dialog.more', 1)).waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.dialog.getByText(me.settledBy('answered', 'Marie')).first().waitFor();
		await asked(me, 'Who takes this?').waitFor();
		await me.press(me.button('next', {}, me.dialog));
		await asked(me, 'And what follows?').waitFor();
		await desk.pending(next.id);
	});

	scenario('an approval in its dialog: what would run, approved', opens, async (me, desk) => {
		await me.visitLive('/insights');
		const ask = await desk.agent.ask({ kind: 'approval', title: 'Restart it',
			operation: { name: 'service.restart', risk: 'medium', arguments: { unit: 'api' } } });
		await asked(me, 'Restart it').waitFor();
		await me.dialog.getByText('service.restart').waitFor();
		await me.armed(me.button('approval.approve'));
		/* It opened by itself: its keys are dead until its person moves into it. */
		await me.key('a', 'Control+Enter');
		await desk.pending(ask.id);
		await me.key('Enter');
		await me.pressOr(me.button('approval.approve'), 'a');
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'approve');
		await me.dialog.waitFor({ state: 'hidden' });
	});

	scenario('a high risk that opened by itself wants a second press, the very next one', opens, async (me, desk) => {
		await me.visitLive('/insights');
		const ask = await desk.agent.ask({ kind: 'approval', title: 'Drop it all',
			operation: { name: 'service.drop', risk: 'high', arguments: { unit: 'api' } } });
		await asked(me, 'Drop it all').waitFor();
		await me.armed(me.button('approval.approve'));
		await me.key('Enter');
		await me.pressOr(me.button('approval.approve'), 'a');
		await me.button('approval.again').waitFor();
		await me.key('Shift');
		await me.key('k');
		await me.button('approval.approve').waitFor();
		await desk.pending(ask.id);
		await me.pressOr(me.button('approval.approve'), 'a');
		await me.button('approval.again').waitFor();
		await sleep(ARMED_MS);
		await me.pressOr(me.button('approval.again'), 'a');
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'approve');
	});

	scenario('a press that comes too soon decides nothing, and is told so', opens, async (me, desk) => {
		await me.visitLive('/insights');
		const ask = await desk.agent.ask({ kind: 'approval', title: 'Twice in a moment',
			operation: { name: 'service.drop', risk: 'high', arguments: { unit: 'api' } } });
		await asked(me, 'Twice in a moment').waitFor();
		await me.key('a');
		await me.dialog.getByText(me.t('dialog.first')).waitFor();
		await me.armed(me.button('approval.approve'));
		await me.key('Enter');
		/* However slow the machine: both in the same moment. */
		await me.page.evaluate(() => {
			for (let i = 0; i < 2; i++)
				document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
		});
		await me.dialog.getByText(me.t('toosoon')).waitFor();
		await me.button('approval.again').waitFor();
		await desk.pending(ask.id);
		await sleep(ARMED_MS);
		await me.pressOr(me.button('approval.again'), 'a');
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'approve');
	});

	scenario('with the inbox in front a new ask joins the list', opens, async (me, desk) => {
		await me.visitLive('/inbox');
		await desk.agent.ask(yesNo('Into the list?'));
		await me.row('Into the list?').waitFor();
		assert.equal(await me.dialog.count(), 0);
		assert.equal(await me.toasts.getByText('Into the list?').count(), 0);
	});

	scenario('never while somebody types: a toast, a badge, the title and the icon say so', opens, async (me, desk) => {
		await me.visitLive('/sessions');
		if (!me.wide) await me.press(me.page.getByRole('button', { name: me.t('sessions.search') }));
		await me.write(me.page.getByRole('searchbox'), 'abc');
		const ask = await desk.agent.ask(yesNo('May I interrupt?'));
		await me.toasts.getByText('May I interrupt?').waitFor();
		assert.equal(await me.dialog.count(), 0);
		assert.equal(await me.page.getByRole('searchbox').inputValue(), 'abc');
		await me.tabSays(1);
		await me.page.getByRole('navigation').getByRole('link', { name: me.t('nav.inbox') }).getByText('1').waitFor();
		await me.press(me.toasts.getByRole('link', { name: me.t('toast.session') }));
		await me.page.waitForURL(`**/sessions/${ask.session}`);
		await desk.admin.post(`/v1/asks/${ask.id}/skip`);
		await me.tabSays(0);
	});

	scenario('a field that vanishes under somebody who types: what they type on decides nothing', async (me, desk) => {
		const session = await desk.agent.session('vanishing');
		const ask = await desk.agent.ask({ session: session.id, question: 'A long answer?', type: 'text' });
		const other = await desk.agent.ask({ session: session.id, kind: 'approval', title: 'Drop it',
			operation: { name: 'shell', risk: 'low', arguments: { command: 'make clean' } } });
		await me.look(ask);
		await me.write(me.page.getByRole('textbox', { name: 'A long answer?' }), 'as s');
		/* As when what is looked at changes under one's hands. */
		await me.visitInside(`/asks/${other.id}`);
		await me.heading('Drop it').waitFor();
		await me.page.keyboard.type('aid, a a a a', { delay: TYPED_MS });
		await desk.pending(other.id);
		await me.armed(me.button('approval.approve'));
		await me.press(me.button('approval.approve'));
		assert.equal((await desk.answer(other.id, 'decision')).value, 'approve');
	});

	scenario('a toast stays while its question waits, and goes when that is settled', async (me, desk) => {
		await me.visitLive('/activity');
		const ask = await desk.agent.ask(yesNo('Still waiting?'));
		const toast = me.toasts.getByText(me.t('toast.asks', { agent: 'deployer' }));
		await toast.waitFor();
		/* Who comes back to any page is told, too. */
		await me.page.reload();
		await toast.waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await toast.waitFor({ state: 'hidden' });
		const long = await desk.agent.ask({ kind: 'approval', title: 'Send it',
			operation: { name: 'mail.send', risk: 'low', arguments: { body: 'Hello, all of you. '.repeat(20) } } });
		const right = await me.toasts.getByText('mail.send').evaluate((tool) => innerWidth - tool.closest('code').getBoundingClientRect().right);
		assert.ok(right >= 0, `the operation in a toast ends ${-right} px behind the edge`);
		await desk.marie.post(`/v1/asks/${long.id}/skip`);
		await toast.waitFor({ state: 'hidden' });
		for (let i = 0; i < 7; i++) await desk.agent.ask(yesNo(`One of many ${i}?`));
		/* Three stay; a phone shows the last. */
		await me.tabSays(7);
		const told = me.toasts.getByText(/^One of many \d\?$/);
		await until(async () => await told.count() === (me.wide ? 3 : 1), 'at most three, one on a phone');
		const shown = await told.last().innerText();
		await me.press(me.toasts.getByRole('link', { name: me.t('open') }).last());
		await me.heading(shown).waitFor();
	});

	scenario('not at all when turned off', opens, async (me, desk) => {
		await me.visitLive('/settings/you');
		await me.check(me.page.getByRole('checkbox', { name: me.t('you.opens') }), false);
		await desk.agent.ask(yesNo('Quietly?'));
		await me.toasts.getByText('Quietly?').waitFor();
		assert.equal(await me.dialog.count(), 0);
		await me.check(me.page.getByRole('checkbox', { name: me.t('you.opens') }), true);
		await desk.agent.ask(yesNo('Loudly?'));
		await asked(me, 'Loudly?').waitFor();
	});
});
