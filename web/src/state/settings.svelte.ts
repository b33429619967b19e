/* What a person prefers, kept in this browser. */
import type { Language } from '../api/types';

export type Theme = 'auto' | 'light' | 'dark';
export type Density = 'compact' | 'comfortable';
/** What the rows of the inbox stand together by. */
export type Grouping = 'urgency' | 'agent' | 'session';

interface Kept {
	theme: Theme;
	language: Language | null;
	opens: boolean;
	keys: boolean;
	notify: boolean;
	/** Notifications of progress, too. */
	progress: boolean;
	split: boolean;
	/** The list of sessions stands beside the one that is looked at. */
	beside: boolean;
	/** Agents, tasks and activity beside it. */
	side: boolean;
	density: Density;
	group: Grouping;
}

const NAME = 'parley.settings';
const first: Kept = {
	theme: 'auto',
	language: null,
	opens: true,
	keys: true,
	notify: true,
	progress: false,
	split: false,
	beside: false,
	side: true,
	density: 'compact',
	group: 'urgency',
};

function load(): Kept {
	try {
		return { ...first, ...(JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Kept>) };
	} catch {
		return { ...first };
	}
}

export const settings = $state(load());

export function settingsKeep(): void {
	localStorage.setItem(NAME, JSON.stringify(settings));
	themeApply();
}

export function themeApply(): void {
	const root = document.documentElement;
	if (settings.theme === 'auto') delete root.dataset['theme'];
	else root.dataset['theme'] = settings.theme;
}

addEventListener('storage', (event) => {
	if (event.key === NAME) Object.assign(settings, load());
	themeApply();
});
