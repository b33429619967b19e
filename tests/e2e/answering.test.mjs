// The one answer form, as a person finds it: every type of question, and what goes with it.
import assert from 'node:assert/strict';
import { until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const options = [{ id: 'staging', label: 'Staging', description: 'Safe' }, { id: 'prod', label: 'Production' }];
const radio = (me, name) => me.page.getByRole('radio', { name, exact: true });
const box = (me, name) => me.page.getByRole('textbox', { name });

area('answering', (scenario) => {
	scenario('text, with what is missing said and a counter', async (me, desk) => {
		const ask = await me.open({ question: 'What is its name?', type: 'text', min: 3, max: 20 });
		await me.text('form.flaw.text').waitFor();
		assert.equal(await me.submit.getAttribute('aria-disabled'), 'true');
		await me.write(box(me, 'What is its name?'), 'ab');
		await me.text('form.flaw.short', { n: 2, min: 3 }).waitFor();
		await me.write(box(me, 'What is its name?'), 'Ada');
		await me.text('form.counter', { n: 3, max: 20 }).waitFor();
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { text: 'Ada' });
	});

	scenario('a number within its bounds', async (me, desk) => {
		const ask = await me.open({ question: 'How many?', type: 'number', min: 1, max: 9 });
		await me.text('form.range', { min: 1, max: 9 }).waitFor();
		await me.write(box(me, 'How many?'), '12');
		await me.text('form.flaw.most', { max: 9 }).waitFor();
		await me.write(box(me, 'How many?'), '7');
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { value: 7 });
	});

	scenario('yes or no', async (me, desk) => {
		const ask = await me.open({ question: 'Deploy now?', type: 'boolean' });
		await me.check(radio(me, me.t('form.no')));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { value: false });
	});

	scenario('one of several, the suggestion marked and not chosen', async (me, desk) => {
		const ask = await me.open({ question: 'Where to?', type: 'choice', options, suggested: 'staging' });
		await me.text('form.suggested').waitFor();
		assert.equal(await me.page.getByRole('radio', { checked: true }).count(), 0);
		await me.check(radio(me, 'Production'));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { selected: ['prod'] });
	});

	scenario('a suggested text is taken over with one press', async (me, desk) => {
		const ask = await me.open({ question: 'Which branch?', type: 'text', suggested: 'release-4' });
		assert.equal(await box(me, 'Which branch?').inputValue(), '');
		await me.press(me.page.getByRole('button', { name: 'release-4' }));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { text: 'release-4' });
	});

	scenario('Other keeps its text when another is chosen', async (me, desk) => {
		const ask = await me.open({ question: 'Where else?', type: 'choice', options, other: true });
		const words = box(me, me.t('form.other.text'));
		await me.write(words, 'the moon');
		await me.check(me.page.getByRole('radio', { name: 'Staging' }));
		assert.equal(await words.inputValue(), 'the moon');
		await me.check(radio(me, me.t('form.other')));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { other: 'the moon' });
	});

	scenario('any number of several, with a note', async (me, desk) => {
		const ask = await me.open({ question: 'Which parts?', type: 'choices', options, min: 2, note: { required: true } });
		await me.text('form.several').waitFor();
		await me.check(me.page.getByRole('checkbox', { name: 'Staging' }));
		await me.text('form.flaw.few', { min: 2, n: 1 }).waitFor();
		await me.check(me.page.getByRole('checkbox', { name: 'Production' }));
		await me.text('form.flaw.note').waitFor();
		await me.write(box(me, me.t('form.note')), 'both');
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { selected: ['staging', 'prod'], text: 'both' });
	});

	scenario('at most so many of several, said before one selects', async (me, desk) => {
		const three = [...options, { id: 'lab', label: 'Lab' }];
		const ask = await me.open({ question: 'Which two?', type: 'choices', options: three, max: 2 });
		await me.text('form.several.most', { max: 2 }).waitFor();
		for (const { label } of three) await me.check(me.page.getByRole('checkbox', { name: label }));
		await me.text('form.flaw.many', { max: 2, n: 3 }).waitFor();
		await me.check(me.page.getByRole('checkbox', { name: 'Lab' }), false);
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { selected: three.slice(0, 2).map((one) => one.id) });
	});

	scenario('addresses are checked as one types', async (me, desk) => {
		const ask = await me.open({ title: 'Who and where', questions: [
			{ key: 'who', text: 'Which address?', type: 'text', format: 'email' },
			{ key: 'where', text: 'Which page?', type: 'text', format: 'uri' }] });
		await me.write(box(me, 'Which address?'), 'ada@');
		await me.text('form.flaw.email').waitFor();
		await me.write(box(me, 'Which address?'), 'ada@example.org');
		await me.press(me.button('form.next'));
		await me.write(box(me, 'Which page?'), 'example');
		await me.text('form.flaw.uri').waitFor();
		await me.write(box(me, 'Which page?'), 'https://example.org/');
		await me.press(me.button('form.next'));
		await me.send();
		assert.deepEqual((await desk.settled(ask.id)).answer,
			{ who: { text: 'ada@example.org' }, where: { text: 'https://example.org/' } });
	});

	scenario('a day and a moment', async (me, desk) => {
		const ask = await me.open({ title: 'When', questions: [
			{ key: 'day', text: 'Which day?', type: 'text', format: 'date' },
			{ key: 'moment', text: 'At what time?', type: 'text', format: 'date-time' }] });
		/* The parts of a date are the browser's own fields. */
		await me.page.getByLabel('Which day?').fill('2027-02-28');
		await me.press(me.button('form.next'));
		await me.page.getByLabel('At what time?').fill('2027-02-28T12:30:00');
		await me.press(me.button('form.next'));
		await me.send();
		assert.deepEqual((await desk.settled(ask.id)).answer.day, { text: '2027-02-28' });
	});

	scenario('a moment is written, read and sent as what it is where its reader is', async (me, desk) => {
		await beside(me, { timezoneId: 'America/Caracas' }, async (there) => {
			const ask = await there.open({ title: 'When there', questions: [
				{ key: 'moment', text: 'At what time?', type: 'text', format: 'date-time', prefill: '2027-02-28T11:00:00Z' },
				{ key: 'sure', text: 'Are you sure?', type: 'boolean', prefill: true }] });
			const box = there.page.getByLabel('At what time?');
			assert.match(await box.inputValue(), /^2027-02-28T07:00/);
			await there.text('form.zone', { zone: 'America/Caracas' }).waitFor();
			await box.fill('2027-02-28T12:30:00');
			await there.press(there.button('form.next'));
			await there.press(there.button('form.next'));
			await there.page.getByRole('tabpanel').getByText('12:30').waitFor();
			await there.send();
			assert.deepEqual((await desk.settled(ask.id)).answer.moment, { text: '2027-02-28T16:30:00Z' });
		});
	});

	scenario('what is filled in already is shown and still to be confirmed', async (me, desk) => {
		const ask = await me.open({ question: 'Still there?', type: 'choice', options, prefill: 'prod' });
		assert.ok(await radio(me, 'Production').isChecked());
		await desk.pending(ask.id);
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { selected: ['prod'] });
	});

	scenario('several questions: tabs, then a review with a way back', async (me, desk) => {
		const ask = await me.open({ title: 'A new service', questions: [
			{ key: 'where', header: 'Where', text: 'Where shall it run?', type: 'choice', options },
			{ key: 'name', header: 'Name', text: 'What is it called?', type: 'text' },
			{ key: 'more', header: 'More', text: 'Anything else?', type: 'text', required: false }] });
		await me.page.getByRole('tab', { name: '1/3: Where' }).waitFor();
		await me.check(me.page.getByRole('radio', { name: 'Staging' }));
		await me.press(me.button('form.next'));
		await me.write(box(me, 'What is it called?'), 'cor');
		await me.press(me.named('tab', 'form.review'));
		await me.page.getByText('cor', { exact: true }).waitFor();
		await me.page.getByText(me.t('form.empty')).waitFor();
		await me.press(me.page.getByRole('button', { name: `${me.t('form.change')} 2/3: Name` }));
		await me.write(box(me, 'What is it called?'), 'core');
		await me.press(me.named('tab', 'form.review'));
		await me.send();
		assert.deepEqual((await desk.settled(ask.id)).answer, { where: { selected: ['staging'] }, name: { text: 'core' } });
	});

	scenario('three short questions stand on one page; what is wrong is said beside its field; blanks around a text are not sent', async (me, desk) => {
		const ask = await me.open({ title: 'A small service', questions: [
			{ key: 'owner', header: 'Owner', text: 'Who owns it?', type: 'text', max: 60 },
			{ key: 'port', header: 'Port', text: 'Which port?', type: 'number', min: 1, max: 65535 },
			{ key: 'open', header: 'Open', text: 'Is it public?', type: 'boolean', required: false }] });
		await me.write(box(me, 'Who owns it?'), '  Ada ');
		assert.equal(await me.page.getByRole('tab').count(), 0);
		await me.key('Control+Enter');
		const port = box(me, 'Which port?');
		await port.and(me.page.locator('[aria-invalid=true]:focus')).waitFor();
		await me.page.locator('fieldset', { has: port }).getByText(me.t('form.flaw.number')).waitFor();
		await me.write(port, '8080');
		await me.send();
		assert.deepEqual((await desk.settled(ask.id)).answer, { owner: { text: 'Ada' }, port: { value: 8080 } });
	});

	scenario('Next leads to every question, also to one that needs no answer or has one', async (me, desk) => {
		const ask = await me.open({ title: 'Three things', questions: [
			{ key: 'a', header: 'First', text: 'What first?', type: 'text' },
			{ key: 'b', header: 'Second', text: 'Anything second?', type: 'text', required: false },
			{ key: 'c', header: 'Third', text: 'And third?', type: 'text', prefill: 'as before' }] });
		await me.write(box(me, 'What first?'), 'tea');
		await me.press(me.button('form.next'));
		await box(me, 'Anything second?').waitFor();
		await me.press(me.button('form.next'));
		await box(me, 'And third?').waitFor();
		await me.press(me.button('form.next'));
		/* The review repeats what was asked, not its short name alone. */
		for (const text of ['What first?', 'Anything second?', 'And third?']) await me.page.getByText(text).first().waitFor();
		await me.send();
		assert.deepEqual((await desk.settled(ask.id)).answer, { a: { text: 'tea' }, c: { text: 'as before' } });
	});

	scenario('an option shows its preview once it is chosen', async (me, desk) => {
		const ask = await me.open({ question: 'Which layout?', type: 'choice',
			options: [{ id: 'a', label: 'Narrow', preview: '|narrow|' }, { id: 'b', label: 'Wide', preview: '|  wide  |' }] });
		await me.check(radio(me, 'Narrow'));
		await me.page.getByText('|narrow|').waitFor();
		assert.equal(await me.page.getByText('|  wide  |').count(), 0);
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { selected: ['a'] });
	});

	scenario('an error offers ways on', async (me, desk) => {
		const ask = await me.open({ kind: 'error_recovery', title: 'The tests failed',
			context: { error_details: 'expected 200, got 503', attempt: 3, attempts: 5, project_name: 'web shop', job_type: 'nightly', current_step: 'checkout' } });
		await me.page.getByText('expected 200, got 503').waitFor();
		await me.text('recovery.attempt', { n: 3, m: 5 }).waitFor();
		for (const part of ['web shop', 'nightly', 'checkout']) await me.page.getByText(part).waitFor();
		for (const id of ['retry', 'edit', 'skip', 'abort']) await radio(me, me.t(`own.recovery.${id}`)).waitFor();
		await me.check(radio(me, me.t('own.recovery.retry')));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id, 'recovery'), { selected: ['retry'] });
	});

	scenario('what the agent says is marked as its words, its markdown drawn', async (me) => {
		await me.open({ question: 'Agreed?', type: 'boolean', context: { text: 'It is **ready**, see `make`.' } });
		const says = me.region('says');
		await says.locator('strong', { hasText: 'ready' }).waitFor();
		await says.locator('code', { hasText: 'make' }).waitFor();
	});

	scenario('a countdown says what happens at its end, and that happens; silence is no answer of a person', async (me, desk) => {
		await me.open({ question: 'Without a default?', type: 'text', timeout: '23m' });
		await me.page.getByRole('article').getByText(me.t('end.nothing')).waitFor();
		const ask = await me.open({ question: 'Where by default?', type: 'choice', options, timeout: '23m', default: { q1: 'staging' } });
		await me.page.getByRole('article').getByText(me.t('end.default', { answer: 'Staging' })).waitFor();
		desk.server.jump(24 * 60_000);
		assert.equal((await desk.settled(ask.id)).answered_by.kind, 'default');
		await me.region('settled').getByText(me.t('settled.default')).waitFor();
		await me.region('settled').getByText('Staging').waitFor();
	});

	scenario('skip asks once more, and Esc decides nothing', async (me, desk) => {
		const ask = await me.open({ question: 'Skip me?', type: 'boolean' });
		await me.action('form.skip');
		await me.press(me.button('cancel', {}, me.skipping));
		await me.key('Escape', 'Escape');
		await desk.pending(ask.id);
		await me.look(ask);
		await me.skip();
		assert.equal((await desk.settled(ask.id)).status, 'skipped');
	});

	scenario('asking back keeps it open, and the agent’s reply is marked as its words', async (me, desk) => {
		const ask = await me.open({ question: 'Which one?', type: 'text' });
		await me.action('thread.open');
		await me.write(box(me, me.t('thread.text')), 'Which do you mean?');
		await me.press(me.button('thread.send'));
		await me.region('thread').getByText('Which do you mean?').waitFor();
		await desk.agent.post(`/v1/asks/${ask.id}/replies`, { text: 'The blue one.' });
		await me.region('thread').getByText('The blue one.').waitFor();
		await me.region('thread').getByText(me.t('says')).waitFor();
		await desk.pending(ask.id);
	});

	scenario('text from right to left runs so and breaks nothing', async (me) => {
		const arabic = 'أي قاعدة بيانات يجب أن تستخدم الخدمة الجديدة؟ سؤال طويل جدا لا يتسع له سطران في القائمة الضيقة أبدا يا صديقي';
		const hebrew = 'שלום עולם, זו שאלה';
		const direction = (where) => where.evaluate((element) => getComputedStyle(element).direction);
		await me.open({ title: arabic, context: { text: `مقدمة **مهمة** هنا.\n\n- ${hebrew}\n\nPlain words.` },
			questions: ['a', 'b'].map((key) => ({ key, header: hebrew, text: arabic, type: 'choice', other: true, note: { placeholder: hebrew },
				options: [{ id: 'x', label: hebrew, description: arabic }, { id: 'y', label: 'Left' }] })) });
		const says = me.region('says');
		await says.getByText('Plain words.').waitFor();
		assert.equal(await direction(me.heading(arabic)), 'rtl');
		assert.equal(await direction(says.locator('p', { hasText: 'مقدمة' })), 'rtl', 'a paragraph, its bold words in place');
		assert.equal(await direction(says.getByRole('listitem')), 'rtl');
		assert.equal(await direction(says.getByText('Plain words.')), 'ltr');
		/* Ours around theirs: "1/2: " stays in front. */
		const tab = me.page.getByRole('tab').first();
		assert.equal(await direction(tab), 'ltr');
		assert.equal((await tab.innerText()).trim(), `1/2: ${hebrew}`);
		const other = box(me, me.t('form.other.text'));
		await me.write(other, hebrew);
		assert.equal(await other.evaluate((field) => getComputedStyle(field).unicodeBidi), 'plaintext');
		assert.ok(await me.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out');
		await me.visitInside('/inbox');
		assert.equal(await direction(me.row(arabic).locator('.title')), 'rtl', 'cut at its end, not at its start');
	});

	scenario('j, k, y, n, numbers, s and Ctrl+Enter', { input: 'keyboard' }, async (me, desk) => {
		const session = await desk.agent.session('keys');
		const first = await desk.agent.ask({ session: session.id, question: 'First key?', type: 'boolean' });
		const second = await desk.agent.ask({ session: session.id, question: 'Second key?', type: 'choice', options });
		await me.visit('/inbox');
		await me.row('First key?').waitFor();
		/* The first j moves to what is shown already; in the list alone Enter opens. */
		await me.key('j', 'j');
		if (!me.wide) await me.key('Enter');
		await me.heading('Second key?').waitFor();
		await me.key('2');
		await until(() => radio(me, 'Production').isChecked(), 'chosen');
		if (me.wide) await me.key('k');
		else await me.look(first);
		await me.heading('First key?').waitFor();
		await me.key('s');
		await me.key('Escape');
		await me.skipping.waitFor({ state: 'detached' });
		await desk.pending(first.id);
		await me.key('n', 'y');
		await me.send();
		assert.deepEqual(await desk.answer(first.id), { value: true });
		if (!me.wide) {
			await me.row('Second key?').waitFor();
			await me.key('Enter');
		}
		await me.heading('Second key?').waitFor();
		if (me.wide) await me.key('Enter');
		await until(() => radio(me, 'Production').isChecked(), 'its draft');
		await me.send();
		assert.deepEqual(await desk.answer(second.id), { selected: ['prod'] });
	});
});
