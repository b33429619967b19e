/* record.c - every record that is stored, as a table of columns. What follows from it is in
 * record_values.c and sql_make.c. */
#include "store/record.h"

#include "store/record_columns.h"

/* ---- enums that are stored by name ---- */

WORDS(ask_kind, "kind");
WORDS(ask_status, "status");
WORDS(priority, "priority");
WORDS(session_status, "session status");
WORDS(role, "role");
WORDS(token_kind, "kind of token");
WORDS(delivery_kind, "kind of delivery");
WORDS(delivery_status, "status of a delivery");
WORDS(delivery_purpose, "purpose of a delivery");
WORDS(run_status, "status of a run");
WORDS(message_role, "role");
WORDS(call_status, "status of a tool call");
WORDS(call_class, "class of a tool call");
WORDS(task_status, "status of a task");
WORDS(memory_scope, "scope");
WORDS(alert_kind, "kind of alert");

/* ---- columns ---- */

static const struct column workspace_columns[] = {
	COLUMN(INT, workspace, id, 0),
	COLUMN(TEXT, workspace, name, 0),
	COLUMN(INT, workspace, created_ms, 0),
	COLUMN(INT, workspace, last_event, 0),
	COLUMN(HASH, workspace, last_hash, 0),
	COLUMN(INT, workspace, revocations, 0),
	COLUMN(INT, workspace, old_events, 0),
	COLUMN(INT, workspace, policy_version, 0),
	COLUMN(INT, workspace, teams, 0),
	COLUMN(INT, workspace, contacts, 0),
};

static const struct column user_columns[] = {
	COLUMN(INT, user, ws, 0),
	COLUMN(TEXT, user, id, 0),
	COLUMN(TEXT, user, name, CHANGES),
	WORD(user, role, role_words, CHANGES),
	COLUMN(TEXT, user, password, CHANGES),
	COLUMN(TEXT, user, language, CHANGES),
	COLUMN(BOOL, user, disabled, CHANGES),
	COLUMN(INT, user, last_login_ms, CHANGES),
	COLUMN(INT, user, created_ms, 0),
	COLUMN(INT, user, version, CHANGES),
	COLUMN(TEXT, user, views, CHANGES),
	COLUMN(TEXT, user, away, CHANGES),
};

static const struct column token_columns[] = {
	COLUMN(HASH, token, hash, 0),
	COLUMN(INT, token, ws, 0),
	COLUMN(TEXT, token, id, 0),
	WORD(token, kind, token_kind_words, 0),
	COLUMN(TEXT, token, role, 0),
	COLUMN(TEXT, token, name, 0),
	COLUMN(TEXT, token, agent, 0),
	COLUMN_AS("user_id", TEXT, token, user, 0),
	COLUMN(TEXT, token, tools, 0),
	COLUMN(TEXT, token, last4, 0),
	COLUMN(INT, token, created_ms, 0),
	COLUMN(INT, token, expires_ms, CHANGES),
	COLUMN(INT, token, mcp_wait_s, 0),
	COLUMN(BOOL, token, mcp_local, 0),
	COLUMN(INT, token, version, CHANGES),
	COLUMN(INT, token, last_used_ms, CHANGES),
	COLUMN(INT, token, again_s, 0),
	COLUMN(TEXT, token, maker, 0),
	COLUMN(BOOL, token, runs, 0),
	COLUMN(TEXT, token, login, 0),
	COLUMN(INT, token, begun_ms, 0),
	COLUMN(TEXT, token, origin, 0),
	COLUMN(TEXT, token, client, 0),
	COLUMN(TEXT, token, projects, CHANGES, .since = 8),
};

static const struct column session_columns[] = {
	COLUMN(INT, session, ws, 0),
	COLUMN(TEXT, session, id, 0),
	COLUMN(TEXT, session, title, CHANGES | SELDOM),
	COLUMN(TEXT, session, agent, 0),
	COLUMN(TEXT, session, token, 0),
	COLUMN(TEXT, session, project, CHANGES | SELDOM),
	COLUMN(TEXT, session, external_id, 0),
	COLUMN(TEXT, session, metadata, 0),
	COLUMN(TEXT, session, on_settled, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, session, progress, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, session, search, CHANGES | SELDOM),
	COLUMN(BOOL, session, parallel, 0),
	WORD(session, status, session_status_words, CHANGES),
	COLUMN(INT, session, open_blocking, CHANGES),
	COLUMN(INT, session, open_input, CHANGES),
	COLUMN(INT, session, open_approval, CHANGES),
	COLUMN(INT, session, open_other, CHANGES),
	COLUMN(INT, session, settled, CHANGES | LATER),
	COLUMN(INT, session, version, CHANGES),
	COLUMN(INT, session, created_ms, 0),
	COLUMN(INT, session, updated_ms, CHANGES),
	COLUMN(BOOL, session, for_ask, CHANGES | SELDOM),
	COLUMN(TEXT, session, agent_name, LATER),
	COLUMN(INT, session, heard_ms, CHANGES),
	COLUMN(TEXT, session, run, CHANGES | LATER | SELDOM),
	COLUMN(BOOL, session, run_open, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, session, spent, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, session, error, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, session, starter, CHANGES | LATER | SELDOM),
	COLUMN(INT, session, ended_ms, CHANGES | LATER | SELDOM),
	COLUMN(BOOL, session, sensitive, LATER),
	COLUMN(TEXT, session, on_ended, LATER, .since = 10),
	COLUMN(TEXT, session, trace, LATER, .since = 14),
};

static const struct column ask_columns[] = {
	COLUMN(INT, ask, ws, 0),
	COLUMN(TEXT, ask, id, 0),
	COLUMN(TEXT, ask, session, 0),
	COLUMN(TEXT, ask, run, LATER),
	COLUMN(TEXT, ask, agent, 0),
	COLUMN(TEXT, ask, token, 0),
	COLUMN(TEXT, ask, project, 0),
	WORD(ask, kind, ask_kind_words, 0),
	WORD(ask, status, ask_status_words, CHANGES),
	WORD(ask, priority, priority_words, 0),
	COLUMN(RISK, ask, risk, CHANGES | SELDOM),
	COLUMN(BOOL, ask, exclusive, 0),
	COLUMN(TEXT, ask, fixed, 0),
	COLUMN(TEXT, ask, search, 0),
	COLUMN(TEXT, ask, digest, 0),
	COLUMN(TEXT, ask, approved_digest, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, assignees, CHANGES | SELDOM),
	COLUMN(TEXT, ask, claimed_user, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, claimed_name, CHANGES | LATER | SELDOM),
	COLUMN(INT, ask, claimed_until_ms, CHANGES | LATER | SELDOM),
	COLUMN(INT, ask, version, CHANGES),
	COLUMN(INT, ask, created_ms, 0),
	COLUMN(INT, ask, deadline_ms, CHANGES | SELDOM),
	COLUMN(INT, ask, settled_ms, CHANGES | LATER),
	COLUMN(INT, ask, used_ms, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, answer, CHANGES | LATER),
	COLUMN(TEXT, ask, answered_by, CHANGES | LATER),
	COLUMN(TEXT, ask, summary, CHANGES | LATER),
	COLUMN(TEXT, ask, reason, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, replies, CHANGES | SELDOM),
	COLUMN(TEXT, ask, dedupe_key, 0),
	COLUMN(TEXT, ask, requester, LATER),
	COLUMN(TEXT, ask, agent_name, LATER),
	COLUMN(TEXT, ask, revoked, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, settled_user, CHANGES | LATER),
	COLUMN(INT, ask, urgency, CHANGES | SELDOM),
	COLUMN(INT, ask, again_ms, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, require, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, votes, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, starters, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, verify, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, ask, route, CHANGES | SELDOM),
	COLUMN(TEXT, ask, because, CHANGES | SELDOM, .since = 8),
	COLUMN(INT, ask, overtaken_ms, CHANGES | LATER | SELDOM, .since = 12),
	COLUMN(TEXT, ask, used_for, CHANGES | LATER | SELDOM, .since = 12),
	COLUMN(TEXT, ask, used_jti, CHANGES | LATER | SELDOM, .since = 12),
	COLUMN(INT, ask, redeemed_ms, CHANGES | LATER | SELDOM, .since = 12),
	COLUMN(TEXT, ask, trace, LATER, .since = 14),
	/* what is found elsewhere comes last */
	COLUMN(INT, ask, fetched_ms, 0,
		.found_by =
			"CASE WHEN @.settled_ms = 0 THEN 0 ELSE COALESCE((SELECT f.at_ms"
			" FROM fetched f WHERE f.ws = @.ws AND f.ask = @.id), 0) END"),
};

enum { ASKS_FOUND = 1 };

static const struct column fetched_record_columns[] = {
	COLUMN(INT, fetched_record, ws, 0),
	COLUMN(TEXT, fetched_record, ask, 0),
	COLUMN(INT, fetched_record, at_ms, 0),
};

static const struct column mark_columns[] = {
	COLUMN(INT, mark, ws, 0),
	COLUMN_AS("user_id", TEXT, mark, user, 0),
	COLUMN(TEXT, mark, ask, 0),
	COLUMN(TEXT, mark, session, 0),
	COLUMN(INT, mark, read_ms, CHANGES),
	COLUMN(INT, mark, snoozed_ms, CHANGES),
	COLUMN(INT, mark, version, CHANGES),
};

static const struct column rule_record_columns[] = {
	COLUMN(INT, rule_record, ws, 0),
	COLUMN(TEXT, rule_record, id, 0),
	COLUMN(TEXT, rule_record, effect, CHANGES),
	COLUMN(TEXT, rule_record, note, CHANGES),
	COLUMN(BOOL, rule_record, enabled, CHANGES),
	COLUMN(BOOL, rule_record, shadow, CHANGES, .since = 12),
	COLUMN_AS("matches", TEXT, rule_record, match, CHANGES),
	COLUMN(TEXT, rule_record, ask, CHANGES),
	COLUMN(INT, rule_record, expires_ms, CHANGES),
	COLUMN(INT, rule_record, uses_left, CHANGES),
	COLUMN(TEXT, rule_record, made_from, 0),
	COLUMN(TEXT, rule_record, from_tool, 0, .since = 8),
	COLUMN(TEXT, rule_record, from_subject, 0, .since = 8),
	COLUMN(TEXT, rule_record, made_by, 0),
	COLUMN(TEXT, rule_record, made_user, 0),
	COLUMN(INT, rule_record, created_ms, 0),
	COLUMN(INT, rule_record, hits, 0),
	COLUMN(INT, rule_record, last_hit_ms, 0),
	COLUMN(TEXT, rule_record, ended, CHANGES),
	COLUMN(INT, rule_record, ended_ms, CHANGES),
	COLUMN(INT, rule_record, version, CHANGES),
};

static const struct column stop_record_columns[] = {
	COLUMN(INT, stop_record, ws, 0),
	COLUMN(TEXT, stop_record, id, 0),
	COLUMN_AS("matches", TEXT, stop_record, match, 0),
	COLUMN(TEXT, stop_record, reason, 0),
	COLUMN(INT, stop_record, until_ms, 0),
	COLUMN(TEXT, stop_record, made_by, 0),
	COLUMN(TEXT, stop_record, made_user, 0),
	COLUMN(INT, stop_record, created_ms, 0),
	COLUMN(TEXT, stop_record, ended, CHANGES),
	COLUMN(INT, stop_record, ended_ms, CHANGES),
	COLUMN(INT, stop_record, version, CHANGES),
};

static const struct column mandate_record_columns[] = {
	COLUMN(INT, mandate_record, ws, 0),
	COLUMN(TEXT, mandate_record, id, 0),
	COLUMN(TEXT, mandate_record, title, 0),
	COLUMN(TEXT, mandate_record, reason, 0),
	COLUMN(TEXT, mandate_record, agent, 0),
	COLUMN(TEXT, mandate_record, agent_name, 0),
	COLUMN(TEXT, mandate_record, session, 0),
	COLUMN(TEXT, mandate_record, project, 0),
	COLUMN(TEXT, mandate_record, ask, 0),
	COLUMN(TEXT, mandate_record, status, CHANGES),
	COLUMN(TEXT, mandate_record, lines, CHANGES),
	COLUMN(TEXT, mandate_record, counts, CHANGES),
	COLUMN(INT, mandate_record, until_ms, CHANGES),
	COLUMN(TEXT, mandate_record, granted_by, CHANGES),
	COLUMN(TEXT, mandate_record, granted_user, CHANGES),
	COLUMN(INT, mandate_record, created_ms, 0),
	COLUMN(TEXT, mandate_record, ended, CHANGES),
	COLUMN(INT, mandate_record, ended_ms, CHANGES),
	COLUMN(INT, mandate_record, version, CHANGES),
};

static const struct column policy_record_columns[] = {
	COLUMN(INT, policy_record, ws, 0),
	COLUMN(TEXT, policy_record, body, CHANGES),
	COLUMN(INT, policy_record, changed_ms, CHANGES),
	COLUMN(INT, policy_record, version, CHANGES),
};

static const struct column preset_record_columns[] = {
	COLUMN(INT, preset_record, ws, 0),
	COLUMN(TEXT, preset_record, kind, 0),
	COLUMN(TEXT, preset_record, name, 0),
	COLUMN(TEXT, preset_record, body, CHANGES),
	COLUMN(TEXT, preset_record, changed_by, CHANGES),
	COLUMN(INT, preset_record, changed_ms, CHANGES),
	COLUMN(INT, preset_record, version, CHANGES),
};

static const struct column signing_key_columns[] = {
	COLUMN(INT, signing_key, ws, 0),
	COLUMN(TEXT, signing_key, kid, 0),
	COLUMN(INT, signing_key, number, 0),
	COLUMN(TEXT, signing_key, x, 0),
	COLUMN(TEXT, signing_key, sealed, 0),
	COLUMN(INT, signing_key, from_ms, 0),
	COLUMN(INT, signing_key, revoked_ms, CHANGES),
	COLUMN(TEXT, signing_key, reason, CHANGES),
	COLUMN(INT, signing_key, version, CHANGES),
};

static const struct column legal_hold_columns[] = {
	COLUMN(INT, legal_hold, ws, 0),
	COLUMN(TEXT, legal_hold, id, 0),
	COLUMN(TEXT, legal_hold, project, 0),
	COLUMN(TEXT, legal_hold, session, 0),
	COLUMN(TEXT, legal_hold, agent, 0),
	COLUMN_AS("user_id", TEXT, legal_hold, user, 0),
	COLUMN(TEXT, legal_hold, reason, 0),
	COLUMN(TEXT, legal_hold, made_by, 0),
	COLUMN(INT, legal_hold, created_ms, 0),
	COLUMN(TEXT, legal_hold, lifted, CHANGES),
	COLUMN(INT, legal_hold, version, CHANGES),
};

static const struct column key_record_columns[] = {
	COLUMN(INT, key_record, ws, 0),
	COLUMN(TEXT, key_record, token, 0),
	COLUMN(TEXT, key_record, path, 0),
	COLUMN(TEXT, key_record, key, 0),
	COLUMN(HASH, key_record, body, 0),
	COLUMN(INT, key_record, status, 0),
	COLUMN(TEXT, key_record, session, 0),
	COLUMN(TEXT, key_record, result, 0),
	COLUMN(INT, key_record, created_ms, 0),
	COLUMN(TEXT, key_record, record, 0),
};

static const struct column server_key_columns[] = {
	COLUMN(TEXT, server_key, name, 0),
	COLUMN(BYTES, server_key, value, CHANGES),
	COLUMN(INT, server_key, created_ms, CHANGES),
	COLUMN(INT, server_key, version, CHANGES),
};

static const struct column channel_record_columns[] = {
	COLUMN(TEXT, channel_record, name, 0),
	COLUMN(INT, channel_record, since_ms, CHANGES),
	COLUMN(TEXT, channel_record, error, CHANGES),
	COLUMN(INT, channel_record, version, CHANGES),
};

static const struct column mailbox_record_columns[] = {
	COLUMN(TEXT, mailbox_record, name, 0),
	COLUMN_AS("lease_ms", INT, mailbox_record, lease.until_ms, CHANGES),
	COLUMN_AS("lease_by", TEXT, mailbox_record, lease.by, CHANGES),
	COLUMN(TEXT, mailbox_record, reading, CHANGES),
	COLUMN(INT, mailbox_record, version, CHANGES),
};

static const struct column node_record_columns[] = {
	COLUMN(TEXT, node_record, name, 0),
	COLUMN(TEXT, node_record, id, 0),
	COLUMN(TEXT, node_record, program, CHANGES),
	COLUMN(TEXT, node_record, revision, CHANGES),
	COLUMN(INT, node_record, schema, CHANGES),
	COLUMN(INT, node_record, started_ms, CHANGES),
	COLUMN(INT, node_record, seen_ms, CHANGES),
	COLUMN(INT, node_record, version, CHANGES),
};

static const struct column lease_record_columns[] = {
	COLUMN(TEXT, lease_record, name, 0),
	COLUMN_AS("lease_ms", INT, lease_record, lease.until_ms, CHANGES),
	COLUMN_AS("lease_by", TEXT, lease_record, lease.by, CHANGES),
	COLUMN(INT, lease_record, done_ms, CHANGES),
	COLUMN(INT, lease_record, version, CHANGES),
};

static const struct column tally_record_columns[] = {
	COLUMN(INT, tally_record, minute_ms, 0),
	COLUMN(INT, tally_record, ws, 0),
	COLUMN(TEXT, tally_record, node, 0),
	COLUMN(TEXT, tally_record, what, 0),
	COLUMN(INT, tally_record, total, CHANGES),
	COLUMN(INT, tally_record, bad, CHANGES),
	COLUMN(INT, tally_record, version, CHANGES),
};

static const struct column alert_columns[] = {
	COLUMN(INT, alert, ws, 0),
	COLUMN(TEXT, alert, id, 0),
	WORD(alert, kind, alert_kind_words, 0),
	COLUMN(TEXT, alert, about, 0),
	COLUMN(INT, alert, since_ms, 0),
	COLUMN(TEXT, alert, value, CHANGES),
	COLUMN(TEXT, alert, threshold, CHANGES),
	COLUMN(TEXT, alert, asks, CHANGES),
	COLUMN(TEXT, alert, detail, CHANGES),
	COLUMN(TEXT, alert, acked, CHANGES),
	COLUMN(TEXT, alert, route, CHANGES),
	COLUMN(INT, alert, low_ms, CHANGES),
	COLUMN(INT, alert, cleared_ms, CHANGES),
	COLUMN(INT, alert, version, CHANGES),
};

static const struct column mcp_ended_columns[] = {
	COLUMN(INT, mcp_ended, ws, 0),
	COLUMN(TEXT, mcp_ended, id, 0),
	COLUMN(INT, mcp_ended, ended_ms, 0),
};

static const struct column delivery_columns[] = {
	COLUMN(INT, delivery, ws, 0),
	COLUMN(TEXT, delivery, id, 0),
	COLUMN(TEXT, delivery, session, 0),
	COLUMN(TEXT, delivery, ask, 0),
	WORD(delivery, kind, delivery_kind_words, 0),
	COLUMN(TEXT, delivery, target, 0),
	WORD(delivery, status, delivery_status_words, CHANGES),
	COLUMN(INT, delivery, attempts, CHANGES | LATER),
	COLUMN(INT, delivery, next_ms, CHANGES),
	COLUMN_AS("lease_ms", INT, delivery, lease.until_ms, CHANGES),
	COLUMN_AS("lease_by", TEXT, delivery, lease.by, CHANGES),
	COLUMN(TEXT, delivery, last_error, CHANGES | LATER),
	COLUMN(INT, delivery, last_status, CHANGES),
	COLUMN(INT, delivery, created_ms, 0),
	COLUMN(INT, delivery, done_ms, CHANGES | LATER),
	COLUMN(TEXT, delivery, host, 0),
	COLUMN(INT, delivery, version, CHANGES),
	COLUMN(TEXT, delivery, agent, 0),
	WORD(delivery, purpose, delivery_purpose_words, 0),
	COLUMN(INT, delivery, round, 0),
	COLUMN(TEXT, delivery, owner, 0),
	COLUMN_AS("user_id", TEXT, delivery, user, 0),
	COLUMN(TEXT, delivery, contact, 0),
	COLUMN(INT, delivery, step, 0),
	COLUMN(TEXT, delivery, carrier, CHANGES | LATER),
	COLUMN(TEXT, delivery, detail, CHANGES | LATER),
};

static const struct column contact_columns[] = {
	COLUMN(INT, contact, ws, 0),
	COLUMN(TEXT, contact, id, 0),
	COLUMN_AS("user_id", TEXT, contact, user, 0),
	COLUMN(TEXT, contact, team, 0),
	WORD(contact, channel, delivery_kind_words, 0),
	COLUMN(TEXT, contact, address, 0),
	COLUMN(TEXT, contact, format, 0),
	COLUMN(TEXT, contact, name, CHANGES),
	COLUMN(BOOL, contact, verified, CHANGES),
	COLUMN(BOOL, contact, muted, CHANGES),
	COLUMN(BOOL, contact, tested, CHANGES, .since = 8),
	COLUMN(INT, contact, broken_ms, CHANGES),
	COLUMN(TEXT, contact, broken, CHANGES),
	COLUMN(INT, contact, created_ms, 0),
	COLUMN(INT, contact, last_used_ms, CHANGES),
	COLUMN(TEXT, contact, detail, CHANGES),
	COLUMN(TEXT, contact, code, CHANGES),
	COLUMN(INT, contact, code_ms, CHANGES),
	COLUMN(INT, contact, code_tries, CHANGES),
	COLUMN(INT, contact, version, CHANGES),
};

static const struct column routes_record_columns[] = {
	COLUMN(INT, routes_record, ws, 0),
	COLUMN(TEXT, routes_record, body, CHANGES),
	COLUMN(INT, routes_record, changed_ms, CHANGES),
	COLUMN(INT, routes_record, version, CHANGES),
};

static const struct column notify_person_columns[] = {
	COLUMN(INT, notify_person, ws, 0),
	COLUMN_AS("user_id", TEXT, notify_person, user, 0),
	COLUMN(TEXT, notify_person, prefs, CHANGES),
	COLUMN(INT, notify_person, present_ms, CHANGES),
	COLUMN(INT, notify_person, version, CHANGES),
};

static const struct column start_record_columns[] = {
	COLUMN(INT, start_record, ws, 0),
	COLUMN(TEXT, start_record, test, CHANGES),
	COLUMN(INT, start_record, done_ms, CHANGES),
	COLUMN(INT, start_record, version, CHANGES),
};

static const struct column event_columns[] = {
	COLUMN(INT, event, place, 0),
	COLUMN(INT, event, ws, 0),
	COLUMN(INT, event, n, 0),
	COLUMN(EVENT_TYPE, event, type, 0),
	COLUMN(INT, event, at_ms, 0),
	COLUMN(TEXT, event, session, 0),
	COLUMN(TEXT, event, ask, 0),
	COLUMN(TEXT, event, run, 0),
	COLUMN(TEXT, event, agent, 0),
	/* Those of asks are short, and many at a time: packing them would take longer than writing them. */
	COLUMN(TEXT, event, data, PACKED, .packed_with = offsetof(struct event, run)),
	COLUMN(HASH, event, digest, 0),
	COLUMN(HASH, event, hash, 0),
};

/* What a turn changes is written by itself: no index has any of it. */
static const struct column run_columns[] = {
	COLUMN(INT, run, ws, 0),
	COLUMN(TEXT, run, id, 0),
	COLUMN(TEXT, run, session, 0),
	COLUMN(TEXT, run, parent, 0),
	COLUMN(TEXT, run, call, 0),
	COLUMN(TEXT, run, label, 0),
	COLUMN(TEXT, run, agent, 0),
	COLUMN(TEXT, run, config, CHANGES | SELDOM),
	WORD(run, status, run_status_words, CHANGES | SELDOM),
	COLUMN(INT, run, turn, CHANGES),
	COLUMN(INT, run, attempt, CHANGES | SELDOM),
	COLUMN(TEXT, run, waits_for, CHANGES | LATER | SELDOM),
	COLUMN(INT, run, wake_ms, CHANGES | SELDOM),
	COLUMN_AS("lease_ms", INT, run, lease.until_ms, CHANGES | SELDOM),
	COLUMN_AS("lease_by", TEXT, run, lease.by, CHANGES | SELDOM),
	COLUMN(TEXT, run, owner, 0),
	COLUMN(TEXT, run, provider, CHANGES | SELDOM),
	COLUMN(TEXT, run, model, CHANGES | SELDOM),
	COLUMN(TEXT, run, progress, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, run, report, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, run, error, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, run, recovery, CHANGES | LATER | SELDOM),
	COLUMN(TEXT, run, limits, CHANGES | SELDOM),
	COLUMN(TEXT, run, message, CHANGES | LATER),
	COLUMN(TEXT, run, first, 0),
	COLUMN(INT, run, said, CHANGES),
	COLUMN(TEXT, run, language, 0),
	COLUMN_AS("input", INT, run, usage.input, CHANGES),
	COLUMN_AS("cache_read", INT, run, usage.cache_read, CHANGES),
	COLUMN_AS("cache_write", INT, run, usage.cache_write, CHANGES),
	COLUMN_AS("cache_write_1h", INT, run, usage.cache_write_1h, CHANGES),
	COLUMN_AS("output", INT, run, usage.output, CHANGES),
	COLUMN_AS("reasoning", INT, run, usage.reasoning, CHANGES),
	COLUMN(INT, run, cost, CHANGES | LATER),
	COLUMN(BOOL, run, priced, CHANGES | LATER),
	COLUMN(BOOL, run, partial, CHANGES | LATER),
	COLUMN(INT, run, tree_tokens, CHANGES | LATER),
	COLUMN(INT, run, tree_cost, CHANGES | LATER),
	COLUMN(INT, run, tree_ms, CHANGES | LATER),
	COLUMN(INT, run, held_tokens, CHANGES | LATER, .since = 10),
	COLUMN(INT, run, held_cost, CHANGES | LATER, .since = 10),
	COLUMN(INT, run, tree_held_tokens, CHANGES | LATER, .since = 10),
	COLUMN(INT, run, tree_held_cost, CHANGES | LATER, .since = 10),
	COLUMN(TEXT, run, wasted, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(TEXT, run, below, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(INT, run, sent_bytes, CHANGES | LATER, .since = 10),
	COLUMN(INT, run, sent_tokens, CHANGES | LATER, .since = 10),
	COLUMN(TEXT, run, notes, LATER, .since = 10),
	COLUMN(INT, run, context_tokens, CHANGES | LATER),
	COLUMN(INT, run, context_max, CHANGES | SELDOM),
	COLUMN(INT, run, tools_used, CHANGES | LATER),
	COLUMN(INT, run, mcp_calls, CHANGES | LATER | SELDOM),
	COLUMN(INT, run, queued_ms, 0),
	COLUMN(INT, run, started_ms, CHANGES | SELDOM),
	COLUMN(INT, run, ended_ms, CHANGES | LATER | SELDOM),
	COLUMN(INT, run, worked_ms, CHANGES | LATER),
	COLUMN(INT, run, version, CHANGES),
	COLUMN(INT, run, tries, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(INT, run, trouble_ms, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(INT, run, left_out, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(INT, run, cut_upto, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(INT, run, cut_each, CHANGES | LATER | SELDOM, .since = 10),
	COLUMN(TEXT, run, tools, CHANGES | LATER | SELDOM, .since = 12),
	COLUMN(TEXT, run, roster, CHANGES | LATER | SELDOM | PACKED, .since = 12),
	COLUMN(TEXT, run, trace, LATER, .since = 14),
};

static const struct column run_message_columns[] = {
	COLUMN(INT, run_message, ws, 0),
	COLUMN(TEXT, run_message, session, 0),
	COLUMN(TEXT, run_message, id, 0),
	COLUMN(TEXT, run_message, run, 0),
	COLUMN(TEXT, run_message, thread, 0),
	COLUMN(INT, run_message, n, 0),
	WORD(run_message, role, message_role_words, 0),
	COLUMN(TEXT, run_message, content, PACKED),
	COLUMN(TEXT, run_message, kept, PACKED),
	COLUMN(TEXT, run_message, model, 0),
	COLUMN_AS("input", INT, run_message, usage.input, 0),
	COLUMN_AS("cache_read", INT, run_message, usage.cache_read, 0),
	COLUMN_AS("cache_write", INT, run_message, usage.cache_write, 0),
	COLUMN_AS("cache_write_1h", INT, run_message, usage.cache_write_1h, 0),
	COLUMN_AS("output", INT, run_message, usage.output, 0),
	COLUMN_AS("reasoning", INT, run_message, usage.reasoning, 0),
	COLUMN(INT, run_message, cost, 0),
	COLUMN(TEXT, run_message, prices, PACKED),
	COLUMN(TEXT, run_message, stop, 0),
	COLUMN(INT, run_message, seen, 0),
	COLUMN(INT, run_message, created_ms, 0),
};

static const struct column tool_call_columns[] = {
	COLUMN(INT, tool_call, ws, 0),
	COLUMN(TEXT, tool_call, id, 0),
	COLUMN(TEXT, tool_call, session, 0),
	COLUMN(TEXT, tool_call, run, 0),
	COLUMN(TEXT, tool_call, message, 0),
	COLUMN(INT, tool_call, n, 0),
	COLUMN(TEXT, tool_call, wire, 0),
	COLUMN(TEXT, tool_call, name, 0),
	COLUMN(TEXT, tool_call, arguments, PACKED),
	COLUMN(TEXT, tool_call, approved_arguments, CHANGES | LATER | PACKED),
	COLUMN(TEXT, tool_call, category, 0),
	COLUMN(RISK, tool_call, risk, 0),
	WORD(tool_call, class, call_class_words, 0),
	COLUMN(TEXT, tool_call, verdict, PACKED),
	COLUMN(TEXT, tool_call, ask, CHANGES | LATER),
	COLUMN(TEXT, tool_call, child, CHANGES | LATER),
	WORD(tool_call, status, call_status_words, CHANGES),
	COLUMN(TEXT, tool_call, result, CHANGES | LATER | PACKED),
	COLUMN(TEXT, tool_call, answer, CHANGES | LATER),
	COLUMN(TEXT, tool_call, error, CHANGES | LATER | PACKED),
	COLUMN(INT, tool_call, attempts, CHANGES),
	COLUMN(INT, tool_call, created_ms, 0),
	COLUMN(INT, tool_call, started_ms, CHANGES),
	COLUMN(INT, tool_call, ended_ms, CHANGES),
	COLUMN(INT, tool_call, until_ms, CHANGES | LATER | SELDOM, .since = 11),
	COLUMN(TEXT, tool_call, server, 0, .since = 13),
	COLUMN(TEXT, tool_call, via, 0, .since = 13),
	COLUMN(INT, tool_call, sent, CHANGES | SELDOM, .since = 13),
	COLUMN(TEXT, tool_call, same, 0, .since = 13),
	COLUMN(TEXT, tool_call, behind, 0, .since = 13),
	COLUMN(TEXT, tool_call, owner, CHANGES | LATER | SELDOM, .since = 13),
	COLUMN(INT, tool_call, delivered_ms, CHANGES | LATER | SELDOM, .since = 13),
	COLUMN(INT, tool_call, task, CHANGES | SELDOM, .since = 14),
	COLUMN(INT, tool_call, version, CHANGES),
};

static const struct column todo_columns[] = {
	COLUMN(INT, todo, ws, 0),
	COLUMN(TEXT, todo, id, 0),
	COLUMN(TEXT, todo, session, 0),
	COLUMN(TEXT, todo, run, 0),
	COLUMN(TEXT, todo, name, CHANGES),
	COLUMN(TEXT, todo, description, CHANGES),
	WORD(todo, status, task_status_words, CHANGES),
	COLUMN(INT, todo, priority, CHANGES),
	COLUMN(INT, todo, created_ms, 0),
	COLUMN(INT, todo, updated_ms, CHANGES),
	COLUMN(INT, todo, version, CHANGES),
};

static const struct column memory_columns[] = {
	COLUMN(INT, memory, ws, 0),
	COLUMN(TEXT, memory, id, 0),
	WORD(memory, scope, memory_scope_words, 0),
	COLUMN(TEXT, memory, agent, 0),
	COLUMN(TEXT, memory, session, 0),
	COLUMN(TEXT, memory, text, 0),
	COLUMN(TEXT, memory, tags, 0),
	COLUMN(TEXT, memory, search, 0),
	COLUMN(INT, memory, created_ms, 0),
	COLUMN(INT, memory, n, 0, .since = 14),
};

static const struct column memory_word_columns[] = {
	COLUMN(INT, memory_word, ws, 0),
	COLUMN(TEXT, memory_word, word, 0),
	COLUMN(INT, memory_word, block, 0),
	COLUMN(TEXT, memory_word, marks, 0),
};

static const struct column model_list_record_columns[] = {
	COLUMN(INT, model_list_record, ws, 0),
	COLUMN(TEXT, model_list_record, provider, 0),
	COLUMN(TEXT, model_list_record, body, CHANGES | PACKED),
	COLUMN(INT, model_list_record, listed_ms, CHANGES),
	COLUMN(INT, model_list_record, tried_ms, CHANGES),
	COLUMN(TEXT, model_list_record, error, CHANGES),
	COLUMN(INT, model_list_record, version, CHANGES),
};

static const struct column mcp_list_record_columns[] = {
	COLUMN(INT, mcp_list_record, ws, 0),
	COLUMN(TEXT, mcp_list_record, server, 0),
	COLUMN(TEXT, mcp_list_record, agent, 0),
	COLUMN(TEXT, mcp_list_record, tools, CHANGES | PACKED),
	COLUMN(TEXT, mcp_list_record, revision, CHANGES),
	COLUMN(INT, mcp_list_record, status, CHANGES),
	COLUMN(TEXT, mcp_list_record, error, CHANGES),
	COLUMN(BOOL, mcp_list_record, truncated, CHANGES),
	COLUMN(INT, mcp_list_record, listed_ms, CHANGES),
	COLUMN(INT, mcp_list_record, checked_ms, CHANGES),
	COLUMN(INT, mcp_list_record, version, CHANGES),
};

static const struct column price_record_columns[] = {
	COLUMN(INT, price_record, ws, 0),
	COLUMN(TEXT, price_record, model, 0),
	COLUMN(TEXT, price_record, body, CHANGES),
	COLUMN(INT, price_record, changed_ms, CHANGES),
	COLUMN(INT, price_record, version, CHANGES),
};

/* ---- the resources ---- */

#define LISTED(...) COLUMN(__VA_ARGS__),
#define RESOURCE_COLUMNS(constant, table, tag, word, step, own, path)                    \
	static const struct column tag##_columns[] = {                                   \
		COLUMN(INT, tag, ws, 0),                                                 \
		COLUMN(TEXT, tag, id, 0),                                                \
		own(LISTED) COLUMN(INT, tag, created_ms, 0),                             \
		COLUMN(INT, tag, version, CHANGES),                                      \
	};
RESOURCES(RESOURCE_COLUMNS)

/* ---- all of them ---- */

/* An UPDATE has the key, the version it was decided on, and what changes. */
#define FITS(constant, table, tag, ...)                                                  \
	_Static_assert(LEN(tag##_columns) + 1 <= ARGS_MAX,                               \
		#table " have more columns than a call has parameters");
RECORDS(FITS)
RESOURCES(FITS)

#define VERSION(tag)	.version_at = offsetof(struct tag, version)
#define SESSION(tag)	.session_at = offsetof(struct tag, session)
#define FOUND(constant) (RECORD_##constant == RECORD_ASKS ? ASKS_FOUND : 0)
#define ROW(constant, table_name, tag, keys, key_name, ...)                              \
	[RECORD_##constant] = { .table = #table_name,                                    \
		.size = sizeof(struct tag),                                              \
		.columns = tag##_columns,                                                \
		.columns_len = LEN(tag##_columns),                                       \
		.stored_len = LEN(tag##_columns) - FOUND(constant),                      \
		.keys_len = keys,                                                        \
		.name = key_name,                                                        \
		__VA_ARGS__ },
#define RESOURCE_ROW(constant, table_name, tag, word, step, own, path)                   \
	ROW(constant, table_name, tag, 2, 1, VERSION(tag), .since = step)

const struct record records[RECORD_COUNT] = { RECORDS(ROW) RESOURCES(RESOURCE_ROW) };
