/* migrate.c - the ordered steps of the schema. A step, once released, never changes. */
#include "store/migrate.h"

#include "base/buf.h"
#include "store/record.h"

#include <pthread.h>

/* Rows that are small and come in the order of their key: kept in it, where the engine
 * can, they need no index beside them. */
#define CLUSTERED "@clustered"
#define ROW_KEY	  "@row_key"

/* 1: workspaces, people, tokens, sessions, asks, events, idempotency. Every key starts
 * with the workspace. `ws` is small, so that keys are; its name is shown to people. */
static const char step_1[] =
	"CREATE TABLE workspaces ("
	" id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_ms BIGINT NOT NULL,"
	" last_event BIGINT NOT NULL, last_hash BYTEA NOT NULL);"

	"CREATE TABLE users ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,"
	" password TEXT NOT NULL, language TEXT NOT NULL, disabled BIGINT NOT NULL,"
	" last_login_ms BIGINT NOT NULL, created_ms BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE UNIQUE INDEX users_by_name ON users (ws, name);"

	/* kind: token, cookie, or code (a single-use login link). */
	"CREATE TABLE tokens ("
	" hash BYTEA NOT NULL PRIMARY KEY, ws BIGINT NOT NULL, id TEXT NOT NULL,"
	" kind TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, agent TEXT NOT NULL,"
	" user_id TEXT NOT NULL, tools TEXT NOT NULL, last4 TEXT NOT NULL,"
	" created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL);"
	"CREATE UNIQUE INDEX tokens_by_id ON tokens (ws, id);"

	"CREATE TABLE sessions ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, agent TEXT NOT NULL,"
	" token TEXT NOT NULL, project TEXT NOT NULL, external_id TEXT NOT NULL,"
	" metadata TEXT NOT NULL, on_settled TEXT NOT NULL, progress TEXT NOT NULL,"
	" search TEXT NOT NULL, parallel BIGINT NOT NULL, status TEXT NOT NULL,"
	" open_blocking BIGINT NOT NULL, open_input BIGINT NOT NULL,"
	" open_approval BIGINT NOT NULL, open_other BIGINT NOT NULL, settled BIGINT NOT NULL,"
	" version BIGINT NOT NULL, created_ms BIGINT NOT NULL, updated_ms BIGINT NOT NULL,"
	" PRIMARY KEY (ws, id))" CLUSTERED ";"
	"CREATE UNIQUE INDEX sessions_by_external ON sessions (ws, external_id)"
	" WHERE external_id <> '';"

	"CREATE TABLE asks ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,"
	" agent TEXT NOT NULL, token TEXT NOT NULL, project TEXT NOT NULL, kind TEXT NOT NULL,"
	" status TEXT NOT NULL, priority TEXT NOT NULL, risk BIGINT NOT NULL,"
	" exclusive BIGINT NOT NULL, fixed TEXT NOT NULL, search TEXT NOT NULL,"
	" digest TEXT NOT NULL, approved_digest TEXT NOT NULL, assignees TEXT NOT NULL,"
	" claimed_user TEXT NOT NULL, claimed_name TEXT NOT NULL,"
	" claimed_until_ms BIGINT NOT NULL, version BIGINT NOT NULL,"
	" created_ms BIGINT NOT NULL, deadline_ms BIGINT NOT NULL, settled_ms BIGINT NOT NULL,"
	" used_ms BIGINT NOT NULL, answer TEXT NOT NULL, answered_by TEXT NOT NULL,"
	" summary TEXT NOT NULL, reason TEXT NOT NULL, replies TEXT NOT NULL,"
	" PRIMARY KEY (ws, id));"
	"CREATE INDEX asks_by_status ON asks (ws, status, id);"
	"CREATE INDEX asks_by_session ON asks (ws, session, id);"
	"CREATE INDEX asks_by_risk ON asks (ws, risk DESC, id) WHERE status = 'pending' AND risk > 0;"
	"CREATE INDEX asks_by_deadline ON asks (deadline_ms)"
	" WHERE status = 'pending' AND deadline_ms > 0;"
	/* One open blocking ask in a session that is not parallel. */
	"CREATE UNIQUE INDEX asks_exclusive ON asks (ws, session)"
	" WHERE status = 'pending' AND exclusive = 1;"

	"CREATE TABLE events ("
	" ws BIGINT NOT NULL, n BIGINT NOT NULL, type TEXT NOT NULL, at_ms BIGINT NOT NULL,"
	" session TEXT NOT NULL, ask TEXT NOT NULL, run TEXT NOT NULL, agent TEXT NOT NULL,"
	" data TEXT NOT NULL, digest BYTEA NOT NULL, hash BYTEA NOT NULL,"
	" PRIMARY KEY (ws, n))" CLUSTERED ";"
	/* A session's own story, for its page and for its deletion. */
	"CREATE INDEX events_by_session ON events (ws, session, n);"

	"CREATE TABLE idempotency ("
	" ws BIGINT NOT NULL, token TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,"
	" body BYTEA NOT NULL, status BIGINT NOT NULL, session TEXT NOT NULL,"
	" result TEXT NOT NULL, created_ms BIGINT NOT NULL,"
	" PRIMARY KEY (ws, token, path, key));"
	"CREATE INDEX idempotency_by_session ON idempotency (ws, session) WHERE session <> '';";

/* 2: what agents of other tongues need. `same` is the digest of a question that, asked
 * again while it is open, is the same ask. Keys of the server are for signatures that
 * every node must know. Deliveries are what is to be sent, or set going, when an ask is
 * settled. */
static const char step_2[] =
	"ALTER TABLE asks ADD COLUMN same TEXT NOT NULL DEFAULT '';"
	"CREATE UNIQUE INDEX asks_same ON asks (ws, agent, same)"
	" WHERE status = 'pending' AND same <> '';"

	/* Seconds an MCP call is held, -1: as the server does; and whether the client may
	 * show the question itself. */
	"ALTER TABLE tokens ADD COLUMN mcp_wait_s BIGINT NOT NULL DEFAULT -1;"
	"ALTER TABLE tokens ADD COLUMN mcp_local BIGINT NOT NULL DEFAULT 0;"

	/* How often somebody of the workspace lost a right: other nodes look at who still
	 * may follow when it has moved. */
	"ALTER TABLE workspaces ADD COLUMN doors BIGINT NOT NULL DEFAULT 0;"

	"CREATE TABLE server_keys ("
	" name TEXT NOT NULL PRIMARY KEY, value BYTEA NOT NULL, created_ms BIGINT NOT NULL);"

	"CREATE TABLE mcp_ended ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, ended_ms BIGINT NOT NULL,"
	" PRIMARY KEY (ws, id))" CLUSTERED ";"

	"CREATE TABLE deliveries ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, ask TEXT NOT NULL,"
	" kind TEXT NOT NULL, target TEXT NOT NULL, status TEXT NOT NULL,"
	" attempts BIGINT NOT NULL, next_ms BIGINT NOT NULL, lease_ms BIGINT NOT NULL,"
	" lease_by TEXT NOT NULL, last_error TEXT NOT NULL, last_status BIGINT NOT NULL,"
	" created_ms BIGINT NOT NULL, done_ms BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX deliveries_due ON deliveries (next_ms) WHERE status = 'waiting';"
	"CREATE INDEX deliveries_by_status ON deliveries (ws, status, id);"
	"CREATE INDEX deliveries_by_session ON deliveries (ws, session);"
	/* An ask is settled once, and told of once. */
	"CREATE UNIQUE INDEX deliveries_once ON deliveries (ws, ask, kind);";

/* 3: whom a webhook goes to, so that one who never replies keeps no other waiting; what a
 * process is at, and what is old, found without a look at everything.
 * Webhooks from before it count as one host's. */
static const char step_3[] =
	"ALTER TABLE deliveries ADD COLUMN host TEXT NOT NULL DEFAULT '';"
	"CREATE INDEX deliveries_by_host ON deliveries (kind, host, next_ms)"
	" WHERE status = 'waiting';"
	"CREATE INDEX deliveries_held ON deliveries (lease_by, host) WHERE lease_by > '';"
	"CREATE INDEX mcp_ended_by_time ON mcp_ended (ended_ms);";

/* 4: every record that changes has a version. Who is behind an ask, when its agent had the
 * outcome, and whether its approval was taken back. A session that was made for one ask, and
 * when its agent was last heard of. Deliveries know their agent, what they tell of and which
 * time. Marks and views are a person's own. Events up to `old_events` were hashed without
 * their agent. */
static const char step_4[] =
	"ALTER TABLE workspaces RENAME COLUMN doors TO revocations;"
	"ALTER TABLE workspaces ADD COLUMN old_events BIGINT NOT NULL DEFAULT 0;"
	"UPDATE workspaces SET old_events = last_event;"

	/* By one number, at whose end the log grows without moving what is there. */
	"ALTER TABLE events RENAME TO old_log;"
	"DROP INDEX events_by_session;"
	"CREATE TABLE events (place " ROW_KEY ", ws BIGINT NOT NULL, n BIGINT NOT NULL,"
	" type TEXT NOT NULL, at_ms BIGINT NOT NULL, session TEXT NOT NULL,"
	" ask TEXT NOT NULL, run TEXT NOT NULL, agent TEXT NOT NULL, data TEXT NOT NULL,"
	" digest BYTEA NOT NULL, hash BYTEA NOT NULL);"
	"INSERT INTO events SELECT ws * 1099511627776 + n, ws, n, type, at_ms, session, ask,"
	" run, agent, data, digest, hash FROM old_log ORDER BY ws, n;"
	"DROP TABLE old_log;"
	"CREATE INDEX events_by_session ON events (ws, session, n);"
	"ALTER TABLE workspaces ADD COLUMN teams BIGINT NOT NULL DEFAULT 0;"

	"ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 1;"
	"ALTER TABLE users ADD COLUMN views TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE users ADD COLUMN away TEXT NOT NULL DEFAULT '';"

	/* again_s: for how long an answer that nobody waited for is given to the same
	 * question asked again; -1: as the server does. */
	"ALTER TABLE tokens ADD COLUMN version BIGINT NOT NULL DEFAULT 1;"
	"ALTER TABLE tokens ADD COLUMN last_used_ms BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE tokens ADD COLUMN again_s BIGINT NOT NULL DEFAULT -1;"
	"ALTER TABLE tokens ADD COLUMN maker TEXT NOT NULL DEFAULT '';"
	"CREATE INDEX tokens_by_user ON tokens (ws, user_id) WHERE user_id <> '';"
	"CREATE INDEX tokens_by_expiry ON tokens (expires_ms) WHERE expires_ms > 0;"

	"CREATE TABLE teams ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, members TEXT NOT NULL,"
	" on_call TEXT NOT NULL, projects TEXT NOT NULL, created_ms BIGINT NOT NULL,"
	" version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE UNIQUE INDEX teams_by_name ON teams (ws, name);"

	/* An agent's own names for its sessions are in nobody else's way. */
	"ALTER TABLE sessions ADD COLUMN for_ask BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN heard_ms BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN agent_name TEXT NOT NULL DEFAULT '';"
	"DROP INDEX sessions_by_external;"
	"CREATE UNIQUE INDEX sessions_by_external ON sessions (ws, agent, external_id)"
	" WHERE external_id <> '';"
	"CREATE INDEX sessions_running ON sessions (heard_ms) WHERE status = 'running';"

	"ALTER TABLE asks RENAME COLUMN same TO dedupe_key;"
	"ALTER TABLE asks ADD COLUMN requester TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE asks ADD COLUMN agent_name TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE asks ADD COLUMN again_ms BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE asks ADD COLUMN require TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE asks ADD COLUMN votes TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE asks ADD COLUMN starters TEXT NOT NULL DEFAULT '';"
	"CREATE INDEX asks_by_dedupe_key ON asks (ws, agent, dedupe_key, settled_ms)"
	" WHERE dedupe_key <> '';"
	"ALTER TABLE asks ADD COLUMN revoked TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE asks ADD COLUMN settled_user TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE asks ADD COLUMN urgency BIGINT NOT NULL DEFAULT 0;"
	"UPDATE asks SET urgency = CASE WHEN risk = 4 OR priority = 'urgent' THEN 2"
	" WHEN risk = 3 OR priority = 'high' THEN 1 ELSE 0 END WHERE status = 'pending';"
	"DROP INDEX asks_by_risk;"
	"CREATE INDEX asks_by_urgency ON asks (ws, urgency DESC, id)"
	" WHERE status = 'pending' AND urgency > 0;"
	/* Who settled it is the last column: a person's own are found without their rows. */
	"CREATE INDEX asks_by_settled ON asks (ws, settled_ms, id, settled_user)"
	" WHERE settled_ms > 0;"

	"CREATE TABLE fetched ("
	" ws BIGINT NOT NULL, ask TEXT NOT NULL, at_ms BIGINT NOT NULL,"
	" PRIMARY KEY (ws, ask))" CLUSTERED ";"

	/* What people asked goes under their id, where their token is still known: a name is
	 * an agent's alone. */
	"UPDATE sessions SET agent_name = agent, agent = (SELECT u.id FROM users u"
	" WHERE u.ws = sessions.ws AND u.name = sessions.agent)"
	" WHERE EXISTS (SELECT 1 FROM users u"
	" JOIN tokens t ON t.ws = u.ws AND t.user_id = u.id"
	" WHERE u.ws = sessions.ws AND u.name = sessions.agent AND t.id = sessions.token);"
	"UPDATE asks SET agent_name = agent, agent = (SELECT u.id FROM users u"
	" WHERE u.ws = asks.ws AND u.name = asks.agent)"
	" WHERE EXISTS (SELECT 1 FROM users u"
	" JOIN tokens t ON t.ws = u.ws AND t.user_id = u.id"
	" WHERE u.ws = asks.ws AND u.name = asks.agent AND t.id = asks.token);"
	"UPDATE asks SET requester = COALESCE((SELECT t.user_id FROM tokens t"
	" WHERE t.ws = asks.ws AND t.id = asks.token), '');"

	"CREATE TABLE marks ("
	" ws BIGINT NOT NULL, user_id TEXT NOT NULL, ask TEXT NOT NULL, session TEXT NOT NULL,"
	" read_ms BIGINT NOT NULL, snoozed_ms BIGINT NOT NULL, version BIGINT NOT NULL,"
	" PRIMARY KEY (ws, user_id, ask));"
	"CREATE INDEX marks_by_session ON marks (ws, session);"
	"CREATE INDEX marks_snoozed ON marks (ws, ask) WHERE snoozed_ms > 0;"

	/* Rules are tried on what was asked before. */
	"CREATE INDEX asks_operations ON asks (ws, id) WHERE digest <> '';"
	/* How often rules, stops or the policy of a workspace changed. */
	"ALTER TABLE workspaces ADD COLUMN policy_version BIGINT NOT NULL DEFAULT 0;"
	"CREATE TABLE rules ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, effect TEXT NOT NULL, note TEXT NOT NULL,"
	" enabled BIGINT NOT NULL, matches TEXT NOT NULL, ask TEXT NOT NULL,"
	" expires_ms BIGINT NOT NULL, uses_left BIGINT NOT NULL, made_from TEXT NOT NULL,"
	" made_by TEXT NOT NULL, made_user TEXT NOT NULL, created_ms BIGINT NOT NULL,"
	" hits BIGINT NOT NULL, last_hit_ms BIGINT NOT NULL, ended TEXT NOT NULL,"
	" ended_ms BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX rules_live ON rules (ws, id) WHERE ended_ms = 0;"
	"CREATE INDEX rules_due ON rules (expires_ms)"
	" WHERE ended_ms = 0 AND expires_ms > 0;"
	"CREATE TABLE stops ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, matches TEXT NOT NULL, reason TEXT NOT NULL,"
	" until_ms BIGINT NOT NULL, made_by TEXT NOT NULL, made_user TEXT NOT NULL,"
	" created_ms BIGINT NOT NULL, ended TEXT NOT NULL, ended_ms BIGINT NOT NULL,"
	" version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX stops_live ON stops (ws, id) WHERE ended_ms = 0;"
	"CREATE INDEX stops_due ON stops (until_ms) WHERE ended_ms = 0 AND until_ms > 0;"
	"CREATE TABLE policies ("
	" ws BIGINT NOT NULL PRIMARY KEY, body TEXT NOT NULL, changed_ms BIGINT NOT NULL,"
	" version BIGINT NOT NULL);"

	/* The record that a key's reply is about, where that is no session's. */
	"ALTER TABLE idempotency ADD COLUMN record TEXT NOT NULL DEFAULT '';"

	"ALTER TABLE server_keys ADD COLUMN version BIGINT NOT NULL DEFAULT 1;"

	"ALTER TABLE deliveries ADD COLUMN version BIGINT NOT NULL DEFAULT 1;"
	"ALTER TABLE deliveries ADD COLUMN agent TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE deliveries ADD COLUMN purpose TEXT NOT NULL DEFAULT 'settled';"
	"ALTER TABLE deliveries ADD COLUMN round BIGINT NOT NULL DEFAULT 0;"
	"DROP INDEX deliveries_once;"
	"CREATE UNIQUE INDEX deliveries_once ON deliveries (ws, ask, kind, purpose, round);"
	/* Whose share of the slots it takes: workspace and agent. */
	"ALTER TABLE deliveries ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
	"DROP INDEX deliveries_by_host;"
	"DROP INDEX deliveries_due;"
	"DROP INDEX deliveries_held;"
	"CREATE INDEX deliveries_due ON deliveries (lease_by, next_ms)"
	" WHERE status = 'waiting';"
	"CREATE INDEX deliveries_by_owner ON deliveries (kind, owner, next_ms)"
	" WHERE status = 'waiting';";

/* 5: templates of asks, and lists of options. Agents that Parley runs. How people are told. */
static const char step_5[] =
	/* Templates and lists: kept by admins, asked with by agents. */
	"CREATE TABLE presets ("
	" ws BIGINT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,"
	" changed_by TEXT NOT NULL, changed_ms BIGINT NOT NULL, version BIGINT NOT NULL,"
	" PRIMARY KEY (ws, kind, name));"

	/* What verifiers said of an approval. */
	"ALTER TABLE asks ADD COLUMN verify TEXT NOT NULL DEFAULT '';"
	/* Those that wait for several approvals. */
	"CREATE INDEX asks_voting ON asks (ws, id) WHERE status = 'pending'"
	" AND require <> '';"

	/* Agents that Parley runs. A session knows its last run, what its runs used and who
	 * started it; runs, what was said in them, the tool calls they made, tasks, memories. */
	"ALTER TABLE sessions ADD COLUMN run TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE sessions ADD COLUMN run_open BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN spent TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE sessions ADD COLUMN starter TEXT NOT NULL DEFAULT '';"

	"CREATE TABLE runs ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, parent TEXT NOT NULL,"
	" call TEXT NOT NULL, label TEXT NOT NULL, agent TEXT NOT NULL, config TEXT NOT NULL,"
	" status TEXT NOT NULL, turn BIGINT NOT NULL, attempt BIGINT NOT NULL,"
	" waits_for TEXT NOT NULL, wake_ms BIGINT NOT NULL, lease_ms BIGINT NOT NULL,"
	" lease_by TEXT NOT NULL, owner TEXT NOT NULL, provider TEXT NOT NULL,"
	" model TEXT NOT NULL, progress TEXT NOT NULL, report TEXT NOT NULL,"
	" error TEXT NOT NULL, recovery TEXT NOT NULL, limits TEXT NOT NULL,"
	" message TEXT NOT NULL, first TEXT NOT NULL, said BIGINT NOT NULL,"
	" language TEXT NOT NULL, input BIGINT NOT NULL, cache_read BIGINT NOT NULL,"
	" cache_write BIGINT NOT NULL, cache_write_1h BIGINT NOT NULL, output BIGINT NOT NULL,"
	" reasoning BIGINT NOT NULL, cost BIGINT NOT NULL, priced BIGINT NOT NULL,"
	" partial BIGINT NOT NULL, tree_tokens BIGINT NOT NULL, tree_cost BIGINT NOT NULL,"
	" tree_ms BIGINT NOT NULL, context_tokens BIGINT NOT NULL,"
	" context_max BIGINT NOT NULL, tools_used BIGINT NOT NULL, mcp_calls BIGINT NOT NULL,"
	" queued_ms BIGINT NOT NULL, started_ms BIGINT NOT NULL, ended_ms BIGINT NOT NULL,"
	" worked_ms BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX runs_due ON runs (owner, wake_ms) WHERE status = 'queued';"
	"CREATE INDEX runs_held ON runs (lease_by) WHERE lease_by > '';"
	"CREATE INDEX runs_by_session ON runs (ws, session, id);"
	"CREATE INDEX runs_by_parent ON runs (ws, parent) WHERE parent > '';"

	"CREATE TABLE messages ("
	" ws BIGINT NOT NULL, session TEXT NOT NULL, id TEXT NOT NULL, run TEXT NOT NULL,"
	" thread TEXT NOT NULL, n BIGINT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,"
	" kept TEXT NOT NULL,"
	" model TEXT NOT NULL, input BIGINT NOT NULL, cache_read BIGINT NOT NULL,"
	" cache_write BIGINT NOT NULL, cache_write_1h BIGINT NOT NULL, output BIGINT NOT NULL,"
	" reasoning BIGINT NOT NULL, cost BIGINT NOT NULL, prices TEXT NOT NULL,"
	" stop TEXT NOT NULL, seen BIGINT NOT NULL, created_ms BIGINT NOT NULL,"
	" PRIMARY KEY (ws, session, id));"

	"CREATE TABLE tool_calls ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,"
	" message TEXT NOT NULL, n BIGINT NOT NULL, wire TEXT NOT NULL, name TEXT NOT NULL,"
	" arguments TEXT NOT NULL, approved_arguments TEXT NOT NULL, category TEXT NOT NULL,"
	" risk BIGINT NOT NULL, class TEXT NOT NULL, verdict TEXT NOT NULL,"
	" ask TEXT NOT NULL, child TEXT NOT NULL, status TEXT NOT NULL,"
	" result TEXT NOT NULL, answer TEXT NOT NULL, error TEXT NOT NULL,"
	" attempts BIGINT NOT NULL, created_ms BIGINT NOT NULL, started_ms BIGINT NOT NULL,"
	" ended_ms BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX tool_calls_by_session ON tool_calls (ws, session, id);"
	"CREATE INDEX tool_calls_by_ask ON tool_calls (ws, ask) WHERE ask > '';"

	"CREATE TABLE tasks ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,"
	" name TEXT NOT NULL, description TEXT NOT NULL, status TEXT NOT NULL,"
	" priority BIGINT NOT NULL, created_ms BIGINT NOT NULL, updated_ms BIGINT NOT NULL,"
	" version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX tasks_by_session ON tasks (ws, session, id);"

	"CREATE TABLE memories ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, scope TEXT NOT NULL, agent TEXT NOT NULL,"
	" session TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL, search TEXT NOT NULL,"
	" created_ms BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE INDEX memories_by_session ON memories (ws, session) WHERE session > '';"

	/* Agents that Parley runs, providers of models with their sealed keys, prices that
	 * were imported. */
	"CREATE TABLE agents ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,"
	" created_ms BIGINT NOT NULL, changed_ms BIGINT NOT NULL, version BIGINT NOT NULL,"
	" PRIMARY KEY (ws, id));"
	"CREATE TABLE providers ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,"
	" sealed TEXT NOT NULL, last4 TEXT NOT NULL, created_ms BIGINT NOT NULL,"
	" changed_ms BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (ws, id));"
	"CREATE TABLE prices ("
	" ws BIGINT NOT NULL, model TEXT NOT NULL, body TEXT NOT NULL,"
	" changed_ms BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (ws, model));"

	/* Contacts and routes. A delivery to a person has a contact, and is made once for each
	 * step and round of an ask's route. What a digest or summary stands for has that as its
	 * carrier, and is not sent by itself. */
	"ALTER TABLE workspaces ADD COLUMN contacts BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE asks ADD COLUMN route TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE sessions ADD COLUMN sensitive BIGINT NOT NULL DEFAULT 0;"
	"CREATE TABLE contacts ("
	" ws BIGINT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, team TEXT NOT NULL,"
	" channel TEXT NOT NULL, address TEXT NOT NULL, format TEXT NOT NULL,"
	" name TEXT NOT NULL, verified BIGINT NOT NULL, muted BIGINT NOT NULL,"
	" broken_ms BIGINT NOT NULL, broken TEXT NOT NULL, created_ms BIGINT NOT NULL,"
	" last_used_ms BIGINT NOT NULL, detail TEXT NOT NULL, code TEXT NOT NULL,"
	" code_ms BIGINT NOT NULL, code_tries BIGINT NOT NULL, version BIGINT NOT NULL,"
	" PRIMARY KEY (ws, id));"
	"CREATE INDEX contacts_by_owner ON contacts (ws, user_id, team, id);"
	"CREATE INDEX contacts_by_address ON contacts (channel, address);"
	"CREATE TABLE routes ("
	" ws BIGINT NOT NULL PRIMARY KEY, body TEXT NOT NULL, changed_ms BIGINT NOT NULL,"
	" version BIGINT NOT NULL);"
	"CREATE TABLE notify_people ("
	" ws BIGINT NOT NULL, user_id TEXT NOT NULL, prefs TEXT NOT NULL,"
	" present_ms BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (ws, user_id));"
	"ALTER TABLE deliveries ADD COLUMN user_id TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE deliveries ADD COLUMN contact TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE deliveries ADD COLUMN step BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE deliveries ADD COLUMN carrier TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE deliveries ADD COLUMN detail TEXT NOT NULL DEFAULT '';"
	"DROP INDEX deliveries_once;"
	"CREATE UNIQUE INDEX deliveries_once ON deliveries"
	" (ws, ask, kind, contact, step, purpose, round) WHERE ask <> '';"
	"DROP INDEX deliveries_due;"
	"DROP INDEX deliveries_by_owner;"
	"CREATE INDEX deliveries_due ON deliveries (lease_by, next_ms)"
	" WHERE status = 'waiting' AND carrier = '';"
	"CREATE INDEX deliveries_by_owner ON deliveries (kind, owner, next_ms)"
	" WHERE status = 'waiting' AND carrier = '';"
	"CREATE INDEX deliveries_by_contact ON deliveries (ws, contact, done_ms)"
	" WHERE contact <> '';"
	"CREATE INDEX deliveries_codes ON deliveries (host, created_ms)"
	" WHERE purpose = 'code';"
	"CREATE INDEX deliveries_by_carrier ON deliveries (ws, carrier)"
	" WHERE carrier <> '';"

	/* Threads in Slack: the ask that a message shows. */
	"CREATE INDEX deliveries_slack ON deliveries (detail)"
	" WHERE kind = 'slack' AND detail <> '';"
	/* Why the last run of a session failed. */
	"ALTER TABLE sessions ADD COLUMN error TEXT NOT NULL DEFAULT '';"

	/* Mailboxes that replies are read from: which node reads, and what. */
	"CREATE TABLE mailboxes ("
	" name TEXT NOT NULL PRIMARY KEY, lease_ms BIGINT NOT NULL, lease_by TEXT NOT NULL,"
	" reading TEXT NOT NULL, version BIGINT NOT NULL);";

/* 6. */
static const char step_6[] =
	/* Tokens of agents that may run agents of ours. */
	"ALTER TABLE tokens ADD COLUMN runs BIGINT NOT NULL DEFAULT 0;"
	/* When a session ended. */
	"ALTER TABLE sessions ADD COLUMN ended_ms BIGINT NOT NULL DEFAULT 0;"

	/* Each open ask may have a step of its route: of the indexes it is in those that tell
	 * it from others, and when the steps of its workspace are due. Nobody is ever at one. A
	 * session's deliveries are found by its asks. */
	"DROP INDEX deliveries_by_session;"
	"DROP INDEX deliveries_by_status;"
	"DROP INDEX deliveries_due;"
	"CREATE INDEX deliveries_by_status ON deliveries (ws, status, kind)"
	" WHERE kind <> 'route';"
	"CREATE INDEX deliveries_due ON deliveries (lease_by, next_ms)"
	" WHERE status = 'waiting' AND carrier = '' AND kind <> 'route';";

/* 7. */
static const char step_7[] =
	/* The sub-agents of one run are found by its name. With a range in the condition SQLite took
	 * that for the narrower way, and went through those of all. The call that an ask belongs to is
	 * found by its message. */
	"DROP INDEX runs_by_parent;"
	"CREATE INDEX runs_by_parent ON runs (ws, parent, id) WHERE parent <> '';"
	"DROP INDEX tool_calls_by_ask;"
	/* A list of those that are dead, or wait, goes through no others. A step of a route that
	 * waits is in none of it, as before. */
	"DROP INDEX deliveries_by_status;"
	"CREATE INDEX deliveries_by_status ON deliveries (ws, status, id, kind)"
	" WHERE status <> 'waiting' OR kind <> 'route';"

	/* A login: the cookies that replaced each other, since when, from where, with what. */
	"ALTER TABLE tokens ADD COLUMN login TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE tokens ADD COLUMN begun_ms BIGINT NOT NULL DEFAULT 0;"
	"ALTER TABLE tokens ADD COLUMN origin TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE tokens ADD COLUMN client TEXT NOT NULL DEFAULT '';";

/* 8. From here on tables and columns say `since` which step they are there (record.c, records.h,
 * resources.h); a step makes these first. */
static const char step_8[] =
	/* Contacts that a code came back from, or that took a message. */
	"UPDATE contacts SET tested = 1 WHERE (verified = 1 AND user_id <> ''"
	" AND channel IN ('email', 'slack')) OR id IN (SELECT contact FROM deliveries"
	" WHERE status = 'done' AND contact <> '');"
	/* Agents that say nothing of it go by the policy. */
	"UPDATE agents SET body = SUBSTR(body, 1, LENGTH(body) - 7) || 'null}'"
	" WHERE body LIKE '%\"on_reject\":\"tell\"}';";

static const char step_9[] = "";

static const char step_10[] =
	/* What waits goes on by itself only when it says when. */
	"UPDATE runs SET wake_ms = 0 WHERE status = 'waiting';"
	"CREATE INDEX runs_waking ON runs (wake_ms) WHERE status = 'waiting' AND wake_ms > 0;"
	/* Those that stand for others. */
	"CREATE INDEX messages_summaries ON messages (ws, session, id)"
	" WHERE role = 'user' AND seen > 0;";

static const char step_13[] =
	/* Calls that were held at the gateway: the same one again, and those that are under way. */
	"CREATE INDEX tool_calls_same ON tool_calls (ws, same) WHERE same <> '';"
	"CREATE INDEX tool_calls_held ON tool_calls (status) WHERE server <> '' AND status = 'started';";

static const char step_14[] =
	/* Tasks of callers at the gateway that did not begin. */
	"CREATE INDEX tool_calls_tasks ON tool_calls (status) WHERE task = 1"
	" AND status IN ('waiting', 'pending');"
	"CREATE INDEX tool_calls_open ON tool_calls (ws) WHERE server <> ''"
	" AND status IN ('waiting', 'pending', 'started', 'interrupted');"
	/* Notes are found by rows of their words (migrate_notes.c), and a session's by it. */
	"CREATE INDEX memories_by_number ON memories (ws, n);"
	"DROP INDEX memories_by_session;"
	"CREATE INDEX memories_by_session ON memories (ws, session) WHERE session <> '';"
	"CREATE TABLE memory_words ("
	" ws BIGINT NOT NULL, word TEXT NOT NULL, block BIGINT NOT NULL,"
	" marks TEXT NOT NULL, PRIMARY KEY (ws, word, block))" CLUSTERED ";";

static const char *const steps[] = { step_1, step_2, step_3, step_4, step_5, step_6,
	step_7, step_8, step_9, step_10, "", "", step_13, step_14 };

enum { MEMORY_WORDS_SINCE = 14 };
enum { WRITTEN_OUT = sizeof(steps) / sizeof(steps[0]) };

/* ---- tables and columns of a step ---- */

static int64_t newest = WRITTEN_OUT;
static pthread_once_t newest_found = PTHREAD_ONCE_INIT;

static void newest_find(void)
{
	for (const struct record *r = records; r < records + RECORD_COUNT; r++) {
		if (r->since > newest) newest = r->since;
		for (int i = 0; i < r->stored_len; i++)
			if (r->columns[i].since > newest) newest = r->columns[i].since;
	}
}

int64_t schema_newest(void)
{
	pthread_once(&newest_found, newest_find);
	return newest;
}

static void column_write(struct buf *out, const struct column *c)
{
	bool number =
		c->type == COLUMN_INT || c->type == COLUMN_BOOL || c->type == COLUMN_RISK;
	bool bytes = c->type == COLUMN_BYTES || c->type == COLUMN_HASH;

	buf_print(out, "%s %s NOT NULL DEFAULT %s", c->name,
		number	? "BIGINT"
		: bytes ? "BYTEA"
			: "TEXT",
		number ? "0" : "''");
}

/* With the columns that it had then. */
static void table_write(struct buf *out, const struct record *r)
{
	buf_print(out, "CREATE TABLE %s (", r->table);
	for (int i = 0; i < r->stored_len; i++)
		if (!r->columns[i].since) {
			column_write(out, &r->columns[i]);
			buf_add_text(out, ", ");
		}
	buf_add_text(out, "PRIMARY KEY (");
	for (int i = 0; i < r->keys_len; i++)
		buf_print(out, i ? ", %s" : "%s", r->columns[i].name);
	buf_add_text(out, "));");
}

static void additions_write(struct buf *out, int64_t version)
{
	for (const struct record *r = records; r < records + RECORD_COUNT; r++) {
		if (r->since == version) table_write(out, r);
		for (int i = 0; i < r->stored_len; i++)
			if (r->columns[i].since == version) {
				buf_print(out, "ALTER TABLE %s ADD COLUMN ", r->table);
				column_write(out, &r->columns[i]);
				buf_add_char(out, ';');
			}
	}
}

/* ---- bringing a store up to date ---- */

enum err schema_version(struct db *db, int64_t *out, struct fault *why)
{
	int64_t version = 0;
	enum err e = db->driver->script(db,
		"CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)",
		why);

	if (!e) e = db_one(db, SQL_SCHEMA_VERSION, NULL, 0, row_take_int, &version, why);
	if (!e) *out = version;
	return e;
}

static enum err schema_check(int64_t version, enum err e, struct fault *why)
{
	if (version <= schema_newest()) return OK;
	return fail(why, e,
		"the store has schema %lld, this parley knows up to %lld: "
		"start it with a newer parley",
		(long long)version, (long long)newest);
}

enum err schema_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)ctx;
	return schema_check(row_int(row, 0), ERR_UNAVAILABLE, why);
}

/* The step as this engine wants it. */
static void step_write(struct buf *out, const struct db_driver *driver, struct str step)
{
	const struct {
		const char *mark, *word;
	} swaps[] = { { CLUSTERED, driver->clustered }, { ROW_KEY, driver->row_key },
		{ "TEXT", driver->text } };

	while (step.len) {
		size_t i = 0, n = sizeof swaps / sizeof *swaps;

		while (i < n && !str_starts(step, swaps[i].mark))
			i++;
		if (i < n)
			buf_add_text(out, swaps[i].word);
		else
			buf_add_char(out, step.at[0]);
		step = str_from(step, i < n ? strlen(swaps[i].mark) : 1);
	}
}

static enum err step_apply(struct db *db, int64_t version, struct fault *why)
{
	struct buf step = { .max = 65536 }, text = { .max = 65536 };
	enum err e;

	additions_write(&step, version);
	if (version <= WRITTEN_OUT) buf_add_text(&step, steps[version - 1]);
	step_write(&text, db->driver, buf_str(&step));
	buf_add_char(&text, '\0');
	e = step.failed || text.failed ? fail_memory(why)
				       : db->driver->script(db, text.at, why);
	if (!e && version == MEMORY_WORDS_SINCE) e = migrate_notes(db, why);
	if (!e) e = db_one(db, SQL_SCHEMA_SET, ARGS(version), NULL, NULL, why);
	buf_done(&step);
	buf_done(&text);
	return e;
}

/* One transaction from the look at the version on: two that start at once take turns. */
enum err schema_migrate(struct db *db, struct fault *why)
{
	return schema_migrate_to(db, schema_newest(), why);
}

/* Another node may be bringing up the schema, for longer than a turn is waited for. */
static enum err schema_begin(struct db *db, int64_t *version, struct fault *why)
{
	enum err e;

	do {
		db_turn(db, TURN_ALL);
		e = db_begin(db, why);
		if (!e) e = schema_version(db, version, why);
		if (e) db_rollback(db);
	} while (e == ERR_BUSY && db->driver->hint);
	return e;
}

enum err schema_migrate_to(struct db *db, int64_t last, struct fault *why)
{
	int64_t version = 0;
	enum err e = schema_begin(db, &version, why);

	if (!e) e = schema_check(version, ERR_CONFLICT, why);
	for (; !e && version < last; version++)
		e = step_apply(db, version + 1, why);
	if (!e) e = db_commit(db, why);
	if (e) db_rollback(db);
	return e;
}
