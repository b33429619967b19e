/* What the first list asks the server for. */
import { call, get, post, type Query } from './client';
import type { Ask, Event, List, Me, Session, SettleManyResult, Settled, Team, User } from './types';

export const api = {
	me: () => get<Me>('/v1/me'),
	logout: () => call<null>('POST', '/v1/logout', {}),
	asks: (query: Query) => get<List<Ask>>('/v1/asks', query),
	ask: (id: string) => get<Ask>(`/v1/asks/${encodeURIComponent(id)}`),
	settle: (id: string, verb: 'answer' | 'skip', body: unknown, key: string) =>
		post<Settled>(`/v1/asks/${id}/${verb}`, body, key),
	settleMany: (body: unknown) => post<SettleManyResult>('/v1/asks/settle-many', body),
	sessions: (query: Query) => get<List<Session>>('/v1/sessions', query),
	events: (query: Query) => get<List<Event>>('/v1/events', { format: 'json', ...query }),
	users: () => get<List<User>>('/v1/users', { limit: 200 }),
	teams: () => get<List<Team>>('/v1/teams', { limit: 200 }),
};
