// What somebody does here all day: quick decisions, undo, snooze, views, the past.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sleep, until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const approval = (title, risk = 'low', more = {}) => ({ kind: 'approval', title,
	operation: { name: 'label', risk, arguments: { n: 1 } }, ...more });
let serial = 0;
const fresh = (name) => `${name} ${++serial}`;
const toast = (me, outcome, title) => me.toasts.getByText(me.t('colon', { words: me.t(`outcome.${outcome}`), text: title }));
const history = (me) => me.page.locator('.history').getByRole('listitem');

area('working day', (scenario) => {
	scenario('a decision is told: what, on what, and that the agent does not have it yet; undone, it is', async (me, desk) => {
		const title = fresh('Send the mail');
		const ask = await me.open(approval(title));
		await me.armed(me.button('approval.approve'));
		await me.pressOr(me.button('approval.approve'), 'a');
		await toast(me, 'approved', title).waitFor();
		await me.toasts.getByText(me.t('fetched.not', { agent: 'deployer' })).waitFor();
		if (me.byKeys) await me.key('z');
		else await me.press(me.toasts.getByRole('button', { name: me.t('undo') }));
		await until(async () => (await desk.get(ask.id)).revoked, 'taken back');
		await toast(me, 'revoked', title).waitFor();
		assert.equal((await desk.agent.post(`/v1/asks/${ask.id}/use`, { digest: ask.digest })).status, 409);
		/* Nothing of it lies over what can be done on the settled one. */
		await me.page.evaluate((path) => history.pushState({}, '', path), `/history/${ask.id}`);
		await me.page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
		await me.region('settled').getByText(me.t('outcome.revoked')).waitFor();
		await until(async () => {
			const [over, bar] = await Promise.all([me.toasts, me.button('history.rule.from')].map((one) => one.boundingBox()));
			return over.y + over.height <= bar.y;
		}, 'the toast is above the bar');
		await me.page.goto(`/asks/${ask.id}`);
		await me.region('settled').getByText(me.t('outcome.revoked')).waitFor();
	});

	scenario('a settled approval shows its outcome first, and the operation as it was approved', async (me, desk) => {
		const ask = await me.open(approval(fresh('Apply'), 'low', { operation: { name: 'shell', risk: 'low', arguments: { command: 'kubectl -n prod apply', wait: 5 } } }));
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { command: 'kubectl -n staging apply', wait: 5 } } } });
		const outcome = me.region('settled');
		await outcome.getByText(me.t('outcome.changed')).waitFor();
		await outcome.getByText(/^Marie/).waitFor();
		await outcome.locator('ins', { hasText: /^staging$/ }).waitFor();
		await outcome.locator('del', { hasText: /^prod$/ }).waitFor();
		const first = await me.page.locator('article > section').first().getAttribute('aria-label');
		assert.equal(first, me.t('settled'));
		assert.equal(await me.region('operation').count(), 0, 'nothing says that it wants to run');
		const [asked, approved] = ['kubectl -n prod apply', 'kubectl -n staging apply'];
		for (const [drawn, there, gone] of [['approved', approved, asked], ['requested', asked, approved]]) {
			await me.choose(outcome, me.t(`operation.drawn.${drawn}`));
			await outcome.getByText(there).waitFor();
			assert.equal(await outcome.getByText(gone).count(), 0);
		}
		await me.region('trail').getByText(me.t('settled.by', { words: me.t('event.ask.created'), name: 'deployer' })).waitFor();
		await me.region('trail').getByText(me.settledBy('changed', 'Marie')).waitFor();
		await desk.agent.post(`/v1/asks/${ask.id}/use`, { digest: (await desk.get(ask.id)).approved_digest });
		await me.region('trail').getByText(me.t('event.ask.used')).waitFor();
		if (me.wide) await me.button('ask.link').waitFor();
		/* In the history, too: what was approved, not what was asked for. */
		await me.visit('/history');
		const row = history(me).filter({ hasText: ask.title });
		await row.getByText(me.t('verb.changed'), { exact: true }).waitFor();
		assert.deepEqual([await row.locator('del').textContent(), await row.locator('ins').textContent()], ['prod', 'staging']);
	});

	scenario('history: mine and all, by outcome and search, in the address', async (me, desk) => {
		const [mine, theirs] = [fresh('Decided here'), fresh('Decided there')];
		const ask = await me.open(approval(mine));
		await me.armed(me.button('approval.approve'));
		await me.press(me.button('approval.approve'));
		await desk.settled(ask.id);
		const other = await desk.agent.ask(approval(theirs));
		await desk.marie.post(`/v1/asks/${other.id}/answer`, { answers: { decision: { value: 'reject', text: 'too late' } } });
		await me.press(me.page.getByRole('navigation').first().getByRole('link', { name: me.t('nav.history') }));
		await history(me).filter({ hasText: mine }).getByText(me.t('outcome.approved')).waitFor();
		await history(me).filter({ hasText: theirs }).getByText(me.t('outcome.rejected')).waitFor();
		await history(me).filter({ hasText: theirs }).getByText('too late').waitFor();
		const view = (id) => me.page.getByRole('link', { name: new RegExp(`^${me.t(`history.view.${id}`)}\\b`) });
		await me.press(view('mine'));
		await history(me).filter({ hasText: theirs }).waitFor({ state: 'detached' });
		await history(me).filter({ hasText: mine }).waitFor();
		assert.match(me.page.url(), /\?by=me\b/);
		await me.press(view('all'));
		await me.pressOr(me.button('filter'), 'f');
		await me.page.getByRole('listbox').waitFor();
		await me.page.keyboard.type(me.t('outcome.rejected'));
		await me.key('Enter');
		await history(me).filter({ hasText: mine }).waitFor({ state: 'detached' });
		await me.page.reload();
		await history(me).filter({ hasText: theirs }).waitFor();
		assert.match(me.page.url(), /\?outcome=rejected\b/);
		await me.key('/');
		await me.page.locator('input[type=search]:focus').waitFor();
		await me.page.keyboard.type('nothing of the kind');
		await me.text('history.none').waitFor();
		await me.key('Escape');
		await me.press(view('all'));
		/* One that is opened stays within History, and previous and next follow the list. */
		const row = history(me).filter({ hasText: mine });
		await me.press(row.getByRole('link'));
		if (me.wide) await me.key('Enter');
		await me.page.waitForURL(/history\/ask_/);
		await me.heading(mine).waitFor();
		await me.text('bar.place', { at: 2, of: (await desk.admin.get('/v1/asks/counts')).body.all }).waitFor();
		assert.equal(await me.page.getByRole('navigation').first().locator('[aria-current=page]').first().textContent().then((text) => text.trim()),
			me.t('nav.history'));
		await me.key('k');
		await me.heading(theirs).waitFor();
		await me.key('Escape');
		await row.waitFor();
	});

	scenario('history is an audit: repeats of a rule are folded, an unused approval is taken back, a rule is made of it, and all goes into a file', { user: 'root' }, async (me, desk) => {
		const call = (command) => ({ kind: 'approval', title: `Run ${command}`, operation: { type: 'tool', name: 'Bash', arguments: { command } } });
		const note = fresh('folds');
		await desk.admin.post('/v1/rules', { effect: 'allow', note, match: { tool: [`Bash(${note} *)`] } });
		for (let i = 0; i < 3; i++) assert.equal((await desk.agent.ask(call(`${note} ${i}`))).status, 'answered');
		const title = fresh('=SUM(A1)');
		const ask = await desk.agent.ask(approval(title));
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve' } } });
		await desk.agent.get(`/v1/asks/${ask.id}`);
		await until(async () => (await desk.get(ask.id)).fetched_at, 'the agent has it');
		await me.visit('/history');
		const folded = history(me).filter({ hasText: `Run ${note}` });
		await folded.getByText(me.t('verb.allowed')).waitFor();
		await until(async () => await folded.count() === 1, 'three in one');
		await me.press(me.button('history.times', { n: 3 }));
		await until(async () => await folded.count() === 3, 'each by itself');

		const row = history(me).filter({ hasText: title });
		await row.getByText(me.t('has.used.not')).waitFor();
		await me.press(row.getByRole('link'));
		await me.text('undo.must', { agent: 'deployer' }).waitFor();
		await me.press(me.region('settled').getByRole('button', { name: me.t('undo') }));
		await me.region('settled').getByText(me.t('outcome.revoked')).waitFor();

		await me.press(me.button('history.rule.from'));
		await until(async () => await me.dialog.getByRole('textbox', { name: me.t('rules.pattern') }).inputValue() !== '', 'prefilled');
		await me.key('Escape');
		await me.visit('/history');
		await row.getByText(me.t('verb.revoked')).waitFor();
		const [file] = await Promise.all([me.page.waitForEvent('download'), me.press(me.button('history.export'))]);
		const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
		assert.match(lines[0], /^\uFEFFsettled_at,outcome,title,.*,event,hash$/);
		const line = lines.find((one) => one.includes(ask.id));
		assert.ok(line.includes(`,'${title},`), `no formula: ${line}`);
		assert.match(line, /,\d+,[0-9a-f]{64}$/);
		assert.equal(lines.length - 2, (await desk.admin.get('/v1/asks/counts')).body.all);
	});

	scenario('keys move along history and sessions as along the inbox', { input: 'keyboard' }, async (me, desk) => {
		const titles = [fresh('One of two'), fresh('Two of two')];
		for (const title of titles) {
			const session = await desk.agent.session(title);
			const ask = await desk.agent.ask({ session: session.id, title, question: 'Well?', type: 'boolean' });
			await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		}
		for (const path of ['/history', '/sessions']) {
			await me.visit(path);
			const links = me.page.getByRole('main').getByRole('listitem').getByRole('link');
			await links.filter({ hasText: titles[0] }).waitFor();
			const focused = () => me.page.evaluate(() => document.activeElement.closest('li')?.textContent ?? '');
			await me.key('j');
			const first = await focused();
			await me.key('j');
			const second = await focused();
			assert.ok(first && second && first !== second, path);
			await me.key('k');
			assert.equal(await focused(), first, path);
			await me.key('ArrowDown');
			assert.equal(await focused(), second, path);
			await me.key('Home', 'Enter');
			await me.page.waitForURL(/(history|sessions)\/\w+/);
		}
	});

	scenario('a withdrawn approval says its title once', async (me, desk) => {
		const title = fresh('Drop the old table');
		const ask = await me.open(approval(title));
		await desk.agent.post(`/v1/asks/${ask.id}/cancel`);
		const card = me.page.getByRole('article');
		await card.getByText(me.t('event.ask.created')).first().waitFor();
		assert.equal(await card.getByText(title, { exact: true }).count(), 1);
	});

	scenario('filters live in the address and survive a way round', async (me, desk) => {
		const session = await desk.agent.session('filters');
		await desk.agent.ask({ session: session.id, ...approval('To approve') });
		await desk.agent.ask({ session: session.id, question: 'To answer?', type: 'boolean' });
		await me.visit('/inbox?kind=approval');
		await me.row('To approve').waitFor();
		assert.equal(await me.row('To answer?').count(), 0);
		await me.page.getByText(me.tn('inbox.shown', 2, { shown: 1 })).waitFor();
		const nav = me.page.getByRole('navigation').first();
		await me.press(nav.getByRole('link', { name: me.t('nav.sessions') }));
		await me.heading(me.t('nav.sessions')).waitFor();
		await me.press(nav.getByRole('link', { name: me.t('nav.inbox') }));
		await me.row('To approve').waitFor();
		assert.match(me.page.url(), /kind=approval/);
		await me.press(me.button('filter.clear'));
		await me.row('To answer?').waitFor();
	});

	scenario('a filter becomes a view with a name, and is thrown away', async (me) => {
		const name = fresh('Urgent');
		await me.desk.agent.ask({ question: 'Now?', type: 'boolean', priority: 'urgent' });
		await me.visit('/inbox?priority=urgent');
		await me.row('Now?').waitFor();
		await me.press(me.button('views.save'));
		await me.write(me.page.getByRole('textbox', { name: me.t('views.name') }), name);
		await me.press(me.button('views.save'));
		const view = me.page.getByRole('group', { name: me.t('views') }).getByRole('link', { name });
		await view.waitFor();
		await me.visit('/inbox');
		await me.press(view);
		await me.page.waitForURL('**/inbox?priority=urgent');
		await me.press(me.button('views.remove', { name }));
		await view.waitFor({ state: 'detached' });
		/* The history has its own. */
		await me.visit('/history?kind=approval');
		await me.press(me.button('views.save'));
		await me.write(me.page.getByRole('textbox', { name: me.t('views.name') }), name);
		await me.press(me.button('views.save'));
		await view.waitFor();
		await me.visit('/inbox');
		assert.equal(await view.count(), 0);
		await me.visit('/history');
		await me.press(view);
		await me.page.waitForURL('**/history?kind=approval*');
		await me.press(me.button('views.remove', { name }));
		await view.waitFor({ state: 'detached' });
		await me.visit('/inbox');
	});

	scenario('unread until it is opened; snoozed, it leaves the list and waits elsewhere', async (me, desk) => {
		const title = fresh('Not now');
		const session = await desk.agent.session('later');
		const ask = await desk.agent.ask({ session: session.id, title, question: 'Really?', type: 'boolean' });
		await me.visit('/inbox');
		await me.row(title).getByText(me.t('inbox.unread')).waitFor({ state: 'attached' });
		await me.press(me.row(title).getByRole('link'));
		await me.heading(title).waitFor();
		await until(async () => {
			const page = await me.page.evaluate((id) => fetch(`/v1/asks/${id}`).then((reply) => reply.json()), ask.id);
			return page.mark.read;
		}, 'read');
		if (me.byKeys) await me.key('h');
		else await me.press(me.page.locator('article summary', { has: me.page.getByText(me.t('snooze')) }).first());
		await me.press(me.page.getByRole('button', { name: me.t('snooze.hour') }));
		await me.page.waitForURL('**/inbox');
		await me.row(title).waitFor({ state: 'detached' });
		await me.visit('/inbox?snoozed=yes');
		await me.row(title).waitFor();
		await desk.pending(ask.id);
		await me.visit('/inbox');
	});

	scenario('the same answer for similar ones, asked once', { input: 'mouse' }, async (me, desk) => {
		if (!me.wide) return;
		const session = await desk.agent.session('tickets');
		const ids = [];
		for (let i = 0; i < 4; i++) ids.push((await desk.agent.ask({ session: session.id, ...approval(`Label ticket ${i}`) })).id);
		await me.page.goto(`/asks/${ids[0]}`);
		await me.armed(me.button('approval.approve'));
		await me.press(me.button('approval.approve'));
		await me.press(me.toasts.getByRole('button', { name: me.tn('similar.review', 3) }));
		const together = me.region('batch').getByRole('button', { name: me.tn('batch.approve', 3), exact: true });
		await me.armed(together);
		for (const id of ids.slice(1)) await desk.pending(id);
		await me.press(together);
		for (const id of ids) assert.equal((await desk.answer(id, 'decision')).value, 'approve');
	});

	scenario('a quick decision only where the row shows it all, and after a moment', { input: 'mouse' }, async (me, desk) => {
		if (!me.wide) return;
		const session = await desk.agent.session('quick');
		const make = (title, risk, more) => desk.agent.ask({ session: session.id, ...approval(title, risk, more) });
		const short = await make('Short one', 'low');
		await make('Grave one', 'critical');
		await make('Long one', 'low', { operation: { name: 'shell', risk: 'low', arguments: { command: 'make '.repeat(40) } } });
		for (let i = 0; i < 4; i++) await make(`Label ticket ${i} as billing and tell everybody`, 'medium');
		await me.visit('/inbox');
		const quick = (title) => me.row(title).locator('.quick button');
		for (const title of ['Grave one', 'Long one', 'Label ticket']) {
			await me.row(title).hover();
			await sleep(200);
			assert.equal(await me.row(title).locator('.quick [data-decides]').count(), 0, title);
			const { box, row } = await me.row(title).evaluate((li) => ({ box: li.querySelector('.quick button:last-child').getBoundingClientRect().right, row: li.getBoundingClientRect().right }));
			assert.ok(box <= row, 'what can be done stays in its row');
		}
		const titled = await me.row('Short one').locator('.title').boundingBox();
		const pressed = await me.pressNew('Short one');
		await me.row('Short one').hover();
		assert.equal(await pressed(), 'true');
		assert.deepEqual(await me.row('Short one').locator('.title').boundingBox(), titled, 'the title keeps its place');
		await desk.pending(short.id);
		await me.armed(quick('Short one').first());
		await quick('Short one').first().click();
		assert.equal((await desk.answer(short.id, 'decision')).value, 'approve');
	});

	scenario('a toast shows what would run, how grave and until when, and decides nothing', { input: 'mouse' }, async (me, desk) => {
		await me.visitLive('/activity');
		const title = fresh('Small');
		await desk.agent.ask({ ...approval(title, 'high'), timeout: '9m' });
		const toast = me.toasts.locator('.toast', { hasText: title });
		for (const text of ['label', me.t('risk.high'), me.t('end.rejected')]) await toast.getByText(text).first().waitFor();
		assert.equal(await me.toasts.locator('[data-decides]').count(), 0);
	});

	scenario('snoozed until a time that one chooses', async (me, desk) => {
		const title = fresh('Some day');
		const ask = await me.open({ title, question: 'Really?', type: 'boolean' });
		const menu = me.page.locator('article summary', { has: me.page.getByText(me.t('snooze')) }).first();
		await menu.waitFor();
		await until(() => me.page.evaluate(() => document.activeElement?.closest('article') !== null), 'the focus in the card');
		await me.pressOr(menu, 'h');
		const choose = me.button('snooze.choose');
		await choose.waitFor();
		if (me.byKeys) await me.key('ArrowUp', 'Enter'); // the last of the menu
		else await me.press(choose);
		const field = me.page.getByLabel(me.t('snooze.until')).and(me.page.locator('input'));
		await field.waitFor();
		assert.ok(await field.evaluate((node) => node === document.activeElement), 'the focus is in the field');
		const day = new Date(Date.now() + 10 * 24 * 3600_000).toISOString().slice(0, 10);
		await field.fill(`${day}T14:30`);
		if (me.byKeys) await me.key('Enter');
		else await me.press(me.button('snooze', {}, me.page.locator('article form.time')));
		await me.toasts.getByText(title).waitFor();
		const { mark } = await me.page.evaluate((id) => fetch(`/v1/asks/${id}`).then((reply) => reply.json()), ask.id);
		const wanted = await me.page.evaluate((local) => new Date(local).toISOString(), `${day}T14:30`);
		assert.equal(Date.parse(mark.snoozed_until), Date.parse(wanted));
		await me.press(me.toasts.getByRole('button', { name: me.t('undo') }));
		await me.row(title).waitFor();
		await desk.pending(ask.id);
	});

	scenario('a swipe on a phone puts aside and decides nothing', { input: 'mouse' }, async (me, desk) => {
		const title = fresh('Aside');
		const ask = await desk.agent.ask({ title, ...approval(title) });
		await beside(me, { view: 'phone', hasTouch: true }, async (own) => {
			await own.live();
			await own.row(title).waitFor();
			const wire = await own.context.newCDPSession(own.page);
			const touch = (type, x, y) => wire.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
			const drag = async (by) => {
				const box = await own.row(title).boundingBox();
				const [x, y] = [box.x + box.width - 40, box.y + box.height / 2];
				await touch('touchStart', x, y);
				for (let step = 1; step <= 8; step++) await touch('touchMove', x - (by * step) / 8, y);
				await touch('touchEnd');
			};
			await drag(50);
			await own.row(title).waitFor();
			assert.equal(new URL(own.page.url()).pathname, '/inbox', 'nothing was opened');
			await drag(200);
			await own.row(title).waitFor({ state: 'detached' });
			await own.toasts.getByText(title).waitFor();
			assert.equal(new URL(own.page.url()).pathname, '/inbox', 'nothing was opened');
			await desk.pending(ask.id);
			await own.press(own.toasts.getByRole('button', { name: own.t('undo') }));
			await own.row(title).waitFor();
		});
	});

	scenario('a title from right to left begins at the right, unread or not', async (me, desk) => {
		const title = 'هل أنشر الإصدار الجديد؟';
		await desk.agent.ask({ question: title, type: 'boolean' });
		await me.visit('/inbox');
		const link = me.row(title).getByRole('link');
		assert.equal(await link.innerText(), title);
		assert.ok(await link.evaluate((node) => node.matches(':dir(rtl)')), 'runs from right to left');
		await me.row(title).getByText(me.t('inbox.unread')).waitFor({ state: 'attached' });
		const unread = await link.evaluate((node) => document.getElementById(node.getAttribute('aria-describedby'))?.textContent);
		assert.equal(unread, [me.t('inbox.unread'), me.t('kind.blocking'), 'deployer'].join(', '), 'kind and who asks are heard, too');
	});

	scenario('answered inside its session; renamed and deleted by name', async (me, desk) => {
		const [title, other] = [fresh('inline'), fresh('renamed')];
		const session = await desk.agent.session(title);
		const ask = await desk.agent.ask({ session: session.id, question: 'From here?', type: 'boolean' });
		await me.visit(`/sessions/${session.id}`);
		await me.check(me.page.getByRole('radio', { name: me.t('form.yes') }));
		await me.send();
		assert.deepEqual(await desk.answer(ask.id), { value: true });
		const choose = async (id, name) => {
			await me.press(me.page.locator('summary').and(me.page.getByLabel(me.t('session.more'))));
			await me.press(me.button(id, { title: name }));
		};
		await choose('session.rename.name', title);
		await me.write(me.dialog.getByRole('textbox'), other);
		await me.press(me.button('session.rename', {}, me.dialog));
		await me.heading(other).waitFor();
		await until(async () => (await me.page.title()).includes(other), 'the title of the tab');
		await choose('session.delete.name', other);
		assert.equal((await desk.admin.get(`/v1/sessions/${session.id}`)).status, 200);
		await me.press(me.button('session.delete', {}, me.dialog));
		await until(async () => (await desk.admin.get(`/v1/sessions/${session.id}`)).status === 404, 'deleted');
	});

	scenario('edit and retry edits the arguments', async (me, desk) => {
		const ask = await me.open({ kind: 'error_recovery', title: 'It failed', context: { error_details: 'exit 1' },
			operation: { name: 'shell', arguments: { command: 'make', depth: 1234567890123456 } } });
		await me.page.getByRole('region', { name: me.t('operation.ran') }).waitFor();
		assert.equal(await me.page.locator('article .actions').getByRole('button', { name: me.t('form.skip') }).count(), 0, 'one Skip');
		await me.check(me.page.getByRole('radio', { name: me.lang === 'fr' ? me.t('own.recovery.edit') : 'Edit and retry' }));
		const field = me.page.getByRole('textbox', { name: new RegExp(`^${me.t('recovery.arguments')}`) });
		assert.deepEqual(JSON.parse(await field.inputValue()), { command: 'make', depth: 1234567890123456 });
		await me.write(field, '{"command": "make -k"}');
		await me.send();
		assert.deepEqual(await desk.answer(ask.id, 'recovery'), { selected: ['edit'], text: '{"command": "make -k"}' });
	});

	scenario('what somebody assigns to me is told', async (me, desk) => {
		const title = fresh('Whose is it?');
		const owner = (await desk.admin.get('/v1/users')).body.items.find((user) => user.name === 'owner');
		const ask = await desk.agent.ask({ title, question: 'Yours?', type: 'boolean', kind: 'non_blocking' });
		await me.visitLive('/activity');
		await desk.marie.post(`/v1/asks/${ask.id}/assign`, { assignees: [owner.id] });
		await me.toasts.getByText(me.t('toast.assigned')).waitFor();
		await desk.marie.post(`/v1/asks/${ask.id}/skip`);
	});

	scenario('a reply of the agent and a session that fails are told', async (me, desk) => {
		const [title, name] = [fresh('Which of them?'), fresh('nightly')];
		const ask = await desk.agent.ask({ title, question: 'Which?', type: 'text' });
		await me.visitLive('/activity');
		await desk.agent.post(`/v1/asks/${ask.id}/replies`, { text: 'The blue one.' });
		await me.toasts.getByText(me.t('toast.replied', { agent: 'deployer' })).waitFor();
		const session = await desk.agent.session(name);
		await desk.agent.patch(`/v1/sessions/${session.id}`, { status: 'failed' });
		await me.toasts.getByText(me.t('colon', { words: me.t('toast.failed'), text: name })).waitFor();
		await me.visit('/inbox');
		const mark = me.row(title).getByText(me.t('inbox.replied'));
		await mark.waitFor();
		await me.press(me.row(title).getByRole('link'));
		await me.heading(title).waitFor();
		await me.visitInside('/inbox');
		await me.row(title).waitFor();
		await mark.waitFor({ state: 'detached' });
	});

	scenario('every tab is called as what it shows; an unknown address says so', async (me, desk) => {
		const title = fresh('Named after me');
		const ask = await me.open({ title, question: 'Yes?', type: 'boolean' });
		await until(async () => (await me.page.title()).includes(title), 'its title');
		const reply = await me.page.goto('/no/such/page');
		assert.equal(reply.status(), 404);
		await me.heading(me.t('lost')).waitFor();
		const program = await fetch(`${desk.server.url}/no/such/page`, { headers: { accept: 'application/json' } });
		assert.match(program.headers.get('content-type'), /problem\+json/);
		await me.look(ask);
	});
});
