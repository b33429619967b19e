/* What was typed is never thrown away: a draft stays until its ask is answered with it, or its person
 * logs out. Drafts belong to a person: nobody else at this browser sees them. */
import { jsonRead, jsonWrite } from '../lib/json';
import type { Typed } from '../lib/typed';

export interface Kept extends Typed {
	at: number;
}

const PREFIX = 'parley.draft.';
const OLD_MS = 30 * 24 * 3600_000;
let person = '';

const nameOf = (id: string) => `${PREFIX}${person}/${id}`;

/** Whose drafts are kept and found from now on; '': nobody's. */
export function draftsOf(who: string): void {
	person = who;
}

function load(name: string): Kept | null {
	try {
		return jsonRead(localStorage.getItem(name) ?? 'null') as Kept | null;
	} catch {
		return null;
	}
}

export const draftLoad = (id: string): Kept | null => (person ? load(nameOf(id)) : null);

/** Keeps these parts; the others stay as they were. */
export function draftKeep(id: string, parts: Typed): void {
	if (!person) return;
	try {
		localStorage.setItem(nameOf(id), jsonWrite({ ...draftLoad(id), ...parts, at: Date.now() }));
	} catch {
		// The store is full: the text is still on the screen.
	}
}

export function draftDrop(id: string): void {
	localStorage.removeItem(nameOf(id));
}

const all = () => Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));

/** This person leaves. */
export function draftsClear(): void {
	for (const name of all()) if (name.startsWith(nameOf(''))) localStorage.removeItem(name);
}

/** Drops what is old, and what an earlier version kept without a person. */
export function draftsTidy(now = Date.now()): void {
	for (const name of all()) {
		const kept = load(name);
		if (!name.includes('/') || !kept || now - kept.at > OLD_MS) localStorage.removeItem(name);
	}
}
