// Mails as a person sees them, in Chromium, light and dark: hostile strings in every field run nothing, fetch nothing, and
// leave every word readable.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { codeOf, isCode, Post } from '../api/lib/mail.mjs';
import { until, useServer } from '../api/lib/server.mjs';
import { Tally, oneOfEach, strings } from '../e2e/hostile.mjs';
import { PATIENCE_MS } from '../lib/server.mjs';

const long = Boolean(process.env.PARLEY_LONG);
const hostile = long ? strings : oneOfEach;
const post = await new Post().open();
const server = await useServer({ flags: ['--smtp-url', post.url, '--mail-from', 'parley@example.org', '--mail-reply', 'parley+{token}@example.org',
	'--url', 'https://parley.example.org', '--notify-rate', '1000', '--ask-rate', '0'] });
const { agent, member, admin } = server;
const contact = (await member.post('/v1/me/contacts', { channel: 'email', address: 'mia@example.org' })).body;
await member.post(`/v1/me/contacts/${contact.id}/verify`, { code: codeOf(await post.take('mia@example.org', isCode)) });
const { version } = (await admin.get('/v1/routes')).body;
await admin.put('/v1/routes', { version, items: [{ match: {}, steps: [{ after: '0s', to: ['all'] }] }] });

const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', headless: true, args: ['--no-sandbox'] });
after(() => browser.close());

/** In the page: what is wrong with how it looks. */
function wrongLook(width) {
	const wrong = [];
	const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
	const light = (colour) => numbers(colour).slice(0, 3).map((v) => v / 255)
		.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (at) => {
		for (; at; at = at.parentElement) {
			const colour = getComputedStyle(at).backgroundColor;
			if ((numbers(colour)[3] ?? 1) > 0) return colour;
		}
		return matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)';
	};
	if (document.scripts.length || document.querySelector('img, iframe, form, link, object, embed, video, audio, svg, base')) wrong.push('a foreign element');
	if (document.documentElement.scrollWidth > width) wrong.push(`as wide as ${document.documentElement.scrollWidth}`);
	for (const link of document.links) if (!link.href.startsWith('https://parley.example.org/')) wrong.push(`a link to ${link.href}`);
	for (const at of document.querySelectorAll('body *')) {
		if (![...at.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
		const { color, fontSize, visibility, opacity, display } = getComputedStyle(at);
		const [a, b] = [light(color), light(behind(at))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) wrong.push(`${at.tagName}: ${color} on ${behind(at)}`);
		if (Number.parseFloat(fontSize) < 11 || visibility !== 'visible' || opacity !== '1' || display === 'none') wrong.push(`${at.tagName} is hidden`);
	}
	return wrong;
}

test(`${hostile.length} hostile strings in the fields of a mail, in light and dark`, async (t) => {
	const tally = new Tally();
	const session = (await agent.post('/v1/sessions', { title: 'Hostile', parallel: true })).body.id;
	for (const text of hostile) {
		await tally.send(text, (body) => agent.post('/v1/asks', body), (field) => ({ session, title: field('title', '/title', 200),
			context: { text: field('context', '/context/text', 4000) }, questions: [{ key: 'q', text: field('question', '/questions/0/text', 2000),
				type: 'choice', options: [{ id: 'a', label: field('label', '/questions/0/options/0/label', 200) }, 'b'] }] }));
	}
	const operation = { type: 'tool', name: 'shell', arguments: { script: hostile.join('\n').replaceAll('\0', '').slice(0, 6000) }, risk: 'high' };
	await agent.ask({ kind: 'approval', session, operation });
	tally.complete(hostile.length);
	await until(() => post.got.length >= hostile.length + 1, 'the mails', PATIENCE_MS + 1000 * hostile.length);
	const page = await browser.newPage();
	const asked = [];
	await page.setRequestInterception(true);
	page.on('request', (request) => {
		if (!/^(about|data):/.test(request.url())) asked.push(request.url());
		void (/^(about|data):/.test(request.url()) ? request.continue() : request.abort());
	});
	page.on('dialog', (dialog) => {
		asked.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	let looked = 0;
	for (const scheme of ['light', 'dark']) {
		await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
		for (const width of [360, 800]) {
			await page.setViewport({ width, height: 800 });
			for (const { mail, subject } of post.got) {
				await page.setContent(mail.html);
				assert.deepEqual(await page.evaluate(wrongLook, width), [], `${scheme}, ${width}: ${JSON.stringify(subject)}`);
				looked += 1;
			}
		}
		if (process.env.PARLEY_PICTURES) await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/mail-${scheme}.png` });
	}
	assert.deepEqual(asked, [], 'nothing is fetched and nothing runs');
	t.diagnostic(`${looked} looks at ${post.got.length} mails`);
});
