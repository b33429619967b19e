/* What was typed is never thrown away: a draft stays until its ask is answered with it. */
import type { Typed } from '../lib/typed';

export interface Kept extends Typed {
	at: number;
}

const PREFIX = 'parley.draft.';
const OLD_MS = 30 * 24 * 3600_000;

export function draftLoad(id: string): Kept | null {
	try {
		return JSON.parse(localStorage.getItem(PREFIX + id) ?? 'null') as Kept | null;
	} catch {
		return null;
	}
}

/** Keeps these parts; the others stay as they were. */
export function draftKeep(id: string, parts: Typed): void {
	try {
		const kept: Kept = { ...draftLoad(id), ...parts, at: Date.now() };
		localStorage.setItem(PREFIX + id, JSON.stringify(kept));
	} catch {
		// The store is full: the text is still on the screen.
	}
}

export function draftDrop(id: string): void {
	localStorage.removeItem(PREFIX + id);
}

export function draftsTidy(now = Date.now()): void {
	for (const name of Object.keys(localStorage)) {
		if (!name.startsWith(PREFIX)) continue;
		const kept = draftLoad(name.slice(PREFIX.length));
		if (!kept || now - kept.at > OLD_MS) localStorage.removeItem(name);
	}
}
