/* statements.h - every statement that is written out, a row each: its name and its text. sql.h makes the
 * names of these rows, sql.c the texts.
 *
 * `$n` are parameters; an empty text parameter of a filter means "any". `@asks(a.)` stands for all
 * columns of that table, each with `a.` before it. Words in capitals are phrases of sql.c. */
STATEMENT(SQL_BEGIN, "BEGIN")
STATEMENT(SQL_COMMIT, "COMMIT")
STATEMENT(SQL_ROLLBACK, "ROLLBACK")
STATEMENT(SQL_SCHEMA_VERSION, "SELECT COALESCE(MAX(version), 0) FROM schema_version")
STATEMENT(SQL_SCHEMA_SET, "INSERT INTO schema_version (version) VALUES ($1)")

STATEMENT(SQL_WORKSPACE_GET, "SELECT id, name, last_event, last_hash FROM workspaces"
			     " WHERE id = $1")
STATEMENT(SQL_WORKSPACE_BY_NAME, "SELECT id, name, last_event, last_hash FROM workspaces"
				 " WHERE name = $1")
STATEMENT(SQL_WORKSPACE_LIST, "SELECT id, name, last_event, last_hash, old_events"
			      " FROM workspaces ORDER BY id")
STATEMENT(SQL_WORKSPACES_LAST, "SELECT COALESCE(MAX(id), 0) FROM workspaces")
STATEMENT(SQL_WORKSPACE_NEWS,
	"SELECT id, last_event, revocations, created_ms FROM workspaces")
STATEMENT(SQL_WORKSPACE_REVOKE,
	"UPDATE workspaces SET revocations = revocations + 1 WHERE id = $1")
STATEMENT(SQL_WORKSPACE_POLICY,
	"UPDATE workspaces SET policy_version = policy_version + 1 WHERE id = $1")
STATEMENT(SQL_WORKSPACE_POLICY_GET,
	"SELECT policy_version, contacts FROM workspaces WHERE id = $1")
STATEMENT(SQL_WORKSPACE_TEAMS, "UPDATE workspaces SET teams = teams + $2 WHERE id = $1")
STATEMENT(SQL_WORKSPACE_CONTACTS,
	"UPDATE workspaces SET contacts = contacts + $2 WHERE id = $1")
/* What it is then is read by the next call: SQLite makes a table for
 * RETURNING. */
STATEMENT(SQL_COUNTER_TAKE, "UPDATE workspaces SET last_event = last_event + $2"
			    " WHERE id = $1")
STATEMENT(SQL_COUNTER_GET,
	"SELECT last_event, last_hash, revocations, policy_version, contacts"
	" FROM workspaces WHERE id = $1")
/* All three at once, from where it is known to stand. */
STATEMENT(SQL_COUNTER_MOVE, "UPDATE workspaces SET last_event = $3, last_hash = $4"
			    " WHERE id = $1 AND last_event = $2")
STATEMENT(SQL_COUNTER_HASH, "UPDATE workspaces SET last_hash = $2 WHERE id = $1")

/* A reply is remembered for as long as what it is about lives. */
STATEMENT(SQL_KEYS_PURGE,
	"DELETE FROM idempotency WHERE session = '' AND created_ms < $1" KEYS_OF_NOTHING)
STATEMENT(SQL_MCP_PURGE, "DELETE FROM mcp_ended WHERE ended_ms < $1")
STATEMENT(SQL_CREDENTIAL,
	"SELECT t.ws, t.id, t.kind, t.role, t.name, t.agent, t.user_id, t.tools,"
	" t.created_ms, t.expires_ms, COALESCE(u.name, ''), COALESCE(u.role, ''),"
	" COALESCE(u.disabled, 0), COALESCE(u.language, ''), w.name,"
	" t.mcp_wait_s, t.mcp_local, t.last_used_ms, t.again_s, w.policy_version,"
	" w.teams, w.revocations, w.contacts, t.runs, t.projects"
	" FROM tokens t JOIN workspaces w ON w.id = t.ws"
	" LEFT JOIN users u ON u.ws = t.ws AND u.id = t.user_id WHERE t.hash = $1")
STATEMENT(SQL_PERSON, /* as SQL_CREDENTIAL */
	"SELECT u.ws, '', 'contact', '', '', '', u.id, '', 0, 0, u.name, u.role,"
	" u.disabled, u.language, w.name, -1, 0, 0, -1, w.policy_version,"
	" w.teams, w.revocations, w.contacts, 0, ''"
	" FROM users u JOIN workspaces w ON w.id = u.ws WHERE u.ws = $1 AND u.id = $2")
STATEMENT(SQL_TOKEN_LIST, "SELECT @tokens FROM tokens WHERE ws = $1"
			  " AND kind = 'token' AND id > $2 ORDER BY id LIMIT $3")
STATEMENT(SQL_TOKEN_BY_ID, "SELECT @tokens FROM tokens WHERE ws = $1 AND id = $2")
STATEMENT(SQL_TOKENS_OF_USER, "SELECT @tokens FROM tokens WHERE ws = $1 AND user_id = $2")
STATEMENT(SQL_TOKENS_UNBOUND, /* $2 now; the machine's own is as server.c makes it */
	"SELECT COUNT(*) FROM tokens WHERE ws = $1 AND kind = 'token' AND role = 'agent'"
	" AND projects = '' AND (expires_ms = 0 OR expires_ms > $2)"
	" AND NOT (name = 'local' AND agent = 'local' AND maker = '' AND user_id = '')")
STATEMENT(SQL_PROJECTS, /* those that were busy last */
	"SELECT project, COUNT(*),"
	" CAST(SUM(open_input + open_approval + open_other) AS BIGINT), MAX(updated_ms)"
	" FROM sessions WHERE ws = $1 AND project <> ''"
	" GROUP BY project ORDER BY 4 DESC, 1 LIMIT 1000")
STATEMENT(SQL_LOGINS_OF_USER, "SELECT @tokens FROM tokens WHERE ws = $1 AND user_id = $2"
			      " AND kind = 'cookie' ORDER BY created_ms DESC, id DESC")
STATEMENT(SQL_TOKENS_PURGE, "DELETE FROM tokens WHERE expires_ms > 0 AND expires_ms < $1")
STATEMENT(SQL_USER_BY_NAME, "SELECT @users FROM users WHERE name = $1"
			    " AND ($2 = 0 OR ws = $2) ORDER BY ws")
STATEMENT(SQL_OWNERS, "SELECT @users FROM users WHERE ws = $1 AND role = 'owner'")
STATEMENT(SQL_USER_NAMES, "SELECT id, name FROM users WHERE ws = $1")
STATEMENT(SQL_USERS_OF, "SELECT @users FROM users WHERE ws = $1 ORDER BY id")
STATEMENT(SQL_USERS_DELEGATING,
	"SELECT @users FROM users WHERE ws = $1 AND away LIKE $2 ORDER BY id")
STATEMENT(SQL_TOKENS_OF, "SELECT @tokens FROM tokens WHERE ws = $1 ORDER BY id")
STATEMENT(SQL_TEAMS_OF, "SELECT @teams FROM teams WHERE ws = $1 ORDER BY id")
STATEMENT(SQL_SERVER_KEYS, "SELECT @server_keys FROM server_keys ORDER BY name")
/* Made before changes of people were events. */
STATEMENT(SQL_WORKSPACES_UNRECORDED,
	"SELECT id, name FROM workspaces w WHERE NOT EXISTS (SELECT 1 FROM events e"
	" WHERE e.ws = w.id AND e.session = ''"
	" AND e.type IN ('user.created', 'user.recorded'))")
STATEMENT(SQL_USERS_LOGGED_IN, "SELECT COUNT(*) FROM users WHERE last_login_ms > 0")

STATEMENT(SQL_SESSION_BY_EXTERNAL,
	"SELECT @sessions FROM sessions"
	" WHERE ws = $1 AND agent = $2 AND external_id = $3 AND external_id <> ''")
STATEMENT(SQL_SESSION_IDS_BY_EXTERNAL, /* $3 itself, or between $4 and $5 */
	"SELECT id FROM sessions WHERE ws = $1 AND agent = $2 AND external_id <> ''"
	" AND (external_id = $3 OR (external_id >= $4 AND external_id < $5))"
	" ORDER BY id DESC LIMIT $6")
STATEMENT(SQL_SESSION_EMPTY_EVENTS, "UPDATE events SET data = '' WHERE ws = $1"
				    " AND session = $2")
STATEMENT(SQL_SESSION_LIST, "SELECT @sessions FROM sessions WHERE ws = $1"
			    " AND id < $2 AND ($4 = '' OR status = $4)"
			    " AND ($5 = '' OR project = $5)"
			    " AND ($6 = '' OR search LIKE $6 ESCAPE '\\')"
			    " AND ($7 = '' OR agent = $7 OR starter = $8)"
			    " ORDER BY id DESC LIMIT $3")

/* The hold h keeps the session s: itself, by its project or that of an ask in it, by its agent, or by who
 * started it, or settled or voted on something in it. */
#define HOLD_KEEPS                                                                        \
	"h.ws = s.ws AND h.lifted = '' AND (h.session = s.id"                             \
	" OR (h.agent <> '' AND (h.agent = s.agent OR h.agent = s.agent_name))"           \
	" OR (h.project <> '' AND (h.project = s.project OR EXISTS (SELECT 1 FROM asks a" \
	" WHERE a.ws = s.ws AND a.session = s.id AND a.project = h.project)))"            \
	" OR (h.user_id <> '' AND (h.user_id = s.starter OR h.user_id = s.agent"          \
	" OR EXISTS (SELECT 1 FROM asks a WHERE a.ws = s.ws AND a.session = s.id"         \
	" AND (a.settled_user = h.user_id"                                                \
	" OR a.votes LIKE '%\"' || h.user_id || '\"%')))))"
STATEMENT(SQL_SESSION_HOLDS, "SELECT h.id FROM holds h, sessions s WHERE s.ws = $1"
			     " AND s.id = $2 AND " HOLD_KEEPS " ORDER BY h.id")
STATEMENT(SQL_SESSIONS_OLD, /* between two ids, and whether they may go */
	"SELECT s.id, CASE WHEN s.updated_ms < $4 AND s.open_input + s.open_approval"
	" + s.open_other + s.run_open = 0 AND NOT EXISTS (SELECT 1 FROM holds h WHERE " HOLD_KEEPS
	") THEN 1 ELSE 0 END FROM sessions s WHERE s.ws = $1 AND s.id > $2"
	" AND s.id < $3 ORDER BY s.id LIMIT $5")

STATEMENT(SQL_SESSION_SETTLERS, "SELECT DISTINCT settled_user FROM asks WHERE ws = $1"
				" AND session = $2 AND settled_user <> ''")
STATEMENT(SQL_SESSION_PROGRESS_TOLD,
	"SELECT COALESCE(MAX(created_ms), 0) FROM deliveries WHERE ws = $1"
	" AND session = $2 AND purpose = 'progress'")
STATEMENT(SQL_ASK_GET, ASKS_AND_SESSIONS " WHERE a.ws = $1 AND a.id = $2")
STATEMENT(SQL_ASKS_OPEN, "SELECT @asks FROM asks WHERE ws = $1"
			 " AND session = $2 AND status = 'pending' ORDER BY id")
STATEMENT(SQL_ASK_IDS_LATEST, "SELECT id FROM asks WHERE ws = $1 AND session = $2"
			      " ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_ASKS_LATEST,
	"SELECT @asks FROM asks WHERE ws = $1 AND id IN (SELECT id FROM asks"
	" WHERE ws = $1 AND session = $2 ORDER BY id DESC LIMIT $3)"
	" ORDER BY id")
/* $2 session, $3 how many, $4 and $5 the instant and id to go on before, $6 open ones (1)
 * or settled ones (0). Only ids are sorted: the asks themselves may be large. */
STATEMENT(SQL_ASKS_RECENT,
	"SELECT @asks FROM asks WHERE ws = $1 AND id IN (SELECT id FROM asks"
	" WHERE ws = $1 AND session = $2"
	" AND CASE WHEN settled_ms = 0 THEN 1 ELSE 0 END = $6"
	" AND (settled_ms < $4 OR (settled_ms = $4 AND id < $5))"
	" ORDER BY settled_ms DESC, id DESC LIMIT $3)"
	" ORDER BY settled_ms DESC, id DESC")
STATEMENT(SQL_ASK_SETTLED_BY_DEDUPE,
	ASKS_AND_SESSIONS " WHERE a.ws = $1 AND a.agent = $2 AND a.dedupe_key = $3"
			  " AND a.settled_ms > $4 AND a.dedupe_key <> ''"
			  " ORDER BY a.settled_ms DESC, a.id DESC LIMIT 1")
STATEMENT(SQL_ASK_BY_DEDUPE,
	ASKS_AND_SESSIONS " WHERE a.ws = $1 AND a.agent = $2 AND a.dedupe_key = $3"
			  " AND a.status = 'pending' AND a.dedupe_key <> ''")
STATEMENT(SQL_ASKS_VOTING, "SELECT @asks FROM asks WHERE status = 'pending'"
			   " AND require <> '' AND ws = $1 ORDER BY id LIMIT $2")
STATEMENT(SQL_ASKS_DUE, ASKS_AND_SESSIONS
	" WHERE a.status = 'pending' AND a.deadline_ms > 0 AND a.deadline_ms <= $1"
	" ORDER BY a.deadline_ms LIMIT $2")
STATEMENT(SQL_MARKS_END_SNOOZE,
	"UPDATE marks SET snoozed_ms = 0 WHERE ws = $1 AND ask = $2"
	" AND snoozed_ms > 0")
STATEMENT(SQL_MARKS_DROP, "DELETE FROM marks WHERE ws = $1 AND user_id = $2")
/* Not a change of the ask: no version, and no row that another job may hold. The first
 * time counts; an ask that was deleted meanwhile leaves nothing. $3 to $34 are asks, the
 * last one again where there are fewer. */
STATEMENT(SQL_ASKS_FETCHED,
	"INSERT INTO fetched (ws, ask, at_ms) SELECT ws, id, $2 FROM asks"
	" WHERE ws = $1 AND id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,"
	" $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28,"
	" $29, $30, $31, $32, $33, $34) ON CONFLICT DO NOTHING")
/* The session of the ask $2, if its agent was not heard of since $3. */
STATEMENT(SQL_SESSION_UNHEARD,
	"SELECT @sessions FROM sessions WHERE ws = $1 AND heard_ms < $3"
	" AND for_ask = 0 AND id = (SELECT session FROM asks WHERE ws = $1 AND id = $2)")
/* Sessions that nobody was heard of since $1. */
STATEMENT(SQL_SESSIONS_SILENT, "SELECT @sessions FROM sessions WHERE status = 'running'"
			       " AND heard_ms > 0 AND heard_ms <= $1 LIMIT $2")
/* The next deadline of an ask, or the instant at which a session is silent for $1. */
STATEMENT(SQL_DEADLINE_NEXT,
	"SELECT COALESCE(MIN(due), 0) FROM (SELECT MIN(deadline_ms) AS due FROM asks"
	" WHERE status = 'pending' AND deadline_ms > 0 UNION ALL"
	" SELECT MIN(heard_ms) + $1 FROM sessions WHERE status = 'running'"
	" AND heard_ms > 0 UNION ALL SELECT MIN(expires_ms) FROM rules"
	" WHERE ended_ms = 0 AND expires_ms > 0 UNION ALL SELECT MIN(until_ms)"
	" FROM stops WHERE ended_ms = 0 AND until_ms > 0) AS all_due")
/* $12 status, $13 the id to go on after */
STATEMENT(SQL_ASKS_OLDEST,
	ASKS " AND a.status = $12 AND a.id > $13" ASKS_FILTER " ORDER BY a.id LIMIT $2")
STATEMENT(SQL_ASKS_NEWEST, ASKS " AND a.status = $12 AND a.id < $13" ASKS_FILTER
				" ORDER BY a.id DESC LIMIT $2")
STATEMENT(SQL_ASKS_ALL, ASKS " AND a.id < $12" ASKS_FILTER " ORDER BY a.id DESC LIMIT $2")
STATEMENT(SQL_ASKS_OF_SESSION_UP,
	ASKS " AND ($12 = '' OR a.status = $12) AND a.id > $13"
	     " AND a.session = $14" ASKS_FILTER " ORDER BY a.id LIMIT $2")
STATEMENT(SQL_ASKS_OF_SESSION_DOWN,
	ASKS " AND ($12 = '' OR a.status = $12) AND a.id < $13"
	     " AND a.session = $14" ASKS_FILTER " ORDER BY a.id DESC LIMIT $2")
/* $12 soon, $13 and $14 the urgency and id to go on after, $15 session */
STATEMENT(SQL_ASKS_SOON,
	ASKS " AND a.status = 'pending' AND a.deadline_ms > 0"
	     " AND a.deadline_ms <= $12 AND ($15 = '' OR a.session = $15)"
	     " AND (a.urgency < $13 OR (a.urgency = $13 AND a.id > $14))" ASKS_FILTER
	     " ORDER BY a.urgency DESC, a.id LIMIT $2")
STATEMENT(SQL_ASKS_URGENT,
	ASKS " AND a.status = 'pending' AND a.urgency > 0"
	     " AND ($15 = '' OR a.session = $15)"
	     " AND (a.urgency < $13 OR (a.urgency = $13 AND a.id > $14))" ASKS_NOT_SOON
		     ASKS_FILTER " ORDER BY a.urgency DESC, a.id LIMIT $2")
STATEMENT(SQL_ASKS_REST,
	ASKS " AND a.status = 'pending' AND a.urgency = 0 AND a.id > $13"
	     " AND ($14 = '' OR a.session = $14)" ASKS_NOT_SOON ASKS_FILTER
	     " ORDER BY a.id LIMIT $2")
/* $12 and $13 the instant and id to go on before; $14 to $21 are SETTLED_FILTER's; $22 whether the event
 * that settled it is wanted, with its hash (1) */
STATEMENT(SQL_ASKS_SETTLED,
	"SELECT @asks(a.), " ASK_BESIDE ", CASE WHEN $22 = 1 THEN (SELECT n"
	" FROM events e WHERE " SETTLED_IT ") ELSE 0 END,"
	" CASE WHEN $22 = 1 THEN (SELECT hash FROM events e WHERE " SETTLED_IT
	") END" ASKS_FROM
	" AND (a.settled_ms < $12 OR (a.settled_ms = $12 AND a.id < $13))" SETTLED_FILTER
		ASKS_FILTER " ORDER BY a.settled_ms DESC, a.id DESC LIMIT $2")
STATEMENT(SQL_ASK_PROOF,
	"SELECT n, hash FROM events e, (SELECT ws, session, id FROM asks"
	" WHERE ws = $1 AND session = $2 AND id = $3) a WHERE " SETTLED_IT)
/* The newest $2 of what SETTLED_FILTER finds: all, those that the person $9 settled, that people settled,
 * that rules did, rejected ones, expired ones. */
STATEMENT(SQL_ASKS_COUNTED,
	"SELECT COUNT(*), COALESCE(SUM(CASE WHEN who = $9 AND $9 <> '' THEN 1 END), 0),"
	" COALESCE(SUM(CASE WHEN who <> '' THEN 1 END), 0),"
	" COALESCE(SUM(CASE WHEN by_whom LIKE '%\"kind\":\"policy\"%' THEN 1 END), 0),"
	" COALESCE(SUM(CASE WHEN kind = 'approval'"
	" AND answer LIKE '%\"value\":\"reject\"%' THEN 1 END), 0),"
	" COALESCE(SUM(CASE WHEN status = 'expired' THEN 1 END), 0)"
	" FROM (SELECT a.settled_user AS who, a.answered_by AS by_whom, a.kind AS kind,"
	" a.status AS status, a.answer AS answer" ASKS_FROM SETTLED_FILTER ASKS_FILTER
	" AND $12 = 0 AND $13 = 0 ORDER BY a.settled_ms DESC, a.id DESC LIMIT $2) AS found")
STATEMENT(SQL_AGENTS, "SELECT DISTINCT agent FROM tokens WHERE ws = $1")
/* By kind and project, at most $2 of them: how many, and since when the oldest. */
STATEMENT(SQL_ASKS_PENDING,
	"SELECT kind, project, COUNT(*), MIN(created_ms) FROM asks WHERE ws = $1"
	" AND status = 'pending' GROUP BY kind, project ORDER BY project, kind LIMIT $2")
STATEMENT(SQL_RUNS_COUNTED,
	"SELECT COALESCE(SUM(CASE WHEN status = 'queued' THEN 1 ELSE 0 END), 0),"
	" COALESCE(SUM(CASE WHEN status = 'running' THEN 1 ELSE 0 END), 0),"
	" COALESCE(SUM(CASE WHEN status = 'waiting' THEN 1 ELSE 0 END), 0),"
	" COALESCE(MIN(CASE WHEN status = 'queued' THEN queued_ms END), 0)"
	" FROM runs WHERE ws = $1 AND ended_ms = 0")
/* How long people took, newest first; $2 an id, $3 how many. What expired was waited for as well. */
STATEMENT(SQL_FORECAST,
	"SELECT kind, project, created_ms, settled_ms,"
	" CASE WHEN status = 'expired' THEN 1 ELSE 0 END FROM asks"
	" WHERE ws = $1 AND id >= $2 AND (status = 'expired'"
	" OR (status IN ('answered', 'skipped')"
	" AND answered_by LIKE '%\"kind\":\"human\"%')) ORDER BY id DESC LIMIT $3")
/* $2 and $3 ids, $4 the asking agent, which sees its own alone; $5 agent, $6 project, $7 kind. What is
 * large is left out. */
STATEMENT(SQL_INSIGHTS,
	"SELECT a.kind, a.status, a.created_ms, a.settled_ms, a.session, a.answered_by,"
	" a.route, a.agent, a.agent_name,"
	" CASE WHEN a.approved_digest <> '' AND a.revoked = '' THEN 1 ELSE 0 END,"
	" a.project, a.search,"
	" CASE WHEN LENGTH(a.fixed) <= 65536 THEN a.fixed ELSE '' END, a.answer, a.id,"
	" (SELECT s.status FROM sessions s WHERE s.ws = a.ws AND s.id = a.session)"
	" FROM asks a WHERE a.ws = $1 AND a.id >= $2 AND a.id < $3"
	" AND ($4 = '' OR a.agent = $4)"
	" AND ($5 = '' OR a.agent = $5 OR a.agent_name = $5)"
	" AND ($6 = '' OR a.project = $6) AND ($7 = '' OR a.kind = $7) ORDER BY a.id")

STATEMENT(SQL_RULES_LIVE, "SELECT @rules FROM rules WHERE ws = $1 AND ended_ms = 0"
			  " ORDER BY id")
STATEMENT(SQL_SIGNING_KEYS_OF, "SELECT @signing_keys FROM signing_keys WHERE ws = $1"
			       " ORDER BY number DESC")
STATEMENT(SQL_HOLDS_LIVE, "SELECT @holds FROM holds WHERE ws = $1 AND lifted = ''"
			  " ORDER BY id")
STATEMENT(SQL_HOLDS_LIST, "SELECT @holds FROM holds WHERE ws = $1 AND id < $2"
			  " AND ($4 = 2 OR $4 = CASE WHEN lifted = '' THEN 1 ELSE 0 END)"
			  " ORDER BY id DESC LIMIT $3")
/* The event that a receipt hangs on: the last of these types; then the hash before it. */
STATEMENT(SQL_RECEIPT_EVENT, "SELECT @events FROM events WHERE ws = $1 AND session = $2"
			     " AND ask = $3 AND type IN ('ask.answered', 'ask.skipped',"
			     " 'ask.expired', 'ask.cancelled', 'ask.revoked')"
			     " ORDER BY n DESC LIMIT 1")
STATEMENT(SQL_EVENT_HASH, "SELECT hash FROM events WHERE place = $1")
STATEMENT(SQL_RULES_MADE_FROM, "SELECT @rules FROM rules WHERE ws = $1 AND ended_ms = 0"
			       " AND made_from = $2 ORDER BY id")
STATEMENT(SQL_RULES_SINCE, "SELECT @rules FROM rules WHERE ws = $1 AND ended_ms = 0"
			   " AND shadow = 0"
			   " AND (effect = 'deny' OR (effect = 'ask'"
			   " AND ask LIKE '%\"require\"%')) ORDER BY id")
/* $4 effect, $5 live ones (1), ended ones (0) or both (2), $6 now */
STATEMENT(SQL_RULES_LIST, "SELECT @rules FROM rules WHERE ws = $1 AND id < $2"
			  " AND ($4 = '' OR effect = $4)"
			  " AND ($5 = 2 OR $5 = CASE WHEN ended_ms = 0 AND uses_left <> 0"
			  " AND (expires_ms = 0 OR expires_ms > $6) THEN 1 ELSE 0 END)"
			  " ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_RULES_DUE, "SELECT @rules FROM rules WHERE ended_ms = 0 AND expires_ms > 0"
			 " AND expires_ms <= $1 ORDER BY expires_ms LIMIT $2")
STATEMENT(SQL_RULES_PURGE, "DELETE FROM rules WHERE ended_ms > 0 AND ended_ms < $1")
/* Not a change of the rule: no version, and no row that another job may hold. */
STATEMENT(SQL_RULE_HIT, "UPDATE rules SET hits = hits + $3, last_hit_ms = $4"
			" WHERE ws = $1 AND id = $2")
/* $2 how many, $3 agent, $4 project, $5 and $6 from and to when. What is large is left
 * out: it is looked at while rules are made. */
STATEMENT(SQL_APPROVALS,
	"SELECT @asks FROM asks WHERE ws = $1 AND digest <> ''"
	" AND ($3 = '' OR agent = $3 OR agent_name = $3)"
	" AND ($4 = '' OR project = $4)"
	" AND created_ms >= $5 AND created_ms <= $6 AND LENGTH(fixed) <= 65536"
	" ORDER BY id DESC LIMIT $2")
/* What rules can be rehearsed on: approvals, and calls of our runs; $2 an id, $3 and $4 from and to
 * when. */
STATEMENT(SQL_OPERATIONS_ASKED,
	"SELECT @asks FROM asks WHERE ws = $1 AND digest <> '' AND id >= $2"
	" AND created_ms >= $3 AND created_ms < $4 AND LENGTH(fixed) <= 65536"
	" ORDER BY id")
STATEMENT(SQL_OPERATIONS_CALLED,
	"SELECT @tool_calls(c.), (SELECT r.agent FROM runs r WHERE r.ws = c.ws"
	" AND r.id = c.run), (SELECT s.project FROM sessions s WHERE s.ws = c.ws"
	" AND s.id = c.session) FROM tool_calls c WHERE c.ws = $1 AND c.id >= $2"
	" AND c.created_ms >= $3 AND c.created_ms < $4 AND c.category <> '' ORDER BY c.id")
/* When the first of those is from that are too many: $4 are taken. */
STATEMENT(SQL_OPERATIONS_BEYOND,
	"SELECT COALESCE(MAX(at_ms), 0) FROM (SELECT created_ms AS at_ms FROM asks"
	" WHERE ws = $1 AND digest <> '' AND id >= $2 UNION ALL SELECT created_ms"
	" FROM tool_calls WHERE ws = $1 AND id >= $3 AND category <> '' AND ask = ''"
	" ORDER BY 1 DESC LIMIT 1 OFFSET $4) AS beyond")
STATEMENT(SQL_APPROVALS_OPEN,
	"SELECT id FROM asks WHERE ws = $1 AND status = 'pending'"
	" AND digest <> '' AND agent = $2 AND project = $3 ORDER BY id LIMIT $4")
STATEMENT(SQL_APPROVALS_WAITING,
	"SELECT @asks FROM asks WHERE ws = $1 AND status = 'pending'"
	" AND digest <> '' AND LENGTH(fixed) <= 65536 ORDER BY id LIMIT $2")
/* $2 agent or $3 project, settled since $4, $5 how many, newest first. */
STATEMENT(SQL_ASKS_ANSWERED,
	"SELECT @asks FROM asks WHERE ws = $1 AND settled_ms >= $4"
	" AND settled_ms > 0 AND status = 'answered'"
	" AND (agent = $2 OR (project = $3 AND project <> ''))"
	" AND LENGTH(fixed) <= 65536 ORDER BY settled_ms DESC, id DESC LIMIT $5")
STATEMENT(SQL_MANDATES_LIVE, "SELECT @mandates FROM mandates WHERE ws = $1"
			     " AND status = 'live' ORDER BY id")
STATEMENT(SQL_MANDATES_OPEN, /* of the agent $2, or in the session $3 */
	"SELECT @mandates FROM mandates WHERE ws = $1 AND status <> 'ended'"
	" AND (agent = $2 OR session = $3) ORDER BY id")
STATEMENT(SQL_MANDATE_OF_ASK,
	"SELECT @mandates FROM mandates WHERE ws = $1 AND session = $2 AND ask = $3")
STATEMENT(SQL_MANDATES_DUE, "SELECT @mandates FROM mandates WHERE status <> 'ended'"
			    " AND until_ms <= $1 ORDER BY until_ms LIMIT $2")
/* $4 agent, $5 session, $6 status, $7 now, $8 whose alone; empty: any */
STATEMENT(SQL_MANDATES_LIST,
	"SELECT @mandates FROM mandates WHERE ws = $1 AND id < $2"
	" AND ($4 = '' OR agent = $4 OR agent_name = $4) AND ($5 = '' OR session = $5)"
	" AND ($6 = '' OR CASE WHEN until_ms <= $7 THEN 'ended' ELSE status END = $6)"
	" AND ($8 = '' OR agent = $8) ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_STOPS_LIVE, "SELECT @stops FROM stops WHERE ws = $1 AND ended_ms = 0"
			  " ORDER BY id")
/* $4 live ones (1), ended ones (0) or both (2), $5 now */
STATEMENT(SQL_STOPS_LIST, "SELECT @stops FROM stops WHERE ws = $1 AND id < $2"
			  " AND ($4 = 2 OR $4 = CASE WHEN ended_ms = 0"
			  " AND (until_ms = 0 OR until_ms > $5) THEN 1 ELSE 0 END)"
			  " ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_STOPS_DUE, "SELECT @stops FROM stops WHERE ended_ms = 0 AND until_ms > 0"
			 " AND until_ms <= $1 ORDER BY until_ms LIMIT $2")
STATEMENT(SQL_STOPS_PURGE, "DELETE FROM stops WHERE ended_ms > 0 AND ended_ms < $1")
/* A stop was lifted: what it held back is due again. */
STATEMENT(SQL_RESUMERS_GO,
	"UPDATE deliveries SET next_ms = $2 WHERE ws = $1 AND kind = 'resumer'"
	" AND status = 'waiting' AND lease_by = '' AND attempts = 0"
	" AND next_ms > $2")

/* Templates, and lists of options: by their names. */
STATEMENT(SQL_TEMPLATE_LIST, "SELECT @presets FROM presets WHERE ws = $1"
			     " AND kind = 'template' AND name > $2"
			     " ORDER BY name LIMIT $3")
STATEMENT(SQL_TEMPLATE_NAMES, "SELECT name FROM presets WHERE ws = $1"
			      " AND kind = 'template' ORDER BY name LIMIT $2")
STATEMENT(SQL_LIST_LIST, "SELECT @presets FROM presets WHERE ws = $1"
			 " AND kind = 'list' AND name > $2 ORDER BY name LIMIT $3")
STATEMENT(SQL_PRESETS_OF, "SELECT @presets FROM presets WHERE ws = $1 AND kind = $2")
STATEMENT(SQL_AGENTS_OF, "SELECT @agents FROM agents WHERE ws = $1 ORDER BY name")
STATEMENT(
	SQL_PROVIDERS_OF, "SELECT @providers FROM providers WHERE ws = $1 ORDER BY name")
STATEMENT(SQL_MCP_LISTS_OF,
	"SELECT @mcp_lists FROM mcp_lists WHERE ws = $1 AND server = $2")
STATEMENT(SQL_MCP_SERVERS_OF,
	"SELECT @mcp_servers FROM mcp_servers WHERE ws = $1 ORDER BY name")
STATEMENT(SQL_TOOLS_OF, "SELECT @tools FROM tools WHERE ws = $1 ORDER BY name")
STATEMENT(SQL_PRICES_OF, "SELECT @prices FROM prices WHERE ws = $1 ORDER BY model")
/* $2 the id to go on before, $3 how many, $4 to $8 as DELIVERY_FILTER has them, $9 status.
 * All; those that ended so; those that wait, steps of routes among them. No index has those by
 * their id: each open ask may have one, and would pay for it. Where many wait, a page of them is
 * among the newest deliveries; where it is not, all steps are looked at. */
STATEMENT(SQL_DELIVERY_LIST, "SELECT @deliveries FROM deliveries WHERE ws = $1"
			     " AND id < $2" DELIVERY_FILTER " ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_DELIVERY_LIST_ENDED,
	"SELECT @deliveries FROM deliveries WHERE ws = $1 AND id < $2"
	" AND status <> 'waiting' AND status = $9" DELIVERY_FILTER
	" ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_DELIVERY_LIST_WAITING,
	"WITH near (id) AS (SELECT id FROM (SELECT @deliveries FROM deliveries"
	" WHERE ws = $1 AND id < $2 AND ($4 = '' OR $4 = 'route')"
	" ORDER BY id DESC LIMIT 1000) AS newest WHERE " DELIVERY_STEP DELIVERY_FILTER
	" ORDER BY id DESC LIMIT $3)"
	" SELECT @deliveries FROM deliveries WHERE ws = $1 AND id IN"
	" (SELECT id FROM (SELECT id FROM deliveries WHERE ws = $1 AND id < $2"
	" AND status = 'waiting' AND kind <> 'route'" DELIVERY_FILTER
	" ORDER BY id DESC LIMIT $3) AS others"
	" UNION ALL SELECT id FROM near"
	" UNION ALL SELECT id FROM (SELECT id"
	" FROM (SELECT COUNT(*) AS n FROM near) AS few CROSS JOIN deliveries"
	" WHERE n < $3 AND ($4 = '' OR $4 = 'route') AND +ws = $1"
	" AND id || '' < $2 AND " DELIVERY_STEP DELIVERY_FILTER
	" ORDER BY id DESC LIMIT $3) AS steps) ORDER BY id DESC LIMIT $3")
/* One look at each owner that anything waits for, however much it is. */
STATEMENT(SQL_DELIVERY_OWNERS,
	"WITH RECURSIVE owners (name) AS (SELECT MIN(owner) FROM deliveries"
	" WHERE status = 'waiting' AND carrier = '' AND kind = $3 UNION ALL"
	" SELECT (SELECT MIN(owner) FROM deliveries WHERE status = 'waiting'"
	" AND carrier = '' AND kind = $3 AND owner > name) FROM owners WHERE name IS NOT NULL)"
	" SELECT name, due FROM (SELECT name, (SELECT next_ms FROM deliveries d"
	" WHERE " DELIVERY_FREE " AND kind = $3 AND owner = name"
	" ORDER BY next_ms LIMIT 1) AS due"
	" FROM owners WHERE name IS NOT NULL) AS found"
	" WHERE due IS NOT NULL ORDER BY due LIMIT $4")
/* However many wait for groups that are full, no more are looked at. */
STATEMENT(SQL_DELIVERY_DUE,
	"SELECT @deliveries FROM (SELECT @deliveries FROM deliveries d"
	" WHERE " DELIVERY_FREE " AND kind = $3 AND owner = $4"
	" ORDER BY next_ms LIMIT 2000) AS oldest"
	" WHERE $5 NOT LIKE '%,' || host || ',%' ORDER BY next_ms LIMIT $6")
STATEMENT(SQL_DELIVERY_HELD, "SELECT owner, host, COUNT(*) FROM deliveries"
			     " WHERE " DELIVERY_HELD " AND lease_by = $1"
			     " AND kind || '' = $2"
			     " GROUP BY owner, host")
STATEMENT(SQL_DELIVERY_HELD_BY,
	"SELECT @deliveries FROM deliveries WHERE " DELIVERY_HELD " AND lease_by = $1")
/* Resumers begun by a process that is gone, and their outcome with it. */
STATEMENT(SQL_DELIVERY_LOST, "SELECT @deliveries FROM deliveries WHERE " DELIVERY_HELD
			     " AND kind || '' = 'resumer' AND lease_ms <= $1"
			     " AND lease_by <> $2 ORDER BY id LIMIT $3")
/* When the first is due that nobody is at, or that another may have given up; or a step:
 * one look at each owner of steps. */
STATEMENT(SQL_DELIVERY_NEXT,
	"WITH RECURSIVE owners (name) AS (SELECT MIN(owner) FROM deliveries"
	" WHERE " DELIVERY_STEP " UNION ALL SELECT (SELECT MIN(owner)"
	" FROM deliveries WHERE " DELIVERY_STEP " AND owner > name)"
	" FROM owners WHERE name IS NOT NULL)"
	" SELECT COALESCE(MIN(due), 0) FROM (SELECT (SELECT next_ms FROM deliveries"
	" WHERE " DELIVERY_TO_DO " AND lease_by = '' ORDER BY next_ms LIMIT 1)"
	" AS due UNION ALL SELECT MIN(lease_ms) FROM deliveries WHERE " DELIVERY_HELD
	" AND lease_by <> $1 UNION ALL SELECT (SELECT next_ms FROM deliveries"
	" WHERE " DELIVERY_STEP " AND owner = name ORDER BY next_ms LIMIT 1)"
	" FROM owners WHERE name IS NOT NULL) AS all_due")
STATEMENT(SQL_DELIVERY_PURGE,
	"DELETE FROM deliveries WHERE (status IN ('done', 'dropped')"
	" AND done_ms < $1) OR (status = 'dead' AND done_ms < $2)")
/* Steps of routes wait or are over. */
STATEMENT(SQL_DELIVERY_COUNT,
	"SELECT kind, status, COUNT(*) FROM deliveries WHERE ws = $1"
	" AND status IN ('waiting', 'dead') AND kind <> 'route'"
	" GROUP BY kind, status UNION ALL SELECT kind, status, COUNT(*)"
	" FROM deliveries WHERE +ws = $1 AND " DELIVERY_STEP
	" GROUP BY kind, status ORDER BY kind, status")
/* One look at each kind that something is due of. */
STATEMENT(SQL_DELIVERY_KINDS,
	"WITH RECURSIVE kinds (name) AS (SELECT MIN(kind) FROM deliveries"
	" WHERE status = 'waiting' AND carrier = '' UNION ALL"
	" SELECT (SELECT MIN(kind) FROM deliveries WHERE status = 'waiting'"
	" AND carrier = '' AND kind > name) FROM kinds WHERE name IS NOT NULL)"
	" SELECT name FROM kinds WHERE name IS NOT NULL")
STATEMENT(SQL_DELIVERIES_OF_ASK, "SELECT @deliveries FROM deliveries WHERE ws = $1"
				 " AND ask = $2 AND ask <> '' ORDER BY id")
STATEMENT(SQL_DELIVERIES_CARRIED, "SELECT @deliveries FROM deliveries WHERE ws = $1"
				  " AND carrier = $2 AND carrier <> '' ORDER BY id")
/* Messages of a channel that failed before and wait for their next time. */
STATEMENT(SQL_DELIVERIES_STUCK,
	"SELECT @deliveries FROM deliveries WHERE status = 'waiting'"
	" AND carrier = '' AND lease_by = '' AND next_ms > $2 AND kind = $1"
	" AND contact <> '' AND attempts > 0 ORDER BY next_ms LIMIT $3")
STATEMENT(SQL_CHANNELS, "SELECT @channels FROM channels")
STATEMENT(SQL_CHANNELS_DOWN, "SELECT name FROM channels WHERE error <> ''")
STATEMENT(SQL_CHANNELS_WAITING,
	"SELECT kind, COUNT(*) FROM deliveries WHERE ws = $1"
	" AND status = 'waiting' AND kind <> 'route' AND contact <> ''"
	" AND attempts > 0 GROUP BY kind")
/* Digests and summaries of a contact that wait. */
STATEMENT(SQL_DELIVERIES_TO_CONTACT,
	"SELECT @deliveries FROM deliveries WHERE ws = $1 AND contact = $2"
	" AND contact <> '' AND done_ms = 0 AND purpose = $3"
	" AND status = 'waiting'")
/* How many messages a contact got since $3, or gets now; and when the first was. However
 * many it ever got, these alone are read. */
STATEMENT(SQL_CONTACT_RECENT,
	"SELECT COUNT(*), COALESCE(MIN(CASE WHEN done_ms > 0 THEN done_ms END), 0)"
	" FROM (SELECT done_ms FROM deliveries WHERE ws = $1 AND contact = $2"
	" AND contact <> '' AND done_ms > $3 AND status = 'done'"
	" AND carrier = '' AND " DELIVERY_SHOWS_ASK
	" UNION ALL SELECT done_ms FROM deliveries WHERE " DELIVERY_HELD
	" AND +ws = $1 AND contact || '' = $2 AND id <> $4"
	" AND " DELIVERY_SHOWS_ASK ") AS recent")
/* To one address, whoever has it as a contact. */
STATEMENT(SQL_CODES_SENT, "SELECT COUNT(*) FROM deliveries WHERE kind = $1"
			  " AND host = $2 AND purpose = 'code' AND created_ms > $3"
			  " AND contact <> ''")
STATEMENT(SQL_NOTIFY_WAITING, "SELECT COUNT(*) FROM deliveries WHERE ws = $1"
			      " AND contact <> '' AND status = 'waiting'"
			      " AND kind <> 'route'")
STATEMENT(SQL_ASKS_CARRIED,
	"SELECT @asks(a.) FROM asks a WHERE a.ws = $1 AND a.status = 'pending'"
	" AND a.id IN (SELECT d.ask FROM deliveries d WHERE d.ws = $1"
	" AND d.carrier = $2 AND d.carrier <> '' AND d.status = 'waiting')"
	" ORDER BY a.urgency DESC, a.id LIMIT $3")

STATEMENT(SQL_CONTACTS_OF, "SELECT @contacts FROM contacts WHERE ws = $1 ORDER BY id")
STATEMENT(SQL_CONTACT_LIST, "SELECT @contacts FROM contacts WHERE ws = $1"
			    " AND user_id = $2 AND team = $3 ORDER BY id")
STATEMENT(SQL_CONTACTS_AT, "SELECT @contacts FROM contacts WHERE channel = $1"
			   " AND address = $2 ORDER BY id")
/* Of any workspace: their ids are known from a token that we wrote. */
STATEMENT(SQL_CONTACT_ANYWHERE, "SELECT @contacts(c.) FROM workspaces w"
				" JOIN contacts c ON c.ws = w.id AND c.id = $1")
STATEMENT(SQL_DELIVERY_ANYWHERE, "SELECT @deliveries(d.) FROM workspaces w"
				 " JOIN deliveries d ON d.ws = w.id AND d.id = $1")
STATEMENT(SQL_SLACK_SHOWN,
	"SELECT detail FROM deliveries WHERE ws = $1 AND ask = $2"
	" AND kind = 'slack' AND contact = $3 AND purpose IN ('ask', 'alert')"
	" AND detail <> ''"
	" ORDER BY id LIMIT 1")
STATEMENT(SQL_SLACK_THREAD,
	"SELECT ws, ask FROM deliveries WHERE detail = $1 AND kind = 'slack'"
	" AND detail <> '' AND ask <> '' LIMIT 1")
STATEMENT(SQL_NOTIFY_PEOPLE_OF, "SELECT @notify_people FROM notify_people WHERE ws = $1")

/* As store/lease.h has it: $3 is no kind, for there is one. Sub-agents first: somebody waits
 * for them, and they do not count among those that a workspace may have at once. */
STATEMENT(SQL_RUN_OWNERS,
	"SELECT owner, MIN(wake_ms) AS due FROM runs"
	" WHERE status = 'queued' AND wake_ms <= $1"
	" AND $2 <> '' AND $3 = '' GROUP BY owner ORDER BY due LIMIT $4")
STATEMENT(SQL_RUN_DUE,
	"SELECT @runs FROM runs WHERE status = 'queued' AND owner = $4"
	" AND wake_ms <= $1 AND $2 <> '' AND $3 = ''"
	" AND $5 NOT LIKE '%,' || provider || ',%'"
	" ORDER BY CASE WHEN parent > '' THEN 0 ELSE 1 END, wake_ms LIMIT $6")
STATEMENT(SQL_RUN_HELD, "SELECT owner, provider, COUNT(*) FROM runs WHERE lease_by > ''"
			" AND lease_by = $1 AND $2 = '' GROUP BY owner, provider")
STATEMENT(SQL_RUN_HELD_BY, "SELECT @runs FROM runs WHERE lease_by > '' AND lease_by = $1")
/* Held by a process that did not come back in time. */
STATEMENT(SQL_RUNS_LOST, "SELECT @runs FROM runs WHERE lease_by > '' AND lease_ms <= $1"
			 " AND lease_by <> $2 LIMIT $3")
/* Held by processes of the node $1 but the one that asks, $2. */
STATEMENT(SQL_RUNS_OF_NODE, "SELECT @runs FROM runs WHERE lease_by > ''"
			    " AND lease_by LIKE $1 ESCAPE '\\' AND lease_by <> $2")
STATEMENT(SQL_RUN_NEXT,
	"SELECT COALESCE(MIN(due), 0) FROM (SELECT MIN(wake_ms) AS due FROM runs"
	" WHERE status = 'queued' AND wake_ms > $1 UNION ALL"
	" SELECT MIN(wake_ms) FROM runs WHERE status = 'waiting' AND wake_ms > 0"
	" AND wake_ms > $1 UNION ALL"
	" SELECT MIN(lease_ms) FROM runs WHERE lease_by > '' AND lease_by <> $2)"
	" AS all_due")
/* They waited for a time that has come. */
STATEMENT(SQL_RUNS_WAKING,
	"SELECT @runs FROM runs WHERE status = 'waiting' AND wake_ms > 0"
	" AND wake_ms <= $1 ORDER BY wake_ms LIMIT $2")
/* How many top-level runs are at work, by workspace. */
STATEMENT(SQL_RUNS_WORKING, "SELECT owner, COUNT(*) FROM runs WHERE lease_by > ''"
			    " AND parent = '' GROUP BY owner")
STATEMENT(SQL_RUNS_AHEAD,
	"SELECT (SELECT COUNT(*) FROM runs WHERE status = 'queued' AND owner = $1"
	" AND parent = ''), (SELECT COUNT(*) FROM runs WHERE lease_by > ''"
	" AND owner = $1 AND parent = '')")
/* A stop was lifted: what it held back is due again. */
STATEMENT(SQL_RUNS_GO, "UPDATE runs SET wake_ms = $2 WHERE ws = $1 AND status = 'queued'"
		       " AND wake_ms > $2")
STATEMENT(SQL_RUNS_OF_PARENT, "SELECT @runs FROM runs WHERE ws = $1 AND parent = $2"
			      " AND parent <> '' ORDER BY id")
/* The newest $3, newest first. */
STATEMENT(SQL_RUNS_LIVE_OF_PARENT,
	"SELECT @runs FROM runs WHERE ws = $1 AND parent = $2 AND parent <> ''"
	" AND status IN ('queued', 'running')")
STATEMENT(SQL_RUNS_OF_SESSION, "SELECT @runs FROM runs WHERE ws = $1 AND session = $2"
			       " ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_RUN_LIST, "SELECT @runs FROM runs WHERE ws = $1 AND id < $2"
			" AND ($4 = '' OR status = $4) AND ($5 = '' OR session = $5)"
			" AND ($6 = '' OR agent = $6) AND ($7 = '' OR parent = $7)"
			" AND ($8 = '' OR session IN (SELECT id FROM sessions"
			" WHERE ws = $1 AND starter = $8)) ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_RUN_USAGE,
	"SELECT agent, model, session, queued_ms, input, cache_read, cache_write,"
	" cache_write_1h, output, reasoning, cost, priced, partial FROM runs"
	" WHERE ws = $1 AND queued_ms >= $2 AND queued_ms < $3 ORDER BY id")
/* Of the thread $3 of a session the $5 behind the number $4. */
STATEMENT(SQL_MESSAGES_SINCE,
	"SELECT @messages FROM messages WHERE ws = $1 AND session = $2"
	" AND thread = $3 AND n > $4 AND n <= $4 + $5 ORDER BY id DESC LIMIT $5")
STATEMENT(SQL_MESSAGES_SUMMARIES,
	"SELECT @messages FROM messages WHERE ws = $1 AND session = $2 AND role = 'user'"
	" AND seen > 0 AND thread = $3")
STATEMENT(SQL_MESSAGE_LIST, "SELECT @messages FROM messages WHERE ws = $1"
			    " AND session = $2 AND id < $3 ORDER BY id DESC LIMIT $4")
/* $4: they stand behind it. */
STATEMENT(SQL_CALLS_OF_MESSAGE,
	"SELECT @tool_calls FROM tool_calls WHERE ws = $1 AND session = $2"
	" AND message = $3 AND id > $4 ORDER BY n")
STATEMENT(SQL_CALL_LIST, "SELECT @tool_calls FROM tool_calls WHERE ws = $1"
			 " AND session = $2 ORDER BY id DESC LIMIT $3")
/* $2 the id to go on before, $4 run, $5 status, $7 server, $8 agent, $6 session; or, of all, who started it */
STATEMENT(SQL_CALL_PAGE, CALL_IDS " AND session = $6 ORDER BY id DESC LIMIT $3")
/* Of the gateway: with this digest; begun without an end; with none; tasks to be run, though nobody sends them again. */
STATEMENT(SQL_CALLS_SAME, "SELECT @tool_calls FROM tool_calls WHERE ws = $1 AND same = $2"
			  " AND same <> '' ORDER BY id")
STATEMENT(SQL_CALLS_BEGUN, "SELECT @tool_calls FROM tool_calls WHERE server <> ''"
			   " AND status = 'started' ORDER BY ws, id LIMIT $1")
STATEMENT(SQL_CALLS_HELD,
	"SELECT COUNT(*) FROM tool_calls WHERE ws = $1 AND server <> ''"
	" AND status IN ('waiting', 'pending', 'started', 'interrupted')")
STATEMENT(SQL_CALLS_DUE,
	"SELECT @tool_calls FROM tool_calls WHERE task = 1 AND status IN ('waiting', 'pending')"
	" AND (status = 'pending' OR EXISTS (SELECT 1 FROM asks a WHERE a.ws = tool_calls.ws"
	" AND a.id = ask AND a.status = 'answered')) ORDER BY ws, id LIMIT $1")
STATEMENT(SQL_CALL_PAGE_ALL,
	CALL_IDS " AND ($6 = '' OR session IN (SELECT id FROM sessions"
		 " WHERE ws = $1 AND starter = $6)) ORDER BY id DESC LIMIT $3")
/* The calls of this tool that failed in this run before. */
STATEMENT(SQL_CALLS_FAILED,
	"SELECT @tool_calls FROM tool_calls WHERE ws = $1 AND session = $2"
	" AND run = $3 AND name = $4 AND status = 'failed'")
STATEMENT(SQL_TASK_LIST, "SELECT @tasks FROM tasks WHERE ws = $1 AND session = $2"
			 " ORDER BY id LIMIT $3")

STATEMENT(SQL_NODES, "SELECT @nodes FROM nodes ORDER BY name")
STATEMENT(SQL_TALLIES, "SELECT what, CAST(SUM(bad) AS BIGINT), CAST(SUM(total) AS BIGINT)"
		       " FROM tallies WHERE ws IN (0, $1) AND minute_ms > $2"
		       " GROUP BY what ORDER BY what")
STATEMENT(SQL_TALLIES_PURGE, "DELETE FROM tallies WHERE minute_ms < $1")
STATEMENT(SQL_ALERTS_OPEN, "SELECT @alerts FROM alerts WHERE cleared_ms = 0"
			   " AND ($1 = 0 OR ws = $1) ORDER BY ws, id")
/* $4 open ones (1), cleared ones (0) or both (2) */
STATEMENT(SQL_ALERTS_LIST, "SELECT @alerts FROM alerts WHERE ws = $1 AND id < $2"
			   " AND ($4 = 2 OR $4 = CASE WHEN cleared_ms = 0 THEN 1"
			   " ELSE 0 END) ORDER BY id DESC LIMIT $3")
STATEMENT(SQL_ALERTS_PURGE, "DELETE FROM alerts WHERE cleared_ms > 0"
			    " AND cleared_ms < $1")
/* Open asks that somebody waits for, made before the id $2 and the instant $3, the oldest $4. */
STATEMENT(SQL_ASKS_UNANSWERED,
	"SELECT id, created_ms FROM asks WHERE ws = $1 AND status = 'pending'"
	" AND kind <> 'non_blocking' AND id < $2 AND created_ms <= $3"
	" ORDER BY id LIMIT $4")
/* The same, the newest first: those of which no message was taken, waits or is to come. */
STATEMENT(SQL_ASKS_UNTOLD,
	"SELECT @asks(a.) FROM asks a WHERE a.ws = $1 AND a.status = 'pending'"
	" AND a.kind <> 'non_blocking' AND a.id < $2 AND a.created_ms <= $3"
	" AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.ws = a.ws"
	" AND d.ask = a.id AND d.ask <> '' AND ((d.contact <> ''"
	" AND d.status IN ('waiting', 'done')) OR (d.kind = 'route'"
	" AND d.status = 'waiting' AND d.step >= 0))) ORDER BY a.id DESC LIMIT $4")
/* Settled since $2, by kind: how many expired, of those that people could answer. */
STATEMENT(SQL_ASKS_TIMEOUTS,
	"SELECT kind, CAST(SUM(CASE WHEN status = 'expired' THEN 1 ELSE 0 END) AS BIGINT),"
	" COUNT(*) FROM asks WHERE ws = $1 AND settled_ms > $2 AND settled_ms > 0"
	" AND (status IN ('expired', 'skipped') OR (status = 'answered'"
	" AND answered_by LIKE '%\"kind\":\"human\"%')) GROUP BY kind ORDER BY kind")
STATEMENT(SQL_ASKS_EXPIRED,
	"SELECT id FROM asks WHERE ws = $1 AND settled_ms > $2 AND settled_ms > 0"
	" AND status = 'expired' AND kind = $3 ORDER BY settled_ms DESC, id DESC LIMIT $4")
/* Made since the id $2 and the instant $3 */
STATEMENT(SQL_ASKS_SINCE, "SELECT COUNT(*) FROM asks WHERE ws = $1 AND id >= $2"
			  " AND created_ms > $3")
/* By route: how many took longer than $4 until $5, of how many. */
STATEMENT(SQL_ASKS_LATE,
	"SELECT route, CAST(SUM(CASE WHEN CASE WHEN settled_ms > 0 THEN settled_ms"
	" ELSE $5 END - created_ms > $4 THEN 1 ELSE 0 END) AS BIGINT), COUNT(*)"
	" FROM asks WHERE ws = $1 AND id >= $2 AND created_ms > $3 AND route <> ''"
	" GROUP BY route")
STATEMENT(SQL_ASKS_LATE_IDS,
	"SELECT id FROM asks WHERE ws = $1 AND id >= $2 AND created_ms > $3"
	" AND route = $4 AND CASE WHEN settled_ms > 0 THEN settled_ms ELSE $6 END"
	" - created_ms > $5 ORDER BY id DESC LIMIT $7")
STATEMENT(SQL_DELIVERIES_DEAD,
	"SELECT COUNT(*) FROM deliveries WHERE ws = $1 AND status = 'dead'"
	" AND done_ms > $2")
STATEMENT(SQL_DELIVERIES_DEAD_ASKS,
	"SELECT DISTINCT ask FROM deliveries WHERE ws = $1 AND status = 'dead'"
	" AND done_ms > $2 AND ask LIKE 'ask%' ORDER BY ask LIMIT $3")
STATEMENT(SQL_DELIVERIES_TAKEN, /* of the ask $2, since $3 */
	"SELECT COUNT(*) FROM deliveries WHERE ws = $1 AND ask = $2 AND ask <> ''"
	" AND contact <> '' AND status = 'done' AND done_ms >= $3")
STATEMENT(SQL_RUNS_COST,
	"SELECT CAST(COALESCE(SUM(cost), 0) AS BIGINT) FROM runs WHERE ws = $1"
	" AND queued_ms > $2")
STATEMENT(SQL_CONTACT_CHANNELS,
	"SELECT DISTINCT channel FROM contacts WHERE ws = $1 AND verified = 1")

STATEMENT(SQL_EVENT_LAST, "SELECT last_event FROM workspaces WHERE id = $1")
STATEMENT(SQL_EVENTS_AFTER, EVENTS_OF_ALL " ORDER BY place LIMIT $4")
STATEMENT(SQL_EVENTS_OF_SESSION, EVENTS_OF_ONE " ORDER BY n LIMIT $4")
/* The newest first. */
STATEMENT(SQL_EVENTS_BEFORE, EVENTS_OF_ALL " ORDER BY place DESC LIMIT $4")
STATEMENT(SQL_EVENTS_OF_SESSION_BEFORE, EVENTS_OF_ONE " ORDER BY n DESC LIMIT $4")
/* Behind the place $1 and up to $2. */
STATEMENT(SQL_EVENTS_CHAIN, "SELECT @events FROM events WHERE place > $1"
			    " AND place <= $2 ORDER BY place LIMIT $3")
/* With the project of each one's session. */
STATEMENT(SQL_EXPORT_EVENTS, "SELECT @events(e.), COALESCE(s.project, '') FROM events e"
			     " LEFT JOIN sessions s ON s.ws = e.ws AND s.id = e.session"
			     " WHERE e.place > $1 AND e.place <= $2 ORDER BY e.place"
			     " LIMIT $3")
/* The last event before a time, and the first from one on; 0: there is none. */
STATEMENT(SQL_EXPORT_TO, "SELECT COALESCE(MAX(n), 0) FROM events WHERE place > $1"
			 " AND place <= $2 AND at_ms < $3")
STATEMENT(SQL_EXPORT_FROM, "SELECT COALESCE(MIN(n), 0) FROM events WHERE place > $1"
			   " AND place <= $2 AND at_ms >= $3")
STATEMENT(SQL_SESSION_EXISTS, "SELECT COUNT(*) FROM sessions WHERE ws = $1 AND id = $2")

STATEMENT(SQL_CHECK_COUNT,
	"SELECT CAST(COALESCE(SUM(last_event), 0) AS BIGINT) FROM workspaces")
STATEMENT(SQL_CHECK_WORKSPACES,
	"SELECT id, name, last_event, last_hash, old_events, teams,"
	" (SELECT COUNT(*) FROM teams t WHERE t.ws = workspaces.id), contacts,"
	" (SELECT COUNT(*) FROM contacts k WHERE k.ws = workspaces.id) FROM workspaces"
	" WHERE id > $1 ORDER BY id LIMIT $2")
/* Behind ($2, $3), up to the session $4. */
STATEMENT(SQL_CHECK_EVENTS, "SELECT @events FROM events WHERE ws = $1"
			    " AND (session, n) > ($2, $3) AND session <= $4"
			    " ORDER BY session, n LIMIT $5")
STATEMENT(SQL_CHECK_ASKS, "SELECT @asks FROM asks WHERE ws = $1"
			  " AND (session, id) > ($2, $3) ORDER BY session, id LIMIT $4")
STATEMENT(SQL_CHECK_OPEN,
	"SELECT session, kind, CASE WHEN status = 'pending' THEN 1 ELSE 0 END"
	" AS open, COUNT(*) FROM asks WHERE ws = $1 AND session > $2"
	" AND session <= $3 GROUP BY session, kind, open")
STATEMENT(SQL_CHECK_MANDATES,
	"SELECT @mandates FROM mandates WHERE ws = $1 AND session > $2 AND session <= $3")
STATEMENT(SQL_CHECK_LOST_EVENTS,
	"SELECT COUNT(*) FROM events WHERE ws NOT IN (SELECT id FROM workspaces)"
	" OR n < 1 OR n >= 1099511627776 OR place <> ws * 1099511627776 + n")
/* Of no session, or a sub-agent of a sub-agent. */
STATEMENT(SQL_CHECK_LOST_RUNS,
	"SELECT COUNT(*) FROM runs r WHERE NOT EXISTS (SELECT 1 FROM sessions s"
	" WHERE s.ws = r.ws AND s.id = r.session) OR (r.parent > '' AND NOT EXISTS"
	" (SELECT 1 FROM runs p WHERE p.ws = r.ws AND p.id = r.parent AND p.parent = ''))")
STATEMENT(SQL_CHECK_LOST_MESSAGES,
	"SELECT COUNT(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM runs r"
	" WHERE r.ws = m.ws AND r.id = m.run AND r.session = m.session)")
STATEMENT(SQL_CHECK_LOST_TOOL_CALLS,
	"SELECT COUNT(*) FROM tool_calls c WHERE NOT EXISTS (SELECT 1 FROM messages m"
	" WHERE m.ws = c.ws AND m.session = c.session AND m.id = c.message"
	" AND m.run = c.run) AND (c.server = '' OR NOT EXISTS (SELECT 1 FROM sessions s"
	" WHERE s.ws = c.ws AND s.id = c.session))")
STATEMENT(SQL_CHECK_LOST_TASKS,
	"SELECT COUNT(*) FROM tasks t WHERE NOT EXISTS (SELECT 1 FROM sessions s"
	" WHERE s.ws = t.ws AND s.id = t.session)")
STATEMENT(SQL_CHECK_TOKENS, "SELECT @tokens FROM tokens WHERE ws = $1 AND id > $2"
			    " ORDER BY id LIMIT $3")
/* Those of other workspaces are left out by whoever reads them: the name says it. */
STATEMENT(SQL_CHECK_KEYS, "SELECT @server_keys FROM server_keys WHERE $1 > 0"
			  " AND name > $2 ORDER BY name LIMIT $3")
/* Behind the session $2: what it says of its runs, and what they say. */
STATEMENT(SQL_CHECK_SESSION_RUNS,
	"SELECT id, run, run_open, spent, last,"
	" CASE WHEN last = '' THEN 0 ELSE (SELECT CASE WHEN r.ended_ms = 0 THEN 1"
	" ELSE 0 END FROM runs r WHERE r.ws = $1 AND r.id = last) END,"
	" (SELECT CAST(COALESCE(SUM(r.input + r.cache_read + r.cache_write"
	" + r.cache_write_1h + r.output), 0) AS BIGINT) FROM runs r WHERE r.ws = $1"
	" AND r.session = found.id),"
	" (SELECT CAST(COALESCE(SUM(r.cost), 0) AS BIGINT) FROM runs r"
	" WHERE r.ws = $1 AND r.session = found.id),"
	" (SELECT COALESCE(MAX(r.priced), 0) FROM runs r WHERE r.ws = $1"
	" AND r.session = found.id),"
	" (SELECT COALESCE(MAX(r.partial), 0) FROM runs r WHERE r.ws = $1"
	" AND r.session = found.id)"
	" FROM (SELECT s.id, s.run, s.run_open, s.spent, COALESCE((SELECT r.id"
	" FROM runs r WHERE r.ws = s.ws AND r.session = s.id AND r.parent = ''"
	" ORDER BY r.id DESC LIMIT 1), '') AS last FROM sessions s"
	" WHERE s.ws = $1 AND s.id > $2 AND (s.run <> '' OR s.run_open <> 0"
	" OR s.spent <> '' OR EXISTS (SELECT 1 FROM runs r WHERE r.ws = s.ws"
	" AND r.session = s.id)) ORDER BY s.id LIMIT $3) AS found ORDER BY id")
STATEMENT(SQL_CHECK_RUNS, "SELECT id, status, parent, config FROM runs WHERE ws = $1"
			  " AND session > $2 AND session <= $3")
/* Of the same sessions: those of a message in its order. */
STATEMENT(SQL_CHECK_TOOL_CALLS, "SELECT @tool_calls FROM tool_calls WHERE ws = $1"
				" AND session > $2 AND session <= $3"
				" ORDER BY session, id")
/* Behind ($2, $3). */
STATEMENT(SQL_CHECK_MESSAGES, "SELECT @messages FROM messages WHERE ws = $1"
			      " AND (session, id) > ($2, $3) ORDER BY session, id"
			      " LIMIT $4")
/* One a workspace, whose name is "policy". */
STATEMENT(SQL_POLICIES, "SELECT @policies FROM policies ORDER BY ws")
STATEMENT(SQL_CHECK_POLICIES, "SELECT @policies FROM policies WHERE ws = $1"
			      " AND 'policy' > $2 LIMIT $3")
STATEMENT(SQL_CHECK_ROUTES, "SELECT @routes FROM routes WHERE ws = $1"
			    " AND 'routes' > $2 LIMIT $3")
