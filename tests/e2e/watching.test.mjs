// Watching agents work: sessions, one session, activity, insights, agents.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const atEnd = (log) => until(() => log.evaluate((box) =>
	box.scrollHeight - box.scrollTop - box.clientHeight < 24), 'at the end');
let serial = 0;
const fresh = (name) => `${name} ${++serial}`;
const steps = async (desk, session, from, to) => {
	for (let i = from; i <= to; i++)
		await desk.agent.post(`/v1/sessions/${session.id}/progress`, { text: `step number ${i}`, step: i, steps: 90 });
};

area('watching', (scenario) => {
	scenario('sessions in their sections, live, and searched; of those that wait five are in sight', async (me, desk) => {
		const title = fresh('build');
		const session = await desk.agent.session(title, { project: 'apollo' });
		await me.visit('/sessions');
		const section = (id) => me.page.locator('section', { has: me.page.getByRole('heading', { name: me.t(id) }) });
		const others = section('sessions.others').getByRole('button', { expanded: false });
		if (await others.count()) await me.press(others);
		await section('sessions.others').getByText(title).waitFor();
		const ask = await desk.agent.ask({ session: session.id, question: 'Go on?', type: 'boolean' });
		const waiting = section('sessions.waiting').getByRole('listitem').filter({ hasText: title });
		await waiting.getByText(me.tn('sessions.asks', 1)).waitFor();
		await waiting.getByText('Go on?').waitFor();
		await waiting.getByRole('link', { name: new RegExp(me.t('waits.you')) }).waitFor();
		/* All lines are of one height, and begin at the same place. */
		const rows = await section('sessions.waiting').getByRole('listitem').evaluateAll((all) => all.map((one) => one.clientHeight));
		assert.deepEqual([...new Set(rows)], [me.wide ? 38 : 60]);
		const columns = () => me.page.locator('main li').evaluateAll((all) => all.map((one) =>
			[...one.querySelectorAll('.whose, .now')].map((part) => Math.round(part.getBoundingClientRect().left)).join()));
		const more = [];
		for (let i = 0; i < 6; i++)
			more.push(await desk.agent.ask({ session: (await desk.agent.session(fresh('many'))).id, question: 'And this?', type: 'boolean' }));
		const shown = () => section('sessions.waiting').locator('a.title').count();
		const rest = me.page.getByRole('button', { name: me.tn('sessions.more', 2) });
		await rest.waitFor();
		assert.equal(await shown(), 5);
		await me.press(rest);
		await until(async () => await shown() === 7, 'all of them');
		if (me.wide) assert.equal(new Set(await columns()).size, 1, `${await columns()}`);
		for (const { id } of more) await desk.admin.post(`/v1/asks/${id}/answer`, { answer: true });
		await desk.admin.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await section('sessions.running').getByText(title).waitFor();
		await desk.agent.patch(`/v1/sessions/${session.id}`, { status: 'completed' });
		await section('sessions.completed').getByText(title).waitFor();
		if (!me.wide) await me.press(me.page.getByRole('button', { name: me.t('sessions.search') }));
		await me.write(me.page.getByRole('searchbox'), 'nothing like it');
		await me.text('sessions.none').waitFor();
		await me.write(me.page.getByRole('searchbox'), title);
		await me.press(me.page.getByRole('link', { name: title }));
		await me.heading(title).waitFor();
	});

	scenario('the other sessions stand beside one when they are wanted: one stop for Tab, arrows lead through them', async (me, desk) => {
		const [one, other] = [await desk.agent.session(fresh('one of two')), await desk.agent.session(fresh('the other'))];
		const own = me.view;
		await me.resize('desktop');
		await me.visitLive(`/sessions/${one.id}`);
		const list = me.region('nav.sessions');
		assert.equal(await list.count(), 0);
		await me.press(me.button('chat.list'));
		const link = ({ title }) => list.getByRole('link').filter({ hasText: title });
		const current = (session) => until(async () => await link(session).getAttribute('aria-current') === 'true', 'the current one');
		await current(one);
		await me.key('j');
		assert.ok(await link(one).evaluate((box) => box === document.activeElement));
		await me.press(link(other));
		await me.heading(other.title).waitFor();
		await current(other);
		assert.equal(await list.locator('a[tabindex="0"]').count(), 1);
		await me.press(list.getByRole('button', { name: me.t('session.new') }));
		await me.dialog.getByRole('heading', { name: me.t('session.new') }).waitFor();
		await me.key('Escape');
		await me.dialog.waitFor({ state: 'detached' });
		/* Rows keep their places while one is among them; what they say changes. */
		await link(other).focus();
		const places = () => list.getByRole('link').evaluateAll((all) => all.map((box) => box.pathname));
		const before = await places();
		await desk.agent.patch(`/v1/sessions/${one.id}`, { status: 'failed' });
		await link(one).getByText(me.t('status.failed')).waitFor();
		assert.deepEqual(await places(), before);
		/* Also after the page is loaded again. */
		await me.visitLive(`/sessions/${other.id}`);
		await current(other);
		await me.press(me.button('chat.list'));
		await list.waitFor({ state: 'detached' });
		await me.resize('phone');
		await me.heading(other.title).waitFor();
		await me.resize(own);
	});

	scenario('what a stop holds back is listed, each a way to it', async (me, desk) => {
		const session = await desk.agent.session(fresh('held back'));
		const ask = await desk.agent.ask({ session: session.id, kind: 'approval', title: 'Held for now', operation: { name: 'shell', risk: 'low', arguments: { command: 'make' } } });
		const stop = (await desk.admin.post('/v1/stops', { reason: 'Looking into it', match: { session: session.id } })).body;
		const line = me.region('stop.line');
		try {
			await me.visitLive('/history');
			const details = line.getByRole('group');
			const open = () => me.press(line.locator('summary'));
			await open();
			await details.getByText(me.tn('stop.held.approvals', 1)).waitFor();
			await details.getByText(me.t('stop.beyond.text')).waitFor();
			await me.key('Escape');
			await details.getByText(me.t('stop.beyond.text')).waitFor({ state: 'hidden' });
			await open();
			await me.press(details.getByRole('link', { name: session.title }));
			await me.heading(session.title).waitFor();
			await details.getByText(me.t('stop.beyond.text')).waitFor({ state: 'hidden' });
			await open();
			await me.press(details.getByRole('link', { name: 'Held for now' }));
			await me.heading('Held for now').waitFor();
			assert.ok(me.page.url().endsWith(ask.id));
		} finally {
			await desk.admin.delete(`/v1/stops/${stop.id}`);
			await line.waitFor({ state: 'detached' });
		}
	});

	scenario('a session: its stream follows at its end only; what it said before is folded', async (me, desk) => {
		const session = await desk.agent.session(fresh('log'));
		for (let i = 1; i <= 25; i++) {
			const ask = await desk.agent.ask({ session: session.id, question: `Question ${i}?`, type: 'boolean' });
			await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
			await steps(desk, session, i, i);
		}
		await me.visitLive(`/sessions/${session.id}`);
		const stream = me.region('chat');
		await stream.getByText('step number 25').waitFor();
		await atEnd(stream);
		if (me.byKeys) {
			await me.reach(stream);
			await me.key('Home');
		} else {
			await stream.hover();
			await me.page.mouse.wheel(0, -100_000);
		}
		await until(() => stream.evaluate((box) => box.scrollTop === 0), 'at the top');
		const ask = await desk.agent.ask({ session: session.id, question: 'One more?', type: 'boolean' });
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		const below = me.page.getByRole('button', { name: me.tn('feed.fresh', 1) });
		await below.waitFor();
		await me.pressOr(below, 'End');
		await atEnd(stream);
		/* What one says of its progress is one line while nothing else happens. */
		await steps(desk, session, 26, 28);
		await stream.getByText('step number 28').waitFor();
		await until(async () => await stream.getByText('step number 27').isVisible() === false, 'folded');
	});

	scenario('a session: state, progress, what it asks, what it needs to go on, and Stop', async (me, desk) => {
		const session = await desk.agent.session(fresh('whole'));
		await me.visit(`/sessions/${session.id}`);
		const stream = me.region('chat');
		await steps(desk, session, 7, 7);
		await stream.getByText('step number 7').waitFor();
		const settled = await desk.agent.ask({ session: session.id, question: 'Before this?', type: 'boolean' });
		await desk.marie.post(`/v1/asks/${settled.id}/answer`, { answer: true });
		await stream.locator('summary', { hasText: 'Before this?' }).getByText(me.t('form.yes')).waitFor();
		/* It has its answer: what a stopped agent has to be told can be copied. */
		await me.page.getByRole('button', { name: me.t('resume.copy') }).waitFor();
		await me.press(me.page.locator('summary', { hasText: me.t('resume.show') }));
		await me.page.getByRole('group', { name: me.t('resume.copy') }).getByText('Before this?').waitFor();
		const open = await desk.agent.ask({ session: session.id, question: 'Inside a session?', type: 'boolean' });
		await stream.getByRole('article').getByRole('heading', { name: 'Inside a session?' }).waitFor();
		/* Its own page shows it; nothing else tells of it there, but of what another session asks. */
		const elsewhere = await desk.agent.ask({ question: 'Elsewhere?', type: 'boolean' });
		await me.toasts.getByText('Elsewhere?').waitFor();
		assert.equal(await me.toasts.getByText('Inside a session?').count(), 0);
		await desk.marie.post(`/v1/asks/${elsewhere.id}/answer`, { answer: true });
		await me.toasts.getByText('Elsewhere?').first().waitFor({ state: 'detached' });
		await me.page.locator('header .chip').getByText(me.t('waits.you')).waitFor();
		await me.press(me.button('session.stop'));
		await desk.pending(open.id);
		await me.press(me.button('session.stop', {}, me.dialog));
		await me.page.locator('header .chip').getByText(me.t('status.cancelled')).waitFor();
		assert.equal((await desk.admin.get(`/v1/sessions/${session.id}`)).body.status, 'cancelled');
		await me.button('session.stop').waitFor({ state: 'detached' });
		const { status } = await desk.settled(open.id);
		assert.equal(status, 'cancelled', 'what it asked is withdrawn');
		await stream.locator('summary', { hasText: 'Inside a session?' }).getByText(me.t('outcome.withdrawn')).first().waitFor({ state: 'attached' });
	});

	scenario('a session: its head says what its log says, however slow the server', async (me, desk) => {
		const session = await desk.agent.session(fresh('slow'));
		await me.visitLive(`/sessions/${session.id}`);
		await me.button('session.stop').waitFor();
		await me.page.route('**/v1/sessions/*/state', () => {});
		await desk.agent.patch(`/v1/sessions/${session.id}`, { status: 'completed' });
		await me.page.locator('header .chip').getByText(me.t('status.completed'), { exact: true }).waitFor();
		await me.button('session.stop').waitFor({ state: 'detached' });
		await me.page.unroute('**/v1/sessions/*/state');
	});

	scenario('activity by session, a line a turn: who asked what, who answered what, and a way to each', async (me, desk) => {
		const [title, begun] = [fresh('busy'), fresh('begun')];
		const session = await desk.agent.session(title);
		await steps(desk, session, 4, 5);
		const ask = await desk.agent.ask({ session: session.id, question: 'Seen in the activity?', type: 'boolean' });
		await me.visitLive('/activity');
		const block = (name) => me.page.getByRole('group', { name });
		await block(title).getByText('step number 5').waitFor();
		assert.equal(await block(title).getByText('step number 4').count(), 0, 'what was said before it opens with it');
		const line = block(title).getByRole('listitem').filter({ hasText: 'Seen in the activity?' });
		await line.getByText(me.t('turn.open')).waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await line.getByText(me.t('form.yes')).waitFor();
		await line.getByText(/Marie/).first().waitFor();
		/* One that begins meanwhile has its name, too. */
		await desk.agent.session(begun);
		await block(begun).waitFor();
		await me.press(line.getByRole('button'));
		await me.press(line.getByRole('link', { name: me.t('open') }).first());
		await me.page.waitForURL(`**/history/${ask.id}`);
		await me.heading('Seen in the activity?').waitFor();
	});

	scenario('insights: what the server counts, over other times', async (me, desk) => {
		const blocked = await desk.agent.ask({ question: fresh('Blocked'), type: 'boolean' });
		desk.server.jump(40 * 60_000);
		const [slow, , skipped] = await Promise.all([1, 2, 3].map(() =>
			desk.agent.ask({ question: fresh('Counted'), type: 'boolean', kind: 'non_blocking', timeout: '30m' })));
		desk.server.jump(5 * 60_000);
		await desk.marie.post(`/v1/asks/${slow.id}/answer`, { answer: true });
		await desk.marie.post(`/v1/asks/${skipped.id}/skip`);
		desk.server.jump(26 * 60_000);
		await until(async () => (await desk.admin.get('/v1/asks')).body.items.length === 1, 'expired');
		await desk.agent.ask({ question: fresh('Waiting'), type: 'boolean', kind: 'non_blocking' });
		await me.visit('/insights');
		await me.page.getByRole('img', { name: me.t('insights.byday') }).waitFor();
		/* What has blocked an agent for over an hour stands above the figures and leads to its card. */
		const alert = me.page.getByRole('status').filter({ hasText: me.tn('insights.blocked', 1) });
		assert.equal(await alert.getByRole('link').getAttribute('href'), `/asks/${blocked.id}`);
		await desk.marie.post(`/v1/asks/${blocked.id}/answer`, { answer: true });
		await alert.waitFor({ state: 'detached' });
		const percent = (rate) => rate === null ? '–' : rate.toLocaleString(me.lang, { style: 'percent', maximumFractionDigits: 0 });
		const took = (ms) => ms < 60_000 ? me.t('span.short.second', { n: Math.floor(ms / 1000) })
			: me.t('span.short.minute', { n: Math.floor(ms / 60_000) });
		const tile = (id) => me.page.getByRole('term').and(me.page.getByText(me.t(`insights.${id}`), { exact: true })).locator('xpath=../dd[1]');
		const shows = async (days) => {
			const range = me.page.getByRole('link', { name: me.tn('insights.days', days) });
			await me.press(range);
			await until(async () => await range.getAttribute('aria-current') === 'true', `${days} days`);
			const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
			const counted = (await desk.admin.get(`/v1/insights?from=${from}T00:00:00.000Z`)).body;
			for (const [id, value] of Object.entries({ asks: counted.asks.created.toLocaleString(me.lang),
				median: took(counted.time_to_answer_ms.p50), p90: took(counted.time_to_answer_ms.p90),
				response: percent(counted.response_rate), expiry: percent(counted.expiry_rate) }))
				await until(async () => await tile(id).innerText() === value, `${id}: ${value}`);
			/* What still waits is in the chart and in no share: the tile says of how many it is one. */
			const settled = counted.asks.answered + counted.asks.skipped + counted.asks.expired;
			for (const [id, part] of [['response', counted.asks.answered], ['expiry', counted.asks.expired]])
				assert.equal(await tile(id).locator('xpath=../dd[2]').innerText(), me.tn('insights.of', settled, { part }));
			for (const [kind, n] of Object.entries(counted.by_kind)) {
				const cells = me.page.getByRole('table', { name: me.t('insights.bykind') }).getByRole('row', { name: me.t(`kind.${kind}`) }).getByRole('cell');
				assert.deepEqual((await cells.allInnerTexts()).slice(1), [n.created, n.answered, n.skipped, n.expired]
					.map(String).concat(percent(n.created ? n.expired / n.created : null)));
			}
			assert.equal(await tile('byrules').innerText(), percent(counted.asks.created ? counted.asks.by_rules / counted.asks.created : null));
			const asker = counted.by_agent[0], person = counted.by_person[0];
			const row = async (id) => (await me.page.getByRole('table', { name: me.t(`insights.${id}`) }).getByRole('row').nth(1).getByRole('cell').allInnerTexts());
			assert.deepEqual((await row('byagent')).slice(0, 2), [asker.agent.name, String(asker.asks)]);
			assert.deepEqual((await row('byperson')).slice(0, 2), [person.name, String(person.answered)]);
			const bars = await me.page.getByRole('img').locator('.created title').allTextContents();
			assert.deepEqual(bars.map((text) => Number(text.match(/: (\d+)/)[1])), counted.by_day.map((day) => day.created));
			return counted;
		};
		const { asks } = await shows(7);
		assert.ok(asks.created >= 3 && asks.answered && asks.skipped && asks.expired, JSON.stringify(asks));
		await shows(90);
		/* The reply to an earlier choice that comes last changes nothing. */
		let late;
		const first = new Promise((held) => void me.page.route('**/v1/insights*', async (route) => {
			late ??= { ...(await (await route.fetch()).json()), asks_per_session: 4321, response_rate: 0.4321 };
			held();
			await until(() => late.sent, 'the choice after it');
			await route.fulfill({ json: late });
			late.done = true;
		}, { times: 1 }));
		await me.press(me.page.getByRole('link', { name: me.tn('insights.days', 7) }));
		await first;
		await shows(30);
		late.sent = true;
		await until(() => late.done, 'the late reply');
		await shows(30);
		await me.page.unroute('**/v1/insights*');
	});

	scenario('what is settled has a receipt to take along, and the lines that verify it', async (me, desk) => {
		const ask = await desk.agent.ask({ question: 'Keep this?', type: 'boolean' });
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.visit(`/history/${ask.id}`);
		const fold = me.page.locator('details.proof:not([open]) > summary');
		const link = me.page.getByRole('link', { name: me.t('proof.receipt') });
		await link.or(fold).first().waitFor();
		if (await fold.count()) await me.press(fold);
		await me.page.getByText(`parley verify receipt-${ask.id}.json --key keys.json`).waitFor();
		const [taken] = await Promise.all([me.page.waitForEvent('download'), me.press(link)]);
		assert.equal(taken.suggestedFilename(), `receipt-${ask.id}.json`);
		const receipt = JSON.parse(readFileSync(await taken.path(), 'utf8'));
		const said = JSON.parse(Buffer.from(receipt.payload, 'base64url'));
		assert.deepEqual([said.ask, said.outcome, said.answered_by.name], [ask.id, 'answered', 'Marie']);
	});

	scenario('the agents that asked, and another one joins', async (me, desk) => {
		await desk.agent.session(fresh('known'));
		await me.visit('/agents');
		await me.page.getByRole('link', { name: 'deployer' }).waitFor();
		await me.press(me.button('agents.connect'));
		await me.press(me.page.getByRole('group', { name: me.t('first.client') }).getByRole('button', { name: me.t('first.curl') }));
		await me.write(me.page.getByRole('textbox', { name: me.t('agents.new') }), fresh('newcomer'));
		await me.press(me.button('tokens.create'));
		const secret = await me.page.getByText(/^prl_/).innerText();
		await me.page.getByRole('group', { name: me.t('first.curl') }).getByText(secret).waitFor();
		assert.equal((await desk.server.client(secret).get('/v1/me')).body.role, 'agent');
	});

	scenario('a server that goes is said to be gone, is found again, and nothing was missed', async (me, desk) => {
		await me.visitLive('/inbox');
		await desk.server.stop();
		await me.text('line.lost').waitFor();
		await desk.server.start();
		await desk.agent.ask({ question: 'While you were away?', type: 'boolean' });
		await me.row('While you were away?').waitFor();
		await me.live();
	});

	scenario('from anywhere: the palette finds an ask, a session, a rule and a page, opens it and decides nothing', async (me, desk) => {
		const title = fresh('Rotate the mailer');
		const session = await desk.agent.session(title);
		const ask = await desk.agent.ask({ session: session.id, kind: 'approval', title: `${title}: now`,
			operation: { type: 'tool', name: 'vault.rotate', arguments: {} } });
		await me.visitLive('/insights');
		const field = me.page.getByRole('combobox', { name: me.t('palette.what') });
		const find = async (text) => {
			if (me.wide) await me.key('Control+k');
			else {
				const nav = me.page.getByRole('navigation', { name: me.t('nav') });
				await me.press(nav.getByRole('button', { name: me.t('nav.more') }));
				await me.press(nav.getByRole('button', { name: me.t('bar.search') }));
			}
			await field.waitFor();
			await me.page.keyboard.type(text);
		};
		const option = (name) => me.dialog.getByRole('option', { name });
		await find(title.toLowerCase());
		/* What fits the first letters stands there until the last ones are looked for. */
		await until(async () => (await me.dialog.getByRole('option').allInnerTexts()).every((text) => text.includes(title)), 'only what fits');
		await me.dialog.getByRole('group', { name: me.t('nav.sessions'), exact: true }).getByRole('option').waitFor();
		await option(`${title}: now`).waitFor();
		assert.equal(await me.dialog.getByRole('button').count(), 0, 'nothing to decide with');
		await me.key('Enter');
		await me.page.waitForURL(`**/asks/${ask.id}`);
		await field.waitFor({ state: 'detached' });
		assert.equal((await desk.get(ask.id)).status, 'pending');
		await find(me.t('settings.keys'));
		await option(new RegExp(`^${me.t('settings.keys')}\\s+${me.t('nav.settings')}`)).waitFor();
		await me.key('ArrowDown', 'Escape');
		await field.waitFor({ state: 'detached' });
		assert.ok(me.page.url().endsWith(`/asks/${ask.id}`));
		await desk.agent.post(`/v1/asks/${ask.id}/cancel`);
	});

	scenario('who is here: role, looks, and a connection that can be tried again', async (me, desk) => {
		await beside(me, {}, async (own) => {
			await own.visitLive('/sessions');
			const nav = own.page.getByRole('navigation', { name: own.t('nav') });
			const menu = nav.getByRole('button', { name: own.t('person') });
			if (!own.wide) await own.press(nav.getByRole('button', { name: own.t('nav.more') }));
			await own.press(menu);
			const person = own.page.getByRole('dialog', { name: own.t('person') });
			await person.getByText(own.t('role.owner')).first().waitFor();
			await own.check(person.getByRole('radio', { name: own.t('theme.dark') }));
			await until(() => own.page.locator('html').getAttribute('data-theme').then((theme) => theme === 'dark'), 'dark');
			await own.key('Escape');
			await person.waitFor({ state: 'detached' });
			await until(() => menu.evaluate((one) => one === document.activeElement), 'the focus is back');
			await own.page.route('**/v1/events**', (route) => route.abort());
			await desk.server.stop();
			await nav.getByText(own.t('line.lost')).waitFor();
			await desk.server.start();
			await own.page.unroute('**/v1/events**');
			if (await own.button('retry', {}, nav).isVisible()) await own.press(own.button('retry', {}, nav));
			await own.live();
		});
	});
});
