/* Alerts in words: "Unanswered for 2 h". */
import type { Alert, Policy } from '../api/types';
import { language, t } from './i18n.svelte';
import { span } from './time';

type Said = Pick<Alert, 'kind' | 'key' | 'detail' | 'value'>;

/** What it is about, as people call it. */
function about({ kind, key, detail }: Said): string {
	switch (kind) {
		case 'timeouts':
			return t(`web.kind.${key as 'approval'}`);
		case 'channel':
			return t(`web.deliveries.${key as 'email'}`);
		case 'node':
		case 'overdue':
			return detail ?? '';
		default:
			return key ?? '';
	}
}

export function alertWords(alert: Said): string {
	const value = alert.value ?? 0;
	return t(`web.alert.${alert.kind}`, {
		age: span(value * 1000, 'short'),
		n: Number(value.toPrecision(6)),
		percent: new Intl.NumberFormat(language(), { style: 'percent' }).format(value),
		what: about(alert),
	});
}

type Limits = NonNullable<Policy['alerts']>;
type LimitKind = 'time' | 'share' | 'count' | 'dollars';

/** When alerts are raised: what can be set, in the order in which it is shown. */
export const limits: readonly { name: keyof Limits; kind: LimitKind }[] = [
	{ name: 'unanswered', kind: 'time' },
	{ name: 'unreachable', kind: 'time' },
	{ name: 'timeouts', kind: 'share' },
	{ name: 'overdue', kind: 'share' },
	{ name: 'errors', kind: 'share' },
	{ name: 'model', kind: 'share' },
	{ name: 'dead', kind: 'count' },
	{ name: 'budget', kind: 'dollars' },
	{ name: 'node', kind: 'time' },
	{ name: 'window', kind: 'time' },
	{ name: 'min', kind: 'count' },
];

/** A limit as it stands in its field: shares in percent, nothing where it is off. */
export function limitShown(value: Limits[keyof Limits] | undefined, kind: LimitKind): string {
	if (value === null || value === undefined) return '';
	return String(kind === 'share' ? Number((Number(value) * 100).toPrecision(6)) : value);
}

/** What a field means; what is no number goes as it is, for the server to say what is wrong. */
export function limitMeant(text: string, kind: LimitKind): string | number | null {
	const said = text.trim();
	const value = Number(said.replace(',', '.'));
	if (!said) return null;
	if (kind === 'time' || Number.isNaN(value)) return said;
	return kind === 'share' ? Number((value / 100).toPrecision(6)) : value;
}
