/* why.h - why a person is asked: the rule or the policy that wants it, the agent's own wish, and a
 * risk that is not what the agent said. Pure. */
#ifndef TUI_WHY_H
#define TUI_WHY_H

#include "base/json.h"
#include "tui/page.h"

/* Is there a reason to say? Only for a pending operation that requires approvals, or whose risk is
 * not the agent's. */
bool why_wanted(const struct json *ask);
/* The body of POST /v1/rules/try that finds the rules of this ask. */
void why_body(struct json_writer *, const struct json *ask);
/* `tried`: the reply to it, or NULL: then the risk alone is said. */
void why_draw(struct page *, const struct json *ask, const struct json *tried);

#endif
