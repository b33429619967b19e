// Nobody decides by accident: what keys, focus and other people's acts may do to a decision.
import assert from 'node:assert/strict';
import { sleep, until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const TYPED_MS = 60;
const ARMED_MS = 650;
const approval = (title, risk = 'high', more = {}) => ({ kind: 'approval', title,
	operation: { name: 'shell', risk, arguments: { command: 'make deploy', depth: 2 } }, ...more });
const box = (me, id) => me.page.getByRole('textbox', { name: new RegExp(`^${me.t(id)}`) });
const focusIn = (me, selector) => me.page.evaluate((within) => document.activeElement?.closest(within) !== null, selector);
const replies = async (desk, ask) => (await desk.get(ask.id)).replies.map((reply) => reply.text);
/** An agent's session in which asks do not exclude each other. */
const several = async (desk, bodies) => {
	const session = await desk.agent.session('several');
	const asks = [];
	for (const body of bodies) asks.push(await desk.agent.ask({ session: session.id, ...body }));
	return asks;
};

area('safe hands', (scenario) => {
	scenario('Ctrl+Enter on a message to the agent sends the message and approves nothing', async (me, desk) => {
		const ask = await me.open(approval('Send it'));
		await me.armed(me.button('approval.approve'));
		await me.action('thread.open');
		await me.write(box(me, 'thread.text'), 'Which customers exactly?');
		await me.key('Control+Enter');
		await until(async () => (await replies(desk, ask)).length === 1, 'the message');
		await desk.pending(ask.id);
		/* Nor does it approve from anywhere else on the card. */
		await me.key('Control+Enter');
		await me.heading('Send it').focus();
		await me.key('Control+Enter', 'Meta+Enter');
		await me.button('approval.approve').focus();
		await me.key('Control+Enter');
		await sleep(300);
		await desk.pending(ask.id);
	});

	scenario('Ctrl+Enter on a message answers no question', async (me, desk) => {
		const ask = await me.open({ question: 'Go?', type: 'boolean' });
		await me.check(me.page.getByRole('radio', { name: me.t('form.yes') }));
		await me.armed(me.submit);
		await me.action('thread.open');
		await me.write(box(me, 'thread.text'), 'Where to?');
		await me.key('Control+Enter');
		await until(async () => (await replies(desk, ask)).length === 1, 'the message');
		await desk.pending(ask.id);
	});

	scenario('a rejection never becomes an approval', async (me, desk) => {
		const ask = await me.open(approval('Drop the table'));
		await me.armed(me.button('approval.approve'));
		await me.press(me.button('approval.reject.open'));
		await me.write(box(me, 'approval.reason'), 'no');
		await me.key('Escape', 'Control+Enter');
		await sleep(200);
		await desk.pending(ask.id);
		await me.key('r');
		await box(me, 'approval.reason').and(me.page.locator(':focus')).waitFor();
		await me.key('Control+Enter');
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'reject');
	});

	scenario('Ctrl+Enter in the search sends nothing', async (me, desk) => {
		const [ask] = await several(desk, [approval('Beside the list'), { question: 'Other?', type: 'boolean' }]);
		await me.visit('/inbox');
		if (me.wide) await me.look(ask);
		await me.row('Beside the list').waitFor();
		await sleep(ARMED_MS);
		await me.key('/');
		await me.write(me.page.getByRole('searchbox'), 'other');
		await me.key('Control+Enter');
		await me.row('Beside the list').waitFor({ state: 'detached' });
		await desk.pending(ask.id);
		await me.visit('/inbox');
	});

	scenario('a card that is withdrawn under somebody who writes stays, and what they type on decides nothing', async (me, desk) => {
		const [first, second] = await several(desk, [approval('Rotate the key'), approval('Delete the backups'), { question: 'Go on?', type: 'boolean' }]);
		await me.look(first);
		await me.armed(me.button('approval.approve'));
		await me.key('r');
		await me.page.keyboard.type('Not today, ', { delay: TYPED_MS });
		await desk.agent.post(`/v1/asks/${first.id}/cancel`);
		await me.region('settled').getByText(me.t('outcome.withdrawn')).waitFor();
		await sleep(2000);
		await me.page.keyboard.type('and ask me again tomorrow', { delay: TYPED_MS });
		await me.key('Enter', 'Space', 'Control+Enter');
		await me.heading('Rotate the key').waitFor();
		await desk.pending(second.id);
		assert.ok(me.page.url().endsWith(first.id), me.page.url());
		await me.region('draft').getByText('Not today, ').waitFor();
		/* Esc, and keys act again; on a phone it leads back to the list. */
		await me.key('Escape');
		if (me.wide) {
			await me.press(me.button('next'));
			await me.heading('Delete the backups').waitFor();
		} else await me.row('Delete the backups').waitFor();
	});

	scenario('a card that was only shown is not approved by a key until its person moves to it', { input: 'keyboard' }, async (me, desk) => {
		const [ask] = await several(desk, [approval('Shown first', 'low')]);
		await me.visit('/inbox');
		await me.row('Shown first').waitFor();
		if (me.wide) await me.armed(me.button('approval.approve'));
		await me.key('a', 'Control+Enter');
		await sleep(200);
		await desk.pending(ask.id);
		await me.key('j');
		if (!me.wide) await me.key('Enter');
		await me.armed(me.button('approval.approve'));
		await me.key('a');
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'approve');
	});

	scenario('after a decision the next card waits for its person', { input: 'keyboard' }, async (me, desk) => {
		const [first, second] = await several(desk, [approval('One', 'low'), approval('Two', 'low')]);
		await me.look(first);
		await me.armed(me.button('approval.approve'));
		await me.key('a');
		await desk.settled(first.id);
		if (me.wide) await me.heading('Two').waitFor();
		await sleep(ARMED_MS);
		await me.key('a', 'a');
		await sleep(200);
		await desk.pending(second.id);
		await me.key(me.wide ? 'j' : 'Enter');
		await me.heading('Two').waitFor();
		await me.armed(me.button('approval.approve'));
		await me.key('a');
		assert.equal((await desk.answer(second.id, 'decision')).value, 'approve');
	});

	scenario('a second click on the spot where Approve was decides nothing on the next card', { input: 'mouse' }, async (me, desk) => {
		const [first, second] = await several(desk, [approval('One', 'low'), approval('Two', 'low')]);
		await me.look(first);
		await me.armed(me.button('approval.approve'));
		const { x, y, width, height } = await me.button('approval.approve').boundingBox();
		const press = () => me.page.mouse.click(x + width / 2, y + height / 2);
		await press();
		await desk.settled(first.id);
		if (!me.wide) return;
		await me.heading('Two').waitFor();
		for (let i = 0; i < 2; i++) {
			await sleep(ARMED_MS);
			await press();
		}
		await desk.pending(second.id);
		await me.page.mouse.move(1, 1);
		await me.armed(me.button('approval.approve'));
		await press();
		assert.equal((await desk.answer(second.id, 'decision')).value, 'approve');
	});

	scenario('a dialog that opened by itself takes no typing for keys; moved into, typing goes into its field', { settings: { opens: true } }, async (me, desk) => {
		await me.visitLive('/activity');
		const ask = await desk.agent.ask({ question: 'Which database?', type: 'text' });
		await me.dialog.getByRole('heading', { name: 'Which database?' }).waitFor();
		await me.page.keyboard.type('cassandra yes and no', { delay: 20 });
		assert.equal(await me.skipping.count(), 0);
		await me.key('Enter');
		await me.page.keyboard.type('cassandra');
		assert.equal(await me.dialog.getByRole('textbox').inputValue(), 'cassandra');
		await sleep(ARMED_MS);
		await me.key('Control+Enter');
		assert.deepEqual(await desk.answer(ask.id), { text: 'cassandra' });
	});

	scenario('a question that its person opened has the focus in its first field, and each next one too', async (me, desk) => {
		const [ask] = await several(desk, [{ title: 'Three things', questions: [
			{ key: 'a', text: 'First?', type: 'text' },
			{ key: 'b', text: 'Second, not needed?', type: 'text', required: false },
			{ key: 'c', text: 'Third, filled in?', type: 'choice', options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }], prefill: 'x' }] }]);
		await me.visit('/inbox');
		await me.press(me.row('Three things').getByRole('link'));
		await me.page.getByRole('textbox', { name: 'First?' }).and(me.page.locator(':focus')).waitFor();
		await me.page.keyboard.type('one');
		await me.key('Control+Enter');
		/* Nothing is passed over unseen. */
		await me.page.getByRole('textbox', { name: 'Second, not needed?' }).and(me.page.locator(':focus')).waitFor();
		await me.key('Control+Enter');
		await me.page.getByRole('radio', { name: 'X' }).and(me.page.locator(':focus')).waitFor();
		await me.key('Control+Enter');
		await me.page.getByRole('article').getByText('Second, not needed?').waitFor();
		assert.ok(await focusIn(me, '[role=tabpanel]'));
		await me.armed(me.submit);
		await me.key('Control+Enter');
		assert.deepEqual((await desk.settled(ask.id)).answer, { a: { text: 'one' }, c: { selected: ['x'] } });
	});

	scenario('a number and Enter answer a single choice', { input: 'keyboard' }, async (me, desk) => {
		const ask = await me.open({ question: 'Which?', type: 'choice', options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }] });
		await me.key('2');
		await me.armed(me.submit);
		await me.key('Enter');
		assert.deepEqual(await desk.answer(ask.id), { selected: ['y'] });
	});

	scenario('S asks, Enter skips; Esc and typing on take it back', { input: 'keyboard' }, async (me, desk) => {
		const ask = await me.open({ question: 'Skip it?', type: 'boolean' });
		for (const other of ['Escape', 'o', 'Space']) {
			await me.key('s');
			await me.skipping.waitFor();
			await sleep(ARMED_MS);
			await me.key(other);
			await me.skipping.waitFor({ state: 'detached' });
			assert.ok(await focusIn(me, 'article'));
		}
		await desk.pending(ask.id);
		await me.key('s');
		await me.key('Enter');
		await sleep(ARMED_MS);
		await desk.pending(ask.id);
		await me.key('Enter');
		assert.equal((await desk.settled(ask.id)).status, 'skipped');
	});

	scenario('the answer is a few Tabs away whatever the length of the list; Esc leads back to the row', { input: 'keyboard' }, async (me, desk) => {
		const names = ['red', 'blue', 'green', 'tall', 'small', 'old', 'new', 'round', 'flat', 'warm'];
		await several(desk, names.flatMap((a) => names.slice(0, 4).map((b) => ({ question: `${a} ${b}?`, type: 'boolean' }))));
		await me.visit('/inbox');
		await me.row('red red?').waitFor();
		await me.key('j', 'Enter');
		await me.page.getByRole('radio').first().and(me.page.locator(':focus')).waitFor();
		await me.key('Escape');
		assert.ok(await focusIn(me, '[data-row]'));
		await me.key('End');
		await until(() => me.page.evaluate(() => document.activeElement?.closest('li')?.getAttribute('aria-posinset') === '40'), 'the last row');
		for (let i = 0; i < 12 && !await focusIn(me, me.wide ? 'article form' : 'nav'); i++) await me.key('Tab');
		assert.ok(await focusIn(me, me.wide ? 'article form' : 'nav'), 'within twelve Tabs');
	});

	scenario('what a filter hides is not in a batch', async (me, desk) => {
		const asks = await several(desk, ['Red', 'Green', 'Blue'].map((title) => approval(title, 'low')));
		await me.visit('/inbox');
		await me.row('Blue').waitFor();
		for (const title of ['Red', 'Green', 'Blue']) await me.check(me.page.getByRole('checkbox', { name: me.t('inbox.select', { title }) }));
		await me.page.getByText(me.tn('batch.chosen', 3)).first().waitFor();
		await me.key('Escape');
		for (const title of ['Red', 'Green', 'Blue']) await me.check(me.page.getByRole('checkbox', { name: me.t('inbox.select', { title }) }));
		if (!me.wide) await me.press(me.button('bar.search'));
		await me.write(me.page.getByRole('searchbox'), 'blue');
		await me.page.getByText(me.tn('batch.chosen', 1)).first().waitFor();
		if (!me.wide) await me.press(me.button('batch.review'));
		const approve = me.region('batch').getByRole('button', { name: me.tn('batch.approve', 1), exact: true });
		await me.armed(approve);
		await desk.pending(asks[2].id);
		await me.press(approve);
		await me.toasts.getByText(me.tn('batch.approved', 1)).waitFor();
		assert.equal((await desk.answer(asks[2].id, 'decision')).value, 'approve');
		for (const { id } of asks.slice(0, 2)) await desk.pending(id);
		assert.equal(await me.toasts.getByText(me.t('problem.unreachable')).count(), 0);
		await me.visit('/inbox');
	});

	scenario('integers are shown and sent digit for digit', async (me, desk) => {
		const reply = await fetch(`${desk.server.url}/v1/asks`, { method: 'POST',
			headers: { authorization: `Bearer ${await desk.server.token('agent', 'deployer')}`, 'content-type': 'application/json' },
			body: '{"kind":"approval","title":"Change the record","operation":{"name":"db","risk":"low","arguments":{"record":1234567890123456789,"depth":1}}}' });
		const { id } = await reply.json();
		await me.page.goto(`/asks/${id}`);
		await me.region('operation').getByText('1234567890123456789').waitFor();
		await me.action('approval.edit');
		await me.write(me.page.getByRole('textbox', { name: 'depth' }), '2');
		await me.armed(me.button('approval.changed'));
		await me.press(me.button('approval.changed'));
		await desk.settled(id);
		const text = await (await fetch(`${desk.server.url}/v1/asks/${id}`, { headers: { authorization: `Bearer ${await desk.server.token('member', 'Marie')}` } })).text();
		assert.match(text, /"arguments":\{"record":1234567890123456789,"depth":2\}\}/);
	});

	scenario('a queued answer belongs to its person: nobody else sends it', async (me, desk) => {
		const name = `Paul ${me.lang} ${me.view}`;
		const server = desk.server;
		await desk.client('member', name);
		const ask = await desk.agent.ask({ question: 'Whose answer?', type: 'text' });
		await beside(me, { user: 'Marie' }, async (marie) => {
			await marie.look(ask);
			await marie.write(marie.page.getByRole('textbox', { name: 'Whose answer?' }), 'Marie says so');
			await marie.armed(marie.submit);
			await marie.page.route('**/v1/asks/*/answer', (route) => route.abort());
			await marie.send();
			await marie.page.getByText(marie.tn('outbox', 1)).first().waitFor();
			await marie.context.clearCookies();
			await marie.context.addCookies([await server.cookie(name)]);
			await marie.page.unroute('**/v1/asks/*/answer');
			await marie.page.goto(`/asks/${ask.id}`);
			await marie.live();
			const field = marie.page.getByRole('textbox', { name: 'Whose answer?' });
			await field.waitFor();
			assert.equal(await field.inputValue(), '', 'nor is the draft seen');
			await sleep(500);
			await desk.pending(ask.id);
			await marie.context.clearCookies();
			await marie.context.addCookies([await server.cookie('Marie')]);
			/* It is told for seconds only, and may be before the page has loaded whole. */
			const told = marie.toasts.getByText(marie.tn('outbox.sent', 1)).waitFor();
			await marie.page.goto('/inbox');
			await told;
			assert.equal((await desk.settled(ask.id)).answered_by.name, 'Marie');
		});
	});

	scenario('logging out without a server says that one is still logged in', async (me) => {
		await beside(me, { user: 'Marie' }, async (marie) => {
			await marie.visit('/settings/you');
			await marie.page.route('**/v1/logout', (route) => route.abort());
			await marie.press(marie.button('you.leave'));
			await marie.text('you.leave.failed').waitFor();
			await marie.heading(marie.t(marie.wide ? 'nav.settings' : 'settings.you')).waitFor();
		});
	});

	scenario('a role changes and a person is disabled only when that is confirmed', async (me, desk) => {
		const name = `Zoe ${me.lang} ${me.view}`;
		await desk.client('member', name);
		const role = async () => (await desk.admin.get('/v1/users')).body.items.find((user) => user.name === name);
		await me.visit('/settings/users');
		const field = me.page.getByRole('combobox', { name: me.t('users.roleof', { name }) });
		await me.pick(field, me.t('role.admin'));
		await me.dialog.getByRole('heading', { name: me.t('users.role.sure', { name, role: me.t('role.admin') }) }).waitFor();
		await me.key('Escape');
		await me.dialog.waitFor({ state: 'detached' });
		assert.equal((await role()).role, 'member');
		await me.press(me.page.getByRole('button', { name: me.t('users.disable.name', { name }) }));
		assert.equal((await role()).disabled, false);
		await me.press(me.button('users.disable', {}, me.dialog));
		await until(async () => (await role()).disabled, 'disabled');
	});

	scenario('the countdown goes by the clock of the server', async (me, desk) => {
		const ask = await desk.agent.ask({ question: 'How long?', type: 'boolean', timeout: '20m' });
		await beside(me, {}, async (own) => {
			await own.page.addInitScript(() => {
				const [real, ahead] = [Date.now, 19 * 60_000];
				Date.now = () => real() + ahead;
			});
			await own.look(ask);
			await until(async () => /\b(19|20)\b/.test(await own.page.locator('article header .time').innerText()), 'about 20 minutes');
		});
	});
});
