// Where somebody is reached, when not, and who is told of what.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { bypass, complaints } from './axe.mjs';
import { until } from './lib.mjs';
import { area } from './matrix.mjs';

const got = [];
const hook = createServer((request, reply) => {
	let text = '';
	request.on('data', (part) => (text += part));
	request.on('end', () => {
		got.push(JSON.parse(text));
		reply.writeHead(204).end();
	});
});
before(() => new Promise((done) => hook.listen(0, '127.0.0.1', done)));
after(() => hook.close());
let serial = 0;
const url = () => `http://127.0.0.1:${hook.address().port}/hook/${++serial}`;
const field = (me, id) => me.page.getByLabel(me.t(id), { exact: true });
const press = (me, id) => me.press(me.page.getByRole('button', { name: me.t(id), exact: true }));
/** Opens the form of a channel; spaces of all kinds are compared as plain ones. */
const choose = (me, channel) => me.press(me.page.getByRole('group', { name: me.t('channels.add') })
	.getByRole('button', { name: new RegExp(`^${channel.replace(/\s+/g, ' ')}`, 'i') }));
/** A webhook's contact, by the form. */
async function add(me) {
	await choose(me, me.t('deliveries.webhook'));
	await field(me, 'channels.address').fill(url());
	await field(me, 'channels.name').fill(`room ${serial}`);
	await press(me, 'channels.add');
}
/** What stands behind "…". */
async function more(me, row, id) {
	await me.press(row.locator('summary'));
	await me.press(row.getByRole('button', { name: me.t(id), exact: true }));
}
const row = (me, name) => me.page.getByRole('list', { name: me.t('channels.how') })
	.getByRole('listitem').filter({ hasText: name });

area('channels', (scenario) => {
	scenario('a contact is added, tried, muted and removed', async (me, desk) => {
		await me.visit('/settings/channels');
		await add(me);
		const mine = row(me, `room ${serial}`);
		await mine.getByText(me.t('channels.untested'), { exact: true }).waitFor();
		await me.press(mine.getByRole('button', { name: me.t('channels.test') }));
		await until(() => got.some((body) => body.data?.purpose === 'test'), 'the test message');
		await mine.getByText(me.t('channels.works'), { exact: true }).waitFor();
		await mine.getByText(`127.0.0.1:${hook.address().port}/hook/${serial}`).waitFor();
		await more(me, mine, 'channels.mute');
		await mine.getByText(me.t('channels.muted'), { exact: true }).waitFor();
		await more(me, mine, 'channels.remove');
		await me.press(me.page.getByRole('dialog').getByRole('button', { name: me.t('channels.remove') }));
		await mine.waitFor({ state: 'detached' });
		assert.ok(desk);
	});

	scenario('a Slack account is linked by its e-mail address, and the page says where the code went', async (me) => {
		const asked = [];
		const json = (status, body) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });
		await me.page.route('**/v1/channels', (route) => route.fulfill(json(200, { items: [
			{ channel: 'slack', configured: true, state: 'ok', since: null, error: null, waiting: 0 }] })));
		await me.page.route('**/v1/me/contacts/lookup', (route) => {
			asked.push(route.request().postDataJSON());
			return route.fulfill(asked.length === 1
				? json(404, { type: '/problems/not-found', title: 'Not found', status: 404, detail: 'enter the Slack member ID instead' })
				: json(200, { channel: 'slack', address: 'U012', name: 'Ann S.', email: 'ann@example.org' }));
		});
		await me.page.route('**/v1/me/contacts', (route) => {
			if (route.request().method() !== 'POST') return route.fallback();
			asked.push(route.request().postDataJSON());
			return route.fulfill(json(201, {}));
		});
		await me.visit('/settings/channels');
		await choose(me, 'Slack');
		await me.page.getByText(me.t('channels.link.hint')).waitFor();
		await press(me, 'channels.link');
		await me.page.getByText('enter the Slack member ID instead').waitFor();
		await field(me, 'channels.address').fill('ann@example.org');
		await press(me, 'channels.link');
		await me.page.getByText(me.t('channels.link.sent', { name: 'Ann S.' })).waitFor();
		assert.deepEqual(asked, [{ channel: 'slack' }, { channel: 'slack', email: 'ann@example.org' },
			{ channel: 'slack', address: 'U012', name: '' }]);
		await choose(me, 'Slack');
		await field(me, 'channels.address').fill('U012');
		await me.page.getByRole('button', { name: me.t('channels.add'), exact: true }).waitFor();
		assert.deepEqual(await complaints(me), []);
		await me.page.unrouteAll();
	});

	scenario('what the server is not set up for says so, with the lines that set it up', async (me) => {
		await me.visit('/settings/channels');
		for (const [channel, line] of [['email', 'smtp_url = '], ['slack', 'slack_token_file = '], ['command', '[channels]'], ['push', 'url = https://']]) {
			const name = me.t(`deliveries.${channel}`);
			await choose(me, me.t('channels.unset', { channel: name }));
			const off = me.page.getByRole('region', { name: me.t('channels.off', { channel: name }) });
			await off.getByText(line).waitFor();
			assert.equal(await field(me, 'channels.address').count(), 0);
		}
	});

	scenario('what is wrong is said once, beside its field; a channel that went off is no lost connection', async (me) => {
		await me.visit('/settings/channels');
		await choose(me, me.t('deliveries.webhook'));
		const box = field(me, 'channels.address');
		await box.fill('no address');
		await press(me, 'channels.add');
		const alerts = me.page.getByRole('alert').filter({ hasText: /./ });
		await alerts.first().waitFor();
		assert.equal(await alerts.count(), 1);
		assert.doesNotMatch(await alerts.innerText(), /\//, 'no pointer');
		assert.equal(await box.getAttribute('aria-invalid'), 'true');
		const detail = 'webhook is not configured on this server';
		await me.page.route('**/v1/me/contacts', (route) => (route.request().method() !== 'POST' ? route.fallback()
			: route.fulfill({ status: 503, contentType: 'application/problem+json',
				body: JSON.stringify({ type: '/problems/channel-off', title: 'The channel is not configured', status: 503, detail }) })));
		await press(me, 'channels.add');
		await alerts.getByText(detail, { exact: false }).waitFor();
		assert.equal(await me.page.getByText(me.t('problem.unreachable')).count(), 0);
		await me.page.unrouteAll();
		me.errors.splice(0); // the browser tells of the 503
	});

	scenario('routes and deliveries name people, not ids', async (me, desk) => {
		const { body: user } = await desk.admin.post('/v1/users', { name: `Dora ${++serial}`, role: 'member' });
		const { body: contact } = await desk.admin.post(`/v1/users/${user.id}/contacts`, { channel: 'webhook', address: url(), format: 'parley' });
		const { version, items } = (await desk.admin.get('/v1/routes')).body;
		const steps = [{ after: '0s', to: [`user:${user.id}`] }, { after: '1h', to: [`contact:${contact.id}`] }];
		assert.equal((await desk.admin.put('/v1/routes', { version, items: [{ match: {}, steps }] })).status, 200);
		const ask = await desk.agent.ask({ title: `Named ${serial}`, question: 'Go on?', type: 'boolean' });
		await until(async () => (await desk.admin.get(`/v1/deliveries?ask=${ask.id}&kind=webhook`)).body.items[0]?.status === 'done', 'told');
		await me.visit('/settings/routes');
		const route = me.page.getByRole('list', { name: me.t('settings.routes') }).getByRole('listitem').first();
		await until(async () => (await route.innerText()).split(user.name).length === 3, 'the name in both steps');
		await me.visit('/settings/deliveries');
		const list = me.page.getByRole('list', { name: me.t('settings.deliveries') });
		await list.getByText(user.name, { exact: true }).first().waitFor();
		await until(async () => !/con_|usr_/.test(await list.innerText()), 'no id');
		await desk.admin.post(`/v1/asks/${ask.id}/skip`);
		await desk.admin.put('/v1/routes', { version: version + 1, items });
		await desk.admin.delete(`/v1/users/${user.id}`);
	});

	scenario('what would come of an ask now, in the night and at the weekend stands beside the contacts', async (me) => {
		await me.visit('/settings/channels');
		const box = me.region('came');
		await box.getByRole('heading', { name: me.t('came.critical') }).waitFor();
		const tried = me.page.waitForRequest((request) => request.url().endsWith('/v1/routes/try'));
		await me.pick(box.getByRole('combobox', { name: me.t('came.when') }), me.t('came.weekend'));
		assert.equal(new Date((await tried).postDataJSON().at).getDay(), 6);
	});

	scenario('quiet hours are a sentence, on a clock of 24 hours, and kept at once', async (me) => {
		const saved = () => me.page.getByRole('status').getByText(me.t('channels.saved')).waitFor();
		const from = me.page.getByRole('combobox', { name: me.t('channels.from') });
		await me.visit('/settings/channels');
		await me.check(field(me, 'channels.quiet.on'));
		await saved();
		await me.pick(from, '21:30');
		await saved();
		await me.visit('/settings/channels');
		await until(async () => await from.innerText() === '21:30', 'kept');
		await me.check(me.page.getByRole('checkbox', { name: me.t('channels.quiet.from') }), false);
		await saved();
		/* What one hears of sessions. */
		await me.pick(me.page.getByRole('combobox', { name: me.t('channels.finished') }), me.t('channels.finished.all'));
		await saved();
		await me.check(field(me, 'channels.progress'));
		await saved();
		await until(async () => await me.page.evaluate(async () => {
			const { finished, progress } = await (await fetch('/v1/me/notify')).json();
			return finished === 'all' && progress;
		}), 'kept');
		await me.check(field(me, 'channels.progress'), false);
		await me.pick(me.page.getByRole('combobox', { name: me.t('channels.finished') }), me.t('channels.finished.mine'));
		await saved();
	});

	scenario('a route is changed, and the preview says who would be told', async (me, desk) => {
		await me.visit('/settings/routes');
		const list = me.page.getByRole('list', { name: me.t('settings.routes') });
		await list.getByRole('listitem').first().waitFor();
		const before_ = await list.getByRole('listitem').count();
		/* A sentence of pickers: people and teams by name, times by the clock. */
		const { body: team } = await desk.admin.post('/v1/teams', { name: `night-${++serial}`, members: [] });
		await me.visit('/settings/routes');
		await list.getByRole('listitem').first().waitFor();
		await press(me, 'routes.new');
		await me.page.getByText(me.t('routes.unsaved')).waitFor();
		await field(me, 'routes.name').fill(`Nights ${serial}`);
		const picker = (id) => me.page.getByRole('combobox', { name: me.t(id, { n: '1' }), exact: true });
		await me.pick(picker('routes.when'), me.t('routes.words.after', { span: '10 min' }));
		await me.pick(picker('routes.to'), me.t('told.to.on_call', { name: team.name }));
		await me.key('Escape');
		await me.pick(picker('routes.via'), me.t('deliveries.push'));
		await me.key('Escape');
		await press(me, 'routes.save');
		await me.page.getByText(me.t('routes.unsaved')).waitFor({ state: 'detached' });
		await me.visit('/settings/routes');
		await list.getByText(`Nights ${serial}`).waitFor();
		const { steps } = (await desk.admin.get('/v1/routes')).body.items.find((one) => one.name === `Nights ${serial}`);
		assert.deepEqual([steps[0].after, steps[0].to, steps[0].via], ['10m', ['assignees', `team:${team.name}/on_call`], ['push']]);
		assert.doesNotMatch(await me.page.getByRole('region', { name: me.t('settings.routes') }).innerText(), /team:|_/);
		assert.equal(await list.getByRole('listitem').count(), before_ + 1);
		const preview = me.page.getByRole('region', { name: me.t('routes.preview') });
		await preview.getByRole('listitem').first().waitFor();
		/* The owner is in no team and has no contact: said to be left out. */
		await preview.getByText(me.t('routes.preview.not')).first().waitFor();
		const lines = await preview.getByRole('listitem').allInnerTexts();
		assert.ok(lines.length > 0);
		assert.deepEqual(lines, [...new Set(lines)], 'each is said once');
	});

	scenario('one list is the order: dragged, and moved by keys', { input: 'mouse' }, async (me) => {
		await me.page.route('**/v1/me/contacts', (route) => route.fulfill({ json: { items: ['push', 'email', 'slack'].map((channel) => ({
			id: `con_${channel}`, user: null, team: null, channel, address: channel, format: null, name: channel, verified: true, tested: true,
			muted: false, broken: null, created_at: '2026-01-01T00:00:00Z', last_used_at: null })), next_cursor: null, as_of: 0 } }));
		await me.visit('/settings/channels');
		const list = me.page.getByRole('list', { name: me.t('channels.how') });
		const names = () => list.getByRole('listitem').locator('strong').allInnerTexts();
		await list.getByRole('listitem').first().waitFor();
		const [first, second, third] = await names();
		await list.getByRole('listitem').nth(2).dragTo(list.getByRole('listitem').nth(0));
		assert.deepEqual(await names(), [third, first, second]);
		await list.getByRole('listitem').nth(0).getByRole('button').first().focus();
		/* Two keys with nothing between them: no timer of the page has run. */
		await me.page.evaluate(async () => {
			for (let n = 0; n < 2; n++) {
				const init = { key: 'ArrowDown', altKey: true, bubbles: true, cancelable: true };
				document.activeElement.dispatchEvent(new KeyboardEvent('keydown', init));
				for (let m = 0; m < 10; m++) await null;
			}
		});
		assert.deepEqual(await names(), [first, second, third], 'the focus goes along');
		await me.page.getByRole('status').getByText(me.t('channels.saved')).waitFor();
		await me.page.unrouteAll();
	});

	scenario('a team has contacts, and the card says who was told and what comes next', async (me, desk) => {
		const name = `ops-${++serial}`;
		const { body: team } = await desk.admin.post('/v1/teams', { name, members: [] });
		await me.visit('/settings/channels');
		await me.pick(me.page.getByRole('combobox', { name: me.t('channels.for'), exact: true }), name);
		await add(me);
		await row(me, `room ${serial}`).getByText(me.t('channels.untested'), { exact: true }).waitFor();
		const { version, items } = (await desk.admin.get('/v1/routes')).body;
		await desk.admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: [`team:${name}`] },
			{ after: '1h', to: ['role:admin'] }] }] });
		const ask = await desk.agent.ask({ title: `Told ${serial}`, question: 'Go on?', type: 'boolean' });
		await me.visit(`/asks/${ask.id}`);
		const told = me.page.getByRole('region', { name: me.t('told.title') });
		await told.getByText(`${name}, ${me.t('deliveries.webhook')}`).waitFor();
		await told.getByText(me.t('told.to.admins')).waitFor();
		await desk.admin.post(`/v1/asks/${ask.id}/skip`);
		await me.visit(`/history/${ask.id}`);
		await told.getByText(`${name}, ${me.t('deliveries.webhook')}`).waitFor();
		await desk.admin.put('/v1/routes', { version: version + 1, items: [{ match: {}, steps: [{ after: '0s', to: [`team:${name}/on_call`] }] }] });
		const alone = await desk.agent.ask({ title: `Untold ${serial}`, question: 'Go on?', type: 'boolean' });
		await me.visit(`/asks/${alone.id}`);
		await told.getByText(me.t('told.unreached', { list: me.t('told.why.on_call', { who: name }) })).waitFor();
		await desk.admin.post(`/v1/asks/${alone.id}/skip`);
		await desk.admin.put('/v1/routes', { version: version + 2, items });
		assert.equal((await desk.admin.delete(`/v1/teams/${team.id}`)).status, 204);
	});

	scenario('axe finds nothing in either', bypass, async (me) => {
		for (const part of ['channels', 'routes']) {
			await me.visit(`/settings/${part}`);
			if (part === 'channels') await add(me);
			await me.page.getByRole('region', { name: me.t(`settings.${part}`) }).getByRole('listitem').first().waitFor();
			assert.deepEqual(await complaints(me), []);
		}
	});
}, { flags: ['--webhook-internal', '127.0.0.0/8'] });
