/* routes.c - the table of routes. Adding one is a row here and a use case in desk. */
#include "serve/receiver.h"

#include <stdio.h>

#define WRITE	 (BODY_JSON | ROUTE_KEYED)
#define LIST	 "limit cursor"
#define WAIT	 "wait dialect strict"
#define INSIGHTS "from to project agent kind tz order"

/* Of a collection (desk/shared/collection.h), with its list's parameters; one whose items are put by name. */
#define COLLECTION(path, word, params)                                                   \
	{ "GET", path, &use_##word##_list, NULL, 0, params },                            \
		{ "POST", path, &use_##word##_create, NULL, WRITE | ROUTE_PEOPLE, "" },  \
		ITEMS(path, word, "PATCH", patch)
#define PUT_COLLECTION(path, word)                                                       \
	{ "GET", path, &use_##word##_list, NULL, 0, LIST }, ITEMS(path, word, "PUT", put)
#define ITEMS(path, word, method, verb)                                                  \
	{ "GET", path "/{id}", &use_##word##_get, NULL, 0, "" },                         \
		{ method, path "/{id}", &use_##word##_##verb, NULL,                      \
			BODY_JSON | ROUTE_PEOPLE, "" },                                  \
	{                                                                                \
		"DELETE", path "/{id}", &use_##word##_delete, NULL, ROUTE_PEOPLE, ""     \
	}

#define RESOURCE_ROUTES(constant, table, tag, word, step, own, path)                     \
	COLLECTION("/v1/" path, word, LIST),

const struct route routes[] = {
	{ "POST", "/v1/asks", &use_ask, route_ask, WRITE | BODY_TEXT, WAIT " project" },
	{ "GET", "/v1/asks", &use_ask_list, NULL, 0,
		LIST
		" status kind session project assignee priority agent by outcome from to snoozed q order proof" },
	{ "GET", "/v1/asks/counts", &use_ask_counts, NULL, 0,
		"kind session project assignee priority agent by outcome from to q" },
	{ "POST", "/v1/asks/settle-many", &use_settle_many, NULL, WRITE, "" },
	{ "GET", "/v1/asks/{id}", &use_ask_get, route_ask_get, 0, WAIT " proof" },
	{ "GET", "/v1/asks/{id}/deliveries", &use_ask_deliveries, NULL, 0, "" },
	{ "GET", "/v1/asks/{id}/suggestions", &use_ask_suggestions, NULL, 0, "" },
	{ "POST", "/v1/asks/{id}/answer", &use_answer, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/skip", &use_skip, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/cancel", &use_cancel, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/replies", &use_reply, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/assign", &use_assign, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/claim", &use_claim, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/extend", &use_extend, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/retract", &use_retract, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/use", &use_approval_consume, NULL, BODY_JSON, "" },
	{ "GET", "/v1/asks/{id}/receipt", &use_receipt, route_receipt, 0, "" },
	{ "POST", "/v1/asks/{id}/revoke", &use_revoke, NULL, WRITE, "" },
	{ "POST", "/v1/asks/{id}/mark", &use_mark, NULL, BODY_JSON, "" },

	{ "GET", "/v1/mandates", &use_mandate_list, NULL, 0,
		LIST " agent session status" },
	{ "POST", "/v1/mandates", &use_mandate_create, NULL, WRITE, "" },
	{ "POST", "/v1/sessions/{id}/mandates", &use_mandate_create, NULL, WRITE, "" },
	{ "GET", "/v1/mandates/{id}", &use_mandate_get, NULL, 0, "" },
	{ "POST", "/v1/mandates/{id}/revoke", &use_mandate_revoke, NULL, WRITE, "" },
	{ "POST", "/v1/prompts/closed", &use_prompts_closed, NULL, BODY_JSON, "" },

	{ "POST", "/v1/sessions", &use_session_create, route_session, WRITE, "wait" },
	{ "GET", "/v1/sessions", &use_session_list, NULL, 0, LIST " status project q" },
	{ "GET", "/v1/sessions/{id}", &use_session_get, NULL, 0, "" },
	{ "PATCH", "/v1/sessions/{id}", &use_session_patch, NULL, BODY_JSON, "" },
	{ "DELETE", "/v1/sessions/{id}", &use_session_delete, NULL, 0, "" },
	{ "POST", "/v1/sessions/{id}/asks", &use_ask, route_ask, WRITE | BODY_TEXT,
		WAIT " project" },
	{ "GET", "/v1/sessions/{id}/state", &use_session_state, NULL, 0, "" },
	{ "GET", "/v1/sessions/{id}/resume", &use_session_resume, NULL, 0, "" },
	{ "POST", "/v1/sessions/{id}/progress", &use_session_progress, NULL, WRITE, "" },
	{ "POST", "/v1/sessions/{id}/cancel", &use_session_cancel, NULL, WRITE, "" },

	{ "POST", "/v1/sessions/{id}/messages", &use_message_send, route_message, WRITE,
		"wait" },
	{ "GET", "/v1/sessions/{id}/messages", &use_message_list, NULL, 0, LIST },
	{ "GET", "/v1/sessions/{id}/tasks", &use_task_list, NULL, 0, "" },
	{ "GET", "/v1/runs", &use_run_list, NULL, 0,
		LIST " status session agent parent" },
	{ "GET", "/v1/runs/{id}", &use_run_get, route_run_get, 0, "wait" },
	{ "POST", "/v1/runs/{id}/cancel", &use_run_cancel, NULL, WRITE, "" },
	{ "POST", "/v1/runs/{id}/retry", &use_run_retry, NULL, WRITE, "" },
	{ "GET", "/v1/tool-calls", &use_tool_call_list, NULL, 0,
		LIST " run session status server agent" },
	{ "GET", "/v1/tool-calls/{id}", &use_tool_call_get, NULL, 0, "" },
	{ "POST", "/v1/in/tool-calls/{id}", &use_tool_result, route_tool_result,
		BODY_JSON | ROUTE_OPEN | ROUTE_ANYWHERE, "" },
	{ "GET", "/v1/usage", &use_usage, NULL, 0, "from to by" },
	{ "GET", "/v1/memories", &use_memory_list, NULL, 0,
		LIST " scope agent session q" },
	{ "POST", "/v1/memories", &use_memory_add, NULL, WRITE, "" },
	{ "DELETE", "/v1/memories/{id}", &use_memory_delete, NULL, 0, "" },

	{ "GET", "/v1/events", &use_events, route_events, 0,
		LIST " after before format session types transient" },
	{ "GET", "/v1/deliveries", &use_delivery_list, NULL, 0,
		LIST " status kind session ask user purpose" },
	{ "GET", "/v1/deliveries/{id}", &use_delivery_get, NULL, 0, "" },
	{ "POST", "/v1/deliveries/{id}/replay", &use_delivery_replay, NULL, BODY_JSON,
		"" },
	{ "POST", "/v1/webhook-secret", &use_webhook_secret, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/rules", &use_rule_list, NULL, 0, LIST " effect agent state" },
	{ "POST", "/v1/rules", &use_rule_make, route_rule, WRITE | ROUTE_PEOPLE, "" },
	{ "POST", "/v1/rules/try", &use_rule_try, NULL, BODY_JSON, "" },
	{ "GET", "/v1/rules/suggestions", &use_rule_suggest, NULL, 0, "" },
	{ "GET", "/v1/rules/{id}/effect", &use_rule_effect, NULL, 0, "days" },
	{ "POST", "/v1/rehearse", &use_rehearse, NULL, BODY_JSON, "" },
	{ "GET", "/v1/rules/{id}", &use_rule_get, NULL, 0, "" },
	{ "PATCH", "/v1/rules/{id}", &use_rule_patch, route_rule,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "DELETE", "/v1/rules/{id}", &use_rule_end, NULL, ROUTE_PEOPLE, "" },
	{ "GET", "/v1/policy", &use_policy_get, NULL, 0, "" },
	{ "PUT", "/v1/policy", &use_policy_put, NULL, BODY_JSON | ROUTE_PEOPLE, "" },
	{ "POST", "/v1/decide", &use_decide, NULL, BODY_JSON, "" },
	{ "POST", "/v1/authorize", &use_authorize, route_authorize,
		BODY_JSON | ROUTE_AUTHORIZES, "" },
	{ "*", "/v1/authorize/*", &use_authorize, route_authorize_original,
		ROUTE_AUTHORIZES | ROUTE_ORIGINAL, NULL },
	{ "GET", "/v1/keys", &use_key_list, route_signed, 0, "" },
	{ "POST", "/v1/keys", &use_key_rotate, NULL, WRITE | ROUTE_PEOPLE, "" },
	{ "POST", "/v1/keys/{id}/revoke", &use_key_revoke, NULL, WRITE | ROUTE_PEOPLE,
		"" },
	{ "POST", "/v1/approvals/redeem", &use_redeem, NULL, WRITE, "" },
	{ "GET", "/v1/export", &use_export_begin, route_export, ROUTE_PEOPLE,
		"after from to project" },
	{ "GET", "/v1/holds", &use_hold_list, NULL, 0, LIST " state" },
	{ "POST", "/v1/holds", &use_hold_set, NULL, WRITE | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/holds/{id}", &use_hold_get, NULL, 0, "" },
	{ "DELETE", "/v1/holds/{id}", &use_hold_lift, NULL, ROUTE_PEOPLE, "" },
	{ "GET", "/v1/stops", &use_stop_list, NULL, 0, LIST " state" },
	{ "POST", "/v1/stops", &use_stop_set, NULL, WRITE | ROUTE_PEOPLE, "" },
	{ "DELETE", "/v1/stops/{id}", &use_stop_lift, NULL, ROUTE_PEOPLE, "" },
	{ "POST", "/v1/agents/{id}/test", &use_model_access, route_agent_test, BODY_JSON,
		"" },
	{ "POST", "/v1/providers/{id}/test", &use_model_access, route_provider_test,
		BODY_JSON, "" },
	{ "POST", "/v1/tools/{id}/test", &use_tool_access, route_tool_test, BODY_JSON,
		"" },
	{ "POST", "/v1/mcp-servers/{id}/test", &use_mcp_access, route_mcp_server_test,
		BODY_JSON, "" },
	{ "POST", "/v1/mcp-servers/{id}/accept", &use_mcp_accept, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/providers/{id}/models", &use_model_access, route_models, 0, "" },
	{ "GET", "/v1/prices", &use_price_list, NULL, 0, "source" },
	{ "PUT", "/v1/prices", &use_price_put, NULL, BODY_JSON | ROUTE_PEOPLE, "" },
	RESOURCES(RESOURCE_ROUTES) /* core/shared/resources.h */
	PUT_COLLECTION("/v1/templates", template),
	PUT_COLLECTION("/v1/lists", list),
	{ "GET", "/v1/projects", &use_project_list, NULL, 0, "" },
	{ "GET", "/v1/expect", &use_expect, NULL, 0, "kind project" },
	{ "GET", "/v1/insights", &use_insights, NULL, 0, INSIGHTS },
	{ "GET", "/v1/insights.csv", &use_insights_csv, route_csv, 0, INSIGHTS " by" },

	{ "POST", "/v1/login", &use_login, route_login,
		BODY_JSON | ROUTE_OPEN | ROUTE_PEOPLE, "" },
	{ "POST", "/v1/logout", &use_logout, route_logout, BODY_JSON | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/me", &use_me, route_me, ROUTE_PEOPLE, "" },
	{ "GET", "/v1/me/logins", &use_login_list, NULL, 0, "" },
	{ "DELETE", "/v1/me/logins", &use_logins_end, route_revoke, ROUTE_PEOPLE, "" },
	{ "DELETE", "/v1/me/logins/{id}", &use_login_end, route_revoke, ROUTE_PEOPLE,
		"" },
	{ "GET", "/v1/me/views", &use_views, NULL, 0, "" },
	{ "PUT", "/v1/me/views", &use_views_put, NULL, BODY_JSON, "" },
	{ "PUT", "/v1/start", &use_start_put, NULL, BODY_JSON, "" },
	{ "GET", "/v1/me/away", &use_away, NULL, 0, "" },
	{ "PUT", "/v1/me/away", &use_away_put, NULL, BODY_JSON | ROUTE_PEOPLE, "" },
	{ "DELETE", "/v1/me/away", &use_away_delete, NULL, ROUTE_PEOPLE, "" },
	COLLECTION("/v1/me/contacts", contact, ""),
	{ "POST", "/v1/me/contacts/{id}/verify", &use_contact_verify, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "POST", "/v1/me/contacts/{id}/test", &use_contact_test, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/me/notify", &use_notify_prefs, NULL, 0, "" },
	{ "PUT", "/v1/me/notify", &use_notify_prefs_put, NULL, BODY_JSON | ROUTE_PEOPLE,
		"" },
	{ "POST", "/v1/me/present", &use_present, NULL, BODY_JSON, "" },
	{ "GET", "/v1/push-key", &use_push_key, NULL, 0, "" },
	{ "GET", "/v1/channels", &use_channels, NULL, 0, "" },
	{ "GET", "/v1/nodes", &use_node_list, NULL, 0, "" },
	{ "GET", "/v1/alerts", &use_alert_list, NULL, 0, LIST " state" },
	{ "GET", "/v1/alerts/{id}", &use_alert_get, NULL, 0, "" },
	{ "POST", "/v1/alerts/{id}/ack", &use_alert_ack, NULL, BODY_JSON, "" },
	{ "GET", "/v1/routes", &use_notify_routes, NULL, 0, "" },
	{ "PUT", "/v1/routes", &use_notify_routes_put, NULL, BODY_JSON | ROUTE_PEOPLE,
		"" },
	{ "POST", "/v1/routes/try", &use_notify_routes_try, NULL, BODY_JSON, "" },
	{ "GET", "/v1/users", &use_user_list, NULL, 0, LIST },
	{ "POST", "/v1/users", &use_user_create, route_user, WRITE | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/users/{id}", &use_user_get, NULL, 0, "" },
	{ "PATCH", "/v1/users/{id}", &use_user_patch, route_user,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "DELETE", "/v1/users/{id}", &use_user_delete, route_revoke, ROUTE_PEOPLE, "" },
	{ "GET", "/v1/users/{id}/away", &use_away, NULL, 0, "" },
	{ "PUT", "/v1/users/{id}/away", &use_away_put, NULL, BODY_JSON | ROUTE_PEOPLE,
		"" },
	{ "DELETE", "/v1/users/{id}/away", &use_away_delete, NULL, ROUTE_PEOPLE, "" },
	COLLECTION("/v1/users/{of}/contacts", contact, ""),
	{ "POST", "/v1/users/{of}/contacts/{id}/test", &use_contact_test, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/users/{of}/notify", &use_notify_prefs, NULL, 0, "" },
	{ "PUT", "/v1/users/{of}/notify", &use_notify_prefs_put, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	COLLECTION("/v1/teams/{of}/contacts", contact, ""),
	{ "POST", "/v1/teams/{of}/contacts/{id}/test", &use_contact_test, NULL,
		BODY_JSON | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/tokens", &use_token_list, NULL, 0, LIST },
	{ "POST", "/v1/tokens", &use_token_create, NULL, WRITE | ROUTE_PEOPLE, "" },
	{ "GET", "/v1/tokens/{id}", &use_token_get, NULL, 0, "" },
	{ "PATCH", "/v1/tokens/{id}", &use_token_patch, NULL, BODY_JSON | ROUTE_PEOPLE,
		"" },
	{ "DELETE", "/v1/tokens/{id}", &use_token_delete, route_revoke, ROUTE_PEOPLE,
		"" },
	/* On the local admin's socket only: their use cases see to that. */
	{ "GET", "/v1/workspaces", &use_workspace_list, NULL, 0, "" },
	{ "POST", "/v1/workspaces", &use_workspace_create, NULL, BODY_JSON, "" },
	{ "POST", "/v1/check", &use_check, NULL, BODY_JSON, "" },

	{ "POST", "/mcp", &use_mcp_enter, route_mcp, ROUTE_KEYED, "strict project" },
	{ "GET", "/mcp", &use_mcp_enter, route_mcp_stream, 0, "" },
	{ "DELETE", "/mcp", &use_mcp_enter, route_mcp_end, 0, "" },
	{ "POST", "/mcp/{id}", &use_gateway_call, route_mcp, ROUTE_KEYED, "project" },
	{ "GET", "/mcp/{id}", &use_gateway_open, route_mcp_stream, 0, "" },
	{ "DELETE", "/mcp/{id}", &use_gateway_open, route_mcp_end, 0, "" },
	{ "GET", "/.well-known/oauth-protected-resource", NULL, route_resource,
		ROUTE_OPEN, "" },
	{ "GET", "/.well-known/oauth-protected-resource/mcp", NULL, route_resource,
		ROUTE_OPEN, "" },

	{ "GET", "/metrics", &use_metrics, route_metrics, 0, "" },
	{ "GET", "/healthz", NULL, route_healthz, ROUTE_OPEN, "" },
	{ "GET", "/readyz", NULL, route_readyz, ROUTE_OPEN, "" },
	{ "GET", "/openapi.json", NULL, route_openapi, ROUTE_OPEN, "" },
	{ "GET", "/assets/{id}", NULL, route_file, ROUTE_OPEN, "" },
	{ "GET", "/icon.svg", NULL, route_file, ROUTE_OPEN, "" },
	{ "GET", "/icon.png", NULL, route_file, ROUTE_OPEN, "" },
	{ "GET", "/manifest.webmanifest", NULL, route_file, ROUTE_OPEN, "" },
	{ "GET", "/sw.js", NULL, route_file, ROUTE_OPEN, "" },
	{ "GET", "/", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/inbox", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/asks/{id}", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/sessions", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/sessions/{id}", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/history", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/history/{id}", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/activity", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/alerts", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/insights", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/agents", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/rules", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/start", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/settings", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/settings/{id}", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ "GET", "/login", NULL, route_page, ROUTE_OPEN | ROUTE_PAGE, NULL },
	{ 0 },
};

/* The page itself says that nothing is here, to people; programs get the problem. */
const struct route route_lost = { "GET", "", NULL, route_page_lost,
	ROUTE_OPEN | ROUTE_PAGE, NULL };

bool route_is_for_people(const struct http_request *h)
{
	return (h->method == HTTP_M_GET || h->method == HTTP_M_HEAD) &&
	       !str_starts(h->path, "/v1/") && !str_starts(h->path, "/assets/") &&
	       str_find(http_header(h, "accept"), STR("text/html")) >= 0;
}

/* {id} is what it is about, {of} whose that is. */
static bool path_fits(
	const char *pattern, struct str path, struct str *id, struct str *of)
{
	while (*pattern) {
		if (*pattern == '{') { /* {id} or {of} */
			size_t n = 0;

			while (n < path.len && path.at[n] != '/')
				n++;
			if (!n) return false;
			*(pattern[1] == 'i' ? id : of) = str_first(path, n);
			path = str_from(path, n);
			pattern += 4;
			continue;
		}
		if (*pattern == '*') return true;
		if (!path.len || path.at[0] != *pattern) return false;
		path = str_from(path, 1);
		pattern++;
	}
	return path.len == 0;
}

static void method_allow(struct route_search *at, const char *method)
{
	size_t used = strlen(at->allow);

	if (used + strlen(method) + 8 < sizeof at->allow)
		snprintf(at->allow + used, sizeof at->allow - used, "%s%s%s",
			used ? ", " : "", method,
			strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

static const struct route *table_find(const struct route *r, struct route_search *at)
{
	for (; r->method; r++) {
		struct str found = STR_NONE, whose = STR_NONE;

		if (!path_fits(r->path, at->path, &found, &whose)) continue;
		if (str_is(at->method, r->method) || r->method[0] == '*' ||
			(str_is(at->method, "HEAD") && strcmp(r->method, "GET") == 0)) {
			at->id = found;
			at->of = whose;
			return r;
		}
		at->status = 405;
		method_allow(at, r->method);
	}
	return NULL;
}

const struct route *route_find(const struct serve *s, struct route_search *at)
{
	const struct receiver *const *other = s ? s->receivers : NULL;
	const struct route *found;

	at->status = 404;
	at->allow[0] = '\0';
	found = table_find(routes, at);
	for (; !found && other && *other; other++)
		found = table_find((*other)->routes, at);
	return found;
}

const struct use *serve_local_use(struct str method, struct str path, struct str *id)
{
	struct route_search at = { .method = method, .path = path };
	const struct route *r = route_find(NULL, &at);
	bool plain = r && (!r->run || r->run == route_user || r->run == route_revoke ||
				  r->run == route_signed);

	*id = at.id;
	return plain && !at.of.len && !(r->flags & ROUTE_OPEN) ? r->use : NULL;
}
