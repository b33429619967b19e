/* How a question is answered. The page knows these inputs and no types: a type is a row here, as it
 * is one in core/ask/question_kind.c. */
import type { Question } from '../api/types';

export type Input = 'text' | 'number' | 'yesNo' | 'one' | 'many' | 'decision';

const inputs: Record<Question['type'], Input> = {
	text: 'text',
	number: 'number',
	boolean: 'yesNo',
	choice: 'one',
	choices: 'many',
	approval: 'decision',
};

export const inputOf = (q: Question): Input => inputs[q.type];

/** One or several of its options are chosen. */
export const hasOptions = (q: Question) => inputOf(q) === 'one' || inputOf(q) === 'many';
