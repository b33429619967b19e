/* How a session that Parley ran has ended, in a few words for a toast. */
import type { Run } from '../api/runs';
import type { Session } from '../api/types';
import { dollars } from './runs';
import { span } from './time';

/** `run`: its last one. */
export function endedWords(session: Session, run: Run | null): string {
	if (session.status === 'failed') return run?.error?.message ?? '';
	if (!session.usage) return '';
	const took =
		Date.parse(session.completed_at ?? session.updated_at) - Date.parse(session.created_at);
	const cost = typeof session.cost_usd === 'number' ? [dollars(session.cost_usd)] : [];
	return [span(took, 'short'), ...cost].join(' · ');
}
