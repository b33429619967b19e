// What somebody has typed is never thrown away.
import assert from 'node:assert/strict';
import { until } from './lib.mjs';
import { area } from './matrix.mjs';

const box = (me, name) => me.page.getByRole('textbox', { name, exact: true });
const holds = (field, text, why) => until(async () => await field.inputValue() === text, why);
const expire = (desk, ask) => {
	desk.server.jump(11 * 60_000);
	return desk.settled(ask.id);
};

area('drafts', (scenario) => {
	scenario('survive a reload', async (me, desk) => {
		const ask = await me.open({ question: 'A long story?', type: 'text' });
		await me.write(box(me, 'A long story?'), 'once upon a time');
		await me.text('form.saved').waitFor();
		await me.page.reload();
		await holds(box(me, 'A long story?'), 'once upon a time', 'the draft');
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { text: 'once upon a time' });
	});

	scenario('survive the loss of the connection, and so does the focus', async (me, desk) => {
		const ask = await me.open({ question: 'In the middle of it?', type: 'text' });
		const field = box(me, 'In the middle of it?');
		await me.write(field, 'before, ');
		await desk.server.stop();
		await me.text('line.lost').waitFor();
		await me.page.keyboard.type('during ');
		await desk.server.start();
		await me.live();
		await me.page.keyboard.type('and after');
		await holds(field.and(me.page.locator(':focus')), 'before, during and after', 'what was typed, in its place');
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { text: 'before, during and after' });
	});

	scenario('of an ask that expires meanwhile go on as a follow-up, and settle nothing', async (me, desk) => {
		const ask = await me.open({ question: 'How many?', type: 'text', timeout: '10m' });
		/* Who writes claims the ask; the reply to that, which still says pending, comes too late. */
		const claims = [];
		await me.page.route('**/claim', async (route) => claims.push([route, await route.fetch()]));
		await me.write(box(me, 'How many?'), 'Seven, I th');
		await until(() => claims.length, 'the claim');
		await expire(desk, ask);
		await me.region('settled').getByText(me.t('settled.expired')).waitFor();
		for (const [route, response] of claims) await route.fulfill({ response });
		await me.page.unroute('**/claim');
		const late = box(me, me.t('late.text'));
		await me.text('late.draft').waitFor();
		await me.page.keyboard.type('ink');
		await holds(late, 'Seven, I think', 'the typing goes on there');
		await me.page.reload();
		await holds(late, 'Seven, I think', 'a reload keeps it');
		await me.press(me.button('thread.send'));
		await me.region('thread').getByText('Seven, I think').waitFor();
		const { status, answer, replies } = await desk.get(ask.id);
		assert.deepEqual([status, answer, replies.map((reply) => reply.text)], ['expired', null, ['Seven, I think']]);
		await me.page.reload();
		await me.button('late.open').waitFor();
		assert.equal(await late.count(), 0, 'sent is sent');
		await me.press(me.button('late.open'));
		await holds(late, '', 'another one');
	});

	scenario('of several questions, with nobody at the keys, are there without taking the focus', async (me, desk) => {
		const ask = await me.open({ title: 'Where and what', timeout: '10m', questions: [
			{ key: 'a', header: 'Place', text: 'Where?', type: 'choice', options: [{ id: 'x', label: 'Here' }, { id: 'y', label: 'There' }] },
			{ key: 'b', header: 'Name', text: 'Which name?', type: 'text' }] });
		await me.check(me.page.getByRole('radio', { name: 'There' }));
		await me.press(me.page.getByRole('tab', { name: '2/2: Name' }));
		await me.write(box(me, 'Which name?'), 'Ada');
		await me.heading('Where and what').focus();
		await expire(desk, ask);
		const late = box(me, me.t('late.text'));
		const filled = [['Place', 'There'], ['Name', 'Ada']].map(([words, text]) => me.t('colon', { words, text })).join('\n');
		await holds(late, filled, 'what was filled in');
		assert.equal(await late.evaluate((field) => document.activeElement === field), false);
	});

	scenario('of an ask that another answered are shown beside the answer, and put away', async (me, desk) => {
		const ask = await me.open({ question: 'Colour?', type: 'text' });
		await me.write(box(me, 'Colour?'), 'Green');
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: 'Blue' });
		const outcome = me.region('settled');
		await outcome.getByText(/^Marie/).waitFor();
		await outcome.getByText('Blue').waitFor();
		await me.submit.waitFor({ state: 'detached' });
		const typed = me.region('draft');
		await typed.getByText('Green').waitFor();
		await me.press(me.button('outbox.dismiss', {}, typed));
		await me.page.reload();
		await outcome.waitFor();
		assert.equal(await typed.count(), 0);
	});

	scenario('of a reason, other arguments and a question back are kept apart', async (me, desk) => {
		const ask = await me.open({ kind: 'approval', title: 'Run it', operation: { type: 'tool', name: 'sh', arguments: { cmd: 'make' } } });
		const back = box(me, me.t('thread.text'));
		const reason = me.page.getByRole('textbox', { name: me.t('approval.reason') });
		await me.action('thread.open');
		await me.write(back, 'On which host?');
		await me.action('approval.edit');
		await me.write(box(me, 'cmd'), 'make -n');
		await me.press(me.button('approval.reject.open'));
		await me.write(reason, 'Not on a Friday');
		await me.page.reload();
		await holds(reason, 'Not on a Friday', 'the reason');
		await me.region('operation').getByText('make -n').waitFor();
		await me.action('thread.open');
		await holds(back, 'On which host?', 'the question');
		await desk.pending(ask.id);
	});
});
