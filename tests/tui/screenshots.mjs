// Writes the views of docs/TERMINAL.md, between its marks, from a real terminal:
//   PARLEY_BIN=build/parley node tests/tui/screenshots.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { approval, choice, choices, useTerminals } from './lib.mjs';

const page = fileURLToPath(new URL('../../docs/TERMINAL.md', import.meta.url));
const server = await useTerminals();

async function views(show) {
	const session = await server.agent.session({ title: 'Nightly build', parallel: true });
	await server.agent.post(`/v1/sessions/${session.id}/progress`, { text: 'linking', step: 2, steps: 5 });
	const inside = { session: session.id };
	await server.agent.ask({ ...inside, ...approval('critical', { title: 'Drop the old table?', timeout: '4m',
		context: { text: 'Nothing reads it any more; the backup of this morning has it.', diff: '@@ -1,2 +1 @@\n schema.sql\n-CREATE TABLE old (id INT);' },
		operation: { type: 'tool', name: 'sql', risk: 'critical', arguments: { database: 'prod', query: 'DROP TABLE old;' } } }) });
	await server.agent.ask({ ...inside, title: 'Release 4.2', questions: [choice({ other: true, suggested: 'staging' }), choices(),
		{ key: 'why', header: 'Why', text: 'Why now?', type: 'text' }] });
	await server.agent.ask({ ...inside, kind: 'error_recovery', title: 'The upload failed', context: { error_details: 'ENOSPC: no space left on device', attempt: 2, attempts: 3 } });
	await server.agent.ask({ ...inside, kind: 'non_blocking', question: 'Which name shall it have? 名前は？', type: 'text' });

	const inbox = await server.inbox({ columns: 110, rows: 27 });
	await inbox.shows((text) => text.includes('4 pending') && text.includes('Before this'));
	show('inbox', await inbox.taken());
	inbox.press('Enter');
	await inbox.armed('a approve');
	inbox.press('a');
	await inbox.shows('Press again');
	show('critical', await inbox.taken());
	inbox.press('Escape').resize(72, 20);
	await inbox.lacks('Press again');
	inbox.press('Escape', 'Escape');
	await inbox.shows('Enter open');
	inbox.press('j', 'Enter');
	await inbox.armed('1/3: Environment');
	show('question', await inbox.taken());
	inbox.press('Enter');
	await inbox.shows('2/3: Tests');
	inbox.press('Space', 'Enter');
	await inbox.shows('3/3: Why');
	inbox.type('The tests are green.').press('Enter');
	await inbox.shows('▸ Answer');
	show('review', await inbox.taken());
	inbox.press('Escape', 'Escape');
	await inbox.shows('Enter open');
	inbox.press('v');
	await inbox.shows((text) => text.includes('2/5 · linking') && text.includes('Asked'));
	show('session', await inbox.taken());
	inbox.press('Escape', '?');
	await inbox.shows('Everywhere');
	show('help', await inbox.taken());

	const asking = server.terminal(['ask', 'Deploy to production?', '--timeout', '9m', '--default', 'no'], { columns: 72, rows: 12 });
	await asking.shows('( ) 1 Yes');
	show('ask', await asking.taken());
	const french = await server.inbox({ columns: 72, rows: 14, lang: 'fr' });
	french.press('Enter');
	await french.shows('Approuver');
	show('french', await french.taken());
	const longer = server.terminal(['approve', '--tool', 'Bash', '--arg', 'command=npm test', '--risk', 'medium'], { columns: 72, rows: 17 });
	await longer.armed('1 Approve');
	longer.press('.', '3');
	await longer.shows('‹ 15 minutes ›');
	longer.press('Right');
	await longer.shows('‹ 1 hour ›');
	show('longer', await longer.taken());
}

test('the views of docs/TERMINAL.md', { timeout: 60_000 }, async () => {
	let text = readFileSync(page, 'utf8');
	await views((name, screen) => {
		const view = screen.replace(/ask_[0-9a-z]{26}/g, 'ask_…').replace(/[ \n]+$/, '');
		text = text.replace(new RegExp(`(<!-- view: ${name} -->\n\`\`\`text\n)[^]*?(\n\`\`\`)`), `$1${view.replaceAll('$', '$$$$')}$2`);
	});
	writeFileSync(page, text);
});
