// What others may write: 300 hostile strings in every field. No script runs, no layout breaks, nothing
// lies over the buttons, what hides is named, and what would run stays on the first screen. A long run
// takes all of them at both sizes, half of them in each language; a short one 8 of the fifty they are made of
// (PARLEY_SEED=N says which), wrapped by turns, at one size.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { random } from '../lib/random.mjs';
import { enter } from './lib.mjs';
import { browser, Desk, inSizes, long } from './matrix.mjs';
import { Person } from './person.mjs';
import { hidden, oneOfEach, strings, Tally } from './hostile.mjs';

const TIMEOUT_MS = 900_000;
const PACK = 20;
const halves = { en: { view: 'desktop', from: 0 }, fr: { view: 'phone', from: 1 } };
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const below = random(seed);
const some = oneOfEach.map((text) => [below(1000), text]).sort(([a], [b]) => a - b).slice(0, 8).map(([, text]) => text);
const mine = (lang) => (long ? strings : some).filter((_, i) => i % 2 === halves[lang].from);

/** What is wrong with the page as it stands; nothing, when all is well. */
const flaws = (page) => page.evaluate(() => {
	const found = [];
	const pages = 'html, body, main, .list, .ask, dialog, .inside, .toasts';
	const clips = (box) => !box.matches(pages) && getComputedStyle(box).overflowX !== 'visible';
	for (const box of document.querySelectorAll(pages))
		if (box.scrollWidth > box.clientWidth + 1 && box.clientWidth) found.push(`${box.className || box.tagName} scrolls sideways`);
	for (const box of document.querySelectorAll('main *, dialog *, .toasts *')) {
		const { left, right, width } = box.getBoundingClientRect();
		if (!width || (left >= -1 && right <= innerWidth + 1)) continue;
		/* White space at the end of a line hangs over, unseen. */
		if (getComputedStyle(box).display === 'inline') continue;
		let clip = box.parentElement;
		while (clip && !clips(clip)) clip = clip.parentElement;
		if (!clip) found.push(`${box.tagName}.${box.className} from ${left} to ${right}`);
	}

	const top = document.querySelector('dialog[open]') ?? document;
	for (const button of top.querySelectorAll('.actions button')) {
		if (!button.checkVisibility()) continue;
		const { x, y, width, height } = button.getBoundingClientRect();
		const over = document.elementFromPoint(x + width / 2, y + height / 2);
		if (over && !button.contains(over) && !over.closest('nav, .toasts') && y + height < innerHeight)
			found.push(`${over.tagName}.${over.className} lies over ${button.innerText}`);
	}

	const foreign = 'main :is(img, iframe, script, style, base, meta, object, embed, form[action], [onload], [onerror])';
	for (const box of document.querySelectorAll(foreign)) found.push(`a foreign ${box.outerHTML.slice(0, 80)}`);
	for (const link of document.querySelectorAll('main a'))
		if (!/^(https?|mailto):/.test(link.href)) found.push(`a link to ${link.href.slice(0, 80)}`);

	const unseen = /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]|(?![\t\n\r])\p{Cc}/u;
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode())
		if (unseen.test(texts.currentNode.data)) found.push(`something hides in ${JSON.stringify(texts.currentNode.data.slice(0, 80))}`);
	for (const box of document.querySelectorAll('[placeholder], [title]'))
		for (const text of [box.placeholder, box.title]) if (unseen.test(text ?? '')) found.push(`something hides in a hint: ${JSON.stringify(text.slice(0, 80))}`);
	return found.slice(0, 5);
});

describe(`hostile strings (seed ${seed})`, () => {
	const desk = new Desk();
	before(() => desk.open());
	after(() => desk.close());

	const come = async (lang, how = {}) => {
		const { view } = halves[lang];
		const place = await enter(await browser(), desk.server, { view, lang, ...how });
		/* A refused script is a failure, too: none should have been tried. */
		await place.page.evaluate(() => document.addEventListener('securitypolicyviolation',
			(event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
		return new Person({ ...place, view, lang, input: 'mouse', desk });
	};
	const sound = (me, text, more = () => {}) => inSizes(me, async (view) => {
		assert.deepEqual(await flaws(me.page), [], `${view}: ${JSON.stringify(text.slice(0, 200))}`);
		await more();
	});

	/** What would run is on the first screen, and what hides in its name and arguments is named there. */
	const operation = async (me, within, text) => {
		const part = within.getByRole('region', { name: me.t('operation'), exact: true });
		const box = await part.getByText('rm -rf /tmp/x').boundingBox();
		const floor = me.wide ? 900 : (await me.page.getByRole('navigation').boundingBox()).y;
		assert.ok(box && box.y > 0 && box.y + box.height < floor, `what would run is at ${box?.y}: ${JSON.stringify(text.slice(0, 200))}`);
		const said = await part.textContent();
		for (const name of hidden(text)) assert.ok(said.includes(name), `${name} is not named: ${JSON.stringify(text.slice(0, 200))}`);
	};

	/** An approval with the string wherever one can be written. */
	async function approval(tally, text, i) {
		const post = (client, path) => (body) => client.post(path, body);
		/* The two that an agent's name may not have. */
		const nameOf = (role, name) => (role === 'agent' ? name.replace(/[*?]/g, '_') : name);
		const token = async (field, role) => desk.server.client((await tally.send(text, post(desk.admin, '/v1/tokens'),
			(put) => ({ role, name: nameOf(role, put(field, '/name', 100, ` ${i}`)) }))).token);
		const [agent, person] = await Promise.all([token('agent name', 'agent'), token('user name', 'member')]);
		const session = await tally.send(text, post(agent, '/v1/sessions'), (put) =>
			({ title: put('session title', '/title', 200), project: put('project', '/project', 100) }));
		await tally.send(text, post(agent, `/v1/sessions/${session.id}/progress`), (put) => ({ text: put('progress', '/text', 2000) }));
		const ask = await tally.send(text, post(agent, '/v1/asks'), (put) => ({
			session: session.id, kind: 'approval', title: put('title', '/title', 200),
			context: { text: put('context text', '/context/text', 5000), error_details: put('error', '/context/error_details', 100_000),
				preview: put('preview', '/context/preview', 100_000), current_step: put('step', '/context/current_step', 1000),
				diff: `--- a\n+++ b\n@@ -1 +1 @@\n-${put('diff', '/context/diff', 40_000)}\n+${put('diff', '/context/diff', 40_000)}` },
			operation: { name: put('operation name', '/operation/name', 200), risk: 'high', arguments: { command: 'rm -rf /tmp/x',
				[`${put('argument name', '/operation/arguments', 200)} `]: put('argument value', '/operation/arguments', 100_000) } } }));
		await tally.send(text, post(agent, `/v1/asks/${ask.id}/replies`), (put) => ({ text: put('agent’s reply', '/text', 5000) }));
		await tally.send(text, post(person, `/v1/asks/${ask.id}/replies`), (put) => ({ text: put('person’s reply', '/text', 5000) }));
		await person.post(`/v1/asks/${ask.id}/claim`);
		return { text, ask, session, person };
	}

	for (const lang of Object.keys(halves)) {
		test(`in approvals: dialog, inbox, card, toast, outcome, session (${lang})`, { timeout: TIMEOUT_MS }, async (t) => {
			const me = await come(lang, { settings: { opens: true } });
			const tally = new Tally();
			const made = [];
			await me.visitInside('/activity');
			await me.live();
			for (const [i, text] of mine(lang).entries()) {
				made.push(await approval(tally, text, `${lang}${i}`));
				await me.dialog.getByRole('region', { name: me.t('thread') }).waitFor();
				await sound(me, text, () => operation(me, me.dialog, text));
				await me.key('Escape');
				await me.dialog.waitFor({ state: 'hidden' });
			}

			await me.visitInside('/inbox');
			await me.list.getByRole('listitem').first().waitFor();
			await inSizes(me, async () => {
				const frame = me.list.locator('xpath=..');
				await frame.evaluate((box) => (box.scrollTop = 0));
				for (let more = true; more;) {
					assert.deepEqual(await flaws(me.page), []);
					more = await frame.evaluate((box) => {
						const before = box.scrollTop;
						box.scrollTop += box.clientHeight;
						return box.scrollTop > before;
					});
				}
			});

			for (const { text, ask, session, person } of made) {
				await me.visitInside(`/asks/${ask.id}`);
				const article = me.page.locator(`article[data-ask="${ask.id}"]`);
				await article.getByRole('region', { name: me.t('thread') }).waitFor();
				await sound(me, text, () => operation(me, article, text));
				await tally.send(text, (body) => person.post(`/v1/asks/${ask.id}/answer`, body), (put) =>
					({ answers: { decision: { value: 'reject', text: put('answer shown', '/answers', 10_000) } } }));
				await me.region('settled').waitFor();
				await sound(me, text);
				await me.visitInside(`/sessions/${session.id}`);
				await me.region('chat').waitFor();
				await sound(me, text);
			}
			tally.complete(made.length);
			tally.lines.forEach((line) => t.diagnostic(line));
			/* All of them at once. */
			for (const path of ['/sessions', '/activity', '/agents', '/insights', '/settings/users', '/settings/tokens']) {
				await me.visit(path);
				await sound(me, path);
			}
			assert.deepEqual(me.errors, []);
			await me.context.close();
		});

		test(`in questions (${lang})`, { timeout: TIMEOUT_MS }, async (t) => {
			const me = await come(lang);
			const list = mine(lang);
			const tally = new Tally();
			const session = await desk.agent.session('questions');
			const questions = [];
			for (const text of list)
				await tally.send(text, async (body) => {
					const reply = await desk.agent.post('/v1/asks', { session: session.id, kind: 'non_blocking', questions: body });
					if (reply.status === 201) {
						questions.push(...body);
						await desk.agent.post(`/v1/asks/${reply.body.id}/cancel`);
					}
					return reply;
				}, (put) => [{ header: put('header', '/questions/0/header', 80), text: put('question', '/questions/0/text', 2000),
					type: 'choice', other: true, note: { placeholder: put('note’s placeholder', '/questions/0/note/placeholder', 256) },
					options: [{ id: 'a', label: put('option', '/questions/0/options/0/label', 256),
						description: put('description', '/questions/0/options/0/description', 1000),
						preview: put('option’s preview', '/questions/0/options/0/preview', 40_000) }, { id: 'b', label: 'plain' }] },
				{ text: put('question', '/questions/1/text', 2000), type: 'text', placeholder: put('placeholder', '/questions/1/placeholder', 256),
					suggested: put('suggestion', '/questions/1/suggested', 2000) }]);
			for (let at = 0; at < questions.length; at += PACK) {
				const ask = await desk.agent.ask({ session: session.id, title: 'Packed', questions: questions.slice(at, at + PACK) });
				await me.visitInside(`/asks/${ask.id}`);
				const tabs = me.page.locator(`article[data-ask="${ask.id}"]`).getByRole('tab');
				await tabs.first().waitFor();
				for (let i = 0, n = await tabs.count(); i < n; i++) {
					await tabs.nth(i).evaluate((tab) => tab.click());
					const first = me.page.getByRole('tabpanel').getByRole('radio').first();
					if (await first.count()) await first.evaluate((radio) => radio.click());
					await sound(me, questions[at + i]?.text ?? 'review');
				}
				await desk.admin.post(`/v1/asks/${ask.id}/skip`);
			}
			tally.complete(list.length);
			tally.lines.forEach((line) => t.diagnostic(line));
			assert.deepEqual(me.errors, []);
			await me.context.close();
		});
	}
});
