/* why.h - why a person is asked: the rule or the policy that wants it, the agent's own wish, and a
 * risk that is not what the agent said. Pure. */
#ifndef TUI_WHY_H
#define TUI_WHY_H

#include "base/json.h"
#include "tui/page.h"

/* As it was kept when it was asked. Nothing where the agent alone wants it, and that once. */
void why_draw(struct page *, const struct json *ask);

#endif
