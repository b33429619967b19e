/* desk.h - the use cases: what agents and people can do with asks and sessions.
 *
 * Owns the clerks, the rate limits and the deadlines. It is the only writer of asks, and
 * it never knows who listens. A use case is a const job_kind in its own file; a caller
 * fills a task, gives it to desk_put, and gets it back in task.job.done. */
#ifndef DESK_DESK_H
#define DESK_DESK_H

#include "core/notify/channel_limit.h"
#include "core/people/project.h"
#include "core/shared/resources.h"
#include "core/shared/settings.h"
#include "store/clerk.h"
#include "store/kept_ask.h"

struct configured;
struct model_access;
struct desk;

struct desk_settings {
	struct settings set; /* its texts are borrowed, and must outlive the desk */
	struct str url;	     /* how people reach it, no trailing slash */
	struct str resumers, verifiers; /* their names, with commas between */
	/* Agents and providers that are not in the store, and the key that secrets in it are
	 * sealed with; borrowed, must outlive the desk. NULL: none. */
	const struct configured *configured;
	/* Channels that are configured, and the names of commands of [channels]; with commas
	 * between. */
	struct str channels, commands;
	const struct db_options *db; /* or NULL */
	bool alone;		     /* no threads: desk_do only */
	bool test_tools;	     /* agents may have the tools of tests */
	uint64_t seed;		     /* not 0: repeatable ids, for simulations */
	/* On a shared store, too: what is put together is worked in that order; for tests. */
	bool one_writer;
};

/* A query parameter of the request, decoded. */
struct param {
	struct str name, value;
};

/* Credentials to be looked up again: which of them still let somebody in, and as whom? */
struct recheck {
	uint8_t (*hashes)[SHA256_SIZE];
	enum role *roles; /* found by use_recheck; ROLE_NONE: it lets nobody in */
	size_t len;
};

/* Who takes lines that are made while they are read, on the thread that reads them. */
struct export_sink {
	bool (*put)(void *ctx, struct str bytes); /* false: no more is wanted */
	void *ctx;
};

/* One request to the desk. { 0 } and the members below; texts live in job.arena. */
struct task {
	struct job job; /* first */
	struct desk *desk;
	struct str id; /* of the ask, session, user … it is about */
	/* Of the user or team it belongs to, where a path names both. */
	struct str within;
	const struct json *body; /* or NULL */
	struct str plain;	 /* a body of plain text, when body is NULL */
	struct param *params;
	size_t params_len;
	/* Of an ask that came in a foreign shape: what it keeps of that
	 * ({"dialect", "request", "repairs"}), or empty. */
	struct str foreign;
	/* Digest of the question: while the agent has an ask of this digest open, asking
	 * gives that one back, with status 200. Empty: every ask is another. */
	struct str dedupe_key;
	/* Where to ask when the body names no session: the session of this id or external
	 * id, made, and made parallel, when there is none. Empty: its own session. */
	struct str default_session;
	/* Of one that is made; empty: its external id. */
	struct str default_session_title;
	struct project_said project; /* beside what the body says of it */
	struct str program;	     /* that asks by this token; empty: unknown */
	struct str machine_user;     /* who runs it, by the name on the machine */
	struct str trace; /* that it is part of, core/shared/trace.h; or empty */
	/* Made by check, on the caller's thread. */
	void *checked;
	/* Found by the work, for the caller. */
	struct str ask;	    /* the ask that was made or touched */
	struct str run;	    /* the run; likewise */
	struct str session; /* that told of its progress */
	bool settled;	    /* it is no longer pending */
	/* For a caller that tells it in other words: the ask itself, a page of them or of
	 * sessions, or what a session resumes with, in place of job.out. */
	bool wants_record;
	struct kept_ask *found;
	const struct session *sessions;
	size_t sessions_len;
	struct str context;
	struct str next_cursor; /* of a page, of whatever; empty: it is the last */
	struct str
		stopped;   /* JSON: the stop that holds back what it asks for; or empty */
	struct str denied; /* JSON: the rule that denies by now what it shows; or empty */
	struct ask_proof proof; /* of the ask it shows, if that is wanted */
	bool unheard;	/* nobody can have known of it before this batch was told */
	bool rated;	/* it took one of its token's rate */
	bool resumable; /* its session is set going again when it is settled */
	int64_t as_of;	/* the last event number of the snapshot that was read */
	char secret[SECRET_SIZE]; /* a new login's cookie */
	struct str origin;	  /* the address that somebody logs in from, or empty */
	struct str client;	  /* what their browser calls itself, or empty */
	struct str password_hash; /* argon2id; found, or made by the caller */
	struct of_many *of_many;  /* one of several asks that a request settles */
	/* What may be settled from the channel it comes by; NULL: everything. */
	const struct channel_limit *limit;
	struct str old_hash; /* that the old password must fit; empty: none is asked */
	int64_t found_ws;    /* the workspace of who wants to log in */
	bool verified;	     /* the password fits */
	bool keyless;	     /* found: the workspace has no key to sign with yet */
	/* A stream's page of the log: asked for with `after` and `filter`, found in
	 * `events`, with as_of the number up to which all were seen. */
	bool stream;
	int64_t after; /* -1: from now on */
	struct event_filter filter;
	struct event *events;
	size_t events_len;
	struct recheck *recheck;	 /* of use_recheck */
	const struct export_sink *lines; /* of use_export; NULL: nobody wants them */
	struct clerk *alone;		 /* that reads it, of desk_read_alone */
	/* Of use_model_access: `id` is a provider, not an agent; what was found. */
	bool of_provider;
	const struct model_access *access;
	const struct tool_access *tool;	     /* of use_tool_access: found */
	const struct mcp_access *mcp;	     /* of use_mcp_access: found */
	const struct authorized *authorized; /* of use_authorize: found */
	struct str callback; /* of use_tool_result: the token that it comes with */
	/* Of an MCP client whose job has mcp_gate: its session, or empty; and what is to
	 * be known of the caller before anything is decided, on the clerk's thread. */
	struct str mcp_session;
	bool mcp_ended; /* found: that session was ended */
	enum err (*entered)(struct task *, struct fault *why);
	/* An English sentence of ours for who asks, in their language. NULL: they read
	 * English. */
	struct str (*words)(struct str english, struct arena *);
};

/* What is said of a call to whoever lets it through or not. Texts in the job's arena; empty: null. */
struct authorized {
	enum err err;	      /* OK: it may run, now and once */
	const char *decision; /* "allow", "ask", "deny" */
	const char *by;	      /* "rule", "mandate", "policy", "person"; NULL: nobody */
	struct str rule, ask, digest, reason, stop;
	struct str detail; /* of the problem */
};

struct str task_param(const struct task *, const char *name); /* STR_NONE: not given */
void task_empty(struct task *); /* frees what it has; it is { 0 } again */
/* Room for what `check` reads, which is task.checked from now on. Without memory it is lost, and
 * the task is refused. */
#define TASK_CHECKED(task, type) ((type *)task_checked((task), sizeof(type)))
void *task_checked(struct task *, size_t size);
struct str task_words(const struct task *, struct str english, struct arena *);

/* A use case: the clerk's part, and what is checked without the store beforehand. */
struct use {
	struct job_kind job; /* first */
	enum err (*check)(struct task *, struct fault *why);
	/* Of what it is a use case, where several share it; or NULL. */
	const struct collection *of;
};
/* Use cases in a line: NULL for what one lacks, 0 when every role may. */
#define READS(title, role, bits, reads, checks)                                          \
	{                                                                                \
		.job = { .name = title, .may = role, .flags = bits, .read = reads },     \
		.check = checks                                                          \
	}
/* The batch failed: what a job took of its token's rate is given back. */
void desk_rate_undo(struct job *);
#define WRITES(title, role, bits, wants, decides, repeats, checks)                       \
	{                                                                                \
		.job = { .name = title,                                                  \
			.may = role,                                                     \
			.flags = bits,                                                   \
			.needs = wants,                                                  \
			.decide = decides,                                               \
			.again = repeats,                                                \
			.undo = desk_rate_undo },                                        \
		.check = checks                                                          \
	}

struct desk *desk_open(const struct desk_settings *, struct fault *why);
/* Works what is there, then stops the clerks. NULL is fine; returns NULL. */
struct desk *desk_close(struct desk *);

/* Checks the task and hands it to a clerk; job.done is called in any case, on the clerk's
 * thread, or on the caller's when the desk is closing. */
void desk_put(struct desk *, const struct use *, struct task *);

/* A read on the caller's thread, over a connection of its own: for what takes so long that it would be
 * in the way of others. job.done is not called. */
void desk_read_alone(struct desk *, const struct use *, struct task *);

/* The jobs of one turn of a loop, { 0 } at first. They are put together at its end; one that
 * is `lone`, with nothing of this loop's under way beside it, is worked right there if that
 * is quick, and its done is called. On the loop's thread. */
struct turn {
	struct link *first, *last;
};
void desk_put_in_turn(struct desk *, struct turn *, const struct use *, struct task *);
void desk_end_turn(struct desk *, struct turn *, bool lone);
/* The same at once, on the caller's thread: without threads only. */
void desk_do(struct desk *, const struct use *, struct task *);
/* The same with several, which meet in one batch. */
void desk_do_many(
	struct desk *, const struct use *const *, struct task *const *, size_t len);

/* Called after each commit, of other nodes, too, on a thread of the desk's and never
 * twice at once; told is borrowed (committed_hold), NULL when memory was short and the log
 * must be read. Set before the first task. With NULL nobody is called any more once it
 * returns. */
typedef void desk_told_fn(void *ctx, struct committed *);
/* Somebody in this workspace lost a right on another node; likewise. False: out of
 * memory, tell it again soon. */
typedef bool desk_revoked_fn(void *ctx, int64_t ws);
/* The store went back: the log of this workspace ends there, and more was told; likewise. */
typedef void desk_back_fn(void *ctx, int64_t ws, int64_t end);
void desk_listen(
	struct desk *, desk_told_fn *, desk_revoked_fn *, desk_back_fn *, void *ctx);
/* May other nodes write to this store, too? */
bool desk_is_shared(const struct desk *);
/* Does what is acknowledged survive the loss of the store's host? See db_synced. */
bool desk_synced(const struct desk *);
/* Does the last thing the store said mean that it works? */
bool desk_ready(struct desk *);
/* Fires the deadlines that are due: the writing clerk does this by itself. Returns how
 * long it may sleep until the next, in ms; -1: there is none. */
int64_t desk_deadlines(struct desk *);
/* Before the first task: the port is known only once the server listens. */
bool desk_set_url(struct desk *, struct str url);
/* Puts a task and waits until it is done, on a thread that is no clerk's and no
 * loop's. */
void desk_wait(struct desk *, const struct use *, struct task *);
void desk_set(struct desk *, const struct desk_settings *); /* what can be reloaded */

/* The asking agent has the outcome of this ask: kept as its fetched_at, within a second. `lone`:
 * its session is known to have ended with it. Any thread. */
void desk_note_fetched(struct desk *, int64_t ws, struct str ask, bool lone);

/* Why an ask was refused; what is none of these counts as no refusal. */
enum ask_refusal {
	REFUSAL_NONE,
	REFUSAL_INVALID,
	REFUSAL_CONFLICT,
	REFUSAL_RATE,
	REFUSAL_UNAVAILABLE,
	REFUSALS
};

struct desk_counts {
	int64_t refused[REFUSALS]; /* asks */
	int64_t answers, skips, expiries, events;
	int64_t draws;	 /* of mandates */
	int64_t commits; /* of all workspaces together only */
};
void desk_counts(struct desk *, int64_t ws, struct desk_counts *out); /* ws 0: all */

/* ---- the use cases ---- */

enum { SERVER_KEY_SIZE = 32 };

/* Those of each resource. */
#define RESOURCE_DECLARE(constant, table, tag, word, ...)                                \
	extern const struct use use_##word##_list, use_##word##_get,                     \
		use_##word##_create, use_##word##_patch, use_##word##_delete;
RESOURCES(RESOURCE_DECLARE)
#undef RESOURCE_DECLARE

extern const struct use use_ask, use_answer, use_skip, use_cancel, use_settle_many;
extern const struct use use_reply, use_assign, use_claim, use_extend,
	use_approval_consume;
/* Takes back one's vote. */
extern const struct use use_mandate_list, use_mandate_get, use_mandate_create,
	use_mandate_revoke;
extern const struct use use_prompts_closed; /* a terminal decided beside us */
extern const struct use use_retract;
/* Takes back an approval that was not used yet. */
extern const struct use use_revoke;
/* What only the caller sees: marks on asks, saved filters. */
extern const struct use use_mark, use_views, use_views_put;
/* The first run of a workspace: how far it is. */
extern const struct use use_start_put;
/* Receipts, and the keys that sign them. Those that read fail with `keyless` while the workspace has none:
 * use_key_first makes it. */
extern const struct use use_export_begin, use_export;
extern const struct use use_redeem, use_receipt, use_key_list, use_key_first,
	use_key_rotate, use_key_revoke;
/* Holds: what nobody deletes. */
extern const struct use use_hold_list, use_hold_get, use_hold_set, use_hold_lift;
/* Stops, rules and the policy. */
extern const struct use use_stop_set, use_stop_list, use_stop_lift;
extern const struct use use_rule_make, use_rule_warned, use_rule_list, use_rule_get,
	use_rule_patch, use_rule_end, use_rule_try, use_rule_suggest, use_rule_effect,
	use_rehearse;
/* Prices of models, and how to reach one. */
extern const struct use use_price_list, use_price_put, use_model_list_show,
	use_model_list_keep;
extern const struct use use_model_access; /* found in task.access */
/* An MCP server to be tried: found in task.mcp; what was found then, kept and shown (struct mcp_listing in
 * task.checked); tools of it accepted. */
extern const struct use use_mcp_access, use_mcp_keep, use_mcp_accept;
/* The gateway: desk/gateway.h. */
extern const struct use use_gateway_open, use_gateway_call, use_gateway_look,
	use_gateway_start, use_gateway_end, use_gateway_load, use_gateway_cut,
	use_gateway_delivered, use_gateway_due, use_gateway_cancel, use_gateway_tools,
	use_gateway_begin, use_gateway_alive, use_gateway_report;
extern const struct use use_tool_access; /* a tool to be tried: found in task.tool */
/* Templates of asks, and lists of options; `id` is their name. */
extern const struct use use_template_list, use_template_get, use_template_put,
	use_template_delete;
extern const struct use use_list_list, use_list_get, use_list_put, use_list_delete;
/* What people answered to the same questions before. */
extern const struct use use_ask_suggestions;
extern const struct use use_policy_get, use_policy_put, use_decide;
/* Decides, asks where a person is needed, and uses the approval: found in task.authorized. The second is for
 * who waited: `id` is the ask. */
extern const struct use use_authorize, use_authorize_asked;
extern const struct use use_ask_get, use_ask_list, use_ask_counts;
extern const struct use use_session_create, use_session_get, use_session_list,
	use_session_state, use_session_patch, use_session_delete, use_session_cancel,
	use_session_progress, use_session_resume;
/* Messages to agents of ours, and their runs. */
extern const struct use use_message_send, use_run_cancel, use_run_retry;
extern const struct use use_message_list, use_task_list, use_run_list, use_run_get,
	use_tool_call_get, use_tool_call_list, use_usage, use_memory_list, use_memory_add,
	use_memory_delete;
extern const struct use use_events, use_expect, use_insights, use_insights_csv,
	use_metrics, use_project_list;
/* Before use_login with a password: finds the user's stored hash in `password_hash`; the
 * caller verifies it where that is slow, and sets `verified`. */
extern const struct use use_login_find, use_login, use_logout, use_me;
extern const struct use use_login_list, use_login_end, use_logins_end;
extern const struct use use_recheck;
/* Notes that the token was used; for whoever finds credential.note_use in a job. */
extern const struct use use_token_used;
/* Makes the first workspace and its owner, where there are none; tells in as_of whether a
 * person has logged in yet (1), and makes a login link (secret) when not. */
extern const struct use use_bootstrap;
extern const struct use use_workspace_list, use_workspace_create;
/* job.out: the 32 bytes of the server's key of the name `id`, made when it is new; the
 * same on every node. */
extern const struct use use_server_key;
/* Waits for it, and takes its bytes. */
enum err desk_key_make(
	struct desk *, const char *name, uint8_t out[SERVER_KEY_SIZE], struct fault *why);
/* Lets an MCP client in with whatever its first task is: `entered`, then the session, which
 * must not have ended (`mcp_ended`). use_mcp_enter is a task that does nothing else. No
 * session lasts for longer than this. */
enum { MCP_SESSION_DAYS = 90 };
extern const struct job_gate mcp_gate;
extern const struct use use_mcp_enter, use_mcp_tools, use_mcp_end;
/* As use_answer and use_skip, by whoever sits at the asking client and saw the question
 * there: for tokens that say so, and never for an approval. */
extern const struct use use_form_answer, use_form_skip;
/* How people are told: contacts (of the caller, of a user or of a team), what each person
 * wants, routes. `within` is the user or team of the path, and empty for /v1/me. */
extern const struct use use_channels;
extern const struct use use_node_list, use_alert_list, use_alert_get, use_alert_ack;
extern const struct use use_contact_list, use_contact_get, use_contact_create,
	use_contact_patch, use_contact_delete, use_contact_verify, use_contact_test;
/* Checks struct contact_lookup and finds its e-mail address; whose account that is, the channel asks. */
extern const struct use use_contact_lookup;
/* {"key"}: what browsers subscribe with; the server's key PUSH_KEY must have been made. */
#define PUSH_KEY "push"
extern const struct use use_push_key;
extern const struct use use_notify_prefs, use_notify_prefs_put, use_present;
extern const struct use use_notify_routes, use_notify_routes_put, use_notify_routes_try;
/* The contact of the token `id` (core/notify/mail_token.h): its id in `id`, whose in `within`, and its
 * workspace in found_ws; job.out: its name. */
extern const struct use use_mute_find;
extern const struct use use_tool_result; /* POST /v1/in/tool-calls/{id} */
extern const struct use use_ask_deliveries;
extern const struct use use_delivery_list, use_delivery_get, use_delivery_replay;
/* {"rotate": true} makes another; the one before still signs for a day. */
extern const struct use use_webhook_secret;
extern const struct use use_check;
/* Forgets what nobody will ask for: deliveries done a week ago or dead for ninety days,
 * and the ends of MCP sessions that would be over anyhow. */
extern const struct use use_purge;
/* Sessions that their workspace's policy keeps no longer: some are looked for, then deleted a batch at a time,
 * until it is over. `checked` is a struct retention, { 0 } at first; who deletes moves `next` on. */
enum { RETENTION_LOOK = 500, RETENTION_BATCH = 8 };
struct retention {
	int64_t ws;	  /* whose were looked at */
	char at[ID_SIZE]; /* the last one */
	bool all, over;	  /* no more in this workspace; in any */
	char ids[RETENTION_LOOK][ID_SIZE];
	size_t looked, len, next; /* looked at now, found, not deleted yet */
};
extern const struct use use_retain_find, use_retain;
/* Before use_user_create and use_user_patch with a password: may they do this at all? If the
 * old password must be shown, its hash is in `old_hash`; the caller verifies it, sets
 * `verified`, and only then makes the new hash. */
extern const struct use use_user_create_admit, use_user_patch_admit;
extern const struct use use_user_list, use_user_get, use_user_create, use_user_patch,
	use_user_delete;
/* When the caller, or the user of the id, is away. */
extern const struct use use_away, use_away_put, use_away_delete;
extern const struct use use_token_list, use_token_get, use_token_create, use_token_patch,
	use_token_delete;

#endif
