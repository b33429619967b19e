/* Who is at this page, what they may do, and who else there is. */
import { api } from '../api/first';
import type { Ask, Event, Me, Team, User } from '../api/types';
import { jsonWrite } from '../lib/json';
import { Latest } from '../lib/latest';
import { visible } from '../lib/visible';
import { cacheKeep, cacheLoad } from './cache';
import { clock } from './clock.svelte';

const REFETCH_MS = 300;

class Login {
	phase = $state<'starting' | 'login' | 'in'>('starting');
	me = $state.raw<Me | null>(null);
	users = $state.raw<User[]>([]);
	teams = $state.raw<Team[]>([]);
	/** Why the login ended, for the page where one logs in again. */
	ended = $state<'expired' | null>(null);

	canAnswer = $derived(this.me !== null && this.me.role !== 'viewer' && this.me.role !== 'agent');
	isAdmin = $derived(this.me?.role === 'owner' || this.me?.role === 'admin');
	/** Whose drafts and queued answers these are; '' while nobody is here. */
	person = $derived(this.me ? (this.me.user?.id ?? `token ${this.me.name}`) : '');

	/** What "assigned to me" stands for: this person, and the teams they are in. */
	assignable = $derived.by(() => {
		const id = this.me?.user?.id ?? '';
		const teams = this.teams.filter((team) => team.members.some((one) => one.user === id));
		return id ? [id, ...teams.map((team) => team.id)] : [];
	});

	private read = new Latest();
	private missed = new Set<string>();
	private timer: ReturnType<typeof setTimeout> | null = null;

	/** Reads again who is logged in: their role may have changed. */
	async loadMe(): Promise<void> {
		const me = await api.me().catch(() => null);
		if (me && this.me && jsonWrite(me) !== jsonWrite(this.me)) this.me = me;
	}

	async loadUsers(): Promise<void> {
		const read = Promise.all([api.users(), api.teams()]);
		const all = await this.read.of(read).catch(() => null);
		if (!all) return;
		[this.users, this.teams] = [all[0].items, all[1].items];
		void cacheKeep('people', { users: this.users, teams: this.teams });
	}

	/** Names while there is no server. */
	async loadUsersCached(): Promise<void> {
		const kept = await cacheLoad<{ users: User[]; teams: Team[] }>('people');
		if (kept && !this.users.length) ({ users: this.users, teams: this.teams } = kept);
	}

	/** Keeps people, teams and one's own role up to date without a reload. */
	apply(event: Event): void {
		if (/^(user|team)\./.test(event.type)) this.soon();
	}

	private soon(): void {
		this.timer ??= setTimeout(() => {
			this.timer = null;
			void this.loadMe();
			void this.loadUsers();
		}, REFETCH_MS);
	}

	/** Nobody is here any more. */
	clear(): void {
		this.read.drop();
		this.me = null;
		this.users = [];
		this.teams = [];
	}

	isMe(user: string | null | undefined): boolean {
		return Boolean(user) && user === this.me?.user?.id;
	}

	/** Of a user or a team. An unknown one is fetched, once: it may be new. */
	userName(id: string): string {
		const found = [...this.users, ...this.teams].find((one) => one.id === id);
		if (found) return found.name;
		if (this.users.length && !this.missed.has(id)) {
			this.missed.add(id);
			this.soon();
		}
		return id;
	}

	/** Who else is answering it at this moment, in words to be shown. */
	claimer(ask: Ask): string | null {
		const by = ask.claimed_by;
		if (!by || this.isMe(by.user) || Date.parse(by.until) <= clock.quarter) return null;
		return visible(by.name);
	}
}

export const login = new Login();
