// axe, as the tests use it.
import axePackage from '@axe-core/playwright';

/** axe has to be put into the page, which the page's own rules forbid: for a context. */
export const bypass = { bypassCSP: true };

const AxeBuilder = axePackage.default ?? axePackage;

/** What axe says of the page as it is, in light and in dark. */
export async function complaints(me) {
	const found = [];
	for (const colorScheme of ['light', 'dark']) {
		await me.page.emulateMedia({ colorScheme });
		/* Legacy: the page has no frames, for which alone the other way opens a page of its own. */
		const { violations } = await new AxeBuilder({ page: me.page }).setLegacyMode(true).analyze();
		for (const one of violations)
			for (const node of one.nodes.slice(0, 2))
				found.push(`${colorScheme}: ${one.id} ${node.target} ${node.failureSummary?.slice(0, 200)}`);
	}
	return found;
}
