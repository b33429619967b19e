/* Where we are. Addresses are the server's; every one of them can be opened directly. */

const parts = ['you', 'keys', 'users', 'tokens', 'deliveries'] as const;
export type SettingsPart = (typeof parts)[number];

export type Place =
	| { screen: 'inbox'; ask: string | null }
	| { screen: 'sessions' }
	| { screen: 'session'; id: string }
	| { screen: 'activity' | 'insights' | 'agents' | 'login' | 'lost' }
	| { screen: 'settings'; part: SettingsPart };

export function placeOf(path: string): Place {
	const [first = '', second, ...rest] = path.replace(/^\/+|\/+$/g, '').split('/');
	if (rest.length) return { screen: 'lost' };
	if (first === 'asks' && second) return { screen: 'inbox', ask: second };
	if (first === 'sessions')
		return second ? { screen: 'session', id: second } : { screen: 'sessions' };
	const part = parts.find((name) => name === second && name !== 'you');
	if (first === 'settings' && part) return { screen: 'settings', part };
	if (second) return { screen: 'lost' };
	switch (first) {
		case '':
		case 'inbox':
			return { screen: 'inbox', ask: null };
		case 'settings':
			return { screen: 'settings', part: 'you' };
		case 'activity':
		case 'insights':
		case 'agents':
		case 'login':
			return { screen: first };
		default:
			return { screen: 'lost' };
	}
}

class Router {
	path = $state(location.pathname);
	place = $derived(placeOf(this.path));

	constructor() {
		addEventListener('popstate', () => (this.path = location.pathname));
	}

	/** `replace`: moving through a list leaves no trail. */
	go(path: string, replace = false): void {
		if (path === location.pathname) return;
		if (replace) history.replaceState(null, '', path);
		else history.pushState(null, '', path);
		this.path = path;
		if (!replace) scrollTo(0, 0);
	}

	/** For plain clicks on links of our own; those with a modifier stay the browser's. */
	follow = (event: MouseEvent): void => {
		if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
			return;
		const link = (event.target as Element | null)?.closest('a');
		if (!link || link.target || link.hasAttribute('download')) return;
		if (link.origin !== location.origin || link.pathname.startsWith('/v1/')) return;
		event.preventDefault();
		this.go(link.pathname);
	};
}

export const router = new Router();
