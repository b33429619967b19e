/* inner.h - what the use cases share. Private to desk. */
#ifndef DESK_INNER_H
#define DESK_INNER_H

#include "core/notify/notify_route.h"
#include "desk/delivery.h"
#include "desk/desk.h"
#include "desk/mail_in.h"
#include "desk/run.h"
#include "desk/shared/counts.h"
#include "desk/shared/forecasts.h"
#include "desk/shared/rate.h"
#include "desk/shared/run_counts.h"
#include "desk/shared/tally.h"
#include "desk/shared/told_marks.h"
#include "desk/shared/transient.h"
#include "store/peers.h"
#include "store/writer_shards.h"

#include <pthread.h>
#include <stdatomic.h>

/* An outcome that its agent has, not yet written down. */
struct fetched_note {
	int64_t ws;
	char ask[ID_SIZE];
	bool lone; /* its session has ended: there is nobody to hear of */
};

enum { FETCHED_MAX = 512 };

struct fetched {
	pthread_mutex_t lock; /* over all of it */
	struct fetched_note notes[FETCHED_MAX];
	size_t len;
	int64_t since_ms; /* of the first, by the steady clock */
	/* Being written; filled only while taken_len is 0. */
	struct fetched_note taken[FETCHED_MAX];
	size_t taken_len;
};

enum { WRITERS = 4, REFUSED_NAMES = 64, SNAPSHOTS_MAX = 256, NOTIFY_RATE = 10 };

struct policy_snapshot;

/* Messages to people since the start. */
enum { TELLING_OUTCOMES = 4, TELLING_BUCKETS = 7 };
struct notify_counts {
	_Atomic int64_t total[DELIVERY_KINDS][DELIVERY_PURPOSES][TELLING_OUTCOMES];
	_Atomic int64_t ended[DELIVERY_KINDS][TELLING_OUTCOMES]; /* agents' ones, too */
	_Atomic int64_t taken[DELIVERY_KINDS], sum_ms[DELIVERY_KINDS];
	_Atomic int64_t under[DELIVERY_KINDS][TELLING_BUCKETS];
};

struct desk {
	struct clerk *writer; /* the first of the writers */
	/* Of a shared store: several, so that workspaces do not wait for each other. */
	struct clerk *writers[WRITERS];
	struct writer_shards *shards; /* NULL: the writer has a queue of its own */
	struct clerk *reader; /* NULL without threads: the writer's connection reads */
	struct clerk *slow_reader;
	struct clerk_hooks hooks;
	struct peers *peers;	   /* of a store that others write to as well; or NULL */
	pthread_mutex_t listeners; /* over who is told; NULL: nobody */
	desk_told_fn *told;
	desk_revoked_fn *revoked;
	desk_back_fn *back;
	void *told_ctx;
	void (*deliver)(void *ctx, int64_t at_ms);
	void *deliver_ctx;
	struct run_hooks runs; /* of whoever works on runs; likewise */
	struct {
		void (*woken)(void *ctx);
		void *ctx;
	} held; /* of whoever runs held calls; likewise */
	struct {
		pthread_mutex_t lock; /* over all of it */
		transient_told_fn *fn;
		void *ctx;
		int64_t readers; /* who are told by fn */
		struct partial *partials;
	} hints;
	char *url;
	char *resumers, *verifiers; /* names with commas between */
	/* Borrowed; or NULL. A reload puts another in its place, and the one before stays
	 * alive. */
	_Atomic(const struct configured *) configured;
	struct rate rate; /* under rate_lock */
	pthread_mutex_t rate_lock;
	/* Logins that were refused, by a hash of who: when that was told last, and how
	 * often since. The first writing clerk's thread only. */
	struct refused_name {
		int64_t told_ms, count;
	} refused[REFUSED_NAMES];
	_Atomic int64_t timeout_min_ms, timeout_max_ms;
	_Atomic int64_t ask_rate, session_open, session_rate;
	_Atomic bool ready, reached; /* it writes; it hears of the others */
	pthread_mutex_t deadlines;   /* over the next four */
	int64_t next_deadline_ms;    /* 0: none */
	bool deadline_known;	     /* false: the store must be asked */
	bool deadline_looking;	     /* it is being asked */
	int64_t deadline_set_ms;     /* the earliest that was set meanwhile; 0: none */
	int64_t deadline_look_ms;    /* when it was, by the steady clock */
	int64_t opened_ms;	     /* by the steady clock */
	struct task expire;	     /* the one that fires deadlines, reused */
	bool expire_out;	     /* it is with the clerk */
	struct counts counts;
	bool threads;
	struct fetched fetched;
	struct forecasts forecasts;
	struct settings set; /* as they were at the start */
	bool test_tools;
	struct notify_counts told_counts;
	struct run_counts run_counts;
	struct tallies tallies;
	struct told_marks told_marks;
	/* What became of them since the start. */
	_Atomic int64_t mail_replies[MAIL_OUTCOMES];
	char *channels; /* that are configured, with commas between */
	char *commands; /* names of [channels], likewise */
	/* The table of routes that was read last: of each writing clerk its own. */
	struct routes_cache {
		struct arena arena;
		struct str body;
		struct route_table table;
	} routes[WRITERS];
	/* What was decided by last, by workspace: of each writing clerk its own. */
	struct policy_snapshot *snapshots[WRITERS][SNAPSHOTS_MAX];
};

static inline struct task *task_of(struct job *job)
{
	return (struct task *)(void *)job;
}

/* A writer into the job's reply. */
#define TO_REPLY(job) (&(struct json_writer){ .out = &(job)->out })

static inline struct draft_limits desk_limits(const struct desk *d)
{
	return (struct draft_limits){ d->timeout_min_ms, d->timeout_max_ms };
}

/* The writing clerk that naps has something else to wait for. */
void desk_wake(struct desk *);
bool task_has_param(const struct task *, const char *name);
/* Ids sort by the time of their making, so a span of time is a span of ids: this one begins those made
 * at this time. */
struct str desk_id_bound(const char *prefix, int64_t ms, struct arena *);
/* An instant among the parameters; *out is left alone when it is absent. */
enum err task_time(const struct task *, const char *name, int64_t *out, struct fault *);
/* The ask, if p may see it; ERR_NOT_FOUND otherwise. What is to be changed: ERR_PROJECT if its
 * project is none of the token's. Likewise the session. */
enum err desk_find_ask(struct task *, struct rows *, struct ask **, struct fault *);
/* The same for readers, who may see what is of another project. */
enum err desk_see_ask(struct task *, struct rows *, struct ask **, struct fault *);
/* ERR_NOT_FOUND: "no ask ask_…". */
enum err desk_missing(const char *what, struct str id, struct fault *);
void desk_needs_ask(struct job *, struct wants *); /* that of the path */
enum err desk_find_session(
	struct task *, struct rows *, struct session **, struct fault *);
/* The same, and then: may the role do this, and was the body right? In this order, so
 * that nothing is told of what one may not see. */
enum err desk_admit(
	struct task *, struct rows *, enum permission, struct ask **, struct fault *);
/* With everything under it; what is open there is cancelled. ERR_HELD: a hold keeps it. `data`: what its
 * event says; or empty. */
enum err session_delete(
	struct task *, struct rows *, struct session *, struct str data, struct fault *);
enum err desk_refused(const struct task *, struct fault *);
/* ERR_FORBIDDEN, or why the body was refused: of a kind that is `late`. */
enum err desk_permit(const struct task *, enum permission, struct fault *);
/* ERR_FORBIDDEN: the role may not do this; the other is above it; nobody but who holds the machine;
 * not a person. */
enum err desk_may(const struct principal *, bool may, struct fault *);
enum err desk_reach(const struct principal *, enum role, struct fault *);
enum err desk_local_admin(const struct job *, struct fault *);
enum err desk_person(const struct principal *, const char *refusal, struct fault *);
/* ERR_FORBIDDEN unless it is p's own, or p may withdraw others'. */
enum err desk_own(const struct principal *, struct str agent, struct fault *);
/* One more of these by this token. ERR_RATE: there were `ask_rate` of them within a minute. */
enum err desk_rate(struct task *, int64_t now_ms, struct fault *);

/* What stands around an ask. */
struct ask_view desk_view(struct desk *, struct str session_title, struct str workspace);
/* The ask itself, in the job's arena. NULL: out of memory. */
struct kept_ask *desk_keep(struct task *, const struct ask *, const struct ask_view *);
/* The ask as JSON, in the arena. */
struct str desk_show(struct desk *, const struct ask *, struct str session_title,
	struct str workspace, int64_t now_ms, struct arena *);
/* The workspace's name: the caller's own, or looked up when the clock is the caller. */
struct str desk_workspace(struct task *, struct rows *, int64_t ws);
/* The same for a problem: in the job's arena. */
struct str desk_shown(struct task *, struct rows *, const struct ask *);
/* Ask and its session's title → job.out. */
void desk_reply_ask(struct task *, struct rows *, const struct ask *);
/* The same with the caller's own mark, and why they may not settle it. */
void desk_reply_marked(struct task *, struct rows *, const struct ask *,
	const struct mark *, const char *refused);
/* Counts a change of the ask, stages its event, replies with the ask; `wakes`: who waits for
 * it is told. */
enum err routing_changed(struct task *, struct rows *, struct ask *, const char *type,
	struct str data, bool wakes, struct fault *);
/* {"ask": …, "resumed": …} */
void desk_reply_settled(struct task *, struct rows *, const struct ask *);
/* The object that was the reply gets more members, and is to be closed again. False: the caller has
 * a record instead. */
bool desk_reply_reopen(struct task *, struct json_writer *);
/* A conflict that carries the ask as it is. */
enum err desk_conflict(struct task *, struct rows *, const struct ask *, struct fault *,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
enum err desk_settled_conflict(
	struct task *, struct rows *, const struct ask *, struct fault *);
/* It is the ask of the reply; {"ask": "…"} as the record of an idempotency key, and its reading
 * back. */
void desk_keep_ask(struct task *, const struct ask *);
enum err ask_create_again(
	struct job *, struct rows *, const struct key_record *, struct fault *);
enum err ask_settled_again(
	struct job *, struct rows *, const struct key_record *, struct fault *);
void desk_keep_run(struct task *, const struct run *);
/* The same of another record, with which the key goes. */
void desk_keep_id(struct task *, const char *what, struct str id);
enum err desk_kept_id(struct task *, const struct key_record *, const char *what,
	struct str *out, struct fault *);
/* ?state=: live ones (1, the default), ended ones (0) or both (2). */
enum err desk_state_read(struct task *, int64_t *out, struct fault *);
/* Rules and stops whose time is up end. */
enum err stops_end_due(struct rows *, int64_t limit, struct fault *);
void desk_keep_session(struct task *, const struct session *);
enum err session_again(
	struct job *, struct rows *, const struct key_record *, struct fault *);
enum err session_reply(struct task *, struct rows *, struct session *, struct fault *);
/* The text that gives a stopped agent its questions and answers back. */
enum err resume_context(
	struct rows *, const struct session *, struct str *out, struct fault *);

/* Its title or callback has changed. */
void session_stage_changed(struct rows *, const struct session *);
/* The title lives as long as the rows. */
void session_rename(struct rows *, struct session *, struct str title);
void session_stage_status(struct rows *, struct session *, enum session_status was);
/* Is it one of these, with commas between? */
bool delivery_name_known(struct str names, struct str name);
/* There is something to deliver: at once (0), or from then on. */
void delivery_wake(struct desk *, int64_t at_ms);
void notify_metrics(struct desk *, struct buf *);
void mail_in_metrics(struct desk *, struct buf *);
void run_wake(struct desk *);
void gateway_wake(struct desk *); /* likewise: a held call may be run */
/* The claim that is to be decided with a batch that queued runs; or NULL. */
struct job *run_claim_along(void *desk, const struct rows *);
void transient_done(struct desk *);
/* What another node's run shows; ctx is the desk. On the peers thread. */
void transient_from_peer(void *ctx, struct str line);
/* Events of other nodes: turns that ended there, and runs of ours that were cancelled there. */
void transient_elsewhere(struct desk *, const struct committed *);
/* May this be called? It stands at this pointer of the body; empty: nothing is. */
enum err delivery_check_webhook(
	const struct desk *, struct str webhook, const char *at, struct fault *);
/* Items for what may not be called. */
enum err delivery_check_callback(
	const struct desk *, const struct callback *, struct fault *);
/* The keys that webhooks of a workspace are signed with; made when there is none. */
enum err webhook_keys_load(struct rows *, int64_t ws, struct arena *,
	struct str keys[WEBHOOK_KEYS], struct fault *);
struct str webhook_key_name(int64_t ws, bool before, struct arena *);
enum err webhook_key_rotate(struct rows *, int64_t ws, struct fault *);
/* A key of the server; *out is NULL when it was not made yet. */
enum err desk_find_key(
	struct rows *, struct str name, const struct server_key **out, struct fault *);
/* The server's key of this name, SERVER_KEY_SIZE random bytes when it is new. */
enum err desk_server_key(
	struct rows *, struct str name, const struct server_key **out, struct fault *);
enum err desk_set_server_key(
	struct rows *, struct str name, struct str value, struct fault *);
/* The project of what is asked in the session, or in one to be made (NULL): `named` in the
 * body, or what the request says beside it. A session without a project takes it. */
enum err projects_resolve(struct task *, struct rows *, struct session *,
	struct str named, struct str *out, struct fault *);
/* What the caller is called beside the name or id that it asks under: a person's name; with the
 * machine's own token, by which every program of this machine asks, the program. */
struct str session_agent_name(const struct task *);
struct session *session_make_for_ask(
	struct task *, struct rows *, struct str title, struct str project);
/* A parallel one of this external id. */
struct session *session_make_default(
	struct task *, struct rows *, struct str external_id, struct str project);
/* Of a call that may leave its session to the default one: true if it does (the task has no id), else
 * the task's id names it. */
bool session_needs_default(struct job *, struct wants *);
/* The default one, made when there is none. */
enum err session_default(struct task *, struct rows *, struct session **, struct fault *);
/* Every id names a user or a team of the workspace; else an item at pointer /assignees/N. */
enum err away_check_assignees(
	struct rows *, int64_t ws, const struct str *ids, size_t len, struct fault *);
/* Who is asked, as JSON: who is away is replaced by who stands in for them. */
enum err away_assignees(struct task *, struct rows *, const struct ask *,
	const struct str *ids, size_t len, struct str *out, struct fault *);
struct str away_assignees_json(const struct str *ids, size_t len, struct arena *);

/* The ask that a body with a template or a list means. */
enum err presets_expand(struct rows *, int64_t ws, const struct json *body,
	const struct json **out, struct fault *);
/* Of the first 50 that a workspace has, with commas between; in the arena. */
enum err presets_templates(
	struct rows *, int64_t ws, struct arena *, struct str *out, struct fault *);

/* The approval is used up now, by who runs exactly this; `target`: who will ask for proof of it, or empty.
 * ERR_CONFLICT, ERR_REVOKED, ERR_STOPPED, ERR_DENIED. */
enum err approval_consume(struct task *, struct rows *, struct ask *, struct str digest,
	struct str target, struct fault *);
/* Stops and deny rules count when it runs, not only when it was approved. */
enum err approval_still_allowed(
	struct task *, struct rows *, const struct ask *, struct fault *);

/* {"reason": ""}, all optional; also no body at all. */
enum err desk_reason_read(const struct json *body, struct str *out, struct fault *);
enum err desk_reason_check(struct task *, struct fault *);
enum err desk_empty_check(struct task *, struct fault *); /* no body, or {} */
/* Each member of the body is one of `names` (NULL-ended), else an item. */
enum err desk_members_only(
	const struct json *body, const char *const *names, struct fault *);
#define MEMBERS_ONLY(body, why, ...)                                                     \
	desk_members_only(body, (const char *const[]){ __VA_ARGS__, NULL }, why)

/* ---- lists ---- */

struct list_page {
	const char *kind;
	int64_t limit, as_of;
	struct str cursor[4]; /* texts of the cursor, in order; empty at the start */
	bool has_cursor;
};
/* ?limit= and ?cursor=, and the last event; `kind` is the list's name, so that cursors do not
 * stray. A cursor of another workspace or list is ERR_NOT_FOUND, one that is none ERR_INVALID. */
/* Its limit and cursor alone, from the query. */
enum err page_params(struct task *, const char *kind, struct list_page *, struct fault *);
enum err page_read(struct task *, struct rows *, const char *kind, struct list_page *,
	struct fault *);
void page_begin(struct json_writer *); /* {"items": [ */
/* Ends it: next_cursor from texts (NULL: null), as_of. */
void page_end(struct task *, struct json_writer *, const struct list_page *,
	const struct str *texts, size_t len);
/* "%folded%" for LIKE, escaped; empty stays empty. */
enum err like_read(struct str q, struct arena *, struct str *out, struct fault *);
enum err last_event(struct rows *, int64_t ws, int64_t *out, struct fault *);

/* ---- outcomes that agents had ---- */

/* Has its agent had the outcome, as far as this process knows? */
bool fetched_keep(struct desk *, const struct ask *);
/* In ms, how long until they are to be written; -1: there are none. */
int64_t fetched_due(struct desk *);
void fetched_flush(struct desk *); /* on the writing clerk's thread */
/* A session that runs falls silent some time: the desk must look then. */
void session_watch_silence(struct rows *, const struct session *);

extern const struct use use_expire;

#endif
