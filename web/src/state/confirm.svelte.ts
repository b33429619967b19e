/* One question before something that cannot be undone: it names what happens to whom. */
export interface Question {
	title: string;
	text?: string;
	/** The verb on the button. */
	action: string;
	answer: (yes: boolean) => void;
}

class Confirmation {
	question = $state.raw<Question | null>(null);

	ask(question: Omit<Question, 'answer'>): Promise<boolean> {
		this.question?.answer(false);
		return new Promise((answer) => {
			this.question = { ...question, answer };
		});
	}

	close(yes: boolean): void {
		this.question?.answer(yes);
		this.question = null;
	}
}

export const confirmation = new Confirmation();
