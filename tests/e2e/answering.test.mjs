// The one answer form, as a person finds it: every question type, both languages, both sizes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { enter, launch, Server, until } from './lib.mjs';

let server, browser, agent, owner;
before(async () => {
	server = await Server.start();
	agent = server.client(server.token('agent', 'deployer'));
	owner = server.client(server.token('admin', 'root'));
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await server?.stop();
});

const options = [{ id: 'staging', label: 'Staging', description: 'Safe' }, { id: 'prod', label: 'Production' }];
const settled = (id) => until(async () => {
	const { body } = await owner.get(`/v1/asks/${id}`);
	return body.status !== 'pending' && body;
}, 'settled');
const answerOf = async (id, key = 'q1') => (await settled(id)).answer[key];

for (const view of ['desktop', 'phone']) for (const lang of ['en', 'fr']) describe(`${view}, ${lang}`, () => {
	let page, context, t, errors;
	before(async () => ({ page, context, t, errors } = await enter(browser, server, { view, lang })));
	after(async () => {
		await context.close();
		assert.deepEqual(errors, []);
	});
	const open = async (body) => {
		const ask = await agent.ask(body);
		await page.goto(`/asks/${ask.id}`);
		await page.getByRole('heading', { level: 1, name: body.title ?? body.question ?? body.questions?.[0].text }).first().waitFor();
		return ask;
	};
	const submit = () => page.getByRole('button', { name: t('form.submit'), exact: false }).and(page.locator('[type=submit]'));
	const send = async () => {
		await until(async () => await submit().getAttribute('aria-disabled') !== 'true', 'a form that can be sent');
		await submit().click();
	};

	test('text, with what is missing said and a counter', async () => {
		const ask = await open({ question: 'What is its name?', type: 'text', min: 3, max: 20 });
		await page.getByText(t('form.flaw.text')).waitFor();
		assert.equal(await submit().getAttribute('aria-disabled'), 'true');
		await page.getByRole('textbox', { name: 'What is its name?' }).fill('ab');
		await page.getByText(t('form.flaw.short', { n: 2, min: 3 })).waitFor();
		await page.getByRole('textbox', { name: 'What is its name?' }).fill('Ada');
		await page.getByText(t('form.counter', { n: 3, max: 20 })).waitFor();
		await send();
		assert.deepEqual(await answerOf(ask.id), { text: 'Ada' });
	});

	test('a number within its bounds', async () => {
		const ask = await open({ question: 'How many?', type: 'number', min: 1, max: 9 });
		const box = page.getByRole('textbox', { name: 'How many?' });
		await box.fill('12');
		await page.getByText(t('form.flaw.most', { max: 9 })).waitFor();
		await box.fill('7');
		await send();
		assert.deepEqual(await answerOf(ask.id), { value: 7 });
	});

	test('yes or no', async () => {
		const ask = await open({ question: 'Deploy now?', type: 'boolean' });
		await page.getByRole('radio', { name: t('form.no') }).check();
		await send();
		assert.deepEqual(await answerOf(ask.id), { value: false });
	});

	test('one of several, the suggestion marked and not chosen', async () => {
		const ask = await open({ question: 'Where to?', type: 'choice', options, suggested: 'staging' });
		await page.getByText(t('form.suggested')).waitFor();
		assert.equal(await page.getByRole('radio', { checked: true }).count(), 0);
		await page.getByRole('radio', { name: 'Production' }).check();
		await send();
		assert.deepEqual(await answerOf(ask.id), { selected: ['prod'] });
	});

	test('Other keeps its text when another is chosen', async () => {
		const ask = await open({ question: 'Where else?', type: 'choice', options, other: true });
		const words = page.getByRole('textbox', { name: t('form.other.text') });
		await words.fill('the moon');
		await page.getByRole('radio', { name: 'Staging' }).check();
		assert.equal(await words.inputValue(), 'the moon');
		await page.getByRole('radio', { name: t('form.other'), exact: true }).check();
		await send();
		assert.deepEqual(await answerOf(ask.id), { other: 'the moon' });
	});

	test('any number of several, with a note', async () => {
		const ask = await open({ question: 'Which parts?', type: 'choices', options, min: 2, note: { required: true } });
		await page.getByRole('checkbox', { name: 'Staging' }).check();
		await page.getByText(t('form.flaw.few', { min: 2, n: 1 })).waitFor();
		await page.getByRole('checkbox', { name: 'Production' }).check();
		await page.getByText(t('form.flaw.note')).waitFor();
		await page.getByRole('textbox', { name: t('form.note') }).fill('both');
		await send();
		assert.deepEqual(await answerOf(ask.id), { selected: ['staging', 'prod'], text: 'both' });
	});

	test('what is filled in already is shown and still to be confirmed', async () => {
		const ask = await open({ question: 'Still there?', type: 'choice', options, prefill: 'prod' });
		assert.ok(await page.getByRole('radio', { name: 'Production' }).isChecked());
		assert.equal((await owner.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
		await send();
		assert.deepEqual(await answerOf(ask.id), { selected: ['prod'] });
	});

	test('several questions: tabs, then a review', async () => {
		const ask = await open({ title: 'A new service', questions: [
			{ key: 'where', header: 'Where', text: 'Where shall it run?', type: 'choice', options },
			{ key: 'name', header: 'Name', text: 'What is it called?', type: 'text' },
			{ key: 'more', header: 'More', text: 'Anything else?', type: 'text', required: false }] });
		await page.getByRole('tab', { name: '1/3: Where' }).waitFor();
		await page.getByRole('radio', { name: 'Staging' }).check();
		const next = page.getByRole('button', { name: t('form.next') });
		await next.click();
		await page.getByRole('textbox', { name: 'What is it called?' }).fill('core');
		await page.getByRole('tab', { name: t('form.review') }).click();
		await page.getByText('Staging').first().waitFor();
		await page.getByText('core', { exact: true }).waitFor();
		await send();
		assert.deepEqual((await settled(ask.id)).answer, { where: { selected: ['staging'] }, name: { text: 'core' } });
	});

	test('an error offers ways on', async () => {
		const ask = await open({ kind: 'error_recovery', title: 'The tests failed',
			context: { error_details: 'expected 200, got 503', attempt: 3, attempts: 5 } });
		await page.getByText('expected 200, got 503').waitFor();
		await page.getByText(t('recovery.attempt', { n: 3, m: 5 })).waitFor();
		await page.getByRole('radio', { name: 'Retry', exact: true }).check();
		await send();
		assert.deepEqual((await settled(ask.id)).answer.recovery, { selected: ['retry'] });
	});

	test('skip asks once more, and Esc decides nothing', async () => {
		const ask = await open({ question: 'Skip me?', type: 'boolean' });
		await page.keyboard.press('Escape');
		await page.goto(`/asks/${ask.id}`);
		await page.getByRole('button', { name: t('form.skip'), exact: false }).click();
		await page.getByRole('button', { name: t('form.skip.sure') }).click();
		assert.equal((await settled(ask.id)).status, 'skipped');
	});

	test('a draft survives a reload', async () => {
		const ask = await open({ question: 'A long story?', type: 'text' });
		const box = page.getByRole('textbox', { name: 'A long story?' });
		await box.fill('once upon a time');
		await page.getByText(t('form.saved')).waitFor();
		await page.reload();
		assert.equal(await box.inputValue(), 'once upon a time');
		await send();
		assert.deepEqual(await answerOf(ask.id), { text: 'once upon a time' });
	});

	test('asking back keeps it open, and the agent’s reply is marked as its words', async () => {
		const ask = await open({ question: 'Which one?', type: 'text' });
		await page.getByRole('button', { name: t('thread.open') }).click();
		await page.getByRole('textbox', { name: t('thread.text') }).fill('Which do you mean?');
		await page.getByRole('button', { name: t('thread.send') }).click();
		await page.getByText('Which do you mean?').waitFor();
		await agent.post(`/v1/asks/${ask.id}/replies`, { text: 'The blue one.' });
		await page.getByText('The blue one.').waitFor();
		await page.getByRole('region', { name: t('thread') }).getByText(t('says')).waitFor();
		assert.equal((await owner.get(`/v1/asks/${ask.id}`)).body.status, 'pending');
		await owner.post(`/v1/asks/${ask.id}/skip`);
	});

	test('an expired ask says so, keeps what was typed and offers a follow-up', async () => {
		const ask = await open({ question: 'In time?', type: 'text', timeout: 1 });
		await settled(ask.id);
		await page.getByText(t('settled.expired')).first().waitFor();
		await page.getByRole('button', { name: t('late.open') }).click();
		await page.getByRole('textbox', { name: t('late.text') }).waitFor();
	});
});

describe('by keyboard alone', () => {
	let page, context, t;
	before(async () => ({ page, context, t } = await enter(browser, server)));
	after(() => context.close());

	test('j, k, y, numbers and Ctrl+Enter', async () => {
		const session = await agent.session('keys');
		const first = await agent.ask({ session: session.id, question: 'First?', type: 'boolean' });
		const second = await agent.ask({ session: session.id, question: 'Second?', type: 'choice', options });
		await page.goto('/inbox');
		await page.getByRole('heading', { level: 1, name: 'First?' }).waitFor();
		await page.keyboard.press('j');
		await page.getByRole('heading', { level: 1, name: 'Second?' }).waitFor();
		await page.keyboard.press('2');
		await until(() => page.getByRole('radio', { name: 'Production' }).isChecked(), 'chosen');
		await page.keyboard.press('k');
		await page.getByRole('heading', { level: 1, name: 'First?' }).waitFor();
		await page.keyboard.press('y');
		await page.waitForTimeout(700);
		await page.keyboard.press('Control+Enter');
		assert.deepEqual(await answerOf(first.id), { value: true });
		await page.getByRole('heading', { level: 1, name: 'Second?' }).waitFor();
		assert.ok(await page.getByRole('radio', { name: 'Production' }).isChecked(), 'its draft was kept');
		await page.waitForTimeout(700);
		await page.keyboard.press('Control+Enter');
		assert.deepEqual(await answerOf(second.id), { selected: ['prod'] });
	});

	test('help, go, search, and single keys turned off', async () => {
		await page.keyboard.press('?');
		await page.getByRole('dialog', { name: t('keys') }).waitFor();
		await page.keyboard.press('Escape');
		await page.keyboard.press('g');
		await page.keyboard.press('s');
		await page.waitForURL('**/sessions');
		await page.keyboard.press('g');
		await page.keyboard.press('a');
		await page.waitForURL('**/activity');
		await page.keyboard.press('g');
		await page.keyboard.press('i');
		await page.waitForURL('**/inbox');
		await page.keyboard.press('/');
		await until(() => page.getByRole('searchbox').evaluate((box) => box === document.activeElement), 'the search');
		await page.goto('/settings/keys');
		await page.getByRole('checkbox', { name: t('settings.keys.on') }).uncheck();
		await page.keyboard.press('g');
		await page.keyboard.press('i');
		await page.waitForTimeout(200);
		assert.match(page.url(), /settings\/keys/);
		await page.getByRole('checkbox', { name: t('settings.keys.on') }).check();
	});
});
