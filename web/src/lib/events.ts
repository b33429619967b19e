/* Events in words: who did what to what; and the drawers they go into. */
import type { Message } from '../api/runs';
import type { Ask, Event, Rule } from '../api/types';
import { alertWords } from './alerts';
import { t } from './i18n.svelte';
import { askTitle } from './order';
import { ruleText } from './rules';
import { moment } from './time';
import { wakingIn } from './waking';
import { decisionWords, settledWords } from './words';

export const drawers = [
	'asks',
	'tools',
	'agents',
	'reasoning',
	'tasks',
	'progress',
	'status',
	'people',
] as const;
export type Drawer = (typeof drawers)[number];

const data = (event: Event, name: string): string => {
	const value = event.data[name];
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** Decided without a person. */
export function eventIsByRule(event: Event): boolean {
	const by = event.data['answered_by'] as { kind?: string } | null | undefined;
	return event.type === 'policy.decided' || by?.kind === 'policy';
}

/** What a model thought has no event: it stands in the message. */
const THOUGHT = 'run.thought';

/** The events of a session with the thoughts of its messages between them, where they were written. */
export function withThoughts(events: Event[], messages: Message[]): Event[] {
	const thoughts = messages.flatMap((message) => {
		const text = message.content.flatMap((part) =>
			part.type === 'thought' ? [part.text ?? ''] : [],
		);
		return text.length ? [{ at: message.created_at, run: message.run, text: text.join(' ') }] : [];
	});
	if (!thoughts.length) return events;
	const list = [...events];
	thoughts.forEach(({ at, run, text }, i) => {
		const before = list.findLastIndex((event) => event.at <= at);
		const id = (list[before]?.id ?? 0) + (i + 1) / (thoughts.length + 1) / 1000;
		const event = { id, type: THOUGHT, at, session: null, run, data: { text } };
		list.splice(before + 1, 0, event as unknown as Event);
	});
	return list;
}

export function drawerOf(event: Event): Drawer {
	const type: string = event.type;
	if (type.startsWith('ask.')) return 'asks';
	if (type.startsWith('run.tool_')) return 'tools';
	if (type === THOUGHT) return 'reasoning';
	if (type.startsWith('run.')) return 'agents';
	if (type.startsWith('task.')) return 'tasks';
	if (type === 'session.progress') return 'progress';
	return type.startsWith('session.') ? 'status' : 'people';
}

/** What the words need beside the event. */
export interface Around {
	/** The ask it is about, where it is known. */
	ask?: Ask | undefined;
	userName?: (id: string) => string;
	/** Its ask is in sight: its title need not be said. */
	untitled?: boolean;
}

/** The types that tell what became of one ask. That somebody began to answer is not among them. */
export const ASK_TRAIL: string[] = [
	'ask.created',
	'ask.assigned',
	'ask.extended',
	'ask.replied',
	'ask.voted',
	'ask.retracted',
	'ask.verified',
	'ask.answered',
	'ask.skipped',
	'ask.expired',
	'ask.cancelled',
	'ask.used',
	'ask.revoked',
	'ask.overtaken',
];

/** "words: text", or the words alone. */
const about = (words: string, text: string) => (text ? t('web.colon', { words, text }) : words);

/** "Rule created by Marie". */
function byWords(event: Event): string {
	const words = t(`web.event.${event.type as 'rule.made'}`);
	const by = event.data['by'] as { name?: string | null } | null | undefined;
	return by?.name ? t('web.settled.by', { words, name: by.name }) : words;
}

/** "Allow npm test for ci-bot in web". */
function ruleIn(event: Event): string {
	const { effect, match, made_from } = event.data as Partial<Rule>;
	return effect && match ? ruleText(effect, match, made_from) : '';
}

function askWords(event: Event, { ask, userName = (id) => id, untitled }: Around): string {
	const title = untitled ? '' : data(event, 'title') || (ask ? askTitle(ask) : '');
	const by = event.data['answered_by'] as
		{ kind?: string; name?: string | null } | null | undefined;
	const act = (event.data['vote'] ?? event.data['revoked']) as
		{ by?: { name?: string | null } } | undefined;
	switch (event.type) {
		case 'ask.voted':
		case 'ask.retracted':
			return about(t(`web.event.${event.type}`, { name: act?.by?.name ?? '' }), title);
		case 'ask.revoked': {
			const words = t('web.event.ask.revoked');
			const name = act?.by?.name;
			return about(name ? t('web.settled.by', { words, name }) : words, title);
		}
		case 'ask.answered':
		case 'ask.skipped': {
			if (by?.kind === 'policy')
				return about(
					ask && ask.status !== 'pending' ? settledWords(ask) : t('web.event.policy.decided'),
					title,
				);
			const done =
				ask && ask.status !== 'pending' ? decisionWords(ask) : t(`web.event.${event.type}`);
			return about(by?.name ? t('web.settled.by', { words: done, name: by.name }) : done, title);
		}
		case 'ask.claimed':
			return about(t('web.event.ask.claimed', { name: data(event, 'name') }), title);
		case 'ask.extended': {
			const at = data(event, 'expires_at');
			return about(t('web.event.ask.extended', { at: at ? moment(at) : '?' }), title);
		}
		case 'ask.replied':
			return about(data(event, 'by') || t('web.event.ask.replied'), data(event, 'text') || title);
		case 'ask.assigned': {
			const ids: unknown = event.data['assignees'];
			const names = Array.isArray(ids) ? ids.map((id) => userName(String(id))).join(', ') : '';
			return about(names ? t('web.ask.assigned', { names }) : t('web.event.ask.unassigned'), title);
		}
		default: {
			const words = t(`web.event.${event.type as 'ask.created'}`);
			if (untitled && ask && /created|used/.test(event.type))
				return t('web.settled.by', { words, name: ask.agent.name });
			return about(words, title);
		}
	}
}

const THOUGHT_MAX = 200;

/* What a run or a task did: named by its agent, tool or task. */
function runWords(event: Event): string {
	const type: string = event.type;
	if (type === THOUGHT)
		return about(t('web.chat.reasoned'), data(event, 'text').slice(0, THOUGHT_MAX));
	if (type === 'run.message')
		return about(
			t(data(event, 'role') === 'assistant' ? 'web.said' : 'web.event.run.message'),
			data(event, 'text'),
		);
	const error = event.data['error'] as { message?: string } | null | undefined;
	const name = data(event, 'name') || data(event, 'agent');
	const failed = type === 'run.tool_finished' && event.data['status'] === 'failed';
	const words = t(failed ? 'web.event.run.tool_failed' : `web.event.${type as 'run.queued'}`);
	return about(words, error?.message ?? name);
}

export function eventWords(event: Event, around: Around = {}): string {
	if (event.type.startsWith('ask.')) return askWords(event, around);
	if (/^(run|task)\./.test(event.type)) return runWords(event);
	switch (event.type) {
		case 'session.status': {
			const status = event.data['status'] as 'running' | undefined;
			return status ? t(`web.status.${status}`) : t('web.event.session.status');
		}
		case 'session.progress': {
			const [step, steps] = [data(event, 'step'), data(event, 'steps')];
			const where = step && steps ? `${step}/${steps} · ` : '';
			return `${where}${data(event, 'text')}`;
		}
		case 'session.created':
			return about(t('web.event.session.created'), data(event, 'title'));
		case 'session.resumed': {
			const waking = wakingIn(event);
			return waking?.error
				? t('web.waking.failed', { error: waking.error })
				: t('web.event.session.resumed');
		}
		case 'session.resuming':
		case 'session.deleted':
		case 'export.made':
			return t(`web.event.${event.type}`);
		case 'session.changed':
			return about(t('web.event.session.changed'), data(event, 'title'));
		case 'stop.set':
		case 'stop.lifted':
		case 'hold.set':
		case 'hold.lifted':
		case 'key.revoked':
			return about(t(`web.event.${event.type}`), data(event, 'reason'));
		case 'rule.made':
		case 'rule.changed':
		case 'rule.ended':
			return about(byWords(event), data(event, 'note') || ruleIn(event));
		case 'template.changed':
			return about(t('web.event.template.changed'), data(event, 'template'));
		case 'list.changed':
			return about(t('web.event.list.changed'), data(event, 'list'));
		case 'agent.changed':
			return about(t('web.event.agent.changed'), data(event, 'name'));
		case 'provider.changed':
			return about(t('web.event.provider.changed'), data(event, 'name'));
		case 'tool.changed':
			return about(t('web.event.tool.changed'), data(event, 'name'));
		case 'approval.redeemed':
			return about(t('web.event.approval.redeemed'), data(event, 'for'));
		case 'alert.raised':
		case 'alert.cleared':
		case 'alert.acked':
			return about(
				t(`web.event.${event.type}`),
				alertWords({ detail: null, value: null, ...event.data } as Parameters<
					typeof alertWords
				>[0]),
			);
		case 'node.gone':
			return about(t('web.event.node.gone'), data(event, 'detail'));
		case 'mcp.added':
		case 'mcp.changed':
		case 'mcp.accepted':
		case 'mcp.removed':
		case 'mcp.failed':
			return about(t(`web.event.${event.type}`), data(event, 'server'));
		case 'call.held':
		case 'call.started':
		case 'call.finished':
			return about(
				t(`web.event.${event.type}`),
				`${data(event, 'server')}: ${data(event, 'tool')}`,
			);
		case 'policy.changed':
			return t('web.event.policy.changed');
		case 'policy.decided': {
			const drawn = event.data['mandate'] as { used: number; uses: number } | null | undefined;
			return about(
				drawn
					? t('web.mandate.used.by', { n: drawn.used, of: drawn.uses })
					: t(data(event, 'effect') === 'allow' ? 'web.policy.allowed' : 'web.policy.denied'),
				data(event, 'name'),
			);
		}
		default: {
			/* Of a login the name is that of its token, which nobody knows: it is told whose it is. */
			const user = data(event, 'user');
			const name = !event.type.startsWith('login.')
				? data(event, 'name')
				: user && around.userName
					? around.userName(user)
					: '';
			return about(t(`web.event.${event.type as 'user.changed'}`), name);
		}
	}
}
