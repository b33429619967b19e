/* form_page.h - the answer form as a page: what is asked, the rows, the text being typed,
 * what is wrong, which keys there are. Pure. */
#ifndef TUI_FORM_PAGE_H
#define TUI_FORM_PAGE_H

#include "tui/form.h"
#include "tui/page.h"

/* "1/4: Environment", or the header alone, or "Review"; in the arena. */
struct str form_title(const struct form *, struct arena *);
/* What is asked, in full; empty: the review. */
struct str form_text(const struct form *, struct arena *);
/* Of what is asked no more than so many rows. Returns how many there are of it: they stay
 * in sight, above what scrolls. */
size_t form_write(struct page *, const struct form *, size_t text_rows);
/* The keys that mean something now, in a line. */
struct str form_keys(const struct form *, struct arena *);

#endif
