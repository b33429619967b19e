// Gemini CLI's own tool `ask_user`, as its package has it: the questions it stops with, and their answers.
import { AskUserTool, ToolConfirmationOutcome } from '@google/gemini-cli-core';
import { CITY } from './send.mjs';

export const asking = 'gemini';

export async function suspended({ execute, decide }) {
	const bus = { publish: async () => {}, subscribe() {}, unsubscribe() {} };
	const { signal } = new AbortController();
	const call = new AskUserTool(bus).build({ questions: [{ question: CITY.text, header: 'City', type: 'text', placeholder: 'A city of France' }] });
	const { onConfirm, ...stopped } = await call.shouldConfirmExecute(signal);
	const { answers } = await decide(stopped);
	if (Object.keys(answers).length) await onConfirm(ToolConfirmationOutcome.ProceedOnce, { answers });
	else await onConfirm(ToolConfirmationOutcome.Cancel);
	const { llmContent } = await call.execute(signal);
	const read = llmContent.startsWith('{') ? JSON.parse(llmContent).answers : {};
	return read[0] ? execute({ city: read[0] }) : llmContent;
}
