// What rows say without colour: when and how it ends, how old it is, which one of how many, and what became of it.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { approval, useTerminals } from './lib.mjs';

const server = await useTerminals();
const ask = (body) => server.agent.ask(body);
const yesNo = (text, more = {}) => ({ question: text, type: 'boolean', ...more });
const row = (screen, title) => screen.split('\n').find((line) => line.includes(title)) ?? '';

afterEach(async () => {
	for (const left of (await server.member.get('/v1/asks?limit=200')).body.items)
		await server.member.post(`/v1/asks/${left.id}/skip`);
});

test('a countdown says its end and an age that it is one, in every row', async () => {
	server.jump(-12 * 60_000);
	await ask(approval('high', { title: 'Old and risky' }));
	server.jump(12 * 60_000);
	await ask(approval('critical', { title: 'Soon rejected', timeout: '3m' }));
	await ask(yesNo('Send it?', { timeout: '11m', default: { q1: false } }));
	await ask(yesNo('Or not?', { timeout: '4m' }));
	for (const [lang, ends, status, heads] of [
		['en', ['→ rejected', '→ “No”', '→ expires', '12m ago'], 'live · 4 pending', ['Due within 5 min  2', 'High risk or priority  1', 'Other  1']],
		['fr', ['→ refusé', '→ «\u00a0Non\u00a0»', '→ expire', 'il y a 12m'], 'en direct · 4 en attente', ['Échéance dans les 5 min  2', 'Risque ou priorité élevés  1', 'Autres  1']]]) {
		const inbox = await server.inbox({ columns: 80, lang, env: { NO_COLOR: '1' } });
		const seen = await inbox.showsWhole((text) => text.includes('Old and risky') && text.includes('Or not?'));
		for (const [i, title] of ['Soon rejected', 'Send it?', 'Or not?', 'Old and risky'].entries())
			assert.ok(row(seen, title).includes(ends[i]), `${title}: ${ends[i]}\n${seen}`);
		/* Why they stand in this order; the cursor begins at the first. */
		const order = [heads[0], 'Soon rejected', 'Or not?', heads[1], 'Old and risky', heads[2], 'Send it?'];
		assert.deepEqual(seen.split('\n').slice(1, 8).map((line) => order.find((text) => line.includes(text))), order, seen);
		assert.match(row(seen, 'Soon rejected'), /^▸/);
		assert.match(seen.trimEnd().split('\n').at(-1), new RegExp(`${status} · [23]:\\d\\d ${ends[0]}`));
		inbox.close();
	}
});

test('columns are aligned, and the head says which row of how many', async () => {
	for (let i = 0; i < 30; i++) await ask(approval(['low', 'critical', 'high'][i % 3], { title: `Thing ${'abcdefghijklmnopqrstuvwxyzABCD'[i]}` }));
	const inbox = await server.inbox({ columns: 80 });
	await inbox.shows(/30 pending/);
	inbox.press('Home');
	const seen = await inbox.showsWhole(/1 of 30$/m);
	const rows = seen.split('\n').filter((line) => line.includes('Thing'));
	for (const word of [/builder/, /medium risk|critical|high risk/, /now$|\d+[sm] ago$/])
		assert.equal(new Set(rows.map((line) => line.search(word))).size, 1, seen);
	inbox.press('End');
	await inbox.shows(/30 of 30$/m);
	inbox.press('/').type('thing b').press('Enter');
	await inbox.shows((text) => /2 of 30 pending/.test(text) && / of 2$/m.test(text));
	inbox.close();
});

test('narrow and side by side: what ends is said before anything else', async () => {
	await ask(approval('critical', { title: 'Drop the table', timeout: '4m' }));
	for (const columns of [40, 100, 120]) {
		const inbox = await server.inbox({ columns });
		await inbox.shows(/[34]:\d\d → rejected/);
		assert.match(await inbox.taken(), /Drop the table|Drop the t…|Drop th/);
		inbox.close();
	}
	await ask(yesNo('Shall the answers of last week be kept for now?'));
	await ask(approval('high', { title: 'Restart all the mail servers', priority: 'high' }));
	for (const [lang, risk] of [['en', 'high risk'], ['fr', 'risque élevé']]) {
		const narrow = await server.inbox({ columns: 120, lang });
		await narrow.shows(new RegExp(`! Restart all the mail .* ${risk} `));
		narrow.close();
	}
	const beside = await server.inbox({ columns: 120 });
	await beside.shows('• ? Shall the answers of last week be');
	beside.close();
});

test('without colours nothing empty is underlined', async () => {
	await ask(yesNo('Plain?'));
	const inbox = await server.inbox({ columns: 80, env: { NO_COLOR: '1' } });
	await inbox.showsWhole('Plain?');
	await ask(yesNo('Below?'));
	await inbox.showsWhole('Below?');
	/* What is underlined, as text. */
	const underlined = [...inbox.screen({ colours: true }).matchAll(/\u001b\[[0-9;]*4m([^\u001b]*)/g)].map((found) => found[1]);
	for (const text of underlined) assert.match(text, /\S/, JSON.stringify(underlined));
	inbox.close();
});

test('where the locale has no UTF-8, everything is drawn in ASCII', async () => {
	await ask(approval('critical', { title: 'Größe – 名前 “quoted”', timeout: '4m' }));
	for (const lang of ['en', 'fr']) {
		const inbox = server.terminal(['inbox', '--no-open'], { columns: 80, lang, env: { LC_ALL: 'C', LANG: 'C' } });
		await inbox.shows(lang === 'fr' ? /\* en direct/ : /\* live/);
		await inbox.shows(/Gr.?o?.e - /);
		inbox.press('Enter');
		const seen = await inbox.showsWhole(lang === 'fr' ? '> ( ) 1 Approuver' : '> ( ) 1 Approve');
		// eslint-disable-next-line no-control-regex
		assert.match(seen, /^[\n\u0020-\u007e]*$/);
		assert.match(seen, /> (rejected|refuse)/);
		assert.match(seen, /2 (Reject|Refuser)~/, 'what goes on has a sign that is no full stop');
		inbox.close();
	}
	const named = server.terminal(['inbox', '--no-open'], { columns: 80, lang: 'fr', env: { LC_ALL: '', LANG: 'fr_ZZ.UTF-8' } });
	await named.shows(/● en direct/);
	named.close();
});

test('the history: received and used at 80 columns, the one under the cursor in detail, filters that Esc takes away', async () => {
	const used = await ask(approval('low', { title: 'History used' }));
	await server.member.answer(used, { decision: { value: 'approve', text: 'Mind the gap' } });
	const now = await server.agent.read(used);
	assert.equal((await server.agent.post(`/v1/asks/${used.id}/use`, { digest: now.approved_digest })).status, 200);
	const received = await ask(yesNo('History received?'));
	await server.member.answer(received, { q1: true });
	await server.agent.get(`/v1/asks/${received.id}`);
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('g', 'h');
	const seen = await inbox.showsWhole(/used at \d\d:\d\d/);
	assert.match(row(seen, 'History used'), /approved +History used +mia +used at \d\d:\d\d$/);
	inbox.press('Home');
	for (let i = 0; i < 4 && !/▸.*History used/.test(await inbox.taken()); i++) inbox.press('Down');
	const detail = await inbox.showsWhole('Note: Mind the gap');
	assert.match(detail, /\n Approved by mia via api\n shell [^\n]*make deploy[^\n]*\n Note: Mind the gap\n Asked \d\d:\d\d by builder/);
	inbox.press('/').type('no such thing at all').press('Enter');
	await inbox.shows((text) => text.includes('Nothing matches the filter') && !text.includes('Nothing settled yet'));
	inbox.press('Escape');
	await inbox.shows((text) => text.includes('[History]') && text.includes('History used') && !text.includes('no such thing'));
	inbox.press('Escape');
	await inbox.shows('[Inbox');
	inbox.close();
});

test('the row of the cursor is marked by a sign in sessions and history, too', async () => {
	const session = await server.agent.session({ title: 'Marked session' });
	await server.member.answer(await ask({ ...yesNo('Marked?'), session: session.id }), { q1: true });
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('g', 's');
	await inbox.shows((text) => /^▸.*ago$/m.test(text) && /1 of \d+$/m.test(text));
	inbox.press('g', 'h');
	await inbox.shows((text) => /^▸\d\d:\d\d/m.test(text) && /1 of \d+$/m.test(text));
	inbox.close();
});

test('filters are a menu with counts: the letter or arrows choose, Enter keeps it, Esc shows everything', async () => {
	for (const name of ['Alpha', 'Beta', 'Gamma']) await ask(yesNo(`${name}?`));
	await ask(approval('low', { title: 'Delta' }));
	await ask(yesNo('Epsilon?', { priority: 'urgent' }));
	for (const columns of [80, 120]) {
		const inbox = await server.inbox({ columns });
		await inbox.shows(/5 pending/);
		inbox.press('f');
		const menu = await inbox.showsWhole((text) => /^Kind/m.test(text) && /4 of 5 pending/.test(text));
		for (const [label, n] of [['All', 5], ['question', 4], ['approval', 1]])
			assert.match(menu, new RegExp(`\\((•| )\\) ${label} +${n}\\b`, 'i'));
		assert.match(menu, /▸ \(•\) question/i);
		assert.match(menu, /Esc all {2}Enter done {2}↑↓ choose/);
		assert.match(menu, /^Kind {2}p Urgency {2}P Project/m);
		inbox.press('f', 'f');
		await inbox.shows((text) => text.includes('Delta') && !text.includes('Alpha?') && /1 of 5 pending/.test(text));
		inbox.press('Enter');
		await inbox.shows((text) => !/^Kind/m.test(text) && text.includes('Delta') && !text.includes('Alpha?'));
		inbox.press('Escape');
		await inbox.shows('Alpha?');
		inbox.press('p');
		await inbox.shows((text) => /^Urgency/m.test(text) && text.includes('Epsilon?') && !text.includes('Alpha?'));
		inbox.press('Up');
		await inbox.shows((text) => /▸ \(•\) All +5/.test(text) && text.includes('Alpha?'));
		inbox.press('Down', 'Escape');
		await inbox.shows((text) => !/^Urgency/m.test(text) && text.includes('Alpha?'));
		inbox.close();
	}
	const inbox = await server.inbox({ columns: 80 });
	inbox.press('g', 'h', 'f');
	const settled = await server.member.get('/v1/asks/counts');
	await inbox.shows((text) => /^Outcome/m.test(text) && new RegExp(`\\( \\) All +${settled.body.all}\\b`).test(text)
		&& new RegExp(`\\( \\) rejected +${settled.body.rejected}\\b`).test(text) && /\( \) withdrawn +\d+$/m.test(text));
	inbox.press('A');
	await inbox.shows((text) => /^Agent/m.test(text) && /\( \) All +1$/m.test(text));
	inbox.press('Escape', 'f', 'Escape');
	await inbox.shows((text) => text.includes('[History]') && !/^Outcome/m.test(text));
	inbox.close();
});

test('what a session asks stands in it, and is answered there', async () => {
	for (const columns of [80, 120]) {
		const session = await server.agent.session({ title: `Asking ${columns}`, parallel: true });
		const one = await ask({ ...approval('low', { title: 'Inside one', timeout: '9m' }), session: session.id });
		await ask({ ...yesNo('Inside two?'), session: session.id });
		const inbox = await server.inbox({ columns });
		await inbox.shows(/2 pending/);
		inbox.press('v');
		const seen = await inbox.showsWhole((text) => text.includes('[Sessions') && /▸.*Inside one.*[89]:\d\d → rejected/.test(text));
		assert.match(seen, /Inside two\?/);
		assert.match(seen, /Enter answer/);
		inbox.press('Enter');
		await inbox.armed((text) => text.includes('▸ ( ) 1 Approve') && text.includes('[Sessions'));
		inbox.press('a');
		await inbox.shows((text) => text.includes('[Sessions') && /▸.*Inside two\?/.test(text) && /Answered: Inside one · owner/.test(text));
		assert.equal((await server.agent.read(one)).status, 'answered');
		inbox.press('Enter');
		await inbox.armed('▸ ( ) 1 Yes');
		inbox.press('Escape');
		await inbox.shows((text) => text.includes('[Sessions') && text.includes('Enter answer'));
		inbox.press('Escape');
		await inbox.shows('[Inbox');
		inbox.close();
		await server.member.post(`/v1/sessions/${session.id}/cancel`);
		for (const left of (await server.member.get('/v1/asks?limit=200')).body.items) await server.member.post(`/v1/asks/${left.id}/skip`);
	}
});

test('without a login that is said once, whole, and no key is offered that does nothing', async () => {
	const env = { XDG_CONFIG_HOME: `${server.home}/nobody` };
	const asked = await server.run(['ask', 'Whose?', '--no-wait', '--data', server.data]);
	assert.equal(asked.code, 0, asked.stderr);
	for (const columns of [80, 120]) {
		const inbox = await server.inbox({ columns, env });
		const seen = await inbox.showsWhole((text) => text.includes('Whose?') && text.includes('not logged in'));
		assert.equal(seen.match(/not\s+logged\s+in/g).length, 1, seen);
		assert.doesNotMatch(seen.split('\n')[0], /logged|…/);
		assert.doesNotMatch(seen, /x select/);
		inbox.press('x', 'i');
		assert.doesNotMatch(await inbox.taken(), /selected|Assign to/);
		inbox.close();
	}
});

test('a batch that does not fit the screen is sent only after it was scrolled to its end', async () => {
	const made = [];
	for (const name of ['cart', 'login', 'mail', 'search', 'users', 'zones'])
		made.push(await ask({ kind: 'approval', operation: { type: 'tool', name: 'Bash', arguments: { command: `npm test ${name}` }, risk: 'medium' } }));
	const inbox = await server.inbox({ columns: 80, rows: 12 });
	await inbox.shows(/6 pending/);
	assert.match(await inbox.taken(), /Bash: npm test cart/, 'rows name the command');
	for (let i = 0; i < made.length; i++) {
		inbox.press('Enter');
		await inbox.shows('1 Approve');
		inbox.press('Escape');
		await inbox.shows(/Enter open|B answer all/);
		inbox.press('x');
		await inbox.shows(`${i + 1} selected`);
	}
	inbox.press('B');
	await inbox.armed('Bash npm test cart');
	inbox.press('a');
	await inbox.shows('Scroll through the whole operation to approve.');
	for (let i = 0; i < 4; i++) inbox.press('C-d');
	await inbox.shows('npm test zones');
	inbox.press('a');
	await inbox.armed('Send this answer to 6 asks?');
	for (const one of made) assert.equal((await server.agent.read(one)).status, 'pending');
	inbox.press('Enter');
	await inbox.shows(/0 pending/);
	for (const one of made) assert.equal((await server.agent.read(one)).status, 'answered');
	inbox.close();
});

test('whoever answers is told of others who do, not of oneself', async () => {
	await ask({ question: 'Why?', type: 'text' });
	const [one, two] = [await server.inbox({ columns: 80 }), await server.inbox({ columns: 80, env: { PARLEY_TOKEN: server.secrets.member } })];
	one.press('Enter');
	await one.armed('Why?');
	two.press('Enter');
	await two.armed('Why?');
	one.type('x');
	await two.shows('owner is answering');
	assert.doesNotMatch(await one.taken(), /is answering/);
	one.close();
	two.close();
});
