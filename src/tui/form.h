/* form.h - the answer form as a pure machine: keys in, state out. No clock, no screen, no
 * server.
 *
 *	CHOOSE ──Other──► OTHER         a lone question: Enter submits
 *	  │ ▲ └──note───► NOTE          several: Enter goes on, the last to REVIEW
 *	  │ └─────Esc──────┘            Esc on the choices leaves; s ──► SKIP ("y/N")
 *	  ▼                             a risky approval, a batch ──► CONFIRM (press again)
 *	WRITE, for a text or a number
 *
 * Invariants:
 * 1. WISH_SUBMIT and WISH_SKIP come only from a key pressed in answer to what the screen
 *    showed, while `armed`; never from pasted text. What is submitted passes answer_check.
 * 2. Typed text changes only by keys that edit it: choosing something else, going back or
 *    leaving keeps it. */
#ifndef TUI_FORM_H
#define TUI_FORM_H

#include "core/ask/question.h"
#include "tui/line.h"

enum form_mode {
	FORM_CHOOSE,  /* rows: options and Other; yes and no; approve and reject */
	FORM_WRITE,   /* a text or a number */
	FORM_OTHER,   /* the text of Other */
	FORM_NOTE,    /* the note, or the reason of a rejection */
	FORM_REVIEW,  /* all answers, before several are sent */
	FORM_SKIP,    /* "Skip? y/N" */
	FORM_CONFIRM, /* a risky approval, or an answer to many: press again */
};

/* What was filled in for one question. */
struct entry {
	uint32_t selected; /* a bit a row: options; yes, no; approve, reject */
	bool other_on;
	size_t row;	   /* of the cursor */
	struct line other; /* kept when another option is chosen */
	struct line text;  /* a text or a number */
	struct line note;  /* the note, or the reason of a rejection */
};

/* Why it cannot be sent; a text of the catalogue with {min}, {max} and {n}. */
struct flaw {
	const char *id; /* NULL: nothing is wrong */
	size_t n;
};

struct form {
	const struct question *questions; /* borrowed */
	size_t len;
	struct entry *entries; /* one a question */
	size_t at;	       /* the question shown; len: Review */
	size_t review_row;     /* len: the row that submits */
	enum form_mode mode;
	enum form_mode before; /* where SKIP and CONFIRM came from */
	struct flaw flaw;
	struct buf arguments; /* of an approval, edited: JSON; empty: as they were */
	/* Said by the owner. */
	bool idle;  /* the keys go elsewhere: no cursor is shown */
	bool armed; /* the card has been there long enough for a decision */
	bool stays; /* Esc cannot leave it: it asks whether to skip */
	bool twice; /* approving takes a second press */
	bool critical; /* also required here, and the operation must have been scrolled to its end */
	bool read;   /* the operation was shown to its end */
	bool longer; /* approving for longer is offered */
	bool plan;   /* of a plan: it is approved as it is, or planned further */
	size_t asks; /* how many the answer goes to; more than one: a second press */
	int32_t yes; /* the key that means yes: 'y', 'o' */
};

/* Fills in what the agent already knows (prefill). False: out of memory. */
bool form_open(struct form *, const struct question *, size_t len);
void form_close(struct form *);
enum wish form_key(struct form *, const struct key *);

void form_approve(struct form *); /* chooses it; nothing is sent */
/* The text that keys go to; NULL: none. */
struct line *form_line(struct form *);
/* "approval" alone is decided by A, R and E. */
bool form_decides(const struct form *);
/* Rows of a question that can be chosen, Other included, the note not. */
size_t form_rows(const struct question *);
bool form_row_chosen(const struct form *, size_t question, size_t row);
bool form_question_given(const struct form *, size_t question);
bool form_touched(const struct form *); /* anything is filled in */
/* Every text that was typed, a line each. */
void form_written(const struct form *, struct buf *out);
/* What is wrong with one question's entry. */
struct flaw form_flaw(const struct form *, size_t question);

/* {"env": {"selected": ["staging"]}, …}: what was given, in the full form of an
 * answer. */
void form_answer(const struct form *, struct json_writer *);
/* Everything that was filled in, also what cannot be sent; and back. Unknown keys and
 * values that do not fit are passed over. */
void form_draft(const struct form *, struct json_writer *);
void form_fill(struct form *, const struct json *values);
/* One question's, in any form that an answer may have. NULL is nothing. */
void form_fill_one(struct form *, size_t question, const struct json *value);

#endif
