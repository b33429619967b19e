/* sql.c - the statements. `$n` are parameters; an empty text parameter of a filter means
 * "any". Conditional updates carry the version the change was decided on: when another
 * writer was first, no row changes and the batch is decided anew. */
#include "store/sql.h"

#define ASK_COLUMNS(p)                                                                   \
	p "ws, " p "id, " p "session, " p "run, " p "agent, " p "token, " p              \
	  "project, " p "kind, " p "status, " p "priority, " p "risk, " p                \
	  "exclusive, " p "fixed, " p "search, " p "digest, " p "approved_digest, " p    \
	  "assignees, " p "claimed_user, " p "claimed_name, " p "claimed_until_ms, " p   \
	  "version, " p "created_ms, " p "deadline_ms, " p "settled_ms, " p              \
	  "used_ms, " p "answer, " p "answered_by, " p "summary, " p "reason, " p        \
	  "replies, " p "dedupe_key"

#define SESSION_COLUMNS(p)                                                               \
	p "ws, " p "id, " p "title, " p "agent, " p "token, " p "project, " p            \
	  "external_id, " p "metadata, " p "on_settled, " p "progress, " p "search, " p  \
	  "parallel, " p "status, " p "open_blocking, " p "open_input, " p               \
	  "open_approval, " p "open_other, " p "settled, " p "version, " p               \
	  "created_ms, " p "updated_ms"

#define EVENT_COLUMNS "ws, n, type, at_ms, session, ask, run, agent, data, digest, hash"

#define DELIVERY_COLUMNS                                                                 \
	"ws, id, session, ask, kind, target, status, attempts, next_ms, lease_ms, "      \
	"lease_by, last_error, last_status, created_ms, done_ms"
/* May be begun at $1 by the process $2; a resumer once. What it is at already it knows
 * better than a clock that jumped. */
#define DELIVERY_FREE                                                                    \
	"status = 'waiting' AND next_ms <= $1 AND lease_ms <= $1 AND lease_by <> $2"     \
	" AND (kind <> 'resumer' OR attempts = 0)"
/* Somebody is at it. */
#define DELIVERY_HELD "status = 'waiting' AND lease_by > ''"

#define USER_COLUMNS                                                                     \
	"ws, id, name, role, password, language, disabled, last_login_ms, created_ms"

#define TOKEN_COLUMNS                                                                      \
	"ws, id, kind, role, name, agent, user_id, tools, last4, created_ms, expires_ms, " \
	"mcp_wait_s, mcp_local"

/* Asks, each with its session behind it. */
#define ASKS_AND_SESSIONS                                                                \
	"SELECT " ASK_COLUMNS("a.") ", " SESSION_COLUMNS(                                \
		"s.") " FROM asks a"                                                     \
		      " JOIN sessions s ON s.ws = a.ws AND s.id = a.session"
/* Asks with the title of their session, as a list shows them. */
#define ASKS                                                                             \
	"SELECT " ASK_COLUMNS(                                                           \
		"a.") ", s.title FROM asks a"                                            \
		      " JOIN sessions s ON s.ws = a.ws AND s.id = a.session WHERE a.ws = $1"
/* $2 limit, $3 kind, $4 project, $5 assignee pattern, $6 priority, $7 search pattern,
 * $8 agent */
#define ASKS_FILTER                                                                      \
	" AND ($3 = '' OR a.kind = $3) AND ($4 = '' OR a.project = $4)"                  \
	" AND ($5 = '' OR a.assignees LIKE $5) AND ($6 = '' OR a.priority = $6)"         \
	" AND ($7 = '' OR a.search LIKE $7 ESCAPE '\\') AND ($8 = '' OR a.agent = $8)"
/* $9 instant up to which a deadline is soon */
#define ASKS_NOT_SOON " AND NOT (a.deadline_ms > 0 AND a.deadline_ms <= $9)"

#define CHECK_LOST " WHERE ws NOT IN (SELECT id FROM workspaces)"

const char *const sql_text[SQL_COUNT] = {
	[SQL_BEGIN] = "BEGIN",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_SCHEMA_VERSION] = "SELECT COALESCE(MAX(version), 0) FROM schema_version",
	[SQL_SCHEMA_SET] = "INSERT INTO schema_version (version) VALUES ($1)",

	[SQL_WORKSPACE_GET] = "SELECT id, name, last_event, last_hash FROM workspaces"
			      " WHERE id = $1",
	[SQL_WORKSPACE_BY_NAME] = "SELECT id, name, last_event, last_hash FROM workspaces"
				  " WHERE name = $1",
	[SQL_WORKSPACE_LIST] = "SELECT id, name, last_event, last_hash, old_events"
			       " FROM workspaces ORDER BY id",
	[SQL_WORKSPACE_NEWS] = "SELECT id, last_event, revocations FROM workspaces",
	[SQL_WORKSPACE_REVOKE] =
		"UPDATE workspaces SET revocations = revocations + 1 WHERE id = $1",
	[SQL_WORKSPACE_ADD] = "INSERT INTO workspaces (id, name, created_ms, last_event,"
			      " last_hash) SELECT COALESCE(MAX(id), 0) + 1, $1, $2, 0, $3"
			      " FROM workspaces RETURNING id",
	/* What it is then is read by the next call: SQLite makes a table for RETURNING.
	 */
	[SQL_COUNTER_TAKE] = "UPDATE workspaces SET last_event = last_event + $2"
			     " WHERE id = $1",
	[SQL_COUNTER_GET] = "SELECT last_event, last_hash FROM workspaces WHERE id = $1",
	[SQL_COUNTER_HASH] = "UPDATE workspaces SET last_hash = $2 WHERE id = $1",

	[SQL_SERVER_KEY_GET] = "SELECT value FROM server_keys WHERE name = $1",
	[SQL_SERVER_KEY_ADD] =
		"INSERT INTO server_keys (name, value, created_ms) VALUES ($1, $2, $3)"
		" ON CONFLICT (name) DO NOTHING",

	[SQL_SERVER_KEY_SET] =
		"INSERT INTO server_keys (name, value, created_ms) VALUES ($1, $2, $3)"
		" ON CONFLICT (name) DO UPDATE SET value = excluded.value,"
		" created_ms = excluded.created_ms",
	[SQL_SERVER_KEY_SINCE] = "SELECT value, created_ms FROM server_keys"
				 " WHERE name = $1 AND created_ms > $2",
	[SQL_MCP_ENDED] = "SELECT ended_ms FROM mcp_ended WHERE ws = $1 AND id = $2",
	[SQL_MCP_END] = "INSERT INTO mcp_ended (ws, id, ended_ms) VALUES ($1, $2, $3)"
			" ON CONFLICT (ws, id) DO NOTHING",
	[SQL_MCP_PURGE] = "DELETE FROM mcp_ended WHERE ended_ms < $1",

	[SQL_CREDENTIAL] =
		"SELECT t.ws, t.id, t.kind, t.role, t.name, t.agent, t.user_id, t.tools,"
		" t.created_ms, t.expires_ms, COALESCE(u.name, ''), COALESCE(u.role, ''),"
		" COALESCE(u.disabled, 0), COALESCE(u.language, ''), w.name,"
		" t.mcp_wait_s, t.mcp_local"
		" FROM tokens t JOIN workspaces w ON w.id = t.ws"
		" LEFT JOIN users u ON u.ws = t.ws AND u.id = t.user_id WHERE t.hash = $1",
	[SQL_TOKEN_ADD] = "INSERT INTO tokens (hash, " TOKEN_COLUMNS ")"
			  " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,"
			  " $13, $14)",
	[SQL_TOKEN_LIST] = "SELECT " TOKEN_COLUMNS " FROM tokens WHERE ws = $1"
			   " AND kind = 'token' AND id > $2 ORDER BY id LIMIT $3",
	[SQL_TOKEN_GET] = "SELECT " TOKEN_COLUMNS " FROM tokens WHERE ws = $1 AND id = $2"
			  " AND kind = 'token'",
	[SQL_TOKEN_DELETE] = "DELETE FROM tokens WHERE ws = $1 AND id = $2"
			     " AND kind = 'token'",
	[SQL_TOKEN_DELETE_HASH] = "DELETE FROM tokens WHERE hash = $1",
	[SQL_TOKEN_EXPIRE_HASH] = "UPDATE tokens SET expires_ms = $2 WHERE hash = $1"
				  " AND (expires_ms = 0 OR expires_ms > $2)",
	[SQL_TOKENS_DELETE_OF_USER] = "DELETE FROM tokens WHERE ws = $1 AND user_id = $2",
	[SQL_TOKENS_PURGE] =
		"DELETE FROM tokens WHERE expires_ms > 0 AND expires_ms < $1",
	[SQL_USER_ADD] = "INSERT INTO users (" USER_COLUMNS ")"
			 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
	[SQL_USER_GET] = "SELECT " USER_COLUMNS " FROM users WHERE ws = $1 AND id = $2",
	[SQL_USER_BY_NAME] = "SELECT " USER_COLUMNS " FROM users WHERE name = $1"
			     " AND ($2 = 0 OR ws = $2) ORDER BY ws LIMIT 1",
	[SQL_USER_LIST] = "SELECT " USER_COLUMNS " FROM users WHERE ws = $1 AND id > $2"
			  " ORDER BY id LIMIT $3",
	[SQL_USER_UPDATE] = "UPDATE users SET name = $3, role = $4, password = $5,"
			    " language = $6, disabled = $7 WHERE ws = $1 AND id = $2",
	[SQL_USER_DELETE] = "DELETE FROM users WHERE ws = $1 AND id = $2",
	[SQL_USER_LOGGED_IN] = "UPDATE users SET last_login_ms = $3 WHERE ws = $1"
			       " AND id = $2",
	[SQL_OWNERS_COUNT] = "SELECT COUNT(*) FROM users WHERE ws = $1 AND role = 'owner'"
			     " AND disabled = 0 AND id <> $2",
	[SQL_USERS_LOGGED_IN] = "SELECT COUNT(*) FROM users WHERE last_login_ms > 0",

	[SQL_SESSION_GET] = "SELECT " SESSION_COLUMNS("") " FROM sessions"
							  " WHERE ws = $1 AND id = $2",
	[SQL_SESSION_BY_EXTERNAL] =
		"SELECT " SESSION_COLUMNS("") " FROM sessions"
					      " WHERE ws = $1 AND external_id = $2"
					      " AND external_id <> ''",
	[SQL_SESSION_ADD] = "INSERT INTO sessions (" SESSION_COLUMNS(
		"") ") VALUES ($1, $2, $3,"
		    " $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,"
		    " $17, $18, $19, $20, $21)",
	[SQL_SESSION_UPDATE] =
		"UPDATE sessions SET title = $4, progress = $5, search = $6,"
		" status = $7, open_blocking = $8, open_input = $9,"
		" open_approval = $10, open_other = $11, settled = $12,"
		" version = $13, updated_ms = $14"
		" WHERE ws = $1 AND id = $2 AND version = $3",
	[SQL_SESSION_DELETE] = "DELETE FROM sessions WHERE ws = $1 AND id = $2",
	[SQL_SESSION_DELETE_ASKS] = "DELETE FROM asks WHERE ws = $1 AND session = $2",
	[SQL_SESSION_DELETE_KEYS] =
		"DELETE FROM idempotency WHERE ws = $1 AND session = $2"
		" AND session <> ''",
	[SQL_SESSION_DELETE_DELIVERIES] = "DELETE FROM deliveries WHERE ws = $1"
					  " AND session = $2",
	[SQL_SESSION_CALLBACK] = "UPDATE sessions SET on_settled = $3 WHERE ws = $1"
				 " AND id = $2",
	[SQL_SESSION_EMPTY_EVENTS] = "UPDATE events SET data = '' WHERE ws = $1"
				     " AND session = $2",
	[SQL_SESSION_LIST] = "SELECT " SESSION_COLUMNS(
		"") " FROM sessions WHERE ws = $1"
		    " AND id < $2 AND ($4 = '' OR status = $4)"
		    " AND ($5 = '' OR project = $5)"
		    " AND ($6 = '' OR search LIKE $6 ESCAPE '\\')"
		    " AND ($7 = '' OR agent = $7) ORDER BY id DESC LIMIT $3",

	[SQL_ASK_GET] = ASKS_AND_SESSIONS " WHERE a.ws = $1 AND a.id = $2",
	[SQL_ASKS_OPEN] = "SELECT " ASK_COLUMNS(
		"") " FROM asks WHERE ws = $1"
		    " AND session = $2 AND status = 'pending' ORDER BY id",
	/* $2 session, $3 how many, $4 and $5 the instant and id to go on before, $6 open ones (1)
	 * or settled ones (0). Only ids are sorted: the asks themselves may be large. */
	[SQL_ASKS_RECENT] = "SELECT " ASK_COLUMNS(
		"") " FROM asks WHERE ws = $1 AND id IN (SELECT id FROM asks"
		    " WHERE ws = $1 AND session = $2"
		    " AND CASE WHEN settled_ms = 0 THEN 1 ELSE 0 END = $6"
		    " AND (settled_ms < $4 OR (settled_ms = $4 AND id < $5))"
		    " ORDER BY settled_ms DESC, id DESC LIMIT $3)"
		    " ORDER BY settled_ms DESC, id DESC",
	[SQL_ASK_BY_DEDUPE] = ASKS_AND_SESSIONS
	" WHERE a.ws = $1 AND a.agent = $2 AND a.dedupe_key = $3"
	" AND a.status = 'pending' AND a.dedupe_key <> ''",
	[SQL_ASKS_DUE] = ASKS_AND_SESSIONS
	" WHERE a.status = 'pending' AND a.deadline_ms > 0 AND a.deadline_ms <= $1"
	" ORDER BY a.deadline_ms LIMIT $2",
	[SQL_ASK_ADD] = "INSERT INTO asks (" ASK_COLUMNS(
		"") ") VALUES ($1, $2, $3, $4, $5,"
		    " $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,"
		    " $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)",
	[SQL_ASK_UPDATE] =
		"UPDATE asks SET status = $4, approved_digest = $5,"
		" assignees = $6, claimed_user = $7, claimed_name = $8,"
		" claimed_until_ms = $9, version = $10, deadline_ms = $11,"
		" settled_ms = $12, used_ms = $13, answer = $14,"
		" answered_by = $15, summary = $16, reason = $17, replies = $18"
		" WHERE ws = $1 AND id = $2 AND version = $3",
	[SQL_DEADLINE_NEXT] = "SELECT COALESCE(MIN(deadline_ms), 0) FROM asks"
			      " WHERE status = 'pending' AND deadline_ms > 0",
	/* $9 status, $10 the id to go on after */
	[SQL_ASKS_OLDEST] = ASKS " AND a.status = $9 AND a.id > $10" ASKS_FILTER
				 " ORDER BY a.id LIMIT $2",
	[SQL_ASKS_NEWEST] = ASKS " AND a.status = $9 AND a.id < $10" ASKS_FILTER
				 " ORDER BY a.id DESC LIMIT $2",
	[SQL_ASKS_ALL] = ASKS " AND a.id < $9" ASKS_FILTER " ORDER BY a.id DESC LIMIT $2",
	[SQL_ASKS_OF_SESSION_UP] =
		ASKS " AND ($9 = '' OR a.status = $9) AND a.id > $10"
		     " AND a.session = $11" ASKS_FILTER " ORDER BY a.id LIMIT $2",
	[SQL_ASKS_OF_SESSION_DOWN] =
		ASKS " AND ($9 = '' OR a.status = $9) AND a.id < $10"
		     " AND a.session = $11" ASKS_FILTER " ORDER BY a.id DESC LIMIT $2",
	/* $9 soon, $10 and $11 the risk and id to go on after, $12 session */
	[SQL_ASKS_SOON] =
		ASKS " AND a.status = 'pending' AND a.deadline_ms > 0"
		     " AND a.deadline_ms <= $9 AND ($12 = '' OR a.session = $12)"
		     " AND (a.risk < $10 OR (a.risk = $10 AND a.id > $11))" ASKS_FILTER
		     " ORDER BY a.risk DESC, a.id LIMIT $2",
	[SQL_ASKS_RISKY] = ASKS
	" AND a.status = 'pending' AND a.risk > 0"
	" AND ($12 = '' OR a.session = $12)"
	" AND (a.risk < $10 OR (a.risk = $10 AND a.id > $11))" ASKS_NOT_SOON ASKS_FILTER
	" ORDER BY a.risk DESC, a.id LIMIT $2",
	[SQL_ASKS_REST] =
		ASKS " AND a.status = 'pending' AND a.risk = 0 AND a.id > $10"
		     " AND ($11 = '' OR a.session = $11)" ASKS_NOT_SOON ASKS_FILTER
		     " ORDER BY a.id LIMIT $2",
	[SQL_ASKS_PENDING] = "SELECT COUNT(*) FROM asks WHERE ws = $1"
			     " AND status = 'pending'",
	[SQL_INSIGHTS] =
		"SELECT kind, status, created_ms, settled_ms, session, answered_by"
		" FROM asks WHERE ws = $1 AND id >= $2 AND id < $3"
		" AND ($4 = '' OR agent = $4) ORDER BY id",

	[SQL_KEY_GET] = "SELECT body, status, session, result FROM idempotency"
			" WHERE ws = $1 AND token = $2 AND path = $3 AND key = $4",
	[SQL_KEY_ADD] = "INSERT INTO idempotency (ws, token, path, key, body, status,"
			" session, result, created_ms)"
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",

	/* Nothing is owed to a session that this very batch deletes. */
	[SQL_DELIVERY_ADD] =
		"INSERT INTO deliveries (" DELIVERY_COLUMNS ", host)"
		" SELECT $1, $2, $3, $4, $5, $6, 'waiting', 0, $7, 0, '', '', -1, $7, 0, $8"
		" WHERE EXISTS (SELECT 1 FROM sessions WHERE ws = $1 AND id = $3)"
		" ON CONFLICT DO NOTHING",
	[SQL_DELIVERY_GET] = "SELECT " DELIVERY_COLUMNS " FROM deliveries WHERE ws = $1"
			     " AND id = $2",
	[SQL_DELIVERY_LIST] = "SELECT " DELIVERY_COLUMNS " FROM deliveries WHERE ws = $1"
			      " AND id < $2 AND ($4 = '' OR status = $4)"
			      " AND ($5 = '' OR kind = $5)"
			      " AND ($6 = '' OR session = $6) ORDER BY id DESC LIMIT $3",
	/* Whom webhooks are due to, who waits longest first, and how many the process $2
	 * has under way to each; not those to whom it has $3. One look at each host that
	 * anything waits for, however much it is. */
	[SQL_DELIVERY_HOSTS] =
		"WITH RECURSIVE hosts (name) AS (SELECT MIN(host) FROM deliveries"
		" WHERE status = 'waiting' AND kind = 'webhook' UNION ALL"
		" SELECT (SELECT MIN(host) FROM deliveries WHERE status = 'waiting'"
		" AND kind = 'webhook' AND host > name) FROM hosts WHERE name IS NOT NULL)"
		" SELECT name, held FROM (SELECT name,"
		" (SELECT COUNT(*) FROM deliveries WHERE " DELIVERY_HELD
		" AND lease_by = $2 AND host = name) AS held,"
		" (SELECT next_ms FROM deliveries WHERE " DELIVERY_FREE
		" AND kind = 'webhook' AND host = name ORDER BY next_ms LIMIT 1) AS due"
		" FROM hosts WHERE name IS NOT NULL) AS found"
		" WHERE due IS NOT NULL AND held < $3 ORDER BY due LIMIT $4",
	/* $3 end of the lease, $4 kind, $5 host, $6 how many */
	[SQL_DELIVERY_CLAIM] =
		"UPDATE deliveries SET lease_ms = $3, lease_by = $2,"
		" attempts = attempts + 1 FROM (SELECT ws AS due_ws, id AS due_id"
		" FROM deliveries WHERE " DELIVERY_FREE " AND kind = $4 AND host = $5"
		" ORDER BY next_ms LIMIT $6) AS due WHERE ws = due_ws AND id = due_id"
		" RETURNING " DELIVERY_COLUMNS,
	/* Begun by a process that is gone, and its outcome with it. $2: who asks. */
	[SQL_DELIVERY_LOST] =
		"UPDATE deliveries SET status = 'dead', done_ms = $1, lease_ms = 0,"
		" lease_by = '', last_error = $3 WHERE " DELIVERY_HELD
		" AND kind = 'resumer' AND lease_ms <= $1 AND lease_by <> $2"
		" RETURNING " DELIVERY_COLUMNS,
	/* When the first is due that nobody is at, or that another may have given up. */
	[SQL_DELIVERY_NEXT] =
		"SELECT COALESCE(MIN(due), 0) FROM (SELECT (SELECT next_ms FROM deliveries"
		" WHERE status = 'waiting' AND lease_by = '' ORDER BY next_ms LIMIT 1)"
		" AS due UNION ALL SELECT MIN(lease_ms) FROM deliveries WHERE " DELIVERY_HELD
		" AND lease_by <> $1) AS all_due",
	[SQL_DELIVERY_RENEW] = "UPDATE deliveries SET lease_ms = $2 WHERE " DELIVERY_HELD
			       " AND lease_by = $1",
	[SQL_DELIVERY_FINISH] =
		"UPDATE deliveries SET status = $4, next_ms = $5, last_error = $6,"
		" last_status = $7, done_ms = $8, lease_ms = 0, lease_by = ''"
		" WHERE ws = $1 AND id = $2 AND status = 'waiting' AND lease_by = $3",
	[SQL_DELIVERY_REPLAY] =
		"UPDATE deliveries SET status = 'waiting', attempts = 0, next_ms = $3,"
		" last_error = '', last_status = -1, done_ms = 0"
		" WHERE ws = $1 AND id = $2 AND status <> 'waiting'",
	[SQL_DELIVERY_PURGE] = "DELETE FROM deliveries WHERE (status = 'done'"
			       " AND done_ms < $1) OR (status = 'dead' AND done_ms < $2)",
	[SQL_DELIVERY_COUNT] = "SELECT kind, status, COUNT(*) FROM deliveries"
			       " WHERE ws = $1 AND status IN ('waiting', 'dead')"
			       " GROUP BY kind, status ORDER BY kind, status",

	[SQL_EVENT_ADD] = "INSERT INTO events (" EVENT_COLUMNS ")"
			  " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
	[SQL_EVENT_LAST] = "SELECT last_event FROM workspaces WHERE id = $1",
	[SQL_EVENTS_AFTER] =
		"SELECT " EVENT_COLUMNS " FROM events WHERE ws = $1 AND n > $2"
		" AND n <= $3"
		" AND ($6 = '' OR agent = $6)"
		" AND ($7 = '' OR $7 LIKE '%,' || type || ',%')"
		" ORDER BY n LIMIT $4",
	[SQL_EVENTS_OF_SESSION] = "SELECT " EVENT_COLUMNS " FROM events WHERE ws = $1"
				  " AND session = $5 AND n > $2 AND n <= $3"
				  " AND ($6 = '' OR agent = $6)"
				  " AND ($7 = '' OR $7 LIKE '%,' || type || ',%')"
				  " ORDER BY n LIMIT $4",
	[SQL_EVENTS_BEFORE] =
		"SELECT " EVENT_COLUMNS " FROM events WHERE ws = $1 AND n > $2"
		" AND n <= $3"
		" AND ($6 = '' OR agent = $6)"
		" AND ($7 = '' OR $7 LIKE '%,' || type || ',%')"
		" ORDER BY n DESC LIMIT $4",
	[SQL_EVENTS_OF_SESSION_BEFORE] =
		"SELECT " EVENT_COLUMNS " FROM events WHERE ws = $1"
		" AND session = $5 AND n > $2 AND n <= $3"
		" AND ($6 = '' OR agent = $6)"
		" AND ($7 = '' OR $7 LIKE '%,' || type || ',%')"
		" ORDER BY n DESC LIMIT $4",
	[SQL_EVENTS_CHAIN] =
		"SELECT " EVENT_COLUMNS " FROM events WHERE ws = $1 AND n > $2"
		" ORDER BY n LIMIT $3",
	[SQL_SESSION_EXISTS] = "SELECT COUNT(*) FROM sessions WHERE ws = $1 AND id = $2",

	[SQL_CHECK_COUNT] =
		"SELECT CAST(COALESCE(SUM(last_event), 0) AS BIGINT) FROM workspaces",
	[SQL_CHECK_WORKSPACES] =
		"SELECT id, name, last_event, last_hash, old_events FROM workspaces"
		" WHERE id > $1 ORDER BY id LIMIT $2",
	/* Behind ($2, $3), up to the session $4. */
	[SQL_CHECK_EVENTS] = "SELECT " EVENT_COLUMNS " FROM events WHERE ws = $1"
			     " AND (session, n) > ($2, $3) AND session <= $4"
			     " ORDER BY session, n LIMIT $5",
	[SQL_CHECK_ASKS] = "SELECT " ASK_COLUMNS(
		"") " FROM asks WHERE ws = $1"
		    " AND (session, id) > ($2, $3) ORDER BY session, id LIMIT $4",
	[SQL_CHECK_SESSIONS] =
		"SELECT " SESSION_COLUMNS("") " FROM sessions WHERE ws = $1"
					      " AND id > $2 ORDER BY id LIMIT $3",
	[SQL_CHECK_OPEN] =
		"SELECT session, kind, CASE WHEN status = 'pending' THEN 1 ELSE 0 END"
		" AS open, COUNT(*) FROM asks WHERE ws = $1 AND session > $2"
		" AND session <= $3 GROUP BY session, kind, open",
	[SQL_CHECK_LOST_EVENTS] = "SELECT COUNT(*) FROM events" CHECK_LOST,
	[SQL_CHECK_LOST_ASKS] = "SELECT COUNT(*) FROM asks" CHECK_LOST,
	[SQL_CHECK_LOST_SESSIONS] = "SELECT COUNT(*) FROM sessions" CHECK_LOST,
};
