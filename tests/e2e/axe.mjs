// axe, as the tests use it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inSizes } from './matrix.mjs';
import { rawWordsOf } from './raw-words.mjs';

/** axe has to be put into the page, which the page's own rules forbid: for a context. */
export const bypass = { bypassCSP: true };

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/* The rules that look at colours: the others say the same of a page in light and in dark. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** All rules, or only these. A document takes axe once. */
async function violations(page, only) {
	if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(source);
	return page.evaluate(async (runOnly) => {
		const { violations: found } = await window.axe.run(document, { resultTypes: ['violations'], ...(runOnly ? { runOnly } : {}) });
		return found.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target, failureSummary }) => ({ target: String(target), failureSummary })) }));
	}, only);
}

/** What axe says of the page as it is, in light and in dark, and the machine's words in it; in a long run, in both sizes. */
export async function complaints(me) {
	const found = [];
	await inSizes(me, async (view) => {
		found.push(...await rawWordsOf(me.page));
		for (const [colorScheme, only] of [['light'], ['dark', COLOURS]]) {
			await me.page.emulateMedia({ colorScheme });
			for (const { id, nodes } of await violations(me.page, only))
				for (const node of nodes.slice(0, 2))
					found.push(`${view}, ${colorScheme}: ${id} ${node.target} ${node.failureSummary?.slice(0, 200)}`);
		}
	});
	return found;
}
