/* together.h - the asks that one answer settles: each on its line, and those that are left to
 * be decided by themselves, with the reason. Kept as it was when it was opened: what was
 * shown is what is sent. */
#ifndef TUI_TOGETHER_H
#define TUI_TOGETHER_H

#include "tui/form.h"
#include "tui/list.h"
#include "tui/page.h"

struct together_row {
	struct str id, title;
	struct str digest; /* of its operation; empty: it has none */
	struct str line;   /* its operation in pieces, by lines; empty: it has none */
	const char *why;   /* the message that says why it is left out; NULL: it is not */
};

/* { 0 } is empty and ready. */
struct together {
	struct arena arena;
	struct together_row *rows;
	size_t len, taken;
};

/* Of those that are chosen and shown: the most that go together, on lines of `width`
 * columns. */
void together_make(struct together *, const struct list *, size_t width);
void together_done(struct together *);
const struct together_row *together_first(const struct together *); /* NULL: none fits */
void together_write(const struct together *, struct page *);
/* What settles them: with what is filled in, or skipped where `form` is NULL. */
struct str together_body(const struct together *, const struct form *, struct arena *);

#endif
