/* What a person starts and the server may refuse: whether it is under way, and what went wrong, in words. */
import { Refused } from '../api/client';
import { t } from '../lib/i18n.svelte';
import { confirmation, type Question } from './confirm.svelte';
import { toasts } from './toasts.svelte';

type Work = () => unknown;

export const problemOf = (error: unknown) =>
	error instanceof Refused ? error.message : t('web.problem.unreachable');

const flawsOf = (error: unknown) => (error instanceof Refused && error.problem.errors) || [];

/** The same, and on a line each what is wrong where in the body. */
export const problemLines = (error: unknown) =>
	[problemOf(error), ...flawsOf(error).map((one) => `${one.pointer}: ${one.detail}`)].join('\n');

/** The same in one line. */
export const problemLine = (error: unknown) =>
	[problemOf(error), ...flawsOf(error).map((one) => one.detail)].join(' · ');

export const toastProblem = (error: unknown) =>
	toasts.show({ tone: 'bad', title: problemOf(error) });

export const onSubmit = (send: Work) => (event: Event) => {
	event.preventDefault();
	void send();
};

interface Ways {
	/** Of an error, where the usual words do not do; none where they are said elsewhere. */
	words?: (error: unknown) => string | void;
	/** What follows whatever went well, such as reading a list again. */
	then?: Work;
}

export class Action {
	busy = $state(false);
	problem = $state('');
	private running = 0;
	private pressed = false;

	constructor(private ways: Ways = {}) {}

	/** Whether it went well. Several may run at once: a press on another row of a list is not lost. */
	async run(what?: Work): Promise<boolean> {
		this.running++;
		this.busy = true;
		this.problem = '';
		try {
			await what?.();
			await this.ways.then?.();
			return true;
		} catch (error) {
			this.problem = (this.ways.words ?? problemOf)(error) ?? '';
			return false;
		} finally {
			this.busy = --this.running > 0;
		}
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
		this.problem = '';
		return (await confirmation.ask(question)) && this.run(what);
	}
}
