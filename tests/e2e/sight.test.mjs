// Seen by everyone: at 400 %, in the system's colours, by contrast, and for as long as one needs.
import assert from 'node:assert/strict';
import { titleOf, until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

/* 1280×1024 at 400 %. */
const ZOOMED = { width: 320, height: 256 };
const approval = (risk = 'critical') => ({ kind: 'approval', title: 'Send the newsletter to every customer of the last ten years',
	context: { text: 'Trust me. '.repeat(30), diff: '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n' }, timeout: '20m',
	operation: { name: 'shell', risk, arguments: { command: 'make '.repeat(30), depth: 2 } } });
const questions = { title: 'Several things', questions: [
	{ key: 'one', header: 'One', text: 'Which?', type: 'choice', options: [{ label: 'Red', description: 'As wine' }, { label: 'Blue' }], other: true, note: {} },
	{ key: 'two', header: 'Two', text: 'Why?', type: 'text' }] };

/** What is wider than the window, or lies over what is to be pressed once that is scrolled into sight. */
const troubles = (page) => page.evaluate(() => {
	const found = [];
	const wide = document.scrollingElement;
	if (wide.scrollWidth > innerWidth) found.push(`the page is ${wide.scrollWidth} px wide`);
	for (const node of document.querySelectorAll('main, .ask, .screen'))
		if (node.checkVisibility() && node.scrollWidth > node.clientWidth + 1) found.push(`${node.tagName}.${node.className} is ${node.scrollWidth} px wide`);
	const named = (node) => `${node.tagName}.${node.className} ${node.textContent.trim().slice(0, 30)}`;
	for (const node of document.querySelectorAll(':is(main, dialog) :is(button, a, input, select, textarea, summary)')) {
		if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || node.closest('.skip')) continue;
		node.scrollIntoView({ block: 'center', inline: 'nearest' });
		const box = node.getBoundingClientRect();
		if (!box.width || !box.height) continue;
		const [x, y] = [box.x + Math.min(box.width / 2, 100), box.y + Math.min(box.height / 2, 40)];
		if (x < 0 || x > innerWidth || y < 0 || y > innerHeight) {
			found.push(`${named(node)} cannot be scrolled to`);
			continue;
		}
		const top = document.elementFromPoint(x, y);
		if (top && !node.contains(top) && !top.contains(node) && !node.closest('label, .row')?.contains(top)) found.push(`${named(node)} lies under ${named(top)}`);
	}
	return found;
});

/** How much of the height stays whatever one scrolls. */
const stuck = (page) => page.evaluate(() => [...document.querySelectorAll('body *')]
	.filter((node) => ['sticky', 'fixed'].includes(getComputedStyle(node).position) && node.checkVisibility())
	.reduce((sum, node) => sum + node.getBoundingClientRect().height, 0));

const zoomed = {
	'an approval': async (me) => {
		await me.open(approval());
		await me.region('diff').waitFor();
	},
	'an approval being rejected': async (me) => {
		await me.open(approval('high'));
		await me.press(me.button('approval.reject.open'));
	},
	'several questions': (me) => me.open(questions),
	'the inbox': async (me, desk) => {
		const session = await desk.agent.session('list');
		for (let i = 0; i < 6; i++) await desk.agent.ask({ session: session.id, question: `Number ${i} of a long row of asks?`, type: 'boolean' });
		await me.visit('/inbox');
		await me.list.getByRole('listitem').first().waitFor();
	},
	'sessions': async (me, desk) => {
		await desk.agent.session('a session with a rather long title that has to go somewhere');
		await me.visit('/sessions');
	},
	'history': async (me, desk) => {
		const ask = await desk.agent.ask({ question: 'Was it?', type: 'boolean' });
		await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
		await me.visit('/history');
		await me.page.locator('.history').getByRole('listitem').first().waitFor();
	},
	'insights': (me) => me.visit('/insights'),
	'settings': (me) => me.visit('/settings'),
};

/* In the page: the contrast of two colours, as WCAG has it. */
const measure = () => {
	const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	const rgb = (color) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const light = (color) => {
		const [r, g, b] = rgb(color).slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	window.contrast = (one, other) => {
		const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
		return (a + 0.05) / (b + 0.05);
	};
	/* What is painted behind a node. */
	window.behind = (node) => {
		for (let at = node.parentElement; at; at = at.parentElement) {
			const color = getComputedStyle(at).backgroundColor;
			if (rgb(color)[3] === 255) return color;
		}
		return 'white';
	};
};

area('sight', (scenario) => {
	for (const [name, arrange] of Object.entries(zoomed))
		scenario(`at 400 %, ${name}: nothing is lost, nothing lies over anything`, async (me, desk) => {
			await beside(me, {}, async (own) => {
				await own.page.setViewportSize(ZOOMED);
				await arrange(own, desk);
				assert.deepEqual(await troubles(own.page), []);
				assert.ok(await stuck(own.page) <= 64, `${await stuck(own.page)} of 256 px stay on top`);
			});
		});

	scenario('at 400 %, the list shows whole rows, also the one that keys move to', async (me, desk) => {
		for (let i = 0; i < 12; i++) await desk.agent.ask({ title: titleOf(i), question: 'Which?', type: 'text' });
		await beside(me, {}, async (own) => {
			await own.page.setViewportSize(ZOOMED);
			await own.visit('/inbox');
			await own.row(titleOf(0)).waitFor();
			const { height } = await own.page.locator('.list .rows').boundingBox();
			assert.ok(height >= 120, `${height} px for the rows`);
			await own.key('j', 'j', 'j');
			const cut = await until(() => own.page.evaluate(() => {
				const row = document.activeElement.closest('[data-row]')?.getBoundingClientRect();
				const list = document.querySelector('.list').getBoundingClientRect();
				return row && { px: Math.round(Math.max(0, list.top - row.top, row.bottom - list.bottom)) };
			}), 'a row with the focus');
			assert.equal(cut.px, 0);
		});
	});

	scenario('what one can snooze until stands whole in its menu', async (me) => {
		await me.open({ question: 'Later?', type: 'boolean' });
		await until(() => me.page.evaluate(() => document.activeElement?.closest('article') !== null), 'the focus in the card');
		await me.pressOr(me.page.locator('article summary', { has: me.page.getByText(me.t('snooze')) }).first(), 'h');
		const menu = me.page.getByRole('group', { name: me.t('snooze.until') });
		await menu.getByText(me.t('snooze.text')).waitFor();
		const out = await menu.evaluate((node) => {
			const box = node.getBoundingClientRect();
			return [box.left < 0 && 'the menu', ...[...node.querySelectorAll('*')].map((one) =>
				one.getBoundingClientRect().right > box.right + 0.5 && one.textContent.trim())].filter(Boolean);
		});
		assert.deepEqual(out, []);
	});

	scenario('the answer stands at the bottom of the window, however little there is to read', async (me) => {
		for (const ask of [{ question: 'A short one?', type: 'boolean' }, { ...approval('high'), context: undefined }, approval('high')]) {
			await me.open(ask);
			const gap = await until(() => me.page.evaluate(() => {
				const [bar, pane] = ['article .actions', '.ask'].map((one) => document.querySelector(one)?.getBoundingClientRect());
				return bar && { px: Math.round(Math.abs(pane.bottom - bar.bottom)) };
			}), 'a bar');
			assert.equal(gap.px, 0);
			/* Whatever else the card says stands above it, once one has scrolled to the end. */
			const below = await me.page.evaluate(() => {
				document.querySelector('.ask').scrollTop = 1e6;
				const bar = document.querySelector('article .actions');
				return [...document.querySelectorAll('article *')].filter((one) => !bar.contains(one) && !one.matches('.unseen, .unseen *')
					&& one.checkVisibility() && one.getBoundingClientRect().bottom > bar.getBoundingClientRect().top + 1).map((one) => one.className);
			});
			assert.deepEqual(below, []);
		}
	});

	scenario('what decides is one row at the end: in a session, and at the bottom of a batch', async (me, desk) => {
		const session = await desk.agent.session('rows of buttons');
		for (const risk of ['critical', 'low', 'low']) await desk.agent.ask({ session: session.id, ...approval(risk), context: undefined, timeout: '1h' });
		if (!me.wide) return; // on a phone what is left to do stands above its buttons
		await me.visit(`/sessions/${session.id}`);
		const bar = me.region('chat').locator('article .actions').first();
		await bar.waitFor();
		const { height } = await bar.boundingBox();
		assert.ok(height <= 60, `${height} px`);
		await me.visit('/inbox');
		await me.row(approval().title).first().waitFor();
		for (const box of (await me.list.getByRole('checkbox').all()).slice(0, 2)) await box.check({ force: true });
		await me.region('batch').waitFor();
		const gap = await me.page.evaluate(() => {
			const [bar, pane] = ['.together > .actions', '.ask'].map((one) => document.querySelector(one).getBoundingClientRect());
			return Math.round(pane.bottom - bar.bottom);
		});
		assert.equal(gap, 0);
	});

	for (const zoom of [true, false]) scenario(`${zoom ? 'at 400 %' : 'on a phone'}, a toast lies over no button of the card, nor over its menu`, async (me, desk) => {
		await beside(me, { view: 'phone' }, async (own) => {
			if (zoom) await own.page.setViewportSize(ZOOMED);
			await own.open(questions);
			await own.live();
			await desk.agent.ask({ question: 'Meanwhile?', type: 'boolean' });
			await own.toasts.getByText('Meanwhile?').waitFor();
			const over = await own.page.evaluate(() => {
				const found = [], menu = document.querySelector('article .actions details:has(> .menu)');
				for (const node of [...document.querySelectorAll('article .actions :is(button, summary)'), menu,
					...menu.querySelectorAll('.menu button')]) {
					if (node === menu) menu.open = true;
					node.scrollIntoView({ block: 'end' });
					document.querySelector('.ask').scrollTop = 1e6;
					const box = node.getBoundingClientRect();
					const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
					if (top?.closest('.toast')) found.push(node.textContent.trim());
				}
				return found;
			});
			assert.deepEqual(over, []);
		});
	});

	scenario('whatever gives way on a row, its risk and its countdown are whole', async (me, desk) => {
		const named = 'a narrow session with a long name';
		const session = await desk.agent.session(named, { project: 'a project with a name' });
		for (let i = 0; i < 4; i++)
			await desk.agent.ask({ session: session.id, ...approval('medium'), title: `Label ticket ${i} as “billing” and tell everybody who asked` });
		for (const risk of ['high', 'critical']) await desk.agent.ask({ session: session.id, ...approval(risk), priority: 'urgent' });
		for (const density of ['compact', 'comfortable']) {
			await me.page.evaluate((wanted) => localStorage.setItem('parley.settings',
				JSON.stringify({ ...JSON.parse(localStorage.getItem('parley.settings')), density: wanted })), density);
			await me.visit('/inbox');
			await me.list.locator('.risk').first().waitFor();
			const high = (await me.list.locator('[data-row]').last().boundingBox()).height;
			assert.ok(high <= (!me.wide ? 68 : density === 'compact' ? 38 : 60), `${density}: a row of ${high} px`);
			const cut = await me.page.evaluate(() => [...document.querySelectorAll('[data-row] :is(.risk, .when)')].filter((node) => {
				const box = node.getBoundingClientRect();
				for (let at = node.parentElement; at && !at.matches('li'); at = at.parentElement) {
					const around = at.getBoundingClientRect();
					if (getComputedStyle(at).overflowX !== 'visible' && (box.right > around.right + 1 || box.left < around.left - 1)) return true;
				}
				return node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline';
			}).map((node) => node.textContent.trim()));
			assert.deepEqual(cut, [], density);
			/* In a narrow window rows have two lines, whatever one likes. */
			if (!me.wide) continue;
			const size = me.page.viewportSize();
			await me.page.setViewportSize({ width: 1024, height: 700 });
			await until(async () => Math.round((await me.list.locator('[data-row]').last().boundingBox()).height) === 60, 'two lines');
			await me.page.setViewportSize(size);
		}
		await beside(me, { view: 'phone', lang: 'fr' }, async (own) => {
			await own.visit(`/sessions/${session.id}`);
			const title = own.page.getByRole('heading', { level: 1, name: named });
			await title.waitFor();
			const { width } = await title.boundingBox();
			assert.ok(width >= 170, `the session's title has ${width} px`);
		});
	});

	scenario('in the system’s colours: where one is, what is pressed, off or at risk can be told', { settings: {} }, async (me, desk) => {
		const session = await desk.agent.session('colours');
		const grave = await desk.agent.ask({ session: session.id, ...approval('critical'), title: 'Grave' });
		await desk.agent.ask({ session: session.id, title: 'Plain', question: 'Plain?', type: 'boolean' });
		await me.page.emulateMedia({ forcedColors: 'active' });
		try {
			await me.visit('/inbox');
			await me.row('Plain').waitFor();
			const edges = await me.page.evaluate(() => Object.fromEntries(['Grave', 'Plain'].map((title) => {
				const row = [...document.querySelectorAll('[data-row]')].find((one) => one.textContent.includes(title));
				const edge = getComputedStyle(row.querySelector('.line'), '::before');
				return [title, edge.borderInlineStartStyle === 'solid' && edge.borderInlineStartColor !== getComputedStyle(document.body).backgroundColor];
			})));
			assert.deepEqual(edges, { Grave: true, Plain: false }, 'an edge only where there is a risk');
			await me.press(me.row('Plain').getByRole('link'));
			await me.heading('Plain').waitFor();
			const outlined = (selector) => me.page.locator(selector).first().evaluate((node) => {
				const style = getComputedStyle(node);
				return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
			});
			if (me.wide) assert.ok(await outlined('[data-row] .current'), 'the current row');
			assert.ok(await outlined('nav [aria-current=page]'), 'the current screen');
			const off = me.submit;
			assert.equal(await off.getAttribute('aria-disabled'), 'true');
			const colors = await off.evaluate((node) => [getComputedStyle(node).color, (() => {
				const probe = document.body.appendChild(Object.assign(document.createElement('i'), { style: 'color: GrayText' }));
				const color = getComputedStyle(probe).color;
				probe.remove();
				return color;
			})()]);
			assert.equal(colors[0], colors[1], 'what is off is grey');
			await me.visit('/insights');
			await me.page.locator('main [aria-current]').first().waitFor();
			assert.ok(await outlined('main [aria-current]'), 'the current view');
			await me.look(grave);
			await me.press(me.button('operation.raw'));
			assert.ok(await outlined('[aria-pressed=true]'), 'what is pressed');
			const said = me.page.locator('.approve .words').first();
			const drawn = async () => me.page.screenshot({ clip: await said.boundingBox() });
			const words = await drawn();
			await said.evaluate((node) => (node.style.visibility = 'hidden'));
			assert.ok(!words.equals(await drawn()), 'the words of a button can be seen');
			await me.visit('/sessions');
			await me.page.locator('main .dot').first().waitFor();
			const dot = await me.page.locator('main .dot').first().evaluate((node) => {
				const style = getComputedStyle(node);
				return { border: style.borderTopStyle, own: style.forcedColorAdjust };
			});
			assert.deepEqual(dot, { border: 'solid', own: 'none' }, 'a dot keeps its colour and has an edge');
		} finally {
			await me.page.emulateMedia({ forcedColors: 'none' });
		}
	});

	for (const theme of ['light', 'dark'])
		scenario(`${theme}: dots, bars and the edges of fields stand out 3 to 1`, async (me, desk) => {
			const session = await desk.agent.session('waits');
			await desk.agent.ask({ session: session.id, question: 'Waiting?', type: 'text', timeout: '5m' });
			const broken = await desk.agent.session('broke');
			await desk.agent.patch(`/v1/sessions/${broken.id}`, { status: 'failed' });
			const old = await desk.agent.ask({ question: 'Too late?', type: 'boolean', timeout: '1m' });
			desk.server.jump(2 * 60_000);
			await desk.settled(old.id);
			await me.page.emulateMedia({ colorScheme: theme });
			try {
				const weak = [];
				for (const [path, selector] of [['/sessions', 'main .dot'], ['/insights', 'main .swatch'], ['/settings/you', 'main :is(input:not([type=checkbox], [type=radio]), .picker)']]) {
					await me.visit(path);
					await me.page.locator(selector).first().waitFor();
					await me.page.evaluate(measure);
					weak.push(...await me.page.evaluate((wanted) => [...document.querySelectorAll(wanted)].map((node) => {
						const style = getComputedStyle(node);
						const color = node.matches('input, .picker') ? style.borderTopColor : style.backgroundColor;
						return [node.className, window.contrast(color, window.behind(node))];
					}).filter(([, ratio]) => ratio < 3).map(([name, ratio]) => `${name}: ${ratio.toFixed(2)}`), selector));
				}
				assert.deepEqual(weak, []);
			} finally {
				await me.page.emulateMedia({ colorScheme: 'light' });
			}
		});

	scenario('a toast that passes waits while the pointer or the focus is on it', async (me, desk) => {
		await beside(me, {}, async (own) => {
			await own.page.clock.install();
			await own.visit('/activity');
			await own.live();
			const told = async (title) => {
				const ask = await desk.agent.ask({ title, question: 'Now?', type: 'boolean' });
				await own.toasts.getByText(title).waitFor();
				await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answer: true });
				const toast = own.toasts.locator('.toast', { hasText: own.settledBy('answered', 'Marie') }).filter({ hasText: title });
				await toast.waitFor();
				return toast;
			};
			const first = await told('Passing by');
			if (own.byKeys) await own.reach(first.getByRole('button'));
			else await first.hover();
			await own.page.clock.runFor(20_000);
			assert.ok(await first.isVisible(), 'it waits');
			if (own.byKeys) await own.page.evaluate(() => document.getElementById('main').focus());
			else await own.page.mouse.move(5, 5);
			await own.page.clock.runFor(7_000);
			await first.waitFor({ state: 'detached' });
			const second = await told('Gone by itself');
			await own.page.clock.runFor(7_000);
			await until(async () => !await second.isVisible(), 'gone after its time');
		});
	});
}, { stands: true });
