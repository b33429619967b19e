// The main screens as PNG files in docs/screenshots: light, dark, phone, French, forced colours, enlarged.
// screenshots.mjs [NAME…]; OUT is another folder.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { enter, launch, Server, sleep } from './lib.mjs';
import { results, say, ScriptModel, think, use } from '../lib/script_model.mjs';
import { seed } from './seeds.mjs';

const out = process.env.OUT ?? fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
mkdirSync(out, { recursive: true });
const server = await Server.start({ flags: ['--webhook-internal', '127.0.0.0/8'] });
const { agents, marie, critical, release, scaffold, fix } = await seed(server);
/* Nobody listens there: what waits to be called again. */
const night = await agents.tester.session('night-run', { on_settled: { webhook: 'http://127.0.0.1:9/hook' } });
const told = await agents.tester.ask({ session: night.id, question: 'Start the night run?', type: 'boolean' });
await marie.post(`/v1/asks/${told.id}/answer`, { answer: true });
const applied = await agents.tester.ask({ session: night.id, kind: 'approval', title: 'Apply the new limits',
	operation: { name: 'shell.exec', risk: 'high', arguments: { command: 'kubectl -n prod apply -f limits.yaml', timeout_s: 300 } } });
await marie.post(`/v1/asks/${applied.id}/answer`, { answers: { decision: { value: 'approve', text: 'Staging first.',
	arguments: { command: 'kubectl -n staging apply -f limits.yaml', timeout_s: 300 } } } });
const admin = server.client(await server.token('admin', 'Dana'));
for (const rule of [
	{ effect: 'deny', note: 'never force-push', match: { tool: ['Bash(git push *--force*)'] } },
	{ effect: 'ask', match: { tool: ['Bash(kubectl -n prod *)'], project: 'web-*' }, ask: { require: [{ approvals: 2 }] } },
	{ effect: 'allow', note: 'tests are harmless', match: { tool: ['Bash(npm test *)'], agent: 'ci-bot', project: 'web' } },
]) await admin.post('/v1/rules', rule);
const users = (await admin.get('/v1/users')).body.items;
const idOf = (name) => users.find((user) => user.name === name).id;
await admin.post('/v1/teams', { name: 'web', projects: ['web-*'], on_call: idOf('Marie'),
	members: [{ user: idOf('Marie'), lead: true }, { user: idOf('owner'), lead: false }] });
/* An agent that Parley runs, with a model that follows a script. */
const model = await new ScriptModel((request) => (results(request).length ? [say('The **plan** is ready: two services, one queue.')]
	: [think('What is there, and what is missing?'), say('I look at what is there first.'), use('todo', { operation: 'create', name: 'Read the services' })])).start();
await admin.post('/v1/providers', { name: 'anthropic', kind: 'anthropic', url: model.url, key: 'sk-test-0123456789abcdef',
	models: [{ id: 'm', context: 200_000, output: 8000, price: { input: 3, output: 15 } }] });
await admin.post('/v1/agents', { name: 'planner', provider: 'anthropic', model: 'm', prompt: 'Plan.', description: 'Plans releases',
	tools: ['ask_user_question', 'memory', 'todo'] });
const chat = (await marie.post('/v1/sessions', { agent: 'planner', message: 'Plan the move of the billing service' })).body;
const browser = await launch({ whole: true });
const asks = (await server.client(await server.token('member', 'Marie')).get('/v1/asks?limit=200')).body.items;
const askOf = (session) => `/asks/${asks.find((ask) => ask.session === session.id).id}`;

/* As a browser's zoom makes it: fewer and larger points. */
const zoom = (times) => ({ viewport: { width: 1440 / times, height: 900 / times }, deviceScaleFactor: times });

const shots = [
	['inbox', { theme: 'light' }, `/asks/${critical.id}`],
	['inbox-dark', { theme: 'dark' }, `/asks/${critical.id}`],
	['forced-colours', { forcedColors: 'active' }, `/asks/${critical.id}`],
	['phone-approval', { view: 'phone' }, `/asks/${critical.id}`],
	['questions', { theme: 'light' }, askOf(scaffold)],
	['questions-dark', { theme: 'dark' }, askOf(scaffold)],
	['recovery-fr', { lang: 'fr' }, askOf(fix)],
	['inbox-200', zoom(2), '/inbox'],
	['approval-200', zoom(2), `/asks/${critical.id}`],
	['approval-400', zoom(4), `/asks/${critical.id}`],
	['sessions-200', zoom(2), '/sessions'],
	['settled', {}, `/history/${applied.id}`],
	['history', {}, '/history'],
	['history-fr-dark', { lang: 'fr', theme: 'dark' }, '/history'],
	['phone-history', { view: 'phone' }, '/history'],
	['start', {}, '/start'],
	['sessions-forced-colours', { forcedColors: 'active' }, '/sessions'],
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
	['settings-teams', {}, '/settings/teams'],
	['settings-channels-fr', { lang: 'fr' }, '/settings/channels'],
	['settings-routes', {}, '/settings/routes'],
	['settings-providers-dark', { theme: 'dark' }, '/settings/providers'],
	['chat', {}, `/sessions/${chat.id}`],
	['chat-dark', { theme: 'dark' }, `/sessions/${chat.id}`],
	['phone-chat-fr', { view: 'phone', lang: 'fr' }, `/sessions/${chat.id}`],
	['phone-rules-fr-dark', { view: 'phone', lang: 'fr', theme: 'dark' }, '/rules'],
	['phone-routes', { view: 'phone' }, '/settings/routes'],
	['phone-inbox', { view: 'phone' }, '/inbox'],
	['phone-questions-dark', { view: 'phone', theme: 'dark' }, askOf(scaffold)],
	['phone-recovery-fr', { view: 'phone', lang: 'fr' }, askOf(fix)],
	['phone-sessions', { view: 'phone' }, '/sessions'],
];
const only = process.argv.slice(2);
for (const [name, how, path] of shots) {
	if (only.length && !only.includes(name)) continue;
	/* A phone has no pointer that hovers. */
	const touch = how.view === 'phone' ? { hasTouch: true, isMobile: true } : {};
	const { context, page, errors, t } = await enter(browser, server, { ...touch, ...how });
	await page.goto(path);
	await page.locator('main').waitFor();
	await sleep(900);
	/* What has waited longest is told on every screen but the inbox. */
	const told = page.locator('.toast').getByRole('button', { name: t('toast.close', { title: t('toast.asks', { agent: 'writer' }) }) });
	if (await told.count()) await told.first().click();
	await sleep(150);
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
/* What lies over a screen: how it is opened. */
for (const [name, how, open] of [
	['palette', {}, async (page) => {
		await page.keyboard.press('Control+k');
		await page.keyboard.type('re');
	}],
	['person-dark', { theme: 'dark' }, (page, t) => page.getByRole('navigation').getByRole('button', { name: t('person') }).click()],
	['batch', {}, async (page, t) => {
		await page.getByRole('checkbox', { name: t('inbox.select', { title: 'Send e-mail to 3 customers' }) }).check({ force: true });
		await page.getByRole('checkbox', { name: /4201/ }).first().check({ force: true });
	}],
]) {
	if (only.length && !only.includes(name)) continue;
	const { context, page, t } = await enter(browser, server, how);
	await page.locator('[data-row]').first().waitFor();
	await open(page, t);
	await sleep(900);
	await page.screenshot({ path: `${out}/${name}.png` });
	await context.close();
}
if (!only.length || only.includes('stop')) {
	const { context, page, t } = await enter(browser, server, {});
	await page.goto('/sessions');
	await page.getByRole('button', { name: t('stop.open') }).click();
	await page.getByRole('dialog').waitFor();
	await sleep(500);
	await page.screenshot({ path: `${out}/stop.png` });
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
await model.stop();
