// The two input modes. The mouse points at things and clicks; the keyboard alone gets to them
// with Tab, as somebody must who cannot use a mouse, and fails where Tab does not lead.

const TABS = 400;

/** Where the target lies as seen from what has the focus; nothing when it was replaced by another. */
const bearing = (target) => target.evaluate((to) => {
	if (!to.isConnected) return undefined;
	const from = document.activeElement ?? document.body;
	if (from === to) return 'here';
	const together = (set) => from.closest(set) && from.closest(set) === to.closest(set);
	const radios = from.type === 'radio' && to.type === 'radio' && from.name === to.name;
	if (radios || (to.role === 'tab' && from.role === 'tab' && together('[role=tablist]'))) {
		const all = radios ? [...document.getElementsByName(to.name)] : [...from.parentElement.children];
		return all.indexOf(to) > all.indexOf(from) ? 'later in the group' : 'earlier in the group';
	}
	/* A list has one stop for Tab: arrows lead from row to row. */
	const [row, other] = [from, to].map((one) => one.closest('[data-row]'));
	if (row && other && row !== other)
		return row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? 'below in the list' : 'above in the list';
	/* From nowhere, Tab starts at one end of the document and Shift+Tab at the other. */
	if (from === document.body) {
		const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
		return stops.indexOf(to) > stops.length / 2 ? 'behind' : 'ahead';
	}
	return from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING ? 'ahead' : 'behind';
});

const way = {
	'ahead': 'Tab',
	'behind': 'Shift+Tab',
	'below in the list': 'ArrowDown',
	'above in the list': 'ArrowUp',
	'later in the group': 'ArrowRight',
	'earlier in the group': 'ArrowLeft',
};

/** Puts the focus on the target, from wherever it is. */
export async function reach(page, target) {
	let box = await target.elementHandle({ state: 'attached' });
	let turns = 0;
	for (let i = 0, last = ''; i < TABS; i++) {
		const now = await bearing(box).catch(() => undefined);
		if (now === 'here') return;
		if (!now) {
			box = await target.elementHandle({ state: 'attached' });
			continue;
		}
		/* Past it, and past it again on the way back: it takes no focus. */
		if (now !== last && (now === 'ahead' || now === 'behind') && ++turns > 4) break;
		last = now;
		await page.keyboard.press(way[now]);
	}
	throw new Error(`the keyboard does not get to ${target}`);
}

async function retype(page, text) {
	await page.keyboard.press('Control+A');
	if (text) await page.keyboard.type(text);
	else await page.keyboard.press('Delete');
}

/** Page by page, none faster than it can be seen, until the end of the target is above the actions of its card. */
async function readOn(target, page) {
	for (let i = 0; i < 60; i++) {
		const more = await target.evaluate(async (box) => {
			await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 120)));
			const bar = box.closest('article')?.querySelector('.actions')?.getBoundingClientRect();
			return box.getBoundingClientRect().bottom > (bar?.top ?? innerHeight);
		});
		if (!more) return;
		await page();
	}
	throw new Error('the end does not come into sight');
}

const OPTIONS = 100;
const isSelect = (target) => target.evaluate((box) => box.localName === 'select');
/** Which of the open picker's options is called so; its words may go on behind the name. */
async function optionAt(page, name) {
	await page.getByRole('listbox').first().waitFor();
	const at = await page.getByRole('option').evaluateAll((all, wanted) => {
		const names = all.map((one) => one.querySelector('.words').firstChild.textContent.replace(/\s+/g, ' ').trim());
		const at = names.indexOf(wanted);
		return at < 0 ? all.findIndex((one) => one.dataset.value === wanted) : at;
	}, name.replace(/\s+/g, ' '));
	if (at < 0) throw new Error(`there is no option ${name}`);
	return at;
}
const activeOption = (page) => page.evaluate(() => {
	const id = document.activeElement.getAttribute('aria-activedescendant');
	return [...document.querySelectorAll('[role=option]')].findIndex((one) => one.id === id);
});

const mouse = {
	press: (page, target) => target.click(),
	async check(page, target, on) {
		if (await target.isChecked() === on) return;
		/* Of a segment the label is to be seen. */
		const segment = await target.evaluate((box) => Boolean(box.closest('.segment')));
		await (segment ? target.locator('xpath=ancestor::label') : target).click();
	},
	async write(page, target, text) {
		await target.click();
		await retype(page, text);
	},
	/* The list of a select belongs to the system: it is no part of the page. Our own is picked from by name. */
	async pick(page, target, value) {
		if (await isSelect(target)) return target.selectOption(value);
		await target.click();
		await page.getByRole('option').nth(await optionAt(page, value)).click();
	},
	async readToEnd(page, target) {
		await target.hover();
		await readOn(target, () => page.mouse.wheel(0, 250));
	},
};

const keyboard = {
	async press(page, target) {
		await reach(page, target);
		await page.keyboard.press('Enter');
	},
	async check(page, target, on) {
		await reach(page, target);
		if (await target.isChecked() !== on) await page.keyboard.press('Space');
	},
	async write(page, target, text) {
		await reach(page, target);
		await retype(page, text);
	},
	async pick(page, target, value) {
		await reach(page, target);
		if (!(await isSelect(target))) {
			await page.keyboard.press('Enter');
			const to = await optionAt(page, value);
			for (let i = 0; i <= to + OPTIONS && await activeOption(page) !== to; i++)
				await page.keyboard.press(i < OPTIONS && await activeOption(page) > to ? 'ArrowUp' : 'ArrowDown');
			return page.keyboard.press('Enter');
		}
		const steps = await target.evaluate((list, wanted) => {
			const at = [...list.options].findIndex((option) => option.value === wanted || option.label === wanted);
			if (at < 0) throw new Error(`there is no option ${wanted}`);
			return at - list.selectedIndex;
		}, value);
		for (let i = 0; i < Math.abs(steps); i++) await page.keyboard.press(steps > 0 ? 'ArrowDown' : 'ArrowUp');
	},
	readToEnd: (page, target) => readOn(target, () => page.keyboard.press('PageDown')),
};

export const inputModes = { mouse, keyboard };
