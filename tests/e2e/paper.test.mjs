// What is printed: an ask whole, on light paper, without what one presses.
import assert from 'node:assert/strict';
import { area } from './matrix.mjs';

const several = { title: 'Before the release', context: { text: 'One thing after the other.' }, questions: [
	{ key: 'place', header: 'Place', text: 'Where to?', type: 'choice', other: true, suggested: 'eu', options: [
		{ id: 'eu', label: 'Frankfurt', description: 'Where most of them are' }, { id: 'us', label: 'Ohio' }] },
	{ key: 'parts', header: 'Parts', text: 'Which parts?', type: 'choices', options: [{ label: 'Server' }, { label: 'Page' }] },
	{ key: 'sure', header: 'Sure', text: 'Is the night shift told?', type: 'boolean' },
	{ key: 'many', header: 'Many', text: 'How many at a time?', type: 'number', min: 1, max: 9 },
	{ key: 'words', header: 'Words', text: 'What shall the notes say?', type: 'text', required: false }] };
const lines = Array.from({ length: 120 }, (_, i) => `step ${i + 1} of the plan`);
const approval = { kind: 'approval', title: 'Carry out the plan', timeout: '2h', context: { text: 'It is ready. '.repeat(200),
	diff: ['--- a/plan', '+++ b/plan', '@@ -1,1 +1,90 @@', ...Array.from({ length: 90 }, (_, i) => `+added ${i}`), ''].join('\n') },
	operation: { name: 'plan.run', risk: 'critical', arguments: { command: 'make plan', steps: lines.join('\n') } } };
const year = String(new Date().getFullYear());

const PRESSED = 'button, input, textarea, select, nav, [role=navigation]';

/** Prints. What a printer gets to see, as told just before, and as the paper has it. */
async function printed(me) {
	/* What is on paper alone comes a moment after the card. */
	await me.page.waitForFunction(() => location.pathname.startsWith('/history') || performance.getEntriesByType('resource')
		.some(({ name, responseEnd }) => name.includes('askExtras') && responseEnd > 0));
	await me.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	await me.page.evaluate(() => addEventListener('beforeprint', () => {
		window.before = document.body.innerText;
	}, { once: true }));
	const pdf = await me.page.pdf({ format: 'A4' });
	assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
	await me.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	await me.page.getByRole('time').filter({ hasText: year }).first().waitFor();
	const paper = await me.page.evaluate((pressed) => {
		const all = (which) => [...document.querySelectorAll(which)].filter((one) => one.checkVisibility());
		const hides = (one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible';
		return { before: window.before, text: document.body.innerText, pressed: all(pressed).length,
			cut: all('article *').filter(hides).map((one) => one.className),
			scheme: getComputedStyle(document.documentElement).colorScheme,
			filled: all('.risk').filter((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)').map((one) => one.textContent),
			colours: [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor] };
	}, PRESSED);
	await me.page.emulateMedia({ media: null, colorScheme: 'light' });
	assert.equal(paper.pressed, 0, 'nothing to press');
	assert.deepEqual(paper.cut, [], 'nothing is cut off');
	assert.equal(paper.scheme, 'light');
	assert.deepEqual(paper.filled, [], 'red on red');
	assert.deepEqual(paper.colours, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'], 'from the dark, too');
	return paper;
}

const has = (text, ...parts) => parts.forEach((part) => assert.ok(text.includes(part), `“${part}” on paper`));

area('on paper', (scenario) => {
	scenario('an open ask: every question with its options, and what was typed stays on the screen', async (me) => {
		await me.open(several);
		await me.check(me.page.getByRole('radio', { name: 'Ohio' }));
		const { before, text } = await printed(me);
		for (const paper of [before, text])
			for (const q of several.questions) {
				has(paper, q.text);
				for (const option of q.options ?? []) has(paper, option.label);
			}
		has(text, 'Where most of them are', me.t('form.suggested'), me.t('form.yes'), me.t('form.no'),
			me.t('form.range', { min: 1, max: 9 }), me.t('form.optional'), year);
		assert.ok(await me.page.getByRole('radio', { name: 'Ohio' }).isChecked(), 'the form is as it was');
		assert.equal(await me.page.getByRole('list', { name: me.t('form.questions') }).count(), 0);
	});

	scenario('a settled ask: every question with its answer, who and when', async (me, desk) => {
		const ask = await desk.agent.ask(several);
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answers: { place: 'On the moon', parts: ['Server', 'Page'], sure: true, many: 3 } });
		await me.look(ask);
		await me.region('settled').waitFor();
		await me.page.evaluate(() => (window.print = () => (window.pressed = true)));
		await me.press(me.button('ask.print'));
		assert.ok(await me.page.evaluate(() => window.pressed));
		const { text } = await printed(me);
		for (const q of several.questions) has(text, q.text);
		has(text, 'On the moon', 'Server, Page', me.t('form.yes'), '3', me.t('form.empty'),
			me.t('outcome.answered'), 'Marie', year);
	});

	scenario('an ask that nobody answered: its questions all the same', async (me, desk) => {
		const ask = await me.open(several);
		await desk.marie.post(`/v1/asks/${ask.id}/skip`);
		await me.region('settled').waitFor();
		const { text } = await printed(me);
		has(text, me.t('outcome.skipped'), 'Marie', ...several.questions.map((q) => q.text), 'Frankfurt');
	});

	scenario('an approval: the operation and the changes to their last line', async (me) => {
		await me.open(approval);
		await me.region('diff').waitFor();
		await me.action('approval.edit');
		const { text } = await printed(me);
		has(text, 'make plan', lines[0], lines.at(-1), 'added 0', 'added 89', me.t('end.rejected'), year);
		assert.equal(text.split('It is ready.').length, 201, 'the agent’s words whole');
	});

	scenario('a dialog: the ask in it, and not what lies below', { settings: { opens: true } }, async (me, desk) => {
		await me.visitLive('/sessions');
		await desk.agent.ask(several);
		await me.dialog.getByRole('heading', { name: several.title }).waitFor();
		const { text } = await printed(me);
		has(text, several.title, ...several.questions.map((q) => q.text));
		assert.ok(!text.includes(me.t('nav.sessions')), 'what lies below');
	});
}, { stands: true });
