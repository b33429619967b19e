// Templates and lists in Settings; what verifiers say; what was answered before.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { bypass, complaints } from './axe.mjs';
import { area } from './matrix.mjs';

const folder = mkdtempSync(join(tmpdir(), 'parley-verifiers-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'parley.conf');
writeFileSync(config, `[verifiers]
scan = sh -c 'cat >/dev/null; echo "{\\"verdict\\":\\"unsure\\",\\"note\\":\\"touches the database\\",\\"risk\\":\\"high\\"}"'
slow = sh -c 'exec sleep 60'
`);
let count = 0;
const bash = (command) => ({ kind: 'approval', title: `Run ${command}`, operation: { type: 'tool', name: 'Bash', arguments: { command } } });
const rule = (desk, tool, verify) => desk.admin.post('/v1/rules', { effect: 'ask', match: { tool: [tool] }, ask: { verify } });

area('templates, verifiers, suggestions', (scenario) => {
	scenario('a template is written, refused with its place, saved, asked with and deleted', async (me, desk) => {
		const name = `deploy-${count++}`;
		await me.visit('/settings/templates');
		await me.press(me.button('templates.templates.new'));
		const form = me.page.getByRole('form', { name: me.t('templates.templates') });
		await me.write(form.getByLabel(me.t('templates.name')), name);
		await me.write(form.getByLabel(me.t('templates.body')), '{"ask": {"question": "Ship {{what}}?"}}');
		await me.press(me.button('templates.save'));
		await form.getByRole('alert').getByText('/ask/question').waitFor();
		await me.write(form.getByLabel(me.t('templates.body')), '{"ask": {"question": "Ship {{what}}?"}, "values": {"what": {}}}');
		await me.press(me.button('templates.save'));
		await form.waitFor({ state: 'detached' });
		const ask = await desk.agent.ask({ template: name, values: { what: 'it' } });
		assert.equal(ask.questions[0].text, 'Ship it?');
		await desk.agent.post(`/v1/asks/${ask.id}/cancel`, {});
		await me.press(me.button('templates.delete.name', { name }));
		await me.press(me.dialog.getByRole('button', { name: me.t('templates.delete'), exact: true }));
		await me.button('templates.delete.name', { name }).waitFor({ state: 'detached' });
	});

	scenario('a list is written and changed', async (me, desk) => {
		const name = `personas-${count++}`;
		await fetch(`${desk.server.url}/v1/lists/${name}`, { method: 'PUT', headers: { authorization: `Bearer ${await desk.server.token('admin', 'writer')}`, 'content-type': 'application/json' },
			body: JSON.stringify({ items: ['Operations'] }) });
		await me.visit('/settings/templates');
		await me.press(me.button('templates.edit.name', { name }));
		const form = me.page.getByRole('form', { name: me.t('templates.lists') });
		await me.write(form.getByLabel(me.t('templates.body')), '{"items": ["Operations", "Developers"]}');
		await me.press(me.button('templates.save'));
		await me.page.getByText('Operations, Developers').first().waitFor();
		assert.equal((await desk.admin.get(`/v1/lists/${name}`)).body.items.length, 2);
	});

	scenario('what a verifier says stands on the card, and raises the risk', async (me, desk) => {
		await rule(desk, 'Bash(scan *)', 'scan');
		const ask = await me.open(bash('scan it'));
		await me.page.getByRole('region', { name: me.t('verify.says', { name: 'scan' }) }).getByText('touches the database').waitFor();
		const approve = me.button('approval.approve');
		await me.armed(approve);
		await me.press(approve);
		const settled = await desk.settled(ask.id);
		assert.deepEqual([settled.risk, settled.answer.decision.value], ['high', 'approve']);
	});

	scenario('while one is looking nobody can approve, and everybody can reject', async (me, desk) => {
		await rule(desk, 'Bash(slow *)', 'slow');
		const ask = await me.open(bash('slow it'));
		await me.page.getByText(me.t('verify.wait', { name: 'slow' })).waitFor();
		assert.equal(await me.button('approval.approve').getAttribute('aria-disabled'), 'true');
		if (me.byKeys) await me.page.getByRole('article').getByRole('heading', { level: 1 }).focus();
		await me.pressOr(me.button('approval.reject.open'), 'r');
		await me.send(me.button('approval.reject'));
		assert.equal((await desk.answer(ask.id, 'decision')).value, 'reject');
	});

	scenario('what was answered before stands beside the form, and is not chosen', async (me, desk) => {
		const question = { question: `Which database, ${count++}?`, options: ['SQLite', 'PostgreSQL'] };
		for (let i = 0; i < 2; i++) {
			const before = await desk.agent.ask(question);
			await desk.marie.post(`/v1/asks/${before.id}/answer`, { answer: 'SQLite' });
		}
		const ask = await me.open(question);
		const box = me.region('suggested');
		await box.getByText('SQLite').waitFor();
		await box.getByText(me.t('suggested.count', { n: 2, of: 2 })).waitFor();
		assert.equal(await me.page.getByRole('article').getByRole('radio', { checked: true }).count(), 0);
		await desk.agent.post(`/v1/asks/${ask.id}/cancel`, {});
	});

	scenario('axe finds nothing in Templates, with one being edited', { ...bypass, resizes: true }, async (me) => {
		await me.visit('/settings/templates');
		await me.press(me.button('templates.lists.new'));
		assert.deepEqual(await complaints(me), []);
	});
}, { flags: ['--config', config], stands: true });
