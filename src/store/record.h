/* record.h - what a record is to the store: one table of columns.
 *
 * A column is written down once: its name, its type, where it lies in the struct, and whether
 * it ever changes. Statements, parameters, records from result rows and copies between engines
 * are made from these tables. A column that is added is one row here, one line of a schema step
 * and one member of the struct. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "base/arena.h"
#include "core/ask/preference.h"
#include "core/ask/preset.h"
#include "core/delivery/delivery.h"
#include "core/notify/alert.h"
#include "core/notify/contact.h"
#include "core/notify/notify_prefs.h"
#include "core/notify/notify_route.h"
#include "core/people/legal_hold.h"
#include "core/people/people.h"
#include "core/people/team.h"
#include "core/policy/rulebook.h"
#include "core/proof/signing_key.h"
#include "core/run/agent.h"
#include "core/run/mcp_server.h"
#include "core/run/message.h"
#include "core/run/model_list.h"
#include "core/run/own_tool.h"
#include "core/run/run.h"
#include "core/run/tool_call.h"
#include "core/session/session.h"
#include "core/shared/event.h"
#include "store/db.h"

enum column_type {
	COLUMN_INT,	  /* int64_t */
	COLUMN_BOOL,	  /* bool, stored as 0 or 1 */
	COLUMN_TEXT,	  /* struct str */
	COLUMN_BYTES,	  /* struct str */
	COLUMN_HASH,	  /* uint8_t[SHA256_SIZE] */
	COLUMN_RISK,	  /* enum risk, stored as its number */
	COLUMN_WORD,	  /* an enum, stored by name */
	COLUMN_EVENT_TYPE /* const char *, one of event_types */
};

/* How an enum is stored by name. */
struct column_words {
	const char *what; /* for the message about a name that nobody knows */
	const char *(*name)(int value);
	bool (*read)(struct str name, int *out);
};

enum column_flags {
	CHANGES = 1, /* an UPDATE writes it */
	LATER = 2,   /* empty, or 0, in nearly every record that is made */
	SELDOM = 4,  /* the same in nearly every one that changes */
	PACKED = 8,  /* a text that may be long, and that no statement looks into */
};

struct column {
	const char *name;
	enum column_type type;
	size_t offset;
	unsigned flags; /* enum column_flags */
	/* Offset of another text: if that one is empty, this one is not packed. 0: always
	 * packed. */
	size_t packed_with;
	const struct column_words *words;
	/* Kept in another table, and only read with this one: the expression that finds it,
	 * with `@` for the name of this table. NULL: a column of its own. */
	const char *found_by;
	int since; /* the step of the schema that adds it; 0: written out in migrate.c */
};

struct record {
	const char *table;
	size_t size; /* of its struct */
	const struct column *columns;
	int columns_len; /* as they are read */
	int stored_len;	 /* as they are written: the first so many */
	int keys_len;	 /* the primary key: the first so many columns */
	/* The one column of the key that names a record by itself; -1: all of them do. */
	int name;
	size_t version_at; /* where its version lies; 0: it is added and deleted, never changed */
	size_t session_at; /* where the session lies that it goes with; 0: it does not */
	bool of_asks;	   /* what goes with a session is found by the session's asks */
	int since; /* the step of the schema that makes its table; 0: written out in migrate.c */
};

extern const struct record records[RECORD_COUNT];

/* A record of a workspace; the first member of every struct whose key starts with it. */
struct workspace {
	int64_t id;
	struct str name;
	int64_t created_ms;
	int64_t last_event;
	uint8_t last_hash[SHA256_SIZE];
	int64_t revocations; /* how often somebody of it lost a right */
	int64_t old_events;  /* events up to this one were hashed without their agent */
	/* How often rules, stops or the policy changed; 0: there never were any. */
	int64_t policy_version;
	int64_t teams;	  /* how many there are */
	int64_t contacts; /* likewise */
};

/* When an asking agent first had the outcome of its ask. Beside the ask, whose row is wide and
 * need not be written once more for it. */
struct fetched_record {
	int64_t ws;
	struct str ask;
	int64_t at_ms;
};

/* In which of MEMORY_BLOCK notes a word is (core/run/memory_search.h). */
struct memory_word {
	int64_t ws;
	struct str word;
	int64_t block; /* the notes whose numbers, divided by MEMORY_BLOCK, are this */
	struct str marks;
};

/* What was answered to an idempotency key before. */
struct key_record {
	int64_t ws;
	struct str token, path, key;
	uint8_t body[SHA256_SIZE]; /* digest of the body's canonical form */
	int64_t status;
	struct str session; /* it goes with this session; empty: with its record */
	struct str result;  /* JSON; what the job needs to answer again */
	int64_t created_ms;
	struct str record; /* the user, token … it is about, where that is no session's */
};

/* A key that every node must know: for signatures. */
struct server_key {
	struct str name;
	struct str value;
	int64_t created_ms;
	int64_t version;
};

/* A mailbox that replies are read from: by one process at a time. */
struct mailbox_record {
	struct str name; /* its URL, without a password */
	struct lease lease;
	/* The message that is being read; it may be marked as seen and not taken yet. Empty:
	 * none. */
	struct str reading;
	int64_t version;
};

/* A channel that messages went by, of all workspaces. */
struct channel_record {
	struct str name;
	int64_t since_ms; /* that it works, or does not */
	struct str error; /* why it does not; empty: it works */
	int64_t version;
};

/* A process that serves this store, by the machine and data folder it runs in. */
struct node_record {
	struct str name;
	struct str id;
	struct str program, revision; /* its version, and the commit it was built from */
	int64_t schema;
	int64_t started_ms, seen_ms;
	int64_t version;
};

/* Work that one process at a time does, and when it was done last. */
struct lease_record {
	struct str name;
	struct lease lease;
	int64_t done_ms;
	int64_t version;
};

/* What a node counted within a minute. */
struct tally_record {
	int64_t minute_ms;
	int64_t ws; /* 0: of no workspace that is known */
	struct str node;
	struct str what; /* "ask", or "model/" and a provider */
	int64_t total, bad;
	int64_t version;
};

/* An MCP session that was ended before its time. */
struct mcp_ended {
	int64_t ws;
	struct str id;
	int64_t ended_ms;
};

#define RECORD_ROOM(name, table, tag, ...) struct tag tag;

/* Room for any of them. */
union any_record {
	RECORDS(RECORD_ROOM)
	RESOURCES(RECORD_ROOM)
};

/* How many parameters a call may have: the widest record, its version and its key. */
enum { ARGS_MAX = 80, RECORD_KEYS_MAX = 4 };

/* Texts are copied into the arena. out is untouched on failure. */
enum err record_read(const struct record *, const struct row *, struct arena *, void *out,
	struct fault *why);
/* The value of one column; texts are borrowed from the record. Part of every write: each member is
 * stored where it stays, since a copy of what was just stored in pieces makes the processor wait. */
static inline void record_put_val(
	const struct column *c, const void *record, struct val *out)
{
	const void *at = (const char *)record + c->offset;
	const struct str *text = at;

	out->type = VAL_INT;
	out->integer = 0;
	out->text = STR_NONE;
	switch (c->type) {
	case COLUMN_INT: out->integer = *(const int64_t *)at; break;
	case COLUMN_BOOL: out->integer = *(const bool *)at; break;
	case COLUMN_RISK: out->integer = *(const int *)at; break;
	case COLUMN_TEXT:
		out->type = VAL_TEXT;
		out->text = *text;
		break;
	case COLUMN_BYTES:
		out->type = VAL_BYTES;
		out->text = *text;
		break;
	case COLUMN_HASH:
		out->type = VAL_BYTES;
		out->text = str_make(at, SHA256_SIZE);
		break;
	case COLUMN_WORD:
		out->type = VAL_TEXT;
		out->text = str_of(c->words->name(*(const int *)at));
		break;
	case COLUMN_EVENT_TYPE:
		out->type = VAL_TEXT;
		out->text = str_of(*(const char *const *)at);
		break;
	}
}

static inline struct val record_val(const struct column *c, const void *record)
{
	struct val out;

	record_put_val(c, record, &out);
	return out;
}

/* Is it empty, or 0? Of a column that may be: no enum is stored by an empty name. */
static inline bool record_lacks(const struct column *c, const void *record)
{
	const void *at = (const char *)record + c->offset;

	switch (c->type) {
	case COLUMN_INT: return !*(const int64_t *)at;
	case COLUMN_BOOL: return !*(const bool *)at;
	case COLUMN_RISK: return !*(const int *)at;
	case COLUMN_TEXT:
	case COLUMN_BYTES: return !((const struct str *)at)->len;
	default: return false;
	}
}

/* The value as it is stored by an engine that packs nothing itself: a text that may be packed is, into
 * the arena, when that makes it shorter. */
struct val column_pack(
	const struct column *, struct val, struct packer *, struct arena *);
/* The text of a column as it was before, in the arena. ERR_INTERNAL: it cannot be unpacked. */
enum err column_text(const struct column *, const struct row *, int i, struct arena *,
	struct str *out, struct fault *why);

int record_changing(const struct record *); /* how many columns an UPDATE writes */
/* Of two states of one record: does any column differ that seldom changes? */
bool record_seldom_differs(const struct record *, const void *a, const void *b);
/* What names a record of this key in a batch: one column's text, borrowed, or all of the
 * key, made in the arena. Empty: out of memory. */
struct str record_key_name(const struct record *, const struct val *key, struct arena *);
struct str record_name(const struct record *, const void *record, struct arena *);
int64_t record_version(const struct record *, const void *record);
void record_set_version(const struct record *, void *record, int64_t version);

#define FROM_ROW(tag, id)                                                                \
	static inline enum err tag##_from_row(const struct row *row,                     \
		struct arena *arena, struct tag *out, struct fault *why)                 \
	{                                                                                \
		return record_read(&records[id], row, arena, out, why);                  \
	}

FROM_ROW(ask, RECORD_ASKS)
FROM_ROW(session, RECORD_SESSIONS)
FROM_ROW(event, RECORD_EVENTS)
FROM_ROW(delivery, RECORD_DELIVERIES)
FROM_ROW(user, RECORD_USERS)
FROM_ROW(token, RECORD_TOKENS)
FROM_ROW(team, RECORD_TEAMS)

/* Where these stand in a row of an event, for whoever must know though it cannot be read. */
enum { EVENT_PLACE_AT = 0, EVENT_N_AT = 2, EVENT_SESSION_AT = 5, EVENT_HASH_AT = 11 };

/* The rest of a row whose first columns are this record. */
static inline struct row row_behind_record(const struct row *row, enum record_id id)
{
	return row_behind(row, records[id].columns_len);
}

#endif
