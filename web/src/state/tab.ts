/* The tab's own signs: its title and its icon. */
const base = '/icon.svg';
const CALM_MS = 1000;
let last = '';
let says = { n: 0, screen: '' };
let soon = false;

/** Title and icon say how many wait. The browser draws both anew with its window, the icon from its very
 * lines: not with every ask of a flood. The name of another screen is said at once. */
export function tabSays(n: number, screen: string): void {
	const moved = screen !== says.screen;
	says = { n, screen };
	if (moved) titleDraw();
	if (!soon) setTimeout(signsDraw, CALM_MS);
	soon = true;
}

function signsDraw(): void {
	soon = false;
	titleDraw();
	iconDraw();
}

function titleDraw(): void {
	const title = `${says.n ? `(${says.n}) ` : ''}${says.screen} · Parley`;
	if (document.title !== title) document.title = title;
}

function iconDraw(): void {
	const { n } = says;
	const label = n > 99 ? '99' : n ? String(n) : '';
	if (label === last) return;
	last = label;
	const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
	if (!link) return;
	const svg =
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f55c7"/>` +
		`<path d="M8 9h16v11H15l-5 4v-4H8z" fill="#fff"/><circle cx="21" cy="21" r="11" fill="#b4231f"/>` +
		`<text x="21" y="26" font-family="system-ui,sans-serif" font-weight="700" font-size="${label.length > 1 ? 12 : 15}" text-anchor="middle" fill="#fff">${label}</text></svg>`;
	link.href = label ? `data:image/svg+xml,${encodeURIComponent(svg)}` : base;
}
