// Approvals: what would run stands there in full, and a person decides on exactly that.
import assert from 'node:assert/strict';
import { sleep } from './lib.mjs';
import { area, beside } from './matrix.mjs';

/* A second press counts when it comes this long after the first. */
const ARMED_MS = 650;
const approval = (risk, more = {}) => ({ kind: 'approval', title: `Run it (${risk})`,
	operation: { type: 'tool', name: 'shell', risk, arguments: { command: 'make deploy', depth: 2 } }, ...more });
const approve = (me) => me.page.getByRole('button', {
	name: new RegExp(`^(${['approve', 'again', 'changed'].map((id) => me.t(`approval.${id}`)).join('|')})( A)?$`) });
const reason = (me) => me.page.getByRole('textbox', { name: me.t('approval.reason') });
const decision = async (desk, ask) => (await desk.answer(ask.id, 'decision')).value;

area('approvals', (scenario) => {
	scenario('the operation is drawn in full, raw too, and approved', async (me, desk) => {
		const ask = await me.open(approval('high'));
		const operation = me.region('operation');
		await operation.getByText('make deploy').waitFor();
		await operation.getByText('depth').waitFor();
		/* Keys are said as such; a button's name is its words alone. */
		const keys = { A: 'approval.approve', R: 'approval.reject.open', E: 'approval.edit', S: 'form.skip', M: 'thread.open' };
		const shortcuts = Object.fromEntries(await me.page.locator('article [aria-keyshortcuts]').evaluateAll((all) => all
			.map((one) => [one.getAttribute('aria-keyshortcuts'), one.ariaLabel ?? [...one.childNodes]
				.filter((node) => node.ariaHidden !== 'true').map((node) => node.textContent).join('').trim()])));
		for (const [key, id] of Object.entries(keys)) assert.equal(shortcuts[key], me.t(id), key);
		await me.press(me.button('operation.raw'));
		await operation.getByText('"depth": 2').waitFor();
		await me.page.getByRole('article').getByText(me.t('risk.high')).waitFor();
		await me.armed(approve(me));
		await me.press(approve(me));
		const done = await desk.settled(ask.id);
		assert.equal(done.answer.decision.value, 'approve');
		assert.equal(done.answered_by.kind, 'human');
		assert.equal(done.answered_by.via, 'web');
	});

	scenario('rejected with a reason', async (me, desk) => {
		const ask = await me.open(approval('medium'));
		await me.pressOr(me.button('approval.reject.open'), 'r');
		await reason(me).waitFor();
		await me.write(reason(me), 'Not on a Friday');
		await me.send(me.button('approval.reject'));
		assert.deepEqual(await desk.answer(ask.id, 'decision'), { value: 'reject', text: 'Not on a Friday' });
	});

	scenario('approved with other arguments, the change highlighted', async (me, desk) => {
		const ask = await me.open(approval('medium'));
		if (me.byKeys) await me.key('e');
		else await me.action('approval.edit');
		const box = me.page.getByRole('textbox', { name: 'depth' });
		await box.waitFor();
		await me.write(box, '{');
		await me.text('operation.broken').waitFor();
		assert.equal(await approve(me).getAttribute('aria-disabled'), 'true');
		await me.press(me.button('operation.reset'));
		assert.equal(await box.inputValue(), '2');
		assert.equal(await me.button('operation.reset').count(), 0, 'as it was asked for');
		await me.write(box, '3');
		await me.action('approval.edit.done');
		await me.region('operation').locator('ins', { hasText: '3' }).waitFor();
		await me.region('operation').locator('del', { hasText: '2' }).waitFor();
		await me.armed(approve(me));
		await me.press(me.button('approval.changed'));
		const done = await desk.settled(ask.id);
		assert.deepEqual(done.answer.decision.arguments, { command: 'make deploy', depth: 3 });
		assert.match(done.approved_digest, /^sha256:/);
		assert.notEqual(done.approved_digest, done.digest);
	});

	scenario('critical: read to its end, then pressed twice', async (me, desk) => {
		const ask = await me.open(approval('critical', { operation: { name: 'shell', risk: 'critical',
			arguments: { command: Array.from({ length: 80 }, (_, i) => `line ${i}`).join('\n'), database: 'shop_prod' } } }));
		const operation = me.region('operation');
		await me.text('approval.folded').waitFor();
		assert.equal(await approve(me).getAttribute('aria-disabled'), 'true');
		assert.ok((await operation.innerText()).indexOf('shop_prod') < (await operation.innerText()).indexOf('line 0'), 'what is short stands first');
		await operation.getByText(me.tn('operation.lines', 80)).waitFor();
		await me.press(operation.getByRole('button', { name: `${me.t('operation.all')}: command` }));
		await me.text('approval.unread').waitFor();
		assert.equal(await approve(me).getAttribute('aria-disabled'), 'true');
		assert.equal(await operation.locator('.frame').evaluate((box) => box.scrollHeight <= box.clientHeight + 1), true, 'nothing scrolls inside');
		await me.readToEnd(operation);
		await me.armed(approve(me));
		/* A double click, or a key held down, is one press. */
		if (me.byKeys) {
			for (let i = 0; i < 3; i++) await me.page.keyboard.down('a');
			await me.page.keyboard.up('a');
		} else await approve(me).dblclick();
		await me.button('approval.again').waitFor();
		await desk.pending(ask.id);
		await sleep(ARMED_MS);
		await me.pressOr(approve(me), 'a');
		assert.equal(await decision(desk, ask), 'approve');
	});

	scenario('changes unified and side by side', async (me, desk) => {
		const ask = await me.open(approval('low', { context: { diff: '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n' } }));
		const diff = me.region('diff');
		const together = diff.getByRole('row').filter({ hasText: 'old' }).filter({ hasText: 'new' });
		await diff.getByText('old').waitFor();
		/* The agent's own words, under the name of their file. */
		await diff.getByText(me.t('diff.said')).waitFor();
		await diff.getByRole('heading', { name: 'x', exact: true }).waitFor();
		await diff.getByRole('row', { name: me.t('diff.del') }).getByText('old').waitFor();
		await diff.getByRole('row', { name: me.t('diff.add') }).getByText('new').waitFor();
		assert.deepEqual([await diff.getByRole('row').count(), await together.count()], [4, 0]);
		await me.choose(diff, me.t('diff.split'));
		await together.waitFor();
		assert.equal(await diff.getByRole('row').count(), 3);
		await me.page.reload();
		await together.waitFor();
		await me.choose(diff, me.t('diff.unified'));
		await together.waitFor({ state: 'detached' });
		assert.deepEqual([await diff.getByRole('row').count(), await together.count()], [4, 0]);
		await desk.admin.post(`/v1/asks/${ask.id}/skip`);
		await me.region('settled').getByText('root').waitFor();
	});

	scenario('what led here, and the agent’s words cannot hide what would run', async (me, desk) => {
		const session = await desk.agent.session('led');
		for (const text of ['Built the image', 'Ran the tests'])
			await desk.agent.post(`/v1/sessions/${session.id}/progress`, { text });
		await me.open(approval('high', { session: session.id, context: { text: 'Trust me. '.repeat(400) } }));
		await me.region('led').getByText('Built the image').waitFor();
		const command = me.region('operation').getByText('make deploy');
		const { y, height } = await command.boundingBox();
		assert.ok(y > 0 && y + height < me.page.viewportSize().height, `on the first screen, at ${y}`);
		await me.press(me.button('more', {}, me.region('says')));
		await me.button('less', {}, me.region('says')).waitFor();
		await me.open({ session: session.id, question: 'Go on?', type: 'boolean' });
		await me.region('led').getByText('Ran the tests').waitFor();
	});

	scenario('a decision is armed only after a moment', async (me, desk) => {
		const ask = await desk.agent.ask(approval('high'));
		await beside(me, {}, async (own) => {
			/* Pressed in the very moment the button comes. */
			await own.page.addInitScript((byKeys) => {
				new MutationObserver((_, watch) => {
					const button = document.querySelector('article .button.good');
					if (!button) return;
					watch.disconnect();
					window.pressedAtOnce = button.getAttribute('aria-disabled');
					if (byKeys) dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
					else button.click();
				}).observe(document, { subtree: true, childList: true });
			}, own.byKeys);
			await own.look(ask);
			await own.armed(approve(own));
			assert.equal(await own.page.evaluate(() => window.pressedAtOnce), 'true');
			await desk.pending(ask.id);
			await own.press(approve(own));
			assert.equal(await decision(desk, ask), 'approve');
		});
	});

	scenario('Esc and Back put the reason aside; typing decides nothing', async (me, desk) => {
		const ask = await me.open(approval('high'));
		await me.press(me.button('approval.reject.open'));
		await me.write(reason(me), 'a y s r');
		await me.pressOr(me.button('back', {}, me.page.getByRole('form', { name: me.t('form') })), 'Escape');
		await reason(me).waitFor({ state: 'detached' });
		await desk.pending(ask.id);
		await me.press(me.button('approval.reject.open'));
		assert.equal(await reason(me).inputValue(), 'a y s r', 'it is kept');
		await me.send(me.button('approval.reject'));
		assert.equal(await decision(desk, ask), 'reject');
	});

	scenario('nobody in time: it counts as rejected', async (me, desk) => {
		const ask = await me.open(approval('high', { timeout: '10m' }));
		await me.page.getByRole('article').getByText(me.t('end.rejected')).waitFor();
		desk.server.jump(11 * 60_000);
		assert.equal((await desk.settled(ask.id)).status, 'expired');
		await me.region('settled').getByText(me.t('settled.expired.approval')).waitFor();
		await approve(me).waitFor({ state: 'detached' });
	});
});
