/* The figures of Insights in words: shares, spans, what changed, and the tables. Pure but for the language. */
import type { AskKind, Insights, UsageSums } from '../api/types';
import { language, t, type MessageId } from './i18n.svelte';
import { dollars } from './runs';
import { span } from './time';
import { visible } from './visible';
import { viaWords } from './words';

export const percent = (rate: number | null): string =>
	rate === null
		? '–'
		: new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 0 }).format(
				rate,
			);
export const share = (part: number, whole: number): string => percent(whole ? part / whole : null);
export const took = (ms: number | null): string => (ms === null ? '–' : span(ms, 'short'));

const LEAST_CHANGE_MS = 1000;

/** "12 % more than before"; '' where there is nothing to compare with. */
export function moreWords(now: number, before: number): string {
	if (!before) return '';
	if (now === before) return t('web.insights.change.same');
	return t(now > before ? 'web.insights.change.more' : 'web.insights.change.less', {
		part: percent(Math.abs(now - before) / before),
	});
}

/** "48 s faster than before". */
export function fasterWords(now: number | null, before: number | null): string {
	if (now === null || before === null) return '';
	const by = Math.abs(now - before);
	if (by < LEAST_CHANGE_MS) return t('web.insights.change.same');
	return t(now < before ? 'web.insights.change.faster' : 'web.insights.change.slower', {
		span: span(by, 'short'),
	});
}

/** What the agents that Parley runs cost, in dollars; null: none of them ran at a price. */
export function costOf(usage: UsageSums | null): number | null {
	const priced = (usage?.items ?? []).flatMap((one) => one.cost_usd ?? []);
	return priced.length ? priced.reduce((sum, cost) => sum + cost, 0) : null;
}

/** `call`: no words of people, but what a tool was called with. */
export type Cell = string | number | { href: string; text: string; call?: boolean };
/** A title, the heads of its columns, its rows, and what the server calls the same as CSV. */
export type Figures = [title: MessageId, heads: MessageId[], rows: Cell[][], csv?: string];

const LONG = 100;
/** A question on a few lines, wherever it stands; the whole of it is behind its link. */
export function questionWords(text: string): string {
	const letters = [...visible(text)];
	return letters.length > LONG ? `${letters.slice(0, LONG).join('')}…` : letters.join('');
}

/** What was asked again and again, and how that ended. */
const questionTable = (title: MessageId, list: Insights['questions'], csv: string): Figures => [
	title,
	[
		'web.insights.question',
		'web.insights.asks',
		'web.status.answered',
		'web.status.expired',
		'web.insights.median',
	],
	list
		.slice(0, SHOWN)
		.map(({ text, kind, last, asks, answered, expired, median_ms }) => [
			{ href: `/history/${last}`, text: questionWords(text), call: kind === 'approval' },
			asks,
			answered,
			expired,
			took(median_ms),
		]),
	csv,
];
const SHOWN = 10;

const places = (via: Record<string, number>) =>
	Object.entries(via)
		.sort(([, a], [, b]) => b - a)
		.map(([place, n]) => `${viaWords(place)} ${n}`)
		.join(', ');

/** By question, kind, agent, project, hour, person and route; `expired`: the questions that expire most. */
export function tablesOf(
	data: Insights,
	usage: UsageSums | null,
	expired: Insights['questions'],
): Figures[] {
	const kinds = Object.entries(data.by_kind) as [AskKind, Insights['asks']][];
	const paid = costOf(usage) !== null;
	const cost = (agent: string) => {
		const usd = usage?.items.find((one) => one.key === agent)?.cost_usd;
		return typeof usd === 'number' ? dollars(usd) : '–';
	};
	const all: Figures[] = [
		questionTable('web.insights.questions', data.questions, 'question'),
		questionTable(
			'web.insights.questions.expired',
			expired.filter((one) => one.expired),
			'question&order=expired',
		),
		[
			'web.insights.bykind',
			[
				'web.filter.kind',
				'web.insights.asks',
				'web.status.answered',
				'web.status.skipped',
				'web.status.expired',
				'web.insights.rate',
			],
			kinds.map(([kind, { created, answered, skipped, expired }]) => [
				t(`web.kind.${kind}`),
				created,
				answered,
				skipped,
				expired,
				share(expired, created),
			]),
			'kind',
		],
		[
			'web.insights.byproject',
			[
				'web.filter.project',
				'web.insights.asks',
				'web.status.answered',
				'web.status.expired',
				'web.insights.byrules',
				'web.insights.median',
			],
			data.by_project.map(({ project, asks, answered, expired: gone, by_rules, median_ms }) => [
				project === null
					? t('web.insights.project.none')
					: { href: `/history?project=${encodeURIComponent(project)}`, text: visible(project) },
				asks,
				answered,
				gone,
				share(by_rules, asks),
				took(median_ms),
			]),
			'project',
		],
		[
			'web.insights.byhour',
			[
				'web.insights.hour',
				'web.insights.asks',
				'web.status.answered',
				'web.status.expired',
				'web.insights.median',
			],
			data.by_hour
				.filter((one) => one.created)
				.map(({ hour, created, answered, expired: gone, median_ms }) => [
					`${String(hour).padStart(2, '0')}:00`,
					created,
					answered,
					gone,
					took(median_ms),
				]),
			'hour',
		],
		[
			'web.insights.byagent',
			[
				'web.agents.name',
				'web.insights.asks',
				'web.insights.byrules',
				'web.insights.rejected',
				'web.insights.median',
				...(paid ? (['web.insights.cost.column'] as const) : []),
			],
			data.by_agent.map(({ agent: { name }, asks, by_rules, decided, approved, median_ms }) => [
				{ href: `/history?agent=${encodeURIComponent(name)}`, text: visible(name) },
				asks,
				share(by_rules, asks),
				share(decided - approved, decided),
				took(median_ms),
				...(paid ? [cost(name)] : []),
			]),
			'agent',
		],
		[
			'web.insights.byperson',
			[
				'web.insights.person',
				'web.status.answered',
				'web.insights.approved',
				'web.insights.median',
				'web.insights.from',
			],
			data.by_person.map(({ name, answered, approved, decided, median_ms, via }) => [
				visible(name),
				answered,
				share(approved, decided),
				took(median_ms),
				places(via),
			]),
			'person',
		],
		[
			'web.insights.targets',
			[
				'web.insights.route',
				'web.insights.target',
				'web.insights.asks',
				'web.insights.overdue',
				'web.insights.overdue.rate',
			],
			data.targets.map(({ name, target_ms, asks, overdue }) => [
				visible(name || t('web.routes.unnamed')),
				span(target_ms, 'short'),
				asks,
				overdue,
				share(overdue, asks),
			]),
		],
	];
	return all.filter(([title, , rows]) => rows.length || title === 'web.insights.bykind');
}
