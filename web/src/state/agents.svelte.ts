/* The agents that Parley runs and what they are made of: providers, tools, the policy. True while a screen shows them. */
import { api } from '../api/api';
import type { Tool } from '../api/runs';
import type { AgentConfig, Policy, Provider } from '../api/types';
import { Latest } from '../lib/latest';
import { connection } from './connection.svelte';

class Agents {
	list = $state.raw<AgentConfig[]>([]);
	providers = $state.raw<Provider[]>([]);
	tools = $state.raw<Tool[]>([]);
	policy = $state.raw<Policy | null>(null);
	loaded = $state(false);
	/** The one that is looked at: it stays when somebody else deletes it, and saving it says so. */
	looked: string | null = null;
	private readonly read = new Latest();

	private async loadList(): Promise<void> {
		const list = await this.read.of(api.agents());
		if (!list) return;
		const gone = this.list.find(
			(one) => one.name === this.looked && !list.items.some(({ id }) => id === one.id),
		);
		this.list = gone ? [...list.items, gone] : list.items;
	}

	async load(): Promise<void> {
		const [providers, tools, policy] = await Promise.all([
			api.providers().then(
				({ items }) => items,
				() => [],
			),
			api.tools().then(
				({ items }) => items,
				() => [],
			),
			api.policy().catch(() => null),
			this.loadList(),
		]);
		[this.providers, this.tools, this.policy] = [providers, tools, policy];
		this.loaded = true;
	}

	/** Keeps it true; returns how to stop. */
	watch(): () => void {
		void this.load().catch(() => undefined);
		return connection.listen((event) => {
			if (event.type === 'agent.changed') void this.loadList().catch(() => undefined);
			if (event.type === 'provider.changed') void this.load().catch(() => undefined);
		});
	}

	/** Saved here: what it was, and what it is now; null: there is none. */
	saved(was: AgentConfig | null, now: AgentConfig | null): void {
		this.read.drop();
		const others = this.list.filter((one) => one.id !== was?.id && one.id !== now?.id);
		this.list = now ? [...others, now].sort((a, b) => (a.name < b.name ? -1 : 1)) : others;
	}
}

export const agents = new Agents();
