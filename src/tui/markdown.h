/* markdown.h - an agent's Markdown as rows of a page: headings, lists, quotes, code, emphasis and
 * links without their marks. Every word that was written is shown. Pure. */
#ifndef TUI_MARKDOWN_H
#define TUI_MARKDOWN_H

#include "tui/page.h"

/* Behind `indent` blanks; lines stay the lines they are. */
void markdown_write(struct page *, size_t indent, struct str foreign);
#endif
