/* Strokes on a grid of 24. Those of the frame and the inbox come with the page; the rest with the first part
 * that is fetched later. */
import type { laterIcons } from './iconsLater';

const first = {
	inbox: 'M4 13 7 5h10l3 8v6H4zM4 13h5l1.5 3h3L15 13h5',
	sessions: 'M4 6h10v8H4zM10 18h10v-8h-3',
	activity: 'M3 12h4l3-7 4 14 3-7h4',
	insights: 'M5 20V11M12 20V4M19 20v-6',
	agents: 'M6 9h12v9H6zM12 9V5M9.5 13h0M14.5 13h0M3 13v2M21 13v2',
	history: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4M12 8v4l3 2',
	rules: 'M4 6h12M4 12h7M4 18h7M14 16l2.500 2.500L21 13',
	stop: 'M8 3h8l5 5v8l-5 5H8l-5-5V8zM8 12h8',
	more: 'M6 12h0M12 12h0M18 12h0',
	snooze: 'M19 14.500A7.500 7.500 0 0 1 9.500 5 7.500 7.500 0 1 0 19 14.500z',
	plus: 'M12 5v14M5 12h14',
	urgent: 'M12 5v9M12 18.500h0',
	high: 'M6 19v-4M12 19v-8M18 19V6',
	message: 'M5 6h14v9h-8l-4 4v-4H5z',
	settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
	blocking: 'M9.2 9a3 3 0 1 1 4.2 2.8c-.9.4-1.4 1-1.4 2.2M12 17.5h0',
	non_blocking: 'M5 6h14v9h-8l-4 4v-4H5z',
	approval: 'M12 3 5 6v5c0 4.5 3 8 7 10 4-2 7-5.500 7-10V6zM9 12l2 2 4-4',
	error_recovery: 'M19 12a7 7 0 1 1-2.2-5.100M19 4v4h-4',
	clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
	back: 'M15 5l-7 7 7 7',
	close: 'M6 6l12 12M18 6 6 18',
	check: 'M5 12.500l4.500 4.500L19 7.500',
	search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
	filter: 'M4 6h16M7 12h10M10 18h4',
	chevron: 'M6 9l6 6 6-6',
	updown: 'M8 9l4-4 4 4M8 15l4 4 4-4',
	up: 'M12 19V5M6 11l6-6 6 6',
	down: 'M12 5v14M6 13l6 6 6-6',
	lines: 'M4 5h16M4 9.700h16M4 14.300h16M4 19h16',
};
export type IconName = keyof typeof first | keyof typeof laterIcons;

const shapes: Partial<Record<IconName, string>> = { ...first };

export const shapeOf = (name: IconName): string => shapes[name] ?? '';

export const iconsFetch = (): Promise<void> =>
	import('./iconsLater').then(({ laterIcons }) => void Object.assign(shapes, laterIcons));
