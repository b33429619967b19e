/* What can be decided on a row: only where the row shows all there is to read. Pure. */
import type { Ask } from '../api/types';
import { inputOf } from './input';
import { argumentsOf } from './operation';
import { askRisk } from './order';

/** As long as this it fits beside the buttons. */
const FITS = 80;

/** The whole operation in a line; null: it does not fit, or it is critical. */
export function quickOperation(ask: Ask): string | null {
	const { operation } = ask;
	if (!operation || askRisk(ask) === 'critical' || askRisk(ask) === 'high') return null;
	const list = argumentsOf(operation);
	if (!list) return null;
	const command = list.length === 1 ? list[0]!.text : '';
	const line = command
		? `${operation.name} ${command}`
		: [operation.name, ...list.map((arg) => `${arg.name}=${arg.text}`)].join(' ');
	const more = ask.context?.diff || ask.context?.preview || ask.context?.text;
	return line.length <= FITS && !line.includes('\n') && !more ? line : null;
}

/** approve: Approve and Reject; boolean: Yes and No; null: it has to be opened. */
export function quickKind(ask: Ask): 'approve' | 'boolean' | null {
	if (ask.status !== 'pending' || ask.questions.length !== 1) return null;
	if (ask.refused || ask.require || ask.denied_by) return null;
	const [q] = ask.questions;
	if (inputOf(q!) === 'decision' && ask.kind === 'approval')
		return quickOperation(ask) ? 'approve' : null;
	const whole = !ask.context && (q!.text === ask.title || !ask.title) && q!.text.length <= FITS;
	return inputOf(q!) === 'yesNo' && !q!.note?.required && whole ? 'boolean' : null;
}
