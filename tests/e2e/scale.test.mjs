// Many pending asks (a long run: ten thousand): few rows in the document, wherever one scrolls.
import assert from 'node:assert/strict';
import { fillInbox, titleOf, until } from './lib.mjs';
import { area, long } from './matrix.mjs';

const MANY = Number(process.env.ASKS ?? (long ? 10_000 : 1000));
const ROWS = 100;

async function few(me) {
	const rows = await me.list.getByRole('listitem').count();
	assert.ok(rows > 0 && rows <= ROWS, `${rows} rows`);
}
const whole = async (me) => {
	await me.come('/inbox');
	await until(async () => await me.waiting(MANY).count(), 'all of them', 60_000);
	await few(me);
	const broken = await me.page.locator('nav li :is(.name, .wide-only)').evaluateAll((names) => names.filter((one) => {
		const text = document.createRange();
		text.selectNodeContents(one);
		return one.checkVisibility() && new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
	}).map((one) => one.textContent));
	assert.deepEqual(broken, [], 'names of the navigation on two lines');
};
/* Its rows keep their places while one scrolls: the pointer is over them. */
const frame = (me) => me.list.locator('xpath=..');
const place = (me) => frame(me).evaluate((box) => box.scrollTop / (box.scrollHeight - box.clientHeight));

area(`${MANY} pending asks`, (scenario) => {
	scenario('scrolled in small steps and in leaps, to the end', { input: 'mouse' }, async (me) => {
		await whole(me);
		await frame(me).hover();
		for (let i = 0; i < 40; i++) {
			await me.page.mouse.wheel(0, i < 30 ? 120 : MANY * 9);
			if (i % 5 === 0) await few(me);
		}
		await until(async () => await place(me) > 0.99, 'the end');
		await few(me);
	});

	scenario('walked by keys, and found by its words', { input: 'keyboard' }, async (me, desk) => {
		await whole(me);
		for (let i = 0; i < 30; i++) await me.key('j');
		const { items } = (await desk.admin.get('/v1/asks?order=attention')).body;
		/* Where the list stands alone, j moves in it and Enter opens. */
		if (!me.wide) await me.key('Enter');
		await me.heading(items[29].questions[0].text).waitFor();
		if (!me.wide) await me.visitInside('/inbox');
		await few(me);
		await me.key('/');
		await me.page.getByRole('searchbox').waitFor();
		/* What a search leaves begins at its top. */
		if (me.wide) assert.ok(await place(me) > 0);
		await me.write(me.page.getByRole('searchbox'), 'The');
		await until(async () => await place(me) === 0, 'the top');
		await me.write(me.page.getByRole('searchbox'), titleOf(MANY - 7));
		await me.row(titleOf(MANY - 7)).waitFor();
		await until(async () => await me.list.getByRole('listitem').count() === 1, 'one left');
	});

	scenario('a row in the middle is opened', async (me) => {
		await whole(me);
		await frame(me).evaluate((box) => (box.scrollTop = (box.scrollHeight - box.clientHeight) / 2));
		await until(async () => Math.abs(await place(me) - 0.5) < 0.01, 'the middle');
		await few(me);
		/* One that is in sight: what Tab meets first may scroll the others away. Its title stands behind "Unread:". */
		const name = await until(() => me.list.getByRole('link').evaluateAll((links) => [...links
			.find((link) => link.getBoundingClientRect().top > innerHeight / 2)?.childNodes ?? []]
			.filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('').trim()), 'a row in sight');
		await me.press(me.row(name).getByRole('link'));
		await me.heading(name).waitFor();
	});

	scenario('one is settled elsewhere and goes', async (me, desk) => {
		await me.page.goto('/inbox'); // from the top, wherever the one before was
		await whole(me);
		const { items } = (await desk.admin.get('/v1/asks?limit=2')).body;
		const gone = items[1]; // the first is looked at, and stays
		await me.row(gone.questions[0].text).waitFor();
		await desk.marie.post(`/v1/asks/${gone.id}/answer`, { answer: true });
		await me.row(gone.questions[0].text).waitFor({ state: 'detached' });
		await desk.agent.ask({ question: gone.questions[0].text, type: 'boolean' });
		await until(async () => await me.waiting(MANY).count(), 'as many as before');
	});
}, { flags: ['--session-open', '0'], furnish: (desk) => fillInbox(desk.server, MANY), keep: true, stands: true });
