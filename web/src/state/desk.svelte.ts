/* The page's own life: who is here, the stream, what opens by itself, what is settled. */
import { api, newKey, Refused, Unreachable } from '../api/client';
import type { Ask, Event, Me, User } from '../api/types';
import { languageOfBrowser, speak, t } from '../lib/i18n.svelte';
import { askTitle, waits } from '../lib/order';
import { router } from '../lib/router.svelte';
import { visible } from '../lib/visible';
import { settledWords } from '../lib/words';
import { asks } from './asks.svelte';
import { cacheClear, cacheKeep, cacheLoad } from './cache';
import { clock } from './clock.svelte';
import { draftDrop, draftLoad, draftsTidy } from './drafts';
import { isTyping } from './keys.svelte';
import { notify, notifyClose } from './notify';
import { outbox, type Letter } from './outbox.svelte';
import { afterPaint } from './screen.svelte';
import { sessions } from './sessions.svelte';
import { settings } from './settings.svelte';
import { Stream, type Line } from './stream';
import { toasts } from './toasts.svelte';

type Listener = (event: Event) => void;

export type Verdict = 'sent' | 'queued' | 'lost';

class Desk {
	phase = $state<'starting' | 'login' | 'in'>('starting');
	me = $state.raw<Me | null>(null);
	line = $state<Line>('connecting');
	/** Asks whose dialog is open or waits its turn, first in first out. */
	dialogs = $state.raw<string[]>([]);
	users = $state.raw<User[]>([]);
	private stream: Stream | null = null;
	private listeners = new Set<Listener>();
	private mine = new Set<string>();

	canAnswer = $derived(this.me !== null && this.me.role !== 'viewer' && this.me.role !== 'agent');
	isAdmin = $derived(this.me?.role === 'owner' || this.me?.role === 'admin');

	async start(): Promise<void> {
		const words = Promise.all([speak(settings.language ?? languageOfBrowser()), outbox.open()]);
		draftsTidy();
		if (location.pathname === '/login') {
			await words;
			this.phase = 'login';
		} else await this.enter(words);
	}

	/** With a login: everything from a snapshot on. Without a server: what was kept. Nothing waits for
	 * what it does not need; `words` come before the first one is shown. */
	async enter(words: Promise<unknown> = Promise.resolve()): Promise<void> {
		this.stream?.stop();
		const stream = new Stream({
			event: (event) => this.apply(event),
			copy: (ask) => asks.copied(ask),
			line: (line) => this.lineIs(line),
			gone: () => this.gone(),
			note: () => void outbox.open(),
		});
		this.stream = stream;
		asks.others = { fetch: () => !stream.leads, share: (ask) => stream.share(ask) };
		try {
			const [me, loading] = [api.me(), asks.load()];
			for (const call of [me, loading]) call.catch(() => undefined); // each in its turn
			await words;
			this.welcome(await me);
			stream.start(await loading);
			this.line = this.line === 'lost' ? 'connecting' : this.line;
			void this.loadUsers();
			void outbox.send((ask) => asks.put(ask));
		} catch (error) {
			if (error instanceof Refused && error.status === 401) {
				this.gone();
				return;
			}
			const kept = await cacheLoad<Me>('me');
			if (!kept) {
				this.phase = this.me ? 'in' : 'login';
			} else {
				this.welcome(kept);
				await asks.loadCached();
			}
			this.line = 'lost';
			setTimeout(() => void this.enter(), 3000);
		}
	}

	private welcome(me: Me): void {
		this.me = me;
		this.phase = 'in';
		void cacheKeep('me', me);
		const wanted = settings.language ?? me.language;
		if (wanted && wanted !== document.documentElement.lang) void speak(wanted);
	}

	private async loadUsers(): Promise<void> {
		try {
			this.users = (await api.users()).items;
		} catch {
			this.users = [];
		}
	}

	reloadUsers(): Promise<void> {
		return this.loadUsers();
	}

	userName(id: string): string {
		return this.users.find((user) => user.id === id)?.name ?? id;
	}

	/** Who else is answering it at this moment, in words to be shown. */
	claimer(ask: Ask): string | null {
		const by = ask.claimed_by;
		if (!by || by.user === this.me?.user?.id || Date.parse(by.until) <= clock.quarter) return null;
		return visible(by.name);
	}

	private gone(): void {
		this.stream?.stop();
		this.me = null;
		this.phase = 'login';
		void cacheClear();
	}

	async leave(): Promise<void> {
		await api.logout().catch(() => undefined);
		this.stream?.leave();
		this.gone();
		router.go('/login', true);
	}

	private lineIs(line: Line): void {
		const was = this.line;
		this.line = line;
		if (line === 'live' && was === 'lost') void outbox.send((ask) => asks.put(ask));
	}

	/* ---- events ---- */

	/** For screens that show events as they come; returns how to stop. */
	listen(listener: Listener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	private apply(event: Event): void {
		const before = event.ask ? asks.get(event.ask) : undefined;
		asks.apply(event, (ask) => this.arrived(ask));
		sessions.apply(event);
		const status = event.data['status'];
		if (event.ask && event.type.startsWith('ask.') && typeof status === 'string')
			if (status !== 'pending') this.settledSomewhere(event, before);
		for (const listener of this.listeners) listener(event);
	}

	private arrived(ask: Ask): void {
		if (!waits(ask)) return;
		const hidden = document.visibilityState === 'hidden';
		if (hidden) {
			if (settings.notify) notify(ask);
		}
		if (!this.canAnswer) return;
		const opens = settings.opens && !hidden;
		const busy = isTyping() || document.querySelector('dialog[open]') !== null;
		if (opens && (!busy || this.dialogs.length)) {
			this.dialogs = [...this.dialogs, ask.id];
			return;
		}
		const { screen } = router.place;
		if (screen === 'inbox' && !busy) return;
		toasts.show({
			key: ask.id,
			tone: 'ask',
			title: t('web.toast.asks', { agent: ask.agent.name }),
			text: askTitle(ask),
			ask: ask.id,
			session: ask.session,
			stays: true,
		});
	}

	/** Gone everywhere: dialog, list, toast, notification. */
	private settledSomewhere(event: Event, before: Ask | undefined): void {
		const id = event.ask!;
		toasts.drop(id);
		notifyClose(id);
		this.dialogClose(id);
		if (this.mine.has(id) || before?.status !== 'pending') return;
		const ask = asks.get(id);
		if (!ask) return;
		const typed = draftLoad(id) !== null;
		afterPaint(() =>
			toasts.show({
				tone: ask.status === 'answered' ? 'good' : 'plain',
				title: settledWords(ask),
				text: typed ? t('web.draft.kept') : askTitle(ask),
				ask: id,
				session: ask.session,
				stays: typed,
			}),
		);
	}

	/* ---- dialogs ---- */

	dialogClose(id: string): void {
		if (this.dialogs.includes(id)) this.dialogs = this.dialogs.filter((other) => other !== id);
	}

	/** Back to what one was doing: those that wait are in the inbox. */
	dialogsDismiss(): void {
		this.dialogs = [];
	}

	/* ---- settling ---- */

	async settle(ask: Ask, verb: 'answer' | 'skip', body: unknown, says: string): Promise<Verdict> {
		const letter: Letter = {
			ask: ask.id,
			title: askTitle(ask),
			verb,
			body,
			says,
			key: newKey(),
		};
		this.mine.add(ask.id);
		try {
			const done = await api.settle(ask.id, verb, body, letter.key);
			draftDrop(ask.id);
			asks.put(done.ask);
			this.dialogClose(ask.id);
			toasts.show({
				tone: 'good',
				title: t(verb === 'skip' ? 'web.toast.skipped' : 'web.toast.sent'),
				text: done.resumed ? t('web.toast.resumed', { agent: ask.agent.name }) : says,
				session: ask.session,
			});
			return 'sent';
		} catch (error) {
			if (error instanceof Unreachable) {
				await outbox.put(letter);
				this.stream?.note('outbox');
				this.dialogClose(ask.id);
				return 'queued';
			}
			this.mine.delete(ask.id);
			if (error instanceof Refused && error.status === 409 && error.problem.ask) {
				asks.put(error.problem.ask);
				return 'lost';
			}
			throw error;
		}
	}

	/** After a batch: what each became, without a toast for every one. */
	settledByMe(list: Ask[]): void {
		for (const ask of list) {
			this.mine.add(ask.id);
			draftDrop(ask.id);
			asks.put(ask);
		}
	}

	willSettle(ids: string[]): void {
		for (const id of ids) this.mine.add(id);
	}
}

export const desk = new Desk();
