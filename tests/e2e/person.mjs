// Somebody at the page, in a language, at a size, in one input mode. Things are found by role
// and by their name in the catalogue.
import { inputModes, reach } from './input.mjs';
import { say, sleep, until, views } from './lib.mjs';

/* A decision, and the confirmation of a skip, act this long after they appear. */
const ARMED_MS = 650;

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** A name, whose spaces are all compared as plain ones, and the key that may stand behind it. */
const named = (text) => new RegExp(`^${literal(text.replace(/\s+/g, ' '))}( (Ctrl ↵|Esc|[A-Z]))?$`);

export class Person {
	constructor({ page, context, errors, view, lang, input, desk, stands = false }) {
		Object.assign(this, { page, context, errors, view, lang, desk, stands });
		this.byKeys = input === 'keyboard';
		this.input = inputModes[input];
		this.t = say(lang);
	}

	get wide() {
		return this.view === 'desktop';
	}
	async resize(view) {
		if (view === this.view) return;
		await this.page.setViewportSize(views[view]);
		await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
		this.view = view;
	}

	tn(id, n, params = {}) {
		return this.t(`${id}.${new Intl.PluralRules(this.lang).select(n)}`, { n, ...params });
	}

	/* ---- finding ---- */

	named(role, id, params, within = this.page) {
		return within.getByRole(role, { name: named(this.t(id, params)) });
	}
	button(id, params, within) {
		return this.named('button', id, params, within);
	}
	region(id) {
		return this.page.getByRole('region', { name: this.t(id), exact: true });
	}
	heading(name) {
		return this.page.getByRole('heading', { level: 1, name, exact: true });
	}
	/** The heading of the inbox, which says how many wait; the second one where a card stands beside it. */
	waiting(n) {
		return this.page.getByRole('heading', { name: this.tn('inbox.waiting', n), exact: true });
	}
	text(id, params) {
		return this.page.getByText(this.t(id, params)).first();
	}
	get dialog() {
		return this.page.getByRole('dialog');
	}
	get list() {
		return this.page.getByRole('list', { name: this.t('inbox.asks') });
	}
	get toasts() {
		return this.region('toasts');
	}
	row(title) {
		return this.list.getByRole('listitem').filter({ hasText: title });
	}

	/** The page hears what happens. */
	live(page = this.page) {
		return page.getByRole('navigation').getByText(this.t('line.live'), { exact: true }).waitFor({ state: 'attached' });
	}
	/** The title and the icon of the tab say that so many wait. */
	tabSays(n, page = this.page) {
		return until(async () => {
			const [title, icon] = [await page.title(), decodeURIComponent(await page.locator('link[rel=icon]').getAttribute('href'))];
			return n ? title.startsWith(`(${n}) `) && icon.startsWith('data:image/svg') && icon.includes(`>${n}<`)
				: !title.startsWith('(') && icon === '/icon.svg';
		}, `a tab that says ${n}`);
	}

	/* ---- doing ---- */

	press(target) {
		return this.input.press(this.page, target);
	}
	/** By keyboard alone, whatever the input mode. */
	reach(target) {
		return reach(this.page, target);
	}
	check(target, on = true) {
		return this.input.check(this.page, target, on);
	}
	write(target, text) {
		return this.input.write(this.page, target, text);
	}
	/** One state of a segment. */
	choose(within, name) {
		return this.byKeys ? this.check(within.getByRole('radio', { name })) : within.locator('label', { hasText: name }).click();
	}
	pick(target, value) {
		return this.input.pick(this.page, target, value);
	}
	readToEnd(target) {
		return this.input.readToEnd(this.page, target);
	}
	key(...names) {
		return names.reduce((before, name) => before.then(() => this.page.keyboard.press(name)), Promise.resolve());
	}
	/** g and the letter of a place, pressed again by who was too slow between them. */
	async go(letter, path) {
		for (let tries = 0; tries < 5; tries++) {
			await this.key('g', letter);
			const there = await this.page.waitForURL(path, { timeout: 10_000 }).then(() => true, () => false);
			if (there) return;
		}
		throw new Error(`g ${letter} does not lead to ${path}`);
	}
	/** Clicks, or uses the key that stands for it. */
	pressOr(target, key) {
		return this.byKeys ? this.key(key) : this.press(target);
	}
	/** The way to a screen: on a phone some are behind More. */
	async navLink(name) {
		const nav = this.page.getByRole('navigation').first();
		const link = nav.getByRole('link', { name: this.t(`nav.${name}`) });
		const more = nav.getByRole('button', { name: this.t('nav.more') });
		if (!this.wide && (await more.getAttribute('aria-expanded')) === 'false' && !(await link.isVisible())) await this.press(more);
		return link;
	}
	async visit(path) {
		await this.come(path);
		await this.page.getByRole('heading').first().waitFor();
	}

	/** Goes there: with a new document, or, where `stands` says that the one before will do, inside that. */
	async come(path) {
		if (!this.stands || new URL(this.page.url()).pathname === path) await this.page.goto(path);
		else {
			await this.key('Escape'); // closes what was open
			await this.visitInside(path, true);
		}
	}

	async visitLive(path) {
		await this.visit(path);
		await this.live();
	}

	/** Goes there without a new document, as the page's own links do; `leaves` the field that goes before, as
	 * whoever presses a link does. */
	visitInside(path, leaves = false) {
		return this.page.evaluate(([to, left]) => {
			if (left) dispatchEvent(new PointerEvent('pointerdown'));
			history.pushState(null, '', to);
			dispatchEvent(new PopStateEvent('popstate'));
		}, [path, leaves]);
	}

	/* ---- answering ---- */

	/** Asks this, and looks at it. */
	async open(body) {
		const ask = await this.desk.agent.ask(body);
		await this.look(ask);
		return ask;
	}
	async look(ask) {
		await this.come(`/asks/${ask.id}`);
		await this.heading(ask.title ?? ask.questions[0].text).waitFor();
	}
	/** What is beside the answer itself: in the open where there is room, else behind "…". */
	async action(id, within = this.page) {
		const button = this.button(id, {}, within.getByRole('article'));
		const menu = within.locator('article details:has(.menu) > summary', { visible: true }).filter({ has: this.page.locator('svg') }).last();
		await this.page.locator('article .actions').first().waitFor();
		if (!await button.first().isVisible()) await this.press(menu);
		await this.press(button);
	}
	get skipping() {
		return this.page.getByRole('group', { name: this.t('form.skip.sure') });
	}
	async skip() {
		await this.action('form.skip');
		await sleep(ARMED_MS);
		await this.press(this.button('form.skip', {}, this.skipping));
	}
	/** "Approved by Marie". */
	settledBy(outcome, name) {
		return this.t('settled.by', { words: this.t(`outcome.${outcome}`), name });
	}
	get submit() {
		return this.button('form.submit').and(this.page.locator('[type=submit]'));
	}
	/** A form can be sent once it is valid and its card has been there for a moment. */
	armed(button) {
		return until(() => button.evaluate((box) => new Promise((done) => {
			const end = performance.now() + 1000;
			const isOff = () => box.getAttribute('aria-disabled') === 'true';
			const look = () => (box.isConnected && isOff() && performance.now() < end ? setTimeout(look, 10) : done(box.isConnected && !isOff()));
			/* What has just moved is seen a moment later. */
			setTimeout(look, 150);
		})), 'a form that can be sent');
	}
	/** Presses the next quick decision with this text around it in the moment it appears, before it can be armed. */
	async pressNew(text) {
		const pressed = await this.page.evaluateHandle((around) => {
			const seen = new Set(document.querySelectorAll('.quick button'));
			const found = () => [...document.querySelectorAll('.quick button')].find((box) => !seen.has(box)
				&& box.closest('.toast, li')?.textContent.includes(around));
			return { off: new Promise((done) => {
				new MutationObserver((changes, watch) => {
					const box = found();
					if (!box) return;
					watch.disconnect();
					done(box.getAttribute('aria-disabled'));
					box.click();
				}).observe(document.body, { childList: true, subtree: true });
			}) };
		}, text);
		/* → what its aria-disabled said, once it was pressed. */
		return () => pressed.evaluate(({ off }) => off);
	}
	async send(button = this.submit) {
		await this.armed(button);
		await this.pressOr(button, 'Control+Enter');
	}
}
