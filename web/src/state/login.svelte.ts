/* Who is at this page, what they may do, and who else there is. */
import { api } from '../api/client';
import type { Ask, Me, Team, User } from '../api/types';
import { visible } from '../lib/visible';
import { clock } from './clock.svelte';

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

	async loadUsers(): Promise<void> {
		try {
			const [users, teams] = await Promise.all([api.users(), api.teams()]);
			this.users = users.items;
			this.teams = teams.items;
		} catch {
			this.users = [];
			this.teams = [];
		}
	}

	isMe(user: string | null | undefined): boolean {
		return Boolean(user) && user === this.me?.user?.id;
	}

	/** Of a user or a team. */
	userName(id: string): string {
		return [...this.users, ...this.teams].find((one) => one.id === id)?.name ?? id;
	}

	/** Who else is answering it at this moment, in words to be shown. */
	claimer(ask: Ask): string | null {
		const by = ask.claimed_by;
		if (!by || this.isMe(by.user) || Date.parse(by.until) <= clock.quarter) return null;
		return visible(by.name);
	}
}

export const login = new Login();
