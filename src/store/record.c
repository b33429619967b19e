/* record.c - the tables of columns, and what follows from them: values for statements,
 * records from result rows. */
#include "store/record.h"

#include "base/buf.h"
#include "base/keep.h"
#include "store/pack.h"
#include "store/record_columns.h"

#include <assert.h>

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

/* ---- columns ---- */

static const struct column workspace_columns[] = {
	FIXED(INT, workspace, id),
	FIXED(TEXT, workspace, name),
	FIXED(INT, workspace, created_ms),
	FIXED(INT, workspace, last_event),
	FIXED(HASH, workspace, last_hash),
	FIXED(INT, workspace, revocations),
	FIXED(INT, workspace, old_events),
	FIXED(INT, workspace, policy_version),
	FIXED(INT, workspace, teams),
	FIXED(INT, workspace, contacts),
};

static const struct column user_columns[] = {
	FIXED(INT, user, ws),
	FIXED(TEXT, user, id),
	CHANGES(TEXT, user, name),
	WORD(user, role, role_words, true),
	CHANGES(TEXT, user, password),
	CHANGES(TEXT, user, language),
	CHANGES(BOOL, user, disabled),
	CHANGES(INT, user, last_login_ms),
	FIXED(INT, user, created_ms),
	CHANGES(INT, user, version),
	CHANGES(TEXT, user, views),
	CHANGES(TEXT, user, away),
};

static const struct column token_columns[] = {
	FIXED(HASH, token, hash),
	FIXED(INT, token, ws),
	FIXED(TEXT, token, id),
	WORD(token, kind, token_kind_words, false),
	FIXED(TEXT, token, role),
	FIXED(TEXT, token, name),
	FIXED(TEXT, token, agent),
	NAMED(TEXT, token, user, "user_id", false),
	FIXED(TEXT, token, tools),
	FIXED(TEXT, token, last4),
	FIXED(INT, token, created_ms),
	CHANGES(INT, token, expires_ms),
	FIXED(INT, token, mcp_wait_s),
	FIXED(BOOL, token, mcp_local),
	CHANGES(INT, token, version),
	CHANGES(INT, token, last_used_ms),
	FIXED(INT, token, again_s),
	FIXED(TEXT, token, maker),
	FIXED(BOOL, token, runs),
	FIXED(TEXT, token, login),
	FIXED(INT, token, begun_ms),
	FIXED(TEXT, token, origin),
	FIXED(TEXT, token, client),
	CHANGES(TEXT, token, projects),
};

static const struct column team_columns[] = {
	FIXED(INT, team, ws),
	FIXED(TEXT, team, id),
	CHANGES(TEXT, team, name),
	CHANGES(TEXT, team, members),
	CHANGES(TEXT, team, on_call),
	CHANGES(TEXT, team, projects),
	FIXED(INT, team, created_ms),
	CHANGES(INT, team, version),
};

static const struct column session_columns[] = {
	FIXED(INT, session, ws),
	FIXED(TEXT, session, id),
	RARELY(TEXT, session, title),
	FIXED(TEXT, session, agent),
	FIXED(TEXT, session, token),
	RARELY(TEXT, session, project),
	FIXED(TEXT, session, external_id),
	FIXED(TEXT, session, metadata),
	SELDOM(TEXT, session, on_settled),
	SELDOM(TEXT, session, progress),
	RARELY(TEXT, session, search),
	FIXED(BOOL, session, parallel),
	WORD(session, status, session_status_words, true),
	CHANGES(INT, session, open_blocking),
	CHANGES(INT, session, open_input),
	CHANGES(INT, session, open_approval),
	CHANGES(INT, session, open_other),
	LATER(INT, session, settled),
	CHANGES(INT, session, version),
	FIXED(INT, session, created_ms),
	CHANGES(INT, session, updated_ms),
	RARELY(BOOL, session, for_ask),
	FIXED_RARE(TEXT, session, agent_name),
	CHANGES(INT, session, heard_ms),
	SELDOM(TEXT, session, run),
	SELDOM(BOOL, session, run_open),
	SELDOM(TEXT, session, spent),
	SELDOM(TEXT, session, error),
	SELDOM(TEXT, session, starter),
	SELDOM(INT, session, ended_ms),
	FIXED_RARE(BOOL, session, sensitive),
};

static const struct column ask_columns[] = {
	FIXED(INT, ask, ws),
	FIXED(TEXT, ask, id),
	FIXED(TEXT, ask, session),
	FIXED_RARE(TEXT, ask, run),
	FIXED(TEXT, ask, agent),
	FIXED(TEXT, ask, token),
	FIXED(TEXT, ask, project),
	WORD(ask, kind, ask_kind_words, false),
	WORD(ask, status, ask_status_words, true),
	WORD(ask, priority, priority_words, false),
	RARELY(NUMBER, ask, risk),
	FIXED(BOOL, ask, exclusive),
	FIXED(TEXT, ask, fixed),
	FIXED(TEXT, ask, search),
	FIXED(TEXT, ask, digest),
	SELDOM(TEXT, ask, approved_digest),
	RARELY(TEXT, ask, assignees),
	SELDOM(TEXT, ask, claimed_user),
	SELDOM(TEXT, ask, claimed_name),
	SELDOM(INT, ask, claimed_until_ms),
	CHANGES(INT, ask, version),
	FIXED(INT, ask, created_ms),
	RARELY(INT, ask, deadline_ms),
	LATER(INT, ask, settled_ms),
	SELDOM(INT, ask, used_ms),
	LATER(TEXT, ask, answer),
	LATER(TEXT, ask, answered_by),
	LATER(TEXT, ask, summary),
	SELDOM(TEXT, ask, reason),
	RARELY(TEXT, ask, replies),
	FIXED(TEXT, ask, dedupe_key),
	FIXED_RARE(TEXT, ask, requester),
	FIXED_RARE(TEXT, ask, agent_name),
	SELDOM(TEXT, ask, revoked),
	LATER(TEXT, ask, settled_user),
	RARELY(INT, ask, urgency),
	SELDOM(INT, ask, again_ms),
	SELDOM(TEXT, ask, require),
	SELDOM(TEXT, ask, votes),
	SELDOM(TEXT, ask, starters),
	SELDOM(TEXT, ask, verify),
	RARELY(TEXT, ask, route),
	RARELY(TEXT, ask, because),
	/* what is found elsewhere comes last */
	FOUND(INT, ask, fetched_ms,
		"CASE WHEN @.settled_ms = 0 THEN 0 ELSE COALESCE((SELECT f.at_ms"
		" FROM fetched f WHERE f.ws = @.ws AND f.ask = @.id), 0) END"),
};

enum { ASKS_FOUND = 1 };

static const struct column fetched_columns[] = {
	FIXED(INT, fetched_record, ws),
	FIXED(TEXT, fetched_record, ask),
	FIXED(INT, fetched_record, at_ms),
};

static const struct column mark_columns[] = {
	FIXED(INT, mark, ws),
	NAMED(TEXT, mark, user, "user_id", false),
	FIXED(TEXT, mark, ask),
	FIXED(TEXT, mark, session),
	CHANGES(INT, mark, read_ms),
	CHANGES(INT, mark, snoozed_ms),
	CHANGES(INT, mark, version),
};

static const struct column rule_columns[] = {
	FIXED(INT, rule_record, ws),
	FIXED(TEXT, rule_record, id),
	CHANGES(TEXT, rule_record, effect),
	CHANGES(TEXT, rule_record, note),
	CHANGES(BOOL, rule_record, enabled),
	NAMED(TEXT, rule_record, match, "matches", true),
	CHANGES(TEXT, rule_record, ask),
	CHANGES(INT, rule_record, expires_ms),
	CHANGES(INT, rule_record, uses_left),
	FIXED(TEXT, rule_record, made_from),
	FIXED(TEXT, rule_record, from_tool),
	FIXED(TEXT, rule_record, from_subject),
	FIXED(TEXT, rule_record, made_by),
	FIXED(TEXT, rule_record, made_user),
	FIXED(INT, rule_record, created_ms),
	FIXED(INT, rule_record, hits),
	FIXED(INT, rule_record, last_hit_ms),
	CHANGES(TEXT, rule_record, ended),
	CHANGES(INT, rule_record, ended_ms),
	CHANGES(INT, rule_record, version),
};

static const struct column stop_columns[] = {
	FIXED(INT, stop_record, ws),
	FIXED(TEXT, stop_record, id),
	NAMED(TEXT, stop_record, match, "matches", false),
	FIXED(TEXT, stop_record, reason),
	FIXED(INT, stop_record, until_ms),
	FIXED(TEXT, stop_record, made_by),
	FIXED(TEXT, stop_record, made_user),
	FIXED(INT, stop_record, created_ms),
	CHANGES(TEXT, stop_record, ended),
	CHANGES(INT, stop_record, ended_ms),
	CHANGES(INT, stop_record, version),
};

static const struct column policy_columns[] = {
	FIXED(INT, policy_record, ws),
	CHANGES(TEXT, policy_record, body),
	CHANGES(INT, policy_record, changed_ms),
	CHANGES(INT, policy_record, version),
};

static const struct column preset_columns[] = {
	FIXED(INT, preset_record, ws),
	FIXED(TEXT, preset_record, kind),
	FIXED(TEXT, preset_record, name),
	CHANGES(TEXT, preset_record, body),
	CHANGES(TEXT, preset_record, changed_by),
	CHANGES(INT, preset_record, changed_ms),
	CHANGES(INT, preset_record, version),
};

static const struct column key_columns[] = {
	FIXED(INT, key_record, ws),
	FIXED(TEXT, key_record, token),
	FIXED(TEXT, key_record, path),
	FIXED(TEXT, key_record, key),
	FIXED(HASH, key_record, body),
	FIXED(INT, key_record, status),
	FIXED(TEXT, key_record, session),
	FIXED(TEXT, key_record, result),
	FIXED(INT, key_record, created_ms),
	FIXED(TEXT, key_record, record),
};

static const struct column server_key_columns[] = {
	FIXED(TEXT, server_key, name),
	CHANGES(BYTES, server_key, value),
	CHANGES(INT, server_key, created_ms),
	CHANGES(INT, server_key, version),
};

static const struct column channel_columns[] = {
	FIXED(TEXT, channel_record, name),
	CHANGES(INT, channel_record, since_ms),
	CHANGES(TEXT, channel_record, error),
	CHANGES(INT, channel_record, version),
};

static const struct column mailbox_columns[] = {
	FIXED(TEXT, mailbox_record, name),
	NAMED(INT, mailbox_record, lease.until_ms, "lease_ms", true),
	NAMED(TEXT, mailbox_record, lease.by, "lease_by", true),
	CHANGES(TEXT, mailbox_record, reading),
	CHANGES(INT, mailbox_record, version),
};

static const struct column mcp_ended_columns[] = {
	FIXED(INT, mcp_ended, ws),
	FIXED(TEXT, mcp_ended, id),
	FIXED(INT, mcp_ended, ended_ms),
};

static const struct column delivery_columns[] = {
	FIXED(INT, delivery, ws),
	FIXED(TEXT, delivery, id),
	FIXED(TEXT, delivery, session),
	FIXED(TEXT, delivery, ask),
	WORD(delivery, kind, delivery_kind_words, false),
	FIXED(TEXT, delivery, target),
	WORD(delivery, status, delivery_status_words, true),
	LATER(INT, delivery, attempts),
	CHANGES(INT, delivery, next_ms),
	NAMED(INT, delivery, lease.until_ms, "lease_ms", true),
	NAMED(TEXT, delivery, lease.by, "lease_by", true),
	LATER(TEXT, delivery, last_error),
	CHANGES(INT, delivery, last_status),
	FIXED(INT, delivery, created_ms),
	LATER(INT, delivery, done_ms),
	FIXED(TEXT, delivery, host),
	CHANGES(INT, delivery, version),
	FIXED(TEXT, delivery, agent),
	WORD(delivery, purpose, delivery_purpose_words, false),
	FIXED(INT, delivery, round),
	FIXED(TEXT, delivery, owner),
	NAMED(TEXT, delivery, user, "user_id", false),
	FIXED(TEXT, delivery, contact),
	FIXED(INT, delivery, step),
	LATER(TEXT, delivery, carrier),
	LATER(TEXT, delivery, detail),
};

static const struct column contact_columns[] = {
	FIXED(INT, contact, ws),
	FIXED(TEXT, contact, id),
	NAMED(TEXT, contact, user, "user_id", false),
	FIXED(TEXT, contact, team),
	WORD(contact, channel, delivery_kind_words, false),
	FIXED(TEXT, contact, address),
	FIXED(TEXT, contact, format),
	CHANGES(TEXT, contact, name),
	CHANGES(BOOL, contact, verified),
	CHANGES(BOOL, contact, muted),
	CHANGES(BOOL, contact, tested),
	CHANGES(INT, contact, broken_ms),
	CHANGES(TEXT, contact, broken),
	FIXED(INT, contact, created_ms),
	CHANGES(INT, contact, last_used_ms),
	CHANGES(TEXT, contact, detail),
	CHANGES(TEXT, contact, code),
	CHANGES(INT, contact, code_ms),
	CHANGES(INT, contact, code_tries),
	CHANGES(INT, contact, version),
};

static const struct column routes_columns[] = {
	FIXED(INT, routes_record, ws),
	CHANGES(TEXT, routes_record, body),
	CHANGES(INT, routes_record, changed_ms),
	CHANGES(INT, routes_record, version),
};

static const struct column notify_person_columns[] = {
	FIXED(INT, notify_person, ws),
	NAMED(TEXT, notify_person, user, "user_id", false),
	CHANGES(TEXT, notify_person, prefs),
	CHANGES(INT, notify_person, present_ms),
	CHANGES(INT, notify_person, version),
};

static const struct column event_columns[] = {
	FIXED(INT, event, place),
	FIXED(INT, event, ws),
	FIXED(INT, event, n),
	FIXED(EVENT_TYPE, event, type),
	FIXED(INT, event, at_ms),
	FIXED(TEXT, event, session),
	FIXED(TEXT, event, ask),
	FIXED(TEXT, event, run),
	FIXED(TEXT, event, agent),
	/* Those of asks are short, and many at a time: packing them would take longer than writing them. */
	COLUMN("data", COLUMN_TEXT, event, data, .packed = true,
		.packed_with = offsetof(struct event, run)),
	FIXED(HASH, event, digest),
	FIXED(HASH, event, hash),
};

/* An UPDATE has the key, the version it was decided on, and what changes. */
_Static_assert(sizeof(ask_columns) / sizeof(ask_columns[0]) + 1 <= ARGS_MAX,
	"asks have more columns than a call has parameters");
_Static_assert(sizeof(session_columns) / sizeof(session_columns[0]) + 1 <= ARGS_MAX,
	"sessions have more columns than a call has parameters");
_Static_assert(sizeof(delivery_columns) / sizeof(delivery_columns[0]) + 1 <= ARGS_MAX,
	"deliveries have more columns than a call has parameters");

#define TABLE(name, of, list)                                                            \
	.table = name, .size = sizeof(struct of), .columns = list,                       \
	.columns_len = LEN(list), .stored_len = LEN(list)

const struct record records[RECORD_COUNT] = {
	[RECORD_WORKSPACES] = { TABLE("workspaces", workspace, workspace_columns),
		.keys_len = 1, .name = -1 },
	[RECORD_USERS] = { TABLE("users", user, user_columns), .keys_len = 2, .name = 1,
		.version_at = offsetof(struct user, version) },
	[RECORD_TOKENS] = { TABLE("tokens", token, token_columns), .keys_len = 1,
		.name = 0, .version_at = offsetof(struct token, version) },
	[RECORD_TEAMS] = { TABLE("teams", team, team_columns), .keys_len = 2, .name = 1,
		.version_at = offsetof(struct team, version) },
	[RECORD_SESSIONS] = { TABLE("sessions", session, session_columns), .keys_len = 2,
		.name = 1, .version_at = offsetof(struct session, version) },
	[RECORD_ASKS] = { .table = "asks",
		.size = sizeof(struct ask),
		.columns = ask_columns,
		.columns_len = LEN(ask_columns),
		.stored_len = LEN(ask_columns) - ASKS_FOUND,
		.keys_len = 2,
		.name = 1,
		.version_at = offsetof(struct ask, version),
		.session_at = offsetof(struct ask, session) },
	[RECORD_FETCHED] = { TABLE("fetched", fetched_record, fetched_columns),
		.keys_len = 2, .name = -1, .of_asks = true },
	[RECORD_MARKS] = { TABLE("marks", mark, mark_columns), .keys_len = 3, .name = -1,
		.version_at = offsetof(struct mark, version),
		.session_at = offsetof(struct mark, session) },
	[RECORD_RULES] = { TABLE("rules", rule_record, rule_columns), .keys_len = 2,
		.name = 1, .version_at = offsetof(struct rule_record, version) },
	[RECORD_STOPS] = { TABLE("stops", stop_record, stop_columns), .keys_len = 2,
		.name = 1, .version_at = offsetof(struct stop_record, version) },
	[RECORD_POLICIES] = { TABLE("policies", policy_record, policy_columns),
		.keys_len = 1, .name = -1,
		.version_at = offsetof(struct policy_record, version) },
	[RECORD_PRESETS] = { TABLE("presets", preset_record, preset_columns),
		.keys_len = 3, .name = -1,
		.version_at = offsetof(struct preset_record, version) },
	[RECORD_CONTACTS] = { TABLE("contacts", contact, contact_columns), .keys_len = 2,
		.name = 1, .version_at = offsetof(struct contact, version) },
	[RECORD_ROUTES] = { TABLE("routes", routes_record, routes_columns), .keys_len = 1,
		.name = -1, .version_at = offsetof(struct routes_record, version) },
	[RECORD_NOTIFY_PEOPLE] = { TABLE("notify_people", notify_person,
					   notify_person_columns),
		.keys_len = 2, .name = -1,
		.version_at = offsetof(struct notify_person, version) },
	[RECORD_KEYS] = { TABLE("idempotency", key_record, key_columns), .keys_len = 4,
		.name = -1, .session_at = offsetof(struct key_record, session) },
	[RECORD_SERVER_KEYS] = { TABLE("server_keys", server_key, server_key_columns),
		.keys_len = 1, .name = 0,
		.version_at = offsetof(struct server_key, version) },
	[RECORD_MAILBOXES] = { TABLE("mailboxes", mailbox_record, mailbox_columns),
		.keys_len = 1, .name = 0,
		.version_at = offsetof(struct mailbox_record, version) },
	[RECORD_CHANNELS] = { TABLE("channels", channel_record, channel_columns),
		.keys_len = 1, .name = 0,
		.version_at = offsetof(struct channel_record, version) },
	[RECORD_MCP_ENDED] = { TABLE("mcp_ended", mcp_ended, mcp_ended_columns),
		.keys_len = 2, .name = -1 },
	[RECORD_DELIVERIES] = { TABLE("deliveries", delivery, delivery_columns),
		.keys_len = 2, .name = 1,
		.version_at = offsetof(struct delivery, version),
		.session_at = offsetof(struct delivery, session), .of_asks = true },
	[RECORD_RUNS] = { .table = "runs",
		.size = sizeof(struct run),
		.columns = run_columns,
		.columns_len = RUN_COLUMNS,
		.stored_len = RUN_COLUMNS,
		.keys_len = 2,
		.name = 1,
		.version_at = offsetof(struct run, version),
		.session_at = offsetof(struct run, session) },
	[RECORD_MESSAGES] = { .table = "messages",
		.size = sizeof(struct run_message),
		.columns = message_columns,
		.columns_len = MESSAGE_COLUMNS,
		.stored_len = MESSAGE_COLUMNS,
		.keys_len = 3,
		.name = 2,
		.session_at = offsetof(struct run_message, session) },
	[RECORD_TOOL_CALLS] = { .table = "tool_calls",
		.size = sizeof(struct tool_call),
		.columns = tool_call_columns,
		.columns_len = TOOL_CALL_COLUMNS,
		.stored_len = TOOL_CALL_COLUMNS,
		.keys_len = 2,
		.name = 1,
		.version_at = offsetof(struct tool_call, version),
		.session_at = offsetof(struct tool_call, session) },
	[RECORD_TASKS] = { .table = "tasks",
		.size = sizeof(struct todo),
		.columns = todo_columns,
		.columns_len = TODO_COLUMNS,
		.stored_len = TODO_COLUMNS,
		.keys_len = 2,
		.name = 1,
		.version_at = offsetof(struct todo, version),
		.session_at = offsetof(struct todo, session) },
	[RECORD_MEMORIES] = { .table = "memories",
		.size = sizeof(struct memory),
		.columns = memory_columns,
		.columns_len = MEMORY_COLUMNS,
		.stored_len = MEMORY_COLUMNS,
		.keys_len = 2,
		.name = 1,
		.session_at = offsetof(struct memory, session) },
	[RECORD_AGENTS] = { .table = "agents",
		.size = sizeof(struct agent_record),
		.columns = agent_columns,
		.columns_len = AGENT_COLUMNS,
		.stored_len = AGENT_COLUMNS,
		.keys_len = 2,
		.name = 1,
		.version_at = offsetof(struct agent_record, version) },
	[RECORD_PROVIDERS] = { .table = "providers",
		.size = sizeof(struct provider_record),
		.columns = provider_columns,
		.columns_len = PROVIDER_COLUMNS,
		.stored_len = PROVIDER_COLUMNS,
		.keys_len = 2,
		.name = 1,
		.version_at = offsetof(struct provider_record, version) },
	[RECORD_PRICES] = { .table = "prices",
		.size = sizeof(struct price_record),
		.columns = price_columns,
		.columns_len = PRICE_COLUMNS,
		.stored_len = PRICE_COLUMNS,
		.keys_len = 2,
		.name = -1,
		.version_at = offsetof(struct price_record, version) },
	[RECORD_EVENTS] = { TABLE("events", event, event_columns), .keys_len = 1,
		.name = -1 },
};

/* ---- values ---- */

int record_changing(const struct record *r)
{
	int n = 0;

	for (int i = 0; i < r->columns_len; i++)
		n += r->columns[i].changes;
	return n;
}

static bool val_same(const struct val *a, const struct val *b)
{
	return a->integer == b->integer && a->text.len == b->text.len &&
	       (a->text.at == b->text.at || str_eq(a->text, b->text));
}

bool record_seldom_differs(const struct record *r, const void *a, const void *b)
{
	for (int i = 0; i < r->stored_len; i++)
		if (r->columns[i].seldom) {
			struct val left = record_val(&r->columns[i], a),
				   right = record_val(&r->columns[i], b);

			if (!val_same(&left, &right)) return true;
		}
	return false;
}

struct str record_key_name(
	const struct record *r, const struct val *key, struct arena *arena)
{
	struct buf b = { .max = 65536 };

	if (r->name >= 0) return key[r->name].text;
	for (int i = 0; i < r->keys_len; i++) {
		/* The length comes first: texts may hold any byte. */
		if (key[i].type == VAL_INT) {
			buf_print(&b, "%lld/", (long long)key[i].integer);
		} else {
			buf_print(&b, "%zu:", key[i].text.len);
			buf_add(&b, key[i].text);
		}
	}
	return buf_keep_done(&b, arena);
}

struct str record_name(const struct record *r, const void *record, struct arena *arena)
{
	struct val key[RECORD_KEYS_MAX];

	for (int i = 0; i < r->keys_len; i++)
		key[i] = record_val(&r->columns[i], record);
	return record_key_name(r, key, arena);
}

int64_t record_version(const struct record *r, const void *record)
{
	return r->version_at ? *(const int64_t *)(const void *)((const char *)record +
								r->version_at)
			     : 1;
}

void record_set_version(const struct record *r, void *record, int64_t version)
{
	if (r->version_at) *(int64_t *)(void *)((char *)record + r->version_at) = version;
}

/* ---- records from result rows ---- */

static enum err column_unknown(const char *what, struct str value, struct fault *why)
{
	return fail(why, ERR_INTERNAL, "the store holds an unknown %s \"%.*s\"", what,
		STR_ARGS(value));
}

struct val column_pack(const struct column *c, struct val value, struct packer *packer,
	struct arena *arena)
{
	struct str bytes;

	return c->packed && packer && packer_pack(packer, value.text, arena, &bytes)
		       ? val_bytes(bytes.at, bytes.len)
		       : value;
}

enum err column_text(const struct column *c, const struct row *row, int i,
	struct arena *arena, struct str *out, struct fault *why)
{
	struct str stored = row_text(row, i);

	if (!c->packed || !row_packed(row, i)) {
		*out = arena_str(arena, stored);
		return OK;
	}
	if (packer_unpack(row->db->packer, stored, arena, out)) return OK;
	return arena->failed
		       ? fail(why, ERR_MEMORY, "out of memory")
		       : fail(why, ERR_INTERNAL,
				 "the store holds a %s that cannot be unpacked", c->name);
}

static enum err column_read(const struct column *c, const struct row *row, int i,
	struct arena *arena, void *at, struct fault *why)
{
	struct str text;

	switch (c->type) {
	case COLUMN_INT: *(int64_t *)at = row_int(row, i); return OK;
	case COLUMN_BOOL: *(bool *)at = row_int(row, i) != 0; return OK;
	case COLUMN_NUMBER: *(int *)at = (int)row_int(row, i); return OK;
	case COLUMN_TEXT: return column_text(c, row, i, arena, at, why);
	case COLUMN_BYTES:
		*(struct str *)at = arena_str(arena, row_text(row, i));
		return OK;
	case COLUMN_HASH:
		text = row_text(row, i);
		if (text.len != SHA256_SIZE)
			return fail(why, ERR_INTERNAL,
				"the store holds a %s of %zu bytes", c->name, text.len);
		memcpy(at, text.at, SHA256_SIZE);
		return OK;
	case COLUMN_WORD:
		text = row_text(row, i);
		return c->words->read(text, at)
			       ? OK
			       : column_unknown(c->words->what, text, why);
	case COLUMN_EVENT_TYPE:
		text = row_text(row, i);
		*(const char **)at = event_type_find(text);
		return *(const char **)at ? OK : column_unknown("event type", text, why);
	}
	return OK;
}

enum err record_read(const struct record *r, const struct row *row, struct arena *arena,
	void *out, struct fault *why)
{
	union any_record record;

	assert(r->size <= sizeof record);
	memset(&record, 0, r->size);
	for (int i = 0; i < r->columns_len; i++) {
		const struct column *c = &r->columns[i];
		enum err e =
			column_read(c, row, i, arena, (char *)&record + c->offset, why);

		if (e) return e;
	}
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	memcpy(out, &record, r->size);
	return OK;
}
