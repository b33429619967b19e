/* Events in words, and the drawers they go into. */
import type { Event } from '../api/types';
import { t } from './i18n.svelte';
import { wakingIn } from './waking';

export type Drawer = 'asks' | 'progress' | 'status' | 'tools' | 'agents' | 'reasoning' | 'todos';

const data = (event: Event, name: string): string => {
	const value = event.data[name];
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export function drawerOf(event: Event): Drawer {
	const type: string = event.type;
	if (type.startsWith('ask.')) return 'asks';
	if (type === 'session.progress') return 'progress';
	if (type.startsWith('run.tool')) return 'tools';
	if (type.startsWith('run.thought')) return 'reasoning';
	if (type.startsWith('run.')) return 'agents';
	if (type.startsWith('task.')) return 'todos';
	return 'status';
}

export function eventWords(event: Event): string {
	switch (event.type) {
		case 'session.status': {
			const status = event.data['status'] as 'running' | undefined;
			return status ? t(`web.status.${status}`) : t('web.event.session.status');
		}
		case 'session.progress': {
			const [step, steps] = [data(event, 'step'), data(event, 'steps')];
			const where = step && steps ? `${step}/${steps} · ` : '';
			return `${where}${data(event, 'text')}`;
		}
		case 'ask.created':
		case 'session.created': {
			const title = data(event, 'title');
			const words = t(`web.event.${event.type}`);
			return title ? t('web.colon', { words, text: title }) : words;
		}
		case 'session.resumed': {
			const waking = wakingIn(event);
			return waking?.error
				? t('web.waking.failed', { error: waking.error })
				: t('web.event.session.resumed');
		}
		default: {
			const by = event.data['answered_by'] as { name?: string | null } | null | undefined;
			const name = by?.name ?? data(event, 'name');
			const words = t(`web.event.${event.type}`);
			return name ? `${words} · ${name}` : words;
		}
	}
}
