/* inbox_inner.h - what the parts of the inbox share. Private to this folder. */
#ifndef TUI_INBOX_INNER_H
#define TUI_INBOX_INNER_H

#include "client/async_client.h"
#include "tui/dialog.h"
#include "tui/drafts.h"
#include "tui/history.h"
#include "tui/inbox.h"
#include "tui/list.h"
#include "tui/session_list.h"
#include "tui/session_view.h"
#include "tui/together.h"

enum view { VIEW_LIST, VIEW_ASK, VIEW_SESSION, VIEW_SESSIONS, VIEW_HISTORY, VIEW_HELP };

enum prompt { PROMPT_NONE, PROMPT_ASSIGN, PROMPT_SNOOZE, PROMPT_STOP, PROMPT_MESSAGE };

enum line_state { LINE_CONNECTING, LINE_LIVE, LINE_LOST };

/* What a reply is to. */
enum {
	TAG_ME,
	TAG_LIST,
	TAG_ASK,     /* one that changed or is new */
	TAG_OPEN,    /* one to be shown */
	TAG_BEFORE,  /* what led to the one shown */
	TAG_TOLD,    /* who was told of the one shown */
	TAG_POLICY,  /* how long approvals may hold */
	TAG_TRY,     /* what the rule of an approval for longer would match */
	TAG_SETTLE,  /* answer or skip */
	TAG_MANY,    /* a batch */
	TAG_SIDE,    /* claim, extend, a message */
	TAG_SESSION, /* a session and its events */
	TAG_SESSION_LOG,
	TAG_SESSIONS,
	TAG_RUNNING,  /* sessions that run */
	TAG_FAILED,   /* runs that failed, for the list of sessions */
	TAG_QUEUED,   /* those that wait for their turn */
	TAG_UNFOLDED, /* runs of the session that is unfolded in the list */
	TAG_STOPS,
	TAG_RUNS,  /* of the session shown */
	TAG_TASKS, /* the same */
	TAG_MESSAGE,
	TAG_HISTORY,
	TAG_USERS,
	TAG_ASSIGN,
	TAG_STOP,
	TAG_MARK, /* read */
	TAG_SNOOZE,
	TAG_REVOKE,
	TAG_CONTACTS, /* of the person */
	TAG_CHANNELS,
	TAG_PRESENT,
	TAG_FOLLOW, /* what was settled last: does its agent have it? */
};

enum { SETTLED_KEPT = 64 };

/* Sessions that run, by hashes of their ids. */
struct running {
	uint64_t *ids;
	size_t len, cap;
};

struct inbox {
	const struct inbox_setup *with;
	struct screen *screen;
	struct async_client *courier;
	struct stream *stream;
	enum err err; /* ends the loop, with why */
	struct fault why;
	bool over; /* the person leaves */

	/* The person. */
	struct buf user;
	bool may_answer, admin;
	/* Why the person may not answer; NULL: they may, or it is unknown. */
	const char *hint;

	bool reachable;	      /* elsewhere: has contacts */
	bool broken_said;     /* that a contact does not work any more */
	struct buf down_said; /* "channel since" of those that do not work, by lines */
	int64_t channels_ms;  /* monotonic; when they were looked at; 0: never */
	int64_t seen_ms;      /* monotonic; they started it, or pressed a key */
	int64_t present_ms; /* monotonic; when it was last said that they look; 0: never */

	/* The data. */
	enum line_state line;
	bool whole; /* every page of the list is here */
	struct list list;
	struct line search;
	uint64_t settled[SETTLED_KEPT]; /* hashes of ids, so that a late page brings none
					   back */
	size_t settled_at;
	struct drafts drafts;

	/* What is seen. */
	enum view view, before_help;
	enum view back;		  /* where Esc goes from an ask */
	enum view before_session; /* and from a session, unless an ask is open */
	bool lost; /* what the cursor stood on is gone: the person must move first */
	enum prompt prompt;
	struct buf prompt_id;	 /* of the ask or session that the prompt is about */
	struct buf prompt_title; /* of the session to be stopped */
	struct line prompt_line;
	struct arena users_arena;
	const struct json *users; /* of the workspace; NULL: not read yet */
	bool users_asked;
	struct history history;
	struct buf undo; /* the approval given last; empty: none that can be taken back */
	int64_t wake_ms; /* when the next snoozed ask comes back; 0: none */
	struct buf follow; /* the ask settled last, until its agent has it; empty: none */
	int64_t follow_ms; /* monotonic; when to look again */
	int follow_left;
	bool searching;
	bool go; /* `g` was pressed */
	struct dialog dialog;
	bool dialog_on;
	bool batch;	      /* the dialog answers all that were taken into `many` */
	bool batch_next;      /* and so will the one that is coming */
	struct together many; /* fixed when the batch was opened */
	struct buf try_id; /* the ask whose rule for longer is being tried; empty: none */
	bool by_itself;	   /* the dialog that is coming opens by itself */
	struct buf wanted; /* the id of the ask to be shown; empty: none */
	bool opening;	   /* its GET is under way */
	struct buf queue;  /* ids of those that came while a dialog was open, by lines */
	struct sessions sessions;
	struct running running;
	struct run_page stops; /* those in force */
	struct session_view session;
	struct buf notice;
	enum style notice_style;
	int64_t notice_until; /* monotonic */
	size_t list_top, list_help;
	int64_t key_ms;	  /* monotonic; of the last key */
	int64_t claim_ms; /* monotonic; of the last claim */
	struct page page; /* for drawing */
	bool dirty;
};

/* inbox_data.c: to and from the server */
void data_start(struct inbox *);
void data_event(struct inbox *, const struct json *event);
void data_call(
	struct inbox *, const char *method, struct str path, struct str body, int tag);
/* "/v1/asks/<id><tail>" to be called with a body. */
void data_ask(
	struct inbox *, const char *method, const char *tail, struct str body, int tag);
void data_told(struct inbox *, struct str id); /* if its dialog is open */
void data_settle(struct inbox *, bool skip);
void data_settle_many(struct inbox *, bool skip);
void data_session(struct inbox *, struct str id);
void data_history(struct inbox *, bool anew);
/* The same of a path that is done with. */
void data_path(
	struct inbox *, const char *method, struct buf *path, struct str body, int tag);
void data_users(struct inbox *); /* once */
/* Says that the person is looking, when it is time. */
void data_present(struct inbox *);
void data_follow(
	struct inbox *); /* looks again whether the agent has it, when it is time */

/* inbox_sessions.c: the list of sessions */
void data_sessions(struct inbox *); /* reads it */
/* Reads it again, if it is looked at and something has happened. */
void data_sessions_keep(struct inbox *);
void data_unfold(struct inbox *, struct str session); /* or folds it */
void sessions_event(
	struct inbox *, struct str type, struct str session, const struct json *event);
void sessions_came(struct inbox *, int tag); /* a reply, good or not */
void sessions_take(struct inbox *, int tag, const struct json *);

/* inbox_dialog.c: the ask that is open */
void ask_show(struct inbox *, struct str id); /* fetches it; its dialog takes the keys */
void dialog_glance(struct inbox *); /* beside the list: the one under the cursor */
void dialog_arrived(struct inbox *, const struct json *ask);
void dialog_gone(struct inbox *); /* leaves the dialog; what was typed is kept */
void ask_key(struct inbox *, const struct key *);
void dialog_batch(struct inbox *);
void dialog_hint(struct inbox *); /* why the person may not answer, if so */

/* inbox_prompt.c: what the inbox asks in its last line */
void prompt_assign(struct inbox *, struct str ask);
void prompt_stop(struct inbox *, struct str session, struct str title);
void prompt_snooze(struct inbox *, struct str ask);
void prompt_message(struct inbox *); /* to the agent of the session shown */
void prompt_users(struct inbox *, const struct json *page);
struct str user_name(const struct inbox *, struct str id); /* empty: not known */
void prompt_key(struct inbox *, const struct key *);
void prompt_draw(struct inbox *, struct page *);

/* inbox_marks.c: read, snoozed, taken back */
void mark_read(struct inbox *, struct str ask);
/* `span`: "30m", "4h", "2d"; empty: not snoozed any more. False: it is none of these. */
bool mark_snooze(struct inbox *, struct str ask, struct str span);
void snooze_take(struct inbox *, const struct json *ask);
void marks_wake(struct inbox *); /* shows those again whose time has come */
void approval_revoke(struct inbox *, struct str ask);

/* inbox_scope.c: approving for longer */
void scope_ask_limits(struct inbox *);
void scope_take_limits(struct inbox *, const struct json *policy);
void scope_try(struct inbox *); /* if it is wanted, one at a time */
void scope_take_tried(struct inbox *, const struct json *reply, const struct fault *why);

/* inbox_draw.c */
bool inbox_wide(const struct inbox *);
size_t draw_ask_width(const struct inbox *); /* columns of an open ask */
size_t draw_list_height(const struct inbox *);
size_t draw_head_height(const struct inbox *); /* rows above what is shown */
void inbox_draw(struct inbox *);

struct line *inbox_search(struct inbox *); /* what is searched for in this view */
void inbox_say(struct inbox *, enum style, struct str);

#endif
