/* draft.h - what the readers of an ask's body share. Private to core. */
#ifndef CORE_DRAFT_H
#define CORE_DRAFT_H

#include "core/ask/ask.h"
#include "core/shared/body.h"

/* The members of an ask's body, without those of a flat question. */
extern const struct members ask_members;

/* Those of a flat question. */
extern const struct members flat_question_members;
/* 1 to OPTIONS_MAX options of ids that differ, into the question. */
void options_check(struct check *, const struct json_place *, const struct json *list,
	struct arena *, struct question *);
/* The question's options in full; `given`: as they came, or NULL. */
void options_write(
	struct json_writer *, const struct question *, const struct json *given);

/* As question_read, noting into a check that others share. */
void question_check(struct check *, const struct json *, const struct json_place *,
	bool flat, size_t n, struct arena *, struct question *out);

void context_check(struct check *, const struct json_place *, const struct json *);
void context_write(struct json_writer *, const struct json *); /* NULL writes null */

/* An object of at most METADATA_MAX bytes as compact JSON; "{}" when there is none. */
struct str context_metadata_read(
	struct check *, const struct json_place *, const struct json *, struct arena *);

/* As assignees_read and timeout_read. */
void assignees_check(struct check *, const struct json_place *, const struct json *,
	struct arena *, struct str **out, size_t *len);
int64_t timeout_check(struct check *, const struct json_place *, const struct json *,
	const struct draft_limits *);

/* The question of an approval or a recovery that came without one. */
void draft_decision_question(const struct draft *, struct arena *, struct question *out);
void draft_recovery_question(const struct draft *, const struct json *context,
	struct arena *, struct question *out);

/* What is kept of a draft that is right: `fixed`, `search` and `session_title`. */
struct keepsake {
	const struct json *context; /* or NULL */
	struct str fallback;	    /* the default in its full form; empty: none */
	struct str metadata;
};
void draft_keep(struct draft *, const struct keepsake *, struct arena *);

#endif
