// What agents may write, and how much of it: nothing but our own sequences reaches the terminal,
// a thousand asks scroll, and memory stays small.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { strings, Tally } from '../e2e/hostile.mjs';
import { long, useTerminals } from './lib.mjs';

const server = await useTerminals({ env: { PARLEY_ASK_RATE: '0' } });
const tally = new Tally();

/** The string in every field that takes it; half of them approvals. */
const ask = (text, i) => tally.send(text, (body) => server.agent.post('/v1/asks', body), (put) => ({
	title: put('title', '/title', 200, `${i}`),
	context: { text: put('text', '/context/text', 5000), error_details: put('error', '/context/error_details', 5000),
		preview: put('preview', '/context/preview', 5000), diff: put('diff', '/context/diff', 5000),
		current_step: put('step', '/context/current_step', 200) },
	...(i % 2 === 0
		? { kind: 'approval', operation: { name: put('name', '/operation/name', 200), risk: 'high',
			arguments: { [put('argument', '/operation/arguments', 60)]: put('value', '/operation/arguments', 5000), command: 'rm -rf /tmp/x' } } }
		: { questions: [{ key: 'q', header: put('header', '/questions/0/header', 80), text: put('question', '/questions/0/text', 2000),
			type: 'choice', other: true, options: [{ id: 'a', label: put('label', '/questions/0/options/0/label', 256),
				description: put('description', '/questions/0/options/0/description', 1000),
				preview: put('preview', '/questions/0/options/0/preview', 5000) }, { id: 'b', label: 'plain' }] }] }),
}));

/* What ncurses sends: CSI and charset sequences, cursor movement, and the modes we set. */
function ours(bytes) {
	return bytes
		.replace(/\u001b\[[0-9;?]*[A-Za-z@`]/g, '')
		.replace(/\u001b[()][0-9A-Z]/g, '')
		.replace(/\u001b[=>78M]/g, '')
		.replace(/[\r\n\b\u000e\u000f]/g, '');
}

test('hostile strings in every field: no control byte reaches the terminal but ours', { timeout: 300_000 }, async () => {
	const raw = join(server.home, 'hostile');
	const inbox = await server.inbox({ columns: 110, rows: 40, raw });
	const list = strings.slice(0, 300).filter((_, i) => long || i % 10 === 0);
	for (const [i, text] of list.entries()) {
		const made = await ask(text.slice(0, 20_000), i);
		await inbox.shows(/1 pending/);
		inbox.press('Enter');
		await inbox.shows((screen) => /Agent says|↓ \d+|Wants to run/.test(screen));
		const seen = await inbox.taken();
		if (made.operation) assert.ok(seen.includes('Wants to run'), `${JSON.stringify(text)}\n${seen}`);
		inbox.press('NPage', 'PPage', 'j', 'Escape', 'Escape');
		await server.member.post(`/v1/asks/${made.id}/skip`);
		await inbox.shows(/0 pending/);
		inbox.press('Escape'); // the person moves on from what is gone
		await inbox.taken();
	}
	const sent = readFileSync(raw, 'utf8');
	assert.ok(sent.length > 10_000, `only ${sent.length} were caught`);
	const left = ours(sent);
	// eslint-disable-next-line no-control-regex
	const bad = left.match(/.{0,40}[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f].{0,40}/s);
	assert.equal(bad, null, JSON.stringify(bad?.[0]));
	inbox.close();
});

test('wide, combining and right-to-left text stands in its columns', async () => {
	const titles = ['世界世界', 'e\u0301te\u0301', 'שלום עולם', '👋 wave', '⚠️ careful', '\u202egnp.exe', 'Z\u0351\u036b\u0343\u036a\u0302\u0301'];
	for (const title of titles) await server.agent.ask({ title, question: 'Go?', type: 'boolean' });
	const inbox = await server.inbox({ columns: 60 });
	await inbox.shows(/7 pending/);
	const seen = await inbox.taken();
	for (const part of ['世界世界', 'שלום עולם', '👋 wave', '‹U+202E›gnp.exe', '‹U+0301›']) assert.ok(seen.includes(part), `${part}\n${seen}`);
	inbox.resize(110, 24);
	await inbox.shows(/│/);
	const wide = await inbox.taken();
	assert.equal(wide.split('\n').filter((line) => line.includes('│')).length, 22);
	inbox.close();
	for (const left of (await server.member.get('/v1/asks')).body.items) await server.member.post(`/v1/asks/${left.id}/skip`);
});

test('a thousand asks: all are there, scrolling is a matter of milliseconds, memory stays small', { timeout: 300_000 }, async () => {
	const session = await server.agent.session({ title: 'Many', parallel: true });
	for (let i = 0; i < 1000; i += 20)
		await Promise.all(Array.from({ length: 20 }, (_, n) => server.agent.ask({ session: session.id, title: `Ask ${i + n}`,
			context: { text: 'A few words about what this is. '.repeat(10) }, question: 'Go on?', type: 'boolean' })));
	const inbox = await server.inbox({ columns: 110, rows: 40 });
	await inbox.shows((text) => text.includes('1000 pending') && text.includes('1000 similar'));
	inbox.press('Space');
	await inbox.shows('Ask 1 ');
	const started = Date.now();
	for (let i = 0; i < 40; i++) inbox.press('NPage');
	inbox.press('End');
	await inbox.shows(/▸[• ] +\? Ask 999/);
	const took = Date.now() - started;
	inbox.press('Home');
	await inbox.shows(/▸[• ] +\? 1000 similar {2}Ask 0 /);
	const status = readFileSync(`/proc/${inbox.pid()}/status`, 'utf8');
	const kb = (name) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))[1]);
	console.log(`1,000 asks: 41 pages in ${took} ms; own memory ${kb('RssAnon')} KB, with libraries ${kb('VmRSS')} KB`);
	if (!process.env.ASAN_OPTIONS?.includes('detect')) assert.ok(kb('RssAnon') <= 8192, `${kb('RssAnon')} KB`);
	inbox.close();
});
