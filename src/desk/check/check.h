/* check.h - the check of a store: its log of events, and its rows against that log. Owns
 * what was found.
 *
 * Every pass goes through its table in the order of a key, a page at a time, so that
 * memory does not grow with the store. A finding does not end a pass. */
#ifndef DESK_CHECK_H
#define DESK_CHECK_H

#include "base/table.h"
#include "core/shared/event.h"
#include "store/rows.h"

enum { FINDINGS_MAX = 20 };

struct finding {
	struct str workspace, record, what;
};

struct checking {
	struct rows *rows;     /* in whose arena the findings are */
	progress_fn *progress; /* in events gone through; or NULL */
	void *progress_ctx;
	struct finding findings[FINDINGS_MAX];
	int64_t found; /* those beyond FINDINGS_MAX are counted only */
	int64_t workspaces, events, emptied, asks, sessions, people;
	int64_t old; /* records from before their events had digests */
	int64_t done, all;
	/* The workspace at hand. */
	int64_t ws, last_event, old_events;
	struct str workspace, last_hash;
};

/* Goes through the whole store. An error is one of the store; what is wrong in it is
 * found, not failed. The report is written as JSON: ok, detail, findings, counts. */
enum err check_store(struct checking *, struct json_writer *report, struct fault *);

void check_report(const struct checking *, struct json_writer *);

/* ---- for the passes ---- */

/* Above every id. */
#define LAST_ID STR("\xf4\x8f\xbf\xbf")

void check_found(struct checking *, struct str record, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_step(struct checking *, int64_t events);
enum err check_log(struct checking *, struct fault *);
enum err check_asks(struct checking *, struct fault *);
enum err check_sessions(struct checking *, struct fault *);
enum err check_people(struct checking *, struct fault *);
enum err check_runs(struct checking *, struct fault *);
enum err check_said(struct checking *, struct fault *);

/* One pass over a table, a page at a time, in the order of a key. */
struct check_pass {
	struct checking *c;
	void *own;    /* what the pass knows beside this */
	enum sql sql; /* of a page: workspace, `from`, `from_id` if `pairs`, `page` */
	bool pairs;   /* the key is of two texts */
	size_t page;  /* rows of a page */
	size_t facts; /* bytes that are kept of a row; 0: none */
	row_fn *row;  /* counts `rows`, sets `to`; its ctx is the pass */
	/* After the rows of a page; or NULL. */
	enum err (*compare)(struct check_pass *, struct fault *why);
	/* The page at hand. */
	struct arena arena;
	struct table table;	  /* id → its facts */
	void *at;		  /* the facts of `len` rows; see CHECK_FACTS */
	size_t len, rows;	  /* `len` of `rows` are kept */
	struct str from, from_id; /* it is behind these, */
	struct str to, to_id;	  /* up to these */
};

#define CHECK_FACTS(p, type) ((type *)(p)->at)

enum err check_pages(struct check_pass *, struct fault *why);
/* A row that cannot be read is a finding, and no error. */
bool check_unreadable(
	struct check_pass *, struct str record, enum err *, const struct fault *why);
/* The facts of one more row are kept, by its id. */
enum err check_keep(struct check_pass *, struct str id, void *facts, struct fault *why);

/* Mandates of sessions, beside the pass over those; { 0 } before, nothing kept after. */
struct check_mandates {
	struct checking *c;
	struct arena arena;
	struct table table; /* id → its facts */
};

enum err check_mandates_load(struct check_mandates *, struct checking *, struct str from,
	struct str to, struct fault *why);
void check_mandate_event(struct check_mandates *, const struct event *);
void check_mandates_judge(struct check_mandates *); /* and ends it */

/* Events of all sessions behind `from` up to and including `to`, by session, then by
 * number. */
typedef enum err check_event_fn(void *ctx, const struct event *, struct fault *);
enum err check_events(struct checking *, struct str from, bool with_from, struct str to,
	check_event_fn *, void *ctx, struct fault *);
/* The event's data as an object; NULL: it was emptied, or is none. */
const struct json *check_data(const struct event *, struct arena *);
bool check_is_old(const struct checking *, const struct event *);

#endif
