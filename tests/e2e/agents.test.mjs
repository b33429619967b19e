// Where an ask came from, and how an agent comes to ask: other tools' words, other tools' settings.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BIN, until } from './lib.mjs';
import { area } from './matrix.mjs';

const examples = JSON.parse(readFileSync(new URL('../dialects/examples.json', import.meta.url)));

/** Asks in the words of another tool. */
async function asked(desk, dialect, request) {
	const { status, body } = await desk.agent.post(`/v1/asks?dialect=${dialect}`, request);
	assert.equal(status, 201, JSON.stringify(body));
	return body;
}

async function look(me, ask) {
	await me.page.goto(`/asks/${ask.id}`);
	await me.region('origin').waitFor();
	return me.region('origin');
}

/** The --print-config of a client for this server, its reference to the token made the token. */
const printed = (client, url, token) => execFileSync(BIN, ['mcp', '--print-config', client, '--url', url], { encoding: 'utf8' })
	.replace(/Bearer [^"]*/, `Bearer ${token}`);
const value = (text) => (text.startsWith('{') ? JSON.parse(text) : text.trim());

area('agents of all kinds', (scenario) => {
	scenario('an ask says quietly through what it came, and shows the request', async (me, desk) => {
		const request = { method: 'item/commandExecution/requestApproval', id: 7,
			params: { itemId: 'call_1', threadId: 't', turnId: 'u', command: 'rm -rf build', cwd: '/srv/app', reason: 'A clean build' } };
		const origin = await look(me, await asked(desk, 'codex', request));
		await origin.getByText(me.t('origin.through', { name: 'Codex' })).waitFor();
		const whole = origin.getByRole('group', { name: me.t('origin.request') });
		assert.equal(await whole.count(), 0, 'closed at first');
		await me.press(origin.locator('summary'));
		assert.match(await whole.innerText(), /"command": "rm -rf build"/);
		assert.equal(await origin.getByText(me.t('origin.repairs')).count(), 0, 'nothing was wrong with it');
	});

	scenario('what was put right in it is listed', async (me, desk) => {
		const ask = await asked(desk, 'ask_user_question', { questions: [{ question: 'Which colour', header: 'Colour of the wall',
			multiple: true, options: ['Red (Recommended)', 'Blue', '<img src=x onerror=alert(1)>'] }] });
		const { repairs } = (await desk.get(ask.id)).foreign;
		assert.ok(repairs.length > 1, String(repairs));
		const origin = await look(me, ask);
		await origin.getByRole('heading', { name: me.t('origin.repairs') }).waitFor();
		assert.deepEqual(await origin.getByRole('listitem').allInnerTexts(), repairs);
	});

	scenario('whatever dialect it came in, it says so; an ask in our own words does not', async (me, desk) => {
		for (const [dialect, example] of Object.entries(examples)) {
			const origin = await look(me, await asked(desk, dialect, example.request));
			const line = await origin.locator('p').first().innerText();
			assert.ok(line.length > me.t('origin.through', { name: '' }).length, line);
		}
		await me.open({ question: 'In our own words?', type: 'boolean' });
		assert.equal(await me.region('origin').count(), 0);
	});

	scenario('a new agent: the settings of each client are those that the program prints', async (me, desk) => {
		await me.visit('/agents?new=token');
		const tabs = me.page.getByRole('group', { name: me.t('first.client') }).getByRole('button');
		await tabs.first().waitFor();
		assert.equal(await me.page.getByRole('textbox', { name: me.t('agents.new') }).count(), 0, 'no token on this machine');
		await me.check(me.page.getByRole('radio', { name: me.t('first.other') }));
		await me.write(me.page.getByRole('textbox', { name: me.t('agents.new') }), `newcomer ${me.lang} ${me.view} ${me.byKeys}`);
		await me.press(me.button('tokens.create'));
		const token = await me.page.getByText(/^prl_/).innerText();
		const known = spawnSync(BIN, ['mcp', '--print-config', 'nobody'], { encoding: 'utf8' }).stderr
			.match(/: ([\w, ]+)$/m)[1].split(', ');
		assert.equal(await tabs.count(), known.length + 3, 'any other client, the shell and curl are there, too');
		const choose = (i) => me.press(tabs.nth(i));
		for (const [i, client] of known.entries()) {
			await choose(i);
			await me.page.getByRole('group', { name: me.t('first.connect.other') })
				.getByText(`export PARLEY_TOKEN=${token}\nparley connect ${client} --url ${desk.server.url}`).waitFor();
			const text = await me.page.getByRole('group', { name: me.t('first.mcp', { file: '' }).trim() }).innerText();
			assert.deepEqual(value(text), value(printed(client, desk.server.url, token)), client);
			const variable = me.page.getByRole('group', { name: me.t('first.variable') });
			if (text.includes(token)) assert.equal(await variable.count(), 0);
			else assert.equal(await variable.innerText(), `export PARLEY_TOKEN=${token}`);
		}
		await choose(known.length);
		const lines = (await me.page.getByRole('group', { name: me.t('first.mcp.other') }).innerText()).split('\n');
		assert.deepEqual(lines, [`${desk.server.url}/mcp`, `Authorization: Bearer ${token}`]);
		await until(async () => (await desk.server.client(token).get('/v1/me')).status === 200, 'a token that works');
	});
}, { stands: true });
