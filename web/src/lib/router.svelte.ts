/* Where we are. Addresses are the server's; every one of them can be opened directly. */

/** The parts of the settings, in their order. */
export const settingsParts = [
	'you',
	'channels',
	'keys',
	'users',
	'teams',
	'routes',
	'tokens',
	'templates',
	'providers',
	'tools',
	'servers',
	'deliveries',
	'security',
	'data',
] as const;
export type SettingsPart = (typeof settingsParts)[number];

export type Route =
	| { screen: 'inbox'; ask: string | null }
	| { screen: 'sessions' }
	| { screen: 'session'; id: string }
	| { screen: 'history'; ask: string | null }
	| { screen: 'activity' | 'alerts' | 'insights' | 'agents' | 'rules' | 'start' | 'login' | 'lost' }
	/** null: the list of them, and on a wide screen the first beside it. */
	| { screen: 'settings'; part: SettingsPart | null };

export function routeOf(path: string): Route {
	const [first = '', second, ...rest] = path.replace(/^\/+|\/+$/g, '').split('/');
	if (rest.length) return { screen: 'lost' };
	if (first === 'asks' && second) return { screen: 'inbox', ask: second };
	if (first === 'sessions')
		return second ? { screen: 'session', id: second } : { screen: 'sessions' };
	if (first === 'history') return { screen: 'history', ask: second ?? null };
	const part = settingsParts.find((name) => name === second);
	if (first === 'settings' && part) return { screen: 'settings', part };
	if (second) return { screen: 'lost' };
	switch (first) {
		case '':
		case 'inbox':
			return { screen: 'inbox', ask: null };
		case 'settings':
			return { screen: 'settings', part: null };
		case 'activity':
		case 'alerts':
		case 'insights':
		case 'agents':
		case 'rules':
		case 'start':
		case 'login':
			return { screen: first };
		default:
			return { screen: 'lost' };
	}
}

class Router {
	path = $state(location.pathname);
	/** What stands behind the question mark, without it: filters and views. */
	search = $state(location.search.slice(1));
	route = $derived(routeOf(this.path));
	/** The last search of each screen that has one: going back there brings it back. */
	private searches: Record<string, string> = {};

	constructor() {
		addEventListener('popstate', () => this.read());
		this.read();
	}

	private read(): void {
		this.path = location.pathname;
		this.search = location.search.slice(1);
		this.searches[this.route.screen] = this.search;
	}

	/** An address of a screen with the search one left there. */
	to(path: string): string {
		const search = this.searches[routeOf(path).screen];
		return search ? `${path}?${search}` : path;
	}

	/** `replace`: moving through a list leaves no trail. */
	go(address: string, replace = false): void {
		if (address === location.pathname + location.search) return;
		if (replace) history.replaceState(null, '', address);
		else history.pushState(null, '', address);
		this.read();
		if (!replace) scrollTo(0, 0);
	}

	/** Another search on this screen; `step`: one that Back undoes. */
	find(search: string, step = false): void {
		this.go(search ? `${this.path}?${search}` : this.path, !step);
	}

	/** For plain clicks on links of our own; those with a modifier stay the browser's. */
	follow = (event: MouseEvent): void => {
		if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
			return;
		const link = (event.target as Element | null)?.closest('a');
		if (!link || link.target || link.hasAttribute('download')) return;
		if (link.origin !== location.origin || link.pathname.startsWith('/v1/')) return;
		event.preventDefault();
		this.go(link.pathname + link.search);
	};
}

export const router = new Router();
