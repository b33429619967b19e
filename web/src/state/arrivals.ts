/* What is told when something happens: a dialog, a toast or a notification for a new ask, and what
 * became of those that were open. */
import { api } from '../api/api';
import type { Ask, Event, SessionStatus } from '../api/types';
import { filterRead, passes } from '../lib/filter';
import { later, t } from '../lib/i18n.svelte';
import { askTitle, sessionTitle, waits } from '../lib/order';
import { router } from '../lib/router.svelte';
import { settledWords } from '../lib/words';
import { asks } from './asks.svelte';
import { decided } from './decided.svelte';
import { dialogs } from './dialogs.svelte';
import { draftLoad } from './drafts';
import { isTyping } from './keys.svelte';
import { login } from './login.svelte';
import { notify, notifyClose, notifyOf } from './notify';
import { wide } from './screen.svelte';
import { settings } from './settings.svelte';
import { toasts } from './toasts.svelte';

/** Is the list of waiting asks on the screen? Then it tells of a new one. */
function listInFront(): boolean {
	const { route } = router;
	return route.screen === 'inbox' && (wide.yes || route.ask === null);
}

/** Is the page of this session on the screen? It shows what the session asks. */
function sessionInFront(id: string): boolean {
	const { route } = router;
	return route.screen === 'session' && route.id === id;
}

export function askArrived(ask: Ask): void {
	if (!waits(ask) || (router.route.screen === 'start' && login.isMe(ask.agent.id))) return;
	const hidden = document.visibilityState === 'hidden';
	if (hidden && settings.notify) void notify(ask);
	if (!login.canAnswer || listInFront()) return;
	const busy = isTyping() || (document.querySelector('dialog[open]') && !dialogs.open);
	const inbox = router.route.screen === 'inbox';
	if (settings.opens && !hidden && !busy && !inbox) {
		dialogs.add(ask.id);
		return;
	}
	if (sessionInFront(ask.session)) return;
	toasts.show({
		key: ask.id,
		tone: 'ask',
		title: t('web.toast.asks', { agent: ask.agent.name }),
		text: askTitle(ask),
		ask: ask.id,
		about: ask.id,
		session: ask.session,
		stays: true,
	});
}

/** After a load: what has waited longest is shown on any page. */
export function askFound(): void {
	if (router.route.screen === 'inbox') return;
	const [oldest] = asks.pending
		.filter((ask) => waits(ask) && passes(ask, filterRead(''), login.assignable, Date.now()))
		.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
	if (oldest) askArrived(oldest);
}

/** Gone everywhere: list, toast, notification; the card one looks at says so in place. */
function askSettled(id: string, before: Ask | undefined): void {
	toasts.drop(id);
	toasts.drop(`replied ${id}`);
	dialogs.settled(id);
	const told = !decided.isMine(id) && before?.status === 'pending' && !isLookedAt(id);
	settledNow.push({ id, told });
	if (document.visibilityState === 'hidden') sayHow();
	else if (settledNow.length === 1) setTimeout(sayHow, CALM_MS);
}

/* How they ended is told for those that end at about the same time at once, behind the list. */
const CALM_MS = 200;
let settledNow: { id: string; told: boolean }[] = [];

function sayHow(): void {
	const now = settledNow;
	settledNow = [];
	void notifyClose(now.map(({ id }) => id));
	for (const { id, told } of now) {
		const ask = asks.get(id);
		if (!told || !ask) continue;
		const typed = draftLoad(id) !== null;
		toasts.show({
			key: `settled ${id}`,
			tone: 'plain',
			title: t('web.colon', { words: settledWords(ask), text: askTitle(ask) }),
			text: typed ? t('web.draft.kept') : '',
			ask: id,
			session: ask.session,
			stays: typed,
		});
	}
}

const isLookedAt = (id: string) =>
	document.visibilityState !== 'hidden' &&
	document.querySelector(`article[data-ask="${id}"]`) !== null;

/** The agent wrote back: told like a question. */
function askReplied(event: Event, before: Ask | undefined): void {
	const id = event.ask!;
	if (event.data['person'] !== false || !login.canAnswer || !before || isLookedAt(id)) return;
	const key = `replied ${id}`;
	toasts.show({
		key,
		tone: 'ask',
		title: t('web.toast.replied', { agent: before.agent.name }),
		text: askTitle(before),
		ask: id,
		session: event.session,
		stays: before.status === 'pending',
	});
	if (document.visibilityState === 'hidden' && settings.notify)
		void notify(before, t('web.toast.replied', { agent: before.agent.name }));
}

/** Somebody assigned it to me or to a team of mine: told like a question. */
function askAssigned(event: Event, before: Ask | undefined): void {
	const id = event.ask!;
	const added = event.data['added'] as unknown as string[] | undefined;
	if (!added?.some((one) => login.assignable.includes(one))) return;
	if (!login.canAnswer || !before || isLookedAt(id)) return;
	const title = t('web.toast.assigned');
	toasts.show({
		key: id,
		tone: 'ask',
		title,
		text: askTitle(before),
		ask: id,
		about: id,
		session: event.session,
		stays: true,
	});
	if (document.visibilityState === 'hidden' && settings.notify) void notify(before, title);
}

/** Sessions that begin, by what they are called: the ask of the same name right behind makes it a session for
 * one ask, also while that ask is still being fetched. */
const began = new Map<string, unknown>();
const single = new Set<string>();
function sessionBegins({ type, session, data }: Event): void {
	if (!session) return;
	if (type === 'session.created') began.set(session, data['title']);
	else if (type === 'ask.created') {
		if (began.get(session) === data['title']) single.add(session);
		began.delete(session);
	}
}

/** A session that failed stays told; one that ended is told for a moment. One made for a single ask ends
 * with its answer, which was told already. */
async function sessionEnded(event: Event): Promise<void> {
	const status = event.data['status'] as SessionStatus | undefined;
	const id = event.session;
	if (!id || (status !== 'failed' && status !== 'completed')) return;
	began.delete(id);
	if (single.delete(id) && status === 'completed') return;
	if (sessionInFront(id)) return;
	const own = asks.list(asks.ofSession(id));
	if (status === 'completed' && own.some((ask) => sessionTitle(ask) === null)) return;
	const session = await api.session(id).catch(() => null);
	if (!session) return;
	const title = t(status === 'failed' ? 'web.toast.failed' : 'web.toast.completed');
	const { endedWords } = await later(() => import('../lib/ended'));
	const { run } = session;
	const last = run && status === 'failed' ? await api.run(run).catch(() => null) : null;
	toasts.show({
		key: `session ${id}`,
		tone: status === 'failed' ? 'bad' : 'plain',
		title: t('web.colon', { words: title, text: session.title ?? session.agent.name }),
		text: endedWords(session, last),
		session: id,
		act:
			status === 'failed' && run && login.canAnswer
				? { label: t('web.run.retry'), run: () => void api.runRetry(run).catch(() => undefined) }
				: null,
		stays: status === 'failed',
	});
	if (document.visibilityState === 'hidden' && settings.notify)
		void notifyOf(id, title, session.title ?? session.agent.name, `/sessions/${id}`);
}

function sessionProgressed(event: Event): void {
	if (document.visibilityState !== 'hidden' || !settings.notify || !settings.progress) return;
	void later(() => import('./progress')).then(({ progressTold }) => progressTold(event));
}

export function eventTold(event: Event, before: Ask | undefined): void {
	if (event.type === 'session.status') return void sessionEnded(event);
	if (event.type === 'session.progress') return sessionProgressed(event);
	sessionBegins(event);
	if (!event.ask) return;
	if (event.type === 'ask.replied') return askReplied(event, before);
	if (event.type === 'ask.assigned') return askAssigned(event, before);
	const status = event.data['status'];
	if (event.type.startsWith('ask.') && typeof status === 'string' && status !== 'pending')
		askSettled(event.ask, before);
}
