/* form_page.h - the answer form as a page: what is asked, the rows, the text being typed,
 * what is wrong, which keys there are. Pure. */
#ifndef TUI_FORM_PAGE_H
#define TUI_FORM_PAGE_H

#include "tui/form.h"
#include "tui/page.h"

/* "1/4: Environment", or the header alone, or "Review"; in the arena. */
struct str form_title(const struct form *, struct arena *);
void form_write(struct page *, const struct form *);
/* The keys that mean something now, in a line. */
struct str form_keys(const struct form *, struct arena *);

#endif
