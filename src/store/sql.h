/* sql.h - every statement, by name. The text is portable: one for all engines.
 *
 * Getting, adding, changing and deleting one record is SQL_OF(record, op): those texts are
 * made from the record's table of columns. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <stdbool.h>

enum sql {
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_SCHEMA_VERSION,
	SQL_SCHEMA_SET,
	/* workspaces */
	SQL_WORKSPACE_GET,
	SQL_WORKSPACE_BY_NAME,
	SQL_WORKSPACE_LIST,
	SQL_WORKSPACES_LAST,
	SQL_WORKSPACE_NEWS,
	SQL_WORKSPACE_REVOKE,
	SQL_COUNTER_TAKE,
	SQL_COUNTER_GET,
	SQL_COUNTER_HASH,
	SQL_KEYS_PURGE,
	SQL_MCP_PURGE,
	/* people and tokens */
	SQL_CREDENTIAL,
	SQL_TOKEN_LIST,
	SQL_TOKEN_BY_ID,
	SQL_TOKENS_OF_USER,
	SQL_TOKENS_PURGE,
	SQL_USER_BY_NAME,
	SQL_USER_LIST,
	SQL_OWNERS,
	SQL_USERS_OF,
	SQL_TOKENS_OF,
	SQL_SERVER_KEYS,
	SQL_WORKSPACES_UNRECORDED,
	SQL_USERS_LOGGED_IN,
	/* sessions */
	SQL_SESSION_BY_EXTERNAL,
	SQL_SESSION_EMPTY_EVENTS,
	SQL_SESSION_LIST,
	/* asks */
	SQL_ASK_GET,
	SQL_ASK_BY_DEDUPE,
	SQL_ASK_SETTLED_BY_DEDUPE,
	SQL_ASK_AGAIN,
	SQL_ASKS_OPEN,
	SQL_ASKS_LATEST,
	SQL_ASKS_RECENT,
	SQL_ASKS_DUE,
	SQL_MARKS_END_SNOOZE,
	SQL_ASK_FETCHED,
	SQL_SESSION_UNHEARD,
	SQL_SESSIONS_SILENT,
	SQL_DEADLINE_NEXT,
	SQL_ASKS_OLDEST,
	SQL_ASKS_NEWEST,
	SQL_ASKS_ALL,
	SQL_ASKS_OF_SESSION_UP,
	SQL_ASKS_OF_SESSION_DOWN,
	SQL_ASKS_SOON,
	SQL_ASKS_URGENT,
	SQL_ASKS_REST,
	SQL_ASKS_SETTLED,
	SQL_AGENTS,
	SQL_ASKS_PENDING,
	SQL_INSIGHTS,
	/* deliveries */
	SQL_DELIVERY_LIST,
	SQL_DELIVERY_OWNERS,
	SQL_DELIVERY_DUE,
	SQL_DELIVERY_HELD,
	SQL_DELIVERY_HELD_BY,
	SQL_DELIVERY_LOST,
	SQL_DELIVERY_NEXT,
	SQL_DELIVERY_PURGE,
	SQL_DELIVERY_COUNT,
	/* events */
	SQL_EVENT_LAST,
	SQL_EVENTS_AFTER,
	SQL_EVENTS_OF_SESSION,
	SQL_EVENTS_BEFORE, /* newest first */
	SQL_EVENTS_OF_SESSION_BEFORE,
	SQL_EVENTS_CHAIN,
	SQL_SESSION_EXISTS,
	/* the check */
	SQL_CHECK_COUNT,
	SQL_CHECK_WORKSPACES,
	SQL_CHECK_EVENTS,
	SQL_CHECK_ASKS,
	SQL_CHECK_SESSIONS,
	SQL_CHECK_OPEN,
	SQL_CHECK_LOST_EVENTS,
	SQL_CHECK_LOST_ASKS,
	SQL_CHECK_LOST_SESSIONS,
	SQL_CHECK_LOST_USERS,
	SQL_CHECK_LOST_TOKENS,
	SQL_CHECK_USERS,
	SQL_CHECK_TOKENS,
	SQL_CHECK_KEYS,
	SQL_RECORDS, /* from here on: those of records */
	SQL_COUNT = SQL_RECORDS + 11 * 5,
	SQL_GIVEN = SQL_COUNT /* none of these: the call brings its text along */
};

enum record_sql {
	RECORD_GET,    /* $1 …: the key */
	RECORD_ADD,    /* all columns */
	RECORD_UPDATE, /* the key, the version it was decided on, all columns that change */
	RECORD_DELETE,		  /* the key and, where there is one, the version */
	RECORD_DELETE_OF_SESSION, /* $1 workspace, $2 session: all that go with it */
	RECORD_SQLS
};

#define SQL_OF(record, op)                                                               \
	((enum sql)(SQL_RECORDS + (int)(record)*RECORD_SQLS + (int)(op)))

const char *sql_text(enum sql); /* NULL: a record without that */
bool sql_reads(enum sql);	/* changes nothing */

#endif
