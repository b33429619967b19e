/* What the page asks the server for: the routes that it uses, by name. */
import { call, get, post, type Query } from './client';
import { api as first } from './first';
import type { McpServer, McpServerTest, Run, Tool, ToolTest } from './runs';
import type {
	AgentConfig,
	AgentTest,
	Alert,
	Ask,
	AskDeliveries,
	AskRequest,
	AskSuggestion,
	Away,
	ChannelList,
	Contact,
	ContactFound,
	Delivery,
	Event,
	Hold,
	Insights,
	UsageSums,
	List,
	Login,
	Mandate,
	Mark,
	Me,
	NotifyPrefs,
	Policy,
	ProjectList,
	Provider,
	Rehearsal,
	RehearseRequest,
	RoutePlan,
	RouteTable,
	Rule,
	RuleEffects,
	RuleRequest,
	RuleSuggestion,
	Session,
	SessionState,
	SettledCounts,
	Settled,
	SigningKey,
	Stop,
	StopRequest,
	Team,
	Token,
	TriedOperation,
	TriedRule,
	User,
	View,
} from './types';

/** All events that a query names; of a very long story only its beginning. */
async function eventsWhole(query: Query): Promise<Event[]> {
	const PAGE = 200;
	const PAGES = 10;
	const list: Event[] = [];
	for (let page = 0; page < PAGES; page++) {
		const after = list.at(-1)?.id ?? 0;
		const { items } = await first.events({ ...query, after, limit: PAGE });
		list.push(...items);
		if (items.length < PAGE) break;
	}
	return list;
}

/** Whose contacts: a user's or a team's id; empty for one's own. */
const contactsOf = (of: string) =>
	of ? `/v1/${of.startsWith('team_') ? 'teams' : 'users'}/${of}` : '/v1/me';

export const api = {
	...first,
	login: (body: { code: string } | { name: string; password: string; workspace?: string }) =>
		call<Me>('POST', '/v1/login', body),
	/** With where the log has its settling. */
	askProved: (id: string) => get<Ask>(`/v1/asks/${encodeURIComponent(id)}`, { proof: 'true' }),
	askCounts: (query: Query) => get<SettledCounts>('/v1/asks/counts', query),
	askNew: (body: AskRequest) => post<Ask>('/v1/asks', body),
	askSuggestions: (id: string) =>
		get<AskSuggestion[]>(`/v1/asks/${encodeURIComponent(id)}/suggestions`),
	prefer: (body: unknown) => post<unknown>('/v1/preferences', body),
	preferChange: (id: string, body: unknown) =>
		call<unknown>('PATCH', `/v1/preferences/${id}`, body),
	preferNoMore: (id: string) => call<null>('DELETE', `/v1/preferences/${id}`),
	retract: (id: string) => post<Settled>(`/v1/asks/${id}/retract`, {}),
	revoke: (id: string) => post<Ask>(`/v1/asks/${id}/revoke`, {}),
	mark: (id: string, mark: Partial<Mark>) => post<Ask>(`/v1/asks/${id}/mark`, mark),
	views: () => get<View[]>('/v1/me/views'),
	viewsPut: (views: View[]) => call<View[]>('PUT', '/v1/me/views', views),
	reply: (id: string, text: string) => post<Ask>(`/v1/asks/${id}/replies`, { text }),
	assign: (id: string, assignees: string[]) => post<Ask>(`/v1/asks/${id}/assign`, { assignees }),
	claim: (id: string) => post<Ask>(`/v1/asks/${id}/claim`, {}),
	extend: (id: string, timeout: string) => post<Ask>(`/v1/asks/${id}/extend`, { timeout }),

	session: (id: string) => get<Session>(`/v1/sessions/${encodeURIComponent(id)}`),
	sessionState: (id: string) => get<SessionState>(`/v1/sessions/${encodeURIComponent(id)}/state`),
	sessionPatch: (id: string, body: unknown) => call<Session>('PATCH', `/v1/sessions/${id}`, body),
	sessionDelete: (id: string) => call<null>('DELETE', `/v1/sessions/${id}`),
	sessionCancel: (id: string) => post<Session>(`/v1/sessions/${id}/cancel`, {}),

	sessionNew: (body: { agent: string; message: string; lang?: string; title?: string }) =>
		post<Session>('/v1/sessions', body),
	messageNew: (
		session: string,
		body: {
			content: string;
			lang?: string;
			when?: 'next' | 'now';
			agent?: string;
			limits?: { turns: number };
		},
	) => post<{ run: Run }>(`/v1/sessions/${session}/messages`, body),
	run: (id: string) => get<Run>(`/v1/runs/${id}`),
	runs: (query: Query) => get<List<Run>>('/v1/runs', query),
	/** What a stopped agent needs to go on. */
	sessionResume: (id: string) =>
		get<{ can_resume: boolean; context: string }>(`/v1/sessions/${id}/resume`),
	runCancel: (id: string) => post<Run>(`/v1/runs/${id}/cancel`, {}),
	runRetry: (id: string) => post<Run>(`/v1/runs/${id}/retry`, {}),

	agents: () => get<List<AgentConfig>>('/v1/agents', { limit: 200 }),
	agentNew: (body: unknown) => post<AgentConfig>('/v1/agents', body),
	agentPatch: (name: string, body: unknown) =>
		call<AgentConfig>('PATCH', `/v1/agents/${name}`, body),
	agentDelete: (name: string) => call<null>('DELETE', `/v1/agents/${name}`),
	agentTest: (name: string) => post<AgentTest>(`/v1/agents/${name}/test`, {}),
	tools: () => get<{ items: Tool[] }>('/v1/tools?limit=200'),
	toolNew: (body: unknown) => post<Tool>('/v1/tools', body),
	toolDelete: (name: string) => call<null>('DELETE', `/v1/tools/${name}`),
	toolTest: (name: string, args: unknown) =>
		post<ToolTest>(`/v1/tools/${name}/test`, { arguments: args }),
	mcpServers: () => get<List<McpServer>>('/v1/mcp-servers', { limit: 200 }),
	mcpServer: (name: string) => get<McpServer>(`/v1/mcp-servers/${name}`),
	mcpServerNew: (body: unknown) => post<McpServer>('/v1/mcp-servers', body),
	mcpServerTest: (name: string) => post<McpServerTest>(`/v1/mcp-servers/${name}/test`, {}),
	mcpServerAccept: (name: string, tools: unknown[]) =>
		post<McpServer>(`/v1/mcp-servers/${name}/accept`, { tools }),
	mcpServerDelete: (name: string) => call<null>('DELETE', `/v1/mcp-servers/${name}`),
	providers: () => get<List<Provider>>('/v1/providers', { limit: 200 }),
	providerNew: (body: unknown) => post<Provider>('/v1/providers', body),
	providerPatch: (name: string, body: unknown) =>
		call<Provider>('PATCH', `/v1/providers/${name}`, body),
	providerDelete: (name: string) => call<null>('DELETE', `/v1/providers/${name}`),
	/** Those that it has, as it says itself. */
	providerModels: (name: string) =>
		get<{ items: NonNullable<Provider['models']> }>(`/v1/providers/${name}/models`),
	providerTest: (name: string, body: { model?: string }) =>
		post<AgentTest>(`/v1/providers/${name}/test`, body),

	eventsWhole,
	alerts: (query: Query) => get<List<Alert>>('/v1/alerts', query),
	alertAck: (id: string, body: { note?: string }) => post<Alert>(`/v1/alerts/${id}/ack`, body),
	insights: (query: Query) => get<Insights>('/v1/insights', query),
	usage: (query: Query) => get<UsageSums>('/v1/usage', query),

	deliveries: (query: Query) => get<List<Delivery>>('/v1/deliveries', query),
	deliveryReplay: (id: string) =>
		post<Delivery>(`/v1/deliveries/${encodeURIComponent(id)}/replay`, {}),

	rules: (query: Query) => get<List<Rule>>('/v1/rules', query),
	rule: (id: string) => get<Rule>(`/v1/rules/${encodeURIComponent(id)}`),
	ruleNew: (body: RuleRequest) => post<Rule>('/v1/rules', body),
	rulePatch: (id: string, body: Partial<RuleRequest> & { version: number }) =>
		call<Rule>('PATCH', `/v1/rules/${encodeURIComponent(id)}`, body),
	ruleEnd: (id: string) => call<null>('DELETE', `/v1/rules/${id}`),
	ruleTry: (rule: RuleRequest) => call<TriedRule>('POST', '/v1/rules/try', { rule }),
	operationTry: (body: { operation: unknown; agent?: string; project?: string }) =>
		call<TriedOperation>('POST', '/v1/rules/try', body),
	ruleSuggestions: () => get<{ items: RuleSuggestion[] }>('/v1/rules/suggestions'),
	policy: () => get<Policy>('/v1/policy'),
	policyPut: (body: Partial<Policy> & { version: number }) =>
		call<Policy>('PUT', '/v1/policy', body),

	ruleEffect: (id: string) => get<RuleEffects>(`/v1/rules/${id}/effect`),
	rehearse: (body: RehearseRequest) => call<Rehearsal>('POST', '/v1/rehearse', body),

	keys: () => get<{ keys: SigningKey[] }>('/v1/keys'),
	keyNew: () => post<SigningKey>('/v1/keys', {}),
	keyRevoke: (kid: string, reason: string) =>
		post<SigningKey>(`/v1/keys/${encodeURIComponent(kid)}/revoke`, { reason }),
	holds: () => get<List<Hold>>('/v1/holds', { state: 'live', limit: 200 }),
	holdSet: (body: unknown) => post<Hold>('/v1/holds', body),
	holdLift: (id: string) => call<null>('DELETE', `/v1/holds/${id}`),

	mandates: (query: Query) => get<List<Mandate>>('/v1/mandates', query),
	mandateEnd: (id: string) => post<Mandate>(`/v1/mandates/${id}/revoke`, {}),

	stops: () => get<List<Stop>>('/v1/stops', { limit: 200 }),
	stopSet: (body: StopRequest) => post<Stop>('/v1/stops', body),
	stopLift: (id: string) => call<null>('DELETE', `/v1/stops/${id}`),

	presets: <T>(kind: 'templates' | 'lists') => get<List<T>>(`/v1/${kind}`, { limit: 200 }),
	presetPut: (kind: 'templates' | 'lists', name: string, body: unknown) =>
		call<unknown>('PUT', `/v1/${kind}/${encodeURIComponent(name)}`, body),
	presetDelete: (kind: 'templates' | 'lists', name: string) =>
		call<null>('DELETE', `/v1/${kind}/${encodeURIComponent(name)}`),

	userNew: (body: unknown) => post<User>('/v1/users', body),
	userPatch: (id: string, body: unknown) => call<User>('PATCH', `/v1/users/${id}`, body),
	away: (user: string) => get<Away | null>(`/v1/users/${user}/away`),
	awayPut: (user: string, body: Partial<Away>) => call<Away>('PUT', `/v1/users/${user}/away`, body),
	awayEnd: (user: string) => call<null>('DELETE', `/v1/users/${user}/away`),
	projects: () => get<ProjectList>('/v1/projects'),
	teamNew: (body: unknown) => post<Team>('/v1/teams', body),
	teamPatch: (id: string, body: unknown) => call<Team>('PATCH', `/v1/teams/${id}`, body),
	teamDelete: (id: string) => call<null>('DELETE', `/v1/teams/${id}`),
	channels: () => get<ChannelList>('/v1/channels'),
	contacts: (of: string) => get<List<Contact>>(`${contactsOf(of)}/contacts`),
	contactNew: (of: string, body: unknown) => post<Contact>(`${contactsOf(of)}/contacts`, body),
	contactLookup: (of: string, body: { channel: 'slack'; email?: string }) =>
		post<ContactFound>(`${contactsOf(of)}/contacts/lookup`, body),
	contactPatch: (of: string, id: string, body: unknown) =>
		call<Contact>('PATCH', `${contactsOf(of)}/contacts/${id}`, body),
	contactDelete: (of: string, id: string) =>
		call<null>('DELETE', `${contactsOf(of)}/contacts/${id}`),
	contactVerify: (id: string, body: { code?: string }) =>
		post<Contact>(`/v1/me/contacts/${id}/verify`, body),
	delivery: (id: string) => get<Delivery>(`/v1/deliveries/${id}`),
	contactTest: (of: string, id: string) =>
		post<Delivery>(`${contactsOf(of)}/contacts/${id}/test`, {}),
	pushKey: () => get<{ key: string }>('/v1/push-key'),
	notifyPrefs: () => get<NotifyPrefs>('/v1/me/notify'),
	notifyPrefsPut: (body: NotifyPrefs) => call<NotifyPrefs>('PUT', '/v1/me/notify', body),
	startPut: (body: { test?: string | null; done?: boolean }) =>
		call<null>('PUT', '/v1/start', body),
	present: () => post<null>('/v1/me/present', {}),
	routes: () => get<RouteTable>('/v1/routes'),
	routesPut: (body: RouteTable) => call<RouteTable>('PUT', '/v1/routes', body),
	routesTry: (body: unknown) => post<RoutePlan>('/v1/routes/try', body),
	told: (ask: string) => get<AskDeliveries>(`/v1/asks/${ask}/deliveries`),
	logins: () => get<List<Login>>('/v1/me/logins'),
	loginEnd: (id: string) => call<null>('DELETE', `/v1/me/logins/${id}`),
	loginsEnd: () => call<null>('DELETE', '/v1/me/logins'),
	tokens: (cursor?: string | null) => get<List<Token>>('/v1/tokens', { limit: 200, cursor }),
	tokenNew: (body: unknown) => post<Token>('/v1/tokens', body),
	tokenPatch: (id: string, body: unknown) => call<Token>('PATCH', `/v1/tokens/${id}`, body),
	tokenDelete: (id: string) => call<null>('DELETE', `/v1/tokens/${id}`),
};
