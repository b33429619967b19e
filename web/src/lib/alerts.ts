/* Alerts in words: "Unanswered for 2 h". */
import type { Alert } from '../api/types';
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
