/* The first run of the workspace, as the server keeps it: the same in every tab until it is done or dismissed. */
import { api } from '../api/api';
import type { Ask } from '../api/types';
import { asks } from './asks.svelte';
import { login } from './login.svelte';

const LOOKED_AT = 50;

class FirstRun {
	test = $derived(login.me?.start?.test ?? null);
	done = $derived(Boolean(login.me?.start?.done_at));
	/** An agent that has asked something, waiting or not. */
	private asked = $state('');
	agent = $derived(this.asked || (asks.pending.find(byAgent)?.agent.name ?? ''));

	/** Reads how far it is; the first who looks begins it. */
	async load(): Promise<void> {
		await login.loadMe();
		if (login.me && !login.me.start && login.canAnswer) await this.keep({});
		const { items } = await api.asks({ status: 'all', limit: LOOKED_AT });
		this.asked = items.find(byAgent)?.agent.name ?? '';
	}

	async keep(change: { test?: string; done?: boolean }): Promise<void> {
		await api.startPut({ test: this.test, done: this.done, ...change });
		await login.loadMe();
	}
}

/** People ask, too: the test question. */
const byAgent = (ask: Ask) => !ask.agent.id.startsWith('usr_');

export const firstRun = new FirstRun();
