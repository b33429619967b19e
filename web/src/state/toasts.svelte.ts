/* Short words at the edge: at most three at once, what stays before what passes. One that passes waits
 * while the pointer or the focus is on the toasts. What hides in foreign words is named. */
import { visible } from '../lib/visible';

export interface Toast {
	key: string;
	tone: 'plain' | 'good' | 'bad' | 'ask';
	title: string;
	text: string;
	/** The ask it leads to. */
	ask: string | null;
	session: string | null;
	/** The settled ask that can be taken back for as long as this is shown. */
	undo: string | null;
	/** One more thing to press. */
	act: { label: string; run: () => void } | null;
	/** The settled ask whose answer fits others that are open. */
	similar: string | null;
	/** The ask it tells of: what would run or was answered is shown with it, as it is now. */
	about: string | null;
	stays: boolean;
	/** What is left of its time. */
	left: number;
}

export const TOASTS_MAX = 3;
const SHOWN_MS = 5000;
const STEP_MS = 250;
let serial = 0;

class Toasts {
	all = $state<Toast[]>([]);
	/** Somebody points at them or has the focus there. */
	held = $state(false);

	/** Those that stay never make room for those that pass. */
	list = $derived.by(() => {
		const fleeting = this.all.filter((toast) => !toast.stays).slice(-TOASTS_MAX);
		const staying = this.all.filter((toast) => toast.stays);
		return [...staying.slice(0, Math.max(1, TOASTS_MAX - fleeting.length)), ...fleeting].slice(
			-TOASTS_MAX,
		);
	});
	more = $derived(this.all.length - this.list.length);
	private timer: ReturnType<typeof setInterval> | null = null;

	show(toast: Partial<Toast> & { title: string }): void {
		const whole: Toast = {
			key: `t${++serial}`,
			tone: 'plain',
			ask: null,
			session: null,
			undo: null,
			act: null,
			similar: null,
			about: null,
			stays: false,
			left: SHOWN_MS,
			...toast,
			title: visible(toast.title),
			text: visible(toast.text ?? ''),
		};
		this.all = [...this.all.filter((other) => other.key !== whole.key), whole];
		if (!whole.stays) this.timer ??= setInterval(() => this.pass(), STEP_MS);
	}

	drop(key: string): void {
		if (this.all.some((toast) => toast.key === key))
			this.all = this.all.filter((toast) => toast.key !== key);
	}

	clear(): void {
		this.all = [];
	}

	private pass(): void {
		if (this.held || document.visibilityState === 'hidden') return;
		for (const toast of this.all) if (!toast.stays) toast.left -= STEP_MS;
		if (this.all.some((toast) => !toast.stays && toast.left <= 0))
			this.all = this.all.filter((toast) => toast.stays || toast.left > 0);
		if (this.all.every((toast) => toast.stays) && this.timer) {
			clearInterval(this.timer);
			this.timer = null;
		}
	}
}

export const toasts = new Toasts();
