// What has the focus may go away at any time: the focus stays near it, and is never on <body>.
import assert from 'node:assert/strict';
import { sleep, until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const yesNo = (question, more) => ({ question, type: 'boolean', ...more });
/* Hiding and disabling take the focus away with the next frame. */
const FRAMES_MS = 150;

/** The focus is in something that this selector names, once all is drawn. */
async function focusIsIn(me, selector) {
	await sleep(FRAMES_MS);
	const seen = () => me.page.evaluate((wanted) => {
		const at = document.activeElement;
		return at?.closest(wanted) ? null : `${at?.tagName}.${at?.className}`;
	}, selector);
	await until(async () => await seen() === null, `the focus in ${selector}`, 5000)
		.catch(async (error) => assert.fail(`${error.message}: it is on ${await seen()}`));
}

const toRow = async (me, title) => {
	await me.row(title).waitFor();
	await me.row(title).getByRole('link').first().focus();
};

/** In the search of the sessions, which a phone shows when it is asked for, and for as long as it holds words. */
const searching = async (me, words = '') => {
	if (!me.wide) await me.press(me.page.getByRole('button', { name: me.t('sessions.search') }));
	const field = me.page.getByRole('searchbox');
	await (words ? me.write(field, words) : field.focus());
};

area('focus', (scenario) => {
	scenario('a list that a narrow window hides', async (me, desk) => {
		await me.resize('desktop');
		const ask = await me.open(yesNo('Wide or narrow?'));
		await toRow(me, 'Wide or narrow?');
		await me.resize('phone');
		await focusIsIn(me, '#main');
		await me.page.getByRole('article').waitFor();
		await me.page.getByRole('article').getByRole('button', { name: me.t('ask.more') }).or(me.page.locator('article summary')).last().focus();
		await me.resize('desktop');
		await focusIsIn(me, `article[data-ask="${ask.id}"]`);
	});

	scenario('a row, when an address leads to what does not exist', async (me, desk) => {
		await desk.agent.ask(yesNo('Still in the list?'));
		await me.visit('/inbox');
		await toRow(me, 'Still in the list?');
		await me.visitInside('/asks/ask_00000000000000000000000000');
		await me.text('ask.missing').waitFor();
		await focusIsIn(me, '#main');
	});

	scenario('a link from one ask to another: into its card', async (me, desk) => {
		const other = await desk.agent.ask(yesNo('Led here?'));
		await me.open(yesNo('Where from?'));
		await me.page.getByRole('article').getByRole('heading', { level: 1 }).evaluate((heading) => heading.blur());
		await me.visitInside(`/asks/${other.id}`);
		await focusIsIn(me, `article[data-ask="${other.id}"]`);
	});

	scenario('a toast that is settled elsewhere: back to where one was', { settings: { opens: false } }, async (me, desk) => {
		await me.visitLive('/sessions');
		await searching(me, 'a');
		const ask = await desk.agent.ask(yesNo('Seen in a toast?'));
		await me.toasts.getByRole('link').first().focus();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.toasts.getByText('Seen in a toast?').waitFor({ state: 'detached' });
		await focusIsIn(me, '[type=search]');
	});

	scenario('a toast that a dialog takes along, and gives back', { settings: { opens: true } }, async (me, desk) => {
		await me.visitLive('/sessions');
		await searching(me);
		await desk.agent.ask(yesNo('First a toast?'));
		await me.toasts.getByText('First a toast?').waitFor();
		await me.toasts.getByRole('button').last().focus();
		await desk.agent.ask(yesNo('Then a dialog?'));
		await me.dialog.getByRole('heading', { name: 'Then a dialog?' }).waitFor();
		await focusIsIn(me, 'dialog');
		await me.dialog.getByRole('region', { name: me.t('toasts') }).getByRole('button').last().focus();
		await me.key('Escape');
		await me.dialog.waitFor({ state: 'hidden' });
		await focusIsIn(me, '#main, .toasts');
	});

	scenario('a row that is scrolled out of sight', { input: 'mouse' }, async (me, desk) => {
		const session = await desk.agent.session('many');
		for (let i = 0; i < 60; i++) await desk.agent.ask({ session: session.id, ...yesNo(`${String.fromCharCode(65 + i % 26)}${'x'.repeat(i)} row?`) });
		await me.visit('/inbox');
		const first = me.list.getByRole('listitem').first();
		await first.waitFor();
		const row = await first.getAttribute('aria-posinset');
		await first.getByRole('link').first().focus();
		await me.list.hover();
		await me.page.mouse.wheel(0, 4000);
		await me.list.locator(`[aria-posinset="${row}"]`).waitFor({ state: 'detached' });
		await focusIsIn(me, '#main');
	});

	scenario('a button that its own action takes away, behind a question', async (me, desk) => {
		const session = await desk.agent.session('to be stopped');
		await me.visit(`/sessions/${session.id}`);
		await me.press(me.button('session.stop'));
		await me.press(me.button('session.stop', {}, me.dialog));
		await me.button('session.stop').waitFor({ state: 'detached' });
		await focusIsIn(me, '#main');
	});

	scenario('a button that is off while it works', async (me) => {
		await beside(me, { user: null }, async (own) => {
			await own.page.goto('/login');
			const field = own.page.getByRole('textbox').first();
			await field.waitFor();
			await own.page.route('**/v1/login', () => {});
			await own.write(field, 'nobody');
			await own.write(own.page.locator('[type=password]'), 'wrong');
			await own.press(own.button('login.enter'));
			await until(() => own.button('login.enter').isDisabled(), 'off');
			await focusIsIn(own, '#main');
		});
	});

	scenario('a menu that closes with something in it', async (me, desk) => {
		await me.resize('phone');
		await me.open(yesNo('What else?'));
		const menu = me.page.locator('article .actions details');
		await menu.locator('summary').focus();
		await me.key('Enter');
		await menu.getByRole('button').last().focus();
		await menu.evaluate((box) => { box.open = false; });
		await focusIsIn(me, 'article');
	});
});
