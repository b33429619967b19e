/* inbox_inner.h - what the parts of the inbox share. Private to this folder. */
#ifndef TUI_INBOX_INNER_H
#define TUI_INBOX_INNER_H

#include "client/async_client.h"
#include "text/msg.h"
#include "tui/dialog.h"
#include "tui/drafts.h"
#include "tui/help.h"
#include "tui/history.h"
#include "tui/inbox.h"
#include "tui/list.h"
#include "tui/session_list.h"
#include "tui/session_view.h"
#include "tui/together.h"

enum view { VIEW_LIST, VIEW_ASK, VIEW_SESSION, VIEW_SESSIONS, VIEW_HISTORY, VIEW_HELP };

enum prompt {
	PROMPT_NONE,
	PROMPT_ASSIGN,
	PROMPT_SNOOZE,
	PROMPT_STOP,
	PROMPT_END,
	PROMPT_MESSAGE
};

enum line_state { LINE_CONNECTING, LINE_LIVE, LINE_LOST };

/* What is asked of the server; the table in inbox_data.c says how, and what becomes of the
 * reply. */
enum inbox_request {
	REQUEST_ME,
	REQUEST_LIST,
	REQUEST_LIST_MORE,
	REQUEST_ASK,	/* one that changed or is new */
	REQUEST_OPEN,	/* one to be shown */
	REQUEST_FOLLOW, /* what was settled last: does its agent have it? */
	REQUEST_BEFORE, /* what led to the one shown */
	REQUEST_TOLD,	/* who was told of the one shown */
	REQUEST_SERVER, /* of the call that is shown: what it says of its tool */
	REQUEST_POLICY, /* how long approvals may hold */
	REQUEST_TRY,	/* what the rule of an approval for longer would match */
	REQUEST_RULE,	/* creates one */
	REQUEST_LINK,	/* of the ask whose link is wanted */
	REQUEST_ANSWER,
	REQUEST_SKIP,
	REQUEST_MANY, /* settles a batch */
	REQUEST_CLAIM,
	REQUEST_EXTEND,
	REQUEST_REPLY,
	REQUEST_ASSIGN,
	REQUEST_READ, /* marks it as read */
	REQUEST_SNOOZE,
	REQUEST_REVOKE,
	REQUEST_HISTORY,
	REQUEST_COUNTS, /* of the next choice of its filter menu */
	REQUEST_SESSION,
	REQUEST_LOG,	  /* its events */
	REQUEST_RUNS,	  /* of the session shown */
	REQUEST_TASKS,	  /* the same */
	REQUEST_MANDATES, /* the same: those that are live */
	REQUEST_END,	  /* ends one */
	REQUEST_STOP,
	REQUEST_MESSAGE,
	REQUEST_SESSIONS,
	REQUEST_RUNNING,  /* sessions that run */
	REQUEST_FAILED,	  /* runs that failed, for the list of sessions */
	REQUEST_QUEUED,	  /* those that wait for their turn */
	REQUEST_UNFOLDED, /* runs of the session that is unfolded in the list */
	REQUEST_STOPS,
	REQUEST_USERS,
	REQUEST_CONTACTS, /* of the person */
	REQUEST_CHANNELS,
	REQUEST_PRESENT,
	REQUESTS,
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
	struct async_client *client;
	struct stream *stream;
	enum err err; /* ends the loop, with why */
	struct fault why;
	bool over;	      /* the person leaves */
	struct arena turn;    /* memory of one turn of the loop */
	bool waits[REQUESTS]; /* for a reply */
	bool again[REQUESTS]; /* and it is to be asked for once more after it */

	/* The person. */
	struct buf user;
	bool may_answer, admin;
	/* Why the person may not answer; NULL: they may, or it is unknown. */
	const char *hint;

	bool reachable;		   /* elsewhere: has contacts */
	bool broken_said;	   /* that a contact does not work any more */
	struct kept_json channels; /* of an admin */
	int64_t channels_ms;	   /* monotonic; when they were looked at; 0: never */
	int64_t seen_ms;	   /* monotonic; they started it, or pressed a key */
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
	struct kept_json users; /* of the workspace */
	struct kept_json stops; /* those in force */
	struct history history;
	struct sessions sessions;
	struct running running;
	struct session_view session;

	/* What is seen. */
	enum view view, before_help;
	enum view back;		  /* where Esc goes from an ask */
	enum view before_session; /* and from a session, unless an ask is open */
	bool lost; /* what the cursor stood on is gone: the person must move first */
	enum prompt prompt;
	struct buf prompt_id;	 /* of the ask or session that the prompt is about */
	struct buf prompt_title; /* of the session to be stopped */
	struct line prompt_line;
	struct buf undo; /* the approval given last; empty: none that can be taken back */
	int64_t wake_ms; /* when the next snoozed ask comes back; 0: none */
	struct buf follow; /* the ask settled last, until its agent has it; empty: none */
	int64_t follow_ms; /* monotonic; when to look again */
	int follow_left;
	bool searching;
	bool menu;	   /* the choices of a filter are shown */
	size_t menu_which; /* of the filters of this view */
	bool go;	   /* `g` was pressed */
	struct dialog dialog;
	bool dialog_on;
	bool batch;	      /* the dialog answers all that were taken into `many` */
	bool batch_next;      /* and so will the one that is coming */
	struct together many; /* fixed when the batch was opened */
	struct buf try_id; /* the ask whose rule for longer is being tried; empty: none */
	struct buf wanted; /* the id of the ask to be shown; empty: none */
	struct buf queue;  /* ids of those that came while a dialog was open, by lines */
	struct buf notice;
	enum style notice_style;
	int64_t notice_until; /* monotonic */
	struct help help;
	int64_t key_ms;	  /* monotonic; of the last key */
	int64_t claim_ms; /* monotonic; of the last claim */
	struct page page; /* for drawing */
	bool dirty;
};

/* What each view has, in inbox.c. */
extern const struct inbox_view {
	void (*key)(struct inbox *, const struct key *);
	const char *footer; /* the keys that matter most, as a text */
} inbox_views[];

/* inbox_data.c: to and from the server */
void inbox_start(struct inbox *);
/* `id` goes into the path, `body` along; either may be empty. */
void inbox_send(struct inbox *, enum inbox_request, struct str id, struct str body);
void inbox_get(struct inbox *, enum inbox_request, struct str id);
/* The same, unless its reply is awaited: then once more after that. */
void inbox_get_anew(struct inbox *, enum inbox_request, struct str id);
void inbox_told(struct inbox *, struct str id); /* if its dialog is open */
void inbox_settle(struct inbox *, bool skip);
bool inbox_was_settled(const struct inbox *, struct str id); /* lately */
/* Is this page of another ask or session, which the person has left since? Each item names
 * its own. */
bool inbox_page_of_other(const struct json *page, const char *member, struct str id);
void inbox_session(struct inbox *, struct str id); /* shows it */
void inbox_history(struct inbox *, bool anew);
void inbox_counts(struct inbox *); /* of the menu of its filters that is open */
void inbox_users(struct inbox *);  /* once */
/* What is due: that the person is looking, whether the agent has an answer, sessions that
 * changed, asks whose snooze is over. */
void inbox_tick(struct inbox *);
struct str inbox_user_name(const struct inbox *, struct str id); /* empty: not known */

/* inbox_sessions.c: the list of sessions */
void inbox_sessions_read(struct inbox *);
/* Reads it again, if it is looked at and something has happened. */
void inbox_sessions_keep(struct inbox *);
void inbox_unfold(struct inbox *, struct str session); /* or folds it */
void inbox_sessions_event(
	struct inbox *, struct str type, struct str session, const struct json *event);
void inbox_sessions_take(struct inbox *, const struct json *page);
void inbox_running_take(struct inbox *, const struct json *page);
void inbox_unfolded_take(struct inbox *, const struct json *page);
void inbox_unfolded_want(struct inbox *);

/* inbox_dialog.c: the ask that is open */
void ask_show(struct inbox *, struct str id); /* fetches it; its dialog takes the keys */
void dialog_glance(struct inbox *); /* beside the list: the one under the cursor */
bool dialog_shows(const struct inbox *, struct str ask); /* this one, and no batch */
void dialog_arrived(struct inbox *, const struct json *ask);
void dialog_gone(struct inbox *); /* leaves the dialog; what was typed is kept */
void ask_key(struct inbox *, const struct key *);
void dialog_batch(struct inbox *);
void dialog_hint(struct inbox *); /* why the person may not answer, if so */
void dialog_policy_take(struct inbox *, const struct json *policy);
void dialog_try_came(struct inbox *, const struct json *, const struct fault *);
void dialog_rule_came(struct inbox *, const struct json *, const struct fault *);

/* inbox_prompt.c: what the inbox asks in its last line */
void prompt_open(struct inbox *, enum prompt, struct str id, struct str title);
void prompt_key(struct inbox *, const struct key *);
void prompt_draw(struct inbox *, struct page *);

/* inbox_marks.c: read, snoozed, taken back; its link */
void mark_read(struct inbox *, struct str ask);
/* `span`: "30m", "4h", "2d"; empty: not snoozed any more. False: it is none of these. */
bool mark_snooze(struct inbox *, struct str ask, struct str span);
void snooze_take(struct inbox *, const struct json *ask);
void marks_link_take(struct inbox *, const struct json *ask);
void marks_wake(struct inbox *); /* shows those again whose time has come */
void approval_revoke(struct inbox *, struct str ask);

/* inbox_rows.c: the list, and a session with what it asks */
const struct item *inbox_session_ask(const struct inbox *); /* NULL: it asks nothing */
void inbox_session_draw(struct inbox *, const struct area *, int64_t now_ms);
void inbox_rows_draw(struct inbox *, const struct area *, int64_t now_ms);

/* inbox_draw.c */
bool inbox_wide(const struct inbox *);
size_t draw_ask_width(const struct inbox *); /* columns of an open ask */
size_t draw_list_height(const struct inbox *);
size_t draw_head_height(const struct inbox *); /* rows above what is shown */
void inbox_draw(struct inbox *);

/* The filters of the list that is shown, or of the one that an open ask is of. */
struct filter_group inbox_filters(struct inbox *);
struct line *inbox_searched(struct inbox *); /* what is searched for in this view */
void inbox_help(struct inbox *);	     /* shows the keys of this view first */
void inbox_say(struct inbox *, enum style, struct str);
#define INBOX_SAY(in, style, id, ...)                                                    \
	inbox_say((in), (style), MSG(&(in)->turn, (id)__VA_OPT__(, ) __VA_ARGS__))

#endif
