/* message.h - what was said in a run, by whom; and what sub-agents and people keep beside it:
 * tasks and memories. Pure records. Prefixes: todo_, memory_. */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include "base/json.h"
#include "core/run/usage.h"

enum message_role { MESSAGE_SYSTEM, MESSAGE_USER, MESSAGE_ASSISTANT, MESSAGE_TOOL };

/* A message never changes. Strings are borrowed. Empty means null. */
struct run_message {
	int64_t ws;
	struct str id;
	struct str session;
	struct str run;
	struct str thread; /* of which it is a part (run_thread) */
	int64_t n;	   /* its number there, from 1, without a gap */
	enum message_role role;
	struct str content; /* JSON array of parts */
	/* JSON that its model wants back untouched, and which model that is. */
	struct str kept, model;
	struct usage usage;
	int64_t cost;	   /* nanodollars; COST_UNKNOWN: there was no price */
	struct str prices; /* JSON: those that it was reckoned by */
	struct str stop;   /* why the model ended */
	/* Of a model's message during which others came: the number of the last one that the model was
	 * given. Those behind it belong after this message. 0: none came. Of a summary (summary.h): the
	 * number of the last that it stands for. */
	int64_t seen;
	int64_t created_ms;
};

const char *message_role_name(enum message_role);
bool message_role_read(struct str, enum message_role *);
void message_write(struct json_writer *, const struct run_message *);
/* [{"type": "text", "text": …}] in the arena. */
struct str message_text(struct str text, struct arena *);

enum { MESSAGE_LINE_MAX = 120 }; /* code points */

/* The first line of a text that is not blank, cut short with "…": what lists show of a message.
 * Borrowed from the text, or in the arena. */
struct str message_line(struct str text, struct arena *);

enum task_status { TASK_PENDING, TASK_IN_PROGRESS, TASK_COMPLETED };

enum { TASK_NAME_MAX = 200, TASK_TEXT_MAX = 5000, TASK_PRIORITY = 3 };

/* An item of an agent's list of things to do. */
struct todo {
	int64_t ws;
	struct str id;
	struct str session;
	struct str run;
	struct str name, description;
	enum task_status status;
	int64_t priority; /* 1 to 5 */
	int64_t created_ms, updated_ms;
	int64_t version;
};

const char *task_status_name(enum task_status);
bool task_status_read(struct str, enum task_status *);
void todo_write(struct json_writer *, const struct todo *);

enum memory_scope { MEMORY_WORKSPACE, MEMORY_AGENT, MEMORY_SESSION };

enum { MEMORY_TEXT_MAX = 10000, MEMORY_TAGS_MAX = 20, MEMORY_TAG_MAX = 50 };

struct memory {
	int64_t ws;
	struct str id;
	enum memory_scope scope;
	struct str agent;   /* of scope agent and session */
	struct str session; /* of scope session: it goes with it */
	struct str text;
	struct str tags;   /* JSON array */
	struct str search; /* case-folded text and tags */
	int64_t created_ms;
	int64_t n; /* of its workspace, from 1 on: its name in the rows of words */
};

extern const char *const memory_scope_names[MEMORY_SESSION + 1];
const char *memory_scope_name(enum memory_scope);
bool memory_scope_read(struct str, enum memory_scope *);
void memory_write(struct json_writer *, const struct memory *);

/* ---- which messages of a thread go to the model (window.h, summary.h) ---- */

/* Puts messages, oldest first, in the order in which a model should read them: what was said
 * while it answered after its answer, and results right after their calls. */
void history_order(const struct run_message **, size_t len);
/* The content of a message of results for the model: each of at most so many bytes, head and
 * tail; 0: only short ones are kept. In the arena when it differs. */
struct str history_results(struct str content, size_t most, struct arena *);

/* Results for the calls in a model's message that no results follow; empty: there are none. In the
 * arena. Runs of old may have ended so. */
struct str history_unanswered(struct str content, struct arena *);

/* ---- the body of a message to an agent that Parley runs ---- */

enum { SAY_MAX = 100000, SAY_TITLE = 80 };

struct say {
	struct str content;
	struct str agent;		  /* name or id; empty: the session's */
	struct str language;		  /* en, fr; or empty */
	const struct json *limits;	  /* or NULL */
	const struct json *on_ended;	  /* or NULL */
	const struct json *output_schema; /* or NULL */
	enum on_limit { ON_LIMIT_AGENT, ON_LIMIT_ASK, ON_LIMIT_STOP } on_limit;
	bool now;   /* the model call under way is given up */
	bool queue; /* else: only if it can begin at once */
};

extern const char *const message_on_limits[ON_LIMIT_STOP + 1]; /* NULL, "ask", "stop" */
#define ON_LIMIT_MUST "must be ask or stop"
/* Is it a language of the catalogue? */
bool message_language_valid(struct str);
#define LANGUAGE_MUST "en or fr"
enum err message_body_read(const struct json *body, struct say *out, struct fault *why);
/* The first line of it, short enough for a title; in the arena. */
struct str message_title(struct str content, struct arena *);

#endif
