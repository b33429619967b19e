/* dialog.h - one ask on the screen: its card above, its form below, and the keys of both.
 * It sends nothing itself: the owner does what it wishes. */
#ifndef TUI_DIALOG_H
#define TUI_DIALOG_H

#include "tui/card.h"
#include "tui/form.h"
#include "tui/kept.h"
#include "tui/scope_form.h"
#include "tui/screen.h"

enum { ARMING_MS = 600 }; /* a card must stand so long before it can be decided */

struct dialog {
	struct arena arena; /* of the ask */
	const struct json *ask;
	struct str id;
	struct question *questions;
	size_t questions_len;
	struct form form;
	struct str me;	 /* usr_… of the person; borrowed, may be empty */
	bool may, admin; /* the person may answer; is one who allows */
	bool open;	 /* the form takes keys: pending, and the person may answer */
	bool replying;	 /* a message to the agent is being written */
	struct line reply;
	bool scoping; /* for how long to approve, or a rule, is being chosen */
	struct scope_form scope;
	bool raw;	  /* the operation as JSON */
	bool busy;	  /* something was sent, its reply is not here yet */
	bool dead;	  /* settled under the person's hands: they must move on */
	size_t top;	  /* the first row of the card that is shown */
	size_t card_rows; /* how many fitted at the last drawing */
	int64_t armed_at; /* monotonic */
	struct kept_json arguments; /* as edited */
	struct kept_json told;	    /* who was told of it */
	struct kept_json tool;	    /* of a held call, as its server lists it */
	struct kept_json before;    /* events before it, newest first */
	struct buf notice; /* what went wrong, or what became of it; empty: nothing */
	enum style notice_style;
	/* Draws what the answer goes to, in place of the card; NULL: the card. */
	void (*instead)(struct page *, const void *ctx);
	const void *instead_ctx;
	struct page card_page, form_page;
};

/* The ask as the server sent it; copied. `may_answer`: the person is one who may. False:
 * out of memory, or no ask. */
bool dialog_open(struct dialog *, const struct json *ask, bool may_answer);
/* The answer goes to so many asks, which `draw` shows in place of the card: approving takes a
 * second press, once all of them were shown. */
void dialog_instead(struct dialog *, size_t asks,
	void (*draw)(struct page *, const void *ctx), const void *ctx);
/* Who the person is became known: the form takes keys, or not. */
void dialog_allow(struct dialog *, bool may_answer);
/* A newer version of it: the form stays as it is. Once it is settled the card says how,
 * what was typed stays in sight, and letters do nothing any more. */
void dialog_update(struct dialog *, const struct json *ask);
/* The same for one that was deleted: the notice says so. */
void dialog_deleted(struct dialog *);
/* What was typed and not sent; empty: nothing. */
struct str dialog_written(const struct dialog *, struct arena *);
void dialog_close(struct dialog *);

enum wish dialog_key(struct dialog *, const struct key *);
struct line *dialog_line(struct dialog *); /* what is being typed; NULL: nothing */
void dialog_arm(struct dialog *);	   /* it must stand for ARMING_MS from now on */
/* How long until decisions are armed; 0: they are. */
int64_t dialog_arming(const struct dialog *, int64_t mono_ms);
void dialog_draw(struct dialog *, struct screen *, const struct area *, int64_t now_ms,
	int64_t mono_ms);
/* How many rows show all of it at this width. */
size_t dialog_rows(struct dialog *, size_t width, int64_t now_ms);
struct str dialog_keys(struct dialog *, struct arena *);
int32_t dialog_yes(void); /* the key that means yes: 'y', 'o' */
/* While it is chosen for how long to approve; tui/scope_form.h says what they do. */
void dialog_limit(struct dialog *, const struct json *scopes, bool admin);
struct str dialog_rule(struct dialog *, struct arena *); /* empty: nothing to try */
/* The rule that was chosen, and that it was created. */
struct str dialog_rule_made(const struct dialog *, int64_t now_ms, struct arena *);
void dialog_ruled(struct dialog *);
/* `reply` NULL: there is none, and why. */
void dialog_tried(struct dialog *, const struct json *reply, const struct fault *why);
/* {"answers": {…}}, and `scope` if it holds for longer; or {} that skips it. */
/* The events of its session, newest first: the card shows those before it. */
void dialog_before(struct dialog *, const struct json *events);
struct str dialog_answer(const struct dialog *, bool skip, struct arena *);
/* {"text": …}: the message to the agent. */
struct str dialog_reply(const struct dialog *, struct arena *);
void dialog_replied(struct dialog *); /* it was sent */
/* Edited arguments, as JSON text; if it is none, the notice says so. */
void dialog_arguments(struct dialog *, struct str text);
void dialog_say(struct dialog *, enum style, struct str);
void dialog_fault(struct dialog *, const struct fault *); /* what was sent was refused */

#endif
