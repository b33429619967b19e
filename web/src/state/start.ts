/* From an address to a page that lives: log in, snapshot, stream; and the way out. */
import { api } from '../api/first';
import { Refused, Unreachable } from '../api/client';
import type { Me } from '../api/types';
import { languageOfBrowser, later, speak } from '../lib/i18n.svelte';
import { router } from '../lib/router.svelte';
import type * as Arrivals from './arrivals';
import { asks } from './asks.svelte';
import { cacheClear, cacheKeep, cacheLoad } from './cache';
import { connection } from './connection.svelte';
import { dialogs } from './dialogs.svelte';
import { draftsClear, draftsOf, draftsTidy } from './drafts';
import './inSight';
import { login } from './login.svelte';
import { outbox } from './outbox.svelte';
import { afterFrames } from './screen.svelte';
import { settings } from './settings.svelte';
import { outboxSend } from './settling';
import { toasts } from './toasts.svelte';

const RETRY_MS = 3000;
const PRESENT_MS = 5000;
/** How long the page waits to be drawn once with its list, not twice. */
const TOGETHER_MS = 300;
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
connection.listen((event, before) => tell(({ eventTold }) => eventTold(event, before)));
/** The next try of a page that has never had a connection. */
let again: ReturnType<typeof setTimeout> | undefined;

export async function start(): Promise<void> {
	await speak(settings.language ?? languageOfBrowser());
	if (location.pathname === '/login') login.phase = 'login';
	else await enter();
}

/** With a login: everything from a snapshot on. Without a server: what was kept. */
export async function enter(): Promise<void> {
	again = undefined;
	connection.open({
		arrived: (ask) => tell(({ askArrived }) => askArrived(ask)),
		gone: ended,
		live: (again) => {
			void login.loadMe(); // no event told of a role that changed before the stream opened
			if (!again) return;
			send();
			void login.loadUsers();
		},
		outbox: () => void outbox.open(),
	});
	try {
		let listed!: () => void;
		const first = new Promise<void>((done) => (listed = done));
		const [me, loading] = [api.me(), asks.load(listed)];
		for (const call of [me, loading]) call.catch(() => undefined); // each in its turn
		const who = await me;
		await Promise.race([first, loading, pause(router.route.screen === 'inbox' ? TOGETHER_MS : 0)]);
		welcome(who);
		const from = await loading;
		await new Promise<void>(afterFrames); // the list before all else
		connection.start(from);
		draftsTidy();
		void login.loadUsers();
		send();
		tell(({ askFound }) => askFound());
		setTimeout(
			() => void later(() => import('./present')).then(({ presentStart }) => presentStart()),
			PRESENT_MS,
		);
	} catch (error) {
		if (error instanceof Refused && error.status === 401) {
			ended();
			return;
		}
		const kept = await cacheLoad<Me>('me');
		if (!kept) {
			login.phase = login.me ? 'in' : 'login';
		} else {
			welcome(kept);
			await asks.loadCached();
			await login.loadUsersCached();
		}
		connection.line = 'lost';
		again = setTimeout(() => void enter(), RETRY_MS);
	}
}

/** At once, where it would be tried later. */
export function retry(): void {
	if (again === undefined) connection.retry();
	else {
		clearTimeout(again);
		connection.line = 'connecting';
		void enter();
	}
}

/* Who tells what happens is fetched behind the list; what happens meanwhile is told then, in its order. */
let teller: typeof Arrivals | undefined;
let coming: Promise<typeof Arrivals> | undefined;

function tell(what: (who: typeof Arrivals) => void): void {
	if (teller) return what(teller);
	coming ??= later(() => import('./arrivals')).then((who) => (teller = who));
	void coming.then(what);
}

const send = () => void outboxSend();

function welcome(me: Me): void {
	login.me = me;
	draftsOf(login.person);
	void outbox.open(login.person);
	login.phase = 'in';
	login.ended = null;
	afterFrames(() => void cacheKeep('me', me));
	const wanted = settings.language ?? me.language;
	if (wanted && wanted !== document.documentElement.lang) void speak(wanted);
}

/** The login is over. Drafts and queued answers stay with their person, out of sight. */
function ended(): void {
	connection.stop();
	if (login.me) login.ended = 'expired';
	login.clear();
	login.phase = 'login';
	draftsOf('');
	outbox.close();
	asks.clear();
	dialogs.dismiss();
	toasts.clear();
	void cacheClear();
}

/** Logs out; false: the server was not reached, so the login goes on. */
export async function leave(): Promise<boolean> {
	try {
		await api.logout();
	} catch (error) {
		if (error instanceof Unreachable) return false;
	}
	connection.leave();
	draftsClear();
	await outbox.clear();
	ended();
	login.ended = null;
	router.go('/login', true);
	return true;
}
