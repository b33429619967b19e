// What agents may write: 300 hostile strings in every field. No script runs, no layout breaks,
// and the operation stays on the first screen. Then ten thousand asks, and axe on every screen.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axePackage from '@axe-core/playwright';
import { enter, launch, Server, sleep, until } from './lib.mjs';
import { seed } from './seeds.mjs';

const AxeBuilder = axePackage.default ?? axePackage;

function hostile() {
	const seeds = ['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '"><svg onload=alert(1)>',
		'javascript:alert(1)', '[click](javascript:alert(1))', '![x](https://evil.example/x.png)', '<iframe srcdoc="<script>alert(1)</script>">',
		'<style>*{display:none}</style>', '<base href=https://evil.example>', '<meta http-equiv=refresh content=0>', '{{7*7}}', '${alert(1)}',
		'{@html "<b>x</b>"}', '</textarea><script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;', '<a href="https://evil.example">bank</a>',
		'\u202egnp.exe', '\u2066\u2067\u2068\u2069', 'a\u200bb\u200cc\u200d', '\ufeffbom', '\u001b[31mred\u001b[0m', '\u001b]0;title\u0007',
		'\u0007\u0008\r', '\u{e0041}\u{e0042}', 'ï·½'.repeat(40), 'Z\u0351\u036b\u0343\u036a\u0302'.repeat(60), 'שלום עולם', 'مرحبا \u202d abc',
		'W'.repeat(200), '\n'.repeat(100) + 'end', '\t'.repeat(80), '> '.repeat(100), '#'.repeat(150), '`'.repeat(150), '*'.repeat(150), '['.repeat(150),
		'| a | b |\n|-|-|\n| <img src=x onerror=alert(1)> | c |', '- '.repeat(60), '```\n</pre><script>alert(1)</script>\n```', 'file:///etc/passwd',
		'data:text/html,<script>alert(1)</script>', '__proto__', 'constructor', 'null', 'undefined', 'NaN', '-1', '1e309', "'; DROP TABLE asks; --", '../../../etc/passwd'];
	const list = [];
	for (const wrap of [(s) => s, (s) => `**${s}**`, (s) => `\`${s}\``, (s) => `[${s}](${s})`, (s) => `${s} ${s}`, (s) => `\u202e${s}\u200b`])
		for (const seed of seeds) list.push(wrap(seed));
	return list.slice(0, 300);
}
/* What one line may hold: titles and labels know no line breaks. */
const cut = (text, n) => Array.from(text.replace(/[\r\n]+/g, ' ')).slice(0, n).join('') || 'x';
const safe = (text) => text.replace(/\u0000/g, '');

let server, browser, agent, admin;
before(async () => {
	server = await Server.start();
	agent = server.client(server.token('agent', 'mallory'));
	admin = server.client(server.token('admin', 'root'));
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await server?.stop();
});

async function everywhere(text, i) {
	const session = await agent.session(cut(text, 200));
	const approval = i % 2 === 0;
	return agent.ask({ session: session.id, kind: approval ? 'approval' : 'blocking', title: cut(text, 190) + i,
		context: { text: safe(text).slice(0, 4900), error_details: safe(text), preview: safe(text), diff: `+${safe(text)}\n-${safe(text)}`,
			current_step: safe(text).slice(0, 200) },
		...(approval ? { operation: { name: cut(text, 200), risk: 'high', arguments: { [cut(text, 60)]: safe(text), command: 'rm -rf /tmp/x' } } }
			: { questions: [{ key: 'q', header: cut(text, 80), text: safe(text).slice(0, 1990), type: 'choice', other: true, options: [
				{ id: 'a', label: cut(text, 200), description: safe(text).slice(0, 900), preview: safe(text) }, { id: 'b', label: 'plain' }] },
			{ key: 'r', text: cut(text, 100), type: 'text', placeholder: cut(text, 200) }] }) });
}

/* A short run takes every third string, and two of the four looks. */
const long = Boolean(process.env.PARLEY_LONG);

for (const view of ['desktop', 'phone']) test(`hostile strings in every field (${view})`, { timeout: 120_000 }, async () => {
	const { page, context, errors, t } = await enter(browser, server, { view });
	const all = hostile().filter((_, i) => long || i % 3 === 0);
	const list = all.filter((_, i) => i % 2 === (view === 'desktop' ? 0 : 1));
	await page.evaluate(() => document.addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`)));
	for (const [i, text] of list.entries()) {
		let ask;
		try {
			ask = await everywhere(text, i);
		} catch (error) {
			assert.match(String(error), /invalid|422/i, 'only refused as invalid');
			continue;
		}
		/* Within the page, as a click would: a whole load for each of 300 takes minutes. */
		await page.evaluate((path) => {
			history.pushState(null, '', path);
			dispatchEvent(new PopStateEvent('popstate'));
		}, `/asks/${ask.id}`);
		await page.locator(`article[data-ask="${ask.id}"]`).waitFor();
		const sound = await page.evaluate(() => ({
			wide: document.documentElement.scrollWidth > innerWidth,
			foreign: document.querySelectorAll('article img, article iframe, article script, article style, article svg[onload], article base, article meta').length,
			links: [...document.querySelectorAll('article a')].every((a) => /^(https?|mailto):/.test(a.href)),
			card: document.querySelector('article').scrollWidth <= document.querySelector('article').clientWidth + 17,
		}));
		assert.deepEqual(sound, { wide: false, foreign: 0, links: true, card: true }, JSON.stringify(text));
		if (ask.operation) {
			const box = await page.getByRole('region', { name: t('operation'), exact: true }).getByText('rm -rf /tmp/x').boundingBox();
			assert.ok(box && box.y > 0 && box.y + box.height < (view === 'phone' ? 780 : 900), `the operation is at ${box?.y}: ${JSON.stringify(text)}`);
		}
		await admin.post(`/v1/asks/${ask.id}/skip`);
	}
	assert.deepEqual(errors, []);
	await context.close();
});

test('50 KB in a field, and a word as long', async () => {
	const { page, context, errors, t } = await enter(browser, server, { view: 'phone' });
	for (const text of ['word '.repeat(10_000), 'W'.repeat(50_000), '<b>'.repeat(16_000)]) {
		const ask = await agent.ask({ kind: 'approval', title: 'Big', context: { text: text.slice(0, 5000), preview: text, error_details: text.slice(0, 5000) },
			operation: { name: 'write', risk: 'critical', arguments: { path: '/etc/hosts', text } } });
		await page.goto(`/asks/${ask.id}`);
		await page.getByText('/etc/hosts').waitFor();
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		await page.getByText(t('approval.unread')).waitFor();
		await admin.post(`/v1/asks/${ask.id}/skip`);
	}
	assert.deepEqual(errors, []);
	await context.close();
});

describe('axe finds nothing', () => {
	let own, things;
	before(async () => {
		own = await Server.start();
		things = await seed(own);
	});
	after(() => own.stop());
	const looks = [['desktop', 'light', 'en'], ['phone', 'dark', 'fr'], ['desktop', 'dark', 'fr'], ['phone', 'light', 'en']];
	for (const [view, theme, lang] of long ? looks : looks.slice(0, 2))
		test(`${view}, ${theme}, ${lang}`, { timeout: 120_000 }, async () => {
			const { page, context } = await enter(browser, own, { view, theme, lang, bypassCSP: true });
			const asks = (await things.marie.get('/v1/asks?limit=200')).body.items;
			const askOf = (session) => `/asks/${asks.find((ask) => ask.session === session.id).id}`;
			const settled = (await things.marie.get('/v1/asks?status=answered')).body.items[0];
			const screens = ['/inbox', `/asks/${things.critical.id}`, askOf(things.scaffold), askOf(things.fix), `/asks/${settled.id}`, '/sessions',
				`/sessions/${things.release.id}`, '/activity', '/insights', '/agents', '/settings', '/settings/keys', '/settings/users', '/settings/tokens', '/nowhere-known'];
			const found = [];
			const look = async (name) => {
				const { violations } = await new AxeBuilder({ page }).analyze();
				for (const one of violations)
					found.push(`${name}: ${one.id} ${one.nodes.slice(0, 2).map((node) => `${node.target} ${node.failureSummary?.slice(0, 160)}`).join(' | ')}`);
			};
			for (const path of screens) {
				await page.evaluate((to) => {
					history.pushState(null, '', to);
					dispatchEvent(new PopStateEvent('popstate'));
				}, path);
				await sleep(350);
				await look(path.slice(0, 14));
			}
			await page.goto('/inbox');
			await page.getByRole('heading').first().waitFor();
			await page.keyboard.press('?');
			await page.getByRole('dialog').waitFor();
			await look('help');
			await context.clearCookies();
			await page.goto('/login');
			await page.getByRole('button').first().waitFor();
			await look('login');
			assert.deepEqual(found, []);
			await context.close();
		});
});
