// What others may write: 300 hostile strings in every field. No script runs, no layout breaks, and
// what would run stays on the first screen. A long run takes all of them at both sizes, a short one a
// third: half of the seeds at one size, half at the other.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { enter } from './lib.mjs';
import { browser, Desk, long } from './matrix.mjs';
import { Person } from './person.mjs';
import { strings, Tally } from './hostile.mjs';

const TIMEOUT_MS = 900_000;
const PACK = 20;
const halves = { desktop: ['en', 0], phone: ['fr', 3] };
const mine = (view) => strings.filter((_, i) => long || i % 6 === halves[view][1]);

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
	const foreign = 'main :is(img, iframe, script, style, base, meta, object, embed, form[action], [onload], [onerror])';
	for (const box of document.querySelectorAll(foreign)) found.push(`a foreign ${box.outerHTML.slice(0, 80)}`);
	for (const link of document.querySelectorAll('main a'))
		if (!/^(https?|mailto):/.test(link.href)) found.push(`a link to ${link.href.slice(0, 80)}`);
	return found.slice(0, 5);
});

describe('hostile strings', () => {
	const desk = new Desk();
	before(() => desk.open());
	after(() => desk.close());

	const come = async (view, how = {}) => {
		const lang = halves[view][0];
		const place = await enter(await browser(), desk.server, { view, lang, ...how });
		/* A refused script is a failure, too: none should have been tried. */
		await place.page.evaluate(() => document.addEventListener('securitypolicyviolation',
			(event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
		return new Person({ ...place, view, lang, hand: 'mouse', desk });
	};
	const sound = async (me, text) => assert.deepEqual(await flaws(me.page), [], JSON.stringify(text.slice(0, 200)));
	const firstScreen = async (me, within, text) => {
		const box = await within.getByText('rm -rf /tmp/x').boundingBox();
		const floor = me.wide ? 900 : (await me.page.getByRole('navigation').boundingBox()).y;
		assert.ok(box && box.y > 0 && box.y + box.height < floor, `what would run is at ${box?.y}: ${JSON.stringify(text.slice(0, 200))}`);
	};

	/** An approval with the string wherever one can be written. */
	async function approval(tally, text, i) {
		const post = (client, path) => (body) => client.post(path, body);
		const token = async (field, role) => desk.server.client((await tally.send(text, post(desk.admin, '/v1/tokens'),
			(put) => ({ role, name: put(field, '/name', 100, ` ${i}`) }))).token);
		const agent = await token('agent name', 'agent');
		const person = await token('user name', 'member');
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
		return { ask, session, person };
	}

	for (const view of Object.keys(halves)) {
		test(`in approvals and their outcome (${view})`, { timeout: TIMEOUT_MS }, async (t) => {
			const me = await come(view);
			const tally = new Tally();
			const list = mine(view);
			for (const [i, text] of list.entries()) {
				const { ask, session, person } = await approval(tally, text, `${view}${i}`);
				await me.visitInside(`/asks/${ask.id}`);
				const article = me.page.locator(`article[data-ask="${ask.id}"]`);
				await article.waitFor();
				await article.getByRole('region', { name: me.t('thread') }).waitFor();
				await sound(me, text);
				await firstScreen(me, me.region('operation'), text);
				await tally.send(text, (body) => person.post(`/v1/asks/${ask.id}/answer`, body), (put) =>
					({ answers: { decision: { value: 'reject', text: put('answer shown', '/answers', 10_000) } } }));
				await me.region('settled').waitFor();
				await sound(me, text);
				if (!long && i % 10) continue;
				await me.visitInside(`/sessions/${session.id}`);
				await me.page.getByRole('log').waitFor();
				await sound(me, text);
			}
			tally.complete(list.length);
			tally.lines.forEach((line) => t.diagnostic(line));
			/* All of them at once. */
			for (const path of ['/sessions', '/activity', '/agents', '/insights', '/settings/users', '/settings/tokens']) {
				await me.visit(path);
				await sound(me, path);
			}
			assert.deepEqual(me.errors, []);
			await me.context.close();
		});

		test(`in questions (${view})`, { timeout: TIMEOUT_MS }, async (t) => {
			const me = await come(view);
			const list = mine(view);
			const tally = new Tally();
			const session = await desk.agent.session('questions');
			for (let from = 0; from < list.length; from += PACK) {
				const questions = [];
				for (const text of list.slice(from, from + PACK))
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
					for (let i = 0; i < await tabs.count(); i++) {
						await tabs.nth(i).evaluate((tab) => tab.click());
						const first = me.page.getByRole('tabpanel').getByRole('radio').first();
						if (await first.count()) await first.evaluate((radio) => radio.click());
						await sound(me, questions[at + i]?.text ?? 'review');
					}
					await desk.admin.post(`/v1/asks/${ask.id}/skip`);
				}
			}
			tally.complete(list.length);
			tally.lines.forEach((line) => t.diagnostic(line));
			assert.deepEqual(me.errors, []);
			await me.context.close();
		});

		test(`in the inbox, a dialog and a toast (${view})`, { timeout: TIMEOUT_MS }, async () => {
			const me = await come(view, { settings: { opens: true } });
			const tally = new Tally();
			await me.visit('/activity');
			await me.page.getByText(me.t('line.live')).waitFor({ state: 'attached' });
			for (const [i, text] of mine(view).entries()) {
				if (!long && i % 10) continue;
				const { ask } = await approval(tally, text, `${view} dialog ${i}`);
				await me.dialog.getByRole('region', { name: me.t('operation'), exact: true }).waitFor();
				await sound(me, text);
				await firstScreen(me, me.dialog, text);
				await me.key('Escape');
				await me.dialog.waitFor({ state: 'hidden' });
				await desk.admin.post(`/v1/asks/${ask.id}/cancel`, { reason: 'enough' });
				await me.toasts.getByText(me.t('settled.cancelled')).last().waitFor();
				await sound(me, text);
			}
			for (const [i, text] of mine(view).entries())
				if (i < 150 && (long || i % 3 === 0)) await approval(tally, text, `${view} row ${i}`);
			await me.visit('/inbox');
			await me.list.getByRole('listitem').first().waitFor();
			for (let down = 0; down < (long ? 12 : 4); down++) {
				await sound(me, `the inbox, ${down}`);
				await me.list.evaluate((list) => (list.parentElement.scrollTop += 1000));
			}
			assert.deepEqual(me.errors, []);
			await desk.clear();
			await me.context.close();
		});
	}
});
