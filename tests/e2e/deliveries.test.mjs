// What is called when an ask is settled, and what a person is told when that fails.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { bypass, complaints } from './axe.mjs';
import { until } from './lib.mjs';
import { area } from './matrix.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-deliveries-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/* A resumer that fails until its file is there. */
const script = join(folder, 'wake');
const mended = join(folder, 'mended');
writeFileSync(script, `#!/bin/sh\n[ -e ${mended} ] && exit 0\necho 'nobody of that name <img src=x onerror=alert(1)>'\nexit 3\n`);
chmodSync(script, 0o755);
const config = join(folder, 'parley.conf');
writeFileSync(config, `[resumers]\nwake = ${script}\n`);

/* A webhook's other end: what it says is up to the scenario. */
let says = 200;
const hook = createServer((request, reply) => {
	request.resume();
	reply.writeHead(says).end();
});
before(() => new Promise((done) => hook.listen(0, '127.0.0.1', done)));
after(() => hook.close());

let serial = 0;
/** An ask of a session that names what is called. */
async function asked(desk, on_settled) {
	const session = await desk.agent.session(`night ${++serial}`, { on_settled });
	return desk.agent.ask({ session: session.id, question: `Go on ${serial}?`, type: 'boolean' });
}
const url = () => `http://127.0.0.1:${hook.address().port}/hook/${serial + 1}`;
const yes = (desk, ask) => desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
const deliveries = async (desk, ask) => (await desk.admin.get(`/v1/deliveries?session=${ask.session}`)).body.items;
const became = (desk, ask, status) => until(async () => (await deliveries(desk, ask))[0]?.status === status, status);
const failed = (me) => me.t('waking.failed', { error: me.t('waking.exit', { n: '3' }) });

/** Its row in the settings. */
const row = (me, target) => me.page.getByRole('list', { name: me.t('settings.deliveries') })
	.getByRole('listitem').filter({ hasText: target });
const show = (me, name) => me.press(me.page.getByRole('group', { name: me.t('deliveries.filter') })
	.getByRole('button', { name: me.t(`deliveries.${name}`), exact: true }));

area('what is called', (scenario) => {
	scenario('a webhook that is gone: listed as failed, called again, and taken', async (me, desk) => {
		const target = url();
		const ask = await asked(desk, { webhook: target });
		says = 410;
		await yes(desk, ask);
		await became(desk, ask, 'dead');
		await me.visit('/settings/deliveries');
		await show(me, 'dead');
		const mine = row(me, target);
		await mine.getByText(me.t('deliveries.status.dead'), { exact: true }).waitFor();
		await mine.getByText(me.tn('deliveries.tries', 1)).waitFor();
		await mine.getByText((await deliveries(desk, ask))[0].last_error).waitFor();
		says = 200;
		await me.press(mine.getByRole('button', { name: me.t('deliveries.retry') }));
		await became(desk, ask, 'done');
		await row(me, target).waitFor({ state: 'detached' });
		await show(me, 'all');
		await row(me, target).getByText(me.t('deliveries.status.done'), { exact: true }).waitFor();
		await row(me, target).getByRole('button', { name: me.t('deliveries.again') }).waitFor();
	});

	scenario('one that is tried again says when; a new one appears by itself', async (me, desk) => {
		await me.visit('/settings/deliveries');
		const target = url();
		const ask = await asked(desk, { webhook: target });
		says = 500;
		await yes(desk, ask);
		const mine = row(me, target);
		await mine.getByText(me.t('deliveries.status.waiting'), { exact: true }).waitFor();
		await show(me, 'waiting');
		await mine.waitFor();
		says = 200;
		desk.server.jump(60_000);
		await became(desk, ask, 'done');
		await show(me, 'dead');
		await mine.waitFor({ state: 'detached' });
	});

	scenario('an agent that was not woken: said on the ask, its session and in a toast, until it is', async (me, desk) => {
		rmSync(mended, { force: true });
		await me.visitLive('/sessions');
		const ask = await asked(desk, { resumer: 'wake' });
		await yes(desk, ask);
		await me.toasts.getByText(failed(me)).waitFor();
		await me.visit(`/sessions/${ask.session}`);
		await me.region('waking').getByText(failed(me)).waitFor();
		await me.page.getByRole('log').getByText(failed(me)).waitFor();
		await me.look(ask);
		const waking = me.region('waking');
		await waking.getByText(failed(me)).waitFor();
		await me.press(waking.locator('summary'));
		await waking.getByText('nobody of that name <img src=x onerror=alert(1)>').waitFor();
		writeFileSync(mended, '');
		await me.press(waking.getByRole('button', { name: me.t('deliveries.retry') }));
		await waking.waitFor({ state: 'detached' });
		await me.region('settled').getByText(me.t('event.session.resumed')).waitFor();
		assert.ok(existsSync(mended));
		await me.visit(`/sessions/${ask.session}`);
		await me.page.getByRole('log').getByText(me.t('event.session.resumed')).waitFor();
		assert.equal(await me.region('waking').count(), 0);
	});

	scenario('who is no administrator is told, and has nothing to press', { user: 'Mona' }, async (me, desk) => {
		rmSync(mended, { force: true });
		const ask = await asked(desk, { resumer: 'wake' });
		await yes(desk, ask);
		await became(desk, ask, 'dead');
		await me.look(ask);
		await me.region('waking').getByText(failed(me)).waitFor();
		assert.equal(await me.region('waking').getByRole('button').count(), 0);
		await me.visit('/settings');
		await me.named('link', 'settings.keys').waitFor();
		assert.equal(await me.named('link', 'settings.deliveries').count(), 0);
	});

	scenario('axe finds nothing in the list, on the ask and on the session', { ...bypass, resizes: true }, async (me, desk) => {
		rmSync(mended, { force: true });
		says = 410;
		const ask = await asked(desk, { webhook: url(), resumer: 'wake' });
		await yes(desk, ask);
		await until(async () => (await deliveries(desk, ask)).filter((one) => one.status === 'dead').length === 2, 'both failed');
		await me.visit('/settings/deliveries');
		await row(me, 'wake').first().waitFor();
		assert.deepEqual(await complaints(me), []);
		for (const path of [`/asks/${ask.id}`, `/sessions/${ask.session}`]) {
			await me.visit(path);
			await me.press(me.region('waking').locator('summary'));
			assert.deepEqual(await complaints(me), []);
		}
		await me.page.emulateMedia({ colorScheme: 'light' });
		says = 200;
	});

	scenario('nothing yet: it says what would be here', async (me) => {
		await me.page.route('**/v1/deliveries*', (route) => route.fulfill({ json: { items: [], next_cursor: null, as_of: 0 } }));
		await me.visit('/settings/deliveries');
		for (const name of ['all', 'waiting', 'dead']) {
			await show(me, name);
			await me.text(`deliveries.empty.${name}`).waitFor();
		}
		await me.page.unroute('**/v1/deliveries*');
	});
}, { flags: ['--config', config, '--webhook-internal', 'yes'], furnish: (desk) => desk.client('member', 'Mona') });
