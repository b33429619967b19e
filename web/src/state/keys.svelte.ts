/* Keys of one letter. The newest map goes first; while a
 * dialog is open only modal ones count. Never while
 * somebody types, and not at all when they are turned off. */
import { settings } from './settings.svelte';

/* Keys that belong to what has the focus: pressing it, moving in a group, scrolling a frame. */
const pressed = 'a,button,summary,input,[role=tab]';
const moved = 'input,[tabindex="0"]';
const owners: Record<string, string> = {
	Enter: pressed,
	' ': pressed,
	ArrowUp: moved,
	ArrowDown: moved,
	ArrowLeft: moved,
	ArrowRight: moved,
};

const leaving = ['submit', 'Enter', 'Tab', 'Escape'];

export type KeyMap = Record<string, (event: KeyboardEvent) => void>;

interface Layer {
	map: KeyMap;
	modal: boolean;
}

const layers: Layer[] = [];
let lead: string | null = null;
let leadTimer: ReturnType<typeof setTimeout> | undefined;
let typedAt = 0;
let typedIn: Element | null = null; // until one leaves it oneself

const LEAD_MS = 1200;
const TYPING_MS = 1500;

export function isTypingIn(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
	if (target instanceof HTMLSelectElement) return true;
	return (
		target instanceof HTMLInputElement && !/^(radio|checkbox|button|submit)$/.test(target.type)
	);
}

/** What was written in is gone, and somebody writes on: that is meant for nothing here. */
function isAdrift(): boolean {
	return typedIn !== null && !typedIn.isConnected && Date.now() - typedAt < TYPING_MS;
}

/** In the middle of writing something: nothing may open by itself now. */
export function isTyping(): boolean {
	return isTypingIn(document.activeElement) || Date.now() - typedAt < TYPING_MS;
}

/** Adds a map; returns how to remove it. */
export function keysUse(map: KeyMap, modal = false): () => void {
	const layer = { map, modal };
	layers.push(layer);
	return () => {
		const at = layers.indexOf(layer);
		if (at >= 0) layers.splice(at, 1);
	};
}

function find(name: string): ((event: KeyboardEvent) => void) | undefined {
	const modal = document.querySelector('dialog[open]') !== null;
	for (let i = layers.length - 1; i >= 0; i--) {
		const layer = layers[i]!;
		if ((!modal || layer.modal) && layer.map[name]) return layer.map[name];
	}
	return undefined;
}

function nameOf(event: KeyboardEvent): string {
	if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return 'submit';
	return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export function keysListen(): void {
	addEventListener('keydown', (event) => {
		if (event.isComposing) return;
		const name = nameOf(event);
		const typing = isTypingIn(event.target);
		if (event.key.length === 1 && (typing || isAdrift())) {
			typedAt = Date.now();
			if (!typing) return;
			typedIn = event.target as Element;
		} else if (leaving.includes(name)) typedIn = null;
		if (name !== 'submit' && name !== 'Escape') {
			if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
			if (event.key.length === 1 && !settings.keys) return;
			if (event.repeat && name !== 'j' && name !== 'k') return;
		}
		if (event.target instanceof Element && event.target.closest(owners[name] ?? 'never')) return;
		const full = lead && event.key.length === 1 ? `${lead} ${name}` : name;
		clearTimeout(leadTimer);
		lead = null;
		const run = find(full);
		if (run) {
			event.preventDefault();
			run(event);
		} else if (name === 'g') {
			lead = 'g';
			leadTimer = setTimeout(() => (lead = null), LEAD_MS);
		}
	});
	addEventListener('pointerdown', () => (typedIn = null));
}
