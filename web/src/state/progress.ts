/* Notifications of what sessions say of their progress, for who switched them on: at most one a minute and session. */
import { api } from '../api/api';
import type { Event } from '../api/types';
import { eventWords } from '../lib/events';
import { t } from '../lib/i18n.svelte';
import { notifyOf } from './notify';

const CALM_MS = 60_000;
const told = new Map<string, number>();

export async function progressTold(event: Event): Promise<void> {
	const id = event.session;
	const at = Date.parse(event.at);
	if (!id || at - (told.get(id) ?? 0) < CALM_MS) return;
	told.set(id, at);
	const session = await api.session(id).catch(() => null);
	if (!session) return;
	const { title, agent } = session;
	const name = title ? t('web.colon', { words: agent.name, text: title }) : agent.name;
	await notifyOf(`progress ${id}`, name, eventWords(event), `/sessions/${id}`);
}
