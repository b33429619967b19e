// The main screens as PNG files in docs/screenshots: light, dark, phone, French.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { enter, launch, Server, sleep } from './lib.mjs';
import { seed } from './seeds.mjs';

const out = process.env.OUT ?? fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
mkdirSync(out, { recursive: true });
const server = await Server.start({ flags: ['--webhook-internal', '127.0.0.0/8'] });
const { agents, marie, critical, release, scaffold, fix } = await seed(server);
/* Nobody listens there: what waits to be called again. */
const night = await agents.tester.session('night-run', { on_settled: { webhook: 'http://127.0.0.1:9/hook' } });
const told = await agents.tester.ask({ session: night.id, question: 'Start the night run?', type: 'boolean' });
await marie.post(`/v1/asks/${told.id}/answer`, { answer: true });
const admin = server.client(await server.token('admin', 'Dana'));
for (const rule of [
	{ effect: 'deny', note: 'never force-push', match: { tool: ['Bash(git push *--force*)'] } },
	{ effect: 'ask', match: { tool: ['Bash(kubectl -n prod *)'], project: 'web-*' }, ask: { require: [{ approvals: 2 }] } },
	{ effect: 'allow', note: 'tests are harmless', match: { tool: ['Bash(npm test *)'], agent: 'ci-bot', project: 'web' } },
]) await admin.post('/v1/rules', rule);
const browser = await launch({ whole: true });
const asks = (await server.client(await server.token('member', 'Marie')).get('/v1/asks?limit=200')).body.items;
const askOf = (session) => `/asks/${asks.find((ask) => ask.session === session.id).id}`;

const shots = [
	['inbox', { theme: 'light' }, `/asks/${critical.id}`],
	['inbox-dark', { theme: 'dark' }, `/asks/${critical.id}`],
	['questions', { theme: 'light' }, askOf(scaffold)],
	['questions-dark', { theme: 'dark' }, askOf(scaffold)],
	['recovery-fr', { lang: 'fr' }, askOf(fix)],
	['history', {}, '/history'],
	['forced-colours', { forcedColors: 'active' }, `/asks/${critical.id}`],
	['sessions', {}, '/sessions'],
	['session', {}, `/sessions/${release.id}`],
	['activity-fr-dark', { lang: 'fr', theme: 'dark' }, '/activity'],
	['insights', {}, '/insights'],
	['agents', {}, '/agents'],
	['rules', {}, '/rules'],
	['settings', {}, '/settings'],
	['settings-users', {}, '/settings/users'],
	['settings-keys', {}, '/settings/keys'],
	['settings-deliveries', {}, '/settings/deliveries'],
	['phone-inbox', { view: 'phone' }, '/inbox'],
	['phone-approval', { view: 'phone' }, `/asks/${critical.id}`],
	['phone-questions-dark', { view: 'phone', theme: 'dark' }, askOf(scaffold)],
	['phone-recovery-fr', { view: 'phone', lang: 'fr' }, askOf(fix)],
	['phone-sessions', { view: 'phone' }, '/sessions'],
];
const only = process.argv.slice(2);
for (const [name, how, path] of shots) {
	if (only.length && !only.includes(name)) continue;
	const { context, page, errors } = await enter(browser, server, how);
	await page.goto(path);
	await page.locator('main').waitFor();
	await sleep(900);
	await page.screenshot({ path: `${out}/${name}.png` });
	if (errors.length) console.log(name, errors);
	await context.close();
}
if (!only.length || only.includes('dialog')) {
	const { context, page } = await enter(browser, server, { settings: { opens: true } });
	await page.goto('/activity');
	await sleep(500);
	const agent = server.client(await server.token('agent', 'planner'));
	for (const text of ['Start the migration tonight?', 'Tell the customers first?'])
		await agent.ask({ question: text, type: 'boolean', timeout: '30m', context: { text: 'It takes about *two hours*.' } });
	await page.getByRole('dialog').waitFor();
	await sleep(800);
	await page.screenshot({ path: `${out}/dialog.png` });
	await context.close();
}
if (!only.length || only.includes('first-run')) {
	const empty = await Server.start();
	for (const [name, how] of [['first-run', {}], ['login', {}]]) {
		const { context, page } = await enter(browser, empty, how);
		if (name === 'login') {
			await context.clearCookies();
			await page.goto('/login');
		}
		await sleep(700);
		await page.screenshot({ path: `${out}/${name}.png` });
		await context.close();
	}
	await empty.end();
}
await browser.close();
await server.end();
