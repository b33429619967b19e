/* Where the palette looks: what the page has already, and, for what was typed, the server's lists. */
import { api } from '../../api/api';
import type { AgentConfig, Ask, Rule, Session } from '../../api/types';
import { hope } from '../../lib/hope';
import { t, tn } from '../../lib/i18n.svelte';
import { Latest } from '../../lib/latest';
import { askTitle } from '../../lib/order';
import { holdsAll, type Found, type FoundGroup } from '../../lib/palette';
import { settingsParts } from '../../lib/router.svelte';
import { ruleText } from '../../lib/rules';
import { moment, span } from '../../lib/time';
import { outcomeIcon, outcomeOf, outcomeWords } from '../../lib/words';
import { asks } from '../../state/asks.svelte';
import { clock } from '../../state/clock.svelte';
import { helpShow } from '../../state/frame.svelte';
import { login } from '../../state/login.svelte';
import { stops } from '../../state/stops.svelte';

/** Of each group at most. */
const MOST = 6;
const SOON_MS = 150;
const screens = [
	['inbox', ['G', 'I']],
	['history', ['G', 'H']],
	['sessions', ['G', 'S']],
	['activity', ['G', 'A']],
	['agents', []],
	['rules', []],
	['insights', []],
	['alerts', []],
] as const;

export class PaletteSources {
	typed = $state('');
	private agents = $state.raw<AgentConfig[]>([]);
	private rules = $state.raw<Rule[]>([]);
	private sessions = $state.raw<Session[]>([]);
	private settled = $state.raw<Ask[]>([]);
	private latest = new Latest();

	/** Fetches what does not depend on what is typed; for an effect. */
	open(): () => void {
		const stop = [
			hope(api.agents(), (got) => (this.agents = got.items)),
			hope(api.rules({ state: 'live', limit: 200 }), (got) => (this.rules = got.items)),
		];
		return () => stop.forEach((one) => one?.());
	}

	/** Fetches what does; for an effect. */
	follow(): (() => void) | void {
		const q = this.typed.trim();
		if (!q) {
			this.latest.drop();
			this.sessions = [];
			this.settled = [];
			return;
		}
		const soon = setTimeout(() => {
			const both = Promise.all([
				api.sessions({ q, limit: MOST }),
				api.asks({ status: 'settled', q, limit: MOST }),
			]);
			void this.latest
				.of(both)
				.then((got) => {
					if (got) [this.sessions, this.settled] = [got[0].items, got[1].items];
				})
				.catch(() => undefined);
		}, SOON_MS);
		return () => clearTimeout(soon);
	}

	groups = $derived.by((): FoundGroup[] => {
		const q = this.typed.trim();
		const fits = (...words: (string | null | undefined)[]) => holdsAll(words.join(' '), q);
		const going = this.places().filter((one) => fits(one.title, one.words));
		const all: FoundGroup[] = [
			{
				name: t('web.palette.waiting'),
				items: asks.pending
					.filter((ask) => fits(askTitle(ask), ask.agent.name, ask.session_title, ask.project))
					.map((ask) => ({
						id: ask.id,
						icon: ask.kind,
						title: askTitle(ask),
						words: [ask.agent.name, ask.session_title].filter(Boolean).join(' · '),
						end: span(clock.quarter - Date.parse(ask.created_at), 'short'),
						href: `/asks/${ask.id}`,
					})),
			},
			{ name: t('web.nav.sessions'), items: this.sessions.map(sessionFound) },
			{ name: t('web.nav.history'), items: this.settled.map(settledFound) },
			...(q ? [this.agentsFound(fits), this.rulesFound(fits), this.peopleFound(fits)] : []),
			{ name: t('web.palette.do'), items: this.things().filter((one) => fits(one.title)) },
			{ name: t('web.palette.go'), items: going },
		];
		return all
			.filter(({ items }) => items.length)
			.map(({ name, items }) => ({
				name,
				items: items.slice(0, q || items === going ? (items === going ? 20 : MOST) : 3),
			}));
	});

	private agentsFound(fits: (...words: (string | null | undefined)[]) => boolean): FoundGroup {
		return {
			name: t('web.nav.agents'),
			items: this.agents
				.filter((one) => fits(one.name, one.description))
				.map(({ name, description }) => ({
					id: `agent ${name}`,
					icon: 'agents',
					title: name,
					words: description ?? '',
					href: `/agents?agent=${encodeURIComponent(name)}`,
				})),
		};
	}

	private rulesFound(fits: (...words: (string | null | undefined)[]) => boolean): FoundGroup {
		return {
			name: t('web.nav.rules'),
			items: this.rules
				.map((rule) => ({ rule, text: ruleText(rule.effect, rule.match, rule.made_from) }))
				.filter(({ rule, text }) => fits(text, rule.note))
				.map(({ rule, text }) => ({
					id: rule.id,
					icon: 'rules',
					title: text,
					words: rule.note ?? '',
					end: tn(`web.rules.used.${rule.effect}`, rule.hits),
					href: `/rules?rule=${rule.id}`,
				})),
		};
	}

	private peopleFound(fits: (...words: (string | null | undefined)[]) => boolean): FoundGroup {
		return {
			name: t('web.settings.users'),
			items: (login.isAdmin ? login.users : [])
				.filter((one) => fits(one.name))
				.map(({ id, name, role }) => ({
					id,
					icon: 'person',
					title: name,
					words: t(`web.role.${role}`),
					href: '/settings/users',
				})),
		};
	}

	private things(): Found[] {
		if (!login.canAnswer)
			return [
				{ id: 'keys', icon: 'keyboard', title: t('web.person.keys'), keys: ['?'], run: helpShow },
			];
		return [
			{ id: 'new-session', icon: 'plus', title: t('web.session.new'), href: '/sessions?new=1' },
			{ id: 'new-rule', icon: 'plus', title: t('web.rules.new'), href: '/rules?new=1' },
			{ id: 'stop', icon: 'stop', title: t('web.stop.open'), run: () => stops.ask() },
			{ id: 'keys', icon: 'keyboard', title: t('web.person.keys'), keys: ['?'], run: helpShow },
		];
	}

	private places(): Found[] {
		const parts = settingsParts.filter(
			(part) => login.isAdmin || ['you', 'channels', 'keys'].includes(part),
		);
		return [
			...screens.map(([name, keys]) => ({
				id: `go ${name}`,
				icon: name === 'alerts' ? ('warning' as const) : name,
				title: t(`web.nav.${name}`),
				keys: [...keys],
				href: `/${name}`,
			})),
			...parts.map((part) => ({
				id: `go settings ${part}`,
				icon: 'settings' as const,
				title: t(`web.settings.${part}`),
				words: t('web.nav.settings'),
				href: `/settings/${part}`,
			})),
		];
	}
}

function sessionFound({ id, title, agent, status, updated_at }: Session): Found {
	return {
		id,
		icon: 'sessions',
		title: title ?? id,
		words: agent.name,
		end: `${t(`web.status.${status}`)}, ${moment(updated_at)}`,
		href: `/sessions/${id}`,
	};
}

function settledFound(ask: Ask): Found {
	const outcome = outcomeOf(ask)!;
	return {
		id: `settled ${ask.id}`,
		icon: outcomeIcon(outcome),
		title: askTitle(ask),
		words: [ask.agent.name, ask.session_title].filter(Boolean).join(' · '),
		end: `${outcomeWords(outcome)}, ${moment(ask.settled_at!)}`,
		href: `/asks/${ask.id}`,
	};
}
