/* Short words at the edge: at most five. A pending question's stays until it is settled. What hides
 * in foreign words is named. */
import { visible } from '../lib/visible';

export interface Toast {
	key: string;
	tone: 'plain' | 'good' | 'bad' | 'ask';
	title: string;
	text: string;
	ask: string | null;
	session: string | null;
	stays: boolean;
}

const MAX = 5;
const SHOWN_MS = 5000;
let serial = 0;

class Toasts {
	list = $state<Toast[]>([]);

	show(toast: Partial<Toast> & { title: string }): void {
		const whole: Toast = {
			key: `t${++serial}`,
			tone: 'plain',
			ask: null,
			session: null,
			stays: false,
			...toast,
			title: visible(toast.title),
			text: visible(toast.text ?? ''),
		};
		const others = this.list.filter((other) => other.key !== whole.key);
		this.list = [...others, whole].slice(-MAX);
		if (!whole.stays) setTimeout(() => this.drop(whole.key), SHOWN_MS);
	}

	drop(key: string): void {
		if (this.list.some((toast) => toast.key === key))
			this.list = this.list.filter((toast) => toast.key !== key);
	}
}

export const toasts = new Toasts();
