// Settled once, gone everywhere: two terminals, in a long run also a browser, on the same asks.
// How soon is printed, not asserted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { long, sleep, useTerminals } from './lib.mjs';

const ROUNDS = long ? 30 : 5;
const server = await useTerminals();

/** The page in a browser, as the owner; null in a short run. */
async function browserOpen() {
	if (!long) return null;
	const { launch } = await import('../e2e/lib.mjs');
	const browser = await launch();
	const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
	await page.addInitScript(() => localStorage.setItem('parley.settings', JSON.stringify({ opens: false })));
	const login = await server.run(['user', 'login', 'owner', '--data', server.data]);
	await page.goto(server.url + login.stdout.match(/\/login#\S+/)[0]);
	await page.waitForURL('**/inbox');
	return { browser, page };
}

/** When the screen has no such text any more; a terminal's is looked at every few milliseconds. */
async function gone(terminal, title) {
	while (terminal.screen().includes(title)) await sleep(2);
	return performance.now();
}

test(`${ROUNDS} asks, each settled once and gone everywhere`, { timeout: 300_000 }, async () => {
	const terminals = [await server.inbox({ columns: 80 }), await server.inbox({ columns: 80 })];
	const web = await browserOpen();
	const times = { terminal: [], browser: [] };
	for (let i = 0; i < ROUNDS; i++) {
		const title = `Round ${i} of many`;
		const ask = await server.agent.ask({ title, question: 'Go?', type: 'boolean' });
		await Promise.all(terminals.map((terminal) => terminal.shows(title)));
		if (web) await web.page.locator(`a.main[href="/asks/${ask.id}"]`).waitFor();
		const said = await Promise.all([server.member.answer(ask, { q1: true }), server.admin.answer(ask, { q1: false })]);
		const settled = performance.now();
		assert.deepEqual(said.map((reply) => reply.status).sort(), [200, 409]);
		const browserGone = web?.page.locator(`a.main[href="/asks/${ask.id}"]`).waitFor({ state: 'detached' }).then(() => performance.now());
		for (const terminal of terminals) times.terminal.push(await gone(terminal, title) - settled);
		if (web) times.browser.push(await browserGone - settled);
		assert.equal((await server.agent.read(ask)).status, 'answered');
	}
	for (const [name, list] of Object.entries(times)) {
		const sorted = list.toSorted?.((a, b) => a - b) ?? [...list].sort((a, b) => a - b);
		if (sorted.length) console.log(`${name}: gone after ${Math.max(0, sorted[sorted.length >> 1]).toFixed(0)} ms (median), `
			+ `${Math.max(0, sorted.at(-1)).toFixed(0)} ms at most, of ${sorted.length}`);
	}
	await web?.browser.close();
});
