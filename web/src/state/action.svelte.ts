/* What a person starts and the server may refuse: whether it is under way, and what went wrong, in words. */
import { Refused, sentence, Unreachable } from '../api/client';
import { t } from '../lib/i18n.svelte';
import { visible } from '../lib/visible';
import { confirmation, type Question } from './confirm.svelte';
import { toasts } from './toasts.svelte';

type Work = () => unknown;

/** A connection is called lost only if it is: an error of the page itself is no matter of the server. */
export function problemOf(error: unknown): string {
	if (error instanceof Refused) return error.message;
	if (error instanceof Unreachable) return t('web.problem.unreachable');
	return t('web.problem.page', { reason: visible(String(error)) });
}

export const toastProblem = (error: unknown) =>
	toasts.show({ tone: 'bad', title: problemOf(error) });

export const onSubmit = (send: Work) => (event: Event) => {
	event.preventDefault();
	void send();
};

interface Ways {
	/** Of an error, where the usual words do not do; none where they are said elsewhere. */
	words?: (error: unknown) => string | void;
	/** Pointers into the body that have a field of their own: what is wrong there is said beside it, in `flaws`. */
	fields?: string[];
	/** What follows whatever went well, such as reading a list again. */
	then?: Work;
}

export class Action {
	busy = $state(false);
	problem = $state('');
	/** What is wrong, by the pointer of its field. */
	flaws = $state.raw<Record<string, string>>({});
	private running = 0;
	private pressed = false;

	constructor(private ways: Ways = {}) {}

	/** Whether it went well. Several may run at once: a press on another row of a list is not lost. */
	async run(what?: Work): Promise<boolean> {
		this.running++;
		this.busy = true;
		this.forget();
		try {
			await what?.();
			await this.ways.then?.();
			return true;
		} catch (error) {
			this.flaws = this.flawsOf(error);
			if (!Object.keys(this.flaws).length)
				this.problem = (this.ways.words ?? problemOf)(error) ?? '';
			return false;
		} finally {
			this.busy = --this.running > 0;
		}
	}

	forget(): void {
		this.problem = '';
		this.flaws = {};
	}

	/** None unless each has its field: then all of it is said in one place. */
	private flawsOf(error: unknown): Record<string, string> {
		const all = (error instanceof Refused && error.problem.errors) || [];
		if (!all.every(({ pointer }) => this.ways.fields?.includes(pointer))) return {};
		return Object.fromEntries(all.map((one) => [one.pointer, sentence(one.detail)]));
	}

	/** The same, but a second press is ignored while the first is under way. */
	async press(what: Work): Promise<boolean> {
		if (this.pressed) return false;
		this.pressed = true;
		return this.run(what).finally(() => (this.pressed = false));
	}

	/** What a form does when it is sent. */
	submit = (what: Work) => onSubmit(() => this.press(what));

	/** Reads: what went wrong stands there until it goes well. */
	async read(what: Work): Promise<void> {
		try {
			await what();
			this.problem = '';
		} catch (error) {
			this.problem = problemOf(error);
		}
	}

	/** Asks before it runs. */
	async confirm(question: Omit<Question, 'answer'>, what: Work): Promise<boolean> {
		this.forget();
		return (await confirmation.ask(question)) && this.run(what);
	}
}
