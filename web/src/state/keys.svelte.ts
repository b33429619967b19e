/* Keys of one letter, and where they act.
 *
 *  1. A key belongs to what has the focus. A map with a `scope` acts only while the focus is in it;
 *     a text field keeps every key but Esc.
 *  2. While a dialog is open only modal maps count.
 *  3. When the field that somebody writes in vanishes, every key is dead until a pointer, Tab or Esc:
 *     what is typed on was meant for that field.
 *  4. What is typed while the palette is being fetched is for the palette.
 *  5. There is no key that sends from afar: Ctrl+Enter is handled by the form around the focus. */
import { overKeeps } from './frame.svelte';
import { settings } from './settings.svelte';

/* Keys that belong to what has the focus: pressing it, moving in a group, scrolling a frame. */
const pressed = 'a,button,summary,input,[role=tab]';
const moved = 'input:not([type=checkbox]),[role=tab],[tabindex="0"]:not(a,button,input)';
const owners: Record<string, string> = {
	Enter: pressed,
	' ': pressed,
	ArrowUp: moved,
	ArrowDown: moved,
	ArrowLeft: moved,
	ArrowRight: moved,
	Home: moved,
	End: moved,
};

export type KeyMap = Record<string, (event: KeyboardEvent) => void>;

export interface KeyLayer {
	/** Counts while a dialog is open. */
	modal?: boolean;
	/** Does this map act while the focus is there? Without one it acts everywhere. */
	scope?: (focus: Element) => boolean;
}

const layers: (KeyLayer & { map: KeyMap })[] = [];
/** When g was pressed, which goes before the letter of a place. */
let ledAt = -Infinity;
let typedAt = 0;
/** The text field somebody is in, until they leave it themselves. */
let field: Element | null = null;
let tabbed = false;

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

/** The field that was written in is gone, and its person has not gone on to something else. */
const fieldVanished = () => field !== null && !(field.isConnected && field.checkVisibility());

/** In the middle of writing something: nothing may open by itself now. */
export function isTyping(): boolean {
	return isTypingIn(document.activeElement) || fieldVanished() || Date.now() - typedAt < TYPING_MS;
}

/** Did the focus come where it is by Tab? */
export const movedByTab = () => tabbed;

/** Ctrl+Enter, or Command+Enter. */
export const isSend = (event: KeyboardEvent) =>
	event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing;

/** What the keys do that send what is written. */
export const onSend = (send: () => unknown) => (event: KeyboardEvent) => {
	if (!isSend(event)) return;
	event.preventDefault();
	event.stopPropagation();
	void send();
};

/** Adds a map; returns how to remove it. */
export function keysUse(map: KeyMap, layer: KeyLayer = {}): () => void {
	const added = { ...layer, map };
	layers.push(added);
	return () => {
		const at = layers.indexOf(added);
		if (at >= 0) layers.splice(at, 1);
	};
}

function find(name: string, focus: Element): ((event: KeyboardEvent) => void) | undefined {
	/* A dialog that this very key closes still keeps it from everything behind it. */
	const modal = focus.closest('dialog') !== null || document.querySelector('dialog[open]') !== null;
	for (let i = layers.length - 1; i >= 0; i--) {
		const layer = layers[i]!;
		if (modal && !layer.modal) continue;
		if (layer.scope && !layer.scope(focus)) continue;
		if (layer.map[name]) return layer.map[name];
	}
	return undefined;
}

/* Runs before every other listener. */
function watch(event: KeyboardEvent): void {
	if (overKeeps(event)) {
		event.preventDefault();
		event.stopImmediatePropagation();
		return;
	}
	tabbed = event.key === 'Tab';
	if (event.key === 'Tab' || event.key === 'Escape') {
		field = null;
		return;
	}
	const typing = isTypingIn(event.target);
	if (typing) {
		if (event.key.length === 1) typedAt = Date.now();
		const leaves =
			event.key === 'Enter' && (isSend(event) || event.target instanceof HTMLInputElement);
		field = leaves ? null : (event.target as Element);
	} else if (fieldVanished() && !(event.ctrlKey && event.key !== 'Enter') && !event.altKey) {
		typedAt = Date.now();
		event.preventDefault();
		event.stopImmediatePropagation();
	}
}

function listen(event: KeyboardEvent): void {
	if (event.isComposing || event.defaultPrevented) return;
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	if (name !== 'Escape') {
		if (isTypingIn(event.target)) return;
		if (event.key.length === 1 && !settings.keys) return;
		if (event.repeat && !/^([jk]|Arrow.*)$/.test(name)) return;
	}
	const focus = event.target instanceof Element ? event.target : document.body;
	if (focus.closest(owners[name] ?? 'never')) return;
	/* By the clock of the keys: a page that is busy between them loses none. */
	const led = event.timeStamp - ledAt < LEAD_MS && event.key.length === 1;
	const full = led ? `g ${name}` : name;
	ledAt = -Infinity;
	const run = find(full, focus);
	if (run) {
		event.preventDefault();
		run(event);
	} else if (name === 'g') {
		ledAt = event.timeStamp;
	}
}

export function keysListen(): void {
	addEventListener('keydown', watch, true);
	addEventListener('keydown', listen);
	addEventListener(
		'focusin',
		(event) => {
			if (isTypingIn(event.target)) field = event.target as Element;
		},
		true,
	);
	addEventListener(
		'pointerdown',
		() => {
			field = null;
			tabbed = false;
		},
		true,
	);
}
