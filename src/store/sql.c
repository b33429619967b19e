/* sql.c - the texts of the statements (statements.h), and the phrases that several of them share. */
#include "store/sql.h"

/* `kind || ''` and the like where another index than theirs is the short way.
 *
 * May be begun at $1 by the process $2: nobody is at it any more. What it is at already it knows
 * better than a clock that jumped. A resumer is begun once, and while no other runs for its
 * session. */
#define DELIVERY_FREE                                                                    \
	"status = 'waiting' AND carrier = '' AND next_ms <= $1 AND lease_ms <= $1"       \
	" AND lease_by <> $2"                                                            \
	" AND (kind <> 'resumer' OR (attempts = 0 AND session NOT IN (SELECT h.session"  \
	" FROM deliveries h WHERE h.kind || '' = 'resumer' AND h.kind <> 'route'"        \
	" AND h.status = 'waiting' AND h.carrier = '' AND h.lease_by > '')))"
/* Waits for a process to begin it, or is under way. Steps of routes are worked in the store. */
#define DELIVERY_TO_DO "status = 'waiting' AND carrier = '' AND kind <> 'route'"
/* Somebody is at it. */
#define DELIVERY_HELD DELIVERY_TO_DO " AND lease_by > ''"
/* A message that counts: core's delivery_shows_ask. */
#define DELIVERY_SHOWS_ASK "purpose IN ('ask', 'reminder', 'thread')"
/* What a list is narrowed to: $4 kind, $5 session, $6 ask, $7 user, $8 purpose. */
#define DELIVERY_FILTER                                                                  \
	" AND ($4 = '' OR kind = $4) AND ($5 = '' OR session = $5)"                      \
	" AND ($6 = '' OR ask = $6) AND ($7 = '' OR user_id = $7)"                       \
	" AND ($8 = '' OR purpose = $8)"
/* A step of a route that waits. */
#define DELIVERY_STEP "status = 'waiting' AND carrier = '' AND kind = 'route'"

/* Asks, each with its session behind it. */
#define ASKS_AND_SESSIONS                                                                \
	"SELECT @asks(a.), @sessions(s.) FROM asks a"                                    \
	" JOIN sessions s ON s.ws = a.ws AND s.id = a.session"
/* Asks with the title of their session, whether it was made for them, and the mark of the
 * user $9, as a list shows them. */
#define ASK_BESIDE "s.title, s.for_ask, COALESCE(m.read_ms, 0), COALESCE(m.snoozed_ms, 0)"
#define ASKS_FROM                                                                        \
	" FROM asks a JOIN sessions s ON s.ws = a.ws AND s.id = a.session"               \
	" LEFT JOIN marks m ON m.ws = a.ws AND m.user_id = $9 AND m.ask = a.id"          \
	" WHERE a.ws = $1"
#define ASKS "SELECT @asks(a.), " ASK_BESIDE ASKS_FROM
/* $2 limit, $3 kind, $4 project, $5 assignee pattern (or a team they are in), $6 priority, $7 search pattern,
 * $8 agent, for a person also by the name that is shown, $9 the person, $10 now, $11 snoozed ones (1), others (0) or both (2). A deadline within
 * five minutes ends a snooze. */
#define ASKS_FILTER                                                                      \
	" AND ($3 = '' OR a.kind = $3) AND ($4 = '' OR a.project = $4)"                  \
	" AND ($5 = '' OR a.assignees LIKE $5 OR (a.assignees <> '[]' AND EXISTS"        \
	" (SELECT 1 FROM teams t WHERE t.ws = a.ws AND t.members LIKE $5"                \
	" AND a.assignees LIKE '%\"' || t.id || '\"%')))"                                \
	" AND ($6 = '' OR a.priority = $6)"                                              \
	" AND ($7 = '' OR a.search LIKE $7 ESCAPE '\\')"                                 \
	" AND ($8 = '' OR a.agent = $8 OR (a.agent_name = $8 AND $9 <> ''))"             \
	" AND ($11 = 2 OR $11 = CASE WHEN m.snoozed_ms > $10 AND NOT (a.deadline_ms > 0" \
	" AND a.deadline_ms <= $10 + 300000) THEN 1 ELSE 0 END)"
/* $14 session, $15 who settled it, $16 and $17 from and to when, $18 status, $19 pattern of the answer, $20 whether
 * approvals count (1), do not (0) or both (2), $21 only what a rule decided (1) */
#define SETTLED_FILTER                                                                   \
	" AND a.settled_ms > 0 AND a.settled_ms >= $16 AND a.settled_ms <= $17"          \
	" AND ($14 = '' OR a.session = $14) AND ($15 = '' OR a.settled_user = $15)"      \
	" AND ($18 = '' OR a.status = $18) AND ($19 = '' OR a.answer LIKE $19)"          \
	" AND ($20 = 2 OR $20 = CASE WHEN a.kind = 'approval' THEN 1 ELSE 0 END)"        \
	" AND ($21 = 0 OR a.answered_by LIKE '%\"kind\":\"policy\"%')"
/* The event that settled the ask a. */
#define SETTLED_IT                                                                       \
	"e.ws = a.ws AND e.session = a.session AND e.ask = a.id AND e.type IN"           \
	" ('ask.answered', 'ask.skipped', 'ask.expired', 'ask.cancelled')"               \
	" ORDER BY e.n LIMIT 1"
/* $12 instant up to which a deadline is soon */
#define ASKS_NOT_SOON " AND NOT (a.deadline_ms > 0 AND a.deadline_ms <= $12)"

/* $1 workspace, $2 after and $3 up to which number, $4 how many, $5 session, $6 an agent, who does not
 * see whom people are told by, $7 types, $8 without those about people; $9 and $10 the places of $2
 * and $3. */
#define EVENTS_FILTER                                                                     \
	" AND ($6 = '' OR agent = $6)"                                                    \
	" AND ($7 = '' OR $7 LIKE '%,' || type || ',%')"                                  \
	" AND ($6 = '' OR (type NOT LIKE 'ask.notif%' AND type <> 'ask.unreached'))"      \
	" AND ($8 = 0 OR session <> '' OR NOT (type LIKE 'user.%' OR type LIKE 'token.%'" \
	" OR type LIKE 'login.%' OR type LIKE 'settings.%' OR type LIKE 'team.%'))"
#define CALL_IDS                                                                         \
	"SELECT id FROM tool_calls WHERE ws = $1 AND id < $2"                            \
	" AND ($4 = '' OR run = $4) AND ($5 = '' OR status = $5)"                        \
	" AND ($7 = '' OR server = $7) AND ($8 = '' OR session IN"                       \
	" (SELECT id FROM sessions WHERE ws = $1 AND agent = $8))"
#define EVENTS_OF_ALL                                                                    \
	"SELECT @events FROM events WHERE place > $9 AND place <= $10" EVENTS_FILTER
#define EVENTS_OF_ONE                                                                    \
	"SELECT @events FROM events WHERE ws = $1 AND session = $5 AND n > $2 AND n <= $3" EVENTS_FILTER

/* A key that was kept for no record of this table. */
#define KEY_NOT_OF(table)                                                                \
	" AND NOT EXISTS (SELECT 1 FROM " #table                                         \
	" o WHERE o.ws = idempotency.ws AND o.id = idempotency.record)"

#define KEY_NOT_OF_RESOURCE(constant, table, ...) KEY_NOT_OF(table)
#define KEYS_OF_NOTHING                                                                  \
	KEY_NOT_OF(users)                                                                \
	KEY_NOT_OF(tokens)                                                               \
	KEY_NOT_OF(rules)                                                                \
	KEY_NOT_OF(stops)                                                                \
	KEY_NOT_OF(contacts) KEY_NOT_OF(memories) RESOURCES(KEY_NOT_OF_RESOURCE)

#define STATEMENT(name, text) [name] = text,

const char *const sql_written[SQL_RECORDS] = {
#include "store/statements.h"
#include "store/statements_notes.h"
};
