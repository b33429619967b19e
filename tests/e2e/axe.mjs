// axe, as the tests use it.
import axePackage from '@axe-core/playwright';
import { inSizes } from './matrix.mjs';

/** axe has to be put into the page, which the page's own rules forbid: for a context. */
export const bypass = { bypassCSP: true };

const AxeBuilder = axePackage.default ?? axePackage;

/* Legacy: the page has no frames, for which alone the other way opens a page of its own. axe is half a
 * megabyte: a document takes it once. */
async function violations(page) {
	const there = await page.evaluate(() => 'axe' in window);
	const axe = new AxeBuilder({ page, axeSource: there ? 'void 0' : undefined }).setLegacyMode(true);
	return (await axe.options({ resultTypes: ['violations'] }).analyze()).violations;
}

/** What axe says of the page as it is, in light and in dark; in a long run, in both sizes. */
export async function complaints(me) {
	const found = [];
	await inSizes(me, async (view) => {
		for (const colorScheme of ['light', 'dark']) {
			await me.page.emulateMedia({ colorScheme });
			for (const { id, nodes } of await violations(me.page))
				for (const node of nodes.slice(0, 2))
					found.push(`${view}, ${colorScheme}: ${id} ${node.target} ${node.failureSummary?.slice(0, 200)}`);
		}
	});
	return found;
}
