/* What Parley itself wrote into an ask, in the reader's language; the server stores it in English. */
import type { Ask, Question } from '../api/types';
import { language, t, type MessageId } from './i18n.svelte';

/** By the key of the question: the English sentence, and its message. */
const own = new Map<string, [RegExp, MessageId][]>([
	[
		'decision',
		[
			[/^Approve\?$/, 'web.own.approve'],
			[/^Approve (?<name>.+)\?$/s, 'web.own.approve.what'],
			[/^Start (?<n>\d+) sub-agents$/, 'web.own.approve.agents'],
			[/^Start 1 sub-agent$/, 'web.own.approve.agents.one'],
			[/^Start the sub-agent (?<name>.+)$/s, 'web.own.approve.agent'],
			[/^Give a task to (?<name>.+)$/s, 'web.own.approve.delegate'],
			[/^List notes$/, 'web.own.approve.memory.list'],
			[/^Read a note$/, 'web.own.approve.memory.get'],
			[/^Search notes: (?<text>.+)$/s, 'web.own.approve.memory.search'],
			[/^Add a note: (?<text>.+)$/s, 'web.own.approve.memory.add'],
			[/^Delete a note$/, 'web.own.approve.memory.delete'],
			[/^List tasks$/, 'web.own.approve.todo.list'],
			[/^Create a task: (?<text>.+)$/s, 'web.own.approve.todo.create'],
			[/^Change a task$/, 'web.own.approve.todo.update'],
			[/^Complete a task$/, 'web.own.approve.todo.complete'],
			[/^Delete a task$/, 'web.own.approve.todo.delete'],
		],
	],
	[
		'recovery',
		[
			[/^How shall I go on\?$/, 'web.own.recovery.how'],
			[/^Retry$/, 'web.own.recovery.retry'],
			[/^Edit and retry$/, 'web.own.recovery.edit'],
			[/^Skip$/, 'web.own.recovery.skip'],
			[/^Abort$/, 'web.own.recovery.abort'],
			[/^(?<name>.+) was interrupted$/s, 'web.own.recovery.interrupted'],
			[/^(?<name>.+) reached a limit$/s, 'web.own.recovery.limit'],
			[/^(?<name>.+) cannot continue$/s, 'web.own.recovery.stuck'],
			[
				/^The server stopped during this operation, which began at (?<time>.+)\. It may have/,
				'web.own.recovery.interrupted.about',
			],
			[
				/^No answer came during this operation, which began at (?<time>.+)\. It may have/,
				'web.own.recovery.unanswered.about',
			],
			[/^Retry grants the same limit again; Edit/, 'web.own.recovery.limit.about'],
			[/^Retry calls the model again; Edit/, 'web.own.recovery.stuck.about'],
		],
	],
]);

/** A text of a question with this key, of one of its options, or of its ask. */
export function ownWords(key: string, text: string): string {
	for (const [english, id] of own.get(key) ?? []) {
		const found = english.exec(text);
		if (found) return t(id, found.groups);
	}
	return text;
}

const questionInOurs = (q: Question): Question => ({
	...q,
	text: ownWords(q.key, q.text),
	options: q.options?.map((option) => ({ ...option, label: ownWords(q.key, option.label) })),
});

/* An ask that changes is another object. */
const told = new WeakMap<Ask, { language: string; ask: Ask }>();

export function inReadersWords(ask: Ask): Ask {
	if (ask.kind !== 'approval' && ask.kind !== 'error_recovery') return ask;
	if (language() === 'en') return ask;
	const known = told.get(ask);
	if (known?.language === language()) return known.ask;
	const { title, session_title, context, questions } = ask;
	const inOurs = (text: string) => ownWords(questions[0]?.key ?? '', text);
	const spoken = {
		...ask,
		title: title && inOurs(title),
		/* A session made for one ask is called as it is. */
		session_title: session_title && inOurs(session_title),
		context: context?.text ? { ...context, text: inOurs(context.text) } : context,
		questions: questions.map(questionInOurs),
	};
	told.set(ask, { language: language(), ask: spoken });
	return spoken;
}
