// Random keys, clicks and focus changes while asks arrive, are withdrawn, answered and expire: a decision
// is sent only when its own button, or its own key on its own card, was pressed last.
// PARLEY_LONG=1 plays 10,000 sequences, PARLEY_SEQUENCES=N so many; PARLEY_SEED=N repeats a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../lib/random.mjs';
import { arrive, Server, sleep, until } from './lib.mjs';
import { browser, long } from './matrix.mjs';

const SEQUENCES = Number(process.env.PARLEY_SEQUENCES ?? (long ? 10_000 : 48));
/* A player mostly waits until a card is armed: several play beside each other, each with a server of its own,
 * so that what one does is no disturbance for another, and a seed repeats it. */
const PLAYERS = Number(process.env.PARLEY_PLAYERS ?? 4);
const STEPS = 12;
const MANY = 400;
const OPEN_MAX = 9;
const DECIDES = /\/v1\/asks\/(ask_\w+\/(answer|skip)|settle-many)$/;
const ARMED_MS = 500; // the page's 600, less what its observer is late
// The short run plays the same sequences each time; the long one others.
const seed = Number(process.env.PARLEY_SEED ?? (long ? Date.now() % 1_000_000 : 11));

/* In the page: what was pressed last, and every decision at the moment it is sent. */
function observe() {
	const seen = { presses: [], sent: [], shown: {}, changes: 0, movedAt: 0, left: true, held: [], lost: [] };
	window.stray = seen;
	/* Cards, and the decisions on rows and toasts, since when. */
	const known = new WeakMap();
	const moves = ['j', 'k', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'Enter', 'Tab'];
	/* The first card that is shown after a move is the one its person moved to, however long it took to come. */
	const move = () => Object.assign(seen, { movedAt: performance.now(), changes: 0 });
	const cardOf = (element) => element?.closest?.('article[data-ask]')?.dataset.ask
		?? element?.closest?.('[data-row]')?.dataset.row ?? element?.closest?.('.quick')?.dataset.ask ?? null;
	const note = (press, element) => {
		const button = element?.closest?.('button');
		const together = element?.closest?.('.together')?.querySelector('.actions, #batch-title') ?? element?.closest?.('dialog')?.querySelector('#confirm-title');
		seen.presses = [...seen.presses.slice(-3), { ...press, card: cardOf(element), at: performance.now(), movedAt: seen.movedAt,
			quickAt: known.get(element?.closest?.('.quick')) ?? null,
			approves: Boolean(button?.classList.contains('approve')),
			rejects: Boolean(button?.matches('.decides.bad.full, .quick .button')),
			submits: Boolean(button?.matches('[type=submit], .quick .button')),
			skips: Boolean(button?.closest('.confirm')),
			/* In the dialog that settles several: how many it names, and its button that does so. */
			names: together ? Number(/\d+/.exec(button?.closest('.together') ? button.textContent : together.textContent)?.[0] ?? 0) : null,
			confirms: Boolean(together && button?.matches('.good, .bad, [type=submit]')),
			writes: Boolean(element?.matches?.('textarea, input:not([type=radio], [type=checkbox])')),
			inForm: Boolean(element?.closest?.('article form, .together form')) }];
	};
	addEventListener('keydown', (event) => {
		if (!event.isTrusted || ['Control', 'Shift'].includes(event.key)) return;
		note({ key: event.ctrlKey ? `Ctrl+${event.key}` : event.key }, document.activeElement);
		if (moves.includes(event.key)) move();
		if (event.key === 'Tab') seen.left = true;
	}, true);
	addEventListener('focusin', ({ target }) => {
		seen.left = false;
		const around = target.closest('dialog, article, [data-row], nav, .toast, header, form, section')?.tagName;
		seen.held = [...seen.held.slice(-3), `${location.pathname} ${around} ${target.tagName} ${target.className} ${target.textContent.slice(0, 30)}`];
	}, true);
	addEventListener('pointerdown', (event) => {
		note({ key: 'pointer' }, event.target);
		if (!event.target?.closest?.('a, button, input, textarea, select, summary, label, [tabindex]')) seen.left = true;
		move();
	}, true);
	/* The page gives a lost focus back a moment later; what is lost for longer stays lost. */
	let nowhere = 0;
	setInterval(() => {
		if (document.activeElement !== document.body || seen.left) nowhere = 0;
		else if (++nowhere === 10) seen.lost.push({ held: seen.held, presses: seen.presses });
	}, 60);
	new MutationObserver(() => {
		for (const card of document.querySelectorAll('article[data-ask], .quick')) {
			if (known.has(card)) continue;
			known.set(card, performance.now());
			if (card.matches('.quick')) continue;
			seen.shown[card.dataset.ask] = { at: performance.now(), nth: ++seen.changes };
		}
	}).observe(document, { subtree: true, childList: true });
	const real = window.fetch;
	window.fetch = (url, how) => {
		const [found, ask, verb] = /\/v1\/asks\/(?:(ask_\w+)\/(answer|skip)|settle-many)$/.exec(url) ?? [];
		if (found && how?.method === 'POST') {
			const card = document.querySelector(`article[data-ask="${ask}"]`);
			seen.sent.push({ ask, verb: verb ?? 'settle-many', body: JSON.parse(how.body), presses: seen.presses,
				shown: seen.shown[ask] ?? { at: Infinity, nth: 9 }, now: performance.now(), byItself: Boolean(card?.closest('dialog')) });
			seen.changes++; // what comes next, nobody has moved to
		}
		return real(url, how);
	};
}

/* In the page: once the card that one looks at has been there long enough to be decided. */
const armed = () => new Promise((done) => {
	const end = performance.now() + 1200;
	const look = () => {
		const card = document.querySelector('dialog[open] article[data-ask]') ?? document.querySelector('article[data-ask]');
		const since = performance.now() - window.stray.shown[card?.dataset.ask]?.at;
		if (since > 620 || performance.now() > end) done();
		else setTimeout(look, 20);
	};
	look();
});

/** Why several should not have been settled together; null: it was meant. */
function complaintTogether({ ids, answers }, last, riskOf) {
	if (last.names !== ids.length) return `${ids.length} were settled where ${last.names} were named`;
	if (ids.some((id) => riskOf[id] === 'critical')) return 'a critical one was among them';
	const button = ['pointer', 'Enter', ' '].includes(last.key) && last.confirms;
	const form = answers && ['Enter', 'Ctrl+Enter'].includes(last.key) && last.inForm;
	return button || form ? null : 'not confirmed in its dialog';
}

/** Why a decision should not have been sent; null: it was meant. */
function complaint({ ask, verb, body, presses, shown, byItself }, riskOf) {
	const [before, last] = [presses.at(-2), presses.at(-1)];
	if (!last) return 'nothing was pressed';
	if (verb === 'settle-many') return complaintTogether(body, last, riskOf);
	const risk = riskOf[ask];
	if (last.card !== ask) return `the last press was on ${last.card}`;
	const button = ['pointer', 'Enter', ' '].includes(last.key);
	const value = Object.values(body.answers ?? {})[0]?.value;
	if (verb === 'skip') return button && last.skips ? null : 'no confirmed skip';
	if (value === 'approve') {
		const key = last.key === 'a' && !last.writes;
		if (!key && !(button && last.approves)) return 'neither A nor Approve';
		/* A belongs to the card, also with the focus on a quick decision of its row. */
		if (last.at - (key ? shown.at : last.quickAt ?? shown.at) < ARMED_MS) return 'not armed';
		if (key && last.movedAt < shown.at && (byItself || shown.nth > 1)) return 'nobody had moved to this card';
		const twice = risk === 'critical' || (risk === 'high' && byItself);
		const again = before && before.card === ask && (before.key === 'a' || before.approves);
		return twice && !again ? 'pressed once' : null;
	}
	if (value === 'reject')
		return (button && last.rejects) || (last.key === 'Ctrl+Enter' && last.writes) ? null : 'neither Reject nor Ctrl+Enter on a reason';
	return (button && last.submits) || (['Enter', 'Ctrl+Enter'].includes(last.key) && last.inForm) ? null : 'not sent from its form';
}

const keys = ['a', 'a', 'a', 'r', 'e', 's', 's', 'y', 'n', 'j', 'j', 'k', 'x', 'm', 'z', '1', '2', '/', 'Enter', 'Enter', ' ', 'Escape', 'Escape',
	'Tab', 'Tab', 'Shift+Tab', 'ArrowDown', 'ArrowUp', 'Control+Enter', 'Control+Enter', 'Backspace', 'g', 'i'];
const meant = [['a'], ['a', 'a'], ['a', 'a'], ['r', 'Control+Enter'], ['y', 'Control+Enter'], ['1', 'Enter'], ['click'], ['1', 'click'], ['y', 'click']];
const words = ['and ask me again', 'yes', 'cassandra', 'no', 'a', 'risky', 'sure as is'];
const risks = ['low', 'medium', 'high', 'high', 'critical'];
const targets = ['[data-row] a', '[data-row] a', 'article button', 'article button', 'article textarea', 'article .operation', 'nav a', '.list h1', 'article', 'dialog button'];

/** One page and its agent, played at random. */
class Game {
	constructor(below, server, agent, marie, page) {
		Object.assign(this, { below, server, agent, marie, page, open: [], risks: {}, counts: {}, n: 0, decided: new Set(), elsewhere: [] });
	}
	any(list) {
		return list[this.below(list.length)];
	}
	async ask() {
		if (this.open.length >= OPEN_MAX) return this.withdraw();
		const n = ++this.n;
		const risk = this.any(risks);
		const body = this.any([
			{ kind: 'approval', title: `Run ${n}`, operation: { name: 'shell', risk, arguments: { command: `make ${n}`, depth: n } } },
			{ kind: 'approval', title: `Send ${n}`, operation: { name: 'mail', risk, arguments: { to: 'all' } } },
			{ title: `Text ${n}`, question: 'Which?', type: 'text' },
			{ title: `Yes ${n}`, question: 'Go?', type: 'boolean' },
			{ title: `Pick ${n}`, question: 'Where?', type: 'choice', options: ['here', 'there'], other: true },
			{ title: `Filled ${n}`, question: 'Where?', type: 'choice', options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }], prefill: 'x' },
			{ title: `Both ${n}`, questions: [{ text: 'One?', type: 'boolean' }, { text: 'Two?', type: 'text', required: false }] },
		]);
		if (body.options) body.options = body.options.map((one) => (typeof one === 'string' ? { id: one, label: one } : one));
		/* A click may have stopped the session. */
		const ask = await this.agent.ask({ session: this.session, ...body, ...(this.below(4) ? {} : { timeout: '9m' }) }).catch(() => null);
		if (!ask) {
			this.session = (await this.agent.session('stray')).id;
			return;
		}
		this.open.push(ask.id);
		if (body.operation) this.risks[ask.id] = risk;
	}
	async withdraw() {
		const id = this.open.splice(this.below(this.open.length), 1)[0];
		if (!id) return;
		if (this.below(2)) await this.agent.post(`/v1/asks/${id}/cancel`);
		else await this.marie.post(`/v1/asks/${id}/skip`);
	}
	/** Clicks where something of this kind is, whatever lies there by then. */
	async click(kind = this.any(targets)) {
		const at = await this.page.evaluate(([selector, n]) => {
			const list = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
			const box = list[n % list.length]?.getBoundingClientRect();
			return box && { x: box.x + Math.min(box.width / 2, 200), y: box.y + Math.min(box.height / 2, 20) };
		}, [kind, this.below(50)]);
		if (at) await this.page.mouse.click(at.x, at.y);
	}
	/** Goes there without a new document. */
	go(path) {
		return this.page.evaluate((to) => {
			history.pushState(null, '', to);
			dispatchEvent(new PopStateEvent('popstate'));
		}, path);
	}
	/** Somebody who means it, and may be disturbed. */
	async decide() {
		if (!await this.page.evaluate(() => document.querySelector('dialog[open], [data-row]'))) await this.go('/inbox');
		if (this.below(3)) await this.click('[data-row] a');
		else await this.page.keyboard.press(this.any(['j', 'k', 'Enter']));
		await this.page.evaluate(armed);
		for (const key of this.any(meant)) {
			if (!this.below(6)) await this.any([this.ask, this.withdraw]).call(this);
			if (key === 'click') await this.click('article .decides, article [type=submit], .quick button');
			else await this.page.keyboard.press(key);
		}
	}
	async step() {
		const n = this.below(100);
		if (n < 58) await this.page.keyboard.press(this.any(keys));
		else if (n < 63) await this.page.keyboard.type(this.any(words));
		else if (n < 74) await this.click();
		else if (n < 83) await this.ask();
		else if (n < 87) await this.withdraw();
		else if (n < 88) this.server.jump(10 * 60_000);
		else if (n < 96) await this.decide();
		else if (n < 97) await this.page.evaluate((to) => document.querySelector(`nav a[href^="${to}"]`)?.click(), this.any(['/inbox', '/sessions', '/activity']));
		else await sleep(this.below(80));
	}
	/** One sequence; every other one begins at the inbox, without a filter that an earlier one left. */
	async sequence() {
		if (!this.open.length) await this.ask();
		if (this.below(2)) await this.go('/inbox');
		for (let step = 0; step < STEPS; step++) await this.step();
		await this.judge();
	}
	/** Everything that was sent since the last look was meant, and the focus is somewhere. */
	async judge() {
		const { sent, lost } = await this.page.evaluate(() =>
			({ sent: window.stray.sent.splice(0), lost: window.stray.lost.splice(0) }));
		assert.deepEqual(lost, [], 'the focus is on <body>, and nobody left it there');
		for (const one of sent) {
			const value = one.verb === 'skip' || one.body.skip ? 'skip' : (one.body.answer ?? Object.values(one.body.answers)[0])?.value;
			const decision = ['approve', 'reject', 'skip'].includes(value) ? value : 'answer';
			const kind = one.ask ? decision : `${decision} together`;
			this.counts[kind] = (this.counts[kind] ?? 0) + 1;
			const why = complaint(one, this.risks);
			assert.equal(why, null, `${why}: ${kind} ${JSON.stringify(one)}`);
			const asks = one.ask ? [one.ask] : one.body.ids;
			this.open = this.open.filter((id) => !asks.includes(id));
			for (const id of asks) this.decided.add(id);
		}
	}
	/** One approval that is meant and that nothing disturbs: there is something to judge on any machine. */
	async surely() {
		const { id } = await this.agent.ask({ session: this.session, kind: 'approval', title: 'First of all',
			operation: { name: 'shell', risk: 'low', arguments: { command: 'true' } } });
		await this.page.locator(`[data-row="${id}"] a`).click();
		await this.page.locator(`article[data-ask="${id}"]`).waitFor();
		await until(async () => {
			await this.page.evaluate(armed);
			await this.page.keyboard.press('a');
			return (await this.marie.get(`/v1/asks/${id}`)).body.status === 'answered';
		}, 'approved');
		await this.judge();
		assert.deepEqual(this.counts, { approve: 1 });
	}
	/** What the server has of this page's person is what was seen being sent, and judged. */
	async audit() {
		const all = [];
		for (let cursor = ''; cursor !== null;) {
			const { items, next_cursor } = (await this.marie.get(`/v1/asks?status=all&limit=200${cursor && `&cursor=${cursor}`}`)).body;
			all.push(...items);
			cursor = next_cursor;
		}
		await this.judge(); // also what was on its way when the last sequence was judged
		for (const ask of all) if (ask.answered_by?.name === 'owner') assert.ok(this.decided.has(ask.id), `${ask.id} was decided unseen: ${JSON.stringify(ask)}`);
		assert.deepEqual(this.elsewhere, [], 'a tab that nobody plays in decided');
	}
}

/** Plays so many sequences, and says what was sent. */
async function play(shown, number, sequences) {
	const server = await Server.start({ flags: ['--ask-rate', '0'] });
	const agent = server.client(await server.token('agent', 'deployer'));
	const marie = server.client(await server.token('member', 'Marie'));
	const place = await arrive(shown, server, { view: number % 3 ? 'desktop' : 'phone', settings: { opens: true } });
	try {
		await place.context.addCookies([await server.cookie()]);
		await place.context.addInitScript(observe);
		await marie.put('/v1/start', { done: true });
		await place.page.goto('/inbox');
		await place.page.locator('nav').first().waitFor();
		/* Ctrl+Enter on a link opens a tab: nobody plays there. */
		place.context.on('page', (tab) => void tab.close());
		const game = new Game(random(seed * 1000 + number), server, agent, marie, place.page);
		place.context.on('request', (request) => {
			if (request.method() === 'POST' && DECIDES.test(request.url()) && request.frame().page() !== place.page)
				game.elsewhere.push(`${request.url()} ${request.postData()}`);
		});
		game.session = (await agent.session('stray')).id;
		await game.surely();
		for (let i = 0; i < 4; i++) await game.ask();
		for (let i = 0; i < sequences; i++) await game.sequence();
		await game.audit();
		assert.deepEqual(place.errors, []);
		return game.counts;
	} catch (error) {
		error.message = `player ${number}: ${error.message}`;
		throw error;
	} finally {
		await place.context.close();
		await server.end();
	}
}

test(`${SEQUENCES} random sequences decide nothing that was not pressed for (seed ${seed})`, { timeout: Math.max(300_000, SEQUENCES * 5000) }, async () => {
	const shown = await browser();
	const started = Date.now();
	const played = await Promise.all(Array.from({ length: PLAYERS }, (_, i) =>
		play(shown, i, Math.ceil((SEQUENCES - i) / PLAYERS))));
	const counts = {};
	for (const one of played) for (const [kind, n] of Object.entries(one)) counts[kind] = (counts[kind] ?? 0) + n;
	console.log(`seed ${seed}: ${JSON.stringify(counts)} in ${Math.round((Date.now() - started) / 1000)} s`);
	/* Each sequence was judged. What else a few of them decide depends on how fast the machine is: of many, there is each kind. */
	const kinds = SEQUENCES < MANY ? ['approve'] : ['approve', 'reject', 'answer'];
	for (const kind of kinds) assert.ok(counts[kind] > 0, `no ${kind} in ${SEQUENCES} sequences: ${JSON.stringify(counts)}`);
});

test('the judge of a decision refuses each kind of accident', () => {
	const press = { key: 'a', card: 'ask_1', at: 2000, movedAt: 1500, quickAt: null };
	const sent = (verb, value, presses, more = {}) =>
		({ ask: 'ask_1', verb, body: { answers: { q1: { value } } }, presses, shown: { at: 1000, nth: 1 }, byItself: false, ...more });
	const many = (body, ...presses) => ({ verb: 'settle-many', body: { ids: ['ask_1', 'ask_2'], ...body }, presses });
	const confirm = { key: 'Enter', names: 2, confirms: true };
	const approve = (presses, more) => sent('answer', 'approve', presses, more);
	const meantOnes = [
		[approve([press]), 'low'], [approve([{ ...press, key: 'pointer', approves: true }]), 'high'], [approve([press, press]), 'critical'],
		[sent('answer', 'reject', [{ ...press, key: 'Ctrl+Enter', writes: true }]), 'low'],
		[sent('answer', 'x', [{ ...press, key: 'Enter', inForm: true }])], [sent('skip', undefined, [{ ...press, key: 'Enter', skips: true }])],
		[many({ answer: { value: 'approve' } }, confirm), 'high'], [many({ skip: true }, { ...confirm, key: 'pointer' })],
		[many({ answers: {} }, { key: 'Ctrl+Enter', names: 2, inForm: true })],
	];
	for (const [one, risk] of meantOnes) assert.equal(complaint(one, { ask_1: risk }), null, JSON.stringify(one));
	const accidents = [
		[approve([]), 'low'], [approve([{ ...press, card: 'ask_2' }]), 'low'], [approve([{ ...press, key: 'Ctrl+Enter' }]), 'low'],
		[approve([{ ...press, writes: true }]), 'low'], [approve([{ ...press, at: 1100 }]), 'low'], [approve([press]), 'critical'],
		[approve([press], { byItself: true }), 'high'], [approve([{ ...press, movedAt: 500 }], { shown: { at: 1000, nth: 2 } }), 'low'],
		[sent('answer', 'reject', [{ ...press, key: 'Ctrl+Enter' }]), 'low'], [sent('answer', 'x', [{ ...press, key: 'Ctrl+Enter' }])],
		[sent('skip', undefined, [{ ...press, key: 's' }])],
		[many({ skip: true }), 'low'], [many({ answer: { value: 'approve' } }, confirm), 'critical'], [many({ skip: true }, { ...confirm, names: 3 })],
		[many({ skip: true }, { ...confirm, confirms: false })], [many({ skip: true }, { ...confirm, key: 'Ctrl+Enter' })],
		[many({ answer: { value: 'approve' } }, { key: 'Enter', names: 2, inForm: true })], [many({ skip: true }, press)],
	];
	for (const [one, risk] of accidents) assert.notEqual(complaint(one, { ask_1: risk }), null, JSON.stringify(one));
});
