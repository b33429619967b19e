// Small windows: what is decided and how is seen without scrolling, from 40×10 on; below that nothing is decided.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { approval, choice, useTerminals } from './lib.mjs';

const server = await useTerminals();
const sizes = [[40, 10], [60, 15], [80, 12], [100, 10]];
const sentence = 'Shall the old table of customers be dropped, now that the new one is filled? ';

afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks?limit=200')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
	for (const stop of (await server.admin.get('/v1/stops')).body.items) await server.admin.delete(`/v1/stops/${stop.id}`);
});

for (const [columns, rows] of sizes)
	test(`${columns}×${rows}: an approval shows its risk, its operation and its keys, whatever else there is to say`, async () => {
		await server.member.post('/v1/stops', { match: { agent: 'another' }, reason: 'An incident' });
		/* The policy's risk differs from the agent's: the card says why. */
		const { id: session } = await server.agent.session({ title: 'Shop', project: 'shop' });
		await server.agent.ask(approval('low', { title: sentence.repeat(2).trim(), session, context: { text: 'Because.' } }));
		const inbox = await server.inbox({ columns, rows });
		await inbox.shows(/1 pending/);
		inbox.press('Enter');
		const seen = await inbox.showsWhole('▸ ( ) 1 Approve');
		for (const part of ['medium risk', 'Wants to run  shell', 'make deploy', '2 Reject…', 'a approve']) assert.ok(seen.includes(part), `${part}\n${seen}`);
		/* The rest is below it. */
		let read = seen;
		for (let i = 0; i < 12; i++) read += await inbox.press('NPage').taken();
		for (const part of ['Counts as', 'shop', 'Because.']) assert.ok(read.includes(part), `${part}\n${read}`);
		inbox.close();
	});

test('a question of many lines can be read from its start to its end, with its choices in sight', async () => {
	await server.agent.ask({ title: 'A long one', questions: [choice({ text: `Begin. ${sentence.repeat(18)}End.` })] });
	for (const [columns, rows] of [[80, 24], [40, 10], [120, 24]]) {
		const inbox = await server.inbox({ columns, rows });
		await inbox.shows(/1 pending/);
		inbox.press('Enter');
		let seen = await inbox.showsWhole('▸ ( ) 1 Staging');
		assert.ok(seen.includes('Begin.'), seen);
		for (let i = 0; i < 40 && !seen.includes('End.'); i++) seen = await inbox.press('NPage').taken();
		assert.ok(seen.includes('End.') && seen.includes('▸ ( ) 1 Staging'), seen);
		inbox.close();
	}
});

test('what is asked stays in sight among many choices', async () => {
	const options = Array.from({ length: 12 }, (_, i) => ({ id: `o${i}`, label: `Choice ${i}`, description: 'What it means' }));
	await server.agent.ask({ questions: [{ key: 'q', text: 'Which of them?', type: 'choice', options }] });
	const inbox = await server.inbox({ columns: 60, rows: 15 });
	await inbox.shows(/1 pending/);
	inbox.press('Enter');
	await inbox.shows('▸ ( ) 1 Choice 0');
	inbox.press('End');
	const seen = await inbox.showsWhole('Choice 11');
	assert.match(seen, /Which of them\?/);
	inbox.close();
});

test('a window that is too small says so, and no key decides there', async () => {
	const ask = await server.agent.ask(approval('low'));
	for (const [lang, says] of [['en', /too\s+small/], ['fr', /trop\s+petite/]]) {
		const inbox = await server.inbox({ columns: 80, lang });
		await inbox.shows(/1 (pending|en attente)/);
		inbox.press('Enter');
		await inbox.armed('1 A');
		for (const size of [[39, 24], [80, 9], [20, 4]]) {
			inbox.resize(...size);
			await inbox.sized();
			await inbox.shows(says);
			await inbox.press('a', 'Enter', 's', lang === 'fr' ? 'o' : 'y').taken();
		}
		assert.equal((await server.agent.read(ask)).status, 'pending');
		inbox.resize(80, 24);
		await inbox.shows('▸ ( ) 1 A');
		inbox.close();
	}
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('Enter');
	await inbox.armed('1 Approve');
	inbox.press('a');
	await inbox.shows('caught up');
	inbox.close();
});

test('parley ask in a window that is too small', async () => {
	const terminal = server.terminal(['ask', 'Really?'], { columns: 30, rows: 8 });
	await terminal.shows(/too\s+small/);
	terminal.press('y', 'Enter');
	terminal.resize(60, 15);
	await terminal.armed('1 Yes');
	terminal.press('y').press('Enter');
	await terminal.shows('exit 0');
	terminal.close();
});

test('80×24 in French: the footer of an approval keeps what rejects, however much waits', async () => {
	for (const title of ['Déployer ?', 'Supprimer ?']) await server.agent.ask(approval('high', { title, timeout: '4m' }));
	const inbox = await server.inbox({ columns: 80, rows: 24, lang: 'fr' });
	await inbox.shows(/2 en attente/);
	inbox.press('Enter');
	const seen = await inbox.showsWhole('1 Approuver');
	assert.match(seen.trimEnd().split('\n').at(-1), /Échap retour  a approuver  r refuser…/);
	inbox.close();
});
